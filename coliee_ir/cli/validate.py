"""``coliee-ir validate FILE…``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from coliee_adapters.lines import counted
from coliee_ir.cli import say, scoring
from coliee_ir.commands.validate import Severity, Validation, validate
from coliee_ir.commands.validate.render import FORMS, render
from coliee_ir.rules.protocol import SUBMISSION_RULES

_TASKS = tuple(dict.fromkeys(rules.task for rules in SUBMISSION_RULES))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "Exit code: 0 without errors, 1 with errors, 2 if a file cannot be opened."
    parser.add_argument("files", metavar="FILE|DIR", nargs="+", help="the files of one or several submissions")
    parser.add_argument("--task", choices=_TASKS, metavar="T", help=f"one of {', '.join(_TASKS)}; found if left out")
    parser.add_argument("--edition", type=int, metavar="Y", help="the year whose rules count; default: the newest")
    named = parser.add_mutually_exclusive_group()
    named.add_argument("--gold", metavar="FILE", help="a gold, of which only the ids of the queries are looked at")
    named.add_argument("--queries", metavar="FILE", help="the test file, or any file that names the queries")
    parser.add_argument("--corpus", metavar="DIR|FILE", help="the documents: case files, the Civil Code, a list of ids")
    parser.add_argument("--fix", metavar="OUT", help="write a mended copy: a file, or for several files a folder")
    parser.add_argument("--tag", metavar="TAG", help="the run tag of the mended copy; default: the file's own, cleaned")
    parser.add_argument("-o", "--output", choices=tuple(FORMS), default="table", help="default: table")


def run(options: argparse.Namespace) -> int:
    """Check the files and print what was found."""
    besides = [options.gold, options.queries, options.corpus]
    found = validate(
        *scoring.files_of(options.files, besides),
        task=options.task,
        edition=options.edition,
        gold=options.gold,
        queries=options.queries,
        corpus=options.corpus,
        fix=options.fix,
        tag=options.tag,
    )
    if found.task:
        tasks = f"task{'s' if len(found.tasks) > 1 else ''} {' and '.join(found.tasks)}"
        say(f"{tasks} of {found.edition}{'' if options.task else ' (the files show it)'}")
    sys.stdout.write(render(found, options.output))
    for name in found.files if options.fix else ():
        say(f"{name}: {_copy(found, name)}")
    return 1 if found.errors else 0


def _copy(found: Validation, name: str) -> str:
    """What is to be said of the mended copy of a file."""
    if name not in found.mended:
        rules = {finding.rule for finding in found.findings if finding.file == name}
        reasons = {"description": "it is a system description", "table": "it is another table"}
        reason = next((said for rule, said in reasons.items() if rule in rules), "the file cannot be read")
        return f"no mended copy, since {reason}"
    left = Counter(finding.severity for finding in found.left if finding.file == name)
    counts = ", ".join(counted(left[severity], str(severity)) for severity in Severity if left[severity])
    return f"the mended copy is {found.mended[name]}, {f'with {counts} left' if counts else 'and nothing is left'}"
