"""Swaps, bootstrap samples and intervals: held to runs that are made and scored anew, to fractions, and to scipy."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Sequence
from itertools import islice, product

import naive_resampling as twin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit
from statsmodels.stats.proportion import proportion_confint

from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures.base import Terms, of_mean
from coliee_ir.measures.sets import f_measure
from coliee_ir.stats import resampling, studentised
from coliee_ir.stats.intervals import jackknife_t
from coliee_ir.stats.settings import Resampling

SEED = 2026


def terms_of(case: twin.Case) -> list[Terms]:
    return [next(iter(scores.results.values())).terms for scores in case.scored()]


def micro(counts: Sequence[Sequence[int]], extra: int = 0) -> Terms:
    """The terms of micro-F1 from correct, retrieved, relevant of each query."""
    each = np.array(counts, dtype=np.float64).reshape(-1, 3)
    return Terms(each, lambda sums: f_measure(*np.moveaxis(sums, -1, 0), 1.0), np.array([0.0, extra, 0.0]), False)


def at_random(seed: int, queries: int, runs: int = 2) -> list[Terms]:
    """Runs on the same queries, as micro-F1."""
    random = np.random.default_rng(seed)
    relevant = random.integers(1, 6, queries)
    made = []
    for _ in range(runs):
        correct = random.binomial(relevant, random.uniform(0.2, 0.7, queries))
        made.append(micro(np.column_stack((correct, correct + random.integers(0, 4, queries), relevant)).tolist()))
    return made


# random numbers


def test_the_random_bits_are_those_of_pcg64_whatever_numpys_generator_makes_of_them() -> None:
    stream = twin.bits(SEED)
    assert [next(stream) for _ in range(100)] == np.random.PCG64(SEED).random_raw(100).tolist()
    assert list(islice(twin.bits(SEED), 3)) == [3300764713747675562, 11804314397344746687, 8619580609625321962]


@pytest.mark.parametrize("queries", [1, 2, 63, 64, 65, 130])
def test_each_trial_takes_its_swaps_from_its_own_words(queries: int) -> None:
    found = np.concatenate(list(resampling.swaps(SEED, 50, queries)))
    assert found.tolist() == list(twin.swaps(SEED, 50, queries))


@pytest.mark.parametrize("queries", [1, 2, 7, 81, 400])
def test_each_sample_counts_the_queries_that_were_drawn(queries: int) -> None:
    found = np.concatenate(list(resampling.draws(SEED, 50, queries)))
    wanted = [np.bincount(drawn, minlength=queries).tolist() for drawn in twin.draws(SEED, 50, queries)]
    assert found.tolist() == wanted


def test_half_of_the_queries_swap_and_each_query_is_drawn_once_on_average() -> None:
    swapped = np.concatenate(list(resampling.swaps(SEED, 4000, 100)))
    assert abs(swapped.mean(axis=0) - 0.5).max() < 4.5 * 0.5 / math.sqrt(4000)
    drawn = np.concatenate(list(resampling.draws(SEED, 4000, 100)))
    assert (drawn.sum(axis=1) == 100).all()
    assert abs(drawn.mean(axis=0) - 1).max() < 4.5 / math.sqrt(4000)


@pytest.mark.parametrize("queries", [1, 3, 8])
def test_every_swap_comes_once(queries: int) -> None:
    found = np.concatenate(list(resampling.every_swap(queries))).tolist()
    assert sorted(found) == sorted(map(list, product([False, True], repeat=queries)))


@pytest.mark.parametrize("at_once", [1, 200, 1000])
def test_how_many_are_held_at_once_changes_nothing(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = at_random(1, 30, 3)

    def found() -> list[float]:
        return resampling.bootstrapped(runs, 300, SEED).ravel().tolist()

    whole = found()
    monkeypatch.setattr(resampling, "_AT_ONCE", at_once)
    assert found() == whole


def test_memory_does_not_grow_with_the_number_of_resamples() -> None:
    runs = at_random(1, 400, 54)

    def peak(n_resamples: int) -> int:
        tracemalloc.start()
        studentised.tested(runs, [(0, 1), (52, 53)], Resampling(n_resamples))
        studentised.better(runs, Resampling(n_resamples))
        highest = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        samples = resampling.bootstrapped(runs, n_resamples, SEED)
        highest = max(highest, tracemalloc.get_traced_memory()[1] - samples.nbytes)
        tracemalloc.stop()
        return highest

    most = peak(24_000)
    assert most < min(1.1 * peak(12_000), 80 << 20)
    assert peak(10_000) < most  # whose samples are kept for the next time


@pytest.mark.parametrize(("queries", "width"), [(1, 1), (7, 1), (300, 1), (300, 70_000)])
def test_samples_that_are_kept_are_those_that_are_drawn(
    queries: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = [list(resampling.draws(SEED, 40, queries, width)) for _ in range(2)]
    monkeypatch.setattr(resampling, "_KEPT", 0)
    drawn = list(resampling.draws(SEED, 40, queries, width))
    for blocks in kept:
        assert [block.dtype for block in blocks] == [block.dtype for block in drawn]
        assert all(np.array_equal(one, other) for one, other in zip(blocks, drawn, strict=True))


# resamples as runs


#: of these the standard error is the greater, the smaller the difference, so that it changes no p
MONOTONE = [
    kind
    for kind in twin.KINDS
    if kind[0] in ("MicroR@2", "MacroF2", "map", "nDCG@3", "num_ret", "Accuracy", "LabelAccuracy", "RationaleF1")
    and "skip" not in kind[2].values()
]


@pytest.mark.parametrize(("measure", "task", "decisions"), MONOTONE)
def test_swaps_are_those_of_runs_that_swap_their_answers(measure: str, task: str, decisions: dict[str, str]) -> None:
    case = twin.case(5, measure, task, 5, **decisions)
    observed = abs(twin.difference(case, [False] * 5))
    differences = [abs(twin.difference(case, swapped)) for swapped in product([False, True], repeat=5)]
    hits = sum(not difference < observed - 1e-9 for difference in differences)
    [found] = studentised.tested(terms_of(case), [(0, 1)], Resampling(10_000))
    assert found.p == hits / 32


@pytest.mark.parametrize(("measure", "task", "decisions"), twin.KINDS)
def test_a_sample_is_scored_as_a_gold_that_asks_queries_several_times(
    measure: str, task: str, decisions: dict[str, str]
) -> None:
    case = twin.case(7, measure, task, 8, **decisions)
    wanted = [twin.on_sample(case, drawn) for drawn in twin.draws(SEED, 25, 8)]
    found = resampling.bootstrapped(terms_of(case), 25, SEED)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("measure", "task", "decisions"), twin.KINDS)
def test_the_score_without_a_query_is_that_of_a_gold_without_it(
    measure: str, task: str, decisions: dict[str, str]
) -> None:
    case = twin.case(11, measure, task, 8, **decisions)
    found = [resampling.left_out(terms) for terms in terms_of(case)]
    for place in range(8):
        others = [at for at in range(8) if at != place]
        np.testing.assert_allclose([of_run[place] for of_run in found], twin.on_sample(case, others), rtol=1e-12)


# scipy


def by_places(runs: Sequence[Terms]) -> tuple[FloatArray, FloatArray]:
    """The queries of the first run as 0, 1, …, those of the second behind them."""
    n = len(runs[0].each)
    return np.arange(n), np.arange(n, 2 * n)


def statistic(runs: Sequence[Terms]):  # type: ignore[no-untyped-def]
    """The difference of the scores, as a function of places."""
    each = np.concatenate([run.each for run in runs])

    def difference(x: FloatArray, y: FloatArray, axis: int = -1) -> FloatArray:
        one, other = (np.moveaxis(each[z.astype(int)], axis - 1 if axis < 0 else axis, -2) for z in (x, y))
        return runs[0].score(one.sum(axis=-2)) - runs[1].score(other.sum(axis=-2))

    return difference


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("seed", range(4))
def test_intervals_are_scipys_on_the_same_resamples(seed: int, level: float) -> None:
    # means over a power of two are exact, so that scipy, which has no tolerance, sees the same ties
    runs = at_random(seed, 25 + seed) if seed % 2 else [of_mean(t.each[:, 0]) for t in at_random(seed, 16 << seed)]
    random = np.random.default_rng(seed)
    plain = stats.bootstrap(
        by_places(runs), statistic(runs), paired=True, vectorized=True, confidence_level=level, method="percentile",
        n_resamples=999, rng=random,
    )  # fmt: skip
    ours = resampling.percentile(plain.bootstrap_distribution, level)
    assert ours == pytest.approx(tuple(plain.confidence_interval), abs=1e-12)


def test_our_own_resamples_give_scipys_intervals_but_for_chance() -> None:
    runs = at_random(9, 60)
    samples = resampling.bootstrapped(runs, 10_000, SEED)
    spread = samples[:, 0] - samples[:, 1]
    ours = resampling.percentile(spread, 0.95)
    theirs = stats.bootstrap(
        by_places(runs), statistic(runs), paired=True, vectorized=True, n_resamples=10_000, method="percentile",
        rng=np.random.default_rng(1),
    )  # fmt: skip
    assert spread.std() == pytest.approx(theirs.standard_error, rel=0.03)
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=0.06 * float(spread.std()))


@given(
    st.integers(0, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.5, 0.9, 0.95])
)
def test_wilsons_interval_is_statsmodels(right: tuple[int, int], level: float) -> None:
    successes, n = right
    if not n:
        assert all(map(math.isnan, resampling.wilson(0, 0, level)))
        return
    wanted = proportion_confint(successes, n, alpha=1 - level, method="wilson")
    assert resampling.wilson(successes, n, level) == pytest.approx(wanted, abs=1e-12)


def test_a_share_is_never_beyond_0_and_1() -> None:
    for n in range(1, 2000):
        assert resampling.wilson(0, n, 0.95).low >= 0
        assert resampling.wilson(n, n, 0.95).high <= 1


# the interval of a score


def naive_jackknife_t(rows: Sequence[Sequence[float]], level: float, within_1: bool) -> tuple[float, float]:
    """The interval of Σ rows[0] / Σ rows[1], written out, with scipy's t."""
    n, (above, below) = len(rows), map(sum, zip(*rows, strict=True))
    score, without = above / below, [(above - x) / (below - y) for x, y in rows]
    off = [one - sum(without) / n for one in without]
    second, fourth = sum(d**2 for d in off), sum(d**4 for d in off)
    uneven = fourth - second**2 / n
    degrees = min(2 * second**2 / uneven, n - 1) if uneven > 0 else n - 1
    half = float(stats.t.ppf((1 + level) / 2, max(int(degrees), 4))) * math.sqrt((n - 1) / n * second)
    if not within_1:
        return score - half, score + half
    ends = (expit(logit(score) + sign * half / (score * (1 - score))) for sign in (-1, 1))
    return tuple(map(float, ends))  # type: ignore[return-value]


