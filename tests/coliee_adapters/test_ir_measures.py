import random
from contextlib import suppress
from itertools import product

import ir_measures
import numpy as np
import pytest
from asserting import refusing

from coliee_adapters.errors import UsageError
from coliee_adapters.ir_measures import request
from coliee_adapters.trec_eval import Request, values

COMPUTED = [
    ("AP", {}, None), ("AP", {"rel": 2}, 3), ("MAP", {"judged_only": True}, None), ("Bpref", {"rel": 2}, None),
    ("BPref", {}, None), ("IPrec", {}, 0.5), ("IPrec", {"rel": 2, "judged_only": True}, 1.0), ("NumQ", {}, None),
    ("NumRel", {}, None), ("NumRet", {"rel": 2}, None), ("NumRet", {}, None), ("NumRelRet", {}, None), ("P", {}, 20),
    ("P", {"rel": 2, "judged_only": True}, 3), ("Precision", {}, 5), ("R", {"judged_only": True}, 3), ("RR", {}, None),
    ("Recall", {"rel": 2}, 3), ("RR", {}, 1), ("RR", {"rel": 2}, 4), ("MRR", {}, 10), ("Rprec", {"rel": 2}, None),
    ("RPrec", {"judged_only": True}, None), ("SetAP", {}, None), ("SetF", {}, None), ("SetF", {"beta": 0.0}, None),
    ("SetF", {"beta": 0.25, "rel": 2}, None), ("SetF", {"beta": 0.123456, "judged_only": True}, None),
    ("SetP", {"relative": True}, None), ("SetP", {"relative": False, "judged_only": True}, None), ("SetR", {}, None),
    ("SetRelP", {"rel": 2}, None), ("Success", {"rel": 2}, 5), ("infAP", {"rel": 2}, None), ("nDCG", {}, None),
    ("NDCG", {"judged_only": True}, 3), ("nDCG", {"dcg": "log2"}, 5), ("nDCG", {"gains": {0: 1, 1: 3, 2: 7}}, None),
    ("nDCG", {"gains": {1: -1}, "judged_only": True}, 5), ("nDCG", {"gains": {}}, 5),
]  # fmt: skip


def test_a_measure_has_the_value_of_ir_measures():
    draw = random.Random(20)
    rows = []
    start, depths, qrels, run = [0], [], [], []
    for query in map(str, range(60)):
        documents = draw.sample([f"d{n}" for n in range(40)], 40)
        depth = draw.randint(1, 20)
        judged = draw.sample(range(30), draw.randint(1, 10))
        levels = [draw.choice([0, 0, 1, 1, 2]) for _ in judged]
        qrels += [ir_measures.Qrel(query, documents[place], level) for place, level in zip(judged, levels, strict=True)]
        run += [ir_measures.ScoredDoc(query, documents[place], float(depth - place)) for place in range(depth)]
        rows += [(place + 1 if place < depth else 0, level) for place, level in zip(judged, levels, strict=True)]
        start.append(len(rows))
        depths.append(depth)
    rank, relevance = np.array(rows).T
    for name, parameters, at in COMPUTED:
        asked = request(name, parameters, at)
        assert asked is not None
        found = values([asked], np.array(start), relevance, rank, np.array(depths))[asked]
        measure = ir_measures.measures.registry[name](**parameters)
        theirs = ir_measures.iter_calc([measure if at is None else measure @ at], qrels, run)
        expected = {one.query_id: one.value for one in theirs}
        # what pytrec_eval divides by the zero documents of a ranking without judged ones is zero here
        assert found.tolist() == [np.nan_to_num(expected[str(query)]) for query in range(60)], (name, parameters, at)
        assert len(set(found)) > 1 or name == "NumQ"


REFUSED = {
    "bad-measure": [
        ("P", {}, None), ("P", {}, 0.5), ("P", {"rel": "x"}, 5), ("P", {"beta": 2}, 5), ("P", {"judged_only": 1}, 5),
        ("SetF", {"beta": 2}, None), ("IPrec", {}, 1), ("NumQ", {}, 5), ("nDCG", {"dcg": "ln"}, 5),
    ],
    "unfit-measure": [
        ("P", {}, 0), ("R", {}, 10**9), ("RR", {}, 0), ("AP", {"rel": 0}, None), ("P", {"rel": -1}, 5),
        *(("SetF", {"beta": beta}, None) for beta in (-2.0, 1e-7, 0.1234567, 1e6, float("inf"), float("nan"))),
        ("IPrec", {}, -0.5), ("IPrec", {}, 1.5), ("nDCG", {"gains": {1: 0.5}}, None), ("nDCG", {"dcg": "exp-log2"}, 5),
        ("nDCG", {"gains": {"1": 2}}, None), ("nDCG", {"gains": {1: 10_000}}, 5), ("RR", {"judged_only": True}, 2),
        ("ERR", {}, 10), ("RBP", {"p": 0.5}, None), ("alpha_nDCG", {}, 20), ("Accuracy", {}, None),
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_trec_eval_cannot_be_asked_is_refused(kind):
    for named in REFUSED[kind]:
        with refusing(UsageError, f"[{kind}] {named[0]}…"):
            request(*named)


def test_every_registered_measure_is_computed_or_refused():
    for name, at in product(ir_measures.measures.registry, (None, 5, 0.5)):
        with suppress(UsageError):
            asked = request(name, {}, at)
            assert asked is not None, name
            found = values([asked], np.array([0, 1]), np.array([1]), np.array([1]), np.array([1]))
            assert np.isfinite(found[asked]).all(), name
    assert {request(name, {}, None) for name in ("", "map", "MicroF1", "ndcg", "P_5", "ap")} == {None}
    asked = Request("num_rel")  # of an unanswered query, where ir_measures has zero
    found = values([asked], np.array([0, 2]), np.array([1, 2]), np.array([0, 0]), np.array([0]))
    assert found[asked].tolist() == [2.0]
