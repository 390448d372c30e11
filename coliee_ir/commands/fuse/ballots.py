"""What weights of a vote on answers are worth: the accuracy, summed over folds of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_adapters.records import Answers
from coliee_ir.commands.fuse.trial import Weights, Worth
from coliee_ir.commands.fuse.votes import NEAR_WEIGHTS
from coliee_ir.judging.judged import BoolArray
from coliee_ir.measures.base import Terms, quotient
from coliee_ir.stats.folds import averaged


class Ballots:
    """Weights of a vote, tried on labelled queries. A run without an answer to a query abstains."""

    def __init__(self, answers: Sequence[Answers], labels: Mapping[str, bool], ties: str, fold: IntArray) -> None:
        sign = {True: 1.0, False: -1.0, None: 0.0}
        #: shape (n, Q); 1 for Y, -1 for N, 0 for no answer
        self.votes = np.array([[sign[run.labels.get(query)] for query in labels] for run in answers])
        self.labels = np.array(list(labels.values()), dtype=np.bool_)
        self.ties = ties
        #: how many folds a repeat has
        self.folds = int(fold.max()) + 1
        self.fold = fold + self.folds * np.arange(len(fold))[:, None]
        self.score = quotient

    def contents(self, run: int) -> bytes:
        """What a run answers, as bytes that do not depend on the order in which runs are given."""
        return bytes(self.votes[run].tobytes())

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

    def held_out(self, of_folds: Sequence[Weights]) -> Terms:
        """What each query adds to the accuracy when it is answered by the weights of its fold."""
        right = [self._right(weights) for weights in of_folds]
        parts = [
            np.column_stack((np.choose(fold - self.folds * at, right[self.folds * at : self.folds * (at + 1)]), ones))
            for at, (fold, ones) in enumerate(zip(self.fold, np.ones_like(self.fold), strict=True))
        ]
        return averaged([part.astype(np.float64) for part in parts], self.score, is_mean=False)

    def worth(self, weights: Weights, without: int | None = None) -> Worth:
        """The accuracy on all queries, or on those outside of a fold, of all folds of all repeats."""
        everyone = np.ones(len(self.labels), dtype=np.bool_)
        chosen = everyone if without is None else self.fold[without // self.folds] != without
        return Worth(float(self._right(weights)[chosen].mean()), None)

    def _right(self, weights: Weights) -> BoolArray:
        label, answered = self.elected(weights)
        right: BoolArray = answered & (label == self.labels)
        return right
