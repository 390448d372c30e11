"""The file of a new edition, from the answers to eight questions."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final

from coliee_adapters.errors import ColieeError, UsageError
from coliee_ir.inbox.tasks import tasks_of_queries
from coliee_ir.reading.anything import read_gold, read_queries
from coliee_ir.rules.protocol import edition_year, protocol, task_name

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
    name, year, boxes, golds, tasks, deadline, teams, hidden = answers = [ask(one).strip() for one in QUESTIONS]
    for (question, is_needed), answer in zip(QUESTIONS.items(), answers, strict=True):
        if is_needed and not answer:
            raise UsageError("option-needed", f"this question needs an answer: {question}")
    in_name = re.search(r"\b20\d\d\b", name)
    of_year = edition_year(year or (in_name and in_name[0]) or None)
    lines = [f"name = {_text(name)}", *([f"year = {of_year}"] if of_year else [])]
    if deadline:
        try:
            when = datetime.datetime.fromisoformat(deadline)
        except ValueError:
            when = datetime.datetime.min
        if when.tzinfo is None:
            problem = f"a deadline is a day and time with its zone, such as 2027-01-20T23:59:59+09:00, not {deadline}"
            raise UsageError("bad-value", problem)
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
    found = []
    for task in tasks_of_queries(read_queries(gold), read_gold(gold)):
        with contextlib.suppress(ColieeError):
            found.append(protocol(task, year).task)
    if not found:
        raise UsageError("unknown-task", f"{gold} does not show its task; name the tasks of the golds")
    return found


def _paths(answer: str) -> list[str]:
    """Paths, of which one may have blanks in its name; several have quotes then."""
    return [answer] if Path(answer).exists() else shlex.split(answer)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _path(name: str, path: Path) -> str:
    """A path beside the file."""
    return _text(Path(os.path.relpath(name, path.parent)).as_posix())
