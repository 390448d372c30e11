"""The data of a task: queries, candidates and relevant documents or labels, of training and test."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Gold
from coliee_ir.commands.leaderboard.board import Ranking
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.rules.protocol import protocol


class Data(NamedTuple):
    """A part of a task's data."""

    queries: int  # how many
    relevant: float  # how many relevant documents they have in all; NaN where the gold names no documents
    yes: float  # how many labels are Y; NaN where the gold has none
    candidates: float = math.nan  # how many documents a query chooses among, on average; NaN where no corpus is given


def data_of(gold: Gold) -> Data:
    """The data of a gold."""
    relevant = yes = math.nan
    if gold.qrels is not None:
        relevant = sum(level > 0 for judged in gold.qrels.values() for level in judged.values())
    if gold.labels is not None:
        yes = sum(map(bool, gold.labels.values()))
    return Data(len(gold.queries), relevant, yes)


def candidates_of(corpus: PathLike, task: str, gold: Gold) -> float:
    """How many documents a query chooses among, on average over the queries of a gold."""
    law = protocol(task).law
    if not law:
        raise UsageError("unfit-option", "plain TREC files have no corpus that can be read: leave --corpus out")
    if law == "statute":  # the same articles for every question
        return float(len(read_corpus(corpus, task=task).doc_ids()))
    texts = read_corpus(corpus, task=task, gold=gold)
    return float(np.mean([len(texts.candidate_ids(query)) for query in gold.queries]))


def data(board: Ranking, candidates: float, train: Data | None) -> Grid:
    """Queries, candidates, relevant documents and labels of training and test (Table 2 of the 2021 overview)."""
    labels = [label for label in board.labels or () if label is not None]
    test = Data(
        len(board.queries),
        math.nan if board.relevant is None else int(board.relevant.sum()),
        math.nan if board.labels is None else sum(labels),
        candidates,
    )
    parts = {**({} if train is None else {"training": train}), "test": test}
    columns: dict[str, list[float]] = {
        "queries": [part.queries for part in parts.values()],
        "candidates per query": [part.candidates for part in parts.values()],
        "relevant": [part.relevant for part in parts.values()],
        "relevant per query": [part.relevant / part.queries for part in parts.values()],
        "Y": [part.yes for part in parts.values()],
        "N": [part.queries - part.yes for part in parts.values()],
    }
    shown = {name: values for name, values in columns.items() if not all(map(math.isnan, values))}
    rows: list[list[Cell]] = [
        [part, *(_number(name, values[at]) for name, values in shown.items())] for at, part in enumerate(parts)
    ]
    caption = f"Data of Task {board.called}" + ("" if train else " (test)") + "."
    return Grid(["data", *shown], rows, caption, n_text=1)


def _number(name: str, value: float) -> Number:
    if math.isnan(value):
        return Number(value)
    whole = float(value).is_integer()
    return Number(int(value) if whole else value, f"{value:.0f}" if whole or "per" not in name else f"{value:.2f}")
