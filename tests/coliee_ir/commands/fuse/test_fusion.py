import json
import pickle
from collections import Counter
from dataclasses import replace
from itertools import product

import naive_fusion as naive
import numpy as np
import pytest
from asserting import heard, matches, mentions, refusing
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from coliee_adapters.errors import InputError, UsageError
from coliee_adapters.forms import columns
from coliee_adapters.records import Answers, Run
from coliee_ir import Fusion, fuse
from coliee_ir.commands.convert import streams, to_run
from coliee_ir.commands.fuse import METHODS, NORMS
from coliee_ir.commands.fuse.fitting import fit_fusion
from coliee_ir.commands.fuse.methods import Candidates, Reader
from coliee_ir.judging.order import order_of

RANKING = [name for name, method in METHODS.items() if method.ranks]

ONE = {"q": {"a": 4.0, "b": 2.0, "c": 1.0}}
TWO = {"q": {"b": 10.0, "d": 5.0}}
BIG = {"q": {"a": 1e300, "b": -1e300}}
ANSWERS = [{"q": "Y"}, {"q": "N"}]


def of(run):
    assert isinstance(run, Run)
    return to_run(run, task="trec")


def kinds(fusion, **runs):
    """How many remarks there are of each kind, of runs with these tags."""
    fused = fusion.fuse(*(Run.of(run, tag=tag) for tag, run in runs.items()), task="trec")
    return Counter(remark.kind for remark in fused.remarks)


@given(naive.several(), st.sampled_from(RANKING), st.sampled_from(list(NORMS)), st.floats(0, 100))
def test_rankings_are_those_of_the_twin(drawn, method, norm, k):
    runs, given_weights = drawn
    if norm == "max" and method != "rrf":
        runs = [{q: {d: abs(s) for d, s in ranking.items()} for q, ranking in run.items()} for run in runs]
    chosen = {"k": k} if method == "rrf" else {"norm": norm}
    expected = naive.fused(runs, given_weights, method, norm, k)
    fused = of(fuse(*runs, method=method, weights=given_weights, task="trec", **chosen))
    assert fused.keys() == expected.keys()
    for query, ranking in fused.items():
        # the spread of nearly equal scores magnifies the last bit of a mean
        assert ranking == pytest.approx(expected[query], rel=1e-6, abs=1e-6)
        documents = list(ranking)
        assert order_of(documents, list(ranking.values())).tolist() == list(range(len(documents)))


@given(naive.several())
def test_what_runs_have_in_common_is_that_of_the_twin_whatever_the_order_of_queries(drawn):
    runs, _ = drawn
    held, turned = (
        Candidates.of([Reader(Run.of({query: run[query] for query in sorted(run)[::way]})) for run in runs])
        for way in (1, -1)
    )
    for i, run in enumerate(runs):
        assert held.contents(i) == turned.contents(i)
        scores = {query: [*map(naive.float32, ranking.values())] for query, ranking in run.items()}
        assert {*held.tied(i)} == {query for query, values in scores.items() if len({*values}) < len(values)}
        assert sum(held.named[i]) == sum(map(len, run.values()))
    wanted = []
    for query in held.queries:
        first, second = (run.get(query, {}) for run in runs[:2])
        both = [document for document in first if document in second]
        ranks = [
            [order_of([*of], [*of.values()]).tolist().index([*of].index(one)) for one in both] for of in (first, second)
        ]
        wanted += [stats.spearmanr(*ranks).statistic] if len(both) > 2 else []
    assert sorted(held.correlations(0, 1).tolist()) == pytest.approx(sorted(wanted))


