"""The walk of files through the table of rules.

bytes ──text──▶ lines ──words──▶ columns ──▶ queries, documents, ranks, answers ──▶ all files together
          └──json──────▲
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from typing import Final

from coliee_adapters.errors import InputError, InternalError, contained, guarded
from coliee_adapters.files.source import Source
from coliee_ir.commands.validate import reading
from coliee_ir.commands.validate.finding import Finding, Severity
from coliee_ir.commands.validate.rules import RULES
from coliee_ir.commands.validate.sheet import Given, Sheet
from coliee_ir.commands.validate.together import Submission
from coliee_ir.reading.anything import read_run

#: the checks, in the order of the table, and of what kinds of files each is
_CHECKS: Final = {rule.find: rule.of for rule in RULES.values()}


def check(sources: Mapping[str, Source], given: Given, *, keep: bool = False) -> dict[str, Sheet]:
    """Check files, each under a name; ``keep`` their lines, which are to be mended."""
    # what a run shows beside its other files is seen in its lines
    keep = keep or len(given.protocol.parts) > 1 or bool(given.rules.long_list)
    sheets = {name: Sheet(name, source, given) for name, source in sources.items()}
    for name, sheet in sheets.items():
        try:
            with contained(name):
                for find, of in _CHECKS.items():
                    if sheet.kind in of:
                        with guarded(name) if find.__module__ == reading.__name__ else contextlib.nullcontext():
                            find(sheet)
                is_sound = all(one.severity is not Severity.ERROR for one in sheet.found.values())
                if sheet.kind not in ("stated", "description") and is_sound:
                    # what no rule has seen, our reader may
                    for _ in getattr(read_run(sheet.source, task=given.task), "blocks", tuple)():
                        pass
        except InputError as error:
            if error.path not in (name, sheet.source.name):  # the organisers' file
                raise
            reading.unreadable(sheet, error)
        except InternalError as error:
            sheet.add("unchecked", remedy=str(error))
        if not keep:
            sheet.forget()
    submission = Submission(sheets, given)
    for find, of in _CHECKS.items():
        if "submission" in of:
            find(submission)
    return sheets


def by_gravity(findings: Iterable[Finding]) -> list[Finding]:
    """Findings, the gravest first, and by the order of ``RULES``."""
    order, severities = list(RULES), list(Severity)
    return sorted(findings, key=lambda one: (severities.index(one.severity), order.index(one.rule)))
