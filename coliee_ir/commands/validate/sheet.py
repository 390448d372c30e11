"""A file under examination, and a line of it."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from coliee_adapters.files.source import Source
from coliee_adapters.forms.vocabulary import DIGITS, LABELS
from coliee_adapters.system_descriptions import Description
from coliee_ir.commands.validate.finding import Finding
from coliee_ir.commands.validate.known import Known
from coliee_ir.rules.protocol import LONG_LIST_FILE, Protocol, SubmissionRules

#: how JSON and XML begin, and no line of columns
OTHER_FORMS: Final = ("{", "[", "<")

#: the columns of answers
LABELLED: Final = ("QUERY", "Y", "TAG")

#: what is meant for a label, though it may be none
_LIKE_LABELS: Final = {*LABELS, *DIGITS, "t", "f"}


class Context(NamedTuple):
    """What files are checked by."""

    task: str
    tasks: tuple[str, ...]  # those that it is checked for: a file of the pilot is scored for both of its tasks
    year: int | None
    rules: SubmissionRules
    protocol: Protocol
    known: Known
    queries: Sequence[Source] = ()
    columns: Mapping[str, str] = {}


@dataclass(slots=True)
class Line:
    """A line with words. Its ``cells`` are its columns as they should be, and have the run tag last."""

    index: int  # among the lines with words
    number: int | None  # in its file, from 1; None in a file that has no such lines
    words: Sequence[str]
    cells: list[str]
    starts: Sequence[int] = ()  # the column at which each word begins; empty where single blanks are between them
    taken: Sequence[int | None] = ()  # which word each cell is, None for one that is missing; empty where all are
    score: float | None = None
    doubted: bool = False  # whether it has an id of which nothing more is to be said

    def place(self, cell: int) -> tuple[int | None, int]:
        """Line and column of one of its cells."""
        word = self.taken[cell] if self.taken else range(len(self.words))[cell]
        return self.number, self.start(len(self.words) if word is None else word)

    def start(self, word: int) -> int:
        """The column of a word; behind the last word, where the next would have begun but for a blank."""
        if word == len(self.words):
            return self.start(word - 1) + len(self.words[-1])
        return self.starts[word] if self.starts else 1 + word + sum(map(len, self.words[:word]))


@dataclass(slots=True)
class Sheet:
    """A file under examination.

    ``kind`` is how it is read: ``raw``, ``lines``, ``json``, ``claims``, ``stated``; then what it holds: ``documents``,
    ``answers``, ``long``, ``description``; empty if there is nothing more to look at.
    """

    name: str
    source: Source
    context: Context
    kind: str = "raw"
    found: dict[str, Finding] = field(default_factory=dict)  # by the names of the rules
    described: Sequence[Description] = ()
    text: str = ""
    lines: list[str] = field(default_factory=list)
    ended: bool = True  # whether its last line has its end
    #: of its lines with words, the numbers and the lines as they stand; what is not simply words in single blanks
    numbers: Sequence[int | None] = ()
    contents: list[str] = field(default_factory=list)
    odd: dict[int, Line] = field(default_factory=dict)
    #: the lines whose columns are understood, by query, and the others; the first tag and all, as copies write them
    queries: dict[str, array[int]] = field(default_factory=dict)
    left: list[int] = field(default_factory=list)
    tag: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False  # whether its last line is cut short
    labels: Mapping[str, int] = field(default_factory=dict)
    doubted: set[str] = field(default_factory=set)  # the queries of which nothing more is to be said
    dropped: set[int] = field(default_factory=set)  # the lines that repeat others
    counts: Counter[str] = field(default_factory=Counter)  # how many lines each query has without these

    def add(
        self,
        rule: str,
        line: int | None = None,
        column: int | None = None,
        found: str | None = None,
        *,
        remedy: str = "",
        **facts: object,
    ) -> None:
        """Count one more finding of a rule."""
        if rule not in self.found:
            self.found[rule] = Finding(self.name, rule, facts=facts)
        self.found[rule].add(line, column, found, remedy)

    def words(self) -> Iterator[Sequence[str]]:
        """The words of each line with words, in ASCII where they can be."""
        for index, content in enumerate(self.contents):
            yield self.odd[index].words if index in self.odd else content.split(" ")

    def line(self, index: int) -> Line:
        """A line with words, as if nobody had mended it."""
        if (odd := self.odd.get(index)) is not None:
            return Line(index, odd.number, odd.words, odd.cells[:], odd.starts, odd.taken, odd.score)
        words = self.contents[index].split(" ")
        return Line(index, self.numbers[index], words, words[:])

    def hold(self, contents: list[str], numbers: Sequence[int | None]) -> None:
        """Take lines with words, and see what they hold."""
        self.contents, self.numbers = contents, numbers
        protocol, rules, labels = self.context.protocol, self.context.rules, 0
        if rules.columns and "answers" in protocol.parts:
            labels = sum(len(words) in (2, 3) and words[1].lower() in _LIKE_LABELS for words in self.words())
        long = rules.long_list and re.search(LONG_LIST_FILE, self.name.rpartition("/")[2])
        is_labelled = not rules.columns or 2 * labels > len(numbers)
        self.kind = "answers" if is_labelled else "long" if long else "documents"

    def forget(self) -> None:
        """Keep what was found, what it holds, its queries and the run tag."""
        self.text, self.lines, self.contents, self.numbers, self.odd, self.queries = "", [], [], (), {}, {}

    @property
    def layout(self) -> Sequence[str]:
        """The columns."""
        return LABELLED if self.kind == "answers" else self.context.rules.columns

    def column(self, name: str) -> int | None:
        """Which column is called so; None where there is none."""
        return self.layout.index(name) if name in self.layout else None

    @property
    def document(self) -> int:
        """Which column holds the documents or the answers."""
        return self.column("DOCUMENT") or 1

    def first_place(self, query: str) -> tuple[int | None, int | None]:
        """Where a query stands first; nowhere if no line of it is understood."""
        return self.line(self.queries[query][0]).place(0) if query in self.queries else (None, None)


def clean_tag(tag: str, longest: int | None = None) -> str:
    """A run tag of letters and digits, and of no more than so many."""
    return re.sub(r"[^A-Za-z0-9]+", "", tag)[:longest]
