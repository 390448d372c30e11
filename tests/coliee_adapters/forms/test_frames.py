import sys
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal

import ir_measures
import numpy as np
import pandas
import polars
import pytest
from asserting import refusing
from by_form import ranked
from reading import refused

from coliee_adapters.errors import InputError
from coliee_adapters.forms.frames import gold_of, holds_answers, run_of, run_of_arrays
from coliee_adapters.ids import Ids
from coliee_adapters.records import Run, normal_id

Item = namedtuple("Item", ["query_id", "doc_id"])
Noted = namedtuple("Noted", ["query_id", "doc_id", "note"])


@dataclass
class Judgement:
    qid: str
    docno: str
    rel: int


FRAMES = [pandas.DataFrame, polars.DataFrame]


def framed(make, rows, columns):
    return make({name: list(values) for name, values in zip(columns.split(), zip(*rows, strict=True), strict=True)})


JUDGED = [("q1", "d1", 1), ("q2", "d2", 0), ("q1", "d3", -1)]
OF_JUDGED = {"q1": {"d1": 1, "d3": -1}, "q2": {"d2": 0}}
NAMES = "query_id doc_id relevance"


@pytest.mark.parametrize(
    ("held", "qrels"),
    [
        (OF_JUDGED, OF_JUDGED),
        *((framed(make, JUDGED, NAMES), OF_JUDGED) for make in FRAMES),
        (framed(polars.DataFrame, [(1, *row[::-1]) for row in JUDGED], "iteration rel docno qid"), OF_JUDGED),
        (framed(pandas.DataFrame, JUDGED, NAMES).astype({"query_id": "category", "relevance": "float32"}), OF_JUDGED),
        ((ir_measures.Qrel(*row) for row in JUDGED), OF_JUDGED),
        ({"q1": ["d1", "d2"], "q2": [], "q3": ("d",), "q4": {}},
         {"q1": {"d1": 1, "d2": 1}, "q2": {}, "q3": {"d": 1}, "q4": {}}),
        ({1: {18: True, np.int64(7): np.int8(2)}, "2": [3]}, {"1": {"18": 1, "7": 2}, "2": {"3": 1}}),
        ({"q": {"d"}, "r": (d for d in "ab")}, {"q": {"d": 1}, "r": {"a": 1, "b": 1}}),
        ([Judgement("q", "d", 2)], {"q": {"d": 2}}),
        ([{"docno": "d", "qid": "q", "rel": 2}, {"qid": "q", "docno": "e", "rel": 0}], {"q": {"d": 2, "e": 0}}),
        (framed(polars.DataFrame, [("q.txt", "d", 1), ("q", "d.txt", 1)], NAMES), {"q": {"d": 1}}),
        *((make({"qid": ["q", "q"], "docno": ["d", "e"], name: [0, 1]}), {"q": {"d": 0, "e": 1}})
          for make in FRAMES for name in ("Relevance", "label", "judgement", "score")),
    ],
)  # fmt: skip
def test_a_gold_is_taken_from_whatever_holds_it(held, qrels):
    gold = gold_of(held, normal_id)
    assert gold.qrels == qrels
    assert {type(level) for judged in gold.qrels.values() for level in judged.values()} <= {int}
    assert (gold.labels, gold.path, gold.format) == (None, "<memory>", "memory")


