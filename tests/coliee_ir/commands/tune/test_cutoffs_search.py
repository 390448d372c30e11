"""The search for the best threshold, and curves: the score at each cutoff or threshold."""

import csv
import json
import math
from pathlib import Path

import naive_cut as naive
import numpy as np
import pytest
from asserting import done, failing
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import UsageError
from coliee_ir import evaluate
from coliee_ir.commands.tune import FAMILIES, Pool
from coliee_ir.commands.tune.search import CAPS, FLOORS, Bounds, Sweep, all_bounds, objective
from coliee_ir.measures import parse
from coliee_ir.rules.decisions import Decisions

BOUNDS = st.builds(Bounds, st.integers(0, 8), st.none() | st.integers(1, 8)).filter(
    lambda bound: bound.cap is None or bound.floor <= bound.cap
)
MEASURES = st.sampled_from(naive.MEASURES)
ANY_SCORES = st.sampled_from([name for name, family in FAMILIES.items() if not family.positive])


def sweep(pool, family, measure, decisions=None):
    return Sweep(pool, family, objective(parse(measure)[0], pool, decisions or Decisions()))


def every(pool):
    return np.ones(len(pool.queries), dtype=np.bool_)


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
    measure, decisions, bound = data.draw(MEASURES), data.draw(naive.DECISIONS), data.draw(BOUNDS)
    pool, wanted = case.pool, case.relevant
    swept = sweep(pool, family, measure, decisions)
    rule = swept.best(every(pool), [bound])
    values = FAMILIES[family].value(pool).tolist()
    tried = [naive.cut(pool, values, threshold, *bound) for threshold in (math.inf, *set(values))]
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


@given(naive.cases(least=2), ANY_SCORES, MEASURES, BOUNDS, st.data())
def test_on_some_queries_it_is_that_of_these_queries_alone(case, family, measure, bound, data):
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=len(case.run), max_size=len(case.run))), np.bool_)
    if not chosen.any():
        chosen[0] = True
    taken = [query for query, is_chosen in zip(case.run, chosen.tolist(), strict=True) if is_chosen]
    alone = naive.Case({q: case.run[q] for q in taken}, {q: case.gold[q] for q in taken}).pool
    among = sweep(case.pool, family, measure).best(chosen, [bound])
    assert among == sweep(alone, family, measure).best(every(alone), [bound])


@given(naive.cases(least=2), ANY_SCORES, MEASURES, naive.DECISIONS, BOUNDS, st.data())
def test_without_a_fold_the_best_rule_is_that_of_all_other_queries(case, family, measure, decisions, bound, data):
    n = len(case.run)
    fold = st.lists(st.integers(-1, 2), min_size=n, max_size=n).filter(lambda deal: max(deal) >= 0)
    folds = np.array(data.draw(st.lists(fold, min_size=1, max_size=3)))
    bounds = data.draw(st.sampled_from(([bound], all_bounds(None, None, 7), all_bounds(None, 3, 7))))
    swept = sweep(case.pool, family, measure, decisions)
    each = np.zeros((*folds.shape, swept.objective.base.shape[1]))
    for deal, number in np.ndindex(len(folds), int(folds.max()) + 1):
        rule = swept.best((folds[deal] >= 0) & (folds[deal] != number), bounds)
        test = folds[deal] == number
        each[deal, test] = swept.terms(rule).each[test]
    assert swept.held_out(folds, bounds).tolist() == each.tolist()


@given(naive.cases(), MEASURES)
def test_of_several_bounds_the_best_is_taken_and_of_equal_ones_the_first(case, measure):
    swept, bounds = sweep(case.pool, "score", measure), all_bounds(None, None, 7)
    rules = [swept.best(every(case.pool), [bound]) for bound in bounds]
    scores = np.nan_to_num([swept.terms(rule).total for rule in rules], nan=-np.inf)
    assert swept.best(every(case.pool), bounds) == rules[np.argmax(scores > scores.max() - 1e-9)]


def test_a_difference_in_the_seventh_decimal_counts():
    gold = [at < 900 or at == 901 for at in range(1000)]
    f1 = [2 * sum(gold[:k]) / (k + sum(gold)) for k in range(1001)]
    assert 0 < f1[902] - f1[900] < 1e-6
    pool = one_query([float(1000 - at) for at in range(1000)], gold)
    assert sweep(pool, "score", "MicroF1").best(np.array([True])).keeps(pool).sum() == 902


