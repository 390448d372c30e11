"""The confidence interval of a score."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from coliee_ir.measures import Result
from coliee_ir.measures.base import QUOTIENTS, Terms
from coliee_ir.stats import resampling, strata
from coliee_ir.stats.resampling import NEAR, Interval
from coliee_ir.stats.student import NORMAL, t_quantile
from coliee_ir.stats.systems import MeanOf, error_of

#: with fewer degrees of freedom intervals grow wider, and hold the truth no more often (``benchmarks.error_rates``)
_LEAST_DEGREES: Final = 4


def are_shares(results: Iterable[Result]) -> bool:
    """Whether scores are shares of queries: means of values that are 0 or 1, whatever the measure is called."""
    return all(
        bool(np.isin(result.per_query[~np.isnan(result.per_query)], (0.0, 1.0)).all()) and result.terms.is_mean
        for result in results
    )


def interval_of(
    result: Result, terms: Terms, confidence_level: float, *, is_share: bool, fixed: bool = False
) -> Interval:
    """The interval of a score: Wilson's of a share of queries, else the jackknife's.

    That of a system, the mean of its runs, holds for other runs of it too; of fixed queries for these alone. That of a
    mean over tasks holds for other queries of these tasks.
    """
    values = result.per_query[~np.isnan(result.per_query)]
    within_1 = bool(((values >= 0) & (values <= 1)).all())
    if isinstance(terms.score, MeanOf):
        error, degrees = error_of(terms, fixed=fixed)
        return _interval_around(terms.total, t_quantile((1 + confidence_level) / 2, degrees) * error, within_1)
    if terms.score is strata.mean_over_tasks:
        error, degrees = strata.error_of(terms)
        if not error <= NEAR:  # else scores of 0 or 1 have the jackknife's
            return _interval_around(terms.total, t_quantile((1 + confidence_level) / 2, degrees) * error, within_1)
    if is_share:
        return wilson(float(values.sum()), len(values), confidence_level)
    return jackknife_t(terms, confidence_level, within_1=within_1)


def wilson(successes: float, n: float, confidence_level: float) -> Interval:
    """Wilson's score interval of a proportion (Wilson 1927)."""
    if not n:
        return Interval(math.nan, math.nan)
    z = NORMAL.inv_cdf((1 + confidence_level) / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (share * (1 - share) / n + z * z / (4 * n * n)) ** 0.5
    return Interval(max(middle - half, 0.0), min(middle + half, 1.0))


def jackknife_t(terms: Terms, confidence_level: float, *, within_1: bool = True) -> Interval:
    """The interval of a score from its jackknife: f ± t · SE, on the scale of logit f for scores between 0 and 1.

    SE² = (n - 1)/n · Σd², where d is by how much the score without a query is off the mean of these scores. On the
    logit scale it is SE / (f (1 - f)), and no end is beyond 0 and 1. t has 2 (Σd²)² / (Σd⁴ - (Σd²)²/n) degrees of
    freedom, at least 4 and at most n - 1: where a few queries have most of the relevant documents, SE itself is known
    from these few. Where nothing varies, it is the rule of three's for scores of 0 and 1, and NaN for others. Where
    most queries have 0, or most have 1, the end on the other side allows for queries so rare that none is among these:
    a share of 1 - (1 - level)^(1/n).

    Source: Efron & Tibshirani 1993, chapter 11; the degrees of freedom: Satterthwaite, Biometrics Bulletin 2, 1946.
    """
    score, adds = terms.total, (terms.each != 0).any(axis=1)
    without = resampling.left_out(terms)[adds]
    seen, without = len(without), without[np.isfinite(without)]
    n = len(without)
    squares = (without - without.mean()) ** 2 if n > 1 else np.zeros(1)
    total = float(squares.sum())
    error = math.sqrt((n - 1) / n * total) if n > 1 else 0.0
    if error <= NEAR and within_1 and min(abs(score), abs(1 - score)) <= NEAR and seen:
        unseen = min(-math.log(1 - confidence_level) / seen, 1.0)  # what they do not show (Hanley & Lippman 1983)
        return Interval(0.0, unseen) if score < 0.5 else Interval(1 - unseen, 1.0)
    if not error > NEAR:
        return Interval(math.nan, math.nan)
    uneven = float((squares**2).sum()) - total * total / n
    degrees = 2 * total * total / uneven if uneven > 0 else math.inf
    degrees = int(round(min(max(degrees, _LEAST_DEGREES), n - 1), 6))  # or it hangs on the order of sums
    low, high = _interval_around(score, t_quantile((1 + confidence_level) / 2, degrees) * error, within_1)
    is_high, first_two = score >= 0.5, terms.each[adds, :2].T
    if within_1 and terms.score in QUOTIENTS and np.mean(first_two[0] == is_high * first_two[1]) > 1 / 2:
        unseen = 1 - (1 - confidence_level) ** (1 / seen)
        with_rare = score + unseen * ((not is_high) - score)
        return Interval(min(low, with_rare), max(high, with_rare))
    return Interval(low, high)


def _interval_around(score: float, half: float, within_1: bool) -> Interval:
    """A score ± so much, on the scale of its logit where it is between 0 and 1."""
    if math.isnan(score) or half <= NEAR:
        return Interval(math.nan, math.nan)
    if not (within_1 and NEAR < score < 1 - NEAR):
        return Interval(score - half, score + half)
    middle, half = math.log(score / (1 - score)), half / (score * (1 - score))
    return Interval(_share(middle - half), _share(middle + half))


def _share(logit: float) -> float:
    """The share of this logit; never beyond 0 and 1, however great it is."""
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else 1 - 1 / (1 + math.exp(logit))
