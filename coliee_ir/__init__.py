"""Scores COLIEE runs from the files as they are: the official measures, and trec_eval's own for the rest.

>>> import coliee_ir
>>> scores = coliee_ir.evaluate({"001": ["013", "020"]}, {"001": ["013"]}, task="2")
>>> scores.measures["MicroF1"]
0.6666666666666666
"""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False  # as type checkers know it; to import typing takes longer than the rest of this file
if TYPE_CHECKING:
    from typing import Any

    from coliee_adapters.corpora import read_corpus
    from coliee_adapters.errors import ColieeError, InputError, MismatchError, UsageError
    from coliee_adapters.records import Answers, Gold, Run
    from coliee_ir.conversion import to_frame, to_qrels, to_run
    from coliee_ir.cutoffs import Rule, Tuning, cut, tune
    from coliee_ir.decisions import Decisions
    from coliee_ir.evaluator import Evaluator, Submission, evaluate
    from coliee_ir.fusion import Fusion, fuse
    from coliee_ir.fusion.fitting import FittedFusion, fit_fusion
    from coliee_ir.judged import Judged, judge
    from coliee_ir.leaderboard import Leaderboard, rank_runs
    from coliee_ir.protocol import PROTOCOLS, Protocol, protocol
    from coliee_ir.qrels import Qrels
    from coliee_ir.reading import read_gold, read_run
    from coliee_ir.report import Report, make_report
    from coliee_ir.scores import Scores
    from coliee_ir.significance import Comparison, Interval, Pair, Standing, compare
    from coliee_ir.validation import Finding, Validation, validate

__version__ = "0.1.0"

#: module → the public names that it holds; each is loaded when it is first asked for, so that a command starts quickly
_HOMES = {
    "coliee_adapters.corpora": ("read_corpus",),
    "coliee_adapters.errors": ("ColieeError", "InputError", "MismatchError", "UsageError"),
    "coliee_adapters.records": ("Answers", "Gold", "Run"),
    "coliee_ir.conversion": ("to_frame", "to_qrels", "to_run"),
    "coliee_ir.cutoffs": ("Rule", "Tuning", "cut", "tune"),
    "coliee_ir.decisions": ("Decisions",),
    "coliee_ir.evaluator": ("Evaluator", "Submission", "evaluate"),
    "coliee_ir.fusion": ("Fusion", "fuse"),
    "coliee_ir.fusion.fitting": ("FittedFusion", "fit_fusion"),
    "coliee_ir.judged": ("Judged", "judge"),
    "coliee_ir.leaderboard": ("Leaderboard", "rank_runs"),
    "coliee_ir.protocol": ("PROTOCOLS", "Protocol", "protocol"),
    "coliee_ir.qrels": ("Qrels",),
    "coliee_ir.reading": ("read_gold", "read_run"),
    "coliee_ir.report": ("Report", "make_report"),
    "coliee_ir.scores": ("Scores",),
    "coliee_ir.significance": ("Comparison", "Interval", "Pair", "Standing", "compare"),
    "coliee_ir.validation": ("Finding", "Validation", "validate"),
}

__all__ = [
    "PROTOCOLS",
    "Answers",
    "ColieeError",
    "Comparison",
    "Decisions",
    "Evaluator",
    "Finding",
    "FittedFusion",
    "Fusion",
    "Gold",
    "InputError",
    "Interval",
    "Judged",
    "Leaderboard",
    "MismatchError",
    "Pair",
    "Protocol",
    "Qrels",
    "Report",
    "Rule",
    "Run",
    "Scores",
    "Standing",
    "Submission",
    "Tuning",
    "UsageError",
    "Validation",
    "compare",
    "cut",
    "evaluate",
    "fit_fusion",
    "fuse",
    "judge",
    "make_report",
    "protocol",
    "rank_runs",
    "read_corpus",
    "read_gold",
    "read_run",
    "to_frame",
    "to_qrels",
    "to_run",
    "tune",
    "validate",
]


_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # or a type checker would believe in every name

    def __getattr__(name: str) -> Any:
        """A public name, loaded from its module."""
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]


class _Package(type(sys)):  # type: ignore[misc]  # which is ModuleType
    """The package, in which ``protocol`` is the function, and not the module of this name that Python puts there."""

    @property
    def protocol(self) -> Any:
        """The rules of a task."""
        return __getattr__("protocol")

    @protocol.setter
    def protocol(self, module: object) -> None:
        pass


sys.modules[__name__].__class__ = _Package
