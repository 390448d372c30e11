"""How a cutoff chosen on earlier queries fares on later ones, beside the cross-validated score of the same queries."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from coliee_adapters.checked import one_of
from coliee_adapters.classes import NamedTuple, dataclass
from coliee_adapters.errors import UsageError, quoted, shortened
from coliee_adapters.ids import IntArray
from coliee_ir.commands.tune import honest
from coliee_ir.commands.tune.honest import Candidate
from coliee_ir.commands.tune.rules import Rule
from coliee_ir.measures.base import Terms
from coliee_ir.output.envelope import apart, number, numbers
from coliee_ir.rules.protocol import ERAS
from coliee_ir.stats.folds import Split, difference
from coliee_ir.stats.intervals import jackknife_t
from coliee_ir.stats.resampling import Difference, Interval
from coliee_ir.stats.settings import CONFIDENCE_LEVEL, MOST_REPEATS

#: What queries can be put in order by without a file.
BY: Final = ("id", "year")

_ERA: Final = re.compile(r"([HR])(\d{1,2})-|(\d{4})(?!\d)")


class Step(NamedTuple):
    """A block of later queries.

    Attributes:
        first: the first period of the block: an id, a year or a date.
        last: the last.
        earlier: how many queries are earlier.
        later: how many queries the block has.
        rule: chosen on the earlier ones.
        score: of the block, cut by it.
    """

    first: str
    last: str
    earlier: int
    later: int
    rule: Rule
    score: float


@dataclass(frozen=True, slots=True)
class Forward:
    """How rules chosen on earlier queries fare on later ones.

    Attributes:
        steps: the blocks of later queries, each cut by what all earlier queries choose.
        score: of all later queries together.
        interval: 95% interval of ``score`` over the later queries, or groups.
        cross_validated: the held-out score of the same queries, cut by what queries of any time choose.
        difference: ``score`` less ``cross_validated``.
    """

    steps: tuple[Step, ...]
    score: float
    interval: Interval
    cross_validated: float
    difference: Difference

    def to_dict(self) -> dict[str, Any]:
        """It as JSON."""
        return {
            "queries": sum(step.later for step in self.steps),
            "score": number(self.score),
            "interval": numbers(self.interval),
            "cross_validated": number(self.cross_validated),
            "difference": apart(self.difference),
            "steps": [
                {**step._asdict(), "rule": step.rule.to_dict(), "score": number(step.score)} for step in self.steps
            ],
        }


def periods(queries: Sequence[str], by: str | Mapping[str, str]) -> tuple[list[str], IntArray]:
    """The periods in their order, and the number of each query's; shape (Q,).

    Args:
        queries: the query ids.
        by: ``id``: each query is a period, numbers in ids count as numbers; ``year``: that with which the id begins,
            R07 and H18 being years of Japanese eras; or query → date, or any text that sorts by time.

    Raises:
        UsageError: an id without a year, or a query without a date.
    """
    if isinstance(by, str) and by not in BY:
        raise UsageError(f"queries can be ordered by id, year or dates, not by {quoted(by)}")
    if by == "id":
        parts = {query: [int(t) if t.isdecimal() else t for t in re.split(r"(\d+)", query)] for query in queries}
        names = sorted(queries, key=parts.__getitem__)  # text and numbers take turns
        of_query = dict(zip(queries, queries, strict=True))
    else:
        what = f"{' or '.join(map(repr, BY))}, or a dictionary from query ids to dates"
        dates = {query: _year(query) for query in queries} if isinstance(by, str) else by
        of_query = one_of("forward", dates, Mapping, what)
        if missing := [query for query in queries if query not in of_query]:
            raise UsageError(f"query {shortened(missing[0])} has no date; give every query of the gold one")
        names = sorted({of_query[query] for query in queries})
    number_of = {name: at for at, name in enumerate(names)}
    return names, np.array([number_of[of_query[query]] for query in queries], dtype=np.int64)


def _year(query: str) -> str:
    found = _ERA.match(query)
    if found is None:
        raise UsageError(f"the id {shortened(query)} does not begin with a year, as R07-… or 2019-… do; give dates")
    return found[3] or str(ERAS[found[1]] + int(found[2]) - 1)


def forward(candidates: Sequence[Candidate], split: Split, held: Terms, order: tuple[list[str], IntArray]) -> Forward:
    """Cut each block of later queries by the rule that all earlier ones choose.

    Periods are blocks of their own; of more than two a fold, neighbours share a block. The blocks with at least half of
    the queries before them are scored, and in any case the last. A group is where its last query is.

    Args:
        candidates: the kinds of rule, the simplest first.
        split: the groups of queries, and the folds by which earlier queries choose the kind.
        held: what each group adds to the cross-validated score.
        order: the periods, and that of each query.

    Raises:
        UsageError: all queries are of one period.
    """
    names, period = order
    of_group = np.zeros(len(held.each), dtype=np.int64)
    np.maximum.at(of_group, split.group, period)
    period = of_group[split.group]
    counts = np.bincount(period, minlength=len(names))
    before = np.cumsum(counts) - counts
    most = 2 * split.n
    block_of = np.arange(len(names)) if len(names) <= most else before * most // len(period)
    block = block_of[period]
    blocks = np.unique(block)
    if len(blocks) < 2:
        raise UsageError(f"all queries are of {shortened(names[0])}, so none is later than others")
    aim = candidates[0].sweep.objective
    each, tested = np.zeros_like(aim.base), np.zeros(len(held.each), dtype=np.bool_)
    steps = []
    for number_ in blocks[1:].tolist():
        earlier, later = block < number_, block == number_
        if 2 * earlier.sum() < len(block) and number_ != blocks[-1]:
            continue
        [kind] = honest.chosen(candidates, split, [earlier], [(MOST_REPEATS, number_)])
        rule = kind.fit(earlier).rule
        tested[split.group[later]] = True
        each[later] = kind.sweep.terms(rule).each[later]
        first, last = int(period[later].min()), int(period[later].max())
        score = float(aim.score(each[later].sum(axis=0)))
        steps.append(Step(names[first], names[last], int(earlier.sum()), int(later.sum()), rule, score))
    terms = split.terms(Terms(each, aim.score, np.zeros(each.shape[1]), aim.is_mean))
    terms, same = terms._replace(each=terms.each[tested]), held._replace(each=held.each[tested])
    interval = jackknife_t(terms, CONFIDENCE_LEVEL)
    return Forward(tuple(steps), terms.total, interval, same.total, difference(terms, same))
