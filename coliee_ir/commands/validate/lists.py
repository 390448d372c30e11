"""What a file of columns says, one query at a time: queries, documents, ranks and scores, answers."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from coliee_adapters.forms.columns import as_number
from coliee_adapters.forms.vocabulary import LABELS
from coliee_adapters.records import STATUTE_ID, normal_id
from coliee_ir.commands.validate.columns import integer_of
from coliee_ir.commands.validate.known import Pool
from coliee_ir.commands.validate.rules import MANY
from coliee_ir.commands.validate.sheet import Context, Line, Sheet
from coliee_ir.judging.mismatch import ARTICLE, Respelling

#: So few documents can be more than half of all without being a mistake.
_FEW: Final = 2

_ARTICLE_ID: Final = r"[1-9][0-9]*(?:-[1-9][0-9]*)*"

#: what takes a finding: ``Sheet.add``
_Add = Callable[..., None]


class _Verdict(NamedTuple):
    """How an id should be written, what is wrong with it, and whether nothing more is to be said of it."""

    text: str
    faults: tuple[tuple[str, str, str], ...]  # the rule, what was found, the remedy
    doubted: bool


class _Ids:
    """Ids among those that there are, or, where these were not given, in the form of the task."""

    def __init__(self, context: Context, form: str, unknown: str) -> None:
        rules, self.form, self.unknown = context.rules, form, unknown
        of_queries = form == "query-form"
        self.digits = rules.query_digits if of_queries else rules.document_digits
        pattern = f"[0-9]{{{self.digits}{',' if of_queries else ''}}}" if self.digits else ".*"
        self.expected = f"ids are numbers of {self.digits} digits"
        if context.protocol.law == "statute" and of_queries:
            pattern, self.expected = STATUTE_ID.pattern, "questions have ids like R07-01-O"
        elif context.protocol.law == "statute":
            pattern, self.expected = _ARTICLE_ID, "articles have ids like 96 and 398-20"
        self.pattern = re.compile(pattern)
        # whether it is known that all ids have so many digits
        self.pads = not of_queries and {*map(len, context.known.judged)} == {self.digits}
        self.verdicts: dict[int, dict[str, _Verdict | None]] = {}  # by the pool, in which they are known

    def verdict(self, text: str, pool: Pool | None) -> _Verdict | None:
        """What is wrong with an id; None if nothing is."""
        verdicts = self.verdicts.setdefault(id(pool), {})
        if text not in verdicts:
            verdicts[text] = self._verdict(text, pool)
        return verdicts[text]

    def _verdict(self, text: str, pool: Pool | None) -> _Verdict | None:
        has_suffix = text.endswith(".txt") and text != ".txt"
        faults = (("txt-suffix", text, ""),) if has_suffix else ()
        text = normal_id(text) if has_suffix else text
        if not text.isascii():  # that is a finding already
            return _Verdict(text, faults, True)
        wrong = self._wrong(text)
        if text in pool if pool is not None else not wrong:
            return _Verdict(text, faults, False) if faults else None
        meant = self._respelled(text) if pool is None else pool.respelled(text)
        if pool is None:
            fault = (self.form, text, wrong)
        elif meant is not None and (meant.sure or wrong):
            fault = (self.form, text, f"{meant.remedy}; here {meant.text}")
        else:
            fault = (self.unknown, text, "")
        is_sure = meant is not None and meant.sure
        return _Verdict(meant.text if meant is not None and is_sure else text, (*faults, fault), not is_sure)

    def _respelled(self, text: str) -> Respelling | None:
        """The one id that a text can stand for: an article's number alone, a number with its zeros."""
        is_short = self.pads and text.isdecimal()
        mended = text.zfill(self.digits) if is_short else re.sub(ARTICLE, "", text)
        if mended == text or not self.pattern.fullmatch(mended):
            return None
        return Respelling(mended, self._wrong(text), True)

    def _wrong(self, text: str) -> str:
        """What is wrong with the form of an id; empty if nothing is."""
        if self.pattern.fullmatch(text):
            return ""
        if text.lower() in LABELS:
            return f"{self.expected}, and {text} is an answer: is this a submission to another task?"
        if re.fullmatch("[0-9]+", text) and len(text) < self.digits:
            return f"leading zeros are lost: write {text.zfill(self.digits)}"
        return self.expected


