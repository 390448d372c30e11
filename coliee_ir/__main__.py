"""``python -m coliee_ir`` is ``coliee-ir``: both begin here, and are ready for Ctrl-C before the rest is loaded."""

from __future__ import annotations

import gc
import os
import sys

from coliee_adapters import signals

#: new objects between two searches for cycles: loading our modules makes half as many and more, and no garbage
_COLLECTED_AFTER = 100_000


def run() -> None:
    """Run the command that was typed, and end the process with its exit code."""
    signals.end_at_once()
    gc.set_threshold(_COLLECTED_AFTER)
    # OpenBLAS starts a thread for each processor when NumPy is loaded, which takes longer than the few products of
    # matrices that a command makes; with one, they do not depend on the number of processors either
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # pyarrow's own allocator keeps 20 MiB and more of what it has given back
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        from coliee_ir.cli import main

        code = main()
    finally:
        signals.ignore()  # the interpreter closes down
        gc.freeze()  # which need not search for cycles: destructors and exit handlers run all the same
    sys.exit(code)


if __name__ == "__main__":
    run()
