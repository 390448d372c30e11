"""The measures: one place each, with name, formula, source and code."""

from __future__ import annotations

from collections.abc import Sequence

from coliee_ir.judging.order import check_order
from coliee_ir.measures.base import Measure, Parts, Result
from coliee_ir.measures.catalogue import Description, describe, everything, parse, parse_formula
from coliee_ir.measures.delegated import Delegated, compute_all
from coliee_ir.rules.decisions import Decisions

__all__ = [
    "Delegated",
    "Description",
    "Measure",
    "Parts",
    "Result",
    "compute",
    "compute_each",
    "describe",
    "everything",
    "parse",
    "parse_formula",
]


def compute(measures: Sequence[Measure], parts: Parts, decisions: Decisions) -> list[Result]:
    """The results of the measures, in their order; trec_eval is asked once for all that it computes.

    Raises:
        UsageError: a measure looks at ranks, and the documents of a query are a set.
    """
    return compute_each(measures, [parts], decisions)[0]


def compute_each(measures: Sequence[Measure], runs: Sequence[Parts], decisions: Decisions) -> list[list[Result]]:
    """The same for the parts of each of several runs, which have one gold: trec_eval is asked once for all."""
    for measure in measures:
        for part, of_part in measure.of_parts if measure.looks_at_ranks else ():
            if of_part.looks_at_ranks:
                for parts in runs:
                    check_order((of_part.part(parts) if part == "documents" else parts[part]).remarks, str(measure))
    delegated = [measure for measure in measures if isinstance(measure, Delegated)]
    results = []
    for parts, answers in zip(runs, compute_all(delegated, runs, decisions), strict=True):
        answer = iter(answers)
        results.append([next(answer) if isinstance(m, Delegated) else m.compute(parts, decisions) for m in measures])
    return results
