"""JSON in all its shapes: objects of queries, records with named keys, labels; in one piece or as JSON Lines.

::

    {"001": ["018", "023"]}, {"001": {"018": 0.5, …}}              documents, perhaps with relevances or scores
    {"query_id": "001", "doc_id": "018", "score": 0.5}             a line each, or a list of them
    {"001": [["018", 0.5], …]}, {"001": [{"docid": "018", "score": 0.5}, …]}, {"001": {"018": {"rank": 1, …}}}
    {"id": "R07-01-O", "label": "Y"}, {"R07-01-O": "Y"}            answers, or the labels of a gold

    {"query_id": "001", "doc_ids": ["018", "023"], "scores": [0.5, 0.1]}   a record a query

A *record* is an object whose keys have the roles of ``vocabulary``, also where there is only one. Dictionaries and
records in memory are the same.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set, Sized
from functools import partial
from io import TextIOBase
from json.encoder import encode_basestring
from numbers import Integral
from operator import itemgetter
from typing import Any, Final, NamedTuple, cast

from coliee_adapters import forms
from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source, decode
from coliee_adapters.forms import json_text
from coliee_adapters.forms.case_law import is_unlabelled
from coliee_adapters.forms.form import NOTHING, Entries, Form, FormContent, FoundRows, Row, Values, place_of_row
from coliee_adapters.forms.json_columns import Alike
from coliee_adapters.forms.lines import Note, counted, is_number
from coliee_adapters.forms.rows import run_in_blocks
from coliee_adapters.forms.vocabulary import (
    ANSWERS,
    EVERY_NAME,
    KNOWN,
    LABELS,
    NAMES,
    RELEVANCE,
    RETRIEVED,
    SHOWN,
    TRUTH_BESIDE,
    GoldOrRun,
    answer_word,
    is_header,
    known_names,
    normal_name,
    paths_in,
    roles_of,
    word_of,
    words_of,
)
from coliee_adapters.records import SEPARATORS, IdRule, Run

#: what a list of a query's documents is called
_LISTED: Final = RETRIEVED | {"candidates"}

#: what keys of a record are called
_NAMES: Final = KNOWN | _LISTED

#: under what SWE-bench lists its instances
_BECAME: Final = frozenset(
    {"resolved", "no_generation", "no_logs", "generated", "with_logs", "applied", "no_apply"}
    | {"install_fail", "reset_failed", "test_errored", "test_timeout"}
)

#: finds the line of a query
LineOf = Callable[[Any], int | None]

#: names of ids of queries and of nothing else, as in the rows of a table
_IDS_OF_QUERIES: Final = {name for name in EVERY_NAME["query"] if name.endswith("id")} - EVERY_NAME["document"]
_A_RECORD_A_ROW: Final = 'write one record for each row, with pandas: to_json(path, orient="records", lines=True)'
_SHAPES: Final = 'expected {"000001": ["000018"]}, or objects with named keys; ' + known_names("run")


class Records(NamedTuple):
    """Records that follow each other, and where each stands, by its place in them."""

    records: Sequence[Mapping[str, Any]]
    place: Callable[[int], Place]


def _rows_of(kind: GoldOrRun, source: Source, note: Note) -> FoundRows:
    if json_text.are_lines(source):
        return _in_lines(kind, source, note)
    text = source.text()
    content = json_text.parse(text, source.name)
    if isinstance(content, dict):
        _refuse_scores(content, source.name)
        content = _of_mteb(content, source.name)
        if _list_around(content, source.columns):
            content = [content]
        elif (records := _under_a_key(content, kind, source)) is not None:
            content = records
        elif is_record(content, source.columns):
            content = [content]
    if isinstance(content, list) and any(isinstance(item, dict) for item in content):
        return of_objects(_records(_in_pieces(content), source, "record"), kind, source.name, source.columns, note)
    return _of_queries(content, kind, source, note, partial(json_text.line_of, text))


def _of_queries(content: object, kind: GoldOrRun, source: Source, note: Note, line: LineOf) -> FoundRows:
    """What an object of queries holds."""
    if kind == "gold" and is_unlabelled(content):
        problem = "this is a test set without labels: it lists queries but no relevant documents"
        raise InputError("missing-label", source.name, problem, remedy="give the file with the labels")
    if not isinstance(content, dict) or not content:
        problem, remedy = "this JSON is not an object of queries", 'expected {"000001": ["000018", "000023"]}'
        raise InputError("structure", source.name, problem, found=json.dumps(content)[:60], remedy=remedy)
    return of_dictionary(content, kind, source.name, source.columns, note, line)


def _run(source: Source, rule: IdRule) -> Run | None:
    """A run of documents in JSON Lines, which are read in blocks; None for any other file."""
    return (
        run_in_blocks(partial(_in_lines, "run", source), source, rule, "json") if json_text.are_lines(source) else None
    )


def _refuse_scores(content: Mapping[str, object], path: str) -> None:
    """Refuse lists of instances by what became of them, which look like the documents of queries."""
    if ("resolved" in content and content.keys() <= _BECAME) or {"total_instances", "resolved_ids"} <= content.keys():
        problem, remedy = "these are SWE-bench's results", "give them to leaderboard or compare, without a gold"
        raise InputError("unknown-format", path, problem, remedy=remedy)


def _in_pieces(content: Sequence[object]) -> Iterator[tuple[Sequence[int], Sequence[object]]]:
    for start in range(0, len(content), json_text.MANY):
        piece = content[start : start + json_text.MANY]
        yield range(start + 1, start + 1 + len(piece)), piece


def _under_a_key(content: Mapping[str, object], kind: GoldOrRun, source: Source) -> list[dict[str, Any]] | None:
    """The records under the one key, or path of keys, that holds a list of objects, beside what describes them."""
    fitting, unfitting = [], []
    for key, value in json_text.objects_under(content):
        first = json_text.with_paths(value[0], paths_in(source.columns))
        names = ["doc_id" if _lists(first, name, source.columns) else name for name in first]
        try:
            roles_of(names, kind, Place(source.name), source.columns)
            fitting.append((key, value))
        except InputError:
            unfitting.append((key, value))
    first = unfitting[0][1][0] if len(unfitting) == 1 else {}
    if not fitting and len(unfitting) == 1 and not any(_is_document(name, item) for name, item in first.items()):
        fitting = unfitting  # whose reading says which keys they have
    if len(fitting) != 1 or any(map(str.isdigit, fitting[0][0])):  # the key is the id of a query
        return None
    return fitting[0][1]


def _is_document(name: str, content: object) -> bool:
    return normal_name(name) in EVERY_NAME["document"] and not isinstance(content, Mapping)


def is_record(content: Mapping[Any, object], columns: Mapping[str, str] | None = None) -> bool:
    """Whether the keys of an object are names of roles, so that it is a record and not an object of queries.

    A value that is no list and no object shows that. Where all of them are, queries may be called so; unless the names
    are those of queries and of what is retrieved, as of the columns of a table: its reading says what is wrong.

    >>> is_record({"query_id": "001", "doc_ids": ["018"]}), is_record({"id": ["018"], "query": ["019"]})
    (True, False)
    """
    content = json_text.with_paths(content, paths_in(columns))
    if len(content) > SHOWN:
        return False
    user_names = {role: normal_name(name) for role, name in (columns or {}).items() if role not in ANSWERS}
    # no role has a name that ends in a digit, as nearly all queries do
    names = {key: normal_name(key) for key in content if user_names or not str(key)[-1:].isdigit()}
    roles = {*_NAMES, *user_names.values()} if user_names else _NAMES
    if roles.isdisjoint(names.values()):
        return False
    known = {key for key, name in names.items() if name in roles}
    queries = {key for key in known if names[key] in EVERY_NAME["query"] or names[key] == user_names.get("query")}
    of_query = known - queries | {key for key in queries if names[key] in EVERY_NAME["document"]}
    single = {key for key in known if not _is_list(content[key]) and not isinstance(content[key], Mapping)}
    return bool(single & queries) or (len(known) > 1 and bool(single or (queries and of_query)))


def _is_list(content: object) -> bool:
    return isinstance(content, Iterable) and not isinstance(content, str | bytes | Mapping | Set)


def of_objects(
    batches: Iterator[Records], kind: GoldOrRun, path: str, columns: Mapping[str, str] | None, note: Note
) -> FoundRows:
    """Records of rows, or of queries with lists of documents, whose keys the user may have named by paths."""
    first = next(batches)
    through = _list_around(first.records[0], columns or {})
    batches = (_with_paths(batch, [*through, *paths_in(columns)]) for batch in itertools.chain([first], batches))
    first = next(batches)
    batches = itertools.chain([first], batches)
    of_item = {role: name.removeprefix(f"{''.join(through)}.") for role, name in (columns or {}).items()}
    listed = next(
        (name for name in first.records[0] if name in through or _lists(first.records[0], name, columns)), None
    )
    named = normal_name((columns or {}).get("query", ""))
    tiers = (frozenset({named}) if named else frozenset(), *NAMES["query"])
    both = _both_parts(first.records[0], columns or {}, note, through) if kind == "run" else {}
    if both and (through or _is_list(first.records[0][both["document"]])):
        every, parts = list(batches), {**(columns or {}), **both}
        of_list = {role for role, name in parts.items() if through and name.startswith(f"{through[0]}.")}
        left_out = {"answer": of_list | {"document"}, "document": {"answer"}}
        of_parts = ({role: parts[role] for role in parts if role not in left_out[part]} for part in both)
        return itertools.chain.from_iterable(of_objects(iter(every), kind, path, of_part, note) for of_part in of_parts)
    single = [name for name, value in first.records[0].items() if not isinstance(value, Mapping)]
    query = next((name for tier in tiers for name in single if normal_name(name) in tier), None)
    is_answered = kind == "run" and (columns or {}).get("answer") in first.records[0]  # perhaps beside documents
    if listed is None or query is None or is_answered:
        return of_records(batches, kind, columns, note)
    entries = _by_query(batches, query, listed, kind, columns)
    of_user = of_item if through else columns
    return itertools.chain.from_iterable(of_dictionary(content, kind, path, of_user, note) for content in entries)


def _both_parts(
    record: Mapping[Any, Any], columns: Mapping[str, str], note: Note, through: Sequence[str]
) -> dict[str, str]:
    """The key of a record's answer, and that of the list of its documents, where both are read: by role, answers first.

    The user names both or none; where one of them may be copied from the gold, that one is not read is remarked.
    """
    answers = [name for name, value in record.items()
               if normal_name(name) in EVERY_NAME["answer"] and word_of(value).lower() in LABELS]  # fmt: skip
    lists = [name for name, value in record.items()
             if _is_list(value) and _singular(name) & (EVERY_NAME["document"] | _LISTED)]  # fmt: skip
    of_user = {role: columns[role] for role in ("answer", "document") if columns.get(role) in record}
    if through:  # the path of the document goes on in the items of a list
        of_user |= {"document": columns["document"]}
    if of_user:
        return of_user if len(of_user) == 2 else {}
    if not answers or not lists or {"answer", "document"} & columns.keys():
        return {}
    both = {"answer": answers[0], "document": lists[0]}
    of_gold = {"label", *TRUTH_BESIDE} & {*map(normal_name, record)}
    if len(lists) == 1 and not of_gold and normal_name(lists[0]) in RETRIEVED:
        return both
    note("other-part", "--columns " + ",".join(f"{role}={name}" for role, name in both.items()))
    return {}


def _with_paths(batch: Records, paths: Sequence[str]) -> Records:
    """Records in which what is under some paths of keys is under the whole path too."""
    return batch._replace(records=[json_text.with_paths(record, paths) for record in batch.records]) if paths else batch


def _list_around(record: Mapping[Any, Any], columns: Mapping[str, str]) -> list[str]:
    """The path of the list in whose items the user's path of the document goes on; empty where it does not."""
    heads = itertools.accumulate(columns.get("document", "").split(".")[:-1], "{}.{}".format)
    return [head for head in heads if _is_list(json_text.with_paths(record, [head]).get(head))][:1]


