"""What validation found."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from coliee_adapters.classes import dataclass
from coliee_ir._version import __version__
from coliee_ir.commands.validate.findings import Finding
from coliee_ir.commands.validate.rules import Severity
from coliee_ir.output.shown import Shown


@dataclass(frozen=True, slots=True, repr=False)
class Validation(Shown):
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

    def __repr__(self) -> str:
        counts = ", ".join(f"{severity}s={self.count(severity)}" for severity in Severity)
        return f"Validation({len(self.files)} files, task={self.task!r}, {counts})"

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return self.count(Severity.ERROR)

    def count(self, severity: Severity) -> int:
        """How many findings are so grave."""
        return sum(finding.severity is severity for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``validate -f json``."""
        return {
            "coliee_ir": __version__,
            "task": self.task,
            "tasks": list(self.tasks),
            "edition": self.edition,
            "files": list(self.files),
            "summary": {str(severity): self.count(severity) for severity in Severity},
            "findings": [finding.to_dict() for finding in self.findings],
            "mended": self.mended,
            "left": [finding.to_dict() for finding in self.left],
        }
