"""What was handed in: each file with its team, task, run tag and part, or why it is none, found once for all commands.

paths ──walk──▶ Source ──read, once, contained──▶ Item ──of_task──▶ Items of a task ──group──▶ submissions
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final, Literal

from coliee_adapters import system_descriptions as descriptions
from coliee_adapters.by_key import by_key
from coliee_adapters.errors import (
    ColieeError,
    InputError,
    errors_as_coliee,
    ignoring_unreadable,
    reading_errors_as_input,
    without_frames,
)
from coliee_adapters.files import archives, file_kinds, limits, trial
from coliee_adapters.files.source import PathKind, PathLike, Source, by_original, copies
from coliee_adapters.forms import detect, tabular
from coliee_adapters.forms.detect import is_description
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import Answers, Gold, Run, normal_id
from coliee_adapters.remarks import Remark
from coliee_adapters.system_descriptions import Description
from coliee_ir.inbox.envelopes import Envelope, absolute_path, envelope_of, team_key
from coliee_ir.inbox.folders import UNREAD, FoundFiles, skipped_remarks, walk
from coliee_ir.inbox.tasks import (
    OF_LABELS,
    OF_PILOT,
    Golds,
    QueryFile,
    first_rows,
    ids_of,
    task_of_files,
    tasks_of_record,
    text_of_head,
    words_of,
)
from coliee_ir.inbox.teams import Sender, Teams
from coliee_ir.reading.anything import is_gold_by_name, read_gold, read_run_by, reads_as_gold, reads_as_run, system_of
from coliee_ir.reading.basis import Basis, Rules
from coliee_ir.reading.tasks import are_labels
from coliee_ir.rules.protocol import (
    LONG_LIST_FILE,
    NUMBERED,
    PROTOCOLS,
    Protocol,
    all_rules,
    described_task,
    protocol,
    without_answers,
)  # fmt: skip

#: what is sent beside runs, and is none
_README: Final = r"(?i)(?:read\W?me|licen[cs]e|changelog)\b.*"
_BESIDES: Final = (
    rf"{_README}|notes?\b.*|.*\.(?:md|rst|rtf|pdf|docx?|odt|tex|bib|pptx?|py|ipynb|sh|ya?ml|toml|html?|eml|msg|png|"
    r"jpe?g|gif|svg|log|md5|sha1|sha256)(?:sums?)?"
)
_DOCUMENTS: Final = (file_kinds.DOCUMENT, file_kinds.PAGE)

#: what mails are called, as programs save them
_NAMED_MAIL: Final = r"(?i)\.(?:eml|emlx|msg|mbox|mbx)$"

#: what a column is called in lists of teams, and in tables of scores such as ours
_OF_SCORES: Final = r"(?i)\s*(?:team|group|categor(?:y|ies)|(?:micro|macro)?[-_ ]?[pr]?f[12](?:@\d+)?|accuracy)\s*"

#: a task named in a path: ``task3.A``, ``Task 4/run.txt``; not in ``deberta-task3aug``
_NAMED_TASK: Final = rf"(?i)(?<![^\W\d_])task[\s_.-]*({NUMBERED})(?![^\W_])"


#: what a file is of a submission; ``""`` for what is passed over, and for what cannot be read: ``error`` says why
FilePart = Literal["documents", "answers", "long list", ""]


#: how answers are named that belong to articles
_ANSWERS: Final = r"(?i)answers?(?![^\W_])"

#: so many files in the archive of one team are more than any sends: three runs a task, their parts, what is beside them
_CROWD: Final = 500

#: what a team sends may take as long as this many of its files may; beyond this many bytes, small files are tried too
_MOST_SECONDS: Final = 5
_MOST_BYTES: Final = 8 * trial.LARGE

#: how many queries and documents of an item are kept, to compare with a gold's
_SAMPLE: Final = 64


@dataclass(slots=True)
class InboxFile:
    """A file that came."""

    source: Source  # the file, opened when it is asked for something
    part: FilePart = ""  # what it is
    tag: str = ""  # its run tag; of a file without one, the file's name
    sender: Sender = field(default_factory=Sender)  # whose it is, and what comes of that
    tasks: tuple[str, ...] = ()  # the tasks that it can be of, the most likely one first; empty where nothing shows it
    task_evidence: str = ""  # what shows the tasks: ``path``, ``description``, ``tag``, ``content``, ``queries``
    tasks_by_content: tuple[str, ...] = ()  # the tasks that its content shows
    golds: Sequence[QueryFile] = ()  # by what it is judged: see ``Golds.judges_of``
    skip_reason: str = ""  # why it is passed over: a key of ``SKIP_REASONS``; empty for what is not
    copy_of: str = ""  # what it is a copy of
    error: ColieeError | None = None  # why it cannot be read
    doubt: Remark | None = None  # what a person must decide of its task
    is_named: bool = False  # whether it was named itself, and not found in a folder
    nameless: bool = False  # whether it holds no run tag
    holds: tuple[str, ...] = ()  # the parts that it holds; of named rules, those that these have
    queries: tuple[str, ...] = ()  # the first queries in it; ``documents``: the first documents
    documents: tuple[str, ...] = ()
    described: list[Description] = field(default_factory=list)  # what a description says

    @property
    def file(self) -> str:
        """Its path."""
        return self.source.path

    @property
    def gold(self) -> QueryFile | None:
        """The gold of most of its queries; None where no gold is of its task."""
        return next(iter(self.golds), None)

    @property
    def team(self) -> str:
        """Whose it is; empty where nothing tells it."""
        return self.sender.team

    @property
    def origin(self) -> tuple[str, str]:
        """Whose it is, as far as that is sure: files of one origin may be parts, copies or descriptions of one run."""
        return self.sender.team, self.sender.account

    @property
    def doubts(self) -> tuple[Remark, ...]:
        """What a person must decide of it."""
        return self.sender.doubts if self.doubt is None else (*self.sender.doubts, self.doubt)

    @property
    def task(self) -> str:
        """Its task, or the most likely one; empty where nothing shows it."""
        return self.tasks[0] if self.tasks else ""

    def take_record(self, record: Run | Answers, *, is_labels: bool = False, has_long: bool = True) -> None:
        """Take from what was read its tag, if it has one, and its part; long lists are known by their files' names."""
        is_long = has_long and re.search(LONG_LIST_FILE, Path(self.source.name).name)
        is_answers = isinstance(record, Answers) or is_labels
        self.tag = system_of(record)
        self.nameless = record.tag == self.source.stem and os.fsencode(record.tag) not in self.source.head()
        self.part = "answers" if is_answers else "long list" if is_long else "documents"


