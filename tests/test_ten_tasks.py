"""What people ask of an evaluation tool, each in one line or two."""

from pathlib import Path

import pytest
from asserting import refusing

import coliee_ir
from coliee_ir import compare, evaluate, evaluate_all, fuse, leaderboard, read_run, write_run

FILES = Path(coliee_ir.__file__).parent / "examples" / "task1"
GOLD, BM25, DENSE = FILES / "gold.json", FILES / "bm25.txt", FILES / "dense.txt"
IN_MEMORY = {"q1": ["d1"], "q2": ["d2"]}


def test_ten_tasks(tmp_path):
    # score two files
    assert evaluate(GOLD, BM25).measures["MicroF1"] == pytest.approx(0.2453, abs=5e-5)
    # score dictionaries
    assert evaluate(IN_MEMORY, {"q1": ["d1"]}, task="1").measures["MicroR"] == 0.5
    # scores of each query
    assert evaluate(GOLD, BM25).to_frame(per_query=True).shape[0] == 40
    # three runs, many measures, one table
    scored = evaluate_all(GOLD, {"bm25": BM25, "dense": DENSE, "both": fuse(BM25, DENSE)}, measures=["AP", "P_5"])
    assert scored.to_frame().shape == (3, 3)
    # test a difference
    assert compare(scored[:2], n_resamples=99).pairs[0].p <= 1
    # named runs in it
    assert compare(scored, baseline="bm25", n_resamples=99).runs[1].tag == "dense"
    # fuse
    assert fuse(BM25, DENSE).tag
    # write a run
    write_run(read_run(BM25), tmp_path / "bm25.run", task="1")
    # a LaTeX table
    assert "bm25" in scored.to_latex()
    # score in a loop, the gold read once
    evaluator = coliee_ir.Evaluator(GOLD)
    assert [evaluator.evaluate(run).tag for run in (BM25, DENSE)] == ["bm25", "dense"]
    # and rank what was scored
    assert leaderboard(scored, n_resamples=99).entries[0].place == 1


def test_what_was_not_kept_and_one_run_in_the_place_of_several_are_refused():
    scored = evaluate_all(GOLD, [BM25, DENSE], keep="values")
    for ask in (compare, leaderboard):
        with refusing(coliee_ir.UsageError, "[not-comparable]"):
            ask(scored)
    for runs in ({"q1": ["d1"]}, {"q1": {"d1": 0.5}}):
        with refusing(coliee_ir.UsageError, "[shape]"):
            evaluate_all(IN_MEMORY, runs, task="1")
