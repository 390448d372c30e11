"""``coliee-ir convert IN OUT``."""

from __future__ import annotations

import argparse
import contextlib
from itertools import chain
from pathlib import Path

from coliee_adapters.errors import ColieeError, InputError, shortened
from coliee_adapters.files.source import Source
from coliee_ir.cli import print_remark
from coliee_ir.cli.options import keywords
from coliee_ir.commands import convert as conversion
from coliee_ir.reading.anything import queries_of, read_run


def run(options: argparse.Namespace) -> int:
    """Convert, and say what the new form cannot hold."""
    _check_target(options)
    arguments = keywords(conversion.convert, options, **dict(options.decision))
    for sentence in conversion.convert(options.sources, options.target, **arguments):
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
        before, *records = (read_run(path, task=options.task) for path in (target, *options.sources))
        tag, tags = before.tag, {options.tag, *(record.tag for record in records)}
        states_tag = tag.encode() in Source(target).head().split()  # else it is called as its file is
        firsts = {next(queries_of(record), "") for record in records}  # with which what was made of it begins
        is_other = (states_tag and tag not in tags) or (
            options.like is None
            and firsts.isdisjoint(queries_of(before))
            and {*queries_of(before)}.isdisjoint(chain.from_iterable(map(queries_of, records)))
        )
    if is_other:
        raise InputError(
            "would-overwrite", target, f"it holds another run ({shortened(tag)})",
            remedy="name the file to write behind those to read, or remove this one first",
        )  # fmt: skip
