"""The content lines of column files: runs, qrels and label lists, without blank lines and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from coliee_adapters.errors import InputError, UsageError

#: What stands between columns. Unicode's other spaces are part of a word, as in trec_eval.
BLANKS: Final = " \t\v\f\r"

_WORD: Final = re.compile(r"\S+", re.ASCII)
_BETWEEN: Final = re.compile(f"[{BLANKS}]+")


class Comments:
    """Whether a ``/* … */`` comment is open: what one block of a file hands to the next."""

    __slots__ = ("opened",)

    def __init__(self) -> None:
        #: the line where the open comment began; 0 if none is open
        self.opened = 0

    def check_closed(self, name: str) -> None:
        """Raise InputError if the file ended inside a comment; the line is that of its opening."""
        if self.opened:
            raise InputError(
                name, "a comment opens with /* and never ends", line=self.opened, remedy="close it with */"
            )


def content_lines(
    text: str, name: str, first_line: int = 1, comments: Comments | None = None
) -> Iterator[tuple[int, str]]:
    r"""The lines that hold something, with their 1-based numbers, without surrounding ASCII whitespace.

    Left out are blank lines, lines that start with ``#``, and ``/* … */`` comments that start a line, over one
    line or several. What follows the end of such a comment on its line is content.

    Args:
        text: the text, its line ends as newlines.
        name: the file's name, for the error.
        first_line: the number of the text's first line, where it is a block of a longer file.
        comments: the state after the block before, which is updated; left out, the text is a whole file.

    Raises:
        InputError: the text is a whole file, and a comment in it is never closed.

    >>> list(content_lines("/* a sample */\n\n# of a run\n 001 013 univABC \n", "run.txt"))
    [(4, '001 013 univABC')]
    """
    state = comments or Comments()
    for number, line in enumerate(text.split("\n"), start=first_line):
        rest = line.strip(BLANKS)
        at = 0  # where the next comment or the content begins; a line can hold very many comments
        while at < len(rest) and (state.opened or rest.startswith("/*", at)):
            if not state.opened:
                state.opened, at = number, at + 2
            end = rest.find("*/", at)
            at = len(rest) if end < 0 else end + 2
            if end >= 0:
                state.opened = 0
                at = blanks.end() if (blanks := _BETWEEN.match(rest, at)) else at
        rest = rest[at:]
        if rest and not rest.startswith("#"):
            yield number, rest
    if comments is None:
        state.check_closed(name)


def refuse_mark(line: str, name: str, number: int) -> None:
    """Raise InputError if a line holds a byte order mark, which cannot be seen and would be part of an id."""
    if "\ufeff" in line:
        remedy = "remove it; only at the start of a line is one ignored"
        raise InputError(name, "a byte order mark (U+FEFF) within a line", line=number, found=line, remedy=remedy)


def join_columns(*columns: str) -> str:
    """A line of columns, single blanks between them.

    Raises:
        UsageError: a column is not one word, or the line would be read as a comment.
    """
    for column in columns:
        if not _WORD.fullmatch(column):
            raise UsageError(f"an id and a run tag are one word each, and {column!r} is not")
    if columns[0].startswith(("#", "/*")):
        raise UsageError(f"an id that starts like a comment cannot be written: {columns[0]!r}")
    return " ".join(columns) + "\n"


def counted(n: int, noun: str) -> str:
    """A count with its noun, in messages.

    >>> counted(1, "column"), counted(5, "column")
    ('1 column', '5 columns')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def split_columns(line: str) -> list[str]:
    """The columns of a content line, which blanks and tabs separate."""
    return _BETWEEN.split(line)
