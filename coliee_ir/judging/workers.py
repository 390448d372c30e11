"""Work spread over processes. trec_eval never lets go of Python's lock, so that threads would not help.

The processes are forked: what they work on is there already, and only results travel. An executor that the caller
brings (``concurrent.futures.Executor``: spawned processes, another library's, a cluster's) is given tasks that can be
pickled, and what it does with an error that is no ColieeError, retries included, is its own affair.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from typing import Any, Final, TypeVar

from coliee_adapters import signals
from coliee_adapters.errors import ColieeError, InternalError
from coliee_adapters.files.source import this_machine
from coliee_ir._version import __version__

_Result = TypeVar("_Result")

#: how many tasks an executor has at a time, or more if it has more workers: what they hold and give stays in memory
AHEAD: Final = 256

#: in a worker process, the tasks that it was forked for
_tasks: Sequence[Callable[[], Any]] = ()


class WorkerError(ColieeError):
    """A worker process could not be started, or ended before its work was done."""


class LostError(WorkerError):
    """A worker process of this machine was killed."""


def cores() -> int:
    """How many processors this process may use; 1 where it cannot fork, or may not, as in multiprocessing.Pool."""
    if multiprocessing.current_process().daemon:
        return 1
    if sys.platform == "win32" or "fork" not in multiprocessing.get_all_start_methods():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results(
    tasks: Sequence[Callable[[], _Result]], jobs: int, executor: Executor | None = None, *, alone: bool = False
) -> Iterator[_Result | ColieeError]:
    """The results of the tasks, in their order; a ColieeError that a task raises stands in its place."""
    if executor is not None:
        yield from _results_of_executor(tasks, executor)
        return
    if (not alone and (jobs <= 1 or len(tasks) <= 1)) or multiprocessing.current_process().daemon:
        for task in tasks:
            yield _result_or_error(task)
        return
    before = frozenset(multiprocessing.active_children())
    with contextlib.ExitStack() as stack:
        try:
            try:
                # a forked process has the tasks as they are; nothing is pickled
                pool = ProcessPoolExecutor(
                    min(jobs, len(tasks)), multiprocessing.get_context("fork"), initializer=_begin, initargs=(tasks,)
                )
                stack.callback(pool.shutdown, cancel_futures=True)
                stack.push(partial(_stop, before))
                futures = _submitted(pool, len(tasks))
            except OSError as error:
                problem = f"no worker process can be started ({error.strerror or error}); try --jobs 1"
                raise WorkerError("worker", problem) from None
            while futures:
                yield futures.popleft().result()
        except BrokenProcessPool:  # also while tasks are handed over
            problem = "a worker process was killed before it was done, perhaps because memory ran out; try --jobs 1"
            raise LostError("worker", problem) from None


def _results_of_executor(tasks: Sequence[Callable[[], _Result]], executor: Executor) -> Iterator[_Result | ColieeError]:
    """The results of an executor's workers, in the order of the tasks; an error calls off what has not begun."""
    futures: deque[Future[_Result | ColieeError]] = deque()
    waiting = iter(tasks)
    ahead = _tasks_ahead(executor)

    def submit(task: Callable[[], _Result]) -> Future[Any]:
        if isinstance(executor, ThreadPoolExecutor):  # nothing travels
            return executor.submit(_result_or_error, task)
        return executor.submit(pickle.loads, pickle.dumps(_RemoteTask(task)))

    try:
        while True:
            futures.extend(submit(task) for task in islice(waiting, ahead - len(futures)))
            if not futures:
                return
            yield futures[0].result()
            futures.popleft()  # till then its worker, too, holds the result
    except ColieeError:
        raise
    except (Exception, CancelledError) as error:  # any engine's own
        if isinstance(error, _OtherVersionError):
            raise WorkerError("worker", f"{error}; install one version on all") from error
        cause = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        # also of another version, where pickle misses an attribute
        remedy = "; install one version of coliee-ir on all" if isinstance(error, ImportError | AttributeError) else ""
        raise WorkerError("worker", f"the executor's workers failed ({cause}){remedy}") from error
    finally:
        for future in futures:
            future.cancel()


def _tasks_ahead(executor: Executor) -> int:
    """How many tasks an executor is given at a time: two for each thread of a Dask cluster, or ``_AHEAD``."""
    with contextlib.suppress(Exception):  # Dask's own, of many kinds; if the cluster is gone, the tasks will say it
        return max(AHEAD, 2 * sum(executor._client.nthreads().values()))  # type: ignore[attr-defined]
    return AHEAD


def _submitted(pool: ProcessPoolExecutor, n: int) -> deque[Future[Any]]:
    with signals.signals_blocked(), warnings.catch_warnings():
        # the processes do arithmetic only and touch none of the locks that other threads might hold
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        return deque(pool.submit(_perform, i) for i in range(n))


def _stop(before: Collection[object], error: type[BaseException] | None, *_: object) -> None:
    """End the workers where nobody waits for their results any more: an error, a signal."""
    if error is not None:
        for process in multiprocessing.active_children():
            if process not in before:
                process.terminate()


def _perform(i: int) -> Any:
    try:
        with signals.signals_as_exceptions():
            return _result_or_error(_tasks[i])
    except (KeyboardInterrupt, SystemExit):  # temporary files are gone; the process that waits knows of the signal
        os._exit(1)


def _result_or_error(task: Callable[[], _Result]) -> _Result | ColieeError:
    try:
        return task()
    except ColieeError as error:
        return error
    except MemoryError:
        return WorkerError("worker", "there is not enough memory for a process's part of the work; try --jobs 1")
    except (ImportError, OSError):  # of a worker's place, which another's may not have
        raise
    except Exception as error:
        return InternalError.of_exception("", error)


class _RemoteTask:
    """A task for a worker of an executor. Where its pickle is read, it is done, and what is read is its result.

    So a worker is asked for nothing but ``pickle.loads``: one of Dask's ends where it cannot read what it is to call.
    """

    def __init__(self, task: Callable[[], Any]) -> None:
        self.task = task

    def __reduce__(self) -> tuple[object, ...]:
        return _done, (__version__, pickle.dumps(self.task, pickle.HIGHEST_PROTOCOL))


def _done(version: str, task: bytes) -> Any:
    if version != __version__:
        raise _OtherVersionError(
            f"the worker {this_machine()} has coliee-ir {__version__}, not {version} as this machine"
        )
    return _result_or_error(pickle.loads(task))


class _OtherVersionError(Exception):
    """A worker may not do a task, but another may: no ColieeError, which would stand in a run's place."""


def _begin(tasks: Sequence[Callable[[], Any]]) -> None:
    """What a worker does first."""
    global _tasks
    _tasks = tasks
    signals.begin_worker()  # Ctrl-C reaches all processes; these end without a word
    threading.Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    """End this process when the one that started it is gone, killed, say: nobody waits for the result."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
