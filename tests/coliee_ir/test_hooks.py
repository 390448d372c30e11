"""Hooks of training loops, called as the libraries call them, with small fakes of what they give."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import pytest

from coliee_adapters.errors import UsageError
from coliee_ir import evaluate
from coliee_ir.hooks import RankingEvaluator, compute_metrics

GOLD = {"001": ["013"], "002": ["021", "022"]}
PAIRS = [("001", "013"), ("001", "014"), ("002", "021"), ("002", "022"), ("002", "023")]
LOGITS = np.array([[0.1, 0.9], [0.8, 0.2], [-1.0, 2.0], [1.0, 0.5], [0.0, 0.5]])


class EvalPrediction(NamedTuple):
    """As transformers.EvalPrediction."""

    predictions: Any
    label_ids: Any


def test_classified_pairs_are_scored_as_the_run_that_they_are() -> None:
    expected = evaluate(GOLD, {"001": ["013"], "002": ["021", "023"]}, task="2").measures
    metrics = compute_metrics(GOLD, PAIRS, task="2")
    for predictions in (LOGITS, (LOGITS, "hidden states"), LOGITS.tolist(), (LOGITS[:, 1:] - LOGITS[:, :1])):
        assert metrics(EvalPrediction(predictions, None)) == expected
        assert metrics((predictions, None)) == expected
    assert all(type(value) is float for value in expected.values())


def test_without_a_threshold_the_logits_are_a_ranking() -> None:
    metrics = compute_metrics(GOLD, PAIRS, ["MicroF1@1", "AP"], task="2", threshold=None)
    run = {"001": {"013": 0.8, "014": -0.6}, "002": {"021": 3.0, "022": -0.5, "023": 0.5}}
    assert metrics((LOGITS, None)) == evaluate(GOLD, run, task="2", measures=["MicroF1@1", "AP"]).measures


def test_answers_are_the_more_probable_class() -> None:
    gold = {"R05-01-A": "Y", "R05-01-I": "N", "R05-01-U": "Y"}
    metrics = compute_metrics(gold, list(gold), task="4")
    assert metrics((np.array([[0, 1], [0, 1], [0, 1]]), None)) == {"Accuracy": pytest.approx(2 / 3)}


def test_a_split_and_a_query_without_candidates_count() -> None:
    metrics = compute_metrics(GOLD, PAIRS[:2], task="2", only=["001"])
    assert metrics((LOGITS[:2], None))["MicroF1"] == 1
    assert compute_metrics(GOLD, PAIRS[:2], task="2")((LOGITS[:2], None))["MicroR"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("predictions", [LOGITS[:3], np.zeros((5, 3)), np.zeros((5, 2, 2))])
def test_predictions_of_another_shape_are_refused(predictions: Any) -> None:
    with pytest.raises(UsageError):
        compute_metrics(GOLD, PAIRS, task="2")((predictions, None))


class Words:
    """As a SentenceTransformer, with a word's count in each dimension."""

    words = "cat", "dog", "law"

    def encode(self, texts: list[str], batch_size: int = 32, convert_to_numpy: bool = True) -> Any:
        assert convert_to_numpy
        counts = [Counter(re.findall(r"\w+", text)) for text in texts]
        return np.array([[count[word] for word in self.words] for count in counts], dtype=np.float32)


class Asymmetric(Words):
    """As one of version 5, which encodes queries and documents in two ways."""

    def encode_query(self, texts: list[str], **options: Any) -> Any:
        return self.encode([f"{text} law law law" for text in texts], **options)


DOCUMENTS = {"d1": "cat cat dog", "d2": "dog", "d3": "law law", "q1": "cat"}
QUERIES = {"q1": "cat", "q2": "dog"}


def test_documents_are_ranked_by_cosine() -> None:
    gold = {"q1": ["d1"], "q2": ["d3"]}
    evaluator = RankingEvaluator(gold, QUERIES, DOCUMENTS, ["MicroF1@1", "AP"], task="trec", name="dev", top=3)
    assert (evaluator.primary_metric, evaluator.greater_is_better, evaluator.name) == ("dev_MicroF1@1", True, "dev")
    rankings = evaluator.rankings(Words())
    assert next(iter(rankings["q1"])) == "d1"
    assert "q1" not in rankings["q1"]
    assert list(rankings["q2"])[:2] == ["d2", "d1"]
    assert rankings["q2"]["d1"] == pytest.approx(1 / np.sqrt(5))
    results = evaluator(Words(), output_path=None, epoch=1.0, steps=100)
    expected = evaluate(gold, rankings, task="trec", measures=["MicroF1@1", "AP"]).measures
    assert results == {f"dev_{name}": value for name, value in expected.items()}
    assert evaluator(Asymmetric())["dev_MicroF1@1"] == 0.5  # of both queries, the law is the nearest


def test_each_query_may_have_documents_of_its_own() -> None:
    documents = {"001": {"013": "dog", "014": "cat"}, "002": {}}
    gold = {"001": ["014"], "002": ["021"]}
    queries = {"001": "cat", "002": "dog"}
    evaluator = RankingEvaluator(gold, queries, documents, "MicroF1@1", task="2")
    assert {query: list(ranking) for query, ranking in evaluator.rankings(Words()).items()} == {
        "001": ["014", "013"], "002": []
    }  # fmt: skip
    assert evaluator(Words()) == {"MicroF1@1": pytest.approx(2 / 3)}
