"""Choosing where to cut a ranking: the best rule on labelled queries, what it is worth on others, and the cut itself.

gold, run ──▶ Pool ──rules──▶ values that fall with the rank ──sweep──▶ the best threshold
                └──objective──▶ sums a row ────────────┘           └──nested folds──▶ the held-out score
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.records import Answers, Gold, Run
from coliee_ir.cutoffs import honest, search
from coliee_ir.cutoffs.filters import Filter
from coliee_ir.cutoffs.honest import Candidate
from coliee_ir.cutoffs.objective import Objective, objective
from coliee_ir.cutoffs.pool import Pool
from coliee_ir.cutoffs.rules import FAMILIES, Rule, named
from coliee_ir.cutoffs.search import Bounds, Sweep
from coliee_ir.decisions import Decisions
from coliee_ir.measures import Measure, parse
from coliee_ir.measures.base import Terms
from coliee_ir.measures.labels import Accuracy
from coliee_ir.protocol import newest_edition, protocol
from coliee_ir.reading import find_task, read_gold, read_run
from coliee_ir.significance import SEED, TRIALS, resampling
from coliee_ir.significance.resampling import Interval

__all__ = ["FAMILIES", "Filter", "Pool", "Rule", "Tried", "Tuning", "cut", "tune"]

FOLDS: Final = 5


@dataclass(frozen=True, slots=True)
class Tried:
    """A kind of rule that was tried.

    Attributes:
        rule: fitted to all queries.
        resubstitution: its score on the queries that it was fitted to.
        held_out: the score of rules of its kind, each on the fold it was fitted without.
        error: standard error of the difference of ``held_out`` to that of the best.
    """

    rule: Rule
    resubstitution: float
    held_out: float
    error: float


@dataclass(frozen=True, slots=True)
class Tuning:
    """Where to cut a run, and what that is worth.

    Attributes:
        tag: the run's name.
        file: its file.
        task: the task.
        measure: what was maximised.
        queries: how many labelled queries there are.
        rule: the rule chosen, fitted to all of them.
        resubstitution: its score on them, which is too good: it was chosen by it.
        held_out: the score when kind and parameters are chosen anew without each fold: what to expect.
        interval: bootstrap interval of ``held_out`` over queries.
        tried: the kinds of rule, the simplest first.
        ceilings: scores for orientation: name → score.
        curve: parameter of the chosen rule and score there, on all queries.
        folds: how many.
        seed: of the folds and of the interval.
        filters: what each filter did: name → rows taken away, and the held-out score without it.
    """

    tag: str
    file: str
    task: str
    measure: str
    queries: int
    rule: Rule
    resubstitution: float
    held_out: float
    interval: Interval
    tried: tuple[Tried, ...]
    ceilings: Mapping[str, float]
    curve: tuple[tuple[float, float], ...]
    folds: int
    seed: int
    filters: tuple[tuple[str, int, float], ...] = ()

    @property
    def gap(self) -> float:
        """By how much the resubstitution score is too good."""
        return self.resubstitution - self.held_out

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``tune``; the rule in it is what ``cut`` takes."""
        return {
            "tag": self.tag,
            "file": self.file,
            "task": self.task,
            "measure": self.measure,
            "queries": self.queries,
            "rule": self.rule.to_dict(),
            "says": str(self.rule),
            "resubstitution": _number(self.resubstitution),
            "held_out": _number(self.held_out),
            "interval": [_number(self.interval.low), _number(self.interval.high)],
            "gap": _number(self.gap),
            "tried": [
                {
                    "rule": tried.rule.to_dict(),
                    "resubstitution": _number(tried.resubstitution),
                    "held_out": _number(tried.held_out),
                    "error": _number(tried.error),
                }
                for tried in self.tried
            ],
            "ceilings": {name: _number(value) for name, value in self.ceilings.items()},
            "curve": [list(point) for point in self.curve],
            "folds": self.folds,
            "seed": self.seed,
            "filters": [
                {"filter": name, "rows": rows, "held_out_without": _number(without)}
                for name, rows, without in self.filters
            ],
        }


