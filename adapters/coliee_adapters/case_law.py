"""Tasks 1 and 2, case law: gold and submissions in JSON, the older XML gold, CSV, and runs ``QUERY DOCUMENT TAG``."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from io import TextIOBase
from typing import Final, TypeGuard

from coliee_adapters import json_text, markup
from coliee_adapters.columns import THREE_COLUMNS, finite_score, read_columns
from coliee_adapters.errors import InputError, quoted
from coliee_adapters.files import Source
from coliee_adapters.lines import Comments, content_lines, counted, join_columns, refuse_mark
from coliee_adapters.records import GREATEST_RELEVANCE, Columns, Gold, IdRule, Run, normal_id
from coliee_adapters.remarks import Remarks

#: The elements of the older XML that hold the relevant documents, by task.
_XML_LISTS: Final = {"1": "cases_noticed", "2": "entailing_paragraphs"}

#: The names that a CSV's header may give to its columns.
_HEADER: Final = {
    "query": {"query", "query_id", "qid", "query_case", "case", "id"},
    "document": {"document", "document_id", "doc", "doc_id", "docid", "docno", "paragraph"},
    "score": {"score"},
    "tag": {"tag", "run", "run_id", "runid", "run_tag", "system"},
}
#: commas or semicolons end the first two words; possessive, for of two runs of blanks each could have any share
_BY_COMMA: Final = re.compile(r"[^,;\s]*+\s*+[,;]\s*+[^,;\s]*+\s*+(?:[,;]|$)")
_CSV: Final = "expected query,document or query,document,tag, or a first row that names the columns"


def sniff_gold(head: bytes) -> str | None:
    """``json`` for JSON that is not the pilot's, ``xml`` for XML with a ``<COLIEE>`` root or instances."""
    start = head.lstrip()
    if start.startswith((b"{", b"[")):
        return "json"
    if start.startswith(b"<") and re.search(rb"<(?:COLIEE|instance)[\s>]", head, re.IGNORECASE):
        return "xml"
    return None


def sniff_run(head: bytes) -> str | None:
    """``json``; ``csv`` where commas or semicolons end the first two words of the first content line; ``columns``.

    A CSV's header may have names of several words: ``Query ID, Doc ID``.
    """
    start = head.lstrip()
    if start.startswith((b"{", b"[")):
        return "json"
    if start.startswith(b"<"):
        return None
    for _, line in content_lines(head.decode("utf-8", errors="replace"), "", comments=Comments()):
        values = re.split("[,;]", line.replace('"', ""))
        if _BY_COMMA.match(line) or _csv_header(values):
            return "csv"
        return "columns"
    return None


def read_gold_json(source: Source, rule: IdRule = normal_id) -> Gold:
    """Gold from ``{"008447.txt": ["072495.txt", …]}`` or, as in Task 2 of 2025, ``{"827": "025.txt, 027.txt"}``.

    ``{query: {document: relevance}}``, the form of pytrec_eval, is read too.

    Raises:
        InputError: not such JSON, or a test set without labels.
    """
    remarks = Remarks()
    text = source.text()
    value = json_text.parse(text, source.name)
    if _is_unlabelled(value):
        raise InputError(
            source.name,
            "this is a test set without labels: it names queries and no relevant document",
            remedy="give the file with the labels",
        )
    qrels: dict[str, dict[str, int]] = {}
    for query, entry in _members(value, source, text, rule):
        qrels[query] = {}
        if isinstance(entry, dict):
            for document, relevance in entry.items():
                integer = isinstance(relevance, int) and not isinstance(relevance, bool)
                if not integer or abs(relevance) > GREATEST_RELEVANCE:
                    remedy = f"a relevance is an integer: 0, 1, 2, … up to {GREATEST_RELEVANCE}"
                    raise _wrong_entry(source, text, query, relevance, remedy)
                _judge(qrels[query], query, rule(document), relevance, source, text, remarks)
        else:
            for document in _documents(entry, query, source, text):
                _judge(qrels[query], query, rule(document), 1, source, text, remarks)
    return Gold(qrels, path=source.name, format="json", remarks=remarks)


def read_test_queries(source: Source, rule: IdRule = normal_id) -> tuple[str, ...] | None:
    """The queries of a test set without labels: ``["000001.txt", …]`` (2021) or ``{"000001.txt": []}`` (2025, 2026).

    Returns:
        Their ids in the order of the file; None if the file is another, such as one with labels.

    Raises:
        InputError: broken JSON, a query that is not named by text or stands twice, or no query at all.
    """
    value = json_text.parse(source.text(), source.name) if sniff_gold(source.head()) == "json" else None
    if not _is_unlabelled(value):
        return None
    remedy = 'expected ["000001.txt", "000018.txt"]'
    queries: dict[str, None] = {}
    for name in value:
        query = rule(name) if isinstance(name, str) else ""
        if not query:
            found = json.dumps(name, ensure_ascii=False)
            raise InputError(source.name, "a query is named by text", found=found, remedy=remedy)
        if query in queries:
            raise InputError(source.name, "a query stands twice", found=query, remedy="keep one")
        queries[query] = None
    if not queries:
        raise InputError(source.name, "this list names no query", remedy=remedy)
    return tuple(queries)


