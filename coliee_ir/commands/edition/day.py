"""A day of an edition: what came, scored task by task, and what a person must decide.

mailbox ──sort_files, once──▶ Inventory ─┬─▶ Evaluator of each task ──▶ Leaderboards ─┬─▶ Decisions
                                         └─▶ validate, by team and task ──▶ Inbox ────┘
"""

from __future__ import annotations

import contextlib
import re
import zlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.by_key import by_key
from coliee_adapters.errors import ColieeError, UsageError, shortened
from coliee_adapters.files.mail import looks_like_mail
from coliee_adapters.files.source import PathKind, Source
from coliee_adapters.remarks import Remark
from coliee_ir.commands.edition.config import Edition
from coliee_ir.commands.evaluate import Watch, evaluate_all
from coliee_ir.commands.leaderboard import Leaderboard, leaderboard
from coliee_ir.commands.leaderboard.board import brief, listed_by_tag
from coliee_ir.commands.validate import validate
from coliee_ir.commands.validate.receiving import received
from coliee_ir.commands.validate.result import Inbox
from coliee_ir.commands.validate.rules import MANY
from coliee_ir.inbox import Runs
from coliee_ir.inbox.envelopes import is_disguised
from coliee_ir.inbox.folders import SKIP_REASONS, UNREAD, skipped_remarks
from coliee_ir.inbox.grouping import Excess, excess, too_many
from coliee_ir.inbox.inventory import Inventory, is_beside, sort_files
from coliee_ir.inbox.tasks import Golds, QueryFile, text_of_head
from coliee_ir.inbox.teams import IN_DOUBT, LATE, OUT, Teams
from coliee_ir.measures.labels import Accuracy
from coliee_ir.measures.sets import MacroR, MicroR
from coliee_ir.reading.basis import Basis
from coliee_ir.rules.protocol import known_edition, protocol
from coliee_ir.scoring.evaluator import Evaluator

#: a question is looked at again where at most this share of the runs, of which there are enough, has any credit for it
_MISSED, _ENOUGH = 0.1, 4

#: so many queries in a file show that it may be a run
_HOLDS: Final = 10

#: measures by which a document that is not relevant costs nothing
_FREE: Final = (Accuracy, MicroR, MacroR)


#: remarks on a gold of which a part does not count as it was meant
_OF_GOLD: Final = ("empty-gold", "judged-only", "no-head", "gold-duplicate")

#: kind of decision → the status that settles it, in the list of teams
_STATUSES: Final = {
    "late": "ranked", "undated": "ranked", "perfect-score": "disqualified", "same-file": "disqualified",
    "team-senders": "disqualified",
    "refused": "withdrawn", "named-otherwise": "withdrawn", "everything": "unofficial",
}  # fmt: skip


_REPLACED: Final = "replaced by "


class Decision(NamedTuple):
    """What a person must decide: a sentence with its kind, and what it is about."""

    what: Remark
    team: str = ""
    run: str = ""
    file: str = ""

    @property
    def kind(self) -> str:
        """What kind of decision it is."""
        return self.what.kind

    @property
    def key(self) -> str:
        """By what it is settled in the edition's file; the figure at the end is another one where the facts are."""
        # a name is one word, of which enough is shown, and none that could be the figure
        about = (re.sub(r"\s+|^(?=[0-9a-f]{4}$)", "_", brief(name)) for name in (self.team, self.run))
        words = [*filter(None, about)] or [self.file]
        facts = f"{self.file} {self.what}".encode("utf-8", "backslashreplace")
        return " ".join(filter(None, (self.kind, *words, f"{zlib.crc32(facts) & 0xFFFF:04x}")))

    @property
    def status(self) -> str:
        """What the list of teams may say of its file; empty where that does not settle it."""
        tag = self.run if self.kind == "replaces" else ""
        return f"replaced by {tag}" if tag else _STATUSES.get(self.kind, "")

    @property
    def has_key(self) -> bool:
        """Whether its key settles it; whose a mail is, the teams file alone can say."""
        return self.kind != "team-senders"

    def is_settled(self, settled: Collection[str]) -> bool:
        """Whether it is settled: by its key, or for good by its key without the figure."""
        return self.has_key and (self.key in settled or self.key.rpartition(" ")[0] in settled)


