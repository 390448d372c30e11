"""Runs whose lines are not grouped by query: the lines are dealt to shares by query, and each share is grouped alone.

A share holds all lines of some queries. What is dealt goes to temporary files once it is more than a few lines, so
that only one share at a time is held in memory, however long the run; and both the dealing of a file's parts and the
grouping of shares can be spread over processes.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from coliee_adapters.errors import ColieeError
from coliee_adapters.ids import BoolArray, Picked, pieces
from coliee_adapters.records import Columns
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.qrels import Qrels

#: Into so many shares lines are dealt: fifty million lines make shares of some 150 MB.
SHARES: Final = 16

#: Lines that are dealt at once.
BATCH: Final = 1 << 17

#: A block of whole queries has about so many lines.
_MANY: Final = 1 << 14


@dataclass
class DealtLines:
    """What one reader dealt."""

    answered: BoolArray  # shape (Q,); which judged queries it named, be it with nothing retrieved
    files: list[Path] = field(default_factory=list)  # share → the file that holds its lines
    in_memory: Columns | None = None  # lines that were too few for files; None where all lines are in files
    extra: dict[str, int] = field(default_factory=dict)  # query that is not in the gold → how many lines it has
    remarks: Remarks = field(default_factory=Remarks)  # what was tolerated while reading
    lines: int = 0  # how many lines were read


def deal(
    blocks: Iterable[Columns],
    qrels: Qrels,
    skip: frozenset[str],
    folder: str,
    name: str,
    *,
    to_files: bool,
) -> DealtLines:
    """Deal the lines of a run, or of a part of it, to shares. Only lines of judged queries are kept."""
    dealt = DealtLines(np.zeros(len(qrels.queries), dtype=np.bool_))
    waiting: list[Columns] = []
    n = 0
    for block in blocks:
        dealt.remarks += block.remarks
        dealt.lines += len(block.documents)
        number = qrels.numbers(block.queries)
        for i in np.flatnonzero(number < 0).tolist():
            if (query := block.queries[i]) not in skip:
                dealt.extra[query] = dealt.extra.get(query, 0) + int(block.lengths[i])
        if skip:
            number[[query in skip for query in block.queries]] = -1
        lines = block.of_segments(number >= 0)
        queries, documents = Picked(qrels.ids, number[number >= 0]), lines.documents.compact()
        waiting.append(Columns(queries, lines.starts, documents, lines.scores, lines.ranks))
        dealt.answered[queries.numbers] = True
        n += len(documents)
        if n > BATCH:
            _write(Columns.joined(waiting), qrels, dealt, folder, name)
            waiting, n = [], 0
    if to_files or dealt.files:
        if n:
            _write(Columns.joined(waiting), qrels, dealt, folder, name)
    elif waiting:
        dealt.in_memory = Columns.joined(waiting)
    return dealt


def _write(lines: Columns, qrels: Qrels, dealt: DealtLines, folder: str, name: str) -> None:
    """Append the lines to the files of their shares."""
    # shares follow the gold's order, in which remarks then name queries, whoever judges them
    share = qrels.numbers(lines.queries) * SHARES // len(dealt.answered)
    if not dealt.files:
        dealt.files = [Path(folder, f"{name}-{share}") for share in range(SHARES)]
    try:
        for number, file in enumerate(dealt.files):
            if len(i := np.flatnonzero(share == number)):
                piece = lines.of_segments(i)
                parts = qrels.numbers(piece.queries), piece.starts, piece.documents.compact(), piece.scores, piece.ranks
                with file.open("ab") as stream:
                    pickle.dump(parts, stream, protocol=5)
    except OSError as error:
        raise ColieeError(
            "cannot-write",
            f"a run that is not grouped by query needs room for temporary files, and {folder} gives none "
            f"({error.strerror or error}); sort the run by query, or set TMPDIR to a folder with room",
        ) from None


def _read(file: Path, qrels: Qrels) -> Iterator[Columns]:
    if file.exists():
        with file.open("rb") as stream:
            while stream.peek(1):
                numbers, *parts = pickle.load(stream)
                yield Columns(Picked(qrels.ids, numbers), *parts)


def grouped(share: int, all_dealt: Sequence[DealtLines], qrels: Qrels) -> Iterator[Columns]:
    """The lines of a share, query by query, in blocks of whole queries; lines of a query in the order of the run."""
    parts = [dealt.in_memory for dealt in all_dealt if dealt.in_memory is not None]
    for dealt in all_dealt:
        if dealt.files:
            parts += _read(dealt.files[share], qrels)
    if not parts:
        return
    lines = Columns.joined(parts)
    parts.clear()
    numbers = qrels.numbers(lines.queries)
    numbers -= numbers.min(initial=len(qrels.queries))
    # numbers below 2^16 are sorted by their digits, several times as fast
    order = np.argsort(numbers.astype(np.uint16) if numbers.max(initial=0) < 1 << 16 else numbers, kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(numbers))))  # of the segments of each query
    ends = np.concatenate(([0], np.cumsum(lines.lengths[order])))[starts]  # of its lines
    for first, last in pieces(ends, _MANY):
        yield lines.of_segments(order[starts[first] : starts[last]]).merged()
