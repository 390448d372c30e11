"""Opening files: a path, ``-``, compressed or not; every fault named."""

from __future__ import annotations

import contextlib
import copy
import enum
import functools
import io
import os
import re
import stat
import sys
import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, Place, disk_full, reading_errors_as_input, without_credentials
from coliee_adapters.files import archives, file_kinds, limits, remote, trial
from coliee_adapters.files.compressed import DAMAGED, compression_of, without_compression_ending

BOM: Final = b"\xef\xbb\xbf"
_HEAD: Final = 1 << 16
_PIECE: Final = 1 << 20

_MARKS: Final = re.compile(rb"^(?:\xef\xbb\xbf)+", re.MULTILINE)

ENDINGS: Final = (".json", ".jsonl", ".csv", ".tsv", ".txt", ".xml", ".parquet")

PathLike = str | os.PathLike[str]


class PathKind(enum.StrEnum):
    """What a path is, found by one look."""

    TEXT = "text"  # golds, runs, answers, lists, logs: the forms tell them apart; also whatever a stream delivers
    TABLE = "table"  # Parquet
    ARCHIVE = "archive"
    FOLDER = "folder"
    EMPTY = "empty"
    BINARY = "binary"  # no form of ours; the error says which
    ABSENT = "absent"  # not there, or it cannot be opened or unpacked; the error says why


class Look(NamedTuple):
    """What was seen of a file."""

    kind: PathKind  # what it is
    fault: InputError | None = None  # why it cannot be read as text or a table; None if it can
    # whether who checks files for their faults may read it all the same: it is empty, or holds NUL
    is_readable_as_table: bool = False
    has_more: bool = False  # whether there may be more than the head


