"""Runs in columns, read block by block: whole blocks at once where they are regular, line by line where not.

A block is regular when every line has the layout's columns and a plain decimal number for its score. Tabs, runs of
blanks, blanks at line ends, CRLF and blank lines are made regular first. What then still is not (comments, tags of
several words, missing columns) goes to the careful lane, which tolerates what real files hold and names file, line
and remedy when it cannot. Both lanes give the same columns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source, decode, has_mark
from coliee_adapters.forms.decimals import decimals, integers
from coliee_adapters.forms.form import FIELDS, Row, Values
from coliee_adapters.forms.lines import (
    Comments,
    content_lines,
    counted,
    first_lines,
    is_number,
    number_of,
    split_columns,
)
from coliee_adapters.forms.rows import ReadingRules, block_of, plain_block
from coliee_adapters.ids import PADDING, Ids, IntArray
from coliee_adapters.records import COMMAS, INVISIBLE, Columns, IdRule, Run, exact_id
from coliee_adapters.remarks import Remarks

#: bytes of a block, which with all that is made of it stays in the processor's cache (megabytes are slower); and of the
#: largest file that is read as one block, as joining queries that lie across borders takes longer
BLOCK_SIZES = 1 << 19, 3 << 19

_FAR = 1 << 24  # bytes, after which a border between two queries is given up

_COMMENT = re.compile(rb"^[ \t]*(?:#|/\*)", re.MULTILINE)

_BLANK = ord(" ")


class ColumnLayout(NamedTuple):
    """Which columns the lines of a form have, by name.

    Attributes:
        columns: their names.
        roles: which one is the query, the document, the score, the rank, the run tag; without a score the rank decides.
        remark: the kind of remark that a file of this layout gets.
    """

    columns: tuple[str, ...]
    roles: Mapping[str, int]
    remark: str = ""

    @property
    def expected(self) -> str:
        """What a line should look like, for messages."""
        return f"expected {len(self.columns)} columns: {' '.join(self.columns)}"


#: COLIEE's run of Tasks 1 and 2, and of Task 3 up to 2017
THREE_COLUMNS = ColumnLayout(("QUERY", "DOCUMENT", "TAG"), {"query": 0, "document": 1, "tag": 2})
#: TREC's run
SIX_COLUMNS = ColumnLayout(
    ("QUERY", "Q0", "DOCUMENT", "RANK", "SCORE", "TAG"), {"query": 0, "document": 2, "rank": 3, "score": 4, "tag": 5}
)
#: runs without a run tag, as MS MARCO's
SCORED = ColumnLayout(("QUERY", "DOCUMENT", "SCORE"), {"query": 0, "document": 1, "score": 2}, "read-as-score")
RANKED = ColumnLayout(("QUERY", "DOCUMENT", "RANK"), {"query": 0, "document": 1, "rank": 2}, "read-as-rank")

LastColumn = Literal["tag", "score", "rank"]


def three_columns(source: Source) -> ColumnLayout:
    """The layout of a run of three columns: the third is the run tag, unless it holds numbers as no run tag does."""
    text = source.head().decode("utf-8", errors="replace")
    if source.has_more:
        text = text[: text.rfind("\n") + 1]
    rows: list[tuple[str, str]] = []
    first = 0, ""
    for number, line in content_lines(text, source.name, comments=Comments()):
        fields = split_columns(line)
        if len(fields) != len(THREE_COLUMNS.columns) or not is_number(fields[2]):
            return THREE_COLUMNS  # whose reading says what is wrong
        first = first if rows else (number, line)
        rows.append((fields[0], fields[2]))
    role = last_column(rows, complete=not source.has_more)
    if role is None:
        raise ambiguous_numbers_error(source.name, *first)
    return {"tag": THREE_COLUMNS, "score": SCORED, "rank": RANKED}[role]


def ambiguous_numbers_error(name: str, line: int, found: str) -> InputError:
    """The error for numbers that may be ranks or scores."""
    remedy = "name the columns in a first line: query document score, or query document rank"
    remedy += "; of several documents in a line, write a line for each"
    problem = "the last column holds integers, which could be ranks, scores, relevances or documents"
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
        number = number_of(text)
        if number is None:
            return "tag"
        decimal = decimal or "." in text or number < 0 or not number.is_integer()
        numbers.setdefault(query, []).append(number)
    lists = list(numbers.values())
    if len({number for values in lists for number in values}) <= 1:
        return "tag"
    if all(len(set(values)) == 1 for values in lists):
        return "score" if decimal else "tag" if any(len(values) > 1 for values in lists) else None
    if all(_are_ranks(values) for values in (lists if complete or len(lists) == 1 else lists[:-1])):
        if max(map(len, lists)) > 2 and all(values == sorted(values, reverse=True) for values in lists):
            return "score" if decimal else None
        return None if decimal else "rank"
    return "score" if decimal else None


def _are_ranks(numbers: Sequence[float]) -> bool:
    return sorted(numbers) == list(range(1, len(numbers) + 1))


def as_number(text: str) -> float | None:
    """The finite number that a text stands for; None if it stands for none."""
    value = number_of(text)
    return value if value is not None and math.isfinite(value) else None


def read_columns(layout_of: Callable[[Source], ColumnLayout], form: str, source: Source, rule: IdRule) -> Run:
    """A run in columns of a layout, which may depend on the file; its lines are read when its blocks are asked for."""
    layout = layout_of(source)
    refuse_lists(source, layout)
    words = first_tag(source, layout)
    # no closures: a run can be pickled
    read = partial(read_blocks, source, layout, rule, tag=words)
    whole = Run(
        read,
        tag=words.split(" ")[0] or source.stem,
        scored="score" in layout.roles,
        path=source.name,
        format=form,
    )
    return replace(whole, split=partial(_split, source, whole, read))


def refuse_lists(source: Source, layout: ColumnLayout) -> None:
    """Refuse lines ``QUERY DOCUMENT DOCUMENT …``, of which one document each would be read.

    The column that says nothing of a document tells them: Q0 is the same in every line and no document; a run tag may
    differ between lines, or be missing, but does not look like a document then.
    """
    column, digits, least = (1, "[0-9]+", len(layout.columns)) if layout is SIX_COLUMNS else (2, "[0-9]", 2)
    lines, document = map(split_columns, first_lines(source.head())), layout.roles["document"]
    pairs = [([*fields, ""][column], fields[document]) for fields in lines if len(fields) >= least]
    differ = len({word.lower() for word, _ in pairs}) > 1
    alike = [word for word, retrieved in pairs if re.sub(digits, "0", word) == re.sub(digits, "0", retrieved)]
    if layout is SIX_COLUMNS:
        several = differ or (len(alike) == len(pairs) and not re.fullmatch("[0-9]", pairs[0][0]) if pairs else False)
    else:
        several = layout is THREE_COLUMNS and differ and bool(alike)
    if several:
        problem = f"column {column + 1} seems to hold documents, and only one document a line is read"
        remedy = f"write a line for each document: {' '.join(layout.columns)}"
        raise InputError("ambiguous", source.name, problem, found=(alike or pairs[0])[0], remedy=remedy)


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


def _pieces(source: Source, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
    """The bytes of a run, or of a part of it, in pieces that become a block each."""
    block, whole = BLOCK_SIZES
    return source.blocks(max(source.size, block) if source.size <= whole else block, start, stop)


def read_blocks(
    source: Source,
    layout: ColumnLayout,
    rule: IdRule = exact_id,
    start: int = 0,
    stop: int | None = None,
    tag: str = "",
) -> Iterator[Columns]:
    """The lines of a run, or of a part of it, as blocks of columns."""
    reader = Reader(source.name, layout, rule, tag)
    lines = 0
    for raw in _pieces(source, start, stop):
        columns = reader.read(raw)
        if layout.remark and start == lines == 0:
            columns.remarks += Remarks.of(layout.remark)
        lines += len(columns.documents)
        yield columns
    reader.comments.check_closed(source.name)
    if not lines:
        raise InputError("empty", source.name, "the file contains only comments", remedy=layout.expected)


def first_tag(source: Source, layout: ColumnLayout) -> str:
    """The run tag of the first content line, all its words; empty where it has none, which reading will report."""
    fields = split_columns(next(iter(first_lines(source.head())), "")) if "tag" in layout.roles else []
    return " ".join(fields[len(layout.columns) - 1 :])


def plain_rows(raw: bytes, separator: str) -> bytes | None:
    """Rows with single blanks between their values; None where quotes or blanks in values may be."""
    if not raw.isascii() or b'"' in raw:
        return None
    if b"\r" in raw:
        raw = raw.replace(b"\r\n", b"\n")
    if separator != " ":
        if b" " in raw:
            return None
        raw = raw.replace(separator.encode(), b" ")
    return raw


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
    for raw in (pieces := _pieces(source)):
        rest = raw
        while header and rest:
            rest = rest.partition(b"\n")[2]
            header, reader.line = header - 1, reader.line + 1
        if not rest:
            continue
        made = plain(rest)
        columns = None if made is None else reader.all_at_once(made, squeeze=squeeze)
        if columns is None:
            yield from careful(chain([rest], pieces), reader.line)
            return
        yield columns


class Reader:
    """What must be remembered from block to block: the line number, an open comment."""

    def __init__(self, name: str, layout: ColumnLayout, rule: IdRule, tag: str) -> None:
        self.name, self.layout = name, layout
        self.tag = tag or None  # of the file's first line, all its words; None until that line is read
        self.comments = Comments()
        self.line = 1
        # in COLIEE's ids none separates documents; TREC's six columns may hold any
        self.rules = ReadingRules(rule, rule is exact_id or not {"score", "rank"}.isdisjoint(layout.roles))

    def read(self, raw: bytes) -> Columns:
        columns = None if self.comments.opened else self.all_at_once(raw)
        if columns is None:
            remarks = Remarks()
            self.comments.note = remarks.add
            columns = block_of(self.line_by_line(raw, remarks), self.rules, remarks, "")
            self.line += raw.count(b"\n")
        return columns

    def all_at_once(self, raw: bytes, *, squeeze: bool = True) -> Columns | None:
        """The fast lane: the block as an array of bytes, columns found by their blanks; None if it is not regular."""
        if not _is_utf8(raw) or has_mark(raw) or _has_comments(raw):
            return None
        roles, width = self.layout.roles, len(self.layout.columns)
        table = RegularLines.of(raw, _blanks(width))
        squeezed = table is None
        if table is None and squeeze:
            table = RegularLines.of(_squeezed(raw), _blanks(width))
        if table is None:
            return None
        values: dict[str, Any] = {role: table.ids(roles[role]) for role in ("query", "document")}
        if "score" in roles:
            values["score"] = table.decimals(roles["score"])
        if "rank" in roles:
            values["rank"] = (table.integers if "score" in roles else table.decimals)(roles["rank"])
        remarks = self._other_tags(table, raw, squeezed=squeezed) if "tag" in roles else Remarks()
        if remarks is None or any(column is None for column in values.values()):
            return None
        rows = Values(values, partial(Place, self.name, "line"))
        if (columns := plain_block(rows, self.rules)) is None:
            return None
        self.line += raw.count(b"\n") if squeezed else len(columns.documents)
        columns.remarks = remarks
        return columns

    def _other_tags(self, table: RegularLines, raw: bytes, *, squeezed: bool) -> Remarks | None:
        """Remarks on other run tags than the first line's; None where their line numbers are not known."""
        remarks = Remarks()
        tags = table.ids(self.layout.roles["tag"])
        if self.tag is None:
            self.tag = tags[0]
        tag = self.tag.split(" ")[0]
        others = np.flatnonzero(~equal(tags, tag)).tolist()
        if others and squeezed and len(tags) != raw.count(b"\n"):
            return None  # blank lines are gone, and with them the line numbers
        for i in others:
            remarks.add("tag", f"line {self.line + i}: {tags[i]}")
        return remarks

    def line_by_line(self, raw: bytes, remarks: Remarks) -> Iterator[Row]:
        """The careful lane: line by line."""
        roles, width = self.layout.roles, len(self.layout.columns)
        numbers = {FIELDS.get(role, role): i for role, i in roles.items() if role in ("score", "rank")}
        text = decode(raw, self.name, self.line)
        for number, line in content_lines(text, self.name, self.line, self.comments):
            place = Place(self.name, "line", number)
            if "\r" in line:
                remedy = "end lines with a newline, or with a carriage return and a newline"
                raise place.fault("encoding", "a carriage return within a line", line, remedy)
            fields = split_columns(line)
            if len(fields) < width or (len(fields) > width and "tag" not in roles):
                raise self._wrong_count(number, line, fields)
            query, document = fields[roles["query"]], fields[roles["document"]]
            if not self.rules.commas and re.search(COMMAS, document):
                raise place.fault(
                    "bad-id", "a comma in a document's id", line, f"write one document per line; {self.layout.expected}"
                )
            if self.rules.ids is not exact_id and (match := re.search(INVISIBLE, query + document)):
                problem = f"an id with an invisible character in it (U+{ord(match[0]):04X})"
                raise place.fault("bad-id", problem, line, "delete the character")
            if "tag" in roles:
                self._check_tag(number, line, fields, remarks)
            yield Row(place, query, document, **{field: fields[i] for field, i in numbers.items()})

    def _check_tag(self, number: int, line: str, fields: list[str], remarks: Remarks) -> None:
        """Remark on a run tag of several words, and on another one than the first line's."""
        width = len(self.layout.columns)
        tag = " ".join(fields[width - 1 :])
        if self.tag is None:
            self.tag = tag
        if len(fields) > width:
            # Q0 and a score show where the tag of six columns begins; in three, words in excess can only be a tag
            # if they are the same in every line: otherwise they may be documents
            if tag != self.tag and "score" not in self.layout.roles:
                raise self._wrong_count(number, line, fields)
            is_score = "score" in self.layout.roles and is_number(fields[width - 1])
            remarks.add("columns-beyond" if is_score else "tag-words", f"line {number}: {tag}")
        if fields[width - 1] != self.tag.split(" ")[0]:
            remarks.add("tag", f"line {number}: {tag}")

    def _wrong_count(self, number: int, line: str, fields: list[str]) -> InputError:
        remedy = self.layout.expected
        if len(fields) == 1 and ("," in line or ";" in line):
            remedy += "; columns are separated by blanks, not by commas"
        elif "tag" in self.layout.roles and len(fields) == len(self.layout.columns) - 1:
            remedy += "; is the run tag missing?"
            if fields[1] != "Q0":
                remedy += " If the run tag has several words, `coliee-ir validate RUN --fix OUT` makes one of them"
        return InputError("columns", self.name, counted(len(fields), "column"), line=number, found=line, remedy=remedy)


