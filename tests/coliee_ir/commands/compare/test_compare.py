"""``compare``: what a comparison says, what it refuses, and how it is written."""

import csv
import io
import itertools
import json
import math
import random
from dataclasses import replace

import numpy as np
import one_step
import pytest
import scipy
from asserting import done, failing, heard, matches, mentions, refusing
from example_runs import EXAMPLES

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.records import Run
from coliee_ir import Decisions, Evaluator, Scored
from coliee_ir.commands.compare import compare
from coliee_ir.output import grid
from coliee_ir.output.grid import Number
from coliee_ir.output.rendering import render
from coliee_ir.stats import paired
from coliee_ir.stats.intervals import wilson
from coliee_ir.stats.resampling import Interval, Resampling, Units

TASK1 = ["task1/gold.json", "task1/bm25.txt", "task1/dense.txt", "task1/rerank.json"]
TASK4 = ["task4/gold.xml", "task4/ALPHA.txt", "task4/BETA.txt"]
GOLD = {f"q{n}": ["a", "b"] for n in range(20)}
ALL_RIGHT = {query: ["a", "b"] for query in GOLD}
HALF = {query: ["a", "x"] for query in GOLD}
NOTHING = {query: ["x"] for query in GOLD}


@pytest.fixture(autouse=True)
def in_examples(monkeypatch):
    monkeypatch.chdir(EXAMPLES)


def tagged(*runs, tags="ABCDEFGH"):
    return [Run.of(run, tag=tag, path=f"{tag}{i}.txt") for i, (run, tag) in enumerate(zip(runs, tags, strict=False))]


def some(seed, quality):
    chance = random.Random(seed)
    return {query: [d if chance.random() < quality else f"x{d}" for d in "abc"[: chance.randint(1, 3)]]
            for query in GOLD}  # fmt: skip


def compared(*runs, tags="ABCDEFGH", gold=GOLD, **options):
    return one_step.compare(gold, *tagged(*runs, tags=tags), **{"task": "1", "n_resamples": 200, **options})


def one_pair(*runs, **options):
    [pair] = compared(*runs, **options).pairs
    return pair


def scored_by(*measures, **options):
    evaluator = Evaluator(GOLD, measures, task="1", **options)
    return [evaluator.evaluate(run) for run in tagged(some(1, 0.6), some(2, 0.4), some(3, 0.5))]


def test_by_default_all_pairs_are_compared_on_the_measure_that_ranks_by_the_test_that_is_named():
    scored = [Evaluator(TASK1[0]).evaluate(run) for run in TASK1[1:]]
    values, places = [scores.measures["MicroF1"] for scores in scored], [(0, 1), (0, 2), (1, 2)]
    found, settings = compare(scored, n_resamples=500), Resampling(500)
    assert (found.measure, found.task, found.queries, [run.score for run in found.runs]) == ("MicroF1", "1", 40, values)
    differences = [(a, b, values[a] - values[b]) for a, b in places]
    assert [(pair.a, pair.b, pair.difference) for pair in found.pairs] == differences
    units = Units.of(scored[0].query_ids)
    board = paired.Board([units.terms(next(iter(scores.results.values())).terms) for scores in scored])
    tests, joint = paired.tested(board, places, settings), paired.jointly([(board, places)], settings)
    assert [(pair.own_p, pair.own_interval) for pair in found.pairs] == [(test.p, test.interval) for test in tests]
    assert [pair.p for pair in found.pairs] == joint.p[0].tolist()
    assert [list(pair.interval) for pair in found.pairs] == joint.intervals[0][0].tolist()
    for pair in compare(scored, n_resamples=500, correction="none").pairs:
        assert (pair.p, pair.interval) == (pair.own_p, pair.own_interval)


def test_a_baseline_is_named_by_its_tag_or_its_file_and_runs_of_one_tag_have_names():
    of_two, of_both = (["A", "A", "B"], "A1.txt"), (["A", "B", "A0.txt"], "A0.txt")  # a tag goes before a file
    for (tags, baseline), places in ((of_two, [(0, 1), (2, 1)]), (of_both, [(0, 2), (1, 2)])):
        found = compared(HALF, ALL_RIGHT, NOTHING, tags=tags, baseline=baseline, n_resamples=9)
        assert [(pair.a, pair.b) for pair in found.pairs] == places
        assert "correct" in found.method  # for two pairs
    with refusing(UsageError, "[unknown-name] 'A'… 2 … A, A (2), B …"):
        compared(HALF, ALL_RIGHT, NOTHING, tags="AAB", baseline="A")
    [first, *_] = json.loads(render(compared(HALF, NOTHING, ALL_RIGHT, tags="AAB"), "json"))["pairs"]
    assert (first["tags"], first["names"]) == (["A", "A"], ["A", "A (2)"])


