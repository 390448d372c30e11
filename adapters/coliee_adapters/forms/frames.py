"""Gold and runs in memory: dictionaries, frames (pandas, polars, Arrow, DuckDB), iterables of named tuples or records.

Columns and fields have the names of ``forms.vocabulary``: ``query_id`` or ``qid``, ``doc_id`` or ``docno``,
``relevance``, ``score``, ``rank``. Their dtypes do not matter (categories, Arrow, numbers for ids), what stands in them
does. No library is imported to read its frames, only to make them.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from coliee_adapters import forms
from coliee_adapters.checked import has_order, in_order, one_of
from coliee_adapters.errors import InputError, Place, UsageError
from coliee_adapters.forms import json_records, rows
from coliee_adapters.forms.form import Column, FoundRows, Row, Values, place_of_row
from coliee_adapters.forms.json_records import Records, is_record, of_dictionary, of_objects
from coliee_adapters.forms.lines import Note
from coliee_adapters.forms.vocabulary import LABELS, SHOWN, GoldOrRun, checked_columns, roles_of, word_of
from coliee_adapters.forms.vocabulary import MEMORY as _MEMORY
from coliee_adapters.ids import Ids, Picked
from coliee_adapters.records import Answers, Columns, Gold, IdRule, Run, exact_id, with_lists
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
    data: object,
    rule: IdRule = exact_id,
    columns: Mapping[str, str] | None = None,
    *,
    commas: bool = True,
    part: bool = False,
) -> Gold:
    """Gold from ``{query: {document: relevance}}``, ``{query: [document]}``, ``{query: "Y"}``, a frame, or tuples."""
    remarks = Remarks()
    found = _rows_of(data, "gold", columns, remarks.add)
    found = rows.with_answer_words(found, columns)
    return rows.gold_of(found, rows.ReadingRules(rule, commas), _MEMORY, "memory", remarks, part=part)


def run_of(
    data: object,
    rule: IdRule = exact_id,
    tag: str = "run",
    columns: Mapping[str, str] | None = None,
    *,
    commas: bool = True,
) -> Run | Answers:
    """A run from ``{query: {document: score}}``, ``{query: [document]}``, a frame, or tuples; or answers, Y or N."""
    remarks = Remarks()
    found = rows.with_answer_words(_rows_of(data, "run", columns, remarks.add), columns)
    run = rows.run_of(found, rows.ReadingRules(rule, commas), _MEMORY, "memory", tag, remarks)
    return run if run.tag == tag else replace(run, tag=tag)


def _rows_of(data: object, kind: GoldOrRun, columns: Mapping[str, str] | None, note: Note) -> FoundRows:
    """What a dictionary, a frame, or an iterable of named tuples or records holds."""
    if isinstance(data, Mapping):
        if is_record(data, checked_columns(columns)):
            return of_objects(iter([Records([data], _place)]), kind, _MEMORY, columns, note)
        if are_answers(data):
            return (Row(Place(_MEMORY, "query", query), query, answer=value) for query, value in data.items())
        data, without_order = with_lists(data)
        if kind == "run":
            for query in without_order:
                note("unordered", query)
        return of_dictionary(data, kind, _MEMORY, columns, note)
    data = collected(data)
    if type(data).__name__ == "Series":
        raise InputError(
            "unknown-format", _MEMORY, f"a Series is not a {kind}", remedy="give a frame, or a dictionary: .to_dict()"
        )
    if hasattr(data, "columns"):
        return [_values(data, kind, columns, note)]
    if isinstance(data, Iterable) and not isinstance(data, str | bytes):
        return _items(data, kind, columns, note)
    remedy = "give a path, a dictionary, a pandas or polars frame, or an iterable of named tuples"
    raise InputError("unknown-format", _MEMORY, f"this is not a {kind}", found=type(data).__name__, remedy=remedy)


def document_ids(documents: Iterable[object], rule: IdRule, *, commas: bool = True) -> Ids:
    """The ids that the document indices of ``run_of_arrays`` point into."""
    every = one_of("documents", in_order("documents", documents, "a list of ids"), Iterable, "document ids")
    rules = rows.ReadingRules(rule, commas)
    return Ids.of([rows.id_of(document, "document", _place(i), rules) for i, document in enumerate(every)])


def run_of_arrays(
    query_index: npt.NDArray[np.integer[Any]],
    document_index: npt.NDArray[np.integer[Any]],
    score: npt.NDArray[np.floating[Any]],
    *,
    queries: Sequence[str],
    documents: Ids,
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
    names = [queries[i] for i in query_index[starts].tolist()]
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
        raise InputError(
            "shape", _MEMORY, f"the {what} have {array.ndim} dimensions", found=str(array.shape), remedy=remedy
        )
    if array.dtype.kind not in ("f" if what == "scores" else "") + "iu":
        wanted = "numbers" if what == "scores" else "integers"
        remedy = f"give {wanted}: array.astype({'float' if what == 'scores' else 'int'})"
        raise InputError("shape", _MEMORY, f"the {what} are not {wanted}", found=str(array.dtype), remedy=remedy)


_place: Final = partial(place_of_row, _MEMORY, "row", 1)


def _values(data: Any, kind: GoldOrRun, columns: Mapping[str, str] | None, note: Note) -> Values:
    """The values of a frame by role."""
    try:
        names = _names(data)
        roles = roles_of(names, kind, Place(_MEMORY), columns, values=partial(_first_values, data, names), note=note)
        roles.pop("tag", None)  # who gives a frame names the run
        columns_found = {role: _column(data, names, i) for role, i in roles.items()}
    except (AttributeError, TypeError) as error:
        remedy = "give a pandas, polars or Arrow frame, or a dictionary"
        raise InputError(
            "structure", _MEMORY, "the columns of this frame cannot be read", found=type(data).__name__, remedy=remedy
        ) from error
    for role, column in columns_found.items():
        if column is None:
            problem, remedy = f"the {role} is of a type that is not read", "cast it to text or numbers"
            raise InputError("shape", _MEMORY, problem, found=str(names[roles[role]]), remedy=remedy)
    return Values({role: column for role, column in columns_found.items() if column is not None}, _place)


def _first_values(data: Any, names: Sequence[Any], i: int) -> Iterable[Any]:
    """The first values of a frame's column."""
    return _column(data.slice(0, SHOWN) if hasattr(data, "column_names") else data[:SHOWN], names, i) or ()


