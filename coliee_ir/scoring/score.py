"""Scoring: one submission, or many over several processes, where copies are remarked.

Submission, Basis ──judge_submission──▶ part → Judged ──measures, remarks──▶ Scores
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from time import perf_counter
from typing import TYPE_CHECKING, Final

from coliee_adapters.errors import ColieeError, InputError, errors_as_coliee
from coliee_adapters.files.source import copies
from coliee_adapters.records import RunLike
from coliee_adapters.remarks import Remark
from coliee_ir.judging.qrels import Qrels
from coliee_ir.measures import compute
from coliee_ir.measures.ties import Ties
from coliee_ir.reading.anything import readable
from coliee_ir.reading.basis import Basis, qrels_of
from coliee_ir.reading.submission import Submission, files_of, name_of
from coliee_ir.scoring.parts import judge_submission
from coliee_ir.scoring.plain import batches, plain_scores
from coliee_ir.scoring.remarks import remarks_of
from coliee_ir.scoring.scores import Scores, Timing

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: How many submissions a worker of an executor scores at a time: the evaluator travels with each share.
_SHARE: Final = 20

#: Bytes of a large file that a worker of an executor reads at a time; a file of twice this size is large.
PART: Final = 64 << 20

#: What scores a submission, by the basis that it holds.
_Task = partial[Scores | ColieeError]

#: Bytes below which one process is faster than several; and how many times as many bytes small files have where they
#: are worth a second one, since their scores travel: 500 runs of 50 KB took a third more processor time.
WORTH_A_PROCESS: Final = 16 << 20
_SMALL: Final = 4


def processes(jobs: int | None, submissions: Iterable[Submission]) -> int:
    """How many processes to use, at most as many as were asked for: one is faster where there is little to read."""
    if jobs == 1:
        return 1
    sizes = [sum(map(_size, submission)) for submission in submissions]
    size, least = sum(sizes), WORTH_A_PROCESS * (_SMALL if max(sizes, default=0) < WORTH_A_PROCESS else 1)
    if size < least:
        return 1
    from coliee_ir.judging import workers  # loads multiprocessing, which a small run does without

    worth = -(-size // max(least, 1))
    return max(min(jobs or worth, worth, workers.cores()), 1)


def _size(part: object) -> int:
    """How many bytes a part of a submission has; 0 for what is not a plain file, and for what is large and packed."""
    sizes = [(file, file.packed_size) for file in files_of(part)]
    return sum(size if size < 2 * PART else file.size for file, size in sizes)


def score(
    basis: Basis,
    submission: Submission,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    keep_judged: bool = False,
) -> Scores:
    """Score one submission."""
    start = perf_counter()
    used = jobs if executor is not None else processes(jobs, [submission])
    done = judge_submission(submission, basis, used, executor)
    parts, judged = done.parts, perf_counter()
    results = dict(zip(done.measures, compute(done.measures, parts, basis.decisions), strict=True))
    has_ties = any(part.tied.size for part in parts.values())
    return Scores(
        **done.names,
        gold=basis.gold.path,
        task=basis.task,
        edition=basis.edition,
        results=results,
        query_ids=basis.queries,
        answered=done.answered.tolist(),
        counts={
            "correct": int(done.totals.correct.sum()),
            "retrieved": int(done.totals.retrieved.sum()) + done.totals.extra,
            "relevant": int(done.totals.relevant.sum()),
        },
        extra=len(done.extra),
        excluded=tuple(sorted(basis.excluded)),
        own_remarks=tuple(remarks_of(done)),
        decisions=basis.decisions,
        timing=Timing(
            lines=sum(part.lines for part in parts.values()),
            read=sum(part.reading for part in parts.values()),
            judge=judged - start,
            measure=perf_counter() - judged,
        ),
        judged=parts if keep_judged else {},
        ties=Ties(results, parts, basis.decisions) if has_ties else {},
        has_ties=has_ties,
    )


def score_each(
    basis: Basis,
    submissions: Iterable[RunLike | Submission],
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    keep_judged: bool = False,
) -> Generator[Scores | ColieeError, None, None]:
    """Score several submissions: of each in turn the scores, or the error that it met.

    Running out of memory is such an error, even where the operating system kills the process. An executor's workers
    score a few whole runs each, and read large files in parts. Close it where not all
    results are taken: it holds processes.
    """
    opened = [Submission.of(submission, partial(readable, columns=basis.columns)) for submission in submissions]
    task = partial(_scored, basis, keep_judged)
    scored: Iterator[Scores | ColieeError]
    if executor is not None:
        scored = (_with_gold(result, basis) for result in _in_executor(opened, task, executor))
    elif (used := processes(jobs, opened)) > 1 and len(opened) > 1:
        scored = (_with_gold(result, basis) for result in _in_processes(opened, task, used))
    else:
        scored = _in_turn(opened, basis, task, used, keep_judged)
    for result, twin in zip(scored, _copies(opened), strict=True):
        if twin is not None and isinstance(result, Scores):
            result = replace(
                result, own_remarks=(*result.own_remarks, Remark.of("identical", run="this submission", twin=twin))
            )
        yield result


def _with_gold(result: Scores | ColieeError, basis: Basis | None) -> Scores | ColieeError:
    """Scores with the gold; or, as they travel between processes, without what would come back with each as a copy."""
    if isinstance(result, ColieeError):
        return result
    qrels = defaultdict(lambda: Qrels({})) if basis is None else basis.qrels
    return replace(
        result,
        query_ids=() if basis is None else basis.queries,
        judged={part: replace(judged, qrels=qrels_of(part, qrels)) for part, judged in result.judged.items()},
    )


def _in_turn(
    submissions: Sequence[Submission], basis: Basis, task: _Task, jobs: int, keep_judged: bool
) -> Iterator[Scores | ColieeError]:
    """What this process makes of submissions, one after the other, or of plain ones many together."""
    for batch in batches(submissions):
        for submission, scores in zip(batch, plain_scores(basis, batch, keep_judged=keep_judged), strict=True):
            yield task(submission, jobs) if scores is None else scores


def _in_processes(submissions: Sequence[Submission], task: _Task, jobs: int) -> Iterator[Scores | ColieeError]:
    """What processes of this machine make of submissions; one that is killed spoils no other's work."""
    from coliee_ir.judging import workers

    tasks = [partial(_score_alone, task, submission) for submission in submissions]
    done = 0
    while done < len(tasks):
        try:
            for result in workers.results(tasks[done:], jobs):
                yield result
                done += 1
            return
        except workers.LostError:  # by which run is not known: each that may have been begun gets a process of its own
            for i in range(done, min(done + 2 * jobs, len(tasks))):
                try:
                    yield from workers.results([tasks[i]], 1, alone=True)
                except workers.LostError:
                    problem = "the process that scored this run was killed, perhaps for want of memory"
                    yield InputError(
                        "worker", name_of(submissions[i].run), problem, remedy="free some memory, or check the file"
                    )
                done += 1


