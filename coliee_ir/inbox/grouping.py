"""From files to submissions: what each file holds, and which belong together.

Items of a task ──by tag, team, folder, name──▶ Handed (run, answers, long list)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import Final

from coliee_adapters.errors import ColieeError, UsageError, guarded, shortened
from coliee_adapters.files.source import by_original
from coliee_adapters.records import Run
from coliee_adapters.remarks import Remark
from coliee_ir.inbox.inventory import Inventory, Item, Part, originals
from coliee_ir.reading.anything import read_run
from coliee_ir.reading.basis import Basis
from coliee_ir.reading.submission import Collected, Handed, Invalid, Submission
from coliee_ir.rules.protocol import protocol, submission_rules, without_answers

#: what a file's name says of its kind, and not of its run
_KIND_WORDS: Final = r"(?i)task\s*3(-(l|ir))?(?![a-z])|answers?|labels?|articles?|longlist|long"


def group(inventory: Inventory, basis: Basis, *, alone: bool = False) -> Collected:
    """Group the files of a task into submissions.

    Files of one tag belong together; where a tag has two of a kind, team, folder and file name decide. A long list is
    known by its name (``task3-L``), or by its length beside an answer set of its tag.
    """
    done = Collected([], [], [])
    items = []
    for one in inventory.of_task(basis):
        try:
            with guarded(one.source.name):
                if not one.source.is_folder and one.source.path != "-":  # by the rules of its task
                    one.take(basis.read(one.source), has_long=bool(basis.protocol.long_list))
            items.append(one)
        except ColieeError as error:
            done.invalid.append(Invalid((one.file,), "", one.team, Remark(error.kind, str(error))))
    needed = [part for part in basis.protocol.parts if part in basis.qrels]
    if len(basis.protocol.parts) == 1 and not basis.protocol.long_list:
        groups = [[one] for one in items]
    else:
        kinds = (*basis.protocol.parts, Part.LONG)
        groups = [[one] for one in items if one.part not in kinds]
        belonging = list(_grouped([one for one in items if one.part in kinds], _long_of(basis)))
        groups += _with_nameless(belonging, needed, done.remarks)
    for of_run in _without_copies(groups):
        _hand(of_run, basis, needed, done, alone=alone)
    _remark_tags(done)
    _remark_counts(done, basis)
    return done


def _stem(one: Item) -> str:
    """What a file's name says of its run: without the words for its kind, and without punctuation."""
    return re.sub(r"[\W_]+", "", re.sub(_KIND_WORDS, "", one.source.stem)).casefold()


def _folder(one: Item) -> Path:
    return Path(one.source.name).parent


def _without_copies(groups: Sequence[list[Item]]) -> list[list[Item]]:
    """The submissions without those of the same team whose files are all copies of another one's."""
    content = originals(part for group in groups for part in group)
    held = [{content[part.file] for part in group} for group in groups]
    order = [by_original(group[0].source.name) for group in groups]
    holders: dict[str, list[int]] = {}
    for at, files in enumerate(held):
        for one in files:
            holders.setdefault(one, []).append(at)
    kept = []
    for at, group in enumerate(groups):
        team = group[0].team
        same = (
            other
            for other in holders[next(iter(held[at]))]
            if other != at
            and groups[other][0].team == team
            and held[at] <= held[other]
            and (len(held[at]) < len(held[other]) or order[other] < order[at])
        )
        first = next(same, None)
        if first is None or any(part.is_named for part in group):
            kept.append(group)
            continue
        of_content = {content[part.file]: part.source.name for part in groups[first]}
        for part in group:
            part.why_not, part.like = "duplicate", of_content[content[part.file]]
    return kept


