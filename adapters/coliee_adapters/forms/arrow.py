"""Columns of pyarrow, an extra: texts become Ids, numbers arrays, and no Python object is made a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from coliee_adapters.forms.form import Column
from coliee_adapters.ids import PADDING, BoolArray, Collection, Ids, Picked


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
        numbers = _numbers(held.indices).astype(np.int64)
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
        return Column(_numbers(held), valid)
    return None


def _numbers(held: Any) -> Any:
    """The numbers of a column, 0 for none.

    pyarrow imports pandas for ``to_numpy`` and ``fill_null``, so these are called only where they are needed.
    """
    is_truth = str(held.type) == "bool"
    if held.null_count or is_truth:
        return held.fill_null(False if is_truth else 0).to_numpy(zero_copy_only=False)
    return np.from_dlpack(held)


def _valid(held: Any) -> BoolArray | None:
    return held.is_valid().to_numpy(zero_copy_only=False) if held.null_count else None
