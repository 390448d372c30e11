"""Scores COLIEE runs from the files as they are: the official measures, and trec_eval's own for the rest.

>>> import coliee_ir
>>> scores = coliee_ir.evaluate({"001": ["013", "020"]}, {"001": ["013"]}, task="2")
>>> scores.measures["MicroF1"]
0.6666666666666666
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

from coliee_ir._version import __version__ as __version__

#: name → its module, as the stub that type checkers read says; each is loaded when it is first asked for
_HOME_OF = {
    name: module
    for module, names in re.findall(
        r"^from (\S+) import (\([^)]*\)|[^\n(]+)", Path(__file__).with_suffix(".pyi").read_text("utf-8"), re.MULTILINE
    )
    for name in re.findall(r"(\w+) as", names)
    if name not in ("__version__", "types")
}
__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    """A public name, loaded from its module."""
    if name == "types":
        return importlib.import_module("coliee_ir.types")
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return [*globals(), *_HOME_OF]
