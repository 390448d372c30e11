"""What the scorers of other shared tasks do, in a few lines each: dictionaries, loops, no code of ours or theirs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Graded = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Sequence[str]]


def mean(values: Sequence[float]) -> float:
    """The mean of all queries of the gold, those without results at 0."""
    return sum(values) / len(values)


def ndcg(gold: Graded, run: Rankings, k: int = 1000) -> float:
    """nDCG with linear gains, as trec_eval, BEIR and LeCaRD's script have it."""

    def dcg(grades: Sequence[int]) -> float:
        return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades[:k], 1))

    values = []
    for query, grades in gold.items():
        best = dcg(sorted(grades.values(), reverse=True))
        values.append(dcg([grades.get(doc, 0) for doc in run.get(query, [])]) / best if best else 0.0)
    return mean(values)


def recall(gold: Graded, run: Rankings, k: int, rel: int = 1) -> float:
    """The share of the relevant documents that is among the first k."""
    values = []
    for query, grades in gold.items():
        relevant = {doc for doc, grade in grades.items() if grade >= rel}
        values.append(len(relevant & set(run.get(query, [])[:k])) / len(relevant) if relevant else 0.0)
    return mean(values)


def precision(gold: Graded, run: Rankings, k: int, rel: int = 1, *, judged_only: bool = False) -> float:
    """The relevant ones among the first k, over k."""
    values = []
    for query, grades in gold.items():
        ranking = [doc for doc in run.get(query, []) if not judged_only or doc in grades]
        values.append(sum(grades.get(doc, 0) >= rel for doc in ranking[:k]) / k)
    return mean(values)


def success(gold: Graded, run: Rankings, k: int) -> float:
    """STARD's one_recall: the share of queries with a relevant document among the first k."""
    return mean([float(any(grades.get(doc, 0) > 0 for doc in run.get(q, [])[:k])) for q, grades in gold.items()])


def reciprocal_rank(gold: Graded, run: Rankings, k: int = 1000) -> float:
    """One over the rank of the first relevant document."""
    values = []
    for query, grades in gold.items():
        ranks = [rank for rank, doc in enumerate(run.get(query, [])[:k], 1) if grades.get(doc, 0) > 0]
        values.append(1 / ranks[0] if ranks else 0.0)
    return mean(values)


def average_precision(gold: Graded, run: Rankings, k: int = 1000, rel: int = 1, *, judged_only: bool = False) -> float:
    """The mean over relevant documents of the precision at their ranks."""
    values = []
    for query, grades in gold.items():
        ranking = [doc for doc in run.get(query, []) if not judged_only or doc in grades][:k]
        found, total = 0, 0.0
        for rank, doc in enumerate(ranking, 1):
            if grades.get(doc, 0) >= rel:
                found += 1
                total += found / rank
        relevant = sum(grade >= rel for grade in grades.values())
        values.append(total / relevant if relevant else 0.0)
    return mean(values)


def bpref(gold: Graded, run: Rankings) -> float:
    """Buckley and Voorhees: of each relevant document, the judged irrelevant ones above it."""
    values = []
    for query, grades in gold.items():
        relevant = sum(grade > 0 for grade in grades.values())
        bound = min(relevant, len(grades) - relevant)
        above, total = 0, 0.0
        for doc in run.get(query, []):
            if doc in grades and grades[doc] > 0:
                total += 1 - min(above, relevant) / bound if bound and above else 1.0
            elif doc in grades:
                above += 1
        values.append(total / relevant if relevant else 0.0)
    return mean(values)


def micro(gold: Graded, run: Rankings, k: int) -> tuple[float, float, float]:
    """IL-PCR: P, R and F1 over all queries' first k."""
    right = sum(len(set(grades) & set(run.get(query, [])[:k])) for query, grades in gold.items())
    p, r = right / (k * len(gold)), right / sum(map(len, gold.values()))
    return p, r, 2 * p * r / (p + r) if right else 0.0