@dataclass(slots=True)
class Inventory:
    """All that came."""

    items: list[InboxFile]  # one for each file, in the order of the paths
    walked: FoundFiles  # what was not looked at: links, files given for something else
    teams: Teams | None = None  # whose a run is; None where nobody asks
    golds: Golds = field(default_factory=Golds)  # by which gold a file is judged

    @property
    def scored(self) -> list[InboxFile]:
        """What is, or may have been, a part of a submission."""
        return [file for file in self.items if not file.skip_reason]

    def described(self, task: str) -> dict[tuple[str, str], Description]:
        """Team and tag → what a system description says of that run of a task; of several the last.

        What a mail of an unknown team describes is nobody's; under a team's name, who sent the run describes it.
        """
        sent = {(file.origin, file.tag) for file in self.scored}
        described = [
            ((file.origin, text.tag) in sent, file, text)
            for file in sorted(self.items, key=lambda item: item.sender.received)
            for text in (file.described if file.team or file.sender.envelope.mail is None else ())
            if text.task in ("", described_task(task))
        ]
        return {(file.team, text.tag): text for _, file, text in sorted(described, key=itemgetter(0))}

    def of_task(self, basis: Basis) -> list[InboxFile]:
        """What is scored on a basis; the other parts of submissions are passed over as of another task."""
        for file in self.scored:
            if file.is_named:
                continue
            if not _may_be_of_task(file, basis):
                file.skip_reason = "task"
            elif file.gold is not None and file.gold.queries.isdisjoint({*basis.queries, *basis.excluded}):
                file.skip_reason = "elsewhere"
        return self.scored

    def judge(self, task: str = "") -> None:
        """Note by which gold each file is judged; as files of a task, where it is named."""
        for file in self.items:
            file.tasks = (task,) if task and not file.skip_reason else file.tasks
            file.golds = self.golds.judges_of(file.tasks, file.queries)
            if file.gold is not None:
                of_gold = file.gold.tasks
                file.tasks = tuple(sorted(file.tasks, key=lambda task: task not in of_gold))

    def remarks(self) -> list[str]:
        """What was passed over, a sentence for each kind: what was not looked at, then files that are no runs."""
        of_items = [
            (file.skip_reason, file.file + (f" (= {file.copy_of})" if file.copy_of else "")) for file in self.items
        ]
        return skipped_remarks([*self.walked.skipped, *of_items])


