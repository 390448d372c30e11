"""A log of evaluations: one row of a CSV file for each run, appended; and the runs that its rows stand for.

A row has the scores, not those of single queries. So a run whose file is as it was when it was logged is scored again,
and of the others the logged scores are known, where they are by the same gold and rules.
"""

from __future__ import annotations

import contextlib
import csv
import datetime
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError
from coliee_adapters.files import Kind, Source, exclusively, sha256_of, written
from coliee_adapters.lines import counted
from coliee_ir._version import __version__
from coliee_ir.measures import Measure, Result
from coliee_ir.output.grid import no_formula
from coliee_ir.rules.protocol import recorded_task
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.scores import Scores

#: the columns before those of the measures; ``others``: the answers and the long list of a run, with their hashes
COLUMNS: Final = ("time", "tag", "file", "sha256", "others", "gold", "task", "edition", "queries", "rules", "coliee_ir",
                  "options")  # fmt: skip

#: the columns by which a log is told from other files; people may add their own
_SIGN: Final = {"time", "tag", "file", "sha256", "rules"}


def rows(
    runs: Sequence[Scores], evaluator: Evaluator, options: str, now: datetime.datetime | None = None
) -> list[dict[str, str]]:
    """A row for each run.

    Args:
        runs: the scores.
        evaluator: what they were scored by.
        options: what was typed.
        now: the time; by default that of the clock.
    """
    time = (now or datetime.datetime.now(datetime.UTC)).isoformat(timespec="seconds")
    rules = _rules(evaluator)
    return [
        {
            "time": time,
            "tag": scores.tag,
            "file": scores.file,
            "sha256": _digest(scores.file),
            "others": json.dumps({part: [file, _digest(file)] for part, file in scores.others.items()})
            if scores.others
            else "",
            "gold": scores.gold,
            "task": scores.task,
            "edition": "" if scores.edition is None else str(scores.edition),
            "queries": str(len(scores.query_ids)),
            "rules": rules,
            "coliee_ir": __version__,
            "options": options,
            **{name: "" if math.isnan(value) else repr(value) for name, value in scores.measures.items()},
        }
        for scores in runs
    ]


def append(path: str, new: Sequence[dict[str, str]]) -> None:
    """Append rows; a measure that the file does not have becomes a further column, empty in the rows before.

    Several processes may append at once: each waits for the one before it.

    Raises:
        InputError: the file is no log, or cannot be written.
    """
    with exclusively(path):
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
    reader = csv.DictReader(io.StringIO(Source(path, lenient=True).text()), restkey="", restval="")
    header = list(reader.fieldnames or [])
    if header and not _SIGN.issubset(header):
        remedy = "name another file, or none that exists"
        raise InputError(path, "this file is not a log of evaluations", line=1, found=",".join(header), remedy=remedy)
    return header, [{name: row[name] for name in header} for row in reader]


def is_log(file: Source) -> bool:
    """Whether a file is a log of evaluations; a stream is not looked into."""
    if file.kind is not Kind.TEXT or file.is_stream or file.look().fault:
        return False
    first = file.head()[:4096].partition(b"\n")[0].decode("utf-8", errors="replace")
    return "sha256" in first and any(  # of most files the first look tells
        _SIGN.issubset(next(csv.reader([first], delimiter=delimiter), [])) for delimiter in ",;\t"
    )


class _Row(NamedTuple):
    """What the rows of a run say: those of one file, hash and rules are one; without a hash, those of one content."""

    line: int
    tag: str
    file: str
    rules: str
    measures: dict[str, float]


class Log(NamedTuple):
    """The runs of a log.

    Attributes:
        path: its file.
        runs: for each run whose files are as they were, these: the run, its answers, its long list; None for none.
        rows: what is known of the other runs.
        task: the task of all rows; None where there are several.
    """

    path: str
    runs: list[tuple[str, str | None, str | None]]
    rows: list[_Row]
    task: str | None

    def scores(self, evaluator: Evaluator, *, means_do: bool = True) -> tuple[list[Scores], str]:
        """The logged scores of runs that cannot be scored again, without those of queries; and a sentence on them all.

        Args:
            evaluator: the gold and the rules, by which they must have been scored.
            means_do: whether scores without those of queries can be used; otherwise there are none.
        """
        rules = _rules(evaluator)
        wanted = evaluator.asked or evaluator.official
        needed = evaluator.asked or wanted[:1]
        none = np.full(len(evaluator.queries), math.nan)
        found = []
        for row in self.rows:
            results: dict[Measure, Result] = {
                measure: Result(row.measures[measure.name], none) for measure in wanted if measure.name in row.measures
            }
            if row.rules == rules and all(measure in results for measure in needed):
                found.append(_scores(row, f"{row.file} ({self.path}:{row.line})", evaluator, results))
        gone = "since their files have changed or are gone"
        said = [f"{counted(len(self.runs), 'run')} scored again"] if self.runs else []
        if found:
            done = "by logged scores alone" if means_do else "left out, for compare and leaderboard only"
            said.append(f"{counted(len(found), 'run')} {done}, {gone}")
        if left_out := len(self.rows) - len(found):
            said.append(f"{counted(left_out, 'run')} left out, logged by another gold, other rules or measures")
        return found if means_do else [], f"{self.path}: {'; '.join(said)}"


