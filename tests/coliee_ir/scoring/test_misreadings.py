"""Some 170 rankings that could be misread: each is read rightly, refused or remarked; none is wrong in silence."""

import itertools
import random
import warnings
from collections import Counter

import pandas
import polars
import pytest

from coliee_ir import ColieeError, ScoreWarning, evaluate

_CHANCE = random.Random(7)
QUERIES = [f"{n:03}" for n in range(1, 13)]
DOCUMENTS = [f"{n:06}" for n in range(1, 31)]
GOLD = {query: _CHANCE.sample(DOCUMENTS, 2) for query in QUERIES}
RUN = {query: {document: round(_CHANCE.uniform(1, 9), 3) for document in DOCUMENTS[:20]} for query in QUERIES}


def _written(rows, container, path):
    """Rows in a container: a file's path, or a frame."""
    frame = pandas.DataFrame(rows)
    match container:
        case "pandas":
            return frame
        case "polars":
            return polars.DataFrame(rows)
        case "csv" | "tsv":
            frame.to_csv(path, index=False, sep="," if container == "csv" else "\t")
        case "json" | "jsonl":
            frame.to_json(path, orient="records", lines=container == "jsonl")
        case "parquet":
            frame.to_parquet(path)
    return path


def beside(at, score, is_relevant):
    """Columns that stand beside a ranking and are not its scores."""
    return {
        "year": 2015 + at % 9, "index": at, "Unnamed: 0": at, "seed": at % 3, "count": at * 7 % 31,
        "gold_label": int(is_relevant), "is_correct": is_relevant, "length": 1000 - at, "distance": -score,
        "rank": 1 + at % 20, "prob_dense": at * 13 % 97 / 97, "text": f"Section {at}",
    }  # fmt: skip


def outcome(held, right):
    """What became of a case: right, refused, warned (a doubt about the score was told), or WRONG."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            measures = evaluate(GOLD, held, task="1", measures=["AP", "RR"]).measures
        except (ColieeError, TypeError):
            return "refused"
    if measures == pytest.approx(right, nan_ok=True):
        return "right"
    return "warned" if any(issubclass(one.category, ScoreWarning) for one in warned) else "WRONG"


def test_nothing_is_scored_wrong_in_silence(tmp_path):
    """A ranking with one more column, before or behind its own, in every container."""
    right = evaluate(GOLD, RUN, task="1", measures=["AP", "RR"]).measures
    lines = [(query, *one) for query, of_query in RUN.items() for one in of_query.items()]
    containers, outcomes = ("csv", "tsv", "jsonl", "json", "pandas", "polars", "parquet"), {}
    for name, container, is_first in itertools.product(beside(0, 0, False), containers, (True, False)):
        rows = []
        for at, (query, document, score) in enumerate(lines):
            more = {name: beside(at, score, document in GOLD[query])[name]}
            own = {"query_id": query, "doc_id": document, "score": score}
            rows.append({**more, **own} if is_first else {**own, **more})
        held = _written(rows, container, tmp_path / f"{len(outcomes)}.{container}")
        outcomes[name, container, is_first] = outcome(held, right)
    assert not [what for what, found in outcomes.items() if found == "WRONG"]
    counts = Counter(outcomes.values())
    assert counts["right"] > counts.total() / 8, counts
