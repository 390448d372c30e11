"""What a row means does not depend on what it stands in: label tables by every name, and one set of rows everywhere."""

import gzip
import io
import itertools
import json
import tempfile
from collections import defaultdict
from pathlib import Path

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from by_form import one_a_line, ranked
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import refused, remarks_of

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, frames, json_text, rows, tabular
from coliee_adapters.records import Answers, Gold, exact_id, normal_id


def parquet(rows):
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
    return stream.getvalue()


WRITTEN = {
    "csv": lambda rows: pandas.DataFrame(rows, dtype=object).to_csv(index=False).encode(),
    "tsv": lambda rows: pandas.DataFrame(rows, dtype=object).to_csv(index=False, sep="\t").encode(),
    "jsonl": lambda rows: one_a_line(rows).encode(),
    "json": lambda rows: json.dumps(rows).encode(),
    "parquet": parquet,
}
HELD = {
    "records": lambda rows: rows,
    "pandas": pandas.DataFrame,
    "polars": lambda rows: polars.DataFrame(rows, strict=False),
}
EVERYWHERE = (*WRITTEN, *HELD)
FORMS = tuple(form for form in EVERYWHERE if form != "tsv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("containers")


def read(folder, form, kind, rows, **columns):
    """Rows as what they are read as, from a file or from memory."""
    if form in HELD:
        of = frames.gold_of if kind == "gold" else frames.run_of
        return of(HELD[form](rows), normal_id, columns=columns, commas=False)
    content = WRITTEN[form.removesuffix(".gz")](rows)
    path = folder / f"f.{form}"
    path.write_bytes(gzip.compress(content, 1) if form.endswith(".gz") else content)
    source = Source(path, columns=columns)
    return detect.read_gold(source) if kind == "gold" else detect.read_run(source)


def outcome(*arguments, **columns):
    """What was read and the kinds of remarks; or that it was refused."""
    try:
        held = read(*arguments, **columns)
        if isinstance(held, Gold):
            found, remarks = (held.labels, held.qrels), held.remarks
        elif isinstance(held, Answers):
            found, remarks = (held.labels, held.unreadable), held.remarks
        else:
            found, remarks = (held.scored, ranked(held)), remarks_of(held)
    except InputError:
        return ("refused",)
    return (*found, sorted(remark.kind for remark in remarks.sentences()))


TRUTHS = ("label", "answer", "gold", "gold_label", "y_true", "target", "truth", "correct", "expected", "true_label")
SYSTEMS = (
    *("prediction", "predicted", "pred", "predicted_label", "y_pred", "preds", "predictions", "output", "response"),
    *("model_output", "predicted_answer", "llm_answer", "model_predictions", "gpt4", "verdict", "entailment", "Y/N"),
)
LONG = ("Yes, it is.", "No.")
VALUES = (("Y", "N"), ("1", "0"), ("yes", "no"), ("True", "False"), LONG)


@pytest.mark.parametrize("form", [*FORMS, "tsv.gz", "jsonl.gz"])
def test_no_table_is_scored_on_its_gold(folder, form):
    right = {f"R07-{n:02}-O": n not in (3, 5) for n in range(8)}
    given = {query: at % 3 == 0 for at, query in enumerate(right)}
    cases = list(enumerate(itertools.product(TRUTHS, SYSTEMS)))
    # every pair of names from memory, and from files some: that all containers agree is tested below
    for at, (truth, system) in cases[:: {"records": 1, "parquet": 61}.get(form, 11)]:
        values = VALUES[at % len(VALUES)]
        rows = [
            {"pair_id": query, truth: "NY"[label], "articles": "566", "query": "A text.", "filename": "a.xml"}
            | {system: values[not given[query]]}
            for query, label in right.items()
        ]
        sure = system in SYSTEMS[:4] and truth not in ("answer", "correct") and values != LONG
        columns = [{}, *([{"answer": system}] if values != LONG else [])]
        for named in columns:
            try:
                held = read(folder, form, "run", rows, **named)
            except InputError:
                assert not sure and not named, (truth, system)
            else:
                assert isinstance(held, Answers) and held.labels == given, (truth, system)


ANSWERED = {f"R07-{n:02}-O": at for n, at in enumerate(("YY", "NY", "YN", "NN", "YN"))}
RIGHT, GIVEN = ({query: said[at] == "Y" for query, said in ANSWERED.items()} for at in (0, 1))


def beside(name, values):
    """Questions with the gold's label, a prediction, and a column of these values."""
    rows = [{"pair_id": query, "label": said[0], "prediction": said[1]} for query, said in ANSWERED.items()]
    return [{**row, name: value} for row, value in zip(rows, values, strict=True)]


@pytest.mark.parametrize("form", [*EVERYWHERE, "tsv.gz"])
def test_a_prediction_wins_over_a_column_that_merely_holds_answers(folder, form):
    for name, values in (
        ("votes", ["['Y', 'N', 'Y']", "['N']", "['N', 'N', 'Y']", "['Y']", "['Y', 'Y']"]),
        ("correct_answer", "YNYNY"),
        ("answer", "YNYNY"),
        ("response", ["Yes, but not so.", "No. Hence Y.", "No", "Yes.", "No, never"]),
        ("prediction_of_gpt4", ["yes", "Yes", "no", "No", "N"]),
    ):
        held = read(folder, form, "run", beside(name, values))
        assert held.labels == GIVEN
        known = [one for one in held.remarks.examples("ignored-answers") if name in one and "prediction" in one]
        assert len(known) == (name != "answer")
        assert read(folder, form, "gold", beside(name, values)).labels == RIGHT


@pytest.mark.parametrize("form", FORMS)
def test_two_predictions_that_differ_are_refused_until_one_is_named(folder, form):
    for name in ("predicted", "llm_prediction", "final_answer", "verdict"):
        error = refused(lambda name=name: read(folder, form, "run", beside(name, "NNYYN")))
        assert (error.kind, name in error.problem, "answer" in str(error.remedy)) == ("ambiguous", True, True)
        held = read(folder, form, "run", beside(name, "NNYYN"), answer=name)
        assert [*held.labels.values()] == [False, False, True, True, False]
    two = [{"id": query, "answer": said[0], "gpt4": said[1]} for query, said in ANSWERED.items()]
    assert refused(read, folder, form, "run", two).kind == "ambiguous"
    held = read(folder, form, "run", [{**row, "gpt4": row["answer"].lower()} for row in two])
    assert held.remarks.count("ignored-answers") == 1
    if form in ("csv", "jsonl", "pandas", "parquet"):  # to the last of many rows
        rows = [{"id": f"q{n}", "answer": "Y", "gpt4": "Y" if n < 10_010 else "N"} for n in range(10_011)]
        assert refused(read, folder, form, "run", rows).kind == "ambiguous"


@pytest.mark.parametrize("form", ["csv", "json", "records", "polars", "tsv.gz"])
def test_a_gold_is_not_made_of_the_column_that_the_run_answers_with(folder, form):
    """One table that is both: right answers are the gold's, the named column is the run's, or it is refused."""
    for truth, system in itertools.product((*TRUTHS, "richtig"), (*SYSTEMS[::2], "richtige_antwort")):
        rows = [{"id": query, truth: said[0], system: said[1], "text": "A text."} for query, said in ANSWERED.items()]
        sure = truth in ("label", "gold", "gold_label", "true_label") and system == "prediction"
        for named in ({}, {"label": truth}):
            columns = {"answer": system, **named}
            assert read(folder, form, "run", rows, **columns).labels == GIVEN, (truth, system)
            try:
                assert read(folder, form, "gold", rows, **columns).labels == RIGHT, (truth, system)
            except InputError as error:
                assert "label" in str(error.remedy) and not sure and not named, (truth, system)


@pytest.mark.parametrize("form", FORMS)
def test_a_relevance_is_no_score_and_columns_that_are_not_read_and_may_matter_are_named(folder, form):
    rows = [{"query_id": "q", "doc_id": f"d{n}", "label": n % 2, "score": 4 - n, "rel": n} for n in range(4)]
    beir = [{"query-id": row["query_id"], "corpus-id": row["doc_id"], "score": row["label"]} for row in rows]
    for held, columns in (
        (rows, {"score": "score", "rank": "rel"}),
        (rows, {"retrieved": "rel", "score": "score"}),
        (beir, {"score": "score"}),  # a name that gold and run share
    ):
        assert read(folder, form, "gold", held, **columns).qrels == {"q": {f"d{n}": n % 2 for n in range(4)}}
    for name, values in (("rerank_score", (3.5, 2.5, 1.5)), ("split", ("dev", "dev", "test"))):
        rows = [{"query_id": "1", "doc_id": f"d{n}", "score": 0.5 + n, name: value} for n, value in enumerate(values)]
        [example] = remarks_of(read(folder, form, "run", rows)).examples("ignored-column")
        assert name in example and example.endswith("score")


@pytest.mark.parametrize("form", FORMS)
def test_decisions_for_pairs_are_read_by_the_column_of_decisions(folder, form):
    decided = [("q1", "a", 1, 0), ("q1", "b", 0, 1), ("q1", "c", 0, 1), ("q2", "a", 1, 0)]

    def deciding(said):
        return [{"query_id": q, "doc_id": d, "label": gold, "prediction": said(one)} for q, d, gold, one in decided]

    error = str(refused(read, folder, form, "run", deciding(int)))
    assert "retrieved" in error and "score=" not in error and '"score"' not in error
    for said in (int, lambda one: str(bool(one))):
        found = outcome(folder, form, "run", deciding(said), retrieved="prediction")
        assert found == (False, {"q1": [("b", None), ("c", None)], "q2": []}, ["ignored-column"])
    for said in (int, lambda one: 2 * one - 1):
        assert "binary-score" in outcome(folder, form, "run", deciding(said), score="prediction")[-1]
    assert outcome(folder, form, "run", deciding(lambda _: 2), retrieved="prediction") == ("refused",)


#: how people and their libraries write a number, and words that are none
SPELT = {
    **{"int": int, "float": float, "text": str, "decimal text": "{}.0".format, "half text": "{}.5".format},
    **{"half": lambda n: n + 0.5, "truth": lambda n: n > 0, "truth text": lambda n: str(n > 0), "word": "n{}".format},
}
PAIRS = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(["d1", "d2", "d3.txt", "d 4"]), st.integers(0, 2)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=settings().max_examples * 2 // 5)
@given(PAIRS, st.sampled_from(sorted(SPELT)), st.sampled_from(["relevance", "score", "rank"]))
def test_a_row_means_one_thing_anywhere(folder, pairs, spelt, role):
    def everywhere(forms, rows):
        kind = "gold" if role == "relevance" else "run"
        return [outcome(folder, form, kind, rows) for form in forms]

    def of(pairs):
        return [{"query_id": q, "doc_id": d, role: SPELT[spelt](n)} for q, d, n in pairs]

    outcomes = everywhere(EVERYWHERE, of(pairs))
    assert outcomes == outcomes[:1] * len(EVERYWHERE)
    nested = defaultdict(dict)
    for q, d, n in pairs:
        nested[q].setdefault(d, n)
    first = of([(q, d, n) for q, judged in nested.items() for d, n in judged.items()])
    spelt_out = {q: {d: SPELT[spelt](n) for d, n in judged.items()} for q, judged in nested.items()}
    if role != "rank" and spelt not in ("truth text", "word"):
        assert everywhere(["json", "records"], spelt_out) == everywhere(["csv", "csv"], first)


def blocks_or_fault(source, rule):
    """What a run holds, line by line; or what is wrong with it, and where."""
    try:
        run = detect.read_run(source, rule=rule)
        if isinstance(run, Answers):
            return run
        ranks = [None if block.ranks is None else [*map(int, block.ranks)] for block in run.blocks()]
        return ranked(run), ranks, remarks_of(run), run.tag, run.scored
    except InputError as error:
        return error.kind, error.line
    except ValueError:
        return "a rank that is no number"


def read_fast_and_slow(content, rule, patches):
    """What is read of a file, as users do, and without the fast lanes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        path.write_text(content, encoding="utf-8", newline="")
        yield blocks_or_fault(Source(path), rule)
        with pytest.MonkeyPatch.context() as patch:
            for module, name in patches:
                patch.setattr(module, name, lambda *_, **__: None)
            yield blocks_or_fault(Source(path), rule)


ODD_VALUES = st.sampled_from(["1", "0", "0.5", "-2", "1e3", "x", "", "nan", '"1"'])
ODD_IDS = st.sampled_from(["q1", "q2", "d1", "d2.txt", "a b", "a,b", "é", "", '"q1"', "#q"])
ODD_LINES = st.lists(
    st.tuples(ODD_IDS, ODD_IDS, ODD_VALUES, ODD_VALUES, st.sampled_from(["T", "U", "T T"])), min_size=1, max_size=8
)


@settings(max_examples=settings().max_examples * 2)
@given(
    lines=ODD_LINES,
    names=st.sampled_from(["query,document,score,rank,tag", "rank,score,document,query,tag", "qid,docno,x,score,tag"]),
    separator=st.sampled_from([",", ";", "\t", " "]),
    end=st.sampled_from(["\n", "\r\n"]),
    rule=st.sampled_from([exact_id, normal_id]),
)
def test_tables_at_once_are_what_they_are_row_by_row(lines, names, separator, end, rule):
    places = {"query": 0, "qid": 0, "document": 1, "docno": 1, "score": 2, "rank": 3, "x": 3, "tag": 4}
    table = [names.split(","), *([line[places[name]] for name in names.split(",")] for line in lines)]
    text = "".join(separator.join(row) + end for row in table)
    found, expected = read_fast_and_slow(text, rule, [(tabular, "plain_header")])
    assert found == expected


ODD_RECORDS = st.fixed_dictionaries(
    {"qid": st.sampled_from(["q1", "q2.txt", "a b", "é", 3, None, "{:"])},
    optional={
        "docno": st.sampled_from(["d1", "d2", 7]),
        "score": st.sampled_from([1, 0.5, 0, True, "0.5", "1_0", None, [1]]),
        "tag": st.sampled_from(["T", "U", None]),
    },
).map(json.dumps)
BROKEN = ("{", "[]", "{}", '{"qid": "q1", "qid": "q2"}', '{"qid": "q1", "docno": "d", "score": 1e999}')


@settings(max_examples=settings().max_examples * 2)
@given(
    lines=st.lists(ODD_RECORDS | ODD_RECORDS | st.sampled_from(BROKEN), min_size=2, max_size=6),
    is_list=st.booleans(),
    rule=st.sampled_from([exact_id, normal_id]),
)
def test_records_at_once_are_as_one_by_one(lines, is_list, rule):
    lanes = [(json_text, "unique_keys"), (json_text, "flat_objects"), (rows, "plain_block")]
    found, expected = read_fast_and_slow("[" + ",".join(lines) + "]" if is_list else "\n".join(lines), rule, lanes)
    assert found == expected
