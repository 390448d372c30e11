"""What a score would be with the documents of equal score in another order: at worst, expected, and at best.

trec_eval puts equal scores in the order of ids, which say nothing of relevance. Over all orders of the documents that
share a score, each order as likely as any other, a score has a least, a greatest and a mean value. The least and the
greatest are the measure's own values with the relevant documents last and first among equals; the mean has a formula.

Source: McSherry, Najork, ECIR 2008: Computing information retrieval performance measures efficiently in the presence of
tied scores.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters import trec_eval
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import Remark
from coliee_ir.judging.judged import FloatArray, Judged
from coliee_ir.judging.order import distinct
from coliee_ir.measures.base import Measure, Parts, Result
from coliee_ir.measures.delegated import Delegated, of_values
from coliee_ir.measures.sets import Macro, MacroF, Micro
from coliee_ir.rules.decisions import Decisions

#: A score that could move by more than this is worth a remark.
NOTABLE: Final = 0.001


class Span(NamedTuple):
    """A score over all orders of documents of equal score."""

    lowest: float
    expected: float
    highest: float


class Block(NamedTuple):
    """Documents of equal score of one query."""

    first: int  # the rank of the first of them
    size: int  # how many there are
    gains: tuple[int, ...]  # the relevance of those that are relevant, the greatest first


class _Tied(NamedTuple):
    """The retrieved relevant documents of the queries with ties: all of a part that expected values are made of."""

    query: IntArray  # shape (h,); whose each is, as a place among the queries with ties; ascending
    first: IntArray  # shape (h,); the first rank of the documents of its score
    last: IntArray  # shape (h,); the last one
    relevance: IntArray  # shape (h,); the greatest of a block first

    def blocks(self, rel: int) -> dict[int, list[Block]]:
        """The blocks with documents of this relevance of each query that has any, by rank; one document is a block."""
        gains_of: dict[int, dict[tuple[int, int], list[int]]] = {}
        for query, first, last, relevance in zip(*(part.tolist() for part in self), strict=True):
            if relevance >= rel:
                gains_of.setdefault(query, {}).setdefault((first, last), []).append(relevance)
        return {
            query: [Block(first, last - first + 1, tuple(gains)) for (first, last), gains in of_query.items()]
            for query, of_query in gains_of.items()
        }


class _Bounds(NamedTuple):
    """A score with the relevant documents last, and first, among equals; and what its expected value is made of."""

    low: float  # the score at worst
    high: float  # the score at best
    sums: FloatArray  # shape (T,); the sums that the score at worst is formed of
    gaps: FloatArray  # shape (queries with ties, T); what each of them adds more at best
    score: Callable[[FloatArray], FloatArray]  # sums → score
    value: _Value  # what the measure's formula gives for a query with ties
    part: int  # the number of the part that the measure reads
    rel: int  # the least relevance that it looks at


class _Spans(NamedTuple):
    """What the spans of some measures are made of."""

    bounds: dict[Measure, _Bounds]
    tied: list[_Tied]  # part → its documents, of those parts that have ties
    blocks: dict[tuple[int, int], dict[int, list[Block]]]  # (part, relevance) → query → its blocks


class Ties(Mapping[Measure, Span]):
    """The span of each measure for which it is known, and that looks at a part with ties.

    It is known of P, R and F at a cutoff, micro or macro, and of trec_eval's P, recall, success, relative_P and Rprec,
    and its map, recip_rank and ndcg with a cutoff or without. trec_eval is asked anew for the queries that have ties;
    all other queries keep their values. Nothing is computed before somebody asks, as remarks do, and an expected value
    only where it is asked for.
    """

    def __init__(self, results: Mapping[Measure, Result], parts: Parts, decisions: Decisions) -> None:
        self._of: tuple[Mapping[Measure, Result], Parts, Decisions] | _Spans = results, parts, decisions

    @property
    def _spans(self) -> _Spans:
        if not isinstance(self._of, _Spans):
            self._of = _spans(*self._of)  # what it is made of is let go
        return self._of

    def __iter__(self) -> Iterator[Measure]:
        return iter(self._spans.bounds)

    def __len__(self) -> int:
        return len(self._spans.bounds)

    def __getitem__(self, measure: Measure) -> Span:
        low, high, sums, gaps, score, value, part, rel = self._spans.bounds[measure]
        if low == high:
            return Span(low, low, high)
        blocks_of = self._spans.blocks
        if (part, rel) not in blocks_of:
            blocks_of[part, rel] = self._spans.tied[part].blocks(rel)
        for query, blocks in blocks_of[part, rel].items():
            # a value is linear in what the formula gives, for every order of the query's documents
            worst, mean, best = value(query, blocks)
            if best > worst:
                sums = sums + gaps[query] * (mean - worst) / (best - worst)
        return Span(low, float(score(sums)), high)

    def __getstate__(self) -> dict[str, _Spans]:
        return {"_of": self._spans._replace(blocks={})}

    def remarks(self) -> list[Remark]:
        """The scores that could be notably different with equal scores in another order, each with its span."""
        ends = ((measure, bounds.low, bounds.high) for measure, bounds in self._spans.bounds.items())
        moved = [f"{measure} {low:.4f} to {high:.4f}" for measure, low, high in ends if high - low > NOTABLE]
        return [Remark.of("order-of-ties", moved)] if moved else []


def _spans(results: Mapping[Measure, Result], parts: Parts, decisions: Decisions) -> _Spans:
    bounds: dict[Measure, _Bounds] = {}
    tied: list[_Tied] = []
    for name, judged in parts.items():
        queries = distinct(np.sort(judged.qrels.query_of(judged.tied[0])))
        known = {
            measure: value
            for measure in results
            if measure.ranked
            and len(queries)
            and measure.part(parts) is judged
            and (value := _value_of(measure, judged, queries))
        }
        if not known:
            continue
        orders = [_ordered(judged, best) for best in (False, True)]
        low, high = (
            {
                measure: measure.compute({**parts, name: order}, decisions)
                for measure in known
                if not isinstance(measure, Delegated)
            }
            for order in orders
        )
        delegated = {measure_: results[measure_] for measure_ in known if isinstance(measure_, Delegated)}
        anew = _results_reordered(delegated, orders, queries) if delegated else ()
        for bound, of_order in zip((low, high), anew, strict=False):
            bound |= of_order
        for measure, value in known.items():
            at_worst, at_best = low[measure].terms, high[measure].terms
            gaps = at_best.each[queries] - at_worst.each[queries]
            sums = at_worst.each.sum(axis=0) + at_worst.besides
            # a gain is that of any relevance
            rel = 1 if value.func is _discounted else max(measure.least_relevance, judged.qrels.level, 1)
            bounds[measure] = _Bounds(
                low[measure].value, high[measure].value, sums, gaps, at_worst.score, value, len(tied), rel
            )
        tied.append(_tied(judged, queries))
    return _Spans({measure: bounds[measure] for measure in results if measure in bounds}, tied, {})


def _results_reordered(
    results: Mapping[Delegated, Result], orders: Sequence[Judged], queries: IntArray
) -> Iterator[dict[Measure, Result]]:
    """trec_eval's results for other orders of some queries, for which it is asked once: each order is a query to it."""
    qrels, retrieved = orders[0].qrels, orders[0].retrieved
    requests = [measure.asked_of(qrels) for measure in results]
    table = np.array([result.per_query for result in results.values()])
    queries = queries[~np.isnan(table[:, queries]).any(axis=0)]
    rows, n = qrels.rows(queries), len(orders)
    start = np.concatenate(([0], np.cumsum(np.tile(qrels.sizes[queries], n))))
    ranks = np.concatenate([order.rank[rows] for order in orders])
    values = trec_eval.values(requests, start, np.tile(qrels.graded[rows], n), ranks, np.tile(retrieved[queries], n))
    for i, order in enumerate(orders):
        per_query = table.copy()
        per_query[:, queries] = [values[request].reshape(n, -1)[i] for request in requests]
        means = trec_eval.means(requests, per_query[:, qrels.by_id])
        yield {
            measure: of_values(measure.request, mean, own, order)
            for measure, mean, own in zip(results, means, per_query, strict=True)
        }


