"""What a file of columns says: queries, documents, ranks and scores, answers. Ids and labels are mended here."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence, Set
from itertools import groupby
from operator import eq, itemgetter
from typing import Final

from coliee_adapters.forms.vocabulary import DIGITS, LABELS
from coliee_adapters.records import STATUTE_ID, normal_id
from coliee_ir.commands.validate.known import Pool
from coliee_ir.commands.validate.sheet import Sheet, whole
from coliee_ir.judging.mismatch import ARTICLE, Respelling

#: More documents of a query than any system needs whose answers are scored as a set.
MANY: Final = 50

#: So few documents can be more than half of all without being a mistake.
_FEW: Final = 2

_ARTICLE_ID: Final = r"[1-9][0-9]*(?:-[1-9][0-9]*)*"


class _Form:
    """What is wrong with the form of an id; empty if nothing is."""

    def __init__(self, sheet: Sheet, digits: int, more: str, statute: tuple[str, str]) -> None:
        pattern, self._expected = f"[0-9]{{{digits}{more}}}" if digits else ".*", f"ids are numbers of {digits} digits"
        if sheet.protocol.law == "statute":
            pattern, self._expected = statute
        self._digits, self._pattern = digits, re.compile(pattern)
        self.pads = False  # whether it is known that all ids have so many digits

    def fits(self, lines: str) -> bool:
        """Whether all ids, one a line, have the form."""
        return re.fullmatch(rf"(?:(?:{self._pattern.pattern})\n)*+", f"{lines}\n") is not None

    def meant(self, text: str) -> Respelling | None:
        """The one id that a text can stand for: an article's number alone, a number with its zeros."""
        lost = self.pads and text.isdecimal()
        mended = text.zfill(self._digits) if lost else re.sub(ARTICLE, "", text)
        return Respelling(mended, self(text), True) if mended != text and self._pattern.fullmatch(mended) else None

    def __call__(self, text: str) -> str:
        if self._pattern.fullmatch(text):
            return ""
        if text.lower() in LABELS:
            return f"{self._expected}, and {text} is an answer: is this a submission to another task?"
        if re.fullmatch("[0-9]+", text) and len(text) < self._digits:
            return f"leading zeros are lost: write {text.zfill(self._digits)}"
        return self._expected


def queries(sheet: Sheet) -> None:
    """Every line is of a query that is asked, and every query has a line."""
    form = _Form(sheet, sheet.rules.query_digits, ",", (STATUTE_ID.pattern, "questions have ids like R07-01-O"))
    _check_ids(sheet, 0, "query", form, {sheet.known.queries: set(sheet.cells[0])})
    for query, rows in groupby(range(len(sheet.at)), key=sheet.cells[0].__getitem__):
        sheet.grouped = sheet.grouped and query not in sheet.lists
        sheet.lists.setdefault(query, array("l")).extend(rows)
    if sheet.known.asked is not None:
        answered = sheet.counts()
        for query in sheet.known.asked:
            if query not in answered:
                sheet.add("query-missing", found=query)


def documents(sheet: Sheet) -> None:
    """Every document is one that there is, and is named once."""
    form = _Form(sheet, sheet.rules.document_digits, "", (_ARTICLE_ID, "articles have ids like 96 and 398-20"))
    form.pads = {*map(len, sheet.known.judged)} == {sheet.rules.document_digits}
    of_query, column = sheet.cells[0], sheet.cells[sheet.document]
    if sheet.layout[1] == "Q0":
        for i, text in enumerate(sheet.cells[1]):
            if text != "Q0":
                sheet.add("q0", *sheet.place(i, 1), text)
        sheet.cells[1] = ["Q0"] * len(column)
    _check_ids(sheet, sheet.document, "document", form, sheet.known.pools(of_query, column))
    if sheet.protocol.cases_as_queries and any(map(eq, of_query, column)):
        itself = {query: i for query, rows in sheet.lists.items() for i in reversed(rows) if column[i] == query}
        for query, i in itself.items():
            sheet.add("self-retrieved", *sheet.place(i, sheet.document), f"{query} {query}")
    if any(len({column[i] for i in rows}) < len(rows) for rows in sheet.lists.values()):
        _drop_repeated(sheet)


