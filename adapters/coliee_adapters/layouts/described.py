"""Files whose layout is described by data: where queries, documents, relevance, ranks, scores and labels stand in them.

A container (JSON, JSON Lines, CSV, TSV, columns) holds records, and each record one query, or one document of a query.
What a protocol file says of them is a ``Layout``; the readers below follow it. No code comes from the file.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, compress
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source, decode
from coliee_adapters.forms import columns, json_text, trec
from coliee_adapters.forms.form import FIELDS, NOTHING, Row
from coliee_adapters.forms.lines import Comments, content_lines, split_columns
from coliee_adapters.forms.rows import Labelled, block_of, gold_of, labels_of, run_of, score_of
from coliee_adapters.layouts import ALL, FORMAT, Layout, Part
from coliee_adapters.records import Answers, Columns, Gold, Run, exact_id
from coliee_adapters.remarks import Remarks

#: the containers whose lines are rows
ROWS: Final = ("csv", "tsv", "columns")

#: documents of a block that is read line by line
_ROWS: Final = 1 << 16

#: columns of a run in TREC's format
_OF_TREC: Final = 6

_BLANKS: Final = re.compile(r"\s+")
_FIELD: Final = re.compile(r"\{([^{}]+)\}")


class _Record(NamedTuple):
    """A record: its query where that is no key, what it holds, and where it stands."""

    query: str | None
    held: Any
    place: Place


def read_gold(source: Source, layout: Layout) -> Gold:
    """Read a gold: documents in ``qrels``, labels in ``labels``, what other parts there are in ``beside``."""
    remarks = Remarks()
    records = _all_records(source, layout, gold=True)
    found = {
        name: gold_of(_judged(records, part, layout), exact_id, source.name, FORMAT, remarks).qrels or {}
        for name, part in layout.parts.items()
        if name != layout.labels
    }
    labels = None
    if layout.labels:
        labels, _ = labels_of(_known_labels(records, layout), remarks, gold=True)
    return Gold(found.pop("documents", None), labels, source.name, FORMAT, remarks=remarks, beside=found)


def read_queries(source: Source, layout: Layout) -> tuple[str, ...]:
    """The ids of the queries of a gold, or of a test file that is written like it but for what is right."""
    return tuple(dict.fromkeys(query for _, query in _queries(list(_records(source, layout)), layout)))


def may_be(source: Source, layout: Layout) -> bool:
    """Whether a file can be in a layout's container: JSON begins with a bracket, and nothing else does."""
    return source.head().lstrip().startswith((b"{", b"[")) == layout.container.startswith("json")


def is_trec(source: Source, layout: Layout) -> bool:
    """Whether a run is in TREC's format, and not in a layout; a layout of six columns goes before TREC's."""
    if layout.container in ROWS:
        return len(layout.columns) != _OF_TREC and trec.first_fields(source.head())[1:2] == ["Q0"]
    return not may_be(source, layout) and trec.is_run(source.head())


def read_run(source: Source, layout: Layout) -> Run | Answers:
    """Read a submission: its documents, or else its answers; what other parts there are in ``beside``."""
    if layout.container in ROWS and len(layout.parts) == 1 and not layout.labels:
        [part] = layout.parts.values()
        line, names = _first(source, layout)
        _check_names(_names(names), source, layout, line)
        scored = part.at == ALL or bool(part.score)
        return Run(partial(_blocks, source, layout, part), source.stem, scored, source.name, FORMAT)
    records = _all_records(source, layout)
    parts: dict[str, Run | Answers] = {
        name: _run(source, records, layout, part) for name, part in layout.parts.items() if name != layout.labels
    }
    if layout.labels:
        remarks = Remarks()
        labels, unreadable = labels_of(_labelled(records, layout), remarks)
        parts[layout.labels] = Answers(labels, source.stem, source.name, FORMAT, remarks, unreadable)
    first = next(name for name in ("documents", layout.labels, *parts) if name in parts)
    return replace(parts.pop(first), beside=parts)


#: part and query → document → its best score, or its best rank below 0
_Seen = dict[tuple[str, str], dict[str, float]]


