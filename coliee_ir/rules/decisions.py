"""What the organisers leave open, as explicit choices. The defaults are those of this project; a result names its own.

Each field is one point that no page, paper or published number settles (docs/reference/protocols.md lists them).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, cast

from coliee_adapters.checked import one_of
from coliee_adapters.errors import UsageError, listed
from coliee_adapters.kinds import TREATMENTS
from coliee_ir.rules.choices import CHOICES, TASKS
from coliee_ir.rules.protocol import Protocol, all_rules


def _choice(default: str, decides: str, *matters: str) -> Any:
    """A field: its default, what it decides, for ``--help`` and the docs, and what of rules it matters under."""
    return field(default=default, metadata={"help": decides, "matters": matters})


@dataclass(frozen=True, slots=True)
class Decisions:
    """The choices behind a score.

    A new one is a field here, with what it decides, and its ``CHOICES``, the default first: the command
    line, the JSON and docs/reference/protocols.md have it at once.
    """

    unanswered: Literal["zero", "skip"] = _choice(
        "zero",
        "queries without results, in macro averages: score 0, or are left out (micro averages always count their "
        "relevant documents; to score a validation split, use --only)",
        "ranked",
    )
    extra_queries: Literal["ignore", "wrong"] = _choice(
        "ignore",
        "queries that are not in the gold: ignored, or all their lines count as wrong in micro averages",
        "ranked",
    )
    duplicates: Literal["once", "wrong"] = _choice(
        "once",
        "documents repeated in the results of a query: counted once, or the repetitions count as wrong",
        "ranked",
        "claims",
    )
    empty_gold: Literal["skip", "zero", "one"] = _choice(
        "skip",
        "queries without relevant documents, in macro averages: left out, or undefined values are 0 or 1",
        "ranked",
    )
    undefined: Literal["zero", "one", "skip"] = _choice(
        "zero",
        "pilot only: F1 of a rationale instance without True in gold and prediction is 0 or 1, or left out",
        "claims",
    )
    without_articles: Literal["sufficient", "wrong", "skip"] = _choice(
        "sufficient",
        "Task 3 from 2026 only: questions without gold articles are decided by their label, wrong, or left out",
        "ranked_and_answered",
    )
    unreadable_answers: Literal["refuse", "wrong"] = _choice(
        "refuse", "answers other than Y and N: the run is refused, or they count as wrong", "answered"
    )
    no_overlap: Literal["refuse", "zero"] = _choice(
        "refuse", "a run that shares no or hardly any ids with the gold as they are written: is refused, or scored"
    )
    order: Literal["descending", "ascending"] = _choice(
        "descending",
        "which scores are best: the highest, or the lowest, as distances are; lists without scores have the best "
        "document first, or last",
        "ranked",
    )

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise UsageError(
                    "unknown-name", f"{name} cannot be {getattr(self, name)!r}; choose one of {', '.join(allowed)}"
                )

    @classmethod
    def of(cls, decisions: Decisions | Mapping[str, str] | None, rules: Protocol) -> Decisions:
        """Those given; or those given by name, and for the others the choices of the rules.

        Raises:
            UsageError: there is no such choice, or it cannot matter for the task.
        """
        if isinstance(decisions, cls):
            return decisions
        named: Mapping[str, str] = one_of(
            "decisions", decisions or {}, Mapping, "a dictionary, or a coliee_ir.Decisions"
        )
        for name, choice in named.items():
            if name not in CHOICES:
                raise UsageError("unknown-name", f"there is no decision {name!r}; choose one of {', '.join(CHOICES)}")
            if choice != CHOICES[name][0] and not matters(name, rules.task):
                tasks = ", ".join(task for task in TASKS if matters(name, task))
                raise UsageError(
                    "unfit-option",
                    f"decision {name}={choice} does not apply to task {rules.task}; it applies to {tasks}",
                )
        return cls(**cast(Any, {**rules.decisions, **named}))

    def to_dict(self) -> dict[str, str]:
        """Field → choice."""
        return {name: getattr(self, name) for name in CHOICES}

    def clauses(self, measures: Mapping[str, Collection[str]] | None = None) -> Mapping[str, str]:
        """Kind of remark → what was done about it; measures → the fields that each follows, by default all."""
        return {kind: self._clause(TREATMENTS[kind], about, measures) for kind, about in _ABOUT.items()}

    def _clause(self, done: Mapping[str, str], about: str, measures: Mapping[str, Collection[str]] | None) -> str:
        """What was done in the measures that follow a field, and in the others if that is not the same."""
        usual, chosen = done[CHOICES[about][0]], done[getattr(self, about)]
        others = [name for name, follows in (measures or {}).items() if about not in follows]
        if measures and len(others) == len(measures):
            return done.get("unused", usual)
        if chosen == usual or not others or "elsewhere" not in done:
            return chosen
        return f"{chosen}; in {listed(others, _SHOWN)} {done['elsewhere']}"


_UNDER: Final = {field.name: field.metadata["matters"] for field in fields(Decisions)}


def matters(name: str, task: str) -> bool:
    """Whether a field can matter for a task, in any of its editions."""
    return not _UNDER[name] or any(getattr(rules, what) for what in _UNDER[name] for rules in all_rules(task))


_SHOWN: Final = 3

#: kind of remark → the decision that says what is done about it
_ABOUT: Final[Mapping[str, str]] = {
    "unanswered-query": "unanswered",
    "nothing-retrieved": "unanswered",
    "extra-query": "extra_queries",
    "duplicate": "duplicates",
    "empty-gold": "empty_gold",
    "undefined-f1": "undefined",
    "unreadable-answer": "unreadable_answers",
}
