"""Parquet: golds, runs and answers in columns, read batch by batch with pyarrow, an extra.

Columns have the names of ``forms.vocabulary``, as in tables and frames, and their values mean the same. Row
groups are the parts of a run that several processes read.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO, Final, NoReturn

from coliee_adapters import signals
from coliee_adapters.errors import InputError, Place, UsageError
from coliee_adapters.files import limits, remote
from coliee_adapters.files.source import Source
from coliee_adapters.forms import arrow
from coliee_adapters.forms.columns import changes
from coliee_adapters.forms.form import Form, Found, Values, Written, place_of_row
from coliee_adapters.forms.lines import Note
from coliee_adapters.forms.rows import blocks_of, tag_of, telling_binary
from coliee_adapters.forms.vocabulary import SHOWN, Kind, roles_of
from coliee_adapters.ids import Ids, Picked
from coliee_adapters.records import Columns, IdRule, Run
from coliee_adapters.remarks import Remarks

FORMAT: Final = "parquet"

_INSTALL: Final = "pip install 'coliee-ir[parquet]'"

#: rows that are read at a time; with all that is made of them they are a few megabytes
_BATCH: Final = 1 << 15

#: bytes of a text that rows may repeat: a batch of such texts has 256 MiB
_LONGEST: Final = 1 << 13

#: bytes that the texts of a batch may have
_BOUND: Final = 1 << 28

#: encodings of texts by what differs from the one before
_DELTA: Final = frozenset({"DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"})

#: bytes of a column that are read at a time
_BUFFER: Final = 1 << 16

#: rows of a row group that is written, at least: it ends where a query ends
_GROUP: Final = 1 << 18


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
    _vet(source)
    with source.open() as stream:
        try:
            # pre-buffered, whole row groups would be held; of a file elsewhere each read is a request
            size = 0 if remote.is_remote(source.path) else _BUFFER
            held = parquet.ParquetFile(
                stream,
                read_dictionary=list(texts),
                pre_buffer=False,
                buffer_size=size,
                page_checksum_verification=True,
            )
            with held as file:
                _check_size(source, file.metadata)
                yield file
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:  # the last of a name of a column
            said = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
            problem = f"the Parquet file is damaged or cut short ({said})"
            raise InputError("damaged", source.name, problem, remedy="write or download it again") from None


def _vet(source: Source) -> None:
    """Read a file to its end in a process of its own, once: over some damaged files pyarrow ends the process."""
    if source.vetted is None and hasattr(os, "fork") and not (source.is_remote and not source.is_stream):
        source.check()
        source.vetted = True  # in the process that is forked too
        with signals.held(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
            if not (process := os.fork()):
                _read_and_end(source)
        source.vetted = os.WIFEXITED(os.waitpid(process, 0)[1])
    if source.vetted is False:
        problem = "the Parquet file is damaged, or too large for the memory: the process that read it ended"
        raise InputError("damaged", source.name, problem, remedy="write or download it again")


def _read_and_end(source: Source) -> NoReturn:
    """Read what may be asked for, in a process that was forked for it; what is wrong, the one that waits will find."""
    try:
        signals.begin_worker()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # pyarrow's last words
        with _opened(source) as file:
            names, roles = file.schema_arrow.names, dict[str, int]()
            for kind in ("gold", "run"):
                with contextlib.suppress(InputError):
                    roles |= roles_of(names, kind, source.name, source.columns)
            if "tag" in roles:
                _first_tag(file, roles["tag"])
        for _ in _batches(source, roles):
            pass
    finally:
        os._exit(0)


def _check_size(source: Source, metadata: Any) -> None:
    size = sum(metadata.row_group(at).total_byte_size for at in range(metadata.num_row_groups))
    source.limits.check_growth(source.name, "the Parquet data", size, source.size)


def _check_words(source: Source, names: Sequence[str], groups: Sequence[int]) -> None:
    """Refuse dictionaries of long texts: a file of some kilobytes may repeat them to any size."""
    with _opened(source, names) as file:
        for group, name in itertools.product(groups, names):
            column = _column_of(file.metadata.row_group(group), name)
            if _is_delta(column) and not column.has_dictionary_page:
                continue
            for batch in file.iter_batches(1, row_groups=[group], columns=[name], use_threads=False):
                _understood(
                    source, "tag", name, arrow.column(batch.column(0)), partial(place_of_row, source.name, "row", 1)
                )
                break


def _column_of(group: Any, name: str) -> Any:
    """What a row group says of a column."""
    columns = map(group.column, range(group.num_columns))
    return next(column for column in columns if column.path_in_schema == name)


def _is_delta(column: Any) -> bool:
    """Whether texts are written as what differs, which pyarrow cannot read as dictionaries, behind some or not."""
    return not _DELTA.isdisjoint(column.encodings)


def names_of(source: Source) -> list[str]:
    """The names of the columns."""
    with _opened(source) as file:
        return list(file.schema_arrow.names)


def can_be_gold(source: Source, at: int | None) -> bool:
    """Whether a column of relevances holds integers."""
    pyarrow, _ = library(source.name)
    with _opened(source) as file:
        return at is None or not pyarrow.types.is_floating(file.schema_arrow.types[at])


def _found(kind: Kind, source: Source, note: Note) -> Found:
    """Documents or labels."""
    return _batches(source, _roles(source, kind, note))


def _roles(source: Source, kind: Kind, note: Note) -> dict[str, int]:
    """The roles of the columns, of which others are looked into."""
    names = names_of(source)

    def shown(at: int) -> Iterable[Any]:
        with _opened(source) as file:
            batch = next(file.iter_batches(SHOWN, columns=[names[at]], use_threads=False), None)
            return () if batch is None else arrow.column(batch.column(0)) or ()

    return roles_of(names, kind, source.name, source.columns, values=shown, note=note)


def _run(source: Source, rule: IdRule) -> Run | None:
    """A run of documents; in the order of its ranks, or else of its rows, where it has no scores."""
    remarks = Remarks()
    with _opened(source) as file:
        if not file.metadata.num_rows:
            problem = "the table has no rows"
            raise InputError("empty", source.name, problem, remedy="write a row for each query and document")
        roles = _roles(source, "run", remarks.add)
        tag, alone = _first_tag(file, roles.get("tag"))
    if "answer" in roles:
        return None
    if alone:
        del roles["tag"]
    # no closures: a run can be pickled
    read = partial(_blocks, source, roles, rule, tag, remarks)
    whole = Run(read, tag or source.stem, "score" in roles, source.name, FORMAT)
    return replace(whole, split=partial(_split, source, roles, whole, read))


def _first_tag(file: Any, at: int | None) -> tuple[str, bool]:
    """The run tag of the first row; and whether no row can have another."""
    if at is None:
        return "", False
    held = [file.metadata.row_group(group).column(at).statistics for group in range(file.metadata.num_row_groups)]
    known = all(one is not None and one.has_min_max and one.null_count == 0 for one in held)
    alone = known and len({value for one in held for value in (one.min, one.max)}) == 1
    batch = next(file.iter_batches(1, columns=[file.schema_arrow.names[at]], use_threads=False), None)
    column = None if batch is None else arrow.column(batch.column(0))
    return "" if column is None or column[0] is None else tag_of(column[0]), alone


def _batches(source: Source, roles: Mapping[str, int], start: int = 0, stop: int | None = None) -> Iterator[Values]:
    """The rows, many at a time."""
    with _opened(source) as file:
        names = list(file.schema_arrow.names)
        wanted = [names[at] for at in sorted(roles.values())]
        all_groups = [file.metadata.row_group(at) for at in range(file.num_row_groups)]
        texts = [name for name in wanted if _is_text(file.schema_arrow.field(names.index(name)).type)]
        held = {name: [_column_of(group, name) for group in all_groups] for name in texts}
    delta = {name for name, columns in held.items() if any(map(_is_delta, columns))}
    repeated = [names[at] for role, at in roles.items() if role in ("query", "tag") and names[at] not in delta]
    # a text that repeats the beginning of the one before can be as long as all that is written of the column
    most = max((one.total_uncompressed_size for name in delta for one in held[name]), default=0)
    rows = min(_BATCH, max(_BOUND // most, 1)) if most else _BATCH
    with _opened(source, repeated) as file:
        groups: list[int] = []
        row = 0
        first = start
        row_ends = list(itertools.accumulate(group.num_rows for group in all_groups))
        for group, behind in enumerate(row_ends):
            if behind > start and (stop is None or row < stop):
                first = first if groups else row
                groups.append(group)
            row = behind
        _check_words(source, [name for name in texts if name not in repeated], groups)
        batches = file.iter_batches(rows, row_groups=groups, columns=wanted, use_threads=False)
        for batch in batches if rows == _BATCH else _together(batches):
            inside = batch.slice(max(start - first, 0), None if stop is None else max(stop - max(start, first), 0))
            if len(inside):
                place = partial(place_of_row, source.name, "row", 1 + max(first, start))
                columns = {}
                for role, at in roles.items():
                    column = arrow.column(inside.column(names[at]))
                    columns[role] = _understood(source, role, names[at], column, place)
                yield Values(columns, place)
            first += len(batch)
        if groups and first != (ends := row_ends[groups[-1]]):
            problem = f"the Parquet file is damaged or cut short (row {first:,} of {ends:,} is the last)"
            raise InputError("damaged", source.name, problem, remedy="write or download it again")


def _together(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches as fewer and larger ones."""
    pyarrow, _ = library()
    held: list[Any] = []
    rows = size = 0
    for batch in itertools.chain(batches, [None]):
        if batch is not None:
            held.append(batch)
            rows, size = rows + len(batch), size + batch.nbytes
        if held and (batch is None or rows >= _BATCH or size > _BOUND):
            yield from pyarrow.Table.from_batches(held).combine_chunks().to_batches()
            rows = size = 0
            held.clear()


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")


