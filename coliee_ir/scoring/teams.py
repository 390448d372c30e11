"""Whose run it is: from a list, from a pattern, or from the folder."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from coliee_adapters import archives
from coliee_adapters.errors import InputError, UsageError, quoted
from coliee_adapters.files import PathLike, Source
from coliee_ir.scoring.reading import opened
from coliee_ir.scoring.sheets import read_sheet


def read_teams(teams: PathLike | Mapping[str, str]) -> dict[str, str]:
    """Run tag, or file name → team, from a CSV with the columns ``tag`` and ``team``; a dictionary stays as it is.

    Raises:
        InputError: it cannot be read, has no column ``team``, or a tag has two teams.
    """
    if isinstance(teams, Mapping):
        return dict(teams)
    source = opened(teams)
    assert isinstance(source, Source)
    sheet = read_sheet(source)
    team = sheet.column("team", "group")
    tag = sheet.column("tag", "run", "file", "sid", "name")
    if team is None or tag is None:
        raise InputError(
            sheet.name, "there is no such column", line=1, found=",".join(sheet.header), remedy="name two: tag,team"
        )
    found: dict[str, str] = {}
    for line, cells in sheet.rows:
        if found.setdefault(cells[tag], cells[team]) != cells[team]:
            raise InputError(
                sheet.name, f"this run is also {found[cells[tag]]}'s", line=line, found=cells[tag], remedy="keep one"
            )
    return found


#: what an archive's name ends in, and a team's does not
_PACKED = re.compile(r"\.(?:zip|tar(?:\.gz|\.bz2)?|tgz|tbz2?)$", re.IGNORECASE)


class Teams:
    """Who sent which run.

    Asked in turn: the list, by run tag or file name; the pattern, searched in the run tag; the folder, which is the
    first one below the folder that all files have in common.

    Args:
        teams: run tag, or file name → team.
        pattern: a regular expression; its first group, or all of it, is the team.
        common: the folder that all files have in common; None where there are no files.

    Raises:
        UsageError: the pattern is no regular expression.
    """

    def __init__(self, teams: Mapping[str, str], pattern: str | None, common: Path | None) -> None:
        self.teams, self.common = teams, common
        try:
            self.pattern = None if pattern is None else re.compile(pattern)
        except re.error as error:
            raise UsageError(f"the pattern {quoted(pattern or '')} is not a regular expression ({error})") from None

    def team_of(self, tag: str, file: str) -> str:
        """The team of a run; empty where nothing tells it.

        Args:
            tag: the run tag; empty where it is not known.
            file: the run's file.
        """
        for name in (tag, file, Path(file).name):
            if name and name in self.teams:
                return self.teams[name]
        if self.pattern is not None and (found := self.pattern.search(tag)):
            return (found[1] if self.pattern.groups else found[0]) or ""
        if self.common is None or not Path(archives.outer(file)).exists():  # from memory, or standard input
            return ""
        try:
            below = _plain(Path(file)).relative_to(self.common)
        except ValueError:
            return ""
        return _PACKED.sub("", below.parts[0]) if len(below.parts) > 1 else ""


def common_folder(given: list[Path]) -> Path | None:
    """The deepest folder, or archive, that those given, and the folders of the files given, have in common."""
    folders = [
        _plain(path) if path.is_dir() or archives.is_archive(str(path)) else _plain(path).parent for path in given
    ]
    if not folders:
        return None
    common = folders[0]
    for folder in folders[1:]:
        while not folder.is_relative_to(common):
            common = common.parent
    return common


def _plain(path: Path) -> Path:
    """The path from the root, without ``..``; links stay what they are called."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
