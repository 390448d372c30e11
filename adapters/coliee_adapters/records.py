"""The plain records that every reader yields: Gold, Run, Answers.

A *query* is whatever a task asks about (a case, a fragment, a question, an instance) and a *document* whatever is
returned for it (a case, a paragraph, an article, a claim). Both are known by their ids, which are text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Any, Final, Protocol, TypeAlias
from unicodedata import is_normalized, normalize

import numpy as np
import numpy.typing as npt

from coliee_adapters.checked import has_order, one_of
from coliee_adapters.files.source import Source
from coliee_adapters.ids import BoolArray, Ids, IntArray, changes
from coliee_adapters.remarks import Remarks


def normal_id(text: str) -> str:
    """An id as COLIEE compares it: without surrounding space and without a trailing ``.txt``.

    Leading zeros are kept: ``18`` is not ``000018``.

    >>> normal_id(" 000018.txt ")
    '000018'
    """
    return text.strip().removesuffix(".txt")


def are_normal(ids: Sequence[str]) -> bool:
    """Whether all ids stand as ``normal_id`` writes them: mostly, all of them together have nothing that it takes."""
    together = "".join(ids)
    plain = together.isascii() and together.isprintable() and not (" " in together or ".txt" in together)
    return plain or all(normal_id(text) == text for text in ids)


def exact_id(text: str) -> str:
    """An id as TREC compares it: as it stands."""
    return text


#: an id of a question, ``H18-1-2``, ``R02-10-E``, ``R1-18-U``: era and year, question, part (in exams in kana)
STATUTE_ID: Final = re.compile(r"[HR][0-9]{1,2}-[0-9]+-[0-9A-Z\u30a2-\u30f3]+")


def exam_of(query: str) -> str:
    """The exam that a question is of, its year in two digits: the organisers' own file of R01 has both spellings.

    >>> exam_of("R1-18-U"), exam_of("R01-1-A")
    ('R01', 'R01')
    """
    return query[0] + query[1 : query.index("-")].zfill(2)


#: a question of a Japanese exam: era, year, number, statement
_QUESTION: Final = r"(h|r|平成|令和)0*([0-9]+)年?-0*([0-9]+)-([aiueoアイウエオ]|[0-9]+)"
_LATIN: Final = str.maketrans("アイウエオ", "AIUEO")


def question_of(text: str) -> str:
    """The id of a question of an exam as the newest golds write it, from any spelling; another id itself.

    >>> question_of("r5-3-ア"), question_of("令和7年-1-A"), question_of("000018")
    ('R05-03-A', 'R07-01-A', '000018')
    """
    match = re.fullmatch(_QUESTION, normalize("NFKC", text).lower())
    if match is None:
        return text
    era = {"平成": "H", "令和": "R"}.get(match[1], match[1].upper())
    return f"{era}{match[2]:0>2}-{match[3]:0>2}-{match[4].upper().translate(_LATIN)}"


#: what separates documents where people write several into one text
SEPARATORS: Final = r"[\s,;、，；]+"
#: what an id of COLIEE's has not in it: it separates ids
COMMAS: Final = "[,;、，；]"
#: what to do about an id that is wrong
ONE_WORD: Final = "write each id as one word"
_BLANK: Final = "[ \t\n\v\f\r\ufeff]"  # other spaces are part of a word, as in trec_eval
#: characters without width, which pages and word processors leave in copied text; no id of COLIEE's has one
INVISIBLE: Final = "[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"


def wrong_id(ids: Sequence[str], *, commas: bool = True) -> tuple[str, str] | None:
    """The first of these ids that no line of columns could name, and what is wrong with it; None if all are right.

    >>> wrong_id(["000018", "025, 027"])
    ('025, 027', 'this id has a blank in it')
    """
    together = "".join(ids)
    plain = together.isascii() and together.isprintable() and " " not in together
    if plain and all(ids) and (commas or not ("," in together or ";" in together)):
        return None
    for text in ids:
        if not text:
            return text, "this id is empty"
        if match := re.search(_BLANK, text):
            what = {"\n": "line end", "\r": "line end", "\ufeff": "byte order mark"}.get(match[0], "blank")
            return text, f"this id has a {what} in it"
        if not commas and re.search(COMMAS, text):
            return text, "this id has a comma or a semicolon in it"
        if not commas and (match := re.search(INVISIBLE, text)):
            return text, f"this id has an invisible character in it (U+{ord(match[0]):04X})"
        if re.search("[\ud800-\udfff]", text):  # no file can hold it
            return text, "this id has an unpaired surrogate in it"
    return None


def as_documents(labels: Mapping[str, bool]) -> dict[str, dict[str, int]]:
    """Labels as documents: each query has one relevant document, ``Y`` or ``N``.

    >>> as_documents({"R07-01-O": True})
    {'R07-01-O': {'Y': 1}}
    """
    return {query: {"Y" if label else "N": 1} for query, label in labels.items()}


def as_labels(documents: Mapping[str, Mapping[str, float]]) -> dict[str, bool] | None:
    """The labels that documents named Y and N stand for, one a query; None if anything else is there.

    >>> as_labels({"R07-01-O": {"Y": 1}}), as_labels({"R07-01-O": {"697": 1}})
    ({'R07-01-O': True}, None)
    """
    if not all(len(judged) == 1 and next(iter(judged)) in ("Y", "N") for judged in documents.values()):
        return None
    return {query: "Y" in judged for query, judged in documents.items()}


#: A block from memory ends with the query that makes it longer.
_MANY = 1 << 12

#: How ids are compared: ``normal_id`` for COLIEE's tasks, ``exact_id`` for plain TREC.
IdRule = Callable[[str], str]

#: Relevances go up to here, and down to its negative. trec_eval counts levels one by one, and for nDCG compares each
#: with each: a relevance of a million takes it hours, one of a billion ends the process.
GREATEST_RELEVANCE = 9999


class Columns:
    """A block of consecutive lines of a run as columns, in the order of the file.

    Lines of one query that follow each other stand in a segment: ``documents[starts[i]:starts[i + 1]]`` are those of
    ``queries[i]``. A query may come back in a later segment or block.

    Attributes:
        queries: the query of each segment.
        starts: shape (segments + 1,); where each segment starts, and the number of lines.
        documents: a document a line.
        scores: shape (lines,); one score a line; the negative rank where there are ranks and no scores; None where the
            order of lines ranks.
        ranks: the rank column, where there is one; it never decides, it is only compared.
        remarks: what was tolerated in these lines.
    """

    def __init__(
        self,
        queries: Iterable[str],
        starts: Sequence[int] | IntArray,
        documents: Iterable[str],
        scores: Sequence[float] | npt.NDArray[np.float64] | None = None,
        ranks: Sequence[str] | IntArray | None = None,
        remarks: Remarks | None = None,
    ) -> None:
        self.queries, self.documents = Ids.of(queries), Ids.of(documents)
        self.starts: IntArray = np.asarray(starts, dtype=np.int64)
        self.scores = None if scores is None else np.asarray(scores, dtype=np.float64)
        self.ranks, self.remarks = ranks, Remarks() if remarks is None else remarks

    @classmethod
    def joined(cls, parts: Sequence[Columns]) -> Columns:
        """The lines of several blocks as one."""
        if len(parts) == 1:
            return parts[0]
        scores = [block.scores for block in parts if block.scores is not None]
        ranks = [block.ranks for block in parts if block.ranks is not None]
        arrays = [part for part in ranks if isinstance(part, np.ndarray)]
        together = np.concatenate(arrays) if arrays and len(arrays) == len(ranks) else [*map(str, chain(*ranks))]
        return cls(
            Ids.joined([block.queries for block in parts]),
            np.concatenate(([0], np.cumsum(np.concatenate([block.lengths for block in parts])))),
            Ids.joined([block.documents for block in parts]),
            np.concatenate(scores) if scores else None,
            together if ranks else None,
            sum((block.remarks for block in parts), Remarks()),
        )

    def merged(self) -> Columns:
        """The same with neighbours of one query as one segment."""
        if len(self.queries) < 2 or len(first := changes(self.queries)) > len(self.queries):
            return self
        queries, starts = self.queries.select(first[:-1]), self.starts[first]
        return Columns(queries, starts, self.documents, self.scores, self.ranks, self.remarks)

    def grouped(self, number: dict[str, int]) -> tuple[IntArray, Columns]:
        """The numbers of its queries, in rising order, and the lines with those of a query together, in this order.

        Queries without a number get the next ones.
        """
        numbers = np.array([number.setdefault(query, len(number)) for query in self.queries], dtype=np.int64)
        return np.unique(numbers), self.of_segments(np.argsort(numbers, kind="stable")).merged()

    @cached_property
    def lengths(self) -> IntArray:
        """Shape (segments,); how many lines each has."""
        return self.starts[1:] - self.starts[:-1]

    @cached_property
    def segment(self) -> IntArray:
        """Shape (lines,); the segment of each."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def continues_segment(self) -> BoolArray:
        """Whether each line but the first is of the same segment as the one before."""
        same: BoolArray = self.segment[1:] == self.segment[:-1]
        return same

    def segments(self) -> Iterator[tuple[str, int, int]]:
        """The query of each segment, its first line, and the line behind its last."""
        yield from zip(self.queries, self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)

    def lines_where(self, kept: BoolArray) -> Columns:
        """The lines where a mask is true, of the same segments."""
        return self._picked(self.queries, np.bincount(self.segment[kept], minlength=len(self.lengths)), kept)

    def of_segments(self, which: BoolArray | IntArray | slice) -> Columns:
        """The lines of the segments where a mask is true, or of those at some places, in that order."""
        if isinstance(which, slice):
            first, last, _ = which.indices(len(self.lengths))
            view = slice(int(self.starts[first]), int(self.starts[last]))
            return self._picked(self.queries.select(which), self.lengths[which], view)
        if which.dtype == np.bool_:
            if which.all():
                return self
            which = np.flatnonzero(which)
        lengths = self.lengths[which]
        before = np.cumsum(lengths) - lengths
        lines: IntArray = np.arange(lengths.sum()) + np.repeat(self.starts[:-1][which] - before, lengths)
        return self._picked(self.queries.select(which), lengths, lines)

    def _picked(self, queries: Ids, lengths: IntArray, lines: BoolArray | IntArray | slice) -> Columns:
        ranks = self.ranks
        if isinstance(ranks, np.ndarray) or (ranks is not None and isinstance(lines, slice)):
            ranks = ranks[lines]  # type: ignore[index]  # a list by a slice
        elif ranks is not None and not isinstance(lines, slice):
            ranks = [ranks[i] for i in (np.flatnonzero(lines) if lines.dtype == np.bool_ else lines).tolist()]
        starts = np.concatenate(([0], np.cumsum(lengths)))
        scores = None if self.scores is None else self.scores[lines]
        return Columns(queries, starts, self.documents.select(lines), scores, ranks, self.remarks)


