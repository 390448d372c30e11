"""The scores of each year."""

from __future__ import annotations

import numpy as np

from coliee_adapters.records import Gold
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.years import years


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
