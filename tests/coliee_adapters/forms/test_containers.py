"""What a row means does not depend on what it stands in: label tables by every name, and one set of rows everywhere."""

import csv
import gzip
import io
import itertools
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from asserting import refusing
from hypothesis import given, settings
from hypothesis import strategies as st
from reading import refused

import coliee_ir
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, frames, json_text, rows, tabular
from coliee_adapters.records import Answers, Gold, Run, exact_id, normal_id
from coliee_adapters.remarks import Remarks

Rows = Sequence[Mapping[str, Any]]


def separated(rows, mark):
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), delimiter=mark, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def parquet(rows):
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), stream)
    return stream.getvalue()


WRITTEN = {
    "csv": lambda rows: separated(rows, ","),
    "tsv": lambda rows: separated(rows, "\t"),
    "jsonl": lambda rows: "".join(json.dumps(row) + "\n" for row in rows).encode(),
    "json": lambda rows: json.dumps(rows).encode(),
    "parquet": parquet,
}
HELD = {
    "records": lambda rows: rows,
    "pandas": pandas.DataFrame,
    "polars": lambda rows: polars.DataFrame(rows, strict=False),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("containers")


def read(folder, form, kind, rows, columns=None):
    """Rows as what they are read as, from a file or from memory."""
    if form in HELD:
        of = frames.gold_of if kind == "gold" else frames.run_of
        return of(HELD[form](rows), normal_id, columns=columns, commas=False)
    content = WRITTEN[form.removesuffix(".gz")](rows)
    path = folder / f"f.{form}"
    path.write_bytes(gzip.compress(content, 1) if form.endswith(".gz") else content)
    source = Source(path, columns=columns)
    return detect.read_gold(source) if kind == "gold" else detect.read_run(source)


def outcome(*arguments):
    """What was read and the kinds of remarks; or that it was refused."""
    try:
        held = read(*arguments)
        blocks = list(held.blocks()) if isinstance(held, Run) else []
    except InputError:
        return ("refused",)
    if isinstance(held, Run):
        remarks = sum((block.remarks for block in blocks if block.remarks), Remarks())
        found = [held.scored]
        for block in blocks:
            scores = itertools.repeat(None) if block.scores is None else map(float, block.scores)
            queries = [query for query, start, stop in block.segments() for _ in range(stop - start)]
            found += zip(queries, block.documents, scores, strict=False)
    else:
        remarks = held.remarks
        found = [held.labels, held.qrels if isinstance(held, Gold) else held.unreadable]
    return (*found, sorted(remark.kind for remark in remarks.sentences()))


TRUTHS = ("label", "answer", "gold", "gold_label", "y_true", "target", "truth", "correct", "expected", "true_label")
SYSTEMS = (
    *("prediction", "predicted", "pred", "predicted_label", "y_pred", "preds", "predictions", "output", "response"),
    *("model_output", "predicted_answer", "llm_answer", "model_predictions", "gpt4", "verdict", "entailment", "Y/N"),
)
VALUES = {
    "Y": ("Y", "N"),
    "1": ("1", "0"),
    "yes": ("yes", "no"),
    "True": ("True", "False"),
    "long": ("Yes, it is.", "No."),
}
FORMS = ("csv", "jsonl", "json", "records", "pandas", "polars", "parquet")


@pytest.mark.parametrize("form", [*FORMS, "tsv.gz", "jsonl.gz"])
def test_no_table_is_scored_on_its_gold(folder, form):
    right = dict.fromkeys((f"R07-{n:02}-O" for n in range(8)), True) | dict.fromkeys(("R07-03-O", "R07-05-O"), False)
    given = {query: at % 3 == 0 for at, query in enumerate(right)}
    cases = list(itertools.product(TRUTHS, SYSTEMS))
    # every pair of names from memory, and from files some: that all containers agree is tested below
    for at, (truth, system) in list(enumerate(cases))[:: {"records": 1, "parquet": 61}.get(form, 11)]:
        values = list(VALUES)[at % len(VALUES)]
        yes, no = VALUES[values]
        rows = [
            {"pair_id": query, truth: "Y" if label else "N", "articles": "566", "query": "A text.", "filename": "a.xml"}
            | {system: yes if given[query] else no}
            for query, label in right.items()
        ]
        case = f"{truth} beside {system}"
        sure = system in SYSTEMS[:4] and truth not in ("answer", "correct") and values != "long"
        try:
            held = read(folder, form, "run", rows)
        except InputError:
            assert not sure, case
        else:
            assert isinstance(held, Answers), case
            assert held.labels == given, case
        if values != "long":
            chosen = read(folder, form, "run", rows, {"answer": system})
            assert isinstance(chosen, Answers), case
            assert chosen.labels == given, case


ANSWERED = {f"R07-{n:02}-O": at for n, at in enumerate(("YY", "NY", "YN", "NN", "YN"))}


def beside(name, values, **further):
    """Questions with the gold's label, a prediction, and a column of these values."""
    pairs = zip(ANSWERED.items(), values, strict=True)
    return [
        {"pair_id": query, "label": said[0], "prediction": said[1], name: value, **further}
        for (query, said), value in pairs
    ]


@pytest.mark.parametrize("form", [*FORMS, "tsv", "tsv.gz"])
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("votes", ["['Y', 'N', 'Y']", "['N']", "['N', 'N', 'Y']", "['Y']", "['Y', 'Y']"]),
        ("majority", ["N", "N", "Y", "Y", "N"]),
        ("correct_answer", ["Y", "N", "Y", "N", "Y"]),
        ("answer", ["Y", "N", "Y", "N", "Y"]),
        ("response", ["Yes, but not so.", "No. Hence Y.", "No", "Yes.", "No, never"]),
        ("prediction_of_gpt4", ["yes", "Yes", "no", "No", "N"]),
    ],
)
def test_a_prediction_wins_over_a_column_that_merely_holds_answers(folder, form, name, values):
    held = read(folder, form, "run", beside(name, values))
    assert held.labels == {query: said[1] == "Y" for query, said in ANSWERED.items()}
    known = [one for one in held.remarks.examples("ignored-answers") if name in one and "prediction" in one]
    assert len(known) == (name != "answer")
    gold = read(folder, form, "gold", beside(name, values))
    assert gold.labels == {query: said[0] == "Y" for query, said in ANSWERED.items()}


