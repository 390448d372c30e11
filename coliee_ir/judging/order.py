"""trec_eval's order of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import Ids, IntArray, WordArray
from coliee_adapters.records import Columns
from coliee_adapters.remarks import Remarks

FloatArray = npt.NDArray[np.float64]
#: what sorts lines by score, see ``sort_keys``
Keys = npt.NDArray[np.int32]
_Number = TypeVar("_Number", np.int32, np.uint32, np.uint64)


def check_order(remarks: Remarks, what: str) -> None:
    """Refuse a run in which a query's documents are a set, as its remarks say, for something that needs an order."""
    if queries := remarks.examples("unordered"):
        problem = f"{what} needs ranked documents, and those of {queries[0]} are a set, which has no order"
        raise UsageError("unordered", f"{problem}: give a list, best first, or scores")


def as_compared(scores: Sequence[float] | FloatArray) -> FloatArray:
    """Scores as trec_eval compares them: as float32, in which close ones tie and very large ones are infinite."""
    with np.errstate(over="ignore"):
        return np.asarray(scores, dtype=np.float64).astype(np.float32).astype(np.float64)


def order_of(documents: Sequence[str], scores: Sequence[float] | FloatArray) -> IntArray:
    """The places of the documents in trec_eval's order: by score, highest first, then by id, greatest bytes first."""
    return np.lexsort((~in_order_of_bytes(Ids.of(documents))[0], -as_compared(scores)))


def in_order_of_bytes(*parts: Ids) -> list[WordArray]:
    """A number for each id, in the order of their bytes: up to eight bytes are a number themselves."""
    if max(int(ids.length.max(initial=0)) for ids in parts) <= 8:
        return [ids.words(1)[0].byteswap() for ids in parts]
    texts = np.array([text.encode() for ids in parts for text in ids])
    numbers = np.unique(texts, return_inverse=True)[1].astype(np.uint64)
    return np.split(numbers, np.cumsum([len(ids) for ids in parts])[:-1])


def sort_keys(scores: FloatArray) -> Keys:
    """Numbers that sort lines by score as trec_eval compares it, highest first; equal for scores that tie."""
    with np.errstate(over="ignore"):
        # float32 bits, as integers, stand in the order of their values if the lower ones are turned around; what is
        # subtracted from zero is never the negative zero
        bits = (np.float32(0) - scores.astype(np.float32)).view(np.int32)
    return np.asarray(bits ^ (bits >> 31 & np.int32(0x7FFFFFFF)))  # the sign, shifted, is all ones


def in_segments(segment: IntArray, keys: Keys) -> IntArray:
    """Numbers that sort by segment, then by key; ``segment_of`` takes the segment out again."""
    numbers = segment << 32
    numbers += keys
    return numbers


def distinct(numbers: IntArray) -> IntArray:
    """The different numbers of an ascending array; np.unique would sort, and load numpy.ma."""
    return numbers[np.diff(numbers, prepend=numbers[:1] - 1) > 0]


def ranked_otherwise(lines: Columns, keys: Keys | None = None) -> Iterator[str]:
    """The queries whose rank column disagrees with their scores, where lines have both; ``keys`` sort these."""
    if lines.ranks is None or lines.scores is None:
        return
    ranks: Sequence[str] | IntArray = lines.ranks
    suspects: Iterable[int] = range(len(lines.queries))
    if isinstance(ranks, np.ndarray):
        keys = sort_keys(lines.scores) if keys is None else keys
        is_sorted = not (lines.continues_segment & (keys[1:] < keys[:-1])).any()
        in_order = ranks if is_sorted else ranks[np.argsort(in_segments(lines.segment, keys))]
        suspects = distinct(lines.segment[1:][lines.continues_segment & (in_order[1:] < in_order[:-1])]).tolist()
    for segment in suspects:
        first, last = lines.starts[segment : segment + 2].tolist()
        if disagree(ranks[first:last], lines.scores[first:last]):
            yield lines.queries[segment]


def disagree(ranks: Sequence[str] | Sequence[int] | IntArray, scores: Sequence[float] | FloatArray) -> bool:
    """Whether ranks order documents otherwise than their scores do; constant ones order nothing.

    Ranks that are no whole numbers rather are scores, in a run whose two columns are exchanged.
    """
    try:
        numbers = np.array(list(map(float, ranks)), dtype=np.float64)
    except ValueError:
        return False  # what is no number says nothing
    if (numbers == numbers[:1]).all():
        return False
    if (np.floor(numbers) < numbers).any():
        return True
    by_rank = as_compared(scores)[np.argsort(numbers, kind="stable")]
    return bool(np.any(by_rank[1:] > by_rank[:-1]))


def segment_of(numbers: IntArray) -> IntArray:
    """The segments of what ``in_segments`` gives."""
    return (numbers + (1 << 31)) >> 32


def sorted_within(keys: npt.NDArray[_Number], lengths: IntArray) -> npt.NDArray[_Number]:
    """Keys sorted within each segment, which is many times as fast as sorting all of them."""
    width = int(lengths.max(initial=0))
    cells = len(lengths) * width
    if cells == len(keys):
        return np.sort(keys.reshape(-1, max(width, 1)), axis=1).ravel()
    if cells > 2 * len(keys):  # those of about one length together
        ordered = np.empty_like(keys)
        size = np.frexp(lengths)[1]
        for width_class in set(size.tolist()):
            lines = np.repeat(size == width_class, lengths)
            ordered[lines] = sorted_within(keys[lines], lengths[size == width_class])
        return ordered
    is_line = np.arange(width) < lengths[:, None]
    table = np.full(is_line.shape, np.iinfo(keys.dtype).max, dtype=keys.dtype)
    table[is_line] = keys
    table.sort(axis=1)
    return table[is_line]


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
