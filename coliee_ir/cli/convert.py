"""``coliee-ir convert IN OUT``."""

from __future__ import annotations

import argparse
import contextlib
from itertools import chain
from pathlib import Path
from typing import get_args

from coliee_adapters.errors import ColieeError, InputError, shortened
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect
from coliee_adapters.forms.vocabulary import GoldOrRun
from coliee_ir.cli import print_remark
from coliee_ir.cli.options import add, add_decisions, keywords
from coliee_ir.commands import convert as conversion
from coliee_ir.commands.convert.texts import STATEMENTS
from coliee_ir.reading.anything import queries_of, read_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    forms = list(dict.fromkeys(form.name for kind in get_args(GoldOrRun) for form in detect.known_forms(kind)))
    parser.epilog = "example: coliee-ir convert gold.json gold.qrels --to qrels"
    add(parser, "sources", "target")
    add(parser, "form", choices=forms)
    add(
        parser, "to", choices=tuple(dict.fromkeys((*conversion.GOLD_TARGETS, *conversion.RUN_TARGETS, STATEMENTS))),
        help="format to write: %(choices)s (default: that of the ending of OUT, else qrels for a gold, trec for a "
        "submission)",
    )  # fmt: skip
    add(parser, "columns")
    add(parser, "protocol", help="protocol that describes the format of IN (add --to qrels if IN is a gold)")
    add(parser, "tag", help="run tag to write (default: that of the submission)")
    add(parser, "template", "chunks")
    add(parser, "aggregate", choices=(*conversion.AGGREGATES, conversion.VOTE))
    add(parser, "like")
    add(parser, "corpus", help="for --to statements: the Civil Code, with the texts of articles")
    add_decisions(parser, "unreadable_answers", "order")


def run(options: argparse.Namespace) -> int:
    """Convert, and say what the new form cannot hold."""
    _check_target(options)
    asked = keywords(conversion.convert, options, **dict(options.decision))
    for sentence in conversion.convert(options.sources, options.target, **asked):
        print_remark(sentence)
    return 0


def _check_target(options: argparse.Namespace) -> None:
    """Refuse to write over another run: where OUT is forgotten, the last file to read stands in its place.

    Whoever calls ``convert`` from Python names the target. What holds the same run is not read to its end.
    """
    target = options.target
    if not Path(target).is_file():
        return
    is_other, tag = False, ""
    with contextlib.suppress(ColieeError):
        before, *given = (read_run(path, task=options.task) for path in (target, *options.sources))
        tag, tags = before.tag, {options.tag, *(record.tag for record in given)}
        states_tag = tag.encode() in Source(target).head().split()  # else it is called as its file is
        firsts = {next(queries_of(record), "") for record in given}  # which what was made of it has at its beginning
        is_other = (states_tag and tag not in tags) or (
            firsts.isdisjoint(queries_of(before))
            and {*queries_of(before)}.isdisjoint(chain.from_iterable(map(queries_of, given)))
        )
    if is_other:
        raise InputError(
            "would-overwrite", target, f"it holds another run ({shortened(tag)})",
            remedy="name the file to write behind those to read, or remove this one first",
        )  # fmt: skip
