"""The simulation behind docs/tuning.md, on small worlds."""

import pytest

from benchmarks import held_out
from coliee_ir import cut, evaluate
from coliee_ir.commands.tune import Rule

pytestmark = pytest.mark.explore


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(held_out, "FRESH", 300)


def test_the_truth_is_what_the_rule_scores_on_the_fresh_queries():
    fresh = held_out.world(5, held_out.FRESH)
    known = held_out.truth(5, "MicroF1")
    for rule in (Rule("k", 2), Rule("score", 6.5), Rule("ratio", 0.9, 1, 4)):
        scores = evaluate(fresh.gold, cut(fresh.run, rule), task="trec", measures="MicroF1")
        assert known.score(rule) == pytest.approx(scores.measures["MicroF1"])


def test_a_row_sums_up_its_worlds():
    some = [held_out.Outcome(0.5, 0.6, *fitted, 0.50, 0.42, 0.43) for fitted in ((0.40, 0.30), (0.44, 0.43))]
    assert held_out.row(25, some) == "| 25 | 0.500 | 0.600 | 0.420 | 0.420 (0.430) | +0.000 ± 0.020 | 0.135 | 50% |"
