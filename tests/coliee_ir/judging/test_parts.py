"""Several processes, several parts, several blocks: the same result as one reading of the whole file."""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from asserting import heard, refusing
from hypothesis import given
from hypothesis import strategies as st
from runs_in_parts import GOLD, read_run, same, write_run

from coliee_adapters.errors import ColieeError, InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import columns, detect
from coliee_adapters.records import Columns
from coliee_ir import Evaluator
from coliee_ir.judging import judged, order, ungrouped, workers
from coliee_ir.judging.judged import judge
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.score import score_each


@given(st.integers(0, 10**6), st.integers(1, 2000))
def test_blocks_may_end_anywhere(tmp_path_factory, seed, size):
    path = tmp_path_factory.getbasetemp() / "run"
    with pytest.MonkeyPatch.context() as patch:
        run = write_run(path, seed, odd=seed % 2 == 0, queries=6)
        whole = judge(GOLD, run)
        patch.setattr(columns, "BLOCK_SIZES", (size, 0))
        assert same(judge(GOLD, run), whole)


@given(
    st.lists(st.sampled_from(["q01 d1 T", "q01 d2 T", "q02 d1 T", "q03 d3 U", "# a comment", "", "/* a", "b */"])),
    st.integers(1, 40),
)
def test_blocks_may_hold_no_line(tmp_path_factory, lines, size):
    path = tmp_path_factory.getbasetemp() / "lines"
    path.write_text("\n".join([*lines, "*/ q04 d1 T", ""]), encoding="utf-8")

    def judged():
        try:
            return judge(GOLD, detect.read_run(Source(path), form="columns"))
        except InputError as error:
            return heard(error)

    whole = judged()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "BLOCK_SIZES", (size, 0))
        pieces = judged()
    if isinstance(whole, str) or isinstance(pieces, str):
        assert pieces == whole
    else:
        assert same(pieces, whole)


def test_a_first_block_without_lines_goes_before_a_query(tmp_path):
    lines = [[], ["q01"], [], ["q01"], ["q02"], [], []]
    blocks = [Columns(queries, [*range(len(queries) + 1)], ["d1"] * len(queries)) for queries in lines]
    whole = list(order.whole_queries(blocks))
    assert [(list(part.queries), part.lengths.tolist()) for part in whole] == [(["q01"], [2]), (["q02"], [1])]


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.usefixtures("one_process")
def test_ungrouped_lines_may_go_through_files(tmp_path, monkeypatch, jobs):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "aside"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "aside").mkdir()
    for seed in range(5):
        run = write_run(tmp_path / "run", seed, grouped=False, odd=seed == 0)
        in_memory = judge(GOLD, run)
        with monkeypatch.context() as patch:
            patch.setattr(ungrouped, "BATCH", 7)
            assert same(judge(GOLD, run, jobs=jobs), in_memory)
    assert list((tmp_path / "aside").iterdir()) == []


def test_files_that_cannot_be_written_are_one_sentence(tmp_path, monkeypatch):
    run = write_run(tmp_path / "run", 1, grouped=False)
    monkeypatch.setattr(ungrouped, "BATCH", 7)
    monkeypatch.setattr(ungrouped, "Path", lambda folder, name: Path(folder, "not there", name))
    with refusing(ColieeError, "[cannot-write] No such file or directory …"):
        judge(GOLD, run)


def test_parts_begin_where_a_query_begins_and_two_processes_give_what_one_gives(tmp_path):
    run = write_run(tmp_path / "run", 2)
    assert same(judge(GOLD, run, jobs=2), judge(GOLD, run))
    assert run.split is not None
    parts = [{query for block in part.blocks() for query in block.queries} for part in run.split(5)]
    assert 2 <= len(parts) <= 5
    assert sum(map(len, parts)) == len(set().union(*parts))


