"""Judged, the hub: where the judged documents of a run stand. Everything else about the run is forgotten.

Gold ──▶ Qrels ─┐
Run ──blocks────┴─▶ Judged ──▶ measures
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters.checked import error_for_argument, is_integer_within, one_of
from coliee_adapters.errors import ColieeError
from coliee_adapters.ids import PADDING, Ids, IntArray, mixed
from coliee_adapters.records import Columns, Run
from coliee_adapters.remarks import NUMBERED, Remarks
from coliee_ir.judging.order import (
    Keys,
    distinct,
    in_order_of_bytes,
    in_segments,
    ranked_otherwise,
    segment_of,
    sort_keys,
    sorted_within,
    whole_queries,
)
from coliee_ir.judging.qrels import Qrels

if TYPE_CHECKING:  # loads much, and only few bring an executor
    from concurrent.futures import Executor

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_BITS = 16
_SHIFT = np.uint64(64 - _BITS)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """Where the judged documents of a run stand.

    Two Judged of the same gold and of different queries add, field by field: parts of a run can be judged apart.

    Attributes:
        rank: shape (D,); the rank of each judged document, from 1; 0 where it was not retrieved.
        retrieved: shape (Q,); how many different documents were retrieved.
        repeated: shape (Q,); how many further lines repeated one of them.
        answered: shape (Q,); whether the run names the query, be it with nothing retrieved.
        extra: query that is not in the gold → how many lines the run has of it.
        reading: seconds spent on turning bytes into columns, in all processes.
        tied: shape (3, n); of each judged document that shares its score with others the row, and the ranks of the
            first and the last of them.
    """

    qrels: Qrels
    rank: IntArray
    retrieved: IntArray
    repeated: IntArray
    answered: BoolArray
    extra: Mapping[str, int]
    remarks: Remarks
    lines: int = 0
    reading: float = 0.0
    tied: IntArray = field(default_factory=lambda: np.zeros((3, 0), dtype=np.int64))
    #: lines of judged queries, each document once, where they were read in this process, for ``diagnose``: the last
    #: block that has shorter or longer ids than the gold, or else the first
    first: Columns | None = None

    def correct(self, cutoff: int | None = None, rel: int = 1) -> IntArray:
        """How many relevant documents of each query were retrieved, within the cutoff; shape (Q,)."""
        is_correct = (self.rank > 0) & (self.qrels.relevance >= rel)
        if cutoff is not None:
            is_correct &= self.rank <= cutoff
        return self.qrels.sums(is_correct)

    def in_order(self, chosen: BoolArray, *keys: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """The chosen documents of each query, sorted by the last key first; its number, and their places from 1."""
        rows = np.flatnonzero(chosen)
        rows = rows[np.lexsort((*(key[rows] for key in keys), self.qrels.query_of(rows)))]
        query = self.qrels.query_of(rows)
        return rows, query, np.arange(len(rows)) - np.searchsorted(query, query) + 1

    def __add__(self, other: Judged) -> Judged:
        """The two parts together.

        Raises:
            ValueError: the parts have different golds, or a query in common.
        """
        if not self.qrels.same_as(other.qrels):
            raise ValueError("only parts that were judged by the same gold add")
        if bool(np.any(self.answered & other.answered)) or not self.extra.keys().isdisjoint(other.extra):
            raise ValueError("a query is in both parts")
        return Judged(
            self.qrels,
            self.rank + other.rank,
            self.retrieved + other.retrieved,
            self.repeated + other.repeated,
            self.answered | other.answered,
            {**self.extra, **other.extra},
            self.remarks + other.remarks,
            self.lines + other.lines,
            self.reading + other.reading,
            np.concatenate((self.tied, other.tied), axis=1),
        )


def judge(
    qrels: Qrels,
    run: Run,
    skip: frozenset[str] = frozenset(),
    jobs: int = 1,
    executor: Executor | None = None,
) -> Judged:
    """Read a run and keep where its judged documents stand.

    Documents rank by score as trec_eval compares it (float32), highest first, and on equal scores by id, greatest
    first, by bytes; in a run without scores by the order of lines. A document that a query names twice counts once,
    at its best rank.

    The run streams by, and a query is finished when its id changes. Where a query comes back later, the run is read
    again, and its lines are grouped by query first, in temporary files.

    Args:
        qrels: the gold.
        run: what to judge.
        skip: queries to pass over in silence: those that the caller excluded.
        jobs: how many processes may work on it; more than one only helps with a large plain file.
        executor: what works on it instead of this process, in ``jobs`` parts; its workers must find the file.

    Raises:
        InputError: the run cannot be read.
        WorkerError: one of several processes was killed.
    """
    one_of("qrels", qrels, Qrels, "a coliee_ir.types.Qrels")
    one_of("skip", skip, Set, "a set of query ids")
    if not is_integer_within(jobs, 1):
        raise error_for_argument("jobs", "an integer ≥ 1", jobs)
    one_of("run", run, Run, "a coliee_ir.Run; read_run makes one")
    try:
        if (judged := _judged_in_parts(qrels, run, skip, jobs, executor)) is not None:
            return judged
        return _judged(qrels, run, skip) if executor is None else _judged_elsewhere(qrels, run, skip, executor)
    except _QueryReturnsError:
        return _judged_ungrouped(qrels, run, skip, jobs)


def _judged(qrels: Qrels, run: Run, skip: frozenset[str]) -> Judged:
    judging = _JudgedBuilder(qrels, skip)
    blocks = _Timed(run.blocks())
    for lines in blocks if run.grouped else whole_queries(blocks):
        judging.add(lines)
    return judging.result(blocks.seconds)


def _judged_elsewhere(qrels: Qrels, run: Run, skip: frozenset[str], executor: Executor) -> Judged:
    """A run judged as a whole by one worker of an executor."""
    from coliee_ir.judging import workers

    [result] = workers.results([partial(_without_gold, judge, qrels, run, skip)], 1, executor)
    if isinstance(result, ColieeError):
        raise result
    return replace(result, qrels=qrels)


def _judged_in_parts(
    qrels: Qrels, run: Run, skip: frozenset[str], jobs: int, executor: Executor | None
) -> Judged | None:
    """The parts of a file judged by several processes, added; None where only the whole file gives the full answer.

    That is so where a part meets an error or a remark that has a line number, which is one within the part; and where
    a query stands in two parts, or a comment that lies across their border makes it look so.
    """
    parts = run.split(jobs) if jobs > 1 and run.split is not None else []
    if len(parts) < 2:
        return None
    from coliee_ir.judging import workers  # loads multiprocessing, which a small run does without

    tasks = [partial(_without_gold, _judged, qrels, part, skip) for part in parts]
    try:
        results = list(workers.results(tasks, jobs, executor))
        if not _are_complete([r if isinstance(r, ColieeError) else r.remarks for r in results]):
            return None
        total, *others = [replace(r, qrels=qrels) for r in results if not isinstance(r, ColieeError)]
        for other in others:
            total += other
    except ValueError:  # a query in two parts
        return None
    return total


def _without_gold(judging: Callable[..., Judged], qrels: Qrels, run: Run, skip: frozenset[str]) -> Judged:
    """A judged run, or a part, without its gold and its lines, which need not travel between processes."""
    return replace(judging(qrels, run, skip), qrels=Qrels({}), first=None)


def _judged_ungrouped(qrels: Qrels, run: Run, skip: frozenset[str], jobs: int) -> Judged:
    """A run whose queries come back: its lines are dealt to shares by query, and these judged one by one."""
    import tempfile

    from coliee_ir.judging import ungrouped, workers

    with tempfile.TemporaryDirectory(prefix="coliee-ir-") as folder:

        def dealt(parts: Sequence[Run]) -> list[tuple[ungrouped.DealtLines, float] | ColieeError]:
            def deal(number: int) -> tuple[ungrouped.DealtLines, float]:
                blocks = _Timed(parts[number].blocks())
                name, apart = f"{len(parts)}-{number}", len(parts) > 1
                dealt = ungrouped.deal(blocks, qrels, skip, folder, name, to_files=apart)
                return dealt, blocks.seconds

            return list(workers.results([partial(deal, number) for number in range(len(parts))], jobs))

        def judged(share: int) -> Judged:
            judging = _JudgedBuilder(qrels, skip)
            for lines in ungrouped.grouped(share, hands, qrels):
                judging.add(lines)
            return replace(judging.result(0.0), qrels=Qrels({}), first=None)

        parts = run.split(jobs) if jobs > 1 and run.split is not None else [run]
        readings = dealt(parts)
        if len(parts) > 1 and not _are_complete([r if isinstance(r, ColieeError) else r[0].remarks for r in readings]):
            readings = dealt([run])
        if error := next((reading for reading in readings if isinstance(reading, ColieeError)), None):
            raise error
        hands = [reading[0] for reading in readings if not isinstance(reading, ColieeError)]
        shares = range(ungrouped.SHARES) if any(hand.files for hand in hands) else range(1)
        total = _JudgedBuilder(qrels, skip).result(0.0)
        for result in workers.results([partial(judged, share) for share in shares], jobs):
            if isinstance(result, ColieeError):
                raise result
            total += replace(result, qrels=qrels)
    extra = Counter[str]()
    for hand in hands:
        extra.update(hand.extra)
    remarks = sum((hand.remarks for hand in hands), Remarks()) + total.remarks
    remarks.add("ungrouped")
    return replace(
        total,
        answered=np.logical_or.reduce([hand.answered for hand in hands]),
        extra=extra,
        remarks=remarks,
        lines=sum(hand.lines for hand in hands),
        reading=sum(reading[1] for reading in readings if not isinstance(reading, ColieeError)),
    )


def _are_complete(parts: Sequence[Remarks | ColieeError]) -> bool:
    """Whether parts that were read apart say all that reading the whole file would: no error, no line number."""
    if any(isinstance(part, ColieeError) for part in parts):
        return False
    later = [part for part in parts[1:] if isinstance(part, Remarks)]
    return not any(part.count(kind) for part in later for kind in NUMBERED)


class _Timed(Iterator[Columns]):
    """Blocks, and the seconds that were spent waiting for them."""

    def __init__(self, blocks: Iterator[Columns]) -> None:
        self.blocks, self.seconds = blocks, 0.0

    def __next__(self) -> Columns:
        start = perf_counter()
        try:
            return next(self.blocks)
        finally:
            self.seconds += perf_counter() - start


class _QueryReturnsError(ColieeError):
    """A query that was finished comes back: the run is not grouped by query."""


class _JudgedBuilder:
    """A Judged in the making, to which blocks of whole queries are added.

    All lines of a block are handled at once; Python looks at single queries only where documents repeat or tie.
    """

    def __init__(self, qrels: Qrels, skip: frozenset[str]) -> None:
        self.qrels, self.skip = qrels, skip
        self.rank = np.zeros(len(qrels.relevance), dtype=np.int64)
        self.retrieved = np.zeros(len(qrels.queries), dtype=np.int64)
        self.repeated = np.zeros(len(qrels.queries), dtype=np.int64)
        self.answered = np.zeros(len(qrels.queries), dtype=np.bool_)
        self.extra: dict[str, int] = {}
        self.remarks = Remarks()
        self.lines = 0
        self.tied: list[IntArray] = []
        self.first: Columns | None = None
        lengths = qrels.documents.length
        self.lengths = (int(lengths.min()), int(lengths.max())) if len(lengths) else (0, 0)

    def result(self, reading: float) -> Judged:
        return Judged(
            self.qrels,
            self.rank,
            self.retrieved,
            self.repeated,
            self.answered,
            self.extra,
            self.remarks,
            self.lines,
            reading,
            np.concatenate([np.zeros((3, 0), dtype=np.int64), *self.tied], axis=1),
            self.first,
        )

    def add(self, block: Columns) -> None:
        self.remarks += block.remarks
        self.lines += len(block.documents)
        numbers = self._numbers(block)
        lines = block.of_segments(numbers >= 0)
        numbers = numbers[numbers >= 0]
        self.answered[numbers] = True
        if not len(lines.documents):
            return
        finds = Finder(self.qrels, lines, numbers)
        kept = self._first_of_each(lines, numbers, finds.repeated())
        if kept is not None:
            lines = lines.lines_where(kept)
            finds = Finder(self.qrels, lines, numbers)
        self.retrieved[numbers] = lines.lengths
        keys = None if lines.scores is None else sort_keys(lines.scores)
        self._rank(lines, keys, finds.hits(keys))
        shortest, longest = self.lengths
        if self.first is None or lines.documents.length.min() < shortest or lines.documents.length.max() > longest:
            self.first = lines

    def _numbers(self, block: Columns) -> IntArray:
        """The number of each segment's query; -1 for one that is not judged."""
        numbers = self.qrels.numbers(block.queries)
        if self.skip:
            numbers[[query in self.skip for query in block.queries]] = -1
        judged = numbers[numbers >= 0]
        if self.answered[judged].any() or np.bincount(judged, minlength=1).max() > 1:
            raise _QueryReturnsError("mixed-forms", "a query comes back")
        for i in np.flatnonzero(numbers < 0).tolist():
            query = block.queries[i]
            if query in self.skip:
                continue
            if query in self.extra:
                raise _QueryReturnsError("mixed-forms", "a query comes back")
            self.extra[query] = int(block.lengths[i])
        return numbers

    def _first_of_each(self, lines: Columns, numbers: IntArray, suspects: IntArray) -> BoolArray | None:
        """Which lines stand where a query names a document several times: the best one. None if all lines do."""
        if not len(suspects):
            return None
        kept = np.ones(len(lines.documents), dtype=np.bool_)
        for segment in suspects.tolist():
            best: dict[str, int] = {}
            for i in range(lines.starts[segment], lines.starts[segment + 1]):
                document = lines.documents[i]
                if document not in best:
                    best[document] = i
                    continue
                self.remarks.add("duplicate", f"query {lines.queries[segment]}: {document}")
                self.repeated[numbers[segment]] += 1
                better = lines.scores is not None and lines.scores[i] > lines.scores[best[document]]
                kept[best[document] if better else i] = False
                if better:
                    best[document] = i
        return kept

    def _rank(self, lines: Columns, keys: Keys | None, hits: Hits) -> None:
        """Rank the judged documents: by score, highest first, then by id; without scores by the order of lines."""
        before = lines.starts[hits.segment]
        if keys is None:
            self.rank[hits.rows] = hits.line - before + 1
            return
        assert hits.keys is not None
        is_sorted = not (lines.continues_segment & (keys[1:] < keys[:-1])).any()
        self.remarks.each("rank-order", map("query {}".format, ranked_otherwise(lines, keys)))
        ordered = in_segments(lines.segment, keys if is_sorted else sorted_within(keys, lines.lengths))
        ties = ordered[1:] == ordered[:-1]
        are_tied = bool(ties.any())
        place = hits.line if is_sorted and not are_tied else np.searchsorted(ordered, hits.keys)
        self.rank[hits.rows] = place - before + 1
        if are_tied:
            self._break_ties(lines, keys, hits, ordered, ordered[1:][ties])

    def _break_ties(self, lines: Columns, keys: Keys, hits: Hits, ordered: IntArray, tied: IntArray) -> None:
        """Give judged documents that share their score with others the rank that their id gives them."""
        assert hits.keys is not None
        for segment in distinct(segment_of(tied)).tolist():
            self.remarks.add("tie", f"query {lines.queries[segment]}")
        several = np.searchsorted(ordered, hits.keys, side="right") - np.searchsorted(ordered, hits.keys) > 1
        tied_hits = np.flatnonzero(several)
        if not len(tied_hits):
            return
        judged, rows = hits.keys[tied_hits], hits.rows[tied_hits]
        wanted = distinct(np.sort(judged))
        of_lines = in_segments(lines.segment, keys)
        # most lines share their key with no judged document, and few of its bits show it
        judged_bits = np.zeros(1 << _BITS, dtype=np.bool_)
        judged_bits[mixed((), wanted) >> _SHIFT] = True
        near = np.flatnonzero(judged_bits[mixed((), of_lines) >> _SHIFT])
        block = np.minimum(np.searchsorted(wanted, of_lines[near]), len(wanted) - 1)
        members = wanted[block] == of_lines[near]
        near, block = near[members], block[members]
        block_of, sizes = np.searchsorted(wanted, judged), np.bincount(block, minlength=len(wanted))
        best = self.rank[rows]
        self.tied.append(np.stack((rows, best, best + sizes[block_of] - 1)))
        self.rank[rows] += _greater(lines.documents.select(near), block, self.qrels.documents.select(rows), block_of)