def _column(data: Any, names: Sequence[Any], i: int) -> Sequence[Any] | None:
    """The values of a frame's column, as its library converts them; None for a type of Arrow's that is not read."""
    if hasattr(data, "column_names"):
        return forms.arrow.column(data.column(i))
    column = data[names[i]]
    dtype: Any = getattr(column, "dtype", None)
    if hasattr(dtype, "is_numeric"):  # polars
        is_plain = dtype.is_numeric() and not dtype.is_decimal() and not column.null_count()
    else:
        is_plain = isinstance(dtype, np.dtype) and dtype.kind in "iuf"
    values: Sequence[Any] = Column(column.to_numpy()) if is_plain else column.to_list()
    return values


def collected(data: Any) -> Any:
    """A lazy frame as the frame that it stands for, and what only hands out Arrow's stream as a table of pyarrow."""
    lazy = hasattr(data, "collect") and hasattr(data, "collect_schema")
    streams = not lazy and hasattr(data, "__arrow_c_stream__") and not hasattr(data, "dtype")
    # DuckDB's columns are relations
    if not lazy and not (streams and (not hasattr(data, "columns") or hasattr(data, "fetchall"))):
        return _with_index(data)
    try:
        if lazy:
            return data.collect()
        import pyarrow  # an extra

        return pyarrow.table(data)
    except ImportError:
        problem, remedy = "this frame needs pyarrow to be read", "pip install 'coliee-ir[parquet]'"
        raise InputError("needs-package", _MEMORY, problem, found=type(data).__name__, remedy=remedy) from None
    except MemoryError:
        raise
    except Exception as error:  # of polars or Arrow, or of what they read from
        problem = f"the {'lazy frame' if lazy else 'stream'} cannot be collected ({type(error).__name__})"
        raise InputError("shape", _MEMORY, problem, found=str(error)) from error


def _with_index(data: Any) -> Any:
    """A frame of pandas whose index has names with the index as columns, as to_csv and to_parquet write it."""
    if type(data).__name__ == "Series" or not hasattr(data, "reset_index"):
        return data
    levels = [name for name in data.index.names if name is not None]
    return data.reset_index(levels) if levels and not {*levels} & {*_names(data)} else data


