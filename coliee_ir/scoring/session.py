"""A scoring session: the gold is read, the task found and the evaluator made, once and in one way for every command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Number

from coliee_adapters.classes import NamedTuple
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.records import Gold
from coliee_adapters.remarks import Remark
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import ANSWERS_BESIDE, Found, task_name
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.reading import find_task, given, read_gold, telling
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.submission import Submission


class Opened(NamedTuple):
    """A gold, and the task that it and the submissions belong to.

    Attributes:
        gold: the gold.
        task: the task.
        because: what shows the task; empty where it was named.
    """

    gold: Gold
    task: str
    because: str


def read(
    gold: GoldLike,
    submissions: Sequence[RunLike | Submission],
    *,
    task: str | int | None = None,
    columns: Mapping[str, str] | None = None,
) -> Opened:
    """Read the gold and find the task. Args and errors are those of ``begin``."""
    named = task_name(task)
    record = read_gold(gold, task=named, columns=columns)
    return Opened(record, *find(record, submissions, named, columns))


def find(
    gold: Gold,
    submissions: Sequence[RunLike | Submission],
    task: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Found:
    """The task that a gold and submissions belong to.

    Args:
        gold: the gold.
        submissions: see ``begin``.
        task: the task, where it is known.
        columns: see ``begin``.
    """
    if task is not None:
        return Found(task, "")
    every = [Submission.of(one) for one in submissions]
    if any(one.answers is not None for one in every):
        return ANSWERS_BESIDE
    run = (
        None if gold.labels is None else telling((one.run for one in every), columns)
    )  # beside labels alone they tell anything
    return find_task(gold, run, columns)


class Session(NamedTuple):
    """What a command scores with.

    Attributes:
        evaluator: the gold, prepared.
        because: what shows the task; empty where it was named.
    """

    evaluator: Evaluator
    because: str


def begin(
    gold: GoldLike,
    submissions: Sequence[RunLike | Submission],
    measures: str | Sequence[str] = (),
    *,
    task: str | int | None = None,
    edition: str | int | None = None,
    exclude: str | Iterable[str] = (),
    only: str | Iterable[str] | None = None,
    decisions: Decisions | None = None,
    columns: Mapping[str, str] | None = None,
) -> Session:
    """Read the gold, find the task, prepare the evaluator.

    Args:
        gold: what ``read_gold`` takes.
        submissions: opened runs, or a ``Submission`` of several parts each; they show the task where the gold does not.
        measures: names of measures; by default the official ones.
        task: the task; by default it is Task 3 where answers are given beside a run, else what gold and runs show.
        edition: the year whose rules count; by default the newest of the task.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open.
        columns: what the columns of tables are called, by role: see ``read_gold``.

    Raises:
        InputError: the gold cannot be read.
        UsageError: a task, an edition, a measure that does not exist or does not fit.
    """
    of = read(gold, submissions, task=task, columns=columns)
    evaluator = Evaluator(
        of.gold,
        measures,
        task=of.task,
        edition=edition,
        exclude=exclude,
        only=only,
        decisions=decisions,
        columns=columns,
    )
    return Session(evaluator, of.because)


def evaluate(
    gold: GoldLike,
    run: RunLike | Submission,
    *,
    task: str | int | None = None,
    edition: str | int | None = None,
    measures: str | Sequence[str] = (),
    answers: RunLike | None = None,
    long_list: RunLike | None = None,
    exclude: str | Iterable[str] = (),
    only: str | Iterable[str] | None = None,
    decisions: Decisions | None = None,
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Score one run.

    Args:
        gold: what ``read_gold`` takes: a path, a dictionary, a frame, …
        run: what ``read_run`` takes, or a ``Submission`` with what belongs to it.
        task: ``1`` … ``5``, ``tort``, ``rationale`` or ``trec``; by default it is found from the two.
        edition: the year whose rules count; by default the newest of the task.
        measures: names of measures; by default the official ones, the ranking one first.
        answers: the answers Y or N that belong to the run, in Task 3 from 2026 on.
        long_list: the ranked list that belongs to the run, in Task 3 up to 2025; measures that look at ranks read it.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open.
        columns: what the columns of tables and frames are called, by role, in gold and run: see ``read_gold``.

    Raises:
        InputError: a file cannot be read, or gold and run do not belong together.
        UsageError: a task, an edition, a measure or an option that does not exist or does not fit.

    >>> scores = evaluate({"001": ["013", "020"], "002": ["007"]}, {"001": ["013", "018"]}, task="2")
    >>> scores.measures
    {'MicroF1': 0.4, 'MicroP': 0.5, 'MicroR': 0.3333333333333333}
    >>> scores.header()
    '2 queries: 1 answered, 1 unanswered'
    """
    if gold is None or isinstance(gold, Number):
        read_gold(gold)  # which says what is wrong with it, before the run is looked at
    one = run if isinstance(run, Submission) else Submission(run, answers, long_list)
    one = Submission(*(given(part, columns) for part in one))
    evaluator, _ = begin(
        gold,
        [one],
        measures,
        task=task,
        edition=edition,
        exclude=exclude,
        only=only,
        decisions=decisions,
        columns=columns,
    )
    scores = evaluator.evaluate(one)
    if _values_are(gold, float) and _values_are(run, int):
        problem = "the gold's relevances are decimals and the run's scores integers; are the two swapped?"
        return replace(scores, remarks=(*scores.remarks, Remark("swapped", problem)))
    return scores


def _values_are(given: object, kind: type) -> bool:
    """Whether a dictionary holds dictionaries of such values only."""
    if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
        return False
    kinds = {type(value) for one in given.values() for value in one.values()}
    return kinds == {kind}
