"""Rankings as rows, and the rules that cut them: a value of every row that falls with the rank, and a threshold on it.

A rule keeps the rows whose value is at least the threshold, but at least ``floor`` and at most ``cap`` rows a query.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters.checked import is_finite, one_of
from coliee_adapters.errors import InputError, UsageError, quoted
from coliee_adapters.ids import Ids, IntArray
from coliee_adapters.records import Run, RunLike
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.judging.order import as_compared
from coliee_ir.reading.anything import read_run
from coliee_ir.rules.choices import CHOICES

#: trec_eval takes what is greater for infinite, with which no rule can reckon
_GREATEST: Final = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Pool:
    """Rankings of Q queries with N rows in all.

    Attributes:
        queries: the query ids.
        start: shape (Q + 1,); the rows of query i are ``start[i]:start[i + 1]``, in trec_eval's order.
        documents: a document a row.
        scores: shape (N,); where the run has none, n - i for the i-th of n documents.
        relevant: shape (N,); whether the document is relevant; all False where no gold is known.
        wanted: shape (Q,); how many relevant documents the gold has.
        scored: whether the scores are the run's own.
    """

    queries: tuple[str, ...]
    start: IntArray
    documents: Sequence[str]
    scores: FloatArray
    relevant: BoolArray
    wanted: IntArray
    scored: bool

    @classmethod
    def read(
        cls,
        run: RunLike,
        qrels: Mapping[str, Mapping[str, int]] | None = None,
        *,
        task: str | None = None,
        rel: int = 1,
    ) -> Pool:
        """The rankings of a run, as ``read_run`` takes it: see ``pooled``."""
        return pooled(RunInMemory(ranking(run, task), qrels), qrels, rel=rel)

    @cached_property
    def lengths(self) -> IntArray:
        """Shape (Q,); how many rows each query has."""
        return self.start[1:] - self.start[:-1]

    @cached_property
    def query(self) -> IntArray:
        """Shape (N,); the number of each row's query."""
        return np.repeat(np.arange(len(self.queries)), self.lengths)

    @cached_property
    def rank(self) -> npt.NDArray[np.int32]:
        """Shape (N,); the rank of each row in its query, from 1."""
        return (np.arange(1, len(self.documents) + 1) - self.start[self.query]).astype(np.int32)

    @cached_property
    def compared(self) -> FloatArray:
        """Shape (N,); the scores, finite: those that trec_eval does not tell apart have the greatest of them.

        Within a query they never rise with the rank.
        """
        if not len(self.scores):
            return self.scores
        same = as_compared(self.scores)
        first = np.flatnonzero(np.concatenate(([True], (same[1:] != same[:-1]) | (self.query[1:] != self.query[:-1]))))
        greatest: FloatArray = np.repeat(np.maximum.reduceat(self.scores, first), np.diff(first, append=len(same)))
        return np.clip(greatest, -_GREATEST, _GREATEST)

    @cached_property
    def top(self) -> FloatArray:
        """Shape (N,); the best score of each row's query."""
        return self.compared[self.start[self.query]]

    def running(self, values: BoolArray) -> FloatArray:
        """Shape (N,); how many rows of the same query, up to each row, are so."""
        total = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
        return np.asarray(total[1:] - total[self.start[self.query]])

    def where(self, kept: BoolArray) -> Pool:
        """The same queries with the rows where a mask is true."""
        lengths = np.bincount(self.query[kept], minlength=len(self.queries))
        return Pool(
            self.queries,
            np.concatenate(([0], np.cumsum(lengths))),
            [self.documents[i] for i in np.flatnonzero(kept).tolist()],
            self.scores[kept],
            self.relevant[kept],
            self.wanted,
            self.scored,
        )


def pooled(run: RunInMemory, qrels: Mapping[str, Mapping[str, int]] | None = None, *, rel: int = 1) -> Pool:
    """The rankings of the gold's queries, answered or not; without a gold, of all queries.

    ``rel`` is the least relevance that counts as relevant. The run lets go of what it has given.
    """
    rankings = {query: (Ids.of(documents), scores) for query, documents, scores in run.rows() if documents}
    queries, nothing = tuple(rankings if qrels is None else qrels), (Ids.of(()), np.zeros(0))
    ranked = [rankings.get(query, nothing) for query in queries]
    start = np.cumsum([0, *(len(documents) for documents, _ in ranked)])
    judged = [(qrels or {}).get(query, {}) for query in queries]
    right = [{document for document, level in levels.items() if level >= rel} for levels in judged]
    are_right = [
        document in of_query for (documents, _), of_query in zip(ranked, right, strict=True) for document in documents
    ]
    return Pool(
        queries,
        start,
        Ids.joined([documents for documents, _ in ranked]),
        np.concatenate([np.zeros(0), *(scores for _, scores in ranked)]),
        np.array(are_right, dtype=np.bool_),
        np.array([len(documents) for documents in right], dtype=np.int64),
        run.scored,
    )


