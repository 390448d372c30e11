"""What the program says, as tests compare it: by kind and fields, never by wording.

What a command prints is plain text, and `==` is exact. In what `matches`, `begins`, `mentions` and `refusing` expect,
`[bad-score]` stands for a sentence of that kind and `…` for any words, of one line; the remedy and the kind at the end
of a line may be left out: `f.txt, line 2: [bad-score] (found 'x')`.
"""

import contextlib
import re
from collections.abc import Iterable, Mapping
from functools import cache

import pytest

from coliee_adapters.kinds import ERRORS, REMARKS, with_kind
from coliee_ir.rules.choices import FORMS

_KNOWN = "|".join(map(re.escape, {*ERRORS, *(row.partition(".")[0] for row in REMARKS)}))
_WILD = re.compile(rf" ?(…|\[(?:{_KNOWN})\]) ?")
_END = rf"(?:(?:; .*)? \[(?:{_KNOWN})\])?"


def _whole_numbers(text):
    """A pattern of a text in which the numbers at its ends are no parts of longer ones: 2 is neither -2 nor 12."""
    begin = r"(?<![\w-])(?<!\d[.,])" if text[:1].isdigit() else ""
    return begin + re.escape(text) + (r"(?!\w|[.,]\d)" if text[-1:].isdigit() else "")


@cache
def _regex(expected):
    lines = []
    for line in expected.split("\n"):
        pieces = [_whole_numbers(piece) for piece in _WILD.split(line)]
        pieces[1::2] = [".*?" if piece == "…" else rf"(?=.*{piece}$).*?" for piece in pieces[1::2]]
        lines.append("".join(pieces))
    return "(?m)" + f"{_END}\n".join(lines)


def matches(text, expected):
    """Whether a text is as expected, whose wildcards are wildcards; of several texts, each of them."""
    if isinstance(text, BaseException):
        text = heard(text)
    if isinstance(text, str) and isinstance(expected, str):
        return text == expected or re.fullmatch(_regex(expected) + _END, text) is not None
    if isinstance(expected, Mapping):
        return text.keys() == expected.keys() and all(matches(text[key], expected[key]) for key in expected)
    if isinstance(expected, list | tuple):
        return type(text) is type(expected) and len(text) == len(expected) and all(map(matches, text, expected))
    return bool(text == expected)


def begins(text, expected):
    """Whether the text begins with what is expected, whose wildcards are wildcards."""
    return re.match(_regex(expected), text) is not None


def mentions(text, expected):
    """Whether what is expected, whose wildcards are wildcards, is a part of the text, or one of several texts."""
    if isinstance(text, str):
        return re.search(_regex(expected), text) is not None
    return any(matches(line, expected) for line in text)


def heard(what):
    """An error, a remark, or a list of them, as the command line tells it."""
    if isinstance(what, str | BaseException):
        return with_kind(what)
    if isinstance(what, Mapping):
        return {key: heard(value) for key, value in what.items()}
    if isinstance(what, Iterable):
        return (tuple if isinstance(what, tuple) else list)(map(heard, what))
    return what


def clause(error):
    """What is wrong, without the place, what stood there and the remedy."""
    return f"{error.problem} [{error.kind}]"


@contextlib.contextmanager
def refusing(error, expected):
    """A block that raises this error, which says what is expected."""
    with pytest.raises(error) as caught:
        yield caught
    assert mentions(heard(caught.value), expected)


def done(call, *words):
    """What a command prints, and says beside it, that does what it is asked."""
    code, out, err = call(*words)
    assert code == 0, err
    return out, err


def failing(call, *words):
    """What a command says that is refused, and prints nothing."""
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    return err


def forms_of(kind):
    """What results of a class can be written in."""
    return tuple(dict.fromkeys((*FORMS, *kind.forms)))
