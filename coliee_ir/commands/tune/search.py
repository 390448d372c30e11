"""The best threshold of a rule, exactly: one sort, cumulative sums, and the score after each distinct value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune.objective import Objective
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.commands.tune.rules import FAMILIES, Rule
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Terms

#: Scores nearer than this are the same: sums of the same numbers in another order.
NEAR: Final = 1e-12

#: What is tried for floor and cap where both are searched: every threshold is exact, these are a grid.
FLOORS: Final = (0, 1)
CAPS: Final = (1, 2, 3, 5, 8, 10, 15, 20, 30, 50)

_POINTS: Final = 200


class Fit(NamedTuple):
    """A rule and its score on the queries that it was fitted to; NaN where no query is left to form one from."""

    rule: Rule
    score: float


class Bounds(NamedTuple):
    """The least and the greatest number of rows a query; None for no bound."""

    floor: int = 0
    cap: int | None = None


class _Rows(NamedTuple):
    """The rows that a threshold decides on between given bounds, those that come in first at the beginning.

    Attributes:
        query: shape (M,); the number of each row's query.
        value: shape (M,); falling.
        adds: shape (M, R); what each row adds.
        base: shape (Q, T); what each query adds with its floor alone.
        part: shape (M,); rows of one part come in together, or nothing is gained between its first and its last.
    """

    query: np.typing.NDArray[np.int32]
    value: FloatArray
    adds: FloatArray
    base: FloatArray
    part: IntArray


class _Scored(NamedTuple):
    """The score at each place where a threshold can lie.

    Attributes:
        values: shape (M,); the values of the rows of the chosen queries, falling.
        ends: shape (E,); after how many rows a threshold can lie: where the value changes, and at both ends.
        scores: shape (E,); -∞ where no query is left to form a score from.
    """

    values: FloatArray
    ends: IntArray
    scores: FloatArray


class Sweep:
    """The rows in the order in which a rule of a family takes them up, sorted once for all subsets of queries.

    Args:
        pool: the rankings.
        family: one of ``FAMILIES``.
        objective: what is maximised.
    """

    def __init__(self, pool: Pool, family: str, objective: Objective) -> None:
        self.pool, self.family, self.objective = pool, family, objective
        self.value = FAMILIES[family].value(pool)
        self.order = np.argsort(-self.value, kind="stable")
        self._rows: dict[Bounds, _Rows] = {}
        self._fixed = FAMILIES[family].fixed

    def best(self, chosen: BoolArray, bounds: Sequence[Bounds] = (Bounds(),)) -> Fit:
        """The rule with the greatest score on some queries.

        Exact over all thresholds for each of the bounds. Of thresholds with equal scores it is that which keeps fewest
        rows, of bounds with equal scores the first.

        Args:
            chosen: shape (Q,); the queries.
            bounds: floors and caps to try, the simplest first.
        """
        best, score = bounds[0], -np.inf
        for bound in bounds if len(bounds) > 1 else ():
            if (reached := self._greatest(chosen, bound)) > score + NEAR:
                best, score = bound, reached
        return self._best(chosen, best)

    def _greatest(self, chosen: BoolArray, bound: Bounds) -> float:
        """The score of ``_best``, for less: rows are summed part by part."""
        if self._fixed is not None:
            score = self._best(chosen, bound).score
            return -np.inf if np.isnan(score) else score
        rows = self._between(bound)
        taken = chosen[rows.query]
        sums = np.empty((int(rows.part.max(initial=-1)) + 2, rows.base.shape[1]))
        sums[:] = rows.base[chosen].sum(axis=0)
        for column in range(rows.adds.shape[1]):
            sums[1:, column] += np.cumsum(np.bincount(rows.part, weights=rows.adds[:, column] * taken))
        scores = self.objective.score(sums)
        return float(np.max(scores, where=~np.isnan(scores), initial=-np.inf))

    def _best(self, chosen: BoolArray, bound: Bounds) -> Fit:
        found = self._scored(chosen, bound)
        if self._fixed is None:
            at = int(np.argmax(found.scores >= found.scores.max() - NEAR))
            threshold = self._threshold(found.values, int(found.ends[at]), chosen, bound)
        else:
            at = int(np.searchsorted(found.ends, np.count_nonzero(found.values >= self._fixed)))
            threshold = self._fixed
        score = float(found.scores[at])
        # how many are kept is what k says; its bounds have nothing to add
        parameter = FAMILIES[self.family].parameter(threshold)
        rule = Rule(self.family, parameter, *(bound if self.family != "k" else Bounds()))
        return Fit(rule, score if score > -np.inf else float("nan"))

    def _scored(self, chosen: BoolArray, bound: Bounds) -> _Scored:
        rows = self._between(bound)
        taken = np.flatnonzero(chosen[rows.query])
        values = rows.value[taken]
        changes = np.flatnonzero(values[1:] != values[:-1]) + 1
        ends = np.concatenate(([0], changes, [len(values)] if len(values) else [])).astype(np.int64)
        sums = np.empty((len(ends), rows.base.shape[1]))
        sums[:] = rows.base[chosen].sum(axis=0)
        sums[1:, : rows.adds.shape[1]] += np.cumsum(rows.adds[taken], axis=0)[ends[1:] - 1]
        scores = self.objective.score(sums)
        scores[np.isnan(scores)] = -np.inf
        return _Scored(values, ends, scores)

    def _between(self, bound: Bounds) -> _Rows:
        """The rows between a floor and a cap; kept for the next subset of queries."""
        if bound not in self._rows:
            rank = self.pool.rank[self.order]
            within = rank > bound.floor
            floor = self.pool.rank <= bound.floor
            if bound.cap is not None:
                within &= rank <= bound.cap
                floor &= self.pool.rank <= bound.cap
            order = self.order[within]
            value = self.value[order]
            part = np.cumsum(np.diff(value, prepend=value[:1]) != 0)
            if self.objective.needs_relevant and len(part):
                gains = np.bincount(part, weights=self.pool.relevant[order]) > 0
                part = (np.cumsum(gains) - gains)[part]
            self._rows[bound] = _Rows(
                self.pool.query[order].astype(np.int32),
                value,
                self.objective.row[order],
                self.objective.terms(self.pool, floor).each if bound.floor else self.objective.base,
                part,
            )
        return self._rows[bound]

    def _threshold(self, values: FloatArray, kept: int, chosen: BoolArray, bound: Bounds) -> float:
        """A threshold that keeps the first so many rows: between two values, so that rows like them are told apart."""
        if self.family == "k":
            return float(values[kept - 1]) if kept else -float(min(bound.floor, bound.cap or bound.floor))
        if kept == len(values) and kept:
            return float(values[kept - 1])
        if kept == 0:
            tops = self.value[self.pool.start[:-1][chosen & (self.pool.lengths > 0)]]
            return float(np.nextafter(values[0] if len(values) else tops.max(initial=0.0), np.inf))
        middle = (values[kept - 1] + values[kept]) / 2
        return float(middle if middle > values[kept] else values[kept - 1])

    def keeps(self, rule: Rule) -> BoolArray:
        """Which rows a rule of this family keeps; shape (N,)."""
        return rule.keeps_of(self.pool, self.value)

    def terms(self, rule: Rule) -> Terms:
        """What each query adds under a rule."""
        return self.objective.terms(self.pool, self.keeps(rule))

    def curve(self, chosen: BoolArray, bound: Bounds, points: int = _POINTS) -> list[tuple[float, float]]:
        """The parameter and the score there, from the fewest rows to the most: so many points, and the best one.

        The parameter is the value of the last row that is kept. Where no score can be formed there is no point, and a
        rule without a parameter has none.
        """
        if FAMILIES[self.family].fixed is not None:
            return []
        values, ends, scores = self._scored(chosen, bound)
        parameter = FAMILIES[self.family].parameter
        some = np.linspace(min(1, len(ends) - 1), len(ends) - 1, min(points, len(ends)))
        shown = np.unique(np.append(some.astype(np.int64), np.argmax(scores)))
        shown = shown[(ends[shown] > 0) & np.isfinite(scores[shown])]
        return [(parameter(float(values[ends[at] - 1])), float(scores[at])) for at in shown.tolist()]


def all_bounds(floor: int | None, cap: int | None, longest: int) -> tuple[Bounds, ...]:
    """The floors and caps to try, the simplest first.

    Args:
        floor: the floor, if it is fixed.
        cap: the cap, if it is fixed.
        longest: the length of the longest ranking; a greater cap changes nothing.
    """
    floors = FLOORS if floor is None else (floor,)
    caps = (None, *(bound for bound in CAPS if bound < longest)) if cap is None else (cap,)
    fixed = floor is not None and cap is not None
    # a floor that is the cap is a fixed k
    every = [Bounds(low, high) for high in caps for low in floors if high is None or low < high or fixed]
    return tuple(sorted(every, key=lambda bound: (bound.floor > 0) + (bound.cap is not None)))
