"""A ranking that is better upside down is reported, with trec_eval's own values; others are not."""

import json
import random
import re
from pathlib import Path

import pytest
from asserting import done

from coliee_ir import Decisions, evaluate, fit_fusion, tune

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
    run = {query: ranking(query, good=False) for query in QUERIES}
    held = {q: {d: float(-at) for at, d in enumerate(docs)} for q, docs in run.items()} if scored else run
    (remark,) = said(held, measures=measures)
    as_it_is, turned = (evaluate(GOLD, of, task="1", measures=["AP"]).measures["AP"] for of in (run, reversed_run(run)))
    assert re.findall(r"\b[01]\.[0-9]{4}\b", remark) == [f"{as_it_is:.4f}", f"{turned:.4f}"]


def test_unanswered_queries_count_in_both_values_as_in_the_score():
    run = {query: ranking(query, good=False) for query in QUERIES[:20]}
    for decisions in (Decisions(), Decisions(unanswered="skip")):
        shown = evaluate(GOLD, run, task="1", measures=["AP"], decisions=decisions).measures["AP"]
        assert f" {shown:.4f}" in said(run, measures=["AP"], decisions=decisions)[0]


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


def test_a_long_list_is_looked_at_for_itself():
    gold = {query: dict.fromkeys(documents, 1) for query, documents in GOLD.items()}
    good = {query: ranking(query, good=True) for query in QUERIES}
    scores = evaluate(gold, good, task="3", edition=2025, long_list=reversed_run(good))
    (remark,) = [remark for remark in scores.remarks if "with every list reversed" in remark]
    assert remark.startswith("long list: ")


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
    assert evaluate(gold, "right.run", **asked).measures == right
    done(call, "fuse", "run.json", "run.json", "--decision", "order=ascending", "-o", "fused.run")
    assert evaluate(gold, "fused.run", **asked).measures == right
    given = {"ascending": wrong, "descending": run}
    tuned = [tune(gold, of, task="1", by="k", folds=2, decisions={"order": order}) for order, of in given.items()]
    assert tuned[0].held_out == tuned[1].held_out
    fitted = [
        fit_fusion(gold, of, of, task="1", measure="AP", folds=2, decisions={"order": order})
        for order, of in given.items()
    ]
    assert fitted[0].held_out == fitted[1].held_out
