"""A store of scores: what was scored before, by the same gold and the same rules, is not scored again.

submissions ──content──▶ kept? ──▶ Scores          a kill loses no run that was kept
                           └─ no: scored, kept ─┘
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from coliee_adapters import trec_eval
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import ColieeError, InputError, UsageError, shortened
from coliee_adapters.files import file_kinds
from coliee_adapters.files.source import PathLike, Source, is_store
from coliee_adapters.forms.lines import counted
from coliee_adapters.inputs import RunLike
from coliee_adapters.remarks import Remark, Remarks
from coliee_ir._version import __version__
from coliee_ir.judging.judged import Judged
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import Delegated, Measure, Result, compute
from coliee_ir.measures.delegated import of_values
from coliee_ir.measures.ties import Span, told
from coliee_ir.rules.decisions import CHOICES
from coliee_ir.rules.protocol import recorded_task
from coliee_ir.scoring import batch
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.prepared import named, qrels_of
from coliee_ir.scoring.reading import given as as_given
from coliee_ir.scoring.remarks import beside_the_point
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.submission import Submission, name_of

if TYPE_CHECKING:
    import sqlite3
    from concurrent.futures import Executor

__all__ = ["ScoreStore", "is_store", "rules_of", "runs_of", "task_of"]

#: So many submissions are looked up, and then scored, at a time; more where many machines score them.
_WINDOW: Final = 200
_WINDOW_ELSEWHERE: Final = 4000

#: rises when a row holds its scores in another way, or scoring remarks what it did not: rows of before are scored again
_FORM: Final = 2

_ARRAYS: Final = {"rank": "<i4", "retrieved": "<i4", "repeated": "<i4", "answered": "?", "tied": "<i4"}


#: the suffixes of stores
_SUFFIXES: Final = (".sqlite", ".sqlite3", ".db")

#: what reading a row meets that somebody has made
_WRONG: Final = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError)

#: seconds to wait for a process that writes to the same store: a sweep that is going on will not end soon
_PATIENCE: Final = 0.2

#: a row and its CRC-32, so that a flipped bit is refused and never another score
_SCHEMA: Final = f"""
BEGIN;
CREATE TABLE rules (id TEXT PRIMARY KEY, facts TEXT NOT NULL, crc INTEGER) WITHOUT ROWID;
CREATE TABLE runs (file TEXT, rules TEXT, asked TEXT, content TEXT, tag TEXT, means TEXT, per_query BLOB, more TEXT,
                   judged BLOB, crc INTEGER, PRIMARY KEY (file, rules, asked));
