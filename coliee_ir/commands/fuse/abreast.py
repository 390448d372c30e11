"""Several runs read side by side: for some queries at a time, the lines that each run has for them."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from coliee_adapters.errors import no_room
from coliee_adapters.ids import Ids, IntArray, pieces
from coliee_adapters.records import Columns, Run
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.judged import FloatArray
from coliee_ir.judging.segments import Lines, whole_queries

#: lines of all runs that are fused together, where all of them are in memory
_AT_ONCE: Final = 1 << 15

#: bytes of a fused run that are held in memory
_IN_MEMORY: Final = 1 << 22


class ReturnsError(Exception):
    """A query comes back whose lines were taken for complete."""


class Part(NamedTuple):
    """The lines of one run for some queries, query by query."""

    lengths: IntArray  # shape (Q,); how many lines each query has
    documents: Ids  # a document a line; some may come twice
    scores: FloatArray | None  # a score a line; None where the order of lines ranks

    def of(self, first: int, last: int | None) -> Part:
        """The lines of some of the queries."""
        begin, end = int(self.lengths[:first].sum()), int(self.lengths[:last].sum())
        scores = None if self.scores is None else self.scores[begin:end]
        return Part(self.lengths[first:last], self.documents[begin:end], scores)


#: queries, and the lines of one run for them
Block: TypeAlias = tuple[list[str], Part]


class Reader:
    """One run as it is read, and what was met in it."""

    def __init__(self, run: Run) -> None:
        self.scored = run.scored
        self.remarks = Remarks()
        self.lengths: dict[str, int] = {}  # query → how many lines it has
        self._blocks = whole_queries(run.blocks())

    def block(self) -> Block | None:
        """The next queries, and their lines; None behind the last."""
        lines: Lines | None = next(self._blocks, None)
        if lines is None:
            return None
        self.remarks += lines.remarks
        queries = list(lines.queries)
        for query, n in zip(queries, lines.lengths.tolist(), strict=True):
            self.lengths[query] = self.lengths.get(query, 0) + n
        return queries, Part(lines.lengths, lines.documents, lines.scores)


def abreast(readers: Sequence[Reader], *, in_memory: bool = False) -> Iterator[tuple[list[str], list[Part]]]:
    """Some queries at a time, with the lines of each run, in the order in which the runs name the queries.

    As long as the runs name the same queries in the same order, what was given is forgotten. From where they do not,
    the rest of all runs is held in memory.

    Raises:
        ReturnsError: a query comes back after it was given; ``in_memory`` reads such runs.
    """
    given: set[str] = set()
    waiting: list[Block | None] = [reader.block() for reader in readers]
    while not in_memory and (heads := [one for one in waiting if one is not None]):
        if len(heads) < len(waiting) or any(len(set(queries)) < len(queries) for queries, _ in heads):
            break
        names = zip(*(queries for queries, _ in heads), strict=False)
        queries = [same[0] for same in takewhile(lambda one: len({*one}) == 1, names)]
        if not given.isdisjoint(queries):
            raise ReturnsError
        n = len(queries)
        if not n and all(named for named, _ in heads):
            break
        if n:
            yield queries, [part.of(0, n) for _, part in heads]
            given.update(queries)
        left = [(named[n:], part.of(n, None)) for named, part in heads]
        waiting = [one if one[0] else reader.block() for one, reader in zip(left, readers, strict=True)]
    rest, parts = together(readers, waiting)
    if not given.isdisjoint(rest):
        raise ReturnsError
    for first, last in pieces(np.concatenate(([0], np.cumsum(sum(part.lengths for part in parts)))), _AT_ONCE):
        yield rest[first:last], [part.of(first, last) for part in parts]


def together(readers: Sequence[Reader], waiting: Sequence[Block | None]) -> tuple[list[str], list[Part]]:
    """All queries that are left, and the lines of each run, which wait or are still to be read."""
    held = [list(_compact(one, reader)) for one, reader in zip(waiting, readers, strict=True)]
    queries = list(dict.fromkeys(query for run in held for queries, _ in run for query in queries))
    number = {query: at for at, query in enumerate(queries)}
    return queries, [_joined(run, number) for run in held]


def _compact(block: Block | None, reader: Reader) -> Iterator[Block]:
    """A block and those that follow, each in memory that holds nothing else of the file."""
    while block is not None:
        queries, part = block
        yield queries, part._replace(documents=part.documents.compact())
        block = reader.block()


def _joined(blocks: Sequence[Block], number: dict[str, int]) -> Part:
    """The lines of a run together, by the numbers of their queries."""
    numbers = [np.repeat([number[query] for query in queries], part.lengths) for queries, part in blocks]
    query = np.concatenate([np.zeros(0, dtype=np.int64), *numbers]).astype(np.int64)
    scores = [part.scores for _, part in blocks if part.scores is not None]
    documents = Ids.joined([part.documents for _, part in blocks])
    whole = Part(np.bincount(query, minlength=len(number)), documents, np.concatenate(scores) if scores else None)
    if (query[1:] >= query[:-1]).all():
        return whole
    order = np.argsort(query, kind="stable")
    return whole._replace(documents=documents.at(order), scores=None if whole.scores is None else whole.scores[order])


class Spool:
    """The blocks of a run, again and again; in a temporary file once they are many."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - lives as long as the run
        weakref.finalize(self, self._file.close)
        self._starts: list[int] = []

    def append(self, block: Columns) -> None:
        """Keep a block."""
        try:
            self._starts.append(self._file.tell())
            pickle.dump(block, self._file, protocol=5)
        except OSError as error:
            raise no_room("the fused run", error) from None

    def __call__(self) -> Iterator[Columns]:
        for start in self._starts:
            self._file.seek(start)
            yield pickle.load(self._file)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return partial, (iter, list(self()))
