"""From files to submissions: what each file holds, and which belong together.

Items of a task ──by tag, team, folder, name, queries──▶ Submission (run, answers, long list)
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from coliee_adapters.by_key import by_key
from coliee_adapters.errors import ColieeError, UsageError, errors_as_coliee, shortened
from coliee_adapters.files.source import Source, by_original
from coliee_adapters.records import Answers, Run
from coliee_adapters.remarks import Remark
from coliee_ir.inbox.folders import skipped_remarks
from coliee_ir.inbox.inventory import InboxFile, Inventory, originals
from coliee_ir.reading.anything import queries_of, system_of
from coliee_ir.reading.basis import Basis
from coliee_ir.reading.submission import Intake, Invalid, Submission, name_of, order_of, unique_names
from coliee_ir.rules.protocol import all_rules, has_submissions, protocol, submission_rules, without_answers

#: what a file's name says of its kind, and not of its run
_KIND_WORDS: Final = r"(?i)task\s*3(-(l|ir))?(?![a-z])|answers?|labels?|articles?|longlist|long"


def group(inventory: Inventory, basis: Basis, *, alone: bool = False) -> Intake:
    """Group the files of a task into submissions.

    Files of one tag belong together; where a tag has two of a kind, team, folder and file name decide. A long list is
    known by its name (``task3-L``). Of one team and tag, files that answer different queries are one run.
    """
    done, items = Intake([], [], []), list[InboxFile]()
    for file in inventory.of_task(basis):
        try:
            with errors_as_coliee(file.source.name):
                if not file.source.is_folder and file.source.path != "-":  # by the rules of its task
                    file.take_record(basis.read(file.source), has_long=_has_long(basis))
            items.append(file)
            for doubt in file.doubts:
                done.remarks.append(Remark(doubt.kind, f"{file.source.name}: {doubt}"))
        except ColieeError as error:
            done.invalid.append(Invalid((file.file,), "", file.team, Remark.of_error(error)))
    groups = _without_copies(_groups(_without_unscored(items, basis), basis, done.remarks))
    for run in _by_queries(groups, basis, done.remarks):
        _add_submission(run, basis, done, alone=alone)
    _propose_replacements(done, {file.file: file.origin for file in items})
    _remark_tags(done)
    teams = (submission.team for submission in done.submissions if not submission.status)
    done.remarks.extend(remark for _, remark in too_many(teams, basis.task, basis.edition))
    return done


def group_named(submissions: Sequence[Submission], basis: Basis) -> Intake:
    """The same of files that were named one by one: what cannot be read, and what has its parts, stays as it is."""
    done, items, place_of = Intake([], [], []), list[InboxFile](), dict[str, int]()
    kept_submissions = dict[int, Submission](enumerate(submissions))
    for place, submission in kept_submissions.items():
        if submission.name or submission.files != [submission.run]:
            continue
        item = InboxFile(submission.files[0], is_named=True)
        if item.file == "-" or item.source.is_stream:
            continue
        with contextlib.suppress(ColieeError), errors_as_coliee(item.source.name):  # as scoring will say
            item.take_record(basis.read(item.source), has_long=_has_long(basis))
            items.append(item)
            place_of.setdefault(item.file, place)
    groups = _groups(_without_unscored(items, basis), basis, done.remarks)
    for run in _by_queries(groups, basis, done.remarks):
        if len(run) > 1:
            _add_submission(run, basis, done, alone=True)
            if len({part.part for part in run}) > 1:
                done.remarks.append(
                    Remark.of("grouped.parts", [part.source.name for part in run], tag=shortened(run[0].tag))
                )
            first, *others = sorted(place_of[part.file] for part in run)
            kept_submissions[first] = done.submissions.pop()
            for place in others:
                del kept_submissions[place]
    skipped = [(file.skip_reason, file.file) for file in items if file.skip_reason]
    for _, name in skipped:
        del kept_submissions[place_of[name]]
    done.remarks.extend(skipped_remarks(skipped))
    return Intake([*kept_submissions.values()], done.invalid, done.remarks)


def _has_long(basis: Basis) -> bool:
    """Whether a long list is known by its name; also in the years in which none is scored."""
    return any(row.long_list for row in all_rules(basis.task)) if basis.protocol.is_coliee else False


def _without_unscored(items: Sequence[InboxFile], basis: Basis) -> list[InboxFile]:
    """The files without the long lists beside a run of their tag, where the rules of the year score none."""
    if basis.protocol.long_list:
        return [*items]
    tags = {(file.origin, file.tag) for file in items if file.part != "long list"}
    for file in items:
        if file.part == "long list" and (file.origin, file.tag) in tags:
            file.skip_reason = "unscored"
        elif file.part == "long list":
            file.part = "documents"
    return [file for file in items if not file.skip_reason]


def _groups(items: Sequence[InboxFile], basis: Basis, remarks: list[str]) -> list[list[InboxFile]]:
    """The files of each run: one, or one of each part."""
    if len(basis.protocol.parts) == 1 and not basis.protocol.long_list:
        return [[file] for file in items]
    kinds = (*basis.protocol.parts, "long list")
    groups = [[file] for file in items if file.part not in kinds]
    grouped = [*_grouped([file for file in items if file.part in kinds])]
    return groups + _with_nameless(grouped, _needed(basis), remarks)


def _needed(basis: Basis) -> list[str]:
    return [part for part in basis.protocol.parts if part in basis.qrels]


def _by_queries(groups: Sequence[list[InboxFile]], basis: Basis, remarks: list[str]) -> list[list[InboxFile]]:
    """Runs with their files: those of a team, tag and parts that answer different queries are one run.

    Of several files of a run, those without any query of the gold are passed over: they answer another gold.
    """
    alike: dict[object, list[list[InboxFile]]] = {}
    for number, group in enumerate(groups):
        # two folders may be two teams', where nothing tells whose they are
        place = None if group[0].team or group[0].is_named else _folder(group[0])
        key = (group[0].origin, place, group[0].tag, *sorted(part.part for part in group))
        alike.setdefault(key if group[0].tag and all(part.part for part in group) else number, []).append(group)
    judged, runs = {*basis.queries, *basis.excluded}, list[list[InboxFile]]()
    for of_tag in alike.values():
        answered = [_answered(group, basis) for group in of_tag] if len(of_tag) > 1 else []
        if not answered or not all(answered) or not any(judged & queries for queries in answered):
            runs += of_tag
            continue
        mine = [(group, queries) for group, queries in zip(of_tag, answered, strict=True) if judged & queries]
        whole = [part for group, _ in mine for part in group]
        for part in (part for group in of_tag for part in group if all(part is not joined for joined in whole)):
            part.skip_reason = "elsewhere"
        if len(mine) > 1 and sum(len(queries) for _, queries in mine) == len(
            frozenset().union(*(queries for _, queries in mine))
        ):
            remarks.append(
                Remark.of("grouped.queries", [part.source.name for part in whole], tag=shortened(whole[0].tag))
            )
            runs.append(whole)
        else:
            runs += [group for group, _ in mine]
    return _with_earlier_parts(_with_other_parts(runs, _needed(basis)), _needed(basis))


def _with_other_parts(runs: list[list[InboxFile]], needed: Sequence[str]) -> list[list[InboxFile]]:
    """The same runs, where the documents of a tag that lie in several files are one run with its answers."""
    whole = [run for run in runs if len({part.part for part in run}) > 1 or not run[0].tag]
    alone = [run for run in runs if all(run is not other for other in whole)]
    for of_tag in by_key(alone, lambda run: (run[0].origin, run[0].tag)).values():
        is_pair = len(of_tag) == len(needed) > 1 and {run[0].part for run in of_tag} == {*needed}
        whole += [[part for run in of_tag for part in run]] if is_pair else of_tag
    return whole


def _with_earlier_parts(runs: Sequence[list[InboxFile]], needed: Sequence[str]) -> list[list[InboxFile]]:
    """The same runs, where a part that was mailed again by itself is a run with the other parts that came before it."""
    whole = [*runs]
    for i in sorted(range(len(whole)), key=lambda i: _received(whole[i])):
        parts = {part.part for part in whole[i]}
        if not whole[i][0].tag or parts.issuperset(needed):
            continue
        earlier = [
            run
            for run in whole
            if (run[0].origin, run[0].tag) == (whole[i][0].origin, whole[i][0].tag)
            and "" < _received(run) < _received(whole[i])
            and parts.union(needed).issubset(part.part for part in run)
        ]
        if earlier:
            whole[i] = [*whole[i], *(part for part in max(earlier, key=_received) if part.part not in parts)]
    return whole


def _received(run: Sequence[InboxFile]) -> str:
    return max(part.sender.received for part in run)


def join_files(sources: Sequence[Source], read: Callable[[Source], Run | Answers]) -> tuple[list[Any], list[Remark]]:
    """The same of files that are judged by no gold: those of one tag that answer different queries are one run.

    Returns:
        The runs, each a file or a list of files; and what is remarked on these.
    """
    tags = [source.path if source.is_folder or source.is_stream else system_of(read(source)) for source in sources]
    alike = by_key(range(len(sources)), tags.__getitem__)
    runs, remarks = dict[int, Any](enumerate(sources)), list[Remark]()
    for tag, places in alike.items():
        files = [sources[i] for i in places]
        answered = [frozenset(queries_of(read(source))) for source in files] if len(files) > 1 else []
        if answered and sum(map(len, answered)) == len(frozenset().union(*answered)):
            runs[places[0]] = files
            for i in places[1:]:
                del runs[i]
            remarks.append(Remark.of("grouped.queries", [source.name for source in files], tag=shortened(tag)))
    return [*runs.values()], remarks


def _answered(group: Sequence[InboxFile], basis: Basis) -> frozenset[str]:
    """The queries that the files of a run answer; none where one cannot be read to its end."""
    with contextlib.suppress(ColieeError), errors_as_coliee(group[0].source.name):
        return frozenset(query for part in group for query in queries_of(basis.read(part.source)))
    return frozenset()


def _run_name_in_file_name(file: InboxFile) -> str:
    """What a file's name says of its run: without the words for its kind, and without punctuation."""
    return re.sub(r"[\W_]+", "", re.sub(_KIND_WORDS, "", file.source.stem)).casefold()