def test_wins_ties_and_losses_are_of_the_queries_that_count():
    a = {"q1": ["a"], "q2": ["a"], "q3": ["x"], "q4": ["a"]}
    b = {"q1": ["a"], "q2": ["x"], "q3": ["a"], "q4": ["x"]}
    few, skip = ({"q1": ["a"]}, {"q1": ["a"], "q2": ["b"]}), {"decisions": Decisions(unanswered="skip")}
    for runs, options, counts in (((a, b), {}, (2, 17, 1)), (few, {}, (0, 19, 1)), (few, skip, (0, 1, 0))):
        pair = one_pair(*runs, measure="MacroF1", **options, gold={**GOLD, "empty": []} if runs is few else GOLD)
        assert (pair.wins, pair.ties, pair.losses) == counts


def test_the_effect_on_a_mean_is_cohens_d_and_the_t_test_is_scipys_whose_interval_agrees_with_p():
    a, b, _ = scored = scored_by("MacroF1")
    values = [[scores.per_query[query]["MacroF1"] for query in GOLD] for scores in (a, b)]
    apart, [pair] = np.subtract(*values), compare([a, b], test="t").pairs
    assert pair.effect == pytest.approx(np.mean(apart) / np.std(apart, ddof=1), rel=1e-9)
    assert pair.p == pytest.approx(scipy.stats.ttest_rel(*values).pvalue, rel=1e-9)
    for level in (0.5, 0.9, 0.99):
        for pair in compare(scored, test="t", correction="none", confidence_level=level).pairs:
            assert (pair.p < 1 - level) == (not pair.interval.low <= 0 <= pair.interval.high)


def test_the_deciding_queries_are_those_without_which_the_difference_changes_most_equal_ones_by_id():
    runs = some(3, 0.7), some(4, 0.4)
    pair = one_pair(*runs)
    changes = {query: one_pair(*runs, exclude=[query], n_resamples=20).difference - pair.difference for query in GOLD}
    most = sorted(changes, key=lambda query: (-round(abs(changes[query]), 12), query))[:5]
    assert pair.deciding == tuple((query, pytest.approx(changes[query], rel=1e-9)) for query in most)
    a, zero = {query: ["a", "b"] for query in ("q7", "q3", "q11")}, Decisions(no_overlap="zero")
    alike = one_pair(a, {}, measure="MacroF1", decisions=zero)
    assert [query for query, _ in alike.deciding][:3] == ["q11", "q3", "q7"]


def test_an_accuracy_has_wilsons_interval_also_where_it_is_perfect():
    comparison = one_step.compare(*TASK4, n_resamples=50, confidence_level=0.5)
    for standing in comparison.runs:
        right = round(standing.score * comparison.queries)
        assert standing.interval == wilson(right, comparison.queries, 0.5)
    perfect, half = compared(ALL_RIGHT, HALF).runs
    assert all(map(math.isnan, half.interval))  # nothing varies
    assert perfect.interval == pytest.approx((1 - 3 / 20, 1), abs=1e-3)  # the rule of three


def test_the_order_of_the_gold_and_of_the_runs_changes_nothing():
    runs = [some(seed, 0.5) for seed in range(3)]
    forth, back = compared(*runs), compared(*runs[::-1], tags="CBA", gold=dict(reversed(GOLD.items())))
    for pair in forth.pairs:
        [other] = [each for each in back.pairs if {*each.tags} == {*pair.tags}]
        assert (other.p, other.own_p) == (pair.p, pair.own_p)
        assert other.difference == pytest.approx(-pair.difference, abs=1e-15)
        assert other.interval.low == pytest.approx(-pair.interval.high, abs=1e-12)
    assert [run.interval for run in back.runs[::-1]] == [run.interval for run in forth.runs]


