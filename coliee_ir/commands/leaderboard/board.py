"""What the tables are made from: runs in their order, what could not be ranked, the questions and their answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coliee_adapters.ids import IntArray
from coliee_adapters.system_descriptions import Description
from coliee_ir.inbox.grouping import told_apart
from coliee_ir.inbox.teams import Teams
from coliee_ir.measures import Measure, Result
from coliee_ir.rules.protocol import Protocol
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.submission import Invalid
from coliee_ir.stats.ranks import Ranks
from coliee_ir.stats.resampling import Interval
from coliee_ir.stats.settings import Resampling

#: the share of right answers from which a question is called easy; the overview papers name none
EASY = 0.8


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A run in its place.

    Attributes:
        place: from 1; equal runs have equal places, and the next place is left out: 1, 2, 2, 4. 0 for a run without a
            score, and for one that is not ranked.
        ranks: the ranks that it may have; see ``Leaderboard``.
        team: the team; empty where it is not known.
        scores: of all official measures, with the judged parts.
        interval: of the measure that ranks.
        own_ranks: the ranks that it may have, by itself; these are fewer.
        may_be_best: whether it may be the best.
        status: why it is not ranked: ``late``, ``withdrawn``, ``replaced by TAG``; empty for a run that is.
    """

    place: int
    ranks: Ranks
    team: str
    scores: Scores
    interval: Interval
    own_ranks: Ranks
    may_be_best: bool
    status: str = ""

    @property
    def tag(self) -> str:
        """The run's name."""
        return self.scores.tag

    @property
    def file(self) -> str:
        """The run's main file."""
        return self.scores.file


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The data of a leaderboard; ``Leaderboard`` describes its attributes."""

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
    resampling: Resampling
    groups: int
    described: Mapping[str, Description] = field(default_factory=dict)
    teams: Teams | None = None
    drawn: int = 0
    replicates: bool = False

    @property
    def ranked(self) -> tuple[Entry, ...]:
        """All runs in their places."""
        return tuple(sorted(self.entries, key=lambda entry: entry.place or len(self.entries) + 1))

    @property
    def counted(self) -> tuple[Entry, ...]:
        """The runs that are ranked: neither late nor withdrawn nor replaced."""
        return tuple(entry for entry in self.entries if not entry.status)

    @property
    def more_columns(self) -> tuple[str, ...]:
        """The further columns of the list of teams."""
        return () if self.teams is None else self.teams.list.columns

    def more(self, entry: Entry) -> tuple[str, ...]:
        """What the list of teams says of a run in its further columns."""
        row = None if self.teams is None else self.teams.said_of(entry.tag, entry.file, entry.team)
        return row.more if row is not None and row.more else ("",) * len(self.more_columns)

    @property
    def ranking(self) -> Measure:
        """The measure that ranks."""
        return self.measures[0]

    @property
    def main(self) -> str:
        """The part of a submission whose documents are counted: ``documents`` or ``answers``."""
        return self.protocol.parts[0]

    def results(self, measure: Measure, *, counted: bool = False) -> list[Result]:
        """The results of a measure, for the runs that have it; only of those that are ranked if ``counted``."""
        entries = self.counted if counted else self.entries
        return [entry.scores.results[measure] for entry in entries if measure in entry.scores.results]

    def names(self) -> list[str]:
        """A name for each run that no other has: see ``told_apart``."""
        return told_apart([(entry.team, entry.tag, entry.file) for entry in self.entries])
