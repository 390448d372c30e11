"""What a test of other queries will find, in closed form from the standard errors of these."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from coliee_ir.judging.judged import FloatArray
from coliee_ir.stats.paired import Board, Pairs, joint_critical
from coliee_ir.stats.settings import Resampling
from coliee_ir.stats.student import normal, t_quantile


def least_found(
    board: Board, pairs: Pairs, sizes: Sequence[int], settings: Resampling, power: float
) -> Iterator[FloatArray]:
    """For each number n' of queries, or groups, the least difference of each pair that is found; infinite for none.

    δ is found with power Φ(z) where δ = s (c √(E² + Cδ²) + z E), s² = n/n': E is the standard error of the difference
    as it is, C what the sizes of queries add to it where the test supposes no difference, c Student's critical value
    with n' - 1 degrees of freedom, of several pairs that of the joint test of these queries, as much greater or less.
    """
    (a, b), n, z = np.array(pairs).T, board.n, normal().inv_cdf(power)
    joint = joint_critical(board, pairs, settings) if len(pairs) > 1 else math.inf
    error, spread = board.own[a, b] * math.sqrt(n / max(n - 1, 1)), board.C[a, b]
    for size in sizes:
        if math.isfinite(joint):
            c = joint * _student(size, settings) / _student(n, settings)
        else:
            c = _student(size, settings, len(pairs))
        s = math.sqrt(n / size)
        left = 1 - (c * s) ** 2 * spread
        root = z + np.sqrt(np.maximum(z * z - left * (z * z - c * c), 0.0))
        least = np.where(left > 0, s * error * root / np.where(left > 0, left, 1), math.inf)
        yield np.where(least > board.span, math.inf, least)  # no two scores are so far apart


def _student(n: int, settings: Resampling, pairs: int = 1) -> float:
    return t_quantile(1 - settings.alpha / 2 / pairs, n - 1)


def largest_share(board: Board, pairs: Pairs) -> float:
    """Which share of the variance of a difference the query has that has most of it; the median over pairs."""
    a, b = np.array(pairs).T
    greatest = np.array([np.abs(board.u[one] - board.u[other]).max() for one, other in zip(a, b, strict=True)])
    error = board.own[a, b]
    return float(np.median((greatest / np.where(error > 0, error, math.inf)) ** 2))
