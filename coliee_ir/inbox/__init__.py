"""The runs that were given, wherever they are: in memory, in files, in folders and archives."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from coliee_adapters.errors import UsageError
from coliee_adapters.files import remote
from coliee_adapters.files.source import PathKind, PathLike, Source
from coliee_adapters.records import Gold, RunLike
from coliee_ir.reading.anything import EXAM_IN_NAME, is_long_list, readable, tag_of
from coliee_ir.reading.basis import Basis, Rules
from coliee_ir.reading.submission import Intake, Submission, name_of

if TYPE_CHECKING:
    from coliee_ir.inbox.inventory import Inventory
    from coliee_ir.inbox.teams import Sender

_PATHS: Final = (str, os.PathLike, Source)


class Runs(NamedTuple):
    """The runs that were given, before any is scored."""

    alone: Sequence[Submission] = ()  # those that are submissions as they are
    # where folders or archives are among the paths, all files that came; None where there are none
    inventory: Inventory | None = None
    together: bool = False  # whether all files are the submissions of a competition, of which a part alone is none
    names: Mapping[str, str] = MappingProxyType({})  # file → what the caller calls its run
    intake: Intake | None = None  # the submissions, where they are grouped already

    @property
    def sources(self) -> list[Source]:
        """The files that may be runs."""
        return [file for submission in self.alone for file in submission.files] + (
            [file.source for file in self.inventory.scored] if self.inventory is not None else []
        )

    @property
    def showing_task(self) -> list[Submission]:
        """What shows the task: all that can be read."""
        readable_files = (
            [file for file in self.inventory.scored if file.error is None] if self.inventory is not None else []
        )
        return [*self.alone, *(Submission(file.source) for file in readable_files)]

    def with_parts(self, answers: Sequence[PathLike | Source | None], long_lists: Sequence[PathLike | None]) -> Runs:
        """Each file with the answers and the long list that belong to it, in their order."""
        parts = zip(self.sources, answers, long_lists, strict=True)
        return self._replace(alone=[Submission(*map(readable, part)) for part in parts], inventory=None)

    def submissions(self, basis: Basis) -> Intake:
        """The submissions: files of one run tag are one; of folders, what is not a run is left out.

        :meta private:
        """
        if self.intake is not None:
            return self.intake
        if self.inventory is None and not _may_belong(self.alone, basis):
            return Intake(list(self.alone), [], [])
        from coliee_ir.inbox.grouping import group, group_named  # needed for several files alone

        if self.inventory is None:
            return group_named(self.alone, basis)
        grouped = group(self.inventory, basis, alone=not self.together)
        every = [
            replace(submission, name=self.names.get(name_of(submission.run), "")) for submission in grouped.submissions
        ]
        if not self.together:  # scored like the others, so that whoever asks gets the error itself
            every += [Submission(invalid.files[0], team=invalid.team) for invalid in grouped.invalid]
        invalid = grouped.invalid if self.together else []
        return Intake([*every, *self.alone], invalid, [*self.inventory.remarks(), *grouped.remarks])


def find_runs(
    runs: PathLike | Mapping[str, RunLike | Submission] | Iterable[RunLike | Submission],
    golds: Iterable[Gold],
    rules: Rules,
    *,
    besides: Iterable[PathLike | None] = (),
    together: bool = False,
    teams: PathLike | Mapping[str, str] | None = None,
) -> Runs:
    """Find the runs; those alone in files are not read yet."""
    if isinstance(runs, _PATHS):
        runs = [runs]
    named = list(runs.items()) if isinstance(runs, Mapping) else [("", run) for run in runs]
    alone, paths, names = list[Submission](), list[Source](), dict[str, str]()
    for name, run in named:
        sent = Submission.of(run, partial(readable, columns=rules.get("columns")))
        if isinstance(run, _PATHS) and isinstance(sent.run, Source):
            paths.append(sent.run)
            names[sent.run.path] = name
        alone.append(replace(sent, tag=sent.tag or str(getattr(sent.run, "tag", "")), name=name or sent.name))
    folders = [source for source in paths if not together and (source.is_folder or source.kind is PathKind.ARCHIVE)]
    if not (together or folders):
        return Runs(alone)
    from coliee_ir.inbox.inventory import sort_files
    from coliee_ir.inbox.tasks import Golds, QueryFile  # needed for folders alone
    from coliee_ir.inbox.teams import Teams

    who = Teams(teams, [source.path for source in paths]) if together else None
    besides = [*besides, *([teams] if isinstance(teams, str | os.PathLike) else [])]
    inventory = sort_files(paths, rules, golds=Golds(map(QueryFile.of, golds)), besides=besides, teams=who)
    places = [Path(_place(file.file)) for file in inventory.scored]
    for source in folders:
        if not any(place.is_relative_to(_place(source.path)) for place in places):
            raise UsageError("no-run", "; ".join([f"{source.path} holds no run", *inventory.remarks()]))
    in_paths = set(map(id, paths))
    in_memory = [submission for submission in alone if id(submission.run) not in in_paths]
    if who is not None:
        in_memory = [_listed(submission, who.sender_of(submission.name or submission.tag)) for submission in in_memory]
    return Runs(in_memory, inventory, together, names)


def _listed(submission: Submission, whose: Sender) -> Submission:
    """A submission with what a list of teams says of it."""
    return replace(
        submission,
        team=submission.team or whose.team,
        status=submission.status or whose.status,
        more=whose.more,
        listed="" if whose.listed is None else whose.listed.run,
    )


def _may_belong(submissions: Sequence[Submission], basis: Basis) -> bool:
    """Whether named files may be parts of one run: where the task has parts, or two files have one run tag."""
    alone = [
        submission.run
        for submission in submissions
        if isinstance(submission.run, Source) and submission.files == [submission.run] and not submission.name
    ]
    has_long = bool(basis.protocol.long_list) and any(map(is_long_list, alone))
    if has_long or len(alone) < 2:
        return has_long
    has_parts = sum(part in basis.qrels for part in basis.protocol.parts) > 1
    return has_parts or len({re.sub(EXAM_IN_NAME, "", tag_of(run)) for run in alone}) < len(alone)


def _place(path: str) -> str:
    return path if remote.is_remote(path) else os.path.realpath(path)
