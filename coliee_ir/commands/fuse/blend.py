"""Fused scores as a ranking: one way from weights to ranks, for what is written and what is tried."""

from __future__ import annotations

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray
from coliee_ir.commands.fuse.candidates import Candidates
from coliee_ir.commands.fuse.methods import METHODS, counted_runs, parts_of
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.judging.order import as_compared, by_score


class Ranked(NamedTuple):
    """Candidates in an order."""

    scores: FloatArray  # shape (P,); the fused scores, which trec_eval puts in the same order
    kept: BoolArray  # shape (P,); whether a run with a weight has retrieved the document
    order: IntArray  # shape (P,); the rows, query by query, the best first and what is not kept last
    rank: IntArray  # shape (P,); the rank of each row in its query, from 1; 0 where it is not kept


class Blend:
    """Runs normalised once, to be combined with any weights."""

    def __init__(self, held: Candidates, method: str, norm: str, k: float) -> None:
        self.held = held
        self.combine = METHODS[method].combine
        self.parts = parts_of(held, method, norm, k)

    def ranked(self, weights: FloatArray) -> Ranked:
        """The candidates as these weights rank them: by score, and equal ones by id, greatest first."""
        assert self.combine is not None
        held = self.held
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.combine(self.parts.values, self.parts.given, weights)
        kept = counted_runs(held.named, weights) > 0
        scores = np.where(kept, scores, 0.0) + 0.0  # which makes 0 of -0, as trec_eval compares them
        if not np.isfinite(scores).all():
            raise UsageError("bad-score", "a fused score is too large to represent; use smaller weights")
        compared = np.where(kept, as_compared(scores), -np.inf)
        order = by_score(held.query, compared, stable=True)
        rank = np.empty(len(order), dtype=np.int64)
        rank[order] = np.arange(len(order)) - held.start[held.query] + 1
        return Ranked(scores, kept, order, np.where(kept, rank, 0))

    def run(self, ranked: Ranked, chosen: BoolArray) -> dict[str, dict[str, float]]:
        """Query → document → score of the chosen rows that are kept, best first; queries without any are left out."""
        held = self.held
        rankings: dict[str, dict[str, float]] = {}
        rows = ranked.order[(ranked.kept & chosen)[ranked.order]]
        scores = ranked.scores.tolist()
        for row, query in zip(rows.tolist(), held.query[rows].tolist(), strict=True):
            rankings.setdefault(held.queries[query], {})[held.documents[row]] = scores[row]
        return rankings