@pytest.mark.parametrize("form", FORMS)
def test_two_predictions_that_differ_are_refused_until_one_is_named(folder, form):
    for name in ("predicted", "llm_prediction", "final_answer", "verdict"):
        rows = beside(name, ["N", "N", "Y", "Y", "N"])
        error = refused(read, folder, form, "run", rows)
        assert (error.kind, name in error.problem, "answer" in str(error.remedy)) == ("ambiguous", True, True)
        held = read(folder, form, "run", rows, {"answer": name})
        assert sorted(held.labels.values()) == [False] * 3 + [True] * 2
    two = [{"id": query, "answer": said[0], "gpt4": said[1]} for query, said in ANSWERED.items()]
    assert refused(read, folder, form, "run", two).kind == "ambiguous"
    same = [{**row, "gpt4": row["answer"].lower()} for row in two]
    held = read(folder, form, "run", same)
    assert held.remarks.count("ignored-answers") == 1


def test_equal_answers_are_compared_to_their_end(folder):
    rows = [{"id": f"q{n}", "answer": "Y", "gpt4": "Y" if n < 10_010 else "N"} for n in range(10_011)]
    for form in ("csv", "jsonl", "pandas", "parquet"):
        assert refused(read, folder, form, "run", rows).kind == "ambiguous"


@pytest.mark.parametrize("form", ["csv", "json", "records", "polars", "tsv.gz"])
def test_a_gold_is_not_made_of_the_column_that_the_run_answers_with(folder, form):
    """One table that is both: right answers are the gold's, the named column is the run's, or it is refused."""
    right = {query: said[0] == "Y" for query, said in ANSWERED.items()}
    given = {query: said[1] == "Y" for query, said in ANSWERED.items()}
    truths = (*TRUTHS, "richtig")
    for truth, system in itertools.product(truths, (*SYSTEMS[::2], "richtige_antwort")):
        rows = [{"id": query, truth: said[0], system: said[1], "text": "A text."} for query, said in ANSWERED.items()]
        case, outcomes = f"{truth} beside {system}", []
        for columns in ({"answer": system}, {"label": truth, "answer": system}):
            answers = read(folder, form, "run", rows, columns)
            assert answers.labels == given, case
            try:
                gold = read(folder, form, "gold", rows, columns)
            except InputError as error:
                outcomes.append(error.kind)
                assert "label" in str(error.remedy), case
            else:
                assert gold.labels == right, case
                outcomes.append("right")
        assert outcomes[1] == "right", case
        if truth in ("label", "gold", "gold_label", "true_label") and system == "prediction":
            assert outcomes[0] == "right", case


