"""A store of judged runs: what was judged before, by the same gold and the same rules, is not read again.

submissions ──content──▶ kept? ──▶ judged parts ──▶ Scores      a kill loses no run that was kept
                           └─ no: scored, kept ─┘
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from coliee_adapters import trec_eval
from coliee_adapters.errors import ColieeError, InputError, UsageError
from coliee_adapters.files import file_kinds
from coliee_adapters.files.source import PathLike, is_store
from coliee_adapters.forms.lines import counted
from coliee_adapters.records import RunLike
from coliee_adapters.remarks import Remarks
from coliee_ir._version import __version__
from coliee_ir.judging.judged import Judged
from coliee_ir.reading.anything import readable
from coliee_ir.reading.basis import Basis, qrels_of
from coliee_ir.reading.submission import Submission, files_of, name_of
from coliee_ir.rules.decisions import CHOICES
from coliee_ir.rules.protocol import recorded_task
from coliee_ir.scoring.parts import Named
from coliee_ir.scoring.score import score_each, scores_of, with_twin
from coliee_ir.scoring.scores import Scores

if TYPE_CHECKING:
    import sqlite3
    from concurrent.futures import Executor

#: So many submissions are looked up, and then scored, at a time; more where many machines score them.
_WINDOW: Final = 200
_WINDOW_ELSEWHERE: Final = 4000

_ARRAYS: Final = {"rank": "<i4", "retrieved": "<i4", "repeated": "<i4", "answered": "?", "tied": "<i4"}

#: the suffixes of stores
_SUFFIXES: Final = (".sqlite", ".sqlite3", ".db")

#: what reading a row meets that somebody has made
_WRONG: Final = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, zlib.error)

#: seconds to wait for a process that writes to the same store: a sweep that is going on will not end soon
_PATIENCE: Final = 0.2

#: of a run what differs where its content, or what it is called, does, and its judged parts; of rules what is told
_SCHEMA: Final = f"""
BEGIN;
CREATE TABLE rules (id TEXT PRIMARY KEY, facts BLOB) WITHOUT ROWID;
CREATE TABLE runs (file TEXT, rules TEXT, content TEXT, judged BLOB, PRIMARY KEY (file, rules));
CREATE INDEX by_content ON runs (content, rules);
PRAGMA application_id = {file_kinds.STORE_ID};
COMMIT;
"""


class ScoreStore:
    """A file with the judged parts of many runs, to which runs are added one by one, each for good.

    A run is known again by its content, and the gold, the queries, the task, the edition and the decisions that it was
    judged by, and the versions of this package and of trec_eval. Any measure is computed from what is kept of it.

    Args:
        path: the file: ``.sqlite``, ``.sqlite3`` or ``.db``.
        reading: whether it must exist, and is only read.

    Attributes:
        known: how many of the runs that ``score`` has given were there before.
        new: how many were scored.

    Raises:
        UsageError: the suffix is another one.
        InputError: it is not a store, is damaged, or cannot be written.
    """

    def __init__(self, path: PathLike, *, reading: bool = False) -> None:
        self.path, self._reading = os.fspath(path), reading
        self.known = self.new = 0
        if not self.path.endswith(_SUFFIXES):
            raise UsageError("store", f"a store of scores ends in .sqlite or .db, not as {self.path}")
        # a process may have been killed before it wrote anything
        exists = Path(self.path).exists() and (not Path(self.path).is_file() or Path(self.path).stat().st_size > 0)
        if (exists or reading) and not is_store(self.path):
            problem = "this file is not a store of scores" if exists else "there is no such file"
            remedy = "name another file, or make one with evaluate --store"
            raise InputError("no-file", self.path, problem, remedy=remedy)
        with self._faults():
            self._db = self._connected(exists)

    def _connected(self, exists: bool) -> sqlite3.Connection:
        import sqlite3  # which most commands do without

        db = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        try:
            if self._reading:
                if db.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                    raise ValueError("its pages do not belong together")
                return db
            db.execute("PRAGMA locking_mode = EXCLUSIVE")
            if not exists:
                db.executescript(_SCHEMA)
            # what was committed survives the end of the process, and a crash of the machine leaves whole rows
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("BEGIN IMMEDIATE")
            db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db

    def __enter__(self) -> ScoreStore:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        with self._faults():
            if not self._reading and error is None:  # one file, which can be copied
                self._db.execute("PRAGMA journal_mode = DELETE")
            self._db.close()

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        """Whatever is wrong with the file, or with what a row of it holds, is an InputError."""
        import sqlite3  # see above

        try:
            yield
        except ColieeError:
            raise
        except (OSError, sqlite3.Error, *_WRONG) as error:
            name = getattr(error, "sqlite_errorname", "")
            if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                problem, remedy = "another process is writing to this store", "try again when it has ended"
            else:
                problem = f"the store is damaged, or cannot be read or written ({error})"
                remedy = "move it away, and score the runs again"
            raise InputError("store", self.path, problem, remedy=remedy) from None

    @property
    def tasks(self) -> set[str]:
        """The tasks that its runs were scored for."""
        return {facts["task"] for facts in self._rules().values()}

    @property
    def files(self) -> list[str]:
        """The files of its runs."""
        with self._faults():
            return [str(file) for (file,) in self._db.execute("SELECT DISTINCT file FROM runs")]

    def score(
        self,
        basis: Basis,
        submissions: Iterable[RunLike | Submission],
        *,
        jobs: int | None = None,
        executor: Executor | None = None,
    ) -> Iterator[Scores | ColieeError]:
        """The scores of several runs, of which those that are not kept yet are scored, and kept.

        Args are those of ``evaluate_all``; the runs must be files.

        Yields:
            For each run in turn its scores, with the judged parts, or the error that it met, which is not kept.

        Raises:
            WorkerError: a process or a worker of the executor was lost.
            UsageError: a run is not a file.
        """
        rules, facts = rules_of(basis)
        first_of: dict[str, str] = {}
        waiting = iter(submissions)
        while window := list(islice(waiting, _WINDOW if executor is None else _WINDOW_ELSEWHERE)):
            given = [Submission.of(one).over(partial(readable, columns=basis.columns)) for one in window]
            contents = [_content(one) for one in given]
            there = [self._find(one, content, rules) for one, content in zip(given, contents, strict=True)]
            missing = [one for one, row in zip(given, there, strict=True) if row is None]
            scored = score_each(basis, missing, jobs=jobs, executor=executor, keep_judged=True, tell_copies=False)
            for one, content, row in zip(given, contents, there, strict=True):
                file = name_of(one.run)
                if row is None:
                    result = next(scored)
                    self.new += isinstance(result, Scores)
                else:
                    result = replace(self._scores(basis, rules, row), file=file)
                    self.known += 1
                if isinstance(result, Scores) and content is not None and (row is None or row.file != file):
                    moved = "" if row is None or Path(row.file).exists() else row.file
                    self._keep(_Row(file, content.key, _packed(result, rules, content.key)), rules, facts, moved)
                twin = None if content is None else first_of.get(content.bytes)
                if content is not None:
                    first_of.setdefault(content.bytes, file)
                yield with_twin(result, twin)

    def scores(self, basis: Basis) -> Iterator[Scores]:
        """The scores of all runs that were judged by a gold and rules, in the order in which they came.

        Raises:
            UsageError: there are none; the text says what there is.
        """
        rules, facts = rules_of(basis)
        if rules not in (known := self._rules()):
            raise UsageError("store", self._nothing(facts, known))
        with self._faults():
            rows = self._db.execute("SELECT file, content, judged FROM runs WHERE rules = ? ORDER BY rowid", (rules,))
        while True:
            with self._faults():
                if (row := rows.fetchone()) is None:
                    return
            yield self._scores(basis, rules, _Row(*row))

    def _rules(self) -> dict[str, dict[str, Any]]:
        """The rules by which runs were judged: id → facts."""
        with self._faults():
            return {name: _unpacked(facts)[0] for name, facts in self._db.execute("SELECT id, facts FROM rules")}

    def _find(self, submission: Submission, content: _Content | None, rules: str) -> _Row | None:
        """The row of a run; of one of the same content and name where that is not there."""
        if content is None:
            return None
        asked = "SELECT file, content, judged FROM runs WHERE content = ? AND rules = ? ORDER BY file = ? DESC LIMIT 1"
        with self._faults():
            found = self._db.execute(asked, (content.key, rules, name_of(submission.run))).fetchone()
        return None if found is None else _Row(*found)

    def _keep(self, row: _Row, rules: str, facts: Mapping[str, Any], moved: str) -> None:
        """Keep a row, in one transaction: it takes the place of what was known of its file, or of one that moved."""
        with self._faults():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.execute("INSERT OR IGNORE INTO rules VALUES (?, ?)", (rules, _pack(facts)))
                self._db.execute("DELETE FROM runs WHERE rules = ? AND file = ?", (rules, moved))
                self._db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?)", (row.file, rules, *row[1:]))
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _scores(self, basis: Basis, rules: str, row: _Row) -> Scores:
        """The scores of a run from its judged parts."""
        with self._faults():
            head, arrays = _unpacked(row.judged)
            if head["key"] != [row.file, rules, row.content]:
                raise ValueError("a row has another name than was written")
            parts, of_part = {}, dict[str, Any]()
            for part, (extra, told) in head["parts"].items():
                remarks = Remarks()
                for kind, n, examples in told:
                    remarks.add(kind, *examples, n=n)
                qrels, of_part = qrels_of(part, basis.qrels), {name: arrays[f"{part} {name}"] for name in _ARRAYS}
                of_part["tied"] = of_part["tied"].reshape(3, -1)
                parts[part] = Judged(qrels=qrels, extra=extra, remarks=remarks, **of_part)
                n = [len(of_part[name]) for name in ("retrieved", "repeated", "answered", "rank")]
                if n != [len(qrels.start) - 1] * 3 + [len(qrels.relevance)]:
                    raise ValueError("its arrays are not those of the gold")
            return scores_of(basis, Named(*head["named"]), parts)

    def _nothing(self, ours: Mapping[str, Any], known: Mapping[str, Mapping[str, Any]]) -> str:
        """That nothing was scored by the rules, and which rules there are."""
        said = []
        for name, facts in known.items():
            differs = [f"{key.replace('_', ' ')} {facts[key]}" for key in ("task", "edition", "gold", "coliee_ir")
                       if facts[key] != ours[key]]  # fmt: skip
            theirs = facts["decisions"]
            differs += [f"--decision {key}={theirs[key]}" for key in theirs if theirs[key] != ours["decisions"][key]]
            if facts["queries"] != ours["queries"]:
                differs.append(counted(len(facts["queries"]), "query"))
            (n,) = self._db.execute("SELECT COUNT(*) FROM runs WHERE rules = ?", (name,)).fetchone()
            said.append(f"{counted(n, 'run')} scored with {', '.join(differs) or 'a gold with other judgements'}")
        held = "; ".join(said[:3]) or "nothing"
        return f"{self.path} holds no scores by this gold and these rules; it holds {held}"


def task_of(paths: Iterable[str]) -> str | None:
    """The task that all runs of some stores were scored for; None where there are several, or none can be read."""
    tasks, path = set(), ""
    for path in paths:
        with contextlib.suppress(InputError), ScoreStore(path, reading=True) as store:  # as reading its scores will say
            tasks |= store.tasks
    return recorded_task(tasks, path)


def runs_of(path: str) -> list[str]:
    """The files of the runs that a store has the scores of; none where it cannot be read."""
    with contextlib.suppress(InputError), ScoreStore(path, reading=True) as store:
        return store.files
    return []


def rules_of(basis: Basis) -> tuple[str, dict[str, Any]]:
    """An id of the gold, queries, rules and versions that runs are judged by, and what a reader wants to know."""
    import hashlib  # which most commands do without

    facts: dict[str, Any] = {
        "coliee_ir": __version__,
        "trec_eval": trec_eval.version(),
        "task": basis.task,
        "edition": basis.edition,
        "decisions": {name: getattr(basis.decisions, name) for name in CHOICES},
        "queries": list(basis.queries),
        "excluded": sorted(basis.excluded),
    }
    remarks = list(basis.gold.remarks.sentences({}))
    by_rules = [basis.protocol.not_itself, basis.protocol.run]
    digest = hashlib.sha256(json.dumps([facts, remarks, basis.columns, basis.read_as, by_rules]).encode())
    for part, qrels in basis.qrels.items():
        digest.update(part.encode())
        for array in (qrels.start, qrels.relevance, qrels.documents.length):
            digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
        digest.update("\n".join(qrels.texts).encode("utf-8", "surrogatepass"))
    return digest.hexdigest(), {**facts, "gold": basis.gold.path}


class _Row(NamedTuple):
    """What is kept of a run: its file, its content and name, and its judged parts."""

    file: str
    content: str
    judged: bytes


class _Content(NamedTuple):
    """By what a run is known again: the bytes of its files; and the same with what it is called without a run tag."""

    bytes: str
    key: str


def _content(submission: Submission) -> _Content | None:
    """What differs where the content of a run's files does; None for one that cannot be read, as scoring will say."""
    import hashlib  # which most commands do without

    digest, stems = hashlib.sha256(), []
    for name, part in submission.parts.items():
        if not (files := files_of(part)):
            raise UsageError("store", "a store keeps the scores of runs in files; this run is in memory")
        for file in files:
            digest.update(f"\0{name}\0".encode())
            stems.append(file.stem)
            try:
                with file.open() as stream:
                    while piece := stream.read(1 << 20):
                        digest.update(piece)
            except InputError:
                return None
    named = "\0".join([digest.hexdigest(), *stems])
    return _Content(digest.hexdigest(), hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest())


