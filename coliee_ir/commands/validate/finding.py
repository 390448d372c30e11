"""All that one rule found in a file, and where."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import cut_to_width, printable, quoted
from coliee_adapters.remarks import for_count
from coliee_ir.commands.validate.rules import RULES, Severity

#: how many places of a finding are kept, and how many characters of what stood there
_PLACES: Final = 3
_LONGEST: Final = 200


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
        remedy: what to do, as the first place tells it; empty where none tells more than the rule.
        facts: what the rule's sentences leave open, by name.
        mended: in how many places the corrected copy, if one was written, does not have it any more.
    """

    file: str
    rule: str
    count: int = 0
    places: list[Place] = field(default_factory=list)
    remedy: str = ""
    facts: dict[str, object] = field(default_factory=dict)
    mended: int = 0
    _remedy_order: float = inf

    def add(self, line: int | None, column: int | None, found: str | None, remedy: str) -> None:
        """Count one more; of all places the first lines are kept, in whatever order they come."""
        self.count += 1
        order = inf if line is None else line
        if remedy and (not self.remedy or order < self._remedy_order):
            self.remedy, self._remedy_order = remedy, order
        shown = None if found is None else cut_to_width(found[: 4 * _LONGEST], _LONGEST)
        place = Place(line, None if line is None else column, shown)
        insort(self.places, place, key=lambda known: inf if known.line is None else known.line)
        del self.places[_PLACES:]

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.rule].severity

    @property
    def source(self) -> str:
        """Who says so: of a number that differs by task and edition, who states it there."""
        return str(self.facts.get("source", RULES[self.rule].source))

    @property
    def fix(self) -> str:
        """What ``--fix`` does about it; empty where that takes a decision."""
        return RULES[self.rule].mended

    @property
    def says(self) -> str:
        """What was found, as a clause."""
        return self._in_words(RULES[self.rule].says)

    @property
    def advice(self) -> str:
        """The remedy of the places, or else that of the rule."""
        return self.remedy or self._in_words(RULES[self.rule].remedy)

    def _in_words(self, pattern: str) -> str:
        for name, value in self.facts.items():
            pattern = pattern.replace(f"{{{name}}}", str(value))
        return for_count(pattern, self.count)

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