def originals(items: Iterable[InboxFile]) -> dict[str, str]:
    """File → the first with the same content, itself where there is none; a copy comes behind what it is one of."""
    ordered = sorted((file.source for file in items), key=lambda source: by_original(source.path))
    return {source.path: like or source.path for source, like in zip(ordered, copies(ordered), strict=True)}


def sort_files(
    paths: Iterable[PathLike | Source],
    rules: Rules | None = None,
    *,
    golds: Golds | None = None,
    besides: Iterable[PathLike | None] = (),
    teams: Teams | None = None,
    check: Callable[[str], object] | None = None,
) -> Inventory:
    """Find out what was handed in. One file never stops another: what is wrong with it is its ``error``.

    Of the rules, task, edition and columns count. What teams sent costs no more than the limits say; ``check`` is what
    else will be done with each file.
    """
    table, named = golds or Golds(), rules or {}
    task, edition, columns = named.get("task"), named.get("edition"), named.get("columns")
    own = None if task is None else protocol(task, edition)
    trial.forget_refusals()
    bounds = None if teams is None else limits.current()
    walked = walk(paths, [*besides, *(query_file.file for query_file in table.query_files)], bounds)
    if teams is not None and bounds is not None:
        _refuse_other_mails(walked)
        _refuse_crowds(walked, teams)
        checks = [lambda file: _read(Source(file, columns=columns), table.golds, own), *([check] if check else [])]
        _refuse_costly(walked, teams, bounds, lambda file: [read(file) for read in checks])
    sources = {file: Source.of(walked.sources.get(file, file), columns) for file in walked.files}
    items = [_item(source, file in walked.named, table.golds, own) for file, source in sources.items()]
    if teams is not None:
        unread = {name: why for why, name in walked.skipped if why in UNREAD and name not in sources}
        walked.skipped[:] = [(why, name) for why, name in walked.skipped if unread.get(name) != why]
        items += [InboxFile(Source(name), skip_reason=why) for name, why in unread.items()]
        for file in sorted(items, key=lambda file: teams.envelope(file.file).received):
            teams.register_file(file.tag, file.file)
    for file in items:
        file.sender = teams.sender_of(file.tag, file.file) if teams else Sender(envelope=envelope_of(file.file, None))
    _by_descriptions(items)
    if own is None or own.is_coliee:
        _answers_of_articles(items, edition, table)
    _by_queries(items, table)
    inventory = Inventory(items, walked, teams, table)
    inventory.judge()
    return inventory


def _refuse_other_mails(walked: FoundFiles) -> None:
    """Refuse what is named as a mail and cannot be read as one: a run may be in it."""
    for file in walked.files:
        source = walked.sources.get(file) or Source(file)
        if re.search(_NAMED_MAIL, file) and source.kind not in (PathKind.ARCHIVE, PathKind.EMPTY):
            trial.refuse(
                InputError(
                    "unknown-format",
                    file,
                    "the file is named as a mail, and its first 64 KiB do not hold the headers of one",
                    remedy="save the mail again as .eml, or its attachments",
                )
            )


def _refuse_crowds(walked: FoundFiles, teams: Teams) -> None:
    """Refuse mails of one sender, or an archive, with more files than any team sends: none is read, or scored.

    A mail that the teams file takes out is counted alone: its sender may have been forged.
    """
    packed = [
        (file, envelope)
        for file in walked.files
        if (envelope := teams.envelope(file)).n_inside and absolute_path(envelope.place) != teams.common
    ]

    def key_of(pair: tuple[str, Envelope]) -> tuple[str, ...]:
        file, envelope = pair
        return (envelope.place,) if teams.is_taken_out(file) else _sender_key(envelope)

    for several in by_key(packed, key_of).values():
        if len(several) > _CROWD:
            places = dict.fromkeys(envelope.place for _, envelope in several)
            gone = {file for file, _ in several}
            walked.files[:] = [*(file for file in walked.files if file not in gone), *places]
            others = f", and in {counted(len(places) - 1, 'other mail')} of its sender" * (len(places) > 1)
            problem = f"{len(several)} files came in it{others}; no team sends more than {_CROWD}"
            remedy = "send the runs that are to be scored alone, as many as the task allows"
            for place in places:
                trial.refuse(InputError("too-large", place, problem, remedy=remedy))


