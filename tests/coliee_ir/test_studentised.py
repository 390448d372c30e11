"""The studentised tests: held to a naive twin, to scipy and statsmodels, to exact enumeration, and to themselves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, product
from typing import NamedTuple

import naive_resampling as twin
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from coliee_adapters.errors import UsageError
from coliee_ir.measures.base import Terms, of_mean, share
from coliee_ir.stats import resampling, studentised
from coliee_ir.stats.settings import Resampling
from coliee_ir.stats.units import Units

SEED = 2026


def micro(counts: Sequence[Sequence[float]], extra: float = 0) -> Terms:
    """The terms of micro-F1 from correct, retrieved, relevant of each query."""
    each = np.array([[2 * c, n + r] for c, n, r in counts], dtype=np.float64).reshape(-1, 2)
    return Terms(each, share, np.array([0.0, extra]), False)


def at_random(seed: int, queries: int, runs: int = 2, alike: int = 0) -> list[Terms]:
    """Runs on the same queries, as micro-F1; the first ``alike`` queries have the same answers."""
    random = np.random.default_rng(seed)
    relevant = random.integers(1, 6, queries)
    made: list[Terms] = []
    for _ in range(runs):
        correct = random.binomial(relevant, random.uniform(0.2, 0.7, queries))
        counts = np.column_stack((correct, correct + random.integers(0, 4, queries), relevant))
        one = micro(counts.tolist())
        if made:
            one.each[:alike] = made[0].each[:alike]
        made.append(one)
    return made


def naive_t(a: Terms, b: Terms) -> float:
    """T of two quotients, written out."""
    n = sum(any(x) or any(y) for x, y in zip(a.each, b.each, strict=True))
    (n_a, d_a), (n_b, d_b) = a.each.sum(axis=0) + a.besides, b.each.sum(axis=0) + b.besides
    pooled = (n_a + n_b) / (d_a + d_b)
    v = [
        (one[0] - pooled * one[1]) / d_a - (other[0] - pooled * other[1]) / d_b
        for one, other in zip(a.each.tolist(), b.each.tolist(), strict=True)
        if any(one) or any(other)
    ]
    error = math.sqrt(sum((x - sum(v) / n) ** 2 for x in v) * n / (n - 1))
    difference = abs(n_a / d_a - n_b / d_b)
    if difference < 1e-12:
        return 0.0
    return difference / error if error > 1e-9 else math.inf


def naive_p(a: Terms, b: Terms, swaps: Sequence[Sequence[bool]], is_exact: bool) -> float:
    observed = naive_t(a, b)
    hits = 0
    for swapped in swaps:
        which = np.array(swapped)[:, None]
        one, other = np.where(which, b.each, a.each), np.where(which, a.each, b.each)
        hits += naive_t(a._replace(each=one), b._replace(each=other)) >= observed * (1 - 1e-7)
    return hits / len(swaps) if is_exact else (hits + 1) / (len(swaps) + 1)


def test(a: Terms, b: Terms, n_resamples: int = 999, seed: int = SEED) -> studentised.PairTest:
    [found] = studentised.tested([a, b], [(0, 1)], Resampling(n_resamples, seed))
    return found


test.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize(("queries", "extra"), [(9, 0), (30, 0), (70, 7)])
def test_each_swap_is_scored_and_studentised_anew(queries: int, extra: int) -> None:
    for seed in range(3):
        a, b = at_random(seed, queries)
        a = a._replace(besides=np.array([0.0, extra]))
        wanted = naive_p(a, b, list(twin.swaps(SEED, 60, queries)), False)
        assert test(a, b, 60).p == wanted
        assert test(a, b, 60).statistic == pytest.approx(naive_t(a, b), rel=1e-9)


@given(st.integers(0, 10**6), st.integers(0, 6))
@settings(max_examples=15)
def test_of_few_differing_queries_all_swaps_are_looked_at_whatever_the_others(seed: int, alike: int) -> None:
    a, b = at_random(seed, 8, alike=alike)
    differ = [at for at in range(8) if (a.each[at] != b.each[at]).any()]
    swaps = [
        [dict(zip(differ, choice, strict=True)).get(at, False) for at in range(8)]
        for choice in product([False, True], repeat=len(differ))
    ]
    found = test(a, b)
    assert found.differing == len(differ)
    assert found.p == naive_p(a, b, swaps, True)
    assert found.p >= min(2 / 2 ** len(differ), 1)


def test_four_differing_queries_of_forty_cannot_be_significant_and_nothing_says_so() -> None:
    a, b = at_random(1, 40, alike=36)
    a.each[36:], b.each[36:] = [[4, 6]] * 4, [[2, 6]] * 4
    found = test(a, b, 9999)
    assert found.p == 0.125
    assert math.isinf(found.critical)
    assert all(map(math.isnan, found.interval()))


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=60))
@settings(max_examples=60)
def test_of_accuracies_it_is_mcnemars_exact_test(values: list[float]) -> None:
    apart = np.array(values)
    a, b = of_mean((apart > 0).astype(float)), of_mean((apart < 0).astype(float))
    wins, losses = values.count(1.0), values.count(-1.0)
    found = test(a, b, 99)
    wanted = mcnemar([[0, wins], [losses, 0]], exact=True).pvalue if wins + losses else 1.0
    assert found.p == pytest.approx(wanted, rel=1e-12)
    check_dual(found)


def check_dual(found: studentised.PairTest, alpha: float = 0.05) -> None:
    """The interval leaves out 0 exactly if p is significant, where there is one."""
    low, high = found.interval()
    if not math.isnan(low):
        assert (found.p < alpha) == (not low <= 0 <= high)
    elif found.error > 0:
        assert found.p >= alpha or math.isinf(found.statistic)


@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(0, 30), st.sampled_from([19, 99, 400]))
@settings(max_examples=60)
def test_p_and_interval_never_contradict_each_other(seed: int, queries: int, alike: int, n_resamples: int) -> None:
    for a, b in (at_random(seed, queries, alike=alike), map(of_mean, np.random.default_rng(seed).random((2, queries)))):
        check_dual(test(a, b, n_resamples))


def test_of_means_the_statistic_is_that_of_the_t_test_and_p_that_of_plain_randomisation() -> None:
    for seed in range(5):
        x, y = np.random.default_rng(seed).random((2, 12))
        found = test(of_mean(x), of_mean(y), 5000)
        assert found.statistic == pytest.approx(abs(stats.ttest_rel(x, y).statistic), rel=1e-9)
        theirs = stats.permutation_test(
            (x, y), lambda x, y, axis: (x - y).mean(axis=axis), permutation_type="samples", n_resamples=5000,
            vectorized=True,
        )  # fmt: skip
        assert found.p == pytest.approx(theirs.pvalue, abs=1e-12)


class Counts(NamedTuple):
    """A document's counts as neleval has them: true positives of precision and of recall, false ones, and missed."""

    ptp: float
    fp: float
    rtp: float
    fn: float


