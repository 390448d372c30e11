"""A result equals itself and, where results are compared by value, itself behind a pickle: no field is NaN."""

import copy
import math
import pickle

from example_runs import EXAMPLES

import coliee_ir
from coliee_ir.output.rendering import TabularResult

GOLD, RUNS = EXAMPLES / "task1/gold.json", [EXAMPLES / "task1/bm25.txt", EXAMPLES / "task1/dense.txt"]


def results():
    """What each public function gives that returns a result."""
    scored = coliee_ir.evaluate_all(GOLD, RUNS, task="1")
    nothing = coliee_ir.evaluate_all({"q1": ["d1"], "q2": []}, {"A": {"q2": ["d"]}}, task="trec", only=["q2"],
                                     measures=["MacroF1", "P@5"], decisions={"no_overlap": "zero"})  # fmt: skip
    assert math.isnan(nothing[0].measures["MacroF1"])
    yield from (scored[0], scored, coliee_ir.errors(scored), nothing[0], nothing)
    yield coliee_ir.compare(scored, n_resamples=99, margin=0.1)
    yield coliee_ir.plan(scored, n_resamples=99)
    yield coliee_ir.tune(GOLD, RUNS[0], task="1", repeats=1)
    yield coliee_ir.fit_fusion(GOLD, *RUNS, task="1", repeats=1)
    yield coliee_ir.leaderboard(scored, n_resamples=99)
    yield coliee_ir.validate(RUNS[0], task="1")


def test_every_result_equals_itself_here_and_behind_a_pickle():
    for result in results():
        there = pickle.loads(pickle.dumps(result))
        assert isinstance(result, TabularResult) and result == result and there.tables()[0].rows is not None
        if isinstance(result, coliee_ir.Scores):
            assert result.measures == there.measures == copy.deepcopy(result).measures
        if isinstance(result, coliee_ir.types.FittedFusion):  # its runs are files that are yet to be read
            assert there.contenders == result.contenders
        elif type(result).__eq__ is not object.__eq__:
            assert there == result == copy.deepcopy(result), type(result).__name__
