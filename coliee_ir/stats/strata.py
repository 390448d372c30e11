"""Scores that are means over tasks, of which each counts the same: queries are drawn within each task.

A query adds z = x / (K n_t) to the score. Those of one task are a stratum; so are groups with queries of the same
tasks. With n queries of weight w in a stratum, S = Σ d² - (Σ d)²/n of d = z_a - z_b, and s² = Σ S/w² / Σ (n-1),
    SE² = Σ n/(n+1) · (S + 2 w² s²) over strata,   T = Σ d / SE:
few queries do not show how much those of their task vary, so that each variance is moderated by two degrees of freedom
of the pooled one. p: the signs of d are flipped, and T is formed anew of each flip: neither how much tasks differ nor
how unequal their sizes are makes it any less significant.

Sources: Cochran 1977, chapters 5 and 5A (strata); Janssen 1997 and Chung & Romano 2013
(studentised); Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004 (moderated variances).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.stats.paired import Null, Standings, affordable, all_pairs, better_than, flips, least_p
from coliee_ir.stats.resampling import NEAR, Resampling

#: with fewer degrees of freedom in all there is no bounded interval
_LEAST_FREE: Final = 3
#: how many degrees of freedom what is known of all strata adds to the variance of each
_PRIOR: Final = 2


def mean_over_tasks(sums: FloatArray) -> FloatArray:
    """Of each task two sums, one over the other, and the mean of these."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((sums[..., ::2] / sums[..., 1::2]).mean(axis=-1))


def terms_over_tasks(values: FloatArray, task: IntArray) -> Terms:
    """The terms of a mean over tasks, from the value of each query and the number of its task."""
    each, queries = np.zeros((len(values), 2 * (int(task.max()) + 1))), np.arange(len(values))
    each[queries, 2 * task], each[queries, 2 * task + 1] = values, 1
    return Terms(each, mean_over_tasks, np.zeros(each.shape[1]), False)


class _Strata(NamedTuple):
    """Queries, or groups of queries, by the tasks that they are of."""

    number: IntArray  # of the stratum of each query
    sizes: IntArray
    weights: FloatArray  # the mean weight of a query in the score
    free: int  # the degrees of freedom within all


def strata_of(terms: Terms) -> _Strata:
    """The strata; one of all, where each would have a single query, so that their differences count as chance."""
    counts = terms.each[:, 1::2]
    number = np.unique(counts > 0, axis=0, return_inverse=True)[1].ravel()
    if number.max(initial=0) == len(number) - 1:
        number = np.zeros_like(number)
    sizes = np.bincount(number)
    weights = np.bincount(number, counts @ _per_task(counts)) / sizes
    return _Strata(number, sizes, weights, max(len(number) - len(sizes), 1))


def _per_task(counts: FloatArray) -> FloatArray:
    """What a query of each task counts in the score."""
    sizes = counts.sum(axis=0)
    return np.asarray(1 / (sizes * len(sizes)))


def error_of(terms: Terms) -> tuple[float, int]:
    """The standard error of the score on other queries of these tasks, and its degrees of freedom."""
    sums, counts = terms.each[:, ::2], terms.each[:, 1::2]
    number, n, weights, free = strata_of(terms)
    apart = (sums - counts * (sums.sum(axis=0) / counts.sum(axis=0))) @ _per_task(counts)
    squares = np.bincount(number, (apart - (np.bincount(number, apart) / n)[number]) ** 2)
    pooled = float((squares / weights**2).sum()) / free
    variances = n * (squares + _PRIOR * pooled * weights**2) / (n - 1 + _PRIOR)
    total = float(variances.sum())
    degrees = total**2 / max(float((variances**2 / (n - 1 + _PRIOR)).sum()), sys.float_info.min)
    return math.sqrt(total), int(round(min(degrees, free), 6)) if free >= _LEAST_FREE else 0


def standings(runs: Sequence[Terms], settings: Resampling) -> Standings:
    """Which run is better than which, of all pairs at once."""
    scores = np.array([terms.total for terms in runs])
    scored = np.flatnonzero(~np.isnan(scores))
    pairs = all_pairs(len(scored))
    if not len(pairs):
        return Standings(better_than(scores, pairs), math.nan)
    strata, per_task = strata_of(runs[0]), _per_task(runs[0].each[:, 1::2])
    z = np.stack([runs[run].each[:, ::2] @ per_task for run in scored.tolist()])
    differing = np.array([(z[a] != z[b]).sum() for a, b in pairs])
    settings, varies = affordable(settings, len(pairs) * len(strata.sizes)), np.flatnonzero((z != z[0]).any(axis=0))
    greatest, drawn = [], 0
    for signs, drawn in flips(varies, z.shape[1], settings, len(z) * (len(z) + len(strata.sizes))):  # noqa: B007
        greatest.append(_statistics(z, strata, signs).max(axis=0))
    null = Null.of(np.concatenate(greatest), drawn)
    observed = _statistics(z, strata, np.ones((z.shape[1], 1)))[:, 0]
    is_found = np.maximum(null.p(observed), least_p(differing)) < settings.alpha
    better = better_than(scores, scored[pairs[is_found]])
    return Standings(better, null.critical(settings.alpha, observed), int(differing.max()), drawn)


def _statistics(z: FloatArray, strata: _Strata, signs: FloatArray) -> FloatArray:
    """The |T| of each pair of runs under each flip; shape (pairs, trials)."""
    of_strata = [np.flatnonzero(strata.number == number) for number in range(len(strata.sizes))]
    sums = [z[:, queries] @ signs[queries] for queries in of_strata]
    shares = strata.sizes / (strata.sizes - 1 + _PRIOR)
    pooled_share = _PRIOR * float(shares @ strata.weights**2) / strata.free
    statistics = []
    for a in range(len(z) - 1):
        total, variance = np.zeros((2, len(z) - a - 1, signs.shape[1]))
        greatest = 0.0
        for queries, of_runs, share, weight in zip(of_strata, sums, shares, strata.weights, strict=True):
            d = z[a, queries] - z[a + 1 :, queries]
            squares, flipped = (d * d).sum(axis=1)[:, None], of_runs[a] - of_runs[a + 1 :]
            total += flipped
            variance += (share + pooled_share / weight**2) * (squares - flipped * flipped / len(queries))
            of_both = z[a, queries] ** 2 + z[a + 1 :, queries] ** 2  # the sums of equal runs can differ in the last bit
            greatest = greatest + squares + NEAR * of_both.sum(axis=1)[:, None]
        is_nothing = variance <= NEAR * greatest
        t = np.abs(total) / np.sqrt(np.where(is_nothing, 1.0, variance))
        statistics.append(np.where(is_nothing, np.where(total * total > NEAR * greatest, math.inf, 0.0), t))
    return np.concatenate(statistics)
