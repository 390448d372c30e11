"""Strict JSON: what ``json.loads`` lets through and a later reader would trip over is refused, with its place."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source, decode

# a string that does not end is a token too: else each quote in it would be tried as the start of one
_TOKEN = r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"?|[{}:]|[-+.\w]+'
_UNFIT = r"[\0\ud800-\udfff]"
_CONTENT = re.compile(r"[^ \t\r\n]")
_PERHAPS_UNFIT = r"\\u(?:0000|[dD][89a-fA-F])|[\ud800-\udfff]"


def _finite(number: str) -> float:
    value = float(number)
    if not math.isfinite(value):
        raise ValueError
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError
    return members


#: Refuses what ``parse`` refuses, except characters and keys that stand twice; and those too, which takes longer.
_PLAIN = json.JSONDecoder(parse_constant=_finite, parse_float=_finite)
_UNIQUE = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)

#: of names of JSON Lines, be they one
ENDINGS_OF_LINES: Final = (".jsonl", ".ndjson")

#: so many records are read together, and so many bytes of a file
MANY: Final = 10_000
BLOCK: Final = 1 << 19
#: keys of an object around records at most: those of queries and documents are mostly more, and take time
_FEW: Final = 50
#: bytes of a first line that are looked at to see that it is one
_FIRST: Final = 1 << 24


def are_lines(source: Source) -> bool:
    """Whether a file is JSON Lines."""
    head, goes_on = source.head().lstrip(), source.has_more
    if head.startswith(b"{") and goes_on and b"\n" not in head.replace(b"\r", b"\n"):
        pieces = source.blocks(BLOCK, longest=_FIRST)
        with contextlib.suppress(InputError):  # of one line that is longer
            head, goes_on = next(pieces), bool(next(pieces, b"").strip())
    return is_lines(head.decode("utf-8", "replace").replace("\r", "\n"), goes_on=goes_on)


def is_lines(text: str, *, goes_on: bool = False) -> bool:
    r"""Whether a text is JSON Lines: its first line is a whole object, and more follows, be it behind the text.

    >>> is_lines('{"001": ["013"]}\n{"002": []}\n'), is_lines('{"001": ["013"]}\n')
    (True, False)
    """
    start = _CONTENT.search(text)
    end = text.find("\n", start.end()) if start else -1
    if not start or start[0] != "{" or end < 0 or not (goes_on or _CONTENT.search(text, end)):
        return False
    try:
        return isinstance(json.loads(text[start.start() : end]), dict)
    except (ValueError, RecursionError):
        return False


def lines(source: Source) -> Iterator[tuple[int, object]]:
    """The values of JSON Lines, each with the number of its line; blank lines are passed over."""
    for numbers, values in blocks(source):
        yield from zip(numbers, values, strict=True)


def blocks(source: Source) -> Iterator[tuple[Sequence[int], list[object]]]:
    """The same, many at a time, with the numbers of their lines; the file is never in memory as a whole."""
    for first, raw in raw_blocks(source):
        yield from batches(decode(raw, source.name, first), source.name, first)


def raw_blocks(source: Source) -> Iterator[tuple[int, bytes]]:
    """The bytes of JSON Lines, many lines at a time, with the number of the first."""
    first = 1
    for raw in source.blocks(BLOCK, longest=source.limits.whole):
        if b"\r" in raw:
            raw = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        yield first, raw
        first += raw.count(b"\n")


def batches(text: str, name: str, first: int = 1) -> Iterator[tuple[Sequence[int], list[object]]]:
    """The values of lines of JSON Lines, of which the first has this number."""
    text = text.rstrip(" \t\r\n")
    # each line has the beginning of one object, which no other goes on with
    n = text.count("{")
    is_plain = n == text.count("\n") + 1 == text.count("}\n{") + 1 and text[:1] == "{" and text[-1:] == "}"
    if is_plain and (values := flat_objects(text.replace("\n", ",\n"), n)) is not None:
        yield range(first, first + n), values
        return
    # not splitlines, which also splits at characters that may stand in a JSON string
    content = ((number, line.strip(" \t\r")) for number, line in enumerate(text.split("\n"), first))
    filled = ((number, line) for number, line in content if line)
    while few := list(itertools.islice(filled, MANY)):
        read: list[object] = []
        numbers = [number for number, _ in few]
        try:
            for number, line in few:
                read.append(parse(line, name, number))
        except InputError:
            if read:
                yield numbers[: len(read)], read
            raise
        yield numbers, read


def flat_objects(text: str, n: int) -> list[object] | None:
    """So many objects without others in them, with commas between them; None where they must be read one by one."""
    if _may_be_unfit(text):
        return None
    try:
        values = _PLAIN.decode(f"[{text}]")
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, list) or len(values) != n or set(map(type, values)) != {dict}:
        return None
    if sum(map(len, values)) == text.count(":"):  # which no key that stands twice is without
        return values
    again = unique_keys(f"[{text}]")
    return again if isinstance(again, list) else None


def _may_be_unfit(text: str) -> bool:
    # one letter is found faster than two
    return (
        not (text.isascii() and ("\\" not in text or "\\u" not in text)) and re.search(_PERHAPS_UNFIT, text) is not None
    )


def unique_keys(text: str) -> object:
    """The value of a JSON text without characters that are refused; None if anything else in it is."""
    try:
        return _UNIQUE.decode(text)
    except (ValueError, RecursionError):
        return None


def parse(text: str, name: str, first_line: int = 1) -> object:
    """The value that a JSON text holds.

    >>> parse('{"001": ["013.txt"]}', "gold.json")
    {'001': ['013.txt']}
    """
    perhaps_unfit = _may_be_unfit(text)
    if not perhaps_unfit and (value := unique_keys(text)) is not None:
        return value

    def fault(kind: str, problem: str, start: int, found: str | None, remedy: str) -> InputError:
        line = first_line + text.count("\n", 0, start)
        return InputError(
            kind, name, problem, line=line, column=start - text.rfind("\n", 0, start), found=found, remedy=remedy
        )

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        members = dict(pairs)
        if len(members) < len(pairs):
            key, start = next(_repeated_keys(text))
            raise fault("duplicate", "this key appears twice in one object", start, key, "keep one of the two")
        return members

    def finite(number: str) -> float:
        value = float(number)
        if not math.isfinite(value):
            # the number may be glued to what makes the JSON broken: then it is no token of its own
            start = next((t.start() for t in re.finditer(_TOKEN, text) if t[0] == number), text.find(number))
            raise fault(
                "bad-score",
                "this is not a finite number",
                start,
                number,
                "give a finite number; of a score, or leave its document out",
            )
        return value

    def unlocated(problem: str) -> InputError:
        # json does not say where; only a text of one line leaves no doubt
        line = None if "\n" in text.rstrip() else first_line
        remedy = "no COLIEE file needs that; check the program that wrote it"
        return InputError("too-large", name, problem, line=line, remedy=remedy)

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=finite, parse_float=finite)
    except json.JSONDecodeError as error:
        rest = text[error.pos :].partition("\n")[0].rstrip(" \t\r")
        remedy = "correct it, or get the file again if it was cut short"
        if error.msg == "Extra data":
            remedy = "a file must contain one JSON value, or JSON Lines (one object per line) (jq -c . writes them so)"
        raise fault("syntax", f"broken JSON: {error.msg}", error.pos, rest or None, remedy) from None
    except RecursionError:
        raise unlocated("lists or objects are nested too deeply") from None
    except ValueError:
        raise unlocated("an integer has too many digits") from None
    if perhaps_unfit:
        for token in re.finditer(_TOKEN, text):
            if token[0].startswith('"') and (unfit := re.search(_UNFIT, json.loads(token[0]))):
                what = "a NUL character" if unfit[0] == "\0" else "an unpaired surrogate"
                raise fault(
                    "encoding", f"this string holds {what}", token.start(), unfit[0], "remove it; it is not text"
                )
    return value


def value_at(content: object, path: str) -> Any:
    """What is under a key of an object, or under a path of keys with dots between them.

    Raises:
        KeyError: there is no such key, which is its first argument, in the object that is its second.

    >>> value_at({"id": 1, "output": {"judgment": "Y"}}, "output.judgment")
    'Y'
    """
    if isinstance(content, Mapping) and path in content:
        return content[path]
    for key in path.split("."):
        if not isinstance(content, Mapping) or key not in content:
            raise KeyError(key, content)
        content = content[key]
    return content


def with_paths(record: Mapping[Any, Any], paths: Iterable[str]) -> Mapping[Any, Any]:
    """A record in which what is under some paths of keys is under the whole path too; nothing is in null."""
    by_path = {}
    for path in paths:
        try:
            by_path[path] = value_at(record, path)
        except KeyError as error:
            by_path |= {path: None} if error.args[1] is None else {}
    return {**record, **by_path} if by_path else record


def paths_of(text: str) -> list[str]:
    """The keys of a JSON text, which may be cut off, each as a path from the record in which it is.

    Records are the objects in lists and those that are in no object.

    >>> paths_of('[{"id": 1, "output": {"judgment": "Y", "hits": [{"doc": 1')
    ['id', 'output', 'output.judgment', 'output.hits', 'doc']
    """
    paths: dict[str, None] = {}
    around, key, string = list[str](), "", ""
    for token in re.finditer(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)"?|[\[\]{}:]', text):
        if token[0] in "[{":
            around.append(key if token[0] == "{" else "")
            key = ""
        elif token[0] in "]}" and around:
            around.pop()
            key = ""
        elif token[0] == ":":
            with contextlib.suppress(ValueError):
                path = (around[-1] + "." if around and around[-1] else "") + json.loads(string)
                paths.setdefault(path)
                key = path
        elif token[0].startswith('"'):
            string = token[0]
    return _under_ids(list(paths)) or list(paths)


def _under_ids(paths: Sequence[str]) -> list[str]:
    """The keys of records under the ids of their queries: of several keys, all with the same below; else none."""
    below: dict[str, list[str]] = {}
    for path in paths:
        head, _, rest = path.partition(".")
        below.setdefault(head, []).extend([rest] if rest else [])
    first, *others = below.values() or [[]]
    # the last may be cut off
    alike = all(rests == first for rests in others[:-1]) and all(rests == first[: len(rests)] for rests in others[-1:])
    return first if others and alike and all(others[:-1]) and others[0] else []


def objects_under(content: Mapping[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The lists of objects under the keys of an object, and of those in it that have few keys, with their paths."""
    for key, value in content.items():
        if isinstance(value, Mapping) and max(len(content), len(value)) <= _FEW:
            yield from ((f"{key}.{path}", listed) for path, listed in objects_under(value))
        elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            yield key, value


def line_of(text: str, key: str) -> int | None:
    """The line of a member of the outermost objects of a JSON text."""
    start = next((start for other, start, around in _keys(text) if other == key and len(around) == 1), None)
    return None if start is None else 1 + text.count("\n", 0, start)


def _repeated_keys(text: str) -> Iterator[tuple[str, int]]:
    """The keys of a JSON text that their object has already, and where they start."""
    return ((key, start) for key, start, around in _keys(text) if key in around[-1])


def _keys(text: str) -> Iterator[tuple[str, int, list[set[str]]]]:
    """The keys of a JSON text, where they start, and the objects around each with the keys that they have by then."""
    objects: list[set[str]] = []
    string, start = "", 0
    for token in re.finditer(_TOKEN, text):
        if token[0].startswith('"'):
            string, start = token[0], token.start()
        elif token[0] == "{":
            objects.append(set())
        elif token[0] == "}":
            objects.pop()
        elif token[0] == ":":
            yield (key := json.loads(string)), start, objects
            objects[-1].add(key)
