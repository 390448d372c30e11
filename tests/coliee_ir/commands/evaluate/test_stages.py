"""Stages: recall of the first k documents, and the ceiling of a reranker, checked by brute force over its choices."""

import csv
import itertools
import json

import pytest
from asserting import done
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from coliee_adapters.errors import UsageError
from coliee_ir import Evaluator, evaluate
from coliee_ir.commands.evaluate.details import depths, stages

GOLD = {"1": {"a": 1, "b": 2}, "2": {"c": 1}}
RUNS = st.fixed_dictionaries({"1": st.permutations("abcx"), "2": st.permutations("cdex")})


def chosen(documents):
    """Every way to choose documents and put them in an order."""
    return [list(way) for n in range(len(documents) + 1) for way in itertools.permutations(documents, n)]


@settings(max_examples=settings.default.max_examples // 4)
@given(RUNS, st.integers(1, 2), st.sampled_from(["MicroF1", "MacroF2", "AP", "nDCG", "recip_rank", "MicroF(rel=2)"]))
def test_no_reranker_is_better_than_the_ceiling_and_one_reaches_it(run, k, measure):
    evaluator = Evaluator(GOLD, measure, task="trec")
    scores = evaluator.evaluate(run, keep_judged=True)
    [asked] = scores.results
    ways = list(itertools.product(chosen(run["1"][:k]), chosen(run["2"][:k])))
    # a query without documents counts as in evaluate: it is given one that no query has
    reached = [
        evaluator.evaluate({"1": one or ["y"], "2": other or ["y"]}).measures[asked.name]
        for one, other in ways[:: max(len(ways) // 8, 1)]
    ]
    [[stage]] = stages([scores], [k]).rows
    best = stage.ceiling
    assert all(value <= best + 1e-9 or value != value for value in reached)
    perfect = {
        q: sorted(
            (d for d in run[q][:k] if GOLD[q].get(d, 0) >= getattr(asked, "rel", 1)), key=lambda d, q=q: -GOLD[q][d]
        )
        for q in GOLD
    }
    if any(perfect.values()):
        assert best == approx(evaluator.evaluate(perfect).measures[asked.name], nan_ok=True)


def test_the_table_has_the_recall_that_evaluate_has():
    run = {"1": ["x", "a", "b"], "2": ["d", "c"]}
    scores = Evaluator(GOLD, "MicroF1", task="trec").evaluate(run, keep_judged=True)
    found = stages([scores], [1, 2, 3])
    assert [one["k"] for one in found.to_dict()["runs"][0]["stages"]] == found.to_frame()["k"].tolist() == [1, 2, 3]
    for k, documents, micro, macro, _ in found.rows[0]:
        expected = evaluate(GOLD, run, task="trec", measures=[f"MicroR@{k}", f"MacroR@{k}"]).measures
        assert [micro, macro] == approx(list(expected.values()))
        assert documents == approx(sum(min(len(ranking), k) for ranking in run.values()) / 2)


def test_stages_of_several_runs_are_one_table(tmp_path, call):
    (tmp_path / "gold.json").write_text('{"000001": ["000002", "000003"]}')
    (tmp_path / "a.txt").write_text("000001 000002 A\n000001 000009 A\n000001 000003 A\n")
    (tmp_path / "b.txt").write_text("000001 000009 B\n")
    given_ = ("evaluate", tmp_path / "gold.json", tmp_path / "a.txt", tmp_path / "b.txt", "--task", "1")
    out, _ = done(call, *given_, "--show", "stages=1,2..3", "-f", "csv")
    rows = [(row["run"], row["k"], float(row["MicroR"]), float(row["ceiling MicroF1"] or 0))
            for row in csv.DictReader(out.splitlines())]  # fmt: skip
    assert rows == [("A", "1", 0.5, approx(2 / 3)), ("A", "2", 0.5, approx(2 / 3)), ("A", "3", 1, 1),
                    ("B", "1", 0, 0), ("B", "2", 0, 0), ("B", "3", 0, 0)]  # fmt: skip
    code, out, _ = call(*given_, "--show", "stages=1,2..3", "-f", "json")
    held = json.loads(out)
    assert (code, held["measure"]) == (0, "MicroF1")
    assert [(run["tag"], str(one["k"]), one["micro_recall"], approx(one["ceiling"] or 0))
            for run in held["runs"] for one in run["stages"]] == rows  # fmt: skip
    for wrong in (["stages=0"], ["stages=5..1"], ["gap=3"], ["stages", "-q"], ["stages", "-f", "trec"]):
        assert call(*given_, "--show", *wrong)[:2] == (2, "")


def test_depths_rise_and_answers_have_none(tmp_path, call):
    assert depths("10,1..3,2") == [1, 2, 3, 10]
    for text in ("", "a", "1..", "3..1", "0", "1,,2", "1..5000"):
        with pytest.raises(UsageError):
            depths(text)
    (tmp_path / "gold.txt").write_text("R07-01-A Y\n")
    (tmp_path / "run.txt").write_text("R07-01-A Y T\n")
    assert call("evaluate", tmp_path / "gold.txt", tmp_path / "run.txt", "--show", "stages")[0] == 2