def without_repetitions(source: Source, layout: Layout) -> str:
    """The text of a submission without the documents that repeat one of their query, unless they rank better.

    JSON is written anew; of other files, lines are left out.
    """
    text = source.text(columns=layout.container not in ("json", "jsonl"))
    seen: _Seen = {}
    if layout.container == "json":
        held = json_text.parse(text, source.name)
        repeated = _repeated(list(_of_json(held, source, layout)), layout, seen)
        whole = _Record(None, held, Place(source.name, "file", source.name))
        listed = _value(whole, layout.records) if layout.records else held
        if isinstance(listed, list):
            listed[:] = [one for one in listed if id(one) not in {id(record.held) for record in repeated}]
        return json.dumps(held, ensure_ascii=False, indent=1) + "\n"
    if layout.container == "jsonl":
        kept = []
        for number, value in json_text.lines(text, source.name):
            if not _repeated(list(_of_json([value], source, layout, number)), layout, seen):
                kept.append(json.dumps(value, ensure_ascii=False) + "\n")
        return "".join(kept)
    left_out = {record.place.name for record in _repeated(list(_of_rows(text, source, layout)), layout, seen)}
    lines = enumerate(text.split("\n"), 1)
    # a line with half of a quoted text is not a whole row
    return "\n".join(line for number, line in lines if number not in left_out or line.count('"') % 2)


def _repeated(records: Sequence[_Record], layout: Layout, seen: _Seen) -> list[_Record]:
    """The records that only repeat a document; from lists in the others, repeated documents are taken out."""
    repeated = []
    for record, query in _queries(records, layout):
        is_needed, is_repeated = False, False
        for name, part in layout.parts.items():
            if name == layout.labels or part.at == ALL:
                is_needed = True
                continue
            of_query = seen.setdefault((name, query), {})
            sign = 1 if part.score else -1
            fresh = []
            for document, number in _items(record, part, layout, "score" if part.score else "rank"):
                value = 0.0 if number is NOTHING else sign * score_of(number, record.place)
                fresh.append(document not in of_query or value > of_query[document])
                of_query[document] = max(value, of_query.get(document, value))
            held = _value(record, part.at) if part.at else record.held
            if isinstance(held, list):
                held[:] = compress(held, fresh)
                is_needed = True
            is_needed |= any(fresh)
            is_repeated |= bool(fresh)
        if is_repeated and not is_needed:
            repeated.append(record)
    return repeated


def _judged(records: Sequence[_Record], part: Part, layout: Layout) -> Iterator[Row]:
    """The judgements of one part of a gold."""
    for record, query in _queries(records, layout):
        items = [Row(record.place, query, *item) for item in _items(record, part, layout, "relevance")]
        yield from items or (Row(record.place, query),)


def _ranked(records: Iterable[_Record], part: Part, layout: Layout) -> Iterator[Row]:
    """The documents of one part of a run."""
    role = "rank" if part.rank and not part.score else "score"
    for record, query in _queries(records, layout):
        items = [
            Row(record.place, query, document, **{FIELDS.get(role, role): number})
            for document, number in _items(record, part, layout, role)
        ]
        yield from (items[::-1] if part.reverse else items) or (Row(record.place, query),)


def _run(source: Source, records: Sequence[_Record], layout: Layout, part: Part) -> Run:
    """The documents of one part, those of a query together."""
    ranked: dict[str, list[Row]] = {}
    for row in _ranked(records, part, layout):
        ranked.setdefault(row.query, []).append(row)
    run = run_of(chain.from_iterable(ranked.values()), exact_id, source.name, FORMAT, source.stem)
    assert isinstance(run, Run)
    return replace(run, grouped=True)


def _labelled(records: Sequence[_Record], layout: Layout) -> Iterator[Labelled]:
    """The labels of records that have one, as a label list writes them."""
    part = layout.parts[layout.labels]
    yes, no = ({_normal(text) for text in texts} for texts in (part.yes, part.no))
    for record, query in _queries(records, layout):
        word = _value(record, part.at) if part.at else record.held
        if word is not None:
            text = _normal(_word(word))
            yield Labelled(query, "Y" if text in yes else "N" if text in no else f"{_word(word)!r}", record.place)


def _known_labels(records: Sequence[_Record], layout: Layout) -> Iterator[Labelled]:
    """The same of a gold, whose labels must all be known."""
    part = layout.parts[layout.labels]
    for one in _labelled(records, layout):
        if one.word not in ("Y", "N"):
            remedy = f"the protocol names {', '.join((*part.yes, *part.no))}"
            raise one.place.fault("bad-label", "this is not a label", one.word.strip("'"), remedy)
        yield one


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text.strip())


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _all_records(source: Source, layout: Layout, *, gold: bool = False) -> list[_Record]:
    """The records of a file, of which there must be one."""
    if not (records := list(_records(source, layout, gold=gold))):
        raise _no_rows(source, layout)
    return records


def _records(source: Source, layout: Layout, *, gold: bool = False) -> Iterator[_Record]:
    """The records of a file."""
    text = source.text(columns=layout.container not in ("json", "jsonl"))
    if layout.container == "json":
        yield from _of_json(json_text.parse(text, source.name), source, layout)
    elif layout.container == "jsonl":
        for number, value in json_text.lines(text, source.name):
            yield from _of_json([value], source, layout, number)
    else:
        yield from _of_rows(text, source, layout, gold=gold)


