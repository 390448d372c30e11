"""Categories of questions, which may overlap: from a CSV that an annotator filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from coliee_adapters.checked import texts
from coliee_adapters.errors import InputError
from coliee_adapters.files.source import PathLike, Source
from coliee_adapters.records import normal_id
from coliee_adapters.remarks import Remark
from coliee_ir.inbox.sheets import Sheet, read_sheet

_MARKS: Final = {"1": True, "x": True, "y": True, "yes": True, "true": True, "✓": True, "○": True,
                 "": False, "0": False, "n": False, "no": False, "false": False, "-": False}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Categories:
    """Categories of questions.

    Attributes:
        file: where they were read from.
        questions: category → its questions, in the order of the file.
        remarks: what was passed over.
    """

    file: str
    questions: Mapping[str, tuple[str, ...]]
    remarks: tuple[str, ...] = ()


def read_categories(path: PathLike, queries: Sequence[str]) -> Categories:
    """Read categories from a CSV of one of two forms; the first column is the question.

    ``query,category`` with a row for each question and category, several in a cell separated by ``;`` or ``|``; or
    ``query,Anaphora,Negation,…`` with a row for each question and a mark (1, x, yes) where it belongs.

    Args:
        path: the file.
        queries: the judged queries; others are passed over, with a remark.

    Raises:
        InputError: it cannot be read, holds a mark that is none, or no judged question.
    """
    sheet = read_sheet(Source(path))
    named = sheet.column("category", "categories")
    known = set(texts("queries", queries, "a list of query ids"))
    found: dict[str, dict[str, None]] = {} if named is not None else {name: {} for name in sheet.header[1:]}
    strangers = set()
    for line, cells in sheet.rows:
        query = cells[0] if cells[0] in known else normal_id(cells[0])
        if query not in known:
            strangers.add(query)
            continue
        if named is not None:
            of_row = [name for part in cells[named].split(";") for name in part.split("|")]
        else:
            of_row = [
                name for name, mark in zip(sheet.header[1:], cells[1:], strict=True) if _is_marked(mark, line, sheet)
            ]
        for name in map(str.strip, of_row):
            if name:
                found.setdefault(name, {})[query] = None
    if not any(found.values()):
        remedy = "write query,category in the first row, then the ids of the gold"
        problem = "no judged question has a category"
        raise InputError("no-result", sheet.name, problem, found=next(iter(strangers), None), remedy=remedy)
    remarks = []
    if strangers:
        remarks.append(Remark.of("sheet-rows", sorted(strangers), file=sheet.name))
    questions = {name: tuple(of) for name, of in found.items() if of}
    if empty := [name for name, of in found.items() if not of]:
        remarks.append(Remark.of("sheet-rows.empty", empty, file=sheet.name))
    return Categories(sheet.name, questions, tuple(remarks))


def _is_marked(mark: str, line: int, sheet: Sheet) -> bool:
    try:
        return _MARKS[mark.lower()]
    except KeyError:
        problem = "this cell is not a mark"
        remedy = "write 1 or x, or leave the cell empty"
        raise InputError("bad-cell", sheet.name, problem, line=line, found=mark, remedy=remedy) from None
