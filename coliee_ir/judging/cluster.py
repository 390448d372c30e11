"""A Dask cluster as an executor: the machines of an address, or processes of this one.

Dask is the engine because it is pure Python, tries again by itself what a lost worker has left, and has schedulers on
SSH, Slurm and Kubernetes. Anything else that offers an executor needs nothing of this module.
"""

# Dask, which CI has, is partly typed
# mypy: disallow-untyped-calls=False
from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from queue import Empty, SimpleQueue
from typing import Any, Final

from coliee_adapters.errors import UsageError
from coliee_ir.judging.workers import WorkerError

#: How often a task is tried again that failed, or whose worker was lost; of lost ones, a scheduler has its own limit.
_RETRIES: Final = 2

#: Seconds in which a scheduler must answer.
_PATIENCE: Final = 10

#: Seconds after which a person is told that a scheduler has no worker.
UNTOLD: Final = 5

_LOCAL: Final = "local:"

#: More than any message of Dask's, which come in hundreds of lines where a scheduler is lost.
_NO_LOGS: Final = 99

#: How Dask runs on this machine alone.
_HERE: Final = {
    "distributed.worker.profile.enabled": False,  # a hundred times a second, for a page that nobody opens
    "distributed.admin.tick.interval": "1s",  # fifty times a second
    "distributed.deploy.lost-worker-timeout": "1h",  # else a process that is killed twice within 15 s is given up
    "distributed.scheduler.no-workers-timeout": "60s",  # else tasks wait for ever when all are given up
}


@contextlib.contextmanager
def dask_executor(address: str, tell: Callable[[str], object] | None = None) -> Iterator[Executor]:
    """An executor on a Dask cluster; a cluster that was started for it ends with it."""
    if "@" in address or "?" in address:  # which may be a password
        problem = "the address of a scheduler has no user, password or query in it; write tcp://HOST:8786"
        raise UsageError("bad-value", problem)
    count = address.removeprefix(_LOCAL)
    if not (count.isdecimal() and int(count) > 0 if address.startswith(_LOCAL) else "://" in address):
        problem = f"{address!r} is not a cluster; write tcp://HOST:8786 for a scheduler, local:4 for four processes"
        raise UsageError("bad-value", problem)
    try:
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise UsageError("needs-package", "a cluster needs Dask: pip install 'coliee-ir[cluster]'") from None
    with contextlib.ExitStack() as stack:
        stack.enter_context(silence_logging_cmgr(_NO_LOGS))
        try:
            if address.startswith(_LOCAL):
                stack.enter_context(dask.config.set(_HERE))
                cluster = LocalCluster(
                    n_workers=int(count), threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=_NO_LOGS,
                    scheduler_kwargs={"allowed_failures": _RETRIES},
                )  # fmt: skip
                stack.enter_context(cluster)
                client = stack.enter_context(Client(cluster))
            else:
                client = stack.enter_context(_within(_PATIENCE + 2, lambda: Client(address, timeout=_PATIENCE)))
        except Exception as error:  # Dask's own, of many kinds
            cause = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise WorkerError("worker", f"no scheduler answers at {address} ({cause})") from None
        if tell is not None:
            ended = threading.Event()
            stack.callback(ended.set)
            threading.Thread(target=_watch, args=(client, address, tell, ended), daemon=True).start()
        try:
            yield client.get_executor(retries=_RETRIES)
        except WorkerError as error:
            raise _explained(error, client, address) from None


def _within(seconds: float, make: Callable[[], Any]) -> Any:
    """What a function makes in a thread that is left alone where it takes longer.

    Dask waits for ever where something else than a scheduler answers.
    """
    results: SimpleQueue[Any] = SimpleQueue()

    def run() -> None:
        try:
            results.put(make())
        except Exception as error:
            results.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        result = results.get(timeout=seconds)
    except Empty:
        raise TimeoutError("this is not a Dask scheduler, or it is too busy to answer") from None
    if isinstance(result, Exception):
        raise result
    return result


def _watch(client: Any, address: str, tell: Callable[[str], object], ended: threading.Event) -> None:
    """Tell that no worker is there, once each time that all are gone."""
    was_there = True
    while not ended.wait(UNTOLD):
        with contextlib.suppress(Exception):  # the scheduler is gone, which the tasks will say
            is_there = bool(client.nthreads())
            if was_there and not is_there:
                tell(f"{address} has no worker at present; waiting for one (Ctrl-C to stop)")
            was_there = is_there


def _explained(error: WorkerError, client: Any, address: str) -> WorkerError:
    """What happened to the tasks, where Dask says it in a name or in a page."""
    kind = type(error.__cause__).__name__
    if client.status != "running":
        return WorkerError("worker", f"the scheduler at {address} was lost before the work was done")
    if kind == "KilledWorker":
        problem = "every worker that tried one of the tasks was lost"
        problem = f"{address}: {problem}, perhaps because memory ran out; the workers' logs may say why"
        return WorkerError("worker", problem)
    if kind == "NoValidWorkerError":
        return WorkerError("worker", f"{address}: no worker became available in time")
    return error
