"""Blocks of a run made ready for judging: whole queries, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from coliee_adapters.forms.columns import changes
from coliee_adapters.ids import BoolArray, Ids, IntArray
from coliee_adapters.records import Columns
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.order import FloatArray, as_compared, sort_keys


@dataclass(eq=False)
class Lines:
    """Lines of whole queries, segment after segment."""

    queries: Ids  # the query of each segment
    lengths: IntArray  # shape (segments,); how many lines each has
    documents: Ids  # a document a line
    scores: FloatArray | None = None  # a score a line, or None
    ranks: Sequence[str] | IntArray | None = None  # what the rank column says, or None
    remarks: Remarks = field(default_factory=Remarks)  # what was tolerated while reading
    entries: Sequence[dict[str, Any]] | None = None  # the dictionary that each segment comes from, by document, if any

    @classmethod
    def of(cls, block: Columns, *, merged: bool = False) -> Lines:
        """The lines of a block as arrays; neighbours of one query as one segment, however the reader gives them."""
        scores = None if block.scores is None else np.asarray(block.scores, dtype=np.float64)
        starts: IntArray = np.asarray(block.starts, dtype=np.int64)
        queries = Ids.of(block.queries)
        if len(queries) > 1 and not merged:
            first = changes(queries)
            queries, starts = queries.at(first[:-1]), starts[first]
        lengths = starts[1:] - starts[:-1]
        return cls(
            queries, lengths, Ids.of(block.documents), scores, block.ranks, block.remarks or Remarks(), block.entries
        )

    @cached_property
    def starts(self) -> IntArray:
        """Shape (segments + 1,); where each segment starts, and the number of lines."""
        return np.concatenate(([0], np.cumsum(self.lengths)))

    @cached_property
    def segment(self) -> IntArray:
        """The segment of each line."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def within(self) -> BoolArray:
        """Whether each line but the first is of the same segment as the one before."""
        same: BoolArray = self.segment[1:] == self.segment[:-1]
        return same

    @cached_property
    def keys(self) -> npt.NDArray[np.int32] | None:
        """What sorts the lines of a segment in trec_eval's order, ties aside: see ``sort_keys``."""
        return None if self.scores is None else sort_keys(self.scores)

    @cached_property
    def compared(self) -> FloatArray | None:
        """The scores as trec_eval compares them."""
        return None if self.scores is None else as_compared(self.scores)

    def first_document(self, segment: int) -> str:
        """The document of a segment's first line, which it must have."""
        if self.entries is not None:
            return next(iter(self.entries[segment]))
        return self.documents[int(self.starts[segment])]

    def at(self, kept: BoolArray) -> Lines:
        """The lines where a mask is true, of the same segments."""
        lengths = np.bincount(self.segment[kept], minlength=len(self.lengths))
        return Lines(
            self.queries,
            lengths,
            self.documents.at(kept),
            None if self.scores is None else self.scores[kept],
            ranks_at(self.ranks, kept),
            self.remarks,
        )

    def of_segments(self, kept: BoolArray) -> Lines:
        """The lines of the segments where a mask is true."""
        if kept.all():
            return self
        lines = self.at(np.repeat(kept, self.lengths))
        return Lines(
            self.queries.at(kept),
            lines.lengths[kept],
            lines.documents,
            lines.scores,
            lines.ranks,
            self.remarks,
            None if self.entries is None else [self.entries[at] for at in np.flatnonzero(kept).tolist()],
        )


def ranks_at(
    ranks: Sequence[str] | IntArray | None, which: BoolArray | IntArray | slice
) -> Sequence[str] | IntArray | None:
    """The rank column at these places, or where a mask is true."""
    if ranks is None or isinstance(ranks, np.ndarray):
        return ranks if ranks is None else ranks[which]
    if isinstance(which, slice):
        return ranks[which]
    places = np.flatnonzero(which) if which.dtype == np.bool_ else which
    return [ranks[at] for at in places.tolist()]


def whole_queries(blocks: Iterable[Columns]) -> Iterator[Lines]:
    """The same lines in blocks that end where a query ends: the last query of a block waits for the next block."""
    waiting: list[Lines] = []
    query = None  # of the lines that wait; None while only blocks without lines do, for the sake of their remarks
    for block, goes_on in _and_whether_more(blocks):
        lines = Lines.of(block)
        if query is not None and lines.queries and lines.queries[0] != query:
            yield joined(waiting)
            waiting = []
        query = lines.queries[-1] if lines.queries else query
        if goes_on and len(lines.queries) > 1:
            rest = len(lines.queries) - 1
            last = np.arange(len(lines.queries)) == rest
            yield joined([*waiting, lines.of_segments(~last)])
            waiting = [lines.of_segments(last)]
            waiting[0].remarks = Remarks()
        else:
            waiting.append(lines)
    if waiting:
        yield joined(waiting)


def _and_whether_more(blocks: Iterable[Columns]) -> Iterator[tuple[Columns, bool]]:
    """Each block, and whether another follows."""
    coming = iter(blocks)
    block = next(coming, None)
    while block is not None:
        following = next(coming, None)
        yield block, following is not None
        block = following


def joined(parts: Sequence[Lines]) -> Lines:
    """The lines of several blocks as one; a query that goes on in the next part is one segment."""
    if len(parts) == 1:
        return parts[0]
    queries, lengths = [parts[0].queries], [parts[0].lengths]
    for part in parts[1:]:
        goes_on = bool(len(queries[-1]) and len(part.queries)) and queries[-1][-1] == part.queries[0]
        if goes_on:
            lengths[-1] = lengths[-1].copy()
            lengths[-1][-1] += part.lengths[0]
        if len(part.queries) > goes_on:
            queries.append(part.queries.at(slice(int(goes_on), None)))
            lengths.append(part.lengths[int(goes_on) :])
    scores = [part.scores for part in parts if part.scores is not None]
    ranks = [part.ranks for part in parts if part.ranks is not None]
    return Lines(
        Ids.joined(queries),
        np.concatenate(lengths),
        Ids.joined([part.documents for part in parts]),
        np.concatenate(scores) if scores else None,
        ranks_joined(ranks),
        sum((part.remarks for part in parts), Remarks()),
    )


def ranks_joined(parts: Sequence[Sequence[str] | IntArray]) -> Sequence[str] | IntArray | None:
    """The rank columns of several parts, one after the other; None if there are none."""
    if not parts:
        return None
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if len(arrays) == len(parts):
        return np.concatenate(arrays)
    return [str(rank) for part in parts for rank in part]
