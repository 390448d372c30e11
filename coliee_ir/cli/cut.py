"""``coliee-ir cut RUN RULE.json -o OUT``."""

from __future__ import annotations

import argparse

from coliee_adapters import json_text
from coliee_adapters.files import Source
from coliee_ir import cutoffs
from coliee_ir.cli import say, tune
from coliee_ir.conversion import write_submission
from coliee_ir.protocol import TASKS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("ranking", metavar="RUN", help="the ranking to cut")
    parser.add_argument(
        "rule", metavar="RULE.json", help='what `tune --rule` wrote: {"family": "score", "threshold": 0.5}'
    )
    parser.add_argument("--task", choices=TASKS, metavar="T", help="in whose columns to write; default: TREC's six")
    parser.add_argument("--edition", type=int, metavar="Y", help="the year whose rules count; default: the newest")
    parser.add_argument("--tag", metavar="TAG", help="the run tag; default: that of RUN")
    tune.add_filters(parser)
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where it goes; default: standard output")


def run(options: argparse.Namespace) -> int:
    """Cut the run and write it."""
    source = Source(options.rule)
    held = json_text.parse(source.text(), source.name)
    rule = cutoffs.Rule.from_dict(held.get("rule", held) if isinstance(held, dict) else held)
    cut = cutoffs.cut(options.ranking, rule, task=options.task, filters=tune.chosen_filters(options))
    say(f"keep {rule}")
    for sentence in write_submission(cut, options.output, task=options.task, edition=options.edition, tag=options.tag):
        say(sentence)
    tune.say_what_is_wrong(options.output, options.task, options.edition)
    return 0
