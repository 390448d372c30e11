"""``plan``: what it promises is what the shipped test finds, and how it is written."""

import json
import math
import random
from dataclasses import replace

import numpy as np
import one_step
import pytest
from example_runs import EXAMPLES
from hypothesis import given
from hypothesis import strategies as st
from naive_resampling import micro

from coliee_adapters.errors import UsageError
from coliee_adapters.records import Answers, Gold, Run
from coliee_ir import Evaluator, Scored, compare, evaluate_all
from coliee_ir.commands.plan import plan
from coliee_ir.measures.base import of_mean
from coliee_ir.output.shown import FORMS, render
from coliee_ir.stats import paired, power
from coliee_ir.stats.power import ExactTest
from coliee_ir.stats.settings import Resampling

QUERIES = [f"q{at}" for at in range(200)]


def accuracies(*qualities):
    """Runs that are right on a share of the questions, by chance."""
    evaluator = Evaluator(Gold(labels=dict.fromkeys(QUERIES, True)), task="4")
    chance = random.Random(1)
    return [
        evaluator.evaluate(Answers({query: chance.random() < quality for query in QUERIES}, tag=f"r{at}"))
        for at, quality in enumerate(qualities)
    ]


def planned(*qualities, **options):
    return plan(accuracies(*qualities), **options)


def test_what_is_promised_is_what_the_shipped_test_finds():
    found = planned(0.7, 0.6, queries=[100]).sizes[0].found[0]
    draw = np.random.default_rng(1)
    hits = 0
    for seed in range(120):
        runs = [of_mean((draw.random(100) < quality).astype(float)) for quality in (0.65 + found / 2, 0.65 - found / 2)]
        [test] = paired.tested(paired.Board(runs), [(0, 1)], Resampling(99, seed))
        hits += test.p < 0.05
    assert 0.68 < hits / 120 < 0.92  # 0.8, and the error of simulation


@pytest.mark.parametrize("lost", [0, 1, 3])
def test_a_plan_for_accuracies_is_kept_also_where_one_run_is_right_wherever_the_other_is(lost):
    answers = np.ones((2, 200))
    answers[1, : 10 + lost] = answers[0, 200 - lost :] = 0
    runs = [of_mean(one) for one in answers]
    [(least,)] = power.least_found(paired.Board(runs), [(0, 1)], [170], Resampling(99), 0.8)
    assert 0.72 < ExactTest(170, 0.05, 0.0).power(least + 2 * lost / 200, least) < 0.85


@pytest.mark.parametrize("size", [2, 5])
def test_nothing_is_promised_where_no_p_can_be_small_enough(size):
    found = planned(1.0, 0.0, queries=[size, 20])
    assert np.isnan(np.array(found.sizes[0].found, dtype=float)).all()
    assert not np.isnan(np.array(found.sizes[1].found, dtype=float)).any()
    assert str(size) in found.notes()[1]


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
    assert ExactTest(n, 0.05, 0.0).power(share, share * part) == pytest.approx(
        exact_power(n, share, share * part), abs=2e-3
    )


def test_no_difference_is_promised_that_no_discordance_allows():
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
    five = planned(0.7, 0.6, 0.65, 0.6, 0.7, queries=[200])
    assert len(five.pairs) == 10
    assert np.median(five.sizes[0].found) > found[1]
    alike = [{"q1": ["a"], "q2": ["b"]}, {"q1": ["x"], "q2": ["b"]}]
    few = plan(evaluate_all(alike[0], alike, task="1"), queries=[2, 30])
    assert [size.found[0] is not None for size in few.sizes] == [False, True]
    assert [row[1].text == "-" for row in few.tables()[0].rows] == [True, False]  # no two shares are so far apart


def test_groups_count_as_wholes_and_are_named():
    groups, chance = {query: f"g{at // 4}" for at, query in enumerate(QUERIES)}, random.Random(1)
    right = [{group: chance.random() < quality for group in dict.fromkeys(groups.values())} for quality in (0.7, 0.6)]

    def planned_for(answers, **options):
        evaluator = Evaluator(Gold(labels=dict.fromkeys(answers[0], True)), task="4")
        runs = [evaluator.evaluate(Answers(each, tag=str(at))) for at, each in enumerate(answers)]
        return plan(runs, **options)

    of_queries = [{query: each[group] for query, group in groups.items()} for each in right]
    found, of_groups = planned_for(of_queries, queries=[100], groups=groups), planned_for(right, queries=[25])
    assert (found.groups, found.to_dict()["groups"], of_groups.groups) == (50, 50, 0)
    assert found.sizes[0].found == of_groups.sizes[0].found  # 100 queries are 25 groups
    assert "50 groups" in render(found, "table")


