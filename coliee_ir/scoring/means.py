"""The scores of many thousands of runs without those of single queries: what a table of them needs."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import astuple, replace
from typing import overload

import numpy as np

from coliee_adapters.remarks import Remark
from coliee_ir.measures import Measure, Result
from coliee_ir.scoring.scores import Scores, Timing


class Means(Sequence[Scores]):
    """Scores in some hundred bytes each, made anew whenever they are asked for.

    They are what was appended, without what is of single queries but ``answered``.
    """

    def __init__(self) -> None:
        self._packed: list[bytes] = []
        #: what runs have in common: the measures → a number, at which the rest is
        self._heads: dict[tuple[Measure, ...], int] = {}
        self._common: list[Scores] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._remarks: list[Remark] = []

    def append(self, scores: Scores) -> None:
        """Append the scores of a run."""
        head = self._heads.setdefault(tuple(scores.results), len(self._heads))
        if head == len(self._common):
            none = np.zeros(0)
            self._common.append(
                replace(scores, results={one: Result(0.0, none) for one in scores.results}, judged={}, ties={})
            )
        values = np.array([result.value for result in scores.results.values()]).tobytes()
        answered = None if all(scores.answered) else np.packbits(scores.answered).tobytes()
        for remark in scores.remarks:
            if self._numbers.setdefault((remark.kind, remark), len(self._remarks)) == len(self._remarks):
                self._remarks.append(remark)
        remarks = [self._numbers[remark.kind, remark] for remark in scores.remarks]
        own = (scores.tag, scores.file, dict(scores.counts), scores.extra, dict(scores.others), scores.has_ties)
        self._packed.append(pickle.dumps((head, values, answered, remarks, astuple(scores.timing), own), 5))

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, at: int) -> Scores: ...
    @overload
    def __getitem__(self, at: slice) -> list[Scores]: ...
    def __getitem__(self, at: int | slice) -> Scores | list[Scores]:
        if isinstance(at, slice):
            return [self[one] for one in range(len(self))[at]]
        head, values, answered, remarks, timing, own = pickle.loads(self._packed[at])
        common: Scores = self._common[head]
        tag, file, counts, extra, others, has_ties = own
        n = len(common.query_ids)
        return replace(
            common,
            tag=tag,
            file=file,
            results={
                measure: Result(value, none.per_query)
                for (measure, none), value in zip(common.results.items(), np.frombuffer(values).tolist(), strict=True)
            },
            answered=[True] * n
            if answered is None
            else np.unpackbits(np.frombuffer(answered, np.uint8), count=n).astype(bool).tolist(),
            counts=counts,
            extra=extra,
            others=others,
            remarks=tuple(self._remarks[one] for one in remarks),
            timing=Timing(*timing),
            has_ties=has_ties,
        )
