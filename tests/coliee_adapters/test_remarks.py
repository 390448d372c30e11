from itertools import product

import pytest
from asserting import heard, matches
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.kinds import REMARKS
from coliee_adapters.remarks import Remarks

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


def test_remarks_compare_by_content_and_come_in_the_order_of_the_table():
    assert remarks_of([("tie", "q1", 1)]) not in (remarks_of([("tie", "q2", 1)]), remarks_of([("tie", "q1", 2)]))
    remarks = remarks_of([(kind, "", 1) for kind in reversed(COUNTED)])
    assert [sentence.kind for sentence in remarks.sentences()] == [kind.partition(".")[0] for kind in COUNTED]
    assert Remarks.of("tie") == remarks_of([("tie", "", 1)])
    with pytest.raises(KeyError, match=r"^'duplicates'$"):
        remarks.add("duplicates")
