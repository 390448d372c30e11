"""What was found in a submission, gathered by file and rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import cut, printable, quoted
from coliee_adapters.remarks import worded
from coliee_ir.commands.validate.rules import RULES, Severity
from coliee_ir.commands.validate.sheet import Add

_SHOWN: Final = 3
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


class Findings:
    """Findings in the making, gathered by file and rule."""

    def __init__(self, files: Sequence[str] = (), **facts: object) -> None:
        self._files = {file: at for at, file in enumerate(files)}
        self._facts = facts
        self._found: dict[tuple[str, str], Finding] = {}

    def add(
        self,
        file: str,
        rule: str,
        line: int | None = None,
        column: int | None = None,
        found: str | None = None,
        *,
        remedy: str = "",
        **facts: object,
    ) -> None:
        """Count one more; the first remedy that a place gives stands for all."""
        RULES[rule]
        finding = self._found.get((file, rule))
        if finding is None:
            finding = self._found[file, rule] = Finding(file, rule, facts={**self._facts, **facts})
        finding.count += 1
        finding.remedy = finding.remedy or remedy
        if len(finding.places) < _SHOWN:
            shown = found if found is None else cut(found[: 4 * _LONGEST], _LONGEST)
            finding.places.append(Place(line, None if line is None else column, shown))

    def of(self, file: str) -> Add:
        """``add`` for one file."""
        return partial(self.add, file)

    def get(self, file: str, rule: str) -> Finding | None:
        """What a rule found in a file."""
        return self._found.get((file, rule))

    def is_sound(self, file: str) -> bool:
        """Whether no error was found in a file."""
        return not any(of == file and RULES[rule].severity is Severity.ERROR for of, rule in self._found)

    def __iter__(self) -> Iterator[Finding]:
        """File by file, and in each the gravest first, and by the order of ``RULES``."""
        order = {rule: (list(Severity).index(RULES[rule].severity), at) for at, rule in enumerate(RULES)}
        for file, rule in sorted(
            self._found, key=lambda key: (self._files.get(key[0], len(self._files)), order[key[1]])
        ):
            yield self._found[file, rule]
