"""Files whose layout is described by data: where queries, documents, relevance, ranks, scores and labels stand in them.

A container (JSON, JSON Lines, CSV, TSV, columns) holds records, and each record one query, or one document of a query.
What a protocol file says of them is a ``Layout``; the readers below follow it. No code comes from the file.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms import columns, json_text, tabular, trec
from coliee_adapters.forms.form import FIELDS, NOTHING, Row
from coliee_adapters.forms.lines import Comments
from coliee_adapters.forms.rows import AnswerWord, ReadingRules, gold_of, labels_of, run_of
from coliee_adapters.layouts import ALL, FORMAT, Layout, Part
from coliee_adapters.records import Answers, Columns, Gold, Run, exact_id
from coliee_adapters.remarks import Remarks

#: the containers whose lines are rows → what stands between their values
ROWS: Final = {"csv": ",", "tsv": "\t", "columns": " "}

#: columns of a run in TREC's format
_OF_TREC: Final = 6

#: ids stand in a described file as the layout takes them out of it
_RULES: Final = ReadingRules.of(exact_id)
_BLANKS: Final = re.compile(r"\s+")
_FIELD: Final = re.compile(r"\{([^{}]+)\}")


class _Record(NamedTuple):
    """A record: its query, what it holds, and where it stands."""

    query: str
    content: Any
    place: Place


def read_gold(source: Source, layout: Layout) -> Gold:
    """Read a gold: documents in ``qrels``, labels in ``labels``, what other parts there are in ``other_parts``."""
    remarks = Remarks()
    records = _records(source, layout)
    parts = {
        name: gold_of(_rows(records, part, layout, "relevance"), _RULES, source.name, FORMAT, remarks).qrels or {}
        for name, part in layout.parts.items()
        if name != layout.labels
    }
    labels = None
    if layout.labels:
        labels, _ = labels_of(_label_words(records, layout, gold=True), remarks, gold=True)
    return Gold(parts.pop("documents", None), labels, source.name, FORMAT, remarks=remarks, other_parts=parts)


def read_queries(source: Source, layout: Layout) -> tuple[str, ...]:
    """The ids of the queries of a gold, or of a test file that is written like it but for what is right."""
    return tuple(dict.fromkeys(record.query for record in _records(source, layout)))


def may_be(source: Source, layout: Layout) -> bool:
    """Whether a file can be in a layout's container: JSON begins with a bracket, and nothing else does."""
    return source.head().lstrip().startswith((b"{", b"[")) == layout.container.startswith("json")


def is_trec(source: Source, layout: Layout) -> bool:
    """Whether a run is in TREC's format, and not in a layout; a layout of six columns goes before TREC's."""
    if layout.container in ROWS:
        return len(layout.columns) != _OF_TREC and trec.first_fields(source.head())[1:2] == ["Q0"]
    return not may_be(source, layout) and trec.is_run(source.head())


def read_run(source: Source, layout: Layout) -> Run | Answers:
    """Read a submission: its documents, or else its answers; what other parts there are in ``other_parts``."""
    if (header := _regular(source, layout)) is not None:
        scored = any(part.score for part in layout.parts.values())
        return Run(partial(_blocks, source, header), source.stem, scored, source.name, FORMAT)
    records = _records(source, layout)
    parts: dict[str, Run | Answers] = {
        name: _run(source, records, layout, part) for name, part in layout.parts.items() if name != layout.labels
    }
    if layout.labels:
        remarks = Remarks()
        labels, unreadable = labels_of(_label_words(records, layout), remarks)
        parts[layout.labels] = Answers(labels, source.stem, source.name, FORMAT, remarks, unreadable)
    first = next(name for name in ("documents", layout.labels, *parts) if name in parts)
    return replace(parts.pop(first), other_parts=parts)


def _rows(records: Iterable[_Record], part: Part, layout: Layout, role: str) -> Iterator[Row]:
    """The documents of one part, each with its relevance, score or rank."""
    for record in records:
        items = [
            Row(record.place, record.query, document, **{FIELDS.get(role, role): number})
            for document, number in _items(record, part, layout, role)
        ]
        yield from (items[::-1] if part.reverse else items) or (Row(record.place, record.query),)


