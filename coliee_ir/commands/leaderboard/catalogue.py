"""The leaderboard with its tables by name: those of runs, and what each shows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.forms.lines import counted
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.remarks import Remark, as_json
from coliee_ir.commands.leaderboard import questions
from coliee_ir.commands.leaderboard.board import Entry, Ranking
from coliee_ir.commands.leaderboard.questions import Categories, Data, data, majority, short
from coliee_ir.measures import Measure
from coliee_ir.measures.labels import Accuracy
from coliee_ir.output.envelope import preamble
from coliee_ir.output.grid import Cell, Grid, Number, distinct, html, in_html, latex, records, separated
from coliee_ir.output.shown import Forms, TabularResult, jsonable
from coliee_ir.output.webpage import Section, page
from coliee_ir.reading.submission import Invalid

#: the cell of a run in a column
_Column = Callable[[Entry], Cell]


def ranking(board: Ranking) -> Grid:
    """The runs in their places, with the ranks that they may have, and intervals."""
    who, ends, (first, *others) = name_columns(board), bounds(board), scored(board).items()
    elsewhere = {} if board.tasks is None else board.tasks.other_tasks
    ranks: dict[str, _Column] = {
        "rank": lambda entry: _whole(entry.place), f"rank {board.percent}": lambda entry: str(entry.ranks),
        **({"other tasks": lambda entry: str(elsewhere.get(entry.name, "-"))} if elsewhere else {}),
    }  # fmt: skip
    columns = {**ranks, **who, **dict([first]), **ends, **dict(others)}
    return Grid.of(board.entries, columns, _caption(board), len(ranks) + len(who))


def name_columns(board: Ranking) -> dict[str, _Column]:
    """Heading → cell of what a run is called, and what the list of teams says of it."""
    team: dict[str, _Column] = {"team": lambda entry: entry.team} if any(run.team for run in board.entries) else {}
    return {**team, "run": lambda entry: entry.scores.name_in_team, **teams_file_columns(board)}


def teams_file_columns(board: Ranking) -> dict[str, _Column]:
    """Heading → cell of the further columns of the list of teams."""
    names = () if board.teams is None else distinct(board.teams.columns, _own(board))
    return {name: lambda entry, i=i: entry.more[i] if entry.more else "" for i, name in enumerate(names)}  # type: ignore[misc]


def _own(board: Ranking) -> list[str]:
    """The headings and columns that are not those of measures, tasks or the list of teams."""
    names = ("place", "team", "file", "run", "returned", "correct", "right", "ranks", "interval", "rank", "other tasks")
    with_level = (f"{heading} {board.percent}" for heading in ("rank", "low", "high", "Rank", "Interval"))
    return [*names, *map(str.capitalize, names), *with_level]


def _called(board: Ranking) -> list[str]:
    """How the columns of the measures are called."""
    return distinct([measure.name for measure in board.measures], [*_own(board), *teams_file_columns(board)])


def scored(board: Ranking, decimals: int = 4) -> dict[str, _Column]:
    """Heading → cell of the measures, the best value of the ranked runs bold."""

    def cell(measure: Measure, best: str) -> _Column:
        def of(entry: Entry) -> Number:
            value = entry.scores.results[measure].value if measure in entry.scores.results else math.nan
            text = "" if math.isnan(value) else f"{value:.{decimals}f}"
            return Number(value, text, bold=Number(value).text == best)

        return of

    columns_of_measures: dict[str, _Column] = {}
    for name, measure in zip(_called(board), board.measures, strict=True):
        values = [result.value for result in board.results(measure, counted=True)]
        best = measure.best(values) if len(values) > 1 else math.nan
        columns_of_measures[name] = cell(measure, "" if math.isnan(best) else Number(best).text)
    return columns_of_measures


def bounds(board: Ranking) -> dict[str, _Column]:
    """Heading → cell of the ends of the interval."""
    percent = board.percent
    return {
        f"low {percent}": lambda entry: Number(entry.interval.low),
        f"high {percent}": lambda entry: Number(entry.interval.high),
    }


def _caption(board: Ranking) -> str:
    breaking = [measure.name for measure in board.measures[1:] if measure.name in board.protocol.tie_break]
    ties = f", ties broken by {', '.join(breaking)}" if breaking else ""
    groups = f" in {counted(board.groups, 'group')}" if board.groups else ""
    groups += f" of {len(board.tasks.names)} tasks that count the same" if board.tasks else ""
    runs = counted(len(board.counted), "system" if board.replicates else "run")
    less = ", less is better" * board.ranking.lower_is_better
    queries = counted(len(board.queries), board.unit)
    head = f"{runs} ranked by {board.ranking}{less}{ties}; {queries}{groups}, {board.percent} intervals."
    return f"{head} {board.best[:1].upper()}{board.best[1:]}.".removesuffix(" .")


def results(board: Ranking, style: str = "") -> Grid:
    """Scores of each run (Tables 1, 5, 6, 8, 11 and 13 of the 2021 overview), in columns as the organisers have them.

    Of documents ``returned`` are all and ``correct`` the relevant ones; of answers ``correct`` are the right ones; of
    both together (Task 3 from 2026 on) ``right`` counts questions. Beside their columns stand the place, measures that
    they leave out, the ranks that a run may have, and the interval. In the style ``coliee2021`` the table is theirs
    alone: the baseline first, with their decimals.
    """
    is_theirs = style == "coliee2021"
    entries = [entry for entry in board.entries if not (is_theirs and entry.status)]
    decimals = board.protocol.decimals if is_theirs else 4
    cells: dict[str, _Column] = {
        "place": lambda entry: str(entry.place or "–"), "team": lambda entry: entry.team,
        "file": lambda entry: entry.tag if entry.file == MEMORY else re.split(r"[/\\]", entry.file)[-1],
        "run": lambda entry: entry.scores.name_in_team, **teams_file_columns(board),
        "returned": lambda entry: "" if board.main == "answers" else _count(entry, "retrieved"),
        "correct": lambda entry: _count(entry, "correct"), "right": lambda entry: _right(board, entry),
        **scored(board, decimals),
        "ranks": lambda entry: entry.status or str(entry.ranks), "interval": _interval,
    }  # fmt: skip
    headed = columns(board, is_theirs=is_theirs)
    table = Grid.of(entries, {heading: cells.get(column, _nothing) for heading, column in headed.items()})
    rows = [*table.rows]
    if (baseline := majority(board)) is not None:
        label, is_right = baseline
        right, share = int(is_right.sum()), float(is_right.mean())
        text = f"{'Yes' if label == 'Y' else 'No'} {right}/All {len(board.queries)}" if is_theirs else str(right)
        called: dict[str, Cell] = {"place": "–", "run": "BaseLine" if is_theirs else f"baseline (all {label})"}
        called |= {"correct": Number(right, text), board.ranking.name: Number(share, f"{share:.{decimals}f}")}
        rows.insert(0 if is_theirs else len(rows), [called.get(column, "") for column in headed.values()])
    filled = [i for i in range(len(headed)) if any(row[i] for row in rows)]
    n_text = sum(
        column in (*_TEXTS, *teams_file_columns(board)) for i, column in enumerate(headed.values()) if i in filled
    )
    header = [table.header[i] for i in filled]
    return Grid(header, [[row[i] for i in filled] for row in rows], _caption(board), n_text)


def _nothing(_: Entry) -> Cell:
    """The cell of a measure that no run has."""
    return ""


def _interval(entry: Entry) -> str:
    low, high = entry.interval
    return "" if math.isnan(low) else re.sub(r"\b0\.", ".", f"[{low:.3f}, {high:.3f}]")


#: the columns at the left: who a run is
_TEXTS: Final = ("place", "team", "file", "run")

#: how measures are headed that are called otherwise for single questions
_MEANS: Final = {"AP": "MAP", "map": "MAP", "recip_rank": "MRR"}


def columns(board: Ranking, *, is_theirs: bool = False) -> dict[str, str]:
    """Heading → column of the results: those of the organisers' table, then ours; names before numbers."""
    theirs, percent = board.protocol.table, board.percent
    names = _called(board)
    heads = [_MEANS.get(name, short(name)) for name in names]
    ours = {"Place": "place", "Team": "team", "Run": "run", **{name: name for name in teams_file_columns(board)}}
    if not theirs:
        ours |= {"Returned": "returned", "Correct": "correct", "Right": "right"}
    for head, name in zip(heads, names, strict=True):
        ours[name if heads.count(head) > 1 or head in {**theirs, **ours} else head] = name
    ours |= {f"Rank {percent}": "ranks", f"Interval {percent}": "interval"}
    if is_theirs:
        left_out = {*ours.values()} - {*teams_file_columns(board)} if theirs else {"place", "ranks", "interval"}
        ours = {heading: column for heading, column in ours.items() if column not in left_out}
    columns = {**theirs, **{heading: column for heading, column in ours.items() if column not in theirs.values()}}
    left = [*_TEXTS, *teams_file_columns(board)]
    order = {column: i for i, column in enumerate(left)}
    return dict(sorted(columns.items(), key=lambda item: order.get(item[1], len(left))))