class Judgements(Mapping[str, Mapping[str, int]]):
    """Query → document → relevance, held as columns: the dictionary of a query is made when it is asked for."""

    def __init__(self, queries: Sequence[str], start: IntArray, documents: Ids, relevance: IntArray) -> None:
        #: the rows of query i are ``start[i]:start[i + 1]``
        self.start, self.documents, self.relevance = start, documents, relevance
        self._numbers = {query: number for number, query in enumerate(queries)}

    def __getitem__(self, query: str) -> dict[str, int]:
        number = self._numbers[query]
        rows = slice(*self.start[number : number + 2].tolist())
        return dict(zip(self.documents[rows], self.relevance[rows].tolist(), strict=True))

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True, slots=True)
class Gold:
    """What is right: the relevant documents of each query, or its label, or both.

    Attributes:
        qrels: query → document → relevance, in the order of the file; None where the form has no documents.
            A query may have no document at all.
        labels: query → True for Y, False for N; None where the form has no labels.
        path: the file as the user named it.
        format: the name of its form, see ``coliee_adapters.forms.detect``.
        task: the task that the file itself names, if it does.
        remarks: what was tolerated while reading.
        files: query → the file that it comes from, where several golds are one; else empty.
        other_parts: part → what is right of it, as in ``qrels``, for parts other than documents and labels.
    """

    qrels: Mapping[str, Mapping[str, int]] | None = None
    labels: Mapping[str, bool] | None = None
    path: str = "<memory>"
    format: str = "memory"
    task: str | None = None
    remarks: Remarks = field(default_factory=Remarks)
    files: Mapping[str, str] = field(default_factory=dict)
    other_parts: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)

    @property
    def queries(self) -> tuple[str, ...]:
        """The ids of the judged queries, in the order of the file."""
        return tuple(dict.fromkeys((*(self.qrels or ()), *(self.labels or ()))))


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """What a system returned: for each query, documents in an order.

    A run is read when its blocks are asked for, and may be read again.

    Attributes:
        blocks: gives the lines as blocks of columns, from the first on.
        tag: the run's name.
        scored: whether documents have scores; if not, the order of lines, or of ranks, is the ranking.
        path: the file as the user named it.
        format: the name of its form.
        split: gives the run as several runs over parts of its file, at most so many; None where it has no parts.
        grouped: whether each query is known to be in one block, and not to come back.
        other_parts: part → what else the same file holds.
    """

    blocks: Callable[[], Iterator[Columns]]
    tag: str = "run"
    scored: bool = True
    path: str = "<memory>"
    format: str = "memory"
    split: Callable[[int], list[Run]] | None = None
    grouped: bool = False
    other_parts: Mapping[str, Run | Answers] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rankings: Mapping[str, Iterable[str] | Mapping[str, float]],
        *,
        tag: str = "run",
        path: str = "<memory>",
        format: str = "memory",
        remarks: Remarks | None = None,
    ) -> Run:
        """A run from memory: query → documents in order, or query → document → score (all queries alike)."""
        one_of("a run", rankings, Mapping, "a dictionary from query ids to documents, or to documents with scores")
        scored = any(isinstance(ranking, Mapping) for ranking in rankings.values())
        rankings, without_order = with_lists(rankings)
        if without_order:
            remarks = (remarks or Remarks()) + Remarks()
            remarks.each("unordered", without_order)
        blocks = partial(_blocks_of, rankings, scored, remarks)
        return cls(blocks, tag=tag, scored=scored, path=path, format=format, grouped=True)


