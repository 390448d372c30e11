"""Clusters of any size and version, whose workers do nothing before they are asked."""

from concurrent.futures import Executor, Future
from types import SimpleNamespace

import pytest

from coliee_ir.judging import workers


class _Cluster(Executor):
    """An executor with Dask's client and this many threads, whose workers give or raise something."""

    def __init__(self, threads, fails=None):
        self._client = SimpleNamespace(nthreads=lambda: {"a": threads - 1, "b": 1})
        self.given, self.fails = [], fails

    def submit(self, *_, **__):
        future = Future()
        self.given.append(future)
        (future.set_result if self.fails is None else future.set_exception)(self.fails)
        return future


def test_a_large_cluster_has_work_for_all_and_a_worker_of_another_version_is_named():
    for threads, given in ((3, 256), (500, 1000)):
        cluster = _Cluster(threads)
        next(workers.results([int] * 2000, 1, cluster))
        assert len(cluster.given) == given
    cluster = _Cluster(1, AttributeError("Can't get attribute '_done' on <module 'coliee_ir.judging.workers'>"))
    with pytest.raises(workers.WorkerError, match="coliee-ir"):
        list(workers.results([int], 1, cluster))
