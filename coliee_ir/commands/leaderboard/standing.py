"""Places, and the ranks that runs may have: who stands where, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_ir.judging.judged import BoolArray
from coliee_ir.scoring.scores import Scores

#: so many decimals decide; what differs further behind is the rounding of floating-point numbers
_DECIMALS: Final = 12


def key_of(values: Sequence[float]) -> tuple[float, ...]:
    """By what a run is ordered: the measure that ranks, then those that break ties; the greater, the better."""
    return tuple(-math.inf if math.isnan(value) else round(value, _DECIMALS) for value in values)


def order_key(scores: Scores, tie_break: Sequence[str]) -> tuple[float, ...]:
    """By what a run is ordered: its first measure, then those that break ties, as far as it has them."""
    values = scores.measures
    return key_of([next(iter(values.values())), *(values[name] for name in tie_break if name in values)])


def places(keys: Sequence[tuple[float, ...]]) -> list[int]:
    """Competition ranking of keys that stand best first; 0 for what has no score.

    >>> places([(0.9,), (0.5,), (0.5,), (0.1,), (float("-inf"),)])
    [1, 2, 2, 4, 0]
    """
    found: list[int] = []
    for at, key in enumerate(keys):
        if key[0] == -math.inf:
            found.append(0)
        else:
            found.append(found[-1] if at and key == keys[at - 1] else at + 1)
    return found


class Ranks(NamedTuple):
    """The ranks that a run may have; 0 for a run without a score.

    Attributes:
        best: the best of them, from 1.
        worst: the worst.
    """

    best: int
    worst: int

    def __str__(self) -> str:
        if not self.best:
            return "-"
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


def rank_sets(scores: Sequence[float], better: BoolArray) -> list[Ranks]:
    """The ranks that each run may have, which hold for all runs at once.

    As many runs as are significantly better are before it, and as many as are significantly worse behind. A run with a
    greater score has no worse ends: where it had, its set is made wider. Equal scores have equal sets.

    Source: Mogstad, Romano, Shaikh & Wilhelm, Review of Economic Studies 91, 2024. That the sets which begin with 1
    hold the best run: Hsu 1981.
    """
    values = np.array([round(score, _DECIMALS) for score in scores if not math.isnan(score)])
    n = len(values)
    best = np.minimum.accumulate((1 + better[:n, :n].sum(axis=0))[::-1])[::-1]  # of a run and those behind it
    worst = np.maximum.accumulate(n - better[:n, :n].sum(axis=1))  # of a run and those before it
    first, behind = (np.searchsorted(-values, -values, side) for side in ("left", "right"))
    found = [Ranks(*ends) for ends in zip(best[first].tolist(), worst[behind - 1].tolist(), strict=True)]
    return found + [Ranks(0, 0)] * (len(scores) - n)
