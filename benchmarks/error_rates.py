"""How often the tests of ``coliee-ir compare`` and ``leaderboard`` err: writes benchmarks/error-rates.md.

    python -m benchmarks.error_rates [--times N] [--seed N] [--lecard FOLDER] [-o benchmarks/error-rates.md]

Pairs of systems are drawn from models of Task 1, in which the truth is known. In the first a query has 4.4 relevant
cases on average, as in 2026, and a difficulty of its own, which gives the probability of finding one; some cases are
found by both systems or by neither; how many wrong cases they return depends on the query too. So their scores on
queries correlate; by how much is printed. In the others the two systems have the same score by different habits: one
leaves queries unanswered, or they return different numbers of cases, or a few queries have most of the relevant ones.
``benchmarks.unseen`` has the models that were not used to choose the method.
"""

from __future__ import annotations

import argparse
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from benchmarks import golds_and_tasks, unseen
from benchmarks.markdown import percent, table
from coliee_ir.measures.base import Terms, of_mean, share
from coliee_ir.measures.sets import f_measure
from coliee_ir.stats import resampling
from coliee_ir.stats.intervals import jackknife_t
from coliee_ir.stats.paired import Board, standings, tested
from coliee_ir.stats.resampling import Resampling, Units
from coliee_ir.stats.student import t_test

Floats = npt.NDArray[np.float64]

ALPHA = 0.05
TRIALS = 499
SIZES = (20, 50, 400)
#: queries of which a few may not show what a run is like
FEW = (8, 12, 20, 50)
#: runs of a board
BOARDS = (2, 30, 54)
#: queries from which the model's own scores are computed
MANY = 100_000
#: standard errors that are significant
_NORMAL = float(stats.norm.isf(ALPHA / 2))
#: and that a difference must be greater to be found with a power of 0.8
_POWER = float(stats.norm.ppf(0.8))
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


def draw(random: np.random.Generator, queries: int, a: System, b: System) -> tuple[Floats, Floats]:
    """Counts of correct, retrieved and relevant cases of each query, shape (Q, 3), of two systems."""
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

    return counts(a), counts(b)


def f1(counts: Floats) -> Floats:
    """F1 of counts, or of sums of them."""
    return f_measure(counts[..., 0], counts[..., 1], counts[..., 2], 1.0)


def true_difference(a: System, b: System) -> float:
    """The difference of micro-F1 that the model means."""
    ours, theirs = draw(np.random.default_rng(0), MANY, a, b)
    return float(f1(ours.sum(axis=0)) - f1(theirs.sum(axis=0)))


def equal(make: Callable[[float], System], low: float, high: float, a: System) -> System:
    """The system of a family that has the same micro-F1 as ``a``, by bisection; its score grows with the parameter."""
    for _ in range(16):
        middle = (low + high) / 2
        low, high = (middle, high) if true_difference(make(middle), a) < 0 else (low, middle)
    return make((low + high) / 2)


def micro(counts: Floats) -> Terms:
    """The terms of micro-F1."""
    return Terms(np.column_stack((2 * counts[:, 0], counts[:, 1] + counts[:, 2])), share, np.zeros(2), False)


def micro_p(counts: Floats) -> Terms:
    """The terms of micro-averaged precision."""
    return Terms(counts[:, :2].astype(np.float64), share, np.zeros(2), False)


#: two runs on random queries, in which each query may stand for a group
Model = Callable[[np.random.Generator, int], tuple[Terms, Terms]]


