"""Clusters of any size and version, and ids that are written otherwise."""

from concurrent.futures import Executor, Future
from types import SimpleNamespace

import pytest
from asserting import begins, heard

from coliee_ir import evaluate
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
    with pytest.raises(workers.WorkerError, match="version"):
        list(workers.results([int], 1, cluster))


@pytest.mark.parametrize("wrong", ["05O656", "0000050656", "050656050656", "05065l"])
def test_ids_with_letters_for_digits_or_more_zeros_are_remarked(wrong):
    gold = {"000001": ["050656", "050651"], "000002": ["050657"]}
    scores = evaluate(gold, {"000001": [wrong, "123456", "1234567"], "000002": ["050657"]}, task="1")
    (remark,) = (remark for remark in scores.remarks if remark.kind == "odd-id")
    assert begins(heard(remark), ["[odd-id] 1 …"][0])
    assert f": {wrong}" in remark


@pytest.mark.parametrize("wrong", ["O00001", "0000l", "00000001"])
def test_queries_with_letters_for_digits_or_more_zeros_are_remarked(wrong):
    gold = {query: ["050656"] for query in ("000001", "00001", "000002")}
    if wrong == "00000001":
        del gold["00001"]
    scores = evaluate(gold, {wrong: ["050656"], "000002": ["050656"]}, task="1")
    assert [wrong in str(remark) for remark in scores.remarks if remark.kind == "other-spelling"] == [True]
