"""Resampling queries: every score is a formula on sums over queries, so a resample is a sum with other weights.

The random numbers are the raw bits of PCG64, whose stream NumPy guarantees, so that a seed gives the same result with
any version and on any machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_ir.judged import FloatArray
from coliee_ir.measures.base import Terms

#: So many random numbers are held at once.
_AT_ONCE: Final = 1 << 22

#: Differences nearer than this are the same: sums of the same numbers in another order.
_NEAR: Final = 1e-12

_NORMAL: Final = NormalDist()


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def swaps(seed: int, trials: int, queries: int) -> Iterator[npt.NDArray[np.bool_]]:
    """For each trial, which queries swap their runs: blocks of shape (trials of the block, queries)."""
    bits = np.random.PCG64(seed)
    words = (queries + 63) // 64
    for n in _blocks(trials, 64 * words):
        raw = bits.random_raw(n * words).astype("<u8").view(np.uint8).reshape(n, 8 * words)
        yield np.unpackbits(raw, axis=1, count=queries, bitorder="little").astype(np.bool_)


def draws(seed: int, trials: int, queries: int) -> Iterator[FloatArray]:
    """For each bootstrap sample, how often each query is drawn: blocks of shape (trials of the block, queries)."""
    bits = np.random.PCG64(seed)
    for n in _blocks(trials, queries):
        # a 32-bit number times Q, without its lower half, is a number below Q
        raw = (bits.random_raw(n * queries) >> np.uint64(32)) * np.uint64(queries) >> np.uint64(32)
        drawn = raw.astype(np.int64).reshape(n, queries) + queries * np.arange(n)[:, None]
        yield np.bincount(drawn.ravel(), minlength=n * queries).reshape(n, queries).astype(np.float64)


def _blocks(trials: int, of_trial: int) -> Iterator[int]:
    """How many trials go together."""
    at_once = max(_AT_ONCE // max(of_trial, 1), 1)
    while trials > 0:
        yield min(at_once, trials)
        trials -= at_once


def randomised(runs: Sequence[Terms], pairs: Sequence[tuple[int, int]], trials: int, seed: int) -> FloatArray:
    """The p values of the paired randomisation test, two-sided; shape (pairs,).

    Under the null hypothesis it does not matter which of the two runs gave a query's answer. So each trial swaps the
    runs of a random half of the queries and computes both scores anew, from sums. p = (hits + 1) / (trials + 1), where
    a hit is a trial whose difference is at least as great as the observed one. All pairs see the same swaps.

    Args:
        runs: the terms of each run, over the same queries.
        pairs: the runs to compare, by their places.
        trials: how many.
        seed: of the random numbers.

    Source: Smucker, Allan, Carterette, CIKM 2007; p with the observed one counted in: Phipson, Smyth 2010.
    """
    each = np.stack([run.each for run in runs], axis=1)  # (Q, runs, T)
    queries, n, width = each.shape
    totals = each.sum(axis=0) + np.stack([run.besides for run in runs])
    observed = np.array([abs(runs[a].total - runs[b].total) for a, b in pairs])
    hits = np.zeros(len(pairs), dtype=np.int64)
    for swapped in swaps(seed, trials, queries):
        moved = (swapped.astype(np.float64) @ each.reshape(queries, -1)).reshape(-1, n, width)
        for at, (a, b) in enumerate(pairs):
            exchange = moved[:, b] - moved[:, a]
            difference = runs[a].score(totals[a] + exchange) - runs[b].score(totals[b] - exchange)
            hits[at] += int((np.abs(difference) >= observed[at] - _NEAR).sum())
    return (hits + 1) / (trials + 1)


def bootstrapped(runs: Sequence[Terms], trials: int, seed: int) -> FloatArray:
    """The score of each run on samples of the queries, drawn with replacement; shape (trials, runs).

    All runs see the same samples, so that differences of columns are paired.
    """
    each = np.stack([run.each for run in runs], axis=1)
    queries, n, width = each.shape
    scores = []
    for drawn in draws(seed, trials, queries):
        sums = (drawn @ each.reshape(queries, -1)).reshape(-1, n, width)
        scores.append(np.stack([run.score(sums[:, at] + run.besides) for at, run in enumerate(runs)], axis=1))
    return np.concatenate(scores)


def left_out(run: Terms) -> FloatArray:
    """The score without each query in turn; shape (Q,)."""
    return run.score(run.each.sum(axis=0) + run.besides - run.each)


def percentile(samples: FloatArray, level: float) -> Interval:
    """The interval between the quantiles of bootstrap samples (Efron & Tibshirani 1993, chapter 13)."""
    kept = samples[~np.isnan(samples)]
    if not len(kept):
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(kept, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high))


def bca(samples: FloatArray, observed: float, jackknife: FloatArray, level: float) -> Interval:
    """The bias-corrected and accelerated interval (Efron & Tibshirani 1993, chapter 14).

    Args:
        samples: shape (trials,); the statistic on bootstrap samples.
        observed: the statistic itself.
        jackknife: shape (Q,); the statistic without each query in turn.
        level: of confidence.
    """
    kept = samples[~np.isnan(samples)]
    deviations = jackknife[~np.isnan(jackknife)]
    deviations = deviations.mean() - deviations if len(deviations) else deviations
    spread = float((deviations**2).sum())
    if not len(kept) or np.isnan(observed):
        return Interval(float("nan"), float("nan"))
    # samples equal to the observed value count half, so that a discrete statistic is not taken for a biased one
    below = float(((kept < observed - _NEAR).sum() + (np.abs(kept - observed) <= _NEAR).sum() / 2) / len(kept))
    if spread <= _NEAR**2 or not 0 < below < 1:
        return percentile(samples, level)
    bias = _NORMAL.inv_cdf(below)
    acceleration = float((deviations**3).sum()) / (6 * spread**1.5)
    shares = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        z = bias + _NORMAL.inv_cdf(share)
        shares.append(_NORMAL.cdf(bias + z / (1 - acceleration * z)))
    low, high = np.quantile(kept, sorted(shares))
    return Interval(float(low), float(high))


def wilson(successes: float, n: float, level: float) -> Interval:
    """Wilson's score interval of a proportion (Wilson 1927)."""
    if not n:
        return Interval(float("nan"), float("nan"))
    z = _NORMAL.inv_cdf((1 + level) / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return Interval(max(middle - half, 0.0), min(middle + half, 1.0))


def detectable(error: float, level: float, power: float) -> float:
    """The least true difference that a two-sided test at 1 - level finds with this power, by the normal approximation.

    Args:
        error: the standard error of the difference.
        level: of confidence.
        power: the probability of finding it.
    """
    return error * (_NORMAL.inv_cdf((1 + level) / 2) + _NORMAL.inv_cdf(power))
