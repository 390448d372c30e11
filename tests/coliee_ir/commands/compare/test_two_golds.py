"""Runs by two golds: agreement and order as others compute them, what is counted, and what is said of it."""

import itertools
import json
import math

import numpy as np
import pytest
from asserting import refusing
from example_runs import EXAMPLES
from scipy import stats
from sklearn.metrics import cohen_kappa_score, f1_score

from coliee_adapters.errors import UsageError
from coliee_ir import Scored, compare, evaluate, evaluate_all
from coliee_ir.commands.compare.golds import TwoGolds
from coliee_ir.measures.base import of_mean
from coliee_ir.stats import agreement as statistics
from coliee_ir.stats.settings import Resampling

QUERIES = [f"q{at:03d}" for at in range(60)]
DOCUMENTS = [f"d{at:02d}" for at in range(12)]


def drawn(seed=1):
    """Two graded golds that agree mostly, and four runs that find what is relevant by the first."""
    random = np.random.default_rng(seed)
    first = {query: dict(zip(DOCUMENTS, random.integers(0, 3, 12).tolist(), strict=True)) for query in QUERIES}
    second = {
        query: {d: grade if random.random() < 0.7 else int(random.integers(0, 3)) for d, grade in judged.items()}
        for query, judged in first.items()
    }
    runs = {
        f"run{at}": {
            query: {d: grade + float(random.normal(0, 0.5 + at)) for d, grade in judged.items()}
            for query, judged in first.items()
        }
        for at in range(4)
    }
    return first, second, runs


def by_both(first, second, runs, **options):
    each = [evaluate_all(gold, runs, task="trec", measures=["AP"]) for gold in (first, second)]
    found = compare(each[0], other=each[1], **options)
    assert isinstance(found, TwoGolds)
    return found


def test_agreement_and_order_are_what_scikit_learn_and_scipy_compute():
    random = np.random.default_rng(3)
    for grades in (2, 4):
        first, query = random.integers(0, grades, 200), np.repeat(np.arange(20), 10)
        second = np.where(random.random(200) < 0.6, first, random.integers(0, grades, 200))
        found = statistics.kappa(first, second, query, 0.95)
        assert found.value == pytest.approx(cohen_kappa_score(first, second, weights="quadratic"))
        assert found.interval.low < found.value < found.interval.high
        both, either = ((first > 0) & (second > 0), (first > 0).astype(int) + (second > 0))
        counts = [np.bincount(query, one.astype(float)) for one in (both, either)]
        assert statistics.f1(*counts, 0.95).value == pytest.approx(f1_score(first > 0, second > 0))
        f, g = random.integers(0, 9, (2, 8)).astype(float)
        assert float(statistics.tau_b(f, g)) == pytest.approx(stats.kendalltau(f, g).statistic)


def test_tau_ap_is_the_mean_over_ranks_of_those_that_stand_rightly_above():
    for order in itertools.permutations(range(5)):
        rightly = [sum(above < run for above in order[:at]) / at for at, run in enumerate(order) if at]
        places = np.argsort(order).astype(float)  # the truth: 0 is the best, then 1
        assert statistics.tau_ap(-np.arange(5.0), -places) == pytest.approx(2 * sum(rightly) / 4 - 1)


def test_tau_ap_of_ties_is_the_mean_over_their_orders_and_none_where_all_are_equal():
    first, second = np.array([0.4, 0.1, 0.3, 0.2, 0.3]), np.array([0.2, 0.5, 0.2, 0.2, 0.1])
    broken = [[0.5 if at == 1 else 0.1 if at == 4 else 0.2 + 0.01 * order[(0, 2, 3).index(at)] for at in range(5)]
              for order in itertools.permutations(range(3))]  # fmt: skip
    alone = [statistics.tau_ap(first, np.array(scores)) for scores in broken]
    assert statistics.tau_ap(first, second) == pytest.approx(np.mean(alone)) and np.ptp(alone) > 0.1
    assert statistics.tau_ap(first[::-1], second[::-1]) == pytest.approx(statistics.tau_ap(first, second))
    for one, other in ((first, np.ones(5)), (np.ones(5), second)):
        assert math.isnan(statistics.tau_ap(one, other))


def test_where_a_gold_finds_all_runs_equal_no_order_is_told_and_none_is_said_to_agree():
    first, _, runs = drawn()
    for second in ({query: dict.fromkeys(DOCUMENTS, 1) for query in QUERIES},
                   {query: {f"x{d}": grade for d, grade in of.items()} for query, of in first.items()}):  # fmt: skip
        notes = by_both(first, second, runs).notes()
        assert any(note.startswith("By B all runs have the same score") for note in notes)
        assert not any("nan" in note or "alike" in note or "one gold only" in note for note in notes)


