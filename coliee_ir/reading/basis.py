"""The basis of scores: a gold, the rules of its task and edition, the queries, and the measures that are asked for.

gold, runs, Rules ──basis_of──▶ Basis ──read──▶ Run, Answers
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final, TypedDict, Unpack

import numpy as np

from coliee_adapters import forms, layouts
from coliee_adapters.checked import suggesting_keywords, texts
from coliee_adapters.errors import InputError, UsageError, listed, shortened
from coliee_adapters.forms.lines import counted
from coliee_adapters.ids import BoolArray, Ids
from coliee_adapters.records import (
    ONE_WORD,
    Answers,
    Gold,
    GoldLike,
    IdRule,
    Run,
    RunLike,
    are_normal,
    exact_id,
    normal_id,
    wrong_id,
)
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Measure, parse, parse_formula
from coliee_ir.reading.anything import check_apart, in_order, read_gold, read_run_by, without_self_retrieval
from coliee_ir.reading.gold_ids import asks_cases, asks_statute_questions, documents_of
from coliee_ir.reading.submission import Arrays, Submission
from coliee_ir.reading.tasks import clearest_run, find_task
from coliee_ir.rules.choices import CHOICES, TASKS
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import TASK_SIGNS, Protocol, known_edition, protocol, task_name

LABEL: Final = {True: "Y", False: "N"}

#: the parts that a submission of some task has without naming them
IMPLIED: Final = ("plaintiff", "defendant")


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


#: decorates a public function that takes rules
suggesting_rules: Final = suggesting_keywords(*Rules.__annotations__)


def measures_named(names: Sequence[str], scores: Mapping[str, str] | None = None) -> tuple[Measure, ...]:
    """The measures of some names, each once."""
    formulas = scores or {}
    each = (
        [parse_formula(formulas[name], name)] if isinstance(name, str) and name in formulas else parse(name)
        for name in names
    )
    return tuple(dict.fromkeys(chain.from_iterable(each)))


def single_measures(
    names: Sequence[str], task: str | int | None = None, edition: str | int | None = None
) -> list[Measure]:
    """The measures of some names. A name that expands to several is refused: each comparison is corrected for."""
    scores = protocol(task, edition).scores if task else {}
    for name in names:
        if len(meant := measures_named([name], scores)) > 1:
            which = listed([*map(str, meant)], 3)
            raise UsageError("ambiguous", f"{name!r} expands to {len(meant)} measures ({which}); name one measure")
    return list(measures_named(names, scores))


def check_rules(rules: Protocol) -> None:
    """Refuse what a protocol file that is not part of the package states, if no measure or scoring choice is that."""

    def fault(key: str, problem: str) -> InputError:
        return InputError("protocol", rules.file, f"{key}: {problem}", remedy="correct the protocol")

    if not rules.own_file:
        return
    for name, choice in rules.decisions.items():
        if name not in CHOICES:
            raise fault(f"decisions, {name}", f"unknown scoring choice; there are {', '.join(CHOICES)}")
        if choice not in CHOICES[name]:
            raise fault(f"decisions, {name}", f"{choice!r} is not one of {', '.join(CHOICES[name])}")
    for score in rules.scores:
        if score == "Accuracy" and "answers" not in rules.parts:
            continue  # of classes, which are documents
        with contextlib.suppress(UsageError):
            parse(score)
            raise fault(f"scores, {score}", "a measure has this name")
    stated = {"measures": rules.measures, "tie_break": rules.tie_break, "long_list": rules.long_list}
    for key, names in {"scores": tuple(rules.scores), **stated}.items():
        for name in names:
            try:
                measures = measures_named([name], rules.scores)
            except UsageError as error:
                raise fault(f"{key}, {name}" if key == "scores" else key, str(error)) from None
            lacking = [part for measure in measures for part in measure.needs if part not in (*rules.parts, *IMPLIED)]
            if lacking:
                raise fault(key, f"{name} needs {lacking[0]}, which parts does not name")


@dataclass(frozen=True, eq=False)
class Basis:
    """What scores rest on, whether they were computed here or read from a file.

    Attributes:
        gold: the gold; of scores that were read, its path alone.
        protocol: the rules of its task.
        edition: the edition whose rules these are; None for a task without editions.
        decisions: the choices where the organisers leave it open.
        queries: the queries to score.
        excluded: those that are left out.
        qrels: part of a submission → what it is judged by; all have the same queries in the same order.
        asked_measures: those asked for; empty for the official ones.
        task_evidence: what shows the task, where it was not named; and that a later edition was asked for.
        columns: what the columns of runs are called, by role.
    """

    gold: Gold
    protocol: Protocol
    edition: int | None
    decisions: Decisions
    queries: tuple[str, ...]
    excluded: frozenset[str]
    qrels: Mapping[str, Qrels]
    asked_measures: tuple[Measure, ...] = ()
    task_evidence: str = ""
    columns: Mapping[str, str] | None = None
    documents: Ids | None = None  # the documents' ids, where runs are given as arrays of indices

    @property
    def task(self) -> str:
        """The task."""
        return self.protocol.task

    @property
    def named_task(self) -> str:
        """The task with its edition, if it has one."""
        return f"task {self.task}" + ("" if self.edition is None else f" of {self.edition}")

    @cached_property
    def official(self) -> tuple[Measure, ...]:
        """The official measures; the first one ranks."""
        return measures_named(self.protocol.measures, self.protocol.scores)

    @cached_property
    def on_long_list(self) -> tuple[Measure, ...]:
        """The official measures of a long list."""
        return measures_named(self.protocol.long_list, self.protocol.scores)

    @property
    def names(self) -> list[str]:
        """The measures that were asked for, or the official ones."""
        return [measure.name for measure in self.asked_measures or self.official]

    @cached_property
    def read_as(self) -> str | None:
        """The task that submissions are read as; their ids must be compared as the gold's were."""
        return None if self.protocol.exact_ids and not _ids_stand(self.gold) else self.task

    @property
    def id_of(self) -> IdRule:
        """How ids are compared."""
        return exact_id if self.protocol.exact_ids and self.read_as is not None else normal_id

    def queries_where(self, which: BoolArray) -> list[str]:
        """The ids of the queries that ``which``, of shape (Q,), marks."""
        return [self.queries[i] for i in np.flatnonzero(which)]

    def read(self, run: RunLike | Arrays) -> Run | Answers:
        """A run, by these rules.

        Raises:
            InputError: it cannot be read.
            UsageError: arrays are given, and no documents were named at the beginning.
        """
        source: Any = run
        if isinstance(source, tuple) and len(source) == 3 and all(isinstance(part, np.ndarray) for part in source):
            if self.documents is None:
                raise UsageError("shape", "arrays of indices need the documents' ids: Evaluator(…, documents=ids)")
            record: Run | Answers = forms.frames.run_of_arrays(*source, queries=self.queries, documents=self.documents)
        elif (
            self.documents is not None and isinstance(source, tuple) and any(isinstance(part, list) for part in source)
        ):
            raise UsageError(
                "shape", "query indices, document indices and scores are NumPy arrays: numpy.asarray(list)"
            )
        else:
            # by the rules and not by the task's name, which another process may not know
            rules = None if self.read_as is None and self.protocol.run is None else self.protocol
            unreadable = self.decisions.unreadable_answers
            check_apart(self.gold, source, self.columns)
            record = read_run_by(source, rules, unreadable_answers=unreadable, columns=self.columns)
        record = in_order(record, "ascending") if self.decisions.order == "ascending" else record
        return without_self_retrieval(record) if self.protocol.not_itself and isinstance(record, Run) else record


