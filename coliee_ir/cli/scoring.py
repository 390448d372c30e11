"""What every command that scores runs has in common: the gold, the runs, the rules, and what is said of them."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from coliee_adapters import trec_eval
from coliee_adapters.errors import UsageError
from coliee_adapters.files import Source
from coliee_adapters.lines import content_lines
from coliee_ir import __version__
from coliee_ir.cli import say
from coliee_ir.decisions import CHOICES, HELP, Decisions
from coliee_ir.evaluator import Evaluator, Submission
from coliee_ir.protocol import TASKS
from coliee_ir.reading import find_task, opened_if_possible, read_gold, telling
from coliee_ir.scores import Scores

_Result = TypeVar("_Result")

#: from so many runs on there is something to watch
_MANY = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The gold, the runs, and the rules by which they are scored."""
    parser.add_argument("gold", metavar="GOLD", help="the gold, in any of its forms; - is standard input")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the runs, in any of their forms; .gz works everywhere")
    add_task(parser)
    parser.add_argument(
        "--answers", action="append", default=[], metavar="FILE", help="Task 3 from 2026: the answers Y/N of each RUN"
    )
    parser.add_argument(
        "--long-list",
        action="append",
        default=[],
        metavar="FILE",
        help="Task 3 up to 2025: each RUN's ranked list",
    )
    add_scope(parser)
    parser.add_argument("--keep-going", action="store_true", help="report a broken run and score the others; exit 2")
    add_decisions(parser)


def add_task(parser: argparse.ArgumentParser) -> None:
    """The task, and the edition whose rules count."""
    parser.add_argument("--task", choices=TASKS, metavar="T", help=f"one of {', '.join(TASKS)}; found if left out")
    parser.add_argument("--edition", type=int, metavar="Y", help="the year whose rules count; default: the newest")


def add_scope(parser: argparse.ArgumentParser) -> None:
    """The queries that are scored, and the processes that score them."""
    parser.add_argument("--exclude", metavar="IDS|FILE", help="queries not scored: ids with commas, or a file")
    parser.add_argument("--jobs", type=at_least_one, metavar="N", help="processes; default: by size and processors")


def add_decisions(parser: argparse.ArgumentParser) -> None:
    """The choices where the organisers leave it open."""
    open_rules = parser.add_argument_group("what the organisers leave open (the default first)")
    for name, choices in CHOICES.items():
        open_rules.add_argument(f"--{name.replace('_', '-')}", choices=choices, default=choices[0], help=HELP[name])


def at_least_one(text: str) -> int:
    """A count, from the command line."""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")


