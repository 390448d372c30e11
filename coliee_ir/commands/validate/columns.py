"""Which word of a line is which column, and the run tag."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from coliee_adapters.forms.columns import as_number, last_column
from coliee_adapters.forms.vocabulary import DIGITS, LABELS
from coliee_ir.commands.validate.sheet import LABELLED, Line, Sheet, clean_tag

_MARK: Final = re.compile(r"[!-/:-@\[-`{-~]")
_TREC: Final = 6


def columns(sheet: Sheet) -> None:
    """Every line has the columns of the task; if not, what it has is understood where that takes no decision."""
    understood, last = _ColumnMatcher(sheet), len(sheet.contents) - 1
    sheet.is_cut = not sheet.ended and last > 0 and _is_cut(sheet)
    labels = set[str]()
    for index, words in enumerate(sheet.words()):
        if sheet.is_cut and index == last:
            sheet.add("cut-short", sheet.numbers[index], found=" ".join(words))
            cells: Sequence[str] | None = None
        elif len(words) == understood.width and understood.last == "tag":
            cells = words
        else:
            cells = understood.cells(sheet.line(index))
        if cells is None:
            sheet.left.append(index)
            continue
        sheet.queries.setdefault(cells[0], array("l")).append(index)
        if cells[-1] not in sheet.tags:
            sheet.tags[cells[-1]] = cells[-1]
            sheet.tag = sheet.tag or cells[-1]
        if cells[-1] != understood.sound_tag:
            understood.check_tag(sheet.line(index))
        if sheet.kind == "answers":
            labels.add(cells[1])
    sheet.labels = DIGITS if labels <= set(DIGITS) else LABELS
    if not sheet.ended and not sheet.is_cut:
        sheet.add("no-newline", sheet.numbers[last])


def _is_cut(sheet: Sheet) -> bool:
    """Whether a file without an end ends within a line."""
    *rest, before, words = sheet.words()
    if len(words) < len(sheet.layout):
        return len(words) < len(before)
    within_tag = words[-1] != before[-1] and before[-1].startswith(words[-1])
    return within_tag and len(words) == len(before) and all(other[-1] == before[-1] for other in rest)


class _ColumnMatcher:
    """How the lines of a file are understood, by what most of them are."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.width = sheet, len(sheet.layout)
        self.score = sheet.column("SCORE")
        self.sound_tag = ""
        self.last = "tag"  # what the last column holds
        if sheet.kind == "documents" and self.score is None:
            pairs = ((words[0], words[-1]) for words in sheet.words() if len(words) == self.width)
            self.last = last_column(pairs) or "tag"

    def cells(self, line: Line) -> Sequence[str] | None:
        """The columns of a line that is not simply one word a column; None where they are not understood."""
        words, n, add = line.words, len(line.words), self.sheet.add
        found, tag, taken = " ".join(words), "", tuple[int | None, ...](range(self.width))
        if n == self.width or (n == self.width - 1 and self._lacks_tag(words)):
            taken = (*range(self.width - 1), None)
            add("tag-missing", line.number, line.start(n if n < self.width else n - 1), found)
            if n == self.width:  # the order is that of the numbers in the place of the tag
                value = as_number(words[-1])
                line.score = -value if value is not None and self.last == "rank" else value
        elif n == _TREC and self.width == len(LABELLED) and self.sheet.kind != "answers" and words[1] == "Q0":
            taken, line.score = (0, 2, 5), as_number(words[4])
            if line.score is None:
                add("score", line.number, found=words[4])
                return None
            add("trec-columns", line.number, found=found)
        elif n > self.width and tuple(words[self.width - 1 :]) == self._common_tail:
            tag = "".join(self._common_tail)
            add("tag-words", line.number, line.start(self.width - 1), " ".join(self._common_tail))
        else:
            add("columns", line.number, found=found, columns=f"{self.width} columns: {' '.join(self.sheet.layout)}")
            return None
        cells = ["" if word is None else words[word] for word in taken]
        self.sheet.odd[line.index] = replace(line, taken=taken, cells=[*cells[:-1], tag or cells[-1]])
        return self.sheet.odd[line.index].cells

    def _lacks_tag(self, words: Sequence[str]) -> bool:
        """Whether a line that is one word short ends where the run tag should begin; else another column is missing."""
        if self.sheet.kind == "answers":
            return words[1].lower() in LABELS or words[1] in DIGITS
        if self.score is not None:
            return as_number(words[self.score]) is not None and integer_of(words[self.score - 1]) is not None
        return words[-1] not in self._tags and any(sign.isdigit() for sign in words[-1])

    def check_tag(self, line: Line) -> None:
        """One tag a file, of letters and digits."""
        add, tag, first, longest = self.sheet.add, line.cells[-1], self.sheet.tag, self.sheet.context.rules.tag_length
        if not tag:
            return
        cleaned = clean_tag(tag)
        if _MARK.search(tag):
            add("tag-characters", *line.place(-1), tag, remedy=f"write {cleaned}" if cleaned else "")
        if len(cleaned) > longest:
            remedy = f"shorten it: {cleaned[:longest]}, if no other run is called so"
            add("tag-length", *line.place(-1), tag, remedy=remedy, tag_length=longest)
        if tag != first:
            add("tag-differs", *line.place(-1), tag, remedy=f"one file is one run: the first line has {first}")
        elif tag.isalnum() and len(tag) <= longest:
            self.sound_tag = tag

    @cached_property
    def _tags(self) -> set[str]:
        """The last words of the lines with all columns."""
        return {words[-1] for words in self.sheet.words() if len(words) == self.width}

    @cached_property
    def _common_tail(self) -> tuple[str, ...]:
        """What most lines have from the last column on, if it is several words that can be a run tag; else nothing."""
        tails = Counter(tuple(words[self.width - 1 :]) for words in self.sheet.words() if len(words) > self.width)
        if not tails:
            return ()
        tail, n = tails.most_common(1)[0]
        is_tag = as_number(tail[0]) is None and tail[0].lower() not in LABELS
        return tail if 2 * n > len(self.sheet.contents) and is_tag else ()


def integer_of(text: str) -> int | None:
    """The whole number that a text stands for, if it is one."""
    return int(text) if len(text) <= 18 and text.isascii() and text.isdecimal() else None
