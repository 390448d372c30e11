"""What a file of columns says: which word is which column; then, one query at a time, documents, ranks, answers."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Any, Final, NamedTuple

from coliee_adapters.forms.columns import as_number, last_column
from coliee_adapters.forms.statute import article_named
from coliee_adapters.forms.vocabulary import DIGITS, LABELS
from coliee_adapters.records import normal_id, question_of
from coliee_ir.commands.validate.rules import CONVERT, MANY
from coliee_ir.commands.validate.sheet import LABELLED, Context, Line, Pool, Sheet, clean_tag
from coliee_ir.judging.mismatch import ARTICLE, Respelling
from coliee_ir.judging.order import disagree

_MARK: Final = re.compile(r"[!-/:-@\[-`{-~]")
_TREC: Final = 6

#: So few documents can be more than half of all without being a mistake.
_FEW: Final = 2

_QUESTION_ID: Final = r"[HR][0-9]{1,2}-[0-9]+-[0-9A-Z]+"  # as the organisers write it
_ARTICLE_ID: Final = r"[1-9][0-9]*(?:-[1-9][0-9]*)*"

#: what takes a finding: ``Sheet.add``
Add = Callable[..., None]


def _pass(*_: object, **__: object) -> None:
    """Take no finding: of a line that is read again, all are known."""


def columns(sheet: Sheet) -> None:
    """Every line has the columns of the task; if not, what it has is understood where that takes no decision."""
    matcher, last = _ColumnMatcher(sheet), len(sheet.contents) - 1
    sheet.is_cut = not sheet.ended and last > 0 and _is_cut(sheet)
    labels = set[str]()
    for index, words in enumerate(sheet.words()):
        line = None if matcher.is_plain(words) else sheet.line(index)
        if sheet.is_cut and index == last:
            sheet.add("cut-short", sheet.numbers[index], found=" ".join(words))
            sheet.left.append(index)
            continue
        if line is not None and not matcher.understands(line, sheet.add):
            sheet.left.append(index)
            continue
        cells = words if line is None else line.cells
        sheet.queries.setdefault(cells[0], array("l")).append(index)
        sheet.tags.setdefault(cells[-1], cells[-1])
        sheet.tag = sheet.tag or cells[-1]
        if cells[-1] != matcher.sound_tag:
            matcher.check_tag(line or sheet.line(index))
        if sheet.kind == "answers":
            labels.add(cells[1])
    sheet.understands = matcher.understands
    sheet.labels = DIGITS if labels <= set(DIGITS) else LABELS
    if not sheet.ended and not sheet.is_cut:
        sheet.add("no-newline", sheet.numbers[last])


def _is_cut(sheet: Sheet) -> bool:
    """Whether a file without an end ends within a line."""
    *rest, before, words = sheet.words()
    if len(words) < len(sheet.layout):
        return len(words) < len(before)
    within_tag = words[-1] != before[-1] and before[-1].startswith(words[-1])
    return within_tag and len(words) == len(before) and all(other[-1] == before[-1] for other in rest)


class _ColumnMatcher:
    """How the lines of a file are understood, by what most of them are."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.width = sheet, len(sheet.layout)
        self.score = sheet.column("SCORE")
        self.sound_tag = ""
        self.last = "tag"  # what the last column holds
        if sheet.kind == "documents" and self.score is None:
            pairs = ((words[0], words[-1]) for words in sheet.words() if len(words) == self.width)
            self.last = last_column(pairs) or "tag"

    def is_plain(self, words: Sequence[str]) -> bool:
        """Whether a line is simply one word a column."""
        return len(words) == self.width and self.last == "tag"

    def understands(self, line: Line, add: Add = _pass) -> bool:
        """Put the words of a line into its columns; whether it can be understood."""
        words, n = line.words, len(line.words)
        if self.is_plain(words):
            return True
        found, tag, taken = " ".join(words), "", tuple[int | None, ...](range(self.width))
        if n == self.width or (n == self.width - 1 and self._lacks_tag(words)):
            taken = (*range(self.width - 1), None)
            add("tag-missing", line.number, line.start(n if n < self.width else n - 1), found)
            if n == self.width:  # the order is that of the numbers in the place of the tag
                value = as_number(words[-1])
                line.score = -value if value is not None and self.last == "rank" else value
        elif n == _TREC and self.width == len(LABELLED) and self.sheet.kind != "answers" and words[1] == "Q0":
            taken, line.rank, line.score = (0, 2, 5), integer_of(words[3]), as_number(words[4])
            if line.score is None:
                add("score", line.number, found=words[4])
                return False
            add("trec-columns", line.number, found=found)
        elif n > self.width and tuple(words[self.width - 1 :]) == self._common_tail:
            tag = "".join(self._common_tail)
            add("tag-words", line.number, line.start(self.width - 1), " ".join(self._common_tail))
        else:
            columns = f"{self.width} columns: {' '.join(self.sheet.layout)}"
            command = CONVERT if n == len(LABELLED) < self.width else ""
            add("columns", line.number, found=found, columns=columns, command=command)
            return False
        cells = ["" if word is None else words[word] for word in taken]
        line.taken, line.cells = taken, [*cells[:-1], tag or cells[-1]]
        return True

    def _lacks_tag(self, words: Sequence[str]) -> bool:
        """Whether a line that is one word short ends where the run tag should begin; else another column is missing."""
        if self.sheet.kind == "answers":
            return words[1].lower() in LABELS or words[1] in DIGITS or words[1] not in self._tags_of_answers
        if self.score is not None:
            return as_number(words[self.score]) is not None and integer_of(words[self.score - 1]) is not None
        return words[-1] not in self._tags and any(sign.isdigit() for sign in words[-1])

    def check_tag(self, line: Line) -> None:
        """One tag a file, of letters and digits."""
        add, tag, first, longest = self.sheet.add, line.cells[-1], self.sheet.tag, self.sheet.context.rules.tag_length
        if not tag:
            return
        cleaned = clean_tag(tag)
        if _MARK.search(tag):
            add("tag-characters", *line.place(-1), tag, remedy=f"write {cleaned}" if cleaned else "")
        if len(cleaned) > longest:
            remedy = f"shorten it: {cleaned[:longest]}, if no other run is called so"
            add("tag-length", *line.place(-1), tag, remedy=remedy, tag_length=longest)
        if tag != first:
            remedy = f"give the file one tag, or each run its own file; the first line has {first}"
            add("tag-differs", *line.place(-1), tag, remedy=remedy)
        elif tag.isalnum() and len(tag) <= longest:
            self.sound_tag = tag

    @cached_property
    def _tags(self) -> set[str]:
        """The last words of the lines with all columns."""
        return {words[-1] for words in self.sheet.words() if len(words) == self.width}

    @cached_property
    def _tags_of_answers(self) -> set[str]:
        """The same, or the word behind every query; where it varies, it is the answer."""
        seconds = {words[1] for words in self.sheet.words() if len(words) == len(LABELLED) - 1}
        return self._tags or (seconds if len(seconds) == 1 else set())

    @cached_property
    def _common_tail(self) -> tuple[str, ...]:
        """What most lines have from the last column on, if it is several words that can be a run tag; else nothing."""
        tails = Counter(tuple(words[self.width - 1 :]) for words in self.sheet.words() if len(words) > self.width)
        if not tails:
            return ()
        tail, n = tails.most_common(1)[0]
        is_tag = as_number(tail[0]) is None and tail[0].lower() not in LABELS
        return tail if n > 1 and 2 * n > len(self.sheet.contents) and is_tag else ()  # one line shows no tag