def of_systems(a: System, b: System) -> Model:
    """Two systems of the first model."""

    def model(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
        ours, theirs = draw(random, queries, a, b)
        return micro(ours), micro(theirs)

    return model


def plain(a: Terms, b: Terms, seed: int) -> float:
    """The p value of randomisation with the difference itself as statistic, as Smucker et al. (CIKM 2007) have it."""
    swapped = np.concatenate(list(resampling.swaps(seed, TRIALS, len(a.each)))).astype(np.float64)
    moved = swapped @ (b.each - a.each)
    after = a.score(a.each.sum(axis=0) + moved) - b.score(b.each.sum(axis=0) - moved)
    return float(((np.abs(after) >= abs(a.total - b.total) - 1e-12).sum() + 1) / (TRIALS + 1))


def rates(model: Model, queries: int, pairs: int, seed: int) -> tuple[float, float]:
    """How often the test, and that without a standard error, say that two runs differ."""
    random = np.random.default_rng([seed, queries])
    counted = np.zeros(2)
    for trial in range(pairs):
        a, b = model(random, queries)
        [test] = tested(Board([a, b]), [(0, 1)], Resampling(TRIALS, seed + trial, 1 - ALPHA))
        counted += [test.p < ALPHA, plain(a, b, seed + trial) < ALPHA]
    ours, theirs = (counted / pairs).tolist()
    return ours, theirs


def t_rejections(a: System, b: System, queries: int, pairs: int, seed: int) -> float:
    """How often a t test on the queries' F1 says that two systems differ."""
    random = np.random.default_rng([seed, queries])
    drawn = (draw(random, queries, a, b) for _ in range(pairs))
    return sum(t_test(f1(ours) - f1(theirs)) < ALPHA for ours, theirs in drawn) / pairs


def false_claims(runs: int, queries: int, boards: int, seed: int, tails: bool = False) -> float:
    """The share of boards of equally good runs on which any difference is claimed."""
    random = np.random.default_rng([seed, runs, queries])
    claimed = 0
    for trial in range(boards):
        terms = board(random, queries, runs, tails)
        claimed += bool(standings(terms, Resampling(TRIALS, seed + trial, 1 - ALPHA)).better.any())
    return claimed / boards


def board(random: np.random.Generator, queries: int, runs: int, tails: bool = False) -> list[Terms]:
    """Equally good runs on the same queries; with heavy tails a few queries have most of the relevant cases."""
    relevant = _heavy(random, queries) if tails else _relevant(random, queries)
    difficulty = random.beta(0.8, 1.2, queries)
    verbosity = random.gamma(2.0, 0.5, queries)
    runs_ = []
    for _ in range(runs):
        correct = random.binomial(relevant, difficulty)
        runs_.append(micro(_counts(correct, correct + random.poisson(3.5 * verbosity), relevant)))
    return runs_


def held_by_scores(draw: Callable[[np.random.Generator, int], Terms], queries: int, times: int, seed: int) -> float:
    """How often the interval of a score holds the truth, that of many queries."""
    truth = share(np.sum([draw(np.random.default_rng(at), MANY).each.sum(axis=0) for at in range(5)], axis=0))
    random = np.random.default_rng([seed, queries])
    ends = np.array([jackknife_t(draw(random, queries), 1 - ALPHA) for _ in range(times)])
    return float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())


def bounds(pairs: int) -> tuple[float, float]:
    """Between which shares of rejections a test of level 5% stays with a probability of 99%."""
    low, high = stats.binom.interval(0.99, pairs, ALPHA)
    return low / pairs, high / pairs


# ── What is simulated ─────────────────────────────────────────────────────────────────────────────────────────────


def _relevant(random: np.random.Generator, queries: int) -> npt.NDArray[np.int64]:
    return np.minimum(random.geometric(1 / 4.4, queries), _MOST)


def _heavy(random: np.random.Generator, queries: int) -> npt.NDArray[np.int64]:
    return np.minimum(np.ceil(random.pareto(1.3, queries) + 0.5), 200).astype(np.int64)


def _counts(correct: Any, retrieved: Any, relevant: Any) -> Floats:
    return np.column_stack(np.broadcast_arrays(correct, retrieved, relevant)).astype(np.float64)


