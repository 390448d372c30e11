import pytest
from asserting import matches
from hypothesis import given
from hypothesis import strategies as st
from reading import read_whole, refused, told

from coliee_adapters.forms.lines import Comments, content_lines, split_columns


def lines(text):
    return list(content_lines(text, "run.txt"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n \t\n001 013 T\r\n\n  001 014 T \f\v", [(3, "001 013 T"), (5, "001 014 T")]),
        ("/* a */ q1 Y T\n/* b\nc */q2 N T\n/* d *//* e */ q3 Y T\n", [(1, "q1 Y T"), (3, "q2 N T"), (4, "q3 Y T")]),
        ("/**/" * 50_000 + " 001 013 T", [(1, "001 013 T")]),  # in seconds
        *((line, [(1, line)]) for line in ("q1 Y /* T", "q1 Y #1", "q1/* Y T", "*/ q1 Y", "/ * q1", "// q1 Y")),
        *(("q\n" * n + "/* a\nb */last", [*((i, "q") for i in range(1, n + 1)), (n + 2, "last")]) for n in (127, 256)),
    ],
)
def test_content_lines_keep_their_numbers(text, expected):
    assert lines(text) == expected
    assert split_columns("q1 \t Y\v\fmy\xa0tag\u3000x") == ["q1", "Y", "my\xa0tag\u3000x"]


def test_blank_lines_and_comments_hold_nothing_and_one_that_never_ends_is_refused(source):
    for text in ("", "\n\n", "# a\n  #b\n#", "/* a */", "\t/* a\n\nb Y c\n*/ \n", "/**/", "/* # */#"):
        assert lines(text) == []
    for text, line in (("/*", 1), ("q1 Y T\n\n /* a\nq2 Y T\n", 3), ("/* a */ /* b\n", 1)):
        assert matches(told(lines, text), f"run.txt, line {line}: [syntax]")
    for row in ("1 2 T", "1 Q0 2 1 0.5 T"):  # whatever follows would be left out in silence
        assert matches(told(read_whole, source(f"{row}\n/* a\n{row}\n")), "f.txt, line 2: [syntax]")


@pytest.mark.parametrize("end", ["\x85", "\u2028", "\u2029"])
def test_lines_that_end_in_separators_of_unicode_are_refused(end):
    assert refused(lines, f"q1 Y T\nq2 Y T{end}q3 Y T\n").line == 2
    assert lines(f"q1 Q0 d{end}1 1 0.5 T") == [(1, f"q1 Q0 d{end}1 1 0.5 T")]  # ids of TREC can have anything
    assert lines(f"# of{end} no run\nq1 Y T\n") == [(2, "q1 Y T")]


@given(st.text(alphabet="a /*#\n"), st.integers(min_value=0))
def test_blocks_hold_what_the_whole_text_holds(text, at):
    cut = text.rfind("\n", 0, at) + 1
    whole, parts = Comments(), Comments()
    expected = list(content_lines(text, "run.txt", comments=whole))
    found = list(content_lines(text[:cut], "run.txt", comments=parts))
    found += content_lines(text[cut:], "run.txt", text[:cut].count("\n") + 1, parts)
    assert (found, parts.opened) == (expected, whole.opened)
