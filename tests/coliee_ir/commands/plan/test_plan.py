"""``plan``: what it promises is what the shipped test finds, and how it is written."""

import json
import math
import random
from dataclasses import replace

import numpy as np
import one_step
import pytest
import scipy.stats
from asserting import refusing
from example_runs import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st
from naive_resampling import micro

from coliee_adapters.errors import UsageError
from coliee_adapters.records import Answers, Gold
from coliee_ir import Evaluator, Scored, compare, evaluate_all
from coliee_ir.commands.plan import plan
from coliee_ir.measures.base import of_mean
from coliee_ir.output.rendering import render
from coliee_ir.stats import paired, power
from coliee_ir.stats.power import ExactTest
from coliee_ir.stats.resampling import Resampling

QUERIES = [f"q{n}" for n in range(200)]


def answering(*rights):
    """Runs that are right on the questions where each of these is true."""
    evaluator = Evaluator(Gold(labels=dict.fromkeys(rights[0], True)), task="4")
    return [evaluator.evaluate(Answers(right, tag=f"r{i}")) for i, right in enumerate(rights)]


def accuracies(*qualities, queries=QUERIES):
    """Runs that are right on a share of the questions, by chance."""
    chance = random.Random(1)
    return answering(*({query: chance.random() < quality for query in queries} for quality in qualities))


def planned(*qualities, **options):
    return plan(accuracies(*qualities), **options)


def least_of(runs, queries, pairs=((0, 1),), settings=None):
    """The least difference found by 80 % of so many queries, for each number of queries and each pair."""
    return [*power.least_found(paired.Board(runs), [*pairs], queries, settings or Resampling(99), 0.8)]


def test_what_is_promised_is_what_the_shipped_test_finds():
    found = planned(0.7, 0.6, queries=[100]).sizes[0].found[0]
    draw, hits = np.random.default_rng(1), 0
    for seed in range(120):
        runs = [of_mean((draw.random(100) < quality).astype(float)) for quality in (0.65 + found / 2, 0.65 - found / 2)]
        [test] = paired.tested(paired.Board(runs), [(0, 1)], Resampling(99, seed))
        hits += test.p < 0.05
    assert 0.68 < hits / 120 < 0.92  # 0.8, and the error of simulation


@pytest.mark.parametrize("lost", [0, 1, 3, None])
def test_a_plan_for_accuracies_is_kept_also_where_answers_agree_wherever_they_can_or_have_nothing_in_common(lost):
    answers = np.ones((2, 200))
    if lost is None:
        answers = np.array([[1.0, 1.0, 0.0, 0.0] * 50, [1.0, 0.0, 1.0, 0.0] * 50])
    else:
        answers[1, : 10 + lost] = answers[0, 200 - lost :] = 0
    [[least]] = least_of([of_mean(run) for run in answers], [170])
    share = least + 2 * lost / 200 if lost is not None else 1 - 2 * (0.5 - least / 2) * (0.5 + least / 2)
    assert 0.72 < ExactTest(170, 0.05, 0.0).power(share, least) < 0.85


def test_answers_that_count_half_need_half_the_difference():
    answers = np.random.default_rng(4).random((2, 90)) < [[0.6], [0.4]]
    answers[1] = np.where(answers.sum(axis=0) == 0, True, answers[1])
    answers[1, : int(answers.sum()) - 90] = False  # their accuracies are 1 together
    whole, half = (least_of([of_mean(run * size) for run in answers], [60, 300]) for size in (1.0, 0.5))
    assert [least for [least] in half] == pytest.approx([least / 2 for [least] in whole])


def test_of_many_accuracies_each_pair_finds_what_it_finds_alone():
    draw, pairs = np.random.default_rng(8), [(a, b) for a in range(24) for b in range(a)]
    ease = draw.random(120)  # which the runs have in common
    runs = [of_mean((ease + draw.normal(0, 0.1, 120) < quality).astype(float)) for quality in np.linspace(0.3, 0.9, 24)]
    [every] = least_of(runs, [120], pairs)
    for place in (0, 40, 150, 275):
        two = [runs[at] for at in pairs[place]]
        levels = (Resampling(99, confidence_level=1 - alpha) for alpha in (0.05, 0.05 / len(pairs)))
        [[alone]], [[strict]] = (least_of(two, [120], settings=level) for level in levels)
        assert alone < every[place] and 0.9 * strict < every[place] < 1.1 * strict


def exact_power(n, share, difference):
    """The power of McNemar's exact test, over all that two runs can answer."""
    won, lost = (share + difference) / 2, (share - difference) / 2
    total = 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            m = a + b
            if a > b and 2 * sum(math.comb(m, k) for k in range(a, m + 1)) / 2**m < 0.05:
                total += math.comb(n, a) * math.comb(n - a, b) * won**a * lost**b * (1 - won - lost) ** (n - m)
    return total


@given(st.integers(6, 30), st.floats(0.05, 0.95), st.floats(0.01, 1))
def test_the_power_for_accuracies_is_that_of_the_exact_test(n, share, part):
    exact = exact_power(n, share, share * part)
    assert ExactTest(n, 0.05, 0.0).power(share, share * part) == pytest.approx(exact, abs=2e-3)


