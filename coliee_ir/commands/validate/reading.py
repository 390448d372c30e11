"""From the bytes of a file to its content lines as words, whatever is wrong with them.

The readers of ``coliee_adapters`` stop at the first line that cannot be understood. Here nothing stops: what is wrong
is a finding, and what can be understood goes on to the next question.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from coliee_adapters import system_descriptions as descriptions
from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import BOM, PathKind
from coliee_adapters.forms import detect, json_records, vocabulary
from coliee_adapters.forms.detect import is_description
from coliee_adapters.forms.lines import BLANKS, SEPARATORS, Comments, content_lines
from coliee_adapters.records import Answers, Columns
from coliee_ir.commands.validate.sheet import (
    LABELLED,
    OTHER_FORMS,
    WIDE_BLANK,
    Sheet,
    clean_tag,
    word_matches,
    words_of,
)
from coliee_ir.inbox.tasks import NOTHING, names_columns, utf16
from coliee_ir.judging.order import order_of
from coliee_ir.rules.protocol import NUMBERED

#: bytes that are no UTF-8, as ``surrogateescape`` decodes them
NO_UTF8: Final = re.compile("[\udc80-\udcff]")

#: what regular lines are written in, and what is in no text of them
_SIGNS: Final = bytes(sign for sign in range(0x20, 0x7F) if sign not in b",;") + b"\n"
_IRREGULAR: Final = ("  ", "\n ", " \n", "\n\n", "\n#", "\n/")

_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_NO_ASCII: Final = re.compile("[^\x00-\x7f\udc80-\udcff]+")

_LINE_END: Final = re.compile(rf"\r++\n?|\n|{SEPARATORS.pattern}")
_ASCII_LINE_END: Final = re.compile(r"\r++\n?|\n")

#: How the organisers name files: ``task3.TAG``, ``task3-L.TAG``.
_NAMED: Final = re.compile(rf"task{NUMBERED}(?:-l)?\.(?!json)(\w+)", re.IGNORECASE)


def read(sheet: Sheet) -> None:
    """What a file holds: its lines with words, those of the pilot's instances, or what others read of it."""
    protocol = sheet.context.protocol
    if sheet.source.kind is PathKind.TABLE and protocol.is_coliee and not protocol.pilot:
        sheet.add("form", remedy=f"send lines of {' '.join(sheet.context.rules.columns or LABELLED)}")
        return
    raw = sheet.source.raw(2)
    if not raw.strip(NOTHING):
        sheet.add("empty")
    elif is_description(raw.removeprefix(BOM)):
        sheet.described, sheet.kind = descriptions.read(sheet.source), "description"
    elif not protocol.is_coliee:
        sheet.kind = "stated"
    elif (text := _decoded(sheet, raw)).lstrip().startswith(OTHER_FORMS) and not protocol.pilot:
        _read_json(sheet)
    else:
        lines = _lines(sheet, text)
        sheet.ended = not lines[-1]
        lines = lines[:-1] if sheet.ended else lines
        if protocol.pilot:
            sheet.kind, sheet.lines = "claims", lines
        else:
            _read_columns(sheet, text, lines)


def _decoded(sheet: Sheet, raw: bytes) -> str:
    if codec := utf16(raw):
        sheet.add("utf-16", 1, 1)
        return raw.decode(codec, errors="replace").removeprefix("\ufeff")
    if raw.startswith(BOM):
        sheet.add("bom", 1, 1)
    text = raw.removeprefix(BOM).decode("utf-8", errors="surrogateescape")
    for number, line in enumerate(() if text.isascii() else text.split("\n"), start=1):
        for byte in NO_UTF8.finditer(line):
            sheet.add("not-utf8", number, byte.start() + 1, f"\\x{ord(byte[0]) & 0xFF:02x}")
    return text


