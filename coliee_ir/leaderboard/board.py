"""The leaderboard itself: runs in their order, what could not be ranked, and what its tables are made from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from coliee_adapters.ids import IntArray
from coliee_ir.grid import Grid
from coliee_ir.leaderboard.categories import Categories
from coliee_ir.leaderboard.official import Published
from coliee_ir.measures import Measure, Result
from coliee_ir.protocol import Protocol
from coliee_ir.scores import Scores, preamble
from coliee_ir.significance import Interval

#: the share of right answers from which a question is called easy; the overview papers name none
EASY = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A run in its place.

    Attributes:
        place: from 1; equal runs have equal places, and the next place is left out: 1, 2, 2, 4. 0 for a run without a
            score.
        group: from 1; see ``Leaderboard``. 0 for a run without a score.
        team: the team; empty where it is not known.
        scores: of all official measures, with the judged parts.
        interval: of the measure that ranks.
    """

    place: int
    group: int
    team: str
    scores: Scores
    interval: Interval

    @property
    def tag(self) -> str:
        """The run's name."""
        return self.scores.tag

    @property
    def file(self) -> str:
        """The run's main file."""
        return self.scores.file


class Invalid(NamedTuple):
    """A submission, or a file, that is not ranked.

    Attributes:
        files: its files.
        tag: its run tag; empty where it could not be read.
        team: the team; empty where it is not known.
        reason: why, in a sentence.
    """

    files: tuple[str, ...]
    tag: str
    team: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Leaderboard:
    """Runs ranked by the measure of their task's edition and by its tie-break.

    Two runs are equal where these values differ by no more than rounding errors. Groups gather what cannot be told
    apart: the best run leads the first group, and with it are all runs that the test does not find worse than it; the
    best of the remaining runs leads the next group, and so on. So a run is not found worse than the leader of its
    group, and is found worse than the leader of every group before. Runs of one group are not tested against each
    other. The test is the paired randomisation of queries; its p values are corrected, for each leader, for the number
    of runs that it is compared with.

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
        trials: how many resamples.
        seed: of the random numbers.
        level: of confidence.
        correction: of the p values, one of ``coliee_ir.significance.CORRECTIONS``.
    """

    task: str
    edition: int | None
    gold: str
    because: str
    protocol: Protocol
    measures: tuple[Measure, ...]
    queries: tuple[str, ...]
    relevant: IntArray | None
    labels: tuple[bool | None, ...] | None
    entries: tuple[Entry, ...]
    invalid: tuple[Invalid, ...]
    remarks: tuple[str, ...]
    excluded: tuple[str, ...]
    trials: int
    seed: int
    level: float
    correction: str

    @property
    def ranking(self) -> Measure:
        """The measure that ranks."""
        return self.measures[0]

    @property
    def main(self) -> str:
        """``documents`` or ``answers``, the part of a submission whose documents are counted."""
        return self.protocol.parts[0]

    def results(self, measure: Measure) -> list[Result]:
        """The results of a measure, for the runs that have it."""
        return [entry.scores.results[measure] for entry in self.entries if measure in entry.scores.results]

    def names(self) -> list[str]:
        """A name for each run that no other has: its tag, with the team where another team has the same, or the file.

        A file from memory has no name of its own; then a number tells the runs apart.
        """
        tags = [entry.tag for entry in self.entries]
        teams = [f"{entry.team} {entry.tag}".strip() for entry in self.entries]
        files = [f"{entry.tag} ({entry.file})" for entry in self.entries]
        counts = [Counter(names) for names in (tags, teams, files)]
        names = []
        for at, candidates in enumerate(zip(tags, teams, files, strict=True)):
            alone = (name for name, count in zip(candidates, counts, strict=True) if count[name] == 1)
            names.append(next(alone, f"{tags[at]} ({at + 1})"))
        return names

    def table(
        self,
        name: str = "ranking",
        *,
        easy: float = EASY,
        categories: Categories | None = None,
        official: Published | None = None,
    ) -> Grid:
        """One of the tables of an overview paper; ``coliee_ir.leaderboard.TABLES`` names them.

        Args:
            name: its name.
            easy: the share of right answers, as a mean over runs, from which a question counts as easy.
            categories: what ``read_categories`` gave, for the tables by category.
            official: what ``read_official`` gave, for the places in a published table.

        Raises:
            UsageError: there is no such table, or the task does not have it, or what it is made from is not given.
        """
        from coliee_ir.leaderboard.catalogue import Extras, build

        return build(self, name, Extras(easy, categories, official))

    def to_dict(
        self, *, easy: float = EASY, categories: Categories | None = None, official: Published | None = None
    ) -> dict[str, Any]:
        """The JSON of ``leaderboard -o json``: the runs, what is not ranked, and every table that the task has."""
        from coliee_ir import __version__
        from coliee_ir.leaderboard.catalogue import Extras, everything, records

        tables, _ = everything(self, Extras(easy, categories, official))
        first = (
            preamble(self.entries[0].scores)
            if self.entries
            else {"coliee_ir": __version__, "task": self.task, "edition": self.edition, "gold": self.gold}
        )
        return {
            **first,
            "measure": self.ranking.name,
            "tie_break": list(self.protocol.tie_break),
            "judged": len(self.queries),
            "trials": self.trials,
            "seed": self.seed,
            "level": self.level,
            "correction": self.correction,
            "runs": [
                {
                    "place": entry.place or None,
                    "group": entry.group or None,
                    "team": entry.team or None,
                    **entry.scores.to_dict(),
                    "interval": _numbers(entry.interval),
                }
                for entry in self.entries
            ],
            "invalid": [{**one._asdict(), "files": list(one.files)} for one in self.invalid],
            "remarks": list(self.remarks),
            "tables": {name: records(grid) for name, grid in tables.items()},
        }


def _numbers(values: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]
