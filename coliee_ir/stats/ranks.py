"""The ranks that runs may have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import BoolArray, FloatArray

#: so many decimals decide; what differs further behind is the rounding of floating-point numbers
DECIMALS: Final = 12


class Ranks(NamedTuple):
    """The ranks that a run may have, from 1; 0 for a run without a score."""

    best: int
    worst: int

    def __str__(self) -> str:
        if not self.best:
            return "-"
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


def better_than(scores: FloatArray, pairs: IntArray) -> BoolArray:
    """Which run is better than which, shape (R, R), by the pairs that differ significantly, shape (P, 2)."""
    better, (a, b) = np.zeros((len(scores), len(scores)), dtype=np.bool_), pairs.T
    is_above = scores[a] > scores[b]
    better[np.where(is_above, a, b), np.where(is_above, b, a)] = True
    return better


def rank_sets(scores: Sequence[float], better: BoolArray) -> list[Ranks]:
    """The ranks that each run may have, which hold for all runs at once.

    As many runs as are significantly better are before it, and as many as are significantly worse behind. A run with a
    greater score has no worse ends: where it had, its set is made wider. Equal scores have equal sets.

    Source: Mogstad, Romano, Shaikh & Wilhelm, Review of Economic Studies 91, 2024.
    """
    values = np.array([round(score, DECIMALS) for score in scores if not math.isnan(score)])
    n = len(values)
    best = np.minimum.accumulate((1 + better[:n, :n].sum(axis=0))[::-1])[::-1]  # of a run and those behind it
    worst = np.maximum.accumulate(n - better[:n, :n].sum(axis=1))  # of a run and those before it
    first, behind = (np.searchsorted(-values, -values, side) for side in ("left", "right"))
    sets = [Ranks(*ends) for ends in zip(best[first].tolist(), worst[behind - 1].tolist(), strict=True)]
    return sets + [Ranks(0, 0)] * (len(scores) - n)


def may_be_best(ranks: Sequence[Ranks]) -> list[bool]:
    """Which runs may be the best: all whose ranks begin at 1, and one alone only if it is before all others.

    So that "the best is X" holds whenever X is significantly better than each other run, of all pairs at once, and
    never otherwise; it is wrong no more often than any of these findings.
    """
    first = [possible for possible in ranks if possible.best == 1]
    limit = first[0].worst if len(first) == 1 else 1  # where only pairs that are not in a row were told apart
    return [0 < possible.best <= limit for possible in ranks]
