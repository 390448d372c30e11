"""``coliee-ir compare GOLD RUN RUN…``."""

from __future__ import annotations

import argparse

from coliee_ir.cli import print_remark, scoring
from coliee_ir.cli.options import measures
from coliee_ir.commands import compare as significance
from coliee_ir.scoring.scores import Keep, Scored


def run(options: argparse.Namespace) -> int:
    """Compare the runs and print what was found."""
    keep: Keep = "queries" if options.other_gold is None else "judged"
    return scoring.of_scores(
        options, significance.compare, _write, options.output, keep=keep, measures=measures(options)
    )


def _write(session: scoring.Session, comparison: significance.Comparison, scored: Scored) -> None:
    for remark in dict.fromkeys(remark for each in (comparison, *comparison.others) for remark in each.remarks):
        print_remark(remark)
    session.publish(comparison, scored.submissions)
