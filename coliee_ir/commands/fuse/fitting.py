"""Weights fitted to labelled queries, and what to expect of them on others."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import chain, pairwise
from typing import Final, Literal, NamedTuple, Unpack

import numpy as np

from coliee_adapters.errors import InputError, UsageError, quoted, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.files.writing import open_text_replacing
from coliee_adapters.ids import IntArray
from coliee_adapters.records import Answers, GoldLike, Run, RunLike
from coliee_adapters.remarks import Remark, Remarks
from coliee_adapters.trec_eval import Request
from coliee_ir.commands.fuse import Fused, Fusion, file_of, read_all, tag_of
from coliee_ir.commands.fuse.methods import METHODS, Blend, Candidates, Reader, Rivals, ballots, decided
from coliee_ir.judging.judged import FloatArray, Judged, judge
from coliee_ir.judging.mismatch import diagnose
from coliee_ir.judging.order import check_order
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Terms, of_mean, quotient
from coliee_ir.measures.delegated import Delegated, of_rankings, summed
from coliee_ir.measures.sets import MacroF
from coliee_ir.output.envelope import dumped
from coliee_ir.output.grid import Cell, Grid, Number, difference_columns, number_or_dash, whole
from coliee_ir.output.rendering import OnGold
from coliee_ir.reading.anything import in_order, readable
from coliee_ir.reading.basis import Rules, measures_named, suggesting_rules
from coliee_ir.reading.gold_ids import years
from coliee_ir.reading.submission import Submission, unique_names
from coliee_ir.rules.choices import TIES
from coliee_ir.rules.decisions import Decisions
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.remarks import better_reversed, is_gold
from coliee_ir.scoring.score import score
from coliee_ir.scoring.scores import warn_of
from coliee_ir.stats.cutting import NEAR, at_cutoffs, is_cut
from coliee_ir.stats.folds import Split, averaged, difference, spread
from coliee_ir.stats.resampling import FOLDS, REPEATS, SEED, Difference, Resampling, Units

#: Where a cutoff is fitted, those up to here are tried.
DEEPEST = 500

#: so many weightings are tried at a time
_AT_ONCE: Final = 64

Weights = tuple[float, ...]


class QueryTerms(NamedTuple):
    """What each query adds under each of m weightings."""

    values: FloatArray  # shape (m, Q, cutoffs, T); at the cutoffs 1, 2, …, or at none
    score: Callable[[FloatArray], FloatArray]  # sums of shape (…, T) → scores of shape (…)


class Tried(ABC):
    """What weights are tried on: labelled queries, and runs that rank for them or answer them."""

    cuts: bool = False  # whether a cutoff is fitted with the weights

    @abstractmethod
    def contents(self, run: int) -> bytes:
        """What a run holds, as bytes that do not depend on the order in which runs are given."""

    @abstractmethod
    def terms(self, weightings: Sequence[Weights]) -> Iterable[QueryTerms]:
        """What each query adds under each of some weights, one at a time, so that no bit hangs on the others."""

    def estimates(self, weightings: Sequence[Weights]) -> Iterable[QueryTerms]:
        """The same but for the last bits, where that costs much less; else empty."""
        return []


class Worths(NamedTuple):
    """Scores of some weights without the queries of each fold of each repeat, and last with all queries."""

    scores: FloatArray  # shape (R · folds + 1,); at the best cutoff, where one is fitted; -inf where there is none
    tops: IntArray  # shape (R · folds + 1,); that cutoff
    each: FloatArray | None  # what each query adds; None for an estimate, and where it is much, at many cutoffs


class Trial:
    """Weights tried on labelled queries, each once: a score, at any cutoff, is a formula on the folds' sums."""

    def __init__(self, tried: Tried, fold: IntArray) -> None:
        self.tried = tried
        self.folds = int(fold.max()) + 1  # of each repeat
        self.fold = fold + self.folds * np.arange(len(fold))[:, None]
        every = np.arange(len(fold) * self.folds)
        self._in_fold = (self.fold[every // self.folds] == every[:, None]).astype(np.float64)
        self._worths: dict[Weights, Worths] = {}
        self._estimates: dict[Weights, Worths] = {}
        self.score: Callable[[FloatArray], FloatArray] = quotient

    def worths(self, weights: Weights) -> Worths:
        """The scores of weights."""
        self._try([[weights]], exactly=True)
        return self._worths[weights]

    def _try(self, lines: Iterable[Sequence[Weights]], *, exactly: bool) -> None:
        """Score or estimate what was not yet."""
        scored, terms_of = (self._worths, self.tried.terms) if exactly else (self._estimates, self.tried.estimates)
        new = [weights for weights in dict.fromkeys(chain.from_iterable(lines)) if weights not in scored]
        for first in range(0, len(new), _AT_ONCE):
            weightings = new[first : first + _AT_ONCE]
            worths = (self._scored(terms, keep=exactly and not self.tried.cuts) for terms in terms_of(weightings))
            scored.update(zip(weightings, chain.from_iterable(worths), strict=False))

    def _scored(self, terms: QueryTerms, *, keep: bool) -> Iterator[Worths]:
        each, self.score = terms
        sums = np.tensordot(self._in_fold, each, axes=(1, 1)).reshape(-1, self.folds, len(each), *each.shape[2:])
        folds = range(self.folds)
        outside_of = [[other for other in folds if other != fold] for fold in folds]
        outside = sums[:, outside_of].sum(axis=2).reshape(-1, *sums.shape[2:])
        totals = np.concatenate((outside, sums[:1].sum(axis=1)))
        scores = np.nan_to_num(self.score(totals), nan=-np.inf)
        # of cutoffs that are as good, the least
        best = np.argmax(scores >= scores.max(axis=2, keepdims=True) - NEAR, axis=2)
        greatest = np.take_along_axis(scores, best[..., None], axis=2)[..., 0]
        return (
            Worths(best_scores, tops, of_queries if keep else None)
            for best_scores, tops, of_queries in zip(greatest.T, best.T + 1, each, strict=True)
        )

    def search(self, orders: Sequence[Sequence[int]]) -> list[Weights]:
        """The weights that are found without each fold of each repeat, and with all queries, all searched side by side.

        What may be the best of a line is asked for exactly, in one call for all searches; estimates rule out the rest.
        """
        searches = [climbing(order) for order in orders]
        lines, best = dict(enumerate(map(next, searches))), dict[int, Weights]()
        while lines:
            self._try(lines.values(), exactly=False)
            promising = {fold: self._promising(line, fold) for fold, line in lines.items()}
            self._try(promising.values(), exactly=True)
            for fold, line in list(lines.items()):
                scores = {weights: float(self._worths[weights].scores[fold]) for weights in promising[fold]}
                try:
                    lines[fold] = searches[fold].send([scores.get(weights, -math.inf) for weights in line])
                except StopIteration as stopped:
                    best[fold] = stopped.value
                    del lines[fold]
        return [best[fold] for fold in range(len(orders))]

    def _promising(self, line: Sequence[Weights], fold: int) -> Sequence[Weights]:
        """Which weights may be the best of a line, as far as estimates tell."""
        if not self._estimates:
            return line
        scores = [self._estimates[weights].scores[fold] for weights in line]
        return [weights for weights, score in zip(line, scores, strict=True) if score >= max(scores) - _NEAR_ENOUGH]

    def held_out(self, of_folds: Sequence[Weights]) -> Terms:
        """What each query adds when it is fused by the weights, and cut where the queries outside of its fold say."""
        parts: dict[int, FloatArray] = {}
        for weights in dict.fromkeys(of_folds):
            worths = self.worths(weights)
            [each] = next(iter(self.tried.terms([weights]))).values if worths.each is None else [worths.each]
            for fold in (fold for fold, fitted in enumerate(of_folds) if fitted == weights):
                repeat = fold // self.folds
                among = self.fold[repeat] == fold
                held_out = parts.setdefault(repeat, np.zeros((len(each), each.shape[2])))
                held_out[among] = each[among, worths.tops[fold] - 1]
        return averaged([parts[repeat] for repeat in range(len(self.fold))], self.score, is_mean=False)


class Rankings(Tried):
    """Rankings by any weights, and a measure on the ranks of the judged documents."""

    def __init__(self, blend: Blend, qrels: Qrels, measure: Measure, decisions: Decisions) -> None:
        self.blend, self._qrels, self._measure, self._decisions = blend, qrels, measure, decisions
        self.cuts = is_cut(measure)
        if isinstance(measure, MacroF) and measure.of == "means" and measure.cutoff is None:
            raise UsageError("unfit-measure", f"{measure} needs a cutoff to fit weights, for example {measure}@5")
        candidates = blend.candidates
        self.deepest = min(int(candidates.sizes.max(initial=1)), DEEPEST)
        number = {query: i for i, query in enumerate(qrels.queries)}
        #: shape (candidates' queries,); the number of each in the gold; -1 where it is not judged
        self._number = np.array([number.get(query, -1) for query in candidates.queries], dtype=np.int64)
        self._row = np.full(len(qrels.relevance), -1, dtype=np.int64)
        for i, (first, last) in zip(self._number.tolist(), pairwise(candidates.start.tolist()), strict=True):
            if i >= 0:
                row_of = {document: row for row, document in enumerate(candidates.documents[first:last], start=first)}
                judged = slice(*qrels.start[i : i + 2].tolist())
                self._row[judged] = [row_of.get(document, -1) for document in qrels.texts[judged]]
        self._rivals, self._lengths = Rivals(blend, self._row[self._row >= 0]), cache(blend.lengths)

    def contents(self, run: int) -> bytes:
        """What a run retrieves."""
        return self.blend.candidates.contents(run)

    def terms(self, weightings: Sequence[Weights]) -> Iterator[QueryTerms]:
        """What each query adds, at the cutoffs 1, 2, …, or at none; trec_eval is asked once."""
        ranks, retrieved = self._ranked(weightings)
        if isinstance(self._measure, Delegated):
            request = self._measure.asked_of(self._qrels)
            [values] = of_rankings([request], self._qrels, ranks, retrieved, self._decisions)
            yield from (_uncut(summed(request, value) or of_mean(value)) for value in values[:, None])
            return
        nothing = np.zeros(len(self._qrels.queries), dtype=np.int64)
        for rank, depth in zip(ranks, retrieved, strict=True):
            judged = Judged(self._qrels, rank, depth, nothing, depth > 0, {}, Remarks())
            if self.cuts:
                cut = at_cutoffs(self._measure, judged, self.deepest, self._decisions)
                yield QueryTerms(cut.each[None], cut.score)
            else:
                terms = self._measure.compute({"documents": judged}, self._decisions).terms
                yield _uncut(terms._replace(each=terms.each[None]))

    def estimates(self, weightings: Sequence[Weights]) -> Sequence[QueryTerms]:
        """What each query adds to the mean of average precisions, of which trec_eval's cost grows with the depth."""
        measure = self._measure
        if not isinstance(measure, Delegated) or measure.request != Request("map", rel=measure.least_relevance):
            return []
        ranks, retrieved = self._ranked(weightings)
        precisions = average_precisions(self._qrels, measure.asked_of(self._qrels).rel, ranks)
        precisions[:, self._qrels.sizes == 0] = np.nan
        if self._decisions.unanswered == "skip":
            precisions[retrieved == 0] = np.nan
        return [_uncut(of_mean(precisions))]

    def _ranked(self, weightings: Sequence[Weights]) -> tuple[IntArray, IntArray]:
        """Where the judged documents stand, and how many documents each judged query has; shapes (m, D) and (m, Q)."""
        table, is_judged = np.array(weightings), self._number >= 0
        ranks = np.zeros((len(table), len(self._row)), dtype=np.int64)
        ranks[:, self._row >= 0] = self._rivals.ranks(table)
        retrieved = np.zeros((len(table), len(self._qrels.queries)), dtype=np.int64)
        retrieved[:, self._number[is_judged]] = [self._lengths(tuple(used))[is_judged] for used in (table > 0).tolist()]
        return ranks, retrieved


def _uncut(terms: Terms) -> QueryTerms:
    return QueryTerms(terms.each[:, :, None, :], terms.score)


def average_precisions(qrels: Qrels, level: int, ranks: IntArray) -> FloatArray:
    """The average precision of each query in n rankings, but for the last bits; shape (n, Q).

    It decides for which rankings trec_eval is asked; every score that is compared or shown is trec_eval's.

    Args:
        qrels: the gold.
        level: the least relevance that counts as relevant.
        ranks: shape (n, D); the rank of each judged document; 0 where it is missing.
    """
    rows = np.flatnonzero(qrels.graded >= level)
    query, missing = qrels.query_of(rows), int(ranks.max(initial=0)) + 1
    in_order = np.where(ranks[:, rows] > 0, ranks[:, rows], missing) + query * (missing + 1)
    in_order.sort(axis=1)
    in_order -= query * (missing + 1)
    relevant_above = np.arange(len(rows)) - np.searchsorted(query, query) + 1
    precision = np.where(in_order < missing, relevant_above / in_order, 0.0)
    sums = np.zeros((len(ranks), len(qrels.queries)))
    judged, first = np.unique(query, return_index=True)
    if len(judged):
        sums[:, judged] = np.add.reduceat(precision, first, axis=1) / qrels.relevant(level)[judged]
    return sums


class Ballots(Tried):
    """Votes by any weights on labelled queries, and their accuracy. A run without an answer to a query abstains."""

    def __init__(self, answers: Sequence[Answers], labels: Mapping[str, bool], ties: str) -> None:
        self._votes = ballots(answers, labels)
        self._labels, self._ties = np.array(list(labels.values()), dtype=np.bool_), ties

    def contents(self, run: int) -> bytes:
        """What a run answers."""
        return bytes(self._votes[run].tobytes())

    def terms(self, weightings: Sequence[Weights]) -> Sequence[QueryTerms]:
        """Whether each query is answered rightly, and 1."""
        counts = (decided(self._votes, np.array(weights), self._ties) for weights in weightings)
        return [
            _uncut(of_mean((is_cast & (label == self._labels)).astype(float)[None])) for is_cast, _, label in counts
        ]


#: Shares of the coarse grid, in twentieths; then steps of hundredths around the best.
_COARSE: Final = tuple(i / 20 for i in range(21))
_FINE: Final = tuple(i / 100 for i in range(-4, 5))
_SWEEPS: Final = 20

#: A score must be better by more than this to be better.
_BETTER: Final = 1e-12
#: an estimate that is further than this below another is that of a worse score
_NEAR_ENOUGH: Final = 1e-9

#: Weights are rounded to so many digits: those that are written are those that were tried.
_DIGITS: Final = 6


def equal(runs: int) -> Weights:
    """The same weight for each run."""
    return (round(1 / runs, _DIGITS),) * runs


def alone(runs: int, run: int) -> Weights:
    """All weight on one run."""
    return tuple(float(other == run) for other in range(runs))


def climbing(order: Sequence[int]) -> Generator[Sequence[Weights], Sequence[float], Weights]:
    """Search for the best weights, starting from equal ones, which they are never worse than.

    It gives the weights of a line, is sent their scores (-inf for what is not the best of them), and returns the best.

    A step gives one run a share t of the weight and the others the rest, in the proportions that they have. Of shares
    that are as good, the nearest to the present one is taken, so that the result is the same on every machine.
    """
    weights = equal(len(order))
    [best] = yield [weights]
    for fine in (False, True):
        for _ in range(_SWEEPS):
            before = best
            for run in order:
                line = _line(weights, run, _FINE if fine else None)
                for other, value in zip(line, (yield line), strict=True):
                    if value > best + _BETTER:
                        best, weights = value, other
            if best == before:
                break
    return weights


def _line(weights: Weights, run: int, steps: Sequence[float] | None) -> list[Weights]:
    """The weights, and those with other shares for a run: so many steps away, or of the coarse grid; nearest first."""
    now = weights[run]
    shares = _COARSE if steps is None else [min(max(now + step, 0.0), 1.0) for step in steps]
    line = {weights, *(_with_share(weights, run, share) for share in shares)}
    return sorted(line, key=lambda other: (abs(other[run] - now), other[run], other != weights))


def _with_share(weights: Weights, run: int, share: float) -> Weights:
    """The weights with a share for one run, and the rest for the others in their proportions."""
    rest = math.fsum(weight for other, weight in enumerate(weights) if other != run)
    shared = []
    for other, weight in enumerate(weights):
        part = weight / rest if rest else 1 / (len(weights) - 1)
        shared.append(round(share if other == run else (1 - share) * part, _DIGITS))
    return tuple(shared)


@suggesting_rules
def fit_fusion(
    gold: GoldLike,
    *runs: RunLike,
    method: str | None = None,
    norm: str | None = None,
    k: float | None = None,
    top: int | None = None,
    measure: str = "",
    folds: int = FOLDS,
    repeats: int = REPEATS,
    by_year: bool = False,
    ties: Literal["N", "Y", "first"] | None = None,
    seed: int = SEED,
    tag: str | None = None,
    **rules: Unpack[Rules],
) -> FittedFusion:
    """Fit weights to labelled queries, by coordinate search, and measure them on queries that they were not fitted to.

    Held-out scores are means over several ways to deal the queries to folds. Nothing depends on the order of the gold's
    queries or of the runs.

    P, R and F of sets, which have no value for a ranking that is not cut, are maximised over weights and cutoff
    together, unless the measure names a cutoff (``MicroF1@5``) or ``top`` gives one.

    Args:
        gold: what ``read_gold`` takes.
        runs: at least two rankings; each is what ``read_run`` takes.
        method: a method that ranks: see ``Fusion``; by default ``combsum``. Answers are fused by ``vote``.
        norm: see ``Fusion``.
        k: see ``Fusion``.
        top: the cutoff, where it is not to be fitted.
        measure: what to maximise; by default the first of the task's official measures that looks at documents only.
        folds: how many folds of queries the weights are held out from.
        repeats: how many times the queries are dealt anew to folds.
        by_year: whether each fold is a year: of statute questions as their ids say, else a gold's file.
        ties: for a vote on answers, what equal weights give: see ``Fusion``.
        seed: of the folds.
        tag: what the fused run is called; by default as the method.
        rules: see ``Rules``.

    Raises:
        InputError: a file cannot be read, or gold and run do not belong together.
        UsageError: a method, measure or parameter that does not exist or does not fit; too few queries for the folds.

    >>> gold = {"1": ["a"], "2": ["c"]}
    >>> good, bad = {"1": ["a", "b"], "2": ["c", "d"]}, {"1": ["b", "a"], "2": ["d", "c"]}
    >>> fitted = fit_fusion(gold, good, bad, task=2, folds=2)
    >>> fitted.fusion.weights, fitted.fusion.top, fitted.held_out
    ((0.55, 0.45), 1, 1.0)
    """
    seed = Resampling(seed=seed).seed  # checked
    columns = rules.get("columns")
    runs = tuple(readable(run, columns) for run in runs)
    evaluator = Evaluator(gold, runs=runs, **rules)
    votes = evaluator.protocol.parts == ("answers",)
    method = method or ("vote" if votes else "combsum")
    fusion = Fusion(method, norm, k, top=top, ties=ties)
    if votes and method != "vote":
        raise UsageError("unfit-option", f"answers can only be fused by vote, not by {method}")
    if not votes and not METHODS[method].ranks:
        raise UsageError(
            "unfit-option",
            f"weights can only be fitted for rankings, and {method} returns sets; use combsum, combmnz or rrf",
        )
    unreadable = evaluator.decisions.unreadable_answers
    records = read_all(runs, task=evaluator.read_as, columns=columns, unreadable_answers=unreadable)
    records = [in_order(record, evaluator.decisions.order) for record in records]
    groups = years(evaluator.gold) if by_year else None
    folds = len({groups[query] for query in evaluator.queries}) if groups is not None else folds
    everyone = np.ones(len(evaluator.queries), dtype=np.bool_)
    repeats = 1 if by_year else repeats  # years are folds however they are dealt
    split = Split.of(evaluator.queries, folds, seed, groups, repeats)
    fold = np.stack([split.folds(everyone, repeat) for repeat in range(repeats)])
    tried, measure, noticed, readers = _tried(evaluator, records, measure, fusion)
    named, files = tuple(map(tag_of, records)), tuple(map(file_of, records))
    counts = Counter(zip(named, files, strict=True))
    if twice := next((tag for (tag, _), n in counts.items() if tag and n > 1), ""):
        problem = f"two runs have the tag {quoted(twice)} and files of one name, so that their weights could not be"
        raise UsageError("ambiguous", f"{problem} told apart later: give one of them another tag, or another name")
    trial, tags = Trial(tried, fold), tuple(unique_names([("", record.tag, 0) for record in records]))
    by_contents = sorted(range(len(records)), key=tried.contents)

    each_alone = np.array([trial.worths(alone(len(records), run)).scores for run in by_contents]).round(12)
    orders = [[by_contents[i] for i in np.argsort(-scores, kind="stable").tolist()] for scores in each_alone.T]
    *of_folds, fitted = trial.search(orders)
    of_each = [("fitted", fitted), ("equal weights", equal(len(tags)))]
    of_each += [(tag_alone, alone(len(tags), run)) for run, tag_alone in enumerate(tags)]
    unsorted = [trial.held_out(of_folds), *(trial.held_out([weights] * len(of_folds)) for _, weights in of_each[1:])]
    terms = [*map(Units.of(evaluator.queries).terms, unsorted)]  # or intervals would hang on the order of the gold
    contenders = [_contender(trial, *each, held_out, terms[0]) for each, held_out in zip(of_each, terms, strict=True)]
    whole = replace(fusion, weights=fitted, top=top or contenders[0].top, order=evaluator.decisions.order)
    read = (readers, tried.blend.candidates.by_parts()) if isinstance(tried, Rankings) else None
    fused = whole.of_records(records, tag, read)
    return FittedFusion(
        fusion=replace(whole, runs=named if any(named) else (), files=files if len({*named}) < len(named) else ()),
        task=evaluator.task,
        edition=evaluator.edition,
        gold=evaluator.gold.path,
        measure=measure,
        decisions=evaluator.decisions,
        excluded=tuple(sorted(evaluator.excluded)),
        queries=len(evaluator.queries),
        folds=folds,
        repeats=repeats,
        seed=seed,
        contenders=tuple(contenders),
        fold_weights=tuple(of_folds),
        inputs=tuple(records),
        fused=fused._replace(remarks=(*noticed, *fused.remarks)),
    )


def _tried(
    evaluator: Evaluator, records: Sequence[Run | Answers], measure: str, fusion: Fusion
) -> tuple[Tried, str, list[Remark], Sequence[Reader]]:
    """What weights are tried on; the measure, what is odd about the runs, who reads them."""
    if evaluator.protocol.parts == ("answers",):
        if measure not in ("", "Accuracy"):
            raise UsageError("unfit-measure", f"votes on answers are fitted to Accuracy, not to {measure}")
        answers = _answers(records, evaluator)
        labels = {query: (evaluator.gold.labels or {})[query] for query in evaluator.queries}
        return Ballots(answers, labels, fusion.ties or TIES[0]), "Accuracy", [], []
    chosen = _measure(evaluator, measure, fusion.top)
    readers, noticed = _readers(records, evaluator)
    tried = Rankings(fusion.blend(Candidates.of(readers)), evaluator.qrels["documents"], chosen, evaluator.decisions)
    return tried, measure or chosen.name, noticed, readers


def _measure(evaluator: Evaluator, name: str, top: int | None) -> Measure:
    """What to maximise; with the cutoff that is given."""
    if not evaluator.protocol.ranked:
        raise UsageError(
            "unfit-option",
            f"weights can only be fitted for rankings, and Task {evaluator.task} has none; use --weights",
        )
    scores = evaluator.protocol.scores
    official = [measure for measure in evaluator.official if measure.needs == ("documents",)]
    measures = measures_named([name], scores) if name else official[:1]
    if len(measures) != 1:
        raise UsageError("ambiguous", f"--measure must name one measure; {name!r} expands to {len(measures)}")
    if measures[0].needs != ("documents",):
        raise UsageError(
            "unfit-measure",
            f"weights are fitted on documents, but {measures[0]} needs {' and '.join(measures[0].needs)}",
        )
    if measures[0].lower_is_better:
        raise UsageError("unfit-measure", f"weights are fitted to the greatest {measures[0]}, of which less is better")
    if top is None:
        return measures[0]
    if getattr(measures[0], "cutoff", None) is not None:
        raise UsageError(
            "option-conflict", f"{measures[0]} has a cutoff and --top {top} is another; use one of the two"
        )
    if not hasattr(measures[0], "cutoff"):
        raise UsageError("unfit-option", f"--top applies to P, R and F of sets; {measures[0]} uses the whole ranking")
    return replace(measures[0], cutoff=top)  # type: ignore[type-var]  # those with a cutoff are dataclasses


def _readers(records: Sequence[Run | Answers], evaluator: Evaluator) -> tuple[list[Reader], list[Remark]]:
    """Who reads the runs, each of which must hold documents and belong to the gold; and what is odd about them."""
    readers, noticed = list[Reader](), list[Remark]()
    for record in records:
        if isinstance(record, Answers):
            raise UsageError(
                "unfit-option",
                f"weights can only be fitted for rankings, and {record.path} contains labels; use --weights",
            )
        in_memory = replace(record, blocks=partial(iter, [*record.blocks()]))  # to be judged, and fused
        judged = judge(evaluator.qrels["documents"], in_memory, evaluator.excluded)
        check_order(judged.remarks, "fitting weights")
        spelling = diagnose(judged, record, evaluator.gold.path)
        if is_gold("documents", judged):
            raise _gold_itself(record)
        readers.append(Reader(in_memory))
        spelling.each("upside-down", better_reversed(judged, True, False))
        noticed += [sentence.of_part("run", shortened(record.tag)) for sentence in spelling.sentences()]
    return readers, noticed


def _gold_itself(record: Run | Answers) -> InputError:
    problem = "this run holds the documents or answers of the gold in every query, and no others"
    return InputError(
        "wrong-part", record.path, problem, remedy="name the gold with --fit alone, and leave it out of the runs"
    )


def _answers(records: Sequence[Run | Answers], evaluator: Evaluator) -> list[Answers]:
    """The runs, each of which must hold answers and belong to the gold."""
    scored = []
    for record in records:
        if not isinstance(record, Answers):
            raise UsageError(
                "wrong-part", f"Task {evaluator.task} asks for answers, and {record.path} contains documents"
            )
        scores = score(evaluator, Submission(record))  # refuses answers to other questions
        if any(remark.kind == "gold-itself" for remark in scores.remarks):
            raise _gold_itself(record)
        scored.append(scores)
    warn_of(scored)
    return [record for record in records if isinstance(record, Answers)]


def _contender(trial: Trial, name: str, weights: Weights, held_out: Terms, fitted: Terms) -> Contender:
    """A row of the table."""
    worths = trial.worths(weights)
    top = int(worths.tops[-1]) if trial.tried.cuts else None
    sd = spread(held_out, len(trial.fold), trial.score)
    return Contender(
        name, weights, top, float(worths.scores[-1]), held_out.total, sd, difference(fitted, held_out, trial.folds)
    )


_CAPTION = "Held out: expected score on similar queries. Fitted − this: held-out difference with a 95% interval."


@dataclass(frozen=True, slots=True)
class Contender:
    """Weights, or a way to find them, and their score.

    Attributes:
        name: ``fitted``, ``equal weights``, or the tag of the run that has all weight.
        weights: one a run; of ``fitted``, those fitted to all queries.
        top: the cutoff fitted to all queries; None where none was.
        resubstitution: the score on all queries, which what was fitted to them makes too good.
        held_out: the score when weights and cutoff are fitted anew without each fold: what to expect. The mean over
            the repeats.
        split_sd: standard deviation of the held-out score over the repeats, that is: from one way to deal the queries
            to folds to another. None for one repeat.
        behind: ``held_out`` of the fitted weights less this.
    """

    name: str
    weights: tuple[float, ...]
    top: int | None
    resubstitution: float
    held_out: float
    split_sd: float | None
    behind: Difference


@dataclass(frozen=True, slots=True, repr=False)
class FittedFusion(OnGold):
    """Weights fitted to labelled queries, and what they are worth.

    Attributes:
        fusion: the fusion with its weights, and its cutoff where one was fitted.
        folds: how many.
        repeats: how many times the queries were dealt anew to folds.
        contenders: ``fitted`` first, then ``equal weights``, then each run alone.
        fold_weights: the weights that were fitted without each fold of each repeat.
        inputs: the runs.
        fused: the runs fused by ``fusion``.
    """

    fusion: Fusion
    folds: int
    repeats: int
    contenders: tuple[Contender, ...]
    fold_weights: tuple[tuple[float, ...], ...]
    inputs: tuple[Run | Answers, ...] = field(repr=False)
    fused: Fused = field(repr=False)

    @property
    def resubstitution(self) -> float:
        """The score on the queries that the weights were fitted to."""
        return self.contenders[0].resubstitution

    @property
    def held_out(self) -> float:
        """The score on queries that the weights were not fitted to."""
        return self.contenders[0].held_out

    @property
    def remarks(self) -> tuple[str, ...]:
        """What there is to say of it, in sentences; first, whether fitting was worth it."""
        best = max(self.contenders[1:], key=lambda contender: contender.held_out)
        value = best.behind.value
        if best.behind.is_shown and value > 0:
            return self.fused.remarks
        row = "weights-no-better.worse" if best.behind.is_shown else "weights-no-better"
        difference = f"{value:+.4f}, {best.behind.interval.in_words('+')}"
        return Remark.of(row, other=best.name, difference=difference), *self.fused.remarks

    def __repr__(self) -> str:
        return f"FittedFusion({self.fusion!r}, measure={self.measure!r}, held_out={self.held_out:.4f})"

    def tables(self) -> Sequence[Grid]:
        """Each run alone with its weight, all with equal weights, and fitted: score, held-out estimate, cutoff."""
        fitted, equal, *alone = self.contenders
        columns: dict[str, Callable[[tuple[Contender, float]], Cell]] = {
            "run": lambda row: row[0].name,
            "weight": lambda row: Number(row[1]),
            self.measure: lambda row: Number(row[0].resubstitution),
            **({} if fitted.top is None else {"top": lambda row: whole(row[0].top or 0)}),
            "held out": lambda row: Number(row[0].held_out),
            "SD splits": lambda row: number_or_dash(row[0].split_sd),
            **difference_columns("fitted − this", lambda row: None if row[0] is fitted else row[0].behind),
        }
        rows = zip((*alone, equal, fitted), (*fitted.weights, math.nan, math.nan), strict=True)
        return [Grid.of(rows, columns, _CAPTION)]

    def save(self, path: PathLike) -> None:
        """Write it as JSON, of which ``Fusion.load`` and ``--weights`` read the fusion.

        Raises:
            InputError: the place cannot be written.
        """
        with open_text_replacing(path) as stream:
            stream.write(dumped(self.to_dict()))
