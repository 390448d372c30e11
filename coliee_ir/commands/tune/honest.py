"""What a fitted cut-off is worth on queries it has not seen: nested cross-validation by query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune.search import NEAR, Bounds, Fit, Sweep
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.stats.folds import Split, standard_error


class Candidate(NamedTuple):
    """A kind of rule, with what is tried for its floor and cap; more parameters are less simple."""

    sweep: Sweep
    bounds: tuple[Bounds, ...]

    def fit(self, chosen: BoolArray) -> Fit:
        """The best rule on some queries."""
        return self.sweep.best(chosen, self.bounds)

    def score(self, each: FloatArray, among: BoolArray) -> float:
        """The score of what some queries add; NaN if none can be formed."""
        return float(self.sweep.objective.score(each[among].sum(axis=0)))


def held_out(candidate: Candidate, fold: IntArray, among: BoolArray) -> FloatArray:
    """What each query adds under the rule that was fitted without its fold; shape (Q, T), 0 outside of ``among``.

    Args:
        candidate: the kind of rule.
        fold: shape (Q,); the fold of each query.
        among: shape (Q,); the queries that take part.
    """
    each = np.zeros_like(candidate.sweep.objective.base)
    for number in np.unique(fold[among]).tolist():
        test = among & (fold == number)
        rule = candidate.fit(among & ~test).rule
        each[test] = candidate.sweep.terms(rule).each[test]
    return each


class Selection(NamedTuple):
    """What came of trying several kinds of rule on held-out folds.

    Attributes:
        chosen: the place of the candidate with the best held-out score, or of the simplest within an error of it.
        scores: the held-out score of each.
        errors: the standard error of the difference of each to the best.
    """

    chosen: int
    scores: list[float]
    errors: list[float]


def select(candidates: Sequence[Candidate], split: Split, fold: IntArray, among: BoolArray) -> Selection:
    """Try each candidate on held-out folds, and choose.

    Args:
        candidates: the kinds of rule, the simplest first.
        split: the groups of queries.
        fold: shape (Q,); the fold of each query.
        among: shape (Q,); the queries that take part.
    """
    held = [held_out(candidate, fold, among) for candidate in candidates]
    scores = [candidate.score(each, among) for candidate, each in zip(candidates, held, strict=True)]
    best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
    score, grouped = candidates[0].sweep.objective.score, [split.summed(each, among) for each in held]
    errors = [standard_error(score, each, grouped[best]) for each in grouped]
    enough = [of_it >= scores[best] - error - NEAR for of_it, error in zip(scores, errors, strict=True)]
    return Selection(enough.index(True) if any(enough) else best, scores, errors)


def nested(candidates: Sequence[Candidate], split: Split) -> Terms:
    """What each query adds when kind of rule and parameters are both chosen without its fold.

    Args:
        candidates: the kinds of rule, the simplest first.
        split: the folds; those within the rest of a fold are dealt anew.
    """
    objective = candidates[0].sweep.objective
    each = np.zeros_like(objective.base)
    outer = split.folds(np.ones(len(each), dtype=np.bool_))
    for number in np.unique(outer).tolist():
        test = outer == number
        inner = split.folds(~test, 1 + number)
        choice = len(candidates) > 1 and inner.max() > 0  # with one group left there is nothing to choose by
        candidate = candidates[select(candidates, split, inner, ~test).chosen if choice else 0]
        each[test] = candidate.sweep.terms(candidate.fit(~test).rule).each[test]
    return Terms(each, objective.score, np.zeros(each.shape[1]), objective.is_mean)
