"""Queries held out in folds, and what can be said of scores on them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.checked import error_for_argument, is_integer_within
from coliee_adapters.errors import UsageError
from coliee_adapters.forms.lines import counted
from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import QUOTIENTS, Terms, of_mean
from coliee_ir.stats import resampling
from coliee_ir.stats.paired import DECIMALS, Board, tested
from coliee_ir.stats.resampling import CONFIDENCE_LEVEL, MOST_REPEATS, Difference, Interval, Resampling, Units
from coliee_ir.stats.student import NORMAL, t_quantile


@dataclass(frozen=True)
class Split:
    """How queries are dealt to folds: one by one, or group by group, and several times.

    The folds follow from the ids and the seed, whatever the order of the queries.
    """

    units: Units  # the groups, or the queries themselves, in the order of their names
    n: int  # how many folds
    seed: int  # of the order in which they are dealt
    repeats: int = 1  # how many times they are dealt anew

    @classmethod
    def of(
        cls,
        queries: Sequence[str],
        n: int,
        seed: int,
        groups: Mapping[str, str] | None = None,
        repeats: int = 1,
    ) -> Split:
        """The split of some queries."""
        if not is_integer_within(repeats, 1, MOST_REPEATS):
            raise UsageError("bad-value", f"the number of repeats must be between 1 and {MOST_REPEATS:,}")
        if not is_integer_within(n, -sys.maxsize):
            raise error_for_argument("folds", "an integer ≥ 2, or left out with by_year=True", n)
        units = Units.of(queries, groups)
        if n < 2 or units.n < n:
            what = counted(units.n, "query" if groups is None else "group")
            least = "at least 2 are needed" if units.n < 2 else f"use {'2 to ' * (units.n > 2)}{units.n}"
            raise UsageError("too-few", f"{counted(n, 'fold')} cannot be made from {what}; {least}")
        return cls(units, n, seed, repeats)

    def folds(self, among: BoolArray, *round_: int) -> IntArray:
        """Shape (Q,); the fold of each query, -1 for those that do not take part; all 0 where only one group does."""
        groups = np.unique(self.units.number[among])
        bits = np.random.PCG64(np.random.SeedSequence(self.seed, spawn_key=round_))
        order = np.argsort(bits.random_raw(len(groups)), kind="stable")
        fold = np.empty(self.units.n, dtype=np.int64)
        fold[groups[order]] = np.arange(len(groups)) % self.n
        return np.where(among, fold[self.units.number], -1)

    def all_folds(self, among: BoolArray) -> IntArray:
        """Shape (repeats, Q); the folds of each repeat."""
        return np.stack([self.folds(among, repeat) for repeat in range(self.repeats)])

    def summed(self, each: FloatArray, among: BoolArray) -> FloatArray:
        """What each group of the queries that take part adds; shape (G, T)."""
        groups, number = np.unique(self.units.number[among], return_inverse=True)
        return Units(number, len(groups)).summed(each[among])

    def terms(self, like: Terms) -> Terms:
        """Terms whose units are the groups, in the order of their names: what is resampled together."""
        return self.units.terms(like)


def averaged(parts: Sequence[FloatArray], score: Callable[[FloatArray], FloatArray], is_mean: bool) -> Terms:
    """The terms of the mean of several scores, one for each repeat of a split."""
    width = parts[0].shape[1]
    if len(parts) == 1:
        return Terms(parts[0], score, np.zeros(width), is_mean)
    return Terms(np.concatenate(parts, axis=1), partial(_mean, score, width), np.zeros(width * len(parts)), False)


def _mean(score: Callable[[FloatArray], FloatArray], width: int, sums: FloatArray) -> FloatArray:
    """The mean of the scores of each ``width`` columns, of those that exist."""
    scores = score(sums.reshape(*sums.shape[:-1], -1, width))
    exists = np.isfinite(scores)
    total, n = np.where(exists, scores, 0.0).sum(axis=-1), exists.sum(axis=-1)
    return np.asarray(np.where(n > 0, total / np.maximum(n, 1), np.nan))


def spread(held_out: Terms, repeats: int, score: Callable[[FloatArray], FloatArray]) -> float | None:
    """The standard deviation over the repeats of a score; None for a single one."""
    scores = score(held_out.each.sum(axis=0).reshape(repeats, -1))
    scores = scores[np.isfinite(scores)]
    return float(scores.std(ddof=1)) if len(scores) > 1 else None


def difference(terms: Terms, other: Terms, folds: int) -> Difference:
    """The difference of two held-out scores, of which at least one was fitted without each fold; see ``paired.tested``.

    The folds share what they were fitted to, so that queries alone tell too little of how it varies: the variance is
    1 + K/(K - 1) times as great, K folds, and Student's t has K - 1 degrees of freedom. Dealing anew to folds adds no
    queries. Scores that are not both quotients, such as means over repeats, are replaced by their pseudo-values.

    Source: Nadeau, Bengio, Machine Learning 52 (2003), the corrected resampled t test, of K folds.
    """
    if (board := _board(terms, other)) is None:
        return Difference(0.0, 0.0, Interval(0.0, 0.0))
    [test] = tested(board, [(0, 1)], Resampling())
    as_great, (level, d) = math.sqrt(1 + folds / (folds - 1)), ((1 + CONFIDENCE_LEVEL) / 2, test.difference)
    times = as_great * t_quantile(level, folds - 1) / NORMAL.inv_cdf(level)
    low, high = (float(np.clip(d + times * (end - d), -board.span, board.span)) for end in test.interval)
    return Difference(d, as_great * test.error, Interval(low, high))


def standard_error(terms: Terms, other: Terms) -> float:
    """That of ``difference`` as queries alone tell it, without the flips that its interval takes."""
    board = _board(terms, other) if len(terms.each) else None
    return 0.0 if board is None else math.sqrt(board.A[0, 1])


def _board(terms: Terms, other: Terms) -> Board | None:
    """Two scores to be compared; None where they are the same, query by query."""
    is_plain = terms.score in QUOTIENTS and other.score is terms.score
    runs = [terms, other] if is_plain else [_pseudo_value_mean(terms), _pseudo_value_mean(other)]
    return None if np.allclose(runs[0].each, runs[1].each, rtol=0, atol=resampling.NEAR) else Board(runs)


def _pseudo_value_mean(run: Terms) -> Terms:
    """The mean of a score's pseudo-values, moved to the score (Efron, Tibshirani 1993, chapter 11)."""
    without = resampling.left_out(run)
    exists = np.isfinite(without)
    off = np.where(exists, without - (without[exists].mean() if exists.any() else 0.0), 0.0)
    return of_mean(run.total - (len(off) - 1) * off)


