"""What a form of file is: how its first bytes show it, the rows that it holds, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy.typing as npt

from coliee_adapters.errors import Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms.lines import Note
from coliee_adapters.forms.vocabulary import GoldOrRun
from coliee_adapters.ids import BoolArray, Ids
from coliee_adapters.records import Answers, Gold, IdRule, Run, as_documents, as_labels

_Numbers = npt.NDArray[Any]

#: stands for the document of a query that has none, and for whatever else is not there
NOTHING: Final = object()


class Row(NamedTuple):
    """A document of a query, or the answer to one, as a file or a caller gives it.

    ``number`` is the relevance in a gold, the score in a run; ``rank`` decides only where there is no score; where
    ``retrieved`` says no, the row names its query and nothing else.
    """

    place: Place
    query: Any
    document: Any = NOTHING
    number: Any = NOTHING
    rank: Any = NOTHING
    answer: Any = NOTHING
    tag: Any = None
    retrieved: Any = NOTHING


#: role → the field of a row that it fills
FIELDS: Final[Mapping[str, str]] = {"relevance": "number", "score": "number"}


def place_of_row(path: str, part: str, first: int, i: int) -> Place:
    """Where a row stands whose number is ``i`` behind that of the first; no closure, as a run can be pickled."""
    return Place(path, part, first + i)


class Column(Sequence[Any]):
    """The values of a column, of which some may not be there; bytes that are not UTF-8 become lone surrogates.

    Attributes:
        values: texts as Ids, or an array of numbers or truth values.
        valid: shape (n,); which values are there; None if all are.
    """

    def __init__(self, values: Ids | _Numbers, valid: BoolArray | None = None) -> None:
        self.values, self.valid = values, valid

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self.values, Ids):
            texts, first = self.values.raw, self.values.first
            spans = zip(first.tolist(), (first + self.values.length).tolist(), strict=True)
            values: Iterable[Any] = (texts[start:stop].decode("utf-8", "surrogateescape") for start, stop in spans)
        else:
            values = self.values.tolist()
        if self.valid is None:
            return iter(values)
        return (value if is_there else None for value, is_there in zip(values, self.valid.tolist(), strict=True))

    def __getitem__(self, i: Any) -> Any:
        return list(self)[i]

    def ids(self) -> Ids | None:
        """Texts, or whole numbers from 0 on, as ids; None where any is not there, and for anything else."""
        if self.valid is not None or isinstance(self.values, Ids):
            return self.values if self.valid is None and isinstance(self.values, Ids) else None
        whole = self.values.dtype.kind in "iu" and not (self.values < 0).any()
        return Ids.of_numbers(self.values) if whole else None

    def numbers(self) -> _Numbers | None:
        """Numbers; None where any is not there, and for anything else."""
        if self.valid is not None or isinstance(self.values, Ids):
            return None
        return self.values if self.values.dtype.kind in "iuf" else None


class Values(NamedTuple):
    """Rows that follow each other, as columns: role → a value a row; and where each stands, by its number from 0."""

    columns: Mapping[str, Any]
    place: Callable[[int], Place]

    def rows(self) -> Iterator[Row]:
        """The rows one by one."""
        roles = [FIELDS.get(role, role) for role in self.columns]
        for i, values in enumerate(zip(*self.columns.values(), strict=True)):
            yield Row(self.place(i), **dict(zip(roles, values, strict=True)))


class Entries(NamedTuple):
    """A dictionary from queries to their documents; and its rows, for what cannot be taken as it stands."""

    queries: Mapping[Any, Any]
    rows: Callable[[], Iterator[Row]]


FoundRows: TypeAlias = Iterable[Row | Values | Entries]


class FormContent(NamedTuple):
    """What is written in a form."""

    # query → document → relevance or score; a label is the document ``Y`` or ``N``
    documents: Mapping[str, Mapping[str, float]]
    labels: Mapping[str, bool] | None = None  # query → label, where all or some of it are labels
    answers: bool = False  # whether it is labels alone
    scored: bool = True  # whether the numbers are more than an order, or than ones
    tag: str = ""  # the run tag; a gold has none
    template: Source | None = None  # the file that a form fills

    @classmethod
    def gold(cls, gold: Gold) -> FormContent:
        """A gold, whose labels may be its only relevant documents."""
        if gold.qrels is None:
            return cls(as_documents(gold.labels or {}), gold.labels, True, scored=False)
        graded = any(level != 1 for judged in gold.qrels.values() for level in judged.values())
        relevant = ({one: level for one, level in judged.items() if level > 0} for judged in gold.qrels.values())
        known = {query: one for (query, judged), one in zip(gold.qrels.items(), relevant, strict=True) if judged}
        labels = gold.labels if gold.labels is not None else as_labels(known)
        return cls(gold.qrels, labels, bool(labels) and not gold.labels, graded)

    @classmethod
    def submission(cls, answers: Answers, tag: str, template: Source | None = None) -> FormContent:
        """Answers."""
        return cls(as_documents(answers.labels), answers.labels, True, False, tag, template)


class Form(NamedTuple):
    """A form of file."""

    kind: GoldOrRun  # whether it is of golds or of runs
    name: str  # what ``--from`` and ``--to`` call it
    example: str  # a line of it, for people
    sniff: Callable[[bytes], bool]  # whether a file's first bytes show it
    rows: Callable[[Source, Note], FoundRows] | None = None  # what a file holds, with a word on what is tolerated
    # a run whose lines are read in blocks as arrays; None where a file does not allow it, and ``rows`` does
    run: Callable[[Source, IdRule], Run | Answers | None] | None = None
    task: Callable[[bytes], str | None] | None = None  # the task that the first bytes name
    write: Callable[[FormContent, Any], None] | None = None  # writes it; None if nothing is written in it
    # what a written file of this form has a place for: ``documents``, ``labels`` (as such or as documents named Y and
    # N), ``levels`` of relevance, ``order`` without scores, ``scores``, ``tag``, ``empty`` (queries with nothing
    # retrieved). What it has no place for is left out, and conversion says so
    can_write: Collection[str] = ()
    uses_template: bool = False  # whether it repeats another file, a template
    binary: bool = False  # whether it is no text; then ``write`` writes bytes
