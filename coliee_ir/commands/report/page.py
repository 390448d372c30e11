"""The page: one HTML file with its style, its scripts and its data inside."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, Final, NamedTuple

import jinja2
from markupsafe import Markup

from coliee_adapters import trec_eval
from coliee_adapters.errors import printable
from coliee_ir._version import __version__
from coliee_ir.commands.report import figures as charts
from coliee_ir.commands.report.contents import FEW, ORDERS, Contents, Texts, details
from coliee_ir.commands.report.drawing import Figure, on_page, script, unchecked
from coliee_ir.output.grid import Grid, Number, html, html_head
from coliee_ir.output.webpage import fingerprint, local, part

#: of gzip: a third of the time of the highest level, for a page that is half a per cent larger
_LEVEL: Final = 7


class Drawn(NamedTuple):
    """The figures of a report; None for one that makes no sense for the task."""

    scores: Figure
    differences: Figure | None
    queries: Figure
    categories: Figure | None
    cutoffs: Figure | None
    tuning: Figure | None

    def figures(self) -> list[Figure]:
        """Those that there are."""
        return [figure for figure in self if figure is not None]


def drawn(contents: Contents) -> Drawn:
    """All figures of a report."""
    with unchecked():
        return Drawn(
            charts.scores(contents),
            None if contents.comparison is None else charts.differences(contents, contents.comparison),
            charts.heat_map(contents),
            None if contents.categories is None else charts.by_category(contents, contents.categories),
            charts.by_cutoff(contents),
            charts.tuned(contents),
        )


def page(contents: Contents, texts: Texts) -> str:
    """The page as HTML."""
    # the greatest data are made, and let go, before there are figures
    shown, evaluation = embedded(details(contents, texts)), embedded(contents.evaluation())
    figures = drawn(contents)
    scripts = [script(), part("sort.js") + _text("page.js")]
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(fingerprint, scripts))}",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return _template().render(
        policy=policy,
        style=unbroken(part("page.css")),
        scripts=[unbroken(code) for code in scripts],
        title=_title(contents),
        verdict=list(contents.verdict()),
        about=list(_about(contents)),
        figures=figures,
        scores=charts.table(contents),
        queries=figures.queries.data,
        places=contents.hardness.order("hardest"),
        orders=ORDERS,
        order_of=contents.hardness.places(),
        two_golds=contents.two_golds,
        has_documents=contents.has_documents,
        gap=charts.missing(contents),
        tunings=charts.tunings_table(contents),
        remarks=_remarks(contents),
        charts=embedded({figure.name: on_page(figure) for figure in figures.figures()}),
        details=shown,
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
    environment.globals |= {"shade": _shade, "table": _table, "head": _head}
    environment.filters["printable"] = printable
    return environment.get_template("page.html")


def _text(name: str) -> str:
    return (resources.files("coliee_ir.commands.report") / name).read_text(encoding="utf-8")


def _table(grid: Grid, caption: str) -> Markup:
    return Markup(html(replace(grid, caption=caption), caption))


def _head(grid: Grid) -> Markup:
    return Markup(html_head(grid))


def _title(contents: Contents) -> str:
    board = contents.board
    runs = f"{len(contents.names)} runs" if len(contents.names) > 1 else contents.names[0]
    if board.edition is None:
        gold = board.gold.replace("\\", "/").rpartition("/")[2]
        return f"{runs} on {printable(gold or board.gold)}"
    named = board.task if board.task.isdigit() else board.task.capitalize()
    return f"COLIEE {board.edition}, Task {named}: {runs}"


def _about(contents: Contents) -> Iterator[tuple[str, str]]:
    """What the numbers are about and how they are found, as terms and what they say."""
    board, rules = contents.board, contents.board.protocol
    yield "Task", ", ".join(filter(None, (board.task, rules.title)))
    if board.edition is not None:
        yield "Edition", str(board.edition)
    tie = f"; ties broken by {', '.join(rules.tie_break)}" if rules.tie_break else ""
    yield "Ranked by", f"{rules.ranking}{tie}"
    if contents.measure.name != rules.ranking:
        yield "This report", f"about {contents.measure}"
    yield "Gold", printable(local(board.gold))
    answered = sorted({scores.queries["answered"] for scores in contents.scored})
    between = f"{answered[0]}" if len(answered) == 1 else f"{answered[0]} to {answered[-1]}"
    excluded = f", {len(board.excluded)} excluded" if board.excluded else ""
    yield "Queries", f"{len(board.queries)} judged, {between} answered{excluded}"
    yield "Versions", f"coliee-ir {__version__}, trec_eval {trec_eval.version()}"
    yield "Source of the rules", rules.source
    if board.best:
        yield "Ranks", board.method
    if contents.comparison is not None:
        yield "Differences", f"{contents.comparison.method}."
    if contents.command:
        yield "Made by", printable(contents.command)


def _remarks(contents: Contents) -> list[tuple[str, Sequence[str]]]:
    """What is to be known of the report and of each run; what all runs share is said once."""
    of_runs = [scores.remarks for scores in contents.scored]
    common = [remark for remark in of_runs[0] if all(remark in other for other in of_runs)] if len(of_runs) > 1 else []
    listed: list[tuple[str, Sequence[str]]] = [("All runs", common)] if common else []
    for name, remarks in zip(contents.names[:FEW], of_runs, strict=False):
        if own := [remark for remark in remarks if remark not in common]:
            listed.append((name, own))
    choices = ", ".join(f"{name}={choice}" for name, choice in contents.scored[0].decisions.to_dict().items())
    listed.append(("Where the organisers leave it open", [choices]))
    if contents.remarks:
        listed.append(("This report", list(contents.remarks)))
    return listed


def _shade(cell: Any) -> str:
    """The class of a score's shade, in tenths; none for what is no score."""
    return f"v{int(cell.value * 10 + 1e-9)}" if isinstance(cell, Number) and 0 <= cell.value <= 1 else ""
