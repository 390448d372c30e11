"""Hooks of training loops, called as the libraries call them, with small fakes of what they give."""

import re
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from asserting import mentions

from coliee_adapters.errors import ScoreWarning, UsageError
from coliee_ir import evaluate
from coliee_ir.hooks import RankingEvaluator, compute_metrics

GOLD = {"001": ["013"], "002": ["021", "022"]}
PAIRS = [("001", "013"), ("001", "014"), ("002", "021"), ("002", "022"), ("002", "023")]
LOGITS = np.array([[0.1, 0.9], [0.8, 0.2], [-1.0, 2.0], [1.0, 0.5], [0.0, 0.5]])
LABELS = np.array([1, 0, 1, 1, 0])


class EvalPrediction:
    """As transformers.trainer_utils.EvalPrediction of 4.46 to 5: it can be unpacked, and has its elements by number."""

    def __init__(self, predictions, label_ids, inputs=None, losses=None):
        self.predictions, self.label_ids, self.inputs, self.losses = predictions, label_ids, inputs, losses
        self.elements = (predictions, label_ids, *(extra for extra in (inputs, losses) if extra is not None))

    def __iter__(self):
        return iter(self.elements)

    def __getitem__(self, at):
        return self.elements[at]


class Tensor:
    """As a torch.Tensor on another device: numpy takes it only from the processor's memory, and not as bfloat16."""

    def __init__(self, values, where="cuda"):
        self.values, self.where = np.asarray(values), where

    def detach(self):
        return Tensor(self.values, f"{self.where} detached")

    def cpu(self):
        return Tensor(self.values, self.where.replace("cuda", "cpu"))

    def float(self):
        return Tensor(self.values, f"{self.where} float")

    def __array__(self, dtype=None, copy=None):
        assert self.where == "cpu detached float"
        return self.values.astype(dtype)


def test_classified_pairs_are_scored_as_the_run_that_they_are():
    expected = evaluate(GOLD, {"001": ["013"], "002": ["021", "023"]}, task="2").measures
    metrics = compute_metrics(GOLD, PAIRS, task="2")
    assert all(type(value) is float for value in expected.values())
    for predictions in (LOGITS, (LOGITS, "hidden states"), LOGITS.tolist(), (LOGITS[:, 1:] - LOGITS[:, :1])):
        assert metrics(EvalPrediction(predictions, None)) == metrics((predictions, None)) == expected
    # more than predictions; two label names, a regression's labels, classes of another kind
    assert metrics(EvalPrediction((LOGITS, (LOGITS, LOGITS)), LABELS, np.zeros((5, 7)), np.zeros(5))) == expected
    for labels in ((LABELS, LABELS), LABELS[:, None].astype(np.float32), np.array([2, -100, 0, 1, 3])):
        assert metrics(EvalPrediction(LOGITS, labels)) == expected


