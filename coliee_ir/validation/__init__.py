"""Checking a submission before it is sent: everything that is wrong with it, where, and what to do about it.

files ──lines──▶ rows ──columns, pilot──▶ findings
                   └──────mended rows──▶ the files that ``--fix`` writes
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from coliee_adapters import case_law, detect, tort
from coliee_adapters.corpora import FragmentCorpus, read_corpus
from coliee_adapters.errors import ColieeError, InputError, UsageError
from coliee_adapters.files import PathLike, Source, written
from coliee_adapters.lines import join_columns
from coliee_adapters.statute import LABELS
from coliee_ir.protocol import Protocol, SubmissionRules, newest_edition, protocol, submission_rules
from coliee_ir.reading import STATUTE_ID, read_queries, read_run
from coliee_ir.validation import pilot
from coliee_ir.validation.columns import MANY, Known, Sheet, clean_tag
from coliee_ir.validation.findings import Finding, Findings, Place
from coliee_ir.validation.lines import Row, Word, content_rows, decoded
from coliee_ir.validation.rules import RULES, Rule, Severity

__all__ = ["RULES", "Finding", "Place", "Rule", "Severity", "Validation", "validate"]

_PILOT: Final = ("tort", "rationale")


@dataclass(frozen=True, slots=True)
class Validation:
    """What was found in the files of one or several submissions.

    Attributes:
        files: the files, as the user named them.
        task: the task they were checked for.
        edition: the year whose rules count.
        findings: all findings, file by file, the gravest kinds of fault first.
        mended: file → the file that was written in its place, where mending was asked for.
    """

    files: tuple[str, ...]
    task: str
    edition: int | None
    findings: tuple[Finding, ...]
    mended: dict[str, str]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.severity is Severity.ERROR for finding in self.findings)

    def count(self, severity: Severity) -> int:
        """How many findings are so grave."""
        return sum(finding.severity is severity for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``validate -o json``."""
        from coliee_ir import __version__

        return {
            "coliee_ir": __version__,
            "task": self.task,
            "edition": self.edition,
            "files": list(self.files),
            "summary": {str(severity): self.count(severity) for severity in Severity},
            "findings": [finding.to_dict() for finding in self.findings],
            **({"mended": self.mended} if self.mended else {}),
        }


def validate(
    *files: PathLike,
    task: str | int | None = None,
    edition: int | None = None,
    gold: PathLike | None = None,
    queries: PathLike | None = None,
    corpus: PathLike | None = None,
    fix: PathLike | None = None,
) -> Validation:
    """Check the files of one or several submissions by the organisers' rules, and by what is most likely a mistake.

    Args:
        files: the files; those of Task 3 that belong together are known by their run tag.
        task: the task; by default it is found from the files.
        edition: the year whose rules count; by default the newest of the task.
        gold: the gold, of which only the ids of the queries are looked at.
        queries: the queries, in any form that names them: the organisers' test file, a list, one id a line.
        corpus: the documents: what ``read_corpus`` takes, or a file with one id a line.
        fix: where to write mended copies: a file for one file, a folder for several.

    Raises:
        InputError: a file cannot be opened; gold, queries or corpus cannot be read.
        UsageError: no such task or edition; the task cannot be found; both gold and queries; ``fix`` is one of the
            files, or cannot hold all of them.

    >>> validate("run.txt", task="1").errors  # doctest: +SKIP
    0
    """
    if not files:
        raise UsageError("name the files to check")
    if gold is not None and queries is not None:
        raise UsageError("queries are named by --gold or by --queries, not by both")
    return _Check([Source(path) for path in files], task, edition, gold or queries, corpus).run(fix)


