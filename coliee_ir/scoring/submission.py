"""What a team hands in: its parts, read, judged and counted."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from numbers import Number
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from coliee_adapters import forms
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.records import Answers, Columns, Run, RunLike
from coliee_adapters.remarks import Remark, Remarks
from coliee_ir.judging.judged import BoolArray, Judged, judge
from coliee_ir.judging.mismatch import diagnose
from coliee_ir.measures import Parts
from coliee_ir.measures.sets import Counts, counts
from coliee_ir.scoring.prepared import LABEL, Prepared

if TYPE_CHECKING:
    from concurrent.futures import Executor

_Record = TypeVar("_Record", Run, Answers)

#: query indices, document indices, scores
Arrays = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


class _Parts(NamedTuple):
    run: RunLike | Arrays
    answers: RunLike | None = None
    long_list: RunLike | None = None


class Submission(_Parts):
    """What a team hands in: the run, and in Task 3 what belongs to it. Each is what ``read_run`` takes.

    Raises:
        UsageError: a part is plainly not a run.
    """

    __slots__ = ()

    def __new__(
        cls, run: RunLike | Arrays, answers: RunLike | None = None, long_list: RunLike | None = None
    ) -> Submission:
        """A submission of these parts."""
        for name, part in (("run", run), ("answers", answers), ("long list", long_list)):
            if isinstance(part, Number | Submission) or (part is None and name == "run"):
                problem = f"the {name} of a submission must be a path, a dictionary, a frame or a record, not {part!r}"
                raise UsageError("bad-value", problem)
        return super().__new__(cls, run, answers, long_list)

    @classmethod
    def of(cls, run: RunLike | Arrays | Submission) -> Submission:
        """A run alone, or a submission as it is."""
        return run if isinstance(run, Submission) else cls(run)

    @property
    def ranking(self) -> RunLike | Arrays:
        """The ranked documents: the long list, where there is one."""
        return self.run if self.long_list is None else self.long_list


def name_of(part: object) -> str:
    """What a part of a submission is called in messages: its file, where it has one."""
    if isinstance(part, Source):
        return part.name
    if isinstance(part, Run | Answers):
        return part.path
    return os.fspath(part) if isinstance(part, str | os.PathLike) else MEMORY


class Invalid(NamedTuple):
    """A submission, or a file, that could not be scored, and why; tag and team are empty where they are not known."""

    files: tuple[str, ...]
    tag: str
    team: str
    reason: Remark


class Handed(NamedTuple):
    """A submission, ready to be scored."""

    parts: Submission  # its run, answers and long list
    team: str = ""  # whose it is
    tag: str = ""  # its run tag
    name: str = ""  # what the caller calls it; empty where it goes by its tag
    status: str = ""  # why it is not ranked; empty where it is

    def invalid(self, reason: Remark) -> Invalid:
        """That it could not be scored."""
        return Invalid(tuple(part.name for part in self.parts if isinstance(part, Source)), self.tag, self.team, reason)


class Collected(NamedTuple):
    """What the files came to: submissions, what is none, and what to know of it."""

    handed: list[Handed]
    invalid: list[Invalid]
    remarks: list[str]


class Records(NamedTuple):
    """A submission, read."""

    main: Run | Answers  # the run, whatever it holds
    documents: Run | None  # the documents to judge, if the task asks for any
    answers: Answers | None  # the answers to judge, if there are any
    long_list: Run | None  # the long list, if there is one
    beside: Mapping[str, Run | Answers] = MappingProxyType({})  # what else the run's file holds, by part


class Named(NamedTuple):
    """What the parts of a submission are called."""

    tag: str  # the run's name
    file: str  # the run's file
    others: Mapping[str, str]  # the files that belong to the run: ``answers``, ``long_list``
    other_tag: str | None  # the run tag of the answers, where the run has another; else None

    @classmethod
    def of(cls, given: Submission, read: Records) -> Named:
        """The names of a submission that was read."""
        others = {name: name_of(part) for name, part in given._asdict().items() if name != "run" and part is not None}
        differs = read.documents is not None and read.answers is not None and read.answers.tag != read.main.tag
        return cls(read.main.tag, read.main.path, others, read.answers.tag if read.answers and differs else None)


def records(submission: Submission, against: Prepared, read: Callable[[Any], Run | Answers]) -> Records:
    """Read the parts of a submission; its runs are read when they are judged."""
    rules = against.rules
    main = read(submission.run)
    documents = answers = longer = None
    given = submission.answers
    if given is None and "answers" in rules.parts:
        given = main.beside.get("answers")
    if "documents" in rules.parts:
        documents = _expect(main, Run, against)
    elif given is not None:
        raise UsageError("unfit-option", f"in task {rules.task} the run itself holds the answers: leave --answers out")
    else:
        given = main
    if given is not None:
        if "answers" not in rules.parts:
            raise UsageError("unfit-option", f"{against.named_task} has no answers to score: leave --answers out")
        if "answers" not in against.qrels:
            raise UsageError("wrong-part", f"{against.gold.path} holds no labels to score answers by")
        answers = _expect(read(given), Answers, against)
    if submission.long_list is not None:
        if not rules.long_list:
            raise UsageError("unfit-option", f"{against.named_task} has no long list: leave --long-list out")
        longer = _expect(read(submission.long_list), Run, against)
    return Records(main, documents, answers, longer, main.beside)


def _expect(record: Run | Answers, kind: type[_Record], against: Prepared) -> _Record:
    if isinstance(record, kind):
        return record
    holds, wanted = (
        ("labels, not documents", "documents") if kind is Run else ("documents, not labels", "labels Y or N")
    )
    remedy = f"task {against.rules.task} expects {wanted} here"
    if kind is Run and "answers" in against.rules.parts:
        remedy += "; the labels go with --answers, are the two swapped?"
    raise InputError("wrong-part", record.path, f"this submission contains {holds}", remedy=remedy)


def judge_parts(
    records: Records, against: Prepared, jobs: int = 1, executor: Executor | None = None
) -> dict[str, Judged]:
    """Judge each part of a submission."""
    parts: dict[str, Judged] = {}
    if records.documents is not None:
        parts["documents"] = _judge("documents", records.documents, against, None, jobs, executor)
        for side, letter in forms.tort.SIDES.items() if against.rules.claims else ():
            parts[side] = judge(against.qrels[side], _of_side(records.documents, letter), against.excluded)
    if records.answers is not None:
        parts["answers"] = _judge("answers", _as_run(records.answers), against, records.answers.remarks)
    for part in against.rules.others:
        run = records.beside.get(part)
        if isinstance(run, Run):
            parts[part] = _judge(part, run, against)
    if records.long_list is not None:
        parts["long"] = _judge("documents", records.long_list, against, None, jobs, executor)
    return parts


def _judge(
    part: str,
    run: Run,
    against: Prepared,
    tolerated: Remarks | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
) -> Judged:
    """Judge one part, refuse what does not belong to the gold, and note what looks wrong."""
    qrels = against.qrels[part]
    judged = judge(qrels, run, against.excluded, jobs, executor)
    refuse = against.decisions.no_overlap == "refuse"
    # articles and claims may be none: the answers beside them count
    documents = part == "documents" and not (against.rules.claims or against.gold.labels)
    noted = judged.remarks + diagnose(judged, run, against.gold.path, refuse=refuse, documents=documents)
    if part == "documents" and judged.retrieved.any() and not judged.rank.any():
        noted.add("no-match")
    return replace(judged, remarks=noted + (tolerated or Remarks()), first=None)


def _as_run(answers: Answers) -> Run:
    """Answers as a run that retrieves Y or N for each query, and nothing where the answer is neither."""
    rankings = {query: [LABEL[label]] for query, label in answers.labels.items()}
    rankings |= {query: [] for query in answers.unreadable}
    return Run.of(rankings, tag=answers.tag, path=answers.path, format=answers.format)


def _of_side(claims: Run, letter: str) -> Run:
    """The claims of one side."""
    return replace(claims, blocks=partial(_blocks_of_side, claims, letter))


def _blocks_of_side(claims: Run, letter: str) -> Iterator[Columns]:
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


def count(parts: Parts, against: Prepared) -> Counted:
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
    return Counted(counts(main[0], against.decisions), answered, in_part, tuple(extra))
