"""The walk of files through the checks.

bytes ──text──▶ lines ──words──▶ columns ──▶ queries ──▶ each list ──▶ all files together
          └──json──────▲
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any, Final

from coliee_adapters.errors import InputError, InternalError, errors_as_coliee, reading_errors_as_input
from coliee_adapters.files.source import Source
from coliee_ir.commands.validate import columns, lists, pilot, reading, stated, together
from coliee_ir.commands.validate.rules import Severity
from coliee_ir.commands.validate.sheet import Context, Sheet
from coliee_ir.reading.anything import read_run

_COLUMNS: Final = ("documents", "answers", "long")

#: kinds of files, see ``Sheet.kind``, and what looks at each file of these kinds, in this order
CHECKS: Final[tuple[tuple[tuple[str, ...], Callable[[Any], None]], ...]] = (
    (("raw",), reading.text),
    (("json",), reading.json),
    (("lines", "claims"), reading.lines),
    (("lines",), reading.words),
    (_COLUMNS, columns.columns),
    (_COLUMNS, lists.queries),
    (_COLUMNS, lists.lists),
    (("claims",), pilot.claims),
    (("stated",), stated.check_protocol),
)

#: what looks at all files of a submission together
TOGETHER: Final = (
    *(together.unanswered, together.tags, together.number),
    *(together.parts, together.long_lists, together.descriptions),
)


def check(sources: Mapping[str, Source], context: Context, *, keep: bool = False) -> dict[str, Sheet]:
    """Check files, each under a name; ``keep`` their lines, which are to be mended."""
    keep = keep or bool(context.rules.long_list)  # whose documents are compared with those of the answer set
    sheets = {name: Sheet(name, source, context) for name, source in sources.items()}
    for name, sheet in sheets.items():
        try:
            with errors_as_coliee(name):
                _check(sheet)
        except InputError as error:
            if error.path not in (name, sheet.source.name):  # the organisers' file
                raise
            reading.unreadable(sheet, error)
        except InternalError as error:
            sheet.add("unchecked", remedy=str(error))
            sheet.kind = ""
        if not keep:
            sheet.forget()
    submission = together.Submission(sheets, context)
    for find in TOGETHER:
        find(submission)
    return sheets


def _check(sheet: Sheet) -> None:
    for kinds, find in CHECKS:
        if sheet.kind in kinds:
            with (
                reading_errors_as_input(sheet.name) if find.__module__ == reading.__name__ else contextlib.nullcontext()
            ):
                find(sheet)
    is_sound = all(finding.severity is not Severity.ERROR for finding in sheet.found.values())
    if sheet.kind not in ("stated", "description") and is_sound:
        # what no rule has seen, our reader may
        for _ in getattr(read_run(sheet.source, task=sheet.context.task), "blocks", tuple)():
            pass
