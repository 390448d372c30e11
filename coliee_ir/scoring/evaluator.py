"""Evaluation: a gold prepared once, runs judged by it, measures computed by the rules of a task's edition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np

from coliee_adapters import forms, layouts
from coliee_adapters.checked import texts
from coliee_adapters.errors import UsageError
from coliee_adapters.records import Answers, Gold, GoldLike, Run, RunLike, exact_id, normal_id, wrong_id
from coliee_ir.judging.judged import Judged
from coliee_ir.measures import compute
from coliee_ir.measures.ties import Ties
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import ANSWERS_BESIDE, edition_year, protocol, task_name
from coliee_ir.scoring import batch
from coliee_ir.scoring.prepared import check_rules, choose, measures_named, prepare
from coliee_ir.scoring.reading import find_task, read_gold, read_run_by, readable, telling, without_itself
from coliee_ir.scoring.remarks import remarks_of
from coliee_ir.scoring.scores import Scores, Timing
from coliee_ir.scoring.submission import Arrays, Named, Submission, count, judge_parts, records

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Rules(TypedDict, total=False):
    """By which rules runs are scored: what every function that scores takes.

    Attributes:
        task: ``1`` … ``5``, ``tort``, ``rationale`` or ``trec``; by default it is found from gold and runs.
        edition: the year whose rules count; by default the newest of the task.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open: all as ``Decisions``, or some by name.
        columns: what the columns of tables and frames are called, by role, in gold and runs: see ``read_gold``.
    """

    task: str | int | None
    edition: str | int | None
    exclude: str | Iterable[str]
    only: str | Iterable[str] | None
    decisions: Decisions | Mapping[str, str] | None
    columns: Mapping[str, str] | None


class Evaluator:
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

    def __init__(
        self,
        gold: GoldLike,
        measures: str | Sequence[str] = (),
        *,
        documents: Sequence[str] | None = None,
        runs: Sequence[RunLike | Submission] = (),
        **rules: Unpack[Rules],
    ) -> None:
        self.columns, edition = rules.get("columns"), edition_year(rules.get("edition"))
        self.gold, self.task, self.because = read_with_task(gold, runs, rules.get("task"), self.columns)
        self.protocol = protocol(self.task, edition)
        check_rules(self.protocol)
        self.edition = edition if edition is not None else self.protocol.newest
        self.decisions = Decisions.of(rules.get("decisions"), self.protocol)
        self.prepared = prepare(
            self.gold, self.protocol, self.edition, self.decisions, rules.get("exclude", ()), rules.get("only")
        )
        self.queries, self.excluded, self.qrels = self.prepared.queries, self.prepared.excluded, self.prepared.qrels
        self.asked = measures_named(
            texts("measures", measures, "the name of a measure, or a list of names"), self.protocol.scores
        )
        self.official = measures_named(self.protocol.measures, self.protocol.scores)
        #: the task that submissions are read as; their ids must be compared as the gold's were
        exact = self.protocol.exact_ids
        self.read_as = None if exact and not _ids_stand(self.gold) else self.task
        self.id_of = exact_id if exact and self.read_as is not None else normal_id
        self.documents = None if documents is None else forms.frames.document_ids(documents, self.id_of, commas=exact)

    @property
    def names(self) -> list[str]:
        """The measures that were asked for, or the official ones."""
        return [measure.name for measure in self.asked or self.official]

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
        """
        start, against = perf_counter(), self.prepared
        given = run if isinstance(run, Submission) else Submission(run, answers, long_list)
        given = given._replace(run=readable(given.run))
        read = records(given, against, self.read)
        processes = jobs if executor is not None else batch.processes(jobs, [given])
        parts = judge_parts(read, against, processes, executor)
        judged = perf_counter()
        scores = self.scores_of(Named.of(given, read), parts)
        timing = Timing(
            lines=sum(part.lines for part in parts.values()),
            read=sum(part.reading for part in parts.values()),
            judge=judged - start,
            measure=perf_counter() - judged,
        )
        return replace(scores, timing=timing, judged=parts if keep_judged else {})

    def scores_of(self, named: Named, parts: Mapping[str, Judged]) -> Scores:
        """The scores of a submission that was judged.

        :meta private:
        """
        against = self.prepared
        measures, left_out = choose(self.asked, parts, against)
        results = dict(zip(measures, compute(measures, parts, self.decisions), strict=True))
        counted = count(parts, against)
        has_ties = any(part.tied.size for part in parts.values())
        on_long_list = [m for m in self.asked or measures_named(self.protocol.long_list) if m.ranked]
        remarks = remarks_of(named, parts, measures, left_out, counted, on_long_list, against)
        return Scores(
            **named._asdict(),
            gold=self.gold.path,
            task=self.task,
            edition=self.edition,
            results=results,
            query_ids=self.queries,
            answered=counted.answered.tolist(),
            counts={
                "correct": int(counted.totals.correct.sum()),
                "retrieved": int(counted.totals.retrieved.sum()) + counted.totals.extra,
                "relevant": int(counted.totals.relevant.sum()),
            },
            extra=len(counted.extra),
            excluded=tuple(sorted(self.excluded)),
            noted=tuple(remarks),
            decisions=self.decisions,
            judged=parts,
            ties=Ties(results, parts, self.decisions) if has_ties else {},
            has_ties=has_ties,
        )

    def read(self, run: RunLike | Arrays) -> Run | Answers:
        """What ``evaluate`` takes as a run, by the rules of this evaluator.

        Raises:
            InputError: it cannot be read.
            UsageError: arrays are given, and no documents were named at the beginning.
        """
        given: Any = run
        if isinstance(given, tuple) and len(given) == 3 and all(isinstance(part, np.ndarray) for part in given):
            if self.documents is None:
                raise UsageError("shape", "arrays of indices need the documents' ids: Evaluator(…, documents=ids)")
            return self._by_rules(forms.frames.run_of_arrays(*given, queries=self.queries, documents=self.documents))
        if self.documents is not None and isinstance(given, tuple) and any(isinstance(part, list) for part in given):
            problem = "query indices, document indices and scores are NumPy arrays: numpy.asarray(list)"
            raise UsageError("shape", problem)
        # by the rules and not by the task's name, which another process may not know
        rules = None if self.read_as is None and self.protocol.run is None else self.protocol
        unreadable = self.decisions.unreadable_answers
        return self._by_rules(read_run_by(given, rules, unreadable_answers=unreadable, columns=self.columns))

    def _by_rules(self, record: Run | Answers) -> Run | Answers:
        """What was read, without what the rules take out."""
        return without_itself(record) if self.protocol.not_itself and isinstance(record, Run) else record


def _ids_stand(gold: Gold) -> bool:
    """Whether a gold's ids stand as written: a dictionary's may have been read, and normalised, without the task."""
    if gold.format in ("qrels", layouts.FORMAT):
        return True
    ids = [*gold.queries, *(document for judged in (gold.qrels or {}).values() for document in judged)]
    return any(normal_id(text) != text for text in ids) or bool(wrong_id(ids, commas=False))


def read_with_task(
    gold: GoldLike,
    runs: Sequence[RunLike | Submission] = (),
    task: str | int | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[Gold, str, str]:
    """The gold; the task that it and the runs belong to, and what shows it, empty where it is named."""
    name = task_name(task)
    record = read_gold(gold, task=name, columns=columns)
    if name is not None:
        return record, name, ""
    every = [Submission.of(one) for one in runs]
    if any(one.answers is not None for one in every):
        return record, *ANSWERS_BESIDE
    # beside labels alone runs tell anything
    run = None if record.labels is None else telling((one.run for one in every), columns)
    return record, *find_task(record, run, columns)
