"""Weights fitted to labelled queries, and what to expect of them on others."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.files import PathLike, written
from coliee_adapters.records import Answers, Run
from coliee_ir.commands.compare import SEED
from coliee_ir.commands.convert import Gathered
from coliee_ir.commands.fuse.blend import Blend
from coliee_ir.commands.fuse.methods import METHODS
from coliee_ir.commands.fuse.recipe import NORM, Fused, Fusion, read_all
from coliee_ir.commands.fuse.search import alone, climbed, equal
from coliee_ir.commands.fuse.trial import Trial, Weights
from coliee_ir.commands.tune.honest import Split
from coliee_ir.judging.judged import judge
from coliee_ir.judging.mismatch import check
from coliee_ir.measures import Measure
from coliee_ir.rules.decisions import Decisions
from coliee_ir.scoring.evaluator import Evaluator

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Contender:
    """Weights, or a way to find them, and their score.

    Attributes:
        name: ``fitted``, ``equal weights``, or the tag of the run that has all weight.
        weights: one a run; of ``fitted``, those fitted to all queries.
        top: the cut-off fitted to all queries; None where none was.
        resubstitution: the score on all queries, which what was fitted to them makes too good.
        held_out: the score when weights and cut-off are fitted anew without each fold: what to expect.
    """

    name: str
    weights: tuple[float, ...]
    top: int | None
    resubstitution: float
    held_out: float


@dataclass(frozen=True, slots=True)
class FittedFusion:
    """Weights fitted to labelled queries, and what they are worth.

    Attributes:
        fusion: the fusion with its weights, and its cut-off where one was fitted.
        task: the task.
        edition: the edition; None for a task without editions.
        gold: the gold's file.
        measure: what was maximised.
        decisions: the choices made where the organisers leave it open.
        excluded: the queries that were left out.
        queries: how many queries there are.
        folds: how many.
        seed: of the folds.
        contenders: ``fitted`` first, then ``equal weights``, then each run alone.
        fold_weights: the weights that were fitted without each fold.
        inputs: the runs.
        fused: the runs fused by ``fusion``.
        held_out_run: the runs fused so that no query had a part in the weights, and the cut-off, that it is fused by;
            its tag is that of ``fused`` with CV behind it.
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
    seed: int
    contenders: tuple[Contender, ...]
    fold_weights: tuple[tuple[float, ...], ...]
    inputs: tuple[Run, ...]
    fused: Fused
    held_out_run: Run

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
        if best.held_out < self.held_out:
            return self.fused.remarks
        scores = f"{best.held_out:.4f} against {self.held_out:.4f}"
        return (f"on held-out queries the fitted weights are no better than {best.name}: {scores}", *self.fused.remarks)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``fuse --fit``; the fusion in it is what ``--weights`` takes."""
        from coliee_ir import __version__

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
                "seed": self.seed,
                "scores": [
                    {
                        "name": contender.name,
                        "weights": list(contender.weights),
                        "top": contender.top,
                        "resubstitution": _number(contender.resubstitution),
                        "held_out": _number(contender.held_out),
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
            json.dump(self.to_dict(), stream, ensure_ascii=False, indent=1)
            stream.write("\n")


def fit_fusion(
    gold: object,
    runs: Sequence[object],
    method: str = "combsum",
    *,
    norm: str | None = None,
    k: float | None = None,
    depth: int | None = None,
    top: int | None = None,
    measure: str = "",
    task: str | int | None = None,
    edition: str | int | None = None,
    exclude: str | Iterable[str] = (),
    folds: int = FOLDS,
    seed: int = SEED,
    tag: str | None = None,
    decisions: Decisions | None = None,
) -> FittedFusion:
    """Fit weights to labelled queries, by coordinate search, and measure them on queries that they were not fitted to.

    P, R and F of sets, which have no value for a ranking that is not cut, are maximised over weights and cut-off
    together, unless the measure names a cut-off (``MicroF1@5``) or ``top`` gives one.

    Args:
        gold: what ``read_gold`` takes.
        runs: at least two rankings; each is what ``read_run`` takes.
        method: a method that ranks: see ``Fusion``.
        norm: see ``Fusion``.
        k: see ``Fusion``.
        depth: see ``Fusion``.
        top: the cut-off, where it is not to be fitted.
        measure: what to maximise; by default the first of the task's official measures that looks at documents only.
        task: the task; by default it is found from the gold.
        edition: the year whose rules count; by default the newest.
        exclude: queries to leave out.
        folds: how many folds of queries the weights are held out from.
        seed: of the folds.
        tag: what the fused run is called; by default as the method.
        decisions: the choices where the organisers leave it open.

    Raises:
        InputError: a file cannot be read, or gold and run do not belong together.
        UsageError: a method, measure or parameter that does not exist or does not fit; too few queries for the folds.

    >>> gold = {"1": ["a"], "2": ["c"]}
    >>> good, bad = {"1": ["a", "b"], "2": ["c", "d"]}, {"1": ["b", "a"], "2": ["d", "c"]}
    >>> fitted = fit_fusion(gold, [good, bad], task=2, folds=2)
    >>> fitted.fusion.weights, fitted.fusion.top, fitted.held_out
    ((0.55, 0.45), 1, 1.0)
    """
    fusion = Fusion(method, norm, k, depth=depth, top=top)
    if not METHODS[method].ranks:
        raise UsageError(f"weights are fitted to rankings; {method} gives sets: take combsum, combmnz or rrf")
    evaluator = Evaluator(gold, task=task, edition=edition, exclude=exclude, decisions=decisions)
    chosen = _measure(evaluator, measure, top)
    records = _rankings(read_all(runs, task=evaluator.read_as), evaluator)
    tags = tuple(record.tag for record in records)
    held = fusion.candidates([Gathered(record) for record in records])
    blend = Blend(held, method, norm or NORM, fusion.k_or_default)
    qrels = evaluator.qrels["documents"]
    if seed < 0:
        raise UsageError("a seed is a whole number from 0")
    everyone = np.ones(len(qrels.queries), dtype=np.bool_)
    fold = Split.of(qrels.queries, folds, seed).folds(everyone)
    trial = Trial(blend, qrels, chosen, evaluator.decisions, fold)

    def best(without: int | None = None) -> Weights:
        return climbed(lambda weights: trial.worth(weights, without).score, len(records))

    fitted, of_folds = best(), [best(without) for without in range(folds)]
    contenders = [
        _contender(trial, "fitted", fitted, of_folds),
        _contender(trial, "equal weights", equal(len(records)), None),
        *(_contender(trial, tag, alone(len(records), at), None) for at, tag in enumerate(tags)),
    ]
    name = method if tag is None else tag
    whole = replace(fusion, weights=fitted, top=top or contenders[0].top, runs=tags)
    return FittedFusion(
        fusion=whole,
        task=evaluator.task,
        edition=evaluator.edition,
        gold=evaluator.gold.path,
        measure=measure or chosen.name,
        decisions=evaluator.decisions,
        excluded=tuple(sorted(evaluator.excluded)),
        queries=len(evaluator.queries),
        folds=folds,
        seed=seed,
        contenders=tuple(contenders),
        fold_weights=tuple(of_folds),
        inputs=tuple(records),
        fused=whole.fuse(records, tag=name),
        held_out_run=_held_out(trial, of_folds, top, f"{name}CV"),
    )


def _measure(evaluator: Evaluator, name: str, top: int | None) -> Measure:
    """What to maximise; with the cut-off that is given."""
    from coliee_ir.measures import parse

    if "documents" not in evaluator.protocol.parts or evaluator.task == "rationale":
        raise UsageError(f"weights are fitted to rankings, and task {evaluator.task} has none: give --weights")
    asked = parse(name) if name else [one for one in evaluator.official if one.needs == ("documents",)][:1]
    if len(asked) != 1:
        raise UsageError(f"weights are fitted by one measure, and {name!r} is {len(asked)}")
    if asked[0].needs != ("documents",):
        raise UsageError(f"weights are fitted to documents, and {asked[0]} needs {' and '.join(asked[0].needs)}")
    if top is None:
        return asked[0]
    if getattr(asked[0], "cutoff", None) is not None:
        raise UsageError(f"{asked[0]} has a cut-off, and so has --top {top}: give one of the two")
    if not hasattr(asked[0], "cutoff"):
        raise UsageError(f"--top is for P, R and F of sets; {asked[0]} looks at the whole ranking")
    return replace(asked[0], cutoff=top)  # type: ignore[type-var]  # those with a cut-off are dataclasses


def _rankings(records: Sequence[Run | Answers], evaluator: Evaluator) -> list[Run]:
    """The runs, each of which must hold documents and belong to the gold."""
    rankings = []
    for record in records:
        if isinstance(record, Answers):
            raise UsageError(f"weights are fitted to rankings, and {record.path} holds labels: give --weights")
        check(judge(evaluator.qrels["documents"], record, evaluator.excluded), evaluator.gold.path, record.path)
        rankings.append(record)
    return rankings


def _contender(trial: Trial, name: str, weights: Weights, of_folds: Sequence[Weights] | None) -> Contender:
    """A row of the table: weights that were fitted without each fold, or the same for all of them."""
    resubstitution, top = trial.worth(weights)
    sums = [
        trial.on(fold, one, trial.worth(one, fold).top) for fold, one in enumerate(of_folds or [weights] * trial.folds)
    ]
    return Contender(name, weights, top, resubstitution, float(trial.score(np.sum(sums, axis=0))))


def _held_out(trial: Trial, of_folds: Sequence[Weights], top: int | None, tag: str) -> Run:
    """The labelled queries, each fused by what was fitted without its fold."""
    blend, known = trial.blend, trial.number >= 0
    rankings: dict[str, dict[str, float]] = {}
    for fold, weights in enumerate(of_folds):
        ranked = trial.ranked(weights)
        kept = known.copy()
        kept[known] = trial.fold[trial.number[known]] == fold
        deepest = top or trial.worth(weights, fold).top or len(ranked.rank)
        rankings |= blend.run(ranked, kept[blend.held.query] & (ranked.rank <= deepest))
    return Run.of(rankings, tag=tag)


def _number(value: float) -> float | None:
    """A score in JSON; null for one that does not exist."""
    return value if math.isfinite(value) else None
