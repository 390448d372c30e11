"""``coliee-ir compare GOLD RUN RUN…``."""

from __future__ import annotations

import argparse
import sys

from coliee_ir.cli import say, scoring
from coliee_ir.commands import compare as significance
from coliee_ir.commands.compare.render import FORMS, render
from coliee_ir.stats.settings import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    scoring.add_arguments(parser)
    parser.add_argument("-m", "--measure", metavar="MEASURE", help="default: the one that ranks the task's runs")
    parser.add_argument("--baseline", metavar="TAG|FILE", help="compare all others with this run; default: all pairs")
    parser.add_argument(
        "--test", choices=tuple(significance.TESTS), type=significance.test_name, default="randomisation",
        help="; ".join(f"{name}: {what}" for name, what in significance.TESTS.items()),
    )  # fmt: skip
    parser.add_argument("--correction", choices=tuple(significance.CORRECTIONS), default="holm", help="default: holm")
    scoring.add_resampling(parser)
    parser.add_argument(
        "--confidence-level", type=float, default=0.95, metavar="P", help="of intervals and tests (default: 0.95)"
    )
    parser.add_argument("--power", type=float, default=0.8, help="for the detectable difference; default: 0.8")
    parser.add_argument("-o", "--output", choices=tuple(FORMS), default="table", help="default: table")


def run(options: argparse.Namespace) -> int:
    """Compare the runs and print what was found."""
    scored, _, failed = scoring.score(options, significance.one_measure(options.measure or ""))
    comparison = significance.compare_scores(
        scored,
        baseline=options.baseline,
        test=options.test,
        correction=options.correction,
        settings=Resampling(options.resamples, options.seed, options.confidence_level),
        power=options.power,
    )
    for remark in comparison.remarks:
        say(remark)
    sys.stdout.write(render(comparison, options.output))
    return 2 if failed else 0