def _lists(record: Mapping[Any, object], name: Any, columns: Mapping[str, str] | None) -> bool:
    """Whether a record lists the documents of its query under this key."""
    of_user = normal_name((columns or {}).get("document", ""))
    return (normal_name(name) in _LISTED or normal_name(name) == of_user) and _is_list(record[name])


def _by_query(
    batches: Iterator[Records], query: Any, listed: Any, kind: GoldOrRun, columns: Mapping[str, str] | None
) -> Iterator[dict[Any, Any]]:
    """Records of a query and the list of its documents, perhaps with one of numbers, as dictionaries of queries."""
    seen, known = set[Any](), set[str]()
    for batch in batches:
        entries: dict[Any, Any] = {}
        for i, record in enumerate(batch.records):
            documents: Any = record.get(listed)
            role, numbers = _numbers_of(record, batch.place(i), kind, columns or {})
            known |= {role} if documents else set()
            if not _is_list(documents) or not isinstance(record.get(query), str | Integral) or len(known) > 1:
                problem, remedy = "this record is written differently from the first", f"give {query} and {listed}"
                raise batch.place(i).fault("mixed-forms", problem, ", ".join(map(str, record)), remedy)
            if record[query] in seen:
                raise batch.place(i).fault("duplicate", "this query appears twice", str(record[query]), "keep one")
            seen.add(record[query])
            if role and len(numbers) != len(documents):
                problem = f"{counted(len(documents), 'document')}, and {counted(len(numbers), role)}"
                raise batch.place(i).fault("shape", problem, str(record[query]), "give one for each document")
            if role in {"score", "relevance"} - (columns or {}).keys():
                documents = list(zip(documents, numbers, strict=True))
            elif role:
                documents = [{"doc_id": document, role: n} for document, n in zip(documents, numbers, strict=True)]
            entries[record[query]] = documents
        yield entries


