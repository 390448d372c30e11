"""How far two golds agree: in what they judge, and in the order of runs.

Judgements are compared on pairs of query and document, and queries are clusters.
Sources: Cohen 1960 and 1968; Kendall 1945; Yilmaz, Aslam & Robertson, SIGIR 2008; Urbano & Marrero, ICTIR 2017 (ties).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures.base import Terms, share
from coliee_ir.stats.intervals import jackknife_t
from coliee_ir.stats.paired import DECIMALS
from coliee_ir.stats.resampling import Interval, Resampling

#: with fewer queries that matter there is no interval
_LEAST_QUERIES: Final = 5
#: how often queries are cut in halves: so often that the two decimals stay, and of many runs less often
_TIMES: Final = 1000
_FEWEST_TIMES: Final = 100


class Estimate(NamedTuple):
    """A value and its interval, NaN for an end that there is not."""

    value: float
    interval: Interval


def kappa(first: IntArray, second: IntArray, query: IntArray, level: float) -> Estimate:
    """Cohen's kappa of two judgements of the same pairs, quadratically weighted where there are more than two grades.

    κ = 1 - Σw p_ij / Σw p_i. p_.j. The interval is the jackknife's over queries on the scale log((1+κ)/(1-κ)), which is
    the logit of (1+κ)/2.
    """
    grades, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    n, counts = len(grades), np.zeros((int(query.max(initial=-1)) + 1, len(grades) ** 2))
    np.add.at(counts, (query, places[: len(first)] * n + places[len(first) :]), 1)
    weights = (grades[:, None] - grades).astype(np.float64) ** 2

    def score(sums: FloatArray) -> FloatArray:
        cells = sums.reshape(*sums.shape[:-1], n, n)
        total, rows, columns = cells.sum(axis=(-2, -1)), cells.sum(axis=-1), cells.sum(axis=-2)
        apart = (cells * weights).sum(axis=(-2, -1)) * total
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(1 - apart / np.einsum("...i,ij,...j", rows, weights, columns) / 2)

    estimate = _jackknifed(Terms(counts, score, np.zeros(n * n), False), level)
    return Estimate(2 * estimate.value - 1, Interval(*(2 * end - 1 for end in estimate.interval)))


def f1(both: FloatArray, either: FloatArray, level: float) -> Estimate:
    """The F1 of what one gold has as relevant against the other: of each query, both and the sum of the two."""
    return _jackknifed(Terms(np.column_stack((2 * both, either)), share, np.zeros(2), False), level)


def _jackknifed(terms: Terms, level: float) -> Estimate:
    value, matters = float(terms.total), int((terms.each != 0).any(axis=1).sum())
    if not 0 < value < 1 or matters < _LEAST_QUERIES:
        return Estimate(value, Interval(math.nan, math.nan))
    return Estimate(value, jackknife_t(terms, level))


def _signs(scores: FloatArray) -> FloatArray:
    """Which of two is greater; shape (…, R, R)."""
    return np.asarray(np.sign(np.round(scores[..., :, None] - scores[..., None, :], DECIMALS)))


def tau_b(first: FloatArray, second: FloatArray) -> FloatArray:
    """Kendall's tau-b along the last axis; NaN where all are tied."""
    s, t = _signs(first), _signs(second)
    with np.errstate(invalid="ignore"):
        return np.asarray((s * t).sum(axis=(-2, -1)) / np.sqrt((s**2).sum(axis=(-2, -1)) * (t**2).sum(axis=(-2, -1))))


def tau_ap(first: FloatArray, second: FloatArray) -> float:
    """2/(R-1) Σ C(i)/(i-1) - 1: C(i) of the runs before rank i by ``second`` are so by ``first`` too, ties half.

    Of runs that are equal by ``second`` it is the mean over all their orders; NaN where all runs are equal by either.
    """
    s, t = _signs(first), _signs(second)
    if not (s.any() and t.any()):
        return math.nan
    rightly, before, equal = ((s + 1) / 2 * (t > 0)).sum(axis=0), (t > 0).sum(axis=0), (t == 0).sum(axis=0)
    total = 0.0
    for right, rank, n in zip(rightly.tolist(), before.tolist(), equal.tolist(), strict=True):
        total += sum((right + (place - rank) / 2) / place for place in range(max(rank, 1), rank + n)) / n
    return 2 * total / (len(s) - 1) - 1


def halves(first: Sequence[Terms], second: Sequence[Terms], settings: Resampling) -> tuple[float, float, float]:
    """The mean tau-b between random halves of the queries: of the two golds, of the first alone, of the second alone.

    No query is in both halves, so that the three are comparable: how alike queries' noise is plays no part.
    """
    n = len(first[0].each)
    random, times = np.random.default_rng(settings.seed), max(_FEWEST_TIMES, _TIMES // max(len(first) // 16, 1) ** 2)
    in_half = np.array([random.permutation(n) < n // 2 for _ in range(times)]).astype(np.float64)
    f, g, u, v = (
        np.stack([run.score(chosen @ run.each) for run in runs], axis=-1)
        for runs in (first, second) for chosen in (in_half, 1 - in_half)
    )  # fmt: skip
    between = np.concatenate([tau_b(f, v), tau_b(g, u)])
    means = [
        float(np.nanmean(taus)) if np.isfinite(taus).any() else math.nan for taus in (between, tau_b(f, g), tau_b(u, v))
    ]
    return means[0], means[1], means[2]
