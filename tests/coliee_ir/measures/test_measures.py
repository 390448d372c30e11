import contextlib
import math
import re
from dataclasses import fields

import naive
import numpy as np
import pytest
import pytrec_eval
from asserting import heard, matches, refusing
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from coliee_adapters import trec_eval
from coliee_adapters.errors import UsageError
from coliee_adapters.records import Answers, Gold, Run
from coliee_ir import Decisions, Evaluator, evaluate
from coliee_ir.judging.judged import judge
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import compute, everything, parse
from coliee_ir.measures.catalogue import OURS, class_of
from coliee_ir.measures.labels import LabelAccuracy
from coliee_ir.measures.sets import MacroF, MacroP, MacroR, MicroF, MicroP, MicroR
from coliee_ir.stats.cutting import at_cutoffs, is_cut

ZERO_EMPTY = Decisions(empty_gold="zero")


def measured(measure, judged, decisions=None):
    [given_measure] = parse(measure) if isinstance(measure, str) else [measure]
    return compute([given_measure], {"documents": judged}, decisions or Decisions())[0]


def indicators(gold, lines, cutoff, rel):
    """Which documents are relevant, and which are retrieved: query × document."""
    truth = [[judged.get(document, 0) >= rel for document in naive.DOCUMENTS] for judged in gold.values()]
    retrieved = []
    for query in gold:
        top = naive.ranking([line for line in lines if line.query == query], scored=True)[:cutoff]
        retrieved.append([document in top for document in naive.DOCUMENTS])
    return np.array(truth, dtype=int), np.array(retrieved, dtype=int)


@settings(max_examples=2 * settings.default.max_examples)
@given(
    naive.golds,
    naive.run_lines(),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from([None, 1, 2, 5, 100]),
    st.integers(1, 3),
)
def test_micro_and_macro_averages_are_those_of_scikit_learn(gold, lines, beta, cutoff, rel):
    from sklearn.metrics import precision_recall_fscore_support

    judged = judge(Qrels(gold), Run(lambda: naive.blocks(lines, True, set(), set())))
    truth, retrieved = indicators(gold, lines, cutoff, rel)
    relevant, answered = truth.any(axis=1), retrieved.any(axis=1)
    micro = [kind(cutoff, rel, beta) for kind in (MicroP, MicroR, MicroF)]
    macro = [kind(cutoff, rel, beta) for kind in (MacroP, MacroR, MacroF)]
    for one, other in zip(micro, macro, strict=True):  # the micro formula on each query is its own score
        assert measured(one, judged).per_query.tolist() == measured(other, judged, ZERO_EMPTY).per_query.tolist()
    for measures, average, decisions, kept in (
        (micro, "micro", Decisions(), relevant | True),
        (macro, "samples", ZERO_EMPTY, relevant | True),
        (macro, "samples", Decisions(), relevant),
        (macro, "samples", Decisions(unanswered="skip"), relevant & answered),
        (macro, "samples", Decisions(unanswered="skip", empty_gold="zero"), answered | ~relevant),
    ):
        ours = [measured(measure, judged, decisions).value for measure in measures]
        if not kept.any():
            assert all(map(math.isnan, ours))
            continue
        *wanted, _ = precision_recall_fscore_support(
            truth[kept], retrieved[kept], beta=beta, average=average, zero_division=0
        )
        assert ours == pytest.approx(wanted, abs=1e-12)
    p, r = (measured(kind(cutoff, rel), judged).value for kind in (MacroP, MacroR))
    wanted = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0
    assert measured(MacroF(cutoff, rel, beta, of="means"), judged).value == pytest.approx(wanted, nan_ok=True)


# decisions, by hand: three queries and one that is not in the gold; q2 is unanswered, q3 has no relevant document

GOLD = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"a": 1}, "q3": {}}
RUN = Run.of({"q1": ["a", "x", "a", "y"], "q3": ["a"], "zz": ["m", "n", "m"]})


