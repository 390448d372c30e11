"""Gold and runs in memory: dictionaries, frames (pandas, polars, Arrow, DuckDB), iterables of named tuples or records.

Columns and fields have the names of ``coliee_adapters.vocabulary``: ``query_id`` or ``qid``, ``doc_id`` or ``docno``,
``relevance``, ``score``, ``rank``. Their dtypes do not matter (categories, Arrow, numbers for ids), what stands in them
does. No library is imported to read its frames, only to make them.
"""

from __future__ import annotations

import contextlib
import struct
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from coliee_adapters import arrow, json_records
from coliee_adapters.checked import one_of
from coliee_adapters.columns import changes
from coliee_adapters.errors import InputError, Place, UsageError
from coliee_adapters.ids import Collection, Ids, Picked
from coliee_adapters.records import (
    ONE_WORD,
    Answers,
    Columns,
    Gold,
    IdRule,
    Run,
    exact_id,
    wrong_id,
)
from coliee_adapters.remarks import Remarks
from coliee_adapters.rows import FIELDS, NOTHING, Row
from coliee_adapters.rows import gold_of as gold_of_rows
from coliee_adapters.rows import id_of as plain_id
from coliee_adapters.rows import run_of as run_of_rows
from coliee_adapters.statute import LABELS
from coliee_adapters.vocabulary import MEMORY as _MEMORY
from coliee_adapters.vocabulary import SHOWN, Kind, roles_of

if TYPE_CHECKING:
    import pandas
    import polars

#: column → its dtype in pandas, polars and pyarrow, so that a frame without rows has the same as one with rows
_DTYPES: Final[Mapping[str, tuple[str, str, str]]] = {
    "query_id": ("str", "String", "string"),
    "doc_id": ("str", "String", "string"),
    "relevance": ("int64", "Int64", "int64"),
    "score": ("float64", "Float64", "float64"),
}


#: whose items are what their methods say
_DICTIONARIES: Final = frozenset({dict, defaultdict, OrderedDict})


def gold_of(
    held: object, rule: IdRule = exact_id, columns: Mapping[str, str] | None = None, *, commas: bool = True
) -> Gold:
    """Gold from ``{query: {document: relevance}}``, ``{query: [document]}``, ``{query: "Y"}``, a frame, or tuples.

    Args:
        held: one of these.
        rule: how ids are normalised.
        columns: what the columns are called, by role, where that is not understood.
        commas: whether ids may have commas in them, as TREC's may and COLIEE's may not.

    Raises:
        InputError: it is none of these; a column that is not understood; an id that is no word or number, or that
            stands twice; a relevance that is no integer or too great; a document judged twice differently.
    """
    remarks = Remarks()
    found = _rows_of(held, "gold", rule, columns, remarks)
    return gold_of_rows(found, rule, _MEMORY, "memory", remarks, commas=commas)


def run_of(
    held: object,
    rule: IdRule = exact_id,
    tag: str = "run",
    columns: Mapping[str, str] | None = None,
    *,
    commas: bool = True,
) -> Run | Answers:
    """A run from ``{query: {document: score}}``, ``{query: [document]}``, a frame, or tuples; or answers.

    Answers come from ``{query: "Y"}``, ``{query: True}``, ``{query: 1}``, or a column of a frame or of tuples.

    Args:
        held: one of these.
        rule: how ids are normalised.
        tag: what the run is called.
        columns: what the columns are called, by role, where that is not understood.
        commas: whether ids may have commas in them, as TREC's may and COLIEE's may not.

    Raises:
        InputError: it is none of these, a column is not understood, an id is no word or number or a query appears
            twice, a score is not a finite number, or some documents have a score and some have none.
    """
    remarks = Remarks()
    if not isinstance(held, Mapping):
        values = _values(held, "run", columns, remarks)
        if (block := plain_block(values, rule, remarks, commas=commas)) is not None:
            return _run_of_block(block, tag, scored="score" in values)
        found = _of_values(values)
    elif (block := _plain_members(held, rule, remarks, commas=commas)) is not None:
        return _run_of_block(block, tag, scored=block.scores is not None)
    else:
        found = _rows_of(held, "run", rule, columns, remarks)
    record = run_of_rows(found, rule, _MEMORY, "memory", tag, remarks, commas=commas)
    if isinstance(record, Answers):
        return record
    [block] = record.blocks()
    return _run_of_block(block, tag, scored=record.scored)