CREATE INDEX by_content ON runs (content, rules, asked);
PRAGMA application_id = {file_kinds.STORE_ID};
COMMIT;
"""


class _Row(NamedTuple):
    """What is kept of a run."""

    file: str  # its file
    rules: str  # the id of the rules that it was scored by: gold, queries, task, edition, decisions, versions
    asked: str  # the measures that were asked for, as JSON; ``[]`` for the official ones
    content: str  # what differs where its content, or what it is called, does
    tag: str  # its run tag
    means: str  # measure → score, as JSON
    per_query: bytes  # for each measure the scores of the queries, shape (M, Q), packed
    more: str  # the rest, as JSON
    judged: bytes  # the judged parts, packed

    @classmethod
    def of(cls, found: Sequence[Any]) -> _Row:
        """The row that was written."""
        row = cls(*_checked(found))
        if not all(isinstance(text, str) for text in row[:6]):
            raise ValueError("a row has no text where text was written")
        return row


def _crc(fields: Sequence[object]) -> int:
    return zlib.crc32(repr(tuple(fields)).encode("utf-8", "surrogatepass"))


def _checked(found: Sequence[Any]) -> Sequence[Any]:
    """The fields of a row, whose last is their CRC."""
    if _crc(found[:-1]) != found[-1]:
        raise ValueError("a row has other bytes than were written")
    return found[:-1]


class _Rows:
    """The rows of a store: an SQLite database in which each row is a transaction."""

    def __init__(self, path: PathLike, *, reading: bool = False) -> None:
        self.path = os.fspath(path)
        self._reading = reading
        if not self.path.endswith(_SUFFIXES):
            raise UsageError("store", f"a store of scores ends in .sqlite or .db, not as {self.path}")
        # a process may have been killed before it wrote anything
        exists = Path(self.path).exists() and (not Path(self.path).is_file() or Path(self.path).stat().st_size > 0)
        if (exists or reading) and not is_store(self.path):
            problem = "this file is not a store of scores" if exists else "there is no such file"
            remedy = "name another file, or make one with evaluate --store"
            raise InputError("no-file", self.path, problem, remedy=remedy)
        with self.faults():
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

    def close(self, *, whole: bool) -> None:
        """Close it; of what was written without a fault, as one file, which can be copied."""
        with self.faults():
            if not self._reading and whole:
                self._db.execute("PRAGMA journal_mode = DELETE")
            self._db.close()

    @contextlib.contextmanager
    def faults(self) -> Iterator[None]:
        """Whatever is wrong with the file, or with what a row of it holds, is an InputError."""
        import sqlite3  # see above

        try:
            yield
        except ColieeError:
            raise
        except (OSError, sqlite3.OperationalError) as error:
            name = getattr(error, "sqlite_errorname", "SQLITE_IOERR")
            if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                remedy = "try again when it has ended"
                problem = "another process is writing to this store"
                raise InputError("store", self.path, problem, remedy=remedy) from None
            if name.startswith(("SQLITE_IOERR", "SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
                raise InputError("structure", self.path, f"cannot be read or written ({error})") from None
            raise self._damaged(error) from None
        except (sqlite3.Error, zlib.error, *_WRONG) as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> InputError:
        problem = f"the store is damaged ({error})"
        return InputError("store", self.path, problem, remedy="move it away, and score the runs again")

    def rules(self) -> dict[str, dict[str, Any]]:
        """The rules by which runs were scored: id → facts."""
        with self.faults():
            found = map(_checked, self._db.execute("SELECT * FROM rules"))
            return {name: json.loads(facts) for name, facts in found}

    def files(self, rules: str | None = None) -> list[str]:
        """The files of all runs, or of those that were scored by some rules."""
        with self.faults():
            asked = "SELECT DISTINCT file FROM runs WHERE rules = ifnull(?, rules)"
            return [str(file) for (file,) in self._db.execute(asked, (rules,))]

    def rows(self, rules: str) -> Iterator[_Row]:
        """The rows of some rules, of each file the newest, in the order in which they came."""
        asked = (
            "SELECT * FROM runs WHERE rowid IN (SELECT MAX(rowid) FROM runs WHERE rules = ? GROUP BY file) "
            "ORDER BY rowid"
        )
        with self.faults():
            yield from (_Row.of(found) for found in self._db.execute(asked, (rules,)))

    def find(self, file: str, rules: str, asked: str, content: str) -> _Row | None:
        """The row of a run; of one of the same content and name where that is not there."""
        with self.faults():
            found = self._db.execute(
                "SELECT * FROM runs WHERE content = ? AND rules = ? AND asked = ? ORDER BY file = ? DESC LIMIT 1",
                (content, rules, asked, file),
            ).fetchone()
            return None if found is None else _Row.of(found)

    def keep(self, row: _Row, facts: Mapping[str, Any], instead_of: str = "") -> None:
        """Keep a row, in one transaction: it takes the place of what was known of its file, or of a file that moved."""
        told = (row.rules, json.dumps(facts))
        with self.faults(), _transaction(self._db):
            self._db.execute("INSERT OR IGNORE INTO rules VALUES (?, ?, ?)", (*told, _crc(told)))
            # by other content, whatever was asked for, the file's scores are no longer its own
            self._db.execute(
                "DELETE FROM runs WHERE rules = ? AND (file = ? AND (content != ? OR asked = ?) OR file = ?)",
                (row.rules, row.file, row.content, row.asked, instead_of),
            )
            self._db.execute(f"INSERT INTO runs VALUES ({', '.join('?' * 10)})", (*row, _crc(row)))


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


class ScoreStore:
    """A file with the scores of many runs, to which runs are added one by one, each for good.

    A run is known again by its content, and the gold, the queries, the task, the edition, the decisions and the
    measures that it was scored by, and the versions of this package and of trec_eval. With a run's scores its judged
    parts are kept, so that measures that were not asked for can be computed without the run.

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
        self._rows = _Rows(path, reading=reading)
        self.path = self._rows.path
        self.known = self.new = 0

    @property
    def tasks(self) -> set[str]:
        """The tasks that its runs were scored for."""
        return {facts["task"] for facts in self._rows.rules().values()}

    @property
    def files(self) -> list[str]:
        """The files of its runs."""
        return self._rows.files()

    def __enter__(self) -> ScoreStore:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._rows.close(whole=error is None)

    def score(
        self,
        evaluator: Evaluator,
        submissions: Iterable[RunLike | Submission],
        *,
        jobs: int | None = None,
        executor: Executor | None = None,
    ) -> Iterator[Scores | ColieeError]:
        """The scores of several runs: those that are kept, and of the others those that they get, which are kept.

        Args are those of ``Evaluator.evaluate_all``; the runs must be files.

        Yields:
            For each run in turn its scores, with the judged parts, or the error that it met, which is not kept.

        Raises:
            WorkerError: a process or a worker of the executor was lost.
            UsageError: a run is not a file.
        """
        rules = _Rules(evaluator)
        first_of: dict[bytes, str] = {}
        waiting = iter(submissions)
        while window := list(islice(waiting, _WINDOW if executor is None else _WINDOW_ELSEWHERE)):
            given = [Submission(*(as_given(part, evaluator.columns) for part in Submission.of(one))) for one in window]
            contents = [_content(one) for one in given]
            kept = [self._find(*each, rules) for each in zip(given, contents, strict=True)]
            missing = [one for one, row in zip(given, kept, strict=True) if row is None]
            scored = batch.score_each(
                missing, evaluator, jobs=jobs, executor=executor, keep_judged=True, tell_copies=False
            )
            for one, content, row in zip(given, contents, kept, strict=True):
                if row is not None:
                    self.known += 1
                    with self._rows.faults():
                        result: Scores | ColieeError = rules.scores(row, _file(one))
                else:
                    result = next(scored)
                    if isinstance(result, Scores) and content is not None:
                        self._rows.keep(rules.row(result, content.key), rules.facts)
                        self.new += 1
                twin = None if content is None else first_of.get(content.bytes)
                if content is not None:
                    first_of.setdefault(content.bytes, _file(one))
                yield batch.with_twin(result, twin)

    def scores(self, evaluator: Evaluator) -> Iterator[Scores]:
        """The scores of all runs that were scored by an evaluator's gold and rules.

        Measures that were not asked for when the runs were scored are computed from what is kept of the runs.

        Raises:
            UsageError: there are none; the text says what there is.
        """
        rules = _Rules(evaluator)
        if rules.id not in (known := self._rows.rules()):
            raise UsageError("store", self._nothing(rules, known))
        for row in self._rows.rows(rules.id):
            with self._rows.faults():
                scores = rules.scores(row, row.file)
            yield scores

    def _find(self, submission: Submission, content: _Content | None, rules: _Rules) -> _Row | None:
        row = None if content is None else self._rows.find(_file(submission), rules.id, rules.asked, content.key)
        if row is not None and row.file != _file(submission):
            moved = "" if Path(row.file).exists() else row.file
            row = row._replace(file=_file(submission))
            self._rows.keep(row, rules.facts, moved)
        return row

    def _nothing(self, rules: _Rules, known: Mapping[str, Mapping[str, Any]]) -> str:
        """That nothing was scored by the rules, and which rules there are."""
        said = []
        for name, facts in known.items():
            others = [f"{key.replace('_', ' ')} {facts[key]}" for key in ("task", "edition", "gold", "coliee_ir")
                      if facts[key] != rules.facts[key]]  # fmt: skip
            theirs, ours = (
                {name: each["decisions"].get(name, choices[0]) for name, choices in CHOICES.items()}
                for each in (facts, rules.facts)
            )
            others += [f"--decision {key}={theirs[key]}" for key in theirs if theirs[key] != ours[key]]
            if facts["queries"] != rules.facts["queries"]:
                others.append(counted(len(facts["queries"]), "query"))
            if facts.get("form") != _FORM:
                others.append("remarks in an earlier form, which are to be scored again")
            differs = ", ".join(others) or "a gold with other judgements"
            said.append(f"{counted(len(self._rows.files(name)), 'run')} scored with {differs}")
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


