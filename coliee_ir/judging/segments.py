"""Blocks of a run made ready for judging: whole queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from coliee_adapters.records import Columns
from coliee_adapters.remarks import Remarks


def whole_queries(blocks: Iterable[Columns]) -> Iterator[Columns]:
    """The same lines in blocks that end where a query ends: the last query of a block waits for the next block."""
    waiting: list[Columns] = []
    query = None  # of the lines that wait; None while only blocks without lines do, for the sake of their remarks
    for block, following in pairwise(chain(blocks, (None,))):
        assert block is not None
        lines = block.merged()
        if query is not None and lines.queries and lines.queries[0] != query:
            yield Columns.joined(waiting).merged()
            waiting = []
        query = lines.queries[-1] if lines.queries else query
        if following is not None and len(lines.queries) > 1:
            yield Columns.joined([*waiting, lines.of_segments(slice(-1))]).merged()
            waiting = [lines.of_segments(slice(-1, None))]
            waiting[0].remarks = Remarks()
        else:
            waiting.append(lines)
    if waiting:
        yield Columns.joined(waiting).merged()
