"""Scores COLIEE runs from the files as they are: the official measures, and trec_eval's own for the rest.

>>> import coliee_ir
>>> scores = coliee_ir.evaluate({"001": ["013", "020"]}, {"001": ["013"]}, task="2")
>>> scores.measures["MicroF1"]
0.6666666666666666
"""

from __future__ import annotations

import importlib

from coliee_ir._version import __version__ as __version__

TYPE_CHECKING = False  # as type checkers know it; to import typing takes longer than the rest of this file
if TYPE_CHECKING:
    from typing import Any

    from coliee_adapters.corpora import Corpus, DocsStore, Document, FragmentQuery, Qrel, Query
    from coliee_adapters.descriptions import Description
    from coliee_adapters.errors import ColieeError, InputError, MismatchError, UsageError
    from coliee_adapters.inputs import GoldLike, RunLike
    from coliee_adapters.layouts import Layout, Part
    from coliee_adapters.records import Answers, Columns, Gold, Run
    from coliee_adapters.remarks import Remark, Remarks
    from coliee_ir.commands.compare import Comparison, Interval, Pair, Standing, compare
    from coliee_ir.commands.convert import convert, to_frame, to_qrels, to_run, write_submission
    from coliee_ir.commands.evaluate import evaluate, evaluate_all
    from coliee_ir.commands.fuse import Fusion, fuse
    from coliee_ir.commands.fuse.fitting import fit_fusion
    from coliee_ir.commands.fuse.recipe import Fused
    from coliee_ir.commands.fuse.result import Contender, FittedFusion
    from coliee_ir.commands.leaderboard import (
        Categories,
        Entry,
        Invalid,
        Leaderboard,
        OfficialRun,
        Published,
        Ranks,
        leaderboard,
        read_categories,
        read_official,
    )
    from coliee_ir.commands.plan import Plan, PlannedSize, plan
    from coliee_ir.commands.report import Report, report
    from coliee_ir.commands.tune import Rule, Tuning, cut, tune
    from coliee_ir.commands.tune.filters import Filter
    from coliee_ir.commands.tune.picking import Picked, pick
    from coliee_ir.commands.tune.pool import Pool
    from coliee_ir.commands.tune.result import Filtered, Tried
    from coliee_ir.commands.validate import Finding, Place, Severity, Validation, validate
    from coliee_ir.inbox.corpora import read_corpus
    from coliee_ir.inbox.teams import Teams
    from coliee_ir.judging.judged import Judged, judge
    from coliee_ir.judging.qrels import Qrels
    from coliee_ir.measures.base import Measure, Result, Terms
    from coliee_ir.measures.ties import Span
    from coliee_ir.output.grid import Grid, Number
    from coliee_ir.rules.decisions import Decisions
    from coliee_ir.rules.protocol import PROTOCOLS, Protocol, protocol
    from coliee_ir.scoring.evaluator import Evaluator
    from coliee_ir.scoring.reading import read_gold, read_run
    from coliee_ir.scoring.scored import Scored
    from coliee_ir.scoring.scores import Scores, Timing
    from coliee_ir.scoring.session import Rules
    from coliee_ir.scoring.store import ScoreStore
    from coliee_ir.scoring.submission import Submission
    from coliee_ir.stats.folds import BestOf
    from coliee_ir.stats.resampling import Difference
    from coliee_ir.stats.settings import Resampling