@pytest.mark.parametrize(
    ("decisions", "name", "wanted"),
    [
        # a is correct, of a, x, y, and q3's a
        ({}, "MicroF1", 2 / (4 + 3)),
        ({"extra_queries": "wrong"}, "MicroP", 1 / 7),
        ({"extra_queries": "wrong"}, "MicroF1", 2 / (7 + 3)),
        ({"extra_queries": "wrong"}, "MicroP@2", 1 / 5),  # two of zz's lines are within the cutoff
        *(({"extra_queries": extra}, name, 1 / 6) for extra in ("ignore", "wrong") for name in ("MacroP", "set_P")),
        ({"duplicates": "wrong"}, "MicroP", 1 / 5),
        ({"duplicates": "wrong"}, "MacroP", 1 / 8),
        ({"duplicates": "wrong"}, "MacroR", 1 / 4),
        # q3: something retrieved, so precision and F are 0 and only recall is undefined
        ({"empty_gold": "one"}, "MacroP", 1 / 9),
        ({"empty_gold": "one"}, "MacroR", (1 / 2 + 1) / 3),
        ({"empty_gold": "one"}, "MacroF1", 2 / (3 + 2) / 3),
        # relevance levels: only b has 2, and q2 has no document of that level
        ({}, "MicroR(rel=2)", 0),
    ],
)
def test_each_decision_moves_the_score_as_said(decisions, name, wanted):
    assert measured(name, judge(Qrels(GOLD), RUN), Decisions(**decisions)).value == pytest.approx(wanted)


labels = st.dictionaries(st.sampled_from("abcdefgh"), st.booleans(), min_size=1)


@given(labels, labels)
def test_accuracy_is_scikit_learns_with_unanswered_ones_wrong(gold, given):
    from sklearn.metrics import accuracy_score

    assume(gold.keys() & given.keys())
    scores = evaluate(Gold(labels=gold), Answers(given), task="4")
    answered = [given.get(query, not label) for query, label in gold.items()]
    assert scores.measures == {"Accuracy": pytest.approx(accuracy_score(list(gold.values()), answered))}


articles = st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from(["1", "2", "3", "4"])), min_size=1)


@given(articles, articles, labels, labels)
def test_sufficient_articles_and_the_label_make_an_answer_right(gold, retrieved, right, given):
    right = {query: right.get(query, True) for query in gold}
    assume(retrieved.keys() & gold.keys() and given.keys() & gold.keys())
    scores = evaluate(
        Gold({query: dict.fromkeys(sorted(found), 1) for query, found in gold.items()}, right),
        Run.of({query: sorted(found) for query, found in retrieved.items()}),
        task="3",
        edition=2026,
        answers=Answers(given),
        measures=["Accuracy", "LabelAccuracy", gate := "1 if LabelAccuracy = 1 and MacroR = 1"],
    )
    label_right = {query: given.get(query) is right[query] for query in gold}
    wanted = {query: label_right[query] and gold[query] <= retrieved.get(query, set()) for query in gold}
    for name, each in (("Accuracy", wanted), ("LabelAccuracy", label_right)):
        assert {query: values[name] for query, values in scores.per_query.items()} == each
        assert scores.measures[name] == pytest.approx(sum(each.values()) / len(gold))
    if all(gold.values()):  # what it says where no article is relevant is another question
        assert scores.measures[gate] == scores.measures["Accuracy"]


# claims

instances = st.lists(
    st.tuples(*(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=4) for _ in "pd")), min_size=1, max_size=5
)


def rationale(cases, undefined):
    """Cases of (gold, prediction) for each claim of the plaintiff and of the defendant."""
    claims = {
        str(n): {f"{side}{i}": pair for side, pairs in zip("pd", case, strict=True) for i, pair in enumerate(pairs)}
        for n, case in enumerate(cases)
    }
    qrels = {query: {claim: int(gold) for claim, (gold, _) in of.items()} for query, of in claims.items()}
    run = {query: [claim for claim, (_, predicted) in of.items() if predicted] for query, of in claims.items()}
    return evaluate(Gold(qrels, format="tort"), Run.of(run), task="rationale", decisions=Decisions(undefined=undefined))


