"""The parts of a submission, read and judged; how much they hold; and the measures that they allow.

Submission ──records──▶ Records ──judge_parts──▶ part → Judged
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import numpy as np

from coliee_adapters import forms
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.records import Answers, Columns, Run
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.judged import BoolArray, Judged, judge
from coliee_ir.judging.mismatch import diagnose
from coliee_ir.measures import Measure, Parts
from coliee_ir.measures.sets import Counts, counts
from coliee_ir.reading.anything import is_long_list
from coliee_ir.reading.asked import IMPLIED
from coliee_ir.reading.basis import LABEL, Basis
from coliee_ir.reading.submission import Submission, files_of, name_of
from coliee_ir.rules.protocol import Protocol, all_rules, has_coliee_submissions, submission_rules

if TYPE_CHECKING:
    from concurrent.futures import Executor

_Record = TypeVar("_Record", Run, Answers)

#: part of a submission → how to give it
NEEDED: Final = {
    "documents": "retrieved documents, which this task does not have",
    "answers": "answers Y or N: give them with --answers FILE",
    "plaintiff": "the pilot's claims: --task rationale",
    "defendant": "the pilot's claims: --task rationale",
}


def _years_with(task: str, fits: Callable[[Protocol], object]) -> str:
    """How to ask for rules of a task that have what others of it lack; nothing where none has."""
    latest = max((rules.last for rules in all_rules(task) if fits(rules)), default=0)
    return f", or take the rules that have it: --edition {latest}" if latest else ""


class Records(NamedTuple):
    """A submission, read."""

    main: Run | Answers  # the run, whatever it holds
    documents: Run | None  # the documents to judge, if the task asks for any
    answers: Answers | None  # the answers to judge, if there are any
    long_list: Run | None  # the long list, if there is one
    other_parts: Mapping[str, Run | Answers] = MappingProxyType({})  # what else the run's file holds, by part
    is_cut: bool = True  # whether the documents are the answer, and no ranking that has yet to be cut


def names_of(sent: Submission, read: Records) -> dict[str, Any]:
    """What the parts of a submission that was read are called, as fields of ``Scores``."""
    files = tuple(file.name for file in files_of(sent.run))
    beside = {"answers": read.answers, "long list": read.long_list}
    tags = {name: part.tag for name, part in beside.items() if part is not None and part is not read.main}
    return {
        "tag": sent.name or read.main.tag,
        "file": read.main.path,
        "files": files if len(files) > 1 else (),
        "team": sent.team,
        "others": {name: name_of(part) for name, part in sent.parts.items() if name != "run"},
        "other_tags": {name: tag for name, tag in tags.items() if tag != read.main.tag},
    }


def records(submission: Submission, basis: Basis) -> Records:
    """Read the parts of a submission; its runs are read when they are judged."""
    rules = basis.protocol
    _refuse_long_list(submission, basis)
    main = basis.read(submission.run)
    documents = answers = longer = None
    given, own = submission.answers, main.other_parts.get("answers") if "answers" in rules.parts else None
    if "documents" in rules.parts:
        documents = _expect(main, Run, basis)
        given = given or own
    elif given is not None:
        raise UsageError("unfit-option", f"in task {rules.task} the run itself holds the answers: leave --answers out")
    else:
        given = own or main
    if given is not None:
        if "answers" not in rules.parts:
            other = _years_with(rules.task, lambda one: "answers" in one.parts)
            raise UsageError("unfit-option", f"{basis.named_task} has no answers to score: leave --answers out{other}")
        if "answers" not in basis.qrels:
            problem = "holds no labels to score answers by"
            raise UsageError("wrong-part", f"{basis.gold.path} {problem}").with_text_for_others(f"the gold {problem}")
        answers = _expect(basis.read(given), Answers, basis)
    if submission.long_list is not None:
        if not rules.long_list:
            other = _years_with(rules.task, lambda one: one.long_list)
            raise UsageError("unfit-option", f"{basis.named_task} has no long list: leave --long-list out{other}")
        longer = _expect(basis.read(submission.long_list), Run, basis)
    return Records(main, documents, answers, longer, main.other_parts, submission.is_cut)


def _refuse_long_list(submission: Submission, basis: Basis) -> None:
    """Refuse a long list, as its file's name says, in the place of an answer set."""
    longer = files_of(submission.long_list)
    if not longer and not (submission.is_cut and _needs_set(basis)):
        return
    if (named := [file for file in files_of(submission.run) if is_long_list(file)]) and not any(
        map(is_long_list, longer)
    ):
        raise _list_as_set("this file is named as a long list", named[0].name, longer[0].name if longer else "")


