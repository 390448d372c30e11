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
from coliee_ir.judging.gathered import Gathered
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.judging.order import as_compared
from coliee_ir.reading.anything import read_run

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
    def read(
        cls,
        run: RunLike,
        qrels: Mapping[str, Mapping[str, int]] | None = None,
        *,
        task: str | None = None,
        rel: int = 1,
    ) -> Pool:
        """The rankings of a run, as ``read_run`` takes it: see ``pooled``."""
        return pooled(Gathered(ranking(run, task), qrels), qrels, rel=rel)

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

    def lists(self, kept: BoolArray) -> dict[str, dict[str, float]]:
        """Query → document → score of the rows where a mask is true, best first."""
        lists: dict[str, dict[str, float]] = {query: {} for query in self.queries}
        for at, query in zip(np.flatnonzero(kept).tolist(), self.query[kept].tolist(), strict=True):
            lists[self.queries[query]][self.documents[at]] = float(self.scores[at])
        return lists


def pooled(run: Gathered, qrels: Mapping[str, Mapping[str, int]] | None = None, *, rel: int = 1) -> Pool:
    """The rankings of the gold's queries, answered or not; without a gold, of all queries.

    ``rel`` is the least relevance that counts as relevant. The run lets go of what it has given.
    """
    rankings = {query: (Ids.of(documents), scores) for query, documents, scores in run.rows() if documents}
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
    return Pool(queries, start, joined, scores, _found(joined, start, right), wanted, run.scored)


def ranking(run: RunLike, task: str | int | None = None, columns: Mapping[str, str] | None = None) -> Run:
    """A run, as ``read_run`` takes it, that holds documents."""
    record = read_run(run, task=task, columns=columns)
    if not isinstance(record, Run):
        problem = "this submission contains labels, not documents"
        raise InputError("wrong-part", record.path, problem, remedy="cutoffs apply to retrieved documents")
    return record


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
