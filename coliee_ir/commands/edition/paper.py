"""The overview paper of an edition: one LaTeX document of all tasks, which includes a file for each table.

Tables are for papers of one column and of two: no letter is smaller than 6.5 points in LNCS, ACM's and IEEE's classes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from string import ascii_uppercase
from typing import Final

import numpy as np

from coliee_adapters.by_key import by_key
from coliee_ir.commands.edition.config import Edition
from coliee_ir.commands.edition.public import (
    Pictures,
    categories_of,
    counted_alone,
    headed,
    is_drawn,
    is_worth,
    part_of,
    titled,
)
from coliee_ir.commands.leaderboard import Leaderboard
from coliee_ir.commands.leaderboard.catalogue import Extras, candidates_of, data_of, everything
from coliee_ir.output.grid import Grid, Number, in_latex, latex, program
from coliee_ir.reading.anything import read_gold

#: the tables of a task, in the order of the paper; those of the data stand in one
_TABLES: Final = ("results", "approaches", "relevant", "crossed", "categories")

#: in points at a size of ten: a character, what stands beside a column, what fits into a column of ACM or IEEE and into
#: a page of LNCS where letters shrink to 6.5
_CHARACTER, _BESIDE, _COLUMN, _PAGE = 5.0, 12, 345, 480

#: lines of a table that fit a page, in which a cell of words has so many characters
_LINES, _WORDS = 40, 25

#: columns from which runs are called by letters
_LETTERED: Final = 10

_JAPANESE: Final = re.compile("[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")

#: its first line goes with the class; tables and figures stand where they are named, or on the next page with room
_PREAMBLE: Final = r"""\documentclass[a4paper]{article}\usepackage[margin=25mm]{geometry}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\usepackage{textcomp}\fi
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{array,booktabs,graphicx}
\usepackage[export]{adjustbox}
\makeatletter\def\fps@table{htbp}\def\fps@figure{htbp}\makeatother
\extrafloats{200}
"""


def files(boards: Sequence[Leaderboard], edition: Edition, pictures: Pictures) -> dict[str, str | bytes]:
    """Path below ``paper`` → content."""
    contents: dict[str, str | bytes] = {}
    body, data = [], []
    for board in boards:
        if not board.entries:
            continue
        prefix = _prefix(board)
        tables = {table.label.removeprefix("tab:"): table for table in _tables(board, edition)}
        data.append((board, tables.pop(f"{prefix}data")))
        texts: dict[str, str | bytes] = {
            f"{name}.tex": set_tables(headed(table)) for name, table in tables.items() if is_worth(table)
        }
        names = [*texts]
        if is_drawn() and (drawn := pictures.of(counted_alone(board), paper_figures)):
            texts |= {name: of if name.endswith(".pdf") else of.decode() for name, of in drawn.items()}
            names.append(f"{prefix}figures.tex")
        contents |= texts
        inputs = "".join(f"\\input{{{name}}}\n" for name in names)
        body.append(f"\\section*{{{in_latex(titled(board))}}}\n{inputs}")
    if data:
        contents["data.tex"] = set_tables(headed(_data_of_all_tasks(data)))
        notes = by_key(
            ((f"Task {board.called}", note) for board, _ in data for note in board.notes()), lambda one: one[1]
        )
        tasks = {note: ", ".join(task for task, _ in pairs) for note, pairs in notes.items()}
        lines = [f"{tasks[note]}: {note}" if len(notes) > 1 else note for note in notes]
        contents["note.tex"] = "".join(f"{in_latex(line)}\n\n" for line in lines)
        body.insert(0, "\\section*{Data}\n\\input{data.tex}\n\\input{note.tex}\n")
    return {"paper.tex": _document(edition.name, body, "".join(map(str, contents.values()))), **contents}


def _prefix(board: Leaderboard) -> str:
    """What the names of a task's files begin with."""
    return f"task{board.called.replace(' ', '-')}-"


def paper_figures(board: Leaderboard) -> dict[str, bytes]:
    """The figures of the questions as PDF, and what includes them."""
    from coliee_ir.commands.report import overview  # which loads altair
    from coliee_ir.commands.report.drawing import picture, svg_of

    prefix = _prefix(board)
    figures = [figure._replace(name=f"{prefix}{figure.name}") for figure in overview.overview(board)]
    pictures = {f"{figure.name}.pdf": picture(svg_of(figure), ".pdf") for figure in figures}
    return pictures | ({f"{prefix}figures.tex": overview.latex(figures).encode()} if figures else {})