@pytest.mark.usefixtures("one_process")
def test_an_error_or_a_remark_in_a_part_has_its_line_in_the_whole_file(tmp_path):
    write_run(tmp_path / "run", 3)
    lines = (tmp_path / "run").read_text().split("\n")
    lines[-2] = lines[-2].replace(" T", " U")
    (tmp_path / "run").write_text("\n".join(lines))
    remarks = judge(GOLD, read_run(Source(tmp_path / "run")), jobs=4).remarks
    assert remarks.examples("tag") == (f"line {len(lines) - 1}: U",)
    lines[-2] = "q01 Q0 d1 1 nan T"
    (tmp_path / "run").write_text("\n".join(lines))
    with refusing(InputError, f"line {len(lines) - 1}: [bad-score] (found 'nan')"):
        judge(GOLD, read_run(Source(tmp_path / "run")), jobs=4)


def test_ids_with_equal_keys_are_told_apart_by_their_text(tmp_path, monkeypatch):
    runs = [write_run(tmp_path / f"run{seed}", seed) for seed in range(5)]
    expected = [judge(GOLD, run) for run in runs]
    monkeypatch.setattr(judged, "mixed", lambda words, numbers: np.zeros(len(numbers), dtype=np.uint64))
    assert all(same(judge(GOLD, run), right) for run, right in zip(runs, expected, strict=True))


def test_results_come_in_order_errors_stand_in_their_place_and_a_killed_worker_is_none():
    def broken():
        raise InputError("columns", "run.txt", "2 columns", line=3)

    first, second, third = workers.results([lambda: 1, broken, lambda: 3], 2)
    assert (first, str(second), third) == (1, "run.txt, line 3: 2 columns", 3)
    with refusing(workers.WorkerError, "[worker]"):
        list(workers.results([lambda: os.kill(os.getpid(), signal.SIGKILL), lambda: 1], 2))


# how many processes are used, and from where

SCORED = {f"q{n}": {"d1": 1, "d3": 1} for n in range(50)}


EVALUATOR = Evaluator(SCORED, ["map"], task="trec")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run that is worth two processes of its own, where a MiB is worth one."""
    path = tmp_path_factory.mktemp("large") / "run.txt"
    lines = (f"{query} Q0 d{n:09} {n} {2000 - n} T\n" for query in SCORED for n in range(1, 2000))
    path.write_text("".join(lines).replace("d00000000", "d"))
    assert 2 << 20 < Source(path).size < 4 << 20
    return path


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(batch, "WORTH_A_PROCESS", 2 << 20)


@pytest.mark.parametrize(
    ("asked", "processors", "runs", "used"),
    [(1000, 8, 1, 2), (1000, 8, 3, 4), (1000, 2, 3, 2), (None, 8, 1, 2), (3, 8, 3, 3), (1000, 1, 3, 1), (1, 8, 3, 1)],
)
def test_no_more_processes_than_processors_and_large_pieces(run, monkeypatch, asked, processors, runs, used):
    seen = [1]

    def results(tasks, jobs, *_):
        seen.append(jobs)
        return []

    monkeypatch.setattr(workers, "results", results)
    monkeypatch.setattr(workers, "cores", lambda: processors)
    monkeypatch.setattr(Source, "packed_size", 5 << 19)
    scored = score_each(EVALUATOR, [run] * runs, jobs=asked)
    with contextlib.suppress(ValueError):  # nothing was judged
        list(scored)
    assert max(seen) == used


def _scored(path):
    return [scores.measures["map"] for scores in score_each(EVALUATOR, [path] * 2, jobs=2)]


def test_a_worker_of_a_pool_works_alone(run):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_scored, (str(run),)) == _scored(str(run))


@pytest.mark.parametrize(
    "method", ["spawn", *(pytest.param(method, marks=pytest.mark.explore) for method in ("fork", "forkserver"))]
)
def test_a_script_without_a_guard_is_right_whatever_the_start_method(run, method):
    script = run.with_name("script.py")
    script.write_text(
        f"""
import multiprocessing, sys
multiprocessing.set_start_method({method!r})
from coliee_ir import Evaluator
from coliee_ir.scoring import score as batch
batch.WORTH_A_PROCESS = 2 << 20
evaluator = Evaluator({SCORED!r}, ['map'], task='trec')
print(*(scores.measures['map'] for scores in batch.score_each(evaluator, [sys.argv[1]] * 2, jobs=2)))
"""
    )
    done = subprocess.run([sys.executable, script, run], capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    assert [float(value) for value in done.stdout.split()] == _scored(str(run))
