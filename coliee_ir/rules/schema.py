"""Protocol files: TOML that states the rules of a task, read and checked against a schema.

A file has the rules of one task family. Keys at its top hold for all editions; an ``[[edition]]`` may state its own. A
file without editions holds for every year. What is read here is plain data; ``protocol`` makes the rules of it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from coliee_adapters.errors import InputError, quoted
from coliee_adapters.layouts import ANSWERS, CONTAINERS, Layout, Part
from coliee_ir.rules import ALWAYS

if TYPE_CHECKING:
    from coliee_adapters.files.source import PathLike

#: the part that every command knows, beside ``ANSWERS``; a protocol may name others
DOCUMENTS: Final = "documents"


#: what a column of a task's table may hold besides measures: how a run is called, and counts
COLUMNS_OF_RUNS: Final = ("team", "run", "file", "returned", "correct", "right")


Edition = TypeVar("Edition")
Submission = TypeVar("Submission")


class ValueKind(NamedTuple):
    """What a value must be: said for people, and how it is seen."""

    says: str
    holds: Callable[[object], bool]


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_pattern(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(re.compile(value))
    except re.error:
        return False


def _table_of_texts(says: str) -> ValueKind:
    return ValueKind(says, lambda value: isinstance(value, dict) and all(map(_is_text, value.values())))


TEXT: Final = ValueKind("text in quotes", _is_text)
TEXTS: Final = ValueKind('a list of texts, for example ["MicroF1", "MicroP"]', _is_texts)
FLAG: Final = ValueKind("true or false", lambda value: isinstance(value, bool))
COUNT: Final = ValueKind("an integer ≥ 0", lambda value: type(value) is int and value >= 0)
YEAR: Final = ValueKind("a year, for example 2027", lambda value: type(value) is int and 0 <= value <= ALWAYS)
NAME: Final = ValueKind(
    "a name of letters, digits, - and _",
    lambda value: isinstance(value, str) and bool(re.fullmatch(r"[A-Za-z0-9][\w.-]*", value)),
)
_THREE, _SIX = ["QUERY", "DOCUMENT", "TAG"], ["QUERY", "Q0", "DOCUMENT", "RANK", "SCORE", "TAG"]
COLUMNS: Final = ValueKind(f"{_THREE} or {_SIX}".replace("'", '"'), lambda value: value in (_THREE, _SIX))
DATES: Final = ValueKind(
    "a table of dates by edition, for example 2026 = 2025-07-15, or 2027 = false where there is none",
    lambda value: (
        isinstance(value, dict)
        and all(key.isdecimal() and (date is False or type(date) is datetime.date) for key, date in value.items())
    ),
)

#: what a key must be, by the annotation of the field that it states
_OF_TYPE: Final = {"str": TEXT, "bool": FLAG, "int": COUNT, "int | None": COUNT, "tuple[str, ...]": TEXTS}

_IDS: Final = ValueKind(
    "a key, or a text with keys in braces, for example {law_id}|{article_id}",
    lambda value: _is_text(value) and not re.search("[{}]", re.sub(r"\{[^{}]+\}", "", str(value))),
)
_PATTERN: Final = ValueKind("a regular expression in quotes, for example 'R[0-9]{2}-[0-9]+'", _is_pattern)

#: the same of fields whose type does not say all
_OF_FIELD: Final = {
    # what a formula can name in brackets, and no key of a layout
    "Protocol.parts": ValueKind(
        'a list of words of letters, digits and _, for example ["documents", "evidence"]',
        lambda value: (
            isinstance(value, list)
            and _is_texts(value)
            and all(name.isidentifier() and name not in (*_LAYOUT, "like", "long") for name in value)
        ),
    ),
    "Protocol.law": ValueKind('"case", "statute" or "tort"', lambda value: value in ("case", "statute", "tort")),
    "Protocol.scores": _table_of_texts('a table of formulas by name, for example Total = "0.7*Accuracy + 0.3*MacroF2"'),
    "Protocol.table": _table_of_texts('a table of columns by heading, for example F1 = "MicroF1"'),
    "Protocol.decisions": _table_of_texts('a table of choices by name, for example unanswered = "skip"'),
    "SubmissionRules.columns": COLUMNS,
    "SubmissionRules.query_pattern": _PATTERN,
    "SubmissionRules.document_pattern": _PATTERN,
    "Layout.query": _IDS,
    "Part.id": _IDS,
    "Part.separator": ValueKind("text in quotes", lambda value: isinstance(value, str) and bool(value)),
}

#: the fields that no key of their table states, and those of spans, which have no common value
_APART: Final = ("task", "first", "last", "file")

_SPAN: Final = {"first": YEAR, "last": YEAR}


def keys(row: Any) -> dict[str, ValueKind]:
    """The keys of a table that states a row: its fields, and what each must be; further tables are read apart."""
    return {
        name: kind
        for name, annotation in row.__annotations__.items()
        if (kind := _OF_FIELD.get(f"{row.__name__}.{name}", _OF_TYPE.get(annotation.__forward_arg__))) is not None
        and name not in _APART
    }


#: the keys of the layout of a gold or a run, whose parts are further tables in it; those of a part
_LAYOUT: Final[dict[str, ValueKind]] = keys(Layout)
_PART: Final = keys(Part)


class TomlTable:
    """A table of a file, whose values are taken by key and checked."""

    def __init__(self, path: str, name: str, members: Mapping[str, Any], allowed: Collection[str]) -> None:
        self.path, self.name, self.members = path, name, members
        for key in members:
            if key not in allowed:
                import difflib  # which a file without errors does not need

                close = difflib.get_close_matches(key, allowed, 1)
                raise self.fault(
                    key,
                    "unknown key",
                    remedy=f"did you mean {close[0]}?" if close else f"the keys are {', '.join(allowed)}",
                )

    def fault(self, key: str, problem: str, found: object = None, remedy: str | None = None) -> InputError:
        """The error that something is wrong with a key."""
        text = found if found is None or isinstance(found, str) else repr(found)
        place = ", ".join(filter(None, (self.name, key)))
        return InputError("protocol", self.path, f"{place}: {problem}", found=text, remedy=remedy)

    def checked(self, kinds: Mapping[str, ValueKind]) -> dict[str, Any]:
        """The values of some keys as far as there are such; a list becomes a tuple."""
        values = {key: self.members[key] for key in kinds if key in self.members}
        for key, value in values.items():
            if not kinds[key].holds(value):
                raise self.fault(key, f"expected {kinds[key].says}", value)
        return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}

    def needed(self, key: str, kind: ValueKind) -> Any:
        """The value of a key that must be there."""
        if key not in self.members:
            raise self.fault(key, "this key is missing", remedy=f"add {key} = {kind.says}")
        return self.checked({key: kind})[key]

    def tables(self, key: str) -> list[Mapping[str, Any]]:
        """The tables of an array, ``[[key]]``; none where there is no such key."""
        value = self.members.get(key, [])
        if not isinstance(value, list) or not all(isinstance(table, dict) for table in value):
            raise self.fault(key, f"expected tables, each headed [[{key}]]", value)
        return value


def loads(path: PathLike) -> tuple[str, dict[str, Any]]:
    """A file of TOML: its name, and what it holds."""
    import tomllib  # which most commands do without

    from coliee_adapters.files.source import Source  # names of tasks and choices do without

    source = Source(path)
    try:
        return source.name, tomllib.loads(source.text())
    except tomllib.TOMLDecodeError as error:
        raise _toml_error(source.name, str(error)) from None
    except (ValueError, RecursionError):
        raise InputError(
            "syntax",
            source.name,
            "broken TOML: a number has too many digits, or brackets are nested too deep",
            remedy="correct the file",
        ) from None


def read(
    path: PathLike, newest: int, edition: Callable[..., Edition], submission: Callable[..., Submission]
) -> tuple[tuple[Edition, ...], tuple[Submission, ...], dict[int, datetime.date | None]]:
    """What a protocol file states: how its task is scored, and how submissions to it must look, for each span of years.

    And edition → the date before which models must have been updated last; None where there is none.
    """
    name, members = loads(path)
    of_edition, of_submission = keys(edition), keys(submission)
    top = TomlTable(name, "", members, ("task", *of_edition, "edition", "submission", "models_before", "gold", "run"))
    task = top.needed("task", NAME)
    common = top.checked(of_edition)
    submissions = list(_spans(top, "submission", of_submission, {}, newest))
    for row in submissions:
        row.setdefault("source", common.get("source", name))
        if "law" not in common:  # whose limit of runs is not COLIEE's
            row.setdefault("runs_source", row["source"])
        elif patterns := sorted({"query_pattern", "document_pattern"} & row.keys()):
            raise top.fault(
                "submission",
                "with law, ids are checked by query_digits and document_digits alone",
                patterns[0],
                "leave the pattern out, or law",
            )
    dates = top.checked({"models_before": DATES}).get("models_before", {})
    editions = [_edition(top, row) for row in _spans(top, "edition", of_edition, common, newest)]
    parts = dict.fromkeys(part for row in editions for part in row["parts"])
    layouts = {key: _layout(top, key, parts) for key in ("gold", "run")}
    return (
        tuple(edition(**row, **layouts, task=task, file=name) for row in editions),
        tuple(submission(task=task, **row) for row in submissions),
        {int(year): date or None for year, date in dates.items()},
    )


def _toml_error(path: str, message: str) -> InputError:
    """The error that a file is not TOML, from what the parser says."""
    what, _, place = message.partition(" (at ")
    line, column = [*map(int, re.findall("[0-9]+", place)), None, None][:2]
    return InputError(
        "syntax", path, f"broken TOML: {what}", line=line, column=column, remedy="the syntax is described at toml.io"
    )


def _spans(
    top: TomlTable, key: str, kinds: Mapping[str, ValueKind], common: Mapping[str, Any], newest: int
) -> Iterable[dict[str, Any]]:
    """The tables of an array that hold for spans of years; a single one for all years where there are none."""
    tables = top.tables(key)
    if not tables and key == "edition":
        yield {**common, "first": 0, "last": ALWAYS}
    spans: list[tuple[int, int]] = []
    for number, members in enumerate(tables, 1):
        table = TomlTable(top.path, f"[[{key}]] {number}", members, (*_SPAN, *kinds))
        own = table.checked({**kinds, **_SPAN})
        first = own.setdefault("first", 0) if key == "submission" else table.needed("first", YEAR)
        last = own.setdefault("last", ALWAYS if first == 0 else max(first, newest))
        if last < first:
            raise table.fault("last", f"the last edition is before the first, {first}", last)
        for other in spans:
            if first <= other[1] and other[0] <= last:
                raise table.fault("first", f"{max(first, other[0])} already has rules in this file", first)
        spans.append((first, last))
        yield {**common, **own}


def _edition(top: TomlTable, row: dict[str, Any]) -> Mapping[str, Any]:
    """An edition that states what it must."""
    for key, kind in (("title", TEXT), ("parts", TEXTS), ("measures", TEXTS)):
        if key not in row:
            raise top.fault(key, "this key is missing", remedy=f"add {key} = {kind.says}, for all or for each edition")
    if not {DOCUMENTS, ANSWERS} & set(row["parts"]):
        raise top.fault("parts", f"expected {DOCUMENTS}, {ANSWERS} or both", ", ".join(map(quoted, row["parts"])))
    columns = (*COLUMNS_OF_RUNS, *row["measures"], *row.get("long_list", ()), *row.get("scores", ()))
    for heading, column in row.get("table", {}).items():
        if column not in columns:
            raise top.fault(
                f"table, {heading}", "there is no such column", column, f"the columns are {', '.join(columns)}"
            )
    row.setdefault("source", top.path)
    row.setdefault("exact_ids", "law" not in row)  # only COLIEE's lose an ending
    return row


def _layout(top: TomlTable, key: str, parts: Collection[str]) -> Layout | None:
    """How a gold or a run is written; a run ``like = "gold"`` has the keys of the gold but for those of its own."""
    if key not in top.members:
        return None
    members = top.members[key]
    if not isinstance(members, dict):
        raise top.fault(key, f"expected a table, [{key}]", members)
    if key == "run" and members.get("like") == "gold" and isinstance(top.members.get("gold"), dict):
        members = {**top.members["gold"], **{name: value for name, value in members.items() if name != "like"}}
    for name, value in members.items():
        if isinstance(value, dict) and name not in (*_LAYOUT, *parts):
            raise TomlTable(top.path, f"[{key}]", {}, ()).fault(
                name,
                "parts does not name this",
                remedy=f"the parts are {', '.join(parts)}; add it there, or correct the name",
            )
    table = TomlTable(top.path, f"[{key}]", members, (*_LAYOUT, *parts))
    values = table.checked(_LAYOUT)
    container = table.needed("container", TEXT)
    if container not in CONTAINERS:
        if len(members) > 1:
            raise table.fault(
                next(name for name in members if name != "container"),
                f"a file of the format {container} is not described",
                remedy=f"containers whose content is described are {', '.join(CONTAINERS)}",
            )
        return Layout(container)
    if container in CONTAINERS[2:] and "query" not in values:
        table.needed("query", TEXT)
    if container == "columns":
        table.needed("columns", TEXTS)
    described = {part: _part(table, part) for part in parts if part in members}
    if not described:
        raise table.fault(next(iter(parts)), "this table is missing", remedy=f"add [{key}.{next(iter(parts))}]")
    return Layout(**values, parts=described)


def _part(table: TomlTable, name: str) -> Part:
    """Where a part stands."""
    members = table.members[name]
    if not isinstance(members, dict):
        raise table.fault(name, "expected a table", members)
    own = TomlTable(table.path, f"{table.name[:-1]}.{name}]", members, _PART)
    part = Part(**own.checked(_PART))
    if both := {*part.yes} & {*part.no}:
        raise own.fault("no", "yes and no have a label in common", ", ".join(sorted(both)))
    return part
