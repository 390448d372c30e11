from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from coliee_adapters.forms.decimals import decimals, integers
from coliee_adapters.ids import Ids

_DIGITS = st.text("0123456789", max_size=12) | st.text("0123456789", max_size=30)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def column(texts):
    """The texts between signs that must not be taken for theirs."""
    ids = Ids.of(["9." * 16, *(part for text in texts for part in (text, " 7."))])
    return ids.raw, ids.first[1::2], (ids.first + ids.length)[1::2]


def pointed(digits, places):
    text = str(digits).zfill(places + 1)
    return f"{text[:-places]}.{text[-places:]}" if places else text


@st.composite
def _near_midpoints(draw):
    """Decimals of 19 digits at most that are midpoints between two doubles, or as near to one as such can be."""
    midpoint = Fraction(2 * draw(st.integers(1 << 52, (1 << 53) - 1)) + 1) / 2 ** draw(st.integers(28, 70))
    places = max(places for places in range(21) if midpoint * 10**places < 10**19 - 1)
    return pointed(round(midpoint * 10**places) + draw(st.integers(-1, 1)), places)


def _numbers(sign):
    """Texts of numbers: of one kind in a column, as people write them, or of any."""
    plain = st.floats(0, 1e6).map(repr) | st.floats(1e-4, 1).map(repr) | _FLOATS.map(repr)
    fixed = st.tuples(st.floats(0, 1e9), st.integers(0, 15)).map(lambda given: f"{given[0]:.{given[1]}f}")
    any_ = st.tuples(_DIGITS, st.sampled_from(["", "."]), _DIGITS).map("".join).filter(lambda text: text.strip("."))
    return st.one_of(plain, fixed, any_, _near_midpoints()).map(lambda text: sign + text.removeprefix("-"))


_COLUMNS = st.one_of(
    st.sampled_from(["", "-", "+"]).flatmap(lambda sign: st.lists(_numbers(sign), min_size=1, max_size=6)),
    st.lists(st.sampled_from(["", "-", "+"]).flatmap(_numbers), min_size=1, max_size=6),
)


@given(_COLUMNS)
@example(["9007199254740993", "9007199254740992.5", "18446744073709551615", "9999999999999999999"])
@example(["0.00012345678901234567", "0.99999999999999999", "0.8231945037841797"])
@example(["5.", ".5", "5"])
def test_a_decimal_is_the_number_nearest_to_its_text(texts):
    found = decimals(*column(texts))
    expected = np.array(list(map(float, texts)))
    if np.isfinite(expected).all():
        assert list(map(float.hex, found.tolist())) == list(map(float.hex, expected.tolist()))
    else:
        assert found is None


def test_what_is_no_finite_number_is_refused():
    for text in ("nan", "inf", "-inf", "1e400", "1_0", "1e1_0", "0x10", "--1", "1.0.0", "-", ".", "½"):
        assert decimals(*column(["1.5", text, "2.5"])) is None
        assert decimals(*column([text])) is None


@given(st.lists(st.text("0123456789", min_size=1, max_size=20) | st.sampled_from(["-1", "1.0", "x"]), min_size=1))
def test_integers_are_what_int_reads(texts):
    found = integers(*column(texts))
    if all(text.isdigit() and len(text) <= 18 for text in texts):
        assert found.tolist() == list(map(int, texts))
    else:
        assert found is None
