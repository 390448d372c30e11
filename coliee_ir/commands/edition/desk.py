"""The organiser's desk: what came, a page and a letter for each team, what to decide. Nothing of it is public."""

from __future__ import annotations

from coliee_ir.commands.edition.day import Day


def pages(day: Day) -> dict[str, str | bytes]:
    """Path below ``desk`` → content."""
    return {}
