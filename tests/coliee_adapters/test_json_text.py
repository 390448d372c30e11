from __future__ import annotations

import json

import pytest
from asserting import heard

from coliee_adapters.errors import InputError
from coliee_adapters.forms.json_text import is_lines, lines, parse

AGAIN = "…"
ONE = "…"
NEEDLESS = "…"
NOT_TEXT = "…"


def told(text: str, first_line: int = 1) -> str:
    with pytest.raises(InputError) as caught:
        parse(text, "f.json", first_line)
    return heard(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "null",
        " [] \r\n",
        '{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}',
        '"\u2028\u2029\x85\ufeff"',
        r'"\ud83d\ude00 \u001b"',
        r'"\\u0000 \\ud800"',
        '["NaN", "Infinity", "{", "}:", "a\\":"]',
        "[-0.0, 1e300, 12345678901234567890]",
    ],
)
def test_what_json_allows_is_read_as_json_reads_it(text: str) -> None:
    assert parse(text, "f.json") == json.loads(text)


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ("", "line 1, column 1", ""),
        ('{"a": [1, 2', "line 1, column 12", ""),
        ('{"a": 1}\n{"b": 2}', "line 2, column 1", " (found '{\"b\": 2}')"),
        ("{'a': 1}", "line 1, column 2", " (found ''a': 1}')"),
        ('{"a" 1}\r\n', "line 1, column 6", " (found '1}')"),
        ('["a\tb"]', "line 1, column 4", " (found '\\tb\"]')"),
        ("\ufeff{}", "line 1, column 1", r" (found '\ufeff{}')"),
        ('["\\x"]', "line 1, column 3", " (found '\\x\"]')"),
        ('["' + "x" * 99, "line 1, column 2", " (found '\"" + "x" * 58 + "…')"),
        ("True", "line 1, column 1", " (found 'True')"),
        ("[-NaN]", "line 1, column 2", " (found '-NaN]')"),
    ],
)
def test_broken_json_is_told_with_its_place(text: str, place: str, found: str) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    remedy = ONE if caught.value.msg == "Extra data" else AGAIN
    assert told(text) == (f"f.json, {place}: [syntax] {caught.value.msg}{found} …; {remedy}")


def test_a_comma_too_many_is_told_with_the_place_that_json_gives_it() -> None:
    text = '{"a": 1,\n "b": 2,\n}'
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    # Python 3.13 points at the comma, earlier ones at the bracket
    assert told(text).startswith(f"f.json, line {caught.value.lineno}, column {caught.value.colno}: [syntax]")


def test_lines_are_counted_from_the_first_line() -> None:
    assert told("[\n1 2]", 41) == (
        f"f.json, line 42, column 3: [syntax] Expecting ',' delimiter … (found '2]'); {AGAIN}"
    )


@pytest.mark.parametrize(
    ("text", "place", "key"),
    [
        ('{"a": 1, "a": 1}', "line 1, column 10", "a"),
        ('{"a": 1,\n "b": {"a": 1},\n "a" : 2}', "line 3, column 2", "a"),
        ('[{"id": 1}, {"id": 2},\n {"id": 3, "x": "id", "id": 4}]', "line 2, column 23", "id"),
        ('{"a": 1, "a": {"b": 1, "b": 2}}', "line 1, column 10", "a"),
        ('{"a": 1, "\\u0061": 2}', "line 1, column 10", "a"),
        ('{"a": "\\"a\\": {", "c": "}", "a": 2}', "line 1, column 29", "a"),
        ('{"": 1, "": 2} broken', "line 1, column 9", ""),
        (r'{"\ud800": 1, "\ud800": 2}', "line 1, column 15", r"\ud800"),
    ],
)
def test_a_key_twice_in_one_object_is_refused(text: str, place: str, key: str) -> None:
    problem = "[duplicate]"
    assert told(text) == f"f.json, {place}: {problem} (found '{key}'); …"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1E+400", "1" * 400 + ".5"])
def test_a_number_that_is_not_finite_is_refused(number: str) -> None:
    shown = number if len(number) < 60 else number[:59] + "…"
    expected = f"line 2, column 2: [bad-score] (found '{shown}')"
    assert told(f'["{number}", "\\"{number}",\n {number}, NaN]') == f"f.json, {expected}"


@pytest.mark.parametrize(
    ("text", "place", "kind", "found"),
    [
        (r'["\u0000"]', "line 1, column 2", "[encoding]", r"\x00"),
        ('[1,\n "a\\\\\\u0000"]', "line 2, column 2", "[encoding]", r"\x00"),
        (r'["\ud83d\ude00", "\ud83d"]', "line 1, column 18", "[encoding]", r"\ud83d"),
        (r'["\\ud800", "\uDFFF\uD800"]', "line 1, column 13", "[encoding]", r"\udfff"),
        (r'{"\ud800": 1}', "line 1, column 2", "[encoding]", r"\ud800"),
        ('["\ud800"]', "line 1, column 2", "[encoding]", r"\ud800"),
    ],
)
def test_what_is_no_text_is_refused_in_a_string(text: str, place: str, kind: str, found: str) -> None:
    assert told(text) == f"f.json, {place}: [encoding] {kind} … (found '{found}'); {NOT_TEXT}"


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_refused(opening: str) -> None:
    text = opening * 100_000
    assert told(text, 7) == f"f.json, line 7: [too-large]; {NEEDLESS}"
    assert told("[1,\n" + text) == f"f.json: [too-large]; {NEEDLESS}"


def test_an_integer_of_too_many_digits_is_refused() -> None:
    assert told("[" + "1" * 5000 + "]\n", 7) == f"f.json, line 7: [too-large]; {NEEDLESS}"
    assert told("[1,\n-" + "1" * 5000 + "]") == f"f.json: [too-large]; {NEEDLESS}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}\n{"b": 2}\n', True),
        ('\n {"a": 1}\r\n\n{"b": 2}', True),
        ('{"a": 1}\nnonsense', True),
        ('{"a": 1}\n \n', False),
        ('{"a": 1}', False),
        ('{\n"a": 1}\n{}', False),
        ('{"a": 1}, \n{}', False),
        ('["a"]\n["b"]', False),
        ("", False),
        ('{"a": ' + "[" * 100_000 + "\n{}", False),
    ],
)
def test_json_lines_are_known_by_their_first_line(text: str, expected: bool) -> None:
    assert is_lines(text) is expected


def test_json_lines_are_read_with_their_numbers() -> None:
    assert list(lines('\n{"a": 1}\n\n{"b": "\u2028"}\n', "f.json")) == [(2, {"a": 1}), (4, {"b": "\u2028"})]
    with pytest.raises(InputError) as caught:
        list(lines('{"a": 1}\n{"a": 1, "a": 2}', "f.json"))
    assert (caught.value.line, caught.value.found) == (2, "a")
