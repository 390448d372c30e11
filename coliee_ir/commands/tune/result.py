"""What comes of tuning: the rule, what it is worth, and what else was tried; of several runs, their ranking."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir._version import __version__
from coliee_ir.commands.tune.rules import Rule
from coliee_ir.measures.base import Terms
from coliee_ir.output.grid import Cell, Grid, Number, difference_columns, number_or_dash
from coliee_ir.output.rendering import OnGold, TabularResult, jsonable
from coliee_ir.reading.submission import unique_names
from coliee_ir.stats import folds
from coliee_ir.stats.resampling import N_RESAMPLES, NEAR, Difference, Interval


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


class Shifted(NamedTuple):
    """The held-out score if queries had fewer or more relevant documents: queries are weighted until they have.

    Attributes:
        relevant: how many relevant documents a query then has on average.
        held_out: the score.
        worth: how many queries of equal weight tell as much: (Σw)² / Σw².
    """

    relevant: float
    held_out: float
    worth: float


def shifted(held_out: Terms, relevant: IntArray) -> tuple[Shifted, ...]:
    """The score with half to twice the mean of relevant documents, where a quarter of the queries' worth is left.

    Weights are exp(θ·n) for n relevant documents: of all that give a mean, those nearest to equal ones (by Kullback and
    Leibler).
    """
    apart = relevant - relevant.mean()
    rows = []
    for factor in (1 / 2, 2 / 3, 1, 3 / 2, 2):
        wanted, low, high = (factor - 1) * relevant.mean(), -50.0, 50.0
        while high - low > NEAR:
            theta = (low + high) / 2
            weights = np.exp(theta * apart - (theta * apart).max())
            low, high = (theta, high) if weights @ apart < wanted * weights.sum() else (low, theta)
        if factor == 1:
            weights = np.ones(len(apart))
        worth = float(weights.sum() ** 2 / (weights @ weights))
        if abs(weights @ apart - wanted * weights.sum()) < 1e-6 * weights.sum() and worth >= len(apart) / 4:
            rows.append(Shifted(float(relevant.mean() * factor), float(held_out.score(weights @ held_out.each)), worth))
    return tuple(rows)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tuning(OnGold):
    """Where to cut a run, and what that is worth.

    ``held_out`` is an estimate for rules chosen as this one was, on as many queries less a fold; the mean over several
    ways to deal the queries to folds. Its interval says how much it would differ with other queries of the same kind;
    it takes the rules of the folds as given, and leaves out that other queries would have led to other rules.

    Attributes:
        tag: the run tag.
        name: what the run is called, where several are tuned.
        file: its file.
        header: which of them are answered, in a line.
        remarks: what was tolerated in the files, in sentences.
        rule: the rule chosen, fitted to all of them.
        resubstitution: its score on them, which is too good: it was chosen by it.
        held_out: the score when kind and parameters are chosen anew without each fold: what to expect.
        split_sd: standard deviation of the held-out score over the repeats, that is: from one way to deal the queries
            to folds to another. None for one repeat.
        interval: 95% interval of ``held_out`` over queries, or over groups where there are any.
        gain: ``held_out`` less the score of the run as it is.
        tried: the kinds of rule, the simplest first.
        curve: parameter of the chosen rule and score there, on all queries.
        folds: how many.
        repeats: how many times the queries were dealt anew to folds.
        groups: how many groups of queries there are; None where each query is for itself.
        filters: what was taken away before cutting, in words.
        shifted: the held-out score if queries had fewer or more relevant documents.
        terms: what each query, or group, adds to ``held_out``, in the order of their names.
    """

    tag: str
    name: str
    file: str
    header: str
    remarks: tuple[str, ...]
    rule: Rule
    resubstitution: float
    held_out: float
    split_sd: float | None
    interval: Interval
    gain: Difference
    tried: tuple[Tried, ...]
    curve: tuple[tuple[float, float], ...]
    folds: int
    repeats: int
    groups: int | None
    filters: tuple[str, ...]
    shifted: tuple[Shifted, ...]
    terms: Terms = field(repr=False)

    @property
    def gap(self) -> float:
        """By how much the resubstitution score is too good."""
        return self.resubstitution - self.held_out

    def __repr__(self) -> str:
        return f"Tuning({self.name!r}, {self.measure!r}, keep={str(self.rule)!r}, held_out={self.held_out:.4f})"

    def lead(self, best_of: str = "") -> Sequence[str]:
        """What to do, and what to expect of it on other queries; of the best of several runs, in words."""
        what = f"cut after {self.rule.threshold:g}" if self.rule.family == "k" else f"keep {self.rule}"
        expected = best_of or f"{self.held_out:.4f} on other queries ({self.interval.in_words()})"
        return [f"{self.name}: {what}: expect {self.measure} {expected}"]

    def tables(self) -> Sequence[Grid]:
        """The run's score, what cutting gains, the rules that were tried, and other numbers of relevant documents."""
        return [ranked([self]), gains([self]), tried(self), by_relevant([self])]


