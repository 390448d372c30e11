"""What can go wrong, as exceptions whose text is the sentence a user reads.

    ColieeError
     ├── UsageError         what was asked for does not exist or does not fit (measure, task, option)
     └── InputError         a file cannot be read as what it should be: file, line, what stood there, what to do
          └── MismatchError a gold and a run can both be read and do not belong together
     └── InternalError      an error of ours, met with one of several files, which stops no other

The command line prints text and kind (``kinds.py``) and exits with 2, or 70 after an error of ours. A function of
Python raises what is no error of ours as one of these; an error of ours as the exception that it is.
"""

from __future__ import annotations

import contextlib
import errno
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, Self

from coliee_adapters.kinds import ERRORS


class ColieeError(Exception):
    """Base of all errors of both packages.

    Args:
        kind: what sort of thing is wrong, a name of ``coliee_adapters.kinds.ERRORS``.
        message: the sentence.
    """

    def __init__(self, kind: str, message: str) -> None:
        ERRORS[kind]
        self.kind = kind
        #: the sentence, or the clause behind the place, for who may not see the gold; empty where it is the same
        self.others = ""
        super().__init__(kind, message)

    def __str__(self) -> str:
        return str(self.args[1])

    def with_text_for_others(self, sentence: str) -> Self:
        """The same, with what those are told who may not see the gold: nothing that only the gold holds."""
        self.others = sentence
        return self

    @property
    def for_others(self) -> str:
        """The text for those who may not see the gold: letters, public pages, bundles."""
        return self.others or str(self)


class UsageError(ColieeError):
    """What was asked for does not exist or does not fit; the text says what there is instead."""


