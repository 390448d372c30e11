"""What a user may write: every line passes the type checkers."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas
import polars

import coliee_ir
from coliee_ir import Evaluator, Scores, compare, evaluate, evaluate_all, read_gold, read_run, tune


class Row(NamedTuple):
    query_id: str
    doc_id: str
    score: float


def rows() -> Iterator[Row]:
    yield Row("q1", "d1", 0.5)


scores: Scores = evaluate("gold.json", Path("run.txt"), task=1, edition="2026")
by_name: float = scores.measures["MicroF1"]
evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.5, "d2": 0.25}})
evaluate({"q1": ["d1"]}, {"q1": ["d1", "d2"]}, measures=["AP", "MicroF1@5"])
evaluate({"R01-1-A": "Y"}, {"R01-1-A": True})
evaluate(pandas.DataFrame(), polars.DataFrame())
evaluate([("q1", "d1", 1)], [("q1", "d1", 0.5)])
evaluate(pandas.Series(["Y"], ["R01-1-A"]), [("R01-1-A", "Y")])
evaluate(polars.LazyFrame(), rows())
evaluate(["riteval_R01.xml", "riteval_R02.xml"], [{"query_id": "q1", "doc_id": "d1", "score": 1.0}])
Evaluator(read_gold("gold.json"), "AP").evaluate(read_run("run.txt"))
scored = evaluate_all("gold.json", {"a": "a.txt", "b": {"q1": ["d1"]}}, task=1)
pair = compare(scored, confidence_level=0.99).pairs[0]
print(scored["a"].tag, scored[0].measures, scored.to_latex())
print(pair.difference, pair.p, tune("gold.json", "a.txt").rule, coliee_ir.__version__)
