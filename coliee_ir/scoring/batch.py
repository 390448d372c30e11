"""Many submissions: which of them are copies, and over how many processes they are spread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from coliee_adapters.checked import one_of
from coliee_adapters.errors import ColieeError, InputError, guarded
from coliee_adapters.files.source import Source, copies
from coliee_adapters.records import RunLike
from coliee_adapters.remarks import Remark
from coliee_ir.judging.qrels import Qrels
from coliee_ir.scoring.prepared import qrels_of
from coliee_ir.scoring.reading import given as as_given
from coliee_ir.scoring.scores import Scores
from coliee_ir.scoring.submission import Submission, name_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from coliee_ir.scoring.evaluator import Evaluator

#: How many submissions a worker of an executor scores at a time: the evaluator travels with each share.
_SHARE: Final = 20

#: Bytes of a part of a large file that a worker of an executor reads; a file of two such parts is large.
_PART: Final = 64 << 20

#: What scores a submission, by an evaluator that it holds.
_Score = partial[Scores]

#: Bytes below which one process is faster than several; and how many times as many bytes small files have where they
#: are worth a second one, since their scores travel: 500 runs of 50 KB took a third more processor time.
_WORTH_A_PROCESS: Final = 16 << 20
_SMALL: Final = 4


def processes(jobs: int | None, submissions: Iterable[Submission]) -> int:
    """How many processes to use, at most as many as were asked for: one is faster where there is little to read."""
    sizes = [sum(map(_size, submission)) for submission in submissions]
    size, least = sum(sizes), _WORTH_A_PROCESS * (_SMALL if max(sizes, default=0) < _WORTH_A_PROCESS else 1)
    if jobs == 1 or size < least:
        return 1
    from coliee_ir.judging import workers  # loads multiprocessing, which a small run does without

    worth = -(-size // max(least, 1))
    return max(min(jobs or worth, worth, workers.cores()), 1)


def _size(part: object) -> int:
    """How many bytes a part of a submission has; 0 for what is not a plain file, and for what is large and packed."""
    if not isinstance(part, Source):
        return 0
    size = part.packed_size
    return size if size < 2 * _PART else part.size


def score_each(
    scorer: Evaluator,
    submissions: Iterable[RunLike | Submission],
    *,
    jobs: int | None = None,
    executor: Executor | None = None,
    keep_judged: bool = False,
    tell_copies: bool = True,
) -> Iterator[Scores | ColieeError]:
    """Score several submissions: of each in turn the scores, or the error that it met.

    So is want of memory, even where the operating system kills the process. An executor's workers score a few whole
    runs each, and read large files in parts.
    """
    one_of("submissions", submissions, Iterable, "a list of runs")
    given = [Submission(*(as_given(part, scorer.columns) for part in Submission.of(one))) for one in submissions]
    twins = _twins(given) if tell_copies else [None] * len(given)
    score = partial(_contained, scorer, keep_judged)
    if executor is not None:
        scored = (_with_gold(result, scorer) for result in _elsewhere(given, score, executor))
    elif (used := processes(jobs, given)) > 1 and len(given) > 1:
        scored = (_with_gold(result, scorer) for result in _in_processes(given, score, used))
    else:
        scored = (_caught(score, submission, used) for submission in given)
    yield from map(with_twin, scored, twins)


def _without_gold(scores: Scores) -> Scores:
    """Scores as they travel between processes: what all runs share would come back with each of them as a copy."""
    judged = {part: replace(of_part, qrels=Qrels({})) for part, of_part in scores.judged.items()}
    return replace(scores, query_ids=(), judged=judged)


def _with_gold(result: Scores | ColieeError, scorer: Evaluator) -> Scores | ColieeError:
    """Scores that came from another process, with the gold that is here."""
    if isinstance(result, ColieeError):
        return result
    judged = {part: replace(of_part, qrels=qrels_of(part, scorer.qrels)) for part, of_part in result.judged.items()}
    return replace(result, query_ids=scorer.queries, judged=judged)


def _in_processes(given: Sequence[Submission], score: _Score, jobs: int) -> Iterator[Scores | ColieeError]:
    """What processes of this machine make of submissions; one that is killed spoils no other's work."""
    from coliee_ir.judging import workers

    tasks = [partial(_apart, score, submission) for submission in given]
    done = 0
    while done < len(tasks):
        try:
            for result in workers.results(tasks[done:], jobs):
                yield result
                done += 1
            return
        except workers.LostError:  # by which run is not known: each that may have been begun gets a process of its own
            for at in range(done, min(done + 2 * jobs, len(tasks))):
                try:
                    yield from workers.results([tasks[at]], 1, alone=True)
                except workers.LostError:
                    problem = "the process that scored this run was killed, perhaps for want of memory"
                    yield InputError(
                        "worker", name_of(given[at].run), problem, remedy="free some memory, or check the file"
                    )
                done += 1


