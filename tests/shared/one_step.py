"""Runs scored and compared, ranked or reported in one step, for tests that are about the second."""

from __future__ import annotations

from typing import Any

from coliee_ir import Scored, evaluate_all
from coliee_ir import compare as of_compare
from coliee_ir import leaderboard as of_leaderboard
from coliee_ir import plan as of_plan
from coliee_ir import report as of_report
from coliee_ir.types import Comparison, Leaderboard, Plan, Report

_OF_SCORING = {
    *("task", "edition", "exclude", "only", "decisions", "columns"),
    *("measures", "teams", "jobs", "executor", "watch"),
}


def _scored(gold: Any, runs: Any, asked: dict[str, Any], **more: Any) -> Scored:
    """The runs scored by what is asked of the scoring, which is taken out of what is asked."""
    given = {name: asked.pop(name) for name in _OF_SCORING & asked.keys()}
    return evaluate_all(gold, runs, **{**more, **given})


def compare(gold: Any, *runs: Any, measure: str = "", **asked: Any) -> Comparison:
    return of_compare(_scored(gold, runs, asked, measures=measure or ()), measures=measure or (), **asked)


def plan(gold: Any, *runs: Any, measure: str = "", **asked: Any) -> Plan:
    return of_plan(_scored(gold, runs, asked, measures=measure or ()), measure=measure, **asked)


def leaderboard(gold: Any, *runs: Any, **asked: Any) -> Leaderboard:
    return of_leaderboard(_scored(gold, runs, asked, teams={}, keep_going=True), **asked)


def report(gold: Any, *runs: Any, **asked: Any) -> Report:
    return of_report(_scored(gold, runs, asked), **asked)
