"""Which score tells what a threshold is worth next year, if years differ: cross-validated, or ``tune --forward year``?

    python -m benchmarks.drift [--drift D…] [--worlds N] [--queries N] [--seed N]

A world has five years of queries, made as in ``benchmarks.held_out``; from year to year the level of the scores rises
by D standard deviations of the level among the queries of a year. A threshold on the score is tuned on the five years;
the truth is what it scores on a large sample of the sixth. A row is a mean over worlds: both estimates, the truth, by
how much they are off (root mean square), and how often their 95% interval holds the truth.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks import held_out
from benchmarks.held_out import Truth, World
from coliee_ir import tune

YEARS = 5
FIRST = 2020
SD = 0.5  # of the level among the queries of a year


class Outcome(NamedTuple):
    """What came of one world."""

    folds: float
    folds_low: float
    folds_high: float
    forward: float
    forward_low: float
    forward_high: float
    true: float


def world(seed: int, queries: int, drift: float) -> World:
    """Five years of so many queries each."""
    gold: dict[str, list[str]] = {}
    run: dict[str, dict[str, float]] = {}
    for year in range(YEARS):
        drawn = held_out.world(seed * YEARS + year, queries, 5 + drift * SD * year)
        gold |= {f"{FIRST + year}-{query}": relevant for query, relevant in drawn.gold.items()}
        run |= {f"{FIRST + year}-{query}": ranking for query, ranking in drawn.run.items()}
    return World(gold, run)


def outcome(seed: int, queries: int, drift: float, known: Truth) -> Outcome:
    """Tune on one world, and look up what the rule is worth the year after."""
    drawn = world(seed, queries, drift)
    tuning = tune(
        drawn.gold, drawn.run, task="trec", maximise="MicroF1", by="score", floor=0, cap=held_out.DEPTH,
        forward="year", repeats=2, seed=seed,
    )  # fmt: skip
    assert tuning.forward is not None
    return Outcome(
        tuning.held_out, *tuning.interval, tuning.forward.score, *tuning.forward.interval, known.score(tuning.rule)
    )


def row(drift: float, outcomes: Sequence[Outcome]) -> str:
    """A row of the table."""
    folds, folds_low, folds_high, forward, low, high, true = np.array(outcomes).T

    def off(estimate: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return float(np.sqrt(np.mean((estimate - true) ** 2)))

    covered = [float(np.mean((a <= true) & (true <= b))) for a, b in ((folds_low, folds_high), (low, high))]
    return (
        f"| {drift:g} | {true.mean():.3f} | {folds.mean():.3f} | {forward.mean():.3f} "
        f"| {off(folds):.3f} | {off(forward):.3f} | {covered[0]:.0%} | {covered[1]:.0%} |"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drift", description=__doc__.partition("\n")[0])
    parser.add_argument("--drift", type=float, nargs="+", default=[0, 0.25, 0.5, 1], metavar="D")
    parser.add_argument("--worlds", type=int, default=100, metavar="N", help="for each drift")
    parser.add_argument("--queries", type=int, default=40, metavar="N", help="of each year")
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args(arguments)
    print("| drift | true MicroF1 | folds | forward | off: folds | forward | covered: folds | forward |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for drift in options.drift:
        known = held_out.truth(options.seed, "MicroF1", 5 + drift * SD * YEARS)
        drawn = [outcome(options.seed + 1 + at, options.queries, drift, known) for at in range(options.worlds)]
        print(row(drift, drawn), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