def test_the_typical_pair_is_the_median_and_the_hardest_that_which_varies_most():
    five = planned(0.7, 0.6, 0.65, 0.3, 0.7, queries=[200])
    [[_, typical, hardest]] = five.tables()[0].rows
    found = five.sizes[0].found
    assert (typical.value, hardest.value) == (np.median(found), max(found))
    assert min(found) < typical.value < hardest.value


def test_where_few_queries_are_far_larger_than_others_more_queries_help_less():
    draw, ratios = np.random.default_rng(1), []
    for sizes in (np.full(200, 2), 2 * np.floor(np.minimum(draw.random(200) ** (-1 / 1.3), 200)).astype(int)):
        chance = draw.beta(2, 2, (2, 200)) / 2 + np.array([[0.4], [0.2]])
        counts = [np.column_stack((draw.binomial(sizes, each), sizes, sizes)) for each in chance]
        board = paired.Board([micro(each.tolist()) for each in counts])
        few, many = (least[0] for least in power.least_found(board, [(0, 1)], [400, 1600], Resampling(99), 0.8))
        ratios.append(few / many)
    assert ratios[0] == pytest.approx(2, rel=0.05) and math.sqrt(2) < ratios[1] < 1.7
    even = paired.Board(
        [micro([[at * right, 4 * at, 4 * at] for at in range(1, 31)]) for right in (3, 2)]
    )  # no query says otherwise
    assert all(least[0] < 1e-9 for least in power.least_found(even, [(0, 1)], [10, 40], Resampling(99), 0.8))


def test_what_makes_no_sense_is_refused_and_by_default_this_years_number_is_halved_and_doubled():
    assert [size.queries for size in planned(0.7, 0.6).sizes] == [100, 200, 400, 800]
    for options in ({"power": 0.01}, {"queries": [1]}, {"groups": {"q0": "a"}}):
        with pytest.raises(UsageError):
            planned(0.7, 0.6, **options)
    [one] = accuracies(0.5)
    for runs in ([one], [one, one]):  # that do not differ
        with pytest.raises(UsageError):
            plan(runs)


