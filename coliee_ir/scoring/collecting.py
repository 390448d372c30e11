"""From files to submissions: what each file holds, and which belong together.

files ──sorted_out──▶ Source ──read──▶ Part (kind, tag, team) ──by tag──▶ Handed (run, answers, long list)
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from coliee_adapters.classes import NamedTuple, dataclass
from coliee_adapters.errors import ColieeError, UsageError, contained, shortened
from coliee_adapters.files import Source, by_original, copies
from coliee_adapters.lines import counted
from coliee_adapters.records import Answers, Run
from coliee_adapters.statute import STATUTE_ID
from coliee_ir.rules.protocol import LONG_LIST_FILE, described_task, submission_rules, without_answers
from coliee_ir.scoring.arriving import Passed, named_task
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.reading import asks_statute_questions, read_run
from coliee_ir.scoring.submission import Submission

#: whose a run is: run tag, file → team
TeamOf = Callable[[str, str], str]


#: what a file's name says of its kind, and not of its run
_KIND_WORDS: Final = r"(?i)task\s*3(-(l|ir))?(?![a-z])|answers?|labels?|articles?|longlist|long"


class Invalid(NamedTuple):
    """A submission, or a file, that is not ranked.

    Attributes:
        files: its files.
        tag: its run tag; empty where it could not be read.
        team: the team; empty where it is not known.
        reason: why, in a sentence.
    """

    files: tuple[str, ...]
    tag: str
    team: str
    reason: str


def no_teams(tag: str, file: str) -> str:
    """The teams where nobody asks for them."""
    return ""


def opened_files(files: Iterable[str], columns: Mapping[str, str] | None = None) -> tuple[list[Source], list[Invalid]]:
    """The files that can be opened, and the others with the reason; with the names of columns where they are tables."""
    sources, invalid = [], []
    for name in files:
        try:
            sources.append(Source(name, columns=columns))
        except ColieeError as error:
            invalid.append(Invalid((name,), "", "", str(error)))
    return sources, invalid


class Part(NamedTuple):
    """A file of a submission.

    Attributes:
        source: the file, opened.
        kind: ``documents``, ``answers`` or ``long``.
        tag: its run tag.
        team: whose it is; empty where it is not known.
        nameless: whether it holds no run tag, so that it is named after its file.
    """

    source: Source
    kind: str
    tag: str
    team: str
    nameless: bool

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return Path(self.source.name).parent

    @property
    def stem(self) -> str:
        """What its name says of its run: the name without the words for its kind, and without punctuation."""
        return re.sub(r"[\W_]+", "", re.sub(_KIND_WORDS, "", self.source.stem)).casefold()


@dataclass(frozen=True, slots=True)
class Handed:
    """A submission, ready to be scored.

    Attributes:
        parts: its run, answers and long list.
        team: whose it is.
        tag: its run tag.
    """

    parts: Submission
    team: str
    tag: str


@dataclass(frozen=True, slots=True)
class Collected:
    """What the files came to: submissions, what is none, and what to know of it."""

    handed: list[Handed]
    invalid: list[Invalid]
    remarks: list[str]


def collect(
    sources: Sequence[Source],
    evaluator: Evaluator,
    team_of: TeamOf = no_teams,
    passed: Passed | None = None,
    named: Collection[str] = (),
    *,
    alone: bool = False,
) -> Collected:
    """Group files into submissions.

    A file's kind is found from its content; a long list, where the task has one, by its name (``task3-L``) or by its
    length beside an answer set of the same tag. Files of one tag belong together. Where a tag has two files of a
    kind, team, folder and file name decide which belong together; two runs of one tag stay two runs, with a remark.
    Of files that were found in a folder, those of other tasks and copies of a run of the same team are passed over.

    Args:
        sources: the files.
        evaluator: the gold, and the rules of the task.
        team_of: whose a run is.
        passed: what has been passed over; what is passed over here is added.
        named: the files that were named themselves.
        alone: whether a part without its counterpart is a submission too, to be scored as far as it can.
    """
    done = Collected([], [], [])
    passed = Passed() if passed is None else passed
    parts: list[Part] = []
    for source in sources:
        try:
            parts.append(_part(source, evaluator, team_of))
        except ColieeError as error:
            if source.name not in named and named_task(source.name) not in ("", evaluator.task):
                passed.add("task", source.name)
            else:
                done.invalid.append(Invalid((source.name,), "", team_of("", source.name), str(error)))
    parts = _without_others(parts, evaluator, passed, named)
    needed = [part for part in evaluator.protocol.parts if part in evaluator.qrels]
    if len(evaluator.protocol.parts) == 1 and not evaluator.protocol.long_list:
        groups = [[part] for part in parts]
    else:
        kinds = (*evaluator.protocol.parts, "long")
        groups = [[part] for part in parts if part.kind not in kinds]
        belonging = list(_grouped([part for part in parts if part.kind in kinds], _long_of(evaluator)))
        groups += _with_nameless(belonging, needed, done.remarks)
    for group in _without_copies(groups, passed, named):
        _hand(group, evaluator, needed, done, alone=alone)
    _remark_tags(done)
    _remark_counts(done, evaluator)
    return done


def _without_others(parts: Sequence[Part], evaluator: Evaluator, passed: Passed, named: Collection[str]) -> list[Part]:
    """The parts without those of other tasks, which are passed over."""
    said = {
        one.tag: {other.task for other in passed.described if other.tag == one.tag} - {""} for one in passed.described
    }
    articles = {part.tag for part in parts if part.kind == "documents"}
    kept = []
    for part in parts:
        if part.source.name not in named and _is_of_another(part, evaluator, said.get(part.tag, set()), articles):
            passed.add("task", part.source.name)
        else:
            kept.append(part)
    return kept


def _is_of_another(part: Part, evaluator: Evaluator, said: Collection[str], articles: Collection[str]) -> bool:
    """Whether a file is plainly of another task: by its path, its description, or what it holds."""
    if by_name := named_task(part.source.name):
        return by_name != evaluator.task and bool(evaluator.protocol.law)
    rules = evaluator.protocol
    if said and described_task(evaluator.task) not in said and rules.law:
        return True
    if (part.kind == "answers") != (evaluator.protocol.parts[0] == "answers") and part.kind not in (
        *evaluator.protocol.parts, *(["long"] if evaluator.protocol.long_list else [])
    ):  # fmt: skip
        return True
    if rules.parts == ("answers",) and rules.law == "statute" and part.tag in articles:
        return True  # the answers of a submission to Task 3
    queries, documents = _first_ids(part, evaluator)
    if not queries or not rules.law or not set(queries).isdisjoint(evaluator.queries):
        return False
    if all(map(STATUTE_ID.fullmatch, queries)) != asks_statute_questions(evaluator.gold):
        return True
    widest = max(map(len, documents), default=0)
    if rules.law == "case" and rules.cases_as_queries:
        known = {document for judged in (evaluator.gold.qrels or {}).values() for document in judged}
        lost = any(text.zfill(6) in evaluator.queries for text in queries)
        lost = lost and any(text.zfill(6) in known for text in documents)
        return widest <= 3 and max(map(len, queries)) <= 4 and not lost
    return rules.law == "case" and widest > 4


def _first_ids(part: Part, evaluator: Evaluator) -> tuple[list[str], list[str]]:
    """The queries, and documents, with which a file begins."""
    try:
        with contained(part.source.name):
            record = evaluator.read(part.source)
            if isinstance(record, Answers):
                return list(record.labels), []
            block = next(iter(record.blocks()), None)
            return ([], []) if block is None else (list(block.queries), list(block.documents))
    except ColieeError:
        return [], []


def _without_copies(groups: Sequence[list[Part]], passed: Passed, named: Collection[str]) -> list[list[Part]]:
    """The submissions without those of the same team whose files are all copies of another one's."""
    names = [part.source.name for group in groups for part in group]
    content = {name: like or name for name, like in zip(names, copies(names), strict=True)}
    held = [{content[part.source.name] for part in group} for group in groups]
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
        if first is None or any(part.source.name in named for part in group):
            kept.append(group)
            continue
        of_content = {content[part.source.name]: part.source.name for part in groups[first]}
        for part in group:
            passed.add("duplicate", part.source.name, of_content[content[part.source.name]])
    return kept


