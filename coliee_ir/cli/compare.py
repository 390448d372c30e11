"""``coliee-ir compare GOLD RUN RUN…``."""

from __future__ import annotations

import argparse

from coliee_ir.cli import print_remark, scoring
from coliee_ir.cli.options import FORMS, LOOKED_AT, add, add_resampling, add_scoring, measures
from coliee_ir.commands import compare as significance
from coliee_ir.scoring.scores import Keep, Scored
from coliee_ir.stats.settings import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "example: coliee-ir compare gold.json run1.txt run2.txt --baseline run1 -m MicroF1"
    add_scoring(parser, "other_gold")
    add(
        parser, "measure",
        help="measure to compare (repeatable, corrected together; default: the one that ranks the task's runs)",
    )  # fmt: skip
    add(parser, "baseline")
    add(parser, "test", choices=tuple(significance.TESTS), type=significance.test_name)
    add(parser, "correction", choices=significance.CORRECTIONS)
    add_resampling(parser, Resampling())
    add(parser, "margin")
    add(parser, "groups", "replicates", "fixed_queries", "jobs", "output")
    add(parser, "log", help=LOOKED_AT)
    add(parser, "format", choices=FORMS)


def run(options: argparse.Namespace) -> int:
    """Compare the runs and print what was found."""
    keep: Keep = "queries" if options.other_gold is None else "judged"
    by = measures(options)
    return scoring.of_scores(options, significance.compare, _write, options.output, keep=keep, measures=by)


def _write(session: scoring.Session, found: significance.Comparison, scored: Scored) -> None:
    for remark in dict.fromkeys(remark for comparison in (found, *found.others) for remark in comparison.remarks):
        print_remark(remark)
    session.publish(found, scored.submissions)
