"""The signs by which the task of files is known, where it is not named."""

from __future__ import annotations

from typing import Final

from coliee_adapters.classes import NamedTuple


class Found(NamedTuple):
    """The task that files belong to, and what shows it; that is empty where the task was named."""

    task: str
    because: str


ANSWERS_BESIDE: Final = Found("3", "answers are given beside the run")
LABELS_ONLY: Final = Found("4", "the gold holds labels only")
STATUTE_LABELS: Final = Found("4", "the gold is statute law and the run holds labels")
STATUTE_ARTICLES: Final = Found("3", "the gold is statute law and the run holds articles")
STATUTE_NO_LABELS: Final = Found("3", "the gold is statute law without labels")
STATUTE_IDS: Final = Found("3", "the gold's queries are statute questions")
PARAGRAPHS: Final = Found("2", "the gold's documents are paragraph numbers")
CASES: Final = Found("1", "the gold's documents are case numbers")
QRELS: Final = Found("trec", "the gold is qrels")
NO_DECISIONS: Final = Found("rationale", "the gold has claims and no decisions")
NO_CLAIMS: Final = Found("tort", "the gold has decisions and no claims")
NOTHING_DECIDED: Final = Found("rationale", "the submission decides nothing")
DECISIONS: Final = Found("tort", "the files hold decisions; --task rationale scores the claims")
