"""``compare``: what a comparison says, what it refuses, and how it is written."""

import csv
import io
import json
import math
import random
import re
from dataclasses import replace

import numpy as np
import one_step
import pytest
import scipy
from asserting import done, failing, heard, matches, mentions, refusing
from example_runs import EXAMPLES

from coliee_adapters.errors import UsageError
from coliee_adapters.records import Run
from coliee_ir import Decisions, Evaluator, Scored
from coliee_ir.commands.compare import compare
from coliee_ir.output import grid
from coliee_ir.output.grid import Number
from coliee_ir.output.shown import FORMS, render
from coliee_ir.stats import paired
from coliee_ir.stats.intervals import wilson
from coliee_ir.stats.resampling import Interval, Units
from coliee_ir.stats.settings import Resampling

TASK1 = [EXAMPLES / "task1" / name for name in ("gold.json", "bm25.txt", "dense.txt", "rerank.json")]
TASK4 = [EXAMPLES / "task4" / name for name in ("gold.xml", "ALPHA.txt", "BETA.txt")]

GOLD = {f"q{n}": ["a", "b"] for n in range(20)}
ALL_RIGHT = {query: ["a", "b"] for query in GOLD}
HALF = {query: ["a", "x"] for query in GOLD}
NOTHING = {query: ["x"] for query in GOLD}


def tagged(*runs, tags="ABCDEFGH"):
    return [Run.of(run, tag=tag, path=f"{tag}{at}.txt") for at, (run, tag) in enumerate(zip(runs, tags, strict=False))]


def some(seed, quality, queries=20):
    chance = random.Random(seed)
    names = [f"q{n}" for n in range(queries)]
    return {
        query: [d if chance.random() < quality else f"x{d}" for d in "abc"[: chance.randint(1, 3)]] for query in names
    }


def compared(*runs, **options):
    return one_step.compare(GOLD, *tagged(*runs), **{"task": "1", "n_resamples": 200, **options})


def one_pair(*runs, **options):
    [pair] = compared(*runs, **options).pairs
    return pair


# what is compared


def test_by_default_all_pairs_are_compared_on_the_measure_that_ranks_by_the_test_that_is_named():
    scored = [Evaluator(TASK1[0]).evaluate(run) for run in TASK1[1:]]
    values, places = [scores.measures["MicroF1"] for scores in scored], [(0, 1), (0, 2), (1, 2)]
    found, asked = compare(scored, n_resamples=500), Resampling(500)
    assert (found.measure, found.task, found.queries, [one.score for one in found.runs]) == ("MicroF1", "1", 40, values)
    differences = [(a, b, values[a] - values[b]) for a, b in places]
    assert [(pair.a, pair.b, pair.difference) for pair in found.pairs] == differences
    units = Units.of(scored[0].query_ids)
    board = paired.Board([units.terms(next(iter(scores.results.values())).terms) for scores in scored])
    tests, joint = paired.tested(board, places, asked), paired.jointly([(board, places)], asked)
    assert [(pair.own_p, pair.own_interval) for pair in found.pairs] == [(test.p, test.interval) for test in tests]
    assert [pair.p for pair in found.pairs] == joint.p[0].tolist()
    assert [list(pair.interval) for pair in found.pairs] == joint.intervals[0][0].tolist()
    for pair in compare(scored, n_resamples=500, correction="none").pairs:
        assert (pair.p, pair.interval) == (pair.own_p, pair.own_interval)


def test_a_baseline_is_named_by_its_tag_or_its_file():
    for tags, baseline, places in (
        ("AAB", "A1.txt", [(0, 1), (2, 1)]),  # of two runs of one tag
        (["A", "B", "A0.txt"], "A0.txt", [(0, 2), (1, 2)]),  # a tag goes before a file of that name
    ):
        held = enumerate(zip((HALF, ALL_RIGHT, NOTHING), tags, strict=True))
        runs = [Run.of(one, tag=tag, path=f"{tag}{at}.txt") for at, (one, tag) in held]
        pairs = one_step.compare(GOLD, *runs, task="1", baseline=baseline, n_resamples=9).pairs
        assert [(pair.a, pair.b) for pair in pairs] == places
    with refusing(UsageError, "[unknown-name] 'A'… 2 … A, A (2), B …"):
        one_step.compare(GOLD, *tagged(HALF, ALL_RIGHT, NOTHING, tags="AAB"), task="1", baseline="A")