def _folder(file: InboxFile) -> Path:
    return Path(file.source.name).parent


def _without_copies(groups: Sequence[list[InboxFile]]) -> list[list[InboxFile]]:
    """The submissions without those whose files are all copies of an earlier one's, of the same origin."""
    content = originals(part for group in groups for part in group)
    contents = [{content[part.file] for part in group} for group in groups]
    order = [(_received(group), by_original(group[0].source.name)) for group in groups]
    holders = by_key(((file, i) for i, files in enumerate(contents) for file in files), itemgetter(0))
    unique = []
    for i, group in enumerate(groups):
        same = (
            groups[other]
            for _, other in holders[next(iter(contents[i]))]
            if other != i
            and groups[other][0].origin == group[0].origin
            and contents[i] <= contents[other]
            and (len(contents[i]) < len(contents[other]) or order[other] < order[i])
        )
        first = next(same, None)
        if first is None or any(part.is_named for part in group):
            unique.append(group)
            continue
        of_content = {content[part.file]: part.source.name for part in first}
        for part in group:
            part.skip_reason, part.copy_of = "duplicate", of_content[content[part.file]]
    return unique


#: what files that belong together have in common: their tag, and where that does not do, origin, folder and name
_KEYS: Final[tuple[Callable[[InboxFile], object], ...]] = (
    attrgetter("tag"),
    attrgetter("origin"),
    _folder,
    _run_name_in_file_name,
)


