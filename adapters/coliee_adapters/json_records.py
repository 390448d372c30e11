"""JSON in all its shapes: objects of queries, records with named keys, labels; in one piece or as JSON Lines.

What is not ``{query: [document]}``, which ``case_law`` reads, is taken apart into records, objects whose keys have the
roles of ``vocabulary``::

    {"query_id": "001", "doc_id": "018", "score": 0.5}             a line each, or a list of them
    {"001": [["018", 0.5], …]}, {"001": [{"docid": "018", "score": 0.5}, …]}, {"001": {"018": {"rank": 1, …}}}
    {"id": "R07-01-O", "label": "Y"}, {"R07-01-O": "Y"}            answers, or the labels of a gold
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from coliee_adapters import case_law, json_text, statute
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, Place
from coliee_adapters.files import Source
from coliee_adapters.records import (
    Answers,
    Gold,
    IdRule,
    Run,
    normal_id,
)
from coliee_adapters.rows import NOTHING, Row, gold_of, run_of
from coliee_adapters.vocabulary import Kind, is_header, known_names, roles_of

_SHAPES: Final = 'expected {"000001": ["000018"]}, or objects with named keys; '


class Record(NamedTuple):
    """An object with named keys.

    Attributes:
        members: its keys and values.
        place: where it stands.
    """

    members: Mapping[str, Any]
    place: Place

    def fault(self, problem: str, found: object, remedy: str) -> InputError:
        """The error that something is wrong with it."""
        shown = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, default=repr)
        return self.place.fault(problem, shown, remedy)


def read_gold(source: Source, rule: IdRule = normal_id) -> Gold:
    """Gold from JSON or JSON Lines: documents with or without relevances, or labels."""
    held = _held(source)
    if case_law.is_unlabelled(held):
        problem = "this is a test set without labels: it lists queries but no relevant documents"
        raise InputError(source.name, problem, remedy="give the file with the labels")
    return gold_of(_rows_of(held, "gold", source, rule), rule, source.name, "json")


def read_run(source: Source, rule: IdRule = normal_id) -> Run | Answers:
    """A submission in JSON or JSON Lines: documents with or without scores, or answers."""
    return run_of(_rows_of(_held(source), "run", source, rule), rule, source.name, "json", source.stem)


def _rows_of(held: object, kind: Kind, source: Source, rule: IdRule) -> Iterable[Row]:
    if isinstance(held, _Records):
        return held.rows(kind, source, rule, source.columns)
    return case_law.rows(case_law.members(held, source, rule), source)


def _held(source: Source) -> object:
    """What a file holds: ``_Records``, or what ``case_law`` reads or refuses.

    Raises:
        InputError: broken JSON, or a line or an item that is no object.
    """
    text = source.text()
    held: object
    if json_text.is_lines(text):
        held = _of_lines(text, source)
    else:
        held = json_text.parse(text, source.name)
        if isinstance(held, list) and any(isinstance(item, dict) for item in held):
            return _Records(_object(item, Place(source.name, "record", n)) for n, item in enumerate(held, 1))
        if isinstance(held, dict) and is_header(list(held)):
            return _Records([Record(held, Place(source.name, "record", 1))])
    if isinstance(held, dict) and (are_labels(held) or _are_nested(held.values())):
        return _Records(entries=held)
    return held


def _of_lines(text: str, source: Source) -> _Records | dict[str, Any]:
    """Records, one a line; or the queries of all lines, where each line names others."""
    lines = json_text.lines(text, source.name)
    records = (_object(value, Place(source.name, "line", line)) for line, value in lines)
    first, second = next(records), next(records)
    every = itertools.chain((first, second), records)
    shared = first.members.keys() & second.members.keys()
    if is_header(list(first.members)) or (shared and len(first.members) > 1):
        return _Records(every)
    merged: dict[str, Any] = {}
    for record in every:
        for query, entry in record.members.items():
            if query in merged:
                raise record.fault("this query appears twice", query, "keep one")
            merged[query] = entry
    return merged


def _object(value: object, place: Place) -> Record:
    if isinstance(value, dict):
        return Record(value, place)
    raise Record({}, place).fault("this is not an object", value, _SHAPES + known_names("run"))


class _Records(NamedTuple):
    """What a file holds that is taken apart into records.

    Attributes:
        records: they themselves; or
        entries: query → label, or query → its documents, each with more than an id.
    """

    records: Iterable[Record] = ()
    entries: Mapping[str, object] | None = None

    def rows(self, kind: Kind, source: Source, rule: IdRule, columns: Mapping[str, str] | None) -> Iterator[Row]:
        """The rows of the records, or of the entries."""
        if self.entries is None:
            yield from rows(self.records, kind, columns)
            return
        for query, entry in self.entries.items():
            if isinstance(entry, list) and entry and isinstance(entry[0], Mapping):
                first = nested(query, entry[:1]) or []
                next(rows([Record(one, Place(source.name, "query", query)) for one in first], kind, columns), None)
                break  # keys that are not understood say more than a query's name
        labels = are_labels(self.entries)
        for query, entry in case_law.members(self.entries, source, rule):
            if labels:
                yield Row(Place(source.name, "query", query), query, answer=_word(entry))
            elif not entry:
                yield Row(Place(source.name, "query", query), query)
            else:
                yield from rows(_records_of(query, entry, source), kind, columns)


def _records_of(query: str, entry: object, source: Source) -> Iterator[Record]:
    members = nested(query, entry)
    place = Record({}, Place(source.name, "query", query))
    if members is None:
        remedy = "use the same form for all of them: [[document, score], …]"
        raise place.fault("this entry is written differently from the others", entry, remedy)
    return (place._replace(members=one) for one in members)


def nested(query: str, entry: object) -> list[Mapping[str, Any]] | None:
    """The documents of a query as records, where each is more than an id; None where the entry has another shape.

    >>> nested("q", [("d", 0.5)])
    [{'query_id': 'q', 'doc_id': 'd', 'score': 0.5}]
    >>> nested("q", {"d": {"rank": 1}})
    [{'rank': 1, 'query_id': 'q', 'doc_id': 'd'}]
    """
    if not isinstance(entry, Mapping | list | tuple) or not entry:
        return None
    items = list(entry.values()) if isinstance(entry, Mapping) else entry
    if all(isinstance(item, Mapping) for item in items):
        of_key = ({"doc_id": document} for document in entry) if isinstance(entry, Mapping) else itertools.repeat({})
        return [{**item, "query_id": query, **key} for item, key in zip(items, of_key, strict=False)]
    if items is entry and all(isinstance(item, list | tuple) and len(item) == 2 for item in items):
        return [{"query_id": query, "doc_id": document, "score": number} for document, number in items]
    return None


def rows(records: Iterable[Record], kind: Kind, columns: Mapping[str, str] | None = None) -> Iterator[Row]:
    """Records with the roles of their values.

    Args:
        records: what is read.
        kind: what it is.
        columns: the names of keys that the user gave, by role.

    Raises:
        InputError: keys are not understood, or a record has other roles than the first; a rank that is no number; a
            relevance or a score that is null.
    """
    known: dict[tuple[str, ...], dict[str, str]] = {}
    for record in records:
        keys = tuple(record.members)
        if keys not in known:
            known[keys] = _as_answers(_keys(record, kind, columns), record)
            expected = next(iter(known.values()))
            if (expected.keys() ^ known[keys].keys()) - {"tag"}:
                remedy = f"write all of them like the first: {', '.join(expected.values())}"
                raise record.fault("this record has other keys than the first", ", ".join(keys), remedy)
        values = {role: record.members[key] for role, key in known[keys].items()}
        if isinstance(values["query"], Mapping):
            remedy = 'write one record for each row, with pandas: to_json(path, orient="records", lines=True)'
            raise record.fault("this JSON contains the columns of a table, not its rows", ", ".join(keys), remedy)
        answer = _word(values["answer"]) if "answer" in values else None
        number = values.get("score", values.get("relevance", NOTHING))
        held = {role: values[role] for role in ("document", "rank", "tag") if role in values}
        yield Row(record.place, values["query"], number=number, answer=answer, **held)


def _as_answers(keys: dict[str, str], record: Record) -> dict[str, str]:
    """The roles where a label Y or N stands beside an article's text: the label is the answer, and no relevance."""
    label = record.members.get(keys.get("relevance", ""))
    if not isinstance(label, str) or label.lower() not in statute.LABELS:
        return keys
    asked = "id" if "id" in record.members else keys["query"]
    return {"query": asked, "answer": keys["relevance"]}