class Source:
    """Where bytes come from: a file, compressed or not, or standard input; of what is no file, what it is.

    It is made of a path without looking, and opened when something is asked of it. It can be read more than once.

    Standard input, or a pipe, is spooled to an unnamed temporary file at first use, so that it too can be read twice
    (once to find out what it is, once to read it) without being held in memory. A file that changes between its first
    opening and the end of a later reading is an error, in whatever process that reading goes on: its parts would not
    belong together.
    """

    def __init__(self, path: PathLike, *, lenient: bool = False, columns: Mapping[str, str] | None = None) -> None:
        self.path = path_of(path)
        self.lenient = lenient
        self.columns = dict(columns or {})
        #: the form that was found in the first bytes, as a gold or a run with columns of these names
        self.forms: dict[object, Any] = {}
        self.name = "<stdin>" if self.path == "-" else without_credentials(self.path)
        self._spool: BinaryIO | None = None
        self._state: remote.State | None = None
        self._seen: Look | None = None
        #: whether a process of its own could read it to its end, of a table; None before that was tried
        self.vetted: bool | None = None
        #: where the file was found, if it has come from another process
        self._machine = ""
        #: the name of its compression; empty where it has none
        self._compression = ""

    @classmethod
    def of(cls, path: PathLike | Source, columns: Mapping[str, str] | None = None) -> Source:
        """A path as a Source; a Source as it is, with the names of columns where some are given."""
        if not isinstance(path, Source):
            return cls(path, columns=columns)
        if columns:
            path.columns = dict(columns)
        return path

    @functools.cached_property
    def limits(self) -> limits.Limits:
        """What holds for this file."""
        return limits.current()

    @functools.cached_property
    def is_remote(self) -> bool:
        """Whether it lies elsewhere."""
        return remote.is_remote(self.path)

    @functools.cached_property
    def _place(self) -> Path:
        """Where the bytes lie."""
        return Path(archives.path_of_bytes(self.path))

    @functools.cached_property
    def is_stream(self) -> bool:
        """Whether it can be read once only: standard input, a pipe, a file of the web."""
        if self.is_remote:
            return remote.is_web(self.path) or remote.state(self.path).size is None
        try:
            return self.path == "-" or (self._place.exists() and not self._place.is_file())
        except (OSError, ValueError):  # no name that a file can have, as its opening will say
            return False

    @property
    def kind(self) -> PathKind:
        """What the path is. A stream is not read for that: what it holds, its reading finds."""
        if self._seen is None and not self.is_folder and not self.is_remote:
            with contextlib.suppress(InputError, OSError, ValueError):  # of which the look will say more
                if self.is_stream:
                    return PathKind.TEXT
        return self.look().kind

    @property
    def is_folder(self) -> bool:
        """Whether it leads to a folder, without opening what does not."""
        return self._seen.kind is PathKind.FOLDER if self._seen is not None else is_folder(self.path)

    def look(self) -> Look:
        """What is seen of it: of a file the first bytes, at the first call."""
        if (refused := trial.refusal(self.path)) is not None:
            return Look(PathKind.BINARY, refused)
        if self._seen is None:
            self._seen = self._look_once()
        return self._seen

    def _look_once(self) -> Look:
        limits.current()  # refuses what is no number, before anything is opened
        try:
            with self._errors_as_input():
                if not self.path:
                    raise InputError(
                        "no-file", "''", "an empty file name", remedy="name a file; is a shell variable empty?"
                    )
                if is_folder(self.path):
                    fault = InputError("not-a-file", self.name, "this is a directory", remedy="name the file in it")
                    return Look(PathKind.FOLDER, fault)
                head = self._begin()
        except InputError as error:
            return Look(PathKind.ABSENT, error)
        goes_on = len(head) == _HEAD
        if not without_marks(head).strip():
            fault = InputError("empty", self.name, "the file is empty", remedy="give a file with content")
            return Look(PathKind.EMPTY, fault, is_readable_as_table=True, has_more=goes_on)
        kind, fault_found = self._kind_and_fault(head)
        return Look(kind, fault_found, kind is PathKind.TEXT, goes_on)

    def _kind_and_fault(self, head: bytes) -> tuple[PathKind, InputError | None]:
        """What a file with these first bytes is, and why it cannot be read as text or a table."""
        if (file_kind := file_kinds.kind_of(head)) is None:
            return PathKind.TEXT, _garbled(head, self.name)
        kind, remedy = PathKind.BINARY, file_kind.remedy
        if file_kind in ((file_kinds.TAR,) if self._compression else file_kinds.ARCHIVES):
            kind = PathKind.ARCHIVE
            if not self.is_remote and not self.is_stream:
                try:
                    archives.contents(outer := archives.enclosing_archive(self.path))  # which may have more to say
                    if (inner := archives.unpacking_error(self.path)) is not None:
                        return kind, inner
                except InputError as error:
                    return kind, error
                if outer == self.path:
                    remedy = "unpack it, or name the file in it: ARCHIVE/FILE"
        elif not self._compression and file_kind is file_kinds.PARQUET:
            return PathKind.TABLE, None  # only who asks for text is refused
        return kind, InputError("not-text", self.name, f"this is {file_kind.name}", remedy=remedy)

    def check(self) -> None:
        """See that it can be read as text or a table."""
        seen = self.look()
        if seen.fault is not None and not (self.lenient and seen.is_readable_as_table):
            raise copy.copy(seen.fault)

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: the name and the file's state, not its first bytes."""
        if not self.is_remote and self.is_stream:
            raise InputError("not-a-file", self.name, "a pipe cannot be sent to another process", remedy="name a file")
        self.look()  # at the place of a file that was not opened here, a worker may have another one
        state = {**vars(self), "_spool": None, "forms": {}, "limits": self.limits}
        if not self.is_remote:  # a worker may have another working directory
            with contextlib.suppress(InputError):
                state |= {"_place": self._place.absolute(), "_machine": self._machine or this_machine()}
        return state

    @property
    def _reading_machine(self) -> str:
        """The machine that reads the file, if it is not the one that found it."""
        return f" on {this_machine()}" if self._machine not in ("", this_machine()) else ""

    @property
    def stem(self) -> str:
        """The file's name without folder and ending: what a run without a tag is called.

        Only endings of known forms are taken off: in ``task3.ALPHA`` the last word is the run's name.
        """
        name = without_compression_ending(Path(self.name.partition("?")[0] if self.is_remote else self.name).name)
        return (name.rpartition(".")[0] if name.lower().endswith(ENDINGS) else "") or name

    @property
    def is_file(self) -> bool:
        """Whether the bytes lie in a plain file, of which parts can be read."""
        self.look()
        return not self._compression and not self.is_stream

    def head(self) -> bytes:
        """The first 64 KiB, decompressed, without byte order marks."""
        self.check()
        return without_marks(self._begin())

    def _begin(self) -> bytes:
        return self._first() if self.is_stream else _head_of(self)

    def _first(self) -> bytes:
        with self._stream() as stream, self._errors_as_input():
            return stream.read(_HEAD)

    @property
    def has_more(self) -> bool:
        """Whether there may be more than the head."""
        return self.look().has_more

    def sha256(self) -> str:
        """SHA-256 of the file as it lies there."""
        return sha256_of(self._place)

    @functools.cached_property
    def start(self) -> bytes:
        """What files of one content share, from the first bytes; empty for what is not a plain file."""
        import hashlib

        with contextlib.suppress(InputError, OSError, ValueError):
            if not self.is_stream and not self.is_folder:
                return hashlib.sha256(_head_of(self)).digest()
        return b""

    def digest(self) -> bytes:
        """What two files share only if their content, unpacked, is the same; empty for what cannot be read."""
        import hashlib

        digest = hashlib.sha256()
        with contextlib.suppress(InputError), self._stream() as stream:
            while piece := self._read(stream, _PIECE):
                digest.update(piece)
            return digest.digest()
        return b""

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """A binary stream from the first byte, decompressed."""
        self.check()
        with self._stream() as stream:
            yield stream

    @contextlib.contextmanager
    def _stream(self) -> Iterator[BinaryIO]:
        """The same, whatever the first bytes are."""
        with contextlib.ExitStack() as stack:
            with self._errors_as_input():
                raw: BinaryIO
                if self.is_stream:
                    raw = self._spooled()
                    raw.seek(0)
                else:
                    raw = stack.enter_context(remote.opened(self.path) if self.is_remote else self._place.open("rb"))
                    self._check_unchanged(raw)
                compression = compression_of(raw)
                self._compression = "" if compression is None else compression.name
                stream = raw if compression is None else stack.enter_context(compression.unpacked(raw, self.name))
            yield stream
            if not self.is_stream:
                with self._errors_as_input():
                    self._check_unchanged(raw)

    def _check_text(self) -> None:
        """Refuse a file that is no text where text is asked for."""
        self.check()
        if self.look().kind is PathKind.TABLE:
            raise InputError(
                "not-text", self.name, "this is a Parquet file, and text is expected", remedy=file_kinds.PARQUET.remedy
            )

    @property
    def size(self) -> int:
        """How many bytes the plain file has; 0 where they do not lie in one."""
        self.look()
        return (self._state.size or 0) if self._state is not None and self.is_file else 0

    @property
    def packed_size(self) -> int:
        """How many bytes its file takes, which is not opened for that; 0 of a stream, and of what is not there."""
        try:
            if self.is_stream:
                return 0
            return remote.state(self.path).size or 0 if self.is_remote else self._place.stat().st_size
        except (OSError, ValueError, InputError):
            return 0

    def blocks(
        self, size: int, start: int = 0, stop: int | None = None, *, longest: int | None = None
    ) -> Iterator[bytes]:
        """The bytes in pieces of about ``size`` that end where lines end; the last may lack its newline.

        Byte order marks at the start of a line are left out: of files that were joined each may have had one.
        """
        longest = self.limits.line if longest is None else longest
        self._check_text()
        with self.open() as stream:
            rest: list[bytes] = []  # of a line that has not ended yet
            n_rest = 0  # bytes in it
            done = start
            if start:
                stream.seek(start)
            left = None if stop is None else stop - start
            while True:
                piece = self._read(stream, size if left is None else min(size, left))
                if left is not None:
                    left -= len(piece)
                if not piece:
                    break
                cut = piece.rfind(b"\n") + 1
                if cut:
                    block = b"".join((*rest, memoryview(piece)[:cut]))
                    self._check_lines(block, longest, done)
                    yield without_marks(block)
                    done += len(block)
                    n_rest = len(piece) - cut
                    rest = [piece[cut:]] if n_rest else []
                else:
                    rest.append(piece)
                    n_rest += len(piece)
                    if n_rest > longest:
                        self._check_lines(b"".join(rest), longest, done)
            if rest:
                if not self.is_stream:  # which may be why the last line is cut
                    self._check_unchanged(stream)
                block = b"".join(rest)
                self._check_lines(block, longest, done)
                yield without_marks(block)

    def text(self, *, columns: bool = False) -> str:
        """All of it as text, without byte order marks at the start of a line; line ends become newlines."""
        raw = self.raw()
        if b"\r" in raw:
            raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if columns:
            self._check_lines(raw, self.limits.line)
        return decode(without_marks(raw), self.name)

    def raw(self, share: int = 1) -> bytes:
        """All of it as it stands, decompressed; ``share`` is by how much less of it may be held than of others."""
        self._check_text()
        most = self.limits.whole // share
        pieces: list[bytes] = []
        size = self.size
        with self.open() as stream:
            while size <= most and (piece := self._read(stream, _PIECE)):
                pieces.append(piece)
                size = max(size, stream.tell())
        if size > most:
            raise InputError(
                "too-large",
                self.name,
                f"the file is larger than {limits.size(most)}, too large to be held in this machine's memory",
                remedy=f"write a run as JSON Lines or in columns, or raise {limits.variable('whole')}",
            )
        with self._errors_as_input():
            return b"".join(pieces)

    def _read(self, stream: BinaryIO, size: int) -> bytes:
        """The next bytes, as long as compressed data does not grow beyond the limits."""
        with self._errors_as_input():
            piece = stream.read(size)
            packed: int | None = getattr(stream, "packed", None)
            if packed is None:
                return piece
            unpacked = stream.tell()
        self.limits.check_growth(self.name, f"the {self._compression} data", unpacked, packed)
        return piece

    def _check_lines(self, raw: bytes, longest: int, before: int = 0) -> None:
        """Refuse a line that is too long."""
        start = 0
        while len(raw) - start > longest:
            end = raw.rfind(b"\n", start, start + longest + 1)
            if end < 0:
                line = self._newlines(before) + raw.count(b"\n", 0, start) + 1
                found = raw[start : start + 80].partition(b"\n")[0].decode("utf-8", errors="replace")
                limit = "line" if longest == self.limits.line else "whole"
                raise InputError(
                    "too-large",
                    self.name,
                    f"the line is longer than {limits.size(longest)}",
                    line=line,
                    found=found,
                    remedy=f"check for a missing line end, or raise {limits.variable(limit)}",
                )
            start = end + 1

    def _newlines(self, stop: int) -> int:
        """How many lines end in the first bytes; these are counted only where a fault is to be placed."""
        n = 0
        with self.open() as stream:
            while stop > 0 and (piece := self._read(stream, min(stop, _PIECE))):
                n += piece.count(b"\n")
                stop -= len(piece)
        return n

    def _check_unchanged(self, raw: BinaryIO) -> None:
        """Compare a file with what it was when it was first opened."""
        if self.is_remote:
            state = remote.state(self.path)
        else:
            status = os.fstat(raw.fileno())
            state = remote.State(status.st_size, f"{status.st_ino} {status.st_mtime_ns}")
        if self._state is None:
            self._state = state
        elif state != self._state:
            problem, remedy = "the file changed while it was being read", "try again when nothing writes to it any more"
            if self._reading_machine:
                problem += f", or is another one{self._reading_machine}"
            raise InputError("no-file", self.name, problem, remedy=remedy)

    def _spooled(self) -> BinaryIO:
        if self._spool is None:
            import tempfile  # takes a while to load, and plain files do without

            spool = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - lives as long as the source
            weakref.finalize(self, spool.close)
            if self.path != "-":
                with remote.opened(self.path) if self.is_remote else Path(self.path).open("rb") as pipe:
                    self._copy(pipe, spool)
            elif sys.stdin is None:
                raise InputError(
                    "cannot-read", self.name, "standard input is closed", remedy="name a file, or pipe one in"
                )
            else:
                self._copy(sys.stdin.buffer, spool)
            self._spool = spool
        return self._spool

    def _copy(self, stream: BinaryIO, spool: BinaryIO) -> None:
        piece = stream.read(_PIECE)
        if (
            compression_of(io.BytesIO(piece)) is None
            and (fault_found := self._kind_and_fault(piece))[0] is not PathKind.TEXT
            and fault_found[1]
        ):
            raise fault_found[1]  # /dev/zero does not end
        while piece:
            if spool.tell() + len(piece) > self.limits.unpacked:
                raise InputError(
                    "too-large",
                    self.name,
                    f"more than {limits.size(self.limits.unpacked)} were piped in",
                    remedy=f"name a file, or raise {limits.variable('unpacked')}",
                )
            try:
                spool.write(piece)
                spool.flush()
            except OSError as error:
                raise disk_full(self.name, error) from None
            piece = stream.read(_PIECE)

    @contextlib.contextmanager
    def _errors_as_input(self) -> Iterator[None]:
        with reading_errors_as_input(self.name):
            try:
                yield
            except FileNotFoundError:
                if self._reading_machine:
                    problem, remedy = (
                        f"there is no such file{self._reading_machine}",
                        "workers must find it under the same path",
                    )
                elif self._state is not None:
                    problem, remedy = "the file was removed while it was being read", "restore it and try again"
                else:
                    problem, remedy = "there is no such file", "check the path"
                raise InputError("no-file", self.name, problem, remedy=remedy) from None
            except DAMAGED as error:
                raise InputError(
                    "damaged",
                    self.name,
                    f"the {self._compression} data is damaged or cut short ({error})",
                    remedy="compress or download it again",
                ) from None
            except OSError as error:
                raise InputError(
                    "cannot-read", self.name, f"cannot be read{self._reading_machine} ({error.strerror or error})"
                ) from None


