"""The search for the best threshold, what it is worth on queries that it did not see, and curves."""

import csv
import json
import math
from pathlib import Path
from types import SimpleNamespace

import naive_cut as naive
import numpy as np
import pytest
import scipy
from asserting import done, failing, refusing
from hypothesis import example, given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import UsageError
from coliee_ir import evaluate
from coliee_ir.commands import tune as honest
from coliee_ir.commands.tune import FAMILIES, Candidate, Pool
from coliee_ir.commands.tune.search import CAPS, FLOORS, Bounds, Sweep, all_bounds, objective
from coliee_ir.measures import parse
from coliee_ir.measures.base import Terms, of_mean, quotient
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats import folds, paired, resampling
from coliee_ir.stats.folds import Split
from coliee_ir.stats.student import t_quantile

BOUNDS = st.builds(Bounds, st.integers(0, 8), st.none() | st.integers(1, 8)).filter(
    lambda bound: bound.cap is None or bound.floor <= bound.cap
)
MEASURES = st.sampled_from(naive.MEASURES)
ANY_SCORES = st.sampled_from([name for name, family in FAMILIES.items() if not family.positive])


def sweep(pool, family, measure, decisions=None):
    return Sweep(pool, family, objective(parse(measure)[0], pool, decisions or Decisions()))


def everyone(n=23):
    return np.ones(n, dtype=np.bool_)


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
    rule = swept.best(everyone(len(pool.queries)), [bound])
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
    assert among == sweep(alone, family, measure).best(everyone(len(alone.queries)), [bound])


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
    rules = [swept.best(everyone(len(case.gold)), [bound]) for bound in bounds]
    scores = np.nan_to_num([swept.terms(rule).total for rule in rules], nan=-np.inf)
    assert swept.best(everyone(len(case.gold)), bounds) == rules[np.argmax(scores > scores.max() - 1e-9)]


def test_bounds_that_are_tried_go_from_none_to_both():
    bounds = all_bounds(None, None, 6)
    caps = [(floor, cap) for floor in FLOORS for cap in CAPS if floor < cap < 6]
    assert set(bounds) == {*((floor, None) for floor in FLOORS), *caps} and bounds[0] == (0, None)
    many = [(bound.floor > 0) + (bound.cap is not None) for bound in bounds]
    assert many == sorted(many)


@given(naive.cases(negative=False), st.sampled_from(list(FAMILIES)), MEASURES, BOUNDS)
def test_each_point_of_the_curve_is_the_score_of_keeping_down_to_it(case, family, measure, bound):
    pool, value = case.pool, FAMILIES[family].value(case.pool).tolist()
    for parameter, score in sweep(pool, family, measure).curve(everyone(len(pool.queries)), bound):
        lists = naive.cut(pool, value, FAMILIES[family].parameter(parameter), *bound)
        assert score == pytest.approx(naive.score(lists, case.relevant, measure, Decisions()), abs=1e-9)


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


QUERIES = [f"q{n}" for n in range(23)]
TWO_GROUPS = {query: "ab"[at % 2] for at, query in enumerate(QUERIES)}


def test_folds_are_nearly_equal_and_the_seed_decides_today_as_ever():
    fold = Split.of(QUERIES, 5, 7).folds(everyone())
    assert sorted(np.bincount(fold).tolist()) == [4, 4, 5, 5, 5]
    # another round is nobody else's: not that of another fold, repeat or seed
    rounds = [(seed, *of) for seed in range(4) for of in [(), *((r,) for r in range(4)), (0, 0), (0, 1), (1, 0)]]
    dealt = {tuple(Split.of(QUERIES, 5, seed).folds(everyone(), *of).tolist()) for seed, *of in rounds}
    assert len(dealt) == len(rounds)
    # from the raw bits of PCG64, whose stream NumPy guarantees
    assert Split.of(QUERIES[:10], 3, 2026).folds(everyone(10)).tolist() == [1, 0, 2, 1, 0, 2, 0, 0, 1, 2]


@given(st.lists(st.sampled_from("abcdefg"), min_size=23, max_size=23), st.integers(0, 99), st.data())
def test_a_group_is_in_one_fold(names, seed, data):
    names[:2] = "ab"
    n = data.draw(st.integers(2, len({*names})))
    split = Split.of(QUERIES, n, seed, dict(zip(QUERIES, names, strict=True)))
    among = np.array(data.draw(st.lists(st.booleans(), min_size=23, max_size=23)), dtype=np.bool_)
    for taking_part in (everyone(), among):
        fold = split.folds(taking_part)
        assert ((fold >= 0) == taking_part).all()
        pairs = {(name, number) for name, number in zip(names, fold.tolist(), strict=True) if number >= 0}
        assert len(pairs) == len({name for name, _ in pairs})
        assert max(fold) == min(len(pairs), n) - 1


