"""Scores over all orders of documents of equal score: against every order, one by one."""

import itertools
import json
import math
import random
import re
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from asserting import done, failing
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, Compat, Judged, P, nDCG

import coliee_ir
from coliee_ir import Decisions, Evaluator, evaluate
from coliee_ir.measures.ties import Span

MEASURES = [
    *("MicroF1@2", "MicroP@3", "MicroR(rel=2)@1", "MacroF2@2", "MacroP@3", "MacroR@1", "P@2", "R@3", "Rprec"),
    *("AP", "AP(rel=2)", "AP@2", "RR", "RR@2", "RR(rel=2)@3", "MRR@1", "nDCG", "nDCG@2"),
    *("Success@1", "Success@3", "relative_P_2"),
]
DOCUMENTS = "abcdef"


def orders(run):
    """The run with its ties broken in every way."""
    of_query = []
    for query, ranking in run.items():
        lists = [
            order
            for order in map(list, itertools.permutations(ranking))
            if order == sorted(order, key=ranking.__getitem__, reverse=True)
        ]
        of_query.append([(query, {d: float(-at) for at, d in enumerate(order)}) for order in lists])
    return [dict(some) for some in itertools.product(*of_query)]


golds = st.fixed_dictionaries(
    {q: st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1, max_size=4) for q in "xy"}
)
of_two, of_three = (st.sampled_from(some) for some in ((1.0, 2.0), (1.0, 1.0, 2.0)))
runs = st.fixed_dictionaries(
    {"x": st.dictionaries(st.sampled_from(DOCUMENTS), of_two, min_size=2, max_size=4)},
    optional={"y": st.dictionaries(st.sampled_from(DOCUMENTS), of_three, min_size=1, max_size=3)},
)


@settings(max_examples=12, deadline=None)
@example({"x": dict.fromkeys("abc", 1), "y": {"a": 1, "b": 2}}, {"x": dict.fromkeys("abcd", 1.0)}, "zero")
@given(golds, runs, st.sampled_from(("zero", "skip")))
def test_the_span_is_that_of_all_orders(gold, run, unanswered):
    gold["x"]["a"], run["x"]["a"] = 2, 1.0
    evaluator = Evaluator(gold, MEASURES, task="trec", decisions=Decisions(unanswered=unanswered))
    scores = evaluator.evaluate(run)
    every = [list(evaluator.evaluate(other).measures.values()) for other in orders(run)]
    for at, measure in enumerate(scores.results):
        values = [row[at] for row in every]
        assert scores.span(measure) == (
            pytest.approx(min(values), abs=1e-12),
            pytest.approx(np.mean(values), abs=1e-12),
            pytest.approx(max(values), abs=1e-12),
        ), measure.name


def test_without_ties_nothing_is_computed_and_nothing_said():
    gold = {"q": {"a": 1, "c": 1}}
    scores = coliee_ir.evaluate(gold, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, task="trec", measures=["AP", "bpref"])
    assert not scores.ties
    assert [scores.span(measure) for measure in scores.results] == [Span(v, v, v) for v in scores.measures.values()]
    # ties that cannot move anything are not told either
    scores = coliee_ir.evaluate(gold, {"q": {"a": 3.0, "b": 1.0, "x": 1.0}}, task="trec", measures="AP")
    assert not scores.has_ties
    scores = coliee_ir.evaluate(gold, {"q": {"a": 3.0, "c": 3.0, "x": 1.0}}, task="trec", measures="AP")
    assert [span.lowest == span.highest == 1.0 for span in scores.ties.values()] == [True]
    # of a measure without a formula nothing is claimed, and a set has no order
    scores = coliee_ir.evaluate(gold, {"q": {"a": 1.0, "b": 1.0}}, task="trec", measures=["bpref", "MicroF1"])
    bpref, micro = scores.results
    assert all(map(math.isnan, scores.span(bpref)))
    assert scores.span(micro) == (scores.results[micro].value,) * 3


@pytest.mark.parametrize(
    "measure", [RR @ 2, RR(rel=2) @ 1, RR @ 10, Judged @ 1, Compat, RR, P @ 1, AP @ 1, nDCG @ 1], ids=str
)
def test_where_ir_measures_orders_ties_otherwise_a_remark_says_so(measure):
    gold, tied, name = {"q": {"a": 2, "c": 0}}, {"q": {"a": 1.0, "b": 1.0}}, str(measure)
    for run in (tied, {"q": {"a": 2.0, "b": 1.0}}):
        scores = coliee_ir.evaluate(gold, run, task="trec", measures=name)
        theirs = ir_measures.calc_aggregate([measure], gold, run)[measure]
        told = [remark for remark in scores.remarks if remark.kind == "tie-elsewhere"]
        is_other = run is tied and measure not in (RR, P @ 1, AP @ 1, nDCG @ 1)
        assert (scores.measures[name] != pytest.approx(theirs), len(told)) == (is_other, is_other)


