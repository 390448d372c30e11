"""Means over tasks: the textbook's stratified error, the flips of all signs counted one by one, and single queries."""

from itertools import combinations, product

import numpy as np
import pytest

from coliee_ir.stats import strata
from coliee_ir.stats.resampling import Resampling, Units

SIZES = (9, 3, 2)


def tasks_of(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def test_the_error_is_that_of_a_stratified_mean_whose_variances_are_moderated():
    for sizes in (SIZES, (5, 5), (30, 2, 4, 1)):
        values, task = np.random.default_rng(1).random(sum(sizes)), tasks_of(sizes)
        squares = [float(np.var(values[task == number]) * n) for number, n in enumerate(sizes)]
        pooled = sum(squares) / sum(n - 1 for n in sizes)
        terms = strata.terms_over_tasks(values, task)
        assert terms.total == pytest.approx(np.mean([values[task == number].mean() for number in range(len(sizes))]))
        assert not terms.is_mean
        parts = [(one + 2 * pooled) / (n + 1) / n for one, n in zip(squares, sizes, strict=True)]
        error, degrees = strata.error_of(terms)
        assert error == pytest.approx(np.sqrt(sum(parts)) / len(sizes))
        free = sum(parts) ** 2 / sum(part**2 / (n + 1) for part, n in zip(parts, sizes, strict=True))
        assert degrees == int(min(free, sum(sizes) - len(sizes)))


def test_groups_of_unequal_sizes_vary_only_as_their_scores_do_and_four_scores_have_no_bounded_interval():
    task, groups = tasks_of((12, 6)), {f"{at}": f"{at**2 // 20}" for at in range(18)}
    terms = Units.of([*groups], groups).terms(strata.terms_over_tasks(np.where(task, 0.3, 0.8), task))
    assert len(terms.each) < 18 and strata.error_of(terms)[0] == pytest.approx(0, abs=1e-12)
    assert strata.error_of(strata.terms_over_tasks(np.array([0.0, 1.0, 1.0, 0.5]), tasks_of((2, 2))))[1] == 0


@pytest.mark.parametrize("sizes", [(3, 4), (2, 5, 2), (1, 1, 4), (1, 6)])
def test_runs_are_better_where_few_flips_of_all_reach_as_far(sizes):
    random, task, pairs = np.random.default_rng(3), tasks_of(sizes), [*combinations(range(3), 2)]

    def statistic(d):
        parts = [d[task == number] for number in range(len(sizes))]
        squares = [float(((one - one.mean()) ** 2).sum()) for one in parts]
        pooled = sum(one * n * n for one, n in zip(squares, sizes, strict=True)) / (len(task) - len(sizes))
        moderated = [n * (one + 2 * pooled / n**2) / (n + 1) for one, n in zip(squares, sizes, strict=True)]
        return float(abs(d.sum()) / np.sqrt(sum(moderated)))

    for at in range(6):
        values = random.random((3, len(task))) + np.array([[0.0], [0.2], [0.9]]) * random.random()
        z = values / (len(sizes) * np.array(sizes)[task])
        observed = [statistic(z[a] - z[b]) for a, b in pairs]
        flips = [np.array(signs) for signs in product((1, -1), repeat=len(task))]
        greatest = np.array([max(statistic(signs * (z[a] - z[b])) for a, b in pairs) for signs in flips])
        p = [float((greatest > one * (1 - 1e-6)).mean()) for one in observed]
        for level in np.linspace(0.95, 0.3, 40):
            found = strata.standings([strata.terms_over_tasks(run, task) for run in values], Resampling(999, at, level))
            assert [bool(found.better[a, b] or found.better[b, a]) for a, b in pairs] == [one < 1 - level for one in p]
            assert [one > found.critical for one in observed] == [one < 1 - level for one in p]
            assert (found.drawn, found.differing) == (0, len(task))


def test_a_run_that_is_better_by_the_same_everywhere_is_better_and_equal_runs_are_not():
    task = tasks_of((40, 6, 2))
    values = np.random.default_rng(2).random(len(task))
    runs = [strata.terms_over_tasks(one, task) for one in (values + 0.01, values, values.copy(), values * np.nan)]
    better = strata.standings(runs, Resampling(999)).better
    assert better.tolist() == [[False, True, True, False], *[[False] * 4] * 3]
    alone = strata.standings([runs[0], runs[3]], Resampling(999))
    assert (alone.better.any(), np.isnan(alone.critical), alone.differing, alone.drawn) == (False, True, 0, 0)


def test_groups_with_queries_of_several_tasks_are_strata_of_their_own():
    task = np.array([0, 1, 0, 1, 0, 1, 0, 0, 1, 1])
    groups = dict(zip("abcdefghij", "uuvvwwxyzq", strict=True))
    terms = Units.of([*groups], groups).terms(strata.terms_over_tasks(np.arange(10.0), task))  # in the order quvwxyz
    stratum = strata.strata_of(terms).number
    assert {*stratum[[1, 2, 3]].tolist()}.isdisjoint(stratum[[0, 4, 5, 6]].tolist())
    assert stratum[4] == stratum[5] != stratum[0] == stratum[6]  # u w v, x y, z q
    apart, weight = dict.fromkeys("quvwxyz", 0.0), dict.fromkeys("quvwxyz", 0.0)
    for at, unit in enumerate(groups.values()):  # of two tasks with five queries each
        apart[unit] += (at - np.arange(10)[task == task[at]].mean()) / 10
        weight[unit] += 1 / 10
    squares = [np.var([apart[unit] for unit in of]) * len(of) for of in ("uvw", "xy", "zq")]
    weights = [np.mean([weight[unit] for unit in of]) for of in ("uvw", "xy", "zq")]
    pooled = sum(one / w**2 for one, w in zip(squares, weights, strict=True)) / (7 - 3)
    parts = [n * (one + 2 * pooled * w**2) / (n + 1) for n, one, w in zip((3, 2, 2), squares, weights, strict=True)]
    assert strata.error_of(terms)[0] == pytest.approx(np.sqrt(sum(parts)))
