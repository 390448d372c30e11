"""A protocol begun from a pair of files: what stands where is guessed from names and from the ids that both have."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from coliee_adapters import described, detect, json_text
from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError
from coliee_adapters.files import PathLike, Source
from coliee_adapters.layouts import ALL, Layout, Part
from coliee_adapters.lines import content_lines, counted, is_number, split_columns
from coliee_adapters.records import Answers
from coliee_adapters.statute import LABELS
from coliee_adapters.vocabulary import EVERY_NAME, is_header, normal_name
from coliee_ir.judging.gathered import Gathered

#: so many documents a query are a ranking rather than a set
_LONG: Final = 10
#: a file with more keys at its top is an object of queries
_KEYS: Final = 3
#: a label has no more values than this
_FEW: Final = 2
#: what a third column without a name is called
_VALUE: Final = "value"
_RELEVANCE: Final = EVERY_NAME["relevance"]


class Begun(NamedTuple):
    """A protocol that was begun.

    Attributes:
        text: the file.
        guessed: what was guessed, a sentence each.
    """

    text: str
    guessed: tuple[str, ...]


class _Table(NamedTuple):
    """The records of a file: dictionaries, or queries with what they hold."""

    container: str
    records: str = ""
    rows: Sequence[Mapping[str, Any]] = ()
    entries: Mapping[str, Any] | None = None
    columns: tuple[str, ...] = ()

    def names(self) -> list[str]:
        """The keys of all records, in order."""
        return list(dict.fromkeys(key for row in self.rows for key in row))


def begin(gold: PathLike, run: PathLike, name: str = "my-task") -> Begun:
    """Begin a protocol.

    Args:
        gold: a gold.
        run: a run for it.
        name: what the task is called.

    Raises:
        InputError: a file cannot be read, or does not show where queries and documents stand.
    """
    sources = {"gold": Source(gold), "run": Source(run)}
    tables = {what: _table(source) for what, source in sources.items()}
    layouts: dict[str, Layout | None] = {}
    guessed: list[str] = []
    for what, other in (("gold", "run"), ("run", "gold")):
        layout = layouts[what] = _layout(tables[what], tables[other], sources[what].name, what)
        if layout is None:
            guessed.append(f"{what}: a format that is known without a protocol")
        else:
            guessed += [f"{what}: {one}" for one in _said(tables[what], layout)]
    try:
        measures, parts, read = _read(sources, layouts)
    except InputError as error:
        problem = f"it cannot be read as guessed ({'; '.join(guessed)}): {error.problem}"
        remedy = "write the protocol by hand"
        raise InputError(error.path, problem, line=error.line, found=error.found, remedy=remedy) from None
    text = _written(name, parts, measures, layouts)
    return Begun(text, (*guessed, *read))


def _table(source: Source) -> _Table:
    """The records of a file, as far as they can be told."""
    text = source.text()
    if text.lstrip().startswith(("{", "[")):
        if json_text.is_lines(text):
            rows = [value for _, value in json_text.lines(text, source.name) if isinstance(value, dict)]
            return _Table("jsonl", rows=rows)
        held = json_text.parse(text, source.name)
        if isinstance(held, list):
            return _Table("json", rows=[one for one in held if isinstance(one, dict)])
        assert isinstance(held, dict)  # of strict JSON that begins with a brace
        for key, value in held.items():
            records = isinstance(value, list) and all(isinstance(one, dict) and len(one) > 1 for one in value)
            if records and value and len(held) <= _KEYS:
                return _Table("json", key, value)
        return _Table("jsonl", rows=[held]) if is_header(list(held)) else _Table("json", entries=held)
    lines = [line for _, line in content_lines(text, source.name)]
    separator = next((mark for mark in "\t," if mark in lines[0]), " ")
    container = {"\t": "tsv", ",": "csv", " ": "columns"}[separator]
    cells = [split_columns(line) for line in lines]
    if separator != " ":
        cells = [row for row in csv.reader(text.split("\n"), delimiter=separator) if any(row)]
    first = [cell.strip() for cell in cells[0]]
    has_header = container != "columns" and not any(map(is_number, first)) and len(cells) > 1
    has_header = has_header and any(normal_name(cell) in names for cell in first for names in EVERY_NAME.values())
    names = first if has_header else _column_names(cells)
    rows = [dict(zip(names, row, strict=False)) for row in cells[has_header:]]
    return _Table(container, rows=rows, columns=() if has_header else tuple(names))


def _column_names(cells: Sequence[Sequence[str]]) -> list[str]:
    """Names for columns without a header."""
    width = len(cells[0])
    names = ["query", "document", _VALUE]
    if width == 6:
        names = ["query", "q0", "document", "rank", "score", "tag"]
    elif width == 4:
        names = ["query", "iteration", "document", "relevance"]
    return [*names, *(f"column{at}" for at in range(len(names) + 1, width + 1))][:width]


def _layout(table: _Table, other: _Table, path: str, what: str) -> Layout | None:
    """Where things stand in a file; None where it has a format that needs no protocol."""
    if table.container == "columns" and len(table.columns) in (4, 6):
        return None  # TREC's
    if table.entries is not None:
        objects = [one for one in table.entries.values() if isinstance(one, dict)]
        are_values = all(isinstance(value, int | float) for one in objects for value in one.values())
        if are_values or len(objects) < len(table.entries):
            return Layout("json", parts={"documents": Part()})
        table = table._replace(rows=objects)
    keys = table.names()
    query = "" if table.entries is not None else _query_of(table, other)
    if query is None:
        raise InputError(
            path, "no key is recognised as the query", found=", ".join(keys), remedy="write the protocol by hand"
        )
    parts: dict[str, Part] = {}
    rest = [key for key in keys if key != query]
    if not table.columns and len(_documents(other) & {*rest}) > 1:
        return Layout(table.container, table.records, query, table.columns, parts={"documents": Part(at=ALL)})
    held = {key: [row[key] for row in table.rows if row.get(key) is not None] for key in rest}
    lists = [key for key, values in held.items() if values and all(isinstance(one, list) for one in values)]
    for key in [key for key in lists if _overlap(held[key], other, key)] or lists[:1]:
        name = "documents" if "documents" not in parts else _part_name(key)
        parts[name] = _listed(key, held[key], _inner_keys(other))
    for key, values in held.items():
        if "answers" not in parts and not table.columns and _are_labels(values) and _are_labels_of(key, values, other):
            yes, no = _sides(values)
            parts["answers"] = Part(at=key, yes=yes, no=no)
    if not parts and (part := _flat(table, rest, what, _documents(other))) is not None:
        parts["documents"] = part
    if not parts:
        raise InputError(
            path, "no key is recognised as the documents or the answer", found=", ".join(keys),
            remedy="write the protocol by hand",
        )  # fmt: skip
    return Layout(table.container, table.records, query, table.columns, parts=parts)


def _are_labels_of(key: str, values: Iterable[Any], other: _Table) -> bool:
    """Whether the other file has labels under this key, or the same words under another."""
    words = {*map(json.dumps, values)}
    return _is_in(other, key) or any(
        words & {json.dumps(row.get(name)) for row in other.rows} for name in other.names()
    )


def _documents(table: _Table) -> set[str]:
    """All texts and integers that a file has, and the keys of objects in it: its documents are among them."""
    values = [*(table.entries or {}).values(), *(value for row in table.rows for value in row.values())]
    keys = {str(key) for value in values if isinstance(value, dict) for key in value}
    return keys | _scalars([item for value in values for item in (value if isinstance(value, list) else [value])])


def _is_in(other: _Table, key: str) -> bool:
    return other.entries is None and key in other.names()


def _part_name(key: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in key).strip("_") or "part"


def _query_of(table: _Table, other: _Table) -> str | None:
    """The key of the query: one of the known names, or one with an id for each record that the other file has too."""
    if table.columns:
        return table.columns[0]
    for key in table.names():
        if normal_name(key) in EVERY_NAME["query"] and normal_name(key) not in ("query", "topic", "case"):
            return key
    theirs = {*map(str, other.entries)} if other.entries is not None else {
        str(value) for row in other.rows for value in row.values() if isinstance(value, str | int)
    }  # fmt: skip
    for key in table.names():
        values = [row.get(key) for row in table.rows]
        if all(isinstance(value, str | int) for value in values) and {*map(str, values)} & theirs:
            return key
    return None


def _scalars(values: Iterable[Any]) -> set[str]:
    """All texts and integers in lists of them, or of objects of them."""
    found = set()
    for value in values:
        for item in value if isinstance(value, list) else [value]:
            held = item.values() if isinstance(item, dict) else [item]
            found |= {str(one) for one in held if isinstance(one, str | int)}
    return found


def _overlap(values: Sequence[Any], other: _Table, key: str) -> bool:
    """Whether the documents in lists are those of the other file, or stand under the same key there."""
    if _is_in(other, key):
        return True
    return bool(_scalars(values) & _documents(other))


def _inner_keys(table: _Table) -> set[str]:
    """The keys of objects in the lists of a file."""
    values = [*(table.entries or {}).values(), *(value for row in table.rows for value in row.values())]
    return {key for one in values if isinstance(one, list) for item in one if isinstance(item, dict) for key in item}


def _listed(key: str, values: Sequence[Any], theirs: Collection[str]) -> Part:
    """Documents in a list: ids, or objects whose keys with ids make one together; ``theirs`` the other file has too."""
    items = [item for value in values for item in value]
    if not items or not isinstance(items[0], dict):
        return Part(at=key)
    keys = list(dict.fromkeys(name for item in items for name in item))
    score, rank = (next((one for one in keys if normal_name(one) in EVERY_NAME[of]), "") for of in ("score", "rank"))
    grade = next((one for one in keys if normal_name(one) in _RELEVANCE and one != score), "")
    ids = [one for one in keys if one not in (score, rank, grade) and normal_name(one).endswith("id")]
    others = [one for one in keys if one not in (score, rank, grade, *ids)]
    ids = ids or [others.pop(0)]
    for one in others:  # a law alone does not name an article
        if one in theirs and all(isinstance(item.get(one), str | int) for item in items) and _vary(items, ids, one):
            ids.append(one)
    pattern = ids[0] if len(ids) == 1 else "|".join(f"{{{one}}}" for one in ids)
    return Part(at=key, id=pattern, relevance=grade, score=score, rank=rank)


def _vary(items: Iterable[Mapping[str, Any]], keys: Sequence[str], other: str) -> bool:
    """Whether items with the same values of some keys have different ones of another."""
    found: dict[tuple[str, ...], set[str]] = {}
    for item in items:
        found.setdefault(tuple(str(item.get(key)) for key in keys), set()).add(str(item.get(other)))
    return any(len(values) > 1 for values in found.values())


def _flat(table: _Table, keys: Sequence[str], what: str, theirs: Collection[str]) -> Part | None:
    """A document a record, or several in a text."""
    named = {role: next((key for key in keys if normal_name(key) in EVERY_NAME[role]), "") for role in EVERY_NAME}
    document = named["document"] or next(
        (key for key in keys if all(isinstance(row.get(key), str | int) for row in table.rows)), ""
    )
    if not document:
        return None
    cells = [str(row.get(document, "")) for row in table.rows]
    for separator in ",;|":
        pieces = {piece.strip() for cell in cells for piece in cell.split(separator)}
        if any(separator in cell for cell in cells) and pieces & {*theirs} and not {*cells} <= {*theirs}:
            return Part(at=document, separator=separator)
    value = named["relevance"] or named["score"] if what == "gold" else named["score"] or named["rank"]
    value = value or next((key for key in keys if key == _VALUE), "")
    if not value or what == "gold":
        return Part(id=document, relevance=value)
    numbers = [str(row.get(value, "")) for row in table.rows]
    are_ranks = value == _VALUE and all(one.isdecimal() for one in numbers) and min(map(int, numbers)) == 1
    if are_ranks or normal_name(value) in EVERY_NAME["rank"]:
        return Part(id=document, rank=value)
    return Part(id=document, score=value)


def _are_labels(values: Sequence[Any]) -> bool:
    """Whether values are two words, or truth values."""
    words = {value if isinstance(value, str) else json.dumps(value) for value in values}
    known = any(word.lower() in LABELS for word in words)
    return 0 < len(words) <= _FEW and not any(map(is_number, words)) and (known or len(values) > len(words))


def _sides(values: Sequence[Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words for Y and for N; where no known word tells, the first one is Y."""
    words = list(dict.fromkeys(value if isinstance(value, str) else json.dumps(value) for value in values))
    is_yes = [word for word in words if LABELS.get(word.lower())] or words[:1]
    return (is_yes[0],), tuple(word for word in words if word != is_yes[0])


