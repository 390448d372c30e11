"""What came in a folder of submissions: each file with its team, task, run tag, part, description and findings.

files ──sorted_out──▶ runs and the rest ──by team and task──▶ validate ──▶ Inbox, one row a file
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from coliee_adapters.classes import NamedTuple, dataclass
from coliee_adapters.errors import ColieeError, UsageError
from coliee_adapters.files import PathLike, Source, by_original, copies
from coliee_adapters.folders import Walked, walk
from coliee_adapters.records import Answers, Run
from coliee_ir.commands.validate import Finding, Severity, Validation, validate
from coliee_ir.commands.validate.inbox import Inbox, Received
from coliee_ir.commands.validate.tasks import task_of_files
from coliee_ir.rules.protocol import LONG_LIST_FILE, PROTOCOLS, Protocol, described_task, protocol, task_name
from coliee_ir.scoring.arriving import KINDS, Passed, named_task, sorted_out
from coliee_ir.scoring.reading import read_queries, read_run, read_run_by, reads_as_gold, reads_as_run
from coliee_ir.scoring.teams import TeamList, Teams, common_folder, read_teams


class _Held(NamedTuple):
    """What a file that may be a run holds."""

    tag: str
    part: str
    task: str


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
    walked = walk(paths, asked)
    known = TeamList() if teams is None else read_teams(teams)
    who = Teams(known, None, common_folder(map(str, paths)))
    files, passed = sorted_out(walked, asked)
    rules = None if task is None else protocol(task, edition)
    own = None if rules is None or rules.is_coliee else rules
    if own is not None and own.gold is not None:
        for file in files:
            if not reads_as_run(file, task=own.task) and reads_as_gold(file, task=own.task):
                passed.add("judged", file)
        files = [file for file in files if file not in passed.files.get("judged", ())]
    held = {file: _held(file, passed) if own is None else _held_by(file, own) for file in files}
    rows = [Received(file, who.team_of(one.tag, file), one.task, one.tag, one.part) for file, one in held.items()]
    if task is not None:
        for row in rows:
            row.task = str(task_name(task))
    else:
        _answers_of_articles(rows, edition)
    _mark_copies(rows)
    described = [
        Received(file, who.team_of("", file), part="description") for file in passed.files.pop("description", [])
    ]
    named = [(file, set(read_queries(file, rules=own))) for file in asked]
    findings = _checked(rows, described, passed, edition, named, corpus, own)
    for row in (*rows, *described):
        of_file = [finding.severity for finding in findings if finding.file == row.file]
        row.errors, row.warnings = of_file.count(Severity.ERROR), of_file.count(Severity.WARNING)
    others = [
        Received(file, who.team_of("", file), remark=KINDS[kind][0])
        for kind, names in passed.files.items()
        for file in names
    ]
    ordered = sorted((*rows, *described), key=lambda row: (row.team, row.task or "~", row.tag, row.part, row.file))
    return Inbox((*ordered, *others), tuple(findings), None if edition is None else int(edition), _remarks(walked))


def _remarks(walked: Walked) -> tuple[str, ...]:
    return tuple(walked.remarks())


def _held_by(file: str, rules: Protocol) -> _Held:
    """What a file holds of the parts that a protocol names."""
    try:
        record = read_run_by(file, rules, unreadable_answers="wrong")
    except ColieeError:
        return _Held("", "", rules.task)
    parts = {"documents" if isinstance(record, Run) else "answers", *record.beside}
    return _Held(record.tag, ", ".join(part for part in rules.parts if part in parts), rules.task)


def _held(file: str, passed: Passed) -> _Held:
    """The run tag, the part and the task of a file."""
    try:
        source = Source(file, may_be_empty=True, any_text=True)
        found = task_of_files([source], ())
    except ColieeError:
        found = ""
    try:
        record: Run | Answers = read_run(file, unreadable_answers="wrong")
    except ColieeError:
        return _Held("", "", named_task(file) or found)
    said = {one.task for one in passed.described if one.tag == record.tag and one.task}
    task = next((row.task for row in PROTOCOLS if said == {described_task(row.task)}), "")
    task = named_task(file) or task or found
    part = "answers" if isinstance(record, Answers) else "documents"
    if part == "documents" and re.search(LONG_LIST_FILE, Path(file).name):
        part = "long list"
    return _Held(record.tag, part, task)


def _answers_of_articles(rows: Sequence[Received], edition: str | int | None) -> None:
    """Answers with the run tag of articles belong to them, in a task that asks for both."""
    articles = {}
    for row in rows:
        if row.part == "documents" and row.task:
            try:
                if "answers" in protocol(row.task, edition).parts:
                    articles[row.team, row.tag] = row.task
            except UsageError:  # the task had no such edition
                continue
    for row in rows:
        if row.part == "answers" and row.tag and not named_task(row.file):
            row.task = articles.get((row.team, row.tag), row.task)


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
    passed: Passed,
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
    for one in passed.described:
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
