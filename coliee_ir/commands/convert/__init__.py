"""From one form to another: files to TREC and back, records to dictionaries and frames. What is lost is said."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from coliee_adapters import case_law, detect, frames, statute, tabular, tort, trec
from coliee_adapters.errors import MismatchError, UsageError, quoted, shortened
from coliee_adapters.files import PathLike, Source, check_outputs, written
from coliee_adapters.inputs import GoldLike, RunLike
from coliee_adapters.lines import counted
from coliee_adapters.records import Answers, Gold, Run
from coliee_adapters.remarks import Remarks
from coliee_adapters.vocabulary import checked_columns
from coliee_ir.judging.order import order_of
from coliee_ir.rules.protocol import SIX, submission_rules, task_name, unfit_tag
from coliee_ir.scoring.reading import check_columns, read_gold, read_run

if TYPE_CHECKING:
    import pandas
    import polars

#: What can be written: from a gold, from a run, from answers. The first is the default.
GOLD_TARGETS = ("qrels", "json", "labels")
RUN_TARGETS = ("trec", "columns", "json", "labels", "tort")
ANSWER_TARGETS = ("trec", "labels", "tort")

#: The forms of submissions that have a run tag.
_SUBMITTED = ("columns", "labels")

#: The forms that can only be one of the two.
_ONLY_GOLD = frozenset({"statute-xml", "xml", "qrels"})
_ONLY_RUN = frozenset({"trec", "columns"})


def to_qrels(
    gold: GoldLike, *, task: str | int | None = None, columns: Mapping[str, str] | None = None
) -> dict[str, dict[str, int]]:
    """A gold as a dictionary for pytrec_eval, ir_measures and ranx: plain dict, str and int.

    A gold of labels becomes one relevant document, ``Y`` or ``N``, a query. Queries without documents are left out:
    qrels cannot hold them.

    Args:
        gold: what ``read_gold`` takes.
        task: the task, where it is known; in ``trec``, ids stay as they stand, as they do in ``to_run``.
        columns: what the columns of tables and frames are called, by role: see ``read_gold``.

    >>> to_qrels({"001": ["013.txt", "020.txt"]})
    {'001': {'013': 1, '020': 1}}

    Raises:
        InputError: the gold cannot be read.
    """
    record = read_gold(gold, task=task, columns=columns)
    if record.qrels is None:
        return {query: {_letter(label): 1} for query, label in (record.labels or {}).items()}
    return {
        query: {document: int(level) for document, level in judged.items()}
        for query, judged in record.qrels.items()
        if judged
    }


def to_run(
    run: RunLike,
    *,
    task: str | int | None = None,
    by_rank: bool = False,
    columns: Mapping[str, str] | None = None,
) -> dict[str, dict[str, float]]:
    """A run as a dictionary for pytrec_eval, ir_measures and ranx, documents in trec_eval's order.

    It holds plain dict, str and float. Where a run has an order and no scores, the i-th of n documents gets n - i,
    which float32 holds exactly. A repeated document is kept once. Queries with nothing retrieved are left out:
    trec_eval does not take them.

    Args:
        run: what ``read_run`` takes.
        task: the task, where it is known; in ``trec``, ids stay as they stand.
        by_rank: give every run scores of the form n - i. The order is then trec_eval's in any tool, also where scores
            are equal, which ranx puts in an order of its own.
        columns: what the columns of tables and frames are called, by role: see ``read_gold``.

    >>> to_run({"001": ["013", "020"]})
    {'001': {'013': 2.0, '020': 1.0}}
    >>> to_run({"001": {"013": 0.5, "020": 0.5}}, by_rank=True)
    {'001': {'020': 2.0, '013': 1.0}}

    Raises:
        InputError: the run cannot be read.
    """
    record = read_run(run, task=task, columns=columns)
    if isinstance(record, Answers):
        return {query: {_letter(label): 1.0} for query, label in record.labels.items()}
    rankings = {query: ranking for query, ranking in Gathered(record).rankings.items() if ranking}
    return {query: _by_rank(ranking) for query, ranking in rankings.items()} if by_rank else rankings


def _by_rank(documents: Collection[str]) -> dict[str, float]:
    return {document: float(len(documents) - at) for at, document in enumerate(documents)}


@overload
def to_frame(held: Gold | Run | Answers, library: Literal["pandas"] = ...) -> pandas.DataFrame: ...
@overload
def to_frame(held: Gold | Run | Answers, library: Literal["polars"]) -> polars.DataFrame: ...
def to_frame(held: Gold | Run | Answers, library: str = "pandas") -> Any:
    """A record as a frame with ir_measures' columns: ``query_id``, ``doc_id``, ``relevance`` or ``score``.

    ``read_gold`` and ``read_run`` take it back. What ``to_qrels`` and ``to_run`` leave out is not in it either:
    queries without documents, and the labels beside documents.

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
    columns: Mapping[str, str] | None = None,
) -> list[str]:
    """Convert a file; sentences that say what was written, what was tolerated, and what the new form cannot hold.

    Args:
        source: the file to read, or ``-``.
        target: the file to write, or ``-``.
        form: the form of the source; by default it is found from its first bytes.
        to: the form to write; by default qrels for a gold and a TREC run for a run.
        tag: the run tag to write; by default the run's own.
        template: for ``tort``, the organisers' test file, which the submission repeats.
        columns: what the columns of a table are called, by role: see ``read_gold``.

    Raises:
        InputError: the source cannot be read, or the target not written.
        UsageError: the source cannot become that; the target is a file that is read.
    """
    check_outputs([target], [source, template])
    file = Source(source, columns=checked_columns(columns))
    if columns:
        check_columns([file], file.columns)
    if _is_gold(file, form, to):
        gold = read_gold(file, form=form)
        return [*_write_gold(gold, target, to or GOLD_TARGETS[0]), *gold.remarks.sentences(_DONE)]
    return write(read_run(file, form=form), target, to=to, tag=tag, template=template)


