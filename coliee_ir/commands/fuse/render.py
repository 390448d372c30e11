"""Fitted weights as a table."""

from __future__ import annotations

from coliee_ir.commands.fuse.result import Contender, FittedFusion
from coliee_ir.output.grid import Grid, Number, plain
from coliee_ir.output.shown import View, no_queries, shows


def table(fitted: FittedFusion) -> Grid:
    """Each run alone with its weight, all with equal weights, and fitted: the score, its held-out estimate, the cut."""
    whole, equal, *alone = fitted.contenders
    cuts = whole.top is not None
    rows = [_row(one, weight, cuts) for one, weight in zip(alone, whole.weights, strict=True)]
    rows += [_row(equal, None, cuts), _row(whole, None, cuts)]
    return Grid(["run", "weight", fitted.measure, "held out", *(["top"] if cuts else [])], rows)


def _row(one: Contender, weight: float | None, cuts: bool) -> list[str | Number]:
    """A run alone has a weight in what was fitted; all runs together have none."""
    shown = Number(float("nan")) if weight is None else Number(weight)
    cut = [Number(one.top, str(one.top))] if cuts and one.top is not None else []
    return [one.name, shown, Number(one.resubstitution), Number(one.held_out), *cut]


def _frame(fitted: FittedFusion, per_query: bool) -> Grid:
    if per_query:
        raise no_queries("a fitted fusion")
    return table(fitted)


shows(FittedFusion, View(lambda fitted: plain(table(fitted)), lambda fitted: [table(fitted)], _frame))
