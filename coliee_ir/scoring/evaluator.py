"""Evaluation: a gold prepared once, runs judged by it, measures computed by the rules of a task's edition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from coliee_adapters import frames, tort
from coliee_adapters.errors import ColieeError, InputError, UsageError, contained, shortened
from coliee_adapters.files import Source, copies, is_copy
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.lines import counted
from coliee_adapters.records import ONE_WORD, Answers, Columns, Gold, Run, exact_id, normal_id, wrong_id
from coliee_adapters.remarks import Remarks
from coliee_ir.judging.judged import BoolArray, Judged, judge
from coliee_ir.judging.mismatch import check, lost_zeros
from coliee_ir.judging.qrels import Qrels
from coliee_ir.judging.upside_down import upside_down
from coliee_ir.measures import Delegated, Measure, compute, parse
from coliee_ir.measures.sets import counts
from coliee_ir.rules.decisions import Decisions
from coliee_ir.rules.protocol import edition_year, newest_edition, protocol, task_name, without_answers
from coliee_ir.scoring import render  # noqa: F401  # registers how Scores show themselves
from coliee_ir.scoring.reading import (
    asks_cases,
    asks_statute_questions,
    find_task,
    opened,
    opened_if_possible,
    read_gold,
    read_run,
)
from coliee_ir.scoring.scores import Scores, Timing

_Submission = TypeVar("_Submission", Run, Answers)

#: Bytes below which one process is faster than several.
_WORTH_A_PROCESS: Final = 16 << 20

_LABEL: Final = {True: "Y", False: "N"}

#: part of a submission → how to give it
_NEEDED: Final = {
    "documents": "retrieved documents, which this task does not have",
    "answers": "answers Y or N: give them with --answers FILE",
    "plaintiff": "the pilot's claims: --task rationale",
    "defendant": "the pilot's claims: --task rationale",
}


#: query indices, document indices, scores
Arrays = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


class Submission(NamedTuple):
    """What a team hands in: the run, and in Task 3 what belongs to it. Each is what ``read_run`` takes."""

    run: RunLike
    answers: RunLike | None = None
    long_list: RunLike | None = None


class Evaluator:
    """A gold prepared once, to score many runs by the same rules.

    Args:
        gold: what ``read_gold`` takes.
        measures: names of measures; by default the official ones.
        task: the task; by default it is found from the gold.
        edition: the year whose rules count; by default the newest of the task.
        exclude: queries to leave out.
        only: the queries to score, for example those of a validation split; by default all.
        decisions: the choices where the organisers leave it open.
        documents: the documents' ids, where runs are given as arrays of indices.
        columns: what the columns of tables and frames are called, by role, in gold and runs: see ``read_gold``.

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
        task: str | int | None = None,
        edition: str | int | None = None,
        exclude: str | Iterable[str] = (),
        only: str | Iterable[str] | None = None,
        decisions: Decisions | None = None,
        documents: Sequence[str] | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        task, edition = task_name(task), edition_year(edition)
        measures = [measures] if isinstance(measures, str) else measures
        self.columns = columns
        self.gold = read_gold(gold, task=task, columns=columns)
        self.task = task or find_task(self.gold).task
        self.protocol = protocol(self.task, edition)
        self.edition = edition if edition is not None else newest_edition(self.protocol)
        self._check_gold()
        self.decisions = decisions or Decisions()
        self.asked = [measure for name in measures for measure in parse(name)]
        self.official = [measure for name in self.protocol.measures for measure in parse(name)]
        self.on_long_list = [measure for name in self.protocol.long_list for measure in parse(name)]
        #: the task that submissions are read as; their ids must be compared as the gold's were
        self.read_as = None if self.task == "trec" and not _ids_stand(self.gold) else self.task
        rule = exact_id if self.read_as == "trec" else normal_id
        commas = self.task == "trec"
        self.documents = None if documents is None else frames.document_ids(documents, rule, commas=commas)
        known = dict.fromkeys(self.gold.queries)
        self.excluded = self._listed(exclude, "exclude", known)
        if only is not None:
            self.excluded |= known.keys() - self._listed(only, "score", known)
        self.queries = tuple(query for query in known if query not in self.excluded)
        if not self.queries:
            raise UsageError(f"no query of {self.gold.path} is left to score")
        self.qrels = {part: Qrels(judgements) for part, judgements in self._judgements().items()}

    def _listed(self, ids: str | Iterable[str], purpose: str, known: Mapping[str, None]) -> frozenset[str]:
        """Queries of the gold that a text, or several, name."""
        named = [query for query in (re.split(r"[,\s]+", ids) if isinstance(ids, str) else ids) if query]
        if unknown := sorted({query for query in named if query not in known and normal_id(query) not in known}):
            raise UsageError(
                f"{counted(len(unknown), 'id')} to {purpose} cannot be found in {self.gold.path}: "
                f"{', '.join(map(shortened, unknown[:3]))}; "
                "name queries, or on the command line a file with an id in its first column"
            )
        return frozenset(query if query in known else normal_id(query) for query in named)

    def _check_gold(self) -> None:
        """Refuse a gold that is plainly of another task than the one asked for."""
        if self.gold.task in ("1", "2") and self.task != self.gold.task:
            raise UsageError(f"{self.gold.path} says that it is of task {self.gold.task}, not {self.task}")
        if self.task in ("1", "2") and asks_statute_questions(self.gold):
            raise UsageError(f"{self.gold.path} holds statute questions; the task is {self.task}")
        if self.task in ("3", "4", "5") and self.gold.labels is None and asks_cases(self.gold):
            raise UsageError(f"{self.gold.path} holds cases, as in Task 1; the task is {self.task}")
        documents = [document for judged in (self.gold.qrels or {}).values() for document in judged]
        if self.task != "trec" and (wrong := wrong_id([*self.gold.queries, *documents], commas=False)):
            remedy = f"{ONE_WORD}; plain TREC ids may have commas: task trec"
            raise InputError(self.gold.path, wrong[1], found=wrong[0], remedy=remedy)
        pilot = self.task in ("tort", "rationale")
        if self.gold.format != "memory" and pilot != (self.gold.format == "tort"):
            raise UsageError(
                f"{self.gold.path} is {'no' if pilot else 'the'} gold of the pilot; the task is {self.task}"
            )

    @property
    def _named_task(self) -> str:
        """The task with its edition, if it has one."""
        return f"task {self.task}" + ("" if self.edition is None else f" of {self.edition}")

    def _judgements(self) -> dict[str, Mapping[str, Mapping[str, int]]]:
        """What each part of a submission is judged by, over the same queries in the same order."""
        gold, queries = self.gold, self.queries
        judgements: dict[str, Mapping[str, Mapping[str, int]]] = {}
        if "documents" in self.protocol.parts:
            if gold.qrels is None:
                raise UsageError(
                    f"{gold.path} holds labels only; task {self.task} is scored by relevant documents: "
                    "is it the gold of another task?"
                )
            judgements["documents"] = {query: gold.qrels.get(query, {}) for query in queries}
        if "answers" in self.protocol.parts and gold.labels is not None:
            labels = gold.labels
            judgements["answers"] = {q: {_LABEL[labels[q]]: 1} if q in labels else {} for q in queries}
        elif self.protocol.parts == ("answers",):
            raise UsageError(f"{gold.path} holds no labels; task {self.task} is scored by them")
        if self.task == "rationale":
            for side, letter in tort.SIDES.items():
                judgements[side] = {
                    query: {claim: level for claim, level in judged.items() if claim.startswith(letter)}
                    for query, judged in judgements["documents"].items()
                }
        return judgements

    def evaluate(
        self,
        run: RunLike | Arrays,
        *,
        answers: RunLike | None = None,
        long_list: RunLike | None = None,
        jobs: int = 1,
        keep_judged: bool = False,
    ) -> Scores:
        """Score one run.

        Args:
            run: what ``read_run`` takes; or, where documents were named at the beginning, three NumPy arrays of equal
                length: query indices into ``queries``, document indices, scores.
            answers: the answers that belong to it, in Task 3 from 2026 on.
            long_list: the ranked list that belongs to it, in Task 3 up to 2025.
            jobs: how many processes may read it; no more are used than there are processors, and pieces of 16 MiB.
            keep_judged: whether the scores keep the judged parts, for what looks at single documents.

        Raises:
            InputError: a file cannot be read, or gold and run do not belong together.
            UsageError: an asked measure needs a part that is not given; a part is given that the task has not.
        """
        start = perf_counter()
        given: Any = opened(run)
        jobs = _processes(jobs, [Submission(given, answers, long_list)])
        submission = self._submission(given)
        parts, sentences = self._judge_parts(submission, answers, long_list, jobs)
        measures = self._measures(parts, sentences)
        judged = perf_counter()
        results = dict(zip(measures, compute(measures, parts, self.decisions), strict=True))
        measured = perf_counter()
        main = parts[self.protocol.parts[0]]
        totals = counts(main, self.decisions)
        answered, in_part = self._answered(parts)
        extra = sorted({query for part in self.protocol.parts if part in parts for query in parts[part].extra})
        remarks = self._remarks(parts, measures)
        sentences += [*self._sides(parts), *self._upside_down(parts, measures)]
        if "memory" not in (self.gold.format, submission.format):
            if self.gold.path == submission.path:
                sentences.append("this is the gold itself")
            elif is_copy(submission.path, self.gold.path):
                sentences.append(f"this is the gold itself: the file is the same as {self.gold.path}")
        _note(remarks, "extra-query", extra)
        _note(remarks, "unanswered-query", self._named(~answered & ~in_part))
        _note(remarks, "partial-answers", self._named(in_part))
        if self.protocol.parts[0] == "documents" and self.task != "rationale":
            silent = answered & (main.retrieved == 0) & (main.qrels.relevant() > 0)
            _note(remarks, "nothing-retrieved", self._named(silent))
        if any(isinstance(measure, Delegated) for measure in measures):
            sentences += _unjudgeable(self._named(main.qrels.sizes == 0))
        told = [*remarks.sentences(self._clauses(measures)), *sentences]
        return Scores(
            tag=submission.tag,
            file=submission.path,
            gold=self.gold.path,
            task=self.task,
            edition=self.edition,
            results=results,
            query_ids=self.queries,
            answered=answered.tolist(),
            counts={
                "correct": int(totals.correct.sum()),
                "retrieved": int(totals.retrieved.sum()) + totals.extra,
                "relevant": int(totals.relevant.sum()),
            },
            extra=len(extra),
            others=_paths(answers=answers, long_list=long_list),
            excluded=tuple(sorted(self.excluded)),
            remarks=tuple(told),
            decisions=self.decisions,
            timing=Timing(
                lines=sum(part.lines for part in parts.values()),
                read=sum(part.reading for part in parts.values()),
                judge=judged - start,
                measure=measured - judged,
            ),
            judged=parts if keep_judged else {},
        )

    def evaluate_all(
        self, submissions: Iterable[Submission], *, jobs: int | None = None, keep_judged: bool = False
    ) -> Iterator[Scores | ColieeError]:
        """Score several runs, spread over processes where they are large enough to be worth it.

        Args:
            submissions: the runs, with what belongs to each.
            jobs: how many processes; by default, and at most, as many as there are processors, and pieces of 16 MiB.
            keep_judged: as for ``evaluate``.

        Yields:
            For each run in turn its scores, or the error that it met; want of memory is one of them.

        Raises:
            WorkerError: a process was killed.
        """
        given = [
            Submission(*(opened_if_possible(part, self.columns) for part in submission)) for submission in submissions
        ]
        twins = _twins(given)
        jobs = _processes(jobs, given)
        if jobs > 1 and len(given) > 1:
            from coliee_ir.judging import workers

            tasks = [partial(self._contained, s, 1, keep_judged) for s in given]
            yield from map(_with_twin, workers.results(tasks, jobs), twins)
            return
        for s, twin in zip(given, twins, strict=True):
            try:
                scores = self._contained(s, jobs, keep_judged)
            except ColieeError as error:
                yield error
            else:
                yield _with_twin(scores, twin)

    def score_all(self, submissions: Iterable[Submission], *, keep_judged: bool = False) -> list[Scores]:
        """Score several runs in this process, of which each must be sound. Args are those of ``evaluate_all``.

        Raises:
            ColieeError: the error that the first broken run meets.
        """
        scored = []
        for result in self.evaluate_all(submissions, jobs=1, keep_judged=keep_judged):
            if isinstance(result, ColieeError):
                raise result
            scored.append(result)
        return scored

    def _contained(self, handed: Submission, jobs: int, keep_judged: bool) -> Scores:
        """Score one of several runs: what it takes too much of is an error of its own."""
        run, answers, long_list = handed
        with contained(run.name if isinstance(run, Source) else str(getattr(run, "path", "<memory>"))):
            return self.evaluate(run, answers=answers, long_list=long_list, jobs=jobs, keep_judged=keep_judged)

    def _submission(self, run: Any) -> Run | Answers:
        if isinstance(run, tuple) and len(run) == 3 and all(isinstance(part, np.ndarray) for part in run):
            if self.documents is None:
                raise UsageError("arrays of indices need the documents' ids: Evaluator(…, documents=ids)")
            return frames.run_of_arrays(*run, queries=self.queries, documents=self.documents)
        if self.documents is not None and isinstance(run, tuple) and any(isinstance(part, list) for part in run):
            raise UsageError("query indices, document indices and scores are NumPy arrays: numpy.asarray(list)")
        return self.read(run)

    def read(self, run: RunLike) -> Run | Answers:
        """What ``read_run`` reads, by the rules of this evaluator.

        Raises:
            InputError: it cannot be read.
        """
        return read_run(
            run, task=self.read_as, unreadable_answers=self.decisions.unreadable_answers, columns=self.columns
        )

    def _judge_parts(
        self, submission: Run | Answers, answers: Any, long_list: Any, jobs: int
    ) -> tuple[dict[str, Judged], list[str]]:
        """The judged parts, and what else there is to say of them."""
        parts: dict[str, Judged] = {}
        sentences: list[str] = []
        if "documents" in self.protocol.parts:
            documents = self._expect(submission, Run)
            parts["documents"] = self._judge("documents", documents, jobs=jobs)
            for side in tort.SIDES if self.task == "rationale" else ():
                parts[side] = judge(self.qrels[side], _of_side(documents, tort.SIDES[side]), self.excluded)
        else:
            if answers is not None:
                raise UsageError(f"in task {self.task} the run itself holds the answers: leave --answers out")
            answers = submission
        if answers is not None:
            if "answers" not in self.protocol.parts:
                raise UsageError(f"{self._named_task} has no answers to score")
            if "answers" not in self.qrels:
                raise UsageError(f"{self.gold.path} holds no labels to score answers by")
            given = self._expect(self.read(answers), Answers)
            if "documents" in parts and given.tag != submission.tag:
                sentences.append(f"the answers have another run tag: {shortened(given.tag)}")
            parts["answers"] = self._judge("answers", _as_run(given), given.remarks)
        if long_list is not None:
            if not self.protocol.long_list:
                raise UsageError(f"{self._named_task} has no long list")
            longer = self._expect(self.read(long_list), Run)
            judged = parts["long"] = self._judge("documents", longer, jobs=jobs)
            remarks = judged.remarks + Remarks()
            _note(remarks, "extra-query", sorted(judged.extra))
            _note(remarks, "unanswered-query", self._named(~judged.answered))
            ranked = [measure for measure in self.asked or self.on_long_list if measure.ranked]
            clauses = self._clauses(ranked)
            sentences += [f"long list: {sentence}" for sentence in remarks.sentences(clauses)]
        return parts, sentences

    def _judge(self, part: str, run: Run, tolerated: Remarks | None = None, jobs: int = 1) -> Judged:
        """Judge one part, refuse what does not belong to the gold, and note what looks wrong."""
        judged = judge(self.qrels[part], run, self.excluded, jobs)
        noted = judged.remarks + (tolerated or Remarks())
        refuse = self.decisions.no_overlap == "refuse"
        shared = check(judged, self.gold.path, run.path, refuse=refuse)
        if not shared and part == "documents" and judged.retrieved.any():
            noted.add("no-match")
        for written, meant in lost_zeros(judged.extra, self.qrels[part]):
            noted.add("lost-zeros", f"query {written} for {meant}")
        return replace(judged, remarks=noted)

    def _expect(self, submission: Run | Answers, kind: type[_Submission]) -> _Submission:
        if isinstance(submission, kind):
            return submission
        holds, wanted = (
            ("labels, not documents", "documents") if kind is Run else ("documents, not labels", "labels Y or N")
        )
        remedy = f"task {self.task} expects {wanted} here"
        if kind is Run and "answers" in self.protocol.parts:
            remedy += "; the labels go with --answers, are the two swapped?"
        raise InputError(submission.path, f"this submission contains {holds}", remedy=remedy)

    def _measures(self, parts: Mapping[str, Judged], sentences: list[str]) -> list[Measure]:
        """The measures to compute: those asked for, or the official ones that the given parts allow."""
        for measure in self.asked:
            if missing := [part for part in measure.needs if part not in parts]:
                part = missing[0]
                if part in ("documents", "answers") and part not in self.protocol.parts:
                    raise UsageError(f"{measure} needs {part}, which submissions to task {self.task} do not contain")
                raise UsageError(f"{measure} needs {_NEEDED[part]}")
        if self.asked:
            return list(dict.fromkeys(self.asked))
        official = [*self.official, *(self.on_long_list if "long" in parts else ())]
        possible = [measure for measure in official if all(part in parts for part in measure.needs)]
        left_out = [measure.name for measure in official if measure not in possible]
        if left_out:
            needed = _NEEDED["answers"] if "answers" in self.qrels else f"labels, and {self.gold.path} holds none"
            sentence = f"{' and '.join(left_out)} cannot be scored without {needed}"
            if (earlier := without_answers(self.task)) is not None:
                sentence += f"; by the rules up to {earlier.last}, {earlier.ranking} ranks (--edition {earlier.last})"
            sentences.append(sentence)
        return possible

    def _answered(self, parts: Mapping[str, Judged]) -> tuple[BoolArray, BoolArray]:
        """Which queries are answered, and which only in part.

        Where both articles and a label are asked for, a question whose gold names no article needs only the label.
        """
        given = [parts[part].answered for part in self.protocol.parts if part in parts]
        if len(given) == 1:
            return given[0], np.zeros_like(given[0])
        documents, answers = given
        complete = answers & (documents | (parts["documents"].qrels.relevant() == 0))
        return complete, (documents | answers) & ~complete

    def _remarks(self, parts: Mapping[str, Judged], measures: Sequence[Measure]) -> Remarks:
        """What was tolerated in the gold and in the main parts, and what the counts show."""
        remarks = self.gold.remarks + Remarks()
        for part in self.protocol.parts:
            if part in parts:
                remarks += parts[part].remarks
        if "documents" in parts:
            totals = counts(parts["documents"], self.decisions)
            empty = totals.relevant == 0
            if self.task == "rationale":
                _note(remarks, "undefined-f1", self._named(empty & (totals.retrieved == 0)))
                self._note_unknown_claims(remarks, parts["documents"])
            elif self._clauses(measures)["empty-gold"]:
                _note(remarks, "empty-gold", self._named(empty))
            if any(isinstance(measure, Delegated) for measure in measures):
                _note(remarks, "judged-only", self._named(empty & (parts["documents"].qrels.sizes > 0)))
        return remarks

    def _note_unknown_claims(self, remarks: Remarks, judged: Judged) -> None:
        """Remark accepted claims that the gold does not have; its file names all that there are."""
        unknown = judged.retrieved - judged.qrels.sums(judged.rank > 0)
        for query, n in zip(self.queries, unknown.tolist(), strict=True):
            if self.gold.format == tort.FORMAT:
                remarks.add("unknown-claim", f"instance {query}", n=n)

    def _clauses(self, measures: Sequence[Measure]) -> Mapping[str, str]:
        """What was done about a kind of remark in the measures that are computed, and in no others."""
        clauses = self.decisions.clauses({measure.name: measure.follows for measure in measures})
        said = {measure.without_relevant(self.decisions) for measure in measures} - {""}
        # what has a verb of its own goes behind what takes the query for its subject
        return {**clauses, "empty-gold": "; ".join(sorted(said, key=lambda clause: (clause.startswith("in "), clause)))}

    def _sides(self, parts: Mapping[str, Judged]) -> Iterator[str]:
        """What was decided of the sides of a rationale, which have undefined instances of their own."""
        for side in tort.SIDES:
            if side in parts:
                totals = counts(parts[side], self.decisions)
                noted = Remarks()
                _note(noted, "undefined-f1", self._named((totals.relevant == 0) & (totals.retrieved == 0)))
                yield from (f"{side}: {sentence}" for sentence in noted.sentences(self.decisions.clauses()))

    def _upside_down(self, parts: Mapping[str, Judged], measures: Sequence[Measure]) -> Iterator[str]:
        """What to say of rankings that are better reversed; claims have no order."""
        ranked = any(measure.ranked for measure in measures)
        matters = {"documents": ranked and "long" not in parts, "long": True}
        for part in matters if self.task != "rationale" else ():
            skip = self.decisions.unanswered == "skip"
            said = part in parts and upside_down(parts[part], ranks_matter=matters[part], answered_only=skip)
            if said:
                yield f"long list: {said}" if part == "long" else said

    def _named(self, which: BoolArray) -> list[str]:
        return [query for query, given in zip(self.queries, which.tolist(), strict=True) if given]


