"""What is asked for, whatever the rankings; and its solution on some rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

import numpy as np

from coliee_adapters.classes import dataclass
from coliee_ir.commands.tune import honest, search
from coliee_ir.commands.tune.honest import Candidate, Selection
from coliee_ir.commands.tune.objective import Objective, objective
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.commands.tune.result import Tried
from coliee_ir.commands.tune.rules import Rule, named
from coliee_ir.commands.tune.search import Bounds, Sweep
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Parts, Result, Terms
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats import cutting
from coliee_ir.stats.cutting import relevance_of
from coliee_ir.stats.folds import Split


@dataclass(frozen=True, slots=True)
class Solution:
    """The rule chosen, its score on all queries, what was tried, and the score over its parameter."""

    rule: Rule  # the rule
    resubstitution: float  # its score
    tried: tuple[Tried, ...]  # what was tried
    curve: tuple[tuple[float, float], ...]  # the score over its parameter
    sweep: Sweep  # the rule's
    selection: Selection  # how it was chosen


@dataclass(frozen=True, slots=True)
class Problem:
    """What is asked for."""

    measure: Measure  # what is maximised
    decisions: Decisions  # the choices where the organisers leave it open
    right: Mapping[str, bool] | None  # query → whether its answer is right, for Accuracy
    by: Sequence[str]  # the kinds of rule; empty for all that a run allows
    floor: int | None  # keep at least so many; None to search it
    cap: int | None  # keep at most so many; None to search it
    split: Split  # the folds of queries
    # the results of measures in a formula that do not look at the documents that are cut
    fixed: Mapping[Measure, Result] = field(default_factory=dict)

    def objective(self, pool: Pool) -> Objective:
        """What is maximised, on some rankings."""
        return objective(self.measure, pool, self.decisions, self.right, self.fixed)

    def candidates(self, pool: Pool) -> list[Candidate]:
        """Each kind of rule with no more bounds than are given, then each with searched bounds: the simplest first."""
        aim = self.objective(pool)
        sweeps = [Sweep(pool, family, aim) for family in named(self.by, pool)]
        plain = [Candidate(sweep, (Bounds(self.floor or 0, self.cap),)) for sweep in sweeps]
        every = search.all_bounds(self.floor, self.cap, int(pool.lengths.max(initial=0)))
        if len(every) == 1:
            return plain
        return [*plain, *(Candidate(sweep, every) for sweep in sweeps if sweep.family != "k")]

    def held_out(self, candidates: Sequence[Candidate], selection: Selection | None = None) -> Terms:
        """What each query, or group of them, adds when everything is chosen without it: see ``honest.nested``."""
        return self.split.terms(honest.nested(candidates, self.split, selection))

    def solve(self, candidates: Sequence[Candidate]) -> Solution:
        """Choose the kind of rule by its held-out score, and fit it to all queries."""
        everyone = np.ones(len(self.split.group), dtype=np.bool_)
        selection = honest.select(candidates, self.split, self.split.all_folds(everyone), everyone)
        fits = [candidate.fit(everyone) for candidate in candidates]
        tried = tuple(
            Tried(fit.rule, len(candidate.bounds) > 1, fit.score, score, behind)
            for candidate, fit, score, behind in zip(candidates, fits, selection.scores, selection.behind, strict=True)
        )
        rule, sweep = fits[selection.chosen].rule, candidates[selection.chosen].sweep
        curve = sweep.curve(everyone, Bounds(rule.floor, rule.cap))
        return Solution(rule, sweep.terms(rule).total, tried, tuple(curve), sweep, selection)

    def ceilings(self, pool: Pool, whole: float, others: Parts, *, has_filters: bool = False) -> dict[str, float]:
        """Reference scores: what better cutting, and what better ranking, could give."""
        parts = {**others, "documents": pool.judged(relevance_of(self.measure))}
        fixed = cutting.best_fixed_k(self.measure, parts, self.decisions)
        all_rows = pool.lengths
        left = {"the run after the filters": self.objective(pool).terms(pool, all_rows).total} if has_filters else {}
        return {
            f"{cutting.BEST_K} ({fixed.k})": fixed.score,
            cutting.ORACLE_COUNT: cutting.oracle_count(self.measure, parts, self.decisions),
            cutting.ONE_EACH: cutting.one_each(self.measure, parts, self.decisions),
            "recall of the whole ranking": float(pool.relevant.sum() / pool.wanted.sum()),
            **left,
            "the run as it is": whole,
        }
