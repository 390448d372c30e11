"""A ranking that is better upside down: its list leads with the worst, or its scores are distances."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.judging.judged import FloatArray, Judged

_CLEARLY: Final = 0.02
#: so many standard deviations more queries must gain than lose; with nine queries or fewer none are
_DEVIATIONS: Final = 3.0
#: from so many documents a query on, a list is a ranking whatever is measured; a set may stand in any order
_LIST: Final = 10


class UpsideDown(NamedTuple):
    """The mean average precision of a ranking that is better reversed: as it is, and reversed."""

    as_it_is: float
    reversed: float


def upside_down(judged: Judged, *, ranks_matter: bool, answered_only: bool = False) -> UpsideDown | None:
    """Whether the average precision of a ranking is clearly higher when it is reversed; None if not.

    Clearly is by more than 0.02 in the mean, and in so many more queries than the other way round as chance does not
    give: a sign test at three standard deviations, for which ten queries are the least.

    Args:
        judged: the run.
        ranks_matter: whether a measure looks at ranks; if not, only long lists are looked at.
        answered_only: whether unanswered queries are left out of the means that are returned.
    """
    answered = judged.retrieved > 0
    if not answered.any() or judged.retrieved[answered].mean() <= (1 if ranks_matter else _LIST - 1):
        return None
    kept = judged.qrels.sizes > 0
    if answered_only:
        kept &= answered
    if not kept.any():
        return None
    found = np.flatnonzero((judged.rank > 0) & (judged.qrels.relevance >= 1))
    query = np.searchsorted(judged.qrels.start, found, side="right") - 1
    as_it_is = _average_precision(judged, query, judged.rank[found])
    reversed_ = _average_precision(judged, query, judged.retrieved[query] + 1 - judged.rank[found])
    gained, lost = int((reversed_ > as_it_is).sum()), int((reversed_ < as_it_is).sum())
    better = float((reversed_ - as_it_is)[kept].mean()) > _CLEARLY
    if not better or gained - lost <= _DEVIATIONS * (gained + lost) ** 0.5:
        return None
    return UpsideDown(float(as_it_is[kept].mean()), float(reversed_[kept].mean()))


def _average_precision(judged: Judged, query: IntArray, rank: IntArray) -> FloatArray:
    """Shape (Q,); average precision of relevant documents, found at these ranks of these queries."""
    order = np.lexsort((rank, query))
    query, rank = query[order], rank[order]
    before = np.searchsorted(query, query)  # how many stand before the query's first
    precision = (np.arange(len(query)) - before + 1) / rank
    total = np.bincount(query, weights=precision, minlength=len(judged.qrels.queries))
    return np.asarray(total / np.maximum(judged.qrels.relevant(), 1))
