"""Swaps, samples of queries and intervals: held to runs that are made and scored anew, and to scipy."""

import math
from itertools import islice, product

import naive_resampling as twin
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from naive_resampling import at_random, micro

from coliee_ir.measures.base import of_mean
from coliee_ir.stats import paired, resampling
from coliee_ir.stats.intervals import jackknife_t, wilson
from coliee_ir.stats.resampling import Resampling

SEED = 2026


# random numbers


@pytest.mark.parametrize("queries", [1, 2, 7, 63, 64, 65, 130, 400])
def test_swaps_and_samples_take_their_own_words_of_the_stream_of_pcg64(queries):
    stream = twin.bits(SEED)
    assert [next(stream) for _ in range(100)] == np.random.PCG64(SEED).random_raw(100).tolist()
    assert list(islice(twin.bits(SEED), 3)) == [3300764713747675562, 11804314397344746687, 8619580609625321962]
    assert np.concatenate(list(resampling.swaps(SEED, 50, queries))).tolist() == list(twin.swaps(SEED, 50, queries))
    wanted = [np.bincount(drawn, minlength=queries).tolist() for drawn in twin.draws(SEED, 50, queries)]
    assert np.concatenate(list(resampling.draws(SEED, 50, queries))).tolist() == wanted
    n = min(queries, 8)
    every = np.concatenate(list(resampling.every_swap(n))).tolist()
    assert sorted(every) == sorted(map(list, product([False, True], repeat=n)))


def test_how_many_are_held_at_once_changes_nothing_and_resamples_go_together_as_memory_allows(monkeypatch):
    for n, width in ((10, resampling.AT_ONCE // 5), (11, resampling.AT_ONCE // 5), (7, 1), (0, 1)):
        sizes = [*resampling.blocks(n, width)]
        assert sum(sizes) == n and all(0 < size * width <= resampling.AT_ONCE for size in sizes)
        assert len(sizes) == math.ceil(n * width / resampling.AT_ONCE)
    found = []
    for at_once in (resampling.AT_ONCE, 1, 200, 1000):
        monkeypatch.setattr(resampling, "AT_ONCE", at_once)
        found.append(np.concatenate(list(resampling.draws(SEED, 300, 30, 6))).ravel().tolist())
    assert found[1:] == found[:1] * 3


# resamples as runs


#: of these the standard error is the greater, the smaller the difference, so that it changes no p
_NAMES = ("MicroR@2", "MacroF2", "map", "nDCG@3", "num_ret", "Accuracy", "LabelAccuracy", "RationaleF1")
MONOTONE = [kind for kind in twin.KINDS if kind[0] in _NAMES and "skip" not in kind[2].values()]


@pytest.mark.parametrize(("measure", "task", "decisions"), MONOTONE)
def test_swaps_are_those_of_runs_that_swap_their_answers(measure, task, decisions):
    case = twin.case(5, measure, task, 5, **decisions)
    observed = abs(twin.difference(case, [False] * 5))
    # the other half swaps what this one leaves, which turns the difference around
    differences = [abs(twin.difference(case, (False, *swapped))) for swapped in product([False, True], repeat=4)]
    hits = sum(not difference < observed - 1e-9 for difference in differences)
    [found] = paired.tested(paired.Board(twin.terms_of(case)), [(0, 1)], Resampling(10_000))
    assert found.p == hits / 16


@pytest.mark.parametrize(("measure", "task", "decisions"), twin.KINDS)
def test_the_score_without_a_query_is_that_of_a_gold_without_it(measure, task, decisions):
    case = twin.case(11, measure, task, 8, **decisions)
    found = [resampling.left_out(terms) for terms in twin.terms_of(case)]
    for place in range(8):
        others = [at for at in range(8) if at != place]
        np.testing.assert_allclose([of_run[place] for of_run in found], twin.on_sample(case, others), rtol=1e-12)


@given(st.integers(1, 400), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95]))
def test_wilsons_interval_is_statsmodels(n, share, level):
    from statsmodels.stats.proportion import proportion_confint

    wanted = proportion_confint(round(share * n), n, alpha=1 - level, method="wilson")
    assert wilson(round(share * n), n, level) == pytest.approx(wanted, abs=1e-12)
    assert wilson(0, n, level).low >= 0 and wilson(n, n, level).high <= 1
    assert all(map(math.isnan, wilson(0, 0, level)))


# the interval of a score


def naive_jackknife_t(rows, level, within_1):
    """The interval of Σ rows[0] / Σ rows[1], written out, with scipy's t."""
    n, (above, below) = len(rows), map(sum, zip(*rows, strict=True))
    score, without = above / below, [(above - x) / (below - y) for x, y in rows]
    off = [one - sum(without) / n for one in without]
    second, fourth = sum(d**2 for d in off), sum(d**4 for d in off)
    uneven = fourth - second**2 / n
    degrees = min(2 * second**2 / uneven, n - 1) if uneven > 0 else n - 1
    half = float(scipy.stats.t.ppf((1 + level) / 2, min(max(int(degrees), 4), n - 1))) * math.sqrt((n - 1) / n * second)
    if not within_1:
        return score - half, score + half
    ends = (scipy.special.expit(scipy.special.logit(score) + sign * half / (score * (1 - score))) for sign in (-1, 1))
    low, high = map(float, ends)
    unseen = 1 - (1 - level) ** (1 / n)
    if sum(x == 0 for x, _ in rows) > n / 2 and score < 0.5:
        high = max(high, (1 - unseen) * score + unseen)
    if sum(x == y for x, y in rows) > n / 2 and score >= 0.5:
        low = min(low, (1 - unseen) * score)
    return low, high


