"""Relevant documents that no run returned, and those that one run alone returned."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coliee_adapters.ids import IntArray
from coliee_ir.commands.leaderboard.board import Board
from coliee_ir.judging.judged import BoolArray
from coliee_ir.judging.qrels import Qrels
from coliee_ir.output.grid import Grid


def unfound(board: Board) -> Grid:
    """The relevant documents that no run returned; of answers, the questions that no run answered rightly."""
    rows = [[query, document] for row, query, document in _each(board, 0)]
    what = "Right answers that no run gave" if board.main == "answers" else "Relevant documents that no run returned"
    return Grid(_header(board), rows, f"{what}: {len(rows)} of {_total(board)}.", n_text=2)


def alone(board: Board) -> Grid:
    """The relevant documents that one run alone returned, and which; of answers, the same of right ones."""
    names = board.names()
    matrix = _returned(board)
    rows = [[query, document, names[int(matrix[:, row].argmax())]] for row, query, document in _each(board, 1)]
    what = (
        "Right answers that one run alone gave" if board.main == "answers" else "Documents that one run alone returned"
    )
    return Grid([*_header(board), "run"], rows, f"{what}: {len(rows)} of {_total(board)}.", n_text=3)


def _header(board: Board) -> list[str]:
    return ["query", "answer" if board.main == "answers" else "document"]


def _returned(board: Board) -> BoolArray:
    """Shape (runs, D); whether a run returned a judged document."""
    found: BoolArray = np.array([entry.scores.judged[board.main].rank > 0 for entry in board.entries], dtype=np.bool_)
    return found


def _qrels(board: Board) -> Qrels | None:
    return board.entries[0].scores.judged[board.main].qrels if board.entries else None


def _relevant(qrels: Qrels) -> IntArray:
    """The rows of relevant documents."""
    rows: IntArray = np.flatnonzero(qrels.relevance >= 1)
    return rows


def _total(board: Board) -> int:
    qrels = _qrels(board)
    return 0 if qrels is None else len(_relevant(qrels))


def _each(board: Board, n: int) -> Iterator[tuple[int, str, str]]:
    """Row, query and id of the relevant documents that so many runs returned."""
    qrels = _qrels(board)
    if qrels is None:
        return
    counts = _returned(board).sum(axis=0)
    for row in _relevant(qrels).tolist():
        if counts[row] == n:
            query = qrels.queries[int(np.searchsorted(qrels.start, row, side="right")) - 1]
            yield row, query, qrels.documents[row]
