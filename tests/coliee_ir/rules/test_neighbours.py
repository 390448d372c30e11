"""The protocols of other shared tasks: a file in each format, made by us, scored as plain dictionaries are."""

import json
import os
import random
from pathlib import Path

import pytest
import pytrec_eval
from places import ROOT

import coliee_ir
from coliee_ir.rules import protocol as rules
from coliee_ir.rules.protocol import neighbours, protocol, use_protocol_file

#: the files of LeCaRD, which are not ours to commit
LECARD = Path(os.environ.get("COLIEE_LECARD", ROOT.parent / "shared" / "data" / "lecard"))
QUERIES = [str(number) for number in range(7001, 7007)]
DOCUMENTS = [str(number) for number in range(100, 160)]


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch, here):
    monkeypatch.setattr(rules, "protocols_by_name", {})


def _json(value):
    return json.dumps(value, ensure_ascii=False)


def _trec(run):
    return "".join(f"{q} Q0 {doc} {at + 1} {99 - at} T\n" for q, docs in run.items() for at, doc in enumerate(docs))


def _ranks(run):
    """Query, document and rank, the last first."""
    return "".join(
        f"{query}\t{docs[at]}\t{at + 1}\n" for query, docs in run.items() for at in reversed(range(len(docs)))
    )


def _qrels(gold, blank="\t"):
    return "".join(blank.join((q, "0", doc, f"{grade}\n")) for q, held in gold.items() for doc, grade in held.items())


def _matrix(run):
    """Similarities of all documents, of which queries are some; those not retrieved come after the others."""
    every = [*DOCUMENTS, *QUERIES]
    rows = [",".join(["query_case_id", *every])]
    for query, docs in run.items():
        ranked = [query, *docs, *(doc for doc in every if doc not in docs and doc != query)]
        rows.append(",".join([query, *(f"{1 / (1 + ranked.index(doc)):.9f}" for doc in every)]))
    return "\n".join(rows) + "\n"


def _beir(gold):
    return "query-id\tcorpus-id\tscore\n" + _qrels(gold).replace("\t0\t", "\t", -1)


def _relevant(gold):
    return {query: [doc for doc, grade in held.items() if grade > 0] for query, held in gold.items()}


def _binary(gold):
    return {query: dict.fromkeys(held, 1) for query, held in _relevant(gold).items()}


#: measure → its name in trec_eval; with a cutoff it goes on
IN_TREC_EVAL = {
    **{"nDCG": "ndcg", "nDCG@": "ndcg_cut_", "AP": "map", "AP@": "map_cut_", "P@": "P_", "R@": "recall_"},
    **{"RR": "recip_rank", "RR@": "recip_rank", "Success@": "success_", "Bpref": "bpref"},
}


def in_trec_eval(measure):
    name, at, k = measure.partition("@")
    return IN_TREC_EVAL[name + at] + k * (name != "RR")


def means(gold, run, measures, of="", rel=1, *, judged_only=False):
    """trec_eval's values, meant over all queries of the gold, by the names that they have here."""
    found = {}
    for measure in measures.split():
        k = int(measure[3:]) if measure.startswith("RR@") else None
        lists = {q: [doc for doc in run.get(q, ()) if not judged_only or doc in gold[q]][:k] for q in gold}
        scores = {q: {doc: -float(at) for at, doc in enumerate(docs)} for q, docs in lists.items()}
        key = in_trec_eval(measure)
        values = pytrec_eval.RelevanceEvaluator(gold, {key}, relevance_level=rel).evaluate(scores)
        found[of.format(*measure.split("@")) or measure] = sum(one[key] for one in values.values()) / len(gold)
    return found


def _lecard(gold, run):
    found = means(gold, run, "nDCG@10 nDCG@20 nDCG@30")
    for measures, of in (("P@5 P@10", "{}(rel=3,judged_only=True)@{}"), ("AP", "{}(rel=3,judged_only=True)")):
        found |= means(gold, run, measures, of, 3, judged_only=True)
    return found


def micro(gold, run, k):
    """P, R and F1 over all queries' first k."""
    right = sum(len(set(grades) & set(run.get(query, [])[:k])) for query, grades in gold.items())
    p, r = right / (k * len(gold)), right / sum(map(len, gold.values()))
    return {f"MicroP@{k}": p, f"MicroR@{k}": r, f"MicroF1@{k}": 2 * p * r / (p + r) if right else 0.0}


