"""Runs that are judged in several parts, and what must be the same of them."""

import random
from pathlib import Path

import numpy as np
from by_form import readers

from coliee_adapters.errors import ColieeError
from coliee_adapters.files.source import Source
from coliee_adapters.records import exact_id
from coliee_ir import Evaluator
from coliee_ir.judging.qrels import Qrels

_, read_run = readers("qrels", "trec", exact_id)

QRELS = {f"q{n:02d}": {f"d{i}": 1 for i in range(1 + n % 7)} for n in range(40)}
EVALUATOR = Evaluator(QRELS, ["AP", "nDCG@5", "MicroF1"], task="trec")
GOLD = Qrels({f"q{n:02d}": {f"d{i}": i % 3 for i in range(n % 7)} for n in range(40)})


def same(one, other, remarks=True):
    """Whether two Judged say the same."""
    arrays, more = ("rank", "retrieved", "repeated", "answered"), ("extra", "lines", "remarks")[: 2 + remarks]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays) and all(
        getattr(one, name) == getattr(other, name) for name in more
    )


def write_run(path, seed, *, grouped=True, odd=False, queries=40):
    """A run with ties, repetitions and extra queries; with ``odd``, also comments and other irregular lines."""
    chance = random.Random(seed)
    lines = []
    for query in chance.sample([f"q{n:02d}" for n in range(45)], queries):
        for rank in range(1, chance.randint(1, 30)):
            document = f"d{chance.randrange(40)}"
            lines.append(f"{query} Q0 {document} {rank} {chance.randrange(20) / 2} T")
    if not grouped:
        chance.shuffle(lines)
    if odd:
        for _ in range(20):
            at = chance.randrange(len(lines))
            lines[at:at] = [chance.choice(["# a comment", "", "/* over\n two lines */", lines[at].replace(" ", "\t ")])]
        lines += chance.choice([[], ["", "# the end"]])
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_run(Source(path))


def many_runs(folder, n):
    """Paths of runs of all kinds; the eighth is broken."""
    paths = [write_run(folder / f"run{at:02d}", at, grouped=at % 3 > 0, odd=at % 4 == 0).path for at in range(n)]
    Path(paths[7]).write_text("no run at all, but a sentence\n")
    return paths


def shown(result):
    if isinstance(result, ColieeError):
        return type(result), str(result)
    return result.tag, result.measures, result.per_query, result.remarks, result.counts
