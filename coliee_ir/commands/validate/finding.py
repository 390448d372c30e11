"""What a rule is, and all that one rule found in a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from coliee_adapters.errors import printable, quoted
from coliee_adapters.remarks import worded
from coliee_ir.rules.protocol import Authority


class Severity(StrEnum):
    """How bad a finding is.

    ``error``: the organisers' rules, or any evaluator that follows them, would reject or mis-score it. ``warning``:
    most likely a mistake. ``note``: worth knowing.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rule(NamedTuple):
    """A rule of what a submission must look like."""

    of: tuple[str, ...]  # the kinds of files that it concerns: see ``Sheet.kind``; ``submission`` for all together
    find: Callable[[Any], None]  # the check that finds it, of a ``Sheet`` or a ``Submission``
    severity: Severity  # how bad it is to break it
    says: str  # what was found, with ``{n}`` for the count and ``(a|b)`` for singular and plural
    remedy: str  # what to do, unless the place at hand tells more
    source: Authority  # who says so; a number that differs by task and edition may have a source of its own
    mended: str = ""  # what ``--fix`` does about it; empty where that takes a decision


class Place(NamedTuple):
    """Where something was found: the 1-based line and column, where it has them, and what stood there."""

    line: int | None = None
    column: int | None = None
    found: str | None = None

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}"
        where += "" if self.column is None else f", column {self.column}"
        found = "" if self.found is None else quoted(self.found)
        return f"{where}: {found}" if where and found else where or found


@dataclass(slots=True)
class Finding:
    """All that one rule found in one file.

    Attributes:
        file: the file as the user named it.
        rule: the rule's name.
        count: how often.
        places: the first three places.
        remedy: what to do.
        facts: what the rule's sentences leave open, by name.
        mended: in how many places the corrected copy, if one was written, does not have it any more.
    """

    file: str
    rule: str
    _rule: Rule
    count: int = 0
    places: list[Place] = field(default_factory=list)
    remedy: str = ""
    facts: dict[str, object] = field(default_factory=dict)
    mended: int = 0

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self._rule.severity

    @property
    def source(self) -> str:
        """Who says so: of a number that differs by task and edition, who states it there."""
        return str(self.facts.get("source", self._rule.source))

    @property
    def fix(self) -> str:
        """What ``--fix`` does about it; empty where that takes a decision."""
        return self._rule.mended

    @property
    def says(self) -> str:
        """What was found, as a clause."""
        return self._worded(self._rule.says)

    @property
    def advice(self) -> str:
        """The remedy of the places, or else that of the rule."""
        return self.remedy or self._worded(self._rule.remedy)

    def _worded(self, pattern: str) -> str:
        for name, value in self.facts.items():
            pattern = pattern.replace(f"{{{name}}}", str(value))
        return worded(pattern, self.count)

    def __str__(self) -> str:
        first = self.places[0] if self.places else Place()
        where = ":".join(str(part) for part in (printable(self.file), first.line, first.column) if part is not None)
        shown = [str(place) for place in self.places if str(place)]
        places = f" ({'first: ' if self.count > 1 else ''}{'; '.join(shown)})" if shown else ""
        return f"{where}: {self.severity}: {self.says}{places}; {printable(self.advice)} [{self.rule}, {self.source}]"

    def to_dict(self) -> dict[str, Any]:
        """The finding as an entry of the JSON."""
        return {
            "file": self.file,
            "rule": self.rule,
            "severity": str(self.severity),
            "count": self.count,
            "says": self.says,
            "remedy": self.advice,
            "source": self.source,
            "fix": self.fix,
            "mended": self.mended,
            "places": [place._asdict() for place in self.places],
        }
