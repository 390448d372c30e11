"""Gold and runs in memory: dictionaries, frames (pandas, polars, Arrow, DuckDB), iterables of named tuples or records.

Columns and fields have the names of ``forms.vocabulary``: ``query_id`` or ``qid``, ``doc_id`` or ``docno``,
``relevance``, ``score``, ``rank``. Their dtypes do not matter (categories, Arrow, numbers for ids), what stands in them
does. No library is imported to read its frames, only to make them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from coliee_adapters.checked import one_of
from coliee_adapters.errors import InputError, Place, UsageError
from coliee_adapters.forms import arrow, json_records
from coliee_adapters.forms.rows import FIELDS, NOTHING, Row, plain_block, plain_members, told_binary
from coliee_adapters.forms.rows import gold_of as gold_of_rows
from coliee_adapters.forms.rows import id_of as plain_id
from coliee_adapters.forms.rows import run_of as run_of_rows
from coliee_adapters.forms.statute import LABELS
from coliee_adapters.forms.vocabulary import MEMORY as _MEMORY
from coliee_adapters.forms.vocabulary import SHOWN, Kind, roles_of
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


def gold_of(
    held: object, rule: IdRule = exact_id, columns: Mapping[str, str] | None = None, *, commas: bool = True
) -> Gold:
    """Gold from ``{query: {document: relevance}}``, ``{query: [document]}``, ``{query: "Y"}``, a frame, or tuples."""
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
    """
    remarks = Remarks()
    if not isinstance(held, Mapping):
        values = _values(held, "run", columns, remarks)
        if (block := plain_block(values, rule, remarks, commas=commas)) is not None:
            return _run_of_block(block, tag, scored="score" in values)
        found = _of_values(values)
    elif (block := plain_members(held, rule, remarks, commas=commas)) is not None:
        return _run_of_block(block, tag, scored=block.scores is not None)
    else:
        found = _rows_of(held, "run", rule, columns, remarks)
    record = run_of_rows(found, rule, _MEMORY, "memory", tag, remarks, commas=commas)
    if isinstance(record, Answers):
        return record
    [block] = record.blocks()
    grouped = len(set(block.queries)) == len(block.queries)
    return replace(record, tag=tag, grouped=grouped)


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
    [block] = told_binary([block]) if scored else [block]
    grouped = block.entries is not None or len(set(block.queries)) == len(block.queries)
    return Run(partial(iter, [block]), tag=tag, scored=scored, grouped=grouped)


def document_ids(documents: Iterable[object], rule: IdRule, *, commas: bool = True) -> Collection:
    """The ids that the document indices of ``run_of_arrays`` point into."""
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
    """A run from arrays, without a Python object a line."""
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
            shown = partial(_shown, held, names)
            roles = roles_of(names, kind, _MEMORY, columns, values=shown, remarks=remarks)
            found = {role: _column(held, names, at) for role, at in roles.items()}
        except (AttributeError, TypeError) as error:
            remedy = "give a pandas, polars or Arrow frame, or a dictionary"
            problem = "the columns of this frame cannot be read"
            raise InputError("structure", _MEMORY, problem, found=type(held).__name__, remedy=remedy) from error
        for role, column in found.items():
            if column is None:
                problem, remedy = f"the {role} is of a type that is not read", "cast it to text or numbers"
                raise InputError("shape", _MEMORY, problem, found=str(names[roles[role]]), remedy=remedy)
        return {role: column for role, column in found.items() if column is not None}
    if isinstance(held, Iterable) and not isinstance(held, str | bytes):
        return _records(held, kind, columns, remarks)
    remedy = "give a path, a dictionary, a pandas or polars frame, or an iterable of named tuples"
    raise InputError("unknown-format", _MEMORY, f"this is not a {kind}", found=type(held).__name__, remedy=remedy)


def _shown(held: Any, names: Sequence[Any], at: int) -> Iterable[Any]:
    """The first values of a frame's column."""
    return _column(held.slice(0, SHOWN) if hasattr(held, "column_names") else held[:SHOWN], names, at) or ()