def set_tables(table: Grid) -> str:
    """A table in LaTeX; what is too wide or too long to be read in one as several, over both columns where needed."""
    words = [[len(cell if isinstance(cell, str) else cell.text) for cell in row] for row in (table.header, *table.rows)]
    widths = [min(_WORDS, max(column)) * _CHARACTER + _BESIDE for column in zip(*words, strict=True)]
    names = range(max(table.n_text, 1))
    room = max(_PAGE - sum(widths[i] for i in names), 1)
    n_parts = min(max(1, math.ceil(sum(widths[len(names) :]) / room)), max(1, len(widths) - len(names)))
    n_pages = math.ceil(sum(math.ceil(max(row) / _WORDS) for row in words[1:]) / _LINES)
    parts: list[str] = []
    for columns in np.array_split(range(len(names), len(widths)), n_parts):
        for rows in np.array_split(range(len(table.rows)), max(1, n_pages)):
            shown = [*names, *columns]
            part = replace(
                table, header=[table.header[i] for i in shown], rows=[[table.rows[n][i] for i in shown] for n in rows]
            )
            parts.append(latex(replace(part, caption="Continued.", label="") if parts else part, breaks=False))
    star = "*" * (sum(widths) > _COLUMN)
    return "".join(parts).replace("{table}", f"{{table{star}}}")


def _document(title: str, body: Sequence[str], texts: str) -> str:
    """The document; its first line tells editors what compiles it."""
    compiled = program(title + texts)
    why = "% Some names have characters that pdfLaTeX does not have.\n" if compiled == "lualatex" else ""
    japanese = (
        "\\ifLuaTeX\\usepackage{luatexja}\\fi % for names in Japanese; in texlive-lang-japanese\n"
        if _JAPANESE.search(texts)
        else ""
    )
    return (
        f"% !TeX program = {compiled}\n{why}{_PREAMBLE}{japanese}"
        f"\\title{{{in_latex(title)}}}\n\\author{{}}\n\\date{{}}\n"
        f"\\begin{{document}}\n\\maketitle\n{''.join(body)}\\clearpage\n\\end{{document}}\n"
    )


def _tables(board: Leaderboard, edition: Edition) -> Iterator[Grid]:
    """The tables of a task, and its data."""
    part = part_of(board, edition)
    categories = categories_of(board, edition)
    train = data_of(read_gold(part.training, task=board.task)) if part.training else None
    candidates = math.nan
    if part.corpus:
        candidates = candidates_of(part.corpus, board.task, read_gold(part.gold, task=board.task))
    tables, _ = everything(board, Extras(categories, candidates=candidates, train=train, style=edition.style))
    yield tables["data"]
    for name in _TABLES:
        if name == "crossed" and name in tables and edition.style:
            yield from _by_number(tables[name])
        elif name == "categories" and name in tables:
            yield _lettered(tables[name], whole=bool(edition.style))
        elif name in tables:
            yield tables[name]


def _by_number(table: Grid) -> Iterator[Grid]:
    """A table for each number of relevant documents, as Tables 9 and 10 of 2021."""
    for number in dict.fromkeys(head.partition(", ")[0] for head in table.header[1:]):
        columns = [0, *(n for n, head in enumerate(table.header) if head.startswith(f"{number}, "))]
        header = [table.header[n].removeprefix(f"{number}, ") for n in columns]
        rows = [[row[n] for n in columns] for row in table.rows]
        caption = table.caption.replace("Questions by", f"Questions with {number} relevant by", 1)
        yield Grid(header, rows, caption, n_text=1, label=f"{table.label}-{number}")


def _lettered(table: Grid, *, whole: bool) -> Grid:
    """The scores by category, whose runs are called by letters where they are many, as Tables 12 and 14 of 2021."""
    fixed = 2 + (len(table.header) > 2 and table.header[2].startswith("all "))
    runs, header, caption = table.header[fixed:], list(table.header), table.caption
    if len(table.header) > _LETTERED:
        letters = [ascii_uppercase[i % 26] * (i // 26 + 1) for i in range(len(runs))]
        header[fixed:] = letters
        caption += f" {', '.join(f'{letter}: {run}' for letter, run in zip(letters, runs, strict=True))}."
    rows = table.rows
    if whole and "Percentage" in caption:
        rows = [
            [*row[:2], *(cell._replace(shown=f"{cell.value:.0f}") for cell in row[2:] if isinstance(cell, Number))]
            for row in rows
        ]
    return replace(table, header=header, rows=rows, caption=caption)


def _data_of_all_tasks(data: Sequence[tuple[Leaderboard, Grid]]) -> Grid:
    """The data of all tasks as one table (Table 2 of 2021)."""
    header = list(dict.fromkeys(head for _, table in data for head in table.header))
    rows = [
        [
            f"Task {board.called}, {row[0]}",
            *(dict(zip(table.header, row, strict=True)).get(head, "") for head in header[1:]),
        ]
        for board, table in data
        for row in table.rows
    ]
    return Grid(header, rows, "Data of the tasks.", n_text=1, label="tab:data")
