"""Columns of pyarrow, an extra: texts become Ids, numbers arrays, and no Python object is made a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from coliee_adapters.forms.form import Column
from coliee_adapters.ids import PADDING, BoolArray, Ids, Picked


def column(array: Any) -> Column | None:
    """A column of pyarrow, in one piece or several; None if it is not of texts, bytes, numbers or truth values."""
    import pyarrow

    types, kind = pyarrow.types, array.type
    if types.is_dictionary(kind):
        if getattr(array, "num_chunks", 1) != 1:
            return column(array.cast(kind.value_type))
        array = array.chunk(0) if hasattr(array, "chunk") else array
        words = column(array.dictionary)
        if words is None or words.valid is not None or not isinstance(words.values, Ids) or not len(words):
            return None if words is None else column(array.dictionary_decode())
        numbers = _numbers(array.indices).astype(np.int64)
        return Column(Picked(words.values, numbers), _valid(array))
    name = str(kind).removeprefix("large_").removesuffix("_view")
    if name in ("string", "binary"):
        array = array.cast(pyarrow.large_string() if name == "string" else pyarrow.large_binary())
    array = array.combine_chunks() if hasattr(array, "combine_chunks") else array
    valid = _valid(array)
    if name in ("string", "binary"):
        _, offsets, raw = array.buffers()
        ends = np.frombuffer(offsets, np.int64, len(array) + 1, array.offset * 8) if offsets else np.zeros(1, np.int64)
        start, stop = int(ends[0]), int(ends[-1])
        raw = b"".join((memoryview(raw)[start:stop] if raw else b"", bytes(PADDING)))
        return Column(Ids(raw, ends[:-1] - start, np.diff(ends)), valid)
    if types.is_decimal(kind):
        return Column(np.array([0.0 if value is None else float(value) for value in array.to_pylist()]), valid)
    if types.is_boolean(kind) or types.is_integer(kind) or types.is_floating(kind):
        return Column(_numbers(array), valid)
    return None


def _numbers(array: Any) -> Any:
    """The numbers of a column, 0 for none.

    pyarrow imports pandas for ``to_numpy`` and ``fill_null``, so these are called only where they are needed.
    """
    is_truth = str(array.type) == "bool"
    if array.null_count or is_truth:
        return array.fill_null(False if is_truth else 0).to_numpy(zero_copy_only=False)
    return np.from_dlpack(array)


def _valid(array: Any) -> BoolArray | None:
    return array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else None
