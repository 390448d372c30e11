"""The signals that end a command: at once where nothing is half-written, else on a way out that cleans up."""

from __future__ import annotations

import contextlib
import os
import signal
from time import monotonic

TYPE_CHECKING = False  # this is loaded before anything that takes long, such as typing
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    _Handler = Callable[[int, FrameType | None], object] | int

#: signal → the exit code of a command that it ends
_CODES = {
    getattr(signal, name): code
    for name, code in (("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 143))
    if hasattr(signal, name)  # Windows has no SIGHUP
}

#: seconds in which a second signal is taken for the first one: ``timeout`` sends two
_AGAIN = 1.0


def end_at_once() -> None:
    """From now on a signal ends this process without a word, and without cleaning up."""
    _handle(dict.fromkeys(_CODES, _end))


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    """In this block signals wait, for this process and for those that it forks: a process is started whole or not.

    Python forgets a signal that reaches a process while it is being forked.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _CODES)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker() -> None:
    """What a process that was forked while signals were held does first: end at once when one arrives, or has."""
    end_at_once()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _CODES)


def ignore() -> None:
    """From now on a signal changes nothing: the work is done."""
    _handle(dict.fromkeys(_CODES, signal.SIG_IGN))


@contextlib.contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """In this block Ctrl-C raises KeyboardInterrupt, the other signals SystemExit, so that temporary files are removed.

    Processes that are forked in it end at once. In a thread, where signals cannot be handled, nothing changes.
    """
    process, last = os.getpid(), -_AGAIN

    def leave(number: int, frame: FrameType | None) -> None:
        nonlocal last
        if os.getpid() != process:
            _end(number, frame)
        before, last = last, monotonic()
        if last - before < _AGAIN:
            return
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(_CODES[number])

    old = _handle(dict.fromkeys(_CODES, leave))
    try:
        yield
    finally:
        _handle(old)


def _end(number: int, _: FrameType | None) -> None:
    os._exit(_CODES[number])


def _handle(handlers: dict[int, _Handler]) -> dict[int, _Handler]:
    """Set handlers; those that were there before. What is ignored, as ``nohup`` asks, stays ignored."""
    old: dict[int, _Handler] = {}
    with contextlib.suppress(ValueError):  # only the main thread may
        for number, handler in handlers.items():
            before = signal.getsignal(number)
            if before not in (None, signal.SIG_IGN):
                signal.signal(number, handler)
                old[number] = before
    return old
