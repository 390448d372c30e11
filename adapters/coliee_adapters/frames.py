"""Gold and runs in memory: dictionaries, pandas and polars frames, iterables of named tuples.

Columns and fields have the names of ir_measures and ir_datasets: ``query_id``, ``doc_id``, ``relevance``, ``score``.
Their dtypes do not matter (categories, Arrow, numbers for ids), what stands in them does. pandas and polars are not
imported to read their frames, only to make them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from coliee_adapters.errors import InputError, quoted
from coliee_adapters.ids import Ids
from coliee_adapters.records import GREATEST_RELEVANCE, Columns, Gold, IdRule, Run, exact_id

if TYPE_CHECKING:
    import pandas
    import polars

_MEMORY = "<memory>"

#: column → its dtype in pandas and in polars, so that a frame without rows has the same as one with rows
_DTYPES: Final[Mapping[str, tuple[str, str]]] = {
    "query_id": ("str", "String"),
    "doc_id": ("str", "String"),
    "relevance": ("int64", "Int64"),
    "score": ("float64", "Float64"),
}


def gold_of(held: object, rule: IdRule = exact_id) -> Gold:
    """Gold from ``{query: {document: relevance}}``, ``{query: [document]}``, ``{query: "Y"}``, a frame, or tuples.

    Raises:
        InputError: it is none of these; an id that is no text or number, or that stands twice; a relevance that is no
            integer or too great; a document judged twice differently.
    """
    if isinstance(held, Mapping):
        members = _members(held, rule)
        if members and all(isinstance(value, str | bool) for value in members.values()):
            return Gold(labels={query: _label(value) for query, value in members.items()})
        qrels: dict[str, dict[str, int]] = {query: {} for query in members}
        rows = [
            (query, document, relevance)
            for query, judged in members.items()
            for document, relevance in _pairs(query, judged, 1)
        ]
    else:
        qrels, rows = {}, _rows(held, "relevance", 1, "gold", rule)
    for query, document, value in rows:
        relevance = _integer(value)
        judged = qrels.setdefault(query, {})
        if judged.setdefault(rule(document), relevance) != relevance:
            raise InputError(
                _MEMORY,
                f"document {quoted(document)} of query {quoted(query)} is judged twice and differently",
                remedy="keep one of the two",
            )
    return Gold(qrels)


def run_of(held: object, rule: IdRule = exact_id, tag: str = "run") -> Run:
    """A run from ``{query: {document: score}}``, ``{query: [document]}``, a frame, or tuples.

    Raises:
        InputError: it is none of these, an id is no text or number or a query stands twice, a score is not a finite
            number, or some documents have a score and some have none.
    """
    queries: list[str] = []
    starts = [0]
    documents: list[str] = []
    scores: list[float] = []
    segments: Iterable[tuple[str, Iterable[tuple[str, Any]]]]
    if isinstance(held, Mapping):
        segments = [(query, _pairs(query, ranking, None)) for query, ranking in _members(held, rule).items()]
    else:
        segments = ((query, [(document, score)]) for query, document, score in _rows(held, "score", None, "run", rule))
    for query, ranking in segments:
        for document, score in ranking:
            documents.append(rule(document))
            if score is not None:
                scores.append(_finite(score))
        queries.append(query)
        starts.append(len(documents))
    if scores and len(scores) != len(documents):
        raise InputError(
            _MEMORY, "some documents have a score and some have none", remedy="give all of them one, or none"
        )
    block = Columns(queries, starts, documents, scores or None)
    return Run(partial(iter, [block]), tag=tag, scored=bool(scores))


def run_of_arrays(
    query_index: npt.NDArray[np.integer[Any]],
    document_index: npt.NDArray[np.integer[Any]],
    score: npt.NDArray[np.floating[Any]],
    *,
    queries: Sequence[str],
    documents: Ids,
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
        InputError: the arrays differ in length, an index is out of range, or a score is not finite.
    """
    if not len(query_index) == len(document_index) == len(score):
        raise InputError(_MEMORY, "the arrays differ in length")
    for index, ids in ((query_index, queries), (document_index, documents)):
        if len(index) and not (index.min() >= 0 and index.max() < len(ids)):
            raise InputError(_MEMORY, f"an index is out of range 0 … {len(ids) - 1}")
    if not np.isfinite(score).all():
        raise InputError(_MEMORY, "a score is not a finite number")
    if np.any(query_index[1:] < query_index[:-1]):
        order = np.argsort(query_index, kind="stable")
        query_index, document_index, score = query_index[order], document_index[order], score[order]
    starts = np.flatnonzero(np.diff(query_index, prepend=-1))
    names = [queries[at] for at in query_index[starts].tolist()]
    bounds = np.append(starts, len(query_index))
    block = Columns(names, bounds, documents.at(document_index), np.asarray(score, dtype=np.float64))
    return Run(partial(iter, [block]), tag=tag)


