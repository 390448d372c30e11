"""Ranking measures by trec_eval itself, asked in rank space.

A ranking measure asks where the judged documents stand. So trec_eval, through pytrec_eval, is handed for each query
the judged documents at their ranks, and nameless fillers at the others: the same ranking, without its ids and scores.
Queries that look alike (the same ranks, the same relevance, the same depth) are asked once. The values are
trec_eval's own, to the last bit, because trec_eval computed them.

How deep the fillers must go depends on the measure. Those of ``_DEPTH_FREE`` read the relevance at each rank and the
counts of the qrels, and nothing else: behind the deepest judged document there is nothing for them to see, and the
fillers end there. All others are given every retrieved document.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytrec_eval

from coliee_adapters.errors import UsageError

#: trec_eval's text measures, which pytrec_eval cannot return
_TEXT: Final = frozenset({"runid", "relstring"})

#: Measures that do not change when unjudged documents behind the deepest judged one are left out.
_DEPTH_FREE: Final = frozenset(
    {"G", "P", "Rprec", "Rprec_mult", "binG", "bpref", "gm_bpref", "gm_map", "infAP", "map", "map_cut", "ndcg"}
    | {"ndcg_cut", "ndcg_rel", "num_nonrel_judged_ret", "num_q", "num_rel", "num_rel_ret", "recall", "recip_rank"}
    | {"relative_P", "set_recall", "success"}
)

#: Measures that count or weigh unjudged documents, be it only one.
_COUNT_UNJUDGED: Final = frozenset({"num_ret", "utility"})

#: Parameters: the measures that take cut-offs (whole numbers from 1), and those that take fractions.
_CUTOFFS: Final = frozenset({"P", "recall", "relative_P", "map_cut", "ndcg_cut", "success"})
_FRACTIONS: Final = frozenset({"iprec_at_recall", "Rprec_mult"})
#: One value only; trec_eval cannot be asked for two of them at once.
_SINGLE: Final = frozenset({"set_F", "11pt_avg"})
#: Of these, the measure whose value is computed from all its parameters.
_JOINT: Final = frozenset({"11pt_avg"})

_NAME: Final = re.compile(r"(?P<base>[A-Za-z0-9]+(?:_[A-Za-z]+)*?)(?:[._](?P<parameters>[0-9.]+(?:,[0-9.]+)*))?")

#: The version of trec_eval inside each pytrec_eval-terrier, which does not say it itself.
_EMBEDDED: Final = {"0.5.11": "9.0.8"}


def version() -> str:
    """The version of the trec_eval that computes, e.g. ``9.0.8``."""
    carrier = str(pytrec_eval.__version__)
    return _EMBEDDED.get(carrier, f"inside pytrec_eval-terrier {carrier}")


@functools.cache
def compares_as_float32() -> bool:
    """Whether scores that differ only beyond float32's precision tie; asked of trec_eval itself, once."""
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {"recip_rank"})
    return bool(evaluator.evaluate({"q": {"a": 16777217.0, "b": 16777216.0}})["q"]["recip_rank"] == 0.5)


@dataclass(frozen=True)
class Request:
    """One value to ask trec_eval for.

    Attributes:
        base: trec_eval's measure, e.g. ``P``.
        parameter: its parameter as text, e.g. ``5``; empty for none.
        rel: the least relevance that counts as relevant (trec_eval's ``-l``).
        judged_only: leave out unjudged documents before ranking (trec_eval's ``-J``).
        gains: relevance → gain, to be used in the place of relevance; pairs.
        top: look at the first so many documents only (trec_eval's ``-M``); 0 for all.
    """

    base: str
    parameter: str = ""
    rel: int = 1
    judged_only: bool = False
    gains: tuple[tuple[int, int], ...] = ()
    top: int = 0

    @property
    def name(self) -> str:
        """The name under which trec_eval prints the value."""
        return f"{self.base}_{self.parameter}" if self.parameter else self.base

    @property
    def key(self) -> str:
        """The name under which pytrec_eval returns the value."""
        return self.base if self.base in _SINGLE else self.name

    @property
    def asked(self) -> str:
        """The name by which pytrec_eval is asked for the value."""
        return f"{self.base}.{self.parameter}" if self.parameter else self.base


