"""Columns of pyarrow, an extra: texts become Ids, numbers arrays, and no Python object is made a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from coliee_adapters.ids import PADDING, BoolArray, Collection, Ids, Picked

_Numbers = npt.NDArray[Any]


class Column(Sequence[Any]):
    """The values of a column, of which some may not be there; bytes that are not UTF-8 become lone surrogates.

    Attributes:
        values: texts as Ids, or an array of numbers or truth values.
        valid: shape (n,); which values are there; None if all are.
    """

    def __init__(self, values: Ids | _Numbers, valid: BoolArray | None = None) -> None:
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


def column(held: Any) -> Column | None:
    """A column of pyarrow, in one piece or several; None if it is not of texts, bytes, numbers or truth values."""
    parts = [_column(chunk) for chunk in getattr(held, "chunks", [held]) if len(chunk)] or [_column(_emptied(held))]
    found = [part for part in parts if part is not None]
    if len(found) < len(parts) or len(found) == 1:
        return found[0] if len(found) == len(parts) else None
    valid = None
    if any(part.valid is not None for part in found):
        valid = np.concatenate([np.ones(len(part), np.bool_) if part.valid is None else part.valid for part in found])
    texts = [part.values for part in found if isinstance(part.values, Ids)]
    numbers = [part.values for part in found if not isinstance(part.values, Ids)]
    return Column(np.concatenate(numbers) if numbers else Ids.joined(texts), valid)


def _emptied(held: Any) -> Any:
    import pyarrow

    return pyarrow.array([], held.type)


def _column(held: Any) -> Column | None:
    """The values of one piece of a column."""
    import pyarrow

    kind, types = held.type, pyarrow.types
    valid = held.is_valid().to_numpy(zero_copy_only=False) if held.null_count else None
    if types.is_dictionary(kind):
        words = _column(held.dictionary)
        return None if words is None else _looked_up(words, held.indices, valid)
    name = str(kind)
    if name in ("string_view", "binary_view"):
        held, name = held.cast(pyarrow.large_string() if name == "string_view" else pyarrow.large_binary()), "large"
    if name.removeprefix("large_") in ("string", "binary", "large"):
        _, ends, texts = held.buffers()
        dtype = np.dtype(np.int64 if name.startswith("large") else np.int32)
        ends = np.frombuffer(ends, dtype, len(held) + 1, held.offset * dtype.itemsize).astype(np.int64)
        start, stop = int(ends[0]), int(ends[-1])
        raw = b"".join((memoryview(texts)[start:stop] if texts else b"", bytes(PADDING)))
        return Column(Ids(raw, ends[:-1] - start, np.diff(ends)), valid)
    if types.is_boolean(kind):
        return Column(np.array([bool(one) for one in held.to_pylist()], np.bool_), valid)
    if types.is_decimal(kind):
        whole = kind.scale == 0
        values = [0 if one is None else int(one) if whole else float(one) for one in held.to_pylist()]
        exact = whole and all(-(1 << 63) <= one < 1 << 63 for one in values)
        return Column(np.array(values, np.int64 if exact else np.float64), valid)
    if types.is_integer(kind) or types.is_floating(kind):
        return Column((held.fill_null(0) if valid is not None else held).to_numpy(zero_copy_only=False), valid)
    return None


def _looked_up(words: Column, indices: Any, valid: BoolArray | None) -> Column:
    """The values that the numbers of a dictionary stand for."""
    numbers = indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    if not len(words):  # no value is there
        of_texts = isinstance(words.values, Ids)
        return Column(Ids(bytes(PADDING), numbers * 0, numbers * 0) if of_texts else numbers * 0, valid)
    if words.valid is not None:
        there = words.valid[numbers]
        valid = there if valid is None else valid & there
    if isinstance(words.values, Ids):
        texts = words.values
        return Column(Picked(Collection(texts.raw, texts.first, texts.length), numbers), valid)
    return Column(words.values[numbers], valid)