def _drop_repeated(sheet: Sheet) -> None:
    """Of the lines of one document, that of the best score stays."""
    best: dict[tuple[str, str], int] = {}
    for i, pair in enumerate(zip(sheet.cells[0], sheet.cells[sheet.document], strict=True)):
        other = best.setdefault(pair, i)
        if other != i:
            score, of_other = sheet.scores[i], sheet.scores[other]
            is_better = score is not None and of_other is not None and score > of_other
            best[pair] = i if is_better else other
            sheet.dropped.add(other if is_better else i)
    for i in sorted(sheet.dropped):
        repeated = f"{sheet.cells[0][i]} {sheet.cells[sheet.document][i]}"
        sheet.add("duplicate", *sheet.place(i, sheet.document), repeated)


def _check_ids(sheet: Sheet, cell: int, kind: str, form: _Form, pools: Mapping[Pool | None, Set[str]]) -> None:
    """The ids of a column are among those that there are; where these were not given, they have their form."""
    of_query, column, add = list(sheet.cells[0]), sheet.cells[cell], sheet.add
    odd = {pool: held for pool, texts in pools.items() if (held := _odd(texts, pool, form))}
    told = set[str]()  # a query has many lines, and is told once
    for i, (query, text) in enumerate(zip(of_query, list(column), strict=True)) if odd else ():
        pool = sheet.known.documents(query) if cell else sheet.known.queries
        if text not in odd.get(pool, ()):
            continue
        if text.endswith(".txt") and text != ".txt":
            add("txt-suffix", *sheet.place(i, cell), text)
            text = column[i] = normal_id(text)
        if not text.isascii():  # that is a finding already
            sheet.doubted.add(i)
            continue
        if text in pool if pool is not None else not form(text):
            continue
        meant = form.meant(text) if pool is None else pool.meant(text)
        if pool is None:
            rule, remedy = f"{kind}-form", form(text)
        elif meant is not None and (meant.sure or form(text)):
            rule, remedy = f"{kind}-form", f"{meant.remedy}; here {meant.text}"
        else:
            rule, remedy = f"{kind}-unknown", ""
        if kind != "query" or text not in told:
            add(rule, *sheet.place(i, cell), text, remedy=remedy)
        told.add(text)
        if meant is not None and meant.sure:
            column[i] = meant.text
        else:
            sheet.doubted.add(i)


def _odd(texts: Set[str], pool: Pool | None, form: _Form) -> set[str]:
    """The ids that are not as they should be; most often none, which one look at all of them shows."""
    joined = "\n".join(texts)
    if joined.isascii() and ".txt" not in joined and (form.fits(joined) if pool is None else pool.holds(texts)):
        return set()
    return {
        text
        for text in texts
        if text.endswith(".txt") or not text.isascii() or (form(text) if pool is None else text not in pool)
    }


