"""Scores: what an evaluation says of a run, and the JSON in which other programs read it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import Any, Final, Literal

import numpy as np

from coliee_adapters.classes import dataclass
from coliee_adapters.lines import counted
from coliee_adapters.remarks import Remark, told_of
from coliee_ir.judging.judged import Judged
from coliee_ir.measures import Measure, Result
from coliee_ir.measures.ties import Span
from coliee_ir.output import envelope
from coliee_ir.output.shown import Shown
from coliee_ir.rules.decisions import Decisions

#: what is kept of each run: all; all but the judged documents; the values over all queries alone
Keep = Literal["judged", "queries", "values"]

_NONE: Final = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Timing:
    """Where the time went, in seconds.

    Attributes:
        lines: how many lines were read.
        read: turning bytes into columns, added over all processes.
        judge: reading and judging together, by the clock.
        measure: computing the measures, by the clock.
    """

    lines: int = 0
    read: float = 0.0
    judge: float = 0.0
    measure: float = 0.0

    def __add__(self, other: Timing) -> Timing:
        return Timing(
            self.lines + other.lines, self.read + other.read, self.judge + other.judge, self.measure + other.measure
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores(Shown):
    """The scores of one run.

    Attributes:
        tag: the run's name.
        file: the run's file.
        gold: the gold's file.
        task: the task.
        edition: the edition whose rules were used; None for a task without editions.
        results: each measure and its result, in the order asked for.
        query_ids: the judged queries, in the order of the results' ``per_query``.
        answered: whether the run names each of them.
        counts: correct, retrieved and relevant documents (or labels) over all judged queries.
        extra: how many queries of the run are not in the gold.
        others: the files that belong to the run: ``answers``, ``long_list``.
        excluded: the queries that were left out.
        remarks: what was tolerated and what was decided, in sentences, each with its kind.
        decisions: the choices made where the organisers leave it open.
        timing: where the time went.
        judged: the judged parts behind the results, where they were asked for.
        ties: for a run that has judged documents of equal score, the span of each measure over all orders of these,
            where it is known: see ``coliee_ir.measures.ties``.
        has_ties: whether the run has such documents.
    """

    tag: str
    file: str
    gold: str
    task: str
    edition: int | None
    results: Mapping[Measure, Result]
    query_ids: Sequence[str]
    answered: Sequence[bool]
    counts: Mapping[str, int]
    extra: int
    others: Mapping[str, str] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    decisions: Decisions = field(default_factory=Decisions)
    timing: Timing = field(default_factory=Timing, compare=False)
    judged: Mapping[str, Judged] = field(default_factory=dict, repr=False)
    ties: Mapping[Measure, Span] = field(default_factory=dict, repr=False)
    has_ties: bool = False

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value:.4f}" for name, value in self.measures.items())
        return f"Scores({self.tag!r}, task={self.task!r}, {shown})"

    @property
    def measures(self) -> dict[str, float]:
        """Name → value over all queries; NaN if no query is left to form it from."""
        return {measure.name: result.value for measure, result in self.results.items()}

    @property
    def queries(self) -> dict[str, int]:
        """How many queries were judged, answered, unanswered, and how many of the run's are extra: not in the gold."""
        answered = sum(self.answered)
        judged = len(self.query_ids)
        return {"judged": judged, "answered": answered, "unanswered": judged - answered, "extra": self.extra}

    @property
    def per_query(self) -> dict[str, dict[str, float]]:
        """Query → name → value; a query that a measure leaves out has no value of it."""
        columns = {measure.name: result.per_query.tolist() for measure, result in self.results.items()}
        return {
            query: {name: values[at] for name, values in columns.items() if not math.isnan(values[at])}
            for at, query in enumerate(self.query_ids)
        }

    def span(self, measure: Measure) -> Span:
        """The value of a measure over all orders of documents of equal score; NaN where it is not known."""
        if measure in self.ties:
            return self.ties[measure]
        value = math.nan if measure.ranked and self.has_ties else self.results[measure].value
        return Span(value, value, value)

    def kept(self, keep: Keep) -> Scores:
        """What is kept of them: of many thousands of runs, a table needs the values over all queries alone."""
        if keep != "values":
            return self if keep == "judged" or not self.judged else replace(self, judged={})
        results = {measure: Result(result.value, _NONE) for measure, result in self.results.items()}
        answered = _every(len(self.query_ids)) if all(self.answered) else self.answered
        return replace(self, results=results, answered=answered, judged={}, ties={})

    def header(self) -> str:
        """What was judged, in a line."""
        n = self.queries
        line = f"{counted(n['judged'], 'query')}: {n['answered']} answered, {n['unanswered']} unanswered"
        if not self.extra:
            return line
        wrong = self.decisions.extra_queries == "wrong" and any(
            "extra_queries" in measure.follows for measure in self.results
        )
        done = "counted as wrong" if wrong else "ignored"
        return f"{line}; {counted(self.extra, 'extra query')} in the run {done}"

    def to_dict(self, *, per_query: bool = False, ties: bool = False) -> dict[str, Any]:
        """The run as an entry of the JSON contract; a value that does not exist is null."""
        entry: dict[str, Any] = {
            "tag": self.tag,
            "file": self.file,
            **self.others,
            "measures": {name: envelope.number(value) for name, value in self.measures.items()},
            "counts": dict(self.counts),
            "queries": self.queries,
        }
        if per_query:
            entry["per_query"] = self.per_query
        if ties:
            entry["ties"] = {
                measure.name: {name: envelope.number(value) for name, value in self.span(measure)._asdict().items()}
                for measure in self.results
            }
        entry |= told_of(self.remarks)
        return entry


@cache
def _every(n: int) -> tuple[bool, ...]:
    """What runs that answer all queries share."""
    return (True,) * n


def places_of(scored: Sequence[Scores], name: str) -> list[int]:
    """Where the runs of a name are: those of that tag, or of that file where no run or several have the tag."""
    places = [at for at, scores in enumerate(scored) if scores.tag == name]
    if len(places) != 1:  # a tag goes before a file of that name
        places = [at for at, scores in enumerate(scored) if scores.file == name] or places
    return places


def document(runs: Sequence[Scores], *, per_query: bool = False, ties: bool = False) -> dict[str, Any]:
    """The JSON contract: runs scored against one gold by the same rules.

    ``{"coliee_ir", "trec_eval", "task", "edition", "gold", "decisions", "runs": [{"tag", "file", "measures",
    "counts", "queries", "per_query", "ties", "remarks", "remark_kinds"}]}``; ``per_query`` and ``ties`` only where
    asked for, and ``excluded``, ``answers`` and ``long_list`` only where there are any.
    """
    return {**preamble(runs[0]), "runs": [scores.to_dict(per_query=per_query, ties=ties) for scores in runs]}


def preamble(scores: Scores) -> dict[str, Any]:
    """What is common to all runs of an evaluation: versions, task, edition, gold, decisions."""
    return envelope.preamble(scores.task, scores.edition, scores.gold, scores.decisions.to_dict(), scores.excluded)
