"""What a plan says: for each number of queries, the differences that a comparison of such runs finds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_adapters.forms.lines import counted
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import Shown
from coliee_ir.rules.decisions import Decisions


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """A number of queries, and what a comparison finds with so many.

    Attributes:
        queries: how many.
        found: of each pair, the least difference that is found with the power asked for; NaN where none is.
        curve: differences from 0 on, in equal steps that all sizes share: each with its power, on average over pairs.
    """

    queries: int
    found: tuple[float, ...]
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Shown):
    """What can be found with how many queries.

    Attributes:
        task: the task.
        edition: the edition; None for a task without editions.
        gold: the gold's file.
        decisions: the choices made where the organisers leave it open.
        excluded: the queries that were left out.
        measure: the measure's name.
        queries: how many were judged this year.
        groups: how many groups of queries were swapped as a whole; 0 for single queries.
        power: how often the differences of ``PlannedSize.found`` are found.
        resamples: how many resamples.
        seed: of the random numbers.
        confidence_level: a difference is significant where p < 1 - confidence_level.
        tags: the runs.
        pairs: those that differ, by the runs' places.
        sizes: the numbers of queries.
    """

    task: str
    edition: int | None
    gold: str
    decisions: Decisions
    excluded: tuple[str, ...]
    measure: str
    queries: int
    groups: int
    power: float
    resamples: int
    seed: int
    confidence_level: float
    tags: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    sizes: tuple[PlannedSize, ...]

    def __repr__(self) -> str:
        return f"Plan({self.measure!r}, runs={list(self.tags)}, queries={[size.queries for size in self.sizes]})"

    def tables(self) -> Sequence[Grid]:
        """For each number of queries what is found of a typical pair, and of the pair that varies most."""
        rows: list[list[Cell]] = []
        for size in self.sizes:
            known = [found for found in size.found if not math.isnan(found)]
            both = (statistics.median(known), max(known)) if known else (math.nan, math.nan)
            shown = [Number(value, f"{value:.2g}" if known else "-") for value in both]
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

    def write_figures(self, folder: PathLike) -> list[Path]:
        """Write the power curves as PDF, SVG and PNG, and their numbers as CSV.

        Raises:
            InputError: the folder cannot be written.
            UsageError: the extra ``report`` is not installed.
        """
        try:
            from coliee_ir.commands.plan.figure import write_curves
        except ImportError:
            problem = "figures need the extra report: pip install 'coliee-ir[report]'"
            raise UsageError("needs-package", problem) from None
        return write_curves(self.measure, {size.queries: size.curve for size in self.sizes}, self.power, folder)
