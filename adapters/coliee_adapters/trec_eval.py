"""Ranking measures by trec_eval itself, asked in rank space.

A ranking measure asks where the judged documents stand. So trec_eval, through pytrec_eval, is handed for each query
the judged documents at their ranks, and nameless fillers at the others: the same ranking, without its ids and scores.
Queries that look alike (the same ranks, the same relevance, the same depth) are asked once. The values are
trec_eval's own, to the last bit, because trec_eval computed them.

How much must be shown depends on the measure. Those of ``_DEPTH_FREE`` read the relevance at each rank and the
counts of the qrels, and nothing else: behind the deepest judged document there is nothing for them to see, and the
fillers end there. Those of ``OF_COUNTS`` do not see the order: the judged documents that were retrieved may be first,
sorted by relevance. All others are given every retrieved document at its rank.
"""

from __future__ import annotations

import functools
import os
import re
from _thread import allocate_lock  # threading takes a while to load
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, repeat
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pytrec_eval

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray, pieces

FloatArray = npt.NDArray[np.float64]

#: trec_eval's text measures, which pytrec_eval cannot return
_TEXT: Final = frozenset({"runid", "relstring"})

#: Measures that do not change when unjudged documents behind the deepest judged one are left out.
_DEPTH_FREE: Final = frozenset(
    {"G", "P", "Rprec", "Rprec_mult", "binG", "bpref", "gm_bpref", "gm_map", "infAP", "map", "map_cut", "ndcg"}
    | {"ndcg_cut", "ndcg_rel", "num_nonrel_judged_ret", "num_q", "num_rel", "num_rel_ret", "recall", "recip_rank"}
    | {"relative_P", "set_recall", "success"}
)

#: Measures of the retrieved set: how many documents were retrieved, and how many of them with which relevance.
OF_COUNTS: Final = frozenset(
    {"num_q", "num_rel", "num_rel_ret", "num_ret", "set_F", "set_P", "set_map", "set_recall", "set_relative_P"}
    | {"utility"}
)

#: How many judgements trec_eval is handed at a time; each takes 50 bytes there, and as many here.
_AT_ONCE: Final = 1 << 17

#: What of a query can be shown, the cheapest first, and which measures ask for no more; None: all do.
_COUNTS, _RANKS, _WHOLE = "counts", "ranks", "whole"
_VIEWS: Final[Mapping[str, frozenset[str] | None]] = {_COUNTS: OF_COUNTS, _RANKS: _DEPTH_FREE, _WHOLE: None}

#: Measures that count or weigh unjudged documents, be it only one.
_COUNT_UNJUDGED: Final = frozenset({"num_ret", "utility"})

#: Measures that tell documents that are judged not relevant from unjudged ones; and nDCG may be asked to give them a
#: gain. To all others they are not shown, which of a pooled gold are most.
_SEE_NOT_RELEVANT: Final = frozenset({"bpref", "gm_bpref", "infAP", "num_nonrel_judged_ret"})

#: What takes its parameters together, as one value; trec_eval cannot be asked for two of these, or of set_F, at once.
_JOINT: Final = frozenset({"11pt_avg", "utility", "ndcg"})
_SINGLE: Final = _JOINT | {"set_F"}
#: The measures that take cutoffs.
_CUTOFFS: Final = frozenset({"P", "recall", "relative_P", "map_cut", "ndcg_cut", "success"})
_NUMBER: Final = r"(?:[0-9]{1,6}(?:\.[0-9]{1,6})?|\.[0-9]{1,6})"
_GAIN: Final = r"[0-9]{1,4}=[0-9]{1,4}(?:\.[0-9]{1,4})?"
#: Parameters: measures → what one looks like, how it is handed on, and how that is said. A wrong one would abort the
#: process, and a longer one does not fit into trec_eval's names.
_PARAMETERS: Final[tuple[tuple[frozenset[str], str, Callable[[str], str], str], ...]] = (
    (_CUTOFFS, "0*[1-9][0-9]{0,8}", lambda text: str(int(text)), "cutoffs, whole numbers from 1, e.g. {}_10"),
    (
        frozenset({"iprec_at_recall", "Rprec_mult"}),
        r"(?=.)[0-9]{0,4}(?:\.[0-9]{1,2})?",
        lambda text: f"{float(text):.2f}",
        "a number of at most two decimals, as trec_eval prints it, e.g. {}.0.50",
    ),
    (frozenset({"set_F"}), _NUMBER, str, "a number, e.g. {}.0.5"),
    (
        frozenset({"11pt_avg"}),
        f"{_NUMBER}(?:,{_NUMBER})*",
        lambda text: ",".join(sorted(set(text.split(",")), key=float)),
        "levels of recall, e.g. {}.0.25,0.5,0.75",
    ),
    (
        frozenset({"utility"}),
        rf"(?:-?{_NUMBER},){{3}}0",
        str,
        "four weights, the last of them 0 because the size of the collection is not known, e.g. {}.2,-1,0,0",
    ),
    (frozenset({"ndcg"}), f"{_GAIN}(?:,{_GAIN})*", str, "gains of up to four decimals, e.g. {}.1=3,2=4.5"),
)

