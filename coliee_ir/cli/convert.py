"""``coliee-ir convert IN OUT``."""

from __future__ import annotations

import argparse
from typing import get_args

from coliee_adapters.forms import detect
from coliee_adapters.forms.vocabulary import Kind
from coliee_ir.cli import say
from coliee_ir.cli.options import add, add_decisions, keywords
from coliee_ir.commands import convert as conversion


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    forms = list(dict.fromkeys(form.name for kind in get_args(Kind) for form in detect.known_forms(kind)))
    parser.epilog = "example: coliee-ir convert gold.json gold.qrels --to qrels"
    add(parser, "sources", "target")
    add(parser, "form", choices=forms)
    add(
        parser, "to", choices=tuple(dict.fromkeys((*conversion.GOLD_TARGETS, *conversion.RUN_TARGETS))),
        help="format to write: %(choices)s (default: that of the ending of OUT, else qrels for a gold, trec for a "
        "submission)",
    )  # fmt: skip
    add(parser, "columns")
    add(parser, "protocol", help="protocol that describes the format of IN (add --to qrels if IN is a gold)")
    add(parser, "tag", help="run tag to write (default: that of the submission)")
    add(parser, "template", "chunks")
    add(parser, "aggregate", choices=(*conversion.AGGREGATES, conversion.VOTE))
    add(parser, "like")
    add_decisions(parser, "unreadable_answers", "order")


def run(options: argparse.Namespace) -> int:
    """Convert, and say what the new form cannot hold."""
    asked = keywords(conversion.convert, options, **dict(options.decision))
    for sentence in conversion.convert(options.sources, options.target, **asked):
        say(sentence)
    return 0
