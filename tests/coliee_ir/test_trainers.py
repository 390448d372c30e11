"""The hooks in real trainers, on a model of a few weights made here; the extra ``trainers`` has what they need."""

import os

import pytest

from coliee_adapters.errors import UsageError
from coliee_ir import evaluate
from coliee_ir.hooks import RankingEvaluator, compute_metrics

os.environ["HF_HUB_OFFLINE"] = "1"  # before what reads it is imported; nothing here is fetched

torch = pytest.importorskip("torch", reason="the trainers are not installed")
datasets = pytest.importorskip("datasets")
transformers = pytest.importorskip("transformers")
sentence_transformers = pytest.importorskip("sentence_transformers")

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs

WORDS = ["cat", "dog", "law", "tax", "act", "tort"]
QUERIES = {"012": "cat law", "013": "dog tax"}
OWN = {"012": {"013": "cat act", "014": "law law tort"}, "013": {"013": "tax act", "015": "dog"}}
SHARED = {name: text for own in OWN.values() for name, text in own.items()}
GOLD = {"012": ["013"], "013": ["015"]}
PAIRS = [(query, document) for query, own in OWN.items() for document in own]
ZERO = {"no_overlap": "zero"}  # what a model of no training may retrieve
LABELS = [float(document in GOLD[query]) for query, document in PAIRS]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The folder of a BERT with a vocabulary of six words."""
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]) + "\n")
    tokenizer = transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=16)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    transformers.BertModel(transformers.BertConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(folder)
    return str(folder)


def arguments(folder, best):
    return {
        "output_dir": str(folder), "num_train_epochs": 2, "eval_strategy": "epoch", "save_strategy": "epoch",
        "load_best_model_at_end": True, "metric_for_best_model": best, "report_to": [], "use_cpu": True,
    }  # fmt: skip


def pairs():
    texts = {"a": [QUERIES[query] for query, _ in PAIRS], "b": [OWN[query][document] for query, document in PAIRS]}
    return datasets.Dataset.from_dict({**texts, "label": LABELS})


def trained(trainer, name):
    """A trainer has logged a measure after each epoch, and kept the checkpoint of its best value."""
    trainer.train()
    values = [entry[name] for entry in trainer.state.log_history if name in entry]
    assert (len(values), trainer.state.best_metric) == (2, max(values))


def test_a_bi_encoder_is_trained_with_the_evaluator_as_the_page_shows(tiny, tmp_path):
    from sentence_transformers import losses

    model = sentence_transformers.SentenceTransformer(tiny, device="cpu")
    evaluator = RankingEvaluator(GOLD, QUERIES, SHARED, ["AP", "MicroF1@1"], task="trec", name="dev")
    best = f"eval_{evaluator.primary_metric}"
    args = sentence_transformers.SentenceTransformerTrainingArguments(**arguments(tmp_path, best))
    loss = losses.CosineSimilarityLoss(model)
    trainer = sentence_transformers.SentenceTransformerTrainer(
        model=model, args=args, train_dataset=pairs(), loss=loss, evaluator=evaluator
    )
    trained(trainer, best)
    queries, documents = (model.encode(list(texts.values())) for texts in (QUERIES, SHARED))
    cosines = sentence_transformers.util.cos_sim(queries, documents).tolist()
    run = {
        query: {document: value for document, value in zip(SHARED, row, strict=True) if document != query}
        for query, row in zip(QUERIES, cosines, strict=True)
    }
    expected = evaluate(GOLD, run, task="trec", measures=["AP", "MicroF1@1"]).measures
    assert evaluator(model) == pytest.approx({f"dev_{name}": value for name, value in expected.items()})
    rows = (tmp_path / "eval" / evaluator.csv_file).read_text().splitlines()
    assert (rows[0], len(rows)) == ("epoch,steps,AP,MicroF1@1", 3)
    model.save(str(tmp_path / "saved"))
    assert "dev_AP" in (tmp_path / "saved" / "README.md").read_text(encoding="utf-8")


def test_a_cross_encoder_is_trained_with_the_evaluator(tiny, tmp_path):
    from sentence_transformers import cross_encoder

    model = sentence_transformers.CrossEncoder(tiny, num_labels=1, device="cpu")
    evaluator = RankingEvaluator(GOLD, QUERIES, OWN, ["MicroF1@1", "AP"], task="2")
    args = cross_encoder.CrossEncoderTrainingArguments(**arguments(tmp_path, "eval_MicroF1@1"))
    loss = cross_encoder.losses.BinaryCrossEntropyLoss(model)
    trainer = cross_encoder.CrossEncoderTrainer(
        model=model, args=args, train_dataset=pairs(), loss=loss, evaluator=evaluator
    )
    trained(trainer, "eval_MicroF1@1")
    run = {query: {} for query in QUERIES}
    scores = model.predict([(QUERIES[query], OWN[query][document]) for query, document in PAIRS]).tolist()
    for (query, document), score in zip(PAIRS, scores, strict=True):
        run[query][document] = score
    assert evaluator(model) == pytest.approx(evaluate(GOLD, run, task="2", measures=["MicroF1@1", "AP"]).measures)


@pytest.mark.parametrize("by_batch", [False, True])
def test_the_trainer_of_hugging_face_chooses_by_an_official_measure(tiny, tmp_path, by_batch):
    tokenizer = transformers.AutoTokenizer.from_pretrained(tiny)
    ids = tokenizer(pairs()["a"][:], pairs()["b"][:])["input_ids"]  # of different lengths
    rows = [{"input_ids": of_row, "labels": int(label)} for of_row, label in zip(ids, LABELS, strict=True)]

    def trainer(**more):
        options = arguments(tmp_path, "eval_MicroF1") | {"per_device_eval_batch_size": 3, **more}
        return transformers.Trainer(
            model=transformers.AutoModelForSequenceClassification.from_pretrained(tiny, num_labels=2),
            args=transformers.TrainingArguments(**options, batch_eval_metrics=by_batch),
            train_dataset=rows, eval_dataset=rows, data_collator=transformers.DataCollatorWithPadding(tokenizer),
            compute_metrics=compute_metrics(GOLD, PAIRS, task="2"),
        )  # fmt: skip

    one = trainer()
    trained(one, "eval_MicroF1")
    if not by_batch:
        run = {query: [] for query in QUERIES}
        for (query, document), (no, yes) in zip(PAIRS, one.predict(rows).predictions.tolist(), strict=True):
            run[query] += [document] * (yes > no)
        assert one.evaluate()["eval_MicroF1"] == evaluate(GOLD, run, task="2", decisions=ZERO).measures["MicroF1"]
    name = "train_sampling_strategy" if hasattr(one.args, "train_sampling_strategy") else "group_by_length"
    with pytest.raises(UsageError):
        trainer(**{name: "group_by_length" if name.startswith("train") else True}).evaluate()
