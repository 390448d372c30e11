"""Measures by name, as a protocol means them: the scores that it defines come before ours and trec_eval's."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from coliee_adapters.errors import InputError, UsageError
from coliee_ir.measures import Measure, parse, parse_formula
from coliee_ir.rules.choices import CHOICES
from coliee_ir.rules.protocol import Protocol, protocol

#: the parts that a submission of some task has without naming them
IMPLIED: Final = ("plaintiff", "defendant")


def measures_named(names: Sequence[str], scores: Mapping[str, str] | None = None) -> tuple[Measure, ...]:
    """The measures of some names, each once."""
    formulas = scores or {}
    each = (
        [parse_formula(formulas[name], name)] if isinstance(name, str) and name in formulas else parse(name)
        for name in names
    )
    return tuple(dict.fromkeys(chain.from_iterable(each)))


def single_measures(
    names: Sequence[str], task: str | int | None = None, edition: str | int | None = None
) -> list[Measure]:
    """The measures of some names. A name that expands to several is refused: each comparison is corrected for."""
    scores = protocol(task, edition).scores if task else {}
    for name in names:
        if len(meant := measures_named([name], scores)) > 1:
            listed = ", ".join(map(str, meant[:3])) + ", …" * (len(meant) > 3)
            raise UsageError("ambiguous", f"{name!r} expands to {len(meant)} measures ({listed}); name one measure")
    return list(measures_named(names, scores))


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
        if score == "Accuracy" and "answers" not in rules.parts:
            continue  # of classes, which are documents
        with contextlib.suppress(UsageError):
            parse(score)
            raise fault(f"scores, {score}", "a measure has this name")
    stated = {"measures": rules.measures, "tie_break": rules.tie_break, "long_list": rules.long_list}
    for key, names in {"scores": tuple(rules.scores), **stated}.items():
        for name in names:
            try:
                measures = measures_named([name], rules.scores)
            except UsageError as error:
                raise fault(f"{key}, {name}" if key == "scores" else key, str(error)) from None
            lacking = [part for measure in measures for part in measure.needs if part not in (*rules.parts, *IMPLIED)]
            if lacking:
                raise fault(key, f"{name} needs {lacking[0]}, which parts does not name")
