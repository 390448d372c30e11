"""What a comparison says: the runs and their scores, the pairs and their differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, overload

import numpy as np

from coliee_ir.commands.compare import render
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.output.envelope import dumped_list
from coliee_ir.output.grid import Grid
from coliee_ir.output.shown import Forms, OnGold
from coliee_ir.stats.ranks import Ranks
from coliee_ir.stats.resampling import Interval

#: test → what it is, and for which measures
TESTS: Final = {
    "randomisation": "studentised paired randomisation of queries; any measure",
    "t": "paired t test; means over queries",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """A run, or a system of several, and its score.

    Attributes:
        tag: the run's name, or the system's.
        file: its file; of a system those of its runs.
        score: of the measure, over all queries; NaN if it does not exist.
        interval: of the score.
        ranks: those that it may have, which hold for all runs at once; 0 where not all pairs were tested together.
        remarks: what was tolerated in the run and what was decided, in sentences.
    """

    tag: str
    file: str
    score: float
    interval: Interval
    ranks: Ranks = field(default=Ranks(0, 0))
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs compared.

    Attributes:
        a: the place of the first run among the runs, from 0.
        b: that of the second.
        tags: their names.
        difference: score of ``a`` minus score of ``b``.
        error: its standard error, if the runs do not differ.
        interval: of the difference; with ``maxt`` it holds for all pairs that are corrected together, else for this
            pair alone. NaN for an end that there is not, where few queries hold most of what is counted.
        p: of the test, two-sided, corrected for the number of pairs; NaN where it cannot be formed. With ``maxt`` and
            with a single pair, it is significant exactly if the interval leaves out 0.
        own_interval: that of this pair alone; NaN of more than 50 runs.
        own_p: p of this pair alone; NaN of more than 50 runs.
        verdict: what is found of ``a``: ``better``, ``worse``, ``undecided``; or what can be said of the margin.
        differing: how many queries the runs differ in.
        wins: queries with a greater value in ``a``, by the measure's formula on the query alone.
        ties: queries with equal values; one that is left out of a score counts nowhere.
        losses: queries with a greater value in ``b``.
        effect: the difference in standard deviations of what single queries say of it, their jackknife pseudo-values.
            For a mean these are the queries' differences, so that it is Cohen's d for pairs. It does not grow with the
            number of queries. NaN of more than 50 runs.
        deciding: the queries that move the difference most, and by how much it would change without each; none of more
            than 50 runs.
    """

    a: int
    b: int
    tags: tuple[str, str]
    difference: float
    error: float
    interval: Interval
    p: float
    own_interval: Interval
    own_p: float
    verdict: str
    differing: int
    wins: int
    ties: int
    losses: int
    effect: float
    deciding: tuple[tuple[str, float], ...]


class Pairs(Sequence[Pair]):
    """The pairs of a comparison, each made when it is asked for: of 500 runs there are 124,750.

    ``columns`` has an array or a list for each field of ``Pair``.
    """

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns["a"])

    def __iter__(self) -> Iterator[Pair]:
        return map(Pair, *map(_listed, self.columns.values()))

    @overload
    def __getitem__(self, at: int) -> Pair: ...
    @overload
    def __getitem__(self, at: slice) -> Pairs: ...
    def __getitem__(self, at: int | slice) -> Pair | Pairs:
        if isinstance(at, slice):
            return Pairs({name: column[at] for name, column in self.columns.items()})
        at = range(len(self))[at]
        return next(iter(self[at : at + 1]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pairs) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> list[dict[str, Any]]:
        """The pairs as JSON holds them, column by column."""
        columns = [_as_json(column) for column in self.columns.values()]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def _listed(column: Any) -> Sequence[Any]:
    if not isinstance(column, np.ndarray):
        return column  # type: ignore[no-any-return]
    return [Interval(*ends) for ends in column.tolist()] if column.ndim == 2 else column.tolist()


def _in_lists(one: Any) -> Any:
    return [*map(_in_lists, one)] if isinstance(one, tuple) else one


def _as_json(column: Any) -> Sequence[Any]:
    if not isinstance(column, np.ndarray):
        return [*map(_in_lists, column)]  # of texts and of finite numbers
    held = column.astype(object)
    held[~np.isfinite(column)] = None
    return held.tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(OnGold):
    """Runs compared on one measure, and on others with it.

    Attributes:
        groups: how many groups of queries were resampled as a whole; 0 for single queries.
        replicates: of how many runs each system is; empty where runs are compared.
        test: the test, one of ``TESTS``.
        correction: one of ``CORRECTIONS``; of systems ``bonferroni`` in place of ``maxt``.
        resamples: how many resamples were drawn; 0 where all sign flips were made, and for t tests.
        confidence_level: of the intervals.
        interval: how the scores' are formed: ``wilson`` for accuracies, ``t`` for systems, else ``jackknife``.
        margin: the greatest difference that does not matter; NaN if none was named.
        together: how many pairs were corrected together: those of all measures that were compared.
        runs: the runs, in the order given.
        pairs: the comparisons.
        remarks: what to know of the comparisons; what there is to know of a run is in its standing.
        others: the comparisons on the other measures that were asked for.
    """

    groups: int
    replicates: tuple[int, ...]
    test: str
    correction: str
    resamples: int
    confidence_level: float
    interval: str
    margin: float
    together: int
    runs: tuple[Standing, ...]
    pairs: Sequence[Pair]
    remarks: tuple[str, ...] = ()
    others: tuple[Comparison, ...] = field(default=())

    forms: ClassVar[Forms] = {"json": lambda one: _json(one.to_dict())}

    @property
    def alpha(self) -> float:
        """A difference is significant if its p is less."""
        return round(1 - self.confidence_level, 12)

    def significant(self, pair: Pair) -> bool:
        """Whether the pair's p is less than ``alpha``."""
        return pair.p < self.alpha

    @property
    def is_joint(self) -> bool:
        """Whether intervals hold for several pairs at once."""
        return self.together > 1 and self.correction in ("maxt", "bonferroni")

    def __repr__(self) -> str:
        return f"Comparison({self.measure!r}, runs={[run.tag for run in self.runs]}, test={self.test!r})"

    def tables(self) -> Sequence[Grid]:
        """The differences of the pairs, and the scores of the runs on each measure; of many pairs the scores alone."""
        every = [self, *self.others]
        pairs = [] if len(self.pairs) > render.MOST_PAIRS else [render.pairs(self)]
        return [*pairs, *map(render.standings, every)]

    def notes(self) -> Sequence[str]:
        """For each of few pairs the queries that decide it."""
        return [line for one in (self, *self.others) for line in render.deciding(one)]


def _json(contents: dict[str, Any]) -> Iterator[str]:
    """A pair a line."""
    return dumped_list(contents, "pairs", contents.pop("pairs"), None)


def verdicts(difference: FloatArray, is_significant: BoolArray, narrower: FloatArray, margin: float) -> list[str]:
    """What is found of differences; with a margin, what the intervals at twice the level say of it.

    Each word of a margin is wrong as often as p, at most. Source: Schuirmann 1987, two one-sided tests.
    """
    low, high = narrower.T
    if math.isnan(margin):
        says = {"better": is_significant & (difference > 0), "worse": is_significant}
    else:
        says = {
            f"better by more than {margin:g}": low > margin,
            f"worse by more than {margin:g}": high < -margin,
            "equivalent": (low > -margin) & (high < margin),
            "not worse": low > -margin,
            "not better": high < margin,
        }
    return np.select(list(says.values()), list(says), "undecided").tolist()  # type: ignore[no-any-return]