def _members(held: Mapping[Any, Any], rule: IdRule) -> dict[str, Any]:
    """The queries of a dictionary and what stands for each."""
    members: dict[str, Any] = {}
    for key, value in held.items():
        query = rule(_id(key))
        if query in members:
            raise InputError(_MEMORY, "a query stands twice", found=query, remedy="keep one")
        members[query] = value
    return members


def _pairs(query: str, held: Any, value: Any) -> list[tuple[str, Any]]:
    """(document, relevance or score) of a query in a dictionary; ``value`` where documents are only listed."""
    if isinstance(held, Mapping):
        return [(_id(document), given) for document, given in held.items()]
    if isinstance(held, Iterable) and not isinstance(held, str | bytes):
        return [(_id(document), value) for document in held]
    raise InputError(
        _MEMORY,
        f"the entry of query {quoted(query)} cannot be read",
        found=repr(held),
        remedy="give a list of documents, or a dictionary from documents to numbers",
    )


def _rows(held: Any, wanted: str, value: Any, kind: str, rule: IdRule) -> list[tuple[str, str, Any]]:
    """(query, document, relevance or score) of a frame or of an iterable; ``value`` where there is no such column."""
    ids = ("query_id", "doc_id")
    if hasattr(held, "collect") and hasattr(held, "collect_schema"):  # a lazy frame of polars
        held = held.collect()
    if hasattr(held, "columns"):
        names = list(held.columns)
        if missing := [name for name in ids if name not in names]:
            raise InputError(
                _MEMORY,
                f"the frame has no column {' and '.join(missing)}",
                found=", ".join(map(str, names)),
                remedy=f"name its columns query_id, doc_id, {wanted}",
            )
        if repeated := [name for name in (*ids, wanted) if names.count(name) > 1]:
            raise InputError(
                _MEMORY,
                f"the frame has several columns {' and '.join(repeated)}",
                found=", ".join(map(str, names)),
                remedy="keep one of each",
            )
        columns = [held[name].to_list() for name in ids]
        columns.append(held[wanted].to_list() if wanted in names else [value] * len(columns[0]))
        return [(rule(_id(query)), _id(document), given) for query, document, given in zip(*columns, strict=True)]
    if isinstance(held, Iterable) and not isinstance(held, str | bytes):
        rows = []
        for item in held:
            if not all(hasattr(item, name) for name in ids):
                raise InputError(
                    _MEMORY,
                    f"an item of the {kind} has no query_id and doc_id",
                    found=repr(item),
                    remedy=f"give named tuples with query_id, doc_id, {wanted}",
                )
            rows.append((rule(_id(item.query_id)), _id(item.doc_id), getattr(item, wanted, value)))
        return rows
    raise InputError(
        _MEMORY,
        f"this is no {kind}",
        found=type(held).__name__,
        remedy="give a path, a dictionary, a pandas or polars frame, or an iterable of named tuples",
    )


def _id(value: Any) -> str:
    """An id as text; what pandas and polars put where nothing stands is none."""
    if not (isinstance(value, str) or (isinstance(value, Integral) and not isinstance(value, bool))):
        raise InputError(_MEMORY, "this is not an id", found=repr(value), remedy="give text or a whole number")
    text = str(value)
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            remedy = "read the text as UTF-8, or take the surrogate out"
            raise InputError(_MEMORY, "this id holds an unpaired surrogate", found=text, remedy=remedy) from None
    return text


def _integer(value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or number != value:
        raise InputError(_MEMORY, "this relevance is not an integer", found=repr(value), remedy="write 0, 1, 2, …")
    if abs(number) > GREATEST_RELEVANCE:
        remedy = f"write relevances up to {GREATEST_RELEVANCE}"
        raise InputError(_MEMORY, "this relevance is too great for trec_eval", found=repr(value), remedy=remedy)
    return number


def _finite(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(_MEMORY, "this score is not a finite number", found=repr(value), remedy="write it like 12.5")
    return number


def _label(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("Y", "N"):
        return value == "Y"
    raise InputError(_MEMORY, "this is not a label", found=repr(value), remedy="give Y or N, True or False")


def pandas_frame(rows: Iterable[tuple[object, ...]], columns: list[str]) -> pandas.DataFrame:
    """A pandas frame of rows; its dtypes are the same with and without rows.

    Raises:
        ImportError: pandas is not installed (``pip install coliee-ir[pandas]``).
    """
    import pandas

    frame = pandas.DataFrame(list(rows), columns=columns)
    return frame if len(frame) else frame.astype({name: _DTYPES[name][0] for name in columns if name in _DTYPES})


def polars_frame(rows: Iterable[tuple[object, ...]], columns: list[str]) -> polars.DataFrame:
    """A polars frame of rows; its dtypes are the same with and without rows.

    Raises:
        ImportError: polars is not installed (``pip install coliee-ir[polars]``).
    """
    import polars

    schema = {name: getattr(polars, _DTYPES[name][1]) if name in _DTYPES else None for name in columns}
    return polars.DataFrame(list(rows), schema=schema, orient="row")
