"""The lines of a submission in columns as rows of words, whatever is wrong with them.

The readers of ``coliee_adapters`` stop at the first line that cannot be understood. Here nothing stops: what is wrong
is a finding, and what can be understood goes on to the next question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

from coliee_adapters.files.source import BOM
from coliee_adapters.forms import vocabulary
from coliee_adapters.forms.lines import BLANKS, SEPARATORS, Comments, content_lines
from coliee_ir.commands.validate.findings import Add
from coliee_ir.inbox.tasks import utf16

_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_NO_ASCII: Final = re.compile("[^\x00-\x7f\udc80-\udcff]+")
_WIDE_BLANK: Final = re.compile(r"[^\S\x00-\x7f]")

_WORD: Final = re.compile(f"[^{BLANKS}]+")
_COMMA_WORD: Final = re.compile(r"""[^,;\s"']+""")
#: commas or semicolons end the first two words, as where a CSV is told from columns
_BY_COMMA: Final = re.compile(r"[^,;\s]*+\s*+[,;]\s*+[^,;\s]*+\s*+(?:[,;]|$)")

_HEADER: Final = re.compile(
    r"[\"']?(?:query|query[_ ]?id|qid|topic|id|case|query[_ ]case|fragment|question)[\"']?\s*(?:[\s,;]|$)",
    re.IGNORECASE,
)