def _grouped(parts: Sequence[Item], longer: Callable[[list[Item]], list[Item]]) -> Iterator[list[Item]]:
    """Files that belong together: by tag, and where that does not do, by team, folder and name."""
    keys: tuple[Callable[[Item], object], ...] = (attrgetter("tag"), attrgetter("team"), _folder, _stem)

    def refined(group: list[Item], level: int) -> Iterator[list[Item]]:
        group = longer(group)
        kinds = [part.part for part in group]
        teams = {part.team for part in group} - {""}
        if level and len(set(kinds)) == len(kinds) and len(teams) <= 1:
            yield group
        elif level == len(keys):
            yield from ([part] for part in group)
        else:
            split: dict[object, list[Item]] = {}
            for part in group:
                split.setdefault(keys[level](part), []).append(part)
            for smaller in split.values():
                yield from refined(smaller, level + 1)

    yield from refined(list(parts), 0)


def _long_of(basis: Basis) -> Callable[[list[Item]], list[Item]]:
    """What tells the long list by its length, of two files of documents with one tag."""
    if not basis.protocol.long_list:
        return lambda group: group
    expected = submission_rules(basis.task, basis.edition).long_list

    def told(group: list[Item]) -> list[Item]:
        documents = [part for part in group if part.part == "documents"]
        if len(documents) != 2 or any(part.part is Part.LONG for part in group) or documents[0].tag != documents[1].tag:
            return group
        short, long = sorted(documents, key=_length)
        if _length(long) < expected or _length(short) >= expected:
            return group
        return [replace(part, part=Part.LONG) if part is long else part for part in group]

    return told


def _length(part: Item) -> int:
    """The most documents that any query has; 0 for what cannot be read to its end."""
    counts = Counter[str]()
    try:
        with guarded(part.source.name):
            run = read_run(part.source)
            for block in run.blocks() if isinstance(run, Run) else ():
                for query, first, last in block.segments():
                    counts[query] += last - first
    except ColieeError:
        return 0
    return max(counts.values(), default=0)


def _with_nameless(groups: list[list[Item]], needed: Sequence[str], remarks: list[str]) -> list[list[Item]]:
    """Files without a run tag, where exactly one articles' file and one answers' file of a folder are left over."""
    if len(needed) < 2:
        return groups
    lone: dict[Path, list[Item]] = {}
    for group in groups:
        if len(group) == 1:
            lone.setdefault(_folder(group[0]), []).append(group[0])
    for left in lone.values():
        if len(left) == 2 and {part.part for part in left} == set(needed) and any(part.nameless for part in left):
            groups = [group for group in groups if group[0] not in left]
            groups.append(left)
            without = next(part for part in left if part.nameless)
            other = next(part for part in left if part is not without)
            remarks.append(Remark.of("grouped", file=without.source.name, other=other.source.name))
    return groups


def _hand(group: Sequence[Item], basis: Basis, needed: Sequence[str], done: Collected, *, alone: bool) -> None:
    """A group of files as a submission, or the reason why it is none."""
    of: Mapping[str, Item] = {part.part: part for part in group}
    main = of.get("documents") or of.get("answers") or group[0]
    files, both = tuple(part.source.name for part in group), len(needed) == 2

    def refuse(row: str, part: str = "", other: str = "", last: int = 0) -> None:
        why = Remark.of(row, part=part, other=other, last=last, file=", ".join(files), tag=shortened(main.tag))
        done.invalid.append(Invalid(files, main.tag, main.team, why))

    if alone and len(of) == 1:
        pass
    elif needed == ["documents"] and Part.LONG in of and "documents" not in of:
        refuse("incomplete.set")
        return
    elif both and len(of) < 2:
        if "documents" in of and (earlier := without_answers(basis.task)) is not None:
            refuse("incomplete.answers", last=earlier.last)
        else:
            refuse("incomplete.part", *(("articles", "answers") if "documents" in of else ("answers", "articles")))
        return
    elif len({part.team for part in group}) > 1:
        done.remarks.append(Remark.of("grouped.folders", files, tag=shortened(main.tag)))
    beside = {part: one.source for part, one in of.items() if one is not main}
    parts = Submission(main.source, beside.get("answers") if both else None, None if both else beside.get(Part.LONG))
    status = next((part.status for part in group if part.status), "")
    done.handed.append(Handed(parts, main.team, main.tag, status=status))


