"""The one statistic: held to a loop over all flips, to statsmodels, and to itself."""

import math
from itertools import combinations, permutations, product

import naive_resampling as twin
import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st
from naive_resampling import at_random, micro

from coliee_adapters.errors import UsageError
from coliee_ir import evaluate_all, leaderboard
from coliee_ir.commands.compare import compare
from coliee_ir.commands.leaderboard.board import possible_ranks
from coliee_ir.measures.base import of_mean
from coliee_ir.stats import paired
from coliee_ir.stats.paired import Board, Null, Ranks, jointly, may_be_best, standings
from coliee_ir.stats.paired import tested as pairs_tested
from coliee_ir.stats.power import largest_share, least_found
from coliee_ir.stats.resampling import Resampling, Units

SEED = 2026


def test(a, b, n_resamples=999, seed=SEED):
    [found] = pairs_tested(Board([a, b]), [(0, 1)], Resampling(n_resamples, seed))
    return found


test.__test__ = False


def naive_v(a, b):
    """What each query contributes to a difference of quotients, written out."""
    (n_a, d_a), (n_b, d_b) = a.each.sum(axis=0), b.each.sum(axis=0)
    pooled = (n_a + n_b) / (d_a + d_b)
    return [
        (x[0] - pooled * x[1]) / d_a - (y[0] - pooled * y[1]) / d_b
        for x, y in zip(a.each.tolist(), b.each.tolist(), strict=True)
    ]


def naive_t(v):
    n, total = len(v), sum(v)
    squares = sum((x - total / n) ** 2 for x in v) * n / (n - 1)
    return 0.0 if abs(total) < 1e-12 else total / math.sqrt(squares) if squares > 1e-20 else math.copysign(9e9, total)


def naive_flips(runs, signs):
    """T of all ordered pairs of runs under each flip."""
    v = {(a, b): naive_v(runs[a], runs[b]) for a in range(len(runs)) for b in range(len(runs)) if a != b}
    return [{ab: naive_t([s * x for s, x in zip(one, of, strict=True)]) for ab, of in v.items()} for one in signs]


def reaches(value, observed):
    return value >= observed - 1e-7 * abs(observed)


@pytest.mark.parametrize(("seed", "runs"), [(1, 2), (2, 3), (3, 4)])
def test_p_is_the_share_of_all_flips_one_by_one(seed, runs):
    terms, n = at_random(seed, 7, runs), 7
    board, pairs = Board(terms), list(combinations(range(runs), 2))
    [observed] = naive_flips(terms, [[1] * n])
    every = naive_flips(terms, list(product([1, -1], repeat=n)))
    joint = jointly([(board, pairs)], Resampling(999)).p[0]
    least = [2.0 ** (1 - board.differing[pair]) for pair in pairs]
    for at, pair in enumerate(pairs):
        t = abs(observed[pair])
        assert joint[at] == max(np.mean([reaches(max(map(abs, one.values())), t) for one in every]), least[at])
        alone = np.mean([reaches(abs(one[pair]), t) for one in every])
        assert pairs_tested(board, [pair], Resampling(999))[0].p == max(alone, least[at])
        assert board.T[pair] == pytest.approx(observed[pair], rel=1e-9)


def naive_weights(a, b):
    """What each query adds to the size of both, written out."""
    (d_a, d_b), whole = (run.each[:, 1].sum() for run in (a, b)), a.each[:, 1].sum() + b.each[:, 1].sum()
    return [d_b / whole * x / d_a + d_a / whole * y / d_b for x, y in zip(a.each[:, 1], b.each[:, 1], strict=True)]


def naive_u(run):
    above, below = run.each.sum(axis=0)
    return [(x - above / below * y) / below for x, y in run.each.tolist()]


