"""The methods of fusion and the normalisations, each a row with its definition and its function; and votes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import Final, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import Ids, IntArray, pieces
from coliee_adapters.records import Answers, Columns, Run
from coliee_adapters.remarks import Remarks
from coliee_ir.commands.convert.streams import ReturnsError, tied_at_cut
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.judging.order import (
    as_compared,
    in_order_of_bytes,
    in_segments,
    ranked_otherwise,
    sort_keys,
    whole_queries,
)

#: lines of all runs that are fused together, where all of them are in memory
_AT_ONCE: Final = 1 << 15


class Reader:
    """One run as it is read, and what was met in it."""

    def __init__(self, run: Run) -> None:
        self.scored = run.scored
        self.remarks = Remarks()
        self.lengths: dict[str, int] = {}  # query → how many lines it has
        self.otherwise = dict[str, None]()  # the queries whose ranks disagree with their scores
        self._blocks = whole_queries(run.blocks())

    def block(self) -> Columns | None:
        """The next lines; None behind the last."""
        if (block := next(self._blocks, None)) is not None:
            self.remarks += block.remarks
            for query, n in zip(block.queries, block.lengths.tolist(), strict=True):
                self.lengths[query] = self.lengths.get(query, 0) + n
            self.otherwise |= dict.fromkeys(ranked_otherwise(block))
        return block


def batch_fusion(readers: Sequence[Reader], *, in_memory: bool = False) -> Iterator[Candidates]:
    """The candidates of some queries at a time, in the order in which the runs name the queries.

    As long as the runs name the same queries in the same order, what was given is forgotten. From where they do not,
    the rest of all runs is held in memory.

    Raises:
        ReturnsError: a query comes back after it was given; ``in_memory`` reads such runs.
    """
    yielded: set[str] = set()
    waiting = [reader.block() for reader in readers]
    while not in_memory and (heads := [block for block in waiting if block is not None]):
        names = [list(block.queries) for block in heads]
        if len(heads) < len(waiting) or any(len(set(queries)) < len(queries) for queries in names):
            break
        queries = [same[0] for same in takewhile(lambda block: len({*block}) == 1, zip(*names, strict=False))]
        if not yielded.isdisjoint(queries):
            raise ReturnsError
        n = len(queries)
        if not n and all(names):
            break
        if n:
            yield Candidates.of_lines(queries, [block.of_segments(slice(n)) for block in heads], readers)
            yielded.update(queries)
        left = [block.of_segments(slice(n, None)) for block in heads]
        waiting = [block if block.queries else reader.block() for block, reader in zip(left, readers, strict=True)]
    rest, blocks = remaining_queries(readers, waiting)
    if not yielded.isdisjoint(rest):
        raise ReturnsError
    lines = sum(np.array([reader.lengths.get(query, 0) for query in rest], dtype=np.int64) for reader in readers)
    for first, last in pieces(np.concatenate(([0], np.cumsum(lines))), _AT_ONCE):
        of_queries = [np.searchsorted(numbers, (first, last)).tolist() for numbers, _ in blocks]
        lines_of_runs = [block.of_segments(slice(*i)) for i, (_, block) in zip(of_queries, blocks, strict=True)]
        yield Candidates.of_lines(rest[first:last], lines_of_runs, readers)


def remaining_queries(
    readers: Sequence[Reader], waiting: Sequence[Columns | None]
) -> tuple[list[str], list[tuple[IntArray, Columns]]]:
    """All queries that are left; of each run the numbers of those that it has, and its lines in their order."""
    in_memory = [_compact(block, reader) for block, reader in zip(waiting, readers, strict=True)]
    number: dict[str, int] = {}
    blocks = [block.grouped(number) for block in in_memory]
    return list(number), blocks


def _compact(block: Columns | None, reader: Reader) -> Columns:
    """The lines that wait and those that follow, in memory that holds nothing else of the file."""
    blocks = [Columns([], [0], [])]
    while block is not None:
        blocks.append(Columns(block.queries.compact(), block.starts, block.documents.compact(), block.scores))
        block = reader.block()
    return Columns.joined(blocks)


#: Scores beyond this, or its negative, are not normalised: their squares and sums would leave what floats hold.
GREATEST_SCORE: Final = 1e100


class Norm(NamedTuple):
    """A normalisation of the scores of one run for one query."""

    formula: str  # what becomes of a score s, in plain text
    # candidates → shape (n, P); what is not retrieved may hold anything finite
    value: Callable[[Candidates], FloatArray]
    of_scores: bool = True  # whether it looks at scores, and not only at ranks
    # whether it gives a value to every candidate, retrieved or not; else what is not retrieved has none
    of_all: bool = False


def _min_max(candidates: Candidates) -> FloatArray:
    low, high = candidates.least(candidates.scores), candidates.greatest(candidates.scores)
    return _divided(candidates.scores - low, high - low, equal=1.0)


def _max(candidates: Candidates) -> FloatArray:
    return _divided(candidates.scores, candidates.greatest(candidates.scores), equal=0.0)


def _zscore(candidates: Candidates) -> FloatArray:
    lengths = np.maximum(candidates.lengths, 1)
    apart = candidates.scores - candidates.totals(candidates.scores) / lengths
    deviation = np.sqrt(candidates.totals(apart * apart) / lengths)
    # the mean of equal scores can be a last bit off, and what is left would be blown up to 1
    deviation[candidates.least(candidates.scores) == candidates.greatest(candidates.scores)] = 0.0
    return _divided(apart, deviation, equal=0.0)


def _borda(candidates: Candidates) -> FloatArray:
    # the points c, c - 1, … 1 of the ranks that a run leaves open are shared by the documents that it lacks
    shared = (candidates.sizes - candidates.lengths + 1) / 2
    return np.where(candidates.named, candidates.sizes - candidates.ranks + 1, shared) / candidates.sizes


def _divided(above: FloatArray, below: FloatArray, equal: float | FloatArray) -> FloatArray:
    """The quotient; where there is nothing to divide by, all scores of the list being equal, ``equal``."""
    fine = np.isfinite(above) & np.isfinite(below) & (below > 0)
    return np.where(fine, above / np.where(fine, below, 1.0), equal)


#: normalisation → what it is. The lists are those of one run for one query.
NORMS: Final[dict[str, Norm]] = {
    "min-max": Norm("(s - min) / (max - min); 1 in a list of equal scores", _min_max),
    "max": Norm("s / max; for scores that are not negative", _max),
    "zscore": Norm("(s - mean) / standard deviation; 0 in a list of equal scores", _zscore),
    "borda": Norm(
        "(c - rank + 1) / c, where all runs together have c documents; (c - n + 1) / 2c for what a list of n lacks",
        _borda,
        of_scores=False,
        of_all=True,
    ),
    "none": Norm("s as it stands", lambda candidates: candidates.scores),
}


@dataclass(frozen=True, slots=True)
class Method:
    """A way to fuse runs."""

    formula: str  # what a document's score, or its place in the set, is made of; w is a run's weight
    takes: frozenset[str]  # the parameters that it has
    ranks: bool = True  # whether it gives scores, and so a ranking; else a set
    counted: bool = False  # whether the sum is multiplied by the number of runs that retrieved the document


def weighted_sum(parts: FloatArray, weights: FloatArray) -> FloatArray:
    """Σ w · part, shape (P,), added in an order of its own, so that no bit depends on the order of the runs."""
    used = weights > 0
    total = np.zeros(parts.shape[1])
    for addend in np.sort(parts[used] * weights[used, None], axis=0):
        total += addend
    return total


_SCORED: Final = frozenset({"norm", "weights", "top"})

#: method → what it is
METHODS: Final[dict[str, Method]] = {
    "rrf": Method("Σ w / (k + rank)", frozenset({"k", "weights", "top"})),
    "combsum": Method("Σ w·s", _SCORED),
    "combmnz": Method("(how many runs retrieved it) · Σ w·s", _SCORED, counted=True),
    "union": Method("in any run", frozenset[str](), ranks=False),
    "intersection": Method("in all runs", frozenset[str](), ranks=False),
    "vote": Method(
        "in runs with more than half of all weight. Of answers, the label with the greater weight",
        frozenset({"weights", "ties"}),
        ranks=False,
    ),
}


#: with so many common documents or fewer, nothing is said of their order
_FEW: Final = 2


def parts_of(candidates: Candidates, method: str, norm: str, k: float) -> FloatArray:
    """What each run gives to each document before weights; shape (n, P).

    It gives something to what it has retrieved, and with Borda counts to all; else 0.
    """
    if method == "rrf":
        return np.where(candidates.named, 1.0 / (k + np.maximum(candidates.ranks, 1)), 0.0)
    if NORMS[norm].of_scores and bool(np.any(np.abs(candidates.scores) > GREATEST_SCORE)):
        raise UsageError(
            "bad-score", f"scores beyond {GREATEST_SCORE:g} cannot be normalised; take --norm borda, or rrf"
        )
    if norm == "max" and bool(np.any(candidates.scores[candidates.named] < 0)):
        raise UsageError(
            "bad-score", "--norm max divides by the greatest score and would turn negative ones around; take min-max"
        )
    has_value = np.ones_like(candidates.named) if NORMS[norm].of_all else candidates.named
    return np.where(has_value, NORMS[norm].value(candidates), 0.0)


@dataclass(frozen=True)
class Candidates:
    """All that n runs retrieved: P rows, one a document of a query, and in each row what the runs say of it.

    The rows of a query stand by id, greatest first: sorting them by score, and keeping the order of equal ones, gives
    trec_eval's order.
    """

    # the Q queries of which any run retrieved anything, in the order in which the runs name them
    queries: tuple[str, ...]
    start: IntArray  # shape (Q + 1,); the rows of query i are ``start[i]:start[i + 1]``, and there is at least one
    documents: Ids  # a document a row
    scores: FloatArray  # shape (n, P); 0 where a run has not retrieved the document
    ranks: IntArray  # shape (n, P); from 1; 0 where a run has not retrieved the document

    @classmethod
    def of(cls, readers: Sequence[Reader]) -> Candidates:
        """The candidates of whole runs."""
        queries, blocks = remaining_queries(readers, [reader.block() for reader in readers])
        return cls.of_lines(queries, [block for _, block in blocks], readers)

    @classmethod
    def of_lines(cls, queries: Sequence[str], parts: Sequence[Columns], readers: Sequence[Reader]) -> Candidates:
        """The candidates of runs for some queries, from the lines that were read of each run."""
        documents = Ids.joined([part.documents for part in parts])
        number = {query: i for i, query in enumerate(queries)}
        named_by = [np.array([number[query] for query in part.queries], dtype=np.int64) for part in parts]
        query = np.concatenate(
            [np.repeat(numbers, part.lengths) for numbers, part in zip(named_by, parts, strict=True)]
        )
        [keys] = in_order_of_bytes(documents)
        order = np.argsort(~keys)
        narrow = query.astype(np.min_scalar_type(len(queries)))  # which is sorted by its digits
        order = order[np.argsort(narrow[order], kind="stable")]
        first = np.ones(len(order), dtype=np.bool_)  # of the lines of a document for a query
        first[1:] = (np.diff(query[order]) != 0) | (np.diff(keys[order]) != 0)
        row = np.empty(len(order), dtype=np.int64)
        row[order] = np.cumsum(first) - 1
        sizes = np.bincount(query[order[first]], minlength=len(queries))
        named = tuple(query for query, size in zip(queries, sizes.tolist(), strict=True) if size)
        start = np.concatenate(([0], np.cumsum(sizes[sizes > 0])))
        of_row = np.repeat(np.arange(len(named)), sizes[sizes > 0])
        ends = np.cumsum([len(part.documents) for part in parts]).tolist()
        lists = [_scores_and_ranks(of_row, row[last - len(part.documents) : last], part, has_scores=reader.scored)
                 for part, last, reader in zip(parts, ends, readers, strict=True)]  # fmt: skip
        scores, ranks = map(np.stack, zip(*lists, strict=True))
        return cls(named, start, documents.select(order[first]), scores, ranks)

    def by_parts(self) -> Iterator[Candidates]:
        """Those of some queries at a time."""
        for first, last in pieces(self.start, _AT_ONCE):
            start = self.start[first : last + 1]
            rows, documents = slice(start[0], start[-1]), self.documents.select(np.arange(start[0], start[-1]))
            yield Candidates(
                self.queries[first:last], start - start[0], documents, self.scores[:, rows], self.ranks[:, rows]
            )

    def columns(self, rows: IntArray, scores: FloatArray | None = None) -> Columns:
        """Some rows, query by query, as lines of a run, with a score for every row of all; queries without any go."""
        sizes = np.bincount(self.query[rows], minlength=len(self.queries))
        named = [query for query, size in zip(self.queries, sizes.tolist(), strict=True) if size]
        starts = np.concatenate(([0], np.cumsum(sizes[sizes > 0])))
        return Columns(named, starts, self.documents.select(rows).compact(), None if scores is None else scores[rows])

    @cached_property
    def query(self) -> IntArray:
        """Shape (P,); the number of each row's query."""
        return np.repeat(np.arange(len(self.queries)), self.start[1:] - self.start[:-1])

    @cached_property
    def named(self) -> BoolArray:
        """Shape (n, P); whether a run has retrieved the document."""
        return self.ranks > 0

    @cached_property
    def lengths(self) -> FloatArray:
        """Shape (n, P); how many documents the run has retrieved for the row's query."""
        return self.totals(np.ones_like(self.scores))

    @cached_property
    def sizes(self) -> IntArray:
        """Shape (P,); how many documents all runs together have retrieved for the row's query."""
        return (self.start[1:] - self.start[:-1])[self.query]

    def contents(self, run: int) -> bytes:
        """What a run holds, as bytes that are the same in whatever order runs and queries are given."""
        rows = [
            np.arange(self.start[i], self.start[i + 1])
            for i in sorted(range(len(self.queries)), key=self.queries.__getitem__)
        ]
        by_name = np.concatenate(rows) if rows else np.arange(0)
        return bytes(self.scores[run][by_name].tobytes() + self.ranks[run][by_name].tobytes())

    def tied(self, run: int) -> Iterator[str]:
        """The queries for which a run gives several documents one score."""
        rows = np.flatnonzero(self.named[run])
        in_order = np.full(len(self.query), np.nan)  # the scores, where their ranks put them
        in_order[self.start[self.query[rows]] + self.ranks[run, rows] - 1] = as_compared(self.scores[run, rows])
        are_tied = (in_order[1:] == in_order[:-1]) & (self.query[1:] == self.query[:-1])
        return map(self.queries.__getitem__, np.unique(self.query[1:][are_tied]).tolist())

    def correlations(self, run: int, other: int) -> FloatArray:
        """Spearman's correlation of two runs on the documents that both have, of each query with three or more."""
        both = self.named[run] & self.named[other]
        n = np.bincount(self.query[both], minlength=len(self.queries))[self.query]
        both &= n > _FEW
        query, ranks = self.query[both], (self.ranks[run][both], self.ranks[other][both])
        ranks_in_both = [
            in_order(query, np.ones_like(query, dtype=np.bool_), -values.astype(np.float64))[1] for values in ranks
        ]
        apart = [values - (n[both] + 1) / 2 for values in ranks_in_both]
        covariance, spread = (np.bincount(query, weights=apart[0] * values) for values in apart[::-1])
        correlated: FloatArray = covariance[spread > 0] / spread[spread > 0]
        return correlated

    def totals(self, values: FloatArray) -> FloatArray:
        """The sum over each row's query of what the run has retrieved; shape (n, P)."""
        return self._reduced(np.add, np.where(self.named, values, 0.0))

    def least(self, values: FloatArray) -> FloatArray:
        """The least value in each row's query of what the run has retrieved; shape (n, P)."""
        return self._reduced(np.minimum, np.where(self.named, values, np.inf))

    def greatest(self, values: FloatArray) -> FloatArray:
        """The greatest value in each row's query of what the run has retrieved; shape (n, P)."""
        return self._reduced(np.maximum, np.where(self.named, values, -np.inf))

    def _reduced(self, how: np.ufunc, values: FloatArray) -> FloatArray:
        if not self.queries:
            return values
        of_queries: FloatArray = how.reduceat(values, self.start[:-1], axis=1)
        return of_queries[:, self.query]


