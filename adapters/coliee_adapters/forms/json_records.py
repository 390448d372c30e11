"""JSON in all its shapes: objects of queries, records with named keys, labels; in one piece or as JSON Lines.

What is not ``{query: [document]}``, which ``case_law`` reads, is taken apart into records, objects whose keys have the
roles of ``vocabulary``::

    {"query_id": "001", "doc_id": "018", "score": 0.5}             a line each, or a list of them
    {"001": [["018", 0.5], …]}, {"001": [{"docid": "018", "score": 0.5}, …]}, {"001": {"018": {"rank": 1, …}}}
    {"id": "R07-01-O", "label": "Y"}, {"R07-01-O": "Y"}            answers, or the labels of a gold
"""

from __future__ import annotations

import contextlib
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms import case_law, json_text, statute
from coliee_adapters.forms.rows import (
    FIELDS,
    Row,
    block_of,
    gold_of,
    plain_block,
    plain_members,
    run_of,
    tag_of,
    tags_of,
    told_binary,
)
from coliee_adapters.forms.vocabulary import SHOWN, Kind, is_header, known_names, roles_of
from coliee_adapters.records import (
    Answers,
    Columns,
    Gold,
    IdRule,
    Run,
    exact_id,
    normal_id,
)
from coliee_adapters.remarks import Remarks

_SHAPES: Final = 'expected {"000001": ["000018"]}, or objects with named keys; '


class Record(NamedTuple):
    """An object with named keys."""

    members: Mapping[str, Any]  # its keys and values
    place: Place  # where it stands

    def fault(self, kind: str, problem: str, found: object, remedy: str) -> InputError:
        """The error that something is wrong with it."""
        shown = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, default=repr)
        return self.place.fault(kind, problem, shown, remedy)


def read_gold(source: Source, rule: IdRule = normal_id) -> Gold:
    """Gold from JSON or JSON Lines: documents with or without relevances, or labels."""
    held = _held(source, "gold")
    if case_law.is_unlabelled(held):
        problem = "this is a test set without labels: it lists queries but no relevant documents"
        raise InputError("missing-label", source.name, problem, remedy="give the file with the labels")
    remarks = Remarks()
    return gold_of(_rows_of(held, "gold", source, rule, remarks), rule, source.name, "json", remarks)


def read_run(source: Source, rule: IdRule = normal_id) -> Run | Answers:
    """A submission in JSON or JSON Lines: documents with or without scores, or answers."""
    remarks = Remarks()
    held = _held(source, "run")
    if isinstance(held, _Records) and held.entries is None:
        return _run_of(held.batches, source, rule)
    if isinstance(held, dict) and (block := plain_members(held, rule, remarks, commas=rule is exact_id)) is not None:
        scored = block.scores is not None
        return Run(partial(iter, told_binary([block])), source.stem, scored, source.name, "json")
    found = _rows_of(held, "run", source, rule, remarks)
    return run_of(found, rule, source.name, "json", source.stem, remarks)


def _run_of(batches: Iterable[Batch], source: Source, rule: IdRule) -> Run | Answers:
    """The run that records are, many at a time: at once where all have the keys of the first, or else one by one."""
    batches, remarks = iter(batches), Remarks()
    shown = [next(batches)]
    while sum(len(one.members) for one in shown) < SHOWN and (batch := next(batches, None)) is not None:
        shown.append(batch)
    first = [record for batch in shown for record in batch.records()][:SHOWN]
    known: dict[tuple[str, ...], dict[str, str]] = {}
    if not first or not first[0].members:
        return run_of(rows(first, "run", source.columns, remarks), rule, source.name, "json", source.stem, remarks)
    keys = tuple(first[0].members)
    roles = known[keys] = _keys(first[0], "run", source.columns, first, remarks)
    if "document" not in roles or "retrieved" in roles:
        every = (record for batch in itertools.chain(shown, batches) for record in batch.records())
        found = rows(every, "run", source.columns, known=known, shown=first)
        return run_of(found, rule, source.name, "json", source.stem, remarks)
    given = first[0].members[roles["tag"]] if "tag" in roles else None
    tag = tag_of(given) if given not in (None, "") else source.stem
    blocks: list[Columns] = []
    for batch in itertools.chain(shown, batches):
        block, told = None, Remarks()
        if set(map(tuple, batch.members)) == {keys}:
            values = {role: [members[key] for members in batch.members] for role, key in roles.items()}
            told = tags_of(values.pop("tag", ()), tag, map(batch.place, batch.numbers))
            block = plain_block(values, rule, told, commas=rule is exact_id)
        if block is None:
            found = rows(batch.records(), "run", source.columns, known=known, shown=first)
            block = block_of(found, rule, Remarks(), tag)
        if not blocks and remarks:
            block = block._replace(remarks=(block.remarks or Remarks()) + remarks)
        blocks.append(block)
    by_rank = "score" not in roles
    return Run(partial(iter, told_binary(blocks)), tag, not by_rank, source.name, "json")