def test_the_command_plans_from_files_as_python_does_in_every_form(call, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    files = ["task1/gold.json", "task1/bm25.txt", "task1/dense.txt"]
    found = one_step.plan(*files, measure="MicroR", queries=[40, 20])
    assert [size.queries for size in found.sizes] == [20, 40]
    arguments = ["-m", "MicroR", "--size", "40", "--size", "20", "-f"]
    for form in FORMS:
        code, out, _ = call("plan", *files, *arguments, form)
        if form == "json":
            told = json.loads(out)
            assert list(told.pop("inputs")) == files
            assert told == json.loads(render(found, "json"))
        else:
            assert (code, out) == (0, render(found, form))
    assert call("plan", *files[:2])[0] == 2


def test_where_one_query_has_most_of_the_variance_the_plan_says_so():
    gold = {f"q{at}": [f"d{one}" for one in range(200 if at == 0 else 2)] for at in range(40)}
    runs = [{query: found[: len(found) // k if at else 60 * k] for at, (query, found) in enumerate(gold.items())}
            for k in (1, 2)]  # fmt: skip
    found = plan(evaluate_all(gold, runs, task="1"))
    assert found.largest_share > 0.5
    note = found.notes()[-1]
    assert f"{found.largest_share:.0%}" in note and found.differing == 0
    assert "0.65 to 1" in note
    assert len(planned(0.7, 0.6).notes()) == 1


@pytest.mark.parametrize(("differ", "is_noted"), [(3, True), (10, True), (11, False), (40, False)])
def test_where_few_questions_tell_accuracies_apart_the_plan_says_how_many(differ, is_noted):
    evaluator = Evaluator(Gold(labels=dict.fromkeys(QUERIES, True)), task="4")
    answers = [{query: at >= wrong for at, query in enumerate(QUERIES)} for wrong in (0, differ)]
    found = plan([evaluator.evaluate(Answers(one, tag=str(at))) for at, one in enumerate(answers)], queries=[400])
    assert found.differing == differ and len(found.notes()) == 1 + is_noted
    assert not is_noted or (f" {differ} " in found.notes()[1] and "variance" not in found.notes()[1])


def test_the_order_of_gold_and_runs_changes_nothing():
    gold = {f"q{at}": ["a", "b"] for at in range(30)}
    runs = [{query: ["a", "b"][: at % k] for at, query in enumerate(gold)} for k in (2, 3)]
    texts = []
    for of_gold, order in ((gold, runs), (dict(reversed(gold.items())), runs[::-1])):
        evaluator = Evaluator(of_gold, task="1")
        scored = [evaluator.evaluate(Run.of(run, tag=str(at))) for at, run in enumerate(order)]
        texts.append(render(plan(scored), "table"))
    assert texts[0] == texts[1]


def systems_drawn(draw, better, queries, runs):
    """A and B, the one so much better: scores vary with queries, with runs, and with both."""
    base, cells = draw.normal(0.5, 0.15, queries), []
    for name, more in (("A", better), ("B", 0.0)):
        own = base + draw.normal(0, 0.1, queries) + more
        for run in range(runs):
            values = own + draw.normal(0, 0.03) + draw.normal(0, 0.1, queries)
            cells += [(name, run, f"q{query}", value) for query, value in enumerate(values.tolist())]
    return dict(zip(("system", "seed", "query", "score"), zip(*cells, strict=True), strict=True))


def scored_systems(*drawn):
    return Scored.from_frame(systems_drawn(*drawn), columns={"tag": "system", "replicate": "seed"})


@pytest.mark.parametrize("runs", [3, 6])
def test_what_is_promised_of_systems_is_what_the_comparison_of_systems_finds(runs):
    draw, [asked] = np.random.default_rng(1), [40]
    plans = [plan(scored_systems(draw, 0.0, 30, runs), queries=[asked], replicates="seed") for _ in range(25)]
    least = float(np.sqrt(np.mean(np.square([one.sizes[0].found for one in plans]))))
    trials = [compare(scored_systems(draw, least, asked, runs), replicates="seed") for _ in range(120)]
    assert sum(one.pairs[0].p < 0.05 for one in trials) / 120 == pytest.approx(0.8, abs=0.1)


def test_more_queries_do_not_lessen_the_variance_between_runs_which_is_said():
    scored = scored_systems(np.random.default_rng(2), 0.1, 30, 3)
    single, systems = (plan(scored, queries=[30, 10**6], replicates=how) for how in (None, "seed"))
    assert (single.replicates, single.at_best) == ((), ())
    assert systems.replicates == (3, 3) and systems.resamples == 0
    [few], [many], [best] = systems.sizes[0].found, systems.sizes[1].found, systems.at_best
    assert few > many > 0.02 > single.sizes[1].found[0] and many == pytest.approx(best, rel=0.01)
    assert f"{best:.2g}" in systems.notes()[1] and "3" in systems.notes()[2]  # of so few runs
    of_many = plan(scored_systems(np.random.default_rng(2), 0.1, 30, 10), queries=[30, 10**6], replicates="seed")
    assert len(of_many.notes()) == len(systems.notes()) - 1
    assert systems.sizes[0].found[0] > single.sizes[0].found[0]


def test_systems_that_cannot_be_planned_for_are_refused():
    scored = scored_systems(np.random.default_rng(2), 0.1, 30, 3)
    runs = [run for scores in scored for run in scores.schema.copies]
    alike = [replace(scores, tag=f"r{at}") for at, scores in enumerate(runs[:1] * 6)]
    one_by_one = {name: [f"r{at}" for at in some] for name, some in (("A", range(3)), ("B", range(3, 6)))}
    for given_runs, replicates, kind in (
        (runs, {"A": ["A 0", "A 1", "A 2"]}, "missing-key"),  # B is without a system
        (runs[:3], {"A": ["A 0", "A 1", "A 2"]}, "too-few"),
        (alike, one_by_one, "no-result"),
        (scored_systems(np.random.default_rng(2), 0.1, 1, 3), "seed", "no-result"),
        (scored_systems(np.random.default_rng(2), 0.1, 30, 2), "seed", "too-few"),
    ):
        with pytest.raises(UsageError) as refused:
            plan(given_runs, replicates=replicates)
        assert refused.value.kind == kind