def tune(
    gold: object,
    run: object,
    *,
    maximise: str = "",
    by: str | Sequence[str] = (),
    task: str | int | None = None,
    edition: int | None = None,
    answers: object = None,
    floor: int | None = None,
    cap: int | None = None,
    folds: int = FOLDS,
    groups: Mapping[str, str] | None = None,
    filters: Sequence[Filter] = (),
    seed: int = SEED,
    trials: int = TRIALS,
    decisions: Decisions | None = None,
) -> Tuning:
    """Choose the rule that cuts a run best.

    Every kind of rule is tried without bounds on the count and with a searched floor and cap; of those whose held-out
    scores are within a standard error of the best the simplest is taken.

    Args:
        gold: what ``read_gold`` takes.
        run: a ranking; what ``read_run`` takes.
        maximise: MicroF1, MacroF2, …, or Accuracy; by default the measure that ranks the task's runs.
        by: kinds of rule, of ``FAMILIES``; by default all that the run's scores allow.
        task: the task; by default it is found from the gold.
        edition: the year whose rules count; by default the newest.
        answers: for Accuracy, the answers that belong to the run.
        floor: keep at least so many documents a query; by default searched.
        cap: keep at most so many; by default searched.
        folds: how many folds of queries the rule is held out from.
        groups: query → group; queries of one group are in one fold.
        filters: what to take away before cutting; each is measured for what it gains.
        seed: of the folds and of the interval.
        trials: bootstrap samples for the interval.
        decisions: the choices where the organisers leave it open.

    Raises:
        InputError: a file cannot be read, or gold and run do not belong together.
        UsageError: a measure or a rule that does not exist or does not fit, too few queries for the folds.
    """
    record = read_gold(gold, task=None if task is None else str(task))
    task = str(task) if task is not None else find_task(record).task
    measure = _measure(maximise, task, edition)
    if record.qrels is None:
        raise UsageError(f"{record.path} holds labels only; a cut-off is chosen by relevant documents")
    submission = read_run(run, task=task)
    whole = Pool.read(submission, record.qrels, task=task)
    right = _right(record, answers, task) if isinstance(measure, Accuracy) else None
    problem = _Problem(measure, decisions or Decisions(), right, by, floor, cap, folds, seed, groups)
    pool = whole
    for filter_ in filters:
        pool = pool.where(filter_.keeps(pool))
    done = problem.solve(pool)
    measured = []
    for filter_ in filters:
        others = whole
        for other in filters:
            others = others if other is filter_ else others.where(other.keeps(others))
        measured.append((filter_.name, int((~filter_.keeps(whole)).sum()), problem.held_out(others).total))
    samples = resampling.bootstrapped([done.honest], trials, seed)[:, 0]
    interval = resampling.bca(samples, done.honest.total, resampling.left_out(done.honest), 0.95)
    tag, file = (submission.tag, submission.path) if isinstance(submission, Run) else ("run", "")
    return Tuning(
        tag, file, task, measure.name, len(pool.queries), done.rule, done.resubstitution, done.honest.total, interval,
        done.tried, problem.ceilings(whole), done.curve, folds, seed, tuple(measured),
    )  # fmt: skip


def cut(run: object, rule: Rule, *, task: str | None = None, filters: Sequence[Filter] = ()) -> Run:
    """A run with what a rule keeps of it.

    Args:
        run: a ranking; what ``read_run`` takes.
        rule: the rule.
        task: the task, where it is known.
        filters: what to take away before.

    Raises:
        InputError: the run cannot be read, or holds labels.
        UsageError: the rule needs scores and the run has none.
    """
    record = read_run(run, task=task)
    pool = Pool.read(record, task=task)
    named([rule.family], pool)
    for filter_ in filters:
        pool = pool.where(filter_.keeps(pool))
    kept = pool.lists(rule.keeps(pool))
    rankings: Mapping[str, Any] = kept if pool.scored else {query: list(ranking) for query, ranking in kept.items()}
    tag, path = (record.tag, record.path) if isinstance(record, Run) else ("run", "<memory>")
    return Run.of(rankings, tag=tag, path=path)


