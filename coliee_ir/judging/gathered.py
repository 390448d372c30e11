"""A whole run in memory, for what needs its documents again after judging: conversion, fusion, cut-offs."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from coliee_adapters.records import Answers, Run, as_labels
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.order import order_of


def by_rank(documents: Collection[str]) -> dict[str, float]:
    """Scores that number an order: the i-th of n documents has n - i, which float32 holds exactly."""
    return {document: float(len(documents) - at) for at, document in enumerate(documents)}


class Gathered:
    """A run in memory: query by query the documents in trec_eval's order, each once, with a score."""

    def __init__(self, run: Run) -> None:
        self.scored, self.path = run.scored, run.path
        self.lines = 0
        self.remarks = Remarks()
        self._numbered = run.scored  # or by ranks, where blocks have numbers though the run has no scores
        best: dict[str, dict[str, float]] = {}
        for block in run.blocks():
            self.lines += len(block.documents)
            self.remarks += block.remarks or Remarks()
            self._numbered = self._numbered or block.scores is not None
            scores = np.zeros(len(block.documents)) if block.scores is None else np.asarray(block.scores, np.float64)
            for query, first, last in block.segments():
                ranking = best.setdefault(query, {})
                for document, score in zip(block.documents[first:last], scores[first:last].tolist(), strict=True):
                    if document not in ranking or score > ranking[document]:
                        ranking[document] = score
        self.rankings = {query: self._ordered(ranking) for query, ranking in best.items()}
        self.retrieved = sum(map(len, self.rankings.values()))

    def _ordered(self, ranking: dict[str, float]) -> dict[str, float]:
        documents = list(ranking)
        if self._numbered:
            documents = [documents[at] for at in order_of(documents, list(ranking.values()))]
        return {document: ranking[document] for document in documents} if self.scored else by_rank(documents)

    def answers(self) -> Answers | None:
        """The labels that the run stands for, if its documents are Y and N."""
        labels = as_labels(self.rankings)
        return None if labels is None else Answers(labels, path=self.path)
