import sys
from collections import namedtuple
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import ir_measures
import numpy as np
import pandas
import polars
import pytest
from asserting import refusing
from reading import refused

from coliee_adapters.errors import InputError
from coliee_adapters.forms.frames import gold_of, holds_answers, pandas_frame, polars_frame, run_of, run_of_arrays
from coliee_adapters.ids import Ids
from coliee_adapters.records import Run, normal_id

Item = namedtuple("Item", ["query_id", "doc_id"])

JUDGED = [("q1", "d1", 1), ("q2", "d2", 0), ("q1", "d3", -1)]
SCORED = [("q1", "d1", 0.5), ("q2", "d2", 2.0), ("q1", "d3", -1.0)]


def framed(make, rows, *columns):
    return make({name: list(values) for name, values in zip(columns, zip(*rows, strict=True), strict=True)})


@dataclass
class Judgement:
    qid: str
    docno: str
    rel: int


FRAMES = [pandas.DataFrame, polars.DataFrame]
NAMES = ("query_id", "doc_id", "relevance")
OF_JUDGED = {"q1": {"d1": 1, "d3": -1}, "q2": {"d2": 0}}


@pytest.mark.parametrize(
    ("held", "qrels"),
    [
        (OF_JUDGED, OF_JUDGED),
        *((framed(make, JUDGED, *NAMES), OF_JUDGED) for make in FRAMES),
        (framed(polars.DataFrame, [(1, r, d, q) for q, d, r in JUDGED], "iteration", *NAMES[::-1]), OF_JUDGED),
        (framed(pandas.DataFrame, JUDGED, *NAMES).astype({"query_id": "category", "relevance": "float32"}), OF_JUDGED),
        ([ir_measures.Qrel(*row) for row in JUDGED], OF_JUDGED),
        ((ir_measures.Qrel(*row) for row in JUDGED), OF_JUDGED),
        ({"q1": ["d1", "d2"], "q2": [], "q3": ("d",), "q4": {}},
         {"q1": {"d1": 1, "d2": 1}, "q2": {}, "q3": {"d": 1}, "q4": {}}),
        ({1: {18: True, np.int64(7): np.int8(2)}, "2": [3]}, {"1": {"18": 1, "7": 2}, "2": {"3": 1}}),
        ({"q": {"d": 1.0, "e": Decimal(2)}}, {"q": {"d": 1, "e": 2}}),
        ({"q": {"d": 9999, "e": -9999}}, {"q": {"d": 9999, "e": -9999}}),
        ({"q": {"d"}, "r": (d for d in "ab")}, {"q": {"d": 1}, "r": {"a": 1, "b": 1}}),
        ({}, {}),
        ([], {}),
        ([Item("q", "d"), Item("q", "d")], {"q": {"d": 1}}),
        ([Judgement("q", "d", 2)], {"q": {"d": 2}}),
        ([{"docno": "d", "qid": "q", "rel": 2}, {"qid": "q", "docno": "e", "rel": 0}], {"q": {"d": 2, "e": 0}}),
        (framed(polars.DataFrame, [("q.txt", "d", 1), ("q", "d.txt", 1)], *NAMES), {"q": {"d": 1}}),
        *((make({"qid": ["q", "q"], "docno": ["d", "e"], name: [0, 1]}), {"q": {"d": 0, "e": 1}})
          for make in FRAMES
          for name in ("relevance", "Relevance", "label", "rel", "grade", "judgement", "score")),
    ],
)  # fmt: skip
def test_a_gold_is_taken_from_whatever_holds_it(held, qrels):
    gold = gold_of(held, normal_id)
    assert gold.qrels == qrels
    assert {type(level) for judged in gold.qrels.values() for level in judged.values()} <= {int}
    assert (gold.labels, gold.path, gold.format) == (None, "<memory>", "memory")


class Listed(NamedTuple):
    """A block as lists."""

    queries: list[str]
    starts: list[int]
    documents: list[str]
    scores: list[float] | None = None
    ranks: list[str] | None = None


