"""What the same rankings could have scored: with the right number of documents, with one number for all, and so on."""

from __future__ import annotations

import math

import numpy as np

from coliee_adapters.errors import UsageError
from coliee_ir.commands.leaderboard.board import Board
from coliee_ir.commands.leaderboard.questions import majority
from coliee_ir.measures.labels import Accuracy
from coliee_ir.measures.sets import Macro, MicroF, MicroP, MicroR
from coliee_ir.output.grid import Cell, Grid, Number
from coliee_ir.stats import cutting


def ceilings(board: Board) -> Grid:
    """What could have been reached: see ``coliee_ir.stats.cutting``.

    Raises:
        UsageError: the task has no rankings of documents that a cutoff could change, or there is no run.
    """
    if not board.entries:
        raise UsageError("no-result", "no run has a ceiling to report")
    if board.protocol.parts == ("answers",):
        return _of_answers(board)
    measure = board.ranking
    if not isinstance(measure, MicroF | MicroP | MicroR | Macro | Accuracy) or not board.protocol.ranked:
        problem = f"ceilings exist for set measures, which a cutoff can change; {measure} ranks task {board.task}"
        raise UsageError("unfit-measure", problem)
    rows: list[list[Cell]] = []
    for name, entry in zip(board.names(), board.entries, strict=True):
        best = cutting.best_fixed_k(measure, entry.scores.judged, entry.scores.decisions)
        rows.append(
            [
                name,
                Number(entry.scores.results[measure].value),
                Number(cutting.oracle_count(measure, entry.scores.judged, entry.scores.decisions)),
                Number(best.score),
                Number(best.k, str(best.k)),
            ]
        )
    nothing = Number(math.nan)
    first = board.entries[0].scores
    perfect = cutting.one_each(measure, first.judged, first.decisions)
    rows.append([cutting.ONE_EACH, Number(perfect), *[nothing] * 3])
    caption = (
        f"What {measure} could have been. Oracle count: the run's ranking (its long list, if any) cut off at the "
        "question's number of relevant documents. Best fixed k: the best of all cutoffs that are the same for every "
        "question, chosen with the gold in hand. Last row: a system that returns one document for each question, "
        "a relevant one."
    )
    return Grid(["run", measure.name, cutting.ORACLE_COUNT, cutting.BEST_K, "k"], rows, caption, n_text=1)


def _of_answers(board: Board) -> Grid:
    """Bounds of an accuracy: the majority's label, and a question counted as soon as any run is right."""
    right = [result.per_query > 0 for result in board.results(board.ranking)]
    rows: list[list[Cell]] = []
    if (baseline := majority(board)) is not None:
        rows.append([f"all {baseline[0]}", Number(baseline[1])])
    rows.append(["majority of the runs", Number(float((np.mean(right, axis=0) > 0.5).mean()))])
    rows.append(["any run right", Number(float(np.any(right, axis=0).mean()))])
    caption = f"Bounds of {board.ranking}: the gold's most frequent label; more than half of the runs right; any right."
    return Grid(["system", board.ranking.name], rows, caption, n_text=1)