@given(st.integers(0, 10**6), st.integers(6, 60), st.sampled_from([0.8, 0.95, 0.99]), st.booleans())
@settings(max_examples=40)
def test_the_interval_of_a_score_is_that_of_its_definition(seed: int, n: int, level: float, within_1: bool) -> None:
    [run, _] = at_random(seed, n)
    if 0 < run.total < 1:
        rows = [(2 * correct, retrieved + relevant) for correct, retrieved, relevant in run.each.tolist()]
        wanted = naive_jackknife_t(rows, level, within_1)
        assert jackknife_t(run, level, within_1=within_1) == pytest.approx(wanted, abs=1e-9)


def test_where_all_queries_count_alike_it_is_scipys_t_interval_of_a_mean() -> None:
    values = np.repeat([3.0, 8.0], 10)  # all as far from the mean: all degrees of freedom
    wanted = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert jackknife_t(of_mean(values), 0.9, within_1=False) == pytest.approx(tuple(wanted), rel=1e-9)
    one = np.append(np.zeros(30), 1.0)  # one query decides: four degrees of freedom
    half = stats.t.ppf(0.975, 4) * one.std(ddof=1) / math.sqrt(31)
    assert jackknife_t(of_mean(one), 0.95, within_1=False).high == pytest.approx(1 / 31 + half)


