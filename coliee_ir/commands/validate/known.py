"""What there is to be found: the ids of the queries, and of the documents of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from coliee_adapters.corpora import Corpus
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import content_lines, split_columns
from coliee_adapters.records import Answers, Run
from coliee_ir.commands.validate.findings import Add
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.judging.mismatch import Respelling, respelled
from coliee_ir.rules.protocol import Protocol, SubmissionRules
from coliee_ir.scoring.reading import read_queries


class Pool:
    """Ids that there are, and what an id that is not among them was meant to be."""

    def __init__(self, ids: Iterable[str], where: str) -> None:
        self._ids = dict.fromkeys(ids)
        self._width = max(map(len, self._ids), default=0)
        self._where = where
        self._meant: dict[str, Respelling | None] = {}

    def __contains__(self, text: str) -> bool:
        return text in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def meant(self, text: str) -> Respelling | None:
        """The known id that this one was probably meant to be."""
        if text not in self._meant:
            self._meant[text] = respelled(text, self._ids, self._width, self._where)
        return self._meant[text]


class Known:
    """The ids of queries and documents, as far as they were given."""

    def __init__(
        self, queries: Sequence[Source] = (), corpus: PathLike | None = None, rules: Protocol | None = None
    ) -> None:
        ids = (query for file in queries for query in read_queries(file, rules=rules))
        #: the queries that must all be answered, and those that there may be, of the corpus too; None if not known
        self.asked = self.queries = Pool(ids, "list of queries") if queries else None
        #: the documents of the gold, where it was given: not all that there are, but written as all are
        self.judged: frozenset[str] = frozenset()
        #: whether a query's documents are few enough that more than half of them is a mistake
        self.whole = False
        self._documents: Pool | None = None
        self._own: Corpus | None = None
        self._of_query: dict[str, Pool | None] = {}
        if corpus is not None and rules is not None:
            self._read(corpus, rules)

    def _read(self, corpus: PathLike, rules: Protocol) -> None:
        self.whole = rules.cases_as_queries
        try:
            opened = read_corpus(corpus, task=rules.task if rules.is_coliee else None)
            if opened.own_documents:
                self._own, self.whole = opened, not rules.pilot
            else:
                self._documents = Pool(opened.doc_ids(), "corpus")
        except InputError:
            if (ids := _listed(corpus)) is None:
                raise
            self._documents = Pool(ids, "corpus")
            return
        if self.queries is None and Path(corpus).is_dir():
            # of Task 1, a query is a case like others
            self.queries = Pool(opened.query_ids() or opened.doc_ids(), "corpus")

    def documents(self, query: str) -> Pool | None:
        """The documents that a query can retrieve; None where that is not known."""
        if self._own is None:
            return self._documents
        if query not in self._of_query:
            known = query in self._own.query_ids()
            self._of_query[query] = Pool(self._own.candidate_ids(query), "corpus") if known else None
        return self._of_query[query]


def _listed(path: PathLike) -> tuple[str, ...] | None:
    """The ids of a file with one a line; None for any other file."""
    if Path(path).is_dir():
        return None
    source = Source(path)
    lines = content_lines(source.text(), source.name)
    return read_queries(source) if all(len(split_columns(line)) == 1 for _, line in lines) else None


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
