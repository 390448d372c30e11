"""What a better cutoff would give: precision and recall at every cutoff, and the best rule of each run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import altair as alt

from coliee_adapters.errors import printable
from coliee_ir.commands.evaluate.gap import gap, has_gap
from coliee_ir.commands.report.contents import FEW, Contents
from coliee_ir.commands.report.drawing import COLOURS, WIDTH, Figure, figure, rows, run_colour, run_shape
from coliee_ir.commands.tune import FAMILIES, Tuning
from coliee_ir.commands.tune.result import points
from coliee_ir.measures import Measure
from coliee_ir.measures.sets import MacroP, MacroR, Micro, MicroP, MicroR
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats.cutting import at_cutoffs, ranking_of
from coliee_ir.stats.folds import difference

#: more panels of curves than these are small, side by side
_LARGE: Final = 2

#: cutoffs at which precision and recall are told
_CUTOFFS: Final = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)


def by_cutoff(contents: Contents) -> Figure | None:
    """Precision and recall of each run when its rankings are cut; None where there is nothing to cut."""
    if not contents.board.protocol.ranked:
        return None
    scored = contents.scored[:FEW]
    longest = [_longest(scores) for scores in scored]
    if max(longest) < 2:
        return None
    is_micro = isinstance(contents.measure, Micro)
    p, r = (MicroP, MicroR) if is_micro else (MacroP, MacroR)
    names = contents.names[:FEW]
    curves, submitted = [], []
    cells: list[list[Cell]] = []
    for at, (name, scores, most) in enumerate(zip(names, scored, longest, strict=True)):
        ranked = ranking_of(scores.judged)
        at_k = [at_cutoffs(measure, ranked, most, scores.decisions).values for measure in (p(), r())]
        for k in _cutoffs(most):
            precision, recall = (float(values[k - 1]) for values in at_k)
            if not math.isnan(precision + recall):
                curves.append({"r": at, "run": name, "k": k, "precision": precision, "recall": recall})
            cells.append([name, Number(float(k), str(k)), Number(precision), Number(recall)])
        precision, recall = (m.compute(scores.judged, scores.decisions).value for m in (p(), r()))
        if not math.isnan(precision + recall):
            submitted.append({"r": at, "run": name, "precision": precision, "recall": recall})
        cells.append([name, Number(math.inf, "as submitted"), Number(precision), Number(recall)])
    x = alt.X("recall:Q", title=r().name, scale=alt.Scale(domainMin=0, nice=True), axis=alt.Axis(tickCount=6))
    y = alt.Y("precision:Q", title=p().name, scale=alt.Scale(domainMin=0, nice=True), axis=alt.Axis(tickCount=6))
    told = [
        alt.Tooltip("run:N", title="run"),
        alt.Tooltip("precision:Q", title=p().name, format=".4f"),
        alt.Tooltip("recall:Q", title=r().name, format=".4f"),
    ]
    with_k = [told[0], alt.Tooltip("k:Q", title="cutoff"), *told[1:]]
    colour = run_colour(len(names))
    base = alt.Chart(rows(curves)).encode(x=x, y=y, color=colour)
    line = base.mark_line(opacity=0.85).encode(order=alt.Order("k:Q"))
    dots = base.mark_point(size=16, shape="circle").encode(tooltip=with_k)
    marks = (
        alt.Chart(rows(submitted))
        .mark_point(size=130, filled=False, strokeWidth=2.2)
        .encode(x=x, y=y, color=colour, shape=run_shape(len(names)), tooltip=told)
    )
    layers: list[alt.Chart] = [line, dots, marks]
    if len(names) <= 5:
        layers.append(
            alt.Chart(rows([point for point in curves if point["k"] in (1, 3, 5, 10, 30, 100)]))
            .mark_text(align="left", dx=5, dy=-7, fontSize=10, color="@soft")
            .encode(x=x, y=y, text="k:N")
        )
    says = (
        f"{p().name} over {r().name} when each ranking is cut after 1, 2, 3 … documents, a line a run; a larger open "
        f"mark: the run as submitted (the official score)."
    )
    if len(contents.names) > FEW:
        says += f" Of {len(contents.names)} runs the best {FEW} are drawn."
    if len(names) > COLOURS:
        says += f" The {COLOURS} best runs have a colour; pointing at a line names the others."
    return figure(
        "cutoffs",
        "Precision and recall by cutoff",
        says,
        alt.layer(*layers).properties(width=WIDTH - 180, height=340),
        Grid(["run", "cutoff", p().name, r().name], cells, n_text=1),
        runs=names,
    )


def _longest(scores: Scores) -> int:
    return int(ranking_of(scores.judged).retrieved.max(initial=0))


def _cutoffs(most: int) -> Iterator[int]:
    """The cutoffs that change something, and the length of the longest ranking."""
    yield from (k for k in _CUTOFFS if k < most)
    if most:
        yield min(most, 10 * _CUTOFFS[-1])


def missing(contents: Contents) -> Grid | None:
    """Of what the points consist that each run misses; None for a measure of labels."""
    if not has_gap(contents.measure, contents.scored[0].judged):
        return None
    one = contents.measure
    named = zip(contents.names[:FEW], contents.scored, strict=False)
    return gap([replace(scores, tag=name, results={one: scores.results[one]}) for name, scores in named]).table


def tuned(contents: Contents) -> Figure | None:
    """The score of each run over the parameter of its best rule, of the best runs; None where no run has one."""
    runs = [
        (name, tuning)
        for name, tuning in zip(contents.names, contents.tunings, strict=False)
        if tuning is not None and any(math.isfinite(x + score) for x, score in tuning.curve)
    ]
    if not runs:
        return None
    names, tunings = zip(*runs[:COLOURS], strict=True)
    return curves(tunings, names, tunings_table(contents))._replace(name="tuning")


def tunings_table(contents: Contents) -> Grid:
    """Each run's best rule and what it gives, beside the run as submitted."""
    measure = contents.measure
    cells: list[list[Cell]] = []
    for name, scores, tuning in zip(contents.names, contents.scored, contents.tunings, strict=False):
        if tuning is not None:
            submitted = scores.results[measure].value
            cells.append(
                [
                    name,
                    str(tuning.rule),
                    Number(submitted),
                    Number(tuning.held_out, mark=_between(tuning)),
                    _gain(scores, measure, tuning),
                    Number(tuning.resubstitution),
                ]
            )
    header = ["run", "keep", "as submitted", "held out", "gain", "on these queries"]
    return Grid(header, cells, n_text=2)


def _gain(scores: Scores, measure: Measure, tuning: Tuning) -> Number:
    """The held-out score less that of the run as submitted, with its interval."""
    submitted = scores.results[measure].terms
    by_name = sorted(range(len(scores.query_ids)), key=scores.query_ids.__getitem__)  # as the tuning's terms
    gain = difference(tuning.terms, submitted._replace(each=submitted.each[by_name]), tuning.folds)
    low, high = gain.interval
    mark = "" if math.isnan(low) else f"{low:+.2f} to {high:+.2f}".replace("-", "−")
    return Number(gain.value, f"{gain.value:+.4f}".replace("-", "−"), mark=mark)


def _between(tuning: Tuning) -> str:
    low, high = tuning.interval
    return "" if math.isnan(low) else f"{low:.2f}–{high:.2f}"


def curves(tunings: Sequence[Tuning], names: Sequence[str] = (), data: Grid | None = None) -> Figure:
    """The curve of each run, over cutoffs in one panel: the score, its band, and dashed where the rule cuts."""
    measure = tunings[0].measure
    names = [printable(name) for name in names or [tuning.name for tuning in tunings]]
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
