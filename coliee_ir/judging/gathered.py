"""A whole run in memory, for what needs its documents again after judging: conversion, fusion, cut-offs."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from functools import cached_property

import numpy as np

from coliee_adapters.ids import Ids
from coliee_adapters.records import Answers, Run, as_labels
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.order import FloatArray, as_compared, order_of


def by_rank(documents: Collection[str]) -> dict[str, float]:
    """Scores that number an order: the i-th of n documents has n - i, which float32 holds exactly."""
    return {document: float(len(documents) - at) for at, document in enumerate(documents)}


class Gathered:
    """A run in memory: query by query the documents in trec_eval's order, each once, with a score.

    Args:
        run: the run.
        among: the queries to gather; by default all.
    """

    def __init__(self, run: Run, among: Container[str] | None = None) -> None:
        self.scored, self.path = run.scored, run.path
        self.lines = 0
        self.remarks = Remarks()
        self._numbered = run.scored  # or by ranks, where blocks have numbers though the run has no scores
        self._parts: dict[str, list[tuple[Sequence[str], FloatArray]]] = {}
        for block in run.blocks():
            self.lines += len(block.documents)
            self.remarks += block.remarks or Remarks()
            self._numbered = self._numbered or block.scores is not None
            scores = np.zeros(len(block.documents)) if block.scores is None else np.asarray(block.scores, np.float64)
            for query, first, last in block.segments():
                if among is None or query in among:
                    documents = block.documents[first:last]
                    # what is kept must not keep its block
                    kept = documents.compact() if isinstance(documents, Ids) else documents
                    self._parts.setdefault(query, []).append((kept, scores[first:last].copy()))

    def rows(self) -> Iterator[tuple[str, list[str], FloatArray]]:
        """Each query with its documents in order and their scores; once, for what has been given is let go."""
        while self._parts:
            query = next(iter(self._parts))
            yield query, *self._ordered(self._parts.pop(query))

    @cached_property
    def rankings(self) -> dict[str, dict[str, float]]:
        """Query → document → score, in order."""
        return {query: dict(zip(documents, scores.tolist(), strict=True)) for query, documents, scores in self.rows()}

    @cached_property
    def retrieved(self) -> int:
        """How many documents there are, each once a query."""
        return sum(map(len, self.rankings.values()))

    def _ordered(self, parts: Sequence[tuple[Sequence[str], FloatArray]]) -> tuple[list[str], FloatArray]:
        documents = [document for part, _ in parts for document in part]
        scores = np.concatenate([of_part for _, of_part in parts])
        if len(set(documents)) < len(documents):
            best: dict[str, float] = {}
            for document, score in zip(documents, scores.tolist(), strict=True):
                if document not in best or score > best[document]:
                    best[document] = score
            documents, scores = list(best), np.array(list(best.values()))
        if self._numbered:
            compared = as_compared(scores)
            if not (compared[1:] < compared[:-1]).all():
                order = order_of(documents, scores)
                documents, scores = [documents[at] for at in order], scores[order]
        return documents, scores if self.scored else np.arange(len(documents), 0.0, -1.0)

    def answers(self) -> Answers | None:
        """The labels that the run stands for, if its documents are Y and N."""
        labels = as_labels(self.rankings)
        return None if labels is None else Answers(labels, path=self.path)
