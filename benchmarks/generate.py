"""Seeded runs and golds of the shapes that are timed: A, B, D, sweeps, set runs; grouped or not."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO


@dataclass(frozen=True)
class Shape:
    """How large a run is, and how its gold looks.

    Attributes:
        queries: number of queries.
        depth: documents a query.
        relevant: relevant documents a query, at most; the number varies.
        columns: 6 for TREC's form, 3 for COLIEE's.
        grouped: whether the lines of a query stand together.
        shortest: whether scores are written as ``repr`` writes them, in up to 17 digits; else with six decimals.
        tied: whether scores have one decimal, so that many documents share theirs.
        anywhere: whether relevant documents stand at any rank; else most of them stand high up.
        pooled: how many documents of each query are judged, in ten levels; 0 for the relevant ones alone.
    """

    queries: int
    depth: int
    relevant: int = 1
    columns: int = 6
    grouped: bool = True
    shortest: bool = False
    tied: bool = False
    anywhere: bool = False
    pooled: int = 0

    @property
    def lines(self) -> int:
        """Lines of the run."""
        return self.queries * self.depth

    def scaled(self, scale: float) -> Shape:
        """The same with other many queries, at least ten."""
        return self if scale == 1 else replace(self, queries=max(10, round(self.queries * scale)))


def write(shape: Shape, folder: Path, seed: int = 2026, name: str = "run") -> tuple[Path, Path]:
    """Write qrels and a run; their paths. What stands there already is kept.

    Ids look like MS MARCO's: queries and documents are numbers of up to seven digits, scores have six decimals or
    17 digits and fall with the rank. About two thirds of the relevant documents are retrieved.
    """
    kind = f"{shape.queries}x{shape.depth}-{shape.relevant}-{shape.columns}{'' if shape.grouped else '-ungrouped'}"
    kind += "-repr" if shape.shortest else ""
    kind += ("-tied" if shape.tied else "") + ("-anywhere" if shape.anywhere else "")
    kind += f"-{shape.pooled}" if shape.pooled else ""
    number_of = repr if shape.shortest else ("{:.1f}" if shape.tied else "{:.6f}").format
    qrels, run = folder / f"qrels.{kind}.{seed}.txt", folder / f"{name}.{kind}.{seed}.txt"
    if qrels.exists() and run.exists():
        return qrels, run
    chance, order = random.Random(seed), random.Random(seed + 1)
    pool = [str(chance.randrange(8_841_823)) for _ in range(200_003)]
    queries = [str(number) for number in sorted(chance.sample(range(1_102_400), shape.queries))]
    pending: list[str] = []
    with _whole(qrels) as gold, _whole(run) as out:
        for query in queries:
            first = chance.randrange(len(pool) - shape.depth)
            documents = list(dict.fromkeys(pool[first : first + shape.depth]))
            number = len(documents)
            while len(documents) < shape.depth:
                documents.append(f"9{number:06d}")
                number += 1
            judged = set()
            for _ in range(chance.randint(1, shape.relevant)):
                drawn = chance.randrange(shape.depth) if shape.anywhere else int(chance.expovariate(1 / 20))
                rank = drawn if chance.random() < 0.67 else shape.depth
                judged.add(documents[rank] if rank < shape.depth else f"8{chance.randrange(10**6):06d}")
            levels = dict.fromkeys(sorted(judged), 1)
            if shape.pooled:
                others = (f"7{number:06d}" for number in range(shape.pooled - len(documents)))
                levels = {document: chance.randrange(10) for document in [*documents[: shape.pooled], *others]}
            gold.writelines(f"{query} 0 {document} {level}\n" for document, level in levels.items())
            score = 20 + 5 * chance.random()
            step = 10 / shape.depth
            if shape.columns == 6:
                lines = [
                    f"{query} Q0 {document} {rank} {number_of(score - step * rank)} bm25-default-k1\n"
                    for rank, document in enumerate(documents, start=1)
                ]
            else:
                lines = [f"{query} {document} bm25-default-k1\n" for document in documents]
            if shape.grouped:
                out.writelines(lines)
            else:
                pending += lines
                if len(pending) > 1_000_000:
                    order.shuffle(pending)
                    out.writelines(pending[:500_000])
                    del pending[:500_000]
        order.shuffle(pending)
        out.writelines(pending)
    return qrels, run


def rewritten(run: Path, to: str) -> Path:
    """The run as a table with a header (``csv``), or as JSON Lines (``jsonl``)."""
    path = run.with_suffix(f".{to}")
    if path.exists():
        return path
    with _whole(path) as out, run.open(encoding="ascii") as lines:
        if to == "csv":
            out.write("query_id,doc_id,score\n")
        for line in lines:
            query, _, document, _, score, _ = line.split()
            record = {"query_id": query, "doc_id": document, "score": float(score)}
            out.write(f"{query},{document},{score}\n" if to == "csv" else f"{json.dumps(record)}\n")
    return path


def write_sweep(shape: Shape, folder: Path, n: int, seed: int = 2026) -> tuple[Path, list[Path]]:
    """Write qrels and ``n`` runs over the same queries and documents, whose scores differ by noise; their paths."""
    qrels, run = write(shape, folder, seed)
    chance = random.Random(seed)
    runs = []
    for number in range(n):
        path = folder / f"sweep{number:03d}.{run.name}"
        runs.append(path)
        if path.exists():
            continue
        by_query: dict[str, list[tuple[float, str]]] = {}
        for line in run.read_text(encoding="ascii").splitlines():
            query, _, document, _, score, _ = line.split()
            by_query.setdefault(query, []).append((float(score) + chance.gauss(0, 1), document))
        with _whole(path) as out:
            for query, scored in by_query.items():
                scored.sort(reverse=True)
                for rank, (value, document) in enumerate(scored, start=1):
                    out.write(f"{query} Q0 {document} {rank} {value:.6f} sweep{number}\n")
    return qrels, runs


def write_task1(queries: int, n: int, folder: Path, seed: int = 2026) -> tuple[Path, list[Path]]:
    """Write a gold of Task 1 as JSON, 1 to 8 documents a query, and ``n`` runs of 5 documents a query; their paths.

    Runs find each relevant document with a probability of their own.
    """
    chance = random.Random(seed)
    pool = [f"{number:06d}" for number in range(1, 8000)]
    lists = {query: chance.sample(pool, chance.randint(1, 8)) for query in sorted(chance.sample(pool, queries))}
    place = folder / f"task1.{queries}x{n}.{seed}"
    place.mkdir(exist_ok=True)
    gold, runs = place / "gold.json", [place / f"run{number:03d}.txt" for number in range(n)]
    if gold.exists() and all(path.exists() for path in runs):
        return gold, runs
    gold.write_text(json.dumps({f"{q}.txt": [f"{d}.txt" for d in relevant] for q, relevant in lists.items()}))
    for path in runs:
        skill = chance.random()
        with _whole(path) as out:
            for query, relevant in lists.items():
                hits = [document for document in relevant if chance.random() < skill]
                documents = list(dict.fromkeys([*hits, *chance.sample(pool, 5)]))[:5]
                out.writelines(f"{query} {document} {path.stem}\n" for document in documents)
    return gold, runs


@contextmanager
def _whole(path: Path) -> Iterator[TextIO]:
    """A file that is there only when all of it is."""
    beside = path.with_name(f"{path.name}.part")
    with beside.open("w", encoding="ascii") as stream:
        yield stream
    beside.replace(path)
