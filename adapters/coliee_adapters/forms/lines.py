"""The content lines of column files: runs, qrels and label lists, without blank lines and comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.records import wrong_id

#: tells of something that is tolerated: the kind of remark, and an example
Note = Callable[[str, str], object]

#: What stands between columns. Unicode's other spaces are part of a word, as in trec_eval.
BLANKS: Final = " \t\v\f\r"

#: what Windows programs put at the start of a text, and ``cat`` of such files at the start of a line
_MARK: Final = "\ufeff"

#: so many lines show what a file is; of so many first bytes the last line may be cut
_SHOWN: Final = 100
_CUT: Final = (1 << 16) - 1024

#: what some programs end a line or a paragraph with, and no evaluator reads as one: U+0085, U+2028, U+2029
SEPARATORS: Final = re.compile("[\x85\u2028\u2029]")

_WORD: Final = re.compile(r"\S+", re.ASCII)
_BETWEEN: Final = re.compile(f"[{BLANKS}]+")


class Comments:
    """Whether a ``/* … */`` comment is open: what one block of a file hands to the next. It notes comment lines too."""

    __slots__ = ("kind", "note", "opened")

    def __init__(self, note: Note | None = None, kind: str = "comment") -> None:
        #: the line where the open comment began; 0 if none is open
        self.opened = 0
        self.note, self.kind = note, kind

    def check_closed(self, name: str) -> None:
        """Raise InputError if the file ended inside a comment; the line is that of its opening."""
        if self.opened:
            raise InputError(
                "syntax", name, "a comment opens with /* and never ends", line=self.opened, remedy="close it with */"
            )


def content_lines(
    text: str, name: str, first_line: int = 1, comments: Comments | None = None
) -> Iterator[tuple[int, str]]:
    r"""The lines that hold something, with their 1-based numbers, without surrounding ASCII whitespace.

    Left out are blank lines, lines that start with ``#``, and ``/* … */`` comments that start a line, over one
    line or several. What follows the end of such a comment on its line is content. Byte order marks are taken off
    where a line starts.

    >>> list(content_lines("/* a sample */\n\n# of a run\n 001 013 univABC \n", "run.txt"))
    [(4, '001 013 univABC')]
    """
    state = comments or Comments()
    for number, line in enumerate(text.split("\n"), start=first_line):
        rest = whole = line.strip(BLANKS).lstrip(_MARK + BLANKS)
        begin = 0  # where the next comment or the content begins; a line can hold very many comments
        while begin < len(rest) and (state.opened or rest.startswith("/*", begin)):
            if not state.opened:
                state.opened, begin = number, begin + 2
            end = rest.find("*/", begin)
            begin = len(rest) if end < 0 else end + 2
            if end >= 0:
                state.opened = 0
                begin = blanks.end() if (blanks := _BETWEEN.match(rest, begin)) else begin
        rest = rest[begin:]
        if rest and not rest.startswith("#"):
            if name and _MARK in rest:
                problem = "a byte order mark within a line"
                raise InputError(
                    "encoding", name, problem, line=number, found=rest, remedy="delete the character U+FEFF"
                )
            if name and not rest.isascii() and (match := SEPARATORS.search(rest)) and _are_lines(rest):
                problem = f"a Unicode line separator (U+{ord(match[0]):04X}) where a line should end"
                remedy = "end lines with newlines, as `coliee-ir validate --fix` does"
                raise InputError("encoding", name, problem, line=number, found=rest, remedy=remedy)
            yield number, rest
        elif whole and state.note is not None:
            state.note(state.kind, f"line {number}: {whole}")
    if comments is None:
        state.check_closed(name)


@lru_cache(maxsize=4)  # every form asks it of one head
def first_lines(head: bytes) -> tuple[str, ...]:
    """The first content lines of a file with these first bytes; none of JSON and XML."""
    if head.lstrip().startswith((b"{", b"[", b"<")):
        return ()
    if len(head) > _CUT and (whole := head[: head.rfind(b"\n") + 1]).strip():
        head = whole
    text = head.decode("utf-8", errors="replace").replace("\r", "\n")  # of blank lines there may be more
    return tuple(line for _, line in islice(content_lines(text, "", comments=Comments()), _SHOWN))


def _are_lines(line: str) -> bool:
    """Whether what stands between ``SEPARATORS`` has the same number of columns, and several: an id can have them."""
    parts = re.split(rf"(?<=[^{BLANKS}]){SEPARATORS.pattern}(?=[^{BLANKS}])", line)
    columns = {len(split_columns(part.strip(BLANKS))) for part in parts}
    return len(parts) > 1 and len(columns) == 1 and columns != {1}


def join_columns(*columns: str) -> str:
    """A line of columns, single blanks between them."""
    line = " ".join(columns)
    for column in columns if line.split() != [*columns] else ():
        if not _WORD.fullmatch(column):
            raise UsageError("bad-id", f"{column!r} contains a blank; ids and run tags must be single words")
    if line.startswith(("#", "/*")):
        raise UsageError("bad-id", f"an id that starts like a comment cannot be written: {columns[0]!r}")
    return f"{line}\n"


def lines_of(before: Sequence[str], documents: Sequence[str], numbers: Sequence[Sequence[str]], *behind: str) -> str:
    """A line a document: the same columns before all of them, its numbers, the same columns behind."""
    if wrong_id([*before, *documents, *behind]) or before[0].startswith(("#", "/*")):
        each = zip(documents, *numbers, strict=True)
        # which says what is wrong, if it is
        return "".join([join_columns(*before, *values, *behind) for values in each])
    begin, end = " ".join([*before, ""]), " ".join(["", *behind]) + "\n"
    return "".join([begin + " ".join(values) + end for values in zip(documents, *numbers, strict=True)])


def counted(n: int, noun: str) -> str:
    """A count with its noun, in messages.

    >>> counted(1, "column"), counted(5, "column"), counted(2, "extra query"), counted(2, "query without documents")
    ('1 column', '5 columns', '2 extra queries', '2 queries without documents')
    """
    return f"{n} {noun if n == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """A noun in the plural, in messages.

    >>> plural("column"), plural("query without documents")
    ('columns', 'queries without documents')
    """
    return re.sub("query", "queries", noun, count=1) if "query" in noun else f"{noun}s"


def split_columns(line: str) -> list[str]:
    """The columns of a content line, which blanks and tabs separate."""
    return _BETWEEN.split(line)


def number_of(text: str) -> float | None:
    """The number that a text stands for, be it nan or inf; None if it stands for none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if "_" not in text and text.isascii() else None


def is_number(text: str) -> bool:
    """Whether a text stands for a number."""
    return number_of(text) is not None