def ranking(run: RunLike, task: str | int | None = None, columns: Mapping[str, str] | None = None) -> Run:
    """A run, as ``read_run`` takes it, that holds documents."""
    record = read_run(run, task=task, columns=columns)
    if not isinstance(record, Run):
        raise InputError(
            "wrong-part",
            record.path,
            "this submission contains labels, not documents",
            remedy="cutoffs apply to retrieved documents",
        )
    return record


class Family(NamedTuple):
    """A kind of rule."""

    says: str  # what a rule of it keeps, with ``{}`` for the parameter
    value: Callable[[Pool], FloatArray]  # the value of each row; within a query it must not rise with the rank
    # what a person calls a threshold on that value, and the threshold of what a person calls it
    parameter: Callable[[float], float] = lambda threshold: threshold
    of_scores: bool = True  # whether it needs scores of the run's own
    positive: bool = False  # whether it needs scores that are not negative


def _ratio(pool: Pool) -> FloatArray:
    share = np.ones(len(pool.compared))
    np.divide(pool.compared, pool.top, out=share, where=pool.top > 0)
    return _rounded(share, np.ones(1))


def _rounded(values: FloatArray, sizes: FloatArray) -> FloatArray:
    """Values to 12 digits of some sizes, so that 1 − 0.7 is 0.3, as a person writes it."""
    digits = np.ceil(np.log10(np.maximum(np.abs(sizes), 1e-10)))
    scale = 10.0 ** np.maximum(12 - digits, 0)
    return np.asarray(np.round(values * scale) / scale)


def _turned(threshold: float) -> float:
    """Minus the threshold, and no minus zero."""
    return 0.0 - threshold


#: name → kind of rule, the simplest first
FAMILIES: Final[dict[str, Family]] = {
    "k": Family("top {:g} per query", lambda pool: -pool.rank.astype(np.float64), _turned, False),
    "score": Family("score ≥ {:g}", lambda pool: pool.compared),
    "ratio": Family("score ≥ {:g} × the query's best score", _ratio, positive=True),
    "margin": Family(
        "score ≥ the query's best score − {:g}", lambda pool: _rounded(pool.compared - pool.top, pool.top), _turned
    ),
}


