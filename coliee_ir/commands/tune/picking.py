"""The best of many runs that are scored as they are, such as those of a sweep, and what to expect of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coliee_adapters.classes import dataclass
from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.lines import counted
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.output.shown import Shown, jsonable
from coliee_ir.rules.decisions import Decisions
from coliee_ir.scoring.scores import Scores, preamble
from coliee_ir.scoring.several import score
from coliee_ir.scoring.submission import Submission
from coliee_ir.stats.folds import BestOf, best_of
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
        told = f"expect {self.expected.score:.4f} of it on other queries (95% interval {low:.4f} to {high:.4f})"
        return [f"{best}; {told}"]

    def to_dict(self) -> dict[str, Any]:
        """The runs as ``evaluate`` gives them, and what to expect of the first."""
        runs = [scores.to_dict() for scores in self.runs]
        return {**preamble(self.runs[0]), "measure": self.measure, "runs": runs, "expected": jsonable(self.expected)}


def pick_run(
    gold: GoldLike,
    *runs: RunLike | Submission,
    measure: str = "",
    task: str | int | None = None,
    edition: str | int | None = None,
    exclude: str | Iterable[str] = (),
    only: str | Iterable[str] | None = None,
    decisions: Decisions | None = None,
    columns: Mapping[str, str] | None = None,
    seed: int = SEED,
    n_resamples: int = N_RESAMPLES,
) -> Picked:
    """Pick the best of several runs as they are, such as those of a sweep; ``tune`` cuts one run.

    Args:
        gold: what ``read_gold`` takes.
        runs: what ``read_run`` takes, or a ``Submission`` of several parts; a store of scores stands for the runs in
            it, and so does a log (``evaluate --log``) for those whose files are as they were.
        measure: what picks; by default the measure that ranks the task's runs.
        task: the task; by default it is found from the files.
        edition: the year whose rules count; by default the newest of the task.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open.
        columns: what the columns of tables are called, by role: see ``read_gold``.
        seed: of the bootstrap samples.
        n_resamples: how many there are.

    Raises:
        InputError: a file cannot be read.
        UsageError: there is no run; a measure or a task does not exist or does not fit.

    >>> picked = pick_run({"q1": ["d1"], "q2": ["d2"]}, {"q1": ["d1"], "q2": ["d2"]}, {"q1": ["d1"]}, task="1")
    >>> picked.runs[0].measures["MicroF1"]
    1.0
    """
    Resampling(n_resamples, seed)  # refuses what is not a number
    found = score(
        gold, runs, [measure] if measure else [], task=task, edition=edition, exclude=exclude, only=only,
        decisions=decisions, columns=columns,
    )  # fmt: skip
    return pick(found.scores, seed=seed, n_resamples=n_resamples)


def pick(scored: Sequence[Scores], *, seed: int = SEED, n_resamples: int = N_RESAMPLES) -> Picked:
    """Pick the best of several runs by the first measure of their results.

    The best of many is in part the luckiest: what to expect of it is estimated by picking anew on bootstrap samples of
    the queries and scoring on the other queries; see ``coliee_ir.stats.folds.best_of``.

    Args:
        scored: the runs, scored against one gold.
        seed: of the bootstrap samples.
        n_resamples: how many there are.

    Raises:
        UsageError: there is no run.
    """
    if not scored:
        raise UsageError("no-run", "there is no run to pick from")
    measure = next(iter(scored[0].results))

    def order(scores: Scores) -> tuple[float, str, str]:
        value = scores.results[measure].value
        return math.inf if math.isnan(value) else -value, scores.tag, scores.file

    runs = sorted(scored, key=order)
    expected = best_of([scores.results[measure].terms for scores in runs], n_resamples, seed)
    return Picked(measure.name, tuple(runs), expected)
