"""Columns of decimal numbers read at once, eight characters at a time, to the bits that ``float`` gives each.

The digits of a number are an integer N, and p of them are behind the point: its value is N / 10^p.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from coliee_adapters.ids import MASKS, IntArray, WordArray

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_MINUS, _POINT = ord("-"), ord(".")

#: N has at most this many digits behind leading zeros, and fits into 64 bits
_DIGITS: Final = 19
#: p is at most this, for which ``_quotients`` is proved; ``repr`` writes no more: 0.00012345678901234567
_PLACES: Final = 20
#: at most this many digits before the point; behind it, or without one, three times as many are looked at
_WHOLE: Final = 8
_BEHIND: Final = 24

_TENS = np.array([10**k for k in range(_DIGITS + 1)], dtype=np.uint64)
_POWERS = 10.0 ** np.arange(_BEHIND)
#: Veltkamp's splitting of doubles into halves, whose products are exact
_SPLITTER: Final = 2.0**27 + 1
_HIGH_POWERS = _POWERS * _SPLITTER - (_POWERS * _SPLITTER - _POWERS)
_LOW_POWERS = _POWERS - _HIGH_POWERS

#: how many of a word's last characters count → their bits
_LAST: WordArray = ~MASKS[::-1]
_ZEROS, _SIX, _NO_DIGIT = (np.uint64(0x0101010101010101 * byte) for byte in (0x30, 0x06, 0xF0))
#: digits → pairs → fours → eight: factor, bits to shift by, bits to keep
_STEPS = tuple(
    tuple(map(np.uint64, step))
    for step in ((2561, 8, 0x00FF00FF00FF00FF), (6553601, 16, 0x0000FFFF0000FFFF), (42949672960001, 32, 0xFFFFFFFF))
)


def decimals(raw: bytes, first: IntArray, last: IntArray, read: Callable[[bytes], float] = float) -> FloatArray | None:
    """The numbers that texts such as ``-12.50`` stand for; None if one is not a finite number.

    Texts that are not digits, with or without a point among them, or are too long, are read one by one by a function
    that raises ValueError.
    """
    signs = np.frombuffer(raw, dtype=np.uint8)
    minus = signs[first] == _MINUS
    begin = first + minus if minus.any() else first
    whole, point, behind = _lengths(raw, signs, begin, last)
    places = behind * point
    odd = (whole > _WHOLE) | (behind > _BEHIND) | (places > _PLACES) | (whole + behind < 1)
    if odd.any():
        whole, behind, places = (np.where(odd, 0, count) for count in (whole, behind, places))
    total = _eight(raw, last - behind - point, whole, odd)
    end, left = last - behind, behind
    while np.any(left):
        now: IntArray = np.minimum(left, 8)
        most = now.max()
        now = np.asarray(most) if now.min() == most else now
        if total.max() >= _TENS[_DIGITS - most]:
            odd |= total >= _TENS[_DIGITS - now]
        end, left = end + now, left - now
        total = total * _TENS[now] + _eight(raw, end, now, odd)
    singly = np.flatnonzero(odd)
    total[singly] = 0
    values = _quotients(total, places)
    if begin is not first:
        values = np.where(minus, -values, values)
    texts = [raw[a:b] for a, b in zip(first[singly].tolist(), last[singly].tolist(), strict=True)]
    try:
        values[singly] = np.fromiter(map(read, texts), dtype=np.float64, count=len(texts))
    except ValueError:
        return None
    return None if not np.isfinite(values[singly]).all() or any(b"_" in text for text in texts) else values


def integers(raw: bytes, first: IntArray, last: IntArray) -> IntArray | None:
    """The whole numbers that texts of digits stand for; None if any is another text, or has more than 18 digits."""
    width = last - first
    if width.max() >= _DIGITS:
        return None
    odd = np.zeros(len(first), dtype=np.bool_)
    total = _eight(raw, last, np.minimum(width, 8), odd)
    for behind in range(8, int(width.max()), 8):
        total += _eight(raw, last - behind, np.clip(width - behind, 0, 8), odd) * _TENS[behind]
    return None if odd.any() else total.astype(np.int64)


def _lengths(
    raw: bytes, signs: npt.NDArray[np.uint8], first: IntArray, last: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Of each text the digits before the point, the points (0 or 1), and the digits behind; all are behind no point.

    What does not differ between the texts is an array of no dimension.
    """
    width = last - first
    dot = raw.find(b".", first[0], last[0])
    behind = np.asarray(last[0] - dot - 1)
    if dot >= 0 and width.min() > behind and (signs[last - behind - 1] == _POINT).all():
        return width - behind - 1, np.asarray(1), behind
    whole = np.full(len(first), -1)
    for before in range(min(int(width.max()), _WHOLE + 1)):
        is_point = signs[np.minimum(first + before, last - 1)] == _POINT
        whole = np.where(is_point & (whole < 0), before, whole)
        if whole.min() >= 0:
            break
    point = (whole >= 0) & (whole < width)
    whole = np.where(point, whole, 0)
    return whole, point.astype(np.int64), width - whole - point


def _eight(raw: bytes, last: IntArray, count: IntArray, odd: BoolArray) -> WordArray:
    """The numbers that the ``count`` digits before each ``last`` stand for; marks as odd where these are no digits."""
    word = np.ndarray(len(raw) - 7, dtype="<u8", buffer=raw, strides=(1,))[last - 8]
    word ^= _ZEROS
    word &= _LAST[count]
    wrong = word + _SIX
    wrong |= word
    wrong &= _NO_DIGIT
    if wrong.any():
        odd |= wrong != 0
    for factor, shift, kept in _STEPS:
        word *= factor
        word >>= shift
        word &= kept
    return word


def _quotients(numbers: WordArray, places: IntArray) -> FloatArray:
    """``numbers / 10**places``, rounded once, as reading the text rounds.

    Below 2^53 one division does it. Above, N = a + b with a the nearest double; q = a/10^p has, by Dekker's product, an
    exact remainder r = a - q·10^p, and N/10^p = q + (r + b)/10^p. What is computed of the second term, c, is at most
    1.5 units in the last place of q, and off by less than 2^-103·q, through two roundings. So q + c is rounded as the
    exact sum is, unless a midpoint between two doubles is as near. But N/10^p, where it is none, differs from every
    midpoint by 5^-p·2^-54 of itself at least, or by 1/N: with p up to 20, by 2^-101. And where it is one, r + b and c
    are exact, as they have few bits.
    """
    near = numbers.astype(np.float64)
    power = _POWERS[places]
    quotient: FloatArray = near / power
    if numbers.max(initial=0) < 1 << 53:
        return quotient
    rest = (numbers - near.astype(np.uint64)).view(np.int64)
    product, error = _product(quotient, places)
    return quotient + ((near - product) - error + rest) / power


def _product(values: FloatArray, places: IntArray) -> tuple[FloatArray, FloatArray]:
    """``values * 10**places`` by Dekker: the nearest double, and what is left."""
    product = values * _POWERS[places]
    split = values * _SPLITTER
    high = split - (split - values)
    low = values - high
    high_power, low_power = _HIGH_POWERS[places], _LOW_POWERS[places]
    return product, ((high * high_power - product) + high * low_power + low * high_power) + low * low_power