#: What is written in ASCII without a doubt: full-width letters, digits and marks, and the dashes of word processors.
_ASCII: Final = {
    **{ord("\uff01") + at: chr(0x21 + at) for at in range(94) if chr(0x21 + at).isalnum() or chr(0x21 + at) in "-._"},
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
}
_NO_WIDTH: Final = re.compile("[\x00-\x1f\x7f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


@dataclass(slots=True, eq=False)
class Row:
    """A content line."""

    line: int | None  # its number, from 1; None for what did not stand in a line
    raw: str  # the line as it stands, without its end and without byte order marks before it
    texts: list[str]  # its words, in ASCII where they can be
    # the column, from 1, where each word begins; None if there are single blanks between them
    starts: Sequence[int] | None = None
    # the columns of the task as ``--fix`` writes them; None if the line is not understood
    cells: list[str] | None = None
    taken: Sequence[int | None] = ()  # which word each of these columns is; None for one that is missing
    score: float | None = None  # the score, if the row has a column of scores with a number in it
    doubted: bool = False  # whether one of its ids is not as it should be, so that nothing more is to be said of it
    dropped: bool = False  # whether ``--fix`` leaves the line out

    def take(self, *words: int | None) -> None:
        """Understand the line: its columns are these words; what is missing is empty."""
        self.taken = words
        self.cells = ["" if at is None else self.texts[at] for at in words]

    def place(self, cell: int) -> tuple[int | None, int | None]:
        """Line and column of one of its columns."""
        word = self.taken[cell]
        return self.line, self.column(len(self.texts) if word is None else word)

    def column(self, word: int) -> int:
        """The column of a word; behind the last word, where the next would have begun but for a blank."""
        if word == len(self.texts):
            return self.column(word - 1) + len(self.texts[-1])
        return self.starts[word] if self.starts else 1 + word + sum(map(len, self.texts[:word]))

    def __str__(self) -> str:
        return " ".join(self.texts)


class Header(NamedTuple):
    """A first line that names columns: its number, and what it says."""

    line: int
    text: str

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        separator = next((mark for mark in "\t,;" if mark in self.text), None)
        return [name.strip("\"' ") for name in self.text.split(separator)]


def rows_of(
    lines: Iterable[str], add: Add, columns: Mapping[str, str] | None = None
) -> tuple[list[Row], Header | None]:
    """The content lines as rows, and the header before them; ``columns`` are names that the user gave to columns."""
    rows: list[Row] = []
    header: Header | None = None
    aside: list[tuple[str, int, int | None, str | None]] = []  # what is none of them; of no interest if all is
    comments = Comments()
    for number, line in enumerate(lines, start=1):
        words = line.split(" ")
        if rows and not comments.opened and _is_regular(line, words):
            rows.append(Row(number, line, words))
            continue
        plain = _WIDE_BLANK.sub(" ", line)
        inside = comments.opened
        content = next((rest for _, rest in content_lines(plain, "", number, comments)), "")
        start = len(plain.rstrip(BLANKS)) - len(content)
        if said := line[:start].strip(BLANKS):
            aside.append(("comment", number, None, said))
        elif not content and not inside:
            aside.append(("blank-line", number, None, None))
        if not rows and _names_columns(content, columns or {}):  # above the rows, each time
            header = header or Header(number, content)
        elif content and (row := _row(line, plain, start, content, number, add)):
            rows.append(row)
    if comments.opened:
        remedy = "a comment opens here with /* and never ends: close it with */"
        add("unreadable", comments.opened, remedy=remedy)
        aside = [found for found in aside if found[1] < comments.opened]
    if rows:
        for found in aside:
            add(*found)
    elif not comments.opened:
        add("empty")
    return rows, header


def _names_columns(content: str, columns: Mapping[str, str]) -> bool:
    names = Header(0, content).names
    return bool(_HEADER.match(content)) or vocabulary.is_header(names) or vocabulary.has_given(names, columns)


def _is_regular(line: str, words: Sequence[str]) -> bool:
    """Whether nothing is to be said of a line but that it has these words."""
    return (
        all(words)
        and line.isascii()
        and line.isprintable()
        and line[0] not in "#/"
        and "," not in line
        and ";" not in line
    )


def _row(line: str, plain: str, start: int, content: str, number: int, add: Add) -> Row | None:
    """A content line, and what is wrong with its characters and blanks."""
    pattern = _COMMA_WORD if _BY_COMMA.match(content) else _WORD
    matches = list(pattern.finditer(plain, start))
    words = [(in_ascii(match[0]), match.start() + 1) for match in matches]
    words = [word for word in words if word[0]]
    if not words:
        add("blank-line", number, found=content)
        return None
    if match := _CONTROL.search(line, start):
        add("control", number, match.start() + 1, match[0])
    if match := _NO_ASCII.search(line, start):
        add("not-ascii", number, match.start() + 1, match[0])
    gaps = [(before.end(), after.start()) for before, after in pairwise(matches)]
    leading = line[:start] if not line[:start].strip(BLANKS) else ""
    if wrong := next((gap for gap in gaps if plain[slice(*gap)] != " "), None):
        add("separator", number, wrong[0] + 1, line[slice(*wrong)])
    elif leading:
        add("separator", number, 1, leading)
    if line.rstrip(BLANKS) != line:
        add("trailing-blank", number, len(line.rstrip(BLANKS)) + 1)
    return Row(number, line.lstrip("\ufeff"), [text for text, _ in words], [column for _, column in words])


def in_ascii(text: str) -> str:
    """A word with full-width letters and digits in ASCII, and without what cannot be seen."""
    return text if text.isascii() and text.isprintable() else _NO_WIDTH.sub("", text).translate(_ASCII)


#: bytes that are no UTF-8, as ``surrogateescape`` decodes them
NO_UTF8: Final = re.compile("[\udc80-\udcff]")

_LINE_END: Final = re.compile(rf"\r++\n?|\n|{SEPARATORS.pattern}")
_ASCII_LINE_END: Final = re.compile(r"\r++\n?|\n")


def text_of(raw: bytes, add: Add) -> str:
    """The text; bytes that are no UTF-8 are lone surrogates in it."""
    if codec := utf16(raw):
        add("utf-16", 1, 1)
        return raw.decode(codec, errors="replace").removeprefix("\ufeff")
    if raw.startswith(BOM):
        add("bom", 1, 1)
    text = raw.removeprefix(BOM).decode("utf-8", errors="surrogateescape")
    if NO_UTF8.search(text):
        for number, line in enumerate(text.split("\n"), start=1):
            for byte in NO_UTF8.finditer(line):
                add("not-utf8", number, byte.start() + 1, f"\\x{ord(byte[0]) & 0xFF:02x}")
    return text


def lines_of(text: str, add: Add, *, of_json: bool = False) -> tuple[list[str], bool]:
    """The lines, and whether the last one has its line end; in JSON, Unicode's separators are part of a line."""
    if "\r" not in text and (of_json or not SEPARATORS.search(text)):
        lines = text.split("\n")
    else:
        lines, at = [], 0
        for end in (_ASCII_LINE_END if of_json else _LINE_END).finditer(text):
            # of carriage returns without a newline behind them, each ends a line, as Unicode's separators do
            returns = 0 if end[0].endswith("\n") else len(end[0])
            lines += [text[at : end.start()], *[""] * (returns - 1)]
            at = end.end()
            for number in range(len(lines) - returns + 1, len(lines) + 1):
                add("carriage-return" if end[0][0] == "\r" else "line-separator", number)
            if end[0] != "\n" and not returns:
                add("crlf", len(lines))
        lines.append(text[at:])
    ended = not lines[-1]
    return (lines[:-1] if ended else lines), ended
