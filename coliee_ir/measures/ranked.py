"""Ranking measures that trec_eval 9 does not have: RBP, its residual, ERR, nDCG of exponential gains, Judged, Compat.

Each reads where the judged documents stand, and what stands there is all it needs. As with ``trec_eval -c``, a query
with nothing retrieved has the value of an empty ranking, or is left out where the decisions say so; a query without
a judgement is in no mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import BoolArray, FloatArray, Judged
from coliee_ir.measures.base import Measure, Parts, Result, topic_mean
from coliee_ir.rules.decisions import Decisions

_MOFFAT_ZOBEL = "Moffat & Zobel, Rank-biased precision for measurement of retrieval effectiveness, TOIS 27(1), 2008"


class _Ranked(Measure):
    """A mean over queries of what the ranks of their judged documents say."""

    ranked = True
    decision_fields = frozenset({"unanswered"})
    base: ClassVar[str]
    #: what the name says in brackets before the parameters
    kind: ClassVar[str] = ""
    cutoff: int | None = None

    @property
    def name(self) -> str:
        """The base, with the parameters that do not have their default, as ir_measures writes it."""
        parts = [self.kind] if self.kind else []
        for name, value in vars(self).items():
            if name != "cutoff" and value != getattr(type(self), name):
                parts.append(f"{name}={value!r}")
        return self.base + (f"({','.join(parts)})" if parts else "") + (f"@{self.cutoff}" if self.cutoff else "")

    def of_queries(self, judged: Judged) -> FloatArray:
        """The value of each query, shape (Q,); NaN for one that has none."""
        raise NotImplementedError

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        judged = self.part(parts)
        per_query = self.of_queries(judged).astype(np.float64)
        per_query[judged.qrels.sizes == 0] = np.nan
        if decisions.unanswered == "skip":
            per_query[judged.retrieved == 0] = np.nan
        return Result(topic_mean(per_query), per_query)

    def _within(self, judged: Judged) -> BoolArray:
        """Which judged documents were retrieved within the cutoff; shape (D,)."""
        return (judged.rank > 0) & (judged.rank <= (self.cutoff or np.iinfo(np.int64).max))


def _sums(judged: Judged, values: FloatArray) -> FloatArray:
    """The values of the judged documents, shape (D,), summed over each query; shape (Q,)."""
    return np.bincount(judged.qrels.query, values, len(judged.qrels.sizes)).astype(np.float64, copy=False)


def _weights(judged: Judged, p: float, looked_at: BoolArray, gain: FloatArray | float = 1.0) -> FloatArray:
    """(1 - p) · gain · p^(rank - 1) of the documents looked at, summed over each query."""
    discounts = p ** np.maximum(judged.rank - 1, 0).astype(np.float64)
    return _sums(judged, np.where(looked_at, (1 - p) * gain * discounts, 0.0))


@dataclass(frozen=True)
class RBP(_Ranked):
    """Rank-biased precision: what a reader finds who goes on from each document to the next with probability p."""

    p: float = 0.8  # the persistence, above 0 and below 1
    rel: int = 1  # the least relevance that counts as relevant
    cutoff: int | None = None  # look at the first so many documents of each query; None for all

    base = "RBP"
    formula = "(1 - p) · Σ over relevant retrieved of p^(rank - 1)"
    source = f"{_MOFFAT_ZOBEL}; ir_measures' RBP(rel=…), whose default p of 0.8 it has"

    def of_queries(self, judged: Judged) -> FloatArray:
        """See the class."""
        return _weights(judged, self.p, self._within(judged) & (judged.qrels.relevance >= self.rel))


@dataclass(frozen=True)
class RBPResidual(_Ranked):
    """The residual of RBP: by how much it could rise if every document without a judgement were relevant.

    That is the weight of the unjudged documents retrieved and of all ranks behind the last, so that it is at most 1,
    for a query with nothing retrieved.
    """

    p: float = 0.8  # the persistence, above 0 and below 1

    lower = True
    base = "RBPResidual"
    formula = "1 - (1 - p) · Σ over judged retrieved of p^(rank - 1)"
    source = f"{_MOFFAT_ZOBEL}, section 3.3"

    def of_queries(self, judged: Judged) -> FloatArray:
        """See the class."""
        # those below 0 are in TREC's pools without a judgement
        return 1.0 - _weights(judged, self.p, (judged.rank > 0) & (judged.qrels.relevance >= 0))


@dataclass(frozen=True)
class ERR(_Ranked):
    """Expected reciprocal rank: that of the document with which a reader is satisfied and stops.

    A document of relevance g satisfies with probability (2^g - 1) / 2^max_rel.
    """

    max_rel: int = 4  # the greatest relevance there can be; gdeval's is 4
    cutoff: int | None = None  # look at the first so many documents of each query; None for all

    base = "ERR"
    formula = "Σ over ranks i of R_i / i · Π over ranks j before i of (1 - R_j), R = (2^relevance - 1) / 2^max_rel"
    source = "Chapelle, Metlzer, Zhang & Grinspan, Expected reciprocal rank for graded relevance, CIKM 2009; gdeval"

    def of_queries(self, judged: Judged) -> FloatArray:
        """See the class."""
        relevance = judged.qrels.graded
        if len(relevance) and (greatest := int(relevance.max())) > self.max_rel:
            remedy = f"name the greatest that there can be: ERR(max_rel={greatest})"
            raise UsageError("bad-relevance", f"{self.name}: the gold has a relevance of {greatest}; {remedy}")
        rows, query, nth = judged.in_order(self._within(judged) & (relevance > 0), judged.rank)
        stops = (2.0 ** relevance[rows] - 1.0) / 2.0**self.max_rel
        values = np.zeros(len(judged.qrels.sizes))
        left = np.ones(len(values))
        for n in range(1, int(nth.max(initial=0)) + 1):  # the first document of every query, then every second one, …
            is_nth = nth == n
            values[query[is_nth]] += left[query[is_nth]] * stops[is_nth] / judged.rank[rows[is_nth]]
            left[query[is_nth]] *= 1.0 - stops[is_nth]
        return values


@dataclass(frozen=True)
class ExponentialNDCG(_Ranked):
    """nDCG of exponential gains: a document of relevance g counts 2^g - 1: a high relevance outweighs many low."""

    # look at the first so many documents of each query, and of its ideal ranking; None for all
    cutoff: int | None = None

    base = "nDCG"
    kind = "dcg='exp-log2'"
    formula = "Σ (2^relevance - 1) / log2(rank + 1) / that of the ideal ranking"
    source = "Burges et al., Learning to rank using gradient descent, ICML 2005; gdeval"

    def of_queries(self, judged: Judged) -> FloatArray:
        """See the class; 0 where nothing is relevant."""
        gains = 2.0 ** np.maximum(judged.qrels.graded, 0) - 1.0
        reached = _discounted(judged, gains, judged.rank, self._within(judged))
        ideal_rank = _ideal_rank(judged, gains)
        possible = _discounted(judged, gains, ideal_rank, ideal_rank <= (self.cutoff or len(gains)))
        return np.divide(reached, possible, out=np.zeros(len(possible)), where=possible > 0)


def _discounted(judged: Judged, gains: FloatArray, rank: IntArray, looked_at: BoolArray) -> FloatArray:
    """Σ gain / log2(rank + 1) of the documents looked at, over each query."""
    return _sums(judged, np.where(looked_at, gains / np.log2(np.maximum(rank, 1) + 1.0), 0.0))


def _ideal_rank(judged: Judged, gains: FloatArray) -> IntArray:
    """The rank of each judged document where those of the highest gain come first; shape (D,)."""
    query = judged.qrels.query
    rank = np.empty(len(gains), dtype=np.int64)
    rank[np.lexsort((-gains, query))] = np.arange(len(gains)) - judged.qrels.start[query] + 1
    return rank


@dataclass(frozen=True)
class Compat(_Ranked):
    """Compatibility: rank-biased overlap of the ranking with an ideal one, the relevant documents by relevance.

    Of equal relevance, those come first that were retrieved, in their order.
    """

    p: float = 0.95  # the persistence, above 0 and below 1
    normalize: bool = True  # whether it is divided by the overlap that the ideal ranking has with itself

    base = "Compat"
    ties_elsewhere = True
    formula = "Σ over depths i of p^(i - 1) · |first i ∩ ideal first i| / i, / Σ p^(i - 1), / that of the ideal"
    source = (
        "Clarke, Vtyurina & Smucker, Assessing top-k preferences, TOIS 39(3), 2021; ir_measures' Compat, which breaks "
        "ties otherwise: by id, smallest first"
    )

    def of_queries(self, judged: Judged) -> FloatArray:
        """See the class; 0 where nothing is relevant."""
        relevance = judged.qrels.graded
        n_ideal = judged.qrels.sums(relevance > 0)
        depth = np.maximum(judged.retrieved, n_ideal)
        deepest = int(depth.max(initial=0))
        weights = self.p ** np.arange(deepest, dtype=np.float64)
        # up to each depth: the weights, and the weights by depth, of which a document has those from where both have it
        total, shares = (np.append(0.0, np.cumsum(each)) for each in (weights, weights / np.arange(1, deepest + 1)))
        last = np.where(judged.rank > 0, judged.rank, np.iinfo(np.int64).max)
        rows, query, ideal_rank = judged.in_order(relevance > 0, last, -relevance)
        is_retrieved = judged.rank[rows] > 0
        both = np.maximum(ideal_rank, judged.rank[rows])[is_retrieved]
        n_queries = len(depth)
        reached = np.bincount(query[is_retrieved], shares[depth[query[is_retrieved]]] - shares[both - 1], n_queries)
        best = np.ones(n_queries)
        if self.normalize:
            own = np.bincount(query, shares[depth[query]] - shares[ideal_rank - 1], n_queries)
            best = np.divide(own, total[depth], out=np.ones(n_queries), where=own > 0)
        return np.divide(reached, total[depth] * best, out=np.zeros(n_queries), where=depth > 0)


@dataclass(frozen=True)
class JudgedShare(_Ranked):
    """The share of the documents retrieved that have a judgement: whether a gold can tell anything about a run."""

    cutoff: int | None = None  # look at the first so many documents of each query; None for all

    base = "Judged"
    ties_elsewhere = True
    formula = "judged among the first k / the first k that were retrieved"
    source = "ir_measures' Judged@k, which breaks ties otherwise: by id, smallest first"

    def of_queries(self, judged: Judged) -> FloatArray:
        """See the class; 0 where nothing was retrieved."""
        depth = judged.retrieved if self.cutoff is None else np.minimum(judged.retrieved, self.cutoff)
        judged_in_depth = judged.qrels.sums(self._within(judged))
        return np.divide(judged_in_depth, depth, out=np.zeros(len(depth)), where=depth > 0)
