"""CSV files that people make, with a first row that names the columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError
from coliee_adapters.files import Source


class Row(NamedTuple):
    """A row of a sheet: its line in the file, and its cells, as many as the sheet has columns."""

    line: int
    cells: tuple[str, ...]


class Sheet(NamedTuple):
    """A CSV file.

    Attributes:
        name: the file.
        header: the names of the columns, as they stand.
        rows: what follows.
    """

    name: str
    header: tuple[str, ...]
    rows: tuple[Row, ...]

    def column(self, *names: str) -> int | None:
        """The place of the first column of one of these names, tried in this order; capitals do not matter."""
        header = [name.casefold() for name in self.header]
        return next((header.index(name.casefold()) for name in names if name.casefold() in header), None)


def read_sheet(source: Source) -> Sheet:
    """Read a CSV; commas, semicolons or tabs are told by the first row.

    Raises:
        InputError: it is no CSV, has only a first row, or a row has more cells than there are columns.
    """
    rows = _rows(source)
    if len(rows) < 2:
        raise InputError(
            source.name,
            "this CSV has no rows",
            line=1,
            remedy="name the columns in the first row, then write one row each",
        )
    header = tuple(name.strip() for name in rows[0].cells)
    body = []
    for line, cells in rows[1:]:
        kept = tuple(cell.strip() for cell in cells)
        if any(kept[len(header) :]):
            problem = f"this row has {len(kept)} cells, and the first row names {len(header)} columns"
            raise InputError(
                source.name, problem, line=line, found=",".join(cells), remedy="put quotes around what holds a comma"
            )
        body.append(Row(line, (*kept, *[""] * len(header))[: len(header)]))
    return Sheet(source.name, header, tuple(body))


def _rows(source: Source) -> list[Row]:
    """The rows that hold something."""
    text = source.text()
    first = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(text.split("\n"), delimiter=delimiter, strict=True)
    return list(_numbered(reader, source.name))


def _numbered(reader: Iterator[Sequence[str]], name: str) -> Iterator[Row]:
    while True:
        line = reader.line_num + 1  # type: ignore[attr-defined]  # a csv.reader, which typeshed hides
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(name, f"this is not CSV ({error})", line=line, remedy="check the quotes") from None
        if any(cell.strip() for cell in cells):
            yield Row(line, tuple(cells))
