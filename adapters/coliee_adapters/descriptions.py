"""The system description that comes with a submission since 2025: a text file with a block for each run.

    Task: 3
    Run tag: univABC1
    - Machine learning models:
    …

It belongs to a submission and is not a run. Lines that begin with ``#`` are the form's own hints.
"""

from __future__ import annotations

import re
from typing import Final

_HINTS: Final = rb"(?:[ \t]*+(?:#[^\n]*+)?\r?\n)*+"
_START: Final = re.compile(_HINTS + rb"[ \t]*Task[ \t]*:", re.IGNORECASE)
_TAG: Final = re.compile(rb"^[ \t]*Run[ \t_-]?tag[ \t]*:", re.IGNORECASE | re.MULTILINE)

#: what readers say of it
PROBLEM: Final = "this is a system description, not a run"


def sniff(head: bytes) -> bool:
    r"""Whether a file that starts with these bytes is a system description.

    >>> sniff(b"# ours\nTask: 1\nRun tag: univABC1\n")
    True
    >>> sniff(b"000001 000018 univABC1\n")
    False
    """
    return bool(_START.match(head) and _TAG.search(head))
