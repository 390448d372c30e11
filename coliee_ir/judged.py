"""Judged, the hub: where the judged documents of a run stand. Everything else about the run is forgotten.

Gold ──▶ Qrels ─┐
Run ──blocks────┴─▶ Judged ──▶ measures
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from coliee_adapters.records import Run
from coliee_adapters.remarks import Remarks
from coliee_adapters.trec_eval import compares_as_float32

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_SAMPLE = 20


class Qrels:
    """A gold, numbered: queries are 0 … Q-1, their judged documents the rows 0 … D-1.

    Args:
        judgements: query → document → relevance, in the order in which they are numbered.

    Attributes:
        queries: the Q query ids.
        index: query id → number.
        rows: for each query, document id → row.
        start: shape (Q + 1,); the rows of query i are ``start[i]:start[i + 1]``.
        relevance: shape (D,).
    """

    __slots__ = ("index", "queries", "relevance", "rows", "start")

    def __init__(self, judgements: Mapping[str, Mapping[str, int]]) -> None:
        self.queries = tuple(judgements)
        self.index = {query: number for number, query in enumerate(self.queries)}
        counts = [len(judged) for judged in judgements.values()]
        self.start: IntArray = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        self.rows: list[dict[str, int]] = []
        for first, judged in zip(self.start.tolist(), judgements.values(), strict=False):
            self.rows.append({document: row for row, document in enumerate(judged, start=first)})
        self.relevance: IntArray = np.array([r for judged in judgements.values() for r in judged.values()], np.int64)

    @property
    def sizes(self) -> IntArray:
        """How many documents of each query are judged; shape (Q,)."""
        return np.diff(self.start)

    def relevant(self, rel: int = 1) -> IntArray:
        """How many documents of each query have at least this relevance; shape (Q,)."""
        return self.sums(self.relevance >= rel)

    def sums(self, rows: npt.NDArray[np.generic]) -> IntArray:
        """Sums over the rows of each query; shape (Q,)."""
        totals = np.concatenate(([0], np.cumsum(rows, dtype=np.int64)))
        return totals[self.start[1:]] - totals[self.start[:-1]]


@dataclass(frozen=True, slots=True)
class Judged:
    """Where the judged documents of a run stand.

    Two Judged of the same gold and of different queries add, field by field: parts of a run can be judged apart.

    Attributes:
        qrels: the gold's numbering, which the arrays follow.
        rank: shape (D,); the rank of each judged document, from 1; 0 where it was not retrieved.
        retrieved: shape (Q,); how many different documents were retrieved.
        repeated: shape (Q,); how many further lines repeated one of them.
        answered: shape (Q,); whether the run names the query, be it with nothing retrieved.
        foreign: query that is not in the gold → how many lines the run has of it.
        sample: the first few (query, document) of the run, to show what its ids look like.
        remarks: what was tolerated.
    """

    qrels: Qrels
    rank: IntArray
    retrieved: IntArray
    repeated: IntArray
    answered: BoolArray
    foreign: Mapping[str, int]
    sample: tuple[tuple[str, str], ...]
    remarks: Remarks

    def correct(self, cutoff: int | None = None, rel: int = 1) -> IntArray:
        """How many relevant documents of each query were retrieved, within the cut-off; shape (Q,)."""
        found = (self.rank > 0) & (self.qrels.relevance >= rel)
        if cutoff is not None:
            found &= self.rank <= cutoff
        return self.qrels.sums(found)

    def __add__(self, other: Judged) -> Judged:
        """The two parts together.

        Raises:
            ValueError: the parts have different golds, or a query in common.
        """
        if self.qrels is not other.qrels:
            raise ValueError("only parts that were judged by the same gold add")
        if bool(np.any(self.answered & other.answered)) or not self.foreign.keys().isdisjoint(other.foreign):
            raise ValueError("a query stands in both parts")
        return Judged(
            self.qrels,
            self.rank + other.rank,
            self.retrieved + other.retrieved,
            self.repeated + other.repeated,
            self.answered | other.answered,
            {**self.foreign, **other.foreign},
            (self.sample + other.sample)[:_SAMPLE],
            self.remarks + other.remarks,
        )


def judge(qrels: Qrels, run: Run, skip: frozenset[str] = frozenset()) -> Judged:
    """Read a run and keep where its judged documents stand.

    Documents rank by score as trec_eval compares it (float32), highest first, and on equal scores by id, greatest
    first, by bytes; in a run without scores by the order of lines. A document that a query names twice counts once,
    at its best rank.

    The run streams by, and a query is finished when its id changes. Where a query comes back later, the run is read
    again and held in memory until its end.

    Args:
        qrels: the gold.
        run: what to judge.
        skip: queries to pass over in silence: those that the caller excluded.

    Raises:
        InputError: the run cannot be read.
    """
    try:
        return _Judging(qrels, skip, grouped=True).read(run)
    except _QueryReturnsError:
        return _Judging(qrels, skip, grouped=False).read(run)


class _QueryReturnsError(Exception):
    """A query that was finished comes back: the run is not grouped by query."""


class _Lines:
    """The lines of one query that have been read so far."""

    __slots__ = ("documents", "ranks", "scores")

    def __init__(self) -> None:
        self.documents: list[str] = []
        self.scores: list[float] = []
        self.ranks: list[str] = []


class _Judging:
    """A Judged in the making.

    Args:
        qrels: the gold.
        skip: queries to pass over.
        grouped: whether a query is finished when another begins, or only at the end of the run.
    """

    def __init__(self, qrels: Qrels, skip: frozenset[str], *, grouped: bool) -> None:
        self.qrels, self.skip, self.grouped = qrels, skip, grouped
        self.open: dict[str, _Lines] = {}
        self.finished: set[str] = set()
        self.rank = np.zeros(len(qrels.relevance), dtype=np.int64)
        self.retrieved = np.zeros(len(qrels.queries), dtype=np.int64)
        self.repeated = np.zeros(len(qrels.queries), dtype=np.int64)
        self.answered = np.zeros(len(qrels.queries), dtype=np.bool_)
        self.foreign: dict[str, int] = {}
        self.sample: list[tuple[str, str]] = []
        self.remarks = Remarks()

    def read(self, run: Run) -> Judged:
        for block in run.blocks():
            if block.remarks:
                self.remarks += block.remarks
            for query, first, last in zip(block.queries, block.starts, block.starts[1:], strict=False):
                lines = self.open.get(query)
                if lines is None:
                    if query in self.finished:
                        raise _QueryReturnsError
                    if self.grouped:
                        self._finish_open()
                    lines = self.open[query] = _Lines()
                lines.documents += block.documents[first:last]
                if block.scores is not None:
                    lines.scores += block.scores[first:last]
                if block.ranks is not None:
                    lines.ranks += block.ranks[first:last]
        self._finish_open()
        return Judged(
            self.qrels,
            self.rank,
            self.retrieved,
            self.repeated,
            self.answered,
            self.foreign,
            tuple(self.sample),
            self.remarks,
        )

    def _finish_open(self) -> None:
        for query, lines in self.open.items():
            self._finish(query, lines)
            self.finished.add(query)
        self.open.clear()

    def _finish(self, query: str, lines: _Lines) -> None:
        documents, scores, ranks = lines.documents, lines.scores, lines.ranks
        if query in self.skip:
            return
        if len(self.sample) < _SAMPLE:
            self.sample += [(query, document) for document in documents[:1]]
        number = self.qrels.index.get(query)
        if number is None:
            self.foreign[query] = len(documents)
            return
        self.answered[number] = True
        place = dict(zip(documents, range(len(documents)), strict=True))
        if repeated := len(documents) - len(place):
            documents, scores = self._without_repeats(query, documents, scores)
            place = dict(zip(documents, range(len(documents)), strict=True))
            self.repeated[number] = repeated
        self.retrieved[number] = len(documents)
        rows = self.qrels.rows[number]
        for document in rows:
            if document[:1] == "0" and document not in place and document.lstrip("0") in place:
                self.remarks.add("lost-zeros", f"query {query}: {document.lstrip('0')} for {document}")
        hits = [(row, place[document]) for document, row in rows.items() if document in place]
        rank_of = self._order(query, documents, scores, ranks if not repeated else []) if scores else None
        for row, at in hits:
            self.rank[row] = at + 1 if rank_of is None else rank_of[at]

    def _without_repeats(self, query: str, documents: list[str], scores: list[float]) -> tuple[list[str], list[float]]:
        """Each document once: with its highest score, or without scores where it stands first."""
        kept: dict[str, int] = {}
        for at, document in enumerate(documents):
            if document not in kept:
                kept[document] = at
                continue
            self.remarks.add("duplicate", f"query {query}: {document}")
            if scores and scores[at] > scores[kept[document]]:
                kept[document] = at
        return list(kept), [scores[at] for at in kept.values()] if scores else []

    def _order(self, query: str, documents: list[str], scores: list[float], ranks: list[str]) -> IntArray | None:
        """The rank of each line by trec_eval's order; None if it is the order of the lines."""
        compared = as_compared(scores)
        if ranks and _disagree(ranks, compared):
            self.remarks.add("rank-order", f"query {query}")
        if bool(np.all(compared[1:] < compared[:-1])):  # not a difference: two infinite ones have none
            return None
        if len(np.unique(compared)) < len(compared):
            self.remarks.add("tie", f"query {query}")
        rank_of = np.empty(len(documents), dtype=np.int64)
        rank_of[order_of(documents, scores)] = np.arange(1, len(documents) + 1)
        return rank_of


def as_compared(scores: Sequence[float]) -> FloatArray:
    """Scores as trec_eval compares them: as float32, in which close ones tie and very large ones are infinite."""
    compared: FloatArray = np.array(scores, dtype=np.float64)
    if compares_as_float32():
        with np.errstate(over="ignore"):
            compared = compared.astype(np.float32).astype(np.float64)
    return compared


def order_of(documents: Sequence[str], scores: Sequence[float]) -> list[int]:
    """The places of the documents in trec_eval's order: by score, highest first, then by id, greatest bytes first."""
    compared = as_compared(scores).tolist()
    # code points order text as UTF-8 orders its bytes
    return sorted(range(len(documents)), key=lambda at: (compared[at], documents[at]), reverse=True)


def _disagree(ranks: list[str], compared: FloatArray) -> bool:
    """Whether the rank column orders documents otherwise than their scores do; a constant column orders nothing."""
    try:
        numbers = list(map(int, ranks))
    except ValueError:
        return True
    if numbers[0] == numbers[-1] and len(set(numbers)) == 1:
        return False
    by_rank = compared[np.argsort(numbers, kind="stable")]
    return bool(np.any(by_rank[1:] > by_rank[:-1]))
