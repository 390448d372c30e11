"""The file of an edition, ``coliee.toml``: what came, what it is scored by, and what of it is public."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import ColieeError, InputError, UsageError
from coliee_adapters.files import limits
from coliee_adapters.files.source import PathLike
from coliee_adapters.records import exact_id
from coliee_ir.inbox.tasks import tasks_of_queries
from coliee_ir.reading.anything import read_gold, read_queries
from coliee_ir.rules.protocol import edition_year, protocol, task_name
from coliee_ir.rules.schema import COUNT, FLAG, TEXT, TEXTS, YEAR, TomlTable, ValueKind, loads
from coliee_ir.stats.resampling import N_RESAMPLES


class Public(NamedTuple):
    """What is public."""

    hide_gold: bool = False  # whether pages leave out what tells of single questions
    figures: bool = True  # whether pages have figures
    approaches: bool = True  # whether pages have what the descriptions say


class TaskPart(NamedTuple):
    """A task of an edition. Paths are those of files that can be opened from here."""

    task: str
    gold: str
    corpus: str | None = None
    training: str | None = None  # the gold of the training data
    categories: str | None = None
    exclude: tuple[str, ...] = ()  # the queries that are left out
    decisions: Mapping[str, str] = {}
    year: int | None = None  # whose rules count; None for the newest
    rules: str | None = None  # the protocol file, where it has one of its own
    reference: str = ""  # what this gold is called, where a task has several: ``R01``; empty for the one that counts

    @property
    def name(self) -> str:
        """What tells it from the other tasks and golds of the edition."""
        return f"{self.task} {self.reference}".strip()


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition: see ``read_edition``."""

    path: str
    name: str
    mailbox: tuple[str, ...]
    tasks: tuple[TaskPart, ...]
    public: Public
    year: int | None = None
    deadline: datetime.datetime | None = None
    teams: str | None = None
    style: str = ""
    resamples: int = N_RESAMPLES
    limits: Mapping[str, int | str] = field(default_factory=dict)  # what files may cost, where it says so
    settled: tuple[str, ...] = ()  # the keys of decisions that were taken
    image: str = ""  # the Docker image of the bundles for Codabench; empty for no bundles
    phase: str = "receipts"  # ``results`` from the day on which teams are told scores and places

    @property
    def read(self) -> list[str]:
        """All paths that are read: its own, the mailbox, and the files that it names."""
        parts = [path for task_part in self.tasks for path in (task_part.gold, *task_part[2:5], task_part.rules)]
        return [path for path in dict.fromkeys([self.path, self.teams, *parts, *self.mailbox]) if path is not None]

    def time(self, received: str) -> str:
        """When a mail was received, in the zone of the deadline."""
        when = datetime.datetime.fromisoformat(received)
        return f"{when.astimezone(self.deadline.tzinfo if self.deadline else datetime.UTC):%Y-%m-%d %H:%M %Z}"


_PATHS: Final = ValueKind(
    'a path, or a list of paths, for example ["mailbox", "late.eml"]',
    lambda value: TEXT.holds(value) or TEXTS.holds(value),
)
_TABLE: Final = ValueKind("a table, headed [public], [limits] or [codabench]", lambda value: isinstance(value, dict))
_TOP: Final = {
    "name": TEXT,
    "year": YEAR,
    "deadline": ValueKind(
        "a day and time with its zone, for example 2027-01-20T23:59:59+09:00",
        lambda value: isinstance(value, datetime.datetime) and value.tzinfo is not None,
    ),
    "mailbox": _PATHS,
    "teams": TEXT,
    "style": ValueKind('"coliee2021"', lambda value: value in ("", "coliee2021")),
    "resamples": COUNT,
    "settled": TEXTS,
    "phase": ValueKind('"receipts" or "results"', lambda value: value in ("receipts", "results")),
}
_LIMIT: Final = ValueKind('an integer ≥ 1, or a text such as "64K", "16M" or "2G"', limits.is_setting)
_PUBLIC: Final = dict.fromkeys(Public._fields, FLAG)
_FILES: Final = ("gold", "corpus", "training", "categories", "rules")
_TASK: Final = {
    "task": TEXT,
    "protocol": TEXT,
    **dict.fromkeys(_FILES, TEXT),
    "exclude": ValueKind('a file of ids, or a list of them, for example ["R07-01-U"]', _PATHS.holds),
    "decisions": ValueKind(
        'a table of choices by name, for example unanswered = "skip"',
        lambda value: isinstance(value, dict) and all(map(TEXT.holds, value.values())),
    ),
    "year": YEAR,
    "reference": TEXT,
}