def _processes(jobs: int | None, submissions: Iterable[Submission]) -> int:
    """How many processes to use, at most as many as were asked for: one is faster where there is little to read."""
    size = sum(part.size for submission in submissions for part in submission if isinstance(part, Source))
    if jobs == 1 or size < _WORTH_A_PROCESS:
        return 1
    from coliee_ir.judging import workers  # loads multiprocessing, which a small run does without

    worth = -(-size // max(_WORTH_A_PROCESS, 1))
    return min(jobs or worth, worth, workers.cores())


def _ids_stand(gold: Gold) -> bool:
    """Whether a gold's ids stand as written: a dictionary's may have been read, and normalised, without the task."""
    documents = (document for judged in (gold.qrels or {}).values() for document in judged)
    return gold.format == "qrels" or any(normal_id(text) != text for text in (*gold.queries, *documents))


def _twins(submissions: Sequence[Submission]) -> list[str | None]:
    """For each submission the file of the first one before it that holds the same bytes in every part."""
    paths = list({part.path: None for one in submissions for part in one if isinstance(part, Source)})
    first_of = {path: first or path for path, first in zip(paths, copies(paths), strict=True)}
    seen: dict[tuple[object, ...], str] = {}
    twins: list[str | None] = []
    for one in submissions:
        content = tuple(first_of[part.path] if isinstance(part, Source) else id(part) for part in one)
        twins.append(seen.get(content))
        if isinstance(one.run, Source):
            seen.setdefault(content, one.run.name)
    return twins


def _with_twin(result: Scores | ColieeError, twin: str | None) -> Scores | ColieeError:
    """Scores that say of which submission they are a copy."""
    if twin is None or not isinstance(result, Scores):
        return result
    return replace(result, remarks=(*result.remarks, f"this submission is identical to {twin}"))


def _paths(**parts: object) -> dict[str, str]:
    """The names of the files that belong to a run."""
    return {name: part.name if isinstance(part, Source) else str(part) for name, part in parts.items() if part}


def _note(remarks: Remarks, kind: str, queries: Sequence[str]) -> None:
    for query in queries:
        remarks.add(kind, query)


def _unjudgeable(queries: Sequence[str]) -> Iterator[str]:
    if queries:
        what = "1 query has" if len(queries) == 1 else f"{len(queries)} queries have"
        shown = "; ".join(map(shortened, queries[:3]))
        yield f"{what} no judged document in the gold; trec_eval's measures leave such out (first: {shown})"


def _as_run(answers: Answers) -> Run:
    """Answers as a run that retrieves Y or N for each query, and nothing where the answer is neither."""
    rankings = {query: [_LABEL[label]] for query, label in answers.labels.items()}
    rankings |= {query: [] for query in answers.unreadable}
    return Run.of(rankings, tag=answers.tag, path=answers.path, format=answers.format)


def _of_side(claims: Run, letter: str) -> Run:
    """The claims of one side."""
    return replace(claims, blocks=partial(_blocks_of_side, claims, letter))


def _blocks_of_side(claims: Run, letter: str) -> Iterator[Columns]:
    for block in claims.blocks():
        for query, first, last in block.segments():
            documents = [claim for claim in block.documents[first:last] if claim.startswith(letter)]
            yield Columns([query], [0, len(documents)], documents)
