"""Figures as Markdown has them."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], n_text: int = 1) -> str:
    """A table in Markdown."""
    rule = ["---"] * n_text + ["---:"] * (len(header) - n_text)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (header, rule, *rows))


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"
