"""Scores COLIEE runs from the files as they are: the official measures, and trec_eval's own for the rest.

>>> import coliee_ir
>>> scores = coliee_ir.evaluate({"001": ["013", "020"]}, {"001": ["013"]}, task="2")
>>> scores.measures["MicroF1"]
0.6666666666666666
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from coliee_ir._version import __version__ as __version__


@cache
def _homes() -> dict[str, str]:
    """Name → its module, as the stub that type checkers read says; each is loaded when it is first asked for."""
    stub = Path(__file__).with_suffix(".pyi").read_text("utf-8")
    homes = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as", stub, re.MULTILINE)}
    return {name: module for name, module in sorted(homes.items()) if name not in ("__version__", "types")}


def __getattr__(name: str) -> Any:
    """A public name, loaded from its module."""
    if name == "types":
        return importlib.import_module("coliee_ir.types")
    if name == "__all__":
        return list(_homes())
    if name not in _homes():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_homes()[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return [*globals(), *_homes()]
