"""Which word of a line is which column, and the run tag."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import repeat
from typing import Final

from coliee_adapters.forms.columns import last_column
from coliee_adapters.forms.vocabulary import DIGITS, LABELS
from coliee_ir.commands.validate.sheet import LABELLED, Sheet, clean_tag, number, whole

_MARK: Final = re.compile(r"[!-/:-@\[-`{-~]")
_TREC: Final = 6

#: so many lines are split at once
_AT_ONCE: Final = 4096


def columns(sheet: Sheet) -> None:
    """Every line has the columns of the task; if not, what it has is understood where that takes no decision."""
    width, last = len(sheet.layout), len(sheet.numbers) - 1
    regular = sheet.regular and set(map(str.count, sheet.lines, repeat(" "))) == {width - 1}
    every: list[list[str]] = [[] for _ in range(width)]
    same: dict[str, str] = {}  # one text for a word, however many lines have it
    for first in range(0, last + 1 if regular else 0, _AT_ONCE):
        words = " ".join(sheet.lines[first : first + _AT_ONCE]).split(" ")
        for at, column in enumerate(every):
            column += map(same.setdefault, words[at::width], words[at::width])
    held = "tag"
    if sheet.kind == "documents" and sheet.score is None:
        rows = zip(*every, strict=True) if regular else (row for row in sheet.words if len(row) == width)
        held = last_column((row[0], row[-1]) for row in rows) or "tag"
    if regular and held == "tag" and not sheet.is_cut(last):
        sheet.at, sheet.cells, sheet.scores = range(last + 1), every, [None] * (last + 1)
    else:
        _one_by_one(sheet, width, held)
    if sheet.score is not None:
        sheet.scores = [number(text) for text in sheet.cells[sheet.score]]
    sheet.tag = next(filter(None, sheet.cells[-1]), "")
    if not sheet.ended and not sheet.is_cut(last):
        sheet.add("no-newline", sheet.numbers[last])


def _one_by_one(sheet: Sheet, width: int, held: str) -> None:
    add, understood = sheet.add, list[list[str]]()
    tags = {row[-1] for row in sheet.words if len(row) == width}
    tail = _common_tail(sheet.words, width)
    usual, untagged = tuple(range(width)), (*range(width - 1), None)
    sheet.at = at_of = list[int]()
    for at, words in enumerate(sheet.words):
        line, n, i = sheet.numbers[at], len(words), len(understood)
        rule, found, score, last = "", "", None, ""
        taken: tuple[int | None, ...] = usual
        if sheet.is_cut(at):
            add("cut-short", line, found=sheet.line(at))
            continue
        if n == width and held in ("score", "rank"):  # the tag is lacking, and the order is that of these numbers
            value = number(words[-1])
            score = -value if value is not None and held == "rank" else value
            rule, taken = "tag-missing", untagged
        elif n == width - 1 and _lacks_tag(sheet, words, tags):
            rule, taken = "tag-missing", untagged
        elif n == _TREC and width == len(LABELLED) and sheet.kind != "answers" and words[1] == "Q0":
            rule, taken, score = "trec-columns", (0, 2, 5), number(words[4])
            if score is None:
                add("score", line, found=words[4])
                continue
        elif n > width and tuple(words[width - 1 :]) == tail:
            rule, found, last = "tag-words", " ".join(tail), "".join(tail)
        elif n != width:
            add("columns", line, found=sheet.line(at), columns=f"{width} columns: {' '.join(sheet.layout)}")
            continue
        if taken != usual:
            sheet.taken[i] = taken
        at_of.append(at)
        sheet.scores.append(score)
        understood.append(["" if word is None else words[word] for word in taken])
        understood[-1][-1] = last or understood[-1][-1]
        if rule:
            add(rule, line, None if rule == "trec-columns" else sheet.place(i, -1)[1], found or sheet.line(at))
    sheet.cells = [list(column) for column in zip(*understood, strict=True)] or [[] for _ in sheet.layout]


def _lacks_tag(sheet: Sheet, words: Sequence[str], tags: set[str]) -> bool:
    """Whether a line that is one word short ends where the run tag should begin; else another column is missing."""
    if sheet.kind == "answers":
        return words[1].lower() in LABELS or words[1] in DIGITS
    if sheet.score is not None:
        return number(words[sheet.score]) is not None and whole(words[sheet.score - 1]) is not None
    return words[-1] not in tags and any(sign.isdigit() for sign in words[-1])


def _common_tail(rows: Sequence[Sequence[str]], width: int) -> tuple[str, ...]:
    """What most lines have from the last column on, if that is several words that can be a run tag; else nothing."""
    tails = Counter(tuple(row[width - 1 :]) for row in rows if len(row) > width)
    if not tails:
        return ()
    tail, n = tails.most_common(1)[0]
    is_tag = number(tail[0]) is None and tail[0].lower() not in LABELS
    return tail if 2 * n > len(rows) and is_tag else ()


def tags(sheet: Sheet) -> None:
    """One tag a file, of letters and digits."""
    longest, add, first = sheet.rules.tag_length, sheet.add, sheet.tag
    passed = {""} | ({first} if first.isalnum() and len(first) <= longest else set())
    for i, tag in enumerate(sheet.cells[-1]) if set(sheet.cells[-1]) - passed else ():
        if tag in passed:
            continue
        cleaned = clean_tag(tag, longest)
        if _MARK.search(tag):
            add("tag-characters", *sheet.place(i, -1), tag, remedy=f"write {clean_tag(tag)}" if cleaned else "")
        if len(clean_tag(tag)) > longest:
            remedy = f"shorten it: {cleaned}, if no other run is called so"
            add("tag-length", *sheet.place(i, -1), tag, remedy=remedy, tag_length=longest)
        if tag != first:
            add("tag-differs", *sheet.place(i, -1), tag, remedy=f"one file is one run: the first line has {first}")
