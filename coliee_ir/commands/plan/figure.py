"""A plan drawn: how often a difference is found, a curve for each number of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import altair as alt

from coliee_adapters.files.source import PathLike
from coliee_ir.commands.report.drawing import COLOURS, WIDTH, Figure, figure, rows
from coliee_ir.commands.report.paper import write_figures
from coliee_ir.output.grid import Grid, Number

#: what the figure, and its files, are called
NAME: Final = "power"

#: a difference, and how often it is found
_Curve = Sequence[tuple[float, float]]


def power_curves(measure: str, curves: Mapping[int, _Curve], power: float) -> Figure:
    """The power over the true difference."""
    numbers = list(curves)
    points = [
        {"n": at, "queries": number, "difference": difference, "power": share}
        for at, (number, curve) in enumerate(curves.items())
        for difference, share in curve
    ]
    roles = [f"@run{at}" if at <= COLOURS else "@other" for at in range(1, len(numbers) + 1)]
    legend = alt.Legend(title="queries", labelExpr="sizes[datum.value]")
    colour = alt.Color("n:N", legend=legend, scale=alt.Scale(domain=list(range(len(numbers))), range=roles))
    x = alt.X("difference:Q", title=f"true difference of {measure}", scale=alt.Scale(nice=False))
    y = alt.Y("power:Q", title="found", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=5))
    lines = alt.Chart(rows(points)).mark_line().encode(x=x, y=y, color=colour, detail="n:N")
    asked = alt.Chart(rows([{"power": power}])).mark_rule(strokeDash=[4, 3], color="@soft").encode(y=y)
    says = (
        f"How often a true difference of {measure} is found, on average over pairs of runs, with "
        f"{', '.join(map(str, numbers))} queries; dashed, {power:.0%}."
    )
    cells = [
        [Number(point["queries"], str(point["queries"])), Number(point["difference"]), Number(point["power"])]
        for point in points
    ]
    return figure(
        NAME,
        f"Power of a comparison of {measure}",
        says,
        alt.layer(asked, lines).properties(width=WIDTH - 180, height=340),
        Grid(["queries", f"difference of {measure}", "found"], cells, n_text=0),
        sizes=[str(number) for number in numbers],
    )


def write_curves(measure: str, curves: Mapping[int, _Curve], power: float, folder: PathLike) -> list[Path]:
    """Write the figure: see ``Plan.write_figures``."""
    return write_figures([power_curves(measure, curves, power)], folder)
