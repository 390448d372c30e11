"""Several runs scored by one evaluator, beside what holds the scores of runs: stores and logs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import ColieeError
from coliee_adapters.files import Kind, Source
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.lines import counted
from coliee_ir.scoring import log
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.means import Means
from coliee_ir.scoring.reading import given as as_given
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.session import begin
from coliee_ir.scoring.submission import Submission, name_of

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Held(NamedTuple):
    """Files that hold the scores of runs.

    Attributes:
        stores: the paths of stores.
        logs: logs of evaluations.
    """

    stores: Sequence[str] = ()
    logs: Sequence[log.Log] = ()

    @classmethod
    def among(cls, files: Iterable[Source]) -> Held:
        """The stores and logs among files.

        Raises:
            InputError: a log cannot be read.
        """
        here = [file for file in files if not file.is_remote and not file.is_stream]
        stores = [file.path for file in here if file.kind is Kind.STORE]
        return cls(stores, [log.read_log(file.path) for file in here if log.is_log(file)])

    @property
    def paths(self) -> set[str]:
        """Their files."""
        return {*self.stores, *(one.path for one in self.logs)}

    def again(self, named: Collection[str]) -> list[Submission]:
        """The logged runs whose files are as they were, without those that were named themselves."""
        parts = dict.fromkeys(parts for one in self.logs for parts in one.runs if parts[0] not in named)
        return [Submission(*each) for each in parts]

    def task(self, *, alone: bool) -> tuple[str | None, str]:
        """The task that the runs were scored for, and what shows it; a log shows it where there are no other runs.

        Raises:
            ColieeError: a store cannot be read, or the task is not known.
        """
        if self.stores:
            from coliee_ir.scoring.store import task_of

            if (task := task_of(self.stores)) is not None:
                return task, f"as in {self.stores[0]}"
        if alone and self.logs:
            return log.task_of(self.logs), f"as in {self.logs[0].path}"
        return None, ""

    def scores(self, evaluator: Evaluator) -> Iterator[Scores]:
        """The scores of all runs of the stores.

        Raises:
            UsageError: a store has none by this gold and these rules.
        """
        if self.stores:
            from coliee_ir.scoring.store import ScoreStore
        for path in self.stores:
            with ScoreStore(path, reading=True) as store:
                yield from store.scores(evaluator)

    def logged(self, evaluator: Evaluator, *, means_do: bool = True) -> tuple[list[Scores], list[str]]:
        """The logged scores of runs that cannot be scored again, and a sentence on each log: see ``Log.scores``."""
        found = [one.scores(evaluator, means_do=means_do) for one in self.logs]
        return [scores for of_log, _ in found for scores in of_log], [sentence for _, sentence in found]


class Scored(NamedTuple):
    """Runs that were scored by one evaluator.

    Attributes:
        scores: those of stores, then those of the runs that could be read.
        evaluator: what scored them.
        submissions: the run of each; None for one of a store, of which there are only scores.
        failed: whether a run was left out.
        logged: the scores that a log has of runs that cannot be scored again, without those of single queries.
        said: in sentences, what became of the runs of stores and logs.
    """

    scores: Sequence[Scores]
    evaluator: Evaluator
    submissions: list[Submission | None]
    failed: bool
    logged: list[Scores]
    said: list[str]


def apart(runs: Iterable[Submission]) -> tuple[list[Submission], Held]:
    """The runs, and the stores and logs that were among them.

    Raises:
        InputError: a log cannot be read.
    """
    runs = list(runs)
    held = Held.among(one.run for one in runs if isinstance(one.run, Source))
    return [one for one in runs if name_of(one.run) not in held.paths], held


def score(
    gold: GoldLike,
    runs: Sequence[RunLike | Submission],
    measures: str | Sequence[str] = (),
    *,
    task: str | int | None = None,
    columns: Mapping[str, str] | None = None,
    executor: Executor | None = None,
    keep_judged: bool = False,
    means_do: bool = False,
    **rules: Any,
) -> Scored:
    """Score runs that must all be sound; a store stands for the runs in it, a log for those whose files are unchanged.

    Args:
        gold: what ``read_gold`` takes.
        runs: what ``read_run`` takes, a ``Submission`` of several parts, or the path of a store or a log.
        measures: names of measures; by default the official ones.
        task: see ``begin``; by default, that of the stores.
        columns: see ``begin``.
        executor: see ``Evaluator.evaluate_all``.
        keep_judged: see ``Evaluator.evaluate``.
        means_do: see ``Log.scores``.
        rules: the others of ``begin``.

    Raises:
        ColieeError: a file cannot be read, or what was asked for does not exist or does not fit.
    """
    given, held = apart(Submission(*(as_given(part, columns) for part in Submission.of(one))) for one in runs)
    if task is None:
        task, _ = held.task(alone=not given)
    given += held.again({name_of(one.run) for one in given})
    given = [Submission(*(as_given(part, columns) for part in one)) for one in given]
    evaluator, _ = begin(gold, given, measures, task=task, columns=columns, **rules)
    return score_all(evaluator, given, held, jobs=1, executor=executor, keep_judged=keep_judged, means_do=means_do)


def score_all(
    evaluator: Evaluator,
    runs: Sequence[Submission],
    held: Held,
    *,
    store: str | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
    keep_judged: bool = False,
    only_means: bool = False,
    means_do: bool = False,
    watch: Callable[[Iterator[Scores | ColieeError], int], Iterable[Scores | ColieeError]] | None = None,
    leave_out: Callable[[ColieeError], None] | None = None,
) -> Scored:
    """Score runs, and take the scores of others from stores and logs.

    Args:
        evaluator: what scores them.
        runs: the runs.
        held: the stores and logs.
        store: a store that keeps the scores of the runs.
        jobs: see ``Evaluator.evaluate_all``.
        executor: see ``Evaluator.evaluate_all``.
        keep_judged: see ``Evaluator.evaluate``.
        only_means: whether the scores of single queries may be forgotten.
        means_do: see ``Log.scores``.
        watch: what looks on, given the results and how many there will be.
        leave_out: told of each run that cannot be read, which is left out; by default, its error is raised.

    Raises:
        ColieeError: a run cannot be read, and is not left out.
    """
    scores: list[Scores] | Means = Means() if only_means else []
    for of_store in held.scores(evaluator):
        scores.append(of_store)
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
                scores.append(result)
                submissions.append(one)
            elif leave_out is None:
                raise result
            else:
                failed = True
                leave_out(result)
        if store is not None:
            said.append(f"{store}: {counted(keeping.new, 'run')} scored, {keeping.known} known")
    logged, of_logs = held.logged(evaluator, means_do=means_do)
    return Scored(scores, evaluator, submissions, failed, logged, said + of_logs)
