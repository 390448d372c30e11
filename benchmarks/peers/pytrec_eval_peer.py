"""pytrec_eval as its users run it: parse the files, evaluate, average over all judged queries."""

import sys
from pathlib import Path

import pytrec_eval


def main(names: str, qrels_path: str, *run_paths: str) -> None:
    with Path(qrels_path).open() as file:
        qrels = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(names.split(",")))
    for run_path in run_paths:
        with Path(run_path).open() as file:
            results = evaluator.evaluate(pytrec_eval.parse_run(file))
        for key in next(iter(results.values())):
            print(f"{key}\t{sum(values[key] for values in results.values()) / len(qrels):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