#: What else than qrels some measures need, and which these are.
_NEEDS: Final = (
    ("preferences between documents (trec_eval -R prefs)", "(?:all_)?prefs|prefs_[a-zA-Z_]+"),
    ("the judgements of several assessors (trec_eval -R qrels_jg)", r"qrels_jg|(?:map|P|Rprec_mult)_avgjg\b.*"),
)

_NAME: Final = r"(?P<base>[A-Za-z0-9]+(?:_[A-Za-z]+)*?)(?:[._](?P<parameters>[0-9.,=-]+))?"

#: The version of trec_eval inside each pytrec_eval-terrier, which does not say it itself.
_EMBEDDED: Final = {"0.5.11": "9.0.8"}


def version() -> str:
    """The version of the trec_eval that computes, e.g. ``9.0.8``."""
    carrier = str(pytrec_eval.__version__)
    return _EMBEDDED.get(carrier, f"inside pytrec_eval-terrier {carrier}")


def is_computed(base: str) -> bool:
    """Whether there is such a measure of trec_eval."""
    return base in pytrec_eval.supported_measures


class Request(NamedTuple):
    """One value to ask trec_eval for."""

    base: str  # trec_eval's measure, e.g. ``P``
    parameter: str = ""  # its parameter as text, e.g. ``5``; empty for none
    rel: int = 1  # the least relevance that counts as relevant (trec_eval's ``-l``)
    judged_only: bool = False  # leave out unjudged documents before ranking (trec_eval's ``-J``)
    gains: tuple[tuple[int, int], ...] = ()  # relevance → gain, to be used in the place of relevance; pairs
    top: int = 0  # look at the first so many documents only (trec_eval's ``-M``); 0 for all

    @property
    def name(self) -> str:
        """The name under which trec_eval prints the value."""
        return f"{self.base}_{self.parameter}" if self.parameter else self.base

    @property
    def pytrec_eval_key(self) -> str:
        """The name under which pytrec_eval returns the value."""
        return self.base if self.base in _SINGLE else self.name


def parse(name: str) -> list[Request]:
    """The values that one of trec_eval's names stands for: ``map``, ``P_5``, ``P.5,10``, ``P``, ``official``."""
    if needed := next((needed for needed, pattern in _NEEDS if re.fullmatch(pattern, name)), ""):
        raise UsageError("unfit-measure", f"{name} needs {needed}, which golds and qrels do not contain")
    if name in pytrec_eval.supported_nicknames:
        known = pytrec_eval.supported_nicknames[name] - _TEXT
        return [request for base in sorted(known, key=_order().__getitem__) for request in parse(base)]
    match = re.fullmatch(_NAME, name)
    base = name if name in pytrec_eval.supported_measures else match["base"] if match else ""
    if base not in pytrec_eval.supported_measures:
        return []
    if base in _TEXT:
        raise UsageError(
            "unfit-measure", f"{base} is text that trec_eval prints, not a number; it cannot be used as a score"
        )
    parameters = match["parameters"] if match and base != name else None
    if parameters is None:
        return [Request(base, parameter) for parameter in _defaults().get(base) or ("",)]
    given = [parameters] if base in _JOINT else parameters.split(",")
    return [Request(base, parameter) for parameter in dict.fromkeys(_parameter(name, base, text) for text in given)]


def _parameter(name: str, base: str, text: str) -> str:
    """A parameter as trec_eval prints it."""
    for bases, pattern, printed, meaning in _PARAMETERS:
        if base in bases:
            if re.fullmatch(pattern, text):
                return printed(text)
            raise UsageError("bad-measure", f"{name}: {base} takes {meaning.format(base)}")
    raise UsageError("bad-measure", f"{name}: {base} takes no parameter")


