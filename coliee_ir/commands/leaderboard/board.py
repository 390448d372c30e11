"""Runs in their places, with the rules and the right answers: what every table of a leaderboard is made from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, NamedTuple, Self

import numpy as np

from coliee_adapters.by_key import by_key
from coliee_adapters.errors import listed, printable, shortened
from coliee_adapters.forms.lines import plural
from coliee_adapters.ids import IntArray
from coliee_adapters.system_descriptions import Description
from coliee_ir.inbox.teams import LATE, Teams
from coliee_ir.measures import Measure, Result
from coliee_ir.measures.base import Terms
from coliee_ir.reading.submission import Invalid, Submission
from coliee_ir.rules.protocol import Protocol
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats import paired, strata, systems
from coliee_ir.stats.paired import DECIMALS, Ranks, Standings, may_be_best, rank_sets
from coliee_ir.stats.resampling import Interval, Resampling, resampled

#: the statuses of runs that a public table shows
_PUBLIC: Final = ("", LATE, "unofficial")

#: characters of a name in a table
_LONGEST: Final = 60

#: so many runs are named that may be the best
_NAMED: Final = 6

#: of fewer tasks nothing can be said of others: no p is below 2 ** (1 - tasks)
LEAST_TASKS: Final = 6

#: what runs of several tasks are ranked by: the measure's values, or the share of other runs beaten on each query
Scale = Literal["score", "wins"]


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A run in its place.

    Attributes:
        scores: of all official measures, with the judged parts.
        interval: of the measure that ranks.
        submission: what was handed in; None where only scores were read, and of a system of several runs.
        place: from 1; equal runs have equal places, and the next place is left out: 1, 2, 2, 4. 0 for a run without a
            score, and for one that is not ranked.
        ranks: the ranks that it may have; see ``Ranking``.
        may_be_best: whether it may be the best, by the same tests.
    """

    scores: Scores
    interval: Interval
    submission: Submission | None
    place: int = 0
    ranks: Ranks = field(default=Ranks(0, 0))
    may_be_best: bool = False

    @property
    def tag(self) -> str:
        """The run tag."""
        return self.scores.tag

    @property
    def name(self) -> str:
        """What the run is called, which no other is."""
        return self.scores.name

    @property
    def team(self) -> str:
        """The team; empty where it is not known."""
        return self.scores.team

    @property
    def status(self) -> str:
        """Why it is not ranked: ``late``, ``withdrawn``, ``replaced by TAG``; empty for a run that is."""
        return "" if self.submission is None else self.submission.status

    @property
    def more(self) -> tuple[str, ...]:
        """What the list of teams says of it in its further columns."""
        return () if self.submission is None else self.submission.more

    @property
    def file(self) -> str:
        """The run's main file."""
        return self.scores.file

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it lies in."""
        return () if self.submission is None else tuple(file.name for file in self.submission.files)


def listed_by_tag(entries: Iterable[Entry]) -> dict[tuple[str, str], list[Entry]]:
    """Team, tag → the runs that a row of the list of teams names by their tag."""
    by_tag = (entry for entry in entries if entry.submission is not None and entry.submission.listed == entry.tag)
    return by_key(by_tag, lambda entry: (entry.team, entry.tag))


def brief(name: str) -> str:
    """A name as tables have it, in which one that is too long would leave no room for the others."""
    return name if len(name) <= _LONGEST else shortened(name, _LONGEST)


def order_key(scores: Scores, tie_break: Sequence[str]) -> tuple[float, ...]:
    """By what a run is ordered: its first measure, then those that break ties, as far as it has them."""
    by_name = {measure.name: measure for measure in scores.results}
    used = [next(iter(by_name.values())), *(by_name[name] for name in tie_break if name in by_name)]
    values = [scores.results[measure].value * (-1 if measure.lower_is_better else 1) for measure in used]
    return tuple(-math.inf if math.isnan(value) else round(value, DECIMALS) for value in values)


def places(keys: Sequence[tuple[float, ...]]) -> list[int]:
    """Competition ranking of keys that stand best first; 0 for what has no score.

    >>> places([(0.9,), (0.5,), (0.5,), (0.1,), (float("-inf"),)])
    [1, 2, 2, 4, 0]
    """
    return [0 if key[0] == -math.inf else keys.index(key) + 1 for key in keys]


class PossibleRanks(NamedTuple):
    """Where a run may stand."""

    ranks: Ranks  # those that hold for all runs at once
    may_be_best: bool  # see ``paired.may_be_best``


def possible_ranks(
    terms: Sequence[Terms], settings: Resampling, ranked: Sequence[int]
) -> tuple[list[PossibleRanks], Standings]:
    """Where runs may stand, best first; all are tested together, and ranks are counted among those that are kept."""
    score = terms[0].score if terms else None
    kind = systems if isinstance(score, systems.MeanOf) else strata if score is strata.mean_over_tasks else paired
    tests = kind.standings(terms, settings)
    ranks = rank_sets([terms[i].total for i in ranked], tests.better[np.ix_(ranked, ranked)])
    return [*map(PossibleRanks, ranks, may_be_best(ranks))], tests


class Tasks(NamedTuple):
    """The tasks of a board.

    Attributes:
        names: of the tasks, each of which is a measure of the runs besides their mean.
        scale: ``score``, or ``wins``: the share of the other runs that a run beats on each query, ties half.
        other_tasks: run → the ranks that it may have on other tasks; empty below six tasks.
    """

    names: tuple[str, ...]
    scale: Scale
    other_tasks: Mapping[str, Ranks]

    def __str__(self) -> str:
        """What of other tasks can be said, and of wins."""
        n = len(self.names)
        text = (
            f"Of other tasks nothing can be said with {n}: no p is below {2.0 ** (1 - n):g}."
            if n < LEAST_TASKS
            else f"Rank, other tasks: the same on other tasks of this kind; the {n} tasks are what is resampled."
        )
        return text + " Wins change with the runs that take part." * (self.scale == "wins")


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
        evidence: what shows the task; empty where it was named.
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
        tasks: those that the ranking is over, each of which counts the same; None for one task.
    """

    task: str
    edition: int | None
    gold: str
    evidence: str
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
    tasks: Tasks | None = None

    @property
    def called(self) -> str:
        """The task, and which of its golds where it has several: ``4 R01``."""
        return f"{self.task} {self.reference}".strip()

    @property
    def counted(self) -> tuple[Entry, ...]:
        """The runs that are ranked: neither late nor withdrawn nor replaced."""
        return tuple(entry for entry in self.entries if not entry.status)

    @property
    def public(self) -> Self:
        """The same without withdrawn, disqualified and replaced runs; what is late or unofficial is marked."""
        return replace(self, entries=tuple(entry for entry in self.entries if entry.status in _PUBLIC))

    @property
    def best(self) -> str:
        """Which run is the best, or which may be, in words; empty where there is nothing to compare."""
        names = [brief(printable(entry.name)) for entry in self.counted if entry.may_be_best]
        if len(self.counted) < 2 or not names:
            return ""
        return f"the best {'may be any of:' if names[1:] else 'is'} {listed(names, _NAMED)}"

    @property
    def percent(self) -> str:
        """The confidence level in words."""
        return f"{100 * self.resampling.confidence_level:g}%"

    @property
    def method(self) -> str:
        """What ranks and intervals mean, and how all pairs are tested, in a line."""
        test = (
            "t tests over queries and runs, Bonferroni's correction"
            if self.replicates
            else f"studentised paired randomisation test, max-T, {resampled(self.drawn, self.resampling.seed)}"
        )
        others = f"similar {'groups of ' * bool(self.groups)}{plural(self.unit)}"
        others += " and other runs of these systems" * self.replicates
        others += f" of these {len(self.tasks.names)} tasks" if self.tasks else ""
        ranges = f"Rank {self.percent}: joint confidence ranges of all runs' true ranks on {others}"
        return f"{ranges} (all pairs together; {test})."

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
        """What the runs are called in tables."""
        return [brief(entry.name) for entry in self.entries]