def _packed(scores: Scores, rules: str, content: str) -> bytes:
    """What is kept of a run's scores."""
    parts, arrays = dict[str, Any](), dict[str, npt.NDArray[Any]]()
    for part, judged in scores.judged.items():
        parts[part] = [judged.extra, list(judged.remarks)]
        arrays |= {f"{part} {name}": np.asarray(getattr(judged, name), kind) for name, kind in _ARRAYS.items()}
    named = [scores.tag, scores.file, scores.others, scores.other_tag]
    return _pack({"key": [scores.file, rules, content], "named": named, "parts": parts}, arrays)


def _pack(head: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]] | None = None) -> bytes:
    """A line of JSON, which also tells the arrays, and their bytes, compressed; zlib's sum tells a flipped bit."""
    told = {name: [array.dtype.str, array.size] for name, array in (arrays or {}).items()}
    text = json.dumps({**head, "arrays": told}).encode()
    return zlib.compress(b"\n".join([text, b"".join(array.tobytes() for array in (arrays or {}).values())]), 1)


def _unpacked(packed: bytes) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    text, _, rest = zlib.decompress(packed).partition(b"\n")
    head, arrays, at = json.loads(text), dict[str, npt.NDArray[Any]](), 0
    for name, (kind, size) in head.pop("arrays").items():
        array = np.frombuffer(rest, kind, size, at)
        arrays[name], at = array.astype(np.bool_ if array.dtype.kind == "b" else np.int64), at + array.nbytes
    return head, arrays