def _rows_of(held: object, kind: Kind, source: Source, rule: IdRule, remarks: Remarks) -> Iterable[Row]:
    if isinstance(held, _Records):
        return held.rows(kind, source, rule, remarks)
    return case_law.rows(case_law.members(held, source, rule), source)


def _held(source: Source, kind: Kind) -> object:
    """What a file holds: ``_Records``, or what ``case_law`` reads or refuses."""
    text = source.text()
    held: object
    if json_text.is_lines(text):
        held = _of_lines(text, source)
    else:
        held = json_text.parse(text, source.name)
        if isinstance(held, dict):
            held = _under_a_key(held, kind, source) or held
        if isinstance(held, list) and any(isinstance(item, dict) for item in held):
            return _Records(_batches(held, source))
        if isinstance(held, dict) and is_header(list(held)):
            return _Records([Batch([held], [1], source.name, "record")])
    if isinstance(held, dict) and (are_labels(held) or _are_nested(held.values())):
        return _Records(entries=held)
    return held


def _under_a_key(held: Mapping[str, object], kind: Kind, source: Source) -> list[object] | None:
    """The records that stand under the one key that holds a list of objects, beside what describes them."""
    lists = {key: value for key, value in held.items() if isinstance(value, list) and value}
    if len(lists) != 1 or any(map(str.isdigit, "".join(lists))):  # the key is the id of a query
        return None
    [records] = lists.values()
    if not all(isinstance(item, dict) for item in records):
        return None
    with contextlib.suppress(InputError):
        roles_of(list(records[0]), kind, source.name, source.columns)
        return records
    return None


def _of_lines(text: str, source: Source) -> _Records | dict[str, Any]:
    """Records, one a line; or the queries of all lines, where each line names others."""
    every = (
        Batch(_objects(values, numbers, source, "line"), numbers, source.name, "line")
        for numbers, values in json_text.batches(text, source.name)
    )
    ahead = [next(every)]
    if len(ahead[0].members) == 1:
        ahead.append(next(every))
    first, second = [record for batch in ahead for record in batch.records()][:2]
    shared = first.members.keys() & second.members.keys()
    batches = itertools.chain(ahead, every)
    if is_header(list(first.members)) or (shared and len(first.members) > 1):
        return _Records(batches)
    merged: dict[str, Any] = {}
    for record in (record for batch in batches for record in batch.records()):
        for query, entry in record.members.items():
            if query in merged:
                if shared and not any(map(str.isdigit, query)):
                    raise record.fault("missing-column", "no key is the query", query, _SHAPES + known_names("run"))
                raise record.fault("duplicate", "this query appears twice", query, "keep one")
            merged[query] = entry
    return merged


def _object(value: object, place: Place) -> Record:
    if isinstance(value, dict):
        return Record(value, place)
    raise Record({}, place).fault("structure", "this is not an object", value, _SHAPES + known_names("run"))


def _objects(values: Sequence[object], numbers: Sequence[int], source: Source, part: str) -> list[dict[str, Any]]:
    """Values that must be objects."""
    return [
        value if isinstance(value, dict) else dict(_object(value, Place(source.name, part, number)).members)
        for value, number in zip(values, numbers, strict=True)
    ]


def _batches(held: Sequence[object], source: Source) -> Iterator[Batch]:
    """The records of a list."""
    for start in range(0, len(held), json_text.MANY):
        some = held[start : start + json_text.MANY]
        numbers = range(start + 1, start + 1 + len(some))
        yield Batch(_objects(some, numbers, source, "record"), numbers, source.name, "record")