@dataclass(frozen=True, slots=True)
class _Solution:
    rule: Rule
    resubstitution: float
    honest: Terms
    tried: tuple[Tried, ...]
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class _Problem:
    """What is asked for, whatever the rankings."""

    measure: Measure
    decisions: Decisions
    right: Mapping[str, bool] | None
    by: str | Sequence[str]
    floor: int | None
    cap: int | None
    folds: int
    seed: int
    groups: Mapping[str, str] | None

    def objective(self, pool: Pool) -> Objective:
        return objective(self.measure, pool, self.decisions, self.right)

    def candidates(self, pool: Pool) -> list[Candidate]:
        """Each kind of rule without bounds, then each with searched bounds: the simplest first."""
        aim = self.objective(pool)
        by = [self.by] if isinstance(self.by, str) else list(self.by)
        sweeps = [Sweep(pool, family, aim) for family in named([name for name in by if name], pool)]
        if self.floor is not None or self.cap is not None:
            bounds = search.all_bounds(self.floor or 0, self.cap, int(pool.lengths.max(initial=0)))
            return [Candidate(sweep, bounds) for sweep in sweeps]
        plain = [Candidate(sweep, (Bounds(),)) for sweep in sweeps]
        every = search.all_bounds(None, None, int(pool.lengths.max(initial=0)))
        return [*plain, *(Candidate(sweep, every) for sweep in sweeps if sweep.family != "k")]

    def held_out(self, pool: Pool) -> Terms:
        """What each query adds when everything is chosen without it."""
        fold = honest.folds(pool.queries, self.folds, self.seed, self.groups)
        return honest.nested(self.candidates(pool), pool, fold, self.folds, self.seed, self.groups)

    def solve(self, pool: Pool) -> _Solution:
        candidates = self.candidates(pool)
        everyone = np.ones(len(pool.queries), dtype=np.bool_)
        fold = honest.folds(pool.queries, self.folds, self.seed, self.groups)
        chosen, held = honest.select(candidates, fold, everyone)
        scores = [honest.score_of(candidate, each, everyone) for candidate, each in zip(candidates, held, strict=True)]
        best = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
        fits = [candidate.fit(everyone) for candidate in candidates]
        tried = tuple(
            Tried(fit.rule, fit.score, score, honest.standard_error(candidates[at], held[at], held[best], everyone))
            for at, (fit, score) in enumerate(zip(fits, scores, strict=True))
        )
        rule = fits[chosen].rule
        curve = candidates[chosen].sweep.curve(everyone, Bounds(rule.floor, rule.cap))
        return _Solution(rule, fits[chosen].score, self.held_out(pool), tried, tuple(curve))

    def ceilings(self, pool: Pool) -> dict[str, float]:
        """Scores for orientation: what better cutting, and what better ranking, could give."""
        aim = self.objective(pool)
        fixed = Sweep(pool, "k", aim).best(np.ones(len(pool.queries), dtype=np.bool_))
        oracle = aim.terms(pool, pool.rank <= pool.wanted[pool.query]).total
        top = replace(
            pool,
            start=np.concatenate(([0], np.cumsum(pool.wanted > 0))),
            documents=["" for _ in range(int((pool.wanted > 0).sum()))],
            scores=np.ones(int((pool.wanted > 0).sum())),
            relevant=np.ones(int((pool.wanted > 0).sum()), dtype=np.bool_),
        )
        perfect = self.objective(top).terms(top, top.relevant).total
        found = float(pool.relevant.sum() / pool.wanted.sum()) if pool.wanted.sum() else float("nan")
        return {
            f"best fixed k ({-fixed.rule.threshold:g})": fixed.score,
            "as many as are relevant": oracle,
            "perfect top 1": perfect,
            "recall of the whole ranking": found,
        }


def _measure(maximise: str, task: str, edition: int | None) -> Measure:
    rules = protocol(task, edition)
    measures = parse(maximise or rules.ranking)
    if len(measures) != 1:
        raise UsageError(f"{maximise} is several measures; name one to maximise")
    if not maximise and rules.ranking == "Accuracy" and "documents" not in rules.parts:
        year = edition if edition is not None else newest_edition(rules)
        raise UsageError(f"task {task} of {year} has no documents to cut")
    return measures[0]


def _right(gold: Gold, answers: object, task: str) -> dict[str, bool]:
    """Which questions are answered rightly."""
    if answers is None:
        raise UsageError("Accuracy needs the answers that belong to the run: give them, or maximise MacroF2")
    given = read_run(answers, task=task)
    if not isinstance(given, Answers) or gold.labels is None:
        raise UsageError("Accuracy needs labels, in the gold and in the answers")
    return {query: given.labels.get(query) == label for query, label in gold.labels.items()}


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
