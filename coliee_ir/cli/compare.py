"""``coliee-ir compare GOLD RUN RUN…``."""

from __future__ import annotations

import argparse

from coliee_ir.cli import say, scoring
from coliee_ir.cli.options import add, one_measure
from coliee_ir.commands import compare as significance
from coliee_ir.commands.compare.render import FORMS, render
from coliee_ir.stats.settings import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "example: coliee-ir compare gold.json run1.txt run2.txt --baseline run1 -m MicroF1"
    scoring.add_arguments(parser)
    add(parser, "measure", help="measure to compare (default: the one that ranks the task's runs)")
    add(parser, "baseline")
    tests = "; ".join(f"{name}: {what}" for name, what in significance.TESTS.items())
    add(
        parser, "test", choices=tuple(significance.TESTS), type=significance.test_name,
        help=f"{tests} (default: randomisation)",
    )  # fmt: skip
    add(parser, "correction", "resamples", "seed", "confidence_level", "power", "output")
    add(parser, "format", choices=tuple(FORMS))


def run(options: argparse.Namespace) -> int:
    """Compare the runs and print what was found."""
    scored, _, failed, _ = scoring.score(options, significance.one_measure(one_measure(options)))
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
    scoring.put(render(comparison, options.format), options.output)
    return 2 if failed else 0
