"""Which task files are of, from their ids or, where they cannot be read, from their first lines; and by which gold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms import statute, tort, vocabulary
from coliee_adapters.forms.detect import is_description
from coliee_adapters.forms.lines import SEPARATORS, first_lines, split_columns
from coliee_adapters.records import STATUTE_ID, Answers, Gold, Run, normal_id
from coliee_ir.reading.anything import read_queries
from coliee_ir.rules.protocol import (
    PROTOCOLS,
    TASK_SIGNS,
)

_LINES: Final = 100

#: of what an empty file consists: blanks, line ends and byte order marks
NOTHING: Final = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n\v\f"

_DECIDED: Final = re.compile(r'"court_decision"\s*:\s*(?:true|false)\b')
_ACCEPTED: Final = re.compile(r'"is_accepted"\s*:\s*(?:true|false)\b')
_JSON_MEMBER: Final = re.compile(r'"([^"\\]+)"\s*+:\s*+[\[{]?+\s*+"([^",\\]+)')

#: the tasks whose submissions may hold labels, the most likely first; and those of the pilot
OF_LABELS: Final = tuple(dict.fromkeys((
    TASK_SIGNS["labels-only"].task, *(row.task for row in PROTOCOLS if row.law == "statute" and "answers" in row.parts)
)))  # fmt: skip
OF_PILOT: Final = (TASK_SIGNS["decisions"].task, TASK_SIGNS["nothing-decided"].task)


def task_of_files(sources: Sequence[Source], query_files: Sequence[Source] = ()) -> str:
    """The task that files, and the files that name their queries, are of; empty if none is a run."""
    heads = [
        (text_of_head(raw), source.columns)
        for source in sources
        if (raw := source.head()).strip(NOTHING) and not is_description(raw)
    ]
    if not heads:
        return ""
    heads_asked = [text_of_head(file.head()) for file in query_files]
    for head in (*(head for head, _ in heads), *heads_asked):
        if tort.sniff(head.encode(errors="replace")):
            is_undecided = _ACCEPTED.search(head) and not _DECIDED.search(head)
            return TASK_SIGNS["nothing-decided" if is_undecided else "decisions"].task
    files = [rows for head, columns in heads if (rows := first_rows(head, columns))]
    queries, documents = ids_of([row for rows in files for row in rows])
    queries = [query for file in query_files for query in read_queries(file)] if query_files else queries
    of_json = [row for head in heads_asked if head.lstrip().startswith("{") for row in first_rows(head, {})]
    if not are_of_statutes(queries) and (task := _of_case_law(ids_of(of_json)[1])):
        return task
    labelled = bool(files) and all(statute.are_labels([(row[0], row[1]) for row in rows]) for rows in files)
    if tasks := _tasks_of(labelled, queries, documents):
        return tasks[0]
    raise UsageError("unknown-task", f"{sources[0].name} does not show its task; name it with --task")


def tasks_of_record(record: Run | Answers, queries: Sequence[str], documents: Sequence[str]) -> tuple[str, ...]:
    """The tasks that a file can be of by what it holds; none where that shows nothing."""
    return OF_PILOT if record.format in tort.NAMES else _tasks_of(isinstance(record, Answers), queries, documents)


def _tasks_of(labelled: bool, queries: Sequence[str], documents: Sequence[str]) -> tuple[str, ...]:
    """The tasks of submissions, the most likely first; answers are of a Task 3 if articles with their tag say so."""
    if labelled:
        return OF_LABELS
    if are_of_statutes(queries):
        return (TASK_SIGNS["statute-articles"].task,)
    task = _of_case_law(documents or queries) or _of_case_law(queries)
    return (task,) if task else ()


def tasks_of_queries(queries: Sequence[str], gold: Gold | None = None) -> tuple[str, ...]:
    """The tasks that ask queries; none where their ids do not show it."""
    if gold is not None and gold.format == tort.FORMAT:
        return OF_PILOT
    if are_of_statutes(queries):
        return tuple(dict.fromkeys(row.task for row in PROTOCOLS if row.law == "statute"))
    task = (gold.task if gold is not None else None) or _of_case_law(queries)
    return (task,) if task else ()


def are_of_statutes(queries: Sequence[str]) -> bool:
    """Whether most ids are those of statute questions."""
    return 2 * sum(STATUTE_ID.fullmatch(query) is not None for query in queries) > len(queries)


def _of_case_law(ids: Sequence[str]) -> str:
    """The task whose documents most of these can be; empty if most are no numbers, or too long."""
    lengths = Counter(len(text) for text in ids if text.isdecimal())
    if 2 * lengths.total() <= len(ids):
        return ""
    digits, _ = lengths.most_common(1)[0]  # of six, some may have lost their zeros
    return "" if digits > 6 else TASK_SIGNS["paragraphs" if digits <= 4 else "cases"].task


def text_of_head(raw: bytes) -> str:
    """The first bytes of a file as text, whatever its encoding and its line ends are."""
    text = raw.decode(utf16(raw) or "utf-8", errors="replace").lstrip("\ufeff")
    text = text.replace("\r", "\n")  # of blank lines there may be more
    return text if text.isascii() else SEPARATORS.sub("\n", text)


def utf16(raw: bytes) -> str | None:
    """The name of the encoding if it is UTF-16, in which every other byte of an ASCII text is zero."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if raw[:2].count(0) == 1:
        return "utf-16-be" if raw[0] == 0 else "utf-16-le"
    return None


