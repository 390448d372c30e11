"""Findings as text: for people, for programs, and as annotations of a GitHub workflow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from coliee_adapters.errors import printable, quoted
from coliee_adapters.lines import counted
from coliee_ir.commands.validate.findings import Finding, Place
from coliee_ir.commands.validate.result import Validation
from coliee_ir.commands.validate.rules import RULES, Severity
from coliee_ir.output.envelope import dumped
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import View, no_queries, shows

_INDENT = 9  # as wide as the longest severity, and two blanks


def render(validation: Validation, form: str) -> str:
    """The findings in one of ``FORMS``; ends in a newline unless there is nothing to say."""
    return "".join(f"{line}\n" for line in FORMS[form](validation))


def _table(validation: Validation) -> Iterator[str]:
    for file, findings in groupby(validation.findings, key=lambda finding: finding.file):
        yield printable(file)
        for finding in findings:
            yield from _block(finding, fixed=file in validation.mended)
    yield summary(validation)


def _block(finding: Finding, *, fixed: bool) -> Iterator[str]:
    yield f"  {finding.severity:<{_INDENT}}{finding.says}"
    indent = " " * (_INDENT + 2)
    places = [str(place) for place in finding.places if str(place)]
    if places:
        more = "; …" if finding.count > len(finding.places) else ""
        yield f"{indent}{printable('; '.join(places))}{more}"
    yield f"{indent}→ {printable(finding.advice)}{_fix(finding, fixed=fixed)}  [{finding.rule}, {finding.source}]"


def _fix(finding: Finding, *, fixed: bool) -> str:
    """What ``--fix`` does about a finding, or has done."""
    what = RULES[finding.rule].mended
    if not what or (fixed and not finding.mended):
        return "; not mended" if fixed else ""
    if not fixed:
        return f"; --fix: {what}"
    return f"; mended{f' {finding.mended} of {finding.count}' if finding.mended < finding.count else ''}: {what}"


def summary(validation: Validation) -> str:
    """How many findings there are, in a line."""
    counts = ", ".join(counted(validation.count(severity), str(severity)) for severity in Severity)
    return f"{counts} in {counted(len(validation.files), 'file')}"


def _json(validation: Validation) -> Iterator[str]:
    yield dumped(validation.to_dict()).rstrip("\n")


_COMMAND = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def _github(validation: Validation) -> Iterator[str]:
    """Workflow commands, https://docs.github.com/actions/reference/workflow-commands-for-github-actions."""
    for finding in validation.findings:
        for place in finding.places or [Place()]:
            where = {"file": finding.file, "line": place.line, "col": place.column, "title": finding.rule}
            properties = ",".join(f"{name}={_property(value)}" for name, value in where.items() if value is not None)
            found = f" ({quoted(place.found)})" if place.found else ""
            yield f"::{_COMMAND[finding.severity]} {properties}::{_data(f'{finding.says}{found}; {finding.advice}')}"


def _data(text: str) -> str:
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(value: object) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")


#: name → how findings are written
FORMS: dict[str, Callable[[Validation], Iterator[str]]] = {"table": _table, "json": _json, "github": _github}


def _grid(validation: Validation) -> Grid:
    rows: list[list[Cell]] = [
        [one.file, str(one.severity), one.rule, one.says, one.advice, Number(one.count, str(one.count))]
        for one in validation.findings
    ]
    header = ["file", "severity", "rule", "finding", "remedy", "count"]
    return Grid(header, rows, summary(validation), n_text=len(header) - 1)


def _frame(validation: Validation, per_query: bool) -> Grid:
    if per_query:
        raise no_queries("a validation")
    return _grid(validation)


shows(Validation, View(lambda found: render(found, "table"), lambda found: [_grid(found)], _frame))
