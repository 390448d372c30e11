"""What a test of other queries will find, in closed form from the standard errors of these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coliee_ir.judging.judged import FloatArray
from coliee_ir.stats.paired import Board, Pairs, joint_critical
from coliee_ir.stats.settings import Resampling
from coliee_ir.stats.student import normal, t_quantile


class Power(NamedTuple):
    """What n' queries find: δ is found with power Φ(z) where δ = s (c √(E² + Cδ²) + z E), s² = n/n'."""

    s: float  # the square root of n/n'
    # the critical value: Student's with n' - 1 degrees of freedom; of several pairs that of the joint test of these
    # queries, as much greater or less as Student's
    c: float
    error: FloatArray  # E, the standard error of each pair's difference as it is; shape (P,)
    spread: FloatArray  # C, what the sizes of queries add to it where the test supposes no difference

    @classmethod
    def of(cls, board: Board, pairs: Pairs, sizes: Sequence[int], settings: Resampling) -> list[Power]:
        """Of each number of queries, or groups, planned from a board's."""
        a, b = np.array(pairs).T
        joint = joint_critical(board, pairs, settings) if len(pairs) > 1 else _student(board.n, settings)
        error = board.own[a, b] * math.sqrt(board.n / max(board.n - 1, 1))
        found = []
        for n in sizes:
            c = _student(n, settings, 1 if math.isfinite(joint) else len(pairs))
            if len(pairs) > 1 and math.isfinite(joint):
                c = joint * c / _student(board.n, settings)
            found.append(cls(math.sqrt(board.n / n), c, error, board.C[a, b]))
        return found

    def found(self, power: float) -> FloatArray:
        """The least difference of each pair that is found with this power; infinite where none is."""
        z = normal().inv_cdf(power)
        left = 1 - (self.c * self.s) ** 2 * self.spread
        root = z + np.sqrt(np.maximum(z * z - left * (z * z - self.c**2), 0.0))
        return np.asarray(np.where(left > 0, self.s * self.error * root / np.where(left > 0, left, 1), math.inf))

    def power(self, difference: float) -> float:
        """How often a difference is found, on average over pairs."""
        reach = self.c * np.sqrt(self.error**2 + self.spread * difference**2)
        above = np.divide(difference / self.s - reach, self.error, out=np.zeros_like(reach), where=self.error > 0)
        return float(_normal_cdf(above).mean())


def _student(n: int, settings: Resampling, pairs: int = 1) -> float:
    return t_quantile(1 - settings.alpha / 2 / pairs, n - 1)


def _normal_cdf(x: FloatArray) -> FloatArray:
    """To seven digits (Abramowitz, Stegun 1964, 26.2.17); ``statistics`` takes one number at a time."""
    t = 1 / (1 + 0.2316419 * np.abs(x))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = np.exp(-x * x / 2) / math.sqrt(2 * math.pi) * series
    return np.asarray(np.where(x >= 0, 1 - tail, tail))
