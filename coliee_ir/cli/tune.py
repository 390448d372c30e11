"""``coliee-ir tune GOLD RUN…``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from coliee_adapters.errors import InputError, UsageError, contained, shortened
from coliee_adapters.files import Source, check_outputs, written
from coliee_adapters.lines import content_lines, split_columns
from coliee_adapters.records import Run, exact_id, normal_id
from coliee_ir.cli import say, scoring
from coliee_ir.commands import tune as cutoffs
from coliee_ir.commands.convert import write_submission
from coliee_ir.commands.tune import Tuning, filters
from coliee_ir.commands.tune.render import FORMS, render, said
from coliee_ir.commands.validate import validate
from coliee_ir.judging import workers
from coliee_ir.rules.protocol import SUBMISSION_RULES
from coliee_ir.scoring.reading import find_task, gold_files, opened, opened_if_possible, read_gold
from coliee_ir.stats.settings import SEED

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    scoring.add_gold(parser)
    parser.add_argument("runs", metavar="RUN|DIR", nargs="+", help="rankings of them; of a folder, all its files")
    scoring.add_task(parser)
    parser.add_argument("--maximise", default="", metavar="M", help="MicroF1, MacroF2, …; default: what ranks")
    parser.add_argument("--answers", metavar="FILE", help="for Accuracy: the answers that belong to the runs")
    parser.add_argument(
        "--by", action="append", default=[], metavar="RULE", help=f"{', '.join(cutoffs.FAMILIES)}; default: all"
    )
    parser.add_argument("--floor", type=int, metavar="N", help="keep at least so many a query; default: searched")
    parser.add_argument("--cap", type=int, metavar="N", help="keep at most so many a query; default: searched")
    parser.add_argument("--folds", type=int, default=cutoffs.FOLDS, metavar="K", help=f"default: {cutoffs.FOLDS}")
    parser.add_argument("--groups", metavar="FILE", help="lines QUERY GROUP: queries of one group are in one fold")
    parser.add_argument("--seed", type=int, default=SEED, help=f"default: {SEED}")
    scoring.add_scope(parser)
    parser.add_argument("--keep-going", action="store_true", help="report a broken run and tune the others; exit 2")
    add_filters(parser)
    parser.add_argument("--apply", metavar="TEST_RUN", help="cut this run by the rule, and write it to -o")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the cut run goes; - is standard output")
    parser.add_argument("--tag", metavar="TAG", help="its run tag; default: that of TEST_RUN")
    parser.add_argument("--rule", metavar="FILE", help="write the rule as JSON, for `coliee-ir cut`")
    parser.add_argument("--form", choices=tuple(FORMS), default="table", help="of what is told; default: table")
    scoring.add_decisions(parser)


def add_filters(parser: argparse.ArgumentParser) -> None:
    """What to take away before cutting."""
    taken = parser.add_argument_group("what to take away before cutting")
    taken.add_argument("--not-itself", action="store_true", help="the query in its own ranking")
    taken.add_argument("--dates", metavar="FILE", help="documents newer than the query: lines ID YYYY-MM-DD")
    taken.add_argument(
        "--not-common", metavar="MOST,WITHIN", help="documents in the first WITHIN places of more than MOST queries"
    )


def chosen_filters(options: argparse.Namespace, task: str | None) -> list[filters.Filter]:
    """The filters that were asked for."""
    chosen = []
    if options.not_itself:
        chosen.append(filters.not_itself())
    if options.dates is not None:
        chosen.append(filters.not_newer(_pairs(options.dates, task, "ID YYYY-MM-DD", _DATE)))
    if options.not_common is not None:
        numbers = options.not_common.split(",")
        if len(numbers) != 2 or not all(number.isdecimal() and int(number) > 0 for number in numbers):
            raise UsageError("--not-common takes two whole numbers from 1, such as 20,5")
        chosen.append(filters.not_common(int(numbers[0]), int(numbers[1])))
    return chosen


def _pairs(path: str, task: str | None, expected: str, value: re.Pattern[str] | None = None) -> dict[str, str]:
    """The two columns of a file, or two values with a comma between: id → value."""
    source = Source(path)
    id_of = exact_id if task == "trec" else normal_id
    pairs: dict[str, str] = {}
    for number, line in content_lines(source.text(), source.name):
        words = [word.strip() for word in (line.split(",") if "," in line else split_columns(line))]
        if len(words) != 2 or (value is not None and not value.fullmatch(words[1])):
            raise InputError(
                source.name, "this line cannot be read", line=number, found=line, remedy=f"give {expected}"
            )
        if pairs.setdefault(id_of(words[0]), words[1]) != words[1]:
            raise InputError(source.name, "this id stands twice", line=number, found=words[0], remedy="keep one line")
    return pairs


def run(options: argparse.Namespace) -> int:
    """Choose the rule of each run, print what it is worth, and cut the test run by it."""
    paths = _checked(options)
    gold_given = scoring.opened_golds(options)
    files = [opened_if_possible(path, options.columns) for path in (*paths, options.answers, options.apply)]
    scoring.check_named_columns(options, gold_given, files)
    runs, (answers, applied) = files[: len(paths)], files[len(paths) :]
    gold = read_gold(gold_given, task=options.task, columns=options.columns)
    if options.task:
        task, because = options.task, ""
    elif options.answers:
        task, because = "3", "answers are given beside the run"
    else:
        # of many runs one may be broken, and what is no plain file can be read once only
        task, because = find_task(gold, opened(runs[0]) if len(paths) == 1 and Path(paths[0]).is_file() else None)
    taken = chosen_filters(options, task)
    tuned = partial(
        cutoffs.tune, gold, maximise=options.maximise, by=options.by, task=task, edition=options.edition,
        answers=None if options.answers is None else opened(answers), floor=options.floor, cap=options.cap,
        folds=options.folds, filters=taken,
        groups=None if options.groups is None else _pairs(options.groups, task, "QUERY GROUP"),
        exclude=scoring.ids(options.exclude), seed=options.seed, decisions=scoring.decided(options),
    )  # fmt: skip
    tunings: list[Tuning] = []
    failed = False
    jobs = 1 if "-" in (*paths, options.answers) else min(options.jobs or len(paths), workers.cores())
    tasks = [partial(_contained, tuned, run) for run in runs]
    for result in scoring.watched(workers.results(tasks, jobs), len(paths)):
        if isinstance(result, Tuning):
            tunings.append(result)
        elif options.keep_going:
            failed = True
            say(f"coliee-ir: {result}")
        else:
            raise result
    if tunings:
        _tell(tunings, because)
        _write(options, tunings, taken)
    if options.apply is not None and tunings:
        filtered = cutoffs.cut(applied, tunings[0].rule, task=task, filters=taken)
        grave = write(filtered, options.output, task, options.edition, options.tag)
    else:
        grave = False
    return 2 if failed else 1 if grave else 0


def _contained(tuned: Callable[[object], Tuning], run: object) -> Tuning:
    with contained(run.name if isinstance(run, Source) else str(run)):
        return tuned(run)


def _checked(options: argparse.Namespace) -> list[str]:
    """The paths of the runs, where the options go together."""
    if (options.apply is None) != (options.output is None):
        raise UsageError("--apply TEST_RUN and -o FILE belong together")
    golds = [file for gold in (options.gold, *options.more_golds) for file in gold_files(gold)]
    besides = [*golds, options.answers, options.groups, options.dates, options.apply]
    paths = scoring.files_of(options.runs, besides)
    if len(paths) > 1 and (options.apply or options.rule):
        raise UsageError(f"--apply and --rule are for one labelled run, and there are {len(paths)}")
    given = [*golds, *paths, options.answers, options.groups, options.dates, options.apply]
    if given.count("-") > 1:
        raise UsageError("standard input (-) can be named once only")
    if options.output == "-" and options.rule == "-":
        raise UsageError("standard output (-) can be named once only")
    check_outputs([options.output, options.rule], [*given, options.exclude])
    return paths


def _tell(tunings: list[Tuning], because: str) -> None:
    """On standard error: the task, and for each run what was read and what was tolerated."""
    first = tunings[0]
    rules = f"task {first.task}" + (f" by the rules of {first.edition}" if first.edition is not None else "")
    say(rules + (f" ({because})" if because else ""))
    for tuning in tunings:
        for sentence in (tuning.header, *tuning.remarks):
            say(f"{shortened(tuning.tag)}: {sentence}")


def _write(options: argparse.Namespace, tunings: list[Tuning], taken: list[filters.Filter]) -> None:
    """The rule, where it was asked for, and the tunings; in a line on standard error where the output is taken."""
    rule = tunings[0].rule
    if options.rule is not None:
        with written(options.rule) as stream:
            json.dump({**rule.to_dict(), "filters": [filter_.name for filter_ in taken]}, stream)
            stream.write("\n")
        say(f"{options.rule}: {rule}")
    if "-" in (options.output, options.rule):
        say(said(tunings[0]))
    else:
        sys.stdout.write(render(tunings, options.form))


def write(cut: Run, path: str, task: str | None, edition: int | None, tag: str | None) -> bool:
    """Write a cut run as a submission; whether ``validate`` finds errors in what was written."""
    for sentence in write_submission(cut, path, task=task, edition=edition, tag=tag):
        say(f"{path}: {sentence}" if path != "-" else sentence)
    # what is no plain file cannot be read again: a terminal, a pipe, /dev/null
    if not Path(path).is_file() or task not in {rules.task for rules in SUBMISSION_RULES}:
        return False
    validation = validate(path, task=task, edition=edition)
    for finding in validation.findings:
        say(str(finding))
    return validation.errors > 0