def share(text: str) -> float:
    """A share between 0 and 1, from the command line."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value <= 1:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a share between 0 and 1, such as 0.8")


class Scored(NamedTuple):
    """What came of it: the scores of the runs that could be read, the evaluator, and whether a run was left out."""

    scores: list[Scores]
    evaluator: Evaluator
    failed: bool


def handed_in(options: argparse.Namespace) -> list[Submission]:
    """The runs that were named with what belongs to each, opened, so that they can be read more than once.

    What cannot be opened stays a path, about which its evaluation will complain.

    Raises:
        UsageError: not every run has its part, or standard input is named twice.
    """
    answers = _one_each(options.answers, options.runs, "--answers")
    long_lists = _one_each(options.long_list, options.runs, "--long-list")
    if [options.gold, *options.runs, *options.answers, *options.long_list].count("-") > 1:
        raise UsageError("standard input (-) can be named once only")
    return [
        Submission(*map(opened_if_possible, parts)) for parts in zip(options.runs, answers, long_lists, strict=True)
    ]


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # not there, no name that a file can have
        return False


def check_outputs(written: Iterable[str | None], read: Iterable[str | None]) -> None:
    """Refuse to write over a file that is read, or twice over one file.

    Args:
        written: what the command writes; None for nothing.
        read: what it reads.

    Raises:
        UsageError: see above.
    """
    outputs = [Path(path) for path in written if path is not None and path != "-"]
    inputs = [Path(path) for path in read if path is not None and path != "-"]
    for at, output in enumerate(outputs):
        if any(other.resolve() == output.resolve() for other in outputs[:at]):
            raise UsageError(f"{output} would be written twice: name two files")
        if output.is_file() and any(_same(other, output) for other in inputs):
            raise UsageError(f"{output} is read, and would be written over: name another file")


def score(
    options: argparse.Namespace,
    measures: Sequence[str],
    submissions: Sequence[Submission] | None = None,
    *,
    keep_judged: bool = False,
) -> Scored:
    """Score the runs that were named, and say on standard error what there is to say of them.

    Args:
        options: what was typed.
        measures: names of measures.
        submissions: what ``handed_in`` gave, where the caller needs it too.
        keep_judged: whether the scores keep the judged parts.

    Raises:
        ColieeError: a file cannot be read, and ``--keep-going`` was not given.
    """
    submissions = handed_in(options) if submissions is None else submissions
    gold = read_gold(options.gold, task=options.task)
    if options.task is None and options.answers:
        task, because = "3", "answers are given beside the run"
    else:
        task, because = (
            (options.task, "")
            if options.task
            else find_task(gold, telling(submission.run for submission in submissions))
        )
    evaluator = Evaluator(
        gold, measures, task=task, edition=options.edition, exclude=ids(options.exclude), decisions=decided(options)
    )
    scored: list[Scores] = []
    failed = False
    results = evaluator.evaluate_all(submissions, jobs=options.jobs, keep_judged=keep_judged)
    for result in watched(results, len(submissions)):
        if isinstance(result, Scores):
            scored.append(result)
        elif options.keep_going:
            failed = True
            say(f"coliee-ir: {result}")
        else:
            raise result
    if scored:
        tell(scored, because, len(evaluator.excluded))
    return Scored(scored, evaluator, failed)


def decided(options: argparse.Namespace) -> Decisions:
    """The choices that were made on the command line."""
    return Decisions(**{name: getattr(options, name) for name in CHOICES})


def watched(results: Iterable[_Result], n: int) -> Iterator[_Result]:
    """The results; where there are many and somebody watches, with a bar on standard error."""
    if n < _MANY or not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(results, "scoring", total=n, console=Console(stderr=True), transient=True)


def tell(scored: Sequence[Scores], because: str, excluded: int) -> None:
    """On standard error: the task and why, the versions, and for each run the header and the remarks."""
    first = scored[0]
    rules = f"task {first.task}" + (f" by the rules of {first.edition}" if first.edition is not None else "")
    say(rules + (f" ({because})" if because else "") + (f", {excluded} excluded" if excluded else ""))
    say(versions())
    common = [remark for remark in first.remarks if all(remark in scores.remarks for scores in scored[1:])]
    for scores in scored:
        say(f"{scores.tag}: {scores.header()}")
        for remark in scores.remarks:
            if len(scored) == 1 or remark not in common:
                say(f"{scores.tag}: {remark}")
    for remark in common if len(scored) > 1 else ():
        say(f"all runs: {remark}")


def versions() -> str:
    """Ours, and that of the trec_eval that computes."""
    return f"coliee-ir {__version__}, trec_eval {trec_eval.version()}"


def _one_each(given: list[str], runs: list[str], option: str) -> Sequence[str | None]:
    if given and len(given) != len(runs):
        raise UsageError(f"{option} is given {len(given)} times for {len(runs)} runs: give one a run, in their order")
    return given or [None] * len(runs)


def ids(given: str | None) -> list[str]:
    """Query ids from the option itself, or from the lines of the file that it names."""
    if given is None:
        return []
    if _is_file(given):
        source = Source(given)
        lines = [line for _, line in content_lines(source.text(), source.name)]
    else:
        lines = [given]
    return [text for line in lines for text in re.split(r"[,\s]+", line) if text]


def _is_file(given: str) -> bool:
    try:
        return Path(given).is_file()
    except (OSError, ValueError):  # too long for a file's name, as a list of ids can be; a NUL
        return False


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """How many resamples of the queries, and by which random numbers."""
    from coliee_ir.significance import SEED, TRIALS  # which evaluating does without

    parser.add_argument("--resamples", type=at_least_one, default=TRIALS, metavar="N", help=f"default: {TRIALS}")
    parser.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
