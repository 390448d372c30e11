import math

import naive_cut as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_ir.commands.tune import FAMILIES, Pool
from coliee_ir.commands.tune.search import CAPS, FLOORS, Bounds, Sweep, all_bounds, objective
from coliee_ir.measures import parse
from coliee_ir.rules.decisions import Decisions

BOUNDS = st.builds(Bounds, st.integers(0, 8), st.none() | st.integers(1, 8)).filter(
    lambda bound: bound.cap is None or bound.floor <= bound.cap
)


def sweep(pool, family, measure, decisions=None):
    return Sweep(pool, family, objective(parse(measure)[0], pool, decisions or Decisions()))


def one_query(scores, gold):
    """A ranking of one query, in which documents are right or not."""
    return Pool.read(
        {"q": {f"d{at}": score for at, score in enumerate(scores)}},
        {"q": {f"d{at}": 1 for at, right in enumerate(gold) if right}},
        task="trec",
    )


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_the_best_threshold_is_that_which_trying_all_of_them_finds(family, data):
    case = data.draw(naive.cases(negative=not FAMILIES[family].positive))
    measure, decisions = data.draw(st.sampled_from(naive.MEASURES)), data.draw(naive.DECISIONS)
    bound = data.draw(BOUNDS)
    pool, wanted = case.pool, naive.relevant(case.gold)
    swept = sweep(pool, family, measure, decisions)
    rule = swept.best(np.ones(len(pool.queries), dtype=np.bool_), [bound])
    values = FAMILIES[family].value(pool).tolist()
    tried = [naive.cut(pool, values, threshold, *bound) for threshold in naive.thresholds(values)]
    scored = [(naive.score(lists, wanted, measure, decisions), sum(map(len, lists.values()))) for lists in tried]
    known = [pair for pair in scored if not math.isnan(pair[0])]
    if not known:
        assert math.isnan(swept.terms(rule).total)
        return
    best = max(score for score, _ in known)
    threshold = FAMILIES[family].parameter(rule.threshold)
    own = naive.cut(pool, values, threshold, rule.floor, rule.cap)
    assert naive.score(own, wanted, measure, decisions) == pytest.approx(best, abs=1e-9)
    assert sum(map(len, own.values())) == min(rows for score, rows in known if score > best - 1e-9)


@given(naive.cases(least=2), st.data())
def test_a_fold_is_cut_by_the_rule_that_is_best_without_it(case, data):
    family = data.draw(st.sampled_from([name for name, kind in FAMILIES.items() if not kind.positive]))
    pool, measure, bounds = case.pool, data.draw(st.sampled_from(naive.MEASURES)), [data.draw(BOUNDS)]
    n = len(pool.queries)
    folds = st.lists(st.integers(-1, 2), min_size=n, max_size=n).filter(lambda one: max(one) >= 0)
    fold = np.array(data.draw(folds))
    one = sweep(pool, family, measure)
    [held] = one.held_out(fold[None], bounds)
    for out in {*fold.tolist()} - {-1}:
        rule, test = one.best((fold >= 0) & (fold != out), bounds), fold == out
        np.testing.assert_array_equal(held[test], one.objective.at(pool, one.counts(rule))[test])


@given(naive.cases(least=2), st.data())
def test_on_some_queries_it_is_that_of_these_queries_alone(case, data):
    family = data.draw(st.sampled_from([name for name, kind in FAMILIES.items() if not kind.positive]))
    measure, bound = data.draw(st.sampled_from(naive.MEASURES)), data.draw(BOUNDS)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(case.run), max_size=len(case.run))), np.bool_)
    if not chosen.any():
        chosen[0] = True
    taken = [query for query, is_chosen in zip(case.run, chosen.tolist(), strict=True) if is_chosen]
    alone = naive.Case({q: case.run[q] for q in taken}, {q: case.gold[q] for q in taken}).pool
    among = sweep(case.pool, family, measure).best(chosen, [bound])
    apart = sweep(alone, family, measure).best(np.ones(len(taken), dtype=np.bool_), [bound])
    assert among == apart