def _numbers_of(
    record: Mapping[Any, Any], place: Place, kind: GoldOrRun, columns: Mapping[str, str]
) -> tuple[str, list[Any]]:
    """What a record's list of relevances, scores or ranks is called, and the list; nothing where it has none."""
    for role in ("relevance",) if kind == "gold" else ("score", "rank"):
        key = columns.get(role, role)
        tiers = [frozenset({normal_name(key)})] if role in columns else RELEVANCE if kind == "gold" else NAMES[role]
        for tier in tiers:
            lists = [name for name, content in record.items() if _is_list(content) and tier & _singular(name)]
            if len(lists) > 1:
                problem, remedy = f"several keys could be the {role}", f"choose one with --columns {role}=NAME"
                raise place.fault("ambiguous", problem, ", ".join(map(str, lists)), remedy)
            if lists:
                return key, list(record[lists[0]])
    return "", []


def _singular(name: Any) -> frozenset[str]:
    """What a key may be called, in the singular too."""
    return frozenset({normal_name(name), normal_name(name).removesuffix("s")})


def _of_mteb(content: dict[str, Any], path: str) -> dict[str, Any]:
    """Of the predictions that MTEB writes, ``{"default": {"test": {query: {document: score}}}}``, the only split."""
    parts = {key: value for key, value in content.items() if key != "mteb_model_meta"}
    if parts.keys() == content.keys() and _depth(content) < 4:  # it names no model, and is no deeper than runs are
        return content
    splits = {
        f".{subset}.{split}": part
        for subset, of_subset in parts.items() if isinstance(of_subset, dict)
        for split, part in of_subset.items() if isinstance(part, dict)
    }  # fmt: skip
    if len(splits) != 1:
        problem, remedy = "this file holds several splits", f"write one to a file: jq '{next(iter(splits), '.')}'"
        raise InputError("ambiguous", path, problem, found=", ".join(splits), remedy=remedy)
    return next(iter(splits.values()))


