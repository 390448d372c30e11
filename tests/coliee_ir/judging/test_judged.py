import dataclasses
from typing import cast

import naive
import numpy as np
import pandas
import pytest
from asserting import heard, matches, refusing
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError
from coliee_adapters.ids import Ids
from coliee_adapters.records import Columns, Run
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.judged import judge
from coliee_ir.judging.mismatch import diagnose
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


@given(naive.golds, naive.run_lines(), st.booleans(), st.data())
def test_judging_equals_its_naive_twin(gold, lines, scored, data):
    run = data.draw(naive.runs(lines, scored))
    assert seen(judge(Qrels(gold), run)) == naive.expected(gold, lines, scored)


@given(naive.golds, naive.run_lines(), st.data())
def test_remarks_count_repeated_lines_and_queries_with_ties(gold, lines, data):
    judged = judge(Qrels(gold), data.draw(naive.runs(lines, scored=True)))
    assert judged.remarks.count("duplicate") == sum(naive.expected(gold, lines, scored=True).repeated.values())
    ties = 0
    for query in gold:
        best = {}
        for line in lines:
            if line.query == query and line.document is not None:
                best[line.document] = max(line.score, best.get(line.document, -np.inf))
        ties += len(set(map(naive.float32, best.values()))) < len(best)
    assert judged.remarks.count("tie") == ties


@given(naive.golds, naive.run_lines(), st.booleans(), st.data())
def test_skipped_queries_leave_no_trace(gold, lines, scored, data):
    skip = frozenset(data.draw(st.sets(st.sampled_from(naive.QUERIES + naive.EXTRA))))
    judged = judge(Qrels(gold), data.draw(naive.runs(lines, scored)), skip)
    assert seen(judged) == naive.expected(gold, [line for line in lines if line.query not in skip], scored)


@given(naive.golds, naive.run_lines(), st.booleans(), st.data())
def test_parts_of_different_queries_add_up_to_the_whole(gold, lines, scored, data):
    first = data.draw(st.sets(st.sampled_from(naive.QUERIES + naive.EXTRA)))
    qrels = Qrels(gold)
    one, other = (
        judge(qrels, data.draw(naive.runs([line for line in lines if (line.query in first) is half], scored)))
        for half in (True, False)
    )
    whole = judge(qrels, data.draw(naive.runs(lines, scored)))
    together = one + other
    assert seen(together) == seen(whole) == seen(other + one)
    for kind in ("duplicate", "tie"):
        assert together.remarks.count(kind) == whole.remarks.count(kind)


@pytest.mark.parametrize("query", ["q1", "x1"])
def test_parts_with_a_common_query_do_not_add(query):
    qrels = Qrels({"q1": {"d1": 1}, "q2": {"d1": 1}})
    one, other = judge(qrels, Run.of({query: ["d1"]})), judge(qrels, Run.of({"q2": ["d1"], query: ["d2"]}))
    with refusing(ValueError, "a query is in both parts"):
        one + other
    with pytest.raises(ValueError, match="both parts"):
        judge(qrels, Run.of({query: []})) + one
    with refusing(ValueError, "only parts that were judged by the same gold add"):
        judge(Qrels({"q1": {"d1": 2}}), Run.of({})) + one


def test_a_judged_does_not_change_when_another_is_added():
    qrels = Qrels({"q1": {"d1": 1}, "q2": {"d2": 1}})
    one = judge(qrels, Run.of({"q1": ["d1", "d1"], "x": ["d"]}))
    before = dataclasses.replace(one, rank=one.rank.copy(), remarks=one.remarks + Remarks())
    one + judge(qrels, Run.of({"q2": ["d2", "d2"], "y": ["d"]}))
    assert seen(one) == seen(before)
    assert one.remarks == before.remarks


@pytest.mark.parametrize(
    ("scores", "ranks", "noted"),
    [
        ([3.0, 2.0, 1.0], ["1", "2", "3"], 0),
        ([3.0, 2.0, 1.0], ["0", "1", "2"], 0),
        ([3.0, 2.0, 1.0], ["3", "2", "1"], 1),
        ([1.0, 3.0, 2.0], ["3", "1", "2"], 0),
        ([1.0, 3.0, 2.0], ["1", "2", "3"], 1),
        ([1.0, 3.0, 2.0], ["0", "0", "0"], 0),  # a constant orders nothing
        ([3.0, 2.0, 1.0], ["1", "2", "2"], 0),
        ([3.0, 2.0, 1.0], ["2", "1", "2"], 1),
        ([2.0, 2.0, 1.0], ["2", "1", "3"], 0),  # a tie can be ordered either way
        ([16777216.0, 16777217.0, 1.0], ["1", "2", "3"], 0),
        ([3.0, 2.0, 1.0], ["1", "2", "a"], 0),  # what is no number says nothing
        ([3.0, 2.0, 1.0], ["1", "2", "1.5"], 1),
        ([3.0, 2.0, 1.0], ["1.0", "2.0", "10.0"], 0),  # as numbers, not as text
        ([3.0, 2.0, 1.0], ["1.0", "10.0", "2.0"], 1),
    ],
)
def test_ranks_that_disagree_with_scores_are_remarked_and_not_followed(scores, ranks, noted):
    gold = Qrels({"q": {"a": 1, "b": 1, "c": 1}})
    with_ranks, without = (
        judge(gold, Run(lambda column=column: iter([Columns(["q"], [0, 3], ["a", "b", "c"], scores, column)])))
        for column in (ranks, None)
    )
    assert with_ranks.rank.tolist() == without.rank.tolist()
    assert with_ranks.remarks.count("rank-order") == noted
    assert without.remarks.count("rank-order") == 0


