"""Differences of scores in standard errors: one pair tested by swapping its answers, and all pairs of a board at once.

Two runs that exchange their answers to some queries differ by D* instead of D. What is compared is not D but
T = |D| / SE, where the standard error is computed anew after every swap. With D alone the test keeps its level only if
the runs are exchangeable, and not already if their scores are equal; with T it is exact in the first case, and right
for many queries in the second (Janssen 1997; Chung & Romano, Annals of Statistics 41, 2013).

A score that is one sum over another, f = ΣN / ΣD, differs by the sum of v_i = (N_ai - f₀·D_ai) / ΣD_a - (N_bi -
f₀·D_bi) / ΣD_b, whatever f₀ is. It is the score of both runs taken together, as the null hypothesis has it, which no
swap changes; so SE² = (Σv² - (Σv)²/n) · n / (n - 1) is made of sums over queries, like the score itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import QUOTIENTS, Terms, of_mean
from coliee_ir.stats import resampling
from coliee_ir.stats.resampling import NEAR, Interval
from coliee_ir.stats.settings import Resampling

#: relative step of central differences
_STEP: Final = 1e-5
#: statistics nearer than this, relatively, are the same: sums of the same numbers in another order
_TIE: Final = 1e-7
#: a standard error below this share of the difference is rounding
_NO_ERROR: Final = 1e-8
#: this many contributions of pairs are held at once
_TOGETHER: Final = 1 << 17
#: runs whose pairs are bounded together, and how many trials of their pairs stay in the processor's cache
_GROUP: Final = 16
_CACHED: Final = 128
#: how many queries are looked at before it is asked which pairs may still differ in few
_LOOKED_AT: Final = 64


class PairTest(NamedTuple):
    """Two runs, tested.

    Attributes:
        difference: D, of the scores; NaN where one does not exist.
        error: its standard error.
        statistic: T = |D| / SE; infinite where nothing varies.
        p: the probability of such a T, or of a greater one, if the runs do not differ; two-sided.
        critical: what T must exceed to be significant; infinite where none can be.
        differing: how many queries the runs differ in; swaps of others change nothing.
    """

    difference: float
    error: float
    statistic: float
    p: float
    critical: float
    differing: int

    @property
    def is_hopeless(self) -> bool:
        """Whether no difference of the pair could be significant."""
        return math.isinf(self.critical)

    def interval(self, critical: float | None = None) -> Interval:
        """D ± c · SE, which leaves out 0 exactly if T exceeds c; NaN where it has no width or no end."""
        half = (self.critical if critical is None else max(critical, self.critical)) * self.error
        if not 0 < half < math.inf:
            return Interval(math.nan, math.nan)
        return Interval(self.difference - half, self.difference + half)


def tested(runs: Sequence[Terms], pairs: Sequence[tuple[int, int]], settings: Resampling) -> list[PairTest]:
    """Each pair tested alone, by the studentised paired randomisation test.

    A trial swaps the runs of a random half of the queries and computes both scores and the standard error of their
    difference anew, from sums. p = (hits + 1) / (n_resamples + 1), where a hit is a trial whose T is at least as great
    as the observed one, or does not exist. All pairs see the same swaps. Where a pair differs in so few queries that
    there are no more ways to swap them than n_resamples, p is the share of hits among all of these. Of accuracies, and
    wherever all queries that differ do so by the same amount, p is exact whatever their number: that is McNemar's
    exact test.

    Lines of queries that are not in the gold stay with their run. A score that is no quotient of two sums is replaced
    by its linearisation.
    """
    found: dict[int, PairTest] = {}
    drawn: list[tuple[int, _Pair]] = []
    for at, (a, b) in enumerate(pairs):
        pair = _Pair(runs[a], runs[b], a, b)
        if pair.unit is not None:
            found[at] = pair.binomial(settings.alpha)
        elif resampling.is_exact(pair.differing, settings.n_resamples):
            differs = _differs(runs[a], runs[b])
            change = _changing(pair.b.each[differs]) - _changing(pair.a.each[differs])
            every = resampling.every_swap(pair.differing, len(change))
            trials = [pair.after(change @ swaps.T.astype(np.float64)) for swaps in every]
            found[at] = pair.concluded(trials, settings.alpha)
        else:
            drawn.append((at, pair))
    found.update(_sampled(runs, drawn, settings))
    return [found[at] for at in range(len(pairs))]


def _sampled(
    runs: Sequence[Terms], drawn: Sequence[tuple[int, _Pair]], settings: Resampling
) -> Iterator[tuple[int, PairTest]]:
    """Pairs tested with random swaps. What a swap changes is the difference of two sums, each of a single run.

    Of the trials of a pair only those are held that its critical value can be among.
    """
    tails = [_Tail(pair.statistic, settings) for _, pair in drawn]
    places = sorted({place for _, pair in drawn if not pair.is_linear for place in pair.places})
    number = {place: at for at, place in enumerate(places)}
    own = np.array([_changing(runs[place].each) for place in places]).reshape(-1, len(runs[0].each))
    blocks = resampling.swaps(settings.seed, settings.n_resamples, len(runs[0].each), max(len(own), 5))
    for swaps in blocks if drawn else ():
        swapped = swaps.T.astype(np.float64)
        moved = (own @ swapped).reshape(len(places), 5, len(swaps))
        for (_, pair), tail in zip(drawn, tails, strict=True):
            if pair.is_linear:
                change = (_changing(pair.b.each) - _changing(pair.a.each)) @ swapped
            else:
                a, b = pair.places
                change = moved[number[b]] - moved[number[a]]
            tail.add(_ratio(*pair.after(change)))
    for (at, pair), tail in zip(drawn, tails, strict=True):
        yield at, pair.test(tail.p, tail.critical)


class _Tail:
    """The greatest statistics of random trials, and how many reach the observed one: what ``verdict`` would say."""

    def __init__(self, statistic: float, settings: Resampling) -> None:
        self.statistic, self.n = statistic, settings.n_resamples
        self.kept = _significant(settings.alpha, self.n + 1)
        self.hits = 0
        self.greatest = np.zeros(0)

    def add(self, values: FloatArray) -> None:
        """Further trials; shape (trials,)."""
        self.hits += int(_reach(values, self.statistic).sum())
        if len(self.greatest) == self.kept:
            values = values[values > self.critical]
        self.greatest = np.concatenate((self.greatest, values))
        if (besides := len(self.greatest) - self.kept) > 0:
            self.greatest = np.partition(self.greatest, besides)[besides:].copy()  # without those before

    @property
    def critical(self) -> float:
        """What the statistic must exceed to be significant."""
        return float(self.greatest.min(initial=math.inf))

    @property
    def p(self) -> float:
        """The observed one is counted in (Phipson & Smyth 2010)."""
        return (self.hits + 1) / (self.n + 1)


def _differs(a: Terms, b: Terms) -> BoolArray:
    """In which queries two runs differ; shape (Q,)."""
    return np.asarray((a.each != b.each).any(axis=1))


def _changing(each: FloatArray) -> FloatArray:
    """What a query adds to the sums of a run that swaps change: N, D, N², ND and D²; shape (5, Q)."""
    above, below = each.T
    return np.stack([above, below, above * above, above * below, below * below])


class _Pair:
    """Two runs whose scores are quotients of two sums, or are made so."""

    def __init__(self, a: Terms, b: Terms, *places: int) -> None:
        self.places = places
        self.differing = int(_differs(a, b).sum())
        self.n = int(((a.each != 0) | (b.each != 0)).any(axis=1).sum())
        self.difference = a.total - b.total
        self.is_linear = a.score not in QUOTIENTS
        if self.is_linear:
            apart = linearised(a, b) * len(a.each)
            a, b = of_mean(apart), of_mean(np.zeros(len(apart)))
        self.a, self.b = a, b
        self.totals = a.each.sum(axis=0) + a.besides, b.each.sum(axis=0) + b.besides
        above, below = self.totals[0] + self.totals[1]
        self.pooled = above / below if below else 0.0
        weights = np.array([1.0, -self.pooled])
        one, other = a.each @ weights, b.each @ weights
        #: Σe_a², Σe_b² and Σe_a·e_b, where e = N - f₀·D
        self.squares = float(one @ one), float(other @ other), float(one @ other)
        self.besides = float(a.besides @ weights), float(b.besides @ weights)
        self.unit = self._unit()
        observed, error = self.after(np.zeros((5, 1)))
        self.error, self.statistic = float(error[0]), float(_ratio(observed, error)[0])

    def _unit(self) -> float | None:
        """The amount by which all queries of two means differ that differ at all; None where it is not one amount."""
        if not (self.a.is_mean and self.b.is_mean and np.array_equal(self.a.each[:, 1], self.b.each[:, 1])):
            return None
        sizes = np.abs(self.a.each[:, 0] - self.b.each[:, 0])
        sizes = sizes[sizes > NEAR]
        if len(sizes) and np.ptp(sizes) > NEAR:
            return None
        return float(sizes[0]) if len(sizes) else 0.0

    def after(self, change: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The size of the difference and its standard error after swaps; shape (trials,)."""
        above_a, below_a = self.totals[0][:, None] + change[:2]
        above_b, below_b = self.totals[1][:, None] - change[:2]
        per_a = np.divide(1.0, below_a, out=np.zeros(len(below_a)), where=below_a > 0)
        per_b = np.divide(1.0, below_b, out=np.zeros(len(below_b)), where=below_b > 0)
        of_a, of_b = above_a * per_a, above_b * per_b
        squared = change[2] - 2 * self.pooled * change[3] + self.pooled**2 * change[4]
        squares = per_a * per_a * (self.squares[0] + squared) + per_b * per_b * (self.squares[1] - squared)
        squares -= 2 * self.squares[2] * per_a * per_b
        total = (above_a - self.pooled * below_a - self.besides[0]) * per_a
        total -= (above_b - self.pooled * below_b - self.besides[1]) * per_b
        difference = np.abs(of_a - of_b)
        if math.isnan(float(self.a.score(np.zeros(2)))):  # a mean of no query does not exist
            difference[(below_a <= 0) | (below_b <= 0)] = math.nan
        return difference, self._error(squares, total)

    def _error(self, squares: FloatArray, total: FloatArray) -> FloatArray:
        if self.n < 2:
            return np.zeros(len(squares))
        return np.sqrt(np.maximum(squares - total * total / self.n, 0.0) * (self.n / (self.n - 1)))

    def concluded(self, trials: Sequence[tuple[FloatArray, FloatArray]], alpha: float) -> PairTest:
        """What all possible trials say."""
        values = np.concatenate([_ratio(*trial) for trial in trials])
        critical, p = verdict(values, self.statistic, alpha, is_exact=True)
        return self.test(p, critical)

    def binomial(self, alpha: float) -> PairTest:
        """The same where all differences have one size: how many of them are positive is binomial."""
        apart = self.a.each[:, 0] - self.b.each[:, 0]
        n = int((np.abs(apart) > NEAR).sum())
        unit = self.unit or 0.0
        p = _two_sided(n, round(abs(float(apart.sum())) / unit) if unit else 0)
        significant = next((excess for excess in range(n % 2, n + 1, 2) if _two_sided(n, excess) < alpha), None)
        critical = math.inf
        if significant is not None:
            size = np.array([unit * (significant - 1) / self.n])
            critical = float(_ratio(size, self._error(np.array([n * (unit / self.n) ** 2]), size))[0])
        return self.test(p, critical)

    def test(self, p: float, critical: float) -> PairTest:
        """The pair, and what trials say of it."""
        missing = math.isnan(self.difference)
        statistic = math.nan if missing else self.statistic
        return PairTest(self.difference, self.error, statistic, math.nan if missing else p, critical, self.differing)


