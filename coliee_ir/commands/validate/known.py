"""What there is to be found: the ids of the queries, and of the documents of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from coliee_adapters.corpora import Corpus
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import content_lines, split_columns
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.judging.mismatch import respelled
from coliee_ir.reading.anything import read_queries
from coliee_ir.rules.protocol import Protocol


class Pool(dict[str, None]):
    """Ids that there are, and what an id that is not among them was meant to be."""

    def __init__(self, ids: Iterable[str], where: str) -> None:
        super().__init__(dict.fromkeys(ids))
        width = max(map(len, self), default=0)
        #: the known id that another was probably meant to be
        self.respelled = cache(lambda text: respelled(text, self, width, where))


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
                self._own, self.whole = opened, True
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