@given(st.lists(st.sampled_from([0.0, 0.01, 0.5, 1.0]), min_size=2, max_size=30), st.floats(0.5, 0.999999))
def test_the_interval_of_a_score_holds_it_and_is_never_beyond_0_and_1(values: list[float], level: float) -> None:
    low, high = jackknife_t(of_mean(np.array(values)), level)
    if len(set(values)) == 1:
        assert math.isnan(low)
    else:
        assert 0 <= low <= sum(values) / len(values) <= high <= 1


def test_an_interval_of_what_does_not_vary_or_exist_does_not_exist() -> None:
    for values in (np.full(10, np.nan), np.array([0.25]), np.ones(5), np.zeros(5)):
        assert all(map(math.isnan, jackknife_t(of_mean(values), 0.95)))
    assert all(map(math.isnan, resampling.percentile(np.full(10, np.nan), 0.95)))


def test_queries_that_a_mean_leaves_out_are_not_counted() -> None:
    values = np.array([0.2, 0.9, 0.4, 0.1, 0.6, 0.3])
    wanted = jackknife_t(of_mean(values), 0.95)
    assert jackknife_t(of_mean(np.append(values, [np.nan] * 9)), 0.95) == wanted


def test_samples_on_which_there_is_no_score_are_left_out_of_intervals() -> None:
    samples = np.array([0.1, np.nan, 0.2, 0.3, np.nan])
    assert resampling.percentile(samples, 0.5) == pytest.approx((0.15, 0.25))


