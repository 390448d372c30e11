"""The rules of a submission to the pilot: every instance of the test file, with true and false in the place of null."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from coliee_adapters.errors import InputError
from coliee_adapters.forms import tort
from coliee_adapters.forms.tort import TortCase
from coliee_adapters.records import normal_id
from coliee_ir.commands.validate.reading import NO_UTF8
from coliee_ir.commands.validate.sheet import Sheet
from coliee_ir.rules.protocol import protocol

#: the rules that a single null breaks, and that nothing but nulls breaks
_DECISIONS: Final = ("null-decision", "no-decisions")
_CLAIMS: Final = ("null-acceptance", "no-acceptances")

_ID: Final = re.compile(r'"tort_id"\s*:\s*(?:"([^"\\]*)"|([0-9]+))')


def claims(sheet: Sheet) -> None:
    """The instances of a file are those of the test file, each once, with all its decisions."""
    cases: dict[str, TortCase] = {}
    broken: set[str] = set()  # instances of which nothing can be said
    if not sheet.ended:
        sheet.add("no-newline", len(sheet.lines))
    for line, content in enumerate(sheet.lines, start=1):
        if not content.strip(" \t\r"):
            continue
        try:
            _, case = tort.read_instance(NO_UTF8.sub("?", content), sheet.name, line)
        except InputError as error:
            remedy = f"{error.problem}; {error.remedy or 'correct it'}"
            sheet.add("instance", line, error.column, error.found, remedy=remedy)
            broken.update(normal_id(found[1] or found[2] or "") for found in _ID.finditer(content))
            continue
        if case.id in cases:
            sheet.add("instance-twice", line, found=case.id)
        cases.setdefault(case.id, case)
    _check_nulls(sheet, cases.values())
    if sheet.context.queries:
        asked = {case.id: case for file in sheet.context.queries for case in tort.read_cases(file)}
        _compare(sheet, cases, asked, broken)


def _check_nulls(sheet: Sheet, cases: Collection[TortCase]) -> None:
    """A null disqualifies for its task; where all are null, the file may be meant for the other task alone."""
    decisions = [(case.line, case.id, case.court_decision) for case in cases]
    claims = [
        (case.line, f"{case.id}, {claim.side} claim {claim.id}", claim.is_accepted)
        for case in cases
        for claim in case.claims
    ]
    values = {task: claims if protocol(task).claims else decisions for task in sheet.context.tasks}
    entered = {task for task in values if any(value is not None for *_, value in values[task])}
    for task, held in values.items():
        one, every = _CLAIMS if protocol(task).claims else _DECISIONS
        if entered and held and task not in entered:
            sheet.add(every)
            continue
        for line, found, value in held:
            if value is None:
                sheet.add(one, line, found=found)


def _compare(sheet: Sheet, cases: dict[str, TortCase], asked: dict[str, TortCase], broken: set[str]) -> None:
    """What the organisers' file has and the submission has not, and the other way."""
    for instance in asked:
        if instance not in cases and instance not in broken:
            sheet.add("instance-missing", found=instance)
    for instance, case in cases.items():
        if instance not in asked:
            sheet.add("instance-unknown", case.line, found=instance)
            continue
        given, wanted = _claims(case), _claims(asked[instance])
        for claim, said in wanted.items():
            if claim not in given:
                sheet.add("claim-missing", case.line, found=f"{instance}, {said}")
        for claim, said in given.items():
            if claim not in wanted:
                sheet.add("claim-unknown", case.line, found=f"{instance}, {said}")


def _claims(case: TortCase) -> dict[str, str]:
    """The claims of an instance, each with what to call it."""
    return {claim.document: f"{claim.side} claim {claim.id}" for claim in case.claims}
