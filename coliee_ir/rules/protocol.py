"""The rules of tasks as data: which measures an edition reports, which one ranks, how ties are broken.

They are in protocol files, one a task family: those of COLIEE in the folder ``protocols``, which can be checked
against the organisers' pages line by line, and anybody's own. A file is read when its task is asked for. To add next
year's edition, raise ``NEWEST``; where its rules change, end an ``[[edition]]`` with the last year before and add one.
"""

from __future__ import annotations

import datetime
import functools
import os
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard, TypeVar, overload

from coliee_adapters.checked import suggesting_keywords
from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.layouts import Layout
from coliee_adapters.remarks import Remark
from coliee_ir.rules import ALWAYS, schema
from coliee_ir.rules.choices import TASKS

if TYPE_CHECKING:
    from coliee_adapters.files.source import PathLike

#: The newest edition of COLIEE. Rules in its files that do not end hold up to it; the next begins by raising it.
NEWEST = 2026

#: how many years behind it are scored by its rules, which is said; a later one is a typing error
_AHEAD: Final = 2

#: The tasks that have numbers, as a regular expression: how files and folders are named after them.
NUMBERED: Final = f"(?:{'|'.join(filter(str.isdecimal, TASKS))})"

_FILES: Final = Path(__file__).parent / "protocols"

#: The protocols of other shared tasks, likewise.
_NEIGHBOURS: Final = _FILES / "neighbours"


class Protocol(NamedTuple):
    """The rules of one task over a span of editions.

    Attributes:
        parts: what a submission consists of: ``documents``, ``answers``.
        measures: the official measures; the first one ranks.
        tie_break: the measures that order runs of equal rank, in turn; empty where the organisers name none.
        long_list: the official measures on a separate ranked list, where the task has one.
        law: ``case``, ``statute`` or ``tort`` law (the pilot); empty for what is not COLIEE's.
        claims: whether its documents are the claims of two sides, which have no order.
        exact_ids: whether ids are compared as they are written, and may have commas.
        cases_as_queries: whether its queries are documents, which other queries can retrieve.
        level: the lowest relevance that counts as relevant, as ``-l`` of trec_eval; gains stay as they are judged.
        not_itself: whether a query is taken out of its own results.
        scores: name → formula of a score over several measures.
        decisions: field of ``Decisions`` → the choice of these rules, where it is not the default.
        table: heading → column of the organisers' own table, in their order; empty where none is known.
        gold, run: how a gold, or a run, is written; None for any known format.
    """

    task: str
    first: int
    last: int
    title: str
    parts: tuple[str, ...]
    measures: tuple[str, ...]
    source: str
    tie_break: tuple[str, ...] = ()
    long_list: tuple[str, ...] = ()
    law: str = ""
    claims: bool = False
    exact_ids: bool = False
    cases_as_queries: bool = False
    level: int = 1
    not_itself: bool = False
    exclude: tuple[str, ...] = ()
    scores: Mapping[str, str] = {}
    decisions: Mapping[str, Any] = {}
    table: Mapping[str, str] = {}
    decimals: int = 4
    gold: Layout | None = None
    run: Layout | None = None
    file: str = ""

    @property
    def is_coliee(self) -> bool:
        """Whether it is one of COLIEE's tasks, whose submissions have rules of their own."""
        return bool(self.law)

    @property
    def newest(self) -> int | None:
        """The edition that is meant when none is named; None for a task without editions."""
        return None if self.last == ALWAYS else self.last

    @property
    def own_file(self) -> str:
        """The protocol file, if it is not part of the package."""
        return "" if not self.file or _FILES in Path(self.file).parents else self.file

    def titled(self, edition: int | None) -> str:
        """The task in an edition, as a title."""
        year = "" if edition is None else f" {edition}"
        if self.law or self.task in TASKS:
            return f"COLIEE{year}, Task {self.task}: {self.title}"
        return f"{self.title}{year}"

    @property
    def pilot(self) -> bool:
        """Whether the task is one of the pilot, whose submissions repeat the organisers' file."""
        return self.law == "tort"

    @property
    def ranked(self) -> bool:
        """Whether a submission holds documents whose order means something."""
        return "documents" in self.parts and not self.claims

    @property
    def answered(self) -> bool:
        """Whether a submission holds answers."""
        return "answers" in self.parts

    @property
    def ranked_and_answered(self) -> bool:
        """Whether it holds both."""
        return self.ranked and self.answered

    @property
    def others(self) -> tuple[str, ...]:
        """The parts beside documents and answers, which only a protocol file can name."""
        return tuple(part for part in self.parts if part not in ("documents", "answers"))

    @property
    def ranking(self) -> str:
        """The measure that ranks."""
        return self.measures[0]