def _rows_of(
    held: object, kind: Kind, rule: IdRule, columns: Mapping[str, str] | None, remarks: Remarks
) -> Iterable[Row]:
    """The rows of a dictionary, of a frame, or of records."""
    if not isinstance(held, Mapping):
        return _of_values(_values(held, kind, columns, remarks))
    members = _members(held, rule)
    if are_answers(members):
        return (Row(Place(_MEMORY, "query", q), q, answer=answer_word(value)) for q, value in members.items())
    return (row for query, entry in members.items() for row in _pairs(query, entry, kind))


def _of_values(values: Mapping[str, Sequence[Any]]) -> Iterable[Row]:
    roles = [FIELDS.get(role, role) for role in values]
    for number, held in enumerate(zip(*values.values(), strict=True), 1):
        row = dict(zip(roles, held, strict=True))
        if "answer" in row:
            row["answer"] = answer_word(row["answer"])
        yield Row(Place(_MEMORY, "row", number), **row)


def _run_of_block(block: Columns, tag: str, *, scored: bool) -> Run:
    grouped = block.entries is not None or len(set(block.queries)) == len(block.queries)
    return Run(partial(iter, [block]), tag=tag, scored=scored, grouped=grouped)


def _plain_members(held: Mapping[Any, Any], rule: IdRule, remarks: Remarks, *, commas: bool) -> Columns | None:
    """The block that a dictionary is whose ids are plain texts and whose scores are finite; None for any other."""
    entries = list(held.values())
    kinds = set(map(type, entries))
    scored = kinds <= _DICTIONARIES
    if not entries or type(held) not in _DICTIONARIES or not (scored or kinds <= {list, tuple}):
        return None
    starts = np.concatenate(([0], np.cumsum(np.fromiter(map(len, entries), np.int64, len(entries)))))
    n = int(starts[-1])
    try:
        queries = _plain_ids(held, len(entries), rule, commas=commas)
        documents = _plain_ids(map("\n".join, filter(None, entries)), n, rule, commas=commas)
        # one pack takes half of the time of np.fromiter
        packed = struct.pack(f"{n}d", *chain.from_iterable(map(dict.values, entries))) if scored else b""
        scores = np.frombuffer(packed) if scored else None
    except (TypeError, ValueError, OverflowError, struct.error):
        return None
    if queries is None or documents is None or not (scores is None or np.isfinite(scores).all()):
        return None
    _tell_binary(scores, remarks)
    return Columns(queries, starts, documents, scores, None, remarks or None, entries if scored else None)


def _tell_binary(scores: npt.NDArray[Any] | None, remarks: Remarks) -> None:
    """Remark on scores that are decisions, as ``block_of`` does."""
    parts = () if scores is None else (scores[:SHOWN], scores)  # mostly the first says no
    if parts and all(((part == 0) | (part == 1)).all() for part in parts) and 0 < parts[1].sum() < len(parts[1]):
        remarks.add("binary-score")


def plain_block(values: Mapping[str, Sequence[Any]], rule: IdRule, remarks: Remarks, *, commas: bool) -> Columns | None:
    """The block that rows are whose ids are plain texts and whose scores and ranks are numbers; None for any other.

    Args:
        values: role → a value a row.
        rule: how ids are compared.
        remarks: what is told of them is added.
        commas: whether ids may have commas in them.
    """
    if not {"query", "document"} <= values.keys() or {"answer", "retrieved"} & values.keys():
        return None
    if not (n := len(values["query"])):
        return None
    try:
        queries = _plain_ids(values["query"], n, rule, commas=commas)
        documents = _plain_ids(values["document"], n, rule, commas=commas)
        decides = next((role for role in ("score", "rank") if role in values), "")
        scores = _numbers(values[decides], lambda column: np.fromiter(column, np.float64, n)) if decides else None
        ranks = _numbers(values["rank"], np.asarray) if "rank" in values and decides == "score" else None
    except (TypeError, ValueError, OverflowError):
        return None
    if queries is None or documents is None or not (scores is None or np.isfinite(scores).all()):
        return None
    if ranks is not None and (ranks.dtype.kind != "i" or ranks.shape != (n,)):
        return None
    if scores is not None:
        scores = scores.astype(np.float64) if decides == "score" else -scores.astype(np.float64)
    if isinstance(documents, Picked):
        documents = documents.settled()
    starts = changes(queries)
    if decides == "score":
        _tell_binary(scores, remarks)
    return Columns(queries.at(starts[:-1]), starts, documents, scores, ranks, remarks or None)


