"""Runs in their places, with the rules and the right answers: what every table of a leaderboard is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coliee_adapters.ids import IntArray
from coliee_adapters.system_descriptions import Description
from coliee_ir.inbox.teams import Teams
from coliee_ir.measures import Measure, Result
from coliee_ir.reading.submission import Invalid
from coliee_ir.rules.protocol import Protocol
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats.ranks import Ranks
from coliee_ir.stats.resampling import Interval
from coliee_ir.stats.settings import Resampling


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A run in its place.

    Attributes:
        place: from 1; equal runs have equal places, and the next place is left out: 1, 2, 2, 4. 0 for a run without a
            score, and for one that is not ranked.
        ranks: the ranks that it may have; see ``Ranking``.
        team: the team; empty where it is not known.
        scores: of all official measures, with the judged parts.
        interval: of the measure that ranks.
        may_be_best: whether it may be the best.
        status: why it is not ranked: ``late``, ``withdrawn``, ``replaced by TAG``; empty for a run that is.
        more: what the list of teams says of it in its further columns.
        files: the files that it lies in.
    """

    place: int
    ranks: Ranks
    team: str
    scores: Scores
    interval: Interval
    may_be_best: bool
    status: str = ""
    more: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def tag(self) -> str:
        """The run tag."""
        return self.scores.tag

    @property
    def name(self) -> str:
        """What the run is called, which no other is."""
        return self.scores.name

    @property
    def name_in_team(self) -> str:
        """What the run is called beside its team."""
        return self.scores.name_in_team

    @property
    def file(self) -> str:
        """The run's main file."""
        return self.scores.file


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking:
    """Runs ranked by the measure of their task's edition and by its tie-break.

    Two runs are equal where these values differ by no more than rounding errors. The ranks that a run may have come
    from all pairs of runs, tested together by the studentised paired randomisation of queries: as many runs as are
    significantly better are before it, as many as are significantly worse behind. With the confidence of the intervals
    the true ranks of all runs are in their sets at once. A run is the best where it is significantly better than
    each other.

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
        described: team and run tag → its system description.
        teams: whose a run is, with the further columns of the list of teams.
        unit: what is judged: a query, or what the rows of a table of scores are about.
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
    resampling: Resampling
    groups: int
    described: Mapping[tuple[str, str], Description] = field(default_factory=dict)
    teams: Teams | None = None
    drawn: int = 0
    replicates: bool = False
    reference: str = ""
    unit: str = "query"

    @property
    def called(self) -> str:
        """The task, and which of its golds where it has several: ``4 R01``."""
        return f"{self.task} {self.reference}".strip()

    @property
    def counted(self) -> tuple[Entry, ...]:
        """The runs that are ranked: neither late nor withdrawn nor replaced."""
        return tuple(entry for entry in self.entries if not entry.status)

    @property
    def more_columns(self) -> tuple[str, ...]:
        """The further columns of the list of teams."""
        return () if self.teams is None else self.teams.columns

    def more(self, entry: Entry) -> tuple[str, ...]:
        """What the list of teams says of a run in its further columns."""
        return entry.more or ("",) * len(self.more_columns)

    def description(self, entry: Entry) -> Description | None:
        """The system description of a run, by its team, or by nobody that is known."""
        return self.described.get((entry.team, entry.tag)) or self.described.get(("", entry.tag))

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
        """What the runs are called."""
        return [entry.name for entry in self.entries]
