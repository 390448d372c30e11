"""The results pages: every table of a task, one page a team, and one of a whole edition that leads to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Final

from coliee_adapters.files.writing import made_folder, written
from coliee_ir.commands.leaderboard.board import Board
from coliee_ir.commands.leaderboard.catalogue import TABLES
from coliee_ir.output import webpage
from coliee_ir.output.grid import Grid, Number, html
from coliee_ir.output.webpage import Section, file_name

#: the tables that name relevant documents, or what the answer to a single question is worth
_OF_GOLD: Final = ("questions", "official")

#: the tables that may be too wide for a page, and what their columns are
_CORNERS: Final = {"categories": "run", "crossed": "questions"}

#: columns that stand side by side on a page
_SIDE_BY_SIDE: Final = 14

#: column → text of a cell → where it leads
_Links = Mapping[str, Mapping[str, str]]

_TASK_PAGE: Final = re.compile(r"task-[a-z0-9]+\.html")


def task_page(task: str) -> str:
    """The name of a task's page."""
    return f"task-{re.sub('[^a-z0-9]', '', task.lower())}.html"


def pages(
    board: Board, tables: Mapping[str, Grid], reports: Mapping[str, str] | None = None, *, hide_gold: bool = False
) -> dict[str, str]:
    """The results page of a task, which leads to a page for each team."""
    teams = list(dict.fromkeys(entry.team for entry in board.entries if entry.team))
    links = {"team": {team: file_name("task", board.task, "team", team) for team in teams}, "run": reports or {}}
    home = '<p><a href="index.html">All tasks</a></p>'
    made = {task_page(board.task): page(board, tables, links, above=home, hide_gold=hide_gold)}
    back = f'<p><a href="{task_page(board.task)}">All runs</a></p>'
    for team in teams:
        tags = {entry.tag for entry in board.entries if entry.team == team}
        own = {name: _of_team(grid, team, tags) for name, grid in tables.items() if "run" in grid.header}
        made[links["team"][team]] = page(board, own, {"run": reports or {}}, above=back, team=team, hide_gold=hide_gold)
    return made


def page(
    board: Board,
    tables: Mapping[str, Grid],
    links: _Links | None = None,
    *,
    above: str = "",
    team: str = "",
    hide_gold: bool = False,
) -> str:
    """One page."""
    title = board.protocol.titled(board.edition) + (f", {team}" if team else "")
    if hide_gold and "invalid" in tables:  # whose reasons name ids of the gold
        tables = {**tables, "invalid": _without(tables["invalid"], "reason")}
    tables = {name: _upright(grid, _CORNERS[name]) if name in _CORNERS else grid for name, grid in tables.items()}
    sections = [
        Section(name, _heading(name), html(grid, _heading(name), links))
        for name, grid in tables.items()
        if grid.rows and not (hide_gold and name in _OF_GOLD) and not (team and name == "invalid")
    ]
    return webpage.page(title, sections, above)


def _heading(name: str) -> str:
    """What a table shows, without what it needs."""
    shows = TABLES[name].shows.partition("; needs ")[0]
    return shows[0].upper() + shows[1:]


def write(made: Mapping[str, str], folder: Path) -> list[str]:
    """Write the pages of a task, and ``index.html`` with the ranking of every task whose page is there; the files."""
    made_folder(folder)
    names = sorted({*made, *(path.name for path in folder.iterdir() if _TASK_PAGE.fullmatch(path.name))})
    texts = {name: made[name] if name in made else (folder / name).read_text("utf-8", "replace") for name in names}
    index = edition({name: text for name, text in texts.items() if _TASK_PAGE.fullmatch(name)}.items())
    files = []
    for name, text in {**made, "index.html": index}.items():
        with written(folder / name) as stream:
            stream.write(text)
        files.append(str(folder / name))
    return files


def edition(tasks: Iterable[tuple[str, str]]) -> str:
    """One page of several tasks."""
    sections, titles = [], []
    for file, text in tasks:
        title = re.search(r"<title>(COLIEE[ 0-9]*), (Task [^<]*)</title>", text)
        ranking = re.search(r'<section id="ranking"><h2>[^<]*</h2>\n(.*?)</section>', text, re.DOTALL)
        if title is None or ranking is None:
            continue
        name = file.removesuffix(".html")
        titles.append(title[1])
        body = re.sub('aria-label="[^"]*"><table', f'aria-label="ranking, {name}"><table', ranking[1])
        sections.append(Section(name, unescape(title[2]), f'<p><a href="{file}">All tables</a></p>\n{body}'))
    return webpage.page(titles[0] if len(set(titles)) == 1 else "COLIEE", sections)


def _upright(table: Grid, corner: str) -> Grid:
    """A table that is too wide for a page, with its columns as rows; others as they are."""
    if len(table.header) <= max(_SIDE_BY_SIDE, len(table.rows)):
        return table
    columns = list(zip(*table.rows, strict=True))
    header = [corner, *(cell.text if isinstance(cell, Number) else cell for cell in columns[0])]
    rows = [[name, *column] for name, column in zip(table.header[1:], columns[1:], strict=True)]
    return replace(table, header=header, rows=rows, n_text=1)


def _without(table: Grid, column: str) -> Grid:
    """A table without a column."""
    kept = [at for at, name in enumerate(table.header) if name != column]
    rows = [[row[at] for at in kept] for row in table.rows]
    return replace(table, header=[table.header[at] for at in kept], rows=rows, n_text=-1)


def _of_team(table: Grid, team: str, tags: set[str]) -> Grid:
    """The rows of a table that are about a team's runs."""
    run, of = list(table.header).index("run"), list(table.header).index("team") if "team" in table.header else None
    rows = [row for row in table.rows if row[run] in tags and (of is None or row[of] == team)]
    return replace(table, rows=rows)
