"""What a better cutoff would give: precision and recall at every cutoff, and the best rule of each run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from operator import itemgetter
from typing import Any, Final

import altair as alt

from coliee_adapters.errors import printable
from coliee_ir.commands.evaluate.gap import gap, has_gap
from coliee_ir.commands.report.contents import FEW, Contents, between
from coliee_ir.commands.report.drawing import COLOURS, WIDTH, Figure, figure, rows, run_colour, run_shape
from coliee_ir.commands.tune import FAMILIES, Tuning
from coliee_ir.commands.tune.result import points
from coliee_ir.measures import Measure
from coliee_ir.measures.sets import MacroP, MacroR, Micro, MicroP, MicroR
from coliee_ir.output.grid import Cell, Grid, Number, signed
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats.cutting import at_cutoffs, ranking_of
from coliee_ir.stats.folds import difference
from coliee_ir.stats.resampling import Interval

#: more panels of curves than these are small, side by side
_LARGE: Final = 2

#: cutoffs at which precision and recall are told
_CUTOFFS: Final = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)


def by_cutoff(contents: Contents) -> Figure | None:
    """Precision and recall of each run when its rankings are cut; None where there is nothing to cut."""
    if not contents.board.protocol.ranked:
        return None
    scored, names = contents.scored[:FEW], contents.names[:FEW]
    longest = [_longest(scores) for scores in scored]
    if max(longest) < 2:
        return None
    p, r = (MicroP(), MicroR()) if isinstance(contents.measure, Micro) else (MacroP(), MacroR())
    curves: list[dict[str, Any]] = []
    submitted: list[dict[str, Any]] = []
    for at, (name, scores, most) in enumerate(zip(names, scored, longest, strict=True)):
        ranked, choices = ranking_of(scores.judged), scores.decisions
        precisions, recalls = (at_cutoffs(measure, ranked, most, choices).values for measure in (p, r))
        curves += [
            {"r": at, "run": name, "k": k, "precision": float(precisions[k - 1]), "recall": float(recalls[k - 1])}
            for k in _cutoffs(most)
        ]
        precision, recall = (measure.compute(scores.judged, choices).value for measure in (p, r))
        submitted.append({"r": at, "run": name, "k": math.inf, "precision": precision, "recall": recall})
    columns: dict[str, Callable[[Any], Cell]] = {
        "run": lambda point: point["run"],
        "cutoff": lambda point: Number(point["k"], "as submitted" if point["k"] == math.inf else str(point["k"])),
        p.name: lambda point: Number(point["precision"]),
        r.name: lambda point: Number(point["recall"]),
    }
    data = Grid.of(sorted([*curves, *submitted], key=itemgetter("r")), columns)
    curves, submitted = ([one for one in part if not math.isnan(one["precision"] + one["recall"])]
                         for part in (curves, submitted))  # fmt: skip
    x = alt.X("recall:Q", title=r.name, scale=alt.Scale(domainMin=0, nice=True), axis=alt.Axis(tickCount=6))
    y = alt.Y("precision:Q", title=p.name, scale=alt.Scale(domainMin=0, nice=True), axis=alt.Axis(tickCount=6))
    told = [
        alt.Tooltip("run:N", title="run"),
        alt.Tooltip("precision:Q", title=p.name, format=".4f"),
        alt.Tooltip("recall:Q", title=r.name, format=".4f"),
    ]
    with_k = [told[0], alt.Tooltip("k:Q", title="cutoff"), *told[1:]]
    colour = run_colour(len(names))
    base = alt.Chart(rows(curves)).encode(x=x, y=y, color=colour)
    line = base.mark_line(opacity=0.85).encode(order=alt.Order("k:Q"))
    dots = base.mark_point(size=16, shape="circle").encode(tooltip=with_k)
    kept = [{**point, "k": None} for point in submitted]  # infinity is no JSON
    marks = (
        alt.Chart(rows(kept))
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
    which = f" Of {len(contents.names)} runs the best {FEW} are drawn." if len(contents.names) > FEW else ""
    says = f"{p.name} over {r.name}, each ranking cut after 1, 2, 3 … documents; an open mark is the run as submitted."
    chart = alt.layer(*layers).properties(width=WIDTH - 180, height=340)
    return figure("cutoffs", "Precision and recall by cutoff", says + which, chart, data, runs=names)


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
    drawn = {
        at: tuning
        for at, tuning in enumerate(contents.tunings[:COLOURS])
        if tuning is not None and any(math.isfinite(x + score) for x, score in tuning.curve)
    }
    if not drawn:
        return None
    figure = curves([*drawn.values()], contents.names, tunings_table(contents), [*drawn])
    return figure._replace(name="tuning")


def tunings_table(contents: Contents) -> Grid:
    """Each run's best rule and what it gives, beside the run as submitted."""
    by = contents.measure
    runs = [run for run in zip(contents.names, contents.scored, contents.tunings, strict=False) if run[2] is not None]
    columns: dict[str, Callable[[Any], Cell]] = {
        "run": lambda run: run[0],
        "keep": lambda run: str(run[2].rule),
        "as submitted": lambda run: Number(run[1].results[by].value),
        "held out": lambda run: Number(run[2].held_out, mark=between(run[2].interval)),
        "gain": lambda run: _gain(run[1], by, run[2]),
        "on these queries": lambda run: Number(run[2].resubstitution),
    }
    return Grid.of(runs, columns, n_text=2)