class Day(NamedTuple):
    """What an edition comes to."""

    edition: Edition
    inbox: Inbox  # what came in the mailbox, file by file
    boards: tuple[Leaderboard, ...]  # in the order of the tasks; those of tasks with runs
    decide: tuple[Decision, ...]
    inventory: Inventory  # every file, with the time of its mail
    teams: Teams  # whose the files are
    bases: tuple[Basis, ...] = ()  # by what the runs of each task are scored
    held: tuple[tuple[str, Excess], ...] = ()  # by task, the runs that are not scored until a person has decided
    elsewhere: frozenset[str] = frozenset()  # files that a task passed over as of other queries than its gold's

    @property
    def placed(self) -> set[str]:
        """The files of runs that are scored, or may be: what another task says of them does not count."""
        of_boards = {file for board in self.boards for entry in board.entries for file in entry.files}
        return of_boards.union(file.path for _, over in self.held for run in over.runs for file in run.files)


def day_of(edition: Edition, watch: Watch | None = None) -> Day:
    """Look at each file once, and score each run once.

    Raises:
        InputError: a gold or the list of teams cannot be read.
        UsageError: a task has no such edition, decision or query; the mailbox holds nothing.
    """
    teams = Teams(edition.teams, edition.mailbox, edition.deadline)
    evaluators = {
        part.name: Evaluator(
            Source(part.gold), task=part.task, edition=part.year, exclude=part.exclude, decisions=part.decisions
        )
        for part in edition.tasks
    }
    inventory = sort_files(
        edition.mailbox,
        {"edition": edition.year},
        golds=Golds(
            # files are checked by its queries alone, as teams read of that
            QueryFile(part.gold, frozenset(gold.queries), (part.task,), False, part.name, part.year, part.corpus, gold)
            for part, gold in zip(edition.tasks, (evaluator.gold for evaluator in evaluators.values()), strict=True)
        ),
        besides=[edition.path, edition.teams, *(part.categories for part in edition.tasks)],
        teams=teams,
        check=validate,
    )
    boards, held, elsewhere = list[Leaderboard](), list[tuple[str, Excess]](), set[str]()
    for part, evaluator in zip(edition.tasks, evaluators.values(), strict=True):
        # what is not of its task is passed over, and that of another
        own = replace(inventory, items=[replace(file) for file in inventory.items])
        runs = Runs((), own, True)
        intake = runs.submissions(evaluator)
        over = [
            runs_of_team
            for runs_of_team in excess(intake, own, evaluator)
            if not _too_many(part.name, runs_of_team).is_settled(edition.settled)
        ]
        held += [(part.name, runs_of_team) for runs_of_team in over]
        elsewhere |= {file.file for file in own.items if file.skip_reason == "elsewhere"}
        undecided = {id(run) for runs_of_team in over for run in runs_of_team.runs}
        intake.submissions[:] = [run for run in intake.submissions if id(run) not in undecided]
        try:
            scored = evaluate_all(evaluator, runs._replace(intake=intake), keep_going=True, watch=watch)
        except UsageError as error:
            if error.kind != "no-run":
                raise
        else:
            for file, mine in zip(inventory.items, own.items, strict=True):
                file.skip_reason = file.skip_reason or mine.skip_reason * (mine.skip_reason == "unscored")
            boards.append(replace(leaderboard(scored, n_resamples=edition.resamples), reference=part.reference))
    bases = tuple(evaluators.values())
    day = Day(
        edition, received(inventory), tuple(boards), (), inventory, teams, bases, tuple(held), frozenset(elsewhere)
    )
    closed = {file.file for file in inventory.items if file.sender.listed_status not in ("", "ranked", "unofficial")}
    decisions = dict.fromkeys(decision for find in _FINDERS for decision in find(day))
    open_decisions = (decision for decision in decisions if decision.file not in closed or decision.kind == "status")
    by_team = sorted(open_decisions, key=lambda decision: decision.team)
    return day._replace(decide=tuple(decision for decision in by_team if not decision.is_settled(edition.settled)))


