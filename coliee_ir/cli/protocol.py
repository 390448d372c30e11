"""``coliee-ir protocol [NAME|FILE]…`` and ``coliee-ir protocol NAME -o FILE``."""

from __future__ import annotations

import argparse

from coliee_adapters.errors import UsageError
from coliee_adapters.files.writing import check_outputs, check_places
from coliee_ir.cli import scoring
from coliee_ir.cli.options import add
from coliee_ir.commands import protocol


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "example: coliee-ir protocol alqac -o my-task.toml"
    add(parser, "names", metavar="NAME|FILE", help="protocols to explain (default: list them)")
    add(parser, "output", help="file to write the protocol itself to, as TOML that --protocol reads (default: explain)")


def run(options: argparse.Namespace) -> int:
    """List protocols, explain some, or write one."""
    names: list[str] = options.names
    if options.output == "-":
        text = "\n".join(map(protocol.shown, names)) if names else protocol.listed()
    elif len(names) != 1:
        raise UsageError("bad-value", f"-o {options.output} takes one protocol, and {len(names) or 'none'} is named")
    else:
        check_outputs([options.output], names)
        check_places([options.output])
        text = protocol.stated(names[0])
    scoring.put(text, options.output)
    return 0