def _scores_and_ranks(
    query: IntArray, row: IntArray, part: Columns, *, has_scores: bool
) -> tuple[FloatArray, IntArray]:
    """The scores and ranks that a run gives to rows of these queries, from its lines, each of which names a row."""
    values = part.scores
    if values is None:  # of a query, what comes first is best
        values = np.repeat(part.starts[1:], part.lengths) - np.arange(len(row), dtype=np.float64)
    best = np.full(len(query), -np.inf)
    best[row] = values
    named = best > -np.inf
    if np.count_nonzero(named) < len(row):  # a document comes twice
        np.maximum.at(best, row, values)
    _, rank = in_order(query, named, as_compared(best))
    if not has_scores:
        best = np.bincount(query[named], minlength=query.max(initial=-1) + 1)[query] - rank + 1.0
    return np.where(named, best, 0.0), rank


def in_order(query: IntArray, kept: BoolArray, compared: FloatArray) -> tuple[IntArray, IntArray]:
    """The rows that are kept by query and score, highest first; and the rank of each row, from 1; 0 of what is not."""
    rows = np.flatnonzero(kept)
    of_rows = query[rows]
    order = rows[np.argsort(in_segments(of_rows, sort_keys(compared[rows])), kind="stable")]
    sizes, rank = np.bincount(of_rows), np.zeros(len(query), dtype=np.int64)
    rank[order] = np.arange(1, len(order) + 1) - (np.cumsum(sizes) - sizes)[of_rows]
    return order, rank


