"""Rows: what every form but columns comes to, and the one place where rows become a Gold, a Run or Answers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from numbers import Integral
from typing import Any, Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, Place
from coliee_adapters.records import (
    GREATEST_RELEVANCE,
    ONE_WORD,
    Answers,
    Columns,
    Gold,
    IdRule,
    Run,
    exact_id,
    wrong_id,
)
from coliee_adapters.remarks import Remarks
from coliee_adapters.statute import Labelled, labels_of

#: stands for the document of a query that has none
NOTHING = object()


class Row(NamedTuple):
    """A document of a query, or the answer to one, as a file or a caller gives it.

    ``number`` is the relevance in a gold, the score in a run; ``rank`` decides only where there is no score; where
    ``retrieved`` says no, the row names its query and nothing else.
    """

    place: Place
    query: Any
    document: Any = NOTHING
    number: Any = NOTHING
    rank: Any = NOTHING
    answer: str | None = None
    tag: Any = None
    retrieved: Any = NOTHING


#: role → the field of a row that it fills
FIELDS: Final[Mapping[str, str]] = {"relevance": "number", "score": "number"}

_TRUTH: Final = {"true": 1.0, "false": 0.0}


def id_of(value: Any, what: str, place: Place, rule: IdRule, commas: bool | None = None) -> str:
    """An id: text or an integer, one word."""
    if not isinstance(value, str | Integral) or isinstance(value, bool):
        raise place.fault("bad-id", f"this is not the id of a {what}", repr(value), "give text or an integer")
    text = rule(str(value))
    if wrong := wrong_id((text,), commas=rule is exact_id if commas is None else commas):
        raise place.fault("bad-id", wrong[1], wrong[0], ONE_WORD)
    return text


def relevance_of(value: Any, place: Place) -> int:
    """A relevance: an integer, however it is written; 1 where none is given."""
    number = 1.0 if value is NOTHING else _float(value)
    if not number.is_integer():  # NaN is none
        raise place.fault("bad-relevance", "this relevance is not an integer", str(value), "write 0, 1, 2, …")
    if abs(number) > GREATEST_RELEVANCE:
        problem = "this relevance is too large for trec_eval"
        raise place.fault("bad-relevance", problem, str(value), f"write relevances up to {GREATEST_RELEVANCE}")
    return int(number)


def score_of(value: Any, place: Place, what: str = "score") -> float:
    """A score or a rank: a finite number, however it is written."""
    number = _float(value)
    if not math.isfinite(number):
        raise place.fault("bad-score", f"this {what} is not a finite number", str(value), "write it like 12.5")
    return number


def is_retrieved(value: Any, place: Place) -> bool:
    """Whether a system decided for a document: 1 or True, 0 or False."""
    number = _float(value)
    if number not in (0, 1):
        problem = "this does not say whether the document is retrieved"
        raise place.fault("missing-key", problem, str(value), "write 1 or 0")
    return bool(number)


def _float(value: Any) -> float:
    if isinstance(value, str):
        value = _TRUTH.get(value.strip().lower(), value)
    try:
        return math.nan if isinstance(value, str) and ("_" in value or not value.isascii()) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def gold_of(
    rows: Iterable[Row],
    rule: IdRule,
    path: str,
    form: str,
    remarks: Remarks | None = None,
    *,
    commas: bool | None = None,
) -> Gold:
    """The gold that rows are; ``commas`` is whether ids may have commas in them, by default as the rule says."""
    remarks = Remarks() if remarks is None else remarks
    first, rows = peeked(rows)
    if first is not None and first.answer is not None:
        labels, _ = labels_of(labelled(rows, rule, commas), remarks, gold=True)
        return Gold(labels=labels, path=path, format=form, remarks=remarks)
    qrels: dict[str, dict[str, int]] = {}
    for row in rows:
        query = id_of(row.query, "query", row.place, rule, commas)
        judged = qrels.setdefault(query, {})
        if row.document is not NOTHING:
            document = id_of(row.document, "document", row.place, rule, commas)
            judge(judged, query, document, relevance_of(row.number, row.place), row.place, remarks)
    refuse_irrelevant(qrels, path)
    return Gold(qrels, path=path, format=form, remarks=remarks)


def refuse_irrelevant(qrels: Mapping[str, Mapping[str, int]], path: str) -> None:
    """Refuse judgements of which none is relevant; a gold without any judgement is another matter."""
    if any(qrels.values()) and not any(level > 0 for judged in qrels.values() for level in judged.values()):
        remedy = "give a gold in which a relevance is 1 or more"
        raise InputError("no-relevant", path, "no document is relevant in this gold", remedy=remedy)


def judge(judged: dict[str, int], query: str, document: str, relevance: int, place: Place, remarks: Remarks) -> None:
    """Add a judgement to those of its query; one that repeats another is remarked."""
    if document in judged:
        if judged[document] != relevance:
            problem = f"this document is judged {judged[document]} above and {relevance} here"
            raise place.fault("conflicting", problem, f"{query} {document}", "keep one of the two")
        remarks.add("gold-duplicate", f"{place}: {query} {document}")
    judged[document] = relevance


def run_of(
    rows: Iterable[Row],
    rule: IdRule,
    path: str,
    form: str,
    tag: str,
    remarks: Remarks | None = None,
    *,
    commas: bool | None = None,
) -> Run | Answers:
    """The run that rows are, or the answers."""
    remarks = Remarks() if remarks is None else remarks
    first, rows = peeked(rows)
    if first is not None and first.tag not in (None, ""):
        tag = tag_of(first.tag)
    if first is not None and first.answer is not None:
        labels, unreadable = labels_of(labelled(rows, rule, commas), remarks)
        return Answers(labels, tag, path, form, remarks, unreadable)
    block = block_of(rows, rule, remarks, tag, commas)
    by_rank = first is not None and first.number is NOTHING
    scored = block.scores is not None and not by_rank
    return Run(partial(iter, [block]), tag, scored, path, form)


def block_of(rows: Iterable[Row], rule: IdRule, remarks: Remarks, tag: str, commas: bool | None = None) -> Columns:
    """Rows as columns, those of one query that follow each other in one segment."""
    segments: list[str] = []
    starts: list[int] = []
    documents: list[str] = []
    scores: list[float] = []
    ranks: list[str] = []
    for row in rows:
        query = id_of(row.query, "query", row.place, rule, commas)
        if not segments or query != segments[-1]:
            segments.append(query)
            starts.append(len(documents))
        if row.document is NOTHING or not (row.retrieved is NOTHING or is_retrieved(row.retrieved, row.place)):
            continue
        documents.append(id_of(row.document, "document", row.place, rule, commas))
        if row.number is not NOTHING:
            scores.append(score_of(row.number, row.place))
            if row.rank is not NOTHING:
                ranks.append(str(row.rank))
        elif row.rank is not NOTHING:
            scores.append(-score_of(row.rank, row.place, "rank"))
        if len(scores) not in (0, len(documents)):
            remedy = "give all of them one, or none"
            problem = "some documents have a score and some have none"
            raise row.place.fault("mixed-forms", problem, str(row.document), remedy)
        if row.tag is not None and tag_of(row.tag) != tag:
            remarks.add("tag", f"{row.place}: {row.tag}")
    if set(scores) == {0, 1}:
        remarks.add("binary-score")
    return Columns(segments, [*starts, len(documents)], documents, scores or None, ranks or None, remarks or None)


def tag_of(given: Any) -> str:
    """A run tag with ``_`` for its blanks."""
    return "_".join(str(given).split())


def labelled(rows: Iterable[Row], rule: IdRule, commas: bool | None = None) -> Iterator[Labelled]:
    """Rows with answers as the words of a label list."""
    return (Labelled(id_of(row.query, "query", row.place, rule, commas), row.answer or "", row.place) for row in rows)


def peeked(rows: Iterable[Row]) -> tuple[Row | None, Iterable[Row]]:
    """The first row that holds more than a query, or else the last; and all of them."""
    rows = iter(rows)
    seen: list[Row] = []
    for row in rows:
        seen.append(row)
        if row.document is not NOTHING or row.answer is not None:
            break
    return seen[-1] if seen else None, itertools.chain(seen, rows)
