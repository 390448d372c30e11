"""What a fitted cut-off is worth on queries it has not seen: nested cross-validation by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray
from coliee_ir.cutoffs.pool import Pool
from coliee_ir.cutoffs.search import Bounds, Fit, Sweep
from coliee_ir.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Terms


class Candidate(NamedTuple):
    """A kind of rule, with what is tried for its floor and cap; more parameters are less simple."""

    sweep: Sweep
    bounds: tuple[Bounds, ...]

    def fit(self, chosen: BoolArray) -> Fit:
        """The best rule on some queries."""
        return self.sweep.best(chosen, self.bounds)


def folds(queries: Sequence[str], n: int, seed: int, groups: Mapping[str, str] | None = None) -> IntArray:
    """The fold of each query: groups, or single queries, dealt out in an order that the seed decides.

    Args:
        queries: the query ids.
        n: how many folds.
        seed: of the order.
        groups: query → group; queries of one group are in one fold.

    Raises:
        UsageError: fewer groups than folds, or a query without a group.
    """
    if groups is not None and (missing := [query for query in queries if query not in groups]):
        raise UsageError(f"the file of groups does not name {len(missing)} of the queries, first {missing[0]}")
    group_of = [groups[query] if groups is not None else query for query in queries]
    names = list(dict.fromkeys(group_of))
    if n < 2 or len(names) < n:
        raise UsageError(f"{n} folds cannot be made of {len(names)} {'groups' if groups is not None else 'queries'}")
    order = np.argsort(np.random.PCG64(seed).random_raw(len(names)), kind="stable")
    fold = {names[place]: at % n for at, place in enumerate(order.tolist())}
    return np.array([fold[group] for group in group_of], dtype=np.int64)


def held_out(candidate: Candidate, fold: IntArray, among: BoolArray) -> FloatArray:
    """What each query adds under the rule that was fitted without its fold; shape (Q, T), 0 outside of ``among``.

    Args:
        candidate: the kind of rule.
        fold: shape (Q,); the fold of each query.
        among: shape (Q,); the queries that take part.
    """
    each = np.zeros_like(candidate.sweep.objective.base)
    for number in np.unique(fold[among]).tolist():
        test = among & (fold == number)
        rule = candidate.fit(among & ~test).rule
        each[test] = candidate.sweep.terms(rule).each[test]
    return each


def select(candidates: Sequence[Candidate], fold: IntArray, among: BoolArray) -> tuple[int, list[FloatArray]]:
    """The candidate with the best held-out score, or the simplest that is within a standard error of it.

    Returns:
        Its place, and what the queries add held out, for each candidate.
    """
    held = [held_out(candidate, fold, among) for candidate in candidates]
    scores = [score_of(candidate, each, among) for candidate, each in zip(candidates, held, strict=True)]
    best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
    for at, each in enumerate(held):
        if scores[at] >= scores[best] - standard_error(candidates[at], each, held[best], among):
            return at, held
    return best, held


def score_of(candidate: Candidate, each: FloatArray, among: BoolArray) -> float:
    """The score of what some queries add."""
    return float(candidate.sweep.objective.score(each[among].sum(axis=0)))


def standard_error(candidate: Candidate, one: FloatArray, other: FloatArray, among: BoolArray) -> float:
    """The jackknife standard error of the difference of two scores on the same queries."""
    score = candidate.sweep.objective.score
    without = [score(each[among].sum(axis=0) - each[among]) for each in (one, other)]
    difference = without[0] - without[1]
    n = len(difference)
    return float(np.sqrt((n - 1) / n * ((difference - difference.mean()) ** 2).sum()))


def nested(candidates: Sequence[Candidate], pool: Pool, outer: IntArray, n: int, seed: int,
           groups: Mapping[str, str] | None) -> Terms:  # fmt: skip
    """What each query adds when kind of rule and parameters are both chosen without its fold.

    Args:
        candidates: the kinds of rule, the simplest first.
        pool: the rankings.
        outer: shape (Q,); the fold of each query.
        n: how many inner folds.
        seed: of the inner folds.
        groups: as for ``folds``.
    """
    objective = candidates[0].sweep.objective
    each = np.zeros_like(objective.base)
    everything = np.arange(len(pool.queries))
    for number in np.unique(outer).tolist():
        test = outer == number
        train = ~test
        inner = np.full(len(pool.queries), -1)
        names = [pool.queries[at] for at in everything[train].tolist()]
        distinct = len({groups[name] for name in names}) if groups is not None else len(names)
        inner[train] = folds(names, min(n, distinct), seed + 1 + number, groups)
        at, _ = select(candidates, inner, train) if len(candidates) > 1 else (0, [])
        rule = candidates[at].fit(train).rule
        each[test] = candidates[at].sweep.terms(rule).each[test]
    return Terms(each, objective.score, np.zeros(each.shape[1]), objective.is_mean)