#: Sums of weights that are nearer than this, relatively, are equal: .1 + .2 is .3.
NEAR_WEIGHTS = 1e-9


def elected(candidates: Candidates, method: str, weights: FloatArray) -> Columns:
    """The documents in the sets, by the weight of the runs that have them, then by id, greatest first."""
    votes = weighted_sum(candidates.named.astype(np.float64), weights)
    total = math.fsum(weights.tolist())
    enough: BoolArray = votes > 0
    if method == "intersection":
        enough &= candidates.named.all(axis=0)
    elif method == "vote":
        enough &= votes > total / 2 * (1 + NEAR_WEIGHTS)
    order = np.lexsort((-np.round(votes / total, 9), candidates.query))
    return candidates.columns(order[enough[order]])


def ballots(answers: Sequence[Answers], queries: Collection[str]) -> FloatArray:
    """What runs answer, of shape (n, Q): 1 for Y, -1 for N, 0 for no answer."""
    sign = {True: 1.0, False: -1.0, None: 0.0}
    return np.array([[sign[run.labels.get(query)] for query in queries] for run in answers])


def decided(votes: FloatArray, weights: FloatArray, ties: str) -> tuple[BoolArray, BoolArray, BoolArray]:
    """For each query whether any run with a weight answers, whether it is a tie, and whether the answer is Y."""
    by_run = weights[:, None] * votes
    total, cast = by_run.sum(axis=0), np.abs(by_run).sum(axis=0)
    tied = np.abs(total) <= NEAR_WEIGHTS * cast
    first = by_run[np.argmax(by_run != 0, axis=0), np.arange(by_run.shape[1])] > 0
    return cast > 0, tied, np.where(tied, first if ties == "first" else ties == "Y", total > 0)


