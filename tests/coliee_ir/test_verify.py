"""Manifests: reproducible, complete, and told apart from anything that was changed since."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from messages import wording

from coliee_adapters.files import sha256_of
from coliee_ir.cli import COMMANDS as COMMANDS_OF_ALL
from coliee_ir.cli import main
from coliee_ir.cli import verify as verify_command

Call = Callable[..., tuple[int, str, str]]

COMMANDS = {
    "evaluate": ["evaluate", "gold.json", "runs", "-f", "json"],
    "compare": ["compare", "gold.json", "runs/a", "runs/b", "--resamples", "199"],
    "leaderboard": ["leaderboard", "gold.json", "runs", "--teams", "teams.csv", "--resamples", "99", "-f", "csv"],
    "report": ["report", "gold.json", "runs", "--resamples", "9"],
    "plan": ["plan", "gold.json", "runs", "--resamples", "19", "--years", "3", "-f", "json"],
    "validate": ["validate", "runs", "--gold", "gold.json", "-f", "json"],
    "tune": ["tune", "gold.json", "runs", "--task", "1", "--folds", "2", "--repeats", "1"],
    "fuse": ["fuse", "runs/a", "runs/b", "--fit", "gold.json", "--task", "1", "--folds", "2", "--repeats", "1"],
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text(json.dumps({f"{n:06}": [f"{n + 100:06}"] for n in range(1, 9)}))
    Path("teams.csv").write_text("tag,team\na,A\nb,B\n")
    Path("runs").mkdir()
    for tag, right in (("a", 6), ("b", 3)):
        lines = "".join(f"{n:06} {n + (100 if n <= right else 200):06} {tag}\n" for n in range(1, 9))
        Path("runs", tag).write_text(lines)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_result_is_confirmed_and_its_manifest_repeats(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    if name == "report":
        pytest.importorskip("altair")
    for target in ("one.json", "two.json"):
        assert main([*COMMANDS[name], "--manifest", target, "-o", "result"]) == 0
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    held = json.loads(Path("one.json").read_text())
    capsys.readouterr()
    expected = {"gold.json", "runs/a", "runs/b", *(["teams.csv"] if name == "leaderboard" else [])}
    assert set(held["files"]) == expected
    assert held["command"] == COMMANDS[name]
    capsys.readouterr()
    assert main(["verify", "one.json"]) == 0
    out, err = capsys.readouterr()
    assert err == f"{wording('result-confirmed')}\n"
    assert [line.split()[-1] for line in out.splitlines()[1:]] == ["same"] * (len(expected) + 1)


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (
            lambda: Path("runs/a").write_text(Path("runs/a").read_text().replace("000106", "000999")),
            {"runs/a", "result"},
        ),
        (lambda: Path("gold.json").write_text(Path("gold.json").read_text() + "\n"), {"gold.json"}),
        (lambda: Path("runs/c").write_text("000001 000101 c\n"), {"result"}),
        (lambda: Path("runs/a").unlink(), {"runs/a", "result"}),
    ],
)
def test_whatever_changed_is_named(change: object, differs: set[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMANDS["leaderboard"], "--manifest", "m.json"]) == 0
    change()  # type: ignore[operator]
    capsys.readouterr()
    assert main(["verify", "m.json"]) == 1
    out, err = capsys.readouterr()
    assert {line.split()[0] for line in out.splitlines()[1:] if not line.endswith("same")} == differs
    assert err.endswith(f"{wording('result-not-confirmed')}\n")


@pytest.mark.parametrize("text", ["{}", "[]", "x", '{"command": [], "files": {}, "result": {"sha256": ""}}'])
def test_what_is_not_a_manifest(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.json").write_text(text)
    assert main(["verify", "m.json"]) == 2
    assert f"m.json: {wording('not-manifest-coliee')}" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", [["report", "g", "r", "-o", "x"], ["evaluate", "g", "r", "-ox"], ["evaluate", "--output=x"]]
)
def test_a_manifest_cannot_make_files(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("m.json").write_text(json.dumps({"command": command, "files": {}, "result": {"sha256": ""}}))
    assert main(["verify", "m.json"]) == 2
    assert wording("only-run-again") in capsys.readouterr().err
    assert not Path("x").exists()


def test_a_fused_run_is_what_its_manifest_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuse", "runs", "-o", "fused", "--manifest", "m.json"]) == 0
    assert main(["fuse", "runs", "-o", "alone"]) == 0
    assert Path("fused").read_bytes() == Path("alone").read_bytes()
    assert json.loads(Path("m.json").read_text())["result"]["sha256"] == sha256_of("fused")
    assert main(["verify", "m.json"]) == 0
    for more in (["-f", "parquet"], ["-o", "fused.parquet"]):
        for fit in ([], ["--fit", "gold.json", "--save-weights", "other.weights"]):
            assert main(["fuse", "runs", "-o", "other", *more, *fit, "--manifest", "other.json"]) == 2
    assert not list(Path().glob("other*"))


def test_the_commands_that_take_a_manifest_are_those_that_can_be_run_again() -> None:
    taking = {name for name in COMMANDS_OF_ALL if hasattr(parsed(name), "manifest")}
    assert taking == set(verify_command._COMMANDS) == set(COMMANDS)


def parsed(name: str) -> argparse.Namespace:
    """What a command's parser makes of nothing: the defaults of its options."""
    parser = argparse.ArgumentParser()
    importlib.import_module(f"coliee_ir.cli.{name}").add_arguments(parser)
    return argparse.Namespace(**{action.dest: action.default for action in parser._actions})


def test_a_cut_run_has_no_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "gold.json", "runs/a", "--apply", "runs/b", "-o", "cut", "--manifest", "m.json"]) == 2
    assert wording("manifest-about-table") in capsys.readouterr().err
    assert not Path("cut").exists()


def test_standard_input_has_no_manifest(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("runs/a").open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        for command in (
            ["evaluate", "gold.json", "-", "--log", "beside"],
            ["tune", "gold.json", "-", "--save-rule", "beside"],
            ["fuse", "runs/b", "-", "--fit", "gold.json", "--save-weights", "beside"],
            ["leaderboard", "gold.json", "runs/b", "-", "--tables", "beside"],
        ):
            assert main([*command, "--manifest", "m.json"]) == 2
            assert {path.name for path in Path().iterdir()} == {"gold.json", "runs", "teams.csv"}
        assert stream.tell() == 0


def test_the_files_are_found_from_the_manifest_too(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("sent").mkdir()
    assert call("evaluate", "gold.json", "runs", "--manifest", "sent/m.json")[0] == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    code, _, err = call("verify", "../sent/m.json", "-o", "checked")
    assert (code, str(tmp_path) in err, wording("result-confirmed") in err) == (0, True, True)
    assert Path("checked").exists()
    Path("m.json").write_bytes(Path("../sent/m.json").read_bytes())
    Path("../gold.json").unlink()
    code, out, err = call("verify", "m.json")
    assert (code, "missing" in out, str(elsewhere) in err) == (1, True, True)