def parse(name: str) -> list[Request]:
    """The values that one of trec_eval's names stands for: ``map``, ``P_5``, ``P.5,10``, ``P``, ``official``.

    Returns:
        The values in trec_eval's order; none if the name is not trec_eval's.

    Raises:
        UsageError: a measure of trec_eval with a parameter that it does not take, a text measure, or one that
            pytrec_eval does not compute.
    """
    if name in pytrec_eval.supported_nicknames:
        known = pytrec_eval.supported_nicknames[name] - _TEXT
        if unknown := sorted(known - pytrec_eval.supported_measures):
            raise UsageError(f"{name} stands for measures that pytrec_eval does not compute: {', '.join(unknown)}")
        return [request for base in sorted(known, key=_order().__getitem__) for request in parse(base)]
    match = _NAME.fullmatch(name)
    base = name if name in pytrec_eval.supported_measures else match["base"] if match else ""
    if base not in pytrec_eval.supported_measures:
        return []
    if base in _TEXT:
        raise UsageError(f"{base} is text, not a number; trec_eval prints it, no score can be made of it")
    parameters = match["parameters"] if match and base != name else None
    if parameters is None:
        return [Request(base, parameter) for parameter in _defaults().get(base, ("",))]
    each = dict.fromkeys(_parameter(name, base, text) for text in parameters.split(","))
    if base in _JOINT:
        return [Request(base, ",".join(sorted(each, key=float)))]
    return [Request(base, parameter) for parameter in each]


def _parameter(name: str, base: str, text: str) -> str:
    """A parameter as trec_eval prints it, checked, because a wrong one would abort the process."""
    if base in _CUTOFFS:
        if re.fullmatch(r"[0-9]{1,9}", text) and int(text) > 0:
            return str(int(text))
        raise UsageError(f"{name}: {base} takes cut-offs, whole numbers from 1, e.g. {base}_10")
    if base in _FRACTIONS:
        if re.fullmatch(r"[0-9]{0,4}(\.[0-9]{1,2})?", text) and text:  # longer names do not fit into trec_eval's
            return f"{float(text):.2f}"
        raise UsageError(
            f"{name}: {base} takes a number of at most two decimals, as trec_eval prints it, e.g. {base}.0.50"
        )
    if base in _SINGLE:
        if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text):
            return text
        raise UsageError(f"{name}: {base} takes a number, e.g. {base}.0.5")
    raise UsageError(f"{name}: {base} takes no parameter")


@functools.cache
def _order() -> dict[str, int]:
    """trec_eval's own order of its measures, in which pytrec_eval returns them."""
    values = _values_of_anything()
    bases = dict.fromkeys(_base_of(key) for key in values)
    return {base: place for place, base in enumerate(bases)}


@functools.cache
def _defaults() -> dict[str, tuple[str, ...]]:
    """The default parameters of the measures that return a value for each."""
    defaults: dict[str, list[str]] = {}
    for key in _values_of_anything():
        base = _base_of(key)
        if key != base:
            defaults.setdefault(base, []).append(key.removeprefix(f"{base}_"))
    return {base: tuple(parameters) for base, parameters in defaults.items()}


@functools.cache
def _values_of_anything() -> dict[str, float]:
    evaluator = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, pytrec_eval.supported_measures)
    return dict(evaluator.evaluate({"q": {"b": 1.0}})["q"])


def _base_of(key: str) -> str:
    return next(b for b in (key, key.rpartition("_")[0]) if b in pytrec_eval.supported_measures)


def in_trec_eval_order(requests: Iterable[Request]) -> list[Request]:
    """The values in the order in which trec_eval prints them."""
    return sorted(requests, key=lambda request: _order()[request.base])


def values(
    requests: Sequence[Request],
    start: npt.NDArray[np.int64],
    relevance: npt.NDArray[np.int64],
    rank: npt.NDArray[np.int64],
    retrieved: npt.NDArray[np.int64],
) -> dict[Request, npt.NDArray[np.float64]]:
    """trec_eval's value of each measure for each query.

    Args:
        requests: what to compute.
        start: shape (queries + 1,); the judged documents of query i are rows ``start[i]:start[i + 1]``.
        relevance: shape (judged documents,).
        rank: shape (judged documents,); from 1, 0 for a document that was not retrieved.
        retrieved: shape (queries,); how many documents were retrieved.

    Returns:
        For each request an array of shape (queries,). A query of which nothing was retrieved has what trec_eval's
        ``-c`` lets it add: 0, its count in ``num_rel``, the least value in geometric means. A query without any
        judged document, which qrels cannot hold, has the values of one without any relevant document.
    """
    result: dict[Request, npt.NDArray[np.float64]] = {}
    groups: dict[tuple[object, ...], list[Request]] = {}
    # the measures that need the full depth first: what is asked for them serves the others at no further cost
    for request in sorted(dict.fromkeys(requests), key=lambda request: request.base in _DEPTH_FREE):
        single = request.parameter if request.base in _SINGLE else ""
        groups.setdefault((request.rel, request.judged_only, request.gains, request.top, single), []).append(request)
    cells = list(zip(start[:-1].tolist(), start[1:].tolist(), retrieved.tolist(), strict=True))
    relevances, ranks = relevance.tolist(), rank.tolist()
    for group in groups.values():
        distinct: dict[tuple[object, ...], int] = {}
        alike = np.empty(len(cells), dtype=np.int64)
        for query, (first, last, depth) in enumerate(cells):
            signature = _signature(group[0], relevances[first:last], ranks[first:last], depth)
            alike[query] = distinct.setdefault(signature, len(distinct))
        for request, answers in _ask(group, distinct).items():
            result[request] = np.array(answers, dtype=np.float64)[alike]
    return result


