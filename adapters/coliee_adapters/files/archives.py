"""Zip and tar archives, read as folders: a file in one is named ``ARCHIVE/NAME`` and opened like any other.

Nothing is written under a name that an archive gives: its files are unpacked, once, into a private temporary folder
under numbers, within ``limits``. Of an archive in an archive the files are read too, and no deeper; in a mail, also of
one in an attached archive.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, Protocol, cast

from coliee_adapters.errors import DISK_FULL, InputError, disk_full, reading_errors_as_input, shortened
from coliee_adapters.files import limits
from coliee_adapters.files.compressed import COMPRESSIONS, DAMAGED, compression_of
from coliee_adapters.files.file_kinds import ARCHIVES, MAIL, TAR, kind_of
from coliee_adapters.files.mail import Mail, attachments, headers_of, is_mailbox, mails

if TYPE_CHECKING:
    import tempfile  # as lzma, tarfile and zipfile: loaded where an archive is unpacked

_PIECE: Final = 1 << 20
_HEAD: Final = 1 << 16

_BROKEN: Final = (*DAMAGED, NotImplementedError, ValueError, OverflowError)

#: how the name of a drive begins
_DRIVE: Final = "[A-Za-z]:"

_CONTROL: Final = "[\\0-\x1f\x7f-\x9f]"

#: bytes of an entry's name; systems take paths of 4096
_LONGEST: Final = 1000

#: how the names of archives end: a tar may be compressed, ``.tar.gz`` or ``.tgz``
_COMPRESSED: Final = "|".join(re.escape(compression.ending[1:]) for compression in COMPRESSIONS)
_ENDING: Final = rf"(?i)\.(?:zip|tar(?:\.(?:{_COMPRESSED}))?|t(?:{_COMPRESSED}))$"


class Contents(NamedTuple):
    """What an archive holds."""

    files: dict[str, str]  # name in the archive → where its bytes lie
    skipped: list[
        tuple[str, str]
    ]  # entries that are not read: why, a kind of ``inbox.folders.SKIP_REASONS``, and the name
    mails: dict[str, Mail]  # how the names of a mail's attachments begin → what the mail says of them
    faults: dict[str, InputError]  # name of an archive in it that stays a file → why it cannot be unpacked
    is_mail: bool  # whether the archive is itself a mail, or an mbox


def is_archive(path: str) -> bool:
    """Whether a file is a zip or tar archive, only the latter compressed or not; an Office document is not."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as raw:
            if compression := compression_of(raw):
                head = compression.unpacked(raw, path).read(512)
            else:
                head = raw.read(_HEAD)
    except (OSError, InputError, *_BROKEN):
        return False
    return kind_of(head) in ((TAR,) if compression else ARCHIVES)


def contents(path: str) -> Contents:
    """The files in an archive, and in archives in it."""
    with reading_errors_as_input(path):
        state = Path(path).stat()
        unpacked = _unpacked(path, state.st_size, state.st_mtime_ns, limits.current())
    if isinstance(unpacked, InputError):
        raise copy.copy(unpacked)
    return unpacked


def without_ending(name: str) -> str:
    """The name of an archive without its ending.

    >>> without_ending("team.tar.zst"), without_ending("team.TGZ"), without_ending("team.v2")
    ('team', 'team', 'team.v2')
    """
    return re.sub(_ENDING, "", name)


def unpacking_error(path: str) -> InputError | None:
    """Why an archive in an archive could not be unpacked; None for any other file."""
    archive = enclosing_archive(path)
    return None if archive == path else contents(archive).faults.get(_below(path, archive))


def path_of_bytes(path: str) -> str:
    """Where the bytes of a path lie: of a file in an archive in a temporary folder, of any other where it says."""
    archive = enclosing_archive(path)
    return path if archive == path else contents(archive).files.get(_below(path, archive), path)


def mails_of(path: str) -> tuple[dict[str, Mail], bool]:
    """The mails that a file is attached to, or is itself, by their paths, the outermost first; none if unreadable.

    A mail in an mbox is ``MBOX/NUMBER``. The second is whether the first is a file that was saved, and lies in none.
    """
    archive = enclosing_archive(path)
    if archive == path and not is_archive(path):
        return {}, False
    try:
        inside = contents(archive)
    except InputError:
        return {}, False
    below = _below(path, archive)
    names = ["", *(below[: slash.end()] for slash in re.finditer("/", below))]
    return {
        f"{archive}/{name}".rstrip("/"): inside.mails[name] for name in names if name in inside.mails
    }, inside.is_mail


def _below(path: str, archive: str) -> str:
    return PurePosixPath(os.path.relpath(path, archive)).as_posix()


