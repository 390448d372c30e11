"""``python -m coliee_ir`` is ``coliee-ir``: both begin here, and are ready for Ctrl-C before the rest is loaded."""

from __future__ import annotations

import sys

from coliee_adapters import signals


def run() -> None:
    """Run the command that was typed, and end the process with its exit code."""
    signals.end_at_once()
    try:
        from coliee_ir.cli import main

        code = main()
    finally:
        signals.ignore()  # the interpreter closes down
    sys.exit(code)


if __name__ == "__main__":
    run()
