"""Scores over several measures: weighted sums, and values that count only where conditions hold.

0.7*Accuracy + 0.2*MacroR(evidence) + 0.1*MicroF1(law)      a sum; a bare word in brackets is a part of a submission
1 if LabelAccuracy = 1 and MacroR = 1                       gated: a query counts where its own values meet all
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError, shortened
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures.base import Measure, Parts, Result, Terms, topic_mean
from coliee_ir.rules.decisions import Decisions

Find = Callable[[str], Measure]

_NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?"
_MEASURE: Final = r"[^\W\d]\w*(?:\([^()]*\))?(?:@[0-9.]+)?(?:\([^()]*\))?"
_TERM: Final = re.compile(
    rf"\s*(?P<sign>[+-])?\s*(?:(?P<weight>{_NUMBER})(?:\s*[*·]\s*(?P<times>{_MEASURE}))?|(?P<alone>{_MEASURE}))\s*"
)
_CONDITION: Final = re.compile(rf"\s*(?P<measure>{_MEASURE})\s*(?P<op>>=|≥|==?|>)\s*(?P<least>{_NUMBER})\s*")
_COMPARED: Final[Mapping[str, Callable[[FloatArray, float], BoolArray]]] = {
    "=": np.equal, "==": np.equal, ">=": np.greater_equal, "≥": np.greater_equal, ">": np.greater,
}  # fmt: skip
_EXPECTED: Final = "a formula is written 0.7*Accuracy + 0.3*MicroF1(law), or 1 if LabelAccuracy = 1 and MacroR = 1"


@dataclass(frozen=True)
class OfPart(Measure):
    """A measure of documents on another part of a submission, such as ``MicroF1(law)``."""

    measure: Measure  # the measure
    part_name: str  # the part that it looks at

    formula = "that of the measure, on the documents of the part"
    source = "protocol files"

    @property
    def name(self) -> str:
        return f"{self.measure}({self.part_name})"

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return (self.part_name,)

    @property
    def decision_fields(self) -> frozenset[str]:  # type: ignore[override]
        return self.measure.decision_fields

    @property
    def looks_at_ranks(self) -> bool:
        return self.measure.looks_at_ranks

    @property
    def of_parts(self) -> Sequence[tuple[str, Measure]]:
        return [(self.part_name, self.measure)]

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        """The result of the measure, for which the part's documents stand where documents are."""
        return self.measure.compute({"documents": parts[self.part_name]}, decisions)


class Condition(NamedTuple):
    """What a query's own value of a measure must be."""

    measure: Measure  # the measure
    compared: str  # ``=``, ``>=`` or ``>``
    least: float  # the number that it is compared with

    def holds(self, values: FloatArray) -> BoolArray:
        """For which values it holds."""
        return _COMPARED[self.compared](values, self.least)


