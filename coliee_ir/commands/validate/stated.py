"""A submission to a shared task of others, whose rules are those that its protocol file states."""

from __future__ import annotations

import re
from collections import Counter

from coliee_adapters.records import Answers, Run
from coliee_ir.commands.validate.known import Known, Pool
from coliee_ir.commands.validate.sheet import Sheet
from coliee_ir.reading.anything import read_run_by


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
