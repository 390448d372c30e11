"""Files that lie elsewhere, ``s3://BUCKET/NAME`` or ``https://HOST/NAME``: read through fsspec.

A bucket is read piece by piece; a file of the web is downloaded once. What fsspec knows it reads: s3fs, gcsfs and the
like are the user's to install. Credentials in an address go to fsspec and nowhere else: what is shown is
``errors.without_credentials``.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import re
from collections.abc import Iterator
from time import monotonic
from typing import Any, BinaryIO, Final, NamedTuple, cast

from coliee_adapters.errors import InputError, UsageError, without_credentials

_ADDRESS: Final = r"[A-Za-z][A-Za-z0-9+.-]+(?:::[^/]*)?://"

#: bytes that are asked for at once, since each question takes a server's time
_PIECE: Final = 1 << 22
_BUFFER: Final = 1 << 16

#: seconds in which a server must take a connection, and in which it must go on with an answer
_CONNECT: Final = 4
ANSWER: Final = 6

#: addresses that could not be reached → until when they are not asked again, and why
_lost: dict[str, tuple[float, OSError]] = {}

#: by what a file elsewhere is known again, where its server says it
_SIGNS: Final = (
    *("ETag", "etag", "md5Hash", "Content-MD5", "content_md5", "Digest", "generation", "VersionId"),
    *("LastModified", "Last-Modified", "last_modified", "mtime", "modified", "updated", "created"),
)


class State(NamedTuple):
    """What is known of a file without reading it."""

    size: int | None  # how many bytes it has; None where the server does not say
    version: str  # what differs where another content stands there: the entity tag, the time


def is_remote(path: str) -> bool:
    """Whether a path is the address of a file that lies elsewhere.

    >>> [is_remote(path) for path in ("s3://b/run.txt", "runs/run.txt", "C:/run.txt", "-")]
    [True, False, False, False]
    """
    return "://" in path and re.match(_ADDRESS, path) is not None


def refuse(path: str | None, what: str) -> None:
    """Refuse an address where only this machine's files will do."""
    if path is not None and is_remote(path):
        raise UsageError("not-a-file", f"{what} must be on this machine, not at {without_credentials(path)}")


def is_web(path: str) -> bool:
    """Whether it is an address of the web, whose servers need not know ranges."""
    return path.startswith(("http://", "https://"))


def state(path: str) -> State:
    """What the server says of a file now."""
    if (error := _known_as_lost(path)) is not None:
        raise error
    system, place = _file_system_and_path(path)
    with _errors_as_oserror():
        system.invalidate_cache(place)
        info = system.info(place)
    if info.get("type") == "directory":
        raise InputError("not-a-file", without_credentials(path), "this is a directory", remedy="name the file in it")
    size = info.get("size")
    return State(None if size is None else int(size), " ".join(str(info[name]) for name in _SIGNS if info.get(name)))


def opened(path: str) -> BinaryIO:
    """A stream of its bytes; one of the web can be read once, from its beginning to its end."""
    system, place = _file_system_and_path(path)
    with _errors_as_oserror():
        if is_web(path):  # as a size is given, it is not asked for
            return cast(BinaryIO, system.open(place, "rb", block_size=0, size=1))
        # what fsspec opens has a readline of its own
        return io.BufferedReader(system.open(place, "rb", block_size=_PIECE, cache_type="readahead"), _BUFFER)


def uploaded(path: str, content: str) -> None:
    """Put a file of this machine to an address; there it takes the place of what was there in one move."""
    system, place = _file_system_and_path(path)
    with _errors_as_oserror():
        system.put_file(content, place)


def is_folder(path: str) -> bool:
    """Whether an address is that of a folder, or of what a bucket shows as one; on the web it ends in a slash."""
    if is_web(path):  # where asking would load the page
        return path.partition("?")[0].endswith("/")
    if _known_as_lost(path) is not None:
        return False
    try:
        system, place = _file_system_and_path(path)
        with _errors_as_oserror():  # isdir of fsspec takes a server that does not answer for a no
            return bool(system.info(place).get("type") == "directory")
    except (InputError, FileNotFoundError):
        return False
    except OSError as error:
        _lost[path] = monotonic() + ANSWER, error
        return False


def _known_as_lost(path: str) -> OSError | None:
    until, error = _lost.get(path, (0.0, None))
    return error if monotonic() < until else None


def files(folder: str) -> list[str]:
    """The addresses of all files below a folder, sorted by name."""
    system, place = _file_system_and_path(folder)
    address, question, rest = folder.partition("?")
    try:
        with _errors_as_oserror():
            system.invalidate_cache(place)
            names = sorted(system.find(place))
    except OSError as error:
        raise UsageError("cannot-read", f"the folder {without_credentials(folder)} cannot be read ({error})") from None
    base = place.rstrip("/")
    return [f"{address.rstrip('/')}/{name[len(base) :].lstrip('/')}{question}{rest}" for name in names]


def _file_system_and_path(path: str) -> tuple[Any, str]:
    """The file system of an address, made anew in each process, and the place in it."""
    try:
        fsspec = importlib.import_module("fsspec")
    except ImportError:
        raise UsageError(
            "needs-package",
            f"{without_credentials(path)}: files elsewhere need fsspec: pip install 'coliee-ir[remote]'",
        ) from None
    try:
        system, place = fsspec.core.url_to_fs(path, **_timeouts(path))
    except MemoryError:
        raise
    except Exception as error:  # each library has its own
        raise InputError(
            "cannot-read", without_credentials(path), f"cannot be opened ({error})", remedy="check the address"
        ) from None
    if hasattr(system, "retries"):  # of s3fs
        system.retries = 1
    return system, place


def _timeouts(path: str) -> dict[str, dict[str, Any]]:
    """By protocol, what makes the libraries that wait for minutes wait for seconds."""
    options: dict[str, dict[str, Any]] = {}
    for protocol in path.partition("://")[0].split("::"):
        if protocol in ("s3", "s3a"):
            bounds = {"connect_timeout": _CONNECT, "read_timeout": ANSWER, "retries": {"total_max_attempts": 1}}
            options[protocol] = {"config_kwargs": bounds}
        elif protocol in ("http", "https"):
            with contextlib.suppress(ImportError):  # of which fsspec will speak
                timeout = importlib.import_module("aiohttp").ClientTimeout(sock_connect=_CONNECT, sock_read=ANSWER)
                options[protocol] = {"client_kwargs": {"timeout": timeout}}
        elif protocol in ("ftp", "sftp", "ssh"):
            options[protocol] = {"timeout": ANSWER}
    return options


@contextlib.contextmanager
def _errors_as_oserror() -> Iterator[None]:
    """Whatever a file system raises, as an OSError that says it in one line."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # each library has its own
        cause: BaseException = error
        if isinstance(error, FileNotFoundError):
            if error.__cause__ is None or (
                getattr(error.__cause__, "status", 404) in (404, 410) and (not isinstance(error.__cause__, OSError))
            ):
                raise
            cause = error.__cause__  # fsspec takes whatever the web does not answer for a file that is not there
        message = str(cause).strip() or type(cause).__name__
        raise OSError(without_credentials(message.splitlines()[0])) from None