def with_lists(rankings: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], list[str]]:
    """What queries hold, with lists for what can be read once, and for sets; and whose documents have no order.

    Sets are sorted by id. Pairs of a document and a score are in the order of their scores.

    >>> with_lists({"q1": {"d2", "d1"}, "q2": ["d4", "d3"], "q3": {"d5"}})
    ({'q1': ['d1', 'd2'], 'q2': ['d4', 'd3'], 'q3': ['d5']}, ['query q1'])
    """
    if set(map(type, rankings.values())) <= {dict, list, tuple, str}:
        return rankings, []
    sets = {query: sorted(documents, key=repr) for query, documents in rankings.items() if not has_order(documents)}
    once = {query: list(documents) for query, documents in rankings.items() if isinstance(documents, Iterator)}
    without_order = [
        query for query, documents in sets.items() if len(documents) > 1 and not isinstance(documents[0], tuple)
    ]
    return {**rankings, **sets, **once}, [f"query {query}" for query in without_order]


def _blocks_of(
    rankings: Mapping[str, Iterable[str] | Mapping[str, float]], scored: bool, remarks: Remarks | None
) -> Iterator[Columns]:
    """The lines of a run from memory."""
    queries: list[str] = []
    starts = [0]
    documents: list[str] = []
    scores: list[float] = []
    for query, ranking in rankings.items():
        queries.append(query)
        documents += ranking
        if isinstance(ranking, Mapping):
            scores += map(float, ranking.values())
        starts.append(len(documents))
        if len(documents) > _MANY:
            yield Columns(queries, starts, documents, scores if scored else None, None, remarks)
            queries, starts, documents, scores, remarks = [], [0], [], [], None
    yield Columns(queries, starts, documents, scores if scored else None, None, remarks)


