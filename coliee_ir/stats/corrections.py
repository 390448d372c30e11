"""p values of several comparisons, corrected for their number."""

from __future__ import annotations

from typing import Final

import numpy as np

from coliee_ir.judging.judged import FloatArray

#: the corrections by name; max-T needs all pairs tested together (``stats.paired.jointly``)
CORRECTIONS: Final = ("maxt", "holm", "bh", "none")


def corrected(p: FloatArray, correction: str) -> FloatArray:
    """The corrected p values, but by max-T; those that are NaN stay so and do not count as comparisons.

    ``holm`` steps down and bounds the probability of any false rejection (Holm 1979); ``bh`` steps up and bounds the
    expected share of false rejections (Benjamini, Hochberg 1995).
    """
    order = np.argsort(p, kind="stable")[: np.count_nonzero(~np.isnan(p))]  # NaN comes last
    n, values = len(order), p.copy()
    if correction == "holm":
        values[order] = np.minimum(np.maximum.accumulate(p[order] * (n - np.arange(n))), 1.0)
    elif correction == "bh":
        stepped = np.minimum.accumulate((p[order] * n / np.arange(1, n + 1))[::-1])[::-1]
        values[order] = np.minimum(stepped, 1.0)
    return values
