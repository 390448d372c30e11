"""The year of each query: of statute questions from their ids, of other queries from the gold that they come from."""

from __future__ import annotations

from pathlib import Path

from coliee_adapters.errors import UsageError
from coliee_adapters.records import STATUTE_ID, Gold, exam_of


def years(gold: Gold) -> dict[str, str]:
    """Query → year, in the order of the gold: ``R05`` of ``R05-01-A`` or ``R5-1-A``; or else the name of its file.

    >>> years(Gold(labels={"H30-1-A": True, "R01-1-A": False, "R1-18-U": True}))
    {'H30-1-A': 'H30', 'R01-1-A': 'R01', 'R1-18-U': 'R01'}
    """
    if all(map(STATUTE_ID.fullmatch, gold.queries)):
        return {query: exam_of(query) for query in gold.queries}
    if not gold.files:
        remedy = "give one gold for each year: a folder, or --gold FILE for each further year"
        raise UsageError("no-dates", f"{gold.path}: the ids of the queries do not show their year; {remedy}")
    return {query: Path(gold.files[query]).name.split(".")[0] for query in gold.queries}