# what it says


def test_wins_ties_and_losses_are_of_the_queries_that_count():
    a = {"q1": ["a"], "q2": ["a"], "q3": ["x"], "q4": ["a"]}
    b = {"q1": ["a"], "q2": ["x"], "q3": ["a"], "q4": ["x"]}
    for measure in ("MicroF1", "MacroF1"):
        pair = one_pair(a, b, measure=measure)
        assert (pair.wins, pair.ties, pair.losses) == (2, 17, 1)
    runs = tagged({"q1": ["a"]}, {"q1": ["a"], "q2": ["b"]})
    for decisions, counted in ((Decisions(), (0, 19, 1)), (Decisions(unanswered="skip"), (0, 1, 0))):
        [pair] = one_step.compare({**GOLD, "empty": []}, *runs, task="1", measure="MacroF1", n_resamples=50,
                                  decisions=decisions).pairs  # fmt: skip
        assert (pair.wins, pair.ties, pair.losses) == counted


def test_the_effect_on_a_mean_is_cohens_d_of_the_queries_that_count():
    gold = {**GOLD, "empty": []}
    runs = tagged(some(1, 0.7), some(2, 0.4))
    a, b = (Evaluator(gold, ["MacroF1"], task="1").evaluate(run) for run in runs)
    values = [a.per_query[q]["MacroF1"] - b.per_query[q]["MacroF1"] for q in GOLD]
    pair = compare([a, b], n_resamples=50).pairs[0]
    assert pair.effect == pytest.approx(np.mean(values) / np.std(values, ddof=1), rel=1e-9)


def test_the_deciding_queries_are_those_without_which_the_difference_changes_most_equal_ones_by_id():
    runs = tagged(some(3, 0.7), some(4, 0.4))

    def pair(**options):
        return one_step.compare(GOLD, *runs, task="1", n_resamples=20, **options).pairs[0]

    changes = {query: pair(exclude=[query]).difference - pair().difference for query in GOLD}
    most = sorted(changes, key=lambda query: (-round(abs(changes[query]), 12), query))[:5]
    assert pair().deciding == tuple((query, pytest.approx(changes[query], rel=1e-9)) for query in most)
    a, zero = {query: ["a", "b"] for query in ("q7", "q3", "q11")}, Decisions(no_overlap="zero")
    alike = one_pair(a, {}, measure="MacroF1", decisions=zero)
    assert [query for query, _ in alike.deciding][:3] == ["q11", "q3", "q7"]


def test_an_accuracy_has_wilsons_interval_also_where_it_is_perfect():
    for level in (0.95, 0.5):
        comparison = one_step.compare(*TASK4, n_resamples=50, confidence_level=level)
        for standing in comparison.runs:
            right = round(standing.score * comparison.queries)
            assert standing.interval == wilson(right, comparison.queries, level)
    perfect, half = compared(ALL_RIGHT, HALF).runs
    assert all(map(math.isnan, half.interval))  # nothing varies
    assert perfect.interval == pytest.approx((1 - 3 / 20, 1), abs=1e-3)  # the rule of three


# tests


