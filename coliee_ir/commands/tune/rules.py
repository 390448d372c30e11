"""Rules that cut a ranking: each is a value of every row that falls with the rank, and a threshold on it.

A rule keeps the rows whose value is at least the threshold, but at least ``floor`` and at most ``cap`` rows a query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from coliee_adapters.checked import is_finite, one_of
from coliee_adapters.errors import UsageError, quoted
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.judging.judged import BoolArray, FloatArray


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
    return share


def _turned(threshold: float) -> float:
    """Minus the threshold, and no minus zero."""
    return 0.0 - threshold


#: name → kind of rule, the simplest first
FAMILIES: Final[dict[str, Family]] = {
    "k": Family("top {:g} per query", lambda pool: -pool.rank.astype(np.float64), _turned, False),
    "score": Family("score ≥ {:g}", lambda pool: pool.compared),
    "ratio": Family("score ≥ {:g} × the query's best score", _ratio, positive=True),
    "margin": Family("score ≥ the query's best score − {:g}", lambda pool: pool.compared - pool.top, _turned),
}


def _unknown(name: str) -> UsageError:
    """What to say of a rule that there is not."""
    meant = "k" if re.match("top|first|cut|depth|rank", name) else "score" if re.match("thr|min", name) else ""
    remedy = f"did you mean {meant}? The" if meant else "the"
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

    Raises:
        UsageError: there is no such kind of rule, or a number that it cannot have.

    >>> str(Rule("k", 3)), str(Rule("ratio", 0.5, floor=1))
    ('top 3 per query', "score ≥ 0.5 × the query's best score, at least 1")
    """

    family: str
    threshold: float
    floor: int = 0
    cap: int | None = None

    def __post_init__(self) -> None:
        if self.family not in tuple(FAMILIES):
            raise _unknown(str(self.family))
        counts = [self.floor] if self.cap is None else [self.floor, self.cap]
        if not is_finite(self.threshold) or not all(isinstance(n, int) and is_finite(n) and n >= 0 for n in counts):
            raise UsageError("bad-value", "the threshold of a rule must be a number, its floor and cap integers ≥ 0")
        if self.family == "k" and not (self.threshold >= 0 and float(self.threshold).is_integer()):
            problem = f"the rule k keeps an integer number of documents ≥ 0, not {self.threshold:g}"
            raise UsageError("bad-value", problem)
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
        told = FAMILIES[self.family].says.format(self.threshold)
        told += f", at least {self.floor}" if self.floor else ""
        return told + (f", at most {self.cap}" if self.cap is not None else "")

    def to_dict(self) -> dict[str, Any]:
        """The rule as JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, members: Any) -> Rule:
        """The rule that JSON holds.

        Raises:
            UsageError: it holds none.
        """
        if not isinstance(members, Mapping) or not {"family", "threshold"} <= members.keys():
            problem = 'a rule is written as {"family": "score", "threshold": 0.5, "floor": 1, "cap": 10}'
            raise UsageError("structure", problem)
        return cls(**{field.name: members[field.name] for field in fields(cls) if field.name in members})


def named(names: Sequence[str], pool: Pool) -> list[str]:
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
            why = "the run has no scores" if not pool.scored else "the run has negative scores"
            raise UsageError("unfit-option", f"the rule {name!r} cannot be used: {why}")
    return [name for name in FAMILIES if name in names]


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


def filtered(pool: Pool, filters: Sequence[Filter], path: str) -> Pool:
    """What filters leave of a run."""
    known = []
    for one in one_of("filters", filters, Sequence, "a list of filters"):
        known.append(one_of("a filter", one, Filter, "what coliee_ir.Filter makes").knows(pool))
        pool = pool.where(one.keeps(pool))
    check_known(filters, known, path)
    return pool


def check_known(filters: Sequence[Filter], known: Sequence[bool], path: str) -> None:
    """Refuse a filter that knows no id of a run."""
    if strange := [one.name for one, is_known in zip(filters, known, strict=True) if not is_known]:
        problem = f"{path} has no id in common with the file of the filter {strange[0]!r}: is it that of another run?"
        raise UsageError("mismatch", problem)


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