def _greater(ids: Ids, block: IntArray, judged: Ids, block_of: IntArray) -> IntArray:
    """How many ids are greater by their bytes than each judged one, of those of its block."""
    lengths = np.bincount(block)
    of_lines, of_judged = in_order_of_bytes(ids, judged)
    of_lines = sorted_within(of_lines[np.argsort(block, kind="stable")], lengths)
    ends = np.cumsum(lengths)[block_of]
    low, high = ends - lengths[block_of], ends.copy()
    while (low < high).any():  # a search within each block
        middle = (low + high) // 2
        greater = of_lines[np.minimum(middle, len(of_lines) - 1)] > of_judged
        high = np.where(greater, np.minimum(middle, high), high)
        low = np.where(greater, low, np.minimum(middle + 1, high))
    return ends - low


class Hits(NamedTuple):
    """The judged documents that were retrieved."""

    rows: IntArray  # shape (h,); their rows in the qrels
    segment: IntArray  # shape (h,); the segment of each
    line: IntArray  # shape (h,); that of each
    # shape (h,); what sorts each among the lines, see ``in_segments``; None where there are no scores
    keys: IntArray | None


class Finder:
    """Searches for numbers that are made of query and document; what they find is compared in full."""

    def __init__(self, qrels: Qrels, lines: Columns, numbers: IntArray) -> None:
        self.qrels, self.lines, self.numbers = qrels, lines, numbers
        self.words = lines.documents.words(max(lines.documents.words_needed(), qrels.documents.words_needed()))
        self.keys = mixed(self.words, numbers[lines.segment])

    def repeated(self) -> IntArray:
        """The segments that seem to name a document several times, ascending."""
        # half of the key is enough for a suspicion, and sorted in half the time
        ordered = sorted_within((self.keys >> np.uint64(32)).astype(np.uint32), self.lines.lengths)
        return distinct(self.lines.segment[1:][self.lines.continues_segment & (ordered[1:] == ordered[:-1])])

    def hits(self, keys: Keys | None) -> Hits:
        """The judged documents that were retrieved, with what sorts the lines; asked for when none is repeated."""
        lines, rows = self._lines_and_rows()
        segment = self.lines.segment[lines]
        return Hits(rows, segment, lines, None if keys is None else in_segments(segment, keys[lines]))

    def _lines_and_rows(self) -> tuple[IntArray, IntArray]:
        numbers, keys = self.numbers, self.keys
        rows = self.qrels.rows(numbers)
        if not len(rows):
            return np.zeros(0, dtype=np.int64), rows
        of_number = np.repeat(numbers, self.qrels.sizes[numbers])
        judged = self.qrels.documents.select(rows)
        row_words = judged.words(len(self.words))
        row_keys = mixed(row_words, of_number)
        by_key = np.argsort(row_keys)
        in_order = row_keys[by_key]
        if (in_order[1:] == in_order[:-1]).any():  # two rows with one key, of which a search sees one
            return self._by_text()
        # most lines hold no judged document, and the first bits of their keys show it
        judged_bits = np.zeros(1 << _BITS, dtype=np.bool_)
        judged_bits[row_keys >> _SHIFT] = True
        line = np.flatnonzero(judged_bits[keys >> _SHIFT])
        row = by_key[np.minimum(np.searchsorted(in_order, keys[line]), len(rows) - 1)]
        hit = row_keys[row] == keys[line]
        line, row = line[hit], row[hit]
        same = of_number[row] == numbers[self.lines.segment[line]]
        documents = self.lines.documents.select(line)
        same &= judged.length[row] == documents.length
        for word, row_word in zip(self.words, row_words, strict=True):
            same &= word[line] == row_word[row]
        for i in np.flatnonzero(documents.length > PADDING).tolist():  # what differs behind the words
            same[i] &= judged[int(row[i])] == documents[i]
        return line[same], rows[row[same]]

    def _by_text(self) -> tuple[IntArray, IntArray]:
        """The same, id by id."""
        pairs = []
        for segment, number in enumerate(self.numbers.tolist()):
            first, last = int(self.qrels.start[number]), int(self.qrels.start[number + 1])
            row_of = {self.qrels.documents[row]: row for row in range(first, last)}
            for i in range(int(self.lines.starts[segment]), int(self.lines.starts[segment + 1])):
                if (row := row_of.get(self.lines.documents[i])) is not None:
                    pairs.append((i, row))
        lines, rows = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return lines, rows

    def has(self, segments: IntArray, texts: Sequence[str]) -> BoolArray:
        """Whether each of these segments seems to name the text beside it."""
        known, wanted = np.sort(self.keys), mixed(Ids.of(texts).words(len(self.words)), self.numbers[segments])
        # np.isin would load numpy.ma
        return np.asarray(known[np.minimum(np.searchsorted(known, wanted), len(known) - 1)] == wanted)
