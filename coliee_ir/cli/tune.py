"""``coliee-ir tune GOLD RUN…``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from coliee_adapters.errors import UsageError
from coliee_adapters.files import Source, written
from coliee_adapters.lines import content_lines, split_columns
from coliee_ir import cutoffs
from coliee_ir.cli import say, scoring
from coliee_ir.conversion import write_submission
from coliee_ir.cutoffs import filters
from coliee_ir.cutoffs.render import FORMS, render
from coliee_ir.protocol import SUBMISSION_RULES, TASKS
from coliee_ir.reading import find_task, read_gold
from coliee_ir.significance import SEED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("gold", metavar="GOLD", help="the gold of the labelled queries")
    parser.add_argument("runs", metavar="RUN|DIR", nargs="+", help="rankings of them; of a folder, all its files")
    parser.add_argument("--task", choices=TASKS, metavar="T", help=f"one of {', '.join(TASKS)}; found if left out")
    parser.add_argument("--edition", type=int, metavar="Y", help="the year whose rules count; default: the newest")
    parser.add_argument(
        "--maximise", default="", metavar="M", help="MicroF1, MacroF2, Accuracy, …; default: what ranks"
    )
    parser.add_argument("--answers", metavar="FILE", help="for Accuracy: the answers that belong to the run")
    parser.add_argument(
        "--by", action="append", default=[], metavar="RULE", help=f"{', '.join(cutoffs.FAMILIES)}; default: all"
    )
    parser.add_argument("--floor", type=int, metavar="N", help="keep at least so many a query; default: searched")
    parser.add_argument("--cap", type=int, metavar="N", help="keep at most so many a query; default: searched")
    parser.add_argument("--folds", type=int, default=cutoffs.FOLDS, metavar="K", help=f"default: {cutoffs.FOLDS}")
    parser.add_argument("--groups", metavar="FILE", help="lines QUERY GROUP: queries of one group are in one fold")
    parser.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
    add_filters(parser)
    parser.add_argument("--apply", metavar="TEST_RUN", help="cut this run by the rule, and write it to -o")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the cut run goes; - is standard output")
    parser.add_argument("--tag", metavar="TAG", help="its run tag; default: that of TEST_RUN")
    parser.add_argument("--rule", metavar="FILE", help="write the rule as JSON, for `coliee-ir cut`")
    parser.add_argument("--form", choices=tuple(FORMS), default="table", help="of what is told; default: table")


def add_filters(parser: argparse.ArgumentParser) -> None:
    """What to take away before cutting."""
    taken = parser.add_argument_group("what to take away before cutting")
    taken.add_argument("--not-itself", action="store_true", help="the query in its own ranking")
    taken.add_argument("--dates", metavar="FILE", help="documents newer than the query: lines ID YYYY-MM-DD")
    taken.add_argument(
        "--not-common", metavar="MOST,WITHIN", help="documents in the first WITHIN places of more than MOST queries"
    )


def chosen_filters(options: argparse.Namespace) -> list[filters.Filter]:
    """The filters that were asked for."""
    chosen = []
    if options.not_itself:
        chosen.append(filters.not_itself())
    if options.dates is not None:
        chosen.append(filters.not_newer(dict(_pairs(options.dates, "ID YYYY-MM-DD"))))
    if options.not_common is not None:
        numbers = options.not_common.split(",")
        if len(numbers) != 2 or not all(number.isdecimal() and int(number) > 0 for number in numbers):
            raise UsageError("--not-common takes two whole numbers from 1, such as 20,5")
        chosen.append(filters.not_common(int(numbers[0]), int(numbers[1])))
    return chosen


def _pairs(path: str, expected: str) -> Iterator[tuple[str, str]]:
    """The two columns of a file, or two values with a comma between."""
    source = Source(path)
    for number, line in content_lines(source.text(), source.name):
        words = line.split(",") if "," in line else split_columns(line)
        if len(words) != 2:
            raise UsageError(f"{source.name}, line {number}: expected {expected}")
        yield words[0].strip().removesuffix(".txt"), words[1].strip()


def run(options: argparse.Namespace) -> int:
    """Choose the rule of each run, print what it is worth, and cut the test run by it."""
    if (options.apply is None) != (options.output is None):
        raise UsageError("--apply TEST_RUN and -o FILE belong together")
    if options.seed < 0:
        raise UsageError("a seed is a whole number from 0")
    paths = [str(path) for name in options.runs for path in _files(name)]
    if len(paths) > 1 and (options.apply or options.rule):
        raise UsageError("--apply and --rule are for one labelled run")
    gold = read_gold(options.gold, task=options.task)
    task = options.task or find_task(gold).task
    taken = chosen_filters(options)
    groups = dict(_pairs(options.groups, "QUERY GROUP")) if options.groups is not None else None
    say(f"task {task}" + ("" if options.task else " (the gold shows it)"))
    tunings = []
    for path in scoring.watched(paths, len(paths)):
        tunings.append(
            cutoffs.tune(
                gold, path, maximise=options.maximise, by=options.by, task=task, edition=options.edition,
                answers=options.answers, floor=options.floor, cap=options.cap, folds=options.folds, groups=groups,
                filters=taken, seed=options.seed,
            )
        )  # fmt: skip
    rule = tunings[0].rule
    if options.rule is not None:
        with written(options.rule) as stream:
            json.dump(rule.to_dict(), stream)
            stream.write("\n")
        say(f"{options.rule}: {rule}")
    if options.apply is not None:
        cut = cutoffs.cut(options.apply, rule, task=task, filters=taken)
        for sentence in write_submission(cut, options.output, task=task, edition=options.edition, tag=options.tag):
            say(f"{options.output}: {sentence}")
        say_what_is_wrong(options.output, task, options.edition)
    if options.output != "-":
        sys.stdout.write(render(tunings, options.form))
    return 0


def say_what_is_wrong(path: str, task: str | None, edition: int | None) -> None:
    """What ``validate`` finds in the submission that was written, if it is one of COLIEE's."""
    if path != "-" and task in {rules.task for rules in SUBMISSION_RULES}:
        from coliee_ir.validation import validate

        for finding in validate(path, task=task, edition=edition).findings:
            say(str(finding))


def _files(name: str) -> list[Path]:
    path = Path(name)
    if name != "-" and path.is_dir():
        found = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
        if not found:
            raise UsageError(f"{name} holds no file")
        return found
    return [path]
