"""``coliee-ir bundle codabench GOLD``."""

from __future__ import annotations

import argparse

from coliee_adapters.errors import UsageError
from coliee_adapters.files.writing import check_outputs, write_bytes
from coliee_ir.cli import print_remark
from coliee_ir.cli.options import ids
from coliee_ir.commands.bundle import pack


def run(options: argparse.Namespace) -> int:
    """Make the bundle."""
    if options.output is None:
        raise UsageError("option-needed", "name the zip file to write: -o FILE")
    check_outputs([options.output], [options.gold, options.exclude])
    write_bytes(
        options.output,
        pack(
            options.gold,
            task=options.task,
            edition=options.edition,
            exclude=ids(options.exclude) or [],
            image=options.image,
        ),
    )
    print_remark(f"{options.output}: see its README.md; it holds the gold, so keep it private")
    return 0
