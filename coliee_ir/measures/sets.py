"""Micro- and macro-averaged precision, recall and F of the retrieved sets, whole or cut off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import BoolArray, FloatArray, Judged
from coliee_ir.measures.base import Measure, Parts, Result, Terms, quotient, share, topic_mean
from coliee_ir.rules.decisions import Decisions

_SCORES = "COLIEE organisers' pages: P = correct/retrieved, R = correct/relevant, F1 = 2PR/(P+R), F2 = 5PR/(4P+R)"


#: counts, of single queries or summed
Numbers = IntArray | FloatArray
Counted = Numbers | int


class Counts(NamedTuple):
    """The three counts behind set measures, each of shape (Q,); ``extra`` is a single number."""

    correct: IntArray
    retrieved: IntArray
    relevant: IntArray
    extra: int


def counts(judged: Judged, decisions: Decisions, cutoff: int | None = None, rel: int = 1) -> Counts:
    """Correct, retrieved and relevant documents of each query."""
    retrieved = judged.retrieved
    extra = 0
    if decisions.duplicates == "wrong":
        retrieved = retrieved + judged.repeated
    if decisions.extra_queries == "wrong":
        extra = sum(judged.extra.values() if cutoff is None else (min(n, cutoff) for n in judged.extra.values()))
    if cutoff is not None:
        retrieved = np.minimum(retrieved, cutoff)
    return Counts(judged.correct(cutoff, rel), retrieved, judged.qrels.relevant(rel), extra)


def f_measure(correct: Numbers, retrieved: Numbers, relevant: Numbers, beta: float) -> FloatArray:
    """(1+β²)·correct / (β²·relevant + retrieved), which is (1+β²)PR/(β²P+R); 0 where all three are 0."""
    return _divided((1 + beta * beta) * correct, beta * beta * relevant + retrieved)


def _divided(above: npt.NDArray[np.generic], below: npt.NDArray[np.generic]) -> FloatArray:
    """The quotients; 0 where there is nothing to divide by."""
    quotients: FloatArray = np.zeros(np.shape(above))
    np.divide(above, below, out=quotients, where=below > 0)  # type: ignore[operator]  # numbers of either kind
    return quotients


@dataclass(frozen=True)
class _SetMeasure(Measure):
    """What the six have in common: which of P, R and F, the cutoff, the relevance level."""

    cutoff: int | None = None  # look at the first so many documents of each query; None for all
    rel: int = 1  # the least relevance that counts as relevant
    beta: float = 1.0  # how much more recall weighs than precision in F: 1 for F1, 2 for F2. Not squared
    # of MacroF: ``queries``, the mean of the queries' F, or ``means``, F of MacroP and MacroR
    of: Literal["queries", "means"] = "queries"

    parameters: ClassVar[tuple[str, ...]] = ("cutoff", "rel")  # the fields that a name may state
    averaging: ClassVar[str]
    letter: ClassVar[str]
    source = _SCORES

    @property
    def ranked(self) -> bool:  # type: ignore[override]  # whether it looks at ranks depends on its cutoff
        return self.cutoff is not None

    @property
    def name(self) -> str:
        parameters = [*([f"rel={self.rel}"] if self.rel != 1 else ()), *(["of=means"] if self.of == "means" else ())]
        beta = repr(self.beta).removesuffix(".0") if self.letter == "F" else ""
        if beta and (parameters or beta not in ("1", "2")):
            parameters, beta = [f"beta={beta}", *parameters], ""
        bracketed = f"({','.join(parameters)})" if parameters else ""
        return f"{self.averaging}{self.letter}{beta}{bracketed}" + (f"@{self.cutoff}" if self.cutoff else "")

    def _each(self, correct: Numbers, retrieved: Numbers, relevant: Numbers) -> FloatArray:
        if self.letter == "P":
            return _divided(correct, retrieved)
        if self.letter == "R":
            return _divided(correct, relevant)
        return f_measure(correct, retrieved, relevant, self.beta)

    def of_sums(self, sums: FloatArray) -> FloatArray:
        """The formula on sums of correct, retrieved and relevant documents, shape (…, 3)."""
        return self._each(sums[..., 0], sums[..., 1], sums[..., 2])


class Micro(_SetMeasure):
    """A formula on sums over queries."""

    averaging = "Micro"
    decision_fields = frozenset({"extra_queries", "duplicates"})

    def without_relevant(self, decisions: Decisions) -> str:
        return "" if self.letter == "R" else "in micro-averages what is retrieved for (it|them) counts as wrong"

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        """The formula on the sums over all queries of the gold, answered or not."""
        correct, retrieved, relevant, extra = counts(self.part(parts), decisions, self.cutoff, self.rel)
        each = np.column_stack(self.as_quotient(correct, retrieved, relevant)).astype(np.float64)
        besides = np.array(self.as_quotient(0, extra, 0), dtype=np.float64)
        return Result(float(share(each.sum(axis=0) + besides)), share(each), summed=Terms(each, share, besides, False))

    def as_quotient(self, correct: Counted, retrieved: Counted, relevant: Counted) -> tuple[Any, Any]:
        """What is divided by what."""
        if self.letter == "F":
            weight = self.beta * self.beta
            return (1 + weight) * correct, weight * relevant + retrieved
        return correct, retrieved if self.letter == "P" else relevant


class MicroP(Micro):
    """Micro-averaged precision: of all documents retrieved for all queries, the share that is relevant."""

    letter = "P"
    formula = "Σ correct / Σ retrieved, over all judged queries"


class MicroR(Micro):
    """Micro-averaged recall: of all relevant documents of all queries, the share that was retrieved.

    A query without an answer adds to the relevant documents only. COLIEE's R@5, R@10 and R@30 of Task 3 are this
    measure with a cutoff; trec_eval's ``recall_5`` is the topic-wise mean and another number.
    """

    letter = "R"
    formula = "Σ correct / Σ relevant, over all judged queries"


class MicroF(Micro):
    """Micro-averaged F: the F measure of micro-averaged precision and recall. ``MicroF1`` ranks Tasks 1 and 2."""

    parameters = ("cutoff", "rel", "beta")
    letter = "F"
    formula = "(1+β²)·P·R / (β²·P + R) with P = MicroP, R = MicroR"


class Macro(_SetMeasure):
    """A mean over queries."""

    averaging = "Macro"
    decision_fields = frozenset({"unanswered", "duplicates", "empty_gold"})

    def without_relevant(self, decisions: Decisions) -> str:
        return decisions.clauses()["empty-gold"]

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        """The mean of the queries' own values."""
        totals = counts(self.part(parts), decisions, self.cutoff, self.rel)
        per_query = topic_wise(
            self._each(*totals[:3]), totals.relevant == 0, totals.retrieved == 0, self.letter, decisions
        )
        return Result(topic_mean(per_query), per_query)


