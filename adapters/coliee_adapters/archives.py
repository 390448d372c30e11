"""Zip and tar archives, read as folders: a file in one is named ``ARCHIVE/NAME`` and opened like any other.

Nothing is written under a name that an archive gives: its files are unpacked, once, into a private temporary folder
under numbers, within ``limits``. Links and devices in it, and names that lead out of it, are left out.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from coliee_adapters import limits
from coliee_adapters.classes import NamedTuple
from coliee_adapters.compressed import DAMAGED, compression_of
from coliee_adapters.errors import InputError, guarded
from coliee_adapters.file_kinds import TAR, ZIP, kind_of

if TYPE_CHECKING:
    import tempfile  # as lzma, tarfile and zipfile: loaded where an archive is unpacked

_PIECE: Final = 1 << 20
_HEAD: Final = 1 << 16

#: the names of unpacked files
_NUMBERS: Final = itertools.count()

#: how deep archives are read that lie in archives
_DEPTH: Final = 2

_BROKEN: Final = (*DAMAGED, NotImplementedError, ValueError, OverflowError)


class Contents(NamedTuple):
    """What an archive holds.

    Attributes:
        files: name in the archive → where its bytes lie.
        outside: entries that are links or devices, or whose names lead out of the archive.
    """

    files: dict[str, str]
    outside: list[str]


def is_archive(path: str) -> bool:
    """Whether a file is a zip or tar archive, the latter compressed or not; an Office document is not."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return False
        with Path(path).open("rb") as raw:
            if compression := compression_of(raw):
                head = compression.unpacked(raw, path).read(512)
            else:
                head = raw.read(_HEAD)
    except (OSError, InputError, *_BROKEN):
        return False
    return kind_of(head) in (ZIP, TAR)


def contents(path: str) -> Contents:
    """The files in an archive, and in archives in it.

    Raises:
        InputError: it is damaged or encrypted, holds too many files, or unpacks to more than ``limits`` allows.
    """
    with guarded(path):
        found = Path(path).stat()
        return _unpacked(path, found.st_size, found.st_mtime_ns)


def located(path: str) -> str:
    """Where the bytes of a path lie: of a file in an archive in a temporary folder, of any other where it says.

    Raises:
        InputError: see ``contents``.
    """
    archive = outer(path)
    if archive == path:
        return path
    return contents(archive).files.get(PurePosixPath(os.path.relpath(path, archive)).as_posix(), path)


def outer(path: str) -> str:
    """The archive that a path leads into; the path itself where it leads into none."""
    with contextlib.suppress(OSError, ValueError):
        if "/" in path and not os.path.lexists(path):
            for parent in Path(path).parents:
                if parent.is_file():
                    return str(parent) if is_archive(str(parent)) else path
    return path


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """Where archives are unpacked; removed when the program ends."""
    import tempfile

    return tempfile.TemporaryDirectory(prefix="coliee-ir-")


@functools.cache
def _unpacked(path: str, size: int, _: int) -> Contents:
    done = Contents({}, [])
    _unpack(path, path, _Meter(path, size), done, "", _DEPTH)
    return done


class _Meter:
    """How much has been unpacked of an archive, and how much may be."""

    def __init__(self, name: str, packed: int) -> None:
        self.name, self.packed, self.files, self.bytes = name, packed, 0, 0
        self.limits = limits.current()

    def file(self) -> None:
        self.files += 1
        if self.files > self.limits.members:
            problem = f"the archive holds more than {self.limits.members} files"
            raise InputError(self.name, problem, remedy=self._remedy("members"))

    def read(self, n: int) -> None:
        self.bytes += n
        if self.bytes > self.limits.unpacked:
            problem = f"the archive unpacks to more than {limits.size(self.limits.unpacked)}"
            raise InputError(self.name, problem, remedy=self._remedy("unpacked"))
        if self.bytes > limits.FREE and self.bytes > self.limits.ratio * self.packed:
            problem = f"the archive unpacks to more than {self.limits.ratio} times its size"
            raise InputError(self.name, problem, remedy=self._remedy("ratio"))

    @staticmethod
    def _remedy(limit: str) -> str:
        return f"if this is right, unpack it first, or raise {limits.variable(limit)}"


def _unpack(path: str, shown: str, meter: _Meter, done: Contents, before: str, depth: int) -> None:
    import lzma
    import tarfile
    import zipfile

    try:
        with Path(path).open("rb") as raw:
            is_zip = raw.read(2) == b"PK"
            entries = _zipped(raw, shown, meter) if is_zip else _tarred(raw, shown, meter)
            for name, stream in entries:
                plain = _plain_name(name)
                if stream is None or not plain:
                    done.outside.append(before + name)
                    continue
                meter.file()
                target = Path(_folder().name, str(next(_NUMBERS)))
                with target.open("xb") as file:
                    while piece := stream.read(_PIECE):
                        if not isinstance(stream, tarfile.ExFileObject):  # whose bytes are counted as they are read
                            meter.read(len(piece))
                        file.write(piece)
                if depth > 1 and is_archive(str(target)):
                    _unpack(str(target), f"{shown}/{plain}", meter, done, f"{before}{plain}/", depth - 1)
                else:
                    done.files[before + plain] = str(target)
    except (*_BROKEN, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(
            shown, f"the archive is damaged or cut short ({reason})", remedy="pack or download it again"
        ) from None


def _plain_name(name: str) -> str:
    """The name of an entry below its archive; empty for one that leads out of it."""
    if "\0" in name:
        return ""
    path = PurePosixPath(name.replace("\\", "/"))
    inside = not path.is_absolute() and ".." not in path.parts and ":" not in path.parts[0] if path.parts else False
    return path.as_posix() if inside else ""


def _zipped(raw: BinaryIO, shown: str, meter: _Meter) -> Iterator[tuple[str, BinaryIO | None]]:
    """The entries of a zip archive; without a stream where an entry is no plain file."""
    import zipfile

    raw.seek(0)
    with zipfile.ZipFile(raw) as archive:
        for entry in archive.infolist():
            if not entry.filename or entry.filename.endswith("/"):  # is_dir of Python 3.11 fails without a name
                continue
            if entry.flag_bits & 1:
                raise InputError(shown, "the archive is encrypted", remedy="ask for one without a password")
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                yield entry.filename, None
                continue
            with archive.open(entry) as stream:
                yield entry.filename, cast(BinaryIO, stream)


class _Metered:
    """A stream that counts what is read of it, headers too."""

    def __init__(self, stream: BinaryIO, meter: _Meter) -> None:
        self.stream, self.meter = stream, meter

    def read(self, n: int) -> bytes:
        piece = self.stream.read(n)
        self.meter.read(len(piece))
        return piece


def _tarred(raw: BinaryIO, shown: str, meter: _Meter) -> Iterator[tuple[str, BinaryIO | None]]:
    """The entries of a tar archive; without a stream where an entry is no plain file."""
    import tarfile

    raw.seek(0)
    compression = compression_of(raw)
    stream = _Metered(compression.unpacked(raw, shown) if compression else raw, meter)
    with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r|") as archive:
        for entry in archive:
            if entry.isdir():
                continue
            yield entry.name, cast(BinaryIO, archive.extractfile(entry)) if entry.isreg() else None
