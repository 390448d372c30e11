"""``coliee-ir protocol [NAME|FILE] [-o FILE]``."""

from __future__ import annotations

import argparse

from coliee_adapters.errors import UsageError
from coliee_adapters.files.writing import check_outputs, check_places
from coliee_ir.cli import scoring
from coliee_ir.commands import protocol


def run(options: argparse.Namespace) -> int:
    """List protocols, or print or write one, as TOML."""
    names: list[str] = options.names
    if names[1:] or (not names and options.output != "-"):
        raise UsageError("bad-value", f"name one protocol to print (found {len(names) or 'none'})")
    check_outputs([options.output], names)
    check_places([options.output])
    scoring.write_text(protocol.protocol_toml(names[0]) if names else protocol.list_of_protocols(), options.output)
    return 0
