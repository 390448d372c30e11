"""A submission to another task than COLIEE's, held to what its protocol file states."""

from __future__ import annotations

import re
from collections import Counter

from coliee_adapters.records import Answers, Run
from coliee_ir.commands.validate.findings import Add
from coliee_ir.commands.validate.known import Known, Pool
from coliee_ir.rules.protocol import Protocol, SubmissionRules


def check_stated(record: Run | Answers, protocol: Protocol, rules: SubmissionRules, known: Known, add: Add) -> None:
    """Check what was read of one file."""
    main = "documents" if isinstance(record, Run) else "answers"
    parts = {main: record, **record.beside}
    if missing := [part for part in protocol.parts if part not in parts]:
        add("part-missing", missing=" and ".join(missing), remedy="add what the protocol asks for")
    queries: dict[str, None] = {}
    for part, held in parts.items():
        if isinstance(held, Answers):
            queries |= dict.fromkeys((*held.labels, *held.unreadable))
            for query in held.unreadable:
                add("label-unknown", found=query)
        else:
            found = _check_documents(held, part, protocol, rules, known if part == main else Known(), add)
            queries |= dict.fromkeys(found)
    for query in queries:
        if known.queries is not None and query not in known.queries:
            _add_unknown("query", query, known.queries, add)
        elif rules.query_pattern and not re.fullmatch(rules.query_pattern, query):
            add("query-form", found=query, remedy=f"ids have the form {rules.query_pattern}")
    for query in known.asked or ():
        if query not in queries:
            add("query-missing", found=query)


def _add_unknown(kind: str, text: str, pool: Pool, add: Add) -> None:
    """Add an id that there is not, and what it was meant to be where only one can be meant."""
    meant = pool.meant(text)
    remedy = f"{meant.remedy}; here {meant.text}" if meant is not None and meant.sure else ""
    add(f"{kind}-unknown", found=text, remedy=remedy)


def _check_documents(
    run: Run, part: str, protocol: Protocol, rules: SubmissionRules, known: Known, add: Add
) -> list[str]:
    """Check the documents of a part; its queries."""
    of_part = "" if part == "documents" or len(protocol.parts) == 1 else f" ({part})"
    listed: dict[str, list[str]] = {}
    for block in run.blocks():
        for query, first, last in block.segments():
            listed.setdefault(query, []).extend(block.documents[first:last])
    strange: dict[str, None] = {}
    for query, documents in listed.items():
        if not documents:
            add("empty-list", found=f"{query}{of_part}")
        for document, times in Counter(documents).items():
            for _ in range(times - 1):
                add("duplicate", found=f"{query} {document}{of_part}")
            if document == query and protocol.not_itself:
                add("self-retrieved", found=query)
            pool = known.documents(query)
            if pool is not None and document not in pool and document not in strange:
                strange[document] = None
                _add_unknown("document", document, pool, add)
            elif rules.document_pattern and not re.fullmatch(rules.document_pattern, document):
                add("document-form", found=document, remedy=f"ids have the form {rules.document_pattern}")
        if rules.most_documents is not None and len(documents) > rules.most_documents:
            add("too-many", found=f"{query}: {len(documents)} documents{of_part}", most=rules.most_documents)
    return list(listed)
