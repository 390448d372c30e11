"""Scores over several measures: sums and gated values, alone and in the commands that resample and cut them."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coliee_ir
from coliee_adapters.errors import UsageError
from coliee_ir.measures import parse
from coliee_ir.measures.catalogue import names_in
from coliee_ir.rules import protocol as rules

QUERIES = tuple(f"q{n}" for n in range(6))
DOCUMENTS = tuple(f"d{n}" for n in range(5))


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch, tmp_path):
    monkeypatch.setattr(rules, "protocols_by_name", {})
    monkeypatch.chdir(tmp_path)


def put(name, content):
    """Write a file, JSON unless it is text."""
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


CASE_LAW = "Bộ luật Dân sự năm 2015 | Điều 584"


def alqac(*rows):
    return [dict(zip(("case_id", "prediction", "case_evidence", "law_evidence"), row, strict=True)) for row in rows]


ALQAC = alqac(
    ("c0", "A_WIN", ["e1", "e2"], ["91/2015/QH13|357"]), ("c1", "B_WIN", ["e1"], [CASE_LAW, "x|2"]),
    ("c2", "A_WIN", ["e3", "e4"], ["x|1"]), ("c3", "B_WIN", ["e5"], ["x|9"]),
)  # fmt: skip
ALQAC_RUNS = {
    "one": alqac(
        ("c0", "A_WIN", ["e1"], ["91/2015/QH13|357", "x|5"]), ("c1", "B_WIN", ["e1", "e9"], [CASE_LAW]),
        ("c2", "B_WIN", [], []),
    ),
    "two": [{**one, "case_evidence": [], "law_evidence": ["x|1"]} for one in ALQAC],
}  # fmt: skip


def final_score(run):
    """The rule of ALQAC 2026, without the factor for calls."""
    answered = {one["case_id"]: one for one in run}
    outcome = recall = right = given_law = gold_law = 0.0
    for case in ALQAC:
        mine = answered.get(case["case_id"], {"prediction": "", "case_evidence": [], "law_evidence": []})
        outcome += mine["prediction"] == case["prediction"]
        evidence, law = ({*case[key]} for key in ("case_evidence", "law_evidence"))
        recall += len(evidence & {*mine["case_evidence"]}) / len(evidence)
        right += len(law & {*mine["law_evidence"]})
        given_law += len({*mine["law_evidence"]})
        gold_law += len(law)
    f1 = 2 * right / (given_law + gold_law)
    return 0.7 * outcome / len(ALQAC) + 0.2 * recall / len(ALQAC) + 0.1 * f1


def test_alqac_of_2026_is_scored_compared_and_ranked_by_its_sum(call):
    def told(*words):
        return json.loads(call(*words, "--protocol", "alqac-2026", "-f", "json")[1])

    gold = put("gold.json", ALQAC)
    runs = [put(f"{name}.json", run) for name, run in ALQAC_RUNS.items()]
    expected = {name: final_score(run) for name, run in ALQAC_RUNS.items()}
    assert told("evaluate", gold, *runs)["runs"][0]["measures"] == pytest.approx(
        {"FinalScore": expected["one"], "LabelAccuracy": 0.5, "MacroR(evidence)": 1.5 / 4, "MicroF1(law)": 2 * 2 / 8}
    )
    compared = told("compare", gold, *runs, "--resamples", "99")
    assert {one["tag"]: one["score"] for one in compared["runs"]} == pytest.approx(expected)
    board = told("leaderboard", gold, *runs, "--resamples", "99")
    assert [row["tag"] for row in board["runs"]] == sorted(expected, key=lambda name: -expected[name])
    assert told("validate", runs[1], "--gold", gold)["summary"]["error"] == 0


def test_what_is_no_formula_is_refused_in_a_sentence():
    for typed in (
        "0.5*", "* MicroF1", "0.5", "1 + 2", "MicroF1 +", "0.5*MicroF1 0.5*MacroF1", "MicroF1 if", "MicroF1 if MacroR",
        "if MacroR = 1", "0.5*Nonsense", "0.5*MicroF1@1..3 + 1*MacroR", "Accuracy(law)", "MicroF1(a)(b)",
        "MicroF1 if MacroR = high", "0.5*MicroF1 ++ MacroF1", "MicroF1 + + MacroF1",
    ):  # fmt: skip
        with pytest.raises(UsageError) as refused:
            parse(typed)
        assert "\n" not in str(refused.value)


def test_formulas_are_told_from_names_and_pickle():
    names = ["MicroP", "P(rel=2)@5", "nDCG(dcg='exp-log2')@10"]
    assert names_in(f" {'  '.join(names)}") == names
    typed = "0.5*MicroP + 0.5*MicroF1(law)"
    assert names_in(typed) == [typed]
    [formula] = parse(typed)
    assert pickle.loads(pickle.dumps(formula)) == formula and formula.needs == ("documents", "law")
    assert str(parse("MicroF1(documents)")[0]) == "MicroF1"
    with pytest.raises(UsageError, match="law"):  # a part that submissions do not have
        coliee_ir.evaluate({"q": ["d"]}, {"q": ["d"]}, task="1", measures="MicroF1(law)")


SPLIT = """
task = "split"
title = "labels, laws and proof"
parts = ["answers", "documents", "proof"]
measures = ["Total", "Strict", "Gated"]
[scores]
Total = "0.5*LabelAccuracy + 0.3*MacroR(proof) - 0.2*MicroF1"
Strict = "1 if LabelAccuracy = 1 and MacroR = 1"
Gated = "MacroP if MacroR >= 0.5"
[gold]
container = "json"
query = "id"
[gold.answers]
at = "label"
[gold.documents]
at = "laws"
[gold.proof]
at = "proof"
[run]
like = "gold"
"""
LABEL, LISTED = st.sampled_from("YN"), st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=3)
GOLDS = st.fixed_dictionaries(dict.fromkeys(QUERIES, st.tuples(LABEL, LISTED.filter(len), LISTED)))
RUNS = st.fixed_dictionaries(dict.fromkeys(QUERIES, st.tuples(LABEL, LISTED, LISTED)))


def scores_of(gold, run, times):
    """The three scores of a draw of queries, each so many times; NaN for one where no query has proof."""
    drawn = [query for query, n in times.items() for _ in range(n)]
    label = strict = right = both = gated = 0
    recalls = []
    for query in drawn:
        (label_g, laws_g, proof_g), (label_r, laws_r, proof_r) = gold[query], run[query]
        found = len({*laws_g} & {*laws_r})
        label += label_g == label_r
        strict += label_g == label_r and found == len(laws_g)
        right, both = right + found, both + len(laws_g) + len(laws_r)
        gated += found / len(laws_r) if 2 * found >= len(laws_g) else 0
        if proof_g:
            recalls.append(len({*proof_g} & {*proof_r}) / len(proof_g))
    recall = sum(recalls) / len(recalls) if recalls else float("nan")
    total = 0.5 * label / len(drawn) + 0.3 * recall - 0.2 * 2 * right / both
    return total, strict / len(drawn), gated / len(drawn)


@settings(max_examples=15)
@given(GOLDS, RUNS, st.lists(st.integers(0, 3), min_size=len(QUERIES), max_size=len(QUERIES)))
def test_any_draw_of_queries_has_the_score_of_a_naive_script(gold, run, drawn):
    """What resampling does: also where a part is undefined for some queries, or for all."""
    rules.protocols_by_name.clear()
    put("split.toml", SPLIT)
    files = [
        put(f"{name}.json", [dict(zip(("id", "label", "laws", "proof"), (q, *held[q]), strict=True)) for q in held])
        for name, held in (("gold", gold), ("run", run))
    ]
    scores = coliee_ir.evaluate(*files, task="split.toml")
    whole = dict.fromkeys(QUERIES, 1)
    assert list(scores.measures.values()) == pytest.approx(scores_of(gold, run, whole), abs=1e-9, nan_ok=True)
    if sum(drawn):
        expected = scores_of(gold, run, dict(zip(QUERIES, drawn, strict=True)))
        weights = np.array([drawn[QUERIES.index(query)] for query in scores.query_ids], float)
        for result, value in zip(scores.results.values(), expected, strict=True):
            terms = result.terms
            sums = (weights[:, None] * terms.each).sum(axis=0) + terms.besides
            assert float(terms.score(sums)) == pytest.approx(value, abs=1e-9, nan_ok=True)
    without = [query for query in QUERIES if not gold[query][2]]
    assert any("proof" in remark for remark in scores.remarks) == bool(without)