def _column(held: Any, names: Sequence[Any], at: int) -> Sequence[Any] | None:
    """The values of a frame's column, as its library converts them; None for a type of Arrow's that is not read."""
    if hasattr(held, "column_names"):
        return arrow.column(held.column(at))
    column = held[names[at]]
    dtype: Any = getattr(column, "dtype", None)
    array: Any = getattr(column, "array", None)
    if hasattr(column, "null_count"):  # polars
        if column.null_count() == 0 and str(dtype) in ("String", "Categorical"):
            joined = column.cast(str).str.join("\n").item()
            if (texts := Ids.plain([joined or ""], len(column))) is not None:
                return arrow.Column(texts)
        if column.null_count() == 0 and dtype.is_numeric() and not dtype.is_decimal():
            return arrow.Column(column.to_numpy())
    elif isinstance(dtype, np.dtype) and dtype.kind in "iuf":
        return arrow.Column(column.to_numpy())
    elif hasattr(dtype, "categories") and {*map(type, words := dtype.categories.to_list())} == {str}:
        texts, numbers = Ids.of(words), column.cat.codes.to_numpy().astype(np.int64)
        if numbers.min(initial=0) >= 0:  # others stand for what is not there
            return arrow.Column(Picked(Collection(texts.raw, texts.first, texts.length), numbers))
    elif hasattr(array, "__arrow_array__") and not column.hasnans:
        found = arrow.column(array.__arrow_array__())  # of pandas with pyarrow
        return column.to_list() if found is None else found
    values: list[Any] = column.to_list()
    return values


def collected(held: Any) -> Any:
    """A lazy frame as the frame that it stands for, and what only hands out Arrow's stream as a table of pyarrow."""
    lazy = hasattr(held, "collect") and hasattr(held, "collect_schema")
    streams = not lazy and hasattr(held, "__arrow_c_stream__") and not hasattr(held, "dtype")
    # DuckDB's columns are relations
    if not lazy and not (streams and (not hasattr(held, "columns") or hasattr(held, "fetchall"))):
        return held
    try:
        if lazy:
            return held.collect()
        import pyarrow  # an extra

        return pyarrow.table(held)
    except ImportError:
        problem, remedy = "this frame needs pyarrow to be read", "pip install 'coliee-ir[parquet]'"
        raise InputError("needs-package", _MEMORY, problem, found=type(held).__name__, remedy=remedy) from None
    except Exception as error:  # of polars or Arrow, or of what they read from
        problem = f"the {'lazy frame' if lazy else 'stream'} cannot be collected ({type(error).__name__})"
        raise InputError("shape", _MEMORY, problem, found=str(error)) from error


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
    """Whether a dictionary answers queries, and does not list documents for them."""
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
    """Whether a dictionary, a frame or a list of records answers queries; no if it must be read to be known."""
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
    """A frame of rows; its dtypes are the same with and without rows."""
    make = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_table}.get(str(library))
    if make is None:
        raise UsageError("unknown-name", f"there is no frame library {library!r}; there are pandas, polars and pyarrow")
    return make(rows, columns)


def arrow_table(rows: Iterable[tuple[object, ...]], columns: list[str]) -> Any:
    """A table of pyarrow."""
    import pyarrow

    held = list(zip(*rows, strict=True)) or [()] * len(columns)
    kinds = [pyarrow.type_for_alias(_DTYPES[name][2]) if name in _DTYPES else None for name in columns]
    return pyarrow.table([pyarrow.array(values, kind) for values, kind in zip(held, kinds, strict=True)], names=columns)


def pandas_frame(rows: Iterable[tuple[object, ...]], columns: list[str]) -> pandas.DataFrame:
    """A pandas frame."""
    import pandas

    made = pandas.DataFrame(list(rows), columns=columns)
    return made if len(made) else made.astype({name: _DTYPES[name][0] for name in columns if name in _DTYPES})


def polars_frame(rows: Iterable[tuple[object, ...]], columns: list[str]) -> polars.DataFrame:
    """A polars frame."""
    import polars

    schema = {name: getattr(polars, _DTYPES[name][1]) if name in _DTYPES else None for name in columns}
    return polars.DataFrame(list(rows), schema=schema, orient="row")
