"""Scores as text: tables for people, for papers and for programs. Every id and tag is escaped for where it goes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from coliee_adapters import trec_eval
from coliee_adapters.errors import printable
from coliee_adapters.trec_eval import Request
from coliee_ir.measures import Delegated, Measure
from coliee_ir.output import grid
from coliee_ir.output.envelope import dumped, dumped_list
from coliee_ir.output.shown import View, shows
from coliee_ir.scoring.scores import Scores, preamble


def render(runs: Sequence[Scores], form: str, *, per_query: bool = False, ties: bool = False) -> str:
    """The scores of runs against one gold, in one of ``FORMS``; ends in a newline.

    Args:
        runs: at least one, scored by the same measures.
        form: the name of the form.
        per_query: whether each query has a row of its own.
        ties: whether each measure has its span over all orders of documents of equal score; not with ``trec``.
    """
    return "".join(pieces(runs, form, per_query=per_query, ties=ties))


def pieces(runs: Sequence[Scores], form: str, *, per_query: bool = False, ties: bool = False) -> Iterable[str]:
    """The same, in pieces where it may be long."""
    if form == "json":
        entries = (scores.to_dict(per_query=per_query, ties=ties) for scores in runs)
        return dumped_list(preamble(runs[0]), "runs", entries)
    if form == "jsonl":
        return (dumped({**preamble(s), **s.to_dict(per_query=per_query, ties=ties)}, indent=None) for s in runs)
    if form == "trec" and not ties:
        return [_trec(runs, per_query)]
    return [grid.FORMS[form](spans(runs) if ties else as_grid(runs, per_query))]


FORMS: Final = ("table", "json", "jsonl", "csv", "tsv", "markdown", "latex", "trec")

#: The forms that can hold the span of each score over all orders of equal scores; the first also those of queries.
WITH_TIES_OF_QUERIES: Final = ("json", "jsonl")
WITH_TIES: Final = (*WITH_TIES_OF_QUERIES, *grid.FORMS)


def spans(runs: Sequence[Scores]) -> grid.Grid:
    """Each measure of each run: the score, and what it could be with documents of equal score in another order."""
    header = ["run", "measure", "score", "lowest", "expected", "highest"]
    rows: list[list[grid.Cell]] = [
        [scores.tag, measure.name, *(_number(measure, value) for value in (result.value, *scores.span(measure)))]
        for scores in runs
        for measure, result in scores.results.items()
    ]
    return grid.Grid(header, rows, n_text=2)


def as_grid(runs: Sequence[Scores], per_query: bool) -> grid.Grid:
    """The scores as a table, the best of each measure bold; with ``per_query`` each query, then ``all``."""
    several_files = len({scores.tag for scores in runs}) < len(runs)
    measures = list(runs[0].results)
    best = _best(runs, measures)
    header = ["run", *(["file"] if several_files else []), *(["query"] if per_query else [])]

    def total(at: int) -> list[grid.Cell]:
        scores = runs[at]
        numbers = [
            _number(measure, result.value, top)
            for (measure, result), top in zip(scores.results.items(), best, strict=True)
        ]
        return [scores.tag, *([scores.file] if several_files else []), *(["all"] if per_query else []), *numbers]

    rows: Sequence[Sequence[grid.Cell]] = grid.Rows(len(runs), total)
    if per_query:
        each: list[Sequence[grid.Cell]] = []
        for at, scores in enumerate(runs):
            run = [scores.tag, *([scores.file] if several_files else [])]
            columns = [result.per_query.tolist() for result in scores.results.values()]
            for query, *values in zip(scores.query_ids, *columns, strict=True):
                each.append([*run, query, *map(_number, measures, values)])
            each.append(total(at))
        rows = each
    return grid.Grid([*header, *(measure.name for measure in measures)], rows, n_text=len(header))


def _number(measure: Measure, value: float, best: str | None = None) -> grid.Number:
    shown = "-" if math.isnan(value) else f"{value:.0f}" if _is_count(measure) else f"{value:.4f}"
    return grid.Number(value, shown, bold=shown == best)


def _is_count(measure: Measure) -> bool:
    return isinstance(measure, Delegated) and measure.request.base.startswith("num_")


def _best(runs: Sequence[Scores], measures: Sequence[Measure]) -> list[str | None]:
    """For each measure the best value as printed; None where there is nothing to compare."""
    best: dict[Measure, float] = {}
    for scores in runs:
        for measure, result in scores.results.items():
            if not math.isnan(result.value):
                best[measure] = max(result.value, best.get(measure, result.value))
    several = len(runs) > 1
    return [_number(m, best[m]).text if several and m in best and not _is_count(m) else None for m in measures]


def print_to_terminal(runs: Sequence[Scores], title: str, caption: str, *, per_query: bool = False) -> None:
    """The table in colour on standard output, the best values bold."""
    grid.print_to_terminal(as_grid(runs, per_query), title, caption)


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
            for at in by_id:
                query = printable(scores.query_ids[at])
                lines += [
                    _trec_line(measure, query, values[at])
                    for measure, values, answered in columns
                    if answered[at] and not math.isnan(values[at])
                ]
        if len(runs) > 1:  # as in trec_eval's summary, and the only thing that tells the runs apart
            lines.append(f"{'runid':<22}\tall\t{printable(scores.tag)}\n")
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
    number = f"{value:.0f}" if _is_count(measure) else f"{value:6.4f}"
    return f"{name:<22}\t{query}\t{number}\n"


def _text(scores: Scores) -> str:
    return f"{grid.plain(as_grid([scores], False))}{scores.header()}\n"


def _of_queries(scores: Scores) -> grid.Grid:
    table = as_grid([scores], True)
    return replace(table, rows=table.rows[:-1])  # the last row is over all queries


shows(Scores, View(_text, lambda scores: [as_grid([scores], False)], _of_queries))
