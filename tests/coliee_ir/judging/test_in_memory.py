"""Runs in memory, judged where they lie, and their naive twin: every id and every score looked at by itself."""

import contextlib
import math
from collections import OrderedDict, defaultdict, namedtuple
from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
from asserting import refusing
from hypothesis import assume, given
from hypothesis import strategies as st
from runs_in_parts import same

from coliee_adapters import records
from coliee_adapters.errors import ColieeError, InputError
from coliee_adapters.forms import columns
from coliee_adapters.forms import rows as form_rows
from coliee_adapters.records import Run
from coliee_ir import Evaluator, evaluate
from coliee_ir.commands.tune import Pool
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.reading.anything import read_run

MEASURES = ["map", "set_F", "MicroF1", "MicroP@2"]
QUERIES = ["q1", "q2", "007"]
PLAIN = ["d1", "d2", "005", "5", "012", "12"]
ODD = ["7.txt", "é1", " x", "a,b", "", "d\x01", "d1\nd2", "d" * 40, "d" * 40 + "e"]


Row = namedtuple("Row", "query_id doc_id score")
Ranked = namedtuple("Ranked", "qid docno score rank")


def _rows(run):
    return [Row(query, document, score) for query, ranking in run.items() for document, score in ranking.items()]


def _ranked(run):
    return [Ranked(*row, at % 7) for at, row in enumerate(_rows(run))]


FORMS = {
    "dictionary": lambda run: run,
    "in order": lambda run: {query: dict(sorted(ranking.items())) for query, ranking in run.items()},
    "default": lambda run: defaultdict(dict, {query: OrderedDict(ranking) for query, ranking in run.items()}),
    "lists": lambda run: {query: list(ranking) for query, ranking in run.items()},
    "ranked": _ranked,
    "generator": lambda run: iter(_rows(run)),
    "pandas": lambda run: pandas.DataFrame(_rows(run)),
    "polars": lambda run: polars.DataFrame(_rows(run), schema=list(Row._fields), orient="row", strict=False),
    "interleaved": lambda run: sorted(_rows(run), key=lambda row: row.doc_id),
}
#: plain ones, fine ones, such that only float32 tells or does not, such that it does not hold
SCORES = [
    st.integers(0, 3),
    st.floats(0, 1),
    st.sampled_from([1.0, 1.0 + 1e-9, 1.0 + 2e-9, 0.0, -0.0]),
    st.sampled_from([1e39, -1e39, 1e300, np.float32(2.5), True, "1.5"]),
]


@st.composite
def cases(draw):
    """A gold and a run: ties, also such that only float32 sees, queries that are not judged, zeros that were lost."""
    ids = PLAIN if draw(st.integers(0, 3)) else PLAIN + ODD
    documents = st.sampled_from(ids)
    gold = st.dictionaries(documents.filter(lambda text: text not in ODD), st.integers(-1, 2), min_size=1, max_size=5)
    score = draw(st.sampled_from(SCORES))
    if not draw(st.integers(0, 9)):
        score |= st.sampled_from([None, float("nan"), "x", 10**400])
    rankings = st.dictionaries(documents, score, max_size=8)
    run = st.dictionaries(st.sampled_from([*QUERIES, "7", "z"]), rankings, min_size=1)
    judged = draw(st.dictionaries(st.sampled_from(QUERIES), gold, min_size=1))
    assume(any(level > 0 for held in judged.values() for level in held.values()))
    return judged, draw(run)


def outcome(evaluator, held):
    try:
        return evaluator.evaluate(held, keep_judged=True)
    except ColieeError as error:
        return f"{type(error).__name__}: {error}"


def check_same(one, other):
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
        return
    for field in ("tag", "file", "query_ids", "answered", "counts", "extra", "remarks", "excluded"):
        assert getattr(one, field) == getattr(other, field), field
    assert list(one.results) == list(other.results)
    for result, twin in zip(one.results.values(), other.results.values(), strict=True):
        assert float(result.value).hex() == float(twin.value).hex()
        assert result.per_query.tobytes() == twin.per_query.tobytes()
    assert one.judged.keys() == other.judged.keys()
    assert all(same(judged, other.judged[part]) for part, judged in one.judged.items())


@given(st.sampled_from(["dictionary", *FORMS]), cases(), st.sampled_from(["trec", "1"]), st.sampled_from([(), ("q1",)]))
def test_a_run_in_memory_is_judged_as_its_naive_twin_is(form, case, task, exclude):
    gold, run = case
    if "q1" not in gold or len(gold) == 1:
        exclude = ()
    evaluator = Evaluator(gold, MEASURES, task=task, exclude=exclude)
    try:
        FORMS[form](run)
    except (TypeError, ValueError, OverflowError, polars.exceptions.PolarsError):
        return  # no frame holds such scores
    found = outcome(evaluator, FORMS[form](run))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(form_rows, "block_of_dictionary", lambda *_, **__: None)
        patch.setattr(form_rows, "plain_block", lambda *_, **__: None)
        check_same(found, outcome(evaluator, FORMS[form](run)))


