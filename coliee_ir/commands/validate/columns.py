"""A file of columns under examination: which word of a line is which column, and the run tag."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from coliee_adapters.errors import InputError
from coliee_adapters.forms.columns import LastColumn, last_column
from coliee_adapters.forms.statute import DIGITS, LABELS
from coliee_adapters.forms.vocabulary import roles_of
from coliee_adapters.records import normal_id
from coliee_ir.commands.validate.findings import Add
from coliee_ir.commands.validate.rows import Row
from coliee_ir.judging.order import order_of
from coliee_ir.rules.protocol import SubmissionRules

_NO_TAG: Final = re.compile(r"[^A-Za-z0-9]+")
_MARK: Final = re.compile(r"[!-/:-@\[-`{-~]")

#: how JSON and XML begin, and no line of columns
OTHER_FORMS: Final = ("{", "[", "<")

#: the columns of answers
LABELLED: Final = ("QUERY", "Y", "TAG")
_TREC: Final = 6
#: what vocabularies call these columns
_ROLES: Final = {
    "QUERY": "query", "DOCUMENT": "document", "Y": "answer", "RANK": "rank", "SCORE": "score", "TAG": "tag",
}  # fmt: skip


class Sheet:
    """A file of columns under examination."""

    def __init__(self, rows: list[Row], kind: str, rules: SubmissionRules, add: Add, *, ended: bool = True) -> None:
        self.rows, self.kind, self.rules, self.add, self.ended = rows, kind, rules, add, ended
        self.layout = LABELLED if kind == "answers" else rules.columns
        #: which column holds the documents or the answers, and which the scores
        self.document = self.layout.index("DOCUMENT") if "DOCUMENT" in self.layout else 1
        self.score = self.layout.index("SCORE") if "SCORE" in self.layout else None
        #: the queries whose ranks ``--fix`` writes anew
        self.renumbered: set[str] = set()
        self._named = ""

    @property
    def understood(self) -> list[Row]:
        """The rows that have all columns, but perhaps no run tag."""
        return [row for row in self.rows if row.cells is not None]

    @property
    def tag(self) -> str:
        """The run tag of the first line that has one; empty if none has."""
        return next((cells_of(row)[-1] for row in self.understood if cells_of(row)[-1]), self._named)

    def forget(self) -> None:
        """Keep nothing but the run tag."""
        self._named, self.rows = self.tag, []

    @property
    def queries(self) -> dict[str, int]:
        """The queries, and how many lines each has; those that are not understood begin with it too."""
        return Counter(_query_of(row) for row in self.rows if not row.dropped)

    def lists(self) -> dict[str, list[Row]]:
        """The understood rows of each query, those that repeat others too."""
        lists: dict[str, list[Row]] = {}
        for row in self.understood:
            lists.setdefault(cells_of(row)[0], []).append(row)
        return lists

    def documents(self) -> dict[str, dict[str, Row]]:
        """The documents of each query, or its answers, and where they stand."""
        return {
            query: {cells_of(row)[self.document]: row for row in reversed(rows) if not row.dropped}
            for query, rows in self.lists().items()
        }

    def retag(self, tags: Mapping[str, str]) -> None:
        """Write other run tags, for those that there are others for."""
        for row in self.rows:
            if row.cells is not None:
                row.cells[-1] = tags.get(row.cells[-1], row.cells[-1])
            elif (last := row.raw.split()[-1]) in tags:  # beside the new tag, the old one would be read as a document
                row.raw = row.raw.rstrip().removesuffix(last) + tags[last]

    def name(self, tag: str) -> None:
        """Write this run tag in every line."""
        self.retag({cells_of(row)[-1]: tag for row in self.understood})

    def mended(self) -> Iterator[str]:
        """The lines as ``--fix`` writes them: those of a query together. What takes a decision stays as it stands."""
        cut = [row for row in self.rows[-1:] if self.is_cut(row)]
        groups: dict[str, list[Row]] = {}
        query = ""
        for row in self.rows[: len(self.rows) - len(cut)]:
            if row.cells is not None and self.kind != "answers":  # what is not understood stays in its place
                query = row.cells[0]
            groups.setdefault(query, []).extend([] if row.dropped else [row])
        for query, rows in groups.items():
            if query in self.renumbered:
                _renumber(rows, self.layout.index("RANK"))
            for row in rows if self.score is not None else _by_score(rows, self.document):
                text = " ".join(filter(None, row.cells or ()))
                # nor is a line written that would be read as something else
                yield f"{row.raw if not text or text.startswith(('#', '/*', *OTHER_FORMS)) else text}\n"
        yield from (row.raw for row in cut)

    def is_cut(self, row: Row) -> bool:
        """Whether this is the last line and a file that was cut short ends in it."""
        if self.ended or row is not self.rows[-1] or len(self.rows) < 2:
            return False
        before, words = self.rows[-2].texts, row.texts
        if len(words) < len(self.layout):
            return len(words) < len(before)
        within_tag = words[-1] != before[-1] and before[-1].startswith(words[-1])
        return within_tag and len(words) == len(before) and len({row.texts[-1] for row in self.rows[:-1]}) == 1


def cells_of(row: Row) -> list[str]:
    """The columns of a row that is understood."""
    assert row.cells is not None
    return row.cells


def number(text: str) -> float | None:
    """The finite number that a text stands for, if it is one to any evaluator."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and text.isascii() and "_" not in text else None


def whole(text: str) -> int | None:
    """The whole number that a text stands for, if it is one."""
    return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def clean_tag(tag: str, longest: int | None = None) -> str:
    """A run tag of letters and digits, and of no more than so many."""
    return _NO_TAG.sub("", tag)[:longest]


