"""The documents of several runs side by side, as arrays: on these, scores are normalised and combined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from coliee_adapters.classes import dataclass
from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import BoolArray, FloatArray


@dataclass(frozen=True)
class Candidates:
    """All that n runs retrieved: P rows, one a document of a query, and in each row what the runs say of it.

    The rows of a query stand by id, greatest first: sorting them by score, and keeping the order of equal ones, gives
    trec_eval's order.
    """

    # the Q queries of which any run retrieved anything, in the order in which the runs name them
    queries: tuple[str, ...]
    start: IntArray  # shape (Q + 1,); the rows of query i are ``start[i]:start[i + 1]``, and there is at least one
    documents: Sequence[str]  # a document a row
    scores: FloatArray  # shape (n, P); 0 where a run has not retrieved the document
    ranks: IntArray  # shape (n, P); from 1; 0 where a run has not retrieved the document

    @classmethod
    def of(cls, rankings: Sequence[Mapping[str, Mapping[str, float]]]) -> Candidates:
        """The candidates of runs."""
        queries = [query for query in dict.fromkeys(q for run in rankings for q in run) if any(_of(rankings, query))]
        documents: list[str] = []
        start = [0]
        rows: list[list[int]] = [[] for _ in rankings]
        for query in queries:
            lists = _of(rankings, query)
            # code points order text as UTF-8 orders its bytes
            found = sorted(set().union(*lists), reverse=True)
            row_of = {document: row for row, document in enumerate(found, start=len(documents))}
            documents += found
            start.append(len(documents))
            for placed, ranking in zip(rows, lists, strict=True):
                placed += [row_of[document] for document in ranking]
        scores = np.zeros((len(rankings), len(documents)))
        ranks = np.zeros((len(rankings), len(documents)), dtype=np.int64)
        for at, run in enumerate(rankings):
            of_run = [run.get(query, {}) for query in queries]
            scores[at, rows[at]] = [score for ranking in of_run for score in ranking.values()]
            ranks[at, rows[at]] = [rank for ranking in of_run for rank in range(1, len(ranking) + 1)]
        return cls(tuple(queries), np.array(start, dtype=np.int64), documents, scores, ranks)

    @cached_property
    def query(self) -> IntArray:
        """Shape (P,); the number of each row's query."""
        return np.repeat(np.arange(len(self.queries)), self.start[1:] - self.start[:-1])

    @cached_property
    def named(self) -> BoolArray:
        """Shape (n, P); whether a run has retrieved the document."""
        return self.ranks > 0

    @cached_property
    def lengths(self) -> FloatArray:
        """Shape (n, P); how many documents the run has retrieved for the row's query."""
        return self.totals(np.ones_like(self.scores))

    @cached_property
    def sizes(self) -> IntArray:
        """Shape (P,); how many documents all runs together have retrieved for the row's query."""
        return (self.start[1:] - self.start[:-1])[self.query]

    def contents(self, run: int) -> bytes:
        """What a run holds, as bytes that are the same in whatever order runs and queries are given."""
        rows = [
            np.arange(self.start[at], self.start[at + 1])
            for at in sorted(range(len(self.queries)), key=self.queries.__getitem__)
        ]
        by_name = np.concatenate(rows) if rows else np.arange(0)
        return bytes(self.scores[run][by_name].tobytes() + self.ranks[run][by_name].tobytes())

    def totals(self, values: FloatArray) -> FloatArray:
        """The sum over each row's query of what the run has retrieved; shape (n, P)."""
        return self._reduced(np.add, np.where(self.named, values, 0.0))

    def least(self, values: FloatArray) -> FloatArray:
        """The least value in each row's query of what the run has retrieved; shape (n, P)."""
        return self._reduced(np.minimum, np.where(self.named, values, np.inf))

    def greatest(self, values: FloatArray) -> FloatArray:
        """The greatest value in each row's query of what the run has retrieved; shape (n, P)."""
        return self._reduced(np.maximum, np.where(self.named, values, -np.inf))

    def _reduced(self, how: np.ufunc, values: FloatArray) -> FloatArray:
        if not self.queries:
            return values
        of_queries: FloatArray = how.reduceat(values, self.start[:-1], axis=1)
        return of_queries[:, self.query]


def _of(rankings: Sequence[Mapping[str, Mapping[str, float]]], query: str) -> list[Mapping[str, float]]:
    """What each run has for a query."""
    return [run.get(query, {}) for run in rankings]
