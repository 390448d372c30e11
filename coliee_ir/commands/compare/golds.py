"""Runs by two golds: by people and by a language model, by other assessors, or of another release.

What may be said of it was simulated (benchmarks/error-rates.md): no interval of tau, and no verdict of halves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Final, Literal, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.forms.lines import counted, plural
from coliee_adapters.remarks import Remark
from coliee_ir.commands.compare.comparison import Comparison
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Terms
from coliee_ir.measures.ranked import JudgedShare
from coliee_ir.output.grid import Cell, Grid, distinct, number_or_dash, whole
from coliee_ir.scoring.comparable import checked, comparable
from coliee_ir.scoring.scores import Scored, Scores
from coliee_ir.stats.agreement import Estimate, f1, halves, kappa, tau_ap, tau_b
from coliee_ir.stats.resampling import Resampling

#: with fewer queries few reversals are found, whatever golds say
_MANY_QUERIES: Final = 200
#: with fewer queries that have something relevant, intervals of agreement are wide, and a few queries decide
_RELEVANT_QUERIES: Final = 10
#: from this share of pairs that one gold alone judges on, runs' top documents are looked at
_UNLIKE: Final = 0.1
_TOP: Final = 10

#: query → document, or the one answer → grade
_Judged = Mapping[str, Mapping[str, int]]


class Coverage(NamedTuple):
    """How many of something are in the one gold, in the other, in both."""

    first_only: int
    second_only: int
    both: int


class Verdicts(NamedTuple):
    """How many pairs of runs, of which the first run is found better or worse by the other gold, or nothing is."""

    better: int
    undecided: int
    worse: int


class VerdictTable(NamedTuple):
    """The same of the pairs whose first run the first gold finds better, or worse, or of which it finds nothing."""

    better: Verdicts
    undecided: Verdicts
    worse: Verdicts

    @property
    def alike(self) -> int:
        """How many pairs both decide for the same run."""
        return self.better.better + self.worse.worse

    @property
    def one_only(self) -> int:
        """How many pairs one gold alone decides."""
        return self.better.undecided + self.worse.undecided + self.undecided.better + self.undecided.worse


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two golds agree on what is relevant.

    Attributes:
        pairs: of query and document, on common queries, or of answers.
        kappa: Cohen's, from -1 to 1, on what both judged; None where a gold lists only what is relevant.
        kappa_of: ``grades`` with quadratic weights, where both golds have the same; else ``relevance``, of relevant or
            not; or ``answers``.
        f1: from 0 to 1, of what one gold has as relevant against the other.
        relevant: how much is relevant by each: a share of what both judged, or a number where there is no kappa.
        relevant_queries: on how many queries either has something relevant.
        judged_at_10: the share of runs' first ten documents that each gold judges, a mean over runs; NaN where both
            judge nearly the same, and where runs were scored without what they returned.
    """

    pairs: Coverage
    kappa: Estimate | None
    kappa_of: Literal["grades", "relevance", "answers"]
    f1: Estimate
    relevant: tuple[float, float]
    relevant_queries: int
    judged_at_10: tuple[float, float]


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class TwoGolds(Comparison):
    """The same runs by two golds, on the queries that both have: the comparison by the first, and what both say.

    Attributes:
        other_gold: the file of the other gold.
        by_other_gold: the comparison by it, of the same runs and pairs.
        queries_of_golds: how many queries the golds have.
        nothing_relevant: how many common queries were left out, as one gold has nothing relevant to them.
        verdicts: how many pairs of runs are decided how by each gold: ``verdicts.better.worse`` are better by the first
            and worse by the other.
        reversed: the pairs that both golds decide, for another run each; the better one by the first gold first.
        tau_b: Kendall's tau-b of the two orders, on these queries; from -1 to 1.
        tau_ap: tau-AP, of which the first gold's order is the truth; from -1 to 1.
        halves: the mean tau-b between random halves of the queries: of the two golds, of the first with itself, of the
            second with itself.
        spread: the standard deviation of runs' scores by the other gold, in those by the first; NaN if these are equal.
        agreement: of the judgements; None for scores that were read.
    """

    other_gold: str
    by_other_gold: Comparison
    queries_of_golds: Coverage
    nothing_relevant: int
    verdicts: VerdictTable
    reversed: tuple[tuple[str, str], ...]
    tau_b: float
    tau_ap: float
    halves: tuple[float, float, float]
    spread: float
    agreement: Agreement | None

    @property
    def by_gold(self) -> Mapping[str, Comparison]:
        """The comparisons by the two golds."""
        return {" by A": self, " by B": self.by_other_gold}

    def tables(self) -> Sequence[Grid]:
        """The pairs and the runs by both golds, and how many pairs are decided how; then the scores by the first."""
        tables, first = [*Comparison.tables(self)], 0 if self.in_ranks else 1
        return [*tables[:first], *self.in_short(), *tables[first:]]

    def in_short(self) -> Sequence[Grid]:
        """The runs with their scores and ranks by both golds, and how many pairs are decided how."""
        (measure,) = distinct([self.measure], ["rank"])
        columns: dict[str, Sequence[Cell]] = {"run": self.names}
        for by, comparison in self.by_gold.items():
            scores = _greater_is_better(comparison)
            columns[f"{measure}{by}"] = [number_or_dash(run.score) for run in comparison.runs]
            columns[f"rank{by}"] = [whole(1 + int((scores > score).sum())) for score in scores]
        order = sorted(range(len(self.runs)), key=lambda i: columns["rank by A"][i].value)  # type: ignore[union-attr]
        of_runs = f"A: {self.gold}. B: {self.other_gold}. Scores on {counted(self.queries, self.unit)} that both have."
        verdicts: dict[str, Callable[[tuple[str, Verdicts]], Cell]] = {
            "pairs": lambda row: f"A: {row[0]}",
            "B: better": lambda row: whole(row[1].better),
            "B: undecided": lambda row: whole(row[1].undecided),
            "B: worse": lambda row: whole(row[1].worse),
        }
        together = ", all pairs of a gold together" * self.is_joint
        return [
            Grid.of(order, {heading: column.__getitem__ for heading, column in columns.items()}, of_runs),
            Grid.of(
                self.verdicts._asdict().items(),
                verdicts,
                f"Pairs by what each gold finds in {measure} of run against versus (p < {self.alpha:.6g}{together}).",
            ),
        ]

    def notes(self) -> Sequence[str]:
        """What can be said of both golds, and what not; then of the comparison."""
        return [*self.of_golds(), *Comparison.notes(self)]

    def of_golds(self) -> Iterator[str]:
        """What can be said of both golds, and what not."""
        n, units, reversed_pairs = counted(self.queries, self.unit), plural(self.unit), self.reversed
        if self.others:
            yield f"The following on the two golds is of {self.measure} only; give another measure alone with -m."
        if reversed_pairs:
            named = "; ".join(f"{shortened(winner)} over {shortened(loser)} by A" for winner, loser in reversed_pairs)
            verb = "is" if len(reversed_pairs) == 1 else "are"
            yield f"{len(reversed_pairs)} of {counted(len(self.pairs), 'pair')} {verb} reversed: {named}."
        elif not self.verdicts.alike:
            yield "No pair is decided by both golds, so none could be reversed."
        else:
            find = f"{n} find{'s' * (self.queries == 1)} few reversals"
            few = f" That does not show that the golds agree: {find}." * (self.queries < _MANY_QUERIES)
            yield f"No conclusion is reversed: whatever A and B both decide, they decide alike.{few}"
        scores = [{run.score for run in comparison.runs} for comparison in self.by_gold.values()]
        equal = " and ".join(name for name, by_gold in zip("AB", scores, strict=True) if len(by_gold) == 1)
        if equal:
            yield f"By {equal} all runs have the same score, so no order is defined."
        elif one_only := self.verdicts.one_only:
            common = " That is no sign that the golds differ: of two golds with the same truth it is the common case."
            decided = any((reversed_pairs, self.verdicts.alike))
            yield f"{counted(one_only, 'pair')} decided by one gold only.{common * decided}"
        numbers = (self.tau_b, self.tau_ap, *self.halves)
        tau, ap, between, first, second = ("–" if math.isnan(number) else f"{number:.2f}" for number in numbers)
        yield (
            f"Order: tau-b {tau}, tau-AP {ap} (on these {units}). Between random halves of the {units}: A–B {between}, "
            f"A–A {first}, B–B {second}."
        )
        if math.isfinite(self.spread):
            yield f"B spreads the runs by {self.spread:.2f} of A."
        if self.agreement is not None:
            yield from _of_judgements(self.agreement, self.unit)
        coverage, without = self.queries_of_golds, self.nothing_relevant
        dropped = f"; {without} left out, with nothing relevant by one of them" * bool(without)
        yield (f"{units.capitalize()}: {coverage.both} in both golds, {coverage.first_only} in A only, "
               f"{coverage.second_only} in B only{dropped}.")  # fmt: skip


