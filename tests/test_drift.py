"""The simulation of years that drift, on small worlds: chosen on earlier years is nearer to the truth than folds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import drift, held_out


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_out, "FRESH", 500)


def test_where_years_drift_later_queries_are_nearer_to_the_truth() -> None:
    known = held_out.truth(1, "MicroF1", 5 + 1.5 * drift.SD * drift.YEARS)
    drawn = [drift.outcome(seed, 12, 1.5, known) for seed in range(4)]
    for one in drawn:
        assert one.true < one.forward < one.folds


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    some = [drift.Outcome(0.4, 0.3, 0.5, 0.3, 0.2, 0.4, 0.3), drift.Outcome(0.4, 0.35, 0.5, 0.2, 0.1, 0.25, 0.3)]
    assert drift.row(0.5, some) == "| 0.5 | 0.300 | 0.400 | 0.250 | 0.100 | 0.071 | 50% | 50% |"
    assert drift.main(["--drift", "0", "--worlds", "1", "--queries", "4"]) == 0
    assert [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines()] == ["drift", "---:", "0"]
