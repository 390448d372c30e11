"""What to know before a test is believed: too few queries or resamples, runs that answer different queries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from coliee_adapters.forms.lines import plural
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import Remark
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.stats.paired import least_p
from coliee_ir.stats.settings import MOST_RESAMPLES

#: with fewer queries than these, the test's level is not sure where runs answer different ones: another share than this
MANY_QUERIES: Final = 50
UNEQUAL: Final = 0.25


def units_of(unit: str, *, in_groups: bool) -> str:
    """What is swapped and drawn, in words."""
    return f"groups of {plural(unit)}" if in_groups else plural(unit)


def too_few_queries(
    differing: IntArray | int, critical: FloatArray | float, drawn: IntArray | int, alpha: float
) -> BoolArray:
    """Where runs differ, and in so few queries that not even all on one side are significant, or no flips of all."""
    few = (least_p(differing) >= alpha) | (np.isinf(critical) & np.equal(drawn, 0))
    return np.asarray(np.greater(differing, 0) & few)


def too_few_resamples(drawn: int, alpha: float) -> Iterator[Remark]:
    """Whether no p of so many resamples can be significant."""
    if (least := 1 / (drawn + 1)) >= alpha:
        needed = math.floor(1 / alpha) + 1
        option = f"--resamples {needed}" if needed <= MOST_RESAMPLES else "a lower --confidence-level"
        yield Remark.of("too-few-resamples", least=least, option=option)
