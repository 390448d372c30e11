from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.ids import Ids

TEXTS = st.lists(st.text("ab01-民é", max_size=40), max_size=8)


@given(TEXTS)
def test_ids_are_the_texts_they_were_made_of(texts: list[str]) -> None:
    ids = Ids.of(texts)
    assert list(ids) == texts
    assert [ids[at] for at in range(-len(texts), 0)] == texts
    assert list(ids[1:3]) == texts[1:3]
    assert Ids.of(ids) is ids


@given(TEXTS, st.lists(st.booleans(), min_size=8, max_size=8))
def test_a_mask_takes_ids_and_compact_and_joined_keep_them(texts: list[str], wanted: list[bool]) -> None:
    mask = np.array(wanted[: len(texts)], dtype=np.bool_)
    kept = [text for text, keep in zip(texts, wanted, strict=False) if keep]
    ids = Ids.of(texts).at(mask)
    assert list(ids) == list(ids.compact()) == kept
    assert list(Ids.joined([ids, Ids.of([]), ids.compact(), Ids.of(texts)])) == [*kept, *kept, *texts]


@given(TEXTS)
def test_words_tell_ids_of_up_to_32_bytes_apart(texts: list[str]) -> None:
    ids = Ids.of(texts)
    needed = ids.words_needed()
    longest = max((len(text.encode()) for text in texts), default=1)
    assert needed == min(max(-(-longest // 8), 1), 4)
    words = list(zip(*(word.tolist() for word in ids.words(needed)), strict=True))
    for one, a in zip(texts, words, strict=True):
        for other, b in zip(texts, words, strict=True):
            prefixes = [text.encode()[: 8 * needed] for text in (one, other)]
            assert (a == b) == (prefixes[0] == prefixes[1])