def _run(source: Source, records: Sequence[_Record], layout: Layout, part: Part) -> Run:
    """The documents of one part, those of a query together."""
    ranked: dict[str, list[Row]] = {}
    for row in _rows(records, part, layout, "rank" if part.rank and not part.score else "score"):
        ranked.setdefault(row.query, []).append(row)
    run = run_of(chain.from_iterable(ranked.values()), _RULES, source.name, FORMAT, source.stem)
    assert isinstance(run, Run)
    return replace(run, grouped=True)


def _label_words(records: Sequence[_Record], layout: Layout, *, gold: bool = False) -> Iterator[AnswerWord]:
    """The labels of records that have one, as a label list writes them; those of a gold must all be known."""
    part = layout.parts[layout.labels]
    yes, no = ({_normal(text) for text in texts} for texts in (part.yes, part.no))
    for record in records:
        word = _value(record, part.at) if part.at else record.content
        if word is not None:
            text = _normal(_as_text(word))
            if gold and text not in yes | no:
                remedy = f"the protocol names {', '.join((*part.yes, *part.no))}"
                raise record.place.fault("bad-label", "this is not a label", _as_text(word), remedy)
            label = "Y" if text in yes else "N" if text in no else repr(_as_text(word))
            yield AnswerWord(record.query, label, record.place)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())


def _records(source: Source, layout: Layout) -> list[_Record]:
    """The records of a file, of which there must be one."""
    if layout.container == "json":
        records = list(_of_json(json_text.parse(source.text(), source.name), source, layout))
    elif layout.container == "jsonl":
        lines = json_text.lines(source)
        records = [record for number, value in lines for record in _of_json([value], source, layout, number)]
    else:
        records = list(_of_rows(source, layout))
    if not records:
        raise _no_rows(source, "rows" if layout.container in ROWS else "records")
    return [
        record if record.query else record._replace(query=_id_by_pattern(record, layout.query, record.content, layout))
        for record in records
    ]


def _of_json(content: object, source: Source, layout: Layout, line: int | None = None) -> Iterator[_Record]:
    if layout.records and line is None:
        content = _value(_Record("", content, Place(source.name, "file", source.name)), layout.records)
    if isinstance(content, dict) and not layout.query:
        for query, value in content.items():
            place = Place(source.name, "query", query)
            yield _Record(_identifier(query, layout, place), value, place)
        return
    if not isinstance(content, list):
        expected = "a list of records" if layout.query else "an object whose keys are the queries"
        raise InputError("structure", source.name, f"expected {expected}", found=_as_text(content))
    for number, record in enumerate(content, 1):
        place = Place(source.name, "record" if line is None else "line", line or number)
        if not isinstance(record, dict):
            raise place.fault(
                "structure", "this is not an object", _as_text(record), "check the protocol against the file"
            )
        if layout.query:
            yield _Record("", record, place)
        else:
            for query, value in record.items():
                yield _Record(_identifier(query, layout, place), value, place)


def _regular(source: Source, layout: Layout) -> tabular.Header | None:
    """What rows hold of which every value of documents is that of one column; None for any others."""
    if layout.container not in ROWS or not may_be(source, layout) or len(layout.parts) != 1 or layout.labels:
        return None
    lines = tabular.rows(source.head().decode("utf-8", "replace"), source, ROWS[layout.container], Comments())
    with_names = None if layout.columns else next(lines, None)
    names = _names(layout.columns if with_names is None else with_names.values)
    [part] = layout.parts.values()
    value = part.score or part.rank
    role = "score" if part.score else "rank"
    roles = {"query": layout.query, "document": part.id} | ({role: value} if value else {})
    made = part.at or part.separator or part.reverse or layout.strip or layout.numbers  # ids are more than a value
    if made or any(names.count(name) != 1 for name in roles.values()):
        return None
    places = {role: names.index(name) for role, name in roles.items()}
    line = 0 if with_names is None else with_names.number
    return tabular.Header(line, ROWS[layout.container], columns.ColumnLayout(tuple(names), places), "")


