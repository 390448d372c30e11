"""From one form to another: files to TREC and back, records to dictionaries and frames. What is lost is said."""

from __future__ import annotations

import contextlib
import csv
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from io import TextIOBase
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, get_args

from coliee_adapters.checked import one_of, suggesting_keywords
from coliee_adapters.errors import InputError, MismatchError, Place, UsageError, quoted, shortened
from coliee_adapters.files.compressed import without_compression_ending
from coliee_adapters.files.source import PathLike, Source, is_folder
from coliee_adapters.files.writing import check_outputs, open_bytes_replacing, open_text_replacing
from coliee_adapters.forms import detect, model_text, parquet, tort
from coliee_adapters.forms.form import Form, FormContent
from coliee_adapters.forms.lines import counted
from coliee_adapters.forms.vocabulary import OF_GOLD, OF_RUN, GoldOrRun, checked_columns, roles_of
from coliee_adapters.records import Answers, Gold, Run, as_documents
from coliee_adapters.remarks import Remark
from coliee_ir.commands.convert.ids import AGGREGATES, joined, voted, written_like
from coliee_ir.commands.convert.records import to_frame, to_qrels, to_run
from coliee_ir.commands.convert.streams import Ordered
from coliee_ir.commands.convert.texts import write_statements
from coliee_ir.reading.anything import (
    check_columns,
    gold_files,
    in_order,
    joined_runs,
    keys_of,
    read_gold,
    read_queries,
    read_run,
    reads_as_gold,
    reads_as_run,
)
from coliee_ir.rules.choices import STATEMENTS, VOTE
from coliee_ir.rules.protocol import has_coliee_submissions, has_submissions, submission_rules, tag_fault, task_name

__all__ = [
    "AGGREGATES",
    "ANSWER_TARGETS",
    "GOLD_TARGET",
    "GOLD_TARGETS",
    "RUN_TARGET",
    "RUN_TARGETS",
    "convert",
    "to_frame",
    "to_qrels",
    "to_run",
    "write",
    "write_run",
]

#: what a gold has a place for, and what a run
_HOLDS: Final[dict[GoldOrRun, tuple[str, ...]]] = {
    "gold": ("documents", "labels", "levels"),
    "run": ("documents", "labels", "order", "scores", "tag"),
}


def _rows(kind: GoldOrRun, content: FormContent) -> Iterator[dict[str, Any]]:
    """The rows, by the names of their columns; where there are both documents and answers, one row a query."""
    tag = {"tag": content.tag} if kind == "run" else {}
    answer = "answer" if kind == "run" else "label"
    labels = {query: "Y" if label else "N" for query, label in (content.labels or {}).items()}
    if content.answers:
        yield from ({"query_id": query, answer: label, **tag} for query, label in labels.items())
        return
    if kind == "run" and labels:
        silent = {query: dict[str, float]() for query in labels if query not in content.documents}
        for query, ranking in chain(content.documents.items(), silent.items()):
            yield {"query_id": query, answer: labels.get(query), "documents": [*ranking], **tag}
        return
    number = "relevance" if kind == "gold" else "score" if content.scored else "rank"
    for query, ranking in content.documents.items():
        for rank, (document, value) in enumerate(ranking.items(), 1):
            yield {"query_id": query, "doc_id": document, number: rank if number == "rank" else value, **tag}


def _write_table(separator: str, kind: GoldOrRun, content: FormContent, stream: TextIOBase) -> None:
    for number, row in enumerate(_rows(kind, content)):
        if not number:
            writer = csv.DictWriter(stream, list(row), delimiter=separator, lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)


_WRITERS: Final[dict[str, Callable[[GoldOrRun, FormContent, Any], None]]] = {
    "csv": partial(_write_table, ","),
    "tsv": partial(_write_table, "\t"),
    "jsonl": lambda kind, content, stream: stream.writelines(
        json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(kind, content)
    ),
}


