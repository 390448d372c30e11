"""Candidate pools: the recall of the first k documents, and the best score that any reranker of them can reach."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.judging.judged import Judged
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Parts
from coliee_ir.measures.sets import MacroR, MicroR
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import Shown, jsonable
from coliee_ir.rules.protocol import protocol
from coliee_ir.scoring.scores import Scores, preamble
from coliee_ir.stats.cutting import cut, ranking_of, relevance_of

#: No more depths than these are told.
_MOST = 1000


def depths(text: str) -> list[int]:
    """The depths that ``10,50,100`` or ``1..20,50`` names, in rising order."""
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"([0-9]{1,9})(?:\.\.([0-9]{1,9}))?", part.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last or last - first >= _MOST:
            raise UsageError("bad-value", f"--stages takes depths such as 10,50,100 or 1..20, not {text!r}")
        found.update(range(first, last + 1))
    return sorted(found)


def ceiling(measure: Measure, scores: Scores, depth: int) -> float:
    """The score of a perfect reranker of the first documents: the relevant ones first, and nothing else."""
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


class Stage(NamedTuple):
    """The first documents of a run as the candidates of what comes after it."""

    k: int  # how many documents of each query
    documents: float  # how many there are, on average over queries
    micro_recall: float  # their micro recall
    macro_recall: float  # their macro recall
    ceiling: float  # the score of a perfect reranker of them


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Stages(Shown):
    """The candidate pools of runs."""

    runs: tuple[Scores, ...]  # the scores of the whole runs
    measure: str  # the name of the measure that the ceilings are of
    stages: tuple[tuple[Stage, ...], ...]  # for each run, its pools, the smallest first

    def __repr__(self) -> str:
        return f"Stages({[scores.tag for scores in self.runs]}, {[stage.k for stage in self.stages[0]]})"

    def tables(self) -> Sequence[Grid]:
        """A row for each run and depth."""
        rows: list[list[Cell]] = [
            [scores.tag, Number(one.k, str(one.k)), Number(one.documents, f"{one.documents:.1f}"),
             Number(one.micro_recall), Number(one.macro_recall), Number(one.ceiling)]
            for scores, of_run in zip(self.runs, self.stages, strict=True)
            for one in of_run
        ]  # fmt: skip
        return [Grid(["run", "k", "documents", "MicroR", "MacroR", f"ceiling {self.measure}"], rows, n_text=1)]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``evaluate``, and the candidate pools of each run."""
        runs = [{**one.to_dict(), "stages": jsonable(of)} for one, of in zip(self.runs, self.stages, strict=True)]
        return {**preamble(self.runs[0]), "measure": self.measure, "runs": runs}


def stages(runs: Sequence[Scores], at: Sequence[int]) -> Stages:
    """The recall of each run's candidates at each depth, and the ceiling of the first measure."""
    measure = next(iter(runs[0].results))
    if not protocol(runs[0].task, runs[0].edition).ranked:
        raise UsageError("unfit-option", f"--stages needs rankings; submissions to task {runs[0].task} contain none")
    rel = relevance_of(measure)
    told = []
    for scores in runs:
        ranked = ranking_of(scores.judged)
        of_run = []
        for depth in at:
            pool = {"documents": cut(ranked, depth)}
            mean = float(pool["documents"].retrieved.mean())
            micro, macro = (kind(rel=rel).compute(pool, scores.decisions).value for kind in (MicroR, MacroR))
            of_run.append(Stage(depth, mean, micro, macro, ceiling(measure, scores, depth)))
        told.append(tuple(of_run))
    return Stages(tuple(runs), measure.name, tuple(told))
