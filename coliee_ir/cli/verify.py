"""``coliee-ir verify MANIFEST``."""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
from collections.abc import Sequence
from pathlib import Path

from coliee_adapters.errors import UsageError, printable
from coliee_ir.cli import main, say, scoring
from coliee_ir.cli.options import add
from coliee_ir.commands.verify import folder_of, read_manifest, verify
from coliee_ir.output.grid import Grid, plain

#: the commands that write manifests; no other is run because a file says so
_COMMANDS = ("evaluate", "compare", "leaderboard", "report", "plan", "validate", "tune", "fuse")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "exit code: 0 if the result is the same, 1 if it or a file differs, 2 if the manifest cannot be read\n"
        "example: coliee-ir verify manifest.json"
    )
    add(parser, "manifest_read")
    add(parser, "output")


def run(options: argparse.Namespace) -> int:
    """Compare the files, compute the result again, and say what differs."""
    found = read_manifest(options.manifest_read)
    command = found["command"]
    named = [word.partition("=")[0] for word in command]
    if command[0] not in _COMMANDS or any(word in scoring.WRITING or word.startswith("-o") for word in named):
        raise UsageError(
            f"{options.manifest_read}: only {', '.join(_COMMANDS)} can be run again, and without files to write"
        )
    folder = folder_of(options.manifest_read, found)
    with contextlib.chdir(folder):
        checks = verify(found, _again)
    rows = [[check.what, check.status] for check in checks]
    scoring.put(plain(Grid(["what", "status"], rows)), options.output)
    if folder != Path.cwd():
        say(f"the files were looked for in {printable(str(folder))}")
    elif any(check.status == "missing" for check in checks):
        say(
            f"the files were looked for in {printable(str(folder))} and in the folders of the manifest; "
            "call verify in the folder in which the manifest was made"
        )
    failed = [check for check in checks if check.decides and check.status != "same"]
    say("the result is confirmed" if not failed else "the result is not confirmed")
    return 1 if failed else 0


def _again(command: Sequence[str]) -> str | None:
    """The result of a command; None where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "result")
        with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
            try:
                main([*command, "-o", str(target)])
            except SystemExit:  # an option that there is not any more
                return None
        if not target.is_file():
            say(said.getvalue().strip())
            return None
        with target.open(encoding="utf-8", newline="") as stream:
            return stream.read()
