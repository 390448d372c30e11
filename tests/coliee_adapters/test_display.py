from unicodedata import combining, east_asian_width

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import cut_to_width, padded_to_width, shortened, width

WIDTHS = {
    "abc": 3, "Điều 5": 6, "Điê\u0300u 5": 6, "民法第九十六条": 14, "ﾐﾝﾎﾟｳ": 5, "ｅ": 2, "कानून": 3, "한국": 4,
    "\u1112\u1161\u11ab": 2, "👍": 2, "e\u0301\u0323": 1, "": 0, "—": 1, "Δ": 1,
}  # fmt: skip
#: letters, marks, wide ones, and ASCII
texts = st.text("ab é\u0301\u0323民法ｶ\uff9eク\u3099कक\u094dष\u093fऽ👍한", max_size=12)


@pytest.mark.parametrize("text", WIDTHS)
def test_columns_of_a_terminal(text):
    assert width(text) == WIDTHS[text]


@given(texts)
def test_wide_characters_take_two_columns_and_marks_none(text):
    """As Unicode has it, without the tables of a library."""
    marks = sum(bool(combining(c)) or c in "\u093f\uff9e" for c in text)
    wide = sum(east_asian_width(c) in "WF" and not combining(c) for c in text)
    halfwidth = text.count("\uff9e")  # a mark of one column in Unicode's table
    assert width(text) in (len(text) - marks + wide, len(text) - marks + wide + halfwidth)


@given(texts, st.integers(1, 12))
def test_a_text_is_cut_to_columns_and_never_in_a_sign(text, columns):
    shown = cut_to_width(text, columns)
    assert width(shown) <= columns
    if width(text) <= columns:
        assert shown == text
        return
    kept = shown.removesuffix("…")
    assert text.startswith(kept) and kept != shown
    rest = text[len(kept) :]
    assert width(rest[:1]) > 0  # no mark is cut off
    assert width(kept + rest[0]) > columns - 1  # no more would fit


@given(texts, st.integers(0, 5))
def test_padding_fills_columns(text, more):
    columns = width(text) + more
    assert padded_to_width(text, columns) == text + " " * more
    assert padded_to_width(text, columns, right=True) == " " * more + text


def test_messages_are_shortened_by_columns():
    assert shortened("民" * 40, 60) == "民" * 29 + "…"
    assert shortened("e\u0301" * 60, 60) == "e\u0301" * 60
    assert width(shortened("e" + "\u0301" * 10_000, 60)) == 1
    assert len(shortened("e" + "\u0301" * 10_000, 60)) < 300
