"""Systems of which there are several runs: seeds, folds, draws of a language model.

A system's score is the mean of its runs'. What is said of it holds for other queries and for other runs of these
systems: with v the mean contributions of ``paired`` over a system's runs,
    V(δ) = SE²(δ) + Σ max(0, S²_runs/R - S²_rest/(nR)),   T = |D| / √V(0),
where the rest, which varies with query and run, is in SE² already. T is compared with Student's t; its degrees of
freedom are Satterthwaite's (1946). Flips of queries know nothing of other runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.stats.paired import Board, Pairs, PairTest, Standings, inverted
from coliee_ir.stats.resampling import NEAR, Interval
from coliee_ir.stats.settings import Resampling
from coliee_ir.stats.student import t_p, t_quantile

#: of fewer runs their variance is not known well enough
LEAST_RUNS = 3


@dataclass(frozen=True, slots=True)
class MeanOf:
    """The score of a system: the mean of its runs'."""

    score: Callable[[FloatArray], FloatArray]
    runs: int

    def __call__(self, sums: FloatArray) -> FloatArray:
        return np.asarray(self.score(sums.reshape(*sums.shape[:-1], self.runs, -1)).mean(axis=-1))


def system(runs: Sequence[Terms]) -> Terms:
    """The terms of the mean of several runs' scores."""
    each, besides = np.concatenate([run.each for run in runs], axis=1), np.concatenate([run.besides for run in runs])
    return Terms(each, MeanOf(runs[0].score, len(runs)), besides, False)


class _System(NamedTuple):
    """A system: its score, the means of u and D/ΣD over its runs, ΣD, and its runs' variance S²_runs/R beyond the rest.

    ``u`` and ``y`` have shape (Q,).
    """

    score: float
    u: FloatArray
    y: FloatArray
    size: float
    s_runs: float
    between: float
    degrees: int

    @classmethod
    def of(cls, terms: Terms) -> _System:
        score, n_runs = terms.score.score, terms.score.runs  # type: ignore[attr-defined]
        parts = zip(np.split(terms.each, n_runs, axis=1), np.split(terms.besides, n_runs), strict=True)
        board = Board([Terms(each, score, besides, False) for each, besides in parts])
        n, mean = board.n, board.u.mean(axis=0)
        s_rest = n * float(((board.u - mean) ** 2).sum()) / (max(n - 1, 1) * (n_runs - 1) * n_runs)
        s_runs = float(board.f.var(ddof=1)) / n_runs
        y, size = np.full(n, 1 / max(n, 1)), 1.0
        if board.is_quotient:
            y, size = board.forms[1].mean(axis=0), float(board.size.mean())
        return cls(float(board.f.mean()), mean, y, size, s_runs, max(0.0, s_runs - s_rest), n_runs - 1)


def _degrees(of_queries: float, n: int, systems: Sequence[_System]) -> int:
    """Satterthwaite's degrees of freedom of a variance over queries and those between runs."""
    between = sum(one.between for one in systems)
    pieces = sum(one.s_runs**2 / one.degrees for one in systems if one.between > 0)
    degrees = (of_queries + between) ** 2 / (of_queries**2 / (n - 1) + pieces)
    return max(int(degrees + NEAR * n), 1)  # of equal runs n - 1, whichever way that is rounded


def error_of(terms: Terms) -> tuple[float, int]:
    """The standard error of a system's score on other queries and in other runs, and its degrees of freedom."""
    one, n = _System.of(terms), len(terms.each)
    of_queries = n / max(n - 1, 1) * float(one.u @ one.u)
    error = math.sqrt(of_queries + one.between)
    return error, _degrees(of_queries, n, [one]) if error > NEAR and n > 1 else 1


def tested(runs: Sequence[Terms], pairs: Pairs, settings: Resampling) -> list[PairTest]:
    """Each pair of systems by itself."""
    systems, n = [_System.of(run) for run in runs], len(runs[0].each)
    return [_tested(systems[a], systems[b], n, settings) for a, b in pairs]


def _tested(a: _System, b: _System, n: int, settings: Resampling) -> PairTest:
    d, w, k = a.score - b.score, a.u - b.u, n / max(n - 1, 1)
    g = (b.size * a.y + a.size * b.y) / (a.size + b.size)
    v, between, of_queries = w + d * g, a.between + b.between, k * float(w @ w)
    at_0 = max(k * float(v @ v - d * d / n), 0.0) + between
    differing = int((np.abs(v) > NEAR).sum())
    if not at_0 + of_queries > NEAR**2 or n < 2:
        none, p = Interval(math.nan, math.nan), 1.0 if abs(d) <= NEAR else math.nan
        return PairTest(d, 0.0, p, math.inf, differing, none, none)
    degrees = _degrees(of_queries, n, [a, b])
    p = t_p(abs(d) / math.sqrt(at_0) if at_0 > 0 else math.inf, degrees)
    of = [np.array([one]) for one in (at_0, k * float(v @ g - d / n), k * float(g @ g - 1 / n))]

    def interval(alpha: float) -> Interval:
        c, is_out = np.array([t_quantile(1 - alpha / 2, degrees)]), np.array([p < alpha])
        ends = inverted(np.array([d]), of, c, is_out, math.inf)[:, 0].tolist()
        return Interval(*(end if math.isfinite(end) else math.nan for end in ends))

    critical = t_quantile(1 - settings.alpha / 2, degrees)
    both = interval(settings.alpha), interval(min(2 * settings.alpha, 0.999))
    return PairTest(d, math.sqrt(at_0), p, critical, differing, *both)


def standings(runs: Sequence[Terms], settings: Resampling) -> Standings:
    """Which systems are better, of all pairs at once, by Bonferroni's correction."""
    n, known = len(runs), [at for at, run in enumerate(runs) if not math.isnan(run.total)]
    better = np.zeros((n, n), dtype=np.bool_)
    pairs = list(combinations(known, 2))
    differing = 0
    for (a, b), test in zip(pairs, tested(runs, pairs, settings) if pairs else [], strict=True):
        winner, loser = (a, b) if test.difference > 0 else (b, a)
        better[winner, loser] = test.p * len(pairs) < settings.alpha
        differing = max(differing, test.differing)
    return Standings(better, 0.0, differing)
