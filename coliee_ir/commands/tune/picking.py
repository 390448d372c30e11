"""The best of many runs that are scored as they are, such as those of a sweep, and what to expect of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coliee_adapters.errors import shortened
from coliee_adapters.forms.lines import counted
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import Shown, jsonable
from coliee_ir.scoring.scores import Scores, checked, comparable, preamble
from coliee_ir.stats.folds import PICKED_ANEW, BestOf, best_of
from coliee_ir.stats.settings import N_RESAMPLES, SEED, Resampling


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Picked(Shown):
    """Runs by their score, and what to expect of the first.

    Attributes:
        measure: the measure.
        runs: their scores, the best first.
        expected: what to expect of the best, since it was picked by the queries that score it.
    """

    measure: str
    runs: tuple[Scores, ...]
    expected: BestOf

    def __repr__(self) -> str:
        return f"Picked({self.runs[0].tag!r}, of={len(self.runs)}, measure={self.measure!r})"

    def tables(self) -> Sequence[Grid]:
        """The runs, the best first."""
        several_files = len({scores.tag for scores in self.runs}) < len(self.runs)
        header = ["run", *(["file"] if several_files else []), self.measure]
        rows: list[list[Cell]] = [
            [
                scores.tag,
                *([scores.file] if several_files else []),
                Number(scores.measures[self.measure], bold=scores is self.runs[0]),
            ]
            for scores in self.runs
        ]
        return [Grid(header, rows, n_text=len(header) - 1)]

    def notes(self) -> Sequence[str]:
        """What to expect of the best."""
        low, high = self.expected.interval
        best = f"the best of {counted(len(self.runs), 'run')} is {shortened(self.runs[0].tag)}"
        how = f"{PICKED_ANEW}; 95% interval {low:.4f} to {high:.4f}"
        return [f"{best}; expect {self.expected.score:.4f} of it on other queries ({how})"]

    def to_dict(self) -> dict[str, Any]:
        """The runs as ``evaluate`` gives them, and what to expect of the first."""
        runs = [scores.to_dict() for scores in self.runs]
        return {**preamble(self.runs[0]), "measure": self.measure, "runs": runs, "expected": jsonable(self.expected)}


def pick(scored: Sequence[Scores], *, measure: str = "", seed: int = SEED, n_resamples: int = N_RESAMPLES) -> Picked:
    """Pick the best of several runs as they are, such as those of a sweep; ``tune`` cuts one run.

    The best of many is in part the luckiest: what to expect of it is estimated by picking anew on bootstrap samples of
    the queries and scoring on the other queries; see ``coliee_ir.stats.folds.best_of``.

    Args:
        scored: the runs: what ``evaluate_all`` gives, or some of it.
        measure: what picks; by default the first of the results, which ranks the task's runs.
        seed: of the bootstrap samples.
        n_resamples: how many there are.

    Raises:
        UsageError: there is no run, or the runs were not scored by the measure.

    >>> from coliee_ir import evaluate_all
    >>> runs = {"both": {"q1": ["d1"], "q2": ["d2"]}, "one": {"q1": ["d1"]}}
    >>> pick(evaluate_all({"q1": ["d1"], "q2": ["d2"]}, runs, task="1")).runs[0].tag
    'both'
    """
    Resampling(n_resamples, seed)  # refuses what is not a number
    [by] = comparable(checked(scored, 1, "a choice"), measure)

    def order(scores: Scores) -> tuple[float, str, str]:
        value = scores.results[by].value
        return math.inf if math.isnan(value) else -value, scores.tag, scores.file

    runs = sorted(scored, key=order)
    expected = best_of([scores.results[by].terms for scores in runs], n_resamples, seed)
    return Picked(by.name, tuple(runs), expected)