def _tables_of(kind: GoldOrRun) -> dict[str, Form]:
    """Name → form of golds or of runs, which is written and never found: what reads it calls it a table, or JSON."""
    return {
        name: Form(kind, name, "", lambda _: False, write=partial(write, kind), can_write=_HOLDS[kind])
        for name, write in _WRITERS.items()
    }


#: The forms that are written if none is named: of a gold, and of a submission.
GOLD_TARGET, RUN_TARGET = "qrels", "trec"

#: The forms that can be written: from a gold, from a run, from answers.
GOLD_TARGETS = {form.name: form for form in detect.known_forms("gold") if form.write} | _tables_of("gold")
RUN_TARGETS = {form.name: form for form in detect.known_forms("run") if form.write} | _tables_of("run")
ANSWER_TARGETS = {name: form for name, form in RUN_TARGETS.items() if "labels" in form.can_write}

#: Endings of files that name the form in which they are written; and the forms that can hold labels as such.
ENDINGS = ("json", "jsonl", "csv", "tsv", parquet.FORMAT)
_OF_LABELS = ("labels", *ENDINGS[1:])

#: Endings of any of the other forms.
_OF_TEXT: Final = ("txt", "run", "trec")

#: The forms of submissions whose run tag the organisers have rules for.
_SUBMITTED = ("columns", "labels")


