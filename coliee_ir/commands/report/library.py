"""Vega, Vega-Lite and Vega-Embed in one script, which a process of its own makes: its 100 MiB end with it."""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import sys
from functools import cache
from typing import Final

from coliee_ir.commands.report.drawing import VEGA_LITE

_SNIPPET: Final = "window.vegaEmbed = vegaEmbed;"
_CODE: Final = (
    "import sys, vl_convert as v; sys.stdout.buffer.write(v.javascript_bundle(sys.argv[1], sys.argv[2]).encode())"
)


@cache
def begin() -> subprocess.Popen[bytes] | None:
    """Begin to make it, which takes a second and more, beside other work; None where no process can be started."""
    process = None
    with contextlib.suppress(OSError):
        process = subprocess.Popen(
            [sys.executable, "-c", _CODE, _SNIPPET, VEGA_LITE],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(process.kill)  # where no page came of it
    return process


@cache
def script() -> str:
    """The script; this process makes it where another one cannot."""
    process = begin()
    if process is not None:
        made, _ = process.communicate()
        if process.returncode == 0:
            return made.decode()
    import vl_convert  # 8 MiB that are seldom needed

    return str(vl_convert.javascript_bundle(_SNIPPET, VEGA_LITE))
