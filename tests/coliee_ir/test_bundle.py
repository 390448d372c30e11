"""Bundles, each unpacked as its platform lays it out and run: the command line's digits, and nothing of the gold."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from coliee_ir import evaluate
from coliee_ir.commands.bundle import PLATFORMS, pack

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
    if platform == "evalai":
        script = unpack((bundle / "evaluation_script.zip").read_bytes(), place / "evaluation_script")
        packed = place / "upload.zip"
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        spec = importlib.util.spec_from_file_location(
            f"script{id(place)}", script / "__init__.py", submodule_search_locations=[str(script)]
        )
        assert spec is not None and spec.loader is not None
        module: Any = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        try:
            given = module.evaluate(
                str(bundle / "annotations" / "test.zip"), str(packed), "test", submission_metadata={}
            )
        except Exception as error:
            return {}, str(error)
        return given["result"][0]["test"], ""
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
@pytest.mark.parametrize("case", [ONE, THREE], ids=["task 1", "task 3"])
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
    for name in ("competition.yaml", "challenge_config.yaml"):
        if (bundle / name).exists():
            held = yaml.safe_load((bundle / name).read_text(encoding="utf-8"))
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
    for at, files in enumerate(BROKEN.values()):
        if platform == "evalai" or at in (0, 3):  # a process each takes its time
            scores, error = uploaded(bundle, platform, files, tmp_path / f"place{at}")
            assert scores == {} and error and "Traceback" not in error, error
            assert not ids & set(re.findall(r"\d{6}", error)), error
            assert str(tmp_path) not in error