def _lines(sheet: Sheet, text: str) -> list[str]:
    """The lines, and behind the last line end the rest; in JSON, Unicode's separators are part of a line."""
    of_json = sheet.context.protocol.pilot
    if "\r" not in text and (of_json or text.isascii() or not SEPARATORS.search(text)):
        return text.split("\n")
    lines, start = list[str](), 0
    for end in (_ASCII_LINE_END if of_json else _LINE_END).finditer(text):
        # of carriage returns without a newline behind them, each ends a line, as Unicode's separators do
        returns = 0 if end[0].endswith("\n") else len(end[0])
        lines += [text[start : end.start()], *[""] * (returns - 1)]
        start = end.end()
        for number in range(len(lines) - returns + 1, len(lines) + 1):
            sheet.add("carriage-return" if end[0][0] == "\r" else "line-separator", number)
        if end[0] != "\n" and not returns:
            sheet.add("crlf", len(lines))
    return [*lines, text[start:]]


def _read_columns(sheet: Sheet, text: str, lines: list[str]) -> None:
    """The lines with words. Of the lines under a header of another table nothing is reported."""
    before, header = {*sheet.found}, None
    if _is_regular(text) and not names_columns(_names(lines[0]), sheet.context.columns):
        sheet.hold(lines, range(1, len(lines) + 1))
    else:
        header = _split(sheet, lines)
    if not sheet.contents:
        sheet.kind = ""
    elif _names_unknown_columns(sheet.contents) or (header is not None and _is_other_table(header[1], sheet)):
        number, content = header or (1, sheet.contents[0])
        for rule in {*sheet.found} - before:
            del sheet.found[rule]
        sheet.add("table", number, 1, content, columns=" ".join(sheet.layout))
        sheet.kind, sheet.contents = "", []
    elif header is not None:
        sheet.add("header", header[0], 1, header[1])


def _is_regular(text: str) -> bool:
    """Whether of lines nothing is to be said but that they have words."""
    if not text.isascii() or text.encode().translate(None, _SIGNS) or any(odd in text for odd in _IRREGULAR):
        return False
    return text[:1] not in ("", *"\n #/") and text[-1] != " "


def _split(sheet: Sheet, lines: Sequence[str]) -> tuple[int, str] | None:
    """Split the lines with words of a file; the header before them."""
    contents, numbers, irregular, header = list[str](), array("l"), bytearray(), None
    aside: list[tuple[str, int, int | None, str | None]] = []  # what is none of them; of no interest if all is
    comments = Comments()
    for number, line in enumerate(lines, start=1):
        if contents and not comments.opened and _is_regular(line):
            contents.append(line)
            numbers.append(number)
            irregular.append(False)
            continue
        plain = WIDE_BLANK.sub(" ", line)
        inside = comments.opened
        content = next((rest for _, rest in content_lines(plain, "", number, comments)), "")
        start = len(plain.rstrip(BLANKS)) - len(content)
        if comment := line[:start].strip(BLANKS) if plain[:start].strip(BLANKS) else "":
            aside.append(("comment", number, None, comment))
        elif not content and not inside:
            aside.append(("blank-line", number, None, None))
        if not contents and names_columns(_names(content), sheet.context.columns):  # above the lines, each time
            header = header or (number, content)
        elif content and not words_of(whole := f"{' ' * start}{line[start:]}" if comment else line):
            sheet.add("blank-line", number, found=content)
        elif content:
            _check_words(sheet, line, start, number)
            contents.append(whole.lstrip("\ufeff"))
            numbers.append(number)
            irregular.append(True)
    if comments.opened:
        sheet.add("unreadable", comments.opened, remedy="a comment opens here with /* and never ends: close it with */")
        aside = [fault for fault in aside if fault[1] < comments.opened]
    for fault in aside if contents else ():
        sheet.add(*fault)
    if not contents and not comments.opened:
        sheet.add("empty")
    sheet.hold(contents, numbers, irregular)
    return header


