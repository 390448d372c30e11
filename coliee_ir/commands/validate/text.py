"""The bytes of a submission as lines of text, with what is wrong with its encoding and line ends among the findings."""

from __future__ import annotations

import re
from typing import Final

from coliee_adapters.files.source import BOM
from coliee_adapters.forms.lines import SEPARATORS
from coliee_ir.commands.validate.findings import Add
from coliee_ir.inbox.tasks import utf16

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
