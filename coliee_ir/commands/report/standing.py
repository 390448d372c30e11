"""How good is each run, and where do they differ: the scores with their intervals, and every pair of runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import altair as alt

from coliee_adapters.forms.lines import counted, plural
from coliee_ir.commands.compare import Comparison
from coliee_ir.commands.report.contents import DRAWN, FEW, Contents, between
from coliee_ir.commands.report.drawing import WIDTH, Figure, figure, name_axis, rows, run_colour
from coliee_ir.measures import Measure
from coliee_ir.output.grid import Cell, Grid, Number, signed
from coliee_ir.scoring.scores import Scores, is_count
from coliee_ir.stats.intervals import are_shares

#: so many measures are drawn side by side; the table has all
_MEASURES: Final = 3

#: the cell of a run, by its place, in a column
_Column = Callable[[int], Cell]


def scores(contents: Contents) -> Figure:
    """The scores of the first measures as dots with intervals, a panel a measure; and the ranks."""
    board, names, percent = contents.board, contents.names, contents.board.percent
    drawn = [measure for measure in board.measures if not is_count(measure)][:_MEASURES]
    columns: dict[str, _Column] = {"run": names.__getitem__}
    panels: dict[str, list[dict[str, Any]]] = {}
    for measure in drawn:
        ends = contents.intervals[measure]
        values = [_value(run, measure) for run in contents.scored]
        columns |= {
            measure.name: lambda at, values=values: Number(values[at]),  # type: ignore[misc]
            f"{measure.name} low {percent}": lambda at, ends=ends: Number(ends[at].low),  # type: ignore[misc]
            f"{measure.name} high {percent}": lambda at, ends=ends: Number(ends[at].high),  # type: ignore[misc]
        }
        panels[measure.name] = [
            {"r": at, "run": names[at], "score": value, **({} if math.isnan(ends[at].low) else ends[at]._asdict())}
            for at, value in enumerate(values[:DRAWN])
            if not math.isnan(value)
        ]
    columns |= {
        f"best rank {percent}": lambda at: Number(board.entries[at].ranks.best or math.nan),
        f"worst rank {percent}": lambda at: Number(board.entries[at].ranks.worst or math.nan),
    }
    ranked = [
        {"r": at, "run": names[at], "score": entry.place, "low": entry.ranks.best, "high": entry.ranks.worst}
        for at, entry in enumerate(board.entries[:DRAWN])
        if entry.place
    ]
    if len(ranked) > 1:
        panels["rank"] = ranked
    width = (WIDTH - 110) // len(panels) - 20
    chart = alt.hconcat(
        *(_panel(contents, name, points, width, is_first=not at) for at, (name, points) in enumerate(panels.items())),
        spacing=24,
    )
    which = f"The best {DRAWN} of {len(names)} runs: a" if len(names) > DRAWN else "A"
    ranks = " and at the right the ranks that it may have" if len(ranked) > 1 else ""
    says = f"{which} dot is a run's score, a line its interval{','[: len(ranks)]}{ranks}."
    data = Grid.of(range(len(names)), columns)
    return figure("scores", f"Scores with {percent} intervals", says, chart, data, runs=names[:DRAWN])


def _panel(
    contents: Contents, name: str, points: list[dict[str, Any]], width: int, *, is_first: bool
) -> alt.LayerChart | alt.FacetChart:
    is_rank, percent = name == "rank", contents.board.percent
    form = ".0f" if is_rank else ".4f"
    y = alt.Y("r:O", title=None, axis=name_axis() if is_first else None)
    told = [
        alt.Tooltip("run:N", title="run"),
        alt.Tooltip("score:Q", title=name, format=form),
        alt.Tooltip("low:Q", title=f"low {percent}", format=form),
        alt.Tooltip("high:Q", title=f"high {percent}", format=form),
    ]
    # a rank is a whole number
    axis = alt.Axis(tickMinStep=1, format="d", tickCount=5) if is_rank else alt.Axis(tickCount=3, labelFlush=False)
    scale = alt.Scale(zero=False, nice=not is_rank, padding=8)
    drawn = alt.Chart(rows(points))
    interval = drawn.mark_rule(strokeWidth=2, color="@soft").encode(
        x=alt.X("low:Q", title=name), x2="high:Q", y=y, tooltip=told
    )
    colour = run_colour(len(contents.names[:DRAWN]), ())
    dot = drawn.mark_point(size=75).encode(
        x=alt.X("score:Q", title=name, scale=scale, axis=axis), y=y, color=colour, tooltip=told
    )
    known = any("low" in point for point in points)  # a scale of no number is an error
    return alt.layer(*([interval] if known else []), dot).properties(width=width, height=alt.Step(26))


def table(contents: Contents) -> Grid:
    """Every score with its interval, and what was answered."""
    board, runs, several = contents.board, contents.scored, len(contents.names) > 1
    columns: dict[str, _Column] = {"run": contents.names.__getitem__}
    if several:
        columns[f"rank {board.percent}"] = lambda at: str(board.entries[at].ranks)
    for measure in board.measures:
        columns[measure.name] = _scores_of(contents, measure, is_bold=several and not is_count(measure))
    columns["answered"] = lambda at: _whole(runs[at].queries["answered"])
    for name in ("correct", "retrieved", "relevant") if contents.has_documents else ():
        columns[name] = lambda at, name=name: _whole(runs[at].counts[name])  # type: ignore[misc]
    kinds = {"Wilson's" if are_shares(board.results(measure)) else "jackknife t" for measure in board.measures}
    of_which = "of shares of queries Wilson's, of the others jackknife t" if len(kinds) > 1 else kinds.pop()
    caption = f"Scores; small, their {board.percent} intervals for similar {plural(board.unit)}: {of_which}"
    return Grid.of(range(len(runs)), columns, caption, 1 + several)


def _scores_of(contents: Contents, measure: Measure, *, is_bold: bool) -> _Column:
    """The cells of a measure: each score with its interval, the best bold."""
    values = [_value(run, measure) for run in contents.scored]
    best = f"{measure.best(values):.4f}"

    def cell(at: int) -> Number:
        value = values[at]
        shown = f"{value:.0f}" if is_count(measure) and not math.isnan(value) else ""
        is_best = is_bold and f"{value:.4f}" == best
        return Number(value, shown, bold=is_best, mark=between(contents.intervals[measure][at]))

    return cell


def _whole(n: int) -> Number:
    return Number(float(n), f"{n:,}")


def _value(run: Scores, measure: Measure) -> float:
    return run.results[measure].value if measure in run.results else math.nan


def differences(contents: Contents, comparison: Comparison) -> Figure:
    """The comparison as a matrix: what a run's score is above or below that of another, and whether that is sure."""
    names = contents.names
    told = [
        alt.Tooltip("run:N", title="run"),
        alt.Tooltip("other:N", title="minus"),
        alt.Tooltip("difference:Q", title=f"difference of {comparison.measure}", format="+.4f"),
        alt.Tooltip("p:Q", title="p", format=".4f"),
    ]
    above = name_axis(orient="top", labelAngle=0 if len(names) <= 6 else -45)
    x = alt.X("o:O", title="minus", axis=above)
    y = alt.Y("r:O", title=None, axis=name_axis())
    drawn = alt.Chart(rows(_cells(comparison, names))).encode(x=x, y=y, tooltip=told)
    legible = len(names) <= FEW
    fills = drawn.mark_rect(stroke="@line", strokeWidth=1).encode(
        color=alt.Color(
            "side:N",
            legend=alt.Legend(title="the row's run is", orient="bottom", values=["better", "worse"]),
            # not the colours of runs
            scale=alt.Scale(domain=["better", "equal", "worse"], range=["@good", "@sheet", "@bad"]),
        ),
        opacity=alt.Opacity("size:Q", legend=None, scale=alt.Scale(domainMin=0, range=[0.04, 0.5])),
    )
    layers = [fills]
    if legible:
        layers += [
            drawn.mark_text(dy=-6, fontSize=12).encode(text="shown:N"),
            drawn.mark_text(dy=8, fontSize=10, color="@soft").encode(text="sure:N"),
        ]
    width, height = (max(min(640 // max(len(names), 1), 104), 50), 38) if legible else (14, 14)
    found = sum(comparison.significant(pair) for pair in comparison.pairs)
    pairs = counted(len(comparison.pairs), "pair")
    says = f"The row's run minus the column's, with p values; a star marks what is significant, {found} of {pairs}."
    chart = alt.layer(*layers).properties(width=alt.Step(width), height=alt.Step(height))
    title = f"Differences of {comparison.measure}"
    return figure("differences", title, says, chart, comparison.differences(), runs=names)


def _cells(comparison: Comparison, names: list[str]) -> list[dict[str, Any]]:
    """What each cell of the matrix shows; a pair fills two."""
    cells = []
    for pair in comparison.pairs:
        if pair.difference is None:
            continue
        p = "" if pair.p is None else "p < 0.001" if pair.p < 0.001 else f"p = {pair.p:.3f}"
        sure = p + " *" * comparison.significant(pair)
        sides = ["better", "worse"] if comparison.is_better(pair) else ["worse", "better"]
        if not round(pair.difference, 3):
            sides = ["equal", "equal"]
        for a, b, sign, side in zip((pair.a, pair.b), (pair.b, pair.a), (1.0, -1.0), sides, strict=True):
            difference = sign * pair.difference
            cells.append({
                "r": a, "o": b, "run": names[a], "other": names[b], "difference": difference,
                "size": abs(difference), "side": side, "p": pair.p, "sure": sure,
                "shown": signed(difference, 3),
            })  # fmt: skip
    return cells
