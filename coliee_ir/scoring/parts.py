"""The parts of a submission, read and judged; how much they hold; and the measures that they allow.

Submission ──records──▶ part → Run, Answers ──judge_submission──▶ part → Judged
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from coliee_adapters import forms
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.records import Answers, Columns, Run
from coliee_ir.judging.judged import BoolArray, Judged, judge
from coliee_ir.judging.mismatch import diagnose
from coliee_ir.measures import Measure
from coliee_ir.measures.sets import Counts, counts
from coliee_ir.reading.anything import is_long_list
from coliee_ir.reading.basis import IMPLIED, LABEL, Basis
from coliee_ir.reading.submission import Submission, files_of, name_of
from coliee_ir.rules.protocol import Protocol, all_rules, has_coliee_submissions, submission_rules

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: part of a submission → how to give it
NEEDED: Final = {
    "documents": "retrieved documents, which this task does not have",
    "answers": "answers Y or N: give them with --answers FILE",
    "plaintiff": "the pilot's claims: --task rationale",
    "defendant": "the pilot's claims: --task rationale",
}


def _years_with(task: str, fits: Callable[[Protocol], object]) -> str:
    """How to ask for rules of a task that have what others of it lack; nothing where none has."""
    latest = max((rules.last for rules in all_rules(task) if fits(rules)), default=0)
    return f", or take the rules that have it: --edition {latest}" if latest else ""


#: part of a submission → what was read; ``run`` is its first file, whether it holds documents or answers
Records = dict[str, Run | Answers]


def records(submission: Submission, basis: Basis) -> Records:
    """Read the parts of a submission; its runs are read when they are judged."""
    rules = basis.protocol
    _refuse_long_list(submission, basis)
    main = basis.read(submission.run)
    read: Records = {"run": main}
    answers: Any = submission.answers
    own_answers = main.other_parts.get("answers") if "answers" in rules.parts else None
    if "documents" in rules.parts:
        read["documents"] = _checked(main, Run, basis)
        answers = answers or own_answers
    elif answers is not None:
        raise UsageError("unfit-option", f"in task {rules.task} the run itself holds the answers: leave --answers out")
    else:
        answers = own_answers or main
    if answers is not None:
        if "answers" not in rules.parts:
            other = _years_with(rules.task, lambda row: "answers" in row.parts)
            raise UsageError("unfit-option", f"{basis.named_task} has no answers to score: leave --answers out{other}")
        if "answers" not in basis.qrels:
            problem = "holds no labels to score answers by"
            raise UsageError("wrong-part", f"{basis.gold.path} {problem}").with_text_for_others(f"the gold {problem}")
        read["answers"] = _checked(basis.read(answers), Answers, basis)
    read |= {part: main.other_parts[part] for part in rules.others if part in main.other_parts}
    if submission.long_list is not None:
        if not rules.long_list:
            other = _years_with(rules.task, lambda row: row.long_list)
            raise UsageError("unfit-option", f"{basis.named_task} has no long list: leave --long-list out{other}")
        read["long"] = _checked(basis.read(submission.long_list), Run, basis)
    return read


def _refuse_long_list(submission: Submission, basis: Basis) -> None:
    """Refuse a long list, as its file's name says, in the place of an answer set."""
    longer = files_of(submission.long_list)
    if not longer and not (submission.is_cut and _needs_set(basis)):
        return
    if (named := [file for file in files_of(submission.run) if is_long_list(file)]) and not any(
        map(is_long_list, longer)
    ):
        raise _list_as_set("this file is named as a long list", named[0].name, longer[0].name if longer else "")


def _needs_set(basis: Basis) -> bool:
    """Whether a task with long lists is scored by measures of the answer set too."""
    return bool(basis.protocol.long_list) and not (
        basis.asked_measures and all(measure.ranked for measure in basis.asked_measures)
    )


