"""What weights are worth: the measure on the ranks that they give judged documents, summed over folds of queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import Remarks
from coliee_ir.commands.fuse.blend import Blend, Ranked
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


class Trial:
    """Weights tried on labelled queries, each once.

    Everything is a sum: the folds' sums of what their queries add are kept for each weights, and the score on any
    folds, at every cutoff, is a formula on them.
    """

    def __init__(self, blend: Blend, qrels: Qrels, measure: Measure, decisions: Decisions, fold: IntArray) -> None:
        self.blend, self.qrels, self.measure, self.decisions = blend, qrels, measure, decisions
        self.cuts = is_cut(measure)
        if isinstance(measure, MacroF) and measure.of == "means" and measure.cutoff is None:
            raise UsageError("unfit-measure", f"{measure} needs a cutoff to fit weights, for example {measure}@5")
        held = blend.held
        number = {query: at for at, query in enumerate(qrels.queries)}
        #: shape (candidates' queries,); the number of each in the gold; -1 where it is not judged
        self.number = np.array([number.get(query, -1) for query in held.queries], dtype=np.int64)
        of_candidate = {query: at for at, query in enumerate(held.queries)}
        self.row = np.full(len(qrels.relevance), -1, dtype=np.int64)
        for at, query in enumerate(qrels.queries):
            if query in of_candidate:
                first, last = held.start[of_candidate[query]], held.start[of_candidate[query] + 1]
                row_of = {held.documents[row]: row for row in range(int(first), int(last))}
                judged = range(int(qrels.start[at]), int(qrels.start[at + 1]))
                self.row[judged.start : judged.stop] = [row_of.get(qrels.documents[row], -1) for row in judged]
        #: how many folds a repeat has
        self.folds = int(fold.max()) + 1
        self.fold = fold + self.folds * np.arange(len(fold))[:, None]
        every = np.arange(fold.size // fold.shape[1] * self.folds)
        self.in_fold = (self.fold[every // self.folds] == every[:, None]).astype(np.float64)
        self.deepest = min(int(held.sizes.max(initial=1)), DEEPEST)
        self.tried: dict[Weights, FloatArray] = {}
        self.score: Callable[[FloatArray], FloatArray] = quotient

    def ranked(self, weights: Weights) -> Ranked:
        """The candidates as these weights rank them."""
        return self.blend.ranked(np.array(weights))

    def sums(self, weights: Weights) -> FloatArray:
        """Shape (R · folds, cutoffs, T); what the queries of each fold add, at the cutoffs 1, 2, …, or at none."""
        if weights not in self.tried:
            each = self.each(weights)
            shape = (len(self.in_fold), *each.shape[1:])
            sums = (self.in_fold @ each.reshape(len(each), -1)).reshape(shape)
            if len(self.tried) * sums.nbytes > _REMEMBERED:
                self.tried.clear()
            self.tried[weights] = sums
        return self.tried[weights]

    def each(self, weights: Weights) -> FloatArray:
        """Shape (Q, cutoffs, T); what each query adds, at the cutoffs 1, 2, …, or at none."""
        return self._each(self._judged(self.ranked(weights)))

    def held_out(self, of_folds: Sequence[Weights]) -> Terms:
        """What each query adds when it is fused by the weights, and cut where the queries outside of its fold say."""
        parts: list[FloatArray] = []
        for fold, weights in enumerate(of_folds):
            if fold == 0 or weights != of_folds[fold - 1]:
                each = self.each(weights)
            if fold % self.folds == 0:
                parts.append(np.zeros((len(each), each.shape[2])))
            among = self.fold[fold // self.folds] == fold
            parts[-1][among] = each[among, (self.worth(weights, fold).top or 1) - 1]
        return averaged(parts, self.score, is_mean=False)

    def worth(self, weights: Weights, without: int | None = None) -> Worth:
        """The score of weights, at the best cutoff where one is fitted."""
        sums = self.sums(weights)
        first = 0 if without is None else without // self.folds * self.folds
        repeat = sums[first : first + self.folds]
        total = repeat.sum(axis=0) if without is None else np.delete(repeat, without - first, axis=0).sum(axis=0)
        scores = np.nan_to_num(self.score(total), nan=-np.inf)
        # of cutoffs that are as good, the least
        best = int(np.argmax(scores >= scores.max() - NEAR))
        return Worth(float(scores[best]), best + 1 if self.cuts else None)

    def _judged(self, ranked: Ranked) -> Judged:
        """Where the judged documents stand."""
        queries = len(self.qrels.queries)
        found = self.row >= 0
        rank = np.zeros(len(self.row), dtype=np.int64)
        rank[found] = ranked.rank[self.row[found]]
        held, known = self.blend.held, self.number >= 0
        retrieved = np.zeros(queries, dtype=np.int64)
        kept = np.bincount(held.query[ranked.kept], minlength=len(held.queries))
        retrieved[self.number[known]] = kept[known]
        nothing = np.zeros(queries, dtype=np.int64)
        return Judged(self.qrels, rank, retrieved, nothing, retrieved > 0, {}, Remarks())

    def _each(self, judged: Judged) -> FloatArray:
        """Shape (Q, cutoffs, T); what each query adds."""
        if not self.cuts:
            terms = self.measure.compute({"documents": judged}, self.decisions).terms
            self.score = terms.score
            return terms.each[:, None, :]
        at = at_cutoffs(self.measure, judged, self.deepest, self.decisions)
        self.score = at.score
        return at.each