def test_without_a_threshold_the_logits_are_a_ranking():
    metrics = compute_metrics(GOLD, PAIRS, ["MicroF1@1", "AP"], task="2", threshold=None)
    run = {"001": {"013": 0.8, "014": -0.6}, "002": {"021": 3.0, "022": -0.5, "023": 0.5}}
    assert metrics((LOGITS, None)) == evaluate(GOLD, run, task="2", measures=["MicroF1@1", "AP"]).measures
    # a split and a query without candidates
    metrics = compute_metrics(GOLD, PAIRS[:2], task="2", edition=2026, only=["001"])
    assert metrics((LOGITS[:2], None))["MicroF1"] == 1
    assert compute_metrics(GOLD, PAIRS[:2], task="2")((LOGITS[:2], None))["MicroR"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("make", [np.asarray, Tensor])
def test_the_trainer_may_evaluate_batch_by_batch(make):
    """As Trainer.evaluation_loop does with ``batch_eval_metrics``, with ``compute_result`` from the last batch."""
    metrics = compute_metrics(GOLD, PAIRS, task="2")
    expected = compute_metrics(GOLD, PAIRS, task="2")((LOGITS, LABELS))
    for _ in range(2):  # the next evaluation begins anew
        for start in (0, 2, 4):
            batch = EvalPrediction(*(make(values[start : start + 2]) for values in (LOGITS, LABELS)))
            assert metrics(batch, compute_result=start == 4) == (expected if start == 4 else {})


def test_labels_in_another_order_than_the_rows_two_rows_of_one_thing_and_other_shapes_are_refused():
    """``group_by_length`` sorts the evaluation set too (Trainer._get_eval_sampler)."""
    order = [1, 0, 2, 3, 4]
    with pytest.raises(UsageError, match="group_by_length"):
        compute_metrics(GOLD, PAIRS, task="2")((LOGITS[order], LABELS[order]))
    answers = {f"R05-0{at}-A": "Y" if label else "N" for at, label in enumerate(LABELS)}
    metrics = compute_metrics(answers, list(answers), task="4")
    assert metrics((LOGITS, LABELS))["Accuracy"] == pytest.approx(3 / 5)
    with pytest.raises(UsageError, match="R05-00-A"):
        metrics((LOGITS[order], LABELS[order]))
    assert compute_metrics(GOLD, PAIRS, task="2", edition=2026, only=["001"])((LOGITS, LABELS))["MicroF1"] == 1
    for rows in ([*PAIRS, PAIRS[0]], ["q1", "q1"]):
        with pytest.raises(UsageError):
            compute_metrics(GOLD, rows, "MicroF1@1", task="2")
    for predictions in (LOGITS[:3], np.zeros((5, 3)), np.zeros((5, 2, 2))):
        with pytest.raises(UsageError):
            compute_metrics(GOLD, PAIRS, task="2")((predictions, None))


@pytest.mark.parametrize(("threshold", "last", "is_told"), [
    (0.05, 0.1, True), (0.0, 1.0, True), (0.5, 0.1, False), (0.0, 1.1, False), (0.0, 0.0, False),
])  # fmt: skip
def test_probabilities_of_which_none_is_below_the_threshold_are_told(threshold, last, is_told):
    metrics = compute_metrics(GOLD, PAIRS[:4], "MicroF1", task="2", threshold=threshold)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metrics(([0.9, 0.2, 0.4, last], None))
    told = [one.filename for one in caught if "threshold=0.5" in str(one.message)]
    assert told == [__file__] * is_told  # at the line of the caller


@pytest.mark.parametrize("threshold", [0.0, None])
def test_a_model_that_diverged_retrieves_nothing(threshold):
    metrics = compute_metrics(GOLD, PAIRS, "MicroF1@1", task="2", threshold=threshold)
    with pytest.warns(ScoreWarning, match="5 of 5") as caught:
        assert metrics((np.full((5, 2), np.nan), LABELS)) == {"MicroF1@1": 0.0}
    assert caught[0].filename == __file__


class Words:
    """As a SentenceTransformer, perhaps with its card, with a word's count in each dimension."""

    words = "cat", "dog", "law"

    def __init__(self, card=None):
        self.model_card_data = card

    def encode(self, texts, batch_size=32, show_progress_bar=None, convert_to_numpy=True):
        assert convert_to_numpy
        assert show_progress_bar is False  # None shows one where logging is on
        counts = [Counter(re.findall(r"\w+", text)) for text in texts]
        return np.array([[count[word] for word in self.words] for count in counts], dtype=np.float32)


class Asymmetric(Words):
    """As one of version 5, which encodes queries and documents in two ways."""

    def encode_query(self, texts, **options):
        return self.encode([f"{text} law law law" for text in texts], **options)


class Pairs:
    """As a CrossEncoder: it has no ``encode``, and scores [query, document] with one label or with two."""

    def __init__(self, labels):
        self.labels = labels

    def predict(self, pairs, batch_size=32, show_progress_bar=None):
        assert show_progress_bar is False
        shared = np.array([len({*query.split()} & {*document.split()}) for query, document in pairs], dtype=np.float32)
        return shared if self.labels == 1 else np.stack([-shared, shared], axis=1)


DOCUMENTS = {"d1": "cat cat dog", "d2": "dog", "d3": "law law", "q1": "cat"}
QUERIES = {"q1": "cat", "q2": "dog"}


def test_documents_are_ranked_by_cosine():
    gold = {"q1": ["d1"], "q2": ["d3"]}
    evaluator = RankingEvaluator(gold, QUERIES, DOCUMENTS, ["MicroF1@1", "AP"], task="trec", name="dev", top=3)
    assert (evaluator.primary_metric, evaluator.greater_is_better, evaluator.name) == ("dev_MicroF1@1", True, "dev")
    rankings = evaluator.rankings(Words())
    assert list(rankings["q1"]) == ["d1", "d2", "d3"]  # not itself
    assert rankings["q2"] == {"d2": 1, "d1": pytest.approx(1 / np.sqrt(5)), "d3": 0}
    results = evaluator(Words(), output_path=None, epoch=1.0, steps=100)
    expected = evaluate(gold, rankings, task="trec", measures=["MicroF1@1", "AP"]).measures
    assert results == {f"dev_{name}": value for name, value in expected.items()}
    assert evaluator(Asymmetric())["dev_MicroF1@1"] == 0.5  # of both queries, the law is the nearest
    many = {f"q{n}": Words.words[n % 3] for n in range(150)}  # more than are compared at once
    gold, documents = {query: ["cat"] for query in many}, {word: word for word in Words.words}
    evaluator = RankingEvaluator(gold, many, documents, "AP", task="trec", top=1)
    assert evaluator.rankings(Words()) == {query: {text: 1} for query, text in many.items()}


def test_what_the_texts_lack_is_told_at_the_beginning():
    gold = {"q1": ["d1", "d3"], "q2": ["d2"], "q3": ["d1"]}
    with pytest.warns(ScoreWarning) as caught:
        RankingEvaluator(gold, QUERIES, DOCUMENTS, "AP", task="beir")
    [told] = [str(warning.message) for warning in caught]
    assert mentions(told, "1 … (first: q3)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RankingEvaluator(gold, {"q1": "cat"}, DOCUMENTS, "AP", task="trec", only=["q1"])


class Card:
    """As SentenceTransformerModelCardData of 3.4 to 5."""

    def __init__(self):
        self.held = []

    def set_evaluation_metrics(self, evaluator, metrics, epoch=0, step=0):
        self.held.append((evaluator, dict(metrics), epoch, step))


class OldCard(Card):
    """As that of 3.0."""

    def set_evaluation_metrics(self, evaluator, metrics):
        super().set_evaluation_metrics(evaluator, metrics)


def test_the_trainer_of_sentence_transformers_finds_what_it_looks_for(here):
    """As SentenceTransformerTrainer.evaluation_loop: it renames the keys in place and looks for the best model's."""
    given = ({"q1": ["d1"]}, {"q1": "cat"}, DOCUMENTS)
    evaluator = RankingEvaluator(*given, ["AP", "R@2"], task="trec", name="dev")
    card = Card()
    for epoch, steps in ((0.5, 10), (1.0, 20)):
        found = evaluator(Words(card), output_path="eval", epoch=epoch, steps=steps)
        for key in list(found):
            found[f"eval_{key}"] = found.pop(key)
        assert found[f"eval_{evaluator.primary_metric}"] == found["eval_dev_AP"] == 1
    rows = Path("eval/COLIEE_evaluation_dev_results.csv").read_text()
    assert rows == "epoch,steps,AP,R@2\n0.5,10,1.0,1.0\n1.0,20,1.0,1.0\n"
    assert card.held == [(evaluator, {"dev_AP": 1.0, "dev_R@2": 1.0}, *when) for when in ((0.5, 10), (1.0, 20))]
    assert evaluator.description == "COLIEE"
    assert evaluator.get_config_dict() == {"task": "trec", "edition": None, "top": 100}
    card = OldCard()  # as SequentialEvaluator of 3 to 5 calls them, which the trainer makes of a list of evaluators
    for name in ("a", "b"):
        evaluator = RankingEvaluator(*given, "AP", task="trec", name=name, write_csv=name == "a")
        assert evaluator(Words(card), ".", 1.0, 5) == {evaluator.primary_metric: 1.0} == {f"{name}_AP": 1.0}
    assert [path.name for path in here.glob("*.csv")] == ["COLIEE_evaluation_a_results.csv"]
    assert len(card.held) == 2


def test_sets_without_a_cutoff_are_refused():
    """All of a ranking of 100 documents is no set that anybody would send."""
    given = ({"q1": ["d1"], "q2": ["d2"]}, QUERIES, DOCUMENTS)
    for measures in ((), "MacroF2", ["AP", "MicroR"]):
        with pytest.raises(UsageError, match="top=5"):
            RankingEvaluator(*given, measures, task="1")
        with pytest.raises(UsageError, match="threshold"):
            compute_metrics(GOLD, PAIRS, measures, task="1", threshold=None)
        assert RankingEvaluator(*given, measures, task="1", top=2)(Words())
    assert RankingEvaluator(*given, "set_F", task="1").top == 100


@pytest.mark.parametrize("labels", [1, 2])
def test_a_cross_encoder_scores_the_candidates_of_each_query(labels):
    """As CrossEncoderRerankingEvaluator calls one."""
    gold, queries = {"001": ["013"], "002": ["021"]}, {"001": "cat dog law", "002": "dog"}
    documents = {"001": {"013.txt": "cat dog", "014": "cat"}, "002": {}}
    evaluator = RankingEvaluator(gold, queries, documents, ["MicroF1@1", "AP"], task="2")
    assert evaluator.rankings(Pairs(labels)) == {"001": {"013.txt": 2 * labels, "014": labels}, "002": {}}
    assert evaluator(Pairs(labels)) == {"MicroF1@1": pytest.approx(2 / 3), "AP": 0.5}
    with pytest.raises(UsageError, match="pairs"):
        RankingEvaluator({"q1": ["d1"]}, {"q1": "cat"}, DOCUMENTS, "AP", task="trec")(Pairs(labels))


def test_a_query_is_left_out_only_where_its_id_is_that_of_the_same_text():
    """Task 2's paragraph 013 of query 013 is another text; Task 1's case 000001.txt is query 000001 itself."""
    queries, own = {"012": "cat", "013": "dog"}, {"013": "cat", "014": "law"}
    of_task_2 = ({"012": ["013"], "013": ["013"]}, queries, {"012": own, "013": {"013": "dog", "014": "law"}})
    shared = {"000001.txt": "cat", "000002.txt": "cat cat dog", "000003": "law"}
    of_task_1 = ({"000001": ["000002"]}, {"000001": "cat"}, shared)
    of_beir = ({"q1": ["d"]}, {"q1": "cat"}, {"q1": {"q1": "cat", "d": "cat dog"}})
    for task, given, model in (("2", of_task_2, Words()), ("2", of_task_2, Pairs(1)), ("1", of_task_1, Words()),
                               ("beir", of_beir, Words())):  # fmt: skip
        found = RankingEvaluator(*given, ["MicroF1@1", "AP"], task=task)(model)
        assert found == {"MicroF1@1": 1.0, "AP": 1.0}
