"""The command line: one module a command, which parses, calls and prints, and computes nothing."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from time import perf_counter
from typing import Final, NoReturn, TypeVar

from coliee_adapters import signals
from coliee_adapters.errors import DISK_FULL, INTERNAL, ColieeError, InternalError, ScoreWarning, printable
from coliee_adapters.kinds import with_kind
from coliee_ir._version import __version__

#: what a reader wants → command → what it does; each command is the module of its name
GROUPS = {
    "Score": {
        "evaluate": "score runs with a task's official measures",
        "report": "write an HTML report of all runs",
    },
    "Prepare": {
        "validate": "check a submission before you send it; each error comes with its fix",
        "tune": "find the best cutoff for a ranking and estimate its score on new queries",
        "cut": "cut a ranking: keep the top k, scores above a threshold, or what a saved rule keeps",
        "fuse": "combine several runs into one (RRF, CombSUM, voting …), with fixed or fitted weights",
        "convert": "convert a gold or a run to another format: TREC files, COLIEE submissions",
    },
    "Compare": {
        "compare": "test which differences between runs are significant, with intervals and effect sizes",
        "plan": "estimate the smallest difference that a comparison of N queries detects",
    },
    "Organise": {
        "leaderboard": "rank the submissions of many teams, and make the tables of an overview paper",
        "edition": "run a whole edition: check and rank all submissions, write site, paper and letters",
        "bundle": "package a gold and its scorer for Codabench",
    },
    "Look up": {
        "measures": "list the available measures, with definitions and sources",
        "protocol": "list task definitions (protocols), or print one as a starting point for your own",
        "demo": "score the bundled example data, or copy it to a folder (-o DIR)",
    },
}
COMMANDS = {command: purpose for group in GROUPS.values() for command, purpose in group.items()}


_Result = TypeVar("_Result")

#: the exit code after an error of ours, EX_SOFTWARE
_OURS: Final = 70

#: what takes longer is shown, and how often, in seconds
_SOON, _EVERY = 2.0, 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    The exit code: 0 done, 1 findings, 2 usage or input that cannot be read, 70 an error of ours, 130 for Ctrl-C.
    """
    INTERNAL.clear()
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return 130
    told_of = {str(error): error for error in INTERNAL}
    for error in told_of.values():
        print_remark(f"coliee-ir: {with_kind(error)}", error.trace)
    return _OURS if told_of else code


def _run(words: list[str]) -> int:
    if words[:1] == ["help"]:  # as git has it
        words = [*words[1:2], "--help"]
    command = words[0] if words else None
    if sys.stdout is None:
        print_remark("coliee-ir: standard output is closed [cannot-write]")
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a terminal that lacks a character still gets the result; a file or a pipe gets all of them
        encoding = None if sys.stdout.isatty() else "utf-8"
        sys.stdout.reconfigure(errors="backslashreplace", encoding=encoding, newline="\n")
    try:
        parser = parser_of(command) if command in COMMANDS else _overview()
        if command not in COMMANDS:
            _refuse_command(parser, words)
        _refuse_unknown(parser, words[1:])
        from coliee_ir.cli.options import settle  # which help and version do without

        options = settle(parser, parser.parse_args(words[1:], argparse.Namespace(typed=words)))
        with signals.signals_as_exceptions(), _progress(options.command), warnings.catch_warnings():
            warnings.simplefilter("ignore", ScoreWarning)  # remarks are printed instead
            code: int = importlib.import_module(f"coliee_ir.cli.{command}").run(options)
            sys.stdout.flush()
    except InternalError:  # main reports it
        return _OURS
    except ColieeError as error:
        print_remark(f"coliee-ir: {with_kind(error)}")
        return 2
    except MemoryError:
        print_remark("coliee-ir: there is not enough memory; free some, or give less at a time [too-large]")
        return 2
    except BrokenPipeError:
        # the reader of our output has gone, as with `| head`; nothing more can be said to it
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        what = "the result cannot be written" if error.errno in DISK_FULL else "a file cannot be read or written"
        name = f"{error.filename}: " if isinstance(error.filename, str) else ""
        print_remark(f"coliee-ir: {name}{what} ({error.strerror or error}) [cannot-write]")
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except Exception as error:
        if not any(internal.__cause__ is error for internal in INTERNAL):
            InternalError.of_exception("", error)  # main reports it
        return _OURS
    return code


def print_remark(text: str, trace: str = "") -> None:
    """A remark to the person at the terminal: a line on standard error, and a traceback behind it.

    Nothing is said if nobody can be told.
    """
    with contextlib.suppress(OSError), _progress_hidden():
        print(printable(with_kind(text)), *map(printable, trace.splitlines()), sep="\n", file=sys.stderr, flush=True)


class _Line:
    """What a command that takes long shows on a terminal: one line, which goes before anything is said.

    It is drawn by a timer's signal rather than a thread, since processes are forked meanwhile.
    """

    def __init__(self) -> None:
        self.text = ""  # what stands on the terminal
        self.is_held = True  # whether nothing may be drawn
        self.done, self.n, self.began = 0, 0, 0.0

    def draw(self, text: str) -> None:
        """Draw over what stands there, without what only some terminals know."""
        blank = "\r" + " " * len(self.text) + "\r" if self.text else ""
        self.text = text
        with contextlib.suppress(OSError):
            os.write(sys.stderr.fileno(), (blank + text).encode())