def _elsewhere(given: Sequence[Submission], score: _Score, executor: Executor) -> Iterator[Scores | ColieeError]:
    """What an executor makes of submissions: of small ones a few in each task, of a large one its parts."""
    from coliee_ir.judging import workers

    sizes = [sum(map(_size, submission)) for submission in given]
    small = [one for one, size in zip(given, sizes, strict=True) if size < 2 * _PART]
    shares = [small[at : at + _SHARE] for at in range(0, len(small), _SHARE)]
    done = zip(workers.results([partial(_share, score, share) for share in shares], 1, executor), shares, strict=True)
    # an error of a whole share stands for each of its submissions
    scored = chain.from_iterable([of] * len(share) if isinstance(of, ColieeError) else of for of, share in done)
    for submission, size in zip(given, sizes, strict=True):
        if size < 2 * _PART:
            yield next(scored)
            continue
        result = _caught(score, submission, -(-size // _PART), executor)
        if isinstance(result, workers.WorkerError):
            raise result
        yield result


def _apart(score: _Score, submission: Submission) -> Scores:
    return _without_gold(score(submission, 1))


def _share(score: _Score, share: Sequence[Submission]) -> list[Scores | ColieeError]:
    """The scores of a few submissions, or the errors that they meet: one worker's task."""
    results = [_caught(score, submission, 1) for submission in share]
    return [result if isinstance(result, ColieeError) else _without_gold(result) for result in results]


def _contained(
    scorer: Evaluator, keep_judged: bool, submission: Submission, jobs: int, executor: Executor | None = None
) -> Scores:
    """Score one of several runs: what it takes too much of is an error of its own."""
    with guarded(name_of(submission.run)):
        return scorer.evaluate(submission, jobs=jobs, executor=executor, keep_judged=keep_judged)


def _caught(score: _Score, submission: Submission, jobs: int, executor: Executor | None = None) -> Scores | ColieeError:
    """The same; an error that it meets stands in its place."""
    try:
        return score(submission, jobs, executor)
    except ColieeError as error:
        return error


def _twins(submissions: Sequence[Submission]) -> list[str | None]:
    """For each submission the file of the first one before it that holds the same bytes in every part."""
    files = {part.path: part for one in submissions for part in one if isinstance(part, Source)}
    first_of = {path: first or path for path, first in zip(files, copies(files.values()), strict=True)}
    seen: dict[tuple[object, ...], str] = {}
    twins: list[str | None] = []
    for one in submissions:
        content = tuple(first_of[part.path] if isinstance(part, Source) else id(part) for part in one)
        twins.append(seen.get(content))
        if isinstance(one.run, Source):
            seen.setdefault(content, name_of(one.run))
    return twins


def with_twin(result: Scores | ColieeError, twin: str | None) -> Scores | ColieeError:
    """Scores that say of which submission they are a copy."""
    if twin is None or not isinstance(result, Scores):
        return result
    return replace(result, noted=(*result.noted, Remark.of("identical", run="this submission", twin=twin)))