class _Check:
    def __init__(
        self,
        sources: Sequence[Source],
        task: str | int | None,
        edition: int | None,
        queries: PathLike | None,
        corpus: PathLike | None,
    ) -> None:
        self.sources = sources
        asked = None if queries is None else Source(queries)
        self.task = str(task) if task is not None else _find_task(sources[0], asked)
        self.rules: SubmissionRules = submission_rules(self.task, edition)
        self.protocol: Protocol = protocol(self.task, edition)
        self.edition = edition if edition is not None else newest_edition(self.protocol)
        self.asked = asked
        self.known = self._known(corpus)
        rules = self.rules
        self.found = Findings(
            tag_length=rules.tag_length, most_runs=rules.most_runs, long_list=rules.long_list, many=MANY
        )
        self.sheets: dict[str, Sheet] = {}
        self.texts: dict[str, str] = {}

    def _known(self, corpus: PathLike | None) -> Known:
        if self.task in _PILOT:
            if corpus is not None:
                raise UsageError("the pilot has no corpus: give the organisers' test file with --queries")
            return Known()
        queries = None if self.asked is None else dict.fromkeys(read_queries(self.asked))
        if corpus is None:
            return Known(queries)
        documents, of_query = _documents(corpus, self.task)
        return Known(queries, documents, whole=of_query or self.task == "1")

    def run(self, fix: PathLike | None) -> Validation:
        targets = _targets([source.name for source in self.sources], fix)
        for source in self.sources:
            self._one(source)
        self._together()
        if targets:
            self._clean_tags()
        for name, target in targets.items():
            self._write(name, target)
        names = tuple(source.name for source in self.sources)
        return Validation(names, self.task, self.edition, tuple(self.found), targets)

    def _one(self, source: Source) -> None:
        """Check a file alone."""
        name = source.name
        if self.task in _PILOT:
            text = decoded(source, self.found, ascii_only=False)
            self.texts[name] = text
            pilot.check(name, text, self.task, self.asked, self.found)
            return
        text = decoded(source, self.found)
        if text.lstrip().startswith(("{", "[", "<")):
            rows = self._rows_of_json(source)
        else:
            rows = content_rows(text, name, self.found)
            if not rows:
                self.found.add(name, "empty")
        sheet = Sheet(name, rows, self._kind(source, rows), self.rules, self.known, self.found)
        sheet.check(unended=bool(text) and not text.endswith("\n"))
        self.sheets[name] = sheet
        if not any(finding.file == name and finding.severity is Severity.ERROR for finding in self.found):
            self._read(source)

    def _read(self, source: Source) -> None:
        """What no rule has seen, our reader may."""
        try:
            record = read_run(source, task=self.task)
            for _ in getattr(record, "blocks", tuple)():
                pass
        except ColieeError as error:
            self.found.add(source.name, "unreadable", getattr(error, "line", None), found=str(error))

    def _rows_of_json(self, source: Source) -> list[Row]:
        """The lines that a submission in JSON would have."""
        add, name = self.found.add, source.name
        if self.rules.columns != ("QUERY", "DOCUMENT", "TAG") or case_law.sniff_run(source.head()) != "json":
            add(name, "form", remedy=f"send lines of {' '.join(self.rules.columns) or 'QUERY Y TAG'}")
            return []
        try:
            run = case_law.read_run_json(source, str)
        except InputError as error:
            add(name, "unreadable", error.line, error.column, error.found, remedy=f"{error.problem}; {error.remedy}")
            return []
        add(name, "form", remedy=f"coliee-ir validate --fix OUT, or: coliee-ir convert {name} OUT --to columns")
        tag = clean_tag(source.stem, self.rules.tag_length)
        rows = []
        for block in run.blocks():
            for query, first, last in block.segments():
                if first == last:
                    add(name, "empty-list", found=query)
                order = range(first, last)
                if block.scores is not None:
                    scores = block.scores
                    order = sorted(order, key=lambda at: -scores[at])  # type: ignore[assignment]
                rows += [
                    Row(None, [Word(query, 1), Word(block.documents[at], 1), Word(tag or "RUN", 1)]) for at in order
                ]
        return rows

    def _kind(self, source: Source, rows: Sequence[Row]) -> str:
        """What a file holds: answers, documents, or the long list."""
        if not self.rules.columns:
            return "answers"
        if "answers" in self.protocol.parts:
            labels = sum(len(row.words) > 1 and row.texts[1].lower() in LABELS for row in rows)
            if 2 * labels > len(rows):
                return "answers"
        is_long = self.rules.long_list and "task3-l" in Path(source.name).name.lower()
        return "long" if is_long else "documents"

    def _together(self) -> None:
        """What only the files together show."""
        kinds: dict[str, dict[str, str]] = {}  # kind → tag → file
        for name, sheet in self.sheets.items():
            for tag in sheet.tags:
                of_kind = kinds.setdefault(sheet.kind, {})
                if tag in of_kind:
                    self.found.add(
                        name, "tag-shared", found=tag, remedy=f"{of_kind[tag]} has it too: give each run its own"
                    )
                of_kind.setdefault(tag, name)
        tags = {tag for of_kind in kinds.values() for tag in of_kind}
        most = self.rules.most_runs
        if most is not None and len(tags) > most:
            for tag in sorted(tags):
                self.found.add(self.sources[0].name, "runs", found=tag)
        documents, answers, long = (kinds.get(kind, {}) for kind in ("documents", "answers", "long"))
        if len(self.protocol.parts) == 2:
            for tag in sorted(documents.keys() | answers.keys()):
                if tag not in answers or tag not in documents:
                    name, missing = (documents[tag], "answers") if tag in documents else (answers[tag], "articles")
                    self.found.add(name, "part-missing", found=tag, missing=missing)
                else:
                    self._both(self.sheets[documents[tag]], self.sheets[answers[tag]])
        for tag in documents.keys() & long.keys():
            short, longer = self.sheets[documents[tag]], self.sheets[long[tag]].documents()
            for query, rows in short.documents().items():
                for document in rows:
                    if document not in longer.get(query, ()):
                        self.found.add(short.name, "not-in-long-list", found=f"{query} {document}")

    def _both(self, documents: Sheet, answers: Sheet) -> None:
        """A question is right only by its articles and its answer."""
        have = {documents.name: documents.lists().keys(), answers.name: answers.lists().keys()}
        for one, other in ((documents.name, answers.name), (answers.name, documents.name)):
            for query in have[other] - have[one]:
                if self.known.queries is None or query in self.known.queries:
                    self.found.add(one, "partial", found=query)

    def _clean_tags(self) -> None:
        """Run tags lose what is not allowed in them, where no two runs come to share one by that."""
        cleaned: dict[str, set[str]] = {}
        for sheet in self.sheets.values():
            for tag in sheet.tags:
                cleaned.setdefault(clean_tag(tag, self.rules.tag_length), set()).add(tag)
        tags = {tag: new for new, of in cleaned.items() if new and len(of) == 1 for tag in of}
        for sheet in self.sheets.values():
            sheet.retag(tags)

    def _write(self, name: str, target: str) -> None:
        """The mended copy."""
        with written(target) as stream:
            if name in self.texts:
                text = self.texts[name]
                stream.write(text if text.endswith("\n") else f"{text}\n")
                return
            for row in self.sheets[name].rows:
                if row.mended is not None:
                    stream.write(join_columns(*row.mended))
                else:  # what takes a decision stays as it stands
                    stream.write(" ".join(row.texts) + "\n")