SCORED = [("q1", "d1", 0.5), ("q2", "d2", 2.0), ("q1", "d3", -1.0)]
OF_SCORED = {"q1": [("d1", 0.5), ("d3", -1.0)], "q2": [("d2", 2.0)]}
TWO = {"q": [("d", 0.5), ("e", 1.0)]}


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        *((framed(make, SCORED, "query_id doc_id score"), OF_SCORED) for make in FRAMES),
        ((ir_measures.ScoredDoc(*row) for row in SCORED), OF_SCORED),
        ({"q1": {"d1": 0.5, "d2": 2}, "q2": {}, "q3": []}, {"q1": [("d1", 0.5), ("d2", 2.0)], "q2": [], "q3": []}),
        ({"q1": ["d2", "d1", "d2"], "q2": {}, 3: (4,)},
         {"q1": [("d2", None), ("d1", None), ("d2", None)], "q2": [], "3": [("4", None)]}),
        ({"q": {"d1": np.float32(0.5), "d2": Decimal(1), "d3": "1e3"}}, {"q": [("d1", 0.5), ("d2", 1.0), ("d3", 1e3)]}),
        ({}, {}),
        (framed(pandas.DataFrame, [(1, 2)], "query_id doc_id"), {"1": [("2", None)]}),
        *((framed(pandas.DataFrame, SCORED, "query_id doc_id score").set_index(levels), OF_SCORED)
          for levels in ("query_id", ["query_id", "doc_id"])),
        (polars.LazyFrame([("q", "d", 0.5), ("q", "e", 1.0)], ["qid", "docno", "score"], orient="row"), TWO),
        *((make({"q_id": ["q", "q"], "docid": ["d", "e"], name: [0.5, 1.0], "query": ["text", "text"]}), TWO)
          for make in FRAMES for name in ("Score", "sim", "similarity")),
        *((make({"qid": ["q", "q", "r"], "docno": ["d", "e", "d"], "rank": [7, 2, 1]}),
           {"q": [("d", -7.0), ("e", -2.0)], "r": [("d", -1.0)]}) for make in FRAMES),
    ],
)  # fmt: skip
def test_a_run_is_taken_from_whatever_holds_it(held, expected):
    run = run_of(held, normal_id, tag="T")
    assert [*ranked(run).items()] == [*ranked(run).items()] == [*expected.items()]
    scores = [score for found in expected.values() for _, score in found]
    assert run.scored == (bool(scores) and scores[0] is not None and scores[0] > 0)
    assert (run.tag, run.path, run.format) == ("T", "<memory>", "memory")
    for make in FRAMES:  # a score decides, and a rank is kept beside it
        [block] = run_of(framed(make, [("q", "d", 0, 0.5), ("q", "e", 1, 1.0)], "qid docno rank score")).blocks()
        assert ([*map(float, block.scores)], [*map(int, block.ranks)]) == ([0.5, 1.0], [0, 1])


LACKING = pandas.DataFrame({"query_id": ["q", None], "doc_id": ["d", "d"]})


@pytest.mark.parametrize(
    ("held", "found"),
    [
        (None, "NoneType"), (b"q d", "bytes"), ("gold.json", "str"),
        (pandas.Series([1.0], index=["q"]), None), (polars.Series([1.0]), None), ([("q", "d", 1)], "('q', 'd', 1)"),
        ({"q": None, "r": {}}, "None"), ({"q": b"d1", "r": {}}, "b'd1'"), ({1: [], "1": []}, "1"),
        ({None: ["d"]}, "None"), ({"q": ["d", 1.5]}, "1.5"), ({"q": {True: 1}}, "True"),
        (LACKING, repr(LACKING["query_id"].to_list()[1])),  # None or nan, by the version of pandas
        (pandas.DataFrame({"query_id": ["q"], "doc_id": [pandas.NA]}), repr(pandas.NA)),
        (polars.DataFrame({"query_id": ["q", None], "doc_id": ["d", "d"]}), "None"),
        ([ir_measures.ScoredDoc("q", b"d", 1)], "b'd'"),
    ],
)  # fmt: skip
def test_what_is_neither_gold_nor_run_is_refused(held, found):
    assert not holds_answers(held)
    for make in (gold_of, run_of):
        assert refused(make, held).found == found


@pytest.mark.parametrize("value", [0.5, "x", None, float("nan"), [1], pandas.NA, 10_000, -10_000, 10**400])
def test_a_relevance_is_an_integer_and_not_too_great(value):
    held = [{"q": {"d": value}}, [ir_measures.Qrel("q", "d", value)]]
    if value is None:
        held += [framed(make, [("q", "d", 1), ("q", "e", None)], NAMES) for make in FRAMES]
    for stored in held:
        assert refused(gold_of, stored).found in (str(value), "nan" if value is None else "")
    twice = [Judgement("q\x1b", "d", 1), Judgement("q\x1b.txt", "d", 2)]
    assert refused(gold_of, twice, normal_id).found == "q\x1b d"


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), "nan", "x", "", 10**400, [1.0], 1j, pandas.NA])
def test_a_score_is_a_finite_number_of_all_documents_or_none_and_a_rank_no_less_than_one(value):
    for held in ({"q": {"d": value}}, [ir_measures.ScoredDoc("q", "d", value)]):
        assert refused(run_of, held).found == str(value)
    refused(run_of, {"q1": {"d1": 0.5}, "q2": ["d1"]})
    refused(run_of, [ir_measures.ScoredDoc("q", "d", 1.0), Item("q", "e")])
    for make in FRAMES:
        error = refused(run_of, framed(make, [("q", "d", 1.0), ("q", "e", 0.5)], "query_id doc_id rank"))
        assert (error.kind, error.found) == ("bad-score", "0.5")


