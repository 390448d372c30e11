"""Bundles, each unpacked as its platform lays it out and run: the command line's digits, and nothing of the gold."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import yaml  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_ir import evaluate
from coliee_ir.commands.bundle import PLATFORMS, pack, score_upload

Case = tuple[Path, dict[str, bytes], str]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "coliee_ir" / "examples"
ONE = (EXAMPLES / "task1" / "gold.json", {"bm25.txt": (EXAMPLES / "task1" / "bm25.txt").read_bytes()}, "1")
THREE = (
    EXAMPLES / "task3" / "gold.xml",
    {name: (EXAMPLES / "task3" / name).read_bytes() for name in ("task3.ALPHA", "answers.ALPHA")}, "3",
)  # fmt: skip


def unpack(content: bytes, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return folder


def python(*words: object) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "adapters")])
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": paths})


def uploaded(bundle: Path, platform: str, files: dict[str, bytes], place: Path) -> tuple[dict[str, float], str]:
    """Scores, and what the participant sees of an error."""
    place.mkdir()
    upload, out = place / "input" / "res", place / "output"
    for folder in (upload, out):
        folder.mkdir(parents=True)
    for name, content in files.items():
        (upload / name).write_bytes(content)
    if platform == "codabench":
        program = unpack((bundle / "scoring_program.zip").read_bytes(), place / "program")
        unpack((bundle / "reference_data.zip").read_bytes(), place / "input" / "ref")
        done = python(program / "score.py", place / "input", out)
        page = (out / "detailed_results.html").read_text()
        scores = json.loads((out / "scores.json").read_text()) if done.returncode == 0 else {}
        return scores, done.stderr + (page if done.returncode else "")
    done = python(bundle / "evaluate.py", "--input", upload, "--truth", bundle / "truth", "--output", out)
    text = (out / "evaluation.prototext").read_text() if done.returncode == 0 else ""
    return {name: float(value) for name, value in re.findall(r'key: "(.*)"\n  value: "(.*)"', text)}, done.stderr


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("case", [ONE, pytest.param(THREE, marks=pytest.mark.explore)], ids=["task 1", "task 3"])
def test_a_bundle_gives_the_same_digits(
    platform: str, case: tuple[Path, dict[str, bytes], str], tmp_path: Path
) -> None:
    gold, files, task = case
    assert pack(platform, gold, task=task) == pack(platform, gold, task=task)
    bundle = unpack(pack(platform, gold, task=task), tmp_path / "bundle")
    scores, error = uploaded(bundle, platform, files, tmp_path / "place")
    assert error == ""
    (tmp_path / "run").mkdir()
    for name, content in files.items():
        (tmp_path / "run" / name).write_bytes(content)
    first, *others = (tmp_path / "run" / name for name in files)
    expected = evaluate(gold, first, task=task, answers=others[0] if others else None).measures
    assert scores == expected
    if platform == "codabench":
        held = yaml.safe_load((bundle / "competition.yaml").read_text(encoding="utf-8"))
        assert next(iter(expected)) in json.dumps(held, default=str)


BROKEN = {
    "other ids": {"run.txt": b"999999 888888 A\n"}, "lost zeros": {"run.txt": b"2473 1 A\n"},
    "nothing": {"run.txt": b"\n"},
    "cut": {"run.txt": b"000001 000002 A\n000001\n"}, "two": {"a": b"000001 000002 A\n", "b": b"000001 000003 B\n"},
    "a letter": {"readme.txt": b"hello\n"}, "json": {"run.json": b'{"a": '},
}  # fmt: skip


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_broken_upload_gets_a_sentence_and_nothing_of_the_gold(platform: str, tmp_path: Path) -> None:
    gold = json.loads(ONE[0].read_text())
    ids = {Path(text).stem for query, documents in gold.items() for text in (query, *documents)}
    bundle = unpack(pack(platform, ONE[0], task="1"), tmp_path / "bundle")
    rules = {"task": "1", "edition": 2026, "exclude": []}
    for at, (name, files) in enumerate(BROKEN.items()):
        if name in ("other ids", "cut"):  # a process each takes its time
            scores, error = uploaded(bundle, platform, files, tmp_path / f"place{at}")
        else:
            (tmp_path / f"place{at}").mkdir()
            for file, content in files.items():
                (tmp_path / f"place{at}" / file).write_bytes(content)
            scores, _, error = score_upload(ONE[0], tmp_path / f"place{at}", rules)
        assert scores == {} and error and "Traceback" not in error, error
        assert not ids & set(re.findall(r"\d{6}", error)), error
        assert str(tmp_path) not in error


@pytest.mark.parametrize("content", ['{"100001": ["200001", 7.5]}', '{"100001": [7.5', "", "Kept 7.5 here"])
def test_a_fault_of_the_gold_is_not_told_to_participants(content: str, tmp_path: Path) -> None:
    gold, run = tmp_path / "gold.json", tmp_path / "run.txt"
    gold.write_text(content)
    run.write_text("100001 200001 A\n")
    scores, _, error = score_upload(gold, run, {"task": "1", "edition": 2026, "exclude": []})
    assert scores == {} and "organisers" in error and "gold.json" not in error and "7.5" not in error


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    """A run of Task 1, or of another task, cut, patched and shuffled."""
    right, other = (
        "1{:05} 2{:05} A1",
        draw(st.sampled_from(["9{:05} 8{:05} A1", "{1} {0}", "R07-{:02}-U Y A1", "{}\t{}"])),
    )
    form = draw(st.sampled_from([right, other]))
    lines = [form.format(n, n) for n in draw(st.lists(st.integers(0, 9), max_size=6))]
    content = bytearray("\n".join(lines).encode() + draw(st.sampled_from([b"\n", b"", b"\r\n\0"])))
    for at, patch in draw(st.lists(st.tuples(st.integers(0, 60), st.binary(max_size=3)), max_size=4)):
        content[at : at + draw(st.integers(0, 2))] = patch
    return draw(st.sampled_from([b"", b"{", b'{"100001": [', b"\x1f\x8b", b"PK\x03\x04", b"\xef\xbb\xbf"])) + bytes(
        content
    )


@pytest.fixture(scope="module")
def hidden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gold whose ids nobody guesses, and a place for uploads."""
    folder = tmp_path_factory.mktemp("hidden")
    gold = {f"1{n:05}": [f"2{n:05}", f"7{n * 777:05}"] for n in range(8)}
    (folder / "gold.json").write_text(json.dumps(gold))
    return folder


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["a.txt", "b", "c.json", "d.zip", "task3.A1"]), broken()), max_size=3))
def test_whatever_is_uploaded_the_gold_is_in_no_message(hidden: Path, files: list[tuple[str, bytes]]) -> None:
    gold = json.loads((hidden / "gold.json").read_text())
    ids = {text for query, documents in gold.items() for text in (query, *documents)}
    with TemporaryDirectory(dir=hidden) as place:
        for name, content in files:
            Path(place, name).write_bytes(content)
        found = score_upload(hidden / "gold.json", place, {"task": "1", "edition": 2026, "exclude": []})
    sent = b"".join(content for _, content in files).decode(errors="replace")
    assert bool(found.scores) != bool(found.error)
    assert {text for text in ids if text in found.error} <= {text for text in ids if text in sent}
    assert str(hidden) not in found.error