def _il_pcr(gold, run):
    every = [*DOCUMENTS, *QUERIES]
    full = {q: [*docs, *(d for d in every if d not in docs and d != q)] for q, docs in run.items()}
    curve = {f"MicroF1@{k}": micro(_binary(gold), full, k)[f"MicroF1@{k}"] for k in range(1, 21)}
    return curve | micro(_binary(gold), full, 10)


def _macro(gold, run):
    values = []
    for query, relevant in _relevant(gold).items():
        right = len(set(relevant) & set(run.get(query, [])))
        p, r = right / max(len(run.get(query, [])), 1), right / len(relevant)
        values.append((5 * p * r / (4 * p + r) if right else 0.0, p, r))
    f2, p, r = (sum(of) / len(values) for of in zip(*values, strict=True))
    return {"MacroF2": f2, "MacroP": p, "MacroR": r}


def _articles(listed):
    return _json([
        {"question_id": query, "relevant_articles": [
            {"law_id": f"{doc[:-1]}/2022/QH15", "article_id": doc[-1]} for doc in docs]}
        for query, docs in listed.items()
    ])  # fmt: skip


def _il_pcr_gold(gold):
    queries = [
        {"id": f"{int(q):09}.txt", "relevant candidates": [f"{int(doc):09}.txt" for doc in docs]}
        for q, docs in _relevant(gold).items()
    ]
    return _json({"Query Set": queries, "Candidate Set": []})


def _stard(gold):
    return _json([{"query_id": int(q), "match_id": [*map(int, docs)]} for q, docs in _relevant(gold).items()])


def _bsard(gold):
    rows = (f'{q},"Qui,\nquand?","{",".join(docs)}"\n' for q, docs in _relevant(gold).items())
    return "id,question,article_ids\n" + "".join(rows)


def _first(gold):
    return {query: {docs[0]: 1} for query, docs in _relevant(gold).items()}


def _label(query, held):
    return "Yes" if len(held.get(query, ())) % 2 else "No"


def _labels(held):
    return _json([{"example_id": f"DS-{q}", "label": _label(q, held), "statement": "…"} for q in held])


def _accuracy(gold, run):
    return {"Accuracy": sum(_label(q, gold) == _label(q, run) for q in gold) / len(gold)}


def meaning(measures, of="", rel=1, *, judgements=lambda gold: gold):
    """What ``means`` makes of some judgements."""
    return lambda gold, run: means(judgements(gold), run, measures, of, rel)


#: name → how gold and run are written, and what plain dictionaries make of them
NEIGHBOURS = {
    "lecard-v1": (_json, lambda run: _json({q: [*map(int, docs)] for q, docs in run.items()}), _lecard),
    "lecard-v2": (_qrels, _trec, meaning("R@100 R@200 R@500 R@1000", "{}(rel=2)@{}", 2)),
    "aila": (lambda gold: _qrels(gold, " "), _trec, meaning("AP P@10 Bpref RR")),
    "il-pcr": (_il_pcr_gold, _matrix, _il_pcr),
    "alqac": (lambda gold: _articles(_relevant(gold)), _articles, _macro),
    "stard": (_stard, _ranks, meaning("R@100 R@10 RR@10 Success@10")),
    "msmarco": (lambda gold: _qrels(_binary(gold)), _ranks, meaning("RR@10 R@1000", judgements=_binary)),
    "bsard": (_bsard, _trec, meaning("R@100 R@200 R@500 AP@100 RR@100", judgements=_binary)),
    "lepard": (
        lambda gold: "".join(f"{q}\t{doc}\n" for q, held in _first(gold).items() for doc in held),
        lambda run: "".join(f"{q}\t{doc}\t{rank}\n" for q, docs in run.items() for rank, doc in enumerate(docs)),
        meaning("R@1 R@5 R@10 AP nDCG", judgements=_first),
    ),
    "beir": (
        _beir,
        lambda run: _json({q: {doc: 1 / rank for rank, doc in enumerate([q, *docs], 1)} for q, docs in run.items()}),
        meaning("nDCG@10 AP@100 R@100 P@10"),
    ),
    "mteb": (_beir, _trec, meaning("nDCG@10 AP@10 R@10 P@10 RR@10")),
    "vlsp-lter": (_labels, _labels, _accuracy),
}