@dataclass(frozen=True)
class Formula(Measure):
    """A weighted sum of scores; or, with conditions, the mean of such sums of each query's own values.

    A query for which a condition does not hold counts 0. Where there are conditions, every query has a value: recall
    without relevant documents is 1, and an unanswered query has 0.
    """

    title: str  # the name of the formula, or itself
    terms: tuple[tuple[float, Measure | None], ...]  # weights, and measures; None for the weight alone
    conditions: tuple[Condition, ...] = ()  # what must hold for a query

    formula = "Σ weight · score; with conditions Σ over queries that meet them / queries"
    source = "protocol files"

    @property
    def name(self) -> str:
        return self.title

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures in it, each once."""
        named = [measure for _, measure in self.terms if measure is not None]
        return tuple(dict.fromkeys([*named, *(condition.measure for condition in self.conditions)]))

    @property
    def needs(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(dict.fromkeys(part for measure in self.measures for part in measure.needs))

    @property
    def decision_fields(self) -> frozenset[str]:  # type: ignore[override]
        return frozenset().union(*(measure.decision_fields for measure in self.measures))

    @property
    def looks_at_ranks(self) -> bool:
        return any(measure.looks_at_ranks for measure in self.measures)

    @property
    def of_parts(self) -> Sequence[tuple[str, Measure]]:
        """Of a sum, its terms; a gated value, for which every query counts, is one itself."""
        terms = () if self.conditions else self.measures
        return [of_part for measure in terms for of_part in measure.of_parts] or super().of_parts

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        """The sum of the measures' scores, or the mean of the gated values."""
        decisions = self.decided(decisions)
        results = {measure: measure.compute(parts, decisions) for measure in self.measures}
        n = len(next(iter(parts.values())).qrels.queries)
        per_query = self.of_queries({measure: result.per_query for measure, result in results.items()}, n)
        if self.conditions:
            per_query = self.gated(per_query, {measure: result.per_query for measure, result in results.items()})
        if self.conditions or _are_alike([result.terms for result in results.values()]):
            return Result(topic_mean(per_query), per_query)
        summed = self.summed([None if term is None else results[term].terms for _, term in self.terms], n)
        return Result(summed.total, per_query, summed=summed)

    def decided(self, decisions: Decisions) -> Decisions:
        """The choices by which its measures are computed: with conditions, every query has a value."""
        if not self.conditions:
            return decisions
        return replace(decisions, unanswered="zero", empty_gold="one", without_articles="sufficient")

    def of_queries(self, values: Mapping[Measure, FloatArray], n: int) -> FloatArray:
        """The sum for each query, shape (n,), of the measures' values for it."""
        total = np.zeros(n)
        for weight, measure in self.terms:
            total = total + (weight if measure is None else weight * values[measure])
        return total

    def gated(self, per_query: FloatArray, values: Mapping[Measure, FloatArray]) -> FloatArray:
        """The same with 0 for queries whose values do not meet the conditions."""
        met = np.ones(len(per_query), dtype=np.bool_)
        for condition in self.conditions:
            met &= condition.holds(values[condition.measure])
        return np.where(met, per_query, 0.0)

    def summed(self, terms: Sequence[Terms | None], n: int) -> Terms:
        """What each of n queries adds to the sum: the columns of all its terms side by side; None for a number."""
        weights = tuple(weight for weight, _ in self.terms)
        summands = [term for term in terms if term is not None]
        each = np.concatenate([term.each for term in summands], axis=1) if summands else np.zeros((n, 0))
        besides = np.concatenate([term.besides for term in summands]) if summands else np.zeros(0)
        scores = tuple(None if term is None else (term.each.shape[1], term.score) for term in terms)
        return Terms(each, partial(_weighted, weights, scores), besides, False)


Scoring = tuple[int, Callable[[FloatArray], FloatArray]]


def _weighted(weights: Sequence[float], scores: Sequence[Scoring | None], sums: FloatArray) -> FloatArray:
    """The weighted sum of the scores of sums, each of so many columns."""
    total, first = np.zeros(sums.shape[:-1]), 0
    for weight, scoring in zip(weights, scores, strict=True):
        if scoring is None:
            total = total + weight
        else:
            width, score = scoring
            total = total + weight * score(sums[..., first : first + width])
            first += width
    return total


def _are_alike(terms: Sequence[Terms]) -> bool:
    """Whether all are means over the same queries, so that their sum is one."""
    return bool(terms) and all(
        term.is_mean and term.each.shape[1] == 2 and np.array_equal(term.each[:, 1], terms[0].each[:, 1])
        for term in terms
    )


def read(typed: str, find: Find, title: str = "") -> Measure:
    """The measure that a formula stands for."""
    value, gate, conditions = typed.partition(" if ")
    terms, first = [], 0
    while first < len(value):
        match = _TERM.match(value, first)
        if match is None or match.end() == first or (first > 0) != bool(match["sign"] and first):
            raise unreadable(typed)
        weight = _finite(match["weight"] or "1", typed) * (-1 if match["sign"] == "-" else 1)
        name = match["times"] or match["alone"]
        terms.append((weight, None if name is None else find(name)))
        first = match.end()
    if not terms or (not gate and all(measure is None for _, measure in terms)):
        raise unreadable(typed)
    if len(terms) == 1 and terms[0][0] == 1 and terms[0][1] is not None and not gate and not title:
        return terms[0][1]
    met = tuple(_condition(text, typed, find) for text in re.split(r"\sand\s", conditions)) if gate else ()
    return Formula(title or " ".join(typed.split()), tuple(terms), met)


def _condition(text: str, typed: str, find: Find) -> Condition:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise unreadable(typed)
    return Condition(find(match["measure"]), match["op"], _finite(match["least"], typed))


def _finite(digits: str, typed: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise UsageError("bad-measure", f"{shortened(repr(typed))}: a number in it is too large")
    return number


def unreadable(typed: str) -> UsageError:
    """The error that a formula cannot be read."""
    return UsageError("bad-measure", f"{typed!r} cannot be read; {_EXPECTED}")
