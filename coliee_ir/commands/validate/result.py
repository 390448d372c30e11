"""What validation found, in files or in a folder of submissions: for people, for programs, for a GitHub workflow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, ClassVar, Final

from coliee_adapters.by_key import by_key
from coliee_adapters.errors import listed, printable, quoted, shortened
from coliee_adapters.forms.lines import counted
from coliee_ir._version import __version__
from coliee_ir.commands.validate.rules import RULES, Severity
from coliee_ir.commands.validate.sheet import Finding, Place
from coliee_ir.output.grid import Cell, Grid, Number, plain
from coliee_ir.output.rendering import Forms, TabularResult, fields_by_name

#: how many files of a kind of finding are named
_FILES: Final = 5

_INDENT: Final = 9  # as wide as the longest severity, and two blanks

_COMMAND: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


class Checked(TabularResult):
    """Files and what was found in them."""

    __slots__ = ()

    files: Sequence[str]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return self.count(Severity.ERROR)

    def count(self, severity: Severity) -> int:
        """How many findings are so grave."""
        return sum(finding.severity is severity for finding in self.findings)

    def summary(self) -> str:
        """How many findings there are, in a line."""
        counts = ", ".join(counted(self.count(severity), str(severity)) for severity in Severity)
        return f"{counts} in {counted(len(self.files), 'file')}"

    def to_dict(self) -> dict[str, Any]:
        """The files, what was found, and how many findings of each severity."""
        return {
            "coliee_ir": __version__,
            **fields_by_name(self),
            "summary": {str(severity): self.count(severity) for severity in Severity},
        }


def by_gravity(findings: Iterable[Finding]) -> list[Finding]:
    """Findings, the gravest first, and by the order of ``RULES``."""
    order, severities = list(RULES), list(Severity)
    return sorted(findings, key=lambda finding: (severities.index(finding.severity), order.index(finding.rule)))


def github(checked: Checked) -> Iterator[str]:
    """Workflow commands, https://docs.github.com/actions/reference/workflow-commands-for-github-actions."""
    for finding in checked.findings:
        for place in finding.places or [Place()]:
            where = {"file": finding.file, "line": place.line, "col": place.column, "title": finding.rule}
            named = (f"{name}={_escaped(value, ':,')}" for name, value in where.items() if value is not None)
            says = f"{finding.says}{f' ({quoted(place.found)})' if place.found else ''}; {finding.advice}"
            yield f"::{_COMMAND[finding.severity]} {','.join(named)}::{_escaped(says)}\n"


def _escaped(text: object, marks: str = "") -> str:
    """A value of a workflow command; marks that would end it are written as in an address."""
    return printable(re.sub(f"[%\r\n{marks}]", lambda mark: f"%{ord(mark[0]):02X}", str(text)))


def _text(validation: Validation) -> str:
    lines = list[str]()
    for file, findings in groupby(validation.findings, key=lambda finding: finding.file):
        lines.append(printable(file))
        for finding in findings:
            by = f"{_fix(finding, fixed=file in validation.mended)}  [{finding.rule}, {finding.source}]"
            lines += _block(finding, finding.says, _places(finding), by)
    return "".join(f"{line}\n" for line in [*lines, validation.summary()])


@dataclass(frozen=True, slots=True, repr=False)
class Validation(Checked):
    """What was found in the files of one or several submissions.

    Attributes:
        files: the files, as the user named them.
        task: the task they were checked for; empty if no file is a run.
        tasks: all tasks they were checked for: a file of the pilot is scored for both of its tasks.
        edition: the year whose rules count.
        findings: all findings, file by file, the gravest first.
        mended: file → the corrected copy that was written of it.
        left: what is still to be found in the corrected copies, under the names of the files.
    """

    files: tuple[str, ...]
    task: str
    tasks: tuple[str, ...]
    edition: int | None
    findings: tuple[Finding, ...]
    mended: dict[str, str] = field(default_factory=dict)
    left: tuple[Finding, ...] = ()

    forms: ClassVar[Forms] = {"table": _text, "github": github}

    def __repr__(self) -> str:
        counts = ", ".join(f"{severity}s={self.count(severity)}" for severity in Severity)
        return f"Validation({len(self.files)} files, task={self.task!r}, {counts})"

    def tables(self) -> Sequence[Grid]:
        """One row a finding."""
        columns: dict[str, Callable[[Finding], Cell]] = {
            "file": lambda finding: finding.file,
            "severity": lambda finding: str(finding.severity),
            "rule": lambda finding: finding.rule,
            "finding": lambda finding: finding.says,
            "where": _places,
            "remedy": lambda finding: finding.advice,
            "source": lambda finding: finding.source,
            "count": lambda finding: Number(finding.count, str(finding.count)),
        }
        return [Grid.of(self.findings, columns, self.summary(), n_text=7)]