def test_each_test_is_the_one_that_it_says():
    evaluator = Evaluator(GOLD, ["MacroF1"], task="1")
    a, b = (evaluator.evaluate(run) for run in tagged(some(1, 0.6), some(2, 0.5)))
    values = [[scores.per_query[query]["MacroF1"] for query in GOLD] for scores in (a, b)]
    p = compare([a, b], test="t").pairs[0].p
    assert p == pytest.approx(scipy.stats.ttest_rel(*values).pvalue, rel=1e-9)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"measure": "MicroF1", "test": "t"}, "[unfit-measure] MicroF1 … t …"),
        ({"measure": "gm_map", "test": "t"}, "[unfit-measure] gm_map … t …"),
        ({"measure": "MacroF1", "test": "t", "decisions": Decisions(unanswered="skip")},
         "[unfit-measure] MacroF1 … 'A'… 'B'… t …"),
        ({"measure": "P"}, "[ambiguous] 'P'… 9 … P_5, P_10, P_15, …"),
        ({"test": "z"}, "[unknown-name] 'z'… randomisation, t …"),
        ({"correction": "holm"}, "[unknown-name] 'holm'… maxt, none …"),
        ({"margin": 0.0}, "[bad-value]"),
        ({"n_resamples": 0}, "[bad-value] 100,000 …"),
        ({"n_resamples": 10**7}, "[bad-value] 100,000 …"),
        ({"seed": -1}, "[bad-value]"),
        ({"confidence_level": 1.0}, "[bad-value]"),
        ({"confidence_level": math.nan}, "[bad-value]"),
        ({"baseline": "C"}, "[unknown-name] 'C'… A, B …"),
        ({"groups": dict.fromkeys(GOLD, "g"), "test": "t", "measure": "MacroF1"}, ""),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(options, sentence):
    with refusing(UsageError, sentence):
        compared(HALF, {"q1": ["a"]}, **options)


def test_a_run_alone_or_runs_of_different_rules_are_refused():
    def scored(run, **options):
        return Evaluator(GOLD, options.pop("measures", ()), task="1", **options).evaluate(Run.of(run))

    half = scored(HALF)
    for others, sentence in (
        ([], "[too-few]"),
        ([scored(HALF, exclude=["q1"])], "[not-comparable]"),
        ([scored(HALF, measures=["MacroF1"])], "[not-comparable] MicroF1 …"),
        ([scored(HALF, edition=2025)], "[not-comparable]"),
        ([scored(HALF, decisions=Decisions(extra_queries="wrong"))], "[not-comparable]"),
    ):
        with refusing(UsageError, sentence):
            compare([half, *others])
    with refusing(UsageError, "[too-few]"):
        one_step.compare(GOLD, HALF, task="1")


# what is odd, and said


def test_identical_runs_are_said_and_are_not_different():
    runs = (some(1, 0.6), some(1, 0.6), some(2, 0.4), some(1, 0.6))
    comparison = compared(*runs)
    same = comparison.pairs[0]
    assert (same.difference, same.own_p, same.p, same.effect, same.verdict) == (0.0, 1.0, 1.0, 0.0, "undecided")
    assert (same.wins, same.ties, same.losses, same.deciding) == (0, 20, 0, ())
    assert same.interval.low <= same.own_interval.low < 0 < same.own_interval.high
    assert mentions(heard(comparison.remarks), "[no-difference] 3 pairs … MicroF1 … A and B; A and D; B and D …")
    assert not any("add the same" in remark for remark in compared(*runs[1:3]).remarks)
    assert compared(*[runs[0]] * 4).remarks[0].endswith("A and B; A and C; A and D)")
    assert one_pair(HALF, HALF, measure="MacroF1", test="t").p == 1.0


def test_a_score_that_does_not_exist_is_no_number_and_is_said():
    skip = Decisions(unanswered="skip", no_overlap="zero")
    comparison = compared(HALF, {}, ALL_RIGHT, measure="MacroF1", decisions=skip)
    undefined = comparison.pairs[0]
    assert (undefined.p, undefined.own_p, undefined.difference, undefined.effect) == (None,) * 4
    assert all(map(math.isnan, undefined.interval))
    assert (undefined.wins, undefined.ties, undefined.losses, undefined.deciding) == (0, 0, 0, ())
    assert comparison.runs[1].score is None
    assert comparison.pairs[1].p == comparison.pairs[1].own_p  # one comparison is left to correct for
    assert matches(heard(comparison.remarks), ("[undefined-measure] MacroF1 … B …",))
    for form in FORMS:
        assert not re.search(r"\bnan\b", render(comparison, form), re.IGNORECASE)
    nobody = compared({}, {}, measure="MacroF1", decisions=skip)
    assert "**" not in render(nobody, "markdown")
    assert json.loads(render(nobody, "json"))["pairs"][0]["p"] is None


