"""``evaluate --store``: scores that outlive a kill, are not computed twice, and stand for their runs."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import zlib
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import one_step
import pytest
from asserting import Call, done
from example_runs import EXAMPLES, SHOWN

import coliee_ir
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files import source as files
from coliee_ir import Decisions, Evaluator, Scores, Submission
from coliee_ir.scoring.score import score_each
from coliee_ir.types import ScoreStore

RUNS = 8


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A gold, and runs of which two are copies of others, one of these by the same name in another folder."""
    monkeypatch.chdir(tmp_path)
    dice = random.Random(5)
    documents = [f"{n:06}" for n in range(30)]
    queries = [f"{n:06}" for n in range(100, 108)]
    Path("gold.json").write_text(json.dumps({query: dice.sample(documents, 3) for query in queries}))
    Path("other").mkdir()
    names = [f"r{n}.txt" for n in range(RUNS - 2)]
    for name in names:
        answered = queries[: dice.randint(4, 8)]
        lines = [
            f"{query} Q0 {document} 0 {dice.choice((1, 2, 3))} {name[:2]}\n"
            for query in answered
            for document in dice.sample(documents, 5)
        ]
        Path(name).write_text("".join(lines))
    shutil.copy("r0.txt", "other/r0.txt")
    shutil.copy("r1.txt", "copy.txt")
    return [*names, "other/r0.txt", "copy.txt"]


def scored(runs: list[str], measures: tuple[str, ...] = ("MicroF1", "AP"), **more: Any) -> tuple[Any, ...]:
    """What the store's runs score, how many of them were scored now and how many were known."""
    evaluator = Evaluator("gold.json", measures, task="1", **more)
    with ScoreStore("s.sqlite") as kept:
        found = [each(result) for result in kept.score(evaluator, map(Submission, runs))]
        return found, kept.new, kept.known


def each(scores: Any) -> Any:
    """All that is told of a run."""
    assert not isinstance(scores, Exception), scores
    judged = {part: (one.rank.tolist(), one.retrieved.tolist(), dict(one.extra)) for part, one in scores.judged.items()}
    terms = {one.name: [result.terms.total, result.terms.each.tolist()] for one, result in scores.results.items()}
    return repr((scores.to_dict(per_query=True, ties=True), scores.header(), judged, terms))


def directly(runs: list[str], measures: tuple[str, ...] = ("MicroF1", "AP"), **more: Any) -> list[Any]:
    evaluator = Evaluator("gold.json", measures, task="1", **more)
    return [each(scores) for scores in score_each(evaluator, map(Submission, runs), keep_judged=True)]


def test_what_is_kept_is_what_was_scored_and_only_what_is_new_or_changed_is_scored(sweep: list[str]) -> None:
    assert scored(sweep[:5]) == (directly(sweep[:5]), 5, 0)
    assert scored(sweep) == (directly(sweep), RUNS - 6, 6)  # other/r0.txt is known by its content and name
    assert scored(sweep) == (directly(sweep), 0, RUNS)
    Path("r3.txt").write_text(Path("r4.txt").read_text().replace("r4", "r3"))
    assert scored(sweep) == (directly(sweep), 1, RUNS - 1)
    assert scored(sweep, ("MacroF2", "nDCG@3")) == (directly(sweep, ("MacroF2", "nDCG@3")), 0, RUNS)
    assert scored(sweep, decisions=Decisions(unanswered="skip"))[1:] == (RUNS, 0)
    assert scored(sweep, only="000100,000101")[1:] == (RUNS, 0)
    assert scored(sweep)[1:] == (0, RUNS)
    gold = Path("gold.json").read_text()
    Path("gold.json").write_text(gold.replace('"000100": [', '"000100": ["000099", '))
    assert scored(sweep) == (directly(sweep), RUNS, 0)


@pytest.mark.parametrize("asked", [("MicroF1",), ("AP",), ("MacroF2",), ("MicroF2@2", "P@1")])
def test_what_is_remarked_is_about_the_measures_that_are_asked_for(asked: tuple[str, ...], sweep: list[str]) -> None:
    gold = json.loads(Path("gold.json").read_text())
    Path("gold.json").write_text(json.dumps(gold | {"000109": []}))
    scored(sweep[:5], ("MicroF1", "MacroF2", "P@1", "AP", "AP(rel=2)"))
    evaluator = Evaluator("gold.json", asked, task="1")
    with ScoreStore("s.sqlite", reading=True) as kept:
        found = [[remark.kind for remark in scores.remarks] for scores in kept.scores(evaluator)]
    anew = score_each(evaluator, map(Submission, sweep[:5]))
    assert found == [[remark.kind for remark in scores.remarks] for scores in anew if isinstance(scores, Scores)]
    assert len(set(map(tuple, found))) > 1