def _refuse_costly(walked: FoundFiles, teams: Teams, bounds: limits.Limits, read: Callable[[str], object]) -> None:
    """Refuse what takes too long to be read, by itself or with what else came in a team's folder, or of one sender."""
    seconds, n_bytes = defaultdict[tuple[str, ...], float](float), Counter[tuple[str, ...]]()
    for file in walked.files:
        envelope = teams.envelope(file)
        key = (envelope.folder or envelope.place,) if envelope.mail is None else _sender_key(envelope)
        n_bytes[key] += (size := trial.size(file))
        if size < trial.LARGE and n_bytes[key] < _MOST_BYTES:
            continue
        if seconds[key] > _MOST_SECONDS * bounds.seconds:
            trial.refuse_after(file, seconds[key])
        else:
            seconds[key] += trial.try_reading(file, partial(read, file), bounds)


def _sender_key(envelope: Envelope) -> tuple[str, ...]:
    """What the mails of one sender for a team have in common; of what came otherwise, its place."""
    return (team_key(envelope.team), envelope.sender) if envelope.sender else (envelope.place,)


def _read(source: Source, golds: Sequence[Gold], rules: Protocol | None) -> None:
    """Read a file to its end, as whatever it is."""
    file = InboxFile(source)
    with reading_errors_as_input(source.name):
        _identify(file, golds, rules)
        for _ in getattr(read_run_by(source, None, unreadable_answers="wrong"), "blocks", tuple)():
            pass


def _item(source: Source, is_named: bool, golds: Sequence[Gold], rules: Protocol | None) -> InboxFile:
    """What one file is."""
    file = InboxFile(source, is_named=is_named)
    if source.path == "-" or (not source.is_remote and not source.is_folder and source.is_stream):
        file.part = "documents"  # it can be read only once
        return file
    try:
        with errors_as_coliee(source.name):
            _identify(file, golds, rules)
    except ColieeError as error:
        file.error = without_frames(error)
    file.tasks_by_content = file.tasks
    if task := named_task(file.file):
        file.tasks, file.task_evidence = (task,), "path"
    return file


def _identify(file: InboxFile, golds: Sequence[Gold], rules: Protocol | None) -> None:
    """Fill in what a file is; what stops its reading is raised."""
    source, own = file.source, rules if rules is not None and not rules.is_coliee else None
    if (refused := trial.refusal(source.path)) is not None:
        raise refused
    file.skip_reason = _no_run(file, golds, own)
    if file.skip_reason:
        return
    try:
        record = read_run_by(source, own, unreadable_answers="wrong")
        # of what is meant as labels and reads as documents, the reader of its task will say what is wrong
        file.take_record(record, is_labels=own is None and are_labels(source), has_long=own is None)
        file.queries, file.documents = _sample_ids(record, source)
        parts = (file.part, *record.other_parts)
        file.holds = parts if rules is None else tuple(part for part in rules.parts if part in parts)
    except ColieeError:
        file.tasks, file.task_evidence = _shown_by_head(source), "content"
        raise
    file.tasks, file.task_evidence = tasks_of_record(record, file.queries, file.documents), "content"


def _no_run(file: InboxFile, golds: Sequence[Gold], own: Protocol | None) -> str:
    """Why a file is passed over that is not a run; empty for one that may be a run."""
    source = file.source
    if source.look().fault is None:
        if is_description(source.head()) and (read := descriptions.read(source)):
            file.described = read
            return "description"
        if _is_of_golds(source, golds):
            return "gold"
    if not file.is_named and is_nothing(source):
        return "nothing"
    if not file.is_named and is_gold_by_name(source):
        return "named"
    if own and own.gold and reads_as_gold(source, task=own.task) and not reads_as_run(source, task=own.task):
        return "judged"
    return ""