class Batch(NamedTuple):
    """Objects that follow each other in a file: lines, or records of a list, by number."""

    members: Sequence[dict[str, Any]]
    numbers: Sequence[int]
    path: str
    part: str

    def place(self, number: int) -> Place:
        """Where the object of a number stands."""
        return Place(self.path, self.part, number)

    def records(self) -> Iterator[Record]:
        """The objects one by one."""
        return map(Record, self.members, map(self.place, self.numbers))


class _Records(NamedTuple):
    """What a file holds that is taken apart into records."""

    batches: Iterable[Batch] = ()  # they themselves, many at a time; or
    entries: Mapping[str, object] | None = None  # query → label, or query → its documents, each with more than an id

    def rows(self, kind: Kind, source: Source, rule: IdRule, remarks: Remarks) -> Iterator[Row]:
        """The rows of the records, or of the entries."""
        if self.entries is None:
            return rows((one for batch in self.batches for one in batch.records()), kind, source.columns, remarks)
        for query, entry in self.entries.items():
            if isinstance(entry, list) and entry and isinstance(entry[0], Mapping):
                first = nested(query, entry[:1]) or []
                next(rows([Record(one, Place(source.name, "query", query)) for one in first], kind, source.columns))
                break  # keys that are not understood say more than a query's name
        members = case_law.members(self.entries, source, rule)
        if are_labels(self.entries):
            return (Row(Place(source.name, "query", query), query, answer=_word(entry)) for query, entry in members)
        found = (one for query, entry in members for one in _records_of(query, entry, source))
        return rows(found, kind, source.columns, remarks)


def _records_of(query: str, entry: object, source: Source) -> Iterable[Record | Row]:
    place = Record({}, Place(source.name, "query", query))
    if not entry:
        return (Row(place.place, query),)
    members = nested(query, entry)
    if members is None:
        remedy = "use the same form for all of them: [[document, score], …]"
        raise place.fault("mixed-forms", "this entry is written differently from the others", entry, remedy)
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


def rows(
    records: Iterable[Record | Row],
    kind: Kind,
    columns: Mapping[str, str] | None = None,
    remarks: Remarks | None = None,
    *,
    known: dict[tuple[str, ...], dict[str, str]] | None = None,
    shown: Sequence[Record | Row] = (),
) -> Iterator[Row]:
    """Records with the roles of their values; rows among them as they are.

    ``columns`` are the names of keys that the user gave, by role; ``known`` is what is known of records before, of
    which ``shown`` are the first.
    """
    known = {} if known is None else known
    records = iter(records)
    ahead = [] if shown else list(itertools.islice(records, SHOWN))
    shown = shown or ahead
    for record in itertools.chain(ahead, records):
        if isinstance(record, Row):
            yield record
            continue
        keys = tuple(record.members)
        if keys not in known:
            known[keys] = _keys(record, kind, columns, shown, None if known else remarks)
            expected = next(iter(known.values()))
            if (expected.keys() ^ known[keys].keys()) - {"tag"}:
                remedy = f"write all of them like the first: {', '.join(expected.values())}"
                raise record.fault("mixed-forms", "this record has other keys than the first", ", ".join(keys), remedy)
        values = {role: record.members[key] for role, key in known[keys].items()}
        if isinstance(values["query"], Mapping):
            remedy = 'write one record for each row, with pandas: to_json(path, orient="records", lines=True)'
            problem = "this JSON contains the columns of a table, not its rows"
            raise record.fault("structure", problem, ", ".join(keys), remedy)
        if "answer" in values:
            values["answer"] = _word(values["answer"])
        yield Row(record.place, **{FIELDS.get(role, role): value for role, value in values.items()})


def _keys(
    record: Record,
    kind: Kind,
    columns: Mapping[str, str] | None,
    shown: Iterable[Record | Row],
    remarks: Remarks | None,
) -> dict[str, str]:
    """Role → key of a record; ``shown`` are the first records."""
    keys = list(record.members)

    def values(at: int) -> Iterator[object]:
        return (one.members.get(keys[at]) for one in shown if isinstance(one, Record))

    try:
        roles = roles_of(keys, kind, record.place.path, columns, values=values, remarks=remarks)
    except InputError as error:
        problem = f"unrecognised keys ({error.problem.replace('column', 'key')})"
        raise record.fault(error.kind, problem, ", ".join(keys), error.remedy or "") from None
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