def listed(run):
    """The blocks of a run as lists."""
    return [
        Listed(
            list(block.queries),
            block.starts.tolist(),
            list(block.documents),
            None if block.scores is None else block.scores.tolist(),
            None if block.ranks is None else list(map(str, block.ranks)),
        )
        for block in run.blocks()
        if not block.remarks
    ]


OF_SCORED = Listed(["q1", "q2", "q1"], [0, 1, 2, 3], ["d1", "d2", "d3"], [0.5, 2.0, -1.0])


@pytest.mark.parametrize(
    ("held", "block"),
    [
        *((framed(make, SCORED, "query_id", "doc_id", "score"), OF_SCORED) for make in FRAMES),
        ([ir_measures.ScoredDoc(*row) for row in SCORED], OF_SCORED),
        ((ir_measures.ScoredDoc(*row) for row in SCORED), OF_SCORED),
        ({"q1": {"d1": 0.5, "d2": 2}, "q2": {}, "q3": []},
         Listed(["q1", "q2", "q3"], [0, 2, 2, 2], ["d1", "d2"], [0.5, 2.0])),
        ({"q1": ["d2", "d1", "d2"], "q2": {}, 3: (4,)},
         Listed(["q1", "q2", "3"], [0, 3, 3, 4], ["d2", "d1", "d2", "4"])),
        ({"q1": {"d1": np.float32(0.5), "d2": Decimal(1), "d3": "1e3"}},
         Listed(["q1"], [0, 3], ["d1", "d2", "d3"], [0.5, 1.0, 1000.0])),
        ({}, Listed([], [0], [])),
        ([Item("q", "d")], Listed(["q"], [0, 1], ["d"])),
        (framed(pandas.DataFrame, [(1, 2)], "query_id", "doc_id"), Listed(["1"], [0, 1], ["2"])),
        ({"q.txt": {"d.txt": 1, "d": 2}}, Listed(["q"], [0, 2], ["d", "d"], [1.0, 2.0])),
        ([ir_measures.ScoredDoc("q.txt", " d.txt ", 1)], Listed(["q"], [0, 1], ["d"], [1.0])),
        *((framed(pandas.DataFrame, SCORED, "query_id", "doc_id", "score").set_index(levels), OF_SCORED)
          for levels in ("query_id", ["query_id", "doc_id"])),
        (polars.LazyFrame([("q", "d", 0.5), ("q", "e", 1.0)], ["qid", "docno", "score"], orient="row"),
         Listed(["q"], [0, 2], ["d", "e"], [0.5, 1.0])),
        *((make({"q_id": ["q", "q"], "docid": ["d", "e"], name: [0.5, 1.0], "query": ["text", "text"]}),
           Listed(["q"], [0, 2], ["d", "e"], [0.5, 1.0]))
          for make in FRAMES for name in ("score", "Score", "sim", "similarity")),
        *((make({"qid": ["q", "q"], "docno": ["d", "e"], "rank": [0, 1], "score": [1.0, 2.0]}),
           Listed(["q"], [0, 2], ["d", "e"], [1.0, 2.0], ["0", "1"])) for make in FRAMES),
        *((make({"qid": ["q", "q", "r"], "docno": ["d", "e", "d"], "rank": [7, 2, 1]}),
           Listed(["q", "r"], [0, 2, 3], ["d", "e", "d"], [-7.0, -2.0, -1.0])) for make in FRAMES),
    ],
)  # fmt: skip
def test_a_run_is_taken_from_whatever_holds_it(held, block):
    run = run_of(held, normal_id, tag="T")
    assert listed(run) == listed(run) == [block]
    assert run.scored == (block.scores is not None and block.scores[0] >= 0)
    assert {type(score) for score in block.scores or ()} <= {float}
    assert (run.tag, run.path, run.format) == ("T", "<memory>", "memory")


