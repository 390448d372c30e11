"""Judging: against a naive twin, line by line; what parts add up to; the numbers of queries and rows."""

import pickle
from collections import Counter

import naive
import numpy as np
import pandas
import pytest
from asserting import heard, matches, refusing
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import Ids
from coliee_adapters.records import Columns, Run
from coliee_adapters.remarks import Remarks
from coliee_ir.judging import order
from coliee_ir.judging.judged import judge
from coliee_ir.judging.qrels import Qrels
from coliee_ir.reading.anything import read_run


def seen(judged):
    """A Judged in the words of the naive twin."""
    qrels = judged.qrels
    return naive.Expected(
        {
            (query, qrels.documents[row]): int(judged.rank[row])
            for number, query in enumerate(qrels.queries)
            for row in qrels.rows(np.array([number])).tolist()
        },
        dict(zip(qrels.queries, judged.retrieved.tolist(), strict=True)),
        dict(zip(qrels.queries, judged.repeated.tolist(), strict=True)),
        dict(zip(qrels.queries, judged.answered.tolist(), strict=True)),
        dict(judged.extra),
    )


@settings(max_examples=2 * settings.default.max_examples)
@given(naive.golds, naive.run_lines(), st.booleans(), st.data())
def test_judging_equals_its_naive_twin(gold, lines, scored, data):
    skip = frozenset(data.draw(st.just(()) | st.sets(st.sampled_from(naive.QUERIES + naive.EXTRA))))
    judged = judge(Qrels(gold), data.draw(naive.runs(lines, scored)), skip)
    lines = [line for line in lines if line.query not in skip]
    expected = naive.expected(gold, lines, scored)
    assert seen(judged) == expected
    assert judged.remarks.count("duplicate") == sum(expected.repeated.values())
    best = {}
    for line in lines:
        if line.query in gold and line.document is not None:
            pair = line.query, line.document
            best[pair] = max(line.score, best.get(pair, -np.inf))
    scores = Counter((query, naive.float32(score)) for (query, _), score in best.items())
    ties = {query for (query, _), n in scores.items() if n > 1} if scored else ()
    assert judged.remarks.count("tie") == len(ties)


@given(naive.golds, naive.run_lines(), st.booleans(), st.data())
def test_parts_of_different_queries_add_up_to_the_whole_and_stay_as_they_are(gold, lines, scored, data):
    first, qrels = data.draw(st.sets(st.sampled_from(naive.QUERIES + naive.EXTRA))), Qrels(gold)
    halves = [[line for line in lines if (line.query in first) is half] for half in (True, False)]
    one, other, whole = (judge(qrels, data.draw(naive.runs(some, scored))) for some in (*halves, lines))
    before, remarks, together = seen(one), one.remarks + Remarks(), pickle.loads(pickle.dumps(one)) + other
    assert seen(together) == seen(whole) == seen(other + one)
    assert sorted(map(tuple, together.tied.T.tolist())) == sorted(map(tuple, whole.tied.T.tolist()))
    assert (seen(one), one.remarks) == (before, remarks)
    for kind in ("duplicate", "tie"):
        assert together.remarks.count(kind) == whole.remarks.count(kind)


@pytest.mark.parametrize("query", ["q1", "x1"])
def test_parts_with_a_common_query_or_of_two_golds_do_not_add(query):
    qrels = Qrels({"q1": {"d1": 1}, "q2": {"d1": 1}})
    one = judge(qrels, Run.of({query: ["d1"]}))
    for other in ({"q2": ["d1"], query: ["d2"]}, {query: []}):
        with refusing(ValueError, "a query is in both parts"):
            one + judge(qrels, Run.of(other))
    for gold in ({"q1": {"d1": 2}}, {"q1": {"d2": 1}}, {"q2": {"d1": 1}}, {"q1": {}}):
        with refusing(ValueError, "only parts that were judged by the same gold add"):
            judge(Qrels(gold), Run.of({})) + judge(Qrels({"q1": {"d1": 1}}), Run.of({}))


