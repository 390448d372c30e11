"""Tables: golds, runs and answers in rows of values, with commas, semicolons, tabs or blanks between them.

The first row names the columns, by the words of ``forms.vocabulary`` or by those that the user gave. Without
such a row a gold is ``query, document[, relevance]`` and a run, with commas or semicolons, ``query, document[, x]``,
where x is the run tag, or a rank or score if it holds numbers as no run tag does.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Final, NamedTuple

from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source, decode
from coliee_adapters.forms.columns import (
    ColumnLayout,
    Reader,
    ambiguous_numbers_error,
    as_number,
    blocks_behind,
    last_column,
    plain_rows,
)
from coliee_adapters.forms.form import Form, FoundRows, Values
from coliee_adapters.forms.lines import BLANKS, Comments, Note, content_lines, counted, first_lines, split_columns
from coliee_adapters.forms.rows import ReadingRules, blocks_of, tag_of, with_remarks
from coliee_adapters.forms.vocabulary import LABELS, GoldOrRun, has_user_column, is_header, roles_of
from coliee_adapters.records import Columns, IdRule, Run, exact_id
from coliee_adapters.remarks import Remarks

#: What can stand between values; the blank stands for any number of blanks and tabs.
_SEPARATORS: Final = (",", ";", "\t", " ")

#: commas or semicolons end the first two words; possessive, for of two runs of blanks each could have any share
_COMMAS: Final = r"[^,;\s]*+\s*+[,;]\s*+[^,;\s]*+\s*+(?:[,;]|$)"

#: Excel's first line ``sep=;``, which says how values are separated
_SEPARATOR_LINE: Final = r"sep=[,;\t]"

_DIGIT: Final = r"\d"
_INTEGER: Final = r"([+-]?[0-9]{1,9})(?:\.0*)?"
_FORMS: Final[dict[GoldOrRun, str]] = {
    "gold": "expected query,document or query,document,relevance, or a first row that names the columns",
    "run": "expected query,document or query,document,tag, or a first row that names the columns",
}

#: So many lines show whether the first one is a header.
_SHOWN: Final = 50

#: So many documents of a query have the relevances 1, 2, 3, … only if these are ranks.
_NO_GRADES: Final = 5


class _Line(NamedTuple):
    number: int
    values: list[str]
    text: str


def _values_of(lines: Sequence[_Line], roles: Mapping[str, int], source: Source) -> Values:
    columns = {role: [line.values[i] for line in lines] for role, i in roles.items()}
    return Values(columns, lambda i: Place(source.name, "line", lines[i].number))


def _is_gold(head: bytes) -> bool:
    """Whether it has values with commas or semicolons, a first row of names, or two or three columns of a gold."""
    lines = first_lines(head)
    if not lines or _separator(lines) is not None:
        return bool(lines)
    rows = [split_columns(line) for line in lines[:_SHOWN]]
    # a second column of 0 and 1 only can be labels
    pairs = all(len(row) == 2 for row in rows) and not {row[1] for row in rows} <= {"0", "1"}
    return pairs or (len(rows[0]) == 3 and re.fullmatch(_INTEGER, rows[0][2]) is not None)


def _is_run(head: bytes) -> bool:
    """Whether it has values with commas or semicolons, or a first row of names."""
    return _separator(first_lines(head)) is not None


def _first_rows(source: Source) -> list[list[str]]:
    """The values of the first rows, of which the first may name columns."""
    lines = first_lines(source.head())
    separator = _separator(lines, source) or " "
    begin = bool(lines and re.fullmatch(_SEPARATOR_LINE, lines[0]))
    return [_values(line, separator) for line in lines[begin:]]


def header_of(source: Source) -> list[str]:
    """The names of the columns, if the first row names columns."""
    names = next(iter(_first_rows(source)), [])
    return names if _names_columns(names, source) else []


def first_tag(source: Source) -> str:
    """The run tag in the first row behind the names of columns; empty where no column is named as that of tags."""
    names, rows = header_of(source), _first_rows(source)
    column = roles_of(names, "run", Place(source.name), source.columns).get("tag") if names else None
    return rows[1][column] if column is not None and len(rows) > 1 and column < len(rows[1]) else ""


def can_be_gold(source: Source, column: int | None) -> bool:
    """Whether all values of a column of relevances, by default the third, are integers."""
    behind = _first_rows(source)[bool(header_of(source)) :]
    return column is None or all(re.fullmatch(_INTEGER, row[column]) for row in behind if column < len(row))


def _rows_of(kind: GoldOrRun, source: Source, note: Note) -> FoundRows:
    """Documents or labels: every row has as many values as the first."""
    separator = _separator(first_lines(source.head()), source)
    if separator is None:
        separator = next((sign for sign in _SEPARATORS[:3] if sign.encode() in source.head()), " ")
    comments = Comments(note, "gold-comment" if kind == "gold" else "comment")
    lines = list(rows(source.text(columns=True), source, separator, comments))
    check_width(lines, len(lines[0].values) if lines else 0, source)
    if lines and (
        _names_columns(lines[0].values, source) or _is_unknown_header([line.values for line in lines[:_SHOWN]])
    ):
        first, *lines = lines

        def values(i: int) -> Iterator[str]:
            return (line.values[i] for line in lines)

        roles = roles_of(first.values, kind, Place(source.name, "line", first.number), source.columns, values, note)
    else:
        roles = _without_header(source, kind, lines, note) if lines else {}
    if not lines:
        raise InputError("empty", source.name, "no row has a query and a document", remedy=_FORMS[kind])
    return [_values_of(lines, roles, source)]


class Header(NamedTuple):
    """The header of a run whose rows are read in blocks: its line, what separates values, and what they are."""

    line: int
    separator: str
    layout: ColumnLayout
    #: the run tag of the first row
    tag: str


def _run(source: Source, rule: IdRule) -> Run | None:
    """A run of documents in blocks; in the order of its ranks, or else of its rows, where it has no scores."""
    remarks = Remarks()
    if (header := plain_header(source, remarks.add)) is None:
        return None
    tag = header.tag or source.stem
    blocks = partial(_blocks_with_remarks, source, header, rule, tag, remarks)
    return Run(blocks, tag, "score" in header.layout.roles, source.name, "table")


def plain_header(source: Source, note: Note) -> Header | None:
    """The header of a run of documents, if nothing but it and plain rows stand at the beginning of the file."""
    head = source.head()
    if b'"' in head or head.lstrip().startswith((b"{", b"[", b"<")):
        return None
    comments = Comments(lambda *_: marked.append(1))
    marked: list[int] = []
    lines = list(content_lines(_text(head, cut=source.has_more), "", comments=comments))
    separator = _separator([line for _, line in lines], source)
    if lines and re.fullmatch(_SEPARATOR_LINE, lines[0][1]):
        del lines[0]
    if separator is None or marked or comments.opened or len(lines) < 2:
        return None
    (number, first), *others = lines
    names = _values(first, separator)
    rows = [_values(line, separator) for _, line in others]
    if not _names_columns(names, source) or any(len(row) != len(names) for row in rows):
        return None
    place = Place(source.name, "line", number)
    roles = roles_of(names, "run", place, source.columns, lambda i: (row[i] for row in rows), note)
    if "document" not in roles or {"answer", "retrieved"} & roles.keys():
        return None
    tag = tag_of(rows[0][roles["tag"]]) if "tag" in roles else ""
    return Header(number, separator, ColumnLayout(tuple(names), roles), tag)


def _blocks_with_remarks(source: Source, header: Header, rule: IdRule, tag: str, remarks: Remarks) -> Iterator[Columns]:
    return with_remarks(blocks(source, header, rule, tag), remarks)


def blocks(source: Source, header: Header, rule: IdRule, tag: str, of_row: IdRule | None = None) -> Iterator[Columns]:
    """The rows of a run in blocks: as arrays while they are regular, by ``csv`` from the first block that is not."""

    def careful(pieces: Iterator[bytes], line: int) -> Iterator[Columns]:
        noted = Remarks()
        text = decode(b"".join(pieces).replace(b"\r\n", b"\n").replace(b"\r", b"\n"), source.name, line)
        lines = list(rows(text, source, header.separator, Comments(noted.add), line))
        check_width(lines, len(header.layout.columns), source)
        of_lines = [_values_of(lines, header.layout.roles, source)]
        for block in blocks_of(of_lines, ReadingRules(of_row or rule, rule is exact_id), tag):
            block.remarks = noted + block.remarks
            yield block

    reader = Reader(source.name, header.layout, rule, tag)
    reader.rules = ReadingRules.of(rule)
    plain = partial(plain_rows, separator=header.separator)
    squeeze = header.separator == " "
    return blocks_behind(header.line, source, reader, plain, careful, squeeze=squeeze)


def _text(head: bytes, *, cut: bool) -> str:
    """The first bytes as text; they may end within a line."""
    text = head.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return text[: text.rfind("\n") + 1] if cut else text


def _separator(lines: Sequence[str], source: Source | None = None) -> str | None:
    """What stands between the values of a table; None for the columns of TREC and COLIEE, which have no header."""
    lines = lines[:_SHOWN]
    if not lines:
        return None
    separators = [separator for separator in _SEPARATORS if separator == " " or separator in lines[0]]
    for separator in separators:
        if _names_columns(_values(lines[0], separator), source):
            return separator
    if {",", ";"} & set(lines[0]) and re.match(_COMMAS, lines[0]):
        return ";" if ";" in lines[0] and "," not in lines[0] else ","
    for separator in separators:
        if _is_unknown_header(_values(line, separator) for line in lines):
            return separator
    return None


def _values(line: str, separator: str) -> list[str]:
    """The values of a single line."""
    if separator == " ":
        return split_columns(line)
    return [value.strip() for value in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]


def _names_columns(values: Sequence[str], source: Source | None = None) -> bool:
    """Whether the values of a first row are names that the vocabulary, or the user, knows."""
    of_user = source is not None and has_user_column(values, source.columns)
    return len(values) > 1 and (of_user or is_header(values))


def _is_unknown_header(rows: Iterable[Sequence[str]]) -> bool:
    """Whether the first row can only name columns, in words that are not known.

    Under a word there are only numbers; or its ids have no digit, and there are digits in all others, or labels.
    """
    rows = iter(rows)
    first = next(rows)
    if len(first) < 2 or any(as_number(value) is not None for value in first):
        return False  # as of most runs, whose other rows need not be split for that
    others = list(rows)
    if not others or any(len(row) != len(first) for row in others):
        return False
    if any(all(as_number(row[i]) is not None for row in others) for i in range(2, len(first))):
        return True
    ids = all(re.search(_DIGIT, row[0]) and re.search(_DIGIT, row[1]) for row in others)
    labels = all(row[1].lower() in LABELS for row in others)
    return (ids or labels) and not re.search(_DIGIT, first[0] + first[1])


def check_width(lines: Iterable[_Line], width: int, source: Source) -> None:
    """Refuse a row that has another number of values than the first."""
    for line in lines:
        if len(line.values) != width:
            place, remedy = Place(source.name, "line", line.number), f"expected {width} as in the first row"
            raise place.fault("columns", counted(len(line.values), "value"), line.text, remedy)


def _without_header(source: Source, kind: GoldOrRun, lines: Sequence[_Line], note: Note) -> dict[str, int]:
    """The roles of two or three columns, as the values show them."""
    first = lines[0]
    fault = Place(source.name, "line", first.number).fault
    width = len(first.values)
    if not 2 <= width <= 3:
        raise fault("columns", counted(width, "value"), first.text, _FORMS[kind])
    roles = {"query": 0, "document": 1}
    if width == 2:
        return roles
    role = last_column((line.values[0], line.values[2]) for line in lines)
    if kind == "gold":
        longest = max(len(list(of_query)) for _, of_query in groupby(sorted(line.values[0] for line in lines)))
        if role == "rank" and longest >= _NO_GRADES:
            problem = "the last column looks like ranks (1, 2, 3, … per query): is this a run, not a gold?"
            remedy = "if it is a gold, add the header line: query document relevance"
            raise fault("ambiguous", problem, first.text, remedy)
        return {**roles, "relevance": 2}
    if role is None:
        raise ambiguous_numbers_error(source.name, first.number, first.text)
    if role != "tag":
        note(f"read-as-{role}", "")
    return {**roles, role: 2}


def rows(text: str, source: Source, separator: str, comments: Comments, first_line: int = 1) -> Iterator[_Line]:
    """The rows that hold something."""
    lines = text.split("\n")
    numbered = []
    for number, line in content_lines(text, source.name, first_line, comments):
        whole = lines[number - first_line]  # a tab at either end of which stands beside an empty value
        numbered.append((number, whole if separator == "\t" and whole.strip(BLANKS) == line else line))
    comments.check_closed(source.name)
    if numbered and re.fullmatch(_SEPARATOR_LINE, numbered[0][1]):
        numbered = numbered[1:]
    if separator == " ":
        yield from (_Line(number, split_columns(line), line) for number, line in numbered)
        return
    rows = csv.reader((line for _, line in numbered), delimiter=separator, skipinitialspace=True, strict=True)
    try:
        for row in rows:
            values = [value.strip() for value in row]
            if any(values):
                yield _Line(numbered[rows.line_num - 1][0], values, separator.join(row))
    except csv.Error as error:
        place = Place(source.name, "line", numbered[rows.line_num - 1][0])
        raise place.fault("syntax", f"broken CSV: {error}", remedy="check the quotes") from None


FORMS: Final = (
    Form("gold", "table", "query_id,doc_id,relevance", _is_gold, partial(_rows_of, "gold")),
    Form("run", "table", "query_id,doc_id,score", _is_run, partial(_rows_of, "run"), _run),
)
