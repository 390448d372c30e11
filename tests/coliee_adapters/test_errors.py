"""What errors show: their parts, in signs that a terminal prints and in its columns."""

import copy
import pickle
from itertools import product
from unicodedata import combining, east_asian_width

import pytest
from asserting import heard, matches
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import (
    InputError,
    MismatchError,
    cut_to_width,
    padded_to_width,
    printable,
    quoted,
    shortened,
    width,
)
from coliee_adapters.kinds import REMARKS, TREATMENTS
from coliee_adapters.remarks import Remarks, for_count

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # surrogates too


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({}, "run.txt: 2 columns"),
        ({"line": 7, "column": 3}, "run.txt, line 7, column 3: 2 columns"),
        ({"line": 7, "found": "", "remedy": "expected 3"}, "run.txt, line 7: 2 columns (found ''); expected 3"),
        ({"found": "x" * 61}, f"run.txt: 2 columns (found '{'x' * 59}…')"),
        ({"line": 1, "found": "c\x07", "remedy": "d\u202e\udcff"},
         r"run.txt, line 1: 2 columns (found 'c\x07'); d\u202e\udcff"),
    ],
)  # fmt: skip
def test_the_text_names_each_part_and_crosses_a_process_border(parts, sentence):
    for kind in (InputError, MismatchError):
        error = kind("columns", "run.txt", "2 columns", **parts)
        assert str(error) == sentence
        for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(twin), str(twin), vars(twin)) == (kind, sentence, vars(error))
    assert str(InputError("columns", "a\x1b[2J", "b\r\n")) == r"a\x1b[2J: b\r\n"


@given(ANY_TEXT, st.integers(1, 20))
def test_printable_text_is_printable_and_what_was_so_stays(text, limit):
    shown = printable(text)
    assert shown.isprintable() and printable(shown) == shown
    if "::" not in text and "##" not in text:
        assert (shown == text) == text.isprintable()
    short = quoted(text, limit)
    assert short.isprintable() and (short[0], short[-1]) == ("'", "'")
    assert len(short) <= limit + 2
    assert short.endswith("…'") or short == f"'{shown}'"


def test_no_line_is_a_command_to_a_runner_of_workflows():
    for text, shown in {
        "::stop-commands::x": r"\x3a:stop-commands::x", " \u3000::error::x": r" \u3000::error::x",
        "  ::error::x": r"  \x3a:error::x", "a ##[group]x": r"a #\x23[group]x", "###vso[task]x": r"##\x23vso[task]x",
        "a::b": "a::b", ":x": ":x", "#1 [a]": "#1 [a]",
    }.items():  # fmt: skip
        assert printable(text) == shown


#: letters, marks, wide ones, and ASCII
texts = st.text("ab é\u0301\u0323民法ｶ\uff9eク\u3099कक\u094dष\u093fऽ👍한", max_size=12)


@given(texts, st.integers(0, 5))
def test_wide_characters_take_two_columns_and_marks_none(text, more):
    """As Unicode has it, without the tables of a library."""
    marks = sum(bool(combining(c)) or c in "\u093f\uff9e" for c in text)
    wide = sum(east_asian_width(c) in "WF" and not combining(c) for c in text)
    halfwidth = text.count("\uff9e")  # a mark of one column in Unicode's table
    assert width(text) in (len(text) - marks + wide, len(text) - marks + wide + halfwidth)
    columns = width(text) + more
    assert padded_to_width(text, columns) == text + " " * more
    assert padded_to_width(text, columns, right=True) == " " * more + text


@given(texts, st.integers(1, 12))
def test_a_text_is_cut_to_columns_and_never_in_a_sign(text, columns):
    shown = cut_to_width(text, columns)
    assert width(shown) <= columns
    if width(text) <= columns:
        assert shown == text
        return
    begin = shown.removesuffix("…")
    assert text.startswith(begin) and begin != shown
    rest = text[len(begin) :]
    assert width(rest[:1]) > 0  # no mark is cut off
    assert width(begin + rest[0]) > columns - 1  # no more would fit