def write(
    record: Run | Answers,
    target: PathLike,
    *,
    to: str | None = None,
    tag: str | None = None,
    template: PathLike | None = None,
    submitted: bool = False,
) -> list[str]:
    """Write a run or answers; sentences that say what was written, what was tolerated, and what the form cannot hold.

    Args:
        record: what to write.
        target: the file to write, or ``-``.
        to: the form to write; by default a TREC run.
        tag: the run tag to write; by default the record's own.
        template: for ``tort``, the organisers' test file, which the submission repeats.
        submitted: whether this is a submission also in TREC's form, so that a run tag is held to the rules.

    Raises:
        InputError: the run cannot be read, or the target not written.
        UsageError: the record cannot become that.
    """
    named = "_".join(record.tag.split())  # a file's name, which stands for a tag that is not there, may have blanks
    unfit = _unfit(tag or named) if to in _SUBMITTED or (submitted and to == "trec") else []
    if isinstance(record, Answers):
        said = _write_answers(record, target, to or ANSWER_TARGETS[0], tag or named, template)
        return [*said, *unfit, *record.remarks.sentences(_DONE)]
    gathered = Gathered(record)
    answers = gathered.answers() if to == "labels" else None
    if answers is not None:
        said = _write_answers(answers, target, "labels", tag or named, template)
    else:
        said = _write_run(gathered, target, to or RUN_TARGETS[0], tag or named, template)
    return [*said, *unfit, *gathered.remarks.sentences(_DONE)]


def _unfit(tag: str) -> list[str]:
    """What the rules of a submission have against its run tag."""
    fault = unfit_tag(tag)
    return [f"{fault}, and {quoted(tag)} is not: name another with --tag"] if fault else []


#: What conversion does about what is tolerated, where that is left open.
_DONE = {"duplicate": "(is|are) written once"}


