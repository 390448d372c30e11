"""What an edition is written to: the desk, the public site, the paper, all numbers, and the sums of all files.

The folder is swapped as a whole, so that there is the old edition or the new one, and no mixture of both.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from coliee_adapters import trec_eval
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files import limits
from coliee_adapters.files.source import sha256_of
from coliee_adapters.forms.lines import counted
from coliee_ir._version import __version__
from coliee_ir.commands.bundle import pack_for
from coliee_ir.commands.edition import desk, public
from coliee_ir.commands.edition.config import Edition
from coliee_ir.commands.edition.day import Day
from coliee_ir.commands.edition.desk import Change, changes_of, table
from coliee_ir.commands.edition.public import Pictures, code
from coliee_ir.commands.leaderboard.board import brief
from coliee_ir.output.envelope import dumped
from coliee_ir.output.grid import markdown
from coliee_ir.output.rendering import jsonable

RESULTS: Final = "results.json"
_SUMS: Final = "SHA256SUMS"
_PICTURES: Final = "pictures.json"

#: a line of the sums, whose file lies below their folder
_LINE: Final = re.compile(r"([0-9a-f]{64})  (?!/)((?:(?!\.\./)[^\n])+)")

#: so many changes are printed
_PRINTED: Final = 20

#: of Linux: from which folder paths begin, and that two of them change places
_HERE, _SWAP = -100, 2


class News(NamedTuple):
    """What an edition comes to, and what is new since it was last written."""

    results: Mapping[str, Any]
    arrived: tuple[str, ...] = ()  # the files that are new
    changes: tuple[Change, ...] = ()
    decide: frozenset[str] = frozenset()  # the keys of the decisions that are new; all of a first call
    kept: tuple[str, ...] = ()  # the files that were changed by hand, and are not written over


def unchanged(edition: Edition, folder: Path) -> News | None:
    """What was written to a folder, where all that it was made from, and all files in it, are as they were."""
    before, sums = _read_json(folder / RESULTS), _read_sums(folder)
    if not sums or before.get("inputs") != _inputs(edition):
        return None
    is_whole = all((folder / name).is_file() and sha256_of(folder / name) == digest for name, digest in sums.items())
    return News(before, kept=_hand_edited(sums)) if is_whole else None


def _inputs(edition: Edition) -> dict[str, str]:
    """All that an edition is made from → its sum: the files, this package, and the limits."""
    sums = {"coliee-ir": code(), "limits": ", ".join(map(str, limits.current()))}
    for path in edition.read:
        files = sorted(Path(path).rglob("*")) if Path(path).is_dir() else [Path(path)]
        sums |= {str(file): sha256_of(file) for file in files if file.is_file()}
    return sums


def write(day: Day, folder: Path) -> News:
    """Write all of an edition; what an earlier call left is removed, and what was changed by hand is kept.

    Raises:
        InputError: the folder cannot be written.
        UsageError: it holds what the edition is made from, or lies in it.
    """
    target = Path(os.path.realpath(folder))
    for path in map(os.path.realpath, day.edition.read):
        if target.is_relative_to(path) or Path(path).is_relative_to(target):
            raise UsageError(
                "would-overwrite",
                f"{folder} is inside the mailbox, or holds an input ({path}); name another folder with -o",
            )
    before, results = _read_json(target / RESULTS), _results(day)
    changes = tuple(changes_of(before, results))
    boards = [board.public for board in day.boards if board.public.entries]
    last = max((file.sender.received for file in day.inventory.items), default="")
    drawn = target / _PICTURES
    is_ours = drawn.is_file() and sha256_of(drawn) == _read_sums(target).get(_PICTURES)
    pictures = Pictures(_read_json(drawn) if is_ours else {})
    rooms: dict[str, Mapping[str, str | bytes]] = {
        "desk": desk.pages(day, changes), "public": public.pages(boards, day.edition, pictures, last),
        "paper": public.paper_files(boards, day.edition, pictures),
        "": {RESULTS: dumped(results), "changes.md": markdown(table(changes)), _PICTURES: dumped(pictures.made)},
    }  # fmt: skip
    if image := day.edition.image:
        rooms["codabench"] = {
            f"task{part.name.replace(' ', '-')}.zip": pack_for(basis, image, day.edition.name, day.edition.deadline)
            for part, basis in zip(day.edition.tasks, day.bases, strict=True)
        }
    files = {
        str(Path(room, name)): content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace")
        for room, contents in rooms.items()
        for name, content in contents.items()
    }
    try:
        with _taking_place_of(target) as new:
            sums = _fill(new, files)
    except OSError as error:
        raise InputError(
            "cannot-write",
            str(folder),
            f"cannot be written ({error.strerror or error})",
            remedy="name a folder that can be written",
        ) from None
    earlier = {row["file"] for row in before.get("received", ())}
    earlier_keys = {row.get("key") for row in before.get("decide", ())}
    return News(
        results,
        tuple(row["file"] for row in results["received"] if row["file"] not in earlier),
        changes,
        frozenset(decision.key for decision in day.decide if decision.key not in earlier_keys),
        _hand_edited(sums),
    )


def _hand_edited(sums: Iterable[str]) -> tuple[str, ...]:
    """The files that are kept, of the names of those written."""
    return tuple(name.removesuffix(".new") for name in sums if name.endswith(".new"))


def _fill(folder: Path, contents: Mapping[str, bytes]) -> Iterable[str]:
    """Write files into a folder in place of those of an earlier call, but of those changed by hand beside them."""
    sums = _read_sums(folder)

    def is_ours(name: str) -> bool:
        place = folder / name
        return not place.is_file() or sha256_of(place) in (sums.get(name), sums.get(f"{name}.new"))

    new = {
        name if is_ours(name) or (folder / name).read_bytes() == content else f"{name}.new": content
        for name, content in contents.items()
    }
    for name in sums.keys() - new.keys():
        if (folder / name).is_file() and is_ours(name):
            (folder / name).unlink()
            if not any((folder / name).parent.iterdir()):
                (folder / name).parent.rmdir()
    lines = "".join(f"{hashlib.sha256(new[name]).hexdigest()}  {name}\n" for name in sorted(new))
    for name, content in {**new, _SUMS: lines.encode()}.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)  # it may be a link to something else
        place.write_bytes(content)
    return new


@contextlib.contextmanager
def _taking_place_of(folder: Path) -> Iterator[Path]:
    """A copy of a folder, which takes its place if the block ends well.

    Linux swaps them in one step; elsewhere, the old one is moved aside first.
    """
    for left in folder.parent.glob(f".{folder.name}.*.new"):  # by a call that was killed
        shutil.rmtree(left)
    new = folder.with_name(f".{folder.name}.{os.urandom(4).hex()}.new")
    try:
        if folder.exists():
            shutil.copytree(folder, new, symlinks=True)
        else:
            new.mkdir(parents=True)
        yield new
        swap = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
        if not folder.exists():
            new.rename(folder)
        elif swap is None or swap(_HERE, os.fsencode(new), _HERE, os.fsencode(folder), _SWAP):
            old = new.with_suffix(".old.new")
            folder.rename(old)
            new.rename(folder)
            shutil.rmtree(old)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _results(day: Day) -> dict[str, Any]:
    """All numbers, and the sums of what they were computed from."""
    return {
        "coliee_ir": __version__,
        "trec_eval": trec_eval.version(),
        "name": day.edition.name,
        "inputs": _inputs(day.edition),
        "received": [jsonable(row) for row in day.inbox.received],
        "findings": [jsonable(finding) for finding in day.inbox.findings],
        "decide": [{"kind": decision.kind, "key": decision.key, **decision._asdict()} for decision in day.decide],
        "tasks": {board.called: board.to_dict() for board in day.boards},
    }


def _read_json(file: Path) -> dict[str, Any]:
    """What the last call wrote; nothing where there was none."""
    with contextlib.suppress(OSError, ValueError):
        content = json.loads(file.read_text("utf-8"))
        return content if isinstance(content, dict) else {}
    return {}


def _read_sums(folder: Path) -> dict[str, str]:
    """The files that the last call wrote → their sums."""
    with contextlib.suppress(OSError, ValueError):
        lines = (folder / _SUMS).read_text("utf-8").splitlines()
        return {match[2]: match[1] for match in map(_LINE.fullmatch, lines) if match}
    return {}


def summary_lines(news: News) -> Iterable[str]:
    """The end of the command: what is new, and the list of what a person must decide."""
    received, decide, arrived = news.results["received"], news.results["decide"], {*news.arrived}
    teams = dict.fromkeys(row["team"] or "no team" for row in received if row["file"] in arrived)
    of_teams = f" of {', '.join(teams)}" if 0 < len(teams) <= 12 else ""
    yield f"{counted(len(news.arrived), 'new file')}{of_teams}; {counted(len(received), 'file')} in all"
    moved = [str(change) for change in news.changes if change.what != "new files"]
    yield from moved[:_PRINTED]
    if len(moved) > _PRINTED:
        yield f"{len(moved) - _PRINTED} more changes: see changes.md"
    for name in news.kept:
        yield f"{name} was changed by hand and is kept; the new one is {name}.new"
    for name, board in news.results["tasks"].items():
        yield f"Task {name}: {counted(len(board['runs']), 'run')}"
    if decide:
        decisions = f"{counted(len(decide), 'open decision')} ({len(news.decide)} new, marked *)"
        yield f"{decisions}; settle each in the teams file, or write to the team:"
    for decision in decide:
        about = " ".join(brief(name) for name in (decision["team"], decision["run"]) if name) or decision["file"]
        sentence = ": ".join(filter(None, (about, decision["what"])))
        yield f"  {'*' if decision['key'] in news.decide else ' '} {sentence} [{decision['kind']}]"
