"""A submission to a shared task of others, whose rules are those that its protocol file states."""

from __future__ import annotations

import re
from collections import Counter

from coliee_adapters.records import Answers, Run
from coliee_ir.commands.validate.known import Known, Pool
from coliee_ir.commands.validate.sheet import Sheet
from coliee_ir.reading.anything import read_run_by


def stated(sheet: Sheet) -> None:
    """What was read of a file has all parts, and its ids are those that there are, or of the form that is stated."""
    record, rules, known = (
        read_run_by(sheet.source, sheet.protocol, unreadable_answers="wrong"),
        sheet.rules,
        sheet.known,
    )
    main = "documents" if isinstance(record, Run) else "answers"
    parts = {main: record, **record.beside}
    if missing := [part for part in sheet.protocol.parts if part not in parts]:
        sheet.add("part-missing", missing=" and ".join(missing), remedy="add what the protocol asks for")
    queries: dict[str, None] = {}
    for part, held in parts.items():
        if isinstance(held, Answers):
            queries |= dict.fromkeys((*held.labels, *held.unreadable))
            for query in held.unreadable:
                sheet.add("label-unknown", found=query)
        else:
            queries |= dict.fromkeys(_documents(sheet, held, part, known if part == main else Known()))
    told = set[str]()
    for query in queries:
        _check_id(sheet, "query", query, known.queries, rules.query_pattern, told)
    for query in known.asked or ():
        if query not in queries:
            sheet.add("query-missing", found=query)


def _check_id(sheet: Sheet, kind: str, text: str, pool: Pool | None, pattern: str, told: set[str]) -> None:
    """An id is among those that there are, of which one may be meant, or has the form that is stated."""
    if pool is not None and text not in pool:
        if text in told:
            return
        told.add(text)
        meant = pool.meant(text)
        remedy = f"{meant.remedy}; here {meant.text}" if meant is not None and meant.sure else ""
        sheet.add(f"{kind}-unknown", found=text, remedy=remedy)
    elif pattern and not re.fullmatch(pattern, text):
        sheet.add(f"{kind}-form", found=text, remedy=f"ids have the form {pattern}")


def _documents(sheet: Sheet, run: Run, part: str, known: Known) -> list[str]:
    """Check the documents of a part; its queries."""
    rules, add, not_itself = sheet.rules, sheet.add, sheet.protocol.not_itself
    of_part = "" if part == "documents" or len(sheet.protocol.parts) == 1 else f" ({part})"
    listed: dict[str, list[str]] = {}
    for block in run.blocks():
        for query, first, last in block.segments():
            listed.setdefault(query, []).extend(block.documents[first:last])
    told = set[str]()
    for query, documents in listed.items():
        if not documents:
            add("empty-list", found=f"{query}{of_part}")
        for document, times in Counter(documents).items():
            for _ in range(times - 1):
                add("duplicate", found=f"{query} {document}{of_part}")
            if document == query and not_itself:
                add("self-retrieved", found=query)
            _check_id(sheet, "document", document, known.documents(query), rules.document_pattern, told)
        if rules.most_documents is not None and len(documents) > rules.most_documents:
            add("too-many", found=f"{query}: {len(documents)} documents{of_part}", most=rules.most_documents)
    return list(listed)
