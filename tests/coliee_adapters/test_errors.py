import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError, MismatchError, printable, quoted

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # surrogates too


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({}, "run.txt: 2 columns"),
        ({"line": 7}, "run.txt, line 7: 2 columns"),
        ({"line": 7, "column": 3}, "run.txt, line 7, column 3: 2 columns"),
        ({"found": "001 013"}, "run.txt: 2 columns (found '001 013')"),
        ({"remedy": "expected 3"}, "run.txt: 2 columns; expected 3"),
        ({"line": 7, "found": "", "remedy": "expected 3"}, "run.txt, line 7: 2 columns (found ''); expected 3"),
        ({"found": "x" * 61}, f"run.txt: 2 columns (found '{'x' * 59}…')"),
        ({"found": "x" * 60}, f"run.txt: 2 columns (found '{'x' * 60}')"),
    ],
)
def test_the_text_names_file_place_problem_what_was_found_and_remedy(parts, sentence):
    assert str(InputError("columns", "run.txt", "2 columns", **parts)) == sentence


def test_no_part_of_the_text_reaches_a_terminal_unescaped():
    error = InputError("columns", "a\x1b[2J", "b\r\n", line=1, found="c\x07", remedy="d\u202e\udcff")
    assert str(error) == r"a\x1b[2J, line 1: b\r\n (found 'c\x07'); d\u202e\udcff"


@pytest.mark.parametrize("kind", [InputError, MismatchError])
def test_an_error_crosses_a_process_border_as_it_is(kind):
    error = kind("columns", "run.txt", "2 columns", line=7, column=3, found="001 013", remedy="expected 3")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is kind
        assert str(twin) == str(error)
        assert vars(twin) == vars(error)


@given(ANY_TEXT)
def test_printable_text_is_printable_and_what_was_so_stays(text):
    shown = printable(text)
    assert shown.isprintable()
    assert printable(shown) == shown
    if "::" not in text and "##" not in text:
        assert (shown == text) == text.isprintable()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::stop-commands::x", r"\x3a:stop-commands::x"), (" \u3000::error::x", r" \u3000::error::x"),
        ("  ::error::x", r"  \x3a:error::x"), ("a ##[group]x", r"a #\x23[group]x"),
        ("###vso[task]x", r"##\x23vso[task]x"), ("a::b", "a::b"), (":x", ":x"), ("#1 [a]", "#1 [a]"),
    ],
)  # fmt: skip
def test_no_line_is_a_command_to_a_runner_of_workflows(text, shown):
    assert printable(text) == shown


@given(ANY_TEXT, st.integers(1, 20))
def test_quoted_text_is_printable_and_no_longer_than_asked(text, limit):
    shown = quoted(text, limit)
    assert shown.isprintable()
    assert (shown[0], shown[-1]) == ("'", "'")
    assert len(shown) <= limit + 2
    assert shown.endswith("…'") or shown == f"'{printable(text)}'"
