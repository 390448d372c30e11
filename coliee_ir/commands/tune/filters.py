"""What teams take away from a ranking before they cut it: the query itself, newer cases, what everybody is given."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial

import numpy as np

from coliee_adapters.checked import one_of
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.forms.lines import counted
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.judging.judged import BoolArray


def _anything(pool: Pool) -> bool:
    return True


class Filter(NamedTuple):
    """A filter, made of functions that can be pickled: it travels to where a run is tuned.

    Attributes:
        name: what it keeps.
        keeps: which rows of a pool it keeps; shape (N,).
        knows: whether what it goes by says anything of a pool.
    """

    name: str
    keeps: Callable[[Pool], BoolArray]
    knows: Callable[[Pool], bool] = _anything

    @staticmethod
    def not_itself() -> Filter:
        """Take the query out of its own ranking."""
        return Filter("not the query itself", _not_itself)

    @staticmethod
    def not_newer(dates: Mapping[str, str]) -> Filter:
        """Take out documents that are newer than the query.

        Args:
            dates: query or document → date as YYYY-MM-DD, YYYY-MM or YYYY. Two dates are compared by what both say: in
                the same year, nothing is newer than a year. Without a date nothing is newer.
        """
        return Filter("not newer than the query", partial(_not_newer, dates), partial(_knows_dates, dates))

    @staticmethod
    def candidates(of_query: Mapping[str, Collection[str]]) -> Filter:
        """Take out documents that are not among the candidates of their query.

        Args:
            of_query: query → its candidates; a query that is not in it keeps everything.
        """
        return Filter("among the query's candidates", partial(_candidates, of_query), partial(_knows_queries, of_query))

    @staticmethod
    def not_queries() -> Filter:
        """Take out documents that are queries of the run, or of the gold, themselves."""
        return Filter("not a query", _not_queries)

    @staticmethod
    def as_many(counts: Mapping[str, int]) -> Filter:
        """Keep the first so many documents of each query.

        Args:
            counts: query → how many, for every query that has documents.

        Raises:
            UsageError: a query has no count.
        """
        return Filter("as many as predicted", partial(_as_many, counts))


def filtered(pool: Pool, filters: Iterable[Filter], path: str) -> Pool:
    """What filters leave of a run."""
    for filter_ in one_of("filters", filters, Iterable, "a list of filters"):
        one_of("a filter", filter_, Filter, "what coliee_ir.Filter makes")
        if not filter_.knows(pool):
            raise UsageError(
                "mismatch",
                f"{path} has no id in common with the file of the filter {filter_.name!r}: is it that of another run?",
            )
        pool = pool.where(filter_.keeps(pool))
    return pool


def _not_itself(pool: Pool) -> BoolArray:
    itself = [
        pool.queries[query] == document for query, document in zip(pool.query.tolist(), pool.documents, strict=True)
    ]
    return ~np.array(itself, dtype=np.bool_)


def _not_newer(dates: Mapping[str, str], pool: Pool) -> BoolArray:
    def is_newer(document: str, query: str) -> bool:
        length = min(len(document), len(query))
        return document[:length] > query[:length]

    of_query = [dates.get(query, "") for query in pool.queries]
    newer = [
        is_newer(dates.get(document, ""), of_query[query])
        for query, document in zip(pool.query.tolist(), pool.documents, strict=True)
    ]
    return ~np.array(newer, dtype=np.bool_)


def _knows_dates(dates: Mapping[str, str], pool: Pool) -> bool:
    return not dates.keys().isdisjoint(pool.queries) and not dates.keys().isdisjoint(pool.documents)


def _candidates(of_query: Mapping[str, Collection[str]], pool: Pool) -> BoolArray:
    lists = [of_query.get(query) for query in pool.queries]
    rows = zip(pool.query.tolist(), pool.documents, strict=True)
    listed = ((lists[query], document) for query, document in rows)
    return np.array([every is None or document in every for every, document in listed], dtype=np.bool_)


def _knows_queries(of_query: Mapping[str, Collection[str]], pool: Pool) -> bool:
    return not of_query.keys().isdisjoint(pool.queries)


def _not_queries(pool: Pool) -> BoolArray:
    queries = set(pool.queries)
    return np.array([document not in queries for document in pool.documents], dtype=np.bool_)


def _as_many(counts: Mapping[str, int], pool: Pool) -> BoolArray:
    answered = [query for query, n in zip(pool.queries, pool.lengths.tolist(), strict=True) if n]
    if without := [query for query in answered if query not in counts]:
        shown = ", ".join(map(shortened, without[:3]))
        problem = f"{counted(len(without), 'query')} of the run without a count: {shown}; give one for each"
        raise UsageError("missing-key", problem)
    most = np.array([counts.get(query, 0) for query in pool.queries], dtype=np.int64)
    return np.asarray(pool.rank <= most[pool.query])