def rules_of(evaluator: Evaluator) -> str:
    """What is the same for runs that are scored by the same gold, queries, rules and versions."""
    return _Rules(evaluator).of_scores


class _Rules:
    """An evaluator's rules: by which rows are known again, and Scores become rows and rows Scores.

    Attributes:
        id: of the rules, and of the form in which rows hold what came of them.
        of_scores: of the rules alone.
        asked: the measures that were asked for, as JSON.
        facts: what a reader wants to know of the rules.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        against = evaluator.prepared
        self.asked = json.dumps([measure.name for measure in evaluator.asked])
        self.facts: dict[str, Any] = {
            "coliee_ir": __version__,
            "trec_eval": trec_eval.version(),
            "task": evaluator.task,
            "edition": evaluator.edition,
            "decisions": evaluator.decisions.to_dict(),
            "queries": list(against.queries),
            "excluded": sorted(against.excluded),
            "gold": evaluator.gold.path,
            "form": _FORM,
        }
        import hashlib  # which most commands do without

        digest = hashlib.sha256()
        told = {name: fact for name, fact in self.facts.items() if name not in ("gold", "form")}
        remarks = list(evaluator.gold.remarks.sentences({}))
        by_rules = [evaluator.protocol.not_itself, evaluator.protocol.run]
        digest.update(json.dumps([told, remarks, evaluator.columns, evaluator.read_as, by_rules]).encode())
        for part, qrels in against.qrels.items():
            digest.update(part.encode())
            for array in (qrels.start, qrels.relevance, qrels.documents.length):
                digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
            digest.update("\n".join(qrels.texts).encode("utf-8", "surrogatepass"))
        self.of_scores = digest.hexdigest()
        digest.update(bytes([_FORM]))
        self.id = digest.hexdigest()

    def row(self, scores: Scores, content: str) -> _Row:
        """What is kept of a run's scores."""
        more = {
            "gold": scores.gold,
            "counts": scores.counts,
            "extra": scores.extra,
            "others": scores.others,
            "remarks": [(remark.kind, remark) for remark in scores.remarks],
            "answered": [at for at, answered in enumerate(scores.answered) if not answered],
            "ties": {measure.name: span for measure, span in scores.ties.items()},
            "has_ties": scores.has_ties,
            "extras": {part: judged.extra for part, judged in scores.judged.items()},
        }
        values = np.array([result.per_query for result in scores.results.values()], dtype="<f8")
        return _Row(
            scores.file, self.id, self.asked, content, scores.tag, json.dumps(scores.measures),
            zlib.compress(values.tobytes(), 1), json.dumps(more), _packed(scores.judged),
        )  # fmt: skip

    def scores(self, row: _Row, file: str) -> Scores:
        """The scores that were kept, of the measures that the evaluator is asked for."""
        evaluator, against = self._evaluator, self._evaluator.prepared
        more, means = json.loads(row.more), json.loads(row.means)
        values = np.frombuffer(zlib.decompress(row.per_query), dtype="<f8").reshape(len(means), len(against.queries))
        kept = {
            name: Result(value, of_queries) for (name, value), of_queries in zip(means.items(), values, strict=True)
        }
        parts = {
            part: _judged(qrels_of(part, against.qrels), more["extras"][part], arrays)
            for part, arrays in _unpacked(row.judged).items()
        }
        if parts.keys() != more["extras"].keys():
            raise ValueError("a row has other parts than were judged")
        wanted = [*evaluator.asked] or list(named(list(means), evaluator.protocol.scores))
        if not evaluator.asked and row.asked != "[]":
            wanted = [one for one in evaluator.official if all(part in parts for part in one.needs)]
        for measure in wanted:
            if lacking := [part for part in measure.needs if part not in parts]:
                problem = f"{measure} needs {', '.join(lacking)}, which {shortened(file)} was scored without"
                raise UsageError("store", problem)
        there = {measure: self._kept(measure, kept, parts) for measure in wanted}
        others = [measure for measure, result in there.items() if result is None]
        computed = dict(zip(others, compute(others, parts, evaluator.decisions), strict=True))
        answered = np.ones(len(against.queries), dtype=np.bool_)
        answered[more["answered"]] = False
        ties = {measure: Span(*span) for measure in wanted if (span := more["ties"].get(measure.name))}
        left_out = {"order-of-ties", *beside_the_point(wanted, against)}
        remarks = [Remark(*remark) for remark in more["remarks"] if remark[0] not in left_out]
        return Scores(
            tag=row.tag,
            file=file,
            gold=evaluator.gold.path,
            task=evaluator.task,
            edition=evaluator.edition,
            results={measure: result or computed[measure] for measure, result in there.items()},
            query_ids=against.queries,
            answered=answered.tolist(),
            counts=more["counts"],
            extra=more["extra"],
            others=more["others"],
            excluded=tuple(sorted(against.excluded)),
            remarks=(*remarks, *told(ties)),
            decisions=evaluator.decisions,
            judged=parts,
            ties=ties,
            has_ties=more["has_ties"],
        )

    @staticmethod
    def _kept(measure: Measure, kept: Mapping[str, Result], parts: Mapping[str, Judged]) -> Result | None:
        """The result of trec_eval's that was kept; None for what is computed anew, from the same sums, in no time."""
        if not isinstance(measure, Delegated) or measure.name not in kept:
            return None
        value, per_query = kept[measure.name].value, kept[measure.name].per_query
        return of_values(measure.request, value, per_query, measure.part(parts))