def is_other_table(names: Sequence[str], layout: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether a header names other columns than those of a layout, or in another order."""
    if len(names) > len(layout):
        return True
    try:
        roles = roles_of(names, "run", "", columns)
    except InputError:  # names that say nothing
        return False
    places = {_ROLES[column]: at for at, column in enumerate(layout) if column in _ROLES}
    lacks_tag = len(names) == len(layout) and "tag" not in roles  # its last column holds something else
    return lacks_tag or any(places.get(role) != at for role, at in roles.items())


def check_columns(sheet: Sheet) -> None:
    """Find out which word of each line is which column."""
    width, add, rows = len(sheet.layout), sheet.add, sheet.rows
    tags = {row.texts[-1] for row in rows if len(row.texts) == width}
    tail = _common_tail(rows, width)
    expected = " ".join(sheet.layout)
    held = _held_last(sheet, width)
    for row in rows:
        words, n = row.texts, len(row.texts)
        if sheet.is_cut(row):
            add("cut-short", row.line, found=str(row))
        elif n == width and held in ("score", "rank"):  # the tag is lacking, and the order is that of these numbers
            row.take(*range(width - 1), None)
            value = number(words[-1])
            row.score = -value if value is not None and held == "rank" else value
            add("tag-missing", *row.place(-1), str(row))
        elif n == width:
            row.take(*range(width))
        elif n == width - 1 and _lacks_tag(sheet, words, tags):
            row.take(*range(n), None)
            add("tag-missing", *row.place(-1), str(row))
        elif n == _TREC and width == len(LABELLED) and sheet.kind != "answers" and words[1] == "Q0":
            row.take(0, 2, 5)
            row.score = number(words[4])
            add("trec-columns", row.line, found=str(row))
        elif n > width and tuple(words[width - 1 :]) == tail:
            row.take(*range(width))
            cells_of(row)[-1] = "".join(tail)
            add("tag-words", *row.place(-1), " ".join(tail))
        else:
            add("columns", row.line, found=str(row), columns=expected)
        if sheet.score is not None and row.cells is not None:
            row.score = number(row.cells[sheet.score])
    if not sheet.ended and not sheet.is_cut(rows[-1]):
        add("no-newline", rows[-1].line)


def _held_last(sheet: Sheet, width: int) -> LastColumn | None:
    """What the lines of three columns end in, as the reader understands it."""
    if sheet.kind != "documents" or sheet.score is not None:
        return "tag"
    return last_column((row.texts[0], row.texts[-1]) for row in sheet.rows if len(row.texts) == width)


def _lacks_tag(sheet: Sheet, words: Sequence[str], tags: set[str]) -> bool:
    """Whether a line that is one word short ends where the run tag should begin; else another column is missing."""
    if sheet.kind == "answers":
        return words[1].lower() in LABELS or words[1] in DIGITS
    if sheet.score is not None:
        return number(words[sheet.score]) is not None and whole(words[sheet.score - 1]) is not None
    return words[-1] not in tags and any(sign.isdigit() for sign in words[-1])


def _common_tail(rows: Sequence[Row], width: int) -> tuple[str, ...]:
    """What most lines have from the last column on, if that is several words that can be a run tag; else nothing."""
    tails = Counter(tuple(row.texts[width - 1 :]) for row in rows if len(row.texts) > width)
    if not tails:
        return ()
    tail, n = tails.most_common(1)[0]
    is_tag = number(tail[0]) is None and tail[0].lower() not in LABELS
    return tail if 2 * n > len(rows) and is_tag else ()


def check_tags(sheet: Sheet) -> None:
    """One tag a file, of letters and digits."""
    longest, add = sheet.rules.tag_length, sheet.add
    first = sheet.tag
    fits = first.isalnum() and len(first) <= longest
    for row in sheet.understood:
        tag = cells_of(row)[-1]
        if not tag or (tag == first and fits):
            continue
        cleaned = clean_tag(tag, longest)
        if _MARK.search(tag):
            add("tag-characters", *row.place(-1), tag, remedy=f"write {clean_tag(tag)}" if cleaned else "")
        if len(clean_tag(tag)) > longest:
            add("tag-length", *row.place(-1), tag, remedy=f"shorten it: {cleaned}, if no other run is called so")
        if tag != first:
            add("tag-differs", *row.place(-1), tag, remedy=f"one file is one run: the first line has {first}")


def fill_tags(sheet: Sheet) -> None:
    """Lines without a run tag get that of the others, if these have one."""
    rows = [cells_of(row) for row in sheet.understood]
    tags = {cells[-1] for cells in rows if cells[-1]}
    for cells in rows if len(tags) == 1 else ():
        cells[-1] = next(iter(tags))


def _query_of(row: Row) -> str:
    return row.cells[0] if row.cells is not None else normal_id(row.texts[0])


def _by_score(rows: list[Row], document: int) -> list[Row]:
    """Rows in the order of their scores, if all had one; ties as in trec_eval."""
    scores = [row.score for row in rows if row.score is not None]
    if not scores or len(scores) < len(rows):
        return rows
    return [rows[at] for at in order_of([cells_of(row)[document] for row in rows], scores)]


def _renumber(rows: Sequence[Row], rank: int) -> None:
    """Write ranks from 1, best score first."""
    scored = [row for row in rows if row.score is not None]
    for place, row in enumerate(sorted(scored, key=lambda row: -(row.score or 0.0)), start=1):
        cells_of(row)[rank] = str(place)
