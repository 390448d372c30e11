"""COLIEE's rules as data: which measures an edition's task reports, which one ranks, how ties are broken.

The only place that knows about editions. To add next year's, raise ``NEWEST``; where its rules change, end a row of
``PROTOCOLS`` with the last year before and add one. The table can be checked against the organisers' page line by line.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeGuard, overload

from coliee_adapters.errors import UsageError

#: The first year of the eras that statute questions count in: ``H18`` is the eighteenth year of Heisei.
ERAS: Final = {"H": 1989, "R": 2019}

#: The newest edition. Rows that end with it hold until they are ended: the next edition begins by raising it.
NEWEST = 2026

_ALWAYS = 9999

_PAGE = "organisers' page of the edition, section on evaluation"


@dataclass(frozen=True, slots=True)
class Protocol:
    """The rules of one task over a span of editions.

    Attributes:
        task: ``1`` … ``5``, ``tort``, ``rationale`` or ``trec``.
        first: the first edition (year) of these rules.
        last: the last one.
        title: what the task asks for.
        parts: what a submission consists of: ``documents``, ``answers``.
        measures: the official measures; the first one ranks.
        tie_break: the measures that order runs of equal rank, in turn; empty where the organisers name none.
        long_list: the official measures on a separate ranked list, where the task has one.
        source: where the rules are stated.
        law: ``case``, ``statute`` or ``tort`` law (the pilot); empty for what is not COLIEE's.
        claims: whether its documents are the claims of two sides, which have no order.
        exact_ids: whether ids are compared as they are written, and may have commas.
        cases_as_queries: whether its queries are documents, which other queries can retrieve.
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

    @property
    def pilot(self) -> bool:
        """Whether the task is one of the pilot, whose submissions repeat the organisers' file."""
        return self.law == "tort"

    @property
    def ranked(self) -> bool:
        """Whether a submission holds documents whose order means something."""
        return "documents" in self.parts and not self.claims

    @property
    def ranking(self) -> str:
        """The measure that ranks."""
        return self.measures[0]


_MICRO = ("MicroF1", "MicroP", "MicroR")
_MACRO = ("MacroF2", "MacroP", "MacroR")

# one row a span of editions, to be read against the organisers' pages
# fmt: off
PROTOCOLS: tuple[Protocol, ...] = (
    Protocol(
        "1",
        2018,
        NEWEST,
        "case-law retrieval",
        ("documents",),
        _MICRO,
        f"{_PAGE}; micro-averaging confirmed by the official tables of 2024 and 2026",
        law="case",
        cases_as_queries=True,
    ),
    Protocol(
        "2",
        2018,
        NEWEST,
        "case-law entailment",
        ("documents",),
        _MICRO,
        f"{_PAGE}; micro-averaging confirmed by the official tables of 2023, 2024 and 2026",
        law="case",
    ),
    Protocol(
        "3",
        2014,
        2025,
        "statute retrieval",
        ("documents",),
        _MACRO,
        "COLIEE 2021 overview paper: macro averages, F2 is the mean of the questions' F2; MAP and recall at 5, 10, "
        "30 on a separate long list, the recalls micro-averaged (tables of 2021 and 2023)",
        long_list=("AP", "Rprec", "MicroR@5", "MicroR@10", "MicroR@30"),
        law="statute",
    ),
    Protocol(
        "3",
        2026,
        NEWEST,
        "statute question answering",
        ("documents", "answers"),
        ("Accuracy", "LabelAccuracy", *_MACRO),
        f"{_PAGE}: an answer is right if its label is and every gold article was retrieved; ties broken by F2",
        tie_break=("MacroF2",),
        law="statute",
    ),
    Protocol("4", 2014, NEWEST, "statute entailment", ("answers",), ("Accuracy",), _PAGE, law="statute"),
    Protocol(
        "5",
        2021,
        2021,
        "statute question answering without articles",
        ("answers",),
        ("Accuracy",),
        _PAGE,
        law="statute",
    ),
    Protocol(
        "tort",
        2025,
        NEWEST,
        "tort prediction (pilot)",
        ("answers",),
        ("Accuracy",),
        "organisers' page of the pilot (LJPJT), section on evaluation",
        law="tort",
    ),
    Protocol(
        "rationale",
        2025,
        NEWEST,
        "rationale extraction (pilot)",
        ("documents",),
        ("RationaleF1", "PlaintiffF1", "DefendantF1", "PooledF1"),
        "organisers' page of the pilot (LJPJT): F1 of the True class for each instance, then the mean; the sides' "
        "and the pooled F1 are reported beside it",
        law="tort",
        claims=True,
    ),
    Protocol(
        "trec",
        0,
        _ALWAYS,
        "plain TREC files",
        ("documents",),
        (
            "map",
            "Rprec",
            "recip_rank",
            "P_10",
            "recall_10",
            "recall_100",
            "ndcg_cut_10",
            "set_P",
            "set_recall",
            "set_F",
        ),
        "not a COLIEE task; trec_eval's measures over all judged queries (its -c)",
        exact_ids=True,
    ),
)
# fmt: on


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


