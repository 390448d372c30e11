"""The naive twin of fusion: dictionaries, a query and a document at a time; and runs drawn at random."""

import math

from hypothesis import strategies as st
from naive import DOCUMENTS, QUERIES, float32

#: few different ones, so that many tie
_scores = st.sampled_from((0.0, -0.0, 1.0, -1.0, 0.1, 0.1 + 1e-12, 2.5, 16777216.0, 16777217.0)) | st.floats(-1e6, 1e6)

_rankings = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCUMENTS), _scores, max_size=6), max_size=3
)
_weights = st.sampled_from((0.0, 0.25, 1.0, 1.0, 3.0)) | st.floats(0, 10)


@st.composite
def several(draw):
    """Two to four runs with anything in one of them, and a weight for each, not all 0."""
    n = draw(st.integers(2, 4))
    runs = [draw(_rankings) for _ in range(n)]
    given = [draw(_weights) for _ in range(n)]
    if not any(weight and any(run.values()) for weight, run in zip(given, runs, strict=True)):
        runs[0]["q1"], given[0] = {"d": 1.0}, 1.0
    return runs, given


def part(ranking, document, candidates, method, norm, k):
    """What a run gives to a document of a query for which all runs together have so many candidates."""
    if document not in ranking:  # Borda: what is left of c + … + 1 points is shared by what the run lacks
        left = range(1, candidates - len(ranking) + 1)
        return sum(left) / len(left) / candidates if norm == "borda" and method != "rrf" else 0.0
    in_order = sorted(ranking, key=lambda each: (float32(ranking[each]), each.encode()), reverse=True)
    rank, score, values = in_order.index(document) + 1, ranking[document], list(ranking.values())
    low, high, mean = min(values), max(values), math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    if method == "rrf":
        return 1 / (k + rank)
    if norm == "min-max":
        return (score - low) / (high - low) if high > low else 1.0
    if norm == "max":
        return score / high if high > 0 else 0.0
    if norm == "zscore":  # the squares can underflow
        return (score - mean) / deviation if high > low and deviation > 0 else 0.0
    return (candidates - rank + 1) / candidates if norm == "borda" else score


def fused(runs, given, *how):
    """Query → document → fused score, by method, norm and k; queries without any are left out."""
    result = {}
    for query in dict.fromkeys(query for run in runs for query in run):
        rankings = [run.get(query, {}) for run in runs]
        candidates = set().union(*rankings)
        for document in candidates:
            pairs = zip(rankings, given, strict=True)
            parts = [weight * part(ranking, document, len(candidates), *how) for ranking, weight in pairs]
            n = sum(weight > 0 and document in ranking for ranking, weight in zip(rankings, given, strict=True))
            if n:
                result.setdefault(query, {})[document] = math.fsum(parts) * (n if how[0] == "combmnz" else 1)
    return result