def counted_votes(
    answers: Sequence[Answers], weights: FloatArray, ties: str
) -> tuple[dict[str, bool], tuple[str, ...]]:
    """The label with the greater weight, for every query that any run with a weight answers; and which are ties."""
    queries = list(dict.fromkeys(query for run in answers for query in run.labels))
    of_queries = zip(queries, *map(np.ndarray.tolist, decided(ballots(answers, queries), weights, ties)), strict=True)
    answered = [(query, is_tied, label) for query, is_cast, is_tied, label in of_queries if is_cast]
    return {query: label for query, _, label in answered}, tuple(query for query, is_tied, _ in answered if is_tied)


#: scores that are compared together: a part that stays in the cache
_COMPARED: Final = 1 << 16
#: scores further apart than this share of the greatest differ as float32 too, whose steps are half as wide
_MARGIN: Final = 2.0**-22
#: scores beyond this may be infinite as float32
_LARGE: Final = 1e37


class Ranked(NamedTuple):
    """Candidates in an order."""

    scores: FloatArray  # shape (P,); the fused scores, which trec_eval puts in the same order
    kept: BoolArray  # shape (P,); whether a run with a weight has retrieved the document
    order: IntArray  # shape (P,); the rows that are kept, query by query, the best first
    rank: IntArray  # shape (P,); the rank of each row in its query, from 1; 0 where it is not kept


