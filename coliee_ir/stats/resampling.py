"""Resampling queries: every score is a formula on sums over queries, so a resample is a sum with other weights.

The random numbers are the raw bits of PCG64, whose stream NumPy guarantees, so that a seed gives the same resamples
with any version and on any machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.checked import groups_of, is_integer_within
from coliee_adapters.errors import UsageError
from coliee_adapters.forms.lines import plural
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import Remark
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Terms
from coliee_ir.rules.choices import (
    CONFIDENCE_LEVEL as CONFIDENCE_LEVEL,
    FOLDS as FOLDS,
    N_RESAMPLES as N_RESAMPLES,
    SEED as SEED,
)

#: So many numbers are held at once, in each of a few arrays.
AT_ONCE: Final = 1 << 20

#: Differences nearer than this are the same: sums of the same numbers in another order.
NEAR: Final = 1e-12

#: How many times queries are dealt anew to folds: one split alone moves a held-out score by about .01.
REPEATS: Final = 10

#: More repeats than these would need more time than digits of a score are worth.
MOST_REPEATS: Final = 1000

#: with fewer queries than these, the test's level is not sure where runs answer different ones: another share than this
MANY_QUERIES: Final = 50
UNEQUAL: Final = 0.25

#: More resamples than these would need more memory than digits of p are worth.
MOST_RESAMPLES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Resampling:
    """How queries are resampled.

    Attributes:
        seed: of the random numbers; the same seed gives the same resamples on any machine.
        confidence_level: of the intervals; a test is significant below 1 - confidence_level.

    Raises:
        UsageError: too few or too many resamples, a negative seed, a level outside of (0, 1), or something else.
    """

    n_resamples: int = N_RESAMPLES
    seed: int = SEED
    confidence_level: float = CONFIDENCE_LEVEL

    def __post_init__(self) -> None:
        if not is_integer_within(self.n_resamples, 1, MOST_RESAMPLES):
            raise UsageError("bad-value", f"the number of resamples must be between 1 and {MOST_RESAMPLES:,}")
        if not is_integer_within(self.seed, 0):
            raise UsageError("bad-value", "the seed must be an integer ≥ 0")
        if not (isinstance(self.confidence_level, Real) and 0 < self.confidence_level < 1):
            raise UsageError("bad-value", "the confidence level must be between 0 and 1, for example 0.95")

    @property
    def alpha(self) -> float:
        """The level of significance; 1 - 0.95 in floating point is more than 0.05."""
        return round(1 - self.confidence_level, 12)


def too_few_resamples(drawn: int, alpha: float) -> Iterator[Remark]:
    """Whether no p of so many resamples can be significant."""
    if (least := 1 / (drawn + 1)) >= alpha:
        needed = math.floor(1 / alpha) + 1
        option = f"--resamples {needed}" if needed <= MOST_RESAMPLES else "a lower --confidence-level"
        yield Remark.of("too-few-resamples", least=least, option=option)


def units_of(unit: str, *, in_groups: bool) -> str:
    """What is swapped and drawn, in words."""
    return f"groups of {plural(unit)}" if in_groups else plural(unit)


def resampled(drawn: int, seed: int) -> str:
    """How queries were resampled, in words."""
    return f"{drawn:,} resamples, seed {seed}" if drawn else "exact: all sign flips"


@dataclass(frozen=True, eq=False)
class Units:
    """The units of resampling, in an order that does not depend on the gold's."""

    number: IntArray  # shape (Q,); the unit of each query
    n: int  # how many units

    @classmethod
    def of(cls, queries: Sequence[str], groups: Mapping[str, str] | None = None) -> Units:
        """The units of some queries: each query, or each group."""
        groups = groups_of(groups, queries)
        names = list(queries) if groups is None else [groups[query] for query in queries]
        places = {name: place for place, name in enumerate(sorted(set(names)))}
        return cls(np.array([places[name] for name in names], dtype=np.int64), len(places))

    def terms(self, terms: Terms) -> Terms:
        """What each unit adds."""
        return terms._replace(each=self.summed(terms.each), is_mean=terms.is_mean and self.n == len(self.number))

    def summed(self, each: FloatArray) -> FloatArray:
        """The sums over the queries of each unit; shape (n, T)."""
        total = np.zeros((self.n, each.shape[1]))
        np.add.at(total, self.number, each)
        return total


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float

    def in_words(self, sign: str = "") -> str:
        """The interval in a sentence; with ``+``, its ends have their signs."""
        if math.isnan(self.low) or self.low == self.high:
            return "without an interval: nothing varies"
        return f"95% interval {self.low:{sign}.4f} to {self.high:{sign}.4f}"


