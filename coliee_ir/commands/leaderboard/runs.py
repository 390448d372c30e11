"""Tables of runs: the ranking, counts and scores, and what is not ranked."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.forms.lines import counted, plural
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.remarks import Remark
from coliee_ir.commands.leaderboard.board import Entry, Ranking
from coliee_ir.commands.leaderboard.questions import majority, short
from coliee_ir.commands.leaderboard.standing import best_of
from coliee_ir.measures import Measure
from coliee_ir.measures.labels import Accuracy
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.reading.submission import Invalid
from coliee_ir.stats.settings import resampled


def ranking(board: Ranking) -> Grid:
    """The runs in their places, with the ranks that they may have, and intervals."""
    percent = f"{100 * board.resampling.confidence_level:g}%"
    best, names = _best(board, board.entries), _Names(board, board.entries)
    rows: list[list[Cell]] = []
    for entry in board.entries:
        values = [_value(entry, measure, best) for measure in board.measures]
        interval = [Number(bound) for bound in entry.interval]
        rows.append([_whole(entry.place), str(entry.ranks), *names.of(entry), values[0], *interval, *values[1:]])
    first, *others = (measure.name for measure in board.measures)
    header = ["rank", f"rank {percent}", *names.header, first, f"low {percent}", f"high {percent}", *others]
    return Grid(header, rows, _ranking_caption(board), n_text=2 + len(names.header))


def _ranking_caption(board: Ranking) -> str:
    settings = board.resampling
    percent = f"{100 * settings.confidence_level:g}%"
    breaking = [name for name in board.protocol.tie_break if name in [measure.name for measure in board.measures[1:]]]
    ties = f", ties broken by {', '.join(breaking)}" if breaking else ""
    best = best_of([name for name, entry in zip(board.names(), board.entries, strict=True) if entry.may_be_best])
    groups = f" in {counted(board.groups, 'group')}" if board.groups else ""
    ranked = len(board.counted)
    runs = counted(ranked, "system" if board.replicates else "run")
    less = ", less is better" * board.ranking.lower_is_better
    head = f"{runs} ranked by {board.ranking}{less}{ties}, {counted(len(board.queries), board.unit)}"
    if not board.entries:
        return f"{head}."
    test = f"studentised paired randomisation test, max-T, {resampled(board.drawn, settings.seed)}"
    if board.replicates:
        test = "t tests over queries and runs, Bonferroni's correction"
    return (
        f"{head}{groups}, intervals of {percent}. Rank {percent}: with other {plural(board.unit)} of the same kind"
        f"{' and other runs of these systems' * board.replicates}, every run's true rank lies in its range; "
        f"{best} (all pairs tested together, {test})."
    )


def results(board: Ranking, style: str = "") -> Grid:
    """Scores of each run (Tables 1, 5, 6, 8, 11 and 13 of the 2021 overview), in columns as the organisers have them.

    Of documents ``returned`` are all and ``correct`` the relevant ones; of answers ``correct`` are the right ones; of
    both together (Task 3 from 2026 on) ``right`` counts questions. Beside their columns stand the place, measures that
    they leave out, the ranks that a run may have, and the interval. In the style ``coliee2021`` the table is theirs
    alone: the baseline first, with their decimals.
    """
    is_theirs = style == "coliee2021"
    headed = columns(board, is_theirs=is_theirs)
    entries = [entry for entry in board.entries if not (is_theirs and entry.status)]
    names, best = _Names(board, entries), _best(board, [entry for entry in entries if not entry.status])
    decimals = board.protocol.decimals if is_theirs else 4
    found: list[dict[str, Cell]] = []
    for entry in entries:
        low, high = entry.interval
        interval = "" if math.isnan(low) else re.sub(r"\b0\.", ".", f"[{low:.3f}, {high:.3f}]")
        values = {measure.name: _value(entry, measure, best) for measure in board.measures}
        found.append({
            "place": str(entry.place or "–"), "team": entry.team, "run": names.of(entry)[names.header.index("run")],
            "file": entry.tag if entry.file == MEMORY else re.split(r"[/\\]", entry.file)[-1],
            **dict(zip(board.more_columns, board.more(entry), strict=True)),
            **_counts(board, entry),
            **{name: value if math.isnan(value.value) else value._replace(shown=f"{value.value:.{decimals}f}")
               for name, value in values.items()},
            "ranks": entry.status or str(entry.ranks), "interval": interval,
        })  # fmt: skip
    if (baseline := majority(board)) is not None:
        label, share = baseline
        right = round(share * len(board.queries))
        said = f"{'Yes' if label == 'Y' else 'No'} {right}/All {len(board.queries)}" if is_theirs else str(right)
        called: dict[str, Cell] = {"place": "–", "run": "BaseLine" if is_theirs else f"baseline (all {label})"}
        called |= {"correct": Number(right, said), board.ranking.name: Number(share, f"{share:.{decimals}f}")}
        found.insert(0 if is_theirs else len(found), called)
    there = {heading: column for heading, column in headed.items() if any(one.get(column, "") for one in found)}
    rows = [[one.get(column, "") for column in there.values()] for one in found]
    n_text = sum(column in (*_TEXTS, *board.more_columns) for column in there.values())
    return Grid(list(there), rows, _ranking_caption(board), n_text=n_text)


#: the columns at the left: who a run is
_TEXTS: Final = ("place", "team", "file", "run")

#: how measures are headed that are called otherwise for single questions
_MEANS: Final = {"AP": "MAP", "map": "MAP", "recip_rank": "MRR"}


def columns(board: Ranking, *, is_theirs: bool = False) -> dict[str, str]:
    """Heading → column of the results: those of the organisers' table, then ours; names before numbers."""
    theirs, percent = board.protocol.table, f"{100 * board.resampling.confidence_level:g}%"
    names = [measure.name for measure in board.measures]
    heads = [_MEANS.get(name, short(name)) for name in names]
    ours = {"Place": "place", "Team": "team", "Run": "run", **{name: name for name in board.more_columns}}
    if not theirs:
        ours |= {"Returned": "returned", "Correct": "correct", "Right": "right"}
    for head, name in zip(heads, names, strict=True):
        ours[name if heads.count(head) > 1 or head in theirs else head] = name
    ours |= {f"Rank {percent}": "ranks", f"Interval {percent}": "interval"}
    if is_theirs:
        left_out = {*ours.values()} - {*board.more_columns} if theirs else {"place", "ranks", "interval"}
        ours = {heading: column for heading, column in ours.items() if column not in left_out}
    columns = {**theirs, **{heading: column for heading, column in ours.items() if column not in theirs.values()}}
    left = [*_TEXTS, *board.more_columns]
    order = {column: at for at, column in enumerate(left)}
    return dict(sorted(columns.items(), key=lambda one: order.get(one[1], len(left))))


