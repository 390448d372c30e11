"""What teams take away from a ranking before they cut it: the query itself, newer cases, what everybody is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.judging.judged import BoolArray


class Filter(NamedTuple):
    """A filter: its name, and which rows of a pool it keeps."""

    name: str
    keeps: Callable[[Pool], BoolArray]


def not_itself() -> Filter:
    """Take the query out of its own ranking."""

    def keeps(pool: Pool) -> BoolArray:
        itself = [
            pool.queries[query] == document for query, document in zip(pool.query.tolist(), pool.documents, strict=True)
        ]
        return ~np.array(itself, dtype=np.bool_)

    return Filter("not the query itself", keeps)


def not_newer(dates: Mapping[str, str]) -> Filter:
    """Take out documents that are newer than the query.

    Args:
        dates: query or document → date as YYYY-MM-DD, or any text that sorts by time; without a date nothing is newer.
    """

    def keeps(pool: Pool) -> BoolArray:
        of_query = [dates.get(query, "") for query in pool.queries]
        newer = [
            bool(of_query[query]) and dates.get(document, "") > of_query[query]
            for query, document in zip(pool.query.tolist(), pool.documents, strict=True)
        ]
        return ~np.array(newer, dtype=np.bool_)

    return Filter("not newer than the query", keeps)


def not_common(most: int, within: int) -> Filter:
    """Take out documents that stand in many queries' first places.

    Args:
        most: in how many of the run's queries at most a document may stand there; more queries ask for a greater one.
        within: how many places count.
    """

    def keeps(pool: Pool) -> BoolArray:
        known: dict[str, int] = {}
        number = np.array([known.setdefault(document, len(known)) for document in pool.documents], dtype=np.int64)
        times: IntArray = np.bincount(number[pool.rank <= within], minlength=len(known))
        return np.asarray(times[number] <= most)

    return Filter(f"not in the first {within} of more than {most} queries", keeps)
