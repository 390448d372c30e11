"""``coliee-ir protocol [NAME|FILE] [-o FILE]``."""

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
    add(parser, "names", metavar="NAME|FILE", help="protocol to print, or file to check (default: list them)")
    add(parser, "output", help="file to write it to, for --protocol (default: standard output)")


def run(options: argparse.Namespace) -> int:
    """List protocols, or print or write one, as TOML."""
    names: list[str] = options.names
    if names[1:] or (not names and options.output != "-"):
        raise UsageError("bad-value", f"name one protocol to print (found {len(names) or 'none'})")
    check_outputs([options.output], names)
    check_places([options.output])
    scoring.write_text(protocol.protocol_toml(names[0]) if names else protocol.list_of_protocols(), options.output)
    return 0
