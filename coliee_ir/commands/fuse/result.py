"""What comes of fitting weights: the fusion, and what it is worth."""

from __future__ import annotations

from typing import Any

from coliee_adapters.classes import dataclass
from coliee_adapters.files import PathLike, written
from coliee_adapters.records import Answers, Run
from coliee_adapters.remarks import Remark
from coliee_ir._version import __version__
from coliee_ir.commands.fuse.recipe import Fused, Fusion
from coliee_ir.output.envelope import apart, dumped, number
from coliee_ir.output.shown import Shown
from coliee_ir.rules.decisions import Decisions
from coliee_ir.stats.resampling import Difference


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
    inputs: tuple[Run | Answers, ...]
    fused: Fused
    held_out_run: Run | Answers

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

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``fuse --save``; the fusion in it is what ``--weights`` takes."""
        return {
            "coliee_ir": __version__,
            "fusion": self.fusion.to_dict(),
            "fitted": {
                "task": self.task,
                "edition": self.edition,
                "gold": self.gold,
                "measure": self.measure,
                "decisions": self.decisions.to_dict(),
                **({"excluded": list(self.excluded)} if self.excluded else {}),
                "queries": self.queries,
                "folds": self.folds,
                "repeats": self.repeats,
                "seed": self.seed,
                "scores": [
                    {
                        "name": contender.name,
                        "weights": list(contender.weights),
                        "top": contender.top,
                        "resubstitution": number(contender.resubstitution),
                        "held_out": number(contender.held_out),
                        "split_sd": number(contender.split_sd),
                        "behind_fitted": apart(contender.behind),
                    }
                    for contender in self.contenders
                ],
                "fold_weights": [list(weights) for weights in self.fold_weights],
            },
        }

    def save(self, path: PathLike) -> None:
        """Write it as JSON, of which ``Fusion.load`` and ``--weights`` read the fusion.

        Raises:
            InputError: the place cannot be written.
        """
        with written(path) as stream:
            stream.write(dumped(self.to_dict()))