def _understood(
    source: Source, role: str, name: str, column: arrow.Column | None, place: Callable[[int], Place]
) -> arrow.Column:
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
    if isinstance(texts, Ids) and texts.length.max(initial=0) > _LONGEST:
        problem = f"a {role} is longer than {limits.size(_LONGEST)}"
        raise InputError("too-large", source.name, problem, found=name, remedy="write ids and labels")
    if role != "tag" and (column.valid is not None or (isinstance(texts, Ids) and not texts.raw.isascii())):
        for at, value in enumerate(column):
            if value is None:
                raise place(at).fault("missing-key", f"the {role} is null", remedy="fill it in, or drop the row")
            if isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
                given = repr(value.encode("utf-8", "surrogateescape"))
                raise place(at).fault("encoding", f"the {role} is not UTF-8", given, "write the text as UTF-8")
    return column


def _blocks(
    source: Source,
    roles: Mapping[str, int],
    rule: IdRule,
    tag: str,
    remarks: Remarks,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[Columns]:
    """The rows of a run, or of a part of it, as blocks of columns."""
    blocks = blocks_of(_batches(source, roles, start, stop), rule, tag)
    if not start and remarks:
        first = next(blocks)
        blocks = itertools.chain([first._replace(remarks=remarks + (first.remarks or Remarks()))], blocks)
    return telling_binary(blocks)


def _split(
    source: Source, roles: Mapping[str, int], whole: Run, read: Callable[..., Iterator[Columns]], n: int
) -> list[Run]:
    """A run as up to ``n`` runs over parts of its file: row groups, from where a query begins in them."""
    starts = [0]
    with _opened(source) as file:
        sizes = [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)]
    borders = [sum(sizes[:at]) for at in range(1, len(sizes))]
    for i in range(1, n):
        left = [border for border in borders if border > starts[-1] and border >= sum(sizes) * i // n]
        start = _next_query(source, roles["query"], left[0]) if left else None
        if start is not None and start > starts[-1]:
            starts.append(start)
    return [
        replace(whole, blocks=partial(read, start=start, stop=stop), split=None)
        for start, stop in zip(starts, [*starts[1:], None], strict=True)
    ]


def _next_query(source: Source, at: int, border: int) -> int | None:
    """The first row from a border on where another query begins; None where none does in the next rows."""
    before = None
    for values in _batches(source, {"query": at}, border - 1, border + _GROUP):
        column = values.columns["query"]
        ids = column.ids() if isinstance(column, arrow.Column) else None
        if ids is None:
            return None
        for start in changes(ids)[:-1].tolist():
            if before not in (None, ids[start]):
                return int(values.place(start).name) - 1
            before = ids[start]
    return None


def _write_gold(gold: Written, stream: BinaryIO) -> None:
    """Write ``query_id``, ``doc_id`` and ``relevance``, or ``query_id`` and ``label``."""
    if gold.answers:
        return _write_labels(gold, {"label": "string"}, stream)
    rows = ((query, document, level) for query, judged in gold.documents.items() for document, level in judged.items())
    return _write({"query_id": "string", "doc_id": "string", "relevance": "int32"}, rows, stream)


def _write_run(run: Written, stream: BinaryIO) -> None:
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


def _write_labels(held: Written, columns: Mapping[str, str], stream: BinaryIO) -> None:
    rows = ((query, "Y" if label else "N", held.tag) for query, label in (held.labels or {}).items())
    _write({"query_id": "string", **columns}, (row[: 1 + len(columns)] for row in rows), stream)


def _write(columns: Mapping[str, str], rows: Iterator[tuple[Any, ...]], stream: BinaryIO) -> None:
    """Write rows, in groups that end where a query does."""
    pyarrow, parquet = library()
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in columns.items()])
    # nearly every document and score is another one: with dictionaries these take more room, and twice the time to read
    repeated = [name for name in columns if name not in ("doc_id", "score")]
    with parquet.ParquetWriter(
        stream, schema, compression="zstd", use_dictionary=repeated, write_page_checksum=True
    ) as writer:
        held: list[tuple[Any, ...]] = []

        def put() -> None:
            columns = zip(zip(*held, strict=True), schema, strict=True)
            arrays = [pyarrow.array(values, field.type) for values, field in columns]
            writer.write_table(pyarrow.table(arrays, schema=schema), row_group_size=len(held))
            held.clear()

        for row in rows:
            if len(held) >= _GROUP and row[0] != held[-1][0]:
                put()
            held.append(row)
        if held:
            put()


FORMS: Final = (
    Form(
        "gold",
        FORMAT,
        "Parquet: query_id, doc_id, relevance",
        sniff,
        partial(_found, "gold"),
        write=_write_gold,
        holds=("documents", "labels", "levels"),
        binary=True,
    ),
    Form(
        "run",
        FORMAT,
        "Parquet: query_id, doc_id, score",
        sniff,
        partial(_found, "run"),
        _run,
        write=_write_run,
        holds=("documents", "labels", "order", "scores", "tag"),
        binary=True,
    ),
)
