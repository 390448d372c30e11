"""What a team hands in: its parts, whose they are, or why they cannot be scored."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from numbers import Number
from operator import is_
from typing import Any, NamedTuple

import numpy.typing as npt

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import Source
from coliee_adapters.forms.vocabulary import MEMORY
from coliee_adapters.records import Answers, Run, RunLike
from coliee_adapters.remarks import Remark

#: query indices, document indices, scores
Arrays = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Submission:
    """What a team hands in: the run, and in Task 3 what belongs to it; and whose it is.

    Iterating gives the parts: the run, its answers, its long list.

    Attributes:
        run: what ``read_run`` takes; a list of files is one run that lies in several.
        answers: its answers, where the task asks for both.
        long_list: its long list, where the task has one.
        tag: its run tag; empty where it is not read yet.
        team: whose it is; empty where nothing tells it.
        name: what it is called among those that are scored with it; empty where it goes by its tag.
        received: when the mail that brought it was received, in UTC; empty for what came otherwise.
        status: why it is not ranked; empty where it is.
        replaces: the file of an earlier submission of the same team and tag; empty where there is none.
        replacement: its file that replaces that one.
        gold: the file of the gold that it is judged by, where there are several; empty where nothing tells it.
        findings: what a person must decide of it.
        listed: what the row of the list of teams that is about it names: its tag, file or folder; empty without one.
        more: what the list of teams says of it, or of its team, in its further columns.
        is_cut: whether its documents are the answer, and no ranking that has yet to be cut.

    Raises:
        UsageError: a part is plainly not a run.
    """

    run: RunLike | Arrays
    answers: RunLike | None = None
    long_list: RunLike | None = None
    tag: str = ""
    team: str = ""
    name: str = ""
    received: str = ""
    status: str = ""
    replaces: str = ""
    replacement: str = ""
    gold: str = ""
    findings: tuple[Remark, ...] = ()
    listed: str = ""
    more: tuple[str, ...] = ()
    is_cut: bool = True

    def __post_init__(self) -> None:
        for name, part in zip(("run", "answers", "long list"), self, strict=True):
            if isinstance(part, Number | Submission) or (part is None and name == "run"):
                raise UsageError(
                    "bad-value",
                    f"the {name} of a submission must be a path, a dictionary, a frame or a record, not {part!r}",
                )

    def __iter__(self) -> Iterator[Any]:
        return iter((self.run, self.answers, self.long_list))

    @classmethod
    def of(cls, run: RunLike | Arrays | Submission, opened: Callable[[Any], Any] | None = None) -> Submission:
        """A run alone, or a submission as it is; its parts as a function gives them."""
        if not isinstance(run, Submission):
            return cls(run if opened is None or run is None else opened(run))
        if opened is None:
            return run
        parts = [opened(part) for part in run]
        same = all(map(is_, parts, run))
        return run if same else replace(run, run=parts[0], answers=parts[1], long_list=parts[2])

    @property
    def parts(self) -> dict[str, Any]:
        """Its parts by name; those that it has."""
        return {
            name: part for name, part in zip(("run", "answers", "long_list"), self, strict=True) if part is not None
        }

    @property
    def files(self) -> list[Source]:
        """The files that it lies in."""
        return [file for part in self for file in files_of(part)]

    @property
    def ranking(self) -> RunLike | Arrays:
        """The ranked documents: the long list, where there is one."""
        return self.run if self.long_list is None else self.long_list

    def invalid(self, reason: Remark) -> Invalid:
        """That it could not be scored."""
        return Invalid(tuple(file.name for file in self.files), self.tag, self.team, reason)


def files_of(part: object) -> list[Source]:
    """The files that a part of a submission lies in; a path is one too."""
    if part is None or type(part) is dict:  # as most are where there are thousands
        return []
    several = part if isinstance(part, list | tuple) else [part]
    return [Source.of(file) for file in several if isinstance(file, str | os.PathLike | Source)]


def name_of(part: object) -> str:
    """What a part of a submission is called in messages: its file, where it has one."""
    if isinstance(part, Run | Answers):
        return part.path
    return ", ".join(file.name for file in files_of(part)) or MEMORY


def names_in_teams(runs: Sequence[tuple[str, str, Any]]) -> list[str]:
    """What each run is called beside its team: its tag; of several runs of a team with one tag, ``TAG (2)``.

    Args:
        runs: team, tag, and what sorts the runs of a team and tag; of equal ones, the first given comes first.

    >>> names_in_teams([("A", "x", 2), ("A", "x", 1), ("B", "x", 0)])
    ['x (2)', 'x', 'x']
    """
    names, taken = [""] * len(runs), {(team, tag) for team, tag, _ in runs}
    numbers: dict[tuple[str, str], Iterator[int]] = {}  # those not tried yet
    for i in sorted(range(len(runs)), key=lambda i: runs[i][2]):
        team, name, _ = runs[i]
        if (team, name) in numbers:
            own = numbers[team, name]
            name = next(candidate for n in own if (team, candidate := f"{name} ({n})") not in taken)
        else:
            numbers[team, name] = count(2)
        taken.add((team, name))
        names[i] = name
    return names


def unique_names(runs: Sequence[tuple[str, str, Any]]) -> list[str]:
    """A name for each run that no other has: its tag, ``TAG (2)``, or with the team where another team has the same.

    >>> unique_names([("A", "x", 0), ("A", "x", 1), ("B", "x", 2), ("", "y", 3), ("", "A x", 4)])
    ['A x', 'x (2)', 'B x', 'y', 'A x (2)']
    """
    names = names_in_teams(runs)
    n = Counter(names)
    whole = [f"{team} {name}".strip() if n[name] > 1 else name for (team, _, _), name in zip(runs, names, strict=True)]
    # a tag may be what a team and a tag of others make together
    return names_in_teams([("", name, i) for i, name in enumerate(whole)]) if len({*whole}) < len(whole) else whole


def order_of(submission: Submission) -> tuple[bool, str, bool]:
    """What sorts the submissions of a team and tag: ranked ones first, then by receipt, then copies, ``a (1).txt``."""
    is_copy = re.search(r" \(\d+\)(?:\.\w+)*$", name_of(submission.run)) is not None
    return bool(submission.status), submission.received, is_copy


class Invalid(NamedTuple):
    """A submission, or a file, that could not be scored, and why; tag and team are empty where they are not known."""

    files: tuple[str, ...]
    tag: str
    team: str
    reason: Remark


class Intake(NamedTuple):
    """The submissions that were found, the files that are none, and the remarks on both."""

    submissions: list[Submission]
    invalid: list[Invalid]
    remarks: list[str]