@pytest.mark.parametrize("floor", [2, 5])
def test_a_floor_longer_than_the_lists_leaves_nothing_to_a_threshold(floor):
    pool = one_query([2.0, 1.0], [1, 1])
    score = sweep(pool, "score", "MicroF1").best(every(pool), [Bounds(floor)])
    assert score.keeps(pool).all()
    assert 2.0 < score.threshold < math.inf  # nothing is known of the others, so that only better ones than these pass
    assert str(sweep(pool, "k", "MicroF1").best(every(pool), [Bounds(floor)])) == f"top {floor} per query"


def test_bounds_that_are_tried_go_from_none_to_both():
    bounds = all_bounds(None, None, 6)
    caps = [(floor, cap) for floor in FLOORS for cap in CAPS if floor < cap < 6]
    assert set(bounds) == {*((floor, None) for floor in FLOORS), *caps} and bounds[0] == (0, None)
    many = [(bound.floor > 0) + (bound.cap is not None) for bound in bounds]
    assert many == sorted(many)
    for asked, expected in (((2, None, 9), ((2, None), (2, 3), (2, 5), (2, 8))), ((None, 4, 9), ((0, 4), (1, 4))),
                            ((None, 1, 9), ((0, 1),)), ((3, 3, 9), ((3, 3),))):  # fmt: skip
        assert all_bounds(*asked) == expected


@given(naive.cases(negative=False), st.sampled_from(list(FAMILIES)), MEASURES, BOUNDS)
def test_each_point_of_the_curve_is_the_score_of_keeping_down_to_it(case, family, measure, bound):
    pool, value = case.pool, FAMILIES[family].value(case.pool).tolist()
    for parameter, score in sweep(pool, family, measure).curve(every(pool), bound):
        lists = naive.cut(pool, value, FAMILIES[family].parameter(parameter), *bound)
        assert score == pytest.approx(naive.score(lists, case.relevant, measure, Decisions()), abs=1e-9)


def test_the_curve_goes_from_few_to_all_and_shows_the_best():
    scores = [float(1000 - at) for at in range(1000)]
    pool = one_query(scores, [at in (0, 336) for at in range(1000)])
    points = sweep(pool, "score", "MicroF1").curve(every(pool), Bounds(), 10)
    assert len(points) == 10
    assert (points[0], points[-1]) == ((1000.0, pytest.approx(2 / 3)), (1.0, pytest.approx(4 / 1002)))
    pool = one_query(scores, [at < 337 for at in range(1000)])
    points = sweep(pool, "k", "MicroF1").curve(every(pool), Bounds(), 10)
    assert (337.0, 1.0) in points
    assert points == sorted(points)


def test_the_curve_is_written_of_the_cutoffs_that_a_range_names(here, call):
    gold, run = {}, {}
    for n in range(12):
        gold[f"q{n:02}"] = [f"d{n}", f"d{n + 1}"][n % 5 == 0 :]
        run[f"q{n:02}"] = {f"d{n + at}": round(0.9 - at / 7 - (n * 5 % 4) / 11, 6) for at in range(-1, 4)}
    Path("gold.json").write_text(json.dumps(gold))
    Path("run.json").write_text(json.dumps(run))
    given_ = ("tune", "gold.json", "run.json", "--task", "1", "--by", "k", "--folds", "3", "--curve")
    done(call, *given_, "c.csv")
    rows = list(csv.DictReader(Path("c.csv").read_text().splitlines()))
    assert [(row["run"], row["rule"], row["parameter"]) for row in rows] == [("run", "k", str(k)) for k in range(1, 6)]
    scores = evaluate(gold, run, task="1", measures="MicroF1@1..5").measures
    assert [float(row["MicroF1"]) for row in rows] == pytest.approx([*scores.values()])
    for wrong in ("c.xlsx", "run.json"):
        failing(call, *given_, wrong)


def test_a_range_is_each_of_its_cutoffs_and_refused_where_it_is_none():
    assert parse("MicroF(beta=2)@2..4") == [measure for k in (2, 3, 4) for measure in parse(f"MicroF(beta=2)@{k}")]
    assert [str(measure) for measure in parse("nDCG@7..7")] == ["nDCG@7"]
    for typed in ("MicroF1@5..1", "MicroF1@0..3", "MicroF1@1..9999", "MicroF1@1..", "AP@1..b"):
        with pytest.raises(UsageError):
            parse(typed)