WORDS = [(1, 0), ("1", "0"), ("Yes", "No"), ("true", "False"), (True, False), np.int64([1, 0]), np.bool_([True, False])]


@pytest.mark.parametrize(("yes", "no"), WORDS)
def test_answers_are_understood_as_in_files(yes, no):
    expected = {"q": True, "r": False}
    for held in (
        {"q": yes, "r": no},
        pandas.DataFrame({"id": ["q", "r"], "answer": [yes, no]}),
        [{"qid": "q", "answer": yes}, {"qid": "r", "answer": no}],
    ):
        answers, gold = run_of(held), gold_of(held)
        assert holds_answers(held)
        assert (answers.labels, gold.labels) == (expected, expected)
        assert answers.remarks.count("label-form") == (0 if isinstance(yes, bool | np.bool_) else 2)


def test_answers_of_two_kinds_are_refused_and_words_that_are_none_are_kept_apart():
    for held, kind in (
        ({"q": 1, "r": "N"}, "[mixed-forms]"),
        ({"q": 1.0, "r": 0.0}, "[structure] … for answers Y or N, …"),
        ({"827": "maybe"}, "[bad-label]"),
    ):
        with refusing(InputError, kind):
            run_of(held)
    answers = run_of({"q": "Y", "r": "Sorry", "s": "N"})
    assert (answers.labels, answers.unreadable) == ({"q": True, "s": False}, ("r",))
    assert isinstance(run_of({"827": "025"}), Run) and not holds_answers({"827": "025"})  # a paragraph of Task 2
    assert not any(map(holds_answers, (framed(FRAMES[0], SCORED, "qid docid score"), [], FRAMES[0]())))


def test_further_columns_without_a_value_are_refused_unless_they_are_named():
    rows = [("q", "d", 1)]
    named = [Noted(*rows[0])], [dict(zip(Noted._fields, rows[0], strict=True))]
    for held in (*(framed(make, rows, "query_id doc_id note") for make in FRAMES), *named):
        for make, what, name in ((gold_of, "relevance", "relevance"), (run_of, "score or rank", "score")):
            with refusing(InputError, f"[missing-column] … {what} … (found 'query_id, doc_id, note'); … columns=…"):
                make(held)
            make(held, columns={name: "note"})


class Stream:
    """What any library may hand out: a stream of Arrow's, which is read once, and nothing else."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        if self.frame is None:
            raise ValueError("I/O operation on a closed reader")
        frame, self.frame = self.frame, None
        return frame.__arrow_c_stream__()


def test_what_cannot_be_collected_is_refused_and_without_pyarrow_the_extra_is_named(monkeypatch):
    frame = framed(polars.DataFrame, [("q", "d", 0.5), ("q", "e", 1.0)], "qid docno score")
    if hasattr(polars.DataFrame, "__arrow_c_stream__"):  # which the lowest polars does not have
        stream = Stream(frame)
        assert ranked(run_of(stream)) == TWO
        with refusing(InputError, "[shape] … stream … (found 'I/O operation on a closed reader')"):
            run_of(stream)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with refusing(InputError, "[needs-package] (found 'Stream'); … coliee-ir[parquet]…"):
        run_of(Stream(frame))
    with refusing(InputError, "[shape] … lazy frame …"):
        run_of(polars.scan_csv("not-there.csv"))


ARRAYS = (np.array([0, 0]), np.array([0, 1]), np.array([0.5, 0.7]))


def test_arrays_have_a_value_a_line():
    given = {"queries": ["q"], "documents": Ids.of(["d", "e"])}
    assert ranked(run_of_arrays(*ARRAYS, **given)) == {"q": [("d", 0.5), ("e", 0.7)]}
    for i, array in (
        (0, np.array([[0, 0]])), (1, np.array([[0], [1]])), (2, np.array([[0.5], [0.7]])), (0, np.array([0.0, 0.0])),
        (1, np.array(["0", "1"])), (2, np.array(["high", "low"])), (2, np.array([0.5, None])),
    ):  # fmt: skip
        with refusing(InputError, f"[shape] … {('query indices', 'document indices', 'scores')[i]} …"):
            run_of_arrays(*ARRAYS[:i], array, *ARRAYS[i + 1 :], **given)