@dataclass(frozen=True, slots=True)
class Answers:
    """What a system answered: for each query yes or no.

    Attributes:
        labels: query → True for Y, False for N, in the order of the file.
        tag: the run's name.
        path: the file as the user named it.
        format: the name of its form.
        remarks: what was tolerated while reading.
        unreadable: the queries whose answer is neither Y nor N; they are not in ``labels``.
        other_parts: part → what else the same file holds.
    """

    labels: Mapping[str, bool]
    tag: str = "run"
    path: str = "<memory>"
    format: str = "memory"
    remarks: Remarks = field(default_factory=Remarks)
    unreadable: tuple[str, ...] = ()
    other_parts: Mapping[str, Run | Answers] = field(default_factory=dict)


# What can hold a gold or a run: what a type checker accepts where ``read_gold`` and ``read_run`` read.


class Frame(Protocol):
    """A data frame: pandas, polars, Arrow, DuckDB."""

    @property
    def columns(self) -> Any:
        """The names of its columns."""
        ...


class ArrowStream(Protocol):
    """Whatever hands out columns through Arrow's C stream: a frame of any library, a reader of batches."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule with the stream."""
        ...


class LazyFrame(Protocol):
    """A lazy frame of polars."""

    def collect(self) -> Any:
        """The frame."""
        ...