def _list_as_set(problem: str, file: str, other: str) -> InputError:
    """That a long list is given as the answer set; beside another file, or alone."""
    remedy = f"are they swapped? evaluate GOLD {other} --long-list {file}" if other else (
        f"name both: evaluate GOLD SET --long-list {file}; or the measures of a ranking: -m AP, -m MacroF2@5"
    )  # fmt: skip
    return InputError("wrong-part", file, f"{problem}, and is given as the answer set", remedy=remedy)


def _refuse_length(done: JudgedSubmission) -> None:
    """Refuse a long list, as its length says, in the place of an answer set."""
    basis, parts = done.basis, done.parts
    is_set = done.submission.is_cut and "documents" in parts and _needs_set(basis)
    if not is_set or not has_coliee_submissions(basis.task):
        return
    least = submission_rules(basis.task, basis.edition).long_list
    if _is_long(parts["documents"], least):
        other = "" if "long" not in parts or _is_long(parts["long"], least) else done.read["long"].path
        raise _list_as_set(
            f"this run has {least} documents or more for each query that it answers, as a long list",
            done.read["run"].path,
            other,
        )


def _is_long(judged: Judged, least: int) -> bool:
    """Whether a run has at least ``least`` documents for each query that it answers, and the gold for no query."""
    lengths = judged.retrieved[judged.retrieved > 0]
    return bool(lengths.size and lengths.min() >= least > judged.qrels.relevant().max(initial=0))


def _checked(record: Run | Answers, kind: type[Run | Answers], basis: Basis) -> Run | Answers:
    """What was read, unless it holds labels where documents are needed, or the other way round."""
    if isinstance(record, kind):
        return record
    rules, has_labels = basis.protocol, isinstance(record, Answers)
    holds, wanted = ("labels, not documents", "documents") if has_labels else ("documents, not labels", "labels Y or N")
    remedy = f"task {rules.task} expects {wanted} here"
    if both := record.remarks.examples("other-part") if isinstance(record, Answers) else []:
        remedy += f"; to read the documents of this file too, use {both[0]}"
    elif {"documents", "answers"}.issubset(rules.parts):
        remedy += "; are they swapped? evaluate GOLD DOCUMENTS --answers LABELS"
    raise InputError("wrong-part", record.path, f"this submission contains {holds}", remedy=remedy)


def judge_submission(
    submission: Submission, basis: Basis, jobs: int = 1, executor: Executor | None = None
) -> JudgedSubmission:
    """Read and judge each part of a submission, refuse what does not belong to the gold, and note what looks wrong."""
    rules, read = basis.protocol, records(submission, basis)
    parts: dict[str, Judged] = {}
    for part, record in read.items():
        if part == "run":
            continue
        run = record if isinstance(record, Run) else _as_run(record)
        are_documents = part in ("documents", "long")
        at_once = (jobs, executor) if are_documents else (1, None)
        judged = judge(basis.qrels["documents" if are_documents else part], run, basis.excluded, *at_once)
        # articles and claims may be none: the answers beside them count
        is_needed = are_documents and not (rules.claims or basis.gold.labels)
        remarks = judged.remarks + diagnose(
            judged, run, basis.gold.path, refuse=basis.decisions.no_overlap == "refuse", documents=is_needed
        )
        if are_documents and judged.retrieved.any() and not judged.rank.any():
            remarks.add("no-match")
        if isinstance(record, Answers):
            remarks += record.remarks
        parts[part] = replace(judged, remarks=remarks, first=None)
        for side, letter in forms.tort.SIDES.items() if rules.claims and part == "documents" else ():
            claims = replace(run, blocks=partial(_blocks_of_side, run, letter))
            parts[side] = judge(basis.qrels[side], claims, basis.excluded)
    done = JudgedSubmission(submission, read, parts, basis)
    _refuse_length(done)
    return done


def _as_run(answers: Answers) -> Run:
    """Answers as a run that retrieves Y or N for each query, and nothing where the answer is neither."""
    rankings = {query: [LABEL[label]] for query, label in answers.labels.items()}
    rankings |= {query: [] for query in answers.unreadable}
    return Run.of(rankings, tag=answers.tag, path=answers.path, format=answers.format)