def linearised(a: Terms, b: Terms) -> FloatArray:
    """What each query contributes to the difference of two scores; shape (Q,).

    By the derivatives where both runs are taken together, which no swap changes; they add to the difference itself.
    """
    sums = (a.each.sum(axis=0) + a.besides + b.each.sum(axis=0) + b.besides) / 2
    apart = (a.each - b.each) @ np.nan_to_num(_gradient(a.score, sums))
    total = float(apart.sum())
    return apart * ((a.total - b.total) / total) if abs(total) > NEAR else apart


def _gradient(score: Callable[[FloatArray], FloatArray], sums: FloatArray) -> FloatArray:
    """The derivatives of a score by its sums; shape (…, T) as the sums."""
    found = np.empty_like(sums)
    for at in range(sums.shape[-1]):
        step = _STEP * np.maximum(np.abs(sums[..., at]), 1.0)
        above, below = sums.copy(), sums.copy()
        above[..., at] += step
        below[..., at] -= step
        found[..., at] = (score(above) - score(below)) / (2 * step)
    return found


def verdict(values: FloatArray, statistic: float, alpha: float, is_exact: bool) -> tuple[float, float]:
    """What a statistic must exceed to be significant, and its p value."""
    n, besides = len(values), 0 if is_exact else 1
    p = (int(_reach(values, statistic).sum()) + besides) / (n + besides)
    most = _significant(alpha, n + besides) - besides
    critical = float(-np.partition(-values, most)[most]) if most >= 0 else math.inf
    if is_exact and most >= 0:
        # the observed value is one of these: halfway to the next, so that no interval ends at 0
        greater = values[values > critical * (1 + _TIE)]
        critical = float(critical + min(greater.min(), 2 * critical + 1)) / 2 if len(greater) else math.inf
    return critical, p