def write_submission(
    run: Run,
    target: PathLike,
    *,
    task: str | int | None = None,
    edition: str | int | None = None,
    tag: str | None = None,
) -> list[str]:
    """Write a run in the columns that the organisers ask for: three, or TREC's six; six where no task is named.

    Args:
        run: what to write; documents in trec_eval's order.
        target: the file; ``-`` is standard output, ``.gz`` compresses.
        task: the task.
        edition: the year whose rules count; by default the newest.
        tag: the run tag; by default the run's own.

    Returns:
        What was written, and what the form cannot hold, in sentences.

    Raises:
        InputError: the run cannot be read, or the place not be written.
        UsageError: the task's submissions hold no documents; an id or the tag is not one word.
    """
    task = task_name(task)
    columns = SIX if task in (None, "trec") else submission_rules(task, edition).columns
    if not columns:
        raise UsageError(f"a submission to task {task} holds no documents")
    form = "trec" if columns == SIX else "columns"
    return write(run, target, to=form, tag=tag, submitted=task not in (None, "trec"))


def _is_gold(file: Source, form: str | None, to: str | None) -> bool:
    if to in ("qrels", "json", "labels", None):
        name = form or _sniffed(file)
        if name == "table":
            name = {"gold": "qrels", "run": "trec"}.get(tabular.kind_of(file) or "", name)
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
    if file.columns and tabular.header_of(file):
        return "table"
    sniffers = [(form.sniff, form.name) for form in detect.GOLD_FORMS]
    sniffers += [(form.sniff, form.name) for form in detect.RUN_FORMS]
    return next((name for sniff, name in sniffers if sniff(head) == name), "")


def _write_gold(gold: Gold, target: PathLike, to: str) -> Iterator[str]:
    _allow(to, GOLD_TARGETS, "a gold")
    qrels = to_qrels(gold)
    if to == "labels":
        labels = gold.labels if gold.labels is not None else _labels(_relevant(qrels))
        if labels is None:
            raise UsageError(f"{gold.path} holds no labels")
        with written(target) as stream:
            statute.write_answers(labels, stream, "gold")
        yield counted(len(labels), "label")
        if gold.labels is not None:
            yield from _left_out("relevant document", sum(map(len, (gold.qrels or {}).values())), "labels")
        return
    everything = gold.qrels if gold.qrels is not None else qrels
    with written(target) as stream:
        if to == "qrels":
            trec.write_gold(qrels, stream)
        else:
            case_law.write_json(_listed(everything), stream)
    yield f"{counted(sum(map(len, qrels.values())), 'judgement')} of {counted(len(qrels), 'query')}"
    if gold.qrels is not None and gold.labels is not None:
        yield from _left_out("label", len(gold.labels), f"{to}; --to labels writes them")
    if to == "qrels":
        empty = [query for query, judged in everything.items() if not judged]
        yield from _left_out("query without a relevant document", len(empty), "qrels", empty)


def _listed(qrels: Mapping[str, Mapping[str, int]]) -> Mapping[str, Iterable[str]] | Mapping[str, Mapping[str, int]]:
    """COLIEE's form, lists, if every document is simply relevant; else with the levels."""
    if all(level == 1 for judged in qrels.values() for level in judged.values()):
        return {query: list(judged) for query, judged in qrels.items()}
    return qrels


def _relevant(qrels: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, float]]:
    return {
        query: {document: 1.0 for document, level in judged.items() if level > 0} for query, judged in qrels.items()
    }


def _labels(rankings: Mapping[str, Mapping[str, float]]) -> dict[str, bool] | None:
    """The labels that documents named Y and N stand for; None if anything else is there."""
    if not all(len(documents) == 1 and next(iter(documents)) in ("Y", "N") for documents in rankings.values()):
        return None
    return {query: "Y" in documents for query, documents in rankings.items()}


