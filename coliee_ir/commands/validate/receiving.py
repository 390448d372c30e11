"""What came in a folder of submissions: each file with its team, task, run tag, part, description and findings.

files ──sorted_out──▶ runs and the rest ──by team and task──▶ validate ──▶ Inbox, one row a file
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from coliee_adapters.classes import dataclass
from coliee_adapters.descriptions import Description
from coliee_adapters.errors import ColieeError, UsageError
from coliee_adapters.files import PathLike, by_original, copies
from coliee_adapters.records import Answers
from coliee_ir.commands.validate import Finding, Severity, Validation, validate
from coliee_ir.commands.validate.inbox import Inbox, Received
from coliee_ir.inbox.inventory import WHY_NOT, Part, sort_files
from coliee_ir.inbox.teams import TeamList, Teams, common_folder, read_teams
from coliee_ir.rules.protocol import PROTOCOLS, Protocol, described_task, protocol, task_name
from coliee_ir.scoring.reading import read_gold, read_queries, read_run_by


@dataclass(slots=True)
class _Pile:
    """The files of a team for a task."""

    runs: list[str] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)


def receive(
    *paths: PathLike,
    task: str | int | None = None,
    edition: str | int | None = None,
    queries: Iterable[PathLike] = (),
    corpus: PathLike | None = None,
    teams: PathLike | Mapping[str, str] | None = None,
) -> Inbox:
    """Look through folders and archives of submissions, and check what came, team by team and task by task.

    Args:
        paths: folders, archives and files.
        task: the task of all files; by default each file's own.
        edition: the year whose rules count; by default the newest of each task.
        queries: golds or test files; each is used for the runs that answer its queries. A copy of one is not a run.
        corpus: the documents, where all runs are of one task.
        teams: run tag, or file → team: see ``rank_runs``; by default the first folder below the common one.

    Raises:
        UsageError: there is no file.
    """
    asked = [str(path) for path in queries]
    known = TeamList() if teams is None else read_teams(teams)
    who = Teams(known, None, common_folder(map(str, paths)))
    rules = None if task is None else protocol(task, edition)
    own = None if rules is None or rules.is_coliee else rules
    golds = []
    for file in asked:
        with contextlib.suppress(ColieeError):  # a list of ids, or a test file, is no gold
            golds.append(read_gold(file, task=None if own is None else own.task))
    inventory = sort_files(paths, golds=golds, besides=asked, teams=who, rules=rules, edition=edition)
    rows = [
        Received(
            one.file,
            one.team,
            one.task if task is None else str(task_name(task)),
            one.tag,
            str(one.part) if own is None else ", ".join(one.holds),
        )
        for one in inventory.scored
    ]
    _mark_copies(rows)
    described = [
        Received(one.file, one.team, part="description") for one in inventory.items if one.part is Part.DESCRIPTION
    ]
    named = [(file, set(read_queries(file, rules=own))) for file in asked]
    findings = _checked(rows, described, inventory.described, edition, named, corpus, own)
    for row in (*rows, *described):
        of_file = [finding.severity for finding in findings if finding.file == row.file]
        row.errors, row.warnings = of_file.count(Severity.ERROR), of_file.count(Severity.WARNING)
    others = [
        Received(one.file, one.team, remark=WHY_NOT[one.why_not][0])
        for one in inventory.items
        if one.why_not and one.part is not Part.DESCRIPTION
    ]
    ordered = sorted((*rows, *described), key=lambda row: (row.team, row.task or "~", row.tag, row.part, row.file))
    remarks = tuple(inventory.walked.remarks())
    return Inbox((*ordered, *others), tuple(findings), None if edition is None else int(edition), remarks)


def _mark_copies(rows: Sequence[Received]) -> None:
    """Note which files are copies: of one of the same team, or else of another's; ``a (1).txt`` is one of ``a.txt``."""
    firsts: dict[tuple[str, str], str] = {}
    rows = sorted(rows, key=lambda row: by_original(row.file))
    for row, like in zip(rows, copies(row.file for row in rows), strict=True):
        first = firsts.setdefault((like or row.file, row.team), row.file)
        if first != row.file or like is not None:
            row.remark = f"copy of {first if first != row.file else like}"


def _checked(
    rows: Sequence[Received],
    described: Sequence[Received],
    said_of: Sequence[Description],
    edition: str | int | None,
    asked: Sequence[tuple[str, set[str]]],
    corpus: PathLike | None,
    own: Protocol | None,
) -> list[Finding]:
    """What ``validate`` finds in the files of each team and task, each once; whether runs are described is noted.

    ``own`` are rules that are not COLIEE's, by which runs are not described.
    """
    piles: dict[tuple[str, str], _Pile] = {}
    teams = {row.file: row.team for row in (*rows, *described)}
    for row in rows:
        same_team = row.remark and teams[row.remark.removeprefix("copy of ")] == row.team
        if not same_team:
            piles.setdefault((row.team, row.task), _Pile()).runs.append(row.file)
    tags: dict[str, set[tuple[str, str]]] = {}
    by_tag = {(row.team, row.tag): (row.team, row.task) for row in rows if row.tag}
    for one in said_of:
        team = teams[one.file]
        tags.setdefault(team, set()).add((one.task, one.tag))
        mine = [key for key in piles if key[0] == team and described_task(key[1]) == one.task]
        if not mine:  # of no run's task: the run with its tag tells
            task = next((row.task for row in PROTOCOLS if described_task(row.task) == one.task), "")
            mine = [by_tag.get((team, one.tag), (team, task))]
        for key in mine:
            pile = piles.setdefault(key, _Pile())
            pile.descriptions += [] if one.file in pile.descriptions else [one.file]
    for row in rows:
        if own is not None:
            break
        said = tags.get(row.team, set())
        row.described = not said.isdisjoint({(described_task(row.task), row.tag), ("", row.tag)})
    found: dict[tuple[str, str], Finding] = {}
    for (_, task), pile in sorted(piles.items()):
        for finding in _validated(pile, task, edition, asked, corpus, own).findings:
            found.setdefault((finding.file, finding.rule), finding)
    return list(found.values())


def _validated(
    pile: _Pile,
    task: str,
    edition: str | int | None,
    asked: Sequence[tuple[str, set[str]]],
    corpus: PathLike | None,
    own: Protocol | None,
) -> Validation:
    files = [*pile.runs, *pile.descriptions]
    answered = {query for file in pile.runs[:1] for query in _queries(file, own)}
    shared = max(((len(answered & names), file) for file, names in asked), default=(0, ""))
    queries = shared[1] if shared[0] else None
    try:
        return validate(*files, task=task or None, edition=edition, queries=queries, corpus=corpus)
    except ColieeError as error:
        if len(files) > 1 and not isinstance(error, UsageError):  # one of them cannot be opened
            parts = [_validated(_Pile([file]), task, edition, asked, corpus, own) for file in files]
            return Validation(tuple(files), task, (), None, tuple(one for part in parts for one in part.findings))
        finding = Finding(files[0], "unreadable", 1, remedy=str(error).removeprefix(f"{os.fspath(files[0])}: "))
        return Validation(tuple(files), task, (), None, (finding,))


def _queries(file: str, own: Protocol | None) -> Sequence[str]:
    """The queries of a run; of one that is not COLIEE's those of its main part."""
    try:
        if own is None:
            return read_queries(file)
        record = read_run_by(file, own, unreadable_answers="wrong")
        if isinstance(record, Answers):
            return [*record.labels, *record.unreadable]
        return [query for block in record.blocks() for query in block.queries]
    except ColieeError:
        return ()
