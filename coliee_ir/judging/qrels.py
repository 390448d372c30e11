"""Qrels: a gold numbered, so that judging is arithmetic on arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from coliee_adapters.ids import MASKS, PADDING, Collection, Forms, Ids, IntArray, mixed
from coliee_adapters.normal_forms import folded
from coliee_adapters.statute import STATUTE_ID

BoolArray = npt.NDArray[np.bool_]

#: up to so many ids, looking each up is as fast as comparing all at once
_FEW = 512

#: bytes in a word; a word of digits 0, and the upper half of each byte
_WORD = 8
_ZEROS, _HALVES = np.uint64(0x3030303030303030), np.uint64(0xF0F0F0F0F0F0F0F0)

_ARTICLES = Ids.of(["96", "398-20", "398-20-2"]).forms()


class Qrels:
    """A gold, numbered: queries are 0 … Q-1, their judged documents the rows 0 … D-1.

    Args:
        judgements: query → document → relevance, in the order in which they are numbered.
        level: the least relevance that counts as relevant, as trec_eval's ``-l``.

    Attributes:
        queries: the Q query ids.
        documents: the D document ids.
        start: shape (Q + 1,); the rows of query i are ``start[i]:start[i + 1]``.
        level: see above.
        graded: shape (D,); the relevance as it is judged, of which measures make their gains.
        relevance: shape (D,); the same, and 0 below the level.
    """

    __slots__ = (
        "_are_articles",
        "_by_id",
        "_by_key",
        "_digits",
        "_folded",
        "_forms",
        "_index",
        "_keys",
        "_places",
        "_plain",
        "_texts",
        "_words",
        "documents",
        "graded",
        "leading_zeros",
        "level",
        "queries",
        "relevance",
        "start",
    )

    def __init__(self, judgements: Mapping[str, Mapping[str, int]], level: int = 1) -> None:
        self.queries = tuple(judgements)
        counts = [len(judged) for judged in judgements.values()]
        self.start: IntArray = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        self.documents = Ids.of([document for judged in judgements.values() for document in judged])
        #: shape (D,); whether a document's id begins with a zero, which a run may have lost
        self.leading_zeros: BoolArray = np.frombuffer(self.documents.raw, np.uint8)[self.documents.first] == ord("0")
        self.level = level
        self.graded: IntArray = np.array([r for judged in judgements.values() for r in judged.values()], np.int64)
        self.relevance = self.graded
        if level > 1:
            self.relevance = np.where(self.graded < level, self.graded.clip(max=0), self.graded)
        self._forms: Forms | None = None
        self._digits: int | None = None  # 0 for ids that are not numbers of one length
        self._are_articles: bool | None = None
        self._folded: list[str] | None = None
        self._texts: list[str] | None = None
        self._by_id: IntArray | None = None
        self._places: tuple[Collection, IntArray | None] | None = None
        self._index = {query: number for number, query in enumerate(self.queries)}
        ids = Ids.of(self.queries)
        self._words = ids.words(ids.words_needed())
        keys = mixed(self._words, ids.length)
        self._by_key = np.argsort(keys)
        self._keys = keys[self._by_key]
        # told apart by their keys, and by no more than the words that the keys are made of
        self._plain = bool(np.all(self._keys[1:] != self._keys[:-1])) and int(ids.length.max(initial=0)) <= PADDING

    def same_as(self, other: Qrels) -> bool:
        """Whether the other numbers the same gold, perhaps unpickled from it."""
        if self is other:
            return True
        arrays = ("start", "graded", "relevance", "leading_zeros")
        return (
            self.queries == other.queries
            and self.documents.raw == other.documents.raw
            and np.array_equal(self.documents.length, other.documents.length)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
        )

    def numbers(self, queries: Ids) -> IntArray:
        """The number of each query; -1 for one that is not judged.

        :meta private:
        """
        if len(queries) < _FEW or not self._plain or not len(self.queries):
            return np.array([self._index.get(query, -1) for query in queries], dtype=np.int64)
        words = queries.words(len(self._words))
        keys = mixed(words, queries.length)
        near = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        found = self._by_key[near]
        same = self._keys[near] == keys
        for word, own in zip(words, self._words, strict=True):
            same &= word == own[found]
        return np.where(same & (queries.length <= 8 * len(words)), found, -1)

    @property
    def sizes(self) -> IntArray:
        """How many documents of each query are judged; shape (Q,)."""
        return self.start[1:] - self.start[:-1]

    def relevant(self, rel: int = 1) -> IntArray:
        """How many documents of each query have at least this relevance; shape (Q,)."""
        return self.sums(self.relevance >= rel)

    def sums(self, rows: npt.NDArray[np.generic]) -> IntArray:
        """Sums over the rows of each query; shape (Q,)."""
        totals = np.concatenate(([0], np.cumsum(rows, dtype=np.int64)))
        return totals[self.start[1:]] - totals[self.start[:-1]]

    def are_alike(self, documents: Ids) -> bool:
        """Whether any of these looks like a judged document, see ``Forms``.

        :meta private:
        """
        if self._forms is None:
            self._forms = Forms.of(self.documents)
        return self._forms.include_any(documents)

    @property
    def digits(self) -> int | None:
        """How many digits each document's id has, where zeros fill them up to one length; None for other ids."""
        if self._digits is None:
            length = int(self.documents.length.max(initial=0))
            filled_up = self.leading_zeros.any() and (self.documents.length == length).all()
            self._digits = length if filled_up and self.documents.are_numbers().all() else 0
        return self._digits or None

    def unlike(self, documents: Ids) -> IntArray:
        """Which of these are not in the form of the judged documents, where that is known.

        It is where all are articles of statute law, or numbers filled up with zeros, of which longer ones may exist if
        they do not begin with a zero.

        :meta private:
        """
        if self._are_articles is None:
            of_law = bool(self.queries) and STATUTE_ID.fullmatch(self.queries[0]) is not None
            self._are_articles = of_law and bool(len(self.documents)) and not _unlike_articles(self.documents).any()
        if self._are_articles:
            return np.flatnonzero(_unlike_articles(documents))
        digits = self.digits
        if digits is None:
            return np.zeros(0, np.int64)
        suspects = documents.length != digits
        if digits <= _WORD:  # looked at in bulk: a digit is from 0x30 to 0x39
            (word,) = documents.words(1)
            suspects |= ((word ^ _ZEROS) & _HALVES & MASKS[digits]) != 0
        others = np.flatnonzero(suspects)
        if not len(others):
            return others
        of_others = documents.at(others)
        first = np.frombuffer(of_others.raw, np.uint8)[of_others.first]
        filled_up = (of_others.length > digits) & (first == ord("0"))
        odd: IntArray = others[~of_others.are_numbers() | filled_up]
        return odd

    @property
    def texts(self) -> list[str]:
        """The D document ids as texts, kept for the next run."""
        if self._texts is None:
            self._texts = list(self.documents)
        return self._texts

    @property
    def by_id(self) -> IntArray:
        """Query numbers in the order in which trec_eval adds: by id, compared as bytes; kept for the next run."""
        if self._by_id is None:
            # code points order text as UTF-8 orders its bytes
            self._by_id = np.array(sorted(range(len(self.queries)), key=self.queries.__getitem__), dtype=np.int64)
        return self._by_id

    @property
    def folded(self) -> list[str] | None:
        """The D document ids in the form in which they are compared by eye; None where all are ASCII.

        :meta private:
        """
        if self._folded is None and not self.documents.raw.isascii():
            self._folded = list(map(folded, self.texts))
        return self._folded

    def places_in(self, collection: Collection) -> IntArray | None:
        """The number of each document in a collection, kept for the next run; a negative one, its own, for one missing.

        None where the collection has an id twice.

        :meta private:
        """
        if self._places is None or self._places[0] is not collection:
            places = collection.places(self.documents)
            rows = np.arange(len(self.documents))
            self._places = collection, None if places is None else np.where(places < 0, -1 - rows, places)
        return self._places[1]

    def rows(self, numbers: IntArray) -> IntArray:
        """The rows of several queries, one query after the other."""
        counts = self.sizes[numbers]
        before = np.cumsum(counts) - counts
        return np.repeat(self.start[numbers] - before, counts) + np.arange(counts.sum())


def _unlike_articles(documents: Ids) -> BoolArray:
    """Which ids are not written as articles are: 96, 398-20; a leading zero is none of their form."""
    first = np.frombuffer(documents.raw, np.uint8)[documents.first]
    alike: BoolArray = (documents.forms()[:, None] == _ARTICLES).any(axis=1) & (first != ord("0"))
    return ~alike  # np.isin would load numpy.ma
