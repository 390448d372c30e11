"""Official measures in training loops: for the Trainer of Hugging Face, and for sentence-transformers.

What is given here has the form in which transformers 4.36 to 5 and sentence-transformers 3 to 6 call it. Of these only
the base class of evaluators is imported, where it is installed: trainers of sentence-transformers ask for it.

>>> metrics = compute_metrics({"001": ["013"]}, [("001", "013"), ("001", "018")], task="2")
>>> metrics(([[-1.0, 2.0], [1.5, -0.5]], [1, 0]))["MicroF1"]
1.0
"""

from __future__ import annotations

import contextlib
import csv
import importlib
import inspect
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any, Final, Self, Unpack, cast

import numpy as np
import numpy.typing as npt

from coliee_adapters.checked import in_order, texts
from coliee_adapters.errors import ScoreWarning, UsageError
from coliee_adapters.records import GoldLike, normal_id
from coliee_adapters.remarks import Remark, Remarks
from coliee_ir.measures import Measure
from coliee_ir.reading.basis import Rules, suggesting_rules
from coliee_ir.scoring.evaluator import Evaluator
from coliee_ir.scoring.scores import warn_of_doubts

__all__ = ["RankingEvaluator", "compute_metrics"]

_Array = npt.NDArray[np.float64]

#: how many queries similarities are computed for at once
_AT_ONCE: Final = 64

#: how many documents of each query are kept by default
_TOP: Final = 100


@suggesting_rules
def compute_metrics(
    gold: GoldLike,
    rows: Sequence[tuple[str, str]] | Sequence[str],
    measures: str | Sequence[str] = (),
    *,
    threshold: float | None = 0.0,
    **rules: Unpack[Rules],
) -> Callable[[Any], dict[str, float]]:
    """What the Trainer takes as ``compute_metrics``: official measures from the predictions of a classifier.

    Args:
        gold: what ``read_gold`` takes.
        rows: what each row of the evaluation set is about, in its order: (query, document), or a query that is
            answered Y or N.
        measures: names of measures; by default the official ones. The Trainer puts ``eval_`` before their names.
        threshold: documents with a greater score are retrieved. With two classes, the score is the logit of the second
            less that of the first, and 0 is where the second is the more probable one; with one class it is the
            prediction itself. None keeps all documents, as a ranking, whose measures of sets need a cutoff.
        rules: see ``coliee_ir.Rules``.

    Returns:
        A function of what the Trainer gives: an object with ``predictions`` and ``label_ids``, or (predictions,
        labels); with ``batch_eval_metrics`` batch by batch, and ``compute_result`` with the last one. Labels 0 and 1
        that the gold contradicts are refused (``UsageError``): the order of the rows is then another one.

    Raises:
        InputError: the gold cannot be read.
        UsageError: a task, an edition or a measure that does not exist or does not fit.
    """
    evaluator = Evaluator(gold, measures, **rules)
    rules["decisions"] = replace(evaluator.decisions, no_overlap="zero")
    of_nothing = Evaluator(gold, measures, **rules)
    if threshold is None:
        _check_cutoffs(evaluator, "threshold=0.0")
    rows = list(in_order("rows", rows, "a list"))  # what zip gives would be used up by the first evaluation
    expected = _expected(evaluator, rows)
    seen = Counter(row if isinstance(row, str) else tuple(row) for row in rows)
    if twice := next((row for row, n in seen.items() if n > 1), None):
        raise UsageError("duplicate", f"two rows are about {twice!r}: join their predictions, or give one of them")
    batches: list[tuple[list[float], list[float]]] = []

    def metrics(evaluated: Any, compute_result: bool = True) -> dict[str, float]:
        predictions, labels = (
            (evaluated.predictions, evaluated.label_ids) if hasattr(evaluated, "predictions") else evaluated[:2]
        )
        batches.append((_scores(predictions), _labels(labels)))
        if not compute_result:
            return {}
        scores, label_values = ([value for batch in batches for value in batch[part]] for part in (0, 1))
        batches.clear()
        if len(scores) != len(rows):
            raise UsageError(
                "shape", f"{len(scores)} predictions for {len(rows)} rows: name the rows of the evaluation set"
            )
        _check_order(rows, label_values, expected)
        if not_numbers := sum(score != score for score in scores):
            warnings.warn(str(Remark.of("not-a-number", n=not_numbers, rows=len(rows))), ScoreWarning, stacklevel=2)
        if threshold is not None and scores and threshold < min(scores) and max(scores) <= 1.0 and min(scores) >= 0.0:
            remark = Remark.of("all-retrieved", n=len(scores), threshold=threshold)
            warnings.warn(str(remark), ScoreWarning, stacklevel=2)
        if rows and isinstance(rows[0], str):
            answers = {str(query): score > (threshold or 0.0) for query, score in zip(rows, scores, strict=True)}
            return evaluator.evaluate(answers).measures
        rankings: dict[str, dict[str, float]] = {}
        for (query, document), score in zip(rows, scores, strict=True):
            ranking = rankings.setdefault(query, {})
            if score > threshold if threshold is not None else score == score:  # NaN, of a model that diverged, is not
                ranking[document] = score
        # a model may retrieve nothing at first
        return (evaluator if any(rankings.values()) else of_nothing).evaluate(rankings).measures

    return metrics