def _grouped(group: list[InboxFile], level: int = 0) -> Iterator[list[InboxFile]]:
    """Files that belong together, as far as the first keys of ``_KEYS`` tell."""
    kinds = [part.part for part in group]
    if level and len(set(kinds)) == len(kinds) and len({part.origin for part in group} - {("", "")}) <= 1:
        yield group
    elif level == len(_KEYS):
        yield from ([part] for part in group)
    else:
        for smaller in by_key(group, _KEYS[level]).values():
            yield from _grouped(smaller, level + 1)


def _with_nameless(groups: list[list[InboxFile]], needed: Sequence[str], remarks: list[str]) -> list[list[InboxFile]]:
    """Files without a run tag, where exactly one articles' file and one answers' file of a folder are left over."""
    alone = (group[0] for group in groups if len(group) == 1)
    for left in by_key(alone, _folder).values() if len(needed) > 1 else ():
        if len(left) == 2 and {part.part for part in left} == set(needed) and any(part.nameless for part in left):
            groups = [*(group for group in groups if group[0] not in left), left]
            without, other = sorted(left, key=lambda part: not part.nameless)
            remarks.append(Remark.of("grouped", file=without.source.name, other=other.source.name))
    return groups


def _add_submission(run: Sequence[InboxFile], basis: Basis, done: Intake, *, alone: bool) -> None:
    """The files of a run as a submission, or the reason why they are none."""
    needed, by_part = _needed(basis), by_key(run, attrgetter("part"))
    main = (by_part.get("documents") or by_part.get("answers") or run)[0]
    files, both = tuple(part.source.name for part in run), len(needed) == 2
    earlier, lacking = without_answers(basis.task) if "documents" in by_part else None, ""
    if not alone or len(by_part) > 1:
        if needed == ["documents"] and "long list" in by_part and "documents" not in by_part:
            lacking = "incomplete.set"
        elif both and len(by_part) < 2 and not {*needed}.issubset(main.holds):
            lacking = "incomplete.part" if earlier is None else "incomplete.answers"
        elif len({part.team for part in run}) > 1:
            done.remarks.append(Remark.of("grouped.folders", files, tag=shortened(main.tag)))
    if lacking:
        has, other = ("articles", "answers") if "documents" in by_part else ("answers", "articles")
        last, tag = 0 if earlier is None else earlier.last, shortened(main.tag)
        done.invalid.append(
            Invalid(
                files,
                main.tag,
                main.team,
                Remark.of(lacking, part=has, other=other, last=last, file=", ".join(files), tag=tag),
            )
        )
        return
    sources: dict[str, Any] = {
        kind: parts[0].source if len(parts) == 1 else [part.source for part in parts] for kind, parts in by_part.items()
    }
    done.submissions.append(
        Submission(
            sources.pop(main.part),
            sources.get("answers") if both else None,
            None if both else sources.get("long list"),
            tag=main.tag,
            team=main.team,
            received=_received(run),
            gold=next((part.gold.file for part in run if part.gold is not None), ""),
            findings=tuple(doubt for part in run for doubt in part.doubts),
            status=next((part.sender.status for part in run if part.sender.status), ""),
            listed=next((part.sender.listed.run for part in run if part.sender.listed is not None), ""),
            more=next((part.sender.more for part in run if any(part.sender.more)), ()),
        )
    )