def _depth(content: object) -> int:
    """How many dictionaries stand one in the other, as the first of each shows."""
    return 1 + _depth(next(iter(content.values()), None)) if isinstance(content, dict) else 0


def _in_lines(kind: GoldOrRun, source: Source, note: Note) -> FoundRows:
    """What JSON Lines hold: records, one a line; or objects of queries, where each line names others."""
    batches = _in_blocks(source)
    ahead = [next(batches)]
    if len(ahead[0].records) == 1:
        ahead += itertools.islice(batches, 1)
    first, second = [record for batch in ahead for record in batch.records][:2]
    batches = itertools.chain(ahead, batches)
    shared = first.keys() & second.keys()
    if any(is_record(record, source.columns) for record in (first, second)) or (shared and len(first) > 1):
        return of_objects(batches, kind, source.name, source.columns, note)
    # what is right is held in memory anyway; and all answers show together that they are none but Y and N
    is_run = kind == "run" and all(isinstance(entry, list | dict) for entry in first.values())
    return _in_objects(([batch] for batch in batches) if is_run else [batches], kind, source, note, shared)


def _in_blocks(source: Source) -> Iterator[Records]:
    """The records of JSON Lines, where they are written alike as columns."""
    for first, raw in json_text.raw_blocks(source):
        if (alike := Alike.of(raw, source.name, first)) is not None:
            yield Records(alike, partial(place_of_row, source.name, "line", first))
        else:
            yield from _records(json_text.batches(decode(raw, source.name, first), source.name, first), source, "line")