#: module → the public names that it holds; each is loaded when it is first asked for, so that a command starts quickly
_HOMES = {
    "coliee_ir.stats.settings": ("Resampling",),
    "coliee_ir.stats.resampling": ("Difference",),
    "coliee_ir.stats.folds": ("BestOf",),
    "coliee_ir.inbox.teams": ("Teams",),
    "coliee_ir.output.grid": (
        "Grid",
        "Number",
    ),
    "coliee_ir.measures.ties": ("Span",),
    "coliee_ir.measures.base": (
        "Measure",
        "Result",
        "Terms",
    ),
    "coliee_ir.commands.tune.result": (
        "Filtered",
        "Tried",
    ),
    "coliee_ir.commands.tune.picking": ("Picked", "pick"),
    "coliee_ir.commands.tune.pool": ("Pool",),
    "coliee_ir.commands.tune.filters": ("Filter",),
    "coliee_ir.commands.fuse.recipe": ("Fused",),
    "coliee_adapters.remarks": ("Remark", "Remarks"),
    "coliee_adapters.layouts": (
        "Layout",
        "Part",
    ),
    "coliee_adapters.descriptions": ("Description",),
    "coliee_adapters.corpora": (
        "Corpus",
        "DocsStore",
        "Document",
        "FragmentQuery",
        "Qrel",
        "Query",
    ),
    "coliee_ir.inbox.corpora": ("read_corpus",),
    "coliee_adapters.errors": ("ColieeError", "InputError", "MismatchError", "UsageError"),
    "coliee_adapters.inputs": ("GoldLike", "RunLike"),
    "coliee_adapters.records": (
        "Answers",
        "Gold",
        "Rules",
        "Run",
        "Columns",
    ),
    "coliee_ir.commands.convert": (
        "to_frame",
        "to_qrels",
        "to_run",
        "convert",
        "write_submission",
    ),
    "coliee_ir.commands.tune": ("Rule", "Tuning", "cut", "tune"),
    "coliee_ir.rules.decisions": ("Decisions",),
    "coliee_ir.scoring.evaluator": ("Evaluator",),
    "coliee_ir.scoring.submission": ("Submission",),
    "coliee_ir.commands.fuse": ("Fusion", "fuse"),
    "coliee_ir.commands.fuse.fitting": ("fit_fusion",),
    "coliee_ir.commands.fuse.result": (
        "FittedFusion",
        "Contender",
    ),
    "coliee_ir.judging.judged": ("Judged", "judge"),
    "coliee_ir.commands.leaderboard": (
        "Leaderboard",
        "leaderboard",
        "Categories",
        "Entry",
        "Invalid",
        "Published",
        "read_categories",
        "read_official",
        "OfficialRun",
        "Ranks",
    ),
    "coliee_ir.rules.protocol": ("PROTOCOLS", "Protocol", "protocol"),
    "coliee_ir.judging.qrels": ("Qrels",),
    "coliee_ir.scoring.reading": ("read_gold", "read_run"),
    "coliee_ir.commands.report": ("Report", "report"),
    "coliee_ir.scoring.scores": (
        "Scored",
        "Scores",
        "Timing",
    ),
    "coliee_ir.scoring.session": ("Rules",),
    "coliee_ir.scoring.scored": ("Scored",),
    "coliee_ir.commands.evaluate": ("evaluate", "evaluate_all"),
    "coliee_ir.scoring.store": ("ScoreStore",),
    "coliee_ir.commands.compare": ("Comparison", "Interval", "Pair", "Standing", "compare"),
    "coliee_ir.commands.plan": ("Plan", "PlannedSize", "plan"),
    "coliee_ir.commands.validate": (
        "Finding",
        "Validation",
        "validate",
        "Place",
        "Severity",
    ),
}

__all__ = [
    "PROTOCOLS",
    "Answers",
    "BestOf",
    "Categories",
    "ColieeError",
    "Columns",
    "Comparison",
    "Contender",
    "Corpus",
    "Decisions",
    "Description",
    "Difference",
    "DocsStore",
    "Document",
    "Entry",
    "Evaluator",
    "Filter",
    "Filtered",
    "Finding",
    "FittedFusion",
    "FragmentQuery",
    "Fused",
    "Fusion",
    "Gold",
    "GoldLike",
    "Grid",
    "InputError",
    "Interval",
    "Invalid",
    "Judged",
    "Layout",
    "Leaderboard",
    "Measure",
    "MismatchError",
    "Number",
    "OfficialRun",
    "Pair",
    "Part",
    "Picked",
    "Place",
    "Plan",
    "PlannedSize",
    "Pool",
    "Protocol",
    "Published",
    "Qrel",
    "Qrels",
    "Query",
    "Ranks",
    "Remark",
    "Remarks",
    "Report",
    "Resampling",
    "Result",
    "Rule",
    "Rules",
    "Run",
    "RunLike",
    "ScoreStore",
    "Scored",
    "Scores",
    "Severity",
    "Span",
    "Standing",
    "Submission",
    "Teams",
    "Terms",
    "Timing",
    "Tried",
    "Tuning",
    "UsageError",
    "Validation",
    "compare",
    "convert",
    "cut",
    "evaluate",
    "evaluate_all",
    "fit_fusion",
    "fuse",
    "judge",
    "leaderboard",
    "pick",
    "plan",
    "protocol",
    "read_categories",
    "read_corpus",
    "read_gold",
    "read_official",
    "read_run",
    "report",
    "to_frame",
    "to_qrels",
    "to_run",
    "tune",
    "validate",
    "write_submission",
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
