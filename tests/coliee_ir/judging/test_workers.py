"""How many processes are used, and from where."""

import contextlib
import multiprocessing
import subprocess
import sys

import pytest

from coliee_adapters.files.source import Source
from coliee_ir import Evaluator
from coliee_ir.judging import workers
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.score import score_each

GOLD = {f"q{n}": {"d1": 1, "d3": 1} for n in range(50)}


EVALUATOR = Evaluator(GOLD, ["map"], task="trec")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run that is worth two processes of its own, where a MiB is worth one."""
    path = tmp_path_factory.mktemp("large") / "run.txt"
    lines = (f"{query} Q0 d{n:09} {n} {2000 - n} T\n" for query in GOLD for n in range(1, 2000))
    path.write_text("".join(lines).replace("d00000000", "d"))
    assert 2 << 20 < Source(path).size < 4 << 20
    return path


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(batch, "WORTH_A_PROCESS", 2 << 20)


@pytest.mark.parametrize(
    ("asked", "processors", "runs", "used"),
    [(1000, 8, 1, 2), (1000, 8, 3, 4), (1000, 2, 3, 2), (None, 8, 1, 2), (3, 8, 3, 3), (1000, 1, 3, 1), (1, 8, 3, 1)],
)
def test_no_more_processes_than_processors_and_large_pieces(run, monkeypatch, asked, processors, runs, used):
    seen = [1]

    def results(tasks, jobs, *_):
        seen.append(jobs)
        return []

    monkeypatch.setattr(workers, "results", results)
    monkeypatch.setattr(workers, "cores", lambda: processors)
    monkeypatch.setattr(Source, "packed_size", 5 << 19)
    scored = score_each(EVALUATOR, [run] * runs, jobs=asked)
    with contextlib.suppress(ValueError):  # nothing was judged
        list(scored)
    assert max(seen) == used


def _scored(path):
    return [scores.measures["map"] for scores in score_each(EVALUATOR, [path] * 2, jobs=2)]


def test_a_worker_of_a_pool_works_alone(run):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_scored, (str(run),)) == _scored(str(run))


@pytest.mark.parametrize(
    "method", ["spawn", *(pytest.param(method, marks=pytest.mark.explore) for method in ("fork", "forkserver"))]
)
def test_a_script_without_a_guard_is_right_whatever_the_start_method(run, method):
    script = run.with_name("script.py")
    script.write_text(
        f"""
import multiprocessing, sys
multiprocessing.set_start_method({method!r})
from coliee_ir import Evaluator
from coliee_ir.scoring import score as batch
batch.WORTH_A_PROCESS = 2 << 20
evaluator = Evaluator({GOLD!r}, ['map'], task='trec')
print(*(scores.measures['map'] for scores in batch.score_each(evaluator, [sys.argv[1]] * 2, jobs=2)))
"""
    )
    done = subprocess.run([sys.executable, script, run], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert [float(value) for value in done.stdout.split()] == _scored(str(run))
