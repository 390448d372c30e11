"""What comes of tuning: the rule, what it is worth, and what else was tried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from coliee_adapters.classes import NamedTuple, dataclass
from coliee_adapters.remarks import told_of
from coliee_ir.commands.tune.rules import Rule
from coliee_ir.measures.base import Terms
from coliee_ir.output.envelope import apart, number, numbers
from coliee_ir.output.shown import Shown
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats import folds
from coliee_ir.stats.resampling import Difference, Interval
from coliee_ir.stats.settings import N_RESAMPLES, SEED


class Tried(NamedTuple):
    """A kind of rule that was tried.

    Attributes:
        rule: fitted to all queries.
        searched: whether floor and cap were searched too.
        resubstitution: its score on the queries that it was fitted to.
        held_out: the score of rules of its kind, each on the fold it was fitted without.
        behind: by how much ``held_out`` differs from that of the best kind.
    """

    rule: Rule
    searched: bool
    resubstitution: float
    held_out: float
    behind: Difference


class Filtered(NamedTuple):
    """What a filter did.

    Attributes:
        name: its name.
        rows: how many rows of the judged queries it takes away by itself.
        gain: by how much the held-out score is greater with it than without it, the other filters in place.
    """

    name: str
    rows: int
    gain: Difference


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuning(Shown):
    """Where to cut a run, and what that is worth.

    ``held_out`` is an estimate for rules chosen as this one was, on as many queries less a fold; the mean over several
    ways to deal the queries to folds. Its interval says how much it would differ with other queries of the same kind;
    it takes the rules of the folds as given, and leaves out that other queries would have led to other rules.

    Attributes:
        tag: the run's name.
        file: its file.
        task: the task.
        edition: the edition whose rules were used; None for a task without editions.
        gold: the gold's file.
        measure: what was maximised.
        decisions: the choices made where the organisers leave it open.
        excluded: the queries that were left out.
        queries: how many judged queries there are.
        header: which of them are answered, in a line.
        remarks: what was tolerated in the files, in sentences.
        rule: the rule chosen, fitted to all of them.
        resubstitution: its score on them, which is too good: it was chosen by it.
        held_out: the score when kind and parameters are chosen anew without each fold: what to expect.
        split_sd: standard deviation of the held-out score over the repeats, that is: from one way to deal the queries
            to folds to another. NaN for one repeat.
        interval: 95% interval of ``held_out`` over queries, or over groups where there are any.
        gain: ``held_out`` less the score of the run as it is.
        tried: the kinds of rule, the simplest first.
        ceilings: scores reference points: name → score.
        curve: parameter of the chosen rule and score there, on all queries.
        curve_intervals: 95% interval of each of these scores; empty where they were not asked for.
        folds: how many.
        repeats: how many times the queries were dealt anew to folds.
        groups: how many groups of queries there are; None where each query is for itself.
        seed: of the folds and of the interval.
        filters: what each filter did.
        terms: what each query, or group, adds to ``held_out``, in the order of their names.
    """

    tag: str
    file: str
    task: str
    edition: int | None
    gold: str
    measure: str
    decisions: Decisions
    excluded: tuple[str, ...]
    queries: int
    header: str
    remarks: tuple[str, ...]
    rule: Rule
    resubstitution: float
    held_out: float
    split_sd: float
    interval: Interval
    gain: Difference
    tried: tuple[Tried, ...]
    ceilings: Mapping[str, float]
    curve: tuple[tuple[float, float], ...]
    folds: int
    repeats: int
    groups: int | None
    seed: int
    filters: tuple[Filtered, ...]
    terms: Terms = field(repr=False)
    curve_intervals: tuple[Interval, ...] = ()

    @property
    def gap(self) -> float:
        """By how much the resubstitution score is too good."""
        return self.resubstitution - self.held_out

    def __repr__(self) -> str:
        return f"Tuning({self.tag!r}, {self.measure!r}, keep={str(self.rule)!r}, held_out={self.held_out:.4f})"

    def to_dict(self) -> dict[str, Any]:
        """The tuning as JSON; a score that does not exist is null. ``cut`` takes it for its rule."""
        return {
            "tag": self.tag,
            "file": self.file,
            "task": self.task,
            "edition": self.edition,
            "gold": self.gold,
            "decisions": self.decisions.to_dict(),
            **({"excluded": list(self.excluded)} if self.excluded else {}),
            "measure": self.measure,
            "queries": self.queries,
            "rule": self.rule.to_dict(),
            "says": str(self.rule),
            "resubstitution": number(self.resubstitution),
            "held_out": number(self.held_out),
            "split_sd": number(self.split_sd),
            "interval": numbers(self.interval),
            "gain": apart(self.gain),
            "gap": number(self.gap),
            "tried": [
                {"rule": one.rule.to_dict(), "bounds_searched": one.searched, "held_out": number(one.held_out),
                 "behind": apart(one.behind), "resubstitution": number(one.resubstitution)}
                for one in self.tried
            ],
            "ceilings": {name: number(value) for name, value in self.ceilings.items()},
            "curve": [list(point) for point in self.curve],
            "folds": self.folds,
            "repeats": self.repeats,
            "groups": self.groups,
            "seed": self.seed,
            "filters": [
                {"filter": name, "rows": rows, "gain": apart(gain)} for name, rows, gain in self.filters
            ],
            **told_of(self.remarks),
        }  # fmt: skip


def best_of(tunings: Sequence[Tuning], *, seed: int = SEED, n_resamples: int = N_RESAMPLES) -> folds.BestOf:
    """What to expect of the best of several runs, where it is the best by their held-out scores.

    The best of many is in part the luckiest, so that its own held-out score is too good. Here the choice, too, is made
    on other queries than those that score it; see ``coliee_ir.stats.folds.best_of``.

    Args:
        tunings: of the same gold, measure and groups.
        seed: of the bootstrap samples.
        n_resamples: how many there are.
    """
    return folds.best_of([tuning.terms for tuning in tunings], n_resamples, seed)
