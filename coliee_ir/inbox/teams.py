"""Whose run it is: from a list, from a pattern, or from the folder."""

from __future__ import annotations

import datetime
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, masked, shortened
from coliee_adapters.files import archives, remote
from coliee_adapters.files.source import PathLike, Source, is_folder
from coliee_adapters.remarks import Remark
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
        kind = "a CSV file, or a dictionary from tags to teams"
        return tuple(Listed(run, one_of("teams", team, str, kind)) for run, team in teams.items()), ()
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

#: what the organisers want before the name of a team in a mail's subject, and mail programs make folders of
_MAILED = re.compile(r"(?:\s*(?:re|fwd?)\s*:)*\s*\[\s*submission\s*\]\s*(?=\S)", re.IGNORECASE)


class _Whose(NamedTuple):
    """Whose a run is, and what shows it."""

    team: str = ""  # in the spelling of the list, or that came first; empty where nothing tells it
    because: str = ""  # ``list``, ``subject``, ``sender``, ``folder``
    row: Listed | None = None  # the row of the list that is about the run
    doubt: Remark | None = None  # what a person must decide: the list gives its tag to another team


def team_key(team: str) -> str:
    """By what teams are compared: without case, width, blanks, and brackets at the end.

    >>> team_key("Re: [Submission] Kis (corrected)") == team_key("KIS") == team_key("ＫＩＳ [v2]")
    True
    """
    text = _MAILED.sub("", unicodedata.normalize("NFKC", team), 1).casefold()
    text = re.sub(r"(?:\s*[(\[{][^)\]}]*[)\]}])+\s*$", "", text) or text
    return re.sub(r"[\s_.-]+", " ", text).strip()


class Teams:
    """Who sent which run.

    Asked in turn: the list, by path or folder; the subject of its mail, ``[submission] TEAM``; the team of other mails
    of the same sender; the folder, which is the first one below the folder that all files have in common. A row of the
    list that names a tag alone never moves a run out of another team's mail, nor out of a folder where several teams
    sent this tag; that is told.

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
        self._of_team = {team_key(row.team): row for row in self.rows if not row.run}
        #: key → team, in the first spelling; sender → team
        self._spelling = {team_key(row.team): row.team for row in reversed(self.rows)}
        self._senders: dict[str, str] = {}
        #: tag → the keys of the teams that sent a file of it
        self._sent: dict[str, set[str]] = {}

    def whose(self, tag: str, file: str) -> _Whose:
        """Whose a run is: see ``Teams``.

        :meta private:
        """
        team, because = self._said_by(file)
        doubt = None
        for row, may_move in self._rows(tag, file):
            is_other = bool(team) and team_key(row.team) != team_key(team)
            if is_other and not may_move and (because != "folder" or len(self._sent.get(_spelled(tag), ())) > 1):
                told = shortened(row.run), shortened(row.team), shortened(team)
                doubt = doubt or Remark.of("team-list.other", tag=told[0], team=told[1], other=told[2])
                continue
            self.unused.pop(row.run, None)
            return _Whose(self._named(row.team), "list", row, doubt)
        return _Whose(self._named(team), because if team else "", None, doubt)

    def _rows(self, tag: str, file: str) -> Iterator[tuple[Listed, bool]]:
        """The rows of the list that may be about a run, the surest first; and whether each names its file or folder."""
        parts = Path(_spelled(_plain(Path(file)).as_posix())).parts if file else ()
        paths = ["/".join(parts[at:]).lstrip("/") for at in range(len(parts))]
        stem = re.sub(r"\.(?:txt|json|jsonl|csv|tsv|xml|gz)$", "", parts[-1]) if parts else ""
        # a path with its folder says most, as runs may share a tag; what a team wrote itself says least
        for names, is_place in (
            (paths[:-1], True),
            ([_spelled(tag)], False),
            (paths[-1:], True),
            ([stem], False),
            ([f"{part}/" for part in reversed(parts[:-1])], True),
        ):
            row = next((self._by_name[name] for name in names if name and name in self._by_name), None)
            if row is not None:
                yield row, is_place

    def see(self, tag: str, file: str) -> None:
        """Know that a file of this tag has come, before it is asked whose any is.

        :meta private:
        """
        team = self._said_by(file)[0]
        if team and not any(is_place for _, is_place in self._rows(tag, file)):
            self._sent.setdefault(_spelled(tag), set()).add(team_key(team))

    def _named(self, team: str) -> str:
        """A team as the list spells it, or as it was spelt first."""
        return self._spelling.setdefault(team_key(team), team) if team else ""

    def row_of(self, tag: str, file: str) -> Listed | None:
        """The row of the list for a run: by its path's end, tag, file name or folder, however that is written.

        :meta private:
        """
        return self.whose(tag, file).row

    def said_of(self, tag: str, file: str, team: str) -> Listed | None:
        """The row of a run, or else that of its team.

        :meta private:
        """
        return self.row_of(tag, file) or self._of_team.get(team_key(team))

    def status_of(self, tag: str, file: str, team: str, received: str = "") -> str:
        """Why a run is not ranked; empty where it is."""
        rows = (self.row_of(tag, file), self._of_team.get(team_key(team)))
        if status := next((row.status for row in rows if row is not None and row.status), ""):
            return "" if status == "ranked" else status
        too_late = self.deadline and received and datetime.datetime.fromisoformat(received) > self.deadline
        return LATE if too_late else ""

    def team_of(self, tag: str, file: str) -> str:
        """The team of a run; empty where nothing tells it. Args are those of ``row_of``."""
        return self.whose(tag, file).team

    def _said_by(self, file: str) -> tuple[str, str]:
        """The team that the mail or the folder of a file says, and which of them."""
        mail = archives.mail_of(file) if file else None
        if mail is not None:
            if asked := _MAILED.match(mail.subject):
                team = mail.subject[asked.end() :]
                self._senders.setdefault(mail.sender, team)
                return team, "subject"
            if mail.sender in self._senders:
                return self._senders[mail.sender], "sender"
        there = bool(file) and (remote.is_remote(file) or Path(archives.outer(file)).exists())
        if self.common is None or not there:  # from memory, or standard input
            return "", ""
        try:
            below = _plain(Path(file)).relative_to(self.common)
        except ValueError:
            return "", ""
        first = below.parts[0] if len(below.parts) > 1 else ""
        if first.casefold().endswith((".eml", ".mbox")):  # a mail's file is no team
            return "", ""
        return _MAILED.sub("", archives.without_ending(first), 1), "folder"


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
