"""Critical values: the normal distribution's and Student's t, without scipy, which takes .7 s to load."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Final

import numpy as np

from coliee_ir.judging.judged import FloatArray
from coliee_ir.stats.resampling import NEAR

#: The standard normal distribution.
NORMAL: Final = NormalDist()

#: From so many degrees of freedom on, the expansion of t around the normal quantile is exact to ten digits.
_MANY: Final = 200


@lru_cache(maxsize=1 << 14)
def t_quantile(p: float, degrees: int) -> float:
    """The quantile of Student's t, for p > .5 (Abramowitz, Stegun 1964, 26.7.3–5); infinite without any degrees."""
    if degrees < 1:
        return math.inf
    if degrees >= _MANY:
        z = NORMAL.inv_cdf(p)
        parts = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return float(z + sum(part / degrees**power for power, part in enumerate(parts, start=1)))
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _within(middle, degrees) < 2 * p - 1 else (low, middle)
    return math.tan(middle) * math.sqrt(degrees)


def t_p(t: float, degrees: int) -> float:
    """The probability that Student's t is as far from 0, on either side."""
    return 1 - _within(math.atan2(abs(t), math.sqrt(degrees)), degrees)


def _within(angle: float, degrees: int) -> float:
    """The probability that Student's |t| is below √degrees · tan(angle)."""
    cosine, odd = math.cos(angle), degrees % 2
    term = total = cosine if odd else 1.0
    for k in range(2 + odd, degrees - 1, 2):
        term *= (k - 1) / k * cosine**2
        total += term
    total = 0.0 if degrees == 1 else total
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total


def t_test(differences: FloatArray) -> float:
    """The p value of the paired t test, two-sided; NaN where all queries differ by the same amount."""
    n = len(differences)
    if not n or np.ptp(differences) <= NEAR:
        return 1.0 if n and abs(differences[0]) <= NEAR else math.nan
    return t_p(float(differences.mean() / differences.std(ddof=1)) * math.sqrt(n), n - 1)
