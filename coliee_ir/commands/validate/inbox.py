"""What came in a folder of submissions, as a table: one row a file."""

from __future__ import annotations

from typing import Any, Final

from coliee_adapters.classes import dataclass
from coliee_adapters.remarks import told_of
from coliee_ir._version import __version__
from coliee_ir.commands.validate.findings import Finding
from coliee_ir.commands.validate.rules import Severity
from coliee_ir.output.grid import Cell, Grid, Number

_COLUMNS: Final = ("team", "task", "run", "part", "file", "described", "errors", "warnings", "remark")


@dataclass(slots=True)
class Received:
    """A file that came.

    Attributes:
        file: the file.
        team: whose it is; empty where nothing tells it.
        task: its task; empty where nothing shows it.
        tag: its run tag, or the name of a file without one; empty of what is not a run.
        part: ``articles``, ``documents``, ``answers``, ``long list``, ``claims``, ``description``; empty of what is
            none of these.
        described: whether a system description of the team names the run; None of what is not a run.
        errors: how many findings are errors.
        warnings: how many are warnings.
        remark: what else there is to say: of what it is a copy, that it is not a run.
    """

    file: str
    team: str = ""
    task: str = ""
    tag: str = ""
    part: str = ""
    described: bool | None = None
    errors: int = 0
    warnings: int = 0
    remark: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The row as an entry of the JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Inbox:
    """All that came.

    Attributes:
        rows: one for each file, by team, task and run; what is not a run at the end.
        findings: all findings, by file.
        edition: the year whose rules count, where one was named.
        remarks: what was not looked at.
    """

    rows: tuple[Received, ...]
    findings: tuple[Finding, ...]
    edition: int | None = None
    remarks: tuple[str, ...] = ()

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return self.count(Severity.ERROR)

    def count(self, severity: Severity) -> int:
        """How many findings are so grave."""
        return sum(finding.severity is severity for finding in self.findings)

    def grid(self) -> Grid:
        """One row a file."""
        said = {True: "yes", False: "no", None: ""}
        rows: list[list[Cell]] = [
            [row.team, row.task, row.tag, row.part, row.file, said[row.described],
             *(Number(n, str(n) if n else "-") for n in (row.errors, row.warnings)), row.remark]
            for row in self.rows
        ]  # fmt: skip
        return Grid(list(_COLUMNS), rows, n_text=6)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``validate FOLDER -f json``."""
        return {
            "coliee_ir": __version__,
            "edition": self.edition,
            "received": [row.to_dict() for row in self.rows],
            "summary": {str(severity): self.count(severity) for severity in Severity},
            "findings": [finding.to_dict() for finding in self.findings],
            **told_of(self.remarks),
        }
