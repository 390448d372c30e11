"""``coliee-ir protocol [NAME|FILE]…`` and ``coliee-ir protocol new GOLD RUN``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from coliee_adapters.errors import UsageError
from coliee_ir.cli import say, scoring
from coliee_ir.cli.options import add
from coliee_ir.commands import protocol
from coliee_ir.rules.protocol import TASKS, neighbours

_NEW = "new"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "coliee-ir protocol new GOLD RUN writes the beginning of a protocol for a pair of files, and what was guessed\n"
        "example: coliee-ir protocol new gold.json run.json -o my-task.toml"
    )
    parser.add_argument(
        "names", metavar="NAME|FILE", nargs="*", help="protocols to explain; or new GOLD RUN (default: list them)"
    )
    add(parser, "output")


def _task_of(output: str) -> str:
    """What the task of a new file is called: as the file, unless a protocol of the package is called that."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(output).stem).strip("-._")
    return stem if output.endswith(".toml") and stem and stem not in (*TASKS, *neighbours()) else "my-task"


def run(options: argparse.Namespace) -> int:
    """List protocols, print some, or begin one."""
    names: list[str] = options.names
    if names[:1] != [_NEW]:
        text = "\n".join(map(protocol.shown, names)) if names else protocol.listed()
    elif len(names) != 3:
        raise UsageError("protocol new takes two files: a gold and a run")
    else:
        begun = protocol.begin(names[1], names[2], _task_of(options.output))
        for one in begun.guessed:
            say(one)
        text = begun.text
    scoring.put(text, options.output)
    return 0