def abstaining(answered: float, precise: float, times: int, other: float) -> Model:
    """MicroF1: one run answers a share of the queries with as many cases as are relevant; the other all, with more."""

    def model(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
        relevant = _relevant(random, queries)
        returned = np.where(random.random(queries) < answered, relevant, 0)
        careful = _counts(random.binomial(returned, precise), returned, relevant)
        return micro(careful), micro(_counts(random.binomial(relevant, other), times * relevant, relevant))

    return model


def fixed_numbers(a: int, b: int, skill: float, by: float = 0.0) -> Model:
    """MicroF1 of runs that return the same number of cases for each query, of queries of different difficulty.

    The second is better by ``by``.
    """

    def drawn(random: np.random.Generator, queries: int, skills: tuple[float, float]) -> tuple[Terms, Terms]:
        relevant, difficulty = _relevant(random, queries), random.beta(0.8, 1.2, queries)
        one, other = (
            micro(_counts(np.minimum(random.binomial(relevant, np.clip(difficulty * of, 0, 1)), n), n, relevant))
            for of, n in zip(skills, (a, b), strict=True)
        )
        return one, other

    low, high = 0.001, 5.0
    for _ in range(16):
        middle = (low + high) / 2
        one, other = drawn(np.random.default_rng(7), MANY, (skill, middle))
        low, high = (middle, high) if other.total < one.total + by else (low, middle)
    return lambda random, queries: drawn(random, queries, (skill, middle))


def _one_and_ten(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
    first = _counts(random.binomial(1, 0.3, queries), 1, 10)
    return micro_p(first), micro_p(_counts(random.binomial(10, 0.3, queries), 10, 10))


def _first_or_ten(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
    """MicroF1 of one relevant case a query: one run seldom returns it, alone, the other nearly always, among ten."""
    first = _counts(random.binomial(1, 1.8 / 11, queries), 1, 1)
    return micro(first), micro(_counts(random.binomial(1, 0.9, queries), 10, 1))


def _rarely_lost(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
    """Means: one run is a little better on most queries, and worse by .6 on one in 30."""
    usual, better = random.uniform(0.6, 0.9, queries), random.uniform(0, 1.2 / 29, queries)
    return of_mean(np.where(random.random(queries) < 1 / 30, usual - 0.6, usual + better)), of_mean(usual)


def _tails(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
    relevant = _heavy(random, queries)
    first = _counts(random.binomial(relevant, 0.4), relevant, relevant)
    return micro(first), micro(_counts(random.binomial(relevant, 0.6), 2 * relevant, relevant))


@functools.cache
def _skill_of_constant() -> float:
    """The probability with which the second run of ``_by_size`` finds a case, so that both have the same micro-F1."""
    relevant = _log_normal(np.random.default_rng(0), MANY)
    return float((relevant * _skill_by_size(relevant)).sum() / relevant.sum())


def _log_normal(random: np.random.Generator, queries: int) -> npt.NDArray[np.int64]:
    return np.maximum(1, np.round(random.lognormal(1, 1, queries))).astype(np.int64)


def _skill_by_size(relevant: npt.NDArray[np.int64]) -> Floats:
    skill: Floats = np.minimum(0.9, 0.1 + 0.03 * relevant)
    return skill


def _by_size(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
    """MicroF1: a few queries have most relevant cases, and one run is better in these and worse in others."""
    relevant = _log_normal(random, queries)
    first = _counts(random.binomial(relevant, _skill_by_size(relevant)), relevant, relevant)
    return micro(first), micro(_counts(random.binomial(relevant, _skill_of_constant()), relevant, relevant))


def clustered(grouped: bool) -> Model:
    """Accuracies of questions in groups of three that are often right or wrong together."""

    def model(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
        group = np.arange(queries) // 3
        runs = []
        for _ in range(2):
            together = random.random(int(group[-1]) + 1)[group]
            luck = np.where(random.random(queries) < 0.6**0.5, together, random.random(queries))
            runs.append(of_mean((luck < 0.6).astype(np.float64)))
        units = Units.of([str(at) for at in range(queries)], {str(at): str(group[at]) for at in range(queries)})
        first, other = map(units.terms, runs) if grouped else runs
        return first, other

    return model


@functools.cache
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


def models() -> dict[str, Model]:
    """Pairs whose scores are equal: those of ``equals``, and those with which a test without a standard error errs."""
    return {
        **{name: of_systems(*pair) for name, pair in equals().items()},
        "one answers a quarter, one all with 3 times as many": abstaining(0.25, 0.8, 3, 0.64),
        "3 cases or 15 for each query": fixed_numbers(3, 15, 0.6),
        "a few queries have most relevant cases; one returns twice as many": _tails,
        "a few queries have most relevant cases; one is better in these": _by_size,
        "MicroP: 1 case or 10 for each query": _one_and_ten,
        "accuracy, questions in groups of three": clustered(False),
        "the same with --groups": clustered(True),
    }


def few_queries() -> dict[str, Model]:
    """Pairs whose scores are equal, of which a few queries may not show that one run wins seldom, but by much."""
    return {
        "the same system twice": of_systems(System(), System()),
        "one relevant case; 1 case or 10 for each query": _first_or_ten,
        "a mean; one is a little better on most queries and far worse on one in 30": _rarely_lost,
    }


def alternatives(by: float = 0.05) -> dict[str, Model]:
    """The pairs of ``models`` of different habits, in which the second run is better by so much."""

    def tails(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
        relevant = _heavy(random, queries)
        one = _counts(random.binomial(relevant, 0.4), relevant, relevant)
        return micro(one), micro(_counts(random.binomial(relevant, 1.5 * (0.4 + by)), 2 * relevant, relevant))

    def precision(a: int, b: int, answered: float) -> Model:
        def model(random: np.random.Generator, queries: int) -> tuple[Terms, Terms]:
            returned = np.where(random.random(queries) < answered, a, 0)
            one = _counts(random.binomial(returned, 0.3), returned, b)
            return micro_p(one), micro_p(_counts(random.binomial(b, 0.3 + by, queries), b, b))

        return model

    return {
        "one answers a quarter, one all with 3 times as many": abstaining(0.25, 0.8, 3, 2 * (0.32 + by)),
        "3 cases or 15 for each query": fixed_numbers(3, 15, 0.6, by),
        "a few queries have most relevant cases; one returns twice as many": tails,
        "MicroP: 1 case or 10 for each query": precision(1, 10, 1.0),
    }


def scores() -> dict[str, Callable[[np.random.Generator, int], Terms]]:
    """Runs whose score is estimated: micro-averages and means, and queries in five years that differ."""

    def low(random: np.random.Generator, queries: int) -> Terms:
        counts = draw(random, queries, System(), System())[0]
        found = random.binomial(counts[:, 0].astype(np.int64), 0.1)
        return micro(_counts(found, counts[:, 1] - counts[:, 0] + found, counts[:, 2]))

    def years(random: np.random.Generator, queries: int) -> Terms:
        n = max(queries // 400, 1) * 5  # of many queries many years, so that the truth is that of all
        level = random.normal(0, 0.4, n)
        each = [draw(random, queries // n, System(one, one), System())[0].sum(axis=0) for one in level]
        return micro(np.array(each))

    return {
        "MicroF1, the model": lambda random, queries: micro(draw(random, queries, System(), System())[0]),
        "MicroF1, a few queries have most relevant cases": lambda random, queries: board(random, queries, 1, True)[0],
        "MicroF1, a tenth of the model's cases found": low,
        "a mean of values of which most are near 0": lambda random, queries: of_mean(random.beta(0.15, 0.9, queries)),
        "a mean of values near 1, of which one in 30 is 0": lambda random, queries: of_mean(
            np.where(random.random(queries) < 1 / 30, 0, 1 - np.maximum(random.random(queries) - 0.75, 0) / 3)
        ),
        "MicroF1 in five years, drawn as groups": years,
    }


def better() -> list[tuple[System, System]]:
    """Pairs of which the first is better by more and more."""
    return [(System(skill, skill), System()) for skill in (0.1, 0.2, 0.4)]


def correlation(queries: int = 20_000) -> float:
    """Of the queries' F1 of two systems."""
    ours, theirs = draw(np.random.default_rng(1), queries, System(), System())
    return float(np.corrcoef(f1(ours), f1(theirs))[0, 1])


# ── What can be found ─────────────────────────────────────────────────────────────────────────────────────────────


def mcnemars_power(queries: int, share: float, difference: float) -> float:
    """The exact power of McNemar's test of two accuracies.

    Args:
        queries: how many questions.
        share: on which share of them exactly one of the two systems is right.
        difference: of the accuracies; at most the share.
    """
    win = min((share + difference) / (2 * share), 1.0)
    n = np.arange(queries + 1)
    discordant = stats.binom.pmf(n, queries, share)
    fewest = np.array([_significant(one) for one in n.tolist()])
    return float(discordant @ (stats.binom.cdf(fewest, n, win) + stats.binom.sf(n - fewest - 1, n, win)))


@functools.cache
def _significant(n: int) -> int:
    """The most of n questions that one system alone answers rightly which still speak against it; -1 for none."""
    k = np.arange(n // 2 + 1)
    return int((np.minimum(2 * stats.binom.cdf(k, n, 0.5), 1) < ALPHA).sum()) - 1


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
    return deviation / math.sqrt(queries) * (_NORMAL + _POWER)


def detectable_micro(queries: int, pairs: int = 400) -> float:
    """The same for micro-F1 of the model's systems, from how much their difference varies."""
    random = np.random.default_rng(queries)
    drawn = (draw(random, queries, System(), System()) for _ in range(pairs))
    differences = [float(f1(ours.sum(axis=0)) - f1(theirs.sum(axis=0))) for ours, theirs in drawn]
    return float(np.std(differences)) * (_NORMAL + _POWER)


# ── Tables ────────────────────────────────────────────────────────────────────────────────────────────────────────


def rate_table(what: str, pairs_of: dict[str, Model], times: int, seed: int, sizes: Sequence[int] | None = None) -> str:
    """Rejections of the test, and of that without a standard error."""
    sizes = sizes or SIZES
    rows = [
        [name, *("{} ({})".format(*map(percent, rates(model, queries, times, seed))) for queries in sizes)]
        for name, model in pairs_of.items()
    ]
    return table([what, *(f"{queries} queries" for queries in sizes)], rows)


def t_table(times: int, seed: int) -> str:
    """Rejections of the t test on the queries' F1, where micro-F1 is equal."""
    rows = [
        [name, *(percent(t_rejections(a, b, queries, times, seed)) for queries in SIZES)]
        for name, (a, b) in equals().items()
    ]
    return table(["equal micro-F1", *(f"{queries} queries" for queries in SIZES)], rows)


def board_table(times: int, seed: int) -> str:
    """Boards of equally good runs on which a difference is claimed."""
    rows = [
        [str(runs), *(percent(false_claims(runs, queries, times, seed, tails)) for tails in (False, True)
                      for queries in SIZES)]
        for runs in BOARDS
    ]  # fmt: skip
    header = [f"{queries} queries{tails}" for tails in ("", ", heavy tails") for queries in SIZES]
    return table(["equal runs", *header], rows, 0)


def score_table(times: int, seed: int) -> str:
    """How often the interval of a score holds the truth."""
    rows = [
        [name, *(percent(held_by_scores(draws, queries, times, seed)) for queries in SIZES)]
        for name, draws in scores().items()
    ]
    return table(["score", *(f"{queries} queries" for queries in SIZES)], rows)


def accuracy_table() -> str:
    """What a comparison of two accuracies can show."""
    shares = (0.1, 0.2, 0.3)

    def cell(queries: int, share: float) -> str:
        least = detectable_accuracy(queries, share)
        return "nothing" if math.isnan(least) else f"{least:.3f} ({math.ceil(least * queries - 1e-9)})"

    rows = [[str(queries), *(cell(queries, share) for share in shares)] for queries in (81, 200)]
    return table(["questions", *(f"one alone right on {100 * share:.0f}%" for share in shares)], rows, 0)


def mean_table() -> str:
    """What a comparison of two means can show, and of two micro-F1."""
    deviations = (0.2, 0.3, 0.4)
    rows = [
        [str(queries), *(f"{detectable_mean(queries, deviation):.3f}" for deviation in deviations),
         f"{detectable_micro(queries):.3f}"]
        for queries in (81, 200, 400)
    ]  # fmt: skip
    return table(["queries", *(f"mean, deviation {d}" for d in deviations), "micro-F1, the model's systems"], rows, 0)


def _listed(section: Callable[..., Iterator[str]], *options: Any) -> list[str]:
    return list(section(*options))


def sections(times: int, seed: int, lecard: str) -> Iterator[str]:
    """The page, a piece at a time, by two processes; what takes longest begins first."""
    with ProcessPoolExecutor(2) as pool:
        of_unseen = pool.submit(_listed, unseen.of_comparisons, times, seed, lecard)
        of_fits = pool.submit(_listed, unseen.of_fits_and_plans, times, seed)
        of_pairs = pool.submit(_listed, _of_pairs, times, seed, lecard)
        of_golds = pool.submit(_listed, golds_and_tasks.sections, times, seed)
        for section in (of_pairs, of_unseen, of_fits, of_golds):
            yield from section.result()
    yield from _what_can_be_found()


def _of_pairs(times: int, seed: int, lecard: str) -> Iterator[str]:
    low, high = bounds(2 * times)
    yield f"""# Error rates

How often the tests of [`compare`](../docs/significance.md) find what is not there, how often intervals hold the truth,
and what can be found, on systems of which the truth is known. `python -m benchmarks.error_rates`
writes this page; this one on {date.today():%d %B %Y} with `--times {times}`{" and with `--lecard`" if lecard else ""}.

## How often the tests err

Pairs with **equal** scores. The first are of a model of Task 1 (F1 on queries correlates by {correlation():.2f}),
the others have the same score by different habits. Of {2 * times:,} a test at 5% rejects between {percent(low)} and
{percent(high)} with a probability of 99%, if it is right. In brackets randomisation without a standard error:
"""
    yield rate_table("equal scores", models(), 2 * times, seed)
    yield f"""Questions that come in groups need `--groups`. Where one run **is** better, the standard error costs
nothing; found of {times:,} pairs each:
"""
    more = {f"the model, by {true_difference(a, b):.3f}": of_systems(a, b) for a, b in better()}
    yield rate_table("one is better, by .05 if not said", {**more, **alternatives()}, times, seed)
    yield "With few queries the standard error is not known either; of equal scores:\n"
    yield rate_table("equal scores, few queries", few_queries(), 2 * times, seed, FEW)
    yield f"Of {times:,} boards of **equally good** runs, those on which `leaderboard` claims any difference:\n"
    yield board_table(times, seed)
    yield f"The t test on the queries' F1 finds of {2 * times:,} pairs of equal MicroF1 to be different:\n"
    yield t_table(2 * times, seed)
    yield f"""## How often intervals hold the truth

The 95% interval of a **score**, of {2 * times:,} each; it was chosen among some ten kinds on these models:
"""
    yield score_table(2 * times, seed)


def _what_can_be_found() -> Iterator[str]:
    yield """## What 81 questions can show

The least true difference of two accuracies that McNemar's test finds four times out of five, and the same in questions,
by how often exactly one of the two systems is right; from the binomial distribution:
"""
    yield accuracy_table()
    yield """So where a fifth of 81 questions tell two runs apart, a difference of 12 is found so often. Where only
eight do, all eight must be the one's: of 7 to 1, p is 0.07.

The same for means over queries, by the deviation of the queries' differences, and for MicroF1 of the model's systems,
by the normal approximation:
"""
    yield mean_table()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.error_rates", description=__doc__)
    parser.add_argument("--times", type=int, default=200, help="boards and pairs that are drawn of each; default: 200")
    parser.add_argument("--seed", type=int, default=2026, help="default: 2026")
    parser.add_argument("--lecard", default="", help="the folder of LeCaRD's gold and rankings, which is resampled")
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmarks/error-rates.md"), help="the page")
    options = parser.parse_args(arguments)
    pieces = []
    for text in sections(options.times, options.seed, options.lecard):
        print(text, flush=True)
        pieces.append(text)
    options.output.write_text("\n".join(pieces), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