@given(st.integers(0, 10**6), st.integers(6, 60), st.sampled_from([0.8, 0.95, 0.99]), st.booleans())
def test_the_interval_of_a_score_is_that_of_its_definition(seed, n, level, within_1):
    for run in (at_random(seed, n)[0], micro([(1, 1, 1)] * 4 + [(10, 22, 22)] * 2)):  # the other is half right
        if 0 < run.total < 1:
            wanted = naive_jackknife_t(run.each.tolist(), level, within_1)
            assert jackknife_t(run, level, within_1=within_1) == pytest.approx(wanted, abs=1e-9)
    values = np.repeat([3.0, 8.0], n)  # all as far from the mean: all degrees of freedom
    wanted = scipy.stats.ttest_1samp(values, 0).confidence_interval(level)
    assert jackknife_t(of_mean(values), level, within_1=False) == pytest.approx(tuple(wanted), rel=1e-9)


@pytest.mark.parametrize("is_high", [False, True])
def test_where_most_queries_are_alike_the_interval_knows_that_rare_ones_may_not_be_among_them(is_high):
    draw, held = np.random.default_rng(4), 0
    for _ in range(300):  # of 30 queries one is lost, or won, on average; those that vary do so by little
        rare, values = draw.random(30) < 1 / 30, np.where(draw.random(30) < 0.25, draw.random(30) / 10, 0.0)
        values = np.where(rare, 1.0, values)
        low, high = jackknife_t(of_mean(1 - values if is_high else values), 0.95)
        truth = 1 / 30 + 29 / 30 * 0.0125
        held += math.isnan(low) or low <= (1 - truth if is_high else truth) <= high
    assert held / 300 > 0.93  # the jackknife alone: about .7
    nearly, all_of_them = (jackknife_t(of_mean(np.append(np.ones(19), last)), 0.95) for last in (0.98, 1.0))
    assert nearly.low == pytest.approx(all_of_them.low, abs=0.02)


def test_the_order_of_queries_changes_no_degree_of_freedom():
    values, random = np.repeat([0.3, 0.1, 0.5], [16, 2, 2]), np.random.default_rng(0)  # ten degrees, but for rounding
    ends = [jackknife_t(of_mean(random.permutation(values)), 0.95) for _ in range(50)]
    assert np.ptp(ends, axis=0) == pytest.approx([0, 0], abs=1e-9)


@given(st.lists(st.sampled_from([0.0, 0.01, 0.5, 1.0]), min_size=2, max_size=30), st.floats(0.5, 0.999999))
def test_the_interval_of_a_score_holds_it_and_is_never_beyond_0_and_1(values, level):
    low, high = jackknife_t(of_mean(np.array(values)), level)
    if len(set(values)) == 1 and 0 < values[0] < 1:
        assert math.isnan(low)
    else:
        assert 0 <= low <= sum(values) / len(values) <= high <= 1


def test_an_interval_of_what_does_not_vary_or_exist_does_not_exist_and_what_is_left_out_is_not_counted():
    for values in (np.full(10, np.nan), np.array([0.25])):
        assert all(map(math.isnan, jackknife_t(of_mean(values), 0.95)))
    assert not resampling.Difference(0.0, 0.0, resampling.Interval(0.0, 0.0)).is_shown
    for n, low in ((100, 0.97), (1, 0)):  # the rule of three
        assert jackknife_t(of_mean(np.ones(n)), 0.95) == pytest.approx((low, 1), abs=1e-3)
    values = np.array([0.2, 0.9, 0.4, 0.1, 0.6, 0.3])
    assert jackknife_t(of_mean(np.append(values, [np.nan] * 9)), 0.95) == jackknife_t(of_mean(values), 0.95)
    assert all(map(math.isnan, resampling.percentile(np.full(10, np.nan), 0.95)))
    assert resampling.percentile(np.array([0.1, np.nan, 0.2, 0.3, np.nan]), 0.5) == pytest.approx((0.15, 0.25))


# effect


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans()), min_size=2, max_size=40))
def test_the_effect_on_a_mean_is_cohens_d_for_pairs(values):
    kept = np.array([kept for *_, kept in values])
    a, b = (np.where(kept, [value[at] for value in values], np.nan) for at in (0, 1))
    one, other = of_mean(a), of_mean(b)
    differences = (a - b)[kept]
    for difference, same, effect in ((0.0, [0.0, 0.0], 0.0), (0.3, [0.3, 0.3], math.nan), (0.3, [], math.nan)):
        assert resampling.effect(difference, np.array(same)) == pytest.approx(effect, nan_ok=True)  # without spread
    if len(differences) < 2 or differences.std(ddof=1) < 1e-6:
        return
    jackknife = (resampling.left_out(one) - resampling.left_out(other))[kept]
    wanted = differences.mean() / differences.std(ddof=1)
    assert resampling.effect(one.total - other.total, jackknife) == pytest.approx(wanted, abs=1e-6)


@given(st.integers(0, 10**6), st.integers(3, 40))
def test_the_effect_on_a_micro_score_is_in_deviations_of_pseudo_values(seed, n):
    a, b = at_random(seed, n)
    difference, jackknife = a.total - b.total, resampling.left_out(a) - resampling.left_out(b)
    wanted = difference / np.std(n * difference - (n - 1) * jackknife, ddof=1)
    assert resampling.effect(difference, jackknife) == pytest.approx(wanted)
