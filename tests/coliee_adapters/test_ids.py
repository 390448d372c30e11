import pickle
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.ids import Collection, Ids, Picked

TEXTS = st.lists(st.text("ab01-民é", max_size=40), max_size=8)


@given(TEXTS)
def test_ids_are_the_texts_they_were_made_of(texts):
    ids = Ids.of(texts)
    assert list(ids) == texts
    assert [ids[at] for at in range(-len(texts), 0)] == texts
    assert list(ids[1:3]) == texts[1:3]
    assert Ids.of(ids) is ids


@given(TEXTS, st.lists(st.booleans(), min_size=8, max_size=8))
def test_a_mask_takes_ids_and_compact_and_joined_keep_them(texts, wanted):
    mask = np.array(wanted[: len(texts)], dtype=np.bool_)
    kept = [text for text, keep in zip(texts, wanted, strict=False) if keep]
    ids = Ids.of(texts).select(mask)
    assert list(ids) == list(ids.compact()) == kept
    assert list(Ids.joined([ids, Ids.of([]), ids.compact(), Ids.of(texts)])) == [*kept, *kept, *texts]
    pieces = [ids[at : at + 1] for at in reversed(range(len(ids)))]  # of one memory
    assert list(Ids.joined([*pieces, Ids.of(texts), *pieces])) == [*kept[::-1], *texts, *kept[::-1]]


@given(TEXTS)
def test_words_tell_ids_of_up_to_32_bytes_apart(texts):
    ids = Ids.of(texts)
    needed = ids.words_needed()
    longest = max((len(text.encode()) for text in texts), default=1)
    assert needed == min(max(-(-longest // 8), 1), 4)
    words = list(zip(*(word.tolist() for word in ids.words(needed)), strict=True))
    for one, a in zip(texts, words, strict=True):
        for other, b in zip(texts, words, strict=True):
            prefixes = [text.encode()[: 8 * needed] for text in (one, other)]
            assert (a == b) == (prefixes[0] == prefixes[1])


_ANY = st.lists(st.text("ab \n\0é", max_size=3) | st.text("abc", min_size=30, max_size=40), max_size=6)


@given(_ANY, st.data())
def test_ids_are_the_same_however_they_are_held_and_behind_a_border(texts, data):
    held = Ids.of(texts)
    collection = Collection(held.raw, held.first, held.length)
    numbers = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=6)) if texts else []
    picked = Picked(collection, np.array(numbers, dtype=np.int64))
    for ids, expected in ((held, texts), (collection, texts), (picked, [texts[at] for at in numbers])):
        for one in (ids, pickle.loads(pickle.dumps(ids))):
            assert list(one) == expected
            assert len(one) == len(expected)
            assert list(one.select(slice(1, None))) == list(one[1:]) == expected[1:]
            assert one.length.tolist() == [len(text.encode()) for text in expected]
            assert list(Ids.joined([one, held])) == expected + texts
    plain = Ids.plain(texts, len(texts))
    if plain is not None:
        assert list(plain) == texts
    assert (plain is not None) == (bool(texts) and all(re.fullmatch("[a-z]+", text) for text in texts))


@given(_ANY, _ANY)
def test_places_in_a_collection_are_where_its_ids_are(texts, wanted):
    held = Ids.of(texts)
    places = Collection(held.raw, held.first, held.length).places(Ids.of(wanted))
    if places is None:
        assert not texts or len({(text.encode()[:32], len(text.encode())) for text in texts}) < len(texts)
    else:
        assert places.tolist() == [texts.index(text) if text in texts else -1 for text in wanted]
