import json

import naive_cut as naive
import numpy as np
import pytest
from asserting import refusing
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import cut, to_run, tune
from coliee_ir.commands.tune import Pool
from coliee_ir.commands.tune.rules import Filter
from coliee_ir.inbox import sheets as files

RUN = {"a": ["b", "a", "c"], "b": ["c", "a", "b"], "c": ["a", "b", "x"], "d": ["y", "a"]}


def left(filter_, run=None):
    pool = Pool.read(run or RUN, task="trec")
    kept = pool.where(filter_.keeps(pool))
    return {
        query: list(ranking) for query, ranking in naive.lists(kept, np.ones(len(kept.documents), np.bool_)).items()
    }


@given(
    st.dictionaries(st.sampled_from("abcd"), st.permutations("abcde"), min_size=1),
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from(("2001-01-01", "2002-01-01", "2003-01-01"))),
    st.dictionaries(st.sampled_from("abcd"), st.sets(st.sampled_from("abcde"))),
)
def test_filters_are_what_plain_python_makes_of_them(run, dates, of_query):
    def naive_filter(keeps):
        return {q: [d for d in ranking if keeps(q, d)] for q, ranking in run.items()}

    assert left(Filter.exclude_self(), run) == naive_filter(lambda q, d: d != q)
    assert left(Filter.exclude_newer(dates), run) == naive_filter(
        lambda q, d: q not in dates or d not in dates or dates[d] <= dates[q]
    )
    assert left(Filter.candidates(of_query), run) == naive_filter(lambda q, d: q not in of_query or d in of_query[q])


@given(naive.cases(), st.data())
def test_a_filtered_pool_is_the_pool_of_filtered_lists(case, data):
    pool = case.pool
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(pool.documents), max_size=len(pool.documents))))
    kept = kept.astype(np.bool_)
    run = {query: dict(ranking) for query, ranking in naive.lists(pool, kept).items()}
    expected, found = Pool.read(run, case.gold, task="trec"), pool.where(kept)
    assert list(found.documents) == list(expected.documents)
    for name in ("start", "scores", "relevant", "wanted", "rank", "query", "compared"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


@pytest.mark.parametrize(
    ("query", "document", "is_newer"),
    [
        ("2019", "2020", True), ("2019", "2019", False), ("2019", "2019-12-31", False), ("2019-05", "2019", False),
        ("2019-05-02", "2019-05-03", True), ("2019-05", "2019-06-01", True), ("2020-01-01", "2019", False),
    ],
)  # fmt: skip
def test_dates_are_compared_by_what_both_say(query, document, is_newer):
    assert left(Filter.exclude_newer({"a": query, "b": document}), {"a": ["b"]}) == {"a": [] if is_newer else ["b"]}


@pytest.mark.parametrize("filter_", [Filter.exclude_newer({"z": "2019"}), Filter.candidates({"z": ["a"]})])
def test_a_filter_whose_ids_do_not_occur_is_refused(filter_):
    gold = {query: ["b"] for query in RUN}
    for refused in (
        lambda: cut(RUN, task="trec", filters=[filter_]),
        lambda: tune(gold, RUN, task="trec", measure="MicroF1", folds=2, filters=[filter_]),
    ):
        with refusing(UsageError, "[mismatch]"):
            refused()


@pytest.mark.parametrize(
    "text",
    ["000001 2019\n000002 2020-02-29\n", "000001,2019\n000002,2020-02-29\n", "id,date\n000001.txt,2019\n2,2020-02\n",
     '{"000001": 2019, "000002": "2020-02-29"}'],
)  # fmt: skip
def test_dates_are_read_from_columns_and_json(text, tmp_path):
    (tmp_path / "dates").write_text(text)
    assert files.read_dates(tmp_path / "dates", task="1")["000001"] == "2019"


@pytest.mark.parametrize(
    ("text", "line"),
    [("a 2019-02-29\n", 1), ("a 2019\nb 2019-13\n", 2), ("a 2019-1-1\n", 1), ("a 0000\n", 1), ("a 19\n", 1),
     ('{"a": "2021-06-31"}', None), ('{"a": null}', None), ("a 2019\na 2020\n", 2), ("# none\n", None), ("a\n", 1)],
)  # fmt: skip
def test_a_date_that_does_not_exist_is_refused(text, line, tmp_path):
    (tmp_path / "dates").write_text(text)
    with pytest.raises(InputError) as caught:
        files.read_dates(tmp_path / "dates")
    assert caught.value.line == line


@pytest.mark.parametrize(
    "text", ['{"000001": ["000007.txt", "000008.txt"]}', "000001 000007 T\n000001 000008 T\n",
             "query_id,doc_id\n000001,000007\n000001,000008\n", "000001 000007\n000001 000008\n",
             "000001.txt,000007.txt\n000001.txt,000008.txt\n", "000001 0 000007 1\n000001 0 000008 0\n"],
)  # fmt: skip
def test_candidates_are_read_from_anything_that_holds_a_run(text, tmp_path):
    (tmp_path / "candidates").write_text(text)
    found = files.read_candidates(tmp_path / "candidates", task="1")
    assert {query: list(ranking) for query, ranking in found.items()} == {"000001": ["000007", "000008"]}


def test_filters_and_a_rule_on_the_command_line(tmp_path, call):
    (tmp_path / "run.txt").write_text("".join(f"000001 00000{n} T\n" for n in (1, 2, 3, 4, 5, 6)) + "000002 000009 T\n")
    (tmp_path / "dates.txt").write_text("000001 2019\n000003 2020\n")
    (tmp_path / "candidates.json").write_text('{"000001": ["000004", "000003", "000006", "000002"]}')
    options = ("--dates", tmp_path / "dates.txt", "--candidates", tmp_path / "candidates.json")
    given_ = ("cut", tmp_path / "run.txt", "--task", "1", "--by", "k=1")
    assert call(*given_, *options)[:2] == (0, "000001 000002 T\n000002 000009 T\n")
    assert call(*given_, "--rule", "rule.json")[0] == 2


def test_filters_alone_cut_a_run(tmp_path, call):
    candidates = Filter.candidates({query: ["a", "c"] for query in RUN})
    expected = {query: [d for d in documents if d in "ac"] for query, documents in RUN.items()}
    assert to_run(cut(RUN, task="trec", filters=[candidates])) == to_run(expected)
    with pytest.raises(UsageError):
        cut(RUN, task="trec")
    (tmp_path / "run.json").write_text(json.dumps({"000001": ["000001", "000002"], "000002": ["000003"]}))
    given_ = ("cut", tmp_path / "run.json", "--task", "1", "--tag", "A", "-o", "-")
    assert call(*given_, "--not-itself")[:2] == (0, "000001 000002 A\n000002 000003 A\n")
    assert call(*given_)[:2] == (2, "")
