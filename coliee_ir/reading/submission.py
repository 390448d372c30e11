"""What a team hands in: its parts, whose they are, or why they cannot be scored."""

from __future__ import annotations

import os
from numbers import Number
from typing import Any, NamedTuple

import numpy.typing as npt

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.records import Answers, Run, RunLike
from coliee_adapters.remarks import Remark

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
    """What the files came to: submissions, files that are not one, and remarks."""

    handed: list[Handed]
    invalid: list[Invalid]
    remarks: list[str]