class Difference(NamedTuple):
    """The difference of two scores on the same queries.

    Attributes:
        error: its standard error, if the scores do not differ.
        interval: without 0 exactly if the difference is significant; NaN for an end that there is not.
    """

    value: float
    error: float
    interval: Interval

    @property
    def is_shown(self) -> bool:
        """Whether the interval leaves zero out, so that one may be called better."""
        return self.interval.low > 0 or self.interval.high < 0


def swaps(seed: int, n_resamples: int, queries: int, width: int = 1) -> Iterator[BoolArray]:
    """For each trial, which queries swap their runs: blocks of shape (resamples of the block, queries)."""
    bits = np.random.PCG64(seed)
    words = (queries + 63) // 64
    for n in blocks(n_resamples, max(64 * words, width)):
        raw = bits.random_raw(n * words).astype("<u8").view(np.uint8).reshape(n, 8 * words)
        yield np.unpackbits(raw, axis=1, count=queries, bitorder="little").astype(np.bool_)


def every_swap(queries: int, width: int = 1) -> Iterator[BoolArray]:
    """All ways to swap, in blocks as those of ``swaps``."""
    done = 0
    for n in blocks(1 << queries, max(64, width)):
        numbers = np.arange(done, done + n, dtype="<u8").view(np.uint8).reshape(n, 8)
        yield np.unpackbits(numbers, axis=1, count=queries, bitorder="little").astype(np.bool_)
        done += n


def draws(seed: int, n_resamples: int, queries: int, width: int = 1) -> Iterator[FloatArray]:
    """For each bootstrap sample, how often each query is drawn: blocks of shape (resamples of the block, queries)."""
    bits = np.random.PCG64(seed)
    for n in blocks(n_resamples, max(queries, width)):
        # a 32-bit number times Q, without its lower half, is a number below Q
        raw = (bits.random_raw(n * queries) >> np.uint64(32)) * np.uint64(queries) >> np.uint64(32)
        drawn = raw.astype(np.int64).reshape(n, queries) + queries * np.arange(n)[:, None]
        yield np.bincount(drawn.ravel(), minlength=n * queries).reshape(n, queries).astype(np.float64)


def blocks(n_resamples: int, of_trial: int) -> Iterator[int]:
    """How many resamples go together."""
    at_once = max(AT_ONCE // max(of_trial, 1), 1)
    while n_resamples > 0:
        yield min(at_once, n_resamples)
        n_resamples -= at_once


def exact_below(n_resamples: int) -> int:
    """The least number of queries that have more ways to swap, 2^Q, than resamples: of fewer, all are looked at."""
    return n_resamples.bit_length()


def left_out(run: Terms) -> FloatArray:
    """The score without each query in turn; shape (Q,)."""
    return run.score(run.each.sum(axis=0) + run.besides - run.each)


def percentile(samples: FloatArray, confidence_level: float) -> Interval:
    """The interval between the quantiles of bootstrap samples (Efron & Tibshirani 1993, chapter 13)."""
    existing = samples[~np.isnan(samples)]
    if not len(existing):
        return Interval(math.nan, math.nan)
    low, high = np.quantile(existing, [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
    return Interval(float(low), float(high))


def effect(difference: float, jackknife: FloatArray) -> float:
    """The difference in standard deviations of the jackknife's pseudo-values.

    The pseudo-value of query i is n·D - (n - 1)·D₍ᵢ₎, where D₍ᵢ₎ is the difference without it. For a mean it is the
    query's own difference, so that this is Cohen's d for pairs.

    Source: Efron & Tibshirani 1993, chapter 11; Cohen 1988, chapter 2.
    """
    spread = (len(jackknife) - 1) * float(jackknife.std(ddof=1)) if len(jackknife) > 1 else 0.0
    if spread > NEAR:
        return difference / spread
    return 0.0 if abs(difference) <= NEAR else math.nan
