"""From one form to another: files to TREC and back, records to dictionaries and frames. What is lost is said."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from coliee_adapters import case_law, detect, frames, statute, tort, trec
from coliee_adapters.errors import UsageError
from coliee_adapters.files import PathLike, Source, written
from coliee_adapters.records import Answers, Gold, Run
from coliee_ir.order import order_of
from coliee_ir.reading import read_gold, read_run

if TYPE_CHECKING:
    import pandas
    import polars

#: What can be written: from a gold, from a run, from answers. The first is the default.
GOLD_TARGETS = ("qrels", "json", "labels")
RUN_TARGETS = ("trec", "columns", "json", "tort")
ANSWER_TARGETS = ("trec", "labels", "tort")

#: The forms that can only be one of the two.
_ONLY_GOLD = frozenset({"statute-xml", "xml", "qrels"})
_ONLY_RUN = frozenset({"trec", "columns", "csv"})


def to_qrels(gold: object) -> dict[str, dict[str, int]]:
    """A gold as a dictionary for pytrec_eval, ir_measures and ranx.

    A gold of labels becomes one relevant document, ``Y`` or ``N``, a query. Queries without documents are left out:
    qrels cannot hold them.

    >>> to_qrels({"001": ["013.txt", "020.txt"]})
    {'001': {'013': 1, '020': 1}}

    Raises:
        InputError: the gold cannot be read.
    """
    record = read_gold(gold)
    if record.qrels is None:
        return {query: {_letter(label): 1} for query, label in (record.labels or {}).items()}
    return {query: dict(judged) for query, judged in record.qrels.items() if judged}


def to_run(run: object, *, task: str | None = None) -> dict[str, dict[str, float]]:
    """A run as a dictionary for pytrec_eval, ir_measures and ranx, documents in trec_eval's order.

    Where a run has an order and no scores, the i-th of n documents gets n - i, which float32 holds exactly. A repeated
    document is kept once. Queries with nothing retrieved are left out: trec_eval does not take them.

    >>> to_run({"001": ["013", "020"]})
    {'001': {'013': 2.0, '020': 1.0}}

    Raises:
        InputError: the run cannot be read.
    """
    record = read_run(run, task=task)
    if isinstance(record, Answers):
        return {query: {_letter(label): 1.0} for query, label in record.labels.items()}
    return {query: ranking for query, ranking in _rankings(record) if ranking}


@overload
def to_frame(held: Gold | Run | Answers, library: Literal["pandas"] = ...) -> pandas.DataFrame: ...
@overload
def to_frame(held: Gold | Run | Answers, library: Literal["polars"]) -> polars.DataFrame: ...
def to_frame(held: Gold | Run | Answers, library: str = "pandas") -> Any:
    """A record as a frame with ir_measures' columns: ``query_id``, ``doc_id``, ``relevance`` or ``score``.

    Args:
        held: what ``read_gold`` or ``read_run`` gives.
        library: ``pandas`` or ``polars``.

    Raises:
        ImportError: the library is not installed.
        UsageError: there is no such library.
    """
    columns: Mapping[str, Mapping[str, float]] = to_qrels(held) if isinstance(held, Gold) else to_run(held)
    rows = [(query, document, value) for query, ranking in columns.items() for document, value in ranking.items()]
    names = ["query_id", "doc_id", "relevance" if isinstance(held, Gold) else "score"]
    if library == "pandas":
        return frames.pandas_frame(rows, names)
    if library == "polars":
        return frames.polars_frame(rows, names)
    raise UsageError(f"there is no frame library {library!r}; there are pandas and polars")


def convert(
    source: PathLike,
    target: PathLike,
    *,
    form: str | None = None,
    to: str | None = None,
    tag: str | None = None,
    template: PathLike | None = None,
) -> Iterator[str]:
    """Convert a file, and say what was done and what the new form cannot hold.

    The file is written when the first sentence is asked for.

    Args:
        source: the file to read, or ``-``.
        target: the file to write, or ``-``.
        form: the form of the source; by default it is found from its first bytes.
        to: the form to write; by default qrels for a gold and a TREC run for a run.
        tag: the run tag to write; by default the run's own.
        template: for ``tort``, the organisers' test file, which the submission repeats.

    Raises:
        InputError: the source cannot be read, or the target not written.
        UsageError: the source cannot become that.
    """
    file = Source(source)
    if _is_gold(file, form, to):
        gold = read_gold(file, form=form)
        yield from _write_gold(gold, target, to or GOLD_TARGETS[0])
        return
    record = read_run(file, form=form)
    if isinstance(record, Answers):
        yield from _write_answers(record, target, to or ANSWER_TARGETS[0], tag or record.tag, template)
    else:
        yield from _write_run(record, target, to or RUN_TARGETS[0], tag or record.tag, template)


def _is_gold(file: Source, form: str | None, to: str | None) -> bool:
    if to in ("qrels", "json", "labels", None):
        name = form or _sniffed(file)
        if name in _ONLY_GOLD:
            return True
        if name in _ONLY_RUN:
            return False
        if to is None:
            raise UsageError(
                f"{file.name} can be a gold or a submission: say --to qrels (gold) or --to trec (submission)"
            )
        return to == "qrels"
    return False


def _sniffed(file: Source) -> str:
    head = file.head()
    sniffers = [(form.sniff, form.name) for form in detect.GOLD_FORMS]
    sniffers += [(form.sniff, form.name) for form in detect.RUN_FORMS]
    return next((name for sniff, name in sniffers if sniff(head) == name), "")


def _write_gold(gold: Gold, target: PathLike, to: str) -> Iterator[str]:
    _allow(to, GOLD_TARGETS, "a gold")
    qrels = to_qrels(gold)
    if to == "labels":
        if gold.labels is None:
            raise UsageError(f"{gold.path} holds no labels")
        with written(target) as stream:
            statute.write_answers(gold.labels, stream, "gold")
        yield f"{len(gold.labels)} labels"
        yield from _left_out("relevant documents", sum(map(len, (gold.qrels or {}).values())), "labels")
        return
    with written(target) as stream:
        if to == "qrels":
            trec.write_gold(qrels, stream)
        else:
            case_law.write_gold_json(_relevant(gold), stream)
    yield f"{sum(map(len, qrels.values()))} judgements of {len(qrels)} queries"
    if gold.qrels is not None and gold.labels is not None:
        yield from _left_out("labels", len(gold.labels), f"{to}; --to labels writes them")
    if to == "qrels":
        empty = [query for query, judged in (gold.qrels or {}).items() if not judged]
        yield from _left_out("queries without a relevant document", len(empty), "qrels", empty)
    else:
        lost = [level for judged in qrels.values() for level in judged.values() if level != 1]
        yield from _left_out("relevance levels other than 1", len(lost), "json, which lists what is relevant")


def _relevant(gold: Gold) -> dict[str, list[str]]:
    """The relevant documents of each query, of all queries."""
    qrels = gold.qrels if gold.qrels is not None else to_qrels(gold)
    return {query: [document for document, level in judged.items() if level > 0] for query, judged in qrels.items()}


def _write_run(run: Run, target: PathLike, to: str, tag: str, template: PathLike | None) -> Iterator[str]:
    _allow(to, RUN_TARGETS, "a run")
    rankings = dict(_rankings(run))
    if to == "tort":
        yield from _fill(target, template, None, {query: set(ranking) for query, ranking in rankings.items()})
        return
    with written(target) as stream:
        if to == "trec":
            trec.write_run(rankings.items(), tag, stream)
        elif to == "columns":
            case_law.write_run(rankings.items(), tag, stream)
        else:
            case_law.write_gold_json(rankings, stream)
    retrieved = sum(map(len, rankings.values()))
    yield f"{retrieved} documents of {len(rankings)} queries"
    read = sum(len(block.documents) for block in run.blocks())
    yield from _left_out("repeated lines", read - retrieved, to)
    if to != "json":
        empty = [query for query, ranking in rankings.items() if not ranking]
        yield from _left_out("queries with nothing retrieved", len(empty), to, empty)
    if to == "trec" and not run.scored:
        yield "the scores are made from the order of lines"
    if to in ("columns", "json") and run.scored:
        yield from _left_out("scores", retrieved, f"{to}; the order is that of the scores")
    if to == "json":
        yield "the run tag is left out: json has no place for it"


def _write_answers(answers: Answers, target: PathLike, to: str, tag: str, template: PathLike | None) -> Iterator[str]:
    _allow(to, ANSWER_TARGETS, "answers")
    if to == "tort":
        yield from _fill(target, template, dict(answers.labels), None)
        return
    with written(target) as stream:
        if to == "labels":
            statute.write_answers(answers, stream, tag)
        else:
            trec.write_run(to_run(answers).items(), tag, stream)
    yield f"{len(answers.labels)} answers"


def _fill(
    target: PathLike,
    template: PathLike | None,
    decisions: Mapping[str, bool] | None,
    accepted: Mapping[str, Collection[str]] | None,
) -> Iterator[str]:
    if template is None:
        raise UsageError("a submission of the pilot repeats the test file: give it with --template FILE")
    with written(target) as stream:
        tort.fill(Source(template), decisions, accepted, stream)
    yield f"{len(decisions or accepted or {})} instances, texts from {template}"


def _left_out(what: str, n: int, where: str, examples: Collection[str] = ()) -> Iterator[str]:
    if n > 0:
        shown = f" (first: {', '.join(list(examples)[:3])})" if examples else ""
        yield f"{n} {what} left out{shown}: there is no place for them in {where}"


def _allow(to: str, targets: tuple[str, ...], what: str) -> None:
    if to not in targets:
        raise UsageError(f"{what} cannot be written as {to!r}; it can as {', '.join(targets)}")


def _rankings(run: Run) -> Iterator[tuple[str, dict[str, float]]]:
    """Query by query the documents in trec_eval's order, each once, with a score."""
    gathered: dict[str, dict[str, float]] = {}
    for block in run.blocks():
        scores = [0.0] * len(block.documents) if block.scores is None else np.asarray(block.scores).tolist()
        for query, first, last in block.segments():
            ranking = gathered.setdefault(query, {})
            for document, score in zip(block.documents[first:last], scores[first:last], strict=True):
                if document not in ranking or score > ranking[document]:
                    ranking[document] = score
    for query, ranking in gathered.items():
        documents = list(ranking)
        if not run.scored:
            yield query, {document: float(len(documents) - at) for at, document in enumerate(documents)}
            continue
        order = order_of(documents, list(ranking.values()))
        yield query, {documents[at]: ranking[documents[at]] for at in order}


def _letter(label: bool) -> str:
    return "Y" if label else "N"
