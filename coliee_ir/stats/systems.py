"""Systems of which there are several runs: seeds, folds, draws of a language model.

A system's score is the mean of its runs'. What is said of it holds for other queries and for other runs of these
systems: with v the mean contributions of ``paired`` over a system's runs,
    V(δ) = SE²(δ) + Σ max(0, S²_runs/R - S²_rest/(nR)),   T = |D| / √V(0),
where the rest, which varies with query and run, is in SE² already. T is compared with Student's t; its degrees of
freedom are Satterthwaite's (1946). Flips of queries know nothing of other runs. Of fixed queries V = Σ S²_runs/R (Welch
1947). Runs of two systems with the same labels (seeds, folds) are paired: S² is that of their differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np

from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.stats.paired import Board, Pairs, PairTest, Standings, all_pairs, better_than, inverted
from coliee_ir.stats.resampling import NEAR, Interval, Resampling
from coliee_ir.stats.student import t_p, t_quantile

#: of fewer runs their variance is not known well enough
LEAST_RUNS = 3

#: of so many queries the variance over queries is nothing
_ENDLESS: Final = 10**9


@dataclass(frozen=True, slots=True)
class MeanOf:
    """The score of a system: the mean of its runs'."""

    score: Callable[[FloatArray], FloatArray]
    runs: int
    labels: tuple[str, ...] = ()  # the seed or fold of each, in order; none where they are not known

    def __call__(self, sums: FloatArray) -> FloatArray:
        return np.asarray(self.score(sums.reshape(*sums.shape[:-1], self.runs, -1)).mean(axis=-1))


def system(runs: Sequence[Terms], labels: Sequence[str] = ()) -> Terms:
    """The terms of the mean of several runs' scores; ``labels`` are their seeds or folds."""
    each, besides = np.concatenate([run.each for run in runs], axis=1), np.concatenate([run.besides for run in runs])
    return Terms(each, MeanOf(runs[0].score, len(runs), tuple(labels)), besides, False)


class _Spread(NamedTuple):
    """How much the mean of runs varies with the runs."""

    s_runs: float  # S²_runs/R
    between: float  # what of it is beyond the rest; all of it where queries are fixed
    degrees: int

    @classmethod
    def of(cls, f: FloatArray, u: FloatArray, *, fixed: bool) -> _Spread:
        """That of scores ``f``, shape (R,), with contributions ``u``, shape (R, Q)."""
        n_runs, n = u.shape
        s_rest = n * float(((u - u.mean(axis=0)) ** 2).sum()) / (max(n - 1, 1) * (n_runs - 1) * n_runs)
        s_runs = float(f.var(ddof=1)) / n_runs
        return cls(s_runs, s_runs if fixed else max(0.0, s_runs - s_rest), n_runs - 1)


class _System(NamedTuple):
    """A system: its runs' scores, their u, the mean of D/ΣD over them, and that of ΣD."""

    f: FloatArray  # shape (R,)
    u: FloatArray  # shape (R, Q)
    y: FloatArray  # shape (Q,)
    size: float
    span: float  # the greatest difference that there can be
    labels: tuple[str, ...]

    @classmethod
    def of(cls, terms: Terms) -> _System:
        mean_of: MeanOf = terms.score  # type: ignore[assignment]
        parts = zip(np.split(terms.each, mean_of.runs, axis=1), np.split(terms.besides, mean_of.runs), strict=True)
        board = Board([Terms(each, mean_of.score, besides, False) for each, besides in parts])
        y, size = np.full(board.n, 1 / max(board.n, 1)), 1.0
        if board.is_quotient:
            y, size = board.forms[1].mean(axis=0), float(board.size.mean())
        return cls(board.f, board.u, y, size, board.span, mean_of.labels)