def _too_many(task: str, over: Excess) -> Decision:
    what = Remark.of("many-runs.held", n=over.n, team=over.team, most=over.most)
    return Decision(_of_task(task, what), over.team)


def _of_task(name: str, remark: Remark) -> Remark:
    return Remark(remark.kind, f"Task {name}: {remark}")


_Found = Iterator[Decision]


def _missing_tasks(day: Day) -> _Found:
    """Tasks of which no run has arrived."""
    with_runs = {board.task for board in day.boards if board.entries} | {task for task, _ in day.held}
    for part in day.edition.tasks:
        if part.task not in with_runs and not part.reference:
            yield Decision(Remark.of("awaited", task=part.task))


def _unknown_rules(day: Day) -> _Found:
    """That the rules of the year are not known."""
    for part in day.edition.tasks:
        if later := known_edition(protocol(part.task), part.year)[1]:
            yield Decision(later)


def _late_files(day: Day) -> _Found:
    """What was received after the deadline, and the list of teams says nothing of."""
    for file in day.inventory.scored:
        if file.sender.status == LATE and not file.sender.listed_status:
            yield Decision(
                Remark.of("late", time=day.edition.time(file.sender.received)), file.team, file.tag, file.file
            )


def _doubtful_senders(day: Day) -> _Found:
    """Whose a run or a mail is, when it came, and of which task, where these do not agree."""
    for file in day.inventory.scored:
        yield from (Decision(doubt, file.team, file.tag, file.file) for doubt in file.doubts)
    dated = {file.sender.envelope.place for file in day.inventory.scored if file.sender.listed_status}
    for team, mail, doubt in day.teams.doubts():
        if doubt.kind != "undated" or mail not in dated:
            yield Decision(doubt, team, "", mail)


def _lost_runs(day: Day) -> _Found:
    """Runs that are replaced by none: by a tag that nobody sent, or by runs that are out themselves."""
    runs = [(entry.team, entry.tag, entry.status, entry.file) for board in day.boards for entry in board.entries]
    runs += [(over.team, run.tag, "", "") for _, over in day.held for run in over.runs]
    left = {(team, tag) for team, tag, status, _ in runs if not status.startswith((*OUT, _REPLACED))}
    replaced = {(team, tag): (team, status.removeprefix(_REPLACED)) for team, tag, status, _ in runs
                if status.startswith(_REPLACED)}  # fmt: skip
    for _ in replaced:  # by one that is replaced by one that is left
        left |= {run for run, by in replaced.items() if by in left}
    for team, tag, status, file in runs:
        if status.startswith(_REPLACED) and (team, status.removeprefix(_REPLACED)) not in left:
            yield Decision(Remark.of("status.replaced", status=status), team, tag, file)


def _shared_tags(day: Day) -> _Found:
    """Tags of several runs; of a run that is not ranked, the tag is free."""
    for board in day.boards:
        for tag, entries in by_key(board.counted, lambda entry: entry.tag).items():
            if is_disguised(tag):
                yield Decision(Remark.of("shared-tag.letters", text=ascii(tag)[1:-1]), entries[0].team, tag)
            # of a correction it is asked whether it replaces the run of its tag
            entries = [entry for entry in entries if entry.submission is None or not entry.submission.replaces]
            if len(entries) > 1:
                files = [f"{entry.team} {entry.file}".strip() for entry in entries]
                yield Decision(Remark.of("shared-tag", files, task=board.called), "", tag)


def _set_aside(day: Day) -> _Found:
    """Rows by tag of which several runs have a status, one of them perhaps sent again."""
    for board in day.boards:
        with_status = (entry for entry in board.entries if entry.status not in ("", IN_DOUBT))
        for (team, tag), entries in listed_by_tag(with_status).items():
            if len(entries) > 1:
                yield Decision(Remark.of("shared-tag.status", [entry.file for entry in entries]), team, tag)


def _suspicious_runs(day: Day) -> _Found:
    """Golds among the runs, and runs that have a perfect score."""
    for file in day.inventory.items:
        if file.skip_reason == "gold":
            yield Decision(Remark.of("gold-itself.file", file=file.file), file.team, "", file.file)
    for board in day.boards:
        for entry in board.entries:
            if (value := entry.scores.results[board.ranking].value) > 1 - 1e-9 and not entry.status:
                yield Decision(
                    Remark.of("perfect-score", measure=board.ranking, task=board.called, value=value),
                    entry.team,
                    entry.tag,
                    entry.file,
                )