def test_groups_are_left_out_together():
    split, alone = (Split.of(["a", "b", "c"], 2, 0, groups) for groups in ({"a": "x", "b": "y", "c": "x"}, None))
    each = np.array([[1.0, 1], [2, 1], [4, 1]])
    assert split.summed(each, everyone(3)).tolist() == [[5, 2], [2, 1]]
    assert split.summed(each, np.array([False, True, True])).tolist() == [[4, 1], [2, 1]]
    terms = split.terms(of_mean(np.array([1.0, 2, 4])))
    assert terms.each.tolist() == [[5, 2], [2, 1]]
    assert terms.total == pytest.approx(7 / 3)
    assert (terms.is_mean, alone.terms(of_mean(np.array([1.0, 2, 4]))).is_mean) == (False, True)


@pytest.mark.parametrize(("n", "groups", "sentence"), [
    (1, None, "[too-few] 1 fold … 23 queries … use 2 to 23 …"),
    (24, None, "[too-few] 24 folds … 23 queries … use 2 to 23 …"),
    (3, TWO_GROUPS, "[too-few] 3 folds … 2 groups … use 2 …"),
    (2, dict.fromkeys(QUERIES, "g"), "[too-few] 2 folds … 1 group … at least 2 are needed …"),
    (2, {}, "[missing-key] 23 … q0 …"),
])  # fmt: skip
def test_folds_that_cannot_be_made_are_refused(n, groups, sentence):
    with refusing(UsageError, sentence):
        Split.of(QUERIES, n, 0, groups)


def candidates(pool, measure, *families):
    sweeps = [sweep(pool, family, measure) for family in families]
    bounded = [Candidate(sweep, all_bounds(None, None, 7)) for sweep in sweeps if sweep.family != "k"]
    return [*(Candidate(sweep, (Bounds(),)) for sweep in sweeps), *bounded]


def nested(every, split):
    folds = split.all_folds(everyone(len(split.units.number)))
    return honest.nested(every, split, honest.select(every, split, folds, everyone(folds.shape[1])))


