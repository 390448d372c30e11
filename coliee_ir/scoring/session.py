"""The beginning of all scoring: the gold is read, the task found and the evaluator made, once and in one way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, Unpack

from coliee_adapters.classes import NamedTuple
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.records import Gold
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import ANSWERS_BESIDE, Found, task_name
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.reading import find_task, read_gold, telling
from coliee_ir.scoring.submission import Submission


class Rules(TypedDict, total=False):
    """By which rules runs are scored: what every function that scores takes.

    Attributes:
        task: ``1`` … ``5``, ``tort``, ``rationale`` or ``trec``; by default it is found from gold and runs.
        edition: the year whose rules count; by default the newest of the task.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open: all as ``Decisions``, or some by name.
        columns: what the columns of tables and frames are called, by role, in gold and runs: see ``read_gold``.
    """

    task: str | int | None
    edition: str | int | None
    exclude: str | Iterable[str]
    only: str | Iterable[str] | None
    decisions: Decisions | Mapping[str, str] | None
    columns: Mapping[str, str] | None


class Opened(NamedTuple):
    """A gold, the task that it and the submissions belong to, and what shows it; empty where it was named."""

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
    """Read the gold and find the task."""
    named = task_name(task)
    record = read_gold(gold, task=named, columns=columns)
    return Opened(record, *find(record, submissions, named, columns))


def find(
    gold: Gold,
    submissions: Sequence[RunLike | Submission],
    task: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Found:
    """The task that a gold and submissions belong to, where it is not named."""
    if task is not None:
        return Found(task, "")
    every = [Submission.of(one) for one in submissions]
    if any(one.answers is not None for one in every):
        return ANSWERS_BESIDE
    run = (
        None if gold.labels is None else telling((one.run for one in every), columns)
    )  # beside labels alone they tell anything
    return find_task(gold, run, columns)


def begin(
    gold: GoldLike,
    submissions: Sequence[RunLike | Submission],
    measures: str | Sequence[str] = (),
    **rules: Unpack[Rules],
) -> tuple[Evaluator, str]:
    """The gold prepared, and what shows the task; the submissions show it where the gold does not."""
    of = read(gold, submissions, task=rules.get("task"), columns=rules.get("columns"))
    rules["task"] = of.task
    return Evaluator(of.gold, measures, **rules), of.because
