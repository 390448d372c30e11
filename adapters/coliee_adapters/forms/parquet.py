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
from coliee_adapters.forms import arrow, frames
from coliee_adapters.forms.columns import changes
from coliee_adapters.forms.rows import FIELDS, Row, block_of, gold_of, plain_block, run_of, telling_binary
from coliee_adapters.forms.vocabulary import SHOWN, Kind, roles_of
from coliee_adapters.ids import Ids, Picked
from coliee_adapters.records import Answers, Columns, Gold, IdRule, Run, exact_id, normal_id
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


def sniff(head: bytes) -> str | None:
    """``parquet`` if a file begins as Parquet does, and not as an id that is spelt like it."""
    return FORMAT if head.startswith(b"PAR1\x15") else None


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
    if size > source.limits.unpacked:
        name, most = "unpacked", limits.size(source.limits.unpacked)
    elif size > limits.FREE and size > source.limits.ratio * source.size > 0:
        name, most = "ratio", f"{source.limits.ratio} times its size"
    else:
        return
    problem = f"the Parquet data unpacks to more than {most}"
    raise InputError("too-large", source.name, problem, remedy=f"if this is right, raise {limits.variable(name)}")


def _check_words(source: Source, names: Sequence[str], groups: Sequence[int]) -> None:
    """Refuse dictionaries of long texts: a file of some kilobytes may repeat them to any size."""
    with _opened(source, names) as file:
        for group, name in itertools.product(groups, names):
            column = _column_of(file.metadata.row_group(group), name)
            if _is_delta(column) and not column.has_dictionary_page:
                continue
            for batch in file.iter_batches(1, row_groups=[group], columns=[name], use_threads=False):
                _understood(source, "value", name, arrow.column(batch.column(0)))
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


def kind_of(source: Source) -> Kind | None:
    """Whether the columns can only be those of a gold, or only of a run; None if they can be either, or neither."""
    pyarrow, _ = library(source.name)
    with _opened(source) as file:
        schema = file.schema_arrow
    can: list[Kind] = []
    for kind in ("gold", "run"):
        with contextlib.suppress(InputError):
            roles = roles_of(schema.names, kind, source.name, source.columns)
            if "relevance" not in roles or not pyarrow.types.is_floating(schema.types[roles["relevance"]]):
                can.append(kind)
    return can[0] if len(can) == 1 else None


def holds_answers(source: Source) -> bool:
    """Whether the columns of a run are those of answers and not of documents."""
    return "document" not in roles_of(names_of(source), "run", source.name, source.columns)


def read_gold(source: Source, rule: IdRule = normal_id) -> Gold:
    """Relevant documents or labels."""
    remarks = Remarks()
    roles = _roles(source, names_of(source), "gold", remarks)
    found = (row for first, values in _batches(source, roles) for row in _rows(source, first, values))
    return gold_of(found, rule, source.name, FORMAT, remarks)


def _roles(source: Source, names: Sequence[str], kind: Kind, remarks: Remarks) -> dict[str, int]:
    """The roles of the columns, of which others are looked into."""

    def shown(at: int) -> Iterable[Any]:
        with _opened(source) as file:
            batch = next(file.iter_batches(SHOWN, columns=[names[at]], use_threads=False), None)
            return () if batch is None else arrow.column(batch.column(0)) or ()

    return roles_of(names, kind, source.name, source.columns, values=shown, remarks=remarks)


def read_run(source: Source, rule: IdRule = normal_id) -> Run | Answers:
    """Documents, whose rows are read when their blocks are asked for; or answers.

    A run without scores is in the order of its ranks, or else of its rows.
    """
    with _opened(source) as file:
        names = file.schema_arrow.names
        if not file.metadata.num_rows:
            problem = "the table has no rows"
            raise InputError("empty", source.name, problem, remedy="write a row for each query and document")
        remarks = Remarks()
        roles = _roles(source, names, "run", remarks)
        tag, alone = _first_tag(file, roles.get("tag"))
    if alone:
        del roles["tag"]
    name = tag or source.stem
    if "answer" in roles:
        found = (row for first, values in _batches(source, roles) for row in _rows(source, first, values))
        return run_of(found, rule, source.name, FORMAT, name, remarks)
    # no closures: a run can be pickled
    read = partial(_told_blocks, source, roles, rule, tag, remarks)
    whole = Run(read, tag=name, scored="score" in roles, path=source.name, format=FORMAT)
    return replace(whole, split=partial(_split, source, roles, whole, read))


