"""Case law as folders: Task 1, a folder of cases; Task 2, a folder of folders, one a query.

The folders are listed at once and the texts read when they are asked for, one at a time. A name is looked up in the
listing and never made into a path, so that no id of a gold or a run leads out of the folder.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final, Literal

from coliee_adapters.corpora.records import Corpus, Query, text_of
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms import case_law, detect
from coliee_adapters.records import Gold, normal_id

_TEXT: Final = ".txt"
_FRAGMENT: Final = "entailed_fragment.txt"
_BASE_CASE: Final = "base_case.txt"
_PARAGRAPHS: Final = "paragraphs"


def sniff(folder: PathLike) -> Literal["cases", "fragments"] | None:
    """``"fragments"`` for a folder with a folder of a query in it, ``"cases"`` for one with text files, else None."""
    entries = _listing(Path(folder))
    return "fragments" if any(map(_is_query, entries)) else "cases" if any(map(_is_text, entries)) else None


def cases(folder: PathLike, gold: PathLike | Gold | None = None) -> Corpus:
    """Task 1: ``000018.txt`` is both a document and, where the gold names it, a query; without a gold none is.

    Documents come in the order of their ids, queries in that of the gold. The candidates of a query are all cases but
    itself.
    """
    files = _texts(Path(folder), "case", "give the folder that holds files such as 000018.txt")
    named = dict.fromkeys(() if gold is None else _query_ids_of(gold, files, folder))
    return Corpus(
        "1", os.fspath(folder), lambda: named, lambda query: Query(query, text_of(files[query])), lambda _: files
    )


def fragments(folder: PathLike, gold: PathLike | Gold | None = None) -> Corpus:
    """Task 2: the folder ``001`` holds ``entailed_fragment.txt``, ``base_case.txt`` and ``paragraphs/001.txt``, ….

    The query's text is the fragment. Its candidates are its paragraphs, ``013``, whose unique id is ``001/013``.
    Queries come in the order of the gold, or else of their ids; documents query by query, in the order of their ids.
    """
    folders = {entry.name: Path(entry.path) for entry in _listing(Path(folder)) if _is_query(entry)}
    if not folders:
        remedy = f"give the folder that holds folders such as 001, each with its {_FRAGMENT} and {_PARAGRAPHS}"
        raise InputError("empty", os.fspath(folder), "this folder contains no queries", remedy=remedy)
    named = dict.fromkeys(folders if gold is None else _query_ids_of(gold, folders, folder))
    return Corpus(
        "2",
        os.fspath(folder),
        lambda: named,
        lambda query: Query(query, text_of(folders[query] / _FRAGMENT), text_of(folders[query] / _BASE_CASE)),
        lambda query: _texts(
            folders[query] / _PARAGRAPHS, "paragraph", f"query {query} needs files such as 001.txt here"
        ),
        own_documents=True,
    )


def _query_ids_of(gold: PathLike | Gold, known: Collection[str], folder: PathLike) -> tuple[str, ...]:
    """The queries that a gold or the list of a test set names, all of which must be in the folder."""
    queries = None if isinstance(gold, Gold) else case_law.read_test_queries(Source(gold))
    if queries is None:
        queries = (gold if isinstance(gold, Gold) else detect.read_gold(Source(gold))).queries
    if unknown := [query for query in queries if query not in known]:
        problem = f"{len(unknown)} of the {len(queries)} queries named here are not in {os.fspath(folder)}"
        name = gold.path if isinstance(gold, Gold) else os.fspath(gold)
        raise InputError(
            "unknown-query", name, problem, found=unknown[0], remedy="give the folder and the gold of one edition"
        )
    return queries


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
