"""Whose run it is: from a list, from a pattern, or from the folder."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, UsageError, masked, quoted
from coliee_adapters.files import archives, remote
from coliee_adapters.files.source import PathLike, Source, is_folder
from coliee_ir.inbox.sheets import read_sheet


class Listed(NamedTuple):
    """A row of a list of teams: the run tag or file, the team, and the further columns."""

    run: str
    team: str
    more: tuple[str, ...] = ()


class TeamList(NamedTuple):
    """Who sent what."""

    rows: tuple[Listed, ...] = ()  # the rows
    columns: tuple[str, ...] = ()  # the names of the further columns


def read_teams(teams: PathLike | Mapping[str, str]) -> TeamList:
    """A list of teams: a CSV with the columns ``tag`` and ``team``, and more; or a dictionary tag, or file → team."""
    if isinstance(teams, Mapping):
        return TeamList(tuple(Listed(run, team) for run, team in teams.items()))
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
    further = [at for at in range(len(sheet.header)) if at not in (team, tag)]
    found: dict[str, Listed] = {}
    for line, cells in sheet.rows:
        row = Listed(cells[tag], cells[team], tuple(cells[at] for at in further))
        if found.setdefault(row.run, row) != row:
            problem = f"this run is also {found[row.run].team}'s"
            raise InputError("conflicting", sheet.name, problem, line=line, found=row.run, remedy="keep one")
    return TeamList(tuple(found.values()), tuple(sheet.header[at] for at in further))


#: what an archive's name ends in, and a team's does not
_PACKED = re.compile(r"\.(?:zip|tar(?:\.gz|\.bz2)?|tgz|tbz2?|eml|mbox)$", re.IGNORECASE)

#: what the organisers want before the name of a team in a mail's subject, and mail programs make folders of
_MAILED = re.compile(r"(?:\s*(?:re|fwd?)\s*:)*\s*\[\s*submission\s*\]\s*(?=\S)", re.IGNORECASE)


class Teams:
    """Who sent which run.

    Asked in turn: the list, by run tag or file name; the pattern, searched in the run tag; the subject of its mail,
    ``[submission] TEAM``; the folder, which is the first one below the folder that all files have in common.

    Args:
        teams: the list.
        pattern: a regular expression; its first group, or all of it, is the team.
        common: the folder that all files have in common; None where there are no files.

    Raises:
        UsageError: the pattern is no regular expression.
    """

    def __init__(self, teams: TeamList, pattern: str | None, common: Path | None) -> None:
        """What a leaderboard makes of its options.

        :meta private:
        """
        self.list, self.common = teams, common
        #: the rows that no run has been looked up in
        self.unused = dict.fromkeys(row.run for row in teams.rows)
        self._by_name = {_spelled(row.run).lstrip("/"): row for row in teams.rows}
        try:
            one_of("team_pattern", pattern, str | None, "a regular expression")
            self.pattern = None if pattern is None else re.compile(pattern)
        except re.error as error:
            problem = f"the pattern {quoted(pattern or '')} is not a regular expression ({error})"
            raise UsageError("bad-value", problem) from None

    def row_of(self, tag: str, file: str) -> Listed | None:
        """The row of the list for a run: by the end of its path, its tag, or its file's name, however that is written.

        :meta private:
        """
        parts = Path(_spelled(_plain(Path(file)).as_posix())).parts if file else ()
        paths = ["/".join(parts[at:]).lstrip("/") for at in range(len(parts))]
        names = [*paths[:-1], _spelled(tag), *paths[-1:]]  # a path with its folder says most, as runs may share a tag
        stem = re.sub(r"\.(?:txt|json|jsonl|csv|tsv|xml|gz)$", "", parts[-1]) if parts else ""
        row = next((self._by_name[name] for name in (*names, stem) if name and name in self._by_name), None)
        if row is not None:
            self.unused.pop(row.run, None)
        return row

    def team_of(self, tag: str, file: str) -> str:
        """The team of a run; empty where nothing tells it. Args are those of ``row_of``."""
        if (row := self.row_of(tag, file)) is not None:
            return row.team
        if self.pattern is not None and (found := self.pattern.search(tag)):
            return (found[1] if self.pattern.groups else found[0]) or ""
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


def common_folder(given: Iterable[str]) -> Path | None:
    """The deepest folder, or archive, that those given, and the folders of the files given, have in common."""
    folders = [
        _plain(Path(masked(path)))
        if is_folder(path) or archives.is_archive(path)
        else _plain(Path(masked(path))).parent
        for path in given
        if remote.is_remote(path) or Path(path).exists()
    ]
    if not folders:
        return None
    common = folders[0]
    for folder in folders[1:]:
        while not folder.is_relative_to(common):
            common = common.parent
    return common


def _spelled(path: str) -> str:
    """A path as it is compared: one kind of slash, no ``./``, no capitals, composed characters."""
    text = unicodedata.normalize("NFC", path.strip().replace("\\", "/")).casefold()
    return re.sub(r"/{2,}|/\./", "/", text).removeprefix("./")


def _plain(path: Path) -> Path:
    """The path from the root, without ``..``; links stay what they are called."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