def nelevals_scores(counts: Sequence[Counts]) -> dict[str, float]:
    """neleval's ``Matrix.results``: of summed counts."""
    ptp, fp, rtp, fn = (sum(column) for column in zip(*counts, strict=True))
    precision = ptp / (ptp + fp) if ptp + fp else 0.0
    recall = rtp / (rtp + fn) if rtp + fn else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "fscore": 2 * precision * recall / both if both else 0.0}


def nelevals_share(a: Sequence[Counts], b: Sequence[Counts], name: str, swaps: Sequence[Sequence[bool]]) -> float:
    """neleval's ``count_permutation_trials`` over given swaps: one-sided, on the side of the observed difference.

    Source: github.com/wikilinks/neleval, neleval/significance.py at 0294086. Its own tests have no figures of it.
    """
    base = nelevals_scores(a)[name] - nelevals_scores(b)[name]
    hits = 0
    for swapped in swaps:
        one = [y if is_swapped else x for x, y, is_swapped in zip(a, b, swapped, strict=True)]
        other = [x if is_swapped else y for x, y, is_swapped in zip(a, b, swapped, strict=True)]
        after = nelevals_scores(one)[name] - nelevals_scores(other)[name]
        hits += after <= base + 1e-12 if base < 0 else after >= base - 1e-12
    return hits / len(swaps)