def words_of(text: str) -> Iterator[list[str]]:
    """The words of the first lines, whatever stands between them."""
    return (split_columns(re.sub("[,;\"'\u00a0\u3000]", " ", line).strip()) for line in first_lines(text.encode()))


def ids_of(rows: Sequence[Sequence[str]]) -> tuple[list[str], list[str]]:
    """The queries and the documents of the words of lines."""
    documents = [normal_id(row[2 if row[1] == "Q0" else 1]) for row in rows if len(row) > 2]
    return [normal_id(row[0]) for row in rows], documents


def first_rows(text: str, columns: Mapping[str, str]) -> list[list[str]]:
    """The words of the first lines; of JSON each query, its first document, and no tag."""
    if (first := text.lstrip()[:1]) in ("{", "[", "<"):
        members = _JSON_MEMBER.findall(text) if first == "{" else ()
        return [[query, document, ""] for query, document in members[:_LINES]]
    rows = [row for row in words_of(text) if len(row) > 1]
    return rows[1:] if rows and names_columns(rows[0], columns) else rows


def names_columns(words: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether the words of a first line are names of columns."""
    is_query = bool(words) and vocabulary.normal_name(words[0]) in vocabulary.EVERY_NAME["query"]
    return is_query or vocabulary.is_header(words) or vocabulary.has_user_column(words, columns)


class QueryFile(NamedTuple):
    """A file that names queries: what it is called, its queries, the tasks that ask them, and whether it is a gold."""

    file: str
    queries: frozenset[str]
    tasks: tuple[str, ...]
    is_gold: bool
    name: str = ""  # what the organiser calls it where a task has several: ``R01``
    year: int | None = None  # whose rules count; None for the newest
    corpus: PathLike | None = None
    gold: Gold | None = None  # what it holds, where it is a gold

    @classmethod
    def of(cls, gold: Gold) -> QueryFile:
        """A gold, with the tasks that it shows."""
        return cls(gold.path, frozenset(gold.queries), tasks_of_queries(gold.queries, gold), True, gold=gold)


class Golds:
    """The golds of a competition; every judge of a file asks them, and no other.

    A file is judged by the gold of its task of whose queries it answers the most: by none of another task, whatever
    ids they share. Where it answers queries of further golds of this task, as of several years, these judge it too.
    """

    def __init__(self, query_files: Iterable[QueryFile] = ()) -> None:
        self.query_files = tuple(query_files)

    @property
    def golds(self) -> list[Gold]:
        """The golds, each once."""
        return [
            *{
                id(query_file.gold): query_file.gold for query_file in self.query_files if query_file.gold is not None
            }.values()
        ]

    def judges_of(self, tasks: Sequence[str], queries: Collection[str]) -> list[QueryFile]:
        """The golds by which a file is judged that can be of these tasks, the likeliest first; none where none asks."""
        own = (
            [query_file for task in tasks for query_file in self.query_files if task in query_file.tasks]
            if tasks
            else self.query_files
        )
        shared = [len(query_file.queries.intersection(queries)) for query_file in own]
        if not own or not (tasks or any(shared)):
            return []
        first, answered = own[shared.index(max(shared))], {*queries}
        further = {
            query_file.file: query_file for query_file in own
            if first.is_gold and query_file.is_gold and not answered.isdisjoint(query_file.queries)
            and first.queries.isdisjoint(query_file.queries) and not {*first.tasks}.isdisjoint(query_file.tasks)
        }  # fmt: skip
        return [first, *further.values()]

    def of_other_task(self, task: str, queries: Collection[str]) -> QueryFile | None:
        """The gold of another task that asks all of the queries, where no gold of the task asks any of them."""
        own = [query_file for query_file in self.query_files if task in query_file.tasks]
        others = (
            query_file
            for query_file in self.query_files
            if task not in query_file.tasks and query_file.queries.issuperset(queries)
        )
        is_asked = not queries or any(not query_file.queries.isdisjoint(queries) for query_file in own)
        return None if is_asked else next(others, None)
