import math
from typing import NamedTuple

import numpy as np
import pytest
import pytrec_eval
from asserting import heard, matches, refusing
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters import trec_eval
from coliee_adapters.errors import UsageError
from coliee_adapters.trec_eval import Request, in_trec_eval_order, means, parse, values

LEAST = math.log(0.00001)  # what trec_eval puts for the logarithm of zero in geometric means


class Query(NamedTuple):
    """A judged query: how many documents were retrieved, and (rank, relevance) of the judged; rank 0: not retrieved."""

    depth: int
    judged: list[tuple[int, int]]


@st.composite
def _queries(draw):
    depth = draw(st.integers(0, 60))
    ranks = draw(st.lists(st.integers(1, depth), unique=True, max_size=8)) if depth else []
    ranks += [0] * draw(st.integers(0 if ranks else 1, 4))
    levels = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
    return Query(depth, [(rank, draw(levels)) for rank in ranks])


QUERIES = st.lists(_queries(), min_size=1, max_size=5)
#: of properties that ask for every measure
fewer = settings(max_examples=settings().max_examples // 2)

ASKED = [
    request
    for name in (
        "all_trec", "P.1,3,7", "recall_1", "recall_3", "ndcg_cut.3", "map_cut.1,2", "relative_P.2,60", "recall.59,60",
        "P.60", "success.2,60", "iprec_at_recall.0.25", "Rprec_mult.0.5,3", "set_F.4", "set_F.0.25", "set_F.0",
        "set_F_2.5", "set_F..5", "11pt_avg.0.2,0.5", "11pt_avg.0", "11pt_avg.0.2,0.5,0.8", "11pt_avg..25,.5",
        "P_999999999", "utility.2,-1,0,0", "utility.0,-.5,-1.25,0", "ndcg.1=3,2=4.5", "ndcg.0=1,3=0",
    )
    for request in parse(name)
]  # fmt: skip


def asked_of_ours(requests, queries):
    judged = [pair for query in queries for pair in query.judged]
    answers = values(
        requests,
        np.cumsum([0, *(len(query.judged) for query in queries)]),
        np.array([level for _, level in judged], dtype=np.int64),
        np.array([rank for rank, _ in judged], dtype=np.int64),
        np.array([query.depth for query in queries], dtype=np.int64),
    )
    assert all(array.shape == (len(queries),) and array.dtype == np.float64 for array in answers.values())
    return {request: array.tolist() for request, array in answers.items()}


class AsGiven(pytrec_eval.RelevanceEvaluator):
    """pytrec_eval without its own patterns, which read numbers only."""

    def _combine_measures(self, measures):
        return measures


def asked_of_pytrec_eval(requests, queries):
    """The same by pytrec_eval on plain dictionaries.

    It is given no query that is judged only negative, and first a query with a ranking, since both would let it read
    foreign memory. What it divides by no documents is zero, and so is the utility of an unanswered query, as with -c.
    """
    like = requests[0]
    gains = dict(like.gains)
    qrels = {"first": {"d": 3}}
    run = {"first": {"d": 1.0}}
    for number, query in enumerate(queries):
        qrels[f"q{number}"] = {f"d{i}": gains.get(level, level) for i, (_, level) in enumerate(query.judged)}
        ranked = {rank: f"d{i}" for i, (rank, _) in enumerate(query.judged) if rank}
        top = min(query.depth, like.top or query.depth)
        run[f"q{number}"] = {ranked.get(rank, f"u{rank}"): 1000.0 - rank for rank in range(1, top + 1)}
    found = {}
    alone = [request for request in requests if request.base in ("set_F", "11pt_avg", "utility", "ndcg")]
    for group in ([request for request in requests if request not in alone], *([request] for request in alone)):
        kind = AsGiven if group[0] in alone else pytrec_eval.RelevanceEvaluator
        evaluator = kind(qrels, {asked_as(request) for request in group}, like.rel, like.judged_only)
        answers = list(evaluator.evaluate(run).values())[1:]
        for request in group:
            given = [answer[request.pytrec_eval_key] for answer in answers]
            seen = [any(not like.judged_only or qrels[q].get(one, -1) >= 0 for one in run[q]) for q in [*qrels][1:]]
            zero = [math.isnan(v) or (request.base == "utility" and not s) for v, s in zip(given, seen, strict=True)]
            found[request] = [0.0 if at else value for at, value in zip(zero, given, strict=True)]
    return found


def judged_at_all(queries):
    return [query for query in queries if any(level >= 0 for _, level in query.judged)]


def asked_as(request):
    return f"{request.base}.{request.parameter}" if request.parameter else request.base


def bits(found):
    return {asked_as(request): [value.hex() for value in of_queries] for request, of_queries in found.items()}


CUTOFFS = [
    request for request in ASKED if request.base in ("P", "recall", "relative_P", "success", "ndcg_cut", "map_cut")
]

SEE_ALL = ("bpref", "gm_bpref", "infAP", "num_nonrel_judged_ret")


@given(
    QUERIES.map(judged_at_all),
    # those with cutoffs alone see no more of a ranking, and most see no document that is not relevant
    st.just(ASKED)
    | st.just([request for request in ASKED if request.base not in SEE_ALL and request.pytrec_eval_key != "ndcg"])
    | st.lists(st.sampled_from(CUTOFFS), min_size=1, max_size=3, unique=True),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([0, 0, 1, 5, 60]),
    st.dictionaries(st.integers(-1, 3), st.integers(0, 5), max_size=3),
)
def test_every_value_is_that_of_pytrec_eval_on_plain_dictionaries(queries, chosen, rel, judged_only, top, gains):
    requests = [request._replace(rel=rel, judged_only=judged_only, top=top) for request in chosen]
    assert bits(asked_of_ours(requests, queries)) == bits(asked_of_pytrec_eval(requests, queries))
    requests = [request._replace(gains=tuple(sorted(gains.items()))) for request in parse("ndcg") + parse("ndcg_cut.3")]
    assert bits(asked_of_ours(requests, queries)) == bits(asked_of_pytrec_eval(requests, queries))


@fewer
@given(QUERIES.map(judged_at_all), st.randoms(), st.permutations(ASKED))
def test_a_value_depends_on_its_query_alone_and_not_on_what_was_asked_before(queries, chance, requests):
    alone = [asked_of_ours(requests[:20], [query]) for query in queries]
    order = chance.sample(range(len(queries)), len(queries))
    together = asked_of_ours(requests[:20], [queries[at] for at in order])
    assert together == {request: [alone[at][request][0] for at in order] for request in requests[:20]}


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize(
    ("depth", "judged"),
    [
        (0, [(0, 1), (0, 0), (0, 2)]), (0, [(0, -1)]), (0, []), (7, []), (7, [(2, -1), (0, -1)]), (7, [(7, -3)]),
    ],
)  # fmt: skip
def test_where_trec_eval_would_read_foreign_memory_all_is_zero_but_the_counts(depth, judged, judged_only):
    query = Query(depth, judged)
    requests = [request._replace(judged_only=judged_only) for request in ASKED]
    retrieved = 0 if judged_only else query.depth
    counts = {
        **{"num_q": 1.0, "num_ret": retrieved, "num_rel": sum(level > 0 for _, level in query.judged)},
        **{"utility": -retrieved, "utility_2,-1,0,0": -retrieved, "utility_0,-.5,-1.25,0": -retrieved / 2},
        **{"gm_map": LEAST, "gm_bpref": LEAST},
    }
    # alone, and first of several: behind others pytrec_eval finds theirs
    for queries in ([query], [query, Query(3, [(1, 1)]), query]):
        for request, of_queries in asked_of_ours(requests, queries).items():
            assert of_queries[0] == of_queries[-1] == counts.get(request.name, 0.0), request


def test_ranks_are_exact_to_the_depth_that_float32_holds():
    depth = 70_000
    (found,) = asked_of_ours(parse("recip_rank"), [Query(depth, [(depth, 1), (depth - 1, 0)])]).values()
    assert found == [1 / depth]
    # judging compares as it does: what float32 does not tell apart ties, and the greater id goes first
    run = {"q": {"a": 1.0 + 2**-30, "b": 1.0}}
    assert pytrec_eval.RelevanceEvaluator({"q": {"b": 1}}, {"P.1"}).evaluate(run)["q"]["P_1"] == 1.0


@fewer
@given(QUERIES.map(judged_at_all).filter(bool), st.sets(st.integers(0, 4)))
def test_means_follow_trec_evals_rules_and_leave_out_the_queries_without_a_value(queries, left_out):
    values_of = asked_of_ours(ASKED, queries)
    rows = np.array([[math.nan if i in left_out else v for i, v in enumerate(row)] for row in values_of.values()])
    for mean, request, row in zip(means(list(values_of), rows), values_of, rows.tolist(), strict=True):
        rest = [value for value in row if not math.isnan(value)]
        expected = pytrec_eval.compute_aggregated_measure(request.base, rest) if rest else math.nan
        assert isinstance(mean, float)
        assert mean == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True) or request.base == "num_q"
    added, row = 0.0, [0.1] * 9 + [0.7]  # one after another
    for value in row:
        added += value
    assert means([Request("map"), Request("num_rel"), Request("num_q")], np.array([row] * 3)) == [added / 10, added, 10]