@pytest.mark.parametrize("order", ["the same", "other", "one lacks a query", "one comes back", "shuffled"])
def test_runs_read_abreast_are_fused_as_in_memory(tmp_path, monkeypatch, order):
    rng = np.random.default_rng(7)
    held = [{f"q{q}": {f"d{d}": float(s) for d, s in zip(rng.permutation(30)[:20], rng.integers(0, 9, 20), strict=True)}
             for q in range(40)} for _ in range(2)]  # fmt: skip
    if order == "one lacks a query":
        del held[1]["q20"]
    expected = of(fuse(*held, method="combsum"))
    monkeypatch.setattr(columns, "BLOCK_SIZES", (1 << 10, 0))
    monkeypatch.setattr(streams, "IN_MEMORY", 1 << 10)
    lines = [[f"{q} Q0 {d} 1 {s} T\n" for q, of_query in run.items() for d, s in of_query.items()] for run in held]
    if order == "other":
        lines[1].reverse()
    if order == "shuffled":
        rng.shuffle(lines[0])
    if order == "one comes back":
        lines[1].append(lines[1].pop(0))
    for at in (0, 1):
        (tmp_path / f"{at}.run").write_text("".join(lines[at]))
    fused = fuse(tmp_path / "0.run", tmp_path / "1.run", method="combsum")
    for one in (fused, pickle.loads(pickle.dumps(fused))):
        assert {q: list(r.items()) for q, r in of(one).items()} == {q: list(r.items()) for q, r in expected.items()}


@pytest.mark.filterwarnings("ignore")  # numba's own
def test_where_ranx_is_installed_the_scores_are_its_own():
    ranx = pytest.importorskip("ranx", reason="ranx, an oracle of fusion, is not installed")
    norms = {"min-max": "min-max", "max": "max", "zscore": "zmuv", "borda": "borda"}
    sums = product({"combsum": "sum", "combmnz": "mnz"}.items(), norms.items())
    pairs = [({"method": a, "norm": c}, {"method": b, "norm": d}) for (a, b), (c, d) in sums]
    pairs.pop()  # of Borda counts, MNZ takes those that a run lacks for retrieved
    pairs.append(({}, {"method": "rrf", "params": {"k": 60}}))
    pairs.append(({"method": "combsum", "weights": [5, 3, 2]}, {"method": "wsum", "params": {"weights": (5, 3, 2)}}))
    rng = np.random.default_rng(1)
    ids = [[f"d{d}" for d in rng.choice(40, 15, replace=False)] for _ in range(60)]
    runs = [{f"q{q}": dict(zip(ids[20 * n + q], rng.random(15).tolist(), strict=True)) for q in range(20)}
            for n in range(3)]  # fmt: skip
    for ours, theirs in pairs:
        expected = ranx.fuse([ranx.Run(run) for run in runs], **theirs).to_dict()
        assert of(fuse(*runs, **ours)) == {q: pytest.approx(dict(each), abs=1e-9) for q, each in expected.items()}


def test_what_is_odd_about_runs_is_said():
    for fusion, said in ((Fusion("combsum"), True), (Fusion("rrf"), False), (Fusion("combsum", "borda"), False)):
        told = heard(fusion.fuse({"q": ["a", "b"]}, ONE).remarks)
        assert any(mentions(remark, "run [no-scores]") for remark in told) is said
    fused = Fusion("rrf").fuse({"q": ["a", "b", "a"]}, {"q": ["b"]})
    assert of(fused.run)["q"] == {"b": 1 / 62 + 1 / 61, "a": 1 / 61}
    assert mentions(heard(fused.remarks), "run: [duplicate] 1 … is ignored …")
    fused = Fusion("combsum").fuse({"1": ["a"], "2": ["b", "c"]}, {"2": ["c"], "3": []}, task="1")
    assert of(fused.run) == {"1": {"a": 1.0}, "2": {"c": 1.0, "b": 1.0}}
    assert mentions(heard(fused.remarks), "[unshared-query] 1 of 2 … run (2) lacks 1 (first: 1)")
    fused = Fusion("intersection").fuse({"1": ["a"], "2": ["a"]}, {"1": ["a"], "2": ["b"]})
    assert of(fused.run) == {"1": {"a": 1.0}}
    assert matches(heard(fused.remarks), ("[left-out] 1 … (first: 2)",))
    for ending, n, is_told in (("_1", 20, True), ("_1", 19, False), ("", 20, False)):
        own, others = ({"q": [f"d{at}{end}" for at in range(n)]} for end in ("", ending))
        assert ("unshared-document" in kinds(Fusion(), A=own, B=others)) is is_told