def test_a_run_that_moved_is_known_and_is_there_once(sweep: list[str]) -> None:
    scored(sweep[:3])
    Path("later").mkdir()
    shutil.move("r2.txt", "later/r2.txt")
    assert scored(["later/r2.txt"]) == (directly(["later/r2.txt"]), 0, 1)
    with ScoreStore("s.sqlite", reading=True) as kept:
        files = [scores.file for scores in kept.scores(Evaluator("gold.json", task="1"))]
    assert files == ["r0.txt", "r1.txt", "later/r2.txt"]


def in_child(work: Callable[[], object]) -> int:
    """The signal that ended a process which did this."""
    if (child := os.fork()) == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kills_at(place: int) -> Callable[[str], None]:
    """What ends the process when it has been called so often."""
    calls = count(1)
    return lambda what: os.kill(os.getpid(), signal.SIGKILL) if next(calls) == place else None


class Killing(sqlite3.Connection):
    """A connection that asks, before and after whatever is done, whether it is time."""

    ask: Callable[[str], None] = staticmethod(print)

    def execute(self, *given: Any) -> Any:
        Killing.ask("before")
        done = super().execute(*given)
        Killing.ask("after")
        return done


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked to be killed")
@pytest.mark.filterwarnings("ignore: …:DeprecationWarning")
def test_a_kill_at_any_moment_loses_nothing_and_nothing_is_twice(
    sweep: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: connect(*args, **more, factory=Killing))
    moments = count()
    Killing.ask = staticmethod(lambda what: next(moments))
    scored(sweep)
    last = next(moments)
    Path("s.sqlite").unlink()
    before = 0
    for place in [*range(1, last, 80), *range(last - 6, last + 2)]:
        if place >= last - 6:  # of a sweep that is not interrupted before
            before = 0
            for path in Path().glob("s.sqlite*"):
                path.unlink()
        Killing.ask = staticmethod(kills_at(place))
        ended = in_child(lambda: scored(sweep))
        Killing.ask = staticmethod(lambda what: None)
        if there := files.is_store("s.sqlite"):
            with sqlite3.connect("s.sqlite") as opened:
                assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                known = opened.execute("SELECT COUNT(*) FROM runs").fetchone()[0]
            opened.close()
        assert known >= before if there else not before
        before = known if there else 0
        if place >= last - 6:
            assert known >= RUNS - 1
    assert ended == 0
    found, new, known = scored(sweep)
    assert (found, new, known) == (directly(sweep), 0, RUNS)
    with ScoreStore("s.sqlite", reading=True) as kept:
        names = [scores.file for scores in kept.scores(Evaluator("gold.json", task="1"))]
    assert sorted(names) == sorted(sweep)
    assert not [*Path().glob("s.sqlite?*")]