@pytest.mark.parametrize(
    ("name", "requests"),
    [
        ("P.10,5,05,005", "P 10, P 5"),
        ("success", "success 1, success 5, success 10"),
        ("iprec_at_recall.0.1,.1,0.10,1", "iprec_at_recall 0.10, iprec_at_recall 1.00"),
        ("Rprec_mult.2.5", "Rprec_mult 2.50"),
        ("set_F_0.25", "set_F 0.25"),
        ("set_F.1,4", "set_F 1, set_F 4"),
        ("11pt_avg.0.5,0.2,0.5", "11pt_avg 0.2,0.5"),
        ("utility_2,-1,0,0", "utility 2,-1,0,0"),
        ("set", "num_q, num_ret, num_rel, num_rel_ret, utility, set_P, set_relative_P, set_recall, set_map, set_F"),
        ("official", ", ".join([
            "num_q, num_ret, num_rel, num_rel_ret, map, gm_map, Rprec, bpref, recip_rank",
            *(f"iprec_at_recall {k / 10:.2f}" for k in range(11)),
            "P 5, P 10, P 15, P 20, P 30, P 100, P 200, P 500, P 1000",
        ])),
        # names that are not trec_eval's
        *((name, "") for name in ("", "MAP", "AP@10", "P@5", "P.", "P_5x", "map.", "set-F", "P.٥", "official_5")),
    ],
)  # fmt: skip
def test_a_name_stands_for_the_values_that_trec_eval_would_print(name, requests):
    pairs = [pair.partition(" ") for pair in requests.split(", ") if pair]
    assert parse(name) == [Request(base, parameter) for base, _, parameter in pairs]
    assert [request.name for request in parse(name)] == ["_".join(filter(None, pair[::2])) for pair in pairs]


