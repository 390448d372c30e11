"""The t test, which looks at the queries' differences only: right for means over queries, and for nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.judging.judged import FloatArray
from coliee_ir.stats.resampling import NEAR


def t(differences: FloatArray) -> float:
    """The p value of the paired t test, two-sided; NaN where all queries differ by the same amount."""
    if not len(differences) or np.ptp(differences) <= NEAR:
        return 1.0 if len(differences) and abs(differences[0]) <= NEAR else float("nan")
    return float(_stats().ttest_1samp(differences, 0.0).pvalue)


def critical_t(n: int, alpha: float) -> float:
    """What t of n differences must exceed to be significant."""
    return float(_stats().t.isf(alpha / 2, n - 1)) if n > 1 else float("inf")


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise UsageError("needs-package", "the t test needs scipy: pip install 'coliee-ir[stats]'") from None
    return stats