@given(st.integers(0, 10**6), st.integers(4, 12), st.booleans())
def test_a_board_holds_what_its_formulas_say_of_each_pair(seed, n, is_mean):
    values = np.random.default_rng(seed).integers(0, 4, (3, n)) / 3
    runs = [of_mean(row) for row in values] if is_mean else at_random(seed, n, 3, n // 3)
    board, k = Board(runs), n / (n - 1)
    for i, j in permutations(range(3), 2):
        a, b = runs[i], runs[j]
        v, g, d, u = naive_v(a, b), naive_weights(a, b), a.total - b.total, [naive_u(run) for run in (a, b)]
        apart, sizes = [x - y for x, y in zip(*u, strict=True)], [abs(x) for x in v if abs(x) > 1e-12]
        of_v, of_g = (sum(x * y for x, y in zip(v, other, strict=True)) for other in (v, g))
        variances = k * (of_v - d * d / n), k * (of_g - d / n), k * (sum(x * x for x in g) - 1 / n)
        found = [matrix[i, j] for matrix in (board.A, board.B, board.C, board.norm, board.own, board.D)]
        lengths = math.sqrt(of_v), math.sqrt(sum(x * x for x in apart))
        assert found == pytest.approx((*variances, *lengths, d), rel=1e-6, abs=1e-9)
        assert np.clip(board.T[i, j], -1e4, 1e4) == pytest.approx(np.clip(naive_t(v), -1e4, 1e4), rel=1e-6)
        assert (board.differing[i, j], board.adding[i, j]) == ((a.each != b.each).any(axis=1).sum(), len(sizes))
        is_even = sizes and max(sizes) - min(sizes) < 1e-9 and variances[2] < 1e-12
        assert board.unit[i, j] == pytest.approx(max(sizes) * n if is_even else 0)


@given(st.integers(0, 10**6), st.booleans())
def test_an_interval_is_what_is_not_rejected_around_the_difference_and_around_0_where_that_is_not_rejected(
    seed, is_out
):
    draw, grid = np.random.default_rng(seed), np.linspace(-1, 1, 20001)
    d, a, b, c = draw.uniform((-0.9, 0.02, -0.9, 0.02), (0.9, 0.5, 0.9, 1.0), (100, 4)).T
    b, times = b * np.sqrt(a * c), draw.uniform(0.3, 2, 100)
    found = paired.inverted(d, (a, b, c), times, np.full(100, is_out), 1.0).T
    for at, (low, high) in enumerate(found):
        left = (d[at] - grid) ** 2 > times[at] ** 2 * (a[at] - 2 * b[at] * grid + c[at] * grid**2)
        below, above = grid[left & (grid < d[at])], grid[left & (grid > d[at])]
        wanted = below.max(initial=-1.0), above.min(initial=1.0)
        if times[at] ** 2 * c[at] >= 1 and not is_out and not wanted[0] <= 0 <= wanted[1]:
            wanted = (-1.0, 1.0)
        assert (low, high) == pytest.approx(wanted, abs=3e-4)


@pytest.mark.parametrize("pairs", [list(combinations(range(5), 2)), [(0, 1), (0, 3), (0, 4)]])
def test_random_flips_are_those_of_the_seed(pairs):
    terms = at_random(1, 20, 5)
    signs = [[1 - 2 * swapped for swapped in row] for row in twin.swaps(SEED, 80, 20)]
    every, [observed] = naive_flips(terms, signs), naive_flips(terms, [[1] * 20])
    joint = jointly([(Board(terms), pairs)], Resampling(80)).p[0]
    for p, single, pair in zip(joint, pairs_tested(Board(terms), pairs, Resampling(80)), pairs, strict=True):
        t = abs(observed[pair])
        assert p == (sum(reaches(max(abs(one[other]) for other in pairs), t) for one in every) + 1) / 81
        assert single.p == (sum(reaches(abs(one[pair]), t) for one in every) + 1) / 81


def test_signs_that_are_kept_for_the_next_test_change_no_digit(monkeypatch):
    terms, pairs = at_random(5, 90, 3), list(combinations(range(3), 2))
    kept = [pairs_tested(Board(terms), pairs, Resampling(999, seed)) for seed in (1, 2, 1)]
    joint = jointly([(Board(terms), pairs)], Resampling(999, 1))
    monkeypatch.setattr(paired, "KEPT", 0)
    assert [pairs_tested(Board(terms), pairs, Resampling(999, seed)) for seed in (1, 2, 1)] == kept
    assert jointly([(Board(terms), pairs)], Resampling(999, 1)).p[0].tolist() == joint.p[0].tolist()


def test_p_is_below_alpha_exactly_beyond_the_critical_value():
    for drawn, tail, critical in ((0, 1 / 40, 39.5), (40, 2 / 41, 39.0)):
        null = Null.of(np.arange(1.0, 41.0), drawn)
        assert null.critical(0.05) == pytest.approx(critical)
        assert null.p(np.array([39.0, 40.0])).tolist() == pytest.approx([(2 + bool(drawn)) / (40 + bool(drawn)), tail])
        assert (null.drawn, null.critical(0.01)) == (drawn, math.inf)


def test_the_root_scale_is_the_inverse_of_t():
    for n in (2, 9, 70):
        v = np.random.default_rng(n).random(n)
        t = v.mean() / (v.std(ddof=1) / math.sqrt(n))
        r = paired.root_scale(np.array([t]), n)
        assert (r.item(), paired.statistic(r, n).item()) == pytest.approx((v.sum() / math.sqrt((v**2).sum()), t))


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=60))
def test_of_accuracies_it_is_mcnemars_exact_test_and_there_is_always_an_interval(values):
    from statsmodels.stats.contingency_tables import mcnemar

    apart = np.array(values)
    a, b = of_mean((apart > 0).astype(float)), of_mean((apart < 0).astype(float))
    wins, losses = values.count(1.0), values.count(-1.0)
    found = test(a, b, 99)
    wanted = mcnemar([[0, wins], [losses, 0]], exact=True).pvalue if wins + losses else 1.0
    assert found.p == pytest.approx(wanted, rel=1e-12)
    assert not any(map(math.isnan, found.interval))
    check_dual(found.p, *found.interval)