def _in_objects(
    parts: Iterable[Iterable[Records]], kind: GoldOrRun, source: Source, note: Note, shared: Collection[str]
) -> FoundRows:
    """What objects of queries hold, each of which names others; ``shared`` are those of the first two."""
    seen = set[str]()
    for part in parts:
        merged, lines = dict[str, Any](), dict[str, int]()
        for batch in part:
            for i, record in enumerate(batch.records):
                for query in record:
                    if query in seen:
                        if shared and not any(map(str.isdigit, query)):
                            raise batch.place(i).fault("missing-column", "no key is the query", query, _SHAPES)
                        raise batch.place(i).fault("duplicate", "this query appears twice", query, "keep one")
                    seen.add(query)
                    lines[query] = int(batch.place(i).name)
                merged |= record
        yield from _of_queries(merged, kind, source, note, lines.get) if merged else ()


def _records(batches: Iterable[tuple[Sequence[int], Sequence[object]]], source: Source, part: str) -> Iterator[Records]:
    """Values, which must be objects, with the numbers of their lines or among themselves."""
    for numbers, values in batches:
        if set(map(type, values)) != {dict}:
            number, value = next(pair for pair in zip(numbers, values, strict=True) if not isinstance(pair[1], dict))
            raise Place(source.name, part, number).fault(
                "structure", "this is not an object", json.dumps(value, ensure_ascii=False), _SHAPES
            )
        yield Records(cast(Sequence[dict[str, Any]], values), partial(_numbered, source.name, part, numbers))


def _numbered(path: str, part: str, numbers: Sequence[int], i: int) -> Place:
    return Place(path, part, numbers[i])


def of_dictionary(
    content: Mapping[Any, Any],
    kind: GoldOrRun,
    path: str,
    columns: Mapping[str, str] | None,
    note: Note,
    line: LineOf | None = None,
) -> FoundRows:
    """What a dictionary from queries to their documents, or to their answers, holds; of JSON, with their lines."""
    if content.keys() in ({"columns", "data"}, {"columns", "index", "data"}):
        problem = "this JSON contains the columns of a table beside its rows"
        raise InputError("structure", path, problem, found=", ".join(content), remedy=_A_RECORD_A_ROW)
    if are_labels(content, words_of(columns)):
        return (Row(_place(path, query, line), query, answer=answer) for query, answer in content.items())
    filled = [entry for entry in content.values() if isinstance(entry, dict | Mapping) and entry]
    if filled and len(filled) == len(content) and all(entry.keys() == filled[0].keys() for entry in filled):
        named = any(json_text.with_paths(filled[0], [path]) is not filled[0] for path in paths_in(columns))
        words = [value for value in filled[0].values() if isinstance(value, str) and not is_number(value)]
        of_row = [name for name in filled[0] if normal_name(name) in _IDS_OF_QUERIES]
        if of_row and all(str(at).isdigit() and str(entry[of_row[0]]) != str(at) for at, entry in content.items()):
            problem = "this JSON contains the rows of a table under their numbers"
            raise _place(path, next(iter(content)), line).fault(
                "structure", problem, ", ".join(filled[0]), _A_RECORD_A_ROW
            )
        # a record under the id of its query; one of one key may be a document with what is no score
        if named or is_header(list(filled[0])) or (words and (len(content) > 1 or words[0].lower() in LABELS)):
            of_query = (({**entry, "query_id": query}, _place(path, query, line)) for query, entry in content.items())
            return of_objects(
                (Records([one], partial(_same_place, place)) for one, place in of_query), kind, path, columns, note
            )
    if _nested("", next(filter(_is_filled, content.values()), ())) is None:
        return [Entries(content, partial(_documents, content, path, line))]
    batches = (
        batch if isinstance(batch, Row) else _with_paths(batch, paths_in(columns))
        for batch in _of_entries(content, path, line)
    )
    return of_records(batches, kind, columns, note)


def _place(path: str, query: Any, line: LineOf | None) -> Place:
    return Place(path, "query", query, None if line is None else partial(line, query))


