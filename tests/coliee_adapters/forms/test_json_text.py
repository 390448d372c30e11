import json

import pytest
from asserting import heard, matches
from reading import refused, rows

from coliee_adapters.errors import shortened
from coliee_adapters.forms import detect, json_text
from coliee_adapters.forms.json_text import is_lines, lines, parse


def told(text, first_line=1):
    return heard(refused(parse, text, "f.json", first_line))


def test_what_json_allows_is_read_as_json_reads_it():
    for text in (
        "null", " [] \r\n", '{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}', '"\u2028\u2029\x85\ufeff"',
        r'"\ud83d\ude00 \u001b"', r'"\\u0000 \\ud800"', '["NaN", "Infinity", "{", "}:", "a\\":"]',
        "[-0.0, 1e300, 12345678901234567890]",
    ):  # fmt: skip
        assert parse(text, "f.json") == json.loads(text)


@pytest.mark.parametrize(
    ("text", "place", "found"),
    [
        ("", "line 1, column 1", ""), ('{"a": [1, 2', "line 1, column 12", ""),
        ('{"a": 1}\n{"b": 2}', "line 2, column 1", " (found '{\"b\": 2}')"),
        ('{"a" 1}\r\n', "line 1, column 6", " (found '1}')"), ('["a\tb"]', "line 1, column 4", " (found '\\tb\"]')"),
        ("\ufeff{}", "line 1, column 1", r" (found '\ufeff{}')"), ("True", "line 1, column 1", " (found 'True')"),
        ('["' + "x" * 99, "line 1, column 2", " (found '\"" + "x" * 58 + "…')"),
        ("[\n1 2]", "line 2, column 3", " (found '2]')"),
    ],
)  # fmt: skip
def test_broken_json_is_told_with_its_place(text, place, found):
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    assert matches(told(text), f"f.json, {place}: [syntax] {caught.value.msg}{found}")
    further = place.replace("line 1", "line 41").replace("line 2", "line 42")
    assert matches(told(text, 41), f"f.json, {further}: [syntax] {caught.value.msg}{found}")


@pytest.mark.parametrize(
    ("text", "place", "kind", "found"),
    [
        ('{"a": 1, "a": 1}', "1, column 10", "duplicate", "a"),
        ('{"a": 1,\n "b": {"a": 1},\n "a" : 2}', "3, column 2", "duplicate", "a"),
        ('[{"id": 1}, {"id": 2},\n {"id": 3, "x": "id", "id": 4}]', "2, column 23", "duplicate", "id"),
        (r'{"\ud800": 1, "\ud800": 2}', "1, column 15", "duplicate", r"\ud800"),
        (r'["\u0000"]', "1, column 2", "encoding", r"\x00"),
        ('[1,\n "a\\\\\\u0000"]', "2, column 2", "encoding", r"\x00"),
        (r'["\ud83d\ude00", "\ud83d"]', "1, column 18", "encoding", r"\ud83d"),
        ('["\ud800"]', "1, column 2", "encoding", r"\ud800"),
        *(
            (f'["{number}", "\\"{number}",\n {number}, NaN]', "2, column 2", "bad-score", shortened(number, 60))
            for number in ("NaN", "-Infinity", "1e999", "-1E+400", "1" * 400 + ".5")
        ),
    ],
)
def test_what_is_no_value_of_ours_is_refused_with_its_place(text, place, kind, found):
    assert matches(told(text), f"f.json, line {place}: [{kind}] (found '{found}')")


def test_deep_nesting_and_integers_of_too_many_digits_are_refused():
    for text in ("[" * 100_000, '{"a":' * 100_000, "1" * 5000):
        assert matches(told(f"[{text}]\n", 7), "f.json, line 7: [too-large]")
        assert matches(told(f"[1,\n{text}]"), "f.json: [too-large]")


def test_json_lines_are_known_by_their_first_line():
    are = ['{"a": 1}\n{"b": 2}\n', '\n {"a": 1}\r\n\n{"b": 2}', '{"a": 1}\nnonsense']
    others = ['{"a": 1}\n \n', '{"a": 1}', '{\n"a": 1}\n{}', '{"a": 1}, \n{}', '["a"]\n["b"]', ""]
    others.append('{"a": ' + "[" * 100_000 + "\n{}")
    assert [is_lines(text) for text in (*are, *others)] == [True] * len(are) + [False] * len(others)


def test_json_lines_are_read_with_their_numbers_and_numbers_as_python_reads_them(source):
    assert list(lines(source('\n{"a": 1}\n\n{"b": "\u2028"}\n'))) == [(2, {"a": 1}), (4, {"b": "\u2028"})]
    numbers = [12345678901234567890123, 18446744073709551616, 0.1, 1e22, 5e-324, 0.1000000000000000055511151231257827]
    read = lines(source("".join(f'{{"n": {json.dumps(number)}}}\n' for number in numbers)))
    assert [value for _, value in read] == [{"n": number} for number in numbers]
    for value, kind in (
        *((number, "bad-score") for number in ("1e999", "1E+999", "9" * 400 + ".0", "NaN", "-Infinity")),
        ('1, "n": 2', "duplicate"),
    ):
        error = refused(list, lines(source(f'{{"n": 1}}\n{{"n": {value}}}')))
        assert (error.kind, error.line) == (kind, 2)


def test_json_lines_are_never_in_memory_as_a_whole(source, monkeypatch):
    """However long the file is, what is read of it is decoded, and let go, block by block."""
    monkeypatch.setenv("COLIEE_IR_MAX_WHOLE", "4K")
    monkeypatch.setattr(json_text, "BLOCK", 1 << 12)
    read, raw_blocks = [], json_text.raw_blocks

    def counted(source):
        for first, block in raw_blocks(source):
            read.append(len(block))
            yield first, block

    monkeypatch.setattr(json_text, "raw_blocks", counted)
    text = "".join(f'{{"query_id": "q{at // 10}", "doc_id": "d{at}", "score": {-at}}}\n' for at in range(3000))
    found = rows(detect.read_run(source(text)))
    assert [query for query, *_ in found] == [f"q{at // 10}" for at in range(3000)]
    assert max(read) < 1 << 13
    listed = "".join(f'{{"query_id": "q{at}", "doc_ids": ["d1", "d2"]}}\n' for at in range(500))
    for shape in (listed, listed.replace('"query_id": ', "").replace(', "doc_ids"', "")):
        assert len(rows(detect.read_run(source(shape)))) == 1000
    assert refused(detect.read_run, source("[" + text.replace("\n", ",")[:-1] + "]")).kind == "too-large"
