"""What weights of a vote on answers are worth: the accuracy, summed over folds of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_adapters.records import Answers
from coliee_ir.commands.fuse.trial import Weights, Worth
from coliee_ir.commands.fuse.votes import NEAR_WEIGHTS
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import quotient


class Ballots:
    """Weights of a vote, tried on labelled queries. A run without an answer to a query abstains.

    Args:
        answers: of each run.
        labels: query → True for Y, False for N.
        ties: what equal weights give: ``Y``, ``N``, or ``first``, what the first run with a weight says that answers.
        fold: shape (Q,); the fold of each query, from 0.
    """

    def __init__(self, answers: Sequence[Answers], labels: Mapping[str, bool], ties: str, fold: IntArray) -> None:
        sign = {True: 1.0, False: -1.0, None: 0.0}
        #: shape (n, Q); 1 for Y, -1 for N, 0 for no answer
        self.votes = np.array([[sign[run.labels.get(query)] for query in labels] for run in answers])
        self.labels = np.array(list(labels.values()), dtype=np.bool_)
        self.ties, self.fold = ties, fold
        self.folds = int(fold.max()) + 1
        self.score = quotient

    def elected(self, weights: Weights) -> tuple[BoolArray, BoolArray]:
        """The answer that the weights give, and whether any run with a weight answers; each of shape (Q,)."""
        by_run = np.array(weights)[:, None] * self.votes
        total, cast = by_run.sum(axis=0), np.abs(by_run).sum(axis=0)
        tied = np.abs(total) <= NEAR_WEIGHTS * np.maximum(cast, 1e-300)
        if self.ties == "first":
            first = by_run[np.argmax(by_run != 0, axis=0), np.arange(by_run.shape[1])] > 0
        else:
            first = np.full(len(self.labels), self.ties == "Y")
        return np.where(tied, first, total > 0), cast > 0

    def on(self, fold: int, weights: Weights, top: int | None = None) -> FloatArray:
        """Shape (2,); right answers and queries of a fold."""
        chosen = self.fold == fold
        return np.array([self._right(weights)[chosen].sum(), chosen.sum()], dtype=np.float64)

    def worth(self, weights: Weights, without: int | None = None) -> Worth:
        """The accuracy on all queries, or on those outside of a fold."""
        chosen = np.ones(len(self.fold), dtype=np.bool_) if without is None else self.fold != without
        return Worth(float(self._right(weights)[chosen].mean()), None)

    def _right(self, weights: Weights) -> BoolArray:
        label, answered = self.elected(weights)
        right: BoolArray = answered & (label == self.labels)
        return right
