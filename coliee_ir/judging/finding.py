"""Where the judged documents are among lines: looked up in the dictionaries that hold them, or searched for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any, NamedTuple, Protocol

import numpy as np

from coliee_adapters.ids import PADDING, BoolArray, Collection, Ids, IntArray, Picked, WordArray, mixed
from coliee_ir.judging.order import in_segments, sort_keys, sorted_within
from coliee_ir.judging.qrels import Qrels
from coliee_ir.judging.segments import Lines

BITS = 16
SHIFT = np.uint64(64 - BITS)


class Hits(NamedTuple):
    """The judged documents that were retrieved."""

    rows: IntArray  # shape (h,); their rows in the qrels
    segment: IntArray  # shape (h,); the segment of each
    at: IntArray | None  # shape (h,); the line of each; None where only its score was looked up
    # shape (h,); what sorts each among the lines, see ``in_segments``; None where there are no scores
    keys: IntArray | None


class Finder(Protocol):
    """Finds documents in lines of whole, judged queries."""

    def repeated(self) -> IntArray:
        """The segments that seem to name a document several times, ascending."""

    def hits(self) -> Hits:
        """The judged documents that were retrieved; asked for when no document is repeated any more."""

    def has(self, segments: IntArray, texts: Sequence[str]) -> BoolArray:
        """Whether each of these segments seems to name the text beside it."""


def finder(qrels: Qrels, lines: Lines, numbers: IntArray) -> Finder:
    """What finds documents in these lines."""
    if lines.entries is not None:
        return _ByEntry(qrels, lines, lines.entries, numbers)
    return _ByKey(qrels, lines, numbers)


class _ByKey:
    """Searches for numbers that are made of query and document; what they find is compared in full."""

    def __init__(self, qrels: Qrels, lines: Lines, numbers: IntArray) -> None:
        self.qrels, self.lines, self.numbers = qrels, lines, numbers
        documents = lines.documents
        #: where documents are numbers: whose, and those of the judged documents
        self.collection: Collection | None = None
        self.places: IntArray | None = None
        if isinstance(documents, Picked) and (places := qrels.places_in(documents.collection)) is not None:
            self.collection, self.places = documents.collection, places
            self.words = [documents.numbers.view(np.uint64)]
        else:
            self.words = documents.words(max(documents.words_needed(), qrels.documents.words_needed()))
        self.keys = mixed(self.words, numbers[lines.segment])

    def repeated(self) -> IntArray:
        # half of the key is enough for a suspicion, and sorted in half the time
        ordered = sorted_within((self.keys >> np.uint64(32)).astype(np.uint32), self.lines.lengths)
        return distinct(self.lines.segment[1:][self.lines.within & (ordered[1:] == ordered[:-1])])

    def hits(self) -> Hits:
        at, rows = self._at_and_rows()
        segment = self.lines.segment[at]
        keys = None if self.lines.keys is None else in_segments(segment, self.lines.keys[at])
        return Hits(rows, segment, at, keys)

    def _at_and_rows(self) -> tuple[IntArray, IntArray]:
        numbers, keys = self.numbers, self.keys
        rows = self.qrels.rows(numbers)
        if not len(rows):
            return np.zeros(0, dtype=np.int64), rows
        of_number = np.repeat(numbers, self.qrels.sizes[numbers])
        judged = self.qrels.documents.at(rows)
        row_words = judged.words(len(self.words)) if self.places is None else [self.places[rows].astype(np.uint64)]
        row_keys = mixed(row_words, of_number)
        by_key = np.argsort(row_keys)
        in_order = row_keys[by_key]
        if (in_order[1:] == in_order[:-1]).any():  # two rows with one key, of which a search sees one
            return self._by_text()
        # most lines hold no judged document, and the first bits of their keys show it
        judged_bits = np.zeros(1 << BITS, dtype=np.bool_)
        judged_bits[row_keys >> SHIFT] = True
        at = np.flatnonzero(judged_bits[keys >> SHIFT])
        row = by_key[np.minimum(np.searchsorted(in_order, keys[at]), len(rows) - 1)]
        hit = row_keys[row] == keys[at]
        at, row = at[hit], row[hit]
        same = of_number[row] == numbers[self.lines.segment[at]]
        documents = self.lines.documents.at(at)
        same &= judged.length[row] == documents.length
        for word, row_word in zip(self.words, row_words, strict=True):
            same &= word[at] == row_word[row]
        for i in np.flatnonzero(documents.length > PADDING).tolist():  # what differs behind the words
            same[i] &= judged[int(row[i])] == documents[i]
        return at[same], rows[row[same]]

    def _by_text(self) -> tuple[IntArray, IntArray]:
        """The same, id by id."""
        pairs = []
        for segment, number in enumerate(self.numbers.tolist()):
            first, last = int(self.qrels.start[number]), int(self.qrels.start[number + 1])
            row_of = {self.qrels.documents[row]: row for row in range(first, last)}
            for at in range(int(self.lines.starts[segment]), int(self.lines.starts[segment + 1])):
                if (row := row_of.get(self.lines.documents[at])) is not None:
                    pairs.append((at, row))
        found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def has(self, segments: IntArray, texts: Sequence[str]) -> BoolArray:
        wanted = Ids.of(texts)
        places = None if self.collection is None else self.collection.places(wanted)
        words = wanted.words(len(self.words)) if places is None else [places.astype(np.uint64)]
        return _among(mixed(words, self.numbers[segments]), np.sort(self.keys))


class _ByEntry:
    """Looks the judged documents up in the dictionaries that the lines come from."""

    def __init__(self, qrels: Qrels, lines: Lines, entries: Sequence[dict[str, Any]], numbers: IntArray) -> None:
        self.qrels, self.lines, self.entries, self.numbers = qrels, lines, entries, numbers

    def repeated(self) -> IntArray:
        return np.zeros(0, dtype=np.int64)

    def hits(self) -> Hits:
        rows = self.qrels.rows(self.numbers)
        sizes, texts = self.qrels.sizes[self.numbers], self.qrels.texts
        of_row = chain.from_iterable(map(repeat, self.entries, sizes.tolist()))
        found = list(map(dict.get, of_row, map(texts.__getitem__, rows.tolist())))
        scores = np.fromiter(found, dtype=np.float64, count=len(found))  # what is not there, None, becomes NaN
        there = ~np.isnan(scores)
        segment = np.repeat(np.arange(len(self.numbers)), sizes)[there]
        return Hits(rows[there], segment, None, in_segments(segment, sort_keys(scores[there])))

    def has(self, segments: IntArray, texts: Sequence[str]) -> BoolArray:
        pairs = zip(segments.tolist(), texts, strict=True)
        return np.fromiter((text in self.entries[segment] for segment, text in pairs), np.bool_, len(texts))


def distinct(numbers: IntArray) -> IntArray:
    """The different numbers of an ascending array; np.unique would sort, and load numpy.ma."""
    return numbers[np.diff(numbers, prepend=numbers[:1] - 1) > 0]


def _among(values: WordArray, ascending: WordArray) -> BoolArray:
    """Whether each value is one of the others, of which there are some; np.isin would load numpy.ma."""
    found: BoolArray = ascending[np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)] == values
    return found