def _count(entry: Entry, name: str) -> Cell:
    return _whole(entry.scores.counts[name]) if entry.scores.counts else ""


def _right(board: Ranking, entry: Entry) -> Cell:
    """How many questions are right, of documents and answers together."""
    if board.main == "answers" or not (entry.scores.counts and isinstance(board.ranking, Accuracy)):
        return ""
    return _whole(round(float(np.nansum(entry.scores.results[board.ranking].per_query))))


def approaches(board: Ranking) -> Grid:
    """What the system descriptions say (Table 4): a row for the runs of a team of which they say the same."""
    if not board.described:
        raise UsageError("no-result", "no system description came with the runs")
    with_teams = any(entry.team for entry in board.entries)
    runs: dict[tuple[str, ...], list[str]] = {}
    for entry in board.entries:
        if (description := board.description(entry)) is not None:
            name = entry.scores.name_in_team
            texts = (
                " ".join(text.split()) or "-"
                for text in (description.models, description.resources, description.explanation)
            )
            runs.setdefault((entry.team or f"\0{name}", *texts), []).append(name)
    rows = [[*[team.partition("\0")[0]] * with_teams, ", ".join(tags), *texts] for (team, *texts), tags in runs.items()]
    header = [*["team"] * with_teams, "runs", "models", "resources", "approach"]
    return Grid(header, rows, "Approaches, by the teams' system descriptions.", n_text=len(header))