def _of_judgements(judged: Agreement, unit: str) -> Iterator[str]:
    """The sentences on judgements."""
    (first, second), pairs = judged.relevant, judged.pairs
    are_answers = judged.kappa_of == "answers"
    agreement = f"F1 of {'Y' if are_answers else 'relevant'} {_estimate(judged.f1)}."
    prevalence = f"Relevant by A: {first:.0f}, by B: {second:.0f}."
    if judged.kappa is not None:
        restriction = " of relevant or not (the golds' grades differ)" * (judged.kappa_of == "relevance")
        agreement = f"kappa{restriction} {_estimate(judged.kappa)}, {agreement}"
        way = "B is stricter: of" if second < first else "B is more lenient: of" if second > first else "Of"
        prevalence = f"{way} what both judged {first:.2f} is relevant by A, {second:.2f} by B."
        if are_answers:
            prevalence = f"Of what both answer {first:.2f} is Y by A, {second:.2f} by B."
    if judged.relevant_queries < _RELEVANT_QUERIES:
        anything = "a Y" if are_answers else "anything relevant"
        agreement += f" Only {counted(judged.relevant_queries, unit)} with {anything}: too few to rely on it."
    yield f"Judgements: {agreement}"
    yield prevalence
    yield f"Judgements in both golds: {pairs.both}, in A only: {pairs.first_only}, in B only: {pairs.second_only}."
    by_a, by_b = judged.judged_at_10
    if math.isfinite(by_a + by_b):
        yield f"Of the runs' first {_TOP} documents A judges {by_a:.2f}, B {by_b:.2f}: scores depend on that too."