def _tied(judged: Judged, queries: IntArray) -> _Tied:
    rows = judged.qrels.rows(queries)
    query = np.repeat(np.arange(len(queries)), judged.qrels.sizes[queries])
    first, last = judged.rank.copy(), judged.rank.copy()
    first[judged.tied[0]], last[judged.tied[0]] = judged.tied[1:]
    relevance = judged.qrels.graded[rows]
    order = np.lexsort((-relevance, first[rows], query))
    order = order[(judged.rank[rows[order]] > 0) & (relevance[order] > 0)]
    return _Tied(query[order], first[rows[order]], last[rows[order]], relevance[order])


def _ordered(judged: Judged, best: bool) -> Judged:
    """The documents with equal scores in the order of their relevance: the greatest first, or last."""
    rows, first, last = judged.tied
    rank = judged.rank.copy()
    order = np.lexsort((-judged.qrels.graded[rows], first, judged.qrels.query_of(rows)))
    rows, first, last = rows[order], first[order], last[order]
    query = judged.qrels.query_of(rows)
    new = np.concatenate(([True], (query[1:] != query[:-1]) | (first[1:] != first[:-1])))
    place = np.arange(len(rows)) - np.flatnonzero(new)[np.cumsum(new) - 1]
    rank[rows] = first + place if best else last - place
    return replace(judged, rank=rank)


