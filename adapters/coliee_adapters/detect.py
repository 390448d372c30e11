"""What a file is, from its first bytes; and the two doors through which files are read.

A form is one row of ``FORMS``: its name, what it looks like, and its functions in the module of its family. To add a
form, write a module of the same shape (``sniff_…``, ``read_…``, ``write_…``) and add a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from coliee_adapters import case_law, descriptions, json_records, statute, tabular, tort, trec
from coliee_adapters.errors import InputError, UsageError, quoted
from coliee_adapters.files import Source
from coliee_adapters.records import Answers, Gold, IdRule, Run, normal_id

_Record = TypeVar("_Record", Gold, Run | Answers)


@dataclass(frozen=True, slots=True)
class Form(Generic[_Record]):
    """A form of file.

    Attributes:
        name: what ``--from`` and ``--to`` call it.
        looks: a line of it, for people.
        sniff: gives the name of the form that a file's first bytes show, or None.
        read: reads a file of this form, ids normalised by a rule.
    """

    name: str
    looks: str
    sniff: Callable[[bytes], str | None]
    read: Callable[[Source, IdRule], _Record]


def _tort_gold(source: Source, _: IdRule) -> Gold:
    return tort.gold(tort.read_cases(source), source.name)


def _tort_decisions(source: Source, _: IdRule) -> Answers:
    return tort.decisions(tort.read_cases(source), source.name, source.stem)


def _tort_claims(source: Source, _: IdRule) -> Run:
    return tort.claims(tort.read_cases(source), source.name, source.stem)


_TORT = '{"tort_id": "0", …}'
_JSON = '{"000001": ["000018", …]}'
_PAIR = '<dataset><pair id="H18-1-2" label="Y">…'

#: The forms of gold, in the order in which they are tried.
GOLD_FORMS: tuple[Form[Gold], ...] = (
    Form("tort", _TORT, tort.sniff, _tort_gold),
    Form("statute-xml", _PAIR, statute.sniff_gold, lambda source, _: statute.read_gold(source)),
    Form("xml", "<COLIEE task='1'><instance id='001'>…", case_law.sniff_gold, case_law.read_gold_xml),
    Form("json", _JSON, case_law.sniff_gold, json_records.read_gold),
    Form("labels", "R07-01-O Y", statute.sniff_gold, lambda source, _: statute.read_label_gold(source)),
    Form("table", "query_id,doc_id,relevance", tabular.sniff_gold, tabular.read_gold),
    Form("qrels", "R02-1-A 0 398-20 1", trec.sniff_gold, trec.read_gold),
)

#: The forms of submissions, in the order in which they are tried. The pilot's file is read for its decisions
#: (``tort``) or, if so asked, for its claims (``claims``).
RUN_FORMS: tuple[Form[Run | Answers], ...] = (
    Form("tort", _TORT, tort.sniff, _tort_decisions),
    Form("claims", _TORT, lambda _: None, _tort_claims),
    Form("labels", "R07-01-O Y TAG", statute.sniff_run, lambda source, _: statute.read_answers(source)),
    Form("json", _JSON, case_law.sniff_run, json_records.read_run),
    Form("table", "query_id,doc_id,score", tabular.sniff_run, tabular.read_run),
    Form("trec", "R02-1-A Q0 398-20 1 12.5 TAG", trec.sniff_run, trec.read_run),
    Form("columns", "000001 000018 TAG", case_law.sniff_run, case_law.read_run),
)


def gold_form(source: Source, name: str | None = None) -> Form[Gold]:
    """The form of a gold: the one named, or the one that its first bytes show.

    Raises:
        UsageError: there is no form of that name.
        InputError: the first bytes are of no known form.
    """
    return _form(GOLD_FORMS, "gold", source, name)


def run_form(source: Source, name: str | None = None) -> Form[Run | Answers]:
    """The form of a submission: the one named, or the one that its first bytes show.

    Raises:
        UsageError: there is no form of that name.
        InputError: the first bytes are of no known form.
    """
    return _form(RUN_FORMS, "run", source, name)


def _form(forms: tuple[Form[_Record], ...], kind: str, source: Source, name: str | None) -> Form[_Record]:
    if name is not None:
        for form in forms:
            if form.name == name:
                return form
        raise UsageError(f"there is no {kind} form {name!r}; there are {', '.join(form.name for form in forms)}")
    head = source.head()
    if descriptions.sniff(head):
        remedy = "leave it out: it is sent with the runs, and not scored"
        raise InputError(source.name, descriptions.PROBLEM, line=1, remedy=remedy)
    named = source.columns and tabular.header_of(source)
    for form in forms:
        if form.name == "table" if named else form.sniff(head) == form.name:
            return form
    content = head.lstrip()
    first = content.split(b"\n", 1)[0].decode("utf-8", errors="replace").strip()
    raise InputError(
        source.name,
        f"unrecognised {kind} format",
        line=1 + head.count(b"\n", 0, len(head) - len(content)),
        found=first,
        remedy="known are " + "; ".join(f"{form.name} ({quoted(form.looks)})" for form in forms),
    )


def read_gold(source: Source, *, form: str | None = None, rule: IdRule = normal_id) -> Gold:
    """Read a gold of any form.

    Args:
        source: the file.
        form: the name of its form; by default it is found from the first bytes.
        rule: how ids are normalised.

    Raises:
        UsageError: there is no form of that name.
        InputError: the file cannot be read.
    """
    return gold_form(source, form).read(source, rule)


def read_run(source: Source, *, form: str | None = None, rule: IdRule = normal_id) -> Run | Answers:
    """Read a submission of any form: documents (Run) or labels (Answers).

    Args and errors are those of ``read_gold``.
    """
    return run_form(source, form).read(source, rule)
