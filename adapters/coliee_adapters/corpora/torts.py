"""The pilot: Japanese tort cases. An instance is a query, the claims of both sides are its documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any

from coliee_adapters.corpora.records import Corpus, Document, Query
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source, decode, without_marks
from coliee_adapters.forms import detect, tort
from coliee_adapters.forms.tort import TortCase
from coliee_adapters.records import Gold


class TortCorpus(Corpus):
    """The undisputed facts of each instance, and the claims: ``p3`` is the plaintiff's claim 3, ``d3`` the defendant's.

    The unique id of ``p3`` in instance ``0`` is ``0/p3``. Everything comes in the order of the file, the plaintiff's
    claims first. The file is read line by line; a single instance by its place, which is kept.
    """

    task = "tort"

    def __init__(self, source: Source, gold: Source | Gold | None = None) -> None:
        self.path = source.name
        self._source, self._given = source, gold

    @cached_property
    def gold(self) -> Gold | None:
        """The decisions as labels, the claims with relevance 1 (accepted) or 0; None for test data."""
        if isinstance(self._given, Gold):
            return self._given
        source = self._given or self._source
        cases = tort.read_cases(source)
        known = any(
            verdict is not None
            for case in cases
            for verdict in (case.court_decision, *(claim.is_accepted for _, _, claim in tort.claim_documents(case)))
        )
        # of a file given as gold, its emptiness is an error
        return detect.read_gold(source, form="tort") if known or self._given is not None else None

    def query_ids(self) -> tuple[str, ...]:
        return tuple(self._places)

    def queries_iter(self) -> Iterator[Query]:
        """The undisputed facts, one a line."""
        for instance, case in tort.instances(self._source):
            yield Query(case.id, "\n".join(self._descriptions(instance, "undisputed_facts", case.line)))

    def doc_ids(self) -> tuple[str, ...]:
        return tuple(
            self.unique_id(case.id, doc_id)
            for _, case in tort.instances(self._source)
            for _, doc_id, _ in tort.claim_documents(case)
        )

    def docs_iter(self) -> Iterator[Document]:
        for instance, case in tort.instances(self._source):
            for document in self._claims(instance, case):
                yield document._replace(doc_id=self.unique_id(case.id, document.doc_id))

    def candidate_ids(self, query_id: str) -> tuple[str, ...]:
        return tuple(document.doc_id for document in self.candidates(query_id))

    def candidates(self, query_id: str) -> Iterator[Document]:
        found = self._instance(query_id)
        if found is None:
            raise self.no_such_query(query_id)
        return self._claims(*found)

    def find(self, doc_id: str) -> Document | None:
        cuts = (at for at, character in enumerate(doc_id) if character == "/")  # an instance's id may hold one too
        for query, claim in ((doc_id[:at], doc_id[at + 1 :]) for at in cuts):
            if (found := self._instance(query)) is not None:
                for document in self._claims(*found):
                    if document.doc_id == claim:
                        return document._replace(doc_id=doc_id)
        return None

    def unique_id(self, query_id: str, doc_id: str) -> str:
        return f"{query_id}/{doc_id}"

    @cached_property
    def _places(self) -> dict[str, tuple[int, int]]:
        """The line of each instance, and the byte where that starts."""
        with self._source.open() as stream:
            starts = [0, *accumulate(map(len, stream))]
        return {case.id: (case.line, starts[case.line - 1]) for _, case in tort.instances(self._source)}

    def _instance(self, query: str) -> tuple[dict[str, Any], TortCase] | None:
        """The instance of this id, read at its place."""
        if query not in self._places:
            return None
        line, start = self._places[query]
        with self._source.open() as stream:
            stream.seek(start)
            raw = without_marks(stream.readline())
        return tort.read_instance(decode(raw, self._source.name, line).rstrip("\n"), self._source.name, line)

    def _claims(self, instance: dict[str, Any], case: TortCase) -> Iterator[Document]:
        texts = [text for side in tort.SIDES for text in self._descriptions(instance, f"{side}_claims", case.line)]
        doc_ids = (doc_id for _, doc_id, _ in tort.claim_documents(case))
        return map(Document, doc_ids, texts)

    def _descriptions(self, instance: dict[str, Any], key: str, line: int) -> list[str]:
        entries = instance.get(key)
        listed = entries if isinstance(entries, list) else []
        held = [entry.get("description") for entry in listed if isinstance(entry, dict)]
        texts = [text.strip() for text in held if isinstance(text, str)]
        if not isinstance(entries, list) or len(texts) < len(entries):
            raise InputError(
                "structure",
                self._source.name,
                f"{key} is not a list of descriptions",
                line=line,
                found=json.dumps(entries, ensure_ascii=False),
                remedy='expected [{"id": "0", "description": "…"}]',
            )
        return texts
