"""A file under examination: what it is checked by, its lines, and what was found in it."""

from __future__ import annotations

import re
import shlex
from array import array
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import inf
from pathlib import Path
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import InputError, cut_to_width, printable, quoted
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.forms.lines import BLANKS
from coliee_adapters.forms.statute import names_no_article
from coliee_adapters.forms.vocabulary import DIGITS
from coliee_adapters.remarks import for_count
from coliee_adapters.system_descriptions import Description
from coliee_ir.commands.validate.rules import CONVERT, RULES, Severity
from coliee_ir.inbox.corpora import listed_ids, read_corpus
from coliee_ir.judging.mismatch import respelled
from coliee_ir.reading.anything import read_queries
from coliee_ir.rules.protocol import LONG_LIST_FILE, Protocol, SubmissionRules, protocol

#: how many places of a finding are kept, and how many characters of what stood there
_PLACES: Final = 3
_LONGEST: Final = 200

#: of a file that no other command reads
_NO_TEXT: Final = frozenset({"utf-16", "not-utf8"})

#: how JSON and XML begin, and no line of columns
OTHER_FORMS: Final = ("{", "[", "<")

#: the columns of answers
LABELLED: Final = ("QUERY", "Y", "TAG")

WIDE_BLANK: Final = re.compile(r"[^\S\x00-\x7f]")
_WORD: Final = re.compile(f"[^{BLANKS}]+")
_COMMA_WORD: Final = re.compile(r"""[^,;\s"']+""")
#: commas or semicolons end the first two words, as where a CSV is told from columns
_BY_COMMA: Final = re.compile(r"[^,;\s]*+\s*+[,;]\s*+[^,;\s]*+\s*+(?:[,;]|$)")

