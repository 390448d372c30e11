"""What comes with a submission: system descriptions."""

import re
from typing import Final

_HINTS: Final = rb"(?:[ \t]*+(?:#[^\n]*+)?\r?\n)*+"
_START: Final = b"(?i)" + _HINTS + rb"[ \t]*Task[ \t]*:"
_TAG: Final = rb"(?im)^[ \t]*Run[ \t_-]?tag[ \t]*:"


def is_description(head: bytes) -> bool:
    r"""Whether a file that starts with these bytes is a system description.

    >>> is_description(b"# ours\nTask: 1\nRun tag: univABC1\n")
    True
    >>> is_description(b"000001 000018 univABC1\n")
    False
    """
    if b":" not in head or head.lstrip().startswith((b"{", b"[")):  # as most runs and golds, which are told at once
        return False
    return bool(re.match(_START, head) and re.search(_TAG, head))