def basis_of(
    gold: GoldLike,
    measures: str | Sequence[str] = (),
    *,
    documents: Sequence[str] | None = None,
    runs: Sequence[RunLike | Submission] = (),
    **rules: Unpack[Rules],
) -> Basis:
    """The basis of scores by a gold; some of the runs show the task where neither ``task`` nor the gold does."""
    columns, year, task, evidence = rules.get("columns"), rules.get("edition"), task_name(rules.get("task")), ""
    record = read_gold(gold, task=task, columns=columns)
    if task is None:
        every = [Submission.of(run) for run in runs]
        task, evidence = (
            TASK_SIGNS["answers-beside"]
            if any(submission.answers is not None for submission in every)
            # beside labels alone runs tell anything
            else find_task(
                record, None if record.labels is None else clearest_run((run.run for run in every), columns), columns
            )
        )
    task_rules = protocol(task, year)
    edition, later = known_edition(task_rules, year)
    check_rules(task_rules)
    decisions = Decisions.of(rules.get("decisions"), task_rules)
    _refuse_other_task(record, task_rules, "leave out --answers" if rules.get("task") is None else "change --task")
    in_gold, only = dict.fromkeys(record.queries), rules.get("only")
    left_out = _queries_named(rules.get("exclude", ()), "exclude", record.path, in_gold) | (
        in_gold.keys() & task_rules.exclude
    )
    if only is not None:
        left_out |= in_gold.keys() - _queries_named(only, "score", record.path, in_gold)
    queries = tuple(query for query in in_gold if query not in left_out)
    if not queries:
        raise UsageError("no-query", f"no query of {record.path} is left to score")
    qrels = {
        part: Qrels(judgements, task_rules.level)
        for part, judgements in _judgements(record, task_rules, queries).items()
    }
    names = texts("measures", measures, "the name of a measure, or a list of names", ordered=True)
    basis = Basis(
        record, task_rules, edition, decisions, queries, frozenset(left_out), qrels,
        measures_named(names, task_rules.scores), "; ".join(filter(None, (evidence, later))), columns,
    )  # fmt: skip
    if documents is None:
        return basis
    return replace(basis, documents=forms.frames.document_ids(documents, basis.id_of, commas=task_rules.exact_ids))