@suggesting_keywords()
def convert(
    source: PathLike | list[PathLike],
    target: PathLike,
    *,
    form: str | None = None,
    to: str | None = None,
    tag: str | None = None,
    template: PathLike | None = None,
    columns: Mapping[str, str] | None = None,
    unreadable_answers: Literal["refuse", "wrong"] = "refuse",
    order: Literal["descending", "ascending"] = "descending",
    task: str | None = None,
    chunks: str | None = None,
    aggregate: str = "max",
    like: PathLike | None = None,
    corpus: PathLike | None = None,
) -> list[str]:
    """Convert a file; sentences that say what was written, what was tolerated, and what the new form cannot hold.

    Args:
        source: the file to read, or ``-``; or a folder of golds. Of several files, golds or runs with different queries
            become one, and so do the documents and the answers of a run.
        target: the file to write, or ``-``.
        form: the form of the source; by default it is found from its first bytes.
        to: the form to write; by default that of the target's ending (``.json``, ``.jsonl``, ``.csv``, ``.tsv``,
            ``.parquet``, ``.qrels``), else qrels for a gold, a TREC run for documents and ``labels`` for answers.
            Of a run with documents and answers, ``labels`` writes the answers and ``jsonl`` both. ``statements`` writes
            no gold or run but the texts of questions, of a folder of cases or of another corpus, a record each, as JSON
            Lines.
        tag: the run tag to write; by default the run's own.
        template: for ``tort``, the organisers' test file, which the submission repeats.
        columns: what the columns of a table are called, by role: see ``read_gold``.
        unreadable_answers: whether answers that are neither Y nor N are refused, or left out.
        order: ``ascending`` for a run whose lowest scores are best, or whose lists have the best document last; it is
            turned around.
        task: the task whose protocol says how the source is written; it is a gold where ``to`` is ``qrels``.
        chunks: a regular expression: what it matches is taken off the ids of documents, and passages of one document
            become it.
        aggregate: what a document's score is of those of its passages: ``max``, ``sum``, ``mean``, or ``first``, that
            of the passage with the least number. ``vote`` for several answers to a question, as of a model that is
            sampled: the answer that most of them give, and N where as many give the other.
        like: a gold, or the organisers' test file, as whose ids those of a run are written where only one can be meant.
        corpus: for ``statements``, the Civil Code, which has the texts of articles.

    Raises:
        InputError: the source cannot be read, or the target not written.
        UsageError: the source cannot become that; the target is a file that is read.
    """
    for name, value in (("form", form), ("to", to), ("tag", tag)):
        one_of(name, value, str | None, "a name")
    paths = list(source) if isinstance(source, list | tuple) else [source]
    for path in paths:
        one_of("source", path, str | os.PathLike, "a path, or a list of paths")
    check_outputs([target], [*paths, template, like, corpus])
    ending = without_compression_ending(os.fspath(target)).lower().rpartition(".")[2]
    if to == STATEMENTS:
        options = {"--like": like, "--chunks": chunks, "--template": template, "--tag": tag}
        if unfit := [name for name, value in options.items() if value]:
            raise UsageError("unfit-option", f"{unfit[0]} applies to runs; --to statements writes texts")
        if ending in ENDINGS and ending != "jsonl":
            raise UsageError("cannot-convert", f"--to statements writes JSON Lines: name {target} with .jsonl")
        return write_statements(paths, target, corpus)
    if chunks is None and aggregate not in ("max", VOTE):
        raise UsageError("unfit-option", f"--aggregate {aggregate} joins the scores of passages; name them: --chunks")
    if corpus is not None:
        raise UsageError("unfit-option", "--corpus gives the texts of articles; it needs --to statements")
    to = to or (ending if ending in (*ENDINGS, GOLD_TARGET) and template is None else None)
    files = [Source(path, columns=checked_columns(columns)) for named in paths for path in gold_files(named)]
    if columns:
        check_columns(files, columns)
    messages = list[str]()
    if to is None and Path(target).suffix and ending not in _OF_TEXT:
        default = f"a gold is written as {GOLD_TARGET}, a run as {RUN_TARGET}, answers as labels"
        messages.append(f".{ending} names no format: {default}; --to names another")
    of_run = (chunks, like, tag) != (None, None, None) or order == "ascending" or aggregate == VOTE
    folder = next(filter(is_folder, paths), None)
    if of_run and folder is not None:
        raise UsageError(
            "unfit-option", f"{folder} is a folder; --chunks, --like, --tag, vote and order=ascending take runs"
        )
    is_gold = folder is not None or (
        not of_run and (_is_gold(files[0], form, to) if task is None else to in (None, GOLD_TARGET))
    )
    if task is not None and to is None:
        raise UsageError(
            "option-needed", f"name the format to write: --to {GOLD_TARGET} for a gold, --to trec for a run"
        )
    if task is not None and folder is None:
        reads, reads_otherwise = (reads_as_gold, reads_as_run) if is_gold else (reads_as_run, reads_as_gold)
        if not reads(files[0], task=task) and reads_otherwise(files[0], task=task):
            what, form_of_it = ("run", RUN_TARGET) if is_gold else ("gold", GOLD_TARGET)
            raise UsageError(
                "option-needed", f"{files[0].name} is a {what} of this protocol: write it with --to {form_of_it}"
            )
    if is_gold:
        gold = read_gold(paths[0] if len(paths) == 1 and folder else files, task=task, form=form, columns=columns)
        return [*messages, *_write_gold(gold, target, to or GOLD_TARGET), *gold.remarks.sentences("convert")]
    if form == model_text.FORM:
        unreadable_answers = "wrong"  # the texts without an answer are named, and left out
    records: list[Run | Answers]
    if aggregate == VOTE and chunks is None:
        records = [voted(file, form) for file in files]
    else:
        records = [read_run(file, task=task, form=form, unreadable_answers=unreadable_answers) for file in files]
        for record in records:
            if form == model_text.FORM and isinstance(record, Answers) and not record.labels:
                remedy = "name the columns (--columns query=NAME,answer=NAME), or leave --from text out"
                raise InputError("no-result", record.path, "no text of this file holds an answer", remedy=remedy)
            if isinstance(record, Answers) and (both := record.remarks.examples("other-part")):
                problem = "this file holds answers and documents, which may be those of the gold"
                remedy = f"to write one of them or both, use {both[0]}; for the answers alone, only answer=NAME"
                raise InputError("ambiguous", record.path, problem, remedy=remedy)
    record, grouped = _join_records([in_order(record, order) for record in records], tag)
    messages += grouped
    if chunks is not None:
        if not isinstance(record, Run):
            raise UsageError("wrong-part", f"{record.path} holds answers; --chunks needs documents")
        record = joined(record, chunks, aggregate)
    if like is not None:
        record, changed = written_like(record, _ids_of(like, columns))
        messages += changed
    messages += write(record, target, to=to, tag=tag, template=template)
    of_model = files if form == model_text.FORM and aggregate != VOTE else []
    without = (answer for file in of_model for answer in model_text.read(file) if answer.label is None)
    for answer in without:
        messages.append(Remark.of("no-answer", place=answer.place, query=answer.query, text=quoted(answer.text)))
    return messages


