"""The best threshold of a rule, exactly: one sort, cumulative sums, and the score after each distinct value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from coliee_ir.cutoffs.objective import Objective
from coliee_ir.cutoffs.pool import Pool
from coliee_ir.cutoffs.rules import FAMILIES, Rule
from coliee_ir.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Terms

_NEAR: Final = 1e-12

#: What is tried for floor and cap where both are searched: every threshold is exact, these are a grid.
FLOORS: Final = (0, 1)
CAPS: Final[tuple[int | None, ...]] = (2, 3, 5, 8, 10, 15, 20, 30, 50, None)


class Fit(NamedTuple):
    """A rule and its score on the queries that it was fitted to."""

    rule: Rule
    score: float


class Bounds(NamedTuple):
    """The least and the greatest number of rows a query; None for no bound."""

    floor: int = 0
    cap: int | None = None


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

    def best(self, chosen: BoolArray, bounds: Sequence[Bounds] = (Bounds(),)) -> Fit:
        """The rule with the greatest score on some queries; of equal ones that which keeps fewest rows.

        Exact over all thresholds for each of the bounds.

        Args:
            chosen: shape (Q,); the queries.
            bounds: floors and caps to try.
        """
        fits = [self._best(chosen, bound) for bound in bounds]
        return max(reversed(fits), key=lambda fit: round(fit.score, 12))

    def _best(self, chosen: BoolArray, bound: Bounds) -> Fit:
        values, ends, scores = self._scores(chosen, bound)
        if FAMILIES[self.family].fixed is not None:
            threshold = FAMILIES[self.family].fixed or 0.0
            at = int(np.searchsorted(-values, -threshold, side="right"))
            return Fit(Rule(self.family, threshold, *bound), float(scores[np.searchsorted(ends, at)]))
        top = int(np.argmax(scores >= scores.max() - _NEAR)) if len(scores) else 0
        return Fit(Rule(self.family, self._threshold(values, int(ends[top])), *bound), float(scores[top]))

    def _scores(self, chosen: BoolArray, bound: Bounds) -> tuple[FloatArray, np.typing.NDArray[np.int64], FloatArray]:
        """The values of the rows in order; after how many rows a threshold can lie; the score there."""
        rank, query = self.pool.rank, self.pool.query
        total = self.objective.base[chosen].sum(axis=0)
        rows = self.order[chosen[query[self.order]]]
        if bound.cap is not None:
            rows = rows[rank[rows] <= bound.cap]
        if bound.floor:
            total = total + self.objective.row[rows[rank[rows] <= bound.floor]].sum(axis=0)
            rows = rows[rank[rows] > bound.floor]
        values = self.value[rows]
        ends = np.concatenate(([0], np.flatnonzero(values[1:] != values[:-1]) + 1, [len(rows)] if len(rows) else []))
        ends = ends.astype(np.int64)
        sums = np.concatenate((np.zeros((1, len(total))), np.cumsum(self.objective.row[rows], axis=0))) + total
        return values, ends, np.nan_to_num(self.objective.score(sums[ends]), nan=-np.inf)

    def _threshold(self, values: FloatArray, kept: int) -> float:
        """A threshold that keeps the first so many rows: between two values, so that rows like them are told apart."""
        if not len(values):
            return 0.0
        if kept == 0:
            return float(np.nextafter(values[0], np.inf))
        if kept == len(values) or self.family == "k":
            return float(values[kept - 1])
        middle = (values[kept - 1] + values[kept]) / 2
        return float(middle if middle > values[kept] else values[kept - 1])

    def keeps(self, rule: Rule) -> BoolArray:
        """Which rows a rule of this family keeps; shape (N,)."""
        kept = self.value >= rule.threshold
        kept |= self.pool.rank <= rule.floor
        if rule.cap is not None:
            kept &= self.pool.rank <= rule.cap
        return kept

    def terms(self, rule: Rule) -> Terms:
        """What each query adds under a rule."""
        return self.objective.terms(self.pool, self.keeps(rule))

    def curve(self, chosen: BoolArray, bound: Bounds, points: int = 200) -> Iterator[tuple[float, float]]:
        """The parameter and the score there, at most so many points, from the fewest rows to the most."""
        values, ends, scores = self._scores(chosen, bound)
        parameter = FAMILIES[self.family].parameter
        some = np.unique(np.linspace(0, len(ends) - 1, min(points, len(ends))).astype(np.int64))
        for at in some.tolist():
            if ends[at]:
                yield parameter(float(values[ends[at] - 1])), float(scores[at])


def all_bounds(floor: int | None, cap: int | None, longest: int) -> tuple[Bounds, ...]:
    """The floors and caps to try, given those that are fixed and the length of the longest ranking."""
    floors = FLOORS if floor is None else (floor,)
    caps = [bound for bound in CAPS if bound is None or bound < longest] if cap is None else [cap]
    return tuple(Bounds(at_least, at_most) for at_least in floors for at_most in caps)
