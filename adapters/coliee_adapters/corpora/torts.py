"""The pilot: Japanese tort cases. An instance is a query, the claims of both sides are its documents."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from coliee_adapters.corpora.records import Corpus, Document, Query
from coliee_adapters.errors import Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, tort
from coliee_adapters.records import Gold


class _Instance(NamedTuple):
    facts: str
    claims: Mapping[str, Document]
    judged: bool  # whether any verdict is given


class TortCorpus(Corpus):
    """The undisputed facts of each instance, one a line, and the claims: ``p3`` is the plaintiff's claim 3.

    The unique id of ``p3`` in instance ``0`` is ``0/p3``. Everything comes in the order of the file, which is read at
    once, the plaintiff's claims before the defendant's.
    """

    task = "tort"
    _of_queries = True

    def __init__(self, source: Source, gold: Source | Gold | None = None) -> None:
        self.path = source.name
        self._source, self._given = source, gold

    @cached_property
    def gold(self) -> Gold | None:
        """The decisions as labels, the claims with relevance 1 (accepted) or 0; None for test data."""
        if isinstance(self._given, Gold):
            return self._given
        if self._given is None and not any(instance.judged for instance in self._queries.values()):
            return None  # of a file given as gold, that is an error
        return detect.read_gold(self._given or self._source, form="tort")

    def _query(self, query_id: str) -> Query:
        return Query(query_id, self._queries[query_id].facts)

    def _documents(self, query_id: str) -> Mapping[str, Document]:
        return self._queries[query_id].claims

    @cached_property
    def _queries(self) -> dict[str, _Instance]:
        held = {}
        for instance, case in tort.instances(self._source):
            place = Place(self._source.name, "line", case.line)
            claims = list(tort.claim_documents(case))
            texts = [text for side in tort.SIDES for text in _descriptions(instance, f"{side}_claims", place)]
            documents = {doc_id: Document(doc_id, text) for (_, doc_id, _), text in zip(claims, texts, strict=True)}
            verdicts = (case.court_decision, *(claim.is_accepted for _, _, claim in claims))
            facts = "\n".join(_descriptions(instance, "undisputed_facts", place))
            held[case.id] = _Instance(facts, documents, any(verdict is not None for verdict in verdicts))
        return held


def _descriptions(instance: dict[str, Any], key: str, place: Place) -> list[str]:
    entries = instance.get(key)
    listed = entries if isinstance(entries, list) else []
    held = [entry.get("description") for entry in listed if isinstance(entry, dict)]
    texts = [text.strip() for text in held if isinstance(text, str)]
    if not isinstance(entries, list) or len(texts) < len(entries):
        found, remedy = json.dumps(entries, ensure_ascii=False), 'expected [{"id": "0", "description": "…"}]'
        raise place.fault("structure", f"{key} is not a list of descriptions", found, remedy)
    return texts