class _Table(TomlTable):
    """A table of this file."""

    def path_of(self, name: str, key: str) -> str:
        """A path that a key names, which begins beside the file."""
        path = Path(self.path).parent / name
        if not path.exists():
            raise self.fault(key, "there is no such file", name, remedy="correct the path")
        return str(path)


def read_edition(path: PathLike) -> Edition:
    """Read the file of an edition; the paths in it begin beside it.

    Raises:
        InputError: the file cannot be read, or a key is unknown, missing or of the wrong type.
    """
    name, content = loads(path)
    top = _Table(name, "", content, (*_TOP, "public", "limits", "codabench", "task"))
    values = top.checked(_TOP)
    for key in ("name", "mailbox"):
        top.needed(key, _TOP[key])
    apart = {
        key: _Table(name, f"[{key}]", top.checked({key: _TABLE}).get(key, {}), keys)
        for key, keys in (("codabench", ("image",)), ("public", _PUBLIC), ("limits", limits.Limits._fields))
    }
    values["image"] = apart["codabench"].needed("image", TEXT) if "codabench" in content else ""
    values["limits"] = apart["limits"].checked(dict.fromkeys(limits.Limits._fields, _LIMIT))
    tasks = [
        _task(_Table(name, f"[[task]] {number}", content_of_task, _TASK), values.get("year"))
        for number, content_of_task in enumerate(top.tables("task"), 1)
    ]
    if not tasks:
        raise top.fault("task", "there is no task", remedy='add [[task]] with task = "1" and gold = "gold.json"')
    if twice := [part_name for part_name, n in Counter(part.name for part in tasks).items() if n > 1]:
        raise top.fault(
            "task",
            "this task is given twice",
            twice[0],
            remedy='keep one [[task]] of it, or name the gold that does not count: reference = "R01"',
        )
    boxes = values["mailbox"]
    values["mailbox"] = tuple(top.path_of(box, "mailbox") for box in ([boxes] if isinstance(boxes, str) else boxes))
    if "teams" in values:
        values["teams"] = top.path_of(values["teams"], "teams")
    return Edition(name, tasks=tuple(tasks), public=Public(**apart["public"].checked(_PUBLIC)), **values)


def _task(table: _Table, year: int | None) -> TaskPart:
    """A task of the file, by its name, or by the rules that it has."""
    by = next((key for key in ("rules", "protocol") if key in table.members), "task")
    for key in (by, "gold"):
        table.needed(key, TEXT)
    values: dict[str, Any] = table.checked(_TASK)
    for key in _FILES:
        if key in values:
            values[key] = table.path_of(values[key], key)
    try:
        task = task_name(values[by])
    except UsageError as error:
        raise table.fault(by, str(error), values[by]) from None
    if values.setdefault("task", task) not in (task, values[by]):
        raise table.fault("task", f"{by} has the rules of task {task}", values["task"], remedy="leave this key out")
    values = {**values, "task": task, "year": values.get("year", year if protocol(task).is_coliee else None)}
    values.pop("protocol", None)
    if isinstance(ids := values.get("exclude"), str):
        values["exclude"] = tuple(read_queries(table.path_of(ids, "exclude"), exact_id))
    return TaskPart(**values)