def enclosing_archive(path: str) -> str:
    """The archive that a path leads into; the path itself where it leads into none."""
    with contextlib.suppress(OSError, ValueError):
        if "/" in path and not os.path.lexists(path):
            for parent in Path(path).parents:
                if parent.is_file():
                    return str(parent) if is_archive(str(parent)) else path
    return path


class _Folder:
    """A folder in which archives are unpacked."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._made = self._held = 0  # files so far, and the bytes of those that are there

    def store(self, stream: _Stream, display_name: str) -> str:
        """Where what a stream gives lies from now on."""
        self._made += 1
        target, most = Path(self._folder, str(self._made)), limits.current().archives
        with target.open("xb") as unpacked:
            try:
                while piece := stream.read(_PIECE):
                    if self._held + unpacked.tell() + len(piece) > most:
                        raise InputError(
                            "too-large",
                            display_name,
                            f"with the archives before it, it unpacks to more than {limits.size(most)}",
                            remedy=f"unpack some of them first, or raise {limits.variable('archives')}",
                        )
                    unpacked.write(piece)
            except BaseException:
                target.unlink()
                raise
            self._held += unpacked.tell()
        return str(target)

    def discard(self, *files: str) -> None:
        """Remove files that it holds."""
        for file in map(Path, files):
            self._held -= file.stat().st_size
            file.unlink()


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    """The folder of this process; removed when the program ends."""
    import tempfile

    return tempfile.TemporaryDirectory(prefix="coliee-ir-")


@functools.cache
def unpacking_folder() -> _Folder:
    """Where members of this process' archives are unpacked, until it ends."""
    return _Folder(_folder().name)


@functools.cache
def _unpacked(path: str, size: int, _: int, bounds: limits.Limits) -> Contents | InputError:
    """What an archive in this state holds, or why it cannot be read: it is unpacked once."""
    try:
        with reading_errors_as_input(path):
            try:
                unpacking_folder()
            except OSError as error:
                raise disk_full(path, error) from None
            return unpack(path, path, _Meter(path, size, bounds), unpacking_folder(), depth=1)
    except InputError as error:
        return error


class _Meter:
    """How much has been unpacked of an archive, which may not be more than its limits."""

    def __init__(self, name: str, packed: int, bounds: limits.Limits) -> None:
        self.name, self.packed, self.limits = name, packed, bounds
        self.files = self.bytes = 0

    def file(self) -> None:
        self.files += 1
        if self.files > limits.MEMBERS:
            raise InputError(
                "too-large",
                self.name,
                f"the archive holds more than {limits.MEMBERS} files",
                remedy="if this is right, unpack it first",
            )

    def read(self, n: int) -> None:
        self.bytes += n
        self.limits.check_growth(self.name, "the archive", self.bytes, self.packed)


class _Stream(Protocol):
    def read(self, n: int, /) -> bytes: ...


class _Metered:
    """A stream that counts what is read of it."""

    def __init__(self, stream: BinaryIO, meter: _Meter) -> None:
        self.stream, self.meter = stream, meter

    def read(self, n: int, /) -> bytes:
        piece = self.stream.read(n)
        self.meter.read(len(piece))
        return piece


def unpack_into(folder: str, path: str, bounds: limits.Limits) -> None:
    """Unpack an archive into a folder of the caller's; no mailbox, in which one mail must not stop the others."""
    with Path(path).open("rb") as raw:
        apart = is_mailbox(raw, path)
    if not apart:
        unpack(path, path, _Meter(path, Path(path).stat().st_size, bounds), _Folder(folder), depth=1)


def unpack(path: str, display_name: str, meter: _Meter, folder: _Folder, *, depth: int) -> Contents:
    """Unpack an archive, and those in it, so deep; of one that cannot be read nothing is left."""
    import lzma
    import tarfile
    import zipfile

    done = Contents({}, [], {}, {}, is_mail=False)
    try:
        with Path(path).open("rb") as raw:
            head = raw.read(_HEAD)
            is_zip, is_mail = head.startswith(b"PK"), kind_of(head) is MAIL
            done = done._replace(is_mail=is_mail)
            depth += is_mail and path == display_name  # what a saved attachment may hold, the mail may hold
            met: set[str] = set()
            entries = _zip_entries(raw, display_name, meter) if is_zip else _tar_entries(raw, display_name, meter)
            for name, stream in _mail_entries(path, display_name, meter, done) if is_mail else entries:
                meter.file()
                plain, fault = _plain_name(name)
                if stream is None or fault:
                    done.skipped.append((fault or "special", shortened(name)))
                    continue
                old = done.files.pop(plain, None)
                if plain in met and old and not is_zip:  # as tar itself does
                    done.skipped.append(("again", plain))
                    folder.discard(old)
                elif plain in met or old:
                    raise InputError(
                        "duplicate",
                        display_name,
                        "two entries of the archive have one name",
                        found=plain,
                        remedy="pack it again, with a name for each",
                    )
                met.add(plain)
                done.files[plain] = folder.store(stream, display_name)
                if depth and is_archive(done.files[plain]):
                    _unpack_inner(plain, display_name, meter, folder, done, depth - 1)
    except BaseException as error:
        folder.discard(*done.files.values())
        if isinstance(error, OSError) and error.errno in DISK_FULL:
            raise disk_full(display_name, error) from None
        if not isinstance(error, (*_BROKEN, OSError, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError)):
            raise
        reason = str(error) or type(error).__name__
        raise InputError(
            "damaged",
            display_name,
            f"the archive is damaged or cut short ({reason})",
            remedy="pack or download it again",
        ) from None
    return done


