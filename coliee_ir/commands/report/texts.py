"""What queries and documents are called: titles, or the beginnings of their texts, from a corpus."""

from __future__ import annotations

from typing import Final

from coliee_adapters.corpora import Corpus
from coliee_adapters.errors import UsageError, shortened
from coliee_adapters.files.source import PathLike
from coliee_adapters.records import Gold
from coliee_ir.inbox.corpora import read_corpus
from coliee_ir.rules.protocol import protocol

_LONGEST: Final = 160


class Texts:
    """Titles of documents and beginnings of queries, each looked up once."""

    def __init__(self, corpus: Corpus | None, queries: tuple[str, ...]) -> None:
        self._corpus = corpus
        self._titles: dict[str, str] = {}
        wanted = set(queries)
        of_corpus = () if corpus is None else corpus.queries_iter()
        self._queries = {q.query_id: _beginning(q.text) for q in of_corpus if q.query_id in wanted}

    def document(self, query: str, document: str) -> str:
        """The title of what a run calls ``document`` in its answer to a query; empty where none is known."""
        if self._corpus is None:
            return ""
        unique = self._corpus.unique_id(query, document)
        if unique not in self._titles:
            self._titles[unique] = _beginning(self._corpus.title(unique))
        return self._titles[unique]

    def query(self, query: str) -> str:
        """What a query asks; empty where it is not known."""
        if query not in self._queries:
            self._queries[query] = "" if self._corpus is None else _beginning(self._corpus.title(query))
        return self._queries[query]


def _beginning(text: str) -> str:
    """One printable line."""
    line = " ".join(text[: 4 * _LONGEST].split())
    return shortened(line, _LONGEST)


def texts_of(corpus: PathLike | Corpus | None, task: str, gold: Gold) -> Texts:
    """The texts of a corpus, as a path or read."""
    if corpus is None or isinstance(corpus, Corpus):
        return Texts(corpus, gold.queries)
    if not protocol(task).law:
        raise UsageError("unfit-option", "plain TREC files have no corpus that can be read: leave --corpus out")
    # the statements of Tasks 3 to 5 stand in the gold
    statements = gold.path if gold.format == "statute-xml" and gold.path != "<stdin>" else None
    return Texts(read_corpus(corpus, task=task, gold=statements), gold.queries)
