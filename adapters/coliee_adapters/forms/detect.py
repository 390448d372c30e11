"""What a file is, from its first bytes; and the two doors through which files are read.

A form is one row of ``GOLD_FORMS`` or ``RUN_FORMS``: its name, what it looks like, its functions in the module of its
family, and what it has a place for. To add a form, write a module of the same shape (``sniff_…``, ``read_…``,
``write_…``) and add a row: it is then read, converted to and from, and offered by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from io import TextIOBase
from typing import Any, BinaryIO, Final, Generic, TypeVar

from coliee_adapters.classes import NamedTuple
from coliee_adapters.descriptions import system_description as descriptions
from coliee_adapters.errors import InputError, UsageError, quoted
from coliee_adapters.files.source import Source
from coliee_adapters.forms import case_law, json_records, parquet, statute, tabular, tort, trec
from coliee_adapters.forms.vocabulary import Kind
from coliee_adapters.records import Answers, Gold, IdRule, Ranked, Run, as_documents, as_labels, normal_id

_Record = TypeVar("_Record", Gold, Run | Answers)
_Written = TypeVar("_Written")


class Submitted(NamedTuple):
    """What a form of submissions writes: documents or answers, the run tag, and the file that it fills, if it does."""

    held: Ranked | Answers
    tag: str
    template: Source | None = None

    @property
    def documents(self) -> Mapping[str, Mapping[str, float]]:
        """Query → document → score; an answer is the document ``Y`` or ``N``."""
        if isinstance(self.held, Ranked):
            return self.held.rankings
        return as_documents(self.held.labels)


class Form(NamedTuple, Generic[_Record, _Written]):
    """A form of file."""

    name: str  # what ``--from`` and ``--to`` call it
    looks: str  # a line of it, for people
    sniff: Callable[[bytes], str | None]  # gives the name of the form that a file's first bytes show, or None
    read: Callable[[Source, IdRule], _Record]  # reads a file of this form, ids normalised by a rule
    # writes what is held (a Gold, or a Submitted) in this form; None if nothing is written in it
    write: Callable[[_Written, Any], None] | None = None
    # what a written file of this form has a place for: ``documents``, ``labels`` (as such or as documents named Y and
    # N), ``levels`` of relevance, ``order`` without scores, ``scores``, ``tag``, ``empty`` (queries with nothing
    # retrieved). What it has no place for is left out, and conversion says so
    holds: Collection[str] = ()
    fills: bool = False  # whether it repeats another file, a template
    binary: bool = False  # whether it is no text; then ``write`` writes bytes


def _tort_gold(source: Source, _: IdRule) -> Gold:
    return tort.gold(tort.read_cases(source), source.name)


def _tort_decisions(source: Source, _: IdRule) -> Answers:
    return tort.decisions(tort.read_cases(source), source.name, source.stem)


def _tort_claims(source: Source, _: IdRule) -> Run:
    return tort.claims(tort.read_cases(source), source.name, source.stem)


def _model_text(source: Source, rule: IdRule) -> Answers:
    from coliee_adapters.forms import model_text  # whose patterns take a while to load

    return model_text.read_answers(source, rule)


def _judgements(gold: Gold) -> Mapping[str, Mapping[str, int]]:
    return as_documents(gold.labels or {}) if gold.qrels is None else gold.qrels


def _write_gold_json(gold: Gold, stream: TextIOBase) -> None:
    qrels = _judgements(gold)
    flat = all(level == 1 for judged in qrels.values() for level in judged.values())
    case_law.write_json({query: list(judged) for query, judged in qrels.items()} if flat else qrels, stream)


def _labels(gold: Gold) -> Mapping[str, bool] | None:
    """The labels of a gold, also where they stand as the one relevant document."""
    if gold.labels is not None:
        return gold.labels
    relevant = {
        query: {document: level for document, level in judged.items() if level > 0}
        for query, judged in (gold.qrels or {}).items()
    }
    return as_labels({query: judged for query, judged in relevant.items() if (gold.qrels or {})[query]})


def _write_gold_labels(gold: Gold, stream: TextIOBase) -> None:
    labels = _labels(gold)
    if labels is None:
        raise UsageError("wrong-part", f"{gold.path} holds no labels")
    statute.write_answers(labels, stream, "gold")


def _write_tort(submitted: Submitted, stream: TextIOBase) -> None:
    assert submitted.template is not None  # the form fills one
    if isinstance(submitted.held, Answers):
        tort.fill(submitted.template, submitted.held.labels, None, stream)
    else:
        tort.fill(submitted.template, None, submitted.documents, stream)


def _write_labels(submitted: Submitted, stream: TextIOBase) -> None:
    labels = as_labels(submitted.documents)
    if labels is None:
        problem = "this run does not consist of labels: some documents are not one Y or N per query"
        raise UsageError("wrong-part", problem)
    statute.write_answers(labels, stream, submitted.tag)


def _write_json(submitted: Submitted, stream: TextIOBase) -> None:
    scored = isinstance(submitted.held, Ranked) and submitted.held.scored
    lists = {query: list(ranking) for query, ranking in submitted.documents.items()}
    case_law.write_json(submitted.documents if scored else lists, stream)


def _write_gold_parquet(gold: Gold, stream: BinaryIO) -> None:
    labels = None if gold.labels and gold.qrels is not None else _labels(gold)
    if labels:
        parquet.write_labels(labels, stream)
    else:
        parquet.write_gold(_judgements(gold), stream)


def _write_parquet(submitted: Submitted, stream: BinaryIO) -> None:
    if isinstance(submitted.held, Answers):
        parquet.write_labels(submitted.held.labels, stream, submitted.tag)
        return
    scored = submitted.held.scored
    parquet.write_run(submitted.documents.items(), submitted.tag, stream, scored=scored)


def header_of(source: Source) -> list[str]:
    """The names of the columns of a table; none of other files."""
    return parquet.names_of(source) if parquet.sniff(source.head()) else tabular.header_of(source)


def kind_of(source: Source) -> Kind | None:
    """Whether a table can only be a gold, or only a run; None if it can be either."""
    return parquet.kind_of(source) if parquet.sniff(source.head()) else tabular.kind_of(source)


def holds_answers(source: Source) -> bool:
    """Whether the columns of a run, which is a table, are those of answers and not of documents."""
    return parquet.holds_answers(source) if parquet.sniff(source.head()) else tabular.holds_answers(source)


#: what language models wrote; never found by its first bytes
MODEL_TEXT: Final = "text"

_TORT = '{"tort_id": "0", …}'
_JSON = '{"000001": ["000018", …]}'
_PAIR = '<dataset><pair id="H18-1-2" label="Y">…'

#: The forms of gold, in the order in which they are tried.
GOLD_FORMS: tuple[Form[Gold, Gold], ...] = (
    Form(
        parquet.FORMAT,
        "Parquet: query_id, doc_id, relevance",
        parquet.sniff,
        parquet.read_gold,
        write=_write_gold_parquet,
        holds=("documents", "labels", "levels"),
        binary=True,
    ),
    Form("tort", _TORT, tort.sniff, _tort_gold),
    Form("statute-xml", _PAIR, statute.sniff_gold, lambda source, _: statute.read_gold(source)),
    Form("xml", "<COLIEE task='1'><instance id='001'>…", case_law.sniff_gold, case_law.read_gold_xml),
    Form(
        "json",
        _JSON,
        case_law.sniff_gold,
        json_records.read_gold,
        write=_write_gold_json,
        holds=("documents", "labels", "levels", "empty"),
    ),
    Form(
        "labels",
        "R07-01-O Y",
        statute.sniff_gold,
        lambda source, _: statute.read_label_gold(source),
        write=_write_gold_labels,
        holds=("labels",),
    ),
    Form("table", "query_id,doc_id,relevance", tabular.sniff_gold, tabular.read_gold),
    Form(
        "qrels",
        "R02-1-A 0 398-20 1",
        trec.sniff_gold,
        trec.read_gold,
        write=lambda gold, stream: trec.write_gold(_judgements(gold), stream),
        holds=("documents", "labels", "levels"),
    ),
)

#: The forms of submissions, in the order in which they are tried. The pilot's file is read for its decisions
#: (``tort``) or, if so asked, for its claims (``claims``).
RUN_FORMS: tuple[Form[Run | Answers, Submitted], ...] = (
    Form(
        parquet.FORMAT,
        "Parquet: query_id, doc_id, score",
        parquet.sniff,
        parquet.read_run,
        write=_write_parquet,
        holds=("documents", "labels", "order", "scores", "tag"),
        binary=True,
    ),
    Form(
        "tort",
        _TORT,
        tort.sniff,
        _tort_decisions,
        write=_write_tort,
        holds=("documents", "labels", "order", "empty"),
        fills=True,
    ),
    Form("claims", _TORT, lambda _: None, _tort_claims),
    Form(
        "labels",
        "R07-01-O Y TAG",
        statute.sniff_run,
        lambda source, _: statute.read_answers(source),
        write=_write_labels,
        holds=("labels", "order", "tag"),
    ),
    Form(
        "json",
        _JSON,
        case_law.sniff_run,
        json_records.read_run,
        write=_write_json,
        holds=("documents", "order", "scores", "empty"),
    ),
    Form(MODEL_TEXT, "R07-01-O The answer is Yes.", lambda _: None, _model_text),
    Form("table", "query_id,doc_id,score", tabular.sniff_run, tabular.read_run),
    Form(
        "trec",
        "R02-1-A Q0 398-20 1 12.5 TAG",
        trec.sniff_run,
        trec.read_run,
        write=lambda run, stream: trec.write_run(run.documents.items(), run.tag, stream),
        holds=("documents", "labels", "scores", "tag"),
    ),
    Form(
        "columns",
        "000001 000018 TAG",
        case_law.sniff_run,
        case_law.read_run,
        write=lambda run, stream: case_law.write_run(run.documents.items(), run.tag, stream),
        holds=("documents", "order", "tag"),
    ),
)


def gold_form(source: Source, name: str | None = None) -> Form[Gold, Gold]:
    """The form of a gold: the one named, or the one that its first bytes show."""
    return _form(GOLD_FORMS, "gold", source, name)


def run_form(source: Source, name: str | None = None) -> Form[Run | Answers, Submitted]:
    """The form of a submission: the one named, or the one that its first bytes show."""
    return _form(RUN_FORMS, "run", source, name)


def _form(
    forms: tuple[Form[_Record, _Written], ...], kind: str, source: Source, name: str | None
) -> Form[_Record, _Written]:
    if name is not None:
        for form in forms:
            if form.name == name:
                return form
        problem = f"unknown {kind} format {name!r}; the formats are {', '.join(form.name for form in forms)}"
        raise UsageError("unknown-name", problem)
    known = (kind, *source.columns.items())
    if (found := source.forms.get(known)) is not None:
        return next(form for form in forms if form.name == found)
    head = source.head()
    if descriptions.sniff(head):
        remedy = "leave it out: it is sent with the runs, and not scored"
        raise InputError("unknown-format", source.name, descriptions.PROBLEM, line=1, remedy=remedy)
    named = source.columns and not parquet.sniff(head) and tabular.header_of(source)
    for form in forms:
        if form.name == "table" if named else form.sniff(head) == form.name:
            source.forms[known] = form.name
            return form
    content = head.lstrip()
    first = content.split(b"\n", 1)[0].decode("utf-8", errors="replace").strip()
    raise InputError(
        "unknown-format",
        source.name,
        f"unrecognised {kind} format",
        line=1 + head.count(b"\n", 0, len(head) - len(content)),
        found=first,
        remedy="known formats: " + "; ".join(f"{form.name} ({quoted(form.looks)})" for form in forms),
    )


def read_gold(source: Source, *, form: str | None = None, rule: IdRule = normal_id) -> Gold:
    """Read a gold of any form."""
    return gold_form(source, form).read(source, rule)


def read_run(source: Source, *, form: str | None = None, rule: IdRule = normal_id) -> Run | Answers:
    """Read a submission of any form: documents (Run) or labels (Answers).

    Args and errors are those of ``read_gold``.
    """
    return run_form(source, form).read(source, rule)