@functools.cache
def _order() -> dict[str, int]:
    """trec_eval's own order of its measures, in which pytrec_eval returns them."""
    return {base: place for place, base in enumerate(dict.fromkeys(map(_base_of, _values_of_anything())))}


@functools.cache
def _defaults() -> dict[str, tuple[str, ...]]:
    """The default parameters of the measures that return a value for each."""
    keys = groupby(_values_of_anything(), _base_of)
    return {base: tuple(key.removeprefix(f"{base}_") for key in of_base if key != base) for base, of_base in keys}


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
    start: IntArray,
    relevance: IntArray,
    rank: IntArray,
    retrieved: IntArray,
) -> dict[Request, FloatArray]:
    """trec_eval's value of each measure for each query."""
    of_pieces: list[dict[Request, FloatArray]] = [dict.fromkeys(requests, np.zeros(0))]
    for first, last in [(0, len(start) - 1)] if 0 < start[-1] <= _AT_ONCE else pieces(start, _AT_ONCE):
        rows, depth = slice(start[first], start[last]), retrieved[first:last]
        of_some = start[first : last + 1] - start[first]
        of_pieces.append({})
        for group in _groups(tuple(requests)):
            of_pieces[-1].update(_ask(group, *_distinct_views(group, of_some, relevance[rows], rank[rows], depth)))
    if len(of_pieces) == 2:
        return of_pieces[1]
    return {request: np.concatenate([of_piece[request] for of_piece in of_pieces]) for request in requests}


#: How many answers are kept for later calls, and of how many judged documents at most: in many small runs, as in one
#: after another of a loop, most queries look like earlier ones.
_KEPT: Final = 1 << 12
_FEW: Final = 32

#: what a query looks like: how many documents it has, and which of them are judged how
_Look = tuple[int, bytes]


class _Group:
    """Requests that trec_eval is asked for in one call.

    Attributes:
        requests: they differ in their measures only, and each of ``_SINGLE`` is there with one parameter.
        view: what of a query is shown, see ``_VIEWS``.
        columns: key of pytrec_eval → its place in an answer; empty before trec_eval was asked.
        answers: what a query looks like → what trec_eval said of it; the latest of queries with few judged documents.
    """

    def __init__(self, request: Request, view: str) -> None:
        self.requests, self.view = [request], view
        self.columns: dict[str, int] = {}
        self.answers: dict[_Look, tuple[float, ...]] = {}

    @functools.cached_property
    def most(self) -> int:
        """The greatest cutoff, where none of its measures reads a rank behind its own; else 0."""
        are_cut = not self.requests[0].judged_only and all(request.base in _CUTOFFS for request in self.requests)
        return max(int(request.parameter) for request in self.requests) if are_cut else 0

    @functools.cached_property
    def sees_not_relevant(self) -> bool:
        """Whether documents that are judged not relevant are shown."""
        return any(
            request.base in _SEE_NOT_RELEVANT or (request.base == "ndcg" and request.parameter)
            for request in self.requests
        )

    @functools.cached_property
    def measures(self) -> set[str]:
        """What pytrec_eval is asked for: each measure once, with all its parameters."""
        families: dict[str, list[str]] = {}
        for request in self.requests:
            families.setdefault(request.base, []).append(request.parameter)
        return {f"{base}.{','.join(sorted(given))}" if any(given) else base for base, given in families.items()}

    def accepts(self, request: Request) -> bool:
        """Whether a request for which this view does may be asked for together with these."""
        like = self.requests[0]
        rules_alike = request == like._replace(base=request.base, parameter=request.parameter)
        of_base = [own for own in self.requests if own.base == request.base]
        return rules_alike and (request.base not in _SINGLE or all(own == request for own in of_base))


@functools.lru_cache(maxsize=32)  # each may hold some megabytes of answers
def _groups(requests: tuple[Request, ...]) -> tuple[_Group, ...]:
    """The requests in as few calls as their rules allow: what is shown for some serves others at no further cost."""
    views = {
        request: [view for view, bases in _VIEWS.items() if bases is None or request.base in bases]
        for request in requests
    }
    groups: list[_Group] = []
    for request in sorted(views, key=lambda request: len(views[request])):
        takes = [group for group in groups if group.view in views[request] and group.accepts(request)]
        if takes:
            min(takes, key=lambda group: views[request].index(group.view)).requests.append(request)
        else:
            groups.append(_Group(request, views[request][0]))
    return tuple(groups)


