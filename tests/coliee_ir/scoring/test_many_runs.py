"""Many runs in one call, arrays, timing: what `Evaluator` and the command offer beyond one file."""

import json
import shutil
import time

import numpy as np
import pytest
from asserting import mentions, refusing
from example_runs import EXAMPLES
from sent import write

import coliee_ir
from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Evaluator
from coliee_ir.output.rendering import render
from coliee_ir.reading.submission import Submission
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.output import ScoreTable
from coliee_ir.scoring.score import score_each

GOLD = str(EXAMPLES / "task1" / "gold.json")
ALPHA = Submission(EXAMPLES / "task3-2025/task3.ALPHA", long_list=EXAMPLES / "task3-2025/task3-L.ALPHA")
BETA = Submission(EXAMPLES / "task3/task3.BETA", EXAMPLES / "task3/answers.BETA")
RUNS = [str(EXAMPLES / "task1" / name) for name in ("bm25.txt", "dense.txt", "rerank.json")]


@pytest.mark.parametrize(
    ("threshold", "gold", "runs", "rules"),
    [
        *((threshold, GOLD, [Submission(run) for run in RUNS], {"measures": ["MicroF1", "map"]})
          for threshold in (0, 1 << 40)),
        (0, EXAMPLES / "task3/gold.xml", [BETA, Submission(BETA.run)], {"edition": 2026}),
        (0, EXAMPLES / "task3-2025/gold.xml", [ALPHA, Submission(ALPHA.run)], {"edition": 2025}),
    ],
)  # fmt: skip
def test_several_runs_score_as_each_alone(threshold, gold, runs, rules, monkeypatch):
    monkeypatch.setattr(batch, "WORTH_A_PROCESS", threshold)
    one = Evaluator(gold, **rules)
    together = list(score_each(one, runs, jobs=2, keep_judged=True))
    for scores, run in zip(together, runs, strict=True):
        alone = one.evaluate(run.run, answers=run.answers, long_list=run.long_list, keep_judged=True)
        assert scores.query_ids is one.queries  # the gold is held once
        for part, judged in alone.judged.items():
            assert scores.judged[part].qrels is judged.qrels
            assert np.array_equal(scores.judged[part].rank, judged.rank)
        assert (scores.tag, scores.measures, scores.remarks) == (alone.tag, alone.measures, alone.remarks)
        assert scores.to_dict(per_query=True) == alone.to_dict(per_query=True)


def test_remarks_on_many_runs_are_said_once_a_kind(here, call):
    # r1 to r3 leave out one query and more, r4 to r6 repeat one line and more
    write({"gold.json": json.dumps({f"{query:03d}": ["101", "102"] for query in range(1, 6)})})
    runs = [f"r{run}.txt" for run in range(10)]
    for run, name in enumerate(runs):
        lines = [f"{query:03d} 101 r{run}\n" for query in range(1, 6 - run if run < 4 else 6)]
        write({name: "".join([*lines, *(lines[: run - 3] if 4 <= run < 7 else [])])})
    code, _, err = call("evaluate", "gold.json", *runs, "--task", "1")
    [unanswered] = coliee_ir.evaluate("gold.json", runs[1], task="1").remarks
    assert code == 0 and mentions(err, f"3 runs (r1, r2, r3)… r1 …: {unanswered}\n")
    assert [line.partition(")")[0] for line in err.splitlines() if "duplicate" in line] == ["3 runs (r4, r5, r6"]
    assert mentions(err, "… 4 runs …\n")
    shutil.copy(runs[1], "same.txt")
    err = call("evaluate", "gold.json", runs[0], *runs[4:], runs[1], "same.txt", "--task", "1")[2]
    assert mentions(err, f"2 runs (r1, r1 (2)): {unanswered}\n")


def test_a_table_of_many_runs_holds_nothing_of_single_queries():
    few, whole = (
        coliee_ir.evaluate_all(GOLD, RUNS, measures=["MicroF1", "AP"], jobs=1, keep=keep)
        for keep in ("values", "judged")
    )
    assert not any(one.judged or sum(result.per_query.size for result in one.results.values()) for one in few)
    for form in ("table", "json", "jsonl", "csv", "trec"):
        assert render(ScoreTable(few), form) == render(ScoreTable(whole), form)


def test_timing_is_one_line_of_json(call):
    start, typed = time.perf_counter(), ("evaluate", GOLD, *RUNS, "--timing")
    timing = json.loads(call(*typed)[2].splitlines()[-1])
    assert list(timing) == ["lines", "read", "judge", "measure", "total", "lines_per_second", "peak_mib"]
    assert timing["lines"] == sum(scores.timing.lines for scores in map(Evaluator(GOLD).evaluate, RUNS))
    assert 0 < timing["read"] <= timing["total"] < time.perf_counter() - start


# arrays
def test_arrays_that_are_no_run_or_have_no_ids_are_refused_and_their_documents_compared_as_those_of_others():
    gold, documents = {"q1": {"a": 1}, "q2": {"b": 1}}, ["a", "b", "c", "d"]
    for query, document, score, message in (
        ([0], [0, 1], [1.0], "[shape]"),
        ([2], [0], [1.0], "[shape] 1 …"),
        ([0], [-1], [1.0], "[shape] 3 …"),
        ([0], [0], [np.nan], "[bad-score]"),
    ):
        with refusing(InputError, message):
            Evaluator(gold, task="trec", documents=documents).evaluate(tuple(map(np.array, (query, document, score))))
    for name in (None, 1.5, "01 4", "\ud800", ""):
        with pytest.raises(InputError):
            Evaluator({"001": ["013"]}, task="2", documents=["013", name])
    with pytest.raises(UsageError, match=r"Evaluator\(…, documents=ids\)"):
        Evaluator(gold, task="trec").evaluate((np.array([0]), np.array([0]), np.array([1.0])))
    gold, at = {"001": ["013.txt", "014"]}, np.arange(2)
    for documents, task in (["013.txt", "014"], "2"), (["013", "014.txt"], "2"), (["013.txt", "014"], "trec"):
        evaluator = Evaluator(gold, ["MicroR"], task=task, documents=documents)
        assert evaluator.evaluate((0 * at, at, -1.0 * at)).measures == {"MicroR": 1.0}
