"""One statistic for every comparison: the difference of two scores in standard errors of fixed contributions.

Two runs a and b whose scores are sums over sums, f = ΣN / ΣD, and a supposed difference δ. With the score of both taken
together, each query contributes
    v_i(δ) = v_i - δ g_i,   v_i = (N_ai - f₀ D_ai)/ΣD_a - (N_bi - f₀ D_bi)/ΣD_b,   Σ v_i = D,   Σ g_i = 1,
    g_i = ΣD_b/S · D_ai/ΣD_a + ΣD_a/S · D_bi/ΣD_b,   S = ΣD_a + ΣD_b,
    SE²(δ) = n/(n-1) · Σ (v_i(δ) - mean)² = A - 2Bδ + Cδ²,   T = D / SE(0).
p: the signs of v_i are flipped. Interval: {δ: (D-δ)² ≤ c² SE²(δ)}, c of the same flips. At δ = D, v_i(δ) = u_ai - u_bi,
where u = (N_i - f D_i)/ΣD. A score that is no quotient is replaced by its derivatives, for v where both runs are taken
together, for u at each run's own sums; then g = 1/n.

Sources: Janssen 1997 and Chung & Romano 2013 (studentised); Fieller 1954 (inversion); Zou & Donner 2008 (recovered
variance); Tango 1998 (accuracies); Hall 1992 (skewness); Westfall & Young 1993, Romano & Wolf 2005 (max-T); Mogstad et
al. 2024 (ranks).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import QUOTIENTS, Terms
from coliee_ir.stats import resampling
from coliee_ir.stats.resampling import NEAR, Interval, Resampling
from coliee_ir.stats.student import NORMAL, t_p, t_quantile

#: relative step of central differences
_STEP: Final = 1e-5
#: statistics nearer than this, relatively, are the same: sums of the same numbers in another order
_TIE: Final = 1e-7
#: for critical values that are infinite
_MOST: Final = 1e6
#: halvings in the search for the end of an accuracy's interval
_HALVINGS: Final = 45

#: of more runs than these, pairs are tested together only
MOST_ALONE: Final = 50
#: flips of pairs that are made for a joint test, at most; 10,000 of each pair of 158 runs
_AFFORDABLE: Final = 125_000_000
#: so many signs are kept for the next test of a call: 32 MB
KEPT: Final = 1 << 22
#: c where there is none
_FAR: Final = 4.0
#: of pairs that differ in fewer queries than these, joint intervals are wider (``benchmarks.error_rates``)
_FEW: Final = 30

#: so many decimals decide; what differs further behind is the rounding of floating-point numbers
DECIMALS: Final = 12

Pairs = Sequence[tuple[int, int]] | IntArray
#: a run, and those that it is compared with
_Row = tuple[int, slice | IntArray]


class PairTest(NamedTuple):
    """Two runs, tested."""

    difference: float  # D, of the scores; NaN where one does not exist
    error: float  # its standard error, if they do not differ
    p: float  # the probability of such a T, or of a greater one, if the runs do not differ; two-sided
    critical: float  # what T must exceed to be significant; infinite where none can
    differing: int  # how many queries the runs differ in
    interval: Interval  # without 0 exactly if p is significant; NaN for an end that there is not
    narrower: Interval  # the same at twice the level, for margins: each of its ends is wrong as often as p
    drawn: int = 0  # how many flips were drawn at random; 0 where all were made


class Null(NamedTuple):
    """What a statistic is if there is nothing to find."""

    reach: FloatArray  # in rising order, the greatest statistics that each trial still reaches, but for rounding
    tail: FloatArray  # p of each: the share of trials that reach as far; of random ones the observed one is counted too
    least: float  # p of a statistic beyond all of them
    drawn: int  # how many trials were drawn at random; 0 where these are all that there are

    @classmethod
    def of(cls, values: FloatArray, drawn: int, tail: FloatArray | None = None) -> Null:
        """Of the statistics of trials; or of all that there can be, in rising order, with their tails.

        Of all flips at least two reach the greatest statistic, one the mirror of the other, and rounding may part them.
        """
        values = np.sort(values)
        reach, rank = _reach(values), np.arange(len(values), 0, -1)
        if drawn:  # Phipson & Smyth 2010
            return cls(reach, (rank + 1) / (drawn + 1), 1 / (drawn + 1), drawn)
        tail = rank / len(values) if tail is None else tail
        return cls(reach, tail, float(tail[np.searchsorted(reach, values[-1])]), 0)

    def p(self, statistics: FloatArray) -> FloatArray:
        """The share of trials that reach it."""
        return np.append(self.tail, self.least)[np.searchsorted(self.reach, statistics)]

    def critical(self, alpha: float, observed: FloatArray | None = None) -> float:
        """c: p < alpha exactly where the statistic exceeds it; infinite where none can.

        Where there are only so many statistics, in the middle of the greatest one that is not significant and the next.
        What is ``observed`` of several pairs may be between these, and is the next then.
        """
        if self.least >= alpha * (1 - NEAR):
            return math.inf
        last = np.flatnonzero(self.tail >= alpha * (1 - NEAR))[-1]
        if self.drawn:
            return float(self.reach[last])
        beyond = self.reach[last + 1 :] if observed is None else np.append(self.reach[last + 1 :], observed)
        above = beyond[(beyond > _reach(self.reach[last])) & np.isfinite(beyond)].min(initial=math.inf)
        return float(self.reach[last] + (above if math.isfinite(above) else self.reach[last])) / 2


class Board:
    """Runs by one measure, over the same queries; all of ``runs`` have the same score function.

    Attributes:
        n: how many queries, or groups of them.
        f: shape (R,); the scores.
        span: the greatest difference that there can be: 1 for shares, else infinite.
        D, T: shape (R, R); the differences and their statistics; NaN where a score does not exist.
        A, B, C: shape (R, R); SE²(δ) = A - 2Bδ + Cδ².
        differing: shape (R, R); how many queries two runs differ in.
    """

    def __init__(self, runs: Sequence[Terms]) -> None:
        each, score = np.stack([run.each for run in runs]), runs[0].score
        self.terms, self.n, self.runs = runs, each.shape[1], len(runs)
        n, count = self.n, self.runs
        sums = each.sum(axis=1) + np.stack([run.besides for run in runs])
        self.f = np.array([run.total for run in runs])
        self.span = (
            1.0 if _are_within_0_and_1(self.f) and all(_are_within_0_and_1(score(run)) for run in each) else math.inf
        )
        self.is_quotient = score in QUOTIENTS
        if self.is_quotient:
            self.size = sums[:, 1]
            self.forms = np.moveaxis(each, 2, 0) * inverse(self.size)[:, None]
            pooled = (sums[:, None, 0] + sums[:, 0]) * inverse(sums[:, None, 1] + sums[:, 1])
            self.slopes = np.stack([np.ones((count, count)), -pooled])
            self.u = self.forms[0] - np.nan_to_num(self.f)[:, None] * self.forms[1]
        else:
            self.forms = np.moveaxis(each, 2, 0)
            self.slopes = np.moveaxis(np.nan_to_num(gradient(score, (sums[:, None] + sums) / 2)), 2, 0)
            own = (each @ np.nan_to_num(gradient(score, sums))[:, :, None])[:, :, 0]
            self.u = own - own.mean(axis=1, keepdims=True) if n else own
        varies = np.flatnonzero((self.forms != self.forms[:, :1]).any(axis=(1, 2)))
        self.has_sizes = self.is_quotient and 1 in varies
        #: forms that no two runs have otherwise add to no difference
        self.moved, self.moves = np.ascontiguousarray(self.forms[varies]), self.slopes[varies]
        self.D = self.f[:, None] - self.f
        self.A, self.B, self.C, self.norm, self.own, self.unit = (np.zeros((count, count)) for _ in range(6))
        self.differing, self.adding = (np.zeros((count, count), dtype=np.int64) for _ in range(2))
        k = n / max(n - 1, 1)
        columns = np.ascontiguousarray(np.moveaxis(each[:, :, (each != each[:1]).any(axis=(0, 1))], 2, 0))
        memory = np.zeros((2, count, n))
        for a in range(count - 1):
            rest = slice(a + 1, None)
            v, apart = memory[:, rest]
            _add_differences(self.moved, self.moves, (a, rest), v, apart)
            d = np.nan_to_num(self.D[a, rest])
            g, squares = self.weights(a, rest), np.einsum("ij,ij->i", v, v)
            squares[squares < NEAR**2] = 0.0
            self.norm[a, rest] = np.sqrt(squares)
            self.A[a, rest] = np.maximum(k * (squares - d**2 / n), 0)
            self.B[a, rest] = k * (np.einsum("ij,ij->i", v, g) - d / n)
            self.C[a, rest] = np.maximum(k * (np.einsum("ij,ij->i", g, g) - 1 / n), 0)
            np.subtract(self.u[a], self.u[rest], out=apart)
            self.own[a, rest] = np.sqrt(np.einsum("ij,ij->i", apart, apart))
            is_other = np.zeros(v.shape, dtype=np.bool_)
            for column in columns:
                is_other |= column[a] != column[rest]
            self.differing[a, rest] = np.count_nonzero(is_other, axis=1)
            sizes = np.abs(v, out=v)
            greatest = sizes.max(axis=1, initial=0)
            self.adding[a, rest] = np.count_nonzero(sizes > 1e-9 * greatest[:, None], axis=1)
            even = (squares >= self.adding[a, rest] * greatest**2 * (1 - 1e-9)) & (self.C[a, rest] < NEAR)
            self.unit[a, rest] = np.where(even, greatest * n, 0)  # of means that differ by one amount, if at all
        for of_pairs in (self.A, self.C, self.norm, self.own, self.unit, self.differing, self.adding):
            of_pairs += of_pairs.T
        self.B -= self.B.T
        missing = np.isnan(self.D)
        self.norm[missing] = self.own[missing] = self.unit[missing] = 0.0
        r = np.divide(self.D, self.norm, out=np.zeros_like(self.D), where=self.norm > 0)
        self.T = np.where(missing, np.nan, statistic(r, n))

    def weights(self, a: int, rest: slice) -> FloatArray:
        """The g of a run and each of others, shape (others, n); or of all runs, shape (1, n)."""
        if self.has_sizes:
            share = (self.size[rest] * inverse(self.size[rest] + self.size[a]))[:, None]
            return np.asarray(share * self.forms[1][a] + (1 - share) * self.forms[1][rest])
        return self.forms[1][:1] if self.is_quotient else np.full((1, self.n), 1 / max(self.n, 1))

    # ── What there is if runs do not differ ───────────────────────────────────────────────────────────────────────

    def signs(self, settings: Resampling, besides: Sequence[Board] = ()) -> Iterator[tuple[FloatArray, int]]:
        """Blocks of signs, shape (n, trials), and how many are drawn; all that there are, if these are not more."""
        boards = [self, *besides]
        differ = np.flatnonzero(np.any([(b.moved != b.moved[:, :1]).any(axis=(0, 1)) for b in boards], axis=0))
        return flips(differ, self.n, settings, 8 * sum(board.runs for board in boards))

    def flipped(
        self, sums: FloatArray, rows: Iterable[_Row], at_difference: bool = False
    ) -> Iterator[tuple[int, slice | IntArray, FloatArray]]:
        """Σ ±v / √Σv² of runs against others, shape (others, trials); each is overwritten by the next."""
        norm = self.own if at_difference else self.norm
        slopes = np.ones((1, self.runs, self.runs)) if at_difference else self.moves
        slopes = slopes * np.divide(1.0, norm, out=np.zeros_like(norm), where=norm > 1e-9 * norm.max(initial=0))
        memory = np.zeros((2, self.runs, sums.shape[-1]))
        for a, others in rows:
            r, apart = memory[:, : len(norm[a, others])]
            _add_differences(sums, slopes, (a, others), r, apart)
            yield a, others, r

    def greatest(self, signs: FloatArray, rows: Sequence[_Row], at_difference: bool = False) -> FloatArray:
        """The greatest |Σ ±v| / √Σv² of any pair; shape (trials,)."""
        greatest = np.zeros(signs.shape[1])
        sums = (self.u[None] if at_difference else self.moved) @ signs  # what each run has in Σ ±v
        for _, _, r in self.flipped(sums, rows, at_difference):
            np.maximum(greatest, np.abs(r, out=r).max(axis=0), out=greatest)
        return greatest

    # ── Intervals ─────────────────────────────────────────────────────────────────────────────────────────────────

    def intervals(
        self, pairs: IntArray, c: FloatArray, wider: FloatArray, z: float, p: FloatArray, alpha: float
    ) -> FloatArray:
        """The intervals that are printed, shape (P, 2), without 0 exactly where p < alpha; NaN for an end there is not.

        ``inverted`` with the greater c, and ``recovered`` where that reaches further. An end that would reach beyond 0
        though 0 is rejected is that of the test itself: ``inverted`` with its own c. ``scored`` for accuracies, and
        where so few queries differ that no T can be significant.
        """
        a, b = pairs.T
        d, n, adding, unit, c = self.D[a, b], self.n, self.adding[a, b], self.unit[a, b], np.minimum(c, _MOST)
        is_out, wider = p < alpha, np.maximum(c, np.minimum(wider, _MOST))
        few = (c >= _MOST) | (adding * (n - 1) <= c**2 * (n - adding)) | (_least(self, pairs) >= alpha)
        parts = [matrix[a, b] for matrix in (self.A, self.B, self.C)]
        ends, own = (inverted(d, parts, critical, is_out, self.span) for critical in (wider, c))
        is_open = (1 - wider**2 * parts[2] <= 0) & (np.abs(ends) >= self.span)
        if self.span == 1:
            reached = np.clip(self.recovered(a, b, wider), -1, 1)
            ends = np.array([np.minimum(ends[0], reached[0]), np.maximum(ends[1], reached[1])])
        ends = np.where(is_out & (ends * np.sign(d) <= 0), own, np.where(is_open, np.nan, ends))
        if len(instead := np.flatnonzero(few | (unit > 0))):
            size = np.where((unit > 0) & (is_out | (self.differing[a, b] > 5)), unit, self.span)[instead]
            ends[:, instead] = self.scored(pairs[instead], size, np.where(few, math.inf, c)[instead], z)
        return np.where(np.isfinite(ends) & ~np.isnan(d), ends, np.nan).T

    def scored(self, pairs: IntArray, unit: FloatArray, c: FloatArray, z: float) -> FloatArray:
        """The intervals of accuracies that their score test gives (Tango 1998), shape (2, P), for a test that is exact.

        The score at δ = 0 is d/√M, d = wins - losses among the M queries that differ by one unit. Its critical value is
        z, or where the exact test asks for more, half a query above the greatest d that is not significant. Queries
        that differ otherwise count as if they differed by the unit.
        """
        a, b = pairs.T
        n, d = self.n, np.nan_to_num(self.D[a, b]) * self.n / unit
        m = np.clip(self.adding[a, b], np.abs(d), n)
        root, reached = np.sqrt(np.maximum(m, 1)), root_scale(np.minimum(c, _MOST), n)
        lost = np.where(c < math.inf, np.maximum(np.ceil((m - reached * root) / 2 - NEAR), 0), 0)  # if not significant
        r = np.maximum(z, np.where(m > 0, (m - 2 * lost + 0.5) / root, z))
        (d, m, r), places = np.unique(np.array([d, m, r]), axis=1, return_inverse=True)
        return np.asarray(_tango(d, m, r, n)[:, places.ravel()] * unit)

    def recovered(self, a: IntArray, b: IntArray, c: FloatArray) -> FloatArray:
        """From the intervals of both scores, f ± c SE as logits, and their correlation (Zou & Donner 2008).

        low = D - √((f_a-l_a)² + (u_b-f_b)² - 2r (f_a-l_a)(u_b-f_b)); where few answers are right it is skew.
        """
        squares = (self.u @ self.u.T) * self.n / max(self.n - 1, 1)
        se, slope = np.sqrt(np.diag(squares)), self.f * (1 - self.f)
        r = squares[a, b] * inverse(se[a] * se[b])

        def reach(run: IntArray, way: int) -> FloatArray:
            f, inside = self.f[run], slope[run] > NEAR
            steps = np.minimum(c * se[run] * inverse(slope[run]), 700.0)
            odds = np.divide(f, 1 - f, out=np.ones_like(f), where=inside)
            return np.where(inside, np.abs(f - 1 / (1 + np.exp(-way * steps) / odds)), 0.0)

        sides = [(reach(a, -1), reach(b, 1)), (reach(a, 1), reach(b, -1))]
        low, high = (np.sqrt(np.maximum(x * x + y * y - 2 * r * x * y, 0)) for x, y in sides)
        return np.array([self.D[a, b] - low, self.D[a, b] + high])


def _add_differences(forms: FloatArray, slopes: FloatArray, row: _Row, total: FloatArray, apart: FloatArray) -> None:
    """What the forms of a run differ by from others', times their slopes; in memory that is there, which is faster."""
    a, others = row
    for place, (form, slope) in enumerate(zip(forms, slopes, strict=True)):
        target = apart if place else total
        np.subtract(form[a], form[others], out=target)
        target *= slope[a, others, None]
        if place:
            total += apart


