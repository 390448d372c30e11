"""Folders and archives where files are expected: all files below them, and what is passed over."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from coliee_adapters import archives, remote
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files import Kind, PathLike, Source

#: what operating systems and office programs leave in folders, besides hidden files
_DEBRIS: Final = r"(?i)\.|~\$|__macosx$|thumbs\.db$|ehthumbs\.db$|desktop\.ini$|\$recycle\.bin$|icon\r$"


class Walked(NamedTuple):
    """The files that paths stand for.

    Attributes:
        files: the files, each once; of an archive those in it, as ``ARCHIVE/NAME``.
        met: files that lie in a folder, and are given for something else, such as the gold.
        outside: links in a folder, and entries of an archive, that lead out of it.
        named: the files that were named themselves.
        sources: those of the files that were looked at, by path.
    """

    files: list[str]
    met: list[str]
    outside: list[str]
    named: set[str]
    sources: dict[str, Source]

    def source(self, file: str, columns: Mapping[str, str] | None = None) -> Source:
        """One of the files."""
        return Source.of(self.sources.get(file, file), columns)

    def remarks(self) -> list[str]:
        """What was passed over, in sentences."""
        return [
            *(f"{name} is not a submission and was skipped" for name in self.met),
            *(f"{name} is a link out of the folder and was skipped" for name in self.outside),
        ]


def walk(paths: Iterable[PathLike | Source], besides: Iterable[PathLike | None] = ()) -> Walked:
    """The files that are named, and all files below the folders and in the archives that are named, sorted by name.

    An archive that cannot be read stays a file, of which its opening complains.
    Hidden files, what operating systems leave behind, and pipes are left out. A link is followed only to a file in the
    same folder or below: a folder of uploads cannot show what lies elsewhere.

    Args:
        paths: files and folders; ``-`` stays as it is.
        besides: files that are given for something else; they are left out of folders.

    Raises:
        UsageError: a folder holds no file, or cannot be read.
    """
    others = {os.path.realpath(path) for path in besides if path is not None}
    found: dict[str, str] = {}
    walked = Walked([], [], [], set(), {})
    for path in paths:
        given = Source.of(path)
        name = given.path
        walked.sources[name] = given
        if remote.is_remote(name):
            if given.is_folder:
                inside = [file for file in remote.files(name) if all(map(_is_shown, _below_address(name, file)))]
                if not inside:
                    raise UsageError(f"{name} contains no files")
            else:
                walked.named.add(name)
                inside = [name]
            for address in inside:
                if address != name and os.path.realpath(address) in others:
                    walked.met.append(address)
                else:
                    found.setdefault(address, address)
            continue
        if not given.is_folder:
            packed = given.kind is Kind.ARCHIVE or (given.kind is Kind.ABSENT and archives.is_archive(name))
            if not packed:
                walked.named.add(name)
            inside = _files_of(name, walked.outside) if packed else [name]
            for one in inside:
                found.setdefault(one if one == "-" else os.path.realpath(one), one)
            if not inside:
                raise UsageError(f"{name} contains no files")
            continue
        seen, first_outside = 0, len(walked.outside)
        base = os.path.realpath(name)
        # links last: a file that is there twice goes by its own name
        for file in sorted(_below(Path(name)), key=Path.is_symlink):
            real = os.path.realpath(file)
            if real not in others and not Path(real).is_relative_to(base):
                walked.outside.append(str(file))
            elif not file.is_dir():
                seen += 1
                if real in others:
                    walked.met.append(str(file))
                else:
                    for one in _files_in(str(file), walked):
                        found.setdefault(os.path.realpath(one), one)
        if not seen:
            links = walked.outside[first_outside:]
            raise UsageError(
                f"{name} contains no files" + (f"; {links[0]} is a link out of it, not followed" if links else "")
            )
    walked.files.extend(found.values())
    return walked


def _files_in(file: str, walked: Walked) -> list[str]:
    """The file; of an archive those in it."""
    source = walked.sources[file] = Source(file)
    packed = source.kind is Kind.ARCHIVE or (source.kind is Kind.ABSENT and archives.is_archive(file))
    return _files_of(file, walked.outside) if packed else [file]


def _files_of(archive: str, outside: list[str]) -> list[str]:
    """The files in an archive; itself where it cannot be read."""
    try:
        inside = archives.contents(archive)
    except InputError:
        return [archive]
    if not inside.files and not inside.outside:
        return [archive]
    outside.extend(f"{archive}/{name}" for name in inside.outside)
    return [f"{archive}/{name}" for name in sorted(inside.files) if all(map(_is_shown, name.split("/")))]


def _below_address(folder: str, file: str) -> list[str]:
    """The names of the folders below a folder elsewhere, and of the file in them."""
    return file.partition("?")[0][len(folder.partition("?")[0]) :].strip("/").split("/")


def _below(folder: Path) -> Iterator[Path]:
    """The files below a folder, and the links to folders."""

    def refuse(error: OSError) -> None:
        raise UsageError(f"the folder {error.filename} cannot be read ({error.strerror or error})")

    for root, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = sorted(filter(_is_shown, folders))
        yield from (path for name in folders if (path := Path(root, name)).is_symlink())
        for name in sorted(filter(_is_shown, files)):
            file = Path(root, name)
            # a pipe would be waited for; of a link to nowhere its opening complains
            if file.is_file() or not file.exists():
                yield file


def _is_shown(name: str) -> bool:
    return re.match(_DEBRIS, name) is None