def _in_executor(submissions: Sequence[Submission], task: _Task, executor: Executor) -> Iterator[Scores | ColieeError]:
    """What an executor makes of submissions: of small ones a few in each task, of a large one its parts."""
    from coliee_ir.judging import workers

    sizes = [sum(map(_size, submission)) for submission in submissions]
    small = [sent for sent, size in zip(submissions, sizes, strict=True) if size < 2 * PART]
    shares = [small[i : i + _SHARE] for i in range(0, len(small), _SHARE)]
    done = zip(workers.results([partial(_share, task, share) for share in shares], 1, executor), shares, strict=True)
    # an error of a whole share stands for each of its submissions
    scored = chain.from_iterable(
        [outcome] * len(share) if isinstance(outcome, ColieeError) else outcome for outcome, share in done
    )
    for submission, size in zip(submissions, sizes, strict=True):
        if size < 2 * PART:
            yield next(scored)
            continue
        result = task(submission, -(-size // PART), executor)
        if isinstance(result, workers.WorkerError):
            raise result
        yield result


def _score_alone(task: _Task, submission: Submission) -> Scores | ColieeError:
    return _with_gold(task(submission, 1), None)


def _share(task: _Task, share: Sequence[Submission]) -> list[Scores | ColieeError]:
    """The scores of a few submissions, or the errors that they meet: one worker's task."""
    return [_score_alone(task, submission) for submission in share]


def _scored(
    basis: Basis, keep_judged: bool, submission: Submission, jobs: int, executor: Executor | None = None
) -> Scores | ColieeError:
    """Score one of several runs; an error that it meets, also of what it takes too much of, stands in its place."""
    try:
        with errors_as_coliee(name_of(submission.run)):
            return score(basis, submission, jobs=jobs, executor=executor, keep_judged=keep_judged)
    except ColieeError as error:
        return error


def _copies(submissions: Sequence[Submission]) -> list[str | None]:
    """For each submission the file of the first earlier one with the same bytes in every part; else None."""
    files = {file.path: file for submission in submissions for file in submission.files}
    first_of = {path: first or path for path, first in zip(files, copies(files.values()), strict=True)}
    seen: dict[tuple[object, ...], str] = {}
    twins: list[str | None] = []
    for submission in submissions:
        content = tuple(tuple(first_of[source.path] for source in files_of(part)) or id(part) for part in submission)
        twins.append(seen.get(content))
        if files_of(submission.run):
            seen.setdefault(content, name_of(submission.run))
    return twins