def _sample_ids(record: Run | Answers, source: Source) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The first queries and documents of a record; of one whose lines are read in parts, those in its first bytes."""
    queries: Iterable[str] = ()
    documents: Iterable[str] = ()
    if isinstance(record, Answers):
        queries = (*record.labels, *record.unreadable)
    elif record.split is not None:
        queries, documents = ids_of(first_rows(text_of_head(source.head()), source.columns))
    elif (block := next(iter(record.blocks()), None)) is not None:
        queries, documents = block.queries, block.documents
    return tuple(islice(queries, _SAMPLE)), tuple(islice(documents, _SAMPLE))


def _shown_by_head(source: Source) -> tuple[str, ...]:
    """The task that the first lines of a broken file show."""
    with contextlib.suppress(ColieeError):
        return tuple(filter(None, [task_of_files([Source(source.path, lenient=True, columns=source.columns)])]))
    return ()


def _is_of_golds(source: Source, golds: Sequence[Gold]) -> bool:
    """Whether a file holds the judgements of a gold, in whatever bytes; a list of labels with a run tag is a run."""
    form = detect.form_by_head(source, "gold")
    if form is None or not golds or source.size > source.limits.whole:
        return False
    if form.name == "labels" and any(len(words) > 2 for words in words_of(text_of_head(source.head()))):
        return False
    for gold in golds:
        if gold.format != "memory":
            with ignoring_unreadable():
                other = read_gold(source, task=gold.task, form=form.name)
                if other.qrels == gold.qrels and other.labels == gold.labels:
                    return not _answers_otherwise(source, gold)
    return False


def _answers_otherwise(source: Source, gold: Gold) -> bool:
    """Whether a table has a system's answers, documents or scores in other columns than those of the judgements."""
    with ignoring_unreadable():
        record = read_run_by(source, None, unreadable_answers="wrong")
        if isinstance(record, Answers):
            return record.labels != gold.labels
        judged = {
            (normal_id(query), normal_id(document), float(level) if record.scored else None)
            for query, levels in (gold.qrels or {}).items() for document, level in levels.items()
        }  # fmt: skip
        retrieved = {
            (query, block.documents[i], None if block.scores is None or not record.scored else float(block.scores[i]))
            for block in record.blocks() for query, first, last in block.segments() for i in range(first, last)
        }  # fmt: skip
        return retrieved != judged
    return False


def _by_queries(items: Sequence[InboxFile], table: Golds) -> None:
    """Files that are named, or described, as of one task, and answer another's questions alone, are of that one."""
    for file in items:
        if file.task_evidence not in ("path", "description") or not file.part:
            continue
        other = table.of_other_task(file.task, file.queries)
        if other is not None and (tasks := tuple(task for task in file.tasks_by_content if task in other.tasks)):
            file.doubt = Remark.of("named-otherwise", task=file.task, other=tasks[0])
            file.tasks, file.task_evidence = tasks, "queries"


def _by_descriptions(items: Sequence[InboxFile]) -> None:
    """What the descriptions of a team say of the task of its runs, where their paths do not."""
    described = by_key(
        ((file.origin, text) for file in items for text in file.described if text.task),
        lambda pair: (pair[0], pair[1].tag),
    )
    for file in items:
        tasks = {text.task for _, text in described.get((file.origin, file.tag), ())}
        named = tuple(dict.fromkeys(row.task for row in PROTOCOLS if described_task(row.task) in tasks))
        if file.task_evidence != "path" and len(tasks) == 1 and named:
            file.tasks, file.task_evidence = named, "description"


def _answers_of_articles(items: Sequence[InboxFile], edition: str | int | None, table: Golds) -> None:
    """Answers with the run tag of articles belong to them, in a task that asks for both.

    Where an edition has such a task, others are doubtful that are named as its answers, or whose sender sent articles
    that lack theirs; where it has a task of labels alone too, so are those that only their run tag shows.
    """
    runs = [file for file in items if file.part == "documents" and file.task]
    articles = {
        (file.origin, file.tag): file.task for file in runs if any(len(row.parts) > 1 for row in all_rules(file.task))
    }
    answers = [file for file in items if file.part == "answers"]
    lacking = {origin for origin, _ in articles.keys() - {(file.origin, file.tag) for file in answers}}
    own = [golds.tasks[0] for golds in table.query_files if len(golds.tasks) == 1 and golds.tasks[0] in OF_LABELS]
    of_both = next((task for task in own if len(protocol(task, edition).parts) > 1), "")
    of_labels = next((task for task in own if len(protocol(task, edition).parts) == 1), "")
    for file in answers:
        task = articles.get((file.origin, file.tag)) if file.tag else None
        if file.task_evidence != "content":
            continue
        if task and ("answers" in protocol(task, edition).parts or without_answers(task) is not None):
            file.tasks, file.task_evidence = (task,), "tag"
            if of_labels and not re.search(_ANSWERS, Path(file.file).name):
                file.doubt = Remark.of("named-otherwise.tag", task=task, other=of_labels)
        elif of_both and (re.match(_ANSWERS, Path(file.file).name) or file.origin in lacking):
            file.doubt = Remark.of("named-otherwise.answers", task=of_both, other=file.task)