class InputError(ColieeError):
    """A file cannot be read. The text names file, line, what stood there and what was expected.

    Args:
        kind: what sort of thing is wrong, a name of ``coliee_adapters.kinds.ERRORS``.
        path: the file as the user named it.
        problem: what is wrong, as a clause.
        line: 1-based line of the problem, if it has one.
        column: 1-based column of the problem, if it has one.
        found: the text that stood there; shown shortened and with control characters escaped.
        remedy: what was expected, or what to do.
    """

    def __init__(
        self,
        kind: str,
        path: str,
        problem: str,
        *,
        line: int | None = None,
        column: int | None = None,
        found: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.path, self.problem, self.line, self.column = path, problem, line, column
        self.found, self.remedy = found, remedy
        super().__init__(kind, problem)

    def __reduce__(self) -> tuple[object, ...]:
        again = partial(type(self), line=self.line, column=self.column, found=self.found, remedy=self.remedy)
        return again, (self.kind, self.path, self.problem), {"others": self.others}

    @property
    def for_others(self) -> str:
        """The text for those who may not see the gold, with the place."""
        return printable(f"{self.path}: {self.others}") if self.others else str(self)

    def __str__(self) -> str:
        place = self.path
        if self.line is not None:
            place += f", line {self.line}"
        if self.column is not None:
            place += f", column {self.column}"
        found = "" if self.found is None else f" (found {quoted(self.found)})"
        remedy = "" if self.remedy is None else f"; {self.remedy}"
        return printable(f"{place}: {self.problem}{found}{remedy}")


class MismatchError(InputError):
    """Gold and run share no query or no document: a score of zero would only hide it."""


class ScoreWarning(UserWarning):
    """A score may be another than the one that was meant: lost zeros, worst documents first, hardly a query answered.

    ``warnings.filterwarnings("ignore", category=coliee_ir.ScoreWarning)`` silences it; the remarks stay.
    """


class Place(NamedTuple):
    """Where something stands in a file whose parts are not all lines.

    Attributes:
        path: the file as the user named it.
        part: what kind of part: ``line``, ``record``, ``query``; empty for the whole file.
        name: which one: its number, or its id.
        line: finds its line, where that is another thing; asked only for an error.

    >>> str(Place("run.json", "record", 3)), str(Place("run.json", "line", 3).fault("empty", "it is empty"))
    ('record 3', 'run.json, line 3: it is empty')
    """

    path: str
    part: str = ""
    name: int | str = ""
    line: Callable[[], int | None] | None = None

    def __str__(self) -> str:
        return f"{self.part} {self.name}"

    def names(self, query: str, what: str) -> str:
        """A query and what it is about, as an example in a remark; the query once where it is the place.

        >>> Place("gold.json", "query", "001").names("001", "013"), Place("run.txt", "line", 3).names("001", "013")
        ('query 001: 013', 'line 3: 001 013')
        """
        return f"query {query}: {what}" if self.part == "query" else f"{self}: {query} {what}"

    def fault(self, kind: str, problem: str, found: str | None = None, remedy: str | None = None) -> InputError:
        """The error that something is wrong there."""
        if self.part == "line":
            return InputError(kind, self.path, problem, line=int(self.name), found=found, remedy=remedy)
        line = None if self.line is None else self.line()
        problem = f"{self}: {problem}" if self.part else problem
        return InputError(kind, self.path, problem, line=line, found=found, remedy=remedy)


class InternalError(ColieeError):
    """An error of ours, where one file of several is read or scored; the exception is its cause.

    Args:
        path: the file as the user named it.
        problem: the exception, in a line.
        trace: its traceback.
        cause: the exception itself; None where it could not travel between processes.
    """

    def __init__(self, path: str, problem: str, trace: str = "", cause: BaseException | None = None) -> None:
        self.path, self.problem, self.trace = path, problem, trace
        super().__init__("internal", problem)
        self.__cause__ = cause
        INTERNAL.append(self)

    @classmethod
    def of_exception(cls, path: str, error: BaseException) -> InternalError:
        """The error that an exception is, at a file or at none."""
        import traceback  # which nothing needs that goes well

        return cls(path, _one_line(error), "".join(traceback.format_exception(error)), error)

    def __reduce__(self) -> tuple[object, ...]:
        import pickle  # which a start does without

        cause = self.__cause__
        try:
            pickle.loads(pickle.dumps(cause))
        except Exception:  # any exception's own
            cause = None
        return type(self), (self.path, self.problem, self.trace, cause)

    def __str__(self) -> str:
        place = f"{self.path}: " if self.path else ""
        return printable(f"{place}internal error of coliee-ir ({self.problem}); please report it with its traceback")

    @property
    def for_others(self) -> str:
        """The text for those who did not run the program."""
        return printable(f"{f'{self.path}: ' if self.path else ''}not scored, because of an error in the program")

    @property
    def original(self) -> BaseException:
        """What a function raises: the exception itself, with a note of where it was met."""
        if (cause := self.__cause__) is None:
            self.add_note(self.trace)
            return self
        cause.add_note(str(self) if cause.__traceback__ is not None else f"{self}\n{self.trace}")
        return cause


#: the last errors of ours that were met, wherever: the command line reports each
INTERNAL: Final = deque[InternalError](maxlen=20)


def _one_line(error: BaseException) -> str:
    """The name of an exception, and the first line of what it says."""
    return ": ".join([type(error).__name__, *str(error).splitlines()[:1]])


#: what no damaged file but a mistake of ours raises, where a line of ours does
_MISTAKES: Final = (TypeError, AttributeError, KeyError, IndexError, NameError, AssertionError, NotImplementedError)


def _is_ours(error: Exception) -> bool:
    """Whether an exception is a mistake in a line of ours, and not what a library says of a file."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    module = "" if frame is None else str(frame.tb_frame.f_globals.get("__name__"))
    return isinstance(error, _MISTAKES) and module.startswith(("coliee_adapters", "coliee_ir"))


def _out_of_memory(path: str) -> InputError:
    return InputError(
        "too-large", path, "there is not enough memory for this file", remedy="free some memory, or check the file"
    )


@contextlib.contextmanager
def reading_errors_as_input(path: str) -> Iterator[None]:
    """Make an InputError of what goes wrong while one file is opened and read: it stops no other.

    It stands around opening and reading only; what comes after is ``errors_as_coliee``.
    """
    try:
        yield
    except ColieeError:
        raise
    except MemoryError:
        raise _out_of_memory(path) from None
    except RecursionError:
        raise InputError(
            "too-large", path, "the file is nested too deeply to be read", remedy="check the program that wrote it"
        ) from None
    except Exception as error:
        if _is_ours(error):
            raise InternalError.of_exception(path, error) from error
        raise InputError(
            "damaged", path, f"cannot be read ({_one_line(error)})", remedy="pack, write or download it again"
        ) from error


@contextlib.contextmanager
def errors_as_coliee(path: str) -> Iterator[None]:
    """Make a ColieeError of what goes wrong while something is done with one of several files: it stops no other."""
    try:
        yield
    except ColieeError:
        raise
    except MemoryError:
        raise _out_of_memory(path) from None
    except OSError as error:
        if error.errno in DISK_FULL:
            raise disk_full(path, error) from None
        raise InputError("cannot-read", path, f"a file cannot be read or written ({error.strerror or error})") from None
    except Exception as error:
        raise InternalError.of_exception(path, error) from error


def without_frames(error: ColieeError) -> ColieeError:
    """An error that is to be kept: its frames would keep all that was being read when it was raised."""
    chained: BaseException | None = error
    while chained is not None:
        chained.__traceback__, chained = None, chained.__context__
    return error


@contextlib.contextmanager
def ignoring_unreadable() -> Iterator[None]:
    """Pass over what says that a file is not what it might be; want of memory and errors of ours do not say so."""
    try:
        yield
    except ColieeError as error:
        if error.kind in ("too-large", "internal"):
            raise


#: errors of writing only: a full disk, a quota, a limit on files
DISK_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def disk_full(path: str, error: OSError) -> InputError:
    """The error that what a file holds finds no room among the temporary files."""
    import tempfile

    problem = f"cannot be stored in {tempfile.tempdir or 'a temporary folder'} ({error.strerror or error})"
    return InputError("cannot-write", path, problem, remedy="set TMPDIR to a folder with enough space, or name a file")


#: What a workflow's runner would take for a command: ``::name::`` at the start of a line, ``##[name]`` anywhere.
_COMMAND: Final = r"^(\s*):(?=:)|(?<=#)#(?=\w*\[)"


#: what may let somebody in, of an address: the user with a password; the query with a key or a signature
_USER: Final = r"(?<=://)[^\s/]+@"
_QUERY: Final = r"(://[^\s?]+\?)[^\s'\"]+"


def without_credentials(text: str) -> str:
    """Text without the credentials of the addresses in it.

    >>> without_credentials("https://ann:secret@host/run.txt?X-Amz-Signature=123: there is no such file")
    'https://***@host/run.txt?… there is no such file'
    """
    if "://" not in text:
        return text
    return re.sub(_QUERY, r"\1…", re.sub(_USER, "***@", text))


def printable(text: str) -> str:
    r"""Text that is safe on a terminal and in a workflow's log, for one line of either.

    Control characters, surrogates, characters that are not seen, and what would make it a command to the workflow's
    runner, become escapes; the credentials of addresses are left out.

    >>> printable("a\x1b[31mb")
    'a\\x1b[31mb'
    >>> printable("::error::x")
    '\\x3a:error::x'
    """
    text = without_credentials(text)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    if "::" not in text and "##" not in text:
        return text
    return re.sub(_COMMAND, lambda match: rf"{match[1] or ''}\x{ord(match[0][-1]):x}", text)


#: so many characters of a column are looked at: a letter and the marks on it
_MARKS: Final = 4


def quoted(text: str, limit: int = 60) -> str:
    """The text in quotes, printable, and shortened to at most ``limit`` columns.

    >>> quoted("000001 000018")
    "'000001 000018'"
    """
    return f"'{shortened(text, limit)}'"


def shortened(text: str, limit: int = 60) -> str:
    """The text, printable, and shortened to at most ``limit`` columns of a terminal.

    >>> shortened("000001 000018", 10)
    '000001 00…'
    """
    return cut_to_width(printable(text[: _MARKS * limit + 1]), limit)


def listed(names: Sequence[str], most: int) -> str:
    """Names, and how many more there are than can be shown.

    >>> listed(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    return ", ".join(names[:most]) + f" and {len(names) - most} more" * (len(names) > most)


# How many columns of a terminal a text takes: wide characters, such as kanji, take two, and marks that stand on others
# none. rich has the tables for it, which are loaded for text that is not ASCII.


def width(text: str) -> int:
    """The number of columns that a text takes.

    >>> width("abc"), width("民法"), width("Điê\u0300u")
    (3, 4, 4)
    """
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut_to_width(text: str, columns: int) -> str:
    """A text that takes at most so many columns; of a longer one the beginning, letters with their marks, and ``…``.

    >>> cut_to_width("民法第九十六条", 8), cut_to_width("कानून", 2)
    ('民法第…', 'का…')
    """
    if width(text) <= columns:
        return text
    fitting = bisect_right(range(len(text)), columns - 1, key=lambda i: width(text[: i + 1]))
    return text[:fitting] + "…"


def padded_to_width(text: str, columns: int, *, right: bool = False) -> str:
    """A text with blanks behind it, or before it, so that it takes so many columns."""
    blanks = " " * (columns - width(text))
    return blanks + text if right else text + blanks
