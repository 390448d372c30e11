"""Runs in columns, read block by block: whole blocks at once where they are regular, line by line where not.

A block is regular when every line has the layout's columns and a plain decimal number for its score. Tabs, runs of
blanks, blanks at line ends, CRLF and blank lines are made regular first. What then still is not (comments, tags of
several words, missing columns) goes to the careful lane, which tolerates what real files hold and names file, line
and remedy when it cannot. Both lanes give the same columns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source, decode, has_mark
from coliee_adapters.forms.decimals import decimals, integers
from coliee_adapters.forms.lines import Comments, content_lines, counted, split_columns
from coliee_adapters.ids import PADDING, Ids, IntArray, changes
from coliee_adapters.records import COMMAS, INVISIBLE, Columns, IdRule, Run, exact_id
from coliee_adapters.remarks import Remarks

#: bytes of a block, which with all that is made of it stays in the processor's cache (megabytes are slower); and of the
#: largest file that is read as one block, as joining queries that lie across borders takes longer
_SIZES = 1 << 19, 3 << 19

_FAR = 1 << 24  # bytes, after which a border between two queries is given up

_COMMENT = re.compile(rb"^[ \t]*(?:#|/\*)", re.MULTILINE)

_BLANK, _NEWLINE = 32, 10


class Layout(NamedTuple):
    """Which columns the lines of a form have, by name.

    Attributes:
        columns: their names.
        document: which one is the document.
        score: which one decides the order, if one does: the score, or in files without scores the rank.
        rank: the rank beside a score.
        by_rank: whether what decides is a rank, of which the least goes first.
        tagged: whether a column is the run tag: the last one, or that of ``tag``.
        remark: the kind of remark that a file of this layout gets.
    """

    columns: tuple[str, ...]
    document: int
    score: int | None = None
    rank: int | None = None
    by_rank: bool = False
    tagged: bool = True
    remark: str = ""
    query: int = 0
    tag: int = -1

    @property
    def expected(self) -> str:
        """What a line should look like, for messages."""
        return f"expected {len(self.columns)} columns: {' '.join(self.columns)}"


#: COLIEE's run of Tasks 1 and 2, and of Task 3 up to 2017
THREE_COLUMNS = Layout(("QUERY", "DOCUMENT", "TAG"), document=1)
#: TREC's run
SIX_COLUMNS = Layout(("QUERY", "Q0", "DOCUMENT", "RANK", "SCORE", "TAG"), document=2, score=4, rank=3)
#: runs without a run tag, as MS MARCO's
SCORED = Layout(("QUERY", "DOCUMENT", "SCORE"), document=1, score=2, tagged=False, remark="read-as-score")
RANKED = Layout(("QUERY", "DOCUMENT", "RANK"), document=1, score=2, by_rank=True, tagged=False, remark="read-as-rank")

LastColumn = Literal["tag", "score", "rank"]


def three_columns(source: Source) -> Layout:
    """The layout of a run of three columns: the third is the run tag, unless it holds numbers as no run tag does."""
    text = source.head().decode("utf-8", errors="replace")
    if source.goes_on:
        text = text[: text.rfind("\n") + 1]
    rows: list[tuple[str, str]] = []
    first = 0, ""
    for number, line in content_lines(text, source.name, comments=Comments()):
        fields = split_columns(line)
        if len(fields) != len(THREE_COLUMNS.columns) or _number(fields[2]) is None:
            return THREE_COLUMNS  # whose reading says what is wrong
        first = first if rows else (number, line)
        rows.append((fields[0], fields[2]))
    held = last_column(rows, complete=not source.goes_on)
    if held is None:
        raise undecided(source.name, *first)
    return {"tag": THREE_COLUMNS, "score": SCORED, "rank": RANKED}[held]


def undecided(name: str, line: int, found: str) -> InputError:
    """The error for numbers that may be ranks or scores."""
    remedy = "name the columns in a first line: query document score, or query document rank"
    problem = "the last column holds integers, which could be ranks, scores or relevances"
    return InputError("ambiguous", name, problem, line=line, found=found, remedy=remedy)


def last_column(rows: Iterable[tuple[str, str]], *, complete: bool = True) -> LastColumn | None:
    """What the last column of lines ``QUERY DOCUMENT x`` without a header holds.

    A run tag is the same for all lines of a query. Numbers that differ are ranks where they are 1, 2, 3, … n, each once
    in a query, and scores where any has a decimal point or is negative.

    >>> last_column([("1", "0.5"), ("1", "0.7")]), last_column([("1", "2"), ("1", "1")]), last_column([("1", "8")])
    ('score', 'rank', 'tag')
    """
    numbers: dict[str, list[float]] = {}
    decimal = False
    for query, text in rows:
        number = _number(text)
        if number is None:
            return "tag"
        decimal = decimal or "." in text or number < 0 or not number.is_integer()
        numbers.setdefault(query, []).append(number)
    lists = list(numbers.values())
    if len({number for held in lists for number in held}) <= 1:
        return "tag"
    if all(len(set(held)) == 1 for held in lists):
        return "score" if decimal else "tag" if any(len(held) > 1 for held in lists) else None
    if all(_are_ranks(held) for held in (lists if complete or len(lists) == 1 else lists[:-1])):
        if max(map(len, lists)) > 2 and all(held == sorted(held, reverse=True) for held in lists):
            return "score" if decimal else None
        return None if decimal else "rank"
    return "score" if decimal else None


def _are_ranks(numbers: Sequence[float]) -> bool:
    return sorted(numbers) == list(range(1, len(numbers) + 1))


def as_number(text: str) -> float | None:
    """The finite number that a text stands for; None if it stands for none."""
    value = _number(text)
    return value if value is not None and math.isfinite(value) else None


def _number(text: str) -> float | None:
    """The number that a text stands for, be it nan or inf, which are no scores but no run tags either."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if "_" not in text and text.isascii() else None


