"""The public site of an edition."""

from __future__ import annotations

from collections.abc import Sequence

from coliee_ir.commands.edition.config import Edition
from coliee_ir.commands.leaderboard import Leaderboard


def pages(boards: Sequence[Leaderboard], edition: Edition) -> dict[str, str | bytes]:
    """Path below ``public`` → content."""
    return {}