def test_a_pair_of_which_nothing_can_be_shown_says_so():
    few = compared(dict(HALF), {**HALF, **{f"q{n}": ["a", "b"] for n in range(4)}}, n_resamples=9999)
    assert (few.pairs[0].differing, few.pairs[0].p) == (4, 0.125)
    one = one_step.compare({"q": ["a"]}, *tagged({"q": ["a"]}, {"q": ["x"]}), task="1")
    assert (one.pairs[0].difference, one.pairs[0].p, one.pairs[0].effect) == (1.0, 1.0, None)
    for comparison in (few, one):
        assert comparison.pairs[0].interval.low < 0 < comparison.pairs[0].interval.high
        assert matches(heard(comparison.remarks), ("[too-few-queries] A and B …",))
    several = compared(HALF, NOTHING, ALL_RIGHT, measure="MacroF1", test="t", correction="none")
    assert all(pair.p is None for pair in several.pairs)
    assert matches(heard(several.remarks), ("[no-difference] 3 pairs …",))


def test_it_is_said_where_no_p_can_be_small_enough():
    runs = [some(seed, 0.5) for seed in range(8)]
    assert compared(*runs, n_resamples=21).remarks == ()  # max-T needs no more for many pairs
    few = compared(*runs, n_resamples=19)
    [said] = few.remarks
    needed = int(said.partition("--resamples ")[2].split()[0])
    assert not any(few.significant(pair) for pair in few.pairs)
    assert compared(*runs, n_resamples=needed).remarks == ()
    assert compared(*runs, n_resamples=19, measure="MacroF1", test="t", correction="none").remarks == ()


def test_p_and_interval_of_the_t_test_never_contradict_each_other():
    for seed in range(3):
        runs = [some(7 * seed + at, 0.3 + 0.15 * at) for at in range(4)]
        for pair in compared(*runs, measure="MacroF1", test="t", correction="none", n_resamples=9).pairs:
            assert (pair.p < 0.05) == (not pair.interval.low <= 0 <= pair.interval.high)


def test_the_order_of_the_gold_and_of_the_runs_changes_nothing():
    runs = [some(seed, 0.5) for seed in range(3)]
    there = compared(*runs)
    back = one_step.compare(dict(reversed(GOLD.items())), *tagged(*runs)[::-1], task="1", n_resamples=200)
    names = [standing.tag for standing in back.runs]
    for pair in there.pairs:
        [other] = [p for p in back.pairs if {names[p.a], names[p.b]} == {"ABC"[pair.a], "ABC"[pair.b]}]
        assert (other.p, other.own_p) == (pair.p, pair.own_p)
        assert other.difference == pytest.approx(-pair.difference, abs=1e-15)
        assert other.interval.low == pytest.approx(-pair.interval.high, abs=1e-12)
    intervals = [standing.interval for standing in back.runs[::-1]]
    assert intervals == [standing.interval for standing in there.runs]


def test_a_margin_says_what_the_interval_allows():
    close = [{**HALF, **{f"q{n}": ["a", "b"] for n in range(at, at + 6)}} for at in (0, 6)]
    runs = [*close, NOTHING]
    for margin, first in ((0.3, "equivalent"), (0.01, "undecided")):
        found = compared(*runs, measure="MacroF1", margin=margin, n_resamples=999)
        assert [pair.verdict for pair in found.pairs] == [first, *[f"better by more than {margin}"] * 2]
    assert [pair.verdict for pair in compared(*runs).pairs] == ["undecided", "better", "better"]
    options = {"measure": "MacroF1", "n_resamples": 999}
    margin = 1.0001 * max(map(abs, one_pair(*close, confidence_level=0.9, **options).interval))
    pair = one_pair(*close, margin=margin, **options)  # two one-sided tests: intervals of twice the level
    assert (pair.verdict, max(map(abs, pair.interval)) > margin) == ("equivalent", True)


