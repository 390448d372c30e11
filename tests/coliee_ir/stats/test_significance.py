"""What queries add to each measure, and the t test: held to scipy."""

import math

import naive
import naive_resampling as twin
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.records import Run
from coliee_ir import Decisions
from coliee_ir.commands.compare.comparison import letter
from coliee_ir.commands.report.contents import Hardness
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Delegated, compute, everything, parse
from coliee_ir.rules.choices import CHOICES
from coliee_ir.stats.student import t_p, t_quantile, t_test
from coliee_ir.types import judge

# terms

ALL = [measure for what in everything() for measure in parse(what.name) if what.name not in ("runid", "relstring")]
FURTHER = [parse(name)[0] for name in ("MicroF2@3", "MacroF(beta=2,of=means)", "MacroR(rel=2)@2", "AP(rel=2)@5", "RR")]

all_decisions = st.fixed_dictionaries({name: st.sampled_from(choices) for name, choices in CHOICES.items()}).map(
    lambda given: Decisions(**given)
)


def check_mean(result):
    """What says that it is a mean is the mean of the queries' values."""
    if result.terms.is_mean and not math.isnan(result.value):
        assert math.isclose(result.value, np.nanmean(result.per_query), rel_tol=1e-12, abs_tol=1e-15)


@given(naive.golds, naive.run_lines(), all_decisions)
def test_what_queries_add_sums_to_the_value_of_every_measure_of_documents(gold, lines, decisions):
    judged = judge(Qrels(gold), Run(lambda: naive.blocks(lines, True, set(), set())))
    measures = [measure for measure in [*ALL, *FURTHER] if measure.needs == ("documents",)]
    results = dict(zip(measures, compute(measures, {"documents": judged}, decisions), strict=True))
    for measure, result in results.items():
        terms = result.terms
        assert terms.each.shape == (len(result.per_query), len(terms.besides))
        if math.isnan(result.value) and isinstance(measure, Delegated) and measure.request.base.startswith("num_"):
            assert terms.total == 0  # where qrels hold nothing at all, trec_eval does not even count
        else:
            assert terms.total == pytest.approx(result.value, rel=1e-12, abs=1e-15, nan_ok=True), measure
        check_mean(result)
    means = {measure.name for measure, result in results.items() if result.terms.is_mean}
    assert means.isdisjoint({"MicroP", "MicroR", "MicroF1", "num_ret", "num_q", "gm_map", "gm_bpref"})
    assert {"MacroP", "MacroF1", "map", "P_5", "ndcg", "set_F"} <= means and len(ALL) > 80


OTHERS = [
    ("Accuracy", "3"), ("LabelAccuracy", "3"), ("Accuracy", "4"), ("RationaleF1", "rationale"),
    ("PlaintiffF1", "rationale"), ("DefendantF1", "rationale"), ("PooledF1", "rationale"),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "task"), OTHERS)
@given(seed=st.integers(0, 10**6), queries=st.integers(1, 12), decisions=all_decisions)
@settings(max_examples=settings.default.max_examples // 3)
def test_what_queries_add_sums_to_the_value_of_every_other_measure(measure, task, seed, queries, decisions):
    for scores in twin.case(seed, measure, task, queries, **decisions.to_dict()).scored():
        [result] = scores.results.values()
        assert result.terms.total == pytest.approx(result.value, rel=1e-12, nan_ok=True)
        check_mean(result)
    assert {one.name for one in ALL if one.needs != ("documents",)} == {name for name, _ in OTHERS}  # none is left out


# classical tests

differences = st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.1, 0.3, 1.0]), min_size=1, max_size=40)


@given(differences)
def test_the_t_test_is_scipys(values):
    found = t_test(np.array(values))
    if len(set(values)) > 1:
        assert found == pytest.approx(scipy.stats.ttest_rel(values, np.zeros(len(values))).pvalue, rel=1e-9, abs=1e-13)
    elif values[0] == 0:
        assert found == 1.0
    else:
        assert math.isnan(found)  # and not 0, as of a t that is infinite
    assert all(math.isnan(t_test(np.array(few))) for few in ([0.5], [])) and math.isinf(t_quantile(0.975, 0))


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 7, 30, 31, 199, 200, 201, 450, 10**6])
def test_quantiles_and_probabilities_of_students_t_are_scipys(degrees):
    for p in (0.501, 0.7, 0.9, 0.975, 0.995, 0.99995):
        t = float(scipy.stats.t.ppf(p, degrees))
        assert t_quantile(p, degrees) == pytest.approx(t, rel=1e-9)
        if degrees < 1000:
            assert t_p(-t, degrees) == t_p(t, degrees) == pytest.approx(2 * (1 - p), rel=1e-9)


def test_the_letters_of_runs_are_all_different_and_never_digits():
    letters = [letter(at) for at in range(1000)]
    assert len(set(letters)) == 1000 and all(one.isalpha() and one.islower() for one in letters)
    assert letters[25:28] == ["z", "aa", "ab"]


def test_means_of_queries_that_differ_by_rounding_are_equal_and_the_next_key_decides():
    means, spreads = np.array([0.3, 0.1 + 0.2, math.nan, 0.2]), np.array([0.1, 0.5, math.nan, 0.0])
    orders = {"hardest": [3, 1, 0, 2], "differing": [1, 0, 3, 2], "given": [0, 1, 2, 3]}
    assert {key: Hardness(np.array([means]), means, spreads).order(key) for key in orders} == orders
