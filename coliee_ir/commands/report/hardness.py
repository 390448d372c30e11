"""Which queries are hard, and why: every query and run, categories."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import altair as alt
import numpy as np

from coliee_adapters.errors import printable
from coliee_adapters.forms.lines import counted, plural
from coliee_ir.commands.leaderboard import Categories
from coliee_ir.commands.report.contents import DRAWN, FEW, Contents
from coliee_ir.commands.report.drawing import WIDTH, Figure, figure, name_axis, rows, run_colour, run_shape
from coliee_ir.judging.judged import FloatArray
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.stats.resampling import NEAR

#: orders of queries: name → what is first
ORDERS: Final = {"hardest": "hardest first", "differing": "most different first", "given": "as in the gold"}


class Hardness(NamedTuple):
    """How hard the queries are."""

    values: FloatArray  # shape (runs, Q); the measure of each run and query, NaN for one left out
    mean: FloatArray  # shape (Q,); over runs
    spread: FloatArray  # shape (Q,); greatest minus least
    lower_is_better: bool = False

    def order(self, name: str) -> list[int]:
        """The queries in one of ``ORDERS``."""
        n = len(self.mean)
        if name == "given":
            return list(range(n))
        mean = -self.mean if self.lower_is_better else self.mean
        key, other = (mean, -self.spread) if name == "hardest" else (-self.spread, mean)
        first, second = key.tolist(), other.tolist()
        return sorted(range(n), key=lambda at: (_last(first[at]), _last(second[at]), at))

    def places(self) -> dict[str, list[int]]:
        """For each of ``ORDERS`` the place of every query."""
        return {name: np.argsort(self.order(name)).tolist() for name in ORDERS}


def _last(value: float) -> float:
    """A key that puts what is not known last; rounded, so that equal means are equal."""
    return math.inf if math.isnan(value) else round(value, 9)


def hardness(contents: Contents) -> Hardness:
    """How hard the queries are for the runs."""
    values = np.array([result.per_query for result in contents.board.results(contents.measure)], dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of no values there is no mean
        mean, spread = np.nanmean(values, axis=0), np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    return Hardness(values, mean, spread, contents.measure.lower_is_better)


def _measured(contents: Contents) -> list[str]:
    """The names of the runs that the measure was computed for, of many those that are drawn."""
    runs = zip(contents.names, contents.scored, strict=True)
    return [name for name, scores in runs if contents.measure in scores.results][:DRAWN]


def _cells(contents: Contents, hard: Hardness, names: Sequence[str]) -> tuple[list[dict[str, Any]], ...]:
    """The scores, the queries with their places in each order, and the runs."""
    places = hard.places()
    of_query: list[dict[str, Any]] = [
        {
            "q": at,
            "query": printable(query),
            "mean": round(float(hard.mean[at]), 4),
            **{name: place[at] for name, place in places.items()},
            **({} if contents.board.relevant is None else {"relevant": int(contents.board.relevant[at])}),
        }
        for at, query in enumerate(contents.board.queries)
        if not math.isnan(hard.mean[at])
    ]
    of_run: list[dict[str, Any]] = [{"r": at, "run": name} for at, name in enumerate(names)]
    cells: list[dict[str, Any]] = [
        {"q": q, "r": r, "s": round(value, 4)}
        for r, values in enumerate(hard.values[: len(names)].tolist())
        for q, value in enumerate(values)
        if not math.isnan(value)
    ]
    return cells, of_query, of_run


def heat_map(contents: Contents) -> Figure:
    """Every query and run as a cell; its orders can be chosen."""
    hard = hardness(contents)
    names = _measured(contents)
    cells, of_query, of_run = _cells(contents, hard, names)
    measure = contents.measure.name
    fields = [name for name in ("query", "relevant", "mean", *ORDERS) if of_query and name in of_query[0]]
    height = max(12, min(30, 300 // max(len(names), 1)))
    best = f" Of {len(hard.values)} runs the best {DRAWN} are drawn." if len(hard.values) > len(names) else ""
    least, greatest = float(np.nanmin(hard.values, initial=0)), float(np.nanmax(hard.values, initial=1))
    ends = [0, 1] if (least, greatest) == (0, 1) else [least, greatest]
    chart = (
        alt.Chart(rows(cells))
        .mark_rect()
        .transform_lookup("q", alt.LookupData(data=rows(of_query), key="q", fields=fields))
        .transform_lookup("r", alt.LookupData(data=rows(of_run), key="r", fields=["run"]))
        .transform_calculate(place="datum[order]")
        .encode(
            x=alt.X(
                "place:O",
                title=counted(len(of_query), contents.board.unit),
                axis=alt.Axis(labels=False, ticks=False, grid=False),
                scale=alt.Scale(paddingInner=0.08 if len(of_query) <= 80 else 0, paddingOuter=0),
            ),
            y=alt.Y("r:O", title=None, axis=name_axis(), scale=alt.Scale(paddingInner=0.1)),
            color=alt.Color(
                "s:Q",
                title=measure,
                scale=alt.Scale(domain=ends, reverse=hard.lower_is_better),
                legend=alt.Legend(gradientLength=160, gradientThickness=9, tickCount=3, titleOrient="left", offset=8),
            ),
            tooltip=[
                alt.Tooltip("query:N", title="query"),
                alt.Tooltip("run:N", title="run"),
                alt.Tooltip("s:Q", title=measure, format=".4f"),
                *([alt.Tooltip("relevant:Q", title="relevant")] if "relevant" in fields else []),
                alt.Tooltip("mean:Q", title="mean of runs", format=".4f"),
            ],
        )
        .properties(width=WIDTH - 100, height=alt.Step(height))
        .add_params(alt.param(name="order", value="hardest"))
    )  # fmt: skip
    known = hard.mean[~np.isnan(hard.mean)]
    none, full = (known <= NEAR).sum(), (known >= 1 - NEAR).sum()
    unit, units = contents.board.unit, plural(contents.board.unit)
    says = f"{measure} of every {unit} (columns) and run (rows), in the order chosen above.{best}"
    if not hard.lower_is_better and ends == [0, 1]:
        says += f" No run scores anything on {none} of {len(known)} {units}; every run scores 1 on {full}."
    return figure("queries", f"{measure} of every query", says, chart, queries_table(contents), runs=names)


def queries_table(contents: Contents) -> Grid:
    """Every query with its mean over runs, its spread and the values of few runs, hardest first."""
    hard = hardness(contents)
    relevant = contents.board.relevant if contents.has_documents else None
    several, measured = len(hard.values) > 1, _measured(contents) if len(hard.values) <= FEW else []
    cells: list[list[Cell]] = [
        [
            contents.board.queries[at],
            *([] if relevant is None else [Number(float(relevant[at]), str(int(relevant[at])))]),
            *([Number(float(hard.mean[at])), Number(float(hard.spread[at]))] if several else []),
            *(Number(float(value)) for value in hard.values[: len(measured), at]),
        ]
        for at in hard.order("hardest")
    ]
    header = ["query", *([] if relevant is None else ["relevant"]), *(["mean", "spread"] if several else [])]
    return Grid([*header, *measured], cells, n_text=1)


def by_category(contents: Contents, categories: Categories) -> Figure:
    """The score of each run on the queries of each category."""
    table = contents.board.table("categories", categories=categories)
    skipped = len(table.header) - len(contents.names)
    names = contents.names[:FEW]
    order = [f"{printable(str(row[0]))} ({getattr(row[1], 'text', row[1])})" for row in table.rows]
    points = [
        {"c": c, "r": r, "category": order[c], "run": names[r], "score": value.value}
        for c, row in enumerate(table.rows)
        for r, value in enumerate(row[skipped : skipped + FEW])
        if isinstance(value, Number) and not math.isnan(value.value)
    ]
    measure = contents.measure.name
    percent = measure == "Accuracy"
    chart = (
        alt.Chart(rows(points))
        .mark_point(size=70, opacity=0.9)
        .encode(
            x=alt.X(
                "score:Q",
                title=f"{measure}, %" if percent else measure,
                scale=alt.Scale(zero=False, nice=True),
                axis=alt.Axis(tickCount=6),
            ),
            y=alt.Y("c:O", title=None, axis=name_axis("categories")),
            color=run_colour(len(names)),
            shape=run_shape(len(names)),
            tooltip=[
                alt.Tooltip("category:N", title="category"),
                alt.Tooltip("run:N", title="run"),
                alt.Tooltip("score:Q", title=measure, format=".1f" if percent else ".4f"),
            ],
        )
        .properties(width=WIDTH - 200, height=alt.Step(24))
    )
    return figure(
        "categories",
        f"{measure} by category",
        f"{table.caption} {len(table.rows) - 1} categories; in brackets their queries.",
        chart,
        Grid([*table.header[:skipped], *names], [row[: skipped + FEW] for row in table.rows], n_text=1),
        runs=names,
        categories=order,
    )
