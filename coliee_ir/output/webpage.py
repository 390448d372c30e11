"""Tables as a web page: one static file that asks for nothing from elsewhere, sorts, searches, and prints."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Final

from coliee_adapters.classes import NamedTuple
from coliee_ir._version import __version__
from coliee_ir.output.grid import in_html

_STYLE: Final = """
:root{color-scheme:light dark;--line:#8888;--link:#0b57d0;--ink:#1b1b1a;--sheet:#fff}
@media (prefers-color-scheme:dark){:root{--link:#8ab4f8;--ink:#eee;--sheet:#121212}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--sheet)}
body{max-width:80rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;line-height:1.25}h2{font-size:1.2rem;margin:2rem 0 .5rem}
a{color:var(--link)}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:.3rem 0;max-width:60rem}
th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th,td{max-width:22rem;overflow-wrap:break-word}
.n{text-align:right;white-space:nowrap}
thead th{vertical-align:bottom;white-space:nowrap}tbody th{font-weight:normal}
th button{font:inherit;font-weight:bold;background:none;border:0;padding:0;color:inherit;cursor:pointer}
th button::after{content:" ↕";opacity:.45;font-weight:normal}
th[aria-sort=ascending] button::after{content:" ↑";opacity:1}
th[aria-sort=descending] button::after{content:" ↓";opacity:1}
.scroll{overflow-x:auto}
nav ul{columns:18rem;column-gap:2.5rem;padding-left:1.2rem}
input{font:inherit;padding:.2rem .4rem}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media print{:root{color-scheme:light;--ink:#000;--sheet:#fff;--link:#000}
body{max-width:none;padding:0;font-size:10pt}.scroll{overflow:visible}
nav,.search{display:none}
th button{display:contents}th button::after{content:""}
thead{display:table-header-group;break-inside:avoid}tr{break-inside:avoid}h2{break-after:avoid}
td,th{padding:.1rem .4rem;white-space:normal}}
"""

_SCRIPT: Final = """
const none = value => value === "" || value === "nan";
for (const table of document.querySelectorAll("table")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => head.firstChild.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "descending" ? -1 : 1;
    const value = row => row.cells[at].dataset.value ?? row.cells[at].textContent;
    const compare = (a, b) => {
      const x = value(a), y = value(b);
      if (none(x) || none(y)) return none(x) - none(y);
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
    """A part of a page."""

    name: str  # by which it is linked to
    title: str  # its heading
    body: str  # HTML, as ``grid.html`` makes it


def page(title: str, sections: Sequence[Section], above: str = "") -> str:
    """A page."""
    contents = "".join(f'<li><a href="#{one.name}">{in_html(one.title)}</a></li>' for one in sections)
    nav = f'<nav aria-label="On this page"><ul>{contents}</ul></nav>\n'
    shown = [f'<section id="{one.name}"><h2>{in_html(one.title)}</h2>\n{one.body}</section>\n' for one in sections]
    shown.insert(1, nav)  # the first table is what people come for
    policy = f"default-src 'none'; style-src {fingerprint(_STYLE)}; script-src {fingerprint(_SCRIPT)}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>{in_html(title)}</title>'
        f"<style>{_STYLE}</style></head><body>\n<main><h1>{in_html(title)}</h1>\n{above}"
        '<p class="search"><label>Show rows with <input id="search" type="search"></label></p>\n'
        f"{''.join(shown)}</main>\n<footer><p>Made by coliee-ir {in_html(__version__)}.</p></footer>"
        f"<script>{_SCRIPT}</script></body></html>\n"
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


def fingerprint(content: str) -> str:
    """A script or a style as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
