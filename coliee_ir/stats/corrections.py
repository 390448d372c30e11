"""p values of several comparisons, corrected for their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from coliee_ir.judging.judged import FloatArray


def holm(p: FloatArray) -> FloatArray:
    """Holm's step-down correction, which bounds the probability of any false rejection (Holm 1979)."""
    n = len(p)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * (n - np.arange(n)))
    return _back(np.minimum(stepped, 1.0), order)


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Benjamini and Hochberg's step-up correction, which bounds the expected share of false rejections (1995)."""
    n = len(p)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum.accumulate((p[order] * n / np.arange(1, n + 1))[::-1])[::-1]
    return _back(np.minimum(stepped, 1.0), order)


def _back(sorted_values: FloatArray, order: np.typing.NDArray[np.int64]) -> FloatArray:
    values = np.empty_like(sorted_values)
    values[order] = sorted_values
    return values


#: name → the correction of single p values
_OF_P: Final[dict[str, Callable[[FloatArray], FloatArray]]] = {
    "holm": holm,
    "bh": benjamini_hochberg,
    "none": lambda p: p.copy(),
}


#: the corrections by name; max-T needs all pairs tested together (``stats.studentised``)
CORRECTIONS: Final = ("maxt", *_OF_P)


def corrected(p: FloatArray, correction: str) -> FloatArray:
    """The corrected p values, but by max-T; those that are NaN stay so and do not count as comparisons."""
    values = p.copy()
    known = ~np.isnan(p)
    values[known] = _OF_P[correction](p[known])
    return values
