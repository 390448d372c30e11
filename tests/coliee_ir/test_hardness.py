"""How hard queries are: ties of sums of the same numbers, and borders of bins."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coliee_ir.commands.report.hardness import Hardness, by_relevant


def test_means_that_differ_by_rounding_are_equal_and_the_next_key_decides() -> None:
    means, spreads = np.array([0.3, 0.1 + 0.2, math.nan, 0.2]), np.array([0.1, 0.5, math.nan, 0.0])
    hard = Hardness(np.array([means]), means, spreads)
    assert hard.order("hardest") == [3, 1, 0, 2]
    assert hard.order("differing") == [1, 0, 3, 2]
    assert hard.order("given") == [0, 1, 2, 3]


@pytest.mark.parametrize(("values", "bin_of"), [((0.1, 0.3, 0.5), 3), ((1.0,), 9), ((0.2999,), 2), ((0.0,), 0)])
def test_a_mean_that_rounding_puts_below_a_border_is_in_the_bin_above(values: tuple[float, ...], bin_of: int) -> None:
    held: Any = SimpleNamespace(
        board=SimpleNamespace(relevant=np.array([1])), has_documents=True, names=["A", "B"],
        values=np.array(values)[:, None] - 1e-16, measure=SimpleNamespace(name="F1"),
    )  # fmt: skip
    figure = by_relevant(held)
    assert figure is not None
    [rows] = figure.chart["datasets"].values()
    assert [row["low"] for row in rows if row["queries"]] == [bin_of / 10]