def _part(source: Source, evaluator: Evaluator, team_of: TeamOf) -> Part:
    record = evaluator.read(source)
    kind = "answers" if isinstance(record, Answers) else "documents"
    if kind == "documents" and evaluator.protocol.long_list and re.search(LONG_LIST_FILE, Path(source.name).name):
        kind = "long"
    nameless = record.tag == source.stem and os.fsencode(record.tag) not in source.head()
    return Part(source, kind, record.tag, team_of(record.tag, source.name), nameless)


def _grouped(parts: Sequence[Part], longer: Callable[[list[Part]], list[Part]]) -> Iterator[list[Part]]:
    """Files that belong together: by tag, and where that does not do, by team, folder and name."""
    keys: tuple[Callable[[Part], object], ...] = (
        lambda part: part.tag,
        lambda part: part.team,
        lambda part: part.folder,
        lambda part: part.stem,
    )

    def refined(group: list[Part], level: int) -> Iterator[list[Part]]:
        group = longer(group)
        kinds = [part.kind for part in group]
        teams = {part.team for part in group} - {""}
        if level and len(set(kinds)) == len(kinds) and len(teams) <= 1:
            yield group
        elif level == len(keys):
            yield from ([part] for part in group)
        else:
            split: dict[object, list[Part]] = {}
            for part in group:
                split.setdefault(keys[level](part), []).append(part)
            for smaller in split.values():
                yield from refined(smaller, level + 1)

    yield from refined(list(parts), 0)