def test_groups_of_queries_are_swapped_as_one():
    runs = (some(1, 0.9), some(2, 0.3))
    single = {query: query for query in GOLD}
    assert compared(*runs, groups=single).pairs[0].p == compared(*runs).pairs[0].p
    pairs = {query: str(int(query[1:]) // 5) for query in GOLD}
    found = compared(*runs, groups=pairs)
    assert (found.groups, found.pairs[0].p) == (4, 0.125)
    assert found.pairs[0].wins == compared(*runs).pairs[0].wins


def test_several_measures_are_corrected_together():
    evaluator = Evaluator(GOLD, ["MicroF1", "MicroR"], task="1")
    scored = [evaluator.evaluate(run) for run in tagged(some(1, 0.6), some(2, 0.4), some(3, 0.5))]
    both = compare(scored, measures=["MicroF1", "MicroR"], n_resamples=300)
    assert [(one.measure, one.together) for one in (both, *both.others)] == [("MicroF1", 6), ("MicroR", 6)]
    alone = compare(scored, n_resamples=300)
    assert alone.together == 3
    assert all(x.p >= y.p for x, y in zip(both.pairs, alone.pairs, strict=True))
    assert render(both, "table").count("MicroR") > 3
    [other] = json.loads(render(both, "json"))["others"]
    assert other["measure"] == "MicroR"
    rows = list(csv.reader(io.StringIO(render(both, "csv"))))
    assert [row[:3] for row in rows[3:5]] == [["MicroF1", "B", "C"], ["MicroR", "A", "B"]]


def replicated(tmp_path, n_runs=3):
    """Runs of two systems, and which they are of, in memory and as a file."""
    runs = [Run.of(some(7 * at, quality), tag=f"{name}{at}") for name, quality in (("A", 0.8), ("B", 0.4))
            for at in range(n_runs)]  # fmt: skip
    systems = {name: [run.tag for run in runs if run.tag[0] == name] for name in "AB"}
    rows = [f"{run},{system}" for system, of in systems.items() for run in of]
    (tmp_path / "systems.csv").write_text("\n".join(["run,system", *rows]))
    return runs, systems, tmp_path / "systems.csv"


def test_runs_that_are_one_system_are_compared_by_their_means(tmp_path):
    runs, systems, path = replicated(tmp_path)
    options = {"task": "1", "n_resamples": 99}
    single = one_step.compare(GOLD, *runs, **options)
    found = one_step.compare(GOLD, *runs, replicates=systems, **options)
    assert found == one_step.compare(GOLD, *runs, replicates=path, **options)
    means = [np.mean([run.score for run in single.runs[at : at + 3]]) for at in (0, 3)]
    assert (found.interval, [run.tag for run in found.runs]) == ("t", ["A", "B"])
    assert [run.score for run in found.runs] == pytest.approx(means)
    [pair] = found.pairs
    assert pair.difference == pytest.approx(means[0] - means[1])
    assert (pair.verdict, pair.p < 0.05, pair.interval.low > 0) == ("better", True, True)
    scored = [Evaluator(GOLD, ["MicroF1", "MicroR"], task="1").evaluate(run) for run in runs]
    both = compare(scored, measures=["MicroF1", "MicroR"], replicates=systems)  # Bonferroni's correction for all
    assert [one.pairs[0].p for one in (both, *both.others)] == [2 * one.pairs[0].own_p for one in (both, *both.others)]
    assert found.runs[0].interval.low < means[0] < found.runs[0].interval.high
    board = one_step.leaderboard(GOLD, *runs, replicates=path, **options)
    assert [(entry.tag, str(entry.ranks), entry.interval) for entry in board.entries] == [
        (run.tag, str(at + 1), run.interval) for at, run in enumerate(found.runs)
    ]
    assert "resamples" not in render(found, "table") + render(board, "table")


@pytest.mark.parametrize("paired", [False, True])
def test_on_fixed_questions_only_runs_vary_and_seeds_are_paired_where_names_say_so(tmp_path, paired):
    draw = np.random.default_rng(1)
    shift = draw.normal(0, 0.05, (4, 1))  # what a seed does to both
    ease, (a, b) = 0.4 + 0.2 * draw.random(10), draw.normal(0, 0.01, (2, 4, 10))
    values = {"A": ease + shift + a + 0.05, "B": ease + shift + b}
    word = "seed" if paired else "x"
    rows = [f"{name}-{word}{run},q{q},{value}" for name, of in values.items() for run, each in enumerate(of)
            for q, value in enumerate(each)]  # fmt: skip
    (tmp_path / "t.csv").write_text("\n".join(["run,query,AP", *rows]))
    systems = {name: [f"{name}-{word}{run}" for run in range(4)] for name in values}
    scored = Scored.read(tmp_path / "t.csv")
    found = compare(scored, replicates=systems, fixed_queries=True)
    one, other = values["A"].mean(axis=1), values["B"].mean(axis=1)
    ours = scipy.stats.ttest_rel(one, other) if paired else scipy.stats.ttest_ind(one, other, equal_var=False)
    [pair] = found.pairs
    # degrees of freedom are whole numbers
    assert pair.p == pytest.approx(ours.pvalue, rel=1e-6 if paired else 0.15)
    assert (pair.p < 0.05) == paired
    ends = scipy.stats.ttest_1samp(one, 0).confidence_interval()
    assert tuple(found.runs[0].interval) == pytest.approx(tuple(ends), rel=0.3)
    assert "these queries" in found.method
    with refusing(UsageError, "[option-needed] …"):
        compare(scored, fixed_queries=True)
    fewer = {"A": systems["A"], "B": systems["B"][:3]}
    some = compare([one for one in scored if one.tag != systems["B"][3]], replicates=fewer)
    assert [one.kind for one in some.remarks] == ["unequal-replicates"]


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"A": ["A0", "A1"]}, "too-few"),
        ({"A": ["A0", "A1", "A9"]}, "unknown-name"),
        ({"A": ["A0", "A1", "B0"]}, "named-twice"),
        ({"B": []}, "too-few"),
    ],
)
def test_systems_that_cannot_be_compared_are_refused(changed, kind, tmp_path):
    runs, systems, _ = replicated(tmp_path)
    with refusing(UsageError, f"[{kind}]"):
        one_step.compare(GOLD, *runs, task="1", replicates={**systems, **changed})
    with refusing(UsageError, "[missing-key] B0, B1, B2 …"):
        one_step.compare(GOLD, *runs, task="1", replicates={"A": systems["A"]})


