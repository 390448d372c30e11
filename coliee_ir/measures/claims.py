"""The pilot's rationale extraction: F1 of the claims that the court accepted, for each instance, and pooled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coliee_ir.judging.judged import Judged
from coliee_ir.measures.base import Measure, Parts, Result, topic_mean
from coliee_ir.measures.sets import MicroF, counts, f_measure
from coliee_ir.rules.decisions import Decisions

_PAGE = "organisers' page of the pilot (LJPJT), section on evaluation"


@dataclass(frozen=True)
class _InstanceF1(Measure):
    decision_fields = frozenset({"undefined", "duplicates"})
    formula = (
        "mean over instances of 2·correct / (predicted True + gold True); "
        "an instance where both are 0 is undefined and counts as --decision undefined=… says"
    )
    source = f"{_PAGE}; what is undefined counts 0 by default, as in scikit-learn"

    def part(self, parts: Parts) -> Judged:
        return parts[self.needs[0]]

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        totals = counts(self.part(parts), decisions)
        per_query = f_measure(*totals[:3], beta=1.0)
        undefined = (totals.relevant == 0) & (totals.retrieved == 0)
        per_query[undefined] = {"zero": 0.0, "one": 1.0, "skip": np.nan}[decisions.undefined]
        return Result(topic_mean(per_query), per_query)


class RationaleF1(_InstanceF1):
    """The mean over instances of F1 of the True class, over the claims of both sides. It ranks rationale extraction."""

    needs = ("documents", "plaintiff", "defendant")


class PlaintiffF1(_InstanceF1):
    """The mean over instances of F1 of the True class, over the plaintiff's claims."""

    needs = ("plaintiff",)


class DefendantF1(_InstanceF1):
    """The mean over instances of F1 of the True class, over the defendant's claims."""

    needs = ("defendant",)


@dataclass(frozen=True)
class PooledF1(Measure):
    """F1 of the True class over all claims of all instances taken together: the micro-averaged F1."""

    needs = ("documents", "plaintiff", "defendant")
    decision_fields = MicroF.decision_fields
    formula = MicroF.formula
    source = _PAGE

    def compute(self, parts: Parts, decisions: Decisions) -> Result:
        return MicroF().compute(parts, decisions)
