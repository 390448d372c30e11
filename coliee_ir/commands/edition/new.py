"""The file of a new edition, from the answers to six questions."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from coliee_adapters.errors import ColieeError, UsageError
from coliee_ir.inbox.tasks import tasks_of_queries
from coliee_ir.reading.anything import read_gold, read_queries
from coliee_ir.rules.protocol import protocol

#: what is asked, of which only the first, the third and the fourth need an answer
QUESTIONS: Final = (
    "Name and year of the edition, for example COLIEE 2027: ",
    "Deadline with its zone, for example 2027-01-20T23:59:59+09:00 (empty: none): ",
    "Mailbox, a folder or files of mails: ",
    "Golds of all tasks, separated by blanks: ",
    "Sheet of teams, a CSV (empty: none): ",
    "Hide on the public pages what tells of single questions? [Y/n] ",
)


def new(path: Path, ask: Callable[[str], str]) -> str:
    """Ask for an edition: the text of its file, in which paths begin beside it.

    Raises:
        InputError: a gold cannot be read.
        UsageError: an answer cannot be used.
    """
    name, deadline, boxes, golds, teams, hidden = (ask(question).strip() for question in QUESTIONS)
    for question, answer in zip(QUESTIONS, (name, "-", boxes, golds), strict=False):
        if not answer:
            raise UsageError("option-needed", f"this question needs an answer: {question}")
    found = re.search(r"\b(20\d\d)\b", name)
    year = int(found[1]) if found else None
    lines = [f"name = {_text(name)}", *([f"year = {year}"] if year else [])]
    if deadline:
        with contextlib.suppress(ValueError):
            if (when := datetime.datetime.fromisoformat(deadline)).tzinfo is not None:
                lines.append(f"deadline = {when.isoformat()}")
                deadline = ""
    if deadline:
        problem = f"a deadline is a day and time with its zone, such as 2027-01-20T23:59:59+09:00, not {deadline}"
        raise UsageError("bad-value", problem)
    lines.append(f"mailbox = [{', '.join(_path(box, path) for box in boxes.split())}]")
    lines += [f"teams = {_path(teams, path)}"] if teams else []
    lines += ["", "[public]", f"hide_gold = {str(not hidden.lower().startswith('n')).lower()}"]
    for gold in golds.split():
        for task in _tasks(gold, year):
            lines += ["", "[[task]]", f'task = "{task}"', f"gold = {_path(gold, path)}"]
    return "\n".join([*lines, ""])


def _tasks(gold: str, year: int | None) -> Iterator[str]:
    """The tasks that a gold can be of, in a year."""
    tasks = tasks_of_queries(read_queries(gold), read_gold(gold))
    if not tasks:
        raise UsageError("unknown-task", f"{gold} does not show its task; write [[task]] of it into the file")
    for task in tasks:
        with contextlib.suppress(ColieeError):
            protocol(task, year)
            yield task


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _path(name: str, path: Path) -> str:
    """A path beside the file."""
    return _text(Path(os.path.relpath(name, path.parent)).as_posix())