def flips(differ: IntArray, n: int, settings: Resampling, width: int) -> Iterator[tuple[FloatArray, int]]:
    """Blocks of signs, shape (n, trials), and how many are drawn; all of those that differ, if these are not more."""
    if len(differ) < resampling.exact_below(settings.n_resamples):
        for swapped in resampling.every_swap(len(differ), width):
            signs = np.ones((n, len(swapped)))
            signs[differ] = np.where(swapped.T, -1.0, 1.0)
            yield signs, 0
        return
    for random in _swaps(settings.seed, settings.n_resamples, n, width):
        yield random, settings.n_resamples


def _swaps(seed: int, n_resamples: int, n: int, width: int) -> Iterator[FloatArray]:
    """Blocks of random signs, shape (n, trials); of all tests of a call the same, made once where they are few."""
    if n * n_resamples > KEPT:
        for swapped in resampling.swaps(seed, n_resamples, n, width):
            yield np.where(swapped.T, -1.0, 1.0)
        return
    signs, first = _cached_signs(seed, n_resamples, n), 0
    for trials in resampling.blocks(n_resamples, max(64 * ((n + 63) // 64), width)):
        yield signs[:, first : first + trials]
        first += trials


@lru_cache(maxsize=1)
def _cached_signs(seed: int, n_resamples: int, n: int) -> FloatArray:
    signs = np.where(np.concatenate([*resampling.swaps(seed, n_resamples, n)]).T, -1.0, 1.0)
    signs.flags.writeable = False
    return signs


def inverted(d: FloatArray, parts: Sequence[FloatArray], c: FloatArray, is_out: BoolArray, span: float) -> FloatArray:
    """{δ: (D-δ)² <= c² (A - 2Bδ + Cδ²)} of D and A, B, C; shape (2, P).

    Where 1 - c²C <= 0 the size of the whole is not known and the set has no end on one side or on both: it ends at
    ±span, and of two pieces the one counts that holds D (and 0, unless that is out).
    """
    q2, q1, q0 = 1 - c * c * parts[2], d - c * c * parts[1], d * d - c * c * parts[0]
    discriminant = q1 * q1 - q2 * q0
    root = np.sqrt(np.maximum(discriminant, 0.0))
    both = q1 + np.where(q1 >= 0, root, -root)
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.where(both != 0, q0 / both, 0.0)
        far = np.where(q2 != 0, both / q2, np.copysign(math.inf, both))
    low, high = np.fmin(near, far), np.fmax(near, far)
    is_open = q2 <= 0
    right = is_open & (high <= d)
    left = is_open & ~right & (low >= d)
    whole = is_open & ((discriminant <= 0) | ~(right | left))
    whole |= is_open & ~is_out & ((right & (high > 0)) | (left & (low < 0)))
    ends = np.where(right, high, np.where(left, -span, low)), np.where(right, span, np.where(left, low, high))
    low, high = np.where(whole, -span, ends[0]), np.where(whole, span, ends[1])
    return np.array([np.clip(low, -span, d), np.clip(high, d, span)])


def _tango(d: FloatArray, m: FloatArray, c: FloatArray, n: int) -> FloatArray:
    """{δ: |score(δ)| <= c} of d = wins - losses among m of n queries, by bisection; shape (2, P)."""
    d = np.array([d, -d])  # the upper end is the lower one, mirrored
    low, high = np.full(d.shape, -1.0), np.clip(d / n, -1, 1)
    for _ in range(_HALVINGS):
        x = (low + high) / 2
        linear = (2 * n - d) * x - m
        square = linear**2 + 4 * n * (m - d) * x * (1 - x)
        lost = (np.sqrt(np.maximum(square, 0)) - linear) / (4 * n)
        is_out = d - n * x > c * np.sqrt(np.maximum(n * (2 * lost + x * (1 - x)), 0))
        low, high = np.where(is_out, x, low), np.where(is_out, high, x)
    return np.array([low[0], -low[1]])


# ── Pairs by themselves ───────────────────────────────────────────────────────────────────────────────────────────


def tested(board: Board, pairs: Pairs, settings: Resampling) -> list[PairTest]:
    """Each pair by itself. All 2^d flips of d queries are made where these are not more than resamples.

    Where all contributions have one size p is binomial: of accuracies, McNemar's exact test.
    """
    pairs = _array(pairs)
    a, b = pairs.T
    p, c = np.ones(len(pairs)), np.full((2, 2, len(pairs)), math.inf)
    few = _is_exact(board, pairs, settings)
    for places, exact, critical in _exactly(board, pairs, few, settings):
        p[places], c[:, :, places] = exact, critical
    if not few.all():
        rows = np.concatenate((board.moved, board.u[None])).reshape(-1, board.n)  # one product for both is faster
        sums = np.concatenate([rows @ signs for signs, _ in board.signs(settings)], axis=1)
        as_it_is, centred = np.split(sums.reshape(-1, board.runs, sums.shape[1]), [-1])
        for run in np.unique(a[~few]).tolist():
            own = np.flatnonzero(~few & (a == run))
            row, which = [(run, b[own])], []
            for of_way, way in ((as_it_is, False), (centred, True)):
                r = np.abs(next(board.flipped(of_way, row, way))[2])
                which.append(r)
                c[int(way), :, own] = statistic(_exceeded(r, settings), board.n)
            observed = np.abs(board.D[run, b[own]]) * inverse(board.norm[run, b[own]])
            p[own] = ((_reach(which[0]) >= observed[:, None]).sum(axis=1) + 1) / (settings.n_resamples + 1)
    least = _least(board, pairs)
    p = np.where(np.isnan(board.D[a, b]), math.nan, np.maximum(p, least))
    ends = _intervals(board, pairs, c, _normal(settings), p, settings)
    fields = (board.D[a, b], np.sqrt(board.A[a, b]), p, np.where(least >= settings.alpha, math.inf, c[0, 0]))
    drawn = np.where(few, 0, settings.n_resamples)
    return [
        PairTest(difference, error, of_pair, critical, differing, Interval(*interval), Interval(*narrower), n)
        for difference, error, of_pair, critical, differing, interval, narrower, n in zip(
            *(field.tolist() for field in (*fields, board.differing[a, b], *ends, drawn)), strict=True
        )
    ]


def _exceeded(r: FloatArray, settings: Resampling) -> FloatArray:
    """What must be exceeded to be significant at each level, of random trials in rows; shape (rows, levels)."""
    n = settings.n_resamples
    most = [math.ceil(alpha * (n + 1) * (1 - NEAR)) - 2 for alpha in _levels(settings)]
    kth = [n - 1 - max(count, 0) for count in most]
    return np.where(np.array(most) < 0, math.inf, _reach(np.partition(r, kth, axis=1)[:, kth]))


def _reach(values: FloatArray) -> FloatArray:
    """The greatest values that these still reach, but for rounding."""
    return np.asarray(values + np.where(np.isfinite(values), _TIE * np.abs(values) + NEAR, 0.0))


def _is_exact(board: Board, pairs: IntArray, settings: Resampling) -> BoolArray:
    """Which pairs need no random flips."""
    a, b = pairs.T
    few = board.adding[a, b] < resampling.exact_below(settings.n_resamples)
    return np.asarray(few | (board.unit[a, b] > 0))


def _exactly(
    board: Board, pairs: IntArray, which: BoolArray, settings: Resampling
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """The pairs that need no random flips, those of one size together: their places, p and critical values."""
    a, b = pairs.T
    alike = np.where(board.unit[a, b] > 0, board.adding[a, b], -1 - np.arange(len(pairs)))
    for kind in np.unique(alike[which]).tolist():
        places = np.flatnonzero(which & (alike == kind))
        nulls = _null_of_pair(board, pairs[places[0]], settings)
        yield places, _p(nulls[0], board, pairs[places]), _critical(nulls, settings)[:, :, None]


def _null_of_pair(board: Board, pair: IntArray, settings: Resampling) -> list[Null]:
    """What the T of a pair that needs no random flips can be, at δ = 0 and at δ = D."""
    if board.unit[*pair] > 0:
        return [_of_one_size(int(board.adding[*pair]), board.n)] * 2
    two = board if board.runs == 2 else Board([board.terms[run] for run in pair.tolist()])
    return _greatest([(two, all_pairs(2))], settings)


@lru_cache(maxsize=1 << 8)
def _of_one_size(adding: int, n: int) -> Null:
    """What the T of a pair can be where so many contributions, of n, have one size: binomial."""
    excess = np.arange(adding % 2, adding + 1, 2)
    ways = [math.comb(adding, (adding - more) // 2) * (2 if more else 1) for more in excess.tolist()]
    tail = [count / (1 << adding) for count in accumulate(reversed(ways))]
    return Null.of(statistic(excess / math.sqrt(adding), n), 0, np.array(tail[::-1]))


def _greatest(
    families: Sequence[tuple[Board, IntArray]], settings: Resampling, ways: Sequence[bool] = (False, True)
) -> list[Null]:
    """What the greatest |T| of all pairs can be, at δ = 0 and at δ = D, under the same flips."""
    rows, n = [_rows(pairs) for _, pairs in families], families[0][0].n
    trials: list[list[FloatArray]] = [[] for _ in ways]
    drawn = 0

    def greatest(signs: FloatArray, way: bool) -> FloatArray:
        each = [board.greatest(signs, row, way) for (board, _), row in zip(families, rows, strict=True)]
        return np.asarray(np.max(each, axis=0))

    for signs, drawn in families[0][0].signs(settings, [board for board, _ in families[1:]]):  # noqa: B007
        for way, of_way in zip(ways, trials, strict=True):
            of_way.append(greatest(signs, way))
    nulls = [Null.of(statistic(np.concatenate(of_way), n), drawn) for of_way in trials]
    if not drawn and True in ways:  # at δ = D all queries contribute, not only those in which runs differ
        every = _swaps(settings.seed, settings.n_resamples, n, 8 * sum(board.runs for board, _ in families))
        centred = np.concatenate([greatest(signs, True) for signs in every])
        nulls[ways.index(True)] = Null.of(statistic(centred, n), settings.n_resamples)
    return nulls


def _observed(board: Board, pairs: IntArray) -> FloatArray:
    return np.asarray(np.abs(board.T[pairs[..., 0], pairs[..., 1]]))


def _p(null: Null, board: Board, pairs: IntArray) -> FloatArray:
    statistics = _observed(board, pairs)
    return np.asarray(np.where(np.isnan(statistics), math.nan, null.p(np.nan_to_num(statistics, posinf=math.inf))))


def _levels(settings: Resampling) -> tuple[float, float]:
    """That of tests, and twice that: two one-sided tests (Schuirmann 1987)."""
    return settings.alpha, min(2 * settings.alpha, 0.999)


def _normal(settings: Resampling) -> list[float]:
    return [NORMAL.inv_cdf(1 - alpha / 2) for alpha in _levels(settings)]


def _critical(nulls: Sequence[Null], settings: Resampling, observed: FloatArray | None = None) -> FloatArray:
    """Shape (nulls, levels)."""
    return np.array([[null.critical(alpha, observed) for alpha in _levels(settings)] for null in nulls])


def least_p(differing: IntArray | int) -> FloatArray:
    """The least p of runs that differ in so many queries: all of them on one side."""
    return np.asarray(np.minimum(2.0 ** (1.0 - np.asarray(differing)), 1.0))


def too_few_queries(
    differing: IntArray | int, critical: FloatArray | float, drawn: IntArray | int, alpha: float
) -> BoolArray:
    """Where runs differ, and in so few queries that not even all on one side are significant, or no flips of all."""
    few = (least_p(differing) >= alpha) | (np.isinf(critical) & np.equal(drawn, 0))
    return np.asarray(np.greater(differing, 0) & few)


def _least(board: Board, pairs: IntArray) -> FloatArray:
    return least_p(board.differing[pairs[:, 0], pairs[:, 1]])


def _intervals(
    board: Board, pairs: IntArray, c: FloatArray, z: Sequence[float], p: FloatArray, settings: Resampling
) -> list[FloatArray]:
    """Of each level; ``c`` of each pair, shape (2, 2, P)."""
    return [
        board.intervals(pairs, c[0, level], c[1, level], z[level], p, alpha)
        for level, alpha in enumerate(_levels(settings))
    ]


# ── All pairs at once ─────────────────────────────────────────────────────────────────────────────────────────────


class Joint(NamedTuple):
    """Pairs tested together: max-T in its single-step form, whose intervals agree with its p."""

    critical: float  # what any T must exceed for its difference to be significant among all
    p: list[FloatArray]  # for each family, the probability that any pair reaches a pair's T; shape (P,)
    # for each family, those that hold for all pairs at once, at both levels; shape (2, P, 2)
    intervals: list[FloatArray]
    drawn: int  # how many flips were drawn at random; 0 where all were made


def jointly(families: Sequence[tuple[Board, Pairs]], settings: Resampling) -> Joint:
    """Pairs of one or of several measures, under the same flips, so that what they have in common counts once.

    What all flips of a pair by itself do not allow is not significant among many either.
    """
    boards = [(board, _array(pairs)) for board, pairs in families]
    settings = affordable(settings, sum(len(pairs) for _, pairs in boards))
    nulls, n = _greatest(boards, settings), boards[0][0].n
    c = _critical(nulls, settings, np.concatenate([_observed(*family) for family in boards]))
    z = [
        max(float(root_scale(critical_value, n)), alone) if math.isfinite(critical_value) else _FAR
        for critical_value, alone in zip(c[0].tolist(), _normal(settings), strict=True)
    ]
    of_p, intervals = [], []
    for board, pairs in boards:
        p, own = _joint_p(nulls[0], board, pairs, settings)
        of_p.append(p)
        critical = _where_few_differ(board, pairs, np.maximum(c[:, :, None], own))
        intervals.append(np.stack(_intervals(board, pairs, critical, z, p, settings)))
    return Joint(float(c[0, 0]), of_p, intervals, nulls[0].drawn)


def joint_critical(board: Board, pairs: Pairs, settings: Resampling) -> float:
    """``Joint.critical`` alone."""
    pairs = _array(pairs)
    [null] = _greatest([(board, pairs)], affordable(settings, len(pairs)), (False,))
    return null.critical(settings.alpha, _observed(board, pairs))


def _joint_p(null: Null, board: Board, pairs: IntArray, settings: Resampling) -> tuple[FloatArray, FloatArray]:
    """The p of pairs tested together, shape (P,): random flips claim nothing that all flips of a pair do not.

    And the critical values of these flips, shape (2, 2, P), 0 where they were not needed.
    """
    p, c = np.maximum(_p(null, board, pairs), _least(board, pairs)), np.zeros((2, 2, len(pairs)))
    doubtful = (p < _levels(settings)[1]) & _is_exact(board, pairs, settings) & bool(null.drawn)
    for places, exact, critical in _exactly(board, pairs, doubtful, settings):
        p[places], c[:, :, places] = np.maximum(p[places], exact), critical
    return p, c


def _where_few_differ(board: Board, pairs: IntArray, c: FloatArray) -> FloatArray:
    """Critical values, shape (2, 2, P): of pairs that differ in few queries those at δ = D are t + γ (1 + 2t²)/6.

    Those that do not differ add nothing to what is known of the variance: t is Student's with m - 1 degrees of freedom
    where m differ. That m varies from sample to sample makes the sum skew: γ = |Σu³| / (Σu²)^1.5 (Hall 1992).
    """
    a, b = pairs.T
    m = board.adding[a, b]
    few = np.flatnonzero((m > 1) & (m < np.minimum(_FEW, board.n / 2)) & (c[0, 0] < _MOST))
    kinds, places = np.unique(np.vstack((m, c[0]))[:, few], axis=1, return_inverse=True)
    skew = np.zeros(len(few))
    for part in np.array_split(np.arange(len(few)), max(len(few) * board.n // resampling.AT_ONCE, 1)):
        u = board.u[a[few[part]]] - board.u[b[few[part]]]
        skew[part] = np.abs(np.einsum("ij,ij,ij->i", u, u, u)) * inverse(board.own[a, b][few[part]]) ** 3
    for level, values in enumerate(kinds[1:]):
        each = [
            t_quantile(1 - t_p(value, board.n - 1) / 2, int(degrees) - 1)
            for degrees, value in zip(kinds[0].tolist(), values.tolist(), strict=True)
        ]
        t = np.array(each)[places.ravel()]
        c[1, level, few] = np.maximum(c[1, level, few], t + skew * (1 + 2 * t * t) / 6)
    return c


def affordable(settings: Resampling, pairs: int) -> Resampling:
    """Of hundreds of runs fewer flips, so that all pairs of 500 take seconds."""
    return replace(settings, n_resamples=min(settings.n_resamples, max(_AFFORDABLE // max(pairs, 1), 999)))


# ── The ranks that runs may have ──────────────────────────────────────────────────────────────────────────────────


class Ranks(NamedTuple):
    """The ranks that a run may have, from 1; 0 for a run without a score."""

    best: int
    worst: int

    def __str__(self) -> str:
        if not self.best:
            return "-"
        return str(self.best) if self.best == self.worst else f"{self.best}–{self.worst}"


def better_than(scores: FloatArray, pairs: IntArray) -> BoolArray:
    """Which run is better than which, shape (R, R), by the pairs that differ significantly, shape (P, 2)."""
    better, (a, b) = np.zeros((len(scores), len(scores)), dtype=np.bool_), pairs.T
    is_above = scores[a] > scores[b]
    better[np.where(is_above, a, b), np.where(is_above, b, a)] = True
    return better


def rank_sets(scores: Sequence[float], better: BoolArray) -> list[Ranks]:
    """The ranks that each run may have, which hold for all runs at once.

    As many runs as are significantly better are before it, and as many as are significantly worse behind. A run with a
    greater score has no worse ends: where it had, its set is made wider. Equal scores have equal sets.

    Source: Mogstad, Romano, Shaikh & Wilhelm, Review of Economic Studies 91, 2024.
    """
    values = np.array([round(score, DECIMALS) for score in scores if not math.isnan(score)])
    n = len(values)
    best = np.minimum.accumulate((1 + better[:n, :n].sum(axis=0))[::-1])[::-1]  # of a run and those behind it
    worst = np.maximum.accumulate(n - better[:n, :n].sum(axis=1))  # of a run and those before it
    first, behind = (np.searchsorted(-values, -values, side) for side in ("left", "right"))
    sets = [Ranks(*ends) for ends in zip(best[first].tolist(), worst[behind - 1].tolist(), strict=True)]
    return sets + [Ranks(0, 0)] * (len(scores) - n)


def may_be_best(ranks: Sequence[Ranks]) -> list[bool]:
    """Which runs may be the best: all whose ranks begin at 1, and one alone only if it is before all others.

    So that "the best is X" holds whenever X is significantly better than each other run, of all pairs at once, and
    never otherwise; it is wrong no more often than any of these findings.
    """
    first = [possible for possible in ranks if possible.best == 1]
    limit = first[0].worst if len(first) == 1 else 1  # where only pairs that are not in a row were told apart
    return [0 < possible.best <= limit for possible in ranks]


class Standings(NamedTuple):
    """Where runs stand."""

    better: BoolArray  # shape (R, R); which run is significantly better than which, of all pairs at once
    critical: float  # what any T must exceed; infinite where nothing can be found
    differing: int = 0  # in how many queries any two runs differ, at most
    drawn: int = 0  # how many flips were drawn at random; 0 where all were made


def standings(runs: Sequence[Terms], settings: Resampling) -> Standings:
    """Which run is better than which, of all pairs at once, as ``compare`` finds it; one without a score than none."""
    scores = np.array([run.total for run in runs])
    scored = np.flatnonzero(~np.isnan(scores))
    if len(scored) < 2 or not len(runs[0].each):
        return Standings(better_than(scores, _array([])), math.nan)
    board, pairs = Board([runs[run] for run in scored.tolist()]), all_pairs(len(scored))
    if len(scored) > 2:
        settings = affordable(settings, len(pairs))
        [null] = _greatest([(board, pairs)], settings, (False,))
        p, drawn = _joint_p(null, board, pairs, settings)[0], null.drawn
        critical = null.critical(settings.alpha, _observed(board, pairs))
    else:  # a board of two is a pair
        [test] = tested(board, pairs, settings)
        p, critical, drawn = np.array([test.p]), test.critical, test.drawn
    better = better_than(scores, scored[pairs[p < settings.alpha]])
    return Standings(better, critical, int(board.differing.max()), drawn)


def _array(pairs: Pairs) -> IntArray:
    return np.asarray(pairs, dtype=np.int64).reshape(-1, 2)


def all_pairs(n: int) -> IntArray:
    """Those of n runs; shape (P, 2)."""
    return np.column_stack(np.triu_indices(n, 1))


def _rows(pairs: IntArray) -> list[_Row]:
    """Pairs by one of their runs, that of which there are fewer."""
    a, b = sorted(pairs.T, key=lambda ends: len(np.unique(ends)))
    rows: list[_Row] = []
    order = np.lexsort((b, a))
    runs, first = np.unique(a[order], return_index=True)
    for run, others in zip(runs.tolist(), np.split(b[order], first[1:]), strict=True):
        is_whole = int(others[-1]) - int(others[0]) + 1 == len(others)
        rows.append((run, slice(int(others[0]), int(others[-1]) + 1) if is_whole else others))
    return rows


def statistic(r: FloatArray, n: int) -> FloatArray:
    """T = Σv / SE, of which r = Σv / √Σv² is a rising function; infinite where nothing varies."""
    rest = n - r * r
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(rest > n * NEAR, r * np.sqrt((n - 1) / np.maximum(rest, n * NEAR)), np.copysign(math.inf, r))


def root_scale(t: FloatArray, n: int) -> FloatArray:
    """The r of which T is ``statistic``."""
    return np.asarray(t * np.sqrt(n / (n - 1 + t * t)))


def inverse(values: FloatArray) -> FloatArray:
    """1 / x, 0 for 0."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)


def _are_within_0_and_1(scores: FloatArray) -> bool:
    existing = scores[~np.isnan(scores)]
    return bool(((existing >= -NEAR) & (existing <= 1 + NEAR)).all())


def gradient(score: Callable[[FloatArray], FloatArray], sums: FloatArray) -> FloatArray:
    """The derivatives of a score by its sums; shape (…, T) as the sums."""
    slopes = np.empty_like(sums)
    for column in range(sums.shape[-1]):
        step = _STEP * np.maximum(np.abs(sums[..., column]), 1.0)
        above, below = sums.copy(), sums.copy()
        above[..., column] += step
        below[..., column] -= step
        slopes[..., column] = (score(above) - score(below)) / (2 * step)
    return slopes