@dataclass(frozen=True, slots=True)
class SubmissionRules:
    """How a submission to one task must look, over a span of editions.

    Attributes:
        task: the task.
        first: the first edition (year) of these rules.
        last: the last one.
        columns: the columns of a line of documents; empty where documents are not given in columns.
        source: who states these rules.
        query_digits: how many digits the ids of queries have at least; 0 where they are no plain numbers.
        document_digits: how many digits the ids of documents have; 0 where they are no plain numbers.
        most_runs: how many runs a team may send; None where no number is known.
        runs_source: who states that number.
        runs_stated: whether it is stated for this task in these editions, or taken over from another.
        long_list: how many documents a query has in the long list; 0 where the task has none.
        tag_length: how many letters and digits a run tag may have.
    """

    task: str
    first: int
    last: int
    columns: tuple[str, ...]
    source: Authority
    query_digits: int = 0
    document_digits: int = 0
    most_runs: int | None = None
    runs_source: Authority = Authority.PAGE
    runs_stated: bool = True
    long_list: int = 0
    tag_length: int = TAG_LENGTH

    @property
    def form(self) -> str:
        """What ``coliee-ir convert`` calls the form of documents in these columns; empty where there are none."""
        return {0: "", 3: "columns", 6: "trec"}[len(self.columns)]

    @property
    def protocol(self) -> Protocol:
        """How these submissions are scored."""
        return protocol(self.task, self.first)


def unfit_tag(tag: str, longest: int = TAG_LENGTH) -> str:
    """What the organisers' rules have against a run tag; empty if nothing.

    >>> unfit_tag("bm25_default")
    'a run tag is at most 12 letters and digits'
    """
    is_fit = re.fullmatch("[A-Za-z0-9]+", tag) and len(tag) <= longest
    return "" if is_fit else f"a run tag is at most {longest} letters and digits"


_THREE = ("QUERY", "DOCUMENT", "TAG")
#: How the organisers name the file of a long list: ``task3-L.TAG``.
LONG_LIST_FILE = re.compile(r"task3-l(?![a-z])", re.IGNORECASE)

#: TREC's columns
SIX = ("QUERY", "Q0", "DOCUMENT", "RANK", "SCORE", "TAG")
_PAGE_SAYS, _PILOT_SAYS = Authority.PAGE, Authority.PILOT
#: The 2024 page names no number for Task 2; that of 2021 is the only one known.
_OF_2021 = Authority.OVERVIEW_2021

# one row a span of editions, to be read against the organisers' pages
# fmt: off
SUBMISSION_RULES: tuple[SubmissionRules, ...] = (
    SubmissionRules("1", 2018, 2020, _THREE, _PAGE_SAYS, most_runs=3),
    SubmissionRules("1", 2021, NEWEST, _THREE, _PAGE_SAYS, query_digits=6, document_digits=6, most_runs=3),
    SubmissionRules("2", 2018, 2020, _THREE, _PAGE_SAYS, 3, 3, most_runs=3, runs_source=_OF_2021, runs_stated=False),
    SubmissionRules("2", 2021, 2021, _THREE, _PAGE_SAYS, 3, 3, most_runs=3, runs_source=_OF_2021),
    SubmissionRules("2", 2022, NEWEST, _THREE, _PAGE_SAYS, 3, 3, most_runs=3, runs_source=_OF_2021, runs_stated=False),
    SubmissionRules("3", 2014, 2017, _THREE, _PAGE_SAYS, most_runs=3),
    SubmissionRules("3", 2018, 2025, SIX, _PAGE_SAYS, most_runs=3, long_list=100),
    SubmissionRules("3", 2026, NEWEST, SIX, _PAGE_SAYS, most_runs=3),
    SubmissionRules("4", 2014, NEWEST, (), _PAGE_SAYS, most_runs=3),
    # as in Task 4, of which it is a variant
    SubmissionRules("5", 2021, 2021, (), _PAGE_SAYS, most_runs=3, runs_source=Authority.OURS, runs_stated=False),
    SubmissionRules("tort", 2025, NEWEST, (), _PILOT_SAYS),
    SubmissionRules("rationale", 2025, NEWEST, (), _PILOT_SAYS),
)
# fmt: on


#: How the form of the system description names the tasks; the pilot's two are one there.
DESCRIBED_TASKS = ("1", "2", "3", "4", "pilot")

#: edition → the date before which the models of Tasks 3 and 4 must have been updated last (organisers' pages, JST)
MODEL_LIMITS = {2025: datetime.date(2024, 7, 9), 2026: datetime.date(2025, 7, 15)}