def test_nothing_is_promised_that_no_p_or_no_discordance_allows():
    for size in (2, 5):
        few, many = planned(1.0, 0.0, queries=[size, 20]).sizes
        assert (few.found, many.found[0] is None) == ((None,), False)
    assert "5" in planned(1.0, 0.0, queries=[5, 20]).notes()[1]
    for qualities in ((0.93, 0.0), (0.85, 0.0), (1.0, 0.0)):
        [size] = planned(*qualities, queries=[20]).sizes
        [found] = size.found
        # the variance of a difference is never below δ - δ²
        assert found is not None and exact_power(20, found + 1e-9, found) >= 0.79


def test_more_queries_find_smaller_differences_and_more_runs_larger_ones():
    two = planned(0.7, 0.6, queries=[50, 200, 800])
    found = [size.found[0] for size in two.sizes]
    assert [size.queries for size in two.sizes] == [50, 200, 800]
    assert found[0] > found[1] > found[2]
    assert found[0] / found[2] == pytest.approx(4, rel=0.1)  # as the root of the number
    five = planned(0.7, 0.6, 0.65, 0.3, 0.7, queries=[200])
    of_pairs, [[_, typical, hardest]] = five.sizes[0].found, five.tables()[0].rows
    assert "80%" in five.tables()[0].caption and "p < 0.05, 10 pairs" in five.tables()[0].caption
    assert (len(five.pairs), typical.value, hardest.value) == (10, np.median(of_pairs), max(of_pairs))
    assert found[1] < typical.value < hardest.value
    alike = [{"q1": ["a"], "q2": ["b"]}, {"q1": ["x"], "q2": ["b"]}]
    few = plan(evaluate_all(alike[0], alike, task="1"), queries=[2, 30])
    assert [row[1].text == "-" for row in few.tables()[0].rows] == [True, False]  # no two shares are so far apart


def test_more_runs_ask_for_more_also_where_no_joint_test_of_these_queries_finds_anything():
    chance = np.random.default_rng(1)
    runs, settings = [of_mean(chance.random(4)) for _ in range(3)], Resampling(999, 1)
    several = ([(1, 0)], [(1, 0), (2, 0), (2, 1)])
    [[alone]], [among_three] = (least_of(runs, [30], pairs, settings) for pairs in several)
    t, of_three = (scipy.stats.t.ppf(1 - 0.025 / n, 29) for n in (1, 3))
    assert among_three[0] / alone == pytest.approx((of_three + 0.84) / (t + 0.84), rel=0.02)


def test_groups_count_as_wholes_and_are_named():
    groups, chance = {query: f"g{i // 4}" for i, query in enumerate(QUERIES)}, random.Random(1)
    right = [{group: chance.random() < quality for group in dict.fromkeys(groups.values())} for quality in (0.7, 0.6)]
    of_queries = [{query: of_group[group] for query, group in groups.items()} for of_group in right]
    found = plan(answering(*of_queries), queries=[100], groups=groups)
    of_groups = plan(answering(*right), queries=[25])
    assert (found.groups, found.to_dict()["groups"], of_groups.groups) == (50, 50, 0)
    assert found.sizes[0].found == of_groups.sizes[0].found  # 100 queries are 25 groups
    assert "50 groups" in render(found, "table")


def test_where_no_query_says_otherwise_any_difference_is_found():
    even = [micro([[i * right, 4 * i, 4 * i] for i in range(1, 31)]) for right in (3, 2)]  # no query says otherwise
    assert all(least < 1e-9 for [least] in least_of(even, [10, 40]))