def topic_wise(each: FloatArray, empty: BoolArray, silent: BoolArray, letter: str, decisions: Decisions) -> FloatArray:
    """The queries' values as they go into the topic-wise mean; NaN for those that are left out."""
    each = each.copy()
    if decisions.empty_gold == "skip":
        each[empty] = np.nan
    elif decisions.empty_gold == "one":
        # recall is undefined there, precision and F only if nothing was retrieved either
        each[empty if letter == "R" else empty & silent] = 1.0
    if decisions.unanswered == "skip":
        each[silent & ~empty] = np.nan
    return each


class MacroP(Macro):
    """Macro-averaged precision: the mean of the queries' precisions, 0 for a query with nothing retrieved."""

    letter = "P"
    formula = "mean over queries of correct / retrieved"


class MacroR(Macro):
    """Macro-averaged recall: the mean of the queries' recalls, 0 for a query with nothing retrieved."""

    letter = "R"
    formula = "mean over queries of correct / relevant"


class MacroF(Macro):
    """Macro-averaged F: the mean of the queries' F. ``MacroF2`` ranks Task 3 up to 2025.

    With ``of=means`` it is F of the mean precision and the mean recall, which some teams compute and the official
    scores are not.
    """

    parameters = ("cutoff", "rel", "beta", "of")
    letter = "F"
    formula = "mean over queries of (1+β²)·P·R / (β²·P + R); with of=means the same of P = MacroP, R = MacroR"
    source = f"{_SCORES}; that F2 is the mean of the questions' F2: COLIEE 2021 overview paper and its Table 8"

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        """The mean of the queries' F, or F of the means."""
        result = super().compute(parts, decisions)
        if self.of == "queries":
            return result
        p = MacroP(self.cutoff, self.rel).compute(parts, decisions)
        r = MacroR(self.cutoff, self.rel).compute(parts, decisions)
        each = np.concatenate((p.terms.each, r.terms.each), axis=1)
        summed = Terms(each, self._of_means, np.zeros(4), False)
        return Result(float(self._of_values(np.array(p.value), np.array(r.value))), result.per_query, summed=summed)

    def _of_means(self, sums: FloatArray) -> FloatArray:
        return self._of_values(quotient(sums[..., :2]), quotient(sums[..., 2:]))

    def _of_values(self, p: FloatArray, r: FloatArray) -> FloatArray:
        weight = self.beta * self.beta
        return np.where(np.isnan(p + r), np.nan, _divided((1 + weight) * p * r, weight * p + r))
