"""JSON as every command writes it: who scored what by which rules; numbers that do not exist are null."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final

from coliee_adapters import trec_eval
from coliee_ir._version import __version__

#: what begins a result
_HEAD: Final = ("coliee_ir", "trec_eval", "task", "edition", "gold")


def preamble(
    task: str, edition: int | None, gold: str, decisions: Mapping[str, str] | None, excluded: Sequence[str] = ()
) -> dict[str, Any]:
    """What begins every result: the versions, the task, the edition, the gold, the choices made."""
    return {
        "coliee_ir": __version__,
        "trec_eval": trec_eval.version(),
        "task": task,
        "edition": edition,
        "gold": gold,
        **({} if decisions is None else {"decisions": dict(decisions)}),
        **({"excluded": list(excluded)} if excluded else {}),
    }


def number(value: float) -> float | None:
    """A number for JSON; null for one that does not exist."""
    return float(value) if math.isfinite(value) else None


def dumped(contents: object, indent: int | None = 1) -> str:
    """JSON as text that ends in a newline; what a workflow's runner takes for a command is escaped in its string."""
    text = json.dumps(contents, ensure_ascii=False, allow_nan=False, indent=indent)
    return (re.sub(r"(?<=#)#(?=\w*\[)", r"\\u0023", text) if "##" in text else text) + "\n"


def dumped_list(
    contents: Mapping[str, object], name: str, entries: Iterable[object], indent: int | None = 1
) -> Iterator[str]:
    """What ``dumped`` makes of contents that end in a list of this name, in pieces: the list may be long.

    Without an indent each entry has a line, which is written six times as fast.
    """
    yield dumped({**contents, name: []}).removesuffix("]\n}\n")
    comma = ""
    for entry in entries:
        yield comma + "\n  " + dumped(entry, indent)[:-1].replace("\n", "\n  ")
        comma = ","
    yield "\n ]\n}\n" if comma else "]\n}\n"


def with_inputs(contents: Mapping[str, Any], inputs: Mapping[str, str] | None) -> dict[str, Any]:
    """The contents of a result with the SHA-256 of the files that it was computed from, behind its gold."""
    if inputs is None:
        return dict(contents)
    head = dict(takewhile(lambda member: member[0] in _HEAD, contents.items()))
    return {**head, "inputs": dict(inputs), **contents}