# effect and what can be detected


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans()), min_size=2, max_size=40))
def test_the_effect_on_a_mean_is_cohens_d_for_pairs(values: list[tuple[float, float, bool]]) -> None:
    kept = np.array([kept for *_, kept in values])
    a, b = (np.where(kept, [value[at] for value in values], np.nan) for at in (0, 1))
    one, other = of_mean(a), of_mean(b)
    differences = (a - b)[kept]
    if len(differences) < 2 or differences.std(ddof=1) < 1e-6:
        return
    jackknife = (resampling.left_out(one) - resampling.left_out(other))[kept]
    wanted = differences.mean() / differences.std(ddof=1)
    assert resampling.effect(one.total - other.total, jackknife) == pytest.approx(wanted, abs=1e-6)


def test_the_effect_on_a_micro_score_does_not_grow_with_the_queries_and_the_bootstraps_error_shrinks() -> None:
    a, b = at_random(4, 50)
    effects, errors = [], []
    for times in (1, 4):
        runs = [run._replace(each=np.tile(run.each, (times, 1))) for run in (a, b)]
        difference = runs[0].total - runs[1].total
        jackknife = resampling.left_out(runs[0]) - resampling.left_out(runs[1])
        effects.append(resampling.effect(difference, jackknife))
        samples = resampling.bootstrapped(runs, 4000, SEED)
        errors.append(float((samples[:, 0] - samples[:, 1]).std()))
        # standard error, effect and difference hang together: the pseudo-values' deviation over the root of Q
        assert errors[-1] == pytest.approx(difference / effects[-1] / math.sqrt(50 * times), rel=0.05)
    assert effects[1] == pytest.approx(effects[0], rel=0.03)
    assert errors[1] == pytest.approx(errors[0] / 2, rel=0.05)


@pytest.mark.parametrize(
    ("difference", "jackknife", "wanted"),
    [(0.0, [0.0, 0.0], 0.0), (0.3, [0.3, 0.3], math.nan), (0.3, [], math.nan), (0.0, [], 0.0), (0.3, [0.3], math.nan)],
)
def test_without_spread_there_is_no_effect(difference: float, jackknife: list[float], wanted: float) -> None:
    found = resampling.effect(difference, np.array(jackknife))
    assert found == wanted or (math.isnan(found) and math.isnan(wanted))


@pytest.mark.parametrize(("critical", "power"), [(1.96, 0.8), (2.6, 0.9), (1.64, 0.5)])
def test_a_test_finds_what_is_detectable_as_often_as_asked_for(critical: float, power: float) -> None:
    least = resampling.detectable(0.04, critical, power)
    found = stats.norm.sf(critical - least / 0.04)  # the other tail is beyond reach
    assert found == pytest.approx(power, abs=1e-12)
    assert math.isnan(resampling.detectable(0.0, critical, power))
    assert math.isnan(resampling.detectable(0.04, math.inf, power))


def test_what_81_questions_can_show_is_found_as_often_as_promised() -> None:
    # accuracies of 81 questions, on one in five of which exactly one system is right: the sign test, enumerated
    p_right = 0.5
    share = 0.2
    least = resampling.detectable(math.sqrt(share / 81), 1.96, 0.8)
    assert 0.13 < least < 0.15
    random = np.random.default_rng(1)
    one = random.random((4000, 81)) < share
    wins = one & (random.random((4000, 81)) < p_right + least / (2 * share))
    found = [stats.binomtest(int(w), int(n)).pvalue < 0.05 for w, n in zip(wins.sum(1), one.sum(1), strict=True)]
    assert 0.65 < np.mean(found) < 0.85  # the exact test keeps below its level, and so below its power
