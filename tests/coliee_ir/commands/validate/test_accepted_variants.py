"""What a second stranger ran into: other line ends, other spellings, other folders, other versions."""

from concurrent.futures import Executor, Future
from types import SimpleNamespace

import pytest
from asserting import begins, heard
from example_runs import EXAMPLES

from coliee_ir import evaluate, validate
from coliee_ir.judging import workers

GOLD1, RUN1 = EXAMPLES / "task1" / "gold.json", EXAMPLES / "task1" / "bm25.txt"


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85"])
@pytest.mark.parametrize(("task", "name"), [("3", "task3/task3.ALPHA"), ("4", "task4/ALPHA.txt")])
def test_line_ends_of_unicode_are_mended_and_refused(call, tmp_path, task, name, end):
    run, fixed = tmp_path / "run.txt", tmp_path / "fixed.txt"
    text = (EXAMPLES / name).read_text()
    run.write_text(text.replace("\n", end), encoding="utf-8")
    found = validate(run, task=task, fix=fixed)
    finding = next(finding for finding in found.findings if finding.rule == "line-separator")
    assert finding.count == finding.mended == text.count("\n")
    assert fixed.read_text() == text
    code, out, err = call("evaluate", EXAMPLES / f"task{task}" / "gold.xml", run)
    assert (code, out, f"U+{ord(end):04X}" in err, f"{run}, line 1: " in err) == (2, "", True, True)


def test_numbers_for_labels_are_labels_to_validate_too(tmp_path):
    text = (EXAMPLES / "task4" / "ALPHA.txt").read_text()
    run, fixed = tmp_path / "run.txt", tmp_path / "fixed.txt"
    run.write_text(text.replace(" Y ", " 1 ").replace(" N ", " 0 "))
    found = validate(run, fix=fixed)
    assert [(finding.rule, finding.mended) for finding in found.findings] == [("label-form", text.count("\n"))]
    assert fixed.read_text() == text
    run.write_text(text.replace(" Y ", " 1 "))  # which evaluate refuses
    assert [finding.rule for finding in validate(run, task="4").findings] == ["label-unknown"]


def test_bytes_in_run_tags_that_are_taken_out_are_mended(tmp_path):
    run = tmp_path / "run.txt"
    run.write_bytes(b"R07-01-A Y LEG\xc9R\nR07-01-U Y LEG\xc9R\nR07-02-\xc9 Y LEG\xc9R\n")
    (finding,) = (found for found in validate(run, fix=tmp_path / "fixed.txt").findings if found.rule == "not-utf8")
    assert (finding.count, finding.mended) == (4, 3)


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