@pytest.mark.parametrize("form", FORMS)
def test_a_relevance_is_not_read_from_the_column_of_scores(folder, form):
    rows = [{"query_id": "q", "doc_id": f"d{n}", "label": n % 2, "score": 4 - n, "rel": n} for n in range(4)]
    for columns in ({"score": "score", "rank": "rel"}, {"retrieved": "rel", "score": "score"}):
        gold = read(folder, form, "gold", rows, columns)
        assert gold.qrels == {"q": {f"d{n}": n % 2 for n in range(4)}}
    beir = [{"query-id": row["query_id"], "corpus-id": row["doc_id"], "score": row["label"]} for row in rows]
    gold = read(folder, form, "gold", beir, {"score": "score"})  # a name that gold and run share
    assert gold.qrels == {"q": {f"d{n}": n % 2 for n in range(4)}}


@pytest.mark.parametrize("form", FORMS)
def test_decisions_for_pairs_are_read_by_the_column_of_decisions(folder, form):
    decided = [("q1", "a", 1, 0), ("q1", "b", 0, 1), ("q1", "c", 0, 1), ("q2", "a", 1, 0)]
    rows = [{"query_id": q, "doc_id": d, "label": gold, "prediction": said} for q, d, gold, said in decided]
    error = refused(read, folder, form, "run", rows)
    assert "retrieved" in str(error)
    assert "score=" not in str(error) and '"score"' not in str(error)
    expected = (False, ("q1", "b", None), ("q1", "c", None), ["ignored-column"])
    assert outcome(folder, form, "run", rows, {"retrieved": "prediction"}) == expected
    assert "binary-score" in outcome(folder, form, "run", rows, {"score": "prediction"})[-1]
    signs = [{**row, "prediction": 2 * row["prediction"] - 1} for row in rows]
    assert "binary-score" in outcome(folder, form, "run", signs, {"score": "prediction"})[-1]
    in_words = [{**row, "prediction": str(bool(row["prediction"]))} for row in rows]
    assert outcome(folder, form, "run", in_words, {"retrieved": "prediction"}) == expected
    wrong = [{**row, "prediction": 2} for row in rows]
    assert outcome(folder, form, "run", wrong, {"retrieved": "prediction"}) == ("refused",)


#: how people and their libraries write a number
SPELT = {
    "int": lambda n: n,
    "float": float,
    "text": str,
    "decimal text": lambda n: f"{n}.0",
    "half": lambda n: n + 0.5,
    "half text": lambda n: f"{n}.5",
    "truth": lambda n: n > 0,
    "truth text": lambda n: str(n > 0),
    "word": lambda n: f"n{n}",
}
EVERYWHERE = ("csv", "tsv", "jsonl", "json", "records", "pandas", "polars", "parquet")
PAIRS = st.lists(
    st.tuples(st.sampled_from(["q1", "q2", "q3"]), st.sampled_from(["d1", "d2", "d3.txt", "d 4"]), st.integers(0, 2)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=settings().max_examples * 2 // 5)
@given(PAIRS, st.sampled_from(sorted(SPELT)), st.sampled_from(["relevance", "score", "rank"]))
def test_a_row_means_one_thing_anywhere(folder, pairs, spelt, role):
    rows = [{"query_id": q, "doc_id": d, role: SPELT[spelt](n)} for q, d, n in pairs]
    kind = "gold" if role == "relevance" else "run"
    outcomes = {form: outcome(folder, form, kind, rows) for form in EVERYWHERE}
    assert outcomes == dict.fromkeys(EVERYWHERE, outcomes["csv"])
    if role == "rank" or spelt in ("truth text", "word"):
        return
    first, nested = {(q, d): n for q, d, n in pairs[::-1]}, defaultdict(dict)
    for (q, d), n in first.items():
        nested[q][d] = SPELT[spelt](n)
    rows = [{"query_id": q, "doc_id": d, role: value} for q, judged in nested.items() for d, value in judged.items()]
    expected = outcome(folder, "csv", kind, rows)
    assert outcome(folder, "json", kind, nested) == outcome(folder, "records", kind, nested) == expected


ODD_VALUES = st.sampled_from(["1", "0", "0.5", "-2", "1e3", "x", "", "nan", '"1"'])
ODD_IDS = st.sampled_from(["q1", "q2", "d1", "d2.txt", "a b", "a,b", "é", "", '"q1"', "#q"])
ODD_LINES = st.lists(
    st.tuples(ODD_IDS, ODD_IDS, ODD_VALUES, ODD_VALUES, st.sampled_from(["T", "U", "T T"])), min_size=1, max_size=8
)


def blocks_or_fault(source, rule):
    """What a run holds, line by line; or what is wrong with it, and where."""
    try:
        run = detect.read_run(source, rule=rule)
        if isinstance(run, Answers):
            return run
        lines, remarks = [], Remarks()
        for block in run.blocks():
            for query, start, stop in block.segments():
                scores = [None] * len(block.documents) if block.scores is None else [float(one) for one in block.scores]
                ranks = [None] * len(block.documents) if block.ranks is None else [int(one) for one in block.ranks]
                lines += [(query, block.documents[at], scores[at], ranks[at]) for at in range(start, stop)]
            remarks += block.remarks or Remarks()
        return lines, remarks, run.tag, run.scored
    except InputError as error:
        return error.kind, error.line
    except ValueError:
        return "a rank that is no number"


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
    rows = [names.split(","), *([line[places[name]] for name in names.split(",")] for line in lines)]
    text = end.join(separator.join(row) for row in rows) + end
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.csv"
        path.write_bytes(text.encode())
        found = blocks_or_fault(Source(path), rule)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tabular, "plain_header", lambda *_: None)
            assert found == blocks_or_fault(Source(path), rule)


@settings(max_examples=settings().max_examples * 2)
@given(
    lines=st.lists(
        st.fixed_dictionaries(
            {"qid": st.sampled_from(["q1", "q2.txt", "a b", "é", 3, None, "{:"])},
            optional={
                "docno": st.sampled_from(["d1", "d2", 7]),
                "score": st.sampled_from([1, 0.5, 0, True, "0.5", "1_0", None, [1]]),
                "tag": st.sampled_from(["T", "U", None]),
            },
        ).map(json.dumps)
        | st.sampled_from(['{"qid": "q1", "qid": "q2"}', '{"qid": "q1", "docno": "d", "score": 1e999}'])
        | st.sampled_from(["{", "[]", "{}"]),
        min_size=2,
        max_size=6,
    ),
    is_list=st.booleans(),
    rule=st.sampled_from([exact_id, normal_id]),
)
def test_records_at_once_are_as_one_by_one(lines, is_list, rule):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        path.write_text("[" + ",".join(lines) + "]" if is_list else "\n".join(lines))
        found = blocks_or_fault(Source(path), rule)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json_text, "unique_keys", lambda _: None)
            patch.setattr(json_text, "flat_objects", lambda *_: None)
            patch.setattr(rows, "plain_block", lambda *_, **__: None)
            patch.setattr(rows, "block_of_dictionary", lambda *_, **__: None)
            assert found == blocks_or_fault(Source(path), rule)


