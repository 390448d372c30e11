"""How cost grows: one of lines, queries, runs and measures grows, the others stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.cases import usual
from benchmarks.contenders import MEASURES, ours
from benchmarks.generate import Shape, write, write_sweep, write_task1
from benchmarks.timing import Contender, side_by_side

AXES = {
    "lines": "1,000 queries; documents a query grow",
    "queries": "500,000 lines; documents a query fall as queries grow",
    "runs": "401 queries × 62 documents a run, in one call",
    "measures": "501 queries × 500 documents",
}
ROUNDS = 3


@dataclass(frozen=True)
class Point:
    """One place on one axis."""

    axis: str
    value: int
    shape: Shape
    runs: int = 1
    measures: int = len(MEASURES)

    def contenders(self, folder: Path) -> list[Contender]:
        """Who runs here, ours first, on files that are made if they are not there."""
        if self.axis == "runs":
            qrels, runs = write_sweep(self.shape, folder, self.runs)
            every = usual(qrels, *runs)
        else:
            every = usual(*write(self.shape, folder), measures=_measures(self.measures))
        return [one for one in every if "--jobs" not in one.name]


def points(scale: float = 1) -> Iterator[Point]:
    """All places, axis by axis.

    The numbers of queries are such that hardly a mean is half of its fourth decimal, which two sums may round apart.

    Args:
        scale: multiplies the queries of each; less than 1 for a quick look.
    """
    for depth in (15, 60, 250, 1000, 4000):
        shape = Shape(1000, depth).scaled(scale)
        yield Point("lines", shape.lines, shape)
    for queries in (50, 500, 5000, 50_000):
        shape = Shape(queries, 500_000 // queries).scaled(scale)
        yield Point("queries", shape.queries, shape)
    for runs in (1, 4, 16, 64):
        yield Point("runs", runs, Shape(401, 62, relevant=8).scaled(scale), runs=runs)
    for measures in (1, 4, 14, 56):
        yield Point("measures", measures, Shape(501, 500, relevant=4).scaled(scale), measures=measures)


def _measures(n: int) -> tuple[str, ...]:
    """The usual measures, and behind them others at many cutoffs."""
    more = (f"{family}_{cut}" for cut in (3, 7, 15, 20, 25, 40, 50, 70, 150, 200, 300)
            for family in ("P", "recall", "ndcg_cut", "map_cut"))  # fmt: skip
    return (*MEASURES, *more)[:n]


def markdown(rows: list[dict[str, object]]) -> str:
    """A row for each place: seconds and peak memory of each contender."""
    names = list(dict.fromkeys(str(row["contender"]) for row in rows))
    lines = [
        f"| grows | to | {' | '.join(f'{name} s | MiB' for name in names)} |",
        f"|---|---:|{'---:|---:|' * len(names)}",
    ]
    axis = None
    for key in dict.fromkeys((row["axis"], row["value"]) for row in rows):
        found = {row["contender"]: row for row in rows if (row["axis"], row["value"]) == key}
        values = [
            f"{found[name]['seconds']} | {found[name]['peak_mib']}" if name in found else "absent |" for name in names
        ]
        first = f"**{key[0]}**: {AXES[str(key[0])]}" if key[0] != axis else ""
        axis = key[0]
        lines.append(f"| {first} | {key[1]:,} | {' | '.join(values)} |")
    return "\n".join(lines) + "\n"


#: command → what of its input grows, and how many of it; what pairs of runs are counted for grows with their square
COMMANDS = {
    "evaluate": ("lines", (100_000, 400_000, 1_600_000)),
    "evaluate, queries of 10 documents": ("queries", (10_000, 40_000, 160_000)),
    "evaluate, all judged": ("judgements", (50_000, 200_000, 800_000)),
    "evaluate, runs of Task 1": ("runs", (25, 100, 400)),
    "fuse": ("lines", (50_000, 200_000, 800_000)),
    "convert": ("lines", (50_000, 200_000, 800_000)),
    "tune": ("lines", (50_000, 200_000, 800_000)),
    "validate": ("runs", (10, 40, 160)),
    "leaderboard": ("runs", (25, 100, 400)),
    "compare": ("runs", (10, 40, 160)),
}


def command(name: str, size: int, folder: Path) -> list[str]:
    """What is timed of a command at a size of its input."""
    verb, axis = name.partition(",")[0], COMMANDS[name][0]
    trec, out = ("--task", "trec"), folder / f"{verb}.out"
    if axis == "runs":
        gold, runs = write_task1(400, size, folder)
        asked = [*(() if verb == "validate" else (gold,)), *runs]
        return ["sh", "-c", f"{' '.join(ours(verb, '--task', '1', *asked))} > {out} || true"]
    if axis == "queries":
        return ours(verb, *trec, *write(Shape(size, 10), folder))
    if axis == "judgements":
        return ours(verb, *trec, "-m", "map", *write(Shape(size // 1000, 100, pooled=1000), folder))
    qrels, runs = write_sweep(Shape(size // 500, 500), folder, 2)
    if verb == "fuse":
        return ours(verb, *trec, *runs, "-o", out)
    if verb == "convert":
        return ours(verb, runs[0], out)
    return ours(verb, *trec, *(("-m", "MicroF1") if verb == "tune" else ()), qrels, runs[0])


def exponent(name: str, folder: Path, rounds: int = ROUNDS) -> float:
    """The power of its input's size that a command's processor time grows with, once its start is taken off."""
    sizes = COMMANDS[name][1]
    first = Contender("start", ours("measures", "AP"))
    timed = side_by_side([first, *(Contender(str(n), command(name, n, folder)) for n in sizes)], rounds)
    start = min(timed["start"].cpu)
    return float(np.polyfit(np.log(sizes), np.log([min(timed[str(n)].cpu) - start for n in sizes]), 1)[0])
