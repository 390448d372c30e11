"""Tables: golds, runs and answers in rows of values, with commas, semicolons, tabs or blanks between them.

The first row names the columns, by the words of ``forms.vocabulary`` or by those that the user gave. Without
such a row a gold is ``query, document[, relevance]`` and a run, with commas or semicolons, ``query, document[, x]``,
where x is the run tag, or a rank or score if it holds numbers as no run tag does.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source, decode
from coliee_adapters.forms.columns import Layout, Reader, as_number, last_column, undecided
from coliee_adapters.forms.lines import BLANKS, Comments, content_lines, counted, split_columns
from coliee_adapters.forms.rows import FIELDS, Row, block_of, gold_of, run_of, tag_of, telling_binary
from coliee_adapters.forms.statute import LABELS
from coliee_adapters.forms.vocabulary import Kind, has_given, is_header, roles_of
from coliee_adapters.records import Answers, Columns, Gold, IdRule, Run, exact_id, normal_id
from coliee_adapters.remarks import Remarks

#: What can stand between values; the blank stands for any number of blanks and tabs.
_SEPARATORS: Final = (",", ";", "\t", " ")

#: The first two words of a line end with commas or semicolons.
#: commas or semicolons end the first two words; possessive, for of two runs of blanks each could have any share
_COMMAS: Final = r"[^,;\s]*+\s*+[,;]\s*+[^,;\s]*+\s*+(?:[,;]|$)"

_DIGIT: Final = re.compile(r"\d")
_INTEGER: Final = re.compile(r"([+-]?[0-9]{1,9})(?:\.0*)?")
_KINDS: Final[tuple[Kind, ...]] = ("gold", "run")
_FORMS: Final[dict[Kind, str]] = {
    "gold": "expected query,document or query,document,relevance, or a first row that names the columns",
    "run": "expected query,document or query,document,tag, or a first row that names the columns",
}

#: So many lines show whether the first one is a header.
_SHOWN: Final = 50

#: So many documents of a query have the relevances 1, 2, 3, … only if these are ranks.
_NO_GRADES: Final = 5


#: bytes of a block, and of the largest file that is read as one, as in ``columns``
_BLOCK: Final = 1 << 19
_WHOLE: Final = 3 << 19


class _Row(NamedTuple):
    line: int
    values: list[str]
    text: str


#: Excel's first line ``sep=;``, which says how values are separated
_SAID: Final = r"sep=([,;\t])"


class _Table(NamedTuple):
    """The rows of a table behind its header, and which column has which role."""

    roles: dict[str, int]
    rows: list[_Row]
    #: the kind of remark that a table without a header gets
    remark: str = ""

    def rows_of(self, source: Source) -> Iterator[Row]:
        """The rows as the values of their roles."""
        for row in self.rows:
            held = {FIELDS.get(role, role): row.values[at] for role, at in self.roles.items()}
            yield Row(Place(source.name, "line", row.line), **held)


def sniff_gold(head: bytes) -> str | None:
    """``table`` for values with commas or semicolons, a first row of names, and two or three columns of a gold."""
    lines = _first_lines(head)
    if not lines:
        return None
    if _separator(lines) is not None:
        return "table"
    rows = [split_columns(line) for line in lines]
    if len(rows[0]) == 3 and _INTEGER.fullmatch(rows[0][2]):
        return "table"
    pairs = all(len(row) == 2 for row in rows)
    # a second column of 0 and 1 only can be labels
    return "table" if pairs and not {row[1] for row in rows} <= {"0", "1"} else None


def sniff_run(head: bytes) -> str | None:
    """``table`` for values with commas or semicolons, and for a first row of names."""
    return "table" if _separator(_first_lines(head)) is not None else None


def header_of(source: Source) -> list[str]:
    """The names of the columns, if the first row names columns."""
    lines = _first_lines(source.head())
    separator = _separator(lines, source)
    names = [] if separator is None else _values(lines[0], separator)
    return names if _names_columns(names, source) else []


def holds_answers(source: Source) -> bool:
    """Whether the columns of a run are those of answers and not of documents."""
    names = header_of(source)
    return bool(names) and "document" not in roles_of(names, "run", source.name, source.columns)


def kind_of(source: Source) -> Kind | None:
    """Whether a table can only be a gold, or only a run; None if it can be either."""
    lines = _first_lines(source.head())
    rows = [_values(line, _separator(lines, source) or " ") for line in lines]
    names = header_of(source)
    can: list[Kind] = []
    for kind in _KINDS:
        with contextlib.suppress(InputError):
            roles = {"relevance": 2} if kind == "gold" else {}
            if names:
                roles = roles_of(names, kind, source.name, source.columns)
            at = roles.get("relevance")
            if at is None or all(_INTEGER.fullmatch(row[at]) for row in rows[bool(names) :] if at < len(row)):
                can.append(kind)
    return can[0] if len(can) == 1 else None


def read_gold(source: Source, rule: IdRule = normal_id) -> Gold:
    """Relevant documents or labels."""
    remarks = Remarks()
    return gold_of(_read(source, "gold", remarks).rows_of(source), rule, source.name, "table", remarks=remarks)


def read_run(source: Source, rule: IdRule = normal_id) -> Run | Answers:
    """Documents or answers. A run without scores is in the order of its ranks, or else of its rows."""
    remarks = Remarks()
    if (header := _plain_header(source, remarks)) is not None:
        tag = header.tag or source.stem
        read = partial(_blocks, source, header, rule, tag, remarks)
        scored = header.layout.score is not None and not header.layout.by_rank
        return Run(read, tag, scored, source.name, "table")
    remarks = Remarks()
    table = _read(source, "run", remarks)
    if table.remark:
        remarks.add(table.remark)
    return run_of(table.rows_of(source), rule, source.name, "table", source.stem, remarks=remarks)


class _Header(NamedTuple):
    """The header of a run whose rows are read in blocks: its line, what separates values, and what they are."""

    line: int
    separator: str
    layout: Layout
    roles: Mapping[str, int]
    #: the run tag of the first row
    tag: str


def _plain_header(source: Source, remarks: Remarks) -> _Header | None:
    """The header of a run of documents, if nothing but it and plain rows stand at the beginning of the file."""
    head = source.head()
    if b'"' in head or head.lstrip().startswith((b"{", b"[", b"<")):
        return None
    text = head.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    if source.goes_on:
        text = text[: text.rfind("\n") + 1]
    comments = Comments()
    lines = list(content_lines(text, "", comments=comments))
    separator = _separator([line for _, line in lines[:_SHOWN]], source)
    if lines and re.fullmatch(_SAID, lines[0][1]):
        del lines[0]
    if separator is None or comments.remarks or comments.opened or len(lines) < 2:
        return None
    (number, first), *others = lines
    names = _values(first, separator)
    if not _names_columns(names, source):
        return None
    rows = [_values(line, separator) for _, line in others]
    if any(len(row) != len(names) for row in rows):
        return None
    roles = roles_of(names, "run", source.name, source.columns, number, lambda at: (row[at] for row in rows), remarks)
    if "document" not in roles or "retrieved" in roles:
        return None
    decides = next((roles[role] for role in ("score", "rank") if role in roles), None)
    layout = Layout(
        tuple(names),
        roles["document"],
        decides,
        roles.get("rank") if "score" in roles else None,
        by_rank="score" not in roles and "rank" in roles,
        tagged="tag" in roles,
        query=roles["query"],
        tag=roles.get("tag", -1),
    )
    tag = tag_of(rows[0][roles["tag"]]) if "tag" in roles else ""
    return _Header(number, separator, layout, roles, tag)


def _blocks(source: Source, header: _Header, rule: IdRule, tag: str, remarks: Remarks) -> Iterator[Columns]:
    """The rows of a run in blocks: as arrays while they are regular, by ``csv`` from the first block that is not."""
    blocks = _regular_blocks(source, header, rule, tag)
    first = next(blocks)
    noted = first._replace(remarks=(first.remarks or Remarks()) + remarks) if remarks else first
    return telling_binary(itertools.chain([noted], blocks))


def _regular_blocks(source: Source, header: _Header, rule: IdRule, tag: str) -> Iterator[Columns]:
    reader = Reader(source.name, header.layout, rule, tag)
    pieces = source.blocks(max(source.size, _BLOCK) if source.size <= _WHOLE else _BLOCK)
    left = header.line  # lines up to the header's
    for raw in pieces:
        while left and raw:
            _, _, raw = raw.partition(b"\n")
            left -= 1
            reader.line += 1
        if not raw:
            continue
        plain = _plain(raw, header.separator, rule)
        block = None if plain is None else reader.regular(plain, squeeze=header.separator == " ")
        if block is None:
            yield _careful(b"".join((raw, *pieces)), source, header, reader.line, rule, tag)
            return
        yield block


def _plain(raw: bytes, separator: str, rule: IdRule) -> bytes | None:
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


def _careful(raw: bytes, source: Source, header: _Header, line: int, rule: IdRule, tag: str) -> Columns:
    remarks = Remarks()
    text = decode(raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), source.name, line)
    rows = list(_rows(text, source, header.separator, Comments(remarks), line))
    _check_width(rows, len(header.layout.columns), source)
    return block_of(_Table(dict(header.roles), rows).rows_of(source), rule, remarks, tag)


def _first_lines(head: bytes) -> list[str]:
    """The first content lines; none in JSON and XML."""
    if head.lstrip().startswith((b"{", b"[", b"<")):
        return []
    text = head.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    whole = text[: text.rfind("\n") + 1] or text  # the head may end within a line
    lines = content_lines(whole, "", comments=Comments())
    return [line for (_, line), _ in zip(lines, range(_SHOWN), strict=False)]


def _separator(lines: Sequence[str], source: Source | None = None) -> str | None:
    """What stands between the values of a table; None for the columns of TREC and COLIEE, which have no header."""
    if not lines:
        return None
    if said := re.fullmatch(_SAID, lines[0]):
        return said[1]
    separators = [one for one in _SEPARATORS if one == " " or one in lines[0]]
    for separator in separators:
        if _names_columns(_values(lines[0], separator), source):
            return separator
    if re.match(_COMMAS, lines[0]):
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
    of_user = source is not None and has_given(values, source.columns)
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
    if any(all(as_number(row[at]) is not None for row in others) for at in range(2, len(first))):
        return True
    ids = all(_DIGIT.search(row[0]) and _DIGIT.search(row[1]) for row in others)
    labels = all(row[1].lower() in LABELS for row in others)
    return (ids or labels) and not _DIGIT.search(first[0] + first[1])


def _read(source: Source, kind: Kind, remarks: Remarks) -> _Table:
    """The table of a file: every row has as many values as the first."""
    separator = _separator(_first_lines(source.head()), source)
    if separator is None:
        separator = next((one for one in _SEPARATORS[:3] if one.encode() in source.head()), " ")
    comments = Comments(remarks, "gold-comment" if kind == "gold" else "comment")
    rows = list(_rows(source.text(columns=True), source, separator, comments))
    if not rows:
        raise InputError("empty", source.name, "no row has a query and a document", remedy=_FORMS[kind])
    first = rows[0]
    width = len(first.values)
    _check_width(rows, width, source)
    if _names_columns(first.values, source) or _is_unknown_header([row.values for row in rows[:_SHOWN]]):

        def values(at: int) -> Iterator[str]:
            return (row.values[at] for row in rows[1:])

        roles = roles_of(first.values, kind, source.name, source.columns, first.line, values, remarks)
        table = _Table(roles, rows[1:])
    else:
        table = _without_header(source, kind, rows)
    if not table.rows:
        raise InputError("empty", source.name, "no row has a query and a document", remedy=_FORMS[kind])
    return table


def _check_width(rows: Iterable[_Row], width: int, source: Source) -> None:
    """Refuse a row that has another number of values than the first."""
    for row in rows:
        if len(row.values) != width:
            remedy = f"expected {width} as in the first row"
            raise InputError(
                "columns", source.name, counted(len(row.values), "value"), line=row.line, found=row.text, remedy=remedy
            )


def _without_header(source: Source, kind: Kind, rows: list[_Row]) -> _Table:
    """A table of two or three columns, whose roles the values show."""
    first = rows[0]
    width = len(first.values)
    if not 2 <= width <= 3:
        raise InputError(
            "columns", source.name, counted(width, "value"), line=first.line, found=first.text, remedy=_FORMS[kind]
        )
    roles = {"query": 0, "document": 1}
    if width == 2:
        return _Table(roles, rows)
    held = last_column((row.values[0], row.values[2]) for row in rows)
    if kind == "gold":
        longest = max(len(list(of_query)) for _, of_query in groupby(sorted(row.values[0] for row in rows)))
        if held == "rank" and longest >= _NO_GRADES:
            problem = "the last column holds 1, 2, 3, … in each query, as ranks do"
            remedy = "give a gold; if it is one, name the columns in a first line: query document relevance"
            raise InputError("ambiguous", source.name, problem, line=first.line, found=first.text, remedy=remedy)
        return _Table({**roles, "relevance": 2}, rows)
    if held is None:
        raise undecided(source.name, first.line, first.text)
    return _Table({**roles, held: 2}, rows, {"tag": "", "score": "read-as-score", "rank": "read-as-rank"}[held])


def _rows(text: str, source: Source, separator: str, comments: Comments, first_line: int = 1) -> Iterator[_Row]:
    """The rows that hold something."""
    lines = text.split("\n")
    numbered = []
    for number, line in content_lines(text, source.name, first_line, comments):
        whole = lines[number - first_line]  # a tab at either end of which stands beside an empty value
        numbered.append((number, whole if separator == "\t" and whole.strip(BLANKS) == line else line))
    comments.check_closed(source.name)
    if numbered and re.fullmatch(_SAID, numbered[0][1]):
        numbered = numbered[1:]
    if separator == " ":
        yield from (_Row(number, split_columns(line), line) for number, line in numbered)
        return
    rows = csv.reader((line for _, line in numbered), delimiter=separator, skipinitialspace=True, strict=True)
    try:
        for row in rows:
            values = [value.strip() for value in row]
            if any(values):
                yield _Row(numbered[rows.line_num - 1][0], values, separator.join(row))
    except csv.Error as error:
        at = numbered[rows.line_num - 1][0]
        raise InputError("syntax", source.name, f"broken CSV: {error}", line=at, remedy="check the quotes") from None
