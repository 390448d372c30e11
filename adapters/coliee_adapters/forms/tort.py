"""The pilot's files: Japanese tort cases as JSON Lines, gold and submission in one form.

A line is an instance: both sides' claims, each with ``is_accepted``, and the ``court_decision``; null where it is not
given. For tort prediction an instance is a question with the answer true or false. For rationale extraction it is a
query, and its accepted claims are the documents: ``p3`` is the plaintiff's claim 3, ``d3`` the defendant's.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from coliee_adapters.errors import InputError, Place, quoted
from coliee_adapters.files.source import Source, decode
from coliee_adapters.forms.json_text import parse
from coliee_adapters.records import Answers, Claim, Gold, Run, TortCase, normal_id

FORMAT: Final = "tort"
#: what its forms are called in ``detect``: read for the decisions, or for the claims
FORMS: Final = ("tort", "claims")

#: The sides, and what tells their claims apart once both are documents of one query.
SIDES: Final = {"plaintiff": "p", "defendant": "d"}

_KEY = rb'"(?:tort_id|plaintiff_claims|defendant_claims|court_decision)"\s*:'
_BLOCK = 1 << 20
_LAYOUT = "expected JSON Lines, one instance a line; jq -c '.[]' makes that of a list, jq -c . of anything else"
_ALL_OR_NONE = "gold has true or false for every one of them, or null for all"
_DECISION_RULE = "any null court_decision disqualifies the run for tort prediction"
_CLAIM_RULE = "any null is_accepted disqualifies the run for rationale extraction"

_Fault = Callable[..., InputError]


def sniff(head: bytes) -> str | None:
    """``"tort"`` if a file that starts with these bytes holds tort cases, else None.

    A list or an indented object of them counts too, so that ``read_cases`` can say how to lay the file out.

    >>> sniff(b'{"version": "1", "tort_id": "0", "undisputed_facts": [')
    'tort'
    """
    return FORMAT if head.lstrip().startswith((b"{", b"[")) and re.search(_KEY, head) else None


def read_cases(source: Source) -> list[TortCase]:
    """The instances of a file, in its order, without the descriptions."""
    return [case for _, case in instances(source)]


def gold(cases: Sequence[TortCase], source_name: str) -> Gold:
    """What is right: the decisions as labels, the claims as documents of relevance 1 (accepted) or 0.

    Labels, or documents, are None where every value is null.
    """
    decided = any(case.court_decision is not None for case in cases)
    judged = any(claim.is_accepted is not None for case in cases for _, _, claim in claim_documents(case))
    if not decided and not judged:
        problem = "test data: every court_decision and is_accepted is null"
        raise InputError("missing-label", source_name, problem, remedy="give the file with the court's decisions")
    if decided:
        _refuse_null_decisions(cases, source_name, _ALL_OR_NONE)
    if judged:
        _refuse_null_claims(cases, source_name, _ALL_OR_NONE)
    labels = {case.id: case.court_decision is True for case in cases}
    qrels = {
        case.id: {document: int(claim.is_accepted is True) for _, document, claim in claim_documents(case)}
        for case in cases
    }
    return Gold(qrels if judged else None, labels if decided else None, path=source_name, format=FORMAT)


def decisions(cases: Sequence[TortCase], source_name: str, tag: str) -> Answers:
    """What a submission answers for tort prediction."""
    _refuse_null_decisions(cases, source_name, _DECISION_RULE)
    labels = {case.id: case.court_decision is True for case in cases}
    return Answers(labels, tag=tag, path=source_name, format=FORMAT)


def claims(cases: Sequence[TortCase], source_name: str, tag: str) -> Run:
    """What a submission retrieves for rationale extraction: the claims it says are accepted, in the file's order."""
    _refuse_null_claims(cases, source_name, _CLAIM_RULE)
    accepted = {case.id: [doc for _, doc, claim in claim_documents(case) if claim.is_accepted] for case in cases}
    return Run.of(accepted, tag=tag, path=source_name, format=FORMAT)


def fill(
    template: Source,
    decisions: Mapping[str, bool] | None,
    accepted: Mapping[str, Collection[str]] | None,
    stream: io.TextIOBase,
) -> None:
    """Write a submission: the organisers' test file as it stands, with the values that are given."""
    for instance, case in instances(template):
        fault = Place(template.name, "line", case.line).fault
        if decisions is not None:
            if case.id not in decisions:
                problem = f"no court_decision is given for instance {quoted(case.id)}"
                raise fault("missing-key", problem, remedy=_DECISION_RULE)
            instance["court_decision"] = decisions[case.id]
        if accepted is not None:
            if case.id not in accepted:
                problem = f"no accepted claims are given for instance {quoted(case.id)}"
                raise fault("missing-key", problem, remedy=_CLAIM_RULE)
            entries = [entry for side in SIDES for entry in instance[f"{side}_claims"]]
            by_document = dict(zip((doc for _, doc, _ in claim_documents(case)), entries, strict=True))
            documents = accepted[case.id]
            for doc in documents:
                if doc not in by_document:
                    remedy = "p0 is the plaintiff's claim 0, d0 the defendant's"
                    problem = f"instance {quoted(case.id)} has no such claim"
                    raise fault("unknown-document", problem, found=doc, remedy=remedy)
            for doc, entry in by_document.items():
                entry["is_accepted"] = doc in documents
        stream.write(json.dumps(instance, ensure_ascii=False) + "\n")