def test_columns_of_a_terminal():
    widths = {
        "abc": 3, "Điều 5": 6, "Điê\u0300u 5": 6, "民法第九十六条": 14, "ﾐﾝﾎﾟｳ": 5, "ｅ": 2, "कानून": 3, "한국": 4,
        "\u1112\u1161\u11ab": 2, "👍": 2, "e\u0301\u0323": 1, "": 0, "—": 1, "Δ": 1,
    }  # fmt: skip
    assert {text: width(text) for text in widths} == widths
    assert shortened("民" * 40, 60) == "民" * 29 + "…"
    assert shortened("e\u0301" * 60, 60) == "e\u0301" * 60
    many = shortened("e" + "\u0301" * 10_000, 60)
    assert width(many) == 1 and len(many) < 300


# remarks

#: the kinds that readers and judging count, of which a sentence needs no more than the count
COUNTED = list(REMARKS)[: list(REMARKS).index("gold-itself") + 1]

ADDED = st.lists(st.tuples(st.sampled_from(COUNTED[:3]), st.sampled_from(["", "a", "b", "c"]), st.integers(-1, 3)))


def remarks_of(added):
    remarks = Remarks()
    for kind, example, n in added:
        remarks.add(kind, example, n=n)
    return remarks


@given(ADDED, ADDED, ADDED)
def test_parts_add_to_what_the_whole_would_have_remarked_counts_and_the_first_three_examples(a, b, c):
    first, second, third = map(remarks_of, (a, b, c))
    whole = remarks_of(a + b + c)
    assert (first + second) + third == first + (second + third) == whole
    assert (first, second, third) == (remarks_of(a), remarks_of(b), remarks_of(c))
    for kind in COUNTED:
        of_kind = [(example, n) for k, example, n in a + b + c if k == kind and n > 0]
        assert whole.count(kind) == sum(n for _, n in of_kind)
        assert whole.examples(kind) == tuple(example for example, _ in of_kind if example)[:3]
    assert bool(whole) == any(n > 0 for _, _, n in a + b + c)


def test_every_kind_says_a_whole_sentence():
    for kind, n in product(COUNTED, (1, 2)):
        (sentence,) = remarks_of([(kind, "", n)]).sentences({kind.partition(".")[0]: "decided"})
        assert not set("{}|(") & set(sentence)
        assert (str(n) in sentence) == ("{n}" in REMARKS[kind] or str(n) in REMARKS[kind])
        assert ("decided" in sentence) == ("{decision}" in REMARKS[kind])


def test_sentences_agree_in_number_and_hold_nothing_unprintable():
    for added, sentence in {
        ("duplicate", "line 2: a", 2): "[duplicate] 2 … reported … (first: line 2: a)",
        ("empty-gold", "", 1): "[empty-gold] 1 … reported …",
        ("tag-words", "line 1: \x1b[2J", 1): "[tag-words] 1 … (first: line 1: \\x1b[2J)",
    }.items():
        assert matches(heard(list(remarks_of([added]).sentences())), [sentence])
    (converted,) = remarks_of([("duplicate", "", 2)]).sentences("convert")
    assert for_count(TREATMENTS["duplicate"]["convert"], 2) in converted


def test_remarks_compare_by_content_and_come_in_the_order_of_the_table():
    assert remarks_of([("tie", "q1", 1)]) not in (remarks_of([("tie", "q2", 1)]), remarks_of([("tie", "q1", 2)]))
    remarks = remarks_of([(kind, "", 1) for kind in reversed(COUNTED)])
    assert [sentence.kind for sentence in remarks.sentences()] == [kind.partition(".")[0] for kind in COUNTED]
    assert Remarks.of("tie") == remarks_of([("tie", "", 1), ("tag", "", 2)]).without("tag")
    with pytest.raises(KeyError, match=r"^'duplicates'$"):
        remarks.add("duplicates")
