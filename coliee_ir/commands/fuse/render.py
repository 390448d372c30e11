"""Fitted weights as a table."""

from __future__ import annotations

import math

from coliee_ir.commands.fuse.result import Contender, FittedFusion
from coliee_ir.output.grid import Grid, Number, apart, plain
from coliee_ir.output.shown import View, shows
from coliee_ir.stats.settings import ABOUT


def table(fitted: FittedFusion) -> Grid:
    """Each run alone with its weight, all with equal weights, and fitted: the score, its held-out estimate, the cut."""
    whole, equal, *alone = fitted.contenders
    cuts = whole.top is not None
    rows = [_row(one, weight, cuts) for one, weight in zip(alone, whole.weights, strict=True)]
    nothing = [Number(math.nan)] * 4  # fitted less fitted
    rows += [_row(equal, None, cuts), [*_row(whole, None, cuts)[:-4], *nothing]]
    top = ["top"] if cuts else []
    header = [
        "run",
        "weight",
        fitted.measure,
        *top,
        "held out",
        "SD splits",
        "fitted - it",
        "SE",
        "low 95%",
        "high 95%",
    ]
    return Grid(header, rows, ABOUT)


def text(fitted: FittedFusion) -> str:
    """The table for a terminal, and what its intervals are about."""
    return f"{plain(table(fitted))}{ABOUT}\n"


def _row(one: Contender, weight: float | None, cuts: bool) -> list[str | Number]:
    """A run alone has a weight in what was fitted; all runs together have none."""
    shown = Number(float("nan")) if weight is None else Number(weight)
    cut = [Number(one.top, str(one.top))] if cuts and one.top is not None else []
    held_out = [Number(one.held_out), Number(one.split_sd), *apart(one.behind)]
    return [one.name, shown, Number(one.resubstitution), *cut, *held_out]


shows(FittedFusion, View(text, lambda fitted: [table(fitted)]))
