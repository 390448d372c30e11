import re
from unicodedata import is_normalized, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.ids import Ids
from coliee_adapters.records import INVISIBLE, is_folded, is_inert, nfkc_folded, spelling_variants

#: what the languages of the field write, and what is mistaken for it
SIGNS = "a1ée\u0301Điềuê\u0300\u0323第５5条カｶﾞ\u3099क\u093c\u0958\u09c7\u09be\u1100\u1161각\u200b\u200d\ufeff\u00a0"
words = st.text(SIGNS, max_size=6)


@pytest.mark.parametrize(
    ("run", "gold", "alike"),
    [
        (normalize("NFD", "Điều"), "Điều", True), ("\u0958", "क\u093c", True), ("第５条", "第5条", True),
        ("ｶﾞｲﾄﾞ", "ガイド", True), ("1\ufeff", "1", True), ("क\u094d\u200dष", "क\u094dष", True),
        ("Dieu", "Điều", False), ("D", "d", False),
    ],
)  # fmt: skip
def test_ids_that_are_read_as_one_are_told(run, gold, alike):
    assert spelling_variants([run], [gold, "x"]) == [(run, gold)] * alike


@given(words)
def test_what_is_folded_is_in_form(text):
    assert nfkc_folded(nfkc_folded(text)) == nfkc_folded(text)
    assert is_normalized("NFKC", nfkc_folded(text))
    assert not re.search(INVISIBLE, nfkc_folded(text))


@given(st.lists(words | st.text(max_size=4), max_size=5))
def test_texts_of_inert_characters_are_in_form(texts):
    ids = Ids.of(texts)
    assert ids.characters() == {c for text in texts for c in text if c > "\x7f"}
    assert ids.are_not_ascii().tolist() == [not text.isascii() for text in texts]
    if all(map(is_inert, ids.characters())):
        assert all(map(is_folded, texts))


def test_every_character_that_joins_the_one_before_it_is_seen():
    """Of all pairs that Unicode composes, one has a character that is not inert."""
    composed = [c for c in map(chr, range(0x80, 0x20000)) if len(pair := normalize("NFD", c)) > 1]
    pairs = [pair for c in composed if normalize("NFC", pair := normalize("NFD", c)) == c]
    assert len(pairs) > 10_000
    assert not [pair for pair in pairs if all(c <= "\x7f" or is_inert(c) for c in pair)]
