"""What a score would be with the documents of equal score in another order: at worst, expected, and at best.

trec_eval puts equal scores in the order of ids, which say nothing of relevance. Over all orders of the documents that
share a score, each order as likely as any other, a score has a least, a greatest and a mean value. The least and the
greatest are the measure's own values with the relevant documents last and first among equals; the mean has a formula.

Source: McSherry, Najork, ECIR 2008: Computing information retrieval performance measures efficiently in the presence of
tied scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from coliee_adapters import trec_eval
from coliee_adapters.classes import NamedTuple
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import Remark
from coliee_ir.judging.judged import Judged
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
    """Documents of equal score of one query.

    Attributes:
        first: the rank of the first of them.
        size: how many there are.
        gains: the relevance of those that are relevant, the greatest first.
    """

    first: int
    size: int
    gains: tuple[int, ...]


def span(measure: Measure, parts: Parts, decisions: Decisions) -> Span | None:
    """The span of a score; None for a measure that it is not known of, or that does not look at ranks.

    It is known of P, R and F at a cutoff, micro or macro, and of trec_eval's P, recall, Rprec, map, recip_rank, ndcg
    and ndcg_cut.

    Args:
        measure: the measure.
        parts: the judged parts of the run.
        decisions: the choices where the organisers leave it open.
    """
    value = _value_of(measure)
    if value is None or not measure.ranked:
        return None
    judged = measure.part(parts)
    name = next(name for name, part in parts.items() if part is judged)
    low, high = (measure.compute({**parts, name: _ordered(judged, best)}, decisions) for best in (False, True))
    if low.value == high.value:
        return Span(low.value, low.value, high.value)
    each, top = low.terms.each.copy(), high.terms.each
    for query, blocks in _blocks(judged, measure.least_relevance):
        # a value is linear in what the formula gives, for every order of the query's documents
        worst, mean, best = value(judged, query, blocks)
        if best > worst:
            each[query] += (top[query] - each[query]) * (mean - worst) / (best - worst)
    terms = low.terms._replace(each=each)
    return Span(low.value, terms.total, high.value)


def spans(measures: Mapping[Measure, Result], parts: Parts, decisions: Decisions) -> Mapping[Measure, Span]:
    """The spans of the measures of which they are known and that look at a part with ties.

    trec_eval is asked anew for the queries that have ties, twice for all measures together; all other queries keep
    their values. The expected values, which no remark needs, are found when somebody asks.
    """
    looking = [one for one in measures if one.ranked and one.part(parts).tied.size and _value_of(one) is not None]
    bounds: dict[Measure, tuple[Result, Result]] = {}
    for judged in {id(one.part(parts)): one.part(parts) for one in looking}.values():
        of_part = [one for one in looking if one.part(parts) is judged]
        name = next(name for name, part in parts.items() if part is judged)
        ordered = [_ordered(judged, best) for best in (False, True)]
        asked = [one for one in of_part if isinstance(one, Delegated)]
        low, high = (_values_anew(asked, measures, one, decisions) for one in ordered)
        for one in of_part:
            if isinstance(one, Delegated):
                bounds[one] = (low[one], high[one])
            else:
                worst, best = (one.compute({**parts, name: each}, decisions) for each in ordered)
                bounds[one] = (worst, best)
    return _Spans(bounds, parts)


def _values_anew(
    asked: Sequence[Delegated], known: Mapping[Measure, Result], judged: Judged, decisions: Decisions
) -> dict[Delegated, Result]:
    """The results of trec_eval's measures with the tied queries asked again, and the others as they are known."""
    if not asked:
        return {}
    queries = np.unique(_query_of(judged, judged.tied[0]))
    queries = queries[~np.isnan(np.array([known[one].per_query[queries] for one in asked]).any(axis=0))]
    qrels = judged.qrels
    rows = qrels.rows(queries)
    start = np.concatenate(([0], np.cumsum(qrels.sizes[queries])))
    requests = [one.request for one in asked]
    values = trec_eval.values(requests, start, qrels.relevance[rows], judged.rank[rows], judged.retrieved[queries])
    table = np.array([known[one].per_query for one in asked])
    table[:, queries] = [values[request] for request in requests]
    means = trec_eval.means(requests, table[:, qrels.by_id])
    return {
        one: of_values(one.request, mean, per_query, judged)
        for one, mean, per_query in zip(asked, means, table, strict=True)
    }


