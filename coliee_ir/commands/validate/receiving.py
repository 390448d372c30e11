"""What came in a folder of submissions: each file with its team, task, run tag, part, description and findings.

files ──inventory──▶ runs and the rest ──by team and task──▶ validate ──▶ Inbox, one row a file
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from coliee_adapters.by_key import by_key
from coliee_adapters.errors import ColieeError, UsageError, ignoring_unreadable
from coliee_adapters.files.source import PathLike
from coliee_ir.commands.validate import Finding, Severity, validate
from coliee_ir.commands.validate.result import Inbox, Received
from coliee_ir.inbox.folders import SKIP_REASONS, skipped_remarks
from coliee_ir.inbox.inventory import InboxFile, Inventory, originals, sort_files
from coliee_ir.inbox.tasks import Golds, QueryFile, tasks_of_queries
from coliee_ir.inbox.teams import Teams
from coliee_ir.reading.anything import read_gold, read_queries
from coliee_ir.rules.protocol import PROTOCOLS, Protocol, described_task, known_edition, protocol, task_name


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
    who, rules = Teams(teams, map(str, paths)), None if task is None else protocol(task, edition)
    own, year = None if rules is None or rules.is_coliee else rules, None if edition is None else int(edition)
    query_files, of_golds = list[QueryFile](), [str(path) for path in golds]
    for file in (*of_golds, *map(str, queries)):
        ids, gold = read_queries(file, rules=own), None
        with ignoring_unreadable():  # a list of ids, or a test file, is no gold
            gold = read_gold(file, task=None if own is None else own.task)
        tasks = (own.task,) if own is not None else tasks_of_queries(ids, gold)
        query_files.append(QueryFile(file, frozenset(ids), tasks, file in of_golds, "", year, corpus, gold))
    inventory = sort_files(paths, {"task": task, "edition": edition}, golds=Golds(query_files), teams=who)
    if task is not None:
        inventory.judge(str(task_name(task)))
    inbox = received(inventory, own, edition=edition, corpus=corpus)
    later = (known_edition(protocol(name), edition)[1] for name in {row.task for row in inbox.received if row.task})
    return replace(inbox, edition=year, remarks=tuple(dict.fromkeys((*inbox.remarks, *filter(None, later)))))


def received(
    inventory: Inventory,
    own: Protocol | None = None,
    *,
    edition: str | int | None = None,
    corpus: PathLike | None = None,
) -> Inbox:
    """What came, checked by team, task and gold; ``own`` are rules not COLIEE's.

    The year and the corpus are those of the gold; of files that no gold judges, those that are named.
    """
    rows = {file.file: _received_row(file, own) for file in inventory.items}
    _remark_copies(inventory, rows)
    of_tag = by_key(rows.values(), lambda row: (row.task, row.tag))
    described = {(file.origin, run.task, run.tag) for file in inventory.items for run in file.described}
    for file in inventory.scored:
        row = rows[file.file]
        if row.tag:
            row.shares_tag = tuple(sorted({other.team for other in of_tag[row.task, row.tag]} - {row.team}))
        if own is None:  # by whose rules runs are not described
            row.described = any((file.origin, task, row.tag) in described for task in (described_task(row.task), ""))
    found: dict[tuple[str, str], Finding] = {}
    for (_, task, _), pile in sorted(_files_by_sender_and_task(inventory, rows).items()):
        golds = {gold.file: gold for file in pile.values() for gold in file.golds}
        gold = next(iter(golds.values()), QueryFile("", frozenset(), (), is_gold=False, corpus=corpus))
        named: dict[str, Any] = {"task": task or None, "edition": gold.year or edition, "corpus": gold.corpus}
        if golds:
            named |= {"gold": [*golds]} if gold.is_gold else {"queries": gold.file}
        # what is not ranked may be more
        apart = {file.tag for file in pile.values() if file.sender.status and not file.skip_reason}
        corrected = _corrected(pile.values())
        for name, later in corrected.items():
            rows[name].corrected_by = later
        for finding in _validated(list(pile), named):
            if finding.rule == "tag-shared" and finding.file in {*corrected, *corrected.values()}:
                continue
            if finding.rule in ("runs", "runs-unstated"):
                finding.count -= len(apart) + len(corrected)
                if finding.count <= int(str(finding.facts["most_runs"])):
                    continue
            found.setdefault((finding.file, finding.rule), finding)
    for finding in found.values():
        rows[finding.file].errors += finding.severity is Severity.ERROR
        rows[finding.file].warnings += finding.severity is Severity.WARNING
    is_checked = {file.file: file.skip_reason in ("", "description") for file in inventory.items}
    checked = sorted(
        (row for row in rows.values() if is_checked[row.file]),
        key=lambda row: (row.team, row.task or "~", row.tag, row.part, row.file),
    )
    others = (row for row in rows.values() if not is_checked[row.file])
    return Inbox((*checked, *others), tuple(found.values()), None, tuple(skipped_remarks(inventory.walked.skipped)))


def _corrected(pile: Iterable[InboxFile]) -> dict[str, str]:
    """Of a sender's files of one tag and part that came at several times: each but the last → the last."""
    mailed = (file for file in pile if file.tag and file.sender.received)
    corrected = dict[str, str]()
    for several in by_key(mailed, lambda file: (file.tag, file.part)).values():
        last = max(several, key=lambda file: file.sender.received)
        corrected |= {file.file: last.file for file in several if file.sender.received < last.sender.received}
    return corrected


