"""What a command that takes long shows on a terminal: one line, which goes before anything is said."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import TypeVar

_Result = TypeVar("_Result")

#: what takes longer is shown, and how often, in seconds
_SOON, _EVERY = 2.0, 1.0


class _Line:
    """The line, drawn by a timer's signal rather than a thread, since processes are forked meanwhile."""

    def __init__(self) -> None:
        self.text = ""  # what stands on the terminal
        self.is_held = True  # whether nothing may be drawn
        self.done, self.n, self.began = 0, 0, 0.0

    def draw(self, text: str) -> None:
        """Draw over what stands there, without what only some terminals know."""
        blank = "\r" + " " * len(self.text) + "\r" if self.text else ""
        self.text = text
        with contextlib.suppress(OSError):
            os.write(sys.stderr.fileno(), (blank + text).encode())


_line = _Line()


@contextlib.contextmanager
def shown(command: str) -> Iterator[None]:
    """In this block, show for how long it has been running, if somebody watches. Windows has no such timer."""
    start = perf_counter()

    def tick(*_: object) -> None:
        now = perf_counter()
        text = f"coliee-ir {command}: {now - start:.0f} s"
        if _line.done:
            left = (now - _line.began) / _line.done * (_line.n - _line.done)
            text += f", {_line.done} of {_line.n}, {left:.0f} s left"
        if not _line.is_held:
            _line.draw(text)

    with contextlib.ExitStack() as stack:
        is_watched = sys.stderr is not None and sys.stderr.isatty() and hasattr(signal, "setitimer")
        if is_watched and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL:
            with contextlib.suppress(ValueError):  # only the main thread may
                signal.signal(signal.SIGALRM, tick)
                stack.callback(signal.signal, signal.SIGALRM, signal.SIG_DFL)
                stack.callback(signal.setitimer, signal.ITIMER_REAL, 0)
                stack.callback(end)
                _line.is_held = False
                signal.setitimer(signal.ITIMER_REAL, _SOON, _EVERY)
        yield


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """In this block nothing stands on the line: something else is said."""
    before, _line.is_held = _line.is_held, True
    if _line.text:
        _line.draw("")
    try:
        yield
    finally:
        _line.is_held = before


def end() -> None:
    """From now on show nothing: the result follows, or a question."""
    with aside():
        pass
    _line.is_held = True


def watched(results: Iterable[_Result], n: int) -> Iterator[_Result]:
    """The results; how many there are is shown."""
    _line.done, _line.n, _line.began = 0, n, perf_counter()
    for result in results:
        _line.done += n > 1
        yield result
    _line.done = 0
