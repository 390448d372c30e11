"""What a measure is: a value that has a name, a definition, and a way to compute it from Judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

import numpy as np

from coliee_ir.judging.judged import BoolArray, FloatArray, Judged
from coliee_ir.rules.decisions import Decisions

#: The judged parts of a submission by name: ``documents``, ``long`` (the long list), ``answers``, ``plaintiff`` and
#: ``defendant`` (the claims of one side). All have the same queries in the same order.
Parts = Mapping[str, Judged]


class Terms(NamedTuple):
    """What each query adds to a score, and the score of any sum of it: all that resampling queries needs to know.

    Attributes:
        each: shape (Q, T); what each query adds. A mean has T = 2, the value and 1, both 0 for a query left out; so
            has a micro-averaged score, which is one sum of counts over another.
        score: sums of shape (…, T) → scores of shape (…); NaN where there is nothing to form one from.
        besides: shape (T,); what is added whatever the queries: lines of queries that are not in the gold.
        is_mean: whether the score is the mean of the queries' values, so that tests for means apply.
    """

    each: FloatArray
    score: Callable[[FloatArray], FloatArray]
    besides: FloatArray
    is_mean: bool

    @property
    def total(self) -> float:
        """The score of all queries."""
        return float(self.score(self.each.sum(axis=0) + self.besides))


def of_mean(per_query: FloatArray) -> Terms:
    """The terms of a mean over queries; those that are NaN are left out."""
    kept = ~np.isnan(per_query)
    return Terms(np.stack((np.where(kept, per_query, 0.0), kept), axis=-1), quotient, np.zeros(2), True)


def upwards(terms: Terms, measure: Measure) -> Terms:
    """The terms of a score of which more is better: of one of which less is, those of 1 minus it."""
    if not measure.lower_is_better:
        return terms
    each, besides = terms.each.copy(), terms.besides.copy()
    each[:, ::2], besides[::2] = each[:, 1::2] - each[:, ::2], besides[1::2] - besides[::2]
    return terms._replace(each=each, besides=besides)


def quotient(sums: FloatArray) -> FloatArray:
    """The first sum over the second; NaN where that is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def share(sums: FloatArray) -> FloatArray:
    """The first sum over the second; 0 where that is 0: a micro-averaged score of nothing."""
    return np.divide(sums[..., 0], sums[..., 1], out=np.zeros(sums.shape[:-1]), where=sums[..., 1] > 0)


#: behind the name of a measure whose score is a share: the columns of what each query adds to the two sums
PARTS: Final = (".above", ".below")

#: the scores that are one sum over another
QUOTIENTS: Final = (quotient, share)


class Result(NamedTuple):
    """What a measure says of a run.

    Attributes:
        per_query: shape (Q,); NaN for a query that is left out of the value. For a micro-averaged measure, the same
            formula on the query alone.
        answered: shape (Q,); for a measure of trec_eval, the queries of which trec_eval would see anything; else None.
        summed: how the value is made of what each query adds, where it is not the mean of ``per_query``.
    """

    value: float
    per_query: FloatArray
    answered: BoolArray | None = None
    summed: Terms | None = None

    @property
    def terms(self) -> Terms:
        """What each query adds to the value."""
        return of_mean(self.per_query) if self.summed is None else self.summed


class Measure(ABC):
    """A measure with its parameters.

    The docstring of a subclass is what ``coliee-ir measures NAME`` prints; formula and source stand beside it.
    """

    #: the formula, in plain text
    formula: ClassVar[str]
    #: where the definition comes from
    source: ClassVar[str]
    #: the fields of Decisions that its value follows
    decision_fields: ClassVar[frozenset[str]] = frozenset()
    #: whether it looks at ranks: then a long list is where it looks, if there is one
    ranked: bool = False
    #: whether less of it is better; None where that is not known
    lower: bool | None = False
    #: whether ir_measures ranks the smaller id first where scores are equal, and not the greater one as trec_eval does
    ties_elsewhere: bool = False
    #: the parts of a submission without which it cannot be computed
    needs: ClassVar[tuple[str, ...]] = ("documents",)

    @property
    def name(self) -> str:
        """The name as it is typed and printed."""
        return type(self).__name__

    @abstractmethod
    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        """The value for a run."""

    def without_relevant(self, decisions: Decisions) -> str:
        """What becomes of a query without a relevant document, for a remark; empty if that changes nothing."""
        return ""

    @property
    def lower_is_better(self) -> bool:
        """Whether less of it is better."""
        return bool(self.lower)

    def best(self, values: Iterable[float]) -> float:
        """The best of some scores; NaN where there is none, or it is not known which is better."""
        finite = [value for value in values if not np.isnan(value)]
        return float("nan") if self.lower is None or not finite else (min if self.lower_is_better else max)(finite)

    @property
    def least_relevance(self) -> int:
        """The least relevance that counts as relevant; 1 for measures without such a parameter."""
        return int(getattr(self, "rel", 1))

    def part(self, parts: Parts) -> Judged:
        """The part of a submission that the measure reads."""
        return parts["long"] if self.ranked and "long" in parts else parts["documents"]

    @property
    def looks_at_ranks(self) -> bool:
        """Whether the order of documents plays a part in it."""
        return self.ranked

    @property
    def of_parts(self) -> Sequence[tuple[str, Measure]]:
        """What it is made of: each part of a submission that has a name, or ``documents``, with a measure of it."""
        return [("documents", self)]

    def __str__(self) -> str:
        return self.name


def by_part(measures: Iterable[Measure]) -> dict[str, list[Measure]]:
    """Each part of a submission that has a name → the measures that look at it; under ``documents`` all others."""
    measures_of: dict[str, list[Measure]] = {"documents": []}
    for measure in measures:
        for part, of_part in measure.of_parts:
            measures_of.setdefault(part, []).append(of_part)
    return measures_of


def topic_mean(per_query: FloatArray) -> float:
    """The mean over queries without those that are NaN; NaN if there are none left."""
    kept = per_query[~np.isnan(per_query)]
    return float(kept.mean()) if len(kept) else float("nan")
