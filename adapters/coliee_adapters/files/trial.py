"""What a stranger's file may cost: it is read once in a process of its own, with limits of its time and memory."""

from __future__ import annotations

import contextlib
import os
import signal
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from coliee_adapters import signals
from coliee_adapters.errors import InputError
from coliee_adapters.files import archives, file_kinds, limits
from coliee_adapters.files.compressed import compression_of

#: a file of fewer bytes is read within a second or so
LARGE: Final = 1 << 20

#: how the process ends that runs out of memory
_NO_MEMORY: Final = 3

#: path → why the file is not read again
_refused: dict[str, InputError] = {}


def refusal(path: str) -> InputError | None:
    """Why a file is not read: its trial took too long, or too much memory; None for any other file."""
    return _refused.get(str(Path(path).absolute())) if _refused else None


def forget_refusals() -> None:
    """Forget what was refused: the files may be others now, or the limits."""
    _refused.clear()


def refuse(error: InputError) -> None:
    """Let nobody read the file of an error from now on."""
    _refused[str(Path(error.path).absolute())] = error


def size(path: str) -> int:
    """The bytes that a file may unpack to, also one in an archive; 0 where no process can be forked to try it."""
    place = Path(archives.path_of_bytes(path))
    if not hasattr(os, "fork") or not place.is_file():
        return 0
    with contextlib.suppress(OSError), place.open("rb") as raw:
        is_packed = compression_of(raw) is not None or raw.read(4) == file_kinds.PARQUET.first_bytes[0][:4]
        return place.stat().st_size * (limits.RATIO if is_packed else 1)
    return 0


def try_unpacking(path: str, bounds: limits.Limits) -> None:
    """Unpack a large archive in a process of its own, as ``try_reading`` does."""
    file = Path(path)  # a dead link and a path that is absent are told where they are read
    if hasattr(os, "fork") and file.is_file() and file.stat().st_size >= LARGE and archives.is_archive(path):
        import tempfile

        with tempfile.TemporaryDirectory(prefix="coliee-ir-") as folder:
            try_reading(path, partial(archives.unpack_into, folder, path, bounds), bounds)


def try_reading(path: str, read: Callable[[], object], bounds: limits.Limits) -> float:
    """Read a file to its end in a process of its own; one that takes more than it may is refused from then on.

    What is wrong with it otherwise is found when it is read.

    Returns:
        The seconds of processor time that it took.
    """
    status, seconds = in_a_process(partial(_within, bounds, read))
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        problem, name = f"reading it takes more than {bounds.seconds} s of processor time", "seconds"
    elif os.WIFEXITED(status) and os.WEXITSTATUS(status) == _NO_MEMORY:
        problem, name = f"reading it takes more than {limits.size(bounds.memory)} of memory", "memory"
    else:
        return seconds
    refuse(
        InputError(
            "too-large", path, problem, remedy=f"if it is a run, raise {limits.variable(name)}"
        ).with_text_for_others(f"{problem}; check what wrote it")
    )
    return seconds


def refuse_after(path: str, seconds: float) -> None:
    """Refuse a file because what came with it has taken so many seconds."""
    problem = f"the files that came with it took {seconds:.0f} s of processor time to be read"
    refuse(
        InputError(
            "too-large", path, problem, remedy=f"if they are runs, raise {limits.variable('seconds')}"
        ).with_text_for_others(f"{problem}; check what wrote them")
    )


def in_a_process(work: Callable[[], int]) -> tuple[int, float]:
    """Do something in a process that is forked for it, which ends with what is returned, or 0 after an exception.

    Returns:
        How it ended, as ``os.wait`` tells it, and the seconds of processor time that it took.
    """
    with signals.signals_blocked(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
        if not (process := os.fork()):
            code = 0
            try:
                signals.begin_worker()
                code = work()
            finally:
                os._exit(code)
    _, status, usage = os.wait4(process, 0)
    return status, usage.ru_utime + usage.ru_stime


def _within(bounds: limits.Limits, read: Callable[[], object]) -> int:
    """Read within the limits; what else is wrong is found when it is read."""
    try:
        import resource

        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CPU, (bounds.seconds, bounds.seconds + 1))
        statm = Path("/proc/self/statm")  # without it, the limit of memory holds for the whole process
        pages = int(statm.read_text().split()[0]) if statm.exists() else 0
        most = bounds.memory + pages * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        read()
    except ModuleNotFoundError:
        return 0
    except (MemoryError, ImportError):  # the latter of a library that finds no room to be loaded
        return _NO_MEMORY
    except InputError as error:
        return _NO_MEMORY if isinstance(error.__context__, MemoryError) else 0
    return 0
