"""What a file of columns says: queries, documents, ranks and scores, answers. Ids and labels are mended here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from coliee_adapters.forms.statute import DIGITS, LABELS, STATUTE_ID
from coliee_adapters.records import normal_id
from coliee_ir.commands.validate.columns import Sheet, cells_of, whole
from coliee_ir.commands.validate.findings import Add
from coliee_ir.commands.validate.known import Known, Pool
from coliee_ir.commands.validate.rows import Row
from coliee_ir.judging.mismatch import ARTICLE, Respelling

#: More documents of a query than any system needs whose answers are scored as a set.
MANY: Final = 50

#: So few documents can be more than half of all without being a mistake.
_FEW: Final = 2

_ARTICLE_ID: Final = re.compile(r"[1-9][0-9]*(?:-[1-9][0-9]*)*")


def check_queries(sheet: Sheet, known: Known) -> None:
    """Every line is of a query that is asked, and every query has a line."""
    form = _form_of_query(sheet)
    told, right = set[str](), set[str]()
    for row in sheet.understood:
        written = cells_of(row)[0]
        if written in right:
            continue
        text = normal_id(written)
        _check_id(row, 0, known.queries, "query", form, sheet.add, again=text in told)
        told.add(text)
        if cells_of(row)[0] == written and not row.doubted:
            right.add(written)
    if known.asked is not None:
        answered = sheet.queries
        for query in known.asked:
            if query not in answered:
                sheet.add("query-missing", found=query)


def _check_id(row: Row, cell: int, pool: Pool | None, kind: str, form: _Form, add: Add, *, again: bool = False) -> None:
    """An id is one of those that there are; where they were not given, it has their form."""
    cells = cells_of(row)
    if cells[cell].endswith(".txt") and cells[cell] != ".txt":
        add("txt-suffix", *row.place(cell), cells[cell])
        cells[cell] = normal_id(cells[cell])
    text = cells[cell]
    if not text.isascii():  # that is a finding already
        row.doubted = True
        return
    if text in pool if pool is not None else not form(text):
        return
    meant = form.meant(text) if pool is None else pool.meant(text)
    if pool is None:
        rule, remedy = f"{kind}-form", form(text)
    elif meant is not None and (meant.sure or form(text)):
        rule, remedy = f"{kind}-form", f"{meant.remedy}; here {meant.text}"
    else:
        rule, remedy = f"{kind}-unknown", ""
    if not again:
        add(rule, *row.place(cell), text, remedy=remedy)
    if meant is not None and meant.sure:
        cells[cell] = meant.text
    else:
        row.doubted = True


class _Form:
    """What is wrong with the form of an id; empty if nothing is."""

    def __init__(self, pattern: str, expected: str, digits: int = 0) -> None:
        self._pattern, self._expected, self._digits = re.compile(pattern), expected, digits
        self.pads = False  # whether it is known that all ids have so many digits

    def meant(self, text: str) -> Respelling | None:
        """The one id that a text can stand for: an article's number alone, a number with its zeros."""
        lost = self.pads and text.isdecimal()
        mended = text.zfill(self._digits) if lost else re.sub(ARTICLE, "", text)
        return Respelling(mended, self(text), True) if mended != text and self._pattern.fullmatch(mended) else None

    def __call__(self, text: str) -> str:
        if self._pattern.fullmatch(text):
            return ""
        if re.fullmatch("[0-9]+", text) and len(text) < self._digits:
            return f"leading zeros are lost: write {text.zfill(self._digits)}"
        return self._expected


def _form_of_query(sheet: Sheet) -> _Form:
    digits = sheet.rules.query_digits
    if sheet.rules.protocol.law == "statute":
        return _Form(STATUTE_ID.pattern, "questions have ids like R07-01-O")
    return _Form(f"[0-9]{{{digits},}}" if digits else ".*", f"ids are numbers of {digits} digits", digits)


def _form_of_document(sheet: Sheet) -> _Form:
    digits = sheet.rules.document_digits
    if sheet.rules.protocol.law == "statute":
        return _Form(_ARTICLE_ID.pattern, "articles have ids like 96 and 398-20")
    return _Form(f"[0-9]{{{digits}}}" if digits else ".*", f"ids are numbers of {digits} digits", digits)


def check_documents(sheet: Sheet, known: Known) -> None:
    """Every document is one that there is, and is named once."""
    form, names_cases = _form_of_document(sheet), sheet.rules.protocol.cases_as_queries
    form.pads = {*map(len, known.judged)} == {sheet.rules.document_digits}
    best: dict[tuple[str, str], Row] = {}
    for row in sheet.understood:
        cells = cells_of(row)
        if sheet.layout[1] == "Q0" and cells[1] != "Q0":
            sheet.add("q0", *row.place(1), cells[1])
            cells[1] = "Q0"
        _check_id(row, sheet.document, known.documents(cells[0]), "document", form, sheet.add)
        query, document = cells[0], cells[sheet.document]
        if names_cases and document == query:
            sheet.add("self-retrieved", *row.place(sheet.document), f"{query} {document}")
        other = best.setdefault((query, document), row)
        if other is not row:  # that of the better score stays
            is_better = row.score is not None and other.score is not None and row.score > other.score
            best[query, document] = row if is_better else other
            (other if is_better else row).dropped = True
    for row in sheet.understood:
        if row.dropped:
            cells = cells_of(row)
            sheet.add("duplicate", *row.place(sheet.document), f"{cells[0]} {cells[sheet.document]}")