LACKING = pandas.DataFrame({"query_id": ["q", None], "doc_id": ["d", "d"]})


@pytest.mark.parametrize(
    ("held", "found"),
    [
        (5, "int"),
        (None, "NoneType"),
        (b"q d", "bytes"),
        ("gold.json", "str"),
        (pandas.Series([1.0], index=["q"]), None),
        (polars.Series([1.0]), None),
        ([("q", "d", 1)], "('q', 'd', 1)"),
        ({"q": None, "r": {}}, "None"),
        ({"q": b"d1", "r": {}}, "b'd1'"),
        ({1: [], "1": []}, "1"),
        ({None: ["d"]}, "None"),
        ({"q": ["d", 1.5]}, "1.5"),
        ({"q": {True: 1}}, "True"),
        ({("q", 1): {"d": 1}}, "('q', 1)"),
        (LACKING, repr(LACKING["query_id"].to_list()[1])),  # None or nan, by the version of pandas
        (pandas.DataFrame({"query_id": ["q"], "doc_id": [pandas.NA]}), repr(pandas.NA)),
        (polars.DataFrame({"query_id": ["q", None], "doc_id": ["d", "d"]}), "None"),
        ([ir_measures.ScoredDoc("q", b"d", 1)], "b'd'"),
    ],
)
def test_what_is_neither_gold_nor_run_is_refused(held, found):
    assert not holds_answers(held)
    for make in (gold_of, run_of):
        assert refused(make, held).found == found


@pytest.mark.parametrize("make", FRAMES)
def test_a_rank_below_one_is_refused(make):
    error = refused(run_of, make({"query_id": ["q", "q"], "doc_id": ["d", "e"], "rank": [1.0, 0.5]}))
    assert (error.kind, error.found) == ("bad-score", "0.5")


@pytest.mark.parametrize("value", [0.5, "x", None, float("nan"), [1], pandas.NA, 10_000, -10_000, 10**400])
def test_a_relevance_is_an_integer_and_not_too_great(value):
    held = [{"q": {"d": value}}, [ir_measures.Qrel("q", "d", value)]]
    if value is None:
        held += [make({"query_id": ["q", "q"], "doc_id": ["d", "e"], "relevance": [1, None]}) for make in FRAMES]
    for stored in held:
        assert refused(gold_of, stored).found in (str(value), "nan" if value is None else "")
    twice = [Judgement("q\x1b", "d", 1), Judgement("q\x1b.txt", "d", 2)]
    assert refused(gold_of, twice, normal_id).found == "q\x1b d"


@pytest.mark.parametrize(
    ("yes", "no"),
    [(1, 0), ("1", "0"), ("Yes", "No"), ("true", "False"), (True, False), (np.int64(1), np.int64(0)),
     (np.bool_(True), np.bool_(False))],
)  # fmt: skip
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
    with refusing(InputError, "[mixed-forms]"):
        run_of({"q": 1, "r": "N"})
    with refusing(InputError, "[structure] … for answers Y or N, …"):
        run_of({"q": 1.0, "r": 0.0})
    answers = run_of({"q": "Y", "r": "Sorry", "s": "N"})
    assert (answers.labels, answers.unreadable) == ({"q": True, "s": False}, ("r",))
    with refusing(InputError, "[bad-label]"):
        run_of({"827": "maybe"})
    assert isinstance(run_of({"827": "025"}), Run) and not holds_answers({"827": "025"})  # a paragraph of Task 2
    assert not any(map(holds_answers, (framed(FRAMES[0], SCORED, "qid", "docid", "score"), [], FRAMES[0]())))


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), "nan", "x", "", 10**400, [1.0], 1j, pandas.NA])
def test_a_score_is_a_finite_number_of_all_documents_or_none(value):
    for held in ({"q": {"d": value}}, [ir_measures.ScoredDoc("q", "d", value)]):
        assert refused(run_of, held).found == str(value)
    refused(run_of, {"q1": {"d1": 0.5}, "q2": ["d1"]})
    refused(run_of, [ir_measures.ScoredDoc("q", "d", 1.0), Item("q", "e")])