@given(cases(), st.sampled_from([PLAIN, ["5", "d1", "005"], [*PLAIN, "d" * 40, "d" * 40 + "e"]]), st.randoms())
def test_arrays_are_judged_as_their_ids_are(case, documents, chance):
    gold, run = case
    evaluator = Evaluator(gold, MEASURES, task="trec", documents=documents)
    rows = [
        (evaluator.queries.index(row.query_id), documents.index(row.doc_id), float(row.score))
        for row in _rows(run)
        if row.query_id in evaluator.queries and row.doc_id in documents and isinstance(row.score, int | float)
        and abs(row.score) < 10**308
    ]  # fmt: skip
    rows += chance.sample(rows, chance.choice([0, 0, len(rows) // 2]))  # some twice
    chance.shuffle(rows)
    queries, found, scores = zip(*rows, strict=True) if rows else ((), (), ())
    arrays = np.array(queries, np.int64), np.array(found, np.int32), np.array(scores, np.float64)
    names = [(evaluator.queries[query], documents[document], score) for query, document, score in rows]
    frame = pandas.DataFrame(sorted(names, key=lambda row: evaluator.queries.index(row[0])), columns=Row._fields)
    check_same(outcome(evaluator, arrays), outcome(evaluator, frame))


class Ranx:
    """As ranx's Run and Qrels hand out what they hold."""

    __module__ = "ranx.data_structures.run"

    def __init__(self, held):
        self.held = held

    def to_dict(self):
        return self.held


@pytest.mark.parametrize(
    ("gold", "run", "expected"),
    [
        ([("1", "a", 1), ("2", "c", 2), ("2", "d", 0)], [("1", "a", 0.5), ("2", "d", 0.9)], 0.5),
        ([("1", "a"), ("2", "c")], [("2", "c"), ("2", "x")], 0.5),
        (Ranx({"1": {"a": 1}}), Ranx({"1": {"a": 0.3, "b": 0.9}}), 2 / 3),
        ([("1", "a", 1), ("1", "b", 1)], [("1", "a")], 2 / 3),
        ([("R01-1-A", "Y"), ("R01-2-A", "N")], [("R01-1-A", True), ("R01-2-A", True)], 0.5),
        (pandas.Series(["Y"], ["R01-1-A"]), pandas.Series([1], ["R01-1-A"]), 1.0),
    ],
)
def test_what_other_libraries_hold_is_read(gold, run, expected):
    assert next(iter(evaluate(gold, run, task=None if "R01" in str(gold) else "2").measures.values())) == expected


def test_numbers_of_tuples_that_are_ranks_in_a_file_and_a_pair_that_is_given_twice_are_refused():
    gold = [("1", "a", 1), ("1", "b", 2), ("2", "c", 1)]
    for numbers, is_refused in (((1, 2, 1), True), ((2, 1, 1), True), ((1.0, 2.0, 1.0), False), ((5, 3, 4), False)):
        rows = [(*row[:2], number) for row, number in zip(gold, numbers, strict=True)]
        with refusing(InputError, "[ambiguous]") if is_refused else contextlib.nullcontext():
            evaluate(gold, rows, task="2")
    with refusing(InputError, "[duplicate] (found '1 a')"):
        evaluate([("1", "a", 1)], [("1", "a", 0.5), ("1", "a", 0.6)], task="2")


@given(st.lists(st.text(st.sampled_from("a1. txé\u3000"), max_size=8)))
def test_ids_that_stand_as_they_are_compared_are_known_together(ids):
    assert records.are_normal(ids) == (list(map(records.normal_id, ids)) == ids)


# a run that is gathered, block by block

#: neighbours that tie in float32, in which trec_eval compares; ids that begin alike, and differ behind 32 bytes
_SCORES = st.sampled_from((3.0, 2.0, 1.0, 0.1, 0.1 + 1e-12, -0.0, 0.0))
_IDS = st.sampled_from(("a", "b", "é", "a" * 40 + "1", "a" * 40 + "2", "x1", "x2", "x3"))
_LINES = st.lists(st.tuples(st.sampled_from("pqr"), _IDS, _SCORES), min_size=1, max_size=30)


def best_first(lines):
    """Each document once with its best score, highest first, of equal ones the greatest id first."""
    best = {}
    for query, document, score in lines:
        of_query = best.setdefault(query, {})
        of_query[document] = max(score, of_query.get(document, -math.inf))
    for query, of_query in best.items():
        ordered = sorted(of_query, key=lambda document: document.encode(), reverse=True)
        ordered.sort(key=lambda document: -float(np.float32(of_query[document])))
        best[query] = {document: of_query[document] for document in ordered}
    return best


@given(_LINES, st.booleans(), st.sampled_from((64, 1 << 18)))
def test_a_gathered_run_is_what_its_lines_are_one_by_one(tmp_path_factory, lines, is_sorted, block):
    if is_sorted:  # as runs mostly are
        lines = sorted(lines, key=lambda line: (line[0], -line[2]))
    path = Path(tmp_path_factory.mktemp("run")) / "run.txt"
    path.write_text("".join(f"{q} Q0 {d} 1 {s!r} T\n" for q, d, s in lines), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "BLOCK_SIZES", (block, 0))
        record = read_run(path, task="trec")
        assert isinstance(record, Run)
        expected, rankings = best_first(lines), RunInMemory(record).rankings
        assert [list(rankings[query].items()) for query in rankings] == [list(of.items()) for of in expected.values()]
        assert list(RunInMemory(record, {"p"}).rankings) == [query for query in expected if query == "p"]
        gold = {query: {"a": 1, "a" * 40 + "2": 2, "x2": 0, "gone": 1} for query in "pq"}
        pool = Pool.read(path, gold, task="trec")
        documents = [list(expected.get(query, {})) for query in "pq"]
        assert list(pool.documents) == [document for some in documents for document in some]
        assert pool.relevant.tolist() == [d in ("a", "a" * 40 + "2") for some in documents for d in some]