def _find_task(source: Source, asked: Source | None) -> str:
    """The task that a file, or the file that names its queries, is of."""
    head = source.head()
    if tort.sniff(head) is not None:
        return "tort"
    form = detect.run_form(source).name if not head.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
    if form == "labels":
        return "4"
    queries = read_queries(asked) if asked is not None else _first_queries(source)
    if queries and all(STATUTE_ID.fullmatch(query) for query in queries):
        return "3"
    if queries and all(query.isdecimal() for query in queries):
        longest = max(map(len, queries))
        if longest <= 4:
            return "2"
        if longest == 6:
            return "1"
    raise UsageError(f"{source.name} does not show its task; name it with --task")


def _first_queries(source: Source) -> list[str]:
    """The queries of the first lines."""
    rows = content_rows(source.head().decode("utf-8", errors="replace").replace("\r", ""), source.name, Findings())
    return [row.texts[0].removesuffix(".txt") for row in rows[:100]]


def _documents(corpus: PathLike, task: str) -> tuple[Callable[[str], Collection[str] | None], bool]:
    """The documents that a query can retrieve, and whether each query has its own."""
    path = Path(corpus)
    try:
        opened = read_corpus(corpus, task=task)
    except InputError:
        if path.is_dir():
            raise
        ids = frozenset(read_queries(Source(corpus)))
        return (lambda _: ids), False
    if isinstance(opened, FragmentCorpus):
        folders = frozenset(opened.query_ids())
        of_query: dict[str, frozenset[str]] = {}

        def candidates(query: str) -> Collection[str] | None:
            if query not in folders:
                return None
            if query not in of_query:
                of_query[query] = frozenset(opened.candidate_ids(query))
            return of_query[query]

        return candidates, True
    ids = frozenset(opened.doc_ids())
    return (lambda _: ids), False


def _targets(names: Sequence[str], fix: PathLike | None) -> dict[str, str]:
    """Where the mended copy of each file goes."""
    if fix is None:
        return {}
    folder = Path(fix)
    if len(names) == 1 and not folder.is_dir():
        targets = {names[0]: str(fix)}
    else:
        if not folder.is_dir():
            raise UsageError(f"--fix names a folder for several files, and {fix} is none: make it first")
        targets = {name: str(folder / Path(name).name) for name in names}
    if len(set(targets.values())) < len(targets):
        raise UsageError("two of the files have one name: mend them one by one")
    for name, target in targets.items():
        if Path(target).exists() and Path(name).exists() and Path(target).samefile(name):
            raise UsageError(f"--fix would write over {name}: name another file")
    return targets