def test_where_few_queries_decide_the_plan_says_how_far_off_it_may_be():
    gold = {f"q{n}": [f"d{i}" for i in range(2 if n else 200)] for n in range(40)}
    runs = [{query: documents[: len(documents) // k if n else 60 * k] for n, (query, documents)
             in enumerate(gold.items())} for k in (1, 2)]  # fmt: skip
    found = plan(evaluate_all(gold, runs, task="1"))
    assert found.largest_share > 0.5 and found.differing == 0
    assert f"{found.largest_share:.0%}" in found.notes()[-1] and "0.65 to 1" in found.notes()[-1]
    for differ, is_noted in ((3, True), (10, True), (11, False), (40, False)):
        rights = [{query: n >= wrong for n, query in enumerate(QUERIES)} for wrong in (0, differ)]
        found = plan(answering(*rights), queries=[400])
        assert found.differing == differ and len(found.notes()) == 1 + is_noted
        assert not is_noted or (f" {differ} " in found.notes()[1] and "variance" not in found.notes()[1])


def test_a_plan_says_how_far_off_those_of_other_queries_are():
    draw = np.random.default_rng(3)
    figures = [least_of([of_mean(run) for run in draw.normal(0.5, 0.1, (2, 40))], [80])[0][0] for _ in range(200)]
    gold = {f"q{n}": ["a"] for n in range(40)}
    halves = [{query: ["a"] for n, query in enumerate(gold) if n % 2 == odd} for odd in (0, 1)]
    [note] = plan(evaluate_all(gold, halves, task="1", measures="R@1")).notes()
    off = float(note.split("%")[0].rsplit(" ", 1)[1]) / 100
    assert np.mean(np.abs(np.array(figures) / np.median(figures) - 1) < off) == pytest.approx(0.95, abs=0.03)


def scored_systems(draw, better, queries, runs):
    """A and B, the one so much better: scores vary with queries, with runs, and with both."""
    base, cells = draw.normal(0.5, 0.15, queries), []
    for name, more in (("A", better), ("B", 0.0)):
        own = base + draw.normal(0, 0.1, queries) + more
        for run in range(runs):
            values = own + draw.normal(0, 0.03) + draw.normal(0, 0.1, queries)
            cells += [(name, run, f"q{query}", value) for query, value in enumerate(values.tolist())]
    frame = dict(zip(("system", "seed", "query", "score"), zip(*cells, strict=True), strict=True))
    return Scored.from_frame(frame, columns={"tag": "system", "replicate": "seed"})


@pytest.mark.parametrize("runs", [3, 6])
def test_what_is_promised_of_systems_is_what_the_comparison_of_systems_finds(runs):
    draw, n = np.random.default_rng(1), 40
    plans = [plan(scored_systems(draw, 0.0, 30, runs), queries=[n], replicates="seed") for _ in range(25)]
    least = float(np.sqrt(np.mean(np.square([each.sizes[0].found for each in plans]))))
    trials = [compare(scored_systems(draw, least, n, runs), replicates="seed") for _ in range(120)]
    assert sum(trial.pairs[0].p < 0.05 for trial in trials) / 120 == pytest.approx(0.8, abs=0.1)


def test_more_queries_do_not_lessen_the_variance_between_runs_which_is_said():
    few_runs, many_runs = (scored_systems(np.random.default_rng(2), 0.1, 30, runs) for runs in (3, 10))
    ways = ((few_runs, None), (few_runs, "seed"), (many_runs, "seed"))
    single, systems, of_many = (plan(scored, queries=[30, 10**6], replicates=how) for scored, how in ways)
    assert (single.replicates, single.at_best) == ((), ())
    assert 0.25 / 30 < systems.largest_share < 0.5
    assert systems.replicates == (3, 3) and systems.resamples == 0
    [few], [many], [best] = systems.sizes[0].found, systems.sizes[1].found, systems.at_best
    assert few > many > 0.02 > single.sizes[1].found[0] and many == pytest.approx(best, rel=0.01)
    assert f"{best:.2g}" in systems.notes()[1] and "3" in systems.notes()[2]  # of so few runs
    assert len(of_many.notes()) == len(systems.notes()) - 1
    assert few > single.sizes[0].found[0]


def test_what_cannot_be_planned_is_refused():
    two, [single] = accuracies(0.7, 0.6), accuracies(0.5)
    scored = scored_systems(np.random.default_rng(2), 0.1, 30, 3)
    runs = [run for scores in scored for run in scores.schema.copies]
    alike = [replace(scores, tag=f"r{i}") for i, scores in enumerate(runs[:1] * 6)]
    by_run = {name: [f"r{i}" for i in places] for name, places in (("A", range(3)), ("B", range(3, 6)))}
    for of_runs, options, kind in (
        (two, {"power": 0.01}, "bad-value"), (two, {"power": 1.0}, "bad-value"), (two, {"queries": [1]}, "too-few"),
        (two, {"groups": {"q0": "a"}}, "missing-key"), (accuracies(1, 0, queries=["q"]), {}, "no-result"),
        ([single], {}, "too-few"), ([single, single], {}, "no-result"),  # that do not differ
        (runs, {"replicates": {"A": ["A 0", "A 1", "A 2"]}}, "missing-key"),  # B is without a system
        (runs[:3], {"replicates": {"A": ["A 0", "A 1", "A 2"]}}, "too-few"),
        (alike, {"replicates": by_run}, "no-result"),
        *((scored_systems(np.random.default_rng(2), 0.1, *n), {"replicates": "seed"}, kind)
          for n, kind in (((1, 3), "no-result"), ((30, 2), "too-few"))),
    ):  # fmt: skip
        with refusing(UsageError, f"[{kind}]"):
            plan(of_runs, **options)
    assert [size.queries for size in plan(two).sizes] == [100, 200, 400, 800]


def test_the_command_plans_from_files_as_python_does(call, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    files = ["task1/gold.json", "task1/bm25.txt", "task1/dense.txt"]
    found = one_step.plan(*files, measure="MicroR", queries=[40, 20])
    assert [size.queries for size in found.sizes] == [20, 40]
    for form in ("table", "json"):
        code, out, _ = call("plan", *files, "-m", "MicroR", "--size", "40", "--size", "20", "-f", form)
        expected = render(found, form)
        if form == "json":
            out, expected = json.loads(out), json.loads(expected)
            assert [*out.pop("inputs")] == files
        assert (code, out) == (0, expected)
    assert call("plan", *files[:2])[0] == 2
