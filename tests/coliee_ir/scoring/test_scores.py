import pytest
from asserting import heard, matches

from coliee_ir import evaluate

GOLD = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}, "q3": {}}
RUN = {"q1": ["a", "x"], "q9": ["a"]}


@pytest.fixture
def scores():
    return evaluate(GOLD, RUN, task="1", measures=["MicroF1", "MacroR", "map"])


def test_values_stand_under_the_names_of_their_measures(scores):
    assert scores.measures == {"MicroF1": 2 / (2 + 3), "MacroR": 0.25, "map": 0.25}
    assert scores.counts == {"correct": 1, "retrieved": 2, "relevant": 3}
    assert scores.queries == {"judged": 3, "answered": 1, "unanswered": 2, "extra": 1}
    assert matches(heard(scores.header()), "3 queries: 1 answered, 2 unanswered")
    assert scores.per_query == {
        "q1": {"MicroF1": 0.5, "MacroR": 0.5, "map": 0.5},
        "q2": {"MicroF1": 0.0, "MacroR": 0.0, "map": 0.0},
        "q3": {"MicroF1": 0.0},
    }
    assert scores.to_dict()["remark_kinds"] == [remark.kind for remark in scores.remarks]
    assert len(scores.remarks) == 4
