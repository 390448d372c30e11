import math
from decimal import Decimal

import naive_cut as naive
import numpy as np
import pytest
from asserting import heard, mentions, refusing
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import UsageError
from coliee_ir.commands.tune import FAMILIES, Pool, Rule
from coliee_ir.commands.tune.rules import families_named

_EXTREME = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from((5e-324, -5e-324, 1.7e308, -1.7e308))
#: cases with scores ≥ 0, and with all
EXTREME = {True: naive.cases(scores=_EXTREME.map(abs)), False: naive.cases(scores=_EXTREME)}

TODAY = Pool.read({"q": {"a": 4.0, "b": 3.0, "c": 1.0, "d": 0.0}}, task="trec")


@pytest.mark.parametrize("family", FAMILIES)
@given(data=st.data())
def test_a_value_is_a_number_never_rises_with_the_rank_and_does_not_depend_on_other_queries(family, data):
    case = data.draw(EXTREME[FAMILIES[family].positive])
    value = FAMILIES[family].value(case.pool)
    assert np.isfinite(value).all()
    assert (np.diff(value)[np.diff(case.pool.query) == 0] <= 0).all()
    apart = [FAMILIES[family].value(Pool.read({q: ranking}, task="trec")).tolist() for q, ranking in case.run.items()]
    assert value.tolist() == [value for values in apart for value in values]


def naive_values(family, scores):
    """The values of one query's documents, from its scores, the best first."""
    best = scores[0]
    return {
        "k": [-float(at + 1) for at in range(len(scores))],
        "score": scores,
        "ratio": [score / best if best > 0 else 1.0 for score in scores],
        "margin": [score - best for score in scores],
    }[family]


@pytest.mark.parametrize("family", FAMILIES)
@given(scores=st.lists(st.integers(0, 40).map(lambda n: n / 4), min_size=1, max_size=8))
def test_a_value_is_what_its_family_says(family, scores):
    pool = Pool.read({"q": {f"d{at}": score for at, score in enumerate(scores)}}, task="trec")
    expected = naive_values(family, sorted(scores, reverse=True))
    assert FAMILIES[family].value(pool).tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("rule", "kept", "says"),
    [
        (Rule("k", 2), 2, "… 2 …"),
        (Rule("score", 1.0), 3, "… 1 …"),
        (Rule("ratio", 0.75), 2, "… 0.75 …"),
        (Rule("margin", 3.0), 3, "… 3 …"),
        (Rule("margin", 0.0), 1, "… 0 …"),
        (Rule("score", 9.0, 1), 1, "… 9, at least 1 …"),
        (Rule("score", 0.0, 0, 3), 3, "… 0, at most 3 …"),
    ],
)
def test_a_rule_keeps_what_it_says(rule, kept, says):
    assert rule.keeps(TODAY).tolist() == [True] * kept + [False] * (4 - kept)
    assert mentions(heard(str(rule)), says)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"family": "k", "threshold": -3}, "[bad-value] -3 …"),
        ({"family": "k", "threshold": 2.5}, "[bad-value] 2.5 …"),
        ({"family": "k", "threshold": 3, "floor": 5, "cap": 1}, "[bad-value] 5 … 1 …"),
    ],
)
def test_a_rule_that_contradicts_itself_is_refused(members, message):
    with refusing(UsageError, message):
        Rule.from_dict(members)
    with refusing(UsageError, message):
        Rule(**members)


def test_a_rule_is_written_whole_and_may_be_given_in_part():
    assert Rule("k", 3).to_dict() == {"family": "k", "threshold": 3.0, "floor": 0, "cap": None}
    bounded = {"family": "score", "threshold": -1.5, "floor": 2, "cap": 7}
    assert Rule.from_dict(bounded).to_dict() == bounded
    # floor and cap may be left out, and more may be there
    assert Rule.from_dict({"family": "k", "threshold": 3, "note": "ours"}) == Rule("k", 3.0)


_KINDS = "k, score, ratio, margin"


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        *((members, "[structure]") for members in (None, [], "score", {"family": "score"})),
        ({"family": "best", "threshold": 1}, f"[unknown-name] 'best'… {_KINDS} …"),
        ({"family": ["k"], "threshold": 1}, f"[unknown-name] '['k']'… {_KINDS} …"),
        ({"family": "\x1b[31m", "threshold": 1}, f"[unknown-name] '\\x1b[31m'… {_KINDS} …"),
        *(({"family": "k", "threshold": bad}, "[bad-value]") for bad in ("3", True, math.nan, math.inf, 10**400)),
        *(({"family": "k", "threshold": 1, "floor": bad}, "[bad-value]") for bad in (-1, 1.5, None)),
        ({"family": "k", "threshold": 1, "cap": False}, "[bad-value]"),
    ],
)
def test_what_is_no_rule_is_refused(members, sentence):
    with refusing(UsageError, sentence):
        Rule.from_dict(members)


UNSCORED = Pool.read({"q": ["a", "b"]}, task="trec")
NEGATIVE = Pool.read({"q": {"a": 1.0, "b": -0.1}}, task="trec")


def test_the_rules_that_scores_allow():
    assert families_named([], TODAY) == list(FAMILIES)
    assert families_named([], UNSCORED) == ["k"]
    assert families_named([], NEGATIVE) == ["k", "score", "margin"]
    assert families_named(["margin", "k", "ratio"], TODAY) == ["k", "ratio", "margin"]
    for name, pool, sentence in (
        ("score", UNSCORED, "[unfit-option] 'score'…"),
        ("ratio", NEGATIVE, "[unfit-option] 'ratio'…"),
        ("top", TODAY, f"[unknown-name] 'top'… {_KINDS} …"),
    ):
        with refusing(UsageError, sentence):
            families_named([name], pool)


def test_scores_that_tie_in_trec_eval_tie_here_and_the_lists_keep_what_was_written():
    pool = Pool.read({"q": {"a": 0.1 + 1e-12, "b": 0.1, "c": 1e39, "d": 2e39}}, task="trec")
    assert list(pool.documents) == ["d", "c", "b", "a"]
    assert len(set(pool.compared.tolist())) == 2
    assert naive.lists(pool, np.array([True, False, True, True])) == {"q": {"d": 2e39, "b": 0.1, "a": 0.1 + 1e-12}}


@pytest.mark.parametrize("top", [1.0, 0.97, 17.3])
def test_a_document_at_the_threshold_is_kept(top):
    """Whatever float32 makes of decimals, and a difference or a quotient of two, which are no decimals any more."""
    for n in range(1, 96):
        at = n / 100
        pool = Pool.read({"q": {"a": top, "b": at, "c": at - 0.001}}, task="trec")
        gap = float(Decimal(str(top)) - Decimal(str(at)))
        for rule in (Rule("score", at), Rule("margin", gap), *([Rule("ratio", at)] if top == 1 else ())):
            assert rule.keeps(pool).tolist() == [True, True, False], rule
