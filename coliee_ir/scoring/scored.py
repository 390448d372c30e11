"""Runs scored against one gold by the same rules: what every question about several runs begins with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from coliee_adapters.checked import one_of, refused, texts
from coliee_adapters.classes import dataclass
from coliee_adapters.errors import UsageError
from coliee_ir.measures import Measure
from coliee_ir.output.grid import Grid
from coliee_ir.output.shown import Shown
from coliee_ir.scoring import measuring
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.scores import Keep, Scores, as_grid, document, places_of
from coliee_ir.scoring.submission import Invalid, Submission

if TYPE_CHECKING:
    from coliee_ir.inbox.inventory import Inventory


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scored(Shown, Sequence[Scores]):
    """Runs scored by one evaluator: a sequence of ``Scores``, also found by run name.

    Attributes:
        scores: those of stores, then those of the runs that could be read, in their order.
        evaluator: what scored them: the gold and the rules.
        submissions: the run of each; None for one of a store, of which there are only scores.
        invalid: the runs that could not be scored, with the reason.
        remarks: what became of the files, in sentences.
        because: what shows the task; empty where it was named.
        keep: what was kept of each run.
    """

    scores: Sequence[Scores]
    evaluator: Evaluator
    submissions: Sequence[Submission | None]
    invalid: Sequence[Invalid] = ()
    remarks: Sequence[str] = ()
    because: str = ""
    inventory: Inventory | None = None  # all files that came in folders
    keep: Keep = "judged"

    def __repr__(self) -> str:
        return f"Scored({[scores.tag for scores in self.scores[:8]]}, n={len(self)}, task={self.evaluator.task!r})"

    def __len__(self) -> int:
        return len(self.scores)

    @overload
    def __getitem__(self, at: int | str) -> Scores: ...
    @overload
    def __getitem__(self, at: slice) -> Scored: ...
    def __getitem__(self, at: int | str | slice) -> Scores | Scored:
        if isinstance(at, slice):
            return self.of(range(len(self))[at])
        if isinstance(at, int):
            return self.scores[at]
        if len(places := places_of(self.scores, at)) != 1:
            raise KeyError(at)
        return self.scores[places[0]]

    def of(self, places: Sequence[int]) -> Scored:
        """Some of them, in this order."""
        scores, submissions = [self.scores[at] for at in places], [self.submissions[at] for at in places]
        return replace(self, scores=scores, submissions=submissions, remarks=(), invalid=())

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures that all runs have, the one that ranks first."""
        every = [scores.results for scores in self.scores]
        return tuple(measure for measure in every[0] if all(measure in one for one in every)) if every else ()

    def tables(self) -> Sequence[Grid]:
        """The runs, the best of each measure bold."""
        return [as_grid(self.scores, False)]

    def table_of_queries(self) -> Grid:
        """Each query of each run."""
        table = as_grid(self.scores, True)
        at = table.header.index("query")
        return replace(table, rows=[row for row in table.rows if row[at] != "all"])

    def to_dict(self, *, per_query: bool = False, ties: bool = False) -> dict[str, Any]:
        """The JSON of ``evaluate -f json``."""
        return document(self.scores, per_query=per_query, ties=ties)


def checked(scored: object, at_least: int = 1, what: str = "this") -> Sequence[Scores]:
    """Runs that were scored, at least so many."""
    kind = "what evaluate_all gives, or a list of Scores"
    runs: Sequence[Scores] = one_of("scored", scored, Sequence, kind)
    if not all(isinstance(one, Scores) for one in runs):
        raise refused("scored", kind, scored)
    if len(runs) < at_least:
        raise UsageError("too-few", f"{what} needs at least {'two runs' if at_least > 1 else 'one run'}")
    return runs


def with_judged(scored: object, what: str) -> Scored:
    """Runs of which the judged documents were kept, without which something cannot be made."""
    found: Scored = one_of("scored", scored, Scored, "what evaluate_all gives")
    if found.keep != "judged":
        raise UsageError("not-comparable", f"{what} needs the judged documents: evaluate_all(…, keep='judged')")
    return found


def comparable(scored: Sequence[Scores], names: str | Sequence[str] = ()) -> list[Measure]:
    """The measures of some names, by which runs scored by the same rules are compared; by default the one that ranks.

    Raises:
        UsageError: a name stands for no measure or several, the runs were not scored by it, or not by the same rules.
    """
    first = scored[0]
    names = texts("measures", names or (), "the name of a measure, or a list of names")
    measures = measuring.singly(names, first.task, first.edition) or list(first.results)[:1]
    for scores in scored:
        if missing := [measure for measure in measures if measure not in scores.results]:
            problem = f"some runs have no {missing[0]} score; were all scored by it, and have the same parts?"
            raise UsageError("not-comparable", problem)
        if tuple(scores.query_ids) != tuple(first.query_ids):
            raise UsageError("not-comparable", "the runs were scored on different queries")
        if (scores.task, scores.edition, scores.decisions) != (first.task, first.edition, first.decisions):
            raise UsageError("not-comparable", "the runs were scored by different rules")
        if first.query_ids and not len(scores.results[measures[0]].per_query):
            problem = "the scores of single queries were not kept: evaluate_all(…, keep='queries')"
            raise UsageError("not-comparable", problem)
    return measures
