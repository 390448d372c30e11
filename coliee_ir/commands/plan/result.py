"""What a plan says: for each number of queries, the differences that a comparison of such runs finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coliee_ir.output.envelope import number, preamble
from coliee_ir.output.shown import Shown
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.settings import Resampling


@dataclass(frozen=True, slots=True)
class Size:
    """A number of queries.

    Attributes:
        queries: how many.
        found: of each pair, the least difference that is found with the power asked for.
        power: of each difference asked for, how often it is found, on average over pairs.
    """

    queries: int
    found: tuple[float, ...]
    power: tuple[float, ...]


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
        power: how often the differences of ``Size.found`` are found.
        years: how many years were drawn for each size.
        settings: how queries are resampled in each.
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
    sizes: tuple[Size, ...]
    differences: tuple[float, ...]
    power: float
    years: int
    settings: Resampling
    excluded: tuple[str, ...]
    decisions: Decisions

    def __repr__(self) -> str:
        return f"Plan({self.measure!r}, runs={list(self.tags)}, queries={[size.queries for size in self.sizes]})"

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``plan -f json``; a number that does not exist is null."""
        return {
            **preamble(self.task, self.edition, self.gold, self.decisions.to_dict(), self.excluded),
            "measure": self.measure,
            "queries": self.queries,
            "power": self.power,
            "years": self.years,
            "trials": self.settings.n_resamples,
            "seed": self.settings.seed,
            "level": self.settings.confidence_level,
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
                }
                for size in self.sizes
            ],
        }
