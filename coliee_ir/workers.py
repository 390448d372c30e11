"""Work spread over processes. trec_eval never lets go of Python's lock, so that threads would not help.

The processes are forked: what they work on is there already, and only results travel.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from coliee_adapters.errors import ColieeError

_Result = TypeVar("_Result")

#: the tasks at hand, which forked processes find here
_tasks: Sequence[Callable[[], Any]] = ()


class WorkerError(ColieeError):
    """A worker process ended before its work was done."""


def cores() -> int:
    """How many processors this process may use; 1 where processes cannot be forked."""
    if sys.platform == "win32" or "fork" not in multiprocessing.get_all_start_methods():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def results(tasks: Sequence[Callable[[], _Result]], jobs: int) -> Iterator[_Result | ColieeError]:
    """The results of the tasks, in their order; a ColieeError that a task raises stands in its place.

    Args:
        tasks: functions without arguments; their results must be picklable.
        jobs: how many processes to use; 1 works in this one.

    Raises:
        WorkerError: a process was killed.
    """
    if jobs <= 1 or len(tasks) <= 1:
        for task in tasks:
            yield _caught(task)
        return
    global _tasks
    _tasks = tasks
    with warnings.catch_warnings():
        # the processes do arithmetic only and touch none of the locks that other threads might hold
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        pool = ProcessPoolExecutor(
            min(jobs, len(tasks)), multiprocessing.get_context("fork"), initializer=_die_with_the_terminal
        )
        futures: list[Future[Any]] = [pool.submit(_perform, at) for at in range(len(tasks))]
    try:
        for future in futures:
            yield future.result()
    except BrokenProcessPool:
        raise WorkerError(
            "a worker process was killed before it was done, perhaps for want of memory; try --jobs 1"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
        _tasks = ()


def _perform(at: int) -> Any:
    return _caught(_tasks[at])


def _caught(task: Callable[[], _Result]) -> _Result | ColieeError:
    try:
        return task()
    except ColieeError as error:
        return error


def _die_with_the_terminal() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches all processes; these end without a word