def _significant(alpha: float, n: int) -> int:
    """How many hits among n leave p below alpha, at most."""
    return math.ceil(alpha * n) - 1


def _two_sided(n: int, excess: int) -> float:
    """The probability that of n fair coins one side shows at least ``excess`` more often than the other."""
    tail = sum(math.comb(n, k) for k in range((n - excess) // 2 + 1))
    return float(min(2 * tail / (1 << n), 1.0))


def _ratio(difference: FloatArray, error: FloatArray) -> FloatArray:
    """T; 0 without a difference, infinite where it alone is there or does not exist."""
    there = error > _NO_ERROR * difference
    ratio: FloatArray = np.divide(difference, error, out=np.full(len(difference), math.inf), where=there)
    ratio[difference <= NEAR] = 0.0
    return ratio


def _reach(values: FloatArray, statistic: float) -> BoolArray:
    """Which values are at least as great as the statistic, but for rounding."""
    return np.asarray(values >= _least(statistic))


def _least(statistic: float) -> float:
    return statistic * (1 - _TIE) if math.isfinite(statistic) else statistic


# ── Many pairs at once ────────────────────────────────────────────────────────────────────────────────────────────


class Family(NamedTuple):
    """Runs by one measure, and the pairs of them that are tested together with those of other families.

    Attributes:
        runs: the terms of each run, over the same queries.
        pairs: by their places; shape (P, 2).
    """

    runs: Sequence[Terms]
    pairs: Sequence[tuple[int, int]] | IntArray


class Joint(NamedTuple):
    """What pairs that are tested together must reach.

    Attributes:
        greatest: in rising order, the greatest T of any pair in each trial.
        critical: what any T must exceed for its difference to be significant among all.
        exact: whether all swaps were looked at.
        statistics: for each family, the observed T of its pairs; NaN where a score does not exist.
        errors: the standard errors of their differences; 0 where nothing varies.
    """

    greatest: FloatArray
    critical: float
    exact: bool
    statistics: Sequence[FloatArray]
    errors: Sequence[FloatArray]

    def p(self, test: PairTest) -> float:
        """The p value of a pair, corrected for all: the probability that any pair reaches its T."""
        if math.isnan(test.statistic):
            return math.nan
        hits = len(self.greatest) - int(np.searchsorted(self.greatest, _least(test.statistic)))
        besides = 0 if self.exact else 1
        return max((hits + besides) / (len(self.greatest) + besides), test.p)


def jointly(families: Sequence[Family], settings: Resampling) -> Joint:
    """The greatest T of all pairs, if no two runs differed: max-T.

    All pairs see the same swaps, so that what they have in common counts once. A swap turns the sign of what a query
    contributes to a pair's difference, which is fixed here, so that a board costs two sums a run and a few products a
    pair. Families may be of different measures; their queries are the same.

    Source: Westfall & Young 1993; Romano & Wolf, Econometrica 73, 2005, in its single-step form, whose simultaneous
    intervals agree with its p values.
    """
    n = len(families[0].runs[0].each)
    linear = [_Linear.of(*family) for family in families]
    width = sum(len(one.forms) + len(one.blocks) for one in linear)
    is_exact = resampling.is_exact(n, settings.n_resamples)
    swaps = (
        resampling.every_swap(n, width) if is_exact else resampling.swaps(settings.seed, settings.n_resamples, n, width)
    )
    greatest = [_greatest(linear, np.where(swapped.T, -1.0, 1.0)) for swapped in swaps]
    values = _t_of(np.sort(np.concatenate(greatest)), n)
    critical, _ = verdict(values, math.inf, settings.alpha, is_exact)
    return Joint(values, critical, is_exact, [one.statistics for one in linear], [one.errors for one in linear])


def _t_of(r: FloatArray, n: int) -> FloatArray:
    """T, of which r = (Σv)² / Σv² of n queries is a rising function."""
    squares: FloatArray = np.divide((n - 1) * r, n - r, out=np.full(len(r), math.inf), where=r < n * (1 - _TIE))
    return np.sqrt(squares)


def _greatest(linear: Sequence[_Linear], signs: FloatArray) -> FloatArray:
    return np.asarray(np.max([one.greatest(signs) for one in linear], axis=0))


class _Linear(NamedTuple):
    """What queries contribute to the differences of pairs, as slopes on forms of single runs.

    Attributes:
        forms: shape (K, runs, Q); runs are in the order of their scores.
        blocks: the pairs, by the groups of neighbouring runs that they belong to.
        statistics: shape (P,); the observed T of the pairs as they were given.
        errors: shape (P,); the standard errors of their differences.
    """

    forms: FloatArray
    blocks: Sequence[_Block]
    statistics: FloatArray
    errors: FloatArray

    @classmethod
    def of(cls, runs: Sequence[Terms], pairs: Sequence[tuple[int, int]] | IntArray) -> _Linear:
        in_order = np.argsort([run.total for run in runs], kind="stable")
        place = np.empty_like(in_order)
        place[in_order] = np.arange(len(runs))
        runs = [runs[at] for at in in_order.tolist()]
        both_ends = np.sort(place[np.asarray(pairs, dtype=np.int64).reshape(-1, 2)], axis=1)
        order = np.lexsort(both_ends.T[::-1])
        firsts, others = both_ends[order].T
        forms = np.stack([run.each for run in runs])
        totals = np.stack([run.each.sum(axis=0) + run.besides for run in runs])
        pooled = totals[firsts] + totals[others]
        if runs[0].score in QUOTIENTS:
            forms = forms / np.where(totals[:, 1] > 0, totals[:, 1], math.inf)[:, None, None]
            slopes = np.column_stack(
                (np.ones(len(pooled)), -pooled[:, 0] / np.where(pooled[:, 1] > 0, pooled[:, 1], 1))
            )
        else:
            slopes = np.nan_to_num(_gradient(runs[0].score, pooled / 2))
        # what no run has otherwise than the first, as the number of relevant documents, adds to no difference
        varies = (forms != forms[0]).any(axis=(0, 1))
        varying = np.flatnonzero(varies) if varies.any() else np.arange(1)
        columns, slopes = np.ascontiguousarray(np.moveaxis(forms, 2, 0)[varying]), slopes.T[varying]
        scores = np.array([run.total for run in runs])
        difference = np.abs(scores[firsts] - scores[others])
        r, squares = difference.copy(), np.zeros(len(order))
        for a in np.unique(firsts).tolist():
            rows = slice(int(np.searchsorted(firsts, a)), int(np.searchsorted(firsts, a, side="right")))
            for some in _pieces(rows, columns[:, 0].size):
                each = zip(columns, slopes[:, some], strict=True)
                apart = np.add.reduce([(of_run[a] - of_run[others[some]]) * slope[:, None] for of_run, slope in each])
                sizes = np.sqrt((apart**2).sum(axis=1))
                slopes[:, some] /= np.where(sizes > NEAR, sizes, math.inf)
                squares[some] = sizes * sizes
                r[some] = np.divide(r[some], sizes, out=np.zeros(len(sizes)), where=sizes > NEAR)
        statistics = np.empty(len(order))
        statistics[order] = _t_of(r * r, n := len(runs[0].each))
        errors = np.empty(len(order))
        errors[order] = np.sqrt(np.maximum(squares - difference**2 / n, 0.0) * n / max(n - 1, 1))
        return cls(columns, _Block.of_all(firsts, others, slopes, len(runs)), statistics, errors)

    def greatest(self, signs: FloatArray) -> FloatArray:
        """The greatest (Σv)² / Σv² of any pair; shape (trials,).

        A block of pairs is looked at only in the trials in which its bound exceeds what others have reached; the one
        with the highest bound comes first.
        """
        n, found = signs.shape[1], np.zeros(signs.shape[1])
        sums = (self.forms.reshape(-1, len(signs)) @ signs).reshape(*self.forms.shape[:2], n)
        starts = np.arange(0, sums.shape[1], _GROUP)
        ends = np.minimum.reduceat(sums, starts, axis=1), np.maximum.reduceat(sums, starts, axis=1)
        bounds = np.empty((len(self.blocks), n))
        for at, block in enumerate(self.blocks):
            bounds[at] = block.bound(sums, *ends)
        highest = bounds.argmax(axis=0)
        for is_first in (True, False):
            for at, block in enumerate(self.blocks):
                asked = highest == at if is_first else (bounds[at] >= found) & (highest != at)
                if len(trials := np.flatnonzero(asked)):
                    found[trials] = np.maximum(found[trials], block.greatest(sums, trials))
        return found * found


class _Block(NamedTuple):
    """The pairs of the runs of two groups, or of one, and what bounds their Σv.

    Each pair's slopes are a multiple of one direction, and a rest. So |Σv| is at most the greatest multiple times the
    range of that direction over the runs, and the greatest rests times the ranges of the forms. A single form has no
    other direction than its own, and its slopes are all rest.

    Attributes:
        firsts: the one group's runs.
        others: the other's.
        slopes: shape (K, firsts, others); 0 for what is no pair.
        direction: shape (K,).
        scale: the greatest multiple.
        rest: shape (K,); the greatest rests.
    """

    firsts: slice
    others: slice
    slopes: FloatArray
    direction: FloatArray
    scale: float
    rest: FloatArray

    @classmethod
    def of_all(cls, firsts: IntArray, others: IntArray, slopes: FloatArray, runs: int) -> list[_Block]:
        """The blocks of pairs: their two runs, each of shape (P,), and their slopes, shape (K, P)."""
        groups = -(-runs // _GROUP)
        numbers, block_of = np.unique(firsts // _GROUP * groups + others // _GROUP, return_inverse=True)
        each = np.zeros((len(numbers), len(slopes), _GROUP, _GROUP))
        each[block_of, :, firsts % _GROUP, others % _GROUP] = slopes.T
        made = []
        for number, of_block in zip(numbers.tolist(), each, strict=True):
            one, other = (slice(at * _GROUP, min((at + 1) * _GROUP, runs)) for at in divmod(number, groups))
            direction = of_block.sum(axis=(1, 2)) if len(slopes) > 1 else np.zeros(1)
            direction /= max(float(np.sqrt(direction @ direction)), NEAR)
            multiples = _along(direction, of_block)
            rest = np.abs(of_block - multiples * direction[:, None, None]).max(axis=(1, 2))
            held = of_block[:, : one.stop - one.start, : other.stop - other.start]
            made.append(cls(one, other, held, direction, float(np.abs(multiples).max()), rest))
        return made

    def bound(self, sums: FloatArray, least: FloatArray, most: FloatArray) -> FloatArray:
        """What no |Σv| of these pairs exceeds; shape (trials,)."""
        one, other = self.firsts.start // _GROUP, self.others.start // _GROUP
        ranges = np.maximum(most[:, one] - least[:, other], most[:, other] - least[:, one])
        bound = _along(self.rest, ranges)
        if self.scale:
            sums_of = [_along(self.direction, sums[:, group]) for group in (self.firsts, self.others)]
            apart = [a.max(axis=0) - b.min(axis=0) for a, b in (sums_of, sums_of[::-1])]
            bound += self.scale * np.maximum(*apart)
        return bound * (1 + _TIE)

    def greatest(self, sums: FloatArray, trials: IntArray) -> FloatArray:
        """The greatest |Σv| of these pairs in some trials; shape as ``trials``."""
        found = np.empty(len(trials))
        for start in range(0, len(trials), _CACHED):
            some = trials[start : start + _CACHED]
            total = np.zeros((*self.slopes.shape[1:], len(some)))
            for slopes, of_form in zip(self.slopes, sums, strict=True):
                apart = of_form[self.firsts, None, some] - of_form[self.others, some]
                apart *= slopes[:, :, None]
                total += apart
            total = total.reshape(-1, len(some))
            found[start : start + _CACHED] = np.maximum(total.max(axis=0), -total.min(axis=0))
        return found


def _along(direction: FloatArray, forms: FloatArray) -> FloatArray:
    """Σ direction · forms, of shapes (K,) and (K, …)."""
    return np.asarray(np.add.reduce([weight * form for weight, form in zip(direction, forms, strict=True)]))


def _pieces(rows: slice, of_row: int) -> Iterator[slice]:
    step = max(_TOGETHER // max(of_row, 1), 1)
    for start in range(rows.start, rows.stop, step):
        yield slice(start, min(start + step, rows.stop))


def better(runs: Sequence[Terms], settings: Resampling) -> BoolArray:
    """Which run is significantly better than which, all pairs tested together; shape (runs, runs).

    With a probability of ``settings.confidence_level`` none of these claims is wrong, however the runs were chosen from
    among them.
    """
    found = np.zeros((len(runs), len(runs)), dtype=np.bool_)
    scores = np.array([run.total for run in runs])
    known = np.flatnonzero(~np.isnan(scores))
    pairs: IntArray = known[np.column_stack(np.triu_indices(len(known), 1))]
    if not len(pairs) or not len(runs[0].each):
        return found
    joint = jointly([Family(runs, pairs)], settings)
    claimed = pairs[joint.statistics[0] > joint.critical]
    a, b = np.where((scores[claimed[:, 0]] > scores[claimed[:, 1]])[:, None], claimed, claimed[:, ::-1]).T
    found[a, b] = True
    # where a pair differs in few queries, the statistic of a board promises more than all swaps of them allow
    few = _differing_in_few(runs, claimed, resampling.exact_below(settings.n_resamples))
    for (one, other), test in zip(few, tested(runs, few, settings), strict=True):
        if test.p >= settings.alpha:
            found[[one, other], [other, one]] = False
    return found


def _differing_in_few(runs: Sequence[Terms], pairs: IntArray, n: int) -> list[tuple[int, int]]:
    """The pairs, of shape (P, 2), that differ in fewer than n queries."""
    each = np.stack([run.each for run in runs])
    found = []
    for a in np.unique(pairs[:, 0]).tolist():
        others = pairs[pairs[:, 0] == a, 1]
        differing = np.zeros(len(others), dtype=np.int64)
        for start in range(0, each.shape[1], _LOOKED_AT):
            some = slice(start, start + _LOOKED_AT)
            differing += (each[others, some] != each[a, some]).any(axis=2).sum(axis=1)
            others, differing = others[differing < n], differing[differing < n]
        found += [(a, b) for b in others.tolist()]
    return found
