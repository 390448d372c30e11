"""How much of the machine a file may take. The environment sets it, and an edition's file: see docs/faults.md."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from coliee_adapters.errors import InputError, UsageError

_PREFIX: Final = "COLIEE_IR_MAX_"

#: what compressed data and archives may unpack to, whatever their ratio
FREE: Final = 16 << 20

_UNITS: Final = {"": 0, "K": 10, "M": 20, "G": 30}

_SETTING: Final = r"(?ai)([0-9]{1,18})([KMG]?)"


#: how many times its size compressed data or an archive unpacks to, beyond that; runs reach 5 to 30
RATIO: Final = 200

#: the part of the memory that a file may have that is held as a whole
_SHARE: Final = 64

#: files that an archive may hold
MEMBERS: Final = 10_000

#: how deep elements of XML are nested
DEPTH: Final = 100


class Limits(NamedTuple):
    """The limits; ``COLIEE_IR_MAX_LINE`` sets ``line``, and so on."""

    line: int = 1 << 20  # bytes of a line of columns. Real lines have some forty
    # bytes of a file that is held in memory as a whole: one JSON value, XML, label lists. A run takes 5 to 10 times as
    # much, a hostile file up to 60 times; of a file to validate half as many bytes are read
    whole: int = 64 << 20
    # bytes that compressed data or an archive unpacks to, or that a pipe delivers: a hundred million lines
    unpacked: int = 4 << 30
    # bytes that all archives of a command unpack to together; they lie in temporary files until it ends
    archives: int = 16 << 30
    # what reading one file that was handed in may take: seconds of processor time, and bytes of memory
    seconds: int = 60
    memory: int = 2 << 30

    def check_growth(self, path: str, what: str, unpacked: int, packed: int) -> None:
        """Refuse data that unpacks to more than it may."""
        if unpacked > self.unpacked:
            most, remedy = size(self.unpacked), f"unpack it first, or raise {variable('unpacked')}"
        elif unpacked > FREE and 0 < RATIO * packed < unpacked:
            most, remedy = f"{RATIO} times its size", "unpack it first"
        else:
            return
        raise InputError("too-large", path, f"{what} unpacks to more than {most}", remedy=f"if this is right, {remedy}")


def current() -> Limits:
    """The limits as the environment sets them, and the memory that there is."""
    settings = {name: os.environ.get(variable(name), "") for name in Limits._fields}
    memory, usual = _memory(), Limits()
    whole = max(usual.whole, 1 << (memory // _SHARE).bit_length() >> 1)
    bounds = Limits(whole=whole, memory=min(usual.memory, memory // 2 or usual.memory))
    return bounds._replace(**{name: _number(name, text) for name, text in settings.items() if text})


@contextlib.contextmanager
def stated(settings: Mapping[str, object]) -> Iterator[None]:
    """Set limits as a file states them, by their names, for a block and the processes that it starts."""
    before = dict(os.environ)
    os.environ.update({variable(name): str(setting) for name, setting in settings.items()})
    try:
        yield
    finally:
        for name in map(variable, settings):
            del os.environ[name]
            os.environ.update({name: before[name]} if name in before else {})


def is_setting(value: object) -> bool:
    """Whether it sets a limit: an integer ≥ 1, or one with its unit, such as ``2G``."""
    return type(value) in (int, str) and _number_of(str(value)) > 0


@functools.cache
def _memory() -> int:
    """The bytes of memory that this process may have; 0 where the system does not say."""
    if not hasattr(os, "sysconf"):  # Windows
        return 0
    import resource

    least, _ = resource.getrlimit(resource.RLIMIT_AS)
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return machine if least == resource.RLIM_INFINITY else min(machine, least)


def variable(name: str) -> str:
    """The environment variable that sets a limit.

    >>> variable("line")
    'COLIEE_IR_MAX_LINE'
    """
    return _PREFIX + name.upper()


def _number_of(text: str) -> int:
    setting = re.fullmatch(_SETTING, text.strip())
    return 0 if setting is None else int(setting[1]) << _UNITS[setting[2].upper()]


def _number(name: str, text: str) -> int:
    if not (number := _number_of(text)):
        raise UsageError(
            "bad-value", f"{variable(name)} is {text!r}; set it to an integer ≥ 1, such as 1000, 64K, 16M or 2G"
        )
    return number


def size(n: int) -> str:
    """A number of bytes, for messages.

    >>> size(1 << 20), size(100 << 10), size(1000)
    ('1 MiB', '100 KiB', '1000 bytes')
    """
    for bits, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if n >> bits and not n % (1 << bits):
            return f"{n >> bits} {unit}"
    return f"{n} bytes"
