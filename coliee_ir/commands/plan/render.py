"""The table of a plan."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from coliee_adapters.forms.lines import counted
from coliee_ir.output.grid import Cell, Grid, Number

if TYPE_CHECKING:
    from coliee_ir.commands.plan.result import Plan


def sizes(plan: Plan) -> Grid:
    """For each number of queries what is found of a typical pair, and of the pair that varies most."""
    rows: list[list[Cell]] = []
    for size in plan.sizes:
        known = [found for found in size.found if not math.isnan(found)]
        typical, worst = (statistics.median(known), max(known)) if known else (math.nan, math.nan)
        shares = [Number(power, f"{100 * power:.0f}%" if not math.isnan(power) else "-") for power in size.power]
        rows.append([Number(size.queries, str(size.queries)), _two_digits(typical), _two_digits(worst), *shares])
    header = ["queries", "typical pair", "hardest pair", *(f"power at {one:g}" for one in plan.differences)]
    n = len(plan.pairs)
    joint = "all pairs corrected jointly (max-T), " if n > 1 else ""
    in_groups = f" in {counted(plan.groups, 'group')}" if plan.groups else ""
    which = f": of a typical pair (median of {n}) and of the hardest" if n > 1 else ""
    caption = (
        f"{plan.measure}: smallest difference of {counted(len(plan.tags), 'run')} found with probability "
        f"{plan.power:g}{which}; {joint}p < {plan.settings.alpha:.6g}. From the standard errors on the {plan.queries} "
        f"queries{in_groups} of these runs, to two digits. About other queries of the same kind."
    )
    return Grid(header, rows, caption, n_text=0)


def _two_digits(value: float) -> Number:
    return Number(value, f"{value:.2g}" if math.isfinite(value) else "-")
