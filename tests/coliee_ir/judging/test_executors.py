"""An executor instead of this machine's processes: the same digits and remarks, and sentences where it fails."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import types
import weakref
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from runs_in_parts import GOLD, MEASURES, QRELS, same, shown, write_run

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import Evaluator, Submission
from coliee_ir.judging import cluster, workers
from coliee_ir.judging.cluster import dask_executor
from coliee_ir.judging.judged import judge
from coliee_ir.judging.workers import WorkerError
from coliee_ir.reading.submission import name_of
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.score import score_each


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def spawned():
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        yield pool


class Pickling(Executor):
    """Works at once, in this process, on what came through pickle; loses the workers of its first tasks."""

    def __init__(self, lost=0):
        self.lost, self.given = lost, 0

    def submit(self, fn, /, *args, **kwargs):
        self.given += 1
        future = Future()
        if self.given <= self.lost:
            future.set_exception(OSError("the worker is gone"))
            return future
        fn, args, kwargs = pickle.loads(pickle.dumps((fn, args, kwargs)))
        future.set_result(pickle.loads(pickle.dumps(fn(*args, **kwargs))))
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


@pytest.mark.parametrize("engine", ["threads", "spawned"])
def test_many_runs_have_the_same_scores_and_remarks_and_a_broken_one_stands_in_its_place(engine, request, tmp_path):
    paths = [tmp_path / f"run{at:02d}" for at in range(15)]
    for at, path in enumerate(paths):
        write_run(path, at, grouped=at % 3 > 0, odd=at % 4 == 0)
    paths[7].write_text("no run at all, but a sentence\n")
    evaluator = Evaluator(QRELS, MEASURES, task="trec")
    submissions = [Submission(str(path)) for path in paths]
    expected = list(score_each(evaluator, submissions, jobs=1))
    found = list(score_each(evaluator, submissions, executor=request.getfixturevalue(engine)))
    assert [shown(one) for one in found] == [shown(one) for one in expected]
    assert isinstance(found[7], InputError)


def test_runs_that_kill_their_process_stand_alone_in_their_places(tmp_path, monkeypatch):
    deadly = (2, 3, 9)
    monkeypatch.setattr(batch, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(workers, "cores", lambda: 2)
    submissions = [Submission(str(write_run(tmp_path / f"run{at:02d}", at).path)) for at in range(12)]
    evaluator, here = Evaluator(QRELS, MEASURES, task="trec"), os.getpid()
    expected = list(score_each(evaluator, submissions, jobs=1))
    killing = {str(submissions[at].run) for at in deadly}

    score = batch.score

    def scored(basis, submission, **given):
        if name_of(submission.run) in killing:
            assert os.getpid() != here
            os.kill(os.getpid(), signal.SIGKILL)
        return score(basis, submission, **given)

    monkeypatch.setattr(batch, "score", scored)
    found = list(score_each(evaluator, submissions, jobs=2))
    for at, (one, other) in enumerate(zip(found, expected, strict=True)):
        if at in deadly:
            assert isinstance(one, InputError) and one.path in killing
        else:
            assert shown(one) == shown(other)


class OtherFolder(Executor):
    """Does its tasks at once, as a worker does that was started in another folder."""

    def __init__(self, folder):
        self.folder = folder

    def submit(self, task, /, *given, **named):
        done = Future()
        with contextlib.chdir(self.folder):
            done.set_result(task(*given, **named))
        return done


def test_a_worker_in_another_folder_does_not_score_what_has_the_same_path_there(tmp_path, monkeypatch):
    (tmp_path / "other").mkdir()
    for folder, document in ((tmp_path, "000011"), (tmp_path / "other", "000012")):
        for name in ("a.txt", "b.txt"):
            (folder / name).write_text(f"000001 {document} {name[0]}\n")
    monkeypatch.chdir(tmp_path)
    evaluator = Evaluator({"000001": ["000011"]}, task="1")
    found = list(score_each(evaluator, ["a.txt", Path("b.txt")], executor=OtherFolder(tmp_path / "other")))
    assert [shown(result) for result in found] == [shown(evaluator.evaluate(name)) for name in ("a.txt", "b.txt")]


def test_a_large_run_among_small_ones_is_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "PART", 9000)
    submissions = [Submission(str(write_run(tmp_path / f"run{at:02d}", at).path)) for at in range(5)]
    large = tmp_path / "large"
    text = "".join(Path(str(one.run)).read_text() for one in submissions[:1])
    large.write_text(text + "".join(f"x{n:03d} Q0 d1 1 2.0 T\n" for n in range(2000)))
    submissions.insert(2, Submission(str(large)))
    evaluator, engine = Evaluator(QRELS, MEASURES, task="trec"), Pickling()
    found = list(score_each(evaluator, submissions, executor=engine))
    assert [shown(one) for one in found] == [shown(one) for one in score_each(evaluator, submissions, jobs=1)]
    assert engine.given > 3
    with pytest.raises(WorkerError):
        list(score_each(evaluator, submissions[2:3], executor=Pickling(lost=1)))


def test_an_executor_has_no_more_tasks_at_a_time_than_it_may_and_results_are_not_held(monkeypatch):
    monkeypatch.setattr(workers, "AHEAD", 3)
    engine, futures, most = Pickling(), weakref.WeakSet[Future[Any]](), 0

    class Counting(Executor):
        def submit(self, fn, /, *args, **kwargs):
            nonlocal most
            future = engine.submit(fn, *args, **kwargs)
            futures.add(future)
            most = max(most, len(futures))
            return future

    found = list(workers.results([partial(int, at) for at in range(20)], 1, Counting()))
    assert (found, engine.given, most) == (list(range(20)), 20, 3)


@pytest.mark.parametrize("lost", [1, 2])
def test_a_lost_worker_is_an_error_and_never_a_part_of_the_scores(tmp_path, lost):
    write_run(tmp_path / "run", 3)
    evaluator = Evaluator(QRELS, MEASURES, task="trec")
    with pytest.raises(WorkerError, match="the worker is gone"):
        evaluator.evaluate(tmp_path / "run", jobs=4, executor=Pickling(lost))
    with pytest.raises(WorkerError, match="the worker is gone"):
        list(score_each(evaluator, [Submission(str(tmp_path / "run"))], executor=Pickling(lost)))


def imitate_dask(monkeypatch, client, local=None):
    config = types.SimpleNamespace(set=lambda _: contextlib.nullcontext())
    utils = types.SimpleNamespace(silence_logging_cmgr=lambda _: contextlib.nullcontext())
    monkeypatch.setitem(sys.modules, "dask", types.SimpleNamespace(config=config))
    monkeypatch.setitem(sys.modules, "distributed", types.SimpleNamespace(Client=client, LocalCluster=local))
    monkeypatch.setitem(sys.modules, "distributed.utils", utils)


@pytest.mark.parametrize(
    "address",
    ["foo", "local:", "local:0", "local:two", "tcp://ann:S3CRET@h:1", "ann:S3CRET@h:1", "tls://h:1?token=S3CRET"],
)
def test_what_is_no_cluster_is_refused_and_no_password_is_printed(address):
    with pytest.raises(UsageError) as caught, dask_executor(address):
        raise AssertionError
    assert "S3CRET" not in str(caught.value)


def test_without_dask_or_a_scheduler_nothing_is_scored(monkeypatch, call, tmp_path):
    def silent(address, timeout):
        raise OSError(f"Timed out trying to connect to {address} after {timeout} s")

    write_run(tmp_path / "run", 3)
    (tmp_path / "gold").write_text("q01 0 d1 1\n")
    given = ("evaluate", tmp_path / "gold", tmp_path / "run", "--cluster", "tcp://h:1")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "distributed", None)
        code, out, err = call(*given)
        assert (code, out, "coliee-ir[cluster]" in err) == (2, "", True)
    imitate_dask(monkeypatch, silent)
    code, out, err = call(*given)
    assert (code, out, "tcp://h:1" in err.splitlines()[-1]) == (2, "", True)


@pytest.mark.parametrize("status", ["running", "closed"])
@pytest.mark.parametrize("kind", ["KilledWorker", "NoValidWorkerError"])
def test_what_became_of_a_cluster_is_said_without_its_own_words(monkeypatch, status, kind):
    client = types.SimpleNamespace(status=status, get_executor=lambda retries: Pickling())
    imitate_dask(monkeypatch, lambda address, timeout: contextlib.nullcontext(client))
    with pytest.raises(WorkerError, match="tcp://h:1") as caught, dask_executor("tcp://h:1"):
        raise WorkerError("worker", "two\nlines") from type(kind, (Exception,), {})("two\nlines")
    assert "\n" not in str(caught.value)
    assert ("scheduler" in str(caught.value)) == (status == "closed")


def test_somebody_is_told_once_each_time_that_no_worker_is_there(monkeypatch):
    monkeypatch.setattr(cluster, "UNTOLD", 0)
    workers_there = [{}, {}, {"a": 1}, {}, {}, {"a": 1}]
    ended, told = threading.Event(), list[str]()

    def nthreads():
        if not workers_there:
            ended.set()
            raise OSError
        return workers_there.pop(0)

    cluster._watch(types.SimpleNamespace(nthreads=nthreads), "tcp://h:1", told.append, ended)
    assert len(told) == 2 and "tcp://h:1" in told[0]


def test_a_worker_with_another_version_is_an_error_and_stands_in_no_runs_place(tmp_path):
    class Older(Pickling):
        def submit(self, fn, /, *args, **kwargs):
            future = Future()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(workers, "__version__", "0.0.1")
                try:
                    future.set_result(fn(*args, **kwargs))
                except Exception as error:
                    future.set_exception(error)
            return future

    evaluator = Evaluator(QRELS, MEASURES, task="trec")
    with pytest.raises(WorkerError, match=r"0\.0\.1"):
        list(score_each(evaluator, [write_run(tmp_path / "run", 3).path], executor=Older()))


def test_what_cannot_travel_is_an_error_that_says_so(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="pipe"):  # which is not read for that
        list(score_each(Evaluator(QRELS, MEASURES, task="trec"), [str(pipe)], executor=Pickling()))


def test_a_cluster_scores_as_this_machine_does_and_ends_with_the_command(monkeypatch, call, tmp_path):
    ended = []

    class Ending:
        def __init__(self, *given, **_):
            self.given = given

        def __enter__(self):
            return self

        def __exit__(self, *_):
            ended.append(type(self).__name__)

    class LocalCluster(Ending):
        pass

    class Client(Ending):
        def get_executor(self, retries):
            assert retries == 2 and isinstance(self.given[0], LocalCluster)
            return Pickling()

    imitate_dask(monkeypatch, Client, LocalCluster)
    write_run(tmp_path / "run", 3)
    (tmp_path / "gold").write_text("q01 0 d1 1\nq02 0 d5 1\n")
    words = ("evaluate", str(tmp_path / "gold"), str(tmp_path / "run"), "-m", "AP", "-q", "-f", "json")
    assert call(*words, "--cluster", "local:3") == call(*words)
    assert ended == ["Client", "LocalCluster"]
