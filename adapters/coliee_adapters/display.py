"""How many columns of a terminal a text takes, and text cut and padded to so many.

Wide characters, such as kanji, take two columns, and marks that stand on others none: rich has the tables for it, which
are loaded for text that is not ASCII.
"""

from __future__ import annotations

from bisect import bisect_right
from unicodedata import combining

_JOINER = "\u200d"
#: the class of viramas, which join two letters of Indic scripts to one sign
_VIRAMA = 9


def width(text: str) -> int:
    """The number of columns that a text takes.

    >>> width("abc"), width("民法"), width("Điê\u0300u")
    (3, 4, 4)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, columns: int) -> str:
    """A text that takes at most so many columns; of a longer one the beginning, in whole signs, and ``…``.

    >>> cut("民法第九十六条", 8), cut("कानून", 2)
    ('民法第…', 'का…')
    """
    if width(text) <= columns:
        return text
    if text.isascii():
        return text[: columns - 1] + "…"
    ends = [at for at in range(len(text)) if not goes_on(text[at - 1 : at], text[at])]
    fitting = bisect_right(ends, columns - 1, key=lambda at: width(text[:at]))
    return text[: ends[fitting - 1]] + "…"


def goes_on(before: str, character: str) -> bool:
    """Whether a character is of one sign with the one before it."""
    if before.isascii() and character.isascii():
        return False
    return bool(before) and (width(character) == 0 or before[-1] == _JOINER or combining(before[-1]) == _VIRAMA)


def joins(before: str, character: str) -> bool:
    """Whether a character is a joiner that shapes the letters of an Indic script, and stands where one can."""
    return character in "\u200c\u200d" and bool(before) and combining(before) == _VIRAMA


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """A text with blanks behind it, or before it, so that it takes so many columns."""
    blanks = " " * (columns - width(text))
    return blanks + text if right else text + blanks
