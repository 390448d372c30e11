"""Tasks 1 and 2, case law: gold and submissions in JSON, the older XML gold, and runs ``QUERY DOCUMENT TAG``."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from io import TextIOBase
from typing import Final, TypeGuard

from coliee_adapters.errors import InputError, Place, quoted
from coliee_adapters.files.source import Source
from coliee_adapters.forms import json_text, markup
from coliee_adapters.forms.columns import read_columns, three_columns
from coliee_adapters.forms.lines import Comments, content_lines, join_columns
from coliee_adapters.forms.rows import NOTHING, Row
from coliee_adapters.records import (
    ONE_WORD,
    SEPARATORS,
    Gold,
    IdRule,
    Run,
    exact_id,
    normal_id,
    wrong_id,
)
from coliee_adapters.remarks import Remarks

#: The elements of the older XML that hold the relevant documents, by task.
_XML_LISTS: Final = {"1": "cases_noticed", "2": "entailing_paragraphs"}


def sniff_gold(head: bytes) -> str | None:
    """``json`` for JSON that is not the pilot's, ``xml`` for XML with a ``<COLIEE>`` root or instances."""
    start = head.lstrip()
    if start.startswith((b"{", b"[")):
        return "json"
    if start.startswith(b"<") and re.search(rb"<(?:COLIEE|instance)[\s>]", head, re.IGNORECASE):
        return "xml"
    return None


def sniff_run(head: bytes) -> str | None:
    """``json``; else ``columns``, unless it begins as XML or has no content line."""
    start = head.lstrip()
    if start.startswith((b"{", b"[")):
        return "json"
    if start.startswith(b"<"):
        return None
    text = head.decode("utf-8", errors="replace")
    return "columns" if next(content_lines(text, "", comments=Comments()), None) else None


def read_test_queries(source: Source, rule: IdRule = normal_id) -> tuple[str, ...] | None:
    """The queries of a test set without labels: ``["000001.txt", …]`` (2021) or ``{"000001.txt": []}`` (2025, 2026)."""
    text = source.text() if sniff_gold(source.head()) == "json" else ""
    value = None if not text or json_text.is_lines(text) else json_text.parse(text, source.name)
    if not is_unlabelled(value):
        return None
    remedy = 'expected ["000001.txt", "000018.txt"]'
    queries: dict[str, None] = {}
    for name in value:
        query = rule(name) if isinstance(name, str) else ""
        if not query:
            found = json.dumps(name, ensure_ascii=False)
            raise InputError("bad-id", source.name, "a query id must be text", found=found, remedy=remedy)
        if query in queries:
            raise InputError("duplicate", source.name, "this query appears twice", found=query, remedy="keep one")
        queries[query] = None
    if not queries:
        raise InputError("empty", source.name, "this list contains no queries", remedy=remedy)
    return tuple(queries)


def read_gold_xml(source: Source, rule: IdRule = normal_id) -> Gold:
    """Gold from ``<COLIEE task='1'><instance id='001'>…<cases_noticed>013,045</cases_noticed>`` (2018–2019)."""
    remarks = Remarks()
    root = markup.parse(source, unnested=("instance", *_XML_LISTS.values()))
    task = root.attributes.get("task", "").strip()
    names = [_XML_LISTS[task]] if task in _XML_LISTS else list(_XML_LISTS.values())
    qrels: dict[str, dict[str, int]] = {}
    for instance in root.iter("instance"):
        query = rule(instance.attributes.get("id", ""))
        if not query:
            problem = "an instance without an id"
            raise InputError("missing-id", source.name, problem, line=instance.line, remedy="give it an id")
        if wrong := wrong_id([query], commas=False):
            raise InputError("bad-id", source.name, wrong[1], line=instance.line, found=query, remedy=ONE_WORD)
        if query in qrels:
            problem = "this id appears twice"
            raise InputError("duplicate", source.name, problem, line=instance.line, found=query, remedy="keep one")
        qrels[query] = {}
        for element in instance.iter(*names):
            documents = [rule(text) for text in re.split(SEPARATORS, element.text) if text]
            if wrong := wrong_id(documents):
                raise InputError("bad-id", source.name, wrong[1], line=element.line, found=wrong[0], remedy=ONE_WORD)
            for document in documents:
                if document in qrels[query]:
                    remarks.add("gold-duplicate", f"line {element.line}: {query} {document}")
                qrels[query][document] = 1
    if not any(qrels.values()):
        problem = f"no instance has a relevant document in <{'> or <'.join(names)}>"
        raise InputError("no-relevant", source.name, problem, remedy="give the file with the labels")
    return Gold(qrels, path=source.name, format="xml", task=task or None, remarks=remarks)