@pytest.mark.parametrize("method", RANKING)
def test_ties_are_told_where_they_are_cut_and_of_runs_with_many(method):
    tied, other = {"q": {"a": 1.0, "b": 1.0}, "p": {"a": 2.0}}, {"q": {"b": 1.0, "a": 1.0}, "p": {"b": 1.0}}
    for top, n in ((1, 1), (2, 0), (None, 0)):
        told = kinds(Fusion(method, top=top), A=tied, B=other)
        assert (told["run:tie"], told["tie"]) == (2, n)


@given(naive.several(), st.sampled_from(["union", "intersection", "vote"]))
def test_sets_are_those_of_the_twin(drawn, method):
    runs, _ = drawn
    enough, expected = {"union": 1, "intersection": len(runs), "vote": len(runs) // 2 + 1}[method], {}
    for query in dict.fromkeys(query for run in runs for query in run):
        votes = Counter(document for run in runs for document in run.get(query, {}))
        if found := [(n, document) for document, n in votes.items() if n >= enough]:
            expected[query] = [document for _, document in sorted(found, reverse=True)]
    try:
        fused = fuse(*runs, method=method, task="trec")
    except UsageError as error:
        assert (error.kind, expected) == ("no-result", {})
        return
    assert {query: list(ranking) for query, ranking in of(fused).items()} == expected
    assert not fused.scored


def test_a_weighted_vote_adds_decimals_as_people_do():
    runs = [{"q": ["a", "b"]}, {"q": ["a", "c"]}, {"q": ["d"]}]
    assert set(of(fuse(*runs, method="vote", weights=[0.1, 0.2, 0.7]))["q"]) == {"d"}
    with refusing(UsageError, "[no-result]"):
        fuse({"q": ["a"]}, {"q": ["a"]}, {"q": ["d"]}, method="vote", weights=[0.1, 0.2, 0.3])


labels = st.dictionaries(st.sampled_from(["H18-1-1", "H18-1-2", "H18-1-3"]), st.booleans(), min_size=1)


@given(st.lists(labels, min_size=2, max_size=5), st.sampled_from(["Y", "N", "first"]), st.data())
def test_answers_are_those_of_the_twin(runs, ties, data):
    votes = [data.draw(st.integers(1, 3)) for _ in runs]
    expected, tied = {}, []
    for query in dict.fromkeys(query for run in runs for query in run):
        balance = sum((1 if run[query] else -1) * w for run, w in zip(runs, votes, strict=True) if query in run)
        first = next(run[query] for run in runs if query in run)
        expected[query] = balance > 0 if balance else {"Y": True, "N": False, "first": first}[ties]
        tied += [query] if balance == 0 else []
    # tenths, whose sums are not exact
    fused = Fusion("vote", weights=tuple(vote / 10 for vote in votes), ties=ties).fuse(*runs)
    assert fused.run.labels == expected
    assert fused.ties == tuple(tied)


def test_what_is_odd_about_answers_is_said(source):
    runs = [{"H18-1-1": "Y", "H18-1-2": "N"}, {"H18-1-1": "N", "H18-1-2": "N", "H18-1-3": "Y"}]
    unshared, tie = heard(Fusion("vote", ties="first").fuse(*runs).remarks)
    assert matches(unshared, "[unshared-query] 1 of 3 … run lacks 1 (first: H18-1-3)")
    assert matches(tie, "[answer-tie] 1 …, decided … (--ties first): H18-1-1")
    assert fuse(*runs).labels == {"H18-1-1": False, "H18-1-2": False, "H18-1-3": True}
    repeated = source("H18-1-1 Y A\nH18-1-1 Y A\n").name
    assert [remark.kind for remark in Fusion("vote").fuse(repeated, {"H18-1-1": "Y"}).remarks] == ["run:duplicate"]


@pytest.mark.parametrize(("asked", "sentence"), [
    ({"method": "sum"}, "[unknown-name] 'sum'… rrf, combsum, combmnz, union, intersection, vote …"),
    ({"method": "rrf", "norm": "max"}, "[unfit-option] --norm … rrf … --rrf-k, --weights, --top"),
    ({"method": "union", "weights": [1, 2]}, "[unfit-option] --weights … union …"),
    ({"method": "vote", "top": 3}, "[unfit-option] --top … vote … --weights, --ties"),
    ({"k": -1}, "[bad-value] -1 …"),
    ({"top": 2.5}, "[bad-value] top … 2.5 …"),
    ({"weights": [1]}, "[bad-value] 1 weight … 2 …"),
    ({"weights": [1, 10**400]}, f"[bad-value] {10 ** 400} …"),
    ({"weights": [0, 0]}, "[bad-value]"),
    ({"method": "vote", "ties": "y"}, "[bad-value] 'y'… N, Y, first …"),
    ({"runs": [ONE]}, "[too-few]"),
    ({"runs": ANSWERS, "method": "rrf"}, "[unfit-option] rrf …"),
    ({"runs": ANSWERS, "k": 2}, "[unfit-option] --rrf-k … vote …"),
    ({"runs": [Answers({}), Answers({"q": True})], "weights": [1, 0]}, "[no-result]"),
    ({"runs": [{"q": {"a": -1.0}}, ONE], "method": "combsum", "norm": "max"}, "[bad-score]"),
    ({"runs": [BIG, ONE], "method": "combsum"}, "scores beyond 1e"),
    ({"runs": [{"q": {"a": 1e99}}, ONE], "method": "combsum", "norm": "none", "weights": [1e300, 1]},
     "[bad-score]"),
])  # fmt: skip
def test_what_has_no_sense_is_refused(asked, sentence):
    options = {"runs": [ONE, TWO], **asked}
    with refusing(UsageError, sentence):
        fuse(*options.pop("runs"), **options)
    assert of(fuse(BIG, ONE))["q"].keys() == {"a", "b", "c"}  # of which rrf does not look at the scores


@given(
    st.sampled_from(RANKING),
    st.lists(st.floats(0, 1e6), min_size=2, max_size=4).filter(any),
    st.none() | st.integers(1, 100),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
)
def test_a_fusion_survives_its_file_whatever_numbers_its_weights_are(tmp_path_factory, method, weights, top, tag):
    names = tuple(f"{tag}{at}" for at in range(len(weights)))
    fusion = Fusion(method, weights=np.array(weights), top=top, runs=names)
    path = tmp_path_factory.mktemp("fusion") / "f.json"
    for held in (fusion.to_dict(), {"fusion": fusion.to_dict()}):
        path.write_text(json.dumps(held))
        assert Fusion.load(path) == fusion == Fusion(method, weights=tuple(weights), top=top, runs=names)
        assert hash(Fusion.load(path)) == hash(fusion)


@pytest.mark.parametrize(("held", "said"), [
    ('{"fusion": {"method": "rrf", "weight": [1]}}', "[structure] 'weight'…"),
    ('{"method": "rrf", "weights": [1, "2"]}', "[bad-value] '2'…"),
    ('{"method": "rrf", "weights": [1, 1], "runs": ["a"]}', "2 weights for 1 run"),
    ('{"method": "rrf", "weights": [1, 1], "runs": ["a", 2]}', "[structure]"),
    ('{"method": "combsum", "norm": ["max"]}', "[bad-value]"),
    ('{"method": "\\u001b[31m"}', "[unknown-name] method …"),
])  # fmt: skip
def test_a_file_that_holds_no_fusion_is_refused(tmp_path, held, said):
    path = tmp_path / "f.json"
    path.write_text(held)
    with refusing(InputError, said) as error:
        Fusion.load(path)
    assert heard(error.value).startswith(str(path))
    assert heard(error.value).isprintable()


@pytest.mark.parametrize(("tags", "files", "runs", "paths", "said"), [
    ("A B", "", "xA yB", "", ""),
    ("A B", "", "yB xA", "", "[fitted-to-others] A, B …"),
    ("A B", "x.txt y.txt", "yB xA", "a.txt b.txt", "[fitted-to-others] A, B …"),  # tags tell apart alone
    ("A B", "x.txt y.txt", "yB xA", "d/x.txt d/y.txt", "[fitted-to-others] A, B …"),
    ("A A", "x.txt y.txt", "yA xA", "d/y.txt d/x.txt", "[fitted-to-others] A, A …"),  # else do the files
    ("A A", "x.txt y.txt", "yA xA", "a.txt b.txt", "[ambiguous]"),
    ("A A", "", "xA yA", "", "[ambiguous]"),
    ("A B", "", "yC xA", "", "[ambiguous]"),
    ("A24 B24", "", "yB25 xA25", "", "[ambiguous]"),
])  # fmt: skip
def test_weights_follow_the_tags_of_the_runs_they_were_fitted_to(tags, files, runs, paths, said):
    """Of each of the runs, the first letter is what it retrieves; x is to have the weight of the first, 0.9."""
    fusion = Fusion("combsum", weights=(0.9, 0.1), runs=tuple(tags.split()), files=tuple(files.split()))
    given_ = [Run.of({"q": [run[0]]}, tag=run[1:]) for run in runs.split()]
    given_ = [replace(run, path=path) for run, path in zip(given_, paths.split() or ("f", "g"), strict=True)]
    if said == "[ambiguous]":
        with refusing(UsageError, said):
            fusion.fuse(*given_)
        return
    fused = fusion.fuse(*given_)
    assert of(fused.run) == {"q": {"x": 0.9, "y": 0.1}}
    assert mentions(heard(fused.remarks), said) if said else "weights" not in str(fused.remarks)


def test_weights_fitted_to_runs_of_one_tag_follow_the_names_of_their_files():
    """Two runs of one tag in another order would get each other's weights, and every score would be another."""
    lists = [{f"q{n}": {f"d{(n + at * n + m) % 7}": 9.0 - m for m in (0, 1)} for n in range(1, 9)} for at in range(3)]
    gold, options = {f"q{n}": [f"d{n % 7}"] for n in range(1, 9)}, {"task": "trec", "measure": "AP", "folds": 2}

    def named(files):
        return [Run.of(run, tag=tag, path=file) for run, tag, file in zip(lists, "XXY", files.split(), strict=True)]

    fusion = Fusion.from_dict(fit_fusion(gold, *named("1/a 1/b 1/c"), **options, repeats=1).fusion.to_dict())
    one, two, three = named("2/a 2/b 2/c")
    expected = of(fusion.fuse(one, two, three).run)
    assert of(fusion.fuse(two, one, three).run) == of(fusion.fuse(three, two, one).run) == expected
    with refusing(UsageError, "[ambiguous]"):
        fit_fusion(gold, *named("1/a 2/a 1/c"), **options)


def test_rankings_in_opposite_orders_are_told():
    up, near = ({f"q{n}": {f"d{at}": float(at + (at % 2) * by) for at in range(9)} for n in range(12)} for by in (0, 3))
    down = {query: {document: -score for document, score in of.items()} for query, of in up.items()}
    named = [Run.of(run, tag=tag) for run, tag in ((up, "up"), (near, "near"), (down, "down"))]
    remarks = [one for one in Fusion("rrf").fuse(*named).remarks if "[upside-down]" in heard(one)]
    assert len(remarks) == 2 and all("down" in one for one in remarks)
    few = [dict(list(run.items())[:9]) for run in (up, down)]
    assert not kinds(Fusion("rrf"), up=few[0], down=few[1])