def _degrees(of_queries: float, n: int, spreads: Sequence[_Spread]) -> int:
    """Satterthwaite's degrees of freedom of a variance over queries and those between runs."""
    between = sum(spread.between for spread in spreads)
    pieces = sum(spread.s_runs**2 / spread.degrees for spread in spreads if spread.between > 0)
    if not of_queries + between:
        return max(n - 1, 1)
    degrees = (of_queries + between) ** 2 / (of_queries**2 / max(n - 1, 1) + pieces)
    return max(int(degrees + NEAR * n), 1)  # of equal runs n - 1, whichever way that is rounded


def error_of(terms: Terms, *, fixed: bool = False) -> tuple[float, int]:
    """The standard error of a system's score on other queries and in other runs, and its degrees of freedom."""
    mean_of, n = _System.of(terms), len(terms.each)
    spread, mean = _Spread.of(mean_of.f, mean_of.u, fixed=fixed), mean_of.u.mean(axis=0)
    of_queries = 0.0 if fixed else n / max(n - 1, 1) * float(mean @ mean)
    error = math.sqrt(of_queries + spread.between)
    return error, _degrees(of_queries, n, [spread]) if error > NEAR and (n > 1 or fixed) else 1


def tested(runs: Sequence[Terms], pairs: Pairs, settings: Resampling, *, fixed: bool = False) -> list[PairTest]:
    """Each pair of systems by itself; where queries are ``fixed``, in other runs alone."""
    systems = [_System.of(run) for run in runs]
    return [_tested(systems[a], systems[b], settings, fixed) for a, b in pairs]


class _Difference(NamedTuple):
    """Two systems: how much their scores differ, and the variance of that, of queries and between runs."""

    d: float
    w: FloatArray  # shape (Q,)
    g: FloatArray  # what a query adds to the size of both; shape (Q,)
    of_queries: float  # of the difference as it is; 0 where queries are fixed
    spreads: list[_Spread]

    @classmethod
    def of(cls, a: _System, b: _System, *, fixed: bool) -> _Difference:
        """That of two systems, whose runs are paired where they have the same labels."""
        d, w, n = float(a.f.mean() - b.f.mean()), a.u.mean(axis=0) - b.u.mean(axis=0), len(a.y)
        if a.labels and a.labels == b.labels:
            spreads = [_Spread.of(a.f - b.f, a.u - b.u, fixed=fixed)]
        else:
            spreads = [_Spread.of(system.f, system.u, fixed=fixed) for system in (a, b)]
        g = (b.size * a.y + a.size * b.y) / (a.size + b.size)
        return cls(d, w, g, 0.0 if fixed else n / max(n - 1, 1) * float(w @ w), spreads)

    @property
    def between(self) -> float:
        """The variance between runs, which more queries do not lessen."""
        return sum(spread.between for spread in self.spreads)


def _tested(a: _System, b: _System, settings: Resampling, fixed: bool) -> PairTest:
    difference = _Difference.of(a, b, fixed=fixed)
    d, _, g, of_queries, spreads = difference
    n = len(g)
    v, k = difference.w + d * g, n / max(n - 1, 1)
    differing = int((np.abs(v) > NEAR).sum())
    v, g = v - d / n, g - 1 / n  # centred: of a difference that is the same in each query, rounding leaves nothing
    a_b_c = (0.0,) * 3 if fixed else (k * float(v @ v), k * float(v @ g), k * float(g @ g))
    at_0 = a_b_c[0] + difference.between
    if not at_0 + of_queries > NEAR**2 or (n < 2 and not fixed):
        none, p = Interval(math.nan, math.nan), 1.0 if abs(d) <= NEAR else math.nan
        return PairTest(d, 0.0, p, math.inf, differing, none, none)
    degrees = _degrees(of_queries, n, spreads)
    p = t_p(abs(d) / math.sqrt(at_0) if at_0 > 0 else math.inf, degrees)
    parts = [np.array([part]) for part in (at_0, *a_b_c[1:])]

    def interval(alpha: float) -> Interval:
        c, is_out = np.array([t_quantile(1 - alpha / 2, degrees)]), np.array([p < alpha])
        ends = inverted(np.array([d]), parts, c, is_out, math.inf)[:, 0].tolist()
        return Interval(*(end if math.isfinite(end) else math.nan for end in ends))

    critical = t_quantile(1 - settings.alpha / 2, degrees)
    both = interval(settings.alpha), interval(min(2 * settings.alpha, 0.999))
    return PairTest(d, math.sqrt(at_0), p, critical, differing, *both)


