"""What a plan says: for each number of queries, the differences that a comparison of such runs finds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from coliee_adapters.forms.lines import counted
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import OnGold

#: from this share of the variance in one query on, plans are known to promise too much (``benchmarks.error_rates``)
_HEAVY: Final = 0.3


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """A number of queries, and what a comparison finds with so many.

    Attributes:
        queries: how many.
        found: of each pair, the least difference that is found with the power asked for; NaN where none is.
    """

    queries: int
    found: tuple[float, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Plan(OnGold):
    """What can be found with how many queries.

    Attributes:
        groups: how many groups of queries were swapped as a whole; 0 for single queries.
        power: how often the differences of ``PlannedSize.found`` are found.
        resamples: how many resamples.
        confidence_level: a difference is significant where p < 1 - confidence_level.
        tags: the runs.
        pairs: those that differ, by the runs' places.
        largest_share: which share of the variance of a typical pair's difference one query has.
        sizes: the numbers of queries.
    """

    groups: int
    power: float
    resamples: int
    confidence_level: float
    tags: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    largest_share: float
    sizes: tuple[PlannedSize, ...]

    def __repr__(self) -> str:
        return f"Plan({self.measure!r}, runs={list(self.tags)}, queries={[size.queries for size in self.sizes]})"

    def tables(self) -> Sequence[Grid]:
        """For each number of queries what is found of a typical pair, and of the pair that varies most."""
        rows: list[list[Cell]] = []
        for size in self.sizes:
            found = [math.inf if math.isnan(one) else one for one in size.found]
            both = statistics.median(found), max(found)
            shown = [Number(value, f"{value:.2g}") if value < math.inf else Number(math.nan) for value in both]
            rows.append([Number(size.queries, str(size.queries)), *shown])
        n = len(self.pairs)
        joint = "all pairs corrected jointly (max-T), " if n > 1 else ""
        in_groups = f" in {counted(self.groups, 'group')}" if self.groups else ""
        which = f": of a typical pair (median of {n}) and of the hardest" if n > 1 else ""
        caption = (
            f"{self.measure}: smallest difference of {counted(len(self.tags), 'run')} found with probability "
            f"{self.power:g}{which}; {joint}p < {1 - self.confidence_level:.6g}. From the standard errors on the "
            f"{self.queries} queries{in_groups} of these runs, to two digits. About other queries of the same kind."
        )
        return [Grid(["queries", "typical pair", "hardest pair"], rows, caption, n_text=0)]

    def notes(self) -> Sequence[str]:
        """Where a few queries decide, how far the plan can be trusted."""
        if self.largest_share < _HEAVY:
            return ()
        return (
            f"One query has {self.largest_share:.0%} of the variance of a typical difference: with so few large "
            f"queries, the differences found can be a third greater (power {self.power:g} may be 0.6).",
        )