def _of_json(held: object, source: Source, layout: Layout, line: int | None = None) -> Iterator[_Record]:
    for key in filter(None, [layout.records]) if line is None else ():
        held = _value(_Record(None, held, Place(source.name, "file", source.name)), key)
    if isinstance(held, dict) and not layout.query:
        for query, value in held.items():
            yield _Record(_identifier(query, layout), value, Place(source.name, "query", query))
        return
    if not isinstance(held, list):
        expected = "a list of records" if layout.query else "an object whose keys are the queries"
        raise InputError("structure", source.name, f"expected {expected}", found=_shown(held))
    for number, record in enumerate(held, 1):
        place = Place(source.name, "record" if line is None else "line", line or number)
        if not isinstance(record, dict):
            problem = "this is not an object"
            raise place.fault("structure", problem, _shown(record), "check the protocol against the file")
        if layout.query:
            yield _Record(None, record, place)
        else:
            for query, value in record.items():
                yield _Record(_identifier(query, layout), value, place)


def _blocks(source: Source, layout: Layout, part: Part) -> Iterator[Columns]:
    """The documents of a part, block by block, so that the file is never in memory as a whole.

    Blocks whose lines are regular are read as arrays; from the first that is not, the file is read line by line.
    """
    names, is_empty = _names(_first(source, layout)[1]), True

    def careful(pieces: Iterator[bytes], line: int) -> Iterator[Columns]:
        texts = (decode(one.replace(b"\r\n", b"\n"), source.name) for one in pieces)
        lines = (text for piece in texts for text in io.StringIO(piece))
        return _careful(_of_named(_rows(lines, source, layout, line), names, source), source, layout, part)

    value = part.score or part.rank
    named = [layout.query, part.id, *([value] if value else [])]
    made = part.at or part.separator or part.reverse or layout.strip or layout.numbers  # ids are more than a value
    regular = not made and all(names.count(name) == 1 for name in named)
    score = names.index(value) if value and regular else None
    of_part = columns.Layout(
        tuple(names),
        names.index(part.id) if regular else 0,
        score,
        by_rank=not part.score,
        tagged=False,
        query=names.index(layout.query) if regular else 0,
    )
    separator = {"csv": ",", "tsv": "\t"}.get(layout.container, " ")
    plain = partial(columns.plain_rows, separator=separator, rule=exact_id) if regular else lambda _: None
    reader = columns.Reader(source.name, of_part, exact_id, "")
    header = 0 if layout.columns else 1
    for block in columns.blocks_behind(header, source, reader, plain, careful, squeeze=separator == " "):
        is_empty = False
        yield block
    if is_empty:
        raise _no_rows(source, layout)


def _first(source: Source, layout: Layout) -> tuple[int, Sequence[str]]:
    """The line of a file that names its columns, and these; or what the layout says of them."""
    head = source.head().partition(b"\n")[0].decode("utf-8", "replace").removesuffix("\r")
    return (1, layout.columns) if layout.columns else next(_rows([head], source, layout), (1, ()))


def _careful(records: Iterator[_Record], source: Source, layout: Layout, part: Part) -> Iterator[Columns]:
    """The documents of records in blocks."""
    held: list[Row] = []
    for row in _ranked(records, part, layout):
        if len(held) > _ROWS and held[-1].query != row.query:
            yield block_of(held, exact_id, Remarks(), source.stem)
            held = []
        held.append(row)
    if held:
        yield block_of(held, exact_id, Remarks(), source.stem)


def _rows(
    lines: Iterable[str], source: Source, layout: Layout, first_line: int = 1
) -> Iterator[tuple[int, Sequence[str]]]:
    """The rows of lines with the numbers of their last lines."""
    if layout.container == "columns":
        comments = Comments()
        for number, line in enumerate(lines, first_line):
            for _, content in content_lines(line, source.name, number, comments):
                yield number, split_columns(content)
        comments.check_closed(source.name)
        return
    reader = csv.reader(lines, delimiter="," if layout.container == "csv" else "\t", strict=True)
    for row in _checked(reader, source):
        if any(row):
            yield reader.line_num + first_line - 1, row


def _names(row: Sequence[str]) -> list[str]:
    """The names in a header; pandas gives its index no name."""
    return [value.strip() or f"#{at}" for at, value in enumerate(row, 1)]


def _of_rows(text: str, source: Source, layout: Layout, *, gold: bool = False) -> Iterator[_Record]:
    rows = _rows(text.split("\n"), source, layout)
    line, names = (1, layout.columns) if layout.columns else next(rows, (1, ()))
    _check_names(_names(names), source, layout, line, gold=gold)
    yield from _of_named(rows, _names(names), source)


