"""Runs in memory that are judged together score, in every field, as each does alone."""

import dataclasses
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import coliee_ir
from coliee_adapters.errors import ColieeError

MEASURES = ["map", "ndcg_cut_3", "ndcg", "P_2", "recip_rank", "bpref", "num_ret", "gm_map", "set_F", "Rprec",
            "MicroF1", "MacroF2@3", "RBP", "ERR", "nDCG(dcg='exp-log2')", "Compat", "Judged@2"]  # fmt: skip
QUERIES = [*(f"q{n}" for n in range(12)), "001", "004", "R07-01-A"]
FILLED = [f"{n:03}" for n in range(1, 20)]
USUAL = [f"x{n}" for n in range(14)]
#: the documents that golds and runs have: with leading zeros or not, articles, other letters
COLLECTIONS = [USUAL, USUAL, USUAL, FILLED,
               ["001", "002", "003", "014", "2", "15", "1201"], ["96", "398-20", "537", "7", "098"],
               ["001", "012", "13", "d1", "D4", "e.txt", "0e", "a,b", "w" * 40, "é", "fi", "\ufb01"],
               ["docno", "score", "rank", "query", "x1", "x2"]]  # fmt: skip
ODD_SCORES = (0, 1, 0.0, 1.0, True, 2, -0.0, "3", None, float("nan"), 1e300, 1 << 60, 1 << 1100, np.float32(1.25), [1])


#: what makes a run unusual, in the order in which it happens
UNUSUAL = ("tie", "themselves", "decisions", "best last", "gold itself", "odd score", "odd document",
           "other queries", "other order", "empty", "respelled", "swapped", "a list")  # fmt: skip


@st.composite
def golds_and_runs(draw):
    """Golds and a few runs, of which some are unusual in a way or two."""
    rng = random.Random(draw(st.integers(0, 1 << 32)))
    collection = rng.choice(COLLECTIONS)
    queries = rng.sample(FILLED if collection is FILLED else QUERIES, rng.choice((1, 2, 3, 12)))
    gold = {
        query: {document: rng.choice((0, 1, 1, 2, -1)) for document in rng.sample(collection, rng.randint(0, 4))}
        for query in queries
    }
    runs = []
    for _ in range(rng.randint(1, 4)):
        most = min(rng.choice((1, 5, 99, 99)), len(collection))
        documents = {query: rng.sample(collection, rng.randint(1, most)) for query in queries}
        run = {query: {document: rng.uniform(-2, 9) for document in found} for query, found in documents.items()}
        for unusual in sorted(rng.sample(UNUSUAL, rng.choice((0, 0, 1, 2))), key=UNUSUAL.index):
            if run:
                make_unusual(unusual, rng, run, gold, collection)
        runs.append(run)
    return gold, runs


def make_unusual(way, rng, run, gold, collection):
    one = rng.choice([*run])
    match way:
        case "tie":
            run[one][rng.choice(collection)] = next(iter(run[one].values()), 1.0) * (1 + 1e-9)
        case "themselves":
            run |= {query: {query: 9.5, **entry} for query, entry in run.items()}
        case "decisions":
            no = rng.choice((0.0, -1.0))
            run |= {query: {document: rng.choice((no, 1.0)) for document in entry} for query, entry in run.items()}
        case "best last":
            for query, entry in run.items():
                entry |= {document: -9.0 - at for at, document in enumerate(gold.get(query, ()))}
        case "gold itself":
            above = rng.choice((-9, 0))
            for query, judged in gold.items():
                run[query] = {d: level + at / 9 for at, (d, level) in enumerate(judged.items()) if level > above}
        case "odd score":
            run[one][rng.choice(collection)] = rng.choice(ODD_SCORES)
        case "odd document":
            run[one][rng.choice(("z", "x 1", "", "x1.txt", "1", "0398-20", 5))] = 0.125
        case "other queries":
            del run[one]
            run |= rng.choice(({}, {"q99": {"x1": 2.0}}, {"1": {"x1": 2.0}}, {"001.txt": {"x1": 2.0}}))
        case "other order":
            entries = [*run.items()]
            run.clear()
            run |= dict(reversed(entries))
        case "empty":
            run[one] = {}
        case "respelled":
            form, share = rng.choice(("{}.txt", "{}.txt", "X{}", "D-{}", "0{}")), rng.choice((0.1, 0.5, 0.95))
            for query, entry in run.items():
                run[query] = {form.format(d) if rng.random() < share else d: score for d, score in entry.items()}
        case "swapped":
            for query, entry in [*run.items()]:
                run[query] = {"x1": 1.5, query: 0.5}
                for document, score in entry.items():
                    run.setdefault(document, {})[query] = score
        case "a list":
            run |= rng.choice(({one: [*run[one]]}, {one: "x1"}, {query: [*entry] for query, entry in run.items()}))


RULES = st.fixed_dictionaries(
    {"task": st.sampled_from(("trec", "trec", "1", "2", "3"))},
    optional={
        "decisions": st.sampled_from(({"unanswered": "skip"}, {"no_overlap": "zero"}, {"order": "ascending"})),
        "exclude": st.just(["q1"]),
    },
)


def scored(gold, runs, **rules):
    """What comes of runs; the error where the gold cannot be."""
    try:
        return coliee_ir.evaluate_all(gold, runs, keep="judged", keep_going=True, **rules)
    except ColieeError as error:
        return str(error)


def everything(scores):
    """Every field, in a form that can be compared."""
    fields = {field.name: getattr(scores, field.name) for field in dataclasses.fields(scores)}
    fields |= {"timing": scores.timing.lines, "ties": dict(scores.ties), "remarks": scores.remarks}
    fields["kinds"] = [(remark.kind, remark.for_others, remark.is_doubt) for remark in scores.remarks]
    fields["results"] = {
        measure: (repr(one.value), one.per_query.tolist(), repr(one.answered), repr(one.summed and one.summed.each))
        for measure, one in scores.results.items()
    }
    fields["judged"] = {
        part: [getattr(judged, name).tolist() for name in ("rank", "retrieved", "repeated", "answered")]
        + [sorted(judged.tied.T.tolist()), judged.extra, judged.remarks, judged.lines, judged.first]
        for part, judged in scores.judged.items()
    }
    return repr(fields)


@pytest.mark.filterwarnings("ignore::coliee_ir.ScoreWarning")
@given(golds_and_runs(), RULES, st.sampled_from(([], MEASURES)))
def test_runs_of_any_kind_score_together_as_each_alone(given_, rules, measures):
    gold, runs = given_
    together = scored(gold, runs, measures=measures, **rules)
    with ThreadPoolExecutor(1) as executor:  # whose workers know a run alone
        one_by_one = scored(gold, runs, measures=measures, executor=executor, **rules)
    if isinstance(together, str):
        assert together == one_by_one
        return
    assert together.invalid == one_by_one.invalid
    assert [everything(scores) for scores in together] == [everything(scores) for scores in one_by_one]
    evaluator = coliee_ir.Evaluator(gold, measures, runs=runs, **rules)
    for sent, scores in zip(together.submissions, together, strict=True):
        assert everything(evaluator.evaluate(sent, keep_judged=True)) == everything(
            dataclasses.replace(scores, unique_name="", own_name="")
        )