def made(seed):
    """A graded gold, in which each query has a relevant document, and a run."""
    draw = random.Random(seed)
    gold = {
        query: {doc: draw.choice((0, 1, 2, 3)) for doc in draw.sample(DOCUMENTS, 8)} | {draw.choice(DOCUMENTS): 3}
        for query in QUERIES
    }
    return gold, {query: draw.sample(DOCUMENTS, draw.randint(3, 40)) for query in QUERIES}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_a_neighbour_is_scored_as_its_script_scores(name, seed):
    write_gold, write_run, expected = NEIGHBOURS[name]
    gold, run = made(seed)
    Path("gold").write_text(write_gold(gold), encoding="utf-8")
    Path("run").write_text(write_run(run), encoding="utf-8")
    scores = coliee_ir.evaluate("gold", "run", task=name)
    assert scores.measures == pytest.approx(expected(gold, run), abs=1e-9)
    assert not coliee_ir.validate("run", gold="gold", task=name).errors
    assert set(neighbours()) == set(NEIGHBOURS) | {"alqac-2026"}  # which test_formulas.py tests


#: neighbours whose scorer is trec_eval over the queries of the run
OVER_THE_RUN = {
    "aila": ("AP", "P@10", "Bpref", "RR"),
    "beir": ("nDCG@10", "AP@100", "R@100", "P@10"),
    "mteb": ("nDCG@10", "AP@10", "R@10", "P@10"),
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", OVER_THE_RUN)
def test_queries_without_results_and_ties_count_as_in_trec_eval_without_options(name, seed):
    """Queries that are not answered, one that has nothing relevant, one of the run alone, ties, the query itself."""
    gold, lists = made(seed)
    draw = random.Random(seed)
    gold[QUERIES[2]] = dict.fromkeys(gold[QUERIES[2]], 0)
    run = {q: {doc: float(draw.randint(1, 5)) for doc in docs} for q, docs in lists.items() if q not in QUERIES[:2]}
    run["9999"] = {"100": 1.0}
    if name == "beir":
        run[QUERIES[3]][QUERIES[3]] = 9.0
    Path("gold").write_text(NEIGHBOURS[name][0](gold), encoding="utf-8")
    lines = [f"{q} Q0 {doc} 1 {score} T\n" for q, held in run.items() for doc, score in held.items()]
    Path("run").write_text("".join(lines), encoding="utf-8")
    theirs = {q: {doc: score for doc, score in held.items() if doc != q} for q, held in run.items()}
    measures = OVER_THE_RUN[name]
    values = pytrec_eval.RelevanceEvaluator(gold, set(map(in_trec_eval, measures))).evaluate(theirs)
    scores = coliee_ir.evaluate("gold", "run", task=name, measures=measures).measures
    for measure in measures:
        expected = sum(one[in_trec_eval(measure)] for one in values.values()) / len(values)
        assert scores[measure] == pytest.approx(expected, abs=1e-12)


#: what metrics.py of the LeCaRD repository computes of golden_labels.json, all cases there with grade 3; its labels
#: with grades are not at hand. MAP of tfidf, which lacks relevant cases, is divided otherwise there.
OF_METRICS_PY = {
    "bm25": {"nDCG@10": 0.3308, "nDCG@20": 0.3904, "nDCG@30": 0.4381, "P@5": 0.7701, "P@10": 0.6421, "MAP": 0.9346},
    "tfidf": {"nDCG@10": 0.1015, "nDCG@20": 0.1143, "nDCG@30": 0.1343, "P@5": 0.4729, "P@10": 0.3430},
    "lm": {"nDCG@10": 0.3608, "nDCG@20": 0.4354, "nDCG@30": 0.4979, "P@5": 0.7701, "P@10": 0.6421, "MAP": 0.9346},
}


@pytest.mark.skipif(not LECARD.is_dir(), reason="the files of LeCaRD are not here")
@pytest.mark.parametrize("name", OF_METRICS_PY)
def test_lecards_lists_get_the_figures_of_its_script(name):
    golden = json.loads((LECARD / "golden_labels.json").read_text(encoding="utf-8"))
    Path("gold.json").write_text(_json({query: {str(case): 3 for case in cases} for query, cases in golden.items()}))
    shipped = Path(protocol(use_protocol_file("lecard-v1")).file).read_text(encoding="utf-8")
    own = shipped.replace('task = "lecard-v1"', 'task = "lecard"')
    if name != "lm":  # as metrics.py turns them round
        own += "reverse = true\n"
    Path("own.toml").write_text(own, encoding="utf-8")
    scores = coliee_ir.evaluate("gold.json", LECARD / f"{name}_top100.json", task="own.toml").measures
    named = {"MAP": "AP(rel=3,judged_only=True)"} | {f"P@{k}": f"P(rel=3,judged_only=True)@{k}" for k in (5, 10)}
    for measure, value in OF_METRICS_PY[name].items():
        assert scores[named.get(measure, measure)] == pytest.approx(value, abs=5e-5)
