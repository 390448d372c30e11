"""Which measures are computed of a judged submission, and how many queries and documents it has."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from coliee_adapters.classes import NamedTuple
from coliee_adapters.errors import InputError, UsageError
from coliee_ir.judging.judged import BoolArray
from coliee_ir.measures import Measure, Parts, parse, parse_formula
from coliee_ir.measures.sets import Counts, counts
from coliee_ir.rules.decisions import CHOICES
from coliee_ir.rules.protocol import Protocol, protocol
from coliee_ir.scoring.prepared import Prepared

#: part of a submission → how to give it
NEEDED: Final = {
    "documents": "retrieved documents, which this task does not have",
    "answers": "answers Y or N: give them with --answers FILE",
    "plaintiff": "the pilot's claims: --task rationale",
    "defendant": "the pilot's claims: --task rationale",
}

#: the parts that a submission of some task has without naming them
_IMPLIED: Final = ("plaintiff", "defendant")


def named(names: Sequence[str], scores: Mapping[str, str] | None = None) -> tuple[Measure, ...]:
    """The measures of some names, each once."""
    known = scores or {}
    return tuple(dict.fromkeys(measure for name in names for measure in _meant(name, known)))


def _meant(name: str, scores: Mapping[str, str]) -> Sequence[Measure]:
    if isinstance(name, str) and name in scores:
        return [parse_formula(scores[name], name)]
    return parse(name)


def singly(names: Sequence[str], task: str | int | None = None, edition: str | int | None = None) -> list[Measure]:
    """The measures of some names, of which none may stand for several: each that is compared is corrected for."""
    scores = {} if task is None else protocol(task, edition).scores
    for name in names:
        if len(meant := named([name], scores)) > 1:
            shown = ", ".join(map(str, meant[:3])) + (", …" if len(meant) > 3 else "")
            raise UsageError("ambiguous", f"{name!r} expands to {len(meant)} measures ({shown}); name one measure")
    return list(named(names, scores))


def check_rules(rules: Protocol) -> None:
    """Refuse what a protocol file that is not part of the package states, if no measure or scoring choice is that."""

    def fault(key: str, problem: str) -> InputError:
        return InputError("protocol", rules.file, f"{key}: {problem}", remedy="correct the protocol")

    if not rules.own_file:
        return
    for name, choice in rules.decisions.items():
        if name not in CHOICES:
            raise fault(f"decisions, {name}", f"unknown scoring choice; there are {', '.join(CHOICES)}")
        if choice not in CHOICES[name]:
            raise fault(f"decisions, {name}", f"{choice!r} is not one of {', '.join(CHOICES[name])}")
    for score in rules.scores:
        with contextlib.suppress(UsageError):
            parse(score)
            raise fault(f"scores, {score}", "a measure has this name")
    stated = {"measures": rules.measures, "tie_break": rules.tie_break, "long_list": rules.long_list}
    for key, names in {"scores": tuple(rules.scores), **stated}.items():
        for name in names:
            try:
                found = named([name], rules.scores)
            except UsageError as error:
                raise fault(f"{key}, {name}" if key == "scores" else key, str(error)) from None
            lacking = [part for one in found for part in one.needs if part not in (*rules.parts, *_IMPLIED)]
            if lacking:
                raise fault(key, f"{name} needs {lacking[0]}, which parts does not name")


class Choice(NamedTuple):
    """The measures to compute, and the names of official ones that cannot be."""

    measures: tuple[Measure, ...]
    left_out: tuple[str, ...] = ()


def choose(asked: Sequence[Measure], parts: Parts, against: Prepared) -> Choice:
    """The measures to compute: those asked for, or the official ones that the given parts allow."""
    rules = against.rules
    for measure in asked:
        for part in measure.needs:
            if part not in parts and part not in _IMPLIED and part not in rules.parts:
                problem = f"{measure} needs {part}, which submissions to task {rules.task} do not contain"
                raise UsageError("unfit-measure", problem)
            if part not in parts:
                problem = f"{measure} needs {NEEDED.get(part, f'{part}, which this submission does not hold')}"
                raise UsageError("unfit-measure", problem)
    if asked:
        return Choice(tuple(asked))
    official = named([*rules.measures, *(rules.long_list if "long" in parts else ())], rules.scores)
    possible = tuple(measure for measure in official if all(part in parts for part in measure.needs))
    return Choice(possible, tuple(measure.name for measure in official if measure not in possible))


class Counted(NamedTuple):
    """How many there are."""

    totals: Counts  # correct, retrieved and relevant documents of each query
    answered: BoolArray  # shape (Q,); the queries that are answered
    in_part: BoolArray  # shape (Q,); those of which one part is missing
    extra: tuple[str, ...]  # the queries of the run that the gold does not have


def count(parts: Parts, against: Prepared) -> Counted:
    """Count the main parts of a judged submission.

    Where both articles and a label are asked for, a question whose gold names no article needs only the label.
    """
    main = [parts[part] for part in ("documents", "answers") if part in parts]
    answered, in_part = main[0].answered, np.zeros_like(main[0].answered)
    if len(main) > 1:
        documents, answers = answered, main[1].answered
        answered = answers & (documents | (main[0].qrels.relevant() == 0))
        in_part = (documents | answers) & ~answered
    extra = sorted({query for part in main for query in part.extra})
    return Counted(counts(main[0], against.decisions), answered, in_part, tuple(extra))