def test_what_there_is_to_know_by_the_other_gold_alone_is_told():
    first, second, runs = drawn()
    elsewhere = {query: {f"x{d}": grade for d, grade in of.items()} for query, of in first.items()}
    told = by_both(first, elsewhere, runs).remarks
    assert [remark.kind for remark in told] == ["no-match", "no-difference"]
    assert told[0].is_doubt
    assert not by_both(first, second, runs).remarks
    assert [remark.kind for remark in by_both(first, first, runs).remarks] == ["same-golds"]


def test_without_a_pair_that_both_decide_nothing_is_said_to_be_alike():
    first, second, runs = drawn()
    for n in (1, 3):
        few = {query: second[query] for query in QUERIES[:n]}
        found = by_both(first, few, runs)
        assert found.verdicts.alike == 0 and "alike" not in " ".join(found.notes())
    random = np.random.default_rng(3)
    unrelated = {query: {d: int(random.integers(0, 3)) for d in judged} for query, judged in first.items()}
    found = by_both(first, unrelated, runs)
    assert found.verdicts.one_only and "no sign" not in " ".join(found.notes())


def test_kappa_of_golds_with_other_grades_is_that_of_relevant_or_not():
    first, _, runs = drawn()
    for change, kappa_of in (
        (lambda grade: int(grade > 0), "relevance"), (lambda grade: 3 * grade, "relevance"),
        (lambda grade: grade or -1, "grades"),
    ):  # fmt: skip
        second = {query: {d: change(grade) for d, grade in of.items()} for query, of in first.items()}
        found = by_both(first, second, runs).agreement
        assert found is not None and found.kappa is not None
        assert (found.kappa_of, found.kappa.value) == (kappa_of, 1)


def test_halves_of_one_gold_agree_as_much_as_those_of_a_copy_of_it_and_less_with_another_order():
    random = np.random.default_rng(4)
    values = np.linspace(0.3, 0.5, 8)[:, None] + random.normal(0, 0.2, (8, 80))
    runs, upside_down = ([of_mean(one) for one in way] for way in (values, values[::-1]))
    between, alone, of_copy = statistics.halves(runs, runs, Resampling())
    assert between == pytest.approx(alone, abs=0.02) and alone == pytest.approx(of_copy)
    between, alone, other = statistics.halves(runs, upside_down, Resampling())
    assert between < 0 < min(alone, other)


def test_a_perfect_agreement_and_few_queries_have_no_interval():
    query, same = np.repeat(np.arange(8), 3), np.tile([0, 1, 1], 8)
    for first, second, of in ((same, same, query), (same, same[::-1], np.minimum(query, 3))):
        assert np.isnan(statistics.kappa(first, second, of, 0.95).interval).all()


def test_runs_are_compared_by_both_golds_as_by_each_alone():
    first, second, runs = drawn()
    found = by_both(first, second, runs)
    alone = [compare(evaluate_all(gold, runs, task="trec", measures=["AP"])) for gold in (first, second)]
    rows = found.to_frame().to_dict("records")
    for by, one in zip("AB", alone, strict=True):
        assert [(row[f"difference by {by}"], row[f"p by {by}"], row[f"verdict by {by}"]) for row in rows] == [
            (pair.difference, pair.p, pair.verdict) for pair in one.pairs
        ]
    assert [list(one.pairs) for one in (found, found.by_other_gold)] == [list(one.pairs) for one in alone]
    decided = [[pair.verdict for pair in one.pairs] for one in alone]
    for verdict, of_first in found.verdicts._asdict().items():
        counts = {name: [*zip(*decided, strict=True)].count((verdict, name)) for name in of_first._fields}
        assert counts == of_first._asdict()
    assert found.verdicts.alike + found.verdicts.one_only + found.verdicts.undecided.undecided == 6
    f, g = ([run.score for run in one.runs] for one in alone)
    assert found.tau_b == pytest.approx(stats.kendalltau(f, g).statistic)
    assert found.spread == pytest.approx(np.std(g) / np.std(f))
    judged = found.agreement
    assert judged is not None and judged.kappa is not None and judged.pairs == (0, 0, 720)
    a, b = ([grade for of in gold.values() for grade in of.values()] for gold in (first, second))
    assert judged.kappa.value == pytest.approx(cohen_kappa_score(a, b, weights="quadratic"))
    assert judged.relevant == pytest.approx((np.mean(np.array(a) > 0), np.mean(np.array(b) > 0)))


def test_what_one_gold_lacks_is_counted_and_scored_by_neither():
    first, second, runs = drawn()
    del first["q000"], second["q001"], second["q002"]
    first["q003"] = dict.fromkeys(DOCUMENTS, 0)
    second["q004"].pop("d00")
    found = by_both(first, second, runs, groups={query: query[:3] for query in QUERIES})
    assert found.queries_of_golds == (2, 1, 57) and found.nothing_relevant == 1 and found.queries == 56
    assert found.agreement is not None and found.agreement.pairs == (1, 0, 56 * 12 - 1)
    kept = [query for query in QUERIES if query > "q003"]
    alone = compare(evaluate_all(first, runs, task="trec", measures=["AP"], only=kept), groups=in_tens(kept))
    assert [run.score for run in found.runs] == pytest.approx([run.score for run in alone.runs])
    assert [pair.p for pair in found.pairs] == pytest.approx([pair.p for pair in alone.pairs])


