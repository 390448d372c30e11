"""Rows of scores that outlive a kill: in an SQLite database, or in a Parquet file with a journal beside it.

In SQLite each row is a transaction. A Parquet file cannot be appended to, so its rows are written to an SQLite
database beside it, ``FILE.journal``, and all of them to the Parquet file in one move at the end; a journal that a
killed process has left goes before the file. The suffix decides which it is.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import numpy.typing as npt

from coliee_adapters import file_kinds, parquet
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.files import PathLike, is_store, replaced

if TYPE_CHECKING:
    import sqlite3

FloatArray = npt.NDArray[np.float64]

#: the suffixes of SQLite databases
_SQLITE: Final = (".sqlite", ".sqlite3", ".db")
_PARQUET: Final = ".parquet"
_JOURNAL: Final = ".journal"

#: where a Parquet file keeps the rules, and by what a store is told from other files
_RULES: Final = file_kinds.STORE_KEY
_APPLICATION: Final = file_kinds.STORE_ID

#: seconds to wait for a process that writes to the same store: a sweep that is going on will not end soon
_PATIENCE: Final = 0.2

#: so many rows of a Parquet file are in memory at a time
_BATCH: Final = 200

_SCHEMA: Final = f"""
BEGIN;
CREATE TABLE rules (id TEXT PRIMARY KEY, facts TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (file TEXT, rules TEXT, asked TEXT, content TEXT, tag TEXT, means TEXT, per_query BLOB, more TEXT,
                   judged BLOB, PRIMARY KEY (file, rules, asked));
CREATE INDEX by_content ON runs (content, rules, asked);
CREATE TABLE folded (stamp TEXT);
PRAGMA application_id = {_APPLICATION};
COMMIT;
"""


class Row(NamedTuple):
    """What is kept of a run.

    Attributes:
        file: its file.
        rules: the id of the rules that it was scored by: gold, queries, task, edition, decisions, versions.
        asked: the measures that were asked for, as JSON; ``[]`` for the official ones.
        content: what differs where its content, or what it is called, does.
        tag: its run tag.
        means: measure → score.
        per_query: measure → shape (Q,).
        more: the rest, as JSON.
        judged: the judged parts, packed.
    """

    file: str
    rules: str
    asked: str
    content: str
    tag: str
    means: Mapping[str, float]
    per_query: Mapping[str, FloatArray]
    more: str
    judged: bytes


def _is_begun(path: str) -> bool:
    """Whether a file is there, and a process was not killed before it wrote anything to it."""
    return Path(path).exists() and (not Path(path).is_file() or Path(path).stat().st_size > 0)


def store_files(path: str) -> list[str]:
    """The files that a store may consist of."""
    return [path, *(f"{path}{end}" for end in ("-wal", "-shm", _JOURNAL, f"{_JOURNAL}-wal", f"{_JOURNAL}-shm"))]


class ScoreRows:
    """The rows of a store.

    Args:
        path: its file, ``.parquet`` or ``.sqlite`` (``.sqlite3``, ``.db``).
        reading: whether it must exist, and is only read.

    Raises:
        UsageError: the suffix is another one; it is Parquet, and pyarrow is not installed.
        InputError: it does not exist, is no store, cannot be written, or another process is writing to it.
    """

    def __init__(self, path: PathLike, *, reading: bool = False) -> None:
        self.path = os.fspath(path)
        self._reading, self._changed = reading, False
        self._is_parquet = self.path.endswith(_PARQUET)
        if not self.path.endswith((_PARQUET, *_SQLITE)):
            raise UsageError(f"a store of scores ends in .parquet, .sqlite or .db, not as {self.path}")
        if self._is_parquet:
            _pyarrow()
        exists = _is_begun(self.path)
        if (exists or reading) and not is_store(self.path):
            problem = "this file is not a store of scores" if exists else "there is no such file"
            raise InputError(self.path, problem, remedy="name another file, or make one with evaluate --store")
        self._place = self.path + _JOURNAL if self._is_parquet else self.path
        self._db: sqlite3.Connection | None = None
        if not reading or not self._is_parquet or Path(self._place).exists():
            with self._faults():
                self._db = self._connected()

    def _connected(self) -> sqlite3.Connection:
        import sqlite3  # which most commands do without

        new = not _is_begun(self._place)
        db = sqlite3.connect(self._place, timeout=_PATIENCE, isolation_level=None)
        try:
            if not self._reading:
                db.execute("PRAGMA locking_mode = EXCLUSIVE")
            if new:
                db.executescript(_SCHEMA)
            if not self._reading:
                # what was committed survives the end of the process, and a crash of the machine leaves whole rows
                db.execute("PRAGMA journal_mode = WAL")
                db.execute("PRAGMA synchronous = NORMAL")
                db.execute("BEGIN IMMEDIATE")
                db.execute("COMMIT")
            elif not is_store(self._place):
                raise InputError(self._place, "this file is not a store of scores", remedy="name another file")
            self._import(db)
        except BaseException:
            db.close()
            raise
        return db

    def _import(self, db: sqlite3.Connection) -> None:
        """Bring the rows of the Parquet file into its journal, where they are not there yet."""
        if not self._is_parquet or self._reading or not Path(self.path).exists():
            return
        found = Path(self.path).stat()
        stamp = f"{found.st_size} {found.st_mtime_ns}"
        if db.execute("SELECT 1 FROM folded WHERE stamp = ?", (stamp,)).fetchone():
            return
        with _transaction(db):
            for name, facts in _parquet_rules(self.path).items():
                db.execute("INSERT OR IGNORE INTO rules VALUES (?, ?)", (name, json.dumps(facts)))
            for row in _parquet_rows(self.path):
                db.execute(f"INSERT OR IGNORE INTO runs VALUES ({', '.join('?' * 9)})", _packed(row))
            db.execute("DELETE FROM folded")
            db.execute("INSERT INTO folded VALUES (?)", (stamp,))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        """Close it; of a Parquet file write all rows, unless the program was interrupted: the journal has them."""
        if self._db is None:
            return
        with self._faults():
            if self._is_parquet and not self._reading and (error is None or issubclass(error, Exception)):
                if self._changed or Path(self.path).exists():
                    if self._changed:
                        self._fold(self._db)
                    self._db.close()
                    for file in store_files(self.path)[3:]:
                        Path(file).unlink(missing_ok=True)
                self._db.close()
                return
            if not self._reading and error is None:
                self._db.execute("PRAGMA journal_mode = DELETE")  # one file, which can be copied
            self._db.close()

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        import sqlite3  # see above

        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                remedy = "try again when it has ended"
                raise InputError(self.path, "another process is writing to this store", remedy=remedy) from None
            raise InputError(self.path, f"cannot be written ({error})") from None
        except sqlite3.DatabaseError as error:
            raise InputError(self.path, f"the store is damaged ({error})", remedy="move it away") from None
        except OSError as error:
            raise InputError(self.path, f"cannot be written ({error.strerror or error})") from None

    def rules(self) -> dict[str, dict[str, Any]]:
        """The rules by which runs were scored: id → facts."""
        if self._db is None:
            return _parquet_rules(self.path)
        with self._faults():
            return {name: json.loads(facts) for name, facts in self._db.execute("SELECT id, facts FROM rules")}

    def count(self, rules: str) -> int:
        """How many runs were scored by some rules."""
        if self._db is None:
            return len({row.file for row in _parquet_rows(self.path, ["file", "rules"], rules)})
        with self._faults():
            asked = "SELECT COUNT(DISTINCT file) FROM runs WHERE rules = ?"
            return int(self._db.execute(asked, (rules,)).fetchone()[0])

    def rows(self, rules: str) -> Iterator[Row]:
        """The rows of some rules, of each file the newest, in the order in which they came."""
        if self._db is None:
            newest = {row.file: at for at, row in enumerate(_parquet_rows(self.path, ["file", "rules"], rules))}
            kept = set(newest.values())
            yield from (row for at, row in enumerate(_parquet_rows(self.path, None, rules)) if at in kept)
            return
        with self._faults():
            asked = (
                "SELECT * FROM runs WHERE rowid IN (SELECT MAX(rowid) FROM runs WHERE rules = ? GROUP BY file) "
                "ORDER BY rowid"
            )
            yield from map(_unpacked, self._db.execute(asked, (rules,)))

    def find(self, file: str, rules: str, asked: str, content: str) -> Row | None:
        """The row of a run; of one of the same content and name where that is not there."""
        assert self._db is not None
        with self._faults():
            found = self._db.execute(
                "SELECT * FROM runs WHERE content = ? AND rules = ? AND asked = ? ORDER BY file = ? DESC LIMIT 1",
                (content, rules, asked, file),
            ).fetchone()
        return None if found is None else _unpacked(found)

    def keep(self, row: Row, facts: Mapping[str, Any], instead_of: str = "") -> None:
        """Keep a row, in one transaction: it takes the place of what was known of its file, or of a file that moved.

        Args:
            row: the row.
            facts: its rules.
            instead_of: the file that it moved from.
        """
        assert self._db is not None
        with self._faults(), _transaction(self._db):
            self._changed = True
            self._db.execute("INSERT OR IGNORE INTO rules VALUES (?, ?)", (row.rules, json.dumps(facts)))
            # by other content, whatever was asked for, the file's scores are no longer its own
            self._db.execute(
                "DELETE FROM runs WHERE rules = ? AND (file = ? AND (content != ? OR asked = ?) OR file = ?)",
                (row.rules, row.file, row.content, row.asked, instead_of),
            )
            self._db.execute(f"INSERT INTO runs VALUES ({', '.join('?' * 9)})", _packed(row))

    def _fold(self, db: sqlite3.Connection) -> None:
        rules = self.rules()
        names = dict.fromkeys(name for (means,) in db.execute("SELECT means FROM runs") for name in json.loads(means))
        rows = map(_unpacked, db.execute("SELECT * FROM runs ORDER BY rowid"))
        with replaced(self.path) as stream:
            _write_parquet(rows, rules, list(names), stream)


@contextlib.contextmanager
def _transaction(db: sqlite3.Connection) -> Iterator[None]:
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")


def _packed(row: Row) -> tuple[Any, ...]:
    """A row for the database."""
    values = np.array(list(row.per_query.values()), dtype="<f8")
    return *row[:5], json.dumps(dict(row.means)), zlib.compress(values.tobytes(), 1), row.more, row.judged


def _unpacked(found: Sequence[Any]) -> Row:
    means = json.loads(found[5])
    values = np.frombuffer(zlib.decompress(found[6]), dtype="<f8").reshape(max(len(means), 1), -1)
    file, rules, asked, content, tag = found[:5]
    per_query = dict(zip(means, values[: len(means)], strict=True))
    return Row(file, rules, asked, content, tag, means, per_query, *found[7:])


def _pyarrow() -> tuple[Any, Any]:
    return parquet.library(remedy="pip install 'coliee-ir[parquet]', or name a store that ends in .sqlite")


#: the columns of a Parquet file beside one for each measure
_TEXTS: Final = ("file", "tag", "rules", "asked", "content", "more")


def _write_parquet(rows: Iterator[Row], rules: Mapping[str, Any], names: Sequence[str], stream: Any) -> None:
    """A row for each run: a column with the score for each measure, and lists of the queries and of their scores."""
    pa, pq = _pyarrow()
    each = pa.struct([(name, pa.list_(pa.float64())) for name in names])
    schema = pa.schema(
        [
            *((name, pa.string()) for name in _TEXTS[:2]),
            *((name, pa.float64()) for name in names),
            ("queries", pa.list_(pa.string())),
            *([("per_query", each)] if names else []),
            *((name, pa.string()) for name in _TEXTS[2:]),
            ("judged", pa.binary()),
        ],
        metadata={_RULES: json.dumps(dict(rules)).encode()},
    )
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        while batch := list(islice(rows, _BATCH)):
            columns: dict[str, list[Any]] = {
                name: [getattr(row, name) for row in batch] for name in (*_TEXTS, "judged")
            }
            columns["queries"] = [rules[row.rules]["queries"] for row in batch]
            columns |= {name: [row.means.get(name) for row in batch] for name in names}
            columns["per_query"] = [{name: row.per_query.get(name) for name in names} for row in batch]
            writer.write_table(pa.table([pa.array(columns[f.name], f.type) for f in schema], schema=schema))


def _parquet_rules(path: str) -> dict[str, dict[str, Any]]:
    _, pq = _pyarrow()
    found: dict[str, dict[str, Any]] = json.loads(pq.read_schema(path).metadata[_RULES])
    return found


def _parquet_rows(path: str, columns: list[str] | None = None, rules: str | None = None) -> Iterator[Row]:
    """The rows of a Parquet file; what is in ``columns`` only."""
    _, pq = _pyarrow()
    with pq.ParquetFile(path) as file:
        known = {"queries", "per_query", "judged", *_TEXTS}
        names = [name for name in file.schema_arrow.names if name not in known]
        wanted = columns or [name for name in file.schema_arrow.names if name != "queries"]
        for batch in file.iter_batches(_BATCH, columns=wanted):
            for held in batch.to_pylist():
                if rules is None or held["rules"] == rules:
                    values = held.get("per_query") or {}
                    has = [name for name in names if values.get(name) is not None]
                    texts = {name: held.get(name, "") for name in _TEXTS}
                    yield Row(
                        **texts,
                        means={name: held[name] for name in has},
                        per_query={name: np.array(values[name], dtype=np.float64) for name in has},
                        judged=held.get("judged", b""),
                    )
