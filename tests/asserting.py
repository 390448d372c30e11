"""What the program says, as tests compare it: by kind and fields, never by wording.

In what a test expects, `[bad-score]` stands for a sentence of that kind and `…` for any words, of one line; the remedy
and the kind at the end of a line may be left out: `f.txt, line 2: [bad-score] (found 'x')`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import pytest

from coliee_adapters.errors import InputError
from coliee_adapters.kinds import ERRORS, REMARKS, told

#: a command and its words → its exit code, standard output and standard error
Call = Callable[..., tuple[int, str, str]]

_KNOWN = "|".join(map(re.escape, {*ERRORS, *(row.partition(".")[0] for row in REMARKS)}))
_WILD = re.compile(rf" ?(…|\[(?:{_KNOWN})\]) ?")
_END = r"(?:(?:; .*)? \[[a-z0-9-]+\])?"


@cache
def _regex(expected: str) -> str:
    lines = []
    for line in expected.split("\n"):
        pieces = [re.escape(piece) for piece in _WILD.split(line)]
        pieces[1::2] = [".*?" if piece == "…" else rf"(?=.*{piece}$).*?" for piece in pieces[1::2]]
        lines.append("".join(pieces))
    return "(?m)" + f"{_END}\n".join(lines)


class Said(str):
    """What was said: a comparison with what is expected lets wildcards be wildcards."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, expected: object) -> bool:
        if not isinstance(expected, str):
            return NotImplemented
        return str.__eq__(self, expected) or re.fullmatch(_regex(str(expected)) + _END, self) is not None

    def __ne__(self, expected: object) -> bool:
        return not self == expected

    def __contains__(self, expected: str) -> bool:
        return re.search(_regex(str(expected)), self) is not None

    def startswith(self, expected: Any, *place: Any) -> bool:
        return re.match(_regex(str(expected)), self) is not None

    def endswith(self, expected: Any, *place: Any) -> bool:
        return re.search(_regex(str(expected)) + _END + r"\Z", self) is not None

    def count(self, expected: str, *place: Any) -> int:
        return str.count(self, expected) or sum(expected in line for line in self.splitlines())

    def splitlines(self, keepends: bool = False) -> list[str]:
        return [Said(line) for line in str.splitlines(self, keepends)]

    def rstrip(self, what: str | None = None) -> str:
        return Said(str.rstrip(self, what))


def heard(what: Any) -> Any:
    """An error, a remark, or a list of them, as the command line tells it."""
    if isinstance(what, str | BaseException):
        return what if isinstance(what, Said) else Said(told(what))
    if isinstance(what, Mapping):
        return {key: heard(value) for key, value in what.items()}
    if isinstance(what, Iterable):
        return (tuple if isinstance(what, tuple) else list)(map(heard, what))
    return what


def clause(error: InputError) -> Said:
    """What is wrong, without the place, what stood there and the remedy."""
    return Said(f"{error.problem} [{error.kind}]")


@contextlib.contextmanager
def refusing(error: type[Exception], expected: str) -> Iterator[pytest.ExceptionInfo[Any]]:
    """A block that raises this error, which says what is expected."""
    with pytest.raises(error) as caught:
        yield caught
    assert expected in heard(caught.value)


def done(call: Call, *words: object) -> tuple[str, str]:
    """What a command prints, and says beside it, that does what it is asked."""
    code, out, err = call(*words)
    assert code == 0, err
    return out, err


def failing(call: Call, *words: object) -> str:
    """What a command says that is refused, and prints nothing."""
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    return err
