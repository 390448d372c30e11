"""A log of evaluations: one row of a CSV file for each run, appended; it tells how often a gold was looked at."""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Final

import numpy as np

from coliee_adapters.errors import InputError, without_credentials
from coliee_adapters.files.source import Source, sha256_of
from coliee_adapters.files.writing import open_appending
from coliee_adapters.remarks import Remark
from coliee_ir._version import __version__
from coliee_ir.measures import Result
from coliee_ir.output.grid import no_formula
from coliee_ir.reading.basis import Basis
from coliee_ir.scoring.readers import LOG
from coliee_ir.scoring.scores import Scores
from coliee_ir.stats.resampling import left_out

#: the columns before those of the measures; ``others``: the answers and the long list of a run, with their hashes
COLUMNS: Final = ("time", "tag", "file", "sha256", "others", "gold", "task", "edition", "queries", "coliee_ir",
                  "options")  # fmt: skip


def rows(runs: Sequence[Scores], options: Sequence[str]) -> list[dict[str, str]]:
    """A row for each run."""
    time = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return [
        {
            "time": time,
            "tag": scores.tag,
            "file": scores.file,
            "sha256": ",".join(map(_digest, scores.files or [scores.file])),
            "others": json.dumps({part: [file, _digest(file)] for part, file in scores.others.items()})
            if scores.others
            else "",
            "gold": scores.gold,
            "task": scores.task,
            "edition": "" if scores.edition is None else str(scores.edition),
            "queries": str(len(scores.query_ids)),
            "coliee_ir": __version__,
            "options": without_credentials(shlex.join(options)),
            **{name: "" if math.isnan(value) else repr(value) for name, value in scores.measures.items()},
        }
        for scores in runs
    ]


def measures_of(basis: Basis) -> list[str]:
    """The measures that a run may have: of a task with long lists, also those that only a run with one has."""
    return [*basis.names, *(() if basis.asked_measures else basis.protocol.long_list)]


def append(path: str, new: Sequence[dict[str, str]], measures: Iterable[str]) -> None:
    """Append rows, and the names of columns to an empty file; what is there stays as it is, byte for byte.

    Several processes may append at once: each waits for the one before it.
    """
    with open_appending(path) as stream:
        header, ends = _header(path)
        text = io.StringIO()
        writer = csv.DictWriter(text, header or [*COLUMNS, *measures], restval="", lineterminator="\n")
        if lacking := [name for name in (*COLUMNS, *measures) if header and name not in header]:
            raise InputError(
                "missing-column",
                path,
                f"this log has no column {lacking[0]}",
                line=1,
                found=",".join(header),
                remedy="name another file, or none that exists",
            )
        if not header:
            writer.writeheader()
        elif new and not ends:
            text.write("\n")
        writer.writerows({name: no_formula(value) for name, value in row.items()} for row in new)
        stream.write(text.getvalue().encode("utf-8", "surrogateescape"))


def looks(path: str, gold: str, files: Iterable[str], scored: Sequence[Scores] = ()) -> Remark | None:
    """How many runs were scored on a gold, with these files, and what luck makes of it; None for the first run."""
    _header(path)  # which refuses what is no log
    with Path(path).open(encoding="utf-8", errors="surrogateescape", newline="") as stream:
        seen = {row["sha256"] or row["file"] for row in csv.DictReader(stream) if _is_same(row["gold"], gold)}
    n = len(seen | {_digest(file) or file for file in files})
    if n < 2:
        return None
    measure = next(iter(scored[0].results)) if scored else None
    if measure is None or len(scored) < 2 or any(measure not in scores.results for scores in scored):
        return Remark.of("looked-at", n=n, log=path)
    return Remark.of(
        "looked-at.luck",
        n=n,
        log=path,
        luck=f"{luck([scores.results[measure] for scores in scored], n):.3f}",
        measure=measure.name,
    )


def luck(results: Sequence[Result], n: int) -> float:
    """By how much the best of ``n`` equally good runs is expected to be better than their mean.

    The greatest of so many normal deviations (Blom 1958), times the standard error of a run's score, without what is
    common to the runs. What a query says of a score is its pseudo-value, of a mean its value.
    """
    values = np.array([result.per_query for result in results])
    kept = ~np.isnan(values).any(axis=0)
    without = np.array([left_out(result.terms) for result in results])[:, kept]
    values = np.array([[result.value] for result in results]) * kept.sum() - (kept.sum() - 1) * without
    own = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    error = math.sqrt((own**2).sum() / max((len(values) - 1) * (values.shape[1] - 1) * values.shape[1], 1))
    return NormalDist().inv_cdf((n - 0.375) / (n + 0.25)) * error


def _is_same(path: str, other: str) -> bool:
    return path == other or Path(path).resolve() == Path(other).resolve()


def _header(path: str) -> tuple[list[str], bool]:
    """The columns of a log, none of an empty file; and whether its last line has an end."""
    text = Source(path, lenient=True).text()
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        header = next(reader, [])
        for _ in reader:
            pass
    except csv.Error as error:
        raise InputError(
            "structure",
            path,
            f"this log cannot be read ({error})",
            line=reader.line_num,
            remedy="repair the quotes, or name another file",
        ) from None
    if header and not LOG.issubset(header):
        raise InputError(
            "unknown-format",
            path,
            "this file is not a log of evaluations",
            line=1,
            found=",".join(header),
            remedy="name another file, or none that exists",
        )
    return header, text.endswith("\n")


def _digest(path: str) -> str:
    """SHA-256 of a file; empty for what is not a plain file."""
    return sha256_of(path) if Path(path).is_file() else ""
