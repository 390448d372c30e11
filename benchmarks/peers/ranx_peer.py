"""ranx as its users run it: both files from TREC's forms, evaluate."""

import sys

from ranx import Qrels, Run, evaluate


def main(qrels_path: str, run_path: str, names: list[str]) -> None:
    qrels, run = Qrels.from_file(qrels_path, kind="trec"), Run.from_file(run_path, kind="trec")
    for name, value in evaluate(qrels, run, names, make_comparable=True).items():
        print(f"{name}\t{value:.4f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