@pytest.mark.parametrize(
    "held",
    [
        pandas.DataFrame({"query_id": ["q"], "doc_id": ["d"], "note": [1]}),
        polars.DataFrame({"query_id": ["q"], "doc_id": ["d"], "note": [1]}),
        [namedtuple("Noted", ["query_id", "doc_id", "note"])("q", "d", 1)],
        [{"query_id": "q", "doc_id": "d", "note": 1}],
    ],
)
def test_further_columns_without_a_value_are_refused_unless_they_are_named(held):
    for make, what, name in ((gold_of, "relevance", "relevance"), (run_of, "score or rank", "score")):
        with pytest.raises(InputError, match=f"recognised as the {what}.*query_id, doc_id, note.*columns="):
            make(held)
        make(held, columns={name: "note"})


ROWS = [("q", "d", 0.5), ("q", "e", 1.0)]


class Stream:
    """What any library may hand out: a stream of Arrow's, which is read once, and nothing else."""

    def __init__(self, frame):
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema=None):
        if self.frame is None:
            raise ValueError("I/O operation on a closed reader")
        frame, self.frame = self.frame, None
        return frame.__arrow_c_stream__()


def test_a_stream_is_read_once_and_without_pyarrow_the_extra_is_named(monkeypatch):
    if hasattr(polars.DataFrame, "__arrow_c_stream__"):  # which the lowest polars does not have
        stream = Stream(polars.DataFrame(ROWS, ["qid", "docno", "score"], orient="row"))
        (block,) = listed(run_of(stream))
        assert (block.documents, block.scores) == (["d", "e"], [0.5, 1.0])
        with pytest.raises(InputError, match="stream cannot be collected"):
            run_of(stream)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"coliee-ir\[parquet\]"):
        run_of(Stream(polars.DataFrame(ROWS, ["qid", "docno", "score"], orient="row")))


def test_a_frame_that_offers_nothing_known_is_refused():
    class Odd:
        columns = ("qid", "docno", "score")

        def __getitem__(self, name):
            return 5

    with refusing(InputError, "[structure]"):
        run_of(Odd())
    with pytest.raises(InputError, match="lazy frame cannot be collected"):
        run_of(polars.scan_csv("not-there.csv"))


ARRAYS = (np.array([0, 0]), np.array([0, 1]), np.array([0.5, 0.7]))


def test_arrays_have_a_value_a_line():
    run_of_arrays(*ARRAYS, queries=["q"], documents=Ids.of(["d", "e"]))
    for i, array in (
        (0, np.array([[0, 0]])), (1, np.array([[0], [1]])), (2, np.array([[0.5], [0.7]])), (0, np.array([0.0, 0.0])),
        (1, np.array(["0", "1"])), (2, np.array(["high", "low"])), (2, np.array([0.5, None])),
    ):  # fmt: skip
        with pytest.raises(InputError, match=("query indices", "document indices", "scores")[i]):
            run_of_arrays(*ARRAYS[:i], array, *ARRAYS[i + 1 :], queries=["q"], documents=Ids.of(["d", "e"]))


@pytest.mark.parametrize(("make", "library"), [(pandas_frame, pandas), (polars_frame, polars)])
@pytest.mark.parametrize("rows", [SCORED, []])
def test_a_frame_has_the_rows_and_columns_given(monkeypatch, make, library, rows):
    names = ["query_id", "doc_id", "score"]
    frame = make(iter(rows), names)
    assert isinstance(frame, library.DataFrame)
    assert list(frame.columns) == names
    assert list(zip(*(frame[name].to_list() for name in names), strict=True)) == rows
    monkeypatch.setitem(sys.modules, library.__name__, None)
    with pytest.raises(ImportError, match=library.__name__):
        make([], ["query_id"])
