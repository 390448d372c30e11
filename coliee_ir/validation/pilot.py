"""The rules of a submission to the pilot: every instance of the test file, with true and false in the place of null."""

from __future__ import annotations

from functools import partial
from typing import Final

from coliee_adapters import tort
from coliee_adapters.errors import InputError
from coliee_adapters.files import Source
from coliee_adapters.records import TortCase
from coliee_ir.validation.findings import Findings

_DECISION: Final = "null-decision"
_ACCEPTANCE: Final = "null-acceptance"


def check(name: str, text: str, task: str, test: Source | None, found: Findings) -> None:
    """Hold a file of instances to all rules.

    Args:
        name: the file.
        text: its text.
        task: ``tort``, whose decisions must be there, or ``rationale``, whose claims must be.
        test: the organisers' file, if it was given.
        found: where findings go.

    Raises:
        InputError: the organisers' file cannot be read.
    """
    add = partial(found.add, name)
    cases: dict[str, TortCase] = {}
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            _, case = tort.read_instance(content, name, line)
        except InputError as error:
            add("instance", line, error.column, error.found, remedy=f"{error.problem}; {error.remedy or 'mend it'}")
            continue
        if case.id in cases:
            add("instance-twice", line, found=case.id)
        cases.setdefault(case.id, case)
        if task == "tort" and case.court_decision is None:
            add(_DECISION, line, found=case.id)
        if task == "rationale":
            for side, _, claim in tort.claim_documents(case):
                if claim.is_accepted is None:
                    add(_ACCEPTANCE, line, found=f"{case.id}, {side} claim {claim.id}")
    if not cases:
        add("empty")
    if test is not None:
        _compare(name, cases, {case.id: case for case in tort.read_cases(test)}, found)


def _compare(name: str, cases: dict[str, TortCase], asked: dict[str, TortCase], found: Findings) -> None:
    """What the organisers' file has and the submission has not, and the other way."""
    add = partial(found.add, name)
    for instance in asked:
        if instance not in cases:
            add("instance-missing", found=instance)
    for instance, case in cases.items():
        if instance not in asked:
            add("instance-unknown", case.line, found=instance)
            continue
        given = {document for _, document, _ in tort.claim_documents(case)}
        wanted = {document for _, document, _ in tort.claim_documents(asked[instance])}
        for document in sorted(wanted - given):
            add("claim-missing", case.line, found=f"{instance}, claim {document}")
        for document in sorted(given - wanted):
            add("claim-unknown", case.line, found=f"{instance}, claim {document}")
