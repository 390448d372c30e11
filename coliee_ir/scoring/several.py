"""Several runs scored by one evaluator, beside stores, which hold the scores of runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import ColieeError
from coliee_adapters.files import Kind, Source
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.lines import counted
from coliee_ir.measures import Result
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.reading import given as as_given
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.session import begin
from coliee_ir.scoring.submission import Submission, name_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

_NONE: Final = np.zeros(0)


class Scored(NamedTuple):
    """Runs that were scored by one evaluator.

    Attributes:
        scores: those of stores, then those of the runs that could be read.
        evaluator: what scored them.
        submissions: the run of each; None for one of a store, of which there are only scores.
        failed: whether a run was left out.
        said: in sentences, how many runs a store knew.
    """

    scores: Sequence[Scores]
    evaluator: Evaluator
    submissions: list[Submission | None]
    failed: bool
    said: list[str]


def apart(runs: Iterable[Submission]) -> tuple[list[Submission], list[str]]:
    """The runs, and the paths of the stores that were among them."""
    runs = list(runs)
    stores = stores_among(one.run for one in runs if isinstance(one.run, Source))
    return [one for one in runs if name_of(one.run) not in stores], stores


def stores_among(files: Iterable[Source]) -> list[str]:
    """The paths of the stores among files."""
    return [one.path for one in files if not one.is_remote and not one.is_stream and one.kind is Kind.STORE]


def task_of(stores: Sequence[str]) -> tuple[str | None, str]:
    """The task that the runs of stores were scored for, and what shows it.

    Raises:
        ColieeError: a store cannot be read, or the task is not known.
    """
    if stores:
        from coliee_ir.scoring import store  # which most commands do without

        if (task := store.task_of(stores)) is not None:
            return task, f"as in {stores[0]}"
    return None, ""


def kept(stores: Sequence[str], evaluator: Evaluator) -> Iterator[Scores]:
    """The scores of all runs of stores.

    Raises:
        InputError: a store cannot be read.
        UsageError: a store has none by this gold and these rules.
    """
    if stores:
        from coliee_ir.scoring.store import ScoreStore  # see above
    for path in stores:
        with ScoreStore(path, reading=True) as store:
            yield from store.scores(evaluator)


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
    """Score runs that must all be sound; a store stands for the runs in it.

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
    given, stores = apart(Submission(*(as_given(part, columns) for part in Submission.of(one))) for one in runs)
    if task is None:
        task, _ = task_of(stores)
    evaluator, _ = begin(gold, given, measures, task=task, columns=columns, **rules)
    return score_all(evaluator, given, stores, jobs=1, executor=executor, keep_judged=keep_judged)


def score_all(
    evaluator: Evaluator,
    runs: Sequence[Submission],
    stores: Sequence[str],
    *,
    store: str | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
    keep_judged: bool = False,
    only_means: bool = False,
    watch: Callable[[Iterator[Scores | ColieeError], int], Iterable[Scores | ColieeError]] | None = None,
    leave_out: Callable[[ColieeError], None] | None = None,
) -> Scored:
    """Score runs, and take the scores of others from stores.

    Args:
        evaluator: what scores them.
        runs: the runs.
        stores: the stores whose scores are taken.
        store: a store that keeps the scores of the runs.
        jobs: see ``Evaluator.evaluate_all``.
        executor: see ``Evaluator.evaluate_all``.
        keep_judged: see ``Evaluator.evaluate``.
        only_means: whether the scores of single queries may be forgotten.
        watch: what looks on, given the results and how many there will be.
        leave_out: told of each run that cannot be read, which is left out; by default, its error is raised.

    Raises:
        ColieeError: a run cannot be read, and is not left out.
    """
    scores: list[Scores] = []
    for of_store in kept(stores, evaluator):
        scores.append(_of_table(of_store) if only_means else of_store)
    submissions: list[Submission | None] = [None] * len(scores)
    said = []
    failed = False
    with ExitStack() as stack:
        if store is None:
            results = evaluator.evaluate_all(runs, jobs=jobs, executor=executor, keep_judged=keep_judged)
        else:
            from coliee_ir.scoring.store import ScoreStore

            keeping = stack.enter_context(ScoreStore(store))
            results = keeping.score(evaluator, runs, jobs=jobs, executor=executor)
        for one, result in zip(runs, watch(results, len(runs)) if watch else results, strict=True):
            if isinstance(result, Scores):
                scores.append(_of_table(result) if only_means else result)
                submissions.append(one)
            elif leave_out is None:
                raise result
            else:
                failed = True
                leave_out(result)
        if store is not None:
            said.append(f"{store}: {counted(keeping.new, 'run')} scored, {keeping.known} known")
    return Scored(scores, evaluator, submissions, failed, said)


def _of_table(scores: Scores) -> Scores:
    """Scores without those of single queries: of many thousands of runs a table needs no more."""
    results = {measure: Result(result.value, _NONE) for measure, result in scores.results.items()}
    answered = _every(len(scores.query_ids)) if all(scores.answered) else scores.answered
    return replace(scores, results=results, answered=answered, judged={}, ties={})


@functools.cache
def _every(n: int) -> tuple[bool, ...]:
    return (True,) * n