def _may_be_of_task(file: InboxFile, basis: Basis) -> bool:
    """Whether a file may be of the task: by its path, a description, its tag, its ids."""
    rules = basis.protocol
    if not rules.law or not file.tasks or basis.task in file.tasks:
        return True
    if rules.pilot and {*OF_PILOT} & {*file.tasks}:
        return True
    if (
        file.task_evidence != "content"
        or protocol(file.task).law != rules.law
        or file.part not in (*rules.parts, "long list")
    ):
        return False
    if not set(basis.queries).isdisjoint(file.queries):
        return True
    judged = {document for judged in (basis.gold.qrels or {}).values() for document in judged}
    lost = any(text.zfill(6) in basis.queries for text in file.queries)  # zeros, which its reading will say
    return lost and any(text.zfill(6) in judged for text in file.documents)


def is_nothing(source: Source) -> bool:
    """Whether a file is neither a run nor meant as one: a paper, a readme, a table of other things, a gold.

    Empty and damaged files, and what is packed in an unknown way, may have been runs.
    """
    file, fault = source.path, source.look()
    if fault.kind is PathKind.EMPTY:
        return False
    if fault.kind is PathKind.ARCHIVE:
        with contextlib.suppress(ColieeError):
            inside = archives.contents(file)
            return bool(inside.mails) and not inside.files  # a mail without attachments
        return False
    if fault.fault is not None and not fault.is_readable_as_table:
        return is_beside(file) or _is_document(file)
    read = source if fault.fault is None else Source(file, lenient=True)
    start = (head := read.head()).lstrip()
    if not start or start.startswith((b"{", b"[")):
        return False
    if start.startswith(b"<"):
        return detect.form_by_head(read, "gold") is not None
    text, form = text_of_head(head), getattr(detect.form_by_head(read, "run"), "name", "")
    names = re.split(r"[,;\t]", text.lstrip().partition("\n")[0]) if form == "table" else []
    named = is_beside(file) if form in ("", "columns") else re.fullmatch(_README, Path(file).name)
    is_header = bool(names) and not re.search(r"\d", names[0])  # which names no query
    if named or (is_header and any(re.fullmatch(_OF_SCORES, name) for name in names)):
        return True
    if form not in ("", "columns", "table") or (form == "table" and tabular.header_of(source)):
        return False
    # a run's lines begin with the id of a query, which has a digit
    lines = list(words_of(text))
    return 2 * sum(len(words) > 1 and any(map(str.isdigit, words[0])) for words in lines) < len(lines)


def is_beside(file: str) -> bool:
    """Whether a file is named as what is sent beside runs."""
    return bool(re.fullmatch(_BESIDES, Path(file).name))


def _is_document(file: str) -> bool:
    with contextlib.suppress(OSError), Path(file).open("rb") as raw:
        return file_kinds.kind_of(raw.read(1 << 16)) in _DOCUMENTS
    return False


def named_task(file: str) -> str:
    """The task that a path names; empty where it names none, or where a file is named otherwise than its folder.

    >>> named_task("task1/TEAM/run.txt"), named_task("task4/task3.A"), named_task("task4/bert-task3.A")
    ('1', '3', '')
    """
    *folders, name = Path(file).parts
    of_folders = (set(re.findall(_NAMED_TASK, part)) for part in reversed(folders))
    folder = next((next(iter(tasks)) for tasks in of_folders if len(tasks) == 1), "")
    if start := re.match(_NAMED_TASK, name):  # as the organisers want files to be named
        return start[1]
    of_name = set(re.findall(_NAMED_TASK, name))
    if len(of_name) != 1:
        return folder
    (task,) = of_name
    return task if folder in ("", task) else ""
