"""JSON Lines whose records are written alike, as columns: what stands between their values is replaced, not parsed.

The text around the values of ``{"query_id": "877", "doc_id": "76", "score": 20.5}`` is mostly that of every other
line. Where each line of a block has it, each piece of it becomes one sign, and the values are the columns of regular
lines. Whatever is written otherwise is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, overload

import numpy as np

from coliee_adapters.forms import json_text
from coliee_adapters.forms.columns import RegularLines, equal
from coliee_adapters.forms.decimals import decimals, integers
from coliee_adapters.forms.form import Column

#: a key with what stands before its value; the value, a text or a number; and what stands behind it
_MEMBER: Final = re.compile(rb'([{,] *"([^"\\]+)" *: *("?))[^"\\{}\[\], ]+(\3 *)(?=[,}])')
#: what pieces of text become: no JSON Lines have them
_SIGNS: Final = bytes(sign for sign in range(1, 32) if sign != ord("\n"))
_FRACTION: Final = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)")
_ZERO, _NINE, _MINUS, _POINT, _NULL = b"09-.n"


class Alike(Sequence[Mapping[str, Any]]):
    """Records of texts and numbers with the same keys; as columns, and one by one when they are asked for.

    Attributes:
        columns: key → values, which are those of the records.
    """

    def __init__(self, block: bytes, name: str, first: int, columns: Mapping[str, Sequence[Any]]) -> None:
        self._block, self._name, self._first = block, name, first
        self.columns = columns

    @classmethod
    def of(cls, block: bytes, name: str, first: int) -> Alike | None:
        """The records of lines, of which the first has this number; None where they may not be written alike."""
        members = list(_MEMBER.finditer(line := block[: block.find(b"\n") + 1]))
        keys = [member[2].decode("ascii") for member in members] if block.isascii() else []
        end = line[members[-1].end() :] if keys else b""
        whole = b"".join((*(member[0] for member in members), end))
        if end != b"}\n" or whole != line or not line.startswith(b"{") or len({*keys}) < len(keys):
            return None
        befores, (*behinds, last) = [member[1] for member in members], [member[4] for member in members]
        pieces = [behind + before for behind, before in zip(behinds, befores[1:], strict=True)]
        if (lines := _lines(block.removesuffix(b"\n"), befores[0], pieces, last + b"}")) is None:
            return None
        columns = {key: lines.ids(i) if members[i][3] else _numbers(lines, i) for i, key in enumerate(keys)}
        filled = {key: column for key, column in columns.items() if column is not None}
        return cls(block, name, first, filled) if len(filled) == len(columns) else None

    @cached_property
    def _records(self) -> list[Any]:
        batches = json_text.batches(self._block.decode("ascii"), self._name, self._first)
        return [record for _, batch in batches for record in batch]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @overload
    def __getitem__(self, i: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Mapping[str, Any]]: ...
    def __getitem__(self, i: Any) -> Any:
        return self._records[i]


def _lines(block: bytes, first: bytes, pieces: Sequence[bytes], last: bytes) -> RegularLines | None:
    """The values of lines that all have the same pieces of text around them, in order; None where one may not."""
    if not (block.startswith(first) and block.endswith(last)) or len(pieces) > len(_SIGNS):
        return None
    values = block[len(first) : len(block) - len(last)].replace(last + b"\n" + first, b"\n")
    for sign, piece in zip(_SIGNS, pieces, strict=False):
        values = values.replace(piece, bytes([sign]))
    if b'"' in values or b"\\" in values:
        return None
    lines = RegularLines.of(values, _SIGNS[: len(pieces)] + b"\n")
    # each line has each sign once; and where so many bytes are gone, no sign stood there before
    gone = sum(map(len, (first, *pieces, last))) - len(pieces)
    return lines if lines is not None and len(values) + gone * len(lines.first[0]) == len(block) else None


def _numbers(lines: RegularLines, i: int) -> Column | None:
    """A column of numbers as JSON writes them, all whole or all with a point, or null; None where one is neither."""
    raw, first, last = lines.raw, lines.first[i].copy(), lines.last[i].copy()
    signs, valid = np.frombuffer(raw, dtype=np.uint8), None
    if (signs[first] == _NULL).any():
        valid = ~equal(lines.ids(i), "null")
        if not valid.any():
            return Column(np.zeros(len(valid)), valid)
        # a number of another line is read in the place of each null
        first, last = (np.where(valid, bounds, bounds[valid.argmax()]) for bounds in (first, last))
    begin = first + (signs[first] == _MINUS)
    ends, second = signs[[begin, last - 1]], signs[begin + 1]
    if ends.min() < _ZERO or ((ends[0] == _ZERO) & (second >= _ZERO) & (second <= _NINE)).any():
        return None
    if (whole := integers(raw, first, last)) is not None:
        return Column(whole, valid)
    points = np.flatnonzero(signs == _POINT)
    have_one = np.searchsorted(points, first) < np.searchsorted(points, last)
    values = decimals(raw, first, last, _fraction) if have_one.all() else None
    return None if values is None else Column(values, valid)


def _fraction(text: bytes) -> float:
    if not _FRACTION.fullmatch(text):
        raise ValueError
    return float(text)