# forms


def of_runs(comparison):
    """The rows of the table of runs."""
    return grid.plain(comparison.tables()[-1]).splitlines()[1:]


def test_an_end_that_leaves_out_0_is_not_shown_as_0():
    comparison = compared(NOTHING, ALL_RIGHT, HALF, n_resamples=999)
    for low, high, shown in ((3e-5, 0.2, [">0", "+0.2000"]), (-0.2, -3e-5, ["-0.2000", "<0"]), (0, 0, ["0.0000"] * 2)):
        pair = replace(comparison.pairs[0], interval=Interval(low, high))
        [_, row, *_] = grid.plain(replace(comparison, pairs=(pair,)).tables()[0]).splitlines()
        assert row.split()[3:5] == shown


def test_marks_are_letters_of_runs_that_are_significantly_worse():
    comparison = compared(NOTHING, ALL_RIGHT, HALF, n_resamples=999)
    for level, marked in ((0.95, ["0.0000", "1.0000a,c", "0.5000a"]), (0.999, ["0.0000", "1.0000", "0.5000"])):
        assert [row.split()[2] for row in of_runs(replace(comparison, confidence_level=level))] == marked


def test_a_mark_and_bold_type_go_by_the_corrected_p():
    runs = [some(1, 0.75), some(2, 0.5), some(3, 0.5), some(4, 0.5)]
    found = compared(*runs, n_resamples=999, measure="MacroF1")
    doubtful = [pair for pair in found.pairs if pair.own_p < 0.05 <= pair.p]
    assert doubtful
    assert not any(found.significant(pair) for pair in doubtful)
    marks = {pair.b for pair in found.pairs if pair.a == 0 and pair.p < 0.05}
    row = of_runs(found)[0].split()
    assert row[2].lstrip("0123456789.") == ",".join("abcd"[place] for place in sorted(marks))
    bold = [row for row in found.tables()[0].rows if isinstance(row[-2], Number) and row[-2].bold]
    assert len(bold) == sum(pair.p < 0.05 for pair in found.pairs)