class HasToDict(Protocol):
    """What holds a dictionary: a Series of labels by query, ranx's Run and Qrels."""

    def to_dict(self) -> Any:
        """The dictionary."""
        ...


#: A path, ``-`` for standard input, or an opened file.
FileLike: TypeAlias = str | os.PathLike[str] | Source

#: Rows with the fields ``query_id``, ``doc_id`` and so on: named tuples or dictionaries.
Rows: TypeAlias = Iterable[tuple[Any, ...]] | Iterable[Mapping[str, Any]]

#: What ``read_gold`` takes: a file or several, ``{query: {document: relevance}}``, ``{query: [document]}``,
#: ``{query: "Y"}``, a frame, rows, a Gold.
GoldLike: TypeAlias = (
    FileLike | Sequence[FileLike | Gold] | Gold | Mapping[Any, Mapping[Any, int]] | Mapping[Any, Iterable[Any] | bool]
    | Frame | ArrowStream | LazyFrame | HasToDict | Rows
)  # fmt: skip

#: What ``read_run`` takes: a file, ``{query: {document: score}}``, ``{query: [document]}``, ``{query: "Y"}``, a frame,
#: rows, a Run, Answers.
RunLike: TypeAlias = (
    FileLike | Run | Answers | Mapping[Any, Mapping[Any, float]] | Mapping[Any, Iterable[Any] | bool]
    | Frame | ArrowStream | LazyFrame | HasToDict | Rows
)  # fmt: skip


def nfkc_folded(text: str) -> str:
    r"""The form in which all texts are equal that people read as one: NFKC, without characters that have no width.

    >>> nfkc_folded("e\u0301 １"), nfkc_folded("1\u200b")
    ('é 1', '1')
    """
    if text.isascii():
        return text
    return normalize("NFKC", re.sub(INVISIBLE, "", normalize("NFKC", text))).strip()


def is_folded(text: str) -> bool:
    """Whether a text is in that form."""
    return is_normalized("NFKC", text) and not re.search(INVISIBLE, text)


def spelling_variants(ids: Iterable[str], known: Collection[str]) -> list[tuple[str, str]]:
    """Of ids that are not known, those that differ from a known one only in their form: (id, known id)."""
    ids = list(ids)
    if not ids or (all(map(str.isascii, ids)) and all(map(str.isascii, known))):
        return []
    meant = {nfkc_folded(text): text for text in known}
    return [(text, other) for text in ids if (other := meant.get(nfkc_folded(text), text)) != text]
