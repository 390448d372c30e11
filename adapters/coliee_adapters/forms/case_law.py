"""Tasks 1 and 2, case law: the older XML gold, test sets without labels, and runs ``QUERY DOCUMENT TAG``."""

from __future__ import annotations

import json
import re
from functools import partial
from io import TextIOBase
from typing import Final, TypeGuard

from coliee_adapters import forms
from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms import json_text
from coliee_adapters.forms.columns import read_columns, three_columns
from coliee_adapters.forms.form import Form, FormContent, FoundRows, Row
from coliee_adapters.forms.lines import Note, first_lines, lines_of
from coliee_adapters.records import SEPARATORS, IdRule, normal_id

#: The elements of the older XML that hold the relevant documents, by task.
_XML_LISTS: Final = {"1": "cases_noticed", "2": "entailing_paragraphs"}


def _is_xml(head: bytes) -> bool:
    """Whether it has a ``<COLIEE>`` root or instances."""
    return head.lstrip().startswith(b"<") and bool(re.search(rb"<(?:COLIEE|instance)[\s>]", head, re.IGNORECASE))


def read_test_queries(source: Source, rule: IdRule = normal_id) -> tuple[str, ...] | None:
    """The queries of a test set without labels: ``["000001.txt", …]`` (2021) or ``{"000001.txt": []}`` (2025, 2026)."""
    text = source.text() if source.head().lstrip().startswith((b"{", b"[")) else ""
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


def is_unlabelled(value: object) -> TypeGuard[list[object] | dict[str, object]]:
    """Whether the JSON of a gold names queries and not one relevant document: a list of ids, an object of nothing."""
    if isinstance(value, list):
        return all(isinstance(item, str | int) and not isinstance(item, bool) for item in value)
    return isinstance(value, dict) and bool(value) and all(entry in (None, "", [], {}) for entry in value.values())


def _xml(source: Source, _: Note) -> FoundRows:
    """What ``<COLIEE task='1'><instance id='001'>…<cases_noticed>013,045</cases_noticed>`` holds (2018–2019)."""
    root = forms.markup.parse(source, unnested=("instance", *_XML_LISTS.values()))
    task = root.attributes.get("task", "").strip()
    names = [_XML_LISTS[task]] if task in _XML_LISTS else list(_XML_LISTS.values())
    holds_any = False
    for query, instance in forms.markup.by_id(root, "instance", source, "give it an id").items():
        yield Row(Place(source.name, "line", instance.line), query)
        for element in instance.iter(*names):
            place = Place(source.name, "line", element.line)
            for document in filter(None, re.split(SEPARATORS, element.text)):
                holds_any = True
                yield Row(place, query, document)
    if not holds_any:
        problem = f"no instance has a relevant document in <{'> or <'.join(names)}>"
        raise InputError("no-relevant", source.name, problem, remedy="give the file with the labels")


def _task(head: bytes) -> str | None:
    """The task that the root element names."""
    named = re.search(rb"""<COLIEE\b[^>]*?\btask\s*=\s*["']\s*(\w+)""", head, re.IGNORECASE)
    return None if named is None else named[1].decode()


def _write(run: FormContent, stream: TextIOBase) -> None:
    for query, documents in run.documents.items():
        stream.write(lines_of([query], [*documents], [], run.tag))


FORMS: Final = (
    Form("gold", "xml", "<COLIEE task='1'><instance id='001'>…", _is_xml, _xml, task=_task),
    Form(
        "run",
        "columns",
        "000001 000018 TAG",
        lambda head: bool(first_lines(head)),  # whether it has a content line, and is neither JSON nor XML
        run=partial(read_columns, three_columns, "columns"),
        write=_write,
        can_write=("documents", "order", "tag"),
    ),
)
