"""The figures and tables of a report: how good each run is, which queries are hard, and where points are lost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import altair as alt
import numpy as np

from coliee_adapters.errors import printable
from coliee_adapters.forms.lines import counted, plural
from coliee_ir.commands.compare import Comparison
from coliee_ir.commands.evaluate.details import gap, has_gap
from coliee_ir.commands.leaderboard import Categories
from coliee_ir.commands.report.contents import DRAWN, FEW, ORDERS, Contents, between
from coliee_ir.commands.report.drawing import COLOURS, WIDTH, Figure, figure, name_axis, rows, run_colour, run_shape
from coliee_ir.commands.tune import FAMILIES, Tuning
from coliee_ir.measures import Measure
from coliee_ir.measures.sets import MacroP, MacroR, Micro, MicroP, MicroR
from coliee_ir.output.grid import Cell, Grid, Number, distinct, signed, signed_end, whole
from coliee_ir.scoring.scores import Scores, is_count
from coliee_ir.stats.cutting import at_cutoffs, ranking_of
from coliee_ir.stats.intervals import are_shares
from coliee_ir.stats.resampling import NEAR, Difference

#: how many ranks an axis names at most
_RANK_TICKS: Final = 5

#: so many measures are drawn side by side; the table has all
_MEASURES: Final = 3

#: the cell of a run, by its place, in a column
_Column = Callable[[int], Cell]


def scores(contents: Contents) -> Figure:
    """The scores of the first measures as dots with intervals, a panel a measure; and the ranks."""
    board, names, percent = contents.board, contents.names, contents.board.percent
    drawn = ([measure for measure in board.measures if not is_count(measure)] or board.measures)[:_MEASURES]
    ranks = f"best rank {percent}", f"worst rank {percent}"
    columns: dict[str, _Column] = {"run": names.__getitem__}
    panels: dict[str, list[dict[str, Any]]] = {}
    for title, measure in zip(distinct(map(str, drawn), ["run", "rank", *ranks]), drawn, strict=True):
        values, ends = [_value(run, measure) for run in contents.scored], contents.intervals[measure]
        columns |= {
            title: lambda place, values=values: Number(values[place]),  # type: ignore[misc]
            f"{title} low {percent}": lambda place, ends=ends: Number(ends[place].low),  # type: ignore[misc]
            f"{title} high {percent}": lambda place, ends=ends: Number(ends[place].high),  # type: ignore[misc]
        }
        panels[title] = [
            {"r": i, "run": names[i], "score": value, **({} if math.isnan(ends[i].low) else ends[i]._asdict())}
            for i, value in enumerate(values[:DRAWN])
            if not math.isnan(value)
        ]
    for i, heading in enumerate(ranks):
        columns[heading] = lambda place, i=i: Number(board.entries[place].ranks[i] or math.nan)  # type: ignore[misc]
    ranked = [
        {"r": place, "run": names[place], "score": entry.place, "low": entry.ranks.best, "high": entry.ranks.worst}
        for place, entry in enumerate(board.entries[:DRAWN])
        if entry.place
    ]
    if len(ranked) > 1:  # beside the measure that ranks, where a phone shows it
        panels = {**dict([next(iter(panels.items()))]), "rank": ranked, **panels}
    width = (WIDTH - 110) // len(panels) - 20
    best_alone = f"The best {DRAWN} of {len(names)} runs: a" if len(names) > DRAWN else "A"
    or_ranks = ", or the ranks that it may have" if len(ranked) > 1 else ""
    return figure(
        "scores",
        f"Scores with {percent} intervals",
        f"{best_alone} dot is a run's score, a line its interval{or_ranks}.",
        alt.hconcat(
            *(
                _panel(contents, name, points, width, is_first=not place)
                for place, (name, points) in enumerate(panels.items())
            ),
            spacing=24,
        ),
        Grid.of(range(len(names)), columns),
        runs=names[:DRAWN],
    )


def _panel(
    contents: Contents, name: str, points: list[dict[str, Any]], width: int, *, is_first: bool
) -> alt.LayerChart | alt.FacetChart:
    is_rank, percent = name == "rank", contents.board.percent
    form = ".0f" if is_rank else ".4f"
    y = alt.Y("r:O", title=None, axis=name_axis() if is_first else None)
    tooltips = [
        alt.Tooltip("run:N", title="run"),
        alt.Tooltip("score:Q", title=name, format=form),
        alt.Tooltip("low:Q", title=f"low {percent}", format=form),
        alt.Tooltip("high:Q", title=f"high {percent}", format=form),
    ]
    axis = alt.Axis(tickCount=3, labelFlush=False)
    if is_rank:  # which is a whole number: ticks that a scale chooses are halves, too
        last = max(point["high"] for point in points)
        axis = alt.Axis(values=[*range(1, last + 1, -(-last // _RANK_TICKS))], format="d")
    scale = alt.Scale(zero=False, nice=not is_rank, padding=8)
    drawn = alt.Chart(rows(points))
    interval = drawn.mark_rule(strokeWidth=2, color="@soft").encode(
        x=alt.X("low:Q", title=name), x2="high:Q", y=y, tooltip=tooltips
    )
    dot = drawn.mark_point(size=75).encode(
        x=alt.X("score:Q", title=name, scale=scale, axis=axis),
        y=y,
        color=run_colour(len(contents.names[:DRAWN]), ()),
        tooltip=tooltips,
    )
    has_intervals = any("low" in point for point in points)  # a scale of no number is an error
    return alt.layer(*([interval] if has_intervals else []), dot).properties(width=width, height=alt.Step(26))


def table(contents: Contents) -> Grid:
    """Every score with its interval, and what was answered."""
    board, runs, several = contents.board, contents.scored, len(contents.names) > 1
    columns: dict[str, _Column] = {"run": contents.names.__getitem__}
    if several:
        columns[f"rank {board.percent}"] = lambda i: str(board.entries[i].ranks)
    counts = ("correct", "retrieved", "relevant") if contents.has_documents else ()
    titles = distinct(map(str, board.measures), [*columns, "answered", *counts])
    for title, measure in zip(titles, board.measures, strict=True):
        columns[title] = _scores_of(contents, measure, is_bold=several and not is_count(measure))
    columns["answered"] = lambda i: whole(runs[i].queries["answered"])
    for name in counts:
        columns[name] = lambda i, name=name: whole(runs[i].counts[name])  # type: ignore[misc]
    kinds = {"Wilson's" if are_shares(board.results(measure)) else "jackknife t" for measure in board.measures}
    of_which = "Wilson's of shares of queries, jackknife t of the others" if len(kinds) > 1 else kinds.pop()
    return Grid.of(
        range(len(runs)),
        columns,
        f"Scores with {board.percent} intervals ({of_which}), for similar {plural(board.unit)}",
        1 + several,
    )


def _scores_of(contents: Contents, measure: Measure, *, is_bold: bool) -> _Column:
    """The cells of a measure: each score with its interval, the best bold."""
    values = [_value(run, measure) for run in contents.scored]
    best = f"{measure.best(values):.4f}"

    def cell(place: int) -> Number:
        value = values[place]
        return Number(
            value,
            f"{value:.0f}" if is_count(measure) and not math.isnan(value) else "",
            bold=is_bold and f"{value:.4f}" == best,
            mark=between(contents.intervals[measure][place]),
        )

    return cell


def _value(run: Scores, measure: Measure) -> float:
    return run.results[measure].value if measure in run.results else math.nan


def differences(contents: Contents, comparison: Comparison) -> Figure:
    """The comparison as a matrix: what a run's score is above or below that of another, and whether that is sure."""
    names = contents.names
    drawn = alt.Chart(rows(_pairs(comparison, names))).encode(
        x=alt.X("o:O", title="minus", axis=name_axis(orient="top", labelAngle=0 if len(names) <= 6 else -45)),
        y=alt.Y("r:O", title=None, axis=name_axis()),
        tooltip=[
            alt.Tooltip("run:N", title="run"),
            alt.Tooltip("other:N", title="minus"),
            alt.Tooltip("difference:Q", title=f"difference of {comparison.measure}", format="+.4f"),
            alt.Tooltip("p:Q", title="p", format=".4f"),
        ],
    )
    legible = len(names) <= FEW
    fills = drawn.mark_rect(stroke="@line", strokeWidth=1).encode(
        color=alt.Color(
            "side:N",
            legend=alt.Legend(title="the row's score is", orient="bottom", values=["better", "worse"]),
            # not the colours of runs
            scale=alt.Scale(domain=["better", "equal", "worse"], range=["@good", "@sheet", "@bad"]),
        ),
        opacity=alt.Opacity("size:Q", legend=None, scale=alt.Scale(domainMin=0, range=[0.04, 0.5])),
    )
    layers = [fills]
    if legible:
        layers += [
            drawn.mark_text(dy=-6, fontSize=12).encode(text="shown:N"),
            drawn.mark_text(dy=8, fontSize=10).encode(text="sure:N"),
        ]
    width, height = (max(min(640 // max(len(names), 1), 96), 50), 38) if legible else (14, 14)
    n_clear = sum(comparison.significant(pair) for pair in comparison.pairs)
    pairs = counted(len(comparison.pairs), "pair")
    return figure(
        "differences",
        f"Differences of {comparison.measure}",
        f"The row's run minus the column's, with p values; a star marks what is significant, {n_clear} of {pairs}.",
        alt.layer(*layers).properties(width=alt.Step(width), height=alt.Step(height)),
        comparison.differences(),
        runs=names,
    )


def _pairs(comparison: Comparison, names: list[str]) -> list[dict[str, Any]]:
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


def _measured(contents: Contents) -> list[str]:
    """The names of the runs that the measure was computed for, of many those that are drawn."""
    runs = zip(contents.names, contents.scored, strict=True)
    return [name for name, scores in runs if contents.measure in scores.results][:DRAWN]


def heat_map(contents: Contents) -> Figure:
    """Every query and run as a cell; its orders can be chosen."""
    hard, names = contents.hardness, _measured(contents)
    measure, board = contents.measure.name, contents.board
    of_query = [
        {"q": i, "query": printable(query), "mean": round(float(hard.mean[i]), 4)}
        | {name: place[i] for name, place in hard.places().items()}
        | ({} if board.relevant is None else {"relevant": int(board.relevant[i])})
        for i, query in enumerate(board.queries)
        if not math.isnan(hard.mean[i])
    ]
    of_run = [{"r": r, "run": run} for r, run in enumerate(names)]
    cells = [
        {"q": q, "r": r, "s": round(value, 4)}
        for r, values in enumerate(hard.values[: len(names)].tolist())
        for q, value in enumerate(values)
        if not math.isnan(value)
    ]
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
                title=counted(len(of_query), board.unit),
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
    means = hard.mean[~np.isnan(hard.mean)]
    none, full = (means <= NEAR).sum(), (means >= 1 - NEAR).sum()
    says = f"A column is a {board.unit}, in the order chosen above, and a row a run.{best}"
    if not hard.lower_is_better and ends == [0, 1]:
        perfect = f"; every run scores 1 on {full}" * bool(full)
        says += f" No run scores anything on {none} of {len(means)} {plural(board.unit)}{perfect}."
    return figure("queries", f"{measure} of every query", says, chart, queries_table(contents), runs=names)


def queries_table(contents: Contents) -> Grid:
    """Every query with its mean over runs, its spread and the values of few runs, hardest first."""
    hard, values = contents.hardness, contents.hardness.values
    relevant = contents.board.relevant if contents.has_documents else None
    means = {"mean": hard.mean, "spread": hard.spread} if len(values) > 1 else {}
    of_runs = dict(zip(_measured(contents) if len(values) <= FEW else (), values, strict=False))
    columns: dict[str, Callable[[int], Cell]] = {
        "query": contents.board.queries.__getitem__,
        **({} if relevant is None else {"relevant": lambda i: whole(int(relevant[i]))}),
    }
    names = distinct([*means, *of_runs], columns)
    for name, column in zip(names, [*means.values(), *of_runs.values()], strict=True):
        columns[name] = lambda i, column=column: Number(float(column[i]))  # type: ignore[misc]
    return Grid.of(hard.order("hardest"), columns)


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
    return figure(
        "categories",
        f"{measure} by category",
        f"{table.caption} {len(table.rows) - 1} categories; in brackets their queries.",
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
        .properties(width=WIDTH - 200, height=alt.Step(24)),
        table.part(range(skipped + len(names)), header=[*table.header[:skipped], *names]),
        runs=names,
        categories=order,
    )


#: more panels of curves than these are small, side by side
_LARGE: Final = 2

#: cutoffs at which precision and recall are told
_CUTOFFS: Final = (*range(1, 11), 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000)


def by_cutoff(contents: Contents) -> Figure | None:
    """Precision and recall of each run when its rankings are cut; None where there is nothing to cut."""
    if not contents.board.protocol.ranked:
        return None
    scored, names = contents.scored[:FEW], contents.names[:FEW]
    longest = [int(ranking_of(scores.judged).retrieved.max(initial=0)) for scores in scored]
    if max(longest) < 2:
        return None
    p, r = (MicroP(), MicroR()) if isinstance(contents.measure, Micro) else (MacroP(), MacroR())
    points: list[dict[str, Any]] = []  # of a run as submitted k is None
    for i, (name, scores, most) in enumerate(zip(names, scored, longest, strict=True)):
        ranked, decisions = ranking_of(scores.judged), scores.decisions
        precisions, recalls = (at_cutoffs(measure, ranked, most, decisions).values for measure in (p, r))
        values = {k: (precisions[k - 1], recalls[k - 1]) for k in (*(k for k in _CUTOFFS if k < most), most) if k}
        as_submitted = tuple(measure.compute(scores.judged, decisions).value for measure in (p, r))
        points += [
            {"r": i, "run": name, "k": k, "precision": float(precision), "recall": float(recall)}
            for k, (precision, recall) in {**values, None: as_submitted}.items()
        ]
    columns: dict[str, Callable[[Any], Cell]] = {
        "run": lambda point: point["run"],
        "cutoff": lambda point: whole(point["k"]) if point["k"] else Number(math.inf, "as submitted"),
        p.name: lambda point: Number(point["precision"]),
        r.name: lambda point: Number(point["recall"]),
    }
    data = Grid.of(points, columns)
    drawn = [point for point in points if not math.isnan(point["precision"] + point["recall"])]
    curves, submitted = ([point for point in drawn if (point["k"] is None) == is_whole] for is_whole in (False, True))
    x = alt.X("recall:Q", title=r.name, scale=alt.Scale(domainMin=0, nice=True), axis=alt.Axis(tickCount=6))
    y = alt.Y("precision:Q", title=p.name, scale=alt.Scale(domainMin=0, nice=True), axis=alt.Axis(tickCount=6))
    tooltips = [
        alt.Tooltip("run:N", title="run"),
        alt.Tooltip("precision:Q", title=p.name, format=".4f"),
        alt.Tooltip("recall:Q", title=r.name, format=".4f"),
    ]
    with_k = [tooltips[0], alt.Tooltip("k:Q", title="cutoff"), *tooltips[1:]]
    colour = run_colour(len(names))
    base = alt.Chart(rows(curves)).encode(x=x, y=y, color=colour)
    line = base.mark_line(opacity=0.85).encode(order=alt.Order("k:Q"))
    dots = base.mark_point(size=16, shape="circle").encode(tooltip=with_k)
    marks = (
        alt.Chart(rows(submitted))
        .mark_point(size=130, filled=False, strokeWidth=2.2)
        .encode(x=x, y=y, color=colour, shape=run_shape(len(names)), tooltip=tooltips)
    )
    layers: list[alt.Chart] = [line, dots, marks]
    if len(names) <= 5:
        layers.append(
            alt.Chart(rows([point for point in curves if point["k"] in (1, 3, 5, 10, 30, 100)]))
            .mark_text(align="left", dx=5, dy=-7, fontSize=10, color="@soft")
            .encode(x=x, y=y, text="k:N")
        )
    of_many = f" Of {len(contents.names)} runs the best {FEW} are drawn." if len(contents.names) > FEW else ""
    says = f"{p.name} over {r.name}, each ranking cut after 1, 2, 3 … documents; an open mark is the run as submitted."
    return figure(
        "cutoffs",
        "Precision and recall by cutoff",
        says + of_many,
        alt.layer(*layers).properties(width=WIDTH - 180, height=340),
        data,
        runs=names,
    )


def missing(contents: Contents) -> Grid | None:
    """Of what the points consist that each run misses; None for a measure of labels."""
    if not has_gap(contents.measure, contents.scored[0].judged):
        return None
    measure = contents.measure
    named = zip(contents.names[:FEW], contents.scored, strict=False)
    return gap([replace(scores, tag=name, results={measure: scores.results[measure]}) for name, scores in named]).table


def tuned(contents: Contents) -> Figure | None:
    """The score of each run over the parameter of its best rule, of the best runs; None where no run has one."""
    panels: dict[object, list[tuple[int, Tuning, list[dict[str, float]]]]] = {}
    for run, tuning in enumerate(contents.tunings[:COLOURS]):
        points = [] if tuning is None else _points(run, tuning)
        if tuning is not None and points:
            # scores of several runs have nothing in common, cutoffs have
            panels.setdefault("k" if tuning.rule.family == "k" else run, []).append((run, tuning, points))
    if not panels:
        return None
    measure, names, many = contents.measure.name, contents.names, len(panels) > _LARGE
    size = {"width": (WIDTH - 60) // 3 - 50, "height": 120} if many else {"width": WIDTH - 180, "height": 300}
    colour = run_colour(len(names), sorted(run for panel in panels.values() for run, *_ in panel))
    charts = []
    for panel, runs in panels.items():
        rules = [(run, tuning.rule) for run, tuning, _ in runs]
        cuts = [{"r": run, "x": rule.threshold} for run, rule in rules if math.isfinite(rule.threshold)]
        axis = alt.Axis(grid=False, tickCount=8, tickMinStep=1 if panel == "k" else 0)  # cutoffs are whole numbers
        along = alt.X(
            "x:Q",
            title=FAMILIES[rules[0][1].family].says.format(math.nan).replace("nan", "x"),
            scale=alt.Scale(zero=False, nice=False),
            axis=axis,
        )
        up = alt.Y("score:Q", title=measure, axis=alt.Axis(tickCount=6))
        base = alt.Chart(rows([point for *_, points in runs for point in points])).encode(x=along, color=colour)
        layers = [
            base.mark_line().encode(y=up),
            base.mark_point(size=40, opacity=float(panel == "k")).encode(
                y=up, tooltip=[alt.Tooltip("x:Q", format=".4~g"), alt.Tooltip("score:Q", title=measure, format=".4f")]
            ),
            alt.Chart(rows(cuts)).mark_rule(strokeDash=[4, 3]).encode(x=along, color=colour),
        ]
        charts.append(alt.layer(*layers).properties(**size))
    return figure(
        "tuning",
        f"{measure} over the cutoff",
        f"{measure} at each cutoff or threshold of the tuned rules; dashed lines show where the rules cut.",
        alt.concat(*charts, columns=3 if many else 1),
        tunings_table(contents),
        runs=names,
    )


def _points(run: int, tuning: Tuning) -> list[dict[str, float]]:
    """The points of a run's curve."""
    return [{"r": run, "x": x, "score": score} for x, score in tuning.curve if math.isfinite(x + score)]


def tunings_table(contents: Contents) -> Grid:
    """Each run's best rule and what it gives, beside the run as submitted."""
    measure = contents.measure
    runs = [run for run in zip(contents.names, contents.scored, contents.tunings, strict=False) if run[2] is not None]
    columns: dict[str, Callable[[Any], Cell]] = {
        "run": lambda run: run[0],
        "keep": lambda run: str(run[2].rule),
        "as submitted": lambda run: Number(run[1].results[measure].value),
        "held out": lambda run: Number(run[2].held_out, mark=between(run[2].interval)),
        "gain": lambda run: _gain(run[2].gain),
        "on these queries": lambda run: Number(run[2].resubstitution),
    }
    return Grid.of(runs, columns, n_text=2)


def _gain(gain: Difference) -> Number:
    """The held-out score less that of the run as submitted, with its interval."""
    low, high = gain.interval
    return Number(
        gain.value, signed(gain.value), mark="" if math.isnan(low) else f"{signed_end(low, 2)} to {signed_end(high, 2)}"
    )
