"""Documents of a run that match nothing for how their ids are written: found once a block is ranked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from coliee_adapters.forms.statute import STATUTE_ID
from coliee_adapters.ids import MASKS, BoolArray, Forms, Ids, IntArray
from coliee_adapters.normal_forms import alike_in, folded, is_folded, is_inert
from coliee_adapters.remarks import EXAMPLES, Remarks
from coliee_ir.judging.segments import Lines

if TYPE_CHECKING:
    from coliee_ir.judging.finding import Finder
    from coliee_ir.judging.qrels import Qrels

#: bytes in a word; a word of digits 0, and the upper half of each byte
_WORD: Final = 8
_ZEROS, _HALVES = np.uint64(0x3030303030303030), np.uint64(0xF0F0F0F0F0F0F0F0)

_ARTICLES = Ids.of(["96", "398-20", "398-20-2"]).forms()


class Spelling:
    """How the ids of judged documents are written, see ``Qrels.spelling``.

    Attributes:
        zeros: shape (D,); whether an id begins with a zero, which a run may have lost.
        digits: how many digits each id has, where zeros fill them up to one length; None for other ids.
        are_articles: whether all are articles of statute law.
        folded: the ids in the form in which they are compared by eye; None where all are ASCII.
    """

    def __init__(self, queries: Sequence[str], documents: Ids) -> None:
        self.documents = documents
        self.zeros = _begin_with_zero(documents)
        length = int(documents.length.max(initial=0))
        filled_up = self.zeros.any() and (documents.length == length).all() and documents.are_numbers().all()
        self.digits = length if filled_up else None
        of_law = bool(queries) and STATUTE_ID.fullmatch(queries[0]) is not None
        self.are_articles = of_law and bool(len(documents)) and not _unlike_articles(documents).any()
        self.folded = None if documents.raw.isascii() else list(map(folded, documents))

    @cached_property
    def forms(self) -> Forms:
        """What the ids look like."""
        return Forms.of(self.documents)

    def unlike(self, documents: Ids) -> tuple[IntArray, IntArray]:
        """Which of these are shorter numbers than the judged ones, and which are not in their form, where it is known.

        It is where all are articles, or numbers filled up with zeros, of which longer ones may exist if they do not
        begin with a zero.
        """
        if self.are_articles:
            return np.zeros(0, np.int64), np.flatnonzero(_unlike_articles(documents))
        if self.digits is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        suspects = documents.length != self.digits
        if self.digits <= _WORD:  # looked at in bulk: a digit is from 0x30 to 0x39
            (word,) = documents.words(1)
            suspects |= ((word ^ _ZEROS) & _HALVES & MASKS[self.digits]) != 0
        at = np.flatnonzero(suspects)
        if not len(at):
            return at, at
        others = documents.at(at)
        numbers = others.are_numbers()
        filled_up = (others.length > self.digits) & _begin_with_zero(others)
        return at[numbers & (others.length < self.digits)], at[~numbers | filled_up]


def _begin_with_zero(ids: Ids) -> BoolArray:
    found: BoolArray = np.frombuffer(ids.raw, np.uint8)[ids.first] == ord("0")
    return found


def _unlike_articles(documents: Ids) -> BoolArray:
    """Which ids are not written as articles are: 96, 398-20; a leading zero is none of their form."""
    alike: BoolArray = (documents.forms()[:, None] == _ARTICLES).any(axis=1) & ~_begin_with_zero(documents)
    return ~alike  # np.isin would load numpy.ma


class Diagnosis:
    """Why documents match nothing, in remarks: lost zeros, other Unicode forms, ids unlike the gold's."""

    def __init__(self, qrels: Qrels) -> None:
        self.qrels, self.remarks = qrels, Remarks()
        self.looked_at: tuple[bytes, bool] | None = None

    def add(self, lines: Lines, numbers: IntArray, rank: IntArray, finder: Finder) -> None:
        """Explain a block that is ranked. Where all its ids are written as the gold's there is nothing to look for."""
        spelling, documents = self.qrels.spelling, lines.documents
        short, odd = spelling.unlike(documents)
        lost = bool(len(short)) or (spelling.digits is None and bool(spelling.zeros.any()))
        beyond = spelling.folded is not None or not documents.raw.isascii()
        if lost or beyond:
            rows = self.qrels.rows(numbers)
            missed = rank[rows] == 0
            segments, rows = np.repeat(np.arange(len(numbers)), self.qrels.sizes[numbers])[missed], rows[missed]
            if lost:
                self._note_lost_zeros(lines, segments, rows, short, finder)
            if beyond and len(rows):
                self._note_other_forms(lines, numbers, segments, rows, finder)
        for at in odd.tolist():
            document = documents[at]
            if is_folded(document):  # others were remarked
                self.remarks.add("odd-id", f"query {lines.queries[int(lines.segment[at])]}: {document}")

    def _note_lost_zeros(
        self, lines: Lines, segments: IntArray, rows: IntArray, short: IntArray, finder: Finder
    ) -> None:
        """Remark missed documents that would have been retrieved without their leading zeros, and others as short."""
        zeros = self.qrels.spelling.zeros[rows]
        texts = [self.qrels.texts[row] for row in rows[zeros].tolist()]
        stripped = [text.lstrip("0") for text in texts]
        known: set[tuple[str, str]] = set()
        for at in np.flatnonzero(finder.has(segments[zeros], stripped)).tolist() if texts else ():
            query = lines.queries[int(segments[zeros][at])]
            self.remarks.add("lost-zeros", f"query {query}: {stripped[at]} for {texts[at]}")
            known.add((query, stripped[at]))
        others = ((lines.queries[int(lines.segment[at])], lines.documents[int(at)]) for at in short)
        shown = list(islice((pair for pair in others if pair not in known), EXAMPLES))
        for query, document in shown:
            self.remarks.add("short-id", f"query {query}: {document}")
        self.remarks.add("short-id", n=len(short) - len(known) - len(shown))

    def _note_other_forms(
        self, lines: Lines, numbers: IntArray, segments: IntArray, rows: IntArray, finder: Finder
    ) -> None:
        """Remark documents that differ from a missed one of their query only in their Unicode form."""
        texts, in_form = self.qrels.texts, self.qrels.spelling.folded or self.qrels.texts
        meant = {(at, in_form[row]): texts[row] for at, row in zip(segments.tolist(), rows.tolist(), strict=True)}
        # ids of the run that are in the form are looked up; the others, which are rare, are put into it
        wanted = [pair for pair, written in meant.items() if pair[1] != written]
        has = finder.has(np.array([at for at, _ in wanted], np.int64), [text for _, text in wanted]) if wanted else ()
        found = [pair for pair, there in zip(wanted, has, strict=True) if there]
        if not self._are_in_form(lines.documents):
            lacking = np.zeros(len(numbers), dtype=np.bool_)
            lacking[segments] = True
            at = np.flatnonzero(lines.documents.beyond_ascii() & lacking[lines.segment])
            ids = zip(lines.segment[at].tolist(), lines.documents.at(at), strict=True)
            found += [(segment, document) for segment, document in ids if not is_folded(document)]
        for segment, document in found:
            written = meant.get((segment, folded(document)))
            if written is None or written == document or (form := alike_in(document, written)) is None:
                continue
            own = self.qrels.start[numbers[segment] : numbers[segment] + 2]
            if document not in texts[own[0] : own[1]]:
                self.remarks.add("other-form", f"query {lines.queries[segment]}: {document} for {written}, {form}")

    def _are_in_form(self, ids: Ids) -> bool:
        """Whether the bytes that hold these ids, in which blocks may share, have nothing in another form."""
        if self.looked_at is None or self.looked_at[0] is not ids.raw:
            in_form = all(map(is_inert, ids.characters())) or is_folded(ids.raw.decode("utf-8", "replace"))
            self.looked_at = ids.raw, in_form
        return self.looked_at[1]
