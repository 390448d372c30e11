"""What a caller of the Python functions gives: refused in a sentence where it comes in, not deep inside.

The command line gives nothing that these refuse: its parser has checked it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from types import UnionType
from typing import Any

from coliee_adapters.errors import UsageError, shortened


def refused(name: str, wanted: str, found: object) -> UsageError:
    """The error for a value that is something else.

    >>> str(refused("folds", "an integer ≥ 2", "x"))
    "folds must be an integer ≥ 2 (found 'x')"
    """
    return UsageError("bad-value", f"{name} must be {wanted} (found {shortened(repr(found))})")


def texts(name: str, value: object, wanted: str) -> list[str]:
    """One text, or several."""
    if isinstance(value, str):
        return [value]
    found: list[Any] = list(value) if isinstance(value, Iterable) and not isinstance(value, bytes) else [None]
    if not all(isinstance(one, str) for one in found):
        raise refused(name, wanted, value)
    return found


def is_whole(value: object, least: int, most: int | None = None) -> bool:
    """Whether it is an integer within bounds, NumPy's included; True and False are none."""
    return (
        isinstance(value, Integral)
        and not isinstance(value, bool)
        and least <= int(value)
        and (most is None or int(value) <= most)
    )


def is_finite(value: object) -> bool:
    """Whether it is a real number that a float can hold, NumPy's included; True and False are none.

    >>> is_finite(0.5), is_finite(10**400), is_finite(float("nan")), is_finite(True)
    (True, False, False, False)
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def one_of(name: str, value: object, kinds: type | tuple[type, ...] | UnionType, wanted: str) -> Any:
    """A value of a type."""
    if not isinstance(value, kinds):
        raise refused(name, wanted, value)
    return value


def numbers(name: str, value: object, wanted: str = "a list of numbers") -> tuple[Any, ...]:
    """Real numbers, as they were given."""
    found = tuple(value) if isinstance(value, Iterable) else (None,)
    if not all(isinstance(one, Real) for one in found):
        raise refused(name, wanted, value)
    return found


def groups_of(value: object, queries: Iterable[str], name: str = "groups") -> Mapping[str, str] | None:
    """Query → group, with a group for every query; None for none."""
    if value is None:
        return None
    found: Mapping[str, str] = one_of(name, value, Mapping, "a dictionary from query ids to names of groups")
    if missing := [query for query in queries if query not in found]:
        have = "1 judged query has" if len(missing) == 1 else f"{len(missing):,} judged queries have"
        problem = f"{have} no group (first: {shortened(missing[0])}); give every query of the gold a group"
        raise UsageError("missing-key", problem)
    return found