def _ids_of(like: PathLike, columns: Mapping[str, str] | None) -> Gold:
    """The gold whose ids are taken; of the organisers' test file, its queries."""
    try:
        return read_gold(like, columns=columns)
    except InputError as error:
        if error.kind != "missing-label":
            raise
        return Gold({query: {} for query in read_queries(like)}, path=os.fspath(like))


def _join_records(records: Sequence[Run | Answers], tag: str | None) -> tuple[Run | Answers, list[str]]:
    """The run that lies in several files: for different queries, or its documents and answers; and messages."""
    if len(records) == 1:
        return records[0], []
    tags = list(dict.fromkeys(record.tag for record in records if record.tag != Source(record.path).stem))
    if tag is None and len(tags) > 1:
        problem = f"the files have {len(tags)} run tags ({', '.join(map(shortened, tags[:3]))})"
        raise UsageError("ambiguous", f"{problem}; --tag TAG makes one run of them")
    parts = [[record for record in records if isinstance(record, kind)] for kind in (Run, Answers)]
    first, *second = [part[0] if len(part) == 1 else joined_runs(part) for part in parts if part]
    name = tag or next(iter(tags), first.tag)
    row = "grouped.parts" if second else "grouped.queries"
    messages: list[str] = [Remark.of(row, [Path(record.path).name for record in records], tag=shortened(name))]
    return replace(first, tag=name, other_parts={"answers": second[0]} if second else first.other_parts), messages


def write(
    record: Run | Answers,
    target: PathLike,
    *,
    to: str | None = None,
    tag: str | None = None,
    template: PathLike | None = None,
    submitted: bool = False,
) -> list[str]:
    """Write a run or answers; sentences on what was written, tolerated, and cannot be held.

    Of a run with documents and answers, the part that the form is for. A submission (``submitted``) has its run tag
    content to the rules also in TREC's form.
    """
    name = to or (RUN_TARGET if isinstance(record, Run) else "labels")
    other = record.other_parts.get("answers" if name == "labels" else "documents")
    if other is not None and (name == "labels" or isinstance(record, Answers)):
        own = "answers" if isinstance(record, Answers) else "documents"
        record = replace(other, tag=record.tag, other_parts={**record.other_parts, own: record})
    tag = tag or "_".join(record.tag.split())  # a file's name, which stands for a tag that is not there, has blanks
    rule = tag_fault(tag) if to in _SUBMITTED or (submitted and name == RUN_TARGET) else ""
    is_written = "answers" if isinstance(record, Answers) or name == "jsonl" else name
    left = [part for part in record.other_parts if part not in (is_written, tort.NAMED)]
    if isinstance(record, Answers):
        messages, remarks = _write_answers(record, target, name, tag, template), record.remarks
    else:
        run = Ordered(record)
        answers = run.answers() if name in _OF_LABELS and not record.other_parts else None
        other = record.other_parts.get("answers") if name == "jsonl" else None
        labels = other.labels if isinstance(other, Answers) else None
        if answers is not None:
            messages, remarks = _write_answers(answers, target, name, tag, template), run.remarks
        else:
            messages, remarks = _write_run(run, target, name, tag, template, labels), run.remarks
    unfit = [Remark.of("bad-tag", rule=rule, tag=quoted(tag))] if rule else []
    return [*messages, *_dropped_parts(left, name), *unfit, *remarks.sentences("convert")]