def test_runs_of_one_tag_are_told_apart():
    comparison = one_step.compare(GOLD, *tagged(HALF, NOTHING, ALL_RIGHT, tags="AAB"), task="1", n_resamples=99)
    assert of_runs(comparison)[:2] == [
        "a  A      A0.txt    0.5000b        -         -",
        "b  A (2)  A1.txt     0.0000   0.0000    0.1498",
    ]
    rows = list(csv.reader(io.StringIO(render(comparison, "csv"))))[1:]
    assert [row[:2] for row in rows] == [["A", "A (2)"], ["A", "B"], ["A (2)", "B"]]
    pairs = json.loads(render(comparison, "json"))["pairs"]
    assert [(*pair["tags"], *pair["names"]) for pair in pairs] == [
        ("A", "A", "A", "A (2)"), ("A", "B", "A", "B"), ("A", "B", "A (2)", "B"),
    ]  # fmt: skip


def test_what_is_said_depends_on_what_there_is():
    two = render(compared(some(1, 0.6), some(2, 0.4)), "table")
    assert "correct" not in two
    assert "test, 200 resamples, seed 2026; p < 0.05; " in two
    text = render(one_step.compare(*TASK4, n_resamples=300, confidence_level=0.9), "table")
    assert "run intervals: Wilson's" in text
    assert "90% interval" in text
    assert "300 resamples" not in text  # all sign flips were made
    small = compared(some(1, 0.05), ALL_RIGHT, measure="MacroF1", test="t")
    assert 0 < small.pairs[0].p < 0.0001
    assert " <0.0001 " in render(small, "table")
    assert " 0.0001 " in render(one_step.compare(*TASK1), "table")
    runs = [some(seed, 0.5) for seed in range(6)]
    for n, said in ((6, 0), (5, 10)):
        assert heard(render(compared(*runs[:n]), "table")).count("most influential queries for ") == said


# the command line


@pytest.fixture(name="call")
def in_place(call, monkeypatch):
    """Runs `coliee-ir compare` among the examples."""
    monkeypatch.chdir(EXAMPLES)
    return lambda *arguments: call("compare", *arguments)


RUNS = ["task1/gold.json", "task1/bm25.txt", "task1/dense.txt", "task1/rerank.json"]


def test_the_command_prints_what_compare_says(call):
    options = "--resamples 300 --seed 7 --correction none --baseline bm25 --confidence-level 0.9 -m MacroF1 --test t"
    wanted = one_step.compare(
        *RUNS, n_resamples=300, seed=7, correction="none", baseline="bm25", confidence_level=0.9, measure="MacroF1",
        test="t",
    )  # fmt: skip
    out, err = done(call, *RUNS, "-f", "csv", *options.split())
    assert (out, "bm25: 40 queries: 40 answered" in err) == (render(wanted, "csv"), True)
    found = json.loads(done(call, *RUNS, "-f", "json", *options.split())[0])
    assert {**found, "inputs": 0} == {**wanted.to_dict(), "inputs": 0}


def test_remarks_are_said_on_standard_error_and_with_keep_going_the_others_are_compared(call):
    _, err = done(call, *RUNS, "--resamples", "10", "--test", "randomization")
    assert matches(err.splitlines()[-1], "[too-few-resamples] 0.091 …; use --resamples 21")
    code, out, err = call("--keep-going", *RUNS[:3], "task2/mono.txt", "-f", "json")
    assert (code, [run["tag"] for run in json.loads(out)["runs"]]) == (2, ["bm25", "dense"])
    assert mentions(err, "coliee-ir: task2/mono.txt: [mismatch]")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (RUNS[:2], "coliee-ir: [too-few]\n"),
        ([*RUNS, "-m", "official"], "name one measure\n"),
        ([*RUNS, "--margin", "-1"], "[usage] '-1'…"),
        ([*RUNS, "--baseline", "x"], "coliee-ir: [unknown-name] 'x'… bm25, dense, rerank …\n"),
        (["--keep-going", *RUNS[:2], "task2/mono.txt"], "coliee-ir: [too-few]\n"),
    ],
)
def test_what_cannot_be_done_is_exit_2_and_nothing_on_standard_output(call, arguments, said):
    err = failing(call, *arguments)
    assert mentions(err, said)
