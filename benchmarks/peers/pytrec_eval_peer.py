"""pytrec_eval as its users run it: parse both files, evaluate, average over all judged queries."""

import sys
from pathlib import Path

import pytrec_eval


def main(qrels_path: str, run_path: str, names: list[str]) -> None:
    with Path(qrels_path).open() as file:
        qrels = pytrec_eval.parse_qrel(file)
    with Path(run_path).open() as file:
        run = pytrec_eval.parse_run(file)
    results = pytrec_eval.RelevanceEvaluator(qrels, set(names)).evaluate(run)
    for key in next(iter(results.values())):
        print(f"{key}\t{sum(values[key] for values in results.values()) / len(qrels):.4f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
