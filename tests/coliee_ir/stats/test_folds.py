"""What is said of held-out scores, and of the best of several: written out in plain Python."""

import math

import naive_resampling as twin
import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from naive_resampling import at_random

from coliee_ir.measures.base import of_mean
from coliee_ir.stats import folds, paired
from coliee_ir.stats.resampling import Resampling


@given(st.integers(0, 10**6), st.integers(3, 15), st.integers(1, 3), st.integers(2, 6))
def test_a_held_out_difference_is_that_of_pseudo_values_with_the_error_and_the_degrees_of_folds(seed, n, repeats, k):
    made = [at_random(seed + repeat, n) for repeat in range(repeats)]
    runs = [folds.averaged([pair[at].each for pair in made], made[0][at].score, False) for at in (0, 1)]
    a, b = runs
    for at, run in enumerate([a, b]):
        assert run.total == pytest.approx(np.mean([pair[at].total for pair in made]))
        spread = folds.spread(run, repeats, made[0][0].score)
        assert spread == (None if repeats == 1 else pytest.approx(np.std([pair[at].total for pair in made], ddof=1)))
        if repeats > 1:
            without = np.array([run.score(np.delete(run.each, place, axis=0).sum(axis=0)) for place in range(n)])
            runs[at] = of_mean(run.total - (n - 1) * (without - without.mean()))
    board = paired.Board(runs)
    [test] = paired.tested(board, [(0, 1)], Resampling())
    found, as_great = folds.difference(a, b, k), math.sqrt(1 + k / (k - 1))
    times = as_great * scipy.stats.t.ppf(0.975, k - 1) / scipy.stats.norm.ppf(0.975)
    assert (found.value, found.error) == pytest.approx((a.total - b.total, as_great * test.error))
    assert folds.standard_error(a, b) == pytest.approx(test.error)
    wanted = np.clip([found.value + times * (end - found.value) for end in test.interval], -board.span, board.span)
    assert found.interval == pytest.approx(wanted, nan_ok=True)
    assert folds.difference(a, a, k) == (0, 0, (0, 0)) and folds.standard_error(a, a) == 0


@given(st.integers(0, 10**6), st.integers(2, 9), st.integers(1, 3))
def test_the_best_of_several_is_scored_where_it_was_not_picked(seed, n, runs):
    made, outside = at_random(seed, n, runs), []
    for drawn in twin.draws(seed, 60, n):
        rest = [query for query in range(n) if query not in drawn]
        inside = [round(run.score(run.each[drawn].sum(axis=0)).item(), 9) for run in made]
        best = [run for run, score in zip(made, inside, strict=True) if score == max(inside)]
        if rest:
            outside.append(np.mean([run.score(run.each[rest].sum(axis=0)) for run in best]))
    found = folds.best_of(made, 60, seed)
    if outside:
        assert found.score == pytest.approx(min(np.mean(outside), max(run.total for run in made)))
        assert found.interval == pytest.approx(np.quantile(outside, [0.025, 0.975]))
    assert all(map(math.isnan, (folds.best_of([], 60, seed).score, *folds.best_of([], 60, seed).interval)))
