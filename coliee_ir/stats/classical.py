"""Tests that look at the queries' differences only: right for means over queries, and for nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.judging.judged import FloatArray
from coliee_ir.stats.resampling import NEAR


def mcnemar(differences: FloatArray) -> float:
    """McNemar's exact test: a sign test of the queries that one run answers rightly and the other does not.

    Source: McNemar, Psychometrika 1947; with the exact binomial distribution in the place of chi-squared.
    """
    wins, losses = int((differences > NEAR).sum()), int((differences < -NEAR).sum())
    tail = sum(math.comb(wins + losses, k) for k in range(min(wins, losses) + 1))
    return min(float(2 * tail / (1 << wins + losses)), 1.0)


def t(differences: FloatArray) -> float:
    """The paired t test; NaN where all queries differ by the same amount: there is no spread to compare with."""
    if not len(differences) or np.ptp(differences) <= NEAR:
        return 1.0 if len(differences) and abs(differences[0]) <= NEAR else float("nan")
    return float(_stats().ttest_1samp(differences, 0.0).pvalue)


def wilcoxon(differences: FloatArray) -> float:
    """Wilcoxon's signed-rank test, without the ties."""
    # differences that are equal have one rank, though they were computed on different ways
    moved = np.round(differences[np.abs(differences) > NEAR], 12)
    return float(_stats().wilcoxon(moved).pvalue) if len(moved) else 1.0


def _stats() -> Any:
    try:
        from scipy import stats
    except ImportError:
        raise UsageError("the t test and Wilcoxon's test need scipy: pip install 'coliee-ir[stats]'") from None
    return stats


#: test → the p value of the queries' differences, two-sided
CLASSICAL: Final[dict[str, Callable[[FloatArray], float]]] = {"mcnemar": mcnemar, "t": t, "wilcoxon": wilcoxon}
