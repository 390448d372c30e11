"""The README's examples: every command is run and its output compared, every Python session is a doctest."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import coliee_ir

README = Path(__file__).parent.parent / "README.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example data, in which the README's commands run."""
    shutil.copytree(Path(coliee_ir.__file__).parent / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path / "examples")
    return tmp_path / "examples"


@pytest.mark.parametrize("block", [text for kind, text in BLOCKS if kind == "console"])
def test_each_console_block_prints_what_it_shows(block: str, examples: Path) -> None:
    printed = ""
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        program = f'"{sys.executable}" -m coliee_ir'
        refused = "coliee-ir: " in block
        convert = command.startswith("coliee-ir convert")
        done = subprocess.run(
            command.replace("coliee-ir", program, 1), shell=True, cwd=examples, capture_output=True, text=True
        )
        assert done.returncode == (2 if refused else 0), done.stderr
        printed += f"$ {command}\n{done.stdout}" + (done.stderr if refused or convert else "")
    assert printed == block


@pytest.mark.parametrize("block", [text for kind, text in BLOCKS if kind == "pycon"])
@pytest.mark.usefixtures("examples")
def test_each_python_block_prints_what_it_shows(block: str) -> None:
    test = doctest.DocTestParser().get_doctest(block, {}, "README", str(README), 0)
    result = doctest.DocTestRunner().run(test)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_tasks_table_names_every_official_measure() -> None:
    text = README.read_text(encoding="utf-8")
    for row in coliee_ir.PROTOCOLS:
        assert f"`{row.task}`" in text
        for measure in row.measures:
            assert measure in text