def test_on_the_command_line(tmp_path, call):
    (tmp_path / "q").write_text("q 0 a 1\n")
    (tmp_path / "r").write_text("q Q0 a 1 5 T\nq Q0 b 2 5 T\n")
    words = ("evaluate", tmp_path / "q", tmp_path / "r", "--task", "trec", "-m", "RR", "--ties")
    expected = {"RR": {"lowest": 0.5, "expected": 0.75, "highest": 1.0}}
    assert "0.5000 0.5000 0.7500 1.0000" in " ".join(done(call, *words)[0].split())
    assert json.loads(done(call, *words, "-f", "json")[0])["runs"][0]["ties"] == expected
    assert json.loads(done(call, *words, "-f", "jsonl")[0])["ties"] == expected
    for refused in (("-f", "trec"), ("-q",)):
        failing(call, *words, *refused)


# a ranking that is better upside down is reported, with trec_eval's own values; others are not

QUERIES = [f"q{n:02}" for n in range(30)]
GOLD = {query: [f"{query}-{n}" for n in range(3)] for query in QUERIES}


def ranking(query, good, length=20):
    """Relevant documents among the first or the last five of a list."""
    relevant, others = GOLD[query], [f"x{n}" for n in range(length - 3)]
    mixed = random.Random(query).sample([*relevant, *others[:2]], 5)
    return [*mixed, *others[2:]] if good else [*others[2:], *mixed]


def said(run, **options):
    scores = evaluate(GOLD, run, task="1", **options)
    return [remark for remark in scores.remarks if "with every list reversed" in remark]


def reversed_run(run):
    return {query: documents[::-1] for query, documents in run.items()}


@pytest.mark.parametrize("measures", [["AP"], ["MicroF1"], ["MicroF1@5", "MacroF1"]])
@pytest.mark.parametrize("scored", [True, False])
def test_both_values_are_those_of_average_precision(measures, scored):
    lists = {query: ranking(query, good=False) for query in QUERIES[:20]}
    run = {q: {d: float(-at) for at, d in enumerate(docs)} for q, docs in lists.items()} if scored else lists
    for unanswered in ("zero", "skip"):  # which counts in both as in the score
        asked = {"task": "1", "decisions": Decisions(unanswered=unanswered)}
        (remark,) = said(run, measures=measures, decisions=asked["decisions"])
        values = [evaluate(GOLD, of, **asked, measures=["AP"]).measures["AP"] for of in (lists, reversed_run(lists))]
        assert re.findall(r"\b[01]\.[0-9]{4}\b", remark) == [f"{value:.4f}" for value in values]


@pytest.mark.parametrize(
    "run",
    [
        {query: ranking(query, good=True) for query in QUERIES},
        {query: random.Random(query).sample(ranking(query, good=True), 20) for query in QUERIES},  # no order at all
        {query: ranking(query, good=n % 2 == 0) for n, query in enumerate(QUERIES)},  # as often right as wrong
        {query: ranking(query, good=False) for query in QUERIES[:8]},  # too few queries to be sure
        {query: [GOLD[query][0]] for query in QUERIES},  # one document a query has no order
        {query: ["x", *GOLD[query][:2]] for query in QUERIES},  # a set, which no measure asks for its order
    ],
    ids=["good", "random", "mixed", "few queries", "one document", "set"],
)
def test_others_are_left_in_peace(run):
    assert said(run) == []


def test_of_a_short_list_it_is_said_where_a_measure_looks_at_ranks():
    run = {query: ["x", *GOLD[query][:2]] for query in QUERIES}
    assert [len(said(run, measures=[measure])) for measure in ("MicroF1", "MicroF1@1")] == [0, 1]


@pytest.mark.parametrize("scored", [True, False])
def test_a_run_with_the_worst_first_is_turned_around(call, here, scored):
    """By a decision wherever runs are scored, and by convert for every other command."""
    gold = {f"q{n}": [f"d{n}"] for n in range(20)}
    run = {query: {f"d{(n + at) % 20}": 12.5 - at for at in range(9)} for n, query in enumerate(gold)}
    lists = {query: list(of)[::-1] for query, of in run.items()}
    wrong = {query: {one: -score for one, score in of.items()} for query, of in run.items()} if scored else lists
    Path("run.json").write_text(json.dumps(wrong))
    asked = {"task": "1", "measures": ["AP", "MicroF1@1"]}
    right = evaluate(gold, run, **asked).measures
    assert any(remark.kind == "upside-down" for remark in evaluate(gold, "run.json", **asked).remarks)
    turned = evaluate(gold, "run.json", **asked, decisions={"order": "ascending"})
    assert turned.measures == right and not turned.remarks
    done(call, "convert", "run.json", "right.run", "--decision", "order=ascending")
    done(call, "fuse", "run.json", "run.json", "--decision", "order=ascending", "-o", "fused.run")
    for name in ("right.run", "fused.run"):
        assert evaluate(gold, name, **asked).measures == right
