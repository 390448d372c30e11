"""Clusters of any size and version, and ids that are written otherwise."""

from concurrent.futures import Executor, Future
from types import SimpleNamespace

import pytest

from coliee_ir.judging import workers


class _Cluster(Executor):
    """An executor with Dask's client and this many threads, whose workers do nothing before they are asked."""

    def __init__(self, threads, fails=None):
        self._client = SimpleNamespace(nthreads=lambda: {"a": threads - 1, "b": 1})
        self.given = []
        self.fails = fails

    def submit(self, *_, **__):
        future = Future()
        if self.fails is None:
            future.set_result(None)
        else:
            future.set_exception(self.fails)
        self.given.append(future)
        return future


@pytest.mark.parametrize(("threads", "given"), [(3, 256), (500, 1000)])
def test_a_large_cluster_has_work_for_all(threads, given):
    cluster = _Cluster(threads)
    next(workers.results([int] * 2000, 1, cluster))
    assert len(cluster.given) == given


def test_a_worker_of_another_version_is_named():
    cluster = _Cluster(1, AttributeError("Can't get attribute '_done' on <module 'coliee_ir.judging.workers'>"))
    with pytest.raises(workers.WorkerError, match="coliee-ir"):
        list(workers.results([int], 1, cluster))