def read_gold_xml(source: Source, rule: IdRule = normal_id) -> Gold:
    """Gold from ``<COLIEE task='1'><instance id='001'>…<cases_noticed>013,045</cases_noticed>`` (2018–2019).

    Raises:
        InputError: not such XML, an instance within another, or instances without relevant documents throughout.
    """
    remarks = Remarks()
    root = markup.parse(source, unnested=("instance", *_XML_LISTS.values()))
    task = root.attributes.get("task", "").strip()
    names = [_XML_LISTS[task]] if task in _XML_LISTS else list(_XML_LISTS.values())
    qrels: dict[str, dict[str, int]] = {}
    for instance in root.iter("instance"):
        query = rule(instance.attributes.get("id", ""))
        if not query:
            raise InputError(source.name, "an instance without an id", line=instance.line, remedy="give it an id")
        if query in qrels:
            raise InputError(source.name, "an id stands twice", line=instance.line, found=query, remedy="keep one")
        qrels[query] = {}
        for element in instance.iter(*names):
            for document in filter(None, map(rule, re.split(r"[,\s]+", element.text))):
                if document in qrels[query]:
                    remarks.add("gold-duplicate", f"line {element.line}: {query} {document}")
                qrels[query][document] = 1
    if not any(qrels.values()):
        raise InputError(
            source.name,
            f"no instance has a relevant document in <{'> or <'.join(names)}>",
            remedy="give the file with the labels",
        )
    return Gold(qrels, path=source.name, format="xml", task=task or None, remarks=remarks)


def read_run(source: Source, rule: IdRule = normal_id) -> Run:
    """A run of three columns; its lines are read when its blocks are asked for. The order of lines is the ranking."""
    return read_columns(source, THREE_COLUMNS, rule, "columns")


def read_run_json(source: Source, rule: IdRule = normal_id) -> Run:
    """A submission in the gold's form, or ``{query: {document: score}}``. It is named after its file.

    Raises:
        InputError: not such JSON; a score that is no number.
    """
    text = source.text()
    value = json_text.parse(text, source.name)
    queries: list[str] = []
    starts = [0]
    documents: list[str] = []
    scores: list[float] = []
    for query, entry in _members(value, source, text, rule):
        if isinstance(entry, dict):
            for score in entry.values():
                number = isinstance(score, int | float) and not isinstance(score, bool)
                if not number or abs(score) > sys.float_info.max:
                    raise _wrong_entry(source, text, query, score, "a score is a finite number")
            scores += map(float, entry.values())
        queries.append(query)
        documents += map(rule, entry if isinstance(entry, dict) else _documents(entry, query, source, text))
        starts.append(len(documents))
    if scores and len(scores) < len(documents):
        raise InputError(
            source.name, "some queries have lists and some have scores", remedy="write all of them in one way"
        )
    block = Columns(queries, starts, documents, scores or None)
    return Run(partial(iter, [block]), tag=source.stem, scored=bool(scores), path=source.name, format="json")


def read_run_csv(source: Source, rule: IdRule = normal_id) -> Run:
    """A submission with commas or semicolons: ``query,document[,tag]``, or with a header that names the columns.

    Raises:
        InputError: a row without query or document, or with another number of values than the first; a first row of
            more than three values that is no header; a score that is no number; no row at all.
    """
    numbered = list(content_lines(source.text(columns=True), source.name))
    lines = [line for _, line in numbered]
    separator = ";" if lines and ";" in lines[0] and "," not in lines[0] else ","
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    columns: dict[str, int] = {}
    width = 0
    queries: list[str] = []
    documents: list[str] = []
    scores: list[float] = []
    tag = ""
    remarks = Remarks()
    try:
        for row in rows:
            values = [value.strip() for value in row]
            line = numbered[rows.line_num - 1][0]
            fault = partial(InputError, source.name, line=line, found=separator.join(row))
            if not any(values):
                continue
            refuse_mark(separator.join(row), source.name, line)
            if not columns:
                columns, width = _csv_header(values), len(values)
                if columns:
                    continue
                columns = {"query": 0, "document": 1, "tag": 2}
                if not 2 <= width <= 3:
                    raise fault(counted(width, "value"), remedy=_CSV)
            if len(values) != width:
                raise fault(counted(len(values), "value"), remedy=f"expected {width} as in the first row")
            query, document = rule(values[columns["query"]]), rule(values[columns["document"]])
            if not query or not document:
                raise fault("a value is empty", remedy="fill or drop it")
            queries.append(query)
            documents.append(document)
            if "score" in columns:
                scores.append(finite_score(values[columns["score"]], source.name, line))
            if columns.get("tag", width) < width:
                tag = tag or values[columns["tag"]]
                if values[columns["tag"]] != tag:
                    remarks.add("tag", f"line {line}: {values[columns['tag']]}")
    except csv.Error as error:
        raise InputError(source.name, f"broken CSV: {error}", line=numbered[rows.line_num - 1][0]) from None
    if not queries:
        raise InputError(source.name, "there is no row of a query and a document", remedy=_CSV)
    block = Columns(queries, list(range(len(queries) + 1)), documents, scores or None, None, remarks or None)
    name = "_".join(tag.split()) or source.stem
    return Run(partial(iter, [block]), tag=name, scored=bool(scores), path=source.name, format="csv")


