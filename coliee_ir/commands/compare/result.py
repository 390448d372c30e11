"""What a comparison says: the runs and their scores, the pairs and their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any, ClassVar, Final

from coliee_adapters.classes import dataclass
from coliee_adapters.remarks import told_of
from coliee_ir.commands.compare import render
from coliee_ir.output.envelope import number, numbers, preamble
from coliee_ir.output.grid import Grid
from coliee_ir.output.shown import Forms, Shown
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.resampling import Interval

#: test → what it is, and for which measures
TESTS: Final = {
    "randomisation": "studentised paired randomisation of queries; any measure",
    "t": "paired t test; means over queries",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A run and its score.

    Attributes:
        tag: the run's name.
        file: its file.
        score: of the measure, over all queries; NaN if it does not exist.
        interval: of the score.
        remarks: what was tolerated in the run and what was decided, in sentences.
    """

    tag: str
    file: str
    score: float
    interval: Interval
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs compared.

    Attributes:
        a: the place of the first run among the standings.
        b: that of the second.
        difference: score of ``a`` minus score of ``b``.
        error: its standard error.
        interval: of the difference, of this pair alone: without 0 exactly if p is significant. NaN for an end that
            there is not, where few queries hold most of what is counted; and of more than 50 runs.
        simultaneous: the interval that holds for all pairs that are corrected together: without 0 exactly if the
            corrected p is significant. NaN as above, and with corrections that have none.
        narrower: the latter, or else the former, at twice the level, for margins.
        p: of the test, two-sided; NaN where it cannot be formed, and of more than 50 runs.
        corrected: p, corrected for the number of pairs.
        differing: how many queries the runs differ in.
        wins: queries with a greater value in ``a``, by the measure's formula on the query alone.
        ties: queries with equal values; one that is left out of a score counts nowhere.
        losses: queries with a greater value in ``b``.
        effect: the difference in standard deviations of what single queries say of it, their jackknife pseudo-values.
            For a mean these are the queries' differences, so that it is Cohen's d for pairs. It does not grow with the
            number of queries.
        deciding: the queries that move the difference most, and by how much it would change without each.
    """

    a: int
    b: int
    difference: float
    error: float
    interval: Interval
    simultaneous: Interval
    narrower: Interval
    p: float
    corrected: float
    differing: int
    wins: int
    ties: int
    losses: int
    effect: float
    deciding: tuple[tuple[str, float], ...]

    @property
    def shown(self) -> Interval:
        """The simultaneous interval where there is one, else that of the pair alone."""
        return self.interval if all(map(math.isnan, self.simultaneous)) else self.simultaneous

    @property
    def is_tested(self) -> bool:
        """Whether the scores of single queries are known of both, and so more than the difference."""
        return self.wins + self.ties + self.losses > 0 or not math.isnan(self.error)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Shown):
    """Runs compared on one measure.

    Attributes:
        task: the task.
        edition: the edition; None for a task without editions.
        gold: the gold's file.
        measure: the measure's name.
        queries: how many were judged.
        test: the test, one of ``TESTS``.
        correction: one of ``CORRECTIONS``.
        n_resamples: how many resamples.
        seed: of the random numbers.
        confidence_level: of the intervals.
        interval: how the scores' intervals are formed: ``wilson`` for accuracies, else ``jackknife``.
        standings: the runs, in the order given.
        pairs: the comparisons.
        together: how many pairs were corrected together: those of all measures that were compared.
        groups: how many groups of queries were swapped and drawn as a whole; 0 for single queries.
        margin: the greatest difference that does not matter; NaN if none was named.
        remarks: what to know of the comparisons; what there is to know of a run is in its standing.
        excluded: the queries that were left out.
        decisions: the choices made where the organisers leave it open.
        others: the comparisons on the other measures that were asked for.
    """

    task: str
    edition: int | None
    gold: str
    measure: str
    queries: int
    test: str
    correction: str
    n_resamples: int
    seed: int
    confidence_level: float
    interval: str
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    together: int
    groups: int = 0
    margin: float = math.nan
    remarks: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    decisions: Decisions = field(default_factory=Decisions)
    others: tuple[Comparison, ...] = field(default=(), repr=False)

    @property
    def alpha(self) -> float:
        """A difference is significant if its corrected p is less."""
        return round(1 - self.confidence_level, 12)

    def significant(self, pair: Pair) -> bool:
        """Whether the pair's corrected p is less than ``alpha``."""
        return pair.corrected < self.alpha

    def within(self, pair: Pair) -> str:
        """What the pair's interval at twice the level says of the margin; empty where nothing can be said.

        Each word is wrong as often as p, at most. Source: Schuirmann 1987, two one-sided tests.
        """
        (low, high), margin = pair.narrower, self.margin
        if low > margin or high < -margin:
            return "better by more" if low > margin else "worse by more"
        if low > -margin and high < margin:
            return "equivalent"
        return "not worse" if low > -margin else "not better" if high < margin else ""

    def __repr__(self) -> str:
        return f"Comparison({self.measure!r}, runs={[standing.tag for standing in self.standings]}, test={self.test!r})"

    forms: ClassVar[Forms] = render.FORMS

    def tables(self) -> Sequence[Grid]:
        """The differences of the pairs, and the scores of the runs."""
        return [render.pairs(self), render.standings(self)]

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``compare -f json``; a number that does not exist is null.

        A pair names its runs by their tags, ``a`` and ``b``, and because two runs can have one tag also by their
        ``places`` among the runs, from 0.
        """
        return {
            **preamble(self.task, self.edition, self.gold, self.decisions.to_dict(), self.excluded),
            "measure": self.measure,
            "queries": self.queries,
            "test": self.test,
            "correction": self.correction,
            "trials": self.n_resamples,
            "seed": self.seed,
            "level": self.confidence_level,
            "interval": self.interval,
            **({"groups": self.groups} if self.groups else {}),
            **({} if math.isnan(self.margin) else {"margin": self.margin}),
            "together": self.together,
            "runs": [
                {
                    "tag": standing.tag,
                    "file": standing.file,
                    "score": number(standing.score),
                    "interval": numbers(standing.interval),
                    **told_of(standing.remarks),
                }
                for standing in self.standings
            ],
            "pairs": [
                {
                    "a": self.standings[pair.a].tag,
                    "b": self.standings[pair.b].tag,
                    "places": [pair.a, pair.b],
                    "difference": number(pair.difference),
                    "standard_error": number(pair.error),
                    "interval": numbers(pair.interval),
                    "simultaneous": numbers(pair.simultaneous),
                    **({} if math.isnan(self.margin) else {"within": self.within(pair) or None}),
                    "p": number(pair.p),
                    "p_corrected": number(pair.corrected),
                    "differing": pair.differing if pair.is_tested else None,
                    "wins": pair.wins if pair.is_tested else None,
                    "ties": pair.ties if pair.is_tested else None,
                    "losses": pair.losses if pair.is_tested else None,
                    "effect": number(pair.effect),
                    "deciding": [{"query": query, "change": change} for query, change in pair.deciding],
                }
                for pair in self.pairs
            ],
            **told_of(self.remarks),
        }
