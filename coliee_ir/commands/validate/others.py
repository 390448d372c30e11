"""Files that are not in COLIEE's columns: the pilot's instances, and what the protocol files of others state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from typing import Final

from coliee_adapters.errors import InputError
from coliee_adapters.forms import tort
from coliee_adapters.forms.tort import TortCase
from coliee_adapters.records import Answers, Run, normal_id
from coliee_ir.commands.validate.reading import NO_UTF8
from coliee_ir.commands.validate.sheet import Known, Pool, Sheet
from coliee_ir.reading.anything import read_run_by
from coliee_ir.rules.protocol import protocol

#: the rules that a single null breaks, and that nothing but nulls breaks
_DECISIONS: Final = ("null-decision", "no-decisions")
_CLAIMS: Final = ("null-acceptance", "no-acceptances")

_ID: Final = re.compile(r'"tort_id"\s*:\s*(?:"([^"\\]*)"|([0-9]+))')


def claims(sheet: Sheet) -> None:
    """The instances of a file are those of the test file, each once, with all its decisions."""
    cases: dict[str, TortCase] = {}
    broken: set[str] = set()  # instances of which nothing can be said
    if not sheet.ended:
        sheet.add("no-newline", len(sheet.lines))
    for line, content in enumerate(sheet.lines, start=1):
        if not content.strip(" \t\r"):
            continue
        try:
            _, case = tort.read_instance(NO_UTF8.sub("?", content), sheet.name, line)
        except InputError as error:
            sheet.add(
                "instance", line, error.column, error.found, remedy=f"{error.problem}; {error.remedy or 'correct it'}"
            )
            broken.update(normal_id(found[1] or found[2] or "") for found in _ID.finditer(content))
            continue
        if case.id in cases:
            sheet.add("instance-twice", line, found=case.id)
        cases.setdefault(case.id, case)
    _check_nulls(sheet, cases.values())
    if sheet.context.queries:
        asked = {case.id: case for file in sheet.context.queries for case in tort.read_cases(file)}
        _compare(sheet, cases, asked, broken)


def _check_nulls(sheet: Sheet, cases: Collection[TortCase]) -> None:
    """A null disqualifies for its task; where all are null, the file may be meant for the other task alone."""
    decisions = [(case.line, case.id, case.court_decision) for case in cases]
    claims = [
        (case.line, f"{case.id}, {claim.side} claim {claim.id}", claim.is_accepted)
        for case in cases
        for claim in case.claims
    ]
    values = {task: claims if protocol(task).claims else decisions for task in sheet.context.tasks}
    entered = {task for task in values if any(value is not None for *_, value in values[task])}
    for task, entries in values.items():
        single_null, only_nulls = _CLAIMS if protocol(task).claims else _DECISIONS
        if entered and entries and task not in entered:
            sheet.add(only_nulls)
            continue
        for line, found, value in entries:
            if value is None:
                sheet.add(single_null, line, found=found)


def _compare(sheet: Sheet, cases: dict[str, TortCase], asked: dict[str, TortCase], broken: set[str]) -> None:
    """What the organisers' file has and the submission has not, and the other way."""
    for instance in asked:
        if instance not in cases and instance not in broken:
            sheet.add("instance-missing", found=instance)
    for instance, case in cases.items():
        if instance not in asked:
            sheet.add("instance-unknown", case.line, found=instance)
            continue
        sent, wanted = _claims(case), _claims(asked[instance])
        for rule, those, others in (("claim-missing", wanted, sent), ("claim-unknown", sent, wanted)):
            for claim, name in those.items():
                if claim not in others:
                    sheet.add(rule, case.line, found=f"{instance}, {name}")


def _claims(case: TortCase) -> dict[str, str]:
    """The claims of an instance, each with what to call it."""
    return {claim.document: f"{claim.side} claim {claim.id}" for claim in case.claims}


def check_protocol(sheet: Sheet) -> None:
    """What was read of a file has all parts, and its ids are those that there are, or of the form that is stated."""
    protocol, rules, known = sheet.context.protocol, sheet.context.rules, sheet.context.known
    record = read_run_by(sheet.source, protocol, unreadable_answers="wrong")
    main = "documents" if isinstance(record, Run) else "answers"
    parts = {main: record, **record.other_parts}
    if missing := [part for part in protocol.parts if part not in parts]:
        sheet.add("part-missing", missing=" and ".join(missing), remedy="add what the protocol asks for")
    for part, rows in parts.items():
        if isinstance(rows, Answers):
            sheet.counts.update((*rows.labels, *rows.unreadable))
            for query in rows.unreadable:
                sheet.add("label-unknown", found=query)
        else:
            sheet.counts.update(_check_documents(sheet, rows, part, known if part == main else Known()))
    for query in sheet.counts:
        if rule := _wrong(query, known.queries, rules.query_pattern, "query-form", "query-unknown"):
            sheet.add(rule, found=query, remedy=_remedy(query, known.queries, rules.query_pattern))


def _wrong(text: str, pool: Pool | None, pattern: str, form: str, unknown: str) -> str:
    """The rule that an id breaks: to be among those that there are, or of the form that is stated."""
    if pool is not None and text not in pool:
        return unknown
    return form if pattern and not re.fullmatch(pattern, text) else ""


def _remedy(text: str, pool: Pool | None, pattern: str) -> str:
    if pool is None or text in pool:
        return f"ids have the form {pattern}"
    meant = pool.respelled(text)
    return f"{meant.remedy}; here {meant.text}" if meant is not None and meant.sure else ""


def _check_documents(sheet: Sheet, run: Run, part: str, known: Known) -> list[str]:
    """Check the documents of a part; its queries."""
    rules, add, protocol = sheet.context.rules, sheet.add, sheet.context.protocol
    of_part = "" if part == "documents" or len(protocol.parts) == 1 else f" ({part})"
    listed: dict[str, list[str]] = {}
    for block in run.blocks():
        for query, first, last in block.segments():
            listed.setdefault(query, []).extend(block.documents[first:last])
    unknown = set[str]()
    for query, documents in listed.items():
        pool = known.documents(query)
        if not documents:
            add("empty-list", found=f"{query}{of_part}")
        for document, times in Counter(documents).items():
            for _ in range(times - 1):
                add("duplicate", found=f"{query} {document}{of_part}")
            if document == query and protocol.not_itself:
                add("self-retrieved", found=query)
            rule = _wrong(document, pool, rules.document_pattern, "document-form", "document-unknown")
            if rule and document not in unknown:
                add(rule, found=document, remedy=_remedy(document, pool, rules.document_pattern))
            if rule == "document-unknown":
                unknown.add(document)
        if rules.most_documents is not None and len(documents) > rules.most_documents:
            add("too-many", found=f"{query}: {len(documents)} documents{of_part}", most=rules.most_documents)
    return list(listed)
