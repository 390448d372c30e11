"""Many runs in one call, arrays, timing: what `Evaluator` and the command offer beyond one file."""

import json
import shutil
import sys
import time

import numpy as np
import pytest
from asserting import heard, mentions, refusing
from example_runs import EXAMPLES

import coliee_ir
from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Evaluator
from coliee_ir.cli import main
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


def test_remarks_on_many_runs_are_said_once_a_kind(tmp_path, capsys):
    # r1 to r3 leave out one query and more, r4 to r6 repeat one line and more
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({f"{query:03d}": ["101", "102"] for query in range(1, 6)}))
    for run in range(10):
        answered = range(1, 6 - run if run < 4 else 6)
        lines = [f"{query:03d} 101 r{run}\n" for query in answered]
        repeated = lines[: run - 3] if 4 <= run < 7 else []
        (tmp_path / f"r{run}.txt").write_text("".join([*lines, *repeated]))
    runs = sorted(map(str, tmp_path.glob("r*.txt")))
    assert main(["evaluate", str(gold), *runs, "--task", "1"]) == 0
    err = capsys.readouterr().err
    [unanswered] = coliee_ir.evaluate(gold, runs[1], task="1").remarks
    own_numbers = "… r1 …"
    assert mentions(err, f"3 runs (r1, r2, r3){own_numbers}: {unanswered}\n")
    assert [line.partition(")")[0] for line in err.splitlines() if "duplicate" in line] == ["3 runs (r4, r5, r6"]
    shutil.copy(runs[1], tmp_path / "same.txt")
    assert main(["evaluate", str(gold), runs[0], *runs[4:], runs[1], str(tmp_path / "same.txt"), "--task", "1"]) == 0
    assert mentions(capsys.readouterr().err, f"2 runs (r1, r1 (2)): {unanswered}\n")
    assert mentions(err, "… 4 runs …\n")


def test_a_table_of_many_runs_holds_nothing_of_single_queries():
    few, whole = (
        coliee_ir.evaluate_all(GOLD, RUNS, measures=["MicroF1", "AP"], jobs=1, keep=keep)
        for keep in ("values", "judged")
    )
    assert not any(one.judged or sum(result.per_query.size for result in one.results.values()) for one in few)
    for form in ("table", "json", "jsonl", "csv", "trec"):
        assert render(ScoreTable(few), form) == render(ScoreTable(whole), form)


def test_timing_is_one_line_of_json(capsys, monkeypatch):
    start = time.perf_counter()
    assert main(["evaluate", GOLD, *RUNS, "--timing"]) == 0
    timing = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert list(timing) == ["lines", "read", "judge", "measure", "total", "lines_per_second", "peak_mib"]
    assert timing["lines"] == sum(scores.timing.lines for scores in map(Evaluator(GOLD).evaluate, RUNS))
    assert 0 < timing["read"] <= timing["total"] < time.perf_counter() - start
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    assert main(["evaluate", GOLD, *RUNS, "--timing"]) == 0
    assert json.loads(capsys.readouterr().err.splitlines()[-1])["peak_mib"] is None
    for jobs in ("0", "x", "1.5"):
        with pytest.raises(SystemExit) as ended:
            main(["evaluate", GOLD, RUNS[0], "--jobs", jobs])
        assert ended.value.code == 2
        assert mentions(heard(capsys.readouterr().err), f"[usage] '{jobs}'…")


@pytest.mark.parametrize(
    ("query", "document", "score", "message"),
    [
        ([0], [0, 1], [1.0], "[shape]"),
        ([2], [0], [1.0], "[shape] 1 …"),
        ([0], [-1], [1.0], "[shape] 3 …"),
        ([0], [0], [np.nan], "[bad-score]"),
    ],
)
def test_arrays_that_cannot_be_a_run_are_refused(query, document, score, message):
    arrays = Evaluator({"q1": {"a": 1}, "q2": {"b": 1}}, task="trec", documents=["a", "b", "c", "d"])
    with refusing(InputError, message):
        arrays.evaluate((np.array(query), np.array(document), np.array(score)))


def test_documents_of_arrays_are_compared_as_those_of_other_runs():
    gold, at = {"001": ["013.txt", "014"]}, np.arange(2)
    for documents, task in (["013.txt", "014"], "2"), (["013", "014.txt"], "2"), (["013.txt", "014"], "trec"):
        evaluator = Evaluator(gold, ["MicroR"], task=task, documents=documents)
        assert evaluator.evaluate((0 * at, at, -1.0 * at)).measures == {"MicroR": 1.0}


@pytest.mark.parametrize("name", [None, 1.5, "01 4", "\ud800", ""])
def test_documents_of_arrays_have_ids(name):
    with pytest.raises(InputError):
        Evaluator({"001": ["013"]}, task="2", documents=["013", name])


def test_arrays_need_the_ids_of_documents():
    with pytest.raises(UsageError, match=r"Evaluator\(…, documents=ids\)"):
        Evaluator({"q1": {"a": 1}}, task="trec").evaluate((np.array([0]), np.array([0]), np.array([1.0])))