def test_records_are_read_by_their_keys_in_any_order_and_are_not_changed() -> None:
    lines = ({"query_id": "q", "doc_id": "a", "score": 2.0}, {"score": 1.0, "doc_id": "b", "query_id": "q"})
    records = [defaultdict[str, object](str, one) for one in lines]
    assert coliee_ir.to_run(coliee_ir.read_run(records, task="trec")) == {"q": {"a": 2.0, "b": 1.0}}
    assert records == [*lines]
    records[1]["rank"] = records[1].pop("score")
    with refusing(InputError, "[mixed-forms]"):
        coliee_ir.read_run(records, task="trec")
    assert [set(one) for one in records] == [{"query_id", "doc_id", "score"}, {"query_id", "doc_id", "rank"}]


@pytest.mark.parametrize("form", FORMS)
def test_a_label_beside_text_is_the_answer(folder, form):
    rows = [{"id": f"R07-0{n}-O", "label": "YN"[n % 2], "text": "No one may.", "votes": 3 + n} for n in range(3)]
    rows.append({"id": "R07-09-O", "label": "Y", "text": "A text", "votes": 7})
    rows.append({"id": "R07-10-O", "label": "Y", "text": "A text", "votes": 7})
    for row in rows[1:3]:
        row["text"] = "A text"
    held = read(folder, form, "run", rows)
    assert (len(held.labels), held.remarks.count("ignored-column")) == (5, 1)
    assert "votes" in held.remarks.examples("ignored-column")[0]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "values"), [("rerank_score", (3.5, 2.5, 1.5)), ("split", ("dev", "dev", "test"))])
def test_columns_that_are_not_read_and_may_matter_are_named(folder, form, name, values):
    rows = [{"query_id": "1", "doc_id": f"d{n}", "score": 0.5 + n, name: value} for n, value in enumerate(values)]
    held = read(folder, form, "run", rows)
    [block] = held.blocks()
    assert block.remarks
    [example] = block.remarks.examples("ignored-column")
    assert name in example
    assert example.endswith("score")


@pytest.mark.parametrize("form", EVERYWHERE)
def test_a_gold_in_which_nothing_is_relevant_is_refused(folder, form):
    rows = [{"query_id": q, "doc_id": "d", "relevance": 0} for q in ("q1", "q2")]
    assert outcome(folder, form, "gold", rows) == ("refused",)
    assert outcome(folder, "json", "gold", {"q1": {"d": 0}, "q2": {"d": 0}}) == ("refused",)
