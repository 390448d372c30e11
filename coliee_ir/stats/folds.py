"""Queries held out in folds, and what can be said of scores on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.stats import resampling


@dataclass(frozen=True)
class Split:
    """How queries are dealt to folds: one by one, or group by group.

    Attributes:
        group: shape (Q,); the number of each query's group, or of the query itself.
        n: how many folds.
        seed: of the order in which they are dealt.
    """

    group: IntArray
    n: int
    seed: int

    @classmethod
    def of(cls, queries: Sequence[str], n: int, seed: int, groups: Mapping[str, str] | None = None) -> Split:
        """The split of some queries.

        Args:
            queries: the query ids.
            n: how many folds.
            seed: of the order.
            groups: query → group; queries of one group are in one fold.

        Raises:
            UsageError: fewer groups than folds, or a query without a group.
        """
        if groups is not None and (missing := [query for query in queries if query not in groups]):
            n_missing = "1 judged query has" if len(missing) == 1 else f"{len(missing)} judged queries have"
            raise UsageError(
                f"{n_missing} no group (first: {shortened(missing[0])}); give every query of the gold a group"
            )
        names = list(queries) if groups is None else [groups[query] for query in queries]
        number = {name: at for at, name in enumerate(dict.fromkeys(names))}
        if n < 2 or len(number) < n:
            what = "queries" if groups is None else "groups"
            raise UsageError(
                f"{n} folds cannot be made from {len(number)} {what}; use at least 2 and at most that many"
            )
        return cls(np.array([number[name] for name in names], dtype=np.int64), n, seed)

    def folds(self, among: BoolArray, round_: int = 0) -> IntArray:
        """Shape (Q,); the fold of each query, -1 for those that do not take part; all 0 where only one group does.

        Args:
            among: shape (Q,); the queries that take part.
            round_: each has an order of its own.
        """
        groups = np.unique(self.group[among])
        order = np.argsort(np.random.PCG64(self.seed + round_).random_raw(len(groups)), kind="stable")
        fold = np.full(len(self.group), -1)
        fold_of = np.empty(int(self.group.max(initial=0)) + 1, dtype=np.int64)
        fold_of[groups[order]] = np.arange(len(groups)) % self.n
        fold[among] = fold_of[self.group[among]]
        return fold

    def summed(self, each: FloatArray, among: BoolArray) -> FloatArray:
        """What each group of the queries that take part adds; shape (G, T)."""
        _, number = np.unique(self.group[among], return_inverse=True)
        total = np.zeros((int(number.max(initial=-1)) + 1, each.shape[1]))
        np.add.at(total, number, each[among])
        return total

    def terms(self, each: FloatArray, like: Terms) -> Terms:
        """Terms whose units are the groups: what is resampled together."""
        grouped = self.summed(each, np.ones(len(each), dtype=np.bool_))
        return Terms(grouped, like.score, like.besides, like.is_mean and len(grouped) == len(each))


def standard_error(score: Callable[[FloatArray], FloatArray], one: FloatArray, other: FloatArray) -> float:
    """The jackknife standard error of the difference of two scores on the same queries.

    Args:
        score: sums of shape (…, T) → scores.
        one: shape (G, T); what each group of queries adds to the one.
        other: shape (G, T); what it adds to the other.
    """
    without = [score(each.sum(axis=0) - each) for each in (one, other)]
    difference = without[0] - without[1]
    difference = difference[np.isfinite(difference)]
    n = len(difference)
    return float(np.sqrt((n - 1) / n * ((difference - difference.mean()) ** 2).sum())) if n else 0.0


def best_of(held: Sequence[Terms], n_resamples: int, seed: int) -> float:
    """What to expect of the best of several runs, where it is the best by the very scores that are held out.

    On each bootstrap sample of the queries the best run is chosen; what it scores on the queries that are not in the
    sample is averaged. NaN for no run.

    Args:
        held: what each query adds to each run's held-out score.
        n_resamples: how many samples.
        seed: of the samples.

    Source: Tsamardinos, Greasidou, Borboudakis, Machine Learning 107 (2018): bootstrap bias-corrected cross-validation.
    """
    if not held:
        return float("nan")
    each = np.concatenate([terms.each.T for terms in held])
    outside: list[FloatArray] = []
    for drawn in resampling.draws(seed, n_resamples, each.shape[1], len(each)):
        inside = _scores(held, each, drawn)
        best = np.argmax(np.nan_to_num(inside, nan=-np.inf), axis=0)
        outside.append(_scores(held, each, (drawn == 0).astype(np.float64))[best, np.arange(len(drawn))])
    scores = np.concatenate(outside)
    return float(np.nanmean(scores)) if np.isfinite(scores).any() else float("nan")


def _scores(held: Sequence[Terms], each: FloatArray, weights: FloatArray) -> FloatArray:
    """Shape (runs, n_resamples); the score of each run with each weighting of the queries."""
    sums = (each @ weights.T).reshape(len(held), -1, len(weights))
    return np.stack([terms.score((part + terms.besides[:, None]).T) for terms, part in zip(held, sums, strict=True)])
