"""How the cost of each command grows with its input."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.contenders import ours
from benchmarks.generate import Shape, write, write_sweep, write_task1
from benchmarks.timing import Contender, apart, side_by_side

Row = dict[str, object]

ROUNDS = 3

#: command → what of its input grows, and how many of it; what pairs of runs are counted for grows with their square
COMMANDS = {
    "evaluate": ("lines", (100_000, 400_000, 1_600_000)),
    "evaluate, queries of 10 documents": ("queries", (10_000, 40_000, 160_000)),
    "evaluate, all judged": ("judgements", (50_000, 200_000, 800_000)),
    "evaluate, runs of Task 1": ("runs", (25, 100, 400)),
    "fuse": ("lines", (50_000, 200_000, 800_000)),
    "fuse, queries of 10 documents": ("queries", (5_000, 20_000, 80_000)),
    "convert": ("lines", (50_000, 200_000, 800_000)),
    "tune": ("lines", (12_500, 50_000, 200_000)),
    "tune, queries of 10 documents": ("queries", (1_250, 5_000, 20_000)),
    "cut": ("lines", (50_000, 200_000, 800_000)),
    "validate": ("runs", (10, 40, 160)),
    "leaderboard": ("runs", (25, 100, 400)),
    "compare": ("runs", (10, 40, 160)),
    "plan": ("runs", (10, 40, 160)),
    "report": ("runs", (4, 16, 64)),
    "edition": ("runs", (10, 40, 160)),
}
#: what grows, in the order of the picture
AXES = tuple(dict.fromkeys(axis for axis, _ in COMMANDS.values()))


def command(name: str, size: int, folder: Path) -> list[str]:
    """What is timed of a command at a size of its input."""
    verb, axis = name.partition(",")[0], COMMANDS[name][0]
    trec, out = ("--task", "trec"), folder / f"{verb}.out"
    if verb == "edition":
        return _edition(size, folder)
    if axis == "runs":
        gold, runs = write_task1(400, size, folder)
        arguments = [
            *(() if verb == "validate" else (gold,)),
            *runs,
            *(("-o", f"{out}.html") if verb == "report" else ()),
        ]
        return ["sh", "-c", f"{' '.join(ours(verb, '--task', '1', *arguments))} > {out} || true"]
    if axis == "judgements":
        return ours(verb, *trec, "-m", "map", *write(Shape(max(10, size // 1000), 100, pooled=1000), folder))
    depth = 10 if axis == "queries" else 500
    qrels, runs = write_sweep(Shape(max(10, size if axis == "queries" else size // depth), depth), folder, 2)
    match verb:
        case "fuse":
            return ours(verb, *trec, *runs, "-o", out)
        case "convert":
            return ours(verb, runs[0], out)
        case "cut":
            return ours(verb, *trec, runs[0], "--by", "k=10", "-o", out)
    return ours(verb, *trec, *(("-m", "MicroF1") if verb == "tune" else ()), qrels, runs[0])


def _edition(size: int, folder: Path) -> list[str]:
    """The first call on a mailbox of teams with five runs each."""
    gold, runs = write_task1(400, size, folder)
    place = folder / f"edition{size}"
    for i, run in enumerate(runs):
        team = place / "mailbox" / f"TEAM{i // 5:03d}"
        team.mkdir(parents=True, exist_ok=True)
        shutil.copy(run, team)
    described = place / "edition.toml"
    described.write_text(
        f'name = "Growth"\nyear = 2026\nmailbox = "mailbox"\n\n[[task]]\ntask = "1"\ngold = "{gold}"\n',
        encoding="utf-8",
    )
    out = place / "out"
    return ["sh", "-c", f"rm -rf {out}; {' '.join(ours('edition', described, '-o', out))} > {out}.txt"]


def _at_sizes(name: str, sizes: Sequence[int], folder: Path) -> list[Contender]:
    return [Contender(str(size), command(name, size, folder)) for size in sizes]


def rows(folder: Path, rounds: int = ROUNDS, scale: float = 1) -> Iterator[Row]:
    """What each command takes at each size, which ``scale`` multiplies; and the exponent of its growth.

    The exponent is the power of the size that processor time grows with: that of the differences between one size and
    the next, in which the start is no more.
    """
    for name, (axis, usual) in COMMANDS.items():
        sizes = [max(2 * 4**i, round(size * scale)) for i, size in enumerate(usual)]
        contenders = partial(_at_sizes, name, sizes, folder)
        apart(contenders)
        timed = side_by_side(contenders(), rounds)
        first, second = (max(step, 1e-3) for step in np.diff([timed[str(size)].processor for size in sizes]))
        power = math.log(second / first) / math.log(sizes[2] / sizes[1])
        for size in sizes:
            timing = timed[str(size)]
            yield {"contender": name, "axis": axis, "value": size, "seconds": round(timing.processor, 3),
                   "peak_mib": round(timing.memory), "exponent": round(power, 2)}  # fmt: skip


def markdown(grown: list[Row]) -> str:
    """A row for each command: its processor time and peak memory at each size, and the exponent."""
    lines = ["| command | grows | sizes | cpu s | peak MiB | exponent |", "|---|---|---|---|---|---:|"]
    for name in dict.fromkeys(row["contender"] for row in grown):
        of_command = [row for row in grown if row["contender"] == name]
        columns = (" · ".join(f"{row[key]:,}" for row in of_command) for key in ("value", "seconds", "peak_mib"))
        lines.append(f"| {name} | {of_command[0]['axis']} | {' | '.join(columns)} | {of_command[0]['exponent']} |")
    return "\n".join(lines) + "\n"
