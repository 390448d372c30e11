"""Parquet: golds, runs and answers in columns, read batch by batch with pyarrow, an extra.

Columns have the names of ``forms.vocabulary``, as in tables and frames, and their values mean the same.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO, Final

import numpy as np

from coliee_adapters.errors import InputError, Place, UsageError
from coliee_adapters.files import limits, trial
from coliee_adapters.files.source import Source
from coliee_adapters.forms import arrow
from coliee_adapters.forms.form import Column, Form, FormContent, FoundRows, Values, place_of_row
from coliee_adapters.forms.lines import Note
from coliee_adapters.forms.rows import ReadingRules, blocks_of, tag_of, with_remarks
from coliee_adapters.forms.vocabulary import SHOWN, GoldOrRun, roles_of
from coliee_adapters.ids import Ids, Picked
from coliee_adapters.records import Columns, IdRule, Run
from coliee_adapters.remarks import Remarks

FORMAT: Final = "parquet"

_INSTALL: Final = "pip install 'coliee-ir[parquet]'"

#: rows that are read at a time; with all that is made of them they are a few megabytes
BATCH: Final = 1 << 15

#: bytes of a text that rows may repeat: a batch of such texts has 256 MiB
_LONGEST: Final = 1 << 13

#: encodings of texts by what differs from the one before, no writer's default: as of dictionaries, some kilobytes
#: of them may be texts of any size, but they cannot be read as one
_DELTA: Final = frozenset({"DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"})

#: bytes of a column that are read at a time
_BUFFER: Final = 1 << 16

#: rows of a row group that is written
_GROUP: Final = 1 << 15


def sniff(head: bytes) -> bool:
    """Whether a file begins as Parquet does, and not as an id that is spelt like it."""
    return head.startswith(b"PAR1\x15")


def library(path: str = "", remedy: str = _INSTALL) -> tuple[Any, Any]:
    """Pyarrow, and its module for Parquet."""
    try:
        import pyarrow  # an extra, which takes a third of a second to load
        import pyarrow.parquet
    except ImportError:
        if path:
            raise InputError("needs-package", path, "a Parquet file needs pyarrow to be read", remedy=remedy) from None
        raise UsageError("needs-package", f"Parquet needs pyarrow: {remedy}") from None
    return pyarrow, pyarrow.parquet


@contextlib.contextmanager
def _opened(source: Source, texts: Sequence[str] = ()) -> Iterator[Any]:
    """Pyarrow's file."""
    pyarrow, parquet = library(source.name)
    _check_in_process(source)
    with source.open() as stream:
        try:
            # pre-buffered, whole row groups would be held; of a file elsewhere each read is a request
            size = 0 if source.is_remote else _BUFFER
            options = {"pre_buffer": False, "buffer_size": size, "page_checksum_verification": True}
            with parquet.ParquetFile(stream, read_dictionary=list(texts), **options) as file:
                size = sum(file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups))
                source.limits.check_growth(source.name, "the Parquet data", size, source.size)
                yield file
        except MemoryError:  # of which pyarrow has its own
            raise
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:  # the last of a name of a column
            reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
            problem = f"the Parquet file is damaged or cut short ({reason})"
            raise InputError("damaged", source.name, problem, remedy="write or download it again") from None


def _check_in_process(source: Source) -> None:
    """Read a file to its end in a process of its own, once: over some damaged files pyarrow ends the process."""
    if source.vetted is None and hasattr(os, "fork") and not (source.is_remote and not source.is_stream):
        source.check()
        source.vetted = True  # in the process that is forked too
        source.vetted = os.WIFEXITED(trial.in_a_process(partial(_read_all, source))[0])
    if source.vetted is False:
        problem = "the Parquet file is damaged, or too large for the memory: the process that read it ended"
        raise InputError("damaged", source.name, problem, remedy="write or download it again")


