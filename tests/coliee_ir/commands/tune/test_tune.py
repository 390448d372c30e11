"""``tune`` and ``cut``: what is chosen, what it is said to be worth, and what a cut run then scores."""

import json
import random
from functools import partial

import naive_cut as naive
import numpy as np
import pytest
from asserting import refusing
from example_runs import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import ColieeError, InputError, MismatchError, UsageError
from coliee_ir import Decisions, Rule, cut, evaluate, to_run
from coliee_ir import tune as tune_repeatedly
from coliee_ir.commands.tune import FAMILIES, Filter
from coliee_ir.stats.folds import best_of
from coliee_ir.stats.intervals import jackknife_t

#: once is enough where it is not about repeating
tune = partial(tune_repeatedly, repeats=1)

TREC = (EXAMPLES / "trec" / "qrels.txt", EXAMPLES / "trec" / "bm25.run")
TASK1 = (EXAMPLES / "task1" / "gold.json", EXAMPLES / "task1" / "rerank.json")
TASK3 = (EXAMPLES / "task3" / "gold.xml", EXAMPLES / "task3" / "task3.ALPHA")
ANSWERS = EXAMPLES / "task3" / "answers.ALPHA"


def world(seed, queries=30, depth=12):
    """A gold and a scored run in which scores say something about relevance; some queries have nothing."""
    chance = random.Random(seed)
    gold, run = {}, {}
    for query in (f"q{number:02d}" for number in range(queries)):
        gold[query] = [f"d{at}" for at in range(depth) if chance.random() < 0.2]
        shift = chance.gauss(0, 0.5)
        if chance.random() > 0.1:
            scores = [shift + chance.gauss(2 if f"d{at}" in gold[query] else 1, 0.5) for at in range(depth)]
            run[query] = {f"d{at}": round(max(score, 0), 2) for at, score in enumerate(scores)}
    return gold, run


GOLD, RUN = world(8)


