"""Whole processes side by side: each contender in turn, round after round; medians, ratios, peak memory.

What the contenders print is compared before any time is told: a fast wrong answer is no contender.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Contender:
    """A command, and how to read the measures that it prints: name → value with four decimals.

    Attributes:
        name: what it is called in the table.
        command: the command and its arguments.
        rename: its names of measures → the names to compare by; measures that are not here are not compared.
        compared: whether it prints measures at all.
    """

    name: str
    command: Sequence[str]
    rename: Callable[[str], str | None] = lambda name: name
    compared: bool = True


@dataclass
class Timing:
    """What was measured of a contender."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_mib: list[float] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """The median of the wall-clock times."""
        return statistics.median(self.wall)

    @property
    def memory(self) -> float:
        """The median of the peaks: of the largest process of those that the command started."""
        return statistics.median(self.peak_mib)


class DisagreementError(Exception):
    """Two contenders print different digits."""


def side_by_side(contenders: Sequence[Contender], rounds: int) -> dict[str, Timing]:
    """Run the contenders in turn, after one round that only compares what they print.

    Raises:
        DisagreementError: a value differs from the first contender's.
    """
    first: dict[str, str] = {}
    for contender in contenders:
        printed, _ = _run(contender)
        if not contender.compared:
            continue
        first = first or printed
        common = first.keys() & printed.keys()
        if not common:
            raise DisagreementError(f"{contender.name} prints none of the measures of {contenders[0].name}")
        for name in sorted(common):
            if printed[name] != first[name]:
                raise DisagreementError(
                    f"{name}: {contenders[0].name} prints {first[name]}, {contender.name} {printed[name]}"
                )
    timings = {contender.name: Timing() for contender in contenders}
    for _ in range(rounds):
        for contender in contenders:
            _, (wall, cpu, peak) = _run(contender)
            timing = timings[contender.name]
            timing.wall.append(wall)
            timing.cpu.append(cpu)
            timing.peak_mib.append(peak)
    return timings


def _run(contender: Contender) -> tuple[dict[str, str], tuple[float, float, float]]:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        process = subprocess.Popen([str(part) for part in contender.command], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise DisagreementError(f"{contender.name} failed: {err.read().decode(errors='replace')[-500:]}")
        printed = {}
        for line in out.read().decode().splitlines():
            fields = re.split(r"\s+", line.strip())
            if not contender.compared or len(fields) < 2 or fields[0] == "runid":
                continue
            if name := contender.rename(fields[0]):
                again = sum(known.partition(" ")[0] == name for known in printed)  # of another run
                printed[f"{name} {again}" if again else name] = f"{float(fields[-1]):.4f}"
    return printed, (wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def machine() -> str:
    """The machine in a line: processor, cores, memory."""
    model = "unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = re.search(r"^model name\s*:\s*(.*)$", cpuinfo.read_text(), re.MULTILINE)
        model = found[1] if found else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB"
