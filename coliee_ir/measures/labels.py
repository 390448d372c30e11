"""Accuracies: of answers yes or no, and of answers together with the articles that they rest on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coliee_ir.measures.base import Measure, Parts, Result, topic_mean
from coliee_ir.rules.decisions import Decisions

_PAGE = "COLIEE organisers' pages, sections on evaluation"


@dataclass(frozen=True)
class Accuracy(Measure):
    """The share of judged queries that are answered rightly; a query without an answer is wrong.

    In Tasks 4, 5 and tort prediction an answer is right if its label is. In Task 3 from 2026 on it is right if its
    label is and every gold article was retrieved (recall 1; a query without gold articles has recall 1, unless
    ``--decision without_articles=…`` says otherwise); with a cutoff, among the first of them: ``Accuracy@1..10`` shows
    how many articles are enough.
    """

    cutoff: int | None = None  # look at the first so many articles of each query; None for all

    decision_fields = frozenset({"without_articles", "unreadable_answers"})
    formula = "queries answered rightly / judged queries"
    source = f"{_PAGE}; Task 3 with sufficient articles: page of 2026"

    @property
    def ranked(self) -> bool:  # type: ignore[override]  # whether it looks at ranks depends on its cutoff
        return self.cutoff is not None

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]  # a cutoff is one of documents
        return ("answers", "documents") if self.ranked else ("answers",)

    @property
    def name(self) -> str:
        return f"Accuracy@{self.cutoff}" if self.ranked else "Accuracy"

    def without_relevant(self, decisions: Decisions) -> str:
        return {
            "sufficient": "in Accuracy the label decides",
            "wrong": "(is|are) wrong in Accuracy",
            "skip": "(is|are) left out of Accuracy",
        }[decisions.without_articles]

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        per_query = LabelAccuracy().compute(parts, decisions).per_query
        if "documents" in parts:
            articles = self.part(parts)
            relevant = articles.qrels.relevant()
            per_query *= articles.correct(self.cutoff) == relevant
            if decisions.without_articles != "sufficient":
                per_query[relevant == 0] = 0.0 if decisions.without_articles == "wrong" else np.nan
        return Result(topic_mean(per_query), per_query)


@dataclass(frozen=True)
class LabelAccuracy(Measure):
    """The share of judged queries whose label is right, whatever articles were retrieved."""

    needs = ("answers",)
    decision_fields = frozenset({"unreadable_answers"})
    formula = "queries with the right label / judged queries"
    source = _PAGE

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        per_query = (parts["answers"].correct() > 0).astype(np.float64)
        return Result(topic_mean(per_query), per_query)
