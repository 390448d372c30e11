"""Folders and archives where files are expected: all files below them, and what is passed over."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files import archives, remote
from coliee_adapters.files.source import Kind, PathLike, Source
from coliee_adapters.remarks import Remark

#: what systems and programs leave in folders
_DEBRIS: Final = re.compile(
    r"~\$|__macosx$|(eh)?thumbs\.db$|desktop\.ini$|\$recycle\.bin$|icon\r$"
    r"|\.(_|ds_store$|git|ipynb_checkpoints$|trash|spotlight-|fseventsd$|directory$|localized$|nfs)",
    re.IGNORECASE,
)

#: why a file is passed over → a sentence with its name
PASSED: Final = {
    "besides": "{} is not a submission and was skipped",
    "link": "{} is a link out of the folder and was skipped",
    "hidden": "{} is hidden and was skipped; to have it read, rename it without the dot",
    "special": "{} is a link or a device in an archive and was skipped",
    "outside": "{} leads out of its archive and was skipped",
    "nameless": "{}: an entry without a name was skipped",
    "control": "{} has control characters in its name and was skipped",
    "again": "{}: the archive has {} entries of this name; the last one counts",
}


#: so many names are told of what is passed over for one reason
_NAMED: Final = 20


class Walked(NamedTuple):
    """The files that paths stand for."""

    files: list[str]  # the files, each once; of an archive those in it, as ``ARCHIVE/NAME``
    passed: list[tuple[str, str]]  # what is passed over: why, as a kind of ``PASSED``, and the name
    named: set[str]  # the files that were named themselves
    sources: dict[str, Source]  # those of the files that were looked at, by path

    def source(self, file: str, columns: Mapping[str, str] | None = None) -> Source:
        """One of the files."""
        return Source.of(self.sources.get(file, file), columns)

    def remarks(self) -> list[str]:
        """What was passed over, in sentences."""
        return [Remark("passed-over", PASSED[why].format(name, n)) for why in PASSED for name, n in self._passed(why)]

    def _passed(self, why: str) -> list[tuple[str, object]]:
        """The names of what is passed over for one reason, of very many the first; how many entries have the name."""
        names = Counter(name for reason, name in self.passed if reason == why)
        first: list[tuple[str, object]] = [(name, n + 1) for name, n in names.items()]
        return first if len(first) <= _NAMED else [*first[:_NAMED], (f"(and {len(first) - _NAMED:,} more)", "several")]


def walk(paths: Iterable[PathLike | Source], besides: Iterable[PathLike | None] = ()) -> Walked:
    """The files that are named, and all files below the folders and in the archives that are named, sorted by name.

    An archive that cannot be read stays a file, of which its opening complains.
    Hidden files, what operating systems leave behind, and pipes are left out. A link is followed only to a file in the
    same folder or below: a folder of uploads cannot show what lies elsewhere.
    """
    others = {os.path.realpath(path) for path in besides if path is not None}
    found: dict[str, str] = {}
    walked = Walked([], [], set(), {})
    for path in paths:
        given = Source.of(path)
        name = given.path
        walked.sources[name] = given
        if remote.is_remote(name):
            if given.is_folder:
                inside = [
                    file for file in remote.files(name) if _is_shown(_below_address(name, file), name, walked.passed)
                ]
                if not inside:
                    raise UsageError("empty", f"{name} contains no files")
            else:
                walked.named.add(name)
                inside = [name]
            for address in inside:
                if address != name and os.path.realpath(address) in others:
                    walked.passed.append(("besides", address))
                else:
                    found.setdefault(address, address)
            continue
        if not given.is_folder:
            packed = given.kind is Kind.ARCHIVE or (given.kind is Kind.ABSENT and archives.is_archive(name))
            if not packed:
                walked.named.add(name)
            inside = _files_of(name, walked.passed) if packed else [name]
            for one in inside:
                found.setdefault(one if one == "-" else os.path.realpath(one), one)
            if not inside:
                raise UsageError("empty", f"{name} contains no files")
            continue
        seen, links = 0, list[str]()
        base = os.path.realpath(name)
        # links last: a file that is there twice goes by its own name
        for file in sorted(_below(Path(name), walked.passed), key=Path.is_symlink):
            real = os.path.realpath(file)
            if real not in others and not Path(real).is_relative_to(base):
                walked.passed.append(("link", str(file)))
                links.append(str(file))
            elif not file.is_dir():
                seen += 1
                if real in others:
                    walked.passed.append(("besides", str(file)))
                else:
                    for one in _files_in(str(file), walked):
                        found.setdefault(os.path.realpath(one), one)
        if not seen:
            problem = f"{name} contains no files" + (f"; {links[0]} is a link out of it, not followed" if links else "")
            raise UsageError("empty", problem)
    walked.files.extend(found.values())
    return walked


def _files_in(file: str, walked: Walked) -> list[str]:
    """The file; of an archive those in it."""
    source = walked.sources[file] = Source(file)
    packed = source.kind is Kind.ARCHIVE or (source.kind is Kind.ABSENT and archives.is_archive(file))
    return _files_of(file, walked.passed) if packed else [file]


def _files_of(archive: str, passed: list[tuple[str, str]]) -> list[str]:
    """The files in an archive; itself where it cannot be read."""
    try:
        inside = archives.contents(archive)
    except InputError:
        return [archive]
    if not inside.files and not inside.passed:
        return [archive]
    before = set(passed)  # it may be named twice
    passed.extend(one for why, name in inside.passed if (one := (why, f"{archive}/{name}")) not in before)
    return [f"{archive}/{name}" for name in sorted(inside.files) if _is_shown(name, archive, passed)]


def _below_address(folder: str, file: str) -> str:
    """The name of a file below a folder elsewhere."""
    return file.partition("?")[0][len(folder.partition("?")[0]) :].strip("/")


def _below(folder: Path, passed: list[tuple[str, str]]) -> Iterator[Path]:
    """The files below a folder, and the links to folders."""

    def refuse(error: OSError) -> None:
        raise UsageError("cannot-read", f"the folder {error.filename} cannot be read ({error.strerror or error})")

    for root, folders, files in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in sorted(folders) if _is_shown(name, root, passed)]
        yield from (path for name in folders if (path := Path(root, name)).is_symlink())
        for name in sorted(files):
            file = Path(root, name)
            # a pipe would be waited for; of a link to nowhere its opening complains
            if _is_shown(name, root, passed) and (file.is_file() or not file.exists()):
                yield file


def _is_shown(name: str, folder: str, passed: list[tuple[str, str]]) -> bool:
    """Whether a file is read; of one that is hidden, itself or in a hidden folder, is told that it is passed over."""
    parts = name.split("/")
    if any(map(_DEBRIS.match, parts)):
        return False
    for at, part in enumerate(parts, 1):
        if part.startswith("."):
            passed.append(("hidden", "/".join([folder.rstrip("/"), *parts[:at]])))
            return False
    return True
