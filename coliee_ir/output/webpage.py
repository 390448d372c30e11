"""Tables as a web page: one static file that asks for nothing from elsewhere, sorts, searches, and prints."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from importlib import resources
from typing import Final, NamedTuple

from coliee_ir._version import __version__
from coliee_ir.output.grid import in_html

#: rows of a table among which one is searched for
_MANY_ROWS: Final = 12


class Section(NamedTuple):
    """A part of a page."""

    name: str  # by which it is linked to
    title: str  # its heading
    body: str  # HTML, as ``grid.html`` makes it


def page(title: str, sections: Sequence[Section], above: str = "", *, contents: bool = True) -> str:
    """A page; above its first table links to the others, and a search box where there are rows to look for."""
    bodies = [
        f'<section id="{section.name}"><h2>{in_html(section.title)}</h2>\n{section.body}</section>\n'
        for section in sections
    ]
    if contents and len(sections) > 1:
        links = " ".join(f'<a href="#{section.name}">{in_html(section.title)}</a>' for section in sections[1:])
        above += f'<nav aria-label="On this page"><p>{links}</p></nav>\n'
    if any(section.body.count("<tr") > _MANY_ROWS for section in sections):
        above += '<p class="search"><label>Show rows with <input id="search" type="search"></label></p>\n'
    style, script = part("page.css"), part("sort.js")
    policy = f"default-src 'none'; style-src {fingerprint(style)}; script-src {fingerprint(script)}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width"><title>{in_html(title)}</title>'
        f'<style>{style}</style></head><body class="wide">\n<main><h1>{in_html(title)}</h1>\n{above}'
        f"{''.join(bodies)}</main>\n<footer><p>Made by coliee-ir {in_html(__version__)}.</p></footer>"
        f"<script>{script}</script></body></html>\n"
    )


def part(name: str) -> str:
    """The style sheet of all pages, or the script that sorts their tables."""
    return (resources.files("coliee_ir.output") / name).read_text(encoding="utf-8")


def file_name(*words: str) -> str:
    """The name of a file, without its ending: what can be a file everywhere, and no other words give."""
    plain = "-".join(re.sub(r"[^A-Za-z0-9]+", "-", word).strip("-")[:40].lower() for word in words)
    return f"{plain}-{hashlib.sha256(chr(0).join(words).encode()).hexdigest()[:6]}"


def local(path: str) -> str:
    """A path that begins at the root of a machine without its folders, also behind an option; others as they are.

    >>> local("/home/me/gold.json"), local("--corpus=/data/cases"), local("task1/gold.json")
    ('gold.json', '--corpus=cases', 'task1/gold.json')
    """
    return re.sub(r"^(--?[\w-]+=)?(?:/|[A-Za-z]:[\\/])(?:.*[\\/])?(?=[^\\/])", r"\1", path)


def fingerprint(content: str) -> str:
    """A script or a style as a content security policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"