def ranking(sheet: Sheet) -> None:
    """Ranks are whole numbers from 1 that follow the scores."""
    if sheet.score is None:
        return
    rank, add = sheet.layout.index("RANK"), sheet.add
    ranks = [whole(text) for text in sheet.cells[rank]]
    for rule, cell, values in (("score", sheet.score, sheet.scores), ("rank", rank, ranks)):
        for i in (i for i, value in enumerate(values) if value is None):
            add(rule, *sheet.place(i, cell), sheet.cells[cell][i])
    several, equal = 0, []  # the queries of several documents, and those of one score
    for query, rows in sheet.lists.items():
        scores = [score for i in rows if (score := sheet.scores[i]) is not None]
        if len(scores) < len(rows):
            continue
        in_order = sorted(zip(scores, rows, strict=True), key=lambda one: -one[0])
        numbers = [number for _, i in in_order if (number := ranks[i]) is not None]
        if len(numbers) < len(rows):
            sheet.renumbered.add(query)
        elif len(set(numbers)) > 1 and _disagree(numbers, [score for score, _ in in_order]):
            add("rank-order", *sheet.place(rows[0], 0), query)
        else:
            if sorted(numbers) != list(range(1, len(numbers) + 1)):
                add("rank-numbers", *sheet.place(rows[0], 0), query)
                sheet.renumbered.add(query)
            if not sheet.dropped.isdisjoint(rows):
                sheet.renumbered.add(query)
        if len({*rows} - sheet.dropped) > 1:
            several += 1
            equal += [query] if len(set(scores)) == 1 else []
    # a set of documents may well have some of one score; that all have it says that the column holds nothing
    if sheet.kind == "long" or len(equal) == several:
        for query in equal:
            add("equal-scores", *sheet.place(sheet.lists[query][0], 0), query)


def _disagree(ranks: Sequence[int], scores: Sequence[float]) -> bool:
    """Whether ranks, of documents by falling score, order some of them otherwise."""
    worst = min(ranks)
    for _, of_score in groupby(zip(scores, ranks, strict=True), key=itemgetter(0)):
        numbers = [rank for _, rank in of_score]
        if min(numbers) < worst:
            return True
        worst = max(numbers)
    return False


def lengths(sheet: Sheet) -> None:
    """No list is longer than makes sense, and a long list is as long as it must be."""
    least = 0 if sheet.kind == "long" else _FEW if sheet.known.whole else MANY
    for query, n in sheet.counts().items():
        if n <= least:
            continue
        known = sheet.known.documents(query)
        rule, found, remedy = "", f"{query}: {n} documents", ""
        if sheet.kind == "long":
            rule = "long-list-count" if n != sheet.rules.long_list else ""
        elif sheet.known.whole and known is not None and 2 * n > len(known):
            rule, found = "everything", f"{query}: {n} of {len(known)} documents"
        elif n > MANY:
            rule = "long-answer"
            if sheet.rules.long_list:
                remedy = "cut the list, or name the file task3-L.TAG if it is the long list"
        if rule:
            line, column = sheet.place(sheet.lists[query][0], 0) if query in sheet.lists else (None, None)
            sheet.add(rule, line, column, found, remedy=remedy, long_list=sheet.rules.long_list)


def answers(sheet: Sheet) -> None:
    """Every answer is Y or N, and a question has one; where all are 1 or 0, these are understood as by ``evaluate``."""
    column = sheet.cells[1]
    labels = DIGITS if set(column) <= set(DIGITS) else LABELS
    for i, text in enumerate(column):
        label = labels.get(text.lower())
        if label is None:
            sheet.add("label-unknown", *sheet.place(i, 1), text)
        elif text not in ("Y", "N"):
            sheet.add("label-form", *sheet.place(i, 1), text)
            column[i] = "Y" if label else "N"
    for query, rows in sheet.lists.items():
        first, *others = [i for i in rows if column[i] in ("Y", "N")] or [0]
        if contrary := [i for i in others if column[i] != column[first]]:
            sheet.add("answered-twice", *sheet.place(contrary[0], 0), query)
            continue
        for i in others:
            sheet.add("duplicate", *sheet.place(i, 0), f"{query} {column[i]}")
            sheet.dropped.add(i)


def order(sheet: Sheet) -> None:
    """The lines of a query stand together."""
    begun, told = set[str](), set[str]()
    for query, rows in groupby(() if sheet.grouped else sheet.kept(), key=sheet.cells[0].__getitem__):
        if query in begun - told:
            sheet.add("ungrouped", *sheet.place(next(rows), 0), query)
            told.add(query)
        begun.add(query)
