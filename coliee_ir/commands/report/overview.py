"""The figures of an overview paper: each question's means over all runs, a figure a kind of question; and LaTeX."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import altair as alt

from coliee_adapters.files import PathLike, made_folder, written
from coliee_ir.commands.leaderboard import EASY, Leaderboard
from coliee_ir.commands.report import paper
from coliee_ir.commands.report.drawing import Figure, figure, label, rows, unchecked
from coliee_ir.commands.report.paper import write_figures
from coliee_ir.output.grid import Grid, Number, in_latex

#: kind, as the table of questions names it → name of the figure, what is in it
_KINDS: Final = {
    "one, easy": ("single-easy", "easy questions with one relevant document"),
    "one, other": ("single-other", "other questions with one relevant document"),
    "several": ("several", "questions with several relevant documents"),
    "easy": ("easy", "easy questions"),
    "other": ("other", "other questions"),
}
#: in pixels: of the figure, of a question, of a measure; and below what width of a question its id cannot be read
_WIDTH: Final = 620
#: what stands at the left of a figure
_BESIDE: Final = 70
_NARROW, _WIDE, _LEGIBLE, _HEIGHT = 3, 20, 7, 52


def overview(board: Leaderboard, easy: float = EASY) -> list[Figure]:
    """A figure for each kind of question that there is."""
    table = board.table("questions", easy=easy)
    with unchecked():
        return [
            _of_kind(board, table, kind, name, what)
            for kind, (name, what) in _KINDS.items()
            if any(row[1] == kind for row in table.rows)
        ]


def paths(folder: PathLike) -> list[Path]:
    """The files that ``write_overview`` may write."""
    return [*paper.paths((name for name, _ in _KINDS.values()), folder), Path(folder, "overview.tex")]


def write_overview(board: Leaderboard, folder: PathLike, easy: float = EASY) -> list[Path]:
    """Write the figures, and ``overview.tex``, which includes them.

    Raises:
        InputError: the folder cannot be written.
    """
    figures = overview(board, easy)
    place = made_folder(folder)
    files = [*write_figures(figures, place), place / "overview.tex"]
    with written(files[-1]) as stream:
        stream.write(latex(figures))
    return files


def latex(figures: list[Figure]) -> str:
    """Figures of LaTeX that include the PDF files beside them."""
    blocks = (
        f"\\begin{{figure}}\n\\centering\n\\includegraphics[width={_share(one):.2f}\\linewidth]{{{one.name}.pdf}}\n"
        f"\\caption{{{in_latex(one.says)}}}\n\\label{{fig:{one.name}}}\n\\end{{figure}}\n"
        for one in figures
    )
    return "% \\usepackage{graphicx}; where this file lies in a folder: \\graphicspath{{folder/}}\n" + "\n".join(blocks)


def _share(figure: Figure) -> float:
    """How much of a line a figure takes, so that those with few questions are not blown up."""
    width = figure.chart["spec"]["width"]["step"] * len(figure.data.rows)
    return float(min(1.0, (width + _BESIDE) / (_WIDTH + _BESIDE)))


def _of_kind(board: Leaderboard, table: Grid, kind: str, name: str, what: str) -> Figure:
    kept = [row for row in table.rows if row[1] == kind]
    first = len(table.header) - len(board.measures)
    measures = [str(column) for column in table.header[first:]]
    kept = sorted(kept, key=lambda row: _value(row[first]))
    names = [label(str(row[0])) for row in kept]
    points = [
        {"q": at, "question": name, "measure": measure, "mean": round(_value(cell), 4)}
        for at, (name, row) in enumerate(zip(names, kept, strict=True))
        for measure, cell in zip(measures, row[first:], strict=True)
        if math.isfinite(_value(cell))
    ]
    step = max(_NARROW, min(_WIDE, _WIDTH // max(len(names), 1)))
    legible = step >= _LEGIBLE
    axis = alt.Axis(
        labels=legible, labelAngle=-90, grid=False, ticks=False, labelFontSize=min(step, 9), labelOverlap=False
    )
    x = alt.X("q:O", title=None if legible else f"{len(names)} questions", axis=axis)
    y = alt.Y("mean:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(values=[0, 0.5, 1], format=".1f"))
    told = [alt.Tooltip("question:N"), alt.Tooltip("measure:N"), alt.Tooltip("mean:Q", format=".4f")]
    base = alt.Chart().encode(x=x, tooltip=told)
    stems = base.mark_rule(color="@other").encode(y=y)
    dots = base.mark_point(size=26, color="@run1").encode(y=y)
    heads = alt.Header(labelAngle=0, labelAlign="left", labelOrient="left", labelPadding=6, title=None)
    chart = (
        alt.layer(stems, dots, data=rows(points))
        .properties(width=alt.Step(step), height=_HEIGHT)
        .facet(row=alt.Row("measure:N", sort=measures, header=heads, title=None), spacing=16)
    )
    cells = [[label(cell) if isinstance(cell, str) else cell for cell in row] for row in kept]
    said = f"Means over {len(board.entries)} runs of {', '.join(measures)} for each of the {len(kept)} {what}"
    note = table.caption.partition(". ")[2] if "easy" in kind or "other" in kind else ""
    return figure(
        name,
        f"{what[0].upper()}{what[1:]}",
        f"{said}, hardest first. {note}".strip(),
        chart,
        Grid(table.header, cells, n_text=2),
        questions=names,
    )


def _value(cell: object) -> float:
    return cell.value if isinstance(cell, Number) else math.nan
