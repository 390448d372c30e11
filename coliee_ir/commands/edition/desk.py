"""The organiser's desk: what came, a letter for each team, what to decide. Nothing of it is public."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from coliee_adapters.errors import printable
from coliee_adapters.forms.lines import counted
from coliee_ir.commands.edition.day import Day
from coliee_ir.commands.leaderboard import Entry, Invalid, Leaderboard
from coliee_ir.commands.leaderboard.runs import below, refused_below
from coliee_ir.commands.validate.finding import Finding, Severity
from coliee_ir.commands.validate.result import Received, Validation
from coliee_ir.output.grid import Cell, Grid, html, in_html
from coliee_ir.output.shown import render
from coliee_ir.output.webpage import Section, file_name, page

#: what a person calls the team of files whose team nothing tells
_NOBODY: Final = "(no team)"


class _Team(NamedTuple):
    """A team: what it sent, what was found in it, and where its runs stand."""

    name: str
    files: list[Received]  # by the names that they have in the mailbox, as everything here
    findings: list[Finding]
    entries: list[tuple[Leaderboard, Entry]]
    refused: list[Invalid]
    received: dict[str, str]  # file → when it was received, where a mail says so
    describes: bool  # whether it sent a description

    @property
    def row(self) -> tuple[str, ...]:
        """What the desk says of it in a line."""
        tasks = sorted({board.task for board, _ in self.entries} | {one.task for one in self.files if one.task})
        errors, warnings = (sum(getattr(one, name) for one in self.files) for name in ("errors", "warnings"))
        return (
            self.name,
            f"Task{'s' * (len(tasks) > 1)} {', '.join(tasks)}" if tasks else "no task",
            counted(len(self.entries), "run"),
            f"{len(self.refused)} refused",
            counted(errors, "error"),
            counted(warnings, "warning"),
            "described" if self.describes else "no description",
        )


def pages(day: Day) -> dict[str, str | bytes]:
    """Path below ``desk`` → content."""
    teams = sorted(_teams(day), key=lambda one: (-len(one.refused), -sum(row.errors for row in one.files), one.name))
    made: dict[str, str | bytes] = {"index.html": _index(day, teams)}
    for team in teams:
        made[_letter_of(team)] = _letter(day, team)
    return made


def _letter_of(team: _Team) -> str:
    """The path of a team's letter."""
    return f"teams/{file_name(team.name)}.txt"


def _teams(day: Day) -> Iterator[_Team]:
    """The teams from which anything came."""
    common = None if day.inventory.teams is None else day.inventory.teams.common
    items = {one.file: one for one in day.inventory.items}
    short = {file: below(file, common) for file in items}
    for name in dict.fromkeys(row.team for row in day.inbox.received):
        rows = [row for row in day.inbox.received if row.team == name]
        files = {row.file for row in rows}
        findings = [replace(one, file=short[one.file]) for one in day.inbox.findings if one.file in files]
        refused: dict[tuple[str, ...], Invalid] = {}
        for one in (one for board in day.boards for one in board.invalid if files.intersection(one.files)):
            refused.setdefault(one.files, refused_below(one, common))
        yield _Team(
            name or _NOBODY,
            [replace(row, file=short[row.file]) for row in rows],
            findings,
            [(board, entry) for board in day.boards for entry in board.entries if entry.team == name],
            list(refused.values()),
            {short[file]: day.edition.time(items[file].whose.received) for file in files if items[file].whose.received},
            any(items[file].described for file in files),
        )


def _index(day: Day, teams: Sequence[_Team]) -> str:
    decide = "".join(f"<li>{in_html(f'{one} [{one.key}]')}</li>\n" for one in day.decide)
    details = "".join(
        f'<details class="row"><summary>{" ".join(f"<span>{in_html(one)}</span>" for one in team.row)}</summary>\n'
        f'<p><a href="{_letter_of(team)}">Text for a mail</a></p>\n'
        f"{html(_files(team), f'files of {team.name}')}</details>\n"
        for team in teams
    )
    sections = [Section("teams", "Teams", details)]
    if decide:
        sections.insert(0, Section("decide", "To decide", f"<ul>\n{decide}</ul>\n"))
    above = f"<p>{in_html(day.inbox.summary())}. This page is for the organisers.</p>\n"
    return page(f"{day.edition.name}: desk", sections, above)


def _files(team: _Team) -> Grid:
    rows: list[list[Cell]] = [
        [one.file, one.task, one.tag, one.part, str(one.errors or "-"), str(one.warnings or "-"),
         ", ".join(filter(None, [team.received.get(one.file), one.remark]))]
        for one in team.files
    ]  # fmt: skip
    return Grid(["file", "task", "run", "part", "errors", "warnings", "remark"], rows, n_text=7)


def _scores(team: _Team) -> Iterator[tuple[str, str, str, str]]:
    """Task, run, place and scores of each run; of one that is not ranked, why."""
    for board, entry in team.entries:
        ranked = sum(1 for one in board.entries if one.place)
        level = f"{100 * board.resampling.confidence_level:g}%"
        place = f"{entry.place} of {ranked}, {level}: {entry.ranks}" if entry.place else entry.status or "no score"
        scores = ", ".join(f"{name} {value:.4f}" for name, value in entry.scores.measures.items())
        yield board.called, entry.tag, place, scores
    for one in team.refused:
        yield "", one.tag, "not ranked", str(one.reason)


def _letter(day: Day, team: _Team) -> str:
    """A text for a mail."""
    grave = [one for one in team.findings if one.severity is not Severity.NOTE and one.rule != "unchecked"]
    checked = Validation(tuple(one.file for one in team.files), "", (), None, tuple(grave))
    received = [
        f"  {one.file}{f', {team.received[one.file]}' if one.file in team.received else ''}: "
        + (one.remark or ", ".join(filter(None, [f"Task {one.task}" if one.task else "", one.tag, one.part])) or "?")
        for one in team.files
    ]
    scores = [
        f"  {f'Task {task}, ' if task else ''}{run or 'file'}: {place}; {values}"
        for task, run, place, values in _scores(team)
    ]
    lines = [
        f"Subject: {day.edition.name}: the submission of {team.name}",
        "",
        f"Dear {team.name},",
        "",
        f"We received {counted(len(team.files), 'file')}:",
        *received,
        *(["", "Scores and places:", *scores] if scores else []),
        *(["", "Please look at what we found:", *render(checked, "table").splitlines()] if grave else []),
    ]
    return "".join(f"{printable(line)}\n" for line in lines)
