import pickle
import re
from unicodedata import is_normalized, normalize

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.ids import Ids, Picked, changes
from coliee_adapters.records import INVISIBLE, nfkc_folded, spelling_variants


@given(st.lists(st.tuples(st.text("ab01-民é", max_size=40), st.booleans()), max_size=8))
def test_a_mask_takes_ids_and_compact_and_joined_keep_them(marked):
    texts, taken = [text for text, _ in marked], [text for text, is_taken in marked if is_taken]
    ids = Ids.of(texts).select(np.array([is_taken for _, is_taken in marked], dtype=np.bool_))
    assert list(ids) == list(ids.compact()) == taken
    assert list(Ids.joined([ids, Ids.of([]), ids.compact(), Ids.of(texts)])) == [*taken, *taken, *texts]
    pieces = [ids[i : i + 1] for i in reversed(range(len(ids)))]  # of one memory
    assert list(Ids.joined([*pieces, Ids.of(texts), *pieces])) == [*taken[::-1], *texts, *taken[::-1]]


@given(st.lists(st.text("ab01-民é", max_size=40), max_size=8))
def test_words_tell_ids_of_up_to_32_bytes_apart(texts):
    ids = Ids.of(texts)
    needed = ids.words_needed()
    longest = max((len(text.encode()) for text in texts), default=1)
    assert needed == min(max(-(-longest // 8), 1), 4)
    words = list(zip(*(word.tolist() for word in ids.words(needed)), strict=True))
    prefixes = [text.encode()[: 8 * needed] for text in texts]
    for word, prefix in zip(words, prefixes, strict=True):
        assert [word == other for other in words] == [prefix == other for other in prefixes]


_LONG = st.text("abc", min_size=30, max_size=40) | st.sampled_from(["a" * 40, "a" * 39 + "b"])
_ANY = st.lists(st.text("ab \n\0é", max_size=3) | _LONG, max_size=6)


@given(_ANY, st.data())
def test_ids_are_the_same_however_they_are_stored_and_behind_a_border(texts, data):
    plain_ids = Ids.of(texts)
    assert Ids.of(plain_ids) is plain_ids
    numbers = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=6)) if texts else []
    picked = Picked(plain_ids, np.array(numbers, dtype=np.int64))
    for stored, expected in ((plain_ids, texts), (picked, [texts[i] for i in numbers])):
        for ids in (stored, pickle.loads(pickle.dumps(stored))):
            assert list(ids) == [ids[i] for i in range(-len(ids), 0)] == expected
            assert list(ids.select(slice(1, None))) == list(ids[1:]) == expected[1:]
            assert ids.length.tolist() == [len(text.encode()) for text in expected]
            assert list(Ids.joined([ids, plain_ids])) == expected + texts
            differ = [i for i in range(len(expected)) if i > 0 and expected[i] != expected[i - 1]]
            assert changes(ids).tolist() == [0, *differ, len(expected)]
    assert plain_ids.are_plain() == all(re.fullmatch("[!-~]{1,32}", text) for text in texts)
    plain = Ids.plain(texts, len(texts))
    assert plain is None or list(plain) == texts
    assert (plain is not None) == (bool(texts) and all(re.fullmatch("[a-z]+", text) for text in texts))


#: what the languages of the field write, and what is mistaken for it
SIGNS = "a1ée\u0301Điềuê\u0300\u0323第５5条カｶﾞ\u3099क\u093c\u0958\u09c7\u09be\u1100\u1161각\u200b\u200d\ufeff\u00a0"


@given(st.lists(st.text(SIGNS, max_size=6) | st.text(max_size=4), max_size=5))
def test_folded_texts_are_in_form(texts):
    for folded in map(nfkc_folded, texts):
        assert nfkc_folded(folded) == folded and is_normalized("NFKC", folded)
        assert not re.search(INVISIBLE, folded)


def test_ids_that_are_read_as_one_are_named():
    for run, gold in {
        normalize("NFD", "Điều"): "Điều", "\u0958": "क\u093c", "第５条": "第5条", "ｶﾞｲﾄﾞ": "ガイド", "1\ufeff": "1",
        "क\u094d\u200dष": "क\u094dष",
    }.items():  # fmt: skip
        assert spelling_variants([run], [gold, "x"]) == [(run, gold)]
    assert spelling_variants(["Dieu", "D"], ["Điều", "d"]) == []
