"""What is swapped and drawn as one: queries, or groups of queries that depend on each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coliee_adapters.checked import groups_of
from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import FloatArray
from coliee_ir.measures.base import Terms


@dataclass(frozen=True, eq=False)
class Units:
    """The units of resampling, in an order that does not depend on the gold's."""

    number: IntArray  # shape (Q,); the unit of each query
    n: int  # how many units

    @classmethod
    def of(cls, queries: Sequence[str], groups: Mapping[str, str] | None = None) -> Units:
        """The units of some queries: each query, or each group."""
        groups = groups_of(groups, queries)
        names = list(queries) if groups is None else [groups[query] for query in queries]
        place = {name: at for at, name in enumerate(sorted(set(names)))}
        return cls(np.array([place[name] for name in names], dtype=np.int64), len(place))

    def terms(self, terms: Terms) -> Terms:
        """What each unit adds."""
        is_mean = terms.is_mean and self.n == len(self.number)
        return terms._replace(each=self.summed(terms.each), is_mean=is_mean)

    def summed(self, each: FloatArray) -> FloatArray:
        """The sums over the queries of each unit; shape (n, T)."""
        total = np.zeros((self.n, each.shape[1]))
        np.add.at(total, self.number, each)
        return total
