"""Statute law, Tasks 3 to 5: statements of the bar examination as queries, articles of the Civil Code as documents."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from coliee_adapters.corpora import civil_code
from coliee_adapters.corpora.records import Corpus, Document, Query
from coliee_adapters.errors import Place, UsageError, printable
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, statute
from coliee_adapters.forms.markup import Element
from coliee_adapters.records import Gold


class StatuteCorpus(Corpus):
    """The pairs of statute XML, labelled or not, and the Civil Code; either may be left out.

    Both files are read when they are first asked for, and kept: together they are a few megabytes. Queries, the
    statements ``<t2>``, and documents come in the order of their files; the title of an article is its caption. All
    articles are candidates of every query.
    """

    def __init__(self, code: Source | None, pairs: Source | None) -> None:
        self.task = "3" if code is not None else "4"
        self.path = next(source.name for source in (code, pairs) if source is not None)
        self._code, self._pairs = code, pairs

    @cached_property
    def gold(self) -> Gold | None:
        """The articles and labels of the pairs; None where none has any."""
        labelled = self._pairs is not None and any(map(_is_labelled, statute.read_pairs(self._pairs).values()))
        return detect.read_gold(self._pairs, form="statute-xml") if self._pairs is not None and labelled else None

    def _query(self, query_id: str) -> Query:
        return Query(query_id, self._queries[query_id])

    def _documents(self, query_id: str) -> Mapping[str, Document]:
        return self._articles

    @cached_property
    def _articles(self) -> dict[str, Document]:
        if self._code is None:
            problem = f"{printable(self.path)} holds statements and no articles"
            raise UsageError("wrong-part", f"{problem}; read_corpus takes the Civil Code as its path, this as gold=")
        return civil_code.read(self._code)

    @cached_property
    def _queries(self) -> dict[str, str]:
        """The statements by id; some are empty."""
        held = {}
        for query, pair in (statute.read_pairs(self._pairs) if self._pairs is not None else {}).items():
            texts = [statement.text.strip() for statement in pair.iter("t2")]
            if not texts and self._pairs is not None:
                fault = Place(self._pairs.name, "line", pair.line).fault
                raise fault("missing-key", "this pair has no statement", query, "write it as <t2>…</t2>")
            held[query] = "\n".join(texts)
        return held


def _is_labelled(pair: Element) -> bool:
    given = (element.text.strip() or element.attributes.get("id") for element in pair.iter("t1", "article"))
    return bool(pair.attributes.get("label", "").strip()) or any(given)