@pytest.mark.parametrize("task", ["1", "3", "3 of 2025", "4", "5", "rationale", "trec"])
def test_a_store_stands_for_its_runs(task: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    gold, *given = SHOWN[task]
    at = next((at for at, one in enumerate(given) if one.startswith("-")), len(given))
    runs, options = given[:at], given[at:]
    more = options if task in ("5", "rationale") else options[:2] if "--edition" in options else []
    kept = tmp_path / "s.sqlite"
    code, out, _ = call("evaluate", gold, *runs, *options, "-f", "jsonl", "-q")
    assert call("evaluate", gold, *runs, *options, "-f", "jsonl", "-q", "--store", kept)[:2] == (code, out) == (0, out)
    assert call("evaluate", gold, kept, *more, "-f", "jsonl", "-q")[:2] == (0, out)
    measure = [] if task not in ("1", "trec") else ["-m", "nDCG@10"]  # which was not asked for
    assert (
        call("compare", gold, kept, *more, *measure, "--resamples", "200")[:2]
        == call("compare", gold, *runs, *options, *measure, "--resamples", "200")[:2]
    )
    if task == "1":
        given_ = ([kept], runs)
        told = [json.loads(call("leaderboard", gold, *one, "-f", "json", "--resamples", "200")[1]) for one in given_]
        assert told[0] | {"inputs": {}} == told[1] | {"inputs": {}}


def test_a_leaderboard_has_a_run_once_that_a_store_has_twice(sweep: list[str], call: Call) -> None:
    runs = [*sweep[:3], "copy.txt"]
    assert call("evaluate", "gold.json", *runs, "--store", "s.sqlite", "--task", "1")[0] == 0
    for given in (["s.sqlite"], ["s.sqlite", *runs[:3]]):
        out, err = done(call, "leaderboard", "gold.json", *given, "-f", "csv", "--task", "1")
        assert len(out.splitlines()) == 1 + 3, given
        assert "copy.txt" in err


def test_functions_take_a_store_where_commands_do(tmp_path: Path) -> None:
    gold, *runs = (EXAMPLES / path for path in SHOWN["1"])
    evaluator, kept = coliee_ir.Evaluator(gold), tmp_path / "s.sqlite"
    with coliee_ir.types.ScoreStore(kept) as store:
        assert len(list(store.score(evaluator, runs[:2]))) == 2
    for given in ([kept, runs[2]], [str(kept), coliee_ir.read_run(runs[2])]):
        found = one_step.compare(gold, *given, measure="AP", n_resamples=99).to_dict()
        assert found == one_step.compare(gold, *runs, measure="AP", n_resamples=99).to_dict()
    report = one_step.report(gold, runs[2], kept, n_resamples=99)
    assert {entry.tag for entry in report.contents.board.entries} == {"bm25", "dense", "rerank"}
    assert [tuning is None for tuning in report.contents.tunings] == [False, True, True]  # in order of their scores
    with pytest.raises(coliee_ir.UsageError, match=r"s\.sqlite"):
        coliee_ir.tune(gold, kept)


def test_a_report_of_a_store_says_what_it_cannot_show(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coliee_ir.types.Report, "to_html", lambda report: "drawing takes seconds")
    gold, *runs = (EXAMPLES / path for path in SHOWN["1"])
    kept, page = tmp_path / "s.sqlite", tmp_path / "page.html"
    assert call("evaluate", gold, *runs, "--store", kept)[0] == 0
    code, _, err = call("report", gold, kept, "-o", page, "--resamples", "200")
    assert (code, page.exists(), err.count("no cutoff is chosen for ")) == (0, True, 3)


def test_a_store_has_nothing_to_cut(sweep: list[str], call: Call) -> None:
    scored(sweep)
    for more in ([], ["r0.txt"]):
        code, out, err = call("tune", "gold.json", "s.sqlite", *more)
        assert (code, out, "s.sqlite" in err) == (2, "", True)


def test_broken_runs_are_told_each_time_and_the_others_are_kept(sweep: list[str], call: Call) -> None:
    Path("broken.txt").write_text("000100\n")
    given = ("evaluate", "gold.json", "r0.txt", "broken.txt", "r1.txt", "--task", "1", "--store", "s.sqlite")
    assert call(*given)[:2] == (2, "")
    for _ in range(2):
        code, out, err = call(*given, "--keep-going", "-f", "csv")
        assert (code, len(out.splitlines()), err.count("broken.txt")) == (2, 3, 1)
    assert "0 runs scored, 2 known" in err


def test_a_folder_that_holds_its_store(sweep: list[str], call: Call) -> None:
    Path("runs").mkdir()
    for name in sweep[:3]:
        shutil.move(name, f"runs/{name}")
    given = ("evaluate", "gold.json", "runs", "--task", "1", "--store", "runs/s.sqlite", "-f", "csv")
    first, second = call(*given), call(*given)
    assert first[:2] == second[:2] == (0, first[1])
    assert len(first[1].splitlines()) == 4


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["r0.txt", "--store", "r0.txt"], "r0.txt"),
        (["r0.txt", "--store", "s.parquet"], ".sqlite"),
        (["r0.txt", "--store", "notes.sqlite"], "notes.sqlite"),
        (["r0.txt", "--store", "no/such/s.sqlite"], "no/such/s.sqlite"),
        (["s.sqlite", "--store", "s.sqlite"], "s.sqlite"),
        (["s.sqlite", "--only", "000100"], "8 queries"),
        (["s.sqlite", "--decision", "unanswered=skip"], "unanswered=zero"),
    ],
)
def test_what_is_refused(given: list[str], said: str, sweep: list[str], call: Call) -> None:
    Path("notes.sqlite").write_text("my notes")
    assert call("evaluate", "gold.json", "r0.txt", "r1.txt", "--task", "1", "--store", "s.sqlite")[0] == 0
    before = {path: path.read_bytes() for path in Path().glob("*.*")}
    code, out, err = call("evaluate", "gold.json", *given, "--task", "1")
    assert (code, out, said in err.splitlines()[-1]) == (2, "", True), err
    assert {path: path.read_bytes() for path in Path().glob("*.*")} == before


def test_two_processes_do_not_write_to_one_store(sweep: list[str]) -> None:
    with ScoreStore("s.sqlite") as kept:
        list(kept.score(Evaluator("gold.json", task="1"), [Submission("r0.txt")]))
        with pytest.raises(InputError, match="another process"):
            ScoreStore("s.sqlite")
        with pytest.raises(InputError, match="another process"), ScoreStore("s.sqlite", reading=True) as other:
            list(other.scores(Evaluator("gold.json", task="1")))


def test_runs_in_memory_are_not_kept(sweep: list[str]) -> None:
    evaluator = Evaluator("gold.json", task="1")
    with ScoreStore("s.sqlite") as kept, pytest.raises(UsageError, match="memory"):
        list(kept.score(evaluator, [Submission({"000100": ["000001"]})]))