def _documents(content: Mapping[Any, Any], path: str, line: LineOf | None) -> Iterator[Row]:
    """The documents of each query: a dictionary with numbers, a list, or a text with separators."""
    for query, entry in content.items():
        place = _place(path, query, line)
        if isinstance(entry, str) and len(entry.split()) > 1 and re.search("[][>'\"]", entry):
            remedy = 'give a list: ["d1", "d2"]; or the ids alone, with blanks between them'
            raise place.fault("bad-id", "this text holds other signs than ids", entry, remedy)
        if not isinstance(entry, Iterable) or isinstance(entry, bytes) or _has_no_dimension(entry):
            remedy = (
                "give a list of documents, or a dictionary from documents to numbers; for answers Y or N, or 1 or 0"
            )
            raise place.fault("structure", "this entry cannot be read", repr(entry), remedy)
        numbers = entry.values() if isinstance(entry, Mapping) else itertools.repeat(NOTHING)
        documents = filter(None, re.split(SEPARATORS, entry)) if isinstance(entry, str) else entry
        yield Row(place, query)
        yield from (Row(place, query, *pair) for pair in zip(documents, numbers, strict=False))


def _is_filled(entry: object) -> bool:
    return not isinstance(entry, Sized) or _has_no_dimension(entry) or len(entry) > 0


def _has_no_dimension(entry: object) -> bool:
    """Whether it is an array of one value alone, which has no length and no members."""
    return getattr(entry, "shape", None) == ()


def _of_entries(content: Mapping[Any, Any], path: str, line: LineOf | None) -> Iterator[Records | Row]:
    """The documents of each query as records, where each is more than an id."""
    for query, entry in content.items():
        place = _place(path, query, line)
        if not _is_filled(entry):
            yield Row(place, query)
        else:
            if (records := _nested(query, entry)) is None:
                remedy = "use the same form for all of them: [[document, score], …]"
                found = json.dumps(entry, ensure_ascii=False, default=repr)
                raise place.fault("mixed-forms", "this entry is written differently from the others", found, remedy)
            yield Records(records, partial(_same_place, place))


def _same_place(place: Place, _: int) -> Place:
    return place


