"""A tuning as text: the runs by their held-out score; of a single run also what was tried, the ceilings, the curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from coliee_adapters.errors import shortened
from coliee_adapters.lines import counted
from coliee_ir._version import __version__
from coliee_ir.commands.tune.result import Tuning, best_of
from coliee_ir.commands.tune.rules import FAMILIES
from coliee_ir.output import grid
from coliee_ir.output.envelope import dumped, number, numbers
from coliee_ir.output.grid import Cell, Grid, Number, apart, signed
from coliee_ir.output.shown import View, shows
from coliee_ir.stats.resampling import NEAR
from coliee_ir.stats.settings import ABOUT

_BARS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 60


def render(tunings: Sequence[Tuning], form: str) -> str:
    """Tunings in one of ``FORMS``; ends in a newline."""
    return FORMS[form](tunings)


def ranked(tunings: Sequence[Tuning]) -> Grid:
    """The runs, that with the best held-out score first."""
    best_first = sorted(tunings, key=_by_score)
    top = best_first[0].held_out
    measure = tunings[0].measure
    header = ["run", "keep", f"{measure} held out", "SD splits", "low 95%", "high 95%", "on all", "gap"]
    rows: list[list[Cell]] = [
        [
            tuning.tag,
            str(tuning.rule),
            Number(tuning.held_out, bold=len(tunings) > 1 and f"{tuning.held_out:.4f}" == f"{top:.4f}"),
            Number(tuning.split_sd),
            Number(tuning.interval.low),
            Number(tuning.interval.high),
            Number(tuning.resubstitution),
            Number(0.0 if abs(tuning.gap) <= NEAR else tuning.gap),  # no minus zero
        ]
        for tuning in best_first
    ]
    return Grid(header, rows, ABOUT, n_text=2)


def _by_score(tuning: Tuning) -> tuple[float, str]:
    return (math.inf if math.isnan(tuning.held_out) else -tuning.held_out, tuning.tag)


def tried(tuning: Tuning) -> Grid:
    """The kinds of rule that were tried on a run, the simplest first."""
    header = ["rule", f"{tuning.measure} held out", "Δ best", "SE", "low 95%", "high 95%", "on all"]
    rows: list[list[Cell]] = [
        [
            str(one.rule) + (" (bounds searched)" if one.searched else ""),
            Number(one.held_out, bold=one.rule == tuning.rule),
            *apart(one.behind),
            Number(one.resubstitution),
        ]
        for one in tuning.tried
    ]
    return Grid(header, rows, n_text=1)


def gains(tunings: Sequence[Tuning]) -> Grid:
    """What cutting is worth: the held-out score less that of the run as it is."""
    rows: list[list[Cell]] = [
        [tuning.tag, Number(tuning.held_out - tuning.gain.value), *apart(tuning.gain)]
        for tuning in sorted(tunings, key=_by_score)
    ]
    header = ["run", f"{tunings[0].measure} as it is", "gain held out", "SE", "low 95%", "high 95%"]
    return Grid(header, rows, ABOUT)


def ceilings(tuning: Tuning) -> Grid:
    """What better cutting, and what better ranking, could give."""
    return Grid(
        ["reference points", tuning.measure], [[name, Number(value)] for name, value in tuning.ceilings.items()]
    )


def curve(tuning: Tuning) -> str:
    """The score over the parameter, as bars: from the fewest documents at the left to the most."""
    points = tuning.curve
    if len(points) < 2:
        return ""
    width = min(_WIDTH, len(points))
    parts = [points[at * len(points) // width : (at + 1) * len(points) // width] for at in range(width)]
    heights = [max(score for _, score in part) for part in parts]
    low, high = min(score for _, score in points), max(score for _, score in points)
    bars = "".join(_BARS[int((height - low) / (high - low or 1.0) * (len(_BARS) - 1))] for height in heights)
    kept = FAMILIES[tuning.rule.family].says.replace("{:g}", f"{points[0][0]:g} … {points[-1][0]:g}")
    return f"{bars}\n{kept}: {tuning.measure} on all from {low:.4f} to {high:.4f}\n"


def points(tunings: Sequence[Tuning]) -> Grid:
    """The score at each cutoff or threshold of the chosen rules, on all queries, with its interval."""
    header = ["run", "rule", "parameter", tunings[0].measure, "low 95%", "high 95%"]
    rows: list[list[str | Number]] = [
        [
            tuning.tag,
            tuning.rule.family,
            _parameter(tuning, parameter),
            Number(score),
            Number(interval.low),
            Number(interval.high),
        ]
        for tuning in tunings
        for (parameter, score), interval in zip(tuning.curve, tuning.curve_intervals, strict=True)
    ]
    return Grid(header, rows, n_text=2)


def _parameter(tuning: Tuning, parameter: float) -> Number:
    return Number(int(parameter) if tuning.rule.family == "k" else parameter, f"{parameter:g}")


def _text(tunings: Sequence[Tuning]) -> str:
    told = [grid.plain(ranked(tunings)) + ABOUT + "\n", grid.plain(gains(tunings))]
    if len(tunings) == 1:
        (tuning,) = tunings
        told += [
            grid.plain(tried(tuning)) + "The simplest rule within one standard error of the best is chosen.\n",
            grid.plain(ceilings(tuning)),
            curve(tuning),
        ]
    else:
        best = best_of(tunings, seed=tunings[0].seed)
        low, high = best.interval
        told.append(
            f"Picking the best of {len(tunings)} runs is optimistic; "
            + (f"bias-corrected estimate: {best.score:.4f}" if best.is_corrected else "here no correction is needed")
            + f" (95% interval {low:.4f} to {high:.4f})\n"
        )
    told += [
        f"{shortened(tuning.tag)}: {name}: {counted(rows, 'row')} removed, {signed(gain.value)} held out "
        f"(SE {gain.error:.4f}, 95% interval {signed(gain.interval.low)} to {signed(gain.interval.high)})\n"
        for tuning in tunings
        for name, rows, gain in tuning.filters
    ]
    return "\n".join(filter(None, told))


def _json(tunings: Sequence[Tuning]) -> str:
    held: dict[str, object] = {"coliee_ir": __version__, "tunings": [tuning.to_dict() for tuning in tunings]}
    if len(tunings) > 1:
        expected = best_of(tunings, seed=tunings[0].seed)
        held["best_of"] = {"score": number(expected.score), "interval": numbers(expected.interval)}
    return dumped(held)


#: form → how tunings are written in it
FORMS: Final[dict[str, Callable[[Sequence[Tuning]], str]]] = {
    "table": _text,
    "json": _json,
    **grid.forms_of(ranked),
}


shows(Tuning, View(lambda tuning: _text([tuning]), lambda tuning: (ranked([tuning]), tried(tuning))))
