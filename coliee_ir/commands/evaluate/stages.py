"""Candidate pools: the recall of the first k documents, and the best score that any reranker of them can reach."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.judging.judged import Judged
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Parts
from coliee_ir.measures.sets import MacroR, MicroR
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.rules.protocol import protocol
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats.cutting import cut, ranking_of, relevance_of

#: No more depths than these are told.
_MOST = 1000


def depths(text: str) -> list[int]:
    """The depths that ``10,50,100`` or ``1..20,50`` names, in rising order.

    Raises:
        UsageError: it names none.
    """
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last or last - first >= _MOST:
            raise UsageError(f"--stages takes depths such as 10,50,100 or 1..20, not {text!r}")
        found.update(range(first, last + 1))
    return sorted(found)


def ceiling(measure: Measure, scores: Scores, depth: int) -> float:
    """The score of a perfect reranker of the first documents: the relevant ones first, and nothing else.

    Args:
        measure: the measure.
        scores: of a run, with its judged parts.
        depth: how many documents of each query are reranked.
    """
    pool = cut(ranking_of(scores.judged), depth)
    parts: Parts = {
        **{name: part for name, part in scores.judged.items() if name != "long"},
        "documents": _best(pool, relevance_of(measure)),
    }
    return measure.compute(parts, scores.decisions).value


def _best(pool: Judged, rel: int) -> Judged:
    """The relevant documents of a pool alone, the most relevant first."""
    qrels = pool.qrels
    found = (pool.rank > 0) & (qrels.relevance >= rel)
    of_query = np.repeat(np.arange(len(qrels.queries)), qrels.sizes)
    order = np.lexsort((-qrels.relevance, ~found, of_query))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - qrels.start[of_query[order]] + 1
    return replace(pool, rank=np.where(found, place, 0), retrieved=qrels.sums(found))


def table(runs: Sequence[Scores], at: Sequence[int]) -> Grid:
    """The recall of each run's candidates at each depth, and the ceiling of the first measure.

    Args:
        runs: scored, with their judged parts.
        at: the depths.

    Raises:
        UsageError: the task's submissions hold no ranking.
    """
    measure = next(iter(runs[0].results))
    if not protocol(runs[0].task, runs[0].edition).ranked:
        raise UsageError(f"--stages needs rankings; submissions to task {runs[0].task} contain none")
    rel = relevance_of(measure)
    rows: list[list[Cell]] = []
    for scores in runs:
        ranked = ranking_of(scores.judged)
        for depth in at:
            pool = {"documents": cut(ranked, depth)}
            mean = float(pool["documents"].retrieved.mean())
            recall = [kind(rel=rel).compute(pool, scores.decisions).value for kind in (MicroR, MacroR)]
            best = ceiling(measure, scores, depth)
            rows.append(
                [scores.tag, Number(depth, str(depth)), Number(mean, f"{mean:.1f}"), *map(Number, [*recall, best])]
            )
    return Grid(["run", "k", "documents", "MicroR", "MacroR", f"ceiling {measure.name}"], rows, n_text=1)
