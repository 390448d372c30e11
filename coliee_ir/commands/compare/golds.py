"""Runs by two golds: by people and by a language model, by other assessors, or of another release.

What may be said of it was simulated (benchmarks/error-rates.md): no interval of tau, and no verdict of halves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final, Literal, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.forms.lines import counted, plural
from coliee_adapters.remarks import Remark
from coliee_ir.commands.compare.comparison import Comparison
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Terms
from coliee_ir.measures.ranked import JudgedShare
from coliee_ir.output.grid import Cell, Grid, Number, distinct
from coliee_ir.scoring.scores import Scored, Scores, checked, comparable
from coliee_ir.stats.agreement import Estimate, f1, halves, kappa, tau_ap, tau_b
from coliee_ir.stats.settings import Resampling

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
    """How many pairs of runs are decided by which gold."""

    alike: int  # by both, for the same run
    first_only: int
    second_only: int
    neither: int
    reversed: tuple[tuple[str, str], ...]  # by both, for another run: the pairs, the winner by the first gold first


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two golds agree on what is relevant.

    Attributes:
        pairs: of query and document, on common queries, or of answers.
        kappa: Cohen's, on what both judged; None where a gold lists only what is relevant.
        kappa_of: ``grades`` with quadratic weights, where both golds have the same; else ``relevance``, of relevant or
            not; or ``answers``.
        f1: of what one gold has as relevant against the other.
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
        by_other_gold: the comparison by it.
        queries_of_golds: how many queries the golds have.
        nothing_relevant: how many common queries were left out, as one gold has nothing relevant to them.
        verdicts: the pairs of runs by both.
        tau_b: Kendall's tau-b of the two orders, on these queries.
        tau_ap: tau-AP, of which the first gold's order is the truth.
        halves: the mean tau-b between random halves of the queries: of the two golds, of the first with itself, of the
            second with itself.
        spread: the standard deviation of runs' scores by the other gold, in those by the first; NaN if these are equal.
        agreement: None for scores that were read.
    """

    other_gold: str
    by_other_gold: Comparison
    queries_of_golds: Coverage
    nothing_relevant: int
    verdicts: Verdicts
    tau_b: float
    tau_ap: float
    halves: tuple[float, float, float]
    spread: float
    agreement: Agreement | None

    def tables(self) -> Sequence[Grid]:
        """The runs by both golds, and the pairs; then those of the comparison by the first gold."""
        sign = -1 if self.lower_is_better else 1
        columns: list[Sequence[Cell]] = [self.names]
        for comparison in (self, self.by_other_gold):
            scores = [math.nan if run.score is None else run.score for run in comparison.runs]
            ranks = [1 + sum(sign * other > sign * score for other in scores) for score in scores]
            columns += [[*map(Number, scores)], [Number(rank, str(rank)) for rank in ranks]]
        order = np.argsort([rank.value for rank in columns[2]], kind="stable").tolist()  # type: ignore[union-attr]
        rows: list[list[Cell]] = [[column[at] for column in columns] for at in order]
        (measure,) = distinct([self.measure], ["rank"])
        header = ["run", f"{measure} by A", "rank by A", f"{measure} by B", "rank by B"]
        of_runs = f"A: {self.gold}. B: {self.other_gold}. Scores on {counted(self.queries, self.unit)} that both have."
        v = self.verdicts
        counts = (v.alike, v.first_only, len(v.reversed)), (v.second_only, v.neither)
        cells = [[Number(n, str(n)) for n in row] for row in counts]
        pairs: list[list[Cell]] = [["A: decided", *cells[0]], ["A: undecided", *cells[1], "–"]]
        together = ", all pairs of a gold together" * self.is_joint
        found = f"Pairs of runs by what each gold finds (p < {self.alpha:.6g}{together})."
        return [
            Grid(header, rows, of_runs, 1),
            Grid(["pairs", "B: the same", "B: undecided", "B: reversed"], pairs, found, 1),
            *Comparison.tables(self),
        ]

    def notes(self) -> Sequence[str]:
        """What can be said of both golds, and what not; then of the comparison."""
        v, n, units = self.verdicts, counted(self.queries, self.unit), plural(self.unit)
        if v.reversed:
            named = "; ".join(f"{shortened(one)} over {shortened(other)} by A" for one, other in v.reversed)
            verb = "is" if len(v.reversed) == 1 else "are"
            notes = [f"{len(v.reversed)} of {counted(len(self.pairs), 'pair')} {verb} reversed: {named}."]
        elif not v.alike:
            notes = ["No pair is decided by both golds, so none could be reversed."]
        else:
            find = f"{n} find{'s' * (self.queries == 1)} few reversals"
            few = f" That does not show that the golds agree: {find}." * (self.queries < _MANY_QUERIES)
            notes = [f"No conclusion is reversed: whatever A and B both decide, they decide alike.{few}"]
        scores = [{run.score for run in comparison.runs} for comparison in (self, self.by_other_gold)]
        equal = " and ".join(name for name, found in zip("AB", scores, strict=True) if len(found) == 1)
        if equal:
            notes.append(f"By {equal} all runs have the same score, so no order is defined.")
        elif one_only := v.first_only + v.second_only:
            notes.append(
                f"{counted(one_only, 'pair')} decided by one gold only. That is no sign that the golds differ: of two "
                "golds with the same truth it is the common case."
            )
        numbers = (self.tau_b, self.tau_ap, *self.halves)
        tau, ap, between, first, second = ("–" if math.isnan(number) else f"{number:.2f}" for number in numbers)
        notes.append(
            f"Order: tau-b {tau}, tau-AP {ap} (on these {units}). Between random halves of the {units}: A–B {between}, "
            f"A–A {first}, B–B {second}."
        )
        notes += [f"B spreads the runs by {self.spread:.2f} of A."] if math.isfinite(self.spread) else []
        notes += [] if self.agreement is None else _of_judgements(self.agreement, self.unit)
        of, without = self.queries_of_golds, self.nothing_relevant
        dropped = f"; {without} left out, with nothing relevant by one of them" * bool(without)
        notes.append(f"{units.capitalize()}: {of.both} in both golds, {of.first_only} in A only, "
                     f"{of.second_only} in B only{dropped}.")  # fmt: skip
        return [*notes, *Comparison.notes(self)]


