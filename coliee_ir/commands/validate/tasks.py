"""Which task a submission is of, from its first lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import starmap
from typing import Final

from coliee_adapters import descriptions, statute, tort
from coliee_adapters.errors import UsageError
from coliee_adapters.files import Source
from coliee_adapters.records import normal_id
from coliee_adapters.statute import LABELS, STATUTE_ID
from coliee_ir.commands.validate.rows import rows_of
from coliee_ir.commands.validate.text import is_blank, lines_of, text_of
from coliee_ir.rules import signs
from coliee_ir.scoring.reading import read_queries

_LINES: Final = 100

_DECIDED: Final = re.compile(r'"court_decision"\s*:\s*(?:true|false)\b')
_ACCEPTED: Final = re.compile(r'"is_accepted"\s*:\s*(?:true|false)\b')

_JSON_MEMBER: Final = re.compile(r'"([^"\\]+)"\s*+:\s*+[\[{]?+\s*+"([^",\\]+)')


def task_of_files(sources: Sequence[Source], asked: Sequence[Source]) -> str:
    """The task that files, and the files that name their queries, are of; empty if none is a run.

    Raises:
        InputError: the queries cannot be read.
        UsageError: the files do not show it.
    """
    heads = [
        (text_of(source.head(), _unheard), source.columns)
        for source in sources
        if not is_blank(source.head()) and not descriptions.sniff(source.head())
    ]
    if not heads:
        return ""
    heads_asked = [text_of(file.head(), _unheard) for file in asked]
    for head in (*(head for head, _ in heads), *heads_asked):
        if tort.sniff(head.encode(errors="replace")):
            undecided = _ACCEPTED.search(head) and not _DECIDED.search(head)
            return (signs.NOTHING_DECIDED if undecided else signs.DECISIONS).task
    files = [rows for rows in starmap(_first_rows, heads) if rows]
    labelled = bool(files) and all(map(_are_labels, files))
    given = [normal_id(row[0]) for rows in files for row in rows]
    queries = [query for file in asked for query in read_queries(file)] if asked else given
    if queries and 2 * sum(STATUTE_ID.fullmatch(query) is not None for query in queries) > len(queries):
        return (signs.STATUTE_LABELS if labelled else signs.STATUTE_ARTICLES).task
    of_json = [head for head in heads_asked if head.lstrip().startswith("{")]
    judged = [normal_id(document) for head in of_json for _, document, _ in _first_rows(head, {})]
    if (found := _task_of_case_law(judged)) or labelled:
        return found or signs.LABELS_ONLY.task
    documents = [normal_id(row[2 if row[1] == "Q0" else 1]) for rows in files for row in rows if len(row) > 2]
    if found := _task_of_case_law(documents or queries) or _task_of_case_law(queries):
        return found
    raise UsageError(f"{sources[0].name} does not show its task; name it with --task")


def _task_of_case_law(ids: Sequence[str]) -> str:
    """The task whose documents most of these can be; empty if most are no numbers, or too long."""
    lengths = Counter(len(text) for text in ids if text.isdecimal())
    if 2 * lengths.total() <= len(ids):
        return ""
    digits, _ = lengths.most_common(1)[0]  # of six, some may have lost their zeros
    return "" if digits > 6 else (signs.PARAGRAPHS if digits <= 4 else signs.CASES).task


def _first_rows(text: str, columns: Mapping[str, str]) -> list[list[str]]:
    """The words of the first lines; of JSON each query, its first document, and no tag."""
    if text.lstrip().startswith("{"):
        return [[query, document, ""] for query, document in _JSON_MEMBER.findall(text)[:_LINES]]
    if text.lstrip().startswith(("[", "<")):
        return []
    lines, _ = lines_of(text, _unheard)
    rows, _ = rows_of(lines[:_LINES], _unheard, columns)
    return [row.texts for row in rows if len(row.texts) > 1]


def _are_labels(rows: Sequence[Sequence[str]]) -> bool:
    """Whether most lines hold a label, or 1 and 0 as in ``statute.sniff_run``."""
    words = [row[1] for row in rows]
    in_letters = sum(word.lower() in LABELS for word in words)
    once = len({row[0] for row in rows}) == len(rows) and statute.are_numbered({row[0]: row[1] for row in rows})
    return 2 * max(in_letters, once * sum(word in statute.DIGITS for word in words)) > len(rows)


def _unheard(*_: object, **__: object) -> None:
    """What is wrong is of no interest here."""