#: how many letters and digits a run tag may have
TAG_LENGTH = 12


class Authority(StrEnum):
    """Who states a rule for submissions."""

    PAGE = "organisers' page, submissions"
    EVALUATION = "organisers' page, evaluation"
    PILOT = "organisers' pilot page"
    OVERVIEW_2021 = "COLIEE 2021 overview paper"
    README = "organisers' data README"
    OURS = "this project"
    PROTOCOL = "protocol file"


class SubmissionRules(NamedTuple):
    """How a submission to one task must look, over a span of editions."""

    task: str  # the task
    first: int  # the first edition (year) of these rules
    last: int  # the last one
    source: str  # who states these rules; of COLIEE's an ``Authority``
    columns: tuple[str, ...] = ()  # the columns of a line of documents; empty where documents are not given in columns
    query_digits: int = 0  # how many digits the ids of queries have at least; 0 where they are no plain numbers
    document_digits: int = 0  # how many digits the ids of documents have; 0 where they are no plain numbers
    most_runs: int | None = None  # how many runs a team may send; None where no number is known
    runs_source: str = Authority.PAGE  # who states that number
    runs_stated: bool = True  # whether it is stated for this task in these editions, or taken over from another
    long_list: int = 0  # how many documents a query has in the long list; 0 where the task has none
    tag_length: int = TAG_LENGTH  # how many letters and digits a run tag may have
    query_pattern: str = ""  # the regular expression of the ids of queries; empty where they may be anything
    document_pattern: str = ""  # that of the ids of documents
    most_documents: int | None = None  # how many documents a query may have; None where no number is known

    @property
    def form(self) -> str:
        """What ``coliee-ir convert`` calls the form of documents in these columns; empty where there are none.

        Rankings for tasks that are not COLIEE's are written in that of TREC, which is read beside the protocol's own.
        """
        if not self.columns and self.protocol.ranked and not self.protocol.is_coliee:
            return "trec"
        return {0: "", 3: "columns", 6: "trec"}[len(self.columns)]

    @property
    def protocol(self) -> Protocol:
        """How these submissions are scored; in the newest edition, where they are the same in all."""
        return protocol(self.task, self.first or None)


def tag_fault(tag: str, longest: int = TAG_LENGTH) -> str:
    """What the organisers' rules have against a run tag; empty if nothing.

    >>> tag_fault("bm25_default")
    'a run tag is at most 12 letters and digits'
    """
    if re.fullmatch("[A-Za-z0-9]+", tag) and len(tag) <= longest:
        return ""
    return f"a run tag is at most {longest} letters and digits"


#: How the organisers name the file of a long list: ``task3-L.TAG``.
LONG_LIST_FILE = r"(?i)task3-l(?![a-z])"

#: How the form of the system description names the tasks; the pilot's two are one there.
DESCRIBED_TASKS = ("1", "2", "3", "4", "pilot")


class FoundTask(NamedTuple):
    """The task that files belong to, and what shows it; that is empty where the task was named."""

    task: str
    evidence: str


#: the signs by which the task of files is known, where it is not named
TASK_SIGNS: Final = {
    "answers-beside": FoundTask("3", "answers are given beside the run"),
    "labels-only": FoundTask("4", "the gold holds labels only"),
    "statute-labels": FoundTask("4", "the gold is statute law and the run holds labels"),
    "statute-articles": FoundTask("3", "the gold is statute law and the run holds articles"),
    "statute-no-labels": FoundTask("3", "the gold is statute law without labels"),
    "statute-ids": FoundTask("3", "the gold's queries are statute questions"),
    "paragraphs": FoundTask("2", "the gold's documents are paragraph numbers"),
    "cases": FoundTask("1", "the gold's documents are case numbers"),
    "qrels": FoundTask("trec", "the gold is qrels"),
    "graded": FoundTask("trec", "the gold has other relevances than 1"),
    "other-ids": FoundTask("trec", "the gold's ids are not those of a COLIEE task"),
    "no-decisions": FoundTask("rationale", "the gold has claims and no decisions"),
    "no-claims": FoundTask("tort", "the gold has decisions and no claims"),
    "nothing-decided": FoundTask("rationale", "the submission decides nothing"),
    "decisions": FoundTask("tort", "the files hold decisions; --task rationale scores the claims"),
}


