"""The drawings of an edition; what the last call drew from the same numbers is not drawn again."""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
from collections.abc import Callable, Mapping
from pathlib import Path

import coliee_ir
from coliee_adapters import trec_eval
from coliee_ir._version import __version__
from coliee_ir.commands.leaderboard import Leaderboard


class Pictures:
    """Drawings by the sum of all that they show; ``earlier`` are those of the last call."""

    def __init__(self, earlier: Mapping[str, Mapping[str, str]]) -> None:
        self.earlier = earlier
        self.made: dict[str, Mapping[str, str]] = {}

    def of(self, board: Leaderboard, draw: Callable[[Leaderboard], Mapping[str, bytes]]) -> dict[str, bytes]:
        """Name → content of what a function draws of a board."""
        key = _sum(board, draw.__name__)
        if key not in self.made:
            texts = self.earlier.get(key) or {
                name: base64.b64encode(content).decode() for name, content in draw(board).items()
            }
            self.made[key] = texts
        return {name: base64.b64decode(text) for name, text in self.made[key].items()}


def _sum(board: Leaderboard, kind: str) -> str:
    """The sum of this package and of all that figures show of a board: its questions, and its runs query by query."""
    table = board.table("questions")
    whole = hashlib.sha256(f"{code()} {kind} {board.called} {board.resampling}".encode())
    runs = [(run.name, run.team, run.status, run.place, run.ranks, run.interval) for run in board.entries]
    whole.update(repr((board.queries, board.measures[0].name, table.header, table.rows, table.caption, runs)).encode())
    for measure, result in (pair for entry in board.entries for pair in entry.scores.results.items()):
        whole.update(f"{measure.name} {result.value!r} {result.terms.is_mean}".encode())
        for numbers in (result.per_query, result.terms.each, result.terms.besides):
            whole.update(f"{numbers.shape} {numbers.dtype}".encode() + numbers.tobytes())
    return whole.hexdigest()


@functools.cache
def code() -> str:
    """The sum of this package."""
    whole = hashlib.sha256(f"{__version__} {trec_eval.version()} {is_drawn()}".encode())
    for file in sorted(Path(coliee_ir.__path__[0]).parent.glob("coliee_*/**/*.*")):
        if file.suffix != ".pyc" and file.is_file():
            whole.update(file.read_bytes())
    return whole.hexdigest()


def is_drawn() -> bool:
    """Whether what figures are drawn with, the extra ``report``, is installed."""
    return all(importlib.util.find_spec(module) is not None for module in ("altair", "vl_convert"))
