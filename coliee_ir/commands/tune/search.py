"""The best threshold of a rule, exactly: one sort, sums up to each value, and the score after each distinct value.

Sums over queries add: those of each fold are formed once, and what chooses without a fold is all others' less its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

#: How many sums are held at a time; the sets of queries that are more are taken in turns.
_SUMS: Final = 1 << 20

#: How many scores of all rows are formed at a time.
_PIECE: Final = 1 << 17

#: How many rows are looked at first for the next one of some queries; then twice as many, and so on.
_NEXT: Final = 64

#: More rows than a query has.
_NO_CAP: Final = 1 << 62

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
    """What adds to a sum, where that is not 0: rows of one query, place and band of ranks taken together."""

    n: IntArray  # shape (Q,); how many of these are of each query, one query after the other
    cell: IntArray  # shape (C,); the number of the band times that of places, and the place
    adds: FloatArray  # shape (C,)


class _Cells(NamedTuple):
    """The rows in bands of ranks, at whose edges floors and caps are."""

    edges: IntArray  # the ranks with which bands end, from 0; the last band has no end
    columns: tuple[_Column, ...]  # of each sum that rows add to
    raised: int  # which column counts the rows that raise a score; the first sum often does
    places: dict[Bounds, IntArray]  # bound → the places that can be best
    bands: dict[Bounds, tuple[int, int]]  # bound → the first of its bands, and the one behind the last


class _Left(NamedTuple):
    """Sets of queries: each has those of all folds of a deal but one."""

    fold: IntArray  # shape (D, Q); the fold of each query in each deal, -1 for those that do not take part
    deal: IntArray  # shape (S,); the deal of each set, which does not fall
    out: IntArray  # shape (S,); the fold that is left out; in a deal these are neighbours that rise

    @staticmethod
    def nothing(chosen: BoolArray) -> _Left:
        """One set: all of them are in the first of two folds, and the second is left out."""
        return _Left(np.where(chosen, 0, -1)[None], np.array([0]), np.array([1]))

    def chosen(self) -> BoolArray:
        """Shape (S, Q); which queries are in each set."""
        fold = self.fold[self.deal]
        return np.asarray((fold >= 0) & (fold != self.out[:, None]))

    def labels(self) -> Iterator[tuple[slice, IntArray]]:
        """Deal by deal its sets and a label of each query.

        0: does not take part; 1: does, in a fold that none of these sets leaves out; 2 and more: which of them does.
        """
        for deal in np.unique(self.deal).tolist():
            first, last = np.searchsorted(self.deal, (deal, deal + 1)).tolist()
            fold, out = self.fold[deal], self.out[first:last]
            label = np.where(fold < 0, 0, 1)
            left = (fold >= out[0]) & (fold <= out[-1])
            label[left] = fold[left] - out[0] + 2
            yield slice(first, last), label


class Sweep:
    """The rows in the order in which a rule of a family takes them up, sorted once for all subsets of queries.

    Behind the last row that can raise a score no threshold is best: only the rows up to there are kept, with what a
    row may have the same value as. In most rankings they are few, and they are what memory and time go by. Of their
    values, those of which some row raises a score are the places where a threshold can be best.
    """

    def __init__(self, pool: Pool, family: str, objective: Objective) -> None:
        self.pool, self.family, self.objective = pool, family, objective
        value = self._value()
        used = value >= self._least(value)
        order = np.flatnonzero(used).astype(np.int32)
        n = len(order)
        self._order: _Small = order[np.argsort(-value[order], kind="stable")]
        #: shape (M,); the values, which fall, with the sign turned, so that they can be searched
        self._rising = -value[self._order]
        #: shape (Q,); how many of each query's rows these are
        self._n_used = np.bincount(pool.query[self._order], minlength=len(pool.queries))
        self._following = float(value[~used].max(initial=-np.inf))
        self._top = value[np.minimum(pool.start[:-1], len(value) - 1)] if len(value) else np.zeros(len(pool.queries))
        #: shape (P,); how many rows there are up to each place
        self._ends = self._all_ends()
        #: shape (M,); when each row comes in, query by query as numbers that rise; and before those of a query
        kind = np.min_scalar_type(-(len(pool.queries) + 1) * (n + 1))
        self._first_key = (np.arange(len(pool.queries)) * (n + 1)).astype(kind)
        self._reached = self._first_key[pool.query[self._order]] + np.arange(n, dtype=kind)
        self._reached.sort()
        self._first_used = np.cumsum(self._n_used) - self._n_used
        self._cells: dict[tuple[Bounds, ...], _Cells] = {}
        self._rows: dict[Bounds, _Small] = {}
        self._behind: dict[int, FloatArray] = {}
        self._floors: dict[int, FloatArray] = {0: objective.base}

    def _value(self) -> FloatArray:
        """Shape (N,); computed again where it is seldom needed."""
        return FAMILIES[self.family].value(self.pool)

    def _least(self, value: FloatArray) -> float:
        """The value of the last row that can raise a score: from there on rows are of use."""
        return float(value[self.objective.raises(slice(None))].min(initial=np.inf))

    def _all_ends(self) -> IntArray:
        n = len(self._order)
        if not n:
            return np.zeros(0, dtype=np.int64)
        ends = np.append(np.flatnonzero(self._rising[1:] != self._rising[:-1]) + 1, n)  # of equal values
        raised = np.cumsum(self.objective.raises(self._order))[ends - 1]
        return np.asarray(ends[np.diff(raised, prepend=0) > 0])

    def best(self, chosen: BoolArray, bounds: Sequence[Bounds] = (Bounds(),)) -> Fit:
        """The rule with the greatest score on some queries.

        Exact over all thresholds for each of the bounds. Of thresholds with equal scores it is that which keeps fewest
        rows, of bounds with equal scores the first.
        """
        left = _Left.nothing(chosen)
        [which], [place] = self._choices(left, tuple(bounds))
        bound = bounds[which]
        if place == _ANYWHERE:
            return self._among_all(chosen, bound)
        rows, end = self._rows_of(bound), self._end(np.array([place]))
        kept = self._order[rows[: np.searchsorted(rows, end[0])]]
        kept = kept[chosen[self.pool.query[kept]]]
        sums = self._floor(bound.always)[chosen].sum(axis=0)
        if len(kept):  # one row after the other, by which the last bits of a score go
            sums[: self.objective.row.shape[1]] += np.cumsum(self.objective.row[kept], axis=0)[-1]
        [threshold] = self._thresholds(left.chosen(), bound, end)
        return Fit(self._rule(threshold, bound), float(self.objective.score(sums)))

    def held_out(self, folds: IntArray, bounds: Sequence[Bounds] = (Bounds(),)) -> FloatArray:
        """What each query adds under the rule that ``best`` finds on the queries of all other folds."""
        n_folds = int(folds.max(initial=-1)) + 1
        deal, out = np.divmod(np.arange(len(folds) * n_folds), max(1, n_folds))
        cells = self._cells_of(tuple(bounds))
        step = max(1, _SUMS // max(1, (len(cells.edges) + 1) * len(self._ends), folds.shape[1]))
        step -= step % n_folds if step > n_folds > 0 else 0
        counts = np.zeros(folds.shape, dtype=np.int64)
        for first in range(0, len(deal), step):
            left = _Left(folds, deal[first : first + step], out[first : first + step])
            which, threshold = self._fits(left, tuple(bounds))
            of_set, query = np.nonzero(folds[left.deal] == left.out[:, None])
            counts[left.deal[of_set], query] = self._counts(threshold, [bounds[at] for at in which], of_set, query)
        return np.where((folds >= 0)[..., None], self.objective.at(self.pool, counts), 0.0)

    def _fits(self, left: _Left, bounds: tuple[Bounds, ...]) -> tuple[list[int], FloatArray]:
        """For each set of queries the best of the bounds, and the threshold between them."""
        which, place = self._choices(left, bounds)
        chosen, threshold = left.chosen(), np.empty(len(which))
        for number in np.unique(which).tolist():
            some = np.flatnonzero((which == number) & (place != _ANYWHERE))
            threshold[some] = self._thresholds(chosen[some], bounds[number], self._end(place[some]))
        for lost in np.flatnonzero(place == _ANYWHERE).tolist():
            rule = self._among_all(chosen[lost], bounds[which[lost]]).rule
            threshold[lost] = FAMILIES[self.family].parameter(rule.threshold)
        return which.tolist(), threshold

    def _choices(self, left: _Left, bounds: tuple[Bounds, ...]) -> tuple[IntArray, IntArray]:
        """For each set of queries the best of the bounds, and its place: -1 before all rows, or ``_ANYWHERE``."""
        cells, n = self._cells_of(bounds), len(left.deal)
        sums = self._sums(cells, left)
        floors = {always: self._without(self._floor(always), left) for always in {b.always for b in bounds}}
        best = np.full(n, -np.inf)
        which, place = np.zeros((2, n), dtype=np.int64)
        for number, bound in enumerate(bounds):
            scores = self._scores(cells, sums, floors[bound.always], bound)
            greatest = scores.max(axis=1)
            at = np.argmax(scores >= greatest[:, None] - NEAR, axis=1)
            at = np.append(cells.places[bound], -1)[at - 1]
            if (lost := np.flatnonzero(np.isneginf(greatest))).size:
                chosen = left.chosen()
                for one in lost.tolist():
                    score = self._among_all(chosen[one], bound).score
                    greatest[one], at[one] = -np.inf if np.isnan(score) else score, _ANYWHERE
            better = greatest > best + NEAR
            best[better], which[better], place[better] = greatest[better], number, at[better]
        place[np.isneginf(best)] = _ANYWHERE
        return which, place

    def _scores(self, cells: _Cells, sums: Sequence[FloatArray], base: FloatArray, bound: Bounds) -> FloatArray:
        """Shape (S, 1 + P); the score before all rows, and at each of the bound's places, of each set of queries.

        It is -∞ where there is none, and where none of these queries' rows raises it.
        """
        places = cells.places[bound]
        low, high = cells.bands[bound]
        adds = [
            (of_band[:, high] - of_band[:, low] if low else of_band[:, high]).take(places, axis=1) for of_band in sums
        ]
        raised = adds[cells.raised]
        # a sum's numbers stand together, for speed
        summed = np.empty((base.shape[1], len(base), 1 + len(places)))
        summed[:] = base.T[:, :, None]
        for column, add in enumerate(adds[: self.objective.row.shape[1]]):
            summed[column, :, 1:] += add
        scores = self.objective.score(summed.transpose(1, 2, 0))
        scores[np.isnan(scores)] = -np.inf
        if len(places):
            scores[:, 1][raised[:, 0] == 0] = -np.inf
            scores[:, 2:][raised[:, 1:] == raised[:, :-1]] = -np.inf
        return scores

    def _sums(self, cells: _Cells, left: _Left) -> list[FloatArray]:
        """What all rows above each band and up to each place add in each set; a column (S, bands + 1, P) each."""
        shape = (len(cells.edges), len(self._ends))
        size = shape[0] * shape[1]
        summed = [np.zeros((len(left.deal), shape[0] + 1, shape[1])) for _ in cells.columns]
        for some, label in left.labels():
            n = some.stop - some.start + 2
            for (n_of_query, cell, adds), up_to in zip(cells.columns, summed, strict=True):
                place = np.repeat(label * size, n_of_query)
                of_label = np.bincount(np.add(place, cell, out=place), weights=adds, minlength=n * size)
                table = of_label.astype(np.float64, copy=False).reshape(n, *shape)[1:]
                np.cumsum(table.sum(axis=0) - table[1:], axis=2, out=up_to[some, 1:])
        for band in range(1, shape[0]):  # several times as fast as cumsum along this axis
            for up_to in summed:
                up_to[:, band + 1] += up_to[:, band]
        return summed

    @staticmethod
    def _without(each: FloatArray, left: _Left) -> FloatArray:
        """Shape (S, T); the sums over the queries of each set."""
        sums = np.empty((len(left.deal), each.shape[1]))
        for some, label in left.labels():
            for number, column in enumerate(each.T):
                of_label = np.bincount(label, weights=column, minlength=some.stop - some.start + 2)[1:]
                sums[some, number] = of_label.sum() - of_label[1:]
        return sums

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
            raises = self.objective.raises(used)
            columns, adds_to = [], self.objective.row[used].T
            counted_by_first = np.array_equal(adds_to[0], raises)
            for adding in adds_to if counted_by_first else (*adds_to, raises):
                adds = np.add.reduceat(adding, starts, dtype=np.float64) if len(starts) else np.zeros(0)
                some = np.flatnonzero(adds)
                at = starts[some]
                n_of_query = np.bincount(query[at], minlength=len(self.pool.queries))
                columns.append(_Column(n_of_query, cell[at], adds[some]))
            places = {}
            for bound in bounds:
                within = raises & self._is_within(rank, bound)
                counted = np.bincount(part[within], minlength=n_places)
                places[bound] = np.flatnonzero(counted)
            ends = [(bound.floor, np.inf if bound.cap is None else bound.cap) for bound in bounds]
            low, high = np.searchsorted(edges, np.transpose(ends)).tolist()
            bands = dict(zip(bounds, zip(low, high, strict=True), strict=True))
            self._cells[bounds] = _Cells(edges, tuple(columns), 0 if counted_by_first else len(adds_to), places, bands)
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

    def _rule(self, threshold: float, bound: Bounds) -> Rule:
        # how many are kept is what k says; its bounds have nothing to add
        return Rule(self.family, FAMILIES[self.family].parameter(threshold), *(bound if self.family != "k" else ()))

    def _end(self, place: IntArray) -> IntArray:
        """How many rows there are up to each place."""
        return np.append(self._ends, 0)[place]

    def _among_all(self, chosen: BoolArray, bound: Bounds) -> Fit:
        """``best`` over all rows: some row that raises no score may give the first that there is."""
        values, ends, scores = self._scored(chosen, bound)
        at = int(np.argmax(scores >= scores.max() - NEAR))
        kept = int(ends[at])
        last = np.array([values[kept - 1] if kept else np.nan])
        following = np.array([values[kept] if kept < len(values) else -np.inf])
        [threshold] = self._between(last, chosen[None], bound, following)
        return Fit(self._rule(threshold, bound), float(scores[at]) if scores[at] > -np.inf else float("nan"))

    def _scored(self, chosen: BoolArray, bound: Bounds) -> tuple[FloatArray, IntArray, FloatArray]:
        """The falling values of some queries' rows between bounds, and the scores wherever a threshold can lie."""
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

    def _thresholds(self, chosen: BoolArray, bound: Bounds, kept: IntArray) -> FloatArray:
        """Shape (S,); the thresholds that keep the first so many rows."""
        last = np.full(len(kept), np.nan)
        last[kept > 0] = -self._rising[kept[kept > 0] - 1]
        return self._between(last, chosen, bound, last if self.family == "k" else self._next(chosen, bound, kept))

    def _next(self, chosen: BoolArray, bound: Bounds, kept: IntArray) -> FloatArray:
        """Shape (S,); the greatest value of some queries' rows between bounds after the first so many rows."""
        rows, step, found = self._rows_of(bound), _NEXT, np.full(len(kept), -np.inf)
        at = np.searchsorted(rows, kept)
        looking = np.flatnonzero(at < len(rows))
        while len(looking):
            some = rows[np.minimum(at[looking, None] + np.arange(step), len(rows) - 1)]
            there = chosen[looking[:, None], self.pool.query[self._order[some]]]
            hit, first = there.any(axis=1), there.argmax(axis=1)
            found[looking[hit]] = -self._rising[some[hit, first[hit]]]
            at += step
            looking = looking[~hit & (at[looking] < len(rows))]
            step = min(2 * step, max(_NEXT, _SUMS // max(1, len(looking))))
        lost = np.flatnonzero(np.isneginf(found))
        if self._following == -np.inf or not len(lost):
            return found
        first = np.maximum(self._n_used, bound.floor)
        behind = first < self.pool.lengths
        if bound.cap is not None:
            behind &= first < bound.cap
        if bound.floor not in self._behind:
            last = len(self.pool.scores) - 1
            self._behind[bound.floor] = self._value()[np.minimum(self.pool.start[:-1] + first, last)]
        found[lost] = np.where(chosen[lost] & behind, self._behind[bound.floor], -np.inf).max(axis=1, initial=-np.inf)
        return found

    def _between(self, last: FloatArray, chosen: BoolArray, bound: Bounds, following: FloatArray) -> FloatArray:
        """Thresholds that keep the rows down to a value: between two values, so that rows are told apart."""
        none = np.isnan(last)
        if self.family == "k":
            return np.where(none, -float(bound.always), last)
        middle = (last + following) / 2
        threshold = np.where(middle > following, middle, last)
        if none.any():
            tops = np.where(chosen[none] & (self.pool.lengths > 0), self._top, 0.0).max(axis=1, initial=0.0)
            next_ = np.where(following[none] > -np.inf, following[none], tops)
            threshold[none] = np.nextafter(next_, np.inf)
        return threshold

    def counts(self, rule: Rule, queries: IntArray) -> IntArray:
        """How many rows a rule keeps of each of some queries; shape as ``queries``, which are numbers of queries."""
        threshold = np.array([FAMILIES[self.family].parameter(rule.threshold)])
        return self._counts(threshold, [Bounds(rule.floor, rule.cap)], np.zeros_like(queries), queries)

    def _counts(self, threshold: FloatArray, bounds: Sequence[Bounds], number: IntArray, queries: IntArray) -> IntArray:
        """The same, each query by one of several rules, whose numbers are given."""
        n = np.searchsorted(self._rising, -threshold, side="right").astype(self._first_key.dtype)
        kept = np.searchsorted(self._reached, self._first_key[queries] + n[number]) - self._first_used[queries]
        for further in np.flatnonzero(threshold <= self._following).tolist():
            above = self.pool.query[self._value() >= threshold[further]]
            some = number == further
            kept[some] = np.bincount(above, minlength=len(self.pool.queries))[queries[some]]
        lengths = self.pool.lengths[queries]
        caps = np.array([_NO_CAP if bound.cap is None else bound.cap for bound in bounds])
        floors = np.array([bound.floor for bound in bounds])
        return np.asarray(np.minimum(np.clip(kept, floors[number], caps[number]), lengths))

    def terms(self, rule: Rule) -> Terms:
        """What each query adds under a rule."""
        return self.objective.terms(self.pool, self.counts(rule, np.arange(len(self.pool.queries))))

    def curve(self, chosen: BoolArray, bound: Bounds, points: int = _POINTS) -> list[tuple[float, float]]:
        """The parameter and the score there, from the fewest rows to the most: so many points, and the best one.

        The parameter is the value of the last row that is kept. Where no score can be formed there is no point.
        """
        values, ends, scores = self._scored(chosen, bound)
        parameter = FAMILIES[self.family].parameter
        some = np.linspace(min(1, len(ends) - 1), len(ends) - 1, min(points, len(ends)))
        shown = np.unique(np.append(some.astype(np.int64), np.argmax(scores)))
        shown = shown[(ends[shown] > 0) & np.isfinite(scores[shown])]
        return [(parameter(float(values[ends[at] - 1])), float(scores[at])) for at in shown.tolist()]


def all_bounds(floor: int | None, cap: int | None, longest: int) -> tuple[Bounds, ...]:
    """The floors and caps to try, the simplest first."""
    floors = FLOORS if floor is None else (floor,)
    caps = (None, *(bound for bound in CAPS if bound < longest)) if cap is None else (cap,)
    fixed = floor is not None and cap is not None
    # a floor that is the cap is a fixed k
    every = [Bounds(low, high) for high in caps for low in floors if high is None or low < high or fixed]
    return tuple(sorted(every, key=lambda bound: (bound.floor > 0) + (bound.cap is not None)))
