"""The overview paper of an edition: one LaTeX document of all tasks."""

from __future__ import annotations

from collections.abc import Sequence

from coliee_ir.commands.edition.config import Edition
from coliee_ir.commands.leaderboard import Leaderboard


def files(boards: Sequence[Leaderboard], edition: Edition) -> dict[str, str | bytes]:
    """Path below ``paper`` → content."""
    return {}
