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
    if not scoring.files_of_scores(options):
        singly(names, options.task, options.edition)  # refused before anything is scored
    scored = scoring.score(options, names, scoring.find_files(options, options.output))
    planned = plan(scored, **keywords(plan, options, measure=name, queries=options.sizes))
    scoring.publish(options, render(planned, options.format), scored.submissions)
    return 2 if scored.invalid else 0