def _long_lists(day: Day) -> _Found:
    """Runs with so many documents of most questions that one may be right by chance, where none costs anything."""
    for board in day.boards:
        for entry in board.counted if isinstance(board.ranking, _FREE) and not board.ranking.ranked else ():
            judged = entry.scores.judged.get("documents")
            n = 0 if judged is None else int((judged.retrieved > MANY).sum())
            if 2 * n > len(board.queries):
                about = {"queries": len(board.queries), "task": board.called, "many": MANY, "measure": board.ranking}
                yield Decision(Remark.of("everything", (), n, **about), entry.team, entry.tag, entry.file)


def _copies(day: Day) -> _Found:
    """Files that are the same as another team's, which came earlier as far as that is known."""
    for row in day.inbox.received:
        if row.copy_of:
            yield Decision(Remark.of("same-file", file=row.file, other=row.copy_of), row.team, row.tag, row.file)


def _remarks_of_boards(day: Day) -> _Found:
    """Scores in doubt, too many runs, equal and corrected ones, and what the list and the runs do not agree on."""
    for board in day.boards:
        for entry in board.counted:
            for doubt in entry.scores.remarks:
                kind = doubt.kind.rpartition(":")[2]
                if kind in _OF_GOLD:
                    yield Decision(_of_task(board.called, doubt))
                elif doubt.is_doubt or kind == "ungrouped":
                    yield Decision(doubt, entry.team, entry.tag, entry.file)
        for team, many in too_many((entry.team for entry in board.counted), board.task, board.edition):
            yield Decision(_of_task(board.called, many), team)
        for remark in board.remarks:
            if isinstance(remark, Remark) and remark.kind == "same-answers":
                yield Decision(_of_task(board.called, remark))
    yield from (_too_many(task, over) for task, over in day.held)
    sent = [entry.submission for board in day.boards for entry in board.entries if entry.submission is not None]
    for run in sorted((run for run in sent if run.replaces), key=lambda run: (run.team, run.received)):
        yield Decision(
            Remark.of("replaces", file=run.replacement, other=run.replaces, tag=shortened(run.tag)),
            run.team,
            run.tag,
            run.replaces,
        )
    if day.teams.unused:
        yield Decision(Remark.of("team-list", day.teams.unused))


def _refused_files(day: Day) -> _Found:
    """What could not be ranked, once; a file whose task nothing shows is refused by every board."""
    closed = {item.source.name for item in day.inventory.items if item.sender.status}
    refused = by_key((refusal for board in day.boards for refusal in board.invalid), lambda refusal: refusal.files)
    for refusal, *_ in refused.values():
        # of the pilot, a run whose labels have a gap is scored by its claims alone
        is_elsewhere = refusal.reason.kind != "missing-label" and day.placed.intersection(refusal.files)
        if not is_elsewhere and not closed.issuperset(refusal.files):
            yield Decision(Remark.of("refused", reason=refusal.reason), refusal.team, refusal.tag, refusal.files[0])
    for item in day.inventory.items:
        if not item.team and (item.described or not item.skip_reason):
            yield Decision(Remark.of("team-list.file", file=item.file), "", item.tag, item.file)
    held = {task for part in day.edition.tasks for task in (part.task, part.name)}
    for item in day.inventory.scored:
        if item.gold is None and item.tasks and held.isdisjoint(item.tasks) and not item.sender.status:
            yield Decision(
                Remark.of("passed-over.task", file=item.file, task=item.task), item.team, item.tag, item.file
            )
    skipped = {"": [entry for entry in day.inventory.walked.skipped if entry[0] != "besides"]}
    for item in day.inventory.items:
        if item.skip_reason in UNREAD and item.sender.status not in OUT:
            skipped.setdefault(item.team, []).append((item.skip_reason, item.file))
    yield from (
        Decision(Remark("passed-over", line), team)
        for team, entries in skipped.items()
        for line in skipped_remarks(entries)
    )


