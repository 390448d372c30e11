"""The set measures of COLIEE as measures of ir_measures, and through it of PyTerrier. Importing this registers them.

>>> import ir_measures
>>> from coliee_ir.ir_measures import MicroF, MicroR
>>> qrels = {"q1": {"d1": 1, "d2": 1}, "q2": {"d3": 1}}
>>> run = {"q1": {"d1": 0.9, "d7": 0.5, "d8": 0.1}}
>>> ir_measures.calc_aggregate([MicroF, MicroF(beta=2) @ 2, MicroR, ir_measures.P @ 1], qrels, run)[MicroF]
0.3333333333333333
>>> [(metric.query_id, metric.value) for metric in MicroR.iter_calc(qrels, run)]
[('q1', 0.5), ('q2', 0.0)]

There are MicroP, MicroR, MicroF, MacroP, MacroR, MacroF with ``rel`` and a cutoff, and F with ``beta`` (not squared):
what is MicroF2 elsewhere in coliee-ir is ``MicroF(beta=2)`` here. They are computed by ``coliee_ir.measures`` from
``Judged``, by the default ``Decisions``, and are what ``coliee_ir.evaluate(qrels, run, task="trec")`` says: over all
judged queries, answered or not; documents in trec_eval's order; ids compared as they stand.

``ir_measures.parse_measure("MicroF(beta=2,rel=2)@10")`` knows them too, once this module is imported. ir_measures has
no way to load it by itself; its command line with these measures is

    python -m coliee_ir.ir_measures QRELS RUN "MicroF(beta=2)@10" AP

PyTerrier's Experiment takes the mean of the queries' values whatever a measure's aggregator says. The values here are
``Summand``, which add by their counts, so that the mean it takes of them is the score.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

import ir_measures
import numpy as np
from ir_measures import Metric, ParamInfo, providers
from ir_measures.measures import registry
from ir_measures.measures.base import Agg

from coliee_adapters.errors import ColieeError, MismatchError, UsageError
from coliee_adapters.forms.frames import gold_of, run_of
from coliee_adapters.kinds import with_kind
from coliee_adapters.records import Answers, Gold
from coliee_ir.judging.judged import judge
from coliee_ir.judging.mismatch import diagnose
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import parse, sets
from coliee_ir.measures.base import topic_mean
from coliee_ir.rules.decisions import Decisions

__all__ = [
    "MacroF",
    "MacroP",
    "MacroR",
    "MicroF",
    "MicroP",
    "MicroR",
    "Summand",
    "provider",
]

_SetMeasure = sets.MicroP | sets.MicroR | sets.MicroF | sets.MacroP | sets.MacroR | sets.MacroF

_DECISIONS: Final = Decisions()


class Summand(float):
    """The value of a query, which adds to those of other queries by what the score of the run is made of.

    A micro-averaged score is not a mean over queries but the formula on summed counts. A sum of n summands has the
    summed counts and the value n · formula(counts); divided by n it is the score, so that ``sum(values) / n``, in which
    PyTerrier's Experiment believes, is right. A query that is left out of a topic-wise mean is NaN and adds nothing. To
    everything else, numpy, pandas and statistics among it, a summand is the plain number that it is.

    Args:
        value: the value.
        measure: the measure of ``coliee_ir.measures`` that it is of; without one the value is a plain number.
        parts: micro-averaged: what the formula divides, and by what; topic-wise: sum, number of queries in the mean.
        queries: of how many queries it is the sum.
    """

    measure: _SetMeasure
    parts: tuple[float, ...]
    queries: int

    def __new__(
        cls, value: float, measure: _SetMeasure | None = None, parts: tuple[float, ...] = (), queries: int = 1
    ) -> Summand:
        if measure is None:  # statistics makes its results by calling the type of the values
            return float(value)  # type: ignore[return-value]
        self = super().__new__(cls, value)
        self.measure, self.parts, self.queries = measure, parts, queries
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return float(self), self.measure, self.parts, self.queries

    @property
    def score(self) -> float:
        """The score of the queries together."""
        above, below = self.parts
        return above / below if below else 0.0 if isinstance(self.measure, sets.Micro) else float("nan")

    def __add__(self, other: float, /) -> float:
        if isinstance(other, Summand) and other.measure == self.measure:
            parts = tuple(mine + its for mine, its in zip(self.parts, other.parts, strict=True))
            both = Summand(0.0, self.measure, parts, self.queries + other.queries)
            return Summand(both.score * both.queries, self.measure, parts, both.queries)
        if isinstance(other, int | float) and not isinstance(other, Summand) and other == 0:  # where sums begin
            return self
        return super().__add__(other)

    __radd__ = __add__

    def __truediv__(self, other: float, /) -> float:
        if isinstance(other, int | float) and other == self.queries:
            return self.score
        return super().__truediv__(other)


class _Score(Agg):
    """The score of all queries from their summands; a topic-wise mean as ``coliee_ir.measures`` adds it."""

    def __init__(self) -> None:
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)

    def result(self) -> float:
        total = sum(self.values)
        if isinstance(total, Summand) and isinstance(total.measure, sets.Micro):
            return total.score
        return topic_mean(np.array(self.values, dtype=np.float64))


_DEFAULTS: Final = {"beta": 1, "rel": 1, "cutoff": None}

_param: Callable[..., ParamInfo] = ParamInfo  # which has no types
_PARAMS: Final = {
    "cutoff": _param(dtype=int, desc="look at the first so many documents of each query"),
    "rel": _param(dtype=int, default=1, desc="the least relevance that counts as relevant"),
    "beta": _param(dtype=(int, float), default=1.0, desc="how much more recall weighs than precision; not squared"),
}


class _Registered(ir_measures.Measure):
    """A set measure of ``coliee_ir.measures`` under ir_measures' roof, named in ir_measures' syntax."""

    __name__: str

    def __init__(self, kind: type[_SetMeasure], **params: Any) -> None:
        self.NAME, self.__name__, self.__doc__ = kind.__name__, kind.__name__, kind.__doc__
        self.SUPPORTED_PARAMS = {name: _PARAMS[name] for name in kind.parameters if name in _PARAMS}
        bracketed = ",".join(f"{name}={value!r}" for name, value in params.items() if name != "cutoff")
        cutoff = f"@{params['cutoff']}" if "cutoff" in params else ""
        [measure] = parse(self.NAME + (f"({bracketed})" if bracketed else "") + cutoff)
        assert isinstance(measure, _SetMeasure)
        self.ours = measure  # which computes it
        # as equal measures are typed alike, 2 and 2.0 are too
        parameters = {**vars(measure), "beta": int(measure.beta) if measure.beta.is_integer() else measure.beta}
        changed = {name: parameters[name] for name, usual in _DEFAULTS.items() if parameters[name] != usual}
        super().__init__(**changed)  # type: ignore[no-untyped-call]

    def __call__(self, **more: Any) -> _Registered:
        return _Registered(type(self.ours), **{**self.params, **more})

    def aggregator(self) -> Agg:
        return _Score()


class _Evaluator(ir_measures.Evaluator):
    """A gold made ready for judging."""

    def __init__(self, measures: Iterable[_Registered], gold: Gold) -> None:
        if gold.qrels is None:
            raise UsageError(
                "wrong-part", "these qrels hold labels; the measures of coliee_ir.ir_measures need judged documents"
            )
        super().__init__(list(measures), list(gold.qrels))
        self._qrels = Qrels(gold.qrels)

    def _iter_calc(self, run: object) -> Iterator[Metric]:
        """The values of all judged queries, whether the run answers them or not, measure by measure."""
        record = run_of(run)
        if isinstance(record, Answers):
            raise UsageError(
                "wrong-part", "this run holds labels; the measures of coliee_ir.ir_measures need retrieved documents"
            )
        judged = judge(self._qrels, record)
        try:
            if judged.answered.any() or judged.extra:  # tools evaluate parts, of which one may be empty
                diagnose(judged, replace(record, path="the run"), "the qrels")
        except MismatchError as error:  # or extra altogether
            warnings.warn(str(error), stacklevel=4)
        for measure in self.measures:
            assert isinstance(measure, _Registered)
            result = measure.ours.compute({"documents": judged}, _DECISIONS)
            summed = self._qrels.queries, result.per_query.tolist(), result.terms.each.tolist()
            for query, value, parts in zip(*summed, strict=True):
                yield Metric(query, measure, Summand(value, measure.ours, tuple(parts)))


class _Provider(ir_measures.Provider):
    """COLIEE's set measures, computed by coliee-ir."""

    NAME = "coliee_ir"

    def _evaluator(self, measures: Iterable[Any], qrels: object) -> _Evaluator:
        return _Evaluator(measures, gold_of(qrels, part=True))


_MEASURES = [
    _Registered(kind) for kind in (sets.MicroP, sets.MicroR, sets.MicroF, sets.MacroP, sets.MacroR, sets.MacroF)
]
MicroP, MicroR, MicroF, MacroP, MacroR, MacroF = _MEASURES
_Provider.SUPPORTED_MEASURES = [*_MEASURES]
for _measure in _MEASURES:
    if _measure.NAME in registry:
        raise ImportError(f"ir_measures has another measure of the name {_measure.NAME}")
    registry[_measure.NAME] = _measure

#: The provider, ``coliee_ir`` among ir_measures' own; it also takes what ir_measures does not: polars frames, lists.
provider: Final = _Provider()  # type: ignore[no-untyped-call]
providers.register(provider)  # type: ignore[no-untyped-call]
ir_measures.DefaultPipeline.providers.append(provider)


def _main() -> None:
    """ir_measures' command line, which knows these measures because this module is loaded."""
    from ir_measures.__main__ import main_cli

    try:
        main_cli()  # type: ignore[no-untyped-call]
    except ColieeError as error:
        print(f"ir_measures: {with_kind(error)}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    _main()