def diagnosed(qrels, rankings):
    run = Run.of(rankings)
    return diagnose(judge(qrels, run), run, "gold", refuse=False)


def test_lost_zeros_of_documents_are_remarked():
    remarks = diagnosed(Qrels({"q": {"000018": 1, "000019": 1, "20": 1}}), {"q": ["18", "000019", "19", "020"]})
    assert remarks.count("lost-zeros") == 1
    assert remarks.examples("lost-zeros") == ("query q: 18 for 000018",)
    assert remarks.count("short-id") == 0  # the gold's ids are not of one length


def test_short_ids_of_unjudged_documents_are_remarked():
    qrels = Qrels({"q": {"000018": 1, "100200": 1}, "r": {"000203": 0}})
    run = {"q": ["100200", "18", "77", "77", "ab", "0000077", "123456"], "r": ["000203", "5"]}
    remarks = diagnosed(qrels, run)
    assert remarks.examples("lost-zeros") == ("query q: 18 for 000018",)
    assert remarks.count("short-id") == 2
    assert remarks.examples("short-id") == ("query q: 77", "query r: 5")
    for gold in ({"q": {"18": 1, "100200": 1}}, {"q": {"d18": 1, "d20": 1}}, {"q": {"118": 1}}, {"q": {}}):
        assert diagnosed(Qrels(gold), run).count("short-id") == 0


def test_documents_in_another_form_than_the_golds_are_remarked():
    articles = Qrels({"R07-01-A": {"96": 1, "398-20": 1}})
    run = {"R07-01-A": ["96", "398.20", "Feb-98", "0096", "398の20", "398-20-2", "121-2", "７"]}
    remarks = diagnosed(articles, run)
    assert remarks.count("odd-id") == 4
    assert remarks.examples("odd-id")[:2] == ("query R07-01-A: 398.20", "query R07-01-A: Feb-98")
    cases = Qrels({"000001": {"000018": 1}})
    remarks = diagnosed(cases, {"000001": ["000018", "000019.pdf", "19", "1000000", "x"]})
    assert remarks.examples("odd-id") == ("query 000001: 000019.pdf", "query 000001: x")
    for gold in ({"R07-01-A": {"Art. 96": 1}}, {"q": {"96": 1, "398-20": 1}}, {"q": {"D18": 1}}, {"R07-01-A": {}}):
        documents = {next(iter(gold)): ["398.20", "D19", "x"]}
        assert diagnosed(Qrels(gold), documents).count("odd-id") == 0


def test_a_grouped_run_is_read_once_and_any_other_twice():
    reads = []

    def run(*queries):
        def read():
            reads.append(queries)
            for query in queries:
                remarks = Remarks()
                remarks.add("tag", "as said by the reader")
                yield Columns([query], [0, 1], [f"d{len(reads)}"], None, None, remarks)

        return Run(read, scored=False)

    qrels = Qrels({"a": {}, "b": {}})
    assert judge(qrels, run("a", "a", "b")).remarks.count("tag") == 3
    assert len(reads) == 1
    judged = judge(qrels, run("a", "b", "a"))
    assert len(reads) == 3
    assert judged.retrieved.tolist() == [1, 1]
    assert judged.remarks.count("tag") == 3


def test_errors_of_the_reader_pass_through():
    def blocks():
        yield Columns(["q"], [0, 1], ["a"])
        raise InputError("columns", "run.txt", "2 columns", line=2)

    with pytest.raises(InputError, match=r"run\.txt, line 2"):
        judge(Qrels({"q": {"a": 1}}), Run(blocks))


def test_qrels_number_queries_and_rows_in_the_order_given():
    qrels = Qrels({"b": {"y": 2, "x": 0}, "empty": {}, "a": {"x": -1, "z": 1}})
    assert qrels.queries == ("b", "empty", "a")
    assert qrels.numbers(Ids.of(["a", "none", "b"])).tolist() == [2, -1, 0]
    assert list(qrels.documents) == ["y", "x", "x", "z"]
    assert qrels.rows(np.array([2, 0])).tolist() == [2, 3, 0, 1]
    assert qrels.start.tolist() == [0, 2, 2, 4]
    assert qrels.sizes.tolist() == [2, 0, 2]
    assert qrels.relevance.tolist() == [2, 0, -1, 1]
    assert qrels.relevant().tolist() == [1, 0, 1]
    assert qrels.relevant(2).tolist() == [1, 0, 0]
    assert qrels.sums(np.array([1, 2, 3, 4])).tolist() == [3, 0, 7]


ROWS = [("q1", "a"), ("q1", "b"), ("q2", "a"), ("q2", "b")]


@pytest.mark.parametrize(("order", "returns"), [([0, 1, 2, 3], False), ([0, 2, 1, 3], True)])
def test_lines_are_said_to_be_apart_only_where_they_are(order, returns, tmp_path):
    rows = [ROWS[at] for at in order]
    frame = pandas.DataFrame(rows, columns=["query_id", "doc_id"])
    table = tmp_path / "run.csv"
    table.write_text("query_id,doc_id\n" + "".join(f"{query},{document}\n" for query, document in rows))
    for held in (frame, str(table)):
        judged = judge(Qrels({"q1": {"b": 1}, "q2": {"a": 1}}), cast(Run, read_run(held)))
        assert judged.rank.tolist() == [2, 1]
        assert matches(heard(list(judged.remarks.sentences())), ["[ungrouped]"] if returns else [])