#: how ``best_of`` corrects, in words
PICKED_ANEW: Final = "picked anew on bootstrap samples, scored on the queries left out"


class BestOf(NamedTuple):
    """What to expect of the best of several runs.

    Attributes:
        score: never above the held-out score of the best run, which an estimate of its luck cannot improve.
        interval: between quantiles of the score on the queries that did not choose, some 37% of all: wider than an
            interval of ``score``.
    """

    score: float
    interval: Interval


def best_of(held_out: Sequence[Terms], n_resamples: int, seed: int) -> BestOf:
    """What to expect of the best of several runs, where it is the best by the very scores that are held out.

    On each bootstrap sample of the queries the best run is chosen; what it scores on the queries that are not in the
    sample is averaged; of several that are the best alike, so is theirs. NaN for no run. Samples that leave no query
    out, as of three years many are, do not count.

    Source: Tsamardinos, Greasidou, Borboudakis, Machine Learning 107 (2018): bootstrap bias-corrected cross-validation.
    """
    if not held_out:
        return BestOf(math.nan, Interval(math.nan, math.nan))
    each = np.concatenate([terms.each.T for terms in held_out])
    outside: list[FloatArray] = []
    for drawn in resampling.draws(seed, n_resamples, each.shape[1], len(each)):
        inside = np.nan_to_num(_scores(held_out, each, drawn), nan=-np.inf).round(DECIMALS)
        is_best = inside == inside.max(axis=0)
        of_best = np.where(is_best, _scores(held_out, each, (drawn == 0).astype(np.float64)), 0.0)
        of_rest = of_best.sum(axis=0) / is_best.sum(axis=0)
        outside.append(np.where((drawn == 0).any(axis=1), of_rest, np.nan))  # a sample may leave nothing out
    scores = np.concatenate(outside)
    greatest = max((terms.total for terms in held_out if not math.isnan(terms.total)), default=math.nan)
    expected = float(np.nanmean(scores)) if np.isfinite(scores).any() else math.nan
    return BestOf(min(expected, greatest), resampling.percentile(scores, CONFIDENCE_LEVEL))


def _scores(held_out: Sequence[Terms], each: FloatArray, weights: FloatArray) -> FloatArray:
    """Shape (runs, n_resamples); the score of each run with each weighting of the queries."""
    sums = (each @ weights.T).reshape(len(held_out), -1, len(weights))
    return np.stack(
        [terms.score((part + terms.besides[:, None]).T) for terms, part in zip(held_out, sums, strict=True)]
    )
