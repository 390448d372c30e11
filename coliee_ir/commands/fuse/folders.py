"""Which of the files in folders are fused where no gold tells: those of one task, and of a run its ranking."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeVar

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import ColieeError, UsageError, contained, shortened
from coliee_adapters.files import Source, by_original, copies
from coliee_adapters.records import Answers
from coliee_ir.commands.validate.tasks import task_of_files
from coliee_ir.rules.protocol import LONG_LIST_FILE, Protocol, protocol
from coliee_ir.scoring.arriving import Passed, named_task
from coliee_ir.scoring.reading import read_run

_One = TypeVar("_One")


class _Found(NamedTuple):
    """A file that was found in a folder; ``task`` is empty where nothing shows it."""

    source: Source
    task: str
    tag: str
    answers: bool

    @property
    def is_long(self) -> bool:
        return re.search(LONG_LIST_FILE, Path(self.source.name).name) is not None


def to_fuse(sources: Sequence[_One], task: str | None, passed: Passed, named: Collection[str]) -> list[_One]:
    """The files without those found in a folder that are of another task, of another part, or copies.

    Answers with the run tag of articles belong to them; of a run with an answer set and a long list, the list is fused.

    Args:
        sources: the files, opened; what could not be opened stays.
        task: the task; by default that of all files.
        passed: what is passed over here is added.
        named: the files that were named themselves.

    Raises:
        UsageError: no task is named, and the files are of several.
    """
    found = [one for source in sources if isinstance(source, Source) and source.name not in named
             for one in _looked_into(source, task)]  # fmt: skip
    tags = {one.tag for one in found if not one.answers}
    of_articles = [one for one in found if one.answers and one.tag in tags and not named_task(one.source.name)]
    if task is None:
        firsts: dict[str, str] = {}
        for one in found:
            if one.task and one not in of_articles:
                firsts.setdefault(one.task, one.source.name)
        if len(firsts) > 1:
            listed = ", ".join(f"{number} ({shortened(file)})" for number, file in sorted(firsts.items()))
            raise UsageError(f"the files are of several tasks: {listed}; name the task to fuse with --task")
    rules = None if task is None else protocol(task)
    answers = all(one.answers for one in found) if rules is None else rules.parts[0] == "answers"
    lists = {one.tag for one in found if one.is_long}
    left_out: set[str] = set()
    kept: dict[str, _Found] = {}
    for one in found:
        name = one.source.name
        if rules is not None and rules.law and _is_of_another(one, rules):
            passed.add("task", name)
        elif one.answers != answers or (answers and one in of_articles) or (one.tag in lists and not one.is_long):
            passed.add("part", name)
        else:
            kept[name] = one
            continue
        left_out.add(name)
    in_order = sorted(kept, key=by_original)
    for name, like in zip(in_order, copies(in_order), strict=True):
        if like is not None and kept[name].tag == kept[like].tag:
            passed.add("duplicate", name, like)
            left_out.add(name)
    return [one for one in sources if not isinstance(one, Source) or one.name not in left_out]


def _is_of_another(one: _Found, rules: Protocol) -> bool:
    """Whether a file is of another task; answers may be of any task of the same law that does not name itself."""
    if not one.task or one.task == rules.task:
        return False
    same_law = protocol(one.task).law == rules.law
    return bool(named_task(one.source.name)) or not same_law or not (one.answers or rules.pilot)


def _looked_into(source: Source, task: str | None) -> list[_Found]:
    """What a file shows; nothing where it cannot be read, of which whoever fuses it will complain."""
    try:
        shown = task_of_files([source], ())
    except ColieeError:
        shown = ""
    in_pilot = bool(shown) and protocol(shown).pilot  # of a file, either of its tasks
    try:
        with contained(source.name):
            record = read_run(source, task=task if in_pilot else None)
    except ColieeError:
        return []
    return [_Found(source, named_task(source.name) or shown, record.tag, isinstance(record, Answers))]
