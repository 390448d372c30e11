"""The rules of a submission in columns: run tags, queries, documents, scores, answers. What is mended is mended here.

Each check looks at all rows, notes what it finds, and changes ``Row.mended`` where nothing is left to decide.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from typing import Final

from coliee_adapters.records import normal_id
from coliee_adapters.statute import LABELS
from coliee_ir.mismatch import respelled
from coliee_ir.protocol import SubmissionRules
from coliee_ir.reading import STATUTE_ID
from coliee_ir.validation.findings import Findings
from coliee_ir.validation.lines import Row

#: More documents of a query than any system needs whose answers are scored as a set.
MANY: Final = 50

_ARTICLE_ID: Final = re.compile(r"[0-9]+(-[0-9]+)*")
_NO_TAG: Final = re.compile(r"[^A-Za-z0-9]+")
_STATUTE: Final = frozenset({"3", "4", "5"})

_LABELS: Final = ("QUERY", "Y", "TAG")


@dataclass(frozen=True)
class Known:
    """What there is to be found: the ids of queries, and the documents of each; None where it was not given."""

    queries: Collection[str] | None = None
    documents: Callable[[str], Collection[str] | None] = lambda _: None
    whole: bool = False  # whether a query's documents are few enough that more than half of them is a mistake

    @cached_property
    def query_width(self) -> int:
        """How many characters the longest query id has."""
        return max(map(len, self.queries or ()), default=0)


class Sheet:
    """A file of columns under examination.

    Args:
        name: the file.
        rows: its content lines.
        kind: ``documents``, ``long`` or ``answers``.
        rules: how a submission must look.
        known: the ids that there are.
        found: where findings go.
    """

    def __init__(
        self, name: str, rows: list[Row], kind: str, rules: SubmissionRules, known: Known, found: Findings
    ) -> None:
        self.name, self.rows, self.kind, self.rules, self.known = name, rows, kind, rules, known
        self.found = found
        self.add = partial(found.add, name)
        self.layout = _LABELS if kind == "answers" else rules.columns
        self.document = self.layout.index("DOCUMENT") if "DOCUMENT" in self.layout else None
        self.score = self.layout.index("SCORE") if "SCORE" in self.layout else None

    def check(self, *, unended: bool) -> None:
        """Hold the sheet to all rules.

        Args:
            unended: whether the last line lacks its line end.
        """
        self._columns(unended)
        self._tags()
        self._queries()
        if self.kind == "answers":
            self._answers()
        else:
            self._documents()
            if self.score is not None:
                self._ranking(self.score)
            self._lists()
        self._order()

    @property
    def understood(self) -> list[Row]:
        """The rows that have all columns."""
        return [row for row in self.rows if row.mended is not None]

    @property
    def tags(self) -> list[str]:
        """The different run tags."""
        return list(dict.fromkeys(_cells(row)[-1] for row in self.understood))

    def retag(self, tags: Mapping[str, str]) -> None:
        """Write other run tags, for those that there are others for."""
        for row in self.understood:
            cells = _cells(row)
            cells[-1] = tags.get(cells[-1], cells[-1])

    def lists(self) -> dict[str, list[Row]]:
        """The rows of each query."""
        lists: dict[str, list[Row]] = {}
        for row in self.understood:
            lists.setdefault(_cells(row)[0], []).append(row)
        return lists

    def documents(self) -> dict[str, list[str]]:
        """The documents of each query, or its answers."""
        at = 1 if self.document is None else self.document
        return {query: [_cells(row)[at] for row in rows] for query, rows in self.lists().items()}

    # columns

    def _columns(self, unended: bool) -> None:
        width = len(self.layout)
        tag = self._common_tag(width)
        expected = " ".join(self.layout)
        trec = [row for row in self.rows if width == 3 and len(row.words) == 6 and row.texts[1] == "Q0"]
        of_trec = set(map(id, trec))
        for row in self.rows:
            words, n = row.texts, len(row.words)
            if id(row) in of_trec:
                self.add("trec-columns", row.line, found=" ".join(words))
                row.mended = [words[0], words[2], words[5]]
            elif n == width:
                row.mended = words
            elif row is self.rows[-1] and unended and n < width and len(self.rows) > 1:
                self.add("cut-short", row.line, found=" ".join(words))
            elif n == width - 1 and not self._looks_like_tag(words[-1], tag):
                last = row.words[-1]
                self.add("tag-missing", row.line, last.column + len(last.text), " ".join(words))
                row.mended = [*words, tag] if tag else None
            elif n > width and self._is_tag_of_words(row, width):
                self.add("tag-words", row.line, row.words[width - 1].column, " ".join(words[width - 1 :]))
                row.mended = [*words[: width - 1], "".join(words[width - 1 :])]
            else:
                self.add("columns", row.line, found=" ".join(words), columns=expected)
        if trec:
            self._by_score(trec)

    def _common_tag(self, width: int) -> str:
        """The run tag of the file; empty where it has none or several."""
        tags = {row.texts[-1] for row in self.rows if len(row.words) == width}
        return tags.pop() if len(tags) == 1 else ""

    def _looks_like_tag(self, word: str, tag: str) -> bool:
        """Whether the last word of a line that is one word short is the tag, so that something else is missing."""
        if tag:
            return word == tag
        if self.kind == "answers":
            return word.lower() not in LABELS
        return self.score is None and not any(sign.isdigit() for sign in word)

    def _is_tag_of_words(self, row: Row, width: int) -> bool:
        """Whether what a line has in excess is what all long lines have at their ends."""
        ends = {tuple(other.texts[width - 1 :]) for other in self.rows if len(other.words) > width}
        return len(ends) == 1 and all(not _is_number(word) for word in row.texts[width - 1 :])

    def _by_score(self, rows: Sequence[Row]) -> None:
        """Lines of TREC's columns stand in the order of their scores, where these are numbers."""
        if all(_is_number(row.texts[4]) for row in rows):
            cells = sorted(rows, key=lambda row: -float(row.texts[4]))
            for row, mended in zip(rows, [_cells(row) for row in cells], strict=True):
                row.mended = mended

    # run tags

    def _tags(self) -> None:
        first = None
        longest = self.rules.tag_length
        for row in self.understood:
            tag, place = _cells(row)[-1], (row.line, row.words[-1].column)
            cleaned = clean_tag(tag, longest)
            if _NO_TAG.search(tag):
                self.add("tag-characters", *place, tag, remedy=f"write {cleaned}" if cleaned else "")
            if len(_NO_TAG.sub("", tag)) > longest:
                self.add("tag-length", *place, tag, remedy=f"for example {cleaned}")
            first = first if first is not None else tag
            if tag != first:
                self.add("tag-differs", *place, tag, remedy=f"the first line has {first}")

    # queries

    def _queries(self) -> None:
        for row in self.understood:
            cells = _cells(row)
            self._query(row, cells)
        named = set(self.lists())
        for query in self.known.queries or ():
            if query not in named:
                self.add("query-missing", found=query)

    def _query(self, row: Row, cells: list[str]) -> None:
        column = row.words[0].column
        if cells[0].endswith(".txt"):
            self.add("txt-suffix", row.line, column, cells[0])
            cells[0] = normal_id(cells[0])
        queries = self.known.queries
        if queries is None:
            form = self._form_of_query(cells[0])
            if form:
                self.add("query-form", row.line, column, cells[0], remedy=form)
        elif cells[0] not in queries:
            meant = respelled(cells[0], queries, self.known.query_width)
            if meant is None:
                self.add("query-unknown", row.line, column, cells[0])
            else:
                self.add("query-form", row.line, column, cells[0], remedy=f"{meant.remedy}; here {meant.text}")
                cells[0] = meant.text if meant.sure else cells[0]

    def _form_of_query(self, query: str) -> str:
        """What is wrong with the form of a query id; empty if nothing is."""
        if self.rules.task in _STATUTE:
            return "" if STATUTE_ID.fullmatch(query) else "questions have ids like R07-01-O"
        digits = self.rules.query_digits
        return _form_of_number(query, digits, at_least=True) if digits else ""

    # documents

    def _documents(self) -> None:
        assert self.document is not None
        seen: set[tuple[str, str]] = set()
        for row in self._best_first():
            cells = _cells(row)
            column = row.words[self._column_of_document(row)].column
            if self.layout[1] == "Q0" and cells[1] != "Q0":
                self.add("q0", row.line, row.words[1].column, cells[1])
                cells[1] = "Q0"
            self._document(row, cells, column)
            query, document = cells[0], cells[self.document]
            if self.rules.task == "1" and document == query:
                self.add("self-retrieved", row.line, column, f"{query} {document}")
            if (query, document) in seen:
                self.add("duplicate", row.line, column, f"{query} {document}")
                row.mended = None
                self.rows.remove(row)
            seen.add((query, document))

    def _best_first(self) -> list[Row]:
        """The rows, higher scores first where there are scores: of two that repeat each other the best stays."""
        rows = self.understood
        if self.score is None or not all(_is_number(_cells(row)[self.score]) for row in rows):
            return rows
        return sorted(rows, key=lambda row: -float(_cells(row)[self.score or 0]))

    def _column_of_document(self, row: Row) -> int:
        return 2 if len(row.words) >= 6 else self.document or 1

    def _document(self, row: Row, cells: list[str], column: int) -> None:
        assert self.document is not None
        at = self.document
        if cells[at].endswith(".txt"):
            self.add("txt-suffix", row.line, column, cells[at])
            cells[at] = normal_id(cells[at])
        documents = self.known.documents(cells[0])
        if documents is None:
            if form := self._form_of_document(cells[at]):
                self.add("document-form", row.line, column, cells[at], remedy=form)
        elif cells[at] not in documents:
            meant = respelled(cells[at], documents)
            if meant is None or not meant.sure:
                hint = f"is {meant.text} meant?" if meant is not None else ""
                self.add("document-unknown", row.line, column, cells[at], remedy=hint)
            else:
                self.add("document-form", row.line, column, cells[at], remedy=f"{meant.remedy}; here {meant.text}")
                cells[at] = meant.text

    def _form_of_document(self, document: str) -> str:
        if self.rules.task in _STATUTE:
            return "" if _ARTICLE_ID.fullmatch(document) else "articles have ids like 96 and 398-20"
        digits = self.rules.document_digits
        return _form_of_number(document, digits) if digits else ""

    # scores and ranks

    def _ranking(self, score: int) -> None:
        rank = self.layout.index("RANK")
        for row in self.understood:
            cells = _cells(row)
            if not _is_number(cells[score]):
                self.add("score", row.line, row.words[score].column, cells[score])
                row.mended = None
            elif not re.fullmatch(r"[0-9]+", cells[rank]):
                self.add("rank", row.line, row.words[rank].column, cells[rank])
        for query, rows in self.lists().items():
            in_order = sorted(rows, key=lambda row: -float(_cells(row)[score]))
            ranks = [_cells(row)[rank] for row in in_order]
            scores = [float(_cells(row)[score]) for row in in_order]
            if all(re.fullmatch(r"[0-9]+", text) for text in ranks):
                numbers = list(map(int, ranks))
                if len(set(numbers)) > 1 and _disagree(numbers, scores):
                    self.add("rank-order", rows[0].line, rows[0].words[0].column, query)
                    continue
                if sorted(numbers) != list(range(1, len(numbers) + 1)):
                    self.add("rank-numbers", rows[0].line, rows[0].words[0].column, query)
                    _renumber(rows, in_order, rank)
            else:
                _renumber(rows, in_order, rank)
            if len(rows) > 1 and len(set(scores)) == 1:
                self.add("equal-scores", rows[0].line, rows[0].words[0].column, query)

    def _lists(self) -> None:
        for query, rows in self.lists().items():
            place = (rows[0].line, rows[0].words[0].column)
            documents = self.known.documents(query)
            if self.kind == "long":
                if len(rows) != self.rules.long_list:
                    self.add("long-list-count", *place, f"{query}: {len(rows)} documents")
            elif self.known.whole and documents and len(rows) > 2 and 2 * len(rows) > len(documents):
                self.add("everything", *place, f"{query}: {len(rows)} of {len(documents)} documents")
            elif len(rows) > MANY:
                self.add("long-answer", *place, f"{query}: {len(rows)} documents")

    # answers

    def _answers(self) -> None:
        for row in self.understood:
            cells = _cells(row)
            label = LABELS.get(cells[1].lower())
            if label is None:
                self.add("label-unknown", row.line, row.words[1].column, cells[1])
            elif cells[1] not in ("Y", "N"):
                self.add("label-form", row.line, row.words[1].column, cells[1])
                cells[1] = "Y" if label else "N"
        for query, rows in self.lists().items():
            labels = [_cells(row)[1] for row in rows]
            if len(set(labels)) > 1:
                self.add("answered-twice", rows[1].line, rows[1].words[0].column, query)
                continue
            for row in rows[1:]:
                self.add("duplicate", row.line, row.words[0].column, f"{query} {_cells(row)[1]}")
                self.rows.remove(row)

    # the order of lines

    def _order(self) -> None:
        """Lines of a query stand together, in their order."""
        finished: set[str] = set()
        returned: dict[str, Row] = {}
        current = None
        for row in self.understood:
            query = _cells(row)[0]
            if query != current and query in finished:
                returned.setdefault(query, row)
            finished.add(query)
            current = query
        for query, row in returned.items():
            self.add("ungrouped", row.line, row.words[0].column, query)
        if returned and len(self.understood) == len(self.rows):
            self.rows[:] = [row for rows in self.lists().values() for row in rows]


