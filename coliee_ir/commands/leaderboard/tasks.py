"""Runs ranked over several tasks, or years, of which each counts the same.

Two questions: would other queries of *these* tasks give this order (queries vary), and would *other tasks* of their
kind (tasks vary)? Mean ranks and means of what there is are left out: they change with who takes part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Final

import numpy as np

from coliee_adapters.checked import groups_of
from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.forms.lines import counted
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import Remark
from coliee_ir.commands.leaderboard.board import LEAST_TASKS, Entry, Scale, possible_ranks
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure, Result
from coliee_ir.measures.base import of_mean
from coliee_ir.output.grid import distinct
from coliee_ir.rules.choices import PLACES, SCALES
from coliee_ir.scoring.comparable import checked, measure_of, ranking_of
from coliee_ir.scoring.replicates import groups_in
from coliee_ir.scoring.score_tables import ExternalMeasure, Origin, Schema, is_total
from coliee_ir.scoring.scores import Scored, Scores
from coliee_ir.stats.paired import Board, Ranks
from coliee_ir.stats.resampling import Resampling
from coliee_ir.stats.strata import terms_over_tasks

#: fewer queries do not show how much those of their task vary (``benchmarks.golds_and_tasks``)
_FEW_QUERIES: Final = 5
#: scores beyond 1 that are so many times those of another task are on another scale
_UNLIKE: Final = 10


def joined(tasks: Mapping[str, Scored], name: str = "") -> Scored:
    """The scores of several tasks, each with its own runs and queries, as those of one table with a column of tasks.

    A run lacks the tasks in which it is not. A query is called ``TASK/QUERY``.

    Raises:
        UsageError: the tasks are ranked by different measures, and none is named that all have.
    """
    if len(tasks) < 2:
        raise UsageError("too-few", "a ranking over tasks needs two tasks: name a file of scores for each")
    for scored in tasks.values():
        checked(scored, 1, "each task")
    by_task = {task: measure_of(scored, name) if name else ranking_of(scored[0]) for task, scored in tasks.items()}
    measure, *others = dict.fromkeys(by_task.values())
    if others:
        listed = ", ".join(f"{shortened(task)} by {ranking}" for task, ranking in by_task.items())
        raise UsageError(
            "not-comparable",
            f"name a measure that all tasks have: -m NAME (in Python measure=); they are ranked {listed}",
        )
    firsts = [scored[0] for scored in tasks.values()]
    first, gold = firsts[0], ", ".join(dict.fromkeys(scores.gold for scores in firsts))
    rules = {(scores.task, scores.edition): scores.decisions for scores in firsts}
    task, edition = next(iter(rules)) if len(rules) == 1 else ("", None)
    of_query = {f"{name}/{query}": name for name, scored in tasks.items() for query in scored[0].query_ids}
    basis = Origin(gold, task, edition, first.decisions).basis(
        [*of_query], [measure], "; ".join(f"{name}: {scored.task_evidence}" for name, scored in tasks.items())
    )
    schema = Schema(first.unit, columns={place: [([*of_query], [*of_query.values()])] for place in PLACES})
    sizes, runs = [len(scores.query_ids) for scores in firsts], []
    for run in dict.fromkeys(scores.name for scored in tasks.values() for scores in scored):
        of_tasks = [next((scores for scores in scored if scores.name == run), None) for scored in tasks.values()]
        of_run = [scores for scores in of_tasks if scores is not None]
        results = [None if scores is None else scores.results.get(measure) for scores in of_tasks]
        answered = [
            answered
            for scores, n in zip(of_tasks, sizes, strict=True)
            for answered in ([False] * n if scores is None else scores.answered)
        ]
        runs.append(Scores(
            run, ", ".join(dict.fromkeys(scores.file for scores in of_run)), gold, task, edition,
            {measure: _of_all(results, sizes)}, basis.queries, answered, {}, 0, decisions=first.decisions,
            schema=schema, own_remarks=tuple(dict.fromkeys(remark for scores in of_run for remark in scores.remarks)),
            team=of_run[0].team,
        ))  # fmt: skip
    return Scored(
        runs,
        basis,
        [None] * len(runs),
        remarks=[remark for scored in tasks.values() for remark in scored.remarks],
        keep="scores",
    )


def _of_all(results: Sequence[Result | None], sizes: Sequence[int]) -> Result:
    """The result on the queries of all tasks; of those in which a run is not there is nothing."""
    terms = next(result.terms for result in results if result is not None)
    each, per_query = [], []
    for result, n in zip(results, sizes, strict=True):
        of_task = terms._replace(each=np.zeros((n, len(terms.besides)))) if result is None else result.terms
        each.append(of_task.each + of_task.besides / n)
        per_query.append(np.full(n, np.nan) if result is None else result.per_query)
    terms = terms._replace(each=np.concatenate(each), besides=np.zeros(len(terms.besides)))
    return Result(terms.total, np.concatenate(per_query), None, terms)


def tasks_of(scored: Scored, tasks: PathLike | Mapping[str, str] | None, scale: Scale) -> Mapping[str, str] | None:
    """Query → task, from a dictionary, a file or a column of the scores; None where all queries count the same.

    Raises:
        UsageError: it is not known whether the files of scores are tasks, or an option does not fit.
    """
    if tasks is None:
        checked(scored, min(len(scored), 1), "a ranking of one task")
        if scale != "score":
            raise UsageError("option-needed", "a scale is for runs of several tasks: use --tasks (in Python tasks=)")
        if any(getattr(remark, "kind", "") == "pooled-files" for remark in scored.remarks):
            raise UsageError(
                "option-needed",
                "the files hold other queries of the same runs, and it is not known whether they are tasks; say so "
                "with --tasks file (in Python, give task → scores), or write them into one file",
            )
        return None
    columns = () if not scored or scored[0].schema is None else scored[0].schema.columns
    if tasks in PLACES and tasks not in columns and not Path(tasks).exists():
        raise UsageError(
            "unfit-option",
            f"tasks: {tasks} is for several {tasks}s of scores, each of which is a task (in Python, task → scores); "
            "else name a file with lines QUERY TASK, or a column",
        )
    return groups_in(scored, tasks)


def over_tasks(
    entries: Sequence[Entry], measure: Measure, tasks: Mapping[str, str], scale: Scale
) -> tuple[list[Entry], tuple[str, ...], list[Remark]]:
    """The runs with all tasks by their mean over these, the names of the tasks, and what there is to say of the others.

    Raises:
        UsageError: fewer than two tasks, or than two runs that have all; a task that is a total over the others.
    """
    if scale not in SCALES:
        raise UsageError("unknown-name", f"unknown scale {scale!r}; the scales are {', '.join(SCALES)}")
    queries = entries[0].scores.query_ids if entries else ()
    task_of = groups_of(tasks, queries, "tasks") or {}
    unique, number, sizes = np.unique([task_of[query] for query in queries], return_inverse=True, return_counts=True)
    names = tuple(map(str, unique.tolist()))
    answered = [np.bincount(number, entry.scores.answered, len(names)) for entry in entries]
    complete = [entry for entry, of_tasks in zip(entries, answered, strict=True) if of_tasks.all()]
    if len(names) < 2 or len(complete) < 2:
        counts = f"{counted(len(names), 'task')}, {counted(len(complete), 'run')} with all of them"
        raise UsageError(
            "too-few",
            f"a ranking over tasks needs two tasks and two runs that have all ({counts}); to rank by what all runs "
            "have: --decision unanswered=common; where each folder is a task: --tasks folder",
        )
    if total := next(filter(is_total, names), ""):
        raise UsageError(
            "ambiguous",
            f"the task {shortened(total)} is a total over the others, and would count as one of them; take its "
            "rows out",
        )
    if single := [shortened(name) for name, n in zip(names, sizes.tolist(), strict=True) if n == 1]:
        raise UsageError(
            "too-few",
            f"a task with a single score of each run does not show how others of it would be: {', '.join(single)}; "
            "take it out, if it is a total, or make it one task with others",
        )
    _check_whole(entries, np.array(answered), names, sizes)
    within = {name: number == i for i, name in enumerate(names)}
    values = [_contributions(entry.scores.results[measure], within.values()) for entry in complete]
    lower = measure.lower_is_better
    if scale == "wins":
        each = np.stack([entry.scores.results[measure].per_query for entry in complete]) * (-1 if lower else 1)
        n_others = len(complete) - 1
        values = [(np.sign(np.nan_to_num(run - each)).sum(axis=0) / n_others + 1) / 2 for run in each]
        lower = False
    means = [[float(value[of_task].mean()) for of_task in within.values()] for value in values]
    called = ExternalMeasure(f"{'wins by' if scale == 'wins' else 'mean'} {measure}", "share", lower)
    headings = distinct(names, [called.title])  # one may be called as what ranks
    ranked = list[Entry]()
    for entry, values_of_run, each_mean in zip(complete, values, means, strict=True):
        terms = terms_over_tasks(values_of_run, number)
        results: dict[Measure, Result] = {
            called: Result(terms.total, entry.scores.results[measure].per_query, None, terms)
        }
        results |= {
            ExternalMeasure(name, "share", lower): Result(value, values_of_run)
            for name, value in zip(headings, each_mean, strict=True)
        }
        ranked.append(replace(entry, scores=replace(entry.scores, results=results, ties={})))
    block = np.mean(means, axis=0)
    left_out = []
    for entry, of_tasks in zip(entries, answered, strict=True):
        text, has = shortened(entry.name), of_tasks > 0
        if has.any() and not has.all():
            lacking = ", ".join(shortened(name) for name in compress(names, (~has).tolist()))
            text += f" lacks {lacking}: {block[has].mean() - block.mean():+.4f}"
        left_out += [] if has.all() else [text]
    remarks = [Remark.of("left-out.tasks", left_out)] if left_out else []
    if small := [f"{shortened(name)} {n}" for name, n in zip(names, sizes.tolist(), strict=True) if n < _FEW_QUERIES]:
        remarks.append(Remark.of("small-tasks", small, least=_FEW_QUERIES))
    greatest = np.abs(means).max(axis=0)
    if scale == "score" and greatest.max() > max(1.0, _UNLIKE * greatest.min()):
        remarks.append(
            Remark.of(
                "unlike-scales",
                [f"{shortened(name)} up to {value:.4g}" for name, value in zip(names, greatest.tolist(), strict=True)],
            )
        )
    if empty := sorted({*tasks.values()} - {*names}):
        remarks.append(Remark.of("left-out.empty-tasks", [*map(shortened, empty)]))
    return ranked, names, remarks


def _check_whole(entries: Sequence[Entry], answered: IntArray, names: Sequence[str], sizes: IntArray) -> None:
    """Refuse a run that lacks some queries of a task, where only whole tasks may be missing."""
    holes = np.argwhere((answered > 0) & (answered < sizes))
    if len(holes) and str(entries[0].scores.decisions.unanswered) == "tasks":
        run, task = holes[0].tolist()
        scores_of_task = f"{int(answered[run, task])} of {int(sizes[task])} scores"
        raise UsageError(
            "missing-key",
            f"{shortened(entries[run].name)} has {scores_of_task} of the task {shortened(names[task])}; complete them; "
            "or let those that are missing count 0: --decision unanswered=zero; or rank by those that all runs have: "
            "--decision unanswered=common",
        )


def _contributions(result: Result, tasks: Iterable[BoolArray]) -> FloatArray:
    """What each query says of its task's score, which is the mean of that: of a mean over queries its values."""
    contributions, terms = np.zeros(len(result.per_query)), result.terms
    for of_task in tasks:
        board = Board([terms._replace(each=terms.each[of_task])])
        contributions[of_task] = board.f[0] + board.n * board.u[0]
    return contributions


def ranks_on_others(ranked: Sequence[Entry], n_tasks: int, settings: Resampling) -> dict[str, Ranks]:
    """Run → the ranks that it may have on other tasks; empty for fewer than six."""
    if n_tasks < LEAST_TASKS:
        return {}
    runs = []
    for entry in ranked:
        measures = [*entry.scores.results.items()][1 : n_tasks + 1]
        values = [-result.value if measure.lower_is_better else result.value for measure, result in measures]
        runs.append(of_mean(np.array(values)))
    possible, _ = possible_ranks(runs, settings, range(len(runs)))
    return {entry.name: of_run.ranks for entry, of_run in zip(ranked, possible, strict=True)}
