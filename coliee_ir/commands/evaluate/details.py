"""Further rows of each run: its scores of each year, and its first documents as candidates of a reranker."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.measures import Measure
from coliee_ir.measures.sets import MacroR, MicroR
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import TabularResult, jsonable
from coliee_ir.reading.years import years
from coliee_ir.rules.protocol import protocol
from coliee_ir.scoring.scores import Scored, Scores, every_measure, preamble
from coliee_ir.stats.cutting import cut, perfect, ranking_of, relevance_of, with_documents

#: No more depths than these are told.
_MOST = 1000

#: those that are told where none is named
DEPTHS = (5, 10, 20, 50, 100)


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
    told: list[tuple[Year, ...]] = []
    rows: list[list[Cell]] = []
    names = [measure.name for measure in every_measure(scored)]
    for scores in scored:
        named = [year_of[query] for query in scores.query_ids]
        of_run = []
        for year in dict.fromkeys(named):
            chosen = np.array([one == year for one in named], dtype=np.bool_)
            terms = {measure.name: result.terms for measure, result in scores.results.items()}
            values = {name: float(one.score(one.each[chosen].sum(axis=0))) for name, one in terms.items()}
            of_run.append(Year(year, int(chosen.sum()), values))
        told.append(tuple(of_run))
        for one in (*of_run, Year("all", len(scores.query_ids), scores.measures)):
            n = Number(one.queries, str(one.queries))
            rows.append([scores.name, one.year, n, *(Number(one.measures.get(name, math.nan)) for name in names)])
    return Details(tuple(scored), "years", tuple(told), Grid(["run", "year", "queries", *names], rows, n_text=2))


class Stage(NamedTuple):
    """The first documents of a run as the candidates of what comes after it."""

    k: int  # how many documents of each query
    documents: float  # how many there are, on average over queries
    micro_recall: float  # their micro recall
    macro_recall: float  # their macro recall
    ceiling: float  # the score of a perfect reranker of them


def depths(text: str) -> list[int]:
    """The depths that ``10,50,100`` or ``1..20,50`` names, in rising order."""
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last or last - first >= _MOST:
            raise UsageError("bad-value", f"depths are given as 10,50,100 or 1..20, not as {text!r}")
        found.update(range(first, last + 1))
    return sorted(found)


def stages(runs: Sequence[Scores], at: Sequence[int] = DEPTHS) -> Details:
    """The recall of each run's candidates at each depth, and the ceiling of the first measure."""
    measure = next(iter(runs[0].results))
    if not protocol(runs[0].task, runs[0].edition).ranked:
        raise UsageError("unfit-option", f"stages need rankings; submissions to task {runs[0].task} contain none")
    rel = relevance_of(measure)
    told: list[tuple[Stage, ...]] = []
    rows: list[list[Cell]] = []
    for scores in runs:
        of_run = []
        for depth in at:
            pool = {"documents": cut(ranking_of(scores.judged), depth)}
            mean = float(pool["documents"].retrieved.mean())
            micro, macro = (kind(rel=rel).compute(pool, scores.decisions).value for kind in (MicroR, MacroR))
            best = ceiling(measure, scores, depth)
            of_run.append(Stage(depth, mean, micro, macro, best))
            rows.append(
                [
                    scores.name,
                    Number(depth, str(depth)),
                    Number(mean, f"{mean:.1f}"),
                    *map(Number, (micro, macro, best)),
                ]
            )
        told.append(tuple(of_run))
    header = ["run", "k", "documents", "MicroR", "MacroR", f"ceiling {measure.name}"]
    return Details(tuple(runs), "stages", tuple(told), Grid(header, rows, n_text=1), {"measure": measure.name})


def ceiling(measure: Measure, scores: Scores, depth: int) -> float:
    """The score of a perfect reranker of the first documents: the relevant ones first, and nothing else."""
    pool = cut(ranking_of(scores.judged), depth)
    parts = with_documents(scores.judged, perfect(pool, relevance_of(measure)))
    return measure.compute(parts, scores.decisions).value
