"""Judging: against a naive twin, line by line; what parts and processes add up to; the numbers of queries and rows."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
from collections import Counter

import naive
import numpy as np
import pandas
import pytest
from asserting import heard, matches, refusing
from hypothesis import given, settings
from hypothesis import strategies as st
from runs_in_parts import GOLD, same, write_run
from runs_in_parts import read_run as read_again

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms import columns, detect
from coliee_adapters.ids import Ids
from coliee_adapters.records import Columns, Run
from coliee_adapters.remarks import Remarks
from coliee_ir import Evaluator
from coliee_ir.judging import judged, order, ungrouped, workers
from coliee_ir.judging.judged import judge
from coliee_ir.judging.qrels import Qrels
from coliee_ir.reading.anything import read_run
from coliee_ir.scoring import score as batch
from coliee_ir.scoring.score import score_each


def seen(judged):
    """A Judged in the words of the naive twin."""
    qrels = judged.qrels
    return naive.Expected(
        {
            (query, qrels.documents[row]): int(judged.rank[row])
            for number, query in enumerate(qrels.queries)
            for row in qrels.rows(np.array([number])).tolist()
        },
        dict(zip(qrels.queries, judged.retrieved.tolist(), strict=True)),
        dict(zip(qrels.queries, judged.repeated.tolist(), strict=True)),
        dict(zip(qrels.queries, judged.answered.tolist(), strict=True)),
        dict(judged.extra),
    )


@settings(max_examples=2 * settings.default.max_examples)
@given(naive.golds, naive.run_lines(), st.booleans(), st.data())
def test_judging_equals_its_naive_twin(gold, lines, scored, data):
    skip = frozenset(data.draw(st.just(()) | st.sets(st.sampled_from(naive.QUERIES + naive.EXTRA))))
    judged = judge(Qrels(gold), data.draw(naive.runs(lines, scored)), skip)
    lines = [line for line in lines if line.query not in skip]
    expected = naive.expected(gold, lines, scored)
    assert seen(judged) == expected
    assert judged.remarks.count("duplicate") == sum(expected.repeated.values())
    best = {}
    for line in lines:
        if line.query in gold and line.document is not None:
            pair = line.query, line.document
            best[pair] = max(line.score, best.get(pair, -np.inf))
    scores = Counter((query, naive.float32(score)) for (query, _), score in best.items())
    ties = {query for (query, _), n in scores.items() if n > 1} if scored else ()
    assert judged.remarks.count("tie") == len(ties)


@given(naive.golds, naive.run_lines(), st.booleans(), st.data())
def test_parts_of_different_queries_add_up_to_the_whole_and_stay_as_they_are(gold, lines, scored, data):
    first, qrels = data.draw(st.sets(st.sampled_from(naive.QUERIES + naive.EXTRA))), Qrels(gold)
    halves = [[line for line in lines if (line.query in first) is half] for half in (True, False)]
    one, other, whole = (judge(qrels, data.draw(naive.runs(some, scored))) for some in (*halves, lines))
    before, remarks, together = seen(one), one.remarks + Remarks(), pickle.loads(pickle.dumps(one)) + other
    assert seen(together) == seen(whole) == seen(other + one)
    assert sorted(map(tuple, together.tied.T.tolist())) == sorted(map(tuple, whole.tied.T.tolist()))
    assert (seen(one), one.remarks) == (before, remarks)
    for kind in ("duplicate", "tie"):
        assert together.remarks.count(kind) == whole.remarks.count(kind)


@pytest.mark.parametrize("query", ["q1", "x1"])
def test_parts_with_a_common_query_or_of_two_golds_do_not_add(query):
    qrels = Qrels({"q1": {"d1": 1}, "q2": {"d1": 1}})
    one = judge(qrels, Run.of({query: ["d1"]}))
    for other in ({"q2": ["d1"], query: ["d2"]}, {query: []}):
        with refusing(ValueError, "a query is in both parts"):
            one + judge(qrels, Run.of(other))
    for gold in ({"q1": {"d1": 2}}, {"q1": {"d2": 1}}, {"q2": {"d1": 1}}, {"q1": {}}):
        with refusing(ValueError, "only parts that were judged by the same gold add"):
            judge(Qrels(gold), Run.of({})) + judge(Qrels({"q1": {"d1": 1}}), Run.of({}))


def test_ranks_that_disagree_with_scores_are_remarked_and_not_followed():
    gold = Qrels({"q": {"a": 1, "b": 1, "c": 1}})
    for scores, ranks, n in (
        ([3.0, 2.0, 1.0], ["1", "2", "3"], 0),
        ([3.0, 2.0, 1.0], ["3", "2", "1"], 1),
        ([1.0, 3.0, 2.0], ["3", "1", "2"], 0),
        ([1.0, 3.0, 2.0], ["0", "0", "0"], 0),  # a constant orders nothing
        ([3.0, 2.0, 1.0], ["1", "2", "2"], 0),
        ([3.0, 2.0, 1.0], ["2", "1", "2"], 1),
        ([16777216.0, 16777217.0, 1.0], ["1", "2", "3"], 0),  # a tie can be ordered either way
        ([3.0, 2.0, 1.0], ["1", "2", "a"], 0),  # what is no number says nothing
        ([3.0, 2.0, 1.0], ["1", "2", "1.5"], 1),
        ([3.0, 2.0, 1.0], ["1.0", "2.0", "10.0"], 0),  # as numbers, not as text
    ):
        blocks = [[Columns(["q"], [0, 3], ["a", "b", "c"], scores, column)] for column in (ranks, None)]
        with_ranks, without = (judge(gold, Run(of.__iter__)) for of in blocks)
        assert with_ranks.rank.tolist() == without.rank.tolist()
        assert (with_ranks.remarks.count("rank-order"), without.remarks.count("rank-order")) == (n, 0)


def test_a_grouped_run_is_read_once_and_any_other_twice():
    reads = []

    def run(*queries):
        def read():
            reads.append(queries)
            for query in queries:
                remarks = Remarks.of("tag", "as said by the reader")
                yield Columns([query], [0, 1], [f"d{len(reads)}"], None, None, remarks)

        return Run(read, scored=False)

    qrels = Qrels({"a": {}, "b": {}})
    assert (judge(qrels, run("a", "a", "b")).remarks.count("tag"), len(reads)) == (3, 1)
    judged = judge(qrels, run("a", "b", "a"))
    assert (judged.remarks.count("tag"), len(reads), judged.retrieved.tolist()) == (3, 3, [1, 1])
    with refusing(UsageError, "jobs must be an integer ≥ 1 (found 0)"):
        judge(qrels, Run.of({}), jobs=0)


def test_qrels_number_queries_and_rows_in_the_order_given():
    qrels = Qrels({"b": {"y": 2, "x": 0}, "empty": {}, "a": {"x": -1, "z": 1}})
    assert qrels.queries == ("b", "empty", "a")
    assert qrels.numbers(Ids.of(["a", "none", "b"])).tolist() == [2, -1, 0]
    assert list(qrels.documents) == ["y", "x", "x", "z"]
    assert qrels.rows(np.array([2, 0])).tolist() == [2, 3, 0, 1]
    assert (qrels.start.tolist(), qrels.sizes.tolist()) == ([0, 2, 2, 4], [2, 0, 2])
    assert qrels.relevance.tolist() == [2, 0, -1, 1]
    assert (qrels.relevant().tolist(), qrels.relevant(2).tolist()) == ([1, 0, 1], [1, 0, 0])
    assert qrels.sums(np.array([1, 2, 3, 4])).tolist() == [3, 0, 7]


@pytest.mark.parametrize(
    ("rows", "returns"), [(["q1 a", "q1 b", "q2 a", "q2 b"], False), (["q1 a", "q2 a", "q1 b", "q2 b"], True)]
)
def test_lines_are_said_to_be_apart_only_where_they_are(rows, returns, tmp_path):
    frame = pandas.DataFrame([row.split() for row in rows], columns=["query_id", "doc_id"])
    frame.to_csv(tmp_path / "run.csv", index=False)
    for run in (frame, tmp_path / "run.csv"):
        judged = judge(Qrels({"q1": {"b": 1}, "q2": {"a": 1}}), read_run(run))
        assert judged.rank.tolist() == [2, 1]
        assert matches(heard(list(judged.remarks.sentences())), ["[ungrouped]"] if returns else [])


_ALIKE = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-40, 1e39, 1e300])
_SCORES = st.floats(allow_nan=False, allow_infinity=False) | _ALIKE
_SEGMENTS = st.lists(st.lists(_SCORES, max_size=5) | st.lists(_SCORES, min_size=40, max_size=60), max_size=5)


@given(_SEGMENTS)
def test_keys_sort_lines_by_segment_and_by_score_as_trec_eval_compares_it(segments):
    scores = np.array([score for segment in segments for score in segment])
    lengths = np.array(list(map(len, segments)), dtype=np.int64)
    segment, within = np.repeat(np.arange(len(segments)), lengths), order.sort_keys(scores)
    keys = order.in_segments(segment, within).tolist()
    assert order.segment_of(np.array(keys, dtype=np.int64)).tolist() == segment.tolist()
    compared = [(at, -score) for at, score in zip(segment.tolist(), order.as_compared(scores).tolist(), strict=True)]
    for line, key in zip(compared, keys, strict=True):
        assert [line < other for other in compared] == [key < other for other in keys]
    assert order.in_segments(segment, order.sorted_within(within, lengths)).tolist() == sorted(keys)


# several processes, parts and blocks: the same result as one reading of the whole file


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
        assert judged() == whole if isinstance(whole, str) else same(judged(), whole)


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
    remarks = judge(GOLD, read_again(Source(tmp_path / "run")), jobs=4).remarks
    assert remarks.examples("tag") == (f"line {len(lines) - 1}: U",)
    lines[-2] = "q01 Q0 d1 1 nan T"
    (tmp_path / "run").write_text("\n".join(lines))
    with refusing(InputError, f"line {len(lines) - 1}: [bad-score] (found 'nan')"):
        judge(GOLD, read_again(Source(tmp_path / "run")), jobs=4)


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


def test_a_worker_of_a_pool_works_alone_and_so_does_a_system_that_cannot_fork(run, monkeypatch):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_scored, (str(run),)) == _scored(str(run))
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    assert workers.cores() == 1


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