def _said(table: _Table, layout: Layout) -> list[str]:
    """What was guessed of a file."""
    where = f", records at {layout.records!r}" if layout.records else ""
    query = f"query at {layout.query!r}" if layout.query else "keys are queries"
    said = [f"{table.container}{where}; {query}"]
    for name, part in layout.parts.items():
        keys = {"id": part.id, "relevance": part.relevance, "score": part.score, "rank": part.rank}
        found = "".join(f", {what} {key!r}" for what, key in keys.items() if key)
        found += f", separated by {part.separator!r}" if part.separator else ""
        labels = f", Y is {part.yes[0]!r}" if name == "answers" else ""
        place = "in all other columns" if part.at == ALL else f"at {part.at!r}" if part.at else "in the record"
        said.append(f"{name} {place}{found}{labels}")
    if unused := _unused(table, layout):
        said.append(f"not used: {', '.join(map(repr, unused))}")
    return said


def _unused(table: _Table, layout: Layout) -> list[str]:
    """The keys of records, and of the objects in their lists, that nothing is read from."""
    used = " ".join([layout.query, *(key for part in layout.parts.values() for key in part[:5])])
    if any(part.at == ALL or (not part.at and not part.id) for part in layout.parts.values()):
        return []
    rows = table.rows or [one for one in (table.entries or {}).values() if isinstance(one, dict)]
    names = dict.fromkeys(key for row in rows for key in row)
    for part in layout.parts.values():
        lists = [row.get(part.at) for row in rows]
        names |= dict.fromkeys(
            key for one in lists if isinstance(one, list) for item in one if isinstance(item, dict) for key in item
        )
    return [name for name in names if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", used)]


def _read(
    sources: Mapping[str, Source], layouts: Mapping[str, Layout | None]
) -> tuple[list[str], list[str], list[str]]:
    """Measures and parts for what the files hold, and what reading them as guessed gave."""
    of_gold, of_run = layouts["gold"], layouts["run"]
    gold = detect.read_gold(sources["gold"]) if of_gold is None else described.read_gold(sources["gold"], of_gold)
    run = detect.read_run(sources["run"]) if of_run is None else described.read_run(sources["run"], of_run)
    if isinstance(run, Answers):
        queries: Mapping[str, Any] = run.labels
        longest = 0
    else:
        queries = Gathered(run).rankings
        longest = max(map(len, queries.values()), default=0)
    shared = len(queries.keys() & set(gold.queries))
    read = [f"read {counted(len(gold.queries), 'query')} of the gold, {shared} of them in the run"]
    if longest:
        judged = {doc for held in (gold.qrels or {}).values() for doc in held}
        retrieved = {doc for held in queries.values() for doc in held}
        read.append(
            f"read {counted(len(retrieved), 'document')} of the run, {len(retrieved & judged)} of them in the gold"
        )
    parts = list(dict.fromkeys(("documents",) if of_gold is None else of_gold.parts))
    if parts == ["answers"]:
        measures = ["Accuracy"]
    elif longest > _LONG or (not isinstance(run, Answers) and run.scored):
        measures = ["AP", "nDCG@10", "R@100"]
    else:
        measures = ["MicroF1", "MicroP", "MicroR"]
    if "answers" in parts and "documents" in parts:
        measures.append("LabelAccuracy")
    why = f", since the run's lists have up to {counted(longest, 'document')}" if longest else ""
    read.append(f"measures: {', '.join(measures)}{why}")
    return measures, parts, read


def _written(name: str, parts: Sequence[str], measures: Sequence[str], layouts: Mapping[str, Layout | None]) -> str:
    """The protocol as TOML."""
    lines = [
        f"task = {_toml(name)}",
        'title = "what the task asks for"',
        f"parts = {_toml(list(parts))}",
        f"measures = {_toml(list(measures))}  # the first one ranks",
        'source = "where the rules are stated"',
    ]
    same = layouts["gold"] is not None and layouts["gold"] == layouts["run"]
    for what, layout in layouts.items():
        if layout is None:
            continue
        lines += ["", f"[{what}]"]
        if same and what == "run":
            lines.append('like = "gold"')
            continue
        held = {"container": layout.container, "records": layout.records, "query": layout.query}
        lines += [f"{key} = {_toml(value)}" for key, value in held.items() if value]
        if layout.columns:
            lines.append(f"columns = {_toml(list(layout.columns))}")
        for part, where in layout.parts.items():
            lines.append(f"[{what}.{part}]")
            usual = Part()._asdict()
            kept = {key: value for key, value in where._asdict().items() if value != usual[key]}
            lines += [f"{key} = {_toml(list(v) if isinstance(v, tuple) else v)}" for key, v in kept.items()]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    """A text or a list of texts as TOML writes it, which is as JSON does."""
    return json.dumps(value, ensure_ascii=False)
