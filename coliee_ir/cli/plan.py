"""``coliee-ir plan GOLD RUN RUN…``."""

from __future__ import annotations

import argparse

from coliee_ir.cli import scoring
from coliee_ir.cli.options import add, add_resampling, keywords, one_measure
from coliee_ir.commands.plan import plan
from coliee_ir.output.shown import FORMS, render
from coliee_ir.reading.asked import singly
from coliee_ir.stats.settings import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "example: coliee-ir plan gold.json run1.txt run2.txt --size 200 --size 400"
    scoring.add_arguments(parser)
    add(parser, "measure", help="measure to plan for (default: the one that ranks the task's runs)")
    add(parser, "sizes", "groups")
    add_resampling(parser, Resampling())
    add(parser, "output")
    add(parser, "format", choices=FORMS)


def run(options: argparse.Namespace) -> int:
    """Print what can be found."""
    name = one_measure(options)
    names = [name] if name else []
    session = scoring.Session(options)
    if not session.scores:
        singly(names, options.task, options.edition)  # refused before anything is scored
    session.find(options.output)
    scored = session.score(names)
    planned = plan(scored, **keywords(plan, options, measure=name, queries=options.sizes))
    session.publish(render(planned, options.format), scored.submissions)
    return 2 if scored.invalid else 0