def _names(data: Any) -> list[Any]:
    """The names of a frame's columns; of Arrow, whose columns are no names, too."""
    return list(data.column_names if hasattr(data, "column_names") else getattr(data, "columns", ()))


def _items(data: Iterable[Any], kind: GoldOrRun, columns: Mapping[str, str] | None, note: Note) -> FoundRows:
    """The values of named tuples, of objects with attributes, or of dictionaries, by role."""
    is_ordered, data = has_order(data), list(data)
    if data and not is_ordered:
        data.sort(key=repr)
        if (
            kind == "run"
            and not {"score", "rank", "answer"} & roles_of(_fields(data[0]), kind, Place(_MEMORY), columns).keys()
        ):
            note("unordered", "a set of rows")
    if len(kinds := set(map(type, data))) == 1 and issubclass(kinds.pop(), tuple) and (names := _fields(data[0])):

        def sample(i: int) -> Iterable[Any]:
            return map(itemgetter(i), data[:SHOWN])

        roles = roles_of(names, kind, Place(_MEMORY), columns, values=sample, note=note)
        roles.pop("tag", None)
        return [Values({role: list(map(itemgetter(i), data)) for role, i in roles.items()}, _place)]
    if unnamed := [item for item in data if not _fields(item)]:
        remedy = f"give named tuples with query_id, doc_id, {'relevance' if kind == 'gold' else 'score'}"
        problem = f"an item of the {kind} has no named fields"
        raise InputError("missing-key", _MEMORY, problem, found=repr(unnamed[0]), remedy=remedy)
    records = [item if isinstance(item, Mapping) else {n: getattr(item, n) for n in _fields(item)} for item in data]
    return of_objects(iter([Records(records, _place)]), kind, _MEMORY, columns, note) if records else []


def _fields(item: Any) -> tuple[str, ...]:
    """The names of an item's fields; none for a plain tuple or a text."""
    if isinstance(item, Mapping):
        return tuple(item)
    names = ("_fields", "__dataclass_fields__", "__dict__")
    return next((tuple(getattr(item, name)) for name in names if getattr(item, name, ())), ())


def are_answers(data: Mapping[Any, Any]) -> bool:
    """Whether a dictionary answers queries, and does not list documents for them."""
    if not data or not all(isinstance(value, str | int | np.generic) for value in data.values()):
        return False
    answers = {query: value.item() if isinstance(value, np.generic) else value for query, value in data.items()}
    if not json_records.are_labels(answers):
        if all(isinstance(value, str) and (not value or re.search("[0-9]", value)) for value in answers.values()):
            return False  # a document, or several, as in the organisers' file of Task 2
        words = ((str(query), word_of(value)) for query, value in answers.items())
        query, word = next((query, word) for query, word in words if word.lower() not in LABELS)
        raise Place(_MEMORY, "query", query).fault(
            "bad-label", "this is not a label", word, "give Y or N, or a list of documents"
        )
    return True


def holds_answers(data: Any, columns: Mapping[str, str] | None = None) -> bool:
    """Whether a dictionary, a frame or a list of records answers queries; no if it must be read to be known."""
    if isinstance(data, dict) and not is_record(data, columns):
        return are_answers(data)
    first = data[0] if isinstance(data, list | tuple) and data else data if isinstance(data, dict) else None
    with contextlib.suppress(InputError, TypeError):  # whose reading says what is wrong
        names = _fields(first) if first is not None else _names(data)
        return bool(names) and "document" not in roles_of(names, "run", Place(_MEMORY), columns)
    return False


def frame(data: Iterable[tuple[object, ...]], columns: list[str], library: str) -> Any:
    """A frame of rows; its dtypes are the same with and without rows."""
    make = {"pandas": pandas_frame, "polars": polars_frame, "pyarrow": arrow_table}.get(str(library))
    if make is None:
        raise UsageError("unknown-name", f"there is no frame library {library!r}; there are pandas, polars and pyarrow")
    return make(data, columns)


def arrow_table(rows: Iterable[tuple[object, ...]], columns: list[str]) -> Any:
    """A table of pyarrow."""
    import pyarrow

    data = list(zip(*rows, strict=True)) or [()] * len(columns)
    kinds = [pyarrow.type_for_alias(_DTYPES[name][2]) if name in _DTYPES else None for name in columns]
    return pyarrow.table([pyarrow.array(values, kind) for values, kind in zip(data, kinds, strict=True)], names=columns)


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