def in_tens(queries):
    return {query: query[:3] for query in queries}


def test_conclusions_that_turn_round_are_named_the_winner_by_the_first_gold_first():
    first, _, runs = drawn()
    second = {query: {d: 2 - grade for d, grade in judged.items()} for query, judged in first.items()}
    found = by_both(first, second, runs)
    assert ("run0", "run3") in found.reversed and found.tau_b < 0
    assert all(one < other for one, other in found.reversed)
    assert len(found.reversed) == found.verdicts.better.worse + found.verdicts.worse.better
    assert not any("decide alike" in note for note in found.notes())


def test_of_several_measures_the_one_that_is_spoken_of_is_named():
    first, second, runs = drawn()
    each = [evaluate_all(gold, runs, task="trec", measures=["AP", "P@5"]) for gold in (first, second)]
    both = compare(each[0], other=each[1], measures=["AP", "P@5"])
    assert sum("AP only" in note for note in both.notes()) == 1
    assert not any("AP only" in note for note in by_both(first, second, runs).notes())


def test_golds_that_list_what_is_relevant_have_the_f1_that_evaluate_prints_and_no_kappa():
    first, second, runs = drawn()
    lists = [{query: [d for d, grade in of.items() if grade] for query, of in gold.items()} for gold in (first, second)]
    each = [evaluate_all(gold, runs, task="1") for gold in lists]
    found = compare(each[0], other=each[1])
    assert isinstance(found, TwoGolds) and found.agreement is not None and found.agreement.kappa is None
    as_run = evaluate(lists[0], lists[1], task="1").measures["MicroF1"]
    assert found.agreement.f1.value == pytest.approx(as_run)
    assert math.isnan(found.agreement.judged_at_10[0])


def test_where_pools_are_unlike_the_judged_share_of_the_first_ten_is_told_by_each():
    first, second, runs = drawn()
    for judged in second.values():
        for document in DOCUMENTS[6:]:
            judged.pop(document)
    judged_at = by_both(first, second, runs).agreement.judged_at_10
    assert judged_at[0] == 1.0 and 0.4 < judged_at[1] < 0.6


def test_what_cannot_be_compared_is_refused():
    first, second, runs = drawn()
    scored = evaluate_all(first, runs, task="trec", measures=["AP"])
    fewer = evaluate_all(second, {name: runs[name] for name in ("run0", "run1")}, task="trec", measures=["AP"])
    elsewhere = evaluate_all({"x1": {"d": 1}}, {n: {"x1": {"d": 1.0}} for n in runs}, task="trec", measures=["AP"])
    ranked_by = evaluate_all(second, runs, task="trec", measures=["nDCG"])
    for other in (fewer, elsewhere, ranked_by):
        with refusing(UsageError, "[not-comparable] …"):
            compare(scored, other=other)


@pytest.mark.parametrize("is_scores", [False, True])
def test_the_command_says_it_in_tables_sentences_and_json(call, tmp_path, is_scores):
    gold, runs = EXAMPLES / "task4/gold.xml", [str(EXAMPLES / "task4" / name) for name in ("ALPHA.txt", "BETA.txt")]
    other = tmp_path / "other.xml"
    other.write_text(gold.read_text().replace('label="Y"', 'label="N"', 3))
    files = [str(gold), *runs, "--other-gold", str(other)]
    if is_scores:
        paths = [str(tmp_path / f"{at}.csv") for at in range(2)]
        for path, of in zip(paths, (gold, other), strict=True):
            assert call("evaluate", str(of), *runs, "-q", "-f", "csv", "-o", path)[0] == 0
        files = [paths[0], "--other-gold", paths[1]]
    code, out, _ = call("compare", *files)
    for separated in (call("compare", *files, "-f", form)[1] for form in ("csv", "tsv")):
        assert all(f"verdict by {name}" in separated for name in "AB")
    assert code == 0 and ("kappa" in out) is not is_scores and "lenient" not in out and "relevant" not in out
    found = json.loads(call("compare", *files, "-f", "json")[1])
    assert str(found["other_gold"]) == files[-1] and files[-1] in found["inputs"]
    assert found["tau_b"] == 1 and [run["score"] for run in found["by_other_gold"]["runs"]]
    assert (found["agreement"] is None) is is_scores
    every = Scored.read(files[0]) if is_scores else evaluate_all(str(gold), runs)
    of_other = Scored.read(files[-1]) if is_scores else evaluate_all(str(other), runs)
    in_python = compare(every, other=of_other)
    assert isinstance(in_python, TwoGolds) and list(in_python.halves) == found["halves"]
