"""Writing files: beside their place and then moved into it; and refusing to write over what is read."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from coliee_adapters.errors import InputError, UsageError, disk_full, without_credentials
from coliee_adapters.files import archives, remote
from coliee_adapters.files.compressed import compression_by_name
from coliee_adapters.files.source import ENDINGS, PathLike, is_folder, path_of

_PIECE: Final = 1 << 20

#: how much of a result is held in memory before it is printed
_IN_MEMORY: Final = 1 << 24


def make_folder(folder: PathLike) -> Path:
    """The folder, made where it is not there."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            "cannot-write",
            str(place),
            f"cannot be made ({error.strerror or error})",
            remedy="name a folder that can be written",
        ) from None
    return place


@contextlib.contextmanager
def open_text_replacing(path: PathLike) -> Iterator[io.TextIOBase]:
    """A text stream whose content replaces ``path`` only if the block ends well; compressed if its name says so.

    It is written beside its place and moved into it, so that a crash leaves the old file. Standard output (``-``), and
    what is not a plain file (a terminal, a pipe, ``/dev/null``), gets all of the content at the block's end, or none.
    """
    if path_of(path) == "-":
        with _buffered("w+", sys.stdout, encoding="utf-8", newline="\n") as spool:
            yield spool
        return
    with open_bytes_replacing(path) as stream:
        yield (text := io.TextIOWrapper(stream, encoding="utf-8", newline="\n"))
        text.flush()
        text.detach()


@contextlib.contextmanager
def open_bytes_replacing(path: PathLike) -> Iterator[BinaryIO]:
    """The same as ``open_text_replacing``, for what is not text."""
    name = path_of(path)
    if name == "-":
        with _buffered("w+b", sys.stdout.buffer) as spool:
            yield spool
        return
    with _writing(name), contextlib.ExitStack() as stack:
        if remote.is_remote(name):
            import tempfile

            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="coliee-ir-"))
            with open_bytes_replacing(local := Path(folder, Path(name.partition("?")[0]).name)) as stream:
                yield stream
            remote.uploaded(name, str(local))
            return
        target = Path(name)
        if target.is_file() or not target.exists():
            stream = stack.enter_context(
                temporary_sibling(Path(os.path.realpath(name)))
            )  # of a link, what it points to
        else:
            stream = stack.enter_context(_buffered("w+b", stack.enter_context(target.open("wb"))))
        if (compression := compression_by_name(name)) is not None:
            stream = stack.enter_context(compression.packing(stream, name))
        yield stream


def write_bytes(path: PathLike, content: bytes) -> None:
    """Bytes that replace ``path`` only if all of them are written; see ``open_text_replacing``."""
    with open_bytes_replacing(path) as stream:
        stream.write(content)


@contextlib.contextmanager
def _buffered(mode: str, stream: Any, **coding: Any) -> Iterator[Any]:
    """A stream whose content goes to another one when the block has ended well."""
    import shutil
    import tempfile

    with tempfile.SpooledTemporaryFile(_IN_MEMORY, mode, **coding) as spool:
        try:
            yield spool
            spool.seek(0)
        except OSError as error:
            raise disk_full(getattr(stream, "name", "<stdout>"), error) from None
        shutil.copyfileobj(spool, stream, _PIECE)


@contextlib.contextmanager
def _writing(name: str) -> Iterator[None]:
    """Make an InputError of what goes wrong while a file is written."""
    try:
        yield
    except OSError as error:
        raise InputError(
            "cannot-write", without_credentials(name), f"cannot be written ({error.strerror or error})"
        ) from None


@contextlib.contextmanager
def open_appending(path: PathLike) -> Iterator[BinaryIO]:
    """A stream that appends to a file of this machine, while no other process does so by this function.

    On systems without file locks (Windows), nobody waits. What a block that fails has written is taken back.
    """
    name = path_of(path)
    with _writing(name), Path(name).open("ab") as stream:
        with contextlib.suppress(ModuleNotFoundError):  # Windows does not have it
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        end = stream.seek(0, os.SEEK_END)
        try:
            yield stream
            stream.flush()
        except BaseException:
            with contextlib.suppress(OSError):
                stream.flush()  # or it is written when the file is closed
            with contextlib.suppress(OSError):
                os.truncate(name, end)
            raise


@contextlib.contextmanager
def temporary_sibling(target: Path) -> Iterator[BinaryIO]:
    """A binary stream to a new file, which takes the target's place, and its permissions, if the block ends well."""
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    raw = temporary.open("xb")
    try:
        with raw:
            if target.exists():
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
            yield raw
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def check_inputs(read: Iterable[PathLike | None]) -> None:
    """Refuse to read standard input, which can be read only once, for several things."""
    if sum(path is not None and os.fspath(path) == "-" for path in read) > 1:
        raise UsageError("named-twice", "standard input (-) can be named only once")


def check_places(written: Iterable[PathLike | None]) -> None:
    """Refuse files of which one could not be written because its folder does not exist, before others are."""
    for output in map(path_of, (path for path in written if path is not None)):
        if output != "-" and not remote.is_remote(output) and not Path(os.path.realpath(output)).parent.is_dir():
            raise InputError("cannot-write", output, f"cannot be written ({os.strerror(errno.ENOENT)})")


def check_outputs(written: Iterable[PathLike | None], read: Iterable[PathLike | None]) -> None:
    """Refuse to write over a file that is read, or twice over one; links and standard streams are looked through.

    Of a folder that is read, all files of a known form are.
    """
    inputs = [path_of(path) for path in read if path is not None]
    folders = [os.path.realpath(path) for path in inputs if is_folder(path)]
    outputs = [path_of(path) for path in written if path is not None]
    if outputs.count("-") > 1:
        raise UsageError("named-twice", "standard output (-) can be named only once; write the other results to files")
    inputs = [archives.enclosing_archive(path) for path in inputs]
    for i, output in enumerate(outputs):
        if any(os.path.realpath(other) == os.path.realpath(output) for other in outputs[:i]):
            raise UsageError("would-overwrite", f"{output} would be written twice: name two files")
        if remote.is_remote(output):
            is_read = output in inputs
        else:
            there, real = _regular_file(output, sys.stdout), Path(os.path.realpath(output))
            in_folder = output.lower().endswith(ENDINGS) and any(real.is_relative_to(folder) for folder in folders)
            files = (file for path in inputs if (file := _regular_file(path, sys.stdin)))
            is_read = there is not None and (in_folder or any(os.path.samestat(there, file) for file in files))
        if is_read:
            what = "standard output" if output == "-" else output
            raise UsageError("would-overwrite", f"{what} is an input and would be overwritten; name another file")


def _regular_file(path: str, stream: Any) -> os.stat_result | None:
    """The plain file of a path, or behind a standard stream; None where there is none."""
    try:
        status = os.fstat(stream.fileno()) if path == "-" else Path(path).stat()
    except (OSError, ValueError, AttributeError):  # not there; not a name that a file can have; no such stream
        return None
    return status if stat.S_ISREG(status.st_mode) else None
