"""The tables by name: what each shows, and what makes it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from coliee_adapters.errors import UsageError
from coliee_ir.commands.leaderboard import data, questions, runs
from coliee_ir.commands.leaderboard.categories import Categories
from coliee_ir.output.grid import Grid

if TYPE_CHECKING:
    from coliee_ir.commands.leaderboard.board import Leaderboard


class Extras(NamedTuple):
    """What tables are made from besides the leaderboard."""

    categories: Categories | None = None
    candidates: float = math.nan
    train: data.Data | None = None
    style: str = ""


class Table(NamedTuple):
    """A table: what it shows, and what makes it."""

    shows: str
    build: Callable[[Leaderboard, Extras], Grid]


#: name → the table
TABLES: Final[Mapping[str, Table]] = {
    "ranking": Table(
        "the runs in rank order, with the ranks that they may have, and intervals", lambda board, _: runs.ranking(board)
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
        "questions by their mean in ten bins, by number of relevant documents and category; needs --categories",
        lambda board, extras: questions.crossed(board, extras.categories),
    ),
    "categories": Table(
        "each run by category, with a majority baseline; needs --categories",
        lambda board, extras: questions.by_category(board, extras.categories),
    ),
    "invalid": Table("files that were not ranked, and why", lambda board, _: runs.invalid(board)),
}


def build(board: Leaderboard, name: str, extras: Extras) -> Grid:
    """A table by its name."""
    if name not in TABLES:
        raise UsageError("unknown-name", f"unknown table {name!r}; the tables are {', '.join(TABLES)}")
    return replace(TABLES[name].build(board, extras), label=f"tab:task{board.called.replace(' ', '-')}-{name}")


def everything(board: Leaderboard, extras: Extras) -> tuple[dict[str, Grid], dict[str, str]]:
    """Every table that there is for this task and these files; and of the others, why not."""
    tables, missing = {}, {}
    for name in TABLES:
        try:
            tables[name] = build(board, name, extras)
        except UsageError as error:
            missing[name] = str(error)
    return tables, missing