#: the cutoff of a measure that has none
_ALL: Final = sys.maxsize

#: what the formula of a measure gives for a query, by its place and its blocks: at worst, expected, at best
_Value = partial[Span]


def _value_of(measure: Measure, judged: Judged, queries: IntArray) -> _Value | None:
    """The formula of a measure, for the queries with ties; None where it is not known."""
    if isinstance(measure, Micro | Macro):
        of_means = isinstance(measure, MacroF) and measure.of == "means"
        return None if measure.cutoff is None or of_means else partial(_hits, measure.cutoff)
    if not isinstance(measure, Delegated):
        return None
    request = measure.request
    if request.judged_only or request.gains or (request.parameter and not request.parameter.isdecimal()):
        return None
    if request.base == "Rprec":
        return partial(_hits_within, judged.qrels.relevant(measure.asked_of(judged.qrels).rel)[queries].tolist())
    formula = _FORMULAS.get(request.base)
    return None if formula is None else partial(formula, int(request.parameter or request.top) or _ALL)


def _hits(cutoff: int, query: int, blocks: list[Block]) -> Span:
    """How many relevant documents are within a cutoff: the mean is the hypergeometric distribution's."""
    worst = mean = best = 0.0
    for first, size, gains in blocks:
        within = min(max(cutoff - first + 1, 0), size)
        worst += max(within - (size - len(gains)), 0)
        mean += within * len(gains) / size
        best += min(within, len(gains))
    return Span(worst, mean, best)


def _hits_within(cutoffs: Sequence[int], query: int, blocks: list[Block]) -> Span:
    """The same within the cutoff of the query."""
    return _hits(cutoffs[query], query, blocks)


def _found(cutoff: int, query: int, blocks: list[Block]) -> Span:
    """Whether a relevant document is within a cutoff."""
    worst, _, best = _hits(cutoff, query, blocks)
    none = 1.0
    for first, size, gains in blocks:
        within = min(max(cutoff - first + 1, 0), size)
        none *= math.comb(size - len(gains), within) / math.comb(size, within)
    return Span(float(worst > 0), 1 - none, float(best > 0))


def _discounted(cutoff: int, query: int, blocks: list[Block]) -> Span:
    """The discounted gain: each place of a block has the mean of its gains."""

    def total(ranks_and_gains: Iterator[tuple[int, float]]) -> float:
        return math.fsum(gain / math.log2(rank + 1) for rank, gain in ranks_and_gains if rank <= cutoff)

    return Span(
        total((b.first + b.size - 1 - i, gain) for b in blocks for i, gain in enumerate(b.gains)),
        total((b.first + i, sum(b.gains) / b.size) for b in blocks for i in range(b.size)),
        total((b.first + i, gain) for b in blocks for i, gain in enumerate(b.gains)),
    )


def _precisions(cutoff: int, query: int, blocks: list[Block]) -> Span:
    """The sum of the precisions at the ranks of relevant documents within a cutoff."""
    worst = mean = best = 0.0
    before = 0
    for first, size, gains in blocks:
        n = len(gains)
        within = min(max(cutoff - first + 1, 0), size)
        best += math.fsum((before + i + 1) / (first + i) for i in range(min(n, within)))
        worst += math.fsum((before + i + 1) / (first + size - n + i) for i in range(within - (size - n)))
        # of the documents above the one at a place, any other relevant one is as likely as not to be
        share = (n - 1) / (size - 1) if size > 1 else 0.0
        mean += n / size * math.fsum((before + 1 + i * share) / (first + i) for i in range(within))
        before += n
    return Span(worst, mean, best)


def _first_found(cutoff: int, query: int, blocks: list[Block]) -> Span:
    """One over the rank of the first relevant document, which is 0 behind a cutoff."""
    first, size, gains = blocks[0]
    n, mean, none_yet = len(gains), 0.0, 1.0
    for i in range(min(size - n, cutoff - first) + 1):
        here = n / (size - i)  # that it is here, if it was not above
        mean += none_yet * here / (first + i)
        none_yet *= 1 - here
    worst, best = (1 / rank if rank <= cutoff else 0.0 for rank in (first + size - n, first))
    return Span(worst, mean, best)


#: trec_eval's measure → what its value for a query is made of
_FORMULAS: Final[Mapping[str, Callable[[int, int, list[Block]], Span]]] = {
    "P": _hits, "recall": _hits, "relative_P": _hits, "success": _found, "ndcg": _discounted, "ndcg_cut": _discounted,
    "map": _precisions, "map_cut": _precisions, "recip_rank": _first_found,
}  # fmt: skip