class Blend:
    """Runs normalised once, to be combined with any weights."""

    def __init__(self, candidates: Candidates, method: str, norm: str, k: float) -> None:
        self.candidates = candidates
        self.method = METHODS[method]
        self.parts = parts_of(candidates, method, norm, k)

    def scores(self, weights: FloatArray, rows: slice | IntArray = slice(None)) -> tuple[FloatArray, BoolArray]:
        """The fused score of each candidate, or of some rows, and whether a run with a weight has retrieved it."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = weighted_sum(self.parts[:, rows], weights)
            if self.method.counted:
                scores *= self.candidates.named[weights > 0][:, rows].sum(axis=0, dtype=np.float64)
        kept = np.asarray(self.candidates.named[weights > 0][:, rows].any(axis=0))
        scores = np.where(kept, scores, 0.0) + 0.0  # which makes 0 of -0, as trec_eval compares them
        if not np.isfinite(scores).all():
            raise UsageError("bad-score", "a fused score is too large to represent; use smaller weights")
        return scores, kept

    def ranked(self, weights: FloatArray) -> Ranked:
        """The candidates as these weights rank them: by score, and equal ones by id, greatest first."""
        scores, kept = self.scores(weights)
        return Ranked(scores, kept, *in_order(self.candidates.query, kept, as_compared(scores)))

    def lengths(self, used: tuple[bool, ...]) -> IntArray:
        """How many candidates of each query are kept where these runs have a weight; shape (Q,)."""
        kept = self.candidates.named[list(used)].any(axis=0)
        return np.bincount(self.candidates.query[kept], minlength=len(self.candidates.queries))

    def tied_at(self, ranked: Ranked, top: int | None) -> Iterator[str]:
        """The queries whose fused list is cut between equal scores."""
        rows, kept = ranked.order, ranked.rank[ranked.order] <= (len(ranked.rank) if top is None else top)
        tied = tied_at_cut(self.candidates.query[rows], as_compared(ranked.scores[rows]), kept)
        return map(self.candidates.queries.__getitem__, tied.tolist())

    def columns(self, ranked: Ranked, top: int | None) -> Columns:
        """The first rows of each query that are kept, best first."""
        rows = ranked.order if top is None else ranked.order[ranked.rank[ranked.order] <= top]
        return self.candidates.columns(rows, ranked.scores)


class Rivals:
    """Some candidates, and those of the same query that weights may put above or below them.

    What all runs put above a candidate, or below it, is counted once for all weights. Scores of rivals are compared as
    matrix products, whose last bits are not those of the fused scores; where two are too near to tell, these are
    computed.
    """

    def __init__(self, blend: Blend, rows: IntArray) -> None:
        self._blend, self._rows, candidates = blend, rows, blend.candidates
        values, named, undecided = blend.parts, candidates.named, blend.method.counted
        self._greatest = np.abs(values).max(axis=1, initial=0.0)
        apart, rivals = 2 * _margin(self._greatest[:, None]), [np.zeros(0, dtype=np.int64)]
        self._above = np.zeros(len(rows), dtype=np.int64)  # how many are, whatever the weights
        for i, (row, query) in enumerate(zip(rows.tolist(), candidates.query[rows].tolist(), strict=True)):
            first, last = candidates.start[query : query + 2].tolist()
            ahead, lacks = values[:, first:last] - values[:, [row]], named[:, first:last] < named[:, [row]]
            is_above = (ahead > apart).all(axis=0) & ~lacks.any(axis=0) & (not undecided)
            is_rival = ~is_above & ((ahead >= -apart).any(axis=0) | undecided)
            self._above[i] = np.count_nonzero(is_above)
            rivals.append(np.flatnonzero(is_rival) + first)
        self._start, self._rivals = np.cumsum([*map(len, rivals)]), np.concatenate(rivals)

    def ranks(self, weightings: FloatArray) -> IntArray:
        """The ranks of the candidates by m weightings, each of sum 1; shape (m, rows); 0 of what is not kept."""
        above = np.repeat(self._above[None], len(weightings), axis=0)
        near = np.zeros_like(above)
        margin = _margin(weightings @ self._greatest * (len(self._greatest) if self._blend.method.counted else 1))
        for first, last in pieces(self._start, _COMPARED // max(len(weightings), 1)):
            start = self._start[first : last + 1]
            rivals, own = self._rivals[start[0] : start[-1]], np.repeat(self._rows[first:last], np.diff(start))
            ahead = self._ahead(weightings, rivals, own)
            if len(without := np.flatnonzero(~(weightings > 0).all(axis=1))):  # by which not all is kept
                ahead[without] = np.where(self._are_kept(weightings[without], rivals), ahead[without], -np.inf)
            for sums, are_counted in ((above, ahead > margin[:, None]), (near, ahead >= -margin[:, None])):
                sums[:, first:last] += np.add.reduceat(are_counted, start[:-1] - start[0], axis=1, dtype=np.int32)
        are_kept = self._are_kept(weightings, self._rows)
        for i, j in np.argwhere((near > above - self._above + 1) & are_kept).tolist():
            rivals = self._rivals[self._start[j] : self._start[j + 1]]
            scores, kept = self._blend.scores(weightings[i], rivals)
            compared = as_compared(scores)
            own = compared[rivals == self._rows[j]]
            is_above = (compared > own) | ((compared == own) & (rivals < self._rows[j]))
            above[i, j] = self._above[j] + np.count_nonzero(is_above & kept)
        return (above + 1) * are_kept

    def _ahead(self, weightings: FloatArray, rivals: IntArray, own: IntArray) -> FloatArray:
        """The scores of some rows less those of others, but for the last bits; shape (m, rows)."""
        values, named = self._blend.parts, self._blend.candidates.named
        if not self._blend.method.counted:
            return np.asarray(weightings @ (values[:, rivals] - values[:, own]))
        scores = [(weightings @ values[:, rows]) * ((weightings > 0) @ named[:, rows].astype(np.float64))
                  for rows in (rivals, own)]  # fmt: skip
        return np.asarray(scores[0] - scores[1])

    def _are_kept(self, weightings: FloatArray, rows: IntArray) -> BoolArray:
        """Whether a run with a weight has retrieved each of some rows; shape (m, rows)."""
        return np.asarray((weightings > 0) @ self._blend.candidates.named[:, rows].astype(np.float64) > 0)


def _margin(greatest: FloatArray) -> FloatArray:
    """How far apart scores up to some sizes must be to differ as float32, whatever their last bits; ∞ for never."""
    return np.where(greatest < _LARGE, np.maximum(_MARGIN * greatest, 1 / _LARGE), np.inf)
