"""Scores that are means over tasks, of which each counts the same: queries are drawn within each task.

A query adds z = x / (K n_t) to the score. Those of one task are a stratum; so are groups with queries of the same
tasks, and strata of a single query together. With n queries in a stratum and d = z_a - z_b,
    SE² = Σ n/(n-1) · (Σ d² - (Σ d)²/n) over strata,   T = Σ d / SE.
p: the signs of d are flipped, and T is formed anew of each flip: neither how much tasks differ nor how unequal their
sizes are makes it any less significant.

Sources: Cochran 1977, chapters 5 and 5A (strata, and single units taken together); Janssen 1997 and Chung & Romano 2013
(studentised); Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004 (moderated variances).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Final

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.stats.paired import Null, Standings, affordable, all_pairs, flips, least_p
from coliee_ir.stats.ranks import better_than
from coliee_ir.stats.resampling import NEAR
from coliee_ir.stats.settings import Resampling

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


def strata_of(terms: Terms) -> IntArray:
    """The number of the stratum of each query, or group of queries."""
    _, stratum, sizes = np.unique(terms.each[:, 1::2] > 0, axis=0, return_inverse=True, return_counts=True)
    stratum = stratum.ravel()
    is_single = sizes[stratum] == 1
    if is_single.sum() == 1 and len(sizes) > 1:  # it is taken together with the smallest of the others
        is_single |= stratum == np.argsort(sizes, kind="stable")[1]
    return np.unique(np.where(is_single, -1, stratum), return_inverse=True)[1]


def _additions(terms: Terms) -> FloatArray:
    """What each query, or group, adds to the score."""
    sizes = terms.each[:, 1::2].sum(axis=0)
    return np.asarray((terms.each[:, ::2] / (sizes * len(sizes))).sum(axis=1))


def error_of(terms: Terms) -> tuple[float, int]:
    """The standard error of the score on other queries of these tasks, and its degrees of freedom.

    A stratum with few queries does not show how much these vary, so that its variance is moderated: with Σu² the
    squares of n queries, u per unit of weight, and s² = ΣΣu² / Σ(n-1), it is (Σu² + 2 s²) / (n + 1) (Smyth 2004, with
    two prior degrees of freedom; ``benchmarks.error_rates``). NaN where each stratum has one query.
    """
    sums, counts = terms.each[:, ::2], terms.each[:, 1::2]
    sizes = counts.sum(axis=0)
    per_task = 1 / (sizes * len(sizes))
    apart, weight = (sums - counts * (sums.sum(axis=0) / sizes)) @ per_task, counts @ per_task
    stratum = np.unique(counts > 0, axis=0, return_inverse=True)[1].ravel()
    n = np.bincount(stratum)
    mean_weight = np.bincount(stratum, weight) / n
    u = (apart - (np.bincount(stratum, apart) / n)[stratum]) / mean_weight[stratum]
    squares, free = np.bincount(stratum, u * u), int((n - 1).sum())
    if not free:
        return math.nan, 0
    variances = n * mean_weight**2 * (squares + _PRIOR * squares.sum() / free) / (n - 1 + _PRIOR)
    total = float(variances.sum())
    degrees = total**2 / max(float((variances**2 / (n - 1 + _PRIOR)).sum()), sys.float_info.min)
    return math.sqrt(total), int(min(degrees, free))


def standings(runs: Sequence[Terms], settings: Resampling) -> Standings:
    """Which run is better than which, of all pairs at once."""
    scores = np.array([terms.total for terms in runs])
    known = np.flatnonzero(~np.isnan(scores))
    pairs = all_pairs(len(known))
    if not len(pairs):
        return Standings(better_than(scores, pairs), math.nan)
    z, stratum = np.stack([_additions(runs[at]) for at in known.tolist()]), strata_of(runs[0])
    strata = [np.flatnonzero(stratum == number) for number in range(int(stratum.max()) + 1)]
    differing = np.array([(z[a] != z[b]).sum() for a, b in pairs])
    settings, varies = affordable(settings, len(pairs) * len(strata)), np.flatnonzero((z != z[0]).any(axis=0))
    greatest, drawn = [], 0
    for signs, drawn in flips(varies, z.shape[1], settings, len(z) * (len(z) + len(strata))):  # noqa: B007
        greatest.append(_statistics(z, strata, signs).max(axis=0))
    null = Null.of(np.concatenate(greatest), drawn)
    observed = _statistics(z, strata, np.ones((z.shape[1], 1)))[:, 0]
    is_found = np.maximum(null.p(observed), least_p(differing)) < settings.alpha
    better = better_than(scores, known[pairs[is_found]])
    return Standings(better, null.critical(settings.alpha), int(differing.max()), drawn)


def _statistics(z: FloatArray, strata: Sequence[IntArray], signs: FloatArray) -> FloatArray:
    """The |T| of each pair of runs under each flip; shape (pairs, trials)."""
    sums = [z[:, queries] @ signs[queries] for queries in strata]
    found = []
    for a in range(len(z) - 1):
        total, variance = np.zeros((2, len(z) - a - 1, signs.shape[1]))
        greatest = 0.0
        for queries, of_runs in zip(strata, sums, strict=True):
            d, n = z[a, queries] - z[a + 1 :, queries], len(queries)
            squares, flipped = (d * d).sum(axis=1)[:, None], of_runs[a] - of_runs[a + 1 :]
            total += flipped
            variance += n / max(n - 1, 1) * (squares - flipped * flipped / n)
            greatest = greatest + squares
        is_nothing = variance <= NEAR * greatest
        t = np.abs(total) / np.sqrt(np.where(is_nothing, 1.0, variance))
        found.append(np.where(is_nothing, np.where(total * total > NEAR * greatest, math.inf, 0.0), t))
    return np.concatenate(found)
