"""An executor instead of this machine's processes: the same digits and remarks, and sentences where it fails."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import types
import weakref
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from needed import needs
from runs_in_parts import EVALUATOR, GOLD, many_runs, same, shown, write_run

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Evaluator
from coliee_ir.judging import workers
from coliee_ir.judging.cluster import dask_executor
from coliee_ir.judging.judged import judge
from coliee_ir.judging.workers import WorkerError
from coliee_ir.reading.submission import name_of
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.score import score_each


class Pickling(Executor):
    """Works at once, in this process and a context, on what came through pickle; loses the workers of its first tasks.

    ``most`` is how many of its results were held at a time.
    """

    def __init__(self, lost=0, within=contextlib.nullcontext):
        self.lost, self.within, self.given, self.most = lost, within, 0, 0
        self.futures = weakref.WeakSet[Future[Any]]()

    def submit(self, fn, /, *args, **kwargs):
        self.given += 1
        future = Future()
        self.futures.add(future)
        self.most = max(self.most, len(self.futures))
        try:
            if self.given <= self.lost:
                raise OSError("the worker is gone")
            fn, args, kwargs = pickle.loads(pickle.dumps((fn, args, kwargs)))
            with self.within():
                future.set_result(pickle.loads(pickle.dumps(fn(*args, **kwargs))))
        except Exception as error:
            future.set_exception(error.with_traceback(None))
        return future


@settings(max_examples=settings.default.max_examples // 2)
@given(seed=st.integers(0, 999), parts=st.sampled_from([1, 2, 7, 40]), grouped=st.booleans(), odd=st.booleans())
def test_a_file_in_parts_is_judged_as_it_is_in_one_process(tmp_path_factory, seed, parts, grouped, odd):
    run = write_run(tmp_path_factory.mktemp("runs") / "run", seed, grouped=grouped, odd=odd)
    try:
        expected = judge(GOLD, run)
    except InputError as error:
        with pytest.raises(InputError) as caught:
            judge(GOLD, run, jobs=parts, executor=Pickling())
        assert str(caught.value) == str(error)
        return
    assert same(judge(GOLD, run, jobs=parts, executor=Pickling()), expected)


@pytest.mark.parametrize("engine", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_many_runs_have_the_same_scores_and_remarks_and_a_broken_one_stands_in_its_place(engine, tmp_path):
    paths = many_runs(tmp_path, 15)
    expected = list(map(shown, score_each(EVALUATOR, paths, jobs=1)))
    how = (2,) if engine is ThreadPoolExecutor else (1, multiprocessing.get_context("spawn"))
    with engine(*how) as executor:
        assert list(map(shown, score_each(EVALUATOR, paths, executor=executor))) == expected
    assert issubclass(expected[7][0], InputError)


def test_runs_that_kill_their_process_stand_alone_in_their_places(tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    paths = [write_run(tmp_path / f"run{at:02d}", at).path for at in range(12)]
    expected = list(score_each(EVALUATOR, paths, jobs=1))
    killing, score, here = {paths[at] for at in (2, 3, 9)}, batch.score, os.getpid()

    def scored(basis, submission, **given):
        if name_of(submission.run) in killing:
            assert os.getpid() != here
            os.kill(os.getpid(), signal.SIGKILL)
        return score(basis, submission, **given)

    monkeypatch.setattr(batch, "score", scored)
    for path, one, other in zip(paths, score_each(EVALUATOR, paths, jobs=2), expected, strict=True):
        if path in killing:
            assert isinstance(one, InputError) and one.path == path
        else:
            assert shown(one) == shown(other)


def test_a_worker_in_another_folder_does_not_score_what_has_the_same_path_there(here):
    Path("other").mkdir()
    for folder, document in ((".", "000011"), ("other", "000012")):
        for name in ("a.txt", "b.txt"):
            Path(folder, name).write_text(f"000001 {document} {name[0]}\n")
    evaluator, elsewhere = Evaluator({"000001": ["000011"]}, task="1"), partial(contextlib.chdir, "other")
    found = list(score_each(evaluator, ["a.txt", Path("b.txt")], executor=Pickling(within=elsewhere)))
    assert [shown(result) for result in found] == [shown(evaluator.evaluate(name)) for name in ("a.txt", "b.txt")]


def test_a_large_run_among_small_ones_is_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "PART", 9000)
    paths = [write_run(tmp_path / f"run{at:02d}", at).path for at in range(5)]
    with Path(paths[2]).open("a") as large:
        large.write("\n" + "".join(f"x{n:03d} Q0 d1 1 2.0 T\n" for n in range(2000)))
    engine = Pickling()
    found = list(score_each(EVALUATOR, paths, executor=engine))
    assert list(map(shown, found)) == list(map(shown, score_each(EVALUATOR, paths, jobs=1)))
    assert engine.given > 3
    with pytest.raises(WorkerError):
        list(score_each(EVALUATOR, paths[2:3], executor=Pickling(lost=1)))


def test_an_executor_has_no_more_tasks_at_a_time_than_it_may_and_results_are_not_held(monkeypatch):
    monkeypatch.setattr(workers, "AHEAD", 3)
    engine = Pickling()
    found = list(workers.results([partial(int, at) for at in range(20)], 1, engine))
    assert (found, engine.given, engine.most) == (list(range(20)), 20, 3)


def of_version(version):
    return Pickling(within=partial(mock.patch.object, workers, "__version__", version))


@pytest.mark.parametrize(
    ("engine", "why"),
    [(Pickling(1), "the worker is gone"), (Pickling(2), "the worker is gone"), (of_version("0.0.1"), "0.0.1")],
)
def test_a_lost_worker_or_one_of_another_version_is_an_error_and_never_a_part_of_the_scores(tmp_path, engine, why):
    path, lost = write_run(tmp_path / "run", 3).path, engine.lost
    for score in (
        lambda: EVALUATOR.evaluate(path, jobs=4, executor=engine),
        lambda: list(score_each(EVALUATOR, [path], executor=engine)),
    ):
        engine.lost = engine.given + lost
        with pytest.raises(WorkerError) as caught:
            score()
        assert why in str(caught.value)


# Dask, imitated


def imitate_dask(monkeypatch, client, local=None):
    config = types.SimpleNamespace(set=lambda _: contextlib.nullcontext())
    utils = types.SimpleNamespace(silence_logging_cmgr=lambda _: contextlib.nullcontext())
    monkeypatch.setitem(sys.modules, "dask", types.SimpleNamespace(config=config))
    monkeypatch.setitem(sys.modules, "distributed", types.SimpleNamespace(Client=client, LocalCluster=local))
    monkeypatch.setitem(sys.modules, "distributed.utils", utils)


@pytest.mark.parametrize("address", ["foo", "local:0", "local:two", "tcp://ann:S3CRET@h:1", "tls://h:1?token=S3CRET"])
def test_what_is_no_cluster_is_refused_and_no_password_is_printed(address):
    with pytest.raises(UsageError) as caught, dask_executor(address):
        raise AssertionError
    assert caught.value.kind == "bad-value" and "S3CRET" not in str(caught.value)


@pytest.fixture
def words(tmp_path):
    """A command that scores a run."""
    write_run(tmp_path / "run", 3)
    (tmp_path / "gold").write_text("q01 0 d1 1\nq02 0 d5 1\n")
    return "evaluate", tmp_path / "gold", tmp_path / "run", "-m", "AP", "-q", "-f", "json"


def test_without_dask_or_a_scheduler_nothing_is_scored(monkeypatch, call, words):
    def silent(address, timeout):
        raise OSError(f"Timed out trying to connect to {address} after {timeout} s")

    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "distributed", None)
        code, out, err = call(*words, "--cluster", "tcp://h:1")
        assert (code, out, "coliee-ir[cluster]" in err) == (2, "", True)
    imitate_dask(monkeypatch, silent)
    code, out, err = call(*words, "--cluster", "tcp://h:1")
    assert (code, out, "tcp://h:1" in err.splitlines()[-1]) == (2, "", True)


def test_a_cluster_scores_as_this_machine_does_and_ends_with_the_command(monkeypatch, call, words):
    ended = []

    class LocalCluster(contextlib.AbstractContextManager):
        def __init__(self, *given, **_):
            self.given = given

        def __exit__(self, *_):
            ended.append(type(self).__name__)

    class Client(LocalCluster):
        def get_executor(self, retries):
            assert retries == 2 and isinstance(self.given[0], LocalCluster)
            return Pickling()

    imitate_dask(monkeypatch, Client, LocalCluster)
    assert call(*words, "--cluster", "local:3") == call(*words)
    assert ended == ["Client", "LocalCluster"]


# a real Dask cluster on this machine, whatever happens to its workers


@pytest.fixture(scope="module")
def dask():
    needs("distributed")
    with dask_executor("local:2") as executor:
        yield executor


class Killing(Executor):
    """Gives tasks to another executor; the first of them kill the process that works on them, once each."""

    def __init__(self, executor, folder, tasks):
        self.executor, self.folder, self.tasks = executor, folder, tasks
        folder.mkdir()

    def submit(self, fn, /, *args, **kwargs):
        if not self.tasks:
            return self.executor.submit(fn, *args, **kwargs)
        self.tasks -= 1
        return self.executor.submit(killed, self.folder / str(self.tasks), fn, *args, **kwargs)


def killed(mark, fn, /, *args, **kwargs):
    assert multiprocessing.parent_process() is not None
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return fn(*args, **kwargs)


@pytest.mark.explore
def test_workers_that_are_killed_change_no_digit_and_no_remark(dask, tmp_path, monkeypatch):
    given = many_runs(tmp_path, 22)
    expected = list(map(shown, score_each(EVALUATOR, given, jobs=1)))
    assert issubclass(expected[7][0], InputError)
    engine = Killing(dask, tmp_path / "runs", 2)
    assert list(map(shown, score_each(EVALUATOR, given, executor=engine))) == expected
    monkeypatch.setattr(batch, "PART", 4000)  # each run is a large one, in parts
    engine = Killing(dask, tmp_path / "parts", 2)
    assert list(map(shown, score_each(EVALUATOR, given[:2], executor=engine))) == expected[:2]
    assert {len(list((tmp_path / name).iterdir())) for name in ("runs", "parts")} == {2}
