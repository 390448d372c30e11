"""Rules, the values that they compare, and the filters before them."""

import json
import math
from contextlib import nullcontext
from decimal import Decimal

import naive_cut as naive
import numpy as np
import pytest
from asserting import done, failing, mentions, refusing
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import InputError, UsageError
from coliee_ir import cut, tune
from coliee_ir.commands.tune import FAMILIES, Filter, Pool, Rule
from coliee_ir.commands.tune.rules import families_named
from coliee_ir.inbox import sheets as files

_EXTREME = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from((5e-324, -5e-324, 1.7e308, -1.7e308))
#: cases with scores ≥ 0, and with all
EXTREME = {True: naive.cases(scores=_EXTREME.map(abs)), False: naive.cases(scores=_EXTREME)}

TODAY = Pool.read({"q": {"a": 4.0, "b": 3.0, "c": 1.0, "d": 0.0}}, task="trec")
UNSCORED = Pool.read({"q": ["a", "b"]}, task="trec")
NEGATIVE = Pool.read({"q": {"a": 1.0, "b": -0.1}}, task="trec")


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_a_value_is_a_number_never_rises_and_hangs_on_no_other_query(family, data):
    case = data.draw(EXTREME[FAMILIES[family].positive])
    value = FAMILIES[family].value(case.pool)
    assert np.isfinite(value).all()
    assert (np.diff(value)[np.diff(case.pool.query) == 0] <= 0).all()
    apart = [FAMILIES[family].value(Pool.read({q: ranking}, task="trec")).tolist() for q, ranking in case.run.items()]
    assert value.tolist() == [value for values in apart for value in values]


@pytest.mark.parametrize(("rule", "kept", "says"), [
    (Rule("k", 2), 2, "… 2 …"),
    (Rule("score", 1.0), 3, "… 1 …"),
    (Rule("ratio", 0.75), 2, "… 0.75 …"),
    (Rule("margin", 0.0), 1, "… 0 …"),
    (Rule("score", 0.0, 0, 3), 3, "… 0, at most 3 …"),
])  # fmt: skip
def test_a_rule_keeps_what_it_says_and_survives_its_file(rule, kept, says):
    assert rule.keeps(TODAY).tolist() == [True] * kept + [False] * (4 - kept)
    assert mentions(str(rule), says)
    assert Rule.from_dict({**rule.to_dict(), "note": "ours"}) == rule
    assert Rule.from_dict({"family": rule.family, "threshold": 3}) == Rule(rule.family, 3.0, 0, None)


@pytest.mark.parametrize("top", [1.0, 0.97, 17.3])
def test_a_document_at_the_threshold_is_kept(top):
    """Whatever float32 makes of decimals, and a difference or a quotient of two, which are no decimals any more."""
    for n in range(1, 96):
        at = n / 100
        pool = Pool.read({"q": {"a": top, "b": at, "c": at - 0.001}}, task="trec")
        gap = float(Decimal(str(top)) - Decimal(str(at)))
        for rule in (Rule("score", at), Rule("margin", gap), *([Rule("ratio", at)] if top == 1 else ())):
            assert rule.keeps(pool).tolist() == [True, True, False], rule


def test_scores_that_tie_in_trec_eval_tie_here_and_the_lists_keep_what_was_written():
    pool = Pool.read({"q": {"a": 0.1 + 1e-12, "b": 0.1, "c": 1e39, "d": 2e39}}, task="trec")
    assert list(pool.documents) == ["d", "c", "b", "a"]
    assert len(set(pool.compared.tolist())) == 2
    assert naive.lists(pool, np.array([True, False, True, True])) == {"q": {"d": 2e39, "b": 0.1, "a": 0.1 + 1e-12}}


_KINDS = "k, score, ratio, margin"


@pytest.mark.parametrize(("members", "sentence"), [
    *((members, "[structure]") for members in (None, [], "score", {"family": "score"})),
    ({"family": "\x1b[31m", "threshold": 1}, f"[unknown-name] '\\x1b[31m'… {_KINDS} …"),
    *(({"family": "k", "threshold": bad}, "[bad-value]") for bad in ("3", True, math.nan, math.inf, 10**400)),
    *(({"family": "k", "threshold": 1, "floor": bad}, "[bad-value]") for bad in (-1, 1.5, None)),
    ({"family": "k", "threshold": 1, "cap": False}, "[bad-value]"),
    ({"family": "k", "threshold": -3}, "[bad-value] -3 …"),
    ({"family": "k", "threshold": 2.5}, "[bad-value] 2.5 …"),
    ({"family": "k", "threshold": 3, "floor": 5, "cap": 1}, "[bad-value] 5 … 1 …"),
])  # fmt: skip
def test_what_is_no_rule_is_refused(members, sentence):
    with refusing(UsageError, sentence):
        Rule.from_dict(members)


@pytest.mark.parametrize(("names", "pool", "expected"), [
    ([], TODAY, list(FAMILIES)),
    ([], UNSCORED, ["k"]),
    ([], NEGATIVE, ["k", "score", "margin"]),
    (["margin", "k", "ratio"], TODAY, ["k", "ratio", "margin"]),
    (["score"], UNSCORED, "[unfit-option] 'score'…"),
    (["ratio"], NEGATIVE, "[unfit-option] 'ratio'…"),
    (["top"], TODAY, f"[unknown-name] 'top'… {_KINDS} …"),
])  # fmt: skip
def test_the_rules_that_scores_allow(names, pool, expected):
    with refusing(UsageError, expected) if isinstance(expected, str) else nullcontext():
        assert families_named(names, pool) == expected


