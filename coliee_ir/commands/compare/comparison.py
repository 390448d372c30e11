"""What a comparison says: the runs and their scores, the pairs and their differences; as values, tables and words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, overload

import numpy as np

from coliee_adapters.errors import printable
from coliee_adapters.forms.lines import counted, plural
from coliee_adapters.remarks import Remark
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.output.envelope import dumped_list, with_inputs
from coliee_ir.output.grid import Cell, Grid, Number, distinct, number_or_dash, signed, signed_end
from coliee_ir.output.rendering import OnGold
from coliee_ir.stats.paired import Ranks
from coliee_ir.stats.resampling import Interval, resampled

_CORRECTION: Final = {
    "maxt": "corrected jointly (max-T)",
    "bonferroni": "Bonferroni's correction",
    "none": "no correction",
}
_INTERVAL: Final = {"wilson": "Wilson's", "jackknife": "jackknife t", "t": "t"}

#: of more pairs than these, all of 12 runs, there is no table but the runs with their ranks
MOST_PAIRS: Final = 66
#: with more pairs than these, the queries that decide each are told in JSON only
_FEW: Final = 10
#: and of each no more than these
_TOLD: Final = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """A run, or a system of several, and its score.

    Attributes:
        tag: the run's name, or the system's.
        file: its file; of a system those of its runs.
        score: of the measure, over all queries; None if it does not exist.
        interval: of the score.
        ranks: those that it may have, which hold for all runs at once; 0 where not all pairs were tested together.
        remarks: what was tolerated in the run and what was decided, in sentences.
    """

    tag: str
    name: str
    file: str
    score: float | None
    interval: Interval
    ranks: Ranks = field(default=Ranks(0, 0))
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs compared.

    Attributes:
        a: the place of the first run among the runs, from 0.
        b: that of the second.
        tags: their run tags.
        names: what they are called, which no two runs share.
        difference: score of ``a`` minus score of ``b``; None where one does not exist.
        error: its standard error, if the runs do not differ.
        interval: of the difference; with ``maxt`` it holds for all pairs that are corrected together, else for this
            pair alone. NaN for an end that there is not, where few queries hold most of what is counted.
        p: of the test, two-sided, corrected for the number of pairs; None where it cannot be formed. With ``maxt`` and
            with a single pair, it is significant exactly if the interval leaves out 0.
        own_interval: that of this pair alone; NaN of more than 50 runs.
        own_p: p of this pair alone; None of more than 50 runs.
        verdict: what is found of ``a``: ``better``, ``worse``, ``undecided``; or what can be said of the margin.
        differing: how many queries the runs differ in.
        wins: queries with a greater value in ``a``, by the measure's formula on the query alone.
        ties: queries with equal values; one that is left out of a score counts nowhere.
        losses: queries with a greater value in ``b``.
        effect: the difference in standard deviations of what single queries say of it, their jackknife pseudo-values.
            For a mean these are the queries' differences, so that it is Cohen's d for pairs. It does not grow with the
            number of queries. None of more than 50 runs.
        deciding: the queries that move the difference most, and by how much it would change without each; none of more
            than 50 runs.
    """

    a: int
    b: int
    tags: tuple[str, str]
    names: tuple[str, str]
    difference: float | None
    error: float | None
    interval: Interval
    p: float | None
    own_interval: Interval
    own_p: float | None
    verdict: str
    differing: int
    wins: int
    ties: int
    losses: int
    effect: float | None
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
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> Pairs: ...
    def __getitem__(self, index: int | slice) -> Pair | Pairs:
        if isinstance(index, slice):
            return Pairs({name: column[index] for name, column in self.columns.items()})
        index = range(len(self))[index]
        return next(iter(self[index : index + 1]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pairs) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> list[dict[str, Any]]:
        """The pairs as JSON holds them, column by column."""
        columns = [_as_json(column) for column in self.columns.values()]
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def _listed(column: Any) -> Sequence[Any]:
    if not isinstance(column, np.ndarray):
        return column  # type: ignore[no-any-return]
    if column.ndim == 2:  # NaN is one object, so that it equals itself
        return [Interval(*(math.nan if math.isnan(end) else end for end in ends)) for ends in column.tolist()]
    return _as_json(column)


def _as_json(column: Any) -> Sequence[Any]:
    if not isinstance(column, np.ndarray):
        return _in_lists(column)  # of texts and of finite numbers
    values = column.astype(object)
    values[~np.isfinite(column)] = None
    return values.tolist()  # type: ignore[no-any-return]


def _in_lists(column: Sequence[Any]) -> list[Any]:
    return [_in_lists(value) if isinstance(value, tuple) else value for value in column]


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(OnGold):
    """Runs compared on one measure, and on others with it.

    Attributes:
        groups: how many groups of queries were resampled as a whole; 0 for single queries.
        replicates: of how many runs each system is; empty where runs are compared.
        test: the test, ``randomisation`` of queries, studentised and paired, for any measure; or ``t``, for means over
            queries.
        correction: one of ``CORRECTIONS``; of systems ``bonferroni`` in place of ``maxt``.
        resamples: how many resamples were drawn; 0 where all sign flips were made, and for t tests.
        confidence_level: of the intervals.
        interval: how the scores' are formed: ``wilson`` for accuracies, ``t`` for systems, else ``jackknife``.
        margin: the greatest difference that does not matter; None if none was named.
        together: how many pairs were corrected together: those of all measures that were compared.
        runs: the runs, in the order given.
        pairs: the comparisons.
        remarks: what to know of the comparisons; what there is to know of a run is in its standing.
        others: the comparisons on the other measures that were asked for.
        lower_is_better: whether less of the measure is better; differences are those of its values all the same.
        fixed_queries: whether it is about these very queries, in other runs of the systems.
    """

    groups: int
    replicates: tuple[int, ...]
    test: str
    correction: str
    resamples: int
    confidence_level: float
    interval: str
    margin: float | None
    together: int
    runs: tuple[Standing, ...]
    pairs: Sequence[Pair]
    remarks: tuple[Remark, ...] = ()
    others: tuple[Comparison, ...] = field(default=())
    lower_is_better: bool = False
    fixed_queries: bool = False

    def json(self, inputs: Mapping[str, str] | None = None) -> Iterator[str]:
        """The JSON as text, with a pair a line."""
        contents = with_inputs(self.to_dict(), inputs)
        return dumped_list(contents, "pairs", contents.pop("pairs"), None)

    @property
    def alpha(self) -> float:
        """A difference is significant if its p is less."""
        return round(1 - self.confidence_level, 12)

    def significant(self, pair: Pair) -> bool:
        """Whether the pair's p is less than ``alpha``."""
        return pair.p is not None and pair.p < self.alpha

    def is_better(self, pair: Pair) -> bool:
        """Whether the first run of a pair has the better score."""
        return pair.difference is not None and (pair.difference < 0 if self.lower_is_better else pair.difference > 0)

    @property
    def is_joint(self) -> bool:
        """Whether intervals hold for several pairs at once."""
        return self.together > 1 and self.correction in ("maxt", "bonferroni")

    def __repr__(self) -> str:
        return f"Comparison({self.measure!r}, runs={self.names}, test={self.test!r})"

    def tables(self) -> Sequence[Grid]:
        """The differences of the pairs, and the scores of the runs on each measure; of many pairs the scores alone."""
        return [
            *([] if self.in_ranks else [self.differences()]),
            *(comparison.scores() for comparison in (self, *self.others)),
        ]

    def notes(self) -> Sequence[str]:
        """The method; for each of few pairs the queries without which the difference would change most, in a line."""
        return [
            f"method: {self.method}",
            *(line for comparison in (self, *self.others) for line in comparison._deciding()),
        ]

    @property
    def in_ranks(self) -> bool:
        """Whether there are too many pairs for a table of them, so that runs have ranks instead of letters."""
        return len(self.pairs) > MOST_PAIRS

    @property
    def names(self) -> list[str]:
        """What the runs are called."""
        return [run.name for run in self.runs]

    @property
    def percent(self) -> str:
        """The confidence level in words."""
        return f"{100 * self.confidence_level:.6g}%"

    @property
    def described(self) -> str:
        """The test in words."""
        test = f"studentised paired randomisation test, {resampled(self.resamples, self.seed)}"
        over = "runs" if self.fixed_queries else "queries and runs"
        test = f"t test over {over}" if self.replicates else "paired t test" if self.test == "t" else test
        words, n = [test], self.together
        if n > 1:
            for_pairs = f" for {n} pairs{' of all measures' * (n > len(self.pairs))}" * (self.correction != "none")
            words.append(f"{_CORRECTION[self.correction]}{for_pairs}")
        return "; ".join([*words, f"p < {self.alpha:.6g}"])

    @property
    def method(self) -> str:
        """The test, the intervals, and what they are about, in words."""
        units = plural(self.unit)
        words = [self.described, f"run intervals: {_INTERVAL[self.interval]}"]
        words += [f"{counted(self.groups, 'group')} of {units} resampled as units"] if self.groups else []
        about = (
            f"these {units}, other runs"
            if self.fixed_queries
            else f"similar {units}{' and runs' * bool(self.replicates)}"
        )
        return "; ".join([*words, f"inference: to {about}"])

    @property
    def by_gold(self) -> Mapping[str, Comparison]:
        """The comparison by each gold, under what its columns end with."""
        return {"": self}

    def differences(self) -> Grid:
        """The pairs, each with an interval, p and a verdict by each gold; with several measures, those of all."""
        names, n, percent = self.names, self.together, self.percent
        columns: dict[str, Callable[[_Row], Cell]] = {
            **({"measure": lambda row: row[0][0].measure} if self.others else {}),
            "run": lambda row: names[row[0][1].a],
            "versus": lambda row: names[row[0][1].b],
        }
        for gold, ending in enumerate(self.by_gold):
            columns |= _difference_columns(gold, ending, percent)
        of_measures = zip(*([by, *by.others] for by in self.by_gold.values()), strict=True)
        rows = chain.from_iterable(
            zip(*([(comparison, pair) for pair in comparison.pairs] for comparison in by_golds), strict=True)
            for by_golds in of_measures
        )
        difference = "difference in mean" if self.replicates else "difference of"
        what = "Difference in each measure" if self.others else f"{difference.capitalize()} {self.measure}"
        holding = f", with a {percent} interval."
        if n > 1:
            joint = "corrected jointly" if self.is_joint else "not corrected"
            holding = f". The {percent} intervals and p-values are {joint} for {n} pairs."
        if self.margin is not None:
            verdicts = f'{100 - 200 * self.alpha:.6g}% intervals, not p; "not better" means not by more than the margin'
            holding = f", with {'joint ' * self.is_joint}{percent} intervals. Verdicts use {verdicts} ±{self.margin:g}."
        return Grid.of(rows, columns, f"{what}, run minus versus{holding}", 2 + bool(self.others))

    def scores(self) -> Grid:
        """The runs with their scores and intervals; behind a score the letters of the runs that it is better than.

        Of many, best first and with the ranks that they may have instead of letters.
        """
        runs, level = self.runs, self.percent
        better: list[list[str]] = [[] for _ in runs]
        for pair in () if self.in_ranks else filter(self.significant, self.pairs):
            winner, loser = (pair.a, pair.b) if self.is_better(pair) else (pair.b, pair.a)
            better[winner].append(letter(loser))
        sign = 1 if self.lower_is_better else -1
        ascending = {place: sign * run.score for place, run in enumerate(runs) if run.score is not None}
        best = f"{sign * min(ascending.values()):.4f}" if ascending else ""
        with_files = any(run.name != run.tag for run in runs)
        order = sorted(range(len(runs)), key=lambda place: ascending.get(place, math.inf))
        ends = f"low {level}", f"high {level}"
        (measure,) = distinct([self.measure], ["", "run", "file", f"rank {level}", *ends])
        columns: dict[str, Callable[[int], Cell]] = {
            f"rank {level}" if self.in_ranks else "": lambda place: (
                str(runs[place].ranks) if self.in_ranks else letter(place)
            ),
            "run": lambda place: runs[place].name,
            **({"file": lambda place: runs[place].file} if with_files else {}),
            measure: lambda place: _score(runs[place].score, best, ",".join(better[place])),
            ends[0]: lambda place: Number(runs[place].interval.low),
            ends[1]: lambda place: Number(runs[place].interval.high),
        }
        meaning = (
            f"Possible ranks: joint {level} confidence for all runs"
            if self.in_ranks
            else f"Letters: runs that this run significantly outperforms (p < {self.alpha:.6g})"
        )
        mean = "mean " * bool(self.replicates)
        less = ", less is better" * self.lower_is_better
        on = f"on {counted(self.queries, self.unit)}"
        caption = f"{mean}{self.measure} {on}{less}, with a {level} interval for each run alone. {meaning}."
        caption = caption[:1].upper() + caption[1:]
        return Grid.of(order if self.in_ranks else range(len(runs)), columns, caption, 2 + with_files)

    def _deciding(self) -> Iterator[str]:
        for pair in self.pairs if len(self.pairs) <= _FEW else ():
            queries = [
                f"{query} ({change:+.4f} if removed)" for query, change in pair.deciding[:_TOLD] if round(change, 4)
            ]
            if queries:
                a, b = self.names[pair.a], self.names[pair.b]
                yield printable(f"most influential {plural(self.unit)} for {a} − {b}: {', '.join(queries)}")


#: a pair by each gold
_Row = Sequence[tuple[Comparison, Pair]]


def _difference_columns(gold: int, ending: str, level: str) -> dict[str, Callable[[_Row], Cell]]:
    """Heading → what is found of a pair by one of the golds."""
    return {
        f"difference{ending}": lambda row: _signed(row[gold][1].difference, signed),
        f"low {level}{ending}": lambda row: _signed(row[gold][1].interval.low, signed_end),
        f"high {level}{ending}": lambda row: _signed(row[gold][1].interval.high, signed_end),
        f"p{ending}": lambda row: _p(row[gold][1].p)._replace(bold=row[gold][0].significant(row[gold][1])),
        f"verdict{ending}": lambda row: row[gold][1].verdict,
    }


def _signed(value: float | None, written: Callable[[float], str]) -> Number:
    return number_or_dash(value)._replace(display=written(math.nan if value is None else value))


def _score(value: float | None, best: str, mark: str) -> Number:
    cell = number_or_dash(value)
    return cell._replace(bold=cell.text == best, mark=mark)


def _p(value: float | None) -> Number:
    return number_or_dash(value)._replace(display="<0.0001" * (value is not None and value < 0.00005))


def letter(place: int) -> str:
    """The letters of a run by its place: a, b, … z, aa, ab, …; never a digit, which would lengthen a number.

    >>> letter(0), letter(25), letter(26), letter(701), letter(702)
    ('a', 'z', 'aa', 'zz', 'aaa')
    """
    return (letter(place // 26 - 1) if place >= 26 else "") + chr(ord("a") + place % 26)


def verdicts(
    difference: FloatArray, is_significant: BoolArray, narrower: FloatArray, margin: float | None
) -> list[str]:
    """What is found of differences; with a margin, what the intervals at twice the level say of it.

    Each word of a margin is wrong as often as p, at most. Source: Schuirmann 1987, two one-sided tests.
    """
    low, high = narrower.T
    if margin is None:
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