def _ids_stand(gold: Gold) -> bool:
    """Whether a gold's ids stand as written: a dictionary's may have been read, and normalised, without the task."""
    if gold.format in ("qrels", layouts.FORMAT):
        return True
    ids = [*gold.queries, *documents_of(gold)]
    return not are_normal(ids) or bool(wrong_id(ids, commas=False))


def _queries_named(ids: str | Iterable[str], purpose: str, path: str, in_gold: Mapping[str, None]) -> frozenset[str]:
    """The queries that are named, as the gold names them."""
    name = "only" if purpose == "score" else purpose
    typed = re.split(r"[,\s]+", ids) if isinstance(ids, str) else texts(name, ids, "query ids, in a list or a text")
    named = {query if query in in_gold else normal_id(query): query for query in typed if query}
    if unknown := sorted(query for normal, query in named.items() if normal not in in_gold):
        raise UsageError(
            "unknown-query",
            f"{counted(len(unknown), 'id')} to {purpose} cannot be found in {path}: "
            f"{', '.join(map(shortened, unknown[:3]))}; name queries, or on the command line a file with an id in its "
            "first column",
        )
    return frozenset(named)


def _refuse_other_task(gold: Gold, rules: Protocol, remedy: str) -> None:
    """Refuse a gold that is plainly of another task than the one asked for."""
    task = rules.task
    if gold.task in TASKS and task != gold.task:
        raise UsageError(
            "wrong-task", f"{gold.path} is a gold of task {gold.task}, as the file says, not of task {task}"
        )
    if rules.law == "case" and asks_statute_questions(gold):
        raise UsageError(
            "wrong-task", f"{gold.path} is a gold of statute questions, but Task {task} was requested; change --task"
        )
    if rules.law == "statute" and gold.labels is None and asks_cases(gold):
        raise UsageError(
            "wrong-task",
            f"{gold.path} is a gold of cases, as in Task 1, but Task {task} was requested; {remedy}",
        )
    if not rules.exact_ids and (wrong := wrong_id([*gold.queries, *documents_of(gold)], commas=False)):
        raise InputError(
            "bad-id",
            gold.path,
            wrong[1],
            found=wrong[0],
            remedy=f"{ONE_WORD}; plain TREC ids may have commas: task trec",
        )
    if gold.format != "memory" and rules.pilot != (gold.format == "tort"):
        raise UsageError(
            "wrong-task", f"{gold.path} is {'not ' if rules.pilot else ''}a gold of the pilot; the task is {task}"
        )


def _judgements(gold: Gold, rules: Protocol, queries: tuple[str, ...]) -> dict[str, Mapping[str, Mapping[str, int]]]:
    """What each part of a submission is judged by, over the same queries in the same order."""
    judgements: dict[str, Mapping[str, Mapping[str, int]]] = {}
    if "documents" in rules.parts:
        if gold.qrels is None:
            raise UsageError(
                "wrong-part",
                f"{gold.path} contains only labels, but Task {rules.task} needs relevant documents; is it the gold "
                f"of another task?",
            )
        if not rules.not_itself and queries == tuple(gold.qrels):
            judgements["documents"] = gold.qrels  # as they are held
        else:
            judgements["documents"] = {q: judgements_of(q, gold.qrels.get(q, {}), rules) for q in queries}
    if "answers" in rules.parts and gold.labels is not None:
        judgements["answers"] = {q: {LABEL[gold.labels[q]]: 1} if q in gold.labels else {} for q in queries}
    elif rules.parts == ("answers",):
        raise UsageError(
            "wrong-part",
            f"{gold.path} holds no labels; task {rules.task} is scored by them: give the gold as it is published, "
            "or what convert --to labels makes of it",
        )
    for part in rules.others:
        if part not in gold.other_parts:
            raise UsageError("wrong-part", f"{gold.path} does not hold {part}; task {rules.task} is scored by it")
        judgements[part] = {q: judgements_of(q, gold.other_parts[part].get(q, {}), rules) for q in queries}
    for side, letter in forms.tort.SIDES.items() if rules.claims else ():
        judgements[side] = {
            query: {claim: level for claim, level in judged.items() if claim.startswith(letter)}
            for query, judged in judgements["documents"].items()
        }
    return judgements


def judgements_of(query: str, judged: Mapping[str, int], rules: Protocol) -> Mapping[str, int]:
    """The judgements of a query, without the query itself where the rules take it out."""
    return {document: level for document, level in judged.items() if document != query} if rules.not_itself else judged


def qrels_of(part: str, qrels: Mapping[str, Qrels]) -> Qrels:
    """What a judged part of a submission is judged by: a long list by what the documents are."""
    return qrels["documents" if part == "long" else part]