def _gain(scores: Scores, measure: Measure, tuning: Tuning) -> Number:
    """The held-out score less that of the run as submitted, with its interval."""
    submitted = scores.results[measure].terms
    by_name = sorted(range(len(scores.query_ids)), key=scores.query_ids.__getitem__)  # as the tuning's terms
    gain = difference(tuning.terms, submitted._replace(each=submitted.each[by_name]), tuning.folds)
    low, high = gain.interval
    mark = "" if math.isnan(low) else f"{signed(low, 2)} to {signed(high, 2)}"
    return Number(gain.value, signed(gain.value), mark=mark)


def curves(
    tunings: Sequence[Tuning], names: Sequence[str] = (), data: Grid | None = None, places: Sequence[int] = ()
) -> Figure:
    """The curve of each run, over cutoffs in one panel: the score, its band, and dashed where the rule cuts.

    The places are those of the runs among the names, by which they have their colours.
    """
    by, places = tunings[0].measure, places or range(len(tunings))
    names = [printable(name) for name in names or [tuning.name for tuning in tunings]]
    panels: dict[object, list[tuple[int, Tuning]]] = {}
    for at, tuning in zip(places, tunings, strict=True):
        # scores of several runs have nothing in common, cutoffs have
        panels.setdefault("k" if tuning.rule.family == "k" else at, []).append((at, tuning))
    many = len(panels) > _LARGE
    size = {"width": (WIDTH - 60) // 3 - 50, "height": 120} if many else {"width": WIDTH - 180, "height": 300}
    colour = run_colour(len(names), places)
    charts = []
    for panel, shown in panels.items():
        drawn = [point for at, tuning in shown for point in _points(at, tuning)]
        cuts = [{"r": at, "x": one.rule.threshold} for at, one in shown if math.isfinite(one.rule.threshold)]
        kept = FAMILIES[shown[0][1].rule.family].says.format(math.nan).replace("nan", "x")
        along = alt.X(
            "x:Q", title=kept, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(grid=False, tickCount=8)
        )
        up = alt.Y("score:Q", title=by, axis=alt.Axis(tickCount=6))
        told = [alt.Tooltip("x:Q", format=".4~g"), alt.Tooltip("score:Q", title=by, format=".4f")]
        base = alt.Chart(rows(drawn)).encode(x=along, color=colour)
        band = base.mark_area(opacity=0.18).encode(y=alt.Y("low:Q", title=by), y2="high:Q")
        layers = [
            *([band] if any("low" in point for point in drawn) else []),
            base.mark_line().encode(y=up),
            base.mark_point(size=40, opacity=float(panel == "k")).encode(y=up, tooltip=told),
            alt.Chart(rows(cuts)).mark_rule(strokeDash=[4, 3]).encode(x=along, color=colour),
        ]
        charts.append(alt.layer(*layers).properties(**size))
    shown_as = ", with 95% intervals" if any(tuning.curve_intervals for tuning in tunings) else ""
    says = f"{by} at each cutoff or threshold of the tuned rules{shown_as}; dashed, where the rule cuts."
    chart = alt.concat(*charts, columns=3 if many else 1)
    return figure("curve", f"{by} over the cutoff", says, chart, data or points(tunings), runs=names)


def _points(at: int, tuning: Tuning) -> Iterator[dict[str, float]]:
    """The points of a run's curve, each with its interval where it is known."""
    unknown = Interval(math.nan, math.nan)
    for (x, score), (low, high) in zip_longest(tuning.curve, tuning.curve_intervals, fillvalue=unknown):
        if math.isfinite(x + score):
            yield {"r": at, "x": x, "score": score, **({} if math.isnan(low + high) else {"low": low, "high": high})}