def test_ranks_that_disagree_with_scores_are_remarked_and_not_followed():
    gold = Qrels({"q": {"a": 1, "b": 1, "c": 1}})
    for scores, ranks, n in (
        ([3.0, 2.0, 1.0], ["1", "2", "3"], 0),
        ([3.0, 2.0, 1.0], ["3", "2", "1"], 1),
        ([1.0, 3.0, 2.0], ["3", "1", "2"], 0),
        ([1.0, 3.0, 2.0], ["0", "0", "0"], 0),  # a constant orders nothing
        ([3.0, 2.0, 1.0], ["1", "2", "2"], 0),
        ([3.0, 2.0, 1.0], ["2", "1", "2"], 1),
        ([16777216.0, 16777217.0, 1.0], ["1", "2", "3"], 0),  # a tie can be ordered either way
        ([3.0, 2.0, 1.0], ["1", "2", "a"], 0),  # what is no number says nothing
        ([3.0, 2.0, 1.0], ["1", "2", "1.5"], 1),
        ([3.0, 2.0, 1.0], ["1.0", "2.0", "10.0"], 0),  # as numbers, not as text
    ):
        blocks = [[Columns(["q"], [0, 3], ["a", "b", "c"], scores, column)] for column in (ranks, None)]
        with_ranks, without = (judge(gold, Run(of.__iter__)) for of in blocks)
        assert with_ranks.rank.tolist() == without.rank.tolist()
        assert (with_ranks.remarks.count("rank-order"), without.remarks.count("rank-order")) == (n, 0)


def test_a_grouped_run_is_read_once_and_any_other_twice():
    reads = []

    def run(*queries):
        def read():
            reads.append(queries)
            for query in queries:
                remarks = Remarks.of("tag", "as said by the reader")
                yield Columns([query], [0, 1], [f"d{len(reads)}"], None, None, remarks)

        return Run(read, scored=False)

    qrels = Qrels({"a": {}, "b": {}})
    assert (judge(qrels, run("a", "a", "b")).remarks.count("tag"), len(reads)) == (3, 1)
    judged = judge(qrels, run("a", "b", "a"))
    assert (judged.remarks.count("tag"), len(reads), judged.retrieved.tolist()) == (3, 3, [1, 1])
    with refusing(UsageError, "jobs must be an integer ≥ 1 (found 0)"):
        judge(qrels, Run.of({}), jobs=0)


def test_qrels_number_queries_and_rows_in_the_order_given():
    qrels = Qrels({"b": {"y": 2, "x": 0}, "empty": {}, "a": {"x": -1, "z": 1}})
    assert qrels.queries == ("b", "empty", "a")
    assert qrels.numbers(Ids.of(["a", "none", "b"])).tolist() == [2, -1, 0]
    assert list(qrels.documents) == ["y", "x", "x", "z"]
    assert qrels.rows(np.array([2, 0])).tolist() == [2, 3, 0, 1]
    assert (qrels.start.tolist(), qrels.sizes.tolist()) == ([0, 2, 2, 4], [2, 0, 2])
    assert qrels.relevance.tolist() == [2, 0, -1, 1]
    assert (qrels.relevant().tolist(), qrels.relevant(2).tolist()) == ([1, 0, 1], [1, 0, 0])
    assert qrels.sums(np.array([1, 2, 3, 4])).tolist() == [3, 0, 7]


@pytest.mark.parametrize(
    ("rows", "returns"), [(["q1 a", "q1 b", "q2 a", "q2 b"], False), (["q1 a", "q2 a", "q1 b", "q2 b"], True)]
)
def test_lines_are_said_to_be_apart_only_where_they_are(rows, returns, tmp_path):
    frame = pandas.DataFrame([row.split() for row in rows], columns=["query_id", "doc_id"])
    frame.to_csv(tmp_path / "run.csv", index=False)
    for run in (frame, tmp_path / "run.csv"):
        judged = judge(Qrels({"q1": {"b": 1}, "q2": {"a": 1}}), read_run(run))
        assert judged.rank.tolist() == [2, 1]
        assert matches(heard(list(judged.remarks.sentences())), ["[ungrouped]"] if returns else [])


_ALIKE = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-40, 1e39, 1e300])
_SCORES = st.floats(allow_nan=False, allow_infinity=False) | _ALIKE
_SEGMENTS = st.lists(st.lists(_SCORES, max_size=5) | st.lists(_SCORES, min_size=40, max_size=60), max_size=5)


@given(_SEGMENTS)
def test_keys_sort_lines_by_segment_and_by_score_as_trec_eval_compares_it(segments):
    scores = np.array([score for segment in segments for score in segment])
    lengths = np.array(list(map(len, segments)), dtype=np.int64)
    segment, within = np.repeat(np.arange(len(segments)), lengths), order.sort_keys(scores)
    keys = order.in_segments(segment, within).tolist()
    assert order.segment_of(np.array(keys, dtype=np.int64)).tolist() == segment.tolist()
    compared = [(at, -score) for at, score in zip(segment.tolist(), order.as_compared(scores).tolist(), strict=True)]
    for line, key in zip(compared, keys, strict=True):
        assert [line < other for other in compared] == [key < other for other in keys]
    assert order.in_segments(segment, order.sorted_within(within, lengths)).tolist() == sorted(keys)