@settings(max_examples=settings.default.max_examples // 2)
@given(instances, st.sampled_from([("zero", 0.0), ("one", 1.0), ("skip", np.nan)]))
def test_rationale_f1_is_scikit_learns_for_each_instance(cases, undefined):
    from sklearn.metrics import f1_score

    def f1(claims):
        # a claim that both deny is not in F1 of the True class; it spares scikit-learn an empty list
        truth, predicted = zip(*claims, (False, False), strict=True)
        return float(f1_score(truth, predicted, zero_division=undefined[1]))

    scores = rationale(cases, undefined[0])
    results = {measure.name: result for measure, result in scores.results.items()}
    for name, each in (
        ("RationaleF1", [f1([*p, *d]) for p, d in cases]),
        ("PlaintiffF1", [f1(p) for p, _ in cases]),
        ("DefendantF1", [f1(d) for _, d in cases]),
    ):
        kept = [x for x in each if not math.isnan(x)]
        wanted = sum(kept) / len(kept) if kept else math.nan
        assert scores.measures[name] == pytest.approx(wanted, nan_ok=True)
        np.testing.assert_allclose(results[name].per_query, each)
    if undefined[0] == "zero":
        assert scores.measures["PooledF1"] == pytest.approx(f1(claim for p, d in cases for claim in (*p, *d)))


def test_a_name_stands_for_its_measure():
    for typed, printed, measure in (
        ("MicroF", "MicroF1", MicroF()),
        ("MicroF(beta=2)@10", "MicroF2@10", MicroF(10, beta=2.0)),
        ("MicroF(rel=2,beta=0.5)", "MicroF(beta=0.5,rel=2)", MicroF(rel=2, beta=0.5)),
        ("MicroF10", "MicroF(beta=10)", MicroF(beta=10.0)),
        ("MicroR(cutoff=30)", "MicroR@30", MicroR(30)),
        ("MacroF(of='means', beta=2)", "MacroF(beta=2,of=means)", MacroF(beta=2.0, of="means")),
        ("LabelAccuracy()", "LabelAccuracy", LabelAccuracy()),
    ):
        assert parse(typed) == [measure]
        assert str(measure) == measure.name == printed


REFUSED = {
    "unknown measure": ["MicroG1"],
    "[bad-measure]": [
        *("", "MicroF1@1.2.3", "MicroF(2)", "MicroF(beta=)", "MicroF(beta=2)-(rel=1)", "MicroF(beta=f(2))"),
        *("MicroF(**{})", f"MicroF(beta={'(' * 5000}1{')' * 5000})", f"MicroF(beta={'-' * 200000}1)"),
    ],
    "beta must be [bad-measure]": ["MicroF0", "MicroF(beta=-1)", "MicroF(beta=two)", "MicroF(beta=True)",
                                   "MicroF(beta=1e999)", f"MicroF{'9' * 400}"],
    "of must be [bad-measure]": ["MacroF2(of=mean)"],
    "cutoff must be [bad-measure] 999999999 …": ["MicroF1@0", "MicroF1@0.5", "MicroF1@99999999999"],
    "rel must be [bad-measure] 999999999 …": ["MicroF1(rel=0)", "MicroF1(rel=1.0)", "MicroF1(rel=99999999999)"],
    "MicroP has no parameter beta; it has cutoff, rel": ["MicroP(beta=2)"],
    "has no parameter of": ["MicroF1(of=means)"],
    "LabelAccuracy has no parameter cutoff": ["LabelAccuracy@5"],
    "runid is text": ["runid"],
    "takes cutoffs": ["P_0"],
}  # fmt: skip


def test_what_is_no_measure_is_refused_with_a_reason():
    for said, some in REFUSED.items():
        for typed in some:
            with refusing(UsageError, said):
                parse(typed)


def test_all_there_is_is_described_and_can_be_asked_for():
    described = list(everything())
    names = [description.name for description in described]
    assert len(names) == len(set(names)) and all(map(all, described)) and all(map(parse, names))
    assert set(names) == {class_of(name)().name for name in OURS} | set(trec_eval.each_name())
    for name, field in ((one, field) for one in OURS for field in fields(class_of(one))):
        with contextlib.suppress(UsageError):  # of one that the measure does not take
            parse(f"{name}({field.name}={0.5 if field.type == 'float' else 2})")


def test_trec_eval_is_asked_for_the_long_list_where_there_is_one():
    qrels = Qrels({"q": {"a": 1, "b": 1}})
    short, long = judge(qrels, Run.of({"q": ["x"]})), judge(qrels, Run.of({"q": ["x", "a", "b"]}))
    names = ("map", "MicroR@2", "MicroR", "recall_2", "MicroP", "num_ret")
    measures = [m for name in names for m in parse(name)]
    results = compute(measures, {"documents": short, "long": long}, Decisions())
    assert [result.value for result in results] == pytest.approx([(1 / 2 + 2 / 3) / 2, 1 / 2, 0, 1 / 2, 0, 3])


def test_a_query_without_judged_documents_is_in_no_mean_of_trec_evals():
    judged = judge(Qrels({"q1": {"a": 1}, "q2": {}, "q3": {"a": 0}}), Run.of({"q1": ["a"], "q2": ["a"], "q3": ["a"]}))
    for result in (measured("map", judged), parse("map")[0].compute({"documents": judged}, Decisions())):
        np.testing.assert_equal(result.per_query, [1.0, math.nan, 0.0])
        assert (result.value, result.answered.tolist()) == (0.5, [True] * 3)
    assert measured("num_q", judged).value == 2


_TREC = ("map", "gm_map", "Rprec", "P_1", "recall_2", "ndcg_cut_2", "bpref", "set_F", "num_q", "num_rel", "num_ret")


@given(
    st.dictionaries(st.sampled_from("abcde"), st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2), min_size=1)),
    st.dictionaries(st.sampled_from("abcdef"), st.dictionaries(st.sampled_from("wxyz"), st.integers(0, 9))),
)
def test_without_unanswered_queries_means_are_those_of_trec_eval_without_c(gold, run):
    """pytrec_eval looks at the queries that both have, as trec_eval does unless it is told ``-c``."""
    scored = {query: {document: float(score) for document, score in of.items()} for query, of in run.items() if of}
    both = gold.keys() & scored.keys()
    if not both:
        return
    asked = {re.sub(r"_([0-9])", r".\1", name) for name in _TREC}
    found = pytrec_eval.RelevanceEvaluator(gold, asked).evaluate(scored)
    measures = [measure for name in _TREC for measure in parse(name)]
    results = compute(measures, {"documents": judge(Qrels(gold), Run.of(scored))}, Decisions(unanswered="skip"))
    for measure, result in zip(_TREC, results, strict=True):
        expected = pytrec_eval.compute_aggregated_measure(measure, [found[query][measure] for query in sorted(both)])
        assert result.value == pytest.approx(expected, abs=1e-12)
        assert np.isnan(result.per_query).sum() == len(gold) - len(both)