def _of_judgements(judged: Agreement, unit: str) -> list[str]:
    """The sentences on judgements."""
    (first, second), pairs = judged.relevant, judged.pairs
    are_answers = judged.kappa_of == "answers"
    agreement = f"F1 of {'Y' if are_answers else 'relevant'} {_estimate(judged.f1)}"
    prevalence = f"Relevant by A: {first:.0f}, by B: {second:.0f}."
    if judged.kappa is not None:
        what = " of relevant or not (the golds' grades differ)" * (judged.kappa_of == "relevance")
        agreement = f"kappa{what} {_estimate(judged.kappa)}, {agreement}"
        way = "B is stricter: of" if second < first else "B is more lenient: of" if second > first else "Of"
        prevalence = f"{way} what both judged {first:.2f} is relevant by A, {second:.2f} by B."
        if are_answers:
            prevalence = f"Of what both answer {first:.2f} is Y by A, {second:.2f} by B."
    notes = [f"Judgements: {agreement}.", prevalence]
    if judged.relevant_queries < _RELEVANT_QUERIES:
        anything = "a Y" if are_answers else "anything relevant"
        notes[0] += f" Only {counted(judged.relevant_queries, unit)} with {anything}: too few to rely on it."
    notes.append(
        f"Judgements in both golds: {pairs.both}, in A only: {pairs.first_only}, in B only: {pairs.second_only}."
    )
    ours, theirs = judged.judged_at_10
    if math.isfinite(ours + theirs):
        notes.append(
            f"Of the runs' first {_TOP} documents A judges {ours:.2f}, B {theirs:.2f}: scores depend on that too."
        )
    return notes


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
        problem = f"the same runs must be scored by both golds; by one only: {', '.join(map(shortened, names))}"
        raise UsageError("not-comparable", problem)
    of = [comparable(one, measures)[0] for one in (scored, other)]
    if (scored[0].task, scored[0].edition, of[0].name) != (other[0].task, other[0].edition, of[1].name):
        raise UsageError(
            "not-comparable", "the runs were scored by other rules or by another measure with the other gold"
        )
    first, second = (list(one[0].query_ids) for one in (scored, other))
    known = {*second}
    common = [query for query in first if query in known]
    empty = set[str]()
    for runs, measure in zip((scored, other), of, strict=True):
        judged, level = _judged_by(runs, measure), measure.least_relevance
        if judged is not None and measure.needs != ("answers",):
            empty |= {query for query in common if max(judged.get(query, {}).values(), default=0) < level}
    kept = [query for query in common if query not in empty]
    if not kept:
        raise UsageError("not-comparable", "the two golds have no query in common to which both have anything relevant")
    coverage = Coverage(len(first) - len(common), len(second) - len(common), len(common))
    theirs = [by_name[scores.name] for scores in scored]
    return (
        [_on(scores, kept) for scores in scored],
        [_on(scores, kept) for scores in theirs],
        coverage,
        len(common) - len(kept),
    )