def _needs_set(basis: Basis) -> bool:
    """Whether a task with long lists is scored by measures of the answer set too."""
    return bool(basis.protocol.long_list) and not (
        basis.asked_measures and all(measure.ranked for measure in basis.asked_measures)
    )


def _list_as_set(problem: str, file: str, other: str) -> InputError:
    """That a long list is given as the answer set; beside another file, or alone."""
    remedy = f"are they swapped? evaluate GOLD {other} --long-list {file}" if other else (
        f"name both: evaluate GOLD SET --long-list {file}; or the measures of a ranking: -m AP, -m MacroF2@5"
    )  # fmt: skip
    return InputError("wrong-part", file, f"{problem}, and is given as the answer set", remedy=remedy)


def _refuse_length(records: Records, parts: Mapping[str, Judged], basis: Basis) -> None:
    """Refuse a long list, as its length says, in the place of an answer set."""
    if (
        not records.is_cut
        or "documents" not in parts
        or not _needs_set(basis)
        or not has_coliee_submissions(basis.task)
    ):
        return
    least = submission_rules(basis.task, basis.edition).long_list
    if not _is_long(parts["documents"], least):
        return
    longer = records.long_list
    other = "" if longer is None or _is_long(parts["long"], least) else longer.path
    problem = f"this run has {least} documents or more for each query that it answers, as a long list"
    raise _list_as_set(problem, records.main.path, other)


def _is_long(judged: Judged, least: int) -> bool:
    """Whether a run has at least so many documents for each query that it answers, and the gold for none."""
    lengths = judged.retrieved[judged.retrieved > 0]
    return bool(lengths.size and lengths.min() >= least > judged.qrels.relevant().max(initial=0))


def _expect(record: Run | Answers, kind: type[_Record], basis: Basis) -> _Record:
    if isinstance(record, kind):
        return record
    holds, wanted = (
        ("labels, not documents", "documents") if kind is Run else ("documents, not labels", "labels Y or N")
    )
    remedy = f"task {basis.protocol.task} expects {wanted} here"
    if kind is Answers and "documents" in basis.protocol.parts:
        remedy += "; documents are the run itself: evaluate GOLD DOCUMENTS --answers LABELS"
    elif kind is Run and "answers" in basis.protocol.parts:
        remedy += f"; are they swapped? evaluate GOLD DOCUMENTS --answers {record.path}"
    elif kind is Run and basis.protocol.law == "statute":
        remedy += "; labels alone are scored with --task 4"
    raise InputError("wrong-part", record.path, f"this submission contains {holds}", remedy=remedy)


def judge_parts(records: Records, basis: Basis, jobs: int = 1, executor: Executor | None = None) -> dict[str, Judged]:
    """Judge each part of a submission."""
    parts: dict[str, Judged] = {}
    if records.documents is not None:
        parts["documents"] = _judge("documents", records.documents, basis, None, jobs, executor)
        for side, letter in forms.tort.SIDES.items() if basis.protocol.claims else ():
            claims = replace(records.documents, blocks=partial(_blocks_of_side, records.documents, letter))
            parts[side] = judge(basis.qrels[side], claims, basis.excluded)
    if records.answers is not None:
        parts["answers"] = _judge("answers", _as_run(records.answers), basis, records.answers.remarks)
    for part in basis.protocol.others:
        run = records.other_parts.get(part)
        if isinstance(run, Run):
            parts[part] = _judge(part, run, basis)
    if records.long_list is not None:
        parts["long"] = _judge("documents", records.long_list, basis, None, jobs, executor)
    _refuse_length(records, parts, basis)
    return parts


