"""Several runs read side by side: for some queries at a time, the lines that each run has for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

import numpy as np

from coliee_adapters.ids import IntArray, pieces
from coliee_adapters.records import Columns, Run
from coliee_adapters.remarks import Remarks
from coliee_ir.commands.convert.streams import ReturnsError
from coliee_ir.judging.order import whole_queries

#: lines of all runs that are fused together, where all of them are in memory
_AT_ONCE: Final = 1 << 15


class Reader:
    """One run as it is read, and what was met in it."""

    def __init__(self, run: Run) -> None:
        self.scored = run.scored
        self.remarks = Remarks()
        self.lengths: dict[str, int] = {}  # query → how many lines it has
        self._blocks = whole_queries(run.blocks())

    def block(self) -> Columns | None:
        """The next lines; None behind the last."""
        if (block := next(self._blocks, None)) is not None:
            self.remarks += block.remarks
            for query, n in zip(block.queries, block.lengths.tolist(), strict=True):
                self.lengths[query] = self.lengths.get(query, 0) + n
        return block


def abreast(readers: Sequence[Reader], *, in_memory: bool = False) -> Iterator[tuple[list[str], list[Columns]]]:
    """Some queries at a time, with the lines of each run for them, in the order in which the runs name the queries.

    As long as the runs name the same queries in the same order, what was given is forgotten. From where they do not,
    the rest of all runs is held in memory.

    Raises:
        ReturnsError: a query comes back after it was given; ``in_memory`` reads such runs.
    """
    given: set[str] = set()
    waiting = [reader.block() for reader in readers]
    while not in_memory and (heads := [one for one in waiting if one is not None]):
        names = [list(one.queries) for one in heads]
        if len(heads) < len(waiting) or any(len(set(queries)) < len(queries) for queries in names):
            break
        queries = [same[0] for same in takewhile(lambda one: len({*one}) == 1, zip(*names, strict=False))]
        if not given.isdisjoint(queries):
            raise ReturnsError
        n = len(queries)
        if not n and all(names):
            break
        if n:
            yield queries, [one.of_segments(slice(n)) for one in heads]
            given.update(queries)
        left = [one.of_segments(slice(n, None)) for one in heads]
        waiting = [one if one.queries else reader.block() for one, reader in zip(left, readers, strict=True)]
    rest, blocks = together(readers, waiting)
    if not given.isdisjoint(rest):
        raise ReturnsError
    lines = sum(np.array([reader.lengths.get(query, 0) for query in rest], dtype=np.int64) for reader in readers)
    for first, last in pieces(np.concatenate(([0], np.cumsum(lines))), _AT_ONCE):
        of_queries = [np.searchsorted(numbers, (first, last)).tolist() for numbers, _ in blocks]
        some = [block.of_segments(slice(*at)) for at, (_, block) in zip(of_queries, blocks, strict=True)]
        yield rest[first:last], some


def together(
    readers: Sequence[Reader], waiting: Sequence[Columns | None]
) -> tuple[list[str], list[tuple[IntArray, Columns]]]:
    """All queries that are left; of each run the numbers of those that it has, and its lines in their order."""
    held = [_compact(one, reader) for one, reader in zip(waiting, readers, strict=True)]
    number: dict[str, int] = {}
    blocks = [one.grouped(number) for one in held]
    return list(number), blocks


def _compact(block: Columns | None, reader: Reader) -> Columns:
    """The lines that wait and those that follow, in memory that holds nothing else of the file."""
    blocks = [Columns([], [0], [])]
    while block is not None:
        blocks.append(Columns(block.queries.compact(), block.starts, block.documents.compact(), block.scores))
        block = reader.block()
    return Columns.joined(blocks)
