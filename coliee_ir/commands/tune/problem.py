"""What is asked for, whatever the rankings; and its solution on some rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coliee_ir.commands.tune import honest, search
from coliee_ir.commands.tune.honest import Candidate, Split
from coliee_ir.commands.tune.objective import Objective, objective
from coliee_ir.commands.tune.pool import Pool
from coliee_ir.commands.tune.rules import Rule, named
from coliee_ir.commands.tune.search import Bounds, Sweep
from coliee_ir.commands.tune.tuning import Tried
from coliee_ir.measures import Measure
from coliee_ir.measures.base import Terms
from coliee_ir.rules.decisions import Decisions


@dataclass(frozen=True, slots=True)
class Solution:
    """The rule chosen, its score on all queries, what was tried, and the score over its parameter."""

    rule: Rule
    resubstitution: float
    tried: tuple[Tried, ...]
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is asked for.

    Attributes:
        measure: what is maximised.
        decisions: the choices where the organisers leave it open.
        right: query → whether its answer is right, for Accuracy.
        by: the kinds of rule; empty for all that a run allows.
        floor: keep at least so many; None to search it.
        cap: keep at most so many; None to search it.
        split: the folds of queries.
    """

    measure: Measure
    decisions: Decisions
    right: Mapping[str, bool] | None
    by: Sequence[str]
    floor: int | None
    cap: int | None
    split: Split

    def objective(self, pool: Pool) -> Objective:
        """What is maximised, on some rankings."""
        return objective(self.measure, pool, self.decisions, self.right)

    def candidates(self, pool: Pool) -> list[Candidate]:
        """Each kind of rule with no more bounds than are given, then each with searched bounds: the simplest first."""
        aim = self.objective(pool)
        sweeps = [Sweep(pool, family, aim) for family in named(self.by, pool)]
        plain = [Candidate(sweep, (Bounds(self.floor or 0, self.cap),)) for sweep in sweeps]
        every = search.all_bounds(self.floor, self.cap, int(pool.lengths.max(initial=0)))
        if len(every) == 1:
            return plain
        return [*plain, *(Candidate(sweep, every) for sweep in sweeps if sweep.family != "k")]

    def held_out(self, candidates: Sequence[Candidate]) -> Terms:
        """What each query adds when everything is chosen without it."""
        return honest.nested(candidates, self.split)

    def solve(self, candidates: Sequence[Candidate]) -> Solution:
        """Choose the kind of rule by its held-out score, and fit it to all queries."""
        everyone = np.ones(len(self.split.group), dtype=np.bool_)
        selection = honest.select(candidates, self.split, self.split.folds(everyone), everyone)
        fits = [candidate.fit(everyone) for candidate in candidates]
        tried = tuple(
            Tried(fit.rule, len(candidate.bounds) > 1, fit.score, score, error)
            for candidate, fit, score, error in zip(candidates, fits, selection.scores, selection.errors, strict=True)
        )
        rule, sweep = fits[selection.chosen].rule, candidates[selection.chosen].sweep
        curve = sweep.curve(everyone, Bounds(rule.floor, rule.cap))
        return Solution(rule, sweep.terms(rule).total, tried, tuple(curve))

    def ceilings(self, pool: Pool, whole: float) -> dict[str, float]:
        """Scores for orientation: what better cutting, and what better ranking, could give.

        Args:
            pool: the rankings.
            whole: the score of the run as it is.
        """
        aim = self.objective(pool)
        fixed = Sweep(pool, "k", aim).best(np.ones(len(pool.queries), dtype=np.bool_))
        oracle = aim.terms(pool, pool.rank <= pool.wanted[pool.query]).total
        asked = pool.wanted > 0
        first = replace(
            pool,
            start=np.concatenate(([0], np.cumsum(asked))),
            documents=[""] * int(asked.sum()),
            scores=np.ones(int(asked.sum())),
            relevant=np.ones(int(asked.sum()), dtype=np.bool_),
        )
        perfect = self.objective(first).terms(first, first.relevant).total
        found = float(pool.relevant.sum() / pool.wanted.sum())
        return {
            f"best fixed k ({fixed.rule.threshold:g})": fixed.score,
            "as many as are relevant": oracle,
            "one relevant document each": perfect,
            "recall of the whole ranking": found,
            "the run as it is": whole,
        }