@pytest.mark.parametrize(("name", "same_number"), [("recall", False), ("precision", True), ("fscore", True)])
def test_where_a_swap_changes_no_denominator_p_is_twice_nelevals(name: str, same_number: bool) -> None:
    """Then the standard error does not change the order of swaps. Ours is two-sided, and swaps mirror each other."""
    every = list(product([False, True], repeat=8))
    for seed in range(4):
        random = np.random.default_rng(seed)
        relevant = random.integers(2, 6, 8)
        wrong = random.integers(0, 4, 8)
        runs, terms = [], []
        for at in range(2):
            correct = random.binomial(relevant, 0.5)
            retrieved = relevant + wrong if same_number else correct + wrong + at
            counts = np.column_stack((correct, retrieved, relevant)).tolist()
            runs.append([Counts(c, n - c, c, r - c) for c, n, r in counts])
            above, below = {"recall": (0, 2), "precision": (0, 1), "fscore": (0, 1)}[name]
            each = np.array([[row[above], row[below]] for row in counts], dtype=np.float64)
            terms.append(micro(counts) if name == "fscore" else Terms(each, share, np.zeros(2), False))
        assert terms[0].total == pytest.approx(nelevals_scores(runs[0])[name])
        wanted = nelevals_share(runs[0], runs[1], name, every)
        assert test(*terms).p == pytest.approx(min(2 * wanted, 1.0)) or abs(terms[0].total - terms[1].total) < 1e-12


def test_a_pair_is_the_same_in_either_order_and_beside_others() -> None:
    runs = at_random(3, 40, 4)
    for a, b in combinations(range(4), 2):
        one, other = test(runs[a], runs[b]), test(runs[b], runs[a])
        assert (one.p, one.critical) == pytest.approx((other.p, other.critical), rel=1e-12)
        assert one.difference == -other.difference
    pairs = list(combinations(range(4), 2))
    together = studentised.tested(runs, pairs, Resampling(999, SEED))
    assert [found.p for found in together] == [test(runs[a], runs[b]).p for a, b in pairs]


