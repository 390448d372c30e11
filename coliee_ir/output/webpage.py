"""Tables as a web page: one static file that asks for nothing from elsewhere, sorts, searches, and prints."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping, Sequence
from typing import Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.display import cut
from coliee_adapters.errors import printable
from coliee_ir._version import __version__
from coliee_ir.output.grid import Cell, Grid, Number

_STYLE: Final = """
:root{color-scheme:light dark;--line:#8888;--link:#0b57d0;--dot:#0072b2;--ink:#1b1b1a;--sheet:#fff}
@media (prefers-color-scheme:dark){:root{--link:#8ab4f8;--dot:#56b4e9;--ink:#eee;--sheet:#121212}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--sheet)}
body{max-width:80rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;margin:2rem 0 .5rem}
a{color:var(--link)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.3rem 0;max-width:60rem}
th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th,td{max-width:22rem;overflow-wrap:break-word}
.n{text-align:right;white-space:nowrap}
th{vertical-align:bottom;white-space:nowrap}
th button{font:inherit;font-weight:bold;background:none;border:0;padding:0;color:inherit;cursor:pointer}
th button::after{content:" ↕";opacity:.45;font-weight:normal}
th[aria-sort=ascending] button::after{content:" ↑";opacity:1}
th[aria-sort=descending] button::after{content:" ↓";opacity:1}
.scroll{overflow-x:auto}
.chart{margin:0}.chart svg{max-width:100%;height:auto}.chart circle{fill:var(--dot)}
.wide{margin:0 0 1rem}.wide svg{max-width:none}
nav ul{columns:18rem;column-gap:2.5rem;padding-left:1.2rem}
input{font:inherit;padding:.2rem .4rem}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media print{:root{color-scheme:light;--dot:#0072b2;--ink:#000;--sheet:#fff;--link:#000}
body{max-width:none;padding:0;font-size:10pt}.scroll{overflow:visible}
nav,.search{display:none}
th button{display:contents}th button::after{content:""}
.wide svg{max-width:100%}
thead{display:table-header-group;break-inside:avoid}tr,.chart{break-inside:avoid}h2{break-after:avoid}
td,th{padding:.1rem .4rem;white-space:normal}}
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


class Section(NamedTuple):
    """A part of a page.

    Attributes:
        name: by which it is linked to.
        title: its heading.
        body: HTML, as ``table`` and ``figure`` make it.
    """

    name: str
    title: str
    body: str


def page(title: str, sections: Sequence[Section], above: str = "") -> str:
    """A page.

    Args:
        title: its heading.
        sections: what is on it.
        above: HTML between the heading and the list of the sections.
    """
    contents = "".join(f'<li><a href="#{one.name}">{text(one.title)}</a></li>' for one in sections)
    shown = "".join(f'<section id="{one.name}"><h2>{text(one.title)}</h2>\n{one.body}</section>\n' for one in sections)
    policy = f"default-src 'none'; style-src {fingerprint(_STYLE)}; script-src {fingerprint(_SCRIPT)}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>{text(title)}</title>'
        f"<style>{_STYLE}</style></head><body>\n<main><h1>{text(title)}</h1>\n{above}"
        f'<nav aria-label="On this page"><ul>{contents}</ul></nav>\n'
        '<p class="search"><label>Show rows with <input id="search" type="search"></label></p>\n'
        f"{shown}</main>\n<footer><p>Made by coliee-ir {text(__version__)}.</p></footer>"
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def table(grid: Grid, label: str, links: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """A table that can be sorted, in a box of its own that scrolls.

    Args:
        grid: the table.
        label: what it is called for screen readers; no two tables of a page share one.
        links: column → text of a cell → where it leads.
    """
    kinds = ["" if at < grid.n_text else ' class="n"' for at in range(len(grid.header))]
    head = "".join(
        f'<th scope="col"{kind}><button type="button">{text(name)}</button></th>'
        for name, kind in zip(grid.header, kinds, strict=True)
    )
    leading = [(links or {}).get(name, {}) for name in grid.header]
    body = "".join(f"<tr>{_cells(row, kinds, leading)}</tr>\n" for row in grid.rows)
    caption = f"<caption>{text(grid.caption)}</caption>\n" if grid.caption else ""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{text(label)}"><table>'
        f"{caption}<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
    )


def _cells(row: Sequence[Cell], kinds: Sequence[str], leading: Sequence[Mapping[str, str]]) -> str:
    made = []
    for cell, kind, links in zip(row, kinds, leading, strict=True):
        if isinstance(cell, Number):
            shown = f"<b>{text(cell.text)}</b>" if cell.bold else text(cell.text)
            mark = f"<sup>{text(cell.mark)}</sup>" if cell.mark else ""
            value = "" if cell.value != cell.value else repr(float(cell.value))
            made.append(f'<td{kind} data-v="{value}">{shown}{mark}</td>')
        elif cell in links:
            made.append(f'<td{kind}><a href="{text(links[cell])}">{text(cell)}</a></td>')
        else:
            made.append(f"<td{kind}>{text(cell)}</td>")
    return "".join(made)


#: of a figure, in its own units: of a row, of the names, of the scale
_ROW, _NAMES, _SCALE = 18, 200, 480

_LONGEST: Final = 26


def intervals(rows: Sequence[tuple[str, float, float, float]], says: str) -> str:
    """A figure of scores between 0 and 1 with their intervals, one row each, as SVG.

    Args:
        rows: name, score, and the ends of its interval, which may be NaN.
        says: what it shows, for screen readers and as its caption.
    """
    known = [value for row in rows for value in row[1:] if value == value]
    top = max([0.1, *known])
    end = next(tick / 10 for tick in range(1, 11) if tick / 10 >= top - 1e-9 or tick == 10)
    step = 0.1 if end > 0.3 else 0.05 if end > 0.1 else 0.02
    height = _ROW * (len(rows) + 2)

    def x(value: float) -> str:
        return f"{_NAMES + _SCALE * min(max(value, 0.0), end) / end:.1f}"

    drawn = [
        f'<line x1="{x(tick)}" x2="{x(tick)}" y1="{_ROW / 2:g}" y2="{height - _ROW}" stroke="currentColor" '
        f'stroke-opacity="0.2"/>'
        f'<text x="{x(tick)}" y="{height - 4}" text-anchor="middle">{tick:g}</text>'
        for tick in (round(step * at, 2) for at in range(round(end / step) + 1))
    ]
    for at, (name, score, low, high) in enumerate(rows):
        y = _ROW * (at + 1)
        shown = text(cut(name, _LONGEST))
        drawn.append(f'<text x="{_NAMES - 8}" y="{y + 4}" text-anchor="end">{shown}</text>')
        if low == low and high == high:
            drawn.append(f'<line x1="{x(low)}" x2="{x(high)}" y1="{y}" y2="{y}" stroke="currentColor"/>')
        if score == score:
            drawn.append(f'<circle cx="{x(score)}" cy="{y}" r="4"/>')
    width = _NAMES + _SCALE + 20
    return (
        f'<figure class="chart"><svg role="img" aria-label="{text(says)}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-size="12" fill="currentColor">{"".join(drawn)}</svg>'
        f"<figcaption>{text(says)}</figcaption></figure>\n"
    )


#: of a figure of questions: of a panel, between panels, of the names of measures, of the ids below
_PANEL, _GAP, _LEFT, _BELOW = 48, 14, 130, 90

#: pixels of a question, by how many there are; of more, which the table below has, the ids are left out
_STEPS: Final = ((40, 18), (160, 12))
_STEP: Final = 4


def means(names: Sequence[str], values: Mapping[str, Sequence[float]], says: str) -> str:
    """A figure of means between 0 and 1, a panel a measure and a column a question, as SVG in a box that scrolls.

    Args:
        names: the questions.
        values: measure → the mean of each question; NaN for none.
        says: what it shows, for screen readers and as its caption.
    """
    step = next((step for most, step in _STEPS if len(names) <= most), _STEP)
    width, bottom = _LEFT + step * len(names) + 10, (_PANEL + _GAP) * len(values)
    drawn = []
    for at, (measure, column) in enumerate(values.items()):
        top = at * (_PANEL + _GAP) + 8
        for part in (0, 0.5, 1):
            y = top + _PANEL * (1 - part)
            drawn.append(
                f'<line x1="{_LEFT}" x2="{width}" y1="{y:g}" y2="{y:g}" stroke="currentColor" stroke-opacity="0.2"/>'
                f'<text x="{_LEFT - 6}" y="{y + 4:g}" text-anchor="end">{part:g}</text>'
            )
        drawn.append(f'<text x="{_LEFT - 30}" y="{top + _PANEL / 2 + 4:g}" text-anchor="end">{text(measure)}</text>')
        for number, value in enumerate(column):
            if value == value:
                x, y = _LEFT + step * (number + 0.5), top + _PANEL * (1 - min(max(value, 0.0), 1.0))
                drawn.append(
                    f'<line x1="{x:g}" x2="{x:g}" y1="{top + _PANEL}" y2="{y:.1f}" stroke="currentColor" '
                    f'stroke-opacity="0.4"/><circle cx="{x:g}" cy="{y:.1f}" r="{2 if step == _STEP else 3}"/>'
                )
    if step != _STEP:
        for number, name in enumerate(names):
            x = _LEFT + step * (number + 0.5) + 4
            drawn.append(
                f'<text transform="translate({x:g} {bottom}) rotate(-90)" text-anchor="end" font-size="11">'
                f"{text(cut(name, 15))}</text>"
            )
    height = bottom + (_BELOW if step != _STEP else 4)
    return (
        f'<figure class="chart wide"><div class="scroll" tabindex="0" role="region" aria-label="{text(says)}">'
        f'<svg role="img" aria-label="{text(says)}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-size="12" fill="currentColor">{"".join(drawn)}</svg></div>\n'
        f"<figcaption>{text(says)}</figcaption></figure>\n"
    )


def file_name(*words: str) -> str:
    """The name of a page: what can be a file everywhere, and no other words give."""
    plain = "-".join(re.sub(r"[^A-Za-z0-9]+", "-", word).strip("-")[:40].lower() for word in words)
    return f"{plain}-{hashlib.sha256(chr(0).join(words).encode()).hexdigest()[:6]}.html"


def local(path: str) -> str:
    """A path that begins at the root of a machine without its folders, also behind an option; others as they are.

    >>> local("/home/me/gold.json"), local("--corpus=/data/cases"), local("task1/gold.json")
    ('gold.json', '--corpus=cases', 'task1/gold.json')
    """
    return re.sub(r"^(--?[\w-]+=)?(?:/|[A-Za-z]:[\\/])(?:.*[\\/])?(?=[^\\/])", r"\1", path)


def text(words: str) -> str:
    """Text as HTML, also within an attribute."""
    return html.escape(printable(words))


def fingerprint(content: str) -> str:
    """A script or a style as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
