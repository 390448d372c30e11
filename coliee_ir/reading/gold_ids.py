"""What the ids of a gold show: its task, and the years of its questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from coliee_adapters.errors import UsageError
from coliee_adapters.records import STATUTE_ID, Gold, exam_of

#: sign of a task, and the ids of its queries and documents
_CASE_LAW_IDS = (
    ("cases", re.compile(r"[0-9]{6}(\.txt)?"), re.compile(r"[0-9]{6}(\.txt)?")),
    ("paragraphs", re.compile(r"[0-9]{3,4}(\.txt)?"), re.compile(r"[0-9]{3}(\.txt)?")),
)


def documents_of(gold: Gold) -> Iterator[str]:
    """The judged documents of a gold; one that is judged for several queries comes for each."""
    return chain.from_iterable((gold.qrels or {}).values())


def asks_statute_questions(gold: Gold) -> bool:
    """Whether all queries of a gold have ids of statute questions, ``R07-01-O``, in any format."""
    return bool(gold.queries) and all(map(STATUTE_ID.fullmatch, gold.queries))


def years(gold: Gold) -> dict[str, str]:
    """Query → year, in the order of the gold: ``R05`` of ``R05-01-A`` or ``R5-1-A``; or else the name of its file.

    >>> years(Gold(labels={"H30-1-A": True, "R01-1-A": False, "R1-18-U": True}))
    {'H30-1-A': 'H30', 'R01-1-A': 'R01', 'R1-18-U': 'R01'}
    """
    if asks_statute_questions(gold):
        return {query: exam_of(query) for query in gold.queries}
    if not gold.files:
        raise UsageError(
            "no-dates",
            f"{gold.path}: the ids of the queries do not show their year; give one gold for each year: a folder, or "
            "--gold FILE for each further year",
        )
    return {query: Path(gold.files[query]).name.split(".")[0] for query in gold.queries}


def asks_cases(gold: Gold) -> bool:
    """Whether all queries and documents of a gold have ids of cases as in Task 1 since 2021: six digits."""
    return bool(gold.queries) and all(map(re.compile("[0-9]{6}").fullmatch, (*gold.queries, *documents_of(gold))))


def sign_of_ids(gold: Gold) -> str:
    """What the ids of a gold without labels show, in a file as in memory; what is no COLIEE id is TREC's."""
    qrels = gold.qrels or {}
    if all(map(STATUTE_ID.fullmatch, qrels)):
        return "statute-ids"
    if gold.format == "qrels":
        return "qrels"
    for sign, query_id, document_id in _CASE_LAW_IDS:
        if all(map(query_id.fullmatch, qrels)) and all(map(document_id.fullmatch, documents_of(gold))):
            return "graded" if any(level != 1 for judged in qrels.values() for level in judged.values()) else sign
    return "other-ids"