#: What is written in ASCII without a doubt: full-width letters, digits and marks, and the dashes of word processors.
_ASCII: Final = {
    **{0xFF01 + i: chr(0x21 + i) for i in range(94) if chr(0x21 + i).isalnum() or chr(0x21 + i) in "-._"},
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
}
_NO_WIDTH: Final = re.compile("[\x00-\x1f\x7f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


class Place(NamedTuple):
    """Where something was found: the 1-based line and column, where it has them, and what stood there."""

    line: int | None = None
    column: int | None = None
    found: str | None = None

    def __str__(self) -> str:
        where = "" if self.line is None else f"line {self.line}"
        where += "" if self.column is None else f", column {self.column}"
        found = "" if self.found is None else quoted(self.found)
        return f"{where}: {found}" if where and found else where or found


@dataclass(slots=True)
class Finding:
    """All that one rule found in one file.

    Attributes:
        file: the file as the user named it.
        rule: the rule's name.
        count: how often.
        places: the first three places.
        remedy: what to do, as the first place tells it; empty where none tells more than the rule.
        facts: what the rule's sentences leave open, by name.
        mended: in how many places the corrected copy, if one was written, does not have it any more.
    """

    file: str
    rule: str
    count: int = 0
    places: list[Place] = field(default_factory=list)
    remedy: str = ""
    facts: dict[str, object] = field(default_factory=dict)
    mended: int = 0
    _remedy_order: float = inf

    def add(self, line: int | None, column: int | None, found: str | None, remedy: str) -> None:
        """Count one more; of all places the first lines are kept, in whatever order they come."""
        self.count += 1
        order = inf if line is None else line
        if remedy and (not self.remedy or order < self._remedy_order):
            self.remedy, self._remedy_order = remedy, order
        place = Place(
            line,
            None if line is None else column,
            None if found is None else cut_to_width(found[: 4 * _LONGEST], _LONGEST),
        )
        insort(self.places, place, key=lambda known: inf if known.line is None else known.line)
        del self.places[_PLACES:]

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULES[self.rule].severity

    @property
    def source(self) -> str:
        """Who says so: of a number that differs by task and edition, who states it there."""
        return str(self.facts.get("source", RULES[self.rule].source))

    @property
    def fix(self) -> str:
        """What ``--fix`` does about it; empty where that takes a decision."""
        return RULES[self.rule].mended

    @property
    def says(self) -> str:
        """What was found, as a clause."""
        return self._in_words(RULES[self.rule].says)

    @property
    def command(self) -> str:
        """The command that does it; empty where there is none, or nothing is left to do."""
        pattern = "" if self.mended == self.count else str(self.facts.get("command", RULES[self.rule].command))
        file = "FILE" if self.file == "<stdin>" else shlex.quote(self.file)
        return re.sub("(^|, (?:or|and) )(?=.)", r"\1coliee-ir ", pattern).format_map(self.facts | {"file": file})

    @property
    def remedy_in_words(self) -> str:
        """The remedy of the places, or else that of the rule."""
        return self.remedy or self._in_words(RULES[self.rule].remedy)

    @property
    def advice(self) -> str:
        """What to do, and by which command."""
        return ": ".join(filter(None, (self.remedy_in_words, self.command)))

    def _in_words(self, pattern: str) -> str:
        for name, value in self.facts.items():
            pattern = pattern.replace(f"{{{name}}}", str(value))
        return for_count(pattern, self.count)

    def __str__(self) -> str:
        first = self.places[0] if self.places else Place()
        where = ":".join(str(part) for part in (printable(self.file), first.line, first.column) if part is not None)
        examples = "; ".join(str(place) for place in self.places if str(place))
        places = f" ({'first: ' if self.count > 1 else ''}{examples})" if examples else ""
        return f"{where}: {self.severity}: {self.says}{places}; {printable(self.advice)} [{self.rule}, {self.source}]"

    def to_dict(self) -> dict[str, Any]:
        """The finding as an entry of the JSON."""
        return {
            "file": self.file,
            "rule": self.rule,
            "severity": str(self.severity),
            "count": self.count,
            "says": self.says,
            "remedy": self.advice,
            "source": self.source,
            "fix": self.fix,
            "mended": self.mended,
            "places": [place._asdict() for place in self.places],
        }


class Pool(dict[str, None]):
    """Ids that there are, and what an id that is not among them was meant to be."""

    def __init__(self, ids: Iterable[str], where: str) -> None:
        super().__init__(dict.fromkeys(ids))
        width = max(map(len, self), default=0)
        #: the known id that another was probably meant to be
        self.respelled = cache(lambda text: respelled(text, self, width, where))


class Known(NamedTuple):
    """The ids that there are, as far as they were given."""

    asked: Pool | None = None  # the queries that must all be answered; None if not known
    queries: Pool | None = None  # those that there may be, of the corpus too
    documents: Callable[[str], Pool | None] = lambda _: None  # query → what it can retrieve; None if not known
    whole: bool = False  # whether a query's documents are few enough that more than half of them is a mistake
    judged: frozenset[str] = frozenset()  # the documents of the gold: not all that there are, but written as all are


def known_ids(queries: Sequence[Source], corpus: PathLike | None, rules: Protocol, judged: Iterable[str]) -> Known:
    """The ids of the files that name queries, and of a corpus or a list of documents."""
    ids = (query for file in queries for query in read_queries(file, rules=rules))
    asked = Pool(ids, "list of queries") if queries else None
    known = Known(asked, asked, judged=frozenset(judged))
    if corpus is None:
        return known
    try:
        opened = read_corpus(corpus, task=rules.task if rules.is_coliee else None)
        every = None if opened.own_documents else Pool(opened.doc_ids(), "corpus")
    except InputError:
        if (listed := listed_ids(corpus)) is None:
            raise
        every = Pool(listed, "corpus")
    else:
        if asked is None and Path(corpus).is_dir():  # of Task 1, a query is a case like others
            known = known._replace(queries=Pool(opened.query_ids() or opened.doc_ids(), "corpus"))
    if every is not None:
        return known._replace(documents=lambda _: every, whole=rules.cases_as_queries)
    own = cache(lambda query: Pool(opened.candidate_ids(query), "corpus") if query in opened.query_ids() else None)
    return known._replace(documents=own, whole=True)


class Context(NamedTuple):
    """What files are checked by."""

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
    rank: int | None = None
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

    ``kind`` is what it holds: ``documents``, ``answers``, ``long``, ``claims``, ``stated``, ``description``; empty if
    there is nothing more to look at.
    """

    name: str
    source: Source
    context: Context
    kind: str = ""
    found: dict[str, Finding] = field(default_factory=dict)  # by the names of the rules
    other_kinds: Sequence[str] = ()  # what it holds besides
    described: Sequence[Description] = ()
    lines: list[str] = field(default_factory=list)
    ended: bool = True  # whether its last line has its end
    #: of its lines with words, the numbers, the lines as they stand, and which are not simply words in single blanks
    numbers: Sequence[int | None] = ()
    contents: list[str] = field(default_factory=list)
    irregular: bytearray = field(default_factory=bytearray)  # of each line; of none where all are regular
    #: puts the words of a line, as it was split, into its columns; whether it can
    understands: Callable[[Line], bool] = lambda _: True
    #: the lines whose columns are understood, by query, and the others; the first tag and all, as copies write them
    queries: dict[str, array[int]] = field(default_factory=dict)
    left: list[int] = field(default_factory=list)
    tag: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False  # whether its last line is cut short
    labels: Mapping[str, int] = field(default_factory=dict)
    doubted: set[str] = field(default_factory=set)  # the queries of which nothing more is to be said
    counts: Counter[str] = field(default_factory=Counter)  # how many lines each query has, without repeated ones

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
            if facts.get("command", RULES[rule].command) == CONVERT and not _NO_TEXT.isdisjoint(self.found):
                facts["command"] = ""
            self.found[rule] = Finding(self.name, rule, facts=self._facts | facts)
        self.found[rule].add(line, column, found, remedy)

    @property
    def _facts(self) -> dict[str, object]:
        """What the commands of remedies name: the rules, the form of the submission, and the user's columns."""
        row, year, columns = self.context.protocol, self.context.year, self.context.columns
        rules = f"--task {row.task}" if row.is_coliee else f"--protocol {shlex.quote(row.own_file or row.task)}"
        names = shlex.quote(",".join(f"{role}={column}" for role, column in columns.items()))
        return {
            "rules": rules if year == protocol(row.task).newest else f"{rules} --edition {year}",
            "form": "labels" if self.kind == "answers" else self.context.rules.form or "labels",
            "columns_option": f" --columns {names}" if columns else "",
            "like": next((f" --like {shlex.quote(file.path)}" for file in self.context.queries), ""),
        }

    def words(self) -> Iterator[Sequence[str]]:
        """The words of each line with words, in ASCII where they can be."""
        for index, content in enumerate(self.contents):
            yield [word for word, _ in words_of(content)] if self._is_irregular(index) else content.split(" ")

    def _is_irregular(self, index: int) -> bool:
        return bool(self.irregular) and bool(self.irregular[index])

    def line(self, index: int) -> Line:
        """A line with words, read anew: of a file of which every line is wrong, only texts are kept."""
        content, starts = self.contents[index], list[int]()
        words = content.split(" ")
        if self._is_irregular(index):
            words, starts = map(list, zip(*words_of(content), strict=True))
        line = Line(index, self.numbers[index], words, words[:], starts)
        self.understands(line)
        return line

    def hold(self, contents: list[str], numbers: Sequence[int | None], irregular: bytearray | None = None) -> None:
        """Take lines with words, and see what they hold."""
        self.contents, self.numbers, self.irregular = contents, numbers, irregular or bytearray()
        protocol, rules, labels = self.context.protocol, self.context.rules, 0
        if rules.columns and "answers" in protocol.parts:
            labels = sum(
                len(words) in (2, 3) and (words[1] in DIGITS or names_no_article(words[1])) for words in self.words()
            )
        long = rules.long_list and re.search(LONG_LIST_FILE, self.name.rpartition("/")[2])
        is_labelled = not rules.columns or 2 * labels > len(numbers)
        self.kind = "answers" if is_labelled else "long" if long else "documents"

    def forget(self) -> None:
        """Keep what was found, what it holds, its queries and the run tag."""
        self.lines, self.contents, self.numbers, self.irregular, self.queries = [], [], (), bytearray(), {}

    def query_of_lines(self) -> list[str]:
        """The query of each line with words; empty where its columns are not understood."""
        query_of = [""] * len(self.contents)
        for query, rows in self.queries.items():
            for index in rows:
                query_of[index] = query
        return query_of

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


def word_matches(line: str, start: int = 0) -> list[re.Match[str]]:
    """The words of a line, in whatever blanks or between commas."""
    plain = WIDE_BLANK.sub(" ", line)
    by_comma = _BY_COMMA.match(plain[start:].strip(BLANKS))
    return list((_COMMA_WORD if by_comma else _WORD).finditer(plain, start))


def words_of(line: str) -> list[tuple[str, int]]:
    """The words of a line, in ASCII where they can be, each with its column."""
    return [(word, match.start() + 1) for match in word_matches(line) if (word := in_ascii(match[0]))]


def in_ascii(text: str) -> str:
    """A word with full-width letters and digits in ASCII, and without what cannot be seen."""
    return text if text.isascii() and text.isprintable() else _NO_WIDTH.sub("", text).translate(_ASCII)


def clean_tag(tag: str, longest: int | None = None) -> str:
    """A run tag of letters and digits, and of no more than so many."""
    return re.sub(r"[^A-Za-z0-9]+", "", tag)[:longest]
