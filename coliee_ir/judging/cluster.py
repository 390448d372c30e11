"""A Dask cluster as an executor: the machines of an address, or processes of this one.

Dask is the engine because it is pure Python, tries again by itself what a lost worker has left, and has schedulers on
SSH, Slurm and Kubernetes. Anything else that offers an executor needs nothing of this module.
"""

# Dask, which CI has, is partly typed
# mypy: disallow-untyped-calls=False
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Final

from coliee_adapters.errors import UsageError
from coliee_ir.judging.workers import WorkerError

#: How often a task is tried again that failed, or whose worker was lost; of lost ones, a scheduler has its own limit.
_RETRIES: Final = 2

#: Seconds in which a scheduler must answer.
_PATIENCE: Final = 10

_LOCAL: Final = "local:"

#: How Dask runs on this machine alone.
_HERE: Final = {
    "distributed.worker.profile.enabled": False,  # a hundred times a second, for a page that nobody opens
    "distributed.admin.tick.interval": "1s",  # fifty times a second
    "distributed.deploy.lost-worker-timeout": "1h",  # else a process that is killed twice within 15 s is given up
    "distributed.scheduler.no-workers-timeout": "60s",  # else tasks wait for ever when all are given up
}


@contextlib.contextmanager
def connected(address: str) -> Iterator[Executor]:
    """An executor on a Dask cluster; a cluster that was started for it ends with it.

    Args:
        address: a scheduler's, such as ``tcp://10.0.0.7:8786``; or ``local:4`` for four processes of this machine.

    Raises:
        UsageError: Dask is not installed, or the address is none.
        WorkerError: no scheduler answers there.
    """
    count = address.removeprefix(_LOCAL)
    if address.startswith(_LOCAL) and not (count.isdecimal() and int(count) > 0):
        raise UsageError(f"{address!r} is not a cluster; write local:4 for four processes")
    if not address.startswith(_LOCAL) and "://" not in address:
        raise UsageError(f"{address!r} is not a cluster; write a scheduler's address, tcp://HOST:8786, or local:4")
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError("a cluster needs Dask: pip install 'coliee-ir[cluster]'") from None
    with contextlib.ExitStack() as stack:
        try:
            if address.startswith(_LOCAL):
                stack.enter_context(dask.config.set(_HERE))
                cluster = LocalCluster(
                    n_workers=int(count), threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50,
                    scheduler_kwargs={"allowed_failures": _RETRIES},
                )  # fmt: skip
                stack.enter_context(cluster)
                client = stack.enter_context(Client(cluster))
            else:
                client = stack.enter_context(Client(address, timeout=_PATIENCE))
        except (OSError, TimeoutError, ValueError) as error:
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise WorkerError(f"no scheduler answers at {address} ({said})") from None
        yield client.get_executor(retries=_RETRIES)