@given(naive.cases(least=2), st.sampled_from(naive.MEASURES), naive.DECISIONS, st.data())
def test_without_a_fold_the_best_rule_is_that_of_all_other_queries(case, measure, decisions, data):
    family = data.draw(st.sampled_from([name for name, kind in FAMILIES.items() if not kind.positive]))
    n = len(case.run)
    fold = st.lists(st.integers(-1, 2), min_size=n, max_size=n).filter(lambda deal: max(deal) >= 0)
    folds = np.array(data.draw(st.lists(fold, min_size=1, max_size=3)))
    bounds = data.draw(st.sampled_from(([Bounds()], all_bounds(None, None, 7), all_bounds(None, 3, 7))))
    swept = sweep(case.pool, family, measure, decisions)
    each = np.zeros((*folds.shape, swept.objective.base.shape[1]))
    for deal, number in np.ndindex(len(folds), int(folds.max()) + 1):
        rule = swept.best((folds[deal] >= 0) & (folds[deal] != number), bounds)
        test = folds[deal] == number
        each[deal, test] = swept.terms(rule).each[test]
    assert swept.held_out(folds, bounds).tolist() == each.tolist()


@given(naive.cases(), st.sampled_from(naive.MEASURES))
def test_of_several_bounds_the_best_is_taken_and_of_equal_ones_the_first(case, measure):
    everyone = np.ones(len(case.run), dtype=np.bool_)
    swept = sweep(case.pool, "score", measure)
    bounds = all_bounds(None, None, 7)
    rules = [swept.best(everyone, [bound]) for bound in bounds]
    scores = [swept.terms(rule).total for rule in rules]
    best = max((score for score in scores if not math.isnan(score)), default=math.nan)
    expected = next((rule for rule, score in zip(rules, scores, strict=True) if score > best - 1e-9), rules[0])
    assert swept.best(everyone, bounds) == expected


def test_a_difference_in_the_seventh_decimal_counts():
    gold = [at < 900 or at == 901 for at in range(1000)]
    f1 = [2 * sum(gold[:k]) / (k + sum(gold)) for k in range(1001)]
    assert 0 < f1[902] - f1[900] < 1e-6
    pool = one_query([float(1000 - at) for at in range(1000)], [int(right) for right in gold])
    assert sweep(pool, "score", "MicroF1").best(np.array([True])).keeps(pool).sum() == 902


@pytest.mark.parametrize("floor", [2, 5])
def test_a_floor_longer_than_the_lists_leaves_nothing_to_a_threshold(floor):
    pool = one_query([2.0, 1.0], [1, 1])
    everyone = np.array([True])
    score = sweep(pool, "score", "MicroF1").best(everyone, [Bounds(floor)])
    assert score.keeps(pool).all()
    assert 2.0 < score.threshold < math.inf  # nothing is known of the others, so that only better ones than these pass
    assert str(sweep(pool, "k", "MicroF1").best(everyone, [Bounds(floor)])) == f"top {floor} per query"


def test_bounds_that_are_tried_go_from_none_to_both():
    every = all_bounds(None, None, 6)
    assert every[0] == (0, None)
    caps = [(floor, cap) for floor in FLOORS for cap in CAPS if floor < cap < 6]
    assert set(every) == {*((floor, None) for floor in FLOORS), *caps}
    assert [(bound.floor > 0) + (bound.cap is not None) for bound in every] == sorted(
        (bound.floor > 0) + (bound.cap is not None) for bound in every
    )
    assert all_bounds(2, None, 9) == ((2, None), (2, 3), (2, 5), (2, 8))
    assert all_bounds(None, 4, 9) == ((0, 4), (1, 4))
    assert all_bounds(None, 1, 9) == ((0, 1),)
    assert all_bounds(3, 3, 9) == ((3, 3),)


def test_the_curve_goes_from_few_to_all_and_shows_the_best():
    scores = [float(1000 - at) for at in range(1000)]
    pool = one_query(scores, [at == 0 or at == 336 for at in range(1000)])
    swept = sweep(pool, "score", "MicroF1")
    points = swept.curve(np.array([True]), Bounds(), 10)
    assert len(points) == 10
    assert points[0] == (1000.0, pytest.approx(2 / 3))
    assert points[-1] == (1.0, pytest.approx(4 / 1002))
    pool = one_query(scores, [at < 337 for at in range(1000)])
    points = sweep(pool, "k", "MicroF1").curve(np.array([True]), Bounds(), 10)
    assert (337.0, 1.0) in points
    assert [k for k, _ in points] == sorted(k for k, _ in points)


@given(naive.cases(), st.sampled_from(naive.MEASURES), BOUNDS)
def test_each_point_of_the_curve_is_the_score_of_keeping_down_to_it(case, measure, bound):
    pool, everyone = case.pool, np.ones(len(case.pool.queries), np.bool_)
    points = sweep(pool, "score", measure).curve(everyone, bound)
    for parameter, score in points:
        lists = naive.cut(pool, pool.compared.tolist(), parameter, *bound)
        assert score == pytest.approx(naive.score(lists, naive.relevant(case.gold), measure, Decisions()), abs=1e-9)