def _estimate(estimate: Estimate) -> str:
    low, high = estimate.interval
    return f"{estimate.value:.2f}" + (f" ({low:.2f} to {high:.2f})" if math.isfinite(low) else "")


def on_common(
    scored: Sequence[Scores], other: Sequence[Scores], measures: str | Sequence[str]
) -> tuple[Sequence[Scores], Sequence[Scores], Coverage, int]:
    """The runs by two golds on the queries that both have, without those to which one has nothing relevant."""
    other = checked(other, 2, "a comparison of golds")
    by_name = {scores.name: scores for scores in other}
    if names := [scores.name for scores in scored if scores.name not in by_name]:
        raise UsageError(
            "not-comparable",
            f"the same runs must be scored by both golds; by one only: {', '.join(map(shortened, names))}",
        )
    by_gold = [(runs, comparable(runs, measures)[0]) for runs in (scored, other)]
    if len({(runs[0].task, runs[0].edition, measure.name) for runs, measure in by_gold}) > 1:
        raise UsageError(
            "not-comparable", "the runs were scored by other rules or by another measure with the other gold"
        )
    first, second = (dict.fromkeys(runs[0].query_ids) for runs, _ in by_gold)
    common = queries = [query for query in first if query in second]
    for runs, measure in by_gold:
        judged, least = _judged_by(runs, measure), measure.least_relevance
        if judged is not None and measure.needs != ("answers",):
            queries = [query for query in queries if max(judged.get(query, {}).values(), default=0) >= least]
    if not queries:
        raise UsageError("not-comparable", "the two golds have no query in common to which both have anything relevant")
    coverage = Coverage(len(first) - len(common), len(second) - len(common), len(common))
    of_both = scored, [by_name[scores.name] for scores in scored]
    of_first, of_second = ([_on(scores, queries) for scores in runs] for runs in of_both)
    return of_first, of_second, coverage, len(common) - len(queries)


def _on(scores: Scores, queries: Sequence[str]) -> Scores:
    """A run's scores on some of its queries."""
    if list(scores.query_ids) == list(queries):
        return scores
    place = {query: i for i, query in enumerate(scores.query_ids)}
    places = [place[query] for query in queries]
    results = {}
    for measure, result in scores.results.items():
        on_some = result._replace(
            per_query=result.per_query[places],
            answered=None,
            summed=None if result.summed is None else result.summed._replace(each=result.summed.each[places]),
        )
        results[measure] = on_some._replace(value=on_some.terms.total)
    return replace(scores, query_ids=tuple(queries), results=results, answered=[scores.answered[i] for i in places])


def _judged_by(scored: Sequence[Scores], measure: Measure) -> _Judged | None:
    """What a gold says; None where scores were read, or are a list."""
    if not isinstance(scored, Scored) or scored.keep == "scores":
        return None
    gold = scored.basis.gold
    if measure.needs == ("answers",):
        return {query: {"": int(label)} for query, label in (gold.labels or {}).items()}
    return gold.qrels


