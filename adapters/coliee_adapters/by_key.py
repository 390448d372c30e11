"""Items by what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


def by_key(items: Iterable[_V], key: Callable[[_V], _K]) -> dict[_K, list[_V]]:
    """Key → the items that have it; keys and items in the order in which they come.

    >>> by_key(["run1", "gold", "run2"], lambda name: name[0])
    {'r': ['run1', 'run2'], 'g': ['gold']}
    """
    found: dict[_K, list[_V]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found