def _file(submission: Submission) -> str:
    return name_of(submission.run)


class _Content(NamedTuple):
    """By what a run is known again: the bytes of its files; and the same with what it is called without a run tag."""

    bytes: bytes
    key: str


def _content(submission: Submission) -> _Content | None:
    """What differs where the content of a run's files does; None for one that cannot be read, as scoring will say."""
    import hashlib  # which most commands do without

    digest, named_digest = hashlib.sha256(), hashlib.sha256()
    for name, part in submission._asdict().items():
        if part is None:
            continue
        if not isinstance(part, Source):
            raise UsageError("store", "a store keeps the scores of runs in files; this run is in memory")
        digest.update(f"\0{name}\0".encode())
        try:
            with part.open() as stream:
                while piece := stream.read(1 << 20):
                    digest.update(piece)
        except InputError:
            return None
        named_digest.update(f"{part.stem}\0".encode("utf-8", "surrogatepass"))
    named_digest.update(digest.digest())
    return _Content(digest.digest(), named_digest.hexdigest())


def _packed(judged: Mapping[str, Judged]) -> bytes:
    """The arrays of judged parts: a line of JSON that tells the lengths, then the bytes, all compressed."""
    lengths = []
    pieces = []
    for part, of_part in judged.items():
        for name, kind in _ARRAYS.items():
            array = getattr(of_part, name)
            lengths.append([part, name, array.size])
            pieces.append(np.ascontiguousarray(array, dtype=kind).tobytes())
    return zlib.compress(json.dumps(lengths).encode() + b"\n" + b"".join(pieces), 1)


def _judged(qrels: Qrels, extra: Mapping[str, int], arrays: Mapping[str, Any]) -> Judged:
    judged = Judged(qrels=qrels, extra=extra, remarks=Remarks(), **arrays)
    n = len(judged.retrieved), len(judged.repeated), len(judged.answered), len(judged.rank)
    if n != (*(len(qrels.start) - 1,) * 3, len(qrels.relevance)):
        raise ValueError("its arrays are not those of the gold")
    return judged


def _unpacked(packed: bytes) -> dict[str, dict[str, npt.NDArray[Any]]]:
    head, _, rest = zlib.decompress(packed).partition(b"\n")
    parts: dict[str, dict[str, npt.NDArray[Any]]] = {}
    at = 0
    for part, name, length in json.loads(head):
        kind = np.dtype(_ARRAYS[name])
        array = np.frombuffer(rest, kind, length, at).astype(np.bool_ if kind.kind == "b" else np.int64)
        parts.setdefault(part, {})[name] = array.reshape(3, -1) if name == "tied" else array
        at += length * kind.itemsize
    return parts