def test_a_relevance_that_no_judgement_reaches_is_remarked():
    gold, run = {"q": {"a": 2, "b": 1}}, {"q": {"a": 2.0, "c": 1.0}}
    expected = "[relevance-not-reached] 2 … (first: P(rel=3)@1 … 2 …; MicroF(beta=1,rel=4) … 2 …)"
    for measures, said in ((["P(rel=2)@1", "MicroF1(rel=2)", "nDCG@5"], ()),
                           (["P(rel=3)@1", "AP", "MicroF1(rel=4)"], (expected,))):  # fmt: skip
        assert matches(heard(tuple(evaluate(gold, run, task="trec", measures=measures).remarks)), said)


CUT_RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "extra"]), st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1
)
CUT_GOLD = {"q1": ["a", "b"], "q2": ["c"], "q3": ["a", "f"]}
CUT_DECISIONS = st.builds(
    Decisions,
    extra_queries=st.sampled_from(["ignore", "wrong"]),
    duplicates=st.sampled_from(["once", "wrong"]),
    unanswered=st.sampled_from(["zero", "skip"]),
)


@given(CUT_RUNS, CUT_DECISIONS)
def test_every_cutoff_is_what_the_measure_at_it_says(run, decisions):
    assume(any(run.get(query) for query in CUT_GOLD))
    names = ["MicroF1", "MicroP", "MicroR", "MacroF2", "MacroP", "MacroR"]
    asked = [f"{name}@{k}" for name in names for k in range(1, 5)]
    scores = Evaluator(CUT_GOLD, asked, task="1", decisions=decisions).evaluate(run, keep_judged=True)
    for name in names:
        [measure] = parse(name)
        assert is_cut(measure)
        values = at_cutoffs(measure, scores.judged["documents"], 4, decisions).values.tolist()
        expected = [scores.measures[f"{name}@{k}"] for k in range(1, 5)]
        assert values == pytest.approx(expected, nan_ok=True)
