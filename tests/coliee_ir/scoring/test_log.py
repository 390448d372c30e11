"""``evaluate --log``: a row for each run, appended, that a reader can recompute."""

import csv
import hashlib
import io
import multiprocessing
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from example_runs import EXAMPLES

from coliee_ir import evaluate
from coliee_ir.commands.evaluate import log
from coliee_ir.measures import Result
from coliee_ir.measures.base import Terms, share

LOGGED = ("evaluate", "gold.json", "--task", "1", "--log", "log.csv")


@pytest.fixture(autouse=True)
def files(here):
    Path("gold.json").write_text('{"000001": ["000007", "000008"]}')
    Path("a.txt").write_text("000001 000007 A\n")
    Path("b.txt").write_text("000001 000009 =B\n")


def logged():
    return list(csv.DictReader(io.StringIO(Path("log.csv").read_text())))


def test_each_run_has_a_row(call):
    assert call(*LOGGED, "a.txt", "b.txt")[0] == call(*LOGGED, "a.txt", "-m", "MicroR", "-m", "MicroF1")[0] == 0
    first, second, third = logged()
    assert [row["tag"] for row in (first, second, third)] == ["A", "'=B", "A"]
    assert {row["sha256"] for row in (first, third)} == {hashlib.sha256(Path("a.txt").read_bytes()).hexdigest()}
    expected = evaluate("gold.json", "a.txt", task="1").measures
    assert {name: float(first[name]) for name in expected} == expected
    assert (third["MicroR"], third["MicroP"]) == ("0.5", "")
    assert third["options"] == "gold.json --task 1 --log log.csv a.txt -m MicroR -m MicroF1"
    assert (third["task"], third["queries"], first["time"][-6:]) == ("1", "1", "+00:00")
    Path("log.csv").unlink()
    run, longer = (EXAMPLES / "task3-2025" / name for name in ("task3.ALPHA", "task3-L.ALPHA"))
    given = ("evaluate", run.with_name("gold.xml"), run, "--edition", "2025", "--log", "log.csv")
    assert call(*given)[0] == call(*given, "--long-list", longer)[0] == 0
    assert [bool(row["AP"]) for row in logged()] == [False, True]


def test_another_file_is_left_as_it_is_and_what_people_make_of_a_log_kept(call):
    """A run, a table of other columns, a log with an unbalanced quote, one without a column of the measures."""
    Path("other.csv").write_text("x,y\n1,2\n")
    assert call(*LOGGED[:-1], "quote.csv", "a.txt")[0] == 0
    with Path("quote.csv").open("a") as stream:
        stream.write('2026,"A\n')
    assert call(*LOGGED[:-1], "measure.csv", "a.txt", "-m", "AP")[0] == 0
    for other in ("a.txt", "other.csv", "quote.csv", "measure.csv"):
        before = Path(other).read_bytes()
        assert call(*LOGGED[:-1], other, "a.txt")[:2] == (2, "")
        assert Path(other).read_bytes() == before
    # a column of notes, cells beyond the header, rows that were cut short, no newline at the end, an empty file
    Path("log.csv").touch()
    assert call(*LOGGED, "a.txt")[0] == 0
    header, row = Path("log.csv").read_text().splitlines()
    kept = f'note,{header}\nfirst try,{row},more,"and\nmore"\nshort,2026'
    Path("log.csv").write_text(kept)
    assert call(*LOGGED, "b.txt")[0] == 0
    assert Path("log.csv").read_text().startswith(f"{kept}\n")
    assert [(row["note"], row["tag"]) for row in logged()] == [("first try", "A"), ("short", None), ("", "'=B")]


def _append_some(name):
    for at in range(20):
        columns = dict.fromkeys(log.COLUMNS, "") | {"tag": name, "time": str(at)}
        log.append("log.csv", [columns | {"M": "0.5"}], ["M"])


@pytest.mark.skipif(sys.platform == "win32", reason="has no file locks")
def test_several_processes_append_at_once():
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.map(_append_some, "abcd", chunksize=1)
    found = [(row["tag"], int(row["time"]), row["M"]) for row in logged()]
    assert [one for tag in "abcd" for one in found if one[0] == tag] == [
        (tag, at, "0.5") for tag in "abcd" for at in range(20)
    ]


def test_who_names_a_log_is_told_how_often_the_gold_was_looked_at(call):
    gold, runs = EXAMPLES / "task1/gold.json", [EXAMPLES / f"task1/{name}.txt" for name in ("bm25", "dense")]
    cut = [f"cut{k}.txt" for k in (1, 2, 3)]
    for path in cut:
        assert call("cut", runs[0], "--by", f"k={path[3]}", "--task", "1", "-o", path)[0] == 0
    assert call("evaluate", gold, runs[0], *cut, "--log", "log.csv")[0] == 0
    content = Path("log.csv").read_bytes()
    for command in (["compare", gold, *runs, "--resamples", "99"], ["tune", gold, runs[0], "--by", "k"]):
        code, _, err = call(*command, "--log", "log.csv")
        n, luck = re.search(r"(\d+) runs have been scored on this gold.*?(?: ([.\d]+) above|$)", err, re.M).groups()
        assert (code, int(n)) == (0, 4 + (command[0] == "compare"))
        assert (luck is not None and 0 < float(luck) < 0.3) == (command[0] == "compare")
    assert Path("log.csv").read_bytes() == content
    assert call("compare", EXAMPLES / "task2/gold.json", *runs, "--log", "none.csv")[0] == 2
    assert call("compare", gold, *runs, "--resamples", "9", "--log", gold)[0] == 2  # which is no log


@pytest.mark.parametrize("is_micro", [False, True])
def test_the_luck_of_the_best_of_many_equal_runs_is_what_simulation_finds(is_micro):
    draw, n, expected, found = np.random.default_rng(5), 30, [], []
    for _ in range(60):
        values = draw.normal(size=(1, 60)) + draw.normal(size=(n, 60)) * 0.2
        results = [Result(value.mean(), value) for value in values]
        if is_micro:  # of runs that return one document or twenty, whose queries' F1 vary more than what counts
            relevant, retrieved = draw.geometric(0.25, 60), draw.integers(1, 20, (n, 60))
            both = np.stack([2 * draw.binomial(np.minimum(relevant, retrieved), 0.4), retrieved + relevant], axis=-1)
            runs = [Terms(one.astype(float), share, np.zeros(2), False) for one in both]
            results = [Result(terms.total, terms.each[:, 0] / terms.each[:, 1], None, terms) for terms in runs]
        scores = np.array([result.value for result in results])
        expected.append(log.luck(results, n))
        found.append(scores.max() - scores.mean())
    assert np.mean(expected) == pytest.approx(np.mean(found), rel=0.1)
