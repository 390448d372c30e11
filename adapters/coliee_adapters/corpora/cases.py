"""Case law as folders: Task 1, a folder of cases; Task 2, a folder of folders, one a query.

The folders are listed at once and the texts read when they are asked for, one at a time. A name is looked up in the
listing and never made into a path, so that no id of a gold or a run leads out of the folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, Literal

from coliee_adapters.corpora.records import Corpus, Document, FragmentQuery, Query
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import PathLike, Source, decode, without_marks
from coliee_adapters.forms import case_law, detect
from coliee_adapters.records import Gold, normal_id

_TEXT: Final = ".txt"
_FRAGMENT: Final = "entailed_fragment.txt"
_BASE_CASE: Final = "base_case.txt"
_PARAGRAPHS: Final = "paragraphs"


def sniff(folder: PathLike) -> Literal["cases", "fragments"] | None:
    """``"fragments"`` for a folder with a folder of a query in it, ``"cases"`` for one with text files, else None."""
    entries = _listing(Path(folder))
    if any(_is_query(entry) for entry in entries):
        return "fragments"
    return "cases" if any(_is_text(entry) for entry in entries) else None


class CaseCorpus(Corpus):
    """Task 1: ``000018.txt`` is both a document and, where the gold names it, a query.

    Documents come in the order of their ids, queries in that of the gold. Without a gold there are no queries. The
    candidates of a query are all cases but itself.
    """

    task = "1"

    def __init__(self, folder: PathLike, gold: PathLike | Gold | None = None) -> None:
        self.path = os.fspath(folder)
        self._files = _texts(Path(folder), "case", "give the folder that holds files such as 000018.txt")
        self._queries, self._gold = _named_by(gold)
        _check_known(self._queries or (), self._files, gold, self.path)
        self._named = frozenset(self._queries or ())

    @property
    def gold(self) -> Gold | None:
        return self._gold

    def query_ids(self) -> tuple[str, ...]:
        return self._queries or ()

    def queries_iter(self) -> Iterator[Query]:
        return (Query(query, _text(self._files[query])) for query in self.query_ids())

    def doc_ids(self) -> tuple[str, ...]:
        return tuple(self._files)

    def docs_iter(self) -> Iterator[Document]:
        return (Document(doc_id, _text(file)) for doc_id, file in self._files.items())

    def candidate_ids(self, query_id: str) -> tuple[str, ...]:
        if query_id not in self._named:
            raise self.no_such_query(query_id)
        return tuple(doc_id for doc_id in self._files if doc_id != query_id)

    def find(self, doc_id: str) -> Document | None:
        file = self._files.get(normal_id(doc_id))
        return None if file is None else Document(normal_id(doc_id), _text(file))


class FragmentCorpus(Corpus):
    """Task 2: the folder ``001`` holds ``entailed_fragment.txt``, ``base_case.txt`` and ``paragraphs/001.txt``, ….

    The query's text is the fragment. Its candidates are its paragraphs, ``013``, whose unique id is ``001/013``.
    Queries come in the order of the gold, or else of their ids; documents query by query, in the order of their ids.
    """

    task = "2"

    def __init__(self, folder: PathLike, gold: PathLike | Gold | None = None) -> None:
        self.path = os.fspath(folder)
        self._folders = {entry.name: Path(entry.path) for entry in _listing(Path(folder)) if _is_query(entry)}
        if not self._folders:
            remedy = f"give the folder that holds folders such as 001, each with its {_FRAGMENT} and {_PARAGRAPHS}"
            raise InputError("empty", self.path, "this folder contains no queries", remedy=remedy)
        named, self._gold = _named_by(gold)
        _check_known(named or (), self._folders, gold, self.path)
        self._queries = tuple(self._folders) if named is None else named
        self._named = frozenset(self._queries)
        self._paragraphs = cache(self._listed_paragraphs)

    @property
    def gold(self) -> Gold | None:
        return self._gold

    def query_ids(self) -> tuple[str, ...]:
        return self._queries

    def queries_iter(self) -> Iterator[FragmentQuery]:
        for query in self._queries:
            folder = self._folders[query]
            yield FragmentQuery(query, _text(folder / _FRAGMENT), _text(folder / _BASE_CASE))

    def doc_ids(self) -> tuple[str, ...]:
        return tuple(self.unique_id(query, doc) for query in self._queries for doc in self._paragraphs(query))

    def docs_iter(self) -> Iterator[Document]:
        for query in self._queries:
            for document in self.candidates(query):
                yield document._replace(doc_id=self.unique_id(query, document.doc_id))

    def candidate_ids(self, query_id: str) -> tuple[str, ...]:
        if query_id not in self._named:
            raise self.no_such_query(query_id)
        return tuple(self._paragraphs(query_id))

    def find(self, doc_id: str) -> Document | None:
        query, _, paragraph = normal_id(doc_id).partition("/")
        file = self._paragraphs(query).get(paragraph) if query in self._named else None
        return None if file is None else Document(self.unique_id(query, paragraph), _text(file))

    def unique_id(self, query_id: str, doc_id: str) -> str:
        return f"{normal_id(query_id)}/{normal_id(doc_id)}"

    def _listed_paragraphs(self, query: str) -> dict[str, Path]:
        folder = self._folders[query] / _PARAGRAPHS
        return _texts(folder, "paragraph", f"query {query} needs files such as 001.txt here")


def _listing(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder, by name; hidden files, which systems leave there, are left out."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e for e in entries if not e.name.startswith(".")), key=lambda entry: entry.name)
    except FileNotFoundError:
        raise InputError("no-file", str(folder), "there is no such folder", remedy="check the path") from None
    except NotADirectoryError:
        raise InputError("not-a-file", str(folder), "this is a file", remedy="name the folder that it is in") from None
    except OSError as error:
        raise InputError("cannot-read", str(folder), f"cannot be read ({error.strerror or error})") from None


def _is_text(entry: os.DirEntry[str]) -> bool:
    return entry.name.endswith(_TEXT) and entry.is_file()


def _is_query(entry: os.DirEntry[str]) -> bool:
    """Whether this is the folder of one query; one half of what it should hold is enough to tell."""
    inside = Path(entry.path)
    return entry.is_dir() and ((inside / _FRAGMENT).exists() or (inside / _PARAGRAPHS).is_dir())


def _texts(folder: Path, kind: str, remedy: str) -> dict[str, Path]:
    """The text files of a folder by id, in the order of ids."""
    files: dict[str, Path] = {}
    for entry in filter(_is_text, _listing(folder)):
        doc_id = normal_id(entry.name)
        if not doc_id or doc_id in files:
            problem = f"{files[doc_id].name} has the same id" if doc_id else "this file name contains no id"
            raise InputError("duplicate", entry.path, problem, remedy="keep one" if doc_id else "name it as 000018.txt")
        files[doc_id] = Path(entry.path)
    if not files:
        raise InputError("empty", str(folder), f"there is no {kind} in this folder", remedy=remedy)
    return dict(sorted(files.items()))


def _text(file: Path) -> str:
    """A text without surrounding space; line ends become newlines. An empty file is an empty text."""
    try:
        raw = file.read_bytes()
    except FileNotFoundError:
        raise InputError("no-file", str(file), "there is no such file", remedy="unpack the data again") from None
    except OSError as error:
        raise InputError("cannot-read", str(file), f"cannot be read ({error.strerror or error})") from None
    return decode(without_marks(raw), str(file)).replace("\r\n", "\n").replace("\r", "\n").strip()


def _named_by(gold: PathLike | Gold | None) -> tuple[tuple[str, ...] | None, Gold | None]:
    """The queries that a gold names, None without a gold; and the gold itself, if it holds labels."""
    if gold is None:
        return None, None
    if not isinstance(gold, Gold):
        source = Source(gold)
        if (queries := case_law.read_test_queries(source)) is not None:
            return queries, None
        gold = detect.read_gold(source)
    return gold.queries, gold


def _check_known(queries: tuple[str, ...], known: dict[str, Path], gold: PathLike | Gold | None, folder: str) -> None:
    """Raise InputError if a gold names a query that the folder does not hold."""
    unknown = [query for query in queries if query not in known]
    if unknown:
        name = gold.path if isinstance(gold, Gold) else str(gold)
        problem = f"{len(unknown)} of the {len(queries)} queries named here are not in {folder}"
        remedy = "give the folder and the gold of one edition"
        raise InputError("unknown-query", name, problem, found=unknown[0], remedy=remedy)