def compared(
    by: tuple[Comparison, Comparison],
    terms: tuple[Sequence[Terms], Sequence[Terms]],
    settings: Resampling,
    queries: Coverage,
    nothing_relevant: int,
    agreement: Agreement | None,
) -> TwoGolds:
    """What two comparisons of the same runs say of the golds."""
    first, second = (  # 0 of a pair whose first run is better, 1 of one that is undecided, 2 of one where it is worse
        [1 - gold.significant(pair) * (2 * gold.is_better(pair) - 1) for pair in gold.pairs] for gold in by
    )
    verdicts = np.zeros((3, 3), dtype=np.int64)
    np.add.at(verdicts, (first, second), 1)
    pairs = zip(by[0].pairs, first, second, strict=True)
    is_same = all(np.array_equal(by_first.each, by_other.each) for by_first, by_other in zip(*terms, strict=True))
    f, g = map(_greater_is_better, by)
    return TwoGolds(
        **{field.name: getattr(by[0], field.name) for field in fields(by[0]) if field.name != "remarks"},
        remarks=(*by[0].remarks, *[Remark.of("same-golds")] * is_same, *_of_other_gold(*by)),
        other_gold=by[1].gold, by_other_gold=by[1], queries_of_golds=queries, nothing_relevant=nothing_relevant,
        verdicts=VerdictTable(*(Verdicts(*row) for row in verdicts.tolist())),
        reversed=tuple(pair.names[:: 1 - a] for pair, a, b in pairs if {a, b} == {0, 2}),  # type: ignore[misc]
        tau_b=float(tau_b(f, g)), tau_ap=tau_ap(f, g), halves=halves(*terms, settings),
        spread=float(g.std() / f.std()) if f.std() else math.nan, agreement=agreement,
    )  # fmt: skip


def _greater_is_better(comparison: Comparison) -> FloatArray:
    """The scores of the runs, turned where less is better; NaN for none."""
    sign = -1 if comparison.lower_is_better else 1
    return sign * np.array([math.nan if run.score is None else run.score for run in comparison.runs])


def _of_other_gold(first: Comparison, second: Comparison) -> Iterator[Remark]:
    """What there is to know by the other gold alone."""
    of_runs: dict[Remark, list[str]] = {}
    for run in second.runs:
        for remark in run.remarks:
            of_runs.setdefault(remark, []).append(shortened(run.name))
    remarks_of_first = {*first.remarks, *chain.from_iterable(run.remarks for run in first.runs)}
    for remark in dict.fromkeys((*of_runs, *second.remarks)):
        names = of_runs.get(remark, [])
        about = "all runs, " if len(names) == len(first.runs) else "".join(f"{name}, " for name in names)
        if remark not in remarks_of_first:
            yield Remark(remark.kind, f"{about}by {second.gold}: {remark}", is_doubt=remark.is_doubt)


def agreement_of(
    scored: Sequence[Scores], other: Sequence[Scores], measure: Measure, queries: Sequence[str], level: float
) -> Agreement | None:
    """How far the golds agree on some queries; None where scores were read."""
    golds = [judged for judged in (_judged_by(scored, measure), _judged_by(other, measure)) if judged is not None]
    if len(golds) < 2:
        return None
    least, are_answers = measure.least_relevance, measure.needs == ("answers",)
    of_queries = [[gold.get(query, {}) for gold in golds] for query in queries]
    rows = np.array([
        (i, *(judged.get(document, math.nan) for judged in of_query))
        for i, of_query in enumerate(of_queries) for document in dict.fromkeys(chain(*of_query))
    ]).reshape(-1, 3)  # fmt: skip
    is_judged = ~np.isnan(rows[:, 1:])
    both = is_judged.all(axis=1)
    only_first, only_second = (is_judged & ~both[:, None]).sum(axis=0).tolist()
    has_kappa = are_answers or bool((rows[both, 1:] < least).any(axis=0).all())
    rows = rows[both] if has_kappa else np.nan_to_num(rows)
    query, relevant = rows[:, 0].astype(np.int64), rows[:, 1:] >= least
    both_relevant, either = (
        np.bincount(query, weights=n_golds, minlength=len(queries)).astype(np.float64)
        for n_golds in (relevant.all(axis=1), relevant.sum(axis=1))
    )
    grades = [{max(grade, 0) for judged in gold.values() for grade in judged.values()} for gold in golds]
    are_alike = grades[0] == grades[1]
    graded, graded_by_other = (np.maximum(rows[:, 1:], 0) if are_alike else relevant).astype(np.int64).T
    first, second = (relevant.mean(axis=0) if has_kappa else relevant.sum(axis=0)).tolist()
    is_unlike = has_kappa and not both.all() and (~both).mean() > _UNLIKE
    return Agreement(
        pairs=Coverage(only_first, only_second, int(both.sum())),
        kappa=kappa(graded, graded_by_other, query, level) if has_kappa else None,
        kappa_of="answers" if are_answers else "grades" if are_alike else "relevance",
        f1=f1(both_relevant, either, level),
        relevant=(first, second),
        relevant_queries=int((either > 0).sum()),
        judged_at_10=(_judged_at(scored), _judged_at(other)) if is_unlike else (math.nan, math.nan),
    )


def _judged_at(scored: Sequence[Scores]) -> float:
    """The mean of Judged@10 over runs; NaN for runs without judged documents."""
    if not all("documents" in scores.judged for scores in scored):
        return math.nan
    return float(np.mean([JudgedShare(_TOP).compute(scores.judged, scores.decisions).value for scores in scored]))