def _keys(record: Record, kind: Kind, columns: Mapping[str, str] | None) -> dict[str, str]:
    """Role → key of a record."""
    keys = list(record.members)
    try:
        roles = roles_of(keys, kind, record.place.path, columns)
    except InputError as error:
        problem = f"unrecognised keys ({error.problem.replace('column', 'key')})"
        raise record.fault(problem, ", ".join(keys), error.remedy or "") from None
    return {role: keys[at] for role, at in roles.items()}


def _word(value: object) -> str:
    """An answer as a label list writes it."""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def are_labels(entries: Mapping[str, object]) -> bool:
    """Whether all entries are words and most of them labels; then what is none is an answer that is not understood.

    Text of digits is a document, as in Task 2 of 2025, unless it can only be labels: see ``statute.are_numbered``.
    """
    listed = list(entries.values())
    if not all(entry is None or isinstance(entry, str | int) for entry in listed):
        return False
    if set(listed) <= {"0", "1"} and statute.are_numbered({query: str(word) for query, word in entries.items()}):
        return True
    labels = sum(
        _word(entry).lower() in statute.LABELS or (isinstance(entry, int) and _word(entry) in statute.DIGITS)
        for entry in listed
    )
    return labels > 0 and 2 * labels >= len(listed)


def _are_nested(entries: Iterable[object]) -> bool:
    """Whether the first entry that holds something holds more of each document than its id."""
    return any(nested("", entry) is not None for entry in itertools.islice(filter(None, entries), 1))
