"""What was found in a submission, gathered by file and rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from coliee_adapters.errors import printable
from coliee_adapters.remarks import worded
from coliee_ir.commands.validate.lists import MANY
from coliee_ir.commands.validate.rules import RULES, Severity
from coliee_ir.commands.validate.sheet import Place, Sheet
from coliee_ir.rules.protocol import SubmissionRules


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
    count: int = 0
    places: list[Place] = field(default_factory=list)
    remedy: str = ""
    facts: dict[str, object] = field(default_factory=dict)
    mended: int = 0

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.rule].severity

    @property
    def source(self) -> str:
        """Who says so: of a number that differs by task and edition, who states it there."""
        return str(self.facts.get("source", RULES[self.rule].source))

    @property
    def says(self) -> str:
        """What was found, as a clause."""
        return self._worded(RULES[self.rule].says)

    @property
    def advice(self) -> str:
        """The remedy of the places, or else that of the rule."""
        return self.remedy or self._worded(RULES[self.rule].remedy)

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
            "fix": RULES[self.rule].mended,
            "mended": self.mended,
            "places": [place._asdict() for place in self.places],
        }


def findings_of(sheets: Iterable[Sheet]) -> tuple[Finding, ...]:
    """What was found, file by file, and in each the gravest first, and by the order of ``RULES``."""
    order = {rule: (list(Severity).index(RULES[rule].severity), at) for at, rule in enumerate(RULES)}
    return tuple(
        Finding(sheet.name, rule, noted.count, noted.places, noted.remedy, _usual(sheet.rules) | noted.facts)
        for sheet in sheets
        for rule, noted in sorted(sheet.found.items(), key=lambda one: order[one[0]])
    )


def _usual(rules: SubmissionRules) -> dict[str, object]:
    """What the sentences of rules leave open, whatever is found."""
    names = ("tag_length", "most_runs", "long_list")
    return {"many": MANY, **{name: getattr(rules, name) for name in names}}
