"""Places and groups: who stands where, and between whom no difference was found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from coliee_ir.measures.base import Terms
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats import resampling
from coliee_ir.stats.corrections import corrected
from coliee_ir.stats.settings import Resampling

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


def groups(runs: Sequence[Terms], settings: Resampling, correction: str) -> list[int]:
    """The group of each run, from 1; 0 for a run without a score.

    The first run leads group 1, which also holds every run not found worse than it; the first of the others leads
    group 2, and so on. A run is found worse if its score is lower and the corrected p value of the paired
    randomisation test is below ``settings.alpha``.

    Args:
        runs: the terms of the measure that ranks, best run first.
        settings: how queries are resampled.
        correction: for the number of runs that a leader is compared with.
    """
    found = [0] * len(runs)
    left = [at for at, run in enumerate(runs) if not math.isnan(run.total)]
    group = 0
    while left:
        group += 1
        leader, *others = left
        found[leader] = group
        pairs = [(0, at) for at in range(1, len(left))]
        p = (
            resampling.randomised([runs[at] for at in left], pairs, settings.n_resamples, settings.seed)
            if others
            else np.zeros(0)
        )
        p = corrected(p, correction)
        worse = [p[at] < settings.alpha and runs[other].total < runs[leader].total for at, other in enumerate(others)]
        for other, is_worse in zip(others, worse, strict=True):
            found[other] = 0 if is_worse else group
        left = [other for other, is_worse in zip(others, worse, strict=True) if is_worse]
    return found
