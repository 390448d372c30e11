"""A log of evaluations: one row of a CSV file for each run, appended."""

from __future__ import annotations

import csv
import datetime
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from coliee_adapters.errors import InputError
from coliee_adapters.files import Source, written
from coliee_ir._version import __version__
from coliee_ir.output.grid import no_formula
from coliee_ir.scoring.scores import Scores

#: the columns before those of the measures
COLUMNS: Final = ("time", "tag", "file", "sha256", "gold", "task", "edition", "queries", "coliee_ir", "options")


def rows(runs: Sequence[Scores], options: str, now: datetime.datetime | None = None) -> list[dict[str, str]]:
    """A row for each run.

    Args:
        runs: the scores.
        options: what was typed.
        now: the time; by default that of the clock.
    """
    time = (now or datetime.datetime.now(datetime.UTC)).isoformat(timespec="seconds")
    return [
        {
            "time": time,
            "tag": scores.tag,
            "file": scores.file,
            "sha256": _digest(scores.file),
            "gold": scores.gold,
            "task": scores.task,
            "edition": "" if scores.edition is None else str(scores.edition),
            "queries": str(len(scores.query_ids)),
            "coliee_ir": __version__,
            "options": options,
            **{name: "" if math.isnan(value) else repr(value) for name, value in scores.measures.items()},
        }
        for scores in runs
    ]


def append(path: str, new: Sequence[dict[str, str]]) -> None:
    """Append rows; a measure that the file does not have becomes a further column, empty in the rows before.

    Raises:
        InputError: the file is no log, or cannot be written.
    """
    header, old = _read(path)
    columns = list(dict.fromkeys([*header, *COLUMNS, *(name for row in new for name in row)]))
    with written(path) as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(old)
        writer.writerows({name: no_formula(value) for name, value in row.items()} for row in new)


def _read(path: str) -> tuple[list[str], list[dict[str, str]]]:
    if not Path(path).exists():
        return [], []
    source = Source(path)
    reader = csv.DictReader(io.StringIO(source.text()))
    header = list(reader.fieldnames or [])
    if header and header[: len(COLUMNS)] != list(COLUMNS):
        remedy = "name another file, or none that exists"
        raise InputError(path, "this file is not a log of evaluations", line=1, found=",".join(header), remedy=remedy)
    return header, list(reader)


def _digest(path: str) -> str:
    """SHA-256 of a file; empty for what is not a plain file."""
    if not Path(path).is_file():
        return ""
    import hashlib  # which most commands do without

    digest = hashlib.sha256()
    with Path(path).open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
