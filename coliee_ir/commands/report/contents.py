"""What a report is made of: scores, how sure they are, the comparison, the cutoffs; computed once, before drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from coliee_adapters.errors import printable
from coliee_ir.commands.compare import Comparison
from coliee_ir.commands.leaderboard import Categories, Leaderboard
from coliee_ir.commands.tune import Tuning
from coliee_ir.measures import Measure, Result
from coliee_ir.output.webpage import local
from coliee_ir.scoring.scores import Scores, document, every_measure, is_count
from coliee_ir.stats.intervals import are_shares, interval_of
from coliee_ir.stats.resampling import Interval

#: of more runs than these, pairs, queries, cutoffs and remarks are told of the best alone
FEW: Final = 12
#: and of more than these the best alone are drawn
DRAWN: Final = 50

#: so many pairs that are not told apart are named
_TOLD: Final = 3

_UNKNOWN: Final = Interval(math.nan, math.nan)
_SAME: Final = 1e-9

#: query → document → rank, of one run
Ranks = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything that a report shows, as numbers; runs come in the order of their scores, the best first."""

    board: Leaderboard  # the runs, and what the tables of an overview are made from
    intervals: Mapping[Measure, Sequence[Interval]]  # for each measure that of each run
    comparison: Comparison | None  # of all runs; None for a single one, and for more than a few without a baseline
    ranks: Sequence[Ranks]  # for each of few runs where its documents stand; empty for a task of answers
    tunings: Sequence[Tuning | None]  # for each of few runs the best cutoff; None where there is none to choose
    categories: Categories | None  # of the questions; None where none were given
    remarks: tuple[str, ...]  # what there is to know of the report itself
    command: str  # what makes it again; empty where that is not known
    in_order: Sequence[Scores]  # the scores in the order in which the runs were given

    @property
    def scored(self) -> list[Scores]:
        """The scores of each run."""
        return [entry.scores for entry in self.board.entries]

    @cached_property
    def names(self) -> list[str]:
        """A name for each run that no other has, as it is shown; and why it is not ranked, where it is not."""
        return [printable(f"{one.name} ({one.status})" if one.status else one.name) for one in self.board.entries]

    @property
    def measure(self) -> Measure:
        """The measure that the report is about: the official one, or the first that was asked for."""
        return self.board.ranking

    @property
    def has_documents(self) -> bool:
        """Whether runs retrieve documents, and do not only answer."""
        return self.board.main == "documents"

    def verdict(self) -> Iterator[str]:
        """What a person reads first, in sentences: which run is the best, what a cut gives, what is not told apart."""
        first, name, best = self.board.entries[0], self.names[0], self.board.best
        value = first.scores.results[self.measure].value
        if not math.isnan(value):
            ends = between(first.interval)
            score = f"{self.measure} {value:.3f}{f' ({ends})' * bool(ends)}"
            if best == f"the best is {name}":
                yield f"{name} is the best run: {score}."
            else:
                yield f"{best[:1].upper()}{best[1:]}; {name} has {score}." if best else f"{name}: {score}."
        tuning = self.tunings[0] if self.tunings else None
        if tuning is not None and not math.isnan(tuning.held_out):
            ends = between(tuning.interval)
            yield f"Cut to {tuning.rule}, expect {tuning.held_out:.3f}{f' ({ends})' * bool(ends)} on similar queries."
        if self.comparison is not None:
            compared = self.comparison
            like = [f"{self.names[pair.a]} and {self.names[pair.b]}" for pair in compared.pairs
                    if not compared.significant(pair)]  # fmt: skip
            more = f"; {len(like) - _TOLD} more" if len(like) > _TOLD else ""
            yield from [f"Not distinguishable: {'; '.join(like[:_TOLD])}{more}."] if like else []

    def evaluation(self) -> dict[str, Any]:
        """What ``evaluate -f json -q`` prints of the same runs; of more than a few without ``-q``."""
        held = document(self.in_order, per_query=len(self.in_order) <= FEW)
        paths = ("file", "answers", "long_list")
        runs = [{name: local(value) if name in paths else value for name, value in run.items()} for run in held["runs"]]
        return {**held, "gold": local(held["gold"]), "runs": runs}


def between(interval: Interval) -> str:
    """The ends of an interval, as they stand behind a score; empty where they are not known."""
    return "" if math.isnan(interval.low + interval.high) else f"{interval.low:.2f}–{interval.high:.2f}"


def intervals(scored: Sequence[Scores], confidence_level: float) -> dict[Measure, list[Interval]]:
    """The interval of each measure and run."""
    found = {}
    for measure in every_measure(scored):
        results = [None if is_count(measure) else scores.results.get(measure) for scores in scored]
        is_share = are_shares(filter(None, results))
        found[measure] = [_interval(one, confidence_level, is_share) for one in results]
    return found


def _interval(result: Result | None, confidence_level: float, is_share: bool) -> Interval:
    """The interval of a score; unknown where it is no sum over queries."""
    if result is None:
        return _UNKNOWN
    terms = result.terms
    is_sum = abs(terms.total - result.value) < _SAME  # false for NaN
    return interval_of(result, terms, confidence_level, is_share=is_share) if is_sum else _UNKNOWN
