"""Where runs differ: every pair, with the p value after correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from coliee_adapters.forms.lines import counted
from coliee_ir.commands.compare import Comparison
from coliee_ir.commands.report.contents import FEW, Contents
from coliee_ir.commands.report.drawing import Figure, figure, name_axis, rows


def _cells(comparison: Comparison, names: Sequence[str]) -> list[dict[str, Any]]:
    """What each cell of the matrix shows; a pair fills two."""
    cells = []
    for pair in comparison.pairs:
        if pair.difference is None:
            continue
        sure = comparison.significant(pair)
        for a, b, sign in ((pair.a, pair.b, 1.0), (pair.b, pair.a, -1.0)):
            cells.append(
                {
                    "r": a,
                    "o": b,
                    "run": names[a],
                    "other": names[b],
                    "difference": sign * pair.difference,
                    "size": abs(pair.difference),
                    "side": "higher" if sign * pair.difference > 0 else "lower",
                    "p": pair.p,
                    "shown": f"{sign * pair.difference:+.3f}".replace("-", "−"),
                    "sure": _p(pair.p) + (" *" if sure else ""),
                }
            )
    return cells


def differences(contents: Contents, comparison: Comparison) -> Figure:
    """The comparison as a matrix: what a run's score is above or below that of another, and whether that is sure."""
    names = contents.names
    measure = comparison.measure
    told = [
        alt.Tooltip("run:N", title="run"),
        alt.Tooltip("other:N", title="minus"),
        alt.Tooltip("difference:Q", title=f"difference of {measure}", format="+.4f"),
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
            legend=alt.Legend(title="the row's score is", orient="bottom"),
            scale=alt.Scale(domain=["higher", "lower"], range=["@run1", "@run2"]),
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
    says = (
        f"Difference of {measure}, row minus column, with p-values corrected jointly. ★ significant "
        f"({found} of {counted(len(comparison.pairs), 'pair')})."
    )
    return figure(
        "differences",
        f"Differences of {measure}",
        says,
        alt.layer(*layers).properties(width=alt.Step(width), height=alt.Step(height)),
        comparison.differences(),
        runs=names,
    )


def _p(p: float | None) -> str:
    return "" if p is None else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
