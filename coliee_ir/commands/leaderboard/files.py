"""What a leaderboard is written to: a file for each table, web pages, a paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from coliee_adapters.files.writing import made_folder, written
from coliee_ir.commands.leaderboard import webpage
from coliee_ir.commands.leaderboard.board import Board
from coliee_ir.commands.leaderboard.catalogue import TABLES, Extras, everything
from coliee_ir.output import grid
from coliee_ir.output.shown import with_caption

_JAPANESE: Final = re.compile("[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")

#: form → the ending of a file of it
_ENDINGS: Final = {"table": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "tsv": ".tsv"}


def paths(folder: Path, form: str) -> list[Path]:
    """The files that ``write_all`` may write."""
    return [folder / f"{name}{_ENDINGS[form]}" for name in TABLES]


def write_all(board: Board, folder: Path, form: str, extras: Extras) -> tuple[list[str], dict[str, str]]:
    """Write every table to a file of its own; the files, and of tables that there are not, why."""
    made_folder(folder)
    tables, missing = everything(board, extras)
    files = []
    for name, table in tables.items():
        path = folder / f"{name}{_ENDINGS[form]}"
        with written(path) as stream:
            stream.write(with_caption(table) if form == "table" else grid.FORMS[form](table))
        files.append(str(path))
    return files, missing


def write_pages(board: Board, folder: Path, extras: Extras, reports: Mapping[str, str] | None = None) -> list[str]:
    """Write the results page of the task, one page a team, and the page of all tasks in the folder; the files."""
    tables, _ = everything(board, extras)
    return webpage.write(webpage.pages(board, tables, reports, hide_gold=extras.hide_gold), folder)


def paper(board: Board, tables: Sequence[str], *, figures: bool) -> str:
    """A LaTeX document that includes all tables, and the figures, which lie beside it."""
    title = grid.in_latex(board.protocol.titled(board.edition))
    inputs = "".join(f"\\input{{{Path(file).name}}}\n\\clearpage\n" for file in tables)
    has_japanese = any(_JAPANESE.search(Path(file).read_text("utf-8")) for file in tables)
    return (
        "\\documentclass[a4paper]{article}\n"
        "\\usepackage{iftex}\n"
        "\\ifPDFTeX\\usepackage[T1]{fontenc}\\usepackage{textcomp}\\fi\n"
        + ("\\ifLuaTeX\\usepackage{luatexja}\\fi % for names in Japanese\n" if has_japanese else "")
        + "\\IfFileExists{lmodern.sty}{\\usepackage{lmodern}}{}\n"
        "\\usepackage{booktabs,adjustbox,longtable,graphicx}\n"
        f"\\title{{{title}}}\n\\author{{}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n{inputs}"
        + ("\\input{overview.tex}\n" if figures else "")
        + "\\end{document}\n"
    )
