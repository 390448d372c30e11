"""Systems of several runs: held to their formulas in plain Python, with scipy's Student."""

import math
from itertools import combinations
from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_resampling import micro
from scipy.stats import t as student

from coliee_ir.measures.base import of_mean
from coliee_ir.stats import systems
from coliee_ir.stats.resampling import Resampling
from coliee_ir.stats.systems import error_of, outlook, system


class Naive:
    """A system: scores of its runs, contributions to them, and what queries are of the size of both."""

    def __init__(self, runs):
        each = [run.each.tolist() for run in runs]
        sums = [[sum(column) for column in zip(*rows, strict=True)] for rows in each]
        self.f = [above / below for above, below in sums]
        self.u = [
            [(x - f * y) / below for x, y in rows] for rows, f, (_, below) in zip(each, self.f, sums, strict=True)
        ]
        self.size, self.n = fmean(below for _, below in sums), len(each[0])
        self.mean = [fmean(column) for column in zip(*self.u, strict=True)]
        shares = [[y / below for _, y in rows] for rows, (_, below) in zip(each, sums, strict=True)]
        self.y = [fmean(column) for column in zip(*shares, strict=True)]

    def minus(self, other):
        """The differences of paired runs."""
        both = Naive.__new__(Naive)
        both.f, both.n = [a - b for a, b in zip(self.f, other.f, strict=True)], self.n
        both.u = [[a - b for a, b in zip(*rows, strict=True)] for rows in zip(self.u, other.u, strict=True)]
        both.mean = [fmean(column) for column in zip(*both.u, strict=True)]
        return both

    def spread(self, fixed, less=1.0):
        """S²_runs/R, what of it is beyond the rest, and its degrees of freedom; the rest may be less."""
        n, runs = self.n, len(self.f)
        rest = sum((n * (x - mean)) ** 2 for u in self.u for x, mean in zip(u, self.mean, strict=True))
        of_runs, of_rest = variance(self.f) / runs, rest / ((runs - 1) * (n - 1)) / (n * runs)
        between = of_runs if fixed else max(0.0, of_runs - of_rest)
        return between + less * (of_runs - between), between, runs - 1


def degrees(of_queries, n, spreads):
    total = of_queries + sum(between for _, between, _ in spreads)
    parts = of_queries**2 / (n - 1) + sum(s**2 / free for s, between, free in spreads if between)
    return max(int(total**2 / parts + 1e-12 * n), 1)  # rounding apart


def squared(values):
    return len(values) / (len(values) - 1) * sum((value - fmean(values)) ** 2 for value in values)


