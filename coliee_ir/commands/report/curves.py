"""The score at each cutoff or threshold of tuned rules, drawn, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt

from coliee_ir.commands.report.drawing import WIDTH, Figure, figure, label, rows, run_colour
from coliee_ir.commands.tune import FAMILIES, Tuning
from coliee_ir.commands.tune.result import points


def curves(tunings: Sequence[Tuning]) -> Figure:
    """The curve of each run, over cutoffs in one panel: the score, its band, and dashed where the rule cuts."""
    measure = tunings[0].measure
    names = [label(tuning.tag) for tuning in tunings]
    panels = []
    # scores of several runs have nothing in common, cutoffs have
    of_panel = [tuning.rule.family if tuning.rule.family == "k" else at for at, tuning in enumerate(tunings)]
    for panel in dict.fromkeys(of_panel):
        shown = [(at, tuning) for at, tuning in enumerate(tunings) if of_panel[at] == panel]
        drawn, chosen = [], []
        for at, tuning in shown:
            chosen.append({"r": at, "x": tuning.rule.threshold})
            for (x, score), (low, high) in zip(tuning.curve, tuning.curve_intervals, strict=True):
                if math.isfinite(x + score):
                    known = {} if math.isnan(low + high) else {"low": low, "high": high}
                    drawn.append({"r": at, "x": x, "score": score, **known})
        kept = FAMILIES[shown[0][1].rule.family].says.format(math.nan).replace("nan", "x")
        along = alt.X(
            "x:Q", title=kept, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(grid=False, tickCount=8)
        )
        base = alt.Chart(rows(drawn)).encode(x=along, color=run_colour(len(names)))
        at_rule = alt.Chart(rows([one for one in chosen if math.isfinite(one["x"])]))
        layers = [
            base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=measure), y2="high:Q"),
            base.mark_line(point=panel == "k").encode(y=alt.Y("score:Q", axis=alt.Axis(tickCount=6))),
            at_rule.mark_rule(strokeDash=[4, 3]).encode(x=along, color=run_colour(len(names))),
        ]
        panels.append(alt.layer(*layers).properties(width=WIDTH - 180, height=300))
    says = f"{measure} at each cutoff or threshold of the tuned rules, with 95% intervals; dashed, where the rule cuts."
    return figure("curve", f"{measure} over the cutoff", says, alt.vconcat(*panels), points(tunings), runs=names)