def _write_run(run: Gathered, target: PathLike, to: str, tag: str, template: PathLike | None) -> Iterator[str]:
    _allow(to, RUN_TARGETS, "a run")
    if to == "labels":
        raise UsageError(f"{run.path} holds other documents than one Y or N a query: they are no labels")
    if to == "tort":
        yield from _fill_claims(run, target, template)
        return
    with written(target) as stream:
        if to == "trec":
            trec.write_run(run.rankings.items(), tag, stream)
        elif to == "columns":
            case_law.write_run(run.rankings.items(), tag, stream)
        else:
            scored = {query: list(ranking) for query, ranking in run.rankings.items()}
            case_law.write_json(run.rankings if run.scored else scored, stream)
    yield f"{counted(run.retrieved, 'document')} of {counted(len(run.rankings), 'query')}"
    yield from _left_out("repeated line", run.lines - run.retrieved, to)
    if to != "json":
        empty = [query for query, ranking in run.rankings.items() if not ranking]
        yield from _left_out("query with nothing retrieved", len(empty), to, empty)
    if to == "trec" and not run.scored:
        yield "the scores are made from the order of lines"
    if to == "columns" and run.scored:
        yield from _left_out("score", run.retrieved, f"{to}; the order is that of the scores")
    if to == "json":
        yield "the run tag is left out: json has no place for it"


def _fill_claims(run: Gathered, target: PathLike, template: PathLike | None) -> Iterator[str]:
    """A submission of the pilot: what a run names is accepted, and an instance that it does not name has nothing."""
    cases = [] if template is None else tort.read_cases(Source(template))
    if cases and run.rankings and run.rankings.keys().isdisjoint(case.id for case in cases):
        shown = [", ".join(map(quoted, list(ids)[:3])) for ids in (run.rankings, [case.id for case in cases])]
        problem = f"no query of the run is in the template: the run has {shown[0]}; {template} has {shown[1]}"
        raise MismatchError(
            run.path, problem, remedy="is the template that of another file, or the run of another task?"
        )
    accepted = {case.id: set(run.rankings.get(case.id, ())) for case in cases}
    yield from _fill(target, template, None, accepted)
    silent = [case.id for case in cases if case.id not in run.rankings]
    if silent:
        verb = "has" if len(silent) == 1 else "have"
        first = ", ".join(map(shortened, silent[:3]))
        yield f"{counted(len(silent), 'instance')} {verb} no accepted claim in the run (first: {first})"


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
    yield counted(len(answers.labels), "answer")


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
    yield f"{counted(len(decisions or accepted or {}), 'instance')}, texts from {template}"


def _left_out(what: str, n: int, where: str, examples: Collection[str] = ()) -> Iterator[str]:
    if n > 0:
        shown = f" (first: {', '.join(map(shortened, list(examples)[:3]))})" if examples else ""
        yield f"{counted(n, what)} left out{shown}: there is no place for {'it' if n == 1 else 'them'} in {where}"


def _allow(to: str, targets: tuple[str, ...], what: str) -> None:
    if to not in targets:
        raise UsageError(f"{what} cannot be written as {to!r}; it can as {', '.join(targets)}")


class Gathered:
    """A run in memory: query by query the documents in trec_eval's order, each once, with a score."""

    def __init__(self, run: Run) -> None:
        self.scored, self.path = run.scored, run.path
        self.lines = 0
        self.remarks = Remarks()
        self._numbered = run.scored  # or by ranks, where blocks have numbers though the run has no scores
        best: dict[str, dict[str, float]] = {}
        for block in run.blocks():
            self.lines += len(block.documents)
            self.remarks += block.remarks or Remarks()
            self._numbered = self._numbered or block.scores is not None
            scores = np.zeros(len(block.documents)) if block.scores is None else np.asarray(block.scores, np.float64)
            for query, first, last in block.segments():
                ranking = best.setdefault(query, {})
                for document, score in zip(block.documents[first:last], scores[first:last].tolist(), strict=True):
                    if document not in ranking or score > ranking[document]:
                        ranking[document] = score
        self.rankings = {query: self._ordered(ranking) for query, ranking in best.items()}
        self.retrieved = sum(map(len, self.rankings.values()))

    def _ordered(self, ranking: dict[str, float]) -> dict[str, float]:
        documents = list(ranking)
        if self._numbered:
            documents = [documents[at] for at in order_of(documents, list(ranking.values()))]
        return {document: ranking[document] for document in documents} if self.scored else _by_rank(documents)

    def answers(self) -> Answers | None:
        """The labels that the run stands for, if its documents are Y and N."""
        labels = _labels(self.rankings)
        return None if labels is None else Answers(labels, path=self.path)


def _letter(label: bool) -> str:
    return "Y" if label else "N"
