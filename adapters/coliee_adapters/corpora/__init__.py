"""The texts of each task: queries and documents, as iterators of ir_datasets' names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal

from coliee_adapters.checked import one_of
from coliee_adapters.corpora import cases, civil_code, statements
from coliee_adapters.corpora.records import Corpus, Document, Query
from coliee_adapters.errors import InputError, UsageError, printable
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms import statute, tort
from coliee_adapters.records import Gold

__all__ = ["Corpus", "Document", "Query", "read_corpus"]

#: of Task 1, of Task 2, of Tasks 3 to 5, of the pilot
Kind = Literal["cases", "fragments", "statutes", "torts"]

_KNOWN: Final = (
    "known corpora: Task 1, a folder of cases (000018.txt); Task 2, a folder of folders (001/entailed_fragment.txt); "
    "Tasks 3 to 5, the Civil Code as text or XML, or statements (<dataset><pair>…); "
    "the pilot, JSON Lines ({'tort_id': '0', …})"
)


def read_corpus(path: PathLike, *, kind: Kind | None = None, gold: PathLike | Gold | None = None) -> Corpus:
    """Texts."""
    one_of("the path of a corpus", path, (str, os.PathLike), "a file or a folder")
    one_of("gold", gold, str | os.PathLike | Gold | None, "a file, or what read_gold gave")
    if kind in ("cases", "fragments") or (kind is None and Path(path).is_dir()):
        found = kind or cases.sniff(path)
        if found is None:
            raise InputError("unknown-format", str(path), "this folder holds no corpus", remedy=_KNOWN)
        return cases.cases(path, gold) if found == "cases" else cases.fragments(path, gold)
    source = Source(path)
    if kind == "torts" or (kind is None and tort.sniff(source.head())):
        return statements.torts(source)
    if isinstance(gold, Gold):
        raise UsageError("not-a-file", "give the gold of Tasks 3 to 5 as a file here: it contains the statements")
    if statute.is_xml(source.head()):
        if gold is not None:
            problem = f"{printable(source.name)} holds statements"
            raise UsageError("wrong-part", f"{problem}; give the Civil Code as the path and one file as gold=")
        return statements.statutes(None, source)
    if kind == "statutes" or civil_code.sniff(source.head()):
        pairs = None if gold is None else Source(gold)
        if pairs is not None and not statute.is_xml(pairs.head()):
            remedy = 'give the XML that holds them, <dataset><pair id="H18-1-2">…<t2>…'
            raise InputError("unknown-format", pairs.name, "this file holds no statements", remedy=remedy)
        return statements.statutes(source, pairs)
    raise InputError("unknown-format", source.name, "unrecognised corpus format", remedy=_KNOWN)
