"""Sphinx's settings. ``make docs`` builds the site into site/; the builder takes warnings for errors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import coliee_ir

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "coliee-ir"
version = release = coliee_ir.__version__
html_title = f"coliee-ir {version}"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3  # links to headings, as on a forge

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False

default_role = "code"  # in docstrings single backticks mean code, too
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100

_PLACED = re.compile(r"^\.\. auto\w+:: (\w+)$", re.MULTILINE)


def further_names(page: str) -> str:
    """The Python page, and at its end the public names for which it has no place yet."""
    missing = [name for name in coliee_ir.__all__ if name not in _PLACED.findall(page)]
    if not missing:
        return page
    return "\n".join([page, "## Further", "", "```{eval-rst}", *map(_directive, missing), "```", ""])


def _directive(name: str) -> str:
    value = getattr(coliee_ir, name)
    kind = "class" if isinstance(value, type) else "function" if callable(value) else "data"
    return f".. auto{kind}:: {name}"


#: what a browser would fetch from elsewhere
REMOTE = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\s(?:src|href)=[\"']?(?:https?:)?//[^>]*>")


def _refuse_remote(app: Sphinx, failure: Exception | None) -> None:
    """Refuse a page that fetches from elsewhere: the site works offline, and discloses nothing about its readers."""
    from sphinx.errors import ExtensionError

    for page in Path(app.outdir).rglob("*.html"):
        if remote := REMOTE.search(page.read_text(encoding="utf-8")):
            raise ExtensionError(f"{page.name} fetches from elsewhere: {remote[0]}")


def _add_further_names(app: Sphinx, page: str, source: list[str]) -> None:
    if page == "api":
        source[0] = further_names(source[0])


def _is_field(app: Sphinx, what: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Whether to pass over a member: a named tuple's fields are described in its docstring."""
    return True if (getattr(member, "__doc__", None) or "").startswith("Alias for field number") else None


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-skip-member", _is_field)
    app.connect("source-read", _add_further_names)
    app.connect("build-finished", _refuse_remote)
