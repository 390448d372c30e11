"""A real Dask cluster on this machine: the same digits and remarks, whatever happens to its workers."""

import multiprocessing
import os
import signal
from concurrent.futures import Executor

import pytest
from needed import needs
from runs_in_parts import EVALUATOR, many_runs, shown, write_run

from coliee_adapters.errors import InputError
from coliee_ir.judging.cluster import dask_executor
from coliee_ir.judging.workers import WorkerError
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.score import score_each

pytestmark = pytest.mark.explore  # test_executors has an imitation


@pytest.fixture(scope="module")
def cluster():
    needs("distributed")
    with dask_executor("local:2") as executor:
        yield executor


class Killing(Executor):
    """Gives tasks to another executor; the first of them kill the process that works on them, each so many times."""

    def __init__(self, executor, folder, tasks, times=1):
        self.executor, self.folder, self.tasks, self.times = executor, folder, tasks, times
        folder.mkdir()

    def submit(self, fn, /, *args, **kwargs):
        if not self.tasks:
            return self.executor.submit(fn, *args, **kwargs)
        self.tasks -= 1
        return self.executor.submit(killed, self.folder, self.tasks, self.times, fn, *args, **kwargs)


def killed(folder, task, times, fn, /, *args, **kwargs):
    assert multiprocessing.parent_process() is not None
    for at in range(times):
        if not (mark := folder / f"{task}-{at}").exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return fn(*args, **kwargs)


def test_workers_that_are_killed_change_no_digit_and_no_remark(cluster, tmp_path, monkeypatch):
    given = many_runs(tmp_path, 22)
    expected = list(map(shown, score_each(EVALUATOR, given, jobs=1)))
    assert issubclass(expected[7][0], InputError)
    engine = Killing(cluster, tmp_path / "runs", 2)
    assert list(map(shown, score_each(EVALUATOR, given, executor=engine))) == expected
    monkeypatch.setattr(batch, "PART", 4000)  # each run is a large one, in parts
    engine = Killing(cluster, tmp_path / "parts", 2)
    assert list(map(shown, score_each(EVALUATOR, given[:2], executor=engine))) == expected[:2]
    assert {len(list((tmp_path / name).iterdir())) for name in ("runs", "parts")} == {2}


def test_a_task_whose_workers_are_always_killed_is_an_error(cluster, tmp_path):
    path = write_run(tmp_path / "run", 3).path
    engine = Killing(cluster, tmp_path / "deaths", 1, times=9)
    with pytest.raises(WorkerError):
        list(score_each(EVALUATOR, [path], executor=engine))
    assert len(list((tmp_path / "deaths").iterdir())) == 3
    [after] = score_each(EVALUATOR, [path], executor=cluster)
    assert shown(after) == shown(EVALUATOR.evaluate(path))


def test_the_command_scores_on_a_cluster_that_is_running(cluster, call, tmp_path):
    write_run(tmp_path / "run", 3)
    (tmp_path / "gold").write_text("q01 0 d1 1\nq02 0 d5 1\n")
    words = ("evaluate", tmp_path / "gold", tmp_path / "run", "-m", "AP", "-q", "-f", "json")
    assert call(*words, "--cluster", cluster._client.scheduler.address) == call(*words)
