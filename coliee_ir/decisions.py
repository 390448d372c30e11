"""What the organisers leave open, as explicit choices. The defaults are those of this project; a result names its own.

Each field is one point that no page, paper or published number settles (coliee-ir's README lists them).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from coliee_adapters.errors import UsageError


@dataclass(frozen=True, slots=True)
class Decisions:
    """The choices behind a score.

    Attributes:
        unanswered: a judged query with nothing retrieved counts P = R = F = 0 in topic-wise means (``zero``), or is
            left out of them (``skip``).
        unjudged: lines of queries that are not in the gold are left out (``ignore``), or count as retrieved and
            wrong in micro-averaged scores (``wrong``).
        duplicates: a document that a query names twice counts once (``once``), or its repetitions count as
            retrieved and wrong (``wrong``).
        empty_gold: a query without any relevant document is left out of topic-wise means (``skip``), or counts with
            what is undefined there taken as 0 (``zero``) or 1 (``one``).
        undefined: a rationale instance without a True claim in gold and in prediction counts F1 = 0 (``zero``, as in
            scikit-learn), 1 (``one``), or is left out (``skip``).
        without_articles: in Task 3 from 2026 on, a question whose gold names no article has recall 1, so that its label
            decides (``sufficient``), is wrong (``wrong``), or is left out of Accuracy (``skip``).
        unreadable_answers: a run with answers that are neither Y nor N is refused (``refuse``), or these answers are
            wrong (``wrong``).
    """

    unanswered: Literal["zero", "skip"] = "zero"
    unjudged: Literal["ignore", "wrong"] = "ignore"
    duplicates: Literal["once", "wrong"] = "once"
    empty_gold: Literal["skip", "zero", "one"] = "skip"
    undefined: Literal["zero", "one", "skip"] = "zero"
    without_articles: Literal["sufficient", "wrong", "skip"] = "sufficient"
    unreadable_answers: Literal["refuse", "wrong"] = "refuse"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise UsageError(f"{name} is {getattr(self, name)!r}; it can be {', '.join(allowed)}")

    def to_dict(self) -> dict[str, str]:
        """Field → choice."""
        return {name: getattr(self, name) for name in CHOICES}

    def clauses(self, *, topic_wise: bool = True) -> Mapping[str, str]:
        """Kind of remark → what was done about it.

        Args:
            topic_wise: whether a mean over queries was computed, from which a query can be left out.
        """
        left_out = "(is|are) left out of topic-wise means"
        return {
            "unanswered-query": {
                "zero": "(counts|count) zero",
                "skip": left_out if topic_wise else "(counts|count) as wrong",
            }[self.unanswered],
            "nothing-retrieved": {
                "zero": "(counts|count) zero",
                "skip": left_out if topic_wise else "(counts|count) as wrong",
            }[self.unanswered],
            "unjudged-query": {"ignore": "ignored", "wrong": "counted as wrong in micro-averages"}[self.unjudged],
            "duplicate": {"once": "(counts|count) once", "wrong": "(counts|count) as wrong"}[self.duplicates],
            "empty-gold": {
                "skip": "(is|are) left out of topic-wise means",
                "zero": "(counts|count) zero where undefined",
                "one": "(counts|count) one where undefined",
            }[self.empty_gold],
            "undefined-f1": {
                "zero": "counts 0 (--undefined zero)",
                "one": "counts 1 (--undefined one)",
                "skip": "is left out (--undefined skip)",
            }[self.undefined],
            "unreadable-answer": {"refuse": "(is|are) refused", "wrong": "(counts|count) as wrong"}[
                self.unreadable_answers
            ],
        }


#: field → its possible values, the default first
CHOICES: Mapping[str, tuple[str, ...]] = {
    field.name: get_args(get_type_hints(Decisions)[field.name]) for field in fields(Decisions)
}
