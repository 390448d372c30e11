"""How often the tests of ``coliee-ir compare`` err, and what they can find, as tables in Markdown.

    python -m benchmarks.error_rates [--pairs N] [--seed N]

Pairs of systems are drawn from a model of Task 1, in which the truth is known. A query has 4.4 relevant cases on
average, as in 2026, and a difficulty of its own, which gives the probability of finding one; some cases are found by
both systems or by neither; how many wrong cases they return depends on the query too. So their scores on queries
correlate; by how much is printed.
"""

from __future__ import annotations

import argparse
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from coliee_ir.measures.base import Terms
from coliee_ir.measures.sets import f_measure
from coliee_ir.stats import resampling
from coliee_ir.stats.classical import mcnemar, t

Floats = npt.NDArray[np.float64]

ALPHA = 0.05
TRIALS = 999
SIZES = (50, 100, 400)
#: queries from which the model's own scores are computed
_MANY = 200_000
#: no query has more relevant cases
_MOST = 30


@dataclass(frozen=True)
class System:
    """How a system differs from the average one.

    Attributes:
        few: log-odds that are added to the probability of finding a case of a query with at most three relevant ones.
        many: the same for queries with more.
        wrong: how many wrong cases it returns on average.
    """

    few: float = 0.0
    many: float = 0.0
    wrong: float = 3.5


class Drawn(NamedTuple):
    """Counts of correct, retrieved and relevant cases of each query, shape (Q, 3), for two systems."""

    a: Floats
    b: Floats


def draw(random: np.random.Generator, queries: int, a: System, b: System) -> Drawn:
    """The counts of two systems on the same random queries."""
    relevant = np.minimum(random.geometric(1 / 4.4, queries), _MOST)
    difficulty = random.beta(0.8, 1.2, queries)
    verbosity = random.gamma(2.0, 0.5, queries)
    cases = np.arange(_MOST) < relevant[:, None]
    alike = random.random(cases.shape) < 0.3  # cases that are as hard to find for both
    luck = random.random(cases.shape, dtype=np.float32)

    def counts(system: System) -> Floats:
        odds = np.exp(np.where(relevant <= 3, system.few, system.many)) * difficulty / (1 - difficulty)
        own = np.where(alike, luck, random.random(cases.shape, dtype=np.float32))
        correct = (cases & (own < (odds / (1 + odds))[:, None])).sum(axis=1)
        wrong = random.poisson(system.wrong * verbosity)
        return np.column_stack((correct, correct + wrong, relevant)).astype(np.float64)

    return Drawn(counts(a), counts(b))


def f1(counts: Floats) -> Floats:
    """F1 of counts, or of sums of them."""
    return f_measure(counts[..., 0], counts[..., 1], counts[..., 2], 1.0)


def true_difference(a: System, b: System) -> float:
    """The difference of micro-F1 that the model means."""
    drawn = draw(np.random.default_rng(0), _MANY, a, b)
    return float(f1(drawn.a.sum(axis=0)) - f1(drawn.b.sum(axis=0)))


def equal(make: Callable[[float], System], low: float, high: float, a: System) -> System:
    """The system of a family that has the same micro-F1 as ``a``, by bisection; its score grows with the parameter."""
    for _ in range(16):
        middle = (low + high) / 2
        low, high = (middle, high) if true_difference(make(middle), a) < 0 else (low, middle)
    return make((low + high) / 2)


def micro(counts: Floats) -> Terms:
    """The terms of micro-F1."""
    return Terms(counts, f1, np.zeros(3), False)


def verdicts(drawn: Drawn, seed: int) -> dict[str, bool]:
    """Whether each test says that two systems differ: of micro-F1, and the last of what micro-F1 is not."""
    runs = [micro(drawn.a), micro(drawn.b)]
    [swapped] = resampling.randomised(runs, [(0, 1)], TRIALS, seed)
    samples = resampling.bootstrapped(runs, TRIALS, seed)
    jackknife = resampling.left_out(runs[0]) - resampling.left_out(runs[1])
    difference = runs[0].total - runs[1].total
    interval = resampling.bca(samples[:, 0] - samples[:, 1], difference, jackknife, 1 - ALPHA)
    return {
        "randomisation": bool(swapped < ALPHA),
        "bootstrap": resampling.shifted(samples[:, 0], samples[:, 1], runs[0].total, runs[1].total) < ALPHA,
        "BCa interval without 0": not interval.low <= 0 <= interval.high,
        "t on the queries' F1": t(f1(drawn.a) - f1(drawn.b)) < ALPHA,
    }


def rejections(a: System, b: System, queries: int, pairs: int, seed: int) -> dict[str, float]:
    """How often each test says that two systems differ."""
    random = np.random.default_rng([seed, queries])
    found = [verdicts(draw(random, queries, a, b), seed + at) for at in range(pairs)]
    return {test: sum(verdict[test] for verdict in found) / pairs for test in found[0]}


def bounds(pairs: int) -> tuple[float, float]:
    """Between which shares of rejections a test of level 5% stays with a probability of 99%."""
    low, high = stats.binom.interval(0.99, pairs, ALPHA)
    return low / pairs, high / pairs


# ── What is simulated ─────────────────────────────────────────────────────────────────────────────────────────────


def equals() -> dict[str, tuple[System, System]]:
    """Pairs of systems whose micro-F1 is the same."""
    usual = System()
    terse = equal(lambda skill: System(skill, skill, 1.5), -3.0, 1.0, usual)
    elsewhere = equal(lambda many: System(0.8, many, 3.5), -2.0, 0.5, usual)
    return {
        "the same system twice": (usual, usual),
        "one returns less, and finds less": (terse, usual),
        "one is better where few cases are relevant, one where many are": (elsewhere, usual),
    }


