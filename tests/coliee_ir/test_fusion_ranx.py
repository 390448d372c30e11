"""ranx as oracle, where it is installed (`pip install coliee-ir[bench]`)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from coliee_ir import fuse
from coliee_ir.commands.convert import to_run

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    ranx: Any = pytest.importorskip("ranx", reason="ranx, the oracle of fusion, is not installed")

pytestmark = pytest.mark.filterwarnings("ignore")  # numba's own

#: ours → theirs
METHODS = {"combsum": "sum", "combmnz": "mnz"}
NORMS = {"min-max": "min-max", "max": "max", "zscore": "zmuv", "borda": "borda"}


def drawn(n: int, queries: int = 20) -> list[dict[str, dict[str, float]]]:
    """Runs without ties, of the same queries: where they are at home."""
    rng = np.random.default_rng(n)
    return [
        {
            f"q{q}": {f"d{d}": float(s) for d, s in zip(rng.choice(40, 15, replace=False), rng.random(15), strict=True)}
            for q in range(queries)
        }
        for _ in range(n)
    ]


def theirs(runs: list[dict[str, dict[str, float]]], **options: Any) -> dict[str, dict[str, float]]:
    fused = ranx.fuse([ranx.Run(run) for run in runs], **options).to_dict()
    return {query: dict(ranking) for query, ranking in fused.items()}


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("method", METHODS)
def test_scores_agree(method: str, norm: str, n: int) -> None:
    runs = drawn(n)
    expected = theirs(runs, norm=NORMS[norm], method=METHODS[method])
    ours = to_run(fuse(*runs, method=method, norm=norm))
    assert {query: pytest.approx(ranking, abs=1e-12) for query, ranking in ours.items()} == expected


def test_reciprocal_ranks_and_weighted_sums_agree() -> None:
    runs = drawn(3)
    for ours, options in (
        (fuse(*runs), {"method": "rrf", "params": {"k": 60}}),
        (fuse(*runs, method="combsum", weights=[0.5, 0.3, 0.2]),
         {"method": "wsum", "norm": "min-max", "params": {"weights": (0.5, 0.3, 0.2)}}),
    ):  # fmt: skip
        expected = theirs(runs, **options)
        assert {query: pytest.approx(ranking, abs=1e-9) for query, ranking in to_run(ours).items()} == expected
