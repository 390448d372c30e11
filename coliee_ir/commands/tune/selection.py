"""Kinds of rule tried on held-out folds: the simplest of those that are as good as the best is taken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune.objective import Objective
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.commands.tune.rules import Rule, named
from coliee_ir.commands.tune.search import NEAR, Bounds, Sweep, all_bounds
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.stats.folds import Split, averaged, standard_error


class Candidate(NamedTuple):
    """A kind of rule, with what is tried for its floor and cap; more parameters are less simple."""

    sweep: Sweep
    bounds: tuple[Bounds, ...]

    def fit(self, chosen: BoolArray) -> Rule:
        """The best rule on some queries."""
        return self.sweep.best(chosen, self.bounds)


def candidates_of(pool: Pool, aim: Objective, by: Sequence[str], floor: int | None, cap: int | None) -> list[Candidate]:
    """Each kind of rule with no more bounds than are given, then each with searched bounds: the simplest first."""
    sweeps = [Sweep(pool, family, aim) for family in named(by, pool)]
    plain = [Candidate(sweep, (Bounds(floor or 0, cap),)) for sweep in sweeps]
    every = all_bounds(floor, cap, int(pool.lengths.max(initial=0)))
    searched = [Candidate(sweep, every) for sweep in sweeps if sweep.family != "k"]
    return plain if len(every) == 1 else [*plain, *searched]


class Selection(NamedTuple):
    """What came of trying several kinds of rule on held-out folds."""

    chosen: int  # the place of the candidate with the best held-out score, or of the simplest within an error of it
    best: int  # the place of that with the best
    terms: list[Terms]  # the held-out score of each, the mean over the repeats
    errors: list[float]  # the standard error of its difference from the best
    folds: IntArray  # the folds of each deal; shape (D, Q)
    held: Sequence[FloatArray]  # what each query adds to each one's held-out scores; shape (D, Q, T) each


def select(candidates: Sequence[Candidate], split: Split, folds: IntArray, among: BoolArray) -> Selection:
    """Try each candidate on held-out folds, and choose."""
    aim = candidates[0].sweep.objective
    parts = [kind.sweep.held_out(folds, kind.bounds) for kind in candidates]
    held = [averaged([split.summed(each, among) for each in part], aim.score, aim.is_mean) for part in parts]
    scores = [terms.total for terms in held]
    best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
    errors = [standard_error(terms, held[best]) for terms in held]
    enough = [score >= scores[best] - error - NEAR for score, error in zip(scores, errors, strict=True)]
    return Selection(enough.index(True) if any(enough) else best, best, held, errors, folds, parts)


def nested(candidates: Sequence[Candidate], split: Split, selection: Selection) -> Terms:
    """What each query adds when kind of rule and parameters are both chosen without its fold; for all repeats."""
    each = np.zeros_like(selection.held[0])
    for repeat, fold in enumerate(selection.folds):
        for number in np.unique(fold).tolist():
            train, at = fold != number, 0
            inner = split.folds(train, repeat, number)
            if len(candidates) > 1 and inner.max() > 0:  # with one group there is nothing to choose by
                at = select(candidates, split, inner[None], train).chosen
            each[repeat, ~train] = selection.held[at][repeat, ~train]
    aim = candidates[0].sweep.objective
    return averaged(list(each), aim.score, aim.is_mean)
