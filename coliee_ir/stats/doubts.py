"""What to know before a test is believed: too few queries or resamples, runs that answer different queries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from coliee_adapters.remarks import Remark
from coliee_ir.stats.settings import MOST_RESAMPLES

#: with fewer queries than these, the test's level is not sure where runs answer different ones: another share than this
MANY_QUERIES: Final = 50
UNLIKE: Final = 0.25

#: what is swapped and drawn, without groups and with them
UNITS: Final = ("queries", "groups of queries")


def too_few_resamples(drawn: int, alpha: float, times: int = 1) -> Iterator[str]:
    """Whether so many resamples give any p that is significant when so many are corrected for."""
    least = 1 / (drawn + 1)
    if times * least < alpha:
        return
    needed = math.floor(times / alpha) + 1
    ways = [f"--resamples {needed}"] if needed <= MOST_RESAMPLES else []
    ways += ["--correction maxt"] if times > 1 else []
    option = " or ".join(ways) or "a lower --confidence-level"
    row = "too-few-resamples.corrected" if times > 1 else "too-few-resamples"
    yield Remark.of(row, n=times, least=least, corrected=min(times * least, 1), option=option)