def _blocks(source: Source, header: tabular.Header) -> Iterator[Columns]:
    """The documents of rows, block by block, so that the file is never in memory as a whole."""
    is_empty = True
    for block in tabular.blocks(source, header, exact_id, source.stem, _one_word):
        is_empty = is_empty and not len(block.documents)
        yield block
    if is_empty:
        raise _no_rows(source, "rows")


def _names(row: Sequence[str]) -> list[str]:
    """The names in a header; pandas gives its index no name."""
    return [value.strip() or f"#{i}" for i, value in enumerate(row, 1)]


def _of_rows(source: Source, layout: Layout) -> Iterator[_Record]:
    if not may_be(source, layout):
        remedy = f"the protocol expects {layout.container}; write the file so, or choose another --protocol"
        raise InputError("unknown-format", source.name, "this file is JSON", line=1, remedy=remedy)
    rows = list(tabular.rows(source.text(columns=True), source, ROWS[layout.container], Comments()))
    names = list(layout.columns) if layout.columns else _names(rows[0].values) if rows else []
    tabular.check_width(rows, len(names), source)
    for row in rows if layout.columns else rows[1:]:
        yield _Record("", dict(zip(names, row.values, strict=True)), Place(source.name, "line", row.number))


def _no_rows(source: Source, what: str) -> InputError:
    remedy = f"write {what} as the protocol describes them"
    return InputError("missing-column", source.name, f"the file has no {what}", remedy=remedy)


def _items(record: _Record, part: Part, layout: Layout, role: str) -> Iterator[tuple[str, Any]]:
    """The documents of a record, each with its relevance, score or rank; with NOTHING where it gives none."""
    if part.at == ALL:
        content: Any = {
            key: value for key, value in record.content.items() if f"{{{key}}}" not in _braced(layout.query)
        }
    else:
        content = _value(record, part.at) if part.at else record.content
    if content is None or content == "":
        return
    if part.separator and isinstance(content, str):
        content = [text for text in content.split(part.separator) if text.strip()]
    key = getattr(part, role)
    if isinstance(content, dict) and not part.id:
        for document, value in content.items():
            yield _identifier(document, layout, record.place), value
        return
    for item in content if isinstance(content, list) else [content]:
        document = _id_by_pattern(record, part.id, item, layout) if part.id else _identifier(item, layout, record.place)
        yield document, _value(record._replace(content=item), key) if key else NOTHING


def _value(record: _Record, path: str) -> Any:
    """What stands under a key of a record, or under a path of keys with dots between them."""
    try:
        return json_text.value_at(record.content, path)
    except KeyError as error:
        key, content = error.args
        has = f"there are {', '.join(map(str, content))}" if content and isinstance(content, dict) else "there are none"
        raise record.place.fault(
            "missing-key", f"there is no key or column {key!r}", _as_text(record.content), f"{has}; check the protocol"
        ) from None


def _braced(pattern: str) -> str:
    """A key as a text with keys in braces."""
    return pattern if _FIELD.search(pattern) else f"{{{pattern}}}"


def _id_by_pattern(record: _Record, pattern: str, item: object, layout: Layout) -> str:
    """The id that a pattern makes of the values of an item."""
    of_item = record._replace(content=item)
    texts = {key: _identifier(_value(of_item, key), layout, record.place) for key in _FIELD.findall(_braced(pattern))}
    return _FIELD.sub(lambda match: texts[match[1]], _braced(pattern))


def _identifier(value: object, layout: Layout, place: Place) -> str:
    """An id: text or an integer, with ``_`` for blanks, which no line of a run could hold."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    for ending in layout.strip:
        text = text.strip().removesuffix(ending)
    if layout.numbers:
        number = re.search("[0-9]+", text)
        text = str(int(number[0])) if number else ""
    if not (text := _one_word(text)):
        remedy = "give an id with a number in it" if layout.numbers else "give text or an integer"
        raise place.fault("bad-id", "this is not an id", _as_text(value), remedy)
    return text


def _one_word(text: str) -> str:
    return _BLANKS.sub("_", text.strip())


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