def _unpack_inner(name: str, display_name: str, meter: _Meter, folder: _Folder, done: Contents, depth: int) -> None:
    """Unpack an archive in an archive, which stays a file of it where it cannot be read.

    What is attached to a mail is measured for itself: in a mailbox it stops no other.
    """
    path, of_inner = f"{display_name}/{name}", meter
    if done.is_mail:
        of_inner = _Meter(path, Path(done.files[name]).stat().st_size, meter.limits)
    try:
        inner = unpack(done.files[name], path, of_inner, folder, depth=depth)
    except InputError as error:
        if error.kind == "too-large" and not done.is_mail:
            raise
        done.faults[name] = error
        return
    if not (inner.files or inner.skipped or inner.is_mail):
        done.faults[name] = InputError("empty", path, "the archive holds no file", remedy="pack the runs again")
        return
    folder.discard(done.files.pop(name))
    done.mails.update((f"{name}/{before}", mail) for before, mail in inner.mails.items())
    done.skipped.extend((why, f"{name}/{entry}") for why, entry in inner.skipped)
    for entry, file in inner.files.items():
        if f"{name}/{entry}" in done.files:
            raise InputError(
                "duplicate", display_name, "two entries of the archive have one name", found=f"{name}/{entry}"
            )
        done.files[f"{name}/{entry}"] = file


def _plain_name(name: str) -> tuple[str, str]:
    """The name of an entry below its archive; and what is wrong with it, a kind of ``inbox.folders.SKIP_REASONS``."""
    path = PurePosixPath(name.replace("\\", "/"))
    if not path.parts:
        return "", "nameless"
    if len(os.fsencode(name)) > _LONGEST:
        return "", "long"
    if re.search(_CONTROL, name):
        return "", "control"
    if path.is_absolute() or ".." in path.parts or re.match(_DRIVE, name):
        return "", "outside"
    return path.as_posix(), ""


def _zip_entries(raw: BinaryIO, display_name: str, meter: _Meter) -> Iterator[tuple[str, _Stream | None]]:
    """The entries of a zip archive; without a stream where an entry is no plain file."""
    import zipfile

    raw.seek(0)
    with zipfile.ZipFile(raw) as archive:
        for entry in archive.infolist():
            if entry.filename.endswith("/"):  # is_dir of Python 3.11 fails without a name
                continue
            if entry.flag_bits & 1:
                raise InputError(
                    "encrypted", display_name, "the archive is encrypted", remedy="pack it without a password"
                )
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                yield entry.filename, None
                continue
            with archive.open(entry) as stream:
                yield entry.filename, _Metered(cast(BinaryIO, stream), meter)


def _mail_entries(path: str, display_name: str, meter: _Meter, done: Contents) -> Iterator[tuple[str, _Stream]]:
    """What is attached to a mail, or to those of an mbox, each of which has a folder."""
    meter.read(Path(path).stat().st_size)  # as a mail is read whole
    for before, message in mails(path, display_name):
        meter.file()
        if message is None:
            if not before:
                raise InputError(
                    "too-large",
                    display_name,
                    "the headers of this mail are longer than 64 KiB, or it has more than 2000 parts",
                    remedy="save its attachments and give these",
                )
            done.skipped.append(("headers", before.rstrip("/")))
            continue
        done.mails[before] = headers_of(message)
        yield from ((before + name, _Metered(stream, meter)) for name, stream in attachments(message))


def _tar_entries(raw: BinaryIO, display_name: str, meter: _Meter) -> Iterator[tuple[str, _Stream | None]]:
    """The entries of a tar archive; without a stream where one is no plain file, or has holes that take no bytes.

    What is read of the archive is counted, its headers too.
    """
    import tarfile

    raw.seek(0)
    compression = compression_of(raw)
    stream = _Metered(compression.unpacked(raw, display_name) if compression else raw, meter)
    with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r|") as archive:
        for entry in archive:
            if not entry.isdir():
                is_plain = entry.isreg() and not entry.issparse()
                yield entry.name, cast(BinaryIO, archive.extractfile(entry)) if is_plain else None
