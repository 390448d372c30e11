"""What people write beside runs: CSV files with named columns; ids with a value each, in columns or as JSON."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms import detect, json_text, tabular
from coliee_adapters.forms.lines import Comments, content_lines, split_columns
from coliee_adapters.forms.vocabulary import EVERY_NAME, normal_name
from coliee_adapters.records import Run, exact_id, normal_id
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.reading.anything import read_gold, read_run
from coliee_ir.rules.protocol import has_exact_ids

_DATE: Final = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?", re.ASCII)
_NUMBER: Final = re.compile(r"[-+.0-9eE]+")
_NAMES: Final = EVERY_NAME["query"] | EVERY_NAME["document"]


class Sheet(NamedTuple):
    """A CSV file."""

    name: str  # the file
    header: tuple[str, ...]  # the names of the columns, as they stand
    rows: tuple[tuple[int, tuple[str, ...]], ...]  # what follows: line in the file, and as many cells as columns

    def column(self, *names: str) -> int | None:
        """The place of the first column of one of these names, tried in this order; capitals do not matter."""
        header = [name.casefold() for name in self.header]
        return next((header.index(name.casefold()) for name in names if name.casefold() in header), None)

    @property
    def team(self) -> int | None:
        """The column of the teams, in a list of teams."""
        return self.column("team", "group")

    @property
    def file(self) -> int | None:
        """The column of the tags, files or folders, in a list of teams."""
        return self.column("tag", "run", "file", "path", "sid", "name")


def read_sheet(source: Source, *, needs_rows: bool = True) -> Sheet:
    """Read a CSV, whose first row shows whether commas, semicolons or tabs separate cells."""
    text = source.text()
    first = next((line for line in text.split("\n") if line.strip()), "")
    rows = list(tabular.rows(text, source, max(",;\t", key=first.count), Comments()))
    if len(rows) <= needs_rows:
        raise InputError(
            "empty",
            source.name,
            "this CSV has no rows",
            line=1,
            remedy="name the columns in the first row, then write one row each",
        )
    header = rows[0].values
    for row in rows[1:]:
        if any(row.values[len(header) :]):
            raise InputError(
                "columns",
                source.name,
                f"this row has {len(row.values)} cells, and the first row names {len(header)} columns",
                line=row.number,
                found=row.text,
                remedy="put quotes around what holds a comma",
            )
    return Sheet(
        source.name,
        tuple(header),
        tuple((row.number, (*row.values, *[""] * len(header))[: len(header)]) for row in rows[1:]),
    )


def read_values(
    path: PathLike, expected: str, fits: Callable[[str], bool] = bool, *, task: str | None = None
) -> dict[str, str]:
    """Id → value, from lines of two columns, with blanks or a comma between them, or from a JSON object."""
    source = Source(path)
    text = source.text()
    if text.lstrip().startswith("{"):
        members: Any = json_text.parse(text, source.name)
        lines: list[tuple[int | None, str, str]] = [(None, name, str(value)) for name, value in members.items()]
    else:
        lines = _columns(text, source, expected)
    id_of = exact_id if has_exact_ids(task) else normal_id
    values: dict[str, str] = {}
    for line, name, value in lines:
        if not fits(value):
            raise InputError(
                "bad-cell",
                source.name,
                "this value cannot be used",
                line=line,
                found=f"{name} {value}",
                remedy=f"give {expected}",
            )
        if values.setdefault(id_of(name), value) != value:
            raise InputError(
                "conflicting", source.name, "this id has two values", line=line, found=name, remedy="keep one"
            )
    if not values:
        raise InputError("empty", source.name, "the file is empty", remedy=f"give lines {expected}")
    return values


def groups_of(groups: PathLike | Mapping[str, str] | None, task: str | None) -> Mapping[str, str] | None:
    """Query → group, as it is or from a file, which is read by the rules of the task."""
    return read_values(groups, "QUERY GROUP", task=task) if isinstance(groups, str | os.PathLike) else groups


def _columns(text: str, source: Source, expected: str) -> list[tuple[int | None, str, str]]:
    lines: list[tuple[int | None, str, str]] = []
    for number, line in content_lines(text, source.name):
        words = [word.strip() for word in (line.split(",") if "," in line else split_columns(line))]
        if not lines and normal_name(words[0]) in _NAMES:
            continue  # the names of the columns
        if len(words) != 2:
            raise InputError(
                "columns",
                source.name,
                "this line does not have two columns",
                line=number,
                found=line,
                remedy=f"give {expected}",
            )
        lines.append((number, words[0], words[1]))
    return lines


def read_dates(path: PathLike, *, task: str | None = None) -> dict[str, str]:
    """Id → date: a day (``2019-05-31``), a month (``2019-05``) or a year (``2019``), for ``exclude_newer``."""
    return read_values(path, "ID YYYY-MM-DD or ID YYYY, with a date that exists", _is_date, task=task)


def _is_date(text: str) -> bool:
    with contextlib.suppress(ValueError):
        return bool(_DATE.fullmatch(text) and datetime.date.fromisoformat(text + "0000-01-01"[len(text) :]))
    return False


def read_candidates(path: PathLike, *, task: str | None = None) -> Mapping[str, Mapping[str, float]]:
    """Query → the documents that it may retrieve: from a run in any form, qrels, or lines QUERY DOCUMENT."""
    source = Source(path)
    if (form := detect.form_by_head(source, "gold")) is not None and form.name == "qrels":
        return read_gold(source, task=task).qrels or {}
    form = detect.form_by_head(source, "run")
    lines = content_lines(source.text(), source.name) if form is not None and form.name == "columns" else iter(())
    first = split_columns(next(lines, (0, ""))[1])
    if len(first) == 2:
        id_of, listed = exact_id if has_exact_ids(task) else normal_id, dict[str, dict[str, float]]()
        for _, query, document in _columns(source.text(), source, "QUERY DOCUMENT"):
            listed.setdefault(id_of(query), {})[id_of(document)] = 1.0
        return listed
    for number, line in lines if len(first) == 3 and not {first[0], first[2]} & _NAMES else ():
        if _NUMBER.fullmatch(last := split_columns(line)[-1]) is None and last != first[2]:
            raise InputError(
                "columns",
                source.name,
                "the third word is a run tag, and differs from the first line's",
                line=number,
                found=line,
                remedy="give QUERY DOCUMENT",
            )
    record = read_run(source, task=task)
    if not isinstance(record, Run):
        raise InputError(
            "wrong-part", record.path, "this file holds answers, not candidates", remedy='give {"001": ["013"]}'
        )
    return RunInMemory(record).rankings
