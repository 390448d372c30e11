"""The system description that comes with a submission since 2025: a text file with a block for each run.

    Task: 3
    Run tag: univABC1
    - Machine learning models:
    …

It belongs to a submission and is not a run. Lines that begin with ``#`` are the form's own hints.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from coliee_adapters.errors import InputError
from coliee_adapters.files.source import Source
from coliee_adapters.forms.detect import is_description


class Description(NamedTuple):
    """What a team says of a run.

    Attributes:
        task: the task as the form names it: ``1`` … ``4``, ``pilot``; empty where it is missing.
        tag: the run tag; empty where it is missing.
        models: machine learning models, with their dates of update.
        resources: external resources.
        explanation: one to three lines for the overview paper.
        file: where it was read.
        line: the line where it begins.
    """

    task: str
    tag: str
    models: str
    resources: str
    explanation: str
    file: str = ""
    line: int = 1


#: field → how the form calls it; "Explaination" is the organisers' spelling
_FIELDS: Final = {
    "task": r"(?i)task\s*:",
    "tag": r"(?i)run[\s_-]?tags?\s*:",
    "models": r"(?i)-?\s*machine[\s-]+learning\s+models?[^:]*:",
    "resources": r"(?i)-?\s*external\s+resources?[^:]*:",
    "explanation": r"(?i)-?\s*expla(?:i?nation)s?[^:]*:",
}


def read(source: Source) -> list[Description]:
    """The descriptions in a file, one for each run tag; several tags of a block share its text."""
    if not is_description(source.head()):
        problem = "this is not a system description"
        raise InputError("unknown-format", source.name, problem, remedy="begin with lines Task: and Run tag:")
    return [description for block in _blocks(source.text()) for description in _of_block(block, source.name)]


#: the fields that are one line
_ONE_LINE: Final = ("task", "tag")

_Block = tuple[int, dict[str, list[str]]]


def _blocks(text: str) -> Iterator[_Block]:
    """The first line of each block, and the lines of its fields."""
    start, block, field = 1, dict[str, list[str]](), ""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped.startswith("#"):
            continue
        named = next(((name, match) for name, head in _FIELDS.items() if (match := re.match(head, stripped))), None)
        if named is None:
            if field and (field not in _ONE_LINE or not any(block[field])):  # a tag may stand below its head
                block[field].append(stripped)
            continue
        field = named[0]
        if field in block:  # the next run's; of the same task, if it does not say which
            yield start, block
            start, block = number, {} if field == "task" else {"task": block.get("task", [])}
        elif not block:
            start = number
        block[field] = [stripped[named[1].end() :].strip()]
    if block:
        yield start, block


def _of_block(block: _Block, file: str) -> Iterator[Description]:
    line, fields = block
    texts = {name: "\n".join(fields.get(name, ())).strip() for name in _FIELDS}
    task = re.sub(r"^task\s*|[\[\]()]", "", texts.pop("task").casefold()).strip()
    for tag in re.split(r"[,;\s]+", texts.pop("tag")):
        yield Description(task, tag, **texts, file=file, line=line)


_MONTHS: Final = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH: Final = rf"({'|'.join(_MONTHS)})[a-z]*\.?"
_DATES: Final = (
    (r"(?<![0-9])(20[0-9]{2})[-/.](0?[1-9]|1[0-2])(?:[-/.](0?[1-9]|[12][0-9]|3[01]))?(?![0-9])", "ymd"),
    (rf"(?i)(?<![0-9])([0-9]{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+(20[0-9]{{2}})(?![0-9])", "dmy"),
    (rf"(?i)\b{_MONTH}\s+(?:([0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+)?(20[0-9]{{2}})(?![0-9])", "mdy"),
    (r"(20[0-9]{2})年\s*(1[0-2]|0?[1-9])月(?:\s*([0-9]{1,2})日)?", "ymd"),
)


def dates(text: str) -> list[datetime.date]:
    """The dates that a text names, with year and month at least; of a month its first day.

    >>> [str(date) for date in dates("https://a.b (2024-07-08), of 15 July 2025; updated May 2024")]
    ['2024-05-01', '2024-07-08', '2025-07-15']
    """
    days = set()
    for pattern, order in _DATES:
        for match in re.finditer(pattern, text):
            parts = dict(zip(order, match.groups(), strict=True))
            month = parts["m"] if parts["m"].isdecimal() else _MONTHS.index(parts["m"][:3].lower()) + 1
            try:
                days.add(datetime.date(int(parts["y"]), int(month), int(parts["d"] or 1)))
            except ValueError:  # 2024-02-31
                continue
    # of "15 July 2025" the month alone is another match, which says less
    whole = {(date.year, date.month) for date in days if date.day != 1}
    return sorted(date for date in days if date.day != 1 or (date.year, date.month) not in whole)
