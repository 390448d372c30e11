"""How queries are resampled, as a value that checks itself."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Final

from coliee_adapters.checked import is_integer_within
from coliee_adapters.errors import UsageError
from coliee_ir.rules.choices import (
    CONFIDENCE_LEVEL as CONFIDENCE_LEVEL,
    FOLDS as FOLDS,
    N_RESAMPLES as N_RESAMPLES,
    SEED as SEED,
)

#: How many times queries are dealt anew to folds: one split alone moves a held-out score by about .01.
REPEATS: Final = 10

#: More repeats than these would need more time than digits of a score are worth.
MOST_REPEATS: Final = 1000

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


def resampled(drawn: int, seed: int) -> str:
    """How queries were resampled, in words."""
    return f"{drawn:,} resamples, seed {seed}" if drawn else "exact: all sign flips"
