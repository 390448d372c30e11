"""Gold and runs in memory: dictionaries, pandas and polars frames, iterables of named tuples.

Columns and fields have the names of ir_measures and ir_datasets: ``query_id``, ``doc_id``, ``relevance``, ``score``.
pandas and polars are not imported to read their frames, only to make them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from coliee_adapters.errors import InputError
from coliee_adapters.records import Columns, Gold, IdRule, Run, exact_id

if TYPE_CHECKING:
    import pandas
    import polars

_MEMORY = "<memory>"


def gold_of(held: object, rule: IdRule = exact_id) -> Gold:
    """Gold from ``{query: {document: relevance}}``, ``{query: [document]}``, ``{query: "Y"}``, a frame, or tuples.

    Raises:
        InputError: it is none of these; a relevance that is no integer; a document judged twice differently.
    """
    if isinstance(held, Mapping) and held and all(isinstance(value, str | bool) for value in held.values()):
        return Gold(labels={rule(str(query)): _label(value) for query, value in held.items()})
    qrels: dict[str, dict[str, int]] = {}
    if isinstance(held, Mapping):
        for query, judged in held.items():
            if not isinstance(judged, Mapping):
                judged = dict.fromkeys(judged, 1)
            qrels[rule(str(query))] = {rule(str(d)): _integer(relevance) for d, relevance in judged.items()}
        return Gold(qrels)
    for query, document, value in _rows(held, "relevance", "gold"):
        relevance = _integer(1 if value is None else value)
        judged = qrels.setdefault(rule(query), {})
        if judged.setdefault(rule(document), relevance) != relevance:
            raise InputError(_MEMORY, f"document {document} of query {query} is judged twice and differently")
    return Gold(qrels)


def run_of(held: object, rule: IdRule = exact_id, tag: str = "run") -> Run:
    """A run from ``{query: {document: score}}``, ``{query: [document]}``, a frame, or tuples.

    Raises:
        InputError: it is none of these, or a score is not a finite number.
    """
    queries: list[str] = []
    documents: list[str] = []
    scores: list[float] = []
    if isinstance(held, Mapping):
        rankings: dict[str, Iterable[str] | Mapping[str, float]] = {}
        for query, ranking in held.items():
            if isinstance(ranking, Mapping):
                rankings[rule(str(query))] = {rule(str(d)): _finite(score) for d, score in ranking.items()}
            else:
                rankings[rule(str(query))] = [rule(str(document)) for document in ranking]
        return Run.of(rankings, tag=tag)
    for query, document, score in _rows(held, "score", "run"):
        queries.append(rule(query))
        documents.append(rule(document))
        if score is not None:
            scores.append(_finite(score))
    if scores and len(scores) != len(documents):
        raise InputError(_MEMORY, "some rows have a score and some have none", remedy="give all of them one, or none")
    block = Columns(queries, list(range(len(queries) + 1)), documents, scores or None)
    return Run(lambda: iter([block]), tag=tag, scored=bool(scores))


def _rows(held: Any, value: str, kind: str) -> Iterable[tuple[str, str, Any]]:
    """(query, document, relevance or score) of a frame or of an iterable; the last is None where it is not there."""
    wanted = ("query_id", "doc_id")
    if hasattr(held, "columns"):
        names = list(held.columns)
        if missing := [name for name in wanted if name not in names]:
            raise InputError(
                _MEMORY, f"the frame has no column {' and '.join(missing)}", found=", ".join(map(str, names))
            )
        columns = [held[name].to_list() for name in (*wanted, value) if name in names]
        return [(str(row[0]), str(row[1]), row[2] if len(row) > 2 else None) for row in zip(*columns, strict=True)]
    if isinstance(held, Iterable) and not isinstance(held, str | bytes):
        rows = []
        for item in held:
            if not all(hasattr(item, name) for name in wanted):
                raise InputError(_MEMORY, f"an item of the {kind} has no query_id and doc_id", found=repr(item))
            rows.append((str(item.query_id), str(item.doc_id), getattr(item, value, None)))
        return rows
    raise InputError(
        _MEMORY,
        f"this is no {kind}",
        found=type(held).__name__,
        remedy="give a path, a dictionary, a pandas or polars frame, or an iterable of named tuples",
    )


def _integer(value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = None
    if number is None or number != value:
        raise InputError(_MEMORY, "this relevance is not an integer", found=repr(value), remedy="write 0, 1, 2, …")
    return number


def _finite(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(_MEMORY, "this score is not a finite number", found=repr(value))
    return number


def _label(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if value in ("Y", "N"):
        return value == "Y"
    raise InputError(_MEMORY, "this is not a label", found=repr(value), remedy="give Y or N, True or False")


def pandas_frame(rows: Iterable[tuple[object, ...]], columns: list[str]) -> pandas.DataFrame:
    """A pandas frame of rows.

    Raises:
        ImportError: pandas is not installed (``pip install coliee-ir[pandas]``).
    """
    import pandas

    return pandas.DataFrame(list(rows), columns=columns)


def polars_frame(rows: Iterable[tuple[object, ...]], columns: list[str]) -> polars.DataFrame:
    """A polars frame of rows.

    Raises:
        ImportError: polars is not installed (``pip install coliee-ir[polars]``).
    """
    import polars

    return polars.DataFrame(list(rows), schema=columns, orient="row")