def _measured(evaluator: Evaluator) -> Sequence[Measure]:
    """The measures that are computed."""
    return evaluator.asked_measures or evaluator.official


def _check_cutoffs(evaluator: Evaluator, otherwise: str) -> None:
    """Refuse measures of sets for rankings that nothing cuts."""
    for measure in _measured(evaluator):
        if not measure.ranked and getattr(measure, "cutoff", 0) is None:
            raise UsageError("unfit-measure", f"{measure} needs a cutoff: name {measure}@5, or give {otherwise}")


def _expected(evaluator: Evaluator, rows: Sequence[tuple[str, str]] | Sequence[str]) -> list[bool | None]:
    """For each row whether the gold says 1; None where it does not know the query."""
    labels, qrels = evaluator.gold.labels or {}, evaluator.gold.qrels or {}
    expected: list[bool | None] = []
    for row in rows:
        if isinstance(row, str):
            expected.append(labels.get(normal_id(row)))
        else:
            query, document = (normal_id(str(name)) for name in row)
            expected.append(None if query not in qrels else qrels[query].get(document, 0) >= 1)
    return expected


def _check_order(
    rows: Sequence[tuple[str, str]] | Sequence[str], labels: Sequence[float], expected: Sequence[bool | None]
) -> None:
    """Refuse labels 0 and 1 that the gold contradicts: then the predictions are not in the order of the rows."""
    if len(labels) != len(rows) or not {0.0, 1.0}.issuperset(labels):
        return
    for row, label, in_gold in zip(rows, labels, expected, strict=True):
        if in_gold is not None and bool(label) != in_gold:
            raise UsageError(
                "conflicting",
                f"the label of {row!r} is {label:g} in the evaluation set and {int(in_gold)} in the gold: name the "
                "rows in the order of the evaluation set, and do not sample by length (group_by_length), which changes "
                "it",
            )


