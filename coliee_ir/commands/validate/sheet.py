"""A file under examination: its content lines as words, and as columns those that are understood."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from coliee_adapters.errors import cut
from coliee_adapters.files.source import Source
from coliee_adapters.forms.vocabulary import DIGITS, LABELS
from coliee_adapters.records import normal_id
from coliee_adapters.system_descriptions import Description
from coliee_ir.commands.validate.finding import Finding, Place, Rule
from coliee_ir.commands.validate.known import Known
from coliee_ir.rules.protocol import LONG_LIST_FILE, Protocol, SubmissionRules

#: how JSON and XML begin, and no line of columns
OTHER_FORMS: Final = ("{", "[", "<")

#: the columns of answers
LABELLED: Final = ("QUERY", "Y", "TAG")

#: what is meant for a label, though it may be none
_LIKE_LABELS: Final = {*LABELS, *DIGITS, "t", "f"}


#: how many places of a finding are kept, and how many characters of what stood there
_PLACES: Final = 3
_LONGEST: Final = 200


class Given(NamedTuple):
    """What files are checked by."""

    table: Mapping[str, Rule]
    task: str
    tasks: tuple[str, ...]  # those that it is checked for: a file of the pilot is scored for both of its tasks
    year: int | None
    rules: SubmissionRules
    protocol: Protocol
    known: Known
    queries: Sequence[Source] = ()
    columns: Mapping[str, str] = {}


class Sheet:
    """A file under examination. The lines that have all columns, but perhaps no run tag, are numbered from 0."""

    def __init__(self, name: str, source: Source, given: Given) -> None:
        self.name, self.source, self.given = name, source, given
        self.rules, self.protocol, self.known = given.rules, given.protocol, given.known
        #: how it is read: ``raw``, ``lines``, ``json``, ``claims``, ``stated``; then what it holds: ``documents``,
        #: ``answers``, ``long``, ``description``; empty if there is nothing more to look at
        self.kind = "raw"
        self.found: dict[str, Finding] = {}  # by the names of the rules
        self.tag = ""  # that of the first line with one
        self.described: Sequence[Description] = ()
        self.text = ""
        self.lines: list[str] = []
        self.ended = True  # whether its last line has its end
        # of each content line: its number, its words; of an odd one, as it stands and where each word begins
        self.numbers: Sequence[int | None] = ()
        self.queries = frozenset[str]()  # those that its lines begin with, known when the lines are forgotten
        self._words: list[list[str]] | None = []  # None until somebody asks for those of regular lines
        self.odd: dict[int, tuple[str, list[int]]] = {}
        # of each line that is understood: which it is, its columns as ``--fix`` writes them, which words these are
        # where they are not simply the first ones (None for one that is missing), its score if it is a number
        self.at: Sequence[int] = ()
        self.cells: list[list[str]] = []
        self.taken: dict[int, Sequence[int | None]] = {}
        self.scores: list[float | None] = []
        self.lists: dict[str, array[int]] = {}  # the lines of each query, those that repeat others too
        self.grouped = True  # whether they stand together
        self.doubted = set[int]()  # the lines with an id of which nothing more is to be said
        self.dropped = set[int]()  # those that ``--fix`` leaves out
        self.renumbered = set[str]()  # the queries whose ranks it writes anew

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
        """Count one more finding of a rule; the first remedy that a place gives stands for all."""
        finding = self.found.get(rule)
        if finding is None:
            finding = self.found[rule] = Finding(self.name, rule, self.given.table[rule], facts=facts)
        finding.count += 1
        finding.remedy = finding.remedy or remedy
        if len(finding.places) < _PLACES:
            shown = found if found is None else cut(found[: 4 * _LONGEST], _LONGEST)
            finding.places.append(Place(line, None if line is None else column, shown))

    @property
    def words(self) -> list[list[str]]:
        """The words of each content line, in ASCII where they can be."""
        if self._words is None:
            self._words = [line.split(" ") for line in self.lines]
        return self._words

    @property
    def regular(self) -> bool:
        """Whether its lines are words in single blanks, and nothing else is to be said of them."""
        return len(self.numbers) == len(self.lines) and not self.odd

    def hold(self, words: list[list[str]] | None, numbers: Sequence[int | None]) -> None:
        """Take lines as words, and see what they hold."""
        self._words, self.numbers = words, numbers
        labels = 0
        if self.rules.columns and "answers" in self.protocol.parts:
            labels = sum(len(row) in (2, 3) and row[1].lower() in _LIKE_LABELS for row in self.words)
        long = self.rules.long_list and re.search(LONG_LIST_FILE, self.name.rpartition("/")[2])
        is_labelled = not self.rules.columns or 2 * labels > len(numbers)
        self.kind = "answers" if is_labelled else "long" if long else "documents"

    def forget(self) -> None:
        """Keep nothing but what it holds, its queries and the run tag."""
        self.queries = self.queries or frozenset(normal_id(words[0]) for words in self.words if words)
        self.text, self.lines, self._words, self.cells, self.scores = "", [], [], [], []
        self.numbers, self.at, self.lists, self.odd, self.taken = (), (), {}, {}, {}

    @property
    def layout(self) -> Sequence[str]:
        """The columns."""
        return LABELLED if self.kind == "answers" else self.rules.columns

    @property
    def document(self) -> int:
        """Which column holds the documents or the answers."""
        return self.layout.index("DOCUMENT") if "DOCUMENT" in self.layout else 1

    @property
    def score(self) -> int | None:
        """Which column holds the scores."""
        return self.layout.index("SCORE") if "SCORE" in self.layout else None

    def counts(self) -> Counter[str]:
        """The queries, and how many lines each has; those that are not understood begin with it too."""
        if len(self.at) == len(self.numbers) and not self.dropped:
            return Counter(self.cells[0])
        queries = [normal_id(words[0]) for words in self.words]
        for i, at in enumerate(self.at):
            queries[at] = self.cells[0][i]
        dropped = {self.at[i] for i in self.dropped}
        return Counter(query for at, query in enumerate(queries) if at not in dropped)

    def kept(self) -> Iterable[int]:
        """The understood lines without those that are left out."""
        n = range(len(self.at))
        return [i for i in n if i not in self.dropped] if self.dropped else n

    def words_of(self, at: int) -> list[str]:
        """The words of one content line."""
        return self.lines[at].split(" ") if self._words is None else self._words[at]

    def line(self, at: int) -> str:
        """A content line in single blanks."""
        return " ".join(self.words_of(at))

    def place(self, i: int, cell: int) -> tuple[int | None, int]:
        """Line and column of one of the columns of an understood line."""
        at = self.at[i]
        word = self.taken[i][cell] if i in self.taken else range(len(self.layout))[cell]
        return self.numbers[at], self._column(at, len(self.words_of(at)) if word is None else word)

    def _column(self, at: int, word: int) -> int:
        """The column of a word; behind the last word, where the next would have begun but for a blank."""
        words = self.words_of(at)
        if word == len(words):
            return self._column(at, word - 1) + len(words[-1])
        return self.odd[at][1][word] if at in self.odd else 1 + word + sum(map(len, words[:word]))

    def documents(self, query: str) -> dict[str, int]:
        """The documents of a query, and where each first stands."""
        lines = [i for i in reversed(self.lists.get(query, ())) if i not in self.dropped]
        return {self.cells[self.document][i]: i for i in lines}

    def is_cut(self, at: int) -> bool:
        """Whether this is the last line and a file that was cut short ends in it."""
        if self.ended or at != len(self.numbers) - 1 or at == 0:
            return False
        before, words = self.words[-2:]
        if len(words) < len(self.layout):
            return len(words) < len(before)
        within_tag = words[-1] != before[-1] and before[-1].startswith(words[-1])
        return within_tag and len(words) == len(before) and len({row[-1] for row in self.words[:-1]}) == 1


def whole(text: str) -> int | None:
    """The whole number that a text stands for, if it is one."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def clean_tag(tag: str, longest: int | None = None) -> str:
    """A run tag of letters and digits, and of no more than so many."""
    return re.sub(r"[^A-Za-z0-9]+", "", tag)[:longest]