def _plain_ids(texts: Iterable[Any], n: int, rule: IdRule, *, commas: bool) -> Ids | None:
    """Ids that are compared as they are written; None where one may not be, or is wrong, or there is none.

    Args:
        texts: the ids, or several in each text with line ends between them; or a column.
        n: how many there are.
        rule: how ids are compared.
        commas: whether ids may have commas in them.
    """
    if isinstance(texts, arrow.Column):
        ids = texts.ids()
        if ids is not None and not ids.are_plain():
            return None
    else:
        ids = Ids.plain(texts, n) if n else None
    if ids is None or (rule is not exact_id and b"." in ids.raw and b".txt" in ids.raw):
        return None
    return ids if commas or not (b"," in ids.raw or b";" in ids.raw) else None


def _numbers(values: Sequence[Any], of_objects: Callable[[Sequence[Any]], npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """A column as an array; one of objects by a function."""
    numbers = values.numbers() if isinstance(values, arrow.Column) else None
    return of_objects(values) if numbers is None else numbers


def document_ids(documents: Iterable[object], rule: IdRule, *, commas: bool = True) -> Collection:
    """The ids that the document indices of ``run_of_arrays`` point into.

    Args:
        documents: the ids as they are written elsewhere.
        rule: how ids are normalised.
        commas: whether ids may have commas in them.

    Raises:
        InputError: one is no word or number.
    """
    ids = [rule(id_of(document)) for document in one_of("documents", documents, Iterable, "document ids")]
    if wrong := wrong_id(ids, commas=commas):
        raise InputError("bad-id", _MEMORY, wrong[1], found=wrong[0], remedy=ONE_WORD)
    held = Ids.of(ids)
    return Collection(held.raw, held.first, held.length)


def run_of_arrays(
    query_index: npt.NDArray[np.integer[Any]],
    document_index: npt.NDArray[np.integer[Any]],
    score: npt.NDArray[np.floating[Any]],
    *,
    queries: Sequence[str],
    documents: Collection,
    tag: str = "run",
) -> Run:
    """A run from arrays, without a Python object a line.

    Args:
        query_index: shape (n,); indices into ``queries``.
        document_index: shape (n,); indices into ``documents``.
        score: shape (n,).
        queries: the query ids.
        documents: the document ids.
        tag: what the run is called.

    Raises:
        InputError: the arrays are not of one dimension or differ in length, an index is no whole number or is out of
            range, or a score is not a finite number.
    """
    for what, array in (("query indices", query_index), ("document indices", document_index), ("scores", score)):
        _check_array(what, array)
    if not len(query_index) == len(document_index) == len(score):
        raise InputError("shape", _MEMORY, "the arrays differ in length")
    for index, ids in ((query_index, queries), (document_index, documents)):
        if len(index) and not (index.min() >= 0 and index.max() < len(ids)):
            raise InputError("shape", _MEMORY, f"an index is out of range 0 … {len(ids) - 1}")
    if not np.isfinite(score).all():
        raise InputError("bad-score", _MEMORY, "a score is not a finite number")
    changes_at = np.flatnonzero(query_index[1:] != query_index[:-1])
    if np.any(query_index[changes_at + 1] < query_index[changes_at]):
        order = np.argsort(query_index, kind="stable")
        query_index, document_index, score = query_index[order], document_index[order], score[order]
        changes_at = np.flatnonzero(query_index[1:] != query_index[:-1])
    starts = np.concatenate(([0] if len(query_index) else [], changes_at + 1)).astype(np.int64)
    names = [queries[at] for at in query_index[starts].tolist()]
    bounds = np.append(starts, len(query_index))
    block = Columns(
        names,
        bounds,
        Picked(documents, np.asarray(document_index, dtype=np.int64)),
        np.asarray(score, dtype=np.float64),
    )
    return Run(partial(iter, [block]), tag=tag, grouped=True)


def _check_array(what: str, array: npt.NDArray[Any]) -> None:
    """Refuse an array of another shape or type than one value a line."""
    if array.ndim != 1:
        remedy = (
            "give one value per line: array.ravel(), and np.repeat(np.arange(n), k) for the queries of n × k results"
        )
        problem = f"the {what} have {array.ndim} dimensions"
        raise InputError("shape", _MEMORY, problem, found=str(array.shape), remedy=remedy)
    if array.dtype.kind not in ("f" if what == "scores" else "") + "iu":
        wanted = "numbers" if what == "scores" else "integers"
        remedy = f"give {wanted}: array.astype({'float' if what == 'scores' else 'int'})"
        raise InputError("shape", _MEMORY, f"the {what} are not {wanted}", found=str(array.dtype), remedy=remedy)


def _members(held: Mapping[Any, Any], rule: IdRule) -> dict[str, Any]:
    """The queries of a dictionary and what stands for each."""
    members: dict[str, Any] = {}
    for key, value in held.items():
        query = rule(id_of(key))
        if query in members:
            raise InputError("duplicate", _MEMORY, "this query appears twice", found=query, remedy="keep one")
        members[query] = value
    return members


def _pairs(query: str, held: Any, kind: Kind) -> Iterable[Row]:
    """The documents of a query in a dictionary."""
    place = Place(_MEMORY, "query", query)
    if (members := json_records.nested(query, held)) is not None:
        return json_records.rows([json_records.Record(one, place) for one in members], kind)
    if isinstance(held, Iterable) and not isinstance(held, str | bytes):
        numbers = held.values() if isinstance(held, Mapping) else repeat(NOTHING)
        return [Row(place, query, *one) for one in zip(held, numbers, strict=False)] or [Row(place, query)]
    remedy = "give a list of documents, or a dictionary from documents to numbers"
    raise place.fault("structure", "this entry cannot be read", repr(held), remedy)


def _values(held: Any, kind: Kind, columns: Mapping[str, str] | None, remarks: Remarks) -> Mapping[str, Sequence[Any]]:
    """The values of a frame or of an iterable of named tuples or records, by role."""
    held = collected(held)
    if type(held).__name__ == "Series":
        problem = f"a Series is not a {kind}"
        raise InputError("unknown-format", _MEMORY, problem, remedy="give a frame, or a dictionary: .to_dict()")
    if hasattr(held, "columns"):
        try:
            names = _names(held)
        except TypeError as error:
            raise _unread(held) from error
        roles = roles_of(names, kind, _MEMORY, columns, values=partial(_shown, held, names), remarks=remarks)
        values = _arrow(held, names, roles)
        return _frame(held, names, roles) if values is None else values
    if isinstance(held, Iterable) and not isinstance(held, str | bytes):
        return _records(held, kind, columns, remarks)
    remedy = "give a path, a dictionary, a pandas or polars frame, or an iterable of named tuples"
    raise InputError("unknown-format", _MEMORY, f"this is not a {kind}", found=type(held).__name__, remedy=remedy)


def _shown(held: Any, names: Sequence[Any], at: int) -> Iterable[Any]:
    """The first values of a frame's column."""
    if hasattr(held, "fetchall"):  # DuckDB
        return [row[at] for row in held.limit(SHOWN).fetchall()]
    if isinstance(held, arrow.Table):
        return held.column(at) or ()
    column = held.column(at) if hasattr(held, "column_names") else held[names[at]]
    return column[:SHOWN].to_pylist() if hasattr(column, "to_pylist") else column[:SHOWN].to_list()  # type: ignore[no-any-return]


def _arrow(held: Any, names: Sequence[Any], roles: Mapping[str, int]) -> Mapping[str, arrow.Column] | None:
    """The values of a frame's columns, by role, through Arrow; None where the library's own way tells more of them.

    That is so where a value is not there, which libraries tell in several ways, and for types that are not understood.
    """
    alone = isinstance(held, arrow.Table)
    if not alone and not hasattr(held, "__arrow_c_stream__"):
        return None
    places = dict(zip(roles, range(len(roles)), strict=True)) if hasattr(held, "iloc") else roles
    try:
        # pandas makes each column anew
        table = held if alone else arrow.Table(held.iloc[:, list(roles.values())] if hasattr(held, "iloc") else held)
        values = {role: table.column(at) for role, at in places.items()}
    except Exception:  # a library's, which may need another for it, or has no such type
        return None
    found = {role: column for role, column in values.items() if column is not None}
    if not alone:
        return found if len(found) == len(values) and all(one.valid is None for one in found.values()) else None
    for role in values.keys() - found.keys():
        remedy = "cast it to text or numbers"
        problem = f"the {role} is of a type that is not read"
        raise InputError("shape", _MEMORY, problem, found=names[roles[role]], remedy=remedy)
    return found


def collected(held: Any) -> Any:
    """A lazy frame, or a stream of Arrow's, as the frame that it stands for; all else as it is.

    Raises:
        InputError: it cannot be collected.
    """
    lazy = hasattr(held, "collect") and hasattr(held, "collect_schema")
    streams = hasattr(held, "__arrow_c_stream__") and not (hasattr(held, "columns") or hasattr(held, "dtype"))
    if not lazy and not streams:
        return held
    try:
        return held.collect() if lazy else arrow.Table(held)
    except Exception as error:  # of polars or Arrow, or of what they read from
        problem = f"the {'lazy frame' if lazy else 'stream'} cannot be collected ({type(error).__name__})"
        raise InputError("shape", _MEMORY, problem, found=str(error)) from error


def _frame(held: Any, names: Sequence[Any], roles: Mapping[str, int]) -> dict[str, Sequence[Any]]:
    """The values of a frame's columns, by role."""
    try:
        if hasattr(held, "column_names"):
            return {role: held.column(at).to_pylist() for role, at in roles.items()}
        if hasattr(held, "fetchall"):  # DuckDB
            rows = held.fetchall()
            return {role: [row[at] for row in rows] for role, at in roles.items()}
        return {role: _held_values(held[names[at]]) for role, at in roles.items()}
    except (AttributeError, TypeError) as error:
        raise _unread(held) from error


def _unread(held: Any) -> InputError:
    remedy = "give a pandas, polars or Arrow frame, or a dictionary"
    problem = "the columns of this frame cannot be read"
    return InputError("structure", _MEMORY, problem, found=type(held).__name__, remedy=remedy)


def _held_values(column: Any) -> Sequence[Any]:
    """The values of a frame's column; numbers as the array that they stand in."""
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iuf":
        return arrow.Column(column.to_numpy(), None)
    values: list[Any] = column.to_list()
    return values


def _names(held: Any) -> list[Any]:
    """The names of a frame's columns; of Arrow, whose columns are no names, too."""
    return list(held.column_names if hasattr(held, "column_names") else getattr(held, "columns", ()))


def _records(
    held: Iterable[Any], kind: Kind, columns: Mapping[str, str] | None, remarks: Remarks
) -> dict[str, list[Any]]:
    """The values of named tuples, of objects with attributes, or of dictionaries, by role."""
    if callable(getattr(held, "read", None)):
        name = getattr(held, "name", None)
        path = f" ({name})" if isinstance(name, str) else ""
        raise InputError("shape", _MEMORY, f"an open file is not read as a {kind}", remedy=f"give its path{path}")
    held = list(held)
    values: dict[str, list[Any]] = {}
    known: dict[tuple[object, ...], dict[str, int]] = {}

    def shown(at: int) -> Iterable[Any]:
        return (_field(item, names[at]) for item in held[:SHOWN] if _fields(item) == names)

    kinds = set(map(type, held))
    if len(kinds) == 1 and issubclass(kind_of := kinds.pop(), tuple) and (names := getattr(kind_of, "_fields", ())):
        roles = roles_of(names, kind, _MEMORY, columns, values=shown, remarks=remarks)
        return {role: list(map(itemgetter(at), held)) for role, at in roles.items()}
    for item in held:
        names = _fields(item)
        if not names:
            remedy = f"give named tuples with query_id, doc_id, {'relevance' if kind == 'gold' else 'score'}"
            problem = f"an item of the {kind} has no named fields"
            raise InputError("missing-key", _MEMORY, problem, found=repr(item), remedy=remedy)
        if names not in known:
            told = None if known else remarks
            known[names] = roles_of(names, kind, _MEMORY, columns, values=shown, remarks=told)
            for role in known[names]:
                values.setdefault(role, [])
        roles = known[names]
        for role, column in values.items():
            column.append(_field(item, names[roles[role]]) if role in roles else None)
    return values


def _field(item: Any, name: Any) -> Any:
    return item[name] if isinstance(item, Mapping) else getattr(item, str(name))


def _fields(item: Any) -> tuple[object, ...]:
    """The names of an item's fields; none for a plain tuple or a text."""
    if isinstance(item, Mapping):
        return tuple(item)
    names = ("_fields", "__dataclass_fields__", "__dict__")
    return next((tuple(getattr(item, name)) for name in names if getattr(item, name, ())), ())


def are_answers(held: Mapping[Any, Any]) -> bool:
    """Whether a dictionary answers queries, and does not list documents for them.

    Raises:
        InputError: there is one word or number for each query, and too few of these are labels.
    """
    values = {str(query): _plain(value) for query, value in held.items()}
    if not values or not all(isinstance(value, str | int) for value in values.values()):
        return False
    if not json_records.are_labels(values):
        words = {query: answer_word(value) for query, value in values.items()}
        query, word = next((query, word) for query, word in words.items() if word.lower() not in LABELS)
        raise Place(_MEMORY, "query", str(query)).fault(
            "bad-label", "this is not a label", word, "give Y or N, or a list of documents"
        )
    return True


def holds_answers(held: Any, columns: Mapping[str, str] | None = None) -> bool:
    """Whether a dictionary, a frame or a list of records answers queries; no if it must be read to be known.

    Raises:
        InputError: as for ``are_answers``.
    """
    if isinstance(held, dict):
        return are_answers(held)
    first = held[0] if isinstance(held, list | tuple) and held else None
    with contextlib.suppress(InputError, TypeError):  # whose reading says what is wrong
        names = _fields(first) if first is not None else _names(held)
        return bool(names) and "answer" in roles_of(names, "run", _MEMORY, columns)
    return False


def answer_word(value: Any) -> str:
    """An answer as a label list writes it."""
    value = _plain(value)
    if isinstance(value, bool):
        return "Y" if value else "N"
    return value.strip() if isinstance(value, str) else repr(value)


def _plain(value: Any) -> Any:
    """A scalar of NumPy as the Python value that it holds; all else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def id_of(value: Any) -> str:
    """An id as text; what pandas and polars put where nothing stands is none."""
    return plain_id(value, "query or document", Place(_MEMORY, "row", "?"), str, True)


def frame(rows: Iterable[tuple[object, ...]], columns: list[str], library: str) -> Any:
    """A frame of rows; its dtypes are the same with and without rows.

    Args:
        rows: the rows.
        columns: the names of the columns.
        library: ``pandas``, ``polars``, or ``pyarrow`` for a table that others take as it is, such as DuckDB.

    Raises:
        ImportError: the library is not installed.
        UsageError: there is no such library.
    """
    make = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_table}.get(str(library))
    if make is None:
        raise UsageError("unknown-name", f"there is no frame library {library!r}; there are pandas, polars and pyarrow")
    return make(rows, columns)


def arrow_table(rows: Iterable[tuple[object, ...]], columns: list[str]) -> Any:
    """A table of pyarrow.

    Raises:
        ImportError: pyarrow is not installed (``pip install coliee-ir[parquet]``).
    """
    import pyarrow

    held = list(zip(*rows, strict=True)) or [()] * len(columns)
    kinds = [pyarrow.type_for_alias(_DTYPES[name][2]) if name in _DTYPES else None for name in columns]
    return pyarrow.table([pyarrow.array(values, kind) for values, kind in zip(held, kinds, strict=True)], names=columns)


def pandas_frame(rows: Iterable[tuple[object, ...]], columns: list[str]) -> pandas.DataFrame:
    """A pandas frame.

    Raises:
        ImportError: pandas is not installed (``pip install coliee-ir[pandas]``).
    """
    import pandas

    made = pandas.DataFrame(list(rows), columns=columns)
    return made if len(made) else made.astype({name: _DTYPES[name][0] for name in columns if name in _DTYPES})


def polars_frame(rows: Iterable[tuple[object, ...]], columns: list[str]) -> polars.DataFrame:
    """A polars frame.

    Raises:
        ImportError: polars is not installed (``pip install coliee-ir[polars]``).
    """
    import polars

    schema = {name: getattr(polars, _DTYPES[name][1]) if name in _DTYPES else None for name in columns}
    return polars.DataFrame(list(rows), schema=schema, orient="row")
