"""Whose run it is: from a list, from a pattern, or from the folder."""

from __future__ import annotations

import datetime
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, masked
from coliee_adapters.files import archives, remote
from coliee_adapters.files.source import PathLike, Source, is_folder
from coliee_ir.inbox.sheets import read_sheet


class Listed(NamedTuple):
    """A row of a list of teams: the run tag, file or ``FOLDER/``, the team, and the further columns."""

    run: str  # empty in a row of all runs of a team
    team: str
    more: tuple[str, ...] = ()
    status: str = ""  # ``ranked``, or why a run is not: ``late``, ``withdrawn``, ``replaced by TAG``


def _read(teams: PathLike | Mapping[str, str] | None) -> tuple[tuple[Listed, ...], tuple[str, ...]]:
    """The rows of a list of teams, and the names of its further columns."""
    if teams is None:
        return (), ()
    if isinstance(teams, Mapping):
        return tuple(Listed(run, team) for run, team in teams.items()), ()
    source = Source.of(
        one_of("teams", teams, (str, os.PathLike, Source), "a CSV file, or a dictionary from tags to teams")
    )
    sheet = read_sheet(source)
    team = sheet.column("team", "group")
    tag = sheet.column("tag", "run", "file", "path", "sid", "name")
    if team is None or tag is None:
        problem = "there is no such column"
        remedy = "name two: tag,team"
        raise InputError("missing-column", sheet.name, problem, line=1, found=",".join(sheet.header), remedy=remedy)
    state = sheet.column("status")
    further = [at for at in range(len(sheet.header)) if at not in (team, tag, state)]
    found: dict[tuple[str, str], Listed] = {}
    for line, cells in sheet.rows:
        status = "" if state is None else " ".join(cells[state].split())
        if not re.fullmatch(_STATUS, status):
            remedy = "write ranked, late, withdrawn or replaced by TAG"
            raise InputError("bad-cell", sheet.name, "unknown status", line=line, found=status, remedy=remedy)
        row = Listed(cells[tag], cells[team], tuple(cells[at] for at in further), status)
        if found.setdefault((row.run, "" if row.run else row.team), row) != row:
            problem = f"this run is also {found[row.run, ''].team}'s" if row.run else "this team has two rows"
            raise InputError(
                "conflicting", sheet.name, problem, line=line, found=row.run or row.team, remedy="keep one"
            )
    return tuple(found.values()), tuple(sheet.header[at] for at in further)


#: what a list says of a run
LATE: Final = "late"
_STATUS: Final = "|ranked|late|withdrawn|replaced by .+"

#: what an archive's name ends in, and a team's does not
_PACKED = re.compile(r"\.(?:zip|tar(?:\.gz|\.xz)?|tgz|eml|mbox)$", re.IGNORECASE)

#: what the organisers want before the name of a team in a mail's subject, and mail programs make folders of
_MAILED = re.compile(r"(?:\s*(?:re|fwd?)\s*:)*\s*\[\s*submission\s*\]\s*(?=\S)", re.IGNORECASE)


class Teams:
    """Who sent which run.

    Asked in turn: the list, by run tag or file name; the subject of its mail, ``[submission] TEAM``; the folder, which
    is the first one below the folder that all files have in common.

    Args:
        teams: a CSV with the columns ``tag`` and ``team``, and more; or a dictionary tag, or file → team. A column
            ``status`` says which runs are shown and not ranked; a row without a tag is that of all runs of its team.
        paths: the files, and the folders and archives that they are in.
        deadline: what is received later is late, unless the list says that it is ranked.

    Raises:
        InputError: the list cannot be read.
    """

    def __init__(
        self,
        teams: PathLike | Mapping[str, str] | None = None,
        paths: Iterable[str] = (),
        deadline: datetime.datetime | None = None,
    ) -> None:
        (self.rows, self.columns), self.common, self.deadline = _read(teams), _common_folder(paths), deadline
        #: the rows that no run has been looked up in
        self.unused = dict.fromkeys(row.run for row in self.rows if row.run)
        self._by_name = {_spelled(row.run).lstrip("/"): row for row in self.rows if row.run}
        self._of_team = {row.team: row for row in self.rows if not row.run}

    def row_of(self, tag: str, file: str) -> Listed | None:
        """The row of the list for a run: by its path's end, tag, file name or folder, however that is written.

        :meta private:
        """
        parts = Path(_spelled(_plain(Path(file)).as_posix())).parts if file else ()
        paths = ["/".join(parts[at:]).lstrip("/") for at in range(len(parts))]
        names = [*paths[:-1], _spelled(tag), *paths[-1:]]  # a path with its folder says most, as runs may share a tag
        stem = re.sub(r"\.(?:txt|json|jsonl|csv|tsv|xml|gz)$", "", parts[-1]) if parts else ""
        names += [stem, *(f"{part}/" for part in reversed(parts[:-1]))]
        row = next((self._by_name[name] for name in names if name and name in self._by_name), None)
        if row is not None:
            self.unused.pop(row.run, None)
        return row

    def said_of(self, tag: str, file: str, team: str) -> Listed | None:
        """The row of a run, or else that of its team.

        :meta private:
        """
        return self.row_of(tag, file) or self._of_team.get(team)

    def status_of(self, tag: str, file: str, team: str, received: str = "") -> str:
        """Why a run is not ranked; empty where it is."""
        rows = (self.row_of(tag, file), self._of_team.get(team))
        if status := next((row.status for row in rows if row is not None and row.status), ""):
            return "" if status == "ranked" else status
        too_late = self.deadline and received and datetime.datetime.fromisoformat(received) > self.deadline
        return LATE if too_late else ""

    def team_of(self, tag: str, file: str) -> str:
        """The team of a run; empty where nothing tells it. Args are those of ``row_of``."""
        if (row := self.row_of(tag, file)) is not None:
            return row.team
        mail = archives.mail_of(file)
        if mail is not None and (asked := _MAILED.match(mail.subject)):
            return mail.subject[asked.end() :]
        there = remote.is_remote(file) or Path(archives.outer(file)).exists()
        if self.common is None or not there:  # from memory, or standard input
            return ""
        try:
            below = _plain(Path(file)).relative_to(self.common)
        except ValueError:
            return ""
        return _MAILED.sub("", _PACKED.sub("", below.parts[0]), 1) if len(below.parts) > 1 else ""


def _common_folder(given: Iterable[str]) -> Path | None:
    """The deepest folder, or archive, that those given, and the folders of the files given, have in common."""
    there = [path for path in given if remote.is_remote(path) or Path(path).exists()]
    packed = [is_folder(path) or archives.is_archive(path) for path in there]
    places = [_plain(Path(masked(path))) for path in there]
    folders = [place if is_whole else place.parent for place, is_whole in zip(places, packed, strict=True)]
    return Path(os.path.commonpath(folders)) if folders else None


def _spelled(path: str) -> str:
    """A path as it is compared: one kind of slash, no ``./``, no capitals, composed characters."""
    text = unicodedata.normalize("NFC", path.strip().replace("\\", "/")).casefold()
    return re.sub(r"/{2,}|/\./", "/", text).removeprefix("./")


def _plain(path: Path) -> Path:
    """The path from the root, without ``..``; links stay what they are called."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