def _counts(board: Ranking, entry: Entry) -> dict[str, Cell]:
    """What is counted of a run."""
    counts = entry.scores.counts
    if not counts:
        return {}
    if board.main == "answers":
        return {"correct": _whole(counts["correct"])}
    found: dict[str, Cell] = {"returned": _whole(counts["retrieved"]), "correct": _whole(counts["correct"])}
    if isinstance(board.ranking, Accuracy):  # of documents and answers together
        found["right"] = _whole(round(float(np.nansum(entry.scores.results[board.ranking].per_query))))
    return found


def approaches(board: Ranking) -> Grid:
    """What the system descriptions say (Table 4): a row for the runs of a team of which they say the same."""
    if not board.described:
        raise UsageError("no-result", "no system description came with the runs")
    names = _Names(board, board.entries)
    at = names.header.index("run")
    runs: dict[tuple[str, ...], list[str]] = {}
    for entry in board.entries:
        if (one := board.description(entry)) is not None:
            name = names.of(entry)[at]
            texts = (" ".join(text.split()) or "-" for text in (one.models, one.resources, one.explanation))
            runs.setdefault((entry.team or f"\0{name}", *texts), []).append(name)
    rows = [[*[team.partition("\0")[0]] * at, ", ".join(tags), *texts] for (team, *texts), tags in runs.items()]
    header = [*["team"] * at, "runs", "models", "resources", "approach"]
    return Grid(header, rows, "Approaches, by the teams' system descriptions.", n_text=len(header))


def invalid(board: Ranking) -> Grid:
    """What is not ranked, and why."""
    refused = [refused_below(one, None if board.teams is None else board.teams.common) for one in board.invalid]
    rows = [[one.team, one.tag, ", ".join(one.files), str(one.reason)] for one in refused]
    return Grid(["team", "run", "files", "reason"], rows, f"Not ranked: {len(rows)}.", n_text=4)


class _Names:
    """What each run is called in a table: the columns, and a row's values in them."""

    def __init__(self, board: Ranking, entries: Sequence[Entry]) -> None:
        self._board = board
        self._own = ["team", "run"] if any(entry.team for entry in entries) else ["run"]
        self.header = [*self._own, *board.more_columns]

    def of(self, entry: Entry) -> list[str]:
        """The values of a run."""
        named = {"team": entry.team, "run": entry.name_in_team}
        return [*(named[column] for column in self._own), *self._board.more(entry)]


def below(file: str, common: Path | None) -> str:
    """A file without the folders of this machine."""
    path = Path(file).absolute()
    return str(path.relative_to(common)) if common is not None and path.is_relative_to(common) else file


def refused_below(one: Invalid, common: Path | None) -> Invalid:
    """What is not ranked, as others than the gold's owner may see it, and without the folders of this machine."""
    reason, files = one.reason.for_others, [below(file, common) for file in one.files]
    for file, name in zip(one.files, files, strict=True):
        reason = reason.replace(file, name)
    return one._replace(files=tuple(files), reason=Remark(one.reason.kind, reason))


def _whole(n: int) -> Number:
    return Number(n, str(n) if n else "-")


def _value(entry: Entry, measure: Measure, best: Mapping[Measure, str]) -> Number:
    result = entry.scores.results.get(measure)
    value = Number(math.nan if result is None else result.value)
    return value._replace(bold=value.text == best.get(measure))


def _best(board: Ranking, entries: Sequence[Entry]) -> dict[Measure, str]:
    """The best value of each measure as it is printed, where there is something to compare."""
    best = {}
    for measure in board.measures:
        scores = [entry.scores.measures.get(measure.name, math.nan) for entry in entries]
        if len(entries) > 1 and not math.isnan(value := measure.best(scores)):
            best[measure] = Number(value).text
    return best
