"""Forms that are written, and read as tables of records: CSV, TSV and JSON Lines, a row a document or an answer."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from functools import partial
from io import TextIOBase
from itertools import chain
from typing import Any, Final

from coliee_adapters.forms.form import Form, Written
from coliee_adapters.forms.vocabulary import Kind

#: what a gold has a place for, and what a run
_HOLDS: Final[dict[Kind, tuple[str, ...]]] = {
    "gold": ("documents", "labels", "levels"),
    "run": ("documents", "labels", "order", "scores", "tag"),
}


def _rows(kind: Kind, held: Written) -> Iterator[dict[str, Any]]:
    """The rows, by the names of their columns; where there are both documents and answers, one row a query."""
    tag = {"tag": held.tag} if kind == "run" else {}
    answer = "answer" if kind == "run" else "label"
    labels = {query: "Y" if label else "N" for query, label in (held.labels or {}).items()}
    if held.answers:
        yield from ({"query_id": query, answer: label, **tag} for query, label in labels.items())
        return
    if kind == "run" and labels:
        silent = {query: dict[str, float]() for query in labels if query not in held.documents}
        for query, ranking in chain(held.documents.items(), silent.items()):
            yield {"query_id": query, answer: labels.get(query), "documents": [*ranking], **tag}
        return
    number = "relevance" if kind == "gold" else "score" if held.scored else "rank"
    for query, ranking in held.documents.items():
        for rank, (document, value) in enumerate(ranking.items(), 1):
            yield {"query_id": query, "doc_id": document, number: rank if number == "rank" else value, **tag}


def _write_table(separator: str, kind: Kind, held: Written, stream: TextIOBase) -> None:
    for at, row in enumerate(_rows(kind, held)):
        if not at:
            writer = csv.DictWriter(stream, list(row), delimiter=separator, lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)


def _write_lines(kind: Kind, held: Written, stream: TextIOBase) -> None:
    stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(kind, held))


_WRITERS: Final[dict[str, Callable[[Kind, Written, Any], None]]] = {
    "csv": partial(_write_table, ","),
    "tsv": partial(_write_table, "\t"),
    "jsonl": _write_lines,
}


def forms_of(kind: Kind) -> dict[str, Form]:
    """Name → form of golds or of runs, which is written and never found: what reads it calls it a table, or JSON."""
    return {
        name: Form(kind, name, "", lambda _: False, write=partial(write, kind), holds=_HOLDS[kind])
        for name, write in _WRITERS.items()
    }