def claim_documents(case: TortCase) -> Iterator[tuple[str, str, Claim]]:
    """The claims of both sides, each with its side and its document id."""
    for side, of_side in zip(SIDES, (case.plaintiff_claims, case.defendant_claims), strict=True):
        for claim in of_side:
            yield side, SIDES[side] + claim.id, claim


def _refuse_null_decisions(cases: Sequence[TortCase], name: str, remedy: str) -> None:
    nulls = [case for case in cases if case.court_decision is None]
    if nulls:
        place = f"instance {quoted(nulls[0].id)}"
        problem = f"{len(nulls)} of {len(cases)} court_decision values are null, first in {place}"
        raise InputError("missing-label", name, problem, line=nulls[0].line or None, remedy=remedy)


def _refuse_null_claims(cases: Sequence[TortCase], name: str, remedy: str) -> None:
    every = [(case, side, claim) for case in cases for side, _, claim in claim_documents(case)]
    nulls = [(case, side, claim) for case, side, claim in every if claim.is_accepted is None]
    if nulls:
        case, side, claim = nulls[0]
        place = f"instance {quoted(case.id)}, {side} claim {quoted(claim.id)}"
        problem = f"{len(nulls)} of {len(every)} is_accepted values are null, first in {place}"
        raise InputError("missing-label", name, problem, line=case.line or None, remedy=remedy)


def instances(source: Source) -> Iterator[tuple[dict[str, Any], TortCase]]:
    """Every instance, as it stands and as a record."""
    lines: dict[str, int] = {}
    first_line = 1
    for block in source.blocks(_BLOCK, longest=source.limits.whole):
        # not splitlines, which also splits at characters that may stand in a JSON string
        for line, text in enumerate(decode(block, source.name, first_line).split("\n"), first_line):
            if not text.strip(" \t\r"):
                continue
            instance, case = read_instance(text, source.name, line)
            if case.id in lines:
                problem = f"this tort_id is already in line {lines[case.id]}"
                remedy = "give each instance once"
                raise InputError("duplicate", source.name, problem, line=line, found=case.id, remedy=remedy)
            lines[case.id] = line
            yield instance, case
        first_line += block.count(b"\n")


def read_instance(text: str, name: str, line: int) -> tuple[dict[str, Any], TortCase]:
    """The instance of one line, as it stands and as a record."""
    fault = Place(name, "line", line).fault
    content = text.strip(" \t\r")
    # not parsed: the start of an indented list or object would only be called broken JSON
    indented = content == "{" or content.startswith("[")
    instance = None if indented else parse(text.rstrip(" \t\r"), name, line)
    if not isinstance(instance, dict):
        raise fault("structure", "this line does not hold an instance", found=content, remedy=_LAYOUT)
    return instance, _case(instance, line, fault)


def _case(instance: dict[str, Any], line: int, fault: _Fault) -> TortCase:
    return TortCase(
        id=_id(instance, "tort_id", "the instance", fault),
        plaintiff_claims=_side(instance, "plaintiff_claims", fault),
        defendant_claims=_side(instance, "defendant_claims", fault),
        court_decision=_verdict(instance, "court_decision", "the instance", fault),
        line=line,
    )


def _side(instance: dict[str, Any], key: str, fault: _Fault) -> tuple[Claim, ...]:
    entries = _value(instance, key, "the instance", fault)
    if not isinstance(entries, list):
        problem = f"{key} is not a list"
        raise fault("structure", problem, found=_json(entries), remedy="if there are no claims, write an empty list")
    by_id: dict[str, Claim] = {}
    for n, entry in enumerate(entries, 1):
        where = f"entry {n} of {key}"
        if not isinstance(entry, dict):
            problem = f"{where} is not an object"
            raise fault("structure", problem, found=_json(entry), remedy="expected a claim's id and is_accepted")
        claim = Claim(_id(entry, "id", where, fault), _verdict(entry, "is_accepted", where, fault))
        if claim.id in by_id:
            problem = f"{where} has the id of an earlier one"
            raise fault("duplicate", problem, found=claim.id, remedy="give each claim once")
        by_id[claim.id] = claim
    return tuple(by_id.values())


def _id(members: dict[str, Any], key: str, where: str, fault: _Fault) -> str:
    value = _value(members, key, where, fault)
    is_id = isinstance(value, str | int) and not isinstance(value, bool)
    if not is_id or not normal_id(str(value)):
        raise fault("bad-id", f"{key} of {where} is not an id", found=_json(value), remedy='expected text such as "0"')
    return normal_id(str(value))


def _verdict(members: dict[str, Any], key: str, where: str, fault: _Fault) -> bool | None:
    value = _value(members, key, where, fault)
    if value is not None and not isinstance(value, bool):
        problem = f"{key} of {where} is not a verdict"
        raise fault("bad-label", problem, found=_json(value), remedy="expected true, false or null")
    return value


def _value(members: dict[str, Any], key: str, where: str, fault: _Fault) -> Any:
    if key not in members:
        raise fault("missing-key", f"{where} has no key {key}", found=", ".join(members), remedy="add it")
    return members[key]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
