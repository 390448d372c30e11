"""What came in a folder of submissions: each file with its team, task, run tag, part, description and findings.

files ──inventory──▶ runs and the rest ──by team and task──▶ validate ──▶ Inbox, one row a file
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from coliee_adapters.errors import ColieeError, UsageError
from coliee_adapters.files.source import PathLike
from coliee_ir.commands.validate import RULES, Finding, Severity, Validation, validate
from coliee_ir.commands.validate.result import Inbox, Received
from coliee_ir.inbox.folders import WHY_NOT, passed_over
from coliee_ir.inbox.inventory import Inventory, Item, Part, originals, sort_files
from coliee_ir.inbox.tasks import tasks_of_queries
from coliee_ir.inbox.teams import TeamList, Teams, common_folder, read_teams
from coliee_ir.rules.protocol import PROTOCOLS, TASKS, Protocol, described_task, protocol, task_name
from coliee_ir.scoring.reading import read_gold, read_queries


@dataclass(slots=True)
class _Pile:
    """The files of a team for a task."""

    runs: list[Item] = field(default_factory=list)
    descriptions: list[str] = field(default_factory=list)


class Asked(NamedTuple):
    """A file that names queries: what it is called, its queries, the tasks that ask them, and whether it is a gold."""

    file: str
    queries: frozenset[str]
    tasks: tuple[str, ...]
    is_gold: bool


def receive(
    *paths: PathLike,
    task: str | int | None = None,
    edition: str | int | None = None,
    golds: Iterable[PathLike] = (),
    queries: Iterable[PathLike] = (),
    corpus: PathLike | None = None,
    teams: PathLike | Mapping[str, str] | None = None,
) -> Inbox:
    """Look through folders and archives of submissions, and check what came, team by team and task by task."""
    who = Teams(TeamList() if teams is None else read_teams(teams), None, common_folder(map(str, paths)))
    rules = None if task is None else protocol(task, edition)
    own = None if rules is None or rules.is_coliee else rules
    asked, read = [], []
    of_golds = [str(path) for path in golds]
    for file in (*of_golds, *map(str, queries)):
        ids, gold = read_queries(file, rules=own), None
        with contextlib.suppress(ColieeError):  # a list of ids, or a test file, is no gold
            read.append(gold := read_gold(file, task=None if own is None else own.task))
        tasks = (own.task,) if own is not None else tasks_of_queries(ids, gold)
        asked.append(Asked(file, frozenset(ids), tasks, file in of_golds))
    besides = [one.file for one in asked]
    inventory = sort_files(paths, golds=read, besides=besides, teams=who, rules=rules, edition=edition)
    if task is not None:
        for one in inventory.scored:
            one.tasks = (str(task_name(task)),)
    every = (*TASKS, "", *({} if own is None else {own.task}))
    inbox = received(inventory, asked, dict.fromkeys(every, edition), dict.fromkeys(every, corpus), own)
    return replace(inbox, edition=None if edition is None else int(edition))


def received(
    inventory: Inventory,
    asked: Sequence[Asked],
    years: Mapping[str, Any],
    corpora: Mapping[str, PathLike | None],
    own: Protocol | None = None,
) -> Inbox:
    """What came, checked by team and task, with the year and the corpus of each; ``own`` are rules not COLIEE's."""
    rows = {
        one.file: Received(
            one.file, one.team, one.task, one.tag, str(one.part) if own is None else ", ".join(one.holds)
        )
        for one in inventory.scored
    }
    _mark_copies(inventory, rows)
    teams: dict[tuple[str, str], set[str]] = {}
    for row in rows.values():
        teams.setdefault((row.task, row.tag), set()).add(row.team)
    for row in rows.values():
        if row.tag and (more := sorted(teams[row.task, row.tag] - {row.team})):
            row.remark = row.remark or f"run tag of {', '.join(more)} too"
    described = {
        one.file: Received(one.file, one.team, part="description")
        for one in inventory.items
        if one.part is Part.DESCRIPTION
    }
    piles = _piles(inventory, rows)
    if own is None:  # by whose rules runs are not described
        _mark_described(inventory, rows)
    found: dict[tuple[str, str], Finding] = {}
    for (_, of_task), pile in sorted(piles.items()):
        apart = len({one.tag for one in pile.runs if one.status})  # which are not ranked, and may be more
        for finding in _validated(pile, of_task, years.get(of_task), asked, corpora.get(of_task)).findings:
            if finding.rule in ("runs", "runs-unstated"):
                finding.count -= apart
                if finding.count <= int(str(finding.facts["most_runs"])):
                    continue
            found.setdefault((finding.file, finding.rule), finding)
    for finding in found.values():
        row = rows.get(finding.file) or described[finding.file]
        row.errors += finding.severity is Severity.ERROR
        row.warnings += finding.severity is Severity.WARNING
    others = [
        Received(one.file, one.team, remark=WHY_NOT[one.why_not][0])
        for one in inventory.items
        if one.why_not and one.part is not Part.DESCRIPTION
    ]
    every = (*rows.values(), *described.values())
    ordered = sorted(every, key=lambda row: (row.team, row.task or "~", row.tag, row.part, row.file))
    remarks = tuple(passed_over(inventory.walked.passed))
    return Inbox((*ordered, *others), tuple(found.values()), None, remarks)