def _unknown(name: str) -> UsageError:
    """What to say of a rule that there is not."""
    meant = "k" if re.match("top|first|cut|depth|rank", name) else "score" if re.match("thr|min", name) else ""
    remedy = f"did you mean {meant}? The" if meant else "the"
    if "=" in name:
        family, _, threshold = name.partition("=")
        in_python = f"in Python cut(run, Rule({family!r}, {threshold}))"
        remedy = f"a threshold is found by tune, and coliee-ir cut RUN --by {name} applies one ({in_python}); the"
    rules = f"rules are {', '.join(FAMILIES)}"
    return UsageError("unknown-name", f"unknown rule {quoted(name)}; {remedy} {rules}")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with its parameters.

    Attributes:
        family: its kind, one of ``FAMILIES``.
        threshold: where it cuts, as a person says it: for ``k`` how many documents are kept, for ``margin`` how far
            below the best score the last of them is.
        floor: so many rows of a query are kept in any case.
        cap: not more than so many; None for no bound.
        order: whether the highest scores are best, or with ``ascending`` the lowest; lists are turned around then.

    Raises:
        UsageError: there is no such kind of rule, or a number that it cannot have.

    >>> str(Rule("k", 3)), str(Rule("ratio", 0.5, floor=1))
    ('top 3 per query', "score ≥ 0.5 × the query's best score, at least 1")
    """

    family: str
    threshold: float = math.nan
    floor: int = 0
    cap: int | None = None
    order: str = "descending"

    def __post_init__(self) -> None:
        if self.order not in CHOICES["order"]:
            raise UsageError("bad-value", f"the order of a rule is {' or '.join(CHOICES['order'])}, not {self.order!r}")
        if self.family not in tuple(FAMILIES):
            raise _unknown(str(self.family))
        counts = [self.floor] if self.cap is None else [self.floor, self.cap]
        if not is_finite(self.threshold) or not all(isinstance(n, int) and is_finite(n) and n >= 0 for n in counts):
            raise UsageError("bad-value", "the threshold of a rule must be a number, its floor and cap integers ≥ 0")
        if self.family == "k" and not (self.threshold >= 0 and float(self.threshold).is_integer()):
            raise UsageError(
                "bad-value", f"the rule k keeps an integer number of documents ≥ 0, not {self.threshold:g}"
            )
        if self.cap is not None and self.floor > self.cap:
            raise UsageError("bad-value", f"a rule cannot keep at least {self.floor} and at most {self.cap}")
        object.__setattr__(self, "threshold", float(self.threshold))

    def keeps(self, pool: Pool) -> BoolArray:
        """Which rows are kept; shape (N,)."""
        kept = FAMILIES[self.family].value(pool) >= FAMILIES[self.family].parameter(self.threshold)
        kept |= pool.rank <= self.floor
        if self.cap is not None:
            kept &= pool.rank <= self.cap
        return kept

    def __str__(self) -> str:
        text = FAMILIES[self.family].says.format(self.threshold)
        text += f", at least {self.floor}" if self.floor else ""
        text += f", at most {self.cap}" if self.cap is not None else ""
        return text + (", the lowest scores first" if self.order == "ascending" else "")

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON."""
        return {name: value for name, value in asdict(self).items() if (name, value) != ("order", "descending")}

    @classmethod
    def from_dict(cls, members: Any) -> Rule:
        """The rule that JSON holds.

        Raises:
            UsageError: it holds none.
        """
        if not isinstance(members, Mapping) or not {"family", "threshold"} <= members.keys():
            raise UsageError(
                "structure", 'a rule is written as {"family": "score", "threshold": 0.5, "floor": 1, "cap": 10}'
            )
        return cls(**{field.name: members[field.name] for field in fields(cls) if field.name in members})


def families_named(names: Sequence[str], pool: Pool) -> list[str]:
    """The kinds of rule asked for, or all that the run's scores allow; the simplest first."""
    negative = pool.scored and bool((pool.compared < 0).any())
    possible = [
        name
        for name, family in FAMILIES.items()
        if (pool.scored or not family.of_scores) and not (family.positive and negative)
    ]
    if not names:
        return possible
    for name in names:
        if name not in FAMILIES:
            raise _unknown(name)
        if name not in possible:
            why = (
                "the run has no scores, and is cut by k"
                if not pool.scored
                else "the run has negative scores, or its lowest are best"
            )
            raise UsageError("unfit-option", f"the rule {name!r} cannot be used: {why}")
    return [name for name in FAMILIES if name in names]


class Filter(NamedTuple):
    """A filter, made of functions that can be pickled: it travels to where a run is tuned.

    Attributes:
        name: what it keeps.
        keeps: which rows of a pool it keeps; shape (N,).
        knows: whether what it goes by says anything of a pool; None where it goes by nothing else.
    """

    name: str
    keeps: Callable[[Pool], BoolArray]
    knows: Callable[[Pool], bool] | None = None

    @staticmethod
    def exclude_self() -> Filter:
        """Take the query out of its own ranking."""
        return Filter("not the query itself", _keeps_others)

    @staticmethod
    def exclude_newer(dates: Mapping[str, str]) -> Filter:
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


def filtered(pool: Pool, filters: Sequence[Filter]) -> tuple[Pool, list[bool]]:
    """What filters leave of a run, and whether each knows anything of it."""
    known = []
    for filter_ in one_of("filters", filters, Sequence, "a list of filters"):
        knows = one_of("a filter", filter_, Filter, "what coliee_ir.Filter makes").knows
        known.append(knows is None or knows(pool))
        pool = pool.where(filter_.keeps(pool))
    return pool, known


def check_known(filters: Sequence[Filter], known: Sequence[bool], path: str) -> None:
    """Refuse a filter that knows no id of a run."""
    if strange := [filter_.name for filter_, is_known in zip(filters, known, strict=True) if not is_known]:
        raise UsageError(
            "mismatch",
            f"{path} has no id in common with the file of the filter {strange[0]!r}: is it that of another run?",
        )


def _keeps_others(pool: Pool) -> BoolArray:
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