def _array(values: Any) -> _Array:
    """An array of numpy's, also of a tensor on another device, as the Trainer gives them batch by batch."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().float()
    return np.asarray(values, dtype=np.float64)


def _labels(labels: Any) -> list[float]:
    """The labels, where there is one a row."""
    if labels is None or isinstance(labels, tuple):
        return []
    array = _array(labels)
    values: list[float] = array.reshape(-1).tolist() if array.ndim == 1 or array.shape[1:] == (1,) else []
    return values


def _scores(predictions: Any) -> list[float]:
    """One score a row, from logits of one class or two; of a tuple, as models with further outputs give, the first."""
    array = _array(predictions[0] if isinstance(predictions, tuple) else predictions)
    if array.ndim == 2 and array.shape[1] == 2:
        array = array[:, 1] - array[:, 0]
    elif array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise UsageError("shape", f"predictions have one or two columns, not the shape {array.shape}")
    scores: list[float] = array.tolist()
    return scores


def _evaluator_base_class() -> type | None:
    """The base class of the evaluators of sentence-transformers, if these are installed."""
    for module, name in (("base.evaluation", "BaseEvaluator"), ("evaluation", "SentenceEvaluator")):
        with contextlib.suppress(ImportError):
            return cast(type, getattr(importlib.import_module(f"sentence_transformers.{module}"), name))
    return None


class RankingEvaluator:
    """An evaluator for sentence-transformers: the documents ranked for each query by cosine or a cross-encoder, scored.

    It is called as theirs are, ``evaluator(model, output_path, epoch, steps)``, and has their attributes, so that
    ``SentenceTransformerTrainer(…, evaluator=…)`` and ``load_best_model_at_end`` take it. The model's ``encode_query``
    and ``encode_document`` are used where it has them, else ``encode``; of a cross-encoder, ``predict`` on pairs.

    Args:
        gold: what ``read_gold`` takes.
        queries: query → text.
        documents: document → text; for a task where each query has documents of its own, query → document → text.
        measures: names of measures, the first of which chooses the best model; by default the official ones.
        top: how many documents of each query are kept; by default 100, so that ``AP`` is AP@100. Measures of sets
            need a cutoff, ``MicroF1@5``, or this.
        name: what stands before the measures' names.
        batch_size: as ``encode`` takes it.
        write_csv: whether a row for each evaluation is appended to ``COLIEE_evaluation_NAME_results.csv`` in the
            ``output_path`` of the call, as their evaluators do.
        rules: see ``coliee_ir.Rules``; by default the queries that have a text are scored.
    """

    greater_is_better = True
    description = "COLIEE"

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """An evaluator of the class that the trainers ask for."""
        base = _evaluator_base_class()
        class_made = (
            cls if base is None or issubclass(cls, base) else cast(type[Self], type(cls.__name__, (cls, base), {}))
        )
        return object.__new__(class_made)

    @suggesting_rules
    def __init__(
        self,
        gold: GoldLike,
        queries: Mapping[str, str],
        documents: Mapping[str, str] | Mapping[str, Mapping[str, str]],
        measures: str | Sequence[str] = (),
        *,
        top: int | None = None,
        name: str = "",
        batch_size: int = 32,
        write_csv: bool = True,
        **rules: Unpack[Rules],
    ) -> None:
        are_named = "only" in rules
        rules.setdefault("only", texts("queries", list(queries), "texts by the ids of their queries, which are texts"))
        self.evaluator = Evaluator(gold, measures, **rules)
        self.queries, self.documents = queries, documents
        self.are_shared = all(isinstance(document, str) for document in documents.values())
        if top is None:
            _check_cutoffs(self.evaluator, "top=5")
        self.top, self.name, self.batch_size = _TOP if top is None else top, name, batch_size
        self.write_csv = write_csv
        self.csv_file = f"COLIEE_evaluation{'_' if name else ''}{name}_results.csv"
        self.primary_metric = self._metric_name(_measured(self.evaluator)[0].name)
        warn_of_doubts([] if are_named else [*self._lacking().sentences()])

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """The measures of a model, by name; they also go to the CSV file and the model card."""
        scores = self.evaluator.evaluate(self.rankings(model))
        if output_path is not None and self.write_csv:
            self._append(Path(output_path), [epoch, steps], scores.measures)
        metrics = {self._metric_name(name): value for name, value in scores.measures.items()}
        if (card := getattr(model, "model_card_data", None)) is not None:
            takes_step = "epoch" in inspect.signature(card.set_evaluation_metrics).parameters
            card.set_evaluation_metrics(self, metrics, *((epoch, steps) if takes_step else ()))
        return metrics

    def get_config_dict(self) -> dict[str, Any]:
        """What a model card says of how it was evaluated."""
        return {"task": self.evaluator.task, "edition": self.evaluator.edition, "top": self.top}

    def _lacking(self) -> Remarks:
        """The queries of the gold that are left out, having no text."""
        evaluator, remarks = self.evaluator, Remarks()
        known = set(map(evaluator.id_of, self.queries))
        remarks.each("no-text", sorted(evaluator.excluded.difference(known, evaluator.protocol.exclude)))
        return remarks

    def _append(self, folder: Path, when: list[float], measures: Mapping[str, float]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.csv_file
        is_new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerows([["epoch", "steps", *measures]] if is_new else [])
            writer.writerow([*when, *measures.values()])

    def rankings(self, model: Any) -> dict[str, dict[str, float]]:
        """Query → document → cosine, or a cross-encoder's score, best first.

        Where all queries share the documents, or the protocol says so, a query is not among its own: there one id is
        one text. Elsewhere query 013 and its paragraph 013 have nothing to do with each other.
        """
        return {query: self._best(query, names, row) for query, names, row in self._similarities(model)}

    def _similarities(self, model: Any) -> Iterator[tuple[str, list[str], _Array]]:
        """Each query with the ids of its documents, and how near each is to it."""
        shared = list(self.documents) if self.are_shared else []
        if hasattr(model, "encode"):
            of_queries = self._encoded(model, "encode_query", list(self.queries.values()))
        elif any(isinstance(document, str) for document in self.documents.values()):
            raise UsageError(
                "shape", "a cross-encoder scores pairs: give the candidates of each query, query → document → text"
            )
        if shared:
            vectors = self._encoded(model, "encode_document", list(map(str, self.documents.values())))
            for start in range(0, len(of_queries), _AT_ONCE):
                queries = list(self.queries)[start : start + _AT_ONCE]
                yield from zip(queries, repeat(shared), of_queries[start : start + _AT_ONCE] @ vectors.T)
            return
        for i, (query, text) in enumerate(self.queries.items()):
            own: Any = self.documents.get(query, {})
            row = np.zeros(0)
            if own and hasattr(model, "encode"):
                row = self._encoded(model, "encode_document", list(own.values())) @ of_queries[i]
            elif own:
                pairs = [[text, document] for document in own.values()]
                row = np.asarray(_scores(model.predict(pairs, batch_size=self.batch_size, show_progress_bar=False)))
            yield query, list(own), row

    def _best(self, query: str, names: Sequence[str], row: _Array) -> dict[str, float]:
        order = np.argsort(-row, kind="stable").tolist()
        if self.are_shared or self.evaluator.protocol.not_itself:
            id_of = self.evaluator.id_of
            order = [i for i in order if id_of(names[i]) != id_of(query)]
        return {names[i]: float(row[i]) for i in order[: self.top] if not np.isnan(row[i])}

    def _encoded(self, model: Any, method: str, texts: list[str]) -> _Array:
        """Vectors of length 1; shape (texts, dimensions)."""
        encode = getattr(model, method, model.encode)
        vectors = np.asarray(
            encode(texts, batch_size=self.batch_size, show_progress_bar=False, convert_to_numpy=True), dtype=np.float64
        )
        length = np.linalg.norm(vectors, axis=-1, keepdims=True)
        return np.asarray(vectors / np.where(length > 0, length, 1.0))

    def _metric_name(self, measure: str) -> str:
        return f"{self.name}_{measure}" if self.name else measure
