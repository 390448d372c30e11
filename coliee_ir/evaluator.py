"""Evaluation: a gold prepared once, runs judged by it, measures computed by the rules of a task's edition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Final, NamedTuple, TypeVar

import numpy as np

from coliee_adapters import frames, tort
from coliee_adapters.errors import ColieeError, InputError, UsageError, printable
from coliee_adapters.files import Source
from coliee_adapters.ids import Ids
from coliee_adapters.lines import counted
from coliee_adapters.records import Answers, Columns, Gold, Run, normal_id
from coliee_adapters.remarks import Remarks
from coliee_ir.decisions import Decisions
from coliee_ir.judged import BoolArray, Judged, judge
from coliee_ir.measures import Delegated, Measure, compute, parse
from coliee_ir.measures.sets import Macro, counts
from coliee_ir.mismatch import check, lost_zeros
from coliee_ir.protocol import newest_edition, protocol, without_answers
from coliee_ir.qrels import Qrels
from coliee_ir.reading import find_task, opened, opened_if_possible, read_gold, read_run
from coliee_ir.scores import Scores, Timing

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


def evaluate(
    gold: object,
    run: object,
    *,
    task: str | int | None = None,
    edition: int | None = None,
    measures: str | Sequence[str] = (),
    answers: object = None,
    long_list: object = None,
    exclude: str | Iterable[str] = (),
    decisions: Decisions | None = None,
) -> Scores:
    """Score one run.

    Args:
        gold: what ``read_gold`` takes: a path, a dictionary, a frame, …
        run: what ``read_run`` takes.
        task: ``1`` … ``5``, ``tort``, ``rationale`` or ``trec``; by default it is found from the two.
        edition: the year whose rules count; by default the newest of the task.
        measures: names of measures; by default the official ones, the ranking one first.
        answers: the answers Y or N that belong to the run, in Task 3 from 2026 on.
        long_list: the ranked list that belongs to the run, in Task 3 up to 2025; measures that look at ranks read it.
        exclude: queries to leave out, where not all of the gold were scored.
        decisions: the choices where the organisers leave it open.

    Raises:
        InputError: a file cannot be read, or gold and run do not belong together.
        UsageError: a task, an edition, a measure or an option that does not exist or does not fit.

    >>> scores = evaluate({"001": ["013", "020"], "002": ["007"]}, {"001": ["013", "018"]}, task="2")
    >>> scores.measures
    {'MicroF1': 0.4, 'MicroP': 0.5, 'MicroR': 0.3333333333333333}
    >>> scores.header()
    '2 judged, 1 answered, 1 unanswered, 0 unjudged ignored'
    """
    run = opened(run)
    task = None if task is None else str(task)
    record = read_gold(gold, task=task)
    task = task or ("3" if answers is not None else find_task(record, run).task)
    evaluator = Evaluator(record, measures, task=task, edition=edition, exclude=exclude, decisions=decisions)
    return evaluator.evaluate(run, answers=answers, long_list=long_list)


class Submission(NamedTuple):
    """What a team hands in: the run, and in Task 3 what belongs to it. Each is what ``read_run`` takes."""

    run: object
    answers: object = None
    long_list: object = None


class Evaluator:
    """A gold prepared once, to score many runs by the same rules.

    Args:
        gold: what ``read_gold`` takes.
        measures: names of measures; by default the official ones.
        task: the task; by default it is found from the gold.
        edition: the year whose rules count; by default the newest of the task.
        exclude: queries to leave out.
        decisions: the choices where the organisers leave it open.
        documents: the documents' ids, where runs are given as arrays of indices.

    Raises:
        InputError: the gold cannot be read.
        UsageError: a task, an edition, a measure that does not exist, or that the gold cannot serve; a query to
            exclude that is not in the gold.
    """

    def __init__(
        self,
        gold: object,
        measures: str | Sequence[str] = (),
        *,
        task: str | int | None = None,
        edition: int | None = None,
        exclude: str | Iterable[str] = (),
        decisions: Decisions | None = None,
        documents: Sequence[str] | None = None,
    ) -> None:
        task = None if task is None else str(task)
        measures = [measures] if isinstance(measures, str) else measures
        exclude = [exclude] if isinstance(exclude, str) else exclude
        self.documents = None if documents is None else Ids.of(documents)
        self.gold = read_gold(gold, task=task)
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
        known = self.gold.queries
        self.excluded = frozenset(query if query in known else normal_id(query) for query in exclude)
        if unknown := sorted(self.excluded.difference(known)):
            raise UsageError(
                f"{counted(len(unknown), 'id')} to exclude cannot be found in {self.gold.path}: "
                f"{', '.join(unknown[:3])}; there is no file of that name either"
            )
        self.queries = tuple(query for query in known if query not in self.excluded)
        if not self.queries:
            raise UsageError(f"no query of {self.gold.path} is left to score")
        self.qrels = {part: Qrels(judgements) for part, judgements in self._judgements().items()}

    def _check_gold(self) -> None:
        """Refuse a gold that is plainly of another task than the one asked for."""
        if self.gold.task in ("1", "2") and self.task != self.gold.task:
            raise UsageError(f"{self.gold.path} says that it is of task {self.gold.task}, not {self.task}")
        pilot = self.task in ("tort", "rationale")
        if self.gold.format != "memory" and pilot != (self.gold.format == "tort"):
            raise UsageError(
                f"{self.gold.path} is {'no' if pilot else 'the'} gold of the pilot; the task is {self.task}"
            )

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
        run: object,
        *,
        answers: object = None,
        long_list: object = None,
        jobs: int = 1,
        keep_judged: bool = False,
    ) -> Scores:
        """Score one run.

        Args:
            run: what ``read_run`` takes; or, where documents were named at the beginning, three NumPy arrays of equal
                length: query indices into ``queries``, document indices, scores.
            answers: the answers that belong to it, in Task 3 from 2026 on.
            long_list: the ranked list that belongs to it, in Task 3 up to 2025.
            jobs: how many processes may read it.
            keep_judged: whether the scores keep the judged parts, for what looks at single documents.

        Raises:
            InputError: a file cannot be read, or gold and run do not belong together.
            UsageError: an asked measure needs a part that is not given; a part is given that the task has not.
        """
        start = perf_counter()
        submission = self._submission(run)
        parts, sentences = self._judge_parts(submission, answers, long_list, jobs)
        measures = self._measures(parts, sentences)
        judged = perf_counter()
        results = dict(zip(measures, compute(measures, parts, self.decisions), strict=True))
        measured = perf_counter()
        main = parts[self.protocol.parts[0]]
        totals = counts(main, self.decisions)
        answered, in_part = self._answered(parts)
        foreign = sorted({query for part in self.protocol.parts if part in parts for query in parts[part].foreign})
        remarks = self._remarks(parts, measures)
        sentences += self._sides(parts)
        if self.gold.path == submission.path and submission.format != "memory":
            sentences.append("this is the gold itself")
        _note(remarks, "unjudged-query", foreign)
        _note(remarks, "unanswered-query", self._named(~answered & ~in_part))
        _note(remarks, "partial-answers", self._named(in_part))
        if self.task != "rationale":
            silent = answered & (main.retrieved == 0) & (main.qrels.relevant() > 0)
            _note(remarks, "nothing-retrieved", self._named(silent))
        if any(isinstance(measure, Delegated) for measure in measures):
            sentences += _unjudgeable(self._named(main.qrels.sizes == 0))
        topic_wise = any(isinstance(measure, Macro) for measure in measures)
        told = [*remarks.sentences(self.decisions.clauses(topic_wise=topic_wise)), *sentences]
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
                "retrieved": int(totals.retrieved.sum()) + totals.foreign,
                "relevant": int(totals.relevant.sum()),
            },
            unjudged=len(foreign),
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
            jobs: how many processes; by default as many as there are processors.
            keep_judged: as for ``evaluate``.

        Yields:
            For each run in turn its scores, or the error that it met.

        Raises:
            WorkerError: a process was killed.
        """
        given = [Submission(*map(opened_if_possible, submission)) for submission in submissions]
        sizes = [sum(part.size for part in submission if isinstance(part, Source)) for submission in given]
        if jobs == 1 or sum(sizes) < _WORTH_A_PROCESS:
            jobs = 1
        else:
            from coliee_ir import workers  # loads multiprocessing, which a small run does without

            jobs = jobs or workers.cores()
        if jobs > 1 and len(given) > 1:
            tasks = [
                partial(self.evaluate, s.run, answers=s.answers, long_list=s.long_list, keep_judged=keep_judged)
                for s in given
            ]
            yield from workers.results(tasks, jobs)
            return
        for s in given:
            try:
                yield self.evaluate(s.run, answers=s.answers, long_list=s.long_list, jobs=jobs, keep_judged=keep_judged)
            except ColieeError as error:
                yield error

    def _submission(self, run: object) -> Run | Answers:
        if isinstance(run, tuple) and len(run) == 3 and all(isinstance(part, np.ndarray) for part in run):
            if self.documents is None:
                raise UsageError("arrays of indices need the documents' ids: Evaluator(…, documents=ids)")
            return frames.run_of_arrays(*run, queries=self.queries, documents=self.documents)
        return read_run(run, task=self.read_as)

    def _judge_parts(
        self, submission: Run | Answers, answers: object, long_list: object, jobs: int
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
                raise UsageError(f"task {self.task} of {self.edition} has no answers to score")
            if "answers" not in self.qrels:
                raise UsageError(f"{self.gold.path} holds no labels to score answers by")
            given = self._expect(read_run(answers, task=self.read_as), Answers)
            if "documents" in parts and given.tag != submission.tag:
                sentences.append(f"the answers have another run tag: {given.tag}")
            parts["answers"] = self._judge("answers", _as_run(given), given.remarks)
        if long_list is not None:
            if not self.protocol.long_list:
                raise UsageError(f"task {self.task} of {self.edition} has no long list")
            longer = self._expect(read_run(long_list, task=self.read_as), Run)
            judged = parts["long"] = self._judge("documents", longer, jobs=jobs)
            remarks = judged.remarks + Remarks()
            _note(remarks, "unjudged-query", sorted(judged.foreign))
            _note(remarks, "unanswered-query", self._named(~judged.answered))
            sentences += [f"long list: {sentence}" for sentence in remarks.sentences(self.decisions.clauses())]
        return parts, sentences

    def _judge(self, part: str, run: Run, tolerated: Remarks | None = None, jobs: int = 1) -> Judged:
        """Judge one part, refuse what does not belong to the gold, and note what looks wrong."""
        judged = judge(self.qrels[part], run, self.excluded, jobs)
        noted = judged.remarks + (tolerated or Remarks())
        if not check(judged, self.gold.path, run.path) and judged.retrieved.any() and part == "documents":
            noted.add("no-match")
        for written, meant in lost_zeros(judged.foreign, self.qrels[part]):
            noted.add("lost-zeros", f"query {written} for {meant}")
        return replace(judged, remarks=noted)

    def _expect(self, submission: Run | Answers, kind: type[_Submission]) -> _Submission:
        if isinstance(submission, kind):
            return submission
        holds, wanted = ("labels", "documents") if kind is Run else ("documents", "labels Y or N")
        remedy = f"task {self.task} expects {wanted} here"
        if kind is Run and "answers" in self.protocol.parts:
            remedy += "; the labels go with --answers, are the two swapped?"
        raise InputError(submission.path, f"this submission holds {holds}", remedy=remedy)

    def _measures(self, parts: Mapping[str, Judged], sentences: list[str]) -> list[Measure]:
        """The measures to compute: those asked for, or the official ones that the given parts allow."""
        for measure in self.asked:
            if missing := [part for part in measure.needs if part not in parts]:
                part = missing[0]
                if part in ("documents", "answers") and part not in self.protocol.parts:
                    raise UsageError(f"{measure} needs {part}, which a submission to task {self.task} has not")
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
            elif any(isinstance(measure, Macro) for measure in measures):
                _note(remarks, "empty-gold", self._named(empty))
        return remarks

    def _sides(self, parts: Mapping[str, Judged]) -> Iterator[str]:
        """What was decided of the sides of a rationale, which have undefined instances of their own."""
        for side in tort.SIDES:
            if side in parts:
                totals = counts(parts[side], self.decisions)
                noted = Remarks()
                _note(noted, "undefined-f1", self._named((totals.relevant == 0) & (totals.retrieved == 0)))
                yield from (f"{side}: {sentence}" for sentence in noted.sentences(self.decisions.clauses()))

    def _named(self, which: BoolArray) -> list[str]:
        return [query for query, given in zip(self.queries, which.tolist(), strict=True) if given]


def _ids_stand(gold: Gold) -> bool:
    """Whether a gold's ids stand as written: a dictionary's may have been read, and normalised, without the task."""
    documents = (document for judged in (gold.qrels or {}).values() for document in judged)
    return gold.format == "qrels" or any(normal_id(text) != text for text in (*gold.queries, *documents))


def _paths(**parts: object) -> dict[str, str]:
    """The names of the files that belong to a run."""
    return {name: part.name if isinstance(part, Source) else str(part) for name, part in parts.items() if part}


def _note(remarks: Remarks, kind: str, queries: Sequence[str]) -> None:
    for query in queries:
        remarks.add(kind, query)


def _unjudgeable(queries: Sequence[str]) -> Iterator[str]:
    if queries:
        what = "1 query has" if len(queries) == 1 else f"{len(queries)} queries have"
        shown = "; ".join(map(printable, queries[:3]))
        yield f"{what} no judged document in the gold; trec_eval's measures leave such out (first: {shown})"


def _as_run(answers: Answers) -> Run:
    """Answers as a run that retrieves Y or N for each query."""
    rankings = {query: [_LABEL[label]] for query, label in answers.labels.items()}
    return Run.of(rankings, tag=answers.tag, path=answers.path, format=answers.format)


def _of_side(claims: Run, letter: str) -> Run:
    """The claims of one side."""

    def blocks() -> Iterator[Columns]:
        for block in claims.blocks():
            for query, first, last in block.segments():
                documents = [claim for claim in block.documents[first:last] if claim.startswith(letter)]
                yield Columns([query], [0, len(documents)], documents)

    return replace(claims, blocks=blocks)
