"""The page: one HTML file with its style, its scripts and its data inside."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, Final

import jinja2
from markupsafe import Markup

from coliee_adapters import trec_eval
from coliee_adapters.errors import printable
from coliee_ir._version import __version__
from coliee_ir.commands.report import figures as charts
from coliee_ir.commands.report.contents import FEW, ORDERS, Contents, details
from coliee_ir.commands.report.drawing import Figure, on_page, script, unchecked
from coliee_ir.output.grid import Number, html, html_head
from coliee_ir.output.webpage import fingerprint, local, part

#: of gzip: a third of the time of the highest level, for a page that is half a per cent larger
_LEVEL: Final = 7


#: the names of the figures that a report may have
NAMES: Final = ("scores", "differences", "queries", "categories", "cutoffs", "tuning")


def drawn(contents: Contents) -> dict[str, Figure]:
    """Name → figure, without those that make no sense for the task."""
    comparison, categories = contents.comparison, contents.categories
    with unchecked():
        figures = (
            charts.scores(contents),
            None if comparison is None else charts.differences(contents, comparison),
            charts.heat_map(contents),
            None if categories is None else charts.by_category(contents, categories),
            charts.by_cutoff(contents),
            charts.tuned(contents),
        )
    return {name: figure for name, figure in zip(NAMES, figures, strict=True) if figure is not None}


def page(contents: Contents) -> str:
    """The page as HTML."""
    # the greatest data are made, and let go, before there are figures
    content, evaluation = embedded(details(contents)), embedded(contents.evaluation())
    figures = drawn(contents)
    scripts = [script(), part("sort.js") + _text("page.js")]
    return _template().render(
        policy=(
            f"default-src 'none'; script-src {' '.join(map(fingerprint, scripts))}; style-src 'unsafe-inline'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
        style=unbroken(part("page.css")),
        scripts=[unbroken(code) for code in scripts],
        title=_title(contents),
        verdict=list(contents.verdict()),
        about=_about(contents),
        figures=figures,
        scores=charts.table(contents),
        queries=figures["queries"].data,
        places=contents.hardness.order("hardest"),
        orders=ORDERS,
        order_of=contents.hardness.places(),
        two_golds=contents.two_golds,
        has_documents=contents.has_documents,
        gap=charts.missing(contents),
        tunings=charts.tunings_table(contents),
        remarks=_remarks(contents),
        charts=embedded({name: on_page(figure) for name, figure in figures.items()}),
        details=content,
        evaluation=evaluation,
        measure=contents.measure.name,
        several=len(contents.names) > 1,
        few=FEW if len(contents.names) > FEW else 0,
    )


def embedded(value: Any) -> Markup:
    """JSON for the inside of a script element, as gzip in base64: a tenth of the text, and nothing in it is markup."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return Markup(base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode())


def unbroken(code: str) -> Markup:
    """JavaScript of ours or of a library for the inside of a script element."""
    if re.search("</script|<!--|\r", code, re.IGNORECASE):
        raise ValueError("this script cannot be embedded in a page")
    return Markup(code)


@cache
def _template() -> jinja2.Template:
    """The page's template, compiled once for all reports of an edition."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("coliee_ir.commands.report", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "shade": _shade,
        "table": lambda grid, caption: Markup(html(replace(grid, caption=caption), caption)),
        "head": html_head,
    }
    environment.filters["printable"] = printable
    return environment.get_template("page.html")


def _text(name: str) -> str:
    return (resources.files("coliee_ir.commands.report") / name).read_text(encoding="utf-8")


def _title(contents: Contents) -> str:
    board = contents.board
    runs = f"{len(contents.names)} runs" if len(contents.names) > 1 else contents.names[0]
    if board.edition is None:
        gold = board.gold.replace("\\", "/").rpartition("/")[2]
        return f"{runs} on {printable(gold or board.gold)}"
    return f"COLIEE {board.edition}, Task {board.task.capitalize()}: {runs}"


def _about(contents: Contents) -> list[tuple[str, str]]:
    """What the numbers are about and how they are found: terms with their explanations."""
    board, rules, comparison = contents.board, contents.board.protocol, contents.comparison
    tie = f"; ties broken by {', '.join(rules.tie_break)}" if rules.tie_break else ""
    answered = [scores.queries["answered"] for scores in contents.scored]
    between = " to ".join(map(str, sorted({min(answered), max(answered)})))
    excluded = f", {len(board.excluded)} excluded" if board.excluded else ""
    facts = {
        "Task": ", ".join(filter(None, (board.task, rules.title))),
        "Edition": "" if board.edition is None else str(board.edition),
        "Ranked by": f"{rules.ranking}{tie}",
        "This report": f"about {contents.measure}" * (contents.measure.name != rules.ranking),
        "Gold": local(board.gold),
        "Queries": f"{len(board.queries)} judged, {between} answered{excluded}",
        "Versions": f"coliee-ir {__version__}, trec_eval {trec_eval.version()}",
        "Source of the rules": rules.source,
        "Ranks": board.method if board.best else "",
        "Differences": "" if comparison is None else f"{comparison.method}.",
        "Made by": contents.command,
    }
    return [(term, printable(text)) for term, text in facts.items() if text]


def _remarks(contents: Contents) -> list[tuple[str, Sequence[str]]]:
    """What is to be known of the report and of each run; what all runs share is said once."""
    of_runs = [scores.remarks for scores in contents.scored]
    common = [remark for remark in of_runs[0] if all(remark in other for other in of_runs)] if len(of_runs) > 1 else []
    own = ([remark for remark in remarks if remark not in common] for remarks in of_runs)
    choices = ", ".join(f"{name}={choice}" for name, choice in contents.scored[0].decisions.to_dict().items())
    listed: list[tuple[str, Sequence[str]]] = [("All runs", common), *zip(contents.names[:FEW], own, strict=False),
              ("Where the organisers leave it open", [choices]), ("This report", contents.remarks)]  # fmt: skip
    return [(who, remarks) for who, remarks in listed if remarks]


def _shade(cell: Any) -> str:
    """The class of a score's shade, in tenths; none for what is no score."""
    return f"v{int(cell.value * 10 + 1e-9)}" if isinstance(cell, Number) and 0 <= cell.value <= 1 else ""