class _Spans(Mapping[Measure, Span]):
    """Spans whose expected values are computed when they are asked for."""

    def __init__(self, bounds: Mapping[Measure, tuple[Result, Result]], parts: Parts) -> None:
        self.bounds, self.parts = bounds, parts
        self.found: dict[Measure, Span] = {}

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.bounds)

    def __len__(self) -> int:
        return len(self.bounds)

    def __getitem__(self, measure: Measure) -> Span:
        if measure not in self.found:
            low, high = self.bounds[measure]
            self.found[measure] = _expected(measure, measure.part(self.parts), low, high)
        return self.found[measure]

    def ends(self) -> list[tuple[Measure, float, float]]:
        return [(one, low.value, high.value) for one, (low, high) in self.bounds.items()]


def _expected(measure: Measure, judged: Judged, low: Result, high: Result) -> Span:
    if low.value == high.value:
        return Span(low.value, low.value, high.value)
    value = _value_of(measure)
    assert value is not None
    each, top = low.terms.each.copy(), high.terms.each
    for query, blocks in _blocks(judged, measure.least_relevance):
        worst, mean, best = value(judged, query, blocks)
        if best > worst:
            each[query] += (top[query] - each[query]) * (mean - worst) / (best - worst)
    terms = low.terms._replace(each=each)
    return Span(low.value, terms.total, high.value)


def notable(ties: Mapping[Measure, Span]) -> list[str]:
    """The scores that could be notably different with equal scores in another order, each with its span."""
    ends = ties.ends() if isinstance(ties, _Spans) else [(one, low, high) for one, (low, _, high) in ties.items()]
    return [f"{measure} {low:.4f} to {high:.4f}" for measure, low, high in ends if high - low > NOTABLE]


def told(ties: Mapping[Measure, Span]) -> list[Remark]:
    """The same in a sentence."""
    if not (moved := notable(ties)):
        return []
    sentence = f"scores that depend on the order of documents of equal score: {'; '.join(moved)}"
    return [Remark("order-of-ties", sentence)]


def _ordered(judged: Judged, best: bool) -> Judged:
    """The documents with equal scores in the order of their relevance: the greatest first, or last."""
    rows, first, last = judged.tied
    rank = judged.rank.copy()
    order = np.lexsort((-judged.qrels.relevance[rows], first, _query_of(judged, rows)))
    rows, first, last = rows[order], first[order], last[order]
    query = _query_of(judged, rows)
    new = np.concatenate(([True], (query[1:] != query[:-1]) | (first[1:] != first[:-1])))
    place = np.arange(len(rows)) - np.flatnonzero(new)[np.cumsum(new) - 1]
    rank[rows] = first + place if best else last - place
    return replace(judged, rank=rank)


def _query_of(judged: Judged, rows: IntArray) -> IntArray:
    return np.searchsorted(judged.qrels.start, rows, side="right") - 1


def _blocks(judged: Judged, rel: int) -> Iterator[tuple[int, list[Block]]]:
    """For each query with tied judged documents all its blocks with relevant ones, by rank; one document is a block."""
    bounds: Mapping[int, tuple[int, int]] = {
        row: (first, last) for row, first, last in zip(*judged.tied.tolist(), strict=True)
    }
    for query in np.unique(_query_of(judged, judged.tied[0])).tolist():
        gains: dict[tuple[int, int], list[int]] = {}
        for row in range(int(judged.qrels.start[query]), int(judged.qrels.start[query + 1])):
            rank, relevance = int(judged.rank[row]), int(judged.qrels.relevance[row])
            if rank > 0 and relevance >= max(rel, 1):
                gains.setdefault(bounds.get(row, (rank, rank)), []).append(relevance)
        yield (
            query,
            [
                Block(first, last - first + 1, tuple(sorted(found, reverse=True)))
                for (first, last), found in sorted(gains.items())
            ],
        )


