"""What a caller of the Python functions gives: refused in a sentence where it comes in, not deep inside.

The command line gives nothing that these refuse: its parser has checked it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, ItemsView, Iterable, KeysView, Mapping, Sequence, Set
from functools import wraps
from numbers import Integral, Real
from types import UnionType
from typing import Any, Final, ParamSpec, TypeVar

from coliee_adapters.errors import UsageError, shortened

_P = ParamSpec("_P")
_T = TypeVar("_T")

#: what other libraries call an argument → what it is called here, of which a function has one
_NAMES_ELSEWHERE: Final = {
    **dict.fromkeys(("metric", "metrics", "maximise", "maximize", "optimise", "optimize"), ("measures", "measure")),
    **dict.fromkeys(("year", "season"), ("edition",)),
    **dict.fromkeys(("unanswered", "empty_gold", "no_overlap", "unreadable_answers", "order"), ("decisions",)),
    **dict.fromkeys(("queries", "topics", "query_ids"), ("only",)),
}


def error_for_argument(name: str, wanted: str, found: object) -> UsageError:
    """The error for a value that is something else.

    >>> str(error_for_argument("folds", "an integer ≥ 2", "x"))
    "folds must be an integer ≥ 2 (found 'x')"
    """
    text = repr(found)
    text = type(found).__name__ if "\n" in text else text  # a frame shows itself in lines
    return UsageError("bad-value", f"{name} must be {wanted} (found {shortened(text)})")


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """The known word most like one that was typed, or the one it begins, as the rest of a sentence.

    >>> did_you_mean("exclud", ["exclude", "only"])
    '; did you mean exclude?'
    """
    import difflib  # a mistake may take its time

    known = list(known)
    begun = [word for word in known if len(typed) > 1 and word.startswith(typed)]
    close = begun or difflib.get_close_matches(typed, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def suggesting_keywords(*more: str, others: str = "") -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Decorate a public function so that a misspelt keyword argument is answered with the one that was probably meant.

    Args:
        more: the keywords that the function's ``**`` stands for.
        others: what to do with keywords that are like none.

    >>> @suggesting_keywords()
    ... def rank(runs, *, measure=""): ...
    >>> rank([], metric="AP")
    Traceback (most recent call last):
    TypeError: rank() got an unexpected keyword argument 'metric'; did you mean measure?
    """

    def decorated(function: Callable[_P, _T]) -> Callable[_P, _T]:
        code = function.__code__
        known = dict.fromkeys((*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], *more))

        @wraps(function)
        def checked(*args: _P.args, **keywords: _P.kwargs) -> _T:
            if unknown := keywords.keys() - known.keys():
                raise _unexpected_keyword(function.__qualname__, min(unknown), known.keys() - {"self"}, others)
            return function(*args, **keywords)

        wrapped: Any = checked
        wrapped.__kwdefaults__ = function.__kwdefaults__  # by which the command line knows its options
        return checked

    return decorated


def _unexpected_keyword(function: str, typed: str, known: Collection[str], others: str) -> TypeError:
    """As Python raises it; with the argument that was probably meant, or all that there are."""
    other = next((name for name in _NAMES_ELSEWHERE.get(typed, ()) if name in known), None)
    hint = did_you_mean(typed, known) if other is None else f"; did you mean {other}?"
    problem = f"{function.removesuffix('.__init__')}() got an unexpected keyword argument {typed!r}"
    return TypeError(problem + (hint or f"; {others or 'it takes ' + ', '.join(sorted(known))}"))


def has_order(value: object) -> bool:
    """Whether what it holds comes in an order that somebody gave: not that of a set.

    >>> has_order(["d1", "d2"]), has_order({"d1": 1}.keys()), has_order({"d1", "d2"})
    (True, True, False)
    """
    return not isinstance(value, Set) or isinstance(value, KeysView | ItemsView | Sequence)


def in_order(name: str, value: object, wanted: str) -> Any:
    """A value whose order matters, which a set does not have."""
    if not has_order(value):
        raise error_for_argument(name, f"{wanted}: a set has no order", value)
    return value


def texts(name: str, value: object, wanted: str, *, ordered: bool = False) -> list[str]:
    """One text, or several; with ``ordered``, in an order that matters."""
    if isinstance(value, str):
        return [value]
    if ordered:
        in_order(name, value, wanted)
    listed: list[Any] = list(value) if isinstance(value, Iterable) and not isinstance(value, bytes) else [None]
    if not all(isinstance(text, str) for text in listed):
        raise error_for_argument(name, wanted, value)
    return listed


def is_integer_within(value: object, least: int, most: int | None = None) -> bool:
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
        raise error_for_argument(name, wanted, value)
    return value


def numbers(name: str, value: object, wanted: str = "a list of numbers") -> tuple[Any, ...]:
    """Real numbers, as they were given."""
    values = tuple(value) if isinstance(value, Iterable) else (None,)
    if not all(isinstance(number, Real) for number in values):
        raise error_for_argument(name, wanted, value)
    return values


def groups_of(value: object, queries: Iterable[str], name: str = "groups") -> Mapping[str, str] | None:
    """Query → group, with a group for every query; None for none."""
    if value is None:
        return None
    groups: Mapping[str, str] = one_of(name, value, Mapping, f"a dictionary from query ids to names of {name}")
    if missing := [query for query in queries if query not in groups]:
        have = "1 query has" if len(missing) == 1 else f"{len(missing):,} queries have"
        kind = name.removesuffix("s")
        raise UsageError(
            "missing-key", f"{have} no {kind} (first: {shortened(missing[0])}); give every query that counts a {kind}"
        )
    return groups
