"""A submission in columns as it stands: every line with its words, whatever is wrong with them.

The readers of ``coliee_adapters`` stop at the first line that cannot be understood. Here nothing stops: what is wrong
is a finding, and what can be understood goes on to the next question.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Final, NamedTuple

from coliee_adapters.files import BOM, Source
from coliee_adapters.lines import BLANKS, Comments, content_lines
from coliee_ir.validation.findings import Findings

_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")

#: bytes that are no UTF-8, as ``surrogateescape`` decodes them
_NO_UTF8: Final = re.compile("[\udc80-\udcff]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]|\r(?!$)")
_NO_ASCII: Final = re.compile("[^\x00-\x7f\udc80-\udcff]+")
_WIDE_BLANK: Final = re.compile(r"[^\S\x00-\x7f]")

_WORD: Final = re.compile(f"[^{BLANKS}]+")
_COMMA_WORD: Final = re.compile(r"""[^,;\s"']+""")

_HEADER: Final = frozenset({"query", "query_id", "queryid", "qid", "topic", "id", "case", "fragment", "question"})


class Word(NamedTuple):
    """A word of a line and the column, from 1, where it begins."""

    text: str
    column: int


@dataclass(slots=True)
class Row:
    """A content line.

    Attributes:
        line: its number, from 1; None for what did not stand in a line.
        words: its columns, in ASCII where they can be.
        mended: the columns as ``--fix`` writes them; None while the line is not understood.
    """

    line: int | None
    words: list[Word]
    mended: list[str] | None = None

    @property
    def texts(self) -> list[str]:
        """The words without their places."""
        return [word.text for word in self.words]


def decoded(source: Source, found: Findings, *, ascii_only: bool = True) -> str:
    """The text of a file, with what is wrong with its encoding and its line ends among the findings.

    Args:
        source: the file.
        found: where findings go.
        ascii_only: whether other characters than ASCII are a finding.

    Returns:
        The text with newlines for line ends; bytes that are no UTF-8 are lone surrogates.

    Raises:
        InputError: the file cannot be opened.
    """
    add = partial(found.add, source.name)
    with source.open() as stream:
        raw = stream.read()
    if raw.startswith(_UTF16):
        add("utf-16", 1, 1)
        text = raw.decode("utf-16", errors="replace")
    else:
        if raw.startswith(BOM):
            add("bom", 1, 1)
        text = raw.removeprefix(BOM).decode("utf-8", errors="surrogateescape")
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if line.endswith("\r"):
            add("crlf", number)
        if line.isascii() and line.isprintable():
            continue
        for byte in _NO_UTF8.finditer(line):
            add("not-utf8", number, byte.start() + 1, f"\\x{ord(byte[0]) & 0xFF:02x}")
        if match := _CONTROL.search(line):
            add("control", number, match.start() + 1, match[0])
        if ascii_only and (match := _NO_ASCII.search(line)):
            add("not-ascii", number, match.start() + 1, match[0])
    if lines[-1]:
        add("no-newline", len(lines))
    return "\n".join(line.removesuffix("\r") for line in lines)


def in_ascii(text: str) -> str:
    """A word with full-width characters in ASCII, and without control characters and those of no width."""
    if text.isascii() and text.isprintable():
        return text
    plain = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in plain if unicodedata.category(sign) not in ("Cc", "Cf"))


def content_rows(text: str, name: str, found: Findings) -> list[Row]:
    """The content lines of a text as rows of words, with what is wrong with blanks and comments among the findings."""
    add = partial(found.add, name)
    comments = Comments()
    content = dict(content_lines(_WIDE_BLANK.sub(" ", text), name, comments=comments))
    if comments.opened:
        add("unreadable", comments.opened, remedy="a comment opens here with /* and never ends: close it with */")
    rows: list[Row] = []
    lines = text.split("\n")
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, start=1):
        if number not in content:
            add("comment" if line.strip(BLANKS) else "blank-line", number, found=line.strip(BLANKS) or None)
            continue
        words = _words(_WIDE_BLANK.sub(" ", line), number, name, found)
        if not rows and words[0].text.lower() in _HEADER:
            add("header", number, 1, line)
            continue
        rows.append(Row(number, words))
    return rows


def _words(line: str, number: int, name: str, found: Findings) -> list[Word]:
    """The words of a content line."""
    start = line.rfind("*/") + 2 if line.lstrip(BLANKS).startswith("/*") or "*/" in line else 0
    if start:
        found.add(name, "comment", number, found=line[:start].strip(BLANKS))
    bare = line[start:].strip(BLANKS)
    # commas, and nowhere two words with only blanks between them
    by_comma = _COMMA_WORD.search(bare) and re.search("[,;]", bare) and not re.search(r"[^,;\s]\s+[^,;\s]", bare)
    matches = list((_COMMA_WORD if by_comma else _WORD).finditer(line, start))
    for before, after in pairwise(matches):
        between = line[before.end() : after.start()]
        if between != " ":
            found.add(name, "separator", number, before.end() + 1, between)
            break
    else:
        if matches[0].start() > start:
            found.add(name, "separator", number, 1, line[start : matches[0].start()])
    if line.rstrip(BLANKS) != line.rstrip("\r"):
        found.add(name, "trailing-blank", number, len(line.rstrip(BLANKS)) + 1)
    return [Word(in_ascii(match[0]), match.start() + 1) for match in matches]
