"""``coliee-ir compare GOLD RUN RUN…``."""

from __future__ import annotations

import argparse

from coliee_ir.cli import say, scoring
from coliee_ir.cli.options import add, measures
from coliee_ir.commands import compare as significance
from coliee_ir.commands.compare.render import render_all
from coliee_ir.inbox.sheets import read_values
from coliee_ir.output.shown import FORMS
from coliee_ir.stats.settings import Resampling


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "example: coliee-ir compare gold.json run1.txt run2.txt --baseline run1 -m MicroF1"
    scoring.add_arguments(parser)
    add(
        parser, "measure",
        help="measure to compare (repeatable, corrected together; default: the one that ranks the task's runs)",
    )  # fmt: skip
    add(parser, "baseline")
    tests = "; ".join(f"{name}: {what}" for name, what in significance.TESTS.items())
    add(
        parser, "test", choices=tuple(significance.TESTS), type=significance.test_name,
        help=f"{tests} (default: randomisation)",
    )  # fmt: skip
    add(parser, "correction", "resamples", "seed", "confidence_level", "margin")
    add(parser, "groups", help="lines QUERY GROUP; queries of a group are swapped and drawn together")
    add(parser, "output")
    add(parser, "format", choices=FORMS)


def run(options: argparse.Namespace) -> int:
    """Compare the runs and print what was found."""
    names = measures(options)
    significance.check_measures(names, options.task, options.edition)
    scored = scoring.score(options, names)
    task = scored.evaluator.task
    asked = significance.Asked(
        options.test,
        options.correction,
        Resampling(options.resamples, options.seed, options.confidence_level),
        options.margin,
        groups=None if options.groups is None else read_values(options.groups, "QUERY GROUP", task=task),
    )
    found = significance.compare_measures(scored.scores, asked, options.baseline, most=max(len(names), 1))
    for remark in dict.fromkeys(remark for comparison in found for remark in comparison.remarks):
        say(remark)
    scoring.publish(options, render_all(found, options.format), scored.submissions)
    return 2 if scored.failed else 0
