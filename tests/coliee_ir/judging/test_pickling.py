"""What travels between processes: whatever engine sends it, the result is that of one process."""

import pickle
from collections.abc import Callable

import pytest
from example_runs import EXAMPLES
from runs_in_parts import same

import coliee_ir
from coliee_adapters.records import Answers, Run
from coliee_ir import Evaluator, Submission
from coliee_ir.judging.judged import judge
from coliee_ir.judging.qrels import Qrels
from coliee_ir.reading.anything import read_gold, read_run

#: gold and run of each form
PAIRS = [
    ("task1/gold.json", "task1/bm25.txt"),
    ("task1/gold.json", "task1/rerank.json"),
    ("task3/gold.xml", "task3/task3.ALPHA"),
    ("trec/qrels.txt", "trec/bm25.run"),
    ("tort/gold.jsonl", "tort/ALPHA.jsonl"),
]


def travelled(held):
    return pickle.loads(pickle.dumps(held))


@pytest.mark.parametrize(("gold", "run"), PAIRS)
def test_records_evaluators_and_scores_are_the_same_behind_a_border(gold, run):
    record, submission = read_gold(EXAMPLES / gold), read_run(EXAMPLES / run)
    assert travelled(record) == record
    evaluator = Evaluator(record)
    scores = evaluator.evaluate(submission)
    there = travelled(evaluator)
    again = there.evaluate(travelled(submission))
    assert (again.measures, again.per_query, again.remarks) == (scores.measures, scores.per_query, scores.remarks)
    back = travelled(again)
    assert isinstance(back, coliee_ir.Scores)
    assert back.measures == scores.measures
    assert isinstance(travelled(Submission(submission)), Submission)


def csv(folder):
    (folder / "run.csv").write_text("q1,d1,T\nq2,d9,T\n", encoding="utf-8")
    return folder / "run.csv"


@pytest.mark.parametrize(
    "held",
    [
        {"q1": ["d1"], "q2": ["d9", "d2"]},
        {"q1": {"d1": 2.0}, "q2": {"d9": 1.0, "d2": 0.5}},
        Run.of({"q1": {"d1": 2.0}, "q2": {"d2": 0.5}}, tag="A"),
        csv,
    ],
)
def test_runs_from_memory_travel(tmp_path, held):
    run = read_run(held(tmp_path) if isinstance(held, Callable) else held)
    assert not isinstance(run, Answers)
    qrels = Qrels({"q1": {"d1": 1}, "q2": {"d2": 1}})
    there = travelled(run)
    assert isinstance(there, Run)
    assert same(judge(qrels, there), judge(qrels, run))


@pytest.mark.parametrize("other", [{"q1": {"d1": 2}}, {"q1": {"d2": 1}}, {"q2": {"d1": 1}}, {"q1": {}}])
def test_parts_of_different_golds_are_told_apart(other):
    one = Qrels({"q1": {"d1": 1}})
    assert one.same_as(one)
    assert one.same_as(Qrels({"q1": {"d1": 1}}))
    assert not one.same_as(Qrels(other))
