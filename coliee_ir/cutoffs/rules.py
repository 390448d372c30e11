"""Rules that cut a ranking: each is a value of every row that falls with the rank, and a threshold on it.

A rule keeps the rows whose value is at least the threshold, but at least ``floor`` and at most ``cap`` rows a query.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.cutoffs.pool import Pool
from coliee_ir.judged import BoolArray, FloatArray

_MIDDLE: Final = 0.5


class Family(NamedTuple):
    """A kind of rule.

    Attributes:
        says: what a rule of it keeps, with ``{}`` for the parameter.
        value: the value of each row; within a query it must not rise with the rank.
        parameter: what a person calls a threshold on that value.
        of_scores: whether it needs scores of the run's own.
        positive: whether it needs scores that are not negative.
        fixed: the threshold, for a rule without a parameter.
    """

    says: str
    value: Callable[[Pool], FloatArray]
    parameter: Callable[[float], float] = lambda threshold: threshold
    of_scores: bool = True
    positive: bool = False
    fixed: float | None = None


def _least(pool: Pool) -> FloatArray:
    """The last score of each row's query."""
    return np.asarray(pool.scores[pool.start[pool.query] + pool.lengths[pool.query] - 1])


def _ratio(pool: Pool) -> FloatArray:
    return _divided(pool.scores, pool.top)


def _minmax(pool: Pool) -> FloatArray:
    least = _least(pool)
    return _divided(pool.scores - least, pool.top - least)


def _z(pool: Pool) -> FloatArray:
    n = np.maximum(pool.lengths, 1)
    mean = (pool.sums(pool.scores) / n)[pool.query]
    spread = np.sqrt(pool.sums((pool.scores - mean) ** 2) / n)[pool.query]
    return _divided(pool.scores - mean, spread, otherwise=0.0)


def _softmax(pool: Pool) -> FloatArray:
    weights = np.exp(pool.scores - pool.top)
    return np.asarray(weights / pool.sums(weights)[pool.query])


def _mass(pool: Pool) -> FloatArray:
    """Minus the share of the query's score mass that stands before the row."""
    total = pool.sums(pool.scores)[pool.query]
    return -_divided(pool.before(pool.scores), total, otherwise=0.0)


def _gap(pool: Pool) -> FloatArray:
    """1 up to the largest gap between neighbouring scores of a query (the first, if several are equal), else 0."""
    last = pool.start[pool.query] + pool.lengths[pool.query] - 1
    at = np.arange(len(pool.scores))
    gap = np.where(at < last, pool.scores - np.append(pool.scores[1:], 0.0), -np.inf)
    widest = np.full(len(pool.queries), -np.inf)
    np.maximum.at(widest, pool.query, gap)
    passed = pool.before((gap == widest[pool.query]).astype(np.float64))
    return (passed < 1).astype(np.float64)


def _divided(above: FloatArray, below: FloatArray, otherwise: float = 1.0) -> FloatArray:
    """The quotient; ``otherwise`` where it does not exist, as where all scores are equal."""
    quotient = np.full(len(above), otherwise)
    np.divide(above, below, out=quotient, where=below > 0)
    return quotient


#: name → kind of rule, the simplest first
FAMILIES: Final[dict[str, Family]] = {
    "k": Family("the first {:g} of each query", lambda pool: -pool.rank.astype(np.float64), lambda t: -t, False),
    "score": Family("scores of at least {:g}", lambda pool: pool.scores),
    "ratio": Family("scores of at least {:g} of the query's best", _ratio, positive=True),
    "margin": Family("scores at most {:g} below the query's best", lambda pool: pool.scores - pool.top, lambda t: -t),
    "minmax": Family("scores of at least {:g}, between 0 (the query's last) and 1 (its best)", _minmax),
    "z": Family("scores of at least {:g} standard deviations above the query's mean", _z),
    "softmax": Family("a softmax share of at least {:g}", _softmax),
    "mass": Family("documents until {:g} of the query's score mass is reached", _mass, lambda t: -t, positive=True),
    "gap": Family("documents before the query's largest gap between scores", _gap, fixed=_MIDDLE),
}

#: other names: a score over the query's greatest is its ratio to the best
ALIASES: Final = {"max": "ratio"}


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with its parameters.

    Attributes:
        family: its kind, one of ``FAMILIES``.
        threshold: the least value that is kept.
        floor: so many rows of a query are kept in any case.
        cap: not more than so many; None for no bound.
    """

    family: str
    threshold: float
    floor: int = 0
    cap: int | None = None

    def keeps(self, pool: Pool) -> BoolArray:
        """Which rows are kept; shape (N,)."""
        kept = FAMILIES[self.family].value(pool) >= self.threshold
        kept |= pool.rank <= self.floor
        if self.cap is not None:
            kept &= pool.rank <= self.cap
        return kept

    def __str__(self) -> str:
        family = FAMILIES[self.family]
        told = family.says.format(family.parameter(self.threshold))
        told += f", at least {self.floor}" if self.floor else ""
        return told + (f", at most {self.cap}" if self.cap is not None else "")

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, members: Any) -> Rule:
        """The rule that JSON holds.

        Raises:
            UsageError: it holds none.
        """
        try:
            family, threshold = members["family"], float(members["threshold"])
            floor, cap = members.get("floor", 0), members.get("cap")
        except (TypeError, KeyError, ValueError, AttributeError):
            raise UsageError('a rule is {"family": "score", "threshold": 0.5, "floor": 1, "cap": 10}') from None
        counts = [floor, *([] if cap is None else [cap])]
        if family not in FAMILIES:
            raise UsageError(f"there is no rule {family!r}; there are {', '.join(FAMILIES)}")
        if np.isnan(threshold) or any(not isinstance(n, int) or isinstance(n, bool) or n < 0 for n in counts):
            raise UsageError("the floor and the cap of a rule are whole numbers, and its threshold is a number")
        return cls(family, threshold, floor, cap)


def named(names: str | list[str] | tuple[str, ...] | None, pool: Pool) -> list[str]:
    """The kinds of rule asked for, or all that the run's scores allow.

    Raises:
        UsageError: there is no such rule, or the run's scores do not allow it.
    """
    negative = bool(len(pool.scores)) and float(pool.scores.min()) < 0
    possible = [
        name
        for name, family in FAMILIES.items()
        if (pool.scored or not family.of_scores) and not (family.positive and negative)
    ]
    if not names:
        return possible
    asked = [ALIASES.get(name, name) for name in ([names] if isinstance(names, str) else names)]
    for name in asked:
        if name not in FAMILIES:
            raise UsageError(f"there is no rule {name!r}; there are {', '.join((*FAMILIES, *ALIASES))}")
        if name not in possible:
            why = "the run has no scores" if not pool.scored else "the run has negative scores"
            raise UsageError(f"the rule {name!r} cannot be used: {why}")
    return asked
