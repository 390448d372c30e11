"""The error rates of the tests, quickly: seeded, with fewer pairs than ``python -m benchmarks.error_rates`` draws."""

from __future__ import annotations

import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks import error_rates
from benchmarks.error_rates import System

DOCS = (Path(__file__).parent.parent / "docs" / "error-rates.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def equals() -> dict[str, tuple[System, System]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_rates, "_MANY", 50_000)
        return error_rates.equals()


@pytest.mark.explore
def test_equal_systems_are_equal(equals: dict[str, tuple[System, System]]) -> None:
    for a, b in equals.values():
        drawn = error_rates.draw(np.random.default_rng(5), 200_000, a, b)  # not the draws that made them equal
        ours, theirs = (float(error_rates.f1(counts.sum(axis=0))) for counts in drawn)
        assert abs(ours - theirs) < 0.004
        assert 0.3 < ours < 0.45
    assert [error_rates.true_difference(a, b) > 0 for a, b in error_rates.better()] == [True] * 4


@pytest.mark.explore
def test_of_equal_runs_no_more_are_rejected_than_the_level_says(equals: dict[str, tuple[System, System]]) -> None:
    low, high = error_rates.bounds(200)
    assert (low, high) == tuple(np.array(stats.binom.interval(0.99, 200, 0.05)) / 200)
    habits = error_rates.abstaining(0.25, 0.8, 3, 0.64)
    for model in (error_rates.of_systems(*equals["one returns less, and finds less"]), habits):
        found = error_rates.rates(model, 100, 200, 1)
        assert low <= found["randomisation, studentised"] <= high
        assert found["interval holds the truth"] == pytest.approx(1 - found["randomisation, studentised"])
    assert found["not studentised"] > 0.2


def test_the_test_without_a_standard_error_is_nelevals_on_both_sides() -> None:
    """neleval/significance.py at 0294086: F1 of sums of documents swapped at random, (hits + 1) / (trials + 1)."""
    random = np.random.default_rng(2)
    a, b = error_rates.abstaining(0.5, 0.6, 2, 0.6)(random, 12)
    [swaps] = error_rates.resampling.swaps(7, error_rates.TRIALS, 12)

    def f(rows: list[list[float]]) -> float:  # 2 · correct, and retrieved + relevant
        return sum(row[0] for row in rows) / sum(row[1] for row in rows)

    base, hits = f(a.each.tolist()) - f(b.each.tolist()), 0
    for swapped in swaps:
        pairs = [(y, x) if s else (x, y) for x, y, s in zip(a.each.tolist(), b.each.tolist(), swapped, strict=True)]
        after = f([x for x, _ in pairs]) - f([y for _, y in pairs])
        hits += after >= abs(base) or after <= -abs(base)
    assert error_rates.plain(a, b, 7) == pytest.approx((hits + 1) / (error_rates.TRIALS + 1))


@pytest.mark.explore
def test_the_t_test_on_the_queries_f1_finds_differences_of_micro_f1_that_are_not_there(
    equals: dict[str, tuple[System, System]],
) -> None:
    *_, (a, b) = equals.values()
    assert error_rates.t_rejections(a, b, 400, 60, 1) > 0.3


@pytest.mark.explore
def test_what_is_there_is_found_as_often_as_the_normal_approximation_says() -> None:
    a, b = error_rates.better()[-1]
    error = error_rates.detectable_micro(100) / error_rates.detectable_mean(1, 1.0)
    expected = stats.norm.sf(1.96 - error_rates.true_difference(a, b) / error)
    found = error_rates.rates(error_rates.of_systems(a, b), 100, 150, 1)
    assert 0.4 < expected < 0.8
    assert abs(found["randomisation, studentised"] - expected) < 3 * math.sqrt(expected * (1 - expected) / 150)


@pytest.mark.explore
def test_alternatives_are_better_by_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_rates, "_MANY", 50_000)
    for model in error_rates.alternatives().values():
        a, b = model(np.random.default_rng(3), 60_000)
        assert b.total - a.total == pytest.approx(0.05, abs=0.015)


@pytest.mark.explore
def test_intervals_are_counted_against_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    for size, value in {"_MANY": 5000, "_YEARS": 100}.items():
        monkeypatch.setattr(error_rates, size, value)
    some = error_rates.held_by_scores(next(iter(error_rates.scores().values())), 60, 20, 1)
    assert min(some.ours, some.bca) > 0.7
    assert 0.1 < some.width_bca < some.width < 0.3
    assert min(error_rates.held_at_once(60, 6, 1, False)) > 0.6
    low, middle, high = error_rates.planned(60, 4, 1, False)
    assert 0.5 < low <= middle <= high < 2


def test_the_docs_show_what_is_computed() -> None:
    assert error_rates.accuracy_table() in DOCS
    means = [line.split(" | ")[:4] for line in error_rates.mean_table().splitlines()]
    shown = [line.split(" | ")[:4] for line in DOCS.splitlines()]
    assert all(row in shown for row in means)
    low, high = map(error_rates.percent, error_rates.bounds(1000))
    assert f"between {low} and {high}" in DOCS


def test_the_rates_in_the_docs_keep_to_their_bounds() -> None:
    rows = [line.strip("| ").split(" | ") for line in DOCS.splitlines() if re.search(r"(\| [0-9.]+% ){4}\|$", line)]
    shown = {
        (row[0], row[1]): [float(rate.rstrip("%")) / 100 for rate in row[2:]]
        for row in rows
        if row[1].isdigit() and not row[0].isdigit()
    }
    assert len(shown) == 2 * 8
    for (name, _), (studentised, plain, holds, _) in shown.items():
        if name == "accuracy, questions in groups of three":
            assert studentised > 0.1
        elif "--groups" not in name:
            assert 0.03 <= studentised <= 0.08
            assert 0.92 <= holds <= 0.97
        if "a quarter" in name:
            assert plain > 0.2
    of_boards = re.compile(r"\| \d+ (\| [0-9.]+% ){4}\|")
    boards = [line.strip("| ").split(" | ") for line in DOCS.splitlines() if of_boards.fullmatch(line)]
    assert [int(row[0]) for row in boards] == list(error_rates.BOARDS)
    assert all(float(rate.rstrip("%")) <= 8 for row in boards for rate in row[1:])


@pytest.mark.explore
def test_the_program_prints_every_table(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_rates, "_MANY", 2000)
    for size, value in {"_YEARS": 20, "BOARDS": (2, 3), "SIZES": (30, 40)}.items():
        monkeypatch.setattr(error_rates, size, value)
    assert error_rates.main(["--pairs", "2", "--boards", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("\n| ---") == 10
    assert error_rates.accuracy_table() in printed
