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
        if isinstance(self.values, Ids):
            texts, first = self.values.raw, self.values.first
            spans = zip(first.tolist(), (first + self.values.length).tolist(), strict=True)
            values: Iterable[Any] = (texts[start:stop].decode("utf-8", "surrogateescape") for start, stop in spans)
        else:
            values = self.values.tolist()
        if self.valid is None:
            return iter(values)
        return (value if is_there else None for value, is_there in zip(values, self.valid.tolist(), strict=True))

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
    import pyarrow

    types, kind = pyarrow.types, held.type
    if types.is_dictionary(kind):
        if getattr(held, "num_chunks", 1) != 1:
            return column(held.cast(kind.value_type))
        held = held.chunk(0) if hasattr(held, "chunk") else held
        words = column(held.dictionary)
        if words is None or words.valid is not None or not isinstance(words.values, Ids) or not len(words):
            return None if words is None else column(held.dictionary_decode())
        numbers = held.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        texts = words.values
        return Column(Picked(Collection(texts.raw, texts.first, texts.length), numbers), _valid(held))
    name = str(kind).removeprefix("large_").removesuffix("_view")
    if name in ("string", "binary"):
        held = held.cast(pyarrow.large_string() if name == "string" else pyarrow.large_binary())
    held = held.combine_chunks() if hasattr(held, "combine_chunks") else held
    valid = _valid(held)
    if name in ("string", "binary"):
        _, offsets, raw = held.buffers()
        ends = np.frombuffer(offsets, np.int64, len(held) + 1, held.offset * 8) if offsets else np.zeros(1, np.int64)
        start, stop = int(ends[0]), int(ends[-1])
        raw = b"".join((memoryview(raw)[start:stop] if raw else b"", bytes(PADDING)))
        return Column(Ids(raw, ends[:-1] - start, np.diff(ends)), valid)
    if types.is_decimal(kind):
        return Column(np.array([0.0 if one is None else float(one) for one in held.to_pylist()], np.float64), valid)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return Column((held if valid is None else held.fill_null(0)).to_numpy(zero_copy_only=False), valid)
    return None


def _valid(held: Any) -> BoolArray | None:
    return held.is_valid().to_numpy(zero_copy_only=False) if held.null_count else None
