"""Qrels: a gold numbered, so that judging is arithmetic on arrays."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import chain, repeat

import numpy as np
import numpy.typing as npt

from coliee_adapters.ids import Ids, IntArray, Picked
from coliee_adapters.records import Judgements


class Qrels:
    """A gold, numbered: queries are 0 … Q-1, their judged documents the rows 0 … D-1.

    Args:
        judgements: query → document → relevance, in the order in which they are numbered.
        level: the least relevance that counts as relevant, as trec_eval's ``-l``.

    Attributes:
        start: shape (Q + 1,); the rows of query i are ``start[i]:start[i + 1]``.
        graded: shape (D,); the relevance as it is judged, of which measures make their gains.
        relevance: shape (D,); the same, and 0 below the level.
    """

    def __init__(self, judgements: Mapping[str, Mapping[str, int]], level: int = 1) -> None:
        self.queries = tuple(judgements)
        if isinstance(judgements, Judgements):
            self.start, self.documents, graded = judgements.start, judgements.documents, judgements.relevance
        else:
            counts = [*map(len, judgements.values())]
            self.start = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
            self.documents = Ids.of([*chain.from_iterable(judgements.values())])
            graded = np.fromiter(chain.from_iterable(judged.values() for judged in judgements.values()), np.int64)
        self.level = level
        self.graded: IntArray = graded.astype(np.int64)
        self.relevance = self.graded
        if level > 1:
            self.relevance = np.where(self.graded < level, self.graded.clip(max=0), self.graded)
        self._relevant = dict[int, IntArray]()
        self._index = {query: number for number, query in enumerate(self.queries)}
        #: the queries, as a collection that numbers can stand for
        self.ids = Ids.of(self.queries)

    def same_as(self, other: Qrels) -> bool:
        """Whether the other numbers the same gold, perhaps unpickled from it."""
        if self is other:
            return True
        arrays = ("start", "graded", "relevance")
        return (
            self.queries == other.queries
            and self.documents.raw == other.documents.raw
            and np.array_equal(self.documents.length, other.documents.length)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
        )

    def numbers(self, queries: Ids) -> IntArray:
        """The number of each query; -1 for one that is not judged.

        :meta private:
        """
        if isinstance(queries, Picked) and queries.collection is self.ids:
            return queries.numbers.copy()
        return np.fromiter(map(self._index.get, queries, repeat(-1)), np.int64, len(queries))

    @cached_property
    def sizes(self) -> IntArray:
        """How many documents of each query are judged; shape (Q,)."""
        return self.start[1:] - self.start[:-1]

    @cached_property
    def query(self) -> IntArray:
        """The number of the query of each judged document; shape (D,)."""
        return np.repeat(np.arange(len(self.queries)), self.sizes)

    def relevant(self, rel: int = 1) -> IntArray:
        """How many documents of each query have at least this relevance; shape (Q,)."""
        if rel not in self._relevant:  # asked for anew with each run
            self._relevant[rel] = self.sums(self.relevance >= rel)
        return self._relevant[rel]

    def sums(self, rows: npt.NDArray[np.generic]) -> IntArray:
        """Sums over the rows of each query; shape (Q,)."""
        totals = np.concatenate(([0], np.cumsum(rows, dtype=np.int64)))
        return totals[self.start[1:]] - totals[self.start[:-1]]

    @cached_property
    def texts(self) -> list[str]:
        """The D document ids as texts."""
        return list(self.documents)

    @cached_property
    def by_id(self) -> IntArray:
        """Query numbers in the order in which trec_eval adds: by id, compared as bytes."""
        # code points order text as UTF-8 orders its bytes
        return np.array(sorted(range(len(self.queries)), key=self.queries.__getitem__), dtype=np.int64)

    def rows(self, numbers: IntArray) -> IntArray:
        """The rows of several queries, one query after the other."""
        counts = self.sizes[numbers]
        before = np.cumsum(counts) - counts
        return np.repeat(self.start[numbers] - before, counts) + np.arange(counts.sum())

    def query_of(self, rows: IntArray) -> IntArray:
        """The number of the query of each of these rows."""
        return np.searchsorted(self.start, rows, side="right") - 1
