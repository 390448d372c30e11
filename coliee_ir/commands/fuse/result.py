"""What comes of fitting weights: the fusion, and what it is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

from coliee_adapters.classes import dataclass
from coliee_adapters.files.source import PathLike, written
from coliee_adapters.records import Answers, Run
from coliee_adapters.remarks import Remark
from coliee_ir.commands.fuse.recipe import Fused, Fusion
from coliee_ir.output.envelope import dumped
from coliee_ir.output.grid import Grid, Number, apart
from coliee_ir.output.shown import Shown
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.resampling import Difference
from coliee_ir.stats.settings import ABOUT


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
            to folds to another. NaN for one repeat.
        behind: ``held_out`` of the fitted weights less this.
    """

    name: str
    weights: tuple[float, ...]
    top: int | None
    resubstitution: float
    held_out: float
    split_sd: float
    behind: Difference


@dataclass(frozen=True, slots=True, repr=False)
class FittedFusion(Shown):
    """Weights fitted to labelled queries, and what they are worth.

    Attributes:
        fusion: the fusion with its weights, and its cutoff where one was fitted.
        task: the task.
        edition: the edition; None for a task without editions.
        gold: the gold's file.
        measure: what was maximised.
        decisions: the choices made where the organisers leave it open.
        excluded: the queries that were left out.
        queries: how many queries there are.
        folds: how many.
        repeats: how many times the queries were dealt anew to folds.
        seed: of the folds.
        contenders: ``fitted`` first, then ``equal weights``, then each run alone.
        fold_weights: the weights that were fitted without each fold of each repeat.
        inputs: the runs.
        fused: the runs fused by ``fusion``.
        held_out_run: the runs fused so that no query had a part in the weights, and the cutoff, that it is fused by;
            of the first repeat. Its tag is that of ``fused`` with CV behind it.
    """

    fusion: Fusion
    task: str
    edition: int | None
    gold: str
    measure: str
    decisions: Decisions
    excluded: tuple[str, ...]
    queries: int
    folds: int
    repeats: int
    seed: int
    contenders: tuple[Contender, ...]
    fold_weights: tuple[tuple[float, ...], ...]
    inputs: tuple[Run | Answers, ...] = field(repr=False)
    fused: Fused = field(repr=False)
    held_out_run: Run | Answers = field(repr=False)

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
        best = max(self.contenders[1:], key=lambda one: one.held_out)
        value, _, (low, high) = best.behind
        if best.behind.is_shown and value > 0:
            return self.fused.remarks
        are = "are worse than" if best.behind.is_shown else "are not shown to be better than"
        told = f"difference {value:+.4f}, 95% interval {low:+.4f} to {high:+.4f}"
        return (
            Remark("weights-no-better", f"on held-out queries the fitted weights {are} {best.name}: {told}"),
            *self.fused.remarks,
        )

    def __repr__(self) -> str:
        return f"FittedFusion({self.fusion!r}, measure={self.measure!r}, held_out={self.held_out:.4f})"

    def tables(self) -> Sequence[Grid]:
        """Each run alone with its weight, all with equal weights, and fitted: score, held-out estimate, cutoff."""
        whole, equal, *alone = self.contenders
        cuts = whole.top is not None
        rows = [_row(one, weight, cuts) for one, weight in zip(alone, whole.weights, strict=True)]
        nothing = [Number(math.nan)] * 4  # fitted less fitted
        rows += [_row(equal, None, cuts), [*_row(whole, None, cuts)[:-4], *nothing]]
        header = ["run", "weight", self.measure, *(["top"] if cuts else []), "held out", "SD splits", "fitted - it",
                  "SE", "low 95%", "high 95%"]  # fmt: skip
        return [Grid(header, rows, ABOUT)]

    def save(self, path: PathLike) -> None:
        """Write it as JSON, of which ``Fusion.load`` and ``--weights`` read the fusion.

        Raises:
            InputError: the place cannot be written.
        """
        with written(path) as stream:
            stream.write(dumped(self.to_dict()))


def _row(one: Contender, weight: float | None, cuts: bool) -> list[str | Number]:
    """A run alone has a weight in what was fitted; all runs together have none."""
    shown = Number(float("nan")) if weight is None else Number(weight)
    cut = [Number(one.top, str(one.top))] if cuts and one.top is not None else []
    held_out = [Number(one.held_out), Number(one.split_sd), *apart(one.behind)]
    return [one.name, shown, Number(one.resubstitution), *cut, *held_out]
