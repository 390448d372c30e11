"""The leaderboard as text: for people, for papers, for programs; on standard output, or a file for each table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from coliee_adapters.errors import UsageError, printable
from coliee_adapters.files import made_folder, written
from coliee_adapters.remarks import told_of
from coliee_ir.commands.leaderboard import webpage
from coliee_ir.commands.leaderboard.board import Board
from coliee_ir.commands.leaderboard.catalogue import TABLES, Extras, build, everything, records
from coliee_ir.output import grid
from coliee_ir.output.envelope import dumped, numbers, preamble
from coliee_ir.output.grid import Grid


def as_text(table: Grid) -> str:
    """A table and what it shows."""
    return f"{grid.plain(table)}{printable(table.caption)}\n"


#: form → how several tables are written in it, one under the other
_SHOWN: Final[Mapping[str, Callable[[Grid], str]]] = {
    "table": as_text,
    "markdown": grid.markdown,
    "latex": grid.latex,
}

#: forms that ``-o`` takes
FORMS: Final = (*grid.FORMS, "json", "html")

_JAPANESE: Final = re.compile("[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]")

#: form → the ending of a file of it
_ENDINGS: Final = {"table": ".txt", "markdown": ".md", "latex": ".tex", "csv": ".csv", "tsv": ".tsv"}


def render(board: Board, form: str, names: Sequence[str], extras: Extras) -> str:
    """Tables in one of ``FORMS``; JSON and HTML hold all of them, whatever is named. Ends in a newline."""
    if form == "json":
        return dumped(contents(board, extras))
    if form == "html":
        return webpage.page(board, everything(board, extras)[0], hide_gold=extras.hide_gold)
    tables = [build(board, name, extras) for name in names]
    if form in _SHOWN:
        return "\n".join(map(_SHOWN[form], tables))
    if len(tables) > 1:
        problem = f"{form} holds one table: name one, or write each to a file with --tables DIR"
        raise UsageError("option-needed", problem)
    return grid.FORMS[form](tables[0])


def contents(board: Board, extras: Extras) -> dict[str, Any]:
    """The leaderboard as JSON: the runs, what is not ranked, and every table that the task has."""
    tables, _ = everything(board, extras)
    decisions = board.ranked[0].scores.decisions.to_dict() if board.ranked else None
    return {
        **preamble(board.task, board.edition, board.gold, decisions, board.excluded),
        "measure": board.ranking.name,
        "tie_break": list(board.protocol.tie_break),
        "judged": len(board.queries),
        "trials": board.resampling.n_resamples,
        "seed": board.resampling.seed,
        "level": board.resampling.confidence_level,
        **({"groups": board.groups} if board.groups else {}),
        "runs": [
            {
                "place": entry.place or None,
                "ranks": list(entry.ranks) if entry.ranks.best else None,
                "own_ranks": list(entry.own_ranks) if entry.ranks.best else None,
                "may_be_best": entry.may_be_best,
                "team": entry.team or None,
                **entry.scores.to_dict(),
                "interval": numbers(entry.interval),
            }
            for entry in board.entries
        ],
        "invalid": [{**one._asdict(), "files": list(one.files), "kind": one.reason.kind} for one in board.invalid],
        **told_of(board.remarks),
        "tables": {name: records(grid) for name, grid in tables.items()},
    }


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
            stream.write(_SHOWN[form](table) if form in _SHOWN else grid.FORMS[form](table))
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