def test_stores_are_told_from_other_files(sweep: list[str]) -> None:
    scored(sweep[:1])
    sqlite3.connect("other.sqlite").close()
    with sqlite3.connect("third.sqlite") as db:
        db.execute("CREATE TABLE runs (file TEXT)")
    db.close()
    names = ["s.sqlite", "other.sqlite", "third.sqlite", "gold.json", "r0.txt", "missing.sqlite"]
    assert [files.is_store(name) for name in names] == [True] + [False] * 5


def test_a_damaged_store_is_one_sentence_and_never_another_score(sweep: list[str], call: Call) -> None:
    """Bits flipped, pages zeroed, an end cut off or added to."""
    given = ("leaderboard", "gold.json", "s.sqlite", "-f", "csv", "--task", "1", "--resamples", "9")
    assert call("evaluate", "gold.json", *sweep[:4], "--store", "s.sqlite", "--task", "1", "-m", "AP")[0] == 0
    whole, (code, expected, _) = Path("s.sqlite").read_bytes(), call(*given)
    dice, refused = random.Random(3), 0
    for damage in range(20):
        broken, at = bytearray(whole), dice.randrange(100, len(whole))
        if damage % 4 == 3:
            broken[at : at + 200] = bytes(200)
        elif damage % 10 == 2:
            del broken[at:]
        else:
            broken[at] ^= 1 << dice.randrange(8)
        Path("s.sqlite").write_bytes(broken)
        code, out, err = call(*given)
        assert (code, out) in ((0, expected), (2, "")), (damage, at, err)
        refused += code == 2
        code, out, err = call("evaluate", "gold.json", sweep[0], "--store", "s.sqlite", "--task", "1", "-m", "AP")
        assert code in (0, 2), err
        for path in Path().glob("s.sqlite-*"):
            path.unlink()
    assert refused > 3


@pytest.mark.parametrize(
    ("damage", "named", "more"),
    [
        ("pages", ["runs"], ()),
        ("pages", ["runs/r0.txt", "runs/s.sqlite"], ("-o", "out.csv")),
        ("row", ["runs"], ("--task", "1", "-o", "out.csv")),
        ("row", ["runs/r0.txt", "runs/s.sqlite"], ()),
    ],
)
def test_a_damaged_store_leaves_sound_runs_their_scores(
    damage: str, named: list[str], more: tuple[str, ...], sweep: list[str], call: Call
) -> None:
    scored(sweep[1:3])
    Path("runs").mkdir()
    shutil.move("r0.txt", "runs/r0.txt")
    if damage == "row":
        with sqlite3.connect("s.sqlite") as db:
            db.execute("UPDATE runs SET judged = x'00' WHERE file = 'r2.txt'")
        db.close()
    whole = bytearray(Path("s.sqlite").read_bytes())
    whole[100:200] = whole[100:200] if damage == "row" else bytes(100)
    Path("runs/s.sqlite").write_bytes(whole)
    for command in (("evaluate", "--keep-going"), ("leaderboard", "--resamples", "9")):
        code, out, err = call(command[0], "gold.json", *named, *command[1:], "-f", "csv", *more)
        out = Path("out.csv").read_text() if "-o" in more else out
        assert (code, len(out.splitlines()), "runs/s.sqlite" in err) == (2, 2, True), err
        assert "r0" in out.splitlines()[1]
    assert call("evaluate", "gold.json", *named, "-f", "csv")[:2] == (2, "")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("judged", b""), ("judged", None), ("judged", zlib.compress(b"[")), ("judged", zlib.compress(b"{}\n")),
        ("judged", zlib.compress(b'{"arrays": {"documents rank": ["<i4", 9]}}\n')), ("content", "another"),
    ],
)  # fmt: skip
def test_a_forged_row_is_refused(sweep: list[str], call: Call, column: str, value: object) -> None:
    scored(sweep[:2])
    with sqlite3.connect("s.sqlite") as db:
        db.execute(f"UPDATE runs SET {column} = ?", (value,))
    db.close()
    for more in ((), ("-m", "nDCG@3")):
        code, _, err = call("compare", "gold.json", "s.sqlite", *more, "--task", "1", "--resamples", "9")
        assert (code, "Traceback" in err) == (2, False), err


def test_no_output_takes_the_place_of_a_run_of_a_store(sweep: list[str], call: Call) -> None:
    scored(sweep[:2])
    before = {name: Path(name).read_bytes() for name in sweep[:2]}
    for command in ("leaderboard", "compare", "tune"):
        code, out, err = call(command, "gold.json", "s.sqlite", "--task", "1", "-o", sweep[1])
        assert (code, out, sweep[1] in err) == (2, "", True)
    assert {name: Path(name).read_bytes() for name in sweep[:2]} == before