class Outlook(NamedTuple):
    """What the t test of systems finds with other numbers of queries."""

    pairs: list[tuple[int, int]]  # those that differ
    found: list[list[float]]  # for each number of queries, of each pair; infinite where none is
    at_best: list[float]  # of each pair, with any number of queries
    largest_share: float
    differing: int = 0  # of accuracies, in how many queries a typical pair differs


def outlook(runs: Sequence[Terms], sizes: Sequence[int], settings: Resampling, power: float) -> Outlook:
    """For each number n' of queries, or groups, the least difference of each pair that ``tested`` finds.

    δ is found where δ = c √(s²(E² + Cδ²) + V) + z √(s²E² + V), s² = n/n': E² is the variance over queries, C what
    their sizes add to it where the test supposes no difference, V that between as many runs, c and z Student's
    quantiles with Satterthwaite's degrees of freedom, c by Bonferroni's correction for all pairs.
    """
    systems = [_System.of(run) for run in runs]
    pairs = list(combinations(range(len(runs)), 2))
    every = {(a, b): _Difference.of(systems[a], systems[b], fixed=False) for a, b in pairs}
    differing = {
        pair: difference for pair, difference in every.items() if difference.of_queries + difference.between > NEAR**2
    }
    span = max(system.span for system in systems)
    largest = [
        float((difference.w**2).max()) / (difference.of_queries + difference.between)
        for difference in differing.values()
    ]

    def least(size: int) -> list[float]:
        each = [_least(difference, size, len(every), settings, power) for difference in differing.values()]
        return [value if value <= span else math.inf for value in each]  # no two scores are so far apart

    share = float(np.median(largest)) if largest else 0.0
    at_best = [
        value if difference.between else 0.0
        for value, difference in zip(least(_ENDLESS), differing.values(), strict=True)
    ]
    return Outlook(list(differing), [least(size) for size in sizes], at_best, share)


def _least(pair: _Difference, size: int, pairs: int, settings: Resampling, power: float) -> float:
    """The least difference that is found with so many queries, corrected for so many pairs."""
    n, g = len(pair.g), pair.g
    less = n / size
    of_queries, added = less * pair.of_queries, less * n / max(n - 1, 1) * float(g @ g - 1 / n)
    spreads = [
        spread._replace(s_runs=spread.between + less * (spread.s_runs - spread.between)) for spread in pair.spreads
    ]
    degrees = _degrees(of_queries, size, spreads)
    c, z = t_quantile(1 - settings.alpha / 2 / pairs, degrees), t_quantile(max(power, 1 - power), degrees)
    z, left = math.copysign(z, power - 0.5), 1 - c * c * added
    root = z + math.sqrt(max(z * z - left * (z * z - c * c), 0.0))
    return math.sqrt(of_queries + pair.between) * root / left if left > 0 else math.inf


def standings(runs: Sequence[Terms], settings: Resampling) -> Standings:
    """Which systems are better, of all pairs at once, by Bonferroni's correction."""
    scores = np.array([run.total for run in runs])
    scored = np.flatnonzero(~np.isnan(scores))
    pairs = scored[all_pairs(len(scored))]
    tests = tested(runs, pairs, settings) if len(pairs) else []
    is_found = [test.p * len(pairs) < settings.alpha for test in tests]
    better = better_than(scores, pairs[np.flatnonzero(is_found)])
    return Standings(better, 0.0, max((test.differing for test in tests), default=0))
