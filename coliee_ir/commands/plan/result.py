"""What a plan says: for each number of queries, the differences that a comparison of such runs finds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coliee_adapters.classes import dataclass
from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_ir.commands.plan.render import sizes
from coliee_ir.output.envelope import number, preamble
from coliee_ir.output.grid import Grid
from coliee_ir.output.shown import Shown
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.settings import Resampling


@dataclass(frozen=True, slots=True)
class PlannedSize:
    """A number of queries, and what a comparison finds with so many.

    Attributes:
        queries: how many.
        found: of each pair, the least difference that is found with the power asked for.
        power: of each difference asked for, how often it is found, on average over pairs.
        curve: the same of differences from 0 on, in equal steps that all sizes share: each with its power.
    """

    queries: int
    found: tuple[float, ...]
    power: tuple[float, ...]
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Shown):
    """What can be found with how many queries.

    Attributes:
        task: the task.
        edition: the edition; None for a task without editions.
        gold: the gold's file.
        measure: the measure's name.
        queries: how many were judged this year.
        tags: the runs.
        pairs: those that differ, by the runs' places.
        sizes: the numbers of queries.
        differences: those of whose power the sizes tell.
        power: how often the differences of ``PlannedSize.found`` are found.
        settings: how queries were resampled.
        groups: how many groups of queries were swapped as a whole; 0 for single queries.
        excluded: the queries that were left out.
        decisions: the choices made where the organisers leave it open.
    """

    task: str
    edition: int | None
    gold: str
    measure: str
    queries: int
    tags: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]
    sizes: tuple[PlannedSize, ...]
    differences: tuple[float, ...]
    power: float
    settings: Resampling
    groups: int
    excluded: tuple[str, ...]
    decisions: Decisions

    def __repr__(self) -> str:
        return f"Plan({self.measure!r}, runs={list(self.tags)}, queries={[size.queries for size in self.sizes]})"

    def tables(self) -> Sequence[Grid]:
        """For each number of queries what is found."""
        return [sizes(self)]

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

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``plan -f json``; a number that does not exist is null."""
        return {
            **preamble(self.task, self.edition, self.gold, self.decisions.to_dict(), self.excluded),
            "measure": self.measure,
            "queries": self.queries,
            "power": self.power,
            "trials": self.settings.n_resamples,
            "seed": self.settings.seed,
            "level": self.settings.confidence_level,
            **({"groups": self.groups} if self.groups else {}),
            "runs": list(self.tags),
            "sizes": [
                {
                    "queries": size.queries,
                    "pairs": [
                        {"places": list(pair), "found": number(found)}
                        for pair, found in zip(self.pairs, size.found, strict=True)
                    ],
                    "power": [
                        {"difference": difference, "power": number(power)}
                        for difference, power in zip(self.differences, size.power, strict=True)
                    ],
                    "curve": [{"difference": difference, "power": power} for difference, power in size.curve],
                }
                for size in self.sizes
            ],
        }
