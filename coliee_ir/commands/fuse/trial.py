"""What weights are worth: the measure on the ranks that they give judged documents, summed over folds of queries."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray
from coliee_adapters.records import Answers
from coliee_adapters.remarks import Remarks
from coliee_ir.commands.fuse import votes
from coliee_ir.commands.fuse.methods import Blend
from coliee_ir.judging.judged import FloatArray, Judged
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Terms, quotient
from coliee_ir.measures.sets import MacroF
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.cutting import NEAR, at_cutoffs, is_cut
from coliee_ir.stats.folds import averaged

#: Where a cutoff is fitted, those up to here are tried.
DEEPEST = 500

#: So many bytes of sums are kept.
_REMEMBERED = 1 << 28

Weights = tuple[float, ...]


class Worth(NamedTuple):
    """A score, and the cutoff that gives it; None where none was fitted."""

    score: float
    top: int | None


class Each(NamedTuple):
    """What each query adds under some weights."""

    values: FloatArray  # shape (Q, cutoffs, T); at the cutoffs 1, 2, …, or at none
    score: Callable[[FloatArray], FloatArray]  # sums of shape (…, T) → scores of shape (…)


class Tried(Protocol):
    """What weights are tried on: labelled queries, and runs that rank for them or answer them."""

    cuts: bool  # whether a cutoff is fitted with the weights

    def each(self, weights: Weights) -> Each:
        """What each query adds."""

    def contents(self, run: int) -> bytes:
        """What a run holds, as bytes that do not depend on the order in which runs are given."""


class Trial:
    """Weights tried on labelled queries, each once: a score, at any cutoff, is a formula on the folds' sums."""

    def __init__(self, tried: Tried, fold: IntArray) -> None:
        self.tried = tried
        #: how many folds a repeat has
        self.folds = int(fold.max()) + 1
        self.fold = fold + self.folds * np.arange(len(fold))[:, None]
        every = np.arange(len(fold) * self.folds)
        self._in_fold = (self.fold[every // self.folds] == every[:, None]).astype(np.float64)
        self._sums: dict[Weights, FloatArray] = {}
        self.score: Callable[[FloatArray], FloatArray] = quotient

    def sums(self, weights: Weights) -> FloatArray:
        """Shape (R · folds, cutoffs, T); what the queries of each fold add, at the cutoffs 1, 2, …, or at none."""
        if weights not in self._sums:
            each, self.score = self.tried.each(weights)
            sums = np.tensordot(self._in_fold, each, axes=1)
            if len(self._sums) * sums.nbytes > _REMEMBERED:
                self._sums.clear()
            self._sums[weights] = sums
        return self._sums[weights]

    def worth(self, weights: Weights, without: int | None = None) -> Worth:
        """The score of weights on all queries, or outside of a fold; at the best cutoff where one is fitted."""
        sums = self.sums(weights)
        first = 0 if without is None else without // self.folds * self.folds
        repeat = sums[first : first + self.folds]
        total = repeat.sum(axis=0) if without is None else np.delete(repeat, without - first, axis=0).sum(axis=0)
        scores = np.nan_to_num(self.score(total), nan=-np.inf)
        # of cutoffs that are as good, the least
        best = int(np.argmax(scores >= scores.max() - NEAR))
        return Worth(float(scores[best]), best + 1 if self.tried.cuts else None)

    def held_out(self, of_folds: Sequence[Weights]) -> Terms:
        """What each query adds when it is fused by the weights, and cut where the queries outside of its fold say."""
        parts: dict[int, FloatArray] = {}
        for weights in dict.fromkeys(of_folds):
            each = self.tried.each(weights).values
            for fold in (fold for fold, fitted in enumerate(of_folds) if fitted == weights):
                repeat = fold // self.folds
                among = self.fold[repeat] == fold
                held_out = parts.setdefault(repeat, np.zeros((len(each), each.shape[2])))
                held_out[among] = each[among, (self.worth(weights, fold).top or 1) - 1]
        return averaged([parts[repeat] for repeat in range(len(self.fold))], self.score, is_mean=False)


class Rankings:
    """Rankings by any weights, and a measure on the ranks of the judged documents."""

    def __init__(self, blend: Blend, qrels: Qrels, measure: Measure, decisions: Decisions) -> None:
        self._blend, self._qrels, self._measure, self._decisions = blend, qrels, measure, decisions
        self.cuts = is_cut(measure)
        if isinstance(measure, MacroF) and measure.of == "means" and measure.cutoff is None:
            raise UsageError("unfit-measure", f"{measure} needs a cutoff to fit weights, for example {measure}@5")
        held = blend.held
        self.contents = held.contents
        self.deepest = min(int(held.sizes.max(initial=1)), DEEPEST)
        number = {query: at for at, query in enumerate(qrels.queries)}
        #: shape (candidates' queries,); the number of each in the gold; -1 where it is not judged
        self._number = np.array([number.get(query, -1) for query in held.queries], dtype=np.int64)
        of_candidate = {query: at for at, query in enumerate(held.queries)}
        self._row = np.full(len(qrels.relevance), -1, dtype=np.int64)
        for at, query in enumerate(qrels.queries):
            if query in of_candidate:
                first, last = held.start[of_candidate[query] : of_candidate[query] + 2].tolist()
                row_of = {document: row for row, document in enumerate(held.documents[first:last], start=first)}
                judged = range(int(qrels.start[at]), int(qrels.start[at + 1]))
                self._row[judged.start : judged.stop] = [row_of.get(qrels.documents[row], -1) for row in judged]

    def each(self, weights: Weights) -> Each:
        """What each query adds, at the cutoffs 1, 2, …, or at none."""
        judged = self._judged(weights)
        if not self.cuts:
            terms = self._measure.compute({"documents": judged}, self._decisions).terms
            return Each(terms.each[:, None, :], terms.score)
        at = at_cutoffs(self._measure, judged, self.deepest, self._decisions)
        return Each(at.each, at.score)

    def _judged(self, weights: Weights) -> Judged:
        """Where the judged documents stand."""
        queries, found = len(self._qrels.queries), self._row >= 0
        rank = np.zeros(len(self._row), dtype=np.int64)
        rank[found], is_kept = self._blend.ranks_of(self._row[found], np.array(weights))
        held, known = self._blend.held, self._number >= 0
        retrieved = np.zeros(queries, dtype=np.int64)
        kept = np.bincount(held.query[is_kept], minlength=len(held.queries))
        retrieved[self._number[known]] = kept[known]
        nothing = np.zeros(queries, dtype=np.int64)
        return Judged(self._qrels, rank, retrieved, nothing, retrieved > 0, {}, Remarks())


class Ballots:
    """Votes by any weights on labelled queries, and their accuracy. A run without an answer to a query abstains."""

    cuts = False

    def __init__(self, answers: Sequence[Answers], labels: Mapping[str, bool], ties: str) -> None:
        self._votes = votes.ballots(answers, labels)
        self._labels, self._ties = np.array(list(labels.values()), dtype=np.bool_), ties

    def contents(self, run: int) -> bytes:
        """What a run answers."""
        return bytes(self._votes[run].tobytes())

    def each(self, weights: Weights) -> Each:
        """Whether each query is answered rightly, and 1."""
        is_cast, _, label = votes.decided(self._votes, np.array(weights), self._ties)
        right = is_cast & (label == self._labels)
        return Each(np.stack((right, np.ones_like(right)), axis=-1)[:, None].astype(np.float64), quotient)


#: Shares of the coarse grid, in twentieths; then steps of hundredths around the best.
_COARSE: Final = tuple(at / 20 for at in range(21))
_FINE: Final = tuple(at / 100 for at in range(-4, 5))
_SWEEPS: Final = 20

#: A score must be better by more than this to be better.
_BETTER: Final = 1e-12

#: Weights are rounded to so many digits: those that are written are those that were tried.
_DIGITS: Final = 6


def equal(runs: int) -> Weights:
    """The same weight for each run."""
    return (round(1 / runs, _DIGITS),) * runs


def alone(runs: int, at: int) -> Weights:
    """All weight on one run."""
    return tuple(float(run == at) for run in range(runs))


def climbed(value: Callable[[Weights], float], order: Sequence[int]) -> Weights:
    """The best weights that the search finds, starting from equal ones, which they are never worse than.

    A step gives one run a share t of the weight and the others the rest, in the proportions that they have. Of shares
    that are as good, the nearest to the present one is taken, so that the result is the same on every machine.
    """
    weights = equal(len(order))
    best = value(weights)
    for fine in (False, True):
        for _ in range(_SWEEPS):
            before = best
            for at in order:
                now = weights[at]
                shares = [now + step for step in _FINE] if fine else list(_COARSE)
                tried = [_shared(weights, at, min(max(share, 0.0), 1.0)) for share in shares]
                for other in sorted(dict.fromkeys(tried), key=lambda one: (abs(one[at] - now), one[at])):
                    if (score := value(other)) > best + _BETTER:
                        best, weights = score, other
            if best == before:
                break
    return weights


def _shared(weights: Weights, at: int, share: float) -> Weights:
    """The weights with a share for one run, and the rest for the others in their proportions."""
    rest = math.fsum(weight for run, weight in enumerate(weights) if run != at)
    shared = []
    for run, weight in enumerate(weights):
        part = weight / rest if rest else 1 / (len(weights) - 1)
        shared.append(round(share if run == at else (1 - share) * part, _DIGITS))
    return tuple(shared)