def clean_tag(tag: str, longest: int) -> str:
    """A run tag of letters and digits, and of no more than so many."""
    return _NO_TAG.sub("", tag)[:longest]


def _cells(row: Row) -> list[str]:
    assert row.mended is not None
    return row.mended


def _renumber(rows: Iterable[Row], in_order: Sequence[Row], rank: int) -> None:
    for number, row in enumerate(in_order, start=1):
        _cells(row)[rank] = str(number)


def _disagree(ranks: Sequence[int], scores: Sequence[float]) -> bool:
    """Whether ranks, of documents by falling score, order some of them otherwise."""
    worst = min(ranks)
    for _, of_score in groupby(zip(scores, ranks, strict=True), key=itemgetter(0)):
        numbers = [rank for _, rank in of_score]
        if min(numbers) < worst:
            return True
        worst = max(numbers)
    return False


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def _form_of_number(text: str, digits: int, *, at_least: bool = False) -> str:
    """What is wrong with an id of so many digits; empty if nothing is."""
    if not re.fullmatch(r"[0-9]+", text):
        return f"ids are numbers of {digits} digits"
    if len(text) < digits:
        return f"leading zeros are lost: write {text.zfill(digits)}"
    return f"ids have {digits} digits" if len(text) > digits and not at_least else ""
