"""The error rates of the tests, quickly: seeded, with fewer pairs than ``python -m benchmarks.error_rates`` draws."""

import math
import re

import numpy as np
import pytest
import scipy
from places import ROOT

from benchmarks import error_rates

TABLES, DOCS = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("benchmarks/error-rates.md", "docs/error-rates.md")
)


@pytest.fixture(scope="module")
def equals():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(error_rates, "MANY", 50_000)
        return error_rates.equals()


@pytest.mark.explore
def test_equal_systems_are_equal(equals):
    for a, b in equals.values():
        drawn = error_rates.draw(np.random.default_rng(5), 200_000, a, b)  # not the draws that made them equal
        ours, theirs = (float(error_rates.f1(counts.sum(axis=0))) for counts in drawn)
        assert abs(ours - theirs) < 0.004
        assert 0.3 < ours < 0.45
    assert [error_rates.true_difference(a, b) > 0 for a, b in error_rates.better()] == [True] * 4


@pytest.mark.explore
def test_of_equal_runs_no_more_are_rejected_than_the_level_says(equals):
    low, high = error_rates.bounds(200)
    assert (low, high) == tuple(np.array(scipy.stats.binom.interval(0.99, 200, 0.05)) / 200)
    habits = error_rates.abstaining(0.25, 0.8, 3, 0.64)
    for model in (error_rates.of_systems(*equals["one returns less, and finds less"]), habits):
        found, plain = error_rates.rates(model, 100, 200, 1)
        assert low <= found <= high
    assert plain > 0.2
    *_, (a, b) = equals.values()  # where a t-test on the queries' F1 finds differences of MicroF1 that are not there
    assert error_rates.t_rejections(a, b, 400, 60, 1) > 0.3


def test_the_test_without_a_standard_error_is_nelevals_on_both_sides():
    """neleval/significance.py at 0294086: F1 of sums of documents swapped at random, (hits + 1) / (trials + 1)."""
    random = np.random.default_rng(2)
    a, b = error_rates.abstaining(0.5, 0.6, 2, 0.6)(random, 12)
    [swaps] = error_rates.resampling.swaps(7, error_rates.TRIALS, 12)

    def f(rows):  # 2 · correct, and retrieved + relevant
        return sum(row[0] for row in rows) / sum(row[1] for row in rows)

    base, hits = f(a.each.tolist()) - f(b.each.tolist()), 0
    for swapped in swaps:
        pairs = [(y, x) if s else (x, y) for x, y, s in zip(a.each.tolist(), b.each.tolist(), swapped, strict=True)]
        after = f([x for x, _ in pairs]) - f([y for _, y in pairs])
        hits += after >= abs(base) or after <= -abs(base)
    assert error_rates.plain(a, b, 7) == pytest.approx((hits + 1) / (error_rates.TRIALS + 1))


@pytest.mark.explore
def test_what_is_there_is_found_as_often_as_the_normal_approximation_says():
    a, b = error_rates.better()[-1]
    error = error_rates.detectable_micro(100) / error_rates.detectable_mean(1, 1.0)
    expected = scipy.stats.norm.sf(1.96 - error_rates.true_difference(a, b) / error)
    found, _ = error_rates.rates(error_rates.of_systems(a, b), 100, 150, 1)
    assert 0.4 < expected < 0.8
    assert abs(found - expected) < 3 * math.sqrt(expected * (1 - expected) / 150)


@pytest.mark.explore
def test_alternatives_are_better_by_what_they_say_and_intervals_are_counted_against_the_truth(monkeypatch):
    monkeypatch.setattr(error_rates, "MANY", 50_000)
    for model in error_rates.alternatives().values():
        a, b = model(np.random.default_rng(3), 60_000)
        assert b.total - a.total == pytest.approx(0.05, abs=0.015)
    monkeypatch.setattr(error_rates, "MANY", 5000)
    assert 0.7 < error_rates.held_by_scores(next(iter(error_rates.scores().values())), 60, 20, 1) <= 1


def test_the_docs_show_what_is_computed():
    assert error_rates.accuracy_table() in DOCS
    assert error_rates.accuracy_table() in TABLES
    means, shown = (
        [line.split(" | ")[:4] for line in text.splitlines()] for text in (error_rates.mean_table(), TABLES)
    )
    assert all(row in shown for row in means)


def test_the_rates_of_the_summary_are_in_the_tables():
    shown = {float(rate) for rate in re.findall(r"([\d.]+)%", TABLES)}
    shown |= {float(rate) for rate in re.findall(r"(\d+) \(\d+\), \d\.", TABLES)}  # of intervals, in columns of %
    shown |= {round(100 - rate, 1) for rate in shown}
    rows = [line.split(" | ")[1] for line in DOCS.splitlines() if re.match(r"\| .* \| .*%.* \|$", line)]
    rates = [float(rate) for row in rows for rate in re.findall(r"([\d.]+)%", row)]
    assert len(rates) > 20
    assert set(rates) <= shown


def test_the_rates_in_the_docs_keep_to_their_bounds():
    rows = [line.strip("| ").split(" | ") for line in TABLES.splitlines() if line.startswith("| ")]
    levels = {row[0]: row[1:] for row in rows[: rows.index(["one is better, by .05 if not said", *rows[0][1:]])]}
    for name, cells in levels.items():
        for cell, queries in zip(cells, error_rates.SIZES, strict=True):
            least = 400 if "is better in these" in name else 50  # which the docs tell
            if queries >= least and "%" in cell and "accuracy" not in name:
                assert 1 <= float(cell.split("%")[0]) <= 9  # of 300 pairs
    boards = [row for row in rows if row[0].isdigit() and len(row) == 7]
    assert [int(row[0]) for row in boards] == list(error_rates.BOARDS)
    assert all(float(rate.rstrip("%")) <= 10 for row in boards for rate in row[1:])