def invalid(board: Ranking) -> Grid:
    """What is not ranked, and why."""
    refused = [refused_below(invalid, None if board.teams is None else board.teams.common) for invalid in board.invalid]
    columns: dict[str, Callable[[Invalid], Cell]] = {
        "team": lambda run: run.team, "run": lambda run: run.tag, "files": lambda run: ", ".join(run.files),
        "reason": lambda run: str(run.reason),
    }  # fmt: skip
    return Grid.of(refused, columns, f"Not ranked: {len(refused)}.", n_text=4)


def below(file: str, common: Path | None) -> str:
    """A file without the folders of this machine."""
    path = Path(file).absolute()
    return str(path.relative_to(common)) if common is not None and path.is_relative_to(common) else file


def refused_below(refused: Invalid, common: Path | None) -> Invalid:
    """What is not ranked, as others than the gold's owner may see it, and without the folders of this machine."""
    reason, files = refused.reason.for_others, [below(file, common) for file in refused.files]
    for file, name in zip(refused.files, files, strict=True):
        reason = reason.replace(file, name)
    return refused._replace(files=tuple(files), reason=Remark(refused.reason.kind, reason))


def _whole(n: int) -> Number:
    return Number(n, str(n) if n else "-")


class Extras(NamedTuple):
    """What tables are made from besides the leaderboard."""

    categories: Categories | None = None
    candidates: float = math.nan
    train: Data | None = None
    style: str = ""