#: the tasks whose models have such a limit
DATED_TASKS = ("3", "4")


def task_that_shows(*, pilot: bool, labels: bool, statute: bool, widest: int) -> str:
    """The task, as the form of the system description names it, that a run shows by what it holds.

    Args:
        pilot: whether it has the form of the pilot's files.
        labels: whether it holds labels and no documents.
        statute: whether its queries are statute questions.
        widest: how many characters the longest id of a document has.
    """
    if pilot:
        return "pilot"
    if labels:
        return "4"
    return "3" if statute else "2" if widest <= 3 else "1"


def described_task(task: str) -> str:
    """How the form of the system description names a task.

    >>> described_task("3"), described_task("tort")
    ('3', 'pilot')
    """
    return "pilot" if task in ("tort", "rationale") else task


TASKS: tuple[str, ...] = tuple(dict.fromkeys(protocol.task for protocol in PROTOCOLS))


@overload
def task_name(task: None) -> None: ...
@overload
def task_name(task: str | int) -> str: ...
@overload
def task_name(task: str | int | None) -> str | None: ...
def task_name(task: str | int | None) -> str | None:
    """A task by its name in ``PROTOCOLS``; None stays None. Every public function that takes a task reads it here.

    >>> task_name(1), task_name("trec")
    ('1', 'trec')

    Raises:
        UsageError: there is no such task.
    """
    if task is None:
        return None
    name = str(task) if type(task) is int else task
    if name not in TASKS:
        raise UsageError(f"there is no task {task!r}; there are {', '.join(TASKS)}")
    return str(name)


def edition_year(edition: str | int | None) -> int | None:
    """An edition as a year; None stays None. Every public function that takes an edition reads it here.

    >>> edition_year("2021")
    2021

    Raises:
        UsageError: it is not the year of an edition.
    """
    if edition is None or type(edition) is int:
        return edition
    if isinstance(edition, str) and re.fullmatch("[0-9]{1,4}", edition):
        return int(edition)
    years = [year for row in PROTOCOLS if row.last != _ALWAYS for year in (row.first, row.last)]
    raise UsageError(f"an edition is a year from {min(years)} to {max(years)}, and {edition!r} is not")


def submission_rules(task: str | int, edition: str | int | None = None) -> SubmissionRules:
    """How a submission to a task must look in an edition, by default the newest.

    >>> submission_rules("3").columns
    ('QUERY', 'Q0', 'DOCUMENT', 'RANK', 'SCORE', 'TAG')

    Raises:
        UsageError: there is no such task of COLIEE, or it had no such edition.
    """
    name, year = task_name(task), edition_year(edition)
    rows = [row for row in SUBMISSION_RULES if row.task == name]
    if not rows:
        known = ", ".join(dict.fromkeys(row.task for row in SUBMISSION_RULES))
        raise UsageError(f"no rules for submissions to task {task!r} are known; they are for {known}")
    year = year if year is not None else max(row.last for row in rows)
    for row in rows:
        if row.first <= year <= row.last:
            return row
    raise UsageError(f"task {task} has no rules for submissions of {edition}")


def protocol(task: str | int, edition: str | int | None = None) -> Protocol:
    """The rules of a task in an edition, by default the newest.

    >>> protocol("3").ranking, protocol("3", 2025).ranking
    ('Accuracy', 'MacroF2')

    Raises:
        UsageError: there is no such task, or the task had no such edition.
    """
    name, year = task_name(task), edition_year(edition)
    rows = [row for row in PROTOCOLS if row.task == name]
    if year is None:
        return max(rows, key=lambda row: row.last)
    for row in rows:
        if row.first <= year <= row.last:
            return row
    spans = ", ".join(str(r.first) if r.first == r.last else f"{r.first}–{r.last}" for r in rows)
    raise UsageError(f"task {task} has no rules for {edition}; they are known for {spans}")


def has_submissions(task: str | None) -> TypeGuard[str]:
    """Whether there are rules for submissions to a task: there are none where it is not known, or not COLIEE's."""
    return any(row.task == task for row in SUBMISSION_RULES)


def has_exact_ids(task: str | None) -> bool:
    """Whether ids of a task are compared as they are written; where the task is not known, they are not."""
    return task is not None and protocol(task).exact_ids


def without_answers(task: str) -> Protocol | None:
    """The newest rules of a task by which documents alone are scored, if there are any."""
    rows = [row for row in PROTOCOLS if row.task == task and "answers" not in row.parts]
    return max(rows, key=lambda row: row.last, default=None)


def newest_edition(rules: Protocol) -> int | None:
    """The edition that is meant when none is named; None for a task without editions."""
    return None if rules.last == _ALWAYS else rules.last
