"""The score at every cutoff equals the measure asked for at that cutoff."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_ir import Decisions, Evaluator
from coliee_ir.measures import parse
from coliee_ir.stats.cutting import at_cutoffs, is_cut

RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "extra"]), st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1
)
GOLD = {"q1": ["a", "b"], "q2": ["c"], "q3": ["a", "f"]}


@given(
    RUNS, st.sampled_from(["ignore", "wrong"]), st.sampled_from(["once", "wrong"]), st.sampled_from(["zero", "skip"])
)
def test_every_cutoff_is_what_the_measure_at_it_says(run, extra, twice, no):
    if not any(run.get(query) for query in GOLD):
        return
    decisions = Decisions(extra_queries=extra, duplicates=twice, unanswered=no)
    names = ["MicroF1", "MicroP", "MicroR", "MacroF2", "MacroP", "MacroR"]
    asked = [f"{name}@{k}" for name in names for k in range(1, 5)]
    scores = Evaluator(GOLD, asked, task="1", decisions=decisions).evaluate(run, keep_judged=True)
    for name in names:
        [measure] = parse(name)
        assert is_cut(measure)
        values = at_cutoffs(measure, scores.judged["documents"], 4, decisions).values
        for k, value in enumerate(values.tolist(), start=1):
            expected = scores.measures[f"{name}@{k}"]
            assert value == pytest.approx(expected) or (math.isnan(value) and math.isnan(expected))
