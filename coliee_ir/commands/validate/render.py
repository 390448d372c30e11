"""Findings as text: for people, for programs, and as annotations of a GitHub workflow."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from coliee_adapters.errors import printable, quoted
from coliee_adapters.lines import counted
from coliee_ir.commands.validate.findings import Finding, Place
from coliee_ir.commands.validate.inbox import Inbox
from coliee_ir.commands.validate.result import Validation
from coliee_ir.commands.validate.rules import RULES, Severity
from coliee_ir.output import webpage
from coliee_ir.output.envelope import dumped
from coliee_ir.output.grid import Cell, Grid, Number, html, in_html, plain
from coliee_ir.output.shown import View, shows

#: how many files of a kind of finding are named
_FILES = 5

_INDENT = 9  # as wide as the longest severity, and two blanks


def render(validation: Validation, form: str) -> str:
    """The findings in one of ``FORMS``; ends in a newline unless there is nothing to say."""
    return "".join(f"{line}\n" for line in FORMS[form](validation))


def render_inbox(inbox: Inbox, form: str) -> str:
    """What came in a folder: a table of the files and what is wrong with them by kind; JSON; annotations."""
    if form == "json":
        return dumped(inbox.to_dict())
    if form == "github":
        return "".join(f"{line}\n" for line in _annotations(inbox.findings))
    if form == "html":
        return _page_of(inbox)
    return plain(inbox.grid()) + "".join(f"{line}\n" for line in _by_kind(inbox))


def _page_of(inbox: Inbox) -> str:
    """What came as a page: the files, those of each team together, and all findings."""
    named = _named([row.file for row in inbox.rows])
    files = replace(inbox.grid(), rows=[[*row[:4], named[str(row[4])], *row[5:]] for row in inbox.grid().rows])
    found = _findings(inbox.findings, named)
    counts = ", ".join(counted(inbox.count(severity), str(severity)) for severity in Severity)
    sections = [
        webpage.Section("files", "Files", html(files, "files")),
        *([webpage.Section("findings", "Findings", html(found, "findings"))] if found.rows else []),
    ]
    above = "".join(f"<p>{in_html(line)}</p>\n" for line in (
        f"{counts} in {counted(len(inbox.rows), 'file')}.", *inbox.remarks
    ))  # fmt: skip
    return webpage.page("Submissions received", sections, above)


def _page(validation: Validation) -> Iterator[str]:
    found = _findings(validation.findings, _named(validation.files))
    sections = [webpage.Section("findings", "Findings", html(found, "findings"))] if found.rows else []
    yield webpage.page("Submission checked", sections, f"<p>{in_html(summary(validation))}.</p>\n").rstrip("\n")


def _named(files: Sequence[str]) -> dict[str, str]:
    """Files without the folder that all have in common: a page is no place for the paths of a machine."""
    whole = {file: os.path.abspath(file) for file in files}  # noqa: PTH100  # links stay as they are
    common = os.path.commonpath([os.path.dirname(path) for path in whole.values()] or ["/"])  # noqa: PTH120
    return {file: Path(os.path.relpath(path, common)).as_posix() for file, path in whole.items()}


def _by_kind(inbox: Inbox) -> Iterator[str]:
    order = list(RULES)
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for finding in sorted(inbox.findings, key=lambda one: (list(Severity).index(one.severity), order.index(one.rule))):
        if finding.severity is not Severity.NOTE:
            kinds.setdefault((finding.rule, _plain(finding.advice)), []).append(finding)
    for (rule, _), findings in kinds.items():
        first = findings[0]
        more = f" and {len(findings) - _FILES} more" if len(findings) > _FILES else ""
        yield f"  {first.severity:<{_INDENT}}{rule}, {counted(len(findings), 'file')}: {first.says}"
        indent = " " * (_INDENT + 2)
        yield f"{indent}{printable(', '.join(map(_file, findings[:_FILES])))}{more}"
        yield f"{indent}→ {printable(first.advice)}  [{first.source}]"
    counts = ", ".join(counted(inbox.count(severity), str(severity)) for severity in Severity)
    yield f"{counts} in {counted(len(inbox.rows), 'file')}"


def _file(finding: Finding) -> str:
    """A file, and the first thing that was found in it."""
    found = finding.places[0].found if finding.places else None
    return f"{finding.file} ({quoted(found)})" if found else finding.file


def _plain(advice: str) -> str:
    """A remedy without what it says of one place, ``write ARC1``, so that findings with the same remedy meet."""
    return re.sub(r"[\w.-]*[0-9_][\w.-]*", "…", advice)


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
    yield from _annotations(validation.findings)


def _annotations(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
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
FORMS: dict[str, Callable[[Validation], Iterator[str]]] = {
    "table": _table, "json": _json, "github": _github, "html": _page,
}  # fmt: skip


def _findings(findings: Iterable[Finding], named: Mapping[str, str]) -> Grid:
    """One row a finding, with the first places, the gravest first."""
    order = list(Severity)
    rows: list[list[Cell]] = [
        [str(one.severity), named.get(one.file, one.file), one.says,
         "; ".join(filter(None, map(str, one.places))) + ("; …" if one.count > len(one.places) else ""),
         one.advice, f"{one.rule}, {one.source}"]
        for one in sorted(findings, key=lambda one: (order.index(one.severity), one.file))
    ]  # fmt: skip
    return Grid(["severity", "file", "finding", "where", "remedy", "rule"], rows, n_text=6)


def _grid(validation: Validation) -> Grid:
    rows: list[list[Cell]] = [
        [one.file, str(one.severity), one.rule, one.says, one.advice, Number(one.count, str(one.count))]
        for one in validation.findings
    ]
    header = ["file", "severity", "rule", "finding", "remedy", "count"]
    return Grid(header, rows, summary(validation), n_text=len(header) - 1)


shows(Validation, View(lambda found: render(found, "table"), lambda found: [_grid(found)]))
