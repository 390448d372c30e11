"""Whole processes side by side: each contender in turn, round after round; medians, ratios, peak memory.

What the contenders print is compared before any time is told: a fast wrong answer is no contender.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import statistics
import subprocess
import tempfile
import time
import warnings
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

#: how a contender that times single calls in its process says what one took, by the clock and of processors
PER_CALL, CPU_PER_CALL = "seconds_per_call", "cpu_per_call"


@dataclass(frozen=True)
class Contender:
    """A command, and how to read the measures that it prints, a line each: name, …, value.

    Attributes:
        name: what it is called in the table.
        command: the command and its arguments.
        rename: its names of measures → the names to compare by; measures that are not here are not compared.
        expected: the measures that it must print, by the names to compare by; none where it prints no measures.
        absent: why it does not take part; empty if it does.
    """

    name: str
    command: Sequence[str]
    rename: Callable[[str], str | None] = lambda name: name
    expected: Collection[str] = ()
    absent: str = ""


@dataclass
class Timing:
    """What was measured of a contender, round by round.

    Attributes:
        wall: seconds, of the whole process; or of a call, where it says what one took.
        cpu: seconds of all processors, likewise: on a shared machine only these can be compared.
        peak_mib: the memory of the largest process of those that the command started.
        per_call: whether ``wall`` and ``cpu`` are those of a call.
    """

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    peak_mib: list[float] = field(default_factory=list)
    per_call: bool = False

    @property
    def seconds(self) -> float:
        """The median of the wall-clock times."""
        return statistics.median(self.wall)

    @property
    def processor(self) -> float:
        """The median of the processor times."""
        return statistics.median(self.cpu)

    @property
    def memory(self) -> float:
        """The median of the peaks."""
        return statistics.median(self.peak_mib)


class DisagreementError(Exception):
    """Two contenders print different digits, or one fails."""


def apart(prepare: Callable[[], object]) -> None:
    """Make files in a process of its own: Linux counts the memory of the starting process as the started one's."""
    process = multiprocessing.get_context("fork").Process(target=prepare)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)  # it only writes
        process.start()
    process.join()
    if process.exitcode:
        raise DisagreementError("the files cannot be made")


def side_by_side(contenders: Sequence[Contender], rounds: int) -> dict[str, Timing]:
    """Run the contenders that are there in turn, after one round that only compares what they print.

    That first round is also the one in which compilers that keep their code (numba) fill their caches.

    Raises:
        DisagreementError: a value differs from the first contender's.
    """
    present = [contender for contender in contenders if not contender.absent]
    first: dict[str, str] = {}
    for contender in present:
        printed = _run(contender).printed
        if missing := sorted(set(contender.expected).difference(printed)):
            raise DisagreementError(f"{contender.name} does not print {', '.join(missing)}")
        first = first or printed
        for name in sorted(first.keys() & printed.keys()):
            if not _agree(printed[name], first[name]):
                raise DisagreementError(
                    f"{name}: {present[0].name} prints {first[name]}, {contender.name} {printed[name]}"
                )
    timings = {contender.name: Timing() for contender in present}
    for _ in range(rounds):
        for contender in present:
            timed, timing = _run(contender), timings[contender.name]
            timing.wall.append(timed.wall if timed.per_call is None else timed.per_call)
            timing.cpu.append(timed.cpu if timed.cpu_per_call is None else timed.cpu_per_call)
            timing.peak_mib.append(timed.peak_mib)
            timing.per_call = timed.per_call is not None
    return timings


def _agree(first: str, second: str) -> bool:
    """Whether two printed values are the same, to four decimals; the last of more may differ by rounding."""
    places = min(len(text.partition(".")[2]) for text in (first, second))
    if places <= 4:
        return f"{float(first):.4f}" == f"{float(second):.4f}"
    return abs(float(first) - float(second)) < 10.0 ** (1 - places)


@dataclass(frozen=True)
class _Timed:
    printed: dict[str, str]
    wall: float
    cpu: float
    peak_mib: float
    per_call: float | None
    cpu_per_call: float | None


def _run(contender: Contender) -> _Timed:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        command = [str(part) for part in contender.command]
        process = subprocess.Popen(command, stdout=out, stderr=err, env=_environment())
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            raise DisagreementError(f"{contender.name} failed: {err.read().decode(errors='replace')[-500:]}")
        printed: dict[str, str] = {}
        seen: dict[str, int] = {}
        per_call = cpu_per_call = None
        for line in out.read().decode().splitlines():
            fields = re.split(r"\s+", line.strip())
            if fields[0] == PER_CALL:
                per_call = float(fields[1])
            elif fields[0] == CPU_PER_CALL:
                cpu_per_call = float(fields[1])
            elif contender.expected and len(fields) > 1 and (name := contender.rename(fields[0])) is not None:
                if name == "runid":
                    continue
                again = seen[name] = seen.get(name, -1) + 1  # of another run
                printed[f"{name} {again}" if again else name] = fields[-1]
    cpu = usage.ru_utime + usage.ru_stime
    return _Timed(printed, wall, cpu, usage.ru_maxrss / 1024, per_call, cpu_per_call)


def _environment() -> dict[str, str]:
    """Ours, but that Python keeps what it compiles: the peers' code is installed, and was compiled then."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def machine() -> str:
    """The machine in a line: processor, cores, memory."""
    model = "unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        match = re.search(r"^model name\s*:\s*(.*)$", cpuinfo.read_text(), re.MULTILINE)
        model = match[1] if match else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB"
