"""What an edition is written to: the desk, the public site, the paper, all numbers, and the sums of all files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from coliee_adapters import trec_eval
from coliee_adapters.errors import UsageError
from coliee_adapters.files import archives
from coliee_adapters.files.source import sha256_of
from coliee_adapters.files.writing import check_outputs, made_folder, written_bytes
from coliee_adapters.forms.lines import counted
from coliee_ir._version import __version__
from coliee_ir.commands.edition import desk, paper, public
from coliee_ir.commands.edition.config import Edition
from coliee_ir.commands.edition.day import Day
from coliee_ir.output.envelope import dumped
from coliee_ir.output.shown import jsonable

RESULTS: Final = "results.json"
_SUMS: Final = "SHA256SUMS"

#: a line of the sums, whose file lies below their folder
_LINE: Final = re.compile(r"[0-9a-f]{64}  (?!/)((?:(?!\.\./)[^\n])+)")


class News(NamedTuple):
    """What is new since an edition was last written, and what its paper needs."""

    arrived: tuple[str, ...]  # the files that are new
    changed: tuple[str, ...]  # the golds, sheets and mails whose content is another one
    decide: frozenset[str]  # the decisions that are new; all of a first call
    needs_lualatex: bool  # whether the paper has characters that pdfLaTeX does not have


def inputs(edition: Edition) -> list[str]:
    """The files that an edition names beside its mailbox."""
    parts = [path for part in edition.tasks for path in (part.gold, part.training, part.categories, part.corpus)]
    return [path for path in dict.fromkeys([edition.path, edition.teams, *parts]) if path is not None]


def write(day: Day, folder: Path) -> News:
    """Write all of an edition: each file beside its place, then into it; what an earlier call left is removed."""
    boards = [board for board in day.boards if board.entries]
    site, papers = public.pages(boards, day.edition), paper.files(boards, day.edition)
    rooms = {"desk": desk.pages(day), "public": site, "paper": papers}
    files = {f"{room}/{name}": content for room, made in rooms.items() for name, content in made.items()}
    before, earlier = _read_results(folder), _read_sums(folder)
    results = _results(day)
    files[RESULTS] = dumped(results)
    contents = {name: text if isinstance(text, bytes) else text.encode() for name, text in sorted(files.items())}
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in contents.items()]
    contents[_SUMS] = "".join(lines).encode()
    read = [*inputs(day.edition), *day.edition.mailbox]
    if any(Path(folder).resolve().is_relative_to(Path(box).resolve()) for box in day.edition.mailbox):
        raise UsageError("would-overwrite", f"{folder} is inside the mailbox; name another folder with -o")
    check_outputs([folder / name for name in contents], read)
    for name, content in contents.items():
        made_folder((folder / name).parent)
        with written_bytes(folder / name) as stream:
            stream.write(content)
    for name in earlier:
        if name not in contents:
            _remove(folder, folder / name)
    known = {row["file"] for row in before.get("received", [])}
    told = {str(one) for one in before.get("decide", [])}
    arrived = tuple(row["file"] for row in results["received"] if row["file"] not in known)
    new = frozenset(str(one) for one, row in zip(day.decide, results["decide"], strict=True) if str(row) not in told)
    needs_lualatex = "program = lualatex" in str(files["paper/paper.tex"]).partition("\n")[0]
    sums = before.get("inputs", {})
    changed = tuple(path for path, digest in results["inputs"].items() if sums.get(path, digest) != digest)
    return News(arrived, changed, new, needs_lualatex)


def _results(day: Day) -> dict[str, Any]:
    """All numbers, and the sums of what they were computed from."""
    outer = dict.fromkeys(archives.outer(one.file) for one in day.inventory.items)
    read = [path for path in (*inputs(day.edition), *outer) if Path(path).is_file()]
    return {
        "coliee_ir": __version__,
        "trec_eval": trec_eval.version(),
        "name": day.edition.name,
        "inputs": {path: sha256_of(path) for path in read},
        "received": [jsonable(row) for row in day.inbox.received],
        "findings": [jsonable(one) for one in day.inbox.findings],
        "decide": [{"kind": one.kind, "key": one.key, **one._asdict()} for one in day.decide],
        "tasks": {board.called: board.to_dict() for board in day.boards},
    }


def _read_results(folder: Path) -> Mapping[str, Any]:
    """What the last call found; nothing where there was none."""
    try:
        found = json.loads((folder / RESULTS).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_sums(folder: Path) -> list[str]:
    """The files that the last call wrote."""
    try:
        lines = (folder / _SUMS).read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []
    return [match[1] for match in map(_LINE.fullmatch, lines) if match]


def _remove(folder: Path, path: Path) -> None:
    """Remove a file, and the folder that is empty then."""
    if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
        path.unlink()
        if path.parent != folder and not any(path.parent.iterdir()):
            path.parent.rmdir()


def told(day: Day, news: News) -> Iterator[str]:
    """The end of the command: what is new, and the list of what a person must decide."""
    teams = dict.fromkeys(row.team or "no team" for row in day.inbox.received if row.file in {*news.arrived})
    of_teams = f" of {', '.join(teams)}" if 0 < len(teams) <= 12 else ""
    yield f"{counted(len(news.arrived), 'new file')}{of_teams}; {counted(len(day.inbox.received), 'file')} in all"
    if news.changed:
        yield f"changed: {', '.join(news.changed)}"
    for board in day.boards:
        yield f"Task {board.called}: {counted(len(board.entries), 'run')}"
    if news.needs_lualatex:
        yield "paper/paper.tex: compile it with lualatex; pdflatex does not have all characters of the names"
    if day.decide:
        yield f"{counted(len(day.decide), 'decision')} to take, {len(news.decide)} new:"
    for one in day.decide:
        yield f"  {'*' if str(one) in news.decide else ' '} {one} [{one.kind}]"