#: what is asked; whether it needs an answer
QUESTIONS: Final = {
    "Name of the edition, for example COLIEE 2027: ": True,
    "Year whose rules count (empty: the one in the name): ": False,
    "Mailbox, a folder or files of mails: ": True,
    "Golds of all tasks, separated by blanks: ": True,
    "Task of each gold, such as 1 2 3,4 tort, or its rules, FILE.toml (empty: found from the golds): ": False,
    "Deadline with its zone, for example 2027-01-20T23:59:59+09:00 (empty: none): ": False,
    "Teams file, a CSV (empty: none): ": False,
    "Hide per-question results on the public pages? [Y/n] ": False,
}


def new(path: Path, ask: Callable[[str], str]) -> str:
    """Ask for an edition: the text of its file, in which paths begin beside it.

    Raises:
        InputError: a gold, or a file of rules, cannot be read.
        UsageError: an answer cannot be used.
    """
    name, year, boxes, golds, tasks, deadline, teams, hidden = answers = [
        ask(question).strip() for question in QUESTIONS
    ]
    for (question, is_needed), answer in zip(QUESTIONS.items(), answers, strict=True):
        if is_needed and not answer:
            raise UsageError("option-needed", f"this question needs an answer: {question}")
    in_name = re.search(r"\b20\d\d\b", name)
    of_year = edition_year(year or (in_name and in_name[0]) or None)
    lines = [f"name = {json.dumps(name, ensure_ascii=False)}", *([f"year = {of_year}"] if of_year else [])]
    if deadline:
        when = datetime.datetime.min
        with contextlib.suppress(ValueError):
            when = datetime.datetime.fromisoformat(deadline)
        if when.tzinfo is None:
            raise UsageError(
                "bad-value",
                f"a deadline is a day and time with its zone, such as 2027-01-20T23:59:59+09:00, not {deadline}",
            )
        lines.append(f"deadline = {when.isoformat()}")
    lines.append(f"mailbox = [{', '.join(_path(box, path) for box in _paths(boxes))}]")
    lines += [f"teams = {_path(teams, path)}"] if teams else []
    lines += ["", "[public]", f"hide_gold = {str(not hidden.lower().startswith('n')).lower()}"]
    files, named = _paths(golds), shlex.split(tasks)
    if named and len(named) != len(files):
        raise UsageError("bad-value", f"name a task for each of the {len(files)} golds, or none: {tasks}")
    for gold, of_gold in zip(files, named or [""] * len(files), strict=True):
        for task in of_gold.split(",") if of_gold else _tasks(gold, of_year):
            task_name(task)
            rules = f"rules = {_path(task, path)}" if task.endswith(".toml") else f'task = "{task}"'
            lines += ["", "[[task]]", rules, f"gold = {_path(gold, path)}"]
    return "\n".join([*lines, ""])


def _tasks(gold: str, year: int | None) -> list[str]:
    """The tasks that a gold can be of, in a year."""
    names = []
    for task in tasks_of_queries(read_queries(gold), read_gold(gold)):
        with contextlib.suppress(ColieeError):
            names.append(protocol(task, year).task)
    if not names:
        raise UsageError("unknown-task", f"{gold} does not show its task; name the tasks of the golds")
    return names


def _paths(answer: str) -> list[str]:
    """Paths, of which one may have blanks in its name; several have quotes then."""
    return [answer] if Path(answer).exists() else shlex.split(answer)


def _path(name: str, path: Path) -> str:
    """A path beside the file; of what is there."""
    if not Path(name).exists():
        raise InputError(
            "no-file",
            name,
            "there is no such file or folder",
            remedy="write it first (a teams file may begin with the line tag,team,status), or correct the path",
        )
    return json.dumps(Path(os.path.relpath(name, path.parent)).as_posix(), ensure_ascii=False)
