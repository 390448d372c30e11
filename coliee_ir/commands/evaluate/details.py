"""Further rows of each run: its scores of each year, and its first documents as candidates of a reranker."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.measures import Measure
from coliee_ir.measures.sets import MacroR, MicroR
from coliee_ir.output.grid import Cell, Grid, Number, whole
from coliee_ir.output.shown import TabularResult, jsonable
from coliee_ir.reading.years import years
from coliee_ir.rules.protocol import protocol
from coliee_ir.scoring.scores import Scored, Scores, every_measure, preamble
from coliee_ir.stats.cutting import cut, perfect, ranking_of, relevance_of, with_documents

#: no more depths than these are shown
_MOST = 1000

#: those that are shown where none is named
DEPTHS = (5, 10, 20, 50, 100)

#: heading → the cell of a run's name and a value of it
Columns = dict[str, Callable[[Any], Cell]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Details(TabularResult):
    """The scores of runs, and several rows of each."""

    runs: tuple[Scores, ...]
    name: str  # what JSON calls the rows of a run
    rows: tuple[Any, ...]  # for each run
    table: Grid
    more: Mapping[str, str | int] = field(default_factory=dict)  # what else JSON says

    def __repr__(self) -> str:
        return f"Details({self.name!r}, {[scores.name for scores in self.runs]})"

    def tables(self) -> Sequence[Grid]:
        """A row for each run and year or depth."""
        return [self.table]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``evaluate``, and the rows of each run."""
        runs = [{**scores.to_dict(), self.name: jsonable(of)} for scores, of in zip(self.runs, self.rows, strict=True)]
        return {**preamble(self.runs[0]), **self.more, "runs": runs}


class Year(NamedTuple):
    """The scores of a run on the queries of a year."""

    year: str  # the year, as the ids or the gold's file name it
    queries: int  # how many were judged
    measures: Mapping[str, float]  # name → value; NaN if no query is left to form it from


def by_year(scored: Scored) -> Details:
    """The scores of runs on the queries of each year; extra queries are in none."""
    year_of = years(scored.basis.gold)
    of_runs = [(scores.name, tuple(_years_of(scores, year_of))) for scores in scored]
    rows = [
        (name, year)
        for scores, (name, of_run) in zip(scored, of_runs, strict=True)
        for year in (*of_run, Year("all", len(scores.query_ids), scores.measures))
    ]
    columns: Columns = {
        "run": lambda row: row[0],
        "year": lambda row: row[1].year,
        "queries": lambda row: whole(row[1].queries),
    }
    columns |= {measure.name: partial(_cell_of_year, measure.name) for measure in every_measure(scored)}
    return Details(tuple(scored), "years", tuple(of_run for _, of_run in of_runs), Grid.of(rows, columns, n_text=2))


def _years_of(scores: Scores, year_of: Mapping[str, str]) -> Iterator[Year]:
    """The scores of a run on the queries of each year."""
    named = np.array([year_of[query] for query in scores.query_ids])
    terms = {measure.name: result.terms for measure, result in scores.results.items()}
    for year in dict.fromkeys(named.tolist()):
        chosen = named == year
        values = {name: float(summed.score(summed.each[chosen].sum(axis=0))) for name, summed in terms.items()}
        yield Year(year, int(chosen.sum()), values)


def _cell_of_year(name: str, row: tuple[str, Year]) -> Number:
    return Number(row[1].measures.get(name, math.nan))


class Stage(NamedTuple):
    """The first documents of a run as the candidates of what comes after it."""

    k: int  # how many documents of each query
    documents: float  # how many there are, on average over queries
    micro_recall: float  # their micro recall
    macro_recall: float  # their macro recall
    ceiling: float  # the score of a perfect reranker of them


def depths(text: str) -> list[int]:
    """The depths that ``10,50,100`` or ``1..20,50`` names, in rising order."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last or last - first >= _MOST:
            raise UsageError("bad-value", f"depths are given as 10,50,100 or 1..20, not as {text!r}")
        numbers.update(range(first, last + 1))
    return sorted(numbers)


def stages(runs: Sequence[Scores], at: Sequence[int] = DEPTHS) -> Details:
    """The recall of each run's candidates at each depth, and the ceiling of the first measure."""
    measure = next(iter(runs[0].results))
    if not protocol(runs[0].task, runs[0].edition).ranked:
        raise UsageError("unfit-option", f"stages need rankings; submissions to task {runs[0].task} contain none")
    of_runs = [tuple(_stage_of(scores, measure, depth) for depth in at) for scores in runs]
    rows = [(scores.name, stage) for scores, of_run in zip(runs, of_runs, strict=True) for stage in of_run]
    columns: Columns = {
        "run": lambda row: row[0],
        "k": lambda row: whole(row[1].k),
        "documents": lambda row: Number(row[1].documents, f"{row[1].documents:.1f}"),
        "MicroR": lambda row: Number(row[1].micro_recall),
        "MacroR": lambda row: Number(row[1].macro_recall),
        f"ceiling {measure.name}": lambda row: Number(row[1].ceiling),
    }
    return Details(tuple(runs), "stages", tuple(of_runs), Grid.of(rows, columns), {"measure": measure.name})


def _stage_of(scores: Scores, measure: Measure, depth: int) -> Stage:
    """A run's first documents, and the score of a perfect reranker: the relevant ones first, and nothing else."""
    pool, rel = cut(ranking_of(scores.judged), depth), relevance_of(measure)
    micro, macro = (kind(rel=rel).compute({"documents": pool}, scores.decisions).value for kind in (MicroR, MacroR))
    best = measure.compute(with_documents(scores.judged, perfect(pool, rel)), scores.decisions).value
    return Stage(depth, float(pool.retrieved.mean()), micro, macro, best)