@pytest.mark.parametrize(
    ("wins", "losses", "n"), [(12, 4, 62), (13, 3, 62), (5, 0, 20), (6, 0, 6), (0, 0, 30), (3, 40, 50)]
)
def test_an_accuracys_interval_is_tangos_with_the_critical_value_of_the_exact_test(wins, losses, n):
    both, either, at = wins - losses, wins + losses, np.arange(n)
    least = [d for d in range(either % 2, either + 1, 2) if mcnemars(d, either) >= 0.05]
    c = max(scipy.stats.norm.ppf(0.975), (least[-1] + 0.5) / math.sqrt(either) if either else 0)

    def score(x):
        """That of a supposed difference x, with the likeliest share of losses (Tango 1998)."""

        def slope(q):
            return wins / (q + x) + losses / q - 2 * (n - either) / (1 - 2 * q - x)

        low, high = max(0.0, -x) + 1e-13, (1 - x) / 2 - 1e-13
        inside = slope(low) > 0 > slope(high)
        q = float(scipy.optimize.brentq(slope, low, high)) if inside else high if slope(low) > 0 else low
        return (both - n * x) / math.sqrt(n * (2 * q + x - x * x))

    found = test(of_mean(at < wins), of_mean((at >= wins) & (at < either))).interval
    for end, way in zip(found, (1, -1), strict=True):
        assert abs(end) == 1 or score(end) == pytest.approx(way * c, abs=1e-4)
    check_dual(mcnemars(abs(both), either), *found)


