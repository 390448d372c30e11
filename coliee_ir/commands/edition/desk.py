"""The organiser's desk: what to decide, what came, what moved, and the mails to the teams. Nothing of it is public.

Mails are ready to be sent: a receipt, what came and what is wrong with it; later, the results. A receipt is written
from files and queries alone: it holds no score, and nothing that depends on a judgement. Neither says anything of
another team, nor, while it is open whether all that came under a team's name is the team's, of another sender.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from email.message import EmailMessage
from typing import Any, Final, NamedTuple

from coliee_adapters.by_key import by_key
from coliee_adapters.errors import listed, printable
from coliee_adapters.forms.lines import counted
from coliee_ir.commands.edition.day import Day, Decision
from coliee_ir.commands.leaderboard import Entry, Invalid, Leaderboard
from coliee_ir.commands.leaderboard.board import brief
from coliee_ir.commands.leaderboard.catalogue import below, refused_below
from coliee_ir.commands.validate import Finding, Severity
from coliee_ir.commands.validate.result import Received, Validation
from coliee_ir.inbox.folders import SKIP_REASONS, UNREAD
from coliee_ir.inbox.grouping import Excess
from coliee_ir.inbox.inventory import InboxFile
from coliee_ir.inbox.sheets import Sheet
from coliee_ir.inbox.tasks import OF_PILOT
from coliee_ir.output.grid import Cell, Grid, html, in_html, no_formula
from coliee_ir.output.rendering import render
from coliee_ir.output.webpage import Section, file_name, page
from coliee_ir.reading.submission import name_of

#: the columns of the list of teams, where there is none yet
_SHEET = Sheet("", ("tag", "team", "status"), ())


def pages(day: Day, changes: tuple[Change, ...] = ()) -> dict[str, str | bytes]:
    """Path below ``desk`` → content."""
    contents: dict[str, str | bytes] = {}
    rows = []
    for number, team in enumerate(teams_of(day), 1):
        # a name without Latin letters would leave its sum alone
        whose = f"{team.name} {team.account}".rstrip()
        name = file_name(whose) if re.search("[A-Za-z0-9]", whose) else f"team-{number}{file_name(whose)}"
        sent = {f"{kind}/{name}.eml": content for kind, content in mails(day, team).items() if team.name}
        contents |= sent
        rows.append(
            (-len(team.refused), -sum(received.errors for received in team.files), team.name, _details(team, [*sent]))
        )
    sections = [Section("teams", "Teams", "".join(detail for *_, detail in sorted(rows)))]
    if day.decide:
        sections.insert(0, Section("decide", "To decide", html(_decisions(day), "To decide")))
    if changes:
        sections.append(Section("changes", "What moved", html(table(changes), "What moved")))
    contents["index.html"] = page(
        f"{day.edition.name}: desk",
        sections,
        f"<p>{in_html(day.inbox.summary())}. This page is for the organisers.</p>\n",
    )
    return contents


def _decisions(day: Day) -> Grid:
    """What to decide: whose it is, what it is, and what settles it, ready to be pasted."""
    common, sheet = day.teams.common, day.teams.sheet or _SHEET
    columns: dict[str, Callable[[Decision], Cell]] = {
        "team": lambda decision: decision.team or "–",
        "what": lambda decision: f"{brief(decision.run)}: {decision.what}" if decision.run else str(decision.what),
        "file": lambda decision: below(decision.file, common) if decision.file else "",
        "row for the teams file": lambda decision: " or ".join(_rows(decision, below(decision.file, common), sheet)),
        "or in settled": lambda decision: f'"{decision.key}"' if decision.has_key else "",
    }
    return Grid.of(day.decide, columns, n_text=5)


def _rows(decision: Decision, file: str, sheet: Sheet) -> Iterator[str]:
    """The rows of the list of teams that settle a decision, one or the other: whose a mail is, both may say."""
    state = sheet.column("status")
    statuses = ("", decision.status) if decision.kind == "team-senders" else (decision.status,)
    for status in statuses if decision.status and decision.file else ():
        cells = [""] * (len(sheet.header) + (state is None))
        for i, text in (
            (sheet.file, file),
            (sheet.team, no_formula(decision.team)),
            (-1 if state is None else state, status),
        ):
            if i is not None:
                cells[i] = text
        stream = io.StringIO()
        csv.writer(stream, lineterminator="").writerow(cells)
        yield stream.getvalue()


def _details(team: Team, sent: Sequence[str]) -> str:
    """A team in a line, with its files and its mails below."""
    tasks = sorted(
        {board.task for board, _ in team.entries} | {received.task for received in team.files if received.task}
    )
    errors, warnings = (sum(getattr(received, name) for received in team.files) for name in ("errors", "warnings"))
    words = (
        " ".join(filter(None, (team.name or "(no team)", team.account))),
        f"Task{'s' * (len(tasks) > 1)} {', '.join(tasks)}" if tasks else "no task",
        counted(len(team.entries), "run"),
        f"{len(team.refused)} refused",
        counted(errors, "error"),
        counted(warnings, "warning"),
        "described" if team.describes else "no description",
    )
    columns: dict[str, Callable[[Received], Cell]] = {
        "file": lambda file: file.file, "task": lambda file: file.task, "run": lambda file: brief(file.tag),
        "part": lambda file: file.part, "errors": lambda file: str(file.errors or "-"),
        "warnings": lambda file: str(file.warnings or "-"),
        "remark": lambda file: ", ".join(filter(None, [team.received.get(file.file), file.remark])),
    }  # fmt: skip
    files = Grid.of(team.files, columns, n_text=7)
    links = " ".join(f'<a href="{name}">{in_html(name.partition("/")[0].capitalize())}</a>' for name in sent)
    return (
        f'<details class="row"><summary>{" ".join(f"<span>{in_html(word)}</span>" for word in words)}</summary>\n'
        f"{f'<p>{links}</p>' if links else ''}\n"
        f"{html(files, f'files of {team.name}')}</details>\n"
    )


#: an address that a mail can be written to as it is
_ADDRESS: Final = re.compile(r"[\w.+-]+@[\w.-]+", re.ASCII)

#: what documents are called that may be descriptions, and cannot be read as such
_DOCUMENT: Final = re.compile(r"(?i)\.(?:docx?|odt|pdf|rtf)$")


#: so many runs are named that are too many
_NAMED: Final = 20

#: what is said while it is open whether all senders are the team's, a run replaces another, or a file is one
_APART: Final = (
    "Files came under the name of this team from more than one sender. Those from {} are kept apart, and not ranked, "
    "until we know whether all of them are the team's."
)
_UNREAD: Final = "not scored; if it is, or holds, a run, send it again under another name"
_REPLACED: Final = (
    "{}, of the same run tag or file name, came later: does it replace this one? Until we know, both count"
)


class Team(NamedTuple):
    """A team, or one of its senders: what it sent, what was found in it, and where its runs stand."""

    name: str  # empty of files whose team nothing tells
    account: str  # the sender, where it is in doubt whether all senders are the team's
    own: dict[str, InboxFile]  # its files by the names that they have in the mailbox, as everything here
    files: list[Received]
    findings: list[Finding]
    entries: list[tuple[Leaderboard, Entry]]
    refused: list[Invalid]
    received: dict[str, str]  # file → when it was received, where a mail says so
    held: list[tuple[str, Excess]]  # by task, its runs that are not scored until a person has decided

    @property
    def describes(self) -> bool:
        """Whether it sent a description that can be read."""
        return any(file.described for file in self.own.values())


def teams_of(day: Day) -> Iterator[Team]:
    """The teams from which anything came, and their senders, as far as these are kept apart."""
    common, items = day.teams.common, {file.file: file for file in day.inventory.items}
    open_files = {decision.file for decision in day.decide if decision.kind == "replaces"}
    notes = dict.fromkeys((decision.file for decision in day.decide if decision.kind == "passed-over"), _UNREAD)
    notes |= {
        file.file: f"not read: {SKIP_REASONS[file.skip_reason][0]}"
        for file in items.values()
        if file.skip_reason in UNREAD
    }
    sent = [entry.submission for board in day.boards for entry in board.entries]
    notes |= {
        run.replaces: _REPLACED.format(below(run.replacement, common))
        for run in sent
        if run is not None and run.replaces in open_files
    }
    for (name, account), rows in by_key(day.inbox.received, lambda row: items[row.file].origin).items():
        own = {row.file: below(row.file, common) for row in rows}
        invalid = (
            run
            for board in day.boards
            for run in board.invalid
            # a run of the pilot is one of two tasks
            if not own.keys().isdisjoint(run.files) and (board.task in OF_PILOT or day.placed.isdisjoint(run.files))
        )
        refused = by_key((refused_below(run, common) for run in invalid), lambda run: run.files)
        yield Team(
            name,
            account,
            {short: items[file] for file, short in own.items()},
            [
                replace(
                    row,
                    file=own[row.file],
                    remark=f"copy of {own[row.same_as]}" if row.same_as else notes.get(row.file, row.remark),
                )
                for row in rows
            ],
            [
                # the gold is the organisers' alone
                replace(finding, file=own[finding.file], facts={**finding.facts, "like": ""})
                for finding in day.inbox.findings
                if finding.file in own
            ],
            [
                (board, entry)
                for board in day.boards
                for entry in board.entries
                if not own.keys().isdisjoint(entry.files)
            ],
            [same[0] for same in refused.values()],
            {own[file]: day.edition.time(time) for file in own if (time := items[file].sender.received)},
            [(task, over) for task, over in day.held if name_of(over.runs[0].run) in own],
        )


def mails(day: Day, team: Team) -> dict[str, bytes]:
    """The kind of a mail to a team → its file: a receipt, and once they are told, the results."""
    is_sure = not any(file.sender.is_in_doubt for file in team.own.values())
    texts = {
        "receipt": ("what we received from", _receipt(team, {part.task for part in day.edition.tasks})),
        **({"results": ("the results of", _results(team, day))} if day.edition.phase == "results" else {}),
    }
    apart = [_APART.format(team.account), ""] if team.account and not is_sure else []
    folders = {file.file.removesuffix(short) for short, file in team.own.items()} - {""}
    machine = rf"(?<![\w./-])(?:{'|'.join(map(re.escape, folders))})"
    contents = {}
    senders = dict.fromkeys(
        file.sender.envelope.sender for file in team.own.values() if _ADDRESS.fullmatch(file.sender.envelope.sender)
    )
    for kind, (subject, lines) in texts.items():
        mail = EmailMessage()
        if senders and is_sure:
            mail["To"] = ", ".join(senders)
        mail["Subject"] = printable(f"{day.edition.name}: {subject} {team.name}")
        mail["X-Unsent"] = "1"  # by which mail programs open it to be sent
        text = "".join(f"{printable(line)}\n" for line in [f"Dear {team.name},", "", *apart, *lines])
        mail.set_content(re.sub(machine, "", text) if folders else text, cte="8bit")
        contents[kind] = mail.as_bytes()
    return contents


def _receipt(team: Team, asked: set[str]) -> Iterator[str]:
    """What came, when, as what it was read, and how to mend what is wrong."""
    yield f"We received {counted(len(team.files), 'file')}:"
    for received in team.files:
        when = f", {team.received[received.file]}" if received.file in team.received else ""
        tasks = asked.intersection(OF_PILOT) if received.task in OF_PILOT else {received.task} - {""}
        task = ", ".join(f"Task {name}" for name in sorted(tasks))
        status = team.own[received.file].sender.status if received.tag else ""
        description = (
            ""
            if team.own[received.file].skip_reason in ("gold", "named", "judged")  # of which nothing else is said
            and received.remark != _UNREAD
            else ", ".join(filter(None, (task, brief(received.tag), received.part, status, received.remark)))
        )
        yield f"  {received.file}{when}: {description or 'received'}"
    if not team.describes and any(received.described is not None for received in team.files):
        unread = [received.file for received in team.files if received.remark and _DOCUMENT.search(received.file)]
        cannot = f"; {', '.join(unread)} cannot be read as one: send it as plain text" if unread else ""
        yield from ("", f"No system description has arrived{' from this sender' * bool(team.account)}{cannot}.")
    grave = [
        finding
        for finding in team.findings
        # how many runs are too many is said of those that are held alone
        if finding.severity is not Severity.NOTE and finding.rule not in ("unchecked", "runs")
    ]
    if team.refused:
        yield from ("", "These cannot be scored:", *(f"  {invalid.reason}" for invalid in team.refused))
    for task, over in team.held:
        tags = [run.tag for run in over.runs]
        number = f"{over.n} runs of Task {task} came, and a team may send {over.most}"
        yield from ("", f"{number}. Which of these count? Until we know, they are not scored:")
        yield f"  {listed(tags, _NAMED)}"
    if grave:
        checked = Validation(tuple(received.file for received in team.files), "", (), None, tuple(grave))
        yield from (
            "",
            "The files have the problems below. Please correct them, or reply if a finding is wrong:",
            *render(checked, "table").splitlines(),
        )


def _results(team: Team, day: Day) -> Iterator[str]:
    """Place and scores of each run; of one that is not ranked, why."""
    yield (
        "Scores and places (not official before the results are published):"
        if team.entries
        else "None of your runs has a score."
    )
    for board, entry in team.entries:
        possible = f"possible places, {board.percent} confidence: {entry.ranks}"
        place = f"place {entry.place} of {len(board.counted)} ({possible})" if entry.place else entry.status
        scores = ", ".join(f"{name} {value:.4f}" for name, value in entry.scores.measures.items())
        n_same = sum(other is board and entry_of_team.tag == entry.tag for other, entry_of_team in team.entries)
        files = ", ".join(below(file, day.teams.common) for file in entry.files)
        run = f"{brief(entry.tag)} ({files})" if n_same > 1 else brief(entry.tag)
        yield f"  Task {board.called}, {run}: {place or 'no score'}; {scores}"
    yield from (f"  {invalid.tag or 'file'}: not ranked; {invalid.reason}" for invalid in team.refused)
    yield from (
        f"  Task {task}, {counted(len(over.runs), 'run')} of {over.n}: not scored; {over.most} are allowed"
        for task, over in team.held
    )


#: so many files of a team are named
_FILES = 5


class Change(NamedTuple):
    """What is another thing than before."""

    what: str
    which: str  # the team, file, task or run
    before: str = ""
    now: str = ""

    def __str__(self) -> str:
        values = " → ".join(filter(None, (self.before, self.now)))
        return f"{self.what}: {self.which}" + f": {values}" * bool(values)


def changes_of(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """What two results differ in; of files that came, a line for each team."""
    old, new = ({row["file"]: row["team"] for row in results.get("received", ())} for results in (before, now))
    for kind, here, others in (("new files", new, old), ("files gone", old, new)):
        for team, names in sorted(by_key(here.keys() - others.keys(), here.__getitem__).items()):
            yield Change(kind, team or "no team", now=listed(sorted(names), _FILES))
    sums, tasks = before.get("inputs", {}), before.get("tasks", {})
    golds = {board["gold"] for board in now["tasks"].values()}
    for path, digest in now["inputs"].items():
        if sums.get(path, digest) != digest:
            yield Change("corrected gold" if path in golds else "changed", path)
    for name, board in now["tasks"].items():
        if name in tasks:
            yield from _of_task(name, tasks[name], board)


def _of_task(name: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """The excluded queries, and the runs whose place or score moved."""
    excluded = [", ".join(board.get("excluded", ())) or "none" for board in (before, now)]
    if excluded[0] != excluded[1]:
        yield Change("excluded queries", f"Task {name}", *excluded)
    stood = {run["file"]: _standing(run, before["measure"]) for run in before["runs"]}
    for run in now["runs"]:
        stands = _standing(run, now["measure"])
        if (previous := stood.get(run["file"], stands)) != stands:
            yield Change("moved", f"Task {name}, " + f"{run['team'] or ''} {run['name']}".strip(), previous, stands)


def _standing(run: Mapping[str, Any], measure: str) -> str:
    """The place of a run, or why it has none, and its score."""
    value = run["measures"][measure]
    place = run.get("status") or f"place {run['place']}"
    return f"{place}, " + ("no score" if value is None else f"{measure} {value:.4f}")


def table(changes: tuple[Change, ...]) -> Grid:
    """A row for each."""
    return Grid(Change._fields, changes, n_text=4)
