"""``coliee-ir plan GOLD RUN RUN…``."""

from __future__ import annotations

import argparse

from coliee_ir.cli import scoring
from coliee_ir.cli.options import FORMS, add, add_resampling, add_scoring, one_measure
from coliee_ir.commands.plan import Plan, plan
from coliee_ir.scoring.scores import Scored
from coliee_ir.stats.settings import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "example: coliee-ir plan gold.json run1.txt run2.txt --size 200 --size 400"
    add_scoring(parser)
    add(parser, "measure", help="measure to plan for (default: the one that ranks the task's runs)")
    add(parser, "sizes", "groups", "replicates", "jobs")
    add_resampling(parser, Resampling())
    add(parser, "output")
    add(parser, "format", choices=FORMS)


def run(options: argparse.Namespace) -> int:
    """Print what can be found."""
    asked = {"measure": one_measure(options), "queries": options.sizes}
    return scoring.of_scores(options, plan, _write, options.output, **asked)


def _write(session: scoring.Session, planned: Plan, scored: Scored) -> None:
    session.publish(planned, scored.submissions)