def _mark_copies(inventory: Inventory, rows: Mapping[str, Received]) -> None:
    """Note which files are copies: of one of the same team, or else of another's; ``a (1).txt`` is one of ``a.txt``."""
    firsts: dict[tuple[str, str], str] = {}
    for file, like in originals(inventory.scored).items():
        first = firsts.setdefault((like, rows[file].team), file)
        if first != file or like != file:
            rows[file].remark = f"copy of {first if first != file else like}"


def _piles(inventory: Inventory, rows: Mapping[str, Received]) -> dict[tuple[str, str], _Pile]:
    """The files by team and task; of files that a team sent twice, one."""
    piles: dict[tuple[str, str], _Pile] = {}
    by_tag: dict[tuple[str, str], tuple[str, str]] = {}
    for one in inventory.scored:
        same = rows.get(rows[one.file].remark.removeprefix("copy of "))
        if same is None or same.team != one.team:
            piles.setdefault((one.team, one.task), _Pile()).runs.append(one)
        if one.tag:
            by_tag[one.team, one.tag] = (one.team, one.task)
    for item in inventory.items:
        for said in item.described if item.part is Part.DESCRIPTION else ():
            mine = [key for key in piles if key[0] == item.team and described_task(key[1]) == said.task]
            if not mine:  # of no run's task: the run with its tag tells
                task = next((row.task for row in PROTOCOLS if described_task(row.task) == said.task), "")
                mine = [by_tag.get((item.team, said.tag), (item.team, task))]
            for key in mine:
                pile = piles.setdefault(key, _Pile())
                pile.descriptions += [] if item.file in pile.descriptions else [item.file]
    return piles


def _mark_described(inventory: Inventory, rows: Mapping[str, Received]) -> None:
    """Note which runs a system description of their team names."""
    said = {(item.team, one.task, one.tag) for item in inventory.items for one in item.described}
    for row in rows.values():
        row.described = any((row.team, task, row.tag) in said for task in (described_task(row.task), ""))


def _validated(
    pile: _Pile, task: str, edition: str | int | None, asked: Sequence[Asked], corpus: PathLike | None
) -> Validation:
    """What ``validate`` finds in the files of a team for a task, beside the queries that they answer, or should."""
    files = [*(one.file for one in pile.runs), *pile.descriptions]
    answered = {query for one in pile.runs for query in one.queries}
    best = max(asked, key=lambda one: (len(answered & one.queries), task in one.tasks), default=None)
    named: dict[str, Any] = {}
    if best is not None and (task in best.tasks or answered & best.queries):
        named["gold" if best.is_gold else "queries"] = best.file
    try:
        return validate(*files, task=task or None, edition=edition, corpus=corpus, **named)
    except ColieeError as error:
        if len(files) > 1 and not isinstance(error, UsageError):  # one of them cannot be opened
            alone = [*(_Pile([one]) for one in pile.runs), *(_Pile([], [file]) for file in pile.descriptions)]
            parts = [_validated(one, task, edition, asked, corpus) for one in alone]
            return Validation(tuple(files), task, (), None, tuple(one for part in parts for one in part.findings))
        finding = Finding(
            files[0], "unreadable", RULES["unreadable"], 1, remedy=str(error).removeprefix(f"{files[0]}: ")
        )
        return Validation(tuple(files), task, (), None, (finding,))
