"""Micro P, R and F1 as a participant writes it: a dictionary of sets on either side."""

import sys
from pathlib import Path


def read(path: str, document: int) -> dict[str, set[str]]:
    sets: dict[str, set[str]] = {}
    with Path(path).open() as file:
        for line in file:
            fields = line.split()
            sets.setdefault(fields[0], set()).add(fields[document])
    return sets


def main(qrels_path: str, run_path: str) -> None:
    gold, run = read(qrels_path, 2), read(run_path, 1)
    correct = sum(len(documents & run.get(query, set())) for query, documents in gold.items())
    retrieved = sum(len(documents) for query, documents in run.items() if query in gold)
    relevant = sum(map(len, gold.values()))
    p, r = correct / retrieved, correct / relevant
    for name, value in (("MicroF1", 2 * p * r / (p + r)), ("MicroP", p), ("MicroR", r)):
        print(f"{name}\t{value:.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
