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


_Small = np.typing.NDArray[np.int32]


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
        at: shape (M,); its place among the rows below.
        row: shape (L,); rows by their places in the pool.
        value: shape (L,); falling.
        base: shape (Q, T); what each query adds with its floor alone.
        part: shape (M,); rows of one part come in together, or nothing is gained between its first and its last.
    """

    query: _Small
    at: _Small
    row: _Small
    value: FloatArray
    base: FloatArray
    part: _Small


class _Scored(NamedTuple):
    """The score at each place where a threshold can lie.

    Attributes:
        values: shape (M,); the values of the rows of the chosen queries, falling.
        ends: shape (E,); after how many rows a threshold can lie: where the value changes, and at both ends.
        scores: shape (E,); -∞ where no query is left to form a score from.
        following: the greatest value of the rows behind these; -∞ if there is none.
    """

    values: FloatArray
    ends: IntArray
    scores: FloatArray
    following: float


class Sweep:
    """The rows in the order in which a rule of a family takes them up, sorted once for all subsets of queries.

    Behind the last row that can raise a score no threshold is best: only the rows up to there are kept, with what a
    row may have the same value as. In most rankings they are few, and they are what memory and time go by.

    Args:
        pool: the rankings.
        family: one of ``FAMILIES``.
        objective: what is maximised.
    """

    def __init__(self, pool: Pool, family: str, objective: Objective) -> None:
        self.pool, self.family, self.objective = pool, family, objective
        self._fixed = FAMILIES[family].fixed
        value = self._value()
        order = np.argsort(-value, kind="stable")
        # it adds to the first sum, or takes from the second, of which there are two in a mean
        self._raises = (objective.row[:, 0] > 0) | (objective.row[:, 1] < 0)
        n = self._useful(value, order)
        self._order: _Small = order[:n].astype(np.int32)
        self._falling = value[self._order]
        #: shape (Q,); how many of each query's rows these are
        self._n_used = np.bincount(pool.query[self._order], minlength=len(pool.queries))
        self._following = float(value[order[n]]) if n < len(order) else -np.inf
        self._top = value[np.minimum(pool.start[:-1], len(value) - 1)] if len(value) else np.zeros(len(pool.queries))
        self._rows: dict[Bounds, _Rows] = {}
        self._behind: dict[int, FloatArray] = {}
        self._unbounded: dict[bytes, Fit] = {}

    def _value(self) -> FloatArray:
        """Shape (N,); computed again where it is seldom needed."""
        return FAMILIES[self.family].value(self.pool)

    def _useful(self, value: FloatArray, order: IntArray) -> int:
        """How many rows there are up to the last one that can raise a score, with those that have its value."""
        if self._fixed is not None:
            return int(np.count_nonzero(value >= self._fixed))
        at = np.flatnonzero(self._raises[order])
        return int(np.count_nonzero(value >= value[order[at[-1]]])) if len(at) else 0

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
        rows = self._between(bound)
        if self._fixed is None and bound != Bounds():
            taken = np.flatnonzero(chosen[rows.query])
            part, row = rows.part[taken], rows.row[rows.at[taken]]
            sums = np.empty((int(rows.part.max(initial=-1)) + 2, rows.base.shape[1]))
            sums[:] = rows.base[chosen].sum(axis=0)
            for column in range(self.objective.row.shape[1]):
                adds = np.bincount(part, weights=self.objective.row[row, column], minlength=len(sums) - 1)
                sums[1:, column] += np.cumsum(adds)
            scores = self.objective.score(sums)
            if (known := ~np.isnan(scores)).any():
                return float(np.max(scores, where=known, initial=-np.inf))
        score = self._best(chosen, bound).score
        return -np.inf if np.isnan(score) else score

    def _best(self, chosen: BoolArray, bound: Bounds) -> Fit:
        if bound != Bounds():
            return self._fit(chosen, bound)
        key = chosen.tobytes()  # what is tried without bounds and with them
        if key not in self._unbounded:
            self._unbounded[key] = self._fit(chosen, bound)
        return self._unbounded[key]

    def _fit(self, chosen: BoolArray, bound: Bounds) -> Fit:
        found = self._scored(chosen, bound)
        if self._fixed is None:
            at = int(np.argmax(found.scores >= found.scores.max() - NEAR))
            threshold = self._threshold(found.values, int(found.ends[at]), chosen, bound, found.following)
        else:
            at = int(np.searchsorted(found.ends, np.count_nonzero(found.values >= self._fixed)))
            threshold = self._fixed
        score = float(found.scores[at])
        # how many are kept is what k says; its bounds have nothing to add
        parameter = FAMILIES[self.family].parameter(threshold)
        rule = Rule(self.family, parameter, *(bound if self.family != "k" else Bounds()))
        return Fit(rule, score if score > -np.inf else float("nan"))

    def _scored(self, chosen: BoolArray, bound: Bounds) -> _Scored:
        found = self._scored_on(self._between(bound), chosen)
        if np.isneginf(found.scores).all():  # some row may give the first score that there is
            return self._scored_on(self._all_between(bound), chosen, everywhere=True)
        return found._replace(following=self._next(chosen, bound))

    def _scored_on(self, rows: _Rows, chosen: BoolArray, *, everywhere: bool = False) -> _Scored:
        """The scores where they can be the greatest, which is behind a row that can raise them; or everywhere."""
        at = rows.at[chosen[rows.query]]
        values, row = rows.value[at], rows.row[at]
        changes = np.flatnonzero(values[1:] != values[:-1]) + 1
        ends = np.concatenate(([0], changes, [len(values)] if len(values) else [])).astype(np.int64)
        if not everywhere and self._fixed is None:
            behind = np.searchsorted(ends, np.flatnonzero(self._raises[row]) + 1)
            ends = ends[np.unique(np.append(behind, 0))]
        sums = np.tile(rows.base[chosen].sum(axis=0), (len(ends), 1))
        for column in range(self.objective.row.shape[1]):
            sums[1:, column] += np.cumsum(self.objective.row[row, column])[ends[1:] - 1]
        return _Scored(values, ends, np.nan_to_num(self.objective.score(sums), nan=-np.inf), -np.inf)

    def _between(self, bound: Bounds) -> _Rows:
        """The useful rows between a floor and a cap; kept for the next subset of queries."""
        if bound not in self._rows:
            self._rows[bound] = self._within(self._order, self._falling, bound)
        return self._rows[bound]

    def _all_between(self, bound: Bounds) -> _Rows:
        """All rows between a floor and a cap."""
        value = self._value()
        order: _Small = np.argsort(-value, kind="stable").astype(np.int32)
        return self._within(order, value[order], bound)

    def _within(self, order: _Small, falling: FloatArray, bound: Bounds) -> _Rows:
        base = self.objective.of_rows(self.pool, self._floor(bound)).each if bound.floor else self.objective.base
        rank = self.pool.rank[order]
        within = rank > bound.floor
        if bound.cap is not None:
            within &= rank <= bound.cap
        at: _Small = np.flatnonzero(within).astype(np.int32)
        value, row = falling[at], order[at]
        part = np.cumsum(np.diff(value, prepend=value[:1]) != 0)
        if len(part):
            gains = np.bincount(part, weights=self._raises[row]) > 0
            part = (np.cumsum(gains) - gains)[part]
        query: _Small = self.pool.query[row].astype(np.int32)
        return _Rows(query, at, order, falling, base, part.astype(np.int32))

    def _floor(self, bound: Bounds) -> IntArray:
        """The rows that are kept in any case."""
        if not bound.floor:
            return np.zeros(0, dtype=np.int64)
        cap = bound.floor if bound.cap is None else bound.cap
        return np.flatnonzero(self.pool.rank <= min(bound.floor, cap))

    def _next(self, chosen: BoolArray, bound: Bounds) -> float:
        """The greatest value of the chosen queries' rows between the bounds that are behind the useful ones."""
        if self._following == -np.inf:
            return -np.inf
        first = np.maximum(self._n_used, bound.floor)
        there = chosen & (first < self.pool.lengths)
        if bound.cap is not None:
            there &= first < bound.cap
        if bound.floor not in self._behind:
            last = len(self.pool.scores) - 1
            self._behind[bound.floor] = self._value()[np.minimum(self.pool.start[:-1] + first, last)]
        return float(self._behind[bound.floor][there].max(initial=-np.inf))

    def _threshold(
        self, values: FloatArray, kept: int, chosen: BoolArray, bound: Bounds, following: float = -np.inf
    ) -> float:
        """A threshold that keeps the first so many rows: between two values, so that rows like them are told apart."""
        if self.family == "k":
            return float(values[kept - 1]) if kept else -float(min(bound.floor, bound.cap or bound.floor))
        following = float(values[kept]) if kept < len(values) else following
        if kept == 0:
            tops = self._top[chosen & (self.pool.lengths > 0)]
            return float(np.nextafter(following if following > -np.inf else tops.max(initial=0.0), np.inf))
        if following == -np.inf:
            return float(values[kept - 1])
        middle = (float(values[kept - 1]) + following) / 2
        return middle if middle > following else float(values[kept - 1])

    def terms(self, rule: Rule) -> Terms:
        """What each query adds under a rule."""
        threshold = FAMILIES[self.family].parameter(rule.threshold)
        if threshold <= self._following:  # further rows are kept
            return self.objective.terms(self.pool, rule.keeps(self.pool))
        kept: IntArray = self._order[: np.count_nonzero(self._falling >= threshold)].astype(np.int64)
        rank = self.pool.rank[kept]
        within = rank > rule.floor
        if rule.cap is not None:
            within &= rank <= rule.cap
        # a query's rows in the order of their ranks, by which the last bits of sums go
        rows = np.concatenate((self._floor(Bounds(rule.floor, rule.cap)), kept[within]))
        return self.objective.of_rows(self.pool, rows)

    def curve(self, chosen: BoolArray, bound: Bounds, points: int = _POINTS) -> list[tuple[float, float]]:
        """The parameter and the score there, from the fewest rows to the most: so many points, and the best one.

        The parameter is the value of the last row that is kept. Where no score can be formed there is no point, and a
        rule without a parameter has none.
        """
        if FAMILIES[self.family].fixed is not None:
            return []
        values, ends, scores, _ = self._scored_on(self._all_between(bound), chosen, everywhere=True)
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