def better() -> list[tuple[System, System]]:
    """Pairs of which the first is better by more and more."""
    return [(System(skill, skill), System()) for skill in (0.1, 0.2, 0.3, 0.4)]


def correlation(queries: int = 20_000) -> float:
    """Of the queries' F1 of two systems."""
    drawn = draw(np.random.default_rng(1), queries, System(), System())
    return float(np.corrcoef(f1(drawn.a), f1(drawn.b))[0, 1])


# ── What can be found ─────────────────────────────────────────────────────────────────────────────────────────────


def mcnemars_power(queries: int, share: float, difference: float) -> float:
    """The exact power of McNemar's test of two accuracies.

    Args:
        queries: how many questions.
        share: on which share of them exactly one of the two systems is right.
        difference: of the accuracies; at most the share.
    """
    win = min((share + difference) / (2 * share), 1.0)
    discordant = stats.binom.pmf(np.arange(queries + 1), queries, share)
    return float(sum(discordant[n] * stats.binom.pmf(_significant(n), n, win).sum() for n in range(queries + 1)))


@functools.cache
def _significant(n: int) -> list[int]:
    """How many of n questions that one system alone answers rightly must be those of the first."""
    return [k for k in range(n + 1) if mcnemar(np.repeat([1.0, -1.0], [k, n - k])) < ALPHA]


def detectable_accuracy(queries: int, share: float, power: float = 0.8) -> float:
    """The least difference of two accuracies that McNemar's test finds with a power; NaN if it does not find any."""
    if mcnemars_power(queries, share, share) < power:
        return math.nan
    low, high = 0.0, share
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if mcnemars_power(queries, share, middle) >= power else (middle, high)
    return high


def detectable_mean(queries: int, deviation: float) -> float:
    """The least difference of two means that is found with a power of 0.8, from the deviation of the differences."""
    return resampling.detectable(deviation / math.sqrt(queries), 1 - ALPHA, 0.8)


def detectable_micro(queries: int, pairs: int = 400) -> float:
    """The same for micro-F1 of the model's systems, from how much their difference varies."""
    random = np.random.default_rng(queries)
    drawn = (draw(random, queries, System(), System()) for _ in range(pairs))
    differences = [float(f1(one.a.sum(axis=0)) - f1(one.b.sum(axis=0))) for one in drawn]
    return resampling.detectable(float(np.std(differences)), 1 - ALPHA, 0.8)


# ── Tables ────────────────────────────────────────────────────────────────────────────────────────────────────────


def table(header: Sequence[str], rows: Sequence[Sequence[str]], n_text: int = 1) -> str:
    """A table in Markdown."""
    rule = ["---"] * n_text + ["---:"] * (len(header) - n_text)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (header, rule, *rows))


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def error_table(pairs: int, seed: int) -> str:
    """Rejections where nothing is to be found."""
    rows, tests = [], []
    for name, (a, b) in equals().items():
        for queries in SIZES:
            found = rejections(a, b, queries, pairs, seed)
            tests = list(found)
            rows.append([name, str(queries), *map(percent, found.values())])
    return table(["equal micro-F1", "queries", *tests], rows)


def power_table(pairs: int, seed: int) -> str:
    """Rejections where there is something to find."""
    rows, tests = [], []
    for queries in SIZES:
        for a, b in better():
            found = rejections(a, b, queries, pairs, seed)
            tests = list(found)
            rows.append([str(queries), f"{true_difference(a, b):.3f}", *map(percent, found.values())])
    return table(["queries", "true difference", *tests], rows, 0)


def accuracy_table() -> str:
    """What a comparison of two accuracies can show."""
    shares = (0.1, 0.2, 0.3)

    def cell(queries: int, share: float) -> str:
        least = detectable_accuracy(queries, share)
        return "nothing" if math.isnan(least) else f"{least:.3f} ({math.ceil(least * queries - 1e-9)})"

    rows = [[str(queries), *(cell(queries, share) for share in shares)] for queries in (40, 81, 100, 200)]
    return table(["questions", *(f"one alone right on {100 * share:.0f}%" for share in shares)], rows, 0)


def mean_table() -> str:
    """What a comparison of two means can show, and of two micro-F1."""
    deviations = (0.2, 0.3, 0.4)
    rows = [
        [str(queries), *(f"{detectable_mean(queries, deviation):.3f}" for deviation in deviations),
         f"{detectable_micro(queries):.3f}"]
        for queries in (40, 81, 100, 200, 400)
    ]  # fmt: skip
    return table(["queries", *(f"mean, deviation {d}" for d in deviations), "micro-F1, the model's systems"], rows, 0)


def told(pairs: int, seed: int) -> Iterator[str]:
    """Everything, a piece at a time."""
    low, high = bounds(pairs)
    yield f"Queries' F1 of two systems correlate by {correlation():.2f}.\n"
    yield (
        f"Rejections at 5% of {pairs:,} pairs, {TRIALS} resamples; a test of this level stays between {percent(low)} "
        f"and {percent(high)} with a probability of 99%:\n"
    )
    yield error_table(pairs, seed)
    yield f"Rejections at 5% of {max(pairs // 4, 1):,} pairs, of which the first is better:\n"
    yield power_table(max(pairs // 4, 1), seed)
    yield "The least difference of two accuracies that McNemar's test finds with a power of 0.8 (in questions):\n"
    yield accuracy_table()
    yield "The least difference of two means over queries, and of two micro-F1, by the normal approximation:\n"
    yield mean_table()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.error_rates", description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000, help="how many pairs of equal systems; default: 2000")
    parser.add_argument("--seed", type=int, default=2026, help="default: 2026")
    options = parser.parse_args(arguments)
    for text in told(options.pairs, options.seed):
        print(text, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