def _received_row(file: InboxFile, own: Protocol | None) -> Received:
    if file.skip_reason == "description":
        return Received(file.file, file.team, part="description")
    if file.skip_reason:
        return Received(file.file, file.team, remark=SKIP_REASONS[file.skip_reason][0])
    part = file.part if own is None else ", ".join(file.holds)
    return Received(file.file, file.team, file.task, file.tag, part, remark=str(file.doubt or ""))


def _remark_copies(inventory: Inventory, rows: Mapping[str, Received]) -> None:
    """Note which files are copies: of one of the same sender, ``a (1).txt`` of ``a.txt``, or of an earlier team's."""
    items, like_of = {file.file: file for file in inventory.items}, originals(inventory.scored)
    firsts: dict[object, str] = {}
    earliest: dict[str, str] = {}
    for file in sorted(like_of, key=lambda name: items[name].sender.received):
        earliest.setdefault(like_of[file], file)
    for file, like in like_of.items():
        first, before = firsts.setdefault((like, items[file].origin), file), earliest[like]
        if first != file:
            rows[file].remark, rows[file].same_as = f"copy of {first}", first
        elif rows[before].team != rows[file].team and items[file].part:
            rows[file].copy_of = before


#: whose they are, task, and the name and the path of the file that judges
_Pile = tuple[tuple[str, str], str, tuple[str, str]]


def _files_by_sender_and_task(inventory: Inventory, rows: Mapping[str, Received]) -> dict[_Pile, dict[str, InboxFile]]:
    """The files by whose they are, task and the file that judges them, runs first; of files sent twice, one."""
    piles: dict[_Pile, dict[str, InboxFile]] = {}
    by_tag: dict[object, _Pile] = {}
    for file in inventory.scored:
        if not rows[file.file].same_as:
            key = (file.origin, file.task, ("", "") if file.gold is None else (file.gold.name, file.gold.file))
            piles.setdefault(key, {})[file.file] = file
            by_tag[file.origin, file.tag] = key
    for item in inventory.items:
        for description in item.described if item.skip_reason == "description" else ():
            keys = [key for key in piles if key[0] == item.origin and described_task(key[1]) == description.task]
            if not keys:  # of no run's task: the run with its tag tells
                task = next((row.task for row in PROTOCOLS if described_task(row.task) == description.task), "")
                other = (item.origin, task, ("", ""))
                keys = [by_tag.get((item.origin, description.tag), other) if description.tag else other]
            for key in keys:
                piles.setdefault(key, {})[item.file] = item
    return piles


def _validated(files: Sequence[str], named: Mapping[str, Any]) -> tuple[Finding, ...]:
    """What ``validate`` finds in the files of a team for a task."""
    try:
        return validate(*files, **named).findings
    except ColieeError as error:
        if len(files) > 1 and not isinstance(error, UsageError):  # one of them cannot be opened
            return tuple(finding for file in files for finding in _validated([file], named))
        return (Finding(files[0], "unreadable", 1, remedy=str(error).removeprefix(f"{files[0]}: ")),)
