"""Rankings cut off: the score at every cutoff, and what the same rankings could have scored.

A cut changes only how many documents count, so everything here is computed from Judged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import FloatArray, Judged
from coliee_ir.judging.order import check_order
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Parts, of_mean, quotient, share
from coliee_ir.measures.sets import Macro, MacroF, Micro, counts, topic_wise
from coliee_ir.rules.decisions import Decisions

#: Scores nearer than this are the same: sums of the same numbers in another order.
NEAR: Final = 1e-12


class Cutoffs(NamedTuple):
    """A set measure at the cutoffs 1, 2, … K."""

    each: FloatArray  # shape (Q, K, T); what each query adds at each cutoff
    score: Callable[[FloatArray], FloatArray]  # sums of shape (…, T) → scores of shape (…)
    besides: FloatArray  # shape (K, T); what is added whatever the queries: lines of extra queries that count as wrong

    @property
    def values(self) -> FloatArray:
        """Shape (K,); the score at each cutoff."""
        return self.score(self.each.sum(axis=0) + self.besides)


def is_cut(measure: Measure) -> bool:
    """Whether a measure is a sum over queries at every cutoff: P, R or F of sets, without a cutoff of its own."""
    of_means = isinstance(measure, MacroF) and measure.of == "means"
    return isinstance(measure, Micro | Macro) and measure.cutoff is None and not of_means


def at_cutoffs(measure: Measure, judged: Judged, deepest: int, decisions: Decisions) -> Cutoffs:
    """What each query adds to a measure at every cutoff."""
    assert isinstance(measure, Micro | Macro)
    qrels = judged.qrels
    # how many relevant documents are at each rank, and up to it
    is_hit = (judged.rank > 0) & (judged.rank <= deepest) & (qrels.relevance >= measure.rel)
    place = qrels.query[is_hit] * deepest + judged.rank[is_hit] - 1
    correct = np.bincount(place, minlength=len(qrels.queries) * deepest).reshape(-1, deepest).cumsum(axis=1)
    cutoffs = np.arange(1, deepest + 1)
    retrieved = np.minimum(counts(judged, decisions).retrieved[:, None], cutoffs)
    relevant = np.broadcast_to(qrels.relevant(measure.rel)[:, None], correct.shape)
    each = np.stack((correct, retrieved, relevant), axis=-1).astype(np.float64)
    if isinstance(measure, Micro):
        besides = np.zeros((deepest, 3))
        if decisions.extra_queries == "wrong":
            besides[:, 1] = [sum(min(n, k) for n in judged.extra.values()) for k in cutoffs.tolist()]
        return Cutoffs(each, measure.of_sums, besides)
    values = topic_wise(measure.of_sums(each), relevant == 0, retrieved == 0, measure.letter, decisions)
    return Cutoffs(of_mean(values.ravel()).each.reshape(*values.shape, 2), quotient, np.zeros((deepest, 2)))


def cut(judged: Judged, most: int | IntArray) -> Judged:
    """The rankings cut off."""
    limits: IntArray = np.broadcast_to(np.asarray(most, dtype=np.int64), judged.retrieved.shape)
    of_rows = np.repeat(limits, judged.qrels.sizes)
    return replace(
        judged,
        rank=np.where(judged.rank <= of_rows, judged.rank, 0),
        retrieved=np.minimum(judged.retrieved, limits),
        repeated=np.zeros_like(judged.repeated),
        extra={},
        tied=judged.tied[:, :0],
    )


def best_counts(measure: Micro | Macro, ranked: Judged) -> IntArray:
    """The count of documents of each query that makes the score greatest, the order being as it is; shape (Q,).

    Only 0 and the ranks of relevant documents come into question. Of a mean each query has its own best. A micro
    average Σa/Σb is greatest where Σ(a − s·b) is, with s that greatest value (Dinkelbach 1967): s rises to it.
    """
    qrels = ranked.qrels
    hits = (ranked.rank > 0) & (qrels.relevance >= measure.rel)
    every = np.arange(len(qrels.queries))
    query = np.concatenate((every, np.repeat(every, qrels.sizes)[hits]))
    count = np.concatenate((np.zeros_like(every), ranked.rank[hits]))
    order = np.lexsort((count, query))
    query, count = query[order], count[order]
    start = np.searchsorted(query, every)
    correct, relevant = np.arange(len(query)) - start[query], qrels.relevant(measure.rel)[query]

    def best(values: FloatArray) -> IntArray:
        """The row of each query's greatest value, the first of several."""
        return np.lexsort((count, -values, query))[start]

    if isinstance(measure, Macro):
        return count[best(measure.of_sums(np.stack((correct, count, relevant), axis=-1).astype(np.float64)))]
    a, b = np.broadcast_arrays(*measure.as_quotient(correct, count, relevant))
    rows, reached = best(a.astype(np.float64)), -1.0
    while (score := float(share(np.array((a[rows].sum(), b[rows].sum()), dtype=np.float64)))) > reached + NEAR:
        chosen, reached = rows, score
        rows = best(a - score * b)
    return count[chosen]


def perfect(ranked: Judged, rel: int) -> Judged:
    """The relevant documents of a ranking alone, the most relevant first: what a perfect reranker makes of it."""
    qrels = ranked.qrels
    is_hit = (ranked.rank > 0) & (qrels.relevance >= rel)
    order = np.lexsort((-qrels.relevance, ~is_hit, qrels.query))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) - qrels.start[qrels.query[order]] + 1
    return replace(ranked, rank=np.where(is_hit, place, 0), retrieved=qrels.sums(is_hit), extra={})


def with_documents(parts: Parts, documents: Judged) -> Parts:
    """A submission with other documents, and no long list beside them."""
    return {**{name: part for name, part in parts.items() if name != "long"}, "documents": documents}


def ranking_of(parts: Parts) -> Judged:
    """Where a submission ranks documents: its long list, if it has one."""
    ranked = parts.get("long", parts["documents"])
    check_order(ranked.remarks, "a cutoff")
    return ranked
