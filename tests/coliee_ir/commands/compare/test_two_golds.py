"""Runs by two golds: agreement and order as others compute them, what is counted, and what is said of it."""

import itertools
import json
import math

import numpy as np
import pytest
from asserting import refusing
from example_runs import EXAMPLES
from scipy import stats
from scipy.special import expit, logit
from sklearn.metrics import cohen_kappa_score, f1_score

from coliee_adapters.errors import UsageError
from coliee_ir import Scored, compare, evaluate, evaluate_all
from coliee_ir.commands.compare.golds import TwoGolds
from coliee_ir.measures.base import of_mean
from coliee_ir.stats import agreement as statistics
from coliee_ir.stats.resampling import Resampling

QUERIES = [f"q{n:03d}" for n in range(60)]
DOCUMENTS = [f"d{n:02d}" for n in range(12)]


def drawn(seed=1):
    """Two graded golds that agree mostly, and four runs that find what is relevant by the first."""
    random = np.random.default_rng(seed)
    first = {query: dict(zip(DOCUMENTS, random.integers(0, 3, 12).tolist(), strict=True)) for query in QUERIES}
    second = changed(first, lambda grade: grade if random.random() < 0.7 else int(random.integers(0, 3)))
    runs = {f"run{n}": changed(first, lambda grade, n=n: grade + float(random.normal(0, 0.5 + n))) for n in range(4)}
    return first, second, runs


def changed(gold, change, name="{}"):
    """A gold with other grades, or other documents."""
    return {query: {name.format(d): change(grade) for d, grade in judged.items()} for query, judged in gold.items()}


def scored_by(gold, runs, measures=("AP",), **options):
    return evaluate_all(gold, runs, task="trec", measures=list(measures), **options)


def by_both(first, second, runs, measures=("AP",), **options):
    each = [scored_by(gold, runs, measures) for gold in (first, second)]
    found = compare(each[0], other=each[1], measures=list(measures), **options)
    assert isinstance(found, TwoGolds)
    return found


def test_agreement_and_order_are_what_scikit_learn_and_scipy_compute():
    random = np.random.default_rng(3)
    for grades in (2, 4):
        first, query = random.integers(0, grades, 200), np.repeat(np.arange(20), 10)
        second = np.where(random.random(200) < 0.6, first, random.integers(0, grades, 200))
        found = statistics.kappa(first, second, query, 0.95)
        assert found.value == pytest.approx(cohen_kappa_score(first, second, weights="quadratic"))
        without = [cohen_kappa_score(first[query != q], second[query != q], weights="quadratic") for q in range(20)]
        off = np.square((1 + np.array(without)) / 2 - np.mean([(1 + kappa) / 2 for kappa in without]))
        free = 2 * off.sum() ** 2 / ((off**2).sum() - off.sum() ** 2 / 20)
        share = (1 + found.value) / 2
        half = stats.t.ppf(0.975, int(min(max(free, 4), 19))) * math.sqrt(0.95 * off.sum()) / (share * (1 - share))
        ends = [2 * expit(logit(share) + way * half) - 1 for way in (-1, 1)]
        assert found.interval == pytest.approx(ends)
        assert np.isfinite(statistics.kappa(first, second, query % 5, 0.95).interval).all()
        both, either = ((first > 0) & (second > 0), (first > 0).astype(int) + (second > 0))
        counts = [np.bincount(query, part.astype(float)) for part in (both, either)]
        assert statistics.f1(*counts, 0.95).value == pytest.approx(f1_score(first > 0, second > 0))
        f, g = random.integers(0, 9, (2, 8)).astype(float)
        assert float(statistics.tau_b(f, g)) == pytest.approx(stats.kendalltau(f, g).statistic)
    query, same = np.repeat(np.arange(8), 3), np.tile([0, 1, 1], 8)  # perfect, and of few queries: no interval
    for first, second, queries in ((same, same, query), (same, same[::-1], np.minimum(query, 3))):
        assert np.isnan(statistics.kappa(first, second, queries, 0.95).interval).all()


def test_tau_ap_is_the_mean_over_ranks_of_those_that_stand_rightly_above_and_over_the_orders_of_ties():
    for order in itertools.permutations(range(5)):
        rightly = [sum(above < run for above in order[:i]) / i for i, run in enumerate(order) if i]
        places = np.argsort(order).astype(float)  # the truth: 0 is the best, then 1
        assert statistics.tau_ap(-np.arange(5.0), -places) == pytest.approx(2 * sum(rightly) / 4 - 1)
    first, second = np.array([0.4, 0.1, 0.3, 0.2, 0.3]), np.array([0.2, 0.5, 0.2, 0.2, 0.1])
    broken = [[0.5 if i == 1 else 0.1 if i == 4 else 0.2 + 0.01 * order[(0, 2, 3).index(i)] for i in range(5)]
              for order in itertools.permutations(range(3))]  # fmt: skip
    alone = [statistics.tau_ap(first, np.array(scores)) for scores in broken]
    assert statistics.tau_ap(first, second) == pytest.approx(np.mean(alone)) and np.ptp(alone) > 0.1
    assert statistics.tau_ap(first[::-1], second[::-1]) == pytest.approx(statistics.tau_ap(first, second))
    for f, g in ((first, np.ones(5)), (np.ones(5), second)):
        assert math.isnan(statistics.tau_ap(f, g))


