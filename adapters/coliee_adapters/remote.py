"""Files that lie elsewhere, ``s3://BUCKET/NAME`` or ``https://HOST/NAME``: read through fsspec, range by range.

What fsspec knows it reads: s3fs, gcsfs and the like are the user's to install. Credentials in an address go to fsspec
and nowhere else: ``errors.masked`` is what is shown.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, UsageError, masked

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::[^/]*)?://")

#: at least so much is asked for at once: what the first bytes are is asked several times; of what will be read to its
#: end so much, since each question takes a server's time
_LEAST: Final = 1 << 16
_PIECE: Final = 1 << 22

#: by what a file elsewhere is known again, where its server says it
_SIGNS: Final = (
    *("ETag", "etag", "md5Hash", "Content-MD5", "content_md5", "Digest", "generation", "VersionId"),
    *("LastModified", "Last-Modified", "last_modified", "mtime", "modified", "updated", "created"),
)


class State(NamedTuple):
    """What is known of a file without reading it.

    Attributes:
        size: how many bytes it has; None where the server does not say.
        sign: what differs where another content stands there: the entity tag, the time.
    """

    size: int | None
    sign: str


def is_remote(path: str) -> bool:
    """Whether a path is the address of a file that lies elsewhere.

    >>> [is_remote(path) for path in ("s3://b/run.txt", "runs/run.txt", "C:/run.txt", "-")]
    [True, False, False, False]
    """
    return _ADDRESS.match(path) is not None


def refuse(path: str | None, what: str) -> None:
    """Refuse an address where only this machine's files will do.

    Raises:
        UsageError: it is one.
    """
    if path is not None and is_remote(path):
        raise UsageError("not-a-file", f"{what} must be on this machine, not at {masked(path)}")


def state(path: str) -> State:
    """What the server says of a file now.

    Raises:
        InputError: it is a folder, or fsspec lacks what it needs.
        OSError: it is not there, or cannot be reached.
    """
    system, place = _located(path)
    with _faults():
        system.invalidate_cache(place)
        info = system.info(place)
    if info.get("type") == "directory":
        raise InputError("not-a-file", masked(path), "this is a directory", remedy="name the file in it")
    size = info.get("size")
    return State(None if size is None else int(size), " ".join(str(info[name]) for name in _SIGNS if info.get(name)))


def has_ranges(path: str) -> bool:
    """Whether a server gives ranges of a file; one of the web may give all of it instead."""
    system, place = _located(path)
    if not path.startswith("http"):
        return True
    with _faults():
        return len(system.cat_file(place, start=0, end=1)) <= 1


def opened(path: str, size: int, *, to_end: bool = False) -> BinaryIO:
    """A stream that asks for the ranges that are read of it.

    Args:
        path: the address.
        size: how many bytes the file has, or how many of its first ones there are to read.
        to_end: whether all of them will be read, from where it begins.
    """
    return io.BufferedReader(_Ranges(path, size), _PIECE if to_end else _LEAST)


def downloaded(path: str) -> BinaryIO:
    """All of a file, as a temporary one: for servers that give no ranges."""
    import tempfile  # takes a while to load

    system, place = _located(path)
    with _faults(), tempfile.NamedTemporaryFile() as file:
        system.get_file(place, file.name)
        return open(file.name, "rb")  # noqa: PTH123 - the caller closes it


def uploaded(path: str, content: str) -> None:
    """Put a file of this machine to an address; there it takes the place of what was there in one move.

    Args:
        path: the address.
        content: the file.

    Raises:
        OSError: it cannot be written.
    """
    system, place = _located(path)
    with _faults():
        system.put_file(content, place)


def is_folder(path: str) -> bool:
    """Whether an address is that of a folder, or of what a bucket shows as one; on the web it ends in a slash."""
    if path.startswith("http"):  # where asking would load the page
        return path.partition("?")[0].endswith("/")
    system, place = _located(path)
    with contextlib.suppress(OSError), _faults():
        return bool(system.isdir(place))
    return False


def files(folder: str) -> list[str]:
    """The addresses of all files below a folder, sorted by name.

    Raises:
        UsageError: it cannot be listed.
    """
    system, place = _located(folder)
    address, question, rest = folder.partition("?")
    try:
        with _faults():
            system.invalidate_cache(place)
            found = sorted(system.find(place))
    except OSError as error:
        raise UsageError("cannot-read", f"the folder {masked(folder)} cannot be read ({error})") from None
    base = place.rstrip("/")
    return [f"{address.rstrip('/')}/{name[len(base) :].lstrip('/')}{question}{rest}" for name in found]


class _Place(NamedTuple):
    system: Any
    path: str


def _located(path: str) -> _Place:
    """The file system of an address, made anew in each process, and the place in it.

    Raises:
        UsageError: fsspec is not installed.
        InputError: what fsspec needs for such addresses is not.
    """
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        problem = f"{masked(path)}: files elsewhere need fsspec: pip install 'coliee-ir[remote]'"
        raise UsageError("needs-package", problem) from None
    try:
        return _Place(*fsspec.core.url_to_fs(path))
    except (ImportError, ValueError) as error:
        problem = f"cannot be opened ({error})"
        raise InputError("cannot-read", masked(path), problem, remedy="check the address") from None


@contextlib.contextmanager
def _faults() -> Iterator[None]:
    """Whatever a file system raises, as an OSError that says it in one line."""
    try:
        yield
    except FileNotFoundError:
        raise
    except Exception as error:  # each library has its own
        said = str(error).strip() or type(error).__name__
        raise OSError(masked(said.splitlines()[0])) from None


class _Ranges(io.RawIOBase):
    """The bytes of a file elsewhere, of which each range is asked for when it is read."""

    def __init__(self, path: str, size: int) -> None:
        self._place, self._size, self._at = _located(path), size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        stop = min(self._at + len(buffer), self._size)
        if stop <= self._at:
            return 0
        with _faults():
            piece = self._place.system.cat_file(self._place.path, start=self._at, end=stop)
        if len(piece) != stop - self._at:
            raise OSError(f"{stop - self._at} bytes were asked for, and {len(piece)} came")
        buffer[: len(piece)] = piece
        self._at = stop
        return len(piece)
