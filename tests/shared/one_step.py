"""Runs scored and compared, ranked or reported in one step, for tests that are about the second."""

from coliee_ir import compare as of_compare
from coliee_ir import evaluate_all
from coliee_ir import leaderboard as of_leaderboard
from coliee_ir import plan as of_plan
from coliee_ir import report as of_report

_OF_SCORING = {
    *("task", "edition", "exclude", "only", "decisions", "columns"),
    *("measures", "teams", "jobs", "executor", "watch"),
}


def _scored(gold, runs, asked, **more):
    """The runs scored by what is asked of the scoring, which is taken out of what is asked."""
    given = {name: asked.pop(name) for name in _OF_SCORING & asked.keys()}
    return evaluate_all(gold, runs, **{**more, **given})


def compare(gold, *runs, measure="", **asked):
    return of_compare(_scored(gold, runs, asked, measures=measure or ()), measures=measure or (), **asked)


def plan(gold, *runs, measure="", **asked):
    return of_plan(_scored(gold, runs, asked, measures=measure or ()), measure=measure, **asked)


def leaderboard(gold, *runs, **asked):
    return of_leaderboard(_scored(gold, runs, asked, teams={}, keep_going=True), **asked)


def report(gold, *runs, **asked):
    return of_report(_scored(gold, runs, asked), **asked)
