"""What every corpus yields and can be asked. The field names are those of ir_datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from coliee_adapters.errors import InputError, UsageError, cut, printable, quoted
from coliee_adapters.files.source import decode, without_marks
from coliee_adapters.records import Gold, normal_id

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


class Corpus:
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
    #: whether each query has documents of its own
    _of_queries: ClassVar = False

    @property
    def gold(self) -> Gold | None:
        """What is right, in the ids of runs; None where no relevant document and no label is known."""
        raise NotImplementedError

    @property
    def _queries(self) -> Mapping[str, Any]:
        """The queries, and what is held of them."""
        raise NotImplementedError

    def _query(self, query_id: str) -> Query | FragmentQuery:
        """A query that there is."""
        raise NotImplementedError

    def _documents(self, query_id: str) -> Mapping[str, Document | Path]:
        """The documents of a query, by the ids that a run gives, or the files that hold them; of all queries if shared.

        No text of such a file is read.
        """
        raise NotImplementedError

    def query_ids(self) -> tuple[str, ...]:
        """The ids of the queries, in the order of ``queries_iter``."""
        return tuple(self._queries)

    def queries_iter(self) -> Iterator[Query | FragmentQuery]:
        """The queries."""
        return map(self._query, self._queries)

    def _by_query(self) -> Iterator[tuple[str, Mapping[str, Document | Path]]]:
        queries = self._queries if self._of_queries else ("",)
        return ((query, self._documents(query)) for query in queries)

    def doc_ids(self) -> tuple[str, ...]:
        """The unique ids of the documents, in the order of ``docs_iter``. Where a folder tells, no text is read."""
        return tuple(self.unique_id(query, doc_id) for query, held in self._by_query() for doc_id in held)

    def docs_iter(self) -> Iterator[Document]:
        """The documents under their unique ids."""
        return (
            _read(self.unique_id(query, doc_id), document)
            for query, held in self._by_query()
            for doc_id, document in held.items()
        )

    def candidate_ids(self, query_id: str) -> tuple[str, ...]:
        """What a run may return for a query, as it says it, in the order of ``candidates``.

        Raises:
            UsageError: there is no such query.
        """
        return tuple(self._candidates(query_id))

    def _candidates(self, query_id: str) -> dict[str, Document | Path]:
        if query_id not in self._queries:
            problem = f"there is no query {quoted(query_id)} in the corpus {printable(self.path)}"
            raise UsageError("unknown-query", problem)
        held = self._documents(query_id).items()
        return {doc_id: document for doc_id, document in held if self._of_queries or doc_id != query_id}

    def find(self, doc_id: str) -> Document | None:
        """The document of this unique id, if there is one."""
        if not self._of_queries:
            doc_id = normal_id(doc_id)
            document = self._documents("").get(doc_id)
            return None if document is None else _read(doc_id, document)
        for at in (at for at, character in enumerate(doc_id) if character == "/"):  # the query's id may hold one too
            query, own = normal_id(doc_id[:at]), normal_id(doc_id[at + 1 :])
            if query in self._queries and (document := self._documents(query).get(own)) is not None:
                return _read(f"{query}/{own}", document)
        return None

    def unique_id(self, query_id: str, doc_id: str) -> str:
        """The unique id of what a run calls ``doc_id`` in its answer to a query."""
        return f"{normal_id(query_id)}/{normal_id(doc_id)}" if self._of_queries else doc_id

    def candidates(self, query_id: str) -> Iterator[Document]:
        """The documents among which a query chooses, under the ids that a run gives.

        Raises:
            UsageError: there is no such query.
        """
        return (_read(doc_id, document) for doc_id, document in self._candidates(query_id).items())

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
        if document is None or document.title:
            return "" if document is None else document.title
        return cut(" ".join(document.text[: 4 * _BEGINNING].split()), _BEGINNING)


class DocsStore:
    """Documents of a corpus by their unique ids."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def get(self, doc_id: str) -> Document:
        """The document of this id.

        Raises:
            UsageError: there is none.
        """
        if (document := self._corpus.find(doc_id)) is None:
            problem = f"there is no document {quoted(doc_id)} in the corpus {printable(self._corpus.path)}"
            raise UsageError("unknown-document", problem)
        return document

    def get_many(self, doc_ids: Iterable[str]) -> dict[str, Document]:
        """The documents of these ids, those that there are."""
        return {doc_id: found for doc_id in doc_ids if (found := self._corpus.find(doc_id)) is not None}


def _read(doc_id: str, held: Document | Path) -> Document:
    """A document under an id."""
    return Document(doc_id, text_of(held)) if isinstance(held, Path) else held._replace(doc_id=doc_id)


def text_of(file: Path) -> str:
    """A text without surrounding space; line ends become newlines. An empty file is an empty text."""
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        raise InputError("no-file", str(file), "there is no such file", remedy="unpack the data again") from None
    except OSError as error:
        raise InputError("cannot-read", str(file), f"cannot be read ({error.strerror or error})") from None
    return decode(without_marks(raw), str(file)).replace("\r\n", "\n").replace("\r", "\n").strip()
