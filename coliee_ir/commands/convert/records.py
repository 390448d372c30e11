"""Golds and runs as what other libraries take: dictionaries and frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from coliee_adapters.checked import suggesting_keywords
from coliee_adapters.forms import frames
from coliee_adapters.records import Answers, Gold, GoldLike, Run, RunLike, as_documents
from coliee_ir.judging.gathered import RunInMemory
from coliee_ir.judging.gathered import by_rank as numbered
from coliee_ir.output.rendering import TabularResult
from coliee_ir.reading.anything import read_gold, read_run

if TYPE_CHECKING:
    import pandas
    import polars


@suggesting_keywords()
def to_qrels(
    gold: GoldLike, *, task: str | int | None = None, columns: Mapping[str, str] | None = None
) -> dict[str, dict[str, int]]:
    """A gold as a dictionary for pytrec_eval, ir_measures and ranx: plain dict, str and int.

    A gold of labels becomes one relevant document, ``Y`` or ``N``, a query. Queries without documents are left out:
    qrels cannot hold them.

    Args:
        gold: what ``read_gold`` takes.
        task: the task, where it is known; in ``trec``, ids stay as they stand, as they do in ``to_run``.
        columns: what the columns of tables and frames are called, by role: see ``read_gold``.

    >>> to_qrels({"001": ["013.txt", "020.txt"]})
    {'001': {'013': 1, '020': 1}}

    Raises:
        InputError: the gold cannot be read.
    """
    record = read_gold(gold, task=task, columns=columns)
    if record.qrels is None:
        return as_documents(record.labels or {})
    return {
        query: {document: int(level) for document, level in judged.items()}
        for query, judged in record.qrels.items()
        if judged
    }


@suggesting_keywords()
def to_run(
    run: RunLike,
    *,
    task: str | int | None = None,
    by_rank: bool = False,
    columns: Mapping[str, str] | None = None,
) -> dict[str, dict[str, float]]:
    """A run as a dictionary for pytrec_eval, ir_measures and ranx, documents in trec_eval's order.

    It holds plain dict, str and float. Where a run has an order and no scores, the i-th of n documents gets n - i,
    which float32 holds exactly. A repeated document is kept once. Queries with nothing retrieved are left out:
    trec_eval does not take them.

    Args:
        run: what ``read_run`` takes.
        task: the task, where it is known; in ``trec``, ids stay as they stand.
        by_rank: give every run scores of the form n - i. The order is then trec_eval's in any tool, also where scores
            are equal, which ranx puts in an order of its own.
        columns: what the columns of tables and frames are called, by role: see ``read_gold``.

    >>> to_run({"001": ["013", "020"]})
    {'001': {'013': 2.0, '020': 1.0}}
    >>> to_run({"001": {"013": 0.5, "020": 0.5}}, by_rank=True)
    {'001': {'020': 2.0, '013': 1.0}}

    Raises:
        InputError: the run cannot be read.
    """
    record = read_run(run, task=task, columns=columns)
    if isinstance(record, Answers):
        return {query: dict.fromkeys(answers, 1.0) for query, answers in as_documents(record.labels).items()}
    rankings = {query: ranking for query, ranking in RunInMemory(record).rankings.items() if ranking}
    return {query: numbered(ranking) for query, ranking in rankings.items()} if by_rank else rankings


@overload
def to_frame(record: Gold | Run | Answers, library: Literal["pandas"] = ...) -> pandas.DataFrame: ...
@overload
def to_frame(record: Gold | Run | Answers, library: Literal["polars"]) -> polars.DataFrame: ...
@overload
def to_frame(record: Gold | Run | Answers, library: Literal["pyarrow"]) -> Any: ...
@suggesting_keywords()
def to_frame(record: Gold | Run | Answers, library: str = "pandas") -> Any:
    """A record as a frame with ir_measures' columns: ``query_id``, ``doc_id``, ``relevance`` or ``score``.

    ``read_gold`` and ``read_run`` take it back. What ``to_qrels`` and ``to_run`` leave out is not in it either:
    queries without documents, and the labels beside documents.

    Args:
        record: what ``read_gold`` or ``read_run`` gives; a result, such as ``Scored``, gives its own ``to_frame``.
        library: ``pandas``, ``polars``, or ``pyarrow`` for a table that others take as it is, such as DuckDB.

    Raises:
        ImportError: the library is not installed.
        UsageError: there is no such library.
    """
    if isinstance(record, TabularResult):
        return record.to_frame(library)  # type: ignore[arg-type]  # checked there
    columns: Mapping[str, Mapping[str, float]] = to_qrels(record) if isinstance(record, Gold) else to_run(record)
    rows = [(query, document, value) for query, ranking in columns.items() for document, value in ranking.items()]
    names = ["query_id", "doc_id", "relevance" if isinstance(record, Gold) else "score"]
    return frames.frame(rows, names, library)
