"""The naive twin of fusion: dictionaries, a query and a document at a time; and runs drawn at random."""

import math

from hypothesis import strategies as st
from naive import DOCUMENTS, QUERIES, float32

#: few different ones, so that many tie
_scores = st.sampled_from((0.0, -0.0, 1.0, -1.0, 0.1, 0.1 + 1e-12, 2.5, 16777216.0, 16777217.0)) | st.floats(-1e6, 1e6)

rankings = st.dictionaries(
    st.sampled_from(QUERIES), st.dictionaries(st.sampled_from(DOCUMENTS), _scores, max_size=6), max_size=3
)

weights = st.sampled_from((0.0, 0.25, 1.0, 1.0, 3.0)) | st.floats(0, 10)


@st.composite
def several(draw):
    """Two to four runs with anything in one of them, and a weight for each, not all 0."""
    n = draw(st.integers(2, 4))
    runs = [draw(rankings) for _ in range(n)]
    given = [draw(weights) for _ in range(n)]
    if not any(weight and any(run.values()) for weight, run in zip(given, runs, strict=True)):
        runs[0]["q1"], given[0] = {"d": 1.0}, 1.0
    return runs, given


def in_order(ranking):
    """trec_eval's order."""
    return sorted(ranking, key=lambda document: (float32(ranking[document]), document.encode()), reverse=True)


def normalised(ranking, norm, candidates):
    """The scores of one run for one query."""
    if not ranking:
        return {}
    rank = {document: at for at, document in enumerate(in_order(ranking), start=1)}
    values, n = list(ranking.values()), len(ranking)
    low, high = min(values), max(values)
    mean = math.fsum(values) / n
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / n)
    of = {
        "min-max": lambda d: (ranking[d] - low) / (high - low) if high > low else 1.0,
        "max": lambda d: ranking[d] / high if high > 0 else 0.0,
        # the squares can underflow
        "zscore": lambda d: (ranking[d] - mean) / deviation if high > low and deviation > 0 else 0.0,
        "borda": lambda d: (candidates - rank[d] + 1) / candidates,
        "none": lambda d: ranking[d],
    }[norm]
    return {document: of(document) for document in ranking}


def fused(runs, given, method, norm, k, depth):
    """Query → document → fused score; queries without any are left out."""
    result = {}
    for query in dict.fromkeys(query for run in runs for query in run):
        lists = []
        for run in runs:
            ranking = run.get(query, {})
            lists.append({document: ranking[document] for document in in_order(ranking)[:depth]})
        candidates = len(set().union(*lists))
        parts = []
        for ranking in lists:
            if method == "rrf":
                parts.append({document: 1 / (k + at) for at, document in enumerate(in_order(ranking), start=1)})
            else:
                points = normalised(ranking, norm, candidates)
                if norm == "borda":  # what is left of c + … + 1 points is shared by what the run lacks
                    lacking = set().union(*lists) - ranking.keys()
                    left = range(1, candidates - len(ranking) + 1)
                    points |= {document: sum(left) / len(left) / candidates for document in lacking}
                parts.append(points)
        for document in set().union(*lists):
            have = [w * part[document] for part, w in zip(parts, given, strict=True) if w and document in part]
            if retrieved := sum(w > 0 and document in ranking for ranking, w in zip(lists, given, strict=True)):
                total = math.fsum(have)
                result.setdefault(query, {})[document] = {"rrf": total, "combsum": total, "combmnz": total * retrieved}[
                    method
                ]
    return result