@pytest.mark.parametrize("held", [1, 3000])
def test_how_many_are_held_at_once_changes_nothing(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    runs, pairs = at_random(3, 40, 4), list(combinations(range(4), 2))
    whole = studentised.tested(runs, pairs, Resampling(999))
    monkeypatch.setattr(resampling, "_AT_ONCE", held)
    assert studentised.tested(runs, pairs, Resampling(999)) == whole


@given(
    st.lists(st.one_of(st.integers(0, 5).map(float), st.just(math.inf)), min_size=1, max_size=60),
    st.integers(0, 5), st.sampled_from([0.01, 0.05, 0.3, 0.9]), st.integers(1, 20),
)  # fmt: skip
def test_trials_that_stream_by_give_the_verdict_of_all(
    values: list[float], statistic: int, alpha: float, at_once: int
) -> None:
    tail = studentised._Tail(float(statistic), Resampling(len(values), confidence_level=1 - alpha))
    for start in range(0, len(values), at_once):
        tail.add(np.array(values[start : start + at_once]))
    alpha = Resampling(len(values), confidence_level=1 - alpha).alpha
    assert (tail.critical, tail.p) == studentised.verdict(np.array(values), statistic, alpha, is_exact=False)


@pytest.mark.parametrize("name", ["gm_map", "MacroF(beta=2,of=means)", "num_ret"])
def test_other_scores_are_linearised_and_what_they_add_is_the_difference(name: str) -> None:
    kinds = {measure: (task, decisions) for measure, task, decisions in twin.KINDS}
    task, decisions = kinds[name]
    case = twin.case(3, name, task, 30, **decisions)
    a, b = (next(iter(scores.results.values())).terms for scores in case.scored())
    apart = studentised.linearised(a, b)
    assert apart.sum() == pytest.approx(a.total - b.total, abs=1e-9)
    assert not apart[(a.each == b.each).all(axis=1)].any()
    found = test(a, b)
    assert found.difference == pytest.approx(a.total - b.total)
    check_dual(found)


def test_identical_runs_and_runs_without_a_score() -> None:
    [a] = at_random(1, 20, 1)
    assert test(a, a).p == 1.0
    nothing = of_mean(np.full(4, np.nan))
    found = test(of_mean(np.ones(4)), nothing)
    assert math.isnan(found.p)
    assert math.isnan(found.difference)
    # each run answers one query; a swap of either leaves a run with both, and the other with none
    assert test(of_mean(np.array([1.0, np.nan])), of_mean(np.array([np.nan, 0.25])), 9).p == 1.0
    best, worst = of_mean(np.ones(20)), of_mean(np.zeros(20))
    assert test(best, worst).p == pytest.approx(2 / 2**20)
    assert math.isinf(test(best, worst).statistic)


# levels


def abstaining(random: np.random.Generator, queries: int) -> list[Terms]:
    """Two runs of equal micro-F1: one answers a quarter of the queries, the other all with three times as many."""
    relevant = np.minimum(random.geometric(1 / 4.4, queries), 30)
    some = np.where(random.random(queries) < 0.25, relevant, 0)
    counts = (random.binomial(some, 0.8), some, relevant), (random.binomial(relevant, 0.64), 3 * relevant, relevant)
    return [micro(np.column_stack(one).tolist()) for one in counts]


def test_equal_scores_of_runs_with_different_habits_are_found_different_in_one_of_twenty() -> None:
    random = np.random.default_rng(1)
    found = [test(*abstaining(random, 100), 199, seed).p < 0.05 for seed in range(250)]
    assert 0.01 < np.mean(found) < 0.10  # without the standard error: 0.29


# many pairs


def boards(seed: int, runs: int, queries: int) -> list[Terms]:
    return at_random(seed, queries, runs)


def naive_greatest(runs: Sequence[Terms], pairs: Sequence[tuple[int, int]], swaps: np.ndarray) -> list[float]:  # type: ignore[type-arg]
    """The greatest |Σεv| / √Σv² of any pair, swap by swap."""
    found = []
    contributions = []
    for a, b in pairs:
        if runs[a].score is not share:
            contributions.append(studentised.linearised(runs[a], runs[b]))
            continue
        (n_a, d_a), (n_b, d_b) = runs[a].each.sum(axis=0), runs[b].each.sum(axis=0)
        pooled = (n_a + n_b) / (d_a + d_b)
        weights = np.array([1, -pooled])
        contributions.append(runs[a].each @ weights / d_a - runs[b].each @ weights / d_b)
    for swapped in swaps:
        signs = np.where(swapped, -1.0, 1.0)
        found.append(max(abs((signs * v).sum()) / math.sqrt((v**2).sum()) for v in contributions))
    return found


def test_the_greatest_of_all_pairs_is_that_of_signs_turned_one_by_one() -> None:
    runs, pairs = boards(1, 5, 20), list(combinations(range(5), 2))
    swaps = np.array(list(twin.swaps(SEED, 80, 20)))
    joint = studentised.jointly([studentised.Family(runs, pairs)], Resampling(80))
    r = np.sort(naive_greatest(runs, pairs, swaps)) ** 2
    np.testing.assert_allclose(joint.greatest, np.sqrt(19 * r / (20 - r)), rtol=1e-9)
    np.testing.assert_allclose(joint.statistics[0], [naive_t(runs[a], runs[b]) for a, b in pairs], rtol=1e-9)
    some = [pairs[6], pairs[2][::-1], pairs[0]]
    of_some = studentised.jointly([studentised.Family(runs, some)], Resampling(80))
    assert of_some.statistics[0] == pytest.approx(joint.statistics[0][[6, 2, 0]])
    assert (of_some.greatest <= joint.greatest + 1e-9).all()


@given(
    st.integers(0, 10**6), st.sampled_from([9, 4, 2]), st.sampled_from([2, 1, 3]),
    st.sampled_from(["quotient", "mean", "other"]), st.sampled_from([1.0, 0.3]),
)  # fmt: skip
@settings(max_examples=60)
def test_pairs_that_bounds_leave_out_are_never_the_greatest(
    seed: int, n: int, group: int, kind: str, some: float
) -> None:
    random = np.random.default_rng(seed)
    runs = boards(seed, n, 24)
    for at in range(1, n):  # families of runs that are nearly the same
        kept = random.random(24) < random.choice([0.0, 0.5, 0.95])
        runs[at].each[kept] = runs[random.integers(at)].each[kept]
        if kind == "mean":
            runs[at].each[:, 1] = runs[0].each[:, 1]
    if kind == "other":
        runs = [Terms(np.column_stack((one.each, one.each[:, 0] % 3)), mixture, np.zeros(3), False) for one in runs]
    pairs = [pair for pair in combinations(range(n), 2) if random.random() < some] or [(1, 0)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(studentised, "_GROUP", group)
        patched.setattr(studentised, "_CACHED", 7)
        joint = studentised.jointly([studentised.Family(runs, pairs)], Resampling(50))
    told_apart = [(a, b) for a, b in pairs if (runs[a].each != runs[b].each).any()]
    swaps = np.array(list(twin.swaps(SEED, 50, 24)))
    r = np.sort(naive_greatest(runs, told_apart, swaps)) ** 2 if told_apart else np.zeros(50)
    np.testing.assert_allclose(joint.greatest, np.sqrt(23 * r / (24 - r)), rtol=1e-6, atol=1e-9)


def mixture(sums: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """A score of three sums that is no quotient of two."""
    return np.asarray(sums[..., 0] / sums[..., 1] + np.sqrt(1 + sums[..., 2]))


def test_corrected_p_are_never_below_single_ones_and_agree_with_the_intervals() -> None:
    runs, pairs = boards(2, 8, 30), list(combinations(range(8), 2))
    asked = Resampling(500)
    tests = studentised.tested(runs, pairs, asked)
    joint = studentised.jointly([studentised.Family(runs, pairs)], asked)
    significant = 0
    for one in tests:
        p = joint.p(one)
        low, high = one.interval(joint.critical)
        assert p >= one.p
        assert (p < 0.05) == (not low <= 0 <= high)
        significant += p < 0.05
    assert joint.critical > max(one.critical for one in tests)
    assert significant < sum(one.p < 0.05 for one in tests)


def test_measures_are_corrected_together() -> None:
    runs, pairs = boards(3, 4, 30), list(combinations(range(4), 2))
    means = [of_mean(run.each[:, 0] / run.each[:, 1]) for run in runs]
    alone = studentised.jointly([studentised.Family(runs, pairs)], Resampling(300))
    both = studentised.jointly([studentised.Family(runs, pairs), studentised.Family(means, pairs)], Resampling(300))
    assert both.critical >= alone.critical
    same = studentised.jointly([studentised.Family(runs, pairs)] * 2, Resampling(300))
    assert same.critical == alone.critical  # what is said twice is corrected for once


def test_a_board_of_equal_runs_shows_a_difference_in_one_of_twenty() -> None:
    false = sum(studentised.better(boards(seed, 10, 50), Resampling(199, seed)).any() for seed in range(60))
    assert false <= 9  # at .05: 3, of 999 in 1,000


def test_what_is_better_is_found_and_few_resamples_are_enough_for_many_pairs() -> None:
    random = np.random.default_rng(1)
    runs = [of_mean((random.random(200) < quality).astype(float)) for quality in [0.9] * 5 + [0.3] * 15]
    better = studentised.better(runs, Resampling(199))
    assert better[:5, 5:].all()
    assert not better[5:, :5].any()
    assert better.sum() == 75


def test_a_board_claims_nothing_that_all_swaps_of_a_pair_do_not_allow() -> None:
    values = np.zeros((2, 400))
    values[0, :5] = 1
    assert not studentised.better([of_mean(one) for one in values], Resampling(999)).any()
    values[0, :6] = 1
    assert studentised.better([of_mean(one) for one in values], Resampling(999)).any()


def test_the_order_of_runs_changes_nothing() -> None:
    runs = boards(5, 6, 40)
    order = [3, 0, 5, 1, 4, 2]
    better = studentised.better(runs, Resampling(200))
    again = studentised.better([runs[at] for at in order], Resampling(200))
    assert (again == better[np.ix_(order, order)]).all()


# units


def test_units_are_in_the_order_of_their_names_and_groups_are_summed() -> None:
    terms = of_mean(np.array([1.0, 2.0, 4.0]))
    assert Units.of(["c", "a", "b"]).terms(terms).each.tolist() == [[2, 1], [4, 1], [1, 1]]
    grouped = Units.of(["c", "a", "b"], {"a": "x", "b": "y", "c": "x"})
    assert (grouped.n, grouped.terms(terms).each.tolist()) == (2, [[3, 2], [4, 1]])
    assert not grouped.terms(terms).is_mean
    assert Units.of(["c", "a"]).terms(of_mean(np.ones(2))).is_mean
    with pytest.raises(UsageError):
        Units.of(["a", "b"], {"a": "x"})


def test_groups_that_agree_in_themselves_count_once() -> None:
    random = np.random.default_rng(2)
    right = np.repeat(random.random((2, 30)) < 0.5, 4, axis=1).astype(float)
    names = [str(at) for at in range(120)]
    groups = Units.of(names, {name: str(at // 4) for at, name in enumerate(names)})
    a, b = map(of_mean, right)
    alone = test(of_mean(right[0, ::4]), of_mean(right[1, ::4]), 9999)
    together = test(groups.terms(a), groups.terms(b), 9999)
    assert together.p == pytest.approx(alone.p, abs=0.02)
    assert together.error == pytest.approx(alone.error, rel=1e-9)
    assert test(a, b).p < alone.p