def _check_names(names: Sequence[str], source: Source, layout: Layout, line: int, *, gold: bool = False) -> None:
    """Refuse a file that has not the columns that the protocol names, whether or not it has rows."""
    if not may_be(source, layout):
        remedy = f"the protocol expects {layout.container}; write the file so, or choose another --protocol"
        raise InputError("unknown-format", source.name, "this file is JSON", line=line, remedy=remedy)
    keys = _FIELD.findall(_braced(layout.query))
    for part in layout.parts.values():
        if part.at:
            keys += [part.at] if part.at != ALL else []
            continue
        keys += _FIELD.findall(_braced(part.id)) if part.id else []
        number = part.relevance if gold else part.score or part.rank
        keys += [number] if number else []
    if missing := next((key for key in keys if key not in names), None):
        problem, remedy = f"there is no column {missing!r}", "name the columns as the protocol does"
        raise InputError("missing-column", source.name, problem, line=line, found=", ".join(names), remedy=remedy)


def _no_rows(source: Source, layout: Layout) -> InputError:
    what = "rows" if layout.container in ROWS else "records"
    problem = f"the file has no {what}"
    return InputError("missing-column", source.name, problem, remedy=f"write {what} as the protocol describes them")


def _of_named(rows: Iterable[tuple[int, Sequence[str]]], names: Sequence[str], source: Source) -> Iterator[_Record]:
    for number, row in rows:
        values = [value.strip() for value in row]
        if len(values) != len(names):
            remedy = f"expected {len(names)}: {', '.join(names)}"
            raise InputError(
                "columns", source.name, f"{len(values)} values", line=number, found=" ".join(row), remedy=remedy
            )
        yield _Record(None, dict(zip(names, values, strict=True)), Place(source.name, "line", number))


def _checked(reader: Any, source: Source) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        at = reader.line_num
        raise InputError("syntax", source.name, f"broken CSV: {error}", line=at, remedy="check the quotes") from None


def _queries(records: Iterable[_Record], layout: Layout) -> Iterator[tuple[_Record, str]]:
    """Each record with the id of its query."""
    for record in records:
        yield record, record.query if record.query is not None else _made(record, layout.query, record.held, layout)


def _items(record: _Record, part: Part, layout: Layout, role: str) -> Iterator[tuple[str, Any]]:
    """The documents of a record, each with its relevance, score or rank; with NOTHING where it gives none."""
    if part.at == ALL:
        held: Any = {key: value for key, value in record.held.items() if f"{{{key}}}" not in _braced(layout.query)}
    else:
        held = _value(record, part.at) if part.at else record.held
    if held is None or held == "":
        return
    if part.separator and isinstance(held, str):
        held = [text for text in held.split(part.separator) if text.strip()]
    key = getattr(part, role)
    if isinstance(held, dict) and not part.id:
        for document, value in held.items():
            yield _identifier(document, layout), value
        return
    for item in held if isinstance(held, list) else [held]:
        document = _made(record, part.id, item, layout) if part.id else _identifier(item, layout, record)
        yield document, _value(record._replace(held=item), key) if key else NOTHING


def _value(record: _Record, path: str) -> Any:
    """What stands under a key of a record, or under a path of keys with dots between them."""
    if isinstance(record.held, dict) and path in record.held:
        return record.held[path]
    held = record.held
    for key in path.split("."):
        if not isinstance(held, dict) or key not in held:
            has = f"its keys are {', '.join(map(str, held))}" if isinstance(held, dict) else "it has no keys"
            problem = f"there is no key {key!r}"
            raise record.place.fault("missing-key", problem, _shown(record.held), f"{has}; check the protocol")
        held = held[key]
    return held


def _braced(pattern: str) -> str:
    """A key as a text with keys in braces."""
    return pattern if _FIELD.search(pattern) else f"{{{pattern}}}"


def _made(record: _Record, pattern: str, item: object, layout: Layout) -> str:
    """The id that a pattern makes of the values of an item."""
    of_item = record._replace(held=item)
    texts = {key: _identifier(_value(of_item, key), layout, record) for key in _FIELD.findall(_braced(pattern))}
    return _FIELD.sub(lambda match: texts[match[1]], _braced(pattern))


def _identifier(value: object, layout: Layout, record: _Record | None = None) -> str:
    """An id: text or an integer, with ``_`` for blanks, which no line of a run could hold."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    for ending in layout.strip:
        text = text.strip().removesuffix(ending)
    if layout.numbers:
        number = re.search("[0-9]+", text)
        text = str(int(number[0])) if number else ""
    text = _BLANKS.sub("_", text.strip())
    if not text:
        place = record.place if record else Place("<memory>", "key", str(value))
        remedy = "give an id with a number in it" if layout.numbers else "give text or an integer"
        raise place.fault("bad-id", "this is not an id", _shown(value), remedy)
    return text


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
