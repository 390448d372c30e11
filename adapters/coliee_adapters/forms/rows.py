"""Rows: what every form but columns comes to, and the one place where rows become a Gold, a Run or Answers."""

from __future__ import annotations

import itertools
import math
import struct
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from numbers import Integral
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, Place
from coliee_adapters.forms import arrow
from coliee_adapters.forms.columns import changes
from coliee_adapters.forms.statute import Labelled, labels_of
from coliee_adapters.forms.vocabulary import SHOWN
from coliee_adapters.ids import Ids, Picked
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
        remarks.add("gold-duplicate", place.names(query, document))
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
    block = told_binary([block])[0]
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
    return Columns(segments, [*starts, len(documents)], documents, scores or None, ranks or None, remarks or None)


def tag_of(given: Any) -> str:
    """A run tag with ``_`` for its blanks."""
    return "_".join(str(given).split())


def tags_of(given: Sequence[Any], tag: str, places: Iterable[Place]) -> Remarks:
    """Remarks on the rows whose run tag is another."""
    remarks = Remarks()
    if set(map(str, given)) - {tag}:
        for one, place in zip(given, places, strict=True):
            if one is not None and tag_of(one) != tag:
                remarks.add("tag", f"{place}: {one}")
    return remarks


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


#: whose items are what their methods say
_DICTIONARIES: Final = frozenset({dict, defaultdict, OrderedDict})


def plain_members(held: Mapping[Any, Any], rule: IdRule, remarks: Remarks, *, commas: bool) -> Columns | None:
    """The block that a dictionary is whose ids are plain texts and whose scores are finite; None for any other."""
    entries = list(held.values())
    kinds = set(map(type, entries))
    scored = kinds <= _DICTIONARIES
    if not entries or type(held) not in _DICTIONARIES or not (scored or kinds <= {list, tuple}):
        return None
    starts = np.concatenate(([0], np.cumsum(np.fromiter(map(len, entries), np.int64, len(entries)))))
    n = int(starts[-1])
    try:
        queries = _plain_ids(held, len(entries), rule, commas=commas)
        documents = _plain_ids(map("\n".join, filter(None, entries)), n, rule, commas=commas)
        # one pack takes half of the time of np.fromiter
        packed = struct.pack(f"{n}d", *chain.from_iterable(map(dict.values, entries))) if scored else b""
        scores = np.frombuffer(packed) if scored else None
    except (TypeError, ValueError, OverflowError, struct.error):
        return None
    if queries is None or documents is None or not (scores is None or np.isfinite(scores).all()):
        return None
    return Columns(queries, starts, documents, scores, None, remarks or None, entries if scored else None)


def told_binary(blocks: Iterable[Columns]) -> list[Columns]:
    """The blocks of a run, the last of which has the remark that all their scores are decisions, if they are."""
    return list(telling_binary(blocks))


def telling_binary(blocks: Iterable[Columns]) -> Iterator[Columns]:
    """The same one by one."""
    found: set[float] = set()
    last: Columns | None = None
    for block in blocks:
        if last is not None:
            yield last
        last = block
        if len(found) < 3 and block.scores is not None:
            first = block.scores[:SHOWN]  # mostly they say no
            found.update(np.unique(first if len(np.unique(first)) > 2 else block.scores).tolist()[:3])
    if last is not None:
        if found == {0.0, 1.0}:
            last = last._replace(remarks=(last.remarks or Remarks()) + Remarks.of("binary-score"))
        yield last


def plain_block(values: Mapping[str, Sequence[Any]], rule: IdRule, remarks: Remarks, *, commas: bool) -> Columns | None:
    """The block that rows are whose ids are plain texts and whose scores and ranks are numbers; None for any other."""
    if not {"query", "document"} <= values.keys() or {"answer", "retrieved"} & values.keys():
        return None
    if not (n := len(values["query"])):
        return None
    try:
        queries = _plain_ids(values["query"], n, rule, commas=commas)
        documents = _plain_ids(values["document"], n, rule, commas=commas)
        decides = next((role for role in ("score", "rank") if role in values), "")
        scores = _numbers(values[decides], lambda column: np.fromiter(column, np.float64, n)) if decides else None
        ranks = _numbers(values["rank"], np.asarray) if "rank" in values and decides == "score" else None
    except (TypeError, ValueError, OverflowError):
        return None
    if queries is None or documents is None or not (scores is None or np.isfinite(scores).all()):
        return None
    if ranks is not None and (ranks.dtype.kind != "i" or ranks.shape != (n,)):
        return None
    if scores is not None:
        scores = scores.astype(np.float64) if decides == "score" else -scores.astype(np.float64)
    if isinstance(documents, Picked):
        documents = documents.settled()
    starts = changes(queries)
    return Columns(queries.at(starts[:-1]), starts, documents, scores, ranks, remarks or None)


def _plain_ids(texts: Iterable[Any], n: int, rule: IdRule, *, commas: bool) -> Ids | None:
    """Ids that are compared as they are written; None where one may not be, or is wrong, or there is none."""
    if isinstance(texts, arrow.Column):
        ids = texts.ids()
        if ids is not None and not ids.are_plain():
            return None
    else:
        ids = Ids.plain(texts, n) if n else None
    if ids is None or (rule is not exact_id and b"." in ids.raw and b".txt" in ids.raw):
        return None
    return ids if commas or not (b"," in ids.raw or b";" in ids.raw) else None


def _numbers(values: Sequence[Any], of_objects: Callable[[Sequence[Any]], npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """A column as an array; one of objects by a function."""
    numbers = values.numbers() if isinstance(values, arrow.Column) else None
    return of_objects(values) if numbers is None else numbers
