"""What a corpus yields and can be asked. The field names are those of ir_datasets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from coliee_adapters.errors import InputError, UsageError, cut_to_width, printable, quoted
from coliee_adapters.files.source import decode, without_marks
from coliee_adapters.records import normal_id

_BEGINNING = 80


class Query(NamedTuple):
    """What is asked: a case, a fragment, a statement, the undisputed facts of an instance.

    ``base_case`` is, in Task 2, the whole case that the fragment was taken from.
    """

    query_id: str
    text: str
    base_case: str = ""


class Document(NamedTuple):
    """What can be returned: a case, a paragraph, an article, a claim. The title is empty where there is none."""

    doc_id: str
    text: str
    title: str = ""


#: the documents of a query, or of all if shared, by the ids that a run gives: read, or the files that hold them
Documents = Mapping[str, Document | Path]


class Corpus:
    """The texts of a task: iterators of ir_datasets' names, each of which starts anew when it is asked for.

    In Task 2 and in the pilot each query has its own documents, whose ids start anew with it: a run and a gold say
    ``013`` and mean that of query ``001``. There the *unique id* of a document is ``001/013``, and ``docs_iter``,
    ``doc_ids`` and ``find`` speak in unique ids, so that they fit together as in any dataset of ir_datasets.
    ``candidates`` speaks as runs do. In all other tasks the two are the same.

    Hence a loop that is right for every task: for each query of ``queries_iter``, rank ``candidates(query.query_id)``
    and write the ids as they are.

    Attributes:
        task: the task; ``3`` for any statute corpus with a civil code, ``tort`` for both tasks of the pilot.
        path: the file or folder as the user named it.
        own_documents: whether each query has documents of its own.
    """

    def __init__(
        self,
        task: str,
        path: str,
        queries: Callable[[], Mapping[str, object]],
        query: Callable[[str], Query],
        documents: Callable[[str], Documents],
        *,
        own_documents: bool = False,
    ) -> None:
        self.task, self.path, self.own_documents = task, path, own_documents
        # what a file holds is read when it is first asked for, and kept; of a folder, the names alone
        self._queries, self._query, self._documents = cache(queries), query, cache(documents)

    def query_ids(self) -> tuple[str, ...]:
        """The ids of the queries, in the order of ``queries_iter``."""
        return tuple(self._queries())

    def queries_iter(self) -> Iterator[Query]:
        """The queries."""
        return map(self._query, self._queries())

    def _iter_queries(self) -> Iterator[tuple[str, Document | Path]]:
        for query in self._queries() if self.own_documents else ("",):
            for doc_id, document in self._documents(query).items():
                yield self.unique_id(query, doc_id), document

    def doc_ids(self) -> tuple[str, ...]:
        """The unique ids of the documents, in the order of ``docs_iter``. Where a folder tells, no text is read."""
        return tuple(doc_id for doc_id, _ in self._iter_queries())

    def docs_iter(self) -> Iterator[Document]:
        """The documents under their unique ids."""
        return (_read(doc_id, document) for doc_id, document in self._iter_queries())

    def candidate_ids(self, query_id: str) -> tuple[str, ...]:
        """What a run may return for a query, as it says it, in the order of ``candidates``.

        Raises:
            UsageError: there is no such query.
        """
        return tuple(self._candidates(query_id))

    def candidates(self, query_id: str) -> Iterator[Document]:
        """The documents among which a query chooses, under the ids that a run gives.

        Raises:
            UsageError: there is no such query.
        """
        return (_read(doc_id, document) for doc_id, document in self._candidates(query_id).items())

    def _candidates(self, query_id: str) -> Documents:
        if query_id not in self._queries():
            raise UsageError(
                "unknown-query", f"there is no query {quoted(query_id)} in the corpus {printable(self.path)}"
            )
        documents = self._documents(query_id if self.own_documents else "")
        return documents if self.own_documents else {own: text for own, text in documents.items() if own != query_id}

    def find(self, doc_id: str) -> Document | None:
        """The document of this unique id, if there is one."""
        query, _, own = doc_id.rpartition("/") if self.own_documents else ("", "", doc_id)
        query, own = normal_id(query), normal_id(own)
        is_known = not self.own_documents or query in self._queries()
        document = self._documents(query).get(own) if is_known else None
        return None if document is None else _read(self.unique_id(query, own), document)

    def unique_id(self, query_id: str, doc_id: str) -> str:
        """The unique id of what a run calls ``doc_id`` in its answer to a query."""
        return f"{normal_id(query_id)}/{normal_id(doc_id)}" if self.own_documents else doc_id

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
        return cut_to_width(" ".join(document.text[: 4 * _BEGINNING].split()), _BEGINNING)


def _read(doc_id: str, document: Document | Path) -> Document:
    """A document under an id."""
    return Document(doc_id, text_of(document)) if isinstance(document, Path) else document._replace(doc_id=doc_id)


def text_of(file: Path) -> str:
    """A text without surrounding space; line ends become newlines. An empty file is an empty text."""
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        raise InputError("no-file", str(file), "there is no such file", remedy="unpack the data again") from None
    except OSError as error:
        raise InputError("cannot-read", str(file), f"cannot be read ({error.strerror or error})") from None
    return decode(without_marks(raw), str(file)).replace("\r\n", "\n").replace("\r", "\n").strip()
