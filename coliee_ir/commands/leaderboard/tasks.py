"""Runs ranked over several tasks, or years, of which each counts the same.

Two questions: would other queries of *these* tasks give this order (queries vary), and would *other tasks* of their
kind (tasks vary)? Mean ranks and means of what there is are left out: they change with who takes part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Final

import numpy as np

from coliee_adapters.checked import groups_of
from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.forms.lines import counted
from coliee_adapters.ids import IntArray
from coliee_adapters.remarks import Remark
from coliee_ir.commands.leaderboard.board import LEAST_TASKS, Entry, Scale, possible_ranks
from coliee_ir.judging.judged import BoolArray, FloatArray
from coliee_ir.measures import Measure, Result
from coliee_ir.measures.base import Terms, quotient
from coliee_ir.output.grid import distinct
from coliee_ir.scoring.given import ROUNDED, ExternalMeasure, is_total
from coliee_ir.stats.paired import Board
from coliee_ir.stats.ranks import Ranks
from coliee_ir.stats.settings import Resampling
from coliee_ir.stats.strata import terms_over_tasks

#: what runs are ranked by: the measure's values, or the share of other runs that are beaten on each query
SCALES: Final = ("score", "wins")


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
    of = groups_of(tasks, queries, "tasks") or {}
    names = tuple(dict.fromkeys(sorted(of[query] for query in queries)))
    number = np.array([names.index(of[query]) for query in queries])
    within = {name: number == at for at, name in enumerate(names)}
    answered = [np.array(entry.scores.answered) for entry in entries]
    lacks = [[name for name, of_task in within.items() if not one[of_task].any()] for one in answered]
    kept = [entry for entry, missing in zip(entries, lacks, strict=True) if not missing]
    if len(names) < 2 or len(kept) < 2:
        found = f"{counted(len(names), 'task')}, {counted(len(kept), 'run')} with all of them"
        raise UsageError("too-few", f"a ranking over tasks needs two tasks and two runs that have all ({found})")
    values = [_contributions(entry.scores.results[measure], within.values()) for entry in kept]
    lower = measure.lower_is_better
    if scale == "wins":
        each = np.stack([entry.scores.results[measure].per_query for entry in kept]) * (-1 if lower else 1)
        beaten = [(np.sign(np.nan_to_num(one - each)).sum(axis=0) / (len(kept) - 1) + 1) / 2 for one in each]
        values, lower = beaten, False
    means = [[float(value[of_task].mean()) for of_task in within.values()] for value in values]
    if total := _total(names, np.array(means), number):
        problem = f"the task {shortened(total)} is a total over the others, and would count as one of them"
        raise UsageError("ambiguous", f"{problem}; take its rows out")
    called = ExternalMeasure(f"{'wins by' if scale == 'wins' else 'mean'} {measure}", "share", lower)
    headings = distinct(names, [called.title])  # one may be called as what ranks
    ranked = list[Entry]()
    for entry, one, of_tasks in zip(kept, values, means, strict=True):
        terms = terms_over_tasks(one, number)
        results: dict[Measure, Result] = {
            called: Result(terms.total, entry.scores.results[measure].per_query, None, terms)
        }
        results |= {
            ExternalMeasure(name, "share", lower): Result(value, one)
            for name, value in zip(headings, of_tasks, strict=True)
        }
        ranked.append(replace(entry, scores=replace(entry.scores, results=results, ties={})))
    block = np.mean(means, axis=0)
    told = []
    for entry, missing in zip(entries, lacks, strict=True):
        if missing and len(missing) < len(names):
            moved = block[[name not in missing for name in names]].mean() - block.mean()
            told.append(f"{shortened(entry.name)} lacks {', '.join(map(shortened, missing))}: {moved:+.4f}")
    told += [shortened(entry.name) for entry, missing in zip(entries, lacks, strict=True) if len(missing) == len(names)]
    remarks = [Remark.of("left-out.tasks", told)] if told else []
    if empty := sorted({*tasks.values()} - {*names}):
        remarks.append(Remark.of("left-out.empty-tasks", [*map(shortened, empty)]))
    return ranked, names, remarks


def _total(names: Sequence[str], means: FloatArray, task: IntArray) -> str:
    """The task that is a total: by its name, or a task of one query that is the mean of the others in every run."""
    others = (means.sum(axis=1, keepdims=True) - means) / (len(names) - 1)
    is_mean = np.isclose(means, others, rtol=ROUNDED, atol=0).all(axis=0) & (np.bincount(task) == 1)
    found = compress(names, is_mean & (len(names) > 3))
    return next(filter(is_total, names), next(found, ""))


def _contributions(result: Result, tasks: Iterable[BoolArray]) -> FloatArray:
    """What each query says of its task's score, which is the mean of that: of a mean over queries its values."""
    found, terms = np.zeros(len(result.per_query)), result.terms
    for of_task in tasks:
        board = Board([terms._replace(each=terms.each[of_task])])
        found[of_task] = board.f[0] + board.n * board.u[0]
    return found


def ranks_on_others(ranked: Sequence[Entry], n_tasks: int, settings: Resampling) -> dict[str, Ranks]:
    """Run → the ranks that it may have on other tasks; empty for fewer than six."""
    if n_tasks < LEAST_TASKS:
        return {}
    runs = []
    for entry in ranked:
        measures = [*entry.scores.results.items()][1 : n_tasks + 1]
        values = np.array([1 - of.value if measure.lower_is_better else of.value for measure, of in measures])
        runs.append(Terms(np.column_stack((values, np.ones(n_tasks))), quotient, np.zeros(2), True))
    stood, _ = possible_ranks(runs, settings, range(len(runs)))
    return {entry.name: possible_ranks.ranks for entry, possible_ranks in zip(ranked, stood, strict=True)}
