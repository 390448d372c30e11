"""``coliee-ir plan GOLD RUN RUN…``."""

from __future__ import annotations

import argparse

from coliee_ir.cli import scoring
from coliee_ir.cli.options import one_measure
from coliee_ir.commands.plan import Plan, plan
from coliee_ir.scoring.scores import Scored


def run(options: argparse.Namespace) -> int:
    """Print what can be found."""
    return scoring.of_scores(options, plan, _write, options.output, measure=one_measure(options), queries=options.sizes)


def _write(session: scoring.Session, planned: Plan, scored: Scored) -> None:
    session.publish(planned, scored.submissions)