def _unread_files(day: Day) -> _Found:
    """Files that were passed over and may be runs: by the queries in them, or as nothing else came."""
    asked = {query for basis in day.bases for query in basis.queries if len(query) > 2}
    refused = {file for board in day.boards for refusal in board.invalid for file in refusal.files}
    with_runs = {item.team for item in day.inventory.scored}
    for item in day.inventory.items:
        reason, what = item.skip_reason, ""
        # a mail, or an archive of mails, whose attachment is lost
        is_mail = reason == "nothing" and item.source.kind is PathKind.ARCHIVE
        if item.file in day.elsewhere - day.placed - refused:
            what = f"is taken for a {SKIP_REASONS['elsewhere'][0]}: is it a run?"
        elif reason in ("nothing", "named", "judged") and _may_be_run(item.source, asked):
            what = f"is taken for a {SKIP_REASONS[reason][0]}: is it a run?"
        elif is_mail or (reason == "nothing" and item.team and item.team not in with_runs):
            what = f"is a {SKIP_REASONS['bare' if is_mail else 'nothing'][0]}"
        if what:
            yield Decision(Remark("passed-over", f"{item.file} {what}"), item.team, item.tag, item.file)


def _may_be_run(source: Source, queries: Collection[str]) -> bool:
    """Whether the first lines hold ten of these queries, or all; or are those of a mail, or of no text or known kind.

    Mail programs pack attachments in files of their own kinds, such as ``winmail.dat``.
    """
    seen = source.look()
    if seen.kind is PathKind.TEXT and seen.fault is not None and not is_beside(source.path):
        return True
    with contextlib.suppress(ColieeError):
        words = {*re.findall(r"[\w-]+", text_of_head(head := source.head()))}
        return looks_like_mail(head) or 0 < min(_HOLDS, len(queries)) <= len(words.intersection(queries))
    return False


def _description_gaps(day: Day) -> _Found:
    """Tags that are described and missing, runs that are not described, teams without a description."""
    team_of = {row.file: row.team for row in day.inbox.received}
    sent = {(file.team, file.tag) for file in day.inventory.scored}
    lacking = [finding for finding in day.inbox.findings if finding.rule == "undescribed"]
    described = by_key(
        ((file.team, description) for file in day.inventory.items for description in file.described if file.team),
        lambda pair: pair[0],
    )
    for team, pairs in described.items():
        runs = by_key(
            (description for _, description in pairs), lambda description: (description.task, description.tag)
        )
        places = [
            place for finding in lacking if team_of[finding.file] == team for place in finding.places if place.found
        ]
        texts = {
            "undescribed.twice": [
                tag for (_, tag), several in runs.items() if len({description[2:5] for description in several}) > 1
            ],
            "undescribed.runs": [str(place.found) for place in places],
            "undescribed.gone": [tag for _, tag in runs if (team, tag) not in sent],
        }
        for row, tags in texts.items():
            if tags:
                yield Decision(Remark.of(row, list(dict.fromkeys(tags))), team)
    teams = dict.fromkeys(row.team for row in day.inbox.received if row.described is not None)
    yield from (Decision(Remark.of("undescribed"), team) for team in teams if team and team not in described)


def _hard_questions(day: Day) -> _Found:
    """Questions that nearly all runs miss, of which the gold is to be looked at again."""
    for board in day.boards:
        judged = [entry.scores.judged[board.main] for entry in board.counted]
        if len(judged) >= _ENOUGH and not board.reference:
            right = np.mean([of_run.correct() > 0 for of_run in judged], axis=0)
            has_relevant = judged[0].qrels.relevant() > 0
            missed = [board.queries[i] for i in np.flatnonzero((right <= _MISSED) & has_relevant)]
            if missed:
                yield Decision(Remark.of("missed-query", missed, task=board.called, queries=len(board.queries)))


_FINDERS: Final = (
    _missing_tasks, _unknown_rules, _late_files, _doubtful_senders, _lost_runs, _shared_tags, _set_aside,
    _refused_files, _unread_files, _suspicious_runs, _long_lists, _copies,
    _remarks_of_boards, _description_gaps, _hard_questions,
)  # fmt: skip
