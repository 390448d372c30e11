"""A ranking that is better upside down: its list leads with the worst, or its scores are distances."""

from __future__ import annotations

from typing import Final

import numpy as np

from coliee_ir.judging.judged import FloatArray, Judged

_CLEARLY: Final = 0.02
#: so many standard deviations more queries must gain than lose; with nine queries or fewer none are
_DEVIATIONS: Final = 3.0
#: from so many documents a query on, a list is a ranking whatever is measured; a set may stand in any order
_LIST: Final = 10


def upside_down(judged: Judged, *, ranks_matter: bool, answered_only: bool = False) -> tuple[float, float] | None:
    """The average precision of a ranking, and reversed, where that is clearly higher; else None.

    Clearly is by more than 0.02 in the mean, and in so many more queries than the other way round as chance does not
    give: a sign test at three standard deviations, for which ten queries are the least.
    """
    answered = judged.retrieved > 0
    if not answered.any() or judged.retrieved[answered].mean() <= (1 if ranks_matter else _LIST - 1):
        return None
    kept = judged.qrels.sizes > 0
    if answered_only:
        kept &= answered
    if not kept.any():
        return None
    as_it_is, reversed_ = _average_precisions(judged)
    gained, lost = int((reversed_ > as_it_is).sum()), int((reversed_ < as_it_is).sum())
    better = float((reversed_ - as_it_is)[kept].mean()) > _CLEARLY
    if not better or gained - lost <= _DEVIATIONS * (gained + lost) ** 0.5:
        return None
    return (float(as_it_is[kept].mean()), float(reversed_[kept].mean()))


def _average_precisions(judged: Judged) -> tuple[FloatArray, FloatArray]:
    """Average precision of each query, as the ranking is and reversed; each of shape (Q,)."""
    found = np.flatnonzero((judged.rank > 0) & (judged.qrels.relevance >= 1))
    query = judged.qrels.query_of(found)
    rank = judged.rank[found]
    order = np.argsort(query * (int(rank.max(initial=0)) + 1) + rank)
    query, rank = query[order], rank[order]
    n, relevant = len(judged.qrels.queries), np.maximum(judged.qrels.relevant(), 1)
    number = np.bincount(query, minlength=n)
    nth = np.arange(1, len(query) + 1) - (np.cumsum(number) - number)[query]
    # of what is reversed, the last comes first
    nth_reversed, rank_reversed = number[query] + 1 - nth, judged.retrieved[query] + 1 - rank
    as_it_is = np.bincount(query, weights=nth / rank, minlength=n)
    reversed_ = np.bincount(query[::-1], weights=(nth_reversed / rank_reversed)[::-1], minlength=n)
    return as_it_is / relevant, reversed_ / relevant
