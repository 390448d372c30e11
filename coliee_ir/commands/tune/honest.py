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
    """What came of trying several kinds of rule on held-out folds."""

    chosen: int  # the place of the candidate with the best held-out score, or of the simplest within an error of it
    scores: list[float]  # the held-out score of each, the mean over the repeats
    behind: list[Difference]  # by how much each differs from the best
    folds: IntArray  # the folds of each deal; shape (D, Q)
    held: Sequence[FloatArray]  # what each query adds to each one's held-out scores; shape (D, Q, T) each


def select(candidates: Sequence[Candidate], split: Split, folds: IntArray, among: BoolArray) -> Selection:
    """Try each candidate on held-out folds, and choose."""
    held = [kind.sweep.held_out(folds, kind.bounds) for kind in candidates]
    return _selected(candidates, split, folds, held, among)


def _selected(
    candidates: Sequence[Candidate], split: Split, folds: IntArray, parts: Sequence[FloatArray], among: BoolArray
) -> Selection:
    """The choice by what each query adds to each candidate's held-out scores, of shape (D, Q, T)."""
    aim = candidates[0].sweep.objective
    held = [averaged([split.summed(each, among) for each in part], aim.score, aim.is_mean) for part in parts]
    scores = [terms.total for terms in held]
    best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
    behind = [difference(terms, held[best]) for terms in held]
    enough = [score >= scores[best] - apart.error - NEAR for score, apart in zip(scores, behind, strict=True)]
    return Selection(enough.index(True) if any(enough) else best, scores, behind, folds, parts)


def chosen(
    candidates: Sequence[Candidate], split: Split, trains: Sequence[BoolArray], rounds: Sequence[tuple[int, int]]
) -> list[Candidate]:
    """The kind of rule that each of some sets of queries chooses, by folds of them."""
    if len(candidates) == 1:
        return [*candidates] * len(trains)
    folds = np.stack([split.folds(train, *round_) for train, round_ in zip(trains, rounds, strict=True)])
    held = np.stack([kind.sweep.held_out(folds, kind.bounds) for kind in candidates], axis=1)
    return [
        # with one group there is nothing to choose by
        candidates[_selected(candidates, split, fold[None], parts[:, None], train).chosen if fold.max() > 0 else 0]
        for train, fold, parts in zip(trains, folds, held, strict=True)
    ]


def nested(candidates: Sequence[Candidate], split: Split, selection: Selection | None = None) -> Terms:
    """What each query adds when kind of rule and parameters are both chosen without its fold; for all repeats."""
    aim = candidates[0].sweep.objective
    outer = split.all_folds(np.ones(len(aim.base), dtype=np.bool_)) if selection is None else selection.folds
    each = np.zeros((*outer.shape, aim.base.shape[1]))
    tests: dict[Candidate, BoolArray] = {}  # what is held out where a kind is chosen; shape (repeats, Q)
    for repeat, fold in enumerate(outer):
        numbers = np.unique(fold).tolist()
        kinds = chosen(candidates, split, [fold != number for number in numbers], [(repeat, n) for n in numbers])
        for number, kind in zip(numbers, kinds, strict=True):
            tests.setdefault(kind, np.zeros(outer.shape, dtype=np.bool_))[repeat] |= fold == number
    for kind, test in tests.items():
        if selection is not None:
            each[test] = selection.held[candidates.index(kind)][test]
        else:
            repeats = np.flatnonzero(test.any(axis=1))
            each[test] = kind.sweep.held_out(outer[repeats], kind.bounds)[test[repeats]]
    return averaged(list(each), aim.score, aim.is_mean)