@functools.lru_cache(maxsize=64)
def _head_of(source: Source) -> bytes:
    """The first bytes of a file that can be read again; of many thousands only the last are held."""
    return source._first()


def this_machine() -> str:
    """The name of this machine."""
    import platform  # takes a while to load

    return platform.node()


def has_mark(raw: bytes) -> bool:
    """Whether a byte order mark is among the bytes; one byte is looked for many times as fast as three."""
    return BOM[:1] in raw and BOM in raw


def without_marks(raw: bytes) -> bytes:
    """Lines without the byte order marks at their start."""
    return _MARKS.sub(b"", raw) if has_mark(raw) else raw


def _garbled(head: bytes, name: str) -> InputError | None:
    """The error that text is in another encoding, or holds what none does."""
    if file_kinds.is_utf16(head):
        return InputError("encoding", name, "this is UTF-16 or UTF-32 text", remedy="save the file as UTF-8")
    return _nul(name, head.count(b"\n", 0, nul) + 1) if (nul := head.find(b"\0")) >= 0 else None


def _nul(name: str, line: int) -> InputError:
    remedy = "remove it; a file saved as UTF-16 is full of them, save it as UTF-8"
    return InputError("encoding", name, "a NUL character", line=line, remedy=remedy)


def decode(raw: bytes, name: str, first_line: int = 1) -> str:
    """Bytes to text."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = Place(name, "line", raw.count(b"\n", 0, error.start) + first_line)
        found, remedy = repr(raw[error.start : error.start + 8])[2:-1], "save the file as UTF-8 without byte order mark"
        raise place.fault("encoding", "these bytes are not UTF-8", found, remedy) from None
    if (nul := text.find("\0")) >= 0:
        raise _nul(name, text.count("\n", 0, nul) + first_line)
    return text


def path_of(path: object) -> str:
    """A path as text, of a caller who gave one."""
    given: PathLike = one_of("a file", path, str | os.PathLike, "a path")
    return os.fspath(given)


def is_folder(path: PathLike) -> bool:
    """Whether a path leads to a folder; a name that a file cannot have does not."""
    if remote.is_remote(name := os.fspath(path)):
        return remote.is_folder(name)
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116  # of an empty name, Path makes the folder at hand
    except (OSError, ValueError):
        return False


def sha256_of(path: PathLike) -> str:
    """SHA-256 of a file of this machine, in hexadecimal digits."""
    import hashlib  # which most commands do without

    with Path(path).open("rb") as raw:
        return hashlib.file_digest(raw, "sha256").hexdigest()


def copies(files: Iterable[str | Source]) -> list[str | None]:
    """For each path the first one before it with the same content; None where there is none.

    Compressed files are looked into. Only files that begin alike are read to their end. What is not a plain file is not
    a copy of anything.
    """
    sources = [Source.of(file) for file in files]
    alike = Counter(source.start for source in sources) if len(sources) > 1 else Counter[bytes]()
    firsts: dict[bytes, str] = {}
    found_before: list[str | None] = []
    for source in sources:
        digest = source.digest() if alike and source.start and alike[source.start] > 1 else b""
        found_before.append(firsts.get(digest))
        if digest:
            firsts.setdefault(digest, source.path)
    return found_before


def by_original(path: str) -> tuple[str, int, str]:
    """A key that sorts the files of a folder so that a copy comes behind what it is probably a copy of.

    >>> sorted(["a (1).txt", "a.txt.bak", "a.txt"], key=by_original)
    ['a.txt', 'a (1).txt', 'a.txt.bak']
    """
    file = Path(path)
    return str(file.parent), len(file.name), file.name
