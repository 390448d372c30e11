"""The leaderboard: what ``leaderboard`` gives, with its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from coliee_adapters.errors import UsageError
from coliee_adapters.remarks import told_of
from coliee_ir.commands.leaderboard.board import EASY, Board
from coliee_ir.commands.leaderboard.catalogue import Extras, build, everything
from coliee_ir.commands.leaderboard.categories import Categories
from coliee_ir.output.envelope import preamble
from coliee_ir.output.grid import Grid, html, latex, records, separated
from coliee_ir.output.shown import Forms, Shown, jsonable
from coliee_ir.output.webpage import Section, page


class Leaderboard(Board, Shown):
    """Runs ranked by the measure of their task's edition and by its tie-break.

    Two runs are equal where these values differ by no more than rounding errors. The ranks that a run may have come
    from all pairs of runs, tested together by the studentised paired randomisation of queries: as many runs as are
    significantly better are before it, as many as are significantly worse behind. With the confidence of the intervals
    the true ranks of all runs are in their sets at once. Which may be the best is found one-sided, by comparing each
    with all others (Hsu 1981).

    Attributes:
        task: the task.
        edition: the edition whose rules count; None for a task without editions.
        gold: the gold's file.
        because: what shows the task; empty where it was named.
        protocol: the rules.
        measures: the measures of the ranking; the first one ranks.
        queries: the judged queries.
        relevant: shape (Q,); how many documents are relevant to each; None where the gold names none.
        labels: the right answers; None where the gold has none.
        entries: the runs, best first.
        invalid: what is not ranked.
        remarks: what to know of the whole.
        excluded: the queries that were left out.
        resampling: how queries were resampled for ranks and intervals.
        drawn: how many resamples were drawn; 0 where all sign flips were made, and of systems.
        groups: how many groups of queries were swapped and drawn as a whole; 0 for single queries.
        replicates: whether systems of several runs each are ranked.
        described: run tag → its system description.
        teams: whose a run is, with the further columns of the list of teams.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        by = self.ranking.name
        return f"Leaderboard(task={self.task!r}, edition={self.edition}, runs={len(self.entries)}, by={by!r})"

    def tables(self) -> Sequence[Grid]:
        """The ranking."""
        return [self.table()]

    def table(
        self,
        name: str = "ranking",
        *,
        easy: float = EASY,
        categories: Categories | None = None,
    ) -> Grid:
        """One of the tables of an overview paper; ``coliee_ir.commands.leaderboard.TABLES`` names them.

        Args:
            name: its name.
            easy: the share of right answers, as a mean over runs, from which a question counts as easy.
            categories: what ``read_categories`` gave, for the tables by category.

        Raises:
            UsageError: there is no such table, or the task does not have it, or what it is made from is not given.
        """
        return build(self, name, Extras(easy, categories))

    def to_dict(self, *, easy: float = EASY, categories: Categories | None = None) -> dict[str, Any]:
        """The JSON of ``leaderboard -f json``: the runs, what is not ranked, and every table that the task has."""
        return self.contents(Extras(easy, categories))

    def contents(self, extras: Extras) -> dict[str, Any]:
        """The same, with tables made from what is given.

        :meta private:
        """
        tables, _ = everything(self, extras)
        decisions = self.ranked[0].scores.decisions.to_dict() if self.ranked else None
        return {
            **preamble(self.task, self.edition, self.gold, decisions, self.excluded),
            "measure": self.ranking.name,
            "tie_break": list(self.protocol.tie_break),
            "judged": len(self.queries),
            "resamples": self.drawn,
            "seed": self.resampling.seed,
            "confidence_level": self.resampling.confidence_level,
            **({"groups": self.groups} if self.groups else {}),
            "runs": [
                {
                    "place": entry.place or None,
                    "ranks": list(entry.ranks) if entry.ranks.best else None,
                    "own_ranks": list(entry.own_ranks) if entry.ranks.best else None,
                    "may_be_best": entry.may_be_best,
                    "team": entry.team or None,
                    **({"status": entry.status} if entry.status else {}),
                    **entry.scores.to_dict(),
                    "interval": jsonable(entry.interval),
                }
                for entry in self.entries
            ],
            "invalid": [{**one._asdict(), "files": list(one.files), "kind": one.reason.kind} for one in self.invalid],
            **told_of(self.remarks),
            "tables": {name: records(grid) for name, grid in tables.items()},
        }


class BoardTables(Shown):
    """Some tables of a leaderboard; JSON and HTML hold all of them."""

    __slots__ = ("board", "extras", "names")

    forms: ClassVar[Forms] = {
        "html": lambda one: one.page(),
        "latex": lambda one: "\n".join(map(latex, one.tables())),
        "csv": lambda one: separated(one.only("csv")),
        "tsv": lambda one: separated(one.only("tsv"), "\t"),
    }

    def __init__(self, board: Leaderboard, names: Sequence[str], extras: Extras) -> None:
        self.board, self.names, self.extras = board, names, extras

    def tables(self) -> Sequence[Grid]:
        """Those that are named."""
        return [build(self.board, name, self.extras) for name in self.names]

    def page(self) -> str:
        """All tables of the task as a page."""
        tables = everything(self.board, self.extras)[0].items()
        sections = [Section(name, name.capitalize(), html(grid, name)) for name, grid in tables if grid.rows]
        return page(self.board.protocol.titled(self.board.edition), sections)

    def only(self, form: str) -> Grid:
        """The one table that a form holds."""
        if len(self.names) > 1:
            problem = f"{form} holds one table: name one"
            raise UsageError("option-needed", problem)
        return self.tables()[0]

    def to_dict(self) -> dict[str, Any]:
        """All tables, and what ``Leaderboard.to_dict`` has besides."""
        return self.board.contents(self.extras)