def test_a_margin_says_what_the_interval_allows():
    close = [{**HALF, **{f"q{n}": ["a", "b"] for n in range(i, i + 6)}} for i in (0, 6)]
    runs, options = [*close, NOTHING], {"measure": "MacroF1", "n_resamples": 999}
    for margin, first in ((0.3, "equivalent"), (0.01, "undecided")):
        found = compared(*runs, margin=margin, **options)
        assert [pair.verdict for pair in found.pairs] == [first, *[f"better by more than {margin}"] * 2]
        assert "90%" in found.tables()[0].caption and f"{margin}" in found.tables()[0].caption
    assert [pair.verdict for pair in compared(*runs).pairs] == ["undecided", "better", "better"]
    for options["test"] in ("randomisation", "t"):  # two one-sided tests: intervals of twice the level
        margin = max(map(abs, one_pair(*close, confidence_level=0.9, **options).interval))
        for factor, verdict in ((0.999, "undecided"), (1.001, "equivalent")):
            pair = one_pair(*close, margin=factor * margin, **options)
            assert (pair.verdict, max(map(abs, pair.interval)) > margin) == (verdict, True)


def test_a_p_value_equal_to_alpha_tells_no_runs_apart():
    runs = {f"q{n}": ["a"] for n in (1, 2, 3)}, NOTHING  # p = 2/2³
    for level, verdict in ((0.75, "undecided"), (0.74, "better")):
        assert one_pair(*runs, measure="MacroF1", confidence_level=level).verdict == verdict


