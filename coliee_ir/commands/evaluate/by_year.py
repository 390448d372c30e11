"""The scores of each year."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coliee_adapters.records import Gold
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import Shown, jsonable
from coliee_ir.scoring.scores import Scores, preamble
from coliee_ir.scoring.years import years


class Year(NamedTuple):
    """The scores of a run on the queries of a year."""

    year: str  # the year, as the ids or the gold's file name it
    queries: int  # how many were judged
    measures: Mapping[str, float]  # name → value; NaN if no query is left to form it from


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoresByYear(Shown):
    """The scores of runs on the queries of each year."""

    runs: tuple[Scores, ...]  # the scores on all queries
    years: tuple[tuple[Year, ...], ...]  # for each run, its scores in each year, in the order of the gold

    def __repr__(self) -> str:
        return f"ScoresByYear({[scores.tag for scores in self.runs]}, {[year.year for year in self.years[0]]})"

    def tables(self) -> Sequence[Grid]:
        """A row for each run and year, and one over all years."""
        rows: list[list[Cell]] = []
        for scores, of_run in zip(self.runs, self.years, strict=True):
            for one in (*of_run, Year("all", len(scores.query_ids), scores.measures)):
                n = Number(one.queries, str(one.queries))
                rows.append([scores.tag, one.year, n, *map(Number, one.measures.values())])
        return [Grid(["run", "year", "queries", *self.runs[0].measures], rows, n_text=2)]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``evaluate``, and each run's scores of each year."""
        runs = [{**one.to_dict(), "years": jsonable(years)} for one, years in zip(self.runs, self.years, strict=True)]
        return {**preamble(self.runs[0]), "runs": runs}


def by_year(runs: Sequence[Scores], gold: Gold) -> ScoresByYear:
    """The scores of runs on the queries of each year; extra queries are in none."""
    year_of = years(gold)
    told = []
    for scores in runs:
        named = [year_of[query] for query in scores.query_ids]
        of_run = []
        for year in dict.fromkeys(named):
            chosen = np.array([one == year for one in named], dtype=np.bool_)
            terms = {measure.name: result.terms for measure, result in scores.results.items()}
            values = {name: float(one.score(one.each[chosen].sum(axis=0))) for name, one in terms.items()}
            of_run.append(Year(year, int(chosen.sum()), values))
        told.append(tuple(of_run))
    return ScoresByYear(tuple(runs), tuple(told))
