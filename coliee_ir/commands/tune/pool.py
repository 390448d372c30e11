"""Rankings as arrays, best document first, with what is relevant among them: on these a cutoff is chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from coliee_adapters.errors import InputError
from coliee_adapters.ids import Ids, IntArray, mixed
from coliee_adapters.records import Run, RunLike
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.gathered import Gathered
from coliee_ir.judging.judged import BoolArray, FloatArray, Judged
from coliee_ir.judging.order import as_compared
from coliee_ir.judging.qrels import Qrels
from coliee_ir.scoring.reading import read_run

#: trec_eval takes what is greater for infinite, with which no rule can reckon
_GREATEST: Final = float(np.finfo(np.float32).max)

#: How many rows are looked at together.
_ROWS: Final = 1 << 16


@dataclass(frozen=True)
class Pool:
    """Rankings of Q queries with N rows in all.

    Attributes:
        queries: the query ids.
        start: shape (Q + 1,); the rows of query i are ``start[i]:start[i + 1]``, in trec_eval's order.
        documents: a document a row.
        scores: shape (N,); where the run has none, n - i for the i-th of n documents.
        relevant: shape (N,); whether the document is relevant; all False where no gold is known.
        wanted: shape (Q,); how many relevant documents the gold has.
        scored: whether the scores are the run's own.
    """

    queries: tuple[str, ...]
    start: IntArray
    documents: Sequence[str]
    scores: FloatArray
    relevant: BoolArray
    wanted: IntArray
    scored: bool

    @classmethod
    def of(
        cls,
        rankings: Mapping[str, Mapping[str, float]],
        qrels: Mapping[str, Mapping[str, int]] | None = None,
        *,
        scored: bool = True,
        rel: int = 1,
    ) -> Pool:
        """The rankings of the gold's queries, answered or not; without a gold, of all queries.

        Args:
            rankings: query → document → score, documents in trec_eval's order, as ``to_run`` gives them.
            qrels: query → document → relevance.
            scored: whether the scores are the run's own.
            rel: the least relevance that counts as relevant.
        """
        queries = tuple(rankings if qrels is None else qrels)
        lists = [rankings.get(query, {}) for query in queries]
        documents = [document for ranking in lists for document in ranking]
        scores = np.array([score for ranking in lists for score in ranking.values()], dtype=np.float64)
        start = np.concatenate(([0], np.cumsum([len(ranking) for ranking in lists], dtype=np.int64)))
        found = np.zeros(len(documents), dtype=np.bool_)
        wanted = np.zeros(len(queries), dtype=np.int64)
        for at, query in enumerate(queries if qrels is not None else ()):
            right = {document for document, level in (qrels or {})[query].items() if level >= rel}
            wanted[at] = len(right)
            if right:
                found[start[at] : start[at + 1]] = [document in right for document in lists[at]]
        return cls(queries, start, documents, scores, found, wanted, scored)

    @classmethod
    def read(
        cls,
        run: RunLike,
        qrels: Mapping[str, Mapping[str, int]] | None = None,
        *,
        task: str | None = None,
        rel: int = 1,
    ) -> Pool:
        """The rankings of a run, as ``read_run`` takes it.

        Raises:
            InputError: the run cannot be read, or holds labels.
        """
        record = read_run(run, task=task)
        if not isinstance(record, Run):
            problem = "this submission contains labels, not documents"
            raise InputError("wrong-part", record.path, problem, remedy="cutoffs apply to retrieved documents")
        rankings: dict[str, tuple[Ids, FloatArray]] = {}
        for query, documents, of_query in Gathered(record, qrels).rows():
            if documents:
                rankings[query] = Ids.of(documents), of_query
        queries = tuple(rankings if qrels is None else qrels)
        lengths = [len(rankings[query][0]) if query in rankings else 0 for query in queries]
        start = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))
        there = [rankings[query] for query in queries if query in rankings]
        scores = np.concatenate([np.zeros(0), *(held for _, held in there)])
        joined = Ids.joined([held for held, _ in there])
        right = [
            {document for document, level in (qrels or {}).get(query, {}).items() if level >= rel} for query in queries
        ]
        wanted = np.array([len(documents) for documents in right], dtype=np.int64)
        return cls(queries, start, joined, scores, _found(joined, start, right), wanted, record.scored)

    @cached_property
    def lengths(self) -> IntArray:
        """Shape (Q,); how many rows each query has."""
        return self.start[1:] - self.start[:-1]

    @cached_property
    def query(self) -> IntArray:
        """Shape (N,); the number of each row's query."""
        return np.repeat(np.arange(len(self.queries)), self.lengths)

    @cached_property
    def rank(self) -> npt.NDArray[np.int32]:
        """Shape (N,); the rank of each row in its query, from 1."""
        return (np.arange(1, len(self.documents) + 1) - self.start[self.query]).astype(np.int32)

    @cached_property
    def compared(self) -> FloatArray:
        """Shape (N,); the scores as trec_eval compares them, finite: within a query they never rise with the rank."""
        return np.clip(as_compared(self.scores), -_GREATEST, _GREATEST)

    @cached_property
    def top(self) -> FloatArray:
        """Shape (N,); the best score of each row's query."""
        return self.compared[self.start[self.query]]

    def running(self, values: BoolArray) -> FloatArray:
        """Shape (N,); how many rows of the same query, up to each row, are so."""
        total = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
        return np.asarray(total[1:] - total[self.start[self.query]])

    def where(self, kept: BoolArray) -> Pool:
        """The same queries with the rows where a mask is true."""
        lengths = np.bincount(self.query[kept], minlength=len(self.queries))
        return Pool(
            self.queries,
            np.concatenate(([0], np.cumsum(lengths))),
            [self.documents[at] for at in np.flatnonzero(kept).tolist()],
            self.scores[kept],
            self.relevant[kept],
            self.wanted,
            self.scored,
        )

    def judged(self, rel: int = 1) -> Judged:
        """Where the relevant documents are ranked, as an evaluation would find it, under names of no meaning.

        Args:
            rel: the relevance that they get.
        """
        wanted = zip(self.queries, self.wanted.tolist(), strict=True)
        qrels = Qrels({query: {str(n): max(rel, 1) for n in range(count)} for query, count in wanted})
        rank = np.zeros(len(qrels.relevance), dtype=np.int64)
        hits = np.flatnonzero(self.relevant)
        nth = self.running(self.relevant)[hits].astype(np.int64) - 1
        rank[qrels.start[self.query[hits]] + nth] = self.rank[hits]
        nothing = np.zeros(len(self.queries), dtype=np.int64)
        return Judged(qrels, rank, self.lengths, nothing, self.lengths > 0, {}, Remarks())

    def lists(self, kept: BoolArray) -> dict[str, dict[str, float]]:
        """Query → document → score of the rows where a mask is true, best first."""
        lists: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        for at, query in zip(np.flatnonzero(kept).tolist(), self.query[kept].tolist(), strict=True):
            lists[self.queries[query]][self.documents[at]] = float(self.scores[at])
        return lists


def _found(documents: Ids, start: IntArray, wanted: Sequence[Collection[str]]) -> BoolArray:
    """Which rows hold a wanted document of their query; shape (N,)."""
    found = np.zeros(len(documents), dtype=np.bool_)
    looked_for = Ids.of([document for some in wanted for document in some])
    of_query = np.repeat(np.arange(len(wanted)), [len(some) for some in wanted])
    n_words = max(documents.words_needed(), looked_for.words_needed())
    keys = np.sort(mixed(looked_for.words(n_words), of_query))
    for first in range(0, len(documents) if len(keys) else 0, _ROWS):
        rows = np.arange(first, min(first + _ROWS, len(documents)))
        query = np.searchsorted(start, rows, side="right") - 1
        own = mixed(documents.at(rows).words(n_words), query)
        alike = np.flatnonzero(keys[np.minimum(np.searchsorted(keys, own), len(keys) - 1)] == own)
        for row, number in zip(rows[alike].tolist(), query[alike].tolist(), strict=True):
            found[row] = documents[row] in wanted[number]
    return found