def regular_table(raw: bytes, width: int) -> RegularLines | None:
    """ASCII lines of ``width`` words with single blanks, and nothing else, as columns; None for any other."""
    return None if not raw.isascii() or _has_comments(raw) else RegularLines.of(raw, _blanks(width))


def _blanks(width: int) -> bytes:
    """What ends the columns of a line."""
    return b" " * (width - 1) + b"\n"


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


class RegularLines:
    """Regular lines as bytes between ``PADDING`` zeros, and where each column of each line begins and ends."""

    def __init__(self, raw: bytes, first: IntArray, last: IntArray) -> None:
        self.raw, self.first, self.last = raw, first, last  # both of shape (columns, lines)

    @classmethod
    def of(cls, lines: bytes, ends: bytes) -> RegularLines | None:
        """The table of lines whose columns end in these signs; None if a line is not regular."""
        width = len(ends)
        raw = b"".join((bytes(PADDING), lines, b"" if lines.endswith(b"\n") else b"\n", bytes(PADDING)))
        signs = np.frombuffer(raw, dtype=np.uint8)
        # everything up to the blank: blanks, newlines, and control characters, which no regular line has
        last = np.flatnonzero(signs[PADDING:-PADDING] <= _BLANK)
        if not len(last) or len(last) % width:
            return None
        last += PADDING
        found = signs[last].reshape(-1, width)
        if not all((found[:, i] == sign).all() for i, sign in enumerate(ends)):
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


def equal(ids: Ids, text: str) -> npt.NDArray[np.bool_]:
    """Which ids are this text."""
    wanted = Ids.of([text])
    n = (int(wanted.length[0]) + 7) // 8
    alike: npt.NDArray[np.bool_] = ids.length == wanted.length
    for word, wanted_word in zip(ids.words(n), wanted.words(n), strict=True):
        alike &= word == wanted_word
    return alike