def model_limit(task: str, edition: int | None = None) -> datetime.date | None:
    """The date before which models of a task must have been updated last, in an edition, by default the newest known.

    None where the organisers name no date. ``task`` may be any that the form of the system description names.
    """
    dates = _family(task).models_before if task in TASKS else {}
    return dates.get(max(dates, default=0) if edition is None else edition)


def described_task(task: str) -> str:
    """How the form of the system description names a task.

    >>> described_task("3"), described_task("tort")
    ('3', 'pilot')
    """
    return "pilot" if task in ("tort", "rationale") else task


class Family(NamedTuple):
    """The rules of one task over all its editions."""

    rules: tuple[Protocol, ...]  # how it is scored, a row for each span of editions
    submissions: tuple[SubmissionRules, ...]  # how submissions must look, likewise; empty where nothing is known
    # edition → the date before which models must have been updated last; None where there is none
    models_before: Mapping[int, datetime.date | None]

    def with_all_dates(self) -> Family:
        """The same, where a rule that has dates has one for each edition from its first on."""
        years = {year for row in self.rules if row.last != ALWAYS for year in range(row.first, row.last + 1)}
        for year in sorted(years - self.models_before.keys()):
            if year > min(self.models_before, default=ALWAYS):
                raise InputError(
                    "protocol",
                    self.rules[0].file,
                    f"models_before: there is no date for {year}",
                    remedy=f"add {year} = {year - 1}-07-15 with its date, or {year} = false if there is none",
                )
        return self


def _family_of(path: PathLike) -> Family:
    """The rules that a protocol file states."""
    return Family(*schema.read(path, NEWEST, Protocol, SubmissionRules))


@functools.cache
def _family_of_package(task: str) -> Family:
    return _family_of(_FILES / f"{task}.toml").with_all_dates()


#: the protocol files that were named, by the task that they are for
protocols_by_name: Final[dict[str, Family]] = {}


def _family(task: str) -> Family:
    """The rules of a task: those of a file that was named come before those of the package."""
    return protocols_by_name[task] if task in protocols_by_name else _family_of_package(task)


def use_protocol_file(path: PathLike) -> str:
    """Read a protocol file, or one of the package by its name, and take its rules from now on; the name of its task.

    A file for a task of the package adds editions to it, or replaces those that it states anew.
    """
    text = os.fspath(path)
    if text in TASKS:
        return text
    if text in neighbours():
        path = _NEIGHBOURS / f"{text}.toml"
    elif not text.endswith(".toml"):
        raise UsageError(
            "protocol",
            f"there is no protocol {text!r}; there are {', '.join((*TASKS, *neighbours()))}, and files NAME.toml",
        )
    own = _family_of(path)
    task = own.rules[0].task
    other = protocols_by_name.get(task, own)
    rules, others = ([row._replace(file="") for row in family.rules] for family in (own, other))
    if other.rules[0].file != own.rules[0].file and (rules, own[1:]) != (others, other[1:]):
        raise InputError(
            "protocol",
            text,
            f"task: {other.rules[0].file} was named before and states the rules of this task too",
            found=task,
            remedy="give the task of one of them another name",
        )
    if own.rules[0].law and task not in TASKS:
        raise InputError(
            "protocol",
            own.rules[0].file,
            "law: only COLIEE's own tasks have one",
            found=own.rules[0].law,
            remedy="leave it out",
        )
    if task in TASKS:
        of_package = _family_of_package(task)
        own = Family(
            (*own.rules, *of_package.rules),
            (*own.submissions, *of_package.submissions),
            {**of_package.models_before, **own.models_before},
        )
    elif not own.submissions:
        own = own._replace(submissions=(SubmissionRules(task, 0, ALWAYS, own.rules[0].file),))
    protocols_by_name[task] = own.with_all_dates()
    return task


def neighbours() -> tuple[str, ...]:
    """The names of the protocols of other shared tasks that are part of the package."""
    return tuple(sorted(path.stem for path in _NEIGHBOURS.glob("*.toml")))


#: the rules of all tasks of the package; those for submissions
PROTOCOLS: tuple[Protocol, ...]
SUBMISSION_RULES: tuple[SubmissionRules, ...]


