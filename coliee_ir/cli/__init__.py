"""The command line: one module a command, which parses, calls and prints, and computes nothing."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Final, NoReturn

from coliee_adapters import signals
from coliee_adapters.errors import NO_ROOM, ColieeError, printable
from coliee_adapters.kinds import told
from coliee_ir._version import __version__

#: command → what it does; each is the module of its name
COMMANDS = {
    "evaluate": "score runs with a task's official measures",
    "validate": "check a submission for errors before it is sent, with the remedy for each",
    "compare": "test which differences between runs are significant, with intervals and effect sizes",
    "plan": "find out how many queries, or how large a difference, a comparison needs",
    "leaderboard": "rank the submissions of many teams, and make the tables of an overview paper",
    "tune": "choose where to cut rankings, and estimate the score on other queries",
    "cut": "cut a ranking by a rule that tune has saved",
    "fuse": "fuse runs into one by scores, ranks or votes, with weights that can be fitted",
    "report": "write an HTML report",
    "convert": "convert a gold or a run to another format: TREC files, COLIEE submissions",
    "bundle": "make a scoring bundle for Codabench or TIRA from a gold and the rules of its task",
    "protocol": "list the protocols of tasks, explain one, or write its file to start from",
    "measures": "list the available measures, with definitions and sources",
    "demo": "score the example data that is part of the package",
}


#: how wide help is where nobody asks for it
_WIDTH: Final = 80


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code: 0 done, 1 findings, 2 usage or input that cannot be read, 130 for Ctrl-C.

    Args:
        arguments: what follows the program's name; by default that of the process.

    Raises:
        SystemExit: help was asked for, an option cannot be understood, or a signal ends the process.
    """
    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return 130


def _run(given: list[str]) -> int:
    command = given[0] if given and given[0] in COMMANDS else None
    # argparse makes a formatter for each option and asks how wide the terminal is, which only help needs to know
    helping = any("h" in word for word in given if word.startswith("-"))
    parser = _parser(command, None if helping else _WIDTH)
    if sys.stdout is None:
        say("coliee-ir: standard output is closed [cannot-write]")
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a terminal that lacks a character still gets the result; a file or a pipe gets all of them
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(errors="backslashreplace", encoding=encoding, newline="\n")
    try:
        options, unknown = parser.parse_known_args(given, argparse.Namespace(typed=given))
        if unknown:
            parser.prog += f" {command}"  # which --help describes what there is
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        with signals.raised():
            code: int = options.run(options)
            sys.stdout.flush()
    except ColieeError as error:
        say(f"coliee-ir: {told(error)}")
        return 2
    except MemoryError:
        say("coliee-ir: there is not enough memory; free some, or give less at a time [too-large]")
        return 2
    except RecursionError:
        say("coliee-ir: the input is nested too deeply to be read [too-large]")
        return 2
    except BrokenPipeError:
        # the reader of our output has gone, as with `| head`; nothing more can be said to it
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        what = "the result cannot be written" if error.errno in NO_ROOM else "a file cannot be read or written"
        name = f"{error.filename}: " if isinstance(error.filename, str) else ""
        say(f"coliee-ir: {name}{what} ({error.strerror or error}) [cannot-write]")
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return code


def say(text: str) -> None:
    """A remark to the person at the terminal: a line on standard error. Nothing is said if nobody can be told."""
    with contextlib.suppress(OSError):
        print(printable(told(text)), file=sys.stderr, flush=True)


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, and where the options are described."""

    def error(self, message: str) -> NoReturn:
        say(f"{self.prog}: {message}; see {self.prog} --help [usage]")
        raise SystemExit(2)


def _parser(command: str | None, width: int | None = None) -> argparse.ArgumentParser:
    """The parser; only the module of the command at hand is loaded. Help is as wide as this, or as the terminal."""
    formatter = partial(argparse.RawDescriptionHelpFormatter, width=width)
    parser = _Parser(
        prog="coliee-ir",
        description="Evaluate COLIEE runs. `coliee-ir COMMAND --help` describes a command.",
        epilog="example: coliee-ir evaluate gold.json run.txt",
        allow_abbrev=False,
        formatter_class=partial(argparse.HelpFormatter, width=width),
    )
    parser.add_argument("--version", action="version", version=f"coliee-ir {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, purpose in COMMANDS.items():
        if command in (name, None):
            subparser = commands.add_parser(
                name, help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.", allow_abbrev=False,
                formatter_class=formatter,
            )  # fmt: skip
            if name == command:
                module = importlib.import_module(f"coliee_ir.cli.{name}")
                module.add_arguments(subparser)
                subparser.set_defaults(run=module.run)
    return parser