def _blocks_of_side(claims: Run, letter: str) -> Iterator[Columns]:
    """The claims of one side."""
    for block in claims.blocks():
        for query, first, last in block.segments():
            documents = [claim for claim in block.documents[first:last] if claim.startswith(letter)]
            yield Columns([query], [0, len(documents)], documents)


@dataclass(frozen=True, eq=False)
class JudgedSubmission:
    """A submission that was read and judged: what is measured, counted and remarked on."""

    submission: Submission
    read: Records
    parts: dict[str, Judged]
    basis: Basis

    @cached_property
    def other_tags(self) -> dict[str, str]:
        """Part → its run tag, where that is not the run's."""
        main, names = self.read["run"], {"answers": "answers", "long": "long list"}
        others = {name: self.read[part].tag for part, name in names.items() if part in self.read}
        return {name: tag for name, tag in others.items() if tag != main.tag}

    @property
    def names(self) -> dict[str, Any]:
        """What it and its parts are called, as fields of ``Scores``."""
        files = tuple(file.name for file in files_of(self.submission.run))
        return {
            "tag": self.submission.name or self.read["run"].tag,
            "file": self.read["run"].path,
            "files": files if len(files) > 1 else (),
            "team": self.submission.team,
            "others": {name: name_of(part) for name, part in self.submission.parts.items() if name != "run"},
            "other_tags": self.other_tags,
        }

    @cached_property
    def main_parts(self) -> list[Judged]:
        """The documents and the answers, as far as there are any."""
        return [self.parts[part] for part in ("documents", "answers") if part in self.parts]

    @cached_property
    def totals(self) -> Counts:
        """The correct, retrieved and relevant documents of each query."""
        return counts(self.main_parts[0], self.basis.decisions)

    @cached_property
    def answered(self) -> BoolArray:
        """Which queries are answered; shape (Q,).

        Where both articles and a label are asked for, a question whose gold names no article needs only the label.
        """
        first, last = self.main_parts[0], self.main_parts[-1]
        needs_no_article: BoolArray = (first.qrels.relevant() == 0) if last is not first else first.answered
        return last.answered & (first.answered | needs_no_article)

    @cached_property
    def in_part(self) -> BoolArray:
        """Which queries lack one of their parts; shape (Q,)."""
        in_part: BoolArray = (self.main_parts[0].answered | self.main_parts[-1].answered) & ~self.answered
        return in_part

    @cached_property
    def extra(self) -> list[str]:
        """The queries of the run that the gold does not have."""
        return sorted({query for part in self.main_parts for query in part.extra})

    @cached_property
    def measures(self) -> list[Measure]:
        """The measures to compute: those that are asked for, or the official ones that the parts allow."""
        asked, parts = self.basis.asked_measures, self.parts
        for measure in asked:
            for part in measure.needs:
                if part not in parts:
                    raise self._lacks(measure, part)
        return list(asked) or [measure for measure in self._official if all(part in parts for part in measure.needs)]

    def _lacks(self, measure: Measure, part: str) -> UsageError:
        """That a measure needs a part that is not given, or that the task does not have."""
        rules = self.basis.protocol
        if part in IMPLIED or part in rules.parts:
            needed = NEEDED.get(part, f"{part}, which this submission does not hold")
            return UsageError("unfit-measure", f"{measure} needs {needed}")
        problem = f"{measure} needs {part}, which submissions to task {rules.task} do not contain"
        if measure.name.startswith("Accuracy@"):  # of BEIR and sentence-transformers
            problem += f"; the share of queries with a hit is {measure.name.replace('Accuracy', 'Success')}"
        return UsageError("unfit-measure", problem)

    @property
    def left_out(self) -> list[str]:
        """The official measures that cannot be computed, where none was asked for."""
        left_out = () if self.basis.asked_measures else self._official
        return [measure.name for measure in left_out if measure not in self.measures]

    @cached_property
    def _official(self) -> list[Measure]:
        on_long_list = self.basis.on_long_list if "long" in self.parts else ()
        return list(dict.fromkeys((*self.basis.official, *on_long_list)))