def _read_all(source: Source) -> int:
    """Read what may be asked for; what is wrong, the process that waits will find."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # pyarrow's last words
    with _opened(source) as file:
        names, roles = file.schema_arrow.names, dict[str, int]()
        for kind in ("gold", "run"):
            with contextlib.suppress(InputError):
                roles |= roles_of(names, kind, Place(source.name), source.columns)
        if "tag" in roles:
            _first_tag(file, roles["tag"])
    for _ in row_batches(source, roles):
        pass
    return 0


def names_of(source: Source) -> list[str]:
    """The names of the columns."""
    with _opened(source) as file:
        return list(file.schema_arrow.names)


def can_be_gold(source: Source, column: int | None) -> bool:
    """Whether a column of relevances holds integers."""
    pyarrow, _ = library(source.name)
    with _opened(source) as file:
        return column is None or not pyarrow.types.is_floating(file.schema_arrow.types[column])


def _rows_of(kind: GoldOrRun, source: Source, note: Note) -> FoundRows:
    """Documents or labels."""
    return row_batches(source, _roles(source, kind, note))


def _roles(source: Source, kind: GoldOrRun, note: Note) -> dict[str, int]:
    """The roles of the columns, of which others are looked into."""
    names = names_of(source)

    def sample(i: int) -> Iterable[Any]:
        with _opened(source) as file:
            batches = file.iter_batches(SHOWN, columns=[names[i]], use_threads=False)  # one may end a row group
            every = itertools.chain.from_iterable(arrow.column(batch.column(0)) or () for batch in batches)
            return list(itertools.islice(every, SHOWN))

    return roles_of(names, kind, Place(source.name), source.columns, values=sample, note=note)


def _run(source: Source, rule: IdRule) -> Run | None:
    """A run of documents; in the order of its ranks, or else of its rows, where it has no scores."""
    remarks = Remarks()
    with _opened(source) as file:
        if not file.metadata.num_rows:
            raise InputError(
                "empty", source.name, "the table has no rows", remedy="write a row for each query and document"
            )
        roles = _roles(source, "run", remarks.add)
        tag, alone = _first_tag(file, roles.get("tag"))
    if "answer" in roles:
        return None
    if alone:
        del roles["tag"]
    # no closures: a run can be pickled
    read = partial(_blocks, source, roles, rule, tag, remarks)
    return Run(read, tag or source.stem, "score" in roles, source.name, FORMAT)


def _first_tag(file: Any, i: int | None) -> tuple[str, bool]:
    """The run tag of the first row; and whether no row can have another."""
    if i is None:
        return "", False
    statistics = [file.metadata.row_group(group).column(i).statistics for group in range(file.metadata.num_row_groups)]
    known = all(chunk is not None and chunk.has_min_max and chunk.null_count == 0 for chunk in statistics)
    alone = known and len({value for chunk in statistics for value in (chunk.min, chunk.max)}) == 1
    batch = next(file.iter_batches(1, columns=[file.schema_arrow.names[i]], use_threads=False), None)
    column = None if batch is None else arrow.column(batch.column(0))
    return "" if column is None or column[0] is None else tag_of(column[0]), alone


def row_batches(source: Source, roles: Mapping[str, int]) -> Iterator[Values]:
    """The rows, many at a time."""
    with _opened(source) as file:
        names, groups = list(file.schema_arrow.names), range(file.num_row_groups)
        texts = {i for i in roles.values() if _is_text(file.schema_arrow.types[i])}
        chunks = {i: [file.metadata.row_group(group).column(i) for group in groups] for i in texts}
    for role, i in roles.items():
        if any(not _DELTA.isdisjoint(chunk.encodings) for chunk in chunks.get(i, ())):
            remedy = "write it without column_encoding, as pandas and polars do"
            problem = f"the {role} is written as what differs from row to row, which is not read"
            raise InputError("shape", source.name, problem, found=names[i], remedy=remedy)
    # read as a dictionary, a text of any size that rows repeat is held once
    repeated = {
        names[i]: role
        for role, i in roles.items()
        if i in texts and any(chunk.has_dictionary_page for chunk in chunks[i])
    }
    with _opened(source, [*repeated]) as file:
        for name, role in repeated.items():
            _refuse_long_words(source, file, name, role)
    with _opened(source) as file:
        row = 0
        for batch in file.iter_batches(BATCH, columns=[names[i] for i in roles.values()], use_threads=False):
            place, columns = partial(place_of_row, source.name, "row", 1 + row), {}
            for role, i in roles.items():
                column = arrow.column(batch.column(names[i]))
                columns[role] = _checked_column(source, role, names[i], column, place)
            yield Values(columns, place)
            row += len(batch)
        if row != (rows := file.metadata.num_rows):
            problem = f"the Parquet file is damaged or cut short (row {row:,} of {rows:,} is the last)"
            raise InputError("damaged", source.name, problem, remedy="write or download it again")


def _refuse_long_words(source: Source, file: Any, name: str, role: str) -> None:
    """Refuse a column of which a word in one of its dictionaries is too long to be repeated."""
    for group in range(file.num_row_groups):
        batch = next(file.iter_batches(1, row_groups=[group], columns=[name], use_threads=False), None)
        column = None if batch is None else arrow.column(batch.column(0))
        if column is not None and isinstance(column.values, Picked):
            _refuse_long(source, role, name, column.values.collection)


def _refuse_long(source: Source, role: str, name: str, texts: Ids) -> None:
    if texts.length.max(initial=0) > _LONGEST:
        problem = f"a {role} is longer than {limits.size(_LONGEST)}"
        raise InputError("too-large", source.name, problem, found=name, remedy="write ids and labels")


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")


def _checked_column(
    source: Source, role: str, name: str, column: Column | None, place: Callable[[int], Place]
) -> Column:
    """The column; InputError if its type, or a value in it, is not one of ids, labels and numbers."""
    if column is None:
        problem = f"the {role} is of a type that is not read"
        raise InputError("shape", source.name, problem, found=name, remedy="write text or numbers")
    texts = column.values.collection if isinstance(column.values, Picked) else column.values
    if isinstance(column.values, Picked):
        numbers = column.values.numbers if column.valid is None else column.values.numbers[column.valid]
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(texts):
            problem = "the Parquet file is damaged or cut short (a number is not in its dictionary)"
            raise InputError("damaged", source.name, problem, found=name, remedy="write or download it again")
    if isinstance(texts, Ids):
        _refuse_long(source, role, name, texts)
    if role != "tag" and (column.valid is not None or (isinstance(texts, Ids) and not texts.raw.isascii())):
        for i, value in enumerate(column):
            if value is None:
                raise place(i).fault("missing-key", f"the {role} is null", remedy="fill it in, or drop the row")
            if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
                text = repr(value.encode("utf-8", "surrogateescape"))
                raise place(i).fault("encoding", f"the {role} is not UTF-8", text, "write the text as UTF-8")
    return column


def _blocks(source: Source, roles: Mapping[str, int], rule: IdRule, tag: str, remarks: Remarks) -> Iterator[Columns]:
    """The rows of a run as blocks of columns."""
    return with_remarks(blocks_of(row_batches(source, roles), ReadingRules.of(rule), tag), remarks)


def _write_gold(gold: FormContent, stream: BinaryIO) -> None:
    """Write ``query_id``, ``doc_id`` and ``relevance``, or ``query_id`` and ``label``."""
    if gold.answers:
        return _write_labels(gold, {"label": "string"}, stream)
    rows = ((query, document, level) for query, judged in gold.documents.items() for document, level in judged.items())
    return _write({"query_id": "string", "doc_id": "string", "relevance": "int32"}, rows, stream)


def _write_run(run: FormContent, stream: BinaryIO) -> None:
    """Write ``query_id``, ``doc_id``, ``score`` (or ``rank``) and ``tag``, or ``query_id``, ``answer`` and ``tag``."""
    if run.answers:
        return _write_labels(run, {"answer": "string", "tag": "string"}, stream)
    value = ("score", "float64") if run.scored else ("rank", "int32")
    rows = (
        (query, document, score if run.scored else rank, run.tag)
        for query, ranking in run.documents.items()
        for rank, (document, score) in enumerate(ranking.items(), 1)
    )
    return _write({"query_id": "string", "doc_id": "string", value[0]: value[1], "tag": "string"}, rows, stream)


def _write_labels(content: FormContent, columns: Mapping[str, str], stream: BinaryIO) -> None:
    rows = ((query, "Y" if label else "N", content.tag) for query, label in (content.labels or {}).items())
    _write({"query_id": "string", **columns}, (row[: 1 + len(columns)] for row in rows), stream)


def _write(columns: Mapping[str, str], rows: Iterator[tuple[Any, ...]], stream: BinaryIO) -> None:
    """Write rows."""
    pyarrow, parquet = library()
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in columns.items()])
    # nearly every document and score is another one: with dictionaries these take more room, and twice the time to read
    repeated = [name for name in columns if name not in ("doc_id", "score")]
    options = {"compression": "zstd", "use_dictionary": repeated, "write_page_checksum": True}
    with parquet.ParquetWriter(stream, schema, **options) as writer:
        while group := list(itertools.islice(rows, _GROUP)):
            arrays = [_array(pyarrow, *column) for column in zip(zip(*group, strict=True), schema.types, strict=True)]
            writer.write_batch(pyarrow.RecordBatch.from_arrays(arrays, schema=schema))


def _array(pyarrow: Any, values: Sequence[Any], kind: Any) -> Any:
    """Values as pyarrow's, from their bytes: ``pyarrow.array`` would load pandas, where it is installed."""
    if kind != pyarrow.string():
        content = [np.array(values, dtype=kind.to_pandas_dtype())]
    else:
        texts = [value.encode() for value in values]
        content = [np.cumsum([0, *map(len, texts)], dtype=np.int32), np.frombuffer(b"".join(texts), dtype=np.uint8)]
    return pyarrow.Array.from_buffers(kind, len(values), [None, *map(pyarrow.py_buffer, content)])


FORMS: Final = (
    Form(
        "gold",
        FORMAT,
        "Parquet: query_id, doc_id, relevance",
        sniff,
        partial(_rows_of, "gold"),
        write=_write_gold,
        can_write=("documents", "labels", "levels"),
        binary=True,
    ),
    Form(
        "run",
        FORMAT,
        "Parquet: query_id, doc_id, score",
        sniff,
        partial(_rows_of, "run"),
        _run,
        write=_write_run,
        can_write=("documents", "labels", "order", "scores", "tag"),
        binary=True,
    ),
)
