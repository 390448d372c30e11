"""Places and rank sets, held to what their docstrings say."""

import math
from unittest.mock import Mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coliee_ir.commands.leaderboard.board import order_key, places
from coliee_ir.scoring.score_tables import ExternalMeasure
from coliee_ir.stats.paired import Ranks, rank_sets


@given(st.lists(st.integers(0, 5), max_size=12))
def test_a_place_is_one_more_than_how_many_are_better(values):
    ordered = sorted(values, reverse=True)
    assert places([(float(v),) for v in ordered]) == [1 + sum(other > v for other in ordered) for v in ordered]


def test_rounding_errors_make_no_places_and_less_may_be_better():
    pairs = ((0.1 + 0.2, 0.1), (0.3, 0.1), (0.3, 0.2), (math.nan, 0.1), (0.0, 0.1))
    measures = ExternalMeasure("A"), ExternalMeasure("B")
    results = ({one: Mock(value=value) for one, value in zip(measures, pair, strict=True)} for pair in pairs)
    one, same, better, none, zero = (order_key(Mock(results=each), ["B"]) for each in results)
    assert none < zero < one == same < better
    assert order_key(Mock(results={ExternalMeasure("wer", lower=True): Mock(value=0.2)}), []) == (-0.2,)


@st.composite
def tables(draw):
    """Scores of runs, and of each pair whether the one is found to be better."""
    scores = draw(st.lists(st.integers(0, 4), min_size=1, max_size=7))
    row = st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))
    return sorted(map(float, scores), reverse=True), draw(st.lists(row, min_size=len(scores), max_size=len(scores)))


@given(tables(), st.integers(0, 2))
def test_rank_sets_hold_the_rank_and_are_those_of_the_definition(table, without):
    scores, drawn = table
    n = len(scores)
    better = np.array(drawn) & (np.array(scores)[:, None] > np.array(scores))
    padded = np.zeros((n + without, n + without), dtype=np.bool_)
    padded[:n, :n] = better
    found = rank_sets([*scores, *[math.nan] * without], padded)
    assert found[n:] == [(0, 0)] * without
    for at, (best, worst) in enumerate(found[:n]):
        assert 1 <= best <= 1 + sum(score > scores[at] for score in scores)
        assert n >= worst >= n - sum(score < scores[at] for score in scores)
        assert best == min(1 + better[:, other].sum() for other in range(n) if scores[other] <= scores[at])
        assert worst == max(n - better[other].sum() for other in range(n) if scores[other] >= scores[at])


def test_a_set_is_written_as_a_range():
    assert [str(ranks) for ranks in (Ranks(1, 7), Ranks(2, 2), Ranks(0, 0))] == ["1–7", "2", "-"]
