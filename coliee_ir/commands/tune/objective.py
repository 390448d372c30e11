"""What is maximised, as sums: what a query adds with nothing retrieved, and what each further row adds to that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Terms, of_mean, quotient
from coliee_ir.measures.labels import Accuracy
from coliee_ir.measures.sets import Macro, MacroF, Micro, topic_wise
from coliee_ir.rules.decisions import Decisions

#: query numbers, correct and retrieved documents → values
Value = Callable[[IntArray, FloatArray, FloatArray], FloatArray]


class Objective(NamedTuple):
    """A score of cut rankings."""

    base: FloatArray  # shape (Q, T); what each query adds with nothing retrieved
    # shape (N, 2); what a row adds to the first two columns when it is kept together with all rows above it, as numbers
    # of any kind. To the others no row adds anything
    row: npt.NDArray[Any]
    up_to: npt.NDArray[Any]  # shape (N, 2); what a row and those above it in its query add together
    score: Callable[[FloatArray], FloatArray]  # sums of shape (…, T) → scores of shape (…)
    is_mean: bool  # whether the score is a mean over queries

    def raises(self, rows: npt.NDArray[np.integer[Any]] | slice) -> BoolArray:
        """Whether each of some rows can raise the score: it adds to the first sum, or changes a mean's second."""
        row = self.row[rows]
        return np.asarray((row[:, 0] > 0) | (self.is_mean & (row[:, 1] != 0)))

    def at(self, pool: Pool, counts: IntArray) -> FloatArray:
        """What each query adds where so many of its rows are kept: shape (…, Q) → (…, Q, T)."""
        each = np.broadcast_to(self.base, (*counts.shape, self.base.shape[1])).copy()
        some = np.nonzero(counts)
        each[..., : self.row.shape[1]][some] += self.up_to[pool.start[some[-1]] + counts[some] - 1]
        return each

    def terms(self, pool: Pool, counts: IntArray) -> Terms:
        """The same, as what is summed."""
        each = self.at(pool, counts)
        return Terms(each, self.score, np.zeros(each.shape[1]), self.is_mean)


def objective(
    measure: Measure,
    pool: Pool,
    decisions: Decisions,
    right: Mapping[str, bool] | None = None,
) -> Objective:
    """The sums of a measure on a pool."""
    if isinstance(measure, Micro) and measure.cutoff is None:
        nothing = np.zeros(len(pool.queries))
        base = np.column_stack((nothing, nothing, pool.wanted)).astype(np.float64)
        row = np.column_stack((pool.relevant, np.ones(len(pool.scores), dtype=np.bool_)))
        up_to = np.empty((len(pool.scores), 2), dtype=np.int32)
        up_to[:, 0], up_to[:, 1] = pool.running(pool.relevant), pool.rank
        return Objective(base, row, up_to, measure.of_sums, False)
    return _of_values(pool, _value(measure, pool, decisions, right))


def _value(measure: Measure, pool: Pool, decisions: Decisions, right: Mapping[str, bool] | None) -> Value:
    """The value of a query with so many correct and retrieved documents."""
    if isinstance(measure, Accuracy) and right is not None:
        is_right = np.array([right.get(query, False) for query in pool.queries], dtype=np.bool_)

        def sufficient(query: IntArray, correct: FloatArray, retrieved: FloatArray) -> FloatArray:
            each = (is_right[query] & (correct >= pool.wanted[query])).astype(np.float64)
            if decisions.without_articles != "sufficient":
                each[pool.wanted[query] == 0] = 0.0 if decisions.without_articles == "wrong" else np.nan
            return each

        return sufficient
    of_means = isinstance(measure, MacroF) and measure.of == "means"
    if isinstance(measure, Micro | Macro) and measure.cutoff is None and not of_means:

        def topical(query: IntArray, correct: FloatArray, retrieved: FloatArray) -> FloatArray:
            wanted = pool.wanted[query].astype(np.float64)
            each = measure.of_sums(np.column_stack((correct, retrieved, wanted)))
            if isinstance(measure, Micro):
                return each
            return topic_wise(each, wanted == 0, retrieved == 0, measure.letter, decisions)

        return topical
    raise UsageError(
        "unfit-measure",
        f"{measure} cannot be maximised over cutoffs; use one of MicroP, MicroR, MicroF, MacroP, MacroR, MacroF, "
        "without @k, or Accuracy where articles belong to the answers (Task 3 from 2026)",
    )


def _of_values(pool: Pool, value: Value) -> Objective:
    """The mean over queries of a value of the documents kept so far."""
    queries = np.arange(len(pool.queries))
    nothing = np.zeros(len(queries))
    at_first = _kept(value(queries, nothing, nothing))
    after = _kept(value(pool.query, pool.running(pool.relevant), pool.rank.astype(np.float64)))
    before = np.concatenate((np.zeros((1, 2)), after[:-1])) if len(after) else after
    first = pool.rank == 1
    before[first] = at_first[pool.query[first]]
    row = after - before
    up_to = np.empty_like(row)
    for start, end in pairwise(pool.start.tolist()):  # or rounding would hang on other queries
        np.cumsum(row[start:end], axis=0, out=up_to[start:end])
    return Objective(at_first, row, up_to, quotient, True)


def _kept(values: FloatArray) -> FloatArray:
    """Values as they are summed for a mean: the value and 1, or 0 and 0 for one left out."""
    return of_mean(values).each
