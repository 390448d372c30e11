"""Columns from Arrow's C interface, which frames of all libraries hand out: texts become Ids, numbers arrays.

Nothing is imported for it, and no Python object is made a row. See
https://arrow.apache.org/docs/format/CStreamInterface.html and …/CDataInterface.html for what the structures hold.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterable, Iterator, Sequence
from ctypes import POINTER, byref, c_char_p, c_int, c_int64, c_void_p
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from coliee_adapters.ids import PADDING, BoolArray, Collection, Ids, IntArray, Picked

_Numbers = npt.NDArray[Any]


class _Schema(ctypes.Structure):
    """What columns there are."""


class _Array(ctypes.Structure):
    """Rows of a column, or of a table, whose columns are then the children."""


_RELEASE: Final = ctypes.CFUNCTYPE(None, c_void_p)

_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", _RELEASE),
    ("private_data", c_void_p),
]
_Array._fields_ = [
    *((name, c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", _RELEASE),
    ("private_data", c_void_p),
]


class _Stream(ctypes.Structure):
    """What gives the columns, and then one piece of rows after the other."""

    _fields_ = (
        ("get_schema", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Schema))),
        ("get_next", ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Array))),
        ("get_last_error", ctypes.CFUNCTYPE(c_char_p, c_void_p)),
        ("release", _RELEASE),
        ("private_data", c_void_p),
    )


_address = ctypes.pythonapi.PyCapsule_GetPointer
_address.restype = c_void_p
_address.argtypes = [ctypes.py_object, c_char_p]

#: Arrow's letters for numbers → NumPy's
_NUMBERS: Final = {
    **{"c": "i1", "s": "<i2", "i": "<i4", "l": "<i8", "C": "u1", "S": "<u2", "I": "<u4", "L": "<u8"},
    **{"e": "<f2", "f": "<f4", "g": "<f8"},
}

#: every integer up to the one, and every power of ten up to the other, is a float
_EXACT_INTEGER: Final = 1 << 53
_EXACT_POWER: Final = 22

#: a text of up to so many bytes stands in its view
_INLINE: Final = 12


class Column(Sequence[Any]):
    """The values of a column, of which some may not be there; bytes that are not UTF-8 become lone surrogates.

    Attributes:
        values: texts as Ids, or an array of numbers or truth values.
        valid: shape (n,); which values are there; None if all are.
    """

    def __init__(self, values: Ids | _Numbers, valid: BoolArray | None) -> None:
        self.values, self.valid = values, valid

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        values: Iterable[Any]
        if isinstance(self.values, Ids):
            # behind a text that is not there, anything may stand
            texts = self.values if self.valid is None else self.values.at(self.valid)
            spans = zip(texts.first.tolist(), (texts.first + texts.length).tolist(), strict=True)
            values = (texts.raw[start:stop].decode("utf-8", "surrogateescape") for start, stop in spans)
        else:
            values = (self.values if self.valid is None else self.values[self.valid]).tolist()
        if self.valid is None:
            return iter(values)
        there = iter(values)
        return (next(there) if valid else None for valid in self.valid.tolist())

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]

    def ids(self) -> Ids | None:
        """Texts, or whole numbers from 0 on, as ids; None where any is not there, and for anything else."""
        if self.valid is not None or isinstance(self.values, Ids):
            return self.values if self.valid is None and isinstance(self.values, Ids) else None
        whole = self.values.dtype.kind in "iu" and not (self.values < 0).any()
        return Ids.of_numbers(self.values) if whole else None

    def numbers(self) -> _Numbers | None:
        """Numbers; None where any is not there, and for anything else."""
        if self.valid is not None or isinstance(self.values, Ids):
            return None
        return self.values if self.values.dtype.kind in "iuf" else None


class Table:
    """A table that a library handed out; what is asked of it is copied, and all of it given back when it is dropped.

    Args:
        held: anything with ``__arrow_c_stream__``.

    Raises:
        OSError: the library cannot give the rows; it says why.
        Exception: whatever else the library raises, such as an ImportError where it needs another one.
    """

    def __init__(self, held: Any) -> None:
        capsule = held.__arrow_c_stream__()
        address = _address(capsule, b"arrow_array_stream")
        stream = _Stream.from_address(address)
        self._schema, self._arrays = _Schema(), list[_Array]()
        _check(stream, address, stream.get_schema(address, byref(self._schema)))
        weakref.finalize(self, _give_back, self._schema, self._arrays).atexit = False
        while True:
            array = _Array()
            _check(stream, address, stream.get_next(address, byref(array)))
            if not array.release:
                break
            self._arrays.append(array)
        children = self._schema.children[: self._schema.n_children]
        self.columns = tuple(child.contents.name.decode("utf-8", errors="replace") for child in children)
        self._is_table = self._schema.format == b"+s" and not any(map(_has_nulls, self._arrays))

    def column(self, at: int) -> Column | None:
        """A column; None where its type is none of texts, bytes, numbers, truth values, or these by number."""
        if not self._is_table:
            return None
        kind = self._schema.children[at].contents
        parts = [
            _column(kind, array.children[at].contents, array.offset, array.length)
            for array in self._arrays
            if array.length
        ]
        found = [part for part in parts if part is not None]
        return _joined(found) if len(found) == len(parts) else None


def _has_nulls(array: _Array) -> bool:
    """Whether values may not be there; how many is -1 where nobody has counted."""
    return bool(array.null_count and array.n_buffers and array.buffers[0])


def _give_back(schema: _Schema, arrays: Sequence[_Array]) -> None:
    for one in (*arrays, schema):
        if one.release:
            one.release(ctypes.addressof(one))


def _check(stream: _Stream, address: int, code: int) -> None:
    if code:
        said = stream.get_last_error(address)
        raise OSError(code, (said or b"unknown").decode("utf-8", errors="replace").strip())


def _joined(parts: Sequence[Column]) -> Column:
    if len(parts) == 1:
        return parts[0]
    texts = [part.values for part in parts if isinstance(part.values, Ids)]
    numbers = [part.values for part in parts if not isinstance(part.values, Ids)]
    valid = None
    if any(part.valid is not None for part in parts):
        valid = np.concatenate([np.ones(len(part), np.bool_) if part.valid is None else part.valid for part in parts])
    return Column(np.concatenate(numbers) if numbers else Ids.joined(texts), valid)


def _column(kind: _Schema, array: _Array, offset: int, n: int) -> Column | None:
    """The values of a piece of a column, from ``offset`` on."""
    offset += array.offset
    valid = _bits(array.buffers[0], offset, n) if _has_nulls(array) else None
    if valid is not None and valid.all():
        valid = None
    letters = kind.format.decode("ascii")
    values: Ids | _Numbers | None
    if letters in _NUMBERS:
        values = _array(array.buffers[1], _NUMBERS[letters], offset, n)
        if kind.dictionary:
            words = _column(kind.dictionary.contents, array.dictionary.contents, 0, array.dictionary.contents.length)
            return None if words is None else _looked_up(words, values.astype(np.int64), valid)
        values = values.copy()
    elif letters == "b":
        values = _bits(array.buffers[1], offset, n)
    elif letters in ("u", "U", "z", "Z"):
        ends = _array(array.buffers[1], "<i4" if letters in "uz" else "<i8", offset, n + 1).astype(np.int64)
        start, stop = int(ends[0]), int(ends[-1])
        raw = _bytes(array.buffers[2], start, stop - start)
        values = Ids(raw, ends[:-1] - start, np.diff(ends))
    elif letters in ("vu", "vz"):
        values = _viewed(array, offset, n)
    elif letters.startswith("d:"):
        values = _decimals(array.buffers[1], letters[2:], offset, n)
    else:
        return None
    return Column(values, valid)


def _decimals(address: int | None, kind: str, offset: int, n: int) -> _Numbers:
    """Decimals as the nearest floats; as integers where they have no fraction and 64 bits hold them.

    Args:
        address: where the values lie, integers of two's complement that count units of 10 to the power of -scale.
        kind: their precision, scale and, unless it is 128, width in bits.
        offset: the first value.
        n: how many values.
    """
    _, scale, bits = map(int, f"{kind},128".split(",")[:3])
    width = bits // 8
    if width < 8:
        units = _array(address, f"<i{width}", offset, n).astype(np.int64)
        fits = True
    else:
        words = _array(address, "<i8", offset * (width // 8), n * (width // 8)).reshape(n, width // 8)
        units = words[:, 0].copy()
        fits = bool((words[:, 1:] == (units >> 63)[:, None]).all())
    if fits and scale == 0:
        return units
    # of these, a float holds both integers, and division rounds once
    if fits and 0 < scale <= _EXACT_POWER and ((units >= -_EXACT_INTEGER) & (units <= _EXACT_INTEGER)).all():
        return units / 10.0**scale
    whole = units.tolist() if fits else (int.from_bytes(word.tobytes(), "little", signed=True) for word in words)
    return np.array([one / 10**scale if scale > 0 else float(one * 10**-scale) for one in whole], np.float64)


def _looked_up(words: Column, numbers: IntArray, valid: BoolArray | None) -> Column:
    """The values that the numbers of a dictionary stand for."""
    if not len(words):  # no value is there
        none = np.zeros(len(numbers), np.int64)
        of_texts = isinstance(words.values, Ids)
        return Column(Ids(bytes(PADDING), none, none) if of_texts else none, valid)
    if words.valid is not None:
        valid = words.valid[numbers] if valid is None else valid & words.valid[np.where(valid, numbers, 0)]
    if valid is not None:
        numbers = np.where(valid, numbers, 0)
    if isinstance(words.values, Ids):
        texts = words.values
        return Column(Picked(Collection(texts.raw, texts.first, texts.length), numbers), valid)
    return Column(words.values[numbers], valid)


def _viewed(array: _Array, offset: int, n: int) -> Ids:
    """Texts by views of 16 bytes: how long each is, then itself or where it stands."""
    own = _bytes(array.buffers[1], 16 * offset, 16 * n)
    views = np.frombuffer(own, "<i4", 4 * n).reshape(n, 4)
    length = views[:, 0].astype(np.int64)
    first = 16 * np.arange(n) + 4
    # the last buffer has how long those before it are
    others = array.n_buffers - 3
    if (length <= _INLINE).all() or others <= 0:
        return Ids(own, first, length)
    sizes = _array(array.buffers[array.n_buffers - 1], "<i8", 0, others).tolist()
    pieces = [_bytes(array.buffers[2 + at], 0, size) for at, size in enumerate(sizes)]
    starts = 16 * n + PADDING + np.cumsum([0, *map(len, pieces[:-1])])
    far = length > _INLINE
    first[far] = starts[views[far, 2]] + views[far, 3]
    return Ids(b"".join((own, *pieces)), first, length)


def _array(address: int | None, kind: str, offset: int, n: int) -> _Numbers:
    """Numbers where they lie."""
    dtype: np.dtype[Any] = np.dtype(kind)
    if not address or not n:
        return np.zeros(n, dtype)
    held = memoryview((ctypes.c_char * (dtype.itemsize * n)).from_address(address + dtype.itemsize * offset))
    return np.ndarray(n, dtype, held)


def _bits(address: int | None, offset: int, n: int) -> BoolArray:
    first = offset // 8
    packed = _array(address, "u1", first, (offset + n + 7) // 8 - first)
    return np.unpackbits(packed.view(np.uint8), bitorder="little")[offset - 8 * first :][:n].astype(np.bool_)


def _bytes(address: int | None, start: int, size: int) -> bytes:
    """A copy of these bytes, with what Ids want behind them."""
    if not address or not size:
        return bytes(PADDING)
    return b"".join(((ctypes.c_char * size).from_address(address + start), bytes(PADDING)))