def test_halves_of_one_gold_agree_as_much_as_those_of_a_copy_of_it_and_less_with_another_order():
    random = np.random.default_rng(4)
    values = np.linspace(0.3, 0.5, 8)[:, None] + random.normal(0, 0.2, (8, 80))
    runs, upside_down = ([of_mean(run) for run in way] for way in (values, values[::-1]))
    between, alone, of_copy = statistics.halves(runs, runs, Resampling())
    assert between == pytest.approx(alone, abs=0.02) and alone == pytest.approx(of_copy)
    between, alone, other = statistics.halves(runs, upside_down, Resampling())
    assert between < 0 < min(alone, other)
    values = random.normal(0, 1, (2, 32, 9)) + np.linspace(0, 1, 32)[:, None]
    random, wanted = np.random.default_rng(7), []
    for _ in range(250):
        is_in = random.permutation(9) < 4
        (f, g), (u, v) = ([of[:, half].mean(axis=1) for half in (is_in, ~is_in)] for of in values)
        taus = [stats.kendalltau(*pair).statistic for pair in ((f, v), (g, u), (f, g), (u, v))]
        wanted.append([(taus[0] + taus[1]) / 2, *taus[2:]])
    found = statistics.halves(*([of_mean(run) for run in of] for of in values), Resampling(seed=7))
    assert found == pytest.approx(np.mean(wanted, axis=0))


def test_runs_are_compared_by_both_golds_as_by_each_alone():
    first, second, runs = drawn()
    found = by_both(first, second, runs)
    alone = [compare(scored_by(gold, runs)) for gold in (first, second)]
    assert [[*by.pairs] for by in (found, found.by_other_gold)] == [[*comparison.pairs] for comparison in alone]
    rows = found.to_frame().to_dict("records")
    for by, comparison in zip("AB", alone, strict=True):
        assert [(row[f"p by {by}"], row[f"verdict by {by}"]) for row in rows] == [
            (pair.p, pair.verdict) for pair in comparison.pairs
        ]
    decided = [*zip(*([pair.verdict for pair in comparison.pairs] for comparison in alone), strict=True)]
    for verdict, of_first in found.verdicts._asdict().items():
        assert of_first._asdict() == {name: decided.count((verdict, name)) for name in of_first._fields}
    assert found.verdicts.alike + found.verdicts.one_only + found.verdicts.undecided.undecided == 6
    f, g = ([run.score for run in comparison.runs] for comparison in alone)
    assert (found.tau_b, found.spread) == pytest.approx((stats.kendalltau(f, g).statistic, np.std(g) / np.std(f)))
    judged = found.agreement
    a, b = (np.array([grade for of in gold.values() for grade in of.values()]) for gold in (first, second))
    assert judged.pairs == (0, 0, 720)
    assert judged.kappa.value == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    assert judged.relevant == pytest.approx((np.mean(a > 0), np.mean(b > 0)))


def test_what_one_gold_lacks_is_counted_and_scored_by_neither():
    first, second, runs = drawn()
    del first["q000"], second["q001"], second["q002"]
    first["q003"] = dict.fromkeys(DOCUMENTS, 0)
    second["q004"].pop("d00")
    groups = {query: query[:3] for query in QUERIES}
    found = by_both(first, second, runs, groups=groups)
    assert found.queries_of_golds == (2, 1, 57) and found.nothing_relevant == 1 and found.queries == 56
    assert found.agreement.pairs == (1, 0, 56 * 12 - 1)
    queries = [query for query in QUERIES if query > "q003"]
    alone = compare(scored_by(first, runs, only=queries), groups={query: groups[query] for query in queries})
    assert [run.score for run in found.runs] == pytest.approx([run.score for run in alone.runs])
    assert [pair.p for pair in found.pairs] == pytest.approx([pair.p for pair in alone.pairs])
    golds = [{f"R05-{n:02d}-A": label for n, label in enumerate(labels)} for labels in ("YNNN", "NYNN")]
    answers, others = (evaluate_all(gold, {"a": golds[0], "b": golds[1]}, task="4") for gold in golds)
    assert compare(answers, other=others).agreement.relevant_queries == 2


