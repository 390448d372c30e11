"""Columns and dictionaries that are taken at once are what their rows are one by one."""

import math
from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError
from coliee_adapters.forms.form import Column, Entries, Row, Values, place_of_row
from coliee_adapters.forms.rows import ReadingRules, block_of, block_of_dictionary, plain_block, relevance_of
from coliee_adapters.ids import Ids
from coliee_adapters.records import GREATEST_RELEVANCE, exact_id, normal_id
from coliee_adapters.remarks import Remarks

PLACE = partial(place_of_row, "f", "line", 1)
RULES = st.sampled_from([ReadingRules.of(exact_id), ReadingRules.of(normal_id)])
#: role → plain values, and others
IDS = ["q1", "d-2", "a.txt", "x", "n" * 32], [".txt", "x,y", "x;y", "é", "", "a b", "a\nb", 7, True, None]
SCORES = [0, 1, -2, 0.5, 1e300], ["x", None, math.nan, math.inf, True, np.True_, "1_0", "٣", 10**400]
OTHERS = {
    "score": SCORES, "rank": ([1, 2, 0, 7.0], [0.5, "0.5", *SCORES[1]]), "tag": (["T"], ["U", None, "T x"]),
    "relevance": ([0, 1, -1, "2", GREATEST_RELEVANCE, "true"], [0.5, GREATEST_RELEVANCE + 1, "x", math.nan, None]),
}  # fmt: skip


def some(n, plain, odd):
    """Values, and whether all are plain."""
    among = st.sampled_from([(plain, True), ([*plain, *odd], False)])
    return among.flatmap(lambda of: st.tuples(st.lists(st.sampled_from(of[0]), min_size=n, max_size=n), st.just(of[1])))


def check_same(fast, rows, rules, are_plain):
    try:
        slow = block_of(rows(), rules, Remarks(), "T")
    except InputError:
        assert fast is None
        return
    assert fast is not None or not are_plain
    for name in ("queries", "starts", "documents", "scores", "ranks", "remarks") if fast else ():
        one, other = getattr(fast, name), getattr(slow, name)
        assert (one is None) == (other is None)
        assert one is None or [*map(str, one)] == [*map(str, other)], name


@given(st.data(), st.sampled_from(["", "score", "rank", "relevance", "score rank", "score tag"]), RULES)
def test_columns_are_what_their_rows_are(data, others, rules):
    drawn = {role: data.draw(some(3, *IDS)) for role in ("query", "document")}
    drawn |= {role: data.draw(some(3, *OTHERS[role])) for role in others.split()}
    columns = {role: values for role, (values, _) in drawn.items()}
    are_plain = all(plain for role, (_, plain) in drawn.items() if role != "tag")

    def rows():
        levels = {"score": [relevance_of(value, PLACE(0)) for value in columns.get("relevance", ())]}
        return Values({**columns, **levels} if others == "relevance" else columns, PLACE).rows()

    check_same(plain_block(Values(columns, PLACE), rules, "T"), rows, rules, are_plain)
    for role, (values, plain) in drawn.items():  # as readers of columns give them
        if role in ("query", "document") and plain:
            columns = {**columns, role: Ids.of(values) if role == "query" else Column(Ids.of(values))}
        elif {*map(type, values)} in ({int}, {float}, {int, type(None)}) and 10**400 not in values:
            there = np.array([value is not None for value in values])
            numbers = np.array([value or 0 for value in values])
            columns = {**columns, role: Column(numbers, None if there.all() else there)}
    check_same(plain_block(Values(columns, PLACE), rules, "T"), rows, rules, are_plain)


@given(st.data(), st.sampled_from([[dict], [list], [dict, list]]), RULES)
def test_dictionaries_are_what_their_rows_are(data, kinds, rules):
    (queries, are_plain), content = data.draw(some(3, *IDS)), {}
    for query in queries:
        (documents, plain), (scores, finite) = (data.draw(some(2, *of)) for of in (IDS, SCORES))
        kind = data.draw(st.sampled_from(kinds))
        content[query] = documents if kind is list else dict(zip(documents, scores, strict=True))
        are_plain = are_plain and plain and (finite or kind is list)

    def rows():
        for query, entry in content.items():
            items = entry.items() if isinstance(entry, dict) else zip(entry, strict=True)
            yield from (Row(PLACE(0), query, *item) for item in items)

    are_alike = len({*map(type, content.values())}) == 1
    check_same(block_of_dictionary(Entries(content, rows), rules), rows, rules, are_plain and are_alike)