def _propose_replacements(done: Intake, origins: Mapping[str, tuple[str, str]]) -> None:
    """Of runs of one origin and tag, or file name, that came in mails one after another, each may replace the last."""
    named = [
        (i, key)
        for i, submission in enumerate(done.submissions)
        if submission.team and submission.received and not submission.status
        for key in (
            (origins[submission.files[0].path], "tag", submission.tag),
            (origins[submission.files[0].path], "file", Path(name_of(submission.run)).name),
        )
    ]
    for pairs in by_key(named, itemgetter(1)).values():
        for before, after in pairwise(sorted((i for i, _ in pairs), key=lambda i: done.submissions[i].received)):
            earlier, later = done.submissions[before], done.submissions[after]
            if earlier.received < later.received and not later.replaces:
                names = [[file.name for file in submission.files] for submission in (earlier, later)]
                other, file = (next(name for name in names[i] if name not in names[1 - i]) for i in (0, 1))
                done.submissions[after] = replace(later, replaces=other, replacement=file)
                done.remarks.append(Remark.of("replaces", file=file, other=other, tag=shortened(later.tag)))


def _remark_tags(done: Intake) -> None:
    """Say which run tags are not one run's alone, and how these are told apart."""
    runs = [(submission.team, submission.tag, order_of(submission)) for submission in done.submissions]
    named = sorted(zip(done.submissions, unique_names(runs), strict=True), key=lambda pair: pair[1])
    if shared := [pairs for pairs in by_key(named, lambda pair: pair[0].tag).values() if len(pairs) > 1]:
        each = ([f"{shortened(name)} = {name_of(submission.run)}" for submission, name in pairs] for pairs in shared)
        names = "; ".join(map(" and ".join, each))
        done.remarks.append(f"{sum(map(len, shared))} runs share their tag with another and are told apart: {names}")


