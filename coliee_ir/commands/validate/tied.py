"""Documents of equal score in a ranking that official measures look at: where they are, and what they can change.

Evaluators put equal scores in the order of ids, which say nothing of relevance. What another order would change is
known where the gold is; without it, where an order is left to the ids.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np

from coliee_adapters.errors import ColieeError
from coliee_adapters.files.source import Source
from coliee_ir.commands.validate.columns import Sheet
from coliee_ir.measures import Measure
from coliee_ir.measures.sets import Micro
from coliee_ir.measures.ties import notable
from coliee_ir.scoring.evaluator import Evaluator


def check_ties(sheet: Sheet, source: Source, measures: Sequence[Measure], evaluator: Evaluator | None) -> None:
    """Tell of ties: with a gold, of the scores that could move by more than .001; without, of the ranks."""
    if evaluator is not None:
        with contextlib.suppress(ColieeError):  # a gold of other queries, which other rules tell of, shows nothing
            for moved in notable(evaluator.evaluate(source).ties):
                sheet.add("ties-move", found=moved)
            return
    cutoffs = sorted({measure.cutoff for measure in measures if isinstance(measure, Micro) and measure.cutoff})
    for query, rows in sheet.lists().items():
        ranges = list(_tied([row.score for row in rows if row.score is not None and not row.dropped]))
        if ranges and ranges != [(1, len(rows))]:  # all of one score: ``equal-scores``
            across = [str(k) for k in cutoffs if any(first <= k < last for first, last in ranges)]
            shown = ", ".join(f"{first}–{last}" for first, last in ranges[:3]) + (", …" if len(ranges) > 3 else "")
            beyond = f"; across the cutoff {', '.join(across)}" if across else ""
            sheet.add("ties", *rows[0].place(0), f"{query}: ranks {shown}{beyond}")


def _tied(scores: Sequence[float]) -> Iterator[tuple[int, int]]:
    """The first and the last rank of documents of one score, which trec_eval holds in single precision."""
    values = np.sort(np.array(scores, dtype=np.float32))[::-1]
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    for first, last in zip(starts.tolist(), [*starts[1:].tolist(), len(values)], strict=True):
        if last - first > 1:
            yield first + 1, last