def integer_of(text: str) -> int | None:
    """The whole number that a text stands for, if it is one."""
    return int(text) if len(text) <= 18 and text.isascii() and text.isdecimal() else None


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
        # query ids of Task 2 run past 999
        pattern = f"{'[1-9]?' * of_queries}[0-9]{{{self.digits}}}" if self.digits else ".*"
        self.expected = f"ids are numbers of {self.digits} digits"
        self.named: Callable[[str], str | None] = lambda _: None  # which article a text names
        if context.protocol.law == "statute" and of_queries:
            pattern, self.expected = _QUESTION_ID, "questions have ids like R07-01-O"
        elif context.protocol.law == "statute":
            pattern, self.expected, self.named = _ARTICLE_ID, "articles have ids like 96 and 398-20", article_named
        self.pattern = re.compile(pattern)
        # whether it is known that all ids have so many digits
        alike = context.known.judged or (context.known.asked if context.protocol.cases_as_queries else None) or ()
        self.pads = not of_queries and {*map(len, alike)} == {self.digits}

    @staticmethod
    def facts(pool: Pool | None) -> dict[str, Any]:
        """That no command knows how ids are written which are in no list that was given."""
        return {} if pool is None else {"command": ""}

    def verdict(self, text: str, pool: Pool | None) -> _Verdict | None:
        """What is wrong with an id; None if nothing is."""
        faults: tuple[tuple[str, str, str], ...] = ()
        if text.endswith(".txt") and text != ".txt":
            faults, text = (("txt-suffix", text, ""),), normal_id(text)
        if (article := self.named(text)) and (pool is None or article in pool):
            return _Verdict(article, (*faults, (self.form, text, f"{self.expected}; here {article}")), False)
        if pool is not None and (question := question_of(text)) != text and question in pool:
            fault = (self.form, text, f"{self.expected}; here {question}")
            return _Verdict(question, (*faults, fault), False)
        if not text.isascii():  # that is a finding already
            return _Verdict(text, faults, True)
        wrong = self._wrong(text)
        if text in pool if pool is not None else not wrong:
            return _Verdict(text, faults, False) if faults else None
        meant = self._respelled(text) if pool is None else pool.respelled(text)
        fault = (self.unknown, text, "")
        if pool is None:
            fault = (self.form, text, wrong)
        elif meant is not None and (meant.sure or wrong):
            fault = (self.form, text, f"{meant.remedy}; here {meant.text}")
        if meant is not None and meant.sure:
            return _Verdict(meant.text, (*faults, fault), False)
        return _Verdict(text, (*faults, fault), True)

    def _respelled(self, text: str) -> Respelling | None:
        """The one id that a text can stand for: an article's number alone, a number with its zeros."""
        mended = text.zfill(self.digits) if self.pads and text.isdecimal() else re.sub(ARTICLE, "", text)
        is_meant = mended != text and self.pattern.fullmatch(mended)
        return Respelling(mended, self._wrong(text), True) if is_meant else None

    def _wrong(self, text: str) -> str:
        """What is wrong with the form of an id; empty if nothing is."""
        if self.pattern.fullmatch(text):
            return ""
        if text.lower() in LABELS:
            return f"{self.expected}, and {text} is an answer: is this a submission to another task?"
        if re.fullmatch("[0-9]+", text):
            if len(text) < self.digits and not text.startswith("0"):
                other_task = "; or is this another task's?" * (2 * len(text) <= self.digits)
                return f"leading zeros are lost: write {text.zfill(self.digits)}{other_task}"
            return f"{self.expected}, and this one has {len(text)}: is this a submission to another task?"
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
                line = sheet.line(rows[0])
                if rule == "query-unknown" and line.cells[sheet.document] in (sheet.context.known.queries or ()):
                    remedy = remedy or "write the query first and then the document"
                sheet.add(rule, *line.place(0), found, remedy=remedy, **ids.facts(sheet.context.known.queries))
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

    def read(self, query: str, add: Add = _pass) -> list[Line]:
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
            if self.rank is not None:
                line.rank = integer_of(line.cells[self.rank])
            if self.q0 is not None and line.cells[self.q0] != "Q0":
                add("q0", *line.place(self.q0), line.cells[self.q0])
                line.cells[self.q0] = "Q0"
            if (verdict := self.ids.verdict(line.cells[column], pool)) is not None:
                for rule, found, remedy in verdict.faults:
                    add(rule, *line.place(column), found, remedy=remedy, **self.ids.facts(pool))
                line.cells[column], line.doubted = verdict.text, line.doubted or verdict.doubted
        documents = [line.cells[column] for line in lines]
        if self.context.protocol.cases_as_queries and query in documents:
            add("self-retrieved", *lines[documents.index(query)].place(column), f"{query} {query}")
        if len(set(documents)) < len(lines):
            kept = self._distinct(lines, column, add)
        ranked = [(line.rank, line.score) for line in lines if line.rank is not None and line.score is not None]
        if len(ranked) == len(lines) and disagree([rank for rank, _ in ranked], [score for _, score in ranked]):
            add("rank-order", *lines[0].place(0), query)
        elif self.score is not None and self.rank is not None:
            self._ranks(lines, kept, add, self.score, self.rank)
        return kept

    def _distinct(self, lines: list[Line], column: int, add: Add) -> list[Line]:
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

    def _ranks(self, lines: list[Line], kept: list[Line], add: Add, score: int, rank: int) -> None:
        """Ranks are whole numbers from 1 that follow the scores; where no decision is needed, they are written anew."""
        for line in lines:
            if line.score is None:
                add("score", *line.place(score), line.cells[score])
            if line.rank is None:
                add("rank", *line.place(rank), line.cells[rank])
        scored = [(line.score, line) for line in lines if line.score is not None]
        if len(scored) < len(lines):
            return
        scored.sort(key=lambda pair: -pair[0])
        numbers = [line.rank for line in lines if line.rank is not None]
        if sorted(numbers) == list(range(1, len(lines) + 1)):
            if len(kept) == len(lines):
                return
        elif len(numbers) == len(lines):
            add("rank-numbers", *lines[0].place(0), lines[0].cells[0])
        indexes = {line.index for line in kept}
        for place, (_, line) in enumerate((pair for pair in scored if pair[1].index in indexes), start=1):
            line.cells[rank] = str(place)

    def _answers(self, query: str, lines: list[Line], add: Add) -> list[Line]:
        """Every answer is Y or N, and a question has one; all 1 or 0 are understood as by ``evaluate``."""
        for line in lines:
            text = line.cells[1]
            label = self.sheet.labels.get(text.lower())
            if label is None:
                add("label-unknown", *line.place(1), text)
            elif text not in ("Y", "N"):
                add("label-form", *line.place(1), text)
                line.cells[1] = "Y" if label else "N"
        first, *further = [line for line in lines if line.cells[1] in ("Y", "N")] or lines[:1]
        if contrary := [line for line in further if line.cells[1] != first.cells[1]]:
            add("answered-twice", *contrary[0].place(0), query)
            return lines
        for line in further:
            add("duplicate", *line.place(0), f"{query} {line.cells[1]}")
        return [line for line in lines if line not in further]


def lists(sheet: Sheet) -> None:
    """Every list is sound; and what is known when all have been looked at."""
    of_queries, several, equal = Lists(sheet), 0, list[str]()
    for query in sheet.queries:
        kept = of_queries.read(query, sheet.add)
        sheet.counts[query] = len(kept)
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


def _lengths(sheet: Sheet) -> None:
    """No list is longer than makes sense, and a long list is as long as it must be."""
    known, long_list = sheet.context.known, sheet.context.rules.long_list
    for query, n in sheet.counts.items():
        place, found, pool = sheet.first_place(query), f"{query}: {n} documents", known.documents(query)
        if sheet.kind == "long" and n != long_list:
            sheet.add("long-list-count", *place, found, long_list=long_list)
        elif sheet.kind != "long" and known.whole and pool is not None and n > _FEW and 2 * n > len(pool):
            sheet.add("everything", *place, f"{query}: {n} of {len(pool)} documents")
        elif sheet.kind != "long" and n > MANY:
            remedy = "cut the list, or name the file task3-L.TAG if it is the long list" if long_list else ""
            sheet.add("long-answer", *place, found, remedy=remedy)