def test_competition_yaml_is_as_codabench_documents_it(tmp_path: Path) -> None:
    """https://docs.codabench.org, Yaml-Structure: what is required, and the keys of scores.json."""
    bundle = unpack(pack("codabench", ONE[0], task="1"), tmp_path)
    held = yaml.safe_load((bundle / "competition.yaml").read_text(encoding="utf-8"))
    assert held["version"] == 2 and held["enable_detailed_results"] is True
    for named in (held["image"], held["terms"], *(page["file"] for page in held["pages"])):
        assert (bundle / named).is_file()
    (task,), (phase,), (board,) = held["tasks"], held["phases"], held["leaderboards"]
    assert {"index", "name", "scoring_program"} <= set(task) and {"name", "start", "tasks"} <= set(phase)
    assert phase["tasks"] == [task["index"]]
    assert all((bundle / task[name]).is_file() for name in ("scoring_program", "reference_data"))
    assert [column["key"] for column in board["columns"]] == ["MicroF1", "MicroP", "MicroR"]
    with zipfile.ZipFile(bundle / "scoring_program.zip") as program:
        command = yaml.safe_load(program.read("metadata.yaml"))["command"]
        assert command.split()[1].removeprefix("/app/program/") in program.namelist()


def test_the_action_is_as_github_documents_it() -> None:
    """Metadata syntax of composite actions: every step that runs names its shell, inputs are strings."""
    held = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert {"name", "description", "inputs", "runs"} == set(held) and held["runs"]["using"] == "composite"
    assert all(step["shell"] == "bash" and "run" in step for step in held["runs"]["steps"])
    for value in held["inputs"].values():
        assert set(value) <= {"description", "required", "default"} and isinstance(value.get("default", ""), str)
    used = set(re.findall(r"inputs\.(\w+)", json.dumps(held["runs"])))
    assert used == set(held["inputs"])
    assert not any("${{" in step["run"] for step in held["runs"]["steps"])  # no input is a part of a script
