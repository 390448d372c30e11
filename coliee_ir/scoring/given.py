"""Files that say something of queries and documents: dates, groups, counts, candidates; in columns or as JSON."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from coliee_adapters import json_text
from coliee_adapters.errors import InputError
from coliee_adapters.files import PathLike, Source
from coliee_adapters.lines import content_lines, split_columns
from coliee_adapters.records import Run, exact_id, normal_id
from coliee_adapters.vocabulary import EVERY_NAME, normal_name
from coliee_ir.judging.gathered import Gathered
from coliee_ir.rules.protocol import has_exact_ids
from coliee_ir.scoring.reading import read_run

_DATE: Final = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_NAMES: Final = EVERY_NAME["query"] | EVERY_NAME["document"]


def read_values(
    path: PathLike, expected: str, fits: Callable[[str], bool] = bool, *, task: str | None = None
) -> dict[str, str]:
    """Id → value, from lines of two columns, with blanks or a comma between them, or from a JSON object.

    Args:
        path: the file.
        expected: what a line holds, for the error.
        fits: whether a text is such a value.
        task: the task; in ``trec``, ids stay as they are.

    Raises:
        InputError: the file cannot be read, has another value or two for one id, or is empty.
    """
    source = Source(path)
    text = source.text()
    lines = _members(text, source) if text.lstrip().startswith("{") else _columns(text, source, expected)
    id_of = exact_id if has_exact_ids(task) else normal_id
    values: dict[str, str] = {}
    for line, name, value in lines:
        if not fits(value):
            raise InputError(
                source.name, "this value cannot be used", line=line, found=f"{name} {value}", remedy=f"give {expected}"
            )
        if values.setdefault(id_of(name), value) != value:
            raise InputError(source.name, "this id has two values", line=line, found=name, remedy="keep one")
    if not values:
        raise InputError(source.name, "the file is empty", remedy=f"give lines {expected}")
    return values


def _columns(text: str, source: Source, expected: str) -> list[tuple[int | None, str, str]]:
    lines: list[tuple[int | None, str, str]] = []
    for number, line in content_lines(text, source.name):
        words = [word.strip() for word in (line.split(",") if "," in line else split_columns(line))]
        if not lines and normal_name(words[0]) in _NAMES:
            continue  # the names of the columns
        if len(words) != 2:
            remedy = f"give {expected}"
            raise InputError(source.name, "this line does not have two columns", line=number, found=line, remedy=remedy)
        lines.append((number, words[0], words[1]))
    return lines


def _members(text: str, source: Source) -> list[tuple[int | None, str, str]]:
    members: Any = json_text.parse(text, source.name)
    return [(None, name, str(value)) for name, value in members.items()]


def read_dates(path: PathLike, *, task: str | None = None) -> dict[str, str]:
    """Id → date: a day (``2019-05-31``), a month (``2019-05``) or a year (``2019``), as ``not_newer`` takes them.

    Raises:
        InputError: as for ``read_values``; a date that does not exist is none.
    """
    return read_values(path, "ID YYYY-MM-DD or ID YYYY, with a date that exists", _is_date, task=task)


def _is_date(text: str) -> bool:
    if not (match := _DATE.fullmatch(text)):
        return False
    try:
        datetime.date(*(int(part or 1) for part in match.groups()))
    except ValueError:
        return False
    return True


def read_counts(path: PathLike, *, task: str | None = None) -> dict[str, int]:
    """Query → how many documents to keep.

    Raises:
        InputError: as for ``read_values``; a count is an integer from 0.
    """
    counts = read_values(path, "QUERY N, with an integer N ≥ 0", lambda text: text.isdecimal(), task=task)
    return {query: int(count) for query, count in counts.items()}


def read_candidates(path: PathLike, *, task: str | None = None) -> Mapping[str, Mapping[str, float]]:
    """Query → the documents that it may retrieve, from anything that holds a run, ``{"001": ["013", …]}`` for one.

    Raises:
        InputError: the file cannot be read, or holds answers.
    """
    record = read_run(path, task=task)
    if not isinstance(record, Run):
        raise InputError(record.path, "this file holds answers, not candidates", remedy='give {"001": ["013"]}')
    return Gathered(record).rankings