@suggesting_keywords()
def write_run(
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
    one_of("tag", tag, str | None, "a name")
    one_of("run", run, Run, "a coliee_ir.Run; read_run makes one")
    task = task_name(task)
    form = submission_rules(task, edition).form if has_submissions(task) else RUN_TARGET
    if not form:
        raise UsageError("wrong-part", f"a submission to task {task} holds no documents")
    return write(run, target, to=form, tag=tag, submitted=has_coliee_submissions(task))


def _is_gold(file: Source, form: str | None, to: str | None) -> bool:
    if to is not None and to not in GOLD_TARGETS:
        return False
    of_gold, of_run = (not file.columns.keys().isdisjoint(roles) for roles in (OF_GOLD, OF_RUN))
    if to != GOLD_TARGET and of_gold != of_run:
        return of_gold
    sniffed = detect.form_by_head(file, "gold") or detect.form_by_head(file, "run")
    name = form or ("" if sniffed is None else sniffed.name)
    kinds: list[GoldOrRun] = [
        what for what in get_args(GoldOrRun) if name in (form.name for form in detect.known_forms(what))
    ]
    if len(kinds) > 1 and (keys := keys_of(file)):
        kinds = [what for what in kinds if _roles(keys, what, file)]
    names = keys_of(file) or detect.header_of(file)
    if "tag" in _roles(names, "run", file):
        return False
    kind = detect.kind_of(file) if name in ("table", "parquet") else kinds[0] if len(kinds) == 1 else None
    if kind is None and to in (None, *ENDINGS[1:]):
        if reads_as_run(file) and not reads_as_gold(file):
            return False
        if not name:
            detect.form_of(file, "run")  # which says what else it is
        from_qrels = "" if to is None else f", and write {to} from the qrels"
        remedy = f"use --tag TAG for a run, --to {GOLD_TARGET} for a gold{from_qrels}"
        raise UsageError("ambiguous", f"{file.name} could be a gold or a run: {remedy}")
    return to == "qrels" if kind is None else kind == "gold"


def _roles(names: Sequence[str], kind: GoldOrRun, file: Source) -> dict[str, int]:
    """The roles of columns of these names as those of a gold, or of a run; none where they cannot be that."""
    with contextlib.suppress(InputError):
        return roles_of(names, kind, Place(file.name), file.columns)
    return {}


def _left_out(what: str, n: int, where: str, examples: Collection[str] = ()) -> Iterator[str]:
    if n > 0:
        yield Remark.of("dropped", examples, n, what=counted(n, what).partition(" ")[2], form=where)


def _dropped_parts(parts: Collection[str], to: str) -> Iterator[str]:
    """That further parts of a record are left out."""
    if parts:
        yield Remark.of("dropped.parts", parts=" and ".join(parts), form=to)


def _write_gold(gold: Gold, target: PathLike, to: str) -> Iterator[str]:
    form = _form(to, GOLD_TARGETS, "a gold")
    _write_in_form(form, FormContent.gold(gold), target)
    qrels: Mapping[str, Mapping[str, int]] = gold.qrels or {}
    labels = gold.labels or {}
    judgements = sum(map(len, qrels.values()))
    if "documents" not in form.can_write:
        yield counted(len(labels or qrels), "label")
        yield from _left_out("relevant document", judgements if labels else 0, to)
        return
    if gold.qrels is None:  # each label is written as the one relevant document
        qrels, judgements, labels = as_documents(labels), len(labels), {}
    yield f"{counted(judgements, 'judgement')} of {counted(sum(map(bool, qrels.values())), 'query')}"
    yield from _left_out("label", len(labels), f"{to}; --to labels writes them")
    yield from _dropped_parts(gold.other_parts, to)
    if "empty" not in form.can_write:
        empty = [query for query, judged in qrels.items() if not judged]
        yield from _left_out("query without a relevant document", len(empty), to, empty)


def _write_run(
    run: Ordered, target: PathLike, to: str, tag: str, template: PathLike | None, labels: Mapping[str, bool] | None
) -> Iterator[str]:
    form = _form(to, RUN_TARGETS, "a run")
    if "documents" not in form.can_write:
        problem = f"{run.path} does not consist of labels: some documents are not one Y or N per query"
        remedy = "name the words of answers with --labels Y=YES,N=NO, their column with --columns answer=NAME"
        raise UsageError("wrong-part", f"{problem}; {remedy}")
    if form.uses_template:
        yield from _fill_claims(form, run, target, template)
        return
    _write_in_form(form, FormContent(run, labels, scored=run.scored, tag=tag), target)
    yield f"{counted(run.retrieved, 'document')} of {counted(len(run), 'query')}"
    if labels:
        yield counted(len(labels), "answer")
    yield from _left_out("repeated line", run.repeated, to)
    if "empty" not in form.can_write:
        empty = [query for query, n in run.lengths.items() if not n]
        yield from _left_out("query with nothing retrieved", len(empty), to, empty)
    if "order" not in form.can_write and not run.scored:
        yield "the scores are made from the order of lines"
    if run.scored and ("scores" not in form.can_write or labels):
        yield from _left_out("score", run.retrieved, f"{to}; the order is that of the scores")
    if "tag" not in form.can_write:
        yield Remark.of("dropped.tag", form=to)


def _write_answers(answers: Answers, target: PathLike, to: str, tag: str, template: PathLike | None) -> Iterator[str]:
    form = _form(to, ANSWER_TARGETS, "answers")
    _write_in_form(
        form, FormContent.submission(answers, tag, _template(template) if form.uses_template else None), target
    )
    yield _filled(answers.labels, template) if form.uses_template else counted(len(answers.labels), "answer")


def _fill_claims(form: Form, run: Ordered, target: PathLike, template: PathLike | None) -> Iterator[str]:
    """A submission of the pilot: what a run names is accepted, and an instance that it does not name has nothing."""
    file = _template(template)
    queries, rankings = [case.id for case in tort.read_cases(file)], dict(run.items())
    if queries and rankings and rankings.keys().isdisjoint(queries):
        examples = [", ".join(map(quoted, list(ids)[:3])) for ids in (rankings, queries)]
        raise MismatchError(
            "mismatch",
            run.path,
            f"no query of the run is in the template: the run has {examples[0]}; {template} has {examples[1]}",
            remedy="is the template that of another file, or the run of another task?",
        )
    accepted = {query: rankings.get(query, {}) for query in queries}
    _write_in_form(form, FormContent(accepted, scored=False, template=file), target)
    yield _filled(accepted, template)
    if silent := [query for query in queries if query not in rankings]:
        verb = "has" if len(silent) == 1 else "have"
        first = ", ".join(map(shortened, silent[:3]))
        yield f"{counted(len(silent), 'instance')} {verb} no accepted claim in the run (first: {first})"


def _template(path: PathLike | None) -> Source:
    if path is None:
        raise UsageError(
            "option-needed",
            "pilot submissions are written into the organisers' test file; give it with --template FILE",
        )
    return Source(path)


def _filled(instances: Collection[str], template: PathLike | None) -> str:
    return f"{counted(len(instances), 'instance')}, texts from {template}"


def _write_in_form(form: Form, content: FormContent, target: PathLike) -> None:
    assert form.write is not None  # as of all targets
    with open_bytes_replacing(target) if form.binary else open_text_replacing(target) as stream:
        form.write(content, stream)


def _form(to: str, targets: Mapping[str, Form], what: str) -> Form:
    if to not in targets:
        raise UsageError("cannot-convert", f"{what} cannot be written as {to!r}; it can as {', '.join(targets)}")
    return targets[to]
