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
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters.errors import ColieeError
from coliee_adapters.ids import BoolArray, Ids, IntArray
from coliee_adapters.records import Columns
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.order import FloatArray
from coliee_ir.judging.qrels import Qrels
from coliee_ir.judging.segments import Lines, ranks_at, ranks_joined

#: Into so many shares lines are dealt: fifty million lines make shares of some 150 MB.
SHARES: Final = 16

#: Lines that are dealt at once.
_BATCH: Final = 1 << 17

#: A block of whole queries has about so many lines.
_MANY: Final = 1 << 14

_Numbers = npt.NDArray[np.int32]


class _Hand(NamedTuple):
    """Lines of any queries in any order, in the order of the run."""

    numbers: _Numbers
    documents: Ids
    scores: FloatArray | None
    ranks: Sequence[str] | IntArray | None

    def at(self, places: IntArray | slice) -> _Hand:
        return _Hand(
            self.numbers[places],
            self.documents.at(places),
            None if self.scores is None else self.scores[places],
            ranks_at(self.ranks, places),
        )


@dataclass
class Dealt:
    """What one reader dealt."""

    answered: BoolArray  # shape (Q,); which judged queries it named, be it with nothing retrieved
    files: list[Path] = field(default_factory=list)  # share → the file that holds its lines
    held: _Hand | None = None  # lines that were too few for files; None where all lines are in files
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
) -> Dealt:
    """Deal the lines of a run, or of a part of it, to shares. Only lines of judged queries are kept."""
    dealt = Dealt(np.zeros(len(qrels.queries), dtype=np.bool_))
    waiting: list[_Hand] = []
    n = 0
    for block in blocks:
        lines = Lines.of(block)
        dealt.remarks += lines.remarks
        dealt.lines += len(lines.documents)
        number = qrels.numbers(lines.queries)
        if skip:
            skipped = np.array([query in skip for query in lines.queries], dtype=np.bool_)
            lines, number = lines.of_segments(~skipped), number[~skipped]
        for at in np.flatnonzero(number < 0).tolist():
            query = lines.queries[at]
            dealt.extra[query] = dealt.extra.get(query, 0) + int(lines.lengths[at])
        if (number < 0).any():
            lines, number = lines.of_segments(number >= 0), number[number >= 0]
        dealt.answered[number] = True
        numbers = np.repeat(number.astype(np.int32), lines.lengths)
        waiting.append(_Hand(numbers, lines.documents.compact(), lines.scores, lines.ranks))
        n += len(numbers)
        if n > _BATCH:
            _write(_joined(waiting), dealt, folder, name)
            waiting, n = [], 0
    if to_files or dealt.files:
        if n:
            _write(_joined(waiting), dealt, folder, name)
    elif waiting:
        dealt.held = _joined(waiting)
    return dealt


def _write(hand: _Hand, dealt: Dealt, folder: str, name: str) -> None:
    """Append the lines to the files of their shares."""
    # shares follow the gold's order, in which remarks then name queries, whoever judges them
    share = (hand.numbers.astype(np.int64) * SHARES // len(dealt.answered)).astype(np.uint8)
    hand = hand.at(np.argsort(share, kind="stable"))
    ends = np.cumsum(np.bincount(share, minlength=SHARES)).tolist()
    hand = hand._replace(documents=hand.documents.compact())
    if not dealt.files:
        dealt.files = [Path(folder, f"{name}-{share}") for share in range(SHARES)]
    try:
        for file, first, last in zip(dealt.files, [0, *ends], ends, strict=False):
            if first < last:
                piece = hand.at(slice(first, last))
                with file.open("ab") as stream:
                    pickle.dump(piece._replace(documents=Ids.joined([piece.documents])), stream, protocol=5)
    except OSError as error:
        raise ColieeError(
            "cannot-write",
            f"a run that is not grouped by query needs room for temporary files, and {folder} gives none "
            f"({error.strerror or error}); sort the run by query, or set TMPDIR to a folder with room",
        ) from None


def _joined(hands: Sequence[_Hand]) -> _Hand:
    """The lines of several hands as one."""
    if len(hands) == 1:
        return hands[0]
    scores = [hand.scores for hand in hands if hand.scores is not None]
    return _Hand(
        np.concatenate([hand.numbers for hand in hands]),
        Ids.joined([hand.documents for hand in hands]),
        np.concatenate(scores) if scores else None,
        ranks_joined([hand.ranks for hand in hands if hand.ranks is not None]),
    )


def _read(file: Path) -> Iterator[_Hand]:
    if file.exists():
        with file.open("rb") as stream:
            while stream.peek(1):
                yield pickle.load(stream)


def grouped(share: int, all_dealt: Sequence[Dealt], qrels: Qrels) -> Iterator[Lines]:
    """The lines of a share, query by query, in blocks of whole queries; lines of a query in the order of the run."""
    hands = [dealt.held for dealt in all_dealt if dealt.held is not None]
    for dealt in all_dealt:
        if dealt.files:
            hands += _read(dealt.files[share])
    if not hands:
        return
    hand = _joined(hands)
    hands.clear()
    numbers = hand.numbers - hand.numbers.min(initial=np.iinfo(np.int32).max)
    # numbers below 2^16 are sorted by their digits, several times as fast
    narrow = numbers.astype(np.uint16) if numbers.max(initial=0) < 1 << 16 else numbers
    order = np.argsort(narrow, kind="stable")
    in_order = hand.numbers[order]
    starts = np.flatnonzero(np.diff(in_order, prepend=-1))
    ends = np.append(starts[1:], len(in_order))
    first = 0
    while first < len(starts):
        last = max(int(np.searchsorted(ends, starts[first] + _MANY)), first + 1)
        some = hand.at(order[starts[first] : ends[last - 1]])
        names = Ids.of([qrels.queries[number] for number in in_order[starts[first:last]].tolist()])
        yield Lines(names, ends[first:last] - starts[first:last], some.documents, some.scores, some.ranks)
        first = last
