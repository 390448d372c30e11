"""The best threshold of a rule, exactly: one sort, sums up to each value, and the score after each distinct value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune.rules import FAMILIES, Pool, Rule
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
        retrieving = np.nonzero(counts)
        last = pool.start[retrieving[-1]] + counts[retrieving] - 1
        each[..., : self.row.shape[1]][retrieving] += self.up_to[last]
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
    # as they are summed for a mean: the value and 1, or 0 and 0 for one left out
    at_first = of_mean(value(queries, nothing, nothing)).each
    after = of_mean(value(pool.query, pool.running(pool.relevant), pool.rank.astype(np.float64))).each
    before = np.concatenate((np.zeros((1, 2)), after[:-1])) if len(after) else after
    first = pool.rank == 1
    before[first] = at_first[pool.query[first]]
    row = after - before
    up_to = np.empty_like(row)
    for start, end in pairwise(pool.start.tolist()):  # or rounding would hang on other queries
        np.cumsum(row[start:end], axis=0, out=up_to[start:end])
    return Objective(at_first, row, up_to, quotient, True)


#: Scores nearer than this are the same: sums of the same numbers in another order.
NEAR: Final = 1e-12

#: What is tried for floor and cap where both are searched: every threshold is exact, these are a grid.
FLOORS: Final = (0, 1)
CAPS: Final = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50)

_POINTS: Final = 200


class Bounds(NamedTuple):
    """The least and the greatest number of rows a query; None for no bound."""

    floor: int = 0
    cap: int | None = None

    @property
    def always(self) -> int:
        """How many rows a query keeps whatever the threshold is."""
        return self.floor if self.cap is None else min(self.floor, self.cap)


class Sweep:
    """The rows in the order in which a rule of a family takes them up, sorted once for all subsets of queries."""

    def __init__(self, pool: Pool, family: str, objective: Objective) -> None:
        self.pool, self.family, self.objective = pool, family, objective
        value = FAMILIES[family].value(pool)
        self._order = np.argsort(-value, kind="stable").astype(np.int32)
        self._falling, self._query, self._rank = value[self._order], pool.query[self._order], pool.rank[self._order]
        self._rising = -self._falling
        self._cells_of: dict[Sequence[Bounds], tuple[FloatArray, list[tuple[int, int]], IntArray, IntArray]] = {}
        #: shape (Q,); the value of each query's first row
        self._top = value[np.minimum(pool.start[:-1], len(value) - 1)] if len(value) else np.zeros(len(pool.queries))

    def best(self, chosen: BoolArray, bounds: Sequence[Bounds] = (Bounds(),)) -> Rule:
        """The rule with the greatest score on some queries.

        Exact over all thresholds for each of the bounds. Of thresholds with equal scores it is that which keeps fewest
        rows, of bounds with equal scores the first.
        """
        which, last = self._best_ends(np.where(chosen, 0, -1), 2, bounds)
        return self._rule(chosen, bounds[which[1]], float(last[1]))

    def held_out(self, folds: IntArray, bounds: Sequence[Bounds] = (Bounds(),)) -> FloatArray:
        """What each query adds under the rule that ``best`` finds on the queries of all other folds."""
        counts = np.zeros(folds.shape, dtype=np.int64)
        for fold, count in zip(folds, counts, strict=True):
            which, last = self._best_ends(fold, int(fold.max(initial=-1)) + 1, bounds)
            for out, (i, value) in enumerate(zip(which.tolist(), last.tolist(), strict=True)):
                test = fold == out
                count[test] = self.counts(self._rule((fold >= 0) & ~test, bounds[i], value))[test]
        return np.where((folds >= 0)[..., None], self.objective.at(self.pool, counts), 0.0)

    @cached_property
    def _places(self) -> tuple[FloatArray, IntArray]:
        """The values at which some row raises a score, and the least; and the first of these that each row is within.

        No other value is worth a look where only the score of the best threshold is asked for.
        """
        raising = self._falling[self.objective.raises(self._order)]
        places = np.unique(-np.append(raising, self._falling[-1:]))
        of_row = np.empty(len(self._order), dtype=np.int64)
        of_row[self._order] = np.searchsorted(places, -self._falling)
        return places, of_row

    def _best_ends(self, fold: IntArray, n: int, bounds: Sequence[Bounds]) -> tuple[IntArray, FloatArray]:
        """Which bounds have the best score on the queries outside of each fold, and the last value that is kept there.

        Each of shape (n,); ∞ where nothing is kept. Folds of -1 take no part. Sums over queries add: those of each fold
        are formed once, and without a fold are all less its own. So a fold takes no look at its rows.
        """
        which, best, last = np.zeros(n, dtype=np.int64), np.full(n, -np.inf), np.full(n, np.inf)
        places, ends, edges, cell = self._cells(bounds)
        values = np.append(np.inf, -places)
        of_row = fold[self.pool.query]
        takes_part = of_row >= 0
        cell = (of_row * (len(edges) * len(places)) + cell)[takes_part]
        # what all rows of a fold above each band and up to each place add, and then those outside of it
        shape = (n, len(edges), len(places))
        sums = np.zeros((self.objective.row.shape[1], n, len(edges) + 1, len(places)))
        for column, up_to in zip(self.objective.row.T, sums, strict=True):
            adds = np.bincount(cell, weights=column[takes_part], minlength=int(np.prod(shape))).reshape(shape)
            up_to[:, 1:] = (adds.sum(axis=0) - adds).cumsum(axis=2).cumsum(axis=1)
        bases = dict[int, FloatArray]()  # what the rows that are kept in any case add
        for number, (bound, (low, high)) in enumerate(zip(bounds, np.searchsorted(edges, ends).tolist(), strict=True)):
            if bound.always not in bases:
                floor = self._floor(bound)
                bases[bound.always] = np.stack([floor[(fold >= 0) & (fold != out)].sum(axis=0) for out in range(n)], 1)
            summed = np.repeat(bases[bound.always][:, :, None], len(values), axis=2)
            summed[: len(sums), :, 1:] += sums[:, :, high] - sums[:, :, low]
            scores = np.nan_to_num(self.objective.score(np.moveaxis(summed, 0, -1)), nan=-np.inf)
            greatest = scores.max(axis=1)
            better = np.flatnonzero(greatest > best + NEAR)
            if len(better):
                which[better], best[better] = number, greatest[better]
                last[better] = values[np.argmax(scores[better] >= greatest[better, None] - NEAR, axis=1)]
        return which, last

    def _cells(self, bounds: Sequence[Bounds]) -> tuple[FloatArray, list[tuple[int, int]], IntArray, IntArray]:
        """The rows by ranks and values, which are the same for all folds.

        The places of ``_places``; the bounds as ranks; all of these in rising order, as edges; and of shape (N,), the
        band between two edges and the place of each row, as one number.
        """
        if (key := tuple(bounds)) not in self._cells_of:
            places, place = self._places
            ends = [(bound.floor, len(self.pool.scores) if bound.cap is None else bound.cap) for bound in bounds]
            edges = np.unique([0, *sum(ends, ())])
            cell = (np.searchsorted(edges, self.pool.rank) - 1) * len(places) + place
            self._cells_of[key] = (places, ends, edges, cell)
        return self._cells_of[key]

    def _rule(self, chosen: BoolArray, bound: Bounds, last: float) -> Rule:
        """The rule that keeps some queries' rows down to a value: in the middle between this and the next one below."""
        following = self._following(chosen, bound, last)
        if self.family == "k":
            threshold = last if last < np.inf else -float(bound.always)
        elif last < np.inf:
            middle = (last + following) / 2
            threshold = middle if middle > following else last
        else:
            top = self._top[chosen & (self.pool.lengths > 0)].max(initial=0.0)
            threshold = np.nextafter(following if following > -np.inf else top, np.inf)
        # how many are kept is what k says; its bounds have nothing to add
        of_bound = () if self.family == "k" else bound
        return Rule(self.family, FAMILIES[self.family].parameter(float(threshold)), *of_bound)

    def _following(self, chosen: BoolArray, bound: Bounds, last: float) -> float:
        """The greatest value below one among some queries' rows between bounds; -∞ for none."""
        i, step = int(np.searchsorted(self._rising, -last, side="right")), 64
        while i < len(self._rising):
            rows = slice(i, i + step)
            is_chosen = chosen[self._query[rows]] & self._between(bound, rows)
            if is_chosen.any():
                return float(self._falling[i + int(is_chosen.argmax())])
            i, step = i + step, 2 * step
        return -np.inf

    def _between(self, bound: Bounds, rows: slice) -> BoolArray:
        rank = self._rank[rows]
        return np.asarray((rank > bound.floor) & (bound.cap is None or rank <= bound.cap))

    def _floor(self, bound: Bounds) -> FloatArray:
        """What each query adds with the rows that are kept in any case."""
        return self.objective.at(self.pool, np.minimum(bound.always, self.pool.lengths))

    def counts(self, rule: Rule) -> IntArray:
        """How many rows of each query a rule keeps; shape (Q,)."""
        above = np.searchsorted(self._rising, -FAMILIES[self.family].parameter(rule.threshold), side="right")
        kept = np.bincount(self._query[:above], minlength=len(self.pool.queries))
        return np.asarray(np.minimum(np.clip(kept, rule.floor, rule.cap), self.pool.lengths))

    def terms(self, rule: Rule) -> Terms:
        """What each query adds under a rule."""
        return self.objective.terms(self.pool, self.counts(rule))

    def curve(self, chosen: BoolArray, bound: Bounds, points: int = _POINTS) -> list[tuple[float, float]]:
        """The parameter and the score there, from the fewest rows to the most: so many points, and the best one.

        The parameter is the value of the last row that is kept. Where no score can be formed there is no point.
        """
        within = chosen[self._query] & self._between(bound, slice(None))
        rows, values = self._order[within], self._falling[within]
        changes = np.flatnonzero(values[1:] != values[:-1]) + 1
        # how many of these rows each threshold keeps: none, and then down to each distinct value
        ends = np.concatenate(([0], changes, [len(values)] if len(values) else [])).astype(np.int64)
        sums = np.repeat(self._floor(bound)[chosen].sum(axis=0)[None], len(ends), axis=0)
        adds = np.cumsum(self.objective.row[rows], axis=0, dtype=np.float64)
        sums[1:, : adds.shape[1]] += adds[ends[1:] - 1]
        scores = np.nan_to_num(self.objective.score(sums), nan=-np.inf)
        parameter = FAMILIES[self.family].parameter
        evenly = np.linspace(min(1, len(ends) - 1), len(ends) - 1, min(points, len(ends)))
        shown = np.unique(np.append(evenly.astype(np.int64), np.argmax(scores))).tolist()
        return [
            (parameter(float(values[ends[i] - 1])), float(scores[i]))
            for i in shown
            if ends[i] > 0 and np.isfinite(scores[i])
        ]


def all_bounds(floor: int | None, cap: int | None, longest: int) -> tuple[Bounds, ...]:
    """The floors and caps to try, the simplest first."""
    floors = FLOORS if floor is None else (floor,)
    caps = (None, *(bound for bound in CAPS if bound < longest)) if cap is None else (cap,)
    fixed = floor is not None and cap is not None
    # a floor that is the cap is a fixed k
    every = [Bounds(low, high) for high in caps for low in floors if high is None or low < high or fixed]
    return tuple(sorted(every, key=lambda bound: (bound.floor > 0) + (bound.cap is not None)))
