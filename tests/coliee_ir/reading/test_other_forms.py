"""Ids in the languages of the field: what differs only in Unicode form is reported."""

import json
from pathlib import Path
from unicodedata import normalize

import pytest
from asserting import heard, refusing
from hypothesis import given
from hypothesis import strategies as st

from coliee_adapters.errors import MismatchError
from coliee_adapters.records import Run, nfkc_folded
from coliee_ir import evaluate
from coliee_ir.judging.judged import judge
from coliee_ir.judging.mismatch import diagnose
from coliee_ir.judging.qrels import Qrels

GOLD = {"q1": {"Điều5": 1, "第5条": 1, "x": 1}, "q2": {"क\u093cानून": 1, "カード": 1}, "質問4": {"z": 1}, "q5": {"y": 1}}
RUN = {"q1": [normalize("NFD", "Điều5"), "第５条", "x"], "q2": ["\u0958ानून", "ｶｰﾄﾞ"], "質問４": ["z"], "q5": ["\u200by"]}
ids = st.text("a1１é" + "e\u0301カｶ\u200b\u00a0", min_size=1, max_size=3)


@given(
    st.dictionaries(st.sampled_from(["q", "r"]), st.dictionaries(ids, st.just(1), max_size=4), min_size=1),
    st.dictionaries(st.sampled_from(["q", "r", "s"]), st.lists(ids, unique=True, max_size=4)),
)
def test_what_differs_only_in_form_is_found_and_matches_nothing(gold, run):
    held = Run.of(run)
    judged = judge(Qrels(gold), held)
    expected = 0
    for query, documents in run.items():
        missed = {nfkc_folded(text): text for text in gold.get(query, {}) if text not in documents}
        others = [document for document in documents if document not in gold.get(query, {})]
        expected += sum(nfkc_folded(document) in missed for document in others)
    assert diagnose(judged, held, "gold", refuse=False).count("other-form") == expected
    correct = sum(document in gold.get(query, {}) for query, documents in run.items() for document in documents)
    assert judged.correct().sum() == correct


def test_ids_in_another_form_are_reported_beside_the_score_and_refused_where_nothing_else_is(here, call):
    scores = evaluate(GOLD, RUN, task="trec", measures=["R@10"])
    (remark,) = (text for text in scores.remarks if text.kind == "other-form")
    assert heard(remark).startswith("6 ")
    assert scores.measures["R@10"] == pytest.approx((1 / 3 + 0 + 0 + 0) / 4)
    for run, shown in (({"質問４": ["z"]}, "質問４ for 質問4"), ({"q5": ["y\u200b"]}, "y\\u200b for y")):
        with refusing(MismatchError, f"…{shown}…"):
            evaluate(GOLD, run, task="trec")
    asked = [{"question_id": "Câu1", "relevant_articles": [{"law_id": "Luật", "article_id": "5"}]}]
    Path("gold.json").write_text(json.dumps(asked), encoding="utf-8")
    Path("run.json").write_text(json.dumps(asked).replace("C\\u00e2u1", "Ca\\u0302u1"), encoding="utf-8")
    found = json.loads(call("validate", "run.json", "--protocol", "alqac", "--gold", "gold.json", "-f", "json")[1])
    (unknown,) = [one for one in found["findings"] if one["rule"] == "query-unknown"]
    assert "NFC" in unknown["remedy"] and "Câu1" in unknown["remedy"]
