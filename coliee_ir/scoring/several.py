"""Several runs, or stores of the scores of many, scored by one evaluator."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from coliee_adapters.classes import NamedTuple
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.score_rows import is_store
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.session import begin, opened_submission
from coliee_ir.scoring.submission import Submission

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Scored(NamedTuple):
    """Runs that were scored by one evaluator.

    Attributes:
        scores: of each run, in their order.
        evaluator: what scored them.
        submissions: the runs, in the same order; None for one of a store, of which there are only scores.
    """

    scores: list[Scores]
    evaluator: Evaluator
    submissions: list[Submission | None]


def score(
    gold: GoldLike,
    runs: Sequence[RunLike | Submission],
    measures: str | Sequence[str] = (),
    *,
    task: str | int | None = None,
    columns: Mapping[str, str] | None = None,
    executor: Executor | None = None,
    keep_judged: bool = False,
    **rules: Any,
) -> Scored:
    """Score runs that must all be sound; the path of a store of scores stands for the runs in it.

    Args:
        gold: what ``read_gold`` takes.
        runs: what ``read_run`` takes, a ``Submission`` of several parts, or the path of a store.
        measures: names of measures; by default the official ones.
        task: see ``begin``; by default, that of the stores.
        columns: see ``begin``.
        executor: see ``Evaluator.evaluate_all``.
        keep_judged: see ``Evaluator.evaluate``.
        rules: the others of ``begin``.

    Raises:
        ColieeError: a file cannot be read, or what was asked for does not exist or does not fit.
    """
    stores = {at: os.fspath(run) for at, run in enumerate(runs) if isinstance(run, str | os.PathLike) and is_store(run)}
    given = [opened_submission(run, columns) for at, run in enumerate(runs) if at not in stores]
    if not stores:
        evaluator, _ = begin(gold, given, measures, task=task, columns=columns, **rules)
        return Scored(evaluator.score_all(given, executor=executor, keep_judged=keep_judged), evaluator, [*given])
    from coliee_ir.scoring.store import ScoreStore, task_of

    task = task_of(stores.values()) if task is None else task
    evaluator, _ = begin(gold, given, measures, task=task, columns=columns, **rules)
    new = zip(evaluator.score_all(given, executor=executor, keep_judged=keep_judged), given, strict=True)

    def scored(at: int) -> Iterator[tuple[Scores, Submission | None]]:
        if at not in stores:
            yield next(new)
            return
        with ScoreStore(stores[at], reading=True) as store:
            yield from ((scores, None) for scores in store.scores(evaluator))

    found = [each for at in range(len(runs)) for each in scored(at)]
    return Scored([scores for scores, _ in found], evaluator, [one for _, one in found])
