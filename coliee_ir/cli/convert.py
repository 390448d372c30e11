"""``coliee-ir convert IN OUT``."""

from __future__ import annotations

import argparse

from coliee_adapters import detect
from coliee_ir.cli import say, scoring
from coliee_ir.commands import convert as conversion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    forms = list(dict.fromkeys([*(f.name for f in detect.GOLD_FORMS), *(f.name for f in detect.RUN_FORMS)]))
    targets = list(dict.fromkeys((*conversion.GOLD_TARGETS, *conversion.RUN_TARGETS, *conversion.ANSWER_TARGETS)))
    parser.add_argument("source", metavar="IN", help="a gold or a submission; - is standard input")
    parser.add_argument("target", metavar="OUT", help="the file to write; - is standard output, .gz compresses")
    parser.add_argument("--from", dest="form", choices=forms, metavar="F", help=f"default: found; {', '.join(forms)}")
    parser.add_argument(
        "--to", choices=targets, metavar="F",
        help=f"{', '.join(targets)}; default: qrels for a gold, trec for a submission",
    )  # fmt: skip
    scoring.add_columns(parser)
    parser.add_argument("--tag", metavar="TAG", help="the run tag to write; default: that of the submission")
    parser.add_argument("--template", metavar="FILE", help="for --to tort: the test file that the submission repeats")


def run(options: argparse.Namespace) -> int:
    """Convert, and say what the new form cannot hold."""
    for sentence in conversion.convert(
        options.source,
        options.target,
        form=options.form,
        to=options.to,
        tag=options.tag,
        template=options.template,
        columns=options.columns,
    ):
        say(sentence)
    return 0
