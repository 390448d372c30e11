"""Places and groups, held to what their docstrings say."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coliee_ir.commands.leaderboard.standing import groups, key_of, places
from coliee_ir.measures.base import Terms, of_mean
from coliee_ir.stats import resampling
from coliee_ir.stats.corrections import corrected
from coliee_ir.stats.settings import Resampling


def runs_of(rights: list[int], queries: int) -> list[Terms]:
    """Runs that are right on the first so many questions."""
    return [of_mean((np.arange(queries) < right).astype(float)) for right in rights]


@given(st.lists(st.integers(0, 5), max_size=12))
def test_a_place_is_one_more_than_how_many_are_better(values: list[int]) -> None:
    ordered = sorted(values, reverse=True)
    assert places([(float(v),) for v in ordered]) == [1 + sum(other > v for other in ordered) for v in ordered]


def test_rounding_errors_make_no_places() -> None:
    assert key_of([0.1 + 0.2]) == key_of([0.3])
    assert key_of([0.3, 0.2]) > key_of([0.3, 0.1])
    assert key_of([math.nan]) < key_of([0.0])


@given(st.lists(st.integers(0, 12), min_size=1, max_size=6), st.integers(0, 3))
def test_each_run_is_worse_than_the_leader_of_every_group_before_and_not_than_its_own(
    rights: list[int], seed: int
) -> None:
    runs = runs_of(sorted(rights, reverse=True), 12)
    found = groups(runs, Resampling(99, seed), "none")
    leaders = {group: found.index(group) for group in sorted(set(found))}
    assert sorted(leaders) == list(range(1, len(leaders) + 1))
    for at, group in enumerate(found):
        for earlier in range(1, group + 1):
            leader = leaders[earlier]
            p = resampling.randomised(runs, [(leader, at)], 99, seed)[0] if leader != at else 1.0
            worse = p < 0.05 and runs[at].total < runs[leader].total
            assert worse == (earlier < group)


def test_the_correction_is_for_the_runs_that_a_leader_is_compared_with() -> None:
    runs = runs_of([40, 34, 34, 34, 34], 40)
    p = resampling.randomised(runs, [(0, at) for at in range(1, 5)], 999, 1)
    assert (p < 0.05).all()
    assert (corrected(p, "holm") > 0.05).all()
    assert groups(runs, Resampling(999, 1), "none") == [1, 2, 2, 2, 2]
    assert groups(runs, Resampling(999, 1), "holm") == [1] * 5


def test_runs_of_a_group_need_not_stand_together() -> None:
    # the second is wrong only where the first is right too; the third is right elsewhere, and the test finds less
    first, second, third = (np.zeros(30) for _ in range(3))
    first[:20] = second[:12] = third[13:24] = 1
    found = groups([of_mean(values) for values in (first, second, third)], Resampling(999, 1), "none")
    assert found == [1, 2, 1]


def test_a_run_without_a_score_is_in_no_group() -> None:
    nothing = of_mean(np.full(4, np.nan))
    assert groups([*runs_of([4], 4), nothing], Resampling(9, 1), "holm") == [
        1,
        0,
    ]
