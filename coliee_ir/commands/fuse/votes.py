"""Votes: on documents, whether they are in the set; on answers, which label it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coliee_adapters.records import Answers, Columns
from coliee_ir.commands.fuse.methods import Candidates, weighted_sum
from coliee_ir.judging.judged import BoolArray, FloatArray

#: Sums of weights that are nearer than this, relatively, are equal: .1 + .2 is .3.
NEAR_WEIGHTS = 1e-9


def elected(held: Candidates, method: str, weights: FloatArray, least: float | None) -> Columns:
    """The documents in the sets, by the weight of the runs that have them, then by id, greatest first."""
    votes = weighted_sum(held.named.astype(np.float64), held.named, weights)
    total = math.fsum(weights.tolist())
    enough: BoolArray = votes > 0
    if method == "intersection":
        enough &= held.named.all(axis=0)
    elif method == "vote":
        enough &= votes > total / 2 * (1 + NEAR_WEIGHTS) if least is None else votes >= least * (1 - NEAR_WEIGHTS)
    order = np.lexsort((-np.round(votes / total, 9), held.query))
    return held.columns(order[enough[order]])


class Counted(NamedTuple):
    """What answers amount to, and the queries where both labels had the same weight."""

    labels: dict[str, bool]
    ties: tuple[str, ...]


def counted(answers: Sequence[Answers], weights: Sequence[float], ties: str) -> Counted:
    """The label with the greater weight, for every query that any run with a weight answers."""
    labels: dict[str, bool] = {}
    tied = []
    for query in dict.fromkeys(query for run in answers for query in run.labels):
        said = [(run.labels[query], w) for run, w in zip(answers, weights, strict=True) if w and query in run.labels]
        if not said:
            continue
        yes, no = (math.fsum(weight for label, weight in said if label is wanted) for wanted in (True, False))
        if math.isclose(yes, no, rel_tol=NEAR_WEIGHTS):
            tied.append(query)
            labels[query] = said[0][0] if ties == "first" else ties == "Y"
        else:
            labels[query] = yes > no
    return Counted(labels, tuple(tied))