#: name → what makes the table; ``BOARD_TABLES`` says what each shows
TABLES: Final[Mapping[str, Callable[[Ranking, Extras], Grid]]] = {
    "ranking": lambda board, _: ranking(board),
    "results": lambda board, extras: results(board, extras.style),
    "approaches": lambda board, _: approaches(board),
    "data": lambda board, extras: data(board, extras.candidates, extras.train),
    "relevant": lambda board, _: questions.relevant(board),
    "questions": lambda board, _: questions.questions(board),
    "crossed": lambda board, extras: questions.crossed(board, extras.categories),
    "categories": lambda board, extras: questions.by_category(board, extras.categories),
    "invalid": lambda board, _: invalid(board),
}


def build(board: Ranking, name: str, extras: Extras) -> Grid:
    """A table by its name."""
    if name not in TABLES:
        raise UsageError("unknown-name", f"unknown table {name!r}; the tables are {', '.join(TABLES)}")
    return replace(TABLES[name](board, extras), label=f"tab:task{board.called.replace(' ', '-')}-{name}")


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
class Leaderboard(Ranking, TabularResult):
    """Runs ranked by the measure of their task's edition and by its tie-break; see ``Ranking`` for what it holds.

    Attributes:
        categories: those of the questions, for the tables by category.
        shown: the names of the tables that it is printed as; JSON and HTML hold all of them.
    """

    categories: Categories | None = None
    shown: tuple[str, ...] = ("ranking",)

    forms: ClassVar[Forms] = {
        "html": lambda board: board.page(),
        "latex": lambda board: "\n".join(map(latex, board.tables())),
        "csv": lambda board: separated(board.only("csv")),
        "tsv": lambda board: separated(board.only("tsv"), "\t"),
    }

    def __repr__(self) -> str:
        by = self.ranking.name
        return f"Leaderboard(task={self.task!r}, edition={self.edition}, runs={len(self.entries)}, by={by!r})"

    def tables(self) -> Sequence[Grid]:
        """Those that are shown."""
        return [self.table(name) for name in self.shown]

    def notes(self) -> Sequence[str]:
        """What ranks mean, and how they are found, where a table of runs is shown."""
        if {"ranking", "results"}.isdisjoint(self.shown):
            return ()
        return [*([self.method] if self.best else []), *([str(self.tasks)] if self.tasks else [])]

    def table(self, name: str = "ranking", *, categories: Categories | None = None) -> Grid:
        """One of the tables of an overview paper; ``coliee_ir.commands.leaderboard.TABLES`` names them.

        Args:
            name: its name.
            categories: what ``read_categories`` gave, for the tables by category; by default the board's.

        Raises:
            UsageError: there is no such table, or the task does not have it, or what it is made from is not given.
        """
        return build(self, name, Extras(categories or self.categories))

    def to_dict(self, *, categories: Categories | None = None) -> dict[str, Any]:
        """The JSON of ``leaderboard -f json``: the runs, what is not ranked, and every table that the task has."""
        tables, _ = everything(self, Extras(categories or self.categories))
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
            **({"tasks": jsonable(self.tasks)} if self.tasks else {}),
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
            "invalid": [
                {**invalid._asdict(), "files": list(invalid.files), "kind": invalid.reason.kind}
                for invalid in self.invalid
            ],
            **as_json(self.remarks),
            "tables": {name: records(grid) for name, grid in tables.items()},
        }

    def page(self) -> str:
        """All tables of the task as a page."""
        tables = everything(self, Extras(self.categories))[0].items()
        sections = [Section(name, name.capitalize(), html(grid, name)) for name, grid in tables if grid.rows]
        above = "".join(f"<p>{in_html(note)}</p>\n" for note in replace(self, shown=("ranking",)).notes())
        return page(self.protocol.titled(self.edition), sections, above)

    def only(self, form: str) -> Grid:
        """The one table that a form holds.

        :meta private:
        """
        if len(self.shown) > 1:
            problem = f"{form} can contain only one table; give --table once, or use -f json"
            raise UsageError("option-needed", problem)
        return self.tables()[0]