def _distinct_views(
    group: _Group, start: IntArray, relevance: IntArray, rank: IntArray, retrieved: IntArray
) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Everything about the queries that a group's measures can see, equal where they look alike.

    That is where the rows of each begin, then their ranks and levels, and the depth of each query.
    """
    like = group.requests[0]
    sizes = start[1:] - start[:-1]
    query = np.repeat(np.arange(len(sizes)), sizes)
    if like.gains:
        gains = dict(like.gains)
        relevance = np.array([gains.get(level, level) for level in relevance.tolist()], dtype=np.int64)
    # every negative relevance means "in the pool, not judged"; only -1 is safe for trec_eval's arithmetic
    level = np.maximum(relevance, -1)
    depth = retrieved
    if group.most:
        # None of them reads a rank behind its cutoff, and R and the ideal ranking come from the qrels, in which the
        # documents behind it stay: shown as missing, they change no bit. nDCG@10 of 300 rankings of 1,000 documents
        # that hold relevant ones anywhere takes 19 ms instead of 64.
        rank = np.where(rank <= group.most, rank, 0)
        depth = np.minimum(depth, group.most)
    if like.top:
        rank = np.where(rank <= like.top, rank, 0)
        depth = np.minimum(depth, like.top)
    if like.judged_only:
        rank = np.where(level >= 0, rank, 0)
        depth = np.bincount(query, weights=rank > 0, minlength=len(sizes)).astype(np.int64)
    elif not group.sees_not_relevant:
        kept = level > 0
        query, rank, level = query[kept], rank[kept], level[kept]
        sizes = np.bincount(query, minlength=len(sizes))
        start = np.zeros_like(start)
        sizes.cumsum(out=start[1:])
    if group.view == _COUNTS:
        rank = np.minimum(rank, 1)
    # one number for query, rank and level sorts by the three; what is missing stands behind what is not
    levels = int(level.max(initial=0)) + 2
    ranks = int(rank.max(initial=0)) + 2
    before = query * (ranks * levels)
    packed = np.where(rank > 0, rank, ranks - 1) * levels
    packed += before + level + 1
    packed.sort()
    packed -= before
    rank, level = np.divmod(packed, levels)
    level -= 1
    rank[rank == ranks - 1] = 0
    if like.judged_only or group.view == _COUNTS:  # move up
        rank = np.where(rank > 0, np.arange(len(rank)) - start[query] + 1, 0)
    elif group.view == _RANKS:
        depth = np.zeros(len(sizes), dtype=np.int64)
        np.maximum.at(depth, query, rank)
    return start, rank, level, depth


def _ask(group: _Group, start: IntArray, rank: IntArray, level: IntArray, depth: IntArray) -> dict[Request, FloatArray]:
    """The values for each query; trec_eval is asked once for those that look alike."""
    marks = (rank << 32) + level + 1
    bounds, packed = (marks.itemsize * start).tolist(), marks.tobytes()
    looks = list(zip(depth.tolist(), map(packed.__getitem__, map(slice, bounds, bounds[1:])), strict=True))
    # other threads ask the same group: what is taken from it here stays, whatever they add or drop
    of_looks = list(map(group.answers.get, looks, repeat(())))
    if () in of_looks:
        new = {look: place for place, (look, answer) in enumerate(zip(looks, of_looks, strict=True)) if not answer}
        answered = dict(zip(new, _answers(group, np.array([*new.values()]), start, rank, level, depth), strict=True))
        of_looks = [answer or answered[look] for look, answer in zip(looks, of_looks, strict=True)]
        if len(answered) + len(group.answers) > _KEPT:
            group.answers = {}
        if len(answered) <= _KEPT:
            group.answers.update((look, answer) for look, answer in answered.items() if len(look[1]) <= 8 * _FEW)
    cells = chain.from_iterable(of_looks)
    table = np.fromiter(cells, np.float64, len(looks) * len(group.columns)).reshape(len(looks), -1).T
    result = {}
    for request in group.requests:
        result[request] = table[group.columns[request.pytrec_eval_key]]
        if request.base in _COUNT_UNJUDGED:
            result[request] = np.where(depth == 0, 0.0, result[request])
    return result


def _answers(
    group: _Group, queries: IntArray, start: IntArray, rank: IntArray, level: IntArray, depth: IntArray
) -> Iterator[tuple[float, ...]]:
    """What trec_eval says of some of the queries.

    All queries of one depth share one ranking, in which documents are called by their ranks; the qrels say which of
    them are judged, and hold the missing ones under names behind the last rank.
    """
    n, sizes = len(queries), start[queries + 1] - start[queries]
    query = np.repeat(np.arange(n), sizes)
    row = np.arange(len(query)) - np.repeat(np.cumsum(sizes) - sizes - start[queries], sizes)
    rank, level, depth = rank[row], level[row], depth[queries]
    deepest = max(int(depth.max(initial=0)), 1)
    named = np.where(rank > 0, rank, deepest + 1 + row - start[queries][query])
    # names ascend with ranks, so that what trec_eval sorts is sorted already
    greatest = max(deepest, int(named.max(initial=0)), n) + 1
    names = list(map(str, range(least := 10 ** len(str(greatest)), least + greatest)))
    pairs = zip(map(names.__getitem__, named.tolist()), level.tolist(), strict=True)
    qrels = {name: dict(islice(pairs, size)) for name, size in zip(names, sizes.tolist(), strict=False)}
    usable = np.bincount(query[level >= 0], minlength=n) > 0
    for unusable in np.flatnonzero(~usable).tolist():
        # trec_eval needs a judged document, and reads beyond its arrays where none is judged at least 0
        qrels[names[unusable]]["j"] = 0
    # An empty ranking makes trec_eval read memory that is not its own. One unjudged document does not change any
    # measure of such a query, except those that count it, and these are 0.
    depths = np.maximum(depth, 1).tolist()
    # scores from an order are exact in float32 up to 2^24
    longest = dict(zip(names[1 : deepest + 1], map(float, range(deepest, 0, -1)), strict=True))
    rankings: dict[int, dict[str, float]] = {}
    for length in sorted(set(depths), reverse=True):
        while len(longest) > length:
            longest.popitem()
        rankings[length] = dict(longest)
    run = dict(zip(qrels, map(rankings.__getitem__, depths), strict=True))
    # bpref reads a count for each level below the least that is relevant, and there are none above the highest level
    highest = int(level.max(initial=0))
    with _Alone.lock:
        evaluator = _Evaluator(qrels, group.measures, relevance_level=min(group.requests[0].rel, highest + 1))
        answers = evaluator.evaluate(run)
    group.columns.update((key, i) for i, key in enumerate(next(iter(answers.values()))))
    return (tuple(answer.values()) for answer in answers.values())


class _Alone:
    """trec_eval keeps what it works on in places of its own: of several threads one may be in it at a time."""

    lock = allocate_lock()

    @classmethod
    def renew(cls) -> None:
        """In a child, nobody holds what another thread of its parent held."""
        cls.lock = allocate_lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_Alone.renew)


class _Evaluator(pytrec_eval.RelevanceEvaluator):
    """Takes its measures as trec_eval does, each once with all its parameters.

    To find out what belongs together, pytrec_eval tries a pattern for each measure that there is, which takes longer
    than to compute them for a small run.
    """

    def _combine_measures(self, measures: Iterable[str]) -> set[str]:
        return set(measures)


def means(requests: Sequence[Request], per_query: FloatArray) -> list[float]:
    """The values over all queries, as trec_eval's ``-c`` forms them: over all judged queries, added one after another.

    Counts (``num_…``) are sums and the geometric means (``gm_…``) exponentials of the mean of logarithms.
    """
    counted = ~np.isnan(per_query)
    # one after another, where np.sum would add in pairs
    sums = np.where(counted, per_query, 0.0).cumsum(axis=1)[:, -1:].sum(axis=1)
    numbers = zip(requests, sums.tolist(), counted.sum(axis=1).tolist(), strict=True)
    return [_mean(request, total, n) for request, total, n in numbers]


def _mean(request: Request, total: float, n: int) -> float:
    if request.base == "num_q":
        return float(n)
    if not n:
        return float("nan")
    if request.base.startswith("num_"):
        return total
    return float(np.exp(total / n)) if request.base.startswith("gm_") else total / n


def each_name() -> Iterator[str]:
    """The names of all measures that can be asked for, in trec_eval's order, without parameters."""
    return (base for base in _order() if base not in _TEXT)