def check_ranking(sheet: Sheet) -> None:
    """Ranks are whole numbers from 1 that follow the scores."""
    if sheet.score is None:
        return
    rank, score, add = sheet.layout.index("RANK"), sheet.score, sheet.add
    for row in sheet.understood:
        if row.score is None:
            add("score", *row.place(score), cells_of(row)[score])
        if whole(cells_of(row)[rank]) is None:
            add("rank", *row.place(rank), cells_of(row)[rank])
    several: dict[str, Row] = {}  # the queries of several documents, and their first lines
    equal = []
    for query, rows in sheet.lists().items():
        scores = [row.score for row in rows if row.score is not None]
        if len(scores) < len(rows):
            continue
        in_order = sorted(rows, key=lambda row: -(row.score or 0.0))
        ranks = [number for row in in_order if (number := whole(cells_of(row)[rank])) is not None]
        if len(ranks) < len(rows):
            sheet.renumbered.add(query)
        elif len(set(ranks)) > 1 and _disagree(ranks, sorted(scores, reverse=True)):
            add("rank-order", *rows[0].place(0), query)
        else:
            if sorted(ranks) != list(range(1, len(ranks) + 1)):
                add("rank-numbers", *rows[0].place(0), query)
                sheet.renumbered.add(query)
            if any(row.dropped for row in rows):
                sheet.renumbered.add(query)
        if sum(not row.dropped for row in rows) > 1:
            several[query] = rows[0]
            equal += [query] if len(set(scores)) == 1 else []
    # a set of documents may well have some of one score; that all have it says that the column holds nothing
    if sheet.kind == "long" or len(equal) == len(several):
        for query in equal:
            add("equal-scores", *several[query].place(0), query)


def _disagree(ranks: Sequence[int], scores: Sequence[float]) -> bool:
    """Whether ranks, of documents by falling score, order some of them otherwise."""
    worst = min(ranks)
    for _, of_score in groupby(zip(scores, ranks, strict=True), key=itemgetter(0)):
        numbers = [rank for _, rank in of_score]
        if min(numbers) < worst:
            return True
        worst = max(numbers)
    return False


def check_lengths(sheet: Sheet, known: Known) -> None:
    """No list is longer than makes sense, and a long list is as long as it must be."""
    first = {query: rows[0].place(0) for query, rows in sheet.lists().items()}
    for query, n in sheet.queries.items():
        place, documents = first.get(query, (None, None)), known.documents(query)
        if sheet.kind == "long":
            if n != sheet.rules.long_list:
                sheet.add("long-list-count", *place, f"{query}: {n} documents")
        elif known.whole and documents is not None and n > _FEW and 2 * n > len(documents):
            sheet.add("everything", *place, f"{query}: {n} of {len(documents)} documents")
        elif n > MANY:
            remedy = (
                "cut the list, or name the file task3-L.TAG if it is the long list" if sheet.rules.long_list else ""
            )
            sheet.add("long-answer", *place, f"{query}: {n} documents", remedy=remedy)


def check_answers(sheet: Sheet) -> None:
    """Every answer is Y or N, and a question has one; where all are 1 or 0, these are understood as by ``evaluate``."""
    labels = DIGITS if all(cells_of(row)[1] in DIGITS for row in sheet.understood) else LABELS
    for row in sheet.understood:
        cells = cells_of(row)
        label = labels.get(cells[1].lower())
        if label is None:
            sheet.add("label-unknown", *row.place(1), cells[1])
        elif cells[1] not in ("Y", "N"):
            sheet.add("label-form", *row.place(1), cells[1])
            cells[1] = "Y" if label else "N"
    for query, rows in sheet.lists().items():
        read = [row for row in rows if cells_of(row)[1] in ("Y", "N")]
        for row in read[1:]:
            if cells_of(row)[1] != cells_of(read[0])[1]:
                sheet.add("answered-twice", *row.place(0), query)
                break
        else:
            for row in read[1:]:
                sheet.add("duplicate", *row.place(0), f"{query} {cells_of(row)[1]}")
                row.dropped = True


def check_order(sheet: Sheet) -> None:
    """The lines of a query stand together."""
    finished: set[str] = set()
    told: set[str] = set()
    current = None
    for row in sheet.understood:
        query = cells_of(row)[0]
        if row.dropped:
            continue
        if query != current and query in finished and query not in told:
            sheet.add("ungrouped", *row.place(0), query)
            told.add(query)
        finished.add(query)
        current = query
