"""The results page: every table of a task, and one page a team. Static files, which ask for nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from coliee_adapters.errors import printable
from coliee_ir._version import __version__
from coliee_ir.commands.leaderboard.board import Board
from coliee_ir.commands.leaderboard.catalogue import TABLES
from coliee_ir.output.grid import Cell, Grid, Number

#: the tables that name relevant documents, or what the answer to a single question is worth
_OF_GOLD: Final = ("questions", "unfound", "alone", "official")

_STYLE: Final = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:75rem;margin:0 auto;padding:1rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.3rem 0;max-width:60rem}
th,td{padding:.2rem .6rem;border-bottom:1px solid #8888;text-align:left;overflow-wrap:anywhere}
.n{text-align:right;overflow-wrap:normal}
th button{font:inherit;font-weight:bold;background:none;border:0;padding:0;color:inherit;cursor:pointer}
.scroll{overflow-x:auto}
input{font:inherit;padding:.2rem .4rem}
@media print{.scroll{overflow:visible}nav,.search{display:none}thead{display:table-header-group}tr{break-inside:avoid}}
"""

_SCRIPT: Final = """
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => head.firstChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "descending" ? -1 : 1;
    const value = row => row.cells[at].dataset.v ?? row.cells[at].textContent;
    const compare = (a, b) => {
      const x = value(a), y = value(b);
      if (x === "" || y === "") return (x === "") - (y === "");
      return -down * (isNaN(x) || isNaN(y) ? -x.localeCompare(y, "en", {numeric: true}) : x - y);
    };
    heads.forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down > 0 ? "descending" : "ascending");
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
  }));
}
const search = document.getElementById("search");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase();
  for (const row of document.querySelectorAll("tbody tr")) row.hidden = !row.textContent.toLowerCase().includes(words);
});
"""


def pages(board: Board, tables: Mapping[str, Grid], *, hide_gold: bool = False) -> dict[str, str]:
    """The results page as ``index.html``, which leads to a page for each team.

    Args:
        board: the leaderboard.
        tables: name → table, of all that there are.
        hide_gold: whether tables that tell of single questions and relevant documents are left out.
    """
    teams = list(dict.fromkeys(entry.team for entry in board.entries if entry.team))
    links = {team: _file_of(team) for team in teams}
    made = {"index.html": page(board, tables, links, hide_gold=hide_gold)}
    for team in teams:
        tags = {entry.tag for entry in board.entries if entry.team == team}
        own = {name: _of_team(table, team, tags) for name, table in tables.items() if "run" in table.header}
        made[links[team]] = page(board, own, {}, team=team, hide_gold=hide_gold)
    return made


def page(
    board: Board,
    tables: Mapping[str, Grid],
    links: Mapping[str, str] | None = None,
    *,
    team: str = "",
    hide_gold: bool = False,
) -> str:
    """One page.

    Args:
        board: the leaderboard.
        tables: name → table.
        links: team → its page.
        team: the team whose page it is; empty for the page of all.
        hide_gold: see ``pages``.
    """
    year = "" if board.edition is None else f" {board.edition}"
    title = f"COLIEE{year}, Task {board.task}: {board.protocol.title}" + (f", {team}" if team else "")
    shown = {
        name: table
        for name, table in tables.items()
        if table.rows and not (hide_gold and name in _OF_GOLD) and not (team and name == "invalid")
    }
    contents = "".join(f'<li><a href="#{name}">{_text(TABLES[name].shows)}</a></li>' for name in shown)
    back = '<p><a href="index.html">All runs</a></p>' if team else ""
    sections = "".join(
        f'<section id="{name}"><h2>{_text(TABLES[name].shows)}</h2>\n{_table(table, links or {})}</section>\n'
        for name, table in shown.items()
    )
    policy = f"default-src 'none'; style-src '{_hash(_STYLE)}'; script-src '{_hash(_SCRIPT)}'"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>{_text(title)}</title>'
        f"<style>{_STYLE}</style></head><body>\n<main><h1>{_text(title)}</h1>\n{back}"
        f'<nav aria-label="Tables"><ul>{contents}</ul></nav>\n'
        '<p class="search"><label>Show rows with <input id="search" type="search"></label></p>\n'
        f"{sections}</main>\n<footer><p>Made by coliee-ir {_text(__version__)}.</p></footer>"
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def _of_team(table: Grid, team: str, tags: set[str]) -> Grid:
    """The rows of a table that are about a team's runs."""
    run, of = list(table.header).index("run"), list(table.header).index("team") if "team" in table.header else None
    rows = [row for row in table.rows if row[run] in tags and (of is None or row[of] == team)]
    return replace(table, rows=rows)


def _file_of(team: str) -> str:
    """The name of a team's page: what can be a file everywhere, and no two teams share."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", team).strip("-")[:40].lower()
    return f"team-{plain}-{hashlib.sha256(team.encode()).hexdigest()[:6]}.html"


def _table(table: Grid, links: Mapping[str, str]) -> str:
    kinds = ["" if at < table.n_text else ' class="n"' for at in range(len(table.header))]
    head = "".join(
        f'<th scope="col"{kind}><button type="button">{_text(name)}</button></th>'
        for name, kind in zip(table.header, kinds, strict=True)
    )
    body = "".join(f"<tr>{_cells(row, kinds, table.header, links)}</tr>\n" for row in table.rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{_text(table.caption or "table")}"><table>'
        f"<caption>{_text(table.caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def _cells(row: Sequence[Cell], kinds: Sequence[str], header: Sequence[str], links: Mapping[str, str]) -> str:
    made = []
    for cell, kind, name in zip(row, kinds, header, strict=True):
        if isinstance(cell, Number):
            text = f"<b>{_text(cell.text)}</b>" if cell.bold else _text(cell.text)
            mark = f"<sup>{_text(cell.mark)}</sup>" if cell.mark else ""
            value = "" if cell.value != cell.value else repr(float(cell.value))
            made.append(f'<td{kind} data-v="{value}">{text}{mark}</td>')
        elif name == "team" and cell in links:
            made.append(f'<td{kind}><a href="{links[cell]}">{_text(cell)}</a></td>')
        else:
            made.append(f"<td{kind}>{_text(cell)}</td>")
    return "".join(made)


def _text(text: str) -> str:
    return html.escape(printable(text))


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
