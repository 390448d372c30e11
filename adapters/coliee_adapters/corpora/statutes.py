"""Statute law, Tasks 3 to 5: statements of the bar examination as queries, articles of the Civil Code as documents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from coliee_adapters.corpora import civil_code
from coliee_adapters.corpora.records import Corpus, Document, Query
from coliee_adapters.errors import InputError, UsageError, printable
from coliee_adapters.files.source import Source
from coliee_adapters.forms import detect, statute
from coliee_adapters.forms.markup import Element
from coliee_adapters.records import Gold, normal_id


class StatuteCorpus(Corpus):
    """The pairs of statute XML, labelled or not, and the Civil Code; either may be left out.

    Both files are read when they are first asked for, and kept: together they are a few megabytes. Queries and
    documents come in the order of their files. All articles are candidates of every query.
    """

    def __init__(self, code: Source | None, pairs: Source | None) -> None:
        self.task = "3" if code is not None else "4"
        self.path = next(source.name for source in (code, pairs) if source is not None)
        self._code, self._pairs = code, pairs

    @cached_property
    def gold(self) -> Gold | None:
        """The articles and labels of the pairs."""
        return detect.read_gold(self._pairs, form="statute-xml") if self._pairs is not None and self._texts[1] else None

    def query_ids(self) -> tuple[str, ...]:
        return tuple(self._texts[0])

    def queries_iter(self) -> Iterator[Query]:
        """The statements, ``<t2>``; some are empty."""
        return (Query(query, text) for query, text in self._texts[0].items())

    def doc_ids(self) -> tuple[str, ...]:
        """The numbers of the articles: ``96``, ``398-20``."""
        return tuple(self._articles)

    def docs_iter(self) -> Iterator[Document]:
        """The articles; the title is the caption."""
        return iter(self._articles.values())

    def candidate_ids(self, query_id: str) -> tuple[str, ...]:
        if query_id not in self._texts[0]:
            raise self.no_such_query(query_id)
        return self.doc_ids()

    def find(self, doc_id: str) -> Document | None:
        return self._articles.get(normal_id(doc_id))

    @cached_property
    def _articles(self) -> dict[str, Document]:
        if self._code is None:
            raise UsageError(
                "wrong-part",
                f"{printable(self.path)} holds statements and no articles; "
                "read_corpus takes the Civil Code as its path, and this file as gold=",
            )
        return civil_code.read(self._code)

    @cached_property
    def _texts(self) -> tuple[dict[str, str], bool]:
        """The statements by id, and whether any pair has a label or an article."""
        pairs = statute.read_pairs(self._pairs) if self._pairs is not None else {}
        return {query: self._statement(pair) for query, pair in pairs.items()}, any(map(_is_labelled, pairs.values()))

    def _statement(self, pair: Element) -> str:
        statements = list(pair.iter("t2"))
        if not statements:
            raise InputError(
                "missing-key",
                self._pairs.name if self._pairs is not None else self.path,
                "this pair has no statement",
                line=pair.line,
                found=pair.attributes["id"],
                remedy="write it as <t2>…</t2>",
            )
        return "\n".join(statement.text.strip() for statement in statements)


def _is_labelled(pair: Element) -> bool:
    given = (element for element in pair.iter("t1", "article"))
    return bool(pair.attributes.get("label", "").strip()) or any(
        element.text.strip() or element.attributes.get("id") for element in given
    )
