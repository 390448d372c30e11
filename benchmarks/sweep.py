"""A sweep that is killed: is anything lost or twice, what does keeping cost, and does memory grow?

    python -m benchmarks.sweep [--runs N] [--kills N] [--store NAME] [--cluster ADDRESS] [--folder DIR] [--seed N]

Runs of Task 1 are scored by ``evaluate --store``, which is killed (``kill -9``) at random moments, and at last left to
end. The table that it prints must be that of a call without a store. Told are: the rows that were there after each
kill, how many runs were scored after all kills, processor seconds of the whole beside those of one call without a
store, seconds of one more call that finds everything known, and the greatest memory.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.contenders import ours
from benchmarks.generate import write_task1


def called(command: Sequence[str], out: Path, kill_after: float | None = None) -> tuple[int, float, float]:
    """The exit code, or the signal; processor seconds; the greatest memory in MiB."""
    with out.open("w") as stream, out.with_suffix(".err").open("w") as err:
        child = os.fork()
        if child == 0:
            os.dup2(stream.fileno(), 1)
            os.dup2(err.fileno(), 2)
            os.execv(command[0], list(command))
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(child, 9)
        _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def rows(store: Path) -> int:
    """How many runs are kept, whatever happened to the process that kept them."""
    for path in (f"{store}.journal", str(store)):
        if Path(path).exists() and not path.endswith(".parquet"):
            with contextlib.closing(sqlite3.connect(path)) as db:
                assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
                return int(db.execute("SELECT COUNT(*) FROM runs").fetchone()[0])
    return 0


def _told(out: Path) -> str:
    """What the call said of its store."""
    lines = out.with_suffix(".err").read_text().splitlines()
    return next(line.partition(": ")[2] for line in lines if line.endswith(" known"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill a sweep; 1 if a table differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--store", default="scores.sqlite")
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--cluster", help="scores what the store keeps, such as local:2; else this process does")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "coliee-ir-benchmarks")
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(options.seed)
    gold, runs = write_task1(options.queries, options.runs, options.folder)
    store, out = options.folder / options.store, options.folder / "sweep.out"
    for path in options.folder.glob(f"{options.store}*"):
        path.unlink()
    command = ours("evaluate", gold, *runs)
    base = [*command, *(("--cluster", options.cluster) if options.cluster else ("--jobs", "1"))]
    start = time.perf_counter()
    _, without, memory = called([*command, "--jobs", "1"], out)
    seconds, expected = time.perf_counter() - start, out.read_text()
    print(f"{options.runs} runs without a store: {without:.1f} s of processor time, {memory:.0f} MiB")
    spent = 0.0
    for _ in range(options.kills):
        ended, cpu, memory = called([*base, "--store", str(store)], out, chance.uniform(0.3, 0.9) * seconds)
        spent += cpu
        assert ended in (0, -9), out.with_suffix(".err").read_text()
        print(f"ended by {ended} after {cpu:.1f} s: {rows(store)} runs are kept")
    _, cpu, memory = called([*base, "--store", str(store)], out)
    same = out.read_text() == expected
    told = _told(out)
    print(f"the last call: {told}; {cpu:.1f} s, {memory:.0f} MiB; the table is {'the same' if same else 'ANOTHER ONE'}")
    print(
        f"processor time in all: {spent + cpu:.1f} s, {(spent + cpu) / without:.2f} times that without store and kills"
    )
    _, cpu, memory = called([*base, "--store", str(store)], out)
    same &= out.read_text() == expected
    told = _told(out)
    print(f"once more: {told}; {cpu:.1f} s, {memory:.0f} MiB; {store.stat().st_size / 2**20:.1f} MiB in {store.name}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
