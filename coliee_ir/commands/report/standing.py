"""How good is each run, and how sure is that: its scores with intervals."""

from __future__ import annotations

import math
from typing import Any, Final

import altair as alt

from coliee_adapters.forms.lines import plural
from coliee_ir.commands.report.contents import DRAWN, Contents
from coliee_ir.commands.report.drawing import WIDTH, Figure, figure, name_axis, rows
from coliee_ir.measures import Measure
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.scoring.scores import Scores, is_count
from coliee_ir.stats.intervals import are_shares

#: so many measures are drawn side by side; the table has all
_MEASURES: Final = 3


def scores(contents: Contents) -> Figure:
    """The scores of the first measures as dots with intervals, a panel a measure."""
    drawn = [measure for measure in contents.board.measures if not is_count(measure)][:_MEASURES]
    names = contents.names
    percent = f"{100 * contents.board.resampling.confidence_level:g}%"
    points: list[dict[str, Any]] = []
    cells: list[list[Cell]] = []
    for at, (name, run) in enumerate(zip(names, contents.scored, strict=True)):
        row: list[Cell] = [name]
        for measure in drawn:
            value = _value(run, measure)
            low, high = contents.intervals[measure][at]
            row += [Number(value), Number(low), Number(high)]
            if at < DRAWN and not math.isnan(value):
                known = {} if math.isnan(low) else {"low": low, "high": high}
                points.append({"r": at, "run": name, "measure": measure.name, "score": value, **known})
        ranks = contents.board.entries[at].ranks
        cells.append([*row, Number(ranks.best or math.nan), Number(ranks.worst or math.nan)])
    header = ["run", *(name for m in drawn for name in (m.name, f"{m.name} low {percent}", f"{m.name} high {percent}"))]
    header += [f"best rank {percent}", f"worst rank {percent}"]
    width = (WIDTH - 110) // (len(drawn) + (len(names) > 1)) - 20
    panels = [
        _panel([point for point in points if point["measure"] == measure.name], measure.name, percent, at == 0, width)
        for at, measure in enumerate(drawn)
    ]
    standing = [
        {"r": at, "run": name, "score": entry.place, "low": entry.ranks.best, "high": entry.ranks.worst}
        for at, (name, entry) in enumerate(zip(names, contents.board.entries, strict=True))
        if entry.place and at < DRAWN
    ]
    if len(standing) > 1:
        panels.append(_panel(standing, "rank", percent, not panels, width, decimals=0))
    return figure(
        "scores",
        f"Scores with {percent} intervals",
        _said(contents, percent),
        alt.hconcat(*panels, spacing=24),
        Grid(header, cells, n_text=1),
        runs=names[:DRAWN],
    )


def _panel(
    points: list[dict[str, Any]], name: str, percent: str, is_first: bool, width: int, decimals: int = 4
) -> alt.LayerChart | alt.FacetChart:
    axis = name_axis() if is_first else None
    y = alt.Y("r:O", title=None, axis=axis)
    told = [
        alt.Tooltip("run:N", title="run"),
        alt.Tooltip("score:Q", title=name, format=f".{decimals}f"),
        alt.Tooltip("low:Q", title=f"low {percent}", format=f".{decimals}f"),
        alt.Tooltip("high:Q", title=f"high {percent}", format=f".{decimals}f"),
    ]
    drawn = alt.Chart(rows(points))
    x = alt.X("score:Q", title=name, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(tickCount=5))
    interval = drawn.mark_rule(strokeWidth=2, color="@soft").encode(
        x=alt.X("low:Q", title=name), x2="high:Q", y=y, tooltip=told
    )
    dot = drawn.mark_point(size=75, color="@run1").encode(x=x, y=y, tooltip=told)
    known = any("low" in point for point in points)  # a scale of no number is an error
    return alt.layer(*([interval] if known else []), dot).properties(width=width, height=alt.Step(26))


def _said(contents: Contents, percent: str) -> str:
    measure = contents.measure
    told = []
    for at, (name, run) in enumerate(zip(contents.names, contents.scored, strict=True)):
        if measure in run.results and at < 3:
            low, high = contents.intervals[measure][at]
            between = "" if math.isnan(low) else f" ({low:.4f} to {high:.4f})"
            told.append(f"{name} {run.results[measure].value:.4f}{between}")
    n = len(contents.names)
    which = f"The first of {n} runs: " if n > 3 else ""
    which = f"The best {DRAWN} of {n} runs are drawn. {which}" if n > DRAWN else which
    best = contents.board.best
    ranks = f" Ranks: those that the runs may have, all at once; {best}." if best else ""
    return f"{measure} of each run with its {percent} interval. {which}{'; '.join(told)}.{ranks}"


def table(contents: Contents) -> Grid:
    """Every score with its interval, and what was answered."""
    percent = f"{100 * contents.board.resampling.confidence_level:g}%"
    measures = contents.board.measures
    best = {measure: measure.best(_value(run, measure) for run in contents.scored) for measure in measures}
    several = len(contents.names) > 1
    cells: list[list[Cell]] = []
    for at, (name, run) in enumerate(zip(contents.names, contents.scored, strict=True)):
        row: list[Cell] = [name, *([str(contents.board.entries[at].ranks)] if several else [])]
        for measure in measures:
            value = _value(run, measure)
            low, high = contents.intervals[measure][at]
            shown = f"{value:.0f}" if is_count(measure) and not math.isnan(value) else ""
            bold = several and f"{value:.4f}" == f"{best[measure]:.4f}" and not is_count(measure)
            row.append(Number(value, shown, bold=bold, mark="" if math.isnan(low) else f"{low:.2f}–{high:.2f}"))
        counted = [run.counts[name] for name in ("correct", "retrieved", "relevant")] if contents.has_documents else []
        row += [Number(float(n), f"{n:,}") for n in (run.queries["answered"], *counted)]
        cells.append(row)
    ranks = [f"rank {percent}"] if several else []
    header = ["run", *ranks, *(measure.name for measure in measures), "answered"]
    header += ["correct", "retrieved", "relevant"] if contents.has_documents else []
    return Grid(header, cells, _caption(contents, percent), n_text=1 + several)


def _caption(contents: Contents, percent: str) -> str:
    board = contents.board
    kinds = {"Wilson's" if are_shares(board.results(measure)) else "jackknife t" for measure in board.measures}
    of_which = "of shares of queries Wilson's, of the others jackknife t" if len(kinds) > 1 else kinds.pop()
    return f"Scores; small, their {percent} intervals for other {plural(board.unit)} of the same kind: {of_which}"


def _value(run: Scores, measure: Measure) -> float:
    return run.results[measure].value if measure in run.results else math.nan