def _on(scores: Scores, queries: Sequence[str]) -> Scores:
    """A run's scores on some of its queries."""
    if list(scores.query_ids) == list(queries):
        return scores
    place = {query: at for at, query in enumerate(scores.query_ids)}
    at = np.array([place[query] for query in queries])
    results = {}
    for measure, result in scores.results.items():
        summed = None if result.summed is None else result.summed._replace(each=result.summed.each[at])
        found = result._replace(per_query=result.per_query[at], answered=None, summed=summed)
        results[measure] = found._replace(value=found.terms.total)
    answered = [scores.answered[one] for one in at.tolist()]
    return replace(scores, query_ids=tuple(queries), results=results, answered=answered)


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
    sign = -1 if by[0].lower_is_better else 1
    first, second = (
        np.array([comparison.significant(pair) * (2 * comparison.is_better(pair) - 1) for pair in comparison.pairs])
        for comparison in by
    )
    pairs = [by[0].pairs[at].names[:: int(first[at])] for at in np.flatnonzero(first * second < 0).tolist()]
    f, g = (
        sign * np.array([math.nan if run.score is None else run.score for run in comparison.runs]) for comparison in by
    )
    verdicts = Verdicts(
        alike=int((first * second > 0).sum()), first_only=int(((first != 0) & (second == 0)).sum()),
        second_only=int(((first == 0) & (second != 0)).sum()), neither=int(((first == 0) & (second == 0)).sum()),
        reversed=tuple((one, other) for one, other in pairs),
    )  # fmt: skip
    return TwoGolds(
        **{field.name: getattr(by[0], field.name) for field in fields(by[0]) if field.name != "remarks"},
        remarks=(*by[0].remarks, *_of_other_gold(*by)),
        other_gold=by[1].gold, by_other_gold=by[1], queries_of_golds=queries, nothing_relevant=nothing_relevant,
        verdicts=verdicts, tau_b=float(tau_b(f, g)), tau_ap=tau_ap(f, g), halves=halves(*terms, settings),
        spread=float(g.std() / f.std()) if f.std() else math.nan, agreement=agreement,
    )  # fmt: skip


def _of_other_gold(first: Comparison, second: Comparison) -> Iterator[Remark]:
    """What there is to know by the other gold alone."""
    of_runs: dict[Remark, list[str]] = {}
    for run, same in zip(first.runs, second.runs, strict=True):
        for remark in same.remarks:
            if remark not in run.remarks:
                of_runs.setdefault(remark, []).append(shortened(run.name))
    for remark, names in of_runs.items():
        about = "all runs" if len(names) == len(first.runs) else ", ".join(names)
        yield Remark(remark.kind, f"{about}, by {second.gold}: {remark}", is_doubt=remark.is_doubt)
    for remark in second.remarks:
        if remark not in first.remarks:
            yield Remark(remark.kind, f"by {second.gold}: {remark}")


def agreement_of(
    scored: Sequence[Scores], other: Sequence[Scores], measure: Measure, queries: Sequence[str], level: float
) -> Agreement | None:
    """How far the golds agree on some queries; None where scores were read."""
    ours, theirs = _judged_by(scored, measure), _judged_by(other, measure)
    if ours is None or theirs is None:
        return None
    least, is_label = measure.least_relevance, measure.needs == ("answers",)
    rows: list[tuple[int, int | None, int | None]] = []
    for at, query in enumerate(queries):
        first, second = ours.get(query, {}), theirs.get(query, {})
        rows += [(at, first.get(document), second.get(document)) for document in {**first, **second}]
    both = [(at, one, other) for at, one, other in rows if one is not None and other is not None]
    coverage = Coverage(
        first_only=sum(row[2] is None for row in rows), second_only=sum(row[1] is None for row in rows), both=len(both)
    )
    has_kappa = bool(both) and all(any(grade < least for grade in of) for of in [*zip(*both, strict=True)][1:])
    has_kappa |= is_label
    counts = both if has_kappa else [(at, first or 0, second or 0) for at, first, second in rows]
    kept = np.array(counts, dtype=np.int64).reshape(-1, 3)
    relevant = kept[:, 1:] >= least
    both_relevant, either = (
        np.bincount(kept[:, 0], weights=one, minlength=len(queries)).astype(np.float64)
        for one in (relevant.all(axis=1), relevant.sum(axis=1))
    )
    grades = [{max(grade, 0) for judged in of.values() for grade in judged.values()} for of in (ours, theirs)]
    are_alike = grades[0] == grades[1]
    compared = np.maximum(kept[:, 1:], 0) if are_alike else relevant.astype(np.int64)
    found = kappa(compared[:, 0], compared[:, 1], kept[:, 0], level) if has_kappa else None
    share = relevant.mean(axis=0) if has_kappa else relevant.sum(axis=0)
    is_unlike = has_kappa and coverage.first_only + coverage.second_only > _UNLIKE * len(rows)
    top = (_judged_at(scored), _judged_at(other)) if is_unlike else (math.nan, math.nan)
    return Agreement(
        coverage,
        found,
        "answers" if is_label else "grades" if are_alike else "relevance",
        f1(both_relevant, either, level),
        (float(share[0]), float(share[1])),
        int((either > 0).sum()),
        top,
    )


def _judged_at(scored: Sequence[Scores]) -> float:
    """The mean of Judged@10 over runs; NaN for runs without judged documents."""
    if not all("documents" in scores.judged for scores in scored):
        return math.nan
    return float(np.mean([JudgedShare(_TOP).compute(scores.judged, scores.decisions).value for scores in scored]))
