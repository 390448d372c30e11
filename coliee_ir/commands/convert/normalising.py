"""Ids of a gold, a run or answers in one of Unicode's normal forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar, overload

from coliee_adapters.errors import InputError
from coliee_adapters.normal_forms import NormalForm, normalised
from coliee_adapters.records import Answers, Columns, Gold, Run

_Value = TypeVar("_Value", int, bool, str)


def gold_in(form: NormalForm, gold: Gold) -> Gold:
    """A gold with its ids in this form."""
    return replace(
        gold,
        qrels=None if gold.qrels is None else _judgements_in(form, gold.qrels, gold.path),
        labels=None if gold.labels is None else _keys_in(form, gold.labels, gold.path),
        files=_keys_in(form, gold.files, gold.path),
        beside={part: _judgements_in(form, qrels, gold.path) for part, qrels in gold.beside.items()},
    )


def _judgements_in(
    form: NormalForm, qrels: Mapping[str, Mapping[str, int]], path: str
) -> Mapping[str, Mapping[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for query, judged in qrels.items():
        _put_in(form, found.setdefault(normalised(query, form), {}), judged, path)
    return found


def _keys_in(form: NormalForm, values: Mapping[str, _Value], path: str) -> dict[str, _Value]:
    found: dict[str, _Value] = {}
    _put_in(form, found, values, path)
    return found


def _put_in(form: NormalForm, found: dict[str, _Value], values: Mapping[str, _Value], path: str) -> None:
    for text, value in values.items():
        name = normalised(text, form)
        if found.setdefault(name, value) != value:
            problem = f"two ids become one in {form}, and differ in what the gold says of them"
            remedy = "decide which is right, and delete the other"
            raise InputError("conflicting", path, problem, found=name, remedy=remedy)


@overload
def submission_in(form: NormalForm, record: Run) -> Run: ...
@overload
def submission_in(form: NormalForm, record: Answers) -> Answers: ...
@overload
def submission_in(form: NormalForm, record: Run | Answers) -> Run | Answers: ...
def submission_in(form: NormalForm, record: Run | Answers) -> Run | Answers:
    """A run or answers with their ids in this form; documents that become one are a repeated document."""
    beside = {part: submission_in(form, other) for part, other in record.beside.items()}
    if isinstance(record, Answers):
        unreadable = tuple(normalised(query, form) for query in record.unreadable)
        labels = _keys_in(form, record.labels, record.path)
        return replace(record, labels=labels, unreadable=unreadable, beside=beside)
    return replace(record, blocks=partial(_blocks_in, form, record), split=None, grouped=False, beside=beside)


def _blocks_in(form: NormalForm, run: Run) -> Iterator[Columns]:
    for block in run.blocks():
        queries, documents = ([normalised(text, form) for text in ids] for ids in (block.queries, block.documents))
        yield block._replace(queries=queries, documents=documents, entries=None)
