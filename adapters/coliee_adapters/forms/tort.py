"""The pilot's files: Japanese tort cases as JSON Lines, gold and submission in one form.

A line is an instance: both sides' claims, each with ``is_accepted``, and the ``court_decision``; null where it is not
given. For tort prediction an instance is a question with the answer true or false. For rationale extraction it is a
query, and its accepted claims are the documents: ``p3`` is the plaintiff's claim 3, ``d3`` the defendant's.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from coliee_adapters.errors import InputError, Place, quoted
from coliee_adapters.files.source import Source, decode
from coliee_adapters.forms.form import NOTHING, Form, FormContent, FoundRows, Row
from coliee_adapters.forms.json_text import parse
from coliee_adapters.forms.lines import Note
from coliee_adapters.forms.rows import ReadingRules, run_of
from coliee_adapters.records import Answers, IdRule, Run, normal_id

FORMAT: Final = "tort"
#: what its forms are called in ``detect``: read for the decisions, or for the claims
NAMES: Final = (FORMAT, "claims")

#: what all claims of a submission are as a part of it, beside those that are accepted
NAMED: Final = "named"

#: The sides, and what tells their claims apart once both are documents of one query.
SIDES: Final = {"plaintiff": "p", "defendant": "d"}

_KEY: Final = rb'"(?:tort_id|plaintiff_claims|defendant_claims|court_decision)"\s*:'
_BLOCK: Final = 1 << 20
_LAYOUT: Final = "expected JSON Lines, one instance a line; jq -c '.[]' makes that of a list, jq -c . of anything else"
_ALL_OR_NONE: Final = "gold has true or false for every one of them, or null for all"
_DECISION_RULE: Final = "any null court_decision disqualifies the run for tort prediction"
_CLAIM_RULE: Final = "any null is_accepted disqualifies the run for rationale extraction"


class Claim(NamedTuple):
    """One party's claim and whether the court accepted it; None where that is not given."""

    side: str
    id: str
    is_accepted: bool | None

    @property
    def document(self) -> str:
        """Its id as a document."""
        return SIDES[self.side] + self.id


class TortCase(NamedTuple):
    """One instance of the pilot: the plaintiff's claims, then the defendant's, and the decision, None if not given."""

    id: str
    claims: tuple[Claim, ...]
    court_decision: bool | None
    line: int = 0


def sniff(head: bytes) -> bool:
    """Whether a file that starts with these bytes holds tort cases.

    A list or an indented object of them counts too, so that ``read_cases`` can say how to lay the file out.

    >>> sniff(b'{"version": "1", "tort_id": "0", "undisputed_facts": [')
    True
    """
    return head.lstrip().startswith((b"{", b"[")) and re.search(_KEY, head) is not None


def read_cases(source: Source) -> list[TortCase]:
    """The instances of a file, in its order, without the descriptions."""
    return [case for _, case in instances(source)]


def _gold(source: Source, _: Note) -> FoundRows:
    """What is right: the decisions as answers, the claims as documents of relevance 1 or 0, or one of both."""
    cases = read_cases(source)
    decided = any(case.court_decision is not None for case in cases)
    judged = any(claim.is_accepted is not None for case in cases for claim in case.claims)
    if not decided and not judged:
        problem = "test data: every court_decision and is_accepted is null"
        raise InputError("missing-label", source.name, problem, remedy="give the file with the court's decisions")
    if decided:
        yield from _decided(cases, source, _ALL_OR_NONE)
    if judged:
        yield from _judged(cases, source, _ALL_OR_NONE)


def _decisions(source: Source, _: Note) -> FoundRows:
    """What a submission answers for tort prediction."""
    return _decided(read_cases(source), source, _DECISION_RULE)


def _claims(source: Source, rule: IdRule) -> Run | Answers:
    """What a submission retrieves for rationale extraction: the claims it says are accepted, in the file's order.

    All claims that it names are its part ``NAMED``.
    """
    cases = read_cases(source)
    accepted = (row._replace(number=NOTHING) for row in _judged(cases, source, _CLAIM_RULE) if row.number != 0)
    run = run_of(accepted, ReadingRules.of(rule), source.name, "claims", source.stem)
    named = Run.of({case.id: [claim.document for claim in case.claims] for case in cases})
    return replace(run, other_parts={NAMED: named})


def _decided(cases: Sequence[TortCase], source: Source, rule: str) -> Iterator[Row]:
    _check_nulls([(case, "", case.court_decision) for case in cases], "court_decision", source, rule)
    for case in cases:
        yield Row(Place(source.name, "line", case.line), case.id, answer=case.court_decision)


def _judged(cases: Sequence[TortCase], source: Source, rule: str) -> Iterator[Row]:
    every = [(case, claim) for case in cases for claim in case.claims]
    named = [(case, f", {claim.side} claim {quoted(claim.id)}", claim.is_accepted) for case, claim in every]
    _check_nulls(named, "is_accepted", source, rule)
    for case in cases:
        place = Place(source.name, "line", case.line)
        yield Row(place, case.id)
        yield from (Row(place, case.id, claim.document, int(claim.is_accepted is True)) for claim in case.claims)


def _check_nulls(values: Sequence[tuple[TortCase, str, bool | None]], key: str, source: Source, rule: str) -> None:
    """Refuse values of which some are null."""
    if nulls := [(case, named) for case, named, value in values if value is None]:
        case, named = nulls[0]
        problem = f"{len(nulls)} of {len(values)} {key} values are null, first in instance {quoted(case.id)}{named}"
        raise InputError("missing-label", source.name, problem, line=case.line or None, remedy=rule)


