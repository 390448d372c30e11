"""A published table of scores, and where a run would have stood in it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import counted
from coliee_adapters.remarks import Remark
from coliee_ir.inbox.sheets import Row, Sheet, read_sheet
from coliee_ir.rules.protocol import NUMBERED, edition_year, task_name
from coliee_ir.stats.resampling import Interval

#: measure → how organisers call it in a table's head
_COLUMNS: Final = {
    "MicroF1": ("F1", "F1-score", "F-measure", "F"),
    "MacroF2": ("F2", "F2-score", "F2-measure"),
    "Accuracy": ("accuracy", "acc"),
    "RationaleF1": ("F1", "F1-score"),
}
_RUN: Final = ("run", "sid", "file", "tag", "submission", "system", "name", "team")

#: not systems of a team: what the organisers put beside them
_BASELINE: Final = re.compile(r"base\s*-?line", re.IGNORECASE)

_NAMED_TASK: Final = re.compile(rf"(?:t(?:ask)?[\s_-]*)?{NUMBERED}|tort|rationale", re.IGNORECASE)


class OfficialRun(NamedTuple):
    """A row of a published table."""

    team: str
    run: str
    score: float


@dataclass(frozen=True, slots=True)
class Published:
    """A published table.

    Attributes:
        file: where it was read from.
        column: the column that ranks.
        runs: its runs, without baselines.
        decimals: how many it prints; scores are rounded to so many before they are compared.
        remarks: what was left out.
    """

    file: str
    column: str
    runs: tuple[OfficialRun, ...]
    decimals: int
    remarks: tuple[str, ...]


class Placement(NamedTuple):
    """Where a run would have stood."""

    place: int  # 1 and how many published scores are higher
    of: int  # how many runs there would have been: the published ones and this
    best: int  # the place if the score were at the upper end of its interval
    worst: int  # the place if it were at the lower end
    team_place: int  # the same as ``place`` among the best scores of the teams; 0 where the table names no teams
    teams: int  # how many teams there would have been


def read_official(
    path: PathLike, measure: str, task: str | int | None = None, edition: str | int | None = None
) -> Published:
    """Read a published table of scores: a CSV with a column of the measure and, where it has them, run and team.

    Of a table of several tasks or editions, which its columns ``task`` and ``year`` or ``edition`` name, only the rows
    of this task and edition are read.

    Args:
        path: the file.
        measure: the name of the measure that ranks; the organisers' names of it are known.
        task: the task that the runs are of.
        edition: the edition whose rules count.

    Raises:
        InputError: it cannot be read, has no column of the measure, or a score that is no number; it holds several
            tasks or editions, and none is the one at hand.
        UsageError: there is no such task or edition.
    """
    sheet, left_out = _rows_at_hand(read_sheet(Source(path)), task_name(task), edition_year(edition))
    one_of("measure", measure, str, "the name of a measure")
    names = (*_COLUMNS.get(measure, ()), measure)
    at = sheet.column(*names)
    if at is None:
        remedy = f"the runs are ranked by {measure}: name its column {names[0]}"
        problem = f"no column contains {measure}"
        raise InputError("missing-column", sheet.name, problem, line=1, found=",".join(sheet.header), remedy=remedy)
    run_at, team_at = sheet.column(*_RUN), sheet.column("team", "group")
    runs, silent, baselines, decimals = [], 0, 0, 0
    for row in sheet.rows:
        name = row.cells[run_at] if run_at is not None else ""
        team = row.cells[team_at] if team_at is not None else ""
        if _BASELINE.match(name):
            baselines += 1
        elif not row.cells[at]:
            silent += 1
        else:
            decimals = max(decimals, len(row.cells[at].rstrip("%").partition(".")[2]))
            runs.append(OfficialRun(team, name, _score(row, at, sheet)))
    if not runs:
        problem = f"no row has a score under {sheet.header[at]}"
        raise InputError("empty", sheet.name, problem, remedy="give the table of a year")
    remarks = list(left_out)
    if any(run.score > 1 for run in runs):
        runs = [run._replace(score=run.score / 100) for run in runs]
        decimals += 2
        remarks.append(Remark("sheet-rows", f"{sheet.name}: scores above 1 are read as percentages"))
    if baselines:
        sentence = Remark("sheet-rows", f"{sheet.name}: {counted(baselines, 'baseline')} of the organisers left out")
        remarks.append(Remark("sheet-rows", sentence))
    if silent:
        remarks.append(Remark("sheet-rows", f"{sheet.name}: {counted(silent, 'row')} without a score left out"))
    return Published(sheet.name, sheet.header[at], tuple(runs), decimals, tuple(remarks))


def _rows_at_hand(sheet: Sheet, task: str | None, edition: int | None) -> tuple[Sheet, list[str]]:
    """The sheet without the rows of other tasks and editions, and what was left out."""
    said: list[str] = []
    for names, wanted, option in ((("task",), task, "--task"), (("edition", "year"), edition, "--edition")):
        at = sheet.column(*names)
        if at is None or wanted is None:
            continue
        values = list(dict.fromkeys(row.cells[at] for row in sheet.rows))
        kept = tuple(row for row in sheet.rows if _means(row.cells[at], str(wanted)))
        # a table of one year is compared with on purpose, one of another task is not
        if not kept and (len(values) > 1 or (option == "--task" and _NAMED_TASK.fullmatch(values[0]))):
            problem = f"no row has {option[2:]} {wanted}, as the runs do"
            remedy = f"give a table of this {option[2:]}, or name that of the runs with {option}"
            raise InputError("unknown-name", sheet.name, problem, found=", ".join(values), remedy=remedy)
        if 0 < len(kept) < len(sheet.rows):
            others = counted(len(sheet.rows) - len(kept), "row")
            said.append(Remark("sheet-rows", f"{sheet.name}: {others} of another {option[2:]} left out"))
            sheet = sheet._replace(rows=kept)
    return sheet, said


def _means(cell: str, wanted: str) -> bool:
    """Whether a cell such as ``T1``, ``Task 1`` or ``COLIEE-2024`` names this task or edition."""
    return re.sub(r"^(?:coliee|task|t)[\s_-]*(?=\d|tort|rationale)", "", cell.casefold()) == wanted


def _score(row: Row, at: int, sheet: Sheet) -> float:
    text = row.cells[at]
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100:
        remedy = "write a score such as 0.7037"
        problem = f"this is not a score, in column {sheet.header[at]}"
        raise InputError("bad-cell", sheet.name, problem, line=row.line, found=text, remedy=remedy)
    return value


def place(table: Published, score: float, interval: Interval) -> Placement:
    """Where a run of this score would have stood, and between which places its interval puts it.

    >>> runs = (OfficialRun("A", "a1", 0.7), OfficialRun("A", "a2", 0.6), OfficialRun("B", "b1", 0.5))
    >>> place(Published("table.csv", "F1", runs, 1, ()), 0.6, Interval(0.4, 0.7))
    Placement(place=2, of=4, best=1, worst=4, team_place=2, teams=3)
    """
    scores = [run.score for run in table.runs]
    best_of: dict[str, float] = {}
    for run in table.runs:
        if run.team:
            best_of[run.team] = max(run.score, best_of.get(run.team, 0.0))

    def among(published: Sequence[float], value: float) -> int:
        shown = round(value, table.decimals)
        return 1 + sum(round(other, table.decimals) > shown for other in published)

    teams = list(best_of.values())
    return Placement(
        among(scores, score),
        len(scores) + 1,
        among(scores, interval.high),
        among(scores, interval.low),
        among(teams, score) if teams else 0,
        len(teams) + 1 if teams else 0,
    )
