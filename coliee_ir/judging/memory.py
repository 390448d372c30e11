"""What malloc does with memory that is freed."""

from __future__ import annotations

import contextlib
from functools import cache
from typing import Final

#: malloc.h; and what glibc's own thresholds grow to
_TRIM_THRESHOLD: Final = -1, 64 << 20
_MMAP_THRESHOLD: Final = -3, 32 << 20


@cache
def keep() -> None:
    """Let malloc keep the memory of arrays that are freed, for those that follow.

    After each of many small runs glibc gives the top of its heap back, and takes it again for the next: a sixth of the
    time of runs of 25,000 lines. Where MALLOC_TRIM_THRESHOLD_ is set, as Dask does in its workers, each array of a
    block is mapped anew, which costs half of the work as much again.
    """
    import ctypes  # loads with NumPy

    with contextlib.suppress(OSError, AttributeError):  # another C library
        set_option = ctypes.CDLL(None).mallopt
        for option in (_MMAP_THRESHOLD, _TRIM_THRESHOLD):
            set_option(*option)