def _write_filled_template(form_content: FormContent, stream: io.TextIOBase) -> None:
    """Write a submission: the organisers' test file as it stands, with the values that are given."""
    assert form_content.template is not None  # the form fills one
    for instance, case in instances(form_content.template):
        fault = Place(form_content.template.name, "line", case.line).fault
        entries = [entry for side in SIDES for entry in instance[f"{side}_claims"]]
        if form_content.answers:
            if case.id not in (labels := form_content.labels or {}):
                raise fault(
                    "missing-key", f"no court_decision is given for instance {quoted(case.id)}", remedy=_DECISION_RULE
                )
            instance["court_decision"] = labels[case.id]
            if case.court_decision is not None:  # a gold, whose other verdicts must not become the submission's
                for entry in entries:
                    entry["is_accepted"] = None
        elif case.id not in form_content.documents:
            raise fault(
                "missing-key", f"no accepted claims are given for instance {quoted(case.id)}", remedy=_CLAIM_RULE
            )
        else:
            by_document = dict(zip((claim.document for claim in case.claims), entries, strict=True))
            accepted = form_content.documents[case.id]
            if unknown := [doc for doc in accepted if doc not in by_document]:
                remedy = "p0 is the plaintiff's claim 0, d0 the defendant's"
                problem = f"instance {quoted(case.id)} has no such claim"
                raise fault("unknown-document", problem, found=unknown[0], remedy=remedy)
            for doc, entry in by_document.items():
                entry["is_accepted"] = doc in accepted
            if any(claim.is_accepted is not None for claim in case.claims):
                instance["court_decision"] = None
        stream.write(json.dumps(instance, ensure_ascii=False) + "\n")


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
                raise InputError(
                    "duplicate", source.name, problem, line=line, found=case.id, remedy="give each instance once"
                )
            lines[case.id] = line
            yield instance, case
        first_line += block.count(b"\n")


def read_instance(text: str, name: str, line: int) -> tuple[dict[str, Any], TortCase]:
    """The instance of one line, as it stands and as a record."""
    place = Place(name, "line", line)
    content = text.strip(" \t\r")
    # not parsed: the start of an indented list or object would only be called broken JSON
    indented = content == "{" or content.startswith("[")
    instance = None if indented else parse(text.rstrip(" \t\r"), name, line)
    if not isinstance(instance, dict):
        raise place.fault("structure", "this line does not hold an instance", found=content, remedy=_LAYOUT)
    of_instance = _Members(instance, "the instance", place)
    claims = tuple(claim for side in SIDES for claim in _claims_of(of_instance, side))
    return instance, TortCase(of_instance.id("tort_id"), claims, of_instance.verdict("court_decision"), line)


def _claims_of(instance: _Members, side: str) -> Iterator[Claim]:
    key = f"{side}_claims"
    wanted = "structure", "a list", "if there are no claims, write an empty list"
    known: set[str] = set()
    for n, entry in enumerate(instance.value(key, lambda value: isinstance(value, list), wanted), 1):
        where = f"entry {n} of {key}"
        if not isinstance(entry, dict):
            remedy = "expected a claim's id and is_accepted"
            raise instance.place.fault(
                "structure", f"{where} is not an object", json.dumps(entry, ensure_ascii=False), remedy
            )
        members = _Members(entry, where, instance.place)
        claim = Claim(side, members.id("id"), members.verdict("is_accepted"))
        if claim.id in known:
            raise instance.place.fault(
                "duplicate", f"{where} has the id of an earlier one", claim.id, "give each claim once"
            )
        known.add(claim.id)
        yield claim


class _Members(NamedTuple):
    """The members of an instance or a claim, what to call it, and where it stands."""

    members: dict[str, Any]
    name: str
    place: Place

    def value(self, key: str, fits: Callable[[Any], bool], wanted: tuple[str, str, str]) -> Any:
        """A member that fits; else an error of a kind, that it is not something, and what was expected."""
        if key not in self.members:
            raise self.place.fault("missing-key", f"{self.name} has no key {key}", ", ".join(self.members), "add it")
        value = self.members[key]
        if not fits(value):
            kind, what, remedy = wanted
            raise self.place.fault(
                kind, f"{key} of {self.name} is not {what}", json.dumps(value, ensure_ascii=False), remedy
            )
        return value

    def id(self, key: str) -> str:
        """A member that is an id."""
        return normal_id(str(self.value(key, _is_id, ("bad-id", "an id", 'expected text such as "0"'))))

    def verdict(self, key: str) -> bool | None:
        """A member that is true, false or null."""
        remedy = "write true, false or null, without quotes"
        wanted = "bad-label", "a verdict", remedy
        value: bool | None = self.value(key, lambda value: value is None or isinstance(value, bool), wanted)
        return value


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and bool(normal_id(str(value)))


_LOOKS: Final = '{"tort_id": "0", …}'

#: read for the decisions or, if so asked, for the claims
FORMS: Final = (
    Form("gold", FORMAT, _LOOKS, sniff, _gold),
    Form(
        "run",
        FORMAT,
        _LOOKS,
        sniff,
        _decisions,
        write=_write_filled_template,
        can_write=("documents", "labels", "order", "empty"),
        uses_template=True,
    ),
    Form("run", "claims", _LOOKS, lambda _: False, run=_claims),
)