def mcnemars(d, either):
    return min(2 * float(scipy.stats.binom.cdf((either - d) // 2, either, 0.5)), 1.0)


def check_dual(p, low, high, alpha=0.05):
    """The interval leaves out 0 exactly if p is significant, and no end is put there; one that is not there is far."""
    assert (p < alpha) == (low > 0 or high < 0)
    assert min(abs(low), abs(high)) > 1e-9 or low == high == 0


@example(0, 8, 0, 400)  # T of a pair between two that all flips of all pairs have
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(0, 30), st.sampled_from([19, 99, 400]))
def test_p_and_interval_never_contradict_each_other(seed, queries, alike, n_resamples):
    means = [of_mean(one) for one in np.random.default_rng(seed).random((3, queries))]
    for terms in (at_random(seed, queries, 3, alike, 0.4), means):
        board, pairs, asked = Board(terms), [(0, 1), (2, 0), (1, 2)], Resampling(n_resamples)
        joint = jointly([(board, pairs)], asked)
        for at, found in enumerate(pairs_tested(board, pairs, asked)):
            check_dual(found.p, *found.interval)
            check_dual(found.p, *found.narrower, alpha=0.1)
            assert math.isnan(found.p) or (found.p < 0.05) == (abs(board.T[pairs[at]]) > found.critical)
            check_dual(joint.p[0][at], *joint.intervals[0][0, at])
            assert joint.p[0][at] >= found.p
            assert not joint.p[0][at] < 0.05 or abs(board.T[pairs[at]]) > joint.critical
            assert not found.interval.low > found.difference
            assert not found.interval.high < found.difference
        better = standings(terms, asked).better
        winners = [(a, b) if board.D[a, b] > 0 else (b, a) for a, b in pairs]
        wins = [winner for winner, p in zip(winners, joint.p[0], strict=True) if p < 0.05]
        assert sorted(wins) == sorted(map(tuple, np.argwhere(better).tolist()))


def naive_interval(a, b, c, wider, p, alpha):
    """Fieller's set with the greater c, joined with what both scores' logits give (Zou & Donner); never across 0."""
    f, n, wider, u = (a.total, b.total), len(a.each), max(c, wider), [np.array(naive_u(run)) for run in (a, b)]
    (of_v, of_both), (_, of_g) = np.cov(naive_v(a, b), naive_weights(a, b)) * n
    d, k = f[0] - f[1], n / (n - 1)
    se, r = [math.sqrt(k * one @ one) for one in u], u[0] @ u[1] / math.sqrt((u[0] @ u[0]) * (u[1] @ u[1]))

    def fieller(c):
        return sorted(np.roots([1 - c * c * of_g, -2 * (d - c * c * of_both), d * d - c * c * of_v]).real)

    def reach(at, way):
        middle = scipy.special.logit(f[at]) + way * wider * se[at] / (f[at] * (1 - f[at]))
        return abs(f[at] - scipy.special.expit(middle))

    steps = [(way, reach(0, way), reach(1, -way)) for way in (-1, 1)]
    far = [d + way * math.hypot(x - r * y, math.sqrt(1 - r * r) * y) for way, x, y in steps]
    low, high = fieller(wider)
    ends = [min(low, far[0]), max(high, far[1])]
    return [own if p < alpha and end * d <= 0 else end for end, own in zip(ends, fieller(c), strict=True)]


@pytest.mark.parametrize("seed", range(5))
def test_intervals_are_those_of_their_definition_by_random_flips(seed):
    terms, n, pairs = at_random(seed, 40, 3, spread=0.4), 40, list(combinations(range(3), 2))
    signs = 1 - 2 * np.array([*twin.swaps(SEED, 199, n)])
    u, flipped = np.array([naive_u(run) for run in terms]), []
    for a, b in pairs:
        of_pair = np.array(naive_v(terms[a], terms[b])), u[a] - u[b]
        flipped.append([[abs(naive_t((one * of).tolist())) for one in signs] for of in of_pair])
    most = {0.05: 8, 0.1: 18}  # so many of the greatest, and the observed one, are less than that share of 200

    def criticals(trials, alpha):
        return [sorted(of_way, reverse=True)[most[alpha]] for of_way in trials]

    joint = jointly([(Board(terms), pairs)], Resampling(199))
    greatest = np.max(flipped, axis=0).tolist()
    assert joint.critical == pytest.approx(criticals(greatest, 0.05)[0])
    for at, ((a, b), found) in enumerate(zip(pairs, pairs_tested(Board(terms), pairs, Resampling(199)), strict=True)):
        assert found.critical == pytest.approx(criticals(flipped[at], 0.05)[0])
        assert found.error == pytest.approx(np.std(naive_v(terms[a], terms[b]), ddof=1) * math.sqrt(n))
        assert (found.differing, found.drawn) == ((terms[a].each != terms[b].each).any(axis=1).sum(), 199)
        for level, (alpha, alone) in enumerate(((0.05, found.interval), (0.1, found.narrower))):
            both = (found.p, alone, flipped[at]), (joint.p[0][at], joint.intervals[0][level, at], greatest)
            for p, ends, trials in both:
                wanted = naive_interval(terms[a], terms[b], *criticals(trials, alpha), p, alpha)
                assert tuple(ends) == pytest.approx(wanted, rel=1e-5, abs=1e-7)


def test_also_of_few_queries_that_differ_by_one_amount_p_and_interval_agree():
    for level, differing in ((0.7, 4), (0.9, 5)):
        rows = np.full((2, 7), 0.5)
        rows[1, :differing] += 1 / 3
        [found] = pairs_tested(Board([of_mean(row) for row in rows]), [(0, 1)], Resampling(999, SEED, level))
        assert found.p < 1 - level
        check_dual(found.p, *found.interval, alpha=1 - level)


def test_the_order_of_runs_changes_no_joint_interval_though_sums_of_flips_tie():
    random = np.random.default_rng(3)
    for _ in range(30):
        rows = (random.random((5, 10)) < random.uniform(0.1, 1, (5, 1))).astype(float)
        order, pairs = random.permutation(5), list(combinations(range(5), 2))
        turned = [(int(np.flatnonzero(order == a)[0]), int(np.flatnonzero(order == b)[0])) for a, b in pairs]
        first = jointly([(Board([of_mean(row) for row in rows]), pairs)], Resampling(2000))
        other = jointly([(Board([of_mean(row) for row in rows[order]]), turned)], Resampling(2000))
        assert first.critical == pytest.approx(other.critical, rel=1e-6)
        assert first.intervals[0] == pytest.approx(other.intervals[0], abs=1e-6)


@pytest.mark.parametrize("name", ["gm_map", "MacroF(beta=2,of=means)", "num_ret"])
def test_other_scores_are_linearised(name):
    [(task, decisions), *_] = [(task, decisions) for measure, task, decisions in twin.KINDS if measure == name]
    a, b = twin.terms_of(twin.case(3, name, task, 30, **decisions))
    found = test(a, b)
    assert found.difference == pytest.approx(a.total - b.total)
    assert (found.p, found.interval) == (test(b, a).p, pytest.approx([-end for end in test(b, a).interval[::-1]]))
    check_dual(found.p, *found.interval)


def test_what_few_differing_queries_do_not_allow_is_not_claimed():
    a, b = at_random(1, 40, alike=35)
    a.each[35:], b.each[35:] = [[4, 6]] * 5, [[2, 6]] * 5
    found = test(a, b, 9999)
    assert found.p == 2 / 2**5
    assert found.interval.low < 0 < found.interval.high
    values = np.zeros((3, 400))
    values[0, :5] = 1
    assert not standings([of_mean(one) for one in values], Resampling(999)).better.any()
    values[0, :6] = 1
    assert standings([of_mean(one) for one in values], Resampling(999)).better.any()


@pytest.mark.parametrize("low", [-0.4, 0.0])
@pytest.mark.parametrize("differ", [8, 14])
def test_joint_intervals_of_runs_that_differ_in_few_queries_know_their_variance_from_these_alone(differ, low):
    values = np.full((4, 60), 0.5)
    values[1:, :differ] += np.random.default_rng(1).uniform(low, 0.4, (3, differ))
    board, pairs = Board([of_mean(run) for run in values]), list(combinations(range(4), 2))
    joint = jointly([(board, pairs)], Resampling(999))
    t = scipy.stats.t.isf(scipy.stats.t.sf(joint.critical, 59), differ - 1)
    for (a, b), p, ends in zip(pairs, joint.p[0], joint.intervals[0][0], strict=True):
        apart = values[a] - values[b]
        skew = abs(scipy.stats.skew(apart)) / math.sqrt(60)
        reach = (t + skew * (1 + 2 * t * t) / 6) * apart.std() / math.sqrt(59)
        assert joint.critical * board.own[a, b] * 1.05 < 0.98 * reach
        assert sorted(abs(ends - board.D[a, b]))[int(p < 0.05)] == pytest.approx(reach)


def test_where_few_queries_hold_most_an_interval_has_no_end():
    sizes = np.array([200, *[2] * 11])
    counts = [np.column_stack((sizes * share_, sizes, sizes)) for share_ in (0.9, 0.4)]
    counts[1][1:, 0] = 2
    assert any(map(math.isnan, test(*(micro(one.tolist()) for one in counts)).interval))


def test_identical_runs_and_runs_without_a_score():
    [a] = at_random(1, 20, 1)
    by_rounding = [of_mean(np.full(20, value)) for value in (0.3, 0.1 + 0.2)]
    assert test(a, a).p == test(*by_rounding).p == 1.0
    nothing = of_mean(np.full(4, np.nan))
    found = test(of_mean(np.ones(4)), nothing)
    assert all(map(math.isnan, (found.p, found.difference, *found.interval)))
    stood, _ = possible_ranks([of_mean(np.ones(4)), nothing], Resampling(99), [0, 1])
    assert stood == [((1, 1), True), ((0, 0), False)]


def critical(pairs, *boards):
    return jointly([(board, pairs) for board in boards], Resampling(300)).critical


def test_measures_are_corrected_together_and_with_a_baseline_only_its_pairs_count():
    runs, every = at_random(3, 30, 4), list(combinations(range(4), 2))
    boards = [Board(runs), Board([of_mean(run.each[:, 0] / run.each[:, 1]) for run in runs])]
    assert critical(every, *boards) >= critical(every, boards[0])
    assert critical(every, boards[0], boards[0]) == critical(every, boards[0])  # what is said twice counts once
    board = Board(at_random(4, 30, 5))
    for base in (0, 3):
        pairs = [(at, base) for at in range(5) if at != base]
        of_all = critical(list(combinations(range(5), 2)), board)
        assert max(critical([pair], board) for pair in pairs) <= critical(pairs, board) < of_all


@given(st.integers(0, 10**6), st.integers(8, 40), st.sampled_from([0.3, 0.8, 0.95]), st.booleans())
def test_the_least_difference_of_a_pair_solves_its_equation(seed, n, power, is_mean):
    draw = np.random.default_rng(seed)
    runs, sizes = [of_mean(of) for of in draw.random((2, n))], np.ceil(draw.random((n, 1)) ** -0.8)
    if not is_mean:  # of few queries that are far larger than others
        runs = [run._replace(each=run.each * sizes) for run in at_random(seed, n, 2)]
    board, m, stream = Board(runs), n // 4, twin.bits(0)
    g, u = naive_weights(*runs), [x - y for x, y in zip(*map(naive_u, runs), strict=True)]
    e2, c2 = (sum(x * x for x in u) * n / (n - 1), (sum(x * x for x in g) - 1 / n) * n / (n - 1))
    quarters = []
    for _ in range(40):
        numbers = [next(stream) for _ in range(n)]
        drawn = sorted(range(n), key=numbers.__getitem__)[:m]
        whole, total = sum(g[at] for at in drawn), sum(u[at] for at in drawn)
        quarters.append(sum(((u[at] - total / whole * g[at]) / whole) ** 2 for at in drawn) * m / (m - 1))
    falls = min(max(math.log(np.median(quarters) / e2) / math.log(n / m), 0.5), 1)
    sizes = [4, n, 400]
    for size, [found] in zip(sizes, least_found(board, [(0, 1)], sizes, Resampling(99), power), strict=True):
        c, z, s = scipy.stats.t.isf(0.025, size - 1), scipy.stats.norm.ppf(power), (n / size) ** (falls / 2)
        if size > 4 and math.isfinite(found):
            assert found == pytest.approx(s * (c * math.sqrt(e2 + c2 * found**2) + z * math.sqrt(e2)), rel=1e-6)
        else:  # all on one side are no smaller p, or no two scores are so far apart
            assert math.isinf(found)
            assert size == 4 or (c * s) ** 2 * c2 >= 1 or s * (c * math.sqrt(e2 + c2) + z * math.sqrt(e2)) > 1
    assert largest_share(board, [(0, 1)]) == pytest.approx(max(x * x for x in u) / sum(x * x for x in u))


@given(st.integers(0, 10**6), st.integers(2, 5), st.sampled_from([6, 20, 60]), st.booleans())
def test_one_run_is_the_best_exactly_where_it_is_significantly_better_than_each_other(seed, runs, queries, is_mean):
    draw = np.random.default_rng(seed)
    terms = at_random(seed, queries, runs)
    if is_mean:
        terms = [of_mean(draw.random(queries) + at * draw.choice([0, 0.1, 0.3])) for at in range(runs)]
    terms, pairs = sorted(terms, key=lambda run: -run.total), list(combinations(range(runs), 2))
    stood, _ = possible_ranks(terms, Resampling(99), range(runs))
    p = jointly([(Board(terms), pairs)], Resampling(99)).p[0][: runs - 1]
    if runs == 2:  # a board of two is a pair
        p = np.array([test(*terms, 99).p])
        assert ([one.ranks for one in stood] == [(1, 1), (2, 2)]) == (p[0] < 0.05)
    best = [at for at, one in enumerate(stood) if one.may_be_best]
    assert (best == [0]) == bool((p < 0.05).all())
    assert {at for at, one in enumerate(stood) if one.ranks.best == 1} <= set(best)
    assert may_be_best([Ranks(1, 2), Ranks(2, 3), Ranks(2, 3)]) == [True] * 3  # where the middle two decide nothing


@pytest.mark.parametrize(("queries", "runs"), [(5, 3), (4, 3), (5, 2)])
def test_compare_and_leaderboard_say_of_the_same_boards_that_queries_are_too_few(queries, runs):
    gold = {f"q{at}": ["a", "b", "c"] for at in range(queries)}
    made = [{query: ["a", "b", "c", "x"][: (at + 1) % 4 + 1 + n] for n, query in enumerate(gold)} for at in range(runs)]
    scored = evaluate_all(gold, made, task="1")
    for found in (compare(scored), leaderboard(scored)):
        kinds = {remark.kind.partition(".")[0] for remark in found.remarks}
        assert {kind for kind in kinds if kind.startswith("too-few")} == {"too-few-queries"}


@pytest.mark.parametrize(
    ("queries", "unlike", "is_said"), [(40, 10, True), (40, 9, False), (49, 13, True), (50, 25, False), (12, 3, True)]
)
def test_compare_and_leaderboard_doubt_p_where_runs_answer_different_ones_of_few_queries(queries, unlike, is_said):
    gold = {f"q{n}": ["a", "b"] for n in range(queries)}
    part = {query: ["a", *"bx"[n % 2]] for n, query in enumerate(gold) if n >= unlike}
    scored = evaluate_all(gold, {"whole": gold, "part": part}, task="1")
    for found in (compare(scored), leaderboard(scored)):
        [said] = [remark for remark in found.remarks if remark.kind == "unlike-answers"] or [None]
        assert (said is not None) == is_said and (said is None or "whole and part" in said)


# units


def test_units_are_in_the_order_of_their_names_and_groups_are_summed_and_count_once():
    terms = of_mean(np.array([1.0, 2.0, 4.0]))
    assert Units.of(["c", "a", "b"]).terms(terms).each.tolist() == [[2, 1], [4, 1], [1, 1]]
    grouped = Units.of(["c", "a", "b"], {"a": "x", "b": "y", "c": "x"})
    assert (grouped.n, grouped.terms(terms).each.tolist()) == (2, [[3, 2], [4, 1]])
    assert not grouped.terms(terms).is_mean
    assert Units.of(["c", "a"]).terms(of_mean(np.ones(2))).is_mean
    with pytest.raises(UsageError):
        Units.of(["a", "b"], {"a": "x"})


def test_runs_that_differ_on_their_only_query_are_ranked_without_a_warning():
    scored = evaluate_all({"q": "Y"}, [{"q": "Y"}, {"q": "N"}], task="4")
    entries = leaderboard(scored, n_resamples=9).entries
    assert [(entry.ranks, entry.may_be_best) for entry in entries] == [((1, 2), True)] * 2


def test_the_interval_of_runs_that_differ_in_few_queries_is_no_longer_for_trying_all_their_flips():
    random = np.random.default_rng(6)
    values = random.random((2, 60))
    values[1, 9:] = values[0, 9:]
    values[1, :9] = values[0, :9] + random.exponential(0.3, 9) - 0.05
    runs = [of_mean(one) for one in values]
    every, some = (paired.tested(paired.Board(runs), [(0, 1)], Resampling(n))[0] for n in (9999, 250))
    assert every.drawn == 0 < some.drawn
    assert every.interval.high - every.interval.low < 1.2 * (some.interval.high - some.interval.low)
