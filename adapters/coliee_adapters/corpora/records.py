"""What every corpus yields and can be asked. The field names are those of ir_datasets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coliee_adapters.errors import UsageError, cut, printable, quoted
from coliee_adapters.records import Gold

_BEGINNING = 80


class Query(NamedTuple):
    """What is asked: a case, a statement, the undisputed facts of an instance."""

    query_id: str
    text: str


class FragmentQuery(NamedTuple):
    """Task 2: the fragment that a paragraph entails, and the whole case it was taken from."""

    query_id: str
    text: str
    base_case: str


class Document(NamedTuple):
    """What can be returned: a case, a paragraph, an article, a claim. The title is empty where there is none."""

    doc_id: str
    text: str
    title: str = ""


class Qrel(NamedTuple):
    """One judged document of one query."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class Corpus(ABC):
    """The texts of a task: iterators of ir_datasets' names, each of which starts anew when it is asked for.

    In Task 2 and in the pilot each query has its own documents, whose ids start anew with it: a run and a gold say
    ``013`` and mean that of query ``001``. There the *unique id* of a document is ``001/013``, and ``docs_iter``,
    ``doc_ids``, ``docs_store`` and ``qrels_iter`` speak in unique ids, so that they fit together as in any dataset of
    ir_datasets. ``candidates`` and ``gold`` speak as runs do. In all other tasks the two are the same.

    Hence a loop that is right for every task: for each query of ``queries_iter``, rank ``candidates(query.query_id)``
    and write the ids as they are.

    Attributes:
        task: the task; ``3`` for any statute corpus with a civil code, ``tort`` for both tasks of the pilot.
        path: the file or folder as the user named it.
    """

    task: str
    path: str

    @property
    @abstractmethod
    def gold(self) -> Gold | None:
        """What is right, in the ids of runs; None where no relevant document and no label is known."""

    @abstractmethod
    def query_ids(self) -> tuple[str, ...]:
        """The ids of the queries, in the order of ``queries_iter``."""

    @abstractmethod
    def queries_iter(self) -> Iterator[Query | FragmentQuery]:
        """The queries."""

    @abstractmethod
    def doc_ids(self) -> tuple[str, ...]:
        """The unique ids of the documents, in the order of ``docs_iter``. Where a folder tells, no text is read."""

    @abstractmethod
    def docs_iter(self) -> Iterator[Document]:
        """The documents under their unique ids."""

    @abstractmethod
    def candidate_ids(self, query_id: str) -> tuple[str, ...]:
        """What a run may return for a query, as it says it, in the order of ``candidates``.

        Raises:
            UsageError: there is no such query.
        """

    @abstractmethod
    def find(self, doc_id: str) -> Document | None:
        """The document of this unique id, if there is one."""

    def unique_id(self, query_id: str, doc_id: str) -> str:
        """The unique id of what a run calls ``doc_id`` in its answer to a query."""
        return doc_id

    def candidates(self, query_id: str) -> Iterator[Document]:
        """The documents among which a query chooses, under the ids that a run gives.

        Raises:
            UsageError: there is no such query.
        """
        documents = ((doc_id, self.find(self.unique_id(query_id, doc_id))) for doc_id in self.candidate_ids(query_id))
        return (document._replace(doc_id=doc_id) for doc_id, document in documents if document is not None)

    def qrels_iter(self) -> Iterator[Qrel]:
        """The judged documents, under their unique ids, in the order of the gold.

        Raises:
            UsageError: no gold with documents was given.
        """
        qrels = self.gold.qrels if self.gold is not None else None
        if qrels is None:
            known = f"no relevant documents are known for {printable(self.path)}"
            raise UsageError("option-needed", f"{known}; read_corpus takes them as gold=")
        return (
            Qrel(query, self.unique_id(query, document), relevance)
            for query, judged in qrels.items()
            for document, relevance in judged.items()
        )

    def docs_store(self) -> DocsStore:
        """Documents by their unique ids."""
        return DocsStore(self)

    def title(self, doc_id: str, query_id: str | None = None) -> str:
        """What to call a document in a report: its title, or else the beginning of its text.

        Args:
            doc_id: its unique id; with a query, what a run calls it.
            query_id: the query whose document it is.

        Returns:
            One line of at most 80 columns where it is made of the text; empty if there is no such document.
        """
        document = self.find(doc_id if query_id is None else self.unique_id(query_id, doc_id))
        if document is None:
            return ""
        if document.title:
            return document.title
        beginning = " ".join(document.text[: 4 * _BEGINNING].split())
        return cut(beginning, _BEGINNING)

    def no_such_query(self, query_id: str) -> UsageError:
        """The error of asking for a query that the corpus does not have."""
        return UsageError("unknown-query", f"there is no query {quoted(query_id)} in the corpus {printable(self.path)}")


class DocsStore:
    """Documents of a corpus by their unique ids."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def get(self, doc_id: str) -> Document:
        """The document of this id.

        Raises:
            UsageError: there is none.
        """
        document = self._corpus.find(doc_id)
        if document is None:
            problem = f"there is no document {quoted(doc_id)} in the corpus {printable(self._corpus.path)}"
            raise UsageError("unknown-document", problem)
        return document

    def get_many(self, doc_ids: Iterable[str]) -> dict[str, Document]:
        """The documents of these ids, those that there are."""
        found = ((doc_id, self._corpus.find(doc_id)) for doc_id in doc_ids)
        return {doc_id: document for doc_id, document in found if document is not None}
