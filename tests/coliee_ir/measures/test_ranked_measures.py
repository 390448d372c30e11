"""RBP, ERR, exponential nDCG, Judged and Compat, beside naive twins and the tools that they are of."""

import math
import pkgutil
import shutil
import subprocess

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coliee_adapters.errors import UsageError
from coliee_ir import Decisions, evaluate
from coliee_ir.measures import parse

#: query → relevance of what was retrieved, by rank (None: no judgement), and of what was not; -1: pooled, not judged
queries = st.tuples(
    st.lists(st.one_of(st.none(), st.integers(-1, 4)), max_size=12), st.lists(st.integers(0, 4), max_size=4)
)
rankings = st.dictionaries(st.integers(1, 99).map(str), queries, min_size=1, max_size=5).filter(
    lambda drawn: any((r or 0) > 0 for ranked, _ in drawn.values() for r in ranked)  # or the gold is refused
)


def as_files(drawn):
    gold, run = {}, {}
    for query, (ranked, missed) in drawn.items():
        judged = {f"d{at}": relevance for at, relevance in enumerate(ranked) if relevance is not None}
        judged |= {f"m{at}": relevance for at, relevance in enumerate(missed)}
        if judged:
            gold[query] = judged
            run[query] = {f"d{at}": float(len(ranked) - at) for at in range(len(ranked))}
    return gold, {query: ranked for query, ranked in run.items() if ranked}


def rbp(ranked, k, p, rel):
    return (1 - p) * sum(p**at for at, relevance in enumerate(ranked[:k]) if (relevance or 0) >= rel)


def residual(ranked, p):
    unjudged = [at for at, relevance in enumerate(ranked) if relevance is None or relevance < 0]
    return (1 - p) * sum(p**at for at in unjudged) + p ** len(ranked)


def err(ranked, k, greatest):
    going, total = 1.0, 0.0
    for at, relevance in enumerate(ranked[:k], start=1):
        stop = (2 ** max(relevance or 0, 0) - 1) / 2**greatest
        total += going * stop / at
        going *= 1 - stop
    return total


def ndcg(ranked, missed, k, gain):
    """What is gained at each rank over what could be; gain: that of a relevance."""

    def dcg(gains):
        return sum(gained / math.log2(at + 1) for at, gained in enumerate(gains[:k], start=1))

    gains, others = ([gain(max(r, 0)) for r in some if r is not None] for some in (ranked, missed))
    ideal = dcg(sorted(gains + others, reverse=True))
    return dcg([gain(max(r or 0, 0)) for r in ranked]) / ideal if ideal else 0.0


@given(rankings, st.integers(1, 14), st.sampled_from([0.1, 0.5, 0.8, 0.95]), st.integers(1, 4))
@settings(max_examples=40)
def test_each_is_what_its_naive_twin_says_query_by_query(drawn, k, p, rel):
    gold, run = as_files(drawn)
    names = {
        f"RBP(p={p},rel={rel})@{k}": lambda ranked, _: rbp(ranked, k, p, rel),
        "RBP": lambda ranked, _: rbp(ranked, len(ranked), 0.8, 1),
        f"RBPResidual(p={p})": lambda ranked, _: residual(ranked, p),
        "ndcg.1=3,3=2": lambda ranked, missed: ndcg(ranked, missed, 99, lambda r: {1: 3, 3: 2}.get(r, r)),
        f"ERR@{k}": lambda ranked, _: err(ranked, k, 4),
        "ERR(max_rel=6)": lambda ranked, _: err(ranked, len(ranked), 6),
        f"nDCG(dcg='exp-log2')@{k}": lambda ranked, missed: ndcg(ranked, missed, k, lambda r: 2**r - 1),
        "nDCG(dcg='exp-log2')": lambda ranked, missed: ndcg(ranked, missed, 99, lambda r: 2**r - 1),
        f"Judged@{k}": lambda ranked, _: 1 - ranked[:k].count(None) / min(k, len(ranked)) if ranked else 0.0,
    }
    found = evaluate(gold, run, task="trec", measures=list(names), decisions=Decisions(no_overlap="zero"))
    for name, twin in names.items():
        [measure] = parse(name)
        expected = {query: twin(*drawn[query]) for query in gold}
        assert {query: values[str(measure)] for query, values in found.per_query.items()} == pytest.approx(expected)
        assert found.measures[str(measure)] == pytest.approx(sum(expected.values()) / len(expected))


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a script in Perl")
@pytest.mark.parametrize("k", [1, 5, 20])
def test_err_and_exponential_ndcg_are_gdevals_in_every_digit_that_it_prints(tmp_path, k):
    drawn = {
        str(query): ([None if (query * at) % 3 == 1 else (query * at * 7) % 5 for at in range(1, 30)], [4, query % 5])
        for query in range(1, 30)
    }
    gold, run = as_files(drawn)
    script, qrels, results = tmp_path / "gdeval.pl", tmp_path / "qrels", tmp_path / "run"
    script.write_bytes(pkgutil.get_data("ir_measures", "bin/gdeval.pl") or b"")
    qrels.write_text("".join(f"{q} 0 {d} {r}\n" for q, judged in gold.items() for d, r in judged.items()))
    results.write_text("".join(f"{q} Q0 {d} 1 {s} T\n" for q, ranked in run.items() for d, s in ranked.items()))
    printed = subprocess.run(["perl", script, qrels, results, str(k)], capture_output=True, text=True, check=True)
    found = evaluate(qrels, results, task="trec", measures=[f"nDCG(dcg='exp-log2')@{k}", f"ERR@{k}"])
    ours = {query: [f"{value:.5f}" for value in values.values()] for query, values in found.per_query.items()}
    assert ours == {line.split(",")[1]: line.split(",")[2:] for line in printed.stdout.splitlines()[1:]}


@given(rankings, st.integers(1, 14), st.sampled_from([0.1, 0.8, 0.95]), st.booleans())
@settings(max_examples=50)
def test_the_judged_share_and_compatibility_are_those_of_ir_measures(drawn, k, p, normalize):
    gold, run = as_files(drawn)
    kinds = [ir_measures.Judged @ k, ir_measures.Compat(p=p, normalize=normalize)]
    decisions = Decisions(no_overlap="zero")
    found = evaluate(gold, run, task="trec", measures=list(map(str, kinds)), decisions=decisions).per_query
    for kind in kinds:
        [name] = map(str, parse(str(kind)))
        theirs = {one.query_id: one.value for one in ir_measures.iter_calc([kind], gold, run) if one.query_id in run}
        assert theirs == pytest.approx({query: found[query][name] for query in theirs}, abs=1e-12)
        assert all(found[query][name] == 0 for query in gold if query not in run)


def test_other_spellings_are_read_and_a_parameter_that_makes_no_sense_is_refused():
    for name, stands_for in (
        ("ndcg.1=3,2=9", "ndcg_1=3,2=9"),
        ("NDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@5"),
        ("ERR(max_rel=4)@5", "ERR@5"),
    ):
        assert [*map(str, parse(name))] == [*map(str, parse(stands_for))] == [stands_for]
    for name in ("RBP(p=1)", "RBP(p=0)", "RBP(p='a')", "RBP@0", "ERR(max_rel=0)", "RBPResidual@5"):
        with pytest.raises(UsageError):
            parse(name)
    with pytest.raises(UsageError, match=r"ERR\(max_rel=7\)"):  # a relevance above the greatest, and what to type
        evaluate({"a": {"x": 7}}, {"a": {"x": 1.0}}, task="trec", measures=["ERR@5"])
