"""Folders and archives where files are expected: all files below them, and what is passed over."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from coliee_adapters.errors import InputError, UsageError, shortened
from coliee_adapters.files import archives, limits, remote, trial
from coliee_adapters.files.source import PathKind, PathLike, Source
from coliee_adapters.remarks import Remark
from coliee_ir.inbox.envelopes import team_in

#: what systems and programs leave in folders
_DEBRIS: Final = re.compile(
    r"~\$|__macosx$|(eh)?thumbs\.db$|desktop\.ini$|\$recycle\.bin$|icon\r$"
    r"|\.(_|ds_store$|git|ipynb_checkpoints$|trash|spotlight-|fseventsd$|directory$|localized$|nfs)",
    re.IGNORECASE,
)

#: why a file is passed over: in one word → as it is called, of one, of several
SKIP_REASONS: Final = {
    "besides": ("file already used as gold or as an option", "files given for something else"),
    "link": ("link out of the folder", "links out of the folder"),
    "hidden": ("hidden file; rename it without the dot to have it read", "hidden files; rename them without the dot"),
    "special": ("link or device in an archive", "links or devices in an archive"),
    "outside": (
        "entry that leads out of its archive; pack it without the folders above",
        "entries that lead out of their archive; pack them without the folders above",
    ),
    "nameless": ("archive entry without a name", "archive entries without a name"),
    "headers": (
        "mail with more than 64 KiB of headers, or 2000 parts",
        "mails with more than 64 KiB of headers, or 2000 parts",
    ),
    "bare": ("mail without attachments", "mails without attachments"),
    "long": ("name of more than 1000 bytes", "names of more than 1000 bytes"),
    "control": ("name with control characters; give it another", "names with control characters; give them others"),
    "again": ("archive entry whose name comes again: the last one counts", "archive entries whose names come again"),
    "description": ("system description", "system descriptions"),
    "gold": ("copy of the gold", "copies of the gold"),
    "duplicate": ("copy of another run", "copies of other runs"),
    "task": ("file of another task", "files of other tasks"),
    "elsewhere": ("file of queries that this gold does not judge", "files of queries that this gold does not judge"),
    "unscored": ("long list, which the rules of this year do not score", "long lists, which this year does not score"),
    "part": ("file of another part of submissions", "files of another part of submissions"),
    "named": ("file named as a gold", "files named as golds"),
    "judged": ("gold in the format of the protocol", "golds in the format of the protocol"),
    "nothing": ("file that is not a run", "files that are not runs"),
}


#: of these, what a team sent and nobody looked into
UNREAD: Final = ("hidden", "special", "outside", "nameless", "long", "control")


def skipped_remarks(skipped: Collection[tuple[str, str]]) -> list[str]:
    """Sentences on files that are passed over: of reasons, as keys of ``SKIP_REASONS``, and names."""
    remarks = list[str]()
    for kind, (of_one, of_several) in SKIP_REASONS.items():
        if names := Counter(name for why, name in skipped if why == kind):
            examples = [f"{name} ({n + 1} entries)" if kind == "again" else name for name, n in names.items()]
            remarks.append(Remark.of("passed-over", examples, what=of_several if len(examples) > 1 else of_one))
    return remarks


class FoundFiles(NamedTuple):
    """The files that paths stand for."""

    files: list[str]  # the files, each once; of an archive those in it, as ``ARCHIVE/NAME``
    skipped: list[tuple[str, str]]  # what is passed over: why, as a key of ``SKIP_REASONS``, and the name
    named: set[str]  # the files that were named themselves
    sources: dict[str, Source]  # those of the files that were looked at, by path


def walk(
    paths: Iterable[PathLike | Source],
    besides: Iterable[PathLike | None] = (),
    bounds: limits.Limits | None = None,
) -> FoundFiles:
    """The files that are named, and all files below the folders and in the archives that are named, sorted by name.

    Hidden files, what operating systems leave behind, and pipes are left out. A link is followed only to a file in the
    same folder or below. An archive that cannot be read stays a file, of which its opening complains; where there are
    bounds, so does one that takes longer than they allow.
    """
    others = {os.path.realpath(path) for path in besides if path is not None}
    files: dict[str, str] = {}
    walked = FoundFiles([], [], set(), {})
    for path in paths:
        source = Source.of(path)
        name, base, is_remote = source.path, os.path.realpath(source.path), remote.is_remote(source.path)
        is_seen, links = False, list[str]()
        walked.sources[name] = source
        for file in _files_below(source, walked.skipped):
            real, is_inside = os.path.realpath(file), file != name
            if is_inside and not is_remote and real not in others and not Path(real).is_relative_to(base):
                links.append(file)
            elif is_inside and not is_remote and Path(file).is_dir():
                continue
            elif is_inside and real in others:
                is_seen = True
                walked.skipped.append(("besides", file))
            else:
                if bounds is not None and not is_remote:
                    trial.try_unpacking(file, bounds)
                if not is_inside and (is_remote or not _is_packed(source)):
                    walked.named.add(name)
                inside = _files_in(file, walked)
                is_seen = is_seen or is_inside or bool(inside)
                for path_of_file in inside:
                    files.setdefault(
                        path_of_file
                        if path_of_file == "-" or remote.is_remote(path_of_file)
                        else os.path.realpath(path_of_file),
                        path_of_file,
                    )
        walked.skipped.extend(("link", file) for file in links)
        if not is_seen:
            raise UsageError(
                "empty",
                f"{name} contains no files" + (f"; {links[0]} is a link out of it, not followed" if links else ""),
            )
    walked.files.extend(files.values())
    return walked


def _is_packed(source: Source) -> bool:
    return source.kind is PathKind.ARCHIVE or (source.kind is PathKind.ABSENT and archives.is_archive(source.path))


def _files_in(file: str, walked: FoundFiles) -> list[str]:
    """The file; of an archive of this machine those in it, and itself where it cannot be read."""
    if remote.is_remote(file) or not _is_packed(walked.sources.setdefault(file, Source(file))):
        return [file]
    try:
        inside = archives.contents(file)
    except InputError:
        return [file]
    skipped = [(why, f"{file}/{name}") for why, name in inside.skipped]
    if "" not in inside.mails:  # several mails, of which one may be cut or have lost its attachments
        filled = {name.partition("/")[0] for name in inside.files}
        numbers = {name.rstrip("/"): team_in(mail.subject) for name, mail in inside.mails.items()}
        bare = ((n, team) for n, team in numbers.items() if team and "/" not in n and n not in filled)
        skipped += [("bare", f"{file}/{n} ({shortened(team)})") for n, team in bare]
    before = {*walked.skipped}  # an archive may be named twice
    walked.skipped.extend(entry for entry in skipped if entry not in before)
    if all(map(_is_debris, inside.files)) and not inside.skipped:
        return [file]
    return [f"{file}/{name}" for name in sorted(inside.files) if _is_shown(name, file, walked.skipped)]


def _files_below(source: Source, skipped: list[tuple[str, str]]) -> Iterator[str]:
    """What is no folder, itself; else the files below it, and links last: what is there twice goes by its own name."""
    name = source.path
    if not source.is_folder:
        yield name
    elif remote.is_remote(name):
        address = name.partition("?")[0]
        for file in remote.files(name):
            if _is_shown(file.partition("?")[0].removeprefix(address).strip("/"), name, skipped):
                yield file
    else:
        yield from map(str, sorted(_walk_folder(Path(name), skipped), key=Path.is_symlink))


def _walk_folder(folder: Path, passed: list[tuple[str, str]]) -> Iterator[Path]:
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
    if _is_debris(name):
        return False
    parts = name.split("/")
    hidden = next((depth for depth, part in enumerate(parts, 1) if part.startswith(".")), 0)
    if hidden:
        passed.append(("hidden", "/".join([folder.rstrip("/"), *parts[:hidden]])))
    return not hidden


def _is_debris(name: str) -> bool:
    return any(map(_DEBRIS.match, name.split("/")))
