"""``evaluate --log``: a row for each run, appended, that a reader can recompute; and the runs that a log stands for."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import multiprocessing
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from messages import wording

import coliee_ir
from coliee_ir import evaluate
from coliee_ir.rules import protocol as protocols
from coliee_ir.scoring import log

Call = Callable[..., tuple[int, str, str]]

EXAMPLES = Path(coliee_ir.__file__).parent / "examples"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text('{"000001": ["000007", "000008"]}')
    Path("a.txt").write_text("000001 000007 A\n")
    Path("b.txt").write_text("000001 000009 =B\n")


def logged() -> list[dict[str, str]]:
    return list(csv.DictReader(Path("log.csv").read_text().splitlines()))


@pytest.mark.usefixtures("files")
def test_each_run_has_a_row_and_a_new_measure_a_column(call: Call) -> None:
    given = ("evaluate", "gold.json", "--task", "1", "--log", "log.csv")
    assert call(*given, "a.txt", "b.txt")[0] == 0
    assert call(*given, "a.txt", "-m", "MicroR@1", "-m", "MicroF1")[0] == 0
    first, second, third = logged()
    assert [row["tag"] for row in (first, second, third)] == ["A", "'=B", "A"]
    assert {row["sha256"] for row in (first, third)} == {hashlib.sha256(Path("a.txt").read_bytes()).hexdigest()}
    expected = evaluate("gold.json", "a.txt", task="1").measures
    assert {name: float(first[name]) for name in expected} == expected
    assert (first["MicroR@1"], third["MicroR@1"], third["MicroP"]) == ("", "0.5", "")
    assert (third["options"], third["task"], third["queries"]) == (
        "gold.json --task 1 --log log.csv a.txt -m MicroR@1 -m MicroF1", "1", "1"
    )  # fmt: skip
    assert first["time"].endswith("+00:00")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("log", ["a.txt", "other.csv"])
def test_another_file_is_left_as_it_is(log: str, call: Call) -> None:
    Path("other.csv").write_text("x,y\n1,2\n")
    before = Path(log).read_bytes()
    assert call("evaluate", "gold.json", "a.txt", "--task", "1", "--log", log)[:2] == (2, "")
    assert Path(log).read_bytes() == before


def _append_some(name: str) -> None:
    for at in range(20):
        columns = dict.fromkeys(log.COLUMNS, "") | {"tag": name, "time": str(at)}
        log.append("log.csv", [columns | {f"M@{name}{at // 10}": "0.5"}])


@pytest.mark.skipif(sys.platform == "win32", reason="has no file locks")
@pytest.mark.usefixtures("files")
def test_several_processes_append_at_once() -> None:
    """Training processes log to one file, each with measures of its own: the header changes under the others."""
    names = ["a", "b", "c", "d"]
    with multiprocessing.get_context("fork").Pool(4) as pool:
        pool.map(_append_some, names, chunksize=1)
    found = logged()
    assert {name: [int(row["time"]) for row in found if row["tag"] == name] for name in names} == {
        name: list(range(20)) for name in names
    }
    assert all(row[f"M@{row['tag']}{int(row['time']) // 10}"] == "0.5" for row in found)


@pytest.mark.usefixtures("files")
def test_what_people_make_of_a_log_is_kept(call: Call) -> None:
    """A column of notes, rows that were cut short, no newline at the end, an empty file."""
    given = ("evaluate", "gold.json", "--task", "1", "--log", "log.csv")
    Path("log.csv").touch()
    assert call(*given, "a.txt")[0] == 0
    header, row = Path("log.csv").read_text().splitlines()
    Path("log.csv").write_text(f"note,{header}\nfirst try,{row}\nshort,2026")
    assert call(*given, "b.txt")[0] == 0
    assert [(row["note"], row["tag"]) for row in logged()] == [("first try", "A"), ("short", ""), ("", "'=B")]
    assert call("compare", "gold.json", "log.csv", "--task", "1")[0] == 0


GOLD = {f"00000{q}": [f"00010{q}", f"00020{q}"] for q in range(1, 7)}


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> list[str]:
    """Three runs and a log of them, with another of another split."""
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text(json.dumps(GOLD))
    names = []
    for at in (1, 2, 3):
        names.append(f"r{at}.txt")
        lines = [f"{q} {docs[0] if int(q) % 4 < at else '000999'} R{at}\n" for q, docs in GOLD.items()]
        Path(names[-1]).write_text("".join(lines))
    assert call("evaluate", "gold.json", *names, "--task", "1", "--log", "log.csv")[0] == 0
    assert call("evaluate", "gold.json", "r1.txt", "--task", "1", "--only", "000001", "--log", "log.csv")[0] == 0
    return names


def test_a_log_stands_for_its_runs_while_their_files_are_as_they_were(sweep: list[str], call: Call) -> None:
    for command, more in (("compare", ()), ("compare", ("-m", "R@2")), ("leaderboard", ())):
        given = (command, "gold.json", "--task", "1", "-f", "csv", "--resamples", "99", *more)
        code, expected, _ = call(*given, *sweep)
        assert code == 0
        assert call(*given, "log.csv")[:2] == (0, expected)
        assert sorted(call(*given, "log.csv", "r2.txt")[1].splitlines()[0]) == sorted(expected.splitlines()[0])
    Path("elsewhere").mkdir()
    Path("log.csv").rename("elsewhere/log.csv")
    for name in sweep:
        Path(name).rename(f"elsewhere/{name}")
    code, out, _ = call("evaluate", "gold.json", "elsewhere/log.csv", "-f", "json")
    assert (code, [run["file"] for run in json.loads(out)["runs"]]) == (0, [f"elsewhere/{name}" for name in sweep])


def test_functions_take_a_log_where_commands_do(sweep: list[str], call: Call) -> None:
    runs = [coliee_ir.compare("gold.json", *given, task="1", n_resamples=99) for given in (sweep, ["log.csv"])]
    assert runs[0].pairs == runs[1].pairs
    Path("r2.txt").unlink()
    found = coliee_ir.compare("gold.json", "log.csv", n_resamples=99)
    code, out, err = call("compare", "gold.json", "log.csv", "--resamples", "99", "-f", "json")
    assert (code, [standing.tag for standing in found.standings]) == (
        0,
        [run["tag"] for run in json.loads(out)["runs"]],
    )
    assert [line for line in err.splitlines() if line.startswith("log.csv")] == [
        remark for remark in found.remarks if remark.startswith("log.csv")
    ]


def test_of_runs_that_changed_the_logged_scores_are_known(sweep: list[str], call: Call) -> None:
    scores = [evaluate("gold.json", name, task="1").measures["MicroF1"] for name in sweep]
    Path("r3.txt").write_text("000001 000101 R3\n")
    Path("r2.txt").unlink()
    given = ("--task", "1", "--resamples", "99")
    code, out, err = call("leaderboard", "gold.json", "log.csv", *given, "-f", "json")
    board = json.loads(out)
    assert (code, [run["tag"] for run in board["runs"]]) == (0, ["R1"])
    assert {run["tag"]: (run["place"], run["measures"]["MicroF1"]) for run in board["logged"]} == {
        "R3": (1, scores[2]), "R2": (2, scores[1])
    }  # fmt: skip
    assert (board["runs"][0]["place"], board["runs"][0]["ranks"]) == (3, [1, 3])
    assert [row["run"] for row in board["tables"]["ranking"]] == ["R3", "R2", "R1"]
    assert "1 run scored again; 2 runs by logged scores alone" in err
    code, out, _ = call("compare", "gold.json", "log.csv", "--baseline", "R2", *given, "-f", "json")
    found = json.loads(out)
    assert (code, [run["score"] for run in found["runs"]]) == (0, [scores[0], scores[1], scores[2]])
    assert [(pair["a"], pair["b"], pair["p"], pair["wins"]) for pair in found["pairs"]] == [
        ("R1", "R2", None, None), ("R3", "R2", None, None)
    ]  # fmt: skip
    assert [pair["difference"] for pair in found["pairs"]] == [scores[0] - scores[1], scores[2] - scores[1]]
    code, out, err = call("evaluate", "gold.json", "log.csv", "--task", "1")
    assert (code, out.count("\n")) == (0, 2)
    assert "2 runs left out" in err


def test_a_log_whose_runs_are_gone_still_has_its_scores(sweep: list[str], call: Call) -> None:
    for name in sweep:
        Path(name).unlink()
    for command, rows in (("compare", 3), ("leaderboard", 3)):
        code, out, _ = call(command, "gold.json", "log.csv", "-f", "csv")
        assert (code, out.count("\n")) == (0, rows + 1)
        assert call(command, "gold.json", "log.csv", "-f", "table")[0] == 0
    assert call("leaderboard", "gold.json", "log.csv", "-f", "json")[0] == 0
    assert call("leaderboard", "gold.json", "log.csv", "--table", "results")[0] in (0, 2)
    assert call("compare", "gold.json", "log.csv", "-m", "AP")[0] == 2  # no row has it
    Path("gold.json").write_text(json.dumps(GOLD | {"000007": ["000107"]}))
    for command in ("compare", "leaderboard"):
        code, out, err = call(command, "gold.json", "log.csv", "--task", "1")
        assert (code, out) == (2, "")
        assert "4 runs left out" in err


@pytest.mark.usefixtures("files")
def test_what_a_log_and_a_store_record_is_their_task(call: Call) -> None:
    stated = 'task = "shelf"\ntitle = "shelf"\nparts = ["documents"]\nmeasures = ["MacroR"]\n'
    Path("own.toml").write_text(stated)
    for number, options in enumerate((["--task", "2"], ["--protocol", "own.toml"])):
        log, store = f"log{number}.csv", f"store{number}.sqlite"
        protocols._named.clear()
        assert call("evaluate", "gold.json", "a.txt", "b.txt", *options, "--log", log, "--store", store)[0] == 0
        for command, held in ((command, held) for command in ("compare", "leaderboard") for held in (log, store)):
            protocols._named.clear()
            code, out, err = call(command, "gold.json", held)
            if number:
                assert (code, out, err) == (2, "", f"coliee-ir: {wording('scores-task-name', held, 'shelf')}\n")
            else:
                assert (code, "task 2 ", f"(as in {held})") == (0, err[:7], err.splitlines()[0].partition(" 2026 ")[2])


def test_a_log_in_a_folder_of_runs_is_no_run(sweep: list[str], call: Call) -> None:
    expected = call("evaluate", "gold.json", *sweep, "--task", "1", "-f", "csv")[:2]
    assert call("evaluate", "gold.json", ".", "--task", "1", "-f", "csv")[:2] == expected
    assert call("evaluate", "gold.json", "log.csv", "--task", "1", "--log", "log.csv")[0] == 2
    for command in (("tune", "gold.json"), ("fuse", sweep[0])):
        code, out, err = call(*command, "log.csv", "--task", "1")
        assert (code, out, err) == (2, "", f"coliee-ir: {wording('log-evaluations-needs', 'log.csv', command[0])}\n")


def test_answers_that_belong_to_a_run_are_logged_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call
) -> None:
    monkeypatch.chdir(tmp_path)
    gold, *files = ["gold.xml", "task3.ALPHA", "answers.ALPHA"]
    for name in (gold, *files):
        Path(name).write_bytes((EXAMPLES / "task3" / name).read_bytes())
    given = ("evaluate", gold, "-f", "json")
    code, expected, _ = call(*given, files[0], "--answers", files[1], "--log", "log.csv")
    assert code == 0
    assert call(*given, "log.csv")[:2] == (0, expected)
    Path(files[1]).write_text("R07-01-A Y ALPHA\n")
    code, out, _ = call("leaderboard", gold, "log.csv", "-f", "json")
    assert (code, json.loads(out)["runs"]) == (0, [])
    assert json.loads(out)["logged"][0]["measures"] == json.loads(expected)["runs"][0]["measures"]


@pytest.mark.usefixtures("files")
def test_what_has_no_hash_is_not_taken_for_another_run_of_its_name(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    for text, measures in (("7 A", ("MicroF1", "MicroP")), ("9 A", ("MicroF1",)), ("9 A", ("MicroF1",))):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(f"000001 00000{text}\n".encode())))
        asked = [part for measure in measures for part in ("-m", measure)]
        assert call("evaluate", "gold.json", "-", "--task", "1", "--log", "log.csv", *asked)[0] == 0
    assert [(row["tag"], row["sha256"]) for row in logged()] == [("A", "")] * 3
    code, out, _ = call("compare", "gold.json", "log.csv", "--task", "1", "-f", "json", "-m", "MicroF1")
    assert (code, sorted(run["score"] for run in json.loads(out)["runs"])) == (0, [0.0, 2 / 3])
    code, _, err = call("compare", "gold.json", "log.csv", "--task", "1", "-m", "MicroP")
    assert (code, "1 run by logged scores" in err) == (2, True)


def test_a_logged_run_without_a_measure_takes_it_from_no_other(sweep: list[str], call: Call) -> None:
    given = ("--task", "1", "-m", "MicroF1", "-m", "MicroP@1")
    assert call("evaluate", "gold.json", *sweep[:2], *given, "--log", "log.csv")[0] == 0
    Path(sweep[2]).unlink()  # logged with the official measures alone
    code, out, err = call("compare", "gold.json", "log.csv", *given, "--resamples", "99")
    assert (code, "MicroP@1" in out, "R3" in out) == (0, True, False)
    assert "left out, logged by another gold, other rules or measures" in err
