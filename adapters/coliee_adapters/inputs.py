"""What can hold a gold or a run, as types: what a type checker accepts where ``read_gold`` and ``read_run`` read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from coliee_adapters.files.source import Source
from coliee_adapters.records import Answers, Gold, Run


class Frame(Protocol):
    """A data frame: pandas, polars, Arrow, DuckDB."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...


class ArrowStream(Protocol):
    """Whatever hands out columns through Arrow's C stream: a frame of any library, a reader of batches."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule with the stream."""
        ...


class LazyFrame(Protocol):
    """A lazy frame of polars."""

    def collect(self) -> Any:
        """The frame."""
        ...


class Labelled(Protocol):
    """What holds a dictionary: a Series of labels by query, ranx's Run and Qrels."""

    def to_dict(self) -> Any:
        """The dictionary."""
        ...


#: A path, ``-`` for standard input, or an opened file.
FileLike: TypeAlias = str | os.PathLike[str] | Source

#: Rows with the fields ``query_id``, ``doc_id`` and so on: named tuples or dictionaries.
Rows: TypeAlias = Iterable[tuple[Any, ...]] | Iterable[Mapping[str, Any]]

#: What ``read_gold`` takes: a file or several, ``{query: {document: relevance}}``, ``{query: [document]}``,
#: ``{query: "Y"}``, a frame, rows, a Gold.
GoldLike: TypeAlias = (
    FileLike | Sequence[FileLike | Gold] | Gold | Mapping[Any, Mapping[Any, int]] | Mapping[Any, Iterable[Any] | bool]
    | Frame | ArrowStream | LazyFrame | Labelled | Rows
)  # fmt: skip

#: What ``read_run`` takes: a file, ``{query: {document: score}}``, ``{query: [document]}``, ``{query: "Y"}``, a frame,
#: rows, a Run, Answers.
RunLike: TypeAlias = (
    FileLike | Run | Answers | Mapping[Any, Mapping[Any, float]] | Mapping[Any, Iterable[Any] | bool]
    | Frame | ArrowStream | LazyFrame | Labelled | Rows
)  # fmt: skip