def too_many(teams: Iterable[str], task: str, edition: int | None) -> Iterator[tuple[str, Remark]]:
    """The teams of runs, one a run, that sent more than they may; of none that is not known."""
    rules = submission_rules(task, edition) if has_submissions(task) else None
    for team, n in Counter(teams).items():
        if team and rules is not None and rules.most_runs is not None and n > rules.most_runs:
            row = "many-runs" if rules.runs_stated else "many-runs.usual"
            yield team, Remark.of(row, n=n, team=team, most=rules.most_runs, source=rules.runs_source)


class Excess(NamedTuple):
    """The runs of a team that are more than it may send; none of them is chosen."""

    team: str
    runs: tuple[Submission, ...]
    n: int  # with those that the teams file calls ranked
    most: int


def excess(intake: Intake, inventory: Inventory, basis: Basis) -> Iterator[Excess]:
    """The runs that are too many by a number that is stated, unless the teams file says which are ranked.

    Neither corrected runs count, nor those that answer no query of the gold, or whose sender is in doubt.
    """
    rules = submission_rules(basis.task, basis.edition) if has_submissions(basis.task) else None
    if rules is None or rules.most_runs is None or not rules.runs_stated:
        return
    items, judged = {file.file: file for file in inventory.items}, {*basis.queries, *basis.excluded}
    corrected = {submission.replaces for submission in intake.submissions}
    sent = [(submission, items[submission.files[0].path]) for submission in intake.submissions]
    counted = (
        (submission, file)
        for submission, file in sent
        if submission.team and not submission.status and not judged.isdisjoint(file.queries)
    )
    for team, runs in by_key(counted, lambda pair: pair[0].team).items():
        n = sum(corrected.isdisjoint(file.path for file in submission.files) for submission, _ in runs)
        still_open = tuple(submission for submission, file in runs if file.sender.listed_status != "ranked")
        if n > rules.most_runs and still_open:
            yield Excess(team, still_open, n, rules.most_runs)


def skip_other_parts(inventory: Inventory, task: str | None) -> None:
    """Keep one task and part, to be fused where no gold tells which; of a run with a long list, the list."""
    files = [file for file in inventory.scored if not file.is_named and file.error is None]
    tags = {file.tag for file in files if file.part != "answers"}
    lists = {file.tag for file in files if file.part == "long list"}
    of_documents = {
        file.file for file in files if file.part == "answers" and file.tag in tags and file.task_evidence != "path"
    }
    if task is None:
        firsts = {file.task: file.file for file in reversed(files) if file.task and file.file not in of_documents}
        if len(firsts) > 1:
            listed = ", ".join(f"{number} ({shortened(file)})" for number, file in sorted(firsts.items()))
            raise UsageError(
                "ambiguous", f"the files are of several tasks: {listed}; name the task to fuse with --task"
            )
    rules = None if task is None else protocol(task)
    answers = all(file.part == "answers" for file in files) if rules is None else rules.parts[0] == "answers"
    for file in files:
        if rules is not None and rules.law and file.tasks and task not in file.tasks:
            file.skip_reason = "task"
        elif (
            (file.part == "answers") != answers
            or (answers and file.file in of_documents)
            or (file.part == "documents" and file.tag in lists)
        ):
            file.skip_reason = "part"
    for of_tag in by_key((file for file in files if not file.skip_reason), attrgetter("tag")).values():
        _without_copies([[file] for file in of_tag])
