"""Some 400 inputs that could be misread: each is read rightly, refused or remarked; none is wrong in silence."""

import csv
import io
import itertools
import json
import random
import warnings
from collections import Counter
from typing import Any

import pandas
import polars
import pytest

import coliee_ir
from coliee_ir import ColieeError, evaluate

Rows = list[dict[str, Any]]

_CHANCE = random.Random(7)
QUERIES = [f"{n:03}" for n in range(1, 13)]
DOCUMENTS = [f"{n:06}" for n in range(1, 31)]
GOLD = {query: _CHANCE.sample(DOCUMENTS, 2) for query in QUERIES}
RUN = {query: {document: round(_CHANCE.uniform(1, 9), 3) for document in DOCUMENTS[:20]} for query in QUERIES}


def _written(rows, container, folder, name):
    """Rows in a container: a file's path, or a frame."""
    if container in ("pandas", "polars"):
        return (pandas if container == "pandas" else polars).DataFrame(rows)
    path = folder / f"{name}.{container}"
    if container == "parquet":
        pandas.DataFrame(rows).to_parquet(path)
    elif container == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif container == "json":
        path.write_text(json.dumps(rows))
    else:
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(rows[0]), delimiter={"csv": ",", "tsv": "\t"}[container])
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(stream.getvalue())
    return path


CONTAINERS = ("csv", "tsv", "jsonl", "json", "pandas", "polars", "parquet")

#: columns that stand beside a ranking and are not its scores: name → value of a row by its place, score and relevance
BESIDE = {
    "year": lambda at, score, is_relevant: 2015 + at % 9,
    "index": lambda at, score, is_relevant: at,
    "Unnamed: 0": lambda at, score, is_relevant: at,
    "seed": lambda at, score, is_relevant: at % 3,
    "count": lambda at, score, is_relevant: at * 7 % 31,
    "gold_label": lambda at, score, is_relevant: int(is_relevant),
    "is_correct": lambda at, score, is_relevant: is_relevant,
    "length": lambda at, score, is_relevant: 1000 - at,
    "distance": lambda at, score, is_relevant: -score,
    "rank": lambda at, score, is_relevant: 1 + at % 20,
    "prob_dense": lambda at, score, is_relevant: at * 13 % 97 / 97,
    "text": lambda at, score, is_relevant: f"Section {at}",
}


def ranked_tables(folder):
    """A ranking with one more column, before or behind its own, in every container."""
    right = evaluate(GOLD, RUN, task="1", measures=["AP", "RR"]).measures
    for name, container, is_first in itertools.product(BESIDE, CONTAINERS, (True, False)):
        rows = []
        for query, of_query in RUN.items():
            for document, score in of_query.items():
                more = {name: BESIDE[name](len(rows), score, document in GOLD[query])}
                own = {"query_id": query, "doc_id": document, "score": score}
                rows.append({**more, **own} if is_first else {**own, **more})
        held = _written(rows, container, folder, f"{len(name)}{name[:3]}{is_first}")
        place = "before" if is_first else "behind"
        yield f"{name} {place} a ranking, {container}", _scoring(GOLD, held, task="1", measures=["AP", "RR"]), right


def _scoring(gold, run, **rules):
    def scored():
        return evaluate(gold, run() if callable(run) else run, **rules).measures

    return scored


def outcome(call, right):
    """What became of a case: right, refused, warned (a doubt about the score was told), or WRONG."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            measures = call()
        except (ColieeError, TypeError):
            return "refused"
    if all(measures.get(name) == pytest.approx(value, nan_ok=True) for name, value in right.items()):
        return "right"
    return "warned" if any(issubclass(one.category, coliee_ir.ScoreWarning) for one in warned) else "WRONG"


def test_nothing_is_scored_wrong_in_silence(tmp_path):
    outcomes = {what: outcome(call, right) for what, call, right in ranked_tables(tmp_path)}
    assert not [what for what, found in outcomes.items() if found == "WRONG"]
    counts = Counter(outcomes.values())
    assert counts["right"] > counts.total() / 8, counts
