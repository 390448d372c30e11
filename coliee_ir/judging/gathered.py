"""A whole run in memory, for what needs its documents again after judging: conversion, fusion, cutoffs."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator
from functools import cached_property

import numpy as np

from coliee_adapters.ids import Ids, mixed
from coliee_adapters.records import Run
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.order import FloatArray, as_compared, check_order, order_of, ranked_otherwise

#: documents and their scores
_Rows = tuple[Ids, FloatArray]


def by_rank(documents: Collection[str]) -> dict[str, float]:
    """Scores that number an order: the i-th of n documents has n - i, which float32 holds exactly."""
    return {document: float(len(documents) - i) for i, document in enumerate(documents)}


class RunInMemory:
    """A run in memory: query by query the documents in trec_eval's order, each once, with a score."""

    def __init__(self, run: Run, among: Container[str] | None = None) -> None:
        self.scored, self.path = run.scored, run.path
        self.lines = 0
        self.remarks = Remarks()
        self._numbered = run.scored  # or by ranks, where blocks have numbers though the run has no scores
        #: the parts of a query as they were read, or its rows in order
        self._held: dict[str, list[_Rows] | _Rows] = {}
        otherwise = dict[str, None]()  # which queries have ranks that disagree with scores, also in several blocks
        for block in run.blocks():
            self.lines += len(block.documents)
            otherwise |= dict.fromkeys(ranked_otherwise(block))
            self.remarks += block.remarks
            check_order(block.remarks, "this")
            self._numbered = self._numbered or block.scores is not None
            if among is not None:
                block = block.of_segments(np.array([query in among for query in block.queries], dtype=np.bool_))
            if len({*block.queries}) < len(block.queries):  # lines of a query are put together, and not held one by one
                _, block = block.grouped({})
            documents = block.documents.compact()  # in memory that holds nothing else of the block
            scores = np.zeros(len(documents)) if block.scores is None else block.scores
            for query, first, last in block.segments():
                parts = self._held.setdefault(query, [])
                assert isinstance(parts, list)
                parts.append((documents[first:last], scores[first:last]))
        self.remarks.each("rank-order", map("query {}".format, otherwise))

    def rows(self) -> Iterator[tuple[str, Ids, FloatArray]]:
        """Each query with its documents in order and their scores; once, for what has been given is let go."""
        while self._held:
            query = next(iter(self._held))
            documents, scores = self.ordered(query)
            self.forget([query])
            yield query, documents, scores

    def forget(self, queries: Iterable[str]) -> None:
        """Forget the documents of some queries."""
        for query in queries:
            self._held.pop(query, None)

    @property
    def rankings(self) -> dict[str, dict[str, float]]:
        """Query → document → score, in order."""
        rows = ((query, *self.ordered(query)) for query in self._held)
        return {query: dict(zip(documents, scores.tolist(), strict=True)) for query, documents, scores in rows}

    def ranks(self, texts: dict[str, str] | None = None) -> dict[str, dict[str, int]]:
        """Query → document → rank, once, as ``rows``; ``texts`` has each document's text, shared by all runs."""
        text_of = {} if texts is None else texts
        return {
            query: {text_of.setdefault(document, document): rank for rank, document in enumerate(documents, start=1)}
            for query, documents, _ in self.rows()
        }

    @cached_property
    def retrieved(self) -> int:
        """How many documents there are, each once a query."""
        return sum(len(self.ordered(query)[0]) for query in self._held)

    def ordered(self, query: str) -> _Rows:
        """The documents of a query in order and their scores; none of a query that is not there."""
        rows = self._held.get(query) or (Ids.of(()), np.zeros(0))
        if isinstance(rows, list):
            rows = self._held[query] = self._in_order(rows)
        documents, scores = rows
        return documents, scores if self.scored else np.arange(len(documents), 0.0, -1.0)

    def _in_order(self, parts: list[_Rows]) -> _Rows:
        documents = parts[0][0] if len(parts) == 1 else Ids.joined([documents for documents, _ in parts])
        scores = np.concatenate([scores for _, scores in parts])
        keys = np.sort(mixed(documents.words(documents.words_needed()), documents.length))
        if (keys[1:] == keys[:-1]).any():  # a document that comes twice, or another with an equal key
            best: dict[str, float] = {}
            for document, score in zip(documents, scores.tolist(), strict=True):
                if document not in best or score > best[document]:
                    best[document] = score
            documents, scores = Ids.of(best), np.array(list(best.values()))
        if self._numbered:
            compared = as_compared(scores)
            if not (compared[1:] < compared[:-1]).all():
                order = order_of(documents, scores)
                documents, scores = documents.select(order), scores[order]
        return documents, scores
