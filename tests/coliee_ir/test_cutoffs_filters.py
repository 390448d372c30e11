from __future__ import annotations

from collections import Counter

import naive_cut as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coliee_ir.commands.tune import Pool
from coliee_ir.commands.tune.filters import Filter, not_common, not_itself, not_newer

RUN = {"a": ["b", "a", "c"], "b": ["c", "a", "b"], "c": ["a", "b", "x"], "d": ["y", "a"]}


def left(filter_: Filter, run: object = None) -> dict[str, list[str]]:
    pool = Pool.read(run or RUN, task="trec")
    kept = pool.where(filter_.keeps(pool))
    return {query: list(ranking) for query, ranking in kept.lists(np.ones(len(kept.documents), np.bool_)).items()}


def test_the_query_itself() -> None:
    assert left(not_itself()) == {"a": ["b", "c"], "b": ["c", "a"], "c": ["a", "b", "x"], "d": ["y", "a"]}


def test_what_is_newer_than_the_query() -> None:
    dates = {"a": "2001-01-01", "b": "2002-02-02", "c": "2001-01-01", "y": "2030-01-01"}
    # d and x have no date: of d nothing is newer, and x is newer than nothing
    assert left(not_newer(dates)) == {"a": ["a", "c"], "b": ["c", "a", "b"], "c": ["a", "x"], "d": ["y", "a"]}


@pytest.mark.parametrize(
    ("most", "within", "gone"), [(1, 1, ""), (1, 2, "ab"), (2, 2, "a"), (3, 2, "a"), (4, 2, ""), (1, 9, "abc")]
)
def test_what_stands_in_the_first_places_of_many_queries(most: int, within: int, gone: str) -> None:
    assert left(not_common(most, within)) == {q: [d for d in ranking if d not in gone] for q, ranking in RUN.items()}


@given(
    st.dictionaries(st.sampled_from("abcd"), st.permutations("abcde"), min_size=1),
    st.integers(1, 4),
    st.integers(1, 5),
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from(("2001-01-01", "2002-01-01", "2003-01-01"))),
)
def test_filters_are_what_plain_python_makes_of_them(
    run: dict[str, list[str]], most: int, within: int, dates: dict[str, str]
) -> None:
    times = Counter(document for ranking in run.values() for document in ranking[:within])
    assert left(not_itself(), run) == {q: [d for d in ranking if d != q] for q, ranking in run.items()}
    assert left(not_common(most, within), run) == {
        q: [d for d in ranking if times[d] <= most] for q, ranking in run.items()
    }
    assert left(not_newer(dates), run) == {
        q: [d for d in ranking if q not in dates or d not in dates or dates[d] <= dates[q]]
        for q, ranking in run.items()
    }


@given(naive.cases(), st.data())
def test_a_filtered_pool_is_the_pool_of_filtered_lists(case: naive.Case, data: st.DataObject) -> None:
    pool = case.pool
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(pool.documents), max_size=len(pool.documents))))
    kept = kept.astype(np.bool_)
    run = {query: dict(ranking) for query, ranking in pool.lists(kept).items()}
    expected, found = Pool.read(run, case.gold, task="trec"), pool.where(kept)
    assert list(found.documents) == list(expected.documents)
    for name in ("start", "scores", "relevant", "wanted", "rank", "query", "compared"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


def test_a_filter_says_what_it_takes() -> None:
    assert [not_itself().name, not_newer({}).name, not_common(20, 5).name] == [
        "not the query itself",
        "not newer than the query",
        "not in the first 5 of more than 20 queries",
    ]
