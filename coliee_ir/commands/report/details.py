"""What each query opens to: the documents retrieved, correct, missed and wrong by each run, as compact JSON.

    {"runs": [name], "ranked": true, "documents": [[id, title]],
     "queries": [{"text": "", "label": "Y", "rows": [[document, relevant, run, rank, run, rank, …]],
                  "counts": [[correct, missed, wrong, wrong ones not shown]], "answers": ["Y"]}]}

Documents are places in the list, queries stand in the order of the gold, and runs that did not retrieve a document are
not in its row. A relevant document is always there, of the wrong ones the first few of each run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from coliee_ir.commands.report.contents import Contents, Ranks
from coliee_ir.commands.report.drawing import label
from coliee_ir.commands.report.texts import Texts
from coliee_ir.judging.judged import Judged

#: the wrong documents of a query that are shown, about; each run has some, few where runs are many
_WRONG: Final = 30
_FEWEST, _MOST = 3, 12


def details(contents: Contents, texts: Texts) -> dict[str, Any]:
    """What every query opens to."""
    names = [label(name) for name in contents.names]
    numbers: dict[tuple[str, str], int] = {}
    shown = min(max(_WRONG // len(names), _FEWEST), _MOST)
    queries = []
    for at, query in enumerate(contents.board.queries):
        told: dict[str, Any] = {}
        if text := texts.query(query):
            told["text"] = text
        if contents.has_documents:
            told |= _documents(contents, at, query, shown, numbers, texts)
        if "answers" in contents.scored[0].judged:
            told |= _answers(contents, at)
        queries.append(told)
    ranked = not contents.protocol.claims
    return {"runs": names, "ranked": ranked, "documents": [list(document) for document in numbers], "queries": queries}


def _documents(
    contents: Contents, at: int, query: str, shown: int, numbers: dict[tuple[str, str], int], texts: Texts
) -> dict[str, Any]:
    """The rows of a query's documents, and each run's counts."""
    parts = [scores.judged["documents"] for scores in contents.scored]
    qrels = parts[0].qrels
    rows_of_query = range(int(qrels.start[at]), int(qrels.start[at + 1]))
    right = {qrels.documents[row]: row for row in rows_of_query if qrels.relevance[row] >= 1}

    def number(document: str) -> int:
        return numbers.setdefault((label(document), texts.document(query, document)), len(numbers))

    rows = []
    for document, row in right.items():
        ranks = [(run, int(part.rank[row])) for run, part in enumerate(parts) if part.rank[row] > 0]
        rows.append([number(document), 1, *(n for pair in ranks for n in pair)])
    wrong, counts = _wrong(query, right, contents.ranks, parts, at, shown)
    rows += [[number(document), 0, *(n for pair in ranks for n in pair)] for document, ranks in wrong.items()]
    return {"rows": rows, "counts": counts}


def _wrong(
    query: str, right: Mapping[str, int], ranks: Sequence[Ranks], parts: Sequence[Judged], at: int, shown: int
) -> tuple[dict[str, list[tuple[int, int]]], list[list[int]]]:
    """The first wrong documents of each run with their ranks in every run, best first; and each run's counts."""
    of_runs = [run.get(query, {}) for run in ranks]
    first = [[document for document in ranking if document not in right] for ranking in of_runs]
    chosen = dict.fromkeys(document for wrong in first for document in wrong[:shown])
    found: dict[str, list[tuple[int, int]]] = {document: [] for document in chosen}
    for run, ranking in enumerate(of_runs):
        for document in first[run]:
            if document in found:
                found[document].append((run, ranking[document]))
    ordered = sorted(found, key=lambda document: (-len(found[document]), min(rank for _, rank in found[document])))
    counts = []
    for part, wrong in zip(parts, first, strict=True):
        correct = _correct(part, at)
        retrieved = int(part.retrieved[at])
        counts.append([correct, len(right) - correct, retrieved - correct, sum(d not in found for d in wrong)])
    return {document: found[document] for document in ordered}, counts


def _correct(part: Judged, at: int) -> int:
    rows = slice(int(part.qrels.start[at]), int(part.qrels.start[at + 1]))
    return int(np.count_nonzero((part.rank[rows] > 0) & (part.qrels.relevance[rows] >= 1)))


def _answers(contents: Contents, at: int) -> dict[str, Any]:
    """The right answer and that of each run; null where it gave none that is Y or N."""
    labels = contents.board.labels
    given: list[str | None] = []
    truth = None
    for scores in contents.scored:
        part = scores.judged.get("answers")
        if part is None or part.qrels.start[at] == part.qrels.start[at + 1]:
            given.append(None)
            continue
        row = int(part.qrels.start[at])
        truth = part.qrels.documents[row]
        other = "N" if truth == "Y" else "Y"
        given.append(None if not part.retrieved[at] else truth if part.rank[row] > 0 else other)
    return {"label": truth, "answers": given} if labels is not None else {}