def __getattr__(name: str) -> Any:
    """The two tables above, which are read when they are asked for."""
    if name not in ("PROTOCOLS", "SUBMISSION_RULES"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return tuple(
        row for family in map(_family, TASKS) for row in (family.rules if name == "PROTOCOLS" else family.submissions)
    )


@overload
def task_name(task: None) -> None: ...
@overload
def task_name(task: str | int) -> str: ...
def task_name(task: str | int | None) -> str | None:
    """A task by its name, or by its protocol file; None stays None. All public functions that take a task read it here.

    >>> task_name(1), task_name("trec")
    ('1', 'trec')
    """
    if task is None:
        return None
    name = str(task) if type(task) is int else task
    if isinstance(name, str):
        if name in TASKS or name in protocols_by_name:
            return name
        if name.endswith(".toml") or name in neighbours():
            return use_protocol_file(name)
    raise UsageError("unknown-task", f"there is no task {task!r}; the tasks are {', '.join(TASKS)}")


def edition_year(edition: str | int | None) -> int | None:
    """An edition as a year; None stays None. Every public function that takes an edition reads it here.

    >>> edition_year("2021")
    2021
    """
    if edition is None or type(edition) is int or (isinstance(edition, str) and re.fullmatch("[0-9]{1,4}", edition)):
        if edition is not None and int(edition) > NEWEST + _AHEAD:
            raise UsageError(
                "unknown-edition",
                f"no rules of {edition} can be known; the newest are those of {NEWEST}: is the year mistyped?",
            )
        return None if edition is None else int(edition)
    spans = [(row.first, row.last) for task in TASKS for row in _family(task).rules if row.last != ALWAYS]
    years = [year for span in spans for year in span]
    raise UsageError(
        "unknown-edition", f"the edition must be a year from {min(years)} to {max(years)}, not {edition!r}"
    )


_Row = TypeVar("_Row", Protocol, SubmissionRules)


def _of_year(rows: Sequence[_Row], year: int | None) -> _Row | None:
    """The row of a year; the newest by default, and for years behind the newest edition where its task goes on."""
    newest = max(rows, key=lambda row: row.last)
    if year is None or year > newest.last >= NEWEST:
        return newest
    return next((row for row in rows if row.first <= year <= row.last), None)


def known_edition(rules: Protocol, edition: str | int | None) -> tuple[int | None, Remark | None]:
    """The edition whose rules these are, and where a later one was asked for, a remark that says so."""
    year = edition_year(edition)
    if year is None or rules.newest is None or year <= rules.newest:
        return rules.newest if year is None else year, None
    return rules.newest, Remark.of("newest-rules", year=year, newest=rules.newest)


def submission_rules(task: str | int, edition: str | int | None = None) -> SubmissionRules:
    """How a submission to a task must look in an edition, by default the newest.

    >>> submission_rules("3").columns
    ('QUERY', 'Q0', 'DOCUMENT', 'RANK', 'SCORE', 'TAG')
    """
    rows, year = _family(task_name(task)).submissions, edition_year(edition)
    if not rows:
        with_submissions = ", ".join(name for name in TASKS if _family(name).submissions)
        raise UsageError(
            "unknown-task", f"no submission rules are known for task {task!r}; they are known for {with_submissions}"
        )
    if (row := _of_year(rows, year)) is not None:
        return row
    raise UsageError("unknown-edition", f"task {task} has no rules for submissions of {edition}")


@suggesting_keywords()
def protocol(task: str | int, edition: str | int | None = None) -> Protocol:
    """The rules of a task in an edition, by default the newest; those of the newest also for a year behind it.

    >>> protocol("3").ranking, protocol("3", 2025).ranking
    ('Accuracy', 'MacroF2')

    Raises:
        UsageError: there is no such task, or the task had no such edition.
    """
    rows = _family(task_name(task)).rules
    if (row := _of_year(rows, edition_year(edition))) is not None:
        return row
    spans = ", ".join(str(r.first) if r.first == r.last else f"{r.first}–{r.last}" for r in rows)
    raise UsageError("unknown-edition", f"task {task} has no rules for {edition}; they are known for {spans}")


def all_rules(task: str) -> tuple[Protocol, ...]:
    """The rules of a task, a row for each span of editions."""
    return _family(task).rules


def has_submissions(task: str | None) -> TypeGuard[str]:
    """Whether there are rules for submissions to a task: there are none where it is not known, or not COLIEE's."""
    return task is not None and bool(_family(task).submissions)


def has_coliee_submissions(task: str | None) -> TypeGuard[str]:
    """Whether they are COLIEE's."""
    return has_submissions(task) and protocol(task).is_coliee


def has_exact_ids(task: str | None) -> bool:
    """Whether ids of a task are compared as written: so where there is none (""), and not where it is unknown."""
    return task == "" or (task is not None and protocol(task).exact_ids)


def without_answers(task: str) -> Protocol | None:
    """The newest rules of a task by which documents alone are scored, if there are any."""
    return max(
        [row for row in _family(task).rules if "answers" not in row.parts], key=lambda row: row.last, default=None
    )