@settings(max_examples=settings.default.max_examples // 2)
@given(naive.cases(least=2), st.sampled_from(naive.MEASURES), naive.DECISIONS, st.data())
def test_the_resubstitution_score_is_that_of_evaluate(case, measure, decisions, data):
    floor = data.draw(st.none() | st.integers(0, 3))
    cap = data.draw(st.none() | st.integers(max(floor or 1, 1), 8))
    try:
        tuning = tune(case.gold, case.run, measure=measure, task="trec", folds=2, floor=floor, cap=cap,
                      decisions=decisions)  # fmt: skip
    except ColieeError as error:
        assert error.kind in ("no-relevant", "no-query", "mismatch")
        return
    kept = to_run(cut(case.run, tuning.rule, task="trec"), task="trec")
    lists = {query: list(kept.get(query, ())) for query in case.run}
    expected = naive.score(lists, case.relevant, measure, decisions)
    assert tuning.resubstitution == pytest.approx(expected, abs=1e-9, nan_ok=True)
    if any(case.relevant[query] & set(lists[query]) for query in case.gold):
        scored = evaluate(case.gold, kept, task="trec", measures=measure, decisions=decisions).measures[measure]
        assert tuning.resubstitution == pytest.approx(scored, abs=1e-12, nan_ok=True)
    for query, ranking in case.run.items():
        assert len(lists[query]) >= min(floor or 0, len(ranking))
        assert cap is None or len(lists[query]) <= cap
    assert json.loads(json.dumps(tuning.to_dict(), allow_nan=False))["rule"] == tuning.rule.to_dict()


@pytest.mark.parametrize("measure", ["MicroF(rel=2)", "MacroF(beta=3)", "MacroP(rel=2)"])
def test_levels_and_betas_are_the_measures_own(measure):
    chance = random.Random(5)
    gold = {f"q{n}": {f"d{at}": chance.randint(0, 2) for at in range(6)} for n in range(12)}
    run = {query: {document: level + chance.random() for document, level in of.items()} for query, of in gold.items()}
    tuning = tune(gold, run, measure=measure, task="trec", folds=3)
    [score] = evaluate(gold, cut(run, tuning.rule), task="trec", measures=measure).measures.values()
    assert score > 0.7
    assert score == pytest.approx(tuning.resubstitution)


@pytest.mark.parametrize(
    "without_articles", ["sufficient", *(pytest.param(one, marks=pytest.mark.explore) for one in ("wrong", "skip"))]
)
def test_accuracy_asks_for_all_articles_and_the_right_label(without_articles):
    """Task 3 from 2026."""
    rules = {"answers": ANSWERS, "edition": 2026, "decisions": Decisions(without_articles=without_articles)}
    tuning = tune(*TASK3, by="score", **rules)
    assert (tuning.measure, tuning.task, tuning.edition, tuning.queries) == ("Accuracy", "3", 2026, 30)
    run = to_run(TASK3[1], task="3")
    thresholds = {np.float32(score) for ranking in run.values() for score in ranking.values()}
    scores = [evaluate(TASK3[0], cut(run, rule, task="3"), **rules).measures["Accuracy"]
              for rule in (tuning.rule, *(Rule("score", float(threshold)) for threshold in thresholds))]  # fmt: skip
    assert tuning.resubstitution == pytest.approx(scores[0]) == pytest.approx(max(scores))
    assert tune(*TASK3, measure="MacroF2", by="k", **rules).measure == "MacroF2"


def test_a_run_without_scores_can_be_cut_at_k_only():
    tuning = tune(*TASK1)
    assert ([one.rule.family for one in tuning.tried], tuning.rule) == (["k"], Rule("k", 3.0))
    kept = cut(TASK1[1], tuning.rule, task="1")
    assert (kept.scored, max(map(len, to_run(kept).values()))) == (False, 3)
    for unfit in (lambda: tune(*TASK1, by="score"), lambda: cut(TASK1[1], Rule("score", 0.5), task="1")):
        with refusing(UsageError, "'score' cannot be used: [unfit-option]"):
            unfit()


def test_everything_that_is_tried_is_told_and_the_simplest_near_the_best_is_taken():
    tuning = tune(*TREC, measure="MicroF1")
    families = [(one.rule.family, one.searched) for one in tuning.tried]
    assert families == [(name, False) for name in FAMILIES] + [(name, True) for name in FAMILIES if name != "k"]
    assert [one.searched for one in tune(*TREC, measure="MicroF1", by="score", cap=4).tried] == [False, True]
    best = max(one.held_out for one in tuning.tried)
    near = next(one for one in tuning.tried if one.held_out >= best - one.behind.error - 1e-12)
    assert [one.behind.value for one in tuning.tried] == [pytest.approx(one.held_out - best) for one in tuning.tried]
    assert (tuning.rule, tuning.resubstitution) == (near.rule, pytest.approx(near.resubstitution))
    assert next(one.behind.error for one in tuning.tried if one.held_out == best) == 0.0
    assert tuning.gap == tuning.resubstitution - tuning.held_out


def test_the_held_out_score_is_the_mean_over_the_splits():
    tuning = tune_repeatedly(*TREC, measure="MicroF1", by="score", repeats=4)
    sums = tuning.terms.each.sum(axis=0).reshape(4, 3)
    scores = 2 * sums[:, 0] / (sums[:, 1] + sums[:, 2])
    assert (tuning.repeats, len(set(scores.tolist())) > 1) == (4, True)
    assert (tuning.held_out, tuning.split_sd) == pytest.approx((scores.mean(), scores.std(ddof=1)))
    assert tuning.interval == jackknife_t(tuning.terms, 0.95)


def test_what_cutting_gains_has_an_error():
    tuning = tune(*TREC, measure="MicroF1", by="score")
    uncut = evaluate(*TREC, measures="MicroF1").measures["MicroF1"]
    assert (tuning.gain.value, tuning.split_sd) == (pytest.approx(tuning.held_out - uncut), None)
    assert tuning.gain.interval.low < tuning.gain.value < tuning.gain.interval.high
    again = tune(TREC[0], cut(TREC[1], tuning.rule), measure="MicroF1", by="k", floor=99, cap=99)
    assert again.gain == (0.0, 0.0, (0.0, 0.0))  # nothing more is cut, and nothing is gained


@pytest.mark.parametrize("groups", [None, {f"q{at}": f"g{at // 2}" for at in range(24)}])
def test_other_numbers_of_relevant_documents_are_other_weights(groups):
    gold = {f"q{at}": [f"d{n}" for n in range(1 + 2 * (at % 2))] for at in range(24)}  # ones and threes by turns
    run = {f"q{at}": {f"d{n}": 1 - n / 9 for n in range(at % 3, 6)} for at in range(24)}
    tuning = tune(gold, run, measure="MacroF1", by="k", task="trec", groups=groups, folds=2)
    kept = {round(one.relevant, 2): one for one in tuning.shifted}
    assert {1.0, 1.33, 2.0, 3.0} == set(kept)
    assert (kept[2.0].held_out, kept[2.0].worth) == (pytest.approx(tuning.held_out), 24)
    for mean, score, worth in kept.values():
        p = (mean - 1) / 2  # a mean m of ones and threes has (m - 1) / 2 threes
        assert worth == pytest.approx(12 / (p**2 + (1 - p) ** 2), rel=1e-4)
        if groups is None:
            is_three = np.array([len(gold[query]) == 3 for query in sorted(gold)])
            ones, threes = (tuning.terms.each[among, 0].mean() for among in (~is_three, is_three))
            assert score == pytest.approx(p * threes + (1 - p) * ones, rel=1e-4)


def test_the_order_of_gold_run_and_groups_changes_nothing():
    groups = {query: f"g{number % 7}" for number, query in enumerate(GOLD)}
    for options in ({}, {"groups": groups}):
        told = []
        for turned in (False, True):
            shown = [dict(reversed(each.items())) if turned else each for each in (GOLD, RUN)]
            told.append(tune_repeatedly(*shown, task="1", by=["k", "score"], repeats=3, **options))
        assert {**told[0].to_dict(), "remarks": []} == {**told[1].to_dict(), "remarks": []}
        assert best_of([told[0].terms], 50, 1) == best_of([told[1].terms], 50, 1)


def test_excluded_queries_and_what_a_filter_takes_away_take_no_part():
    gone = ["q00", "q07"]
    fewer = ({query: of[query] for query in of if query not in gone} for of in (GOLD, RUN))
    without, apart = tune(GOLD, RUN, task="1", by="score", exclude=gone), tune(*fewer, task="1", by="score")
    assert without.queries == 28
    assert {**without.to_dict(), "remarks": []} == {**apart.to_dict(), "remarks": [], "excluded": gone}
    itself = {query: {query: 9.0, **RUN.get(query, {})} for query in GOLD}
    filters = [Filter.exclude_self(), Filter.candidates(itself)]
    clean = tune(GOLD, itself, task="1", by="score", filters=filters)
    assert clean.rule == tune(GOLD, RUN, task="1", by="score").rule
    assert clean.filters == tuple(one.name for one in filters)


@pytest.mark.parametrize(("files", "options", "error", "sentence"), [
    *(((GOLD, RUN), {"task": "1", **options}, UsageError, sentence) for options, sentence in (
        ({"floor": -1}, "[bad-value]"),
        ({"cap": 0}, "[bad-value]"),
        ({"floor": 3, "cap": 2}, "[bad-value] 3 … 2 …"),
        ({"repeats": 0}, "[bad-value] 1,000 …"),
        ({"by": ["k", "best"]}, f"[unknown-name] 'best'… {', '.join(FAMILIES)}"),
        ({"decisions": Decisions(extra_queries="wrong")}, "[option-conflict]"),
        ({"measure": "MicroF1@5"}, "[unfit-measure] MicroF1@5 …"),
        ({"measure": "MacroF(of=means)"}, "[unfit-measure] MacroF(beta=1,of=means) …"),
    )),
    (TREC, {}, UsageError, "[unfit-measure] trec … map …"),
    (TASK3, {"edition": 2026}, UsageError, "[unfit-measure]"),
    ((TASK3[0], ANSWERS), {"task": "3", "answers": ANSWERS}, InputError, "[wrong-part]"),
    ((EXAMPLES / "task2/gold.json", TASK1[1]), {}, MismatchError, "[mismatch]"),
    (({"q": []}, {"q": ["d"]}), {"task": "1"}, UsageError, "[no-relevant] <memory> …"),
    *((({query: [] for query in "abcdef"} | {"a": ["x"]}, run),
       {"task": "1", "measure": "MacroF1", "decisions": {"unanswered": "skip"}}, UsageError, "[no-query] …MacroF1…")
      for run in ({"b": {"y": 1.0}}, {"a": {"y": 1.0}})),
])  # fmt: skip
def test_what_does_not_fit_is_refused(files, options, error, sentence):
    with refusing(error, sentence):
        tune(*files, **options)
    with refusing(InputError, f"{ANSWERS}: [wrong-part]"):  # labels cannot be cut
        cut(ANSWERS, Rule("k", 1))


def test_equal_scores_are_remarked_and_a_cut_between_them_once_a_query():
    for measure, second, kinds in (("MicroF1", 1.0, ["tie"]), ("MacroF1", 1.0, ["tie"]), ("MacroF1", 0.8, [])):
        run = {f"q{at}": {"d1": 1.0, "d2": second, "d3": 0.5} for at in range(6)}
        said = tune({query: {"d1": 1} for query in run}, run, measure=measure, by="k", folds=2).remarks
        assert [remark.kind for remark in said] == kinds  # though the measure looks at no rank
    run = {"q": {"a": 0.5, "b": 0.5, "c": 0.5}, "p": {"a": 0.9, "b": 0.8, "c": 0.7}, "o": {"a": 0.5}}
    for rule, n in (("k", 2), 1), (("k", 1), 1), (("k", 3), 0), (("score", 0.5), 0), (("score", 0.5, 0, 2), 1):
        assert sum(block.remarks.count("tie.cut") for block in cut(run, Rule(*rule)).blocks()) == n


def test_a_rule_for_lists_with_the_lowest_scores_first_is_applied_so():
    low = {query: {document: -score for document, score in of.items()} for query, of in RUN.items()}
    rules = [tune(GOLD, run, task="1", by="score", decisions={"order": order}).rule
             for run, order in ((RUN, "descending"), (low, "ascending"))]  # fmt: skip
    assert Rule.from_dict(rules[1].to_dict()) == rules[1]
    kept = [{query: [*of] for query, of in to_run(cut(*one)).items()} for one in ((RUN, rules[0]), (low, rules[1]))]
    assert kept[0] == kept[1]