@dataclass(slots=True)
class Received:
    """A file that came."""

    file: str  # the file
    team: str = ""  # whose it is; empty where nothing tells it
    task: str = ""  # its task; empty where nothing shows it
    tag: str = ""  # its run tag, or the name of a file without one; empty of what is not a run
    # ``articles``, ``documents``, ``answers``, ``long list``, ``claims``, ``description``; empty of what is none of
    # these
    part: str = ""
    described: bool | None = None  # whether a system description of the team names the run; None of what is not a run
    errors: int = 0  # how many findings are errors
    warnings: int = 0  # how many are warnings
    remark: str = ""  # what else there is to say: of what it is a copy, that it is not a run
    same_as: str = ""  # the same file of the same sender, which is checked
    corrected_by: str = ""  # a later file of the same sender, run tag and part
    # about other teams, which is not for the team's eyes
    copy_of: str = ""  # the same file of another team, which came before
    shares_tag: tuple[str, ...] = ()  # the teams with a run of this tag

    @property
    def all_remarks(self) -> str:
        """The remark, and what there is to say about other teams."""
        others = [f"taken to be corrected by {self.corrected_by}, of the same run tag"] if self.corrected_by else []
        others += [f"copy of {self.copy_of}"] if self.copy_of else []
        others += [f"run tag of {', '.join(self.shares_tag)} too"] if self.shares_tag else []
        return "; ".join(filter(None, (self.remark, *others)))


@dataclass(frozen=True, slots=True)
class Inbox(Checked):
    """All that came."""

    received: tuple[Received, ...]  # one for each file, by team, task and run; what is not a run at the end
    findings: tuple[Finding, ...]  # all findings, by file
    edition: int | None = None  # the year whose rules count, where one was named
    remarks: tuple[str, ...] = ()  # what was not looked at

    forms: ClassVar[Forms] = {
        "table": lambda inbox: plain(inbox.tables()[0]) + "".join(f"{line}\n" for line in _by_kind(inbox)),
        "github": github,
    }

    @property
    def files(self) -> Sequence[str]:  # type: ignore[override]
        """The files that came."""
        return [received.file for received in self.received]

    def tables(self) -> Sequence[Grid]:
        """One row a file."""
        words = {True: "yes", False: "no", None: ""}
        columns: dict[str, Callable[[Received], Cell]] = {
            "team": lambda row: shortened(row.team), "task": lambda row: row.task,
            "run": lambda row: shortened(row.tag),
            "part": lambda row: row.part, "file": lambda row: row.file, "described": lambda row: words[row.described],
            "errors": lambda row: Number(row.errors, str(row.errors or "-")),
            "warnings": lambda row: Number(row.warnings, str(row.warnings or "-")),
            "remark": lambda row: row.all_remarks,
        }  # fmt: skip
        return [Grid.of(self.received, columns, n_text=6)]


def _by_kind(inbox: Inbox) -> Iterator[str]:
    """Findings of one rule and remedy as one, with the first files."""
    grave = [finding for finding in by_gravity(inbox.findings) if finding.severity is not Severity.NOTE]
    # what a remedy says of one place, ``write ARC1``, does not keep findings with the same remedy apart
    place = re.compile(r"[\w.-]*(?:[0-9_]|[A-Z]{2})[\w.-]*")
    for findings in by_key(grave, lambda finding: (finding.rule, place.sub("…", finding.remedy_in_words))).values():
        # which command does it, each team is told of its own file
        merged = replace(
            findings[0], count=sum(finding.count for finding in findings), facts={**findings[0].facts, "command": ""}
        )
        if len({finding.remedy_in_words for finding in findings}) > 1:
            merged.remedy = f"in the first file: {merged.remedy_in_words}"
        files = listed([*map(_file, findings)], _FILES)
        says = f"{merged.rule}, {counted(len(findings), 'file')}: {merged.says}"
        yield from _block(merged, says, files, f"  [{merged.source}]")
    yield inbox.summary()


def _file(finding: Finding) -> str:
    """A file, and what was found in it first."""
    texts = [quoted(place.found) for place in finding.places if place.found]
    return f"{finding.file} ({_places(finding, texts)})" if texts else finding.file


def _places(finding: Finding, texts: Iterable[str] | None = None) -> str:
    """What is shown of the places of a finding, by default all that is known of them."""
    examples = filter(None, map(str, finding.places) if texts is None else texts)
    return "; ".join(examples) + ("; …" if finding.count > len(finding.places) > 0 else "")


def _block(finding: Finding, says: str, where: str, by: str) -> Iterator[str]:
    """A finding: what, where, and what to do."""
    yield f"  {finding.severity:<{_INDENT}}{says}"
    indent = " " * (_INDENT + 2)
    if where:
        yield f"{indent}{printable(where)}"
    yield f"{indent}→ {printable(finding.remedy_in_words)}{by}"
    if finding.command:
        yield f"{indent}  {printable(finding.command)}"


def _fix(finding: Finding, *, fixed: bool) -> str:
    """What ``--fix`` does about a finding, or has done."""
    if not finding.fix or (fixed and not finding.mended):
        return "; not mended" if fixed else ""
    of = f" {finding.mended} of {finding.count}" if finding.mended < finding.count else ""
    return f"; mended{of}: {finding.fix}" if fixed else f"; --fix: {finding.fix}"
