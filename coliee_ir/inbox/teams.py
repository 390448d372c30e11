"""Whose a run is, and when it came: from what the organiser saved, and from the list of teams."""

from __future__ import annotations

import datetime
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, shortened
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.remarks import Remark
from coliee_ir.inbox.envelopes import (
    Envelope,
    absolute_path,
    common_folder,
    envelope_of,
    is_disguised,
    lookalike_key,
    named_team,
    team_in,
    team_key,
    with_escapes,
    without_invisible,
    without_mail_words,
)
from coliee_ir.inbox.sheets import Sheet, read_sheet


class TeamsRow(NamedTuple):
    """A row of a list of teams: the run tag, file or ``FOLDER/``, the team, and the further columns."""

    run: str  # empty in a row of all runs of a team
    team: str
    more: tuple[str, ...] = ()
    status: str = ""  # ``ranked``, or why a run is not: ``late``, ``withdrawn``, ``replaced by TAG``; see ``_STATUS``
    doubt: Remark | None = None  # that its status is not understood


def _read(
    teams: PathLike | Mapping[str, str] | None,
) -> tuple[tuple[TeamsRow, ...], tuple[str, ...], Sheet | None]:
    """The rows of a list of teams, the names of its further columns, and the sheet; None where it is in memory."""
    if teams is None:
        return (), (), None
    if isinstance(teams, Mapping):
        kind = "a CSV file, or a dictionary from tags to teams"
        named = {run: named_team(one_of("teams", team, str, kind)) for run, team in teams.items()}
        return tuple(TeamsRow(run, team) for run, team in named.items()), (), None
    one_of("teams", teams, (str, os.PathLike, Source), "a CSV file, or a dictionary from tags to teams")
    sheet = read_sheet(Source.of(teams), needs_rows=False)
    team, tag = sheet.team, sheet.file
    if team is None or tag is None:
        raise InputError(
            "missing-column",
            sheet.name,
            "there is no such column",
            line=1,
            found=",".join(sheet.header),
            remedy="name two: tag,team",
        )
    state = sheet.column("status")
    further = [i for i in range(len(sheet.header)) if i not in (team, tag, state)]
    rows: dict[tuple[str, str], TeamsRow] = {}
    for line, cells in sheet.rows:
        written = "" if state is None else " ".join(cells[state].split())
        match = re.fullmatch(_STATUS, written, re.IGNORECASE)
        status = "" if match is None else f"replaced by {match[2]}" if match[2] else written.casefold()
        doubt = None if match else Remark.of("status", status=shortened(written), line=line)
        elsewhere = next((i for i in further if cells[i] and re.fullmatch(_STATUS, cells[i], re.IGNORECASE)), None)
        if elsewhere is not None and not written:
            text, column = shortened(cells[elsewhere]), shortened(sheet.header[elsewhere])
            doubt = Remark.of("status.column", status=text, line=line, column=column)
        row = TeamsRow(
            cells[tag], named_team(cells[team].removeprefix("'")), tuple(cells[i] for i in further), status, doubt
        )
        key = (_normal_path(row.run), "" if row.run else team_key(row.team))
        if rows.setdefault(key, row) != row:
            raise InputError(
                "conflicting",
                sheet.name,
                f"this run is also {rows[key].team}'s" if row.run else "this team has two rows",
                line=line,
                found=row.run or row.team,
                remedy="keep one",
            )
    return tuple(rows.values()), tuple(sheet.header[i] for i in further), sheet


#: what a list says of a run; and what is said of one until the list says whether its sender is the team's
LATE: Final = "late"
IN_DOUBT: Final = "sender in doubt"
_STATUS: Final = "(|ranked|late|unofficial|disqualified|withdrawn|replaced by (.+))"
#: by which a file is taken out, whoever sent it
OUT: Final = ("disqualified", "withdrawn")


class Sender(NamedTuple):
    """Whose a file is, and what there is to know of it because of that."""

    team: str = ""  # in the spelling of the list, or the plainest that came; empty where nothing tells it
    listed: TeamsRow | None = None  # the row of the list that is about the file
    team_row: TeamsRow | None = None  # the row that is about all runs of its team
    envelope: Envelope = Envelope()  # in what it came
    is_late: bool = False  # whether that was received after the deadline
    account: str = (
        ""  # from where it came, where it is in doubt whether all that comes under the team's name is the team's
    )
    doubts: tuple[Remark, ...] = ()  # what a person must decide

    @property
    def received(self) -> str:
        """When the mail that brought it was received, in UTC; empty for what came otherwise."""
        return self.envelope.received

    @property
    def listed_status(self) -> str:
        """What the list says of its status."""
        return next((row.status for row in (self.listed, self.team_row) if row is not None and row.status), "")

    @property
    def status(self) -> str:
        """Why its run is not ranked; empty where it is."""
        if self.is_in_doubt:
            return IN_DOUBT
        status = self.listed_status or LATE * self.is_late
        return "" if status == "ranked" else status

    @property
    def is_in_doubt(self) -> bool:
        """Whether a person must decide if who sent it is the team's; of what the list takes out that is decided."""
        return bool(self.team and self.account) and self.listed_status in ("", "ranked", LATE, "unofficial")

    @property
    def more(self) -> tuple[str, ...]:
        """What the list says of it in its further columns."""
        row = self.listed or self.team_row
        return () if row is None else row.more


