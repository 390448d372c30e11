"""The methods of fusion and the normalisations, each a row with its definition and its function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from coliee_adapters.classes import NamedTuple, dataclass
from coliee_adapters.errors import UsageError
from coliee_ir.commands.fuse.candidates import Candidates
from coliee_ir.judging.judged import BoolArray, FloatArray

#: Scores beyond this, or its negative, are not normalised: their squares and sums would leave what floats hold.
GREATEST_SCORE: Final = 1e100


class Norm(NamedTuple):
    """A normalisation of the scores of one run for one query."""

    formula: str  # what becomes of a score s, in plain text
    # candidates → shape (n, P); what is not retrieved may hold anything finite
    value: Callable[[Candidates], FloatArray]
    of_scores: bool = True  # whether it looks at scores, and not only at ranks
    # whether it gives a value to every candidate, retrieved or not; else what is not retrieved has none
    of_all: bool = False


def _min_max(held: Candidates) -> FloatArray:
    low, high = held.least(held.scores), held.greatest(held.scores)
    return _divided(held.scores - low, high - low, equal=1.0)


def _max(held: Candidates) -> FloatArray:
    return _divided(held.scores, held.greatest(held.scores), equal=0.0)


def _zscore(held: Candidates) -> FloatArray:
    lengths = np.maximum(held.lengths, 1)
    apart = held.scores - held.totals(held.scores) / lengths
    deviation = np.sqrt(held.totals(apart * apart) / lengths)
    # the mean of equal scores can be a last bit off, and what is left would be blown up to 1
    deviation[held.least(held.scores) == held.greatest(held.scores)] = 0.0
    return _divided(apart, deviation, equal=0.0)


def _borda(held: Candidates) -> FloatArray:
    # the points c, c - 1, … 1 of the ranks that a run leaves open are shared by the documents that it lacks
    shared = (held.sizes - held.lengths + 1) / 2
    return np.where(held.named, held.sizes - held.ranks + 1, shared) / held.sizes


def _divided(above: FloatArray, below: FloatArray, equal: float | FloatArray) -> FloatArray:
    """The quotient; where there is nothing to divide by, all scores of the list being equal, ``equal``."""
    fine = np.isfinite(above) & np.isfinite(below) & (below > 0)
    return np.where(fine, above / np.where(fine, below, 1.0), equal)


#: normalisation → what it is. The lists are those of one run for one query.
NORMS: Final[dict[str, Norm]] = {
    "min-max": Norm("(s - min) / (max - min); 1 in a list of equal scores", _min_max),
    "max": Norm("s / max; for scores that are not negative", _max),
    "zscore": Norm("(s - mean) / standard deviation; 0 in a list of equal scores", _zscore),
    "borda": Norm(
        "(c - rank + 1) / c, where all runs together have c documents; (c - n + 1) / 2c for what a list of n lacks",
        _borda,
        of_scores=False,
        of_all=True,
    ),
    "none": Norm("s as it stands", lambda held: held.scores),
}


@dataclass(frozen=True, slots=True)
class Method:
    """A way to fuse runs."""

    formula: str  # what a document's score, or its place in the set, is made of; w is a run's weight
    takes: frozenset[str]  # the parameters that it has
    ranks: bool = True  # whether it gives scores, and so a ranking; else a set
    # parts of shape (n, P), 0 where a run has none for the document, which those are, weights → the fused scores of
    # shape (P,); None for sets
    combine: Callable[[FloatArray, BoolArray, FloatArray], FloatArray] | None = None


def weighted_sum(parts: FloatArray, named: BoolArray, weights: FloatArray) -> FloatArray:
    """Σ w · part, added in an order of their own, so that the last bit does not depend on that of the runs."""
    used = weights > 0
    addends = parts[used] * weights[used, None]
    if len(addends) > 2:
        addends.sort(axis=0)
    total = np.zeros(parts.shape[1])
    for addend in addends:
        total += addend
    return total


def _sum_times_count(parts: FloatArray, named: BoolArray, weights: FloatArray) -> FloatArray:
    return weighted_sum(parts, named, weights) * counted_runs(named, weights)


def counted_runs(named: BoolArray, weights: FloatArray) -> FloatArray:
    """How many runs with a weight have each document; shape (P,)."""
    count: FloatArray = named[weights > 0].sum(axis=0, dtype=np.float64)
    return count


_SCORED: Final = frozenset({"norm", "weights", "depth", "top"})

#: method → what it is
METHODS: Final[dict[str, Method]] = {
    "rrf": Method("Σ w / (k + rank)", frozenset({"k", "weights", "depth", "top"}), combine=weighted_sum),
    "combsum": Method("Σ w·s", _SCORED, combine=weighted_sum),
    "combmnz": Method("(how many runs have it) · Σ w·s", _SCORED, combine=_sum_times_count),
    "union": Method("in any run", frozenset({"depth"}), ranks=False),
    "intersection": Method("in all runs", frozenset({"depth"}), ranks=False),
    "vote": Method(
        "in runs whose weights are at least LEAST together; by default more than half of all. Of answers, the label "
        "with the greater weight",
        frozenset({"weights", "least", "depth", "ties"}),
        ranks=False,
    ),
}


class Parts(NamedTuple):
    """What each run gives to each document before weights."""

    values: FloatArray  # shape (n, P); 0 where there is none
    given: BoolArray  # shape (n, P); where there is one: for what the run has retrieved, and with Borda counts for all


def parts_of(held: Candidates, method: str, norm: str, k: float) -> Parts:
    """What each run gives to each document before weights."""
    if method == "rrf":
        return Parts(np.where(held.named, 1.0 / (k + np.maximum(held.ranks, 1)), 0.0), held.named)
    if NORMS[norm].of_scores and bool(np.any(np.abs(held.scores) > GREATEST_SCORE)):
        problem = f"scores beyond {GREATEST_SCORE:g} cannot be normalised; take --norm borda, or rrf"
        raise UsageError("bad-score", problem)
    if norm == "max" and bool(np.any(held.scores[held.named] < 0)):
        problem = "--norm max divides by the greatest score and would turn negative ones around; take min-max"
        raise UsageError("bad-score", problem)
    given = np.ones_like(held.named) if NORMS[norm].of_all else held.named
    return Parts(np.where(given, NORMS[norm].value(held), 0.0), given)