#: what the formula of a measure gives for a query: at worst, expected, at best
_Value = Callable[[Judged, int, list[Block]], Span]


def _value_of(measure: Measure) -> _Value | None:
    if isinstance(measure, Micro | Macro):
        of_means = isinstance(measure, MacroF) and measure.of == "means"
        return None if measure.cutoff is None or of_means else _found(measure.cutoff)
    if (
        not isinstance(measure, Delegated)
        or measure.request.judged_only
        or measure.request.gains
        or measure.request.top
    ):
        return None
    base, parameter = measure.request.base, measure.request.parameter
    if base in ("P", "recall") and parameter.isdecimal():
        return _found(int(parameter))
    if base == "ndcg_cut" and parameter.isdecimal():
        return _discounted(int(parameter))
    if parameter:
        return None
    if base == "Rprec":
        return lambda judged, query, blocks: _found(_relevant(judged, query, measure.request.rel))(
            judged, query, blocks
        )
    return {"map": _precisions, "recip_rank": _first_found, "ndcg": _discounted(None)}.get(base)


def _relevant(judged: Judged, query: int, rel: int) -> int:
    return int((judged.qrels.relevance[judged.qrels.start[query] : judged.qrels.start[query + 1]] >= rel).sum())


def _found(cutoff: int) -> _Value:
    """How many relevant documents are within a cutoff: the mean is the hypergeometric distribution's."""

    def value(judged: Judged, query: int, blocks: list[Block]) -> Span:
        worst = mean = best = 0.0
        for first, size, gains in blocks:
            within = min(max(cutoff - first + 1, 0), size)
            worst += max(within - (size - len(gains)), 0)
            mean += within * len(gains) / size
            best += min(within, len(gains))
        return Span(worst, mean, best)

    return value


def _discounted(cutoff: int | None) -> _Value:
    """The discounted gain: each place of a block has the mean of its gains."""

    def total(ranks_and_gains: Iterator[tuple[int, float]]) -> float:
        return math.fsum(
            gain / math.log2(rank + 1) for rank, gain in ranks_and_gains if cutoff is None or rank <= cutoff
        )

    def value(judged: Judged, query: int, blocks: list[Block]) -> Span:
        return Span(
            total((b.first + b.size - 1 - at, gain) for b in blocks for at, gain in enumerate(b.gains)),
            total((b.first + at, sum(b.gains) / b.size) for b in blocks for at in range(b.size)),
            total((b.first + at, gain) for b in blocks for at, gain in enumerate(b.gains)),
        )

    return value


def _precisions(judged: Judged, query: int, blocks: list[Block]) -> Span:
    """The sum of the precisions at the ranks of relevant documents."""
    worst = mean = best = 0.0
    before = 0
    for first, size, gains in blocks:
        n = len(gains)
        best += math.fsum((before + at + 1) / (first + at) for at in range(n))
        worst += math.fsum((before + at + 1) / (first + size - n + at) for at in range(n))
        # of the documents above the one at a place, any other relevant one is as likely as not to be
        share = (n - 1) / (size - 1) if size > 1 else 0.0
        mean += n / size * math.fsum((before + 1 + at * share) / (first + at) for at in range(size))
        before += n
    return Span(worst, mean, best)


def _first_found(judged: Judged, query: int, blocks: list[Block]) -> Span:
    """One over the rank of the first relevant document."""
    if not blocks:
        return Span(0.0, 0.0, 0.0)
    first, size, gains = blocks[0]
    n, mean, none_yet = len(gains), 0.0, 1.0
    for at in range(size - n + 1):
        here = n / (size - at)  # that it is here, if it was not above
        mean += none_yet * here / (first + at)
        none_yet *= 1 - here
    return Span(1 / (first + size - n), mean, 1 / first)