def test_groups_of_queries_are_swapped_as_one():
    runs = (some(1, 0.9), some(2, 0.3))
    alone, found = compared(*runs), compared(*runs, groups={query: str(int(query[1:]) // 5) for query in GOLD})
    assert one_pair(*runs, groups={query: query for query in GOLD}).p == alone.pairs[0].p
    assert (alone.groups, found.groups, found.pairs[0].p) == (0, 4, 0.125)
    assert found.pairs[0].wins == alone.pairs[0].wins


def test_many_runs_are_compared_as_few_are_without_what_is_of_each_pair_alone(monkeypatch):
    near = {**HALF, **{f"q{n}": ["a", "b"] for n in range(5)}}
    runs = [HALF, near, *(some(seed, 0.2 + seed / 3) for seed in range(3))]
    few = compared(*runs, n_resamples=999)
    monkeypatch.setattr("coliee_ir.commands.compare.MOST_ALONE", 3)
    many = compared(*runs, n_resamples=999)
    assert (many.runs, many.remarks) == (few.runs, few.remarks) and few.remarks
    for one, other in zip(many.pairs, few.pairs, strict=True):
        assert (one.verdict, one.differing, one.wins) == (other.verdict, other.differing, other.wins)
        numbers = [[pair.difference, pair.error, pair.p, *pair.interval] for pair in (one, other)]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)
        assert one.own_p is None and one.deciding == ()


def test_several_measures_are_corrected_together():
    scored = scored_by("MicroF1", "MicroR")
    both, alone = compare(scored, measures=["MicroF1", "MicroR"], n_resamples=300), compare(scored, n_resamples=300)
    assert [(each.measure, each.together) for each in (both, *both.others)] == [("MicroF1", 6), ("MicroR", 6)]
    assert alone.together == 3
    assert ["MicroF1" in found.tables()[0].caption for found in (both, alone)] == [False, True]
    assert ["measures" in found.method for found in (both, alone)] == [True, False]
    assert all(x.p >= y.p for x, y in zip(both.pairs, alone.pairs, strict=True))
    rows = list(csv.reader(io.StringIO(render(both, "csv"))))
    assert [row[:3] for row in rows[3:5]] == [["MicroF1", "B", "C"], ["MicroR", "A", "B"]]


SYSTEMS = {name: [f"{name}{i}" for i in range(3)] for name in "AB"}
REPLICATES = [Run.of(some(7 * i, quality), tag=f"{name}{i}") for name, quality in (("A", 0.8), ("B", 0.4))
              for i in range(3)]  # fmt: skip


def test_runs_that_are_one_system_are_compared_by_their_means(tmp_path):
    path, options = tmp_path / "systems.csv", {"task": "1", "n_resamples": 99}
    path.write_text("\n".join(["run,system", *(f"{run},{name}" for name, tags in SYSTEMS.items() for run in tags)]))
    single = one_step.compare(GOLD, *REPLICATES, **options)
    found = one_step.compare(GOLD, *REPLICATES, replicates=SYSTEMS, **options)
    assert found == one_step.compare(GOLD, *REPLICATES, replicates=path, **options)
    path.write_text("run,name\nA0,A\n")
    with refusing(InputError, f"{path}, line 1: [missing-column] (found 'run,name')"):
        one_step.compare(GOLD, *REPLICATES, replicates=path, **options)
    means = [np.mean([run.score for run in single.runs[i : i + 3]]) for i in (0, 3)]
    assert (found.interval, [run.tag for run in found.runs]) == ("t", ["A", "B"])
    assert [run.score for run in found.runs] == pytest.approx(means)
    [pair] = found.pairs
    assert pair.difference == pytest.approx(means[0] - means[1])
    assert (pair.verdict, pair.p < 0.05, pair.interval.low > 0) == ("better", True, True)
    scored = [Evaluator(GOLD, ["MicroF1", "MicroR"], task="1").evaluate(run) for run in REPLICATES]
    both = compare(scored, measures=["MicroF1", "MicroR"], replicates=SYSTEMS)  # Bonferroni's correction for all
    for each in (both, *both.others):
        assert each.pairs[0].p == 2 * each.pairs[0].own_p
    assert found.runs[0].interval.low < means[0] < found.runs[0].interval.high


@pytest.mark.parametrize("is_paired", [False, True])
def test_on_fixed_questions_only_runs_vary_and_seeds_are_paired_where_names_say_so(tmp_path, is_paired):
    draw = np.random.default_rng(1)
    shift = draw.normal(0, 0.05, (4, 1))  # what a seed does to both
    ease, (a, b) = 0.4 + 0.2 * draw.random(10), draw.normal(0, 0.01, (2, 4, 10))
    values = {"A": ease + shift + a + 0.05, "B": ease + shift + b}
    systems = {name: [f"{name}-{'seed' if is_paired else 'x'}{run}" for run in range(4)] for name in values}
    rows = [f"{run},q{q},{value}" for name, of_runs in values.items()
            for run, of_run in zip(systems[name], of_runs, strict=True) for q, value in enumerate(of_run)]  # fmt: skip
    (tmp_path / "t.csv").write_text("\n".join(["run,query,AP", *rows]))
    scored = Scored.read(tmp_path / "t.csv")
    found = compare(scored, replicates=systems, fixed_queries=True)
    first, other = values["A"].mean(axis=1), values["B"].mean(axis=1)
    test = scipy.stats.ttest_rel(first, other) if is_paired else scipy.stats.ttest_ind(first, other, equal_var=False)
    [pair] = found.pairs
    assert pair.p == pytest.approx(test.pvalue, rel=1e-6 if is_paired else 0.15)  # degrees of freedom are whole
    assert (pair.p < 0.05) == is_paired and "these queries" in found.method
    ends = scipy.stats.ttest_1samp(first, 0).confidence_interval()
    assert tuple(found.runs[0].interval) == pytest.approx(tuple(ends), rel=0.3)
    with refusing(UsageError, "[option-needed] …"):
        compare(scored, fixed_queries=True)
    fewer = {"A": systems["A"], "B": systems["B"][:3]}
    of_seven = compare([scores for scores in scored if scores.tag != systems["B"][3]], replicates=fewer)
    assert [remark.kind for remark in of_seven.remarks] == ["unequal-replicates"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"measure": "MicroF1", "test": "t"}, "[unfit-measure] MicroF1 … t …"),
        ({"measure": "MacroF1", "test": "t", "decisions": Decisions(unanswered="skip")},
         "[unfit-measure] MacroF1 … 'A'… 'B'… t …"),
        ({"correction": "holm"}, "[unknown-name] 'holm'… maxt, none …"),
        ({"margin": 0.0}, "[bad-value]"),
        ({"baseline": "C"}, "[unknown-name] 'C'… A, B …"),
        ({"groups": dict.fromkeys(GOLD, "g"), "test": "t", "measure": "MacroF1"}, "[option-conflict]"),
        ({"replicates": {"A": ["A"], "B": ["B"]}}, "[too-few]"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(options, sentence):
    with refusing(UsageError, sentence):
        compared(HALF, {"q1": ["a"]}, **options)


def test_a_run_alone_runs_of_different_rules_and_systems_that_cannot_be_compared_are_refused():
    half = scored_by()[0]
    for others, sentence in (
        ([], "[too-few]"), (scored_by(exclude=["q1"]), "[not-comparable]"),
        (scored_by("MacroF1"), "[not-comparable] MicroF1 …"), (scored_by(edition=2025), "[not-comparable]"),
        (scored_by(decisions=Decisions(extra_queries="wrong")), "[not-comparable]"),
    ):  # fmt: skip
        with refusing(UsageError, sentence):
            compare([half, *others])
    for systems, kind in (
        ({**SYSTEMS, "A": ["A0", "A1"]}, "too-few"), ({**SYSTEMS, "A": ["A0", "A1", "A9"]}, "unknown-name"),
        ({**SYSTEMS, "A": ["A0", "A1", "B0"]}, "named-twice"), ({"A": SYSTEMS["A"]}, "missing-key"),
    ):  # fmt: skip
        with refusing(UsageError, f"[{kind}]"):
            one_step.compare(GOLD, *REPLICATES, task="1", replicates=systems)


def test_identical_runs_are_remarked_and_are_not_different():
    runs = (some(1, 0.6), some(1, 0.6), some(2, 0.4), some(1, 0.6))
    comparison = compared(*runs)
    same = comparison.pairs[0]
    assert (same.difference, same.own_p, same.p, same.effect, same.verdict) == (0.0, 1.0, 1.0, 0.0, "undecided")
    assert (same.wins, same.ties, same.losses, same.deciding) == (0, 20, 0, ())
    assert same.interval.low <= same.own_interval.low < 0 < same.own_interval.high
    assert mentions(heard(comparison.remarks), "[no-difference] 3 pairs … MicroF1 … A and B; A and D; B and D …")
    assert "no-difference" not in [remark.kind for remark in compared(*runs[1:3]).remarks]
    assert one_pair(HALF, HALF, measure="MacroF1", test="t").p == 1.0


def test_a_score_that_does_not_exist_is_no_number_and_is_remarked():
    skip = {"measure": "MacroF1", "decisions": Decisions(unanswered="skip", no_overlap="zero")}
    comparison = compared(HALF, {}, ALL_RIGHT, **skip)
    undefined = comparison.pairs[0]
    assert (undefined.p, undefined.own_p, undefined.difference, undefined.effect) == (None,) * 4
    assert all(map(math.isnan, undefined.interval)) and comparison.runs[1].score is None
    assert (undefined.wins, undefined.ties, undefined.losses, undefined.deciding) == (0, 0, 0, ())
    assert comparison.pairs[1].p == comparison.pairs[1].own_p  # one comparison is left to correct for
    assert matches(heard(comparison.remarks), ("[undefined-measure] MacroF1 … B …",))
    assert "**" not in render(compared({}, {}, **skip), "markdown")  # none is the best


def test_a_pair_of_which_nothing_can_be_shown_says_so():
    few = compared(dict(HALF), {**HALF, **{f"q{n}": ["a", "b"] for n in range(4)}}, n_resamples=9999)
    assert (few.pairs[0].differing, few.pairs[0].p) == (4, 0.125)
    single = compared({"q": ["a"]}, {"q": ["x"]}, gold={"q": ["a"]})
    assert (single.pairs[0].difference, single.pairs[0].p, single.pairs[0].effect) == (1.0, 1.0, None)
    for comparison in (few, single):
        assert comparison.pairs[0].interval.low < 0 < comparison.pairs[0].interval.high
        assert matches(heard(comparison.remarks), ("[too-few-queries] A and B …",))
    several = compared(HALF, NOTHING, ALL_RIGHT, measure="MacroF1", test="t", correction="none")
    assert all(pair.p is None for pair in several.pairs)
    assert matches(heard(several.remarks), ("[no-difference] 3 pairs …",))


def test_a_run_that_is_a_little_better_everywhere_may_lose_what_is_not_there():
    documents = [f"d{i}" for i in range(20)]
    gold = dict.fromkeys(GOLD, documents)
    better, worse = ({query: documents[: 18 - n % 3 * by] for n, query in enumerate(GOLD)} for by in (1, 2))
    less, all_but_one = dict.fromkeys(GOLD, documents[:4]), {**worse, "q0": documents}
    for other, is_said in ((worse, True), (less, False), (all_but_one, False)):
        for runs in itertools.permutations(({**better, "q0": documents[:19]}, other)):
            comparison = compared(*runs, gold=gold, measure="MacroF1")
            assert comparison.significant(comparison.pairs[0])
            assert matches(heard(comparison.remarks), ("[one-sided] 1 … A and B …",) if is_said else ())


def test_resamples_with_which_no_p_can_be_small_enough_are_remarked_with_how_many_are_needed():
    runs = [some(seed, 0.5) for seed in range(8)]
    few = compared(*runs, n_resamples=19)
    [remark] = few.remarks
    needed = int(remark.partition("--resamples ")[2].split()[0])
    assert not any(few.significant(pair) for pair in few.pairs)
    assert needed == 21 and compared(*runs, n_resamples=needed).remarks == ()  # max-T needs no more for many pairs
    assert compared(*runs, n_resamples=19, measure="MacroF1", test="t", correction="none").remarks == ()


def rows_of(table):
    return [line.split() for line in grid.plain(table).splitlines()[1:]]


def test_an_end_that_leaves_out_0_is_not_shown_as_0():
    comparison = compared(NOTHING, ALL_RIGHT, HALF)
    for low, high, shown in ((3e-5, 0.2, [">0", "+0.2000"]), (-0.2, -3e-5, ["-0.2000", "<0"]), (0, 0, ["0.0000"] * 2)):
        pair = replace(comparison.pairs[0], interval=Interval(low, high))
        [row, *_] = rows_of(replace(comparison, pairs=(pair,)).tables()[0])
        assert row[3:5] == shown


def test_marks_are_letters_of_runs_that_are_significantly_worse_by_the_corrected_p():
    comparison = compared(NOTHING, ALL_RIGHT, HALF, n_resamples=999)
    for level, marked in ((0.95, ["0.0000", "1.0000a,c", "0.5000a"]), (0.999, ["0.0000", "1.0000", "0.5000"])):
        assert [row[2] for row in rows_of(replace(comparison, confidence_level=level).tables()[-1])] == marked
    assert comparison.tables()[-1].caption.startswith("MicroF1 ")
    found = compared(some(1, 0.75), some(2, 0.5), some(3, 0.5), some(4, 0.5), n_resamples=999, measure="MacroF1")
    assert any(pair.own_p < 0.05 <= pair.p for pair in found.pairs)
    marks = sorted(pair.b for pair in found.pairs if pair.a == 0 and pair.p < 0.05)
    assert rows_of(found.tables()[-1])[0][2].lstrip("0123456789.") == ",".join("abcd"[place] for place in marks)
    bold = [row for row in found.tables()[0].rows if isinstance(row[-2], Number) and row[-2].bold]
    assert len(bold) == sum(pair.p < 0.05 for pair in found.pairs)


def test_the_method_names_what_was_done():
    two = render(compared(some(1, 0.6), some(2, 0.4)), "table")
    assert "correct" not in two and "test, 200 resamples, seed 2026; p < 0.05; " in two and "<0.0001" not in two
    text = render(one_step.compare(*TASK4, n_resamples=300, confidence_level=0.9), "table")
    assert "run intervals: Wilson's" in text and "90% interval" in text
    assert "300 resamples" not in text  # all sign flips were made
    small = compared(some(1, 0.05), ALL_RIGHT, measure="MacroF1", test="t")
    assert 0 < small.pairs[0].p < 0.0001 and " <0.0001 " in render(small, "table")
    runs = [some(seed, 0.5) for seed in range(6)]
    for n, lines in ((6, 0), (5, 10)):
        assert render(compared(*runs[:n]), "table").count("most influential queries for ") == lines


def test_the_command_prints_what_compare_says_and_remarks_on_standard_error(call):
    typed = "--resamples 300 --seed 7 --correction none --baseline bm25 --confidence-level 0.9 -m MacroF1 --test t"
    options = {"n_resamples": 300, "seed": 7, "correction": "none", "baseline": "bm25", "confidence_level": 0.9}
    wanted = one_step.compare(*TASK1, measure="MacroF1", test="t", **options)
    out, err = done(call, "compare", *TASK1, "-f", "csv", *typed.split())
    assert (out, "bm25: 40 queries: 40 answered" in err) == (render(wanted, "csv"), True)
    found = json.loads(done(call, "compare", *TASK1, "-f", "json", *typed.split())[0])
    assert {**found, "inputs": 0} == {**wanted.to_dict(), "inputs": 0}
    _, err = done(call, "compare", *TASK1, "--resamples", "10", "--test", "randomization")
    assert matches(err.splitlines()[-1], "[too-few-resamples] 0.091 …; use --resamples 21")
    code, out, err = call("compare", "--keep-going", *TASK1[:3], "task2/mono.txt", "-f", "json")
    assert (code, [run["tag"] for run in json.loads(out)["runs"]]) == (2, ["bm25", "dense"])
    assert mentions(err, "coliee-ir: task2/mono.txt: [mismatch]")
    keeping = ["--keep-going", *TASK1[:2], "task2/mono.txt"]
    for arguments, sentence in ((TASK1[:2], "[too-few]"), ([*TASK1, "-m", "official"], "…"), (keeping, "[too-few]")):
        assert mentions(failing(call, "compare", *arguments), sentence)
