"""A tuning as text: the runs by their held-out score; of a single run also what was tried, the ceilings, the curve."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Final

from coliee_ir import grid
from coliee_ir.cutoffs import Tuning
from coliee_ir.grid import Cell, Grid, Number

_BARS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 60


def render(tunings: Sequence[Tuning], form: str) -> str:
    """Tunings in one of ``FORMS``; ends in a newline."""
    return FORMS[form](tunings)


def ranked(tunings: Sequence[Tuning]) -> Grid:
    """The runs, that with the best held-out score first."""
    best_first = sorted(tunings, key=lambda tuning: (-_known(tuning.held_out), tuning.tag))
    top = best_first[0].held_out
    measure = tunings[0].measure
    header = ["run", "keep", f"{measure} held out", "low 95%", "high 95%", "on all", "gap"]
    rows: list[list[Cell]] = [
        [
            tuning.tag,
            str(tuning.rule),
            Number(tuning.held_out, bold=len(tunings) > 1 and f"{tuning.held_out:.4f}" == f"{top:.4f}"),
            Number(tuning.interval.low),
            Number(tuning.interval.high),
            Number(tuning.resubstitution),
            Number(tuning.gap),
        ]
        for tuning in best_first
    ]
    return Grid(header, rows, n_text=2)


def _known(score: float) -> float:
    return -math.inf if math.isnan(score) else score


def tried(tuning: Tuning) -> Grid:
    """The kinds of rule that were tried on a run, the simplest first."""
    header = ["keep", f"{tuning.measure} held out", "on all", "error of difference"]
    rows: list[list[Cell]] = [
        [
            str(one.rule),
            Number(one.held_out, bold=one.rule == tuning.rule),
            Number(one.resubstitution),
            Number(one.error),
        ]
        for one in tuning.tried
    ]
    return Grid(header, rows, n_text=1)


def ceilings(tuning: Tuning) -> Grid:
    """What better cutting, and what better ranking, could give."""
    return Grid(["for orientation", tuning.measure], [[name, Number(value)] for name, value in tuning.ceilings.items()])


def curve(tuning: Tuning) -> str:
    """The score over the parameter, as bars: from the fewest documents at the left to the most."""
    points = [point for point in tuning.curve if math.isfinite(point[1])]
    if len(points) < 2:
        return ""
    step = max(len(points) / _WIDTH, 1.0)
    some = [points[int(at * step)] for at in range(min(_WIDTH, len(points)))]
    low, high = min(score for _, score in some), max(score for _, score in some)
    bars = "".join(_BARS[int((score - low) / (high - low or 1.0) * (len(_BARS) - 1))] for _, score in some)
    return f"{bars}\n{some[0][0]:g} … {some[-1][0]:g}: {tuning.measure} from {low:.4f} to {high:.4f}\n"


def _text(tunings: Sequence[Tuning]) -> str:
    told = [grid.plain(ranked(tunings))]
    if len(tunings) == 1:
        (tuning,) = tunings
        told += [grid.plain(tried(tuning)), grid.plain(ceilings(tuning)), curve(tuning)]
    for tuning in tunings:
        told += [
            f"{tuning.tag}: {name}: {rows} rows taken away, {tuning.held_out - without:+.4f} held out\n"
            for name, rows, without in tuning.filters
        ]
    return "\n".join(filter(None, told))


def _json(tunings: Sequence[Tuning]) -> str:
    from coliee_ir import __version__

    held = {"coliee_ir": __version__, "tunings": [tuning.to_dict() for tuning in tunings]}
    return json.dumps(held, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


#: form → how tunings are written in it
FORMS: Final[dict[str, Callable[[Sequence[Tuning]], str]]] = {
    "table": _text,
    "json": _json,
    "csv": lambda tunings: grid.separated(ranked(tunings)),
    "tsv": lambda tunings: grid.separated(ranked(tunings), "\t"),
    "markdown": lambda tunings: grid.markdown(ranked(tunings)),
    "latex": lambda tunings: grid.latex(ranked(tunings)),
}
