"""Runs in columns, read block by block: whole blocks at once where they are regular, line by line where not.

A block is regular when every line has the layout's columns. Tabs, runs of blanks, blanks at line ends, CRLF and
blank lines are made regular first. What then still is not (comments, tags of several words, missing columns) goes
to the careful lane, which tolerates what real files hold and names file, line and remedy when it cannot.
Both lanes give the same columns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import repeat
from operator import contains, ne
from typing import NamedTuple

from coliee_adapters.errors import InputError
from coliee_adapters.files import Source, decode
from coliee_adapters.lines import Comments, content_lines, counted, split_columns
from coliee_adapters.records import Columns, IdRule, exact_id
from coliee_adapters.remarks import Remarks

_BLOCK = 1 << 16  # stays in the processor's cache; megabytes are slower
_COMMENT = re.compile(rb"^[ \t]*(?:#|/\*)", re.MULTILINE)
_NOT_NORMAL = (b".txt", b"\x1c", b"\x1d", b"\x1e", b"\x1f")  # what ASCII ids can hold that COLIEE's rule takes off


class Layout(NamedTuple):
    """Which columns the lines of a form have, by name; the first is the query and the last the run tag."""

    columns: tuple[str, ...]
    document: int
    score: int | None = None
    rank: int | None = None

    @property
    def expected(self) -> str:
        """What a line should look like, for messages."""
        return f"expected {len(self.columns)} columns: {' '.join(self.columns)}"


#: COLIEE's run of Tasks 1 and 2, and of Task 3 up to 2017
THREE_COLUMNS = Layout(("QUERY", "DOCUMENT", "TAG"), document=1)
#: TREC's run
SIX_COLUMNS = Layout(("QUERY", "Q0", "DOCUMENT", "RANK", "SCORE", "TAG"), document=2, score=4, rank=3)


def read_blocks(source: Source, layout: Layout, rule: IdRule = exact_id) -> Iterator[Columns]:
    """The lines of a run as blocks of columns.

    Args:
        source: the file.
        layout: its columns.
        rule: how ids are normalised.

    Raises:
        InputError: a line that cannot be read, with its number.
    """
    reader = _Reader(source.name, layout, rule)
    lines = 0
    for raw in source.blocks(_BLOCK):
        columns = reader.read(raw)
        lines += len(columns.documents)
        yield columns
    reader.comments.check_closed(source.name)
    if not lines:
        raise InputError(source.name, "there is no line but comments", remedy=layout.expected)


def first_tag(source: Source, layout: Layout) -> str | None:
    """The run tag of the first content line; None where that line has no tag, which reading will report."""
    text = source.head().decode("utf-8", errors="replace")
    for _, line in content_lines(text, source.name, comments=Comments()):
        fields = split_columns(line)
        return fields[len(layout.columns) - 1] if len(fields) >= len(layout.columns) else None
    return None


class _Reader:
    """What must be remembered from block to block: the line number, the first tag, an open comment."""

    def __init__(self, name: str, layout: Layout, rule: IdRule) -> None:
        self.name, self.layout, self.rule = name, layout, rule
        self.comments = Comments()
        self.line = 1
        self.tag: str | None = None  # of the first line, all its words

    def read(self, raw: bytes) -> Columns:
        columns = None if self.comments.opened else self._regular(raw)
        if columns is None:
            columns = self._careful(raw)
        self.line += raw.count(b"\n")
        if self.rule is not exact_id and (not raw.isascii() or any(part in raw for part in _NOT_NORMAL)):
            queries, documents = map(self.rule, columns.queries), map(self.rule, columns.documents)
            columns = columns._replace(queries=list(queries), documents=list(documents))
        return columns

    def _regular(self, raw: bytes) -> Columns | None:
        """The fast lane: the block split once at its blanks; None if any line is not as it should be.

        A line of k + 1 columns gives k pieces, the last of which holds the tag, the newline and the next line's query.
        """
        if not raw.endswith(b"\n"):
            raw += b"\n"
        pieces_a_line = len(self.layout.columns) - 1
        lines = n = raw.count(b"\n")
        if raw.count(b" ") != n * pieces_a_line or b"\t" in raw or b"\r" in raw:
            raw = _squeezed(raw)
            n = raw.count(b"\n")
            if not n or raw.count(b" ") != n * pieces_a_line or b"\r" in raw:
                return None
        if (b"#" in raw or b"/*" in raw) and _COMMENT.search(raw):
            return None
        if b"\0" in raw or b"\f" in raw or b"\v" in raw:
            return None
        try:
            pieces = raw.decode("utf-8").split(" ")
        except UnicodeDecodeError:
            return None
        tails = pieces[pieces_a_line::pieces_a_line]
        if len(tails) != n or not all(map(contains, tails, repeat("\n"))):
            return None
        documents = pieces[self.layout.document :: pieces_a_line]
        if "" in documents:
            return None
        remarks = Remarks()
        first = self.tag if self.tag is not None else tails[0][: tails[0].index("\n")]
        if not first:
            return None
        others = n - raw.count(b" " + first.encode() + b"\n")
        if others:
            if n != lines:  # blank lines are gone, and with them the line numbers
                return None
            for at, tail in enumerate(tails):
                tag = tail[: tail.index("\n")]
                if not tag:
                    return None
                if tag != first:
                    remarks.add("tag", f"line {self.line + at}: {tag}")
        scores = ranks = None
        if self.layout.score is not None:
            texts = pieces[self.layout.score :: pieces_a_line]
            try:
                scores = list(map(float, texts))
            except ValueError:
                return None
            if not math.isfinite(sum(scores)) or (b"_" in raw and "_" in "".join(texts)):
                return None
            if not (raw.isascii() or "".join(texts).isascii()):
                return None
        if self.layout.rank is not None:
            ranks = pieces[self.layout.rank :: pieces_a_line]
            constant = pieces[1::pieces_a_line]
            if "" in ranks or (constant.count("Q0") != n and "" in constant):
                return None
        queries, starts = _segments(pieces[0], tails)
        if "" in queries:
            return None
        self.tag = first
        return Columns(queries, starts, documents, scores, ranks, remarks or None)

    def _careful(self, raw: bytes) -> Columns:
        """The careful lane: line by line."""
        width = len(self.layout.columns)
        queries: list[str] = []
        starts: list[int] = []
        documents: list[str] = []
        scores: list[float] | None = None if self.layout.score is None else []
        ranks: list[str] | None = None if self.layout.rank is None else []
        remarks = Remarks()
        text = decode(raw, self.name, self.line)
        for number, line in content_lines(text, self.name, self.line, self.comments):
            if "\r" in line:
                remedy = "end lines with a newline, or with a carriage return and a newline"
                raise InputError(self.name, "a carriage return within a line", line=number, found=line, remedy=remedy)
            fields = split_columns(line)
            if len(fields) < width:
                raise self._wrong_count(number, line, fields)
            tag = " ".join(fields[width - 1 :])
            if self.tag is None:
                self.tag = tag
            if len(fields) > width:
                # a tag with blanks in it; anything else in excess would differ from line to line
                if tag != self.tag:
                    raise self._wrong_count(number, line, fields)
                remarks.add("tag-words", f"line {number}: {tag}")
            elif tag != self.tag:
                remarks.add("tag", f"line {number}: {tag}")
            if not queries or fields[0] != queries[-1]:
                queries.append(fields[0])
                starts.append(len(documents))
            documents.append(fields[self.layout.document])
            if scores is not None and self.layout.score is not None:
                scores.append(finite_score(fields[self.layout.score], self.name, number))
            if ranks is not None and self.layout.rank is not None:
                ranks.append(fields[self.layout.rank])
        starts.append(len(documents))
        return Columns(queries, starts, documents, scores, ranks, remarks or None)

    def _wrong_count(self, number: int, line: str, fields: list[str]) -> InputError:
        remedy = self.layout.expected
        if len(fields) == 1 and ("," in line or ";" in line):
            remedy += "; columns are separated by blanks, not by commas"
        elif len(fields) == len(self.layout.columns) - 1:
            remedy += "; is the run tag missing?"
        return InputError(self.name, counted(len(fields), "column"), line=number, found=line, remedy=remedy)


def _squeezed(raw: bytes) -> bytes:
    """The same lines with single blanks between columns, none at either end, and no blank lines."""
    raw = raw.replace(b"\t", b" ").replace(b"\r\n", b"\n")
    while b"  " in raw:
        raw = raw.replace(b"  ", b" ")
    raw = raw.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
    while b"\n\n" in raw:
        raw = raw.replace(b"\n\n", b"\n")
    return raw.removeprefix(b"\n")


def _segments(first: str, tails: list[str]) -> tuple[list[str], list[int]]:
    """Where the query changes: the queries and the starts of their segments.

    ``tails[i]`` is the tag of line i, a newline, and the query of line i + 1 (of none, for the last).
    """
    queries, starts = [first], [0]
    changes = list(map(ne, tails, tails[1:]))  # the tag changes too, seldom; then the query is compared
    changes[-1:] = []  # the last tail has no query
    head = tails[0]
    if len(tails) > 1 and (query := head[head.index("\n") + 1 :]) != first:
        queries.append(query)
        starts.append(1)
    at = -1
    try:
        while True:
            at = changes.index(True, at + 1)
            tail = tails[at + 1]
            query = tail[tail.index("\n") + 1 :]
            if query != queries[-1]:
                queries.append(query)
                starts.append(at + 2)
    except ValueError:
        starts.append(len(tails))
        return queries, starts


def finite_score(text: str, name: str, line: int) -> float:
    """The number that a text stands for; InputError unless it is finite."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value) and "_" not in text and text.isascii():
        return value
    raise InputError(name, "this score is not a finite number", line=line, found=text, remedy="write it like 12.5")
