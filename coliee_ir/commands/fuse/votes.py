"""Votes: on documents, whether they are in the set; on answers, which label it is."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from coliee_adapters.records import Answers, Columns
from coliee_ir.commands.fuse.methods import Candidates, weighted_sum
from coliee_ir.judging.judged import BoolArray, FloatArray

#: Sums of weights that are nearer than this, relatively, are equal: .1 + .2 is .3.
NEAR_WEIGHTS = 1e-9


def elected(candidates: Candidates, method: str, weights: FloatArray) -> Columns:
    """The documents in the sets, by the weight of the runs that have them, then by id, greatest first."""
    votes = weighted_sum(candidates.named.astype(np.float64), weights)
    total = math.fsum(weights.tolist())
    enough: BoolArray = votes > 0
    if method == "intersection":
        enough &= candidates.named.all(axis=0)
    elif method == "vote":
        enough &= votes > total / 2 * (1 + NEAR_WEIGHTS)
    order = np.lexsort((-np.round(votes / total, 9), candidates.query))
    return candidates.columns(order[enough[order]])


class Counted(NamedTuple):
    """What answers amount to, and the queries where both labels had the same weight."""

    labels: dict[str, bool]
    ties: tuple[str, ...]


def ballots(answers: Sequence[Answers], queries: Collection[str]) -> FloatArray:
    """What runs answer, of shape (n, Q): 1 for Y, -1 for N, 0 for no answer."""
    sign = {True: 1.0, False: -1.0, None: 0.0}
    return np.array([[sign[run.labels.get(query)] for query in queries] for run in answers])


def decided(votes: FloatArray, weights: FloatArray, ties: str) -> tuple[BoolArray, BoolArray, BoolArray]:
    """For each query whether any run with a weight answers, whether it is a tie, and whether the answer is Y."""
    by_run = weights[:, None] * votes
    total, cast = by_run.sum(axis=0), np.abs(by_run).sum(axis=0)
    tied = np.abs(total) <= NEAR_WEIGHTS * cast
    first = by_run[np.argmax(by_run != 0, axis=0), np.arange(by_run.shape[1])] > 0
    return cast > 0, tied, np.where(tied, first if ties == "first" else ties == "Y", total > 0)


def counted(answers: Sequence[Answers], weights: FloatArray, ties: str) -> Counted:
    """The label with the greater weight, for every query that any run with a weight answers."""
    queries = list(dict.fromkeys(query for run in answers for query in run.labels))
    of_queries = zip(queries, *map(np.ndarray.tolist, decided(ballots(answers, queries), weights, ties)), strict=True)
    answered = [(query, tied, label) for query, is_cast, tied, label in of_queries if is_cast]
    return Counted({query: label for query, _, label in answered}, tuple(query for query, tied, _ in answered if tied))