@st.composite
def several(draw, least=2):
    """Two or three systems of a few runs each, by a mean or a micro-average, where both parts of the variance count."""
    rng, n = np.random.default_rng(draw(st.integers(0, 10**6))), draw(st.integers(4, 12))
    between, is_mean, many = draw(st.sampled_from([0.0, 0.05, 0.2])), draw(st.booleans()), draw(st.integers(least, 4))
    made = []
    for at in range(draw(st.integers(2, 3))):
        values = 0.3 + 0.1 * at + 0.1 * rng.random((many + at, n)) + between * rng.random((many + at, 1))
        sizes = rng.integers(40, 90, (many + at, n))
        counts = np.stack(((values * sizes / 2).astype(int), sizes, sizes // 2), axis=-1).tolist()
        made.append([of_mean(row) if is_mean else micro(rows) for row, rows in zip(values, counts, strict=True)])
    return made


@given(several(), st.booleans())
def test_the_error_of_a_system_holds_queries_and_runs(made, fixed):
    for runs in made:
        naive = Naive(runs)
        of_queries, spread = 0.0 if fixed else squared(naive.mean), naive.spread(fixed)
        error, free = error_of(system(runs), fixed=fixed)
        assert error == pytest.approx(math.sqrt(of_queries + spread[1]))
        assert free == degrees(of_queries, naive.n, [spread])


@given(several(), st.booleans(), st.booleans())
def test_a_difference_of_systems_its_p_and_its_intervals_are_those_of_their_definition(made, paired, fixed):
    made = [runs[: len(made[0])] for runs in made] if paired else made
    labels = [str(at) for at in range(len(made[0]))] if paired else ()
    pairs = [*combinations(range(len(made)), 2)]
    found = systems.tested([system(runs, labels) for runs in made], pairs, Resampling(9), fixed=fixed)
    for (a, b), test in zip(pairs, found, strict=True):
        first, second = Naive(made[a]), Naive(made[b])
        d, whole = fmean(first.f) - fmean(second.f), first.size + second.size
        w = [x - y for x, y in zip(first.mean, second.mean, strict=True)]
        g = [(second.size * x + first.size * y) / whole for x, y in zip(first.y, second.y, strict=True)]
        spreads = [one.spread(fixed) for one in ([first.minus(second)] if paired else [first, second])]

        def variance_at(delta, d=d, w=w, g=g, spreads=spreads):
            of_queries = 0.0 if fixed else squared([x + (d - delta) * y for x, y in zip(w, g, strict=True)])
            return of_queries + sum(between for _, between, _ in spreads)

        free = degrees(0.0 if fixed else squared(w), len(w), spreads)
        assert (test.difference, test.error) == pytest.approx((d, math.sqrt(variance_at(0))))
        assert test.p == pytest.approx(2 * student.sf(abs(d) / test.error, free), rel=1e-6)
        assert test.critical == pytest.approx(student.isf(0.025, free))
        assert (test.differing, test.drawn) == (len(w), 0)
        for interval, alpha in ((test.interval, 0.05), (test.narrower, 0.1)):
            c = student.isf(alpha / 2, free)
            for end, way in zip(interval, (1, -1), strict=True):
                assert math.isnan(end) or (d - end) * way == pytest.approx(c * math.sqrt(variance_at(end)), rel=1e-5)
            assert math.isnan(sum(interval)) == (not fixed and c * c * squared(g) >= 1)


@given(several(least=3), st.sampled_from([0.3, 0.8, 0.95]))
def test_the_outlook_of_systems_solves_its_equation(made, power):
    sizes, pairs = [8, 40, 10**9], [*combinations(range(len(made)), 2)]
    found = outlook([system(runs) for runs in made], sizes, Resampling(9), power)
    shares = []
    for at, (a, b) in enumerate(pairs):
        first, second = Naive(made[a]), Naive(made[b])
        w = [x - y for x, y in zip(first.mean, second.mean, strict=True)]
        g = [(second.size * x + first.size * y) / (first.size + second.size)
             for x, y in zip(first.y, second.y, strict=True)]  # fmt: skip
        between = first.spread(False)[1] + second.spread(False)[1]
        shares.append(max(x * x for x in w) / (squared(w) + between))
        for size, of_size in zip(sizes, found.found, strict=True):
            less = len(w) / size
            free = degrees(less * squared(w), size, [one.spread(False, less) for one in (first, second)])
            c, z = student.isf(0.025 / len(pairs), free), student.ppf(power, free)
            least, e = of_size[at], less * squared(w)
            if math.isfinite(least):
                alone = c * math.sqrt(e + less * squared(g) * least**2 + between) + z * math.sqrt(e + between)
                assert least == pytest.approx(alone, rel=1e-6)
                assert least <= 1
        assert found.at_best[at] == (found.found[2][at] if between else 0.0)
    assert (found.pairs, found.largest_share) == (pairs, pytest.approx(np.median(shares)))


@given(st.integers(0, 10**6))
def test_systems_stand_by_bonferronis_correction(seed):
    rng = np.random.default_rng(seed)
    runs = [system([of_mean(rng.normal(0.15 * at, 0.2, 12)) for _ in range(3)]) for at in range(3)]
    found, pairs = systems.standings(runs, Resampling(9)), [(0, 1), (0, 2), (1, 2)]
    assert found.differing == 12
    for (a, b), test in zip(pairs, systems.tested(runs, pairs, Resampling(9)), strict=True):
        winner, loser = (a, b) if test.difference > 0 else (b, a)
        assert found.better[winner, loser] == (test.p * 3 < 0.05) and not found.better[loser, winner]
    values, sizes = rng.random(12), rng.integers(2, 9, 12)
    for a, b, p in (
        (of_mean(values), of_mean(values), 1),
        (of_mean(values), of_mean(values + 0.1), math.nan),  # of which no query differs from the mean
        (micro([(0, n, n) for n in sizes]), micro([(n, n, n) for n in sizes]), 0),
    ):
        [found] = systems.tested([system([run] * 3) for run in (a, b)], [(0, 1)], Resampling(9))
        assert found.p == pytest.approx(p, abs=0.01, nan_ok=True)
        assert (found.error > 0) == (p == 0)
