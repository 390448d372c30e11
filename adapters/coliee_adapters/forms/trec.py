"""TREC's files: qrels (``QUERY 0 DOCUMENT RELEVANCE``) and runs (``QUERY Q0 DOCUMENT RANK SCORE TAG``)."""

from __future__ import annotations

import re
from functools import partial
from io import TextIOBase
from typing import Final

from coliee_adapters.errors import InputError, Place
from coliee_adapters.files.source import Source
from coliee_adapters.forms.columns import SIX_COLUMNS, read_columns, regular_table
from coliee_adapters.forms.form import Form, FormContent, FoundRows, Row, Values, place_of_row
from coliee_adapters.forms.lines import (
    Comments,
    Note,
    content_lines,
    counted,
    first_lines,
    is_number,
    lines_of,
    split_columns,
)

_QRELS: Final = ("QUERY", "0", "DOCUMENT", "RELEVANCE")
#: bytes of a qrels file that are looked at together
_AT_ONCE: Final = 1 << 20
_INTEGER: Final = r"[+-]?[0-9]{1,9}(?:\.0*)?"


def _are_qrels(head: bytes) -> bool:
    """Whether the first content line has four columns and ends in an integer."""
    fields = first_fields(head)
    return len(fields) == len(_QRELS) and re.fullmatch(_INTEGER, fields[3]) is not None


def is_run(head: bytes) -> bool:
    """Whether the first content line has ``Q0`` as its second column, or five with a rank or a score among them."""
    fields = first_fields(head)
    # without Q0, five columns can be three with a run tag of several words; numbers tell them apart
    return fields[1:2] == ["Q0"] or (len(fields) > 4 and any(map(is_number, fields[3:5])))


def first_fields(head: bytes) -> list[str]:
    """The columns of the first content line; none if there is no such line, and in JSON and XML."""
    return next(map(split_columns, first_lines(head)), [])


def _qrels(source: Source, note: Note) -> FoundRows:
    """Judgements: as columns as far as every line is four words with single blanks."""
    place = partial(Place, source.name, "line")
    done, first = 0, 1
    for raw in source.blocks(_AT_ONCE):
        if (table := regular_table(raw, len(_QRELS))) is None:
            break
        levels = table.integers(3)
        relevance = table.ids(3) if levels is None else levels
        columns = {"query": table.ids(0), "document": table.ids(2), "relevance": relevance}
        yield Values(columns, partial(place_of_row, source.name, "line", first))
        done, first = done + len(raw), first + len(relevance)
    else:
        if done:
            return
    text = source.text(columns=True)[done:]
    expected = f"expected {len(_QRELS)} columns: {' '.join(_QRELS)}"
    comments = Comments(note, "gold-comment")
    is_empty = not done
    for number, line in content_lines(text, source.name, first, comments):
        fields = split_columns(line)
        if len(fields) != len(_QRELS):
            raise place(number).fault("columns", counted(len(fields), "column"), line, expected)
        is_empty = False
        yield Row(place(number), fields[0], fields[2], fields[3])
    comments.check_closed(source.name)
    if is_empty:
        raise InputError("empty", source.name, "the file contains only comments", remedy=expected)


def _write_qrels(gold: FormContent, stream: TextIOBase) -> None:
    for query, judged in gold.documents.items():
        stream.write(lines_of([query, "0"], [*judged], [[*map(str, judged.values())]]))


def _write_run(run: FormContent, stream: TextIOBase) -> None:
    for query, ranking in run.documents.items():
        numbers = [*map(str, range(1, len(ranking) + 1))], [*map(repr, map(float, ranking.values()))]
        stream.write(lines_of([query, "Q0"], [*ranking], numbers, run.tag))


FORMS: Final = (
    Form(
        "gold",
        "qrels",
        "R02-1-A 0 398-20 1",
        _are_qrels,
        _qrels,
        write=_write_qrels,
        can_write=("documents", "labels", "levels"),
    ),
    Form(
        "run",
        "trec",
        "R02-1-A Q0 398-20 1 12.5 TAG",
        is_run,
        run=partial(read_columns, lambda _: SIX_COLUMNS, "trec"),
        write=_write_run,
        can_write=("documents", "labels", "scores", "tag"),
    ),
)
