"""What is asked for, whatever the rankings; and its solution on some rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune import search
from coliee_ir.commands.tune.objective import Objective, objective
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.commands.tune.result import Tried
from coliee_ir.commands.tune.rules import Rule, named
from coliee_ir.commands.tune.search import NEAR, Bounds, Fit, Sweep
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Parts, Result, Terms
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats import cutting
from coliee_ir.stats.cutting import relevance_of
from coliee_ir.stats.folds import Split, averaged, difference
from coliee_ir.stats.resampling import Difference


@dataclass(frozen=True, slots=True)
class Solution:
    """The rule chosen, its score on all queries, what was tried, and the score over its parameter."""

    rule: Rule  # the rule
    resubstitution: float  # its score
    tried: tuple[Tried, ...]  # what was tried
    curve: tuple[tuple[float, float], ...]  # the score over its parameter
    sweep: Sweep  # the rule's
    selection: Selection  # how it was chosen


@dataclass(frozen=True, slots=True)
class Problem:
    """What is asked for."""

    measure: Measure  # what is maximised
    decisions: Decisions  # the choices where the organisers leave it open
    right: Mapping[str, bool] | None  # query → whether its answer is right, for Accuracy
    by: Sequence[str]  # the kinds of rule; empty for all that a run allows
    floor: int | None  # keep at least so many; None to search it
    cap: int | None  # keep at most so many; None to search it
    split: Split  # the folds of queries
    # the results of measures in a formula that do not look at the documents that are cut
    fixed: Mapping[Measure, Result] = field(default_factory=dict)

    def objective(self, pool: Pool) -> Objective:
        """What is maximised, on some rankings."""
        return objective(self.measure, pool, self.decisions, self.right, self.fixed)

    def candidates(self, pool: Pool) -> list[Candidate]:
        """Each kind of rule with no more bounds than are given, then each with searched bounds: the simplest first."""
        aim = self.objective(pool)
        sweeps = [Sweep(pool, family, aim) for family in named(self.by, pool)]
        plain = [Candidate(sweep, (Bounds(self.floor or 0, self.cap),)) for sweep in sweeps]
        every = search.all_bounds(self.floor, self.cap, int(pool.lengths.max(initial=0)))
        if len(every) == 1:
            return plain
        return [*plain, *(Candidate(sweep, every) for sweep in sweeps if sweep.family != "k")]

    def held_out(self, candidates: Sequence[Candidate], selection: Selection | None = None) -> Terms:
        """What each query, or group of them, adds when everything is chosen without it: see ``nested``."""
        return self.split.terms(nested(candidates, self.split, selection))

    def solve(self, candidates: Sequence[Candidate]) -> Solution:
        """Choose the kind of rule by its held-out score, and fit it to all queries."""
        everyone = np.ones(len(self.split.group), dtype=np.bool_)
        selection = select(candidates, self.split, self.split.all_folds(everyone), everyone)
        fits = [candidate.fit(everyone) for candidate in candidates]
        tried = tuple(
            Tried(fit.rule, len(candidate.bounds) > 1, fit.score, score, behind)
            for candidate, fit, score, behind in zip(candidates, fits, selection.scores, selection.behind, strict=True)
        )
        rule, sweep = fits[selection.chosen].rule, candidates[selection.chosen].sweep
        curve = sweep.curve(everyone, Bounds(rule.floor, rule.cap))
        return Solution(rule, sweep.terms(rule).total, tried, tuple(curve), sweep, selection)

    def ceilings(self, pool: Pool, whole: float, others: Parts, *, has_filters: bool = False) -> dict[str, float]:
        """Reference scores: what better cutting, and what better ranking, could give."""
        parts = {**others, "documents": pool.judged(relevance_of(self.measure))}
        fixed = cutting.best_fixed_k(self.measure, parts, self.decisions)
        all_rows = pool.lengths
        left = {"the run after the filters": self.objective(pool).terms(pool, all_rows).total} if has_filters else {}
        return {
            f"{cutting.BEST_K} ({fixed.k})": fixed.score,
            cutting.ORACLE_COUNT: cutting.oracle_count(self.measure, parts, self.decisions),
            cutting.ONE_EACH: cutting.one_each(self.measure, parts, self.decisions),
            "recall of the whole ranking": float(pool.relevant.sum() / pool.wanted.sum()),
            **left,
            "the run as it is": whole,
        }


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
