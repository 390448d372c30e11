"""What a fitted cutoff is worth on queries it has not seen: nested cross-validation by query."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune.search import NEAR, Bounds, Fit, Sweep
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.stats.folds import Split, averaged, difference
from coliee_ir.stats.resampling import Difference


class Candidate(NamedTuple):
    """A kind of rule, with what is tried for its floor and cap; more parameters are less simple."""

    sweep: Sweep
    bounds: tuple[Bounds, ...]

    def fit(self, chosen: BoolArray) -> Fit:
        """The best rule on some queries."""
        return self.sweep.best(chosen, self.bounds)


class Selection(NamedTuple):
    """What came of trying several kinds of rule on held-out folds.

    Attributes:
        chosen: the place of the candidate with the best held-out score, or of the simplest within an error of it.
        scores: the held-out score of each, the mean over the repeats.
        behind: by how much each differs from the best.
    """

    chosen: int
    scores: list[float]
    behind: list[Difference]


def select(candidates: Sequence[Candidate], split: Split, folds: Sequence[IntArray], among: BoolArray) -> Selection:
    """Try each candidate on held-out folds, and choose.

    Args:
        candidates: the kinds of rule, the simplest first.
        split: the groups of queries.
        folds: for each repeat the fold of each query; shape (Q,).
        among: shape (Q,); the queries that take part.
    """
    aim = candidates[0].sweep.objective
    held = []
    for candidate in candidates:
        parts = [split.summed(candidate.sweep.held_out(fold, candidate.bounds), among) for fold in folds]
        held.append(averaged(parts, aim.score, aim.is_mean))
    scores = [terms.total for terms in held]
    best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
    behind = [difference(terms, held[best]) for terms in held]
    enough = [score >= scores[best] - apart.error - NEAR for score, apart in zip(scores, behind, strict=True)]
    return Selection(enough.index(True) if any(enough) else best, scores, behind)


def chosen(candidates: Sequence[Candidate], split: Split, train: BoolArray, *round_: int) -> Candidate:
    """The kind of rule that some queries choose, by folds of them.

    Args:
        candidates: the kinds of rule, the simplest first.
        split: the groups of queries.
        train: shape (Q,); the queries.
        round_: of the folds.
    """
    if len(candidates) > 1 and (inner := split.folds(train, *round_)).max() > 0:
        return candidates[select(candidates, split, [inner], train).chosen]
    return candidates[0]  # with one group there is nothing to choose by


def nested(candidates: Sequence[Candidate], split: Split) -> Terms:
    """What each query adds when kind of rule and parameters are both chosen without its fold; for all repeats.

    Args:
        candidates: the kinds of rule, the simplest first.
        split: the folds; those within the rest of a fold are dealt anew.
    """
    aim = candidates[0].sweep.objective
    everyone = np.ones(len(aim.base), dtype=np.bool_)
    parts = []
    for repeat in range(split.repeats):
        each = np.zeros_like(aim.base)
        outer = split.folds(everyone, repeat)
        held: dict[Candidate, FloatArray] = {}
        for number in np.unique(outer).tolist():
            test = outer == number
            kind = chosen(candidates, split, ~test, repeat, number)
            if kind not in held:
                held[kind] = kind.sweep.held_out(outer, kind.bounds)
            each[test] = held[kind][test]
        parts.append(each)
    return averaged(parts, aim.score, aim.is_mean)
