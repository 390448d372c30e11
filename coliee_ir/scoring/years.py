"""The year of each query: of statute questions from their ids, of other queries from the gold that they come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.records import Gold
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.rules.ids import STATUTE_ID
from coliee_ir.scoring.scores import Scores


def years(gold: Gold) -> dict[str, str]:
    """Query → year, in the order of the gold: ``R05`` of ``R05-01-A``; or else the name of the gold's file.

    Raises:
        UsageError: the queries have no such ids, and the gold is one file.

    >>> years(Gold(labels={"H30-1-A": True, "R01-1-A": False}))
    {'H30-1-A': 'H30', 'R01-1-A': 'R01'}
    """
    if all(map(STATUTE_ID.fullmatch, gold.queries)):
        return {query: query.split("-", 1)[0] for query in gold.queries}
    if not gold.files:
        remedy = "give one gold for each year: a folder, or --gold FILE for each further year"
        raise UsageError(f"{gold.path}: the ids of the queries do not show their year; {remedy}")
    return {query: Path(gold.files[query]).name.split(".")[0] for query in gold.queries}


def by_year(runs: list[Scores], gold: Gold) -> Grid:
    """The scores of runs on the queries of each year, and on all; extra queries are in none.

    Args:
        runs: scored against the gold.
        gold: the gold.

    Raises:
        UsageError: as for ``years``.
    """
    year_of = years(gold)
    rows: list[list[Cell]] = []
    for scores in runs:
        named = [year_of[query] for query in scores.query_ids]
        for year in dict.fromkeys(named):
            chosen = np.array([one == year for one in named], dtype=np.bool_)
            terms = [result.terms for result in scores.results.values()]
            values = [float(one.score(one.each[chosen].sum(axis=0))) for one in terms]
            rows.append([scores.tag, year, Number(int(chosen.sum()), str(chosen.sum())), *map(Number, values)])
        total = [Number(result.value) for result in scores.results.values()]
        rows.append([scores.tag, "all", Number(len(named), str(len(named))), *total])
    return Grid(["run", "year", "queries", *(measure.name for measure in runs[0].results)], rows, n_text=2)
