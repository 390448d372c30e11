"""How hard queries are: ties of sums of the same numbers."""

import math

import numpy as np

from coliee_ir.commands.report.figures import Hardness


def test_means_that_differ_by_rounding_are_equal_and_the_next_key_decides():
    means, spreads = np.array([0.3, 0.1 + 0.2, math.nan, 0.2]), np.array([0.1, 0.5, math.nan, 0.0])
    hard = Hardness(np.array([means]), means, spreads)
    assert hard.order("hardest") == [3, 1, 0, 2]
    assert hard.order("differing") == [1, 0, 3, 2]
    assert hard.order("given") == [0, 1, 2, 3]
