"""The figures of an overview paper: each question's means over all runs, a figure a kind of question; and LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import altair as alt

from coliee_adapters.errors import printable
from coliee_ir.commands.leaderboard import Leaderboard
from coliee_ir.commands.leaderboard.catalogue import FIGURES, hardest_first, means_of
from coliee_ir.commands.report.drawing import Figure, figure, number_label, rows, unchecked
from coliee_ir.output.grid import Grid, Number, in_latex

#: of more questions no figures are drawn; a table has them
_MOST_DRAWN: Final = 120
#: questions whose ids can be read side by side on a page of a paper; more are dealt to several figures
_SIDE_BY_SIDE: Final = 58
#: in pixels: of the figure, of a question at most, of a measure
_WIDTH: Final = 620
#: what stands at the left of a figure
_BESIDE: Final = 70
_WIDE, _HEIGHT = 20, 52
#: in points: a pixel in print, and a column of ACM
_POINT, _COLUMN = 0.7, 240


def overview(board: Leaderboard) -> list[Figure]:
    """A figure for each kind of question that there is; several where the ids of all could not be read in one."""
    if len(board.queries) > _MOST_DRAWN:
        return []
    table = board.table("questions")
    with unchecked():
        return [
            figure
            for kind, (name, what) in FIGURES.items()
            if any(row[1] == kind for row in table.rows)
            for figure in _of_kind(board, table, kind, name, what)
        ]


def latex(figures: list[Figure]) -> str:
    """Figures of LaTeX that include the PDF files beside them; over both columns where one is too narrow."""
    first = "% \\usepackage[export]{adjustbox}; where this file lies in a folder: \\graphicspath{{folder/}}\n"
    return first + "\n".join(map(_latex, figures))


def _latex(figure: Figure) -> str:
    # of few questions, it is not blown up
    width = _POINT * (figure.chart["spec"]["width"]["step"] * len(figure.data.rows) + _BESIDE)
    kind = "figure" + "*" * (width > _COLUMN)
    picture = f"\\includegraphics[width={width:.0f}pt,max width=\\linewidth]{{{figure.name}.pdf}}"
    return (
        f"\\begin{{{kind}}}\n\\centering\n{picture}\n"
        f"\\caption{{{in_latex(figure.says)}}}\n\\label{{fig:{figure.name}}}\n\\end{{{kind}}}\n"
    )


def _of_kind(board: Leaderboard, table: Grid, kind: str, name: str, kind_in_words: str) -> list[Figure]:
    first = len(table.header) - len(board.measures)
    questions, measures = hardest_first(table, kind, first), table.header[first:]
    parts = math.ceil(len(questions) / _SIDE_BY_SIDE)
    size = math.ceil(len(questions) / parts)
    means = means_of(len(board.counted), measures, len(questions), kind_in_words)
    note = table.caption.partition(". ")[2] if "easy" in kind or "other" in kind else ""
    figures = []
    for i in range(parts):
        part = replace(table, rows=questions[i * size : (i + 1) * size])
        of_parts = f", part {i + 1} of {parts}" if parts > 1 else ""
        figures.append(
            _figure(
                f"{name}-{i + 1}" if i else name,
                f"{kind_in_words[0].upper()}{kind_in_words[1:]}{of_parts}",
                f"{means}, hardest first{of_parts}. {note}".strip(),
                part,
                measures,
            )
        )
    return figures


def _figure(name: str, title: str, says: str, part: Grid, measures: Sequence[str]) -> Figure:
    names = [printable(str(row[0])) for row in part.rows]
    points = [
        {"q": i, "question": name, "measure": measure, "mean": round(cell.value, 4)}
        for i, (name, row) in enumerate(zip(names, part.rows, strict=True))
        for measure, cell in zip(measures, row[-len(measures) :], strict=True)
        if isinstance(cell, Number) and math.isfinite(cell.value)
    ]
    step = min(_WIDE, _WIDTH // max(len(names), 1))
    y = alt.Y("mean:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(values=[0, 0.5, 1], format=".1f"))
    base = alt.Chart().encode(
        x=alt.X(
            "q:O",
            title=None,
            axis=alt.Axis(
                labelAngle=-90,
                grid=False,
                ticks=False,
                labelFontSize=min(step, 11),
                labelOverlap=False,
                labelExpr=number_label("questions"),
            ),
        ),
        tooltip=[alt.Tooltip("question:N"), alt.Tooltip("measure:N"), alt.Tooltip("mean:Q", format=".4f")],
    )
    stems = base.mark_rule(color="@other").encode(y=y)
    dots = base.mark_point(size=26, color="@run1").encode(y=y)
    return figure(
        name,
        title,
        says,
        alt.layer(stems, dots, data=rows(points))
        .properties(width=alt.Step(step), height=_HEIGHT)
        .facet(
            row=alt.Row(
                "measure:N",
                sort=[*measures],
                header=alt.Header(labelAngle=0, labelAlign="left", labelOrient="left", labelPadding=6, title=None),
                title=None,
            ),
            spacing=16,
        ),
        part,
        questions=names,
    )