@settings(max_examples=settings.default.max_examples // 2)
@given(naive.cases(least=4), st.sampled_from(("MicroF1", "MicroP")), st.data())
def test_a_held_out_query_never_chooses_its_own_rule(case, measure, data):
    """Whatever is said to be relevant for the queries of one fold, their lists are cut at the same place."""
    split = Split.of(case.pool.queries, 2, data.draw(st.integers(0, 9)))
    inside = split.folds(everyone(len(case.gold)), 0) == 0
    others = {q: {f"d{data.draw(st.integers(0, 8))}": 1} for q in case.gold}
    spoiled = {q: others[q] if is_in else case.gold[q] for q, is_in in zip(case.gold, inside.tolist(), strict=True)}
    terms = [nested(candidates(naive.Case(case.run, gold).pool, measure, "k", "score", "margin"), split)
             for gold in (case.gold, spoiled)]  # fmt: skip
    # the terms of micro-averages hold how many are retrieved
    assert terms[0].each[inside, 1].tolist() == terms[1].each[inside, 1].tolist()


@settings(max_examples=settings.default.max_examples // 2)
@given(naive.cases(least=4), st.sampled_from(("MicroF1", "MacroF1")), st.integers(0, 9))
def test_nested_is_select_and_fit_without_each_fold(case, measure, seed):
    pool = case.pool
    every = candidates(pool, measure, "k", "score")
    split = Split.of(pool.queries, 2, seed, repeats=2)
    terms = nested(every, split)
    scores = []
    for repeat, each in enumerate(np.split(terms.each, 2, axis=1)):
        outer = split.folds(everyone(len(pool.queries)), repeat)
        for number in (0, 1):
            train = outer != number
            choice = honest.select(every, split, split.folds(train, repeat, number)[None], train).chosen
            candidate = every[choice if train.sum() > 1 else 0]  # one query has nothing to choose by
            expected = candidate.sweep.terms(candidate.sweep.best(train, candidate.bounds)).each[~train]
            assert each[~train].tolist() == expected.tolist()
        scores.append(float(every[0].sweep.objective.score(each.sum(axis=0))))
    assert terms.total == pytest.approx(np.mean(scores), nan_ok=True)
    assert folds.spread(terms, 2, every[0].sweep.objective.score) == pytest.approx(np.std(scores, ddof=1), nan_ok=True)


def known(*rows):
    """What is selected of kinds of rule whose held-out scores are these."""
    pool = Pool.read({}, {str(n): {} for n in range(len(rows[0]))}, task="trec")
    aim, split = objective(parse("MacroF1")[0], pool, Decisions()), Split.of(pool.queries, 2, 0)
    parts = [of_mean(np.array(row)).each[None] for row in rows]
    sweeps = [SimpleNamespace(objective=aim, held_out=lambda *_, part=part: part) for part in parts]
    among = everyone(len(pool.queries))
    return honest.select([Candidate(one, (Bounds(),)) for one in sweeps], split, split.folds(among, 0)[None], among)


def test_the_simplest_within_a_standard_error_is_chosen():
    best = [0.5, 0.5, 0.7, 0.7]
    near = [0.5, 0.4, 0.8, 0.68]  # 0.005 below the best on average
    between = [0.445, 0.345, 0.745, 0.625]  # 0.06 below on average: one and a half errors
    far = [0.4, 0.4, 0.6, 0.6]  # always 0.1 below: without noise
    none = [math.nan] * 4  # has no score: is not chosen, and does not stand in the way
    error = float(np.std([0.0, 0.1, -0.1, 0.02], ddof=1)) / 2  # of a mean, the jackknife gives the usual one
    assert known(near, best).errors == [pytest.approx(error), 0.0]
    for rows, chosen in (((near, best), 0), ((between, best), 1), ((far, best), 1), ((far, near, best), 1),
                         ((best, near), 0), ((best, best), 0), ((none, best), 1), ((none, none), 0)):  # fmt: skip
        assert known(*rows).chosen == chosen
    assert [terms.total for terms in known(far, best).terms] == [pytest.approx(0.5), pytest.approx(0.6)]


def test_a_difference_of_means_has_nearly_the_corrected_t_tests_interval():
    """Nadeau, Bengio 2003: (1/K + 1/(K - 1)) S² of the folds' differences, and t with K - 1 degrees of freedom."""
    one, other = np.random.default_rng(4).uniform(0.2, 0.8, (2, 2000))
    found, of_folds = folds.difference(of_mean(one), of_mean(other), 10), (one - other).std(ddof=1) * 200**-0.5
    half = scipy.stats.t.ppf(0.975, 9) * of_folds * math.sqrt(1 / 10 + 1 / 9)
    assert found.interval == pytest.approx((found.value - half, found.value + half), rel=0.05)
    # of quotients it is the paired test's, as much wider
    terms = [Terms(np.stack((values, 1 + values), axis=1), quotient, np.zeros(2), False) for values in (one, other)]
    [test] = paired.tested(paired.Board(terms), [(0, 1)], resampling.Resampling())
    assert folds.difference(*terms, 10).error == pytest.approx(test.error * math.sqrt(1 + 10 / 9), rel=1e-9)


def test_where_nothing_differs_and_of_few_queries_nothing_is_shown():
    one = of_mean(np.array([0.25, 0.5, 0.75]))
    assert folds.difference(one, one, 5) == (0.0, 0.0, (0.0, 0.0))
    for other in (np.array([0.5, 0.75, 1.0]), np.array([0.75, 0.5, 0.75])):
        assert not folds.difference(of_mean(other), one, 5).is_shown


@given(st.sampled_from((0.6, 0.9, 0.975, 0.995)), st.integers(1, 400))
@example(0.995, 200)
def test_quantiles_of_t_are_scipys(p, degrees):
    assert t_quantile(p, degrees) == pytest.approx(scipy.stats.t.ppf(p, degrees), rel=5e-11)


def test_the_best_of_several_is_scored_on_queries_that_did_not_choose_it():
    rows = np.array([[0.1, 0.9, 0.4, 0.3], [0.5, 0.2, 0.6, 0.35], [0.05, 0.55, 0.8, 0.15]])
    outside = []
    for times in next(resampling.draws(5, 60, 4)):
        means = (rows @ times / times.sum()).round(9).tolist()
        if (times == 0).any():  # else nobody is left to score it on
            outside.append(rows[means.index(max(means)), times == 0].mean())
    held, expected = [of_mean(row) for row in rows], np.mean(outside)
    best = folds.best_of(held, 60, 5)
    assert best.score == pytest.approx(min(expected, max(terms.total for terms in held)))
    assert best.interval.low < expected < best.interval.high
    assert math.isnan(folds.best_of([], 60, 5).score)
    # a measure that is 0 of no query at all is none of samples that leave nothing out
    zero = [terms._replace(score=lambda sums, of=terms.score: np.nan_to_num(of(sums)), is_mean=False) for terms in held]
    assert folds.best_of(zero, 60, 5) == best


def test_the_best_of_several_hangs_on_no_order_and_is_never_corrected_upwards():
    held = [of_mean((np.random.default_rng(seed).random(15) < 0.5).astype(float)) for seed in range(3)]
    assert folds.best_of(held[::-1], 500, 5).score == pytest.approx(folds.best_of(held, 500, 5).score, abs=1e-9)
    held = [of_mean(np.linspace(0.2, 0.9, 40) ** 2), of_mean(np.linspace(0.0, 0.5, 40))]
    for seed in range(20):  # the one run is always the best, and the estimate above or below its score by chance
        assert folds.best_of(held, 20, seed).score <= held[0].total