def _long_of(evaluator: Evaluator) -> Callable[[list[Part]], list[Part]]:
    """What tells the long list by its length, of two files of documents with one tag."""
    if not evaluator.protocol.long_list:
        return lambda group: group
    expected = submission_rules(evaluator.task, evaluator.edition).long_list

    def told(group: list[Part]) -> list[Part]:
        documents = [part for part in group if part.kind == "documents"]
        if len(documents) != 2 or any(part.kind == "long" for part in group) or documents[0].tag != documents[1].tag:
            return group
        short, long = sorted(documents, key=_length)
        if _length(long) < expected or _length(short) >= expected:
            return group
        return [part._replace(kind="long") if part is long else part for part in group]

    return told


def _length(part: Part) -> int:
    """The most documents that any query has; 0 for what cannot be read to its end."""
    counts: dict[str, int] = {}
    try:
        with contained(part.source.name):
            run = read_run(part.source)
            for block in run.blocks() if isinstance(run, Run) else ():
                for query, first, last in block.segments():
                    counts[query] = counts.get(query, 0) + last - first
    except ColieeError:
        return 0
    return max(counts.values(), default=0)


def _with_nameless(groups: list[list[Part]], needed: Sequence[str], remarks: list[str]) -> list[list[Part]]:
    """Files without a run tag, where exactly one articles' file and one answers' file of a folder are left over."""
    if len(needed) < 2:
        return groups
    lone: dict[Path, list[Part]] = {}
    for group in groups:
        if len(group) == 1:
            lone.setdefault(group[0].folder, []).append(group[0])
    for left in lone.values():
        if len(left) == 2 and {part.kind for part in left} == set(needed) and any(part.nameless for part in left):
            groups = [group for group in groups if group[0] not in left]
            groups.append(left)
            without = next(part for part in left if part.nameless)
            other = next(part for part in left if part is not without)
            remarks.append(f"{without.source.name} has no run tag, and is taken to belong to {other.source.name}")
    return groups


def _hand(group: Sequence[Part], evaluator: Evaluator, needed: Sequence[str], done: Collected, *, alone: bool) -> None:
    """A group of files as a submission, or the reason why it is none."""
    of: Mapping[str, Part] = {part.kind: part for part in group}
    main = of.get("documents") or of.get("answers") or group[0]
    files = tuple(part.source.name for part in group)

    def refuse(reason: str) -> None:
        done.invalid.append(Invalid(files, main.tag, main.team, f"{', '.join(files)}: {reason}"))

    if alone and len(of) == 1:
        done.handed.append(Handed(Submission(main.source), main.team, main.tag))
    elif needed == ["documents"] and "long" in of and "documents" not in of:
        refuse("a long list without an answer set of its run tag: name the answer set task3.TAG, the list task3-L.TAG")
    elif len(needed) == 2 and len(of) < 2:
        missing, kind = ("answers", "articles") if "documents" in of else ("articles", "answers")
        reason = f"{kind} without {missing} of the run tag {shortened(main.tag)}, and a submission is both"
        if missing == "answers" and (earlier := without_answers(evaluator.task)) is not None:
            reason += f"; by the rules up to {earlier.last} the articles rank alone (--edition {earlier.last})"
        refuse(reason)
    else:
        if len({part.team for part in group}) > 1:
            done.remarks.append(f"{shortened(main.tag)}: its files lie in several folders: {', '.join(files)}")
        if len(needed) == 2:
            parts = Submission(of["documents"].source, of["answers"].source)
        elif "long" in of:
            parts = Submission(of["documents"].source, None, of["long"].source)
        else:
            parts = Submission(main.source)
        done.handed.append(Handed(parts, main.team, main.tag))


def _remark_tags(done: Collected) -> None:
    """Say which run tags are not one run's alone."""
    files: dict[str, list[str]] = {}
    for handed in done.handed:
        source = handed.parts.run
        files.setdefault(handed.tag, []).append(source.name if isinstance(source, Source) else str(source))
    for tag, of in files.items():
        if len(of) > 1:
            done.remarks.append(f"{len(of)} runs have the tag {shortened(tag)} and stay apart: {', '.join(of)}")


def _remark_counts(done: Collected, evaluator: Evaluator) -> None:
    """Say which team sent more runs than it may."""
    try:
        rules = submission_rules(evaluator.task, evaluator.edition)
    except UsageError:  # a task that is not COLIEE's
        return
    counts: dict[str, int] = {}
    for handed in done.handed:
        counts[handed.team] = counts.get(handed.team, 0) + 1
    for team, n in counts.items():
        if team and rules.most_runs is not None and n > rules.most_runs:
            allowed = "are allowed" if rules.runs_stated else f"are usual ({rules.runs_source})"
            done.remarks.append(f"{team} has {counted(n, 'run')}, and {rules.most_runs} {allowed}")
