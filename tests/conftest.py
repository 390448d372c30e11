"""What all tests share: one hypothesis profile, so that every run draws the same examples, and files to read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from coliee_adapters.files import Source
from coliee_ir.cli import main

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=100, print_blob=True)
settings.load_profile("fixed")

Opened = Callable[..., Source]
Called = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Called:
    """Runs a command: its exit code, standard output and standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Writes content to a file of a temporary folder, which becomes the current one, and opens it."""
    monkeypatch.chdir(tmp_path)

    def opened(content: str | bytes, name: str = "f.txt") -> Source:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return Source(name)

    return opened