RUN = {"a": ["b", "a", "c"], "b": ["c", "a", "b"], "c": ["a", "b", "x"], "d": ["y", "a"]}


def left(filter_, run):
    pool = Pool.read(run, task="trec")
    return {query: list(ranking) for query, ranking in naive.lists(pool, filter_.keeps(pool)).items()}


@given(
    st.dictionaries(st.sampled_from("abcd"), st.permutations("abcde"), min_size=1),
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from(("2001-01-01", "2002-01-01", "2003-01-01"))),
    st.dictionaries(st.sampled_from("abcd"), st.sets(st.sampled_from("abcde"))),
)
def test_filters_are_what_plain_python_makes_of_them(run, dates, of_query):
    for filter_, keeps in (
        (Filter.exclude_self(), lambda q, d: d != q),
        (Filter.exclude_newer(dates), lambda q, d: q not in dates or d not in dates or dates[d] <= dates[q]),
        (Filter.candidates(of_query), lambda q, d: q not in of_query or d in of_query[q]),
    ):
        assert left(filter_, run) == {q: [d for d in ranking if keeps(q, d)] for q, ranking in run.items()}


@pytest.mark.parametrize(("query", "document", "is_newer"), [
    ("2019", "2020", True), ("2019", "2019-12-31", False), ("2019-05", "2019", False),
    ("2019-05-02", "2019-05-03", True), ("2019-05", "2019-06-01", True), ("2020-01-01", "2019", False),
])  # fmt: skip
def test_dates_are_compared_by_what_both_say(query, document, is_newer):
    assert left(Filter.exclude_newer({"a": query, "b": document}), {"a": ["b"]}) == {"a": [] if is_newer else ["b"]}


@pytest.mark.parametrize("filter_", [Filter.exclude_newer({"z": "2019"}), Filter.candidates({"z": ["a"]})])
def test_a_filter_whose_ids_do_not_occur_is_refused(filter_):
    with refusing(UsageError, "[mismatch]"):
        cut(RUN, task="trec", filters=[filter_])
    with refusing(UsageError, "[mismatch]"):
        tune({query: ["b"] for query in RUN}, RUN, task="trec", measure="MicroF1", folds=2, filters=[filter_])


@pytest.mark.parametrize(("read", "texts", "first"), [
    (files.read_dates, ("000001 2019\n000002 2020-02-29\n", "000001,2019\n000002,2020-02-29\n",
                        "id,date\n000001.txt,2019\n2,2020-02\n", '{"000001": 2019, "000002": "2020-02-29"}'),
     "2019"),
    (files.read_candidates, ('{"000001": ["000007.txt", "000008.txt"]}', "000001 000007 T\n000001 000008 T\n",
                             "query_id,doc_id\n000001,000007\n000001,000008\n", "000001 000007\n000001 000008\n",
                             "000001.txt,000007.txt\n000001.txt,000008.txt\n",
                             "000001 0 000007 1\n000001 0 000008 0\n"), ["000007", "000008"]),
])  # fmt: skip
def test_dates_and_candidates_are_read_from_columns_json_and_runs(read, texts, first, source):
    for text in texts:
        found = read(source(text).name, task="1")["000001"]
        assert (found if isinstance(found, str) else list(found)) == first


@pytest.mark.parametrize(
    ("text", "line"),
    [("a 2019-02-29\n", 1), ("a 2019\nb 2019-13\n", 2), ("a 2019-1-1\n", 1), ("a 0000\n", 1), ("a 19\n", 1),
     ('{"a": "2021-06-31"}', None), ('{"a": null}', None), ("a 2019\na 2020\n", 2), ("# none\n", None), ("a\n", 1)],
)  # fmt: skip
def test_a_date_that_does_not_exist_is_refused(text, line, source):
    with pytest.raises(InputError) as caught:
        files.read_dates(source(text).name)
    assert caught.value.line == line


def test_filters_cut_a_run_alone_or_before_a_rule(here, call):
    with pytest.raises(UsageError):
        cut(RUN, task="trec")
    (here / "run.json").write_text(json.dumps({"000001": [f"00000{n}" for n in range(1, 7)], "000002": ["000009"]}))
    (here / "dates.txt").write_text("000001 2019\n000003 2020\n")
    (here / "candidates.json").write_text('{"000001": ["000004", "000003", "000006", "000002"]}')
    asked, filters = ("cut", "run.json", "--task", "1"), "--dates dates.txt --candidates candidates.json"
    for options, expected in (("--not-itself", "2 3 4 5 6 9"), (filters, "2 4 6 9"), (f"{filters} --by k=1", "2 9")):
        out, err = done(call, *asked, *options.split())
        assert [line.split()[1].lstrip("0") for line in out.splitlines()] == expected.split()
        assert ("candidates.json: " in err) is ("candidates" in options)
    for refused in ((), ("--by", "k=1", "--rule", "rule.json")):
        failing(call, *asked, *refused)
