"""What is asked in files: the statements of Tasks 3 to 5, and the instances of the pilot."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from coliee_adapters.corpora import civil_code
from coliee_adapters.corpora.records import Corpus, Document, Documents, Query
from coliee_adapters.errors import Place, UsageError, printable
from coliee_adapters.files.source import Source
from coliee_adapters.forms import statute, tort


def statutes(code: Source | None, pairs: Source | None) -> Corpus:
    """The statements ``<t2>`` of statute XML and the articles of the Civil Code; either file may be left out.

    Queries and documents come in the order of their files. All articles are candidates of every query.
    """
    path = next(source.name for source in (code, pairs) if source is not None)

    def articles(_: str) -> Documents:
        if code is None:
            problem = f"{printable(path)} holds statements and no articles"
            raise UsageError("wrong-part", f"{problem}; the corpus of these tasks is the Civil Code")
        return civil_code.read(code)

    @cache
    def statements() -> dict[str, str]:
        """The statements by id; some are empty."""
        texts_of = {}
        for query, pair in ({} if pairs is None else statute.read_pairs(pairs)).items():
            texts = [statement.text.strip() for statement in pair.iter("t2")]
            if not texts:
                fault = Place(path if pairs is None else pairs.name, "line", pair.line).fault
                raise fault("missing-key", "this pair has no statement", query, "write it as <t2>…</t2>")
            texts_of[query] = "\n".join(texts)
        return texts_of

    return Corpus("4" if code is None else "3", path, statements, lambda id_: Query(id_, statements()[id_]), articles)


def torts(source: Source) -> Corpus:
    """The undisputed facts of each instance, one a line, and the claims: ``p3`` is the plaintiff's claim 3.

    The unique id of ``p3`` in instance ``0`` is ``0/p3``. Everything comes in the order of the file, which is read at
    once, the plaintiff's claims before the defendant's.
    """

    @cache
    def cases() -> dict[str, tuple[str, Documents]]:
        """The facts and the claims of each instance."""
        found: dict[str, tuple[str, Documents]] = {}
        for instance, case in tort.instances(source):
            place = Place(source.name, "line", case.line)
            texts = (text for side in tort.SIDES for text in _descriptions(instance, f"{side}_claims", place))
            named = zip((claim.document for claim in case.claims), texts, strict=True)
            claims = {document: Document(document, text) for document, text in named}
            found[case.id] = "\n".join(_descriptions(instance, "undisputed_facts", place)), claims
        return found

    return Corpus(
        "tort",
        source.name,
        cases,
        lambda query: Query(query, cases()[query][0]),
        lambda query: cases()[query][1],
        own_documents=True,
    )


def _descriptions(instance: dict[str, Any], key: str, place: Place) -> list[str]:
    entries = instance.get(key)
    listed = entries if isinstance(entries, list) else []
    descriptions = [entry.get("description") for entry in listed if isinstance(entry, dict)]
    texts = [text.strip() for text in descriptions if isinstance(text, str)]
    if not isinstance(entries, list) or len(texts) < len(entries):
        found, remedy = json.dumps(entries, ensure_ascii=False), 'expected [{"id": "0", "description": "…"}]'
        raise place.fault("structure", f"{key} is not a list of descriptions", found, remedy)
    return texts
