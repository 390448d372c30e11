"""The organiser's desk: what to decide, what came, and the mails to the teams. Nothing of it is public."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence

from coliee_adapters.files.source import Source
from coliee_adapters.forms.lines import counted
from coliee_ir.commands.edition.changes import Change, table
from coliee_ir.commands.edition.day import Day, Decision
from coliee_ir.commands.edition.letters import Team, mails, teams_of
from coliee_ir.commands.leaderboard.catalogue import below
from coliee_ir.commands.validate.result import Received
from coliee_ir.inbox.sheets import Sheet, read_sheet
from coliee_ir.output.grid import Cell, Grid, html, in_html, no_formula
from coliee_ir.output.webpage import Section, file_name, page

#: the columns of the list of teams, where there is none yet
_SHEET = Sheet("", ("tag", "team", "status"), ())


def pages(day: Day, changes: tuple[Change, ...] = ()) -> dict[str, str | bytes]:
    """Path below ``desk`` → content."""
    made: dict[str, str | bytes] = {}
    rows = []
    for number, team in enumerate(teams_of(day), 1):
        # a name without Latin letters would leave its sum alone
        name = file_name(team.name) if re.search("[A-Za-z0-9]", team.name) else f"team-{number}{file_name(team.name)}"
        sent = {f"{kind}/{name}.eml": content for kind, content in mails(day, team).items() if team.name}
        made |= sent
        rows.append(
            (-len(team.refused), -sum(received.errors for received in team.files), team.name, _details(team, [*sent]))
        )
    details = "".join(detail for *_, detail in sorted(rows))
    sections = [Section("teams", "Teams", details)]
    if day.decide:
        sections.insert(0, Section("decide", "To decide", html(_decisions(day), "To decide")))
    if changes:
        sections.append(Section("changes", "What moved", html(table(changes), "What moved")))
    above = f"<p>{in_html(day.inbox.summary())}. This page is for the organisers.</p>\n"
    made["index.html"] = page(f"{day.edition.name}: desk", sections, above)
    return made


def _decisions(day: Day) -> Grid:
    """What to decide: whose it is, what it is, and what settles it, ready to be pasted."""
    common = None if day.inventory.teams is None else day.inventory.teams.common
    sheet = _SHEET if day.edition.teams is None else read_sheet(Source(day.edition.teams))
    columns: dict[str, Callable[[Decision], Cell]] = {
        "team": lambda one: one.team or "–", "what": lambda one: f"{one.run}: {one.what}" if one.run else str(one.what),
        "file": lambda one: below(one.file, common) if one.file else "",
        "row for the teams file": lambda one: _row(one, below(one.file, common), sheet),
        "or in settled": lambda one: f'"{one.key}"',
    }  # fmt: skip
    return Grid.of(day.decide, columns, n_text=5)


def _row(decision: Decision, file: str, sheet: Sheet) -> str:
    """The row of the list of teams that settles a decision; empty where none does."""
    if not (decision.status and decision.file):
        return ""
    state = sheet.column("status")
    cells = [""] * (len(sheet.header) + (state is None))
    for at, text in (
        (sheet.file, file),
        (sheet.team, no_formula(decision.team)),
        (-1 if state is None else state, decision.status),
    ):
        if at is not None:
            cells[at] = text
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(cells)
    return stream.getvalue()


def _details(team: Team, sent: Sequence[str]) -> str:
    """A team in a line, with its files and its mails below."""
    tasks = sorted(
        {board.task for board, _ in team.entries} | {received.task for received in team.files if received.task}
    )
    errors, warnings = (sum(getattr(received, name) for received in team.files) for name in ("errors", "warnings"))
    words = (
        team.name or "(no team)",
        f"Task{'s' * (len(tasks) > 1)} {', '.join(tasks)}" if tasks else "no task",
        counted(len(team.entries), "run"),
        f"{len(team.refused)} refused",
        counted(errors, "error"),
        counted(warnings, "warning"),
        "described" if team.describes else "no description",
    )
    columns: dict[str, Callable[[Received], Cell]] = {
        "file": lambda one: one.file, "task": lambda one: one.task, "run": lambda one: one.tag,
        "part": lambda one: one.part, "errors": lambda one: str(one.errors or "-"),
        "warnings": lambda one: str(one.warnings or "-"),
        "remark": lambda one: ", ".join(filter(None, [team.received.get(one.file), one.remark])),
    }  # fmt: skip
    files = Grid.of(team.files, columns, n_text=7)
    links = " ".join(f'<a href="{name}">{in_html(name.partition("/")[0].capitalize())}</a>' for name in sent)
    return (
        f'<details class="row"><summary>{" ".join(f"<span>{in_html(word)}</span>" for word in words)}</summary>\n'
        f"{f'<p>{links}</p>' if links else ''}\n"
        f"{html(files, f'files of {team.name}')}</details>\n"
    )