def queries(sheet: Sheet) -> None:
    """Every line is of a query that is asked; a query whose ids are mended is one."""
    ids, seen = _Ids(sheet.context, "query-form", "query-unknown"), set[str]()
    lists: dict[str, array[int]] = {}
    for text, rows in sheet.queries.items():
        verdict = ids.verdict(text, sheet.context.known.queries)
        query = text if verdict is None else verdict.text
        for rule, found, remedy in () if verdict is None else verdict.faults:
            if rule == "txt-suffix":
                for index in rows:
                    sheet.add("txt-suffix", *sheet.line(index).place(0), found)
            elif found not in seen:  # a query has many lines
                sheet.add(rule, *sheet.line(rows[0]).place(0), found, remedy=remedy)
                seen.add(found)
        if verdict is not None and verdict.doubted:
            sheet.doubted.add(query)
        lists[query] = array("l", sorted((*lists[query], *rows))) if query in lists else rows
    sheet.queries = lists


class Lists:
    """The lists of a file, each looked at alone; it is asked for them again where copies are written."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.context = sheet, sheet.context
        self.ids = _Ids(sheet.context, "document-form", "document-unknown")
        self.score, self.rank, self.q0 = (sheet.column(name) for name in ("SCORE", "RANK", "Q0"))

    def read(self, query: str, add: _Add = lambda *_, **__: None) -> list[Line]:
        """The lines of a query as they should be, without those that repeat others."""
        lines = [self.sheet.line(index) for index in self.sheet.queries[query]]
        for line in lines:
            line.cells[0], line.doubted = query, query in self.sheet.doubted
        if self.sheet.kind == "answers":
            return self._answers(query, lines, add)
        column, pool, kept = self.sheet.document, self.context.known.documents(query), lines
        for line in lines:
            if self.score is not None:
                line.score = as_number(line.cells[self.score])
            if self.q0 is not None and line.cells[self.q0] != "Q0":
                add("q0", *line.place(self.q0), line.cells[self.q0])
                line.cells[self.q0] = "Q0"
            if (verdict := self.ids.verdict(line.cells[column], pool)) is not None:
                for rule, found, remedy in verdict.faults:
                    add(rule, *line.place(column), found, remedy=remedy)
                line.cells[column], line.doubted = verdict.text, line.doubted or verdict.doubted
        documents = [line.cells[column] for line in lines]
        if self.context.protocol.cases_as_queries and query in documents:
            add("self-retrieved", *lines[documents.index(query)].place(column), f"{query} {query}")
        if len(set(documents)) < len(lines):
            kept = self._distinct(lines, column, add)
        if self.score is not None and self.rank is not None:
            self._ranks(query, lines, kept, add)
        return kept

    def _distinct(self, lines: list[Line], column: int, add: _Add) -> list[Line]:
        """Of the lines of one document, that of the best score."""
        best: dict[str, Line] = {}
        for line in lines:
            other = best.setdefault(line.cells[column], line)
            if line.score is not None and other.score is not None and line.score > other.score:
                best[line.cells[column]] = line
        kept = sorted(best.values(), key=attrgetter("index"))
        for line in lines:
            if best[line.cells[column]] is not line:
                add("duplicate", *line.place(column), f"{line.cells[0]} {line.cells[column]}")
        return kept

    def _ranks(self, query: str, lines: list[Line], kept: list[Line], add: _Add) -> None:
        """Ranks are whole numbers from 1 that follow the scores; where no decision is needed, they are written anew."""
        assert self.score is not None and self.rank is not None
        ranks = {line.index: integer_of(line.cells[self.rank]) for line in lines}
        for line in lines:
            if line.score is None:
                add("score", *line.place(self.score), line.cells[self.score])
            if ranks[line.index] is None:
                add("rank", *line.place(self.rank), line.cells[self.rank])
        scored = [(line.score, line) for line in lines if line.score is not None]
        if len(scored) < len(lines):
            return
        scored.sort(key=lambda pair: -pair[0])
        numbers = [(score, number) for score, line in scored if (number := ranks[line.index]) is not None]
        if len(numbers) == len(lines):
            if len({number for _, number in numbers}) > 1 and _disagree(numbers):
                add("rank-order", *lines[0].place(0), query)
                return
            if sorted(number for _, number in numbers) == list(range(1, len(numbers) + 1)):
                if len(kept) == len(lines):
                    return
            else:
                add("rank-numbers", *lines[0].place(0), query)
        indexes = {line.index for line in kept}
        for place, (_, line) in enumerate((pair for pair in scored if pair[1].index in indexes), start=1):
            line.cells[self.rank] = str(place)

    def _answers(self, query: str, lines: list[Line], add: _Add) -> list[Line]:
        """Every answer is Y or N, and a question has one; all 1 or 0 are understood as by ``evaluate``."""
        for line in lines:
            text = line.cells[1]
            label = self.sheet.labels.get(text.lower())
            if label is None:
                add("label-unknown", *line.place(1), text)
            elif text not in ("Y", "N"):
                add("label-form", *line.place(1), text)
                line.cells[1] = "Y" if label else "N"
        first, *others = [line for line in lines if line.cells[1] in ("Y", "N")] or lines[:1]
        if contrary := [line for line in others if line.cells[1] != first.cells[1]]:
            add("answered-twice", *contrary[0].place(0), query)
            return lines
        for line in others:
            add("duplicate", *line.place(0), f"{query} {line.cells[1]}")
        return [line for line in lines if line not in others]


def _disagree(ranked: Sequence[tuple[float, int]]) -> bool:
    """Whether ranks, of documents by falling score, order some of them otherwise."""
    worst = 0
    for _, of_score in groupby(ranked, key=itemgetter(0)):
        numbers = [rank for _, rank in of_score]
        if min(numbers) < worst:
            return True
        worst = max(numbers)
    return False


def lists(sheet: Sheet) -> None:
    """Every list is sound; and what is known when all have been looked at."""
    of_queries, several, equal = Lists(sheet), 0, list[str]()
    for query, rows in sheet.queries.items():
        kept = of_queries.read(query, sheet.add)
        sheet.counts[query] = len(kept)
        sheet.dropped |= {*rows} - {line.index for line in kept} if len(kept) < len(rows) else set()
        if of_queries.score is not None and len(kept) > 1 and None not in (scores := {line.score for line in kept}):
            several += 1
            equal += [query] if len(scores) == 1 else []
    for index in sheet.left:
        sheet.counts[normal_id(sheet.line(index).words[0])] += 1
    # a set of documents may well have some of one score; that all have it says that the column holds nothing
    if sheet.kind == "long" or len(equal) == several:
        for query in equal:
            sheet.add("equal-scores", *sheet.first_place(query), query)
    if sheet.kind != "answers":
        _lengths(sheet)
        _order(sheet)


def _lengths(sheet: Sheet) -> None:
    """No list is longer than makes sense, and a long list is as long as it must be."""
    known, long_list = sheet.context.known, sheet.context.rules.long_list
    for query, n in sheet.counts.items():
        place, found, pool = sheet.first_place(query), f"{query}: {n} documents", known.documents(query)
        if sheet.kind == "long":
            if n != long_list:
                sheet.add("long-list-count", *place, found, long_list=long_list)
        elif known.whole and pool is not None and n > _FEW and 2 * n > len(pool):
            sheet.add("everything", *place, f"{query}: {n} of {len(pool)} documents")
        elif n > MANY:
            remedy = "cut the list, or name the file task3-L.TAG if it is the long list" if long_list else ""
            sheet.add("long-answer", *place, found, remedy=remedy)


def _order(sheet: Sheet) -> None:
    """The lines of a query stand together."""
    if all(rows[-1] - rows[0] < len(rows) for rows in sheet.queries.values()):
        return
    query_of: list[str | None] = [None] * len(sheet.contents)
    for query, rows in sheet.queries.items():
        for index in rows:
            query_of[index] = query
    kept = (index for index, query in enumerate(query_of) if query is not None and index not in sheet.dropped)
    parts = Counter[str | None]()
    for of, indexes in groupby(kept, key=query_of.__getitem__):
        parts[of] += 1
        if parts[of] == 2:
            sheet.add("ungrouped", *sheet.line(next(indexes)).place(0), of)
