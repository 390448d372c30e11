"""``coliee-ir cut RUN RULE.json -o OUT``."""

from __future__ import annotations

import argparse

from coliee_adapters import json_text
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files import Source, check_outputs
from coliee_ir.cli import say, scoring, tune
from coliee_ir.commands import tune as cutoffs
from coliee_ir.rules.protocol import TASKS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("ranking", metavar="RUN", help="the ranking to cut; - is standard input")
    parser.add_argument(
        "rule", metavar="RULE.json", help='what `tune --rule` wrote: {"family": "score", "threshold": 0.5}'
    )
    parser.add_argument("--task", choices=TASKS, metavar="T", help="in whose columns to write; default: TREC's six")
    parser.add_argument("--edition", type=int, metavar="Y", help="the year whose rules count; default: the newest")
    scoring.add_columns(parser)
    parser.add_argument("--tag", metavar="TAG", help="the run tag; default: that of RUN")
    tune.add_filters(parser)
    parser.add_argument("-o", "--output", metavar="FILE", default="-", help="where it goes; default: standard output")


def run(options: argparse.Namespace) -> int:
    """Cut the run and write it."""
    if [options.ranking, options.rule, options.dates].count("-") > 1:
        raise UsageError("standard input (-) can be named once only")
    check_outputs([options.output], [options.ranking, options.rule, options.dates])
    source = Source(options.rule)
    held = json_text.parse(source.text(), source.name)
    if isinstance(held, dict) and isinstance(held.get("rule"), dict):
        held = held["rule"]
    try:
        rule = cutoffs.Rule.from_dict(held)
    except UsageError as error:
        raise InputError(source.name, str(error)) from None
    filters = tune.chosen_filters(options, options.task)
    before = held.get("filters") if isinstance(held, dict) else None
    if isinstance(before, list) and before != [filter_.name for filter_ in filters]:
        say(f"the rule was chosen with other filters: {'; '.join(map(str, before)) or 'none'}")
    (ranking,) = scoring.opened_tables(options, options.ranking)
    cut = cutoffs.cut(ranking, rule, task=options.task, filters=filters)
    say(f"keep {rule}")
    return int(tune.write(cut, options.output, options.task, options.edition, options.tag))
