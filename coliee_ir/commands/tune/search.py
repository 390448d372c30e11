"""The best threshold of a rule, exactly: one sort, sums up to each value, and the score after each distinct value.

Sums over queries add: those of each fold are formed once, and what chooses without a fold is all others' less its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from coliee_adapters.classes import NamedTuple
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

#: How many sums are held at a time; the folds that are more are taken in turns.
_SUMS: Final = 1 << 20

#: How many scores of all rows are formed at a time.
_PIECE: Final = 1 << 17

#: How many rows are looked at first for the next one of some queries; then twice as many, and so on.
_NEXT: Final = 64

#: The place of a threshold that is to be found among all rows.
_ANYWHERE: Final = -2

_Small = np.typing.NDArray[np.int32]


class Fit(NamedTuple):
    """A rule and its score on the queries that it was fitted to; NaN where no query is left to form one from."""

    rule: Rule
    score: float


class Bounds(NamedTuple):
    """The least and the greatest number of rows a query; None for no bound."""

    floor: int = 0
    cap: int | None = None

    @property
    def always(self) -> int:
        """How many rows a query keeps whatever the threshold is."""
        return self.floor if self.cap is None else min(self.floor, self.cap)


class _Column(NamedTuple):
    """What adds to a sum, where that is not 0: rows of one query, place and band of ranks taken together.

    Attributes:
        query: shape (C,); the number of the query.
        cell: shape (C,); the number of the band times that of places, and the place.
        adds: shape (C,).
    """

    query: _Small
    cell: IntArray
    adds: FloatArray


class _Cells(NamedTuple):
    """The rows in bands of ranks, at whose edges floors and caps are.

    Attributes:
        edges: the ranks with which bands end, from 0; the last band has no end.
        columns: of each sum that rows add to; the last counts those that raise a score.
        places: bound → the places that can be best.
        bands: bound → the first of its bands, and the one behind the last.
    """

    edges: IntArray
    columns: tuple[_Column, ...]
    places: dict[Bounds, IntArray]
    bands: dict[Bounds, tuple[int, int]]


class _Choice(NamedTuple):
    """The best of some bounds, and its place: -1 before all rows, or ``_ANYWHERE``."""

    bound: Bounds
    place: int


class Sweep:
    """The rows in the order in which a rule of a family takes them up, sorted once for all subsets of queries.

    Behind the last row that can raise a score no threshold is best: only the rows up to there are kept, with what a
    row may have the same value as. In most rankings they are few, and they are what memory and time go by. Of their
    values, those of which some row raises a score are the places where a threshold can be best.

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
        n = self._useful(value, order)
        self._order: _Small = order[:n].astype(np.int32)
        #: shape (M,); the values, which fall, with the sign turned, so that they can be searched
        self._rising = -value[self._order]
        #: shape (Q,); how many of each query's rows these are
        self._n_used = np.bincount(pool.query[self._order], minlength=len(pool.queries))
        self._following = float(value[order[n]]) if n < len(order) else -np.inf
        self._top = value[np.minimum(pool.start[:-1], len(value) - 1)] if len(value) else np.zeros(len(pool.queries))
        #: shape (P,); how many rows there are up to each place
        self._ends = self._all_ends()
        #: shape (M,); when each row comes in, query by query as numbers that rise; and where those of a query begin
        kind = np.min_scalar_type(-(len(pool.queries) + 1) * (n + 1))
        self._first_key = (np.arange(len(pool.queries)) * (n + 1)).astype(kind)
        self._reached = self._first_key[pool.query[self._order]] + np.arange(n, dtype=kind)
        self._reached.sort()
        self._cells: dict[tuple[Bounds, ...], _Cells] = {}
        self._rows: dict[Bounds, _Small] = {}
        self._behind: dict[int, FloatArray] = {}
        self._floors: dict[int, FloatArray] = {0: objective.base}

    def _value(self) -> FloatArray:
        """Shape (N,); computed again where it is seldom needed."""
        return FAMILIES[self.family].value(self.pool)

    def _useful(self, value: FloatArray, order: IntArray) -> int:
        """How many rows there are up to the last one that can raise a score, with those that have its value."""
        if self._fixed is not None:
            return int(np.count_nonzero(value >= self._fixed))
        at = np.flatnonzero(self.objective.raises[order])
        return int(np.count_nonzero(value >= value[order[at[-1]]])) if len(at) else 0

    def _all_ends(self) -> IntArray:
        n = len(self._order)
        if self._fixed is not None or not n:
            return np.full(min(n, 1), n)
        ends = np.append(np.flatnonzero(self._rising[1:] != self._rising[:-1]) + 1, n)  # of equal values
        raised = np.cumsum(self.objective.raises[self._order])[ends - 1]
        return np.asarray(ends[np.diff(raised, prepend=0) > 0])

    def best(self, chosen: BoolArray, bounds: Sequence[Bounds] = (Bounds(),)) -> Fit:
        """The rule with the greatest score on some queries.

        Exact over all thresholds for each of the bounds. Of thresholds with equal scores it is that which keeps fewest
        rows, of bounds with equal scores the first.

        Args:
            chosen: shape (Q,); the queries.
            bounds: floors and caps to try, the simplest first.
        """
        # all of them are in the first of two folds, and the second is left out
        (choice,) = self._choices(np.where(chosen, 0, -1), tuple(bounds), np.array([1]))
        if choice.place == _ANYWHERE:
            return self._among_all(chosen, choice.bound)
        rows = self._rows_of(choice.bound)
        kept = self._order[rows[: np.searchsorted(rows, self._end(choice.place))]]
        kept = kept[chosen[self.pool.query[kept]]]
        sums = self._floor(choice.bound.always)[chosen].sum(axis=0)
        if len(kept):  # one row after the other, by which the last bits of a score go
            sums[: self.objective.row.shape[1]] += np.cumsum(self.objective.row[kept], axis=0)[-1]
        return Fit(self._rule(choice, chosen), float(self.objective.score(sums)))

    def without_each(self, fold: IntArray, bounds: Sequence[Bounds] = (Bounds(),)) -> list[Rule]:
        """For each fold the rule that ``best`` finds on the queries of all others.

        Args:
            fold: shape (Q,); the fold of each query, from 0; -1 for those that do not take part.
            bounds: floors and caps to try, the simplest first.
        """
        n_folds = int(fold.max(initial=-1)) + 1
        cells = self._cells_of(tuple(bounds))
        step = max(1, _SUMS // max(1, (len(cells.edges) + 1) * len(self._ends)))
        rules = []
        for first in range(0, n_folds, step):
            some = np.arange(first, min(first + step, n_folds))
            for number, choice in zip(some.tolist(), self._choices(fold, tuple(bounds), some), strict=True):
                chosen = (fold >= 0) & (fold != number)
                anywhere = choice.place == _ANYWHERE
                rules.append(self._among_all(chosen, choice.bound).rule if anywhere else self._rule(choice, chosen))
        return rules

    def held_out(self, fold: IntArray, bounds: Sequence[Bounds] = (Bounds(),)) -> FloatArray:
        """What each query adds under the rule that was fitted without its fold; shape (Q, T), 0 outside of all folds.

        Args:
            fold: as for ``without_each``.
            bounds: as there.
        """
        counts = np.zeros(len(fold), dtype=np.int64)
        for number, rule in enumerate(self.without_each(fold, bounds)):
            test = np.flatnonzero(fold == number)
            counts[test] = self.counts(rule, test)
        return np.where((fold >= 0)[:, None], self.objective.at(self.pool, counts), 0.0)

    def _choices(self, fold: IntArray, bounds: tuple[Bounds, ...], some: IntArray) -> list[_Choice]:
        """The best choices of the queries of all folds but one, for each of some neighbouring folds."""
        cells = self._cells_of(bounds)
        # 0: does not take part; 1: does, in a fold that is not among these
        label = np.where(fold < 0, 0, 1)
        left = (fold >= some[0]) & (fold <= some[-1])
        label[left] = fold[left] - some[0] + 2
        sums = self._sums(cells, label, len(some))
        floors = {always: self._without(self._floor(always), label, len(some)) for always in {b.always for b in bounds}}
        best = np.full(len(some), -np.inf)
        which, place = np.zeros((2, len(some)), dtype=np.int64)
        for number, bound in enumerate(bounds):
            scores = self._scores(cells, sums, floors[bound.always], bound)
            if self._fixed is None:
                greatest = scores.max(axis=1)
                at = np.argmax(scores >= greatest[:, None] - NEAR, axis=1)
            else:
                greatest, at = scores[:, -1].copy(), np.full(len(some), scores.shape[1] - 1)
            at = np.append(cells.places[bound], -1)[at - 1]
            for lost in np.flatnonzero(np.isneginf(greatest)).tolist():
                score = self._among_all((fold >= 0) & (fold != some[lost]), bound).score
                greatest[lost], at[lost] = -np.inf if np.isnan(score) else score, _ANYWHERE
            better = greatest > best + NEAR
            best[better], which[better], place[better] = greatest[better], number, at[better]
        place[np.isneginf(best)] = _ANYWHERE
        return [_Choice(bounds[w], p) for w, p in zip(which.tolist(), place.tolist(), strict=True)]

    def _scores(self, cells: _Cells, sums: Sequence[FloatArray], base: FloatArray, bound: Bounds) -> FloatArray:
        """Shape (F, 1 + P); the score before all rows, and at each of the bound's places, without each fold.

        It is -∞ where there is none, and where none of these queries' rows raises it.
        """
        places = cells.places[bound]
        low, high = cells.bands[bound]
        *adds, raised = (
            (of_band[:, high] - of_band[:, low] if low else of_band[:, high]).take(places, axis=1) for of_band in sums
        )
        # a sum's numbers stand together, for speed
        summed = np.empty((base.shape[1], len(base), 1 + len(places)))
        summed[:] = base.T[:, :, None]
        for column, add in enumerate(adds):
            summed[column, :, 1:] += add
        scores = self.objective.score(summed.transpose(1, 2, 0))
        scores[np.isnan(scores)] = -np.inf
        if self._fixed is None and len(places):
            scores[:, 1][raised[:, 0] == 0] = -np.inf
            scores[:, 2:][raised[:, 1:] == raised[:, :-1]] = -np.inf
        return scores

    def _sums(self, cells: _Cells, label: IntArray, n_folds: int) -> list[FloatArray]:
        """What all rows above each band and up to each place add without each fold; a column (F, bands + 1, P) each."""
        shape = (n_folds + 2, len(cells.edges), len(self._ends))
        size = shape[1] * shape[2]
        summed = []
        for query, cell, adds in cells.columns:
            of_label = np.bincount(label[query] * size + cell, weights=adds, minlength=(n_folds + 2) * size)
            table = of_label.astype(np.float64).reshape(shape)[1:]
            up_to = np.zeros((n_folds, shape[1] + 1, shape[2]))
            np.cumsum(table.sum(axis=0) - table[1:], axis=2, out=up_to[:, 1:])
            summed.append(np.cumsum(up_to, axis=1, out=up_to))
        return summed

    @staticmethod
    def _without(each: FloatArray, label: IntArray, n_folds: int) -> FloatArray:
        """Shape (F, T); the sums over the queries of all folds but each."""
        columns = [np.bincount(label, weights=column, minlength=n_folds + 2)[1:] for column in each.T]
        return np.column_stack([column.sum() - column[1:] for column in columns])

    def _cells_of(self, bounds: tuple[Bounds, ...]) -> _Cells:
        """The rows in the bands of some bounds; kept for the next folds."""
        if bounds not in self._cells:
            every = {0, *(bound.floor for bound in bounds), *(bound.cap for bound in bounds if bound.cap is not None)}
            edges = np.array(sorted(every))
            used = np.sort(self._order)
            query, rank, n_places = self.pool.query[used], self.pool.rank[used], len(self._ends)
            part = np.searchsorted(self._ends, self._reached - self._first_key[query], side="right")
            cell = (np.searchsorted(edges, rank) - 1) * n_places + part
            starts = np.flatnonzero((np.diff(query, prepend=-1) != 0) | (np.diff(cell, prepend=-1) != 0))
            raises = self.objective.raises[used]
            columns = []
            for adding in (*self.objective.row[used].T, raises):
                adds = np.add.reduceat(adding, starts, dtype=np.float64) if len(starts) else np.zeros(0)
                some = np.flatnonzero(adds)
                at = starts[some]
                columns.append(_Column(query[at].astype(np.int32), cell[at], adds[some]))
            places = {}
            for bound in bounds:
                within = raises & self._is_within(rank, bound)
                counted = np.bincount(part[within], minlength=n_places)
                places[bound] = np.arange(n_places) if self._fixed is not None else np.flatnonzero(counted)
            ends = [(bound.floor, np.inf if bound.cap is None else bound.cap) for bound in bounds]
            low, high = np.searchsorted(edges, np.transpose(ends)).tolist()
            bands = dict(zip(bounds, zip(low, high, strict=True), strict=True))
            self._cells[bounds] = _Cells(edges, tuple(columns), places, bands)
        return self._cells[bounds]

    @staticmethod
    def _is_within(rank: _Small, bound: Bounds) -> BoolArray:
        within = rank > bound.floor
        return within if bound.cap is None else within & (rank <= bound.cap)

    def _rows_of(self, bound: Bounds) -> _Small:
        """The places in the order of the rows that a threshold decides on between some bounds."""
        if bound not in self._rows:
            rows = np.flatnonzero(self._is_within(self.pool.rank[self._order], bound))
            self._rows[bound] = rows.astype(np.int32)
        return self._rows[bound]

    def _floor(self, always: int) -> FloatArray:
        """What each query adds with the rows that are kept in any case."""
        if always not in self._floors:
            self._floors[always] = self.objective.at(self.pool, np.minimum(always, self.pool.lengths))
        return self._floors[always]

    def _rule(self, choice: _Choice, chosen: BoolArray) -> Rule:
        kept = self._end(choice.place)
        last = -float(self._rising[kept - 1]) if kept else None
        return self._ruled(last, chosen, choice.bound, self._next(chosen, choice.bound, kept))

    def _ruled(self, last: float | None, chosen: BoolArray, bound: Bounds, following: float) -> Rule:
        threshold = self._threshold(last, chosen, bound, following) if self._fixed is None else self._fixed
        # how many are kept is what k says; its bounds have nothing to add
        return Rule(self.family, FAMILIES[self.family].parameter(threshold), *(bound if self.family != "k" else ()))

    def _end(self, place: int) -> int:
        return int(self._ends[place]) if place >= 0 else 0

    def _among_all(self, chosen: BoolArray, bound: Bounds) -> Fit:
        """``best`` over all rows: some row that raises no score may give the first that there is."""
        values, ends, scores = self._scored(chosen, bound)
        if self._fixed is None:
            at = int(np.argmax(scores >= scores.max() - NEAR))
        else:
            at = int(np.searchsorted(ends, np.count_nonzero(values >= self._fixed)))
        kept = int(ends[at])
        following = float(values[kept]) if kept < len(values) else -np.inf
        rule = self._ruled(float(values[kept - 1]) if kept else None, chosen, bound, following)
        return Fit(rule, float(scores[at]) if scores[at] > -np.inf else float("nan"))

    def _scored(self, chosen: BoolArray, bound: Bounds) -> tuple[FloatArray, IntArray, FloatArray]:
        """The falling values of some queries' rows between bounds, and the scores wherever a threshold can lie.

        Returns:
            The values; after how many rows thresholds can lie; the scores there, -∞ where none can be formed.
        """
        row = np.flatnonzero(self._is_within(self.pool.rank, bound) & chosen[self.pool.query]).astype(np.int32)
        values = self._value()[row]
        order = np.argsort(-values, kind="stable").astype(np.int32)
        row, values = row[order], values[order]
        changes = np.flatnonzero(values[1:] != values[:-1]) + 1
        ends = np.concatenate(([0], changes, [len(values)] if len(values) else [])).astype(np.int64)
        # what is kept in any case, and then piece by piece what the rows up to each end add
        base = self._floor(bound.always)[chosen].sum(axis=0)
        n = self.objective.row.shape[1]
        added, scores = np.zeros(n), np.empty(len(ends))
        scores[:1] = self.objective.score(base[None])
        for first in range(1, len(ends), _PIECE):
            some = ends[first : first + _PIECE]
            adds = self.objective.row[row[ends[first - 1] : some[-1]]].astype(np.float64)
            adds[0] += added
            up_to = np.cumsum(adds, axis=0, out=adds)
            sums = np.tile(base, (len(some), 1))
            sums[:, :n] += up_to[some - ends[first - 1] - 1]
            scores[first : first + len(some)] = self.objective.score(sums)
            added = up_to[-1]
        return values, ends, np.nan_to_num(scores, nan=-np.inf, copy=False)

    def _next(self, chosen: BoolArray, bound: Bounds, kept: int) -> float:
        """The greatest value of some queries' rows between bounds that comes in after the first so many rows."""
        rows, step = self._rows_of(bound), _NEXT
        at = int(np.searchsorted(rows, kept))
        while at < len(rows):
            there = np.flatnonzero(chosen[self.pool.query[self._order[rows[at : at + step]]]])
            if len(there):
                return -float(self._rising[rows[at + there[0]]])
            at, step = at + step, 2 * step
        if self._following == -np.inf:
            return -np.inf
        first = np.maximum(self._n_used, bound.floor)
        behind = chosen & (first < self.pool.lengths)
        if bound.cap is not None:
            behind &= first < bound.cap
        if bound.floor not in self._behind:
            last = len(self.pool.scores) - 1
            self._behind[bound.floor] = self._value()[np.minimum(self.pool.start[:-1] + first, last)]
        return float(self._behind[bound.floor][behind].max(initial=-np.inf))

    def _threshold(self, last: float | None, chosen: BoolArray, bound: Bounds, following: float) -> float:
        """A threshold that keeps the rows down to a value, if any: between two values, so that rows are told apart."""
        if self.family == "k":
            return -float(bound.always) if last is None else last
        if last is None:
            tops = self._top[chosen & (self.pool.lengths > 0)]
            return float(np.nextafter(following if following > -np.inf else tops.max(initial=0.0), np.inf))
        if following == -np.inf:
            return last
        middle = (last + following) / 2
        return middle if middle > following else last

    def counts(self, rule: Rule, queries: IntArray) -> IntArray:
        """How many rows a rule keeps of each of some queries; shape as ``queries``, which are numbers of queries."""
        threshold = FAMILIES[self.family].parameter(rule.threshold)
        if threshold <= self._following:  # further rows are kept
            above = self.pool.query[self._value() >= threshold]
            kept = np.bincount(above, minlength=len(self.pool.queries))[queries]
        else:
            n = int(np.searchsorted(self._rising, -threshold, side="right"))
            first = self._first_key[queries]
            kept = np.searchsorted(self._reached, first + n) - np.searchsorted(self._reached, first)
        kept = np.maximum(kept, rule.floor)
        return np.minimum(kept if rule.cap is None else np.minimum(kept, rule.cap), self.pool.lengths[queries])

    def terms(self, rule: Rule) -> Terms:
        """What each query adds under a rule."""
        return self.objective.terms(self.pool, self.counts(rule, np.arange(len(self.pool.queries))))

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
