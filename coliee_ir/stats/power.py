"""What a test of other queries will find, in closed form from the standard errors of these."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import FloatArray
from coliee_ir.stats.paired import Board, Pairs, inverse, joint_critical, statistic
from coliee_ir.stats.resampling import NEAR, Resampling
from coliee_ir.stats.student import NORMAL, t_quantile

#: halvings in the search for an accuracy's least difference, which end at .0005
_STEPS: Final = 11
#: numbers of questions answered differently that stand for all that are likely
_SAMPLED: Final = 32
#: of more pairs than these, accuracies are rounded before they are planned for, and of others some are looked at
_PAIRS: Final = 50
#: samples of a quarter of the queries
_QUARTERS: Final = 40


def least_found(
    board: Board, pairs: Pairs, sizes: Sequence[int], settings: Resampling, power: float
) -> Iterator[FloatArray]:
    """For each number n' of queries, or groups, the least difference of each pair that is found; infinite for none.

    δ is found with power Φ(z) where δ = s (c √(E² + Cδ²) + z E), s² = (n/n')^β: E is the standard error of the
    difference as it is, C what the sizes of queries add to it where the test supposes no difference, c Student's
    critical value with n' - 1 degrees of freedom, of several pairs that of the joint test of these queries, as much
    greater or less; β by ``_falling``.
    Where all queries that differ do so by one amount, as of accuracies, by ``_least_of_answers``.
    """
    pairs = np.array(pairs)
    (a, b), n, z = pairs.T, board.n, NORMAL.inv_cdf(power)
    joint = joint_critical(board, pairs, settings) if len(pairs) > 1 else math.inf
    error, spread = board.own[a, b] * math.sqrt(n / max(n - 1, 1)), board.C[a, b]
    unit = board.unit[a, b]
    of_answers = np.flatnonzero(unit > 0)
    tables, falling = _Tables.of(board, pairs[of_answers]), _falling(board, pairs[unit == 0])
    for size in sizes:
        if math.isfinite(joint):
            c = joint * _student(size, settings) / _student(n, settings)
        else:
            c = _student(size, settings, len(pairs))
        s = (n / size) ** (falling / 2)
        left = 1 - (c * s) ** 2 * spread
        root = z + np.sqrt(np.maximum(z * z - left * (z * z - c * c), 0.0))
        least = np.where(left > 0, s * error * root / np.where(left > 0, left, 1), math.inf)
        if len(of_answers):
            test = ExactTest(size, settings.alpha, c if len(pairs) > 1 else 0.0)
            least[of_answers] = unit[of_answers] * _least_of_answers(tables, test, power)
        if 2.0 ** (1 - size) >= settings.alpha:
            least[:] = math.inf  # all queries on one side give no smaller p
        yield np.where(least > board.span, math.inf, least)  # no two scores are so far apart


def _falling(board: Board, pairs: IntArray) -> float:
    """β, where the variance of a difference falls with the number of queries as n^-β; the median over some pairs.

    It is 1 where queries are alike. Where few have most of the variance, more queries bring larger ones: β is how much
    greater the variance typically is among a quarter of these queries (samples without replacement; Bickel, Götze and
    van Zwet 1997).
    """
    n, m, each = board.n, board.n // 4, list[float]()
    order = np.argsort(np.random.PCG64(0).random_raw(_QUARTERS * n).reshape(_QUARTERS, n), axis=1)[:, :m]
    for a, b in pairs[:: len(pairs) // _PAIRS + 1].tolist() if m > 1 else ():
        u, g = (board.u[a] - board.u[b])[order], board.weights(a, slice(b, b + 1))[0][order]
        scale = inverse(g.sum(axis=1, keepdims=True))
        apart = (u - u.sum(axis=1, keepdims=True) * scale * g) * scale
        of_quarter = float(np.median((apart**2).sum(axis=1))) * m / (m - 1)
        of_all = float(board.own[a, b]) ** 2 * n / (n - 1)
        falls = math.log(of_quarter / of_all) / math.log(n / m) if min(of_quarter, of_all) > 0 else 0.0
        each.append(min(max(falls, 0.5), 1.0))
    return float(np.median(each)) if each else 1.0


class _Tables(NamedTuple):
    """What two runs answer, of each pair: each of shape (P,)."""

    middle: FloatArray  # the mean of the two accuracies
    odds_ratio: FloatArray  # of right answers of the one and of the other

    @classmethod
    def of(cls, board: Board, pairs: IntArray) -> _Tables:
        """From this year's answers, a quarter of a question added to each cell; half is too careful."""
        a, b = pairs.T
        n, different = board.n, board.adding[a, b]
        won = np.abs(board.D[a, b]) / board.unit[a, b] * n
        lost = (different - won) / 2
        is_share = np.abs(board.unit[a, b] - 1) < NEAR
        middle = np.clip(np.where(is_share, (board.f[a] + board.f[b]) / 2, 0.5), 0, 1)
        both = np.clip(n * middle - different / 2, 0, n - different)
        cells = both, n - different - both, lost + won, lost
        right, wrong, only_a, only_b = (np.maximum(cell, 0) + 0.25 for cell in cells)
        return cls(middle, right * wrong / (only_a * only_b))

    def discordant(self, difference: FloatArray) -> FloatArray:
        """The share of questions that the two answer differently, if their accuracies differ by so much.

        The odds ratio stays as it is (Plackett 1965), and so does the mean, unless an accuracy would leave 0 to 1.
        """
        middle = np.clip(self.middle, difference / 2, 1 - difference / 2)
        low, high, ratio = middle - difference / 2, middle + difference / 2, self.odds_ratio
        s = 1 + (low + high) * (ratio - 1)
        root = np.sqrt(np.maximum(s * s - 4 * ratio * (ratio - 1) * low * high, 0))
        independent = np.abs(ratio - 1) < NEAR
        both = np.where(independent, low * high, (s - root) / np.where(independent, 1, 2 * (ratio - 1)))
        return np.asarray(np.clip(low + high - 2 * both, difference, 1))


class ExactTest:
    """McNemar's exact test of so many questions."""

    def __init__(self, n: int, alpha: float, exceeded: float) -> None:
        self.n, self.alpha, self.exceeded = n, alpha, exceeded
        self._logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, n + 1)))))
        self._critical: dict[int, int] = {}

    def critical(self, different: int) -> int:
        """How many of so many questions answered differently must be won; more than there are where none suffice."""
        if different not in self._critical:
            won = np.arange(different // 2 + 1, different + 1)
            tail = np.cumsum(np.exp(self._binomial(np.array(different), won, np.array(0.5)))[::-1])[::-1]
            reached = statistic((2 * won - different) / math.sqrt(max(different, 1)), self.n) > self.exceeded
            enough = won[(2 * tail < self.alpha) & reached]
            self._critical[different] = int(enough[0]) if len(enough) else different + 1
        return self._critical[different]

    def power(self, discordant: float, difference: float) -> float:
        """How often a difference is found if the two answer such a share of all questions differently."""
        reach = 5 * math.sqrt(self.n * discordant * (1 - discordant)) + 1
        low = max(math.ceil(self.n * discordant - reach), 0)
        high = min(math.floor(self.n * discordant + reach), self.n)
        counts = np.unique(np.linspace(low, high, min(high - low + 1, _SAMPLED)).round().astype(np.int64))
        weights = np.exp(self._binomial(np.array(self.n), counts, np.array(discordant)))
        critical = np.array([self.critical(count) for count in counts.tolist()])
        won = np.arange(int(critical.min()), int(counts[-1]) + 1)
        is_found = (won >= critical[:, None]) & (won <= counts[:, None])
        share = np.array((1 + difference / discordant) / 2)
        wins = np.minimum(won, counts[:, None])
        tails = np.where(is_found, np.exp(self._binomial(counts[:, None], wins, share)), 0).sum(axis=1)
        return float(weights @ tails / weights.sum())

    def _binomial(self, n: IntArray, k: IntArray, p: FloatArray) -> FloatArray:
        """The logarithm of the probability of k of n."""
        p = np.clip(p, 1e-300, 1 - 1e-16)
        ways = self._logs[n] - self._logs[k] - self._logs[n - k]
        return np.asarray(ways + k * np.log(p) + (n - k) * np.log1p(-p))


def _least_of_answers(tables: _Tables, test: ExactTest, power: float) -> FloatArray:
    """The least differences of accuracies that McNemar's exact test finds; infinite for none; shape (P,).

    Of n questions M ~ Bin(n, π) are answered differently and of these X ~ Bin(M, (1 + δ/π)/2) are won, with π by
    ``_Tables.discordant``. So the variance of a difference is π - δ² and never below δ - δ².
    """
    places = np.arange(len(tables.middle))
    if test.power(1.0, 1.0) < power:
        return np.full(len(places), math.inf)
    if len(places) > _PAIRS:  # of many pairs, those that are nearly the same are solved once
        near = np.round(np.column_stack((tables.middle / 0.04, np.log(tables.odds_ratio) / 0.2)))
        kinds, places = np.unique(near, axis=0, return_inverse=True)
        tables = _Tables(np.clip(kinds[:, 0] * 0.04, 0, 1), np.exp(kinds[:, 1] * 0.2))
    low, high = np.zeros(len(tables.middle)), np.ones(len(tables.middle))
    for _ in range(_STEPS):
        middle = (low + high) / 2
        shares = zip(tables.discordant(middle).tolist(), middle.tolist(), strict=True)
        enough = np.array([test.power(*pair) for pair in shares]) >= power
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high[places.ravel()]


def _student(n: int, settings: Resampling, pairs: int = 1) -> float:
    return t_quantile(1 - settings.alpha / 2 / pairs, n - 1)


def largest_share(board: Board, pairs: Pairs) -> float:
    """Which share of the variance of a difference the query has that has most of it; the median over pairs."""
    a, b = np.array(pairs).T
    greatest = np.array([np.abs(board.u[run] - board.u[other]).max() for run, other in zip(a, b, strict=True)])
    error = board.own[a, b]
    return float(np.median((greatest / np.where(error > 0, error, math.inf)) ** 2))


def told_apart_by(board: Board, pairs: Pairs) -> int:
    """How many queries tell the runs of a typical pair apart that is planned for by the exact test; 0 for others."""
    a, b = np.array(pairs).T
    return int(np.median(np.where(board.unit[a, b] > 0, board.adding[a, b], 0)))