def numbered(runs: Sequence[tuple[str, str, str]]) -> list[str]:
    """What each run is called beside its team: its tag; of several runs of a team with one tag, ``TAG (2)``.

    >>> numbered([("A", "x", "b"), ("A", "x", "a"), ("B", "x", "c")])
    ['x (2)', 'x', 'x']
    """
    names, taken = [""] * len(runs), {(team, tag) for team, tag, _ in runs}
    seen: set[tuple[str, str]] = set()
    for at in sorted(range(len(runs)), key=lambda at: by_original(runs[at][2])):
        team, name, _ = runs[at]
        if (team, name) in seen:
            name = next(one for n in count(2) if (team, one := f"{name} ({n})") not in taken)
        seen.add((team, name))
        taken.add((team, name))
        names[at] = name
    return names


def told_apart(runs: Sequence[tuple[str, str, str]]) -> list[str]:
    """A name for each run that no other has: its tag, ``TAG (2)``, or with the team where another team has the same.

    >>> told_apart([("A", "x", "a"), ("A", "x", "b"), ("B", "x", "c"), ("", "y", "d")])
    ['A x', 'x (2)', 'B x', 'y']
    """
    names = numbered(runs)
    n = Counter(names)
    return [f"{team} {name}".strip() if n[name] > 1 else name for (team, _, _), name in zip(runs, names, strict=True)]


def _remark_tags(done: Collected) -> None:
    """Say which run tags are not one run's alone, and how these are told apart."""
    runs = [(one.team, one.tag, getattr(one.parts.run, "name", str(one.parts.run))) for one in done.handed]
    names = told_apart(runs)
    files: dict[str, list[str]] = {}
    for (_, tag, file), name in sorted(zip(runs, names, strict=True), key=lambda one: one[1]):
        files.setdefault(tag, []).append(f"{shortened(name)} = {file}")
    if shared := [of for of in files.values() if len(of) > 1]:
        told = "; ".join(map(" and ".join, shared))
        done.remarks.append(f"{sum(map(len, shared))} runs share their tag with another and are told apart: {told}")


def _remark_counts(done: Collected, basis: Basis) -> None:
    """Say which team sent more runs than it may."""
    try:
        rules = submission_rules(basis.task, basis.edition)
    except UsageError:  # a task that is not COLIEE's
        return
    for team, n in Counter(handed.team for handed in done.handed if not handed.status).items():
        if team and rules.most_runs is not None and n > rules.most_runs:
            row = "many-runs" if rules.runs_stated else "many-runs.usual"
            done.remarks.append(Remark.of(row, n=n, team=team, most=rules.most_runs, source=rules.runs_source))


def pass_over_unfused(inventory: Inventory, task: str | None) -> None:
    """Keep one task and part, to be fused where no gold tells which; of a run with a long list, the list."""
    found = [one for one in inventory.scored if not one.is_named and one.error is None]
    tags = {one.tag for one in found if one.part is not Part.ANSWERS}
    beside = {id(one) for one in found if one.part is Part.ANSWERS and one.tag in tags and one.because != "path"}
    if task is None:
        firsts = {one.task: one.file for one in reversed(found) if one.task and id(one) not in beside}
        if len(firsts) > 1:
            listed = ", ".join(f"{number} ({shortened(file)})" for number, file in sorted(firsts.items()))
            problem = f"the files are of several tasks: {listed}; name the task to fuse with --task"
            raise UsageError("ambiguous", problem)
    rules = None if task is None else protocol(task)
    answers = all(one.part is Part.ANSWERS for one in found) if rules is None else rules.parts[0] == "answers"
    lists = {one.tag for one in found if one.part is Part.LONG}
    for one in found:
        is_answers = one.part is Part.ANSWERS
        if rules is not None and rules.law and one.tasks and task not in one.tasks:
            one.why_not = "task"
        elif is_answers != answers or (answers and id(one) in beside) or (one.tag in lists and one.part is Part.RUN):
            one.why_not = "part"
    kept = {one.file: one for one in found if not one.why_not}
    for name, like in originals(kept.values()).items():
        if like != name and kept[name].tag == kept[like].tag:
            kept[name].why_not, kept[name].like = "duplicate", like
