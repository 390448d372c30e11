"""The score at each cutoff or threshold of tuned rules, drawn, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from coliee_ir.commands.report.drawing import WIDTH, Figure, figure, label, rows, run_colour
from coliee_ir.commands.tune import FAMILIES, Tuning
from coliee_ir.commands.tune.result import points
from coliee_ir.output.grid import Grid

#: more panels than these are small, side by side
_LARGE = 2


def curves(tunings: Sequence[Tuning], names: Sequence[str] = (), data: Grid | None = None) -> Figure:
    """The curve of each run, over cutoffs in one panel: the score, its band, and dashed where the rule cuts."""
    measure = tunings[0].measure
    names = [label(name) for name in names or [tuning.tag for tuning in tunings]]
    # scores of several runs have nothing in common, cutoffs have
    of_panel = [tuning.rule.family if tuning.rule.family == "k" else at for at, tuning in enumerate(tunings)]
    kinds = list(dict.fromkeys(of_panel))
    many = len(kinds) > _LARGE
    size = {"width": (WIDTH - 60) // 3 - 50, "height": 120} if many else {"width": WIDTH - 180, "height": 300}
    panels = []
    for panel in kinds:
        shown = [(at, tuning) for at, tuning in enumerate(tunings) if of_panel[at] == panel]
        drawn, chosen = [], []
        for at, tuning in shown:
            chosen.append({"r": at, "x": tuning.rule.threshold})
            intervals = tuning.curve_intervals or [(math.nan, math.nan)] * len(tuning.curve)
            for (x, score), (low, high) in zip(tuning.curve, intervals, strict=True):
                if math.isfinite(x + score):
                    known = {} if math.isnan(low + high) else {"low": low, "high": high}
                    drawn.append({"r": at, "x": x, "score": score, **known})
        kept = FAMILIES[shown[0][1].rule.family].says.format(math.nan).replace("nan", "x")
        along = alt.X(
            "x:Q", title=kept, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(grid=False, tickCount=8)
        )
        up = alt.Y("score:Q", title=measure, axis=alt.Axis(tickCount=6))
        told = [alt.Tooltip("x:Q", format=".4~g"), alt.Tooltip("score:Q", title=measure, format=".4f")]
        base = alt.Chart(rows(drawn)).encode(x=along, color=run_colour(len(names)))
        at_rule = alt.Chart(rows([one for one in chosen if math.isfinite(one["x"])]))
        band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=measure), y2="high:Q")
        layers = [
            *([band] if any("low" in one for one in drawn) else []),
            base.mark_line().encode(y=up),
            base.mark_point(size=40, opacity=float(panel == "k")).encode(y=up, tooltip=told),
            at_rule.mark_rule(strokeDash=[4, 3]).encode(x=along, color=run_colour(len(names))),
        ]
        panels.append(alt.layer(*layers).properties(**size))
    shown_as = ", with 95% intervals" if any(tuning.curve_intervals for tuning in tunings) else ""
    says = f"{measure} at each cutoff or threshold of the tuned rules{shown_as}; dashed, where the rule cuts."
    chart = alt.concat(*panels, columns=3 if many else 1)
    return figure("curve", f"{measure} over the cutoff", says, chart, data or points(tunings), runs=names)