def read_columns(layout: Layout, form: str, source: Source, rule: IdRule) -> Run:
    """A run in columns; its lines are read when its blocks are asked for."""
    words = first_tag(source, layout)
    # no closures: a run can be pickled
    read = partial(read_blocks, source, layout, rule, tag=words)
    whole = Run(
        read,
        tag=words.split(" ")[0] or source.stem,
        scored=layout.score is not None and not layout.by_rank,
        path=source.name,
        format=form,
    )
    return replace(whole, split=partial(_split, source, whole, read))


def _split(source: Source, whole: Run, read: Callable[..., Iterator[Columns]], n: int) -> list[Run]:
    """A run as up to ``n`` runs over parts of its file, which begin where a query begins.

    The parts are those of a file in which nothing irregular stands: a comment over several lines may lie across their
    border, and the lines of parts are numbered from 1. Whoever meets an error or a remark in a part must read the
    whole file instead.
    """
    size = source.size
    starts = [0]
    for i in range(1, n):
        start = _next_query(source, max(size * i // n, starts[-1] + 1))
        if start is None:
            break
        starts.append(start)
    stops = [*starts[1:], None]
    return [replace(whole, blocks=partial(read, start=a, stop=b)) for a, b in zip(starts, stops, strict=True)]


def _next_query(source: Source, offset: int) -> int | None:
    """The first byte behind an offset where a line of another query than the line before begins; None if far."""
    with source.open() as stream:
        stream.seek(offset)
        stream.readline(_FAR)
        query = None
        while (start := stream.tell()) < offset + _FAR:
            line = stream.readline(_FAR)
            if not line:
                return None
            first = line.split(None, 1)[:1]
            if not first or first[0].startswith((b"#", b"/*")):
                continue
            if query is not None and first != query:
                return start
            query = first
    return None


def read_blocks(
    source: Source, layout: Layout, rule: IdRule = exact_id, start: int = 0, stop: int | None = None, tag: str = ""
) -> Iterator[Columns]:
    """The lines of a run, or of a part of it, as blocks of columns."""
    reader = Reader(source.name, layout, rule, tag)
    lines = 0
    block, whole = _SIZES
    for raw in source.blocks(max(source.size, block) if source.size <= whole else block, start, stop):
        columns = reader.read(raw)
        if layout.remark and start == lines == 0:
            columns.remarks += Remarks.of(layout.remark)
        lines += len(columns.documents)
        yield columns
    reader.comments.check_closed(source.name)
    if not lines:
        raise InputError("empty", source.name, "the file contains only comments", remedy=layout.expected)


def first_tag(source: Source, layout: Layout) -> str:
    """The run tag of the first content line, all its words; empty where it has none, which reading will report."""
    if not layout.tagged:
        return ""
    text = source.head().decode("utf-8", errors="replace")
    for _, line in content_lines(text, source.name, comments=Comments()):
        fields = split_columns(line)
        return " ".join(fields[len(layout.columns) - 1 :])
    return ""


def plain_rows(raw: bytes, separator: str, rule: IdRule) -> bytes | None:
    """Rows with single blanks between their values; None where quotes, blanks in values or commas in ids may be."""
    if not raw.isascii() or b'"' in raw:
        return None
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
    if separator != " ":
        if b" " in raw or (separator != "\t" and b"\t" in raw):
            return None
        raw = raw.replace(separator.encode(), b" ")
    return None if rule is not exact_id and (b"," in raw or b";" in raw) else raw


def blocks_behind(
    header: int,
    source: Source,
    reader: Reader,
    plain: Callable[[bytes], bytes | None],
    careful: Callable[[Iterator[bytes], int], Iterator[Columns]],
    *,
    squeeze: bool,
) -> Iterator[Columns]:
    """The lines behind so many others, as arrays while they are regular, from then on by another function."""
    block, whole = _SIZES
    pieces = source.blocks(max(source.size, block) if source.size <= whole else block)
    for raw in pieces:
        rest = raw
        while header and rest:
            rest = rest.partition(b"\n")[2]
            header, reader.line = header - 1, reader.line + 1
        if not rest:
            continue
        made = plain(rest)
        columns = None if made is None else reader.regular(made, squeeze=squeeze)
        if columns is None:
            yield from careful(chain([rest], pieces), reader.line)
            return
        yield columns


class Reader:
    """What must be remembered from block to block: the line number, an open comment."""

    def __init__(self, name: str, layout: Layout, rule: IdRule, tag: str) -> None:
        self.name, self.layout, self.rule = name, layout, rule
        self.tag = tag or None  # of the file's first line, all its words; None until that line is read
        self.comments = Comments()
        self.line = 1
        # in COLIEE's ids; TREC's six columns may hold any
        self.commas_separate = layout.score is None and rule is not exact_id

    def read(self, raw: bytes) -> Columns:
        columns = None if self.comments.opened else self.regular(raw)
        if columns is None:
            columns = self._careful(raw)
            self.line += raw.count(b"\n")
        return columns

    def regular(self, raw: bytes, *, squeeze: bool = True) -> Columns | None:
        """The fast lane: the block as an array of bytes, columns found by their blanks; None if it is not regular."""
        if not _is_utf8(raw) or has_mark(raw) or _has_comments(raw):
            return None
        if self.rule is not exact_id and not raw.isascii():
            return None  # the rule takes off blanks of other scripts too
        if self.commas_separate and (b"," in raw or b";" in raw):
            return None
        table = Table.of(raw, len(self.layout.columns))
        squeezed = table is None
        if table is None:
            if not squeeze:
                return None
            table = Table.of(_squeezed(raw), len(self.layout.columns))
            if table is None:
                return None
        queries, documents = table.ids(self.layout.query), table.ids(self.layout.document)
        scores = ranks = None
        if self.layout.score is not None:
            scores = table.decimals(self.layout.score)
            if scores is None:
                return None
            scores = -scores if self.layout.by_rank else scores
        if self.layout.rank is not None:
            ranks = table.integers(self.layout.rank)
            if ranks is None:
                return None
        remarks = Remarks()
        if self.layout.tagged:
            noted = self._other_tags(table, raw, squeezed=squeezed)
            if noted is None:
                return None
            remarks = noted
        self.line += raw.count(b"\n") if squeezed else len(documents)
        if self.rule is not exact_id and b"x" in raw and b".txt" in raw:  # one letter is found faster than four
            queries, documents = _without_ending(queries), _without_ending(documents)
        starts = changes(queries)
        return Columns(queries.at(starts[:-1]), starts, documents, scores, ranks, remarks or None)

    def _other_tags(self, table: Table, raw: bytes, *, squeezed: bool) -> Remarks | None:
        """Remarks on other run tags than the first line's; None where their line numbers are not known."""
        remarks = Remarks()
        tags = table.ids(self.layout.tag)
        if self.tag is None:
            self.tag = tags[0]
        tag = self.tag.split(" ")[0]
        others = np.flatnonzero(~_equal(tags, tag)).tolist()
        if others and squeezed and len(tags) != raw.count(b"\n"):
            return None  # blank lines are gone, and with them the line numbers
        for at in others:
            remarks.add("tag", f"line {self.line + at}: {tags[at]}")
        return remarks

    def _careful(self, raw: bytes) -> Columns:
        """The careful lane: line by line."""
        width = len(self.layout.columns)
        queries: list[str] = []
        starts: list[int] = []
        documents: list[str] = []
        scores: list[float] | None = None if self.layout.score is None else []
        ranks: list[str] | None = None if self.layout.rank is None else []
        remarks = Remarks()
        self.comments.note = remarks.add
        text = decode(raw, self.name, self.line)
        for number, line in content_lines(text, self.name, self.line, self.comments):
            if "\r" in line:
                remedy = "end lines with a newline, or with a carriage return and a newline"
                problem = "a carriage return within a line"
                raise InputError("encoding", self.name, problem, line=number, found=line, remedy=remedy)
            fields = split_columns(line)
            if len(fields) < width:
                raise self._wrong_count(number, line, fields)
            document = fields[self.layout.document]
            if self.commas_separate and re.search(COMMAS, document):
                remedy = f"write one document per line; {self.layout.expected}"
                problem = "a comma in a document's id"
                raise InputError("bad-id", self.name, problem, line=number, found=line, remedy=remedy)
            if not self.layout.tagged and len(fields) > width:
                raise self._wrong_count(number, line, fields)
            if self.rule is not exact_id and (found := re.search(INVISIBLE, fields[0] + document)):
                problem = f"an id with an invisible character in it (U+{ord(found[0]):04X})"
                raise InputError("bad-id", self.name, problem, line=number, found=line, remedy="delete the character")
            tag = " ".join(fields[width - 1 :]) if self.layout.tagged else ""
            if self.tag is None:
                self.tag = tag
            if len(fields) > width:
                # Q0 and a score show where the tag of six columns begins; in three, words in excess can only be a tag
                # if they are the same in every line: otherwise they may be documents
                if tag != self.tag and self.layout.score is None:
                    raise self._wrong_count(number, line, fields)
                is_score = self.layout.score is not None and _number(fields[width - 1]) is not None
                remarks.add("columns-beyond" if is_score else "tag-words", f"line {number}: {tag}")
                if fields[width - 1] != self.tag.split(" ")[0]:
                    remarks.add("tag", f"line {number}: {tag}")
            elif tag != self.tag.split(" ")[0]:
                remarks.add("tag", f"line {number}: {tag}")
            query = self.rule(fields[0])
            if not queries or query != queries[-1]:
                queries.append(query)
                starts.append(len(documents))
            documents.append(self.rule(fields[self.layout.document]))
            if scores is not None and self.layout.score is not None:
                if (score := as_number(given := fields[self.layout.score])) is None:
                    problem, remedy = "this score is not a finite number", "write it like 12.5"
                    raise InputError("bad-score", self.name, problem, line=number, found=given, remedy=remedy)
                scores.append(-score if self.layout.by_rank else score)
            if ranks is not None and self.layout.rank is not None:
                ranks.append(fields[self.layout.rank])
        starts.append(len(documents))
        return Columns(queries, starts, documents, scores, ranks, remarks or None)

    def _wrong_count(self, number: int, line: str, fields: list[str]) -> InputError:
        remedy = self.layout.expected
        if len(fields) == 1 and ("," in line or ";" in line):
            remedy += "; columns are separated by blanks, not by commas"
        elif self.layout.tagged and len(fields) == len(self.layout.columns) - 1:
            remedy += "; is the run tag missing?"
        return InputError("columns", self.name, counted(len(fields), "column"), line=number, found=line, remedy=remedy)


def regular_table(raw: bytes, width: int) -> Table | None:
    """ASCII lines of ``width`` words with single blanks, and nothing else, as columns; None for any other."""
    return None if not raw.isascii() or _has_comments(raw) else Table.of(raw, width)


def _is_utf8(raw: bytes) -> bool:
    if raw.isascii():
        return True
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _has_comments(raw: bytes) -> bool:
    return (b"#" in raw or (b"*" in raw and b"/*" in raw)) and _COMMENT.search(raw) is not None


def _squeezed(raw: bytes) -> bytes:
    """The same lines with single blanks between columns, none at either end, and no blank lines."""
    raw = raw.replace(b"\t", b" ").replace(b"\r\n", b"\n")
    while b"  " in raw:
        raw = raw.replace(b"  ", b" ")
    raw = raw.replace(b" \n", b"\n").replace(b"\n ", b"\n").removeprefix(b" ")
    while b"\n\n" in raw:
        raw = raw.replace(b"\n\n", b"\n")
    return raw.removeprefix(b"\n")


class Table:
    """Regular lines as bytes between ``PADDING`` zeros, and where each column of each line begins and ends."""

    def __init__(self, raw: bytes, first: IntArray, last: IntArray) -> None:
        self.raw, self.first, self.last = raw, first, last  # both of shape (columns, lines)

    @classmethod
    def of(cls, lines: bytes, width: int) -> Table | None:
        """The table of lines of ``width`` columns; None if a line is not regular."""
        raw = b"".join((bytes(PADDING), lines, b"" if lines.endswith(b"\n") else b"\n", bytes(PADDING)))
        signs = np.frombuffer(raw, dtype=np.uint8)
        # everything up to the blank: blanks, newlines, and control characters, which no regular line has
        last = np.flatnonzero(signs[PADDING:-PADDING] <= _BLANK)
        if not len(last) or len(last) % width:
            return None
        last += PADDING
        found = signs[last].reshape(-1, width)
        if not ((found[:, :-1] == _BLANK).all() and (found[:, -1] == _NEWLINE).all()):
            return None
        first = np.empty_like(last)
        first[0] = PADDING
        np.add(last[:-1], 1, out=first[1:])
        if not (last > first).all():
            return None
        return cls(raw, first.reshape(-1, width).T, last.reshape(-1, width).T)

    def ids(self, column: int) -> Ids:
        first = np.ascontiguousarray(self.first[column])
        return Ids(self.raw, first, self.last[column] - first)

    def decimals(self, column: int) -> npt.NDArray[np.float64] | None:
        """The numbers of a column, to the bits of ``float``; None if a text is not a finite number."""
        return decimals(self.raw, *self._spans(column))

    def integers(self, column: int) -> IntArray | None:
        """The whole numbers of a column; None if a text has other characters than digits, or is too long."""
        return integers(self.raw, *self._spans(column))

    def _spans(self, column: int) -> tuple[IntArray, IntArray]:
        return np.ascontiguousarray(self.first[column]), np.ascontiguousarray(self.last[column])


def _equal(ids: Ids, text: str) -> npt.NDArray[np.bool_]:
    """Which ids are this text."""
    wanted = text.encode()
    equal: npt.NDArray[np.bool_] = ids.length == len(wanted)
    raw = np.ndarray(len(ids.raw) - 7, dtype="<u8", buffer=ids.raw, strides=(1,))
    for at in range(0, len(wanted), 8):
        start = max(min(at, len(wanted) - 8), 0)  # the last word overlaps the one before
        word = wanted[start : start + 8]
        found = raw[np.minimum(ids.first + start, len(raw) - 1)]  # a shorter id may be the last
        found ^= np.uint64(int.from_bytes(word, "little"))
        found <<= np.uint64(8 * (8 - len(word)))
        equal &= found == 0
    return equal


_TXT = np.frombuffer(b".txt", dtype="<u4")[0]


def _without_ending(ids: Ids) -> Ids:
    """Ids without a trailing ``.txt``, as ``normal_id`` makes them."""
    raw = np.ndarray(len(ids.raw) - 3, dtype="<u4", buffer=ids.raw, strides=(1,))
    long_enough = ids.length >= 4
    ends = np.where(long_enough, ids.first + ids.length - 4, 0)
    return Ids(ids.raw, ids.first, ids.length - 4 * (long_enough & (raw[ends] == _TXT)))
