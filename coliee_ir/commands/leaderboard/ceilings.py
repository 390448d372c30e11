"""What the same rankings could have scored: with the right number of documents, with one number for all, and so on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_adapters.ids import IntArray
from coliee_ir.commands.leaderboard.questions import majority
from coliee_ir.judging.judged import Judged
from coliee_ir.measures.labels import Accuracy
from coliee_ir.measures.sets import Macro, MicroF, MicroP, MicroR
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.scoring.scores import Scores

if TYPE_CHECKING:
    from coliee_ir.commands.leaderboard.board import Leaderboard
    from coliee_ir.measures import Measure


class FixedK(NamedTuple):
    """The best number of documents for all questions alike."""

    k: int
    score: float


def cut(judged: Judged, most: int | IntArray) -> Judged:
    """The run cut off: so many documents of each question at most.

    Args:
        judged: the run.
        most: a number for all questions, or one for each, of shape (Q,).
    """
    limits: IntArray = np.broadcast_to(np.asarray(most, dtype=np.int64), judged.retrieved.shape)
    of_rows = np.repeat(limits, judged.qrels.sizes)
    return replace(
        judged,
        rank=np.where(judged.rank <= of_rows, judged.rank, 0),
        retrieved=np.minimum(judged.retrieved, limits),
        repeated=np.zeros_like(judged.repeated),
        foreign={},
    )


def _score(measure: Measure, scores: Scores, documents: Judged) -> float:
    """The measure of a run that has other documents."""
    parts: Mapping[str, Judged] = {**scores.judged, "documents": documents}
    return measure.compute({name: part for name, part in parts.items() if name != "long"}, scores.decisions).value


def _ranked(scores: Scores) -> Judged:
    """Where a run ranks documents: its long list, if it has one."""
    return scores.judged.get("long", scores.judged["documents"])


def oracle_count(measure: Measure, scores: Scores) -> float:
    """The score if each question's ranking were cut off at the number of its relevant documents."""
    ranked = _ranked(scores)
    return _score(measure, scores, cut(ranked, ranked.qrels.relevant()))


def best_fixed_k(measure: Measure, scores: Scores) -> FixedK:
    """The best score of all cut-offs that are the same for every question, and the least such cut-off."""
    ranked = _ranked(scores)
    # between the ranks of relevant documents nothing is gained
    hits = ranked.rank[(ranked.rank > 0) & (ranked.qrels.relevance >= 1)]
    best = FixedK(0, math.nan)
    for k in np.unique(np.append(hits, 1)).tolist():
        score = _score(measure, scores, cut(ranked, k))
        if math.isnan(best.score) or score > best.score + 1e-12:
            best = FixedK(k, score)
    return best


def perfect_first(measure: Measure, scores: Scores) -> float:
    """The score of a system that returns one document for each question, a relevant one, and answers all rightly."""
    perfect = {}
    for name, judged in scores.judged.items():
        is_relevant = judged.qrels.relevance >= 1
        before = np.concatenate(([0], np.cumsum(is_relevant)))
        first = is_relevant & (before[:-1] == np.repeat(before[judged.qrels.start[:-1]], judged.qrels.sizes))
        perfect[name] = replace(
            judged,
            rank=first.astype(np.int64),
            retrieved=np.minimum(judged.qrels.relevant(), 1),
            repeated=np.zeros_like(judged.repeated),
            foreign={},
        )
    perfect.pop("long", None)
    return measure.compute(perfect, scores.decisions).value


def ceilings(board: Leaderboard) -> Grid:
    """What could have been reached: see the functions of this module.

    Raises:
        UsageError: the task has no rankings of documents that a cut-off could change, or there is no run.
    """
    if not board.entries:
        raise UsageError("there is no run whose ceiling could be told")
    if board.protocol.parts == ("answers",):
        return _of_answers(board)
    measure = board.ranking
    if not isinstance(measure, MicroF | MicroP | MicroR | Macro | Accuracy) or board.task == "rationale":
        raise UsageError(f"ceilings are told of sets that a cut-off can change; {measure} ranks task {board.task}")
    rows: list[list[Cell]] = []
    for name, entry in zip(board.names(), board.entries, strict=True):
        best = best_fixed_k(measure, entry.scores)
        rows.append(
            [
                name,
                Number(entry.scores.results[measure].value),
                Number(oracle_count(measure, entry.scores)),
                Number(best.score),
                Number(best.k, str(best.k)),
            ]
        )
    nothing = Number(math.nan)
    rows.append(["one right document each", Number(perfect_first(measure, board.entries[0].scores)), *[nothing] * 3])
    caption = (
        f"What {measure} could have been. Oracle count: the run's ranking (its long list, if any) cut off at the "
        "question's number of relevant documents. Best k: the best of all cut-offs that are the same for every "
        "question, chosen with the gold in hand. Last row: a system that returns one document for each question, "
        "a relevant one."
    )
    return Grid(["run", measure.name, "oracle count", "best k", "k"], rows, caption, n_text=1)


def _of_answers(board: Leaderboard) -> Grid:
    """Bounds of an accuracy: the majority's label, and a question counted as soon as any run is right."""
    right = [result.per_query > 0 for result in board.results(board.ranking)]
    rows: list[list[Cell]] = []
    if (baseline := majority(board)) is not None:
        rows.append([f"all {baseline[0]}", Number(baseline[1])])
    rows.append(["majority of the runs", Number(float((np.mean(right, axis=0) > 0.5).mean()))])
    rows.append(["any run right", Number(float(np.any(right, axis=0).mean()))])
    caption = f"Bounds of {board.ranking}: the gold's most frequent label; more than half of the runs right; any right."
    return Grid(["system", board.ranking.name], rows, caption, n_text=1)
