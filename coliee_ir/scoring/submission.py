"""What a team hands in, and the records that its parts are read as."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from numbers import Number
from types import MappingProxyType
from typing import Any, TypeVar

import numpy.typing as npt

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.inputs import RunLike
from coliee_adapters.records import Answers, Run
from coliee_adapters.remarks import Remark
from coliee_ir.scoring.prepared import Prepared

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
    """A submission, or a file, that could not be scored.

    Attributes:
        files: its files.
        tag: its run tag; empty where it could not be read.
        team: the team; empty where it is not known.
        reason: why, in a sentence, with its kind.
    """

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
            raise UsageError("unfit-option", f"{against.named_task} has no answers to score")
        if "answers" not in against.qrels:
            raise UsageError("wrong-part", f"{against.gold.path} holds no labels to score answers by")
        answers = _expect(read(given), Answers, against)
    if submission.long_list is not None:
        if not rules.long_list:
            raise UsageError("unfit-option", f"{against.named_task} has no long list")
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