def _first_tag(file: Any, at: int | None) -> tuple[str, bool]:
    """The run tag of the first row, with ``_`` for its blanks; and whether no row can have another."""
    if at is None:
        return "", False
    held = [file.metadata.row_group(group).column(at).statistics for group in range(file.metadata.num_row_groups)]
    known = all(one is not None and one.has_min_max and one.null_count == 0 for one in held)
    alone = known and len({value for one in held for value in (one.min, one.max)}) == 1
    batch = next(file.iter_batches(1, columns=[file.schema_arrow.names[at]], use_threads=False), None)
    column = None if batch is None else arrow.column(batch.column(0))
    return "" if column is None else _tag_of(column[0]), alone


def _tag_of(given: Any) -> str:
    """A run tag with ``_`` for its blanks, and ``?`` for what is not UTF-8; empty where none is there."""
    return "_".join(str("" if given is None else given).split()).encode("utf-8", "replace").decode("utf-8")


def _batches(
    source: Source, roles: Mapping[str, int], start: int = 0, stop: int | None = None
) -> Iterator[tuple[int, dict[str, arrow.Column]]]:
    """The number of the first row of each batch, from 0 on, and the values by role."""
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
                columns = {role: arrow.column(inside.column(names[at])) for role, at in roles.items()}
                yield (
                    max(first, start),
                    {role: _understood(source, role, names[roles[role]], column) for role, column in columns.items()},
                )
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


def _understood(source: Source, role: str, name: str, column: arrow.Column | None) -> arrow.Column:
    """The column; InputError if its type, or a text in it, is not one of ids, labels and numbers."""
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
    return column


def _told_blocks(*of: Any, **part: Any) -> Iterator[Columns]:
    return telling_binary(read_blocks(*of, **part))


def read_blocks(
    source: Source,
    roles: Mapping[str, int],
    rule: IdRule,
    tag: str,
    remarks: Remarks,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[Columns]:
    """The rows of a run, or of a part of it, as blocks of columns."""
    for first, values in _batches(source, roles, start, stop):
        told = Remarks() if first else Remarks() + remarks
        for number, given in enumerate(values.pop("tag", ()), first + 1):
            if _tag_of(given) != tag:
                told.add("tag", f"row {number}: {_tag_of(given)}")
        block = plain_block(values, rule, told, commas=rule is exact_id)
        yield block_of(_rows(source, first, values), rule, told, tag) if block is None else block


def _rows(source: Source, first: int, values: Mapping[str, arrow.Column]) -> Iterator[Row]:
    """The rows of a batch, of which no value may be null."""
    for number, held in enumerate(zip(*values.values(), strict=True), first + 1):
        place = Place(source.name, "row", number)
        for role, value in zip(values, held, strict=True):
            if value is None and role != "tag":
                raise place.fault("missing-key", f"the {role} is null", remedy="fill it in, or drop the row")
            if isinstance(value, str) and not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
                given = repr(value.encode("utf-8", "surrogateescape"))
                raise place.fault("encoding", f"the {role} is not UTF-8", given, "write the text as UTF-8")
        row = dict(zip((FIELDS.get(role, role) for role in values), held, strict=True))
        if "answer" in row:
            row = {"query": row["query"], "answer": frames.answer_word(row["answer"])}
        yield Row(place, **row)


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
    for first, values in _batches(source, {"query": at}, border - 1, border + _GROUP):
        ids = values["query"].ids()
        if ids is None:
            return None
        for start in changes(ids)[:-1].tolist():
            if before not in (None, ids[start]):
                return int(first + start)
            before = ids[start]
    return None


def write_gold(qrels: Mapping[str, Mapping[str, int]], stream: BinaryIO) -> None:
    """Write ``query_id``, ``doc_id`` and ``relevance``; a query without documents cannot be written."""
    rows = ((query, document, level) for query, judged in qrels.items() for document, level in judged.items())
    _write({"query_id": "string", "doc_id": "string", "relevance": "int32"}, rows, stream)


def write_labels(labels: Mapping[str, bool], stream: BinaryIO, tag: str | None = None) -> None:
    """Write ``query_id`` and ``label``, Y or N; of answers, which have a tag, ``answer`` and ``tag``."""
    name = "label" if tag is None else "answer"
    columns = {"query_id": "string", name: "string"} | ({} if tag is None else {"tag": "string"})
    _write(columns, ((query, "Y" if label else "N", tag)[: len(columns)] for query, label in labels.items()), stream)


def write_run(rankings: Iterable[tuple[str, Mapping[str, float]]], tag: str, stream: BinaryIO, *, scored: bool) -> None:
    """Write ``query_id``, ``doc_id``, ``score`` and ``tag``; of a run without scores ``rank`` for ``score``."""
    value = ("score", "float64") if scored else ("rank", "int32")
    rows = (
        (query, document, score if scored else rank, tag)
        for query, ranking in rankings
        for rank, (document, score) in enumerate(ranking.items(), 1)
    )
    _write({"query_id": "string", "doc_id": "string", value[0]: value[1], "tag": "string"}, rows, stream)


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