class Teams:
    """Who sent which run, and when.

    Both come from the outermost thing that the organiser saved, a mail or a folder: the subject of the mail,
    ``[submission] TEAM``; the team of other mails of its sender; the folder, which is the first one below the folder
    that all files have in common. What lies inside, and tags, are the sender's word. Of the list, a row that names a
    file or a folder as it was saved goes before all. One that names a tag, or a file as the sender called it, is about
    that team's runs; it moves none out of a mail, and one out of a folder only while no other team sent the tag. Each
    file must be seen before the first is asked for.

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
        self.rows, self.columns, self.sheet = _read(teams)
        self.common, self.deadline = common_folder(paths), deadline
        #: the rows that no run has been looked up in
        self.unused = dict.fromkeys(row.run for row in self.rows if row.run)
        self._by_name = {_normal_path(row.run).lstrip("/"): row for row in self.rows if row.run}
        self._of_team = {team_key(row.team): row for row in self.rows if row.team and not row.run}
        self._listed = {team_key(row.team): row.team for row in reversed(self.rows)}
        #: the paths of what was saved, from the folder that all files have in common or above, as a row may name them
        self._places: set[str] = set()
        #: file → in what it came
        self._envelopes: dict[str, Envelope] = {}
        #: key → the spellings of a team → who wrote it so, "" in the name of a folder, and how many runs came with it
        self._spellings: dict[str, dict[str, Counter[str]]] = {}
        #: what looks alike, sender, tag → the keys
        self._of_look: dict[str, dict[str, None]] = {}
        for row in self.rows:
            self._of_look.setdefault(lookalike_key(row.team), {})[team_key(row.team)] = None
        #: team → sender of its mails → whether a row of the list, or the folder of the team, has a mail of it
        self._senders_of: dict[str, dict[str, bool]] = {}
        self._senders_of_runs: dict[str, set[str]] = {}
        #: the senders of a team's mails that the list takes out; mail → the team, if not its sender, that it is of
        self._taken_out: dict[str, set[str]] = {}
        self._in_doubt: dict[str, str] = {}
        self._teams_of: dict[str, dict[str, None]] = {}
        self._sent: dict[str, set[str]] = {}
        #: team by the folder, team by the list → the rows by which runs of the one are the other's
        self._moved: dict[tuple[str, str], dict[str, None]] = {}

    def register_file(self, tag: str, file: str) -> None:
        """Know that a file of this tag has come, before it is asked whose any is.

        :meta private:
        """
        envelope = self.envelope(file)
        parts, top = self._parts(file)
        self._places.update("/".join(parts[start:]) for start in range(top + 1))
        self._places.update(f"{part}/" for part in parts[:-1][: top + 1])
        team = envelope.team or envelope.folder
        key = team_key(team)
        placed = next((row for row, is_place, _ in self._rows(tag, file, envelope) if is_place), None)
        if not team or (placed is not None and team_key(placed.team) != key):
            return  # the list says that it is another's
        if placed is not None and placed.status in OUT:  # it speaks for no sender
            self._taken_out.setdefault(key, set()).add(envelope.sender)
            return
        if envelope.team:
            senders = self._senders_of.setdefault(key, {})
            is_vouched_for = placed is not None or team_key(envelope.folder) == key
            senders[envelope.sender] = is_vouched_for or senders.get(envelope.sender, False)
            if tag:
                self._senders_of_runs.setdefault(key, set()).add(envelope.sender)
            if envelope.sender:
                self._teams_of.setdefault(envelope.sender, {})[key] = None
        of_team = self._spellings.setdefault(key, {}).setdefault(without_mail_words(team), Counter())
        of_team["" if envelope.mail is None else envelope.sender or envelope.place] += bool(tag)
        self._of_look.setdefault(lookalike_key(team), {})[key] = None
        self._sent.setdefault(_normal_path(tag), set()).add(key)

    def sender_of(self, tag: str, file: str = "") -> Sender:
        """Whose a file is: see ``Teams``.

        :meta private:
        """
        envelope = self.envelope(file)
        team, evidence = self._team_of_envelope(envelope)
        listed, doubts = None, list[Remark]()
        for row, is_place, is_inside in self._rows(tag, file, envelope):
            is_other = bool(team) and team_key(row.team) != team_key(team)
            is_fixed = (
                evidence != "folder" or is_inside or not row.team or len(self._sent.get(_normal_path(tag), ())) > 1
            )
            if is_other and not is_place and is_fixed:
                named = {"tag": shortened(row.run), "team": shortened(row.team), "other": shortened(team)}
                if not row.team:
                    self.unused.pop(row.run, None)
                doubts = doubts or [Remark.of("team-list.other" if row.team else "team-list.nobody", (), None, **named)]
                continue
            if is_place:
                doubts = []
            elif is_other:
                self._moved.setdefault((team, row.team), {})[row.run] = None
            self.unused.pop(row.run, None)
            listed, team, evidence = row, row.team or team, "list"
            break
        if evidence == "sender":
            doubts.append(Remark.of("team-sender", sender=shortened(envelope.sender), team=shortened(team)))
        of_team = self._of_team.get(team_key(team))
        doubts += [row.doubt for row in (listed, of_team) if row is not None and row.doubt is not None]
        is_late = bool(
            envelope.received and self.deadline and datetime.datetime.fromisoformat(envelope.received) > self.deadline
        )
        is_apart = envelope.mail is not None and (not team or self._is_apart(team_key(team), envelope.sender))
        account = (envelope.sender or envelope.place) * is_apart
        if account and team and not self.is_taken_out(file):
            self._in_doubt[envelope.place] = team
        return Sender(self._team_spelling(team), listed, of_team, envelope, is_late, account, tuple(doubts))

    def is_taken_out(self, file: str) -> bool:
        """Whether the list takes a file out, by a row that names it or its mail as they were saved."""
        rows = self._rows("", file, self.envelope(file))
        return next((row.status in OUT for row, is_place, _ in rows if is_place), False)

    def _strangers(self, key: str) -> list[str]:
        """The senders of a team's mails for whom nothing speaks, where others sent runs, or the team has a folder."""
        senders = self._senders_of.get(key, {})
        of_runs = self._senders_of_runs.get(key) or {*senders}
        return [
            sender
            for sender, is_vouched_for in senders.items()
            if not is_vouched_for and (self._has_folder(key) or of_runs.difference([sender]))
        ]

    def _is_apart(self, key: str, sender: str) -> bool:
        """Whether what a sender sent is no other's of this team: of a stranger, and of one whom the list takes out."""
        known, out = self._senders_of.get(key, {}), self._taken_out.get(key, set())
        if sender in known:
            return sender in self._strangers(key)
        return sender in out and (len(out.union(known)) > 1 or self._has_folder(key))

    def _has_folder(self, key: str) -> bool:
        """Whether a team has a folder with files which no mail brought."""
        return any("" in writers for writers in self._spellings.get(key, {}).values())

    def doubts(self) -> Iterator[tuple[str, str, Remark]]:
        """What a person must decide of teams and mails: the team, the path of a mail, and what it is."""
        for (folder, team), runs in self._moved.items():
            yield (
                self._team_spelling(team),
                "",
                Remark.of("team-list.moved", [*runs], team=shortened(team), other=folder),
            )
        for sender, keys in self._teams_of.items():
            if len(keys) > 1:
                yield (
                    "",
                    "",
                    Remark.of("sender-teams", [self._team_spelling(key) for key in keys], sender=shortened(sender)),
                )
        for keys in self._of_look.values():
            names = [self._team_spelling(key) for key in keys]
            if len(names) > 1:
                yield "", "", Remark.of("look-alike", names)
            elif disguised := [text for key in keys for text in self._spellings.get(key, ()) if is_disguised(text)]:
                yield names[0], "", Remark.of("look-alike.letters", [*map(with_escapes, disguised)])
        for place, envelope in {each.place: each for each in self._envelopes.values()}.items():
            team = self._in_doubt.get(place) or self._team_of_envelope(envelope)[0]
            yield from ((self._team_spelling(team), place, remark) for remark in self._doubts_of(envelope))

    def _doubts_of(self, envelope: Envelope) -> Iterator[Remark]:
        """What a person must decide of a mail: whose time counts, and whose mail it is."""
        mail = envelope.mail
        if envelope.place in self._in_doubt:  # when it came is asked once it is known to be the team's
            others = [sender or "nobody" for sender in self._senders_of[team_key(self._in_doubt[envelope.place])]]
            others.remove(envelope.sender or "nobody")
            row = "team-senders" if others else "team-senders.folder"
            yield Remark.of(row, others, file=envelope.place, sender=shortened(envelope.sender) or "nobody")
        elif mail is not None and self.deadline and not mail.received:
            yield Remark.of("undated")
        elif mail is not None and self.deadline and (not mail.is_sure or (self._have_servers and not mail.by_server)):
            yield Remark.of("undated.sender", time=mail.received)
        if envelope.team and self._has_folder(key := team_key(envelope.folder)) and key != team_key(envelope.team):
            yield Remark.of("team-list.folder", team=shortened(envelope.team), other=shortened(envelope.folder))
        if mail is not None and not mail.is_whole:
            yield Remark.of("damaged-mail")
        if mail is not None and mail.doubled:
            yield Remark.of("doubled-header", mail.doubled)
        for claim in envelope.claims:
            team, sender = shortened(team_in(claim.subject)) or "no team", shortened(claim.sender) or "nobody"
            yield Remark.of("forwarded", team=team, sender=sender, time=claim.received or "at no time")

    @cached_property
    def _have_servers(self) -> bool:
        """Whether the mails were saved with the lines of servers; some ways of saving mails drop them all."""
        return any(envelope.mail is not None and envelope.mail.by_server for envelope in self._envelopes.values())

    def envelope(self, file: str) -> Envelope:
        """In what a file came.

        :meta private:
        """
        if file not in self._envelopes:
            self._envelopes[file] = envelope_of(file, self.common)
        return self._envelopes[file]

    def _team_of_envelope(self, envelope: Envelope) -> tuple[str, str]:
        """The team that the mail or the folder says, and which of them."""
        if envelope.team:
            return envelope.team, "subject"
        if len(keys := self._teams_of.get(envelope.sender, {})) == 1:
            return self._team_spelling(next(iter(keys))), "sender"
        return envelope.folder, "folder"

    def _rows(self, tag: str, file: str, envelope: Envelope) -> Iterator[tuple[TeamsRow, bool, bool]]:
        """The rows of the list that may be about a file, the surest first.

        And of each: whether it names the file or its folder as they were saved; whether it names what lies inside.
        """
        parts, top = self._parts(file)
        saved = len(parts) - envelope.n_inside  # behind which the names are the sender's
        paths = ["/".join(parts[start:]).lstrip("/") for start in range(len(parts))]
        # a file's name alone is what its sender called it; a mail's is the organiser's
        n_places = saved if envelope.n_inside or envelope.mail else len(parts) - 1
        stem = re.sub(r"\.(?:txt|json|jsonl|csv|tsv|xml|gz)$", "", parts[-1]) if parts else ""
        folders = [f"{part}/" for part in parts[: saved if envelope.n_inside else -1]]
        # what lies deeper, and is called like something that was saved higher, is not what the list names
        deep = {name for name in (*paths[top + 1 :], *folders[top + 1 :]) if name in self._places}
        deep.difference_update(paths[: top + 1], folders[: top + 1])
        folders.reverse()
        if envelope.n_inside:  # the mail, or the archive, itself
            folders += ["/".join(parts[start:saved]).lstrip("/") for start in range(saved)]
        # a path with its folder says most, as runs may share a tag; what a team wrote itself says least
        for names, is_place, is_inside in (
            (paths[:n_places], True, False),
            ([_normal_path(tag)], False, False),
            (paths[n_places:], False, bool(envelope.n_inside)),
            ([stem], False, bool(envelope.n_inside)),
            (folders[::-1], True, False),
        ):
            matching = (name for name in names if name in self._by_name and not (is_place and name in deep))
            row = next((self._by_name[name] for name in matching if name), None)
            if row is not None:
                yield row, is_place, is_inside

    def _parts(self, file: str) -> tuple[tuple[str, ...], int]:
        """The parts of a path as they are compared, and which is the first below the folder that all have in common."""
        parts = Path(_normal_path(absolute_path(file).as_posix())).parts if file else ()
        return parts, len(parts) - 1 if self.common is None else min(len(self.common.parts), len(parts) - 1)

    def _team_spelling(self, team: str) -> str:
        """A team as the list spells it; else as its folder, or the sender of most of its runs; never as another team.

        Plain letters go before all others.
        """
        key = team_key(team)
        spellings = self._spellings.get(key) or {team: Counter[str]()}

        def order(text: str) -> tuple[bool, bool, bool, int, str]:
            of_sender = spellings[text]
            n = max(of_sender.values(), default=0)  # of equal ones, what the files are called decides nothing
            return is_disguised(text), not text.isascii(), "" not in of_sender, -n, text

        spelling = min(spellings, key=order)
        is_alone = len(self._of_look.get(lookalike_key(spelling), {key: None})) == 1
        return self._listed.get(key) or (without_invisible(spelling) if is_alone else with_escapes(spelling))


def _normal_path(path: str) -> str:
    """A path as it is compared: one kind of slash, no ``./``, no capitals, composed characters."""
    text = unicodedata.normalize("NFC", path.strip().replace("\\", "/")).casefold()
    return re.sub(r"/{2,}|/\./", "/", text).removeprefix("./")