_line = _Line()


@contextlib.contextmanager
def _progress(command: str) -> Iterator[None]:
    """In this block, show for how long it has been running, if somebody watches. Windows has no such timer."""
    start = perf_counter()

    def tick(*_: object) -> None:
        now = perf_counter()
        text = f"coliee-ir {command}: {now - start:.0f} s"
        if _line.done:
            left = (now - _line.began) / _line.done * (_line.n - _line.done)
            text += f", {_line.done} of {_line.n}, {left:.0f} s left"
        if not _line.is_held:
            _line.draw(text)

    with contextlib.ExitStack() as stack:
        is_watched = sys.stderr is not None and sys.stderr.isatty() and hasattr(signal, "setitimer")
        if is_watched and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL:
            with contextlib.suppress(ValueError):  # only the main thread may
                signal.signal(signal.SIGALRM, tick)
                stack.callback(signal.signal, signal.SIGALRM, signal.SIG_DFL)
                stack.callback(signal.setitimer, signal.ITIMER_REAL, 0)
                stack.callback(end_progress)
                _line.is_held = False
                signal.setitimer(signal.ITIMER_REAL, _SOON, _EVERY)
        yield


@contextlib.contextmanager
def _progress_hidden() -> Iterator[None]:
    """In this block nothing stands on the line: something else is said."""
    before, _line.is_held = _line.is_held, True
    if _line.text:
        _line.draw("")
    try:
        yield
    finally:
        _line.is_held = before


def end_progress() -> None:
    """From now on show nothing: the result follows, or a question."""
    with _progress_hidden():
        pass
    _line.is_held = True


def with_progress(results: Iterable[_Result], n: int) -> Iterator[_Result]:
    """The results; how many there are is shown."""
    _line.done, _line.n, _line.began = 0, n, perf_counter()
    for result in results:
        _line.done += n > 1
        yield result
    _line.done = 0


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one sentence, and where the options are described."""

    def error(self, message: str) -> NoReturn:
        if message.endswith("expected one argument"):
            option = self._option_string_actions[message.split()[1].rstrip(":").split("/")[-1]]
            message += f", as in {option.option_strings[-1]} {option.metavar}; one that begins with - is given behind ="
        if message.endswith("required: COMMAND"):
            message += "; it comes first: coliee-ir COMMAND …"
        if message.endswith("required: RUN"):
            message += "; the gold and the runs are named without an option: GOLD RUN"
        if message.startswith("unrecognized arguments"):
            from coliee_ir.cli.spelling import extra_words_hint  # a mistake may take its time

            message += extra_words_hint(self.prog.split()[-1], (self.usage or "").split()[2:])
        if "invalid choice" in message:
            from coliee_ir.cli.spelling import choice_hint

            message += choice_hint(message)
        print_remark(f"{self.prog}: {message}{' See' if message.endswith('?') else '; see'} {self.prog} --help [usage]")
        raise SystemExit(2)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help in which an option's value is named once: ``-o, --output FILE``."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {self._format_args(action, action.dest.upper())}"


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command, whose module is not loaded."""
    from coliee_ir.cli.arguments import add_arguments  # which the overview and the version do without
    from coliee_ir.cli.options import add, defaults, usage

    purpose = COMMANDS[command]
    parser = _Parser(
        prog=f"coliee-ir {command}", description=f"{purpose[0].upper()}{purpose[1:]}.", allow_abbrev=False,
        add_help=False, formatter_class=partial(_Formatter, max_help_position=26),
    )  # fmt: skip
    add_arguments(parser, command)
    add(parser, "help")
    parser.usage = usage(parser)
    parser.set_defaults(**defaults(parser), command=command, by_year=False)
    return parser


def _overview() -> argparse.ArgumentParser:
    """The parser of what is no command: help, which lists them, and the version."""
    parser = _Parser(
        prog="coliee-ir",
        usage="%(prog)s COMMAND [OPTIONS] …",
        description="Evaluate COLIEE runs. `coliee-ir COMMAND --help` describes a command.",
        epilog="\n\n".join([*map(_listed, GROUPS), "example: coliee-ir evaluate gold.json run.txt"]),
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"coliee-ir {__version__}")
    parser.add_argument("command", metavar="COMMAND", help=argparse.SUPPRESS)
    return parser


def _listed(group: str) -> str:
    """The commands of a group, and what they do."""
    return "\n".join([f"{group}:", *(f"  {command:<12} {purpose}" for command, purpose in GROUPS[group].items())])


def _refuse_command(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Do what is asked for without a command, help or the version, or refuse what is no command."""
    if words and not words[0].startswith("-"):
        from coliee_adapters.checked import did_you_mean  # a mistake may take its time

        parser.error(f"there is no command {words[0]!r}{did_you_mean(words[0], COMMANDS)}")
    parser.parse_args(words[:1])


def _refuse_unknown(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Refuse options that the command does not have, before argparse reports what is missing because of them."""
    known = parser._option_string_actions
    for i, word in enumerate(words):
        if word == "--":
            return
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        if re.match("--?[A-Za-z]", word) and name not in known:
            from coliee_ir.cli.spelling import option_hint  # a mistake may take its time

            parser.error(f"unrecognised option {word}{option_hint(word, known, words[i + 1 :])}")
