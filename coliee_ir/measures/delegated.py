"""trec_eval's measures: their definitions in a line each, and what asks trec_eval for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from coliee_adapters import trec_eval
from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import FloatArray, Judged
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures.base import Measure, Parts, Result, Terms, of_mean, quotient
from coliee_ir.rules.decisions import Decisions

#: trec_eval's measure → what it is, and its formula. R is the number of relevant documents of the query.
DEFINITIONS: dict[str, tuple[str, str]] = {
    "num_q": ("Number of judged queries.", "count"),
    "num_ret": ("Number of retrieved documents.", "sum over queries"),
    "num_rel": ("Number of relevant documents.", "sum over queries"),
    "num_rel_ret": ("Number of relevant documents retrieved.", "sum over queries"),
    "map": (
        "Average precision; its mean over queries is MAP.",
        "Σ of precision at the ranks of the relevant documents retrieved / R",
    ),
    "gm_map": (
        "Geometric mean of average precision.",
        "exp of the mean over queries of log max(AP, 0.00001); per query the logarithm",
    ),
    "Rprec": ("R-precision: precision at rank R.", "relevant among the first R / R"),
    "bpref": (
        "Binary preference: judged non-relevant documents above relevant ones.",
        "1/R · Σ over relevant retrieved of 1 - min(judged non-relevant above, R) / min(judged non-relevant, R)",
    ),
    "recip_rank": ("Reciprocal rank of the first relevant document.", "1 / rank"),
    "iprec_at_recall": (
        "Interpolated precision at a level of recall.",
        "the greatest precision at any rank whose recall is at least the level",
    ),
    "P": ("Precision at a cutoff; divides by the cutoff even where fewer were retrieved.", "relevant in first k / k"),
    "recall": ("Recall at a cutoff; a macro average.", "relevant in first k / R"),
    "infAP": ("Inferred average precision, for sampled judgements (-1: sampled, not judged).", "Yilmaz & Aslam 2006"),
    "gm_bpref": ("Geometric mean of bpref.", "exp of the mean over queries of log max(bpref, 0.00001)"),
    "Rprec_mult": ("Precision at a multiple of R.", "relevant in first m·R / (m·R)"),
    "utility": (
        "Set utility: a weighted count of right, wrong and missed documents; utility.a,b,c,0 has other weights.",
        "a · relevant retrieved + b · non-relevant retrieved + c · relevant missed; a = 1, b = -1, c = 0 by default",
    ),
    "11pt_avg": ("Mean of interpolated precision at the eleven levels of recall.", "mean of iprec_at_recall"),
    "binG": (
        "Binary G: gain by rank, discounted by rank and R.",
        "mean over relevant of 1 / log2(2 + non-relevant above)",
    ),
    "G": ("G (experimental).", "Σ gain / log2(2 + ideal gain so far - gain so far) / total ideal gain"),
    "ndcg": ("Normalised discounted cumulative gain of the relevances.", "Σ rel/log2(rank+1) / that of the ideal"),
    "ndcg_rel": ("nDCG averaged over relevant documents (experimental).", "mean of nDCG at each relevant document"),
    "Rndcg": ("nDCG at R levels (experimental).", "mean of nDCG at the ranks where the ideal ranking changes its gain"),
    "ndcg_cut": ("nDCG at a cutoff.", "nDCG of the first k, against the ideal's first k"),
    "map_cut": ("Average precision of the first k documents.", "as map, over ranks up to k; divides by R"),
    "relative_P": ("Precision at a cutoff, relative to the best possible.", "relevant in first k / min(k, R)"),
    "success": ("Whether a relevant document is among the first k.", "1 or 0"),
    "set_P": ("Precision of the retrieved set.", "relevant retrieved / retrieved"),
    "set_relative_P": (
        "Precision of the set, relative to the best possible.",
        "relevant retrieved / min(retrieved, R)",
    ),
    "set_recall": ("Recall of the retrieved set.", "relevant retrieved / R"),
    "set_map": ("Precision times recall of the set.", "set_P · set_recall"),
    "set_F": (
        "F of the retrieved set. Its parameter x is beta SQUARED: F2 is set_F.4.",
        "(1+x)PR / (xP + R), x = 1 by default",
    ),
    "num_nonrel_judged_ret": ("Number of documents retrieved that are judged and not relevant.", "sum over queries"),
}


#: those that count what was retrieved, in whatever order
_WITHOUT_ORDER: Final = trec_eval.OF_COUNTS | {"num_nonrel_judged_ret"}


@dataclass(frozen=True)
class Delegated(Measure):
    """A measure that trec_eval computes."""

    request: trec_eval.Request  # what trec_eval is asked for
    typed: str  # the name by which it was asked for, which is printed

    ranked = True
    decision_fields = frozenset({"unanswered"})
    source = "trec_eval (NIST), through pytrec_eval"

    @property
    def name(self) -> str:
        return self.typed

    @property
    def lower_is_better(self) -> bool:
        return self.request.base == "num_nonrel_judged_ret"

    @property
    def ties_elsewhere(self) -> bool:  # type: ignore[override]
        return self.request.base == "recip_rank" and self.request.top > 0  # for which it has MS MARCO's script

    @property
    def least_relevance(self) -> int:
        return self.request.rel

    @property
    def looks_at_ranks(self) -> bool:
        return self.request.base not in _WITHOUT_ORDER

    def asked_of(self, qrels: Qrels) -> trec_eval.Request:
        """What trec_eval is asked for where a gold states the least relevance that counts."""
        return self.request if self.request.rel >= qrels.level else self.request._replace(rel=qrels.level)

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        return compute_all([self], [parts], decisions)[0][0]


def compute_all(measures: Sequence[Delegated], runs: Sequence[Parts], decisions: Decisions) -> list[list[Result]]:
    """The results of several measures for the parts of each run, for which trec_eval is asked once.

    They are those of ``trec_eval -c``; where unanswered queries are skipped, those of trec_eval without it.
    """
    if not measures:
        return [[] for _ in runs]
    every = [measures[0].part(parts) for parts in runs]
    qrels, n = every[0].qrels, len(every)
    requests = [measure.asked_of(qrels) for measure in measures]
    ranks, retrieved = np.array([judged.rank for judged in every]), np.array([judged.retrieved for judged in every])
    table = of_rankings(requests, qrels, ranks, retrieved, decisions)
    each = [request for request in requests for _ in every]
    means = trec_eval.means(each, table.reshape(len(each), -1)[:, qrels.by_id])
    return [
        [of_values(request, means[i * n + run], table[i, run], judged) for i, request in enumerate(requests)]
        for run, judged in enumerate(every)
    ]


def of_rankings(
    requests: Sequence[trec_eval.Request], qrels: Qrels, ranks: IntArray, retrieved: IntArray, decisions: Decisions
) -> FloatArray:
    """trec_eval's values for n rankings of the same queries, for which it is asked once; shape (requests, n, Q).

    NaN for queries that are in no mean: those that qrels cannot hold, and unanswered ones where they are skipped.

    Args:
        requests: what trec_eval is asked for.
        qrels: the gold.
        ranks: shape (n, D); the rank of each judged document.
        retrieved: shape (n, Q); how many documents each query has.
        decisions: what is done with unanswered queries.
    """
    n, start, graded = len(ranks), qrels.start, qrels.graded
    if n > 1:
        start, graded = np.concatenate(([0], np.cumsum([qrels.sizes] * n))), np.concatenate([graded] * n)
    values = trec_eval.values(requests, start, graded, ranks.ravel(), retrieved.ravel())
    table = np.array([values[request] for request in requests]).reshape(len(requests), n, -1)
    table[..., qrels.sizes == 0] = np.nan
    if decisions.unanswered == "skip":
        table[:, retrieved == 0] = np.nan
    return table


def of_values(request: trec_eval.Request, value: float, per_query: FloatArray, judged: Judged) -> Result:
    """The result that trec_eval's values make."""
    return Result(value, per_query, judged.retrieved > 0, summed(request, per_query))


def summed(request: trec_eval.Request, per_query: FloatArray) -> Terms | None:
    """The terms of a value that is not the mean of the queries' values."""
    if request.base.startswith("num_"):
        return of_mean(per_query)._replace(score=_mean_of_sums, is_mean=False)
    if request.base.startswith("gm_"):
        return of_mean(per_query)._replace(score=_geometric, is_mean=False)
    return None


def _mean_of_sums(sums: FloatArray) -> FloatArray:
    return sums[..., 0]


def _geometric(sums: FloatArray) -> FloatArray:
    return np.asarray(np.exp(quotient(sums)))