def _nested(query: object, entry: object) -> list[Mapping[str, Any]] | None:
    """The documents of a query as records; None where the entry has another shape.

    >>> _nested("q", [("d", 0.5)])
    [{'query_id': 'q', 'doc_id': 'd', 'score': 0.5}]
    >>> _nested("q", {"d": {"rank": 1}})
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


def of_records(
    found: Iterable[Records | Row], kind: GoldOrRun, columns: Mapping[str, str] | None, note: Note
) -> Iterator[Values | Row]:
    """Records as the values of their roles, of which the user may have named the keys; rows among them as they are."""
    found, ahead, sample = iter(found), list[Records | Row](), list[Mapping[str, Any]]()
    while len(sample) < SHOWN and (item := next(found, None)) is not None:
        ahead.append(item)
        sample += item.records if isinstance(item, Records) else ()
    known: dict[tuple[str, ...], dict[str, str]] = {}
    for item in itertools.chain(ahead, found):
        if isinstance(item, Row):
            yield item
            continue
        alike = _by_key(item.records)
        # the places go back to front, so that of the records with the same keys the first is shown
        backwards = range(len(item.records) - 1, -1, -1)
        kinds = {tuple(alike): 0} if alike else {tuple(item.records[i]): i for i in backwards}
        for keys, i in sorted(kinds.items(), key=itemgetter(1)):
            if keys not in known:
                known[keys] = _keys(keys, kind, item.place(i), columns, sample, None if known else note)
            if (next(iter(known.values())).keys() ^ known[keys].keys()) - {"tag"}:
                expected = ", ".join(next(iter(known.values())).values())
                problem, remedy = "this record has other keys than the first", f"write all of them like {expected}"
                raise item.place(i).fault("mixed-forms", problem, ", ".join(map(str, keys)), remedy)
            query = alike[known[keys]["query"]][i] if alike else item.records[i][known[keys]["query"]]
            if _is_list(query) or isinstance(query, Mapping):
                problem = "this JSON contains the columns of a table, not its rows"
                raise item.place(i).fault("structure", problem, ", ".join(keys), _A_RECORD_A_ROW)
        if alike:
            values = {role: alike[key] for role, key in known[next(iter(kinds))].items()}
        else:
            roles = dict.fromkeys(role for keys in kinds for role in known[keys])
            pairs = [(record, known[tuple(record)]) for record in item.records]
            values = {role: [record.get(names.get(role, "")) for record, names in pairs] for role in roles}
        yield Values(values, item.place)


def _by_key(records: Sequence[Mapping[str, Any]]) -> Mapping[str, Sequence[Any]]:
    """What records with the same keys hold under each, found faster than their keys; nothing where they differ."""
    if isinstance(records, Alike):
        return records.columns
    if {*map(type, records)} == {dict} and {*map(len, records)} == {len(records[0])}:
        with contextlib.suppress(KeyError):
            return {key: list(map(itemgetter(key), records)) for key in records[0]}
    return {}


def _keys(
    keys: Sequence[str],
    kind: GoldOrRun,
    place: Place,
    columns: Mapping[str, str] | None,
    shown: Sequence[Mapping[str, Any]],
    note: Note | None,
) -> dict[str, str]:
    """Role → key of records with these keys; ``shown`` are the first records."""

    def values(i: int) -> Iterator[Any]:
        return (record.get(keys[i]) for record in shown)

    first = shown[0] if shown else {}
    nested = {key for key in keys if isinstance(first.get(key), Mapping)}
    try:
        names = ["" if key in nested and len(nested) < len(keys) else key for key in keys]  # an object is no value
        roles = roles_of(names, kind, Place(place.path), columns, values=values, note=note)
    except InputError as error:
        problem, remedy = f"unrecognised keys ({error.problem.replace('column', 'key')})", error.remedy
        if nested:
            paths = json_text.paths_of(json.dumps(first, default=repr, ensure_ascii=False))
            keys = [path for path in paths if not any(other.startswith(path + ".") for other in paths)]
            remedy = (
                f"name a value within another by its path, with dots; for other files use --protocol FILE; {remedy}"
            )
        own = [str(key) for key in keys if place.part != "query" or key not in ("query_id", "doc_id")]
        raise place.fault(error.kind, problem, ", ".join(own), remedy) from None
    answer = keys[roles["answer"]] if "answer" in roles else ""
    if kind == "run" and normal_name(answer) == "label" and "answer" not in (columns or {}):  # which may be the gold's
        inside = [f"{key}.{name}" for key in nested for name, value in first[key].items()
                  if word_of(value).lower() in LABELS]  # fmt: skip
        if inside:
            remedy = f"name the run's answer, as in --columns answer={inside[0]}"
            raise place.fault(
                "ambiguous", "there is an answer under each of two keys", f"{answer}, {inside[0]}", remedy
            )
    return {role: keys[i] for role, i in roles.items()}


def are_labels(entries: Mapping[Any, object], words: Collection[str] = ()) -> bool:
    """Whether all entries are words and most of them labels; then what is none is an answer that is not understood.

    Text of digits is a document, as in Task 2 of 2025, unless it can only be labels: see ``statute.are_numbered``.
    """
    listed = list(entries.values())
    if not all(entry is None or isinstance(entry, str | int) for entry in listed):
        return False
    digits = {str(query): str(word) for query, word in entries.items()} if set(listed) <= {"0", "1"} else {}
    if digits and forms.statute.are_numbered(digits):
        return True
    labels = sum(
        word_of(entry).lower() in LABELS
        or answer_word(word_of(entry)) in words
        or (isinstance(entry, int) and entry in (0, 1))
        for entry in listed
    )
    return labels > 0 and 2 * labels >= len(listed)


def sniff(head: bytes) -> bool:
    """Whether a file with these first bytes is JSON."""
    return head.lstrip().startswith((b"{", b"["))


def _write(content: FormContent, stream: TextIOBase) -> None:
    """Write ``{query: [document, …]}``, without ``.txt``; or ``{query: {document: number}}``."""
    between = "{\n "
    for query, entry in content.documents.items():
        texts = [encode_basestring(document) for document in entry]
        if content.scored:
            texts = [f"{text}: {number!r}" for text, number in zip(texts, entry.values(), strict=True)]
        begin, end = "{}" if content.scored else "[]"
        entries = "".join((begin, "\n  ", ",\n  ".join(texts), "\n ", end)) if texts else begin + end
        stream.write(f"{between}{encode_basestring(query)}: {entries}")
        between = ",\n "
    stream.write("\n}\n" if content.documents else "{}\n")


#: what a gold has a place for, and what a run
_HOLDS: Final[Mapping[GoldOrRun, Sequence[str]]] = {
    "gold": ("documents", "labels", "levels", "empty"),
    "run": ("documents", "order", "scores", "empty"),
}

FORMS: Final = tuple(
    Form(kind, "json", '{"000001": ["000018", …]}', sniff, partial(_rows_of, kind), _run, write=_write, can_write=holds)
    for kind, holds in _HOLDS.items()
)
