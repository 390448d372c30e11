"""Scores as ``evaluate`` writes them: tables, JSON a run at a time, and the lines of trec_eval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from coliee_adapters import trec_eval
from coliee_adapters.errors import printable
from coliee_adapters.trec_eval import Request
from coliee_ir.measures import Delegated, Measure
from coliee_ir.output import envelope
from coliee_ir.output.grid import Cell, Grid, separated
from coliee_ir.output.rendering import Forms, TabularResult
from coliee_ir.scoring.scores import Scored, Scores, as_grid, document, is_count, number_of, preamble


class ScoreTable(TabularResult):
    """The scores of runs against one gold, as they are written."""

    __slots__ = ("per_query", "runs", "ties")

    forms: ClassVar[Forms] = {
        "jsonl": lambda table: (
            envelope.dumped({**preamble(scores), **entry}, indent=None)
            for scores, entry in zip(table.runs, table.entries(), strict=True)
        ),
        "csv": lambda table: separated(table.rows()),
        "tsv": lambda table: separated(table.rows(), "\t"),
        "trec": lambda table: _trec(table.runs, table.per_query),
    }

    def __init__(self, runs: Scored, *, per_query: bool = False, ties: bool = False) -> None:
        self.runs, self.per_query, self.ties = runs, per_query, ties

    def tables(self) -> Sequence[Grid]:
        """The one table."""
        return [spans(self.runs) if self.ties else as_grid(self.runs, self.per_query)]

    def rows(self) -> Grid:
        """The table with the further columns that reading it back needs."""
        return spans(self.runs) if self.ties else as_grid(self.runs, self.per_query, sums=True)

    def entries(self) -> Iterator[dict[str, Any]]:
        """Each run as an entry of the JSON."""
        return (scores.to_dict(per_query=self.per_query, ties=self.ties) for scores in self.runs)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``evaluate``."""
        return document(self.runs, per_query=self.per_query, ties=self.ties)

    def json(self, inputs: Mapping[str, str] | None = None) -> Iterator[str]:
        """The JSON as text, a run at a time."""
        return envelope.dumped_list(envelope.with_inputs(preamble(self.runs[0]), inputs), "runs", self.entries())


def spans(runs: Sequence[Scores]) -> Grid:
    """Each measure of each run: the score, and what it could be with documents of equal score in another order."""
    header = ["run", "measure", "score", "lowest", "expected", "highest"]
    rows: list[list[Cell]] = [
        [scores.name, measure.name, *(number_of(measure, value) for value in (result.value, *scores.span(measure)))]
        for scores in runs
        for measure, result in scores.results.items()
    ]
    return Grid(header, rows, n_text=2)


def _trec(runs: Sequence[Scores], per_query: bool) -> str:
    """Lines as ``trec_eval -c`` (with ``per_query``: ``-c -q``) prints them: in its order, queries by id, then ``all``.

    As in trec_eval 9.0.8, a query that the run does not answer has no lines of its own and counts in ``all``.
    A value asked for under two names is printed once. Our own measures follow trec_eval's.
    """
    lines: list[str] = []
    for scores in runs:
        measures = _in_trec_order(list(scores.results))
        if per_query:
            by_id = sorted(range(len(scores.query_ids)), key=scores.query_ids.__getitem__)
            columns = [
                (measure, scores.results[measure].per_query.tolist(), _answered(scores, measure))
                for measure in measures
                if not isinstance(measure, Delegated) or not measure.request.base.startswith(("num_q", "gm_"))
            ]
            for i in by_id:
                query = printable(scores.query_ids[i])
                lines += [
                    _trec_line(measure, query, values[i])
                    for measure, values, answered in columns
                    if answered[i] and not math.isnan(values[i])
                ]
        if len(runs) > 1:  # as in trec_eval's summary, and the only thing that tells the runs apart
            lines.append(f"{'runid':<22}\tall\t{printable(scores.name)}\n")
        lines += [_trec_line(measure, "all", scores.results[measure].value) for measure in measures]
    return "".join(lines)


def _answered(scores: Scores, measure: Measure) -> Sequence[bool]:
    """Which queries are answered in the part of the submission that the measure reads."""
    answered = scores.results[measure].answered
    return scores.answered if answered is None else answered.tolist()


def _in_trec_order(measures: Sequence[Measure]) -> list[Measure]:
    delegated = {measure.request: measure for measure in measures if isinstance(measure, Delegated)}
    ours = [measure for measure in measures if not isinstance(measure, Delegated)]
    return [*(delegated[request] for request in trec_eval.in_trec_eval_order(delegated)), *ours]


def _trec_line(measure: Measure, query: str, value: float) -> str:
    name = measure.name
    if isinstance(measure, Delegated) and measure.request == Request(measure.request.base, measure.request.parameter):
        name = measure.request.name  # with options, such as rel=2, it is not what trec_eval prints under this name
    number = f"{value:.0f}" if is_count(measure) else f"{value:6.4f}"
    return f"{name:<22}\t{query}\t{number}\n"