def _check_words(sheet: Sheet, line: str, start: int, number: int) -> None:
    """What is wrong with the characters and the blanks of a line, whose words begin behind ``start``."""
    add, matches = sheet.add, word_matches(line, start)
    for rule, pattern in (("control", _CONTROL), ("not-ascii", _NO_ASCII)):
        if match := pattern.search(line, start):
            add(rule, number, match.start() + 1, match[0])
    gaps = (slice(before.end(), after.start()) for before, after in pairwise(matches))
    leading = line[:start] if not WIDE_BLANK.sub(" ", line[:start]).strip(BLANKS) else ""
    if wrong := next((gap for gap in gaps if WIDE_BLANK.sub(" ", line[gap]) != " "), None):
        add("separator", number, wrong.start + 1, line[wrong])
    elif leading:
        add("separator", number, 1, leading)
    if line.rstrip(BLANKS) != line:
        add("trailing-blank", number, len(line.rstrip(BLANKS)) + 1)


def _names(header: str) -> list[str]:
    """The names of the columns in a header."""
    separator = next((mark for mark in "\t,;" if mark in header), None)
    return [name.strip("\"' ") for name in header.split(separator)]


def _names_unknown_columns(lines: Sequence[str]) -> bool:
    """Whether a table begins with names that are none of ours: without digits, above ids that have some."""
    rows = [re.split("[,;\t]", line) for line in lines[:2]]
    return (
        len(rows) > 1 < len(rows[0]) == len(rows[1])
        and not re.search("[0-9]", rows[0][0])
        and any(map(str.isdigit, rows[1][0]))
    )


def _is_other_table(header: str, sheet: Sheet) -> bool:
    """Whether a header names other columns than those of a submission, or in another order."""
    layout, names = sheet.layout, _names(header)
    if len(names) > len(layout):
        return True
    try:
        roles = vocabulary.roles_of(names, "run", Place(""), sheet.context.columns)
    except InputError:  # names that say nothing, between commas those of a table
        return re.search("[,;\t]", header) is not None
    places = {"answer" if column == "Y" else column.lower(): at for at, column in enumerate(layout)}
    lacks_tag = len(names) == len(layout) and "tag" not in roles  # its last column holds something else
    return lacks_tag or any(places.get(role) != at for role, at in roles.items())


def _read_json(sheet: Sheet) -> None:
    """The lines that a submission in JSON would have."""
    columns, form, add = sheet.context.rules.columns, sheet.context.rules.form, sheet.add
    if not form or not json_records.sniff(sheet.source.head()):
        add("form", remedy=f"send lines of {' '.join(columns or LABELLED)}")
        return
    # of case law, the official tables hold scored runs in JSON
    rule = "json" if sheet.context.protocol.law == "case" else "form"
    blocks = list[Columns]()
    try:
        run = detect.read_run(sheet.source, form="json")
        if isinstance(run, Answers):
            rule, form = "form", "labels"
        else:
            blocks = list(run.blocks())
        sheet.other_kinds = tuple(run.other_parts)
    except InputError as error:
        unreadable(sheet, error)
    add(rule, form=form)
    named = _NAMED.fullmatch(Path(sheet.name).name)
    tag = clean_tag(named[1] if named else sheet.source.stem, sheet.context.rules.tag_length) or "RUN"
    rows = []
    for block in blocks:
        for query, first, last in block.segments():
            if first == last:
                add("empty-list", found=query)
            documents = block.documents[first:last]
            numbers = range(last - first, 0, -1) if block.scores is None else block.scores[first:last]
            scores = [float(number) for number in numbers]
            for rank, i in enumerate(order_of(documents, scores), start=1):
                cells = {"QUERY": query, "Q0": "Q0", "DOCUMENT": documents[i], "TAG": tag}
                cells |= {"RANK": str(rank), "SCORE": repr(scores[i])}
                rows.append(" ".join(cells[column] for column in columns))
    if rows:
        sheet.hold(rows, [None] * len(rows))


def unreadable(sheet: Sheet, error: InputError) -> None:
    """Add what a reader cannot read."""
    sheet.add(
        "unreadable",
        error.line,
        error.column,
        error.found,
        remedy="; ".join(filter(None, (error.problem, error.remedy))),
    )