def _judge(
    part: str,
    run: Run,
    basis: Basis,
    tolerated: Remarks | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
) -> Judged:
    """Judge one part, refuse what does not belong to the gold, and note what looks wrong."""
    judged = judge(basis.qrels[part], run, basis.excluded, jobs, executor)
    refuse = basis.decisions.no_overlap == "refuse"
    # articles and claims may be none: the answers beside them count
    documents = part == "documents" and not (basis.protocol.claims or basis.gold.labels)
    noted = judged.remarks + diagnose(judged, run, basis.gold.path, refuse=refuse, documents=documents)
    if part == "documents" and judged.retrieved.any() and not judged.rank.any():
        noted.add("no-match")
    return replace(judged, remarks=noted + (tolerated or Remarks()), first=None)


def _as_run(answers: Answers) -> Run:
    """Answers as a run that retrieves Y or N for each query, and nothing where the answer is neither."""
    rankings = {query: [LABEL[label]] for query, label in answers.labels.items()}
    rankings |= {query: [] for query in answers.unreadable}
    return Run.of(rankings, tag=answers.tag, path=answers.path, format=answers.format)


def _blocks_of_side(claims: Run, letter: str) -> Iterator[Columns]:
    """The claims of one side."""
    for block in claims.blocks():
        for query, first, last in block.segments():
            documents = [claim for claim in block.documents[first:last] if claim.startswith(letter)]
            yield Columns([query], [0, len(documents)], documents)


class Counted(NamedTuple):
    """How many there are."""

    totals: Counts  # correct, retrieved and relevant documents of each query
    answered: BoolArray  # shape (Q,); the queries that are answered
    in_part: BoolArray  # shape (Q,); those of which one part is missing
    extra: tuple[str, ...]  # the queries of the run that the gold does not have


def count(parts: Parts, basis: Basis) -> Counted:
    """Count the main parts of a judged submission.

    Where both articles and a label are asked for, a question whose gold names no article needs only the label.
    """
    main = [parts[part] for part in ("documents", "answers") if part in parts]
    answered, in_part = main[0].answered, np.zeros_like(main[0].answered)
    if len(main) > 1:
        documents, answers = answered, main[1].answered
        answered = answers & (documents | (main[0].qrels.relevant() == 0))
        in_part = (documents | answers) & ~answered
    extra = sorted({query for part in main for query in part.extra})
    return Counted(counts(main[0], basis.decisions), answered, in_part, tuple(extra))


def choose(parts: Parts, basis: Basis) -> tuple[list[Measure], list[str]]:
    """The measures to compute: those asked for, or the official ones that the given parts allow; and the others."""
    rules = basis.protocol
    for measure in basis.asked_measures:
        for part in measure.needs:
            if part not in parts and part not in IMPLIED and part not in rules.parts:
                problem = f"{measure} needs {part}, which submissions to task {rules.task} do not contain"
                if measure.name.startswith("Accuracy@"):  # of BEIR and sentence-transformers
                    problem += f"; the share of queries with a hit is {measure.name.replace('Accuracy', 'Success')}"
                raise UsageError("unfit-measure", problem)
            if part not in parts:
                problem = f"{measure} needs {NEEDED.get(part, f'{part}, which this submission does not hold')}"
                raise UsageError("unfit-measure", problem)
    if basis.asked_measures:
        return list(basis.asked_measures), []
    official = dict.fromkeys((*basis.official, *(basis.on_long_list if "long" in parts else ())))
    possible = [measure for measure in official if all(part in parts for part in measure.needs)]
    return possible, [measure.name for measure in official if measure not in possible]