def test_kappa_is_of_grades_only_where_both_have_the_same_and_none_where_only_the_relevant_is_listed():
    first, second, runs = drawn()
    for kappa_of, change in (
        ("relevance", lambda grade: 2 * (grade > 0)), ("relevance", lambda grade: 3 * grade),
        ("grades", lambda grade: grade or -1),
    ):  # fmt: skip
        judged = by_both(first, changed(first, change), runs).agreement
        assert (judged.kappa_of, judged.kappa.value) == (kappa_of, 1)
    lists = [{query: [d for d, grade in of.items() if grade] for query, of in gold.items()} for gold in (first, second)]
    each = [evaluate_all(gold, runs, task="1") for gold in lists]
    judged = compare(each[0], other=each[1]).agreement
    assert judged.kappa is None and math.isnan(judged.judged_at_10[0])
    assert judged.f1.value == pytest.approx(evaluate(lists[0], lists[1], task="1").measures["MicroF1"])
    # where pools are unlike, the judged share of the first ten is that of each
    half = {query: {d: judged[d] for d in DOCUMENTS[:6]} for query, judged in second.items()}
    judged_at = by_both(first, half, runs).agreement.judged_at_10
    assert judged_at[0] == 1.0 and 0.4 < judged_at[1] < 0.6


def test_what_can_be_said_of_the_golds_is_said_and_nothing_more():
    first, second, runs = drawn()
    elsewhere = changed(first, int, "x{}")
    for other in (changed(first, lambda _: 1), elsewhere):  # by which no order is defined
        notes = by_both(first, other, runs).notes()
        assert any(note.startswith("By B all runs have the same score") for note in notes)
        assert not any("nan" in note or "alike" in note or "one gold only" in note for note in notes)
    for n in (1, 3):  # of so few queries no pair is decided
        found = by_both(first, {query: second[query] for query in QUERIES[:n]}, runs)
        assert found.verdicts.alike == 0 and "alike" not in " ".join(found.notes())
    random = np.random.default_rng(3)
    unrelated = changed(first, lambda _: int(random.integers(0, 3)))
    found = by_both(first, unrelated, runs)
    assert found.verdicts.one_only and "no sign" not in " ".join(found.notes())
    assert by_both(unrelated, first, runs).verdicts.one_only == found.verdicts.one_only
    strict = changed(first, lambda grade: int(grade > 1))
    for golds, word in (((first, strict), "stricter"), ((strict, first), "lenient")):
        assert word in " ".join(by_both(*golds, runs).notes())
    for measures, n in ((["AP", "P@5"], 1), (["AP"], 0)):  # of several measures the one that is spoken of is named
        assert sum("AP only" in note for note in by_both(first, second, runs, measures).notes()) == n
    for other, kinds in ((elsewhere, ["no-match", "no-difference"]), (second, []), (first, ["same-golds"])):
        remarks = by_both(first, other, runs).remarks
        assert [remark.kind for remark in remarks] == kinds
        assert other is not elsewhere or remarks[0].is_doubt
    # conclusions that turn round are named, the winner by the first gold first
    found = by_both(first, changed(first, lambda grade: 2 - grade), runs)
    assert ("run0", "run3") in found.reversed and found.tau_b < 0
    assert all(winner < loser for winner, loser in found.reversed)
    assert len(found.reversed) == found.verdicts.better.worse + found.verdicts.worse.better
    assert not any("decide alike" in note for note in found.notes())


def test_what_cannot_be_compared_is_refused():
    first, second, runs = drawn()
    for other in (
        scored_by(second, {name: runs[name] for name in ("run0", "run1")}),
        scored_by({"x1": {"d": 1}}, {name: {"x1": {"d": 1.0}} for name in runs}),
        scored_by(second, runs, ["nDCG"]),
    ):
        with refusing(UsageError, "[not-comparable] …"):
            compare(scored_by(first, runs), other=other)


@pytest.mark.parametrize("is_scores", [False, True])
def test_the_command_says_it_in_tables_sentences_and_json(call, tmp_path, is_scores):
    gold, runs = EXAMPLES / "task4/gold.xml", [EXAMPLES / "task4" / name for name in ("ALPHA.txt", "BETA.txt")]
    other = tmp_path / "other.xml"
    other.write_text(gold.read_text().replace('label="Y"', 'label="N"', 3))
    files, by_gold = [gold, *runs, "--other-gold", other], [evaluate_all(path, runs) for path in (gold, other)]
    if is_scores:
        paths = [tmp_path / f"{i}.csv" for i in range(2)]
        for path, of_gold in zip(paths, (gold, other), strict=True):
            assert call("evaluate", of_gold, *runs, "-q", "-f", "csv", "-o", path)[0] == 0
        files, by_gold = [paths[0], "--other-gold", paths[1]], [Scored.read(path) for path in paths]
    code, out, _ = call("compare", *files)
    assert code == 0 and ("kappa" in out) is not is_scores and "lenient" not in out and "relevant" not in out
    assert all(f"verdict by {name}" in call("compare", *files, "-f", "csv")[1] for name in "AB")
    found = json.loads(call("compare", *files, "-f", "json")[1])
    assert str(found["other_gold"]) == str(files[-1]) and str(files[-1]) in found["inputs"]
    assert found["tau_b"] == 1 and [run["score"] for run in found["by_other_gold"]["runs"]]
    assert (found["agreement"] is None) is is_scores
    assert [*compare(by_gold[0], other=by_gold[1]).halves] == found["halves"]