def read_log(path: str) -> Log:
    """The runs of a log; a relative file is looked for from here, and from the log's folder.

    Raises:
        InputError: it cannot be read, or has no rows.
    """
    from coliee_ir.inbox.sheets import read_sheet  # who writes a log does without

    sheet = read_sheet(Source(path))
    folder = Path(path).parent
    runs: dict[tuple[str, str | None, str | None], None] = {}
    known: dict[tuple[str, ...], _Row] = {}
    tasks = set()
    for line, cells in sheet.rows:
        row = {name: cell.removeprefix("'") for name, cell in zip(sheet.header, cells, strict=True)}
        tasks.add(row.get("task", ""))
        logged = _parts(row, path, line)
        parts = {part: _unchanged(folder, *of_part) for part, of_part in logged.items()}
        if None not in parts.values():
            runs[parts["run"] or "", parts.get("answers"), parts.get("long_list")] = None
            continue
        values = dict(_numbers(row))
        # what has no hash, such as standard input, can be another run of the same name: its rows are one if they say
        # the same
        told = "" if all(digest for _, digest in logged.values()) else repr(values)
        key = (row["tag"], row["file"], row["sha256"], row.get("others", ""), row["rules"], told)
        before = known[key].measures if key in known else {}
        known[key] = _Row(line, row["tag"], row["file"], row["rules"], {**before, **values})
    return Log(path, list(runs), list(known.values()), next(iter(tasks)) if len(tasks) == 1 else None)


def task_of(logs: Sequence[Log]) -> str | None:
    """The task of all rows of some logs; None where there are several.

    Raises:
        UsageError: the task is not known.
    """
    return recorded_task({log.task for log in logs}, logs[0].path)


def _parts(row: Mapping[str, str], path: str, line: int) -> dict[str, tuple[str, str]]:
    """The files of a row's run, with their hashes."""
    parts = {"run": (row["file"], row["sha256"])}
    try:
        for part, (file, digest) in json.loads(row.get("others") or "{}").items():
            parts[part] = (str(file), str(digest))
    except (ValueError, AttributeError, TypeError):
        remedy = "restore what evaluate --log wrote, or delete the row"
        raise InputError(
            path, "this is not JSON of files and hashes", line=line, found=row["others"], remedy=remedy
        ) from None
    return parts


def _unchanged(folder: Path, file: str, digest: str) -> str | None:
    """Where the file with this hash is; None where it is not any more."""
    places = dict.fromkeys([file, str(folder / file)])
    return next((place for place in places if digest and _digest(place) == digest), None)


def _numbers(row: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    """The cells that can be scores, by column."""
    for name, cell in row.items():
        with contextlib.suppress(ValueError):
            yield name, float(cell)


def _scores(row: _Row, file: str, evaluator: Evaluator, results: Mapping[Measure, Result]) -> Scores:
    return Scores(
        tag=row.tag, file=file, gold=evaluator.gold.path, task=evaluator.task, edition=evaluator.edition,
        results=results, query_ids=evaluator.queries, answered=[True] * len(evaluator.queries), counts={}, extra=0,
        excluded=tuple(sorted(evaluator.excluded)), decisions=evaluator.decisions,
    )  # fmt: skip


def _rules(evaluator: Evaluator) -> str:
    """By what rows are told that were scored by the same gold and rules."""
    from coliee_ir.scoring.store import rules_of  # stores and logs alone need it

    return rules_of(evaluator)[:16]


def _digest(path: str) -> str:
    """SHA-256 of a file; empty for what is not a plain file."""
    return sha256_of(path) if Path(path).is_file() else ""