class Tunings(TabularResult):
    """The tunings of one run or several.

    Attributes:
        tunings: in the order given.
        best_of: of several, what to expect of the best by their held-out scores. The best of many is in part the
            luckiest: here the choice, too, is made on other queries than those that score it.
    """

    def __init__(self, tunings: Sequence[Tuning]) -> None:
        names = unique_names([("", tuning.tag, 0) for tuning in tunings])
        self.tunings = [replace(tuning, name=name) for tuning, name in zip(tunings, names, strict=True)]
        terms = [tuning.terms for tuning in tunings]
        self.best_of = folds.best_of(terms, N_RESAMPLES, tunings[0].seed) if len(terms) > 1 else None

    def lead(self) -> Sequence[str]:
        """That of the run with the best held-out score; of several, without the luck of the best."""
        several = f" on other queries, as the best of {len(self.tunings)} runs"
        best_of = "" if self.best_of is None else f"{self.best_of.score:.4f}{several}"
        return min(self.tunings, key=_by_score).lead(best_of)

    def tables(self) -> Sequence[Grid]:
        """Those of the one run; of several, all but the rules that were tried."""
        if self.best_of is None:
            return self.tunings[0].tables()
        return [ranked(self.tunings), gains(self.tunings), by_relevant(self.tunings)]

    def notes(self) -> Sequence[str]:
        """Of several, what to expect of the best."""
        if self.best_of is None:
            return []
        score, (low, high) = self.best_of
        best = f"expected score of the best of {len(self.tunings)} runs: {score:.4f}"
        return [f"{best} ({folds.PICKED_ANEW}; 95% of these scores are in {low:.4f} to {high:.4f})"]

    def to_dict(self) -> dict[str, Any]:
        """Each tuning, and what to expect of the best of several."""
        best = {} if self.best_of is None else {"best_of": jsonable(self.best_of)}
        return {"coliee_ir": __version__, "tunings": jsonable(self.tunings), **best}


def ranked(tunings: Sequence[Tuning]) -> Grid:
    """The runs, that with the best held-out score first."""
    best_first, measure = sorted(tunings, key=_by_score), tunings[0].measure
    top = f"{best_first[0].held_out:.4f}" if len(tunings) > 1 else ""
    columns: dict[str, Callable[[Tuning], Cell]] = {
        "run": lambda tuning: tuning.name,
        "rule": lambda tuning: str(tuning.rule),
        f"{measure} held out": lambda tuning: Number(tuning.held_out, bold=f"{tuning.held_out:.4f}" == top),
        "SD splits": lambda tuning: number_or_dash(tuning.split_sd),
        "low 95%": lambda tuning: Number(tuning.interval.low),
        "high 95%": lambda tuning: Number(tuning.interval.high),
        "on all queries": lambda tuning: Number(tuning.resubstitution),
        "optimism": lambda tuning: Number(0.0 if abs(tuning.gap) <= NEAR else tuning.gap),  # no minus zero
    }
    caption = f"Expected {measure} on similar queries (held out). Optimism: score on all queries minus held out."
    return Grid.of(best_first, columns, caption, n_text=2)


def _by_score(tuning: Tuning) -> tuple[float, str]:
    return (math.inf if math.isnan(tuning.held_out) else -tuning.held_out, tuning.name)


def tried(tuning: Tuning) -> Grid:
    """The kinds of rule that were tried on a run, the simplest first."""
    columns: dict[str, Callable[[Tried], Cell]] = {
        "rule": lambda tried: f"{tried.rule}{' (bounds searched)' * tried.searched}",
        f"{tuning.measure} held out": lambda tried: Number(tried.held_out, bold=tried.rule == tuning.rule),
        **difference_columns("Δ best", lambda tried: tried.behind),
        "on all": lambda tried: Number(tried.resubstitution),
    }
    caption = (
        "Held-out score of each kind of rule, the choice among them not held out. "
        "Chosen: the simplest within one standard error of the best."
    )
    return Grid.of(tuning.tried, columns, caption)


def gains(tunings: Sequence[Tuning]) -> Grid:
    """What cutting is worth: the held-out score less that of the run as it is."""
    columns: dict[str, Callable[[Tuning], Cell]] = {
        "run": lambda tuning: tuning.name,
        f"{tunings[0].measure} as it is": lambda tuning: Number(tuning.held_out - tuning.gain.value),
        **difference_columns("gain held out", lambda tuning: tuning.gain),
    }
    caption = "Held-out gain from cutting, over the run as submitted, with a 95% interval."
    return Grid.of(sorted(tunings, key=_by_score), columns, caption)


def by_relevant(tunings: Sequence[Tuning]) -> Grid:
    """The held-out score if queries had fewer or more relevant documents."""
    columns: dict[str, Callable[[tuple[str, Shifted]], Cell]] = {
        "run": lambda row: row[0],
        "relevant per query": lambda row: Number(row[1].relevant, f"{row[1].relevant:.2f}"),
        f"{tunings[0].measure} held out": lambda row: Number(row[1].held_out),
        "effective queries": lambda row: Number(row[1].worth, f"{row[1].worth:.0f}"),
    }
    rows = [(tuning.name, shifted) for tuning in tunings for shifted in tuning.shifted]
    return Grid.of(
        rows, columns, "Held-out score if queries had this many relevant documents on average, by reweighting."
    )


def points(tunings: Sequence[Tuning]) -> Grid:
    """The score at each cutoff or threshold of the chosen rules, on all queries."""
    columns: dict[str, Callable[[tuple[Tuning, float, float]], Cell]] = {
        "run": lambda row: row[0].name,
        "rule": lambda row: row[0].rule.family,
        "parameter": lambda row: Number(int(row[1]) if row[0].rule.family == "k" else row[1], f"{row[1]:g}"),
        tunings[0].measure: lambda row: Number(row[2]),
    }
    rows = [(tuning, parameter, score) for tuning in tunings for parameter, score in tuning.curve]
    return Grid.of(rows, columns, n_text=2)