def read_run(source: Source, rule: IdRule = normal_id) -> Run:
    """A run of three columns; its lines are read when its blocks are asked for. The order of lines is the ranking.

    Where the third column holds numbers that differ within a query, it is the rank or the score.
    """
    return read_columns(source, three_columns(source), rule, "columns")


def write_json(held: Mapping[str, Iterable[str]] | Mapping[str, Mapping[str, float]], stream: TextIOBase) -> None:
    """Write ``{query: [document, …]}``, without ``.txt``; or ``{query: {document: number}}``."""
    kept = {query: entry if isinstance(entry, Mapping) else list(entry) for query, entry in held.items()}
    json.dump(kept, stream, ensure_ascii=False, indent=1)
    stream.write("\n")


def write_run(rankings: Iterable[tuple[str, Iterable[str]]], tag: str, stream: TextIOBase) -> None:
    """Write ``QUERY DOCUMENT TAG``, documents in the order given."""
    for query, documents in rankings:
        stream.writelines(join_columns(query, document, tag) for document in documents)


def is_unlabelled(value: object) -> TypeGuard[list[object] | dict[str, object]]:
    """Whether the JSON of a gold names queries and not one relevant document: a list of ids, an object of nothing."""
    if isinstance(value, list):
        return all(isinstance(item, str | int) and not isinstance(item, bool) for item in value)
    return isinstance(value, dict) and bool(value) and all(entry in (None, "", [], {}) for entry in value.values())


def members(value: object, source: Source, rule: IdRule) -> list[tuple[str, object]]:
    """The queries of a JSON object and what stands for each."""
    if not isinstance(value, dict) or not value:
        problem = "this JSON is not an object of queries"
        remedy = 'expected {"000001": ["000018", "000023"]}'
        raise InputError("structure", source.name, problem, found=json.dumps(value)[:60], remedy=remedy)
    found: dict[str, object] = {}
    for query, entry in value.items():
        if rule(query) in found:
            raise InputError(
                "duplicate",
                source.name,
                "this query appears twice",
                line=_line_of(query, source),
                found=query,
                remedy="keep one",
            )
        found[rule(query)] = entry
    if wrong := wrong_id(list(found), commas=rule is exact_id):
        query, problem = wrong
        raise InputError("bad-id", source.name, problem, line=_line_of(query, source), found=query, remedy=ONE_WORD)
    return list(found.items())


def rows(members: Iterable[tuple[str, object]], source: Source) -> Iterator[Row]:
    """The documents of each query, as an object with numbers, a list, or a text with separators."""
    for query, entry in members:
        place = Place(source.name, "query", query)
        numbers = entry.values() if isinstance(entry, dict) else itertools.repeat(NOTHING)
        if not entry:
            yield Row(place, query)
        for document, number in zip(_documents(entry, query, source), numbers, strict=False):
            yield Row(place, query, document, number)


def _documents(entry: object, query: str, source: Source) -> list[object]:
    """The documents of a query: a list of ids, texts or numbers, or one text with separators; or an object's keys."""
    if not isinstance(entry, str | list | dict):
        raise _wrong_entry(source, query, entry, 'expected a list of documents: ["000018", "000023"]')
    return list(filter(None, re.split(SEPARATORS, entry)) if isinstance(entry, str) else entry)


def _wrong_entry(source: Source, query: str, found: object, remedy: str) -> InputError:
    return InputError(
        "structure",
        source.name,
        f"the entry of query {quoted(query)} cannot be read",
        line=_line_of(query, source),
        found=found if isinstance(found, str) else json.dumps(found, ensure_ascii=False),
        remedy=remedy,
    )


def _line_of(query: str, source: Source) -> int | None:
    """The line of a query among a JSON object's keys, if the text holds that key just once as it stands."""
    text = source.text()
    key = re.escape(json.dumps(query, ensure_ascii=False)[:-1]) + r'(?:\.txt)?"\s*:'
    places = [match.start() for match in re.finditer(key, text)]
    return text.count("\n", 0, places[0]) + 1 if len(places) == 1 else None