#: kind → what is refused, also since its parameter would end the process
REFUSED = {
    "bad-measure": (
        *("P.0", "P_5,0", "P.1.5", "P.1000000000", "recall_0", "iprec_at_recall.0.125", "Rprec_mult_1.2.3"),
        *("set_F.1.0000001", "11pt_avg.0.2,.", "map.5", "ndcg_5", "num_q.1", "P.-5", "P.5,", "ndcg_cut.10,23.4"),
        *("utility.1,-1,0", "utility.1,-1,0,1", "utility.1,-1,0,0,0", "ndcg.1=3,", "ndcg.1=-3", "P.5=1"),
    ),
    "unfit-measure": ("runid", "relstring_5", "prefs", "all_prefs", "prefs_simp_ret", "qrels_jg", "P_avgjg.5"),
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in REFUSED for name in REFUSED[kind]])
def test_what_trec_eval_cannot_compute_is_refused(kind, name):
    with refusing(UsageError, f"[{kind}] {name.removesuffix('_5')}…"):
        parse(name)


def test_every_measure_that_pytrec_eval_supports_has_a_name_here():
    names = list(trec_eval.each_name())
    assert sorted([*names, "runid", "relstring"]) == sorted(pytrec_eval.supported_measures)
    assert {request.base for name in names for request in parse(name)} == set(names)
    assert in_trec_eval_order(parse("all_trec")) == parse("all_trec") == list(requests_of(names))


def requests_of(names):
    for name in names:
        yield from parse(name)


@given(st.permutations(["map", "num_q", "set_F.4", "P_10", "P_5", "set_F.1", "ndcg"]))
def test_values_are_put_in_trec_evals_order_and_parameters_stay_in_the_users(names):
    ordered = in_trec_eval_order(requests_of(names))
    bases = [request.base for request in ordered]
    assert list(dict.fromkeys(bases)) == ["num_q", "map", "P", "ndcg", "set_F"]
    assert len(ordered) == len(names)
    for base in ("P", "set_F"):
        assert [r for r in ordered if r.base == base] == [r for r in requests_of(names) if r.base == base]


@pytest.mark.parametrize(("carrier", "version"), [("0.5.11", "9.0.8"), ("0.6.0", "… 0.6.0 …")])
def test_the_version_is_told_where_it_is_known(monkeypatch, carrier, version):
    monkeypatch.setattr(pytrec_eval, "__version__", carrier)
    assert matches(heard(trec_eval.version()), version)
