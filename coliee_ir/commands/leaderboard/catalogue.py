"""The leaderboard with its tables by name: what each shows, and what makes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, NamedTuple

from coliee_adapters.errors import UsageError
from coliee_adapters.remarks import told_of
from coliee_ir.commands.leaderboard import data, questions, runs
from coliee_ir.commands.leaderboard.board import Ranking
from coliee_ir.commands.leaderboard.categories import Categories
from coliee_ir.output.envelope import preamble
from coliee_ir.output.grid import Grid, html, in_html, latex, records, separated
from coliee_ir.output.shown import Forms, Shown, jsonable
from coliee_ir.output.webpage import Section, page


class Extras(NamedTuple):
    """What tables are made from besides the leaderboard."""

    categories: Categories | None = None
    candidates: float = math.nan
    train: data.Data | None = None
    style: str = ""


class Table(NamedTuple):
    """A table: what it shows, and what makes it."""

    shows: str
    build: Callable[[Ranking, Extras], Grid]


#: name → the table
TABLES: Final[Mapping[str, Table]] = {
    "ranking": Table(
        "runs by score, with confidence intervals and possible ranks", lambda board, _: runs.ranking(board)
    ),
    "results": Table(
        "scores of each run, in the columns of the organisers", lambda board, extras: runs.results(board, extras.style)
    ),
    "approaches": Table("the approaches by the descriptions", lambda board, _: runs.approaches(board)),
    "data": Table(
        "queries, candidates and relevant documents of training and test",
        lambda board, extras: data.data(board, extras.candidates, extras.train),
    ),
    "relevant": Table("questions by number of relevant documents", lambda board, _: questions.relevant(board)),
    "questions": Table(
        "each question's means over all runs, by kind",
        lambda board, extras: questions.questions(board),
    ),
    "crossed": Table(
        "number of questions per mean score (ten bins), by category and number of relevant documents; needs "
        "--categories",
        lambda board, extras: questions.crossed(board, extras.categories),
    ),
    "categories": Table(
        "each run by category, with a majority baseline; needs --categories",
        lambda board, extras: questions.by_category(board, extras.categories),
    ),
    "invalid": Table("files that were not ranked, and why", lambda board, _: runs.invalid(board)),
}


def build(board: Ranking, name: str, extras: Extras) -> Grid:
    """A table by its name."""
    if name not in TABLES:
        raise UsageError("unknown-name", f"unknown table {name!r}; the tables are {', '.join(TABLES)}")
    return replace(TABLES[name].build(board, extras), label=f"tab:task{board.called.replace(' ', '-')}-{name}")


def everything(board: Ranking, extras: Extras) -> tuple[dict[str, Grid], dict[str, str]]:
    """Every table that there is for this task and these files; and of the others, why not."""
    tables, missing = {}, {}
    for name in TABLES:
        try:
            tables[name] = build(board, name, extras)
        except UsageError as error:
            missing[name] = str(error)
    return tables, missing


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Leaderboard(Ranking, Shown):
    """Runs ranked by the measure of their task's edition and by its tie-break; see ``Ranking`` for what it holds."""

    def __repr__(self) -> str:
        by = self.ranking.name
        return f"Leaderboard(task={self.task!r}, edition={self.edition}, runs={len(self.entries)}, by={by!r})"

    def tables(self) -> Sequence[Grid]:
        """The ranking."""
        return [self.table()]

    def notes(self) -> Sequence[str]:
        """What ranks mean, and how they are found."""
        return [self.method] if self.best else []

    def table(self, name: str = "ranking", *, categories: Categories | None = None) -> Grid:
        """One of the tables of an overview paper; ``coliee_ir.commands.leaderboard.TABLES`` names them.

        Args:
            name: its name.
            categories: what ``read_categories`` gave, for the tables by category.

        Raises:
            UsageError: there is no such table, or the task does not have it, or what it is made from is not given.
        """
        return build(self, name, Extras(categories))

    def to_dict(self, *, categories: Categories | None = None) -> dict[str, Any]:
        """The JSON of ``leaderboard -f json``: the runs, what is not ranked, and every table that the task has."""
        tables, _ = everything(self, Extras(categories))
        decisions = self.entries[0].scores.decisions.to_dict() if self.entries else None
        return {
            **preamble(self.task, self.edition, self.gold, decisions, self.excluded),
            "measure": self.ranking.name,
            **({"lower_is_better": True} if self.ranking.lower_is_better else {}),
            "tie_break": list(self.protocol.tie_break),
            "judged": len(self.queries),
            "resamples": self.drawn,
            "seed": self.resampling.seed,
            "confidence_level": self.resampling.confidence_level,
            **({"groups": self.groups} if self.groups else {}),
            "runs": [
                {
                    "place": entry.place or None,
                    "ranks": jsonable(entry.ranks),
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

    __slots__ = ("board", "categories", "names")

    forms: ClassVar[Forms] = {
        "html": lambda one: one.page(),
        "latex": lambda one: "\n".join(map(latex, one.tables())),
        "csv": lambda one: separated(one.only("csv")),
        "tsv": lambda one: separated(one.only("tsv"), "\t"),
    }

    def __init__(self, board: Leaderboard, names: Sequence[str], categories: Categories | None) -> None:
        self.board, self.names, self.categories = board, names, categories

    def tables(self) -> Sequence[Grid]:
        """Those that are named."""
        return [self.board.table(name, categories=self.categories) for name in self.names]

    def notes(self) -> Sequence[str]:
        """What the board has, where a table of runs is among them."""
        return self.board.notes() if {"ranking", "results"}.intersection(self.names) else ()

    def page(self) -> str:
        """All tables of the task as a page."""
        tables = everything(self.board, Extras(self.categories))[0].items()
        sections = [Section(name, name.capitalize(), html(grid, name)) for name, grid in tables if grid.rows]
        above = "".join(f"<p>{in_html(note)}</p>\n" for note in self.board.notes())
        return page(self.board.protocol.titled(self.board.edition), sections, above)

    def only(self, form: str) -> Grid:
        """The one table that a form holds."""
        if len(self.names) > 1:
            problem = f"{form} can contain only one table; give --table once, or use -f json"
            raise UsageError("option-needed", problem)
        return self.tables()[0]

    def to_dict(self) -> dict[str, Any]:
        """All tables, and what ``Leaderboard.to_dict`` has besides."""
        return self.board.to_dict(categories=self.categories)
