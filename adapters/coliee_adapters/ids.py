"""Many ids in one piece of memory: the bytes of a file as they were read, and where each id stands in them.

An id becomes a Python text only where somebody asks for it; for comparing, eight bytes at a time become a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
WordArray = npt.NDArray[np.uint64]
BoolArray = npt.NDArray[np.bool_]

#: So many bytes behind the last id can be read without harm.
PADDING = 32

_LONGEST = PADDING // 8

_TXT = np.frombuffer(b".txt", dtype="<u4")[0]

_BLANK = ord(" ")

#: in each byte of a word: the highest bit, and what lifts the first visible character to it
_HIGH, _VISIBLE = np.uint64(0x8080808080808080), np.uint64(0x0101010101010101 * (127 - _BLANK))


class Ids(Sequence[str]):
    """A sequence of ids."""

    __slots__ = ("first", "length", "raw")

    def __init__(self, raw: bytes, first: IntArray, length: IntArray) -> None:
        self.raw, self.first, self.length = raw, first, length

    @classmethod
    def of(cls, texts: Iterable[str]) -> Ids:
        """Ids from texts; Ids stay as they are."""
        if isinstance(texts, Ids):
            return texts
        texts = list(texts)
        if (plain := cls.plain(texts, len(texts))) is not None:
            return plain
        pieces = [text.encode("utf-8") for text in texts]
        length = np.fromiter(map(len, pieces), dtype=np.int64, count=len(pieces))
        first = np.cumsum(length) - length
        return cls(b"".join((*pieces, bytes(PADDING))), first, length)

    @classmethod
    def plain(cls, texts: Iterable[str], n: int) -> Ids | None:
        """Ids from ``n`` texts of visible ASCII characters, by one join; None where any is empty or has another.

        Some may be joined by line ends already.
        """
        together = "\n".join(texts)
        if not together.isascii():
            return None
        raw = together.encode("ascii") + bytes(PADDING)
        # behind the last one is one zero more; an empty one stands between two blanks, or before the first
        last = np.flatnonzero(np.frombuffer(raw, dtype=np.uint8, count=len(together) + 1) <= _BLANK)
        first = np.concatenate(([0], last[:-1] + 1))
        return cls(raw, first, last - first) if len(last) == n and (last > first).all() else None

    @classmethod
    def of_numbers(cls, numbers: npt.NDArray[np.integer[Any]]) -> Ids:
        """Ids from whole numbers from 0 on, in decimal digits."""
        n, greatest = len(numbers), int(numbers.max(initial=0))
        width = len(str(greatest))
        left = numbers.astype(np.uint32 if greatest < 1 << 32 else np.uint64)
        length = np.ones(n, dtype=np.int64)
        for i in range(1, width):
            length += left >= 10**i
        digits = np.empty((n, width), dtype=np.uint8)
        for i in reversed(range(width)):
            left, digits[:, i] = np.divmod(left, 10)
        digits += ord("0")
        return cls(digits.tobytes() + bytes(PADDING), width * np.arange(1, n + 1) - length, length)

    def are_plain(self) -> bool:
        """Whether each is of 1 to 32 visible ASCII characters."""
        if self.length.min(initial=1) < 1 or self.length.max(initial=1) > PADDING:
            return False
        for i, word in enumerate(self.words(self.words_needed())):
            visible = MASKS[np.clip(self.length - 8 * i, 0, 8)] & _HIGH
            # a byte from 33 to 127 comes to 128 and more
            if (word & _HIGH).any() or ((word + _VISIBLE) & _HIGH != visible).any():
                return False
        return True

    def __len__(self) -> int:
        return len(self.first)

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> Ids: ...
    def __getitem__(self, i: int | slice) -> str | Ids:
        if isinstance(i, slice):
            return self.select(i)
        first = self.first[i]
        return self.raw[first : first + self.length[i]].decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        first, last = self.first, self.first + self.length
        return (self.raw[a:b].decode("utf-8") for a, b in zip(first.tolist(), last.tolist(), strict=True))

    def select(self, which: slice | npt.NDArray[np.generic]) -> Ids:
        """The ids at these places, or where a mask is true."""
        return Ids(self.raw, self.first[which], self.length[which])

    @classmethod
    def joined(cls, parts: Sequence[Ids]) -> Ids:
        """One sequence after the other, in new memory that holds nothing else."""
        parts = [part.compact() for part in parts]
        length = np.concatenate([np.zeros(0, dtype=np.int64), *(part.length for part in parts)])
        raw = b"".join((*(memoryview(part.raw)[:-PADDING] for part in parts), bytes(PADDING)))
        return cls(raw, np.cumsum(length) - length, length)

    def without_ending(self) -> Ids:
        """The same without a trailing ``.txt``, as ``normal_id`` makes them."""
        raw = np.ndarray(len(self.raw) - 3, dtype="<u4", buffer=self.raw, strides=(1,))
        ends = np.where(long_enough := self.length >= 4, self.first + self.length - 4, 0)
        return Ids(self.raw, self.first, self.length - 4 * (long_enough & (raw[ends] == _TXT)))

    def compact(self) -> Ids:
        """The same ids in new memory that holds nothing else."""
        first = np.cumsum(self.length) - self.length
        places = np.repeat(self.first - first, self.length) + np.arange(self.length.sum())
        return Ids(np.frombuffer(self.raw, dtype=np.uint8)[places].tobytes() + bytes(PADDING), first, self.length)

    def words(self, count: int) -> list[WordArray]:
        """The first 8·count bytes of each id as ``count`` numbers, the first bytes lowest, zero behind its end.

        Ids of at most 8·count bytes are equal exactly if these are.
        """
        raw = np.ndarray(len(self.raw) - 7, dtype="<u8", buffer=self.raw, strides=(1,))
        words = []
        for start in range(0, 8 * count, 8):
            # where an id has ended, nothing of what is read counts, and it need not stand in these bytes
            word = raw[np.minimum(self.first + start, len(raw) - 1) if start else self.first]
            left = np.minimum(np.maximum(self.length - start, 0), 8) if count > 1 else np.minimum(self.length, 8)
            words.append(word & MASKS[left])
        return words

    def forms(self) -> WordArray:
        """A number for the form of each id: where its signs stand between digits and letters, however many of these.

        ``CR93E-1`` and ``AB7X-10279`` have one form. What stands behind the first 32 bytes does not count.
        """
        form = np.zeros(len(self), dtype=np.uint64)
        before = np.zeros(len(self), dtype=np.uint8)
        for word in self.words(self.words_needed()):
            for column in word.view(np.uint8).reshape(-1, 8).T:
                sign = _KINDS[column]
                # a run of digits or of letters counts as one, and what is behind the end as nothing
                same = (sign == 0) | ((sign == before) & (sign < _SIGNS))
                form = np.where(same, form, (form ^ sign) * _ODD)
                before = sign
        return form

    def are_numbers(self) -> BoolArray:
        """Which ids are digits alone, as far as their first 32 bytes show."""
        numbers: BoolArray = self.forms() == _ODD  # a single sign, which is 1
        return numbers

    def words_needed(self) -> int:
        """How many words tell the ids apart; at most four, which 32 bytes fill."""
        return min((int(self.length.max(initial=1)) + 7) // 8, _LONGEST)


class Picked(Ids):
    """Ids of a collection, by their numbers; where each stands is looked up when it is asked for."""

    __slots__ = ("collection", "numbers")

    def __init__(self, collection: Ids, numbers: IntArray) -> None:
        self.raw, self.collection, self.numbers = collection.raw, collection, numbers

    def __reduce__(self) -> tuple[type[Picked], tuple[Ids, IntArray]]:
        return Picked, (self.collection, self.numbers)

    @property
    def first(self) -> IntArray:  # type: ignore[override]  # where Ids have a slot
        return self.collection.first[self.numbers]

    @property
    def length(self) -> IntArray:  # type: ignore[override]
        return self.collection.length[self.numbers]

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> Ids: ...
    def __getitem__(self, i: int | slice) -> str | Ids:
        return self.select(i) if isinstance(i, slice) else self.collection[int(self.numbers[i])]

    def select(self, which: slice | npt.NDArray[np.generic]) -> Picked:
        return Picked(self.collection, self.numbers[which])

    def are_plain(self) -> bool:
        """Whether each of the collection, picked or not, is plain."""
        return self.collection.are_plain()

    def with_known_places(self) -> Ids:
        """The same ids, of which it is known where each stands."""
        return Ids(self.raw, self.first, self.length)


class Forms(NamedTuple):
    """What the ids of a collection look like."""

    forms: WordArray  # their forms, each once
    length: int | None  # how long they are, where leading zeros fill them up to one length; else None

    @classmethod
    def of(cls, ids: Ids) -> Forms:
        filled_up = bool(len(ids)) and bool((ids.length == ids.length[0]).all())
        filled_up = filled_up and any(ids.raw[i : i + 1] == b"0" for i in ids.first.tolist())
        return cls(np.unique(ids.forms()), int(ids.length[0]) if filled_up else None)

    def include(self, ids: Ids) -> BoolArray:
        """Which of these ids look like those of the collection."""
        alike: BoolArray = np.isin(ids.forms(), self.forms)
        return alike if self.length is None else alike & (ids.length == self.length)

    def include_any(self, ids: Ids) -> bool:
        """Whether any of these ids looks like those of the collection."""
        return bool(self.include(ids).any())


def changes(queries: Ids) -> IntArray:
    """Where another query than in the line before begins; 0 first, and the number of lines at the end."""
    if isinstance(queries, Picked) and len(queries):
        numbered = np.flatnonzero(np.diff(queries.numbers, prepend=-1))
        heads = queries.select(numbered).with_known_places()  # two numbers may stand for one query
        return np.append(numbered[changes(heads)[:-1]], len(queries))
    differ = queries.length[1:] != queries.length[:-1]
    for word in queries.words(queries.words_needed()):
        differ |= word[1:] != word[:-1]
    long = np.flatnonzero(queries.length > PADDING)
    for i in long[long > 0].tolist() if len(long) else ():  # what differs behind the words
        differ[i - 1] |= queries[i] != queries[i - 1]
    return np.concatenate(([0], np.flatnonzero(differ) + 1, [len(queries)]))


def mixed(words: Sequence[WordArray], numbers: IntArray) -> WordArray:
    """A number for each (number, words), equal for equal ones and nearly always different for others."""
    key = numbers.astype(np.uint64)
    key *= _ODD
    for word in words:
        key ^= word
        key *= _ODD
        key ^= key >> _HALF
    return key


def pieces(start: IntArray, n: int) -> Iterator[tuple[int, int]]:
    """The first segment of each piece and that behind its last; a piece has about ``n`` rows, or one segment."""
    last = 0
    while last < len(start) - 1:
        first, last = last, max(int(np.searchsorted(start, start[last] + n, side="right")) - 1, last + 1)
        yield first, last


#: byte → 0 behind an id's end, 1 for a digit, 2 for a letter, else itself, which is _SIGNS at least
_SIGNS = 3
_KINDS = np.maximum(np.arange(256), _SIGNS).astype(np.uint8)
_KINDS[0] = 0
_KINDS[ord("0") : ord("9") + 1] = 1
_KINDS[ord("A") : ord("Z") + 1] = _KINDS[ord("a") : ord("z") + 1] = 2

_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)

#: how many bytes of a word count → the bits that do
MASKS: WordArray = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
