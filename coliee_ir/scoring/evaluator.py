"""A gold prepared once, to score many runs by the same rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Unpack

from coliee_adapters.checked import suggesting_keywords
from coliee_adapters.records import GoldLike, RunLike
from coliee_ir.reading.anything import readable
from coliee_ir.reading.basis import Basis, Rules, basis_of, suggesting_rules
from coliee_ir.reading.submission import Arrays, Submission
from coliee_ir.scoring.plain import plain_scores
from coliee_ir.scoring.score import score
from coliee_ir.scoring.scores import Scores, warn_of

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Evaluator(Basis):
    """A gold prepared once, to score many runs by the same rules.

    Args:
        gold: what ``read_gold`` takes.
        measures: names of measures; by default the official ones.
        documents: the documents' ids, where runs are given as arrays of indices.
        runs: some of the runs, which show the task where neither ``task`` nor the gold does.
        rules: see ``Rules``.

    Raises:
        InputError: the gold cannot be read.
        UsageError: a task, an edition, a measure that does not exist, or that the gold cannot serve; a query to
            score or to exclude that is not in the gold.
    """

    @suggesting_rules
    def __init__(
        self,
        gold: GoldLike,
        measures: str | Sequence[str] = (),
        *,
        documents: Sequence[str] | None = None,
        runs: Sequence[RunLike | Submission] = (),
        **rules: Unpack[Rules],
    ) -> None:
        basis = basis_of(gold, measures, documents=documents, runs=runs, **rules)
        super().__init__(*(getattr(basis, field.name) for field in fields(Basis)))

    @suggesting_keywords(others="measures and rules are given to Evaluator(gold, measures, …)")
    def evaluate(
        self,
        run: RunLike | Arrays | Submission,
        *,
        answers: RunLike | None = None,
        long_list: RunLike | None = None,
        jobs: int = 1,
        executor: Executor | None = None,
        keep_judged: bool = False,
    ) -> Scores:
        """Score one run.

        Args:
            run: what ``read_run`` takes; or a ``Submission``, with what belongs to it; or, where documents were named
                at the beginning, three NumPy arrays of equal length: query indices into ``queries``, document indices,
                scores.
            answers: the answers that belong to it, in Task 3 from 2026 on.
            long_list: the ranked list that belongs to it, in Task 3 up to 2025.
            jobs: how many processes may read it; no more are used than there are processors, and pieces of 16 MiB.
            executor: any executor of ``concurrent.futures``, or of that interface; its workers read the run instead,
                in ``jobs`` parts, and must find it under the same path.
            keep_judged: whether the scores keep the judged parts, for what looks at single documents.

        Raises:
            InputError: a file cannot be read, or gold and run do not belong together.
            UsageError: an asked measure needs a part that is not given; a part is given that the task has not.
            WorkerError: a process or a worker of the executor was lost.

        Warns:
            ScoreWarning: as ``evaluate`` does.
        """
        sent = run if isinstance(run, Submission) else Submission(run, answers, long_list)
        scores = None if executor is not None else plain_scores(self, [sent], keep_judged=keep_judged)[0]
        if scores is None:
            sent = Submission.of(sent, readable)
            scores = score(self, sent, jobs=jobs, executor=executor, keep_judged=keep_judged)
        warn_of([scores])
        return scores
