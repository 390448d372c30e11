"""Coordinate search for weights: one run's share at a time, on a coarse grid and then on a fine one around the best."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from coliee_ir.commands.fuse.trial import Weights

#: Shares of the coarse grid, in twentieths; then steps of hundredths around the best.
_COARSE: Final = tuple(at / 20 for at in range(21))
_FINE: Final = tuple(at / 100 for at in range(-4, 5))
_SWEEPS: Final = 20

#: A score must be better by more than this to be better.
_BETTER: Final = 1e-12

#: Weights are rounded to so many digits: those that are written are those that were tried.
_DIGITS: Final = 6


def equal(runs: int) -> Weights:
    """The same weight for each run."""
    return (round(1 / runs, _DIGITS),) * runs


def alone(runs: int, at: int) -> Weights:
    """All weight on one run."""
    return tuple(float(run == at) for run in range(runs))


def climbed(value: Callable[[Weights], float], order: Sequence[int]) -> Weights:
    """The best weights that the search finds, starting from equal ones, which they are never worse than.

    A step gives one run a share t of the weight and the others the rest, in the proportions that they have. Of shares
    that are as good, the nearest to the present one is taken, so that the result is the same on every machine.
    """
    weights = equal(len(order))
    best = value(weights)
    for fine in (False, True):
        for _ in range(_SWEEPS):
            before = best
            for at in order:
                now = weights[at]
                shares = [now + step for step in _FINE] if fine else list(_COARSE)
                tried = [_shared(weights, at, min(max(share, 0.0), 1.0)) for share in shares]
                for other in sorted(dict.fromkeys(tried), key=lambda one: (abs(one[at] - now), one[at])):
                    if (score := value(other)) > best + _BETTER:
                        best, weights = score, other
            if best == before:
                break
    return weights


def _shared(weights: Weights, at: int, share: float) -> Weights:
    """The weights with a share for one run, and the rest for the others in their proportions."""
    rest = math.fsum(weight for run, weight in enumerate(weights) if run != at)
    shared = []
    for run, weight in enumerate(weights):
        part = weight / rest if rest else 1 / (len(weights) - 1)
        shared.append(round(share if run == at else (1 - share) * part, _DIGITS))
    return tuple(shared)