def _signature(like: Request, relevance: list[int], rank: list[int], depth: int) -> tuple[Any, ...]:
    """Everything about a query that the measures asked for can see: the depth, and the sorted (rank, relevance)."""
    if like.gains:
        gains = dict(like.gains)
        relevance = [gains.get(level, level) for level in relevance]
    # every negative relevance means "in the pool, not judged"; only -1 is safe for trec_eval's arithmetic
    pairs = sorted((at, max(level, -1)) for at, level in zip(rank, relevance, strict=True))
    if like.top:
        pairs = sorted((at if at <= like.top else 0, level) for at, level in pairs)
        depth = min(depth, like.top)
    if like.judged_only:
        seen = [level for at, level in pairs if at and level >= 0]
        unseen = [level for at, level in pairs if not (at and level >= 0)]
        pairs = [(0, level) for level in sorted(unseen)] + list(enumerate(seen, start=1))
        depth = len(seen)
    if like.base in _DEPTH_FREE:
        depth = pairs[-1][0] if pairs else 0
    return (depth, *pairs)


def _ask(group: Sequence[Request], signatures: Collection[tuple[Any, ...]]) -> dict[Request, list[float]]:
    """The values for distinct queries, in their order."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    empty = []
    deepest = max((depth for depth, *_ in signatures), default=0)
    fillers = [f"u{at}" for at in range(1, max(deepest, 1) + 1)]
    # scores from an order, n - i, are exact in float32 up to 2^24
    scores = [float(score) for score in range(len(fillers), 0, -1)]
    for number, (depth, *pairs) in enumerate(signatures):
        # An empty ranking makes trec_eval read memory that is not its own. One unjudged document does not change any
        # measure of such a query, except those that count it, and these are 0.
        empty.append(depth == 0)
        names = fillers[: max(depth, 1)]
        judged = {}
        for i, (at, level) in enumerate(pairs):
            judged[f"j{i}"] = level
            if at:
                names[at - 1] = f"j{i}"
        if not any(level >= 0 for _, level in pairs):
            # trec_eval needs a judged document, and reads beyond its arrays where none is judged at least 0
            judged["j"] = 0
        qrels[str(number)] = judged
        run[str(number)] = dict(zip(names, scores[-len(names) :], strict=True))
    measures = {request.asked for request in group}
    # bpref reads a count for each level below the least that is relevant, and there are none above the highest level
    highest = max((max(judged.values()) for judged in qrels.values()), default=0)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=min(group[0].rel, highest + 1))
    answers = list(evaluator.evaluate(run).values())
    result = {}
    for request in group:
        key = request.key
        result[request] = [answer[key] for answer in answers]
        if request.base in _COUNT_UNJUDGED:
            result[request] = [0.0 if nothing else value for nothing, value in zip(empty, result[request], strict=True)]
    return result


def mean(request: Request, per_query: npt.NDArray[np.float64]) -> float:
    """The value over all queries, as trec_eval's ``-c`` forms it: over all judged queries, added one after another.

    Counts (``num_…``) are sums and the geometric means (``gm_…``) exponentials of the mean of logarithms.

    Args:
        request: the measure.
        per_query: shape (queries,), in the order in which trec_eval adds: by query id.
    """
    n = len(per_query)
    if request.base == "num_q":
        return float(n)
    if not n:
        return float("nan")
    total = float(np.cumsum(per_query)[-1])  # one after another, where np.sum would add in pairs
    if request.base.startswith("num_"):
        return total
    return float(np.exp(total / n)) if request.base.startswith("gm_") else total / n


def each_name() -> Iterator[str]:
    """The names of all measures that can be asked for, in trec_eval's order, without parameters."""
    yield from (base for base in _order() if base not in _TEXT)