def write_json(held: Mapping[str, Iterable[str]] | Mapping[str, Mapping[str, float]], stream: TextIOBase) -> None:
    """Write ``{query: [document, …]}``, without ``.txt``; or ``{query: {document: number}}``."""
    kept = {query: entry if isinstance(entry, Mapping) else list(entry) for query, entry in held.items()}
    json.dump(kept, stream, ensure_ascii=False, indent=1)
    stream.write("\n")


def write_run(rankings: Iterable[tuple[str, Iterable[str]]], tag: str, stream: TextIOBase) -> None:
    """Write ``QUERY DOCUMENT TAG``, documents in the order given."""
    for query, documents in rankings:
        stream.writelines(join_columns(query, document, tag) for document in documents)


def _csv_header(values: list[str]) -> dict[str, int]:
    """Which column is which, if these values name at least query and document; else nothing."""
    named: dict[str, int] = {}
    for at, value in enumerate(v.strip().lower().replace(" ", "_") for v in values):
        for role, words in _HEADER.items():
            if value in words:
                named.setdefault(role, at)
    return named if "query" in named and "document" in named else {}


def _is_unlabelled(value: object) -> TypeGuard[list[object] | dict[str, object]]:
    """Whether the JSON of a gold names queries and not one relevant document."""
    return isinstance(value, list) or (isinstance(value, dict) and bool(value) and not any(value.values()))


def _members(value: object, source: Source, text: str, rule: IdRule) -> list[tuple[str, object]]:
    """The queries of a JSON object and what stands for each."""
    if not isinstance(value, dict) or not value:
        raise InputError(
            source.name,
            "this JSON is not an object of queries",
            found=json.dumps(value)[:60],
            remedy='expected {"000001": ["000018", "000023"]}',
        )
    members: dict[str, object] = {}
    for query, entry in value.items():
        if rule(query) in members:
            raise InputError(
                source.name, "a query stands twice", line=_line_of(query, text), found=query, remedy="keep one"
            )
        members[rule(query)] = entry
    return list(members.items())


def _documents(entry: object, query: str, source: Source, text: str) -> list[str]:
    """The documents of a query: a list of ids, texts or numbers, or one text with commas."""
    if isinstance(entry, str):
        return [part for part in (piece.strip() for piece in entry.split(",")) if part]
    if not isinstance(entry, list):
        raise _wrong_entry(source, text, query, entry, 'expected a list of documents: ["000018", "000023"]')
    documents = []
    for document in entry:
        if isinstance(document, bool) or not isinstance(document, str | int) or not str(document).strip():
            raise _wrong_entry(source, text, query, document, "a document is named by text or by a whole number")
        documents.append(str(document))
    return documents


def _judge(
    judged: dict[str, int], query: str, document: str, relevance: int, source: Source, text: str, remarks: Remarks
) -> None:
    if document in judged:
        if judged[document] != relevance:
            raise _wrong_entry(source, text, query, document, "it is judged twice and differently; keep one")
        remarks.add("gold-duplicate", f"query {query}: {document}")
    judged[document] = relevance


def _wrong_entry(source: Source, text: str, query: str, found: object, remedy: str) -> InputError:
    return InputError(
        source.name,
        f"the entry of query {quoted(query)} cannot be read",
        line=_line_of(query, text),
        found=found if isinstance(found, str) else json.dumps(found, ensure_ascii=False),
        remedy=remedy,
    )


def _line_of(query: str, text: str) -> int | None:
    """The line of a query among a JSON object's keys, if the text holds that key just once as it stands."""
    key = re.escape(json.dumps(query, ensure_ascii=False)[:-1]) + r'(?:\.txt)?"\s*:'
    places = [match.start() for match in re.finditer(key, text)]
    return text.count("\n", 0, places[0]) + 1 if len(places) == 1 else None
